// Temperature fields as heat maps, with a scale and a probe by mouse, touch and arrow keys.
import { show } from './quantity.js';
import { announce } from './shell.js';

/** Dark blue over violet and orange to pale yellow: even steps of lightness, so that it reads without colour too. */
const stops = [
  [20, 24, 82],
  [94, 32, 122],
  [176, 51, 97],
  [231, 105, 58],
  [251, 175, 64],
  [252, 246, 190],
];

export function paint(t) {
  const at = Math.min(Math.max(t, 0), 1) * (stops.length - 1);
  const i = Math.min(Math.floor(at), stops.length - 2);
  return stops[i].map((c, k) => c + (stops[i + 1][k] - c) * (at - i));
}

/** The names of the axes of a grid: they have as many values as it has rows and columns. */
function axesOf(value, group, grid) {
  const lists = group.fields.filter((f) => f.kind === 'numbers');
  const rows = value[grid.name].length;
  const columns = value[grid.name][0]?.length ?? 0;
  const own = grid.name.replace(/_c$/, '').split('_').at(-1);
  const x =
    lists.find((f) => f.name.startsWith(`${own}_`) && value[f.name].length === columns) ??
    lists.find((f) => value[f.name].length === columns);
  const y =
    lists.find((f) => f !== x && value[f.name].length === rows) ??
    lists.find((f) => value[f.name].length === rows);
  return { x, y };
}

export function draw(element, { result, field }) {
  const value = result[field.name];
  const grids = field.fields.filter(
    (f) =>
      f.kind === 'grid' &&
      Array.isArray(value[f.name]) &&
      value[f.name].length > 1 &&
      value[f.name][0]?.length > 1,
  );
  if (!grids.length) return undefined;
  const figure = document.createElement('figure');
  const caption = document.createElement('figcaption');
  const title = document.createElement('b');
  title.textContent = field.label;
  const reading = document.createElement('output');
  const tabs = document.createElement('span');
  tabs.className = 'picker';
  caption.append(title, tabs, reading);
  const box = document.createElement('div');
  figure.append(caption, box);
  element.append(figure);
  const choose = (grid) => {
    for (const b of tabs.children)
      b.setAttribute('aria-pressed', String(b.textContent === grid.label));
    box.replaceChildren(heat(value, field, grid, reading));
  };
  for (const grid of grids) {
    const b = document.createElement('button');
    b.type = 'button';
    b.className = 'small';
    b.textContent = grid.label;
    b.addEventListener('click', () => choose(grid));
    if (grids.length > 1) tabs.append(b);
  }
  choose(grids[0]);
  return undefined;
}

function heat(value, group, grid, reading) {
  const rows = value[grid.name];
  const [height, width] = [rows.length, rows[0].length];
  const flat = rows.flat().filter((v) => Number.isFinite(v));
  const low = flat.reduce((a, b) => Math.min(a, b), Infinity);
  const high = flat.reduce((a, b) => Math.max(a, b), -Infinity);
  const axes = axesOf(value, group, grid);
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [width, height];
  const g = canvas.getContext('2d');
  const picture = g.createImageData(width, height);
  rows.forEach((row, j) =>
    row.forEach((v, i) => {
      const at = 4 * ((height - 1 - j) * width + i); // y points up
      const c = Number.isFinite(v) ? paint((v - low) / (high - low || 1)) : [128, 128, 128];
      picture.data.set([...c, Number.isFinite(v) ? 255 : 0], at);
    }),
  );
  g.putImageData(picture, 0, 0);
  const spread = (f, n) => (f ? Math.abs(value[f.name][n - 1] - value[f.name][0]) : n);
  const shape = Math.min(4, Math.max(0.2, spread(axes.x, width) / (spread(axes.y, height) || 1)));
  canvas.style.aspectRatio = String(shape);
  canvas.tabIndex = 0;
  canvas.setAttribute('role', 'img');
  canvas.setAttribute(
    'aria-label',
    `${grid.label}: ${show(low, grid.unit)} to ${show(high, grid.unit)}. Arrow keys probe.`,
  );
  let [pi, pj] = [width >> 1, height >> 1];
  const probe = (speak) => {
    const place = [
      axes.x && `${show(value[axes.x.name][pi], 'mm')}`,
      axes.y && `${show(value[axes.y.name][pj], 'mm')}`,
    ]
      .filter(Boolean)
      .join(', ');
    const v = rows[pj][pi];
    reading.textContent = `${place}: ${Number.isFinite(v) ? show(v, grid.unit) : 'nothing there'}`;
    if (speak) announce(reading.textContent);
  };
  canvas.addEventListener('pointermove', (event) => {
    const r = canvas.getBoundingClientRect();
    pi = Math.min(width - 1, Math.max(0, Math.floor(((event.clientX - r.left) / r.width) * width)));
    pj = Math.min(
      height - 1,
      Math.max(0, height - 1 - Math.floor(((event.clientY - r.top) / r.height) * height)),
    );
    probe(false);
  });
  canvas.addEventListener('keydown', (event) => {
    const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[
      event.key
    ];
    if (!by) return;
    event.preventDefault();
    pi = Math.min(width - 1, Math.max(0, pi + by[0]));
    pj = Math.min(height - 1, Math.max(0, pj + by[1]));
    probe(true);
  });
  probe(false);
  const holder = document.createElement('div');
  holder.className = 'heat';
  holder.append(canvas, scale(low, high, grid.unit));
  return holder;
}

/** The scale of colours from low to high with five marks. */
export function scale(low, high, unit) {
  const bar = document.createElement('canvas');
  [bar.width, bar.height] = [1, 128];
  bar.className = 'scale';
  const g = bar.getContext('2d');
  for (let i = 0; i < 128; i++) {
    g.fillStyle = `rgb(${paint(1 - i / 127)
      .map(Math.round)
      .join(' ')})`;
    g.fillRect(0, i, 1, 1);
  }
  bar.setAttribute('aria-hidden', 'true');
  const marks = document.createElement('div');
  marks.className = 'marks';
  for (const t of [1, 0.75, 0.5, 0.25, 0]) {
    const m = document.createElement('span');
    m.textContent = show(Number((low + t * (high - low)).toPrecision(4)), unit);
    marks.append(m);
  }
  const holder = document.createElement('div');
  holder.className = 'bar2';
  holder.append(bar, marks);
  return holder;
}
