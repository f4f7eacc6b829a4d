// Selection and texts of results: which values a result shows, and how they are written.
import {
  limitDigits,
  choiceText,
  familyOf,
  joinParts,
  fieldParts,
  formatQuantity,
  resolveUnit,
} from './quantity.js';

/** Reports whether a result lacks a value. */
export const isEmpty = (v) => v === null || v === undefined || v === '';

/** Returns the text of a value of a field. */
export function formatResult(f, v) {
  if (typeof v === 'number') return formatQuantity(v, f.unit ?? '');
  if (typeof v === 'boolean') return v ? 'yes' : 'no';
  if (Array.isArray(v)) return v.map((x) => formatResult(f, x)).join(', ');
  if (isEmpty(v)) return '–';
  if (f.kind === 'choice') return choiceText(f, v);
  return typeof v === 'object' ? JSON.stringify(v) : String(v);
}

/** Rounds the number of a text with a unit to the digits of a result. */
export const limitDigitsOfText = (f, text) =>
  text.replace(/^[^\s°]+/, (number) => limitDigits(f, number));

/** Returns the text of a value that may be a list or an object. */
export function formatCell(f, v) {
  if (f.kind === 'rows' && v)
    return v.map((row) => formatCell({ ...f, kind: 'group' }, row)).join('; ');
  if (f.kind === 'group' && v)
    return f.fields
      .filter((x) => !isEmpty(v[x.name]))
      .map((x) => limitDigitsOfText(x, formatResult(x, v[x.name])))
      .join(', ');
  if (f.kind === 'pairs' && v)
    return Object.entries(v)
      .map(([name, x]) => `${name} ${typeof x === 'number' ? formatQuantity(x, '') : x}`)
      .join(', ');
  return formatResult(f, v);
}

/**
 * Replaces field names in a text of the API by their labels, and values of choices by their texts.
 * web/label.go has the same rule.
 */
export function replaceNames(tool, text) {
  const fields = [...tool.input, ...(tool.output ?? [])].flatMap((f) => [f, ...(f.fields ?? [])]);
  const condition = (all, name, value) => {
    const f = tool.input.find((x) => x.name === name && x.options?.some((o) => o.value === value));
    return f ? `with “${f.label}: ${choiceText(f, value)}”` : all;
  };
  const pageName = (name) => {
    const f = fields.find((x) => x.name === name);
    if (f) return `“${f.label}”`;
    const choice = fields.find((x) => x.options?.some((o) => (o.value || x.default) === name));
    return choice ? choiceText(choice, name) : name;
  };
  return text
    .replace(/\bwith ([a-z]\w*) ([a-z]\w*)\b/g, condition)
    .replace(/\b[a-z][a-z0-9]*(_[a-z0-9]+)+\b/g, pageName);
}

/** Removes the last word of a field name, which is its unit: width of width_mm. */
export const stem = (name) => name.replace(/_[^_]+$/, '');

/** Returns the value of a field in the base unit of its family, or undefined without a family. */
function inBaseUnit(v, unit = '') {
  const known = familyOf(unit);
  if (!known) return undefined;
  return { unit: known.family.base, value: v * known.own.mult * 10 ** known.own.exp };
}

/**
 * Returns the lists of fields that contain one quantity in several units, such as width_mm and
 * width_mil.
 */
export function unitVariants(fields, result) {
  const groups = new Map();
  for (const f of fields) {
    const v = result[f.name];
    if (f.kind !== 'quantity' || f.unitFrom || typeof v !== 'number') continue;
    const base = inBaseUnit(v, f.unit);
    if (!base) continue;
    const key = `${stem(f.name)} ${base.unit}`;
    const group = groups.get(key) ?? { value: base.value, fields: [] };
    const isOtherValue = Math.abs(base.value - group.value) > 1e-9 * Math.abs(base.value);
    if (isOtherValue || group.fields.some((g) => g.unit === f.unit)) continue;
    groups.set(key, group);
    group.fields.push(f);
  }
  return [...groups.values()].map((g) => g.fields).filter((list) => list.length > 1);
}

/**
 * Returns the names of the results that contain an input. The input may be in another unit. The
 * primary results of a tool may contain an input under another name.
 */
function inputsInResult(tool, result, input) {
  const inputs = tool.input
    .filter((f) => typeof input[f.name] === 'number')
    .map((f) => ({ stem: stem(f.name), ...inBaseUnit(input[f.name], f.unit) }));
  const isInputValue = (f, v) =>
    String(v) === String(input.value) ||
    tool.input.some(
      (g) => input[g.name] === v && (typeof v === 'string' || (g.unit ?? '') === (f.unit ?? '')),
    );
  const isInputQuantity = (f, v) => {
    const base = typeof v === 'number' && inBaseUnit(v, f.unit);
    if (!base) return false;
    const isEqual = (value) => Math.abs(value - base.value) <= 1e-12 * Math.abs(base.value);
    return inputs.some((g) => g.stem === stem(f.name) && g.unit === base.unit && isEqual(g.value));
  };
  const isInput = (f) => {
    const v = result[f.name];
    if (f.name in input) return true;
    if (tool.primary?.includes(f.name) && !isEmpty(v) && isInputValue(f, v)) return true;
    return isInputQuantity(f, v);
  };
  return new Set(tool.output.filter(isInput).map((f) => f.name));
}

/**
 * Returns the name of the field that is shown large: the first primary result of the tool, or else
 * its first number. Results that contain an input come last.
 * @param {Set<string>} inputNames see inputsInResult
 */
function primaryName(tool, result, inputNames) {
  const hasValue = (name) =>
    !isEmpty(result[name]) && !(Array.isArray(result[name]) && result[name].length === 0);
  const primary = (tool.primary ?? []).filter(hasValue);
  const numbers = tool.output
    .filter((f) => f.kind === 'quantity' && hasValue(f.name))
    .map((f) => f.name);
  return [...primary, ...numbers].find((name) => !inputNames.has(name)) ?? primary[0] ?? numbers[0];
}

/**
 * Reports whether a result only repeats an input or the default of an input. show in web/result.go
 * has the same rule.
 */
export function repeatsInput(tool, f, result, input) {
  const v = result[f.name];
  if (f.name in input) return input[f.name] === v;
  const isDefault = v !== null && String(v) === tool.input.find((x) => x.name === f.name)?.default;
  if (isDefault || typeof v !== 'string') return isDefault;
  return tool.input.some(
    (x) => f.name.startsWith(`${x.name}_`) && (input[x.name] ?? x.default) === v,
  );
}

const isScalar = (f) => !['group', 'rows', 'grid', 'numbers', 'words', 'pairs'].includes(f.kind);

/**
 * Returns the fields that are shown, without results that repeat an input: the primary field, then
 * single values, then lists and groups.
 * @returns {{primary: string, fields: object[]}}
 */
export function selectFields(tool, result, input) {
  const primary = primaryName(tool, result, inputsInResult(tool, result, input));
  const isPrimary = (f) => f.name === primary;
  const shown = tool.output.filter(
    (f) => !isEmpty(result[f.name]) && (isPrimary(f) || !repeatsInput(tool, f, result, input)),
  );
  const rank = (f) => {
    if (isPrimary(f)) return 0;
    return isScalar(f) ? 1 : 2;
  };
  return { primary, fields: shown.sort((a, b) => rank(a) - rank(b)) };
}

/** Reports whether the condition of a conclusion is true for a result. */
function holds(condition, result) {
  const v = result[condition.if];
  if (!condition.if) return true;
  if (condition.unlike) return !isEmpty(v) && v !== result[condition.unlike];
  if (condition.is) return String(v) === condition.is;
  return (
    typeof v === 'number' && v >= (condition.min ?? -Infinity) && v < (condition.below ?? Infinity)
  );
}

/**
 * Returns the first conclusion of a tool that applies to a result, or undefined. web/conclusions.go
 * has the same rule.
 * @returns {{text: string, tone: string}|undefined}
 */
export function findConclusion(tool, result) {
  // The path solutions.0.q is the field q of the first of the solutions.
  const at = (path) =>
    path
      .split('.')
      .reduce(
        ([f, v], key) => [f.fields.find((x) => x.name === key) ?? f, v?.[key]],
        [{ fields: tool.output }, result],
      );
  const format = (name) => {
    const [output, v] = at(name);
    const f = resolveUnit(output, result);
    if (f.kind === 'group') return formatCell(f, v);
    if (typeof v !== 'number') return joinParts(fieldParts(f, formatResult(f, v)), '\u00a0');
    const { number, unit } = fieldParts(f, v);
    return joinParts({ number: limitDigits(f, number), unit }, '\u00a0');
  };
  for (const c of tool.conclusions ?? []) {
    const names = [...c.text.matchAll(/\{([\w.]+)\}/g)].map((m) => m[1]);
    if (!holds(c, result) || names.some((name) => isEmpty(at(name)[1]))) continue;
    return {
      tone: c.tone ?? '',
      text: c.text.replace(/\{([\w.]+)\}/g, (all, name) => format(name)),
    };
  }
  return undefined;
}
