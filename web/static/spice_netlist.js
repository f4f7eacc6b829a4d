// The content of a netlist as far as the page needs it: elements with their nodes, cards, and
// remarks that need no simulation. The server's reader is authoritative.

const arms = {
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
const analyses = ['op', 'dc', 'ac', 'tran', 'noise', 'tf', 'sens', 'pz', 'sp'];

/** The cards of the text, continuation lines joined: { line, text }; line counts from 1. */
function cardsOf(text) {
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

const words = (text) =>
  text
    .replace(/\{[^}]*\}|'[^']*'/g, (m) => m.replaceAll(/\s/g, ''))
    .split(/[\s,()]+/)
    .filter(Boolean);
const nodeName = (n) => (n.toLowerCase() === 'gnd' ? '0' : n.toLowerCase());

/** Functions of A elements of LTspice, which follow eight nodes. */
const functions =
  /^(buf|inv|and|or|xor|(diff)?schm(itt|tbuf|tinv)|srflop|dflop|counter|phasedet|phidet|samplehold|modulat(e|or)|varistor|ota)$/i;

/** The terminals, from 1 to 8, of an A element that are not at its common node, and that one unless it is ground. */
function terminalsOf(list) {
  if (!/^a/i.test(list[0]) || !functions.test(list[9] ?? '')) return undefined;
  const nodes = list.slice(1, 9).map(nodeName);
  return [1, 2, 3, 4, 5, 6, 7, 8].filter((k) =>
    k === 8 ? nodes[7] !== '0' : nodes[k - 1] !== nodes[7],
  );
}

/** The nodes of an element card; models are the names that end a list of nodes. */
function nodesOf(list, models) {
  const letter = list[0][0].toLowerCase();
  const rest = list.slice(1).filter((w) => !w.includes('='));
  if (letter === 'x') {
    const end = rest.findIndex((w) => /^params:$/i.test(w));
    return rest.slice(0, (end < 0 ? rest.length : end) - 1);
  }
  if (letter === 'q')
    return rest.slice(
      0,
      rest.length > 4 && !models.has(rest[3].toLowerCase()) && models.has(rest[4].toLowerCase())
        ? 4
        : 3,
    );
  return rest.slice(0, arms[letter] ?? 0);
}

/**
 * Reads a netlist. library: names of parts in lower case.
 * @returns {{elements: {name: string, letter: string, nodes: string[], terminals?: number[], value: string, plain: boolean, rest: string[], line: number}[], nodes: Set<string>, analyses: string[], sweeps: string[],
 *   models: Set<string>, remarks: {line: number, severity: 'error'|'warning'|'info', text: string}[]}}
 */
export function readNetlist(text, library = new Set()) {
  const cards = cardsOf(text);
  const models = new Set(library);
  for (const c of cards) {
    const m = /^\.(model|subckt)\s+(\S+)/i.exec(c.text);
    if (m) models.add(m[2].toLowerCase());
  }
  const out = { elements: [], nodes: new Set(), analyses: [], sweeps: [], models, remarks: [] };
  const remark = (line, severity, what) => out.remarks.push({ line, severity, text: what });
  const used = new Map(); // node: the line of its first use and the number of elements at it
  const names = new Map();
  const inCapitals = !cards.some((c) => /[a-z]/.test(c.text));
  let depth = 0;
  let ended = 0;
  let ground = false;
  for (const { line, text: card } of cards) {
    if (ended) continue;
    const list = words(card);
    if (list.length === 0) continue;
    const head = list[0].toLowerCase();
    if (head.startsWith('.')) {
      if (head === '.subckt') depth++;
      else if (head === '.ends') depth = Math.max(0, depth - 1);
      else if (head === '.end') ended = line;
      else if (head === '.global')
        for (const n of list.slice(1)) used.set(nodeName(n), { line, count: 2 });
      else if (analyses.includes(head.slice(1)) && !out.analyses.includes(head.slice(1)))
        out.analyses.push(head.slice(1));
      if (head === '.dc' && out.sweeps.length === 0)
        out.sweeps = [list[1], list[5]].filter(Boolean).map((n) => n.toLowerCase());
      continue;
    }
    const letter = head[0];
    if (/[rlc]/.test(letter)) megaOrMilli(list, line, remark, inCapitals);
    if (depth > 0) continue;
    if (names.has(head))
      remark(
        line,
        'error',
        `${list[0]} is already defined on line ${names.get(head)}. Give it another name.`,
      );
    else names.set(head, line);
    const terminals = terminalsOf(list);
    const nodes = (terminals ? terminals.map((k) => list[k]) : nodesOf(list, models)).map(nodeName);
    const rest = terminals ? [list[9]] : list.slice(1 + nodes.length);
    // A special function is drawn as a box like a subcircuit.
    out.elements.push({
      name: head,
      letter: terminals ? 'x' : letter,
      nodes,
      terminals,
      value: rest[0] ?? '',
      plain: rest.length === 1,
      rest,
      line,
    });
    for (const n of new Set(nodes)) {
      if (n === '0') {
        ground = true;
        continue;
      }
      const u = used.get(n) ?? { line, count: 0 };
      u.count += nodes.filter((x) => x === n).length;
      used.set(n, u);
    }
  }
  out.nodes = new Set(used.keys());
  const last = text.split(/\r?\n/).length;
  if (out.elements.length && !ground)
    remark(out.elements[0].line, 'error', 'No element is connected to ground. Name one node 0.');
  for (const [n, u] of used) {
    if (u.count === 1) remark(u.line, 'warning', `Node ${n} has only one connection.`);
  }
  if (out.elements.length && out.analyses.length === 0)
    remark(
      last,
      'error',
      'No analysis. Add a line such as .op, .tran 1u 1m or .ac dec 20 10 1meg.',
    );
  if (!ended) remark(last, 'error', 'The netlist must end with .end on a line of its own.');
  out.remarks.sort((a, b) => a.line - b.line);
  return out;
}

/** SPICE reads M as milli in any case; who writes a capital M may mean mega. A deck all in capitals shows nothing. */
function megaOrMilli(list, line, remark, inCapitals) {
  if (inCapitals) return;
  for (const w of list.slice(3)) {
    const m = /^(\d+\.?\d*|\.\d+)M(?!eg|EG|il|IL)/.exec(w);
    if (m && list[0][0].toLowerCase() === 'r')
      remark(line, 'info', `${w} is ${m[1]} milli in SPICE. Write ${m[1]}meg for mega.`);
    if (list[0][0].toLowerCase() === 'c' && /^(\d+\.?\d*|\.\d+)F$/.test(w))
      remark(line, 'info', `${w} is femtofarad in SPICE. Leave the F out for farad.`);
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

/** A number with up to six digits and its suffix in SPICE: 4.7k, 10meg. */
export function spiceText(v) {
  const size = Number(Math.abs(v).toPrecision(6));
  const [suffix, factor] = suffixes.find(
    ([s, f]) => s !== 'mil' && s !== 'µ' && size >= f && size < 1000 * f,
  ) ?? ['', 1];
  return size >= 1 && size < 1000
    ? String(Number(v.toPrecision(6)))
    : Number((v / factor).toPrecision(6)) + suffix;
}

/** A number as SPICE writes it (4.7k, 10meg, 100nF); NaN when it is none. */
export function spiceNumber(text) {
  const m = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)([a-zµ]*)$/i.exec(text.trim());
  if (!m) return NaN;
  const found = suffixes.find(([s]) => m[2].toLowerCase().startsWith(s));
  return Number(m[1]) * (found ? found[1] : 1);
}
