// The state of the batch panel, and the request that it describes.
import { shortestDecimal, readQuantity, formatQuantity } from './quantity.js';

/**
 * The state of the panel. Links contain it as JSON, so its names do not change.
 * @typedef {object} BatchState
 * @property {string} mode a key of modes
 * @property {Variation[]} vary
 * @property {{name: string, min: string, max: string}[]} collect results with their limits
 * @property {string} n number of runs
 * @property {string} seed
 * @property {string} target of a goal seek
 *
 * The texts of a varied field, for all modes.
 * @typedef {{field: string, from: string, to: string, points?: string, scale: string, spread:
 *   string}} Variation with a text for each parameter of spreads; scale is lin or log
 *
 * The page of the panel.
 * @typedef {object} BatchSource
 * @property {string} tool
 * @property {string} title
 * @property {() => import('./batch_fields.js').VariedField[]} fields
 * @property {() => import('./batch_fields.js').CollectedResult[]} results
 * @property {() => object|undefined} input the request of the page, undefined if it is invalid
 * @property {() => URLSearchParams} query values of the page's form
 * @property {string} path of the page
 * @property {boolean} [hashed] links have the values of the page in the hash
 * @property {boolean} [heavy] the tool is queued
 * @property {(fields: object[], values: object) => void} [use] fills values of a run into the page
 * @property {Function} [overlay] draws curves of the runs
 */

export const modes = {
  sweep: {
    label: 'Sweep',
    hint: 'Computes every combination of the values.',
    apiName: 'grid',
    maxVaried: 3,
  },
  random: {
    label: 'Monte Carlo',
    hint: 'Draws values within their tolerances: statistics, yield, and the tolerance that matters.',
    apiName: 'lhs', // Latin hypercube sampling
    maxVaried: 8,
  },
  solve: {
    label: 'Goal seek',
    hint: 'Finds every value in the range at which a result meets the target.',
    apiName: 'solve',
    maxVaried: 1,
  },
  minimize: {
    label: 'Minimize',
    hint: 'Searches the ranges for the least value of the first result; limits are constraints.',
    apiName: 'minimize',
    maxVaried: 6,
  },
  maximize: {
    label: 'Maximize',
    hint: 'Searches the ranges for the largest value of the first result; limits are constraints.',
    apiName: 'maximize',
    maxVaried: 6,
  },
};

/** Reports whether a mode searches for the best run. */
export const isSearch = (mode) => mode === 'minimize' || mode === 'maximize';

const hasRuns = (mode) => mode === 'random' || isSearch(mode);

/**
 * Returns a spread that has the name of its distribution.
 * @param {string} distribution
 * @param {Object<string, string>} labels of the parameters by key
 * @param {string[]} [relativeKeys] of the parameters without a unit
 */
const spreadOf = (distribution, labels, relativeKeys = []) => ({
  label: distribution,
  distribution,
  parameters: Object.entries(labels).map(([key, label]) => ({
    key,
    label,
    isRelative: relativeKeys.includes(key),
  })),
});

const tolerance = { key: 'tolerance_pct', label: 'Tolerance', isRelative: true };

/** The distributions of a varied field. A relative parameter has no unit. */
export const spreads = {
  tolerance: { label: '± %, uniform', parameters: [tolerance] },
  sigma: { label: '± %, normal (3σ)', distribution: 'normal', parameters: [tolerance] },
  normal: spreadOf('normal', { mean: 'Mean', sigma: 'Sigma' }),
  uniform: spreadOf('uniform', { min: 'From', max: 'To' }),
  triangular: spreadOf('triangular', { min: 'From', mode: 'Most likely', max: 'To' }),
  lognormal: spreadOf('lognormal', { median: 'Median', sigma_ln: 'Sigma of ln' }, ['sigma_ln']),
};

/** The largest number of results that a batch collects. */
export const maxCollected = 8;

const maxSweepRuns = { queued: 200, immediate: 1000 }; // see api/page_batches.go
const defaultPoints = { queued: 11, immediate: 41 }; // of a single field
const maxPoints = 1000; // of a field
const maxWholeNumbers = 500; // of a field, except with other fields in a sweep
const maxRuns = 100000;
const maxSeed = 1e15;

const modeOf = (source) => (source.heavy ? 'queued' : 'immediate');

/** Returns the initial state of the panel. */
export const initialState = (source) => ({
  mode: 'sweep',
  vary: [],
  collect: [],
  n: source.heavy ? '100' : '400',
  seed: '1',
  target: '',
});

/** Returns the fields that a mode can vary. Only a sweep takes fields that are not numbers. */
export const fieldsFor = (source, mode) =>
  source.fields().filter((f) => {
    if (mode === 'sweep') return true;
    const isContinuous = mode === 'random' || mode === 'solve';
    return !f.options && !(f.whole && isContinuous);
  });

/** Returns the default range of a field around its value. */
function defaultRange(f, value) {
  if (f.whole) return [Math.max(1, Math.round(value / 2)), Math.max(2, Math.round(value * 2))];
  return value < 0 ? [value * 2, value / 2] : [value / 2, value * 2];
}

/** Returns the variation of a field with default texts around its value. */
export function defaultVariation(f) {
  const value = Number.isFinite(f.value) && f.value !== 0 ? f.value : 1;
  const format = (v) =>
    f.whole
      ? String(v)
      : formatQuantity(Number(v.toPrecision(4)), f.unit ?? '')
          .replaceAll('\u202f', '')
          .replaceAll('\u00a0', ' ');
  const [from, to] = defaultRange(f, value).map(format);
  return {
    field: f.field,
    from,
    to,
    scale: 'lin',
    spread: 'tolerance',
    tolerance_pct: '5',
    mean: format(value),
    sigma: format(Math.abs(value) / 20),
    min: from,
    mode: format(value),
    max: to,
    median: format(Math.abs(value)),
    sigma_ln: '0.1',
  };
}

/** Removes fields and results that the page or the mode no longer has, and adds default ones. */
export function completeState(source, state) {
  const fields = fieldsFor(source, state.mode);
  state.vary = state.vary
    .filter((v) => fields.some((f) => f.field === v.field))
    .slice(0, modes[state.mode].maxVaried);
  if (!state.vary.length && fields.length)
    state.vary = [defaultVariation(fields.find((f) => f.given && !f.options) ?? fields[0])];
  const results = source.results();
  state.collect = state.collect.filter((c) => results.some((r) => r.name === c.name));
  if (!state.collect.length && results.length)
    state.collect = [{ name: results[0].name, min: '', max: '' }];
}

/**
 * Returns the number of values per number of a sweep that keeps all combinations within the limit.
 */
function maxSweepPoints(source, state) {
  const fields = fieldsFor(source, state.mode);
  const varied = state.vary.map((v) => fields.find((f) => f.field === v.field));
  const combinations = varied.reduce((n, f) => n * (f?.options?.length ?? 1), 1);
  const numberCount = varied.filter((f) => !f?.options).length;
  const points = (maxSweepRuns[modeOf(source)] / combinations) ** (1 / numberCount);
  return Math.max(2, Math.floor(points + 1e-9));
}

/** Returns the text of the number of points of a variation. */
export const pointsOf = (source, state, variation) =>
  variation.points ??
  String(Math.min(defaultPoints[modeOf(source)], maxSweepPoints(source, state)));

/** Reads a quantity; throws an Error with the name of the field. */
function readNumber(text, unit, name) {
  if (!text?.trim()) throw new Error(`${name} is required`);
  const { value, error } = readQuantity(text.trim(), unit ?? '');
  if (error) throw new Error(`${name} ${error}`);
  return value;
}

/** Reads a whole number; throws an Error with the name of the field. */
function readWholeNumber(text, name, min, max) {
  if (!text?.trim()) throw new Error(`${name} is required`);
  const value = Number(text.trim());
  if (!Number.isInteger(value) || value < min || value > max)
    throw new Error(`${name} must be a whole number from ${min} to ${max}`);
  return value;
}

/** Returns the whole numbers of a range, or maxCount of them. */
function wholeNumbers(from, to, isLog, maxCount) {
  const [low, high] = [Math.min(from, to), Math.max(from, to)].map(Math.round);
  const count = Math.min(maxCount, high - low + 1);
  const at = (t) => (isLog && low > 0 ? low * (high / low) ** t : low + (high - low) * t);
  const fractions = Array.from({ length: count }, (_, i) => (count > 1 ? i / (count - 1) : 0));
  return [...new Set(fractions.map((t) => Math.round(at(t))))];
}

/** Returns a field with its distribution. Adds the default of a varied field to the input. */
function randomVariation(v, f, input) {
  const { distribution, parameters } = spreads[v.spread];
  const variation = { field: f.field, ...(distribution && { distribution }) };
  for (const { key, label, isRelative } of parameters)
    variation[key] = readNumber(v[key], isRelative ? '' : f.unit, `${label} of ${f.label}`);
  // A tolerance is relative to the value in the input.
  const isTopLevel = f.field.lastIndexOf('/') === 0;
  if (variation.tolerance_pct !== undefined && !f.given && f.value !== undefined && isTopLevel)
    input[f.field.slice(1)] = f.value;
  return variation;
}

/** Returns a field with its range, or with its whole numbers. */
function rangeVariation(v, f, source, state) {
  const isSweep = state.mode === 'sweep';
  const from = readNumber(v.from, f.unit, `From of ${f.label}`);
  const to = readNumber(v.to, f.unit, `To of ${f.label}`);
  if (from === to) throw new Error(`From and to of ${f.label} are equal`);
  if (f.whole) {
    const isShared = isSweep && state.vary.length > 1;
    const maxCount = isShared ? maxSweepPoints(source, state) : maxWholeNumbers;
    return {
      field: f.field,
      values: wholeNumbers(from, to, isSweep && v.scale === 'log', maxCount),
    };
  }
  if (!isSweep) return { field: f.field, from, to };
  if (v.scale === 'log' && !(from > 0 && to > 0))
    throw new Error(`A logarithmic sweep of ${f.label} needs positive ends`);
  const points = pointsOf(source, state, v);
  return {
    field: f.field,
    from,
    to,
    points: readWholeNumber(points, `Points of ${f.label}`, 2, maxPoints),
    scale: v.scale,
  };
}

function variationOf(v, source, state, fields, input) {
  const f = fields.find((x) => x.field === v.field);
  if (!f) throw new Error(`The input has no ${v.field.replace(/^.*[:/]/, '')} any more`);
  if (f.options) return { field: f.field, values: f.options };
  if (state.mode === 'random') return randomVariation(v, f, input);
  return rangeVariation(v, f, source, state);
}

/** Returns the limits of the results by name: { min, max }. */
function limitsOf(entries, results) {
  const limits = {};
  entries.forEach(({ name, min, max }, i) => {
    const { unit, label } = results[i];
    const limit = {};
    if (min?.trim()) limit.min = readNumber(min, unit, `At least of ${label}`);
    if (max?.trim()) limit.max = readNumber(max, unit, `At most of ${label}`);
    if (Object.keys(limit).length) limits[name] = limit;
  });
  return limits;
}

/** Reads the panel; throws an Error for the user. */
function readState(source, state, input) {
  const { mode } = state;
  const fields = fieldsFor(source, mode);
  const available = source.results();
  const entries = mode === 'solve' ? state.collect.slice(0, 1) : state.collect;
  const results = entries.map((c) => available.find((r) => r.name === c.name));
  if (results.includes(undefined))
    throw new Error('A result that was chosen does not exist any more');
  const request = {
    tool: source.tool,
    input,
    mode: modes[mode].apiName,
    vary: state.vary.map((v) => variationOf(v, source, state, fields, input)),
    collect: results.map((r) => r.collect),
  };
  if (hasRuns(mode)) {
    const limits = limitsOf(entries, results);
    request.n = readWholeNumber(state.n, 'Runs', 1, maxRuns);
    if (Object.keys(limits).length) request.limits = limits;
  }
  if (mode === 'random') request.seed = readWholeNumber(state.seed, 'Seed', -maxSeed, maxSeed);
  if (mode === 'solve')
    request.target = {
      name: entries[0].name,
      value: readNumber(state.target, results[0].unit, 'Target'),
    };
  if (isSearch(mode)) request.objective = entries[0].name;
  return request;
}

/**
 * Reads the panel as a request.
 * @param {BatchSource} source
 * @param {BatchState} state
 * @returns {{request?: object, error?: string}}
 */
export function readRequest(source, state) {
  const input = source.input();
  if (!input) return { error: 'The inputs above are not complete.' };
  try {
    return { request: readState(source, state, input) };
  } catch (error) {
    return { error: error.message };
  }
}

/** Returns values of a run as texts for a form: pairs of JSON pointer and text. */
export const formTexts = (fields, values) =>
  fields.map(({ field, unit }) => {
    const number = shortestDecimal(values[field]);
    return [field, unit && unit !== '*' ? `${number} ${unit}` : number];
  });
