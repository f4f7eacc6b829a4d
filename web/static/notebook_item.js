// The content of an item of the notebook: inputs, result, pictures, method, and its page.
import { h } from './dom.js';
import { drawPictures, picturesFor } from './pictures.js';
import { drawResult, drawTable } from './result.js';
import { formatCell } from './result_model.js';
import { ApiError, compute } from './run.js';
import { linkFor, pack } from './share.js';
import { loadTool } from './tool_info.js';

/** @typedef {import('./notebook_store.js').Item} Item */

/** Returns the nodes of an error of the API: its title, and its remedy on a line of its own. */
export const errorNodes = (error) => [error.message, error.advice && [h('br'), error.advice]];

/** Draws an error of the API in place of a content. Throws any other error. */
export function showError(element, error) {
  if (!(error instanceof ApiError)) throw error;
  element.replaceChildren(h('p', { class: 'problem' }, errorNodes(error)));
}

/** Draws the inputs of a request: short ones as a list, then tables and long texts. */
function drawInputs(tool, request) {
  const entered = tool.input.filter((f) => request[f.name] !== undefined && request[f.name] !== '');
  const isTable = (f) => f.kind === 'rows' && Array.isArray(request[f.name]);
  const short = entered.filter((f) => !isTable(f) && !f.long);
  return [
    h('h3', {}, 'Inputs'),
    h(
      'dl',
      { class: 'note-inputs' },
      short.map((f) =>
        h('div', {}, h('dt', {}, f.label), h('dd', {}, formatCell(f, request[f.name]))),
      ),
    ),
    ...entered
      .filter(isTable)
      .flatMap((f) => [h('h4', {}, f.label), drawTable(f.fields, request[f.name])]),
    ...entered
      .filter((f) => f.long)
      .flatMap((f) => [h('h4', {}, f.label), h('pre', { tabindex: 0 }, String(request[f.name]))]),
  ];
}

/** Draws a result with its inputs and pictures. */
function drawToolResult(element, tool, request, envelope) {
  const numbers = h('div', {});
  const pictureBox = h('div', { class: 'pictures' });
  element.replaceChildren(...drawInputs(tool, request), h('h3', {}, 'Result'), numbers, pictureBox);
  const pictures = picturesFor(tool, envelope.result);
  drawResult(numbers, tool, envelope, request, new Set(pictures.map((p) => p.field?.name)));
  drawPictures(pictureBox, pictures, {
    tool,
    result: envelope.result,
    input: request,
    body: JSON.stringify(request),
  });
}

/** Draws the numbers of a simulation as /spice does. */
async function drawSimulation(element, tool, request, { result }) {
  const { drawNumbers } = await import('./spice_numbers.js');
  const numbers = h('div', {});
  drawNumbers(numbers, result, request);
  element.replaceChildren(...drawInputs(tool, request), h('h3', {}, 'Result'), numbers);
}

const drawEnvelope = (element, tool, request, envelope) =>
  (tool.name === 'spice_simulate' ? drawSimulation : drawToolResult)(
    element,
    tool,
    request,
    envelope,
  );

/** Draws the inputs of an item of a queued tool, and a button that runs it. */
function drawRunButton(element, item, tool, onResult) {
  const run = async () => {
    button.disabled = true;
    const { runJob } = await import('./job.js');
    try {
      const envelope = await runJob(tool.name, JSON.stringify(item.request), {});
      item.envelope = envelope;
      onResult(envelope, true);
      await drawEnvelope(element, tool, item.request, envelope);
    } catch (error) {
      showError(element, error);
    }
  };
  const button = h('button', { type: 'button', class: 'main', onclick: run }, 'Run');
  element.replaceChildren(...drawInputs(tool, item.request), button);
}

async function drawToolItem(element, item, onResult) {
  const tool = await loadTool(item.tool);
  if (item.envelope) {
    const images = (item.pictures ?? []).map((src) =>
      h('img', { src, alt: `Plot of ${item.title}` }),
    );
    await drawEnvelope(element, tool, item.request, item.envelope);
    element.append(...images);
    return;
  }
  if (tool.heavy) {
    drawRunButton(element, item, tool, onResult);
    return;
  }
  const envelope = await compute(tool.name, JSON.stringify(item.request));
  item.envelope = envelope;
  onResult(envelope, false);
  await drawEnvelope(element, tool, item.request, envelope);
}

const chainStepError = ({ waiting, error, fieldErrors }) =>
  waiting ?? error?.message ?? fieldErrors?.map((m) => m.detail).join('; ') ?? 'Not computed.';

async function drawChainItem(element, item) {
  const { parseChain, computeChain } = await import('./chain_model.js');
  let steps;
  try {
    steps = parseChain(item.steps);
  } catch {
    throw new ApiError({ title: 'The steps of this chain are damaged.' });
  }
  const tools = await Promise.all(steps.map((s) => loadTool(s.tool)));
  const results = await computeChain(tools, steps, { mayRun: () => false });
  element.replaceChildren(
    ...results.map((r, i) => {
      const content = h('div', {});
      if (r.envelope) drawToolResult(content, tools[i], r.input, r.envelope);
      else content.append(h('p', { class: 'absent' }, chainStepError(r)));
      const heading = h('h3', {}, `${i + 1}. ${tools[i].title}`);
      return h('section', { class: 'note-step' }, heading, content);
    }),
  );
}

/**
 * Draws the inputs and the result of an item, and computes a result that is not stored.
 * @param {HTMLElement} element
 * @param {Item} item receives the computed envelope
 * @param {(envelope: object, isQueued: boolean) => void} onResult called with a computed envelope
 */
export async function drawContent(element, item, onResult) {
  try {
    if (item.steps) await drawChainItem(element, item);
    else await drawToolItem(element, item, onResult);
  } catch (error) {
    showError(element, error);
  }
}

/** Draws the methods and sources of the tools of an item; throws ApiError. */
export async function drawMethods(element, item) {
  const names = item.steps ? [...new Set(item.steps.map((s) => s.tool))] : [item.tool];
  const tools = await Promise.all(names.map(loadTool));
  for (const { title, method, sources } of tools)
    element.append(
      h('p', {}, h('b', {}, tools.length > 1 ? `${title}: ` : 'Method: '), method),
      h('p', {}, h('b', {}, 'Source: '), sources.join('; ')),
    );
}

/** Returns the line with the times and the version of an item. */
export function describeItem({ at, envelope }) {
  const format = (time) => new Date(time).toLocaleString();
  return [
    `Pinned ${format(at)}`,
    envelope?.computed_at && `computed ${format(envelope.computed_at)}`,
    envelope?.version && `version ${envelope.version}`,
  ]
    .filter(Boolean)
    .join(', ');
}

/** Converts a request to form values: rows.0.name. */
function flatten(value, path = '', query = new URLSearchParams()) {
  const isScalarList = Array.isArray(value) && value.every((v) => typeof v !== 'object');
  if (typeof value === 'object' && value !== null && !isScalarList)
    for (const [key, v] of Object.entries(value)) flatten(v, path ? `${path}.${key}` : key, query);
  else if (path) query.set(path, isScalarList ? value.join(', ') : String(value));
  return query;
}

/** Returns the address of the page that has the inputs of an item. */
export async function addressOf(item) {
  if (item.steps) return `/chain#c=${await pack(JSON.stringify(item.steps))}`;
  if (item.tool === 'spice_simulate')
    return linkFor('/spice', new URLSearchParams({ netlist: item.request.netlist ?? '' }), true);
  return linkFor(`/t/${item.tool}`, flatten(item.request));
}
