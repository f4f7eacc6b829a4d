// The panel for batches: many runs of a tool, which the workers compute and the panel draws.
import { drawForm } from './batch_form.js';
import { fieldsFor, initialState, readRequest } from './batch_request.js';
import { cancelBatch, checkBatch, runBatch } from './batch_run.js';
import { h, isDisabled, setDisabled, smallButton } from './dom.js';
import { maxQueryChars } from './form.js';
import { drawStale } from './result.js';
import { ApiError } from './run.js';
import { pack } from './share.js';
import { copy, announce } from './shell.js';

const maxRepeatedRuns = 120; // of a sweep that runs again when the input changes
const repeatMs = 300; // after the last change of the input

function loadStyles() {
  const { href } = new URL('../batch.css', import.meta.url); // this module is in merged/
  document.head.append(h('link', { rel: 'stylesheet', href }));
}

/** Returns the text of the progress of a batch. */
function progressText({ state, runs_done: done, runs_total: total, rate_per_s, eta_s }) {
  if (state === 'queued') return 'Waiting for a worker';
  const rate = rate_per_s ? `, ${rate_per_s.toFixed(0)} per second` : '';
  const left = eta_s ? `, ${Math.ceil(eta_s)} s left` : '';
  return `${done} of ${total} runs${rate}${left}`;
}

/** Draws the progress of a batch: a text, a bar, and a button that cancels it. */
function progressView(cancel) {
  const text = h('p', {}, 'Waiting for a worker');
  const bar = h('progress', { class: 'progress', max: 100, 'aria-label': 'Progress' });
  const button = smallButton('Cancel', () => {
    if (isDisabled(button)) return;
    setDisabled(button, true);
    cancel();
  });
  return {
    nodes: [text, bar, h('p', { class: 'picker' }, button)],
    show(progress) {
      bar.value = (100 * progress.runs_done) / Math.max(1, progress.runs_total);
      text.textContent = progressText(progress);
    },
  };
}

/** Returns the text of an error, with the labels of the fields for their JSON pointers. */
function errorText(error, fields) {
  const labels = new Map(fields.map((f) => [f.field, f.label]));
  const labelAt = (pointer) => labels.get(pointer?.replace(/^\/input/, ''));
  const details = error.errors.map(({ pointer, detail }) =>
    [labelAt(pointer), detail.replace(/"(\/[^"]+)"/g, (match, p) => labels.get(p) ?? match)]
      .filter(Boolean)
      .join(' '),
  );
  const text = [error.message, ...details].join(': ');
  return error.advice ? `${text}. ${error.advice}` : text;
}

/** Returns the text of a successful check. */
function checkText(mode, { runs_total: total, runs_invalid: invalid, first_error: first }) {
  if (mode !== 'sweep' && mode !== 'random') return 'The request is valid.';
  return invalid
    ? `${total} runs, ${invalid} of them with values that the tool rejects, the first: ${first.error}.`
    : `${total} runs, all valid.`;
}

/**
 * Returns the description of a result for drawBatch.
 * @param {import('./batch_request.js').BatchSource} source
 * @param {string} mode
 * @param {object} request
 * @param {{batch: object, columns: object}} result of runBatch
 * @returns {import('./batch_result.js').DrawnBatch}
 */
function resultSpec(source, mode, request, { batch, columns }) {
  const [fields, results] = [source.fields(), source.results()];
  return {
    batch,
    columns,
    request,
    mode,
    title: source.title,
    name: source.tool,
    use: source.use,
    overlay: source.overlay,
    fields: request.vary.map((v) => ({
      ...fields.find((f) => f.field === v.field),
      log: v.scale === 'log',
    })),
    results: request.collect.map((c) =>
      results.find((r) => r.collect === c || r.name === (c.name ?? c)),
    ),
  };
}

/** A panel for batches in a box. */
export class BatchPanel {
  /** The state for a link, as the hash of an address. */
  hash = '';
  #source;
  #panel; // of drawForm
  #form = h('form', { novalidate: true, 'aria-label': 'Batch' });
  #errorBox = h('p', { class: 'mistake', role: 'alert' });
  #note = h('p', { class: 'absent', role: 'status' });
  #progressBox = h('div', {});
  #staleNote = h('p', { class: 'stale-note', hidden: true });
  #output = h('div', { class: 'batch-out' });
  #drawn; // the drawn result
  #drawnText = ''; // its request, as JSON text
  #drawnRuns = 0;
  #lastText = ''; // the request of the last run, as JSON text
  #running; // AbortController of the running batch
  #repeatTimer;
  #changeCount = 0;
  #offered = ''; // names of the fields and results in the form

  /**
   * @param {HTMLElement} box
   * @param {import('./batch_request.js').BatchSource} source
   * @param {import('./batch_request.js').BatchState} [state] of a link
   */
  constructor(box, source, state) {
    loadStyles();
    this.#source = source;
    const parts = [this.#errorBox, this.#note, this.#progressBox, this.#staleNote, this.#output];
    box.append(this.#form, ...parts);
    this.#panel = {
      form: this.#form,
      source,
      state: state ?? initialState(source),
      onChange: () => this.#saveState(),
      actions: {
        check: () => this.#check(),
        copyLink: (button) => this.#copyLink(button),
        copyRequest: (button) => this.#copyRequest(button),
      },
    };
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#run();
    });
    drawForm(this.#panel);
    if (state) this.#saveState();
    this.refresh();
  }

  get #state() {
    return this.#panel.state;
  }

  /** Updates the panel after a change of the input, and runs a small sweep again. */
  refresh() {
    const source = this.#source;
    const names = JSON.stringify([
      fieldsFor(source, this.#state.mode).map((f) => f.field),
      source.results().map((r) => r.name),
    ]);
    if (names !== this.#offered && this.#offered !== '') drawForm(this.#panel);
    this.#offered = names;
    const isSmallSweep = this.#state.mode === 'sweep' && this.#drawnRuns <= maxRepeatedRuns;
    if (!this.#drawn || !isSmallSweep || source.heavy) {
      this.compare();
      return;
    }
    clearTimeout(this.#repeatTimer);
    this.#repeatTimer = setTimeout(() => {
      if (JSON.stringify(this.#requestOrError()) !== this.#lastText) this.#run(true);
      else this.compare();
    }, repeatMs);
  }

  /** Writes the state into the hash of the address. */
  async #saveState() {
    this.compare();
    const count = ++this.#changeCount;
    const next = `#b=${await pack(JSON.stringify(this.#state))}`;
    if (next === this.hash || count !== this.#changeCount) return; // a later change follows
    this.hash = next;
    history.replaceState(null, '', `${location.pathname}${location.search}${next}`);
  }

  /** Returns the request of the panel, or shows its error. */
  #requestOrError() {
    const { request, error = '' } = readRequest(this.#source, this.#state);
    this.#errorBox.textContent = error;
    return request;
  }

  /** Shows whether the drawn result is that of the panel and the input, which may be invalid. */
  compare(isInvalid = false) {
    if (!this.#drawn) return;
    const { request } = readRequest(this.#source, this.#state);
    const isCurrent = JSON.stringify(request) === this.#drawnText;
    let text = isCurrent ? '' : 'The batch or its inputs were changed after this run.';
    if (isInvalid) text = 'The inputs above are not valid. The last batch that was run gave:';
    drawStale(this.#staleNote, [this.#output], text, isInvalid);
  }

  /** Shows that the drawn result is not that of the rejected batch. */
  #showRejected() {
    if (!this.#drawn) return;
    drawStale(this.#staleNote, [this.#output], 'The last batch that was run gave:');
  }

  /** Shows an error of the API. Ignores an AbortError. */
  #showError(error) {
    if (error.name === 'AbortError') return;
    if (!(error instanceof ApiError)) throw error;
    this.#errorBox.textContent = errorText(error, this.#source.fields());
  }

  async #check() {
    const request = this.#requestOrError();
    if (!request) return;
    try {
      this.#note.textContent = checkText(this.#state.mode, await checkBatch(request));
    } catch (error) {
      this.#showError(error);
    }
  }

  async #copyLink(button) {
    const { hashed, path } = this.#source;
    const query = this.#source.query();
    const isInQuery = !hashed && query.toString().length < maxQueryChars;
    const linked = isInQuery ? this.#state : { ...this.#state, query: query.toString() };
    const search = isInQuery && query.size ? `?${query}` : '';
    const packed = await pack(JSON.stringify(linked));
    copy(`${location.origin}${path}${search}#b=${packed}`, button);
  }

  #copyRequest(button) {
    const request = this.#requestOrError();
    if (request) copy(JSON.stringify(request, null, 1), button);
  }

  /** Runs the batch. A repeated run does not show its progress. */
  async #run(isRepeated = false) {
    const request = this.#requestOrError();
    if (!request) {
      this.#showRejected();
      return;
    }
    this.#lastText = JSON.stringify(request);
    this.#running?.abort();
    const abort = (this.#running = new AbortController());
    this.#note.textContent = '';
    try {
      const result = await this.#compute(request, abort.signal, isRepeated);
      if (!abort.signal.aborted) await this.#draw(request, result);
    } catch (error) {
      this.#showError(error);
      if (error.name !== 'AbortError') this.#showRejected();
    } finally {
      if (this.#running === abort) this.#endProgress();
    }
  }

  /** Computes a batch and shows its progress; throws ApiError or an AbortError. */
  #compute(request, signal, isRepeated) {
    let id;
    const progress = progressView(() => id && cancelBatch(id).catch(() => {}));
    if (!isRepeated) this.#progressBox.replaceChildren(...progress.nodes);
    this.#output.classList.add('pending');
    const onStart = (started) => {
      id = started;
    };
    return runBatch(request, { signal, onStart, onProgress: progress.show });
  }

  #endProgress() {
    const hasFocus = this.#progressBox.contains(document.activeElement);
    if (hasFocus) this.#form.querySelector('.main').focus();
    this.#progressBox.replaceChildren();
    this.#output.classList.remove('pending');
  }

  async #draw(request, result) {
    const { drawBatch } = await import('./batch_result.js');
    const spec = resultSpec(this.#source, this.#state.mode, request, result);
    this.#drawn?.destroy();
    this.#output.replaceChildren();
    this.#drawn = drawBatch(this.#output, spec);
    this.#drawnText = JSON.stringify(request);
    this.#drawnRuns = result.batch.runs_done;
    this.compare();
    announce(`Batch finished, ${this.#drawnRuns} runs`);
  }
}
