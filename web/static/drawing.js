// The drawing of a tool: updates the values at its labels and highlights the field in focus.
// web/drawn.go implements the same rules for the values.
import { h, smallButton } from './dom.js';
import {
  limitDigits,
  choiceText,
  joinParts,
  fieldParts,
  readQuantity,
  resolveUnit,
} from './quantity.js';

/** Returns the fields that a label shows. */
const namesOf = (label) => label?.dataset.f.split(' ') ?? [];

const isPresent = (v) => v !== null && v !== undefined && v !== '';

/**
 * Connects the drawing in a figure with a form. Returns redraw(result), or undefined without a
 * drawing. The result is omitted if only the form has changed, and null if it is that of other
 * inputs.
 */
export function liveDrawing(figure, tool, form) {
  const svg = figure?.querySelector('svg');
  if (!svg) return undefined;
  let result = {};
  const update = () => {
    const [rawValue, text] = labelValues(tool, form, result);
    for (const g of svg.querySelectorAll('[data-if]'))
      g.toggleAttribute('hidden', !matches(rawValue(g.dataset.if), g.dataset));
    for (const label of svg.querySelectorAll('.v')) {
      const value = namesOf(label.closest('[data-f]')).map(text).find(Boolean) ?? '';
      const isInline = !label.hasAttribute('x') && label.previousSibling;
      label.textContent = value && isInline ? ` = ${value}` : value;
    }
  };
  const highlight = (name) => {
    for (const g of svg.querySelectorAll('[data-f]'))
      g.classList.toggle('on', namesOf(g).includes(name));
  };
  form.element.addEventListener('input', update);
  form.element.addEventListener('focusin', ({ target }) => highlight(target.name?.split('.')[0]));
  form.element.addEventListener('focusout', () => highlight(undefined));
  svg.addEventListener('click', ({ target }) => {
    namesOf(target.closest('[data-f]'))
      .map((name) => document.getElementById(`f-${name}`))
      .find((field) => field?.offsetParent)
      ?.focus();
  });
  figure.append(
    h(
      'figcaption',
      {},
      svg.querySelector('.ansi') && symbolSwitch(),
      smallButton('SVG', () => import('./drawing_file.js').then((m) => m.saveDrawing(svg, tool))),
    ),
  );
  update();
  return (newResult = result) => {
    result = newResult;
    figure.classList.toggle('stale', newResult === null);
    update();
  };
}

/** Reports whether a value is at least min, or is in a list of values; "*" is any value. */
const matches = (value, { min, is }) =>
  min
    ? Number(value) >= Number(min)
    : is.split(' ').some((v) => v === value || (v === '*' && value !== ''));

/**
 * Returns two functions of the name of a field: its value as a form contains it, and its text for a
 * label. Values are those of the form, the result or the defaults.
 */
function labelValues(tool, form, result) {
  const fieldOf = (list, name) => list.find((f) => f.name === name);
  // namedItem, because a field may have the name of a property: length
  const typed = (name) => form.element.elements.namedItem(name)?.value?.trim() ?? '';

  const rawValue = (name) =>
    typed(name) ||
    (isPresent(result?.[name]) ? String(result[name]) : (fieldOf(tool.input, name)?.default ?? ''));

  const inputText = (f, written) => {
    if (f.kind === 'literal') return joinParts(fieldParts(f, written));
    if (f.kind !== 'quantity') return choiceText(f, written);
    const field = f.unitFrom
      ? resolveUnit(f, { [f.unitFrom.field]: rawValue(f.unitFrom.field) })
      : f;
    const { value } = readQuantity(written, field.unit ?? '');
    return value === undefined ? '' : valueText(field, value);
  };

  const text = (name) => {
    if (form.fieldAt(name)?.classList.contains('bad')) return '';
    const input = fieldOf(tool.input, name);
    if (input && typed(name)) return inputText(input, typed(name));
    const output = fieldOf(tool.output, name);
    if (output && isPresent(result?.[name]))
      return valueText(resolveUnit(output, result), result[name]);
    return input?.default ? inputText(input, input.default) : '';
  };
  return [rawValue, text];
}

function valueText(field, v) {
  if (typeof v === 'boolean') return v ? 'yes' : 'no';
  const isNumber = typeof v === 'number';
  const parts = fieldParts(field, isNumber ? v : choiceText(field, String(v)));
  return joinParts(isNumber ? { ...parts, number: limitDigits(field, parts.number) } : parts);
}

/** Returns a button that switches resistors between IEC 60617 and ANSI Y32.2; see theme.js. */
function symbolSwitch() {
  const root = document.documentElement;
  const isANSI = () => root.dataset.symbols === 'ansi';
  const label = () => (isANSI() ? 'IEC symbols' : 'ANSI symbols');
  const button = smallButton(label(), () => {
    root.dataset.symbols = isANSI() ? 'iec' : 'ansi';
    try {
      localStorage.setItem('symbols', root.dataset.symbols);
    } catch {
      /* the browser may forbid storage */
    }
    button.textContent = label();
  });
  return button;
}
