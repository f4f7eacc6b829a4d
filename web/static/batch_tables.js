// Tables of a batch: statistics of all results, and the runs with the largest and least values.
import { csvField, formatValue } from './batch_values.js';
import { h, scrollBox, smallButton } from './dom.js';
import { download } from './shell.js';

const rankedRuns = 5; // of the largest and of the least values

const statisticColumns = [
  ['mean', 'Mean'],
  ['sigma', 'Sigma'],
  ['min', 'Least'],
  ['p05', '5 %'],
  ['p50', 'Median'],
  ['p95', '95 %'],
  ['max', 'Largest'],
];

const headCell = (text, className) => h('th', { scope: 'col', class: className }, text);
const numberCell = (text) => h('td', { class: 'n' }, text);

const scrollTable = (label, headCells, rows) =>
  scrollBox(label, h('table', {}, h('thead', {}, h('tr', {}, headCells)), h('tbody', {}, rows)));

function statisticsToCSV(summary, results) {
  const rows = results.map((r) => [
    csvField(r.name),
    ...statisticColumns.map(([key]) => summary.columns[r.name][key] ?? ''),
  ]);
  const head = ['result', ...statisticColumns.map(([key]) => key)];
  return [head, ...rows].map((row) => row.join(',')).join('\n');
}

/** Draws the statistics of all results. file is the stem of the name of the CSV file. */
export function drawStatistics(summary, results, file) {
  const save = () =>
    download(`${file}_statistics.csv`, statisticsToCSV(summary, results), 'text/csv');
  const rows = results.map((r) =>
    h(
      'tr',
      {},
      h('td', {}, r.label),
      statisticColumns.map(([key]) => numberCell(formatValue(summary.columns[r.name][key], r))),
    ),
  );
  return h(
    'figure',
    {},
    h('figcaption', {}, h('b', {}, 'Statistics'), smallButton('CSV', save)),
    scrollTable(
      'Statistics',
      [headCell('Result'), ...statisticColumns.map(([, title]) => headCell(title, 'n'))],
      rows,
    ),
  );
}

/**
 * Draws the runs with the largest and the least values of a result, or all runs if they are few.
 */
export function drawRanking(result, { columns, fields, results }) {
  const values = columns[result.name];
  const order = columns.index
    .map((_, i) => i)
    .filter((i) => values[i] !== null)
    .sort((a, b) => values[b] - values[a]);
  const isShort = order.length <= 2 * rankedRuns;
  const row = (i) =>
    h(
      'tr',
      {},
      numberCell(columns.index[i]),
      fields.map((f) => numberCell(formatValue(columns[f.field][i], f))),
      results.map((r) => numberCell(formatValue(columns[r.name][i], r))),
    );
  const colspan = 1 + fields.length + results.length;
  const groupOf = (title, runs) => [
    h('tr', {}, h('th', { colspan, scope: 'rowgroup' }, title)),
    ...runs.map(row),
  ];
  const rows = isShort
    ? order.map(row)
    : [
        ...groupOf(`Largest ${result.label}`, order.slice(0, rankedRuns)),
        ...groupOf(`Least ${result.label}`, order.slice(-rankedRuns).reverse()),
      ];
  return h(
    'details',
    { open: isShort },
    h('summary', {}, isShort ? 'All runs' : `Largest and least ${result.label}`),
    scrollTable(
      `Runs by ${result.label}`,
      [headCell('Run', 'n'), ...[...fields, ...results].map((f) => headCell(f.label, 'n'))],
      rows,
    ),
  );
}
