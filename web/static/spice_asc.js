// Converts LTspice schematics (.asc) to netlists. Wires, labels and the pins of symbols give the
// nodes; the attributes of symbols give the element lines. .asy files define further symbols.
import { specialSymbol, symbols } from './spice_asc_symbols.js';

/** The models that LTspice defines without a .model line, by name. */
const builtInModels = {
  D: 'D',
  NPN: 'NPN',
  PNP: 'PNP',
  LPNP: 'PNP',
  NMOS: 'NMOS',
  PMOS: 'PMOS',
  NJF: 'NJF',
  PJF: 'PJF',
};

const maxLines = 50000;
const maxWires = 5000;

/** Returns the name of a symbol without its folder, in lower case. */
const baseName = (name) =>
  name
    .split(/[\\/]/)
    .at(-1)
    .replace(/\.as[cy]$/i, '')
    .toLowerCase();

/** Returns the position of a pin of a part, whose orientation is R0 to R270 or M0 to M270. */
function pinPosition([x, y], { orientation, at }) {
  if (orientation.startsWith('M')) x = -x;
  const rotations = { 0: [x, y], 90: [-y, x], 180: [-x, -y], 270: [y, -x] };
  const [dx, dy] = rotations[Number(orientation.slice(1))];
  return [at[0] + dx, at[1] + dy];
}

/** Returns the name of a model, or "" for the name of a file. */
const modelName = (text) => (text && !/\.(lib|sub|mod)$/i.test(text) ? text : '');

/**
 * Reads a symbol (.asy).
 * @returns {{name: string, prefix: string, pins: number[][], value: string}} pins in SpiceOrder;
 *   for a special function by terminal, and undefined for the terminals without a pin
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
  const model = modelName(attributes.SpiceModel);
  if (/^a/i.test(attributes.Prefix ?? '')) {
    const terminals = Object.fromEntries(pins.map((p) => [p.order, p.at]));
    return { ...specialSymbol(model, terminals), name: baseName(fileName), attributes };
  }
  return {
    name: baseName(fileName),
    prefix: (attributes.Prefix || 'X')[0].toUpperCase(),
    pins: pins.map((p) => p.at),
    value: model || attributes.Value2 || attributes.Value || '',
  };
}

/** Reads the statements of a schematic. */
function readStatements(text) {
  const sheet = { wires: [], flags: [], parts: [], texts: [] };
  const lines = text.split(/\r?\n/);
  if (lines.length > maxLines)
    throw new Error(`The schematic has ${lines.length} lines; ${maxLines} are allowed.`);
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
        if (w.length < 5 || !/^[RM](0|90|180|270)$/.test(orientation)) {
          const found = w.length < 5 ? 'nothing' : orientation;
          throw new Error(
            `Line ${i + 1} of the schematic has the orientation ${found}; R0, R90, R180, R270 and M0 to M270 are allowed.`,
          );
        }
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
        break; // lines of the drawing
    }
  }
  if (sheet.wires.length > maxWires)
    throw new Error(`The schematic has ${sheet.wires.length} wires; ${maxWires} are allowed.`);
  return sheet;
}

/** Connects points on one wire or with the same label (union-find), and names the nodes. */
class Nodes {
  #parent = new Map();
  #wires;
  #names = new Map(); // by root
  #usedNames = new Set(); // in lower case, because SPICE ignores the case
  #count = 0;

  constructor(wires) {
    this.#wires = wires;
    for (const [x1, y1, x2, y2] of wires) this.#union(`${x1},${y1}`, `${x2},${y2}`);
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

  #union(a, b) {
    this.#parent.set(this.#find(a), this.#find(b));
  }

  /** Connects a point to the wires under it and reports whether there is one. */
  connect([x, y]) {
    let isConnected = false;
    for (const [x1, y1, x2, y2] of this.#wires) {
      const isOn =
        (x - x1) * (y2 - y1) === (y - y1) * (x2 - x1) &&
        x >= Math.min(x1, x2) &&
        x <= Math.max(x1, x2) &&
        y >= Math.min(y1, y2) &&
        y <= Math.max(y1, y2);
      if (isOn) this.#union(`${x},${y}`, `${x1},${y1}`);
      isConnected ||= isOn;
    }
    return isConnected;
  }

  /**
   * Names the nodes after every pin is connected. A node has the name of its first label, or 0 if a
   * label is ground. Returns warnings about further labels.
   */
  addLabels(flags) {
    const labels = flags.map((f) => ({ at: f.at.join(), name: nodeName(f.name) }));
    const keyOf = (name) => `label ${name.toLowerCase()}`;
    for (const { at, name } of labels) this.#union(at, keyOf(name));
    const warnings = new Set();
    for (const { at, name } of labels) {
      this.#usedNames.add(name.toLowerCase());
      const root = this.#find(at);
      if (name === '0' || !this.#names.has(root)) this.#names.set(root, name);
    }
    for (const { at, name } of labels) {
      const used = this.#names.get(this.#find(at));
      if (used.toLowerCase() !== name.toLowerCase())
        warnings.add(`The labels ${used} and ${name} are on one node; it is called ${used}.`);
    }
    return [...warnings];
  }

  /** Returns the name of the node at a point. Nodes without a label are n001, n002 and so on. */
  at(point) {
    const root = this.#find(point.join());
    if (!this.#names.has(root)) this.#names.set(root, this.#unusedName());
    return this.#names.get(root);
  }

  #unusedName() {
    let name;
    do name = `n${String(++this.#count).padStart(3, '0')}`;
    while (this.#usedNames.has(name));
    return name;
  }
}

const nodeName = (label) =>
  /^(0|gnd|com)$/i.test(label) ? '0' : label.replace(/[\s(),;=]+/g, '_');

const asciiMicro = (text) => text.replace(/[µμ]/g, 'u');

/** Converts a value: u for µ, no spaces around "=". LTspice writes an empty value as "". */
const plainValue = (text) =>
  asciiMicro(text ?? '')
    .replace(/\s*=\s*/g, '=')
    .trim()
    .replace(/^""$/, '');

/**
 * Returns the nodes of a special function. A terminal without a connection is on the common node,
 * the eighth terminal, which is ground if it has no connection either.
 */
function terminalNodes(part, pins, nodes, isConnected) {
  const connected = pins
    .map((p) => p && pinPosition(p, part))
    .map((p) => p && isConnected(p) && nodes.at(p));
  return connected.map((node) => node || connected[7] || '0');
}

/**
 * Returns the element line of a part, a comment if its symbol is unknown, or undefined for a part
 * that is no element.
 */
function elementLine(part, nodes, known, isConnected, warnings) {
  const attributes = part.attributes;
  const symbol = known.get(baseName(part.name));
  const instanceName = attributes.InstName ?? '';
  if (!symbol) {
    if (instanceName === '') return undefined;
    warnings.push(
      `${instanceName} is missing: the pins of the symbol ${part.name} are unknown. Open its file ${baseName(part.name)}.asy together with the schematic.`,
    );
    return `* ${instanceName} is missing: symbol ${part.name}, value ${attributes.Value ?? 'none'}`;
  }
  const hasLetter = instanceName[0]?.toUpperCase() === symbol.prefix;
  const name = hasLetter ? instanceName : `${symbol.prefix}_${instanceName || 'unnamed'}`;
  if (name !== instanceName)
    warnings.push(
      `${instanceName || 'A part without a name'} is called ${name}: the first letter is the type of an element.`,
    );
  const element = name.replace(/\s+/g, '_');
  if (symbol.prefix === 'A') {
    const terminals = terminalNodes(part, symbol.pins, nodes, isConnected).join(' ');
    return `${element} ${terminals} ${specialValues(symbol, attributes).join(' ')}`;
  }
  const pinNodes = symbol.pins.map((p) => nodes.at(pinPosition(p, part)));
  // The bulk of a MOSFET symbol with three pins is on its source.
  if (symbol.prefix === 'M' && pinNodes.length === 3) pinNodes.push(pinNodes[2]);
  const values = elementValues(symbol, attributes);
  if (values.length === 0) warnings.push(`${name} has no value.`);
  return `${element} ${pinNodes.join(' ')} ${values.join(' ')}`.trim();
}

/** Returns the function and the parameters of an A element. */
function specialValues(symbol, attributes) {
  const all = { ...symbol.attributes, ...attributes };
  return [symbol.value || all.SpiceModel, all.Value, all.Value2, all.SpiceLine, all.SpiceLine2]
    .map(plainValue)
    .filter(Boolean);
}

/** Returns the model or value of an element, and its parameters. */
function elementValues(symbol, { SpiceModel, Value, Value2, SpiceLine, SpiceLine2 }) {
  const model = modelName(SpiceModel);
  return [model || (Value ?? symbol.value), Value2, SpiceLine, SpiceLine2]
    .map(plainValue)
    .filter(Boolean);
}

/** Directives for the windows and the files of LTspice. */
const programDirective = /^\.(backanno|wave|save|probe|end)\b/i;

/** Returns the lines of the texts of a schematic, and omitted directives as comments. */
function directiveLines(texts, warnings) {
  const lines = [];
  const omit = (line, reason) => {
    warnings.push(`"${line}" is left out: ${reason}`);
    lines.push(`* ${line}`);
  };
  for (const t of texts) {
    const isDirective = t.startsWith('!');
    const written = t.slice(1).split('\\n');
    for (const line of written.map((l) => asciiMicro(l).trim()).filter(Boolean)) {
      if (!isDirective) lines.push(`* ${line}`);
      else if (/^\.(lib|inc|include)\b/i.test(line))
        omit(line, 'files of your machine are not read. Paste its models into the netlist.');
      else if (!programDirective.test(line)) lines.push(line);
      else if (!/^\.(backanno|end)\b/i.test(line)) omit(line, 'it sets what LTspice saves.');
    }
  }
  return lines;
}

/** Returns .model lines for the models of LTspice that elements use without a definition. */
function builtInModelLines(elements, directives) {
  const cards = [...elements, ...directives].join('\n');
  return Object.entries(builtInModels)
    .filter(([name]) => {
      const isUsed = elements.some((l) => !l.startsWith('*') && l.split(/\s+/).includes(name));
      return isUsed && !new RegExp(`^\\.model\\s+${name}\\b`, 'im').test(cards);
    })
    .map(([name, type]) => `.model ${name} ${type}`);
}

/**
 * Converts a schematic to a netlist.
 * @param {string} text of the .asc file
 * @param {string} title of the netlist
 * @param {{name: string, prefix: string, pins: number[][], value: string}[]} ownSymbols further
 *   symbols, from readSymbol
 * @returns {{netlist: string, warnings: string[]}} warnings about parts and directives that are
 *   missing or changed
 */
export function convertSchematic(text, title, ownSymbols = []) {
  const sheet = readStatements(text);
  const known = new Map([...symbols, ...ownSymbols.map((s) => [s.name, s])]);
  const nodes = new Nodes(sheet.wires);
  const pins = sheet.parts.flatMap((part) =>
    (known.get(baseName(part.name))?.pins ?? [])
      .filter(Boolean)
      .map((pin) => pinPosition(pin, part)),
  );
  const uses = new Map(); // number of pins, labels and wires by position
  for (const at of [...pins, ...sheet.flags.map((f) => f.at)])
    uses.set(at.join(), (uses.get(at.join()) ?? 0) + 1 + nodes.connect(at));
  const isConnected = (at) => uses.get(at.join()) > 1;
  const warnings = nodes.addLabels(sheet.flags);
  const elements = sheet.parts
    .map((part) => elementLine(part, nodes, known, isConnected, warnings))
    .filter((line) => line !== undefined);
  if (elements.length === 0) throw new Error('The schematic has no symbols of elements.');
  const directives = directiveLines(sheet.texts, warnings);
  const models = builtInModelLines(elements, directives);
  const lines = [`* ${title}`, ...elements, ...directives, ...models, '.end', ''];
  return { netlist: lines.join('\n'), warnings };
}
