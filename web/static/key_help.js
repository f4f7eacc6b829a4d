// The list of keyboard shortcuts, in a dialog.
import { el } from './dom.js';
import { loadSetting, saveSetting } from './store.js';

const list = [
  ['/', 'Search'],
  ['?', 'This list'],
  ['Esc', 'Leave the field, close'],
  ['j k', 'Next, previous in a list'],
  ['g c', 'All tools'],
  ['g h', 'Chain'],
  ['Alt 1…9', 'Field of that number'],
  ['Ctrl Enter', 'Run'],
];

/** Shows the list of keys, and a way to switch the single letters off. */
export function keyHelp() {
  const dialog = el(
    'dialog',
    { 'aria-label': 'Keyboard' },
    el(
      'dl',
      {},
      list.map(([keys, what]) => [
        el(
          'dt',
          {},
          keys.split(' ').flatMap((k) => [el('kbd', {}, k), ' ']),
        ),
        el('dd', {}, what),
      ]),
    ),
    el(
      'p',
      {},
      el(
        'label',
        {},
        el('input', {
          type: 'checkbox',
          checked: loadSetting('letters', true),
          onchange: (e) => saveSetting('letters', e.target.checked),
        }),
        ' Single letters are shortcuts',
      ),
    ),
    el('button', { onclick: () => dialog.close() }, 'Close'),
  );
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
