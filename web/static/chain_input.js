// An input of a step in a chain: a control, or a choice of values from earlier steps.
import { html } from './vendor/ui.js';
import { isScalarField } from './chain_model.js';
import { pairsToRows } from './form.js';
import { unitText } from './quantity.js';

const isList = (f) => f.kind === 'numbers' || f.kind === 'words'; // in one text
const isNumber = (f) => f.kind === 'quantity' || f.kind === 'literal';

/**
 * A field with its label and its error.
 * @param {object} props
 * @param {object} props.f the field
 * @param {object[]} props.offers values of earlier steps, from sourcesFor
 * @param {(edit: (step: object) => object) => void} props.change edits a copy of the step
 */
export function Input({ f, id, step, offers, change, fieldError }) {
  const source = step.from[f.name];
  const isNested = !isScalarField(f) && !isList(f);
  const hasRows = isNested && !source;
  const setText = (text) =>
    change((s) => {
      if (text === '') delete s.values[f.name];
      else s.values[f.name] = text;
      return s;
    });
  const labelFor = source ? `${id}-from` : id;
  return html`<div
    class=${`in${fieldError ? ' bad' : ''}${hasRows ? ' rows-in' : ''}`}
    role=${hasRows ? 'group' : undefined}
    aria-label=${hasRows ? f.label : undefined}
  >
    <label for=${hasRows ? undefined : labelFor} title=${f.doc}
      >${f.label}${!f.required && html` <span class="opt">optional</span>`}</label
    >
    ${
      !source &&
      html`<${Control}
        f=${f}
        id=${id}
        step=${step}
        isNested=${isNested}
        change=${change}
        setText=${setText}
        fieldError=${fieldError}
      />`
    }
    ${
      offers.length > 0 &&
      html`<${SourceSelect} f=${f} id=${id} source=${source} offers=${offers} change=${change} />`
    }
    ${fieldError && html`<p class="mistake" role="alert">${fieldError}</p>`}
  </div>`;
}

/** The control for a value of the step itself. */
function Control({ f, id, step, isNested, change, setText, fieldError }) {
  if (isNested) return html`<${Rows} f=${f} id=${id} step=${step} change=${change} />`;
  const text = step.values[f.name] ?? '';
  if (f.options) return html`<${OptionSelect} f=${f} id=${id} text=${text} setText=${setText} />`;
  const unit = unitText(f.unit);
  return html`<span class="entry"
    ><input
      id=${id}
      class=${isNumber(f) ? 'num' : undefined}
      value=${text}
      placeholder=${f.default ?? ''}
      autocomplete="off"
      spellcheck="false"
      onInput=${(e) => setText(e.target.value)}
      aria-invalid=${fieldError ? 'true' : undefined}
    />${unit && html`<span class="unit">${unit}</span>`}</span
  >`;
}

function OptionSelect({ f, id, text, setText }) {
  return html`<select
    id=${id}
    value=${text === f.default ? '' : text}
    onChange=${(e) => setText(e.target.value)}
  >
    ${f.options.map((o) => html`<option value=${o.value}>${o.text}</option>`)}
  </select>`;
}

/** The choice between the own value and values of earlier steps. */
function SourceSelect({ f, id, source, offers, change }) {
  const valueOf = ({ step, name }) => `${step}.${name}`;
  const choose = (value) =>
    change((s) => {
      delete s.from[f.name];
      const offer = offers.find((o) => valueOf(o) === value);
      if (offer) s.from[f.name] = { step: offer.step, name: offer.name };
      return s;
    });
  return html`<select
    id=${`${id}-from`}
    aria-label=${`${f.label} from`}
    value=${source ? valueOf(source) : ''}
    onChange=${(e) => choose(e.target.value)}
  >
    <option value="">typed here</option>
    ${offers.map((o) => html`<option value=${valueOf(o)}>from ${o.label}</option>`)}
  </select>`;
}

const pairColumns = [
  { name: 'name', label: 'Name' },
  { name: 'value', label: 'Value' },
];

/** A list of objects, or of names and values, with a row per entry. */
function Rows({ f, id, step, change }) {
  const isPairs = f.kind === 'pairs';
  const columns = isPairs ? pairColumns : f.fields.filter((c) => isScalarField(c) || isList(c));
  const toRows = (values) => (isPairs ? pairsToRows([f], values) : values);
  const values = toRows({ ...step.values });
  const prefix = `${f.name}.`;
  const indices = Object.keys(values)
    .filter((path) => path.startsWith(prefix))
    .map((path) => Number(path.split('.')[1]));
  const rows = [...new Set(indices)].sort((a, b) => a - b);
  const edit = (apply) =>
    change((s) => {
      s.values = toRows(s.values);
      apply(s.values);
      return s;
    });
  // A cleared field stays an empty text, so that its row remains while the user types.
  const setText = (path, text) =>
    edit((v) => {
      v[path] = text;
    });
  const add = () => setText(`${prefix}${(rows.at(-1) ?? -1) + 1}.${columns[0].name}`, '');
  const remove = (i) =>
    edit((v) => {
      for (const path of Object.keys(v)) if (path.startsWith(`${prefix}${i}.`)) delete v[path];
    });
  return html`<ol class="rows">
      ${rows.map(
        (i) =>
          html`<li class="row" key=${i}>
            ${columns.map((column) => {
              const path = `${prefix}${i}.${column.name}`;
              return html`<${Cell}
                key=${column.name}
                column=${column}
                id=${`${id}-${i}-${column.name}`}
                text=${values[path] ?? ''}
                setText=${(text) => setText(path, text)}
              />`;
            })}
            <button
              type="button"
              class="drop"
              aria-label=${`Remove row ${i + 1} of ${f.label}`}
              onClick=${() => remove(i)}
            >
              ✕
            </button>
          </li>`,
      )}
    </ol>
    <button type="button" class="small" onClick=${add}>Add a row</button>`;
}

function Cell({ column, id, text, setText }) {
  const unit = unitText(column.unit);
  return html`<div class="field">
    <label for=${id} title=${column.doc}>${column.label}${unit && ` [${unit}]`}</label>
    ${
      column.options
        ? html`<${OptionSelect} f=${column} id=${id} text=${text} setText=${setText} />`
        : html`<input
            id=${id}
            value=${text}
            placeholder=${column.default ?? ''}
            autocomplete="off"
            spellcheck="false"
            onInput=${(e) => setText(e.target.value)}
          />`
    }
  </div>`;
}
