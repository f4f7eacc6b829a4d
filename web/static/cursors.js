// Cursors A and B of a plot: they stand on points, are moved by keys, buttons, mouse and touch,
// and their values, distance and slope stand in a table.
import { el } from './dom.js';
import { show, showNumber } from './quantity.js';
import { colour, say } from './shell.js';

const near = 10; // px within which a cursor is taken hold of

export class Cursors {
  /** onMove is called after each move. @param {{onMove: () => void, say?: boolean}} o */
  constructor(o) {
    this.o = o;
    this.at = { A: null, B: null };
    this.active = 'A';
    this.x = [];
    this.curves = [];
    this.table = el('div', { class: 'scroll readout', tabindex: 0, role: 'region', 'aria-label': 'Cursor values' });
    const button = (text, label, act) => el('button', { type: 'button', class: 'small', 'aria-label': label, title: label, onclick: act }, text);
    this.choose = ['A', 'B'].map((c) => button(c, `Move cursor ${c}`, () => this.activate(c)));
    this.bar = el('p', { class: 'picker cursorbar' }, el('span', { class: 'lbl' }, 'Cursor'), this.choose,
      button('⇤', 'To the extreme before', () => this.step(-1, true)), button('←', 'One point back', () => this.step(-1)),
      button('→', 'One point on', () => this.step(1)), button('⇥', 'To the next extreme', () => this.step(1, true)),
      button('None', 'None: take both cursors away', () => { this.at = { A: null, B: null }; this.#moved(); }));
    this.activate('A', true);
  }

  /** The values to read: x with its unit, and the curves. @param {{label: string, unit: string, log?: boolean, values: number[]}} x */
  read(x, curves) {
    this.x = x;
    this.curves = curves;
    for (const c of ['A', 'B']) if (this.at[c] !== null) this.at[c] = Math.min(this.at[c], x.values.length - 1);
    this.#moved(true);
  }

  activate(c, quiet) {
    this.active = c;
    this.choose.forEach((b) => b.setAttribute('aria-pressed', String(b.textContent === c)));
    if (!quiet) say(`Cursor ${c}`);
  }

  put(index, c = this.active) {
    this.at[c] = Math.min(this.x.values.length - 1, Math.max(0, index));
    this.#moved();
  }

  /** To the neighbouring point, or to the next extreme of the first curve. */
  step(by, extreme) {
    const n = this.x.values.length;
    if (n === 0) return;
    if (this.at[this.active] === null) this.put(by > 0 ? 0 : n - 1);
    else this.put(extreme ? this.#extreme(this.at[this.active], by) : this.at[this.active] + by);
    say(this.sentence());
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
    const i = this.at[this.active];
    if (i === null) return 'No cursor';
    return [`${this.active}: ${this.x.label} ${show(this.x.values[i], this.x.unit)}`, ...this.curves.slice(0, 4).map((c) => `${c.label} ${reading(c.values[i], c.unit)}`)].join(', ');
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
    const dx = both ? x.values[B] - x.values[A] : null;
    const inverse = { s: 'Hz', Hz: 's' }[x.unit] ?? '';
    const head = ['', 'A', 'B', 'B − A', 'slope'];
    const row = (label, unit, at) => {
      const [a, b] = [A === null ? null : at(A), B === null ? null : at(B)];
      const dy = both && a !== null && b !== null ? b - a : null;
      return [label, reading(a, unit), reading(b, unit), reading(dy, unit), dy === null || !dx ? '' : slope(dy, unit)];
    };
    // Over a logarithmic axis a slope is told by the decade.
    const slope = (dy, unit) => (x.log ? `${showNumber(dy / Math.log10(x.values[B] / x.values[A]))} ${unit}/decade` : `${showNumber(dy / dx)} ${unit}/${x.unit || 'unit'}`);
    const rows = [row(x.label, x.unit, (i) => x.values[i]), ...this.curves.map((c) => row(c.label, c.unit, (i) => c.values[i] ?? null))];
    rows[0][4] = dx ? `1/Δ = ${show(1 / Math.abs(dx), inverse)}` : '';
    this.table.replaceChildren(el('table', {}, el('thead', {}, el('tr', {}, head.map((h) => el('th', { scope: 'col', class: h ? 'n' : '' }, h)))),
      el('tbody', {}, rows.map((r) => el('tr', {}, r.map((t, i) => (i === 0 ? el('th', { scope: 'row' }, t) : el('td', { class: 'n' }, t))))))));
  }

  /** For a plot's onKey: arrows move, Shift takes the next extreme, Home and End the ends, a and b choose. */
  key(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by) this.step(by, event.shiftKey);
    else if (event.key === 'Home' || event.key === 'End') {
      this.put(event.key === 'Home' ? 0 : this.x.values.length - 1);
      say(this.sentence());
    } else if (/^[ab]$/i.test(event.key) && !event.ctrlKey && !event.metaKey && !event.altKey) this.activate(event.key.toUpperCase());
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
      const left = Math.round(u.valToPos(this.x.values[this.at[c]], 'x', true));
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
      g.textBaseline = 'top'; // uPlot leaves it as its axes had it
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
    over.parentElement.addEventListener('mousedown', (event) => { if (held) event.stopPropagation(); }, true);
    over.parentElement.addEventListener('pointerdown', (event) => {
      from = here(event);
      held = ['A', 'B'].find((c) => this.at[c] !== null && Math.abs(u.valToPos(this.x.values[this.at[c]], 'x') - from) < near) ?? (event.pointerType === 'touch' ? this.active : '');
      if (held) this.activate(held, true);
    }, true);
    over.addEventListener('pointermove', (event) => { if (held && event.buttons) this.put(u.posToIdx(here(event)), held); });
    over.addEventListener('pointerup', (event) => {
      if (held || Math.abs(here(event) - from) < 4) this.put(u.posToIdx(here(event)), held || (event.shiftKey ? 'B' : this.active));
      held = '';
    });
    over.addEventListener('pointercancel', () => { held = ''; });
  }
}

const reading = (v, unit) => (v === null || v === undefined || !Number.isFinite(v) ? '–' : show(v, unit));
