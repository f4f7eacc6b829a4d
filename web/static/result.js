// Results: values with unit, copy and "send to", groups, tables, warnings, errors.
import { el, icon } from './dom.js';
import {
  brief,
  carried,
  choiceText,
  familyOf,
  gap,
  joined,
  partsOf,
  show,
  showNumber,
  unitText,
  withUnit,
} from './quantity.js';
import { copy, download, announce } from './shell.js';

const isEmpty = (v) => v === null || v === undefined || v === '';

/** What a number is worth with all its digits, for copying into another program. */
const exact = (v) => (typeof v === 'string' ? v : JSON.stringify(v));

function text(f, v) {
  if (typeof v === 'number') return show(v, f.unit ?? '');
  if (typeof v === 'boolean') return v ? 'yes' : 'no';
  if (Array.isArray(v)) return v.map((x) => text(f, x)).join(', ');
  if (isEmpty(v)) return '–';
  if (f.kind === 'choice') return choiceText(f, v);
  return typeof v === 'object' ? JSON.stringify(v) : String(v);
}

/** A text of the API with the names of the page: labels of fields and texts of choices, as names in web/label.go. */
export function inWords(tool, text) {
  const fields = [...tool.input, ...(tool.output ?? [])].flatMap((f) => [f, ...(f.fields ?? [])]);
  const condition = (all, name, value) => {
    const f = tool.input.find((x) => x.name === name && x.options?.some((o) => o.value === value));
    return f ? `with “${f.label}: ${choiceText(f, value)}”` : all;
  };
  return text
    .replace(/\bwith ([a-z]\w*) ([a-z]\w*)\b/g, condition)
    .replace(/\b[a-z][a-z0-9]*(_[a-z0-9]+)+\b/g, (name) => {
      const f = fields.find((x) => x.name === name);
      const choice = fields.find((x) => x.options?.some((o) => (o.value || x.default) === name));
      return f ? `“${f.label}”` : choice ? choiceText(choice, name) : name;
    });
}

/** Where a value can go: the tools whose fields take it, with all else that goes with it. */
function onward(tool, name, result, input) {
  return (tool.feeds ?? [])
    .filter((x) => x.fields.some((p) => p.from === name))
    .map((x) => {
      const q = new URLSearchParams();
      for (const p of x.fields) {
        const v = result[p.from] ?? input[p.from];
        if (!isEmpty(v)) q.set(p.to, carried(v));
      }
      return { title: x.title, href: `${x.page}?${q}` };
    });
}

const copyIcon = 'M4.5 4.5h8v8h-8zM9.5 4.5v-3h-8v8h3';

function value(f, v, { first = false, links = [] } = {}) {
  const wordy = typeof v === 'string' && v.length > (first ? 16 : 24);
  const p = partsOf(f, typeof v === 'number' ? v : text(f, v));
  if (typeof v === 'number') p.number = brief(f, p.number);
  const unit = typeof v === 'number' ? unitText(f.unit) : '';
  return el(
    'div',
    { class: `value${first ? ' first' : ''}`, 'data-out': f.name },
    el('span', { class: 'name', title: f.doc }, f.label),
    el(
      'span',
      { class: `number${wordy ? ' wordy' : ''}`, title: joined({ number: exact(v), unit }) },
      p.number,
      (f.picker || p.unit) && [gap(p.unit), f.picker ?? el('span', { class: 'u' }, p.unit)],
    ),
    el(
      'span',
      { class: 'acts' },
      links.length > 0 &&
        el(
          'details',
          { class: 'send' },
          el('summary', { title: `Send ${f.label} to` }, 'send to'),
          el(
            'div',
            {},
            links.map((l) => el('a', { href: l.href }, l.title)),
          ),
        ),
      el(
        'button',
        {
          type: 'button',
          'aria-label': `Copy ${f.label}`,
          title: 'Copy with all digits',
          onclick: (e) => copy(exact(v), e.currentTarget),
        },
        icon(copyIcon),
      ),
    ),
  );
}

const stem = (name) => name.replace(/_[^_]+$/, '');

/** The results that state one quantity in several units, as lists of fields: width_mm and width_mil. */
export function inSeveralUnits(fields, result) {
  const groups = new Map();
  for (const f of fields) {
    const v = result[f.name];
    const known =
      f.kind === 'quantity' && !f.unitFrom && typeof v === 'number'
        ? familyOf(f.unit ?? '')
        : undefined;
    if (!known) continue;
    const key = `${stem(f.name)} ${known.family.base}`;
    const base = v * known.own.mult * 10 ** known.own.exp;
    const group = groups.get(key) ?? { base, fields: [] };
    if (
      Math.abs(base - group.base) > 1e-9 * Math.abs(base) ||
      group.fields.some((g) => g.unit === f.unit)
    )
      continue;
    groups.set(key, group);
    group.fields.push(f);
  }
  return [...groups.values()].map((g) => g.fields).filter((list) => list.length > 1);
}

const picked = new Map(); // the field that the user has chosen, by tool and stem

/** One value with a picker of its units in place of a value per unit. */
function oneOfUnits(list, context) {
  const key = `${context.tool.name} ${stem(list[0].name)}`;
  const label = (list.find((f) => !f.inUnit) ?? list[0]).label.replace(/ \([^)]*\)$/, '');
  const isHandy = (f) =>
    Math.abs(context.result[f.name]) >= 0.1 && Math.abs(context.result[f.name]) < 1e4;
  const start = list.find((f) => f.name === context.first) ?? list.find(isHandy) ?? list[0];
  const f = list.find((x) => x.name === picked.get(key)) ?? start;
  const picker = el(
    'select',
    {
      class: 'u',
      'aria-label': `Unit of ${label}`,
      onchange: (e) => {
        picked.set(key, list[e.target.selectedIndex].name);
        const next = oneOfUnits(list, context);
        e.target.closest('.value').replaceWith(next);
        next.querySelector('select').focus();
      },
    },
    list.map((x) => el('option', { selected: x === f }, unitText(x.unit))),
  );
  const links = list.flatMap((x) => onward(context.tool, x.name, context.result, context.input));
  return value({ ...f, label, picker, inUnit: true }, context.result[f.name], {
    first: list.some((x) => x.name === context.first),
    links: links.filter((l, i) => links.findIndex((k) => k.title === l.title) === i),
  });
}

/** Whether a column of a table shows each number with its own prefix and unit, as needsPrefixes in web/result.go. */
const needsPrefixes = (f, rows) =>
  f.kind === 'quantity' &&
  !f.inUnit &&
  !f.asked &&
  unitText(f.unit) !== '' &&
  rows.some(
    (r) => Math.abs(r[f.name]) >= 1e6 || (Math.abs(r[f.name]) > 0 && Math.abs(r[f.name]) < 1e-3),
  );
const longestTable = 600;

/** A list of objects as a table. titleOf of a field gives the title of the text in a row, by its number. */
export function table(fields, rows) {
  const shown = fields.filter((f) => rows.some((r) => !isEmpty(r[f.name])));
  const prefixed = new Set(shown.filter((f) => needsPrefixes(f, rows)));
  const heading = (f) =>
    f.label + (unitText(f.unit) && !prefixed.has(f) ? ` [${unitText(f.unit)}]` : '');
  const side = (f) => ({ quantity: 'n', group: 'wide' })[f.kind] ?? '';
  const entry = (f, v, i) => {
    if (typeof v !== 'number')
      return el('td', { class: side(f), title: f.titleOf?.(i) }, cell(f, v));
    return el(
      'td',
      { class: side(f), title: joined({ number: exact(v), unit: unitText(f.unit) }) },
      shortened(f, prefixed.has(f) ? show(v, f.unit) : showNumber(v, f.unit)),
    );
  };
  return el(
    'div',
    { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Table' },
    el(
      'table',
      {},
      el(
        'thead',
        {},
        el(
          'tr',
          {},
          shown.map((f) => el('th', { scope: 'col', class: side(f), title: f.doc }, heading(f))),
        ),
      ),
      el(
        'tbody',
        {},
        rows.slice(0, longestTable).map((r, i) =>
          el(
            'tr',
            {},
            shown.map((f) => entry(f, r[f.name], i)),
          ),
        ),
      ),
    ),
    rows.length > longestTable &&
      el('p', { class: 'absent' }, `${rows.length - longestTable} more rows in the JSON answer.`),
  );
}

/** A number and its unit in the digits of a result. */
const shortened = (f, s) => s.replace(/^[^\s°]+/, (number) => brief(f, number));

/** A value of a field as text. */
export function cell(f, v) {
  if (f.kind === 'rows' && v) return v.map((row) => cell({ ...f, kind: 'group' }, row)).join('; ');
  if (f.kind === 'group' && v)
    return f.fields
      .filter((x) => !isEmpty(v[x.name]))
      .map((x) => shortened(x, text(x, v[x.name])))
      .join(', ');
  if (f.kind === 'pairs' && v)
    return Object.entries(v)
      .map(([name, x]) => `${name} ${typeof x === 'number' ? show(x, '') : x}`)
      .join(', ');
  return text(f, v);
}

const group = (label, ...content) =>
  el('section', { class: 'group' }, el('h3', {}, label), content);
const counted = (label, n) => [label, ' ', el('span', { class: 'count' }, n)];

function list(f, items, options) {
  if (items.length <= 8) return value(f, items.map((x) => text(f, x)).join(', ') || '–', options);
  return group(
    counted(f.label, items.length),
    el(
      'div',
      { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': f.label },
      el(
        'table',
        {},
        el(
          'tbody',
          {},
          items
            .slice(0, longestTable)
            .map((x, i) => el('tr', {}, el('td', { class: 'n' }, i + 1), el('td', {}, text(f, x)))),
        ),
      ),
    ),
  );
}

/** Files by name, each to download. */
function files(f, contents) {
  return group(
    counted(f.label, Object.keys(contents).length),
    el(
      'p',
      { class: 'picker' },
      Object.entries(contents).map(([name, content]) =>
        el(
          'button',
          { type: 'button', class: 'chip', onclick: () => download(name, content) },
          name,
        ),
      ),
    ),
  );
}

/** A value of a result in the way of its kind. */
function one(f, v, context) {
  const inner = { ...context, top: false };
  switch (f.kind) {
    case 'group':
      return (
        !context.folded.has(f.name) &&
        group(
          f.label,
          f.fields.filter((x) => !isEmpty(v[x.name])).map((x) => one(x, v[x.name], inner)),
        )
      );
    case 'rows':
      if (v.length === 0) return null;
      return context.folded.has(f.name)
        ? el(
            'details',
            { class: 'group' },
            el('summary', {}, `${f.label}: table`),
            table(f.fields, v),
          )
        : group(f.label, table(f.fields, v));
    case 'grid':
      return null;
    case 'numbers':
    case 'words':
      return v.length > 0 && list(f, v, { first: context.top && context.first === f.name });
    case 'pairs': {
      const entries = Object.entries(v);
      if (entries.length === 0 || Array.isArray(entries[0][1])) return null; // vectors are drawn as curves
      if (typeof entries[0][1] === 'string') return files(f, v);
      return group(
        f.label,
        entries.map(([name, x]) =>
          one({ name, label: name, kind: 'quantity', unit: '' }, x, inner),
        ),
      );
    }
  }
  const links = context.top ? onward(context.tool, f.name, context.result, context.input) : [];
  if (typeof v === 'string' && v.includes('\n')) {
    return el(
      'section',
      { class: 'group snippet' },
      el('h3', {}, f.label),
      el(
        'button',
        { type: 'button', class: 'small', onclick: (e) => copy(v, e.currentTarget) },
        'Copy',
      ),
      el('pre', { tabindex: 0 }, v),
      links.map((l) => el('a', { class: 'chip', href: l.href }, l.title)),
    );
  }
  return value(f, v, { first: context.top && context.first === f.name, links });
}

/** The results that only repeat an input, perhaps in another unit or, for those people come for, under another name. */
function givenAgain(tool, result, input) {
  const inBase = (v, unit) => {
    const known = familyOf(unit ?? '');
    return known
      ? { base: known.family.base, v: v * known.own.mult * 10 ** known.own.exp }
      : undefined;
  };
  const numbers = tool.input.filter((f) => typeof input[f.name] === 'number');
  const given = numbers.map((f) => ({ name: stem(f.name), ...inBase(input[f.name], f.unit) }));
  const same = (f, v) =>
    tool.input.some(
      (g) => input[g.name] === v && (typeof v === 'string' || (g.unit ?? '') === (f.unit ?? '')),
    ) || String(v) === String(input.value);
  return new Set(
    tool.output
      .filter((f) => {
        const v = result[f.name];
        if (f.name in input || (tool.primary?.includes(f.name) && !isEmpty(v) && same(f, v)))
          return true;
        const b = typeof v === 'number' && inBase(v, f.unit);
        return (
          b &&
          given.some(
            (g) =>
              g.name === stem(f.name) &&
              g.base === b.base &&
              Math.abs(g.v - b.v) <= 1e-12 * Math.abs(b.v),
          )
        );
      })
      .map((f) => f.name),
  );
}

/** The field that is shown large: the first of those that the tool names, else of its numbers, that was not given. */
function primary(tool, result, given) {
  const filled = (name) =>
    !isEmpty(result[name]) && !(Array.isArray(result[name]) && result[name].length === 0);
  const named = (tool.primary ?? []).filter(filled);
  const numbers = tool.output
    .filter((f) => f.kind === 'quantity' && filled(f.name))
    .map((f) => f.name);
  return [...named, ...numbers].find((name) => !given.has(name)) ?? named[0] ?? numbers[0];
}

const simple = (f) => !['group', 'rows', 'grid', 'numbers', 'words', 'pairs'].includes(f.kind);

/** Whether a result only repeats an input, given or by default, as show in web/result.go says. */
export const repeats = (tool, f, result, input) =>
  f.name in input
    ? input[f.name] === result[f.name]
    : (result[f.name] !== null &&
        String(result[f.name]) === tool.input.find((x) => x.name === f.name)?.default) ||
      (typeof result[f.name] === 'string' &&
        tool.input.some(
          (x) => f.name.startsWith(`${x.name}_`) && (input[x.name] ?? x.default) === result[f.name],
        ));

/** The first conclusion of a tool that holds for a result, as web/conclusions.go has it: { text, tone }, or undefined. */
export function conclude(tool, result) {
  for (const c of tool.conclusions ?? []) {
    const v = result[c.if];
    const holds =
      !c.if ||
      (c.unlike
        ? !isEmpty(v) && v !== result[c.unlike]
        : c.is
          ? String(v) === c.is
          : typeof v === 'number' && v >= (c.min ?? -Infinity) && v < (c.below ?? Infinity));
    const names = [...c.text.matchAll(/\{(\w+)\}/g)].map((m) => m[1]);
    if (!holds || names.some((n) => isEmpty(result[n]))) continue;
    const written = (name) => {
      const f = withUnit(
        tool.output.find((x) => x.name === name),
        result,
      );
      if (typeof result[name] !== 'number') return partsOf(f, text(f, result[name]));
      const p = partsOf(f, result[name]);
      return { ...p, number: brief(f, p.number) };
    };
    return {
      tone: c.tone ?? '',
      text: c.text.replace(/\{(\w+)\}/g, (m, name) => {
        return joined(written(name), '\u00a0');
      }),
    };
  }
  return undefined;
}

/** Draws a result without what repeats an input; folded are the lists and groups that a picture shows. */
export function drawResult(element, tool, envelope, input, folded) {
  const { result } = envelope;
  const given = givenAgain(tool, result, input);
  const first = primary(tool, result, given);
  const shown = tool.output.filter(
    (f) => !isEmpty(result[f.name]) && (f.name === first || !repeats(tool, f, result, input)),
  );
  const order = [
    ...shown.filter((f) => f.name === first),
    ...shown.filter((f) => f.name !== first && simple(f)),
    ...shown.filter((f) => f.name !== first && !simple(f)),
  ];
  const context = { tool, result, input, first, folded, top: true };
  const units = new Map(
    inSeveralUnits(order, result).flatMap((list) => list.map((f) => [f, list])),
  );
  const draw = (f) => {
    const list = units.get(f);
    if (!list) return one(withUnit(f, result), result[f.name], context);
    return f === list[0] && oneOfUnits(list, context);
  };
  const said = conclude(tool, result);
  element.replaceChildren(
    el(
      'div',
      {},
      said && el('p', { class: `conclusion ${said.tone}` }, said.text),
      result.warnings?.length > 0 &&
        el(
          'ul',
          { class: 'warnings' },
          result.warnings.map((w) => el('li', {}, inWords(tool, w))),
        ),
      order.slice(0, 1).map(draw),
      el('div', { class: 'rest' }, order.slice(1).map(draw)),
    ),
  );
}

/**
 * Says above a result that it is not that of the inputs in the form; a text of "" takes it back.
 * What is stale for good, as no result can follow, is dimmed too.
 */
export function drawStale(note, boxes, text, dimmed = true) {
  for (const box of boxes) box.classList.toggle('stale', text !== '' && dimmed);
  if (text !== note.textContent && text !== '') announce(text);
  note.hidden = text === '';
  note.textContent = text;
}

/** Whether an error is the end of a job that was cancelled: no defect and nothing to correct. */
export const isCancelled = (error) => error.kind === 'job-cancelled';

/** Says what went wrong, in place of a result or, when there is one, above it. */
export function drawError(element, trouble) {
  element.hidden = !trouble;
  element.replaceChildren(
    ...(trouble
      ? [
          isCancelled(trouble)
            ? el('p', { class: 'absent' }, trouble.message)
            : el(
                'p',
                { class: 'problem' },
                el('b', {}, trouble.message),
                trouble.advice && [el('br'), trouble.advice],
              ),
        ]
      : []),
  );
}
