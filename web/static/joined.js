// Curves with points of their own on one axis. Every run of a simulation has its own time steps.

/** The points of all lists, rising, each once. */
function union(lists) {
  const all = Float64Array.from(lists.flat()).sort();
  return Array.from(all.filter((v, i) => i === 0 || v !== all[i - 1]));
}

/**
 * Puts curves on the axis that has the points of all of them. Between its own points a curve is the
 * straight line, over the logarithm of x if isLog; outside of them and beside a missing point it is null.
 * Curves that have the same points keep them.
 * @param {{x: number[], values: (number|null)[]}[]} curves each x rises or falls
 * @returns {{x: number[], lists: (number|null)[][]}} a list of values for each curve
 */
export function joined(curves, isLog = false) {
  const first = curves[0]?.x ?? [];
  const isSame = (x) => x === first || (x.length === first.length && x.every((v, i) => v === first[i]));
  if (curves.every((c) => isSame(c.x))) return { x: first, lists: curves.map((c) => c.values) };
  const x = union(curves.map((c) => c.x));
  return { x, lists: curves.map((c) => valuesAt(c, x, isLog)) };
}

function valuesAt({ x, values }, places, isLog) {
  const scale = (t) => (isLog && t > 0 ? Math.log(t) : t);
  const last = x.length - 1;
  const index = x[0] > x[last] ? (k) => last - k : (k) => k;
  let k = 0;
  return places.map((t) => {
    if (!(t >= x[index(0)] && t <= x[index(last)])) return null;
    while (k < last && x[index(k + 1)] <= t) k++;
    const i = index(k);
    if (t === x[i]) return values[i];
    const j = index(k + 1);
    if (values[i] === null || values[j] === null) return null;
    return values[i] + ((values[j] - values[i]) * (scale(t) - scale(x[i]))) / (scale(x[j]) - scale(x[i]));
  });
}
