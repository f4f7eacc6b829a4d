// The panel for batches: many runs of a tool, computed by the workers and drawn here.
import { carried, readQuantity, show, unitText } from './quantity.js';
import { el, isOff, switchOff } from './dom.js';
import { drawStale } from './result.js';
import { requestJson, ApiError } from './run.js';
import { pack } from './share.js';
import { copy, announce } from './shell.js';

const modes = {
  sweep: 'Sweep',
  random: 'Monte Carlo',
  solve: 'Goal seek',
  minimize: 'Minimize',
  maximize: 'Maximize',
};
const mostVaried = { sweep: 3, random: 8, solve: 1, minimize: 6, maximize: 6 };
const mostCollected = 8;
const mostRuns = { true: 200, false: 1000 }; // of a queued tool and of others; see api/page_batches.go
const usualPoints = { true: 11, false: 41 }; // of a single field
const mostFollowed = 120; // runs of a sweep that is drawn again when the input changes
const pause = 300; // ms after the last change until then
const firstEvent = 3000; // ms until the first event of a batch
const hints = {
  sweep: 'Computes every combination of the values.',
  random:
    'Draws values within their tolerances: statistics, yield, and the tolerance that matters.',
  solve: 'Finds every value in the range at which a result meets the target.',
  minimize: 'Searches the ranges for the least value of the first result; limits are constraints.',
  maximize:
    'Searches the ranges for the largest value of the first result; limits are constraints.',
};
const spreads = {
  tolerance: { text: '± %, uniform', fields: [['tolerance_pct', 'Tolerance', '%']] },
  sigma: { text: '± %, normal (3σ)', fields: [['tolerance_pct', 'Tolerance', '%']] },
  normal: {
    text: 'normal',
    fields: [
      ['mean', 'Mean'],
      ['sigma', 'Sigma'],
    ],
  },
  uniform: {
    text: 'uniform',
    fields: [
      ['min', 'From'],
      ['max', 'To'],
    ],
  },
  triangular: {
    text: 'triangular',
    fields: [
      ['min', 'From'],
      ['mode', 'Most likely'],
      ['max', 'To'],
    ],
  },
  lognormal: {
    text: 'lognormal',
    fields: [
      ['median', 'Median'],
      ['sigma_ln', 'Sigma of ln', '1'],
    ],
  },
};

/**
 * Fills box with the panel.
 * @param {{tool: string, title: string, fields: () => object[], results: () => object[], input: () => object|undefined,
 *   query: () => URLSearchParams, path: string, hashed?: boolean, heavy?: boolean, use?: (values: object) => void, overlay?: Function}} source
 *   fields and results: what may be varied and collected; input: the request of the page, undefined when it is not valid;
 *   use: takes values by field into the page
 * @param {object} [state] of a link
 */
export function batchPanel(box, source, state) {
  document.head.append(
    el('link', { rel: 'stylesheet', href: new URL('../batch.css', import.meta.url).href }),
  ); // from merged/
  let s = state ?? {
    mode: 'sweep',
    vary: [],
    collect: [],
    n: source.heavy ? '100' : '400',
    seed: '1',
    target: '',
  };
  let drawn; // results on the page
  let running; // AbortController
  let ran = ''; // the request of the last run, as JSON text
  let drawnFrom = ''; // the request of what is drawn
  let runs = 0;
  let timer;
  const note = el('p', { class: 'absent', role: 'status' });
  const fault = el('p', { class: 'mistake', role: 'alert' });
  const progress = el('div', {});
  const output = el('div', { class: 'batch-out' });
  const staleNote = el('p', { class: 'stale-note', hidden: true });
  const form = el('form', { novalidate: true, 'aria-label': 'Batch' });
  box.append(form, fault, note, progress, staleNote, output);

  const kept = () =>
    history.replaceState(null, '', `${location.pathname}${location.search}${hash}`);
  let hash = '';
  let changes = 0;
  const keep = async () => {
    compare();
    const mine = ++changes;
    const packed = `#b=${await pack(JSON.stringify(s))}`;
    if (packed === hash || mine !== changes) return; // a later change is on its way
    hash = packed;
    kept();
  };

  /** The fields that the mode may vary. */
  const choices = () =>
    source
      .fields()
      .filter((f) =>
        s.mode === 'sweep'
          ? true
          : !f.options && !(f.whole && (s.mode === 'random' || s.mode === 'solve')),
      );
  const shown = (v, unit) =>
    show(v, unit ?? '')
      .replaceAll('\u202f', '')
      .replaceAll('\u00a0', ' ');
  /** A variation of a field with the texts that suit its value. */
  const varied = (f) => {
    const v = Number.isFinite(f.value) && f.value !== 0 ? f.value : 1;
    const ends = f.whole
      ? [Math.max(1, Math.round(v / 2)), Math.max(2, Math.round(v * 2))]
      : v < 0
        ? [v * 2, v / 2]
        : [v / 2, v * 2];
    const write = (x) => (f.whole ? String(x) : shown(Number(x.toPrecision(4)), f.unit));
    return {
      field: f.field,
      from: write(ends[0]),
      to: write(ends[1]),
      scale: 'lin',
      spread: 'tolerance',
      tolerance_pct: '5',
      mean: write(v),
      sigma: write(Math.abs(v) / 20),
      min: write(ends[0]),
      mode: write(v),
      max: write(ends[1]),
      median: write(Math.abs(v)),
      sigma_ln: '0.1',
    };
  };
  const complete = () => {
    const fields = choices();
    s.vary = s.vary
      .filter((v) => fields.some((f) => f.field === v.field))
      .slice(0, mostVaried[s.mode]);
    if (!s.vary.length && fields.length)
      s.vary = [varied(fields.find((f) => f.given && !f.options) ?? fields[0])];
    const results = source.results();
    s.collect = s.collect.filter((c) => results.some((r) => r.name === c.name));
    if (!s.collect.length && results.length)
      s.collect = [{ name: results[0].name, min: '', max: '' }];
  };

  /** The values of each number of a sweep, so that all combinations are within the limit of the page. */
  const share = () => {
    const chosen = s.vary.map((v) => choices().find((f) => f.field === v.field));
    const combinations = chosen.reduce((n, f) => n * (f?.options?.length ?? 1), 1);
    const numbers = chosen.filter((f) => !f?.options).length;
    return Math.max(
      2,
      Math.floor((mostRuns[Boolean(source.heavy)] / combinations) ** (1 / numbers) + 1e-9),
    );
  };
  const pointsOf = (v) => v.points ?? String(Math.min(usualPoints[Boolean(source.heavy)], share()));

  const label = (text, control, className) => el('label', { class: className }, text, control);
  const text = (of, key, name, unit, given = of[key]) => {
    const i = el('input', {
      value: given ?? '',
      placeholder: unit,
      autocomplete: 'off',
      autocapitalize: 'off',
      spellcheck: 'false',
      'aria-label': name,
    });
    i.addEventListener('input', () => {
      of[key] = i.value;
      keep();
    });
    return i;
  };
  const select = (options, value, name, change) => {
    const e = el(
      'select',
      { 'aria-label': name },
      options.map(([v, t]) => el('option', { value: v }, t)),
    );
    e.value = value;
    e.addEventListener('change', () => {
      change(e.value);
      keep();
    });
    return e;
  };
  const drop = (list, i, what) =>
    list.length > 1 &&
    el(
      'button',
      {
        type: 'button',
        class: 'drop',
        'aria-label': `Remove ${what}`,
        onclick: () => {
          list.splice(i, 1);
          render();
          keep();
        },
      },
      '×',
    );

  const varyRow = (v, i, fields) => {
    const f = fields.find((x) => x.field === v.field);
    const free = fields.filter(
      (x) => x.field === v.field || !s.vary.some((o) => o.field === x.field),
    );
    const row = el(
      'div',
      { class: 'batch-row' },
      label(
        'Vary',
        select(
          free.map((x) => [x.field, x.label]),
          v.field,
          'Varied field',
          (value) => {
            s.vary[i] = varied(fields.find((x) => x.field === value));
            render();
          },
        ),
        'wide',
      ),
    );
    if (f.options) row.append(el('span', { class: 'absent' }, f.options.map(String).join(', ')));
    else if (s.mode === 'random') {
      row.append(
        label(
          'Spread',
          select(
            Object.entries(spreads).map(([k, d]) => [k, d.text]),
            v.spread,
            `Spread of ${f.label}`,
            (value) => {
              v.spread = value;
              render();
            },
          ),
        ),
      );
      for (const [key, name] of spreads[v.spread].fields)
        row.append(label(name, text(v, key, `${name} of ${f.label}`)));
    } else {
      row.append(
        label('From', text(v, 'from', `From, ${f.label}`)),
        label('To', text(v, 'to', `To, ${f.label}`)),
      );
      if (s.mode === 'sweep') {
        if (!f.whole)
          row.append(
            label(
              'Points',
              text(v, 'points', `Points, ${f.label}`, undefined, pointsOf(v)),
              'short',
            ),
          );
        row.append(
          label(
            'Spacing',
            select(
              [
                ['lin', 'even'],
                ['log', 'logarithmic'],
              ],
              v.scale,
              `Spacing of ${f.label}`,
              (value) => {
                v.scale = value;
              },
            ),
          ),
        );
      }
    }
    const remove = drop(s.vary, i, f.label);
    if (remove) row.append(remove);
    return row;
  };
  const collectRow = (c, i, results) => {
    const free = results.filter(
      (r) => r.name === c.name || !s.collect.some((o) => o.name === r.name),
    );
    const r = results.find((x) => x.name === c.name);
    const row = el(
      'div',
      { class: 'batch-row' },
      label(
        i === 0 && (s.mode === 'minimize' || s.mode === 'maximize') ? modes[s.mode] : 'Result',
        select(
          free.map((x) => [x.name, x.label]),
          c.name,
          'Result',
          (value) => {
            s.collect[i] = { ...c, name: value, min: '', max: '' };
            render();
          },
        ),
        'wide',
      ),
    );
    if (s.mode === 'solve')
      row.append(label('Target', text(s, 'target', `Target of ${r.label}`, unitText(r.unit))));
    else if (s.mode !== 'sweep')
      row.append(
        label('At least', text(c, 'min', `Least ${r.label}`, unitText(r.unit))),
        label('At most', text(c, 'max', `Largest ${r.label}`, unitText(r.unit))),
      );
    const remove = drop(s.collect, i, r.label);
    if (remove) row.append(remove);
    return row;
  };

  function render() {
    const called = (e) => e.getAttribute('aria-label') ?? e.textContent;
    const focus = form.contains(document.activeElement)
      ? called(document.activeElement)
      : undefined;
    const named = () =>
      [...form.querySelectorAll('button, input, select')].filter((e) => called(e) === focus);
    const place = named().indexOf(document.activeElement);
    complete();
    const fields = choices();
    const results = source.results();
    const button = (name, act, className = 'small') =>
      el('button', { type: 'button', class: className, onclick: act }, name);
    const addField =
      s.vary.length < Math.min(mostVaried[s.mode], fields.length) &&
      button('Vary another', () => {
        s.vary.push(varied(fields.find((f) => !s.vary.some((v) => v.field === f.field))));
        render();
        keep();
      });
    const addResult =
      s.mode !== 'solve' &&
      s.collect.length < Math.min(mostCollected, results.length) &&
      button('Another result', () => {
        s.collect.push({
          name: results.find((r) => !s.collect.some((c) => c.name === r.name)).name,
          min: '',
          max: '',
        });
        render();
        keep();
      });
    const more = (b) => (b ? [el('p', { class: 'picker' }, b)] : []);
    form.replaceChildren(
      el(
        'div',
        { class: 'picker', role: 'group', 'aria-label': 'Kind of batch' },
        Object.entries(modes).map(([m, name]) =>
          el(
            'button',
            {
              type: 'button',
              class: 'small',
              'aria-pressed': String(m === s.mode),
              onclick: () => {
                s.mode = m;
                render();
                keep();
              },
            },
            name,
          ),
        ),
      ),
      el('p', { class: 'absent' }, hints[s.mode]),
      ...(fields.length
        ? []
        : [el('p', { class: 'absent' }, 'This input has no number to vary in this mode.')]),
      ...s.vary.map((v, i) => varyRow(v, i, fields)),
      ...more(addField),
      ...s.collect
        .slice(0, s.mode === 'solve' ? 1 : mostCollected)
        .map((c, i) => collectRow(c, i, results)),
      ...more(addResult),
      el(
        'div',
        { class: 'batch-row' },
        s.mode !== 'sweep' && s.mode !== 'solve' && label('Runs', text(s, 'n', 'Runs'), 'short'),
        s.mode === 'random' && label('Seed', text(s, 'seed', 'Seed'), 'short'),
        el('button', { class: 'main', disabled: !fields.length }, 'Run batch'),
        button('Check', () => check(), ''),
        button('Copy link', (event) => link(event.currentTarget), ''),
        button(
          'Copy request',
          (event) => {
            const r = request();
            if (r) copy(JSON.stringify(r, null, 1), event.currentTarget);
          },
          '',
        ),
      ),
    );
    if (focus !== undefined) (named()[place] ?? form.querySelector('.batch-row select'))?.focus();
  }

  /** The request of the batch; undefined, with the reason on the page, when something is wrong. */
  function request() {
    const { made, reason = '' } = build();
    fault.textContent = reason;
    return made;
  }

  /** Says whether the drawn result is that of the panel and of the inputs. */
  function compare() {
    if (drawn)
      drawStale(
        staleNote,
        [output],
        JSON.stringify(build().made) === drawnFrom
          ? ''
          : 'The batch or its inputs were changed after this run.',
        false,
      );
  }

  /** Says above the drawn result that it is not that of the rejected batch. */
  function reject() {
    if (drawn) drawStale(staleNote, [output], 'The last batch that was run gave:');
  }

  /** Reads the panel: { made } is the request, { reason } is the error. */
  function build() {
    const input = source.input();
    if (!input) return { reason: 'The inputs above are not complete.' };
    const read = (given, unit, what) => {
      if (!given?.trim()) throw new Error(`${what} is required`);
      const r = readQuantity(given.trim(), unit ?? '');
      if (r.error) throw new Error(`${what} ${r.error}`);
      return r.value;
    };
    const whole = (given, what, low, high) => {
      if (!given?.trim()) throw new Error(`${what} is required`);
      const v = Number(given.trim());
      if (!Number.isInteger(v) || v < low || v > high)
        throw new Error(`${what} must be a whole number from ${low} to ${high}`);
      return v;
    };
    const fields = choices();
    const results = source.results();
    const variation = (v) => {
      const f = fields.find((x) => x.field === v.field);
      if (!f) throw new Error(`The input has no ${v.field.replace(/^.*[:/]/, '')} any more`);
      if (f.options) return { field: f.field, values: f.options };
      if (s.mode === 'random') {
        const out = {
          field: f.field,
          ...({ tolerance: {}, sigma: { distribution: 'normal' } }[v.spread] ?? {
            distribution: v.spread,
          }),
        };
        for (const [key, name, unit] of spreads[v.spread].fields)
          out[key] = read(
            v[key],
            unit === '%' || unit === '1' ? '' : f.unit,
            `${name} of ${f.label}`,
          );
        if (
          out.tolerance_pct !== undefined &&
          !f.given &&
          f.value !== undefined &&
          f.field.lastIndexOf('/') === 0
        )
          input[f.field.slice(1)] = f.value; // the default
        return out;
      }
      const [from, to] = [
        read(v.from, f.unit, `From of ${f.label}`),
        read(v.to, f.unit, `To of ${f.label}`),
      ];
      if (from === to) throw new Error(`From and to of ${f.label} are equal`);
      if (f.whole)
        return {
          field: f.field,
          values: wholes(
            from,
            to,
            v.scale === 'log' && s.mode === 'sweep',
            s.mode === 'sweep' && s.vary.length > 1 ? share() : mostWholes,
          ),
        };
      if (s.mode !== 'sweep') return { field: f.field, from, to };
      if (v.scale === 'log' && !(from > 0 && to > 0))
        throw new Error(`A logarithmic sweep of ${f.label} needs positive ends`);
      return {
        field: f.field,
        from,
        to,
        points: whole(pointsOf(v), `Points of ${f.label}`, 2, 1000),
        scale: v.scale,
      };
    };
    try {
      const used = s.mode === 'solve' ? s.collect.slice(0, 1) : s.collect;
      const collect = used.map((c) => results.find((r) => r.name === c.name));
      if (collect.includes(undefined))
        throw new Error('A result that was chosen does not exist any more');
      const out = {
        tool: source.tool,
        input,
        mode: s.mode === 'sweep' ? 'grid' : s.mode === 'random' ? 'lhs' : s.mode,
        vary: s.vary.map(variation),
        collect: collect.map((r) => r.collect),
      };
      const limits = {};
      if (s.mode !== 'sweep' && s.mode !== 'solve') {
        used.forEach((c, i) => {
          const l = {};
          if (c.min?.trim())
            l.min = read(c.min, collect[i].unit, `At least of ${collect[i].label}`);
          if (c.max?.trim()) l.max = read(c.max, collect[i].unit, `At most of ${collect[i].label}`);
          if ('min' in l || 'max' in l) limits[c.name] = l;
        });
        out.n = whole(s.n, 'Runs', 1, 100000);
      }
      if (Object.keys(limits).length) out.limits = limits;
      if (s.mode === 'random') out.seed = whole(s.seed, 'Seed', -1e15, 1e15);
      if (s.mode === 'solve')
        out.target = { name: used[0].name, value: read(s.target, collect[0].unit, 'Target') };
      if (s.mode === 'minimize' || s.mode === 'maximize') out.objective = used[0].name;
      return { made: out };
    } catch (error) {
      return { reason: error.message };
    }
  }

  const failed = (error) => {
    if (error.name === 'AbortError') return;
    if (!(error instanceof ApiError)) throw error;
    const names = new Map(source.fields().map((f) => [f.field, f.label]));
    const said = error.errors.map((e) =>
      e.detail.replace(/"(\/[^"]+)"/g, (m, p) => names.get(p) ?? m),
    );
    fault.textContent =
      [error.message, ...said].join(': ') + (error.advice ? `. ${error.advice}` : '');
  };

  /** Follows the events of a batch until it has ended, or until they fail: then it is asked for. */
  const follow = (id, signal, show) =>
    new Promise((resolve) => {
      const events = new EventSource(`/ui/batches/${id}/events`);
      const end = () => {
        clearTimeout(timer);
        events.close();
        resolve();
      };
      const timer = setTimeout(end, firstEvent);
      signal.addEventListener('abort', end, { once: true });
      events.addEventListener('progress', (event) => {
        clearTimeout(timer);
        show(JSON.parse(event.data));
      });
      for (const name of ['end', 'error']) events.addEventListener(name, end);
    });

  async function check() {
    const r = request();
    if (!r) return;
    try {
      const { data } = await requestJson(
        'POST',
        '/ui/batches',
        JSON.stringify({ ...r, dry_run: true }),
      );
      note.textContent =
        s.mode === 'solve' || s.mode === 'minimize' || s.mode === 'maximize'
          ? 'The request is valid.'
          : `${data.runs_total} runs, ${data.runs_invalid ? `${data.runs_invalid} of them with values that the tool rejects, the first: ${data.first_error.error}` : 'all valid'}.`;
    } catch (error) {
      failed(error);
    }
  }

  async function link(button) {
    const q = source.query();
    const short = !source.hashed && q.toString().length < 1500;
    const packed = await pack(JSON.stringify(short ? s : { ...s, query: q.toString() }));
    copy(`${location.origin}${source.path}${short && q.size ? `?${q}` : ''}#b=${packed}`, button);
  }

  /** Runs the batch; again: because the input has changed, without telling of its progress. */
  async function run(again = false) {
    const r = request();
    if (!r) {
      reject();
      return;
    }
    ran = JSON.stringify(r);
    running?.abort();
    const stop = (running = new AbortController());
    note.textContent = '';
    let id;
    const cancel = el(
      'button',
      {
        type: 'button',
        class: 'small',
        onclick: () => {
          if (isOff(cancel)) return;
          switchOff(cancel, true);
          if (id) requestJson('DELETE', `/ui/batches/${id}`).catch(() => {});
        },
      },
      'Cancel',
    );
    const bar = el('progress', { class: 'progress', max: 100, 'aria-label': 'Progress' });
    const told = el('p', {}, 'Waiting for a worker');
    if (!again) progress.replaceChildren(told, bar, el('p', { class: 'picker' }, cancel));
    output.classList.add('pending');
    try {
      let b = (await requestJson('POST', '/ui/batches', JSON.stringify(r), { signal: stop.signal }))
        .data;
      ({ id } = b);
      const show = (p) => {
        bar.value = (100 * p.runs_done) / Math.max(1, p.runs_total);
        told.textContent =
          p.state === 'queued'
            ? 'Waiting for a worker'
            : `${p.runs_done} of ${p.runs_total} runs${p.rate_per_s ? `, ${p.rate_per_s.toFixed(0)} per second` : ''}${p.eta_s ? `, ${Math.ceil(p.eta_s)} s left` : ''}`;
      };
      await follow(id, stop.signal, show);
      for (
        let pause = 0;
        b.summary === undefined && b.state !== 'failed';
        pause = Math.min(1000, 60 + pause * 1.5)
      ) {
        if (pause)
          await new Promise((done) => {
            setTimeout(done, pause);
          });
        b = (await requestJson('GET', `/ui/batches/${id}`, undefined, { signal: stop.signal }))
          .data;
        show(b);
      }
      if (b.state === 'failed')
        throw new ApiError({ title: b.error || 'The batch could not go on' });
      const [{ data }, { drawBatch }] = await Promise.all([
        requestJson('GET', `/ui/batches/${id}/results`, undefined, { signal: stop.signal }),
        import('./batch_result.js'),
      ]);
      if (stop.signal.aborted) return;
      drawn?.destroy();
      output.replaceChildren();
      drawn = drawBatch(output, {
        batch: b,
        columns: data.columns,
        request: r,
        mode: s.mode,
        title: source.title,
        name: source.tool,
        use: source.use,
        overlay: source.overlay,
        fields: r.vary.map((v) => ({
          ...source.fields().find((f) => f.field === v.field),
          log: v.scale === 'log',
        })),
        results: r.collect.map((c) =>
          source.results().find((x) => x.collect === c || x.name === (c.name ?? c)),
        ),
      });
      runs = b.runs_done;
      drawnFrom = JSON.stringify(r);
      compare();
      announce(`Batch finished, ${b.runs_done} runs`);
    } catch (error) {
      failed(error);
      if (error.name !== 'AbortError') reject();
    } finally {
      if (running === stop) {
        if (progress.contains(document.activeElement)) form.querySelector('.main').focus();
        progress.replaceChildren();
        output.classList.remove('pending');
      }
    }
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    run();
  });
  render();
  if (state) keep();
  let offered = '';
  const refresh = () => {
    const now = JSON.stringify([
      choices().map((f) => f.field),
      source.results().map((r) => r.name),
    ]);
    if (now !== offered && offered !== '') render();
    offered = now;
    if (!drawn || s.mode !== 'sweep' || source.heavy || runs > mostFollowed) {
      compare();
      return;
    }
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (JSON.stringify(request()) !== ran) run(true);
      else compare();
    }, pause);
  };
  refresh();
  return {
    /** Follows a change of the input: of what may be varied and collected, and with the curves of a small sweep. */
    refresh,
    get hash() {
      return hash;
    },
  };
}

const mostWholes = 500;

/** The whole numbers of a range, or as many of them as fit. */
function wholes(from, to, logarithmic, most) {
  const [low, high] = [Math.min(from, to), Math.max(from, to)].map(Math.round);
  const n = Math.min(most, high - low + 1);
  const at = (t) => (logarithmic && low > 0 ? low * (high / low) ** t : low + (high - low) * t);
  return [...new Set(Array.from({ length: n }, (_, i) => Math.round(at(n > 1 ? i / (n - 1) : 0))))];
}

/** Values of a batch as they are written into a form. */
export const written = (fields, values) =>
  fields.map((f) => [
    f.field,
    f.unit && f.unit !== '*' ? `${carried(values[f.field])} ${f.unit}` : carried(values[f.field]),
  ]);
