// Plots of a tool's result with cursors A and B that they share.
import { el } from './dom.js';
import { Cursors } from './cursors.js';
import { plot } from './plot.js';

/**
 * Draws plots over the same x, with one pair of cursors and one table of readings.
 * @param {HTMLElement} element @param {object[]} list what plot() takes, each
 * @returns {{destroy: () => void}}
 */
export function cursorPlots(element, list) {
  if (list.length === 0) return { destroy() {} };
  const cursors = new Cursors({ onMove: () => made.forEach((m) => m.plot.redraw(false)) });
  const made = list.map((p) =>
    plot(element, { ...p, hooks: cursors.hooks(), onKey: (event) => cursors.key(event) }),
  );
  const tools = el('div', { class: 'cursors' }, cursors.bar, cursors.table);
  element.append(tools);
  cursors.read(
    list[0].x,
    list.flatMap((p) => p.series.map((s) => ({ ...s, log: p.y?.log }))),
  );
  return {
    destroy() {
      made.forEach((m) => m.destroy());
      tools.remove();
    },
  };
}
