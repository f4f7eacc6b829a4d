// The result of a batch: conclusions, plots and tables.
import {
  drawChoices,
  drawCurves,
  drawGoalSeek,
  drawHistogram,
  drawMap,
  drawSearch,
  drawTornado,
} from './batch_plots.js';
import { drawRanking, drawStatistics } from './batch_tables.js';
import { formatValue, runsToCSV } from './batch_values.js';
import { h, smallButton } from './dom.js';
import { announce, download } from './shell.js';

/**
 * @typedef {object} DrawnBatch
 * @property {object} batch of the API
 * @property {object} columns values of the runs by name
 * @property {object} request
 * @property {string} mode
 * @property {string} name of the tool
 * @property {object[]} fields varied fields
 * @property {object[]} results collected results
 * @property {Function} [use] fills values of a run into the page
 * @property {Function} [overlay] draws curves of the runs
 */

/** Draws the number of runs, their time, and the button that saves them. */
function drawHead({ batch, columns, file }) {
  const seconds = (Date.parse(batch.finished_at) - Date.parse(batch.started_at)) / 1000;
  const time = seconds >= 0.05 ? ` in ${seconds.toFixed(1)} s` : '';
  const state = batch.state === 'cancelled' ? ', cancelled' : '';
  const save = () => download(`${file}.csv`, runsToCSV(columns), 'text/csv');
  return h(
    'p',
    { class: 'batch-head' },
    h('b', {}, `${columns.index.length} runs${time}${state}`),
    ' ',
    smallButton('CSV of all runs', save),
  );
}

/** Returns the buttons that select a result to draw. */
function resultPicker(results, onChoose) {
  const choose = (r, chosen) => {
    for (const b of buttons) b.setAttribute('aria-pressed', String(b === chosen));
    onChoose(r);
  };
  const buttons = results.map((r, i) =>
    smallButton(r.label, (e) => choose(r, e.currentTarget), { 'aria-pressed': String(i === 0) }),
  );
  return h('div', { class: 'picker', role: 'group', 'aria-label': 'Result to draw' }, buttons);
}

/** Draws the plots of one result for the mode of the batch. Returns the plots to destroy. */
function drawPlots(box, result, batch) {
  const { fields, mode } = batch;
  switch (mode) {
    case 'random': {
      const histogram = drawHistogram(box, result, batch);
      drawTornado(box, result, batch);
      return histogram;
    }
    case 'sweep':
      if (fields.length === 2 && fields.every((f) => !f.options))
        return drawMap(box, result, batch);
      if (fields.length === 1) drawChoices(box, result, batch);
      return undefined;
    case 'solve':
      return drawGoalSeek(box, result, batch);
    default:
      return drawSearch(box, result, batch);
  }
}

/**
 * Draws a batch into an element.
 * @param {HTMLElement} element
 * @param {DrawnBatch} drawnBatch
 * @returns {{destroy: () => void}}
 */
export function drawBatch(element, drawnBatch) {
  const { batch, columns, fields, results, mode, name } = drawnBatch;
  const drawn = {
    ...drawnBatch,
    summary: batch.summary ?? { columns: {} },
    file: `${name}_batch`.toLowerCase(), // stem of file names
  };
  const { summary, file } = drawn;
  const runCount = columns.index.length;
  const failures = columns.error.filter((e) => e !== null);
  element.append(drawHead(drawn));
  if (failures.length)
    element.append(
      h(
        'p',
        { class: 'stale-note' },
        `${failures.length} of ${runCount} runs have no result: ${failures[0]}`,
      ),
    );
  if (failures.length === runCount) return { destroy() {} };
  element.append(...drawConclusions(drawn));

  const plots = []; // of the chosen result
  const box = h('div', {});
  const drawResult = (result) => {
    for (const p of plots.splice(0)) p?.destroy();
    box.replaceChildren();
    plots.push(drawPlots(box, result, drawn));
    if (runCount > 2 && mode !== 'solve') box.append(drawRanking(result, drawn));
  };
  const drawable = results.filter((r) => columns[r.name].some((v) => v !== null));
  const isTogether = mode === 'sweep' && fields.length === 1 && !fields[0].options;
  if (drawable.length > 1 && !isTogether) element.append(resultPicker(drawable, drawResult));
  element.append(box);
  if (isTogether) plots.push(drawCurves(box, drawable, drawn));
  else if (drawable.length) drawResult(drawable[0]);
  if (mode === 'random' && batch.summary) element.append(drawStatistics(summary, drawable, file));
  const hasCurves = mode === 'random' || mode === 'sweep';
  const overlay = hasCurves ? drawnBatch.overlay?.(element, drawn) : undefined;
  return {
    destroy() {
      for (const p of [...plots, overlay]) p?.destroy?.();
    },
  };
}

/** Draws the conclusions from the statistics of the service. */
function drawConclusions(drawn) {
  const { summary, results, request } = drawn;
  const conclusions = [];
  if (!drawn.batch.summary)
    conclusions.push(
      h(
        'p',
        { class: 'stale-note' },
        'An error of the service prevents the statistics of these runs.',
      ),
    );
  if (summary.roots) conclusions.push(...drawRoots(drawn));
  if (summary.best !== undefined) conclusions.push(drawBest(drawn));
  if (summary.yield) conclusions.push(drawYield(summary.yield, results, request.limits));
  return conclusions;
}

/** Returns the button that fills the values of a run into the page. */
const useButton = ({ use, fields }, point) =>
  use &&
  smallButton('Use these values', () => {
    use(fields, point.input);
    announce('The values are in the form');
  });

const describePoint = (fields, { input }) =>
  fields.map((f) => `${f.label} ${formatValue(input[f.field], f)}`).join(', ');

/** Draws the roots of a goal seek. */
function drawRoots(drawn) {
  const { fields, results, request, summary } = drawn;
  const { roots, incomplete, note } = summary;
  const [[field], [result]] = [fields, results];
  const drawRoot = (point) => {
    const value = formatValue(point.values[result.name], result);
    return h(
      'li',
      { class: 'conclusion good' },
      `${describePoint(fields, point)} gives ${result.label} ${value} `,
      useButton(drawn, point),
    );
  };
  const target = () => formatValue(request.target.value, result);
  const list = roots.length
    ? h('ul', { class: 'batch-roots' }, roots.map(drawRoot))
    : h(
        'p',
        { class: 'conclusion bad' },
        `${result.label} does not meet ${target()} in this range.`,
      );
  const withLabels = (text) =>
    text.replace(field.field, () => field.label).replace(result.name, () => result.label);
  return [
    list,
    note && h('p', { class: 'absent' }, `${withLabels(note)}.`),
    incomplete && h('p', { class: 'conclusion bad' }, `Roots may be missing: ${incomplete}.`),
  ].filter(Boolean);
}

/** Draws the best run of a search, null if no run meets the limits. */
function drawBest(drawn) {
  const { fields, results, mode, summary } = drawn;
  const { best } = summary;
  if (!best) return h('p', { class: 'conclusion bad' }, 'No run meets the limits.');
  const [result] = results;
  const extreme = mode === 'minimize' ? 'Least' : 'Largest';
  const value = formatValue(best.values[result.name], result);
  return h(
    'p',
    { class: 'conclusion good' },
    `${extreme} ${result.label} found: ${value} at ${describePoint(fields, best)} `,
    useButton(drawn, best),
  );
}

function yieldTone(percent) {
  if (percent >= 99) return 'good';
  return percent < 90 ? 'bad' : '';
}

/** Draws the yield, with that of each limit if there are several. */
function drawYield(result, results, limits) {
  const percent = (v) => v.toFixed(1);
  const single = results
    .filter((r) => result.limits[r.name] && Object.keys(limits).length > 1)
    .map((r) => `${r.label} ${percent(result.limits[r.name].pct)} %`);
  const range = `${percent(result.low_pct)} to ${percent(result.high_pct)} %`;
  const details = [`95 % confidence ${range}`, single.join(', ')].filter(Boolean).join('; ');
  return h(
    'p',
    { class: `conclusion ${yieldTone(result.pct)}` },
    `Yield ${percent(result.pct)} %: ${result.passed} of ${result.of} runs within the limits`,
    h('span', { class: 'absent' }, ` (${details})`),
  );
}
