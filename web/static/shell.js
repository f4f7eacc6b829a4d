// Functions of every page: colour scheme, keyboard, live region for screen readers, copying.
import { loadSetting } from './store.js';

const announceDelayMs = 30; // screen readers announce a text that is set after the region was empty
const copiedMs = 900; // how long a button shows that it has copied
const revokeDelayMs = 10000; // the browser reads the file of a download later
const prefixMs = 1200; // between the keys of a shortcut of two letters

const find = (selector) => document.querySelector(selector);

/** Announces a text to screen readers in the live region. */
export function announce(text) {
  const region = find('#say');
  region.textContent = '';
  setTimeout(() => {
    region.textContent = text;
  }, announceDelayMs);
}

/** Copies a text and shows the outcome on the button. */
export async function copy(text, button) {
  const isCopied = await writeClipboard(text);
  announce(isCopied ? 'Copied' : 'Copy failed');
  if (!button) return;
  if (button.querySelector('svg')) {
    button.classList.add('done');
    setTimeout(() => button.classList.remove('done'), copiedMs);
    return;
  }
  const label = button.textContent;
  button.textContent = isCopied ? '✓' : '✗';
  setTimeout(() => {
    button.textContent = label;
  }, copiedMs);
}

async function writeClipboard(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

/** Copies a text in an insecure context, which has no clipboard interface. */
function copyBySelection(text) {
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  return isCopied;
}

/**
 * Offers a file for download.
 * @param {string} name
 * @param {string|Blob} content
 */
export function download(name, content, type = 'text/plain') {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(
    content instanceof Blob ? content : new Blob([content], { type }),
  );
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), revokeDelayMs);
}

const colours = new Map(); // of the current scheme, by custom property
document.addEventListener('scheme', () => colours.clear());

/**
 * Returns the colour of a custom property of app.css in the current scheme, for canvases.
 * @param {string} name such as --ink
 */
export function cssColor(name) {
  if (!colours.has(name)) colours.set(name, computedColour(name));
  return colours.get(name);
}

function computedColour(name) {
  const probe = document.createElement('span');
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

const rootData = document.documentElement.dataset;
const schemes = { auto: 'automatic', light: 'light', dark: 'dark' };

const notifyScheme = () => document.dispatchEvent(new Event('scheme'));

/** Sets the scheme of the page. The system determines the scheme "auto". */
function setScheme(name) {
  if (name === 'auto') delete rootData.theme;
  else rootData.theme = name;
  notifyScheme();
}

function initScheme() {
  const button = find('#theme');
  const names = Object.keys(schemes);
  let current = rootData.theme ?? 'auto';
  const apply = () => {
    const label = `Colour scheme: ${schemes[current]}`;
    button.setAttribute('aria-label', label);
    button.title = label;
    setScheme(current);
  };
  apply();
  button.hidden = false;
  button.addEventListener('click', () => {
    current = names[(names.indexOf(current) + 1) % names.length];
    try {
      localStorage.setItem('theme', current);
    } catch {
      // Storage may be blocked. The scheme then applies to this page only.
    }
    apply();
    announce(`Colour scheme ${schemes[current]}`);
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', notifyScheme);
}

/** Prints in the light scheme, because paper is white. Canvases are drawn again. */
function initPrint() {
  let before = 'auto';
  window.addEventListener('beforeprint', () => {
    before = rootData.theme ?? 'auto';
    setScheme('light');
  });
  window.addEventListener('afterprint', () => setScheme(before));
}

const isTyping = (element) => element.matches?.('input, textarea, select, [contenteditable]');
const isVisible = (element) => element.offsetParent;

/** Moves the focus in the list of tools. */
function focusCard(offset) {
  const links = [...document.querySelectorAll('.cards a')].filter(isVisible);
  if (!links.length) return;
  const current = links.indexOf(document.activeElement);
  links[Math.min(links.length - 1, Math.max(0, current + offset))].focus();
}

function focusField(index) {
  const fields = document.querySelectorAll('#form .field :is(input, select, textarea)');
  [...fields].filter(isVisible)[index]?.focus();
}

const openKeyHelp = () => import('./key_help.js').then((m) => m.showKeyHelp());

/** Single keys and sequences of two. key_help.js lists them. */
const shortcuts = {
  '/': () => {
    find('#q').focus();
    find('#q').select();
  },
  '?': openKeyHelp,
  j: () => focusCard(1),
  k: () => focusCard(-1),
  gc: () => {
    location.href = '/';
  },
  gh: () => {
    location.href = '/chain';
  },
};

function initKeyboard() {
  let prefix = ''; // the first key of a sequence
  const startSequence = (key) => {
    prefix = key;
    setTimeout(() => {
      prefix = '';
    }, prefixMs);
  };
  document.addEventListener('keydown', (event) => {
    if (event.altKey && /^Digit[1-9]$/.test(event.code)) {
      focusField(Number(event.code.at(-1)) - 1);
      event.preventDefault();
      return;
    }
    if (isTyping(event.target)) {
      if (event.key === 'Escape') event.target.blur();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || find('dialog[open]')) return;
    if (!loadSetting('letters', true)) return;
    const keys = prefix + event.key;
    prefix = '';
    if (keys === 'g') startSequence(keys);
    else if (shortcuts[keys]) shortcuts[keys]();
    else return;
    event.preventDefault();
  });
  const help = find('#keyhelp');
  help.hidden = false;
  help.addEventListener('click', openKeyHelp);
}

initScheme();
initPrint();
initKeyboard();
