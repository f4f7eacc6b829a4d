// The panel for batches: many runs of a tool, which the workers compute and the panel draws.
import { drawForm } from './batch_form.js';
import { fieldsFor, initialState, readRequest } from './batch_request.js';
import { cancelBatch, checkBatch, runBatch } from './batch_run.js';
import { el, isDisabled, setDisabled, smallButton } from './dom.js';
import { maxQueryChars } from './form.js';
import { drawStale } from './result.js';
import { ApiError } from './run.js';
import { pack } from './share.js';
import { copy, announce } from './shell.js';

const maxRepeatedRuns = 120; // of a sweep that runs again when the input changes
const repeatMs = 300; // after the last change of the input

function loadStyles() {
  const { href } = new URL('../batch.css', import.meta.url); // this module is in merged/
  document.head.append(el('link', { rel: 'stylesheet', href }));
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
  const text = el('p', {}, 'Waiting for a worker');
  const bar = el('progress', { class: 'progress', max: 100, 'aria-label': 'Progress' });
  const button = smallButton('Cancel', () => {
    if (isDisabled(button)) return;
    setDisabled(button, true);
    cancel();
  });
  return {
    nodes: [text, bar, el('p', { class: 'picker' }, button)],
    show(progress) {
      bar.value = (100 * progress.runs_done) / Math.max(1, progress.runs_total);
      text.textContent = progressText(progress);
    },
  };
}

/** Returns the text of an error, with the labels of the fields for their JSON pointers. */
function errorText(error, fields) {
  const labels = new Map(fields.map((f) => [f.field, f.label]));
  const details = error.errors.map((e) =>
    e.detail.replace(/"(\/[^"]+)"/g, (match, pointer) => labels.get(pointer) ?? match),
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
 * Fills a box with the panel.
 * @param {HTMLElement} box
 * @param {import('./batch_request.js').BatchSource} source
 * @param {import('./batch_request.js').BatchState} [state] of a link
 * @returns {{refresh: () => void, hash: string}} refresh updates the panel after a change of the
 *   input, and runs a small sweep again; hash is the state for a link
 */
export function batchPanel(box, source, state) {
  loadStyles();
  const form = el('form', { novalidate: true, 'aria-label': 'Batch' });
  const errorBox = el('p', { class: 'mistake', role: 'alert' });
  const note = el('p', { class: 'absent', role: 'status' });
  const progressBox = el('div', {});
  const staleNote = el('p', { class: 'stale-note', hidden: true });
  const output = el('div', { class: 'batch-out' });
  box.append(form, errorBox, note, progressBox, staleNote, output);

  const panel = {
    form,
    source,
    state: state ?? initialState(source),
    onChange: saveState,
    actions: { check, copyLink, copyRequest },
  };
  let drawn; // the drawn result
  let drawnText = ''; // its request, as JSON text
  let drawnRuns = 0;
  let lastText = ''; // the request of the last run, as JSON text
  let running; // AbortController of the running batch
  let repeatTimer;
  let hash = '';
  let changeCount = 0;

  /** Writes the state into the hash of the address. */
  async function saveState() {
    compare();
    const count = ++changeCount;
    const next = `#b=${await pack(JSON.stringify(panel.state))}`;
    if (next === hash || count !== changeCount) return; // a later change follows
    hash = next;
    history.replaceState(null, '', `${location.pathname}${location.search}${hash}`);
  }

  /** Returns the request of the panel, or shows its error. */
  function requestOrError() {
    const { request, error = '' } = readRequest(source, panel.state);
    errorBox.textContent = error;
    return request;
  }

  const requestText = () => JSON.stringify(readRequest(source, panel.state).request);

  /** Shows whether the drawn result is that of the panel and the input. */
  function compare() {
    if (!drawn) return;
    const isCurrent = requestText() === drawnText;
    const text = isCurrent ? '' : 'The batch or its inputs were changed after this run.';
    drawStale(staleNote, [output], text, false);
  }

  /** Shows that the drawn result is not that of the rejected batch. */
  function showRejected() {
    if (drawn) drawStale(staleNote, [output], 'The last batch that was run gave:');
  }

  /** Shows an error of the API. Ignores an AbortError. */
  function showError(error) {
    if (error.name === 'AbortError') return;
    if (!(error instanceof ApiError)) throw error;
    errorBox.textContent = errorText(error, source.fields());
  }

  async function check() {
    const request = requestOrError();
    if (!request) return;
    try {
      note.textContent = checkText(panel.state.mode, await checkBatch(request));
    } catch (error) {
      showError(error);
    }
  }

  async function copyLink(button) {
    const query = source.query();
    const isInQuery = !source.hashed && query.toString().length < maxQueryChars;
    const linked = isInQuery ? panel.state : { ...panel.state, query: query.toString() };
    const search = isInQuery && query.size ? `?${query}` : '';
    const packed = await pack(JSON.stringify(linked));
    copy(`${location.origin}${source.path}${search}#b=${packed}`, button);
  }

  function copyRequest(button) {
    const request = requestOrError();
    if (request) copy(JSON.stringify(request, null, 1), button);
  }

  function drawResult(drawBatch, request, { batch, columns }) {
    const [fields, results] = [source.fields(), source.results()];
    drawn?.destroy();
    output.replaceChildren();
    drawn = drawBatch(output, {
      batch,
      columns,
      request,
      mode: panel.state.mode,
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
    });
    drawnText = JSON.stringify(request);
    drawnRuns = batch.runs_done;
  }

  /** Runs the batch. A repeated run does not show its progress. */
  async function run(isRepeated = false) {
    const request = requestOrError();
    if (!request) {
      showRejected();
      return;
    }
    lastText = JSON.stringify(request);
    running?.abort();
    const abort = (running = new AbortController());
    note.textContent = '';
    let id;
    const progress = progressView(() => id && cancelBatch(id).catch(() => {}));
    if (!isRepeated) progressBox.replaceChildren(...progress.nodes);
    output.classList.add('pending');
    try {
      const result = await runBatch(request, {
        signal: abort.signal,
        onStart: (started) => {
          id = started;
        },
        onProgress: progress.show,
      });
      if (abort.signal.aborted) return;
      const { drawBatch } = await import('./batch_result.js');
      drawResult(drawBatch, request, result);
      compare();
      announce(`Batch finished, ${drawnRuns} runs`);
    } catch (error) {
      showError(error);
      if (error.name !== 'AbortError') showRejected();
    } finally {
      if (running === abort) {
        if (progressBox.contains(document.activeElement)) form.querySelector('.main').focus();
        progressBox.replaceChildren();
        output.classList.remove('pending');
      }
    }
  }

  let offered = ''; // names of the fields and results in the form
  function refresh() {
    const names = JSON.stringify([
      fieldsFor(source, panel.state.mode).map((f) => f.field),
      source.results().map((r) => r.name),
    ]);
    if (names !== offered && offered !== '') drawForm(panel);
    offered = names;
    const isRepeated =
      drawn && panel.state.mode === 'sweep' && !source.heavy && drawnRuns <= maxRepeatedRuns;
    if (!isRepeated) {
      compare();
      return;
    }
    clearTimeout(repeatTimer);
    repeatTimer = setTimeout(() => {
      if (JSON.stringify(requestOrError()) !== lastText) run(true);
      else compare();
    }, repeatMs);
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    run();
  });
  drawForm(panel);
  if (state) saveState();
  refresh();
  return {
    refresh,
    get hash() {
      return hash;
    },
  };
}
