// The view of a board: layers, visible side, zoom, and the highlighted net.
import { drawShapes, innerColour, innerLayers } from './board_shapes.js';
import { svg } from './dom.js';

/**
 * Returns the layers of the list, from the top.
 * @returns {{name: string, label: string, colour?: string, isOff?: boolean, groupsOf: (groups:
 *   object) => SVGElement[]}[]} isOff: hidden at first; groupsOf takes the groups of drawShapes
 */
export const layersOf = (result) => [
  { name: 'top', label: 'F.Cu', groupsOf: (g) => [g.top.copper, g.top.pads] },
  ...innerLayers(result).map((name, i) => ({
    name,
    label: `In${i + 1}.Cu`,
    colour: innerColour(i),
    groupsOf: (g) => [g[name].pour, g[name].copper],
  })),
  { name: 'bottom', label: 'B.Cu', groupsOf: (g) => [g.bottom.copper, g.bottom.pads] },
  { name: 'pour', label: 'Pour', groupsOf: (g) => [g.top.pour, g.bottom.pour] },
  { name: 'silk-top', label: 'F.Silk', groupsOf: (g) => [g.top.silk] },
  { name: 'silk-bottom', label: 'B.Silk', groupsOf: (g) => [g.bottom.silk], isOff: true },
  { name: 'mask-top', label: 'F.Mask', groupsOf: (g) => [g.top.mask], isOff: true },
  { name: 'mask-bottom', label: 'B.Mask', groupsOf: (g) => [g.bottom.mask], isOff: true },
  { name: 'through', label: 'Through', groupsOf: (g) => [g.vias, g.through] },
  { name: 'drills', label: 'Drills', groupsOf: (g) => [g.drills] },
  {
    name: 'court',
    label: 'Courtyards',
    groupsOf: (g) => [g.top.court, g.bottom.court],
    isOff: true,
  },
  { name: 'rats', label: 'Ratsnest', groupsOf: (g) => [g.rats] },
  { name: 'marks', label: 'DRC', groupsOf: (g) => [g.marks] },
  { name: 'outline', label: 'Outline', groupsOf: (g) => [g.outline] },
];

const marginMm = 1.5; // around the board
const minWidthMm = 2; // width of the view at the highest zoom
const minDetailWidthMm = 8; // width of the view of one place
const repaintMs = 120; // without a change, until a moving view is painted again

/**
 * A board in an SVG element. box is the visible part in mm, in the coordinates of the view: y
 * points downwards, and x is mirrored for the bottom side.
 *
 * Painting some thousand shapes takes longer than a frame. During a sequence of changes CSS moves
 * and scales the painted picture. The view is painted again after the last change.
 */
export class BoardView {
  /**
   * @param {object} result of pcb_layout
   * @param {(net: string|null, pinned: string|null) => void} onHighlight
   */
  constructor(result, onHighlight) {
    const { width_mm: w, height_mm: h } = result.board;
    this.size = { w, h };
    this.result = result;
    this.groups = drawShapes(result);
    this.world = svg('g');
    this.overlay = svg('g', { class: 'over' });
    this.svg = svg(
      'svg',
      { class: 'board-svg mask-green', role: 'group' },
      this.world,
      this.overlay,
    );
    this.onHighlight = onHighlight;
    this.side = 'top';
    this.byNet = new Map();
    for (const e of this.#groupsInOrder().flatMap((g) => [...g.querySelectorAll('[data-net]')])) {
      if (!this.byNet.has(e.dataset.net)) this.byNet.set(e.dataset.net, []);
      this.byNet.get(e.dataset.net).push(e);
    }
    this.showSide('top');
    this.fit();
    const first = this.svg.querySelector('.pad');
    first?.setAttribute('tabindex', 0);
    this.pinned = null;
  }

  /** Returns the groups in the order of painting, for the visible side. */
  #groupsInOrder() {
    const g = this.groups;
    const isTop = this.side === 'top';
    const [near, far] = isTop ? [g.top, g.bottom] : [g.bottom, g.top];
    const inner = innerLayers(this.result).map((name) => [g[name].pour, g[name].copper]);
    if (isTop) inner.reverse();
    return [
      g.outline,
      far.silk,
      far.mask,
      far.pour,
      far.copper,
      far.pads,
      ...inner.flat(),
      near.pour,
      near.copper,
      g.vias,
      near.mask,
      near.pads,
      g.through,
      g.drills,
      near.silk,
      far.court,
      near.court,
      g.rats,
      g.marks,
    ];
  }

  /** Shows the board from the top or from the bottom. */
  showSide(side) {
    this.side = side;
    const { w, h } = this.size;
    this.world.setAttribute(
      'transform',
      side === 'top' ? `matrix(1 0 0 -1 0 ${h})` : `matrix(-1 0 0 -1 ${w} ${h})`,
    );
    this.world.replaceChildren(...this.#groupsInOrder());
    this.svg.dataset.side = side;
    this.svg.setAttribute('aria-label', `Board, ${side} view`);
    this.svg.dispatchEvent(new Event('flip'));
  }

  /** Converts a point of the board to the view, or back: the conversion is its own inverse. */
  toView(x, y) {
    return [this.side === 'top' ? x : this.size.w - x, this.size.h - y];
  }

  /** Returns the pixels per mm that show a whole box. */
  scale({ w, h } = this.box) {
    const { clientWidth, clientHeight } = this.svg.parentElement;
    return Math.min(clientWidth / w, clientHeight / h);
  }

  /** Converts a point of the window in pixels to the board in mm. */
  toBoard(clientX, clientY) {
    const stage = this.svg.parentElement;
    const { left, top } = stage.getBoundingClientRect();
    const { x, y, w, h } = this.box;
    const scale = this.scale();
    return this.toView(
      x + w / 2 + (clientX - left - stage.clientLeft - stage.clientWidth / 2) / scale,
      y + h / 2 + (clientY - top - stage.clientTop - stage.clientHeight / 2) / scale,
    );
  }

  /** Shows the box. Paints it after a jump or a pause, otherwise moves the painted picture. */
  #show(isJump = false) {
    const isMoving = this.timer !== undefined && !isJump;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.timer = undefined;
      if (this.painted !== this.box) this.#paint();
    }, repaintMs);
    if (!isMoving || !this.svg.parentElement) {
      this.#paint();
      return;
    }
    const [a, b] = [this.painted, this.box]; // from and to
    const scale = this.scale(b);
    const dx = (a.x + a.w / 2 - b.x - b.w / 2) * scale;
    const dy = (a.y + a.h / 2 - b.y - b.h / 2) * scale;
    this.svg.style.transform = `translate(${dx}px, ${dy}px) scale(${scale / this.scale(a)})`;
  }

  #paint() {
    const { x, y, w, h } = (this.painted = this.box);
    this.svg.style.transform = '';
    this.svg.setAttribute('viewBox', `${x} ${y} ${w} ${h}`);
    const scale = Math.max(w, h) / 70;
    for (const m of this.groups.marks.children)
      m.setAttribute('transform', `translate(${m.dataset.x} ${m.dataset.y}) scale(${scale})`);
    this.svg.dispatchEvent(new Event('zoom'));
  }

  get #fullWidth() {
    return this.size.w + 2 * marginMm;
  }

  get isFitted() {
    return this.box.w >= this.#fullWidth - 1e-6;
  }

  /** Shows the whole board. */
  fit() {
    this.box = { x: -marginMm, y: -marginMm, w: this.#fullWidth, h: this.size.h + 2 * marginMm };
    this.#show(true);
  }

  /** Zooms by a factor around a point of the view. */
  zoom(factor, cx = this.box.x + this.box.w / 2, cy = this.box.y + this.box.h / 2) {
    const w = Math.min(this.#fullWidth * 2, Math.max(minWidthMm, this.box.w / factor));
    const k = w / this.box.w;
    this.box = {
      x: cx - (cx - this.box.x) * k,
      y: cy - (cy - this.box.y) * k,
      w,
      h: this.box.h * k,
    };
    this.#show();
  }

  /** Moves the view by fractions of its width and height. */
  pan(dx, dy) {
    const { x, y, w, h } = this.box;
    this.box = { x: x + dx * w, y: y + dy * h, w, h };
    this.#show();
  }

  /** Zooms to a point of the board in mm. */
  goTo(x, y) {
    const [vx, vy] = this.toView(x, y);
    const w = Math.min(this.box.w, Math.max(minDetailWidthMm, this.size.w / 4));
    const h = (w * this.box.h) / this.box.w;
    this.box = { x: vx - w / 2, y: vy - h / 2, w, h };
    this.#show(true);
  }

  /**
   * Highlights a net, or none for null. A pinned net is highlighted again when the pointer leaves
   * another net. Pinning the pinned net unpins it.
   */
  highlight(net, isPin = false) {
    if (isPin) this.pinned = net === this.pinned ? null : net;
    const highlighted = isPin ? this.pinned : (net ?? this.pinned);
    for (const e of this.svg.querySelectorAll('.lit')) e.classList.remove('lit');
    for (const e of this.byNet.get(highlighted) ?? []) e.classList.add('lit');
    this.svg.classList.toggle('dim', highlighted !== null);
    this.onHighlight(highlighted, this.pinned);
  }

  /** Marks the marker of a violation as chosen. */
  chooseMark(index) {
    for (const m of this.groups.marks.children)
      m.classList.toggle('chosen', Number(m.dataset.mark) === index);
  }

  /** Returns the pad next to another pad in a direction of the view, or undefined. */
  nextPad(pad, dx, dy) {
    const pointOf = (p) => this.toView(Number(p.dataset.x), Number(p.dataset.y));
    const [x, y] = pointOf(pad);
    let nearest;
    let least = Infinity;
    for (const p of this.svg.querySelectorAll('.pad')) {
      const [px, py] = pointOf(p);
      const along = (px - x) * dx + (py - y) * dy;
      const across = Math.abs((px - x) * dy) + Math.abs((py - y) * dx);
      const cost = along + 2 * across;
      if (along > 1e-6 && cost < least) [nearest, least] = [p, cost];
    }
    return nearest;
  }
}
