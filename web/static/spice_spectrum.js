// Spectrum and eye diagram of a transient's vector.
import { valueAt } from './spice_vectors.js';

/** Windows as coefficients of cosines, and what they are good for. Source: Harris, Proc. IEEE 66 (1978), p. 51. Flat top: ISO 18431-2. */
export const windows = {
  hann: { label: 'Hann', terms: [0.5, 0.5] },
  flat: { label: 'Flat top, exact amplitude', terms: [1, 1.933, 1.286, 0.388, 0.0322] },
  blackman: {
    label: 'Blackman-Harris, low side lobes',
    terms: [0.35875, 0.48829, 0.14128, 0.01168],
  },
  none: { label: 'None, whole periods', terms: [1] },
};

const mostSamples = 2 ** 17;

/** The discrete Fourier transform in place, radix 2. Lengths are powers of two. */
function transform(re, im) {
  const n = re.length;
  for (let i = 1, j = 0; i < n; i++) {
    let bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      [re[i], re[j]] = [re[j], re[i]];
      [im[i], im[j]] = [im[j], im[i]];
    }
  }
  for (let size = 2; size <= n; size *= 2) {
    const half = size / 2;
    for (let k = 0; k < half; k++) {
      const [c, s] = [Math.cos((-2 * Math.PI * k) / size), Math.sin((-2 * Math.PI * k) / size)];
      for (let i = k; i < n; i += size) {
        const j = i + half;
        const [tr, ti] = [re[j] * c - im[j] * s, re[j] * s + im[j] * c];
        [re[j], im[j]] = [re[i] - tr, im[i] - ti];
        re[i] += tr;
        im[i] += ti;
      }
    }
  }
}

/**
 * The amplitude spectrum of y over x, which rises and need not be even: straight lines give as many
 * even samples as the next power of two of twice the points. A sine of peak value 1 gives 1.
 * @returns {{frequency: number[], amplitude: number[], resolution: number}} from 0 to half the sample rate; resolution in Hz is the inverse of the span
 */
export function spectrum(x, y, window = 'hann') {
  const [from, to] = [x[0], x.at(-1)];
  if (!(x.length >= 4 && to > from))
    throw new Error('A spectrum needs at least four points in time.');
  const n = Math.min(mostSamples, 2 ** Math.ceil(Math.log2(2 * x.length)));
  const { terms } = windows[window];
  const re = new Float64Array(n);
  const im = new Float64Array(n);
  let gain = 0;
  let i = 0;
  for (let k = 0; k < n; k++) {
    const t = from + ((to - from) * k) / n;
    while (i < x.length - 2 && x[i + 1] < t) i++;
    const w = terms.reduce(
      (sum, a, m) => sum + (m % 2 ? -a : a) * Math.cos((2 * Math.PI * m * k) / n),
      0,
    );
    const width = x[i + 1] - x[i];
    re[k] = w * (width > 0 ? y[i] + ((y[i + 1] - y[i]) * (t - x[i])) / width : y[i]);
    gain += w;
  }
  transform(re, im);
  const resolution = 1 / (to - from);
  const frequency = Array.from({ length: n / 2 }, (_, k) => k * resolution);
  const amplitude = frequency.map((_, k) => (Math.hypot(re[k], im[k]) * (k === 0 ? 1 : 2)) / gain);
  return { frequency, amplitude, resolution };
}

/** The times at which y passes a level. */
export function levelTimes(x, y, level) {
  const times = [];
  for (let i = 1; i < x.length; i++) {
    const [a, b] = [y[i - 1] - level, y[i] - level];
    if (a < 0 === b < 0) continue;
    times.push(x[i - 1] + ((x[i] - x[i - 1]) * a) / (a - b));
  }
  return times;
}

/** The level halfway between the extremes. */
export function middle(y) {
  let [low, high] = [Infinity, -Infinity];
  for (const v of y) [low, high] = [Math.min(low, v), Math.max(high, v)];
  return (low + high) / 2;
}

/**
 * The unit interval of a bit stream in seconds: the tenth percentile of the distances between
 * crossings of the middle level. undefined with fewer than three crossings.
 */
export function unitInterval(x, y) {
  const times = levelTimes(x, y, middle(y));
  const gaps = times
    .slice(1)
    .map((t, i) => t - times[i])
    .sort((a, b) => a - b);
  return gaps.length < 2 ? undefined : gaps[Math.floor(gaps.length / 10)];
}

const mostTraces = 2000;

/**
 * Folds a curve to two unit intervals; crossings are at 0.5 and 1.5 intervals.
 * @returns {{x: (number|null)[], y: (number|null)[], height: number, width: number, jitter: number, crossings: number}}
 *   null parts traces; height is the opening at the centre, 0 where it is closed; width and jitter (peak to peak) in seconds
 */
export function eye(x, y, interval) {
  const span = x.at(-1) - x[0];
  if (!(interval > 0)) throw new Error('The unit interval must be greater than 0.');
  if (span < 2 * interval) throw new Error('The curve is shorter than two unit intervals.');
  if (span / interval > 2 * mostTraces)
    throw new Error(
      `The curve has more than ${2 * mostTraces} unit intervals; look at a shorter time or a longer interval.`,
    );
  const level = middle(y);
  const times = levelTimes(x, y, level);
  if (times.length < 2) throw new Error('The curve passes its middle level fewer than twice.');
  // The mean phase of the crossings on a circle of one interval.
  const turn = (2 * Math.PI) / interval;
  const mean =
    Math.atan2(
      times.reduce((s, t) => s + Math.sin(t * turn), 0),
      times.reduce((s, t) => s + Math.cos(t * turn), 0),
    ) / turn;
  const start = mean - interval / 2; // so that crossings fall on 0.5
  let [earliest, latest] = [Infinity, -Infinity];
  for (const t of times) {
    const p = (t - mean) / interval;
    const offset = (p - Math.round(p)) * interval;
    [earliest, latest] = [Math.min(earliest, offset), Math.max(latest, offset)];
  }
  const jitter = latest - earliest;
  const out = { x: [], y: [] };
  let before = -1;
  const put = (t, v, turnNumber) => {
    out.x.push(t - start - 2 * interval * turnNumber);
    out.y.push(v);
  };
  for (let i = 0; i < x.length; i++) {
    const turnNumber = Math.floor((x[i] - start) / (2 * interval));
    if (i > 0) {
      for (let k = before + 1; k <= turnNumber; k++) {
        // the curve goes on at the left
        const edge = start + 2 * interval * k;
        const v = y[i - 1] + ((y[i] - y[i - 1]) * (edge - x[i - 1])) / (x[i] - x[i - 1]);
        put(edge, v, k - 1);
        out.x.push(null);
        out.y.push(null);
        put(edge, v, k);
      }
    }
    put(x[i], y[i], turnNumber);
    before = turnNumber;
  }
  // Crossings are at half intervals, so the centre of the eye is at whole ones.
  let [lowTop, highBottom] = [Infinity, -Infinity];
  for (let k = Math.ceil((x[0] - start) / interval); start + k * interval <= x.at(-1); k++) {
    const v = valueAt(x, y, start + k * interval);
    if (v >= level) lowTop = Math.min(lowTop, v);
    else highBottom = Math.max(highBottom, v);
  }
  const height = Number.isFinite(lowTop - highBottom) ? Math.max(0, lowTop - highBottom) : 0;
  return { ...out, height, width: Math.max(0, interval - jitter), jitter, crossings: times.length };
}
