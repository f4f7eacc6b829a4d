// The list of keyboard shortcuts, in a dialog.
import { el } from './dom.js';
import { loadSetting, saveSetting } from './store.js';

const shortcuts = [
  ['/', 'Search'],
  ['?', 'This list'],
  ['Esc', 'Leave the field, close'],
  ['j k', 'Next, previous in a list'],
  ['g c', 'All tools'],
  ['g h', 'Chain'],
  ['Alt 1…9', 'Field of that number'],
  ['Ctrl Enter', 'Run'],
];

/** Shows the keyboard shortcuts, and a switch for those of single letters. */
export function showKeyHelp() {
  const lettersSwitch = el('input', {
    type: 'checkbox',
    checked: loadSetting('letters', true),
    onchange: (e) => saveSetting('letters', e.target.checked),
  });
  const items = shortcuts.map(([keys, description]) => [
    el(
      'dt',
      {},
      keys.split(' ').flatMap((key) => [el('kbd', {}, key), ' ']),
    ),
    el('dd', {}, description),
  ]);
  const dialog = el(
    'dialog',
    { 'aria-label': 'Keyboard', onclose: () => dialog.remove() },
    el('dl', {}, items),
    el('p', {}, el('label', {}, lettersSwitch, ' Single letters are shortcuts')),
    el('button', { onclick: () => dialog.close() }, 'Close'),
  );
  document.body.append(dialog);
  dialog.showModal();
}
