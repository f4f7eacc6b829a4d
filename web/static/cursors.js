// Cursors A and B of a plot. They can be at any place of the x axis, also between points. Keys,
// buttons, mouse and touch move them; a table has their values, distance and slope.
import { el } from './dom.js';
import { show, showNumber } from './quantity.js';
import { colour, announce } from './shell.js';

const near = 10; // px within which the pointer grabs a cursor

/**
 * A value at a place between points: 2.25 is a quarter of the way from point 2 to point 3. In
 * between it lies on the straight line through both, on an axis that isLog through their logarithms;
 * null where a point is missing.
 */
export function between(values, place, isLog = false) {
  const i = Math.floor(place);
  const t = place - i;
  const [a, b] = [values[i] ?? null, values[i + 1] ?? null];
  if (t === 0 || a === null) return a;
  if (b === null) return null;
  return isLog ? a * (b / a) ** t : a + (b - a) * t;
}

/** The place of a value of x among its points, which rise or fall; its ends where it lies outside. */
export function placeOf(x, value) {
  const { values } = x;
  const last = values.length - 1;
  const sign = values[last] < values[0] ? -1 : 1;
  let [low, high] = [0, last];
  while (high - low > 1) {
    const mid = (low + high) >> 1;
    if (sign * values[mid] <= sign * value) low = mid;
    else high = mid;
  }
  if (last < 1) return 0;
  const [a, b] = [values[low], values[high]];
  const t = a === b ? 0 : x.log ? Math.log(value / a) / Math.log(b / a) : (value - a) / (b - a);
  const place = low + Math.min(1, Math.max(0, t || 0));
  return x.whole ? Math.round(place) : place;
}

export class Cursors {
  /** onMove is called after each move. @param {{onMove: () => void}} o */
  constructor(o) {
    this.o = o;
    this.at = { A: null, B: null }; // places among the points, see between
    this.marked = { A: null, B: null }; // the feature that a cursor is at: { x, label, value }
    this.active = 'A';
    this.x = [];
    this.curves = [];
    this.table = el('div', {
      class: 'scroll readout',
      tabindex: 0,
      role: 'region',
      'aria-label': 'Cursor values',
    });
    const button = (text, label, act) =>
      el(
        'button',
        { type: 'button', class: 'small', 'aria-label': label, title: label, onclick: act },
        text,
      );
    this.choose = ['A', 'B'].map((c) => button(c, `Move cursor ${c}`, () => this.activate(c)));
    this.bar = el(
      'p',
      { class: 'picker cursorbar' },
      el('span', { class: 'lbl' }, 'Cursor'),
      this.choose,
      button('⇤', 'To the extreme before', () => this.step(-1, true)),
      button('←', 'One point back', () => this.step(-1)),
      button('→', 'One point on', () => this.step(1)),
      button('⇥', 'To the next extreme', () => this.step(1, true)),
      button('None', 'None: take both cursors away', () => {
        this.at = { A: null, B: null };
        this.#moved();
      }),
    );
    this.activate('A', true);
  }

  /**
   * The values to read: x with its unit, and the curves; whole: x counts, and there is nothing in between.
   * @param {{label: string, unit: string, log?: boolean, whole?: boolean, values: number[]}} x
   * @param {{label: string, unit?: string, log?: boolean, steps?: boolean, values: (number|null)[]}[]} curves log: its own axis is logarithmic
   */
  read(x, curves) {
    this.x = x;
    this.curves = curves;
    for (const c of ['A', 'B']) {
      this.marked[c] = null;
      if (this.at[c] !== null) this.at[c] = Math.min(this.at[c], x.values.length - 1);
    }
    this.#moved(true);
  }

  activate(c, quiet) {
    this.active = c;
    this.choose.forEach((b) => b.setAttribute('aria-pressed', String(b.textContent === c)));
    if (!quiet) announce(`Cursor ${c}`);
  }

  /** Puts a cursor at a place among the points. */
  put(place, c = this.active) {
    this.marked[c] = null;
    this.at[c] = Math.min(this.x.values.length - 1, Math.max(0, place));
    this.#moved();
  }

  /** Puts a cursor at a value of x. mark is what is known to lie there: the curve's label and its value. */
  putAt(value, c = this.active, mark = undefined) {
    this.put(placeOf(this.x, value), c);
    this.marked[c] = { x: value, ...mark };
    this.#moved();
  }

  /** The x of a cursor, null when it is nowhere. */
  xOf(c) {
    return this.at[c] === null
      ? null
      : (this.marked[c]?.x ?? between(this.x.values, this.at[c], this.x.log));
  }

  #valueOf(curve, c) {
    if (this.at[c] === null) return null;
    if (this.marked[c] && this.marked[c].label === curve.label) return this.marked[c].value;
    return between(curve.values, curve.steps ? Math.floor(this.at[c]) : this.at[c], curve.log);
  }

  /** To the next point, or to the next extreme of the first curve. */
  step(by, extreme) {
    const n = this.x.values.length;
    if (n === 0) return;
    const at = this.at[this.active];
    const next = by > 0 ? Math.floor(at) + 1 : Math.ceil(at) - 1;
    if (at === null) this.put(by > 0 ? 0 : n - 1);
    else this.put(extreme ? this.#extreme(next - by, by) : next);
    announce(this.sentence());
  }

  #extreme(from, by) {
    const y = this.curves[0]?.values ?? [];
    const rising = (i) => Math.sign((y[i + by] ?? y[i]) - y[i]);
    let i = from;
    let way = rising(i);
    for (i += by; i > 0 && i < y.length - 1; i += by) {
      const next = rising(i);
      if (way !== 0 && next === -way) return i;
      if (next !== 0) way = next;
    }
    return Math.min(y.length - 1, Math.max(0, i));
  }

  sentence() {
    if (this.at[this.active] === null) return 'No cursor';
    return [
      `${this.active}: ${this.x.label} ${reading(this.xOf(this.active), this.x.unit)}`,
      ...this.curves
        .slice(0, 4)
        .map((c) => `${c.label} ${reading(this.#valueOf(c, this.active), c.unit)}`),
    ].join(', ');
  }

  #moved(quiet) {
    this.#draw();
    if (!quiet) this.o.onMove();
  }

  #draw() {
    const { A, B } = this.at;
    this.table.hidden = A === null && B === null;
    if (this.table.hidden) return;
    const x = this.x;
    const both = A !== null && B !== null;
    const [xA, xB] = [this.xOf('A'), this.xOf('B')];
    const dx = both ? xB - xA : null;
    const inverse = { s: 'Hz', Hz: 's' }[x.unit] ?? '';
    const head = ['', 'A', 'B', 'B − A', 'slope'];
    const row = (label, unit, at) => {
      const [a, b] = [at('A'), at('B')];
      const dy = both && a !== null && b !== null ? b - a : null;
      return [
        label,
        reading(a, unit),
        reading(b, unit),
        reading(dy, unit),
        dy === null || !dx ? '' : slope(dy, unit),
      ];
    };
    // Over a logarithmic axis a slope is per decade.
    const slope = (dy, unit) =>
      x.log
        ? `${showNumber(dy / Math.log10(xB / xA))} ${unit}/decade`
        : `${showNumber(dy / dx)} ${unit}/${x.unit || 'unit'}`;
    const rows = [
      row(x.label, x.unit, (c) => this.xOf(c)),
      ...this.curves.map((k) => row(k.label, k.unit, (c) => this.#valueOf(k, c))),
    ];
    rows[0][4] = dx ? `1/Δ = ${show(1 / Math.abs(dx), inverse)}` : '';
    this.table.replaceChildren(
      el(
        'table',
        {},
        el(
          'thead',
          {},
          el(
            'tr',
            {},
            head.map((h) => el('th', { scope: 'col', class: h ? 'n' : '' }, h)),
          ),
        ),
        el(
          'tbody',
          {},
          rows.map((r) =>
            el(
              'tr',
              {},
              r.map((t, i) =>
                i === 0 ? el('th', { scope: 'row' }, t) : el('td', { class: 'n' }, t),
              ),
            ),
          ),
        ),
      ),
    );
  }

  /** For a plot's onKey: arrows move, Shift takes the next extreme, Home and End the ends, a and b choose. */
  key(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by) this.step(by, event.shiftKey);
    else if (event.key === 'Home' || event.key === 'End') {
      this.put(event.key === 'Home' ? 0 : this.x.values.length - 1);
      announce(this.sentence());
    } else if (/^[ab]$/i.test(event.key) && !event.ctrlKey && !event.metaKey && !event.altKey)
      this.activate(event.key.toUpperCase());
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  }

  /** Hooks of a uPlot: lines and pointers. */
  hooks() {
    return { draw: [(u) => this.#lines(u)], ready: [(u) => this.#pointers(u)] };
  }

  #lines(u) {
    const g = u.ctx;
    const ratio = devicePixelRatio;
    for (const c of ['A', 'B']) {
      if (this.at[c] === null) continue;
      const left = Math.round(u.valToPos(this.xOf(c), 'x', true));
      if (left < u.bbox.left - 1 || left > u.bbox.left + u.bbox.width + 1) continue;
      g.save();
      g.strokeStyle = g.fillStyle = colour(c === 'A' ? '--ink' : '--soft');
      g.lineWidth = ratio;
      g.setLineDash(c === 'A' ? [] : [4 * ratio, 3 * ratio]);
      g.beginPath();
      g.moveTo(left, u.bbox.top);
      g.lineTo(left, u.bbox.top + u.bbox.height);
      g.stroke();
      g.font = `600 ${12 * ratio}px system-ui`;
      const right = left > u.bbox.left + u.bbox.width - 14 * ratio;
      g.textAlign = right ? 'right' : 'left';
      g.textBaseline = 'top'; // uPlot keeps the previous axes
      g.fillText(c, left + (right ? -3 : 3) * ratio, u.bbox.top + 2 * ratio);
      g.restore();
    }
  }

  #pointers(u) {
    const { over } = u;
    over.classList.add('takes-cursors');
    let held = '';
    let from = 0;
    const here = (event) => event.clientX - over.getBoundingClientRect().left;
    const place = (event) => placeOf(this.x, u.posToVal(here(event), 'x'));
    over.parentElement.addEventListener(
      'mousedown',
      (event) => {
        if (held) event.stopPropagation();
      },
      true,
    );
    over.parentElement.addEventListener(
      'pointerdown',
      (event) => {
        from = here(event);
        held =
          ['A', 'B'].find(
            (c) => this.at[c] !== null && Math.abs(u.valToPos(this.xOf(c), 'x') - from) < near,
          ) ?? (event.pointerType === 'touch' ? this.active : '');
        if (held) this.activate(held, true);
      },
      true,
    );
    over.addEventListener('pointermove', (event) => {
      if (held && event.buttons) this.put(place(event), held);
    });
    over.addEventListener('pointerup', (event) => {
      if (held || Math.abs(here(event) - from) < 4)
        this.put(place(event), held || (event.shiftKey ? 'B' : this.active));
      held = '';
    });
    over.addEventListener('pointercancel', () => {
      held = '';
    });
  }
}

const reading = (v, unit) =>
  v === null || v === undefined || !Number.isFinite(v) ? '–' : show(v, unit);
