// The controls of the board's view: buttons, layers, keys, pointer, measuring.
import { layersOf } from './board_view.js';
import { h, smallButton, svg } from './dom.js';
import { loadSetting } from './store.js';
import { announce } from './shell.js';

const zoomFactor = 1.4; // per press
const wheelFactor = 1.2; // zoom factor per step of the wheel
const panFraction = 0.15; // part of the view per press of an arrow
const minDragPx = 4; // a shorter movement of the pointer is a click
const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const maskColours = ['green', 'red', 'blue', 'black', 'white', 'purple'];
const formatMm = (v) => v.toFixed(2);
const centerOf = (pad) => [Number(pad.dataset.x), Number(pad.dataset.y)];

const viewButton = (label, title, onclick, pressed) =>
  smallButton(label, onclick, {
    title,
    'aria-label': /\w/.test(label) ? undefined : title,
    'aria-pressed': pressed,
  });

const buttonGroup = (name, ...buttons) =>
  h('span', { class: 'picker', role: 'group', 'aria-label': name }, buttons);

const isPressed = (button) => button.getAttribute('aria-pressed') === 'true';

/** Returns a button that is on or off. */
function toggleButton(label, title, onToggle) {
  const button = viewButton(
    label,
    title,
    () => {
      const isOn = !isPressed(button);
      button.setAttribute('aria-pressed', String(isOn));
      onToggle(isOn);
    },
    'false',
  );
  return button;
}

/** Returns the buttons for the visible side, and a function that shows a side. */
function sideControls(view, showStatus) {
  const showSide = (side) => {
    const isTop = side === 'top';
    if (view.side !== side) view.showSide(side);
    top.setAttribute('aria-pressed', String(isTop));
    bottom.setAttribute('aria-pressed', String(!isTop));
    showStatus(isTop ? 'Top side' : 'Bottom side, seen from below');
    announce(`${side} side`);
  };
  const top = viewButton('Top', 'Top side (1)', () => showSide('top'), 'true');
  const bottom = viewButton('Bottom', 'Bottom side (2)', () => showSide('bottom'), 'false');
  return { group: buttonGroup('Side', top, bottom), showSide };
}

/** Returns the button of the realistic view, and the choice of the colour of its solder mask. */
function realisticControls(view, stage) {
  const setMask = (colour) => {
    for (const c of maskColours) view.svg.classList.toggle(`mask-${c}`, c === colour);
  };
  const colours = h(
    'select',
    { 'aria-label': 'Colour of the mask', onchange: (e) => setMask(e.target.value) },
    maskColours.map((c) => h('option', { value: c }, c)),
  );
  colours.hidden = true;
  const button = toggleButton('Realistic', 'As it will look', (isOn) => {
    view.svg.classList.toggle('real', isOn);
    stage.classList.toggle('real', isOn);
    colours.hidden = !isOn;
  });
  return [button, colours];
}

/**
 * Returns the button for measuring. measure takes the first or the second point in mm, by a click
 * or by Enter on a pad.
 */
function measuringControls(view, stage, showStatus) {
  let from; // the first point, until the second is chosen
  let ruler; // both points, for redrawing at another zoom
  const button = toggleButton('Measure', 'Measure (m)', (isOn) => {
    stage.classList.toggle('measuring', isOn);
    from = undefined;
    view.overlay.replaceChildren();
    showStatus(isOn ? 'Measure: choose the first point, by click or by Enter on a pad' : '');
  });
  const isOn = () => isPressed(button);

  function drawRuler() {
    if (!ruler || !isOn()) return;
    const [[x1, y1], [x2, y2]] = ruler.map(([x, y]) => view.toView(x, y));
    const scale = view.box.w / 60;
    const text = svg('text', {
      x: (x1 + x2) / 2,
      y: (y1 + y2) / 2 - scale * 0.5,
      'font-size': scale * 1.6,
      'text-anchor': 'middle',
    });
    text.textContent = `${formatMm(Math.hypot(x2 - x1, y2 - y1))} mm`;
    view.overlay.replaceChildren(
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
      const [x, y] = point.map(formatMm);
      showStatus(`From ${x}, ${y} mm: choose the second point`);
      return;
    }
    ruler = [from, point];
    const [dx, dy] = [point[0] - from[0], point[1] - from[1]];
    from = undefined;
    drawRuler();
    const text = `${formatMm(Math.hypot(dx, dy))} mm, Δx ${formatMm(dx)}, Δy ${formatMm(dy)}`;
    showStatus(text);
    announce(text);
  }

  view.svg.addEventListener('zoom', drawRuler);
  return { button, isOn, measure };
}

const zoomButtons = (view) =>
  buttonGroup(
    'Zoom',
    viewButton('+', 'Zoom in (+)', () => view.zoom(zoomFactor)),
    viewButton('−', 'Zoom out (−)', () => view.zoom(1 / zoomFactor)),
    viewButton('Fit', 'Whole board (0)', () => view.fit()),
  );

const panBy = (view, [dx, dy]) => view.pan(dx * panFraction, dy * panFraction);

const panButtons = (view) =>
  buttonGroup(
    'Move',
    ...[
      ['←', 'Left', arrows.ArrowLeft],
      ['↑', 'Up', arrows.ArrowUp],
      ['↓', 'Down', arrows.ArrowDown],
      ['→', 'Right', arrows.ArrowRight],
    ].map(([sign, name, arrow]) =>
      viewButton(sign, `Move the view: ${name}`, () => panBy(view, arrow)),
    ),
  );

/**
 * Draws the controls of a view on its stage.
 * @param {import('./board_view.js').BoardView} view
 * @param {HTMLElement} stage
 * @param {{next: () => string, choose: (i: number) => string}} checks select a rule violation and
 *   return its text
 * @returns {{bar: HTMLElement, panel: HTMLElement, showStatus: (text: string) => void,
 *   status: HTMLElement, destroy: () => void}} bar has the buttons, panel the layers
 */
export function drawControls(view, stage, checks) {
  const status = h('output', { class: 'board-status' });
  const showStatus = (text) => {
    status.textContent = text;
  };
  const sides = sideControls(view, showStatus);
  const ruler = measuringControls(view, stage, showStatus);
  const flip = () => sides.showSide(view.side === 'top' ? 'bottom' : 'top');
  const showNextMark = () => {
    const text = checks.next();
    showStatus(text);
    announce(text);
  };
  const highlightPad = (pad) => {
    view.highlight(pad.dataset.net ?? null, true);
    showStatus(pad.getAttribute('aria-label'));
  };
  const bar = h(
    'div',
    { class: 'board-bar' },
    sides.group,
    viewButton('Flip', 'Flip (f)', flip),
    realisticControls(view, stage),
    zoomButtons(view),
    panButtons(view),
    ruler.button,
    viewButton('Next mark', 'Next mark of the rule check (d)', showNextMark),
  );
  const letters = {
    1: () => sides.showSide('top'),
    2: () => sides.showSide('bottom'),
    f: flip,
    d: showNextMark,
    m: () => ruler.button.click(),
    '+': () => view.zoom(zoomFactor),
    '=': () => view.zoom(zoomFactor),
    '-': () => view.zoom(1 / zoomFactor),
    0: () => view.fit(),
  };
  const removeKeys = listenToKeys(view, stage, letters, (pad) => {
    if (ruler.isOn()) ruler.measure(centerOf(pad));
    else highlightPad(pad);
  });
  listenToPointer(view, stage, showStatus, (event, point) => {
    const pad = event.target.closest('.pad');
    const mark = event.target.closest('.mark');
    if (ruler.isOn()) ruler.measure(pad ? centerOf(pad) : point);
    else if (mark) showStatus(checks.choose(Number(mark.dataset.mark)));
    else if (pad) highlightPad(pad);
    else view.highlight(event.target.closest('[data-net]')?.dataset.net ?? view.pinned, true);
  });
  return { bar, panel: drawLayers(view), showStatus, status, destroy: removeKeys };
}

function focusPad(view, pad) {
  if (!pad) return;
  // After a click the focused pad is not the pad that has the tabindex.
  for (const p of view.svg.querySelectorAll('.pad[tabindex="0"]')) p.setAttribute('tabindex', -1);
  pad.setAttribute('tabindex', 0);
  pad.focus({ preventScroll: true });
}

/** Listens to the keys of the page. Returns a function that removes the listener. */
function listenToKeys(view, stage, letters, onPad) {
  const onKey = (event) => {
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
    if (pad && (event.key === 'Enter' || event.key === ' ')) onPad(pad);
    else if (pad && arrow) focusPad(view, view.nextPad(pad, ...arrow));
    else if (event.target === stage && arrow) panBy(view, arrow);
    else if (letters[event.key] && loadSetting('letters', true)) letters[event.key]();
    else return;
    event.preventDefault();
  };
  document.addEventListener('keydown', onKey);
  return () => document.removeEventListener('keydown', onKey);
}

/**
 * Draws the list of layers: each with its colour, a switch, and its opacity. Silkscreen and solder
 * mask of one side are shown on the other after a flip.
 */
function drawLayers(view) {
  const rows = layersOf(view.result).map((layer) => {
    const groups = layer.groupsOf(view.groups);
    const swatch = h('span', { class: `swatch sw-${layer.name}`, 'aria-hidden': true });
    if (layer.colour) swatch.style.background = layer.colour;
    const setVisible = (isOn) => groups.forEach((g) => g.classList.toggle('off', !isOn));
    const setOpacity = (slider) => {
      slider.setAttribute('aria-valuetext', `${slider.value} %`);
      for (const g of groups) g.style.opacity = slider.value / 100;
    };
    setVisible(!layer.isOff);
    return h(
      'li',
      {},
      h(
        'label',
        {},
        h('input', {
          type: 'checkbox',
          checked: !layer.isOff,
          'data-layer': layer.name,
          onchange: (e) => setVisible(e.target.checked),
        }),
        swatch,
        layer.label,
      ),
      h('input', {
        type: 'range',
        min: 10,
        max: 100,
        value: 100,
        'aria-label': `Opacity of ${layer.label}`,
        'aria-valuetext': '100 %',
        oninput: (e) => setOpacity(e.target),
      }),
    );
  });
  const list = h('ul', {}, rows);
  view.svg.addEventListener('flip', () => {
    for (const kind of ['silk', 'mask']) {
      const [top, bottom] = list.querySelectorAll(`[data-layer^='${kind}']`);
      if (top.checked === bottom.checked) continue;
      top.click();
      bottom.click();
    }
  });
  return h(
    'details',
    { class: 'board-layers', open: matchMedia('(min-width: 720px)').matches },
    h('summary', {}, 'Layers'),
    list,
  );
}

/** Listens to the pointer on the stage: dragging, pinching, the wheel, hovering, clicks. */
function listenToPointer(view, stage, showStatus, onClick) {
  const setTouchAction = () => {
    stage.style.touchAction = view.isFitted ? 'pan-y' : 'none';
  };
  view.svg.addEventListener('zoom', setTouchAction);
  setTouchAction();
  const press = listenToDrags(view, stage);
  listenToHover(view, stage, showStatus, press);
  stage.addEventListener('click', (event) => {
    if (press.movedPx > minDragPx) return;
    onClick(event, view.toBoard(event.clientX, event.clientY));
  });
  listenToWheel(view, stage);
}

/**
 * Pans the view by a pressed pointer, and zooms it by two.
 * @returns {{pointers: Map<number, {x: number, y: number}>, movedPx: number}} the last position in
 *   pixels of each pressed pointer, and the length of the movement since the last press
 */
function listenToDrags(view, stage) {
  const press = { pointers: new Map(), movedPx: 0 };
  const { pointers } = press;
  const pinchDistance = () => {
    const [a, b] = [...pointers.values()];
    return Math.hypot(a.x - b.x, a.y - b.y);
  };
  stage.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    press.movedPx = 0;
  });
  stage.addEventListener('pointermove', (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    const distance = pointers.size === 2 ? pinchDistance() : 0;
    const [dx, dy] = [event.clientX - before.x, event.clientY - before.y];
    press.movedPx += Math.abs(dx) + Math.abs(dy);
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (pointers.size === 2) view.zoom(pinchDistance() / distance);
    else if (press.movedPx > minDragPx) {
      stage.setPointerCapture(event.pointerId);
      view.pan(-dx / view.scale() / view.box.w, -dy / view.scale() / view.box.h);
    }
  });
  const release = (event) => pointers.delete(event.pointerId);
  stage.addEventListener('pointercancel', release);
  stage.addEventListener('pointerup', release);
  return press;
}

/** Highlights the net under the pointer, and shows its name with the position. */
function listenToHover(view, stage, showStatus, { pointers }) {
  let lastNet;
  stage.addEventListener('pointermove', (event) => {
    if (pointers.has(event.pointerId)) return;
    const shape = event.target.closest('[data-net], .pad');
    const net = shape?.dataset.net ?? null;
    if (net !== lastNet) view.highlight(net);
    lastNet = net;
    const [x, y] = view.toBoard(event.clientX, event.clientY).map(formatMm);
    const name = shape ? ` · ${shape.getAttribute('aria-label') ?? `net ${net}`}` : '';
    showStatus(`${x}, ${y} mm${name}`);
  });
  stage.addEventListener('pointerleave', () => view.highlight(null));
}

/** Zooms the view by the wheel. */
function listenToWheel(view, stage) {
  const onWheel = (event) => {
    if (!event.ctrlKey && event.deltaY > 0 && view.isFitted) return; // the page scrolls
    event.preventDefault();
    const [x, y] = view.toView(...view.toBoard(event.clientX, event.clientY));
    view.zoom(event.deltaY < 0 ? wheelFactor : 1 / wheelFactor, x, y);
  };
  stage.addEventListener('wheel', onWheel, { passive: false });
}
