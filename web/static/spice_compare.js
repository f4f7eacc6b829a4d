// The curves of runs, kept runs and waveform files for one plot. Each curve has its own points.
import { spiceText } from './spice_netlist.js';
import { decibels, phase } from './spice_vectors.js';

/**
 * A curve of an expression in a file or run.
 * @typedef {object} ComparedCurve
 * @property {string} label
 * @property {string} of the expression
 * @property {string} step the values of .step, see formatStep
 * @property {number} index of the run in its file
 * @property {boolean} isFile whether it belongs to a file or a kept run
 * @property {string} unit
 * @property {number[]} x
 * @property {Record<'value'|'magnitude'|'phase', (number|null)[]>} parts value, or magnitude in dB
 *   and phase in degrees
 */

/** Returns the curves of a file as the vectors of a result. */
function toVectors(raw) {
  const vectors = { [raw.axis]: raw.x };
  for (const c of raw.curves) {
    if (!raw.isComplex) vectors[c.name] = c.re;
    else {
      vectors[`${c.name}_mag`] = c.re.map((r, i) => Math.hypot(r, c.im[i]));
      vectors[`${c.name}_phase_deg`] = c.re.map((r, i) => (Math.atan2(c.im[i], r) * 180) / Math.PI);
    }
  }
  return vectors;
}

/** Returns a file as the result of a simulation, so that the plots show it without a run. */
export const toResult = (raw) => ({
  analysis_type: { time: 'tran', frequency: 'ac' }[raw.axis] ?? 'dc',
  vectors: toVectors(raw),
});

/** The curves of a waveform file or of a run. */
export class Comparison {
  /**
   * @param {string} name of the file
   * @param {object} raw from readRaw
   * @param {import('./spice_vectors.js').Vectors} vectors of the file
   * @param {string} [step] the values of .step, see formatStep
   */
  constructor(name, raw, vectors, step = '') {
    Object.assign(this, { name, raw, vectors, step });
  }

  /** Returns a run as a Comparison. */
  static ofRun(name, vectors, step) {
    const raw = { axis: vectors.axisName, x: vectors.axis, runs: vectors.runs };
    return new Comparison(name, raw, vectors, step);
  }

  /**
   * Returns the curves of an expression, one for each run; none if a vector is missing.
   * @param {string} text the expression
   * @returns {ComparedCurve[]}
   */
  curves(text) {
    let v;
    try {
      v = this.vectors.values(text);
    } catch {
      return [];
    }
    return this.raw.runs.map((r, i) => {
      const part = (values) => values.slice(r.from, r.to);
      const stepNumber = this.raw.runs.length > 1 && !r.label ? ` step ${i + 1}` : '';
      const label = [text, this.name + stepNumber, r.label, this.step].filter(Boolean).join(', ');
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

/** Formats the .step values of a run: "r = 2k". */
export const formatStep = (step) =>
  Object.entries(step ?? {})
    .map(([name, v]) => `${name} = ${spiceText(v)}`)
    .join(', ');

/** Returns the further .step runs of a result: the same analysis with other values. */
export const furtherSteps = (result) =>
  (result.analyses ?? []).filter((a) => a.step && a.analysis_type === result.analysis_type);
