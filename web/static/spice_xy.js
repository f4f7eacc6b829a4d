// Vectors over any other vector. uPlot needs ascending x values, so this module draws the lines
// itself, through the scales of uPlot.
import { interpolate } from './cursors.js';
import {
  axisLabel,
  axisOptions,
  degreeIncrements,
  followWidth,
  lineStyle,
  plotWidth,
  swatch,
  tickFormatter,
  xAxisSize,
  yAxisSize,
} from './plot.js';
import { uPlot } from './vendor/plot.js';
import { cssColor, download } from './shell.js';
import { h, smallButton } from './dom.js';

const heightPx = 340;

/**
 * @typedef {object} XYCurve
 * @property {string} label
 * @property {string} unit
 * @property {number} style number of the line style
 * @property {(number|null)[]} x
 * @property {(number|null)[]} values
 * @property {boolean} [isFirst] whether it belongs to the first run, whose points the cursors count
 */

/** Returns real values, the magnitude of complex ones, and null for NaN and infinities. */
const realValues = ({ re, im }) =>
  re.map((r, i) => {
    const v = im ? Math.hypot(r, im[i]) : r;
    return Number.isFinite(v) ? v : null;
  });

/**
 * Returns the curves of expressions over another expression, one for each run.
 * @param {import('./spice_compare.js').Comparison[]} runs
 * @param {string[]} shown
 * @param {string} over
 * @param {(text: string, run?: number) => number} styleOf
 * @returns {{axis: {label: string, unit: string, values: (number|null)[]}, curves: XYCurve[]}} the
 *   axis has the values of the first run
 */
export function curvesOver(runs, shown, over, styleOf) {
  const curves = shown
    .filter((t) => t !== over)
    .flatMap((t) =>
      runs.map(({ vectors, step }, i) => {
        const v = vectors.values(t);
        return {
          label: step ? `${t}, ${step}` : t,
          unit: v.unit,
          style: styleOf(t, i),
          x: realValues(vectors.values(over)),
          values: realValues(v),
          isFirst: i === 0,
        };
      }),
    );
  const x = runs[0].vectors.values(over);
  return { axis: { label: over, unit: x.unit, values: realValues(x) }, curves };
}

/** Draws curves over each other, with a plot for each unit, and returns the plots. */
export const plotsXY = (element, p) =>
  [...new Set(p.curves.map((c) => c.unit))].map((unit, i) =>
    plotXY(element, {
      ...p,
      name: i ? `${p.name}_${i + 1}` : p.name,
      curves: p.curves.filter((c) => c.unit === unit),
    }),
  );

/**
 * Draws curves of one unit that have their own x values.
 * @param {HTMLElement} element
 * @param {{title: string, name: string, x: {label: string, unit: string}, curves: XYCurve[],
 *   cursors: import('./cursors.js').Cursors}} p
 * @returns {{plot: object, destroy: () => void}}
 */
export function plotXY(element, { title, name, x, curves, cursors }) {
  const box = h('div', {
    class: 'plot',
    tabindex: 0,
    role: 'img',
    'aria-label': `${title}: ${curves.map((c) => c.label).join(', ')} over ${x.label}. Arrow keys move the cursor.`,
  });
  const legend = h(
    'p',
    { class: 'runs' },
    curves.map((c) => h('span', {}, swatch(c.style), ' ', c.label)),
    `over ${x.label}`,
  );
  const spec = { title, x, series: curves, legend: true };
  const figure = h(
    'figure',
    {},
    box,
    legend,
    fileButtons(name, spec, () => chart),
  );
  element.append(figure);
  const ranges = [paddedRange(curves.map((c) => c.x)), paddedRange(curves.map((c) => c.values))];
  const draw = (u) => drawCurves(u, curves, cursors);
  let chart;
  const build = () => {
    chart?.destroy();
    chart = new uPlot(chartOptions(x, curves, ranges, plotWidth(box), draw), ranges, box);
  };
  build();
  const sizeObserver = followWidth(box, () => chart, heightPx);
  document.addEventListener('scheme', build);
  box.addEventListener('keydown', (event) => cursors.handleKey(event));
  return {
    get plot() {
      return chart;
    },
    destroy() {
      sizeObserver.disconnect();
      document.removeEventListener('scheme', build);
      chart.destroy();
      figure.remove();
    },
  };
}

/** Returns the buttons that download a plot. */
function fileButtons(name, spec, chart) {
  const files = () => import('./plot_files.js');
  return h(
    'p',
    { class: 'picker' },
    smallButton('CSV', () => download(`${name}.csv`, toCSV(spec.x, spec.series), 'text/csv')),
    smallButton('PNG', async () => {
      const { toPNG, plotSVG } = await files();
      toPNG(plotSVG(chart(), spec), (blob) => download(`${name}.png`, blob));
    }),
    smallButton('SVG', async () => {
      const { plotSVG } = await files();
      download(`${name}.svg`, plotSVG(chart(), spec), 'image/svg+xml');
    }),
  );
}

/** Returns the range of all values with 5 % on both sides. */
function paddedRange(lists) {
  let [low, high] = [Infinity, -Infinity];
  for (const list of lists) {
    for (const v of list) {
      if (v === null) continue;
      low = Math.min(low, v);
      high = Math.max(high, v);
    }
  }
  const margin = (high - low || Math.abs(high) || 1) * 0.05;
  return [low - margin, high + margin];
}

function chartOptions(x, curves, [xRange, yRange], width, draw) {
  const axis = (label, unit, size) => ({
    ...axisOptions(),
    size,
    label: axisLabel({ label, unit }),
    ...(unit === '°' && { incrs: degreeIncrements }),
    values: tickFormatter(label, unit),
  });
  const yLabel = curves.length === 1 ? curves[0].label : '';
  return {
    width,
    height: heightPx,
    legend: { show: false },
    cursor: { show: false },
    scales: { x: { time: false, range: () => xRange }, y: { range: () => yRange } },
    axes: [axis(x.label, x.unit, xAxisSize), axis(yLabel, curves[0].unit, yAxisSize)],
    series: [{}, { show: true, stroke: 'transparent', points: { show: false } }],
    hooks: { draw: [draw] },
  };
}

/** Draws the curves and the cursors on the canvas of a uPlot. */
function drawCurves(u, curves, cursors) {
  const g = u.ctx;
  g.save();
  g.beginPath();
  g.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
  g.clip();
  for (const c of curves) {
    const style = lineStyle(c.style);
    g.strokeStyle = g.fillStyle = cssColor(style.colour);
    g.lineWidth = 1.6 * devicePixelRatio;
    g.setLineDash(style.dash.map((d) => d * devicePixelRatio));
    strokeCurve(u, c);
    g.setLineDash([]);
    if (c.isFirst) drawCursors(u, c, cursors);
  }
  g.restore();
}

/** Draws the line of a curve; a missing value interrupts it. */
function strokeCurve(u, { x, values }) {
  const g = u.ctx;
  let isOpen = false;
  g.beginPath();
  x.forEach((v, i) => {
    if (v === null || values[i] === null) {
      isOpen = false;
      return;
    }
    const [px, py] = [u.valToPos(v, 'x', true), u.valToPos(values[i], 'y', true)];
    if (isOpen) g.lineTo(px, py);
    else g.moveTo(px, py);
    isOpen = true;
  });
  g.stroke();
}

/** Marks the points of a curve at the cursors A and B. */
function drawCursors(u, { x, values }, cursors) {
  const g = u.ctx;
  for (const c of ['A', 'B']) {
    const index = cursors.at[c];
    if (index === null) continue;
    const point = [interpolate(x, index), interpolate(values, index)];
    if (point.includes(null)) continue;
    const [px, py] = [u.valToPos(point[0], 'x', true), u.valToPos(point[1], 'y', true)];
    g.beginPath();
    g.arc(px, py, 4 * devicePixelRatio, 0, 2 * Math.PI);
    g.fill();
    g.font = `600 ${12 * devicePixelRatio}px system-ui`;
    g.fillText(c, px + 7 * devicePixelRatio, py - 4 * devicePixelRatio);
  }
}

/** Returns the points as comma-separated values. Curves with the same x values share a column. */
function toCSV(x, curves) {
  const columns = curves.flatMap((c, i) => {
    const own = { label: c.label, values: c.values };
    const isShared = i > 0 && c.x.every((v, k) => v === curves[i - 1].x[k]);
    return isShared ? [own] : [{ label: x.label, values: c.x }, own];
  });
  const rows = Array.from({ length: Math.max(...columns.map((c) => c.values.length)) }, (_, i) =>
    columns.map((c) => c.values[i] ?? '').join(','),
  );
  return [columns.map((c) => `"${c.label.replaceAll('"', '""')}"`).join(','), ...rows].join('\n');
}
