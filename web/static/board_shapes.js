// The drawing of a board: SVG groups by layer, in the coordinates of the board (mm, y upwards).
import { parseStrokes } from './board_legend.js';
import { svg } from './dom.js';

/** Returns the colour of an inner layer. No other layer has its hue. */
export const innerColour = (i) =>
  `light-dark(hsl(${130 - 100 * i} 55% 38%), hsl(${130 - 100 * i} 45% 55%))`;

const closedPath = (points) =>
  `M${points.map((p) => (Array.isArray(p) ? p.join(' ') : `${p.x_mm} ${p.y_mm}`)).join('L')}Z`;

/** Returns the corner radius of a pad in mm. */
function cornerRadius({ shape, width_mm, height_mm }) {
  const side = Math.min(width_mm, height_mm);
  switch (shape) {
    case 'rect':
      return 0;
    case 'roundrect':
      return Math.min(0.25 * side, 0.25);
    default: // circle, oval
      return side / 2;
  }
}

/** Draws the land of a pad. An expansion in mm gives the opening in the solder mask. */
export function drawLand(pad, attributes, expansion = 0) {
  if (pad.outline) return svg('path', { d: closedPath(pad.outline), ...attributes });
  const [w, h] = [pad.width_mm + 2 * expansion, pad.height_mm + 2 * expansion];
  return svg('rect', {
    x: -w / 2,
    y: -h / 2,
    width: w,
    height: h,
    rx: cornerRadius(pad) + expansion,
    transform: `translate(${pad.x_mm} ${pad.y_mm}) rotate(${pad.rotation_deg})`,
    ...attributes,
  });
}

function drawHole(pad) {
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

/** Draws the tracks of one net, layer and width as one path, since each element takes time. */
function drawTracks(tracks, groups) {
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

/** Returns the first pad of a pin REF.PAD, or undefined. */
export function padOfPin(result, pin) {
  const dot = pin.indexOf('.');
  return result.placements
    .find((p) => p.ref === pin.slice(0, dot))
    ?.pads.find((p) => p.pad === pin.slice(dot + 1));
}

const silkscreenOf = (result, side) => {
  const name = result.file_list.find((f) => f.role === `silk_${side}`)?.name;
  return name ? parseStrokes(result.files[name]) : [];
};

/** Returns the names of the inner copper layers of a board, from the top: in1, in2. */
export const innerLayers = (result) =>
  Array.from({ length: result.board.layer_count - 2 }, (_, i) => `in${i + 1}`);

/** Returns the empty groups of a board by layer. */
function makeGroups(result) {
  const group = (name) => svg('g', { class: name });
  const groupsOf = (kinds, name) =>
    Object.fromEntries(kinds.map((kind) => [kind, group(`${kind} ${name}`)]));
  const outer = ['pour', 'copper', 'mask', 'pads', 'silk', 'court'];
  const groups = {
    outline: group('outline'),
    top: groupsOf(outer, 'top'),
    bottom: groupsOf(outer, 'bottom'),
    vias: group('vias'),
    through: group('through'),
    drills: group('drills'),
    rats: group('rats'),
    marks: group('marks'),
  };
  innerLayers(result).forEach((name, i) => {
    groups[name] = groupsOf(['pour', 'copper'], `inner ${name}`);
    for (const g of Object.values(groups[name])) g.style.setProperty('--layer', innerColour(i));
  });
  return groups;
}

function drawZones(zones, groups) {
  for (const z of zones) {
    const d = z.polygons.map((p) => [p.outline, ...p.holes].map(closedPath).join('')).join('');
    groups[z.layer].pour.append(svg('path', { d, 'data-net': z.net, 'fill-rule': 'evenodd' }));
  }
}

function drawVias(vias, groups) {
  for (const v of vias) {
    const center = { cx: v.x_mm, cy: v.y_mm };
    groups.vias.append(
      svg('circle', { ...center, r: v.diameter_mm / 2, 'data-net': v.net, class: 'via' }),
    );
    groups.drills.append(svg('circle', { ...center, r: v.drill_mm / 2, class: 'tented' }));
  }
}

function drawPad(part, pad, groups, maskExpansion) {
  for (const layer of pad.layers) groups[layer].mask?.append(drawLand(pad, {}, maskExpansion));
  const hasHole = Boolean(pad.drill_mm || pad.slot_mm);
  if (pad.plated || !hasHole) {
    const pin = `${part.ref}.${pad.pad}`;
    const group = pad.layers.length > 1 ? groups.through : groups[pad.layers[0]].pads;
    group.append(
      drawLand(pad, {
        class: 'pad',
        'data-net': pad.net ?? undefined,
        'data-pin': pin,
        'data-x': pad.x_mm,
        'data-y': pad.y_mm,
        role: 'button',
        tabindex: -1,
        'aria-label': `${pin}, ${pad.net === null ? 'no net' : `net ${pad.net}`}`,
      }),
    );
  }
  if (hasHole) groups.drills.append(drawHole(pad));
}

function drawViolations(violations, groups) {
  violations.forEach((v, i) =>
    groups.marks.append(
      svg(
        'g',
        { class: `mark ${v.severity}`, 'data-mark': i, 'data-x': v.x_mm, 'data-y': v.y_mm },
        svg('circle', { r: 1 }),
        svg('path', { d: 'M-.5 -.5L.5 .5M-.5 .5L.5 -.5' }),
      ),
    ),
  );
}

/**
 * Draws a board.
 * @returns {object} the SVG groups: outline, vias, through, drills, rats, marks; top and bottom
 *   with pour, copper, mask, pads, silk, court; each inner layer with pour, copper
 */
export function drawShapes(result) {
  const groups = makeGroups(result);
  groups.outline.append(svg('path', { d: closedPath(result.board.outline) }));
  drawZones(result.zones, groups);
  drawTracks(result.tracks, groups);
  drawVias(result.vias, groups);
  for (const part of result.placements) {
    groups[part.side].court.append(svg('path', { d: closedPath(part.courtyard) }));
    for (const pad of part.pads) drawPad(part, pad, groups, result.rules.mask_expansion_mm);
  }
  for (const h of result.holes)
    groups.drills.append(svg('circle', { cx: h.x_mm, cy: h.y_mm, r: h.diameter_mm / 2 }));
  for (const side of ['top', 'bottom'])
    for (const { width, d } of silkscreenOf(result, side))
      groups[side].silk.append(svg('path', { d, 'stroke-width': width }));
  for (const u of result.unrouted) {
    const [a, b] = [padOfPin(result, u.from), padOfPin(result, u.to)];
    if (!a || !b) continue;
    const d = `M${a.x_mm} ${a.y_mm}L${b.x_mm} ${b.y_mm}`;
    groups.rats.append(svg('path', { d, 'data-net': u.net }));
  }
  drawViolations(result.drc.violations, groups);
  return groups;
}
