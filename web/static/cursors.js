// Cursors A and B of a plot. They can be at any x, also between points. Keys, buttons, mouse and
// touch move them; a table shows their values, their distance and the slope between them.
import { h, scrollBox, smallButton } from './dom.js';
import { formatQuantity, formatNumber } from './quantity.js';
import { cssColor, announce } from './shell.js';

const grabDistancePx = 10; // between the pointer and a cursor
const clickDistancePx = 4; // largest movement of a click

/**
 * Returns the value at a fractional index: 2.25 is a quarter of the way from point 2 to point 3.
 * It interpolates linearly, or between the logarithms if isLog, and returns null at missing points.
 */
export function interpolate(values, index, isLog = false) {
  const i = Math.floor(index);
  const t = index - i;
  const [a, b] = [values[i] ?? null, values[i + 1] ?? null];
  if (t === 0 || a === null) return a;
  if (b === null) return null;
  return isLog ? a * (b / a) ** t : a + (b - a) * t;
}

/**
 * Returns the fractional index of a value on an axis. Values outside of its range get the first or
 * the last index.
 * @param {{values: number[], log?: boolean, whole?: boolean}} x its values rise or fall
 * @param {number} value
 */
export function fractionalIndex(x, value) {
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
  let t = 0;
  if (a !== b) t = x.log ? Math.log(value / a) / Math.log(b / a) : (value - a) / (b - a);
  const index = low + Math.min(1, Math.max(0, t || 0));
  return x.whole ? Math.round(index) : index;
}

/**
 * @typedef {object} CursorAxis
 * @property {string} label
 * @property {string} unit
 * @property {boolean} [log]
 * @property {boolean} [whole] x is a count, so cursors are at points only
 * @property {number[]} values
 *
 * @typedef {object} CursorCurve
 * @property {string} label
 * @property {string} [unit]
 * @property {boolean} [log] its own axis is logarithmic
 * @property {boolean} [steps]
 * @property {(number|null)[]} values
 */

export class Cursors {
  /** @param {{onMove: () => void}} options onMove is called after each move */
  constructor({ onMove }) {
    this.onMove = onMove;
    this.at = { A: null, B: null }; // fractional indices
    this.marked = { A: null, B: null }; // the exact point of a cursor: { x, label, value }
    this.active = 'A';
    this.x = [];
    this.curves = [];
    this.table = scrollBox('Cursor values', null, { class: 'scroll readout' });
    const button = (text, label, onclick) =>
      smallButton(text, onclick, { 'aria-label': label, title: label });
    this.selectors = ['A', 'B'].map((c) => button(c, `Move cursor ${c}`, () => this.activate(c)));
    this.bar = h(
      'p',
      { class: 'picker cursorbar' },
      h('span', { class: 'lbl' }, 'Cursor'),
      this.selectors,
      button('⇤', 'To the extreme before', () => this.step(-1, true)),
      button('←', 'One point back', () => this.step(-1)),
      button('→', 'One point on', () => this.step(1)),
      button('⇥', 'To the next extreme', () => this.step(1, true)),
      button('None', 'None: take both cursors away', () => {
        this.at = { A: null, B: null };
        this.#update();
      }),
    );
    this.activate('A', true);
  }

  /**
   * Sets the data that the cursors read.
   * @param {CursorAxis} x
   * @param {CursorCurve[]} curves
   */
  setData(x, curves) {
    this.x = x;
    this.curves = curves;
    for (const c of ['A', 'B']) {
      this.marked[c] = null;
      if (this.at[c] !== null) this.at[c] = Math.min(this.at[c], x.values.length - 1);
    }
    this.#update(true);
  }

  /** Selects the cursor that keys and clicks move. */
  activate(c, isQuiet) {
    this.active = c;
    this.selectors.forEach((b) => b.setAttribute('aria-pressed', String(b.textContent === c)));
    if (!isQuiet) announce(`Cursor ${c}`);
  }

  /** Moves a cursor to a fractional index. */
  moveToIndex(index, c = this.active) {
    this.marked[c] = null;
    this.at[c] = Math.min(this.x.values.length - 1, Math.max(0, index));
    this.#update();
  }

  /**
   * Moves a cursor to a value of x.
   * @param {number} value
   * @param {'A'|'B'} [c]
   * @param {{label: string, value: number}} [mark] a curve and its exact value at this x
   */
  moveToX(value, c = this.active, mark = undefined) {
    this.moveToIndex(fractionalIndex(this.x, value), c);
    this.marked[c] = { x: value, ...mark };
    this.#update();
  }

  /** Returns the x of a cursor, or null if it is not shown. */
  xOf(c) {
    if (this.at[c] === null) return null;
    return this.marked[c]?.x ?? interpolate(this.x.values, this.at[c], this.x.log);
  }

  #valueOf(curve, c) {
    if (this.at[c] === null) return null;
    if (this.marked[c] && this.marked[c].label === curve.label) return this.marked[c].value;
    const index = curve.steps ? Math.floor(this.at[c]) : this.at[c];
    return interpolate(curve.values, index, curve.log);
  }

  /** Moves the active cursor to the next point, or to the next extreme of the first curve. */
  step(direction, toExtreme) {
    const count = this.x.values.length;
    if (count === 0) return;
    const at = this.at[this.active];
    if (at === null) {
      this.moveToIndex(direction > 0 ? 0 : count - 1);
    } else {
      const next = direction > 0 ? Math.floor(at) + 1 : Math.ceil(at) - 1;
      this.moveToIndex(toExtreme ? this.#nextExtreme(next - direction, direction) : next);
    }
    announce(this.describe());
  }

  #nextExtreme(from, direction) {
    const y = this.curves[0]?.values ?? [];
    const trendAt = (i) => Math.sign((y[i + direction] ?? y[i]) - y[i]);
    let trend = trendAt(from);
    let i = from + direction;
    for (; i > 0 && i < y.length - 1; i += direction) {
      const next = trendAt(i);
      if (trend !== 0 && next === -trend) return i;
      if (next !== 0) trend = next;
    }
    return Math.min(y.length - 1, Math.max(0, i));
  }

  /** Returns the values at the active cursor as a sentence. */
  describe() {
    if (this.at[this.active] === null) return 'No cursor';
    return [
      `${this.active}: ${this.x.label} ${reading(this.xOf(this.active), this.x.unit)}`,
      ...this.curves
        .slice(0, 4)
        .map((c) => `${c.label} ${reading(this.#valueOf(c, this.active), c.unit)}`),
    ].join(', ');
  }

  #update(isQuiet) {
    this.#drawTable();
    if (!isQuiet) this.onMove();
  }

  #drawTable() {
    this.table.hidden = this.at.A === null && this.at.B === null;
    if (this.table.hidden) return;
    const head = ['', 'A', 'B', 'B − A', 'slope'];
    this.table.replaceChildren(
      h(
        'table',
        {},
        h(
          'thead',
          {},
          h(
            'tr',
            {},
            head.map((text) => (text ? h('th', { scope: 'col', class: 'n' }, text) : h('td', {}))),
          ),
        ),
        h(
          'tbody',
          {},
          this.#tableRows().map(([label, ...cells]) =>
            h(
              'tr',
              {},
              h('th', { scope: 'row' }, label),
              cells.map((text) => h('td', { class: 'n' }, text)),
            ),
          ),
        ),
      ),
    );
  }

  /** Returns the cells of the table of values: label, A, B, difference and slope. */
  #tableRows() {
    const x = this.x;
    const hasBoth = this.at.A !== null && this.at.B !== null;
    const [xA, xB] = [this.xOf('A'), this.xOf('B')];
    const dx = hasBoth ? xB - xA : null;
    // Over a logarithmic axis a slope is per decade.
    const slope = (dy, unit) =>
      x.log
        ? `${formatNumber(dy / Math.log10(xB / xA))} ${unit}/decade`
        : `${formatNumber(dy / dx)} ${unit}/${x.unit || 'unit'}`;
    const row = (label, unit, valueOf) => {
      const [a, b] = [valueOf('A'), valueOf('B')];
      const dy = hasBoth && a !== null && b !== null ? b - a : null;
      return [
        label,
        reading(a, unit),
        reading(b, unit),
        reading(dy, unit),
        dy === null || !dx ? '' : slope(dy, unit),
      ];
    };
    const xRow = row(x.label, x.unit, (c) => this.xOf(c));
    const inverseUnit = { s: 'Hz', Hz: 's' }[x.unit] ?? '';
    xRow[4] = dx ? `1/Δ = ${formatQuantity(1 / Math.abs(dx), inverseUnit)}` : '';
    return [xRow, ...this.curves.map((k) => row(k.label, k.unit, (c) => this.#valueOf(k, c)))];
  }

  /**
   * Handles a key of a plot and reports whether it did. Arrows move the cursor, with Shift to the
   * next extreme; Home and End move it to the ends; A and B select a cursor.
   */
  handleKey(event) {
    const direction = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const hasModifier = event.ctrlKey || event.metaKey || event.altKey;
    if (direction) {
      this.step(direction, event.shiftKey);
    } else if (event.key === 'Home' || event.key === 'End') {
      this.moveToIndex(event.key === 'Home' ? 0 : this.x.values.length - 1);
      announce(this.describe());
    } else if (/^[ab]$/i.test(event.key) && !hasModifier) {
      this.activate(event.key.toUpperCase());
    } else {
      return false;
    }
    event.preventDefault();
    event.stopPropagation();
    return true;
  }

  /** Returns hooks of uPlot that draw the cursors and move them by pointer. */
  hooks() {
    return { draw: [(u) => this.#drawLines(u)], ready: [(u) => this.#listenToPointer(u)] };
  }

  #drawLines(u) {
    const g = u.ctx;
    const ratio = devicePixelRatio;
    for (const c of ['A', 'B']) {
      if (this.at[c] === null) continue;
      const left = Math.round(u.valToPos(this.xOf(c), 'x', true));
      if (left < u.bbox.left - 1 || left > u.bbox.left + u.bbox.width + 1) continue;
      g.save();
      g.strokeStyle = g.fillStyle = cssColor(c === 'A' ? '--ink' : '--soft');
      g.lineWidth = ratio;
      g.setLineDash(c === 'A' ? [] : [4 * ratio, 3 * ratio]);
      g.beginPath();
      g.moveTo(left, u.bbox.top);
      g.lineTo(left, u.bbox.top + u.bbox.height);
      g.stroke();
      g.font = `600 ${12 * ratio}px system-ui`;
      const isRight = left > u.bbox.left + u.bbox.width - 14 * ratio;
      g.textAlign = isRight ? 'right' : 'left';
      g.textBaseline = 'top'; // uPlot leaves the baseline of its axes
      g.fillText(c, left + (isRight ? -3 : 3) * ratio, u.bbox.top + 2 * ratio);
      g.restore();
    }
  }

  /** A drag moves a cursor, and a click moves the active one, or B with Shift. */
  #listenToPointer(u) {
    const { over } = u;
    over.classList.add('takes-cursors');
    let dragged = '';
    let startPx = 0;
    const pointerPx = (event) => event.clientX - over.getBoundingClientRect().left;
    const indexOf = (event) => fractionalIndex(this.x, u.posToVal(pointerPx(event), 'x'));
    const isGrabbed = (c) =>
      this.at[c] !== null && Math.abs(u.valToPos(this.xOf(c), 'x') - startPx) < grabDistancePx;
    over.parentElement.addEventListener(
      'mousedown',
      (event) => {
        if (dragged) event.stopPropagation(); // uPlot would zoom
      },
      true,
    );
    over.parentElement.addEventListener(
      'pointerdown',
      (event) => {
        startPx = pointerPx(event);
        dragged = ['A', 'B'].find(isGrabbed) ?? (event.pointerType === 'touch' ? this.active : '');
        if (dragged) this.activate(dragged, true);
      },
      true,
    );
    over.addEventListener('pointermove', (event) => {
      if (dragged && event.buttons) this.moveToIndex(indexOf(event), dragged);
    });
    over.addEventListener('pointerup', (event) => {
      if (dragged || Math.abs(pointerPx(event) - startPx) < clickDistancePx)
        this.moveToIndex(indexOf(event), dragged || (event.shiftKey ? 'B' : this.active));
      dragged = '';
    });
    over.addEventListener('pointercancel', () => {
      dragged = '';
    });
  }
}

const reading = (v, unit) =>
  v === null || v === undefined || !Number.isFinite(v) ? '–' : formatQuantity(v, unit);
