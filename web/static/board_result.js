// A finished board: figures, the view with its controls, nets, rule check, files.
import { drawControls } from './board_controls.js';
import { drawFiles } from './board_files.js';
import { dragParts } from './board_drag.js';
import { drawChecks, drawFigures, drawNets } from './board_lists.js';
import { BoardView } from './board_view.js';
import { h, smallButton } from './dom.js';

const minAspect = 0.8; // width over height of the view
const maxAspect = 2.4;

let destroyShown = () => {};
let lastResult;

const refsOf = (result) =>
  result.placements
    .map((p) => p.ref)
    .sort()
    .join(' ');

function drawStage(view) {
  const stage = h('div', {
    class: 'board-stage',
    tabindex: 0,
    role: 'group',
    'aria-label': 'Board view: arrows move it, plus and minus zoom, Tab goes to the pads',
  });
  stage.append(view.svg);
  const aspect = view.size.w / view.size.h;
  stage.style.aspectRatio = Math.max(minAspect, Math.min(maxAspect, aspect));
  return stage;
}

/**
 * Draws the board in three dimensions into an element. Returns a function that frees its memory.
 */
async function draw3DInto(element, result, mask) {
  try {
    const { draw3D } = await import('./board_3d.js');
    return await draw3D(element, result, mask);
  } catch (error) {
    element.replaceChildren(
      h(
        'p',
        { class: 'problem' },
        `The board could not be drawn in three dimensions: ${error.message}`,
      ),
    );
    return () => {};
  }
}

/** Returns the button that shows the board in three dimensions, and the box for the picture. */
function threeDControls(view) {
  const box = h('div', { class: 'board-solid' });
  let destroy = () => {};
  const toggle = async () => {
    const isOn = button.getAttribute('aria-pressed') === 'false';
    button.setAttribute('aria-pressed', String(isOn));
    destroy();
    destroy = () => {};
    box.replaceChildren();
    if (!isOn) return;
    const mask = /mask-(\w+)/.exec(view.svg.getAttribute('class'))?.[1] ?? 'green';
    const picture = h('div', {});
    box.replaceChildren(picture);
    const destroyPicture = await draw3DInto(picture, view.result, mask);
    if (!picture.isConnected) {
      // The user has closed it, or another board is shown.
      destroyPicture();
      return;
    }
    destroy = destroyPicture;
    const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
    box.scrollIntoView({ block: 'nearest', behavior: isStill ? 'auto' : 'smooth' });
  };
  const button = smallButton('3D', toggle, {
    id: 'show-3d',
    'aria-pressed': 'false',
    title: 'The assembled board in three dimensions',
  });
  return { button, box, destroy: () => destroy() };
}

const keepButton = (onclick) =>
  smallButton('Keep placement', onclick, {
    title: 'The parts stay where they are when it is routed again',
  });

const compareButton = (isOtherNewer, onclick) =>
  smallButton('Before', onclick, {
    id: 'other-board',
    'aria-pressed': String(isOtherNewer),
    title: isOtherNewer ? 'Shows the last board again' : 'Shows the board before the last run',
  });

function describe({ board, statistics, drc }) {
  const { component_count: parts, completion_pct: routed } = statistics;
  const size = `${board.width_mm} × ${board.height_mm} mm`;
  const errors = `${drc.error_count} rule ${drc.error_count === 1 ? 'error' : 'errors'}`;
  return `${parts} ${parts === 1 ? 'part' : 'parts'} on ${size}, ${routed} % routed, ${errors}`;
}

const drawWarnings = (warnings) =>
  h(
    'div',
    { class: 'board-warnings' },
    warnings?.length > 0 &&
      h(
        'ul',
        { class: 'warnings' },
        warnings.map((w) => h('li', {}, w)),
      ),
  );

/**
 * Draws the result of a board into an element, and compares its figures with another board of the
 * same parts.
 * @param {HTMLElement} element
 * @param {object} result of pcb_layout
 * @param {{keep: (result: object) => void, move: (result: object, ref: string, x_mm: number, y_mm:
 *   number) => Promise<string>}} actions keep keeps the placement; move routes the board again with
 *   a part at another position
 * @param {object} [other] result to compare with, usually the previous one
 * @param {boolean} [isOtherNewer]
 */
export function drawBoard(element, result, actions, other = lastResult, isOtherNewer = false) {
  destroyShown();
  if (!isOtherNewer) lastResult = result;
  const isComparable = other && other !== result && refsOf(other) === refsOf(result);
  let nets;
  const view = new BoardView(result, (highlighted, pinned) => nets.show(highlighted, pinned));
  nets = drawNets(result, (net) => view.highlight(net, true));
  const stage = drawStage(view);
  const checks = drawChecks(
    result,
    (index) => {
      const v = result.drc.violations[index];
      view.goTo(v.x_mm, v.y_mm);
      view.chooseMark(index);
    },
    (from, to) => view.goTo((from.x_mm + to.x_mm) / 2, (from.y_mm + to.y_mm) / 2),
  );
  const controls = drawControls(view, stage, checks);
  const threeD = threeDControls(view);
  controls.bar.append(
    keepButton(() => actions.keep(result)),
    dragParts(view, stage, controls.showStatus, (...move) => actions.move(result, ...move)),
  );
  if (isComparable)
    controls.bar.append(
      compareButton(isOtherNewer, () => {
        drawBoard(element, other, actions, result, !isOtherNewer);
        element.querySelector('#other-board').focus();
      }),
    );
  controls.bar.append(threeD.button);
  destroyShown = () => {
    controls.destroy();
    threeD.destroy();
  };
  element.replaceChildren(
    drawWarnings(result.warnings),
    drawFigures(result, isComparable ? other : undefined, isOtherNewer),
    h(
      'figure',
      { class: 'board-figure' },
      h('figcaption', { class: 'unseen' }, describe(result)),
      controls.bar,
      h('div', { class: 'board-desk' }, stage, controls.panel),
      controls.status,
      threeD.box,
    ),
    h('div', { class: 'two board-two' }, nets.element, checks.element),
    drawFiles(result, view),
  );
}
