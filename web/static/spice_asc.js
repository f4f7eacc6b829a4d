// Netlists of LTspice schematics (.asc). Wires, labels and the pins of symbols give the nodes; the
// attributes of symbols give the element lines. Positions and pin orders are those of the symbols
// that LTspice installs in lib/sym; .asy files define further symbols.

/** Pins as x and y at rotation R0, in the order of the element line. */
const vertical = [
  [0, 16],
  [0, 96],
];
const transistor = [
  [64, 0],
  [0, 48],
  [64, 96],
];
const mosfet = [
  [48, 0],
  [0, 80],
  [48, 96],
];
const bulk = [48, 48];
const junctionFet = [
  [48, 0],
  [0, 64],
  [48, 96],
];
const chip = [
  [16, 0],
  [16, 64],
];
const axial = [
  [16, 16],
  [16, 96],
];
const source = [
  [0, 0],
  [0, 80],
];

const symbol = (prefix, pins, value = '') => ({ prefix, pins, value });

/** A special function: the pins that its symbol has, by terminal from 1 to 8. */
const special = (value, pins) =>
  symbol(
    'A',
    [1, 2, 3, 4, 5, 6, 7, 8].map((k) => pins[k]),
    value,
  );
const gate = (left, out) => ({
  1: [left, 32],
  2: [left, 48],
  3: [left, 64],
  4: [left, 80],
  5: [left, 96],
  6: [32, 80],
  7: [out, 48],
  8: [-16, 96],
});
const [single, plus, minus] = [{ 1: [0, 64] }, [0, 48], [0, 80]];
const complements = { 6: [64, 80], 7: [64, 48], 8: [0, 96] };
const [direct, inverted] = [7, 6].map((k) => ({ [k]: [64, 64], 8: [0, 80] }));
const specials = {
  and: special('AND', gate(-32, 32)),
  or: special('OR', gate(-32, 32)),
  xor: special('XOR', gate(-48, 16)),
  buf: special('BUF', { ...single, ...complements }),
  buf1: special('BUF', { ...single, ...direct }),
  inv: special('BUF', { ...single, ...inverted }),
  schmitt: special('SCHMITT', { ...single, ...complements }),
  schmtbuf: special('SCHMITT', { ...single, ...direct }),
  schmtinv: special('SCHMITT', { ...single, ...inverted }),
  diffschmitt: special('SCHMITT', { 1: plus, 2: minus, ...complements }),
  diffschmtbuf: special('SCHMITT', { 1: plus, 2: minus, 7: [64, 64], 8: [0, 96] }),
  diffschmtinv: special('SCHMITT', { 1: plus, 2: minus, 6: [64, 64], 8: [0, 96] }),
  dflop: special('DFLOP', {
    1: [-80, 48],
    3: [-80, 96],
    4: [0, 0],
    5: [0, 144],
    6: [96, 96],
    7: [80, 48],
    8: [-80, 144],
  }),
  srflop: special('SRFLOP', {
    1: [-48, 48],
    2: [-48, 96],
    6: [64, 96],
    7: [48, 48],
    8: [-48, 128],
  }),
  counter: special('COUNTER', { 1: [-80, 32], 6: [144, 64], 7: [144, 0], 8: [-80, 128] }),
  phidet: special('PHASEDET', { 1: [-32, -16], 2: [-32, 16], 7: [96, 0], 8: [-32, 48] }),
  modulate: special('MODULATOR', { 1: [0, 0], 2: [0, 64], 7: [144, 32], 8: [0, 96] }),
  modulate2: special('MODULATOR', { 1: [0, 0], 2: [0, 64], 6: [144, 64], 7: [144, 0], 8: [0, 96] }),
  sample: special('SAMPLEHOLD', {
    1: [-80, -32],
    2: [-80, 0],
    3: [-80, 32],
    4: [-80, 64],
    7: [96, 16],
    8: [-80, 96],
  }),
  varistor: special('VARISTOR', { 1: [-32, 48], 2: [-32, 80], 7: [-16, 32], 8: [-16, 96] }),
};
const symbols = new Map(
  Object.entries({
    ...specials,
    res: symbol('R', axial),
    res2: symbol('R', chip),
    cap: symbol('C', chip),
    polcap: symbol('C', chip),
    ind: symbol('L', axial),
    ind2: symbol('L', axial),
    voltage: symbol('V', vertical),
    current: symbol('I', source),
    load2: symbol('I', source),
    load: symbol('I', chip),
    bv: symbol('B', vertical),
    bi: symbol('B', source),
    bi2: symbol('B', [...source].reverse()),
    diode: symbol('D', chip, 'D'),
    zener: symbol('D', chip, 'D'),
    schottky: symbol('D', chip, 'D'),
    led: symbol('D', chip, 'D'),
    varactor: symbol('D', chip, 'D'),
    npn: symbol('Q', transistor, 'NPN'),
    npn2: symbol('Q', transistor, 'NPN'),
    npn3: symbol('Q', transistor, 'NPN'),
    npn4: symbol('Q', [...transistor, [64, 48]], 'NPN'),
    pnp: symbol('Q', transistor, 'PNP'),
    pnp2: symbol('Q', transistor, 'PNP'),
    pnp4: symbol('Q', [...transistor, [64, 48]], 'PNP'),
    lpnp: symbol('Q', [...transistor, [64, 48]], 'LPNP'),
    nmos: symbol('M', mosfet, 'NMOS'),
    pmos: symbol('M', mosfet, 'PMOS'),
    nmos4: symbol('M', [...mosfet, bulk], 'NMOS'),
    pmos4: symbol('M', [...mosfet, bulk], 'PMOS'),
    njf: symbol('J', junctionFet, 'NJF'),
    pjf: symbol('J', junctionFet, 'PJF'),
    e: symbol('E', [...vertical, [-48, 32], [-48, 80]]),
    e2: symbol('E', [...vertical, [-48, 80], [-48, 32]]),
    g: symbol('G', [
      [0, 96],
      [0, 16],
      [-48, 32],
      [-48, 80],
    ]),
    g2: symbol('G', [
      [0, 96],
      [0, 16],
      [-48, 80],
      [-48, 32],
    ]),
    f: symbol('F', source),
    h: symbol('H', vertical),
    sw: symbol('S', [...vertical, [-48, 80], [-48, 32]], 'SW'),
    csw: symbol('W', source, 'CSW'),
    tline: symbol(
      'T',
      [
        [-48, -16],
        [-48, 16],
        [48, -16],
        [48, 16],
      ],
      'Td=50n Z0=50',
    ),
    opamp: symbol(
      'X',
      [
        [-32, 48],
        [-32, 80],
        [32, 64],
      ],
      'opamp',
    ),
    opamp2: symbol(
      'X',
      [
        [-32, 80],
        [-32, 48],
        [0, 32],
        [0, 96],
        [32, 64],
      ],
      'opamp2',
    ),
    universalopamp2: symbol(
      'X',
      [
        [-32, 16],
        [-32, -16],
        [0, -32],
        [0, 32],
        [32, 0],
      ],
      'level.2',
    ),
  }),
);

/** Types of models that LTspice knows without a .model line. */
const builtIn = {
  D: 'D',
  NPN: 'NPN',
  PNP: 'PNP',
  LPNP: 'LPNP',
  NMOS: 'NMOS',
  PMOS: 'PMOS',
  NJF: 'NJF',
  PJF: 'PJF',
};

const mostLines = 50000;
const mostWires = 5000;

/** The name of a symbol without its folder, in lower case. */
const baseName = (name) =>
  name
    .split(/[\\/]/)
    .at(-1)
    .replace(/\.as[cy]$/i, '')
    .toLowerCase();

/** Positions of pins after the rotation and the mirror of a symbol: R0 to R270, M0 to M270. */
function placed([x, y], orientation, at) {
  if (orientation.startsWith('M')) x = -x;
  const turns = { 0: [x, y], 90: [-y, x], 180: [-x, -y], 270: [y, -x] };
  const [dx, dy] = turns[Number(orientation.slice(1))];
  return [at[0] + dx, at[1] + dy];
}

/**
 * Reads a symbol (.asy).
 * @returns {{name: string, prefix: string, pins: number[][], value: string}} pins in SpiceOrder; of a special function by terminal, undefined for absent ones
 */
export function readSymbol(text, fileName) {
  const pins = [];
  const attributes = {};
  for (const line of text.split(/\r?\n/)) {
    const w = line.trim().split(/\s+/);
    if (w[0] === 'PIN') pins.push({ at: [Number(w[1]), Number(w[2])], order: pins.length + 1 });
    else if (w[0] === 'PINATTR' && w[1] === 'SpiceOrder' && pins.length)
      pins.at(-1).order = Number(w[2]);
    else if (w[0] === 'SYMATTR') attributes[w[1]] = w.slice(2).join(' ');
  }
  if (pins.length === 0 || pins.some((p) => !p.at.every(Number.isFinite)))
    throw new Error(`${fileName} has no pins, so it is no symbol of an element.`);
  pins.sort((a, b) => a.order - b.order);
  const model =
    attributes.SpiceModel && !/\.(lib|sub|mod)$/i.test(attributes.SpiceModel)
      ? attributes.SpiceModel
      : '';
  if (/^a/i.test(attributes.Prefix ?? '')) {
    const terminals = Object.fromEntries(pins.map((p) => [p.order, p.at]));
    return { ...special(model, terminals), name: baseName(fileName), attributes };
  }
  return {
    name: baseName(fileName),
    prefix: (attributes.Prefix || 'X')[0].toUpperCase(),
    pins: pins.map((p) => p.at),
    value: model || attributes.Value2 || attributes.Value || '',
  };
}

/** The statements of a schematic. */
function readStatements(text) {
  const sheet = { wires: [], flags: [], parts: [], texts: [] };
  const lines = text.split(/\r?\n/);
  if (lines.length > mostLines)
    throw new Error(`The schematic has ${lines.length} lines; ${mostLines} are allowed.`);
  if (!/^Version\s+\d/i.test(lines[0] ?? ''))
    throw new Error(
      'The first line of an LTspice schematic is "Version 4"; this file begins otherwise.',
    );
  for (const [i, line] of lines.entries()) {
    const w = line.trim().split(/\s+/);
    const numbers = (from, n) => {
      const list = w.slice(from, from + n).map(Number);
      if (list.length < n || !list.every(Number.isFinite))
        throw new Error(`Line ${i + 1} of the schematic is damaged: ${line.trim().slice(0, 60)}`);
      return list;
    };
    switch (w[0]) {
      case 'WIRE':
        sheet.wires.push(numbers(1, 4));
        break;
      case 'FLAG':
        sheet.flags.push({ at: numbers(1, 2), name: w.slice(3).join('_') });
        break;
      case 'SYMBOL': {
        // the name of a symbol or its folder may contain spaces
        const orientation = w.at(-1);
        if (w.length < 5 || !/^[RM](0|90|180|270)$/.test(orientation))
          throw new Error(
            `Line ${i + 1} of the schematic has the orientation ${w.length < 5 ? 'nothing' : orientation}; R0, R90, R180, R270 and M0 to M270 are allowed.`,
          );
        sheet.parts.push({
          name: w.slice(1, -3).join(' '),
          at: numbers(w.length - 3, 2),
          orientation,
          attributes: {},
        });
        break;
      }
      case 'SYMATTR':
        if (sheet.parts.length)
          sheet.parts.at(-1).attributes[w[1]] = line.trim().replace(/^SYMATTR\s+\S+\s*/, '');
        break;
      case 'TEXT':
        sheet.texts.push(line.trim().replace(/^TEXT\s+\S+\s+\S+\s+\S+\s+\S+\s*/, ''));
        break;
      default:
        break; // drawing
    }
  }
  if (sheet.wires.length > mostWires)
    throw new Error(`The schematic has ${sheet.wires.length} wires; ${mostWires} are allowed.`);
  return sheet;
}

/** Joins points that are on one wire or have the same label, and names the nodes. */
class Nodes {
  #parent = new Map();
  #wires;
  #names = new Map(); // by root
  #taken = new Set(); // names in lower case, as SPICE compares them
  #count = 0;

  constructor(wires) {
    this.#wires = wires;
    for (const [x1, y1, x2, y2] of wires) this.#join(`${x1},${y1}`, `${x2},${y2}`);
    for (const [x1, y1, x2, y2] of wires) {
      this.connect([x1, y1]);
      this.connect([x2, y2]);
    }
  }

  #find(key) {
    if (!this.#parent.has(key)) this.#parent.set(key, key);
    let root = key;
    while (this.#parent.get(root) !== root) root = this.#parent.get(root);
    while (this.#parent.get(key) !== root)
      [key] = [this.#parent.get(key), this.#parent.set(key, root)];
    return root;
  }

  #join(a, b) {
    this.#parent.set(this.#find(a), this.#find(b));
  }

  /** Joins a point with the wires that it lies on and reports whether there are any. */
  connect([x, y]) {
    let isJoined = false;
    for (const [x1, y1, x2, y2] of this.#wires) {
      const isOn =
        (x - x1) * (y2 - y1) === (y - y1) * (x2 - x1) &&
        x >= Math.min(x1, x2) &&
        x <= Math.max(x1, x2) &&
        y >= Math.min(y1, y2) &&
        y <= Math.max(y1, y2);
      if (isOn) this.#join(`${x},${y}`, `${x1},${y1}`);
      isJoined ||= isOn;
    }
    return isJoined;
  }

  /** Names the nodes by their labels, once every pin is connected; a node keeps its first label, or 0. Returns warnings. */
  label(flags) {
    const labels = flags.map((f) => ({ at: f.at.join(), name: nodeName(f.name) }));
    const keyOf = (name) => `label ${name.toLowerCase()}`;
    for (const { at, name } of labels) this.#join(at, keyOf(name));
    const warnings = new Set();
    for (const { at, name } of labels) {
      this.#taken.add(name.toLowerCase());
      const root = this.#find(at);
      if (name === '0' || !this.#names.has(root)) this.#names.set(root, name);
    }
    for (const { at, name } of labels) {
      const kept = this.#names.get(this.#find(at));
      if (kept.toLowerCase() !== name.toLowerCase())
        warnings.add(`The labels ${kept} and ${name} are on one node; it is called ${kept}.`);
    }
    return [...warnings];
  }

  /** The name of the node at a point; nodes without a label get n001, n002 in the order of use. */
  at(point) {
    const root = this.#find(point.join());
    if (!this.#names.has(root)) this.#names.set(root, this.#free());
    return this.#names.get(root);
  }

  #free() {
    let name;
    do name = `n${String(++this.#count).padStart(3, '0')}`;
    while (this.#taken.has(name));
    return name;
  }
}

const nodeName = (label) =>
  /^(0|gnd|com)$/i.test(label) ? '0' : label.replace(/[\s(),;=]+/g, '_');

/** A value as SPICE reads it: u for µ, no spaces around "=". LTspice writes an empty value as "". */
const plainValue = (text) =>
  (text ?? '')
    .replace(/[µμ]/g, 'u')
    .replace(/\s*=\s*/g, '=')
    .trim()
    .replace(/^""$/, '');

/** The nodes of a special function: terminals without a connection are on the common node, and that one is ground without a connection. */
function terminalNodes(part, pins, nodes, isConnected) {
  const at = pins
    .map((p) => p && placed(p, part.orientation, part.at))
    .map((p) => p && isConnected(p) && nodes.at(p));
  return at.map((node) => node || at[7] || '0');
}

/** The element line of a part, or a comment with the reason why there is none. */
function elementLine(part, nodes, known, isConnected, warnings) {
  const a = part.attributes;
  const kind = known.get(baseName(part.name));
  const given = a.InstName ?? '';
  if (!kind) {
    if (given === '') return undefined; // a drawing, without an element
    warnings.push(
      `${given} is missing: the pins of the symbol ${part.name} are unknown. Open its file ${baseName(part.name)}.asy together with the schematic.`,
    );
    return `* ${given} is missing: symbol ${part.name}, value ${a.Value ?? 'none'}`;
  }
  const name =
    given[0]?.toUpperCase() === kind.prefix ? given : `${kind.prefix}_${given || 'unnamed'}`;
  if (name !== given)
    warnings.push(
      `${given || 'A part without a name'} is called ${name}: the first letter says what an element is.`,
    );
  if (kind.prefix === 'A') {
    const own = { ...kind.attributes, ...a };
    const values = [
      kind.value || own.SpiceModel,
      own.Value,
      own.Value2,
      own.SpiceLine,
      own.SpiceLine2,
    ]
      .map(plainValue)
      .filter(Boolean);
    return `${name.replace(/\s+/g, '_')} ${terminalNodes(part, kind.pins, nodes, isConnected).join(' ')} ${values.join(' ')}`;
  }
  const list = kind.pins.map((p) => nodes.at(placed(p, part.orientation, part.at)));
  if (kind.prefix === 'M' && list.length === 3) list.push(list[2]); // three terminals: the bulk is on the source
  const model = a.SpiceModel && !/\.(lib|sub|mod)$/i.test(a.SpiceModel) ? a.SpiceModel : '';
  const values = [model, model ? '' : (a.Value ?? kind.value), a.Value2, a.SpiceLine, a.SpiceLine2]
    .map(plainValue)
    .filter(Boolean);
  if (values.length === 0) warnings.push(`${name} has no value.`);
  return `${name.replace(/\s+/g, '_')} ${list.join(' ')} ${values.join(' ')}`.trim();
}

/** Directives that mean nothing outside of LTspice's own windows. */
const ofWindows = /^\.(backanno|wave|save|probe|end)\b/i;

/**
 * The netlist of a schematic.
 * @param {string} text of the .asc file @param {string} title its name
 * @param {{name: string, prefix: string, pins: number[][], value: string}[]} own further symbols, from readSymbol
 * @returns {{netlist: string, warnings: string[]}} warnings say what is missing or was read otherwise
 */
export function netlistOf(text, title, own = []) {
  const sheet = readStatements(text);
  const known = new Map([...symbols, ...own.map((s) => [s.name, s])]);
  const nodes = new Nodes(sheet.wires);
  const pins = sheet.parts.flatMap((p) =>
    (known.get(baseName(p.name))?.pins ?? [])
      .filter(Boolean)
      .map((pin) => placed(pin, p.orientation, p.at)),
  );
  const uses = new Map(); // by position: pins, labels and wires
  for (const at of [...pins, ...sheet.flags.map((f) => f.at)])
    uses.set(at.join(), (uses.get(at.join()) ?? 0) + 1 + nodes.connect(at));
  const isConnected = (at) => uses.get(at.join()) > 1;
  const warnings = nodes.label(sheet.flags);
  const lines = sheet.parts
    .map((p) => elementLine(p, nodes, known, isConnected, warnings))
    .filter((l) => l !== undefined);
  if (lines.length === 0) throw new Error('The schematic has no symbols of elements.');
  const directives = [];
  for (const t of sheet.texts) {
    const isDirective = t.startsWith('!');
    for (const line of t
      .slice(1)
      .split('\\n')
      .map((l) => plainSpaces(l))
      .filter(Boolean)) {
      if (!isDirective) directives.push(`* ${line}`);
      else if (/^\.(lib|inc|include)\b/i.test(line)) {
        warnings.push(
          `"${line}" is left out: files of your machine are not read. Paste its models into the netlist.`,
        );
        directives.push(`* ${line}`);
      } else if (!ofWindows.test(line)) directives.push(line);
      else if (!/^\.(backanno|end)\b/i.test(line)) {
        warnings.push(`"${line}" is left out: it sets what LTspice saves.`);
        directives.push(`* ${line}`);
      }
    }
  }
  const cards = [...lines, ...directives].join('\n');
  for (const [name, type] of Object.entries(builtIn)) {
    const isUsed = lines.some((l) => !l.startsWith('*') && l.split(/\s+/).includes(name));
    if (isUsed && !new RegExp(`^\\.model\\s+${name}\\b`, 'im').test(cards))
      directives.push(`.model ${name} ${type === 'LPNP' ? 'PNP' : type}`);
  }
  return { netlist: [`* ${title}`, ...lines, ...directives, '.end', ''].join('\n'), warnings };
}

const plainSpaces = (line) => line.replace(/[µμ]/g, 'u').trim();
