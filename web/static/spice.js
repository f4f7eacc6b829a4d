// The simulator's page: takes a netlist, runs it as a job, and passes its result to plots and
// numbers, which are loaded with the first result.
import { el } from './dom.js';
import { runJob } from './job.js';
import { drawError, drawStale } from './result.js';
import { jobStatus } from './job_status.js';
import { ApiError } from './run.js';
import { announce, colour } from './shell.js';
import { fill, labels, read, showMistakes, values } from './spice_form.js';
import { readNetlist } from './spice_netlist.js';
import { loadSetting, saveSetting } from './store.js';

const tool = 'spice_simulate';
const kept = 'values.spice';
const pause = 250; // ms from the last key to remarks
const wide = matchMedia('(min-width: 880px) and (not (pointer: coarse))');
const $ = (id) => document.getElementById(id);
const form = $('form');
const lab = $('lab');
const area = $('f-netlist');
const analysis = $('f-analysis');
const parts = [...document.querySelectorAll('#parts tr[data-part]')].map((row) => ({
  name: row.dataset.part,
  kind: row.dataset.kind,
  use: row.cells[1].textContent,
  description: row.cells[2].textContent,
}));
const library = new Set(parts.map((p) => p.name));

let editor; // CodeMirror, once loaded
let netlist = readNetlist(area.value, library);
let faults = []; // of the last run, while the text is the same
let running;
let timer;
let plots;
let traces = [];
let result;
let simulated = ''; // the request of the shown result, as JSON text
let files = []; // waveform files to compare with
let runs = []; // kept runs to compare with, as files

/** Takes a netlist from elsewhere; what was there can be undone in the editor. */
function setText(text) {
  area.value = text;
  editor?.set(text);
  changed();
}

/** Says whether what is shown is still the result of the form, and marks a netlist that is required. */
function compare() {
  const { input } = read();
  const isEmpty = !input.netlist?.trim();
  showMistakes(
    isEmpty ? [{ name: 'netlist', detail: 'is required: write one, or choose an example' }] : [],
  );
  const why = isEmpty
    ? 'The netlist is required. The last run gave:'
    : 'The netlist or its settings were changed after this run.';
  drawStale(
    $('stale'),
    [$('plots'), $('numbers')],
    result && JSON.stringify(input) !== simulated ? why : '',
    isEmpty,
  );
}

function changed() {
  faults = [];
  compare();
  saveSetting(kept, values().toString());
  clearTimeout(timer);
  timer = setTimeout(remarks, pause);
}

/** Says what can be seen wrong without running, at the lines and in a list below. */
function remarks() {
  clearTimeout(timer);
  netlist = readNetlist(area.value, library);
  batch?.refresh?.();
  if (schematicBox.open && drawSchematic) showSchematic(netlist);
  const all = [...faults, ...netlist.remarks.filter((r) => !faults.some((f) => f.line === r.line))];
  editor?.mark(all);
  $('findings').replaceChildren(
    ...all
      .slice(0, 12)
      .map((r) =>
        el(
          'li',
          { class: r.severity, 'data-line': r.line },
          r.line > 0 && [
            el(
              'button',
              { type: 'button', class: 'link', onclick: () => goTo(r.line) },
              `Line ${r.line}`,
            ),
            ' ',
          ],
          r.text,
        ),
      ),
  );
  for (const o of analysis.options) {
    const name = o.value || '';
    o.disabled =
      name !== '' &&
      netlist.analyses.length > 0 &&
      !netlist.analyses.includes(name) &&
      analysis.value !== name;
  }
}

function goTo(line) {
  show('netlist');
  if (editor) {
    editor.go(line);
    return;
  }
  const lines = area.value.split('\n');
  const from = lines.slice(0, line - 1).reduce((n, l) => n + l.length + 1, 0);
  area.focus();
  area.setSelectionRange(from, from + (lines[line - 1]?.length ?? 0));
  area.scrollTop = Math.max(0, (line - 5) * (area.scrollHeight / lines.length));
}

/** Which part of the page is in sight on a narrow screen. */
function show(tab) {
  lab.dataset.tab = tab;
  for (const b of document.querySelectorAll('.labtabs button'))
    b.setAttribute('aria-pressed', String(b.dataset.tab === tab));
}

const trouble = (error) => drawError($('trouble'), error);

/** Runs the netlist. added is an expression to draw beside the shown ones. */
async function run(added) {
  running?.abort();
  const { input, mistakes } = read();
  remarks();
  showMistakes(mistakes);
  if (mistakes.length) {
    trouble(
      new ApiError({ title: mistakes.map((m) => `${labels[m.name]} ${m.detail}`).join('; ') }),
    );
    return;
  }
  const stop = (running = new AbortController());
  const status = jobStatus($('status'), $('run'));
  const began = Date.now();
  lab.classList.add('busy');
  $('run').textContent = 'Running…';
  if (plots) traces = [...plots.traces(), ...(added ? [added] : [])];
  try {
    const envelope = await runJob(tool, JSON.stringify(input), {
      signal: stop.signal,
      onJob: (job) => status.show(job, began),
    });
    if (stop.signal.aborted) return;
    trouble();
    await draw(envelope.result, input);
    announce('Simulation finished');
  } catch (error) {
    if (error.name !== 'AbortError') failed(error);
  } finally {
    status.clear();
    if (running === stop) {
      lab.classList.remove('busy');
      $('run').textContent = 'Run';
    }
  }
}

async function draw(next, input) {
  const [{ scope }, { drawNumbers }] = await Promise.all([
    import('./spice_scope.js'),
    import('./spice_numbers.js'),
  ]);
  result = next;
  simulated = JSON.stringify(input);
  compare();
  const deck = readNetlist(input.netlist, library); // the text may have changed meanwhile
  plots?.destroy();
  plots = undefined;
  $('plots').replaceChildren();
  drawNumbers($('numbers'), result, input);
  const points = Math.max(...Object.values(result.vectors).map((v) => v.length));
  show(points > 1 ? 'plots' : 'numbers');
  const box = el('div', {});
  $('plots').replaceChildren(analysisTabs(), box);
  if (points > 1)
    plots = scope(box, {
      result,
      netlist: deck,
      name: fileName(input.netlist),
      traces,
      text: input.netlist,
      files: [...files, ...runs],
      onKeep: keep,
      onSave: save,
      onDrop: runs.length ? drop : undefined,
    });
  else
    box.append(
      el(
        'p',
        { class: 'empty' },
        'A single operating point has nothing to plot - see the table below.',
      ),
    );
}

const mostRuns = 6; // kept

/** Keeps the shown run, so that later ones are drawn beside it. */
function keep(run) {
  if (runs.length && runs.at(-1).request === simulated) {
    announce('This run is kept already');
    return;
  }
  const number = (runs.at(-1)?.number ?? 0) + 1;
  runs = [...runs, { ...run, name: `run ${number}`, number, request: simulated }].slice(-mostRuns);
  announce(`Run ${number} kept: later runs are drawn beside it`);
  $('plots').querySelector('.kept')?.remove();
  $('plots').prepend(
    el('p', { class: 'kept absent' }, `Run ${number} is kept. Change a value and press Run.`),
  );
}

/** Adds a .save card for a vector where the netlist has none, and draws an expression of it in the next run. */
function save(vector, expression) {
  const card = `.save all ${vector}`;
  const isPresent = area.value
    .toLowerCase()
    .split('\n')
    .some((l) => l.trim().replaceAll(/\s+/g, ' ') === card);
  if (isPresent) {
    run(expression);
    return;
  }
  const end = area.value.search(/^[ \t]*\.end[ \t]*$/im);
  setText(
    end < 0
      ? `${area.value}\n${card}`
      : `${area.value.slice(0, end)}${card}\n${area.value.slice(end)}`,
  );
  run(expression);
}

/** Leaves the kept runs out of the plots. */
function drop() {
  runs = [];
  traces = plots.traces();
  draw(result, JSON.parse(simulated));
}

/** The analyses that the netlist asks for, to run another one; nothing where there is no other. */
function analysisTabs() {
  if (netlist.analyses.length < 2) return '';
  const words = {
    op: 'Operating point',
    dc: 'DC sweep',
    ac: 'AC',
    tran: 'Transient',
    noise: 'Noise',
    tf: 'Transfer function',
    sens: 'Sensitivity',
    pz: 'Poles and zeros',
  };
  return el(
    'div',
    { class: 'picker analyses', role: 'group', 'aria-label': 'Analysis' },
    netlist.analyses.map((a) =>
      el(
        'button',
        {
          type: 'button',
          class: 'small',
          'data-analysis': a,
          'aria-pressed': String(a === result.analysis_type),
          onclick: () => {
            analysis.value = a;
            run();
          },
        },
        words[a],
      ),
    ),
  );
}

/** Draws the stored result of the example in the form, where the page has one. */
async function drawStored() {
  const { stored } = JSON.parse($('data')?.textContent ?? '{}');
  if (!stored || area.value !== area.defaultValue || [...values().keys()].length > 1) return;
  const answer = await fetch(stored).catch(() => undefined);
  if (!answer?.ok) return; // the example can be run
  const { request, result: first } = await answer.json();
  if (area.value.trimEnd() !== request.netlist.trimEnd() || result || running) return;
  await draw(first, read().input);
  $('plots').prepend(
    el('p', { class: 'stored absent' }, 'Stored result of this example. Run computes it again.'),
  );
}

const fileName = (text) =>
  (
    text
      .split('\n')[0]
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? ['simulation']
  )
    .slice(0, 4)
    .join('_');

function failed(error) {
  if (!(error instanceof ApiError)) throw error;
  const mine = error.errors.map((e) => ({
    name: (e.pointer ?? '').split('/')[1] ?? '',
    detail: e.detail,
    line: e.line ?? 0,
  }));
  faults = mine
    .filter((m) => m.name === 'netlist')
    .map((m) => ({ line: m.line, severity: 'error', text: m.detail }));
  remarks();
  showMistakes(mine.filter((m) => m.name !== 'netlist'));
  const named = mine
    .map((m) =>
      m.name === 'netlist'
        ? (m.line ? `line ${m.line}: ` : '') + m.detail
        : `${labels[m.name] ?? m.name} ${m.detail}`,
    )
    .join('; ');
  trouble(
    mine.length
      ? new ApiError({ title: `${error.message}: ${named}`, advice: error.advice })
      : error,
  );
  $('trouble').scrollIntoView({ block: 'nearest' });
  if (faults[0]?.line) announce(`Error in line ${faults[0].line}`);
}

function upgrade() {
  for (const row of document.querySelectorAll('#parts tr[data-part]')) {
    const cell = row.cells[0];
    cell.replaceChildren(
      el(
        'button',
        {
          type: 'button',
          class: 'link',
          title: 'Insert into the netlist',
          onclick: () => insert(row.cells[1].textContent),
        },
        cell.textContent,
      ),
    );
  }
  $('gallery').addEventListener(
    'toggle',
    () => import('./gallery.js').then((m) => m.pictured($('gallery'))),
    { once: true },
  );
  for (const link of document.querySelectorAll('#gallery a[data-example]')) {
    link.addEventListener('click', (event) => {
      event.preventDefault();
      example(link.dataset.example);
    });
  }
  const percents = $('fill-tolerances');
  percents.hidden = false;
  percents.append(
    el('span', { class: 'lbl' }, 'All resistors'),
    ...[1, 5, 10].map((p) =>
      el(
        'button',
        {
          type: 'button',
          class: 'small',
          onclick: () => {
            $('f-tolerances').value = readNetlist(area.value, library)
              .elements.filter((e) => e.letter === 'r')
              .map((e) => `${e.name.toUpperCase()} ${p} %`)
              .join(', ');
            if (!$('f-output_node').value)
              $('f-output_node').value = netlist.nodes.has('out') ? 'out' : '';
            changed();
          },
        },
        `${p} %`,
      ),
    ),
  );
}

// Monte Carlo, sweeps and goal seek of element values; the panel comes when it is opened.
const batchBox = el(
  'details',
  { class: 'sweepbox lab-batch' },
  el('summary', {}, 'Sweep, Monte Carlo, goal seek'),
);
document.querySelector('.lab-out').append(batchBox);
let batch;

// The schematic of the netlist, loaded when it is opened.
const schematicBox = el(
  'details',
  { class: 'panel schematic-box', id: 'schematic' },
  el('summary', {}, 'Schematic'),
);
document.querySelector('.lab-in').append(schematicBox);
let drawSchematic;
const pTypes = new Set(
  parts.filter((p) => /\bPNP\b|P-channel/i.test(p.description)).map((p) => p.name),
);

/** Whether a transistor model of the netlist or of the library is of the P type. */
const isP = (model) =>
  new RegExp(
    `^[ \\t]*\\.model[ \\t]+${model.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}[ \\t]+(pnp|pmos|pjf)\\b`,
    'im',
  ).test(area.value) || pTypes.has(model.toLowerCase());

schematicBox.addEventListener('toggle', async () => {
  saveSetting('schematic', schematicBox.open);
  if (!schematicBox.open) return;
  if (!drawSchematic) {
    const { schematic } = await import('./spice_schematic.js');
    drawSchematic ??= schematic(schematicBox, {
      isP,
      onNode: (name) => plots?.add(`v(${name})`),
      text: () => area.value,
      read: () => readNetlist(area.value, library),
      change: setText,
      run: () => run(),
      goTo,
    });
  }
  showSchematic(readNetlist(area.value, library));
});

/** Draws the schematic: below the netlist, or above the plots where it is wider than the netlist's column. */
function showSchematic(now) {
  drawSchematic?.(now);
  const width = schematicBox.querySelector('svg.sketch')?.viewBox.baseVal.width ?? 0;
  const [inputs, outputs] = ['.lab-in', '.lab-out'].map((name) => document.querySelector(name));
  const home =
    width + 50 > inputs.clientWidth && inputs.clientWidth < lab.clientWidth ? outputs : inputs;
  if (schematicBox.parentElement === home) return;
  if (home === inputs) home.append(schematicBox);
  else home.prepend(schematicBox);
  drawSchematic?.(now); // to the new width
}

/** Opens the panel, as a link has it or as it was left. */
async function openBatch(state) {
  if (batch) return;
  batch = {};
  const [{ batchPanel }, { variedElements, collectedVectors, overlay }] = await Promise.all([
    import('./batch.js'),
    import('./spice_batch.js'),
  ]);
  const now = () => readNetlist(area.value, library);
  const input = () => {
    const { input: given, mistakes } = read();
    return mistakes.length || !given.netlist?.trim() ? undefined : given;
  };
  batch = batchPanel(
    batchBox,
    {
      tool,
      heavy: true,
      title: 'Simulation',
      path: '/spice',
      hashed: true,
      input,
      query: values,
      overlay,
      fields: () => variedElements(now(), area.value),
      results: () =>
        collectedVectors(now(), area.value, analysis.value || now().analyses[0] || 'op'),
    },
    state,
  );
}
batchBox.addEventListener('toggle', () => {
  if (batchBox.open) openBatch();
});

function insert(line) {
  $('parts').open = false;
  const [word] = line.split(' ');
  const used = new Set(netlist.elements.map((e) => e.name));
  let n = 1;
  while (used.has(`${word[0]}${n}`.toLowerCase())) n++;
  const text = line.replace(word, word[0] + n);
  if (editor) {
    editor.insert(text);
    return;
  }
  const at = area.value.search(/^\s*\.end\s*$/im);
  setText(
    at < 0
      ? `${area.value}\n${text}`
      : `${area.value.slice(0, at)}${text}\n${area.value.slice(at)}`,
  );
}

async function example(name) {
  $('gallery').open = false;
  try {
    const answer = await fetch(`/spice/examples/${name}`);
    if (!answer.ok) throw new Error(String(answer.status));
    const q = new URLSearchParams();
    fill(q);
    traces = [];
    runs = [];
    plots?.destroy();
    plots = undefined;
    setText(await answer.text());
    await run();
  } catch (error) {
    if (error instanceof TypeError || /^\d+$/.test(error.message))
      trouble(
        new ApiError({
          title: 'The example could not be fetched',
          advice: 'Your netlist is as it was. Try again.',
        }),
      );
    else throw error;
  }
}

/** Opens files from the machine: a netlist or a schematic, and waveform files beside the run. */
async function open(list) {
  if (list.length === 0) return;
  try {
    const { readFiles } = await import('./spice_files.js');
    const opened = await readFiles([...list]);
    trouble();
    files = opened.raws;
    if (opened.netlist !== undefined) {
      fill(new URLSearchParams());
      traces = [];
      setText(opened.netlist);
      announce(`${opened.name} opened`);
    }
    $('opened').replaceChildren(...opened.warnings.map((w) => el('li', { class: 'warning' }, w)));
    if (files.length && result && opened.netlist === undefined)
      await draw(result, JSON.parse(simulated));
    else if (files.length && opened.netlist === undefined) await drawFile();
    else if (opened.netlist !== undefined) show('netlist');
  } catch (error) {
    if (error instanceof TypeError || error.name === 'ReferenceError') throw error;
    trouble(new ApiError({ title: error.message, advice: 'Your netlist is as it was.' }));
  }
}

/** Shows a waveform file alone, while there is no run to draw it beside. */
async function drawFile() {
  const [{ scope }, { vectorsOf }] = await Promise.all([
    import('./spice_scope.js'),
    import('./spice_raw.js'),
  ]);
  const [{ name, raw }, ...others] = files;
  plots?.destroy();
  $('plots').replaceChildren(
    el(
      'p',
      { class: 'absent' },
      `${name}: ${raw.plot || raw.title}, ${raw.x.length} points. Run a netlist to compare.`,
    ),
    el('div', {}),
  );
  show('plots');
  plots = scope($('plots').lastElementChild, {
    result: {
      analysis_type: { time: 'tran', frequency: 'ac' }[raw.axis] ?? 'dc',
      vectors: vectorsOf(raw),
    },
    netlist: { sweeps: [], elements: [] },
    name: fileName(name),
    traces,
    files: others,
  });
}

/** The button for files, and the page as their target. */
function equipFiles() {
  const chooser = el('input', {
    type: 'file',
    id: 'files',
    multiple: true,
    hidden: true,
    'aria-label': 'Netlist, schematic or waveform files',
    onchange: () =>
      open(chooser.files).finally(() => {
        chooser.value = '';
      }),
  });
  document
    .querySelector('.shelves')
    .prepend(
      el(
        'button',
        {
          type: 'button',
          id: 'open',
          title: 'Netlist (.cir, .net), LTspice schematic (.asc, .asy), waveform to compare (.raw)',
          onclick: () => chooser.click(),
        },
        'Open…',
      ),
      chooser,
    );
  $('findings').after(
    el('ul', { class: 'findings', id: 'opened', 'aria-label': 'Remarks on opened files' }),
  );
  const hasFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes('Files');
  for (const kind of ['dragenter', 'dragover']) {
    document.addEventListener(
      kind,
      (event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        lab.classList.add('dropping');
      },
      true,
    );
  }
  document.addEventListener('dragleave', (event) => {
    if (!event.relatedTarget) lab.classList.remove('dropping');
  });
  document.addEventListener(
    'drop',
    (event) => {
      lab.classList.remove('dropping');
      if (!hasFiles(event)) return;
      event.preventDefault();
      event.stopPropagation();
      open(event.dataTransfer.files);
    },
    true,
  );
}

async function start() {
  const { searchParams, hash } = new URL(location.href);
  if (hash.startsWith('#n=')) {
    try {
      const { unpack } = await import('./share.js');
      const q = new URLSearchParams(await unpack(hash.slice(3)));
      traces = (q.get('traces') ?? '').split(';').filter(Boolean);
      fill(q);
      announce('The netlist of the link is here. Press Run.');
    } catch {
      trouble(
        new ApiError({
          title: 'The link is damaged',
          advice: 'Its netlist could not be read; ask for it again.',
        }),
      );
    }
  } else if (hash.startsWith('#b=')) {
    try {
      const { unpack } = await import('./share.js');
      const { query, ...state } = JSON.parse(await unpack(hash.slice(3)));
      if (query || loadSetting(kept, '')) fill(new URLSearchParams(query || loadSetting(kept, '')));
      openBatch(state).then(() => {
        batchBox.open = true;
      });
    } catch {
      trouble(
        new ApiError({
          title: 'The link is damaged',
          advice: 'Its batch could not be read; ask for it again.',
        }),
      );
    }
  } else if (searchParams.size === 0 && loadSetting(kept, ''))
    fill(new URLSearchParams(loadSetting(kept, '')));
  remarks();
  drawStored();
  schematicBox.open = loadSetting('schematic', wide.matches);
  if (wide.matches) requestIdleCallback(enhance, { timeout: 1500 });
}

/** Puts the editor in the place of the text field. */
async function enhance() {
  const m = await import('./spice_editor.js').catch(() => undefined);
  if (!m) return; // the text field does as well
  const host = $('editor');
  const focused = document.activeElement === area;
  editor = m.editor(host, {
    text: area.value,
    parts,
    onRun: () => run(),
    onChange: (text) => {
      area.value = text;
      changed();
    },
    onNode: (name) => {
      if (netlist.nodes.has(name)) plots?.add(`v(${name})`);
      else plots?.add(`i(${name})`);
    },
    nodeValue: (name) => {
      const v = result?.vectors[`v(${name})`];
      return v?.length === 1 ? `v(${name}) = ${v[0].toPrecision(5)} V` : '';
    },
  });
  host.hidden = false;
  $('editor-hints').hidden = false;
  area.hidden = true;
  if (focused) editor.focus();
  remarks();
}

form.addEventListener('input', changed);
analysis.addEventListener('change', changed);
form.addEventListener('submit', (event) => {
  event.preventDefault();
  run();
});
lab.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter') return;
  if (event.ctrlKey || event.metaKey) {
    event.preventDefault();
    run();
  }
});
for (const b of document.querySelectorAll('.labtabs button'))
  b.addEventListener('click', () => show(b.dataset.tab));
for (const shelf of document.querySelectorAll('details.shelf')) {
  shelf.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    shelf.open = false;
    shelf.querySelector('summary').focus();
  });
}
document.addEventListener('click', (event) => {
  for (const shelf of document.querySelectorAll('details.shelf[open]'))
    if (!shelf.contains(event.target)) shelf.open = false;
});
document.querySelector('.labtabs').hidden = false;
document.querySelector('.hints').hidden = false;
document.querySelector('.head .acts').hidden = false;
$('share').addEventListener('click', async () => {
  const { shareBox } = await import('./share.js');
  const q = values();
  if (plots) q.set('traces', plots.traces().join(';'));
  shareBox('/spice', q, (name) => labels[name] ?? name, true);
});
document.querySelector('.head .acts').prepend(
  el(
    'button',
    {
      type: 'button',
      class: 'small',
      id: 'to-board',
      title: 'Opens this netlist on the page Board',
      onclick: async () => {
        if (!area.value.trim()) {
          compare();
          return;
        }
        const { linkFor } = await import('./share.js');
        location.href = await linkFor(
          '/board',
          new URLSearchParams({ netlist: area.value, from: 'spice' }),
          true,
        );
      },
    },
    'Make a board of this',
  ),
);
/** The plots as pictures on the page's background. */
const pictures = () =>
  [...document.querySelectorAll('#plots .uplot canvas')].slice(0, 4).map((source) => {
    const canvas = el('canvas', { width: source.width, height: source.height });
    const g = canvas.getContext('2d');
    g.fillStyle = colour('--panel');
    g.fillRect(0, 0, canvas.width, canvas.height);
    g.drawImage(source, 0, 0);
    return canvas.toDataURL('image/png');
  });
document.querySelector('.head .acts').prepend(
  el(
    'button',
    {
      type: 'button',
      class: 'small',
      id: 'pin',
      title: 'Puts this result into the notebook',
      onclick: async ({ currentTarget }) => {
        const { pinFrom } = await import('./notebook_store.js');
        pinFrom(currentTarget, () => {
          if (!result) return undefined;
          const request = JSON.parse(simulated);
          const { vectors, ...rest } = result;
          const isPoint = Object.values(vectors).every((v) => v.length === 1); // numbers, no curves
          return {
            tool,
            title:
              request.netlist
                .split('\n')[0]
                .replace(/^\*\s*/, '')
                .slice(0, 120) || 'Simulation',
            request,
            envelope: { result: isPoint ? result : rest },
            pictures: pictures(),
          };
        });
      },
    },
    'Pin',
  ),
);
upgrade();
equipFiles();
start();
