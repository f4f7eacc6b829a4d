// The notebook: pinned results with notes, kept in this browser only.
import { announce } from './shell.js';
import { loadSetting } from './store.js';

export const key = 'notebook';
export const mostItems = 60;
const longestNote = 5000; // characters
const longestResult = 100000; // characters of JSON; a longer one is computed again
const longestPicture = 400000; // characters of a data URL

/** The stored notebook: { title, items }. */
export const stored = () => checkedNotebook(loadSetting(key, {}));

/** Stores the notebook; throws an Error with a sentence when the browser does not keep it. */
export function store(notebook) {
  try {
    localStorage.setItem(key, JSON.stringify(notebook));
  } catch {
    throw new Error(
      'This browser keeps no more: its storage is full or forbidden. Remove a result, or save the notebook as a file.',
    );
  }
}

/**
 * Adds a result at the end.
 * @param {{tool: string, title: string, request: object, envelope?: object, steps?: object[], pictures?: string[]}} item steps are those of a chain
 * @returns {number} the number of results
 */
export function pin(item) {
  const notebook = stored();
  if (notebook.items.length >= mostItems)
    throw new Error(
      `The notebook has ${mostItems} results, as many as it takes. Remove one first.`,
    );
  const added = checkedItem({ ...item, id: newId(), at: new Date().toISOString(), note: '' });
  store({ ...notebook, items: [...notebook.items, added] });
  return notebook.items.length + 1;
}

/** Pins what make() returns, and reports on the button; make returns undefined where there is no result. */
export function pinFrom(button, make) {
  const label = button.textContent;
  const tell = (short, sentence) => {
    button.textContent = short;
    button.title = sentence;
    announce(sentence);
    setTimeout(() => {
      button.textContent = label;
    }, 2500);
  };
  try {
    const item = make();
    if (!item) {
      tell('No result', 'There is no result to pin.');
      return;
    }
    const count = pin(item);
    tell('Pinned', `Pinned: the notebook has ${count} ${count === 1 ? 'result' : 'results'}.`);
    if (!button.parentElement.querySelector('.to-notebook')) {
      const link = document.createElement('a');
      Object.assign(link, { href: '/notebook', className: 'to-notebook', textContent: 'Notebook' });
      button.after(link);
    }
  } catch (error) {
    if (error instanceof TypeError || error instanceof ReferenceError) throw error;
    tell('Not pinned', error.message);
  }
}

export const newId = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(6)), (b) =>
    b.toString(16).padStart(2, '0'),
  ).join('');

const toolName = /^[a-z0-9_]{1,60}$/;

const text = (v, most) => (typeof v === 'string' ? v.slice(0, most) : '');

/** An item of storage, of a link or of a file, with valid parts only; throws an Error when it is none. */
function checkedItem(item) {
  if (
    typeof item !== 'object' ||
    item === null ||
    !toolName.test(item.tool ?? '') ||
    typeof item.request !== 'object' ||
    item.request === null
  )
    throw new Error('not an item of a notebook');
  if (Array.isArray(item.steps) && !item.steps.every((s) => toolName.test(s?.tool ?? '')))
    throw new Error('not the steps of a chain');
  const { envelope } = item;
  const isKept =
    typeof envelope?.result === 'object' &&
    envelope.result !== null &&
    JSON.stringify(envelope).length <= longestResult;
  const pictures = Array.isArray(item.pictures)
    ? item.pictures
        .filter((p) => /^data:image\/png;base64,/.test(p) && p.length <= longestPicture)
        .slice(0, 4)
    : [];
  return {
    id: /^[0-9a-f]{12}$/.test(item.id ?? '') ? item.id : newId(),
    tool: item.tool,
    title: text(item.title, 200) || item.tool,
    request: item.request,
    note: text(item.note, longestNote),
    at: Number.isFinite(Date.parse(item.at)) ? item.at : new Date().toISOString(),
    ...(isKept && {
      envelope: {
        result: envelope.result,
        version: text(envelope.version, 40),
        computed_at: envelope.computed_at,
      },
    }),
    ...(Array.isArray(item.steps) && { steps: item.steps }),
    ...(pictures.length && { pictures }),
  };
}

/** A notebook with valid items only. */
export function checkedNotebook(data) {
  const items = [];
  for (const i of Array.isArray(data?.items) ? data.items.slice(0, mostItems) : []) {
    try {
      items.push(checkedItem(i));
    } catch {
      /* is left out */
    }
  }
  return { title: text(data?.title, 200), items };
}

/**
 * The notebook for a link, or of one: requests and notes, without results and pictures. A link can
 * be written by hand, so its results are never shown.
 */
export const forLink = (notebook) => ({
  title: notebook.title,
  items: notebook.items.map(({ envelope, pictures, ...rest }) => rest),
});
