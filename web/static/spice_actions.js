// The actions in the head of the simulator's page: pin to the notebook, make a board, share.
import { smallButton } from './dom.js';
import { labels } from './spice_form.js';

/**
 * Adds the actions.
 * @param {object} page
 * @param {() => string} page.text returns the netlist
 * @param {() => URLSearchParams} page.query returns the values of the form and the traces
 * @param {() => {request: object, result: object}|undefined} page.shown returns the shown result
 * @param {() => void} page.requireNetlist shows that the netlist is empty
 */
export function addActions(page) {
  const actions = document.querySelector('.head .acts');
  actions.hidden = false;
  document.getElementById('share').addEventListener('click', async () => {
    const { showShareDialog } = await import('./share.js');
    showShareDialog('/spice', page.query(), (name) => labels[name] ?? name, true);
  });
  const action = (id, text, title, onclick) => smallButton(text, onclick, { id, title });
  actions.prepend(
    action('pin', 'Pin', 'Puts this result into the notebook', async ({ currentTarget }) => {
      const { pinSimulation } = await import('./spice_pin.js');
      pinSimulation(currentTarget, page.shown);
    }),
    action('to-board', 'Make a board of this', 'Opens this netlist on the page Board', async () => {
      const netlist = page.text();
      if (!netlist.trim()) {
        page.requireNetlist();
        return;
      }
      const { linkFor } = await import('./share.js');
      const query = new URLSearchParams({ netlist, from: 'spice' });
      location.href = await linkFor('/board', query, true);
    }),
  );
}
