// Functions of every page: colour scheme, keyboard, live region for screen readers, copying.
import { loadSetting } from './store.js';

const $ = (selector, root = document) => root.querySelector(selector);

/** Announces a text to screen readers, in the live region. */
export function announce(text) {
  const box = $('#say');
  box.textContent = '';
  setTimeout(() => {
    box.textContent = text;
  }, 30);
}

/** Copies a text and tells so on the button that was pressed. */
export async function copy(text, button) {
  let done = 'Copied';
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    done = copyOldWay(text) ? 'Copied' : 'Copy failed';
  }
  announce(done);
  if (!button) return;
  if (button.querySelector('svg')) {
    // an icon stays, and is marked
    button.classList.add('done');
    setTimeout(() => button.classList.remove('done'), 900);
    return;
  }
  const before = button.textContent;
  button.textContent = done === 'Copied' ? '✓' : '✗';
  setTimeout(() => {
    button.textContent = before;
  }, 900);
}

/** Works without a secure context, where there is no clipboard interface. */
function copyOldWay(text) {
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  const ok = document.execCommand('copy');
  area.remove();
  return ok;
}

/** Offers a text or a Blob as a file. */
export function download(name, content, type = 'text/plain') {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(
    content instanceof Blob ? content : new Blob([content], { type }),
  );
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

const colours = new Map(); // by custom property, of the present scheme
document.addEventListener('scheme', () => colours.clear());

/** The colour a custom property of app.css has under the present scheme, for canvases. */
export function colour(name) {
  if (!colours.has(name)) colours.set(name, computedColour(name));
  return colours.get(name);
}

function computedColour(name) {
  const probe = document.createElement('span');
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const c = getComputedStyle(probe).color;
  probe.remove();
  return c;
}

const schemes = { auto: 'automatic', light: 'light', dark: 'dark' };

function scheme() {
  const button = $('#theme');
  const apply = (name) => {
    if (name === 'auto') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = name;
    button.setAttribute('aria-label', `Colour scheme: ${schemes[name]}`);
    button.title = `Colour scheme: ${schemes[name]}`;
    document.dispatchEvent(new Event('scheme'));
  };
  const names = Object.keys(schemes);
  let now = document.documentElement.dataset.theme ?? 'auto';
  apply(now);
  button.hidden = false;
  button.addEventListener('click', () => {
    now = names[(names.indexOf(now) + 1) % names.length];
    try {
      localStorage.setItem('theme', now);
    } catch {
      /* it lasts for this page then */
    }
    apply(now);
    announce(`Colour scheme ${schemes[now]}`);
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () =>
    document.dispatchEvent(new Event('scheme')),
  );
}

/** Canvases are drawn anew for paper, which is white in every scheme. */
function printing() {
  const { dataset } = document.documentElement;
  let before;
  window.addEventListener('beforeprint', () => {
    before = dataset.theme;
    dataset.theme = 'light';
    document.dispatchEvent(new Event('scheme'));
  });
  window.addEventListener('afterprint', () => {
    if (before === undefined) delete dataset.theme;
    else dataset.theme = before;
    document.dispatchEvent(new Event('scheme'));
  });
}

const keyHelp = () => import('./key_help.js').then((m) => m.keyHelp());

const isTyping = (e) => e.matches?.('input, textarea, select, [contenteditable]');

function step(by) {
  const links = [...document.querySelectorAll('.cards a')].filter((a) => a.offsetParent);
  if (!links.length) return;
  const at = links.indexOf(document.activeElement);
  links[Math.min(links.length - 1, Math.max(0, at + by))].focus();
}

function keyboard() {
  let prefix = '';
  document.addEventListener('keydown', (event) => {
    if (event.altKey && /^Digit[1-9]$/.test(event.code)) {
      const fields = [
        ...document.querySelectorAll('#form .field :is(input, select, textarea)'),
      ].filter((f) => f.offsetParent);
      fields[Number(event.code.at(-1)) - 1]?.focus();
      event.preventDefault();
      return;
    }
    if (event.key === 'Escape' && isTyping(event.target)) {
      event.target.blur();
      return;
    }
    if (
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      isTyping(event.target) ||
      document.querySelector('dialog[open]')
    )
      return;
    if (!loadSetting('letters', true)) return;
    const key = prefix + event.key;
    prefix = '';
    switch (key) {
      case '/':
        $('#q').focus();
        $('#q').select();
        break;
      case '?':
        keyHelp();
        break;
      case 'j':
        step(1);
        break;
      case 'k':
        step(-1);
        break;
      case 'g':
        prefix = 'g';
        setTimeout(() => {
          prefix = '';
        }, 1200);
        break;
      case 'gc':
        location.href = '/';
        break;
      case 'gh':
        location.href = '/chain';
        break;
      default:
        return;
    }
    event.preventDefault();
  });
  const help = $('#keyhelp');
  help.hidden = false;
  help.addEventListener('click', keyHelp);
}

scheme();
printing();
keyboard();
