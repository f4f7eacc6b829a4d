// The spectrum and the eye diagram of a vector of a transient analysis.
import { valueAt } from './spice_vectors.js';

/**
 * The window functions as coefficients of cosines, and the scalloping loss in percent: how much too
 * low the line of a sine is whose frequency lies halfway between two lines.
 * Source: Harris, Proc. IEEE 66 (1978), p. 51 and table 1. Flat top: ISO 18431-2.
 */
export const windows = {
  hann: { label: 'Hann', terms: [0.5, 0.5], loss: 15 },
  flat: { label: 'Flat top, exact amplitude', terms: [1, 1.933, 1.286, 0.388, 0.0322], loss: 0 },
  blackman: {
    label: 'Blackman-Harris, low side lobes',
    terms: [0.35875, 0.48829, 0.14128, 0.01168],
    loss: 9,
  },
  none: { label: 'None, whole periods', terms: [1], loss: 36 },
};

const maxSamples = 2 ** 17;

/** Computes the discrete Fourier transform in place, radix 2. The length is a power of two. */
function fft(re, im) {
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

/** Returns n even samples of a curve by linear interpolation. */
function evenSamples(x, y, n) {
  const [from, to] = [x[0], x.at(-1)];
  let i = 0;
  return Float64Array.from({ length: n }, (_, k) => {
    const t = from + ((to - from) * k) / n;
    while (i < x.length - 2 && x[i + 1] < t) i++;
    const width = x[i + 1] - x[i];
    return width > 0 ? y[i] + ((y[i + 1] - y[i]) * (t - x[i])) / width : y[i];
  });
}

/**
 * Returns the amplitude spectrum of y over x from 0 to half the sample rate. A sine of peak value 1
 * has the amplitude 1. Linear interpolation converts uneven steps to even samples. Their number is
 * the power of two from twice the number of points. The mean is removed before the window, which
 * would spread it over the first lines.
 * @param {number[]} x ascending times in seconds
 * @param {number[]} y
 * @param {keyof windows} [window]
 * @returns {{frequency: number[], amplitude: number[], mean: number, resolution: number}} the
 *   frequencies are in Hz, without 0; the resolution is the inverse of the time span
 */
export function computeSpectrum(x, y, window = 'hann') {
  const [from, to] = [x[0], x.at(-1)];
  if (!(x.length >= 4 && to > from))
    throw new Error('A spectrum needs at least four points in time.');
  const n = Math.min(maxSamples, 2 ** Math.ceil(Math.log2(2 * x.length)));
  const { terms } = windows[window];
  const re = evenSamples(x, y, n);
  const im = new Float64Array(n);
  const mean = re.reduce((sum, v) => sum + v, 0) / n;
  let gain = 0;
  for (let k = 0; k < n; k++) {
    const w = terms.reduce(
      (sum, a, m) => sum + (m % 2 ? -a : a) * Math.cos((2 * Math.PI * m * k) / n),
      0,
    );
    re[k] = w * (re[k] - mean);
    gain += w;
  }
  fft(re, im);
  const resolution = 1 / (to - from);
  const frequency = Array.from({ length: n / 2 - 1 }, (_, k) => (k + 1) * resolution);
  const amplitude = frequency.map((_, k) => (Math.hypot(re[k + 1], im[k + 1]) * 2) / gain);
  return { frequency, amplitude, mean, resolution };
}

/** Returns the times when y crosses a level. */
function crossingTimes(x, y, level) {
  const times = [];
  for (let i = 1; i < x.length; i++) {
    const [a, b] = [y[i - 1] - level, y[i] - level];
    if (a < 0 === b < 0) continue;
    times.push(x[i - 1] + ((x[i] - x[i - 1]) * a) / (a - b));
  }
  return times;
}

/** Returns the level halfway between the extremes. */
function middleLevel(y) {
  let [low, high] = [Infinity, -Infinity];
  for (const v of y) [low, high] = [Math.min(low, v), Math.max(high, v)];
  return (low + high) / 2;
}

/**
 * Counts the periods of a curve from its crossings of the middle level. Returns undefined if that
 * frequency is not the one of the largest line, as in a transient or a sum of tones.
 * @param {number[]} x ascending times in seconds
 * @param {number[]} y
 * @param {number} largest the number of the largest line, whose period is that part of the span
 */
export function countPeriods(x, y, largest) {
  const times = crossingTimes(x, y, middleLevel(y));
  const periods = Math.floor((times.length - 1) / 2);
  if (periods < 1) return undefined;
  const count = ((x.at(-1) - x[0]) * periods) / (times[2 * periods] - times[0]);
  return Math.abs(count - largest) < 1 ? count : undefined;
}

/**
 * Estimates the unit interval of a bit stream in seconds: the tenth percentile of the distances
 * between crossings of the middle level. Returns undefined with fewer than three crossings.
 */
export function estimateUnitInterval(x, y) {
  const times = crossingTimes(x, y, middleLevel(y));
  const gaps = times
    .slice(1)
    .map((t, i) => t - times[i])
    .sort((a, b) => a - b);
  return gaps.length < 2 ? undefined : gaps[Math.floor(gaps.length / 10)];
}

const maxTraces = 2000;

/**
 * Folds a curve to two unit intervals, with its crossings at 0.5 and 1.5 intervals.
 * @param {number[]} x ascending times in seconds
 * @param {number[]} y
 * @param {number} interval in seconds
 * @returns {{x: (number|null)[], y: (number|null)[], height: number, width: number, jitter: number,
 *   crossings: number}} null separates traces; height is the opening at the centre, 0 if the eye is
 *   closed; width and jitter (peak to peak) in seconds
 */
export function computeEye(x, y, interval) {
  const span = x.at(-1) - x[0];
  if (!(interval > 0)) throw new Error('The unit interval must be greater than 0.');
  if (span < 2 * interval) throw new Error('The curve is shorter than two unit intervals.');
  if (span / interval > 2 * maxTraces)
    throw new Error(
      `The curve has more than ${2 * maxTraces} unit intervals; look at a shorter time or a longer interval.`,
    );
  const level = middleLevel(y);
  const times = crossingTimes(x, y, level);
  if (times.length < 2) throw new Error('The curve passes its middle level fewer than twice.');
  const mean = meanPhase(times, interval);
  const jitter = peakToPeakJitter(times, mean, interval);
  const start = mean - interval / 2; // so that crossings are at 0.5 intervals
  return {
    ...foldCurve(x, y, start, 2 * interval),
    height: eyeHeight(x, y, level, start, interval),
    width: Math.max(0, interval - jitter),
    jitter,
    crossings: times.length,
  };
}

/** Returns the mean phase in seconds of times on a circle of one interval. */
function meanPhase(times, interval) {
  const radiansPerSecond = (2 * Math.PI) / interval;
  return (
    Math.atan2(
      times.reduce((s, t) => s + Math.sin(t * radiansPerSecond), 0),
      times.reduce((s, t) => s + Math.cos(t * radiansPerSecond), 0),
    ) / radiansPerSecond
  );
}

function peakToPeakJitter(times, mean, interval) {
  let [earliest, latest] = [Infinity, -Infinity];
  for (const t of times) {
    const intervals = (t - mean) / interval;
    const offset = (intervals - Math.round(intervals)) * interval;
    [earliest, latest] = [Math.min(earliest, offset), Math.max(latest, offset)];
  }
  return latest - earliest;
}

/** Folds a curve to a width. A curve that leaves at the right continues at the left. */
function foldCurve(x, y, start, width) {
  const out = { x: [], y: [] };
  const push = (t, v, fold) => {
    out.x.push(t - start - width * fold);
    out.y.push(v);
  };
  let previousFold = -1;
  for (let i = 0; i < x.length; i++) {
    const fold = Math.floor((x[i] - start) / width);
    if (i > 0) {
      for (let k = previousFold + 1; k <= fold; k++) {
        const edge = start + width * k;
        const v = y[i - 1] + ((y[i] - y[i - 1]) * (edge - x[i - 1])) / (x[i] - x[i - 1]);
        push(edge, v, k - 1);
        out.x.push(null);
        out.y.push(null);
        push(edge, v, k);
      }
    }
    push(x[i], y[i], fold);
    previousFold = fold;
  }
  return out;
}

/** Returns the opening of the eye at its centre, which is at whole intervals. */
function eyeHeight(x, y, level, start, interval) {
  let [lowestHigh, highestLow] = [Infinity, -Infinity];
  for (let k = Math.ceil((x[0] - start) / interval); start + k * interval <= x.at(-1); k++) {
    const v = valueAt(x, y, start + k * interval);
    if (v >= level) lowestHigh = Math.min(lowestHigh, v);
    else highestLow = Math.max(highestLow, v);
  }
  const height = lowestHigh - highestLow;
  return Number.isFinite(height) ? Math.max(0, height) : 0;
}
