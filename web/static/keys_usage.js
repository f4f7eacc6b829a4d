// Usage of a paid key: calls per day, stacked by tool, and a table of the tools.
import { h, scrollBox, smallButton, svg } from './dom.js';
import { formatNumber } from './quantity.js';
import { announce, download } from './shell.js';

const maxNamedTools = 5; // with their own colours; the others are one group
const maxDayLabels = 8;
const dayMs = 86400e3;
const counters = ['calls', 'computed', 'invalid', 'unserved', 'compute_ms'];
const columns = [
  ['calls', 'Calls'],
  ['computed', 'Computed'],
  ['invalid', 'Invalid'],
  ['unserved', 'Server errors'],
  ['compute_ms', 'Computing time [ms]'],
];

// Units of the chart.
const [width, height, left, bottom, top] = [720, 200, 48, 24, 8];

/** Returns the days of a range, such as 2026-01-31. */
function daysOf(from, to) {
  const days = [];
  for (let t = Date.parse(from); t <= Date.parse(to); t += dayMs)
    days.push(new Date(t).toISOString().slice(0, 10));
  return days;
}

/** Returns the sums of each tool, sorted by calls. */
function sumByTool(usage) {
  const sums = new Map();
  for (const u of usage) {
    const zero = Object.fromEntries(counters.map((name) => [name, 0]));
    const sum = sums.get(u.tool) ?? { tool: u.tool, ...zero };
    for (const name of counters) sum[name] += u[name];
    sums.set(u.tool, sum);
  }
  return [...sums.values()].sort((a, b) => b.calls - a.calls || a.tool.localeCompare(b.tool));
}

/** Rounds up to an even number of one digit or 10, because the chart also labels its half. */
function roundUp(n) {
  const power = 10 ** Math.floor(Math.log10(Math.max(n, 1)));
  return [1, 2, 4, 6, 10].map((m) => m * power).find((v) => v >= n && v % 2 === 0);
}

/** Returns the calls of each day as [day, calls of each group]. */
function callsByDay(data, names, groupCount) {
  const counts = new Map(daysOf(data.from, data.to).map((day) => [day, Array(groupCount).fill(0)]));
  for (const u of data.usage) {
    const i = names.indexOf(u.tool);
    if (counts.has(u.day)) counts.get(u.day)[i < 0 ? maxNamedTools : i] += u.calls;
  }
  return [...counts];
}

/**
 * Draws the calls per day as stacked bars.
 * @param {object} data the response of the API
 * @param {[string, number[]][]} days see callsByDay
 * @param {string[]} groups the names of the tools
 */
function drawChart(data, days, groups) {
  const totals = days.map(([, counts]) => counts.reduce((a, b) => a + b, 0));
  const maxCalls = roundUp(Math.max(...totals));
  const y = (n) => top + (height - bottom - top) * (1 - n / maxCalls);
  const dayWidth = (width - left) / days.length;
  const chart = svg('svg', {
    viewBox: `0 0 ${width} ${height}`,
    class: 'usage-chart',
    role: 'img',
    'aria-label': `Calls per day from ${data.from} to ${data.to}: ${data.calls} in all`,
  });
  for (const n of [0, maxCalls / 2, maxCalls])
    chart.append(
      svg('path', { d: `M${left} ${y(n)}H${width}`, class: 'rule' }),
      svg('text', { x: left - 6, y: y(n) + 4, 'text-anchor': 'end' }, formatNumber(n)),
    );
  const labelInterval = Math.ceil(days.length / maxDayLabels);
  days.forEach(([day, counts], i) => {
    const x = left + i * dayWidth;
    let below = 0;
    counts.forEach((n, k) => {
      if (n === 0) return;
      const d = `M${x + 1} ${y(below)}V${y(below + n)}h${Math.max(dayWidth - 2, 1)}V${y(below)}z`;
      const title = svg('title', {}, `${day}: ${groups[k]} ${n}`);
      chart.append(svg('path', { d, class: `u${k}` }, title));
      below += n;
    });
    if (i % labelInterval !== 0) return;
    const position = { x: x + dayWidth / 2, y: height - 6, 'text-anchor': 'middle' };
    chart.append(svg('text', position, day.slice('2026-'.length)));
  });
  return chart;
}

function drawToolTable(tools) {
  const headings = columns.map(([, text]) => h('th', { scope: 'col', class: 'n' }, text));
  const drawRow = (sum) =>
    h(
      'tr',
      {},
      h('td', {}, sum.tool),
      columns.map(([name]) => h('td', { class: 'n' }, formatNumber(sum[name]))),
    );
  return h(
    'table',
    {},
    h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Tool'), headings)),
    h('tbody', {}, tools.map(drawRow)),
  );
}

function toCsv(usage) {
  const header = ['day', 'tool', ...counters];
  const rows = usage.map((u) => header.map((name) => u[name]));
  return [header, ...rows].map((row) => row.join(',')).join('\n');
}

/**
 * Draws the usage of a key into a box.
 * @param {HTMLElement} box
 * @param {object} data the response of GET /api/keys/{prefix}/usage
 */
export function drawUsage(box, data) {
  const tools = sumByTool(data.usage);
  if (tools.length === 0) {
    const text = `No calls from ${data.from} to ${data.to}.`;
    box.replaceChildren(h('p', { class: 'absent' }, text));
    announce(text);
    return;
  }
  const names = tools.slice(0, maxNamedTools).map((t) => t.tool);
  const groups = tools.length > maxNamedTools ? [...names, 'other tools'] : names;
  const days = callsByDay(data, names, groups.length);
  const total = `${formatNumber(data.calls)} calls from ${data.from} to ${data.to} (UTC)`;
  const saveCsv = () => download(`usage_${data.key_prefix}.csv`, toCsv(data.usage), 'text/csv');
  const csvButton = smallButton('CSV', saveCsv);
  const drawKey = (name, k) => h('span', {}, h('i', { class: `u${k}` }), name);
  announce(total);
  box.replaceChildren(
    h(
      'figure',
      {},
      h('figcaption', {}, total, csvButton),
      scrollBox('Calls per day', drawChart(data, days, groups), { class: 'scroll usage-box' }),
      h('p', { class: 'usage-key' }, groups.map(drawKey)),
    ),
    scrollBox('Usage by tool', drawToolTable(tools)),
  );
}
