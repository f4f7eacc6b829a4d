// The content of a netlist that the page needs: elements with their nodes, cards, and the errors
// that need no simulation. The server's parser is authoritative.

/** The number of nodes of an element by its letter. */
const nodeCounts = {
  r: 2,
  l: 2,
  c: 2,
  v: 2,
  i: 2,
  d: 2,
  e: 4,
  g: 4,
  h: 2,
  f: 2,
  s: 4,
  b: 2,
  m: 4,
  j: 3,
  q: 3,
};
const kiCadText =
  'This is a KiCad netlist for a board: open it on the Board page, or export SPICE from the schematic.';
const analysisNames = ['op', 'dc', 'ac', 'tran', 'noise', 'tf', 'sens', 'pz', 'sp'];

/** Joins continuation lines and returns the cards: [{line, text}]. Lines count from 1. */
function splitCards(text) {
  const cards = [];
  text.split(/\r?\n/).forEach((raw, i) => {
    const line = raw.replace(/(;| \$ ).*$/, '').trim();
    if (i === 0 || line === '' || line.startsWith('*')) return;
    if (line.startsWith('+')) {
      if (cards.length) cards.at(-1).text += ` ${line.slice(1)}`;
    } else cards.push({ line: i + 1, text: line });
  });
  return cards;
}

const splitWords = (text) =>
  text
    .replace(/\{[^}]*\}|'[^']*'/g, (m) => m.replaceAll(/\s/g, ''))
    .split(/[\s,()]+/)
    .filter(Boolean);
const nodeName = (n) => (n.toLowerCase() === 'gnd' ? '0' : n.toLowerCase());

/** The functions of A elements of LTspice. They follow eight nodes. */
const specialFunctions =
  /^(buf|inv|and|or|xor|(diff)?schm(itt|tbuf|tinv)|srflop|dflop|counter|phasedet|phidet|samplehold|modulat(e|or)|varistor|ota)$/i;

/**
 * Returns the terminals, from 1 to 8, of an A element that are not on its common node. The common
 * terminal 8 is among them unless it is ground. Returns undefined for other elements.
 */
function terminalsOf(words) {
  if (!/^a/i.test(words[0]) || !specialFunctions.test(words[9] ?? '')) return undefined;
  const nodes = words.slice(1, 9).map(nodeName);
  return [1, 2, 3, 4, 5, 6, 7, 8].filter((k) =>
    k === 8 ? nodes[7] !== '0' : nodes[k - 1] !== nodes[7],
  );
}

/** Returns the nodes of an element card. The name of a model ends the nodes of a transistor. */
function nodesOf(words, models) {
  const letter = words[0][0].toLowerCase();
  const rest = words.slice(1).filter((w) => !w.includes('='));
  if (letter === 'x') {
    const end = rest.findIndex((w) => /^params:$/i.test(w));
    return rest.slice(0, (end < 0 ? rest.length : end) - 1);
  }
  if (letter === 'q') {
    const isModel = (w) => models.has(w.toLowerCase());
    const hasSubstrate = rest.length > 4 && !isModel(rest[3]) && isModel(rest[4]);
    return rest.slice(0, hasSubstrate ? 4 : 3);
  }
  return rest.slice(0, nodeCounts[letter] ?? 0);
}

/** Parses an element card. line is its line number. */
function parseElement(words, models, line) {
  const name = words[0].toLowerCase();
  const terminals = terminalsOf(words);
  const nodes = (terminals ? terminals.map((k) => words[k]) : nodesOf(words, models)).map(nodeName);
  const rest = terminals ? [words[9]] : words.slice(1 + nodes.length);
  return {
    name,
    letter: terminals ? 'x' : name[0], // the schematic draws a special function as a box
    nodes,
    terminals,
    value: rest[0] ?? '',
    hasOneValue: rest.length === 1,
    rest,
    line,
  };
}

/** Returns the names of a library and of the .model and .subckt cards. */
function modelNames(cards, library) {
  const models = new Set(library);
  for (const c of cards) {
    const m = /^\.(model|subckt)\s+(\S+)/i.exec(c.text);
    if (m) models.add(m[2].toLowerCase());
  }
  return models;
}

/**
 * @typedef {object} NetlistElement
 * @property {string} name in lower case
 * @property {string} letter of the kind of element
 * @property {string[]} nodes
 * @property {number[]} [terminals] of a special function, from 1 to 8
 * @property {string} value the first word after the nodes
 * @property {boolean} hasOneValue whether no other word follows the value
 * @property {string[]} rest the words after the nodes
 * @property {number} line
 *
 * @typedef {object} Diagnostic
 * @property {number} line
 * @property {'error'|'warning'|'info'} severity
 * @property {string} text
 *
 * @typedef {object} Netlist
 * @property {NetlistElement[]} elements
 * @property {Set<string>} nodes
 * @property {string[]} analyses
 * @property {string[]} sweeps sources of .dc
 * @property {Set<string>} models
 * @property {Diagnostic[]} diagnostics
 */

/**
 * Parses a netlist.
 * @param {string} text
 * @param {Set<string>} [library] names of parts in lower case
 * @returns {Netlist}
 */
export function readNetlist(text, library = new Set()) {
  const isKiCad = /^\s*\(export\b/.test(text);
  const cards = isKiCad ? [] : splitCards(text);
  const models = modelNames(cards, library);
  const out = { elements: [], nodes: new Set(), analyses: [], sweeps: [], models, diagnostics: [] };
  const report = (line, severity, message) =>
    out.diagnostics.push({ line, severity, text: message });
  const uses = new Map(); // {line of the first use, count} by node except ground
  const definedIn = new Map(); // line by name of an element
  const isUpperCase = !cards.some((c) => /[a-z]/.test(c.text));
  let depth = 0; // of nested subcircuits
  let hasEnd = false;
  for (const { line, text: card } of cards) {
    const words = splitWords(card);
    if (words.length === 0) continue;
    const head = words[0].toLowerCase();
    if (head === '.end') {
      hasEnd = true;
      break;
    }
    if (head === '.subckt') depth++;
    else if (head === '.ends') depth = Math.max(0, depth - 1);
    else if (head.startsWith('.')) readCard(head, words, out, uses, line);
    if (head.startsWith('.')) continue;
    if (!isUpperCase) checkSuffixes(words, line, report);
    if (depth > 0) continue;
    if (definedIn.has(head))
      report(
        line,
        'error',
        `${words[0]} is already defined on line ${definedIn.get(head)}. Give it another name.`,
      );
    else definedIn.set(head, line);
    const element = parseElement(words, models, line);
    out.elements.push(element);
    for (const n of element.nodes) if (n !== '0') countUse(uses, n, line, 1);
  }
  out.nodes = new Set(uses.keys());
  if (isKiCad) report(1, 'error', kiCadText);
  else checkCompleteness(out, uses, hasEnd, text, report);
  out.diagnostics.sort((a, b) => a.line - b.line);
  return out;
}

/** Counts connections of a node at a line. uses is {line, count} by node. */
function countUse(uses, node, line, count) {
  const use = uses.get(node) ?? { line, count: 0 };
  use.count += count;
  uses.set(node, use);
}

/** Reads a card of an analysis or of global nodes. */
function readCard(head, words, out, uses, line) {
  const analysis = head.slice(1);
  // Subcircuits connect global nodes too, so one use is no error.
  if (head === '.global') for (const n of words.slice(1)) countUse(uses, nodeName(n), line, 2);
  if (analysisNames.includes(analysis) && !out.analyses.includes(analysis))
    out.analyses.push(analysis);
  if (head === '.dc' && out.sweeps.length === 0)
    out.sweeps = [words[1], words[5]].filter(Boolean).map((n) => n.toLowerCase());
}

/** Reports a netlist without ground, without an analysis or .end, and nodes with one connection. */
function checkCompleteness({ elements, analyses }, uses, hasEnd, text, report) {
  const lastLine = text.split(/\r?\n/).length;
  if (elements.length && !elements.some((e) => e.nodes.includes('0')))
    report(elements[0].line, 'error', 'No element is connected to ground. Name one node 0.');
  for (const [node, { line, count }] of uses)
    if (count === 1) report(line, 'warning', `Node ${node} has only one connection.`);
  if (elements.length && analyses.length === 0)
    report(
      lastLine,
      'error',
      'No analysis. Add a line such as .op, .tran 1u 1m or .ac dec 20 10 1meg.',
    );
  if (!hasEnd) report(lastLine, 'error', 'The netlist must end with .end on a line of its own.');
}

/**
 * Reports a resistance with a capital M, which is milli in SPICE, and a capacitance with F, which
 * is femto. The caller omits netlists in capitals, which give no hint of the intention.
 */
function checkSuffixes(words, line, report) {
  const letter = words[0][0].toLowerCase();
  for (const w of words.slice(3)) {
    const milli = /^(\d+\.?\d*|\.\d+)M(?!eg|EG|il|IL)/.exec(w);
    if (milli && letter === 'r')
      report(line, 'info', `${w} is ${milli[1]} milli in SPICE. Write ${milli[1]}meg for mega.`);
    if (letter === 'c' && /^(\d+\.?\d*|\.\d+)F$/.test(w))
      report(line, 'info', `${w} is femtofarad in SPICE. Leave the F out for farad.`);
  }
}

const suffixes = [
  ['meg', 1e6],
  ['mil', 25.4e-6],
  ['t', 1e12],
  ['g', 1e9],
  ['k', 1e3],
  ['m', 1e-3],
  ['u', 1e-6],
  ['µ', 1e-6],
  ['n', 1e-9],
  ['p', 1e-12],
  ['f', 1e-15],
  ['a', 1e-18],
];

/** Returns the unit of a source or a trace by its first letter: V of v1 and v(out), A of i(r1). */
export const sourceUnit = (name) => ({ v: 'V', i: 'A' })[name?.[0]] ?? '';

/** Formats a number with up to six digits and the suffix of SPICE: 4.7k, 10meg. */
export function spiceText(v) {
  const size = Number(Math.abs(v).toPrecision(6));
  const [suffix, factor] = suffixes.find(
    ([s, f]) => s !== 'mil' && s !== 'µ' && size >= f && size < 1000 * f,
  ) ?? ['', 1];
  if (size >= 1 && size < 1000) return String(Number(v.toPrecision(6)));
  return Number((v / factor).toPrecision(6)) + suffix;
}

/** Parses a number of SPICE (4.7k, 10meg, 100nF); returns NaN for other text. */
export function spiceNumber(text) {
  const m = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)([a-zµ]*)$/i.exec(text.trim());
  if (!m) return NaN;
  const found = suffixes.find(([s]) => m[2].toLowerCase().startsWith(s));
  return Number(m[1]) * (found ? found[1] : 1);
}
