// Places the elements of a netlist for a schematic. Each node has a column, a vertical wire.
// Elements between two nodes are in rows between the columns. Elements to ground are below the
// column, and elements to a positive supply above it. Transistors and subcircuits have their own
// columns. Wires of different nodes cross at right angles only, so the layout needs no router.

/** Distances in pixels: between columns, between rows, and between elements at the same column. */
const [columnPitch, rowPitch, sidePitch] = [92, 58, 76];
const bandHeight = 84; // of an element above or below the rows
const bodyHalf = 22; // half the length of a body with its leads

/** The largest circuit that is drawn. A subcircuit has any number of terminals. */
export const maxElements = 40;
export const maxTerminals = 200; // of all elements

const isActive = (e) => 'qmjx'.includes(e.letter);
const isSubcircuit = (e) => e.letter === 'x';

/** Returns the nodes that a drawn element connects to; its other nodes only control it. */
function drawnNodes(e) {
  if (isSubcircuit(e)) return e.nodes;
  return e.nodes.slice(0, isActive(e) ? 3 : 2);
}

/** Returns the value of a source with a constant value, or "". */
function constantOf(e) {
  if (e.rest.length === 1) return e.rest[0];
  return e.rest.length === 2 && /^dc$/i.test(e.rest[0]) ? e.rest[1] : '';
}

/**
 * Returns the supplies as a map from node to "+" or "-". A supply is a node with a constant voltage
 * to ground and several elements.
 */
function findSupplies(elements) {
  const found = new Map();
  for (const e of elements) {
    if (e.letter !== 'v' || !e.nodes.includes('0') || e.nodes[0] === e.nodes[1]) continue;
    const constant = constantOf(e);
    if (!/^[+-]?[\d.]/.test(constant)) continue;
    const node = e.nodes.find((n) => n !== '0');
    const users = elements.filter((x) => x !== e && drawnNodes(x).includes(node));
    if (users.length > 1 || users.some(isActive)) {
      const isPositive = (e.nodes[0] === node) === !constant.startsWith('-');
      found.set(node, isPositive ? '+' : '-');
    }
  }
  return found;
}

/** Returns the distance of each node from the first source, in elements. */
function distancesFromSource(nodes, elements, supplies) {
  const distances = new Map();
  const isSignal = (n) => n !== '0' && !supplies.has(n);
  const spread = (start) => {
    const queue = start.filter((n) => !distances.has(n));
    for (const n of queue) distances.set(n, 0);
    for (let i = 0; i < queue.length; i++) {
      for (const e of elements) {
        const neighbours = drawnNodes(e).filter(isSignal);
        if (!neighbours.includes(queue[i])) continue;
        for (const n of neighbours) {
          if (distances.has(n)) continue;
          distances.set(n, distances.get(queue[i]) + 1);
          queue.push(n);
        }
      }
    }
  };
  const sources = elements.filter((e) => 'vi'.includes(e.letter) && e.nodes.includes('0'));
  spread(
    sources
      .flatMap((e) => e.nodes)
      .filter(isSignal)
      .slice(0, 1),
  );
  for (const n of nodes) if (!supplies.has(n)) spread([n]); // parts without a connection to it
  return distances;
}

/** The occupied intervals of each row. Adjacent intervals may touch, because they share a node. */
class Rows {
  rows = [];

  /** Occupies intervals in consecutive rows and returns the first of these rows. */
  place(intervals) {
    const isFree = (row, [a, b]) => (this.rows[row] ?? []).every(([c, d]) => b <= c || d <= a);
    let first = 0;
    while (!intervals.every((v, i) => isFree(first + i, v))) first++;
    intervals.forEach((v, i) => (this.rows[first + i] ??= []).push(v));
    return first;
  }
}

/**
 * @typedef {object} SchematicLayout
 * @property {number} width
 * @property {number} height
 * @property {object[]} parts {element, x, y, turn} with turn in degrees, or for active elements
 *   {element, x, y, isP, rows, pitch, pins: [{x, y, node}]}
 * @property {{node: string, points: number[]}[]} wires
 * @property {{x: number, y: number}[]} dots connections of wires
 * @property {{x: number, y: number, node: string, up: boolean}[]} flags ground and supply symbols
 * @property {{x: number, y: number, node: string}[]} names of nodes
 * @property {object[]} undrawn elements that the schematic does not contain
 */

/**
 * Returns the layout of a schematic in pixels.
 * @param {import('./spice_netlist.js').NetlistElement[]} elements
 * @param {(model: string) => boolean} isP reports whether a transistor model is of the P type
 * @returns {SchematicLayout}
 */
export function layoutSchematic(elements, isP) {
  const undrawn = elements.filter(
    (e) => drawnNodes(e).length < 2 || new Set(drawnNodes(e)).size < 2,
  );
  const drawn = elements.filter((e) => !undrawn.includes(e));
  const nodes = [...new Set(drawn.flatMap(drawnNodes))].filter((n) => n !== '0');
  const supplies = findSupplies(drawn);
  const circuit = { drawn, nodes, supplies, isFixed: (n) => n === '0' || supplies.has(n), isP };
  const groups = groupElements(circuit);
  const columns = placeColumns(circuit, groups);
  const { devices, lines, rowCount } = placeRows(circuit, groups, columns);

  const top = 30 + (groups.above.size > 0 ? bandHeight : 0);
  const yOf = (row) => top + 34 + row * rowPitch;
  const bottom = yOf(Math.max(rowCount - 1, 0)) + (rowCount ? 26 : 0);
  const drawing = new Drawing(circuit, columns, yOf);
  for (const line of lines) drawing.addLine(line);
  for (const device of devices) drawing.addDevice(device);
  for (const node of nodes) {
    drawing.addStack(node, groups.above.get(node), top, true);
    drawing.addStack(node, groups.below.get(node), bottom, false);
    drawing.addColumn(node);
  }
  return { width: columns.width, height: bottom + bandHeight + 40, ...drawing.out, undrawn };
}

/**
 * Groups the elements by their position: active devices, elements between two columns, and lists of
 * elements above and below each column.
 */
function groupElements({ drawn, supplies, isFixed }) {
  const [above, below, between, active] = [new Map(), new Map(), [], []];
  for (const e of drawn) {
    const [a, b] = e.nodes;
    if (isActive(e)) active.push(e);
    else if (!isFixed(a) && !isFixed(b)) between.push(e);
    else {
      const own = [a, b].find((n) => !isFixed(n)) ?? [a, b].find((n) => n !== '0');
      const other = own === a ? b : a;
      const isAbove = !supplies.has(own) && supplies.get(other) === '+';
      const list = isAbove ? above : below;
      list.set(own, [...(list.get(own) ?? []), e]);
    }
  }
  return { above, below, between, active };
}

/**
 * Places the columns: the supplies first, then the nodes by their distance from the source. A
 * device follows the node that controls it, or the last device without such a node.
 * @returns {{xOf: (nodeOrDevice: string|object) => number, all: number[], width: number}}
 */
function placeColumns({ drawn, nodes, supplies, isFixed }, { above, below, active }) {
  const controlOf = (e) =>
    drawnNodes(e)
      .slice(isSubcircuit(e) ? 0 : 1)
      .concat(drawnNodes(e))
      .find((n) => !isFixed(n));
  const distances = distancesFromSource(nodes, drawn, supplies);
  const signals = nodes
    .filter((n) => !supplies.has(n))
    .sort((a, b) => distances.get(a) - distances.get(b));
  const order = [...supplies.keys(), ...signals]; // nodes and devices
  for (const device of active) {
    const control = controlOf(device);
    const isDevice = (c) => typeof c === 'object';
    const last = order.findLastIndex(
      (c) => c === control || (isDevice(c) && [undefined, controlOf(c)].includes(control)),
    );
    order.splice(last + 1, 0, device);
  }
  const positions = new Map();
  let x = 40;
  for (const c of order) {
    positions.set(c, x);
    const stacked = Math.max(above.get(c)?.length ?? 0, below.get(c)?.length ?? 0, 1);
    x += columnPitch + (stacked - 1) * sidePitch;
  }
  return { xOf: (c) => positions.get(c), all: [...positions.values()], width: x + 10 };
}

/** Places devices and elements in rows, short elements first, so that neighbours form a line. */
function placeRows({ isFixed, isP }, { active, between }, { xOf }) {
  const rows = new Rows();
  const devices = active.map((element) => {
    const own = drawnNodes(element);
    const mid = xOf(element);
    const isReversed = !isSubcircuit(element) && isP(element.rest[0] ?? '');
    const order = isReversed ? [own[2], own[1], own[0]] : own;
    const intervals = order.map((n) => {
      const end = isFixed(n) ? mid : xOf(n);
      return [Math.min(mid - 40, end), Math.max(mid + 40, end)];
    });
    return { element, order, row: rows.place(intervals) };
  });
  const lines = between
    .map((element) => {
      const ends = element.nodes.slice(0, 2).map(xOf);
      return { element, span: ends.sort((a, b) => a - b) };
    })
    .sort((a, b) => a.span[1] - a.span[0] - (b.span[1] - b.span[0]))
    .map((line) => ({ ...line, row: rows.place([line.span]) }));
  return { devices, lines, rowCount: rows.rows.length };
}

/** Collects the parts and wires of a schematic. */
class Drawing {
  out = { parts: [], wires: [], dots: [], flags: [], names: [] };
  #circuit;
  #columns;
  #yOf;
  #heights; // of the connections to the column of each node

  constructor(circuit, columns, yOf) {
    this.#circuit = circuit;
    this.#columns = columns;
    this.#yOf = yOf;
    this.#heights = new Map(circuit.nodes.map((n) => [n, []]));
  }

  #addWire(node, ...points) {
    this.out.wires.push({ node, points });
  }

  #addFlag(x, y, node) {
    this.out.flags.push({ x, y, node, up: this.#circuit.supplies.get(node) === '+' });
  }

  /** Adds an element between two columns. */
  addLine({ element, span: [from, to], row }) {
    const y = this.#yOf(row);
    const next = this.#columns.all.find((x) => x > from);
    const mid = (from + next) / 2;
    const isForward = this.#columns.xOf(element.nodes[0]) === from;
    const [start, end] = isForward ? element.nodes : [element.nodes[1], element.nodes[0]];
    this.out.parts.push({ element, x: mid, y, turn: isForward ? 0 : 180 });
    this.#addWire(start, from, y, mid - bodyHalf, y);
    this.#addWire(end, mid + bodyHalf, y, to, y);
    this.#heights.get(start).push(y);
    this.#heights.get(end).push(y);
  }

  /** Adds a transistor or a subcircuit, with one row per pin. */
  addDevice({ element, order, row }) {
    const { isP, isFixed } = this.#circuit;
    const mid = this.#columns.xOf(element);
    const pins = order.map((node, i) => {
      const y = this.#yOf(row + i);
      if (!isSubcircuit(element)) return { x: i === 1 ? mid - 24 : mid, y, node };
      const isLeft = !isFixed(node) && this.#columns.xOf(node) < mid;
      return { x: mid + (isLeft ? -28 : 28), y, node };
    });
    this.out.parts.push({
      element,
      x: mid,
      y: this.#yOf(row),
      isP: isP(element.rest[0] ?? ''),
      rows: order.length,
      pitch: rowPitch,
      pins,
    });
    for (const [i, pin] of pins.entries()) {
      if (isFixed(pin.node)) this.#addPinFlag(pin, element, i);
      else {
        this.#addWire(pin.node, pin.x, pin.y, this.#columns.xOf(pin.node), pin.y);
        this.#heights.get(pin.node).push(pin.y);
      }
    }
  }

  /** Adds the ground or supply symbol of a pin, beside a box and at the base or gate. */
  #addPinFlag({ x, y, node }, element, index) {
    let end = x;
    if (isSubcircuit(element)) end = x + 12;
    else if (index === 1) end = x - 12;
    if (end !== x) this.#addWire(node, x, y, end, y);
    this.#addFlag(end, y, node);
  }

  /** Adds the elements above or below the column of a node, from y. */
  addStack(node, elements, y, isAbove) {
    if (!elements) return;
    const columnX = this.#columns.xOf(node);
    this.#heights.get(node).push(y);
    const direction = isAbove ? -1 : 1;
    const farY = y + direction * bandHeight;
    const midY = (y + farY) / 2;
    elements.forEach((element, i) => {
      const x = columnX + i * sidePitch;
      const isFirst = element.nodes[0] === node;
      const other = isFirst ? element.nodes[1] : element.nodes[0];
      const turn = (isAbove ? -90 : 90) + (isFirst ? 0 : 180);
      this.out.parts.push({ element, x, y: midY, turn });
      this.#addWire(node, x, y, x, midY - direction * bodyHalf);
      this.#addWire(other, x, midY + direction * bodyHalf, x, farY);
      this.#addFlag(x, farY, other);
    });
    if (elements.length < 2) return;
    this.#addWire(node, columnX, y, columnX + (elements.length - 1) * sidePitch, y);
    for (let i = 1; i < elements.length - 1; i++)
      this.out.dots.push({ x: columnX + i * sidePitch, y });
    this.out.dots.push({ x: columnX, y });
  }

  /** Adds the vertical wire of a node, its connections, and its name or supply symbol. */
  addColumn(node) {
    const x = this.#columns.xOf(node);
    const heights = this.#heights.get(node);
    if (heights.length === 0) return;
    const [low, high] = [Math.min(...heights), Math.max(...heights)];
    if (high > low) this.#addWire(node, x, low, x, high);
    for (const y of new Set(heights)) {
      const isShared = heights.filter((h) => h === y).length > 1 && high > low;
      const isInner = y > low && y < high;
      if (isShared || isInner) this.out.dots.push({ x, y });
    }
    if (this.#circuit.supplies.has(node)) this.out.flags.push({ x, y: low, node, up: true });
    else this.out.names.push({ x, y: low, node });
  }
}
