// A list of objects as curves over one of its columns, in one plot per unit.
import { cursorPlots } from './cursor_plots.js';

const maxPlots = 4;
const maxSeries = 4; // per plot
const maxSizeRatio = 20; // of two series in the same plot
const minLogRatio = 150; // of the values on a logarithmic axis

/** Draws the curves into an element and returns a clean-up function; see pictures.js. */
export function draw(element, { result, field, tool, picture }) {
  const rows = result[field.name];
  const x = field.fields.find((c) => c.name === picture.x);
  const columns = field.fields
    .filter(
      (c) => c !== x && c.kind === 'quantity' && rows.every((r) => typeof r[c.name] === 'number'),
    )
    .map((c) => ({ ...c, values: rows.map((r) => r[c.name]) }));
  const groups = groupByUnitAndSize(columns);
  const xValues = rows.map((r) => r[x.name]);
  const log = !x.whole && spansDecades(xValues);
  const plots = cursorPlots(
    element,
    groups.slice(0, maxPlots).map((group) => ({
      title: groups.length > 1 ? group.map((c) => c.label).join(', ') : field.label,
      name: `${tool.name}_${group[0].name}`,
      sync: `${tool.name}.${field.name}`,
      height: groups.length > 1 ? 200 : 260,
      x: { label: x.label, unit: x.unit, whole: x.whole, log, values: xValues },
      // A power law is a line on two logarithmic axes; a balance over time needs a linear axis.
      y: { unit: group[0].unit, log: log && spansDecades(group.flatMap((c) => c.values)) },
      series: group
        .slice(0, maxSeries)
        .map((c) => ({ label: c.label, unit: c.unit, values: c.values })),
    })),
  );
  return () => plots.destroy();
}

/** Groups columns that can share an axis: of one unit and of similar size. Drops zero columns. */
function groupByUnitAndSize(columns) {
  const sizeOf = (c) => Math.max(...c.values.map(Math.abs));
  const isSimilar = (a, b) =>
    sizeOf(a) < maxSizeRatio * sizeOf(b) && sizeOf(b) < maxSizeRatio * sizeOf(a);
  const groups = [];
  for (const c of columns.filter((column) => sizeOf(column) > 0)) {
    const group = groups.find(
      (g) => (g[0].unit ?? '') === (c.unit ?? '') && g.every((other) => isSimilar(other, c)),
    );
    if (group) group.push(c);
    else groups.push([c]);
  }
  return groups;
}

/** Reports whether values span over two decades, so that a logarithmic axis shows them better. */
function spansDecades(values) {
  const low = Math.min(...values);
  return low > 0 && Math.max(...values) / low > minLogRatio;
}
