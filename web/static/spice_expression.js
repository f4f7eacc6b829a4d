// Expressions of a simulation's vectors: v(out)-v(in), db(v(out)/v(in)), i(R1)*v(in). A parser
// creates a tree, which is evaluated per point; no part of it runs as code. Values of AC analyses
// are complex. Values have units of volts and amperes.
import { spiceNumber } from './spice_netlist.js';

/**
 * Values of a quantity over the points of a result.
 * @typedef {object} Quantity
 * @property {number[]} re
 * @property {number[]} [im] of AC analyses
 * @property {number} v exponent of the volt
 * @property {number} a exponent of the ampere
 * @property {string} [unit] replaces the unit of the exponents
 */

/** @returns {Quantity} */
const quantity = (re, im, { v = 0, a = 0, unit = undefined } = {}) => ({ re, im, v, a, unit });

const tokenPattern =
  /\s*(?:(\d+\.?\d*(?:e[+-]?\d+)?[a-zµ]*|\.\d+(?:e[+-]?\d+)?[a-zµ]*)|([a-z_][\w.#:]*)|(.))/giy;

function tokenize(text) {
  const list = [];
  tokenPattern.lastIndex = 0;
  for (let m; tokenPattern.lastIndex < text.length && (m = tokenPattern.exec(text));) {
    if (m[1]) list.push({ number: spiceNumber(m[1]), at: m.index });
    else if (m[2]) list.push({ name: m[2].toLowerCase(), at: m.index });
    else if (m[3] && m[3].trim()) list.push({ sign: m[3], at: m.index });
  }
  return list;
}

const maxChars = 400;
const maxDepth = 60;

/**
 * Parses an expression. Throws an Error whose message is a sentence.
 * @returns {object} a tree of {number}, {zero}, {vector}, {op, args} and {call, args}
 */
export function parse(text) {
  if (text.length > maxChars) throw new Error(`An expression has at most ${maxChars} characters.`);
  return new Parser(text).parse();
}

/** A recursive descent parser with one method per level of precedence. */
class Parser {
  #text;
  #tokens;
  #next = 0;
  #depth = 0;

  constructor(text) {
    this.#text = text;
    this.#tokens = tokenize(text);
  }

  parse() {
    const tree = this.#sum();
    if (this.#token) throw new Error(`"${this.#excerpt()}" was not expected.`);
    return tree;
  }

  get #token() {
    return this.#tokens[this.#next];
  }

  /** Returns the text from the next token on, shortened for a message. */
  #excerpt() {
    return this.#text.slice(this.#token.at).trim().slice(0, 12);
  }

  #isSign(...signs) {
    return signs.includes(this.#token?.sign);
  }

  #expect(sign) {
    if (!this.#token) throw new Error(`"${sign}" is missing at the end.`);
    if (!this.#isSign(sign)) throw new Error(`"${sign}" is expected before "${this.#excerpt()}".`);
    this.#next++;
  }

  #nested(read) {
    if (++this.#depth > maxDepth) throw new Error('The expression is nested too deeply.');
    const tree = read();
    this.#depth--;
    return tree;
  }

  #leftAssociative(signs, readOperand) {
    let left = readOperand();
    while (this.#isSign(...signs)) {
      const op = this.#tokens[this.#next++].sign;
      left = { op, args: [left, readOperand()] };
    }
    return left;
  }

  #sum() {
    return this.#nested(() => this.#leftAssociative(['+', '-'], () => this.#product()));
  }

  #product() {
    return this.#leftAssociative(['*', '/'], () => this.#signed());
  }

  #signed() {
    return this.#nested(() => {
      const isNegative = this.#isSign('-');
      if (this.#isSign('-', '+')) this.#next++;
      const isSignedAgain = isNegative || this.#isSign('+');
      const inner = isSignedAgain ? this.#signed() : this.#power();
      return isNegative ? { op: 'neg', args: [inner] } : inner;
    });
  }

  #power() {
    const base = this.#atom();
    if (!this.#isSign('^')) return base;
    this.#next++;
    return { op: '^', args: [base, this.#signed()] };
  }

  #atom() {
    const t = this.#token;
    if (!t) throw new Error('The expression ends too early.');
    this.#next++;
    if (t.number !== undefined) return { number: t.number };
    if (t.sign === '(') {
      const inner = this.#sum();
      this.#expect(')');
      return inner;
    }
    if (t.name === undefined) throw new Error(`"${t.sign}" was not expected.`);
    if (!this.#isSign('(')) return { vector: t.name };
    this.#next++;
    return ['v', 'i', 'p'].includes(t.name) ? this.#vector(t.name) : this.#call(t.name);
  }

  /** Reads the node or element of v(out), v(a,b), i(r1) or p(r1). */
  #vector(kind) {
    // The name of a node may contain operators: v(+12), v(n-1).
    const from = this.#token?.at ?? this.#text.length;
    while (this.#token && !this.#isSign(')')) this.#next++;
    const names = this.#text
      .slice(from, this.#token?.at ?? this.#text.length)
      .toLowerCase()
      .split(',')
      .map((n) => n.trim());
    this.#expect(')');
    if (names.includes('') || names.length > (kind === 'v' ? 2 : 1))
      throw new Error(kind === 'v' ? 'v() takes one node or two.' : `${kind}() takes one element.`);
    const trees = names.map((n) =>
      n === '0' || n === 'gnd' ? { zero: true } : { vector: `${kind}(${n})` },
    );
    return trees.length === 2 ? { op: '-', args: trees } : trees[0];
  }

  #call(name) {
    if (!functions[name])
      throw new Error(`There is no function ${name}(); there are ${functionNames.join(', ')}.`);
    const arg = this.#sum();
    this.#expect(')');
    return { call: name, args: [arg] };
  }
}

const mapValues = (x, f) => x.re.map((r, i) => f(r, x.im ? x.im[i] : 0, i));
const magnitude = (x) => (x.im ? mapValues(x, (re, im) => Math.hypot(re, im)) : x.re.map(Math.abs));
const degrees = (x) => mapValues(x, (re, im) => (Math.atan2(im, re) * 180) / Math.PI);

/** Returns a function of an expression that takes real values only. */
const realFunction = (name, f) => (x) => {
  if (x.im) throw new Error(`${name}() of a complex value: take mag(), re() or db() of it first.`);
  return quantity(x.re.map(f));
};

const inDecibels = (x) => magnitude(x).map((m) => 20 * Math.log10(m));

/** The functions by name. Each takes a Quantity and the values of the axis. */
const functions = {
  db: (x) => quantity(inDecibels(x), undefined, { unit: 'dB' }),
  mag: (x) => quantity(magnitude(x), undefined, x),
  abs: (x) => quantity(magnitude(x), undefined, x),
  ph: (x) => quantity(degrees(x), undefined, { unit: '°' }),
  re: (x) => quantity(x.re, undefined, x),
  im: (x) => quantity(x.im ?? x.re.map(() => 0), undefined, x),
  sqrt: (x) => ({ ...realFunction('sqrt', Math.sqrt)(x), v: x.v / 2, a: x.a / 2 }),
  exp: realFunction('exp', Math.exp),
  ln: realFunction('ln', Math.log),
  log10: realFunction('log10', Math.log10),
  sin: realFunction('sin', Math.sin),
  cos: realFunction('cos', Math.cos),
  tan: realFunction('tan', Math.tan),
  atan: realFunction('atan', Math.atan),
  deriv: (x, axis) => quantity(derivative(x, axis), undefined, { unit: '' }),
  integ: (x, axis) => quantity(integral(x, axis), undefined, { unit: '' }),
};

/** The names of the functions. */
export const functionNames = Object.keys(functions);

function derivative(x, axis) {
  if (x.im) throw new Error('deriv() is for time and sweeps.');
  const last = x.re.length - 1;
  return x.re.map((_, i) => {
    const [a, b] = [Math.max(0, i - 1), Math.min(last, i + 1)];
    return (x.re[b] - x.re[a]) / (axis[b] - axis[a]);
  });
}

function integral(x, axis) {
  if (x.im) throw new Error('integ() is for time and sweeps.');
  let total = 0;
  return x.re.map((y, i) => {
    if (i > 0) total += ((y + x.re[i - 1]) / 2) * (axis[i] - axis[i - 1]);
    return total;
  });
}

const zip = (a, b, f) => a.map((x, i) => f(x, b[i]));
const imaginary = (x) => x.im ?? x.re.map(() => 0);

/** Returns the unit of a sum: that of both operands, or of the first operand with a unit. */
function unitOfSum(x, y) {
  if (x.v === y.v && x.a === y.a && x.unit === y.unit) return x;
  return [x, y].find((z) => z.v || z.a || z.unit) ?? {};
}

function add(x, y, sign) {
  const isComplex = x.im || y.im;
  const plus = (p, q) => p + sign * q;
  const im = isComplex && zip(imaginary(x), imaginary(y), plus);
  return quantity(zip(x.re, y.re, plus), im, unitOfSum(x, y));
}

function multiply(x, y) {
  const unit = { v: x.v + y.v, a: x.a + y.a };
  const product = (p, q) => p * q;
  if (!x.im && !y.im) return quantity(zip(x.re, y.re, product), undefined, unit);
  const [xi, yi] = [imaginary(x), imaginary(y)];
  return quantity(
    x.re.map((p, i) => p * y.re[i] - xi[i] * yi[i]),
    xi.map((p, i) => p * y.re[i] + x.re[i] * yi[i]),
    unit,
  );
}

function divide(x, y) {
  const unit = { v: x.v - y.v, a: x.a - y.a };
  const quotient = (p, q) => p / q;
  if (!x.im && !y.im) return quantity(zip(x.re, y.re, quotient), undefined, unit);
  const [xi, yi] = [imaginary(x), imaginary(y)];
  const d = y.re.map((q, i) => q * q + yi[i] * yi[i]);
  return quantity(
    x.re.map((p, i) => (p * y.re[i] + xi[i] * yi[i]) / d[i]),
    xi.map((p, i) => (p * y.re[i] - x.re[i] * yi[i]) / d[i]),
    unit,
  );
}

function raise(x, y) {
  if (x.im || y.im) throw new Error('^ of a complex value: take mag() of it first.');
  const isConstant = y.re.every((q) => q === y.re[0]);
  const exponent = isConstant ? y.re[0] : 0; // of the unit
  return quantity(
    zip(x.re, y.re, (p, q) => p ** q),
    undefined,
    { v: x.v * exponent, a: x.a * exponent },
  );
}

const operators = {
  '+': (x, y) => add(x, y, 1),
  '-': (x, y) => add(x, y, -1),
  '*': multiply,
  '/': divide,
  '^': raise,
  neg: (x) => ({ ...x, re: x.re.map((r) => -r), im: x.im?.map((r) => -r) }),
};

/**
 * Evaluates a tree. Throws an Error whose message is a sentence; for a missing vector, the field
 * vector of the Error is its name.
 * @param {object} tree from parse
 * @param {(name: string) => {re: number[], im?: number[], unit?: string}|undefined} find returns a
 *   vector
 * @param {number[]} axis
 * @returns {{re: number[], im?: number[], unit: string}}
 */
export function evaluate(tree, find, axis) {
  const vectorValue = (name) => {
    const found = find(name);
    if (!found)
      throw Object.assign(new Error(`There is no ${name} in this result.`), { vector: name });
    const v = /^[vp]\(/.test(name) ? 1 : 0;
    const a = /^[ip]\(/.test(name) ? 1 : 0;
    return quantity(found.re, found.im, { v, a, unit: found.unit });
  };
  const value = (t) => {
    if (t.number !== undefined) return quantity(axis.map(() => t.number));
    if (t.zero)
      return quantity(
        axis.map(() => 0),
        undefined,
        { v: 1 },
      );
    if (t.vector !== undefined) return vectorValue(t.vector);
    if (t.call) return functions[t.call](value(t.args[0]), axis);
    return operators[t.op](...t.args.map(value));
  };
  const x = value(tree);
  return { re: x.re, im: x.im, unit: x.unit ?? unitName(x.v, x.a) };
}

const unitNames = { '1,0': 'V', '0,1': 'A', '1,1': 'W', '1,-1': 'Ω', '-1,1': 'S', '0,0': '' };

function unitPower(name, exponent) {
  if (exponent === 0) return '';
  return exponent === 1 ? name : `${name}^${exponent}`;
}

const unitName = (v, a) =>
  unitNames[`${v},${a}`] ?? [unitPower('V', v), unitPower('A', a)].filter(Boolean).join('·');
