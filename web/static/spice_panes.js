// The panes of the plots of a simulation: the curves of the shown traces, grouped by unit.
import { alignCurves } from './align.js';

const titles = {
  V: 'Voltage',
  A: 'Current',
  W: 'Power',
  Ω: 'Resistance',
  S: 'Conductance',
  dB: 'Decibels',
  '°': 'Phase',
  'V/√Hz': 'Noise density',
  'A/√Hz': 'Noise density',
  '': 'Ratio',
};

/** The largest number of curves in a pane. */
export const maxSeries = 24;

/**
 * @typedef {object} PaneCurve
 * @property {string} label
 * @property {string} of the expression
 * @property {string} step the values of .step, see formatStep
 * @property {number} index of the run
 * @property {boolean} [isFile] whether it belongs to a file or a kept run
 * @property {boolean} [isFirst] whether it belongs to the first run of an AC analysis
 * @property {number} style number of the line style
 * @property {number[]} x
 * @property {(number|null)[]} values
 * @property {(number|null)[]} [aligned] the values on the axis of all curves, see alignPanes
 *
 * @typedef {{title: string, unit: string, curves: PaneCurve[]}} Pane
 */

const replaceInfinite = (values) =>
  values.every(Number.isFinite) ? values : values.map((v) => (Number.isFinite(v) ? v : null));

/**
 * Returns the panes of expressions, magnitude and phase first.
 * @param {string[]} shown the expressions
 * @param {object} source
 * @param {import('./spice_vectors.js').Vectors} source.vectors
 * @param {import('./spice_compare.js').Comparison} source.first the run of the vectors
 * @param {import('./spice_compare.js').Comparison[]} source.compared further runs and files
 * @param {(text: string, run?: number) => number} styleOf
 * @returns {Pane[]}
 */
export function panesOf(shown, { vectors, first, compared }, styleOf) {
  const panes = new Map();
  const add = (title, unit, curve) => {
    const key = `${title}|${unit}`;
    if (!panes.has(key)) panes.set(key, { title, unit, curves: [] });
    panes.get(key).curves.push(curve);
  };
  for (const text of shown) {
    const { unit, im } = vectors.values(text);
    if (vectors.kind === 'ac' && im) {
      const curves = [first, ...compared].flatMap((run) => run.curves(text));
      for (const [i, c] of curves.entries()) {
        const common = { ...c, isFirst: i === 0, style: styleOf(text, i) };
        const { magnitude, phase } = c.parts;
        if (magnitude) add('Magnitude', 'dB', { ...common, values: magnitude });
        if (phase) add('Phase', '°', { ...common, values: phase });
      }
      continue;
    }
    const title = titles[unit] ?? 'Value';
    for (const c of runCurves(text, vectors, first, styleOf)) add(title, unit, c);
    for (const [i, c] of compared.flatMap((run) => run.curves(text)).entries()) {
      if (!c.parts.value) continue;
      add(title, unit, {
        ...c,
        style: styleOf(text, i + 1),
        values: replaceInfinite(c.parts.value),
      });
    }
  }
  const order = ['Magnitude', 'Phase'];
  return [...panes.values()].sort((a, b) => order.indexOf(a.title) - order.indexOf(b.title));
}

/** Returns the curves of an expression, one for each run of a nested sweep. */
function runCurves(text, vectors, first, styleOf) {
  const { re } = vectors.values(text);
  const isNested = vectors.runs.length > 1;
  const stepLabel = first.step ? `${text}, ${first.step}` : text;
  return vectors.runs.map((r, index) => ({
    label: isNested ? `${text}, ${r.label}` : stepLabel,
    of: text,
    step: first.step,
    index,
    style: styleOf(text, index),
    x: vectors.axis.slice(r.from, r.to),
    values: replaceInfinite(re.slice(r.from, r.to)),
  }));
}

/**
 * Puts the drawn curves of all panes on one axis, as their property aligned.
 * @param {Pane[]} panes
 * @param {import('./spice_vectors.js').Vectors} vectors
 * @returns {object} the axis for plot()
 */
export function alignPanes(panes, vectors) {
  const isFrequency = vectors.axisName === 'frequency';
  const drawn = panes.flatMap((p) => p.curves.slice(0, maxSeries));
  const { x, lists } = alignCurves(drawn, isFrequency);
  drawn.forEach((c, i) => {
    c.aligned = lists[i];
  });
  return {
    label: vectors.label,
    unit: vectors.unit,
    log: isFrequency && hasGrowingSteps(vectors.x),
    values: drawn.length ? x : vectors.x,
  };
}

/** Reports whether frequencies have logarithmic spacing. */
const hasGrowingSteps = (x) => x.length > 2 && x[0] > 0 && x[2] - x[1] > 1.001 * (x[1] - x[0]);
