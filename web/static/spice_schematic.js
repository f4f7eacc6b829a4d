// The schematic of a netlist as SVG: a click on a node plots it, a click on a part edits its value.
import { el, svg } from './dom.js';
import { show } from './quantity.js';
import { largestSchematic, layoutSchematic, mostTerminals } from './spice_layout.js';
import { spiceNumber } from './spice_netlist.js';

const units = { r: 'Ω', c: 'F', l: 'H', v: 'V', i: 'A' };
const circle = 'M-14 0a14 14 0 1 0 28 0a14 14 0 1 0-28 0z';
const diamond = 'M-16 0l16-14l16 14l-16 14z';
/** Bodies between (-22, 0) and (22, 0): [class, path], IEC 60617 except for the second resistor (ANSI Y32.2). */
const bodies = {
  r: [
    ['f iec', 'M-18-6h36v12h-36z'],
    ['w ansi', 'M-18 0l3-6 6 12 6-12 6 12 6-12 6 12 3-6'],
    ['w', 'M-22 0h4M18 0h4'],
  ],
  c: [['w', 'M-22 0h19M3 0h19M-3-11v22M3-11v22']],
  l: [['w', 'M-22 0h2a5 5 0 0 1 10 0a5 5 0 0 1 10 0a5 5 0 0 1 10 0a5 5 0 0 1 10 0h2']],
  d: [
    ['f', 'M-8-8v16l16-8z'],
    ['w', 'M-22 0h14M8-8v16M8 0h14'],
  ],
  v: [
    ['f', circle],
    ['w', 'M-22 0h8M14 0h8M-10 0h6m-3-3v6M7-3v6'],
  ],
  i: [
    ['f', circle],
    ['w', 'M-22 0h8M14 0h8M-8 0h14m-5-4l5 4l-5 4'],
  ],
  s: [
    ['w', 'M-22 0h10l22-9M12 0h10'],
    ['f', 'M-15 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0zM9 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0z'],
  ],
  e: [
    ['f', diamond],
    ['w', 'M-22 0h6M16 0h6M-9 0h6m-3-3v6M7-3v6'],
  ],
  g: [
    ['f', diamond],
    ['w', 'M-22 0h6M16 0h6M-8 0h14m-5-4l5 4l-5 4'],
  ],
};
Object.assign(bodies, { h: bodies.e, b: bodies.e, f: bodies.g });

const path = (className, d, transform) => svg('path', { class: className, d, transform });
const label = (x, y, text, anchor, className) =>
  svg('text', { x, y, 'text-anchor': anchor, class: className }, text);
const short = (text, n = 12) => (text.length > n ? `${text.slice(0, n - 1)}…` : text);

/** A transistor with its pins at three heights; p turns the arrow round. */
function transistor({ element, x, y, isP, pitch: step }) {
  const m = y + step;
  const end = y + 2 * step;
  const tip = (tx, ty, angle) =>
    path('s', 'M0 0l-8-3v6z', `translate(${tx} ${ty})rotate(${angle})`);
  if (element.letter === 'q') {
    return [
      path(
        'w',
        `M${x} ${y}V${m - 14}l-14 6M${x} ${end}V${m + 14}l-14-6M${x - 24} ${m}h10M${x - 14} ${m - 14}v28`,
      ),
      isP ? tip(x - 14, m - 8, 157) : tip(x, m + 14, 23),
    ];
  }
  const leads = `M${x} ${y}V${m - 10}h-14M${x} ${end}V${m + 10}h-14M${x - 14} ${m - 15}v30M${x - 24} ${m}h`;
  if (element.letter === 'j')
    return [path('w', `${leads}10`), isP ? tip(x - 23, m, 180) : tip(x - 14, m, 0)];
  return [
    path('w', `${leads}4M${x - 20} ${m - 12}v24`),
    isP ? tip(x - 13, m - 10, 180) : tip(x, m + 10, 0),
  ];
}

function box({ element, x, y, rows, pitch: step, pins }) {
  const between = rows > 1 ? (Math.floor(rows / 2) - 0.5) * step : 12; // rows of pins, whose numbers the name must not meet
  return [
    path('f', `M${x - 28} ${y - 20}h56v${(rows - 1) * step + 40}h-56z`),
    pins.map((p, i) =>
      label(
        p.x + (p.x < x ? 4 : -4),
        p.y + 4,
        String(element.terminals?.[i] ?? i + 1),
        p.x < x ? 'start' : 'end',
        'note',
      ),
    ),
    label(
      x,
      y + between + 4,
      short(element.rest.findLast((w) => !w.includes('=')) ?? '', 8),
      'middle',
      'note',
    ),
  ];
}

/** A part with its name and value. */
function part(p, onPart) {
  const { element: e, x, y, turn = 0 } = p;
  const upright = Math.abs(turn % 180) === 90;
  const at = `translate(${x} ${y})${turn ? `rotate(${turn})` : ''}`;
  const isBody = !p.pins;
  const shapes = isBody
    ? (bodies[e.letter] ?? bodies.r).map(([c, d]) => path(c, d, at))
    : e.letter === 'x'
      ? box(p)
      : transistor(p);
  const name = e.name.toUpperCase();
  const control =
    'egs'.includes(e.letter) && e.nodes.length === 4
      ? ` v(${e.nodes
          .slice(2)
          .filter((n) => n !== '0')
          .join(',')})`
      : '';
  const written = e.plain ? e.value : e.rest.join(' ').replace(/^dc 0 (?=.)/i, ''); // room for AC 1, or for a waveform
  const value = short(written + control, isBody && upright ? 8 : 13);
  const lift = 'rlds'.includes(e.letter) ? 0 : 5; // above a body that is higher
  const texts =
    isBody && upright
      ? [label(x + 18, y - 2, name), label(x + 18, y + 13, value, '', 'v')]
      : isBody
        ? [label(x, y - 26 - lift, name, 'middle'), label(x, y - 13 - lift, value, 'middle', 'v')]
        : e.letter === 'x'
          ? [label(x, y - 26, name, 'middle')]
          : [label(x + 8, y + p.pitch - 2, name), label(x + 8, y + p.pitch + 12, value, '', 'v')];
  const g = svg(
    'g',
    { class: 'part', tabindex: 0, role: 'button', 'data-part': e.name },
    shapes,
    texts.flatMap((t) => [t, ' ']),
  );
  pressable(g, () => onPart(e));
  return g;
}

function pressable(g, action) {
  g.addEventListener('click', action);
  g.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    event.stopPropagation();
    action();
  });
}

const line = (points) => points.map((v, i) => (i % 2 ? `${v}` : `${i ? 'L' : 'M'}${v} `)).join('');

/** The drawing. onNode(name) plots a node, onPart(element) edits a part. */
function draw(layout, onNode, onPart) {
  const nets = new Map();
  for (const w of layout.wires) nets.set(w.node, [...(nets.get(w.node) ?? []), line(w.points)]);
  const wires = [...nets].map(([node, lines]) => {
    const d = lines.join('');
    if (node === '0') return path('w', d);
    const g = svg(
      'g',
      {
        class: 'net',
        tabindex: 0,
        role: 'button',
        'aria-label': `Plot v(${node})`,
        'data-node': node,
      },
      svg('title', {}, `Plot v(${node})`),
      path('hit', d),
      path('w', d),
    );
    pressable(g, () => onNode(node));
    return g;
  });
  const flags = layout.flags.map(({ x, y, node, up }) => {
    if (node === '0') return path('w', `M${x} ${y}v6m-10 0h20m-16 4h12m-8 4h4`);
    return [
      path('w', up ? `M${x} ${y}v-6m-6 0h12` : `M${x} ${y}v6m-6 0h12`),
      label(x, up ? y - 10 : y + 18, short(node, 9), 'middle', 'note'),
    ];
  });
  return svg(
    'svg',
    {
      class: 'sketch',
      viewBox: `0 0 ${layout.width} ${layout.height}`,
      width: layout.width,
      height: layout.height,
      role: 'group',
      'aria-label': 'Schematic',
    },
    wires,
    flags.flat(),
    layout.dots.map(({ x, y }) => path('s', `M${x - 3} ${y}a3 3 0 1 0 6 0a3 3 0 1 0-6 0z`)),
    layout.names.map(({ x, y, node }) => label(x - 5, y - 5, short(node, 9), 'end', 'note')),
    layout.parts.map((p) => part(p, onPart)),
  );
}

/** The text with another value of an element, in its line. */
export function withValue(text, element, value) {
  const lines = text.split('\n');
  const old = element.value.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const nodes = `(?:[\\s,()]+[^\\s,()]+){${element.nodes.length}}`;
  lines[element.line - 1] = lines[element.line - 1].replace(
    new RegExp(`^(\\s*[^\\s,()]+${nodes}[\\s,()]+)${old}(?=[\\s;]|$)`),
    (m, head) => head + value,
  );
  return lines.join('\n');
}

/** Whether the word behind the nodes is the value: not so in "V1 in 0 DC 0 AC 1" or in a subcircuit. */
const isEditable = (e) =>
  e.letter !== 'x' &&
  e.value !== '' &&
  !e.value.includes('=') &&
  ('rlc'.includes(e.letter) || e.plain);

const decades = 1; // of the slider to each side of the value
const steps = 200;
const pause = 250; // ms before a run while it moves; the next one waits for its end
const smallestScale = 0.7; // of a schematic that is wider than the page

/**
 * Shows the schematic of a netlist in a box. o: { isP(model), onNode(name), text(), read(), change(text),
 * run(), goTo(line) }; read returns the netlist of the present text.
 * Returns show(netlist), which draws it again.
 */
export function schematic(target, o) {
  const sheet = el('div', {
    class: 'scroll schematic',
    tabindex: 0,
    role: 'region',
    'aria-label': 'Schematic of the netlist',
  });
  const editor = el('div', { class: 'inline part-editor', hidden: true });
  const note = el('p', { class: 'absent' });
  target.append(sheet, editor, note);

  function edit(element) {
    const set = (value) => {
      const e = o.read().elements.find((x) => x.name === element.name);
      if (!e || !value.trim() || value.trim() === e.value) return false;
      const text = withValue(o.text(), e, value.trim());
      if (text === o.text()) return false;
      o.change(text);
      return true;
    };
    const base = spiceNumber(element.value);
    const field = el('input', {
      value: element.value,
      'aria-label': `Value of ${element.name.toUpperCase()}`,
      autocomplete: 'off',
      spellcheck: 'false',
    });
    field.addEventListener('change', () => {
      if (set(field.value)) o.run();
    });
    const slider =
      Number.isFinite(base) &&
      base !== 0 &&
      el('input', {
        type: 'range',
        min: -steps,
        max: steps,
        value: 0,
        'aria-label': `${element.name.toUpperCase()} from a tenth to ten times its value`,
      });
    const spoken = (v) =>
      slider.setAttribute('aria-valuetext', show(v, units[element.name[0].toLowerCase()] ?? ''));
    if (slider) {
      spoken(base);
      let due = 0; // timer of a run that waits or is under way: a run that is replaced goes on at the server
      const live = () =>
        Promise.resolve(o.run()).finally(() => {
          due = 0;
        });
      slider.addEventListener('input', () => {
        const v = Number((base * 10 ** ((decades * slider.value) / steps)).toPrecision(3));
        field.value = String(v);
        spoken(v);
        if (set(field.value)) due ||= setTimeout(live, pause);
      });
      slider.addEventListener('change', () => {
        clearTimeout(due);
        live();
      });
    }
    editor.replaceChildren(
      el('b', {}, element.name.toUpperCase()),
      ...(isEditable(element)
        ? [field, slider].filter(Boolean)
        : [
            el(
              'button',
              { type: 'button', class: 'small', onclick: () => o.goTo(element.line) },
              `Line ${element.line}`,
            ),
          ]),
      el(
        'button',
        {
          type: 'button',
          class: 'small',
          onclick: () => {
            editor.hidden = true;
          },
        },
        'Close',
      ),
    );
    editor.hidden = false;
    editor.querySelector('input, button').focus();
  }

  return ({ elements }) => {
    const count = elements.length;
    const terminals = elements.reduce((n, e) => n + e.nodes.length, 0);
    if (count === 0 || count > largestSchematic || terminals > mostTerminals) {
      sheet.replaceChildren();
      note.textContent =
        count === 0
          ? 'The netlist has no elements.'
          : count > largestSchematic
            ? `${count} elements; a schematic is drawn of up to ${largestSchematic}.`
            : `${terminals} terminals of elements; a schematic is drawn of up to ${mostTerminals}.`;
      return;
    }
    const layout = layoutSchematic(elements, o.isP);
    const drawing = draw(layout, o.onNode, edit);
    const scale = Math.min(1, Math.max(smallestScale, (sheet.clientWidth - 20) / layout.width));
    drawing.setAttribute('width', layout.width * scale);
    drawing.setAttribute('height', layout.height * scale);
    sheet.replaceChildren(drawing);
    note.textContent = layout.left.length
      ? `Not drawn: ${layout.left.map((e) => e.name.toUpperCase()).join(', ')}.`
      : '';
  };
}
