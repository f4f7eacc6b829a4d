// The pictures of a result. web/pictures.go selects those of a tool. Each is drawn by a module that
// exports draw(element, {tool, result, input, body, response, field, picture}). draw may return a
// clean-up function.

const modules = {
  picture_bands: () => import('./picture_bands.js'),
  picture_bode: () => import('./picture_bode.js'),
  picture_curve: () => import('./picture_curve.js'),
  picture_field: () => import('./picture_field.js'),
  picture_timing: () => import('./picture_timing.js'),
  picture_vectors: () => import('./picture_vectors.js'),
};

const isDrawable = (v, minLength = 1) =>
  v !== null && v !== undefined && !(Array.isArray(v) && v.length < minLength);

/** Returns the pictures of a result, each with the field that it shows: [{picture, field}]. */
export function picturesFor(tool, result) {
  return (tool.pictures ?? [])
    .filter((p) => p.of.some((name) => isDrawable(result[name], p.min)))
    .map((picture) => ({ picture, field: tool.output.find((f) => f.name === picture.of[0]) }));
}

/**
 * Replaces the pictures in an element. A later call for the same element wins over a call whose
 * modules are still loading.
 * @param {HTMLElement} element
 * @param {{picture: object, field: object}[]} list from picturesFor
 * @param {object} context the arguments of draw that all pictures share
 */
export async function drawPictures(element, list, context) {
  const call = (element.call = (element.call ?? 0) + 1);
  const loaded = [];
  for (const item of list) {
    const { draw } = await modules[item.picture.module]();
    if (element.call !== call) return;
    loaded.push([document.createElement('div'), draw, item]);
  }
  for (const cleanUp of element.cleanUps ?? []) cleanUp();
  element.replaceChildren(...loaded.map(([box]) => box));
  element.cleanUps = loaded
    .map(([box, draw, item]) => draw(box, { ...context, ...item }))
    .filter((cleanUp) => typeof cleanUp === 'function');
}
