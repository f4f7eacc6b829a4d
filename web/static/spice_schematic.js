// The schematic of a netlist as SVG: a click on a node plots it, a click on a part edits its value.
import { h, scrollBox, smallButton, svg } from './dom.js';
import { formatQuantity } from './quantity.js';
import { layoutSchematic, maxElements, maxTerminals } from './spice_layout.js';
import { spiceNumber } from './spice_netlist.js';

const units = { r: 'Ω', c: 'F', l: 'H', v: 'V', i: 'A' }; // by letter
const circle = 'M-14 0a14 14 0 1 0 28 0a14 14 0 1 0-28 0z';
const diamond = 'M-16 0l16-14l16 14l-16 14z';
/**
 * The symbols by letter as [class, path], with leads at (-22, 0) and (22, 0). They follow IEC
 * 60617, except for the second resistor (ANSI Y32.2). The classes are f (filled with the colour of
 * the sheet), w (wire) and s (solid).
 */
const symbols = {
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
Object.assign(symbols, { h: symbols.e, b: symbols.e, f: symbols.g });

const path = (className, d, transform) => svg('path', { class: className, d, transform });
const label = (x, y, text, anchor, className) =>
  svg('text', { x, y, 'text-anchor': anchor, class: className }, text);
const shorten = (text, maxChars) =>
  text.length > maxChars ? `${text.slice(0, maxChars - 1)}…` : text;

/** Returns a transistor with its pins at three heights. */
function transistorShapes({ element, x, y, isP, pitch }) {
  const m = y + pitch;
  const end = y + 2 * pitch;
  const arrow = (tx, ty, angle) =>
    path('s', 'M0 0l-8-3v6z', `translate(${tx} ${ty})rotate(${angle})`);
  if (element.letter === 'q') {
    return [
      path(
        'w',
        `M${x} ${y}V${m - 14}l-14 6M${x} ${end}V${m + 14}l-14-6M${x - 24} ${m}h10M${x - 14} ${m - 14}v28`,
      ),
      isP ? arrow(x - 14, m - 8, 157) : arrow(x, m + 14, 23),
    ];
  }
  const leads = `M${x} ${y}V${m - 10}h-14M${x} ${end}V${m + 10}h-14M${x - 14} ${m - 15}v30M${x - 24} ${m}h`;
  if (element.letter === 'j')
    return [path('w', `${leads}10`), isP ? arrow(x - 23, m, 180) : arrow(x - 14, m, 0)];
  return [
    path('w', `${leads}4M${x - 20} ${m - 12}v24`),
    isP ? arrow(x - 13, m - 10, 180) : arrow(x, m + 10, 0),
  ];
}

/** Returns a box with the numbers of its pins and the name of its subcircuit. */
function boxShapes({ element, x, y, rows, pitch, pins }) {
  const nameY = rows > 1 ? (Math.floor(rows / 2) - 0.5) * pitch : 12; // between the pin numbers
  return [
    path('f', `M${x - 28} ${y - 20}h56v${(rows - 1) * pitch + 40}h-56z`),
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
      y + nameY + 4,
      shorten(element.rest.findLast((w) => !w.includes('=')) ?? '', 8),
      'middle',
      'note',
    ),
  ];
}

/** Returns the value of an element as the schematic shows it, with the nodes that control it. */
function valueText(e) {
  const control =
    'egs'.includes(e.letter) && e.nodes.length === 4
      ? ` v(${e.nodes
          .slice(2)
          .filter((n) => n !== '0')
          .join(',')})`
      : '';
  // "DC 0" is left out before AC 1 or a waveform
  const value = e.hasOneValue ? e.value : e.rest.join(' ').replace(/^dc 0 (?=.)/i, '');
  return value + control;
}

/** Returns the name and the value of a part beside its symbol. */
function partLabels({ element: e, x, y, turn = 0, pins, pitch }) {
  const name = e.name.toUpperCase();
  const value = valueText(e);
  const isActive = Boolean(pins);
  if (e.letter === 'x') return [label(x, y - 26, name, 'middle')];
  if (isActive)
    return [
      label(x + 8, y + pitch - 2, name),
      label(x + 8, y + pitch + 12, shorten(value, 13), '', 'v'),
    ];
  if (Math.abs(turn % 180) === 90)
    return [label(x + 18, y - 2, name), label(x + 18, y + 13, shorten(value, 8), '', 'v')];
  const lift = 'rlds'.includes(e.letter) ? 0 : 5; // for taller symbols
  return [
    label(x, y - 26 - lift, name, 'middle'),
    label(x, y - 13 - lift, shorten(value, 13), 'middle', 'v'),
  ];
}

/** Returns the symbol of a part. */
function partShapes(p) {
  const { element: e, x, y, turn = 0, pins } = p;
  if (e.letter === 'x') return boxShapes(p);
  if (pins) return transistorShapes(p);
  const transform = `translate(${x} ${y})${turn ? `rotate(${turn})` : ''}`;
  return (symbols[e.letter] ?? symbols.r).map(([c, d]) => path(c, d, transform));
}

/** Returns a part with its name and value, as a button. */
function part(p, onEdit) {
  const g = svg(
    'g',
    { class: 'part', tabindex: 0, role: 'button', 'data-part': p.element.name },
    partShapes(p),
    partLabels(p).flatMap((t) => [t, ' ']),
  );
  onPress(g, () => onEdit(p.element));
  return g;
}

/** Calls an action for a click, Enter and Space. */
function onPress(g, action) {
  g.addEventListener('click', action);
  g.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    event.stopPropagation();
    action();
  });
}

/** Returns the path data of a line through points [x, y, x, y, ...]. */
const lineData = (points) =>
  points.map((v, i) => (i % 2 ? `${v}` : `${i ? 'L' : 'M'}${v} `)).join('');

/** Returns the drawing. onNode(name) plots a node, onEdit(element) edits a part. */
function drawLayout(layout, onNode, onEdit) {
  const nets = new Map();
  for (const w of layout.wires) nets.set(w.node, [...(nets.get(w.node) ?? []), lineData(w.points)]);
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
    onPress(g, () => onNode(node));
    return g;
  });
  const flags = layout.flags.map(({ x, y, node, up }) => {
    if (node === '0') return path('w', `M${x} ${y}v6m-10 0h20m-16 4h12m-8 4h4`);
    return [
      path('w', up ? `M${x} ${y}v-6m-6 0h12` : `M${x} ${y}v6m-6 0h12`),
      label(x, up ? y - 10 : y + 18, shorten(node, 9), 'middle', 'note'),
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
    layout.names.map(({ x, y, node }) => label(x - 5, y - 5, shorten(node, 9), 'end', 'note')),
    layout.parts.map((p) => part(p, onEdit)),
  );
}

/** Returns a netlist with another value of an element, or unchanged if its line lacks the value. */
export function withValue(text, element, value) {
  const lines = text.split('\n');
  const line = lines[element.line - 1];
  const nodes = `(?:[\\s,()]+[^\\s,()]+){${element.nodes.length}}`;
  const head = new RegExp(`^\\s*[^\\s,()]+${nodes}[\\s,()]+`).exec(line)?.[0];
  if (head === undefined || !line.startsWith(element.value, head.length)) return text;
  const rest = line.slice(head.length + element.value.length);
  if (!/^([\s;]|$)/.test(rest)) return text;
  lines[element.line - 1] = head + value + rest;
  return lines.join('\n');
}

/** Reports whether the word after the nodes is the value. It is not in "V1 in 0 DC 0 AC 1". */
const isEditable = (e) =>
  e.letter !== 'x' &&
  e.value !== '' &&
  !e.value.includes('=') &&
  ('rlc'.includes(e.letter) || e.hasOneValue);

const sliderDecades = 1; // to each side of the value
const sliderSteps = 200; // to each side of the value
const runDelayMs = 250; // from a movement of the slider to a run
const minScale = 0.7; // of a schematic that is larger than its box

/**
 * @typedef {object} SchematicOptions
 * @property {(model: string) => boolean} isP reports whether a transistor model is of the P type
 * @property {(name: string) => void} onNode plots a node
 * @property {() => string} text returns the present text
 * @property {() => import('./spice_netlist.js').Netlist} read parses the present text
 * @property {(text: string) => void} change replaces the text
 * @property {() => Promise<void>} run
 * @property {(line: number) => void} goTo
 */

/**
 * Creates a schematic in a box.
 * @param {HTMLElement} target
 * @param {SchematicOptions} options
 * @returns {(netlist: import('./spice_netlist.js').Netlist) => void} draws a netlist
 */
export function createSchematic(target, options) {
  const sheet = scrollBox('Schematic of the netlist', null, { class: 'scroll schematic' });
  const editor = h('div', { class: 'inline part-editor', hidden: true });
  const note = h('p', { class: 'absent' });
  target.append(sheet, editor, note);
  const onEdit = (element) => openPartEditor(editor, element, options);
  return ({ elements }) => {
    const problem = sizeProblem(elements);
    if (problem) {
      sheet.replaceChildren();
      note.textContent = problem;
      return;
    }
    const layout = layoutSchematic(elements, options.isP);
    const drawing = drawLayout(layout, options.onNode, onEdit);
    const maxHeight = parseFloat(getComputedStyle(sheet).maxHeight) || Infinity; // none in print
    const room = [sheet.clientWidth - 20, maxHeight - 20];
    const fit = Math.min(room[0] / layout.width, room[1] / layout.height);
    const scale = Math.min(1, Math.max(minScale, fit));
    drawing.setAttribute('width', layout.width * scale);
    drawing.setAttribute('height', layout.height * scale);
    sheet.replaceChildren(drawing);
    note.textContent = layout.undrawn.length
      ? `Not drawn: ${layout.undrawn.map((e) => e.name.toUpperCase()).join(', ')}.`
      : '';
  };
}

/** Returns the reason why a netlist has no schematic, or "". */
function sizeProblem(elements) {
  const count = elements.length;
  const terminals = elements.reduce((n, e) => n + e.nodes.length, 0);
  if (count === 0) return 'The netlist has no elements.';
  if (count > maxElements)
    return `${count} elements; a schematic is drawn of up to ${maxElements}.`;
  if (terminals > maxTerminals)
    return `${terminals} terminals of elements; a schematic is drawn of up to ${maxTerminals}.`;
  return '';
}

/** Shows the value of an element in a field and on a slider, or a button for its line. */
function openPartEditor(editor, element, { text, read, change, run, goTo }) {
  const name = element.name.toUpperCase();
  /** Changes the value in the text and reports whether it differs. */
  const setValue = (value) => {
    const present = read().elements.find((e) => e.name === element.name);
    if (!present || !value.trim() || value.trim() === present.value) return false;
    const changed = withValue(text(), present, value.trim());
    if (changed === text()) return false;
    change(changed);
    return true;
  };
  const field = h('input', {
    value: element.value,
    'aria-label': `Value of ${name}`,
    autocomplete: 'off',
    spellcheck: 'false',
    onchange: () => {
      if (setValue(field.value)) run();
    },
  });
  const slider = valueSlider(element, run, (value) => {
    field.value = value;
    return setValue(value);
  });
  editor.replaceChildren(
    h('b', {}, name),
    ...(isEditable(element)
      ? [field, slider].filter(Boolean)
      : [smallButton(`Line ${element.line}`, () => goTo(element.line))]),
    smallButton('Close', () => {
      editor.hidden = true;
    }),
  );
  editor.hidden = false;
  editor.querySelector('input, button').focus();
}

/**
 * Returns a slider from a tenth to ten times the value of an element, or undefined if the value is
 * no number. It calls onValue(text), and run after a delay if onValue returns true.
 */
function valueSlider(element, run, onValue) {
  const base = spiceNumber(element.value);
  if (!Number.isFinite(base) || base === 0) return undefined;
  const unit = units[element.name[0].toLowerCase()] ?? '';
  const slider = h('input', {
    type: 'range',
    min: -sliderSteps,
    max: sliderSteps,
    value: 0,
    'aria-label': `${element.name.toUpperCase()} from a tenth to ten times its value`,
  });
  const describe = (v) => slider.setAttribute('aria-valuetext', formatQuantity(v, unit));
  describe(base);
  // While the slider moves, a run starts after the previous one has ended, because the server
  // finishes a replaced run. The final position starts a run at once.
  let pendingRun = 0; // timer of a run, until the run ends
  const startRun = () =>
    Promise.resolve(run()).finally(() => {
      pendingRun = 0;
    });
  slider.addEventListener('input', () => {
    const factor = 10 ** ((sliderDecades * slider.value) / sliderSteps);
    const v = Number((base * factor).toPrecision(3));
    describe(v);
    if (onValue(String(v))) pendingRun ||= setTimeout(startRun, runDelayMs);
  });
  slider.addEventListener('change', () => {
    clearTimeout(pendingRun);
    startRun();
  });
  return slider;
}
