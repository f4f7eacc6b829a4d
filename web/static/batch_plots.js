// Plots of a batch. They take the drawn batch of batch_result.js and return the plots to destroy.
import { drawHeatMap } from './batch_heat.js';
import { csvField, formatValue, toPlotValue, unitOf } from './batch_values.js';
import { h, smallButton } from './dom.js';
import { cursorPlots } from './cursor_plots.js';
import { plot } from './plot.js';
import { cssColor, download } from './shell.js';

const maxFamily = 8; // curves of a sweep over two fields
const singleHeightPx = 260;
const sharedHeightPx = 200; // of each of several plots

const axisOf = (f, values) => ({
  label: f.label,
  unit: unitOf(f),
  whole: f.whole,
  log: f.log,
  values,
});

/** Returns the runs in rising order of a field, and the axis of the field. */
function axisOfRuns(f, columns) {
  const values = columns[f.field];
  const order = values.map((_, i) => i).sort((a, b) => values[a] - values[b]);
  const x = axisOf(
    f,
    order.map((i) => values[i]),
  );
  return { order, x };
}

/** Returns the results by unit, in their order. */
function groupByUnit(results) {
  const groups = new Map();
  for (const r of results) groups.set(unitOf(r), [...(groups.get(unitOf(r)) ?? []), r]);
  return [...groups.values()];
}

/** Draws results over one field. Results with the same unit share a plot. */
export function drawCurves(box, results, { fields, columns, file }) {
  const [f] = fields;
  const { order, x } = axisOfRuns(f, columns);
  const groups = groupByUnit(results);
  return cursorPlots(
    box,
    groups.map((group) => ({
      title: `${group.map((r) => r.label).join(', ')} over ${f.label}`,
      name: `${file}_${group[0].name}`,
      sync: file,
      height: groups.length > 1 ? sharedHeightPx : singleHeightPx,
      x,
      series: group.map((r) => ({
        label: r.label,
        unit: unitOf(r),
        values: order.map((i) => toPlotValue(columns[r.name][i])),
        points: f.whole,
      })),
    })),
  );
}

/** Draws horizontal bars from zero: { label, value, text }. */
function drawBars(box, title, bars, button) {
  const largest = Math.max(...bars.map((b) => Math.abs(b.value ?? 0)), Number.MIN_VALUE);
  const isSigned = bars.some((b) => b.value < 0);
  const fullPercent = isSigned ? 50 : 100;
  const drawBar = ({ label, value, text }) => {
    const bar = h('span', { class: value < 0 ? 'minus' : 'plus' });
    const percent = (fullPercent * Math.abs(value ?? 0)) / largest;
    bar.style.width = `${percent}%`;
    if (isSigned) bar.style.marginInlineStart = `${value < 0 ? 50 - percent : 50}%`;
    return [
      h('span', {}, label),
      h('span', { class: `track${isSigned ? ' signed' : ''}` }, bar),
      h('span', { class: 'n' }, text),
    ];
  };
  box.append(
    h(
      'figure',
      {},
      h('figcaption', {}, h('b', {}, title), button),
      h('div', { class: 'batch-bars' }, bars.map(drawBar)),
    ),
  );
}

/** Draws a result as a bar for each choice of a field. */
export function drawChoices(box, result, { fields, columns }) {
  const [f] = fields;
  const bars = columns[f.field].map((v, i) => ({
    label: formatValue(v, {}),
    value: toPlotValue(columns[result.name][i]),
    text: formatValue(columns[result.name][i], result),
  }));
  drawBars(box, `${result.label} by ${f.label}`, bars);
}

/** Returns a hook of a plot that draws dashed vertical lines: { value, colourName }. */
const verticalLines = (lines) => (u) => {
  const { left, top, width, height } = u.bbox;
  for (const { value, colourName } of lines) {
    const x = u.valToPos(value, 'x', true);
    if (x < left || x > left + width) continue;
    u.ctx.save();
    u.ctx.strokeStyle = cssColor(colourName);
    u.ctx.lineWidth = 2 * devicePixelRatio;
    u.ctx.setLineDash([6 * devicePixelRatio, 4 * devicePixelRatio]);
    u.ctx.beginPath();
    u.ctx.moveTo(x, top);
    u.ctx.lineTo(x, top + height);
    u.ctx.stroke();
    u.ctx.restore();
  }
};

/** Draws the histogram of a result with its limits. */
export function drawHistogram(box, result, { summary, request, file }) {
  const statistics = summary.columns[result.name];
  const histogram = statistics?.histogram;
  if (!histogram) return undefined;
  const { counts, edges } = histogram;
  const { label, name } = result;
  if (counts.length < 2) {
    const value = formatValue(edges[0], result);
    box.append(h('p', { class: 'absent' }, `${label} is ${value} in every run.`));
    return undefined;
  }
  const limit = request.limits?.[name] ?? {};
  const lines = [
    { value: limit.min, colourName: '--bad', text: 'at least' },
    { value: limit.max, colourName: '--bad', text: 'at most' },
    { value: statistics.p50, colourName: '--ink', text: 'median' },
  ].filter(({ value }) => value !== undefined && value !== null);
  const centers = counts.map((_, i) => (edges[i] + edges[i + 1]) / 2);
  const made = plot(box, {
    title: `Distribution of ${label}`,
    name: `${file}_${name}_histogram`,
    x: { label, unit: unitOf(result), values: centers, bin: edges[1] - edges[0] },
    series: [{ label: 'Runs', values: counts, bars: true, points: false, dash: [] }],
    hooks: { draw: [verticalLines(lines)] },
  });
  const legend = lines.map(({ value, text }) => `${text} ${formatValue(value, result)}`);
  box.append(h('p', { class: 'absent' }, `Dashed: ${legend.join(', ')}.`));
  return made;
}

/** Draws the rank correlations (Spearman) of the varied fields with a result, the largest first. */
export function drawTornado(box, result, { summary, fields, file }) {
  const correlations = summary.rank_correlation;
  if (!correlations) return;
  const bars = fields
    .map((f) => ({
      label: f.label,
      field: f.field,
      value: correlations[f.field]?.[result.name] ?? null,
    }))
    .filter((b) => b.value !== null)
    .sort((a, b) => Math.abs(b.value) - Math.abs(a.value))
    .map((b) => ({ ...b, text: b.value.toFixed(2) }));
  if (!bars.length) return;
  const save = () => {
    const rows = bars.map((b) => `${csvField(b.field)},${b.value}`);
    const csv = ['field,rank_correlation', ...rows].join('\n');
    download(`${file}_${result.name}_correlation.csv`, csv, 'text/csv');
  };
  drawBars(
    box,
    `Which tolerance moves ${result.label}: rank correlation`,
    bars,
    smallButton('CSV', save),
  );
}

const distinct = (values) => [...new Set(values)].sort((a, b) => a - b);

/** Draws a result over two fields: a heat map, and curves if a field has few values. */
export function drawMap(box, result, { fields, columns, file }) {
  const [y, x] = fields.map((f) => ({ field: f, values: distinct(columns[f.field]) }));
  const grid = y.values.map(() => x.values.map(() => null));
  columns.index.forEach((_, i) => {
    const row = y.values.indexOf(columns[y.field.field][i]);
    const column = x.values.indexOf(columns[x.field.field][i]);
    grid[row][column] = toPlotValue(columns[result.name][i]);
  });
  box.append(drawHeatMap(grid, x, y, result));
  if (Math.min(x.values.length, y.values.length) > maxFamily) return undefined;
  const isFamilyY = y.values.length <= maxFamily;
  const [along, family] = isFamilyY ? [x, y] : [y, x];
  const curves = isFamilyY ? grid : x.values.map((_, i) => grid.map((row) => row[i]));
  return cursorPlots(box, [
    {
      title: `${result.label} over ${along.field.label}`,
      name: `${file}_${result.name}`,
      x: axisOf(along.field, along.values),
      series: curves.map((values, i) => ({
        label: `${family.field.label} ${formatValue(family.values[i], family.field)}`,
        unit: unitOf(result),
        values,
      })),
    },
  ]);
}

/** Draws the runs of a goal seek over its field, and the target. */
export function drawGoalSeek(box, result, { fields, columns, request, file }) {
  const [f] = fields;
  const { order, x } = axisOfRuns(f, columns);
  const unit = unitOf(result);
  const { value } = request.target;
  return cursorPlots(box, [
    {
      title: `${result.label} over ${f.label}`,
      name: `${file}_${result.name}`,
      x,
      series: [
        { label: result.label, unit, values: order.map((i) => columns[result.name][i]) },
        { label: 'Target', unit, values: order.map(() => value), points: false },
      ],
    },
  ]);
}

/** Reports whether a run meets the limits. */
const meetsLimits = ({ request, columns }, i) =>
  Object.entries(request.limits ?? {}).every(([name, { min, max }]) => {
    const v = columns[name]?.[i];
    return v !== null && (min === undefined || v >= min) && (max === undefined || v <= max);
  });

/** Returns the best objective up to each run, null before the first run that meets the limits. */
function bestSoFar(values, batch) {
  const sign = batch.mode === 'minimize' ? 1 : -1;
  let best = null;
  return values.map((v, i) => {
    const isBetter = best === null || sign * v < sign * best;
    if (v !== null && isBetter && meetsLimits(batch, i)) best = v;
    return best;
  });
}

/** Draws a result from run to run, and the best objective so far. */
export function drawSearch(box, result, batch) {
  const { columns, request, file } = batch;
  const unit = unitOf(result);
  const values = columns[result.name];
  const series = [{ label: result.label, unit, values: values.map(toPlotValue), points: false }];
  if (result.name === request.objective)
    series.push({
      label: 'Best so far',
      unit,
      steps: true,
      points: false,
      dash: [],
      values: bestSoFar(values, batch),
    });
  return plot(box, {
    title: `${result.label} from run to run`,
    name: `${file}_${result.name}`,
    x: { label: 'Run', values: columns.index, whole: true },
    series,
  });
}
