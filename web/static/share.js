// Links with the input: short values in the query, long texts compressed in the hash, which
// browsers never send to the server.
import { copy, download } from './shell.js';

const longest = 8000;

const base64url = (bytes) =>
  btoa(Array.from(bytes, (b) => String.fromCharCode(b)).join(''))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
const unbase64url = (text) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));

async function through(stream, bytes, limit = Infinity) {
  const parts = [];
  let size = 0;
  for (const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
    size += value.length;
    if (size > limit) throw new Error('too large');
    parts.push(value);
  }
}

/** A text, deflated, as base64url. */
export const pack = async (text) =>
  base64url(await through(new CompressionStream('deflate-raw'), new TextEncoder().encode(text)));

/** The text that was packed; throws when it was not, or is larger than 2 MB. */
export const unpack = async (packed) =>
  new TextDecoder('utf-8', { fatal: true }).decode(
    await through(new DecompressionStream('deflate-raw'), unbase64url(packed), 2e6),
  );

/** The link for a query; long ones go into the hash, and all of them if hashed. */
export async function linkFor(path, query, hashed = false) {
  const plain = `${location.origin}${path}${query.size ? `?${query}` : ''}`;
  return plain.length <= 1500 && !hashed
    ? plain
    : `${location.origin}${path}#n=${await pack(query.toString())}`;
}

/** Shows a link, what it holds, and a way to leave values out. */
export function shareBox(path, query, labels, hashed = false) {
  const dialog = document.createElement('dialog');
  dialog.setAttribute('aria-label', 'Share');
  const title = document.createElement('h2');
  title.textContent = 'Link to this calculation';
  const list = document.createElement('div');
  const field = document.createElement('input');
  field.readOnly = true;
  field.style.width = '100%';
  field.setAttribute('aria-label', 'Link');
  const note = document.createElement('p');
  note.className = 'absent';
  const chosen = new Set(query.keys());
  const make = async () => {
    const q = new URLSearchParams([...query].filter(([k]) => chosen.has(k)));
    field.value = await linkFor(path, q, hashed);
    note.textContent =
      field.value.length > longest
        ? 'This link is longer than many programs take. Save the values as a file instead.'
        : field.value.includes('#n=')
          ? 'The values stand behind the #, which browsers do not send to the server.'
          : 'The values stand in the link, readable.';
    file.hidden = field.value.length <= longest;
  };
  const heads = new Map([...query.keys()].map((k) => [k.split('.')[0], labels(k)]));
  for (const [head, label] of heads) {
    const l = document.createElement('label');
    const box = document.createElement('input');
    box.type = 'checkbox';
    box.checked = true;
    box.addEventListener('change', () => {
      for (const k of query.keys())
        if (k.split('.')[0] === head) box.checked ? chosen.add(k) : chosen.delete(k);
      make();
    });
    l.append(box, ` ${label}`);
    l.style.display = 'block';
    list.append(l);
  }
  const row = document.createElement('p');
  row.className = 'picker';
  const button = (text, act) => {
    const b = document.createElement('button');
    b.type = 'button';
    b.textContent = text;
    b.addEventListener('click', act);
    row.append(b);
    return b;
  };
  button('Copy link', (e) => copy(field.value, e.currentTarget)).className = 'main';
  const file = button('Save as file', () => download('values.txt', query.toString()));
  button('Close', () => dialog.close());
  dialog.append(title, list, field, note, row);
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  make();
  dialog.showModal();
}
