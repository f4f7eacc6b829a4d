// Plots of a tool's result that share the cursors A and B.
import { h } from './dom.js';
import { Cursors } from './cursors.js';
import { plot } from './plot.js';

/**
 * Draws plots over the same x axis with one pair of cursors and one table of their values.
 * @param {HTMLElement} element
 * @param {import('./plot.js').PlotSpec[]} specs
 * @returns {{destroy: () => void}}
 */
export function cursorPlots(element, specs) {
  if (specs.length === 0) return { destroy() {} };
  const cursors = new Cursors({ onMove: () => plots.forEach((m) => m.plot.redraw(false)) });
  const onKey = (event) => cursors.handleKey(event);
  const plots = specs.map((p) => plot(element, { ...p, hooks: cursors.hooks(), onKey }));
  const tools = h('div', { class: 'cursors' }, cursors.bar, cursors.table);
  element.append(tools);
  cursors.setData(
    specs[0].x,
    specs.flatMap((p) => p.series.map((s) => ({ ...s, log: p.y?.log }))),
  );
  return {
    destroy() {
      plots.forEach((m) => m.destroy());
      tools.remove();
    },
  };
}
