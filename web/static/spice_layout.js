// Places the elements of a netlist for a schematic. Every node has a column, a vertical wire.
// Elements between two nodes lie in rows between the columns; elements to ground hang below the
// column and elements to a positive supply stand above it. Transistors and subcircuits have columns
// of their own. Wires of different nodes cross only at right angles, so no router is needed.

/** Lengths in pixels: between columns, rows and elements side by side. */
const [gap, pitch, side] = [92, 58, 76];
const bandHeight = 84; // of an element above or below the rows

export const largestSchematic = 40; // elements
export const mostTerminals = 200; // of all elements; subcircuits have any number of terminals

const isActive = (e) => 'qmjx'.includes(e.letter);

/** The nodes between which an element is drawn; those that only control it are left out. */
const drawnNodes = (e) =>
  isActive(e) ? e.nodes.slice(0, e.letter === 'x' ? undefined : 3) : e.nodes.slice(0, 2);

/** The supplies: nodes that a constant source holds and that serve several elements. Maps to "+" or "-". */
function suppliesOf(elements) {
  const found = new Map();
  for (const e of elements) {
    if (e.letter !== 'v' || !e.nodes.includes('0') || e.nodes[0] === e.nodes[1]) continue;
    const constant =
      e.rest.length === 1
        ? e.rest[0]
        : e.rest.length === 2 && /^dc$/i.test(e.rest[0])
          ? e.rest[1]
          : '';
    if (!/^[+-]?[\d.]/.test(constant)) continue;
    const node = e.nodes.find((n) => n !== '0');
    const users = elements.filter((x) => x !== e && drawnNodes(x).includes(node));
    if (users.length > 1 || users.some(isActive))
      found.set(node, (e.nodes[0] === node) === !constant.startsWith('-') ? '+' : '-');
  }
  return found;
}

/** The distance of each node from the sources, in elements. */
function distances(nodes, elements, supplies) {
  const steps = new Map();
  const spread = (start) => {
    const queue = start.filter((n) => !steps.has(n));
    for (const n of queue) steps.set(n, 0);
    for (let i = 0; i < queue.length; i++) {
      for (const e of elements) {
        const own = drawnNodes(e).filter((n) => n !== '0' && !supplies.has(n));
        if (!own.includes(queue[i])) continue;
        for (const n of own) {
          if (steps.has(n)) continue;
          steps.set(n, steps.get(queue[i]) + 1);
          queue.push(n);
        }
      }
    }
  };
  spread(
    elements
      .filter((e) => 'vi'.includes(e.letter) && e.nodes.includes('0'))
      .flatMap((e) => e.nodes)
      .filter((n) => n !== '0' && !supplies.has(n))
      .slice(0, 1),
  );
  for (const n of nodes) if (!supplies.has(n)) spread([n]);
  return steps;
}

/** Intervals of a row that are taken; a new one may touch another of the same node. */
class Rows {
  rows = [];

  /** The first row from which the intervals, one per row, are free: [[from, to], ...]. */
  place(intervals) {
    const isFree = (row, [a, b]) => (this.rows[row] ?? []).every(([c, d]) => b <= c || d <= a);
    let first = 0;
    while (!intervals.every((v, i) => v === undefined || isFree(first + i, v))) first++;
    intervals.forEach((v, i) => {
      if (v) (this.rows[first + i] ??= []).push(v);
    });
    return first;
  }
}

/**
 * The places of a schematic: { width, height, parts, pins, wires, dots, flags, names, left }.
 * parts: {element, x, y, turn (degrees), length}; wires: {node, points}; flags: ground or supply
 * symbols {x, y, node, up}; names of nodes {x, y, node}; left: elements that are not drawn.
 * @param {(model: string) => boolean} isP whether a transistor model is of the P type
 */
export function layoutSchematic(elements, isP) {
  const left = elements.filter((e) => drawnNodes(e).length < 2 || new Set(drawnNodes(e)).size < 2);
  const drawn = elements.filter((e) => !left.includes(e));
  const nodes = [...new Set(drawn.flatMap(drawnNodes))].filter((n) => n !== '0');
  const supplies = suppliesOf(drawn);
  const steps = distances(nodes, drawn, supplies);
  const fixed = (n) => n === '0' || supplies.has(n);
  const out = { parts: [], wires: [], dots: [], flags: [], names: [], left };

  // Elements by their kind of place.
  const [above, below, between, active] = [new Map(), new Map(), [], []];
  const hang = (map, node, element) => map.set(node, [...(map.get(node) ?? []), element]);
  for (const e of drawn) {
    const [a, b] = e.nodes;
    if (isActive(e)) active.push(e);
    else if (!fixed(a) && !fixed(b)) between.push(e);
    else {
      const own = [a, b].find((n) => !fixed(n)) ?? [a, b].find((n) => n !== '0');
      const other = own === a ? b : a;
      hang(!supplies.has(own) && supplies.get(other) === '+' ? above : below, own, e);
    }
  }

  // Columns: the supplies first, then nodes by their distance; a device follows the node that controls it.
  const control = (e) =>
    drawnNodes(e)
      .slice(e.letter === 'x' ? 0 : 1)
      .concat(drawnNodes(e))
      .find((n) => !fixed(n));
  const columns = [
    ...supplies.keys(),
    ...nodes.filter((n) => !supplies.has(n)).sort((a, b) => steps.get(a) - steps.get(b)),
  ].map((node) => ({ node }));
  for (const e of active) {
    const at = columns.findLastIndex(
      (c) => c.node === control(e) || (c.device && control(c.device) === control(e)),
    );
    columns.splice(at + 1, 0, { device: e });
  }
  const xOf = new Map();
  let x = 40;
  for (const c of columns) {
    xOf.set(c.node ?? c.device, x);
    const hanging = c.node
      ? Math.max(above.get(c.node)?.length ?? 0, below.get(c.node)?.length ?? 0, 1)
      : 1;
    x += gap + (hanging - 1) * side;
  }
  out.width = x + 10;
  const columnX = columns.map((c) => xOf.get(c.node ?? c.device));

  // Rows: short spans first, so that neighbours form a line.
  const rows = new Rows();
  const placed = [];
  for (const e of active) {
    const own = drawnNodes(e);
    const mid = xOf.get(e);
    const order = e.letter === 'x' ? own : isP(e.rest[0] ?? '') ? [own[2], own[1], own[0]] : own;
    const intervals = order.map((n) => {
      const to = fixed(n) ? mid : xOf.get(n);
      return [Math.min(mid - 40, to), Math.max(mid + 40, to)];
    });
    placed.push({ e, order, row: rows.place(intervals) });
  }
  const span = (e) =>
    e.nodes
      .slice(0, 2)
      .map((n) => xOf.get(n))
      .sort((a, b) => a - b);
  const lines = between
    .map((e) => ({ e, span: span(e) }))
    .sort((a, b) => a.span[1] - a.span[0] - (b.span[1] - b.span[0]));
  for (const l of lines) l.row = rows.place([l.span]);

  const top = 30 + (above.size > 0 ? bandHeight : 0);
  const yOf = (row) => top + 34 + row * pitch;
  const bottom = yOf(Math.max(rows.rows.length - 1, 0)) + (rows.rows.length ? 26 : 0);
  out.height = bottom + bandHeight + 40;

  // What ends at each column: heights of its vertical wire.
  const ends = new Map(nodes.map((n) => [n, []]));
  for (const {
    e,
    span: [from, to],
    row,
  } of lines) {
    const y = yOf(row);
    const next = columnX.find((c) => c > from);
    const mid = (from + next) / 2;
    const isForward = xOf.get(e.nodes[0]) === from;
    out.parts.push({ element: e, x: mid, y, turn: isForward ? 0 : 180 });
    const [start, end] = isForward ? e.nodes : [e.nodes[1], e.nodes[0]];
    out.wires.push(
      { node: start, points: [from, y, mid - 22, y] },
      { node: end, points: [mid + 22, y, to, y] },
    );
    ends.get(start).push(y);
    ends.get(end).push(y);
  }
  for (const { e, order, row } of placed) {
    const mid = xOf.get(e);
    const isBox = e.letter === 'x';
    const p = isP(e.rest[0] ?? '');
    out.parts.push({
      element: e,
      x: mid,
      y: yOf(row),
      isP: p,
      rows: order.length,
      pitch,
      pins: [],
    });
    order.forEach((n, i) => {
      const y = yOf(row + i);
      const isLeft = isBox ? !fixed(n) && xOf.get(n) < mid : i === 1;
      const pin = isBox ? mid + (isLeft ? -28 : 28) : i === 1 ? mid - 24 : mid;
      out.parts.at(-1).pins.push({ x: pin, y, node: n });
      if (fixed(n)) {
        const stub = isBox ? pin + (isLeft ? -12 : 12) : pin;
        if (isBox) out.wires.push({ node: n, points: [pin, y, stub, y] });
        if (!isBox && i === 1) {
          out.wires.push({ node: n, points: [pin, y, pin - 12, y] });
          out.flags.push({ x: pin - 12, y, node: n, up: supplies.get(n) === '+' });
        } else out.flags.push({ x: stub, y, node: n, up: supplies.get(n) === '+' });
        return;
      }
      out.wires.push({ node: n, points: [pin, y, xOf.get(n), y] });
      ends.get(n).push(y);
    });
  }
  for (const node of nodes) {
    const cx = xOf.get(node);
    const heights = ends.get(node);
    const stack = (list, isAbove) => {
      if (!list) return;
      const y = isAbove ? top : bottom;
      heights.push(y);
      list.forEach((e, i) => {
        const px = cx + i * side;
        const far = isAbove ? y - bandHeight : y + bandHeight;
        const isFirst = e.nodes[0] === node; // the near end
        out.parts.push({
          element: e,
          x: px,
          y: (y + far) / 2,
          turn: (isAbove ? -90 : 90) + (isFirst ? 0 : 180),
        });
        out.wires.push({ node, points: [px, y, px, (y + far) / 2 + (isAbove ? 22 : -22)] });
        const other = isFirst ? e.nodes[1] : e.nodes[0];
        out.wires.push({
          node: other,
          points: [px, (y + far) / 2 + (isAbove ? -22 : 22), px, far],
        });
        out.flags.push({ x: px, y: far, node: other, up: supplies.get(other) === '+' });
      });
      if (list.length > 1) {
        out.wires.push({ node, points: [cx, y, cx + (list.length - 1) * side, y] });
        list.slice(0, -1).forEach((_, i) => {
          if (i > 0) out.dots.push({ x: cx + i * side, y });
        });
        out.dots.push({ x: cx, y });
      }
    };
    stack(above.get(node), true);
    stack(below.get(node), false);
    if (heights.length === 0) continue;
    const [low, high] = [Math.min(...heights), Math.max(...heights)];
    if (high > low) out.wires.push({ node, points: [cx, low, cx, high] });
    const inner = (y) => y > low && y < high;
    for (const y of new Set(heights)) {
      const arms = heights.filter((h) => h === y).length;
      if ((arms > 1 && high > low) || inner(y)) out.dots.push({ x: cx, y });
    }
    if (supplies.has(node)) out.flags.push({ x: cx, y: low, node, up: true });
    else out.names.push({ x: cx, y: low, node });
  }
  return out;
}
