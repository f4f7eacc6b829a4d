// The drawing of a tool: renews the values at its labels and highlights the field in focus.
// web/drawn.go has the same rules for the values.
import { el } from './dom.js';
import { brief, choiceText, joined, partsOf, readQuantity, withUnit } from './quantity.js';

/**
 * Equips the drawing in a figure. Returns redraw(result), where
 * result is left out if only the form has changed, and null if it is that of other inputs; undefined
 * without a drawing.
 */
export function liveDrawing(figure, tool, form) {
  const svg = figure?.querySelector('svg');
  if (!svg) return undefined;
  let result = {};
  const field = (list, name) => list.find((f) => f.name === name);
  const typed = (name) => form.element.elements.namedItem(name)?.value?.trim() ?? ''; // a field may be named length
  const isThere = (v) => v !== null && v !== undefined && v !== '';

  /** The value of a field as a form has it. */
  const raw = (name) =>
    typed(name) ||
    (isThere(result?.[name]) ? String(result[name]) : (field(tool.input, name)?.default ?? ''));
  const ofInput = (f, text) => {
    const g = f.unitFrom ? withUnit(f, { [f.unitFrom.field]: raw(f.unitFrom.field) }) : f;
    if (f.kind !== 'quantity')
      return f.kind === 'literal' ? joined(partsOf(f, text)) : choiceText(f, text);
    const { value } = readQuantity(text, g.unit ?? '');
    return value === undefined ? '' : shown(g, value);
  };
  const shown = (f, v) => {
    if (typeof v === 'boolean') return v ? 'yes' : 'no';
    const p = partsOf(f, typeof v === 'number' ? v : choiceText(f, String(v)));
    return joined(typeof v === 'number' ? { ...p, number: brief(f, p.number) } : p);
  };
  const text = (name) => {
    const f = field(tool.input, name);
    if (form.fieldAt(name)?.classList.contains('bad')) return '';
    if (f && typed(name)) return ofInput(f, typed(name));
    const out = field(tool.output, name);
    if (out && isThere(result?.[name])) return shown(withUnit(out, result), result[name]);
    return f?.default ? ofInput(f, f.default) : '';
  };

  const update = () => {
    for (const g of svg.querySelectorAll('[data-if]')) {
      const v = raw(g.dataset.if);
      const holds = g.dataset.min
        ? Number(v) >= Number(g.dataset.min)
        : g.dataset.is.split(' ').some((x) => x === v || (x === '*' && v !== ''));
      g.toggleAttribute('hidden', !holds);
    }
    for (const v of svg.querySelectorAll('.v')) {
      const value = v.closest('[data-f]').dataset.f.split(' ').map(text).find(Boolean) ?? '';
      const isInline = !v.hasAttribute('x') && v.previousSibling;
      v.textContent = value && isInline ? ` = ${value}` : value;
    }
  };
  const highlight = (name) => {
    for (const g of svg.querySelectorAll('[data-f]'))
      g.classList.toggle('on', g.dataset.f.split(' ').includes(name));
  };
  form.element.addEventListener('input', update);
  form.element.addEventListener('focusin', ({ target }) => highlight(target.name?.split('.')[0]));
  form.element.addEventListener('focusout', () => highlight(undefined));
  svg.addEventListener('click', ({ target }) => {
    const names = target.closest('[data-f]')?.dataset.f.split(' ') ?? [];
    names
      .map((name) => document.getElementById(`f-${name}`))
      .find((x) => x?.offsetParent)
      ?.focus();
  });
  figure.append(
    el(
      'figcaption',
      {},
      svg.querySelector('.ansi') && symbolSwitch(),
      el(
        'button',
        {
          type: 'button',
          class: 'small',
          onclick: () => import('./drawing_file.js').then((m) => m.saveDrawing(svg, tool)),
        },
        'SVG',
      ),
    ),
  );
  update();
  return (next = result) => {
    result = next;
    figure.classList.toggle('stale', next === null);
    update();
  };
}

/** Switches the symbols of resistors between IEC 60617 and ANSI Y32.2; theme.js restores the choice. */
function symbolSwitch() {
  const root = document.documentElement;
  const name = () => (root.dataset.symbols === 'ansi' ? 'IEC symbols' : 'ANSI symbols');
  const button = el(
    'button',
    {
      type: 'button',
      class: 'small',
      onclick: () => {
        root.dataset.symbols = root.dataset.symbols === 'ansi' ? 'iec' : 'ansi';
        try {
          localStorage.setItem('symbols', root.dataset.symbols);
        } catch {
          /* storage may be forbidden */
        }
        button.textContent = name();
      },
    },
    name(),
  );
  return button;
}
