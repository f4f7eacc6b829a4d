// A plot of series over a common x axis: cursor by mouse, touch and arrow keys, CSV, PNG, SVG and a
// table of its values. uPlot draws; this module sets colours, size and units.
import { uPlot } from './vendor/plot.js';
import { h, smallButton, svg } from './dom.js';
import { scaledUnit, formatQuantity, formatNumber, unitText } from './quantity.js';
import { cssColor, copy, download, announce } from './shell.js';

const lineColours = ['--accent', '--bad', '--good', '--warn', '--ink', '--soft'];
const lineDashes = [[], [6, 3], [2, 3], [8, 3, 2, 3], [12, 4], [4, 4]];

/** Numbers from which a colour repeats, with another dash. */
export const colourCount = lineColours.length;

/**
 * Returns the style of the line with a number: a custom property of app.css, and a dash. The first
 * 36 styles differ.
 */
export const lineStyle = (n) => ({
  colour: lineColours[n % colourCount],
  dash: lineDashes[(n + Math.floor(n / colourCount)) % lineDashes.length],
});

/** Returns a short line in the style with a number, for a legend. */
export function swatch(n) {
  const style = lineStyle(n);
  const line = svg('path', {
    d: 'M0 4h18',
    'stroke-width': 2.4,
    'stroke-dasharray': style.dash.join(' '),
  });
  line.style.stroke = `var(${style.colour})`;
  return svg('svg', { width: 18, height: 8, viewBox: '0 0 18 8', 'aria-hidden': 'true' }, line);
}

/** Returns the label of an axis or a series with its unit. */
export const axisLabel = (a) => a.label + (unitText(a.unit) && ` [${unitText(a.unit)}]`);

const minWidthPx = 240;
const defaultHeightPx = 260;
const paperWidthPx = 630; // a plot on A4 with margins

/**
 * @typedef {object} PlotAxis
 * @property {string} label
 * @property {string} [unit]
 * @property {boolean} [log] a logarithmic axis
 * @property {number} [bin] the width of the bars of a histogram
 * @property {number[]} values
 *
 * @typedef {object} Series
 * @property {string} label
 * @property {string} [unit]
 * @property {(number|null)[]} values
 * @property {number} [style] number of the line style; the default is the index of the series
 * @property {number[]} [dash] replaces the dash of the style
 * @property {boolean} [points] marks the points; the default depends on their number
 * @property {boolean} [steps]
 * @property {boolean} [bars]
 * @property {{x: number[], values: (number|null)[]}} [source] all points of the curve, for the SVG
 *
 * @typedef {object} PlotSpec
 * @property {string} title
 * @property {string} [name] of the downloaded files; the default is the title
 * @property {PlotAxis} x
 * @property {{label?: string, unit?: string, log?: boolean}} [y]
 * @property {Series[]} series
 * @property {boolean} [legend] the default is a legend for more than one series
 * @property {number} [height] in pixels
 * @property {string} [sync] plots with the same key share their cursor
 * @property {(index: number|null) => void} [onCursor]
 * @property {(event: KeyboardEvent) => boolean} [onKey] reports whether it handled the key
 * @property {object} [hooks] of uPlot
 * @property {{name: string, x?: number, y?: number}[]} [marks] for the SVG; hooks draw them on the
 *   canvas
 */

/**
 * Draws a plot into an element.
 * @param {HTMLElement} element
 * @param {PlotSpec} p
 * @returns {{plot: object, csv: () => string, destroy: () => void}} plot is the uPlot
 */
export function plot(element, p) {
  const reading = h('output', { 'aria-live': 'off' }); // the keys announce it
  const box = h('div', { class: 'plot', tabindex: 0, role: 'img', 'aria-label': describePlot(p) });
  const figure = h('figure', {}, h('figcaption', {}, h('b', {}, p.title), reading), box);
  element.append(figure);
  const height = p.height ?? defaultHeightPx;
  const onCursor = (index) => {
    p.onCursor?.(index);
    if (p.series.length === 1) reading.textContent = index === null ? '' : describePoint(p, index);
  };
  let chart;
  const build = () => {
    chart?.destroy();
    const size = { width: plotWidth(box), height };
    const data = [p.x.values, ...p.series.map((s) => s.values)];
    chart = new uPlot(chartOptions(p, size, onCursor), data, box);
  };
  build();
  const sizeObserver = followWidth(box, () => chart, height);
  const fitPaper = () =>
    chart.setSize({ width: Math.min(chart.width, paperWidthPx), height: chart.height });
  const fitScreen = () => chart.setSize({ width: plotWidth(box), height: chart.height });
  addEventListener('beforeprint', fitPaper);
  addEventListener('afterprint', fitScreen);
  document.addEventListener('scheme', build);
  let index = -1;
  box.addEventListener('keydown', (event) => {
    if (p.onKey?.(event)) return;
    const direction = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!direction) return;
    event.preventDefault();
    const count = p.x.values.length;
    const stride = event.shiftKey ? Math.max(1, Math.round(count / 20)) : 1;
    index = Math.min(count - 1, Math.max(0, index + direction * stride));
    chart.setCursor({ left: chart.valToPos(p.x.values[index], 'x'), top: chart.bbox.height / 4 });
    reading.textContent = describePoint(p, index);
    announce(reading.textContent);
  });
  const csv = () => toCSV(p);
  figure.append(
    actions(p, csv, () => chart),
    valueTable(p),
  );
  return {
    get plot() {
      return chart;
    },
    csv,
    destroy() {
      sizeObserver.disconnect();
      removeEventListener('beforeprint', fitPaper);
      removeEventListener('afterprint', fitScreen);
      document.removeEventListener('scheme', build);
      chart.destroy();
      figure.remove();
    },
  };
}

/** Returns the width in pixels of a plot in a box. */
export const plotWidth = (box) => Math.max(minWidthPx, box.clientWidth);

/** Resizes the present chart with its box. Returns the observer. */
export function followWidth(box, chart, height) {
  const observer = new ResizeObserver(() => {
    const width = plotWidth(box);
    if (Math.abs(chart().width - width) > 1) chart().setSize({ width, height });
  });
  observer.observe(box);
  return observer;
}

/** Returns the options of uPlot that all axes share, in the present colour scheme. */
export function axisOptions() {
  const grid = { stroke: cssColor('--line'), width: 1 };
  return {
    stroke: cssColor('--soft'),
    grid,
    ticks: grid,
    font: '12px system-ui',
    labelFont: '12px system-ui',
    labelSize: 22,
  };
}

/** Heights and widths in pixels of the axes, which uPlot calls their size. */
export const xAxisSize = 30;
export const yAxisSize = 74;

function chartOptions(p, { width, height }, onCursor) {
  return {
    width,
    height,
    pxAlign: 0,
    scales: {
      x: { time: false, distr: p.x.log ? 3 : 1, range: xRange(p) },
      y: { distr: p.y?.log ? 3 : 1, range: yRange(p) },
    },
    axes: chartAxes(p),
    series: [
      { label: p.x.label, value: (u, v) => (v === null ? '–' : formatQuantity(v, p.x.unit ?? '')) },
      ...p.series.map((s, i) => chartSeries(s, i, p)),
    ],
    cursor: { sync: p.sync ? { key: p.sync } : undefined, drag: { x: true, y: false } },
    // The caption shows the values of a single series.
    legend: { show: p.legend ?? p.series.length > 1, live: true },
    hooks: {
      drawClear: [drawMinorGrid, thinDenseLines],
      setCursor: [(u) => onCursor(u.cursor.idx ?? null)],
      ...p.hooks,
    },
  };
}

function xRange({ x, series }) {
  if (series.some((s) => s.bars)) {
    const margin = (x.bin ?? 1) / 2;
    return (u, min, max) => [min - margin, max + margin];
  }
  return x.log ? (u, min, max) => [min, max] : undefined;
}

function yRange({ x, y }) {
  if (y?.log) return undefined;
  return x.bin ? (u, min, max) => [0, max * 1.06] : paddedRange;
}

/** Leaves 6 % around the values, but does not extend positive values below zero. */
function paddedRange(u, min, max) {
  if (min === null) return [0, 1];
  const margin = (max - min || Math.abs(max) || 1) * 0.06;
  return [min >= 0 && min - margin < 0 ? 0 : min - margin, max + margin];
}

function chartAxes(p) {
  const unit = p.y?.unit ?? p.series[0]?.unit;
  const name = p.y?.label ?? (p.series.length === 1 ? p.series[0].label : '');
  return [
    {
      ...axisOptions(),
      ...(p.x.log && { splits: decadeTicks, filter: (u, ticks) => ticks }),
      label: axisLabel(p.x),
      size: xAxisSize,
      values: tickFormatter(p.x.label, p.x.unit),
    },
    {
      ...axisOptions(),
      ...(unit === '°' && { incrs: degreeIncrements }),
      ...(p.x.bin && { incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000] }),
      label: name ? axisLabel({ label: name, unit }) : unitText(unit),
      size: yAxisSize,
      values: tickFormatter(name, unit),
    },
  ];
}

function chartSeries(s, index, { x }) {
  const style = lineStyle(s.style ?? index);
  return {
    label: s.label,
    stroke: cssColor(style.colour),
    width: lineWidthPx,
    dash: s.dash ?? style.dash,
    fill: s.bars ? cssColor('--wash') : undefined,
    spanGaps: false,
    points: { show: s.points ?? x.values.length < 25, size: 5 },
    paths: linePaths(s, x.bin),
    value: (u, v) => (isMissing(v) ? '–' : formatQuantity(v, s.unit ?? '')),
  };
}

function linePaths(s, bin) {
  if (s.steps) return uPlot.paths.stepped({ align: 1 });
  if (s.bars) return uPlot.paths.bars({ size: bin ? [0.94] : [0.6, 48] });
  return undefined;
}

const isMissing = (v) => v === null || v === undefined;

/** Returns the values at a point as a sentence. */
const describePoint = (p, index) =>
  [
    `${p.x.label} ${formatQuantity(p.x.values[index], p.x.unit ?? '')}`,
    ...p.series.map(({ label, unit, values }) => {
      const v = values[index];
      return `${label} ${isMissing(v) ? 'none' : formatQuantity(v, unit ?? '')}`;
    }),
  ].join(', ');

/** Returns the ticks of a logarithmic axis: its decades, and over few decades 2 and 5 too. */
function decadeTicks(u, axis, min, max) {
  const factors = Math.log10(max / min) < 3.5 ? [1, 2, 5] : [1];
  const ticks = [];
  for (let e = Math.floor(Math.log10(min)); e <= Math.ceil(Math.log10(max)); e++) {
    for (const m of factors) {
      const v = Number(`${m}e${e}`);
      if (v >= min * (1 - 1e-9) && v <= max * (1 + 1e-9)) ticks.push(v);
    }
  }
  return ticks.length > 1 ? ticks : [min, max];
}

const lineWidthPx = 1.6; // CSS pixels
const maxWideLength = 20; // widths of the plot; longer lines are thin

/** Draws long lines one device pixel wide, which is ten times as fast. */
function thinDenseLines(u) {
  const limit = maxWideLength * u.bbox.width;
  u.series.forEach((s, i) => {
    if (i === 0 || !s.show) return;
    s.width = verticalLength(u, i, limit) > limit ? 1 / devicePixelRatio : lineWidthPx;
  });
}

/** Returns the vertical length of the visible part of a curve in device pixels, up to the limit. */
function verticalLength(u, i, limit) {
  const [from, to] = u.series[0].idxs ?? [0, -1];
  const values = u.data[i];
  const { distr, min, max } = u.scales.y;
  if (distr === 3 || to - from < u.bbox.width) return 0;
  const limitInUnits = (limit * (max - min)) / u.bbox.height;
  let sum = 0;
  for (let k = from + 1; k <= to && sum <= limitInUnits; k++)
    sum += Math.abs(values[k] - values[k - 1]) || 0; // gaps
  return (sum / (max - min)) * u.bbox.height;
}

/** Returns tick distances in degrees: multiples of 45° for ranges over 80°. */
export const degreeIncrements = (u, axis, min, max) =>
  max - min > 80 ? [45, 90, 180, 360, 720, 1440, 3600] : [0.001, 0.01, 0.1, 0.5, 1, 5, 15, 45];

const maxMinorDecades = 12; // decades of an axis with minor grid lines

/** Returns the values of the minor grid lines of a logarithmic scale. */
export function minorLines({ distr, min, max }) {
  if (distr !== 3 || !(min > 0) || Math.log10(max / min) > maxMinorDecades) return [];
  const lines = [];
  for (let e = Math.floor(Math.log10(min)); e <= Math.log10(max); e++) {
    for (let m = 2; m < 10; m++) {
      const v = Number(`${m}e${e}`);
      if (v > min && v < max) lines.push(v);
    }
  }
  return lines;
}

/** Draws the minor grid lines, below the grid of the ticks. */
function drawMinorGrid(u) {
  const { left, top, width, height } = u.bbox;
  u.ctx.save();
  u.ctx.strokeStyle = cssColor('--line');
  u.ctx.globalAlpha = 0.55;
  u.ctx.lineWidth = devicePixelRatio;
  u.ctx.beginPath();
  for (const v of minorLines(u.scales.x)) {
    const x = u.valToPos(v, 'x', true);
    u.ctx.moveTo(x, top);
    u.ctx.lineTo(x, top + height);
  }
  for (const v of minorLines(u.scales.y)) {
    const y = u.valToPos(v, 'y', true);
    u.ctx.moveTo(left, y);
    u.ctx.lineTo(left + width, y);
  }
  u.ctx.stroke();
  u.ctx.restore();
}

const prefixableUnits = new Set(['Hz', 's', 'V', 'A', 'W', 'Ω', 'F', 'H', 'V/√Hz', 'A/√Hz']);

/** Returns a tick of a logarithmic axis without the unit of the axis: "10 k" in Hz. */
function logTick(v, unit) {
  if (unitText(unit) !== (unit ?? '')) return formatNumber(v);
  return formatQuantity(v, unit ?? '').replace(/ ([^ \d]+)$/, (match, shown) => {
    if (shown === unit) return '';
    const isPrefixed = prefixableUnits.has(unit) && shown.endsWith(unit);
    return `\u202f${isPrefixed ? shown.slice(0, -unit.length) : shown}`;
  });
}

/**
 * Returns a function for uPlot that formats the ticks of an axis. All ticks of a linear axis share
 * one prefix, which the function puts into the label of the axis: "Time [ms]".
 */
export const tickFormatter = (label, unit) => (u, ticks, axis) => {
  const { distr, min, max } = u.scales[u.axes[axis].scale];
  if (distr === 3) return ticks.map((v) => (v === null ? '' : logTick(v, unit)));
  const shown = scaledUnit(Math.max(Math.abs(min), Math.abs(max)), unit ?? '');
  u.axes[axis].label = label ? label + (shown.unit && ` [${shown.unit}]`) : shown.unit;
  return withEqualDecimals(ticks.map((v) => (v === null ? null : v * shown.factor)));
};

/** Formats numbers with the decimals that the finest of them needs; null becomes "". */
function withEqualDecimals(values) {
  const largest = Math.max(...values.map(Math.abs));
  const decimals = [0, 1, 2, 3, 4, 5].find((d) =>
    values.every((v) => {
      const scaled = v * 10 ** d;
      return Math.abs(scaled - Math.round(scaled)) < 1e-6 * Math.max(1, Math.abs(scaled));
    }),
  );
  if (decimals === undefined || largest >= 1e6)
    return values.map((v) => (v === null ? '' : formatNumber(v)));
  return values.map((v) => (v === null ? '' : v.toFixed(decimals).replace(/^-(0(\.0*)?)$/, '$1')));
}

/** Returns the text of a plot for screen readers. */
function describePlot(p) {
  const parts = p.series.slice(0, 4).map((s) => {
    // Math.min(...values) overflows the stack at about 100,000 points.
    let [low, high] = [Infinity, -Infinity];
    for (const v of s.values) {
      if (!Number.isFinite(v)) continue;
      if (v < low) low = v;
      if (v > high) high = v;
    }
    return low <= high
      ? `${s.label} from ${formatQuantity(low, s.unit ?? '')} to ${formatQuantity(high, s.unit ?? '')}`
      : `${s.label} without values`;
  });
  return `${p.title}: over ${p.x.label} from ${formatQuantity(p.x.values[0], p.x.unit ?? '')} to ${formatQuantity(p.x.values.at(-1), p.x.unit ?? '')}; ${parts.join('; ')}. Arrow keys read values.`;
}

/** Returns the values of a plot as comma-separated values. */
function toCSV({ x, series }) {
  const header = [x, ...series].map((a) => `"${axisLabel(a).replaceAll('"', '""')}"`);
  const rows = x.values.map((v, i) => [v, ...series.map((s) => s.values[i] ?? '')].join(','));
  return [header.join(','), ...rows].join('\n');
}

/** Returns the buttons below a plot. */
function actions(p, csv, chart) {
  const name = (p.name ?? p.title).toLowerCase().replaceAll(/[^a-z0-9]+/g, '_');
  const files = () => import('./plot_files.js');
  return h(
    'p',
    { class: 'picker' },
    smallButton('CSV', () => download(`${name}.csv`, csv(), 'text/csv')),
    smallButton('Copy table', (e) => copy(csv().replaceAll(',', '\t'), e.currentTarget)),
    smallButton('PNG', async () => {
      const { toPNG, plotSVG } = await files();
      toPNG(plotSVG(chart(), p), (blob) => download(`${name}.png`, blob));
    }),
    smallButton('SVG', async () => {
      const { plotSVG } = await files();
      download(`${name}.svg`, plotSVG(chart(), p), 'image/svg+xml');
    }),
    smallButton('Reset zoom', () => {
      // Plots that share their cursor are zoomed together.
      const plots = p.sync ? uPlot.sync(p.sync).plots : [chart()];
      for (const u of plots) u.setData(u.data);
    }),
  );
}

/** Returns the values as a folded table, which is created when it is opened. */
function valueTable(p) {
  const details = h('details', {}, h('summary', {}, 'Values as a table'));
  details.addEventListener(
    'toggle',
    () => import('./plot_files.js').then((m) => details.append(m.tableOf(p))),
    { once: true },
  );
  return details;
}
