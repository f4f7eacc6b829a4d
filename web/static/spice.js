// The simulator's page: runs a netlist as a job and shows its result as plots and numbers, whose
// modules are loaded with the first result.
import { h, smallButton } from './dom.js';
import { runJob } from './job.js';
import { drawError, drawStale, isCancelled } from './result.js';
import { createJobStatus } from './job_status.js';
import { ApiError } from './run.js';
import { announce } from './shell.js';
import { addActions } from './spice_actions.js';
import { fillForm, formValues, labels, readForm, showFieldErrors } from './spice_form.js';
import { readNetlist } from './spice_netlist.js';
import { addFileOpener } from './spice_open.js';
import { addBatchPanel, addSchematicPanel } from './spice_panels.js';
import { addShelves, libraryParts } from './spice_shelves.js';
import { loadSetting, saveSetting } from './store.js';
import { selectLine } from './text_area.js';

const tool = 'spice_simulate';
const formKey = 'values.spice'; // of the local storage
const diagnosticsDelayMs = 250; // from the last key
const maxEditorWaitMs = 1500; // for an idle browser
const maxDiagnostics = 12;
const maxKeptRuns = 6;
const isWide = matchMedia('(min-width: 880px) and (not (pointer: coarse))').matches;
const analysisTitles = {
  op: 'Operating point',
  dc: 'DC sweep',
  ac: 'AC',
  tran: 'Transient',
  noise: 'Noise',
  tf: 'Transfer function',
  sens: 'Sensitivity',
  pz: 'Poles and zeros',
};

const $ = (id) => document.getElementById(id);
const form = $('form');
const lab = $('lab');
const area = $('f-netlist');
const analysis = $('f-analysis');
const parts = libraryParts();
const library = new Set(parts.map((p) => p.name));

let editor; // CodeMirror, after it is loaded
let netlist = readNetlist(area.value, library);
let serverErrors = []; // diagnostics of the last run, until the form changes
let running; // AbortController of the last run
let diagnosticsTimer;
let scope; // the plots
let traces = []; // expressions for the next plots
let result;
let resultRequest = ''; // JSON text
let files = []; // waveform files for comparisons
let keptRuns = []; // for comparisons, in the form of files

/** Returns the netlist as it is typed. */
const presentNetlist = () => readNetlist(area.value, library);

/** Replaces the netlist. The editor can undo it. */
function setText(text) {
  area.value = text;
  editor?.setText(text);
  handleChange();
}

/** Marks a result that does not belong to the form, and an empty netlist. */
function updateStaleness() {
  const { input } = readForm();
  const isEmpty = !input.netlist?.trim();
  showFieldErrors(
    isEmpty ? [{ name: 'netlist', detail: 'is required: write one, or choose an example' }] : [],
  );
  const reason = isEmpty
    ? 'The netlist is required. The last run gave:'
    : 'The netlist or its settings were changed after this run.';
  const isStale = result && JSON.stringify(input) !== resultRequest;
  markResult(isStale ? reason : '', isEmpty);
}

/** Marks the shown result with a reason why it is not that of the form. */
function markResult(reason, isDimmed) {
  drawStale($('stale'), [$('plots'), $('numbers')], reason, isDimmed);
  $('plots')
    .querySelector('.stored')
    ?.toggleAttribute('hidden', reason !== '');
}

function handleChange() {
  serverErrors = [];
  updateStaleness();
  saveSetting(formKey, formValues().toString());
  clearTimeout(diagnosticsTimer);
  diagnosticsTimer = setTimeout(updateDiagnostics, diagnosticsDelayMs);
}

/** Parses the netlist and shows its errors at the lines and in a list. */
function updateDiagnostics() {
  clearTimeout(diagnosticsTimer);
  netlist = presentNetlist();
  batch.refresh();
  schematic.update(netlist);
  const diagnostics = [
    ...serverErrors,
    ...netlist.diagnostics.filter((d) => !serverErrors.some((e) => e.line === d.line)),
  ];
  editor?.showDiagnostics(diagnostics);
  $('findings').replaceChildren(...diagnostics.slice(0, maxDiagnostics).map(diagnosticItem));
  for (const option of analysis.options) {
    const name = option.value || '';
    const isMissing = netlist.analyses.length > 0 && !netlist.analyses.includes(name);
    option.disabled = name !== '' && isMissing && analysis.value !== name;
  }
}

const diagnosticItem = ({ line, severity, text }) =>
  h(
    'li',
    { class: severity, 'data-line': line },
    line > 0 && [
      h('button', { type: 'button', class: 'link', onclick: () => goToLine(line) }, `Line ${line}`),
      ' ',
    ],
    text,
  );

/** Selects a line of the netlist. */
function goToLine(line) {
  showTab('netlist');
  if (editor) {
    editor.goToLine(line);
    return;
  }
  selectLine(area, line);
  const lineCount = area.value.split('\n').length;
  area.scrollTop = Math.max(0, (line - 5) * (area.scrollHeight / lineCount));
}

/** Shows a part of the page on a narrow screen: netlist, plots or numbers. */
function showTab(tab) {
  lab.dataset.tab = tab;
  for (const b of document.querySelectorAll('.labtabs button'))
    b.setAttribute('aria-pressed', String(b.dataset.tab === tab));
}

/** Shows an error above the plots, or removes it. */
const showError = (error) => drawError($('trouble'), error);

/** Runs the netlist. newTrace is an expression to draw in addition to the shown ones. */
async function run(newTrace) {
  running?.abort();
  const { input, errors } = readForm();
  updateDiagnostics();
  showFieldErrors(errors);
  if (errors.length) {
    const title = errors.map((e) => `${labels[e.name]} ${e.detail}`).join('; ');
    showError(new ApiError({ title }));
    return;
  }
  const controller = (running = new AbortController());
  const status = createJobStatus($('status'), $('run'));
  const startTime = Date.now();
  lab.classList.add('busy');
  $('run').textContent = 'Running…';
  if (scope) traces = [...scope.traces(), ...(newTrace ? [newTrace] : [])];
  try {
    const envelope = await runJob(tool, JSON.stringify(input), {
      signal: controller.signal,
      onJob: (job) => status.show(job, startTime),
    });
    if (controller.signal.aborted) return;
    showError();
    await showResult(envelope.result, input);
    announce('Simulation finished');
  } catch (error) {
    if (error.name !== 'AbortError') showRunError(error);
  } finally {
    status.clear();
    if (running === controller) {
      lab.classList.remove('busy');
      $('run').textContent = 'Run';
    }
  }
}

/** Shows the errors of a run at the fields and lines. */
function showRunError(error) {
  if (!(error instanceof ApiError)) throw error;
  const errors = error.errors.map((e) => ({
    name: (e.pointer ?? '').split('/')[1] ?? '',
    detail: e.detail,
    line: e.line ?? 0,
  }));
  serverErrors = errors
    .filter((e) => e.name === 'netlist')
    .map((e) => ({ line: e.line, severity: 'error', text: e.detail }));
  updateDiagnostics();
  showFieldErrors(errors.filter((e) => e.name !== 'netlist'));
  const sentences = errors.map(({ name, detail, line }) => {
    if (name === 'netlist') return line ? `line ${line}: ${detail}` : detail;
    return `${labels[name] ?? name} ${detail}`;
  });
  const title = `${error.message}: ${sentences.join('; ')}`;
  showError(errors.length ? new ApiError({ title, advice: error.advice }) : error);
  if (result && !isCancelled(error)) markResult('The last run gave:', true);
  $('trouble').scrollIntoView({ block: 'nearest' });
  if (serverErrors[0]?.line) announce(`Error in line ${serverErrors[0].line}`);
}

/**
 * Shows a result, and on a narrow screen its part of the page.
 * @param {object} newResult
 * @param {object} input its request
 * @param {boolean} [isStored] not of a run: the visible part remains
 */
async function showResult(newResult, input, isStored) {
  const [{ Scope }, { drawNumbers }] = await Promise.all([
    import('./spice_scope.js'),
    import('./spice_numbers.js'),
  ]);
  result = newResult;
  resultRequest = JSON.stringify(input);
  updateStaleness();
  clearPlots();
  drawNumbers($('numbers'), result, input);
  const pointCount = Math.max(...Object.values(result.vectors).map((v) => v.length));
  if (!isStored) showTab(pointCount > 1 ? 'plots' : 'numbers');
  const box = h('div', {});
  $('plots').replaceChildren(analysisButtons(), box);
  if (pointCount > 1)
    scope = new Scope(box, {
      result,
      netlist: readNetlist(input.netlist, library), // the text may have changed since
      name: fileName(input.netlist),
      traces,
      text: input.netlist,
      files: [...files, ...keptRuns],
      onKeep: keepRun,
      onSave: saveVector,
      onDrop: keptRuns.length ? dropRuns : undefined,
    });
  else {
    const text = 'A single operating point has nothing to plot - see the table below.';
    box.append(h('p', { class: 'empty' }, text));
  }
}

function clearPlots() {
  scope?.destroy();
  scope = undefined;
  $('plots').replaceChildren();
}

/** Returns the first four words of the title as the name of files. */
function fileName(text) {
  const words = text
    .split('\n')[0]
    .toLowerCase()
    .match(/[a-z0-9]+/g) ?? ['simulation'];
  return words.slice(0, 4).join('_');
}

/** Keeps the shown run, so that the plots of later runs contain it. */
function keepRun(run) {
  if (keptRuns.length && keptRuns.at(-1).request === resultRequest) {
    announce('This run is kept already');
    return;
  }
  const number = (keptRuns.at(-1)?.number ?? 0) + 1;
  const kept = { ...run, name: `run ${number}`, number, request: resultRequest };
  keptRuns = [...keptRuns, kept].slice(-maxKeptRuns);
  announce(`Run ${number} kept: later runs are drawn beside it`);
  $('plots').querySelector('.kept')?.remove();
  $('plots').prepend(
    h('p', { class: 'kept absent' }, `Run ${number} is kept. Change a value and press Run.`),
  );
}

/** Removes the kept runs from the plots. */
function dropRuns() {
  keptRuns = [];
  traces = scope.traces();
  showResult(result, JSON.parse(resultRequest));
}

/** Adds a .save card for a vector if it is missing, and draws an expression in a new run. */
function saveVector(vector, expression) {
  const card = `.save all ${vector}`;
  const cards = area.value.toLowerCase().split('\n');
  if (!cards.some((l) => l.trim().replaceAll(/\s+/g, ' ') === card)) insertBeforeEnd(card);
  run(expression);
}

/** Inserts a line before the card .end, or at the end. */
function insertBeforeEnd(line) {
  const text = area.value;
  const end = text.search(/^[ \t]*\.end[ \t]*$/im);
  setText(end < 0 ? `${text}\n${line}` : `${text.slice(0, end)}${line}\n${text.slice(end)}`);
}

/** Returns a button for each analysis of the netlist, or "" for a single one. */
function analysisButtons() {
  if (netlist.analyses.length < 2) return '';
  return h(
    'div',
    { class: 'picker analyses', role: 'group', 'aria-label': 'Analysis' },
    netlist.analyses.map((name) =>
      smallButton(
        analysisTitles[name],
        () => {
          analysis.value = name;
          run();
        },
        { 'data-analysis': name, 'aria-pressed': String(name === result.analysis_type) },
      ),
    ),
  );
}

/** Shows the stored result of the example in the form, if there is one. */
async function showStoredResult() {
  const { stored } = JSON.parse($('data')?.textContent ?? '{}');
  if (!stored || area.value !== area.defaultValue || [...formValues().keys()].length > 1) return;
  const response = await fetch(stored).catch(() => undefined);
  if (!response?.ok) return; // the user can run the example
  const { request, result: storedResult } = await response.json();
  if (area.value.trimEnd() !== request.netlist.trimEnd() || result || running) return;
  await showResult(storedResult, readForm().input, true);
  $('plots').prepend(
    h('p', { class: 'stored absent' }, 'Stored result of this example. Run computes it again.'),
  );
}

/** Inserts the element line of a part, with an unused name. */
function insertPart(line) {
  $('parts').open = false;
  const [word] = line.split(' ');
  const usedNames = new Set(netlist.elements.map((e) => e.name));
  let n = 1;
  while (usedNames.has(`${word[0]}${n}`.toLowerCase())) n++;
  const text = line.replace(word, word[0] + n);
  if (editor) editor.insertLine(text);
  else insertBeforeEnd(text);
}

/** Gives all resistors a tolerance. */
function fillTolerances(percent) {
  $('f-tolerances').value = presentNetlist()
    .elements.filter((e) => e.letter === 'r')
    .map((e) => `${e.name.toUpperCase()} ${percent} %`)
    .join(', ');
  if (!$('f-output_node').value) $('f-output_node').value = netlist.nodes.has('out') ? 'out' : '';
  handleChange();
}

/** Replaces the netlist with an example and runs it. */
async function loadExample(name) {
  $('gallery').open = false;
  const response = await fetch(`/spice/examples/${name}`).catch(() => undefined);
  const text = response?.ok && (await response.text().catch(() => undefined));
  if (!text) {
    showError(
      new ApiError({
        title: 'The example could not be fetched',
        advice: 'Your netlist is as it was. Try again.',
      }),
    );
    return;
  }
  fillForm(new URLSearchParams());
  traces = [];
  keptRuns = [];
  scope?.destroy();
  scope = undefined;
  setText(text);
  await run();
}

/** Opens files: a netlist or a schematic, and waveform files to draw beside the run. */
async function openFiles(list) {
  if (list.length === 0) return;
  try {
    const { readFiles } = await import('./spice_files.js');
    const opened = await readFiles([...list]);
    const hasNetlist = opened.netlist !== undefined;
    showError();
    files = opened.raws;
    if (hasNetlist) {
      fillForm(new URLSearchParams());
      traces = [];
      setText(opened.netlist);
      announce(`${opened.name} opened`);
    }
    $('opened').replaceChildren(...opened.warnings.map((w) => h('li', { class: 'warning' }, w)));
    if (hasNetlist) showTab('netlist');
    else if (files.length && result) await showResult(result, JSON.parse(resultRequest));
    else if (files.length) await showFile();
  } catch (error) {
    if (error instanceof TypeError || error instanceof ReferenceError) throw error;
    showError(new ApiError({ title: error.message, advice: 'Your netlist is as it was.' }));
  }
}

/** Shows the first waveform file before there is a run. */
async function showFile() {
  const [{ Scope }, { toResult }] = await Promise.all([
    import('./spice_scope.js'),
    import('./spice_compare.js'),
  ]);
  const [{ name, raw }, ...others] = files;
  const box = h('div', {});
  const text = `${name}: ${raw.plot || raw.title}, ${raw.x.length} points. Run a netlist to compare.`;
  clearPlots();
  $('plots').replaceChildren(h('p', { class: 'absent' }, text), box);
  showTab('plots');
  scope = new Scope(box, {
    result: toResult(raw),
    netlist: { sweeps: [], elements: [] },
    name: fileName(name),
    traces,
    files: others,
  });
}

/** Fills the page from the link or from the saved form, and shows the first result. */
async function start() {
  const { searchParams, hash } = new URL(location.href);
  if (hash.startsWith('#n=')) await openNetlistLink(hash.slice(3));
  else if (hash.startsWith('#b=')) await openBatchLink(hash.slice(3));
  else if (searchParams.size === 0) fillFromStorage();
  updateDiagnostics();
  showStoredResult();
  schematic.box.open = loadSetting('schematic', isWide);
  if (isWide) requestIdleCallback(loadEditor, { timeout: maxEditorWaitMs });
}

function fillFromStorage() {
  const saved = loadSetting(formKey, '');
  if (saved) fillForm(new URLSearchParams(saved));
}

/** Opens a link, or shows that it is damaged. content is a noun for the message. */
async function openLink(packed, content, onText) {
  try {
    const { unpack } = await import('./share.js');
    onText(await unpack(packed));
  } catch {
    const advice = `Its ${content} could not be read; ask for it again.`;
    showError(new ApiError({ title: 'The link is damaged', advice }));
  }
}

const openNetlistLink = (packed) =>
  openLink(packed, 'netlist', (text) => {
    const query = new URLSearchParams(text);
    traces = (query.get('traces') ?? '').split(';').filter(Boolean);
    fillForm(query);
    announce('The netlist of the link is here. Press Run.');
  });

const openBatchLink = (packed) =>
  openLink(packed, 'batch', (text) => {
    const { query, ...state } = JSON.parse(text);
    if (query) fillForm(new URLSearchParams(query));
    else fillFromStorage();
    batch.open(state);
  });

/** Replaces the text field with the editor. Without its module the text field remains. */
async function loadEditor() {
  const module = await import('./spice_editor.js').catch(() => undefined);
  if (!module) return;
  const host = $('editor');
  const hasFocus = document.activeElement === area;
  editor = module.createEditor(host, {
    text: area.value,
    parts,
    onRun: () => run(),
    onChange: (text) => {
      area.value = text;
      handleChange();
    },
    onNode: (name) => scope?.add(netlist.nodes.has(name) ? `v(${name})` : `i(${name})`),
    nodeValue: (name) => {
      const v = result?.vectors[`v(${name})`];
      return v?.length === 1 ? `v(${name}) = ${v[0].toPrecision(5)} V` : '';
    },
  });
  host.hidden = false;
  $('editor-hints').hidden = false;
  area.hidden = true;
  if (hasFocus) editor.focus();
  updateDiagnostics();
}

form.addEventListener('input', handleChange);
analysis.addEventListener('change', handleChange);
form.addEventListener('submit', (event) => {
  event.preventDefault();
  run();
});
lab.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  run();
});
for (const b of document.querySelectorAll('.labtabs button'))
  b.addEventListener('click', () => showTab(b.dataset.tab));
document.querySelector('.labtabs').hidden = false;
document.querySelector('.hints').hidden = false;

const batch = addBatchPanel({
  tool,
  text: () => area.value,
  read: presentNetlist,
  input: () => {
    const { input, errors } = readForm();
    return errors.length ? undefined : input;
  },
  query: formValues,
  analysis: () => analysis.value,
});
const schematic = addSchematicPanel({
  parts,
  text: () => area.value,
  read: presentNetlist,
  setText,
  plotNode: (name) => scope?.add(`v(${name})`),
  run: () => run(),
  goToLine,
});
addActions({
  text: () => area.value,
  query: () => {
    const query = formValues();
    if (scope) query.set('traces', scope.traces().join(';'));
    return query;
  },
  shown: () => result && { request: JSON.parse(resultRequest), result },
  requireNetlist: updateStaleness,
});
addShelves({ insertPart, loadExample, fillTolerances });
addFileOpener(lab, openFiles);
start();
