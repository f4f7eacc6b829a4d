// The controls of the board's view: buttons, layers, keys, pointer, measuring.
import { layersOf } from './board_view.js';
import { el, svg } from './dom.js';
import { loadSetting } from './store.js';
import { announce } from './shell.js';

const step = 1.4; // zoom factor per press
const shove = 0.15; // part of the view, per press of an arrow
const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const maskColours = ['green', 'red', 'blue', 'black', 'white', 'purple'];
const two = (v) => v.toFixed(2);

/** The controls for a view on its stage: { bar, panel, status, leave }. checks steps through the marks. */
export function drawControls(view, stage, checks) {
  const status = el('output', { class: 'board-status' });
  const tell = (text) => {
    status.textContent = text;
  };
  const button = (label, title, act, pressed) =>
    el(
      'button',
      {
        type: 'button',
        class: 'small',
        title,
        'aria-label': /\w/.test(label) ? undefined : title,
        'aria-pressed': pressed,
        onclick: act,
      },
      label,
    );

  const side = el(
    'span',
    { class: 'picker', role: 'group', 'aria-label': 'Side' },
    button('Top', 'Top side (1)', () => turn('top'), 'true'),
    button('Bottom', 'Bottom side (2)', () => turn('bottom'), 'false'),
  );
  function turn(to) {
    if (view.side !== to) view.arrange(to);
    [...side.children].forEach((b, i) =>
      b.setAttribute('aria-pressed', String((i === 0) === (to === 'top'))),
    );
    tell(`${to === 'top' ? 'Top' : 'Bottom'} side${to === 'top' ? '' : ', seen from below'}`);
    announce(`${to} side`);
  }

  const toggle = (label, title, act) => {
    const b = button(
      label,
      title,
      () => {
        const on = b.getAttribute('aria-pressed') !== 'true';
        b.setAttribute('aria-pressed', String(on));
        act(on);
      },
      'false',
    );
    return b;
  };
  const colours = el(
    'select',
    { 'aria-label': 'Colour of the mask', onchange: (e) => paint(e.target.value) },
    maskColours.map((c) => el('option', { value: c }, c)),
  );
  colours.hidden = true;
  function paint(colour) {
    for (const c of maskColours) view.svg.classList.toggle(`mask-${c}`, c === colour);
  }
  const real = toggle('Realistic', 'As it will look', (on) => {
    view.svg.classList.toggle('real', on);
    stage.classList.toggle('real', on);
    colours.hidden = !on;
  });

  // Measuring: two points, by click or by Enter on pads. Near a pad the point is its centre.
  let from;
  const measuring = toggle('Measure', 'Measure (m)', (on) => {
    stage.classList.toggle('measuring', on);
    from = undefined;
    view.over.replaceChildren();
    tell(on ? 'Measure: choose the first point, by click or by Enter on a pad' : '');
  });
  const isMeasuring = () => measuring.getAttribute('aria-pressed') === 'true';
  let ruler; // the two ends, to draw again at another zoom
  function drawRuler() {
    if (!ruler || !isMeasuring()) return;
    const [[x1, y1], [x2, y2]] = ruler.map(([x, y]) => view.seen(x, y));
    const scale = view.box.w / 60;
    const text = svg('text', {
      x: (x1 + x2) / 2,
      y: (y1 + y2) / 2 - scale * 0.5,
      'font-size': scale * 1.6,
      'text-anchor': 'middle',
    });
    text.textContent = `${two(Math.hypot(x2 - x1, y2 - y1))} mm`;
    view.over.replaceChildren(
      svg('path', { d: `M${x1} ${y1}L${x2} ${y2}` }),
      svg('circle', { cx: x1, cy: y1, r: scale * 0.4 }),
      svg('circle', { cx: x2, cy: y2, r: scale * 0.4 }),
      text,
    );
  }
  function measure(point) {
    if (!from) {
      from = point;
      ruler = [point, point];
      drawRuler();
      tell(`From ${two(point[0])}, ${two(point[1])} mm: choose the second point`);
      return;
    }
    ruler = [from, point];
    const [dx, dy] = [point[0] - from[0], point[1] - from[1]];
    from = undefined;
    drawRuler();
    const text = `${two(Math.hypot(dx, dy))} mm, Δx ${two(dx)}, Δy ${two(dy)}`;
    tell(text);
    announce(text);
  }
  view.svg.addEventListener('zoom', drawRuler);

  const zoom = (factor) => view.zoom(factor);
  const next = () => {
    const text = checks.step();
    tell(text);
    announce(text);
  };
  const moves = el(
    'span',
    { class: 'picker', role: 'group', 'aria-label': 'Move' },
    [
      ['←', 'Left', -1, 0],
      ['↑', 'Up', 0, -1],
      ['↓', 'Down', 0, 1],
      ['→', 'Right', 1, 0],
    ].map(([sign, name, dx, dy]) =>
      button(sign, `Move the view: ${name}`, () => view.pan(dx * shove, dy * shove)),
    ),
  );
  const bar = el(
    'div',
    { class: 'board-bar' },
    side,
    button('Flip', 'Flip (f)', () => flip()),
    real,
    colours,
    el(
      'span',
      { class: 'picker', role: 'group', 'aria-label': 'Zoom' },
      button('+', 'Zoom in (+)', () => zoom(step)),
      button('−', 'Zoom out (−)', () => zoom(1 / step)),
      button('Fit', 'Whole board (0)', () => view.fit()),
    ),
    moves,
    measuring,
    button('Next mark', 'Next mark of the rule check (d)', next),
  );
  function flip() {
    turn(view.side === 'top' ? 'bottom' : 'top');
  }

  const panel = drawLayers(view);

  const keys = {
    1: () => turn('top'),
    2: () => turn('bottom'),
    f: flip,
    d: next,
    m: () => measuring.click(),
    '+': () => zoom(step),
    '=': () => zoom(step),
    '-': () => zoom(1 / step),
    0: () => view.fit(),
  };
  function onKey(event) {
    if (
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      event.target.matches?.('input, textarea, select') ||
      document.querySelector('dialog[open]')
    )
      return;
    const pad = event.target.closest?.('.pad');
    const arrow = arrows[event.key];
    if (pad && (event.key === 'Enter' || event.key === ' ')) {
      if (isMeasuring()) measure([Number(pad.dataset.x), Number(pad.dataset.y)]);
      else light(pad);
    } else if (pad && arrow) focusPad(view.neighbour(pad, ...arrow));
    else if (event.target === stage && arrow) view.pan(arrow[0] * shove, arrow[1] * shove);
    else if (keys[event.key] && loadSetting('letters', true)) keys[event.key]();
    else return;
    event.preventDefault();
  }
  document.addEventListener('keydown', onKey);

  function light(pad) {
    view.light(pad.dataset.net ?? null, true);
    tell(pad.getAttribute('aria-label'));
  }
  function focusPad(pad) {
    if (!pad) return;
    for (const p of view.svg.querySelectorAll('.pad[tabindex="0"]')) p.setAttribute('tabindex', -1); // also the start of a click
    pad.setAttribute('tabindex', 0);
    pad.focus({ preventScroll: true });
  }
  pointer(view, stage, {
    tell,
    click: (event, point) => {
      const pad = event.target.closest('.pad');
      const mark = event.target.closest('.mark');
      if (isMeasuring()) measure(pad ? [Number(pad.dataset.x), Number(pad.dataset.y)] : point);
      else if (mark) tell(checks.choose(Number(mark.dataset.mark)));
      else if (pad) light(pad);
      else view.light(event.target.closest('[data-net]')?.dataset.net ?? view.pinned, true);
    },
  });
  return { bar, panel, status, leave: () => document.removeEventListener('keydown', onKey) };
}

/** The list of layers: each with its swatch, a switch, and how strong it is drawn. */
function drawLayers(view) {
  const rows = layersOf(view.result).map((l) => {
    const groups = l.of(view.groups);
    const swatch = el('span', { class: `swatch sw-${l.name}`, 'aria-hidden': true });
    if (l.color) swatch.style.background = l.color;
    const show = (on) => groups.forEach((g) => g.classList.toggle('off', !on));
    show(!l.off);
    return el(
      'li',
      {},
      el(
        'label',
        {},
        el('input', {
          type: 'checkbox',
          checked: !l.off,
          'data-layer': l.name,
          onchange: (e) => show(e.target.checked),
        }),
        swatch,
        l.label,
      ),
      el('input', {
        type: 'range',
        min: 10,
        max: 100,
        value: 100,
        'aria-label': `Opacity of ${l.label}`,
        'aria-valuetext': '100 %',
        oninput: (e) => {
          e.target.setAttribute('aria-valuetext', `${e.target.value} %`);
          groups.forEach((g) => {
            g.style.opacity = e.target.value / 100;
          });
        },
      }),
    );
  });
  return el(
    'details',
    { class: 'board-layers', open: matchMedia('(min-width: 720px)').matches },
    el('summary', {}, 'Layers'),
    el('ul', {}, rows),
  );
}

/** Dragging, pinching, the wheel, and what is under the pointer. */
function pointer(view, stage, { tell, click }) {
  const held = new Map();
  let moved = 0;
  const spread = () => {
    const [a, b] = [...held.values()];
    return Math.hypot(a.x - b.x, a.y - b.y);
  };
  const touch = () => {
    stage.style.touchAction = view.isFitted ? 'pan-y' : 'none';
  };
  view.svg.addEventListener('zoom', touch);
  touch();
  stage.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    held.set(event.pointerId, { x: event.clientX, y: event.clientY });
    moved = 0;
  });
  stage.addEventListener('pointermove', (event) => {
    const before = held.get(event.pointerId);
    if (!before) {
      hover(event);
      return;
    }
    const gap = held.size === 2 ? spread() : 0;
    const [dx, dy] = [event.clientX - before.x, event.clientY - before.y];
    moved += Math.abs(dx) + Math.abs(dy);
    held.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (held.size === 2) view.zoom(spread() / gap);
    else if (moved > 4) {
      stage.setPointerCapture(event.pointerId);
      view.pan(-dx / view.scale() / view.box.w, -dy / view.scale() / view.box.h);
    }
  });
  const release = (event) => held.delete(event.pointerId);
  stage.addEventListener('pointercancel', release);
  stage.addEventListener('pointerup', release);
  stage.addEventListener('click', (event) => {
    if (moved > 4) return;
    click(event, view.under(event.clientX, event.clientY));
  });
  stage.addEventListener('pointerleave', () => view.light(null));
  stage.addEventListener(
    'wheel',
    (event) => {
      if (!event.ctrlKey && event.deltaY > 0 && view.isFitted) return; // the page scrolls
      event.preventDefault();
      const [x, y] = view.seen(...view.under(event.clientX, event.clientY));
      view.zoom(event.deltaY < 0 ? 1.2 : 1 / 1.2, x, y);
    },
    { passive: false },
  );
  let last;
  function hover(event) {
    const on = event.target.closest('[data-net], .pad');
    const net = on?.dataset.net ?? null;
    if (net !== last) view.light(net);
    last = net;
    const [x, y] = view.under(event.clientX, event.clientY);
    tell(
      `${two(x)}, ${two(y)} mm${on ? ` · ${on.getAttribute('aria-label') ?? `net ${net}`}` : ''}`,
    );
  }
}
