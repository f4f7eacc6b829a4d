// The curves of waveform files, kept runs and runs of .step beside those of a run, each with its own
// points.
import { onOneAxis } from './joined.js';
import { show } from './quantity.js';
import { spiceText } from './spice_netlist.js';
import { decibels, phase, Vectors } from './spice_vectors.js';

/** A reader of a file's or a run's curves. */
export class Comparison {
  /**
   * @param {string} name of the file @param {object} raw from readRaw @param {import('./spice_vectors.js').Vectors} vectors of the file
   * @param {string} step the values of .step, see stepName
   */
  constructor(name, raw, vectors, step = '') {
    Object.assign(this, { name, raw, vectors, step });
  }

  /** Why the file cannot be drawn beside a run with an axis, or "". */
  unfit(axis) {
    return this.raw.axis === axis
      ? ''
      : `${this.name} is over ${this.raw.axis}, and the run over ${axis || 'nothing'}: it is not drawn beside the run.`;
  }

  /** The curves of an expression by run: [{label, of, step, index, isFile, x, parts: {value|magnitude|phase: values}}]; none where the file lacks a vector. */
  curves(text) {
    let v;
    try {
      v = this.vectors.values(text);
    } catch {
      return [];
    }
    return this.raw.runs.map((r, i) => {
      const part = (values) => values.slice(r.from, r.to);
      const place = this.raw.runs.length > 1 && !r.label ? ` step ${i + 1}` : '';
      const label = [text, this.name + place, r.label, this.step].filter(Boolean).join(', ');
      return {
        label,
        of: text,
        step: this.step,
        index: i,
        isFile: this.name !== '',
        unit: v.unit,
        x: part(this.raw.x),
        parts: v.im
          ? { magnitude: part(decibels(v)), phase: part(phase(v)) }
          : { value: part(v.re) },
      };
    });
  }
}

/** The values of .step of a run, "r = 2k". */
export const stepName = (step) =>
  Object.entries(step ?? {})
    .map(([name, v]) => `${name} = ${spiceText(v)}`)
    .join(', ');

/** The further runs of .step of a result: the same analysis at other values. */
export const furtherSteps = (result) =>
  (result.analyses ?? []).filter((a) => a.step && a.analysis_type === result.analysis_type);

/** A run with its vectors as a Comparison. */
export const ofRun = (name, vectors, step) =>
  new Comparison(
    name,
    { axis: vectors.axisName, x: vectors.axis, runs: vectors.runs },
    vectors,
    step,
  );

/** A sentence about the largest distance of two curves, at the points of both. */
export function difference(label, one, other, xUnit, unit) {
  const {
    x,
    lists: [a, b],
  } = onOneAxis([one, other], xUnit === 'Hz', Infinity);
  let worst = -1;
  const d = (i) => Math.abs(a[i] - b[i]);
  for (let i = 0; i < x.length; i++)
    if (a[i] !== null && b[i] !== null && (worst < 0 || d(i) > d(worst))) worst = i;
  if (worst < 0) return `${label}: the file has no point in this range`;
  return `${label}: largest difference ${show(Number(d(worst).toPrecision(3)), unit)} at ${show(x[worst], xUnit)}`;
}
