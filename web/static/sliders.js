// Sliders at the numbers of a tool's form. A slider for a positive number is logarithmic, from a
// tenth to ten times its value. A slider for a level, a temperature or a number up to 0 is linear.
// Its span is the magnitude of the value, but at least 10.
import { h } from './dom.js';
import { readQuantity, formatQuantity, resolvePickedUnit } from './quantity.js';

const maxPosition = 100; // to each side of the middle
const minSpan = 10; // of a linear slider, to each side
const inputMs = 150; // between values: browsers limit changes of the address to some 200 in 30 s
const isLinear = (unit, value) => value <= 0 || /^(dB|°|%)/.test(unit);

/** Returns the number at a position from -maxPosition to maxPosition. The middle is start. */
function numberAt(position, start, unit, isWhole) {
  const fraction = position / maxPosition;
  const value = isLinear(unit, start)
    ? start + fraction * Math.max(minSpan, Math.abs(start))
    : start * 10 ** fraction;
  return isWhole ? Math.round(value) : Number(value.toPrecision(3));
}

/**
 * Adds a slider to each number of a form, or removes the sliders. Reports whether it added them.
 */
export function toggleSliders(form) {
  const sliders = form.element.querySelectorAll('.slider');
  for (const slider of sliders) slider.remove();
  if (sliders.length > 0) return false;
  for (const field of form.tool.input) {
    const control = document.getElementById(`f-${field.name}`);
    if (field.kind === 'quantity' && control?.tagName === 'INPUT')
      control.closest('.entry').after(createSlider(form, field, control));
  }
  return true;
}

function createSlider(form, field, control) {
  const slider = h('input', {
    class: 'slider',
    type: 'range',
    min: -maxPosition,
    max: maxPosition,
    value: 0,
    'aria-label': `Slider of ${field.label}`,
  });
  const unit = () => resolvePickedUnit(field, form.values()).unit ?? '';
  const setText = (text) => slider.setAttribute('aria-valuetext', text);
  let start; // the value in the middle, undefined without a number
  let timer = 0;
  const center = () => {
    start = readQuantity(control.value || (field.default ?? ''), unit()).value;
    slider.value = 0;
    slider.disabled = start === undefined;
    setText(slider.disabled ? 'no value' : formatQuantity(start, unit()));
  };
  const sendInput = () => {
    timer = 0;
    control.dispatchEvent(new Event('input', { bubbles: true }));
  };
  slider.addEventListener('input', (event) => {
    event.stopPropagation();
    const value = numberAt(Number(slider.value), start, unit(), field.whole);
    control.value = String(value);
    setText(formatQuantity(value, unit()));
    timer ||= setTimeout(sendInput, inputMs);
  });
  // The value of the field may have changed since the last use.
  for (const type of ['pointerdown', 'focus']) slider.addEventListener(type, center);
  control.addEventListener('change', center);
  center();
  return slider;
}
