// The page of the notebook: pinned results with notes as a report, in an order that the user
// chooses.
import { h, smallButton } from './dom.js';
import { addressOf, describeItem, drawContent, drawMethods, errorNodes } from './notebook_item.js';
import {
  loadNotebook,
  maxItems,
  newId,
  parseNotebook,
  saveNotebook,
  storageKey,
  withoutResults,
} from './notebook_store.js';
import { ApiError } from './run.js';
import { maxLinkChars, pack, unpack } from './share.js';
import { announce, copy, download } from './shell.js';

const maxFileBytes = 8e6;
const $ = (id) => document.getElementById(id);
const list = $('notebook');
let ownNotebook = loadNotebook();
let sharedNotebook; // of a link or a file, until it is kept
const elements = new Map(); // of items, by id

const current = () => sharedNotebook ?? ownNotebook;

/** Shows an error at the top of the page; without an error, removes the last one. */
function showPageError(error) {
  $('notebook-trouble').replaceChildren(
    ...(error ? [h('p', { class: 'problem', role: 'alert' }, errorNodes(error))] : []),
  );
}

/** Changes the shown notebook. Saves it, except a shared one. */
function change(next) {
  if (sharedNotebook) {
    sharedNotebook = next;
    return;
  }
  ownNotebook = next;
  try {
    saveNotebook(ownNotebook);
    showPageError();
  } catch (error) {
    showPageError(error);
  }
}

function changeItem(id, properties) {
  const items = current().items.map((i) => (i.id === id ? { ...i, ...properties } : i));
  change({ ...current(), items });
}

/** Moves an item by a number of places. */
function move(id, by) {
  const items = [...current().items];
  const from = items.findIndex((i) => i.id === id);
  const to = from + by;
  if (from < 0 || to < 0 || to >= items.length) return;
  const [item] = items.splice(from, 1);
  items.splice(to, 0, item);
  change({ ...current(), items });
  draw();
  announce(`${item.title} is now number ${to + 1} of ${items.length}`);
}

function remove(item) {
  change({ ...current(), items: current().items.filter((i) => i.id !== item.id) });
  elements.delete(item.id);
  draw();
  announce(`${item.title} removed`);
}

/** Focuses the button with a title, or the button of the other direction at an end of the list. */
function focusMoveButton(id, title) {
  const element = elements.get(id);
  const button =
    element?.querySelector(`[title="${title}"]:enabled`) ??
    element?.querySelector('[title^="Move"]:enabled');
  button?.focus();
}

function drawButtons(item) {
  const button = (text, title, onclick) =>
    smallButton(text, onclick, { 'aria-label': `${title} ${item.title}`, title });
  const moveButton = (text, title, by) =>
    button(text, title, () => {
      move(item.id, by);
      focusMoveButton(item.id, title);
    });
  return h(
    'span',
    { class: 'acts' },
    moveButton('↑', 'Move up', -1),
    moveButton('↓', 'Move down', 1),
    button('✕', 'Remove', () => remove(item)),
  );
}

let draggedId = '';

const drawHandle = (item) =>
  h(
    'span',
    {
      class: 'note-handle',
      draggable: 'true',
      'aria-hidden': 'true',
      title: 'Drag to another place',
      ondragstart: (e) => {
        draggedId = item.id;
        e.dataTransfer.effectAllowed = 'move';
        e.dataTransfer.setData('text/plain', item.title);
      },
    },
    '⠿',
  );

/** Moves the dragged item to the place of another one. */
function dropOn(item) {
  const ids = current().items.map((i) => i.id);
  move(draggedId, ids.indexOf(item.id) - ids.indexOf(draggedId));
  draggedId = '';
}

/** Draws the field for the note, and the note for printing. */
function drawNote(item) {
  const printed = h('p', { class: 'note-text' }, item.note);
  const field = h('textarea', {
    rows: 2,
    'aria-label': `Note on ${item.title}`,
    placeholder: 'Note',
    oninput: (e) => {
      printed.textContent = e.target.value;
      changeItem(item.id, { note: e.target.value });
    },
  });
  field.value = item.note;
  return [field, printed];
}

function drawItem(item) {
  const content = h('div', { class: 'note-content' }, h('p', { class: 'absent' }, 'Computing…'));
  const method = h('div', { class: 'note-method' });
  const description = h('p', { class: 'note-meta absent' }, describeItem(item));
  const link = h('a', { href: `/t/${item.tool}` }, item.title);
  addressOf(item).then((href) => {
    link.href = href;
  });
  const element = h(
    'li',
    {
      class: 'note panel',
      'data-id': item.id,
      ondragover: (e) => {
        if (draggedId) e.preventDefault();
      },
      ondrop: (e) => {
        if (!draggedId) return;
        e.preventDefault();
        dropOn(item);
      },
    },
    h('div', { class: 'note-head' }, drawHandle(item), h('h2', {}, link), drawButtons(item)),
    description,
    drawNote(item),
    content,
    method,
  );
  elements.set(item.id, element);
  drawContent(content, item, (envelope, isQueued) => {
    // The notebook stores a queued result, because it is expensive.
    if (isQueued) changeItem(item.id, { envelope });
    description.textContent = describeItem(item);
  });
  drawMethods(method, item).catch(() => {
    /* the report is valid without the methods */
  });
  return element;
}

function draw() {
  const { title, items } = current();
  $('notebook-title').value = title;
  $('notebook-heading').textContent = title || 'Calculations';
  $('notebook-empty').hidden = items.length > 0;
  $('notebook-acts').hidden = items.length === 0;
  $('notebook-acts').style.display = items.length ? '' : 'none';
  $('notebook-shared').hidden = !sharedNotebook;
  list.replaceChildren(...items.map((i) => elements.get(i.id) ?? drawItem(i)));
  [...list.children].forEach((element, n) => {
    element.querySelector('[title="Move up"]').disabled = n === 0;
    element.querySelector('[title="Move down"]').disabled = n === items.length - 1;
  });
}

/** Returns the description of a link, or the advice for a link that is too long. */
function drawLink(link) {
  if (link.length > maxLinkChars)
    return h(
      'p',
      { class: 'problem' },
      `The link would have ${link.length} characters, and many programs cut links above ${maxLinkChars}. Save the notebook as a file instead.`,
    );
  const field = h('input', { readonly: true, 'aria-label': 'Link', id: 'notebook-link' });
  field.value = link;
  return [
    field,
    h(
      'p',
      { class: 'absent' },
      'It holds inputs and notes behind the #, which browsers do not send to the server. Results are computed again where it is opened.',
    ),
  ];
}

/** Shows a dialog with the link to the notebook. */
async function share() {
  const packed = await pack(JSON.stringify(withoutResults(current())));
  const link = `${location.origin}/notebook#n=${packed}`;
  const button = (text, onclick, className) =>
    h('button', { type: 'button', class: className, onclick }, text);
  const dialog = h(
    'dialog',
    { 'aria-label': 'Share the notebook', onclose: () => dialog.remove() },
    h('h2', {}, 'Link to this notebook'),
    drawLink(link),
    h(
      'p',
      { class: 'picker' },
      link.length <= maxLinkChars && button('Copy link', (e) => copy(link, e.target), 'main'),
      button('Save as file', saveFile),
      button('Close', () => dialog.close()),
    ),
  );
  document.body.append(dialog);
  dialog.showModal();
}

const saveFile = () =>
  download('notebook.json', JSON.stringify(current(), null, 1), 'application/json');

/** Returns a shared notebook with new ids, which differ from those of the own notebook. */
const withNewIds = (notebook) => ({
  ...notebook,
  items: notebook.items.map((i) => ({ ...i, id: newId() })),
});

/** Reads a notebook from a file; throws ApiError. */
async function readFile(file) {
  if (file.size > maxFileBytes)
    throw new ApiError({
      title: `${file.name} has ${(file.size / 1e6).toFixed(1)} MB; ${maxFileBytes / 1e6} MB are allowed.`,
    });
  let notebook;
  try {
    notebook = parseNotebook(JSON.parse(await file.text()));
  } catch {
    /* the error below reports it */
  }
  if (!notebook?.items.length) throw new ApiError({ title: `${file.name} holds no notebook.` });
  return notebook;
}

async function openFile(file) {
  if (!file) return;
  try {
    sharedNotebook = withNewIds(await readFile(file));
    showPageError();
    draw();
  } catch (error) {
    showPageError(error);
  }
}

/** Appends the items of the shared notebook to the own notebook. */
function keepShared() {
  const stored = loadNotebook();
  const count = stored.items.length + sharedNotebook.items.length;
  if (count > maxItems) {
    showPageError(
      new ApiError({
        title: `The notebooks have ${count} results together; ${maxItems} are allowed.`,
        advice: 'Remove results from one of them first.',
      }),
    );
    return;
  }
  const next = {
    title: stored.title || sharedNotebook.title,
    items: [...stored.items, ...sharedNotebook.items],
  };
  sharedNotebook = undefined;
  history.replaceState(null, '', '/notebook');
  change(parseNotebook(next));
  draw();
  announce('Kept in this browser');
}

async function openLink(packed) {
  try {
    const notebook = parseNotebook(JSON.parse(await unpack(packed)));
    sharedNotebook = withNewIds(withoutResults(notebook));
  } catch {
    showPageError(
      new ApiError({
        title: 'The link is damaged',
        advice: 'Its notebook could not be read; ask for it again.',
      }),
    );
  }
}

async function start() {
  if (location.hash.startsWith('#n=')) await openLink(location.hash.slice('#n='.length));
  $('notebook-main').hidden = false;
  draw();
}

$('notebook-title').addEventListener('input', (e) => {
  change({ ...current(), title: e.target.value });
  $('notebook-heading').textContent = e.target.value || 'Calculations';
});
$('notebook-share').addEventListener('click', share);
$('notebook-print').addEventListener('click', () => print());
$('notebook-save').addEventListener('click', saveFile);
$('notebook-open').addEventListener('click', () => $('notebook-file').click());
$('notebook-file').addEventListener('change', (e) =>
  openFile(e.target.files[0]).finally(() => {
    e.target.value = '';
  }),
);
$('notebook-keep').addEventListener('click', keepShared);
list.addEventListener('keydown', (event) => {
  const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  const element = event.target.closest('.note');
  if (!by || !event.altKey || !element) return;
  event.preventDefault();
  const focused = document.activeElement;
  move(element.dataset.id, by);
  focused.focus();
});
// Another tab has changed the notebook. A later change here must not restore the older list.
addEventListener('storage', (event) => {
  if (event.key !== storageKey && event.key !== null) return;
  const knownIds = ownNotebook.items.map((i) => i.id);
  ownNotebook = loadNotebook();
  const notes = new Map(ownNotebook.items.map((i) => [i.id, i.note]));
  for (const id of knownIds) if (!notes.has(id)) elements.delete(id);
  for (const [id, note] of notes) {
    const field = elements.get(id)?.querySelector('textarea');
    if (field && field.value !== note) elements.delete(id);
  }
  if (!sharedNotebook) draw();
});
$('notebook-date').textContent = new Date().toLocaleDateString();
start();
