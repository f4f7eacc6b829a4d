// The list of keyboard shortcuts, in a dialog.
import { h } from './dom.js';
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
  const lettersSwitch = h('input', {
    type: 'checkbox',
    checked: loadSetting('letters', true),
    onchange: (e) => saveSetting('letters', e.target.checked),
  });
  const items = shortcuts.map(([keys, description]) => [
    h(
      'dt',
      {},
      keys.split(' ').flatMap((key) => [h('kbd', {}, key), ' ']),
    ),
    h('dd', {}, description),
  ]);
  const dialog = h(
    'dialog',
    { 'aria-label': 'Keyboard', onclose: () => dialog.remove() },
    h('dl', {}, items),
    h('p', {}, h('label', {}, lettersSwitch, ' Single letters are shortcuts')),
    h('button', { onclick: () => dialog.close() }, 'Close'),
  );
  document.body.append(dialog);
  dialog.showModal();
}
