// Values of a batch as texts and as CSV.
import { limitDigits, joinParts, fieldParts } from './quantity.js';

/** Returns the unit of a field or a result; "*" is any unit. */
export const unitOf = (f) => (f.unit === '*' ? '' : (f.unit ?? ''));

/** Returns the text of a value of a field or a result. */
export function formatValue(v, f) {
  if (v === null || v === undefined) return '–';
  if (typeof v !== 'number') return String(v).replaceAll('_', ' ');
  const parts = fieldParts(f, v);
  return joinParts({ ...parts, number: limitDigits(f, parts.number) }, '\u00a0');
}

/** Returns a value for a plot: 1 and 0 for a switch. */
export const toPlotValue = (v) => (typeof v === 'boolean' ? Number(v) : v);

/** Returns a value as a field of CSV (RFC 4180). */
export function csvField(v) {
  const text = String(v ?? '');
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Returns all runs as CSV. */
export function runsToCSV(columns) {
  const names = Object.keys(columns);
  const rows = columns.index.map((_, i) => names.map((name) => csvField(columns[name][i])));
  return [names.map(csvField), ...rows].map((row) => row.join(',')).join('\n');
}
