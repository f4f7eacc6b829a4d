// The plots of a simulation: selected traces as panes over time or a sweep, as a Bode plot, as XY,
// as a spectrum or an eye diagram, or as the harmonics of .four.
import { el } from './dom.js';
import { plot, swatch } from './plot.js';
import { readQuantity, show } from './quantity.js';
import { download, announce } from './shell.js';
import { between, Cursors, placeOf } from './cursors.js';
import { onOneAxis } from './joined.js';
import { Comparison, difference, furtherSteps, ofRun, stepName } from './spice_compare.js';
import { functionNames } from './spice_expression.js';
import { completions, drawMarks, marksOf } from './spice_marks.js';
import { spiceNumber } from './spice_netlist.js';
import { crossings, decibels, phase, Vectors } from './spice_vectors.js';

const mostSeries = 24;
const halfPower = 10 * Math.log10(2); // dB
const views = { curves: 'Curves', xy: 'XY', spectrum: 'Spectrum', eye: 'Eye', fourier: 'Fourier' };
const withCurrent = 'rvlehbcdiswfg'; // letters of the elements that have a vector i(name)
const ofTime = ['spectrum', 'eye'];
const titles = {
  V: 'Voltage',
  A: 'Current',
  W: 'Power',
  Ω: 'Resistance',
  S: 'Conductance',
  dB: 'Decibels',
  '°': 'Phase',
  '/√Hz': 'Noise density',
  '': 'Ratio',
};

/**
 * Draws a result into element. traces are expressions that were drawn before, kept where they still can be;
 * files are waveform files to draw beside the run, as readFiles gives them, or kept runs as Comparisons;
 * text is the netlist of the run; onKeep takes this run to be drawn beside later ones, onDrop leaves those out;
 * onSave adds a .save card for a vector and runs again.
 * @returns {{traces: () => string[], add: (text: string) => void, destroy: () => void}}
 */
export function scope(
  element,
  { result, netlist, name, text = '', traces = [], files = [], onKeep, onDrop, onSave },
) {
  const vectors = new Vectors(result, netlist);
  const state = { view: 'curves', made: [], xName: vectors.axisName, window: 'hann' };
  const steps = furtherSteps(result).map((run) =>
    ofRun('', new Vectors(run, netlist), stepName(run.step)),
  );
  const first = ofRun('', vectors, steps.length ? stepName(result.step) : '');
  const own = (t) => (steps.length ? `${t}, ${first.step}` : t);
  let compared = steps; // and the Comparison of each file that fits
  const stage = el('div', { class: 'stage' });
  const list = el('div', { class: 'traces', role: 'group', 'aria-label': 'Traces' });
  const findings = el('ul', { class: 'found' });
  const cursors = new Cursors({ onMove: () => state.made.forEach((m) => m.plot.redraw(false)) });
  let shown = traces.filter((t) => readable(vectors, t));
  if (shown.length === 0) shown = vectors.favourites();
  const inks = new Map();
  const inkOf = (t) => {
    if (!inks.has(t))
      inks.set(
        t,
        [0, 1, 2, 3, 4, 5].find((n) => !shown.some((s) => inks.get(s) === n)) ?? inks.size,
      );
    return inks.get(t);
  };

  function drawList() {
    const custom = shown.filter((t) => !vectors.names.includes(t));
    list.replaceChildren(
      ...[...vectors.names, ...custom].map((t) => {
        const on = shown.includes(t);
        return el(
          'button',
          {
            type: 'button',
            class: 'trace',
            'data-trace': t,
            'aria-pressed': String(on),
            onclick: () => toggle(t),
          },
          on && swatch(inkOf(t)),
          t,
        );
      }),
    );
  }

  function toggle(t) {
    const focused = document.activeElement?.dataset.trace === t;
    if (shown.includes(t)) {
      shown = shown.filter((s) => s !== t);
      inks.delete(t);
    } else shown = [...shown, t];
    drawList();
    draw();
    if (focused) list.querySelector(`[data-trace="${CSS.escape(t)}"]`)?.focus();
  }

  function clear() {
    state.made.forEach((m) => m.destroy());
    state.made = [];
    stage.replaceChildren();
    findings.replaceChildren();
  }

  function draw() {
    clear();
    for (const part of [cursors.bar, cursors.table, list, adder])
      part.hidden = state.view === 'fourier';
    ranges.hidden = state.view !== 'curves';
    for (const part of [cursors.bar, cursors.table]) part.hidden ||= state.view === 'eye';
    xPicker.hidden = state.view !== 'xy';
    if (state.view === 'fourier') drawFourier();
    else if (ofTime.includes(state.view)) drawOfTime();
    else if (state.view === 'xy') drawXY();
    else drawCurves();
  }

  function panes() {
    const byUnit = new Map();
    const put = (title, unit, curve) => {
      const key = `${title}|${unit}`;
      if (!byUnit.has(key)) byUnit.set(key, { title, unit, curves: [] });
      byUnit.get(key).curves.push(curve);
    };
    for (const t of shown) {
      const x = vectors.values(t);
      if (vectors.kind === 'ac' && x.im) {
        for (const [i, c] of [first, ...compared].flatMap((k) => k.curves(t)).entries()) {
          if (c.parts.magnitude)
            put('Magnitude', 'dB', {
              ...c,
              isFirst: i === 0,
              ink: inkOf(t) + i,
              values: c.parts.magnitude,
            });
          if (c.parts.phase)
            put('Phase', '°', { ...c, isFirst: i === 0, ink: inkOf(t) + i, values: c.parts.phase });
        }
        continue;
      }
      for (const [i, r] of vectors.runs.entries()) {
        const label = vectors.runs.length > 1 ? `${t}, ${r.label}` : own(t);
        put(titles[x.unit] ?? 'Value', x.unit, {
          label,
          of: t,
          step: first.step,
          index: i,
          ink: vectors.runs.length > 1 ? i : inkOf(t),
          x: vectors.axis.slice(r.from, r.to),
          values: finite(x.re.slice(r.from, r.to)),
        });
      }
      for (const [i, c] of compared.flatMap((k) => k.curves(t)).entries()) {
        if (c.parts.value)
          put(titles[x.unit] ?? 'Value', x.unit, {
            ...c,
            ink: inkOf(t) + 1 + i,
            values: finite(c.parts.value),
          });
      }
    }
    const order = ['Magnitude', 'Phase'];
    return [...byUnit.values()].sort((a, b) => order.indexOf(a.title) - order.indexOf(b.title));
  }

  /**
   * Keeps the cursors at their times, or at their values of a sweep, on another axis. run has those
   * values by the places of axis.
   */
  function readAt(axis, curves, run = axis) {
    for (const c of ['A', 'B']) {
      if (cursors.at[c] === null || !state.run?.values.length) continue;
      const x =
        cursors.marked[c]?.x ??
        between(
          state.run.values,
          Math.min(cursors.at[c], state.run.values.length - 1),
          state.run.log,
        );
      cursors.at[c] = placeOf(run, x);
    }
    state.run = run;
    cursors.read(axis, curves);
  }

  function drawCurves() {
    if (shown.length === 0) stage.append(el('p', { class: 'empty' }, 'Choose a trace above.'));
    const own = vectors.x;
    const log =
      vectors.axisName === 'frequency' &&
      own.length > 2 &&
      own[0] > 0 &&
      own[2] - own[1] > 1.001 * (own[1] - own[0]);
    const all = panes();
    const drawn = all.flatMap((p) => p.curves.slice(0, mostSeries));
    const { x: values, lists } = onOneAxis(drawn, vectors.axisName === 'frequency');
    drawn.forEach((c, i) => {
      c.joined = lists[i];
    });
    const x = {
      label: vectors.label,
      unit: vectors.unit,
      log,
      values: drawn.length ? values : own,
    };
    const curves = [];
    const marks =
      vectors.runs.length > 1 || steps.length
        ? []
        : marksOf(text, result.analysis_type, result.measures, spiceNumber);
    for (const p of all) {
      const series = p.curves
        .slice(0, mostSeries)
        .map((c) => ({
          label: c.label,
          ink: c.ink,
          unit: p.unit,
          values: c.joined,
          own: c,
          points: x.values.length < 12,
        }));
      curves.push(
        ...series.map((s) => ({
          ...s,
          label:
            all.length > 1 && (p.unit === 'dB' || p.unit === '°')
              ? `${s.label} [${p.unit}]`
              : s.label,
        })),
      );
      state.made.push(
        plot(stage, {
          title: p.title,
          name: `${name}_${p.title}`,
          x,
          y: {
            unit: p.unit,
            label: p.title,
            log: p.unit === '/√Hz' && series.every((c) => c.values.every((y) => y > 0)),
          },
          series,
          sync: 'scope',
          height: all.length > 1 ? 210 : 320,
          marks: marks.filter((m) => m.unit === undefined || m.unit === p.unit),
          hooks: withMarks(cursors.hooks(), marks, p.unit),
          onKey: (event) => cursors.key(event),
        }),
      );
      if (vectors.runs.length > 1 || compared.length)
        stage.append(
          el(
            'p',
            { class: 'runs' },
            series.map((c) => el('span', {}, swatch(c.ink), ' ', c.label)),
          ),
        );
      if (p.curves.length > mostSeries)
        stage.append(
          el(
            'p',
            { class: 'absent' },
            `${p.curves.length - mostSeries} more curves are not drawn.`,
          ),
        );
    }
    readAt(x, curves);
    if (all[0]?.title === 'Magnitude') drawBode(all[0].curves.filter((c) => c.isFirst));
    for (const p of all) {
      for (const c of p.curves.filter((k) => k.isFile)) {
        const one = p.curves.find(
          (k) => k.of === c.of && !k.isFile && k.step === c.step && k.index === c.index,
        );
        if (one)
          findings.append(
            el('li', { class: 'compared' }, difference(c.label, one, c, x.unit, p.unit)),
          );
      }
    }
    for (const why of state.unfit ?? []) findings.append(el('li', {}, why));
  }

  /** What a Bode plot is looked at for: the peak, where it is 3 dB down, and unity gain. */
  function drawBode(curves) {
    for (const c of curves) {
      const label = cursors.curves.find((k) => k.values === c.joined)?.label;
      const go = (f, value) =>
        el(
          'button',
          {
            type: 'button',
            class: 'link',
            title: 'Put cursor A there',
            onclick: () => {
              cursors.activate('A', true);
              cursors.putAt(f, 'A', { label, value });
            },
          },
          show(f, 'Hz'),
        );
      const peak = c.values.reduce(
        (best, v, i) => (v !== null && (best < 0 || v > c.values[best]) ? i : best),
        -1,
      );
      if (peak < 0) continue;
      const top = c.values[peak];
      const down = crossings(c.x, c.values, top - halfPower);
      const below = down.filter((d) => d.x < c.x[peak]).at(-1);
      const above = down.find((d) => d.x > c.x[peak]);
      const parts = [
        el('b', {}, c.label),
        `: peak ${show(Number(top.toFixed(3)) || 0, 'dB')} at `,
        go(c.x[peak], top),
      ];
      if (below || above)
        parts.push(
          '; −3\u00a0dB at ',
          below && mark3(go(below.x, top - halfPower), below.x),
          below && above && ' and ',
          above && mark3(go(above.x, top - halfPower), above.x),
        );
      else parts.push('; never 3 dB below it in this range');
      if (below && above)
        parts.push(
          `, bandwidth ${show(above.x - below.x, 'Hz').replaceAll(' ', '\u00a0')}${quality(below.x, above.x)}`,
        );
      const unity = top > 1 && crossings(c.x, c.values, 0).find((d) => !d.rising);
      if (unity) parts.push('; 0 dB at ', go(unity.x, 0));
      findings.append(el('li', {}, parts));
    }
  }

  /** Says that the module of a view could not be loaded. */
  function missing() {
    stage.replaceChildren(
      el(
        'p',
        { class: 'problem' },
        'The view could not be loaded: the server cannot be reached. Try again.',
      ),
    );
  }

  function drawXY() {
    import('./spice_xy.js')
      .then(({ curvesOver, xy }) => {
        if (state.view !== 'xy') return;
        clear();
        try {
          const { axis, curves } = curvesOver([first, ...steps], shown, state.xName, inkOf);
          if (curves.length === 0)
            stage.append(el('p', { class: 'empty' }, 'Choose a trace above to draw over it.'));
          else
            state.made.push(
              xy(stage, {
                title: 'XY',
                name: `${name}_xy`,
                x: axis,
                curves: curves.slice(0, mostSeries),
                cursors,
              }),
            );
          readAt(
            axis,
            curves.filter((c) => c.isFirst),
            { values: vectors.axis.slice(0, vectors.runs[0].to) },
          );
        } catch (error) {
          stage.replaceChildren(el('p', { class: 'problem' }, error.message));
        }
      })
      .catch(missing);
  }

  /** The curves of the shown traces over time, for the views that are made of them. */
  function timeCurves() {
    return shown
      .flatMap((t) =>
        [first, ...steps]
          .flatMap((run) => run.curves(t))
          .map((c, i) => ({
            label: c.label,
            unit: c.unit,
            ink: inkOf(t) + i,
            x: c.x,
            y: c.parts.value,
          })),
      )
      .slice(0, mostSeries);
  }

  function drawOfTime() {
    import('./spice_spectrum_view.js')
      .then(({ drawEye, drawSpectrum }) => {
        if (!ofTime.includes(state.view)) return;
        clear();
        const curves = timeCurves();
        if (curves.length === 0) {
          stage.append(el('p', { class: 'empty' }, 'Choose a trace above.'));
          return;
        }
        try {
          const shared = { name, state, again: draw };
          const drawn =
            state.view === 'eye'
              ? drawEye(stage, findings, { ...shared, curve: curves[0] })
              : drawSpectrum(stage, findings, {
                  ...shared,
                  curves,
                  span: state.span,
                  hooks: cursors.hooks(),
                  onKey: (event) => cursors.key(event),
                });
          state.made.push(...drawn.made);
          if (drawn.x) cursors.read(drawn.x, drawn.series);
        } catch (error) {
          stage.append(el('p', { class: 'problem' }, error.message));
        }
      })
      .catch(missing);
  }

  /** Reads the unit interval of the eye diagram. */
  state.read = (text, again) => {
    const r = readQuantity(text, 's');
    const field = stage.querySelector('#eye-interval');
    if (text.trim() && (r.error || !(r.value > 0))) {
      field.setAttribute('aria-invalid', 'true');
      findings.replaceChildren(
        el(
          'li',
          { class: 'mistake' },
          r.error ? `The unit interval ${r.error}` : 'The unit interval must be greater than 0.',
        ),
      );
      return;
    }
    state.interval = text.trim() ? r.value : undefined;
    again();
  };

  /** Takes the waveform files, whose modules come with the first. */
  async function compare() {
    const { vectorsOf } = await import('./spice_raw.js');
    const all = files.flatMap(
      (f) =>
        f.runs?.map((r) => ofRun(f.name, r.vectors, r.step)) ??
        new Comparison(
          f.name,
          f.raw,
          new Vectors(
            {
              analysis_type: { time: 'tran', frequency: 'ac' }[f.raw.axis] ?? 'dc',
              vectors: vectorsOf(f.raw),
            },
            { sweeps: [], elements: [] },
          ),
        ),
    );
    state.unfit = all.map((c) => c.unfit(vectors.axisName)).filter(Boolean);
    compared = [...steps, ...all.filter((c) => !c.unfit(vectors.axisName))];
    draw();
  }

  function drawFourier() {
    for (const f of result.fourier) {
      const unit = f.node.startsWith('i(') ? 'A' : 'V';
      state.made.push(
        plot(stage, {
          title: `${f.node}, fundamental ${show(f.fundamental_hz, 'Hz')}, THD ${f.thd_pct === null ? 'unknown' : show(f.thd_pct, '%')}`,
          name: `${name}_${f.node}_harmonics`,
          height: 240,
          x: { label: 'Harmonic', unit: '', values: f.harmonics.map((h) => h.n) },
          y: { label: 'Peak value', unit },
          series: [
            {
              label: f.node,
              unit,
              bars: true,
              points: false,
              values: f.harmonics.map((h) => h.magnitude),
            },
          ],
        }),
      );
    }
  }

  const formula = el('input', {
    id: 'expression',
    'aria-label': 'Expression to plot',
    placeholder: vectors.kind === 'ac' ? 'db(v(out)/v(in))' : 'v(out)-v(in)',
    autocomplete: 'off',
    autocapitalize: 'off',
    spellcheck: 'false',
    list: 'expressions',
  });
  const suggestions = el('datalist', { id: 'expressions' });
  const known = [...vectors.names, ...functionNames.map((f) => `${f}(`)];
  formula.addEventListener('input', () =>
    suggestions.replaceChildren(
      ...completions(formula.value, known).map((value) => el('option', { value })),
    ),
  );
  const complaint = el('p', { class: 'mistake', role: 'alert', id: 'expression-m' });
  formula.setAttribute('aria-describedby', complaint.id);
  const add = (text) => {
    const t = text.trim().toLowerCase();
    if (t === '') return;
    try {
      vectors.values(t);
    } catch (error) {
      const lacks =
        onSave &&
        netlist.elements.some(
          (e) => `i(${e.name})` === error.vector && withCurrent.includes(e.letter),
        );
      complaint.replaceChildren(
        error.message,
        lacks ? ` The card .save all ${error.vector} adds it. ` : '',
        lacks
          ? el(
              'button',
              { type: 'button', class: 'small', onclick: () => onSave(error.vector, t) },
              `Add .save all ${error.vector}`,
            )
          : '',
      );
      formula.setAttribute('aria-invalid', 'true');
      return;
    }
    complaint.textContent = '';
    formula.removeAttribute('aria-invalid');
    formula.value = '';
    if (!shown.includes(t)) toggle(t);
    announce(`${t} drawn`);
  };
  formula.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    add(formula.value);
  });
  const zoom = (factor) => {
    for (const m of state.made) {
      const { min, max } = m.plot.scales.x;
      const log = m.plot.scales.x.distr === 3;
      const [a, b] = log ? [Math.log(min), Math.log(max)] : [min, max];
      const at = cursors.xOf(cursors.active);
      const mid = at === null ? (a + b) / 2 : log ? Math.log(at) : at;
      const [low, high] = [mid - (mid - a) * factor, mid + (b - mid) * factor];
      m.plot.setScale(
        'x',
        log ? { min: Math.exp(low), max: Math.exp(high) } : { min: low, max: high },
      );
    }
  };
  const small = (text, label, act) =>
    el(
      'button',
      { type: 'button', class: 'small', title: label, 'aria-label': label, onclick: act },
      text,
    );
  const ranges = el(
    'span',
    { class: 'picker' },
    small('+', '+ zooms in at the cursor', () => zoom(0.5)),
    small('−', '− zooms out', () => zoom(2)),
    small('All', 'Show all of it', () => state.made.forEach((m) => m.plot.setData(m.plot.data))),
  );
  const xPicker = el(
    'label',
    { class: 'brief' },
    'Over ',
    el(
      'select',
      {
        'aria-label': 'Horizontal axis',
        onchange: (e) => {
          state.xName = e.target.value;
          draw();
        },
      },
      [vectors.axisName, ...vectors.names].map((n) => el('option', { value: n }, n)),
    ),
  );
  const tabs = el(
    'span',
    { class: 'picker', role: 'group', 'aria-label': 'Kind of plot' },
    Object.entries(views)
      .filter(
        ([v]) =>
          (v !== 'fourier' || result.fourier?.length) &&
          (!ofTime.includes(v) || vectors.axisName === 'time'),
      )
      .map(([v, text]) =>
        el(
          'button',
          {
            type: 'button',
            class: 'small',
            'data-view': v,
            'aria-pressed': String(v === state.view),
            onclick: (e) => {
              if (state.view === 'curves' && ofTime.includes(v)) {
                const ends = ['A', 'B'].map((c) => cursors.xOf(c));
                state.span =
                  ends.includes(null) || ends[0] === ends[1]
                    ? undefined
                    : ends.sort((a, b) => a - b);
              }
              if (ofTime.includes(v) || ofTime.includes(state.view))
                cursors.at = { A: null, B: null };
              state.view = v;
              if (v === 'xy' && state.xName === vectors.axisName && vectors.names.length > 1) {
                state.xName = vectors.names.find((n) => !shown.includes(n)) ?? vectors.names[0];
                xPicker.querySelector('select').value = state.xName;
              }
              for (const b of e.currentTarget.parentElement.children)
                b.setAttribute('aria-pressed', String(b === e.currentTarget));
              draw();
            },
          },
          text,
        ),
      ),
  );
  const adder = el(
    'div',
    { class: 'expression' },
    formula,
    suggestions,
    el('button', { type: 'button', class: 'small', onclick: () => add(formula.value) }, 'Add'),
    onKeep &&
      small('Keep', 'Keep this run to compare later runs with it', () =>
        onKeep({ runs: [first, ...steps] }),
      ),
    onDrop && small('Drop', 'Drop the kept runs', onDrop),
    small('All as CSV', 'All as CSV: every vector with every point', async () => {
      const { csvOf } = await import('./spice_csv.js');
      download(
        `${name}.csv`,
        csvOf([result, ...furtherSteps(result)], vectors.axisName),
        'text/csv',
      );
    }),
    complaint,
  );
  element.replaceChildren(
    el('div', { class: 'scopebar' }, tabs, xPicker, ranges, cursors.bar),
    list,
    adder,
    stage,
    findings,
    cursors.table,
  );
  drawList();
  draw();
  if (files.length) compare();
  return { traces: () => shown, add, destroy: clear };
}

/** The quality of a resonance; a wide band has none worth naming. */
function quality(low, high) {
  const q = Math.sqrt(low * high) / (high - low);
  return q < 0.5 ? '' : `, Q\u00a0${show(Number(q.toPrecision(3)), '')}`;
}

/** Hooks of uPlot with the marks of measures below the cursors. */
const withMarks = (hooks, marks, unit) => ({
  ...hooks,
  draw: [drawMarks(marks, unit), ...hooks.draw],
});

const finite = (values) =>
  values.every(Number.isFinite) ? values : values.map((v) => (Number.isFinite(v) ? v : null));
const mark3 = (button, f) => {
  button.dataset.minus3db = f;
  return button;
};

function readable(vectors, text) {
  try {
    vectors.values(text);
    return true;
  } catch {
    return false;
  }
}
