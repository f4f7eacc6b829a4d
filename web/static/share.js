// Links with the input. Short values are in the query. Long ones are compressed in the hash, which
// browsers do not send to the server.
import { h } from './dom.js';
import { maxQueryChars } from './form.js';
import { copy, download } from './shell.js';

/** The largest length of a link in characters. Many programs cut longer links. */
export const maxLinkChars = 8000;

const maxUnpackedBytes = 2e6;

const toBase64url = (bytes) =>
  btoa(Array.from(bytes, (b) => String.fromCharCode(b)).join(''))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
const fromBase64url = (text) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));

/**
 * Sends bytes through a transform stream. Throws an Error if the output is larger than maxBytes.
 */
async function pipe(bytes, stream, maxBytes = Infinity) {
  const chunks = [];
  let size = 0;
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(chunks).arrayBuffer());
    size += value.length;
    if (size > maxBytes) throw new Error('too large');
    chunks.push(value);
  }
}

/** Compresses a text to base64url. */
export const pack = async (text) =>
  toBase64url(await pipe(new TextEncoder().encode(text), new CompressionStream('deflate-raw')));

/** Returns the text of pack. Throws an Error if the data is invalid or the text exceeds 2 MB. */
export const unpack = async (packed) =>
  new TextDecoder('utf-8', { fatal: true }).decode(
    await pipe(fromBase64url(packed), new DecompressionStream('deflate-raw'), maxUnpackedBytes),
  );

/**
 * Returns the link for a query.
 * @param {boolean} [isHashed] puts the values into the hash even if they are short
 */
export async function linkFor(path, query, isHashed = false) {
  const link = `${location.origin}${path}${query.size ? `?${query}` : ''}`;
  if (link.length <= maxQueryChars && !isHashed) return link;
  return `${location.origin}${path}#n=${await pack(query.toString())}`;
}

function describeLink(link) {
  if (link.length > maxLinkChars)
    return 'This link is longer than many programs take. Save the values as a file instead.';
  return link.includes('#n=')
    ? 'The link contains the values after the #, which browsers do not send to the server.'
    : 'The link contains the values in plain text.';
}

const headOf = (path) => path.split('.')[0];

/**
 * Shows a dialog with a link and its fields, which the user can leave out.
 * @param {string} path of the page
 * @param {URLSearchParams} query values by field path
 * @param {(path: string) => string} labelOf returns the label of a field
 * @param {boolean} [isHashed] of linkFor
 */
export function showShareDialog(path, query, labelOf, isHashed = false) {
  const included = new Set(query.keys());
  const linkField = h('input', { readonly: true, 'aria-label': 'Link' });
  linkField.style.width = '100%'; // the policy forbids style attributes
  const note = h('p', { class: 'absent' });
  const button = (text, onclick, className) =>
    h('button', { type: 'button', class: className, onclick }, text);
  const saveButton = button('Save as file', () => download('values.txt', query.toString()));

  const update = async () => {
    const q = new URLSearchParams([...query].filter(([key]) => included.has(key)));
    const link = await linkFor(path, q, isHashed);
    linkField.value = link;
    note.textContent = describeLink(link);
    saveButton.hidden = link.length <= maxLinkChars;
  };
  const include = (head, isIncluded) => {
    for (const key of query.keys()) {
      if (headOf(key) !== head) continue;
      if (isIncluded) included.add(key);
      else included.delete(key);
    }
    update();
  };
  const labels = new Map([...query.keys()].map((key) => [headOf(key), labelOf(key)]));
  const choices = [...labels].map(([head, label]) => {
    const onchange = (e) => include(head, e.target.checked);
    const choice = h(
      'label',
      {},
      h('input', { type: 'checkbox', checked: true, onchange }),
      ` ${label}`,
    );
    choice.style.display = 'block';
    return choice;
  });
  const dialog = h(
    'dialog',
    { 'aria-label': 'Share', onclose: () => dialog.remove() },
    h('h2', {}, 'Link to this calculation'),
    h('div', {}, choices),
    linkField,
    note,
    h(
      'p',
      { class: 'picker' },
      button('Copy link', (e) => copy(linkField.value, e.currentTarget), 'main'),
      saveButton,
      button('Close', () => dialog.close()),
    ),
  );
  document.body.append(dialog);
  update();
  dialog.showModal();
}
