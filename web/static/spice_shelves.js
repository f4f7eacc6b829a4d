// The lists of parts and examples on the simulator's page, and the buttons that fill in tolerances.
import { h, smallButton } from './dom.js';

const partRows = () => [...document.querySelectorAll('#parts tr[data-part]')];

/** Returns the parts of the library from the page: [{name, kind, use, description}]. */
export const libraryParts = () =>
  partRows().map((row) => ({
    name: row.dataset.part,
    kind: row.dataset.kind,
    use: row.cells[1].textContent,
    description: row.cells[2].textContent,
  }));

/**
 * Adds buttons to the lists.
 * @param {object} actions
 * @param {(line: string) => void} actions.insertPart receives the element line of a part
 * @param {(name: string) => void} actions.loadExample
 * @param {(percent: number) => void} actions.fillTolerances
 */
export function addShelves({ insertPart, loadExample, fillTolerances }) {
  for (const row of partRows()) {
    const cell = row.cells[0];
    cell.replaceChildren(
      h(
        'button',
        {
          type: 'button',
          class: 'link',
          title: 'Insert into the netlist',
          onclick: () => insertPart(row.cells[1].textContent),
        },
        cell.textContent,
      ),
    );
  }
  addExamples(loadExample);
  const percents = document.getElementById('fill-tolerances');
  percents.hidden = false;
  percents.append(
    h('span', { class: 'lbl' }, 'All resistors'),
    ...[1, 5, 10].map((percent) => smallButton(`${percent} %`, () => fillTolerances(percent))),
  );
  closeShelves();
}

function addExamples(loadExample) {
  const gallery = document.getElementById('gallery');
  gallery.addEventListener(
    'toggle',
    () => import('./gallery.js').then((m) => m.addPictures(gallery)),
    { once: true },
  );
  for (const link of gallery.querySelectorAll('a[data-example]')) {
    link.addEventListener('click', (event) => {
      event.preventDefault();
      loadExample(link.dataset.example);
    });
  }
}

/** Closes an open list with Escape and with a click elsewhere. */
function closeShelves() {
  for (const shelf of document.querySelectorAll('details.shelf')) {
    shelf.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape') return;
      shelf.open = false;
      shelf.querySelector('summary').focus();
    });
  }
  document.addEventListener('click', (event) => {
    for (const shelf of document.querySelectorAll('details.shelf[open]'))
      if (!shelf.contains(event.target)) shelf.open = false;
  });
}
