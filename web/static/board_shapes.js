// The drawing of a board: SVG groups by layer, in the board's own frame (millimetres, y upwards).
import { strokes } from './board_legend.js';
import { svg } from './dom.js';

/** The colour of an inner layer: hues that the other layers do not have. */
export const innerColor = (i) =>
  `light-dark(hsl(${130 - 100 * i} 55% 38%), hsl(${130 - 100 * i} 45% 55%))`;

const ring = (points) =>
  `M${points.map((p) => (Array.isArray(p) ? p.join(' ') : `${p.x_mm} ${p.y_mm}`)).join('L')}Z`;

/** A pad's land, or its opening in the mask when it is grown. */
export function land(pad, attributes, grown = 0) {
  if (pad.outline) return svg('path', { d: ring(pad.outline), ...attributes });
  const [w, h] = [pad.width_mm + 2 * grown, pad.height_mm + 2 * grown];
  const small = Math.min(pad.width_mm, pad.height_mm);
  const corner =
    { rect: 0, roundrect: Math.min(0.25 * small, 0.25), circle: small / 2, oval: small / 2 }[
      pad.shape
    ] + grown;
  return svg('rect', {
    x: -w / 2,
    y: -h / 2,
    width: w,
    height: h,
    rx: corner,
    transform: `translate(${pad.x_mm} ${pad.y_mm}) rotate(${pad.rotation_deg})`,
    ...attributes,
  });
}

function hole(pad) {
  const [w, h] = pad.slot_mm ?? [pad.drill_mm, pad.drill_mm];
  return svg('rect', {
    x: -w / 2,
    y: -h / 2,
    width: w,
    height: h,
    rx: Math.min(w, h) / 2,
    transform: `translate(${pad.x_mm} ${pad.y_mm}) rotate(${pad.slot_mm ? pad.rotation_deg : 0})`,
  });
}

/** Tracks of one net, layer and width make one path. */
function trackPaths(tracks, groups) {
  const paths = new Map();
  for (const t of tracks) {
    const key = JSON.stringify([t.layer, t.net, t.width_mm]);
    if (!paths.has(key)) paths.set(key, { ...t, d: '' });
    paths.get(key).d += `M${t.x1_mm} ${t.y1_mm}L${t.x2_mm} ${t.y2_mm}`;
  }
  for (const t of paths.values())
    groups[t.layer].copper.append(
      svg('path', { d: t.d, 'stroke-width': t.width_mm, 'data-net': t.net, class: 'track' }),
    );
}

/** Where a pin stands: REF.PAD, the first pad of that number. */
export function pinPlace(result, pin) {
  const cut = pin.indexOf('.');
  return result.placements
    .find((p) => p.ref === pin.slice(0, cut))
    ?.pads.find((p) => p.pad === pin.slice(cut + 1));
}

const legendOf = (result, side) => {
  const name = result.file_list.find((f) => f.role === `silk_${side}`)?.name;
  return name ? strokes(result.files[name]) : [];
};

/** The inner copper layers of a board, from the top: in1, in2. */
export const innerLayers = (result) =>
  Array.from({ length: result.board.layer_count - 2 }, (_, i) => `in${i + 1}`);

/** All groups of a board: outline, top and bottom {pour, copper, mask, pads, silk, court}, inner layers {pour, copper}, vias, through, drills, rats, marks. */
export function drawShapes(result) {
  const group = (name) => svg('g', { class: name });
  const groups = (kinds, name) =>
    Object.fromEntries(kinds.map((kind) => [kind, group(`${kind} ${name}`)]));
  const side = (name) => groups(['pour', 'copper', 'mask', 'pads', 'silk', 'court'], name);
  const all = {
    outline: group('outline'),
    top: side('top'),
    bottom: side('bottom'),
    vias: group('vias'),
    through: group('through'),
    drills: group('drills'),
    rats: group('rats'),
    marks: group('marks'),
  };
  innerLayers(result).forEach((name, i) => {
    all[name] = groups(['pour', 'copper'], `inner ${name}`);
    for (const g of Object.values(all[name])) g.style.setProperty('--layer', innerColor(i));
  });
  all.outline.append(svg('path', { d: ring(result.board.outline) }));
  for (const z of result.zones) {
    const d = z.polygons.map((p) => [p.outline, ...p.holes].map(ring).join('')).join('');
    all[z.layer].pour.append(svg('path', { d, 'data-net': z.net, 'fill-rule': 'evenodd' }));
  }
  trackPaths(result.tracks, all);
  for (const v of result.vias) {
    all.vias.append(
      svg('circle', {
        cx: v.x_mm,
        cy: v.y_mm,
        r: v.diameter_mm / 2,
        'data-net': v.net,
        class: 'via',
      }),
    );
    all.drills.append(
      svg('circle', { cx: v.x_mm, cy: v.y_mm, r: v.drill_mm / 2, class: 'tented' }),
    );
  }
  for (const part of result.placements) {
    all[part.side].court.append(svg('path', { d: ring(part.courtyard) }));
    for (const pad of part.pads) {
      const both = pad.layers.length > 1;
      for (const layer of pad.layers)
        all[layer].mask?.append(land(pad, {}, result.rules.mask_expansion_mm));
      if (pad.plated || !(pad.drill_mm || pad.slot_mm)) {
        const name = `${part.ref}.${pad.pad}, ${pad.net === null ? 'no net' : `net ${pad.net}`}`;
        (both ? all.through : all[pad.layers[0]].pads).append(
          land(pad, {
            class: 'pad',
            'data-net': pad.net ?? undefined,
            'data-pin': `${part.ref}.${pad.pad}`,
            'data-x': pad.x_mm,
            'data-y': pad.y_mm,
            role: 'button',
            tabindex: -1,
            'aria-label': name,
          }),
        );
      }
      if (pad.drill_mm || pad.slot_mm) all.drills.append(hole(pad));
    }
  }
  for (const h of result.holes)
    all.drills.append(svg('circle', { cx: h.x_mm, cy: h.y_mm, r: h.diameter_mm / 2 }));
  for (const s of ['top', 'bottom'])
    for (const { width, d } of legendOf(result, s))
      all[s].silk.append(svg('path', { d, 'stroke-width': width }));
  for (const u of result.unrouted) {
    const [a, b] = [pinPlace(result, u.from), pinPlace(result, u.to)];
    if (a && b)
      all.rats.append(
        svg('path', { d: `M${a.x_mm} ${a.y_mm}L${b.x_mm} ${b.y_mm}`, 'data-net': u.net }),
      );
  }
  result.drc.violations.forEach((v, i) =>
    all.marks.append(
      svg(
        'g',
        { class: `mark ${v.severity}`, 'data-mark': i, 'data-x': v.x_mm, 'data-y': v.y_mm },
        svg('circle', { r: 1 }),
        svg('path', { d: 'M-.5 -.5L.5 .5M-.5 .5L.5 -.5' }),
      ),
    ),
  );
  return all;
}
