// Which results are drawn, and by which module. One line here and one module adds a picture, and a
// case in web/worked.go has it fetched ahead; each module exports draw(element, {tool, result, input,
// body, response, field}) and may return a clean-up.

const numbersOf = (f) => f.fields?.filter((x) => x.kind === 'quantity') ?? [];

/** Whether a list of objects reads as curves over its first rising column. */
export function curveOf(f, rows) {
  if (f.kind !== 'rows' || !Array.isArray(rows) || rows.length < 3) return undefined;
  const columns = numbersOf(f).filter((c) => rows.every((r) => typeof r[c.name] === 'number'));
  const x = columns.find((c) => rows.every((r, i) => i === 0 || r[c.name] > rows[i - 1][c.name]));
  const y = columns.filter((c) => c !== x);
  return x && columns[0] === x && y.length ? { x, y } : undefined;
}

const pictures = [
  { fits: (t, r) => Array.isArray(r.bands) && typeof r.resistance_ohm === 'number', load: () => import('./picture_bands.js') },
  { fits: (t, r) => r.t_high_s > 0 || r.pulse_s > 0, load: () => import('./picture_timing.js') },
  { fits: (t, r) => t.input.some((f) => f.name === 'freq_hz') && 'gain_db_at_freq' in r && r.cutoff_hz > 0, load: () => import('./picture_bode.js') },
  { fits: (t, r) => Boolean(r.vectors), load: () => import('./picture_vectors.js') },
  { each: (f, v) => f.kind === 'group' && v && Array.isArray(v.x_mm) && f.fields.some((x) => x.kind === 'grid'), load: () => import('./picture_field.js') },
  { each: (f, v, t) => !t.input.some((i) => i.name === f.name) && curveOf(f, v) !== undefined, // a list of what was put in is no curve
    load: () => import('./picture_curve.js') },
];

/** The pictures a result deserves: [{load, field}]. */
export function picturesFor(tool, result) {
  const list = [];
  for (const p of pictures) {
    if (p.fits?.(tool, result)) list.push({ load: p.load });
    if (p.each) for (const f of tool.output) if (p.each(f, result[f.name], tool)) list.push({ load: p.load, field: f });
  }
  return list;
}

/** Draws them into the element, anew for each result. */
export async function drawPictures(element, list, context) {
  const turn = (element.turn = (element.turn ?? 0) + 1);
  const made = [];
  for (const p of list) {
    const box = document.createElement('div');
    const { draw } = await p.load();
    if (element.turn !== turn) return;
    made.push([box, draw, p.field]);
  }
  for (const c of element.cleanUps ?? []) c();
  element.replaceChildren(...made.map(([box]) => box));
  element.cleanUps = made.map(([box, draw, field]) => draw(box, { ...context, field })).filter((c) => typeof c === 'function');
}
