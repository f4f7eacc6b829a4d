// The page of a tool: computes the values in the form, draws the result, and stores and shares the
// inputs.
import { h, isDisabled, setDisabled, smallButton } from './dom.js';
import { liveDrawing } from './drawing.js';
import { Form, maxQueryChars, formPath } from './form.js';
import { drawPictures, picturesFor } from './pictures.js';
import { fieldParts, joinParts, resolvePickedUnit } from './quantity.js';
import { drawError, drawResult, drawStale, isCancelled } from './result.js';
import { replaceNames } from './result_model.js';
import { ApiError, compute } from './run.js';
import { announce } from './shell.js';
import { addRecent, loadSetting, saveSetting, toggleStar } from './store.js';
import { createPeek } from './tool_peek.js';

const debounceMs = 120; // after an input
const minRetryMs = 3000;
const collectedKinds = ['quantity', 'switch', 'group']; // of results that a batch can collect
const stickyMargin = 72; // px above and below a form that stays visible

const nothingComputed = 'Nothing was computed: correct the marked fields.';

const tool = JSON.parse(document.getElementById('data').textContent);
const isEmbedded = document.body.classList.contains('embed'); // in a frame on another site
const formElement = document.getElementById('form');
const form = new Form(formElement, tool);
const runButton = document.getElementById('run');
const clearButton = document.getElementById('clear');
const code = document.getElementById('code');

const resultSection = document.getElementById('result');
const errorBox = h('div', { role: 'alert' });
const statusBox = h('div');
const staleNote = h('p', { class: 'stale-note', hidden: true });
const numbers = h('div', {}, [...resultSection.childNodes]);
const pictures = h('div', { class: 'pictures' });
const batchBox = h('details', { class: 'sweepbox' });
resultSection.append(errorBox, statusBox, staleNote, numbers);
resultSection.parentElement.after(pictures, batchBox);
const resultBoxes = [numbers, pictures];

let envelope; // of the shown result
let lastRequest; // of the shown result, as JSON text
let pendingRun; // the AbortController of the current run
let runTimer;
let hasRequiredErrors = false; // fields are marked as required
let inputSolver; // for inputs that determine each other
let batchPanel; // undefined until it is opened

const figure = document.getElementById('drawing');
const updateDrawing = liveDrawing(figure, tool, form);
const updatePeek = createPeek(resultSection, numbers);

const labelOf = (path) => tool.input.find((f) => f.name === path.split('.')[0])?.label ?? path;

/**
 * Marks the shown result as that of earlier inputs, or as that of the form.
 * @param {boolean} isStale
 * @param {string} reason is shown above the result; "" while the next result is computed
 * @param {boolean} isDimmed
 */
function setStale(isStale, reason = '', isDimmed = true) {
  const isShown = isStale && envelope !== undefined;
  for (const box of [...resultBoxes, figure]) box?.classList.toggle('pending', isShown && isDimmed);
  drawStale(staleNote, resultBoxes, isShown ? reason : '', isDimmed);
  if (isStale && isDimmed && reason) {
    updateDrawing?.(null);
    batchPanel?.compare?.(true);
  }
  updatePeek(isStale && reason !== '');
}

/** Returns a title for the last result that has its values of the numbers that differ now. */
function lastValid() {
  const given = JSON.parse(lastRequest ?? '{}');
  const now = JSON.parse(form.read().json);
  const values = tool.input
    .filter(({ name: n }) => typeof given[n] === 'number' && given[n] !== now[n])
    .map((f) => `${f.label} ${joinParts(fieldParts(resolvePickedUnit(f, given), given[f.name]))}`);
  return values.length ? `The result for ${values.join(', ')}:` : 'The last valid input gave:';
}

/** Returns the empty fields without which the tool computes nothing. */
const missingFields = () =>
  tool.input.filter(
    (f) =>
      f.required &&
      f.kind !== 'rows' &&
      f.kind !== 'pairs' &&
      !f.default &&
      formElement.elements[f.name]?.value.trim() === '',
  );

/** Marks missing fields, if the user has emptied them, and names them above the last result. */
function showRequired(fields) {
  const previous = lastRequest ? JSON.parse(lastRequest) : {};
  const emptied = fields.filter((f) => f.name in previous);
  hasRequiredErrors = true;
  const errors = emptied.map((f) => ({ path: f.name, label: f.label, detail: 'is required' }));
  showErrors(errors);
  const names = fields.map((f) => `“${f.label}”`).join(', ');
  setStale(true, `${names} ${fields.length > 1 ? 'are' : 'is'} required. ${lastValid()}`);
  if (!envelope) numbers.textContent = 'Fill in the fields that are required.';
}

/** Names the missing inputs. Reports whether there are any. */
function showMissing() {
  const missing = missingFields();
  const solverHint = missing.length ? '' : inputSolver?.hint();
  if (!missing.length && !solverHint) return false;
  drawError(errorBox, undefined);
  inputSolver?.show();
  if (missing.length) {
    showRequired(missing);
    return true;
  }
  showErrors([]);
  setStale(true, `${solverHint} ${lastValid()}`);
  if (!envelope) numbers.textContent = solverHint;
  return true;
}

/**
 * Shows errors at their fields. Returns the errors that have no field.
 * @param {import('./form.js').FieldError[]} errors
 * @param {boolean} hasSummary lists the errors above the form
 */
function showErrors(errors, hasSummary = false) {
  const otherErrors = form.showErrors(errors);
  updateDrawing?.();
  const summary = document.getElementById('summary');
  summary.hidden = !hasSummary || errors.length === 0;
  const items = errors.map(({ path, label, detail }) => {
    const hasField = path && form.fieldAt(path);
    const link = hasField && h('a', { href: `#f-${path}` }, label || labelOf(path));
    return h('li', {}, link && [link, ' '], detail);
  });
  summary.replaceChildren(h('p', {}, 'Please correct:'), h('ul', {}, items));
  return otherErrors;
}

/**
 * Computes the values in the form and shows the result.
 * @param {boolean} isManual the user pressed the button; errors then have a summary
 */
async function run(isManual) {
  pendingRun?.abort();
  pendingRun = new AbortController();
  const { signal } = pendingRun;
  const { json, fieldErrors, places } = form.read();
  if (fieldErrors.length) {
    showErrors(fieldErrors, isManual);
    setStale(true, lastValid());
    if (!envelope) numbers.textContent = nothingComputed;
    if (!tool.heavy) addServerErrors(json, fieldErrors, places, isManual, signal);
    return;
  }
  if (!isManual && showMissing()) return;
  setStale(true);
  try {
    const received = await request(json, signal);
    if (signal.aborted) return;
    envelope = received;
    lastRequest = json;
    showErrors([]);
    drawError(errorBox, undefined);
    showResult();
    if (!isEmbedded) saveSetting(`values.${tool.name}`, form.query().toString());
  } catch (error) {
    if (error.name === 'AbortError') return;
    handleError(error, places, isManual);
  }
}

/** Returns the envelope for an input, which the page contains for its first example. */
async function request(json, signal) {
  if (tool.heavy) return runAsJob(json, signal);
  return precomputed(json)?.answer ?? compute(tool.name, json, signal);
}

/** Returns the example with its result if it has this input. */
const precomputed = (json) =>
  tool.worked && JSON.stringify(JSON.parse(json)) === JSON.stringify(tool.worked.request)
    ? tool.worked
    : undefined;

/** Runs a queued tool and shows the state of its job. */
async function runAsJob(json, signal) {
  const { runJob } = await import('./job.js');
  const { createJobStatus } = await import('./job_status.js');
  const status = createJobStatus(statusBox, runButton);
  const startedAt = Date.now();
  setDisabled(runButton, true);
  try {
    return await runJob(tool.name, json, { signal, onJob: (job) => status.show(job, startedAt) });
  } finally {
    status.clear();
    setDisabled(runButton, false);
  }
}

function showResult() {
  const { result } = envelope;
  const input = JSON.parse(lastRequest);
  const list = picturesFor(tool, result);
  setStale(false);
  inputSolver?.show(result);
  updateDrawing?.(result);
  drawResult(numbers, tool, envelope, input, new Set(list.map((p) => p.field?.name)));
  const response = precomputed(lastRequest)?.response;
  drawPictures(pictures, list, { tool, result, input, body: lastRequest, response });
  updatePeek();
  if (code.open) updateSnippets();
  batchPanel?.refresh?.();
}

/** Converts the errors of the server to those of fields. */
const toFieldErrors = (error, places) =>
  error.errors.map((e) => ({
    path: formPath(e.pointer, places),
    label: '',
    detail: replaceNames(tool, e.detail) + (e.line ? ` (line ${e.line})` : ''),
  }));

/** Adds the server's errors of other fields to the errors of unreadable fields. */
async function addServerErrors(json, unreadable, places, hasSummary, signal) {
  try {
    await compute(tool.name, json, signal);
  } catch (error) {
    if (!(error instanceof ApiError) || signal.aborted) return; // the unreadable fields are marked
    const others = toFieldErrors(error, places).filter(
      (e) => e.path && !unreadable.some((u) => u.path === e.path),
    );
    if (others.length) showErrors([...unreadable, ...others], hasSummary);
  }
}

function handleError(error, places, isManual) {
  if (!(error instanceof ApiError)) throw error;
  if (isCancelled(error)) {
    drawError(errorBox, error);
    setStale(false);
    checkStale();
    return;
  }
  const fieldErrors = toFieldErrors(error, places);
  const otherErrors = showErrors(fieldErrors, isManual);
  if (otherErrors.length)
    error.advice = [error.advice, ...otherErrors.map((e) => e.detail)].filter(Boolean).join(' ');
  drawError(errorBox, fieldErrors.length && !otherErrors.length ? undefined : error);
  setStale(true, lastValid());
  inputSolver?.show();
  if (!envelope) numbers.textContent = nothingComputed;
  // A queued tool starts only when the user presses Run.
  if (error.status === 0 || (error.status === 429 && !tool.heavy)) {
    clearTimeout(runTimer);
    runTimer = setTimeout(() => run(false), Math.max(minRetryMs, error.retry * 1000));
  }
}

async function updateSnippets() {
  const { drawSnippets } = await import('./snippets.js');
  const body = lastRequest ?? form.read().json;
  drawSnippets(document.getElementById('snippets'), tool, body, envelope);
}

/** Computes shortly after an input. A queued tool only compares the form with its result. */
function scheduleRun() {
  clearTimeout(runTimer);
  history.replaceState(null, '', pageAddress());
  updateDrawing?.();
  runTimer = setTimeout(() => (tool.heavy ? checkStale() : run(false)), debounceMs);
}

/** Shows whether the result of a queued tool belongs to the values in the form. */
function checkStale() {
  if (!envelope) return;
  if (isDisabled(runButton)) {
    runTimer = setTimeout(checkStale, debounceMs); // a run is in progress
    return;
  }
  const missing = missingFields();
  if (missing.length) {
    showRequired(missing);
    return;
  }
  if (hasRequiredErrors) showErrors([]);
  hasRequiredErrors = false;
  const isStale = form.read().json !== lastRequest;
  setStale(isStale, 'The inputs were changed after this run. It gave:', false);
}

/** Returns the address of the page with the inputs, unless they are too long. */
function pageAddress() {
  const query = form.query().toString();
  const isShort = query.length < maxQueryChars;
  if (isEmbedded) return `?embed=1${query && isShort ? `&${query}` : ''}`;
  return (query && isShort ? `?${query}` : location.pathname) + (batchPanel?.hash ?? '');
}

/** Fills the form from the address or the last visit. Reports whether the address is valid. */
async function fillForm() {
  const { searchParams, hash } = new URL(location.href);
  searchParams.delete('embed');
  if (/^#[nb]=/.test(hash)) {
    const { readLink } = await import('./tool_link.js');
    const { query = searchParams, batch, error } = await readLink(hash);
    if (error) {
      drawError(errorBox, error);
      return false;
    }
    form.fill(query);
    if (batch) openBatch(batch);
  } else if (searchParams.size === 0) {
    const saved = isEmbedded ? '' : loadSetting(`values.${tool.name}`, '');
    if (saved) form.fill(new URLSearchParams(saved));
  } else if (!searchParams.has('example')) {
    form.fill(searchParams);
  }
  return true;
}

/**
 * Opens the panel for batches.
 * @param {object} [state] the state from a link; without it the saved state is used
 */
async function openBatch(state) {
  if (batchPanel) return;
  batchPanel = { hash: location.hash }; // keeps the address until the panel is loaded
  const { toolBatchPanel } = await import('./tool_batch.js');
  batchPanel = toolBatchPanel(batchBox, form, () => envelope?.result, state);
  if (state) batchBox.open = true;
}

/** Empties the form and removes the result. */
function clear() {
  form.fill(new URLSearchParams());
  pendingRun?.abort();
  [envelope, lastRequest] = [undefined, undefined];
  setStale(false);
  updateDrawing?.({});
  numbers.replaceChildren();
  drawPictures(pictures, [], {});
  clearTimeout(runTimer);
  history.replaceState(null, '', pageAddress());
  drawError(errorBox, undefined);
  showErrors([]);
  if (!showMissing()) numbers.textContent = 'Enter values or choose an example.';
}

function runNow(event) {
  event.preventDefault();
  if (isDisabled(runButton)) return;
  clearTimeout(runTimer);
  run(true);
}

function initForm() {
  formElement.addEventListener('input', scheduleRun);
  formElement.addEventListener('submit', runNow);
  formElement.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) runNow(event);
  });
  if (tool.templates) {
    const { template } = formElement.elements;
    // Loaded at once: the parameters must change before the delayed run reads them.
    const loading = import('./tool_template.js');
    template.addEventListener('change', async () => {
      const { fillTemplate } = await loading;
      fillTemplate(form, template.value);
    });
  }
  for (const chip of document.querySelectorAll('#examples .chip')) {
    chip.addEventListener('click', (event) => {
      event.preventDefault();
      form.fill(new URLSearchParams(chip.dataset.values));
      announce(`Example ${chip.textContent}`);
      scheduleRun();
    });
  }
  clearButton.hidden = false;
  clearButton.addEventListener('click', (event) => {
    event.preventDefault();
    clear();
  });
  document.querySelector('.go .keys').hidden = false;
  if (tool.input.some((f) => f.kind === 'quantity')) addSlidersButton();
  // A form that is lower than the window stays visible beside a long result.
  const updateSticky = () =>
    formElement.classList.toggle('stays', formElement.offsetHeight < innerHeight - stickyMargin);
  new ResizeObserver(updateSticky).observe(formElement);
}

function addSlidersButton() {
  const toggle = async () => {
    const { toggleSliders } = await import('./sliders.js');
    button.setAttribute('aria-pressed', String(toggleSliders(form)));
  };
  const button = smallButton('Sliders', toggle, {
    class: 'link',
    id: 'sliders',
    title: 'Sliders at the numbers',
    'aria-pressed': 'false',
  });
  clearButton.after(button);
}

/** Adds the closed panel for batches, if a batch can collect a result of the tool. */
function initBatch() {
  batchBox.append(h('summary', {}, 'Sweep, Monte Carlo, goal seek'));
  batchBox.hidden = !tool.output.some((f) => collectedKinds.includes(f.kind));
  batchBox.addEventListener('toggle', () => {
    if (batchBox.open) openBatch();
  });
}

/** Adds the functions of the buttons beside the title: share, pin and star. */
function initActions() {
  document.querySelector('.head .acts').hidden = false;
  document.getElementById('share').addEventListener('click', async () => {
    const { showShareDialog } = await import('./share.js');
    showShareDialog(`/t/${tool.name}`, form.query(), labelOf);
  });
  document.getElementById('pin').addEventListener('click', async ({ currentTarget }) => {
    const { pinFrom } = await import('./notebook_store.js');
    pinFrom(currentTarget, () => {
      if (!envelope) return undefined;
      const { name, title } = tool;
      return { tool: name, title, request: JSON.parse(lastRequest), envelope };
    });
  });
  const star = document.getElementById('star');
  const showStar = (isStarred) => {
    star.setAttribute('aria-pressed', String(isStarred));
    star.textContent = isStarred ? 'Starred' : 'Star';
  };
  showStar(loadSetting('starred', []).includes(tool.name));
  star.addEventListener('click', () => showStar(toggleStar(tool.name)));
}

/** Closes the menus "send to" after a click outside. */
function closeMenus(event) {
  for (const menu of document.querySelectorAll('details.send[open]'))
    if (!menu.contains(event.target)) menu.open = false;
}

async function start() {
  if (tool.solves) inputSolver = (await import('./solve.js')).createSolver(form);
  initForm();
  initActions();
  initBatch();
  code.addEventListener('toggle', () => {
    if (code.open) updateSnippets();
  });
  document.addEventListener('click', closeMenus);
  window.addEventListener('online', () => {
    if (!tool.heavy) run(false);
  });
  if (!isEmbedded) addRecent(tool.name);
  const isRead = await fillForm();
  if (isRead && !tool.heavy) run(false);
}
start();
