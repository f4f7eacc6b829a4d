// The notebook: pinned results with notes, stored in this browser only.
import { h } from './dom.js';
import { announce } from './shell.js';
import { loadSetting } from './store.js';

/**
 * @typedef {object} Item a pinned result
 * @property {string} id
 * @property {string} tool
 * @property {string} title
 * @property {object} request
 * @property {string} note
 * @property {string} at time in ISO 8601
 * @property {{result: object, version: string, computed_at: string}} [envelope]
 * @property {object[]} [steps] of a chain
 * @property {string[]} [pictures] data URLs
 *
 * @typedef {{title: string, items: Item[]}} Notebook
 */

export const storageKey = 'notebook';

/** The largest number of items of a notebook. */
export const maxItems = 60;

const maxNoteChars = 5000;
const maxTitleChars = 200;
const maxVersionChars = 40;
const maxResultChars = 100000; // of JSON; a longer result is computed again
const maxPictureChars = 400000; // of a data URL
const maxPictures = 4;
const reportMs = 2500; // of the text on a pressed button

/** Returns the stored notebook. */
export const loadNotebook = () => parseNotebook(loadSetting(storageKey, {}));

/** Stores the notebook; throws an Error for the user if the browser rejects it. */
export function saveNotebook(notebook) {
  try {
    localStorage.setItem(storageKey, JSON.stringify(notebook));
  } catch {
    throw new Error(
      'This browser keeps no more: its storage is full or forbidden. Remove a result, or save the notebook as a file.',
    );
  }
}

/**
 * Adds an item at the end. Returns the number of items; throws an Error for the user if it is full.
 */
function addItem(item) {
  const notebook = loadNotebook();
  if (notebook.items.length >= maxItems)
    throw new Error(`The notebook has ${maxItems} results, as many as it takes. Remove one first.`);
  const added = parseItem({ ...item, id: newId(), at: new Date().toISOString(), note: '' });
  saveNotebook({ ...notebook, items: [...notebook.items, added] });
  return notebook.items.length + 1;
}

/**
 * Pins a result and reports on the button.
 * @param {HTMLButtonElement} button
 * @param {() => Partial<Item>|undefined} makeItem returns undefined without a result
 */
export function pinFrom(button, makeItem) {
  const label = button.textContent;
  const report = (text, sentence) => {
    button.textContent = text;
    button.title = sentence;
    announce(sentence);
    setTimeout(() => {
      button.textContent = label;
    }, reportMs);
  };
  try {
    const item = makeItem();
    if (!item) {
      report('No result', 'There is no result to pin.');
      return;
    }
    const count = addItem(item);
    report('Pinned', `Pinned: the notebook has ${count} ${count === 1 ? 'result' : 'results'}.`);
    if (!button.parentElement.querySelector('.to-notebook'))
      button.after(h('a', { href: '/notebook', class: 'to-notebook' }, 'Notebook'));
  } catch (error) {
    if (error instanceof TypeError || error instanceof ReferenceError) throw error;
    report('Not pinned', error.message);
  }
}

/** Returns a random id of an item: 12 hexadecimal digits. */
export const newId = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(6)), (b) =>
    b.toString(16).padStart(2, '0'),
  ).join('');

const isObject = (v) => typeof v === 'object' && v !== null;
const isToolName = (v) => /^[a-z0-9_]{1,60}$/.test(v ?? '');
const isId = (v) => /^[0-9a-f]{12}$/.test(v ?? '');
const isPicture = (v) => /^data:image\/png;base64,/.test(v) && v.length <= maxPictureChars;
const isEnvelope = (v) => isObject(v?.result) && JSON.stringify(v).length <= maxResultChars;

const textOf = (v, maxLength) => (typeof v === 'string' ? v.slice(0, maxLength) : '');

/**
 * Returns the valid parts of an item from the storage, a link or a file. Throws an Error if
 * invalid.
 */
function parseItem(item) {
  if (!isObject(item) || !isToolName(item.tool) || !isObject(item.request))
    throw new Error('not an item of a notebook');
  const { id, tool, title, request, note, at, envelope, steps } = item;
  const hasSteps = Array.isArray(steps);
  if (hasSteps && !steps.every((s) => isToolName(s?.tool)))
    throw new Error('not the steps of a chain');
  const pictures = Array.isArray(item.pictures)
    ? item.pictures.filter(isPicture).slice(0, maxPictures)
    : [];
  return {
    id: isId(id) ? id : newId(),
    tool,
    title: textOf(title, maxTitleChars) || tool,
    request,
    note: textOf(note, maxNoteChars),
    at: Number.isFinite(Date.parse(at)) ? at : new Date().toISOString(),
    ...(isEnvelope(envelope) && {
      envelope: {
        result: envelope.result,
        version: textOf(envelope.version, maxVersionChars),
        computed_at: envelope.computed_at,
      },
    }),
    ...(hasSteps && { steps }),
    ...(pictures.length && { pictures }),
  };
}

/** Returns the valid parts of a notebook from the storage, a link or a file. */
export function parseNotebook(data) {
  const items = [];
  for (const item of Array.isArray(data?.items) ? data.items.slice(0, maxItems) : []) {
    try {
      items.push(parseItem(item));
    } catch {
      /* the other items remain usable */
    }
  }
  return { title: textOf(data?.title, maxTitleChars), items };
}

/**
 * Returns a notebook without results and pictures, for a link or from one. Results of a link may be
 * forged, so the page never shows them.
 */
export const withoutResults = (notebook) => ({
  title: notebook.title,
  items: notebook.items.map(({ envelope, pictures, ...rest }) => rest),
});
