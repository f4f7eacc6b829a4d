// Drawing results: values with unit, copy and "send to", groups, tables, warnings, trouble.
import { html, render } from './vendor/ui.js';
import { familyOf, show, showNumber, showParts } from './quantity.js';
import { copy } from './shell.js';

const isEmpty = (v) => v === null || v === undefined || v === '';

/** What a number is worth with all its digits, for copying into another program. */
const exact = (v) => (typeof v === 'string' ? v : JSON.stringify(v));

function text(f, v) {
  if (typeof v === 'number') return show(v, f.unit ?? '');
  if (typeof v === 'boolean') return v ? 'yes' : 'no';
  if (Array.isArray(v)) return v.map((x) => text(f, x)).join(', ');
  if (isEmpty(v)) return '–';
  return typeof v === 'object' ? JSON.stringify(v) : String(v);
}

/** Where a value can go: the tools whose fields take it, with all else that goes with it. */
function onward(tool, name, result, input) {
  return (tool.feeds ?? []).filter((x) => x.fields.some((p) => p.from === name)).map((x) => {
    const q = new URLSearchParams();
    for (const p of x.fields) {
      const v = result[p.from] ?? input[p.from];
      if (!isEmpty(v)) q.set(p.to, String(v));
    }
    return { title: x.title, href: `/t/${x.tool}?${q}` };
  });
}

const CopyIcon = () => html`<svg width="14" height="14" viewBox="0 0 14 14" aria-hidden="true"><path d="M4.5 4.5h8v8h-8zM9.5 4.5v-3h-8v8h3" fill="none" stroke="currentColor" stroke-width="1.3"/></svg>`;

function Value({ f, v, first, given, links }) {
  const wordy = typeof v === 'string' && v.length > 24;
  const p = typeof v === 'number' ? showParts(v, f.unit ?? '') : { number: text(f, v), unit: '' };
  return html`<div class=${`value${first ? ' first' : ''}${given ? ' given' : ''}`} data-out=${f.name}>
    <span class="name" title=${f.doc}>${f.label}</span>
    <span class=${`number${wordy ? ' wordy' : ''}`} title=${exact(v)}>${p.number}${p.unit && html` <span class="u">${p.unit}</span>`}</span>
    <span class="acts">${links.length > 0 && html`<details class="send"><summary aria-label=${`Send ${f.label} to`}>send to</summary>
      <div>${links.map((l) => html`<a href=${l.href}>${l.title}</a>`)}</div></details>`}
      <button type="button" aria-label=${`Copy ${f.label}`} title="Copy with all digits" onClick=${(e) => copy(exact(v), e.currentTarget)}><${CopyIcon} /></button></span>
  </div>`;
}

const heading = (f) => f.label + (f.unit && f.unit !== '1' ? ` [${f.unit.replaceAll('currency', '¤')}]` : '');
const longestTable = 600;

/** A list of objects as a table. */
export function Table({ fields, rows }) {
  const shown = fields.filter((f) => rows.some((r) => !isEmpty(r[f.name])));
  const numeric = (f) => f.kind === 'quantity';
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Table"><table>
    <thead><tr>${shown.map((f) => html`<th scope="col" class=${numeric(f) ? 'n' : ''} title=${f.doc}>${heading(f)}</th>`)}</tr></thead>
    <tbody>${rows.slice(0, longestTable).map((r) => html`<tr>${shown.map((f) => html`<td class=${numeric(f) ? 'n' : ''}>${
      typeof r[f.name] === 'number' ? showNumber(r[f.name], f.unit) : cellText(f, r[f.name])}</td>`)}</tr>`)}</tbody></table>
    ${rows.length > longestTable && html`<p class="absent">${rows.length - longestTable} more rows in the JSON answer.</p>`}</div>`;
}

function cellText(f, v) {
  if (f.kind === 'group' && v) return f.fields.filter((x) => !isEmpty(v[x.name])).map((x) => text(x, v[x.name])).join(', ');
  return text(f, v);
}

function List({ f, items }) {
  if (items.length <= 8) return html`<div class="value"><span class="name" title=${f.doc}>${f.label}</span><span class="number wordy">${items.map((x) => text(f, x)).join(', ') || '–'}</span><span></span></div>`;
  return html`<section class="group"><h3>${f.label} <span class="count">${items.length}</span></h3>
    <div class="scroll" tabindex="0" role="region" aria-label=${f.label}><table><tbody>${items.slice(0, longestTable).map((x, i) => html`<tr><td class="n">${i + 1}</td><td>${text(f, x)}</td></tr>`)}</tbody></table></div></section>`;
}

/** Files by name, each to download. */
function Files({ f, files }) {
  return html`<section class="group"><h3>${f.label} <span class="count">${Object.keys(files).length}</span></h3><p class="picker">${Object.entries(files).map(([name, content]) =>
    html`<a class="chip" download=${name} href=${URL.createObjectURL(new Blob([content]))}>${name}</a>`)}</p></section>`;
}

function One({ f, v, context }) {
  const { folded } = context;
  switch (f.kind) {
    case 'group':
      if (folded.has(f.name)) return null;
      return html`<section class="group"><h3>${f.label}</h3>${f.fields.map((x) => !isEmpty(v[x.name]) && html`<${One} f=${x} v=${v[x.name]} context=${{ ...context, top: false }} />`)}</section>`;
    case 'rows':
      if (v.length === 0) return null;
      if (folded.has(f.name)) return html`<details class="group"><summary>${f.label}: table</summary><${Table} fields=${f.fields} rows=${v} /></details>`;
      return html`<section class="group"><h3>${f.label}</h3><${Table} fields=${f.fields} rows=${v} /></section>`;
    case 'grid': return null;
    case 'numbers':
    case 'words': return v.length === 0 ? null : html`<${List} f=${f} items=${v} />`;
    case 'pairs': {
      const entries = Object.entries(v);
      if (entries.length === 0) return null;
      if (typeof entries[0][1] === 'string') return html`<${Files} f=${f} files=${v} />`;
      if (Array.isArray(entries[0][1])) return null; // vectors are drawn as curves
      return html`<section class="group"><h3>${f.label}</h3>${entries.map(([name, x]) => html`<${One} f=${{ name, label: name, kind: 'quantity', unit: '' }} v=${x} context=${{ ...context, top: false }} />`)}</section>`;
    }
    default:
      if (typeof v === 'string' && v.includes('\n')) return html`<section class="group snippet"><h3>${f.label}</h3><button type="button" class="small" onClick=${(e) => copy(v, e.currentTarget)}>Copy</button><pre tabindex="0">${v}</pre>${context.top && onward(context.tool, f.name, context.result, context.input).map((l) => html`<a class="chip" href=${l.href}>${l.title}</a> `)}</section>`;
      return html`<${Value} f=${f} v=${v} first=${context.first === f.name && context.top} given=${context.top && context.given.has(f.name)}
        links=${context.top ? onward(context.tool, f.name, context.result, context.input) : []} />`;
  }
}

/** The results that only repeat an input, perhaps in another unit. */
function givenAgain(tool, result, input) {
  const inBase = (v, unit) => {
    const known = familyOf(unit ?? '');
    return known ? { base: known.family.base, v: v * known.own.mult * 10 ** known.own.exp } : undefined;
  };
  const given = tool.input.filter((f) => typeof input[f.name] === 'number').map((f) => inBase(input[f.name], f.unit)).filter(Boolean);
  return new Set(tool.output.filter((f) => {
    if (f.name in input) return true;
    const b = typeof result[f.name] === 'number' && inBase(result[f.name], f.unit);
    return b && given.some((g) => g.base === b.base && Math.abs(g.v - b.v) <= 1e-12 * Math.abs(b.v));
  }).map((f) => f.name));
}

/** The field that is shown large: the first number that was not given. */
function primary(fields, result, given) {
  const numbers = fields.filter((f) => f.kind === 'quantity' && !isEmpty(result[f.name]));
  return (numbers.find((f) => !given.has(f.name)) ?? numbers[0])?.name;
}

function Result({ tool, envelope, input, folded }) {
  const { result } = envelope;
  const shown = tool.output.filter((f) => !isEmpty(result[f.name]));
  const given = givenAgain(tool, result, input);
  const first = primary(tool.output, result, given);
  const order = [...shown.filter((f) => f.name === first), ...shown.filter((f) => f.name !== first && simple(f)), ...shown.filter((f) => f.name !== first && !simple(f))];
  const absent = tool.output.filter((f) => isEmpty(result[f.name]));
  const context = { tool, result, input, first, given, folded, top: true };
  return html`<div>
    ${result.warnings?.length > 0 && html`<ul class="warnings">${result.warnings.map((w) => html`<li>${w}</li>`)}</ul>`}
    ${order.map((f) => html`<${One} key=${f.name} f=${f} v=${result[f.name]} context=${context} />`)}
    ${absent.length > 0 && html`<p class="absent">Not computed from these inputs: ${absent.map((f) => f.label).join(', ')}.</p>`}
  </div>`;
}

const simple = (f) => !['group', 'rows', 'grid', 'numbers', 'words', 'pairs'].includes(f.kind);

/** Draws a result; folded are the lists that a picture shows. */
export function drawResult(element, tool, envelope, input, folded) {
  if (element.dataset.drawn !== 'yes') element.replaceChildren();
  element.dataset.drawn = 'yes';
  render(html`<${Result} tool=${tool} envelope=${envelope} input=${input} folded=${folded} />`, element);
}

/** Says what went wrong, in place of a result or, when there is one, above it. */
export function drawTrouble(element, trouble) {
  if (!trouble) {
    element.hidden = true;
    element.textContent = '';
    return;
  }
  element.hidden = false;
  render(html`<p class="problem"><b>${trouble.title}</b>${trouble.advice && html`<br />${trouble.advice}`}</p>`, element);
}
