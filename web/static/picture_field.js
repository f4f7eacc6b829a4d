// Temperature fields as heat maps, with a colour scale and a probe by mouse, touch and arrow keys.
import { h, smallButton } from './dom.js';
import { formatQuantity } from './quantity.js';
import { announce } from './shell.js';

/**
 * The colours of the scale: dark blue over violet and orange to pale yellow, in even steps of
 * lightness. The scale is readable without colour too.
 */
const colourStops = [
  [20, 24, 82],
  [94, 32, 122],
  [176, 51, 97],
  [231, 105, 58],
  [251, 175, 64],
  [252, 246, 190],
];

/** Returns the colour of a fraction of the scale from 0 to 1, as [red, green, blue]. */
function heatColour(fraction) {
  const position = Math.min(Math.max(fraction, 0), 1) * (colourStops.length - 1);
  const i = Math.min(Math.floor(position), colourStops.length - 2);
  return colourStops[i].map((c, k) => c + (colourStops[i + 1][k] - c) * (position - i));
}

/** Returns the fields with the coordinates of a grid: as many as it has columns and rows. */
function axesOf(value, group, grid) {
  const lists = group.fields.filter((f) => f.kind === 'numbers');
  const rows = value[grid.name].length;
  const columns = value[grid.name][0]?.length ?? 0;
  const prefix = grid.name.replace(/_c$/, '').split('_').at(-1);
  const x =
    lists.find((f) => f.name.startsWith(`${prefix}_`) && value[f.name].length === columns) ??
    lists.find((f) => value[f.name].length === columns);
  const y =
    lists.find((f) => f !== x && value[f.name].length === rows) ??
    lists.find((f) => value[f.name].length === rows);
  return { x, y };
}

/** Draws the grids of a field into an element, one at a time; see pictures.js. */
export function draw(element, { result, field }) {
  const value = result[field.name];
  const isDrawable = (rows) => Array.isArray(rows) && rows.length > 1 && rows[0]?.length > 1;
  const grids = field.fields.filter((f) => f.kind === 'grid' && isDrawable(value[f.name]));
  if (!grids.length) return undefined;
  const reading = h('output', {});
  const box = h('div', {});
  const choose = (grid) => {
    for (const b of tabs.children)
      b.setAttribute('aria-pressed', String(b.textContent === grid.label));
    box.replaceChildren(heatMap(value, field, grid, reading));
  };
  const tabs = h(
    'span',
    { class: 'picker' },
    grids.length > 1 && grids.map((grid) => smallButton(grid.label, () => choose(grid))),
  );
  element.append(h('figure', {}, h('figcaption', {}, h('b', {}, field.label), tabs, reading), box));
  choose(grids[0]);
  return undefined;
}

/** Returns a grid as a canvas with one pixel per value, and its colour scale. */
function heatMap(value, group, grid, reading) {
  const rows = value[grid.name];
  const [height, width] = [rows.length, rows[0].length];
  const flat = rows.flat().filter((v) => Number.isFinite(v));
  const low = flat.reduce((a, b) => Math.min(a, b), Infinity);
  const high = flat.reduce((a, b) => Math.max(a, b), -Infinity);
  const axes = axesOf(value, group, grid);
  const canvas = h('canvas', {
    width,
    height,
    tabindex: 0,
    role: 'img',
    'aria-label': `${grid.label}: ${formatQuantity(low, grid.unit)} to ${formatQuantity(high, grid.unit)}. Arrow keys probe.`,
  });
  paintGrid(canvas, rows, low, high);
  const extent = (f, n) => (f ? Math.abs(value[f.name][n - 1] - value[f.name][0]) : n);
  const ratio = extent(axes.x, width) / (extent(axes.y, height) || 1);
  canvas.style.aspectRatio = String(Math.min(4, Math.max(0.2, ratio)));
  listenToProbe(canvas, width, height, (i, j, isSpoken) => {
    const place = [
      axes.x && formatQuantity(value[axes.x.name][i], 'mm'),
      axes.y && formatQuantity(value[axes.y.name][j], 'mm'),
    ]
      .filter(Boolean)
      .join(', ');
    const v = rows[j][i];
    reading.textContent = `${place}: ${Number.isFinite(v) ? formatQuantity(v, grid.unit) : 'nothing there'}`;
    if (isSpoken) announce(reading.textContent);
  });
  return h('div', { class: 'heat' }, canvas, colourScale(low, high, grid.unit));
}

/**
 * Paints a pixel per value on a canvas, and sets its size. The y axis points upwards.
 * @param {HTMLCanvasElement} canvas
 * @param {(number|null)[][]} rows
 * @param {number} low value of the lowest colour
 * @param {number} high value of the highest colour
 * @param {number[]} [missingColour] of a pixel without a value, as RGBA
 */
export function paintGrid(canvas, rows, low, high, missingColour = [128, 128, 128, 0]) {
  const [width, height] = [rows[0].length, rows.length];
  [canvas.width, canvas.height] = [width, height];
  const context = canvas.getContext('2d');
  const image = context.createImageData(width, height);
  const colourOf = (v) =>
    Number.isFinite(v) ? [...heatColour((v - low) / (high - low || 1)), 255] : missingColour;
  rows.forEach((row, j) =>
    row.forEach((v, i) => image.data.set(colourOf(v), 4 * ((height - 1 - j) * width + i))),
  );
  context.putImageData(image, 0, 0);
}

const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

/**
 * Shows the value under the pointer, or at the position that the arrow keys change.
 * @param {HTMLCanvasElement} canvas of paintGrid
 * @param {number} width number of columns
 * @param {number} height number of rows
 * @param {(i: number, j: number, isSpoken: boolean) => void} showAt shows column i of row j, first
 *   the middle; isSpoken is true for keys
 */
export function listenToProbe(canvas, width, height, showAt) {
  let [i, j] = [width >> 1, height >> 1];
  const clamp = (v, max) => Math.min(max, Math.max(0, v));
  const probe = (nextI, nextJ, isSpoken) => {
    [i, j] = [clamp(nextI, width - 1), clamp(nextJ, height - 1)];
    showAt(i, j, isSpoken);
  };
  canvas.addEventListener('pointermove', (event) => {
    const box = canvas.getBoundingClientRect();
    const column = Math.floor(((event.clientX - box.left) / box.width) * width);
    const row = Math.floor(((event.clientY - box.top) / box.height) * height);
    probe(column, height - 1 - row, false);
  });
  canvas.addEventListener('keydown', (event) => {
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    probe(i + step[0], j + step[1], true);
  });
  probe(i, j, false);
}

const scaleSteps = 128;

/** Returns the colour scale from low to high with five marks. */
export function colourScale(low, high, unit) {
  const bar = h('canvas', { width: 1, height: scaleSteps, class: 'scale', 'aria-hidden': 'true' });
  const g = bar.getContext('2d');
  for (let i = 0; i < scaleSteps; i++) {
    const rgb = heatColour(1 - i / (scaleSteps - 1)).map(Math.round);
    g.fillStyle = `rgb(${rgb.join(' ')})`;
    g.fillRect(0, i, 1, 1);
  }
  const marks = [1, 0.75, 0.5, 0.25, 0].map((t) =>
    h('span', {}, formatQuantity(Number((low + t * (high - low)).toPrecision(4)), unit)),
  );
  return h('div', { class: 'bar2' }, bar, h('div', { class: 'marks' }, marks));
}
