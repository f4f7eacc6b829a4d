// The pictures of a result. web/pictures.go selects those of a tool. Each is a module that exports
// draw(element, {tool, result, input, body, response, field, picture}) and may return a clean-up.

const load = {
  picture_bands: () => import('./picture_bands.js'),
  picture_bode: () => import('./picture_bode.js'),
  picture_curve: () => import('./picture_curve.js'),
  picture_field: () => import('./picture_field.js'),
  picture_timing: () => import('./picture_timing.js'),
  picture_vectors: () => import('./picture_vectors.js'),
};

const isThere = (v, min = 1) =>
  v !== null && v !== undefined && !(Array.isArray(v) && v.length < min);

/** The pictures of a result: [{picture, field}], with the field that is drawn. */
export function picturesFor(tool, result) {
  return (tool.pictures ?? [])
    .filter((p) => p.of.some((name) => isThere(result[name], p.min)))
    .map((picture) => ({ picture, field: tool.output.find((f) => f.name === picture.of[0]) }));
}

/** Draws them into the element, anew for each result. */
export async function drawPictures(element, list, context) {
  const turn = (element.turn = (element.turn ?? 0) + 1);
  const made = [];
  for (const p of list) {
    const box = document.createElement('div');
    const { draw } = await load[p.picture.module]();
    if (element.turn !== turn) return;
    made.push([box, draw, p]);
  }
  for (const c of element.cleanUps ?? []) c();
  element.replaceChildren(...made.map(([box]) => box));
  element.cleanUps = made
    .map(([box, draw, p]) => draw(box, { ...context, ...p }))
    .filter((c) => typeof c === 'function');
}
