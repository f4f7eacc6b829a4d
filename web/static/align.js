// Puts curves with different x values on one axis. Each run of a simulation has its own time steps.

/** The largest number of points of a common axis. It bounds the time and the memory of a plot. */
const maxAxisPoints = 20000;

/** Returns the points of all lists, ascending, each once. */
function union(lists) {
  const all = Float64Array.from(lists.flat()).sort();
  return Array.from(all.filter((v, i) => i === 0 || v !== all[i - 1]));
}

/**
 * Puts curves on an axis that has the points of all of them. Between its points a curve is the
 * straight line, over the logarithm of x if isLog. It is null outside of them and next to a missing
 * point. An axis of more than maxPoints is reduced to the extremes of the curves.
 * @param {{x: number[], values: (number|null)[]}[]} curves each x rises or falls
 * @returns {{x: number[], lists: (number|null)[][]}} a list of values for each curve; the lists of
 *   the argument if all curves have the same x
 */
export function alignCurves(curves, isLog = false, maxPoints = maxAxisPoints) {
  const axes = [];
  const axisOf = curves.map(({ x }) => {
    const k = axes.findIndex(
      (a) => a === x || (a.length === x.length && a.every((v, i) => v === x[i])),
    );
    return k < 0 ? axes.push(x) - 1 : k;
  });
  if (axes.length < 2) return { x: axes[0] ?? [], lists: curves.map((c) => c.values) };
  let x = union(axes);
  if (x.length > maxPoints) x = union(extremes(curves, x[0], x.at(-1), isLog, maxPoints));
  const located = axes.map((a) => locate(a, x, isLog));
  return { x, lists: curves.map((c, i) => valuesAt(c.values, located[axisOf[i]])) };
}

/**
 * Divides the axis into equal parts. Returns the first, last, lowest and highest point of each
 * curve in each part, at most maxPoints in all.
 */
function extremes(curves, low, high, isLog, maxPoints) {
  const scale = (v) => (isLog && low > 0 ? Math.log(v) : v);
  const parts = Math.max(1, Math.floor(maxPoints / (4 * curves.length)));
  const partOf = (v) =>
    Math.min(parts - 1, Math.floor(((scale(v) - scale(low)) * parts) / (scale(high) - scale(low))));
  return curves.map(({ x, values }) => {
    const points = [];
    for (let from = 0, to = 0; from < x.length; from = to) {
      const part = partOf(x[from]);
      let [lowest, highest] = [from, from];
      for (; to < x.length && partOf(x[to]) === part; to++) {
        if (values[to] === null) continue;
        if (values[lowest] === null || values[to] < values[lowest]) lowest = to;
        if (values[highest] === null || values[to] > values[highest]) highest = to;
      }
      points.push(x[from], x[to - 1], x[lowest], x[highest]);
    }
    return points;
  });
}

/**
 * Locates ascending values between the points of x. Returns {i, j, t} for a value at the fraction t
 * of the distance from point i to point j. Returns null for a value outside of x.
 */
function locate(x, values, isLog) {
  const last = x.length - 1;
  const index = x[0] > x[last] ? (k) => last - k : (k) => k;
  let k = 0;
  return values.map((v) => {
    if (!(v >= x[index(0)] && v <= x[index(last)])) return null;
    while (k < last && x[index(k + 1)] <= v) k++;
    const i = index(k);
    if (v === x[i]) return { i, j: i, t: 0 };
    const j = index(k + 1);
    const t =
      isLog && x[i] > 0 && x[j] > 0
        ? Math.log(v / x[i]) / Math.log(x[j] / x[i])
        : (v - x[i]) / (x[j] - x[i]);
    return { i, j, t };
  });
}

const valuesAt = (values, located) =>
  located.map((p) => {
    if (p === null || values[p.i] === null || values[p.j] === null) return null;
    return values[p.i] + (values[p.j] - values[p.i]) * p.t;
  });
