// A finished board: figures, the view with its controls, nets, rule check, files.
import { drawControls } from './board_controls.js';
import { drawFiles } from './board_files.js';
import { dragParts } from './board_drag.js';
import { drawChecks, drawFigures, drawNets } from './board_lists.js';
import { BoardView } from './board_view.js';
import { el } from './dom.js';

let leave = () => {};
let shown; // the last result

const partsOf = (result) =>
  result.placements
    .map((p) => p.ref)
    .sort()
    .join(' ');

/**
 * Draws a board's result into element, in place of what is there. keep keeps the placement of a result; move
 * routes it again with a part at another place. The figures of an earlier board of the same parts stand beside.
 * @param {{keep: (result: object) => void, move: (result: object, ref: string, x_mm: number, y_mm: number) => Promise<string>}} actions
 * @param {object} [other] the board to compare with @param {boolean} [isOld] whether other is the newer one
 */
export function drawBoard(element, result, actions, other = shown, isOld = false) {
  leave();
  if (!isOld) shown = result;
  const compared =
    other && other !== result && partsOf(other) === partsOf(result) ? other : undefined;
  let nets;
  const view = new BoardView(result, (lit, pinned) => nets.show(lit, pinned));
  nets = drawNets(result, (net) => view.light(net, true));
  const stage = el('div', {
    class: 'board-stage',
    tabindex: 0,
    role: 'group',
    'aria-label': 'Board view: arrows move it, plus and minus zoom, Tab goes to the pads',
  });
  stage.append(view.svg);
  stage.style.aspectRatio = Math.max(
    0.8,
    Math.min(2.4, result.board.width_mm / result.board.height_mm),
  );
  const checks = drawChecks(
    result,
    (index) => {
      const v = result.drc.violations[index];
      view.goTo(v.x_mm, v.y_mm);
      view.mark(index);
    },
    (from, to) => view.goTo((from.x_mm + to.x_mm) / 2, (from.y_mm + to.y_mm) / 2),
  );
  const controls = drawControls(view, stage, checks);
  controls.bar.append(
    el(
      'button',
      {
        type: 'button',
        class: 'small',
        title: 'The parts stay where they are when it is routed again',
        onclick: () => actions.keep(result),
      },
      'Keep placement',
    ),
  );
  controls.bar.append(
    dragParts(
      view,
      stage,
      (text) => {
        controls.status.textContent = text;
      },
      (...to) => actions.move(result, ...to),
    ),
  );
  if (compared)
    controls.bar.append(
      el(
        'button',
        {
          type: 'button',
          class: 'small',
          id: 'other-board',
          'aria-pressed': String(isOld),
          title: isOld ? 'Shows the last board again' : 'Shows the board before the last run',
          onclick: () => {
            drawBoard(element, compared, actions, result, !isOld);
            element.querySelector('#other-board').focus();
          },
        },
        'Before',
      ),
    );
  const solid = el('div', { class: 'board-solid' });
  let free = () => {};
  const toggle = el(
    'button',
    {
      type: 'button',
      class: 'small',
      id: 'show-3d',
      'aria-pressed': 'false',
      title: 'The assembled board in three dimensions',
      onclick: async () => {
        const isOn = toggle.getAttribute('aria-pressed') === 'false';
        toggle.setAttribute('aria-pressed', String(isOn));
        free();
        free = () => {};
        solid.replaceChildren();
        if (!isOn) return;
        const { board3D } = await import('./board_3d.js');
        const mask = /mask-(\w+)/.exec(view.svg.getAttribute('class'))?.[1] ?? 'green';
        const box = el('div', {});
        solid.replaceChildren(box);
        const done = await board3D(box, result, mask).catch((error) => {
          box.replaceChildren(
            el(
              'p',
              { class: 'problem' },
              `The board could not be drawn in three dimensions: ${error.message}`,
            ),
          );
          return () => {};
        });
        if (!box.isConnected) {
          // it was closed, or another board came, in the meantime
          done();
          return;
        }
        free = done;
        solid.scrollIntoView({
          block: 'nearest',
          behavior: matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth',
        });
      },
    },
    '3D',
  );
  controls.bar.append(toggle);
  leave = () => {
    controls.leave();
    free();
  };
  const { statistics: s, drc } = result;
  const state = `${s.component_count} ${s.component_count === 1 ? 'part' : 'parts'} on ${result.board.width_mm} × ${result.board.height_mm} mm, ${s.completion_pct} % routed, ${drc.error_count} rule ${drc.error_count === 1 ? 'error' : 'errors'}`;
  element.replaceChildren(
    el(
      'div',
      { class: 'board-warnings' },
      result.warnings?.length > 0 &&
        el(
          'ul',
          { class: 'warnings' },
          result.warnings.map((w) => el('li', {}, w)),
        ),
    ),
    drawFigures(result, compared, isOld),
    el(
      'figure',
      { class: 'board-figure' },
      el('figcaption', { class: 'unseen' }, state),
      controls.bar,
      el('div', { class: 'board-desk' }, stage, controls.panel),
      controls.status,
      solid,
    ),
    el('div', { class: 'two board-two' }, nets.element, checks.element),
    drawFiles(result, view),
  );
}
