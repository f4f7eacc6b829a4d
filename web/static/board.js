// The page of the board router: reads the circuit, routes it as a job, and draws the board.
import { el, isOff, switchOff } from './dom.js';
import { Form, formPath } from './form.js';
import { followJob } from './job.js';
import { jobStatus } from './job_status.js';
import { drawStale, drawError, inWords, isCancelled } from './result.js';
import { requestJson, ApiError } from './run.js';
import { loadSetting, saveSetting, addRecent } from './store.js';
import { announce } from './shell.js';

const { tool, job: startedJob, stored } = JSON.parse(document.getElementById('data').textContent);
const $ = (id) => document.getElementById(id);
const element = $('form');
const form = new Form(element, tool);
const note = el('p', { class: 'stale-note', hidden: true });
const [source, netlist, trouble, result, run] = [
  $('f-source'),
  $('f-netlist'),
  $('trouble'),
  $('result'),
  $('run'),
];
result.before(note);
let routed = ''; // the request of the shown board, as JSON text
let kept; // the placement of the previous board, from board_keep.js
const labels = (path) =>
  path === 'netlist'
    ? 'Netlist'
    : (tool.input.find((f) => f.name === path.split('.')[0])?.label ?? path);

/** The label of a field, with the row and the column of an entry of a list. */
function named(path) {
  const [list, index, column] = path.split('.');
  const label = tool.input
    .find((f) => f.name === list)
    ?.fields?.find((f) => f.name === column)?.label;
  return label ? `${labels(list)}, row ${Number(index) + 1}, ${label}:` : labels(path);
}

const isParts = () => source.value === 'parts';
const isRequest = () => !isParts() && netlist.value.trimStart().startsWith('{');

/** Two buttons in place of the choice, with only the chosen half in sight. */
function equipSource() {
  const buttons = [...source.options].map((o) =>
    el('button', { type: 'button', onclick: () => choose(o.value) }, o.textContent),
  );
  source.after(
    el('span', { class: 'picker', role: 'group', 'aria-label': 'Circuit from' }, buttons),
  );
  source.hidden = true;
  source.previousElementSibling?.remove();
  return () =>
    buttons.forEach((b, i) =>
      b.setAttribute('aria-pressed', String(source.options[i].value === source.value)),
    );
}
const markSource = equipSource();

function choose(value) {
  source.value = value;
  showSource();
  keep();
}

function showSource() {
  markSource();
  $('from-text').hidden = isParts();
  $('from-parts').hidden = !isParts();
}

/** The request, by the rules of BoardBody in web/board_page.go; plain is without a kept placement. */
function read() {
  const values = form.values();
  const text = netlist.value.trim();
  if (isParts() || isRequest()) delete values.netlist;
  if (!isParts())
    for (const path of Object.keys(values))
      if (/^(components|nets)\./.test(path)) delete values[path];
  const { json, mistakes, places } = form.readFrom(values);
  if (!isParts() && text === '')
    mistakes.push({
      path: 'netlist',
      detail: 'is empty: paste a netlist, take an example, or list parts and nets',
    });
  let request = {};
  if (isRequest()) {
    try {
      request = JSON.parse(text);
    } catch (error) {
      const line =
        Number(/line (\d+)/.exec(error.message)?.[1] ?? 0) ||
        lineOf(text, Number(/position (\d+)/.exec(error.message)?.[1] ?? NaN));
      mistakes.push({ path: 'netlist', detail: `is not valid JSON: ${error.message}`, line });
    }
  }
  if (mistakes.length) return { body: '', plain: '', mistakes, places };
  const whole = {
    ...request,
    ...JSON.parse(json),
    ...(request.name && { name: request.name }),
    zip: true,
  };
  return {
    plain: JSON.stringify(whole),
    body: JSON.stringify(
      kept
        ? kept.into(
            whole,
            whole.components?.map((c) => c.ref),
          )
        : whole,
    ),
    mistakes,
    places,
  };
}

const lineOf = (text, position) =>
  Number.isNaN(position) ? 0 : text.slice(0, position).split('\n').length;

/** Selects a line of the netlist. */
function goToLine(n) {
  const lines = netlist.value.split('\n');
  const start = lines.slice(0, n - 1).reduce((sum, l) => sum + l.length + 1, 0);
  netlist.focus();
  netlist.setSelectionRange(start, start + (lines[n - 1]?.length ?? 0));
  netlist.scrollTop = Math.max(0, (n - 4) * parseFloat(getComputedStyle(netlist).lineHeight));
}

/** The line of a request's text that holds the entry an error is about, 0 when it is not found. */
function lineOfEntry(pointer) {
  const [list, index] = pointer.split('/').slice(1);
  try {
    const entry = JSON.parse(netlist.value)[list][Number(index)];
    const key = list === 'components' ? 'ref' : 'name';
    const pattern = new RegExp(
      `"${key}"\\s*:\\s*${JSON.stringify(entry[key]).replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`,
    );
    return lineOf(netlist.value, netlist.value.search(pattern));
  } catch {
    return 0;
  }
}

function report(mistakes, isSummed = true) {
  form.showMistakes(
    mistakes.map((m) => (m.line > 0 ? { ...m, detail: `${m.detail} (line ${m.line})` } : m)),
  );
  const summary = $('summary');
  summary.hidden = !isSummed || mistakes.length === 0;
  summary.replaceChildren(
    el('p', {}, 'Please correct:'),
    el(
      'ul',
      {},
      mistakes.map((m) =>
        el(
          'li',
          {},
          m.path && form.fieldAt(m.path) && [el('a', { href: `#f-${m.path}` }, named(m.path)), ' '],
          m.detail,
          m.line > 0 && [
            ' ',
            el(
              'button',
              { type: 'button', class: 'link', onclick: () => goToLine(m.line) },
              `Go to line ${m.line}`,
            ),
          ],
        ),
      ),
    ),
  );
}

/** Takes the focus from the button to the errors of its run. It stays in a field, where Ctrl Enter runs too. */
function focusError() {
  if (document.activeElement !== run) return;
  const box = $('summary').hidden ? trouble : $('summary');
  box.tabIndex = -1;
  box.focus();
}

const lackingFootprint = /; the field footprints takes .*? a list of pads/;

/** A detail of the server in the words of the form, which counts rows and has no fields for footprints. */
const inFormWords = (detail) =>
  inWords(
    tool,
    detail
      .replace(lackingFootprint, '; a request as JSON can define it')
      .replace(
        /\b(components|nets)\[(\d+)\]/g,
        (all, list, index) => `row ${Number(index) + 1} of “${labels(list)}”`,
      ),
  );

/** An error of the server as a mistake at the field that it is about, or at the text. */
function placed(error, places) {
  const path = formPath(error.pointer, places);
  const inForm =
    path !== '' &&
    element.querySelector(
      `[data-mistake="${CSS.escape(path)}"], [data-mistake="${CSS.escape(path.split('.')[0])}"]`,
    );
  const inText = !isParts() && /^(components|nets)\b/.test(path);
  if (inForm && !inText)
    return { path, detail: inFormWords(error.detail), line: path === 'netlist' ? error.line : 0 };
  const line = error.line || (isRequest() ? lineOfEntry(error.pointer) : 0);
  return {
    path: isParts() ? '' : 'netlist',
    detail: `${error.pointer.slice(1).replaceAll('/', '.')} ${error.detail}`.trim(),
    line,
  };
}

/** What keeps a placement, fetched when there is one to keep. */
const keeping = async () =>
  (kept ??= new (await import('./board_keep.js')).KeptPlacement($('kept')));

/** Offers the nearest footprints for those that the library lacks. */
async function offer(errors) {
  if (!errors.some((e) => /is not in the library;.* did you mean/.test(e.detail))) return;
  const { offerFootprints, unknownFootprint } = await import('./board_footprints.js');
  if (running || $('summary').hidden) return; // the errors are those of an earlier run
  const unknown = errors.map((e) => unknownFootprint(e.detail)).filter(Boolean);
  offerFootprints(
    $('summary'),
    unknown.filter((u, i) => unknown.findIndex((k) => k.name === u.name) === i),
    (name, by) => {
      const word = new RegExp(
        `(?<![\\w-])${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w-])`,
        'g',
      );
      if (isParts())
        for (const c of element.elements) {
          if (/^components\.\d+\.footprint$/.test(c.name) && c.value === name) c.value = by;
        }
      else netlist.value = netlist.value.replace(word, () => by);
      keep();
      announce(`${by} in place of ${name}`);
      ($('summary').querySelector('.footprints button') ?? run).focus();
    },
  );
}

/** What can be done with a drawn board. */
const actions = {
  keep: (board) => keeping().then((k) => k.take(board)),
  async move(board, ref, x_mm, y_mm) {
    if (running) return 'a board is being routed';
    const { plain } = read();
    if (plain && JSON.parse(plain).placements?.some((p) => p.ref === ref))
      return 'its position is part of the circuit';
    const k = await keeping();
    k.take({
      ...board,
      placements: board.placements.map((p) => (p.ref === ref ? { ...p, x_mm, y_mm } : p)),
    });
    route();
    return '';
  },
};

let running = false;

const bar = 48; // px of the header, which covers the page

/** Scrolls to an element that is above or below the screen. */
function inSight(e) {
  const { top } = e.getBoundingClientRect();
  if (top < bar || top > 0.7 * innerHeight) e.scrollIntoView();
}

let wasEmpty = false;
const isDrawn = () => result.querySelector('.board-svg') !== null;

/** What the circuit lacks to be routed at all, as mistakes. */
function lacking() {
  if (!isParts())
    return netlist.value.trim()
      ? []
      : [{ path: 'netlist', detail: 'is required: paste a netlist or take an example' }];
  const named = [...form.element.elements].some(
    (c) => /^components\.\d+\.ref$/.test(c.name) && c.value.trim(),
  );
  return named ? [] : [{ path: 'components', detail: 'is required: add a part' }];
}

/** Says whether the board is still that of the form, and marks a circuit that is required. */
function compare() {
  const empty = lacking();
  if (empty.length || wasEmpty) report(empty, false); // the errors of the last run stay until the next run
  wasEmpty = empty.length > 0;
  if (!isDrawn() || running) return;
  const why = empty.length
    ? `${labels(empty[0].path)} ${empty[0].detail}. The last board that was made:`
    : 'The circuit or its rules were changed after this board was made.';
  drawStale(
    note,
    [result],
    empty.length || (routed && read().plain !== routed) ? why : '',
    empty.length > 0,
  );
}

/** Follows a job to its board. start gives the envelope; plain is its request, "" where it is not known. */
async function followRun(start, places, plain = '') {
  const shown = jobStatus($('status'), run, 'Stop and keep the best board');
  const began = Date.now();
  running = true;
  switchOff(run, true);
  result.classList.add('pending');
  if (!isDrawn()) result.replaceChildren(); // the served state of the job, or the hint to route
  drawError(trouble, undefined);
  try {
    const envelope = await start((job) =>
      shown.show(job, job.enqueued_at ? Date.parse(job.enqueued_at) : began),
    );
    report([]);
    const { drawBoard } = await import('./board_result.js');
    drawBoard(result, envelope.result, actions);
    inSight(result);
    routed = plain;
    running = false;
    compare();
    announce(
      `Board ready, ${envelope.result.statistics.completion_pct} percent routed, ${envelope.result.drc.error_count} rule errors`,
    );
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const mistakes = error.errors.map((e) => placed(e, places));
    report(mistakes);
    offer(error.errors);
    drawError(trouble, mistakes.length ? undefined : error);
    running = false;
    if (isCancelled(error)) compare();
    else drawStale(note, [result], isDrawn() ? 'The last board that was made:' : '');
    announce(mistakes.length ? `${mistakes.length} to correct` : error.message);
    if (!isCancelled(error)) focusError();
  } finally {
    shown.clear();
    result.classList.remove('pending');
    running = false;
    switchOff(run, false);
  }
}

function route() {
  if (running) return;
  const { body, plain, mistakes, places } = read();
  report(mistakes);
  if (mistakes.length) {
    focusError();
    return;
  }
  store();
  followRun(
    async (onJob) => {
      // The job always has a name, so that the page finds its board after a reload.
      const answer = await requestJson('POST', `/ui/run/${tool.name}`, body, {
        headers: { Prefer: 'respond-async' },
      });
      if (answer.status !== 202) return answer.data;
      onJob(answer.data);
      inSight($('status'));
      history.replaceState(null, '', `/board?job=${answer.data.id}`);
      return followJob(answer.data.id, { onJob });
    },
    places,
    plain,
  );
}

const exampleKey = 'board.example';
let example = loadSetting(exampleKey, null); // the example that filled the form: { name, netlist }

function fromExample(next) {
  example = next?.name ? next : null;
  saveSetting(exampleKey, example);
}

/** Takes the example's name off a circuit that is not the example's any more, so that its files are not called so. */
function rename() {
  const name = element.elements.name;
  if (!example || isParts()) return;
  if (
    name.value === example.name &&
    netlist.value.trim() !== '' &&
    !isAlike(example.netlist, netlist.value)
  )
    name.value = '';
  if (name.value !== example.name) fromExample(null);
}

/** Whether at least half of the lines of a netlist are still there. */
function isAlike(before, after) {
  const left = new Set(after.split('\n').map((l) => l.trim()));
  const lines = before
    .split('\n')
    .map((l) => l.trim())
    .filter(Boolean);
  return lines.filter((l) => left.has(l)).length * 2 >= lines.length && lines.length > 0;
}

let timer;
function keep() {
  clearTimeout(timer);
  timer = setTimeout(() => {
    store();
    compare();
  }, 250);
}

function store() {
  clearTimeout(timer);
  timer = undefined;
  saveSetting('board.values', form.query().toString());
}

function fill(query) {
  form.fill(query);
  showSource();
}

/** Draws the stored result of the example in the form, where the page has one. */
async function drawStored() {
  const { plain } = read();
  const answer = await fetch(stored).catch(() => undefined);
  if (!answer?.ok) return; // the example can be routed
  const { result: board } = await answer.json();
  const { drawBoard } = await import('./board_result.js');
  if (running || isDrawn() || read().plain !== plain) return;
  drawBoard(result, board, actions);
  result.prepend(
    el(
      'p',
      { class: 'stored absent' },
      'Stored result of this example. Route makes it again, with all files.',
    ),
  );
  routed = plain;
}

/** What the server assumes about a netlist that was written for a simulation. */
function tellAssumptions() {
  const size = form.values().default_package || '0805';
  const chips = size === 'tht' ? 'through-hole parts' : `chips ${size}`;
  $('from-text').prepend(
    el(
      'p',
      { class: 'absent', id: 'assumed' },
      `Circuit from SPICE. R and C get ${chips}, C from 10 µF polarised ones, L 1210, D SOD-123, transistors SOT-23, op-amps SOIC-8. ` +
        'Each source V or I becomes a header of two pins. E, F, G, H, B, S and K elements have no part. Name other footprints in the options below.',
    ),
  );
}

/** Opens the circuit on the page of the simulator. */
async function simulate() {
  const text = netlist.value;
  const { linkFor } = await import('./share.js');
  const go = async (deck) => {
    location.href = await linkFor('/spice', new URLSearchParams({ netlist: deck }), true);
  };
  if (!isParts() && !isRequest() && !/^\s*\(export\b/.test(text)) {
    if (text.trim()) await go(text);
    else compare();
    return;
  }
  if (!isParts() && !isRequest()) {
    drawError(
      trouble,
      new ApiError({
        title: 'A netlist of KiCad has no models',
        advice: 'Export a SPICE netlist from KiCad and open it on the page SPICE.',
      }),
    );
    return;
  }
  const { body, mistakes } = read();
  report(mistakes);
  if (mistakes.length) return;
  const { netlistOfBoard } = await import('./board_simulate.js');
  await go(netlistOfBoard(JSON.parse(body)));
}

async function start() {
  const served = form.query().toString();
  if (loadSetting('board.kept', null)) await keeping();
  const { searchParams, hash } = new URL(location.href);
  if (hash.startsWith('#n=')) {
    try {
      const { unpack } = await import('./share.js');
      const q = new URLSearchParams(await unpack(hash.slice(3)));
      fill(q);
      if (q.get('from') === 'spice') tellAssumptions();
    } catch {
      drawError(
        trouble,
        new ApiError({
          title: 'The link is damaged',
          advice: 'Its values could not be read; ask for it again.',
        }),
      );
    }
  } else if (startedJob || searchParams.size === 0) {
    const values = loadSetting('board.values', '');
    if (values && !netlist.value) fill(new URLSearchParams(values));
  }
  showSource();
  const name = element.elements.name.value;
  if (example?.name !== name)
    fromExample(
      document.querySelector(`[data-example="${CSS.escape(name)}"]`) && {
        name,
        netlist: isParts() ? '' : netlist.value,
      },
    );
  rename();
  if (stored && form.query().toString() === served) drawStored();
  if (startedJob) followRun((onJob) => followJob(startedJob, { onJob }), new Map());
}

element.addEventListener('input', () => {
  rename();
  keep();
});
addEventListener('pagehide', () => timer && store());
element.addEventListener('submit', (event) => {
  event.preventDefault();
  route();
});
element.addEventListener('keydown', (event) => {
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
for (const chip of document.querySelectorAll('[data-example]')) {
  chip.addEventListener('click', async (event) => {
    event.preventDefault();
    try {
      const { data } = await requestJson('GET', `/board/examples/${chip.dataset.example}`);
      kept?.drop();
      fill(new URLSearchParams(data.query));
      fromExample({ name: form.values().name ?? '', netlist: netlist.value });
      report([]);
      keep();
      $('examples').open = false;
      announce(`Example ${chip.textContent}`);
    } catch (error) {
      drawError(trouble, error);
    }
  });
}
document
  .querySelector('.head .acts')
  .prepend(
    el(
      'button',
      {
        type: 'button',
        class: 'small',
        id: 'to-spice',
        title: 'Opens this circuit on the page SPICE',
        onclick: simulate,
      },
      'Simulate this',
    ),
  );
document.querySelector('.head .acts').hidden = false;
$('share').addEventListener('click', async () => {
  const { showShareDialog } = await import('./share.js');
  showShareDialog('/board', form.query(), (path) => (path === 'source' ? 'Circuit from' : labels(path)));
});

addRecent(tool.name);
start();
