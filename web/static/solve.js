// Inputs that determine each other: the last typed win; the others are cleared and show their
// computed values.
import { show } from './quantity.js';

/** @param {import('./form.js').Form} form */
export function solver(form) {
  const { solves, given, input } = form.tool;
  const control = (name) => form.element.elements[name];
  const filled = (name) => control(name).value.trim() !== '';
  let order = []; // the filled ones, last typed at the end

  const settle = () => {
    while (order.length > given) {
      const oldest = control(order.shift());
      oldest.value = '';
      form.echo(oldest);
    }
  };
  // Only the focus shows which field was typed before this module was loaded.
  const at = document.activeElement.name;
  if (solves.includes(at) && filled(at)) {
    order = [...solves.filter((n) => filled(n) && n !== at), at];
    settle();
  }

  // In the capturing phase, so that other listeners of the form see the cleared field.
  form.element.addEventListener(
    'input',
    ({ target }) => {
      if (!solves.includes(target.name)) return;
      order = [
        ...order.filter((n) => filled(n) && n !== target.name),
        ...solves.filter((n) => filled(n) && !order.includes(n) && n !== target.name),
      ];
      if (filled(target.name)) order.push(target.name);
      settle();
    },
    true,
  );

  const mark = (name, text) => {
    control(name).placeholder = text || 'optional';
    const box = form.fieldAt(name);
    box.classList.toggle('solved', text !== '');
    if (!filled(name)) box.querySelector('.echo').textContent = text === '' ? '' : 'computed';
  };
  return {
    /** Whether so few are filled in that there is nothing to compute yet, and which they are. */
    lacking() {
      const some = given - solves.filter(filled).length;
      return some > 0
        ? `Fill in ${some === 1 ? 'one more' : some} of ${solves.map((n) => input.find((f) => f.name === n).label).join(', ')}.`
        : '';
    },
    /** Shows what was computed, nothing without a result. */
    show(result) {
      for (const name of solves) {
        const v = result?.[name];
        mark(
          name,
          typeof v === 'number' && !filled(name)
            ? show(v, input.find((f) => f.name === name).unit ?? '')
            : '',
        );
      }
    },
  };
}
