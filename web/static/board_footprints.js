// Suggestions for unknown footprints of a circuit: the most similar ones of the library, drawn.
import { drawLand } from './board_shapes.js';
import { h, svg } from './dom.js';
import { runJob } from './job.js';
import { ApiError } from './run.js';

const maxSuggestions = 3; // per unknown footprint
const marginMm = 0.2; // around a drawing

/**
 * Reads the unknown footprint and the suggestions from the detail of an error.
 * @returns {{name: string, nearest: string[]}|undefined|null}
 */
export function unknownFootprint(detail) {
  const m = /footprint "([^"]+)" is not in the library;.*? did you mean ([^?]+)\?/.exec(detail);
  return m && { name: m[1], nearest: m[2].split(', ').slice(0, maxSuggestions) };
}

/** Draws the courtyard and the pads of a placed part. Returns the SVG and the size in mm. */
function drawFootprint(part) {
  const [xs, ys] = ['x_mm', 'y_mm'].map((k) => part.courtyard.map((p) => p[k]));
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  const [width, height] = [Math.max(...xs) - x, Math.max(...ys) - y];
  const drawing = svg(
    'svg',
    {
      class: 'footprint',
      viewBox: `${x - marginMm} ${-y - height - marginMm} ${width + 2 * marginMm} ${height + 2 * marginMm}`,
      'aria-hidden': 'true',
    },
    svg(
      'g',
      { transform: 'scale(1 -1)' },
      svg('path', {
        class: 'court',
        d: `M${part.courtyard.map((p) => `${p.x_mm} ${p.y_mm}`).join('L')}Z`,
      }),
      part.pads.map((p) => drawLand(p, { class: 'land' })),
    ),
  );
  return { drawing, width, height };
}

/** Places one part of each footprint and returns the placed parts by footprint. */
async function placeParts(footprints) {
  const body = JSON.stringify({
    components: footprints.map((footprint, i) => ({ ref: `X${i + 1}`, footprint })),
    nets: [],
  });
  try {
    const { result } = await runJob('pcb_layout', body, {});
    return new Map(result.placements.map((p) => [p.footprint, p]));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return new Map(); // the suggestions remain usable without drawings
  }
}

function suggestionButton(name, part, onclick) {
  const drawn = part && drawFootprint(part);
  return h(
    'button',
    { type: 'button', 'data-footprint': name, onclick },
    drawn && drawn.drawing,
    h('b', {}, name),
    drawn &&
      h(
        'span',
        { class: 'absent' },
        `${drawn.width.toFixed(1)} × ${drawn.height.toFixed(1)} mm, ${part.pads.length} pads`,
      ),
  );
}

/**
 * Suggests footprints below the errors of a circuit. The router places one part of each for its
 * drawing.
 * @param {HTMLElement} element
 * @param {{name: string, nearest: string[]}[]} unknown
 * @param {(name: string, replacement: string) => void} onChoose
 */
export async function suggestFootprints(element, unknown, onChoose) {
  const names = [...new Set(unknown.flatMap((u) => u.nearest))];
  const box = h('div', { class: 'footprints', role: 'group', 'aria-label': 'Nearest footprints' });
  element.append(box);
  const parts = await placeParts(names);
  if (!box.isConnected) return;
  for (const { name, nearest } of unknown) {
    const group = h('div', {}, h('p', {}, `In place of ${name}:`));
    const choose = (replacement) => {
      group.remove();
      onChoose(name, replacement);
    };
    const buttons = nearest.map((n) => suggestionButton(n, parts.get(n), () => choose(n)));
    group.append(h('p', { class: 'picker' }, buttons));
    box.append(group);
  }
}
