// The simulator's form: reads it into a request, fills it, and shows errors at its fields.
import { readQuantity } from './quantity.js';

const names = ['netlist', 'analysis', 'temperature_c', 'certify', 'tolerances', 'output_node'];
export const labels = {
  netlist: 'Netlist',
  analysis: 'Analysis',
  temperature_c: 'Temperature',
  certify: 'Proof',
  tolerances: 'Tolerances',
  output_node: 'Output node',
  traces: 'Traces',
};

const field = (name) => document.getElementById(`f-${name}`);

/** The values as they were written, without what is empty. */
export function values() {
  const q = new URLSearchParams();
  for (const n of names) {
    const f = field(n);
    const text = f.type === 'checkbox' ? (f.checked ? 'true' : '') : f.value;
    if (text !== '') q.set(n, text);
  }
  return q;
}

/** Fills the fields that q names. */
export function fill(q) {
  for (const n of names) {
    const f = field(n);
    if (f.type === 'checkbox') f.checked = q.get(n) === 'true';
    else f.value = q.get(n) ?? '';
  }
  if (q.has('tolerances') || q.has('certify')) document.getElementById('more').open = true;
}

/** Reads "R1 5 %, R2=1" into fractions by element, or says what is wrong. The server does the same: web/spice_page.go. */
export function readTolerances(text) {
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

/** The request as an object, and what is wrong with it: { input, mistakes: [{name, detail}] }. */
export function read() {
  const input = {};
  const mistakes = [];
  for (const [n, text] of values()) {
    if (n === 'certify') input.certify = true;
    else if (n === 'temperature_c') {
      const r = readQuantity(text, '°C');
      if (r.error) mistakes.push({ name: n, detail: r.error });
      else input[n] = r.value;
    } else if (n === 'tolerances') {
      const r = readTolerances(text);
      if (r.error) mistakes.push({ name: n, detail: r.error });
      else if (Object.keys(r.list).length) input[n] = r.list;
    } else input[n] = n === 'output_node' ? text.trim() : text;
  }
  if (!input.netlist?.trim())
    mistakes.push({ name: 'netlist', detail: 'is empty; choose an example or write one' });
  return { input, mistakes };
}

/** Shows mistakes at their fields; those of the netlist are shown by its lines. */
export function showMistakes(list) {
  for (const n of names) {
    const own = list.filter((m) => m.name === n);
    const text = document.getElementById(`f-${n}-m`);
    if (text) text.textContent = own.map((m) => m.detail).join(' ');
    field(n)
      .closest('.field')
      ?.classList.toggle('bad', own.length > 0);
    if (own.length) field(n).setAttribute('aria-invalid', 'true');
    else field(n).removeAttribute('aria-invalid');
  }
  if (list.some((m) => ['temperature_c', 'tolerances', 'output_node'].includes(m.name)))
    document.getElementById('more').open = true;
}
