// A plot as SVG, as PNG and as a table. The SVG shows the visible range in the light colour scheme.
// The page loads this module for the first of these files.
import { h } from './dom.js';
import { axisLabel, lineStyle, minorLines } from './plot.js';
import { formatNumber } from './quantity.js';

/** The colours of the light scheme by custom property. */
const lightColours = {
  '--accent': '#0b5c8a',
  '--bad': '#b3261e',
  '--good': '#1b6b3a',
  '--warn': '#7a4b00',
  '--ink': '#15202b',
  '--soft': '#4d5b69',
};
const [gridColour, minorGridColour, textColour] = ['#d3dae1', '#e9edf1', '#15202b'];
const strokeWidth = 1.6;

const escapeXML = (text) =>
  String(text).replace(
    /[&<>"]/g,
    (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c],
  );

const round = (v) => Number(v.toFixed(2));

/** Returns the plot area of a uPlot in CSS pixels, and functions x and y from values to pixels. */
function frameOf(u) {
  const [left, top, width, height] = [u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height].map(
    (v) => v / devicePixelRatio,
  );
  return {
    left,
    top,
    width,
    height,
    right: round(left + width),
    bottom: round(top + height),
    x: (v) => round(left + u.valToPos(v, 'x')),
    y: (v) => round(top + u.valToPos(v, 'y')),
  };
}

/**
 * Returns a plot as SVG text.
 * @param {object} u the uPlot
 * @param {import('./plot.js').PlotSpec} p its description; a series may have its own x values
 */
export function plotSVG(u, p) {
  const frame = frameOf(u);
  const { left, top, right, bottom, width } = frame;
  const hasLegend = p.legend ?? p.series.length > 1;
  const places = hasLegend ? legendPlaces(p.series, width) : [];
  const legendHeight = places.length ? 20 * (places.at(-1).row + 1) : 0;
  const legend = places.map((place, i) => legendEntry(p.series[i], i, place, frame));
  const labels = [...gridAndTicks(u, frame), ...axisTitles(u, frame), ...legend];
  const curves = p.series.map((s, i) => {
    const points = s.source ?? { x: s.x ?? p.x.values, values: s.values };
    const d = curvePath(points, s, frame, p.x.bin);
    return `<path d="${d}" stroke-width="${strokeWidth}" ${strokeOf(s, i)}/>`;
  });
  const marks = (p.marks ?? []).map((m, i) => markShape(m, i, frame));
  const title = escapeXML(p.title);
  const total = { w: round(right + 24), h: round(bottom + 68 + legendHeight) }; // 24 above the plot
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${total.w}" height="${total.h}" viewBox="0 -24 ${total.w} ${total.h}" font-family="system-ui, sans-serif" font-size="12">
<title>${title}</title><rect y="-24" width="100%" height="100%" fill="#fff"/>
<clipPath id="c"><path d="M${round(left)} ${round(top)}H${right}V${bottom}H${round(left)}Z"/></clipPath>
<g fill="none">${labels.join('').replaceAll('<text', `<text fill="${textColour}"`)}</g><text x="${round(left)}" y="-8" fill="${textColour}" font-weight="600">${title}</text>
<g fill="none" clip-path="url(#c)" stroke-linejoin="round">${curves.join('')}</g>${marks.length ? `\n<g fill="none" clip-path="url(#c)" stroke="${lightColours['--soft']}" font-size="11">${marks.join('')}</g>` : ''}</svg>\n`;
}

/** Returns the grid lines and the ticks of both axes as SVG elements. */
function gridAndTicks(u, { left, top, right, bottom, x, y }) {
  const vertical = (v, stroke) => `<path d="M${x(v)} ${round(top)}V${bottom}" stroke="${stroke}"/>`;
  const horizontal = (v, stroke) =>
    `<path d="M${round(left)} ${y(v)}H${right}" stroke="${stroke}"/>`;
  const [xTicks, yTicks] = u.axes.map((a) =>
    a._splits
      .map((v, i) => [v, a._values[i]])
      .filter(([v, text]) => v !== null && text !== '' && text !== null),
  );
  return [
    ...minorLines(u.scales.x).map((v) => vertical(v, minorGridColour)),
    ...minorLines(u.scales.y).map((v) => horizontal(v, minorGridColour)),
    ...xTicks.map(
      ([v, text]) =>
        `${vertical(v, gridColour)}<text x="${x(v)}" y="${bottom + 16}" text-anchor="middle">${escapeXML(text)}</text>`,
    ),
    ...yTicks.map(
      ([v, text]) =>
        `${horizontal(v, gridColour)}<text x="${round(left - 8)}" y="${y(v) + 4}" text-anchor="end">${escapeXML(text)}</text>`,
    ),
  ];
}

const axisTitles = (u, { left, top, width, height, bottom }) => [
  `<text x="${round(left + width / 2)}" y="${bottom + 36}" text-anchor="middle">${escapeXML(u.axes[0].label)}</text>`,
  `<text transform="translate(14 ${round(top + height / 2)}) rotate(-90)" text-anchor="middle">${escapeXML(u.axes[1].label ?? '')}</text>`,
];

/** Returns the stroke attributes of a series. */
function strokeOf(s, index) {
  const { colour, dash } = lineStyle(s.style ?? index);
  return `stroke="${lightColours[colour]}" stroke-dasharray="${(s.dash ?? dash).join(' ')}"`;
}

function legendEntry(s, index, { x, row }, { left, bottom }) {
  const line = `<path d="M${round(left + x)} ${bottom + 50 + 20 * row}h18" stroke-width="${strokeWidth}" ${strokeOf(s, index)}/>`;
  return `${line}<text x="${round(left + x + 24)}" y="${bottom + 54 + 20 * row}">${escapeXML(s.label)}</text>`;
}

/** Returns the positions of the labels below a plot, in rows of its width: [{x, row}]. */
function legendPlaces(series, width) {
  let [x, row] = [0, 0];
  return series.map(({ label }) => {
    const labelWidth = 40 + 7 * String(label).length; // line, gap and letters of 7 px
    if (x > 0 && x + labelWidth > width) [x, row] = [0, row + 1];
    const place = { x, row };
    x += labelWidth;
    return place;
  });
}

/** Returns a mark with its name: a line at its x, a line at its y, or a circle at both. */
function markShape(m, index, { left, top, right, bottom, width, x: xOf, y: yOf }) {
  const x = m.x === undefined ? undefined : xOf(m.x);
  const y = m.y === undefined ? undefined : yOf(m.y);
  const isRight = x === undefined || x > left + width * 0.85;
  const textX = x === undefined ? right - 4 : x + (isRight ? -6 : 6);
  const textY = y === undefined ? bottom - 4 - 13 * (index % 4) : Math.max(top + 14, y - 3);
  const anchor = isRight ? ' text-anchor="end"' : '';
  let shape = `<circle cx="${x}" cy="${y}" r="4"/>`;
  if (y === undefined) shape = `<path d="M${x} ${round(top)}V${bottom}" stroke-dasharray="2 3"/>`;
  else if (x === undefined)
    shape = `<path d="M${round(left)} ${y}H${right}" stroke-dasharray="2 3"/>`;
  return `${shape}<text x="${round(textX)}" y="${round(textY)}"${anchor} stroke="none" fill="${lightColours['--soft']}">${escapeXML(m.name)}</text>`;
}

/** Returns the path data of a curve; a missing value interrupts it. */
function curvePath({ x: xs, values }, { bars, steps }, { x, y, bottom }, bin) {
  const parts = [];
  let isOpen = false;
  xs.forEach((v, i) => {
    const value = values[i];
    if (value === null || value === undefined || !Number.isFinite(value)) {
      isOpen = false;
    } else if (bars && bin) {
      parts.push(`M${x(v - 0.47 * bin)} ${bottom}V${y(value)}H${x(v + 0.47 * bin)}V${bottom}`);
    } else if (bars) {
      parts.push(`M${x(v)} ${bottom}V${y(value)}`);
    } else {
      if (!isOpen) parts.push(`M${x(v)} ${y(value)}`);
      else parts.push(steps ? `H${x(v)}V${y(value)}` : `L${x(v)} ${y(value)}`);
      isOpen = true;
    }
  });
  return parts.join('');
}

const pngPixelRatio = 2;

/**
 * Converts an SVG from plotSVG to PNG.
 * @param {string} svg
 * @param {(blob: Blob) => void} onDone
 */
export async function toPNG(svg, onDone) {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [image.width * pngPixelRatio, image.height * pngPixelRatio];
  canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob(onDone);
}

const maxTableRows = 200;

/** Returns the values of a plot as a table of at most 200 rows, evenly spaced over the points. */
export function tableOf(p) {
  const columns = [p.x, ...p.series];
  const row = (tag, cells) =>
    h(
      'tr',
      {},
      cells.map((text) => h(tag, { class: 'n' }, text)),
    );
  const stride = Math.ceil(p.x.values.length / maxTableRows);
  const rows = [];
  for (let i = 0; i < p.x.values.length; i += stride) {
    const cells = columns.map(({ values }) =>
      values[i] === null || values[i] === undefined ? '–' : formatNumber(values[i]),
    );
    rows.push(row('td', cells));
  }
  const table = h('table', {}, row('th', columns.map(axisLabel)), rows);
  return h('div', { class: 'scroll', tabindex: 0 }, table);
}
