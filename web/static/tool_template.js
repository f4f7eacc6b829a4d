// Fills in the parameters of a circuit template, for the tool that simulates templates.
import { shortestDecimal } from './quantity.js';

/**
 * Replaces the parameters in a form by those of a template, with their defaults.
 * @param {import('./form.js').Form} form
 * @param {string} name the name of the template
 */
export function fillTemplate(form, name) {
  const query = form.query();
  for (const key of [...query.keys()]) if (key.startsWith('params.')) query.delete(key);
  const template = form.tool.templates.find((t) => t.name === name);
  for (const p of template?.params ?? []) query.set(`params.${p.name}`, shortestDecimal(p.default));
  form.fill(query);
  form.changed();
}
