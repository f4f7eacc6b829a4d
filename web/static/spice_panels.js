// The folded panels of the simulator's page: the schematic, and batches of simulations. Their
// modules are loaded when they are opened.
import { h } from './dom.js';
import { saveSetting } from './store.js';

const schematicMargin = 50; // px beside the schematic in its column

/** Returns a test for models of the P type, in the netlist or in the library. */
function pTypeTest(text, parts) {
  const isPPart = (p) => /\bPNP\b|P-channel/i.test(p.description);
  const libraryModels = new Set(parts.filter(isPPart).map((p) => p.name));
  return (model) => {
    const name = model.toLowerCase();
    const cards = text().matchAll(/^[ \t]*\.model[ \t]+(\S+)[ \t]+(?:pnp|pmos|pjf)\b/gim);
    return [...cards].some((card) => card[1].toLowerCase() === name) || libraryModels.has(name);
  };
}

/**
 * Adds the panel of the schematic below the netlist.
 * @param {object} page
 * @param {{name: string, description: string}[]} page.parts of the library
 * @param {() => string} page.text returns the netlist
 * @param {() => import('./spice_netlist.js').Netlist} page.read parses the netlist
 * @param {(text: string) => void} page.setText
 * @param {(name: string) => void} page.plotNode
 * @param {() => Promise<void>} page.run
 * @param {(line: number) => void} page.goToLine
 * @returns {{box: HTMLDetailsElement, update: (netlist: object) => void}}
 */
export function addSchematicPanel({ parts, text, read, setText, plotNode, run, goToLine }) {
  const box = h(
    'details',
    { class: 'panel schematic-box', id: 'schematic' },
    h('summary', {}, 'Schematic'),
  );
  const inputs = document.querySelector('.lab-in');
  const outputs = document.querySelector('.lab-out');
  inputs.append(box);
  let draw;

  /** Draws the schematic. A schematic that is wider than the netlist moves above the plots. */
  const update = (netlist) => {
    if (!box.open || !draw) return;
    draw(netlist);
    const width = box.querySelector('svg.sketch')?.viewBox.baseVal.width ?? 0;
    const isTooWide = width + schematicMargin > inputs.clientWidth;
    const hasTwoColumns = inputs.clientWidth < inputs.parentElement.clientWidth;
    const home = isTooWide && hasTwoColumns ? outputs : inputs;
    if (box.parentElement === home) return;
    if (home === inputs) home.append(box);
    else home.prepend(box);
    draw(netlist); // to the new width
  };
  box.addEventListener('toggle', async () => {
    saveSetting('schematic', box.open);
    if (!box.open) return;
    if (!draw) {
      const { createSchematic } = await import('./spice_schematic.js');
      draw ??= createSchematic(box, {
        isP: pTypeTest(text, parts),
        onNode: plotNode,
        text,
        read,
        change: setText,
        run,
        goTo: goToLine,
      });
    }
    update(read());
  });
  return { box, update };
}

/**
 * Adds the panel of batches below the plots: sweeps, Monte Carlo and goal seek of element values.
 * @param {object} page
 * @param {string} page.tool
 * @param {() => string} page.text returns the netlist
 * @param {() => import('./spice_netlist.js').Netlist} page.read parses the netlist
 * @param {() => object|undefined} page.input returns the request, or undefined if it is invalid
 * @param {() => URLSearchParams} page.query returns the values of the form
 * @param {() => string} page.analysis returns the chosen analysis, or ""
 * @returns {{open: (state?: object) => Promise<void>, refresh: () => void}} open accepts the state
 *   of a link
 */
export function addBatchPanel({ tool, text, read, input, query, analysis }) {
  const box = h(
    'details',
    { class: 'sweepbox lab-batch' },
    h('summary', {}, 'Sweep, Monte Carlo, goal seek'),
  );
  document.querySelector('.lab-out').append(box);
  let panel;
  const create = async (state) => {
    if (panel) return;
    panel = {}; // until the modules are loaded
    const [{ BatchPanel }, { collectableResults, overlay, variableFields }] = await Promise.all([
      import('./batch.js'),
      import('./spice_batch.js'),
    ]);
    const source = {
      tool,
      heavy: true,
      title: 'Simulation',
      path: '/spice',
      hashed: true,
      input,
      query,
      overlay,
      fields: () => variableFields(read(), text()),
      results: () => {
        const netlist = read();
        return collectableResults(netlist, text(), analysis() || netlist.analyses[0] || 'op');
      },
    };
    panel = new BatchPanel(box, source, state);
  };
  box.addEventListener('toggle', () => {
    if (box.open) create();
  });
  return {
    open: async (state) => {
      await create(state);
      box.open = true;
    },
    refresh: () => panel?.refresh?.(),
  };
}
