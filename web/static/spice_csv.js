// The vectors of a simulation as comma-separated values.

/**
 * Returns all points of all vectors of runs. Runs of .step have a column for each step value before
 * the axis.
 * @param {{vectors: Record<string, number[]>, step?: Record<string, number>}[]} runs
 * @param {string} axis name of its vector
 */
export function vectorsToCSV(runs, axis) {
  const steps = Object.keys(runs[0].step ?? {});
  const names = [
    axis,
    ...Object.keys(runs[0].vectors)
      .filter((n) => n !== axis)
      .sort(),
  ].filter(Boolean);
  const rows = runs.flatMap(({ vectors, step }) =>
    vectors[names[0]].map((_, i) =>
      [...steps.map((n) => step[n]), ...names.map((n) => vectors[n]?.[i] ?? '')].join(','),
    ),
  );
  return [[...steps, ...names].map((n) => `"${n}"`).join(','), ...rows].join('\n');
}
