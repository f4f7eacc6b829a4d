// The result of a step in a chain.
import { html, useEffect, useRef } from './vendor/ui.js';
import { isScalarField } from './chain_model.js';
import {
  limitDigits,
  choiceText,
  unitSeparator,
  fieldParts,
  formatQuantity,
  resolveUnit,
} from './quantity.js';
import { findConclusion } from './result_model.js';

const maxValues = 8; // of a result
const maxTakenChars = 40; // of a taken text
const minWordyChars = 25; // of a text in the smaller size

/**
 * The result of a step, or the reason why there is none.
 * @param {object} props
 * @param {import('./chain_model.js').StepResult} props.result
 * @param {() => void} props.run
 */
export function Output({ tool, result, run }) {
  if (!result) return html`<p class="empty">…</p>`;
  if (result.waiting)
    return html`<p class="empty">${result.waiting}</p>
      ${result.isRunnable && html`<button type="button" class="main" onClick=${run}>Run</button>`}`;
  if (result.error && !result.fieldErrors?.length)
    return html`<p class="problem"><b>${result.error.message}</b> ${result.error.advice}</p>`;
  if (!result.envelope) return html`<p class="empty">Not computed.</p>`;
  const values = result.envelope.result;
  const conclusion = findConclusion(tool, values);
  const shown = tool.output
    .filter((f) => isScalarField(f) && isPresent(values[f.name]) && !(f.name in result.input))
    .sort((a, b) => rank(tool, b) - rank(tool, a))
    .slice(0, maxValues);
  return html`${conclusion && html`<p class=${`conclusion ${conclusion.tone}`}>${conclusion.text}</p>`}
  ${result.taken.map((t) => html`<p class="taken">takes ${t.field.label}${takenText(t)} from step ${t.source.step + 1}</p>`)}
  ${values.warnings?.map((w) => html`<p class="warnings"><span>${w}</span></p>`)}
  ${shown.map((f) => html`<${Value} key=${f.name} f=${resolveUnit(f, values)} v=${values[f.name]} />`)}
  ${values.vectors && html`<${Curves} tool=${tool} result=${values} />`}`;
}

const isPresent = (v) => v !== null && v !== undefined;

/** Returns the rank of a field: the primary results are first, the others keep their order. */
const rank = (tool, f) =>
  tool.primary?.includes(f.name) ? tool.primary.length - tool.primary.indexOf(f.name) : 0;

/** Returns the text of a taken value. A long one is only in its own step. */
function takenText({ field, value }) {
  if (typeof value === 'number') return ` = ${formatQuantity(value, field.unit ?? '')}`;
  const text = String(value);
  return text.length > maxTakenChars || text.includes('\n') ? '' : ` = ${text}`;
}

/** Returns the parts { number, unit } of a value. */
function valueParts(f, v) {
  if (typeof v === 'number') {
    const parts = fieldParts(f, v);
    return { ...parts, number: limitDigits(f, parts.number) };
  }
  if (f.kind === 'choice') return fieldParts(f, choiceText(f, v));
  return fieldParts(f, { true: 'yes', false: 'no' }[v] ?? String(v));
}

/** A value of a result. A text of several lines has a box of its own. */
function Value({ f, v }) {
  if (typeof v === 'string' && v.includes('\n'))
    return html`<div class="value text">
      <span class="name" title=${f.doc}>${f.label}</span>
      <pre tabindex="0" aria-label=${f.label}>${v}</pre>
    </div>`;
  const { number, unit } = valueParts(f, v);
  const isWordy = typeof v === 'string' && v.length >= minWordyChars;
  return html`<div class="value">
    <span class="name" title=${f.doc}>${f.label}</span
    ><span class=${`number${isWordy ? ' wordy' : ''}`}
      >${number}${unitSeparator(unit)}${unit && html`<span class="u">${unit}</span>`}</span
    >
  </div>`;
}

/** The vectors of a simulation. */
function Curves({ tool, result }) {
  const box = useRef();
  useEffect(() => {
    let cleanUp;
    let isGone = false;
    import('./picture_vectors.js').then((m) => {
      if (!isGone) cleanUp = m.draw(box.current, { tool, result });
    });
    return () => {
      isGone = true;
      cleanUp?.();
    };
  }, [result]);
  return html`<div ref=${box}></div>`;
}
