// A chain of tools: its steps, the values that a step takes from earlier ones, and the computation.
import { shortestDecimal, familyOf } from './quantity.js';
import { readValues, formPath, pairsToRows } from './form.js';
import { compute } from './run.js';

/**
 * @typedef {{step: number, name: string}} Source a value of an earlier step: a field of its result
 *   or of its input
 * @typedef {{tool: string, values: Record<string, string>, from: Record<string, Source>}} Step
 *   values: texts by field path; from: sources by field name
 * @typedef {{envelope?: object, input?: object, taken?: object[], error?: Error, fieldErrors?:
 *   object[], waiting?: string, isRunnable?: boolean}} StepResult waiting: the reason why the step
 *   was not computed; isRunnable: the user can start it
 */

const maxSteps = 30;

/** Returns the factor from one unit to another, undefined if their dimensions differ. */
function unitFactor(from, to) {
  if (from === to) return 1;
  const [a, b] = [familyOf(from), familyOf(to)];
  if (!a || !b || a.family !== b.family) return undefined;
  return (a.own.mult / b.own.mult) * 10 ** (a.own.exp - b.own.exp);
}

/** Reports whether a field has one value, not a list or an object. */
export const isScalarField = (f) =>
  ['quantity', 'literal', 'text', 'choice', 'switch'].includes(f.kind);

const isPlain = (unit) => !unit || unit === '1';
const isNumeric = (f) => f.kind === 'quantity' || f.kind === 'literal';
const hasSameKind = (a, b) => a.kind === b.kind || (isNumeric(a) && isNumeric(b));

/** Returns the field of a tool for a name, which may be an alias with another unit. */
const withoutAlias = (tool, name) => tool.input.find((f) => f.name === name)?.alias ?? name;

/** Returns the links from one tool to another: { from, to } names of fields. */
const linksBetween = (tool, next) =>
  (tool.feeds ?? []).filter((x) => x.tool === next.name).flatMap((x) => x.fields);

/**
 * Returns the values of earlier steps that a field can take. A quantity takes values of the same
 * dimension. A plain number or a text takes only values of the same name, or of a link between the
 * tools.
 * @returns {{step: number, name: string, label: string, factor: number, isNamed: boolean}[]}
 *   isNamed: with the same name or of a link; these are first
 */
export function sourcesFor(tools, index, field) {
  const list = [];
  for (let step = index - 1; step >= 0; step--) {
    const { input, output } = tools[step];
    const links = linksBetween(tools[step], tools[index]);
    // A result has precedence over an input of the same name.
    const onlyInput = input.filter((f) => !output.some((o) => o.name === f.name));
    for (const f of [...output, ...onlyInput]) {
      if (!hasSameKind(f, field)) continue;
      const isNamed =
        f.name === field.name ||
        links.some((l) => l.from === f.name && withoutAlias(tools[index], l.to) === field.name);
      if ((isPlain(f.unit) || field.kind !== 'quantity') && !isNamed) continue;
      const factor =
        isPlain(f.unit) && isPlain(field.unit) ? 1 : unitFactor(f.unit ?? '', field.unit ?? '');
      if (factor !== undefined)
        list.push({ step, name: f.name, label: `${step + 1} ${f.label}`, factor, isNamed });
    }
  }
  return list.sort((a, b) => Number(b.isNamed) - Number(a.isNamed));
}

/** Returns the factor from the unit of a source to the unit of the field. */
export function factorOf(tools, index, field, source) {
  const match = (s) => s.step === source.step && s.name === source.name;
  return sourcesFor(tools, index, field).find(match)?.factor ?? 1;
}

function setSource(step, name, source) {
  step.from[name] = { step: source.step, name: source.name };
  delete step.values[name];
}

/**
 * Connects a step to earlier steps by the links between the tools. Equal names of a result and of a
 * field that the step requires or has connect too.
 */
export function connect(tools, steps, index) {
  const [tool, step] = [tools[index], steps[index]];
  for (let earlier = index - 1; earlier >= 0; earlier--) {
    for (const link of linksBetween(tools[earlier], tool)) {
      const name = withoutAlias(tool, link.to);
      if (step.from[name]) continue;
      const field = tool.input.find((f) => f.name === name);
      const source = { step: earlier, name: link.from };
      const isSource = (s) => s.step === source.step && s.name === source.name;
      if (sourcesFor(tools, index, field).some(isSource)) setSource(step, name, source);
    }
  }
  for (const field of tool.input) {
    if (step.from[field.name] || !(field.required || field.name in step.values)) continue;
    const sameName = sourcesFor(tools, index, field).find(
      (s) => s.name === field.name && tools[s.step].output.some((o) => o.name === s.name),
    );
    if (sameName) setSource(step, field.name, sameName);
  }
}

/** Returns a new step, with the values of the tool's first example unless values are given. */
export function newStep(tool, values) {
  return {
    tool: tool.name,
    values: values ?? Object.fromEntries(new URLSearchParams(tool.examples[0]?.query ?? '')),
    from: {},
  };
}

/**
 * Returns the request of a step, from its own values and the results of earlier steps.
 * @returns {{json: string, input: object, fieldErrors: object[], places: Map<string, string>,
 *   missing: string, taken: {field: object, value: *, source: Source}[]}} missing: the reason why
 *   the request is incomplete, otherwise ''
 */
export function buildRequest(tools, steps, results, index) {
  const [tool, step] = [tools[index], steps[index]];
  const ownValues = Object.fromEntries(
    Object.entries(step.values).filter(([path]) => !(path.split('.')[0] in step.from)),
  );
  const { json, fieldErrors, places } = readValues(tool.input, pairsToRows(tool.input, ownValues));
  const input = JSON.parse(json);
  const taken = [];
  let missing = '';
  for (const [name, source] of Object.entries(step.from)) {
    const before = results[source.step];
    const value = before?.envelope?.result[source.name] ?? before?.input?.[source.name];
    const field = tool.input.find((f) => f.name === name);
    if (value === null || value === undefined) {
      missing ||= `${field.label} waits for step ${source.step + 1}`;
      continue;
    }
    const factor = factorOf(tools, index, field, source);
    input[name] = typeof value === 'number' ? Number(shortestDecimal(value * factor)) : value;
    taken.push({ field, value: input[name], source });
  }
  return { json: JSON.stringify(input), input, fieldErrors, places, missing, taken };
}

/** Computes a tool; throws ApiError or an AbortError. */
async function run(tool, json, signal) {
  if (!tool.heavy) return compute(tool.name, json, signal);
  const { runJob } = await import('./job.js');
  return runJob(tool.name, json, { signal });
}

/** Computes a step. Throws an AbortError only. */
async function computeStep(tool, r, { signal, mayRun }) {
  if (r.fieldErrors.length) return { fieldErrors: r.fieldErrors };
  if (r.missing) return { waiting: r.missing };
  if (tool.heavy && !mayRun(r.json))
    return { waiting: 'runs when you press Run', isRunnable: true };
  try {
    return { envelope: await run(tool, r.json, signal), input: r.input, taken: r.taken };
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    const fieldErrors = (error.errors ?? []).map((e) => ({
      path: formPath(e.pointer, r.places),
      label: '',
      detail: e.detail,
    }));
    return { error, fieldErrors };
  }
}

/**
 * Computes the steps in order.
 * @param {object} options
 * @param {AbortSignal} [options.signal]
 * @param {(json: string) => boolean} options.mayRun reports whether a queued tool may run a request
 * @param {(results: StepResult[]) => void} [options.onStep] called after each step
 * @returns {Promise<StepResult[]>}
 */
export async function computeChain(tools, steps, { signal, mayRun, onStep }) {
  const results = [];
  for (let i = 0; i < steps.length; i++) {
    const r = buildRequest(tools, steps, results, i);
    results[i] = await computeStep(tools[i], r, { signal, mayRun });
    onStep?.([...results]);
  }
  return results;
}

const isToolName = (name) => typeof name === 'string' && /^[a-z0-9_]{1,60}$/.test(name);

/** Returns the valid parts of a chain from a link. Throws an Error if the data is not a chain. */
export function parseChain(data) {
  if (!Array.isArray(data) || data.length > maxSteps) throw new Error('not a chain');
  return data.map((s, i) => {
    if (!isToolName(s.tool)) throw new Error('not a chain');
    const isSource = (v) =>
      Number.isInteger(v?.step) && v.step >= 0 && v.step < i && typeof v.name === 'string';
    const values = Object.entries(s.values ?? {}).map(([path, v]) => [path, String(v)]);
    const from = Object.entries(s.from ?? {})
      .filter(([, v]) => isSource(v))
      .map(([name, v]) => [name, { step: v.step, name: v.name }]);
    return {
      tool: s.tool,
      values: Object.fromEntries(values),
      from: Object.fromEntries(from),
    };
  });
}
