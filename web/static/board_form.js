// The form of the board router: the source of the circuit, the request, and errors at the fields.
import { h } from './dom.js';
import { Form, formPath } from './form.js';
import { replaceNames } from './result_model.js';
import { escapeRegExp } from './text.js';
import { selectLine } from './text_area.js';

const $ = (id) => document.getElementById(id);

/** Data of the server: the tool, the id of a running job, the address of a stored result. */
export const { tool, job: startedJob, stored } = JSON.parse($('data').textContent);

/** The form of the page, and its parts. */
export const form = new Form($('form'), tool);
export const source = $('f-source');
export const netlist = $('f-netlist');
export const summary = $('summary');

const missingFootprint = /; the field footprints takes .*? a list of pads/;

/** Reports whether the circuit is a list of parts and nets, instead of a text. */
export const isPartList = () => source.value === 'parts';

/** Reports whether the text of the circuit is a request as JSON. */
export const isJsonRequest = () => !isPartList() && netlist.value.trimStart().startsWith('{');

/** Returns the label of the field of a path. */
export function labelOf(path) {
  if (path === 'netlist') return 'Netlist';
  return tool.input.find((f) => f.name === path.split('.')[0])?.label ?? path;
}

/** Returns the label of a path, with row and column for an entry of a list. */
function describePath(path) {
  const [list, index, column] = path.split('.');
  const field = tool.input.find((f) => f.name === list);
  const label = field?.fields?.find((f) => f.name === column)?.label;
  return label ? `${labelOf(list)}, row ${Number(index) + 1}, ${label}:` : labelOf(path);
}

/**
 * Replaces the select of the source by two buttons, which dispatch its change event. Returns a
 * function that marks the chosen button.
 */
function replaceSourceSelect() {
  const choose = (value) => {
    source.value = value;
    showSource();
    source.dispatchEvent(new Event('change'));
  };
  const buttons = [...source.options].map((o) =>
    h('button', { type: 'button', onclick: () => choose(o.value) }, o.textContent),
  );
  source.after(
    h('span', { class: 'picker', role: 'group', 'aria-label': 'Circuit from' }, buttons),
  );
  source.hidden = true;
  source.previousElementSibling?.remove();
  return () =>
    buttons.forEach((b, i) =>
      b.setAttribute('aria-pressed', String(source.options[i].value === source.value)),
    );
}

const markSource = replaceSourceSelect();

/** Shows the fields of the chosen source only. */
export function showSource() {
  markSource();
  $('from-text').hidden = isPartList();
  $('from-parts').hidden = !isPartList();
}

/** Fills the form from a query, and shows the fields of its kind of circuit. */
export function fillForm(query) {
  form.fill(query);
  showSource();
}

const lineAt = (text, position) => text.slice(0, position).split('\n').length;

/** Returns the line of an error of JSON.parse, 0 if the browser does not report it. */
function lineOfSyntaxError(text, error) {
  const line = /line (\d+)/.exec(error.message);
  if (line) return Number(line[1]);
  const position = /position (\d+)/.exec(error.message);
  return position ? lineAt(text, Number(position[1])) : 0;
}

/**
 * Reads the form as a request of pcb_layout. BoardBody in web/board_page.go has the same rules.
 * @returns {{request?: object, fieldErrors: object[], places: Map<string, string>}} no request if
 *   there are errors
 */
export function readForm() {
  const values = form.values();
  const text = netlist.value.trim();
  if (isPartList() || isJsonRequest()) delete values.netlist;
  if (!isPartList())
    for (const path of Object.keys(values))
      if (/^(components|nets)\./.test(path)) delete values[path];
  const { json, fieldErrors, places } = form.readFrom(values);
  if (!isPartList() && text === '')
    fieldErrors.push({
      path: 'netlist',
      detail: 'is empty: paste a netlist, take an example, or list parts and nets',
    });
  let parsed = {};
  if (isJsonRequest()) {
    try {
      parsed = JSON.parse(text);
    } catch (error) {
      fieldErrors.push({
        path: 'netlist',
        detail: `is not valid JSON: ${error.message}`,
        line: lineOfSyntaxError(text, error),
      });
    }
  }
  if (fieldErrors.length) return { fieldErrors, places };
  const request = {
    ...parsed,
    ...JSON.parse(json),
    ...(parsed.name && { name: parsed.name }),
    zip: true,
  };
  return { request, fieldErrors, places };
}

/** Returns the error of a form without a circuit, or undefined. */
export function missingCircuit() {
  if (!isPartList())
    return netlist.value.trim()
      ? undefined
      : { path: 'netlist', detail: 'is required: paste a netlist or take an example' };
  const hasPart = [...form.element.elements].some(
    (c) => /^components\.\d+\.ref$/.test(c.name) && c.value.trim(),
  );
  return hasPart ? undefined : { path: 'components', detail: 'is required: add a part' };
}

/** Selects a line of the netlist. */
function goToLine(n) {
  selectLine(netlist, n);
  netlist.scrollTop = Math.max(0, (n - 4) * parseFloat(getComputedStyle(netlist).lineHeight));
}

/** Returns the line of the JSON request with the entry of a list, 0 if it is not found. */
function lineOfEntry(pointer) {
  const [list, index] = pointer.split('/').slice(1);
  try {
    const entry = JSON.parse(netlist.value)[list][Number(index)];
    const key = list === 'components' ? 'ref' : 'name';
    const value = escapeRegExp(JSON.stringify(entry[key]));
    const position = netlist.value.search(new RegExp(`"${key}"\\s*:\\s*${value}`));
    return lineAt(netlist.value, position);
  } catch {
    return 0;
  }
}

function drawFieldError({ path, detail, line }) {
  const hasField = path && form.fieldAt(path);
  const button = () =>
    h(
      'button',
      { type: 'button', class: 'link', onclick: () => goToLine(line) },
      `Go to line ${line}`,
    );
  return h(
    'li',
    {},
    hasField && [h('a', { href: `#f-${path}` }, describePath(path)), ' '],
    detail,
    line > 0 && [' ', button()],
  );
}

/** Shows errors at their fields, and in the summary unless hasSummary is false. */
export function showFieldErrors(fieldErrors, hasSummary = true) {
  form.showErrors(
    fieldErrors.map((m) => (m.line > 0 ? { ...m, detail: `${m.detail} (line ${m.line})` } : m)),
  );
  summary.hidden = !hasSummary || fieldErrors.length === 0;
  summary.replaceChildren(
    h('p', {}, 'Please correct:'),
    h('ul', {}, fieldErrors.map(drawFieldError)),
  );
}

/** Replaces names in an error of the server by labels and row numbers of the form. */
const inFormWords = (detail) =>
  replaceNames(
    tool,
    detail
      .replace(missingFootprint, '; a request as JSON can define it')
      .replace(
        /\b(components|nets)\[(\d+)\]/g,
        (match, list, index) => `row ${Number(index) + 1} of “${labelOf(list)}”`,
      ),
  );

const hasErrorBox = (path) =>
  form.element.querySelector(`[data-mistake="${CSS.escape(path)}"]`) !== null;

/** Converts an error of the server to a field error, or at its line of the text. */
export function toFieldError(error, places) {
  const path = formPath(error.pointer, places);
  const isInForm = path !== '' && (hasErrorBox(path) || hasErrorBox(path.split('.')[0]));
  const isInText = !isPartList() && /^(components|nets)\b/.test(path);
  if (isInForm && !isInText)
    return { path, detail: inFormWords(error.detail), line: path === 'netlist' ? error.line : 0 };
  return {
    path: isPartList() ? '' : 'netlist',
    detail: `${error.pointer.slice(1).replaceAll('/', '.')} ${error.detail}`.trim(),
    line: error.line || (isJsonRequest() ? lineOfEntry(error.pointer) : 0),
  };
}

/** Replaces a footprint in the circuit. */
export function replaceFootprint(name, replacement) {
  if (!isPartList()) {
    const word = new RegExp(`(?<![\\w-])${escapeRegExp(name)}(?![\\w-])`, 'g');
    netlist.value = netlist.value.replace(word, () => replacement);
    return;
  }
  for (const c of form.element.elements)
    if (/^components\.\d+\.footprint$/.test(c.name) && c.value === name) c.value = replacement;
}
