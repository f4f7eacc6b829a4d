// A chain: steps, the values that they take from each other, and their computation.
import { carried, familyOf } from './quantity.js';
import { readValues, formPath } from './form.js';
import { requestJson, compute } from './run.js';

/** @typedef {{tool: string, values: Record<string,string>, from: Record<string,{step: number, name: string}>}} Step */

const known = new Map();

/** A tool with its fields, fetched once. */
export function toolOf(name) {
  if (!known.has(name))
    known.set(
      name,
      requestJson('GET', `/ui/tool/${encodeURIComponent(name)}`)
        .then((a) => a.data)
        .catch((e) => {
          known.delete(name);
          throw e;
        }),
    );
  return known.get(name);
}

/** The factor from one unit to another, undefined when they do not fit. */
function factor(from, to) {
  if (from === to) return 1;
  const [a, b] = [familyOf(from), familyOf(to)];
  if (!a || !b || a.family !== b.family) return undefined;
  return (a.own.mult / b.own.mult) * 10 ** (a.own.exp - b.own.exp);
}

const plain = (unit) => !unit || unit === '1';
const alike = (a, b) =>
  a.kind === b.kind ||
  (a.kind === 'quantity' && b.kind === 'literal') ||
  (a.kind === 'literal' && b.kind === 'quantity') ||
  (a.kind === 'text' && b.kind === 'text');

/** The field of a tool that holds a value of that name, which may be one in another unit. */
const holder = (tool, name) => tool.input.find((f) => f.name === name)?.alias ?? name;

/**
 * The values of earlier steps that a field can take: [{step, name, label, factor}]. Numbers fit by
 * unit; plain numbers and texts only where the catalog says that one feeds the other, or by name.
 */
export function sources(tools, index, field) {
  const list = [];
  for (let step = index - 1; step >= 0; step--) {
    const edges = (tools[step].feeds ?? [])
      .filter((x) => x.tool === tools[index].name)
      .flatMap((x) => x.fields);
    for (const [side, fields] of [
      ['result', tools[step].output],
      ['input', tools[step].input],
    ]) {
      for (const f of fields) {
        if (
          !alike(f, field) ||
          (side === 'input' && tools[step].output.some((o) => o.name === f.name))
        )
          continue;
        const named =
          f.name === field.name ||
          edges.some((p) => p.from === f.name && holder(tools[index], p.to) === field.name);
        if ((plain(f.unit) || field.kind !== 'quantity') && !named) continue;
        const by = plain(f.unit) && plain(field.unit) ? 1 : factor(f.unit ?? '', field.unit ?? '');
        if (by !== undefined)
          list.push({ step, name: f.name, label: `${step + 1} ${f.label}`, factor: by, named });
      }
    }
  }
  return list.sort((a, b) => Number(b.named) - Number(a.named));
}

/** What a value of an earlier step is multiplied by to be in the unit of the field. */
export function factorOf(tools, index, field, source) {
  return (
    sources(tools, index, field).find((s) => s.step === source.step && s.name === source.name)
      ?.factor ?? 1
  );
}

/**
 * Takes over what the catalog says earlier steps feed into this one, and results that bear the
 * name of a value it holds or needs.
 */
export function connect(tools, steps, index) {
  for (let step = index - 1; step >= 0; step--) {
    for (const pass of (tools[step].feeds ?? [])
      .filter((x) => x.tool === tools[index].name)
      .flatMap((x) => x.fields)) {
      const to = holder(tools[index], pass.to);
      const fits = sources(
        tools,
        index,
        tools[index].input.find((f) => f.name === to),
      ).some((s) => s.step === step && s.name === pass.from);
      if (fits && !steps[index].from[to]) {
        steps[index].from[to] = { step, name: pass.from };
        delete steps[index].values[to];
      }
    }
  }
  for (const field of tools[index].input) {
    if (steps[index].from[field.name] || !(field.required || field.name in steps[index].values))
      continue;
    const same = sources(tools, index, field).find(
      (s) => s.name === field.name && tools[s.step].output.some((o) => o.name === s.name),
    );
    if (!same) continue;
    steps[index].from[field.name] = { step: same.step, name: same.name };
    delete steps[index].values[field.name];
  }
}

/** A new step with the values of the tool's first example. */
export function newStep(tool, values) {
  return {
    tool: tool.name,
    values: values ?? Object.fromEntries(new URLSearchParams(tool.examples[0]?.query ?? '')),
    from: {},
  };
}

/** The request of a step, from what it holds and the results before it: {json, mistakes, missing}. */
export function request(tools, steps, results, index) {
  const step = steps[index];
  const values = { ...step.values };
  for (const name of Object.keys(step.from))
    for (const k of Object.keys(values))
      if (k === name || k.startsWith(`${name}.`)) delete values[k];
  const read = readValues(tools[index].input, pairsToRows(tools[index], values));
  const body = JSON.parse(read.json);
  const lines = [];
  let missing = '';
  for (const [name, source] of Object.entries(step.from)) {
    const before = results[source.step];
    const v = before?.envelope?.result[source.name] ?? before?.input?.[source.name];
    const field = tools[index].input.find((f) => f.name === name);
    const by = factorOf(tools, index, field, source);
    if (v === null || v === undefined)
      missing ||= `${field.label} waits for step ${source.step + 1}`;
    else {
      body[name] = typeof v === 'number' ? Number(carried(v * by)) : v;
      lines.push({ field, value: body[name], source });
    }
  }
  return {
    json: JSON.stringify(body),
    input: body,
    mistakes: read.mistakes,
    places: read.places,
    missing,
    lines,
  };
}

/** Free names are written as params.r_ohms; a form has rows of names and values. */
export function pairsToRows(tool, values) {
  for (const f of tool.input.filter((x) => x.kind === 'pairs')) {
    Object.keys(values)
      .filter((k) => k.startsWith(`${f.name}.`) && !/\.\d+\.(name|value)$/.test(k))
      .forEach((k, n) => {
        values[`${f.name}.${n}.name`] = k.slice(f.name.length + 1);
        values[`${f.name}.${n}.value`] = values[k];
        delete values[k];
      });
  }
  return values;
}

/**
 * Computes the steps in order and gives their results: {envelope, input, lines} or {trouble} or
 * {waiting}. Heavy steps run only when heavy(index) says so. onStep is called after each.
 */
export async function computeChain(tools, steps, { signal, heavy, onStep }) {
  const results = [];
  for (let i = 0; i < steps.length; i++) {
    const r = request(tools, steps, results, i);
    if (r.mistakes.length) results[i] = { mistakes: r.mistakes };
    else if (r.missing) results[i] = { waiting: r.missing };
    else if (tools[i].heavy && !heavy(i, r.json))
      results[i] = { waiting: 'runs when you press Run', runnable: true };
    else {
      try {
        const run = tools[i].heavy
          ? (await import('./job.js')).runJob
          : (name, json, o) => compute(name, json, o.signal);
        results[i] = {
          envelope: await run(tools[i].name, r.json, { signal }),
          input: r.input,
          lines: r.lines,
        };
      } catch (error) {
        if (error.name === 'AbortError') throw error;
        results[i] = {
          trouble: error,
          mistakes: (error.errors ?? []).map((e) => ({
            path: formPath(e.pointer, r.places),
            label: '',
            detail: e.detail,
          })),
        };
      }
    }
    onStep([...results]);
  }
  return results;
}

/** A chain read from a link; throws when it is none. Values are texts and stay texts. */
export function checked(data) {
  if (!Array.isArray(data) || data.length > 30) throw new Error('not a chain');
  return data.map((s, i) => {
    if (typeof s.tool !== 'string' || !/^[a-z0-9_]{1,60}$/.test(s.tool))
      throw new Error('not a chain');
    const values = Object.fromEntries(
      Object.entries(s.values ?? {}).map(([k, v]) => [k, String(v)]),
    );
    const from = Object.fromEntries(
      Object.entries(s.from ?? {})
        .filter(
          ([, v]) =>
            Number.isInteger(v?.step) && v.step >= 0 && v.step < i && typeof v.name === 'string',
        )
        .map(([k, v]) => [k, { step: v.step, name: v.name }]),
    );
    return { tool: s.tool, values, from };
  });
}
