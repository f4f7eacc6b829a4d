// Unknown footprints of a circuit: the nearest ones of the library with their drawings, to choose.
import { land } from './board_shapes.js';
import { el, svg } from './dom.js';
import { runJob } from './job.js';
import { ApiError } from './run.js';

/** The unknown footprint that an error names and its nearest ones: { name, nearest }, or undefined. */
export function unknownFootprint(detail) {
  const m = /footprint "([^"]+)" is not in the library;.*? did you mean ([^?]+)\?/.exec(detail);
  return m && { name: m[1], nearest: m[2].split(', ').slice(0, 3) };
}

/** A part as it lies on the board: courtyard and pads. */
function picture(part) {
  const [xs, ys] = ['x_mm', 'y_mm'].map((k) => part.courtyard.map((p) => p[k]));
  const [x, y, w, h] = [
    Math.min(...xs),
    Math.min(...ys),
    Math.max(...xs) - Math.min(...xs),
    Math.max(...ys) - Math.min(...ys),
  ];
  return {
    w,
    h,
    drawing: svg(
      'svg',
      {
        class: 'footprint',
        viewBox: `${x - 0.2} ${-y - h - 0.2} ${w + 0.4} ${h + 0.4}`,
        'aria-hidden': 'true',
      },
      svg(
        'g',
        { transform: 'scale(1 -1)' },
        svg('path', {
          class: 'court',
          d: `M${part.courtyard.map((p) => `${p.x_mm} ${p.y_mm}`).join('L')}Z`,
        }),
        part.pads.map((p) => land(p, { class: 'land' })),
      ),
    ),
  };
}

/**
 * Shows the nearest footprints of each unknown one below the errors. The router places one part of each, which
 * gives the drawings; choose takes the place of the unknown name.
 * @param {HTMLElement} element @param {{name: string, nearest: string[]}[]} unknown
 * @param {(name: string, by: string) => void} choose
 */
export async function offerFootprints(element, unknown, choose) {
  const names = [...new Set(unknown.flatMap((u) => u.nearest))];
  const box = el('div', { class: 'footprints', role: 'group', 'aria-label': 'Nearest footprints' });
  element.append(box);
  let parts = new Map();
  try {
    const body = JSON.stringify({
      components: names.map((footprint, i) => ({ ref: `X${i + 1}`, footprint })),
      nets: [],
    });
    const { result } = await runJob('pcb_layout', body, {});
    parts = new Map(result.placements.map((p) => [p.footprint, p]));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error; // the names can be chosen without their drawings
  }
  if (!box.isConnected) return;
  box.replaceChildren(
    ...unknown.map((u) =>
      el(
        'div',
        {},
        el('p', {}, `In place of ${u.name}:`),
        el(
          'p',
          { class: 'picker' },
          u.nearest.map((name) => {
            const shown = parts.has(name) && picture(parts.get(name));
            return el(
              'button',
              {
                type: 'button',
                'data-footprint': name,
                onclick: () => {
                  box
                    .querySelectorAll('div')
                    .forEach(
                      (d) =>
                        d.querySelector('p').textContent === `In place of ${u.name}:` && d.remove(),
                    );
                  choose(u.name, name);
                },
              },
              shown && shown.drawing,
              el('b', {}, name),
              shown &&
                el(
                  'span',
                  { class: 'absent' },
                  `${shown.w.toFixed(1)} × ${shown.h.toFixed(1)} mm, ${parts.get(name).pads.length} pads`,
                ),
            );
          }),
        ),
      ),
    ),
  );
}
