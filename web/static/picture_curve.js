// A list of objects as curves over one of its columns; one plot per unit.
import { cursorPlots } from './cursor_plots.js';

const most = 4; // plots, and series in one
const apart = 20; // largest ratio of two series in the same plot

export function draw(element, { result, field, tool, picture }) {
  const rows = result[field.name];
  const x = field.fields.find((c) => c.name === picture.x);
  const y = field.fields.filter(
    (c) => c !== x && c.kind === 'quantity' && rows.every((r) => typeof r[c.name] === 'number'),
  );
  const groups = grouped(y.map((c) => ({ ...c, values: rows.map((r) => r[c.name]) })));
  const xs = rows.map((r) => r[x.name]);
  const log = !x.whole && spansDecades(xs);
  const made = cursorPlots(
    element,
    groups.slice(0, most).map((columns) => ({
      title: groups.length > 1 ? columns.map((c) => c.label).join(', ') : field.label,
      name: `${tool.name}_${columns[0].name}`,
      sync: `${tool.name}.${field.name}`,
      height: groups.length > 1 ? 200 : 260,
      x: { label: x.label, unit: x.unit, whole: x.whole, log, values: xs },
      y: { unit: columns[0].unit, log: log && spansDecades(columns.flatMap((c) => c.values)) }, // a power law over decades, no balance over time
      series: columns
        .slice(0, most)
        .map((c) => ({ label: c.label, unit: c.unit, values: c.values })),
    })),
  );
  return () => made.destroy();
}

/** Columns that can share an axis: of one unit and not too different in size. Zeros are left out. */
function grouped(columns) {
  const size = (c) => Math.max(...c.values.map(Math.abs));
  const groups = [];
  for (const c of columns.filter((k) => size(k) > 0)) {
    const group = groups.find(
      (g) =>
        (g[0].unit ?? '') === (c.unit ?? '') &&
        g.every((k) => size(k) < apart * size(c) && size(c) < apart * size(k)),
    );
    if (group) group.push(c);
    else groups.push([c]);
  }
  return groups;
}

/** Values that are spread over more than two decades are read better on a logarithmic axis. */
function spansDecades(values) {
  const low = Math.min(...values);
  return low > 0 && Math.max(...values) / low > 150;
}
