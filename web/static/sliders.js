// Sliders at the numbers of a tool's form. A positive number moves from a tenth to ten times its
// value; levels, temperatures and numbers up to 0 move by their size, at least by 10.
import { el } from './dom.js';
import { readQuantity, show, withPicked } from './quantity.js';

const steps = 100; // to each side
const pause = 150; // ms between values: browsers limit changes of the address to some 200 in 30 s
const isLinear = (unit, value) => value <= 0 || /^(dB|°|%)/.test(unit);

/** The number at a place from -steps to steps of a slider whose middle is start. */
export function numberAt(place, start, unit, isWhole) {
  const part = place / steps;
  const v = isLinear(unit, start)
    ? start + part * Math.max(10, Math.abs(start))
    : start * 10 ** part;
  return isWhole ? Math.round(v) : Number(v.toPrecision(3));
}

/** Adds a slider to each number of a form, or removes them. Returns whether they are there now. */
export function toggleSliders(form) {
  const there = form.element.querySelectorAll('.slider');
  for (const s of there) s.remove();
  if (there.length > 0) return false;
  for (const f of form.tool.input) {
    const control = document.getElementById(`f-${f.name}`);
    if (f.kind === 'quantity' && control?.tagName === 'INPUT')
      control.closest('.entry').after(slider(form, f, control));
  }
  return true;
}

function slider(form, f, control) {
  const s = el('input', {
    class: 'slider',
    type: 'range',
    min: -steps,
    max: steps,
    value: 0,
    'aria-label': `Slider of ${f.label}`,
  });
  const unit = () => withPicked(f, form.values()).unit ?? '';
  let start;
  let due = 0;
  const settle = () => {
    start = readQuantity(control.value || (f.default ?? ''), unit()).value;
    s.value = 0;
    s.disabled = start === undefined;
    s.setAttribute('aria-valuetext', s.disabled ? 'no value' : show(start, unit()));
  };
  const send = () => {
    due = 0;
    control.dispatchEvent(new Event('input', { bubbles: true }));
  };
  s.addEventListener('input', (event) => {
    event.stopPropagation();
    const v = numberAt(Number(s.value), start, unit(), f.whole);
    control.value = String(v);
    s.setAttribute('aria-valuetext', show(v, unit()));
    due ||= setTimeout(send, pause);
  });
  for (const kind of ['pointerdown', 'focus']) s.addEventListener(kind, settle); // the value may have changed
  control.addEventListener('change', settle);
  settle();
  return s;
}
