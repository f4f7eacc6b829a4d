// The netlist of a board's circuit for the simulator. Resistors, capacitors and inductors with a
// value become elements; every other part becomes a comment with its nodes, since a footprint does
// not say which model a part has.
import { spiceNumber } from './spice_netlist.js';

/** A part's value as SPICE reads it: 4k7 is 4.7k, and M is mega, as on a board; "" where it is no number. */
export function spiceValue(text) {
  const word = (text ?? '')
    .trim()
    .split(/[\s/,;]/)[0]
    .replace(/[µμ]/g, 'u')
    .replace(/[ΩR]$/, '')
    .replace(/ohms?$/i, '');
  const middle = /^(\d+)([RrkKMGmunpf])(\d+)[FH]?$/.exec(word);
  const plain = /^(\d+\.?\d*|\.\d+)([kKMGmunpf]?)[FH]?$/.exec(word);
  if (!middle && !plain) return '';
  const [, whole, prefix, rest] = middle ?? [plain[0], plain[1], plain[2], undefined];
  const suffix = { M: 'meg', R: '', r: '', K: 'k' }[prefix] ?? prefix;
  const value = `${rest === undefined ? whole : `${whole}.${rest}`}${suffix}`;
  return Number.isFinite(spiceNumber(value)) ? value : '';
}

/** Text for a comment line: a line break would begin an element line. */
const oneLine = (text) => text.replace(/\s+/g, ' ').trim();

/**
 * The node of each net. Names that SPICE would read as one node get a number, since the nets are
 * not connected: it ignores case, and characters that it does not read become "_".
 */
function nodesOf(nets) {
  const taken = new Set(['0']);
  return nets.map(({ name }) => {
    if (/^(gnd|0|agnd|dgnd|vss)$/i.test(name)) return '0';
    const plain = name.replace(/[^\w+-]+/g, '_') || '_';
    let node = plain;
    for (let i = 2; taken.has(node.toLowerCase()); i++) node = `${plain}_${i}`;
    taken.add(node.toLowerCase());
    return node;
  });
}

/**
 * @param {{name?: string, components: {ref: string, footprint?: string, value?: string}[], nets: {name: string, pins: string[]}[]}} request of pcb_layout
 * @returns {string} a netlist without a source, unless the board has one, and with .op
 */
export function netlistOfBoard(request) {
  const nodeOf = new Map(); // node by pin
  const grounds = new Set();
  const nets = request.nets ?? [];
  const nodes = nodesOf(nets);
  for (const [i, n] of nets.entries()) {
    const node = nodes[i];
    if (node === '0') grounds.add(n.name);
    for (const p of n.pins ?? []) nodeOf.set(p.toUpperCase(), node);
  }
  const elements = [];
  const rest = [];
  for (const c of request.components ?? []) {
    const ref = c.ref.toUpperCase();
    const ends = [1, 2].map((pin) => nodeOf.get(`${ref}.${pin}`));
    const value = /^[RCL]\d/.test(ref) ? spiceValue(c.value) : '';
    if (value && ends.every(Boolean)) elements.push(`${ref} ${ends.join(' ')} ${value}`);
    else {
      const pins = [...nodeOf]
        .filter(([p]) => p.startsWith(`${ref}.`))
        .map(([p, node]) => `${p.slice(ref.length + 1)}=${node}`);
      rest.push(
        oneLine(
          `* ${ref} ${[c.value, c.footprint].filter(Boolean).join(', ')}: ${pins.join(' ') || 'not connected'}`,
        ),
      );
    }
  }
  return [
    oneLine(`* ${request.name || 'board'}`),
    ...(grounds.size > 1 ? [oneLine(`* ${[...grounds].join(', ')} are all node 0 here.`)] : []),
    ...elements,
    ...(rest.length
      ? ['* These parts have no model here. Write an element line for those that matter:', ...rest]
      : []),
    '* Add sources, such as V1 vcc 0 5, and an analysis.',
    '.op',
    '.end',
    '',
  ].join('\n');
}
