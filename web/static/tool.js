// The page of a tool: computes, draws, stores and shares the input.
import { Form, formPath } from './form.js';
import { compute, ApiError } from './run.js';
import { isOff, switchOff } from './dom.js';
import { drawResult, drawStale, drawError, inWords, isCancelled } from './result.js';
import { picturesFor, drawPictures } from './pictures.js';
import { loadSetting, saveSetting, toggleStar, addRecent } from './store.js';
import { announce } from './shell.js';
import { createSolver } from './solve.js';
import { liveDrawing } from './drawing.js';
import { carried } from './quantity.js';

const isEmbedded = document.body.classList.contains('embed'); // in a frame on another site
const pause = 120; // ms after the last key
const tool = JSON.parse(document.getElementById('data').textContent);
const element = document.getElementById('form');
const form = new Form(element, tool);
const runButton = document.getElementById('run');
const result = document.getElementById('result');
const add = (tag, className = '') => {
  const e = document.createElement(tag);
  e.className = className;
  return e;
};
const [trouble, status, note, numbers, pictures, sweepBox] = [
  add('div'),
  add('div'),
  add('p', 'stale-note'),
  add('div'),
  add('div', 'pictures'),
  add('details', 'sweepbox'),
];
trouble.setAttribute('role', 'alert');
numbers.append(...result.childNodes);
const redraw = liveDrawing(document.getElementById('drawing'), tool, form);
note.hidden = true;
result.append(trouble, status, note, numbers);
result.parentElement.after(pictures, sweepBox);

// The first line of the result stands at the lower edge of a small screen while the result is out of sight.
const peek = Object.assign(add('a', 'peek'), { href: '#result', hidden: true });
result.append(peek);
let isInSight = true;
const updatePeek = (isStale = false) => {
  const text =
    numbers.querySelector('.conclusion')?.textContent ??
    [...numbers.querySelectorAll('.value.first > :not(.acts)')]
      .map((e) => e.textContent)
      .join(': ');
  peek.textContent = isStale && text ? `Last result: ${text}` : text;
  peek.hidden = isInSight || text === '';
};
peek.addEventListener('click', (event) => {
  event.preventDefault();
  result.scrollIntoView();
});
new IntersectionObserver(
  ([{ isIntersecting, boundingClientRect }]) => {
    isInSight = isIntersecting || boundingClientRect.top < 0;
    peek.hidden = isInSight || peek.textContent === '';
  },
  { rootMargin: '0px 0px -40px' },
).observe(result.parentElement);

let last; // the request of the shown result, as JSON text
let envelope;
let pending;
let timer;
let batch; // the panel for batches
let lacked = false; // whether fields are marked as required
let solving; // of inputs that determine each other

const labels = (path) => tool.input.find((f) => f.name === path.split('.')[0])?.label ?? path;

const boxes = [numbers, pictures];

/** Dims the result while the next one is computed, or as long as none can be; why is said then. */
function stale(on, why = '', dimmed = true) {
  for (const box of boxes) box.classList.toggle('pending', on && dimmed && envelope !== undefined);
  drawStale(note, boxes, on && envelope !== undefined ? why : '', dimmed);
  if (on && dimmed && why) redraw?.(null);
  updatePeek(on && why !== '');
}

const lastValid = 'The last valid input gave:';
const nothing = 'Nothing was computed: correct the marked fields.';

/** Marks the fields that nothing can be computed without, and says so above the last result. */
function require(fields) {
  const given = last ? JSON.parse(last) : {};
  const emptied = fields.filter((f) => f.name in given);
  lacked = true;
  report(
    emptied.map((f) => ({ path: f.name, label: f.label, detail: 'is required' })),
    false,
  );
  stale(
    true,
    `${fields.map((f) => `“${f.label}”`).join(', ')} ${fields.length > 1 ? 'are' : 'is'} required. ${lastValid}`,
  );
  if (!envelope) numbers.textContent = 'Fill in the fields that are required.';
}

function report(mistakes, hasTried) {
  const rest = form.showMistakes(mistakes);
  redraw?.();
  const summary = document.getElementById('summary');
  summary.hidden = !hasTried || mistakes.length === 0;
  const list = document.createElement('ul');
  for (const m of mistakes) {
    const item = document.createElement('li');
    if (m.path && form.fieldAt(m.path)) {
      const link = document.createElement('a');
      link.href = `#f-${m.path}`;
      link.textContent = m.label || labels(m.path);
      item.append(link, ' ');
    }
    item.append(m.detail);
    list.append(item);
  }
  const head = document.createElement('p');
  head.textContent = 'Please correct:';
  summary.replaceChildren(head, list);
  return rest;
}

/** Computes what the form holds now. pressed: by the button, so that mistakes are summed up. */
async function run(pressed) {
  pending?.abort();
  const stop = (pending = new AbortController());
  const { json, mistakes, places } = form.read();
  if (mistakes.length) {
    report(mistakes, pressed);
    stale(true, lastValid);
    if (!envelope) numbers.textContent = nothing;
    if (!tool.heavy) addErrors(json, mistakes, places, pressed, stop.signal);
    return;
  }
  const empty = pressed ? [] : missing();
  if (empty.length) {
    drawError(trouble, undefined);
    solving?.show();
    require(empty);
    return;
  }
  const lacking = pressed ? '' : solving?.hint();
  if (lacking) {
    drawError(trouble, undefined);
    report([], false);
    stale(true, `${lacking} ${lastValid}`);
    solving?.show();
    if (!envelope) numbers.textContent = lacking;
    return;
  }
  stale(true);
  try {
    const answer = tool.heavy
      ? await runHeavy(json, stop.signal)
      : (worked(json)?.answer ?? (await compute(tool.name, json, stop.signal)));
    if (stop.signal.aborted) return;
    envelope = answer;
    last = json;
    report([], false);
    drawError(trouble, undefined);
    show();
    if (!isEmbedded) saveSetting(`values.${tool.name}`, form.query().toString());
  } catch (error) {
    if (error.name === 'AbortError') return;
    fail(error, places, pressed);
  }
}

/** Adds the server's errors of the other fields to those of unreadable ones. */
async function addErrors(json, mistakes, places, pressed, signal) {
  try {
    await compute(tool.name, json, signal);
  } catch (error) {
    if (!(error instanceof ApiError) || signal.aborted) return; // the unreadable fields are marked
    const others = error.errors
      .map((e) => ({
        path: formPath(e.pointer, places),
        label: '',
        detail: inWords(tool, e.detail),
      }))
      .filter((m) => m.path && !mistakes.some((k) => k.path === m.path));
    if (others.length) report([...mistakes, ...others], pressed);
  }
}

/** The example that came with the page, with its answer, if it is this request. */
const worked = (json) =>
  tool.worked && JSON.stringify(JSON.parse(json)) === JSON.stringify(tool.worked.request)
    ? tool.worked
    : undefined;

/** The fields that must be filled in and are not. */
const missing = () =>
  tool.input.filter(
    (f) =>
      f.required &&
      f.kind !== 'rows' &&
      f.kind !== 'pairs' &&
      !f.default &&
      element.elements[f.name]?.value.trim() === '',
  );

async function runHeavy(json, signal) {
  const { runJob } = await import('./job.js');
  const { jobStatus } = await import('./job_status.js');
  const shown = jobStatus(status, runButton);
  const began = Date.now();
  switchOff(runButton, true);
  try {
    return await runJob(tool.name, json, { signal, onJob: (job) => shown.show(job, began) });
  } finally {
    shown.clear();
    switchOff(runButton, false);
  }
}

function show() {
  stale(false);
  const input = JSON.parse(last);
  const list = picturesFor(tool, envelope.result);
  solving?.show(envelope.result);
  redraw?.(envelope.result);
  drawResult(numbers, tool, envelope, input, new Set(list.map((p) => p.field?.name)));
  drawPictures(pictures, list, {
    tool,
    result: envelope.result,
    input,
    body: last,
    response: worked(last)?.response,
  });
  updatePeek();
  if (document.getElementById('code').open) snippets();
  batch?.refresh?.();
}

function fail(error, places, pressed) {
  if (!(error instanceof ApiError)) throw error;
  if (isCancelled(error)) {
    drawError(trouble, error);
    stale(false);
    compare();
    return;
  }
  const mistakes = error.errors.map((e) => ({
    path: formPath(e.pointer, places),
    label: '',
    detail: inWords(tool, e.detail) + (e.line ? ` (line ${e.line})` : ''),
  }));
  const rest = report(mistakes, pressed);
  const atFields = mistakes.length > 0 && rest.length < mistakes.length;
  if (rest.length)
    error.advice = [error.advice, ...rest.map((m) => m.detail)].filter(Boolean).join(' ');
  drawError(trouble, atFields && !rest.length ? undefined : error);
  stale(true, lastValid);
  solving?.show();
  if (!envelope) numbers.textContent = nothing;
  // A queued tool starts only when the user presses Run.
  if (error.status === 0 || (error.status === 429 && !tool.heavy)) {
    clearTimeout(timer);
    timer = setTimeout(() => run(false), Math.max(3, error.retry) * 1000);
  }
}

async function snippets() {
  const { drawSnippets } = await import('./snippets.js');
  drawSnippets(document.getElementById('snippets'), tool, last ?? form.read().json, envelope);
}

function soon() {
  clearTimeout(timer);
  history.replaceState(null, '', address());
  redraw?.();
  timer = setTimeout(() => (tool.heavy ? compare() : run(false)), pause);
}

/** For a tool that runs at a press: tells whether its result is still that of the form. */
function compare() {
  if (!envelope) return;
  if (isOff(runButton)) {
    // the run is in progress
    timer = setTimeout(compare, pause);
    return;
  }
  const empty = missing();
  if (empty.length) {
    require(empty);
    return;
  }
  if (lacked) report([], false);
  lacked = false;
  stale(form.read().json !== last, 'The inputs were changed after this run. It gave:', false);
}

/** The page's address with what was typed, where that is short. */
function address() {
  const q = form.query().toString();
  if (isEmbedded) return `?embed=1${q.length < 1500 && q && `&${q}`}`;
  return (q.length > 0 && q.length < 1500 ? `?${q}` : location.pathname) + (batch?.hash ?? '');
}

async function start() {
  const isRead = await fillFromAddress();
  if (tool.solves) solving = createSolver(form);
  if (isRead && !tool.heavy) run(false);
}

/** Fills the form from the address or from what was kept; tells whether it could be read. */
async function fillFromAddress() {
  const { searchParams, hash } = new URL(location.href);
  searchParams.delete('embed');
  if (hash.startsWith('#n=')) {
    try {
      const { unpack } = await import('./share.js');
      form.fill(new URLSearchParams(await unpack(hash.slice(3))));
    } catch {
      drawError(
        trouble,
        new ApiError({
          title: 'The link is damaged',
          advice: 'Its values could not be read; ask for it again.',
        }),
      );
      return false;
    }
  } else if (hash.startsWith('#b=')) {
    try {
      const { unpack } = await import('./share.js');
      const { query, ...state } = JSON.parse(await unpack(hash.slice(3)));
      form.fill(query ? new URLSearchParams(query) : searchParams);
      openBatch(state).then(() => {
        sweepBox.open = true;
      });
    } catch {
      drawError(
        trouble,
        new ApiError({
          title: 'The link is damaged',
          advice: 'Its batch could not be read; ask for it again.',
        }),
      );
      return false;
    }
  } else if (searchParams.size === 0) {
    const kept = isEmbedded ? '' : loadSetting(`values.${tool.name}`, '');
    if (kept) form.fill(new URLSearchParams(kept));
  } else if (!searchParams.has('example')) {
    form.fill(searchParams);
  }
  return true;
}

element.addEventListener('input', soon);
if (tool.templates) {
  element.elements.template.addEventListener('change', ({ target }) => {
    const values = form.query();
    for (const name of [...values.keys()]) if (name.startsWith('params.')) values.delete(name);
    for (const p of tool.templates.find((t) => t.name === target.value)?.params ?? [])
      values.set(`params.${p.name}`, carried(p.default));
    form.fill(values);
    form.changed();
  });
}
element.addEventListener('submit', (event) => {
  event.preventDefault();
  if (isOff(runButton)) return;
  clearTimeout(timer);
  run(true);
});
element.addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    if (isOff(runButton)) return;
    clearTimeout(timer);
    run(true);
  }
});
for (const chip of document.querySelectorAll('#examples .chip')) {
  chip.addEventListener('click', (event) => {
    event.preventDefault();
    form.fill(new URLSearchParams(chip.dataset.values));
    announce(`Example ${chip.textContent}`);
    soon();
  });
}
const clear = document.getElementById('clear');
clear.hidden = false;
document.querySelector('.go .keys').hidden = false;
clear.addEventListener('click', (event) => {
  event.preventDefault();
  form.fill(new URLSearchParams());
  pending?.abort();
  [envelope, last] = [undefined, undefined];
  stale(false);
  redraw?.({});
  numbers.replaceChildren();
  drawPictures(pictures, [], {});
  soon();
});
if (tool.input.some((f) => f.kind === 'quantity')) {
  const sliding = Object.assign(add('button', 'link'), {
    type: 'button',
    id: 'sliders',
    title: 'Sliders at the numbers',
    textContent: 'Sliders',
  });
  sliding.setAttribute('aria-pressed', 'false');
  clear.after(sliding);
  sliding.addEventListener('click', async () => {
    const { toggleSliders } = await import('./sliders.js');
    sliding.setAttribute('aria-pressed', String(toggleSliders(form)));
  });
}
document.querySelector('.head .acts').hidden = false;
document.getElementById('share').addEventListener('click', async () => {
  const { showShareDialog } = await import('./share.js');
  showShareDialog(`/t/${tool.name}`, form.query(), labels);
});
document.getElementById('pin').addEventListener('click', async ({ currentTarget }) => {
  const { pinFrom } = await import('./notebook_store.js');
  pinFrom(
    currentTarget,
    () => envelope && { tool: tool.name, title: tool.title, request: JSON.parse(last), envelope },
  );
});
const star = document.getElementById('star');
const starred = (on) => {
  star.setAttribute('aria-pressed', String(on));
  star.textContent = on ? 'Starred' : 'Star';
};
starred(loadSetting('starred', []).includes(tool.name));
star.addEventListener('click', () => starred(toggleStar(tool.name)));
document
  .getElementById('code')
  .addEventListener('toggle', (event) => event.target.open && snippets());
document.addEventListener('click', (event) => {
  for (const open of document.querySelectorAll('details.send[open]'))
    if (!open.contains(event.target)) open.open = false;
});
window.addEventListener('online', () => !tool.heavy && run(false));

// A form that fits stays visible beside a long result.
new ResizeObserver(() =>
  element.classList.toggle('stays', element.offsetHeight < innerHeight - 72),
).observe(element);

// Sweeps, Monte Carlo and goal seek of what the form holds; the panel comes when it is opened.
const head = document.createElement('summary');
head.textContent = 'Sweep, Monte Carlo, goal seek';
sweepBox.append(head);

/** Opens the panel, as a link has it or as it was left. */
async function openBatch(state) {
  if (batch) return;
  batch = { hash: location.hash };
  const [{ batchPanel }, { variedFields, collectedResults }] = await Promise.all([
    import('./batch.js'),
    import('./batch_fields.js'),
  ]);
  const input = () => {
    const { json, mistakes } = form.read();
    return mistakes.length ? undefined : JSON.parse(json);
  };
  batch = batchPanel(
    sweepBox,
    {
      tool: tool.name,
      title: tool.title,
      heavy: tool.heavy,
      path: `/t/${tool.name}`,
      input,
      query: () => form.query(),
      fields: () => variedFields(tool.input, input() ?? {}),
      results: () => collectedResults(tool, envelope?.result, input()),
      use: takeValues,
    },
    state,
  );
}

/** Takes values of a batch into the form. */
async function takeValues(fields, values) {
  const { formTexts } = await import('./batch_request.js');
  const q = form.query();
  for (const [pointer, text] of formTexts(fields, values))
    q.set(pointer.slice(1).replaceAll('/', '.'), text);
  form.fill(q);
  form.changed();
  soon();
}
sweepBox.addEventListener('toggle', () => {
  if (sweepBox.open) openBatch();
});
if (!tool.output.some((f) => ['quantity', 'switch', 'group'].includes(f.kind)))
  sweepBox.hidden = true;

if (!isEmbedded) addRecent(tool.name);
start();
