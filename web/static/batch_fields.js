// Lists the fields that a batch of a tool can vary, and the results that it can collect.
import { resolvePickedUnit, resolveUnit } from './quantity.js';

/**
 * @typedef {object} VariedField
 * @property {string} field JSON pointer
 * @property {string} label
 * @property {string} [unit]
 * @property {boolean} [whole] takes whole numbers only
 * @property {number} [value] in the input, by default, or of the example
 * @property {Array} [options] values of a field that is not a number
 * @property {boolean} [given] the input has the value
 *
 * @typedef {object} CollectedResult
 * @property {string} name
 * @property {string} label
 * @property {string} [unit]
 * @property {boolean} [instant] see Field in web/view.go
 * @property {string|object} collect entry of the request
 */

/** Escapes a name for a JSON pointer (RFC 6901). */
const escapePointer = (name) => String(name).replaceAll('~', '~0').replaceAll('/', '~1');

const toNumber = (text) =>
  text !== undefined && text !== '' && Number.isFinite(Number(text)) ? Number(text) : undefined;

/** Returns the entry of a quantity. */
function variedQuantity(f, pointer, label, input) {
  const value = input?.[f.name];
  const isGiven = typeof value === 'number';
  return {
    field: pointer,
    label,
    unit: resolvePickedUnit(f, input ?? {}).unit,
    whole: f.whole,
    value: isGiven ? value : (toNumber(f.default) ?? toNumber(f.example)),
    given: isGiven,
  };
}

/** Returns the entry of a choice or a switch in a list; none for a picker of units. */
function variedChoice(f, pointer, label, fields) {
  const options = f.options
    .map((o) => o.value || f.default)
    .filter(Boolean)
    .map((value) => (f.kind === 'switch' ? value === 'true' : value));
  const isUnitPicker = fields.some((x) => x.unitFrom?.field === f.name);
  return options.length > 1 && !isUnitPicker ? [{ field: pointer, label, options }] : [];
}

/** Returns the entries of a field. */
function entriesOf(f, pointer, label, input, fields) {
  const value = input?.[f.name];
  switch (f.kind) {
    case 'quantity':
      return [variedQuantity(f, pointer, label, input)];
    case 'choice':
    case 'switch':
      return variedChoice(f, pointer, label, fields);
    case 'numbers':
      if (!Array.isArray(value)) return [];
      return value.map((v, i) => ({
        field: `${pointer}/${i}`,
        label: `${label} ${i + 1}`,
        unit: f.unit,
        value: v,
        given: true,
      }));
    case 'rows':
      if (!Array.isArray(value)) return [];
      return value.flatMap((row, i) =>
        variedFields(f.fields, row, `${pointer}/${i}`, `${label} ${i + 1}: `),
      );
    case 'group':
      return value ? variedFields(f.fields, value, pointer, `${label}: `) : [];
    case 'pairs':
      return Object.entries(value ?? {})
        .filter(([, v]) => typeof v === 'number')
        .map(([name, v]) => ({
          field: `${pointer}/${escapePointer(name)}`,
          label: name,
          unit: f.unit,
          value: v,
          given: true,
        }));
    default:
      return [];
  }
}

/**
 * Returns the fields of an input that a batch can vary.
 * @param {object[]} fields of the tool, or of a part of its input
 * @param {object} input
 * @param {string} [path] JSON pointer of the part
 * @param {string} [prefix] of the labels
 * @returns {VariedField[]}
 */
export function variedFields(fields, input, path = '', prefix = '') {
  return fields
    .filter((f) => !f.alias)
    .flatMap((f) =>
      entriesOf(f, `${path}/${escapePointer(f.name)}`, prefix + f.label, input, fields),
    );
}

/**
 * Returns the results of a tool that a batch can collect, the primary one first. Leaves out results
 * that repeat the input.
 * @param {object} tool
 * @param {object} [result] leaves out results that it lacks
 * @param {object} [input]
 * @returns {CollectedResult[]}
 */
export function collectedResults(tool, result, input) {
  const list = [];
  for (const f of tool.output) {
    if ((result && (result[f.name] ?? null) === null) || (input && f.name in input)) continue;
    const { name, label, instant } = f;
    if (f.kind === 'quantity')
      list.push({ name, label, instant, unit: resolveUnit(f, result ?? {}).unit, collect: name });
    else if (f.kind === 'switch') list.push({ name, label, collect: name });
    else if (f.kind === 'group')
      for (const g of f.fields.filter((x) => x.kind === 'quantity')) {
        const groupName = `${name}.${g.name}`;
        list.push({
          name: groupName,
          label: `${label}: ${g.label}`,
          unit: g.unit,
          collect: { name: groupName, pointer: `/${name}/${g.name}` },
        });
      }
  }
  const primary = (tool.primary ?? []).find((n) => list.some((c) => c.name === n));
  return [...list.filter((c) => c.name === primary), ...list.filter((c) => c.name !== primary)];
}
