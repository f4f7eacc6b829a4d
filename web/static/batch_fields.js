// What a batch of a tool may vary and collect.
import { withPicked, withUnit } from './quantity.js';

/**
 * @typedef {{field: string, label: string, unit?: string, whole?: boolean, value?: number, options?: any[], given?: boolean}} Varied
 *   options: values of a field that is no number; given: the input has the value
 * @typedef {{name: string, label: string, unit?: string, collect: any}} Collected
 */

const escape = (name) => String(name).replaceAll('~', '~0').replaceAll('/', '~1');

/** The fields of an input that a batch may vary. @returns {Varied[]} */
export function variedFields(fields, input, path = '', prefix = '') {
  const list = [];
  for (const f of fields) {
    if (f.alias) continue;
    const at = `${path}/${escape(f.name)}`;
    const label = prefix + f.label;
    const value = input?.[f.name];
    const number = typeof value === 'number' ? value : undefined;
    if (f.kind === 'quantity')
      list.push({
        field: at,
        label,
        unit: withPicked(f, input ?? {}).unit,
        whole: f.whole,
        value: number ?? numberOf(f.default) ?? numberOf(f.example),
        given: number !== undefined,
      });
    else if (f.kind === 'choice' || f.kind === 'switch') {
      const options = f.options
        .map((o) => o.value || f.default)
        .filter(Boolean)
        .map((o) => (f.kind === 'switch' ? o === 'true' : o));
      if (options.length > 1 && !fields.some((x) => x.unitFrom?.field === f.name))
        list.push({ field: at, label, options });
    } else if (f.kind === 'numbers' && Array.isArray(value))
      value.forEach((v, i) =>
        list.push({
          field: `${at}/${i}`,
          label: `${label} ${i + 1}`,
          unit: f.unit,
          value: v,
          given: true,
        }),
      );
    else if (f.kind === 'rows' && Array.isArray(value))
      value.forEach((row, i) =>
        list.push(...variedFields(f.fields, row, `${at}/${i}`, `${label} ${i + 1}: `)),
      );
    else if (f.kind === 'group' && value)
      list.push(...variedFields(f.fields, value, at, `${label}: `));
    else if (f.kind === 'pairs' && value) {
      for (const [name, v] of Object.entries(value))
        if (typeof v === 'number')
          list.push({
            field: `${at}/${escape(name)}`,
            label: name,
            unit: f.unit === '*' ? '*' : f.unit,
            value: v,
            given: true,
          });
    }
  }
  return list;
}

const numberOf = (text) =>
  text !== undefined && text !== '' && Number.isFinite(Number(text)) ? Number(text) : undefined;

/**
 * The numbers of a result, the first one first. Those that a given result lacks, and those that repeat
 * the input, are left out.
 * @returns {Collected[]}
 */
export function collectedResults(tool, result, input) {
  const list = [];
  for (const f of tool.output) {
    if ((result && (result[f.name] ?? null) === null) || (input && f.name in input)) continue;
    const { unit } = withUnit(f, result ?? {});
    if (f.kind === 'quantity') list.push({ name: f.name, label: f.label, unit, collect: f.name });
    else if (f.kind === 'switch') list.push({ name: f.name, label: f.label, collect: f.name });
    else if (f.kind === 'group') {
      for (const g of f.fields.filter((x) => x.kind === 'quantity'))
        list.push({
          name: `${f.name}.${g.name}`,
          label: `${f.label}: ${g.label}`,
          unit: g.unit,
          collect: { name: `${f.name}.${g.name}`, pointer: `/${f.name}/${g.name}` },
        });
    }
  }
  const first = (tool.primary ?? []).find((n) => list.some((c) => c.name === n));
  return [...list.filter((c) => c.name === first), ...list.filter((c) => c.name !== first)];
}
