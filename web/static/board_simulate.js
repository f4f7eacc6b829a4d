// Converts the circuit of a board to a netlist for the simulator. Resistors, capacitors and
// inductors with a value become elements. Every other part becomes a comment with its nodes,
// because its footprint does not determine its model.
import { spiceNumber } from './spice_netlist.js';

const suffixes = { M: 'meg', R: '', r: '', K: 'k' }; // of SPICE, by prefix, where they differ

/**
 * Returns a part's value for SPICE: 4.7k for 4k7, and meg for M, which is mega on a board. Returns
 * "" if it is not a number.
 */
function spiceValue(text) {
  const word = (text ?? '')
    .trim()
    .split(/[\s/,;]/)[0]
    .replace(/[µμ]/g, 'u')
    .replace(/[ΩR]$/, '')
    .replace(/ohms?$/i, '');
  const infix = /^(\d+)([RrkKMGmunpf])(\d+)[FH]?$/.exec(word); // 4k7
  const plain = /^(\d+\.?\d*|\.\d+)([kKMGmunpf]?)[FH]?$/.exec(word); // 4.7k
  if (!infix && !plain) return '';
  const [, whole, prefix, fraction] = infix ?? plain;
  const number = fraction === undefined ? whole : `${whole}.${fraction}`;
  const value = number + (suffixes[prefix] ?? prefix);
  return Number.isFinite(spiceNumber(value)) ? value : '';
}

/** Joins the lines of a text for a comment line. The next line would be an element. */
const oneLine = (text) => text.replace(/\s+/g, ' ').trim();

/**
 * Returns the node of each net. SPICE ignores case, and characters that it does not read become
 * "_". A number distinguishes the names that would become one node.
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

const isModelled = (ref) => /^[RCL]\d/.test(ref);

/** Returns the comment on a part without a model, with its pins and nodes. */
function commentOf(part, ref, nodeOfPin) {
  const prefix = `${ref}.`;
  const pins = [...nodeOfPin]
    .filter(([pin]) => pin.startsWith(prefix))
    .map(([pin, node]) => `${pin.slice(prefix.length)}=${node}`);
  const description = [part.value, part.footprint].filter(Boolean).join(', ');
  return oneLine(`* ${ref} ${description}: ${pins.join(' ') || 'not connected'}`);
}

/**
 * Converts a request of pcb_layout to a netlist. It has no source, unless the board has one, and
 * the analysis .op.
 * @param {{name?: string, components: {ref: string, footprint?: string, value?: string}[], nets:
 *   {name: string, pins: string[]}[]}} request
 * @returns {string}
 */
export function netlistOfBoard(request) {
  const nets = request.nets ?? [];
  const nodes = nodesOf(nets);
  const grounds = new Set(nets.filter((n, i) => nodes[i] === '0').map((n) => n.name));
  const nodeOfPin = new Map();
  nets.forEach((n, i) => {
    for (const pin of n.pins ?? []) nodeOfPin.set(pin.toUpperCase(), nodes[i]);
  });
  const elements = [];
  const comments = [];
  for (const part of request.components ?? []) {
    const ref = part.ref.toUpperCase();
    const ends = [1, 2].map((pin) => nodeOfPin.get(`${ref}.${pin}`));
    const value = isModelled(ref) ? spiceValue(part.value) : '';
    if (value && ends.every(Boolean)) elements.push(`${ref} ${ends.join(' ')} ${value}`);
    else comments.push(commentOf(part, ref, nodeOfPin));
  }
  return [
    oneLine(`* ${request.name || 'board'}`),
    ...(grounds.size > 1 ? [oneLine(`* ${[...grounds].join(', ')} are all node 0 here.`)] : []),
    ...elements,
    ...(comments.length
      ? [
          '* These parts have no model here. Write an element line for those that matter:',
          ...comments,
        ]
      : []),
    '* Add sources, such as V1 vcc 0 5, and an analysis.',
    '.op',
    '.end',
    '',
  ].join('\n');
}
