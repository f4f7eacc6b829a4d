// Waveform files and kept runs beside a run. The module finds the files that have its axis, and the
// largest differences between their curves and those of the run.
import { alignCurves } from './align.js';
import { formatQuantity } from './quantity.js';
import { Comparison, toResult } from './spice_compare.js';
import { Vectors } from './spice_vectors.js';

/**
 * Returns files for the plots of a run, and sentences about files with another axis.
 * @param {object[]} files waveform files {name, raw} and kept runs {name, runs}
 * @param {string} axis of the run
 * @returns {{comparisons: Comparison[], mismatches: string[]}}
 */
export function compareFiles(files, axis) {
  const noNetlist = { sweeps: [], elements: [] };
  const all = files.flatMap(
    ({ name, raw, runs }) =>
      runs?.map((r) => Comparison.ofRun(name, r.vectors, r.step)) ??
      new Comparison(name, raw, new Vectors(toResult(raw), noNetlist)),
  );
  const hasAxis = (c) => c.raw.axis === axis;
  const mismatches = all
    .filter((c) => !hasAxis(c))
    .map(
      ({ name, raw }) =>
        `${name} is over ${raw.axis}, and the run over ${axis || 'nothing'}: it is not drawn beside the run.`,
    );
  return { comparisons: all.filter(hasAxis), mismatches };
}

/**
 * Returns sentences with the largest difference between each curve of a file and its curve of the
 * run.
 * @param {import('./spice_panes.js').Pane[]} panes
 * @param {string} xUnit
 */
export function describeDifferences(panes, xUnit) {
  return panes.flatMap(({ curves, unit }) =>
    curves
      .filter((c) => c.isFile)
      .flatMap((c) => {
        const own = curves.find(
          (k) => k.of === c.of && !k.isFile && k.step === c.step && k.index === c.index,
        );
        return own ? describeDifference(c.label, own, c, xUnit, unit) : [];
      }),
  );
}

/** Returns a sentence with the largest difference of two curves at the points of both. */
function describeDifference(label, curve, other, xUnit, unit) {
  const {
    x,
    lists: [a, b],
  } = alignCurves([curve, other], xUnit === 'Hz', Infinity);
  let worst = -1;
  const difference = (i) => Math.abs(a[i] - b[i]);
  for (let i = 0; i < x.length; i++) {
    if (a[i] === null || b[i] === null) continue;
    if (worst < 0 || difference(i) > difference(worst)) worst = i;
  }
  if (worst < 0) return `${label}: the file has no point in this range`;
  const shown = formatQuantity(Number(difference(worst).toPrecision(3)), unit);
  return `${label}: largest difference ${shown} at ${formatQuantity(x[worst], xUnit)}`;
}
