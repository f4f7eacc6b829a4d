// The plots of a simulation. The traces are shown as panes over time or a sweep, as a Bode plot or
// as XY. A spectrum, an eye diagram and the harmonics of .four are the other views.
import { h, smallButton } from './dom.js';
import { colourCount, plot, swatch } from './plot.js';
import { download, announce } from './shell.js';
import { Cursors, fractionalIndex, interpolate } from './cursors.js';
import { bodeFinding } from './spice_bode.js';
import { Comparison, formatStep, furtherSteps } from './spice_compare.js';
import { createExpressionField } from './spice_expression_field.js';
import { drawMarks, marksOf } from './spice_marks.js';
import { spiceNumber } from './spice_netlist.js';
import { alignPanes, maxSeries, panesOf } from './spice_panes.js';
import { Vectors } from './spice_vectors.js';

const views = { curves: 'Curves', xy: 'XY', spectrum: 'Spectrum', eye: 'Eye', fourier: 'Fourier' };
const timeViews = ['spectrum', 'eye']; // views of a transient analysis only

const titledButton = (text, title, onclick) =>
  smallButton(text, onclick, { title, 'aria-label': title });

/**
 * @typedef {object} ScopeOptions
 * @property {object} result of spice_simulate
 * @property {import('./spice_netlist.js').Netlist} netlist of the run
 * @property {string} name of the files
 * @property {string} [text] of the netlist
 * @property {string[]} [traces] expressions of an earlier result; invalid ones are ignored
 * @property {object[]} [files] waveform files from readFiles, and kept runs {name, runs}
 * @property {(run: {runs: Comparison[]}) => void} [onKeep] keeps this run for comparisons
 * @property {() => void} [onDrop] drops the kept runs
 * @property {(vector: string, expression: string) => void} [onSave] adds a .save card for a vector
 *   and runs again
 */

/** The plots of a result in an element. */
export class Scope {
  #options;
  #vectors;
  #first; // the run as a Comparison
  #steps; // the further .step runs
  #compared; // the further .step runs and the files
  #mismatches = []; // sentences about files that the plots do not contain
  #describeDifferences = () => []; // see spice_differences.js
  #shown; // expressions
  #styles = new Map(); // number of the line style by expression
  #view = 'curves';
  #settings = { window: 'hann' }; // of the views: window, interval, span, xName
  #plots = [];
  #cursorAxis; // the axis that the cursors count

  #traceList = h('div', { class: 'traces', role: 'group', 'aria-label': 'Traces' });
  #stage = h('div', { class: 'stage' });
  #findings = h('ul', { class: 'found' });
  #cursors = new Cursors({ onMove: () => this.#plots.forEach((m) => m.plot.redraw(false)) });
  #field;
  #addBar;
  #xPicker;
  #zoomButtons = h(
    'span',
    { class: 'picker' },
    titledButton('+', '+ zooms in at the cursor', () => this.#zoom(0.5)),
    titledButton('−', '− zooms out', () => this.#zoom(2)),
    titledButton('All', 'Show all of it', () =>
      this.#plots.forEach((m) => m.plot.setData(m.plot.data)),
    ),
  );

  /**
   * @param {HTMLElement} element
   * @param {ScopeOptions} options
   */
  constructor(element, options) {
    const { result, netlist, traces = [], files = [], onSave } = options;
    this.#options = options;
    this.#vectors = new Vectors(result, netlist);
    this.#settings.xName = this.#vectors.axisName;
    this.#steps = furtherSteps(result).map((run) =>
      Comparison.ofRun('', new Vectors(run, netlist), formatStep(run.step)),
    );
    const step = this.#steps.length ? formatStep(result.step) : '';
    this.#first = Comparison.ofRun('', this.#vectors, step);
    this.#compared = this.#steps;
    this.#shown = traces.filter((t) => this.#isValid(t));
    if (this.#shown.length === 0) this.#shown = this.#vectors.initialTraces();
    this.#field = createExpressionField({
      vectors: this.#vectors,
      netlist,
      onSave,
      onAdd: (expression) => {
        if (!this.#shown.includes(expression)) this.#toggle(expression);
        announce(`${expression} drawn`);
      },
    });
    this.#xPicker = this.#createXPicker();
    this.#addBar = this.#createAddBar();
    element.replaceChildren(
      h(
        'div',
        { class: 'scopebar' },
        this.#viewButtons(),
        this.#xPicker,
        this.#zoomButtons,
        this.#cursors.bar,
      ),
      this.#traceList,
      this.#addBar,
      this.#stage,
      this.#findings,
      this.#cursors.table,
    );
    this.#drawTraceList();
    this.#draw();
    if (files.length) this.#addFiles(files);
  }

  /** Returns the shown expressions. */
  traces() {
    return this.#shown;
  }

  /** Draws an expression, or shows its error. */
  add(text) {
    this.#field.add(text);
  }

  destroy() {
    this.#clear();
  }

  #isValid(text) {
    try {
      this.#vectors.values(text);
      return true;
    } catch {
      return false;
    }
  }

  /**
   * Returns the number of the line style of a run of an expression: the first unused one for its
   * first run. The runs of one of several expressions share a colour and differ in their dashes,
   * as long as there is a dash for each run.
   */
  #styleOf(text, run = 0) {
    if (!this.#styles.has(text)) {
      const used = new Set(this.#shown.map((t) => this.#styles.get(t)));
      let style = 0;
      while (used.has(style)) style++;
      this.#styles.set(text, style < colourCount ? style : this.#styles.size);
    }
    const runs = Math.max(this.#vectors.runs.length, this.#compared.length + 1);
    const style = this.#styles.get(text);
    if (runs > colourCount) return style * runs + run;
    return style + run * (this.#shown.length > 1 ? colourCount : 1);
  }

  #createXPicker() {
    const select = h(
      'select',
      {
        'aria-label': 'Horizontal axis',
        onchange: () => {
          this.#settings.xName = select.value;
          this.#draw();
        },
      },
      [this.#vectors.axisName, ...this.#vectors.names].map((n) => h('option', { value: n }, n)),
    );
    return h('label', { class: 'brief' }, 'Over ', select);
  }

  #createAddBar() {
    const { result, name, onKeep, onDrop } = this.#options;
    return h(
      'div',
      { class: 'expression' },
      this.#field.elements,
      onKeep &&
        titledButton('Keep', 'Keep this run to compare later runs with it', () =>
          onKeep({ runs: [this.#first, ...this.#steps] }),
        ),
      onDrop && titledButton('Drop', 'Drop the kept runs', onDrop),
      titledButton('All as CSV', 'All as CSV: every vector with every point', async () => {
        const { vectorsToCSV } = await import('./spice_csv.js');
        const runs = [result, ...furtherSteps(result)];
        download(`${name}.csv`, vectorsToCSV(runs, this.#vectors.axisName), 'text/csv');
      }),
      this.#field.message,
    );
  }

  #viewButtons() {
    const isAvailable = (view) =>
      (view !== 'fourier' || this.#options.result.fourier?.length) &&
      (!timeViews.includes(view) || this.#vectors.axisName === 'time');
    const buttons = Object.entries(views)
      .filter(([view]) => isAvailable(view))
      .map(([view, text]) =>
        smallButton(
          text,
          (event) => {
            for (const b of buttons)
              b.setAttribute('aria-pressed', String(b === event.currentTarget));
            this.#setView(view);
          },
          { 'data-view': view, 'aria-pressed': String(view === this.#view) },
        ),
      );
    return h('span', { class: 'picker', role: 'group', 'aria-label': 'Kind of plot' }, buttons);
  }

  #setView(view) {
    const isTimeView = timeViews.includes(view);
    if (this.#view === 'curves' && isTimeView) this.#settings.span = this.#cursorSpan();
    if (isTimeView || timeViews.includes(this.#view)) this.#cursors.at = { A: null, B: null };
    this.#view = view;
    if (view === 'xy') this.#chooseXYAxis();
    this.#draw();
  }

  /** Returns the times of both cursors in ascending order, or undefined. */
  #cursorSpan() {
    const ends = ['A', 'B'].map((c) => this.#cursors.xOf(c));
    if (ends.includes(null) || ends[0] === ends[1]) return undefined;
    return ends.sort((a, b) => a - b);
  }

  /** Replaces the axis of the analysis, which XY does not need, with the first hidden vector. */
  #chooseXYAxis() {
    const { names, axisName } = this.#vectors;
    if (this.#settings.xName !== axisName || names.length < 2) return;
    this.#settings.xName = names.find((n) => !this.#shown.includes(n)) ?? names[0];
    this.#xPicker.querySelector('select').value = this.#settings.xName;
  }

  #drawTraceList() {
    const { names } = this.#vectors;
    const custom = this.#shown.filter((t) => !names.includes(t));
    this.#traceList.replaceChildren(
      ...[...names, ...custom].map((t) => {
        const isShown = this.#shown.includes(t);
        return h(
          'button',
          {
            type: 'button',
            class: 'trace',
            'data-trace': t,
            'aria-pressed': String(isShown),
            onclick: () => this.#toggle(t),
          },
          isShown && swatch(this.#styleOf(t)),
          t,
        );
      }),
    );
  }

  #toggle(text) {
    const hasFocus = document.activeElement?.dataset.trace === text;
    if (this.#shown.includes(text)) {
      this.#shown = this.#shown.filter((t) => t !== text);
      this.#styles.delete(text);
    } else this.#shown = [...this.#shown, text];
    this.#drawTraceList();
    this.#draw();
    if (hasFocus) this.#traceList.querySelector(`[data-trace="${CSS.escape(text)}"]`)?.focus();
  }

  /** Scales the range of x by a factor, around the active cursor or the middle. */
  #zoom(factor) {
    for (const { plot: chart } of this.#plots) {
      const { min, max, distr } = chart.scales.x;
      const isLog = distr === 3;
      const toScale = (v) => (isLog ? Math.log(v) : v);
      const fromScale = (v) => (isLog ? Math.exp(v) : v);
      const [low, high] = [toScale(min), toScale(max)];
      const at = this.#cursors.xOf(this.#cursors.active);
      const mid = at === null ? (low + high) / 2 : toScale(at);
      chart.setScale('x', {
        min: fromScale(mid - (mid - low) * factor),
        max: fromScale(mid + (high - mid) * factor),
      });
    }
  }

  #clear() {
    this.#plots.forEach((m) => m.destroy());
    this.#plots = [];
    this.#stage.replaceChildren();
    this.#findings.replaceChildren();
  }

  #draw() {
    this.#clear();
    const view = this.#view;
    const hasCursors = view !== 'fourier' && view !== 'eye';
    this.#cursors.bar.hidden = this.#cursors.table.hidden = !hasCursors;
    this.#traceList.hidden = this.#addBar.hidden = view === 'fourier';
    this.#zoomButtons.hidden = view !== 'curves';
    this.#xPicker.hidden = view !== 'xy';
    if (view === 'curves') this.#drawCurves();
    else if (view === 'xy') this.#drawWith(import('./spice_xy.js'), (m) => this.#drawXY(m));
    else
      this.#drawWith(import('./spice_spectrum_view.js'), ({ drawFourier, drawTimeView }) =>
        view === 'fourier'
          ? drawFourier(this.#options.result.fourier, this.#context())
          : drawTimeView(view, this.#context()),
      );
  }

  /** Returns the part of the page that spice_spectrum_view.js fills. */
  #context() {
    return {
      stage: this.#stage,
      findings: this.#findings,
      name: this.#options.name,
      runs: [this.#first, ...this.#steps],
      shown: this.#shown,
      styleOf: (t, run) => this.#styleOf(t, run),
      cursors: this.#cursors,
      settings: this.#settings,
      redraw: () => this.#draw(),
    };
  }

  /**
   * Draws the present view when its module is loaded, unless the view has changed.
   * @param {Promise<object>} loading the module
   * @param {(module: object) => object[]} draw returns the plots
   */
  async #drawWith(loading, draw) {
    const view = this.#view;
    const module = await loading.catch(() => undefined);
    if (this.#view !== view) return;
    if (!module) {
      this.#showProblem('The view could not be loaded: the server cannot be reached. Try again.');
      return;
    }
    this.#clear();
    try {
      this.#plots = draw(module);
    } catch (error) {
      this.#showProblem(error.message);
    }
  }

  #showProblem(text) {
    this.#stage.append(h('p', { class: 'problem' }, text));
  }

  /**
   * Sets the data of the cursors and keeps the cursors at their x.
   * @param {object} axis
   * @param {object[]} curves
   * @param {{values: number[], log?: boolean}} [countedAxis] x by index of the cursors
   */
  #setCursorData(axis, curves, countedAxis = axis) {
    const previous = this.#cursorAxis;
    for (const c of ['A', 'B']) {
      if (this.#cursors.at[c] === null || !previous?.values.length) continue;
      const index = Math.min(this.#cursors.at[c], previous.values.length - 1);
      const x = this.#cursors.marked[c]?.x ?? interpolate(previous.values, index, previous.log);
      this.#cursors.at[c] = fractionalIndex(countedAxis, x);
    }
    this.#cursorAxis = countedAxis;
    this.#cursors.setData(axis, curves);
  }

  #drawCurves() {
    if (this.#shown.length === 0)
      this.#stage.append(h('p', { class: 'empty' }, 'Choose a trace above.'));
    const source = { vectors: this.#vectors, first: this.#first, compared: this.#compared };
    const panes = panesOf(this.#shown, source, (t, run) => this.#styleOf(t, run));
    const x = alignPanes(panes, this.#vectors);
    const marks = this.#marks();
    const cursorCurves = panes.flatMap((pane) => {
      const series = this.#drawPane(pane, x, marks, panes.length);
      const hasUnit = panes.length > 1 && (pane.unit === 'dB' || pane.unit === '°');
      return series.map((s) => ({ ...s, label: hasUnit ? `${s.label} [${pane.unit}]` : s.label }));
    });
    this.#setCursorData(x, cursorCurves);
    if (panes[0]?.title === 'Magnitude')
      this.#addBodeFindings(panes[0].curves.filter((c) => c.isFirst));
    for (const text of this.#describeDifferences(panes, x.unit))
      this.#findings.append(h('li', { class: 'compared' }, text));
    for (const reason of this.#mismatches) this.#findings.append(h('li', {}, reason));
  }

  /** Returns the marks of the measures of a result with a single run. */
  #marks() {
    const { result, text = '' } = this.#options;
    if (this.#vectors.runs.length > 1 || this.#steps.length) return [];
    return marksOf(text, result.analysis_type, result.measures, spiceNumber);
  }

  /** Draws a pane and returns its series. */
  #drawPane({ title, unit, curves }, x, marks, paneCount) {
    const series = curves.slice(0, maxSeries).map((c) => ({
      label: c.label,
      style: c.style,
      unit,
      values: c.aligned,
      source: c,
      points: x.values.length < 12,
    }));
    const hooks = this.#cursors.hooks();
    const isPositive = series.every((s) => s.values.every((v) => v > 0));
    this.#plots.push(
      plot(this.#stage, {
        title,
        name: `${this.#options.name}_${title}`,
        x,
        y: { unit, label: title, log: unit.endsWith('/√Hz') && isPositive },
        series,
        sync: 'scope',
        height: paneCount > 1 ? 210 : 320,
        marks: marks.filter((m) => m.unit === undefined || m.unit === unit),
        hooks: { ...hooks, draw: [drawMarks(marks, unit), ...hooks.draw] },
        onKey: (event) => this.#cursors.handleKey(event),
      }),
    );
    if (this.#vectors.runs.length > 1 || this.#compared.length)
      this.#stage.append(
        h(
          'p',
          { class: 'runs' },
          series.map((s) => h('span', {}, swatch(s.style), ' ', s.label)),
        ),
      );
    if (curves.length > maxSeries)
      this.#stage.append(
        h('p', { class: 'absent' }, `${curves.length - maxSeries} more curves are not drawn.`),
      );
    return series;
  }

  #addBodeFindings(curves) {
    for (const c of curves) {
      const label = this.#cursors.curves.find((k) => k.values === c.aligned)?.label;
      const finding = bodeFinding(c, (frequency, value) => {
        this.#cursors.activate('A', true);
        this.#cursors.moveToX(frequency, 'A', { label, value });
      });
      if (finding) this.#findings.append(finding);
    }
  }

  #drawXY({ curvesOver, plotsXY }) {
    const { runs, shown, styleOf, stage, name } = this.#context();
    const { axis, curves } = curvesOver(runs, shown, this.#settings.xName, styleOf);
    const { axis: times, runs: sweepRuns } = this.#vectors;
    this.#setCursorData(
      axis,
      curves.filter((c) => c.isFirst),
      { values: times.slice(0, sweepRuns[0].to) },
    );
    if (curves.length === 0) {
      stage.append(h('p', { class: 'empty' }, 'Choose a trace above to draw over it.'));
      return [];
    }
    const drawn = curves.slice(0, maxSeries);
    const cursors = this.#cursors;
    return plotsXY(stage, { title: 'XY', name: `${name}_xy`, x: axis, curves: drawn, cursors });
  }

  /** Draws waveform files and kept runs beside the run. */
  async #addFiles(files) {
    const { compareFiles, describeDifferences } = await import('./spice_differences.js');
    const { comparisons, mismatches } = compareFiles(files, this.#vectors.axisName);
    this.#compared = [...this.#steps, ...comparisons];
    this.#mismatches = mismatches;
    this.#describeDifferences = describeDifferences;
    this.#draw();
  }
}
