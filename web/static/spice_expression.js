// Expressions of a simulation's vectors: v(out)-v(in), db(v(out)/v(in)), i(R1)*v(in). A parser
// makes a tree, which is evaluated per point; nothing is run as code. Values are complex in an AC
// analysis, and have units of volts and amperes.
import { spiceNumber } from './spice_netlist.js';

/** A list of values: re and, in AC, im; v and a are the powers of volt and ampere, unit a name instead. */
const made = (re, im, v = 0, a = 0, unit = undefined) => ({ re, im, v, a, unit });

const token =
  /\s*(?:(\d+\.?\d*(?:e[+-]?\d+)?[a-zµ]*|\.\d+(?:e[+-]?\d+)?[a-zµ]*)|([a-z_][\w.#:]*)|(.))/giy;

function tokens(text) {
  const list = [];
  token.lastIndex = 0;
  for (let m; token.lastIndex < text.length && (m = token.exec(text));) {
    if (m[1]) list.push({ number: spiceNumber(m[1]), at: m.index });
    else if (m[2]) list.push({ name: m[2].toLowerCase(), at: m.index });
    else if (m[3] && m[3].trim()) list.push({ sign: m[3], at: m.index });
  }
  return list;
}

const longest = 400;
const deepest = 60;

/** Parses an expression; throws an Error that says what is wrong. */
export function parse(text) {
  if (text.length > longest) throw new Error(`An expression has at most ${longest} characters.`);
  const list = tokens(text);
  let i = 0;
  let depth = 0;
  const peek = (s) => list[i]?.sign === s;
  const take = (s) => {
    if (!peek(s))
      throw new Error(
        list[i]
          ? `"${s}" is expected before "${text.slice(list[i].at).trim().slice(0, 12)}".`
          : `"${s}" is missing at the end.`,
      );
    i++;
  };
  const sum = () => {
    if (++depth > deepest) throw new Error('The expression is nested too deeply.');
    let left = product();
    while (peek('+') || peek('-')) left = { op: list[i++].sign, args: [left, product()] };
    depth--;
    return left;
  };
  const product = () => {
    let left = signed();
    while (peek('*') || peek('/')) left = { op: list[i++].sign, args: [left, signed()] };
    return left;
  };
  const signed = () => {
    if (++depth > deepest) throw new Error('The expression is nested too deeply.');
    const negative = peek('-');
    if (negative || peek('+')) i++;
    const inner = negative || list[i]?.sign === '+' ? signed() : power();
    depth--;
    return negative ? { op: 'neg', args: [inner] } : inner;
  };
  const power = () => {
    const base = atom();
    if (!peek('^')) return base;
    i++;
    return { op: '^', args: [base, signed()] };
  };
  const atom = () => {
    const t = list[i++];
    if (!t) throw new Error('The expression ends too early.');
    if (t.number !== undefined) return { number: t.number };
    if (t.sign === '(') {
      const inner = sum();
      take(')');
      return inner;
    }
    if (t.name === undefined) throw new Error(`"${t.sign}" was not expected.`);
    if (!peek('(')) return { vector: t.name };
    i++;
    if (t.name === 'v' || t.name === 'i' || t.name === 'p') {
      // A node's name may contain operators: v(+12), v(n-1).
      const from = list[i]?.at ?? text.length;
      while (list[i] && !peek(')')) i++;
      const names = text
        .slice(from, list[i]?.at ?? text.length)
        .toLowerCase()
        .split(',')
        .map((n) => n.trim());
      take(')');
      if (names.some((n) => n === '') || names.length > (t.name === 'v' ? 2 : 1))
        throw new Error(
          t.name === 'v' ? 'v() takes one node or two.' : `${t.name}() takes one element.`,
        );
      const one = (n) =>
        n === '0' || n === 'gnd' ? { zero: true } : { vector: `${t.name}(${n})` };
      return names.length === 2 ? { op: '-', args: names.map(one) } : one(names[0]);
    }
    if (!functions[t.name])
      throw new Error(
        `There is no function ${t.name}(); there are ${Object.keys(functions).join(', ')}.`,
      );
    const arg = sum();
    take(')');
    return { call: t.name, args: [arg] };
  };
  const tree = sum();
  if (i < list.length)
    throw new Error(`"${text.slice(list[i].at).trim().slice(0, 12)}" was not expected.`);
  return tree;
}

const each = (x, f) => x.re.map((r, i) => f(r, x.im ? x.im[i] : 0, i));
const size = (x) => (x.im ? each(x, (re, im) => Math.hypot(re, im)) : x.re.map(Math.abs));
const angle = (x) => each(x, (re, im) => (Math.atan2(im, re) * 180) / Math.PI);
const real = (name, f) => (x) => {
  if (x.im) throw new Error(`${name}() of a complex value: take mag(), re() or db() of it first.`);
  return made(x.re.map(f));
};

const functions = {
  db: (x) =>
    made(
      size(x).map((m) => 20 * Math.log10(m)),
      undefined,
      0,
      0,
      'dB',
    ),
  mag: (x) => made(size(x), undefined, x.v, x.a, x.unit),
  abs: (x) => made(size(x), undefined, x.v, x.a, x.unit),
  ph: (x) => made(angle(x), undefined, 0, 0, '°'),
  re: (x) => made(x.re, undefined, x.v, x.a, x.unit),
  im: (x) => made(x.im ?? x.re.map(() => 0), undefined, x.v, x.a, x.unit),
  sqrt: (x) => ({ ...real('sqrt', Math.sqrt)(x), v: x.v / 2, a: x.a / 2 }),
  exp: real('exp', Math.exp),
  ln: real('ln', Math.log),
  log10: real('log10', Math.log10),
  sin: real('sin', Math.sin),
  cos: real('cos', Math.cos),
  tan: real('tan', Math.tan),
  atan: real('atan', Math.atan),
  deriv: (x, axis) => made(slopes(x, axis), undefined, 0, 0, ''),
  integ: (x, axis) => made(areas(x, axis), undefined, 0, 0, ''),
};

/** The functions of expressions. */
export const functionNames = Object.keys(functions);

function slopes(x, axis) {
  if (x.im) throw new Error('deriv() is for time and sweeps.');
  const n = x.re.length;
  return x.re.map((_, i) => {
    const [a, b] = [Math.max(0, i - 1), Math.min(n - 1, i + 1)];
    return (x.re[b] - x.re[a]) / (axis[b] - axis[a]);
  });
}

function areas(x, axis) {
  if (x.im) throw new Error('integ() is for time and sweeps.');
  let total = 0;
  return x.re.map((y, i) => {
    if (i > 0) total += ((y + x.re[i - 1]) / 2) * (axis[i] - axis[i - 1]);
    return total;
  });
}

const zip = (a, b, f) => a.map((x, i) => f(x, b[i]));

function combine(op, x, y) {
  const complex = x.im || y.im;
  const none = (z) => z.im ?? z.re.map(() => 0);
  const same = x.v === y.v && x.a === y.a && x.unit === y.unit;
  const unit = same
    ? [x.v, x.a, x.unit]
    : ([x, y].filter((z) => z.v || z.a || z.unit).map((z) => [z.v, z.a, z.unit])[0] ?? [0, 0]);
  switch (op) {
    case '+':
    case '-': {
      const s = op === '+' ? 1 : -1;
      return made(
        zip(x.re, y.re, (a, b) => a + s * b),
        complex && zip(none(x), none(y), (a, b) => a + s * b),
        ...unit,
      );
    }
    case '*':
      if (!complex)
        return made(
          zip(x.re, y.re, (a, b) => a * b),
          undefined,
          x.v + y.v,
          x.a + y.a,
        );
      return made(
        x.re.map((a, i) => a * y.re[i] - none(x)[i] * none(y)[i]),
        none(x).map((b, i) => b * y.re[i] + x.re[i] * none(y)[i]),
        x.v + y.v,
        x.a + y.a,
      );
    case '/': {
      const v = x.v - y.v;
      const a = x.a - y.a;
      if (!complex)
        return made(
          zip(x.re, y.re, (p, q) => p / q),
          undefined,
          v,
          a,
        );
      const [xi, yi] = [none(x), none(y)];
      const d = y.re.map((q, i) => q * q + yi[i] * yi[i]);
      return made(
        x.re.map((p, i) => (p * y.re[i] + xi[i] * yi[i]) / d[i]),
        xi.map((p, i) => (p * y.re[i] - x.re[i] * yi[i]) / d[i]),
        v,
        a,
      );
    }
    default: {
      if (complex) throw new Error('^ of a complex value: take mag() of it first.');
      const p = y.re.every((q) => q === y.re[0]) ? y.re[0] : 0;
      return made(
        zip(x.re, y.re, (a, b) => a ** b),
        undefined,
        x.v * p,
        x.a * p,
      );
    }
  }
}

/**
 * Evaluates a tree. find(name) gives { re, im } of a vector or undefined; axis is what all is plotted over.
 * Throws an Error with a sentence, and with the name of a missing vector in its field vector.
 */
export function evaluate(tree, find, axis) {
  const value = (t) => {
    if (t.number !== undefined) return made(axis.map(() => t.number));
    if (t.zero)
      return made(
        axis.map(() => 0),
        undefined,
        1,
      );
    if (t.vector !== undefined) {
      const found = find(t.vector);
      if (!found)
        throw Object.assign(new Error(`There is no ${t.vector} in this result.`), {
          vector: t.vector,
        });
      return made(
        found.re,
        found.im,
        /^[vp]\(/.test(t.vector) ? 1 : 0,
        /^[ip]\(/.test(t.vector) ? 1 : 0,
        found.unit,
      );
    }
    if (t.call) return functions[t.call](value(t.args[0]), axis);
    if (t.op === 'neg') {
      const x = value(t.args[0]);
      return { ...x, re: x.re.map((r) => -r), im: x.im?.map((r) => -r) };
    }
    return combine(t.op, ...t.args.map(value));
  };
  const x = value(tree);
  return { re: x.re, im: x.im, unit: x.unit ?? unitOf(x.v, x.a) };
}

const units = { '1,0': 'V', '0,1': 'A', '1,1': 'W', '1,-1': 'Ω', '-1,1': 'S', '0,0': '' };
const power = (name, p) => (p === 0 ? '' : p === 1 ? name : `${name}^${p}`);
const unitOf = (v, a) =>
  units[`${v},${a}`] ?? [power('V', v), power('A', a)].filter(Boolean).join('·');
