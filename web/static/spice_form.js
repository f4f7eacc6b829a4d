// The form of the simulator: converts it to a request, fills it, and shows errors at its fields.
import { readQuantity } from './quantity.js';

const names = ['netlist', 'analysis', 'temperature_c', 'certify', 'tolerances', 'output_node'];
const foldedNames = ['temperature_c', 'tolerances', 'output_node']; // in the folded part

/** The labels of the fields by name. */
export const labels = {
  netlist: 'Netlist',
  analysis: 'Analysis',
  temperature_c: 'Temperature',
  certify: 'Proof',
  tolerances: 'Tolerances',
  output_node: 'Output node',
  traces: 'Traces',
};

const fieldOf = (name) => document.getElementById(`f-${name}`);
const unfold = () => {
  document.getElementById('more').open = true;
};

/** Returns the non-empty values as typed. */
export function formValues() {
  const query = new URLSearchParams();
  for (const name of names) {
    const field = fieldOf(name);
    let text = field.value;
    if (field.type === 'checkbox') text = field.checked ? 'true' : '';
    if (text !== '') query.set(name, text);
  }
  return query;
}

/** Fills the fields with the values of a query and clears the others. */
export function fillForm(query) {
  for (const name of names) {
    const field = fieldOf(name);
    if (field.type === 'checkbox') field.checked = query.get(name) === 'true';
    else field.value = query.get(name) ?? '';
  }
  if (query.has('tolerances') || query.has('certify')) unfold();
}

/**
 * Reads "R1 5 %, R2=1" as fractions by element. web/spice_page.go implements the same rule.
 * @returns {{list?: Record<string, number>, error?: string}}
 */
function readTolerances(text) {
  const list = {};
  for (const part of text.split(/[,;\n]/)) {
    const words = part
      .trim()
      .replace(/%$/, '')
      .split(/[\s=:±]+/)
      .filter(Boolean);
    if (words.length === 0) continue;
    if (words.length !== 2 || !/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(words[1]))
      return {
        error: `has "${part.trim()}"; write an element and its percent, such as R1 5 %, R2 1 %`,
      };
    list[words[0]] = Number(words[1]) / 100;
  }
  return { list };
}

/**
 * Returns the request and the errors of its fields.
 * @returns {{input: object, errors: {name: string, detail: string}[]}}
 */
export function readForm() {
  const input = {};
  const errors = [];
  for (const [name, text] of formValues()) {
    if (name === 'certify') input.certify = true;
    else if (name === 'temperature_c') {
      const { value, error } = readQuantity(text, '°C');
      if (error) errors.push({ name, detail: error });
      else input[name] = value;
    } else if (name === 'tolerances') {
      const { list, error } = readTolerances(text);
      if (error) errors.push({ name, detail: error });
      else if (Object.keys(list).length) input[name] = list;
    } else input[name] = name === 'output_node' ? text.trim() : text;
  }
  if (!input.netlist?.trim())
    errors.push({ name: 'netlist', detail: 'is empty; choose an example or write one' });
  return { input, errors };
}

/** Shows the errors at their fields and clears the other fields. */
export function showFieldErrors(errors) {
  for (const name of names) {
    const own = errors.filter((e) => e.name === name);
    const message = document.getElementById(`f-${name}-m`);
    if (message) message.textContent = own.map((e) => e.detail).join(' ');
    const field = fieldOf(name);
    field.closest('.field')?.classList.toggle('bad', own.length > 0);
    if (own.length) field.setAttribute('aria-invalid', 'true');
    else field.removeAttribute('aria-invalid');
  }
  if (errors.some((e) => foldedNames.includes(e.name))) unfold();
}
