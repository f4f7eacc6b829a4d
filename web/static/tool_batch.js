// The panel for sweeps, Monte Carlo and goal seek of a tool. The page loads this module when the
// user opens the panel.
import { BatchPanel } from './batch.js';
import { collectedResults, variedFields } from './batch_fields.js';
import { formTexts } from './batch_request.js';

/**
 * Creates the panel of a tool.
 * @param {HTMLDetailsElement} box
 * @param {import('./form.js').Form} form
 * @param {function(): object|undefined} getResult returns the result that is shown
 * @param {object} [state] the state from a link; without it the saved state is used
 */
export function toolBatchPanel(box, form, getResult, state) {
  const { tool } = form;

  const input = () => {
    const { json, fieldErrors } = form.read();
    return fieldErrors.length ? undefined : JSON.parse(json);
  };

  /** Writes the values of a run into the form. */
  const use = (fields, values) => {
    const query = form.query();
    for (const [pointer, text] of formTexts(fields, values))
      query.set(pointer.slice(1).replaceAll('/', '.'), text);
    form.fill(query);
    form.changed();
  };

  const source = {
    tool: tool.name,
    title: tool.title,
    heavy: tool.heavy,
    path: `/t/${tool.name}`,
    input,
    query: () => form.query(),
    fields: () => variedFields(tool.input, input() ?? {}),
    results: () => collectedResults(tool, getResult(), input()),
    use,
  };
  return new BatchPanel(box, source, state);
}
