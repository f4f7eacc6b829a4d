// The view of a board: visible layers, side, zoom, and the highlighted net.
import { drawShapes, innerColor, innerLayers } from './board_shapes.js';
import { svg } from './dom.js';

/** The layers of a result that one can switch: name, label, what they are of the drawing. */
export const layersOf = (result) => [
  { name: 'top', label: 'F.Cu', of: (g) => [g.top.copper, g.top.pads] },
  ...innerLayers(result).map((name, i) => ({
    name,
    label: `In${i + 1}.Cu`,
    color: innerColor(i),
    of: (g) => [g[name].pour, g[name].copper],
  })),
  { name: 'bottom', label: 'B.Cu', of: (g) => [g.bottom.copper, g.bottom.pads] },
  { name: 'pour', label: 'Pour', of: (g) => [g.top.pour, g.bottom.pour] },
  { name: 'silk-top', label: 'F.Silk', of: (g) => [g.top.silk] },
  { name: 'silk-bottom', label: 'B.Silk', of: (g) => [g.bottom.silk], off: true },
  { name: 'mask-top', label: 'F.Mask', of: (g) => [g.top.mask], off: true },
  { name: 'mask-bottom', label: 'B.Mask', of: (g) => [g.bottom.mask], off: true },
  { name: 'through', label: 'Through', of: (g) => [g.vias, g.through] },
  { name: 'drills', label: 'Drills', of: (g) => [g.drills] },
  { name: 'court', label: 'Courtyards', of: (g) => [g.top.court, g.bottom.court], off: true },
  { name: 'rats', label: 'Ratsnest', of: (g) => [g.rats] },
  { name: 'marks', label: 'DRC', of: (g) => [g.marks] },
  { name: 'outline', label: 'Outline', of: (g) => [g.outline] },
];

const margin = 1.5; // mm around the board
const nearest = 2; // mm that fill the view at the highest zoom
const repaintDelay = 120; // ms without a change after which a moving view is painted again

/**
 * A board in an SVG element. onLight is called with the net that is lit, or null.
 *
 * Painting some thousand shapes takes longer than a frame. While changes of the view follow each
 * other the picture on the screen is moved and scaled by CSS; it is painted again when they end.
 */
export class BoardView {
  constructor(result, onLight) {
    const { width_mm: w, height_mm: h } = result.board;
    this.size = { w, h };
    this.result = result;
    this.groups = drawShapes(result);
    this.world = svg('g');
    this.over = svg('g', { class: 'over' });
    this.svg = svg('svg', { class: 'board-svg mask-green', role: 'group' }, this.world, this.over);
    this.onLight = onLight;
    this.far = 'bottom';
    this.byNet = new Map();
    for (const e of this.#inOrder().flatMap((g) => [...g.querySelectorAll('[data-net]')])) {
      if (!this.byNet.has(e.dataset.net)) this.byNet.set(e.dataset.net, []);
      this.byNet.get(e.dataset.net).push(e);
    }
    this.arrange('top');
    this.fit();
    const first = this.svg.querySelector('.pad');
    first?.setAttribute('tabindex', 0);
    this.pinned = null;
  }

  #inOrder() {
    const g = this.groups;
    const near = this.far === 'bottom' ? g.top : g.bottom;
    const far = g[this.far];
    const inner = innerLayers(this.result).map((name) => [g[name].pour, g[name].copper]);
    if (this.far === 'bottom') inner.reverse();
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

  /** Turns a side towards the onlooker. */
  arrange(side) {
    this.side = side;
    this.far = side === 'top' ? 'bottom' : 'top';
    const { w, h } = this.size;
    this.world.setAttribute(
      'transform',
      side === 'top' ? `matrix(1 0 0 -1 0 ${h})` : `matrix(-1 0 0 -1 ${w} ${h})`,
    );
    this.world.replaceChildren(...this.#inOrder());
    this.svg.dataset.side = side;
    this.svg.setAttribute('aria-label', `Board, ${side} view`);
  }

  /** Where a point of the board stands in the view, and back: flipping is its own inverse. */
  seen(x, y) {
    return [this.side === 'top' ? x : this.size.w - x, this.size.h - y];
  }

  /** Pixels per millimetre with a box in view, whole and centred. */
  scale({ w, h } = this.box) {
    const { clientWidth, clientHeight } = this.svg.parentElement;
    return Math.min(clientWidth / w, clientHeight / h);
  }

  /** The point of the board under a point of the screen. */
  under(clientX, clientY) {
    const stage = this.svg.parentElement;
    const { left, top } = stage.getBoundingClientRect();
    const { x, y, w, h } = this.box;
    const scale = this.scale();
    return this.seen(
      x + w / 2 + (clientX - left - stage.clientLeft - stage.clientWidth / 2) / scale,
      y + h / 2 + (clientY - top - stage.clientTop - stage.clientHeight / 2) / scale,
    );
  }

  /** Shows the box: painted when the view was at rest or jumps, else by moving the painted picture. */
  #show(isJump = false) {
    const isMoving = this.timer !== undefined && !isJump;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.timer = undefined;
      if (this.painted !== this.box) this.#paint();
    }, repaintDelay);
    if (!isMoving || !this.svg.parentElement) {
      this.#paint();
      return;
    }
    const [a, b] = [this.painted, this.box];
    const scale = this.scale(b);
    this.svg.style.transform = `translate(${(a.x + a.w / 2 - b.x - b.w / 2) * scale}px, ${(a.y + a.h / 2 - b.y - b.h / 2) * scale}px) scale(${scale / this.scale(a)})`;
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

  get isFitted() {
    return this.box.w >= this.size.w + 2 * margin - 1e-6;
  }

  fit() {
    this.box = { x: -margin, y: -margin, w: this.size.w + 2 * margin, h: this.size.h + 2 * margin };
    this.#show(true);
  }

  /** Zooms by a factor about a point of the view, its middle when none is given. */
  zoom(factor, cx = this.box.x + this.box.w / 2, cy = this.box.y + this.box.h / 2) {
    const full = this.size.w + 2 * margin;
    const w = Math.min(full * 2, Math.max(nearest, this.box.w / factor));
    const k = w / this.box.w;
    this.box = {
      x: cx - (cx - this.box.x) * k,
      y: cy - (cy - this.box.y) * k,
      w,
      h: this.box.h * k,
    };
    this.#show();
  }

  /** Moves the view by parts of its width and height. */
  pan(dx, dy) {
    const { x, y, w, h } = this.box;
    this.box = { x: x + dx * w, y: y + dy * h, w, h };
    this.#show();
  }

  /** Shows a place of the board from near. */
  goTo(x, y) {
    const [vx, vy] = this.seen(x, y);
    const w = Math.min(this.box.w, Math.max(8, this.size.w / 4));
    const h = (w * this.box.h) / this.box.w;
    this.box = { x: vx - w / 2, y: vy - h / 2, w, h };
    this.#show(true);
  }

  /** Lights a net, none with null. A pinned one comes back when the pointer leaves another. */
  light(net, pin = false) {
    if (pin) this.pinned = net === this.pinned ? null : net;
    const wanted = pin ? this.pinned : (net ?? this.pinned);
    for (const e of this.svg.querySelectorAll('.lit')) e.classList.remove('lit');
    for (const e of this.byNet.get(wanted) ?? []) e.classList.add('lit');
    this.svg.classList.toggle('dim', wanted !== null);
    this.onLight(wanted, this.pinned);
  }

  /** Rings the marker of a violation. */
  mark(index) {
    for (const m of this.groups.marks.children)
      m.classList.toggle('chosen', Number(m.dataset.mark) === index);
  }

  /** The pad nearest to another in a direction of the screen. */
  neighbour(pad, dx, dy) {
    const [x, y] = this.seen(Number(pad.dataset.x), Number(pad.dataset.y));
    let best;
    let least = Infinity;
    for (const p of this.svg.querySelectorAll('.pad')) {
      const [px, py] = this.seen(Number(p.dataset.x), Number(p.dataset.y));
      const along = (px - x) * dx + (py - y) * dy;
      const aside = Math.abs((px - x) * dy) + Math.abs((py - y) * dx);
      if (along > 1e-6 && along + 2 * aside < least) [best, least] = [p, along + 2 * aside];
    }
    return best;
  }
}
