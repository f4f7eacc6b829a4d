// The vectors of a simulation as curves: their axis, complex values in AC, currents of resistors by
// Ohm's law, and the runs of a nested sweep.
import { evaluate, parse } from './spice_expression.js';
import { show } from './quantity.js';
import { spiceNumber } from './spice_netlist.js';

const sweepUnit = (source) => ({ v: 'V', i: 'A' })[source?.[0]] ?? '';
/** Of the spectra of .noise; a current's are in A/√Hz. */
const densityUnit = '/√Hz';
const axes = { time: 's', frequency: 'Hz', sweep: '' };

export class Vectors {
  /** @param {object} result of spice_simulate @param {object} netlist what readNetlist gave for it */
  constructor(result, netlist) {
    this.all = result.vectors;
    /** ac for every result of phasors. */
    this.kind = Object.keys(this.all).some((n) => n.endsWith('_phase_deg'))
      ? 'ac'
      : result.analysis_type;
    this.axisName = Object.keys(axes).find((n) => Array.isArray(this.all[n])) ?? '';
    this.axis = this.all[this.axisName] ?? [0];
    this.sweeps = netlist.sweeps;
    this.unit = this.axisName === 'sweep' ? sweepUnit(this.sweeps[0]) : (axes[this.axisName] ?? '');
    this.label =
      { time: 'Time', frequency: 'Frequency' }[this.axisName] ??
      (this.sweeps[0] ?? 'sweep').toUpperCase();
    this.resistors = new Map(
      netlist.elements
        .filter((e) => e.letter === 'r' && e.plain && spiceNumber(e.value) > 0)
        .map((e) => [`i(${e.name})`, e]),
    );
    /** The values that can be plotted: v(out), i(v1). */
    this.names = [
      ...new Set(
        Object.keys(this.all)
          .filter((n) => n !== this.axisName && n !== 'sweep2')
          .map((n) => n.replace(/_(mag|phase_deg)$/, '')),
      ),
    ].sort((a, b) => rank(a) - rank(b) || a.localeCompare(b, 'en', { numeric: true }));
    this.runs = this.#runs();
  }

  /** Where each run of the first source begins and ends: [{from, to, label}]. */
  #runs() {
    const outer = this.all.sweep2;
    if (!outer) return [{ from: 0, to: this.axis.length, label: '' }];
    const list = [];
    for (let i = 0; i < outer.length; i++) {
      if (i === 0 || outer[i] !== outer[i - 1])
        list.push({
          from: i,
          to: i + 1,
          label:
            `${(this.sweeps[1] ?? '').toUpperCase()} ${show(outer[i], sweepUnit(this.sweeps[1]))}`.trim(),
        });
      else list.at(-1).to = i + 1;
    }
    return list;
  }

  /** What all is plotted over: the axis of the longest run. */
  get x() {
    const r = this.runs.reduce((a, b) => (b.to - b.from > a.to - a.from ? b : a));
    return this.axis.slice(r.from, r.to);
  }

  /** A vector as { re, im }, undefined when there is none. */
  find(name) {
    if (this.kind === 'ac') {
      const [mag, phase] = [this.all[`${name}_mag`], this.all[`${name}_phase_deg`]];
      if (mag && phase)
        return {
          re: mag.map((m, i) => m * Math.cos((phase[i] * Math.PI) / 180)),
          im: mag.map((m, i) => m * Math.sin((phase[i] * Math.PI) / 180)),
        };
    }
    if (name === this.axisName || (name === 'sweep2' && this.all.sweep2))
      return { re: this.all[name], unit: name === this.axisName ? this.unit : '' };
    if (this.all[name] && /^[vip]\(/.test(name)) return { re: this.all[name] };
    if (this.all[name] && this.kind === 'noise') return { re: this.all[name], unit: densityUnit };
    const r = this.resistors.get(name);
    if (!r) return undefined;
    const ends = r.nodes.map((n) => (n === '0' ? undefined : this.find(`v(${n})`)));
    if (r.nodes.some((n, i) => n !== '0' && !ends[i])) return undefined;
    const ohm = spiceNumber(r.value);
    const across = (part) =>
      this.axis.map((_, i) => ((ends[0]?.[part]?.[i] ?? 0) - (ends[1]?.[part]?.[i] ?? 0)) / ohm);
    return { re: across('re'), im: this.kind === 'ac' ? across('im') : undefined };
  }

  /** The values of an expression; throws an Error with a sentence. */
  values(text) {
    return evaluate(parse(text), (n) => this.find(n), this.axis);
  }

  /** Which vectors are drawn at first: what is called out, and in, else the first voltages. */
  favourites() {
    const voltages = this.names.filter((n) => n.startsWith('v('));
    const outs = voltages.filter((n) => /^v\(out/.test(n));
    const ins =
      this.kind === 'ac' ? [] : voltages.filter((n) => /^v\((in|vin|input)\w?\)$/.test(n));
    const chosen = [...outs, ...ins].slice(0, 4);
    if (outs.length) return chosen;
    const moving = (list) => list.filter((n) => this.runs.length > 1 || this.#moves(n));
    // A swept source's own voltage equals the axis.
    const same = (n) =>
      this.kind === 'dc' && this.all[n].every((v, i) => Math.abs(v - this.axis[i]) < 1e-9);
    if (this.runs.length > 1) {
      // The current into a device is that of its source, negated.
      const current = this.names.find((n) => n.startsWith('i('));
      return current && this.all[current].filter((y) => y < 0).length > this.axis.length / 2
        ? [`-${current}`]
        : [current ?? this.names[0]];
    }
    const likely = [
      ...new Set([
        ...moving(voltages).filter((n) => !same(n)),
        ...moving(this.names),
        ...this.names,
      ]),
    ];
    return likely.slice(0, Math.min(3, Math.max(1, moving(this.names).length)));
  }

  #moves(n) {
    const v = this.all[n] ?? this.all[`${n}_mag`];
    return v.some((y) => Math.abs(y - v[0]) > 1e-6 * (Math.abs(v[0]) + 1e-9));
  }
}

const rank = (n) => (n.startsWith('v(') ? 0 : 1);

/** Decibels of a complex value; null where it is zero. */
export const decibels = (x) =>
  x.re.map((r, i) => {
    const m = Math.hypot(r, x.im?.[i] ?? 0);
    return m > 0 ? 20 * Math.log10(m) : null;
  });

/** Phase in degrees without jumps; null where the value is zero. */
export function phase(x) {
  let turns = 0;
  let before;
  return x.re.map((r, i) => {
    const im = x.im?.[i] ?? 0;
    if (r === 0 && im === 0) return null;
    const p = (Math.atan2(im, r) * 180) / Math.PI;
    if (before !== undefined && p - before > 180) turns--;
    if (before !== undefined && p - before < -180) turns++;
    before = p;
    return p + 360 * turns;
  });
}

/** Where values pass a level, in the logarithm of x, by the cubic through the four points around. */
export function crossings(x, values, level) {
  const found = [];
  for (let i = 1; i < x.length; i++) {
    const [a, b] = [values[i - 1], values[i]];
    if (
      a === null ||
      b === null ||
      (a - level) * (b - level) > 0 ||
      a === b ||
      (b === level && i < x.length - 1)
    )
      continue;
    found.push({ x: Math.exp(root(x, values, level, i)), rising: b > a, index: i });
  }
  return found;
}

function root(x, values, level, i) {
  const near = [i - 2, i - 1, i, i + 1].filter((k) => k >= 0 && k < x.length && values[k] !== null);
  const u = near.map((k) => Math.log(x[k]));
  const y = near.map((k) => values[k] - level);
  const at = (t) =>
    y.reduce(
      (sum, v, j) => sum + v * u.reduce((p, w, k) => (k === j ? p : (p * (t - w)) / (u[j] - w)), 1),
      0,
    );
  let [low, high] = [Math.log(x[i - 1]), Math.log(x[i])];
  for (let n = 0; n < 60; n++) {
    const mid = (low + high) / 2;
    if (at(mid) * (values[i - 1] - level) > 0) low = mid;
    else high = mid;
  }
  return (low + high) / 2;
}

/**
 * A curve at any place, by the straight line between its points; null outside of its range.
 * @param {number[]} x rising @param {number[]} y @param {number} t
 */
export function valueAt(x, y, t) {
  let [low, high] = [0, x.length - 1];
  if (!(t >= x[low] && t <= x[high])) return null;
  while (high - low > 1) {
    const mid = (low + high) >> 1;
    if (x[mid] <= t) low = mid;
    else high = mid;
  }
  return x[high] === x[low]
    ? y[low]
    : y[low] + ((y[high] - y[low]) * (t - x[low])) / (x[high] - x[low]);
}
