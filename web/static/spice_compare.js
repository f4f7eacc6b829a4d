// The curves of a waveform file beside those of a run, at the points of the run.
import { show, showNumber } from './quantity.js';
import { decibels, phase, valueAt, Vectors } from './spice_vectors.js';

/** A reader of the file's curves, whose x rises. */
export class Comparison {
  /** @param {string} name of the file @param {object} raw from readRaw @param {import('./spice_vectors.js').Vectors} vectors of the file */
  constructor(name, raw, vectors) {
    Object.assign(this, { name, raw, vectors });
  }

  /** Why the file cannot be drawn beside a run with an axis, or "". */
  unfit(axis) {
    return this.raw.axis === axis ? '' : `${this.name} is over ${this.raw.axis}, and the run over ${axis || 'nothing'}: it is not drawn beside the run.`;
  }

  /** The curves of an expression at the places x, by step: [{label, parts: {value|magnitude|phase: values}}]; none where the file lacks a vector. */
  curves(text, x) {
    let v;
    try {
      v = this.vectors.values(text);
    } catch {
      return [];
    }
    const isLog = this.raw.axis === 'frequency';
    const scale = (f) => (isLog && f > 0 ? Math.log(f) : f);
    return this.raw.runs.map((r, i) => {
      const part = (values) => {
        let [own, y] = [this.raw.x.slice(r.from, r.to).map(scale), values.slice(r.from, r.to)];
        if (own[0] > own.at(-1)) [own, y] = [own.reverse(), y.reverse()];
        return x.map((t) => valueAt(own, y, scale(t)));
      };
      return { label: `${text}, ${this.name}${this.raw.runs.length > 1 ? ` step ${i + 1}` : ''}`, unit: v.unit,
        parts: v.im ? { magnitude: part(decibels(v)), phase: part(phase(v)) } : { value: part(v.re) } };
    });
  }
}

/** The values of .step of a run, "r = 2000". */
export const stepName = (step) => Object.entries(step ?? {}).map(([name, v]) => `${name} = ${showNumber(v)}`).join(', ');

/** The further runs of .step of a result: the same analysis at other values. */
export const furtherSteps = (result) => (result.analyses ?? []).filter((a) => a.step && a.analysis_type === result.analysis_type);

/** A further run of .step beside the first. */
export class Step extends Comparison {
  constructor(run, netlist) {
    const vectors = new Vectors(run, netlist);
    super(stepName(run.step), { axis: vectors.axisName, x: vectors.axis, runs: vectors.runs }, vectors);
  }
}

/** A sentence about the largest distance of two curves. */
export function difference(label, x, a, b, xUnit, unit) {
  let worst = -1;
  const d = (i) => Math.abs(a[i] - b[i]);
  for (let i = 0; i < x.length; i++) if (a[i] !== null && b[i] !== null && (worst < 0 || d(i) > d(worst))) worst = i;
  if (worst < 0) return `${label}: the file has no point in this range`;
  return `${label}: largest difference ${show(Number(d(worst).toPrecision(3)), unit)} at ${show(x[worst], xUnit)}`;
}
