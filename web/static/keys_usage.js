// Usage of a paid key: calls per day, stacked by tool, and a table of the tools.
import { el, svg } from './dom.js';
import { download, announce } from './shell.js';
import { showNumber } from './quantity.js';

const shownTools = 5; // with a colour of their own; the others are one group
const [width, height, left, bottom] = [720, 200, 48, 24];

/** The days of a range, as 2026-01-31. */
function daysOf(from, to) {
  const days = [];
  for (let t = Date.parse(from); t <= Date.parse(to); t += 86400e3)
    days.push(new Date(t).toISOString().slice(0, 10));
  return days;
}

/** Sums by tool, the most used first. */
function byTool(usage) {
  const sums = new Map();
  for (const u of usage) {
    const s = sums.get(u.tool) ?? {
      tool: u.tool,
      calls: 0,
      computed: 0,
      invalid: 0,
      unserved: 0,
      compute_ms: 0,
    };
    for (const k of ['calls', 'computed', 'invalid', 'unserved', 'compute_ms']) s[k] += u[k];
    sums.set(u.tool, s);
  }
  return [...sums.values()].sort((a, b) => b.calls - a.calls || a.tool.localeCompare(b.tool));
}

/** The least even round number that is not below n, so that its half is a number of calls too. */
function roundUp(n) {
  const power = 10 ** Math.floor(Math.log10(Math.max(n, 1)));
  return [1, 2, 4, 6, 10].map((m) => m * power).find((v) => v >= n && v % 2 === 0);
}

/** Draws the answer of GET /api/keys/{prefix}/usage into a box. */
export function drawUsage(box, data) {
  const tools = byTool(data.usage);
  if (tools.length === 0) {
    const none = `No calls from ${data.from} to ${data.to}.`;
    box.replaceChildren(el('p', { class: 'absent' }, none));
    announce(none);
    return;
  }
  const named = tools.slice(0, shownTools).map((t) => t.tool);
  const groups = tools.length > shownTools ? [...named, 'other tools'] : named;
  const days = daysOf(data.from, data.to);
  const counts = new Map(days.map((d) => [d, groups.map(() => 0)]));
  for (const u of data.usage) {
    const i = named.indexOf(u.tool);
    if (counts.has(u.day)) counts.get(u.day)[i < 0 ? shownTools : i] += u.calls;
  }
  const most = roundUp(Math.max(...[...counts.values()].map((c) => c.reduce((a, b) => a + b, 0))));
  const chart = svg('svg', {
    viewBox: `0 0 ${width} ${height}`,
    class: 'usage-chart',
    role: 'img',
    'aria-label': `Calls per day from ${data.from} to ${data.to}: ${data.calls} in all`,
  });
  const y = (n) => 8 + (height - bottom - 8) * (1 - n / most);
  const step = (width - left) / days.length;
  for (const n of [0, most / 2, most])
    chart.append(
      svg('path', { d: `M${left} ${y(n)}H${width}`, class: 'rule' }),
      svg('text', { x: left - 6, y: y(n) + 4, 'text-anchor': 'end' }, showNumber(n)),
    );
  days.forEach((day, i) => {
    let below = 0;
    counts.get(day).forEach((n, k) => {
      if (n === 0) return;
      const bar = svg('path', {
        d: `M${left + i * step + 1} ${y(below)}V${y(below + n)}h${Math.max(step - 2, 1)}V${y(below)}z`,
        class: `u${k}`,
      });
      bar.append(svg('title', {}, `${day}: ${groups[k]} ${n}`));
      chart.append(bar);
      below += n;
    });
    if (i % Math.ceil(days.length / 8) === 0)
      chart.append(
        svg(
          'text',
          { x: left + (i + 0.5) * step, y: height - 6, 'text-anchor': 'middle' },
          day.slice(5),
        ),
      );
  });
  const key = el(
    'p',
    { class: 'usage-key' },
    groups.map((name, k) => el('span', {}, el('i', { class: `u${k}` }), name)),
  );
  const heads = [
    ['calls', 'Calls'],
    ['computed', 'Computed'],
    ['invalid', 'Invalid'],
    ['unserved', 'Server errors'],
    ['compute_ms', 'Computing time [ms]'],
  ];
  const rows = tools.map((t) =>
    el(
      'tr',
      {},
      el('td', {}, t.tool),
      heads.map(([k]) => el('td', { class: 'n' }, showNumber(t[k]))),
    ),
  );
  const csv = () =>
    [
      'day,tool,calls,computed,invalid,unserved,compute_ms',
      ...data.usage.map((u) =>
        [u.day, u.tool, u.calls, u.computed, u.invalid, u.unserved, u.compute_ms].join(','),
      ),
    ].join('\n');
  const total = `${showNumber(data.calls)} calls from ${data.from} to ${data.to} (UTC)`;
  announce(total);
  box.replaceChildren(
    el(
      'figure',
      {},
      el(
        'figcaption',
        {},
        total,
        el(
          'button',
          {
            type: 'button',
            class: 'small',
            onclick: () => download(`usage_${data.key_prefix}.csv`, csv(), 'text/csv'),
          },
          'CSV',
        ),
      ),
      el(
        'div',
        { class: 'scroll usage-box', tabindex: 0, role: 'region', 'aria-label': 'Calls per day' },
        chart,
      ),
      key,
    ),
    el(
      'div',
      { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Usage by tool' },
      el(
        'table',
        {},
        el(
          'thead',
          {},
          el(
            'tr',
            {},
            el('th', { scope: 'col' }, 'Tool'),
            heads.map(([, h]) => el('th', { scope: 'col', class: 'n' }, h)),
          ),
        ),
        el('tbody', {}, rows),
      ),
    ),
  );
}
