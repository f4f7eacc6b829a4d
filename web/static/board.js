// The page of the board router: routes the circuit of the form as a job, and draws the board.
import {
  fillForm,
  form,
  isJsonRequest,
  isPartList,
  labelOf,
  missingCircuit,
  netlist,
  readForm,
  replaceFootprint,
  showFieldErrors,
  showSource,
  source,
  startedJob,
  stored,
  summary,
  toFieldError,
  tool,
} from './board_form.js';
import { KeptPlacement, partsOf } from './board_keep.js';
import { h, setDisabled, smallButton } from './dom.js';
import { followJob } from './job.js';
import { createJobStatus } from './job_status.js';
import { drawStale, drawError, isCancelled } from './result.js';
import { requestJson, ApiError } from './run.js';
import { loadSetting, saveSetting, addRecent } from './store.js';
import { announce } from './shell.js';

const valuesKey = 'board.values';
const exampleKey = 'board.example';
const saveMs = 250; // after the last change of the form
const headerPx = 48; // height of the header, which covers the page

const $ = (id) => document.getElementById(id);
const [errorBox, resultBox, runButton] = ['trouble', 'result', 'run'].map($);
const staleNote = h('p', { class: 'stale-note', hidden: true });
resultBox.before(staleNote);

let routedText = ''; // the request of the shown board, as JSON text
const keptPlacement = new KeptPlacement($('kept')); // of the previous board
let isRunning = false;

const isDrawn = () => resultBox.querySelector('.board-svg') !== null;

/** Returns the request of the form without a kept placement as JSON text, "" if it has errors. */
function requestText() {
  const { request } = readForm();
  return request ? JSON.stringify(request) : '';
}

/** Returns the request of the shown board. That of a job of another page is that of the form. */
const shownRequest = () => (routedText ? JSON.parse(routedText) : readForm().request);

/** Moves the focus from the button to the errors of its run. A focused field keeps the focus. */
function focusError() {
  if (document.activeElement !== runButton) return;
  const box = summary.hidden ? errorBox : summary;
  box.tabIndex = -1;
  box.focus();
}

/** Scrolls to an element unless its upper end is visible. */
function scrollIntoViewIfNeeded(element) {
  const { top } = element.getBoundingClientRect();
  if (top < headerPx || top > 0.7 * innerHeight) element.scrollIntoView();
}

/** Suggests replacements for footprints that are not in the library. */
async function suggestReplacements(errors) {
  if (!errors.some((e) => /is not in the library;.* did you mean/.test(e.detail))) return;
  const { suggestFootprints, unknownFootprint } = await import('./board_footprints.js');
  if (isRunning || summary.hidden) return; // the errors are those of an earlier run
  const unknown = new Map(
    errors
      .map((e) => unknownFootprint(e.detail))
      .filter(Boolean)
      .map((u) => [u.name, u]),
  );
  suggestFootprints(summary, [...unknown.values()], (name, replacement) => {
    replaceFootprint(name, replacement);
    saveSoon();
    announce(`${replacement} in place of ${name}`);
    (summary.querySelector('.footprints button') ?? runButton).focus();
  });
}

/** The actions of a drawn board. */
const actions = {
  keep: (board) => keptPlacement.keep(board, shownRequest()),
  async move(board, ref, x_mm, y_mm) {
    if (isRunning) return 'a board is being routed';
    const { request } = readForm();
    if (request?.placements?.some((p) => p.ref === ref))
      return 'its position is part of the circuit';
    if (partsOf(request) !== partsOf(shownRequest())) return 'the circuit now has other parts';
    const placements = board.placements.map((p) => (p.ref === ref ? { ...p, x_mm, y_mm } : p));
    keptPlacement.keep({ ...board, placements }, request);
    route();
    return '';
  },
};

let hadCircuit = true;

/** Marks a missing circuit, and the board if it is not that of the form. */
function compare() {
  const missing = missingCircuit();
  // The errors of the last run remain until the next run.
  if (missing || !hadCircuit) showFieldErrors(missing ? [missing] : [], false);
  markStale(missing);
}

/** Marks the board if it is not that of the form. missing is the error of a missing circuit. */
function markStale(missing) {
  hadCircuit = !missing;
  if (!isDrawn() || isRunning) return;
  let text = '';
  if (missing) text = `${labelOf(missing.path)} ${missing.detail}. The last board that was made:`;
  else if (routedText && requestText() !== routedText)
    text = 'The circuit or its rules were changed after this board was made.';
  drawStale(staleNote, [resultBox], text, Boolean(missing));
}

async function showBoard(result) {
  const { drawBoard } = await import('./board_result.js');
  drawBoard(resultBox, result, actions);
}

/** Shows the error of a run at the fields, or above the result. */
function showRunError(error, places) {
  const fieldErrors = error.errors.map((e) => toFieldError(e, places));
  showFieldErrors(fieldErrors);
  suggestReplacements(error.errors);
  drawError(errorBox, fieldErrors.length ? undefined : error);
  isRunning = false;
  if (isCancelled(error)) compare();
  else drawStale(staleNote, [resultBox], isDrawn() ? 'The last board that was made:' : '');
  announce(fieldErrors.length ? `${fieldErrors.length} to correct` : error.message);
  if (!isCancelled(error)) focusError();
}

/**
 * Follows a job and draws its board.
 * @param {(onJob: (job: object) => void) => Promise<object>} start returns the envelope
 * @param {Map<string, string>} places of readForm
 * @param {string} text the request without a kept placement, "" if unknown
 */
async function followRun(start, places, text = '') {
  const status = createJobStatus($('status'), runButton, 'Stop and keep the best board');
  const startMs = Date.now();
  isRunning = true;
  setDisabled(runButton, true);
  resultBox.classList.add('pending');
  if (!isDrawn()) resultBox.replaceChildren(); // the state of the job at the load, or a hint
  drawError(errorBox, undefined);
  try {
    const { result } = await start((job) =>
      status.show(job, job.enqueued_at ? Date.parse(job.enqueued_at) : startMs),
    );
    showFieldErrors([]);
    await showBoard(result);
    scrollIntoViewIfNeeded(resultBox);
    routedText = text;
    isRunning = false;
    compare();
    const { statistics, drc } = result;
    announce(
      `Board ready, ${statistics.completion_pct} percent routed, ${drc.error_count} rule errors`,
    );
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    showRunError(error, places);
  } finally {
    status.clear();
    resultBox.classList.remove('pending');
    isRunning = false;
    setDisabled(runButton, false);
  }
}

function route() {
  if (isRunning) return;
  saveValues(); // also prevents that a later compare hides the errors
  const { request, fieldErrors, places } = readForm();
  showFieldErrors(fieldErrors);
  if (!request) {
    markStale(missingCircuit());
    focusError();
    return;
  }
  const body = JSON.stringify(keptPlacement.addTo(request));
  const text = JSON.stringify(request);
  const start = async (onJob) => {
    // A job has an id even if it is fast, so that the page finds its board after a reload.
    const response = await requestJson('POST', `/ui/run/${tool.name}`, body, {
      headers: { Prefer: 'respond-async' },
    });
    if (response.status !== 202) return response.data;
    const { id } = response.data;
    onJob(response.data);
    scrollIntoViewIfNeeded($('status'));
    history.replaceState(text, '', `/board?job=${id}`); // the text is there after a reload
    return followJob(id, { onJob });
  };
  followRun(start, places, text);
}

/** The example that filled the form: { name, netlist }, or null. */
let example = loadSetting(exampleKey, null);

function setExample(next) {
  example = next?.name ? next : null;
  saveSetting(exampleKey, example);
}

/** Reports whether a netlist still has at least half of the lines of another one. */
function isSimilar(before, after) {
  const linesOf = (text) =>
    text
      .split('\n')
      .map((l) => l.trim())
      .filter(Boolean);
  const remaining = new Set(linesOf(after));
  const lines = linesOf(before);
  return lines.length > 0 && lines.filter((l) => remaining.has(l)).length * 2 >= lines.length;
}

/** Removes the name of the example from another circuit, whose files would have that name. */
function dropExampleName() {
  const name = form.element.elements.name;
  if (!example || isPartList()) return;
  if (
    name.value === example.name &&
    netlist.value.trim() !== '' &&
    !isSimilar(example.netlist, netlist.value)
  )
    name.value = '';
  if (name.value !== example.name) setExample(null);
}

let saveTimer;

/** Saves the form and compares it with the board, soon after the last change. */
function saveSoon() {
  clearTimeout(saveTimer);
  saveTimer = setTimeout(() => {
    saveValues();
    compare();
  }, saveMs);
}

function saveValues() {
  clearTimeout(saveTimer);
  saveTimer = undefined;
  saveSetting(valuesKey, form.query().toString());
}

/** Draws the stored result of the example in the form. */
async function drawStored() {
  const text = requestText();
  const response = await fetch(stored).catch(() => undefined);
  if (!response?.ok) return; // the example can be routed
  const { result } = await response.json();
  const { drawBoard } = await import('./board_result.js');
  if (isRunning || isDrawn() || requestText() !== text) return;
  drawBoard(resultBox, result, actions);
  resultBox.prepend(
    h(
      'p',
      { class: 'stored absent' },
      'Stored result of this example. Route makes it again, with all files.',
    ),
  );
  routedText = text;
}

/** Shows the assumptions of the server on the netlist of a simulation. */
function showAssumptions() {
  const size = form.values().default_package || '0805';
  const chips = size === 'tht' ? 'through-hole parts' : `chips ${size}`;
  $('from-text').prepend(
    h(
      'p',
      { class: 'absent', id: 'assumed' },
      `Circuit from SPICE. R and C get ${chips}, C from 10 µF polarised ones, L 1210, D SOD-123, transistors SOT-23, op-amps SOIC-8. ` +
        'Each source V or I becomes a header of two pins. E, F, G, H, B, S and K elements have no part. Name other footprints in the options below.',
    ),
  );
}

/** Opens the circuit on the page of the simulator. */
async function simulate() {
  const open = async (text) => {
    const { linkFor } = await import('./share.js');
    location.href = await linkFor('/spice', new URLSearchParams({ netlist: text }), true);
  };
  if (isPartList() || isJsonRequest()) {
    const { request, fieldErrors } = readForm();
    showFieldErrors(fieldErrors);
    if (!request) return;
    const { netlistOfBoard } = await import('./board_simulate.js');
    await open(netlistOfBoard(request));
    return;
  }
  const text = netlist.value;
  if (/^\s*\(export\b/.test(text)) {
    drawError(
      errorBox,
      new ApiError({
        title: 'A netlist of KiCad has no models',
        advice: 'Export a SPICE netlist from KiCad and open it on the page SPICE.',
      }),
    );
    return;
  }
  if (text.trim()) await open(text);
  else compare();
}

/** Fills the form from a link whose values are compressed in the hash. */
async function openLink(packed) {
  try {
    const { unpack } = await import('./share.js');
    const query = new URLSearchParams(await unpack(packed));
    fillForm(query);
    if (query.get('from') === 'spice') showAssumptions();
  } catch {
    drawError(
      errorBox,
      new ApiError({
        title: 'The link is damaged',
        advice: 'Its values could not be read; ask for it again.',
      }),
    );
  }
}

/** Opens an example in the form. */
async function openExample(chip) {
  try {
    const { data } = await requestJson('GET', `/board/examples/${chip.dataset.example}`);
    keptPlacement.drop();
    fillForm(new URLSearchParams(data.query));
    setExample({ name: form.values().name ?? '', netlist: netlist.value });
    showFieldErrors([]);
    saveSoon();
    $('examples').open = false;
    announce(`Example ${chip.textContent}`);
  } catch (error) {
    drawError(errorBox, error);
  }
}

/** Remembers the example that the server or the storage has filled in. */
function detectExample() {
  const name = form.element.elements.name.value;
  if (example?.name !== name) {
    const isExample = document.querySelector(`[data-example="${CSS.escape(name)}"]`);
    setExample(isExample && { name, netlist: isPartList() ? '' : netlist.value });
  }
  dropExampleName();
}

async function start() {
  const served = form.query().toString();
  const { searchParams, hash } = new URL(location.href);
  if (hash.startsWith('#n=')) await openLink(hash.slice('#n='.length));
  else if (startedJob || searchParams.size === 0) {
    const values = loadSetting(valuesKey, '');
    if (values && !netlist.value) fillForm(new URLSearchParams(values));
  }
  showSource();
  detectExample();
  const { request } = readForm();
  if (request) keptPlacement.dropUnlessOf(request);
  if (stored && form.query().toString() === served) drawStored();
  if (startedJob)
    followRun((onJob) => followJob(startedJob, { onJob }), new Map(), history.state ?? '');
}

source.addEventListener('change', saveSoon);
form.element.addEventListener('input', () => {
  dropExampleName();
  saveSoon();
});
addEventListener('pagehide', () => saveTimer && saveValues());
form.element.addEventListener('submit', (event) => {
  event.preventDefault();
  route();
});
form.element.addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    route();
  }
});
$('examples').addEventListener(
  'toggle',
  () => import('./gallery.js').then((m) => m.addPictures($('examples'))),
  { once: true },
);
for (const chip of document.querySelectorAll('[data-example]'))
  chip.addEventListener('click', (event) => {
    event.preventDefault();
    openExample(chip);
  });
const acts = document.querySelector('.head .acts');
acts.prepend(
  smallButton('Simulate this', simulate, {
    id: 'to-spice',
    title: 'Opens this circuit on the page SPICE',
  }),
);
acts.hidden = false;
$('share').addEventListener('click', async () => {
  const { showShareDialog } = await import('./share.js');
  const label = (path) => (path === 'source' ? 'Circuit from' : labelOf(path));
  showShareDialog('/board', form.query(), label);
});

addRecent(tool.name);
start();
