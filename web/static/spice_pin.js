// Pins the result of a simulation to the notebook, with its plots as pictures.
import { h } from './dom.js';
import { pinFrom } from './notebook_store.js';
import { cssColor } from './shell.js';

const maxPictures = 4;
const maxTitleChars = 120;

/**
 * Pins the shown result.
 * @param {HTMLElement} button shows the outcome
 * @param {() => {request: object, result: object}|undefined} shown
 */
export function pinSimulation(button, shown) {
  pinFrom(button, () => {
    const present = shown();
    return present && notebookItem(present);
  });
}

/** Returns a result for the notebook: an operating point with its values, curves as pictures. */
function notebookItem({ request, result }) {
  const { vectors, ...withoutVectors } = result;
  const isPoint = Object.values(vectors).every((v) => v.length === 1);
  const [firstLine] = request.netlist.split('\n');
  return {
    tool: 'spice_simulate',
    title: firstLine.replace(/^\*\s*/, '').slice(0, maxTitleChars) || 'Simulation',
    request,
    envelope: { result: isPoint ? result : withoutVectors },
    pictures: plotPictures(),
  };
}

/** Returns the plots as PNG data URLs with the background of the page. */
const plotPictures = () =>
  [...document.querySelectorAll('#plots .uplot canvas')].slice(0, maxPictures).map((source) => {
    const canvas = h('canvas', { width: source.width, height: source.height });
    const g = canvas.getContext('2d');
    g.fillStyle = cssColor('--panel');
    g.fillRect(0, 0, canvas.width, canvas.height);
    g.drawImage(source, 0, 0);
    return canvas.toDataURL('image/png');
  });
