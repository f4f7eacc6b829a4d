// Moves a part of a finished board: with the pointer, or with the arrow keys from one of its pads.
// Lines to the nearest pads of its nets follow it. After the move the board is routed again.
import { smallButton, svg } from './dom.js';
import { announce } from './shell.js';

const gridMm = 0.1; // of the pointer
const stepMm = 0.5; // per press of an arrow key
const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

/** Reports whether a point is in a polygon, by the even-odd rule. */
const isInside = (ring, x, y) =>
  ring.reduce((isOdd, a, i) => {
    const b = ring[(i + 1) % ring.length];
    const isCrossed =
      a.y_mm > y !== b.y_mm > y &&
      x < ((b.x_mm - a.x_mm) * (y - a.y_mm)) / (b.y_mm - a.y_mm) + a.x_mm;
    return isCrossed ? !isOdd : isOdd;
  }, false);

/** Returns the pad of another part that has the net of a pad and is nearest to a point. */
function nearestPad(result, part, net, x, y) {
  let nearest;
  let least = Infinity;
  for (const other of result.placements) {
    if (other === part) continue;
    for (const pad of other.pads) {
      const distance = Math.hypot(pad.x_mm - x, pad.y_mm - y);
      if (pad.net === net && distance < least) [nearest, least] = [pad, distance];
    }
  }
  return nearest;
}

/**
 * Returns the ratsnest of a part that is moved by (dx, dy) mm.
 * @returns {number[][]} a line [x1, y1, x2, y2] in mm per pad, to the nearest pad of its net
 */
function ratsnestLines(result, part, dx, dy) {
  return part.pads
    .filter((p) => p.net !== null && p.net !== undefined)
    .flatMap((p) => {
      const [x, y] = [p.x_mm + dx, p.y_mm + dy];
      const nearest = nearestPad(result, part, p.net, x, y);
      return nearest ? [[x, y, nearest.x_mm, nearest.y_mm]] : [];
    });
}

/** Returns the displacement on the grid, limited so that the courtyard stays on the board. */
function limitMove(result, part, dx, dy) {
  const [xs, ys] = ['x_mm', 'y_mm'].map((k) => part.courtyard.map((p) => p[k]));
  const limit = (d, coordinates, size) =>
    Math.min(Math.max(d, -Math.min(...coordinates)), size - Math.max(...coordinates));
  const snap = (d) => Math.round(d / gridMm) * gridMm;
  return [limit(snap(dx), xs, result.board.width_mm), limit(snap(dy), ys, result.board.height_mm)];
}

/** Reports whether the centre, a corner or the middle of an edge of ring a is inside ring b. */
function overlaps(a, b) {
  const center = ['x_mm', 'y_mm'].map((k) => a.reduce((sum, p) => sum + p[k], 0) / a.length);
  const corners = a.map((p) => [p.x_mm, p.y_mm]);
  const middles = corners.map(([x, y], i) => {
    const [nextX, nextY] = corners[(i + 1) % a.length];
    return [(x + nextX) / 2, (y + nextY) / 2];
  });
  return [center, ...corners, ...middles].some(([x, y]) => isInside(b, x, y));
}

/** Returns the references of the parts on the same side whose courtyard a moved part overlaps. */
function overlappingParts(result, part, dx, dy) {
  const moved = part.courtyard.map((p) => ({ x_mm: p.x_mm + dx, y_mm: p.y_mm + dy }));
  return result.placements
    .filter(
      (p) =>
        p !== part &&
        p.side === part.side &&
        p.courtyard?.length &&
        (overlaps(moved, p.courtyard) || overlaps(p.courtyard, moved)),
    )
    .map((p) => p.ref);
}

/** Draws a moved part and its ratsnest lines over the view. */
function drawMoved(view, { part, dx, dy }, lines) {
  const at = (x, y) => view.toView(x, y).join(' ');
  const courtyard = part.courtyard.map((p) => at(p.x_mm + dx, p.y_mm + dy)).join('L');
  view.overlay.replaceChildren(
    svg('path', { class: 'moved', d: `M${courtyard}Z` }),
    svg('path', {
      class: 'pull',
      d: lines.map(([x1, y1, x2, y2]) => `M${at(x1, y1)}L${at(x2, y2)}`).join('') || 'M0 0',
    }),
    ...part.pads.map((p) => {
      const [cx, cy] = view.toView(p.x_mm + dx, p.y_mm + dy);
      const r = Math.min(p.width_mm ?? 1, p.height_mm ?? 1) / 2;
      return svg('circle', { class: 'moved', cx, cy, r });
    }),
  );
}

/** Moves a part of a board: with the pointer, or with the arrow keys from one of its pads. */
class PartMover {
  #view;
  #stage;
  #showStatus;
  #onMove;
  // { part, dx, dy, from } while a part is moved, in mm. from is the point where a drag began. It
  // is undefined for a move by the arrow keys.
  #moved;

  /** The button that lets parts be moved. */
  button = smallButton('Move parts', () => this.#toggle(), {
    id: 'move-parts',
    'aria-pressed': 'false',
    title: 'Drag a part, or move it by the arrow keys from one of its pads and press Enter',
  });

  /** The parameters are those of dragParts. */
  constructor(view, stage, showStatus, onMove) {
    this.#view = view;
    this.#stage = stage;
    this.#showStatus = showStatus;
    this.#onMove = onMove;
    // In the capturing phase, before the view handles the event.
    const listen = (type, handler) => stage.addEventListener(type, handler, true);
    listen('pointerdown', (event) => this.#pick(event));
    listen('pointermove', (event) => this.#drag(event));
    listen('pointerup', (event) => this.#drop(event));
    listen('pointercancel', () => this.#isDragged() && this.#cancel());
    listen('click', (event) => this.#isOn() && event.stopPropagation());
    listen('keydown', (event) => this.#handleKey(event));
  }

  #isOn() {
    return this.button.getAttribute('aria-pressed') === 'true';
  }

  #isDragged() {
    return this.#moved?.from !== undefined;
  }

  #toggle() {
    this.button.setAttribute('aria-pressed', String(!this.#isOn()));
    this.#stage.classList.toggle('moving', this.#isOn());
    this.#cancel();
    this.#showStatus(this.#isOn() ? 'Drag a part; it is routed again where you leave it' : '');
  }

  /** Starts to drag the part under the pointer. */
  #pick(event) {
    if (!this.#isOn() || event.button !== 0) return;
    const from = this.#view.toBoard(event.clientX, event.clientY);
    const hits = this.#view.result.placements.filter(
      (p) => p.courtyard?.length && isInside(p.courtyard, ...from),
    );
    const part = hits.find((p) => p.side === this.#view.side) ?? hits[0];
    if (!part) return;
    this.#moved = { part, dx: 0, dy: 0, from };
    this.#draw();
    this.#stage.setPointerCapture(event.pointerId);
    event.stopPropagation();
    event.preventDefault();
  }

  #drag(event) {
    if (!this.#isDragged()) return;
    event.stopPropagation();
    const [x, y] = this.#view.toBoard(event.clientX, event.clientY);
    const [fromX, fromY] = this.#moved.from;
    this.#move(x - fromX, y - fromY);
  }

  #drop(event) {
    if (!this.#isDragged()) return;
    event.stopPropagation();
    this.#place();
  }

  #handleKey(event) {
    if (!this.#isOn()) return;
    const arrow = arrows[event.key];
    const ref = event.target.closest?.('.pad')?.dataset.pin.replace(/\.[^.]*$/, '');
    if (arrow && ref) {
      if (!this.#step(ref, arrow)) return;
    } else if (event.key === 'Enter' && this.#moved) this.#place();
    else if (event.key === 'Escape' && this.#moved) this.#cancel();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Moves the part of a pad by one step. Reports whether it has a courtyard. */
  #step(ref, [right, up]) {
    const part = this.#view.result.placements.find((p) => p.ref === ref && p.courtyard?.length);
    if (!part) return false;
    if (this.#moved?.part !== part) this.#moved = { part, dx: 0, dy: 0 };
    const mirror = this.#view.side === 'top' ? 1 : -1;
    const { dx, dy } = this.#moved;
    this.#move(dx + right * stepMm * mirror, dy + up * stepMm);
    return true;
  }

  #move(dx, dy) {
    const { part } = this.#moved;
    [this.#moved.dx, this.#moved.dy] = limitMove(this.#view.result, part, dx, dy);
    this.#draw();
  }

  /** Draws the moved part, and shows its position and the parts that it overlaps. */
  #draw() {
    const { part, dx, dy } = this.#moved;
    const lines = ratsnestLines(this.#view.result, part, dx, dy);
    const blockers = overlappingParts(this.#view.result, part, dx, dy);
    drawMoved(this.#view, this.#moved, lines);
    this.#view.overlay.classList.toggle('blocked', blockers.length > 0);
    const [x, y] = [part.x_mm + dx, part.y_mm + dy].map((v) => v.toFixed(1));
    const length = lines.reduce((sum, [x1, y1, x2, y2]) => sum + Math.hypot(x2 - x1, y2 - y1), 0);
    const overlap = blockers.length ? `; overlaps ${blockers.join(', ')}` : '';
    this.#showStatus(`${part.ref} at ${x}, ${y} mm, connections ${length.toFixed(1)} mm${overlap}`);
  }

  #cancel() {
    this.#moved = undefined;
    this.#view.overlay.replaceChildren();
  }

  /** Ends the move. Routes the board again, unless the part did not move or overlaps another. */
  async #place() {
    const { part, dx, dy } = this.#moved;
    if (dx === 0 && dy === 0) {
      this.#cancel();
      this.#showStatus('');
      return;
    }
    const blockers = overlappingParts(this.#view.result, part, dx, dy).join(', ');
    if (blockers) {
      this.#cancel();
      this.#showStatus(
        `${part.ref} stays where it was: its courtyard would overlap that of ${blockers}`,
      );
      announce(`${part.ref} would overlap ${blockers}`);
      return;
    }
    this.#moved = undefined;
    const [x, y] = [part.x_mm + dx, part.y_mm + dy].map((v) => Number(v.toFixed(4)));
    const reason = await this.#onMove(part.ref, x, y);
    if (reason) {
      this.#cancel();
      this.#showStatus(`${part.ref} stays where it was: ${reason}`);
      announce(`${part.ref} was not moved: ${reason}`);
    } else announce(`${part.ref} moved; the board is routed again`);
  }
}

/**
 * Returns the button that lets parts be moved.
 * @param {import('./board_view.js').BoardView} view
 * @param {HTMLElement} stage
 * @param {(text: string) => void} showStatus
 * @param {(ref: string, x_mm: number, y_mm: number) => Promise<string>} onMove routes the board
 *   with a part at a new position; returns the reason when it cannot, otherwise ''
 */
export const dragParts = (view, stage, showStatus, onMove) =>
  new PartMover(view, stage, showStatus, onMove).button;
