// The vectors of a simulation as curves. The module adds their axis, complex values of AC analyses,
// currents of resistors by Ohm's law, and the runs of a nested sweep.
import { evaluate, parse } from './spice_expression.js';
import { formatQuantity } from './quantity.js';
import { sourceUnit, spiceNumber } from './spice_netlist.js';

const axisUnits = { time: 's', frequency: 'Hz', sweep: '' };

/** The vectors of a result, and the values of expressions of them. */
export class Vectors {
  /**
   * @param {object} result of spice_simulate
   * @param {object} netlist from readNetlist
   */
  constructor(result, netlist) {
    this.all = result.vectors;
    this.noise = result.noise;
    /** The type of the analysis; "ac" for each result with phasors. */
    this.kind = Object.keys(this.all).some((n) => n.endsWith('_phase_deg'))
      ? 'ac'
      : result.analysis_type;
    this.axisName = Object.keys(axisUnits).find((n) => Array.isArray(this.all[n])) ?? '';
    this.axis = this.all[this.axisName] ?? [0];
    this.sweeps = netlist.sweeps;
    this.unit =
      this.axisName === 'sweep' ? sourceUnit(this.sweeps[0]) : (axisUnits[this.axisName] ?? '');
    this.label =
      { time: 'Time', frequency: 'Frequency' }[this.axisName] ??
      (this.sweeps[0] ?? 'sweep').toUpperCase();
    this.resistors = new Map(
      netlist.elements
        .filter((e) => e.letter === 'r' && e.hasOneValue && spiceNumber(e.value) > 0)
        .map((e) => [`i(${e.name})`, e]),
    );
    /** The names of the vectors that can be plotted: v(out), i(v1). */
    this.names = [
      ...new Set(
        Object.keys(this.all)
          .filter((n) => n !== this.axisName && n !== 'sweep2')
          .map((n) => n.replace(/_(mag|phase_deg)$/, '')),
      ),
    ].sort((a, b) => rank(a) - rank(b) || a.localeCompare(b, 'en', { numeric: true }));
    this.runs = this.#runs();
  }

  /** Returns the range of each run of the first source: [{from, to, label}]. */
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
            `${(this.sweeps[1] ?? '').toUpperCase()} ${formatQuantity(outer[i], sourceUnit(this.sweeps[1]))}`.trim(),
        });
      else list.at(-1).to = i + 1;
    }
    return list;
  }

  /** The axis of the longest run. */
  get x() {
    const r = this.runs.reduce((a, b) => (b.to - b.from > a.to - a.from ? b : a));
    return this.axis.slice(r.from, r.to);
  }

  /** Returns a vector as { re, im, unit }, or undefined without one. */
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
    if (this.all[name] && this.kind === 'noise') {
      const place = name.startsWith('inoise') ? this.noise?.input : this.noise?.output;
      return { re: this.all[name], unit: `${sourceUnit(place)}/√Hz` };
    }
    const r = this.resistors.get(name);
    if (!r) return undefined;
    const ends = r.nodes.map((n) => (n === '0' ? undefined : this.find(`v(${n})`)));
    if (r.nodes.some((n, i) => n !== '0' && !ends[i])) return undefined;
    const ohm = spiceNumber(r.value);
    const across = (part) =>
      this.axis.map((_, i) => ((ends[0]?.[part]?.[i] ?? 0) - (ends[1]?.[part]?.[i] ?? 0)) / ohm);
    return { re: across('re'), im: this.kind === 'ac' ? across('im') : undefined };
  }

  /** Returns the values of an expression; throws an Error whose message is a sentence. */
  values(text) {
    return evaluate(parse(text), (n) => this.find(n), this.axis);
  }

  /** Returns the vectors to draw initially: nodes named out and in, noise, or those that change. */
  initialTraces() {
    if (this.kind === 'noise') return this.names.slice(0, 2);
    const voltages = this.names.filter((n) => n.startsWith('v('));
    const outs = voltages.filter((n) => /^v\(out/.test(n));
    const ins =
      this.kind === 'ac' ? [] : voltages.filter((n) => /^v\((in|vin|input)\w?\)$/.test(n));
    const chosen = [...outs, ...ins].slice(0, 4);
    if (outs.length) return chosen;
    if (this.runs.length > 1) return [this.#initialCurrent()];
    const changing = this.names.filter((n) => this.#isChanging(n));
    const candidates = [
      ...changing.filter((n) => n.startsWith('v(') && !this.#equalsAxis(n)),
      ...changing,
      ...this.names,
    ];
    return [...new Set(candidates)].slice(0, Math.min(3, Math.max(1, changing.length)));
  }

  /** Returns the first current of nested sweeps, negated if most of its values are negative. */
  #initialCurrent() {
    const current = this.names.find((n) => n.startsWith('i('));
    if (!current) return this.names[0];
    const negatives = this.all[current].filter((y) => y < 0).length;
    return negatives > this.axis.length / 2 ? `-${current}` : current;
  }

  /** Reports whether a vector is the voltage of the swept source. */
  #equalsAxis(name) {
    return this.kind === 'dc' && this.all[name].every((v, i) => Math.abs(v - this.axis[i]) < 1e-9);
  }

  #isChanging(name) {
    const v = this.all[name] ?? this.all[`${name}_mag`];
    return v.some((y) => Math.abs(y - v[0]) > 1e-6 * (Math.abs(v[0]) + 1e-9));
  }
}

const rank = (n) => (/^(v\(|onoise_spectrum)/.test(n) ? 0 : 1);

/** Returns the magnitude of complex values in decibels; null where it is zero. */
export const decibels = (x) =>
  x.re.map((r, i) => {
    const m = Math.hypot(r, x.im?.[i] ?? 0);
    return m > 0 ? 20 * Math.log10(m) : null;
  });

/** Returns the unwrapped phase of complex values in degrees; null where a value is zero. */
export function phase(x) {
  let turns = 0;
  let previous;
  return x.re.map((r, i) => {
    const im = x.im?.[i] ?? 0;
    if (r === 0 && im === 0) return null;
    const p = (Math.atan2(im, r) * 180) / Math.PI;
    if (previous !== undefined && p - previous > 180) turns--;
    if (previous !== undefined && p - previous < -180) turns++;
    previous = p;
    return p + 360 * turns;
  });
}

/**
 * Returns the crossings of a level: [{x, rising, index}]. Between points, values follow the cubic
 * through the four nearest points over the logarithm of x.
 */
export function crossings(x, values, level) {
  const found = [];
  for (let i = 1; i < x.length; i++) {
    const [a, b] = [values[i - 1], values[i]];
    if (a === null || b === null || a === b || (a - level) * (b - level) > 0) continue;
    if (b === level && i < x.length - 1) continue; // the next interval has this crossing
    found.push({ x: Math.exp(crossingBefore(x, values, level, i)), rising: b > a, index: i });
  }
  return found;
}

/** Returns the logarithm of x at the crossing between the points i-1 and i, by bisection. */
function crossingBefore(x, values, level, i) {
  const near = [i - 2, i - 1, i, i + 1].filter((k) => k >= 0 && k < x.length && values[k] !== null);
  const u = near.map((k) => Math.log(x[k]));
  const y = near.map((k) => values[k] - level);
  const cubic = (t) =>
    y.reduce(
      (sum, v, j) => sum + v * u.reduce((p, w, k) => (k === j ? p : (p * (t - w)) / (u[j] - w)), 1),
      0,
    );
  let [low, high] = [Math.log(x[i - 1]), Math.log(x[i])];
  for (let n = 0; n < 60; n++) {
    const mid = (low + high) / 2;
    if (cubic(mid) * (values[i - 1] - level) > 0) low = mid;
    else high = mid;
  }
  return (low + high) / 2;
}

/**
 * Interpolates a curve linearly at a value of x; returns null outside of its range.
 * @param {number[]} x ascending
 * @param {number[]} y
 * @param {number} at
 */
export function valueAt(x, y, at) {
  let [low, high] = [0, x.length - 1];
  if (!(at >= x[low] && at <= x[high])) return null;
  while (high - low > 1) {
    const mid = (low + high) >> 1;
    if (x[mid] <= at) low = mid;
    else high = mid;
  }
  if (x[high] === x[low]) return y[low];
  return y[low] + ((y[high] - y[low]) * (at - x[low])) / (x[high] - x[low]);
}
