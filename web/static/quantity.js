// Reads and formats numbers with prefixes and units. Package tools/quantity has the same rules; the
// tests of both use the cases in web/testdata/si.tsv.
import table from './units.js';

const numberPattern =
  /^([+-]?) ?(\d+(?:[ _]\d{3})*)?(?:([.,])(\d*))?(?:[eE]([+-]?\d{1,4}))? ?(.*)$/u;
const infixPattern = /^(R|meg|[fpnuµμmkKMGTVAWFH])(\d+) ?(.*)$/u; // the k7 of 4k7
const maxTextBytes = 60; // in UTF-8

/** @typedef {{mult: number, exp: number}} Scale mult × 10^exp base units */

const unitScale = { mult: 1, exp: 0 };

/** Returns the power of ten of an SI prefix, or undefined. */
function prefixExponent(s) {
  const prefix = s.toLowerCase() === 'meg' ? 'meg' : s;
  return Object.hasOwn(table.prefixes, prefix) ? table.prefixes[prefix] : undefined;
}

/**
 * Returns the power of ten of a prefix in a family, or undefined. Bits and bytes have no
 * thousandths, so that mbps means Mbit/s.
 */
const exponentIn = (family, s) => prefixExponent(s === 'm' && /^b/i.test(family.base) ? 'M' : s);

/** Returns the scale of a unit in a family, or undefined. */
function scaleIn(family, unit) {
  if (family.others && Object.hasOwn(family.others, unit)) {
    const [mult, exp] = family.others[unit];
    return { mult, exp };
  }
  for (const spelling of family.spellings) {
    if (!unit.endsWith(spelling)) continue;
    const head = unit.slice(0, unit.length - spelling.length);
    if (head === '') return unitScale;
    const exp = exponentIn(family, head.trim());
    if (exp !== undefined) return { mult: 1, exp };
  }
  return undefined;
}

/**
 * Returns the family of a unit and the scale of the unit in it, or undefined.
 * @param {string} unit
 */
export function familyOf(unit) {
  for (const family of table.families) {
    const own = scaleIn(family, unit);
    if (own) return { family, own };
  }
  return undefined;
}

/** Returns the units of a family for an error message. */
function unitChoices(family) {
  const others = ['KiB', 'MiB', 'GiB', 'TiB', 'min', 'h', 'd', 'cm', 'mil', 'in', 'ft', 'mi', 'lb'];
  const prefixed = [...family.steps].map((step) => step + family.base);
  const inFamily = others.filter((o) => family.others && o in family.others);
  return [...prefixed, family.base, ...inFamily].join(', ');
}

function prefixHint(unit) {
  const known = familyOf(unit);
  if (known) return ` or 4k7 (${unitChoices(known.family)})`;
  return unit === '*' ? ' or 4k7' : '';
}

/**
 * Returns the scales of the written unit and of the unit of the field.
 * @param {string} written the unit or prefix behind a number
 * @param {string} unit the unit of the field
 * @returns {{from?: Scale, to?: Scale, isTemperature?: boolean, error?: string}}
 */
function scalesOf(written, unit) {
  if (written === '' || written === unit) return { from: unitScale, to: unitScale };
  if (unit === '*') {
    const exp = prefixExponent(written);
    if (exp !== undefined) return { from: { mult: 1, exp }, to: unitScale };
    return {
      error:
        `has "${written}", which is no prefix; ` +
        'write f p n u m k M (or meg) G T, or a bare number',
    };
  }
  if (unit === '°C' && Object.hasOwn(table.temperatures, written)) return { isTemperature: true };
  // fields in K are differences
  if (unit === 'K' && Object.hasOwn(table.temperatures, written))
    return { from: { mult: table.temperatures[written][0], exp: 0 }, to: unitScale };
  const known = familyOf(unit);
  if (!known) {
    const where = unit === '' || unit === '1' ? ' without a unit' : ` in ${unit}`;
    return {
      error: `has "${written}" behind the number, but this field is a plain number${where}`,
    };
  }
  if (written === 'mhz' || written === 'mHZ')
    return { error: 'could be MHz or mHz; write one of them' };
  if (written === 'm' && known.family.base === 's' && known.own.exp >= 0)
    return { error: 'could be ms or min; write one of them' };
  const from = scaleIn(known.family, written);
  if (from) return { from, to: known.own };
  const exp = exponentIn(known.family, written);
  const isUnit = /^([ms]M|Hzm)$/.test(known.family.base + written); // miles, the metres of a band
  if (exp !== undefined && !isUnit) {
    const mult = unit.endsWith('iB') ? 1.024 ** (exp / 3) : 1; // 64K for a field in KiB
    return { from: { mult, exp }, to: known.own };
  }
  return {
    error: `has "${written}", which is no unit of this field; write ${unitChoices(known.family)}`,
  };
}

/** Converts a temperature between units of the table. */
function convertTemperature(v, from, to) {
  const [fromFactor, fromOffset] = table.temperatures[from];
  const [toFactor, toOffset] = table.temperatures[to];
  return Number((((v + fromOffset) * fromFactor) / toFactor - toOffset).toFixed(12));
}

/**
 * Reads a number in the unit of a field.
 * @param {string} text
 * @param {string} unit "" or "1" for a plain number, "*" for a number that accepts prefixes
 * @returns {{value?: number, error?: string}}
 */
export function readQuantity(text, unit) {
  const s = text
    .replace(/[\u00a0\u2009\u202f\t]/g, ' ')
    .replace(/\u2212/g, '-')
    .trim();
  const m = numberPattern.exec(s);
  if (!m || new TextEncoder().encode(s).length > maxTextBytes || (!m[2] && !m[4])) {
    return { error: `is not a number; write digits, such as 4700, 4.7e3${prefixHint(unit)}` };
  }
  const [, sign, grouped = '', point = '', , exponent = '', tail] = m;
  let decimals = m[4] ?? '';
  let written = tail.trim();
  const whole = grouped.replace(/[ _]/g, '');
  if (/^[,.]/.test(written)) return { error: 'has two separators; write none between thousands' };
  if (point === ',' && decimals.length === 3 && /[1-9]/.test(whole)) {
    const decimal = Number(`${sign}${whole}.${decimals}`);
    return { error: `could be ${sign}${whole}${decimals} or ${decimal}; write one of them` };
  }
  const infix = infixPattern.exec(written);
  if (infix && point === '' && exponent === '') {
    const [, letter, digits, unitAfter] = infix;
    decimals = digits;
    written = letter === 'R' ? unitAfter || (unit === '*' ? '' : 'Ω') : letter + unitAfter;
    if (letter === 'R' && unit !== '*' && familyOf(unit)?.family.base !== 'Ω')
      return { error: 'has "R", which is ohms' };
  }
  const { from, to, isTemperature, error } = scalesOf(written, unit);
  if (error) return { error };
  const numberAt = (exp) => Number(`${sign}${whole || '0'}.${decimals || '0'}e${exp}`);
  const exp = Number(exponent || 0);
  if (isTemperature) return { value: convertTemperature(numberAt(exp), written, unit) };
  const number = numberAt(exp + from.exp - to.exp);
  // 15 digits hide the rounding of a binary product: 25 mil is 0.635 mm.
  const value =
    from.mult === to.mult ? number : Number(((number * from.mult) / to.mult).toPrecision(15));
  return Number.isFinite(value) ? { value } : { error: 'is too large' };
}

/** Returns base × 10^-exp, rounded to the digits that are shown. */
const scaleDown = (base, exp) => Number((base * 10 ** -exp).toExponential(5));

const significantDigits = (s) => s.replace(/^-/, '').replace('.', '').replace(/^0+/, '').length;

function trimZeros(s, minDigits) {
  while (s.includes('.') && s.endsWith('0') && significantDigits(s) > minDigits) s = s.slice(0, -1);
  return s.endsWith('.') ? s.slice(0, -1) : s;
}

/** Separates thousands by narrow spaces, in numbers of five digits or more. */
function groupDigits(s) {
  const [whole, decimals] = s.replace(/^-/, '').split('.');
  const grouped = whole.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, '\u202f') : whole;
  return (s.startsWith('-') ? '-' : '') + grouped + (decimals === undefined ? '' : `.${decimals}`);
}

/** Returns a number with 3 to 6 significant digits, integers in full, money with two decimals. */
export function formatNumber(v, unit = '') {
  const size = Math.abs(v);
  if (v === 0) return '0';
  if (unit === 'currency' && size < 1e13) return groupDigits(v.toFixed(2));
  if (Number.isInteger(v) && size < 1e12) return groupDigits(v.toFixed(0));
  const [mantissa, exponent] = v.toExponential(5).split('e');
  if (size >= 1e9 || size < 1e-4) return `${trimZeros(mantissa, 3)}e${Number(exponent)}`;
  return groupDigits(trimZeros(v.toFixed(Math.max(0, 5 - Number(exponent))), 3));
}

const genericUnits = new Set(['currency', 'length', 'length²', 'fuel']); // the user selects them

/**
 * Returns a unit as it is shown beside a number: "" for a plain number or a generic unit, and
 * "per kWh" for currency/kWh.
 */
export function unitText(unit = '') {
  if (unit === '1' || unit === '*' || genericUnits.has(unit)) return '';
  const slash = unit.indexOf('/');
  if (!genericUnits.has(unit.slice(0, slash))) return unit;
  const denominator = unit.slice(slash + 1);
  return genericUnits.has(denominator) ? '' : `per ${denominator.replace(/^\(|\)$/g, '')}`;
}

/**
 * Returns a field with its unit for these values. The value of another field may determine it.
 * @param {object} f
 * @param {object} values by field name
 */
export function resolveUnit(f, values) {
  if (!f.unitFrom) return f;
  const { field, units = {}, self } = f.unitFrom;
  const value = String(values[field] ?? '');
  const ownUnit = self ? value : '';
  return { ...f, unit: Object.hasOwn(units, value) ? units[value] : ownUnit, asked: true };
}

/** Returns a form field with the unit that is selected beside it. */
export const resolvePickedUnit = (f, values) =>
  f.unitFrom && values[f.unitFrom.field] ? resolveUnit(f, values) : f;

/**
 * Returns the number and the unit of a field's value. A value whose unit was requested keeps it.
 * @returns {{number: string, unit: string}}
 */
export function fieldParts(f, v) {
  if (typeof v === 'string')
    return { number: v, unit: f.kind === 'literal' && !/\p{L}/u.test(v) ? unitText(f.unit) : '' };
  if (f.instant || (f.inUnit && f.whole && Number.isSafeInteger(v)))
    return { number: groupDigits(String(v)), unit: unitText(f.unit) };
  return f.asked || f.inUnit
    ? { number: formatNumber(v, f.unit), unit: unitText(f.unit) }
    : formatParts(v, f.unit ?? '');
}

const resultDigits = 4; // significant digits of a physical quantity in a result

/**
 * Reports whether results have six digits or more: conversions, instants, plain numbers that are
 * not ratios, and radio frequencies such as 869.525 MHz.
 */
const isPrecise = (f) =>
  f.asked ||
  f.instant ||
  (unitText(f.unit) === '' && !/(^|_)(ratio|factor)$/.test(f.name ?? '')) ||
  /^[kMG]Hz$/.test(f.unit);

/**
 * Rounds a number of a result to four significant digits, unless its field is precise. It keeps the
 * digits before the point.
 * @param {object} f
 * @param {string} number as formatNumber returns it
 */
export function limitDigits(f, number) {
  const m = /^(-?[\d\u202f]+)\.(\d+)(e-?\d+)?$/.exec(number);
  if (!m || isPrecise(f) || significantDigits(m[1] + m[2]) <= resultDigits) return number;
  const v = Number(`${m[1].replaceAll('\u202f', '')}.${m[2]}`);
  const exponent = Math.floor(Math.log10(Math.abs(v)) + 1e-12);
  const decimals = Math.max(0, resultDigits - 1 - exponent);
  return groupDigits(trimZeros(v.toFixed(decimals), 3)) + (m[3] ?? '');
}

/**
 * Returns a number as text for a field, a link or a script. It is the shortest decimal within 1e-12
 * of the number, so that 0.1 + 0.2 becomes 0.3. Integers keep all digits.
 */
export function shortestDecimal(v) {
  if (typeof v !== 'number' || Number.isSafeInteger(v)) return String(v);
  for (let digits = 1; digits < 17; digits++) {
    const short = Number(v.toPrecision(digits));
    if (Math.abs(short - v) <= 1e-12 * Math.abs(v)) return String(short);
  }
  return String(v);
}

/**
 * Returns the number and the unit to show for a value, with a suitable prefix.
 * @returns {{number: string, unit: string}}
 */
export function formatParts(v, unit) {
  if (unit === '1' || unit === '*') unit = '';
  const known = familyOf(unit);
  const size = Math.abs(v);
  if (
    !known ||
    v === 0 ||
    known.own.mult !== 1 ||
    unit === 'cm' ||
    (known.family.keep && size >= 0.01 && size < 1e5)
  ) {
    return { number: formatNumber(v, unit), unit: unitText(unit) };
  }
  const { family, own } = known;
  const { prefix, exp } = bestPrefix(family, size * 10 ** own.exp);
  return { number: formatNumber(v * 10 ** (own.exp - exp)), unit: prefix + family.base };
}

/** Returns the largest prefix whose number is at least 1, or else the smallest prefix. */
function bestPrefix(family, base) {
  let best = { prefix: '', exp: 0 };
  let smallest = best;
  for (const prefix of family.steps) {
    const exp = table.prefixes[prefix];
    if (exp < smallest.exp) smallest = { prefix, exp };
    if (scaleDown(base, exp) >= 1 && (exp > best.exp || scaleDown(base, best.exp) < 1))
      best = { prefix, exp };
  }
  return scaleDown(base, best.exp) < 1 ? smallest : best;
}

/**
 * Returns the unit with the prefix for numbers up to size, and the factor to convert to it: ms and
 * 1000 for 0.004 s.
 */
export function scaledUnit(size, unit) {
  const { unit: shown } = formatParts(size, unit);
  const [from, to] = [familyOf(unit), familyOf(shown)];
  if (!from || !to || shown === unit) return { unit: unitText(unit), factor: 1 };
  return { unit: shown, factor: 10 ** (from.own.exp - to.own.exp) };
}

/** Returns the space between a number and its unit, "" before the degree sign of an angle. */
export const unitSeparator = (unit, space = ' ') => (unit === '°' ? '' : space);

/** Joins a number and its unit. */
export const joinParts = ({ number, unit }, space) =>
  unit ? number + unitSeparator(unit, space) + unit : number;

/** Formats a value with its unit and a suitable prefix: 0.004 s becomes "4 ms". */
export const formatQuantity = (v, unit) => joinParts(formatParts(v, unit));

/** Returns the text of a choice from the options of its field. */
export const choiceText = (f, v) =>
  f.options?.find((o) => (o.value || f.default) === v)?.text ?? v.replaceAll('_', ' ');
