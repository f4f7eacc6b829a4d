// Curves with points of their own on one axis. Every run of a simulation has its own time steps.

/** Bounds the time and the memory of a plot of many runs. */
export const mostPlaces = 20000;

/** The points of all lists, rising, each once. */
function union(lists) {
  const all = Float64Array.from(lists.flat()).sort();
  return Array.from(all.filter((v, i) => i === 0 || v !== all[i - 1]));
}

/**
 * Puts curves on the axis that has the points of all of them. Between its own points a curve is the
 * straight line, over the logarithm of x if isLog; outside of them and beside a missing point it is null.
 * Curves that have the same points keep them. Of more than most places the axis keeps the extremes.
 * @param {{x: number[], values: (number|null)[]}[]} curves each x rises or falls
 * @returns {{x: number[], lists: (number|null)[][]}} a list of values for each curve
 */
export function onOneAxis(curves, isLog = false, most = mostPlaces) {
  const axes = [];
  const axisOf = curves.map(({ x }) => {
    const k = axes.findIndex(
      (a) => a === x || (a.length === x.length && a.every((v, i) => v === x[i])),
    );
    return k < 0 ? axes.push(x) - 1 : k;
  });
  if (axes.length < 2) return { x: axes[0] ?? [], lists: curves.map((c) => c.values) };
  let x = union(axes);
  if (x.length > most) x = union(extremes(curves, x[0], x.at(-1), isLog, most));
  const located = axes.map((a) => locate(a, x, isLog));
  return { x, lists: curves.map((c, i) => valuesAt(c.values, located[axisOf[i]])) };
}

/** At most as many points: the first, last, lowest and highest one of each curve in equal parts of the axis. */
function extremes(curves, low, high, isLog, most) {
  const scale = (t) => (isLog && low > 0 ? Math.log(t) : t);
  const parts = Math.max(1, Math.floor(most / (4 * curves.length)));
  const partOf = (t) =>
    Math.min(parts - 1, Math.floor(((scale(t) - scale(low)) * parts) / (scale(high) - scale(low))));
  return curves.map(({ x, values }) => {
    const kept = [];
    for (let from = 0, to = 0; from < x.length; from = to) {
      const part = partOf(x[from]);
      let [least, largest] = [from, from];
      for (; to < x.length && partOf(x[to]) === part; to++) {
        if (values[to] === null) continue;
        if (values[least] === null || values[to] < values[least]) least = to;
        if (values[largest] === null || values[to] > values[largest]) largest = to;
      }
      kept.push(x[from], x[to - 1], x[least], x[largest]);
    }
    return kept;
  });
}

/** Where rising places are among the points of x: [{i, j, t}] for the part t of the way from i to j; null outside. */
function locate(x, places, isLog) {
  const last = x.length - 1;
  const index = x[0] > x[last] ? (k) => last - k : (k) => k;
  let k = 0;
  return places.map((p) => {
    if (!(p >= x[index(0)] && p <= x[index(last)])) return null;
    while (k < last && x[index(k + 1)] <= p) k++;
    const i = index(k);
    if (p === x[i]) return { i, j: i, t: 0 };
    const j = index(k + 1);
    const t =
      isLog && x[i] > 0 && x[j] > 0
        ? Math.log(p / x[i]) / Math.log(x[j] / x[i])
        : (p - x[i]) / (x[j] - x[i]);
    return { i, j, t };
  });
}

const valuesAt = (values, located) =>
  located.map((p) => {
    if (p === null || values[p.i] === null || values[p.j] === null) return null;
    return values[p.i] + (values[p.j] - values[p.i]) * p.t;
  });
