// Draws results: values with units and links to next tools, groups, tables, warnings and errors.
import { h, icon, scrollBox, smallButton } from './dom.js';
import {
  limitDigits,
  shortestDecimal,
  unitSeparator,
  joinParts,
  fieldParts,
  formatQuantity,
  formatNumber,
  unitText,
  resolveUnit,
} from './quantity.js';
import {
  formatCell,
  findConclusion,
  formatResult,
  replaceNames,
  isEmpty,
  limitDigitsOfText,
  selectFields,
  stem,
  unitVariants,
} from './result_model.js';
import { announce, copy, download } from './shell.js';

const copyIcon = 'M4.5 4.5h8v8h-8zM9.5 4.5v-3h-8v8h3';
const maxTableRows = 600;
const maxLineValues = 8; // of a list in one line

/**
 * Values that all drawing functions of one result need.
 * @typedef {object} Context
 * @property {object} tool
 * @property {object} result
 * @property {object} input
 * @property {string} primary the name of the field that is shown large
 * @property {Set<string>} folded the names of fields that a picture shows
 * @property {boolean} isTopLevel false inside a group
 */

/** Returns a value with all digits, to be copied into another program. */
const fullText = (v) => (typeof v === 'string' ? v : JSON.stringify(v));

/** Returns links to the tools whose fields accept a result, with all related values. */
function nextTools(name, { tool, result, input }) {
  const next = (tool.feeds ?? []).filter((t) => t.fields.some((link) => link.from === name));
  return next.map((t) => {
    const q = new URLSearchParams();
    for (const { from, to } of t.fields) {
      const v = result[from] ?? input[from];
      if (!isEmpty(v)) q.set(to, shortestDecimal(v));
    }
    return { title: t.title, href: `${t.page}?${q}` };
  });
}

/**
 * Draws one value with its label, unit and actions.
 * @param {object} f the field, with a unit picker as f.picker if it has several units
 */
function drawValue(f, v, { isPrimary = false, links = [] } = {}) {
  const isNumber = typeof v === 'number';
  const isLong = typeof v === 'string' && v.length > (isPrimary ? 16 : 24);
  const { number, unit } = fieldParts(f, isNumber ? v : formatResult(f, v));
  const title = joinParts({ number: fullText(v), unit: isNumber ? unitText(f.unit) : '' });
  return h(
    'div',
    { class: `value${isPrimary ? ' first' : ''}`, 'data-out': f.name },
    h('span', { class: 'name', title: f.doc }, f.label),
    h(
      'span',
      { class: `number${isLong ? ' wordy' : ''}`, title },
      isNumber ? limitDigits(f, number) : number,
      (f.picker || unit) && [unitSeparator(unit), f.picker ?? h('span', { class: 'u' }, unit)],
    ),
    h('span', { class: 'acts' }, drawSendTo(f, links), drawCopyButton(f, v)),
  );
}

const drawLinks = (links, className) =>
  links.map((l) => h('a', { class: className, href: l.href }, l.title));

const drawSendTo = (f, links) =>
  links.length > 0 &&
  h(
    'details',
    { class: 'send' },
    h('summary', { title: `Send ${f.label} to` }, 'send to'),
    h('div', {}, drawLinks(links)),
  );

const drawCopyButton = (f, v) =>
  h(
    'button',
    {
      type: 'button',
      'aria-label': `Copy ${f.label}`,
      title: 'Copy with all digits',
      onclick: (e) => copy(fullText(v), e.currentTarget),
    },
    icon(copyIcon),
  );

const pickedUnits = new Map(); // names of the fields that the user picked, by tool and stem

/**
 * Draws one quantity with a picker of its units.
 * @param {object[]} variants the fields of the quantity, one per unit
 * @param {Context} context
 */
function drawUnitVariants(variants, context) {
  const { tool, result } = context;
  const key = `${tool.name} ${stem(variants[0].name)}`;
  const labelled = variants.find((f) => !f.inUnit) ?? variants[0];
  const label = labelled.label.replace(/ \([^)]*\)$/, '');
  const hasHandySize = (f) => Math.abs(result[f.name]) >= 0.1 && Math.abs(result[f.name]) < 1e4;
  const f =
    variants.find((x) => x.name === pickedUnits.get(key)) ??
    variants.find((x) => x.name === context.primary) ??
    variants.find(hasHandySize) ??
    variants[0];
  const picker = h(
    'select',
    {
      class: 'u',
      'aria-label': `Unit of ${label}`,
      onchange: (e) => {
        pickedUnits.set(key, variants[e.target.selectedIndex].name);
        const next = drawUnitVariants(variants, context);
        e.target.closest('.value').replaceWith(next);
        next.querySelector('select').focus();
      },
    },
    variants.map((x) => h('option', { selected: x === f }, unitText(x.unit))),
  );
  const links = variants.flatMap((x) => nextTools(x.name, context));
  return drawValue({ ...f, label, picker, inUnit: true }, result[f.name], {
    isPrimary: variants.some((x) => x.name === context.primary),
    links: links.filter((l, i) => links.findIndex((k) => k.title === l.title) === i),
  });
}

/**
 * Reports whether a column of a table shows each number with its own prefix and unit. web/result.go
 * has the same rule.
 */
function needsPrefixes(f, rows) {
  if (f.kind !== 'quantity' || f.inUnit || f.asked || unitText(f.unit) === '') return false;
  const sizes = rows.map((r) => Math.abs(r[f.name]));
  return sizes.some((size) => size >= 1e6 || (size > 0 && size < 1e-3));
}

const columnClass = (f) => ({ quantity: 'n', group: 'wide' })[f.kind] ?? '';

/**
 * Draws a list of objects as a table.
 * @param {object[]} fields the columns; titleOf(i) of a field returns the tooltip of its text
 * @param {object[]} rows
 * @param {string} label names the region of the table, which is unique on its page
 */
export function drawTable(fields, rows, label = 'Table') {
  const columns = fields
    // A list in a cell, such as the points of a curve, has no room.
    .filter((f) => f.kind !== 'rows' && rows.some((r) => !isEmpty(r[f.name])))
    .map((f) => ({ f, isPrefixed: needsPrefixes(f, rows) }));
  const drawHeading = ({ f, isPrefixed }) => {
    const unit = isPrefixed ? '' : unitText(f.unit);
    const text = unit ? `${f.label} [${unit}]` : f.label;
    return h('th', { scope: 'col', class: columnClass(f), title: f.doc }, text);
  };
  const drawRow = (row, i) =>
    h(
      'tr',
      {},
      columns.map((column) => drawCell(column, row[column.f.name], i)),
    );
  const omitted = rows.length - maxTableRows;
  return scrollBox(label, [
    h(
      'table',
      {},
      h('thead', {}, h('tr', {}, columns.map(drawHeading))),
      h('tbody', {}, rows.slice(0, maxTableRows).map(drawRow)),
    ),
    omitted > 0 && h('p', { class: 'absent' }, `${omitted} more rows in the JSON response.`),
  ]);
}

function drawCell({ f, isPrefixed }, v, rowIndex) {
  if (typeof v !== 'number')
    return h('td', { class: columnClass(f), title: f.titleOf?.(rowIndex) }, formatCell(f, v));
  const title = joinParts({ number: fullText(v), unit: unitText(f.unit) });
  const text = isPrefixed ? formatQuantity(v, f.unit) : formatNumber(v, f.unit);
  return h('td', { class: columnClass(f), title }, limitDigitsOfText(f, text));
}

const drawGroup = (label, ...content) =>
  h('section', { class: 'group' }, h('h3', {}, label), content);

const withCount = (label, n) => [label, ' ', h('span', { class: 'count' }, n)];

/** Draws a list of numbers or words, as a table if it is long. */
function drawList(f, items, isPrimary) {
  if (items.length <= maxLineValues)
    return drawValue(f, items.map((x) => formatResult(f, x)).join(', '), { isPrimary });
  const drawRow = (x, i) =>
    h('tr', {}, h('td', { class: 'n' }, i + 1), h('td', {}, formatResult(f, x)));
  const rows = items.slice(0, maxTableRows).map(drawRow);
  return drawGroup(
    withCount(f.label, items.length),
    scrollBox(f.label, h('table', {}, h('tbody', {}, rows))),
  );
}

/** Draws files as buttons that download them. */
function drawFiles(f, files) {
  const buttons = Object.entries(files).map(([name, content]) =>
    smallButton(name, () => download(name, content), { class: 'chip' }),
  );
  return drawGroup(withCount(f.label, buttons.length), h('p', { class: 'picker' }, buttons));
}

/** Draws a text of several lines. */
function drawLongText(f, text, links) {
  return h(
    'section',
    { class: 'group snippet' },
    h('h3', {}, f.label),
    smallButton('Copy', (e) => copy(text, e.currentTarget)),
    h('pre', { tabindex: 0 }, text),
    drawLinks(links, 'chip'),
  );
}

/** Draws user-defined names with their values, or files by name. */
function drawPairs(f, pairs, context) {
  const entries = Object.entries(pairs);
  if (entries.length === 0 || Array.isArray(entries[0][1])) return null; // a picture shows vectors
  if (typeof entries[0][1] === 'string') return drawFiles(f, pairs);
  return drawGroup(
    f.label,
    entries.map(([name, v]) =>
      drawField({ name, label: name, kind: 'quantity', unit: '' }, v, context),
    ),
  );
}

/** Draws a value of a result, depending on its kind. */
function drawField(f, v, context) {
  const inner = { ...context, isTopLevel: false };
  const isFolded = context.folded.has(f.name);
  const isPrimary = context.isTopLevel && context.primary === f.name;
  switch (f.kind) {
    case 'grid':
      return null; // a picture shows it
    case 'group': {
      if (isFolded) return null;
      const filled = f.fields.filter((x) => !isEmpty(v[x.name]));
      return drawGroup(
        f.label,
        filled.map((x) => drawField(x, v[x.name], inner)),
      );
    }
    case 'rows': {
      if (v.length === 0) return null;
      const rows = drawTable(f.fields, v, f.label);
      if (!isFolded) return drawGroup(f.label, rows);
      return h('details', { class: 'group' }, h('summary', {}, `${f.label}: table`), rows);
    }
    case 'numbers':
    case 'words':
      return v.length > 0 && drawList(f, v, isPrimary);
    case 'pairs':
      return drawPairs(f, v, inner);
  }
  const links = context.isTopLevel ? nextTools(f.name, context) : [];
  if (typeof v === 'string' && v.includes('\n')) return drawLongText(f, v, links);
  return drawValue(f, v, { isPrimary, links });
}

/**
 * Draws a result into an element, without the values that repeat an input.
 * @param {Set<string>} folded the names of lists and groups that a picture shows
 */
export function drawResult(element, tool, envelope, input, folded) {
  const { result } = envelope;
  const { primary, fields } = selectFields(tool, result, input);
  const context = { tool, result, input, primary, folded, isTopLevel: true };
  const variantsOf = new Map(
    unitVariants(fields, result).flatMap((variants) => variants.map((f) => [f, variants])),
  );
  const draw = (f) => {
    const variants = variantsOf.get(f);
    if (!variants) return drawField(resolveUnit(f, result), result[f.name], context);
    return f === variants[0] && drawUnitVariants(variants, context);
  };
  const conclusion = findConclusion(tool, result);
  const warnings = (result.warnings ?? []).map((w) => h('li', {}, replaceNames(tool, w)));
  element.replaceChildren(
    h(
      'div',
      {},
      conclusion && h('p', { class: `conclusion ${conclusion.tone}` }, conclusion.text),
      warnings.length > 0 && h('ul', { class: 'warnings' }, warnings),
      fields.slice(0, 1).map(draw),
      h('div', { class: 'rest' }, fields.slice(1).map(draw)),
    ),
  );
}

/**
 * Shows above a result that it belongs to earlier inputs.
 * @param {HTMLElement} note the element of the text
 * @param {HTMLElement[]} boxes the elements of the result
 * @param {string} text the reason; "" if the result is up to date
 * @param {boolean} dimmed dims the result, because no new result can replace it
 */
export function drawStale(note, boxes, text, dimmed = true) {
  for (const box of boxes) box.classList.toggle('stale', text !== '' && dimmed);
  if (text !== note.textContent && text !== '') announce(text);
  note.hidden = text === '';
  note.textContent = text;
}

/** Reports whether an error is the end of a cancelled job, which needs no correction. */
export const isCancelled = (error) => error.kind === 'job-cancelled';

/**
 * Shows an error above a result.
 * @param {import('./run.js').ApiError|undefined} error undefined hides the element
 */
export function drawError(element, error) {
  element.hidden = !error;
  element.replaceChildren();
  if (!error) return;
  if (isCancelled(error)) {
    element.append(h('p', { class: 'absent' }, error.message));
    return;
  }
  element.append(
    h(
      'p',
      { class: 'problem' },
      h('b', {}, error.message),
      error.advice && [h('br'), error.advice],
    ),
  );
}
