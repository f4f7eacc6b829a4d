// The description of a tool: its fields, units, links to other tools, method and sources.
import { requestJson } from './run.js';

const requests = new Map(); // promises by name

/** Loads a tool, once; throws ApiError. */
export function loadTool(name) {
  if (!requests.has(name))
    requests.set(
      name,
      requestJson('GET', `/ui/tool/${encodeURIComponent(name)}`)
        .then((response) => response.data)
        .catch((error) => {
          requests.delete(name); // the next call tries again
          throw error;
        }),
    );
  return requests.get(name);
}
