// The page of the notebook: pinned results as a report, with notes, in an order of choice.
import { el } from './dom.js';
import { drawPictures, picturesFor } from './pictures.js';
import { cell, drawResult, table } from './result.js';
import { ApiError, compute, requestJson } from './run.js';
import { announce, download } from './shell.js';
import {
  checkedNotebook,
  forLink,
  key,
  mostItems,
  newId,
  store,
  stored,
} from './notebook_store.js';

const longestLink = 8000; // characters; many programs cut longer ones
const largestFile = 8e6; // bytes
const $ = (id) => document.getElementById(id);
const box = $('notebook');
let notebook = stored();
let shared; // the notebook of a link, until it is kept
const drawn = new Map(); // element of an item by id

const current = () => shared ?? notebook;

function complain(error) {
  $('notebook-trouble').replaceChildren(
    ...(error
      ? [
          el(
            'p',
            { class: 'problem', role: 'alert' },
            error.message,
            error.advice && [el('br'), error.advice],
          ),
        ]
      : []),
  );
}

/** Keeps a change, unless the notebook is that of a link. */
function change(next) {
  if (shared) shared = next;
  else {
    notebook = next;
    try {
      store(notebook);
      complain();
    } catch (error) {
      complain(error);
    }
  }
}

const tools = new Map();
const fetched = (map, name, path) =>
  map.get(name) ??
  map
    .set(
      name,
      requestJson('GET', path).then((r) => r.data),
    )
    .get(name);
const toolOf = (name) => fetched(tools, name, `/ui/tool/${name}`);

/** The inputs of a request as rows of label and value. */
function inputs(tool, request) {
  const given = tool.input.filter((f) => request[f.name] !== undefined && request[f.name] !== '');
  const isRows = (f) => f.kind === 'rows' && Array.isArray(request[f.name]);
  return [
    el(
      'dl',
      { class: 'note-inputs' },
      given
        .filter((f) => !isRows(f) && !f.long)
        .map((f) => el('div', {}, el('dt', {}, f.label), el('dd', {}, cell(f, request[f.name])))),
    ),
    given.filter(isRows).map((f) => [el('h4', {}, f.label), table(f.fields, request[f.name])]),
    given
      .filter((f) => f.long)
      .map((f) => [el('h4', {}, f.label), el('pre', { tabindex: 0 }, String(request[f.name]))]),
  ];
}

/** Draws a result with its inputs and pictures. */
function drawOne(element, tool, request, envelope) {
  const numbers = el('div', {});
  const pictures = el('div', { class: 'pictures' });
  element.replaceChildren(
    el('h3', {}, 'Inputs'),
    ...inputs(tool, request).flat(2),
    el('h3', {}, 'Result'),
    numbers,
    pictures,
  );
  const list = picturesFor(tool, envelope.result);
  drawResult(numbers, tool, envelope, request, new Set(list.map((p) => p.field?.name)));
  drawPictures(pictures, list, {
    tool,
    result: envelope.result,
    input: request,
    body: JSON.stringify(request),
  });
}

const pictures = (item) =>
  (item.pictures ?? []).map((p) => el('img', { src: p, alt: `Plot of ${item.title}` }));

/** Draws a simulation as /spice does: its numbers by name and unit. */
async function drawSimulation(element, tool, request, { result }) {
  const { drawNumbers } = await import('./spice_numbers.js');
  const numbers = el('div', {});
  drawNumbers(numbers, result, request);
  element.replaceChildren(
    el('h3', {}, 'Inputs'),
    ...inputs(tool, request).flat(2),
    el('h3', {}, 'Result'),
    numbers,
  );
}

const drawEnvelope = (element, tool, request, envelope) =>
  (tool.name === 'spice_simulate' ? drawSimulation : drawOne)(element, tool, request, envelope);

async function drawTool(item, element) {
  const tool = await toolOf(item.tool);
  if (item.envelope) {
    await drawEnvelope(element, tool, item.request, item.envelope);
    element.append(...pictures(item));
    return;
  }
  if (tool.heavy) {
    const run = el(
      'button',
      {
        type: 'button',
        class: 'main',
        onclick: async () => {
          run.disabled = true;
          const { runJob } = await import('./job.js');
          try {
            await finish(
              item,
              await runJob(tool.name, JSON.stringify(item.request), {}),
              tool,
              element,
            );
          } catch (error) {
            showError(element, error);
          }
        },
      },
      'Run',
    );
    element.replaceChildren(el('h3', {}, 'Inputs'), ...inputs(tool, item.request).flat(2), run);
    return;
  }
  await finish(item, await compute(tool.name, JSON.stringify(item.request)), tool, element);
}

async function finish(item, envelope, tool, element) {
  item.envelope = envelope;
  // A queued result is expensive, so the notebook keeps it.
  if (tool.heavy)
    change({
      ...current(),
      items: current().items.map((i) => (i.id === item.id ? { ...i, envelope } : i)),
    });
  await drawEnvelope(element, tool, item.request, envelope);
  const line = drawn.get(item.id)?.querySelector('.note-meta'); // none once it is removed
  if (line) line.textContent = meta(item);
}

async function drawChain(item, element) {
  const { checked, computeChain } = await import('./chain_model.js');
  let steps;
  try {
    steps = checked(item.steps);
  } catch {
    throw new ApiError({ title: 'The steps of this chain are damaged.' });
  }
  const list = await Promise.all(steps.map((s) => toolOf(s.tool)));
  const results = await computeChain(list, steps, { heavy: () => false, onStep: () => {} });
  element.replaceChildren(
    ...results.map((r, i) => {
      const part = el('div', {});
      if (r.envelope) drawOne(part, list[i], r.input, r.envelope);
      else
        part.append(
          el(
            'p',
            { class: 'absent' },
            r.waiting ??
              r.trouble?.message ??
              r.mistakes?.map((m) => m.detail).join('; ') ??
              'Not computed.',
          ),
        );
      return el(
        'section',
        { class: 'note-step' },
        el('h3', {}, `${i + 1}. ${list[i].title}`),
        part,
      );
    }),
  );
}

function showError(element, error) {
  if (!(error instanceof ApiError)) throw error;
  element.replaceChildren(
    el('p', { class: 'problem' }, error.message, error.advice && [el('br'), error.advice]),
  );
}

async function drawMethod(item, element) {
  const names = item.steps ? [...new Set(item.steps.map((s) => s.tool))] : [item.tool];
  const all = await Promise.all(names.map(toolOf));
  element.append(
    ...all.flatMap((d) => [
      el('p', {}, el('b', {}, all.length > 1 ? `${d.title}: ` : 'Method: '), d.method),
      el('p', {}, el('b', {}, 'Source: '), d.sources.join('; ')),
    ]),
  );
}

const meta = (item) =>
  [
    `Pinned ${new Date(item.at).toLocaleString()}`,
    item.envelope?.computed_at &&
      `computed ${new Date(item.envelope.computed_at).toLocaleString()}`,
    item.envelope?.version && `version ${item.envelope.version}`,
  ]
    .filter(Boolean)
    .join(', ');

/** The page on which an item can be changed. */
async function address(item) {
  const { linkFor, pack } = await import('./share.js');
  if (item.steps) return `/chain#c=${await pack(JSON.stringify(item.steps))}`;
  if (item.tool === 'spice_simulate')
    return linkFor('/spice', new URLSearchParams({ netlist: item.request.netlist ?? '' }), true);
  return linkFor(`/t/${item.tool}`, flattened(item.request));
}

/** A request as the values of a form: rows.0.name. */
function flattened(value, path = '', q = new URLSearchParams()) {
  if (
    value !== null &&
    typeof value === 'object' &&
    !(Array.isArray(value) && value.every((v) => typeof v !== 'object'))
  )
    for (const [k, v] of Object.entries(value)) flattened(v, path ? `${path}.${k}` : k, q);
  else if (path) q.set(path, Array.isArray(value) ? value.join(', ') : String(value));
  return q;
}

function move(id, by) {
  const { items } = current();
  const from = items.findIndex((i) => i.id === id);
  const to = from + by;
  if (from < 0 || to < 0 || to >= items.length) return;
  const next = [...items];
  next.splice(to, 0, ...next.splice(from, 1));
  change({ ...current(), items: next });
  draw();
  announce(`${items[from].title} is now number ${to + 1} of ${items.length}`);
}

function remove(item) {
  change({ ...current(), items: current().items.filter((i) => i.id !== item.id) });
  drawn.delete(item.id);
  draw();
  announce(`${item.title} removed`);
}

let dragged = '';

function make(item) {
  const content = el('div', { class: 'note-content' }, el('p', { class: 'absent' }, 'Computing…'));
  const method = el('div', { class: 'note-method' });
  const printed = el('p', { class: 'note-text' }, item.note);
  const area = el('textarea', {
    rows: 2,
    'aria-label': `Note on ${item.title}`,
    placeholder: 'Note',
    oninput: (e) => {
      printed.textContent = e.target.value;
      change({
        ...current(),
        items: current().items.map((i) => (i.id === item.id ? { ...i, note: e.target.value } : i)),
      });
    },
  });
  area.value = item.note;
  const button = (text, label, act) =>
    el(
      'button',
      {
        type: 'button',
        class: 'small',
        'aria-label': `${label} ${item.title}`,
        title: label,
        onclick: act,
      },
      text,
    );
  const again = (name) => {
    // the button of the same name, or of the other direction at an end
    const note = drawn.get(item.id);
    (
      note?.querySelector(`[title="${name}"]:enabled`) ??
      note?.querySelector('[title^="Move"]:enabled')
    )?.focus();
  };
  const handle = el(
    'span',
    {
      class: 'note-handle',
      draggable: 'true',
      'aria-hidden': 'true',
      title: 'Drag to another place',
      ondragstart: (e) => {
        dragged = item.id;
        e.dataTransfer.effectAllowed = 'move';
        e.dataTransfer.setData('text/plain', item.title);
      },
    },
    '⠿',
  );
  const link = el('a', { href: `/t/${item.tool}` }, item.title);
  address(item).then((href) => {
    link.href = href;
  });
  const element = el(
    'li',
    {
      class: 'note panel',
      'data-id': item.id,
      ondragover: (e) => {
        if (dragged) e.preventDefault();
      },
      ondrop: (e) => {
        if (!dragged) return;
        e.preventDefault();
        const ids = current().items.map((i) => i.id);
        move(dragged, ids.indexOf(item.id) - ids.indexOf(dragged));
        dragged = '';
      },
    },
    el(
      'div',
      { class: 'note-head' },
      handle,
      el('h2', {}, link),
      el(
        'span',
        { class: 'acts' },
        button('↑', 'Move up', () => {
          move(item.id, -1);
          again('Move up');
        }),
        button('↓', 'Move down', () => {
          move(item.id, 1);
          again('Move down');
        }),
        button('✕', 'Remove', () => remove(item)),
      ),
    ),
    el('p', { class: 'note-meta absent' }, meta(item)),
    area,
    printed,
    content,
    method,
  );
  drawn.set(item.id, element);
  (item.steps ? drawChain(item, content) : drawTool(item, content)).catch((error) =>
    showError(content, error),
  );
  drawMethod(item, method).catch(() => {
    /* the report is valid without it */
  });
  return element;
}

function draw() {
  const { items } = current();
  $('notebook-title').value = current().title;
  $('notebook-heading').textContent = current().title || 'Calculations';
  $('notebook-empty').hidden = items.length > 0;
  $('notebook-acts').hidden = items.length === 0;
  $('notebook-shared').hidden = !shared;
  box.replaceChildren(...items.map((i) => drawn.get(i.id) ?? make(i)));
  [...box.children].forEach((note, n) => {
    note.querySelector('[title="Move up"]').disabled = n === 0;
    note.querySelector('[title="Move down"]').disabled = n === items.length - 1;
  });
}

async function share() {
  const { pack } = await import('./share.js');
  const link = `${location.origin}/notebook#n=${await pack(JSON.stringify(forLink(current())))}`;
  const field = el('input', { readonly: true, 'aria-label': 'Link', id: 'notebook-link' });
  field.value = link;
  const isLong = link.length > longestLink;
  const dialog = el(
    'dialog',
    { 'aria-label': 'Share the notebook' },
    el('h2', {}, 'Link to this notebook'),
    isLong
      ? el(
          'p',
          { class: 'problem' },
          `The link would have ${link.length} characters, and many programs cut links above ${longestLink}. Save the notebook as a file instead.`,
        )
      : [
          field,
          el(
            'p',
            { class: 'absent' },
            'It holds inputs and notes behind the #, which browsers do not send to the server. Results are computed again where it is opened.',
          ),
        ],
    el(
      'p',
      { class: 'picker' },
      !isLong &&
        el(
          'button',
          {
            type: 'button',
            class: 'main',
            onclick: (e) => import('./shell.js').then((m) => m.copy(link, e.target)),
          },
          'Copy link',
        ),
      el('button', { type: 'button', onclick: save }, 'Save as file'),
      el('button', { type: 'button', onclick: () => dialog.close() }, 'Close'),
    ),
  );
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

const save = () =>
  download('notebook.json', JSON.stringify(current(), null, 1), 'application/json');

async function openFile(file) {
  if (!file) return;
  try {
    if (file.size > largestFile)
      throw new ApiError({
        title: `${file.name} has ${(file.size / 1e6).toFixed(1)} MB; ${largestFile / 1e6} MB are allowed.`,
      });
    const read = checkedNotebook(JSON.parse(await file.text()));
    if (read.items.length === 0) throw new ApiError({ title: `${file.name} holds no notebook.` });
    shared = { ...read, items: read.items.map((i) => ({ ...i, id: newId() })) };
    complain();
    draw();
  } catch (error) {
    complain(
      error instanceof ApiError
        ? error
        : new ApiError({ title: `${file.name} holds no notebook.` }),
    );
  }
}

async function start() {
  if (location.hash.startsWith('#n=')) {
    try {
      const { unpack } = await import('./share.js');
      shared = forLink(checkedNotebook(JSON.parse(await unpack(location.hash.slice(3)))));
      shared.items = shared.items.map((i) => ({ ...i, id: newId() }));
    } catch {
      complain(
        new ApiError({
          title: 'The link is damaged',
          advice: 'Its notebook could not be read; ask for it again.',
        }),
      );
    }
  }
  $('notebook-main').hidden = false;
  draw();
}

$('notebook-title').addEventListener('input', (e) => {
  change({ ...current(), title: e.target.value });
  $('notebook-heading').textContent = e.target.value || 'Calculations';
});
$('notebook-share').addEventListener('click', share);
$('notebook-print').addEventListener('click', () => print());
$('notebook-save').addEventListener('click', save);
$('notebook-open').addEventListener('click', () => $('notebook-file').click());
$('notebook-file').addEventListener('change', (e) =>
  openFile(e.target.files[0]).finally(() => {
    e.target.value = '';
  }),
);
$('notebook-keep').addEventListener('click', () => {
  const kept = stored();
  const all = kept.items.length + shared.items.length;
  if (all > mostItems) {
    complain(
      new ApiError({
        title: `The notebooks have ${all} results together; ${mostItems} are allowed.`,
        advice: 'Remove results from one of them first.',
      }),
    );
    return;
  }
  const next = { title: kept.title || shared.title, items: [...kept.items, ...shared.items] };
  shared = undefined;
  history.replaceState(null, '', '/notebook');
  change(checkedNotebook(next));
  draw();
  announce('Kept in this browser');
});
box.addEventListener('keydown', (event) => {
  const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  const item = event.target.closest('.note');
  if (!by || !event.altKey || !item) return;
  event.preventDefault();
  const focused = document.activeElement;
  move(item.dataset.id, by);
  focused.focus();
});
// Another tab pinned or removed a result: this one must not store its older list over it.
addEventListener('storage', (event) => {
  if (event.key !== key && event.key !== null) return;
  const known = new Set(notebook.items.map((i) => i.id));
  notebook = stored();
  for (const id of known) if (!notebook.items.some((i) => i.id === id)) drawn.delete(id);
  for (const i of notebook.items) {
    const area = drawn.get(i.id)?.querySelector('textarea');
    if (area && area.value !== i.note) drawn.delete(i.id);
  }
  if (!shared) draw();
});
$('notebook-date').textContent = new Date().toLocaleDateString();
start();
