// The button that opens files on the simulator's page, and the page as a drop target for files.
import { h } from './dom.js';

const hasFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes('Files');

/**
 * Adds the button, the list of warnings about opened files, and the drop target.
 * @param {HTMLElement} lab the part of the page that shows a drop
 * @param {(files: FileList) => Promise<void>} open
 */
export function addFileOpener(lab, open) {
  const chooser = h('input', {
    type: 'file',
    id: 'files',
    multiple: true,
    hidden: true,
    'aria-label': 'Netlist, schematic or waveform files',
    onchange: () =>
      open(chooser.files).finally(() => {
        chooser.value = '';
      }),
  });
  const button = h(
    'button',
    {
      type: 'button',
      id: 'open',
      title: 'Netlist (.cir, .net), LTspice schematic (.asc, .asy), waveform to compare (.raw)',
      onclick: () => chooser.click(),
    },
    'Open…',
  );
  document.querySelector('.shelves').prepend(button, chooser);
  document
    .getElementById('findings')
    .after(h('ul', { class: 'findings', id: 'opened', 'aria-label': 'Remarks on opened files' }));
  addDropTarget(lab, open);
}

/** Handles drops in the capture phase, before the editor inserts the name of a file. */
function addDropTarget(lab, open) {
  for (const type of ['dragenter', 'dragover']) {
    document.addEventListener(
      type,
      (event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        lab.classList.add('dropping');
      },
      true,
    );
  }
  document.addEventListener('dragleave', (event) => {
    if (!event.relatedTarget) lab.classList.remove('dropping');
  });
  document.addEventListener(
    'drop',
    (event) => {
      lab.classList.remove('dropping');
      if (!hasFiles(event)) return;
      event.preventDefault();
      event.stopPropagation();
      open(event.dataTransfer.files);
    },
    true,
  );
}
