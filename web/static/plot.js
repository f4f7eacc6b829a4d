// A plot of series over a common x: cursor by mouse, touch and arrow keys, CSV, PNG, SVG and a
// table of its values. uPlot draws; this module sets colours, size and units.
import { uPlot } from './vendor/plot.js';
import { scaledUnit, show, showNumber, unitText } from './quantity.js';
import { colour, copy, download, announce } from './shell.js';

const inks = ['--accent', '--bad', '--good', '--warn', '--ink', '--soft'];
const dashes = [[], [6, 3], [2, 3], [8, 3, 2, 3], [12, 4], [4, 4]];

/** The colour, as a custom property of app.css, and the dash of a series by number. */
export const ink = (n) => ({ colour: inks[n % inks.length], dash: dashes[n % dashes.length] });

/** A stroke in the colour and dash of a curve. */
export function swatch(n) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  for (const [k, v] of Object.entries({
    width: 18,
    height: 8,
    viewBox: '0 0 18 8',
    'aria-hidden': 'true',
  }))
    svg.setAttribute(k, v);
  const line = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  line.setAttribute('d', 'M0 4h18');
  line.setAttribute('stroke-width', '2.4');
  line.setAttribute('stroke-dasharray', ink(n).dash.join(' '));
  line.style.stroke = `var(${ink(n).colour})`;
  svg.append(line);
  return svg;
}

/** A label with its unit. */
export const axisLabel = (a) => a.label + (unitText(a.unit) && ` [${unitText(a.unit)}]`);

/**
 * Draws a plot into element.
 * @param {HTMLElement} element
 * @param {{title: string, x: {label: string, unit?: string, log?: boolean, bin?: number, values: number[]},
 *   series: {label: string, unit?: string, values: (number|null)[], own?: {x: number[], values: (number|null)[]}, dash?: number[], ink?: number, points?: boolean, steps?: boolean, bars?: boolean}[],
 *   y?: {label?: string, unit?: string, log?: boolean}, legend?: boolean, height?: number, sync?: string, name?: string,
 *   onCursor?: (index: number|null) => void, onKey?: (event: KeyboardEvent) => boolean, hooks?: object,
 *   marks?: {name: string, x?: number, y?: number}[]}} p
 *   bin: the width of the bars of a histogram; sync: plots of the same name share their cursor; ink: the colour and dash, by number; onKey: tells whether it took the key; hooks: uPlot's, which draw the marks on the canvas; marks: for the SVG; own: all points of a curve, for the SVG
 * @returns {{plot: object, csv: () => string, destroy: () => void}}
 */
export function plot(element, p) {
  const figure = document.createElement('figure');
  const caption = document.createElement('figcaption');
  const title = document.createElement('b');
  title.textContent = p.title;
  const reading = document.createElement('output');
  reading.setAttribute('aria-live', 'off'); // keys announce it
  caption.append(title, reading);
  const box = document.createElement('div');
  box.className = 'plot';
  box.tabIndex = 0;
  box.setAttribute('role', 'img');
  box.setAttribute('aria-label', summary(p));
  figure.append(caption, box);
  element.append(figure);
  const csv = () =>
    [
      [axisLabel(p.x), ...p.series.map(axisLabel)]
        .map((h) => `"${h.replaceAll('"', '""')}"`)
        .join(','),
      ...p.x.values.map((x, i) => [x, ...p.series.map((s) => s.values[i] ?? '')].join(',')),
    ].join('\n');
  let chart;
  const build = () => {
    chart?.destroy();
    chart = new uPlot(options(), [p.x.values, ...p.series.map((s) => s.values)], box);
  };
  const options = () => {
    const grid = { stroke: colour('--line'), width: 1 };
    const axis = {
      stroke: colour('--soft'),
      grid,
      ticks: grid,
      font: '12px system-ui',
      labelFont: '12px system-ui',
      labelSize: 22,
    };
    const unit = p.y?.unit ?? p.series[0]?.unit;
    const yName = p.y?.label ?? (p.series.length === 1 ? p.series[0].label : '');
    const yLabel = yName ? axisLabel({ label: yName, unit }) : unitText(unit);
    return {
      width: Math.max(240, box.clientWidth),
      height: p.height ?? 260,
      pxAlign: 0,
      scales: {
        x: {
          time: false,
          distr: p.x.log ? 3 : 1,
          range: p.series.some((s) => s.bars)
            ? (u, min, max) => [min - (p.x.bin ?? 1) / 2, max + (p.x.bin ?? 1) / 2]
            : p.x.log
              ? (u, min, max) => [min, max]
              : undefined,
        },
        y: {
          distr: p.y?.log ? 3 : 1,
          range: p.y?.log ? undefined : p.x.bin ? (u, min, max) => [0, max * 1.06] : padded,
        },
      },
      axes: [
        {
          ...axis,
          ...(p.x.log && { splits: decades, filter: (u, ticks) => ticks }),
          label: axisLabel(p.x),
          size: 30,
          values: ticksOf(p.x.label, p.x.unit),
        },
        {
          ...axis,
          ...(unit === '°' && { incrs: degrees }),
          ...(p.x.bin && { incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000] }),
          label: yLabel,
          size: 74,
          values: ticksOf(yName, unit),
        },
      ],
      series: [
        { label: p.x.label, value: (u, v) => (v === null ? '–' : show(v, p.x.unit ?? '')) },
        ...p.series.map((s, i) => ({
          label: s.label,
          stroke: colour(ink(s.ink ?? i).colour),
          width: lineWidth,
          dash: s.dash ?? ink(s.ink ?? i).dash,
          fill: s.bars ? colour('--wash') : undefined,
          spanGaps: false,
          points: { show: s.points ?? p.x.values.length < 25, size: 5 },
          paths: s.steps
            ? uPlot.paths.stepped({ align: 1 })
            : s.bars
              ? uPlot.paths.bars({ size: p.x.bin ? [0.94] : [0.6, 48] })
              : undefined,
          value: (u, v) => (v === null || v === undefined ? '–' : show(v, s.unit ?? '')),
        })),
      ],
      cursor: { sync: p.sync ? { key: p.sync } : undefined, drag: { x: true, y: false } },
      legend: { show: p.legend ?? p.series.length > 1, live: true }, // a single series is read in the caption
      hooks: {
        drawClear: [drawMinorGrid, thinDense],
        setCursor: [(u) => read(u.cursor.idx ?? null)],
        ...p.hooks,
      },
    };
  };
  const told = (i) =>
    [
      `${p.x.label} ${show(p.x.values[i], p.x.unit ?? '')}`,
      ...p.series.map(
        (s) =>
          `${s.label} ${s.values[i] === null || s.values[i] === undefined ? 'none' : show(s.values[i], s.unit ?? '')}`,
      ),
    ].join(', ');
  const read = (i) => {
    p.onCursor?.(i);
    if (p.series.length === 1) reading.textContent = i === null ? '' : told(i);
  };
  build();
  const sized = new ResizeObserver(() => {
    const width = Math.max(240, box.clientWidth);
    if (Math.abs(chart.width - width) > 1) chart.setSize({ width, height: p.height ?? 260 });
  });
  sized.observe(box);
  const toPaper = () =>
    chart.setSize({ width: Math.min(chart.width, paperWidth), height: chart.height });
  const toScreen = () =>
    chart.setSize({ width: Math.max(240, box.clientWidth), height: chart.height });
  addEventListener('beforeprint', toPaper);
  addEventListener('afterprint', toScreen);
  document.addEventListener('scheme', build);
  let at = -1;
  box.addEventListener('keydown', (event) => {
    if (p.onKey?.(event)) return;
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const stride = event.shiftKey ? Math.max(1, Math.round(p.x.values.length / 20)) : 1;
    at = Math.min(p.x.values.length - 1, Math.max(0, at + by * stride));
    chart.setCursor({ left: chart.valToPos(p.x.values[at], 'x'), top: chart.bbox.height / 4 });
    reading.textContent = told(at);
    announce(reading.textContent);
  });
  figure.append(
    actions(p, csv, () => chart),
    table(p),
  );
  return {
    get plot() {
      return chart;
    },
    csv,
    destroy() {
      sized.disconnect();
      removeEventListener('beforeprint', toPaper);
      removeEventListener('afterprint', toScreen);
      document.removeEventListener('scheme', build);
      chart.destroy();
      figure.remove();
    },
  };
}

const paperWidth = 630; // px of a plot on A4 with margins

/** The ticks of a logarithmic axis: the decades and, where there are few, 2 and 5 within. */
function decades(u, axis, min, max) {
  const few = Math.log10(max / min) < 3.5;
  const ticks = [];
  for (let e = Math.floor(Math.log10(min)); e <= Math.ceil(Math.log10(max)); e++) {
    for (const m of few ? [1, 2, 5] : [1]) {
      const v = Number(`${m}e${e}`);
      if (v >= min * (1 - 1e-9) && v <= max * (1 + 1e-9)) ticks.push(v);
    }
  }
  return ticks.length > 1 ? ticks : [min, max];
}

const padded = (u, min, max) => {
  if (min === null) return [0, 1];
  const room = (max - min || Math.abs(max) || 1) * 0.06;
  return [min >= 0 && min - room < 0 ? 0 : min - room, max + room];
};

const lineWidth = 1.6; // CSS px
const longestWide = 20; // length of a wide line over the width of the plot

/** Gives curves with many oscillations a line of one device pixel, which is ten times as fast to draw. */
function thinDense(u) {
  const most = longestWide * u.bbox.width;
  u.series.forEach((s, i) => {
    if (i === 0 || !s.show) return;
    s.width = length(u, i, most) > most ? 1 / devicePixelRatio : lineWidth;
  });
}

/** The vertical length of the visible part of a curve [device px], of which most is enough. */
function length(u, i, most) {
  const [from, to] = u.series[0].idxs ?? [0, -1];
  const values = u.data[i];
  const { distr, min, max } = u.scales.y;
  if (distr === 3 || to - from < u.bbox.width) return 0;
  const limit = (most * (max - min)) / u.bbox.height;
  let sum = 0;
  for (let k = from + 1; k <= to && sum <= limit; k++)
    sum += Math.abs(values[k] - values[k - 1]) || 0; // gaps
  return (sum / (max - min)) * u.bbox.height;
}

/** Steps of an axis in degrees: multiples of 45° over a quarter turn and more. */
export const degrees = (u, axis, min, max) =>
  max - min > 80 ? [45, 90, 180, 360, 720, 1440, 3600] : [0.001, 0.01, 0.1, 0.5, 1, 5, 15, 45];

const mostDecades = 12; // with lines between them

/** The lines between the decades of a logarithmic scale. */
export function minorLines({ distr, min, max }) {
  if (distr !== 3 || !(min > 0) || Math.log10(max / min) > mostDecades) return [];
  const lines = [];
  for (let e = Math.floor(Math.log10(min)); e <= Math.log10(max); e++) {
    for (let m = 2; m < 10; m++) {
      const v = Number(`${m}e${e}`);
      if (v > min && v < max) lines.push(v);
    }
  }
  return lines;
}

/** Draws them below the grid of the ticks. */
function drawMinorGrid(u) {
  const { left, top, width, height } = u.bbox;
  u.ctx.save();
  u.ctx.strokeStyle = colour('--line');
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

const prefixed = new Set(['Hz', 's', 'V', 'A', 'W', 'Ω', 'F', 'H']);

/** A tick of a logarithmic axis with the prefix alone, as the axis names the unit: 10 k on an axis in Hz. */
function tick(v, unit) {
  if (unitText(unit) !== (unit ?? '')) return showNumber(v);
  return show(v, unit ?? '').replace(/ ([^ \d]+)$/, (m, u) =>
    u === unit
      ? ''
      : `\u202f${prefixed.has(unit) && u.endsWith(unit) ? u.slice(0, -unit.length) : u}`,
  );
}

/** What writes the ticks of an axis. A linear one has one prefix, which stands in its label: Time [ms]. */
export const ticksOf = (label, unit) => (u, ticks, axis) => {
  const { distr, min, max } = u.scales[u.axes[axis].scale];
  if (distr === 3) return ticks.map((v) => (v === null ? '' : tick(v, unit)));
  const shown = scaledUnit(Math.max(Math.abs(min), Math.abs(max)), unit ?? '');
  u.axes[axis].label = label ? label + (shown.unit && ` [${shown.unit}]`) : shown.unit;
  return evenly(ticks.map((v) => (v === null ? null : v * shown.factor)));
};

/** Numbers with as many decimals as the finest of them needs. */
function evenly(values) {
  const largest = Math.max(...values.map(Math.abs));
  const decimals = [0, 1, 2, 3, 4, 5].find((d) =>
    values.every(
      (v) =>
        Math.abs(v * 10 ** d - Math.round(v * 10 ** d)) < 1e-6 * Math.max(1, Math.abs(v * 10 ** d)),
    ),
  );
  if (decimals === undefined || largest >= 1e6)
    return values.map((v) => (v === null ? '' : showNumber(v)));
  return values.map((v) => (v === null ? '' : v.toFixed(decimals).replace(/^-(0(\.0*)?)$/, '$1')));
}

function summary(p) {
  const parts = p.series.slice(0, 4).map((s) => {
    // Math.min(...values) would overflow the stack at some 100,000 points.
    let [low, high] = [Infinity, -Infinity];
    for (const v of s.values) {
      if (!Number.isFinite(v)) continue;
      if (v < low) low = v;
      if (v > high) high = v;
    }
    return low <= high
      ? `${s.label} from ${show(low, s.unit ?? '')} to ${show(high, s.unit ?? '')}`
      : `${s.label} without values`;
  });
  return `${p.title}: over ${p.x.label} from ${show(p.x.values[0], p.x.unit ?? '')} to ${show(p.x.values.at(-1), p.x.unit ?? '')}; ${parts.join('; ')}. Arrow keys read values.`;
}

function actions(p, csv, chart) {
  const line = document.createElement('p');
  line.className = 'picker';
  const name = (p.name ?? p.title).toLowerCase().replaceAll(/[^a-z0-9]+/g, '_');
  const button = (text, act) => {
    const b = document.createElement('button');
    b.type = 'button';
    b.className = 'small';
    b.textContent = text;
    b.addEventListener('click', act);
    line.append(b);
  };
  button('CSV', () => download(`${name}.csv`, csv(), 'text/csv'));
  button('Copy table', (e) => copy(csv().replaceAll(',', '\t'), e.currentTarget));
  button('PNG', () =>
    import('./plot_files.js').then((m) =>
      m.png(m.plotSVG(chart(), p), (blob) => download(`${name}.png`, blob)),
    ),
  );
  button('SVG', () =>
    import('./plot_files.js').then((m) =>
      download(`${name}.svg`, m.plotSVG(chart(), p), 'image/svg+xml'),
    ),
  );
  button('Reset zoom', () => chart().setData(chart().data));
  return line;
}

/** The values as a table, made when it is opened. */
function table(p) {
  const details = document.createElement('details');
  const head = document.createElement('summary');
  head.textContent = 'Values as a table';
  details.append(head);
  details.addEventListener(
    'toggle',
    () => import('./plot_files.js').then((m) => details.append(m.tableOf(p))),
    { once: true },
  );
  return details;
}
