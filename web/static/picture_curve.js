// Lists of objects whose first column rises are curves; one plot a unit.
import { curveOf } from './pictures.js';
import { plot } from './plot.js';

const most = 4; // plots, and series in one

export function draw(element, { result, field, tool }) {
  const rows = result[field.name];
  const { x, y } = curveOf(field, rows);
  const byUnit = new Map();
  for (const c of y) byUnit.set(c.unit ?? '', [...(byUnit.get(c.unit ?? '') ?? []), c]);
  const made = [...byUnit.entries()].slice(0, most).map(([unit, columns]) => plot(element, {
    title: field.label, name: `${tool.name}_${field.name}`, sync: `${tool.name}.${field.name}`, height: byUnit.size > 1 ? 200 : 260,
    x: { label: x.label, unit: x.unit, log: spansDecades(rows.map((r) => r[x.name])), values: rows.map((r) => r[x.name]) },
    y: { unit, log: spansDecades(columns.flatMap((c) => rows.map((r) => r[c.name]))) },
    series: columns.slice(0, most).map((c) => ({ label: c.label, unit: c.unit, values: rows.map((r) => r[c.name]) })),
  }));
  return () => made.forEach((m) => m.destroy());
}

/** Values that are spread over more than two decades are read better on a logarithmic axis. */
function spansDecades(values) {
  const low = Math.min(...values);
  return low > 0 && Math.max(...values) / low > 150;
}
