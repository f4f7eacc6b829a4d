// What a batch found: curves, a heat map, histograms with yield, the tolerances that matter, roots,
// the best run, and a table of the best and the worst.
import { el } from './dom.js';
import { cursorPlots } from './cursor_plots.js';
import { heatColour, colourScale } from './picture_field.js';
import { plot } from './plot.js';
import { brief, joined, show, showParts } from './quantity.js';
import { colour, download, announce } from './shell.js';

const mostCurves = 8; // of a sweep over two fields
const extremes = 5; // rows of the best and of the worst
const unitOf = (f) => (f.unit === '*' ? '' : (f.unit ?? ''));
const told = (v, f) => {
  if (v === null || v === undefined) return '–';
  if (typeof v !== 'number') return String(v).replaceAll('_', ' ');
  const p = showParts(v, unitOf(f));
  return joined({ ...p, number: brief(f, p.number) }, '\u00a0');
};

/** Draws a batch into element: { destroy }. */
export function drawBatch(element, given) {
  const d = { ...given, summary: given.batch.summary ?? { columns: {} } };
  const { batch, summary, columns, fields, results, mode, name } = d;
  const made = [];
  const file = `${name}_batch`.toLowerCase();
  const n = columns.index.length;
  const failures = columns.error.filter((e) => e !== null);
  const took = (Date.parse(batch.finished_at) - Date.parse(batch.started_at)) / 1000;
  element.append(
    el(
      'p',
      { class: 'batch-head' },
      el(
        'b',
        {},
        `${n} runs${took >= 0.05 ? ` in ${took.toFixed(1)} s` : ''}${batch.state === 'cancelled' ? ', cancelled' : ''}`,
      ),
      ' ',
      el(
        'button',
        {
          type: 'button',
          class: 'small',
          onclick: () => download(`${file}.csv`, csvOf(columns), 'text/csv'),
        },
        'CSV of all runs',
      ),
    ),
  );
  if (failures.length)
    element.append(
      el(
        'p',
        { class: 'stale-note' },
        `${failures.length} of ${n} runs have no result: ${failures[0]}`,
      ),
    );
  if (n === failures.length) return { destroy() {} };

  if (!batch.summary)
    element.append(
      el(
        'p',
        { class: 'stale-note' },
        'An error of the service prevents the statistics of these runs.',
      ),
    );
  if (summary.roots) roots(element, d);
  if (summary.best !== undefined) best(element, d);
  if (summary.yield) element.append(yieldLine(summary.yield, results, d.request.limits));

  // What belongs to one result is drawn anew when another is chosen.
  const box = el('div', {});
  const draw = (r) => {
    for (const m of made.splice(0)) m.destroy();
    box.replaceChildren();
    made.push(...drawResult(box, r, d, file));
  };
  const drawable = results.filter((r) => columns[r.name].some((v) => v !== null));
  const together = mode === 'sweep' && fields.length === 1 && !fields[0].options;
  if (drawable.length > 1 && !together) {
    const tabs = el(
      'div',
      { class: 'picker', role: 'group', 'aria-label': 'Result to draw' },
      drawable.map((r, i) =>
        el(
          'button',
          {
            type: 'button',
            class: 'small',
            'aria-pressed': String(i === 0),
            onclick: (event) => {
              for (const b of tabs.children)
                b.setAttribute('aria-pressed', String(b === event.currentTarget));
              draw(r);
            },
          },
          r.label,
        ),
      ),
    );
    element.append(tabs);
  }
  element.append(box);
  if (together) made.push(curves(box, drawable, d, file));
  else if (drawable.length) draw(drawable[0]);
  if (mode === 'random' && batch.summary) element.append(statistics(summary, drawable, file));
  const curvesOfRuns = (mode === 'random' || mode === 'sweep') && d.overlay?.(element, d);
  return {
    destroy() {
      for (const m of [...made, curvesOfRuns]) m?.destroy?.();
    },
  };
}

/** Draws what depends on one result; gives what must be destroyed. */
function drawResult(box, r, d, file) {
  const { fields, mode, columns } = d;
  const made = [];
  if (mode === 'random') {
    const h = histogram(box, r, d, file);
    if (h) made.push(h);
    tornado(box, r, d, file);
  } else if (mode === 'sweep' && fields.length === 2 && fields.every((f) => !f.options))
    made.push(...map(box, r, d, file));
  else if (mode === 'sweep' && fields.length === 1) choices(box, r, d);
  else if (mode === 'solve') made.push(scan(box, r, d, file));
  else if (mode !== 'sweep') made.push(search(box, r, d, file));
  if (columns.index.length > 2 && mode !== 'solve') box.append(ranking(r, d));
  return made;
}

const axisOf = (f, values) => ({
  label: f.label,
  unit: unitOf(f),
  whole: f.whole,
  log: f.log,
  values,
});

/** Curves over one field. Results of a unit share a plot. */
function curves(box, list, d, file) {
  const [f] = d.fields;
  const order = d.columns[f.field]
    .map((x, i) => [x, i])
    .sort((a, b) => a[0] - b[0])
    .map(([, i]) => i);
  const x = axisOf(
    f,
    order.map((i) => d.columns[f.field][i]),
  );
  const groups = Map.groupBy
    ? Map.groupBy(list, unitOf)
    : list.reduce((m, r) => m.set(unitOf(r), [...(m.get(unitOf(r)) ?? []), r]), new Map());
  return cursorPlots(
    box,
    [...groups.values()].map((group) => ({
      title: `${group.map((r) => r.label).join(', ')} over ${f.label}`,
      name: `${file}_${group[0].name}`,
      sync: file,
      height: groups.size > 1 ? 200 : 260,
      x,
      series: group.map((r) => ({
        label: r.label,
        unit: unitOf(r),
        values: order.map((i) => numeric(d.columns[r.name][i])),
        points: f.whole,
      })),
    })),
  );
}

const numeric = (v) => (typeof v === 'boolean' ? Number(v) : v);

/** One result for each choice of a field, as bars. */
function choices(box, r, d) {
  const [f] = d.fields;
  bars(
    box,
    `${r.label} by ${f.label}`,
    d.columns[f.field].map((v, i) => ({
      label: told(v, {}),
      value: numeric(d.columns[r.name][i]),
      text: told(d.columns[r.name][i], r),
    })),
  );
}

/** Horizontal bars from zero. */
function bars(box, title, rows, actions) {
  const largest = Math.max(...rows.map((b) => Math.abs(b.value ?? 0)), 1e-300);
  const signed = rows.some((b) => b.value < 0);
  box.append(
    el(
      'figure',
      {},
      el('figcaption', {}, el('b', {}, title), actions),
      el(
        'div',
        { class: 'batch-bars' },
        rows.map((b) => {
          const bar = el('span', { class: b.value < 0 ? 'minus' : 'plus' });
          const part = ((50 + 50 * !signed) * Math.abs(b.value ?? 0)) / largest;
          bar.style.width = `${part}%`;
          if (signed) bar.style.marginInlineStart = `${b.value < 0 ? 50 - part : 50}%`;
          return [
            el('span', {}, b.label),
            el('span', { class: `track${signed ? ' signed' : ''}` }, bar),
            el('span', { class: 'n' }, b.text),
          ];
        }),
      ),
    ),
  );
}

/** The histogram of a result with its limits. */
function histogram(box, r, d, file) {
  const h = d.summary.columns[r.name]?.histogram;
  if (!h) return undefined;
  const centers = h.counts.map((c, i) => (h.edges[i] + h.edges[i + 1]) / 2);
  if (h.counts.length < 2) {
    box.append(el('p', { class: 'absent' }, `${r.label} is ${told(h.edges[0], r)} in every run.`));
    return undefined;
  }
  const limit = d.request.limits?.[r.name] ?? {};
  const s = d.summary.columns[r.name];
  const lines = [
    [limit.min, '--bad', 'at least'],
    [limit.max, '--bad', 'at most'],
    [s.p50, '--ink', 'median'],
  ].filter(([v]) => v !== undefined && v !== null);
  const drawLines = (u) => {
    for (const [v, ink] of lines) {
      const at = u.valToPos(v, 'x', true);
      if (at < u.bbox.left || at > u.bbox.left + u.bbox.width) continue;
      u.ctx.save();
      u.ctx.strokeStyle = colour(ink);
      u.ctx.lineWidth = 2 * devicePixelRatio;
      u.ctx.setLineDash([6 * devicePixelRatio, 4 * devicePixelRatio]);
      u.ctx.beginPath();
      u.ctx.moveTo(at, u.bbox.top);
      u.ctx.lineTo(at, u.bbox.top + u.bbox.height);
      u.ctx.stroke();
      u.ctx.restore();
    }
  };
  const made = plot(box, {
    title: `Distribution of ${r.label}`,
    name: `${file}_${r.name}_histogram`,
    x: { label: r.label, unit: unitOf(r), values: centers, bin: h.edges[1] - h.edges[0] },
    series: [{ label: 'Runs', values: h.counts, bars: true, points: false, dash: [] }],
    hooks: { draw: [drawLines] },
  });
  box.append(
    el(
      'p',
      { class: 'absent' },
      `Dashed: ${lines.map(([v, , word]) => `${word} ${told(v, r)}`).join(', ')}.`,
    ),
  );
  return made;
}

/** Which varied field moves a result most: Spearman's rank correlations, the largest first. */
function tornado(box, r, d, file) {
  const rho = d.summary.rank_correlation;
  if (!rho) return;
  const rows = d.fields
    .map((f) => ({ label: f.label, field: f.field, value: rho[f.field]?.[r.name] }))
    .filter((b) => b.value !== null && b.value !== undefined)
    .sort((a, b) => Math.abs(b.value) - Math.abs(a.value))
    .map((b) => ({ ...b, text: b.value.toFixed(2) }));
  if (!rows.length) return;
  bars(
    box,
    `Which tolerance moves ${r.label}: rank correlation`,
    rows,
    el(
      'button',
      {
        type: 'button',
        class: 'small',
        onclick: () =>
          download(
            `${file}_${r.name}_correlation.csv`,
            ['field,rank_correlation', ...rows.map((b) => `${cell(b.field)},${b.value}`)].join(
              '\n',
            ),
            'text/csv',
          ),
      },
      'CSV',
    ),
  );
}

/** A result over two fields: a heat map, or curves where one of them has few values. */
function map(box, r, d, file) {
  const [fy, fx] = d.fields;
  const distinct = (f) => [...new Set(d.columns[f.field])].sort((a, b) => a - b);
  const [ys, xs] = [distinct(fy), distinct(fx)];
  const grid = ys.map(() => xs.map(() => null));
  d.columns.index.forEach((unused, i) => {
    grid[ys.indexOf(d.columns[fy.field][i])][xs.indexOf(d.columns[fx.field][i])] = numeric(
      d.columns[r.name][i],
    );
  });
  box.append(heat(grid, xs, ys, fx, fy, r));
  if (Math.min(xs.length, ys.length) > mostCurves) return [];
  const [along, family, values] =
    ys.length <= mostCurves
      ? [fx, fy, grid]
      : [fy, fx, xs.map((unused, i) => grid.map((row) => row[i]))];
  const at = (f) => (f === fx ? xs : ys);
  return [
    cursorPlots(box, [
      {
        title: `${r.label} over ${along.label}`,
        name: `${file}_${r.name}`,
        x: axisOf(along, at(along)),
        series: values.map((v, k) => ({
          label: `${family.label} ${told(at(family)[k], family)}`,
          unit: unitOf(r),
          values: v,
        })),
      },
    ]),
  ];
}

function heat(grid, xs, ys, fx, fy, r) {
  const flat = grid.flat().filter((v) => v !== null);
  const low = flat.reduce((a, b) => Math.min(a, b), Infinity);
  const high = flat.reduce((a, b) => Math.max(a, b), -Infinity);
  const canvas = el('canvas', {
    tabindex: 0,
    role: 'img',
    'aria-label': `${r.label} from ${show(low, unitOf(r))} to ${show(high, unitOf(r))} over ${fx.label} and ${fy.label}. Arrow keys probe.`,
  });
  [canvas.width, canvas.height] = [xs.length, ys.length];
  const g = canvas.getContext('2d');
  const picture = g.createImageData(xs.length, ys.length);
  grid.forEach((row, j) =>
    row.forEach((v, i) => {
      const at = 4 * ((ys.length - 1 - j) * xs.length + i); // y grows upwards
      picture.data.set(
        v === null ? [128, 128, 128, 60] : [...heatColour((v - low) / (high - low || 1)), 255],
        at,
      );
    }),
  );
  g.putImageData(picture, 0, 0);
  const reading = el('output', {});
  let [pi, pj] = [xs.length >> 1, ys.length >> 1];
  const probe = (speak) => {
    reading.textContent = `${fx.label} ${told(xs[pi], fx)}, ${fy.label} ${told(ys[pj], fy)}: ${told(grid[pj][pi], r)}`;
    if (speak) announce(reading.textContent);
  };
  const clamp = (v, top) => Math.min(top, Math.max(0, v));
  canvas.addEventListener('pointermove', (event) => {
    const b = canvas.getBoundingClientRect();
    pi = clamp(Math.floor(((event.clientX - b.left) / b.width) * xs.length), xs.length - 1);
    pj = clamp(
      ys.length - 1 - Math.floor(((event.clientY - b.top) / b.height) * ys.length),
      ys.length - 1,
    );
    probe(false);
  });
  canvas.addEventListener('keydown', (event) => {
    const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[
      event.key
    ];
    if (!by) return;
    event.preventDefault();
    pi = clamp(pi + by[0], xs.length - 1);
    pj = clamp(pj + by[1], ys.length - 1);
    probe(true);
  });
  probe(false);
  const ticks = (values, f) =>
    [0, 0.25, 0.5, 0.75, 1]
      .map((t) => Math.round(t * (values.length - 1)))
      .filter((i, k, all) => all.indexOf(i) === k)
      .map((i) => el('span', {}, told(Number(values[i].toPrecision(4)), f)));
  return el(
    'figure',
    {},
    el('figcaption', {}, el('b', {}, `${r.label} over ${fx.label} and ${fy.label}`), reading),
    el(
      'div',
      { class: 'heat batch-heat' },
      el('div', { class: 'ys' }, ticks(ys, fy).reverse()),
      canvas,
      colourScale(low, high, unitOf(r)),
      el('div', { class: 'xs' }, ticks(xs, fx)),
    ),
  );
}

/** The runs of a goal seek over its field, with the target. */
function scan(box, r, d, file) {
  const [f] = d.fields;
  const order = d.columns[f.field]
    .map((x, i) => [x, i])
    .sort((a, b) => a[0] - b[0])
    .map(([, i]) => i);
  const x = axisOf(
    f,
    order.map((i) => d.columns[f.field][i]),
  );
  return cursorPlots(box, [
    {
      title: `${r.label} over ${f.label}`,
      name: `${file}_${r.name}`,
      x,
      series: [
        { label: r.label, unit: unitOf(r), values: order.map((i) => d.columns[r.name][i]) },
        {
          label: 'Target',
          unit: unitOf(r),
          values: order.map(() => d.request.target.value),
          points: false,
        },
      ],
    },
  ]);
}

/** The objective from run to run, and the best so far. */
function search(box, r, d, file) {
  const series = [
    { label: r.label, unit: unitOf(r), values: d.columns[r.name].map(numeric), points: false },
  ];
  if (r.name === d.request.objective) {
    const sign = d.mode === 'minimize' ? 1 : -1;
    let top = null;
    series.push({
      label: 'Best so far',
      unit: unitOf(r),
      steps: true,
      points: false,
      dash: [],
      values: d.columns[r.name].map((v, i) => {
        if (v !== null && isWithin(d, i) && (top === null || sign * v < sign * top)) top = v;
        return top;
      }),
    });
  }
  return plot(box, {
    title: `${r.label} from run to run`,
    name: `${file}_${r.name}`,
    x: { label: 'Run', values: d.columns.index, whole: true },
    series,
  });
}

/** Whether a run meets the limits. */
const isWithin = (d, i) =>
  Object.entries(d.request.limits ?? {}).every(([name, l]) => {
    const v = d.columns[name]?.[i];
    return v !== null && (l.min === undefined || v >= l.min) && (l.max === undefined || v <= l.max);
  });

const useButton = (d, point) =>
  d.use &&
  el(
    'button',
    {
      type: 'button',
      class: 'small',
      onclick: () => {
        d.use(d.fields, point.input);
        announce('The values are in the form');
      },
    },
    'Use these values',
  );

const pointText = (d, point) =>
  d.fields.map((f) => `${f.label} ${told(point.input[f.field], f)}`).join(', ');

function roots(element, d) {
  const { roots: list, incomplete, note } = d.summary;
  const [[f], [r]] = [d.fields, d.results];
  element.append(
    list.length
      ? el(
          'ul',
          { class: 'batch-roots' },
          list.map((p) =>
            el(
              'li',
              { class: 'conclusion good' },
              `${pointText(d, p)} gives ${r.label} ${told(p.values[r.name], r)} `,
              useButton(d, p),
            ),
          ),
        )
      : el(
          'p',
          { class: 'conclusion bad' },
          `${r.label} does not meet ${told(d.request.target.value, r)} in this range.`,
        ),
  );
  if (note)
    element.append(
      el(
        'p',
        { class: 'absent' },
        `${note.replace(f.field, () => f.label).replace(r.name, () => r.label)}.`,
      ),
    );
  if (incomplete)
    element.append(el('p', { class: 'conclusion bad' }, `Roots may be missing: ${incomplete}.`));
}

function best(element, d) {
  const p = d.summary.best;
  const [r] = d.results;
  element.append(
    p
      ? el(
          'p',
          { class: 'conclusion good' },
          `${d.mode === 'minimize' ? 'Least' : 'Largest'} ${r.label} found: ${told(p.values[r.name], r)} at ${pointText(d, p)} `,
          useButton(d, p),
        )
      : el('p', { class: 'conclusion bad' }, 'No run meets the limits.'),
  );
}

function yieldLine(y, results, limits) {
  const each = results
    .filter((r) => y.limits[r.name] && Object.keys(limits).length > 1)
    .map((r) => `${r.label} ${y.limits[r.name].pct.toFixed(1)} %`);
  return el(
    'p',
    { class: `conclusion ${y.pct >= 99 ? 'good' : y.pct < 90 ? 'bad' : ''}` },
    `Yield ${y.pct.toFixed(1)} %: ${y.passed} of ${y.of} runs within the limits`,
    el(
      'span',
      { class: 'absent' },
      ` (95 % confidence ${y.low_pct.toFixed(1)} to ${y.high_pct.toFixed(1)} %${each.length ? `; ${each.join(', ')}` : ''})`,
    ),
  );
}

/** The statistics of all results. */
function statistics(summary, results, file) {
  const heads = [
    ['mean', 'Mean'],
    ['sigma', 'Sigma'],
    ['min', 'Least'],
    ['p05', '5 %'],
    ['p50', 'Median'],
    ['p95', '95 %'],
    ['max', 'Largest'],
  ];
  const csv = () =>
    [
      ['result', ...heads.map(([k]) => k)].join(','),
      ...results.map((r) =>
        [cell(r.name), ...heads.map(([k]) => summary.columns[r.name][k] ?? '')].join(','),
      ),
    ].join('\n');
  return el(
    'figure',
    {},
    el(
      'figcaption',
      {},
      el('b', {}, 'Statistics'),
      el(
        'button',
        {
          type: 'button',
          class: 'small',
          onclick: () => download(`${file}_statistics.csv`, csv(), 'text/csv'),
        },
        'CSV',
      ),
    ),
    el(
      'div',
      { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Statistics' },
      el(
        'table',
        {},
        el(
          'thead',
          {},
          el(
            'tr',
            {},
            el('th', { scope: 'col' }, 'Result'),
            heads.map(([, h]) => el('th', { scope: 'col', class: 'n' }, h)),
          ),
        ),
        el(
          'tbody',
          {},
          results.map((r) =>
            el(
              'tr',
              {},
              el('td', {}, r.label),
              heads.map(([k]) => el('td', { class: 'n' }, told(summary.columns[r.name][k], r))),
            ),
          ),
        ),
      ),
    ),
  );
}

/** The runs with the largest and the least values of a result. */
function ranking(r, d) {
  const { columns, fields, results } = d;
  const order = columns.index
    .map((unused, i) => i)
    .filter((i) => columns[r.name][i] !== null)
    .sort((a, b) => columns[r.name][b] - columns[r.name][a]);
  const isShort = order.length <= 2 * extremes;
  const row = (i) =>
    el(
      'tr',
      {},
      el('td', { class: 'n' }, columns.index[i]),
      fields.map((f) => el('td', { class: 'n' }, told(columns[f.field][i], f))),
      results.map((x) => el('td', { class: 'n' }, told(columns[x.name][i], x))),
    );
  const width = 1 + fields.length + results.length;
  const part = (text, list) => [
    el('tr', {}, el('th', { colspan: width, scope: 'rowgroup' }, text)),
    ...list.map(row),
  ];
  const rows = isShort
    ? order.map(row)
    : [
        ...part(`Largest ${r.label}`, order.slice(0, extremes)),
        ...part(`Least ${r.label}`, order.slice(-extremes).reverse()),
      ];
  return el(
    'details',
    { open: isShort },
    el('summary', {}, isShort ? 'All runs' : `Largest and least ${r.label}`),
    el(
      'div',
      { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': `Runs by ${r.label}` },
      el(
        'table',
        {},
        el(
          'thead',
          {},
          el(
            'tr',
            {},
            el('th', { scope: 'col', class: 'n' }, 'Run'),
            [...fields, ...results].map((f) => el('th', { scope: 'col', class: 'n' }, f.label)),
          ),
        ),
        el('tbody', {}, rows),
      ),
    ),
  );
}

const cell = (v) =>
  /[",\n]/.test(String(v ?? '')) ? `"${String(v).replaceAll('"', '""')}"` : String(v ?? '');

const csvOf = (columns) =>
  [
    Object.keys(columns).map(cell).join(','),
    ...columns.index.map((unused, i) =>
      Object.values(columns)
        .map((c) => cell(c[i]))
        .join(','),
    ),
  ].join('\n');
