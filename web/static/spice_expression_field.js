// The field for an expression to plot, with completion and error message.
import { h, smallButton } from './dom.js';
import { functionNames } from './spice_expression.js';
import { completions } from './spice_marks.js';

const lettersWithCurrent = 'rvlehbcdiswfg'; // of the elements with a vector i(name)

/**
 * Creates the field.
 * @param {object} o
 * @param {import('./spice_vectors.js').Vectors} o.vectors
 * @param {import('./spice_netlist.js').Netlist} o.netlist
 * @param {(expression: string) => void} o.onAdd receives a valid expression in lower case
 * @param {(vector: string, expression: string) => void} [o.onSave] adds a .save card for a vector
 * @returns {{elements: HTMLElement[], message: HTMLElement, add: (text: string) => void}} elements
 *   are the field with its button
 */
export function createExpressionField({ vectors, netlist, onAdd, onSave }) {
  const names = [...vectors.names, ...functionNames.map((f) => `${f}(`)];
  const suggestions = h('datalist', { id: 'expressions' });
  const message = h('p', { class: 'mistake', role: 'alert', id: 'expression-m' });
  const input = h('input', {
    id: 'expression',
    'aria-label': 'Expression to plot',
    'aria-describedby': message.id,
    placeholder: vectors.kind === 'ac' ? 'db(v(out)/v(in))' : 'v(out)-v(in)',
    autocomplete: 'off',
    autocapitalize: 'off',
    spellcheck: 'false',
    list: suggestions.id,
    oninput: () =>
      suggestions.replaceChildren(
        ...completions(input.value, names).map((value) => h('option', { value })),
      ),
    onkeydown: (event) => {
      if (event.key !== 'Enter' || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      add(input.value);
    },
  });
  const canSave = (vector) =>
    onSave &&
    netlist.elements.some(
      (e) => `i(${e.name})` === vector && lettersWithCurrent.includes(e.letter),
    );
  const showError = (error, expression) => {
    const { vector } = error;
    message.replaceChildren(error.message);
    if (canSave(vector))
      message.append(
        ` The card .save all ${vector} adds it. `,
        smallButton(`Add .save all ${vector}`, () => onSave(vector, expression)),
      );
    input.setAttribute('aria-invalid', 'true');
  };
  const add = (text) => {
    const expression = text.trim().toLowerCase();
    if (expression === '') return;
    try {
      const { re, im } = vectors.values(expression);
      if (!re.some((v, i) => Number.isFinite(v + (im?.[i] ?? 0))))
        throw new Error(`${expression} has no finite value in this result.`);
    } catch (error) {
      showError(error, expression);
      return;
    }
    message.textContent = '';
    input.removeAttribute('aria-invalid');
    input.value = '';
    onAdd(expression);
  };
  const button = smallButton('Add', () => add(input.value));
  return { elements: [input, suggestions, button], message, add };
}
