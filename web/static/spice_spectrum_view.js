// The views of a transient analysis: the spectrum and the eye diagram of the shown traces, and the
// harmonics of .four.
import { alignCurves } from './align.js';
import { h } from './dom.js';
import { plot } from './plot.js';
import { readQuantity, formatQuantity } from './quantity.js';
import { sourceUnit } from './spice_netlist.js';
import {
  computeEye,
  computeSpectrum,
  countPeriods,
  estimateUnitInterval,
  windows,
} from './spice_spectrum.js';
import { maxSeries } from './spice_panes.js';
import { valueAt } from './spice_vectors.js';
import { plotXY } from './spice_xy.js';

const roundoffRatio = 1e-10; // of the largest line; smaller lines are rounding errors
const constantRatio = 1e-12; // of the mean; smaller lines are rounding errors
const wholePeriods = 0.01; // distance from a whole number, in periods, at which a line leaks 1 %

/**
 * @typedef {object} TimeCurve
 * @property {string} label
 * @property {string} unit
 * @property {number} style number of the line style
 * @property {number[]} x times in seconds
 * @property {number[]} y
 */

/**
 * The part of the page that a view fills.
 * @typedef {object} ViewContext
 * @property {HTMLElement} stage for the plots
 * @property {HTMLElement} findings a list
 * @property {string} name of the files
 * @property {import('./spice_compare.js').Comparison[]} runs
 * @property {string[]} shown expressions
 * @property {(text: string, run?: number) => number} styleOf returns the number of the line style
 * @property {import('./cursors.js').Cursors} cursors
 * @property {{window: string, interval?: number, span?: [number, number]}} settings the name of the
 *   window function; the unit interval in seconds, or undefined to estimate it; the part of the run
 *   in seconds, or undefined for all of it
 * @property {() => void} redraw draws the view again
 */

/** Shows a number with at most the given number of significant digits. */
const showRounded = (v, digits, unit) => formatQuantity(Number(v.toPrecision(digits)) || 0, unit);

/** Returns a curve between two times, with interpolated points at both. */
function clip(x, y, span) {
  if (!span) return { x, y };
  const [first, last] = span.map((t) => ({ t, v: valueAt(x, y, t) }));
  const inner = x.map((t, i) => ({ t, v: y[i] })).filter(({ t }) => t > first.t && t < last.t);
  const points = [first, ...inner, last].filter(({ v }) => v !== null);
  return { x: points.map(({ t }) => t), y: points.map(({ v }) => v) };
}

/** Returns the curves of the shown traces over time. */
const timeCurves = ({ runs, shown, styleOf }) =>
  shown
    .flatMap((text) =>
      runs
        .flatMap((run) => run.curves(text))
        .map(({ label, unit, x, parts }, i) => ({
          label,
          unit,
          style: styleOf(text, i),
          x,
          y: parts.value,
        })),
    )
    .slice(0, maxSeries);

/**
 * Draws the spectrum or the eye diagram.
 * @param {'spectrum'|'eye'} view
 * @param {ViewContext} context
 * @returns {object[]} the plots
 */
export function drawTimeView(view, context) {
  const curves = timeCurves(context);
  if (curves.length === 0) {
    context.stage.append(h('p', { class: 'empty' }, 'Choose a trace above.'));
    return [];
  }
  return view === 'eye' ? drawEye(curves[0], context) : drawSpectrum(curves, context);
}

function drawSpectrum(curves, { stage, findings, name, cursors, settings, redraw }) {
  const { span } = settings;
  stage.append(windowPicker(settings, redraw));
  const series = [];
  for (const c of curves) {
    const part = clip(c.x, c.y, span);
    try {
      const spectrum = computeSpectrum(part.x, part.y, settings.window);
      series.push(spectrumSeries(c, spectrum));
      findings.append(
        spectrumFinding(c, spectrum),
        periodFinding(c, part, spectrum, settings.window),
      );
    } catch (error) {
      findings.append(h('li', {}, `${c.label}: ${error.message}`));
    }
  }
  if (series.length === 0) return [];
  const { x: frequencies, lists } = alignCurves(series);
  series.forEach((s, i) => {
    s.values = lists[i];
  });
  const units = [...new Set(curves.map((c) => c.unit))];
  const x = { label: 'Frequency', unit: 'Hz', log: true, values: frequencies };
  const chart = plot(stage, {
    title: 'Spectrum',
    name: `${name}_spectrum`,
    x,
    y: {
      unit: 'dB',
      label: units.length === 1 && units[0] ? `Amplitude re 1 ${units[0]} peak` : 'Peak amplitude',
    },
    series,
    height: 340,
    hooks: cursors.hooks(),
    onKey: (event) => cursors.handleKey(event),
  });
  cursors.setData(x, series);
  return [chart];
}

function windowPicker(settings, redraw) {
  const { span } = settings;
  const picker = h(
    'select',
    {
      id: 'spectrum-window',
      onchange: (e) => {
        settings.window = e.target.value;
        redraw();
      },
    },
    Object.entries(windows).map(([name, w]) =>
      h('option', { value: name, selected: name === settings.window }, w.label),
    ),
  );
  const range = span
    ? `From cursor A to B: ${formatQuantity(span[1] - span[0], 's')}`
    : 'Of the whole run. Cursors A and B in Curves select a part of it.';
  return h(
    'p',
    { class: 'picker' },
    h('label', { class: 'brief' }, 'Window ', picker),
    h('span', { class: 'absent' }, range),
  );
}

const indexOfLargest = (values) => values.reduce((best, v, i) => (v > values[best] ? i : best), 0);

/** Returns a spectrum in decibels, without the mean value. */
function spectrumSeries(curve, { frequency, amplitude, mean }) {
  const largest = amplitude[indexOfLargest(amplitude)];
  const floor = Math.max(roundoffRatio * largest, constantRatio * Math.abs(mean));
  return {
    label: curve.label,
    unit: 'dB',
    style: curve.style,
    points: false,
    x: frequency,
    values: amplitude.map((v) => (v > floor ? 20 * Math.log10(v) : null)),
  };
}

function spectrumFinding({ label, unit }, { frequency, amplitude, mean, resolution }) {
  const largest = indexOfLargest(amplitude);
  const isConstant = amplitude[largest] <= constantRatio * Math.abs(mean);
  const parts = [
    isConstant
      ? 'constant'
      : `largest line ${showRounded(amplitude[largest], 4, unit)} peak at ${showRounded(frequency[largest], 6, 'Hz')}`,
    `mean ${showRounded(mean, 4, unit)}`,
    `lines every ${showRounded(resolution, 4, 'Hz')}`,
  ];
  return h('li', {}, h('b', {}, label), `: ${parts.join(', ')}`);
}

/** States that a window holds no whole number of periods, and what follows for the lines. */
function periodFinding({ label }, { x, y }, { amplitude }, window) {
  const { loss } = windows[window];
  const count = countPeriods(x, y, 1 + indexOfLargest(amplitude));
  const isWhole = count === undefined || Math.abs(count - Math.round(count)) < wholePeriods;
  if (isWhole || loss === 0) return '';
  const leak = window === 'none' ? ' and leak into each other' : '';
  return h(
    'li',
    {},
    h('b', {}, label),
    `: ${showRounded(count, 4, '')} periods, no whole number: lines read up to ${loss} % low${leak}`,
  );
}

function drawEye(curve, { stage, findings, name, settings, redraw }) {
  const estimate = estimateUnitInterval(curve.x, curve.y);
  const interval = settings.interval ?? estimate;
  const field = h('input', {
    id: 'eye-interval',
    inputmode: 'text',
    autocomplete: 'off',
    spellcheck: 'false',
    value: interval ? showRounded(interval, 4, 's') : '',
    onchange: () => {
      const { value, error } = readInterval(field.value);
      if (error) {
        field.setAttribute('aria-invalid', 'true');
        findings.replaceChildren(h('li', { class: 'mistake' }, error));
        return;
      }
      settings.interval = value;
      redraw();
    },
  });
  const isEstimate = !settings.interval && estimate;
  stage.append(
    h(
      'p',
      { class: 'picker' },
      h('label', { class: 'brief' }, 'Unit interval ', field),
      h(
        'span',
        { class: 'absent' },
        isEstimate ? 'Estimated from the crossings of the middle level.' : '',
      ),
    ),
  );
  if (!interval) {
    stage.append(
      h(
        'p',
        { class: 'problem' },
        'The curve passes its middle level fewer than three times, so it has no eye. Choose another trace.',
      ),
    );
    return [];
  }
  const eye = computeEye(curve.x, curve.y, interval);
  findings.append(eyeFinding(curve, eye));
  const noCursors = { at: { A: null, B: null }, handleKey: () => false };
  const chart = plotXY(stage, {
    title: 'Eye diagram',
    name: `${name}_eye`,
    x: { label: 'Time', unit: 's' },
    curves: [{ label: curve.label, unit: curve.unit, style: 0, x: eye.x, values: eye.y }],
    cursors: noCursors,
  });
  return [chart];
}

/** Reads a unit interval: { value } in seconds, undefined for empty text, or { error }. */
function readInterval(text) {
  if (!text.trim()) return {};
  const { value, error } = readQuantity(text, 's');
  if (error) return { error: `The unit interval ${error}` };
  return value > 0 ? { value } : { error: 'The unit interval must be greater than 0.' };
}

function eyeFinding({ label, unit }, { height, width, jitter, crossings }) {
  const parts = [
    `eye height ${showRounded(height, 4, unit)}`,
    `eye width ${showRounded(width, 4, 's')}`,
    `jitter ${showRounded(jitter, 3, 's')} peak to peak`,
    `${crossings} crossings`,
  ];
  return h('li', {}, h('b', {}, label), `: ${parts.join(', ')}`);
}

/**
 * Draws the harmonics of the .four cards.
 * @param {object[]} fourier of a result
 * @param {ViewContext} context
 * @returns {object[]} the plots
 */
export const drawFourier = (fourier, { stage, name }) =>
  fourier.map((f) => {
    const unit = sourceUnit(f.node);
    const distortion = f.thd_pct === null ? 'unknown' : formatQuantity(f.thd_pct, '%');
    const values = f.harmonics.map(({ magnitude }) => magnitude);
    return plot(stage, {
      title: `${f.node}, fundamental ${formatQuantity(f.fundamental_hz, 'Hz')}, THD ${distortion}`,
      name: `${name}_${f.node}_harmonics`,
      height: 240,
      x: { label: 'Harmonic', unit: '', values: f.harmonics.map(({ n }) => n) },
      y: { label: 'Peak amplitude', unit },
      series: [{ label: f.node, unit, bars: true, points: false, values }],
    });
  });
