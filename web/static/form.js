// The form of a tool: reads it into a request, fills it, edits rows, shows units and errors. The
// server reads forms by the same rules (web/form.go).
import { familyOf, readQuantity, show, withPicked } from './quantity.js';
import { escapeRegExp } from './text.js';

const jsonNumber = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
const plainNumber = /^(0|[1-9]\d{0,14})(\.\d{0,14}[1-9])?$/; // a number represents it without loss
const at = (path, name) => (path === '' ? name : `${path}.${name}`);

/** Reads texts by path into JSON: { json, mistakes: [{path, label, detail}], places }. */
export function readValues(fields, values) {
  const mistakes = [];
  const places = new Map(); // path of a JSON entry in the form
  const indices = (path) =>
    [
      ...new Set(
        Object.keys(values)
          .filter((k) => k.startsWith(`${path}.`))
          .map((k) => k.slice(path.length + 1).split('.')[0])
          .filter((n) => /^\d+$/.test(n))
          .map(Number),
      ),
    ].sort((a, b) => a - b);
  const number = (path, label, text, unit) => {
    const r = readQuantity(text, unit ?? '');
    if (r.error) mistakes.push({ path, label, detail: r.error });
    return r.error ? 'null' : JSON.stringify(r.value);
  };
  const object = (path, list, jsonPath) => {
    const parts = list
      .map((f) => [f, field(at(path, f.name), f, at(jsonPath, f.name))])
      .filter(([, json]) => json !== '');
    return parts.length === 0 && path !== ''
      ? ''
      : `{${parts.map(([f, json]) => `${JSON.stringify(f.name)}:${json}`).join(',')}}`;
  };
  const rows = (path, f, jsonPath) => {
    const parts = [];
    for (const i of indices(path)) {
      const json = object(at(path, i), f.fields, at(jsonPath, parts.length));
      if (json === '') continue;
      places.set(at(jsonPath, parts.length), at(path, i));
      parts.push(json);
    }
    return parts.length ? `[${parts.join(',')}]` : '';
  };
  const pairs = (path, f, jsonPath) => {
    const parts = [];
    for (const i of indices(path)) {
      const name = (values[`${path}.${i}.name`] ?? '').trim();
      const text = (values[`${path}.${i}.value`] ?? '').trim();
      if (name === '' && text === '') continue;
      if (name === '')
        mistakes.push({
          path: `${path}.${i}.name`,
          label: f.label,
          detail: `needs a name for the value ${text}`,
        });
      else if (text === '')
        mistakes.push({
          path: `${path}.${i}.value`,
          label: f.label,
          detail: `needs a value for ${name}`,
        });
      else {
        places.set(at(jsonPath, name), `${path}.${i}.value`);
        let json = JSON.stringify(text);
        if (f.whole) json = number(`${path}.${i}.value`, name, text, f.unit);
        else if (jsonNumber.test(text) || text === 'true' || text === 'false') json = text;
        parts.push(`${JSON.stringify(name)}:${json}`);
      }
    }
    return parts.length || f.required ? `{${parts.join(',')}}` : '';
  };
  const field = (path, f, jsonPath) => {
    if (f.kind === 'group') return object(path, f.fields ?? [], jsonPath);
    if (f.kind === 'rows') return rows(path, f, jsonPath);
    if (f.kind === 'pairs') return pairs(path, f, jsonPath);
    let text = values[path] ?? '';
    if (f.kind !== 'text') text = text.trim();
    if (text === '') return '';
    switch (f.kind) {
      case 'quantity':
        return number(path, f.label, text, withPicked(f, values).unit);
      case 'literal':
        return (f.number ? jsonNumber : plainNumber).test(text) ? text : JSON.stringify(text);
      case 'switch':
        return text;
      case 'numbers':
        return `[${text
          .split(/[\s;]+|,\s+|,$/)
          .filter(Boolean)
          .map((t) => number(path, f.label, t, f.unit))
          .join(',')}]`;
      case 'words':
        return `[${text
          .split(/[\s,;]+/)
          .filter(Boolean)
          .map((t) => JSON.stringify(t))
          .join(',')}]`;
      default:
        return JSON.stringify(text);
    }
  };
  return { json: object('', fields, ''), mistakes, places };
}

/** Where a JSON pointer of the server points to in the form. */
export function formPath(pointer, places) {
  let json = '';
  let path = '';
  for (const part of pointer
    .split('/')
    .slice(1)
    .map((p) => p.replaceAll('~1', '/').replaceAll('~0', '~'))) {
    json = at(json, part);
    path = places.get(json) ?? at(path, part);
  }
  return path;
}

/** Writes values in the unit of an alias into the field that the form has for them: c_nf=100 becomes c_f=100 nF. */
function moveAliases(fields, values) {
  for (const f of fields) {
    const text = values[f.name]?.trim();
    if (!f.alias || !text || values[f.alias]) continue;
    values[f.alias] = jsonNumber.test(text) ? `${text} ${f.unit}` : text;
    delete values[f.name];
  }
}

/** A form on the page. */
export class Form {
  constructor(element, tool) {
    this.element = element;
    this.tool = tool;
    for (const list of element.querySelectorAll('[data-list]')) this.#equip(list);
    element.addEventListener('input', (event) => this.echo(event.target));
    addEventListener('beforeprint', () => {
      // "100 nF" needs no F behind it
      for (const c of element.querySelectorAll('.entry > input')) {
        const unit = c.nextElementSibling?.textContent ?? '';
        c.parentElement.classList.toggle(
          'own-unit',
          unit !== '' && c.value.trim().endsWith(familyOf(unit)?.family.base ?? unit),
        );
      }
    });
  }

  /** The texts of the fields that are filled in, by path. */
  values() {
    const values = {};
    for (const { name, value, type, checked } of this.element.elements) {
      // FormData computes the layout first
      if (
        name &&
        !name.startsWith('_') &&
        value !== '' &&
        type !== 'submit' &&
        (type !== 'checkbox' || checked)
      )
        values[name] = value;
    }
    return values;
  }

  read() {
    return this.readFrom(this.values());
  }

  /** As read, for some of the values only. */
  readFrom(values) {
    return readValues(this.tool.input, values);
  }

  /** The values as a readable query; free names stand as params.r_ohms=1000. */
  query() {
    const values = this.values();
    const q = new URLSearchParams();
    for (const [path, text] of Object.entries(values)) {
      const pair = /^(.+\.\d+)\.(name|value)$/.exec(path);
      const isPair =
        pair && this.tool.input.some((f) => f.kind === 'pairs' && path.startsWith(`${f.name}.`));
      if (!isPair) q.set(path, text);
      else if (pair[2] === 'name' && values[`${pair[1]}.value`])
        q.set(`${pair[1].replace(/\.\d+$/, '')}.${text}`, values[`${pair[1]}.value`]);
    }
    return q;
  }

  /** Fills the form from a query; fields that it does not name are emptied. */
  fill(query) {
    const values = Object.fromEntries(query);
    for (const f of this.tool.input.filter((x) => x.kind === 'pairs')) {
      let n = 0;
      for (const path of Object.keys(values).filter(
        (p) => p.startsWith(`${f.name}.`) && !/\.\d+\.(name|value)$/.test(p),
      )) {
        values[`${f.name}.${n}.name`] = path.slice(f.name.length + 1);
        values[`${f.name}.${n++}.value`] = values[path];
        delete values[path];
      }
    }
    moveAliases(this.tool.input, values);
    for (const list of this.element.querySelectorAll('[data-list]'))
      list.querySelector(':scope > .rows').replaceChildren();
    for (const path of Object.keys(values)) this.#rowsFor(path);
    for (const f of this.tool.input)
      if (f.required && (f.kind === 'rows' || f.kind === 'pairs')) this.#rowsFor(`${f.name}.0.x`);
    for (const control of this.element.elements) {
      if (!control.name || control.name.startsWith('_') || control.type === 'submit') continue;
      const text = values[control.name] ?? '';
      if (control.tagName === 'SELECT')
        control.value = [...control.options].some((o) => o.value === text) ? text : '';
      else control.value = text;
      this.echo(control);
    }
    for (const more of this.element.querySelectorAll('.more'))
      if ([...more.querySelectorAll('input, select, textarea')].some((c) => c.value))
        more.open = true;
  }

  #rowsFor(path) {
    const parts = path.split('.');
    for (let i = 1; i < parts.length; i++) {
      if (!/^\d+$/.test(parts[i])) continue;
      const list = this.element.querySelector(
        `[data-list="${CSS.escape(parts.slice(0, i).join('.'))}"]`,
      );
      if (!list) return;
      while (
        list.querySelector(':scope > .rows').children.length <= Math.min(Number(parts[i]), 2000)
      )
        this.addRow(list);
    }
  }

  #equip(list) {
    for (const row of list.querySelectorAll(':scope > .rows > .row')) this.#equipRow(list, row);
    const add = list.querySelector(':scope > button[name="_add"]');
    add.type = 'button';
    add.addEventListener('click', () => {
      this.addRow(list).querySelector('input, select')?.focus();
      this.changed();
    });
  }

  #equipRow(list, row) {
    const drop = document.createElement('button');
    drop.type = 'button';
    drop.className = 'drop';
    drop.textContent = '✕';
    drop.setAttribute('aria-label', 'Remove this row');
    drop.addEventListener('click', () => {
      const next = row.nextElementSibling ?? row.previousElementSibling;
      row.remove();
      this.#number(list);
      (next?.querySelector('input, select') ?? list.querySelector(':scope > button')).focus();
      this.changed();
    });
    row.append(drop);
  }

  addRow(list) {
    const rows = list.querySelector(':scope > .rows');
    const row = list.querySelector(':scope > template').content.firstElementChild.cloneNode(true);
    rows.append(row);
    this.#number(list);
    this.#equipRow(list, row);
    for (const inner of row.querySelectorAll('[data-list]')) this.#equip(inner);
    return row;
  }

  /** Gives the rows of a list their numbers, in names and ids. */
  #number(list) {
    const path = list.dataset.list;
    [...list.querySelector(':scope > .rows').children].forEach((row, i) => renumber(row, path, i));
  }

  changed() {
    this.element.dispatchEvent(new Event('input', { bubbles: true }));
  }

  fieldAt(path) {
    return this.element.querySelector(`[data-field="${CSS.escape(path)}"]`);
  }

  /** Says below a field how its number was read. */
  echo(control) {
    const box = control.closest?.('.field');
    const output = box?.querySelector('.echo');
    if (!output) return;
    const unit =
      box.querySelector('select.unit')?.selectedOptions[0].text ??
      unitAt(this.tool.input, box.dataset.field);
    const typed = control.value.trim();
    const { value } = unit === undefined ? {} : readQuantity(typed, unit);
    const text = value === undefined ? '' : show(value, unit);
    // What is typed as it is shown needs no echo, except where it may lack a prefix: 100 in F.
    const isSame = () =>
      text === typed ||
      (text === `${typed} ${unit}` && (!familyOf(unit) || familyOf(unit).family.keep));
    output.textContent = text && !isSame() ? `= ${text}` : '';
  }

  /** Shows what is wrong at each field; what has no field of its own is given back. */
  showMistakes(mistakes) {
    for (const box of this.element.querySelectorAll('[data-mistake]'))
      if (box.textContent) box.textContent = '';
    for (const bad of this.element.querySelectorAll('.bad')) bad.classList.remove('bad');
    for (const bad of this.element.querySelectorAll('[aria-invalid]'))
      bad.removeAttribute('aria-invalid');
    return mistakes.filter((m) => {
      let path = m.path;
      let box;
      while (path && !(box = this.element.querySelector(`[data-mistake="${CSS.escape(path)}"]`)))
        path = path.split('.').slice(0, -1).join('.');
      if (!box) return true;
      box.textContent = box.textContent ? `${box.textContent}; ${m.detail}` : m.detail;
      const field = this.fieldAt(path);
      field?.classList.add('bad');
      field?.querySelector('input, select, textarea')?.setAttribute('aria-invalid', 'true');
      const more = box.closest('details');
      if (more) more.open = true;
      return false;
    });
  }
}

/** The unit of the number at a path, undefined when it is not a number. */
export function unitAt(fields, path) {
  const parts = path.split('.');
  let f = fields.find((x) => x.name === parts[0]);
  for (let i = 1; f && i < parts.length; i++) {
    if (/^\d+$/.test(parts[i])) continue;
    if (f.kind === 'pairs') return parts[i] === 'value' && f.whole ? f.unit : undefined;
    f = f.fields?.find((x) => x.name === parts[i]);
  }
  return f?.kind === 'quantity' ? (f.unit ?? '') : undefined;
}

/** Rewrites the number of a row after path in every attribute that holds it. */
function renumber(row, path, i) {
  const pattern = new RegExp(`${escapeRegExp(path)}\\.(\\d+|__)(?=\\.)`, 'g');
  const visit = (root) => {
    for (const e of root.querySelectorAll('*')) {
      for (const a of [
        'id',
        'name',
        'for',
        'data-field',
        'data-list',
        'data-mistake',
        'aria-describedby',
        'value',
      ]) {
        if (a === 'value' && e.name !== '_add') continue;
        const text = e.getAttribute(a);
        if (text?.includes(path)) e.setAttribute(a, text.replace(pattern, `${path}.${i}`));
      }
      if (e.tagName === 'TEMPLATE') visit(e.content);
    }
  };
  visit(row);
}
