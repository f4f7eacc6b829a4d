// The spectrum and the eye diagram of the shown traces of a transient.
import { el } from './dom.js';
import { onOneAxis } from './joined.js';
import { plot } from './plot.js';
import { show } from './quantity.js';
import { eye, spectrum, unitInterval, windows } from './spice_spectrum.js';
import { valueAt } from './spice_vectors.js';
import { xy } from './spice_xy.js';

const floor = 1e-10; // of the largest line; below that is arithmetic noise

/** The part of a curve between two times, with points at both where the curve has them. */
function clipped(x, y, span) {
  if (!span) return { x, y };
  const [first, last] = span.map((t) => ({ t, v: valueAt(x, y, t) }));
  const inner = x.map((t, i) => ({ t, v: y[i] })).filter(({ t }) => t > first.t && t < last.t);
  const points = [first, ...inner, last].filter(({ v }) => v !== null);
  return { x: points.map(({ t }) => t), y: points.map(({ v }) => v) };
}

/**
 * Draws the spectra of curves. state.window names the window function; again redraws the view.
 * @param {{label: string, unit: string, ink: number, x: number[], y: number[]}[]} curves @param {[number, number]|undefined} span in seconds
 */
export function drawSpectrum(stage, findings, { curves, span, name, state, hooks, onKey, again }) {
  const choose = el(
    'select',
    {
      id: 'spectrum-window',
      onchange: (e) => {
        state.window = e.target.value;
        again();
      },
    },
    Object.entries(windows).map(([k, w]) =>
      el('option', { value: k, selected: k === state.window }, w.label),
    ),
  );
  stage.append(
    el(
      'p',
      { class: 'picker' },
      el('label', { class: 'brief' }, 'Window ', choose),
      el(
        'span',
        { class: 'absent' },
        span
          ? `From cursor A to B: ${show(span[1] - span[0], 's')}`
          : 'Of the whole run. Cursors A and B in Curves select a part of it.',
      ),
    ),
  );
  const series = [];
  for (const c of curves) {
    const part = clipped(c.x, c.y, span);
    let s;
    try {
      s = spectrum(part.x, part.y, state.window);
    } catch (error) {
      findings.append(el('li', {}, `${c.label}: ${error.message}`));
      continue;
    }
    const axis = s.frequency.slice(1);
    const lines = s.amplitude.slice(1);
    const top = lines.reduce((best, v, i) => (v > lines[best] ? i : best), 0);
    series.push({
      label: c.label,
      unit: 'dB',
      ink: c.ink,
      points: false,
      x: axis,
      values: lines.map((v) => (v > floor * lines[top] ? 20 * Math.log10(v) : null)),
    });
    findings.append(
      el(
        'li',
        {},
        el('b', {}, c.label),
        `: largest line ${show(Number(lines[top].toPrecision(4)), c.unit)} peak at ${show(Number(axis[top].toPrecision(6)), 'Hz')}, mean ${show(Number(s.amplitude[0].toPrecision(4)) || 0, c.unit)}, lines every ${show(Number(s.resolution.toPrecision(4)), 'Hz')}`,
      ),
    );
  }
  if (series.length === 0) return { made: [] };
  const { x: axis, lists } = onOneAxis(series);
  series.forEach((s, i) => {
    s.values = lists[i];
  });
  const units = [...new Set(curves.map((c) => c.unit))];
  const x = { label: 'Frequency', unit: 'Hz', log: true, values: axis };
  return {
    x,
    series,
    made: [
      plot(stage, {
        title: 'Spectrum',
        name: `${name}_spectrum`,
        x,
        y: {
          unit: 'dB',
          label: units.length === 1 && units[0] ? `Peak value over 1 ${units[0]}` : 'Peak value',
        },
        series,
        height: 340,
        hooks,
        onKey,
      }),
    ],
  };
}

/** Draws the eye diagram of one curve. state keeps the unit interval in seconds. */
export function drawEye(stage, findings, { curve, name, state, again }) {
  const guess = unitInterval(curve.x, curve.y);
  const interval = state.interval ?? guess;
  const field = el('input', {
    id: 'eye-interval',
    inputmode: 'text',
    autocomplete: 'off',
    spellcheck: 'false',
    value: interval ? show(Number(interval.toPrecision(4)), 's') : '',
    onchange: (e) => {
      state.read(e.target.value, again);
    },
  });
  stage.append(
    el(
      'p',
      { class: 'picker' },
      el('label', { class: 'brief' }, 'Unit interval ', field),
      el(
        'span',
        { class: 'absent' },
        state.interval || !guess ? '' : 'Estimated from the crossings of the middle level.',
      ),
    ),
  );
  if (!interval) {
    stage.append(
      el(
        'p',
        { class: 'problem' },
        'The curve passes its middle level fewer than three times, so it has no eye. Choose another trace.',
      ),
    );
    return { made: [] };
  }
  const e = eye(curve.x, curve.y, interval);
  findings.append(
    el(
      'li',
      {},
      el('b', {}, curve.label),
      `: eye height ${show(Number(e.height.toPrecision(4)), curve.unit)}, eye width ${show(Number(e.width.toPrecision(4)), 's')}, jitter ${show(Number(e.jitter.toPrecision(3)), 's')} peak to peak, ${e.crossings} crossings`,
    ),
  );
  const cursors = { at: { A: null, B: null }, key: () => false };
  return {
    made: [
      xy(stage, {
        title: 'Eye diagram',
        name: `${name}_eye`,
        x: { label: 'Time', unit: 's' },
        curves: [{ label: curve.label, unit: curve.unit, ink: 0, x: e.x, values: e.y }],
        cursors,
      }),
    ],
  };
}
