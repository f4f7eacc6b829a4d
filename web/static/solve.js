// Inputs that determine each other. The last typed fields remain; the others are cleared and show
// their computed values.
import { formatQuantity } from './quantity.js';

/**
 * Clears the oldest of the fields in form.tool.solves when more than form.tool.given are filled.
 * @param {import('./form.js').Form} form
 * @returns {{hint: () => string, show: (result?: object) => void}} hint returns a sentence if too
 *   few fields are filled, otherwise ''; show shows the computed values of a result
 */
export function createSolver(form) {
  const { solves, given, input } = form.tool;
  const fieldOf = (name) => input.find((f) => f.name === name);
  const controlOf = (name) => form.element.elements[name];
  const isFilled = (name) => controlOf(name).value.trim() !== '';
  let filled = []; // names in the order of typing, the last typed at the end

  /** Puts a field at the end of the order, and clears the oldest fields. */
  const setLastTyped = (name) => {
    const known = new Set([...filled, ...solves]);
    filled = [...known].filter((n) => n !== name && isFilled(n));
    if (isFilled(name)) filled.push(name);
    while (filled.length > given) {
      const oldest = controlOf(filled.shift());
      oldest.value = '';
      form.echo(oldest);
    }
  };
  // A field that was typed before this module was loaded has the focus.
  const focused = document.activeElement.name;
  if (solves.includes(focused) && isFilled(focused)) setLastTyped(focused);

  // In the capturing phase, so that other listeners of the form see the cleared field.
  form.element.addEventListener(
    'input',
    ({ target }) => solves.includes(target.name) && setLastTyped(target.name),
    true,
  );

  const showComputed = (name, text) => {
    controlOf(name).placeholder = text || 'optional';
    const box = form.fieldAt(name);
    box.classList.toggle('solved', text !== '');
    if (!isFilled(name)) box.querySelector('.echo').textContent = text === '' ? '' : 'computed';
  };

  return {
    hint() {
      const missing = given - solves.filter(isFilled).length;
      if (missing <= 0) return '';
      const labels = solves.map((n) => fieldOf(n).label).join(', ');
      return `Fill in ${missing === 1 ? 'one more' : missing} of ${labels}.`;
    },
    show(result) {
      for (const name of solves) {
        const v = result?.[name];
        const isComputed = typeof v === 'number' && !isFilled(name);
        showComputed(name, isComputed ? formatQuantity(v, fieldOf(name).unit ?? '') : '');
      }
    },
  };
}
