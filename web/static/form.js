// Forms of tools: reads a form into a request, fills it, edits its rows, and shows units and
// errors. The server reads forms by the same rules (web/form.go).
import { smallButton } from './dom.js';
import { familyOf, readQuantity, formatQuantity, resolvePickedUnit } from './quantity.js';
import { escapeRegExp } from './text.js';

const jsonNumber = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
const plainNumber = /^(0|[1-9]\d{0,14})(\.\d{0,14}[1-9])?$/; // a number represents it without loss
const rowIndex = /^\d+$/;
const pairPath = /\.\d+\.(name|value)$/; // params.0.name
const largestRow = 2000; // as in web/form.go

/** The largest length of a query in an address, in characters. Longer ones are in the hash. */
export const maxQueryChars = 1500;

const joinPath = (path, name) => (path === '' ? name : `${path}.${name}`);

/** @typedef {{path: string, label: string, detail: string}} FieldError */

/**
 * Converts the texts of a form to the JSON input of a tool.
 * @param {object[]} fields the input fields of the tool
 * @param {Object<string, string>} values texts by form path, such as stages.0.nf_db
 * @returns {{json: string, fieldErrors: FieldError[], places: Map<string, string>}} places maps
 *   paths in the JSON to paths in the form, which differ because empty rows are skipped
 */
export function readValues(fields, values) {
  /** @type {Reader} */
  const reader = { values, errors: [], places: new Map() };
  const json = readObject(reader, '', fields, '');
  return { json, fieldErrors: reader.errors, places: reader.places };
}

/**
 * @typedef {object} Reader
 * @property {Object<string, string>} values
 * @property {FieldError[]} errors
 * @property {Map<string, string>} places
 */

/** Returns the fields below a path as JSON, or "" if all of them are empty. */
function readObject(reader, path, fields, jsonPath) {
  const members = fields
    .map((f) => [f, readField(reader, joinPath(path, f.name), f, joinPath(jsonPath, f.name))])
    .filter(([, json]) => json !== '')
    .map(([f, json]) => `${JSON.stringify(f.name)}:${json}`);
  return members.length === 0 && path !== '' ? '' : `{${members.join(',')}}`;
}

/** Returns a field as JSON, or "" if it is empty. */
function readField(reader, path, f, jsonPath) {
  if (f.kind === 'group') return readObject(reader, path, f.fields ?? [], jsonPath);
  if (f.kind === 'rows') return readRows(reader, path, f, jsonPath);
  if (f.kind === 'pairs') return readPairs(reader, path, f, jsonPath);
  let text = reader.values[path] ?? '';
  if (f.kind !== 'text') text = text.trim();
  if (text === '') return '';
  switch (f.kind) {
    case 'quantity':
      return readNumber(reader, path, f.label, text, resolvePickedUnit(f, reader.values).unit);
    case 'literal':
      return (f.number ? jsonNumber : plainNumber).test(text) ? text : JSON.stringify(text);
    case 'switch':
      return text;
    case 'numbers': {
      const numbers = text.split(/[\s;]+|,\s+|,$/).filter(Boolean);
      return `[${numbers.map((t) => readNumber(reader, path, f.label, t, f.unit)).join(',')}]`;
    }
    case 'words': {
      const words = text.split(/[\s,;]+/).filter(Boolean);
      return `[${words.map((w) => JSON.stringify(w)).join(',')}]`;
    }
    default:
      return JSON.stringify(text);
  }
}

function readNumber(reader, path, label, text, unit = '') {
  const { value, error } = readQuantity(text, unit);
  if (!error) return JSON.stringify(value);
  reader.errors.push({ path, label, detail: error });
  return 'null';
}

/** Returns a list of objects as JSON without its empty rows. */
function readRows(reader, path, f, jsonPath) {
  const rows = [];
  for (const i of rowIndices(reader.values, path)) {
    const rowPath = joinPath(jsonPath, rows.length);
    const json = readObject(reader, joinPath(path, i), f.fields, rowPath);
    if (json === '') continue;
    reader.places.set(rowPath, joinPath(path, i));
    rows.push(json);
  }
  return rows.length ? `[${rows.join(',')}]` : '';
}

/** Returns rows of a name and a value as a JSON object. */
function readPairs(reader, path, f, jsonPath) {
  const members = [];
  const addError = (errorPath, detail) =>
    reader.errors.push({ path: errorPath, label: f.label, detail });
  for (const i of rowIndices(reader.values, path)) {
    const [namePath, valuePath] = [`${path}.${i}.name`, `${path}.${i}.value`];
    const name = (reader.values[namePath] ?? '').trim();
    const text = (reader.values[valuePath] ?? '').trim();
    if (name === '' && text === '') continue;
    if (name === '') addError(namePath, `needs a name for the value ${text}`);
    else if (text === '') addError(valuePath, `needs a value for ${name}`);
    else {
      reader.places.set(joinPath(jsonPath, name), valuePath);
      let json = JSON.stringify(text);
      if (f.whole) json = readNumber(reader, valuePath, name, text, f.unit);
      else if (jsonNumber.test(text) || text === 'true' || text === 'false') json = text;
      members.push(`${JSON.stringify(name)}:${json}`);
    }
  }
  return members.length || f.required ? `{${members.join(',')}}` : '';
}

/** Returns the row numbers below a path in ascending order. */
function rowIndices(values, path) {
  const indices = Object.keys(values)
    .filter((key) => key.startsWith(`${path}.`))
    .map((key) => key.slice(path.length + 1).split('.')[0])
    .filter((part) => rowIndex.test(part))
    .map(Number);
  return [...new Set(indices)].sort((a, b) => a - b);
}

/**
 * Returns the form path of a JSON Pointer from the server.
 * @param {string} pointer
 * @param {Map<string, string>} places see readValues
 */
export function formPath(pointer, places) {
  const parts = pointer.split('/').slice(1);
  let jsonPath = '';
  let path = '';
  for (const part of parts.map((p) => p.replaceAll('~1', '/').replaceAll('~0', '~'))) {
    jsonPath = joinPath(jsonPath, part);
    path = places.get(jsonPath) ?? joinPath(path, part);
  }
  return path;
}

/** Moves values of an alias to its field and adds the unit: c_nf=100 becomes c_f=100 nF. */
function moveAliases(fields, values) {
  for (const f of fields) {
    const text = values[f.name]?.trim();
    if (!f.alias || !text || values[f.alias]) continue;
    values[f.alias] = jsonNumber.test(text) ? `${text} ${f.unit}` : text;
    delete values[f.name];
  }
}

/**
 * Converts free names from a query to rows of names and values: params.r_ohms=1000 becomes
 * params.0.name=r_ohms and params.0.value=1000. Changes values and returns them.
 */
export function pairsToRows(fields, values) {
  for (const f of fields.filter((x) => x.kind === 'pairs')) {
    const isNamed = (path) => path.startsWith(`${f.name}.`) && !pairPath.test(path);
    for (const [i, path] of Object.keys(values).filter(isNamed).entries()) {
      values[`${f.name}.${i}.name`] = path.slice(f.name.length + 1);
      values[`${f.name}.${i}.value`] = values[path];
      delete values[path];
    }
  }
  return values;
}

const isValueControl = ({ name, type }) => name && !name.startsWith('_') && type !== 'submit';

/** The form of a tool on the page. */
export class Form {
  /**
   * @param {HTMLFormElement} element
   * @param {{input: object[]}} tool
   */
  constructor(element, tool) {
    this.element = element;
    this.tool = tool;
    for (const list of element.querySelectorAll('[data-list]')) this.#initList(list);
    element.addEventListener('input', (event) => this.echo(event.target));
    addEventListener('beforeprint', () => markOwnUnits(element));
  }

  /** Returns the texts of the non-empty fields by path. */
  values() {
    const values = {};
    // Not FormData, which computes the layout first.
    for (const control of this.element.elements) {
      const { name, value, type, checked } = control;
      if (isValueControl(control) && value !== '' && (type !== 'checkbox' || checked))
        values[name] = value;
    }
    return values;
  }

  /** Reads the form; see readValues. */
  read() {
    return this.readFrom(this.values());
  }

  /** Reads some of the values of the form; see readValues. */
  readFrom(values) {
    return readValues(this.tool.input, values);
  }

  /** Returns the values as a query. User-defined names are readable, such as params.r_ohms=1000. */
  query() {
    const values = this.values();
    const q = new URLSearchParams();
    const pairFields = this.tool.input.filter((f) => f.kind === 'pairs');
    for (const [path, text] of Object.entries(values)) {
      if (!pairPath.test(path) || !pairFields.some((f) => path.startsWith(`${f.name}.`))) {
        q.set(path, text);
        continue;
      }
      const row = path.replace(/\.(name|value)$/, '');
      const value = values[`${row}.value`];
      if (path.endsWith('.name') && value) q.set(`${row.replace(/\.\d+$/, '')}.${text}`, value);
    }
    return q;
  }

  /**
   * Fills the form and empties the fields without a value.
   * @param {URLSearchParams} query
   */
  fill(query) {
    const values = Object.fromEntries(query);
    pairsToRows(this.tool.input, values);
    moveAliases(this.tool.input, values);
    for (const list of this.element.querySelectorAll('[data-list]'))
      list.querySelector(':scope > .rows').replaceChildren();
    for (const path of Object.keys(values)) this.#addRowsFor(path);
    for (const f of this.tool.input)
      if (f.required && (f.kind === 'rows' || f.kind === 'pairs'))
        this.#addRowsFor(`${f.name}.0.x`);
    for (const control of this.element.elements) {
      if (!isValueControl(control)) continue;
      const text = values[control.name] ?? '';
      const isValid =
        control.tagName !== 'SELECT' || [...control.options].some((o) => o.value === text);
      control.value = isValid ? text : '';
      this.echo(control);
    }
    for (const more of this.element.querySelectorAll('.more'))
      if ([...more.querySelectorAll('input, select, textarea')].some((c) => c.value))
        more.open = true;
  }

  /** Adds the rows that a path needs. */
  #addRowsFor(path) {
    const parts = path.split('.');
    for (let i = 1; i < parts.length; i++) {
      if (!rowIndex.test(parts[i])) continue;
      const listPath = CSS.escape(parts.slice(0, i).join('.'));
      const list = this.element.querySelector(`[data-list="${listPath}"]`);
      if (!list) return;
      const rows = list.querySelector(':scope > .rows');
      while (rows.children.length <= Math.min(Number(parts[i]), largestRow)) this.addRow(list);
    }
  }

  #initList(list) {
    for (const row of list.querySelectorAll(':scope > .rows > .row')) this.#initRow(list, row);
    const addButton = list.querySelector(':scope > button[name="_add"]');
    addButton.type = 'button'; // without JavaScript it submits the form
    addButton.addEventListener('click', () => {
      this.addRow(list).querySelector('input, select')?.focus();
      this.changed();
    });
  }

  #initRow(list, row) {
    const remove = () => {
      const next = row.nextElementSibling ?? row.previousElementSibling;
      row.remove();
      numberRows(list);
      (next?.querySelector('input, select') ?? list.querySelector(':scope > button')).focus();
      this.changed();
    };
    row.append(smallButton('✕', remove, { class: 'drop', 'aria-label': 'Remove this row' }));
  }

  /** Adds an empty row to a list and returns it. */
  addRow(list) {
    const template = list.querySelector(':scope > template');
    const row = template.content.firstElementChild.cloneNode(true);
    list.querySelector(':scope > .rows').append(row);
    numberRows(list);
    this.#initRow(list, row);
    for (const inner of row.querySelectorAll('[data-list]')) this.#initList(inner);
    return row;
  }

  /** Dispatches an input event after a change by the program. */
  changed() {
    this.element.dispatchEvent(new Event('input', { bubbles: true }));
  }

  fieldAt(path) {
    return this.element.querySelector(`[data-field="${CSS.escape(path)}"]`);
  }

  /** Shows below a field how its number is read. */
  echo(control) {
    const box = control.closest?.('.field');
    const output = box?.querySelector('.echo');
    if (!output) return;
    const unit =
      box.querySelector('select.unit')?.selectedOptions[0].text ??
      unitAt(this.tool.input, box.dataset.field);
    const typed = control.value.trim();
    const { value } = unit === undefined ? {} : readQuantity(typed, unit);
    const text = value === undefined ? '' : formatQuantity(value, unit);
    // An equal number needs no echo, unless it may lack a prefix: 100 in F.
    const isSame = () =>
      text === typed ||
      (parseFloat(text) === Number(typed) && (!familyOf(unit) || familyOf(unit).family.keep));
    output.textContent = text && !isSame() ? `= ${text}` : '';
  }

  /**
   * Shows errors at their fields. Returns the errors that have no field.
   * @param {FieldError[]} errors
   */
  showErrors(errors) {
    this.#clearErrors();
    return errors.filter(({ path, detail }) => {
      const box = this.#errorBoxAt(path);
      if (!box) return true;
      box.textContent = box.textContent ? `${box.textContent}; ${detail}` : detail;
      const field = this.fieldAt(box.dataset.mistake);
      field?.classList.add('bad');
      field?.querySelector('input, select, textarea')?.setAttribute('aria-invalid', 'true');
      const more = box.closest('details');
      if (more) more.open = true;
      return false;
    });
  }

  #clearErrors() {
    for (const box of this.element.querySelectorAll('[data-mistake]'))
      if (box.textContent) box.textContent = '';
    for (const field of this.element.querySelectorAll('.bad')) field.classList.remove('bad');
    for (const control of this.element.querySelectorAll('[aria-invalid]'))
      control.removeAttribute('aria-invalid');
  }

  /** Returns the element for the errors of a field, or of the nearest list around it. */
  #errorBoxAt(path) {
    for (let p = path; p; p = p.split('.').slice(0, -1).join('.')) {
      const box = this.element.querySelector(`[data-mistake="${CSS.escape(p)}"]`);
      if (box) return box;
    }
    return undefined;
  }
}

/** Returns the unit of the number at a path, or undefined if the value is not a number. */
function unitAt(fields, path) {
  const parts = path.split('.');
  let f = fields.find((x) => x.name === parts[0]);
  for (let i = 1; f && i < parts.length; i++) {
    if (rowIndex.test(parts[i])) continue;
    if (f.kind === 'pairs') return parts[i] === 'value' && f.whole ? f.unit : undefined;
    f = f.fields?.find((x) => x.name === parts[i]);
  }
  return f?.kind === 'quantity' ? (f.unit ?? '') : undefined;
}

/** Marks the inputs whose text ends with a unit, such as "100 nF". Print omits the unit beside. */
function markOwnUnits(element) {
  for (const control of element.querySelectorAll('.entry > input')) {
    const unit = control.nextElementSibling?.textContent ?? '';
    const baseUnit = familyOf(unit)?.family.base ?? unit;
    const hasOwnUnit = unit !== '' && control.value.trim().endsWith(baseUnit);
    control.parentElement.classList.toggle('own-unit', hasOwnUnit);
  }
}

const numberedAttributes =
  'id name for data-field data-list data-mistake aria-describedby value'.split(' ');

/** Numbers the rows of a list in order: writes their indices into names, ids and references. */
function numberRows(list) {
  const path = list.dataset.list;
  const pattern = new RegExp(`${escapeRegExp(path)}\\.(\\d+|__)(?=\\.)`, 'g'); // "__" in a template
  const visit = (root, index) => {
    for (const element of root.querySelectorAll('*')) {
      for (const name of numberedAttributes) {
        // The value of a button that adds a row is the path of its list. Other values are inputs.
        if (name === 'value' && element.name !== '_add') continue;
        const text = element.getAttribute(name);
        if (text?.includes(path))
          element.setAttribute(name, text.replace(pattern, `${path}.${index}`));
      }
      if (element.tagName === 'TEMPLATE') visit(element.content, index);
    }
  };
  [...list.querySelector(':scope > .rows').children].forEach(visit);
}
