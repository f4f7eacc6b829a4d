// The heat map of a result over two varied fields.
import { formatValue, unitOf } from './batch_values.js';
import { h } from './dom.js';
import { colourScale, listenToProbe, paintGrid } from './picture_field.js';
import { formatQuantity } from './quantity.js';
import { announce } from './shell.js';

const missingColour = [128, 128, 128, 60]; // of a run without a result, as RGBA
const tickFractions = [0, 0.25, 0.5, 0.75, 1]; // of an axis

const drawTicks = (values, f) => {
  const indices = tickFractions.map((t) => Math.round(t * (values.length - 1)));
  return [...new Set(indices)].map((i) =>
    h('span', {}, formatValue(Number(values[i].toPrecision(4)), f)),
  );
};

/**
 * Draws a heat map.
 * @param {(number|null)[][]} grid values of the result, a row per y
 * @param {{field: object, values: number[]}} x
 * @param {{field: object, values: number[]}} y
 * @param {object} result
 */
export function drawHeatMap(grid, x, y, result) {
  const known = grid.flat().filter((v) => v !== null);
  const low = known.reduce((a, b) => Math.min(a, b), Infinity);
  const high = known.reduce((a, b) => Math.max(a, b), -Infinity);
  const unit = unitOf(result);
  const range = `from ${formatQuantity(low, unit)} to ${formatQuantity(high, unit)}`;
  const canvas = h('canvas', {
    tabindex: 0,
    role: 'img',
    'aria-label': `${result.label} ${range} over ${x.field.label} and ${y.field.label}. Arrow keys probe.`,
  });
  paintGrid(canvas, grid, low, high, missingColour);
  const reading = h('output', {});
  listenToProbe(canvas, x.values.length, y.values.length, (i, j, isSpoken) => {
    const [atX, atY] = [formatValue(x.values[i], x.field), formatValue(y.values[j], y.field)];
    const value = formatValue(grid[j][i], result);
    reading.textContent = `${x.field.label} ${atX}, ${y.field.label} ${atY}: ${value}`;
    if (isSpoken) announce(reading.textContent);
  });
  const title = `${result.label} over ${x.field.label} and ${y.field.label}`;
  return h(
    'figure',
    {},
    h('figcaption', {}, h('b', {}, title), reading),
    h(
      'div',
      { class: 'heat batch-heat' },
      h('div', { class: 'ys' }, drawTicks(y.values, y.field).reverse()),
      canvas,
      colourScale(low, high, unit),
      h('div', { class: 'xs' }, drawTicks(x.values, x.field)),
    ),
  );
}
