// Reads and writes numbers with prefixes and units. Package tools/quantity has the same rules; both
// run the table of cases web/testdata/si.tsv.
import table from './units.js';

const written = /^([+-]?) ?(\d+(?:[ _]\d{3})*)?(?:([.,])(\d*))?(?:[eE]([+-]?\d{1,4}))? ?(.*)$/u;
const middle = /^(R|meg|[fpnuµμmkKMGTVAWFH])(\d+) ?(.*)$/u;

function prefix(s) {
  if (s.toLowerCase() === 'meg') s = 'meg';
  return Object.hasOwn(table.prefixes, s) ? table.prefixes[s] : undefined;
}

/** A unit's scale in a family, or undefined. */
function within(family, unit) {
  if (family.others && Object.hasOwn(family.others, unit)) {
    const [mult, exp] = family.others[unit];
    return { mult, exp };
  }
  for (const spelling of family.spellings) {
    if (!unit.endsWith(spelling)) continue;
    const head = unit.slice(0, unit.length - spelling.length);
    if (head === '') return { mult: 1, exp: 0 };
    const exp = prefix(head.trim());
    if (exp !== undefined) return { mult: 1, exp };
  }
  return undefined;
}

/** The family a unit belongs to, with the unit's scale in it. */
export function familyOf(unit) {
  for (const family of table.families) {
    const own = within(family, unit);
    if (own) return { family, own };
  }
  return undefined;
}

function offers(family) {
  const others = ['KiB', 'MiB', 'GiB', 'TiB', 'min', 'h', 'd', 'cm', 'mil', 'in', 'ft', 'lb'];
  return [...family.steps]
    .map((s) => s + family.base)
    .concat(
      family.base,
      others.filter((o) => family.others && o in family.others),
    )
    .join(', ');
}

function hint(unit) {
  const known = familyOf(unit);
  if (known) return ` or 4k7 (${offers(known.family)})`;
  return unit === '*' ? ' or 4k7' : '';
}

/** Where the written unit and the field's unit stand, { error } otherwise. */
function scales(given, unit) {
  const one = { mult: 1, exp: 0 };
  if (given === '' || given === unit) return { from: one, to: one };
  if (unit === '*') {
    const exp = prefix(given);
    if (exp !== undefined) return { from: { mult: 1, exp }, to: one };
    return {
      error: `has "${given}", which is no prefix; write f p n u m k M (or meg) G T, or a bare number`,
    };
  }
  if (unit === '°C' && Object.hasOwn(table.temperatures, given)) {
    return given === 'C' ? { from: one, to: one } : { temperature: true };
  }
  const known = familyOf(unit);
  if (!known) {
    const where = unit === '' || unit === '1' ? ' without a unit' : ` in ${unit}`;
    return { error: `has "${given}" behind the number, but this field is a plain number${where}` };
  }
  if (given === 'mhz' || given === 'mHZ')
    return { error: 'could be MHz or mHz; write one of them' };
  const from = within(known.family, given);
  if (from) return { from, to: known.own };
  const exp = prefix(given);
  if (exp !== undefined) return { from: { mult: 1, exp }, to: known.own };
  return { error: `has "${given}", which is no unit of this field; write ${offers(known.family)}` };
}

/**
 * Reads a number for a field in the unit given: { value } or { error }.
 * @param {string} text @param {string} unit "" or "1" for a plain number, "*" for one that takes prefixes
 * @returns {{value?: number, error?: string}}
 */
export function readQuantity(text, unit) {
  const s = text
    .replace(/[\u00a0\u2009\u202f\t]/g, ' ')
    .replace(/\u2212/g, '-')
    .trim();
  const m = written.exec(s);
  if (!m || new TextEncoder().encode(s).length > 60 || (!m[2] && !m[4])) {
    return { error: `is not a number; write digits, such as 4700, 4.7e3${hint(unit)}` };
  }
  const [, sign, grouped = '', point = '', , exponent = '', tail] = m;
  let decimals = m[4] ?? '';
  let rest = tail.trim();
  const whole = grouped.replace(/[ _]/g, '');
  if (/^[,.]/.test(rest) || (point === ',' && decimals.length === 3 && /[1-9]/.test(whole))) {
    return {
      error: 'could mean two numbers; write 1500 or 1.5, without a comma between thousands',
    };
  }
  const exp = Number(exponent || 0);
  const r = middle.exec(rest);
  if (r && point === '' && exponent === '') {
    decimals = r[2];
    rest = r[1] === 'R' ? r[3] : r[1] + r[3];
  }
  const s2 = scales(rest, unit);
  if (s2.error) return { error: s2.error };
  if (s2.temperature) {
    const v = Number(`${sign}${whole || '0'}.${decimals || '0'}e${exp}`);
    const [a, b] = [table.temperatures[rest], table.temperatures[unit]];
    return { value: Number((((v + a[1]) * a[0]) / b[0] - b[1]).toFixed(12)) };
  }
  const number = Number(
    `${sign}${whole || '0'}.${decimals || '0'}e${exp + s2.from.exp - s2.to.exp}`,
  );
  // 15 digits hide the rounding of a binary product: 25 mil is 0.635 mm.
  const value =
    s2.from.mult === s2.to.mult
      ? number
      : Number(((number * s2.from.mult) / s2.to.mult).toPrecision(15));
  return Number.isFinite(value) ? { value } : { error: 'is too large' };
}

const rounded = (base, exp) => Number((base * 10 ** -exp).toExponential(5));

function significantDigits(s) {
  return s.replace(/^-/, '').replace('.', '').replace(/^0+/, '').length;
}

function trimZeros(s, significant) {
  while (s.includes('.') && s.endsWith('0') && significantDigits(s) > significant)
    s = s.slice(0, -1);
  return s.endsWith('.') ? s.slice(0, -1) : s;
}

function group(s) {
  const [whole, decimals] = s.replace(/^-/, '').split('.');
  const grouped = whole.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, '\u202f') : whole;
  return (s.startsWith('-') ? '-' : '') + grouped + (decimals === undefined ? '' : `.${decimals}`);
}

/** A number with three to six significant digits; whole numbers in full, money with two decimals. */
export function showNumber(v, unit = '') {
  const size = Math.abs(v);
  if (v === 0) return '0';
  if (unit === 'currency' && size < 1e13) return group(v.toFixed(2));
  if (Number.isInteger(v) && size < 1e12) return group(v.toFixed(0));
  const [mantissa, exponent] = v.toExponential(5).split('e');
  if (size >= 1e9 || size < 1e-4) return `${trimZeros(mantissa, 3)}e${Number(exponent)}`;
  return group(trimZeros(v.toFixed(Math.max(0, 5 - Number(exponent))), 3));
}

const generic = new Set(['currency', 'length', 'length²', 'fuel']); // units that the user selects

/** A unit as it stands beside a number: nothing for a plain number or a generic unit, "per kWh" for a price. */
export function unitText(unit = '') {
  if (unit === '1' || unit === '*' || generic.has(unit)) return '';
  const [head, per] = [unit.slice(0, unit.indexOf('/')), unit.slice(unit.indexOf('/') + 1)];
  if (!generic.has(head)) return unit;
  return generic.has(per) ? '' : `per ${per.replace(/^\(|\)$/g, '')}`;
}

/** A field with the unit that its number has in these values, where another field decides it. */
export function withUnit(f, values) {
  if (!f.unitFrom) return f;
  const { field, units = {}, self } = f.unitFrom;
  const value = String(values[field] ?? '');
  return {
    ...f,
    unit: Object.hasOwn(units, value) ? units[value] : self ? value : '',
    asked: true,
  };
}

/** A field of a form with the unit that is picked for it. */
export const withPicked = (f, values) =>
  f.unitFrom && values[f.unitFrom.field] ? withUnit(f, values) : f;

/** The number and the unit of a field's value; one that was asked for in a unit stays in it. */
export function partsOf(f, v) {
  if (typeof v === 'string')
    return { number: v, unit: f.kind === 'literal' && !/\p{L}/u.test(v) ? unitText(f.unit) : '' };
  if (f.inUnit && f.whole && Number.isSafeInteger(v))
    return { number: group(String(v)), unit: unitText(f.unit) };
  return f.asked || f.inUnit
    ? { number: showNumber(v, f.unit), unit: unitText(f.unit) }
    : showParts(v, f.unit ?? '');
}

const digitsShown = 4; // significant digits of a physical quantity in a result

/** Whether results show up to six digits: plain numbers but no ratios, conversions, and radio frequencies such as 869.525 MHz. */
const isPrecise = (f) =>
  f.asked ||
  (unitText(f.unit) === '' && !/(^|_)(ratio|factor)$/.test(f.name ?? '')) ||
  /^[kMG]Hz$/.test(f.unit);

/** A number of a result with at most four significant digits, or the six of show; digits before the point are kept. */
export function brief(f, number) {
  const m = /^(-?[\d\u202f]+)\.(\d+)(e-?\d+)?$/.exec(number);
  if (!m || isPrecise(f) || significantDigits(m[1] + m[2]) <= digitsShown) return number;
  const v = Number(`${m[1].replaceAll('\u202f', '')}.${m[2]}`);
  const exponent = Math.floor(Math.log10(Math.abs(v)) + 1e-12);
  return group(trimZeros(v.toFixed(Math.max(0, digitsShown - 1 - exponent)), 3)) + (m[3] ?? '');
}

/**
 * A number for a field, a link or a script: the shortest decimal within 1e-12 of it, so that
 * 0.1 + 0.2 is carried as 0.3. Whole numbers keep all their digits.
 */
export function carried(v) {
  if (typeof v !== 'number' || Number.isSafeInteger(v)) return String(v);
  for (let digits = 1; digits < 17; digits++) {
    const short = Number(v.toPrecision(digits));
    if (Math.abs(short - v) <= 1e-12 * Math.abs(v)) return String(short);
  }
  return String(v);
}

/** The number and the unit to show for a value in the unit given. */
export function showParts(v, unit) {
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
    return { number: showNumber(v, unit), unit: unitText(unit) };
  }
  const { family, own } = known;
  const base = size * 10 ** own.exp;
  let [best, bestExp, smallest, smallestExp] = ['', 0, '', 0];
  for (const step of family.steps) {
    const e = table.prefixes[step];
    if (e < smallestExp) [smallest, smallestExp] = [step, e];
    if (rounded(base, e) >= 1 && (e > bestExp || rounded(base, bestExp) < 1))
      [best, bestExp] = [step, e];
  }
  if (rounded(base, bestExp) < 1) [best, bestExp] = [smallest, smallestExp];
  return { number: showNumber(v * 10 ** (own.exp - bestExp)), unit: best + family.base };
}

/** The unit with the prefix for numbers up to size, and the factor from the unit given to it: ms and 1000 for 0.004 s. */
export function scaledUnit(size, unit) {
  const { unit: shown } = showParts(size, unit);
  const [from, to] = [familyOf(unit), familyOf(shown)];
  if (!from || !to || shown === unit) return { unit: unitText(unit), factor: 1 };
  return { unit: shown, factor: 10 ** (from.own.exp - to.own.exp) };
}

/** What separates a number from its unit: nothing before the degree sign of an angle. */
export const gap = (unit, space = ' ') => (unit === '°' ? '' : space);

/** A number with its unit behind it. */
export const joined = ({ number, unit }, space) =>
  unit ? number + gap(unit, space) + unit : number;

/** A value with its unit, for people. */
export const show = (v, unit) => joined(showParts(v, unit));

/** The text of a choice, as the options of its field have it. */
export const choiceText = (f, v) =>
  f.options?.find((o) => (o.value || f.default) === v)?.text ?? v.replaceAll('_', ' ');
