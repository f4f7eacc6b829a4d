// A plot as SVG, as PNG and as a table. The SVG has axes, grid and curves in the visible range, in
// the light scheme. The module is loaded when one of them is asked for.
import { axisLabel, ink, minorLines } from './plot.js';
import { showNumber } from './quantity.js';

const paints = {
  '--accent': '#0b5c8a',
  '--bad': '#b3261e',
  '--good': '#1b6b3a',
  '--warn': '#7a4b00',
  '--ink': '#15202b',
  '--soft': '#4d5b69',
};
const [grid, minor, text] = ['#d3dae1', '#e9edf1', '#15202b'];

/** The drawing as text. u is the uPlot, p what plot() was given; a series may have its own x. */
export function plotSVG(u, p) {
  const escaped = (t) =>
    String(t).replace(
      /[&<>"]/g,
      (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c],
    );
  const n = (v) => Number(v.toFixed(2));
  const ratio = devicePixelRatio;
  const [left, top, width, height] = [u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height].map(
    (v) => v / ratio,
  );
  const x = (v) => n(left + u.valToPos(v, 'x'));
  const y = (v) => n(top + u.valToPos(v, 'y'));
  const [right, bottom] = [n(left + width), n(top + height)];
  const out = [];
  const axes = u.axes.map((a) =>
    a._splits
      .map((v, i) => [v, a._values[i]])
      .filter(([v, t]) => v !== null && t !== '' && t !== null),
  );
  for (const v of minorLines(u.scales.x))
    out.push(`<path d="M${x(v)} ${n(top)}V${bottom}" stroke="${minor}"/>`);
  for (const v of minorLines(u.scales.y))
    out.push(`<path d="M${n(left)} ${y(v)}H${right}" stroke="${minor}"/>`);
  for (const [v, t] of axes[0])
    out.push(
      `<path d="M${x(v)} ${n(top)}V${bottom}" stroke="${grid}"/><text x="${x(v)}" y="${bottom + 16}" text-anchor="middle">${escaped(t)}</text>`,
    );
  for (const [v, t] of axes[1])
    out.push(
      `<path d="M${n(left)} ${y(v)}H${right}" stroke="${grid}"/><text x="${n(left - 8)}" y="${y(v) + 4}" text-anchor="end">${escaped(t)}</text>`,
    );
  const places = (p.legend ?? p.series.length > 1) ? legendPlaces(p.series, width) : [];
  const key = places.length ? 20 * (places.at(-1).row + 1) : 0;
  out.push(
    `<text x="${n(left + width / 2)}" y="${bottom + 36}" text-anchor="middle">${escaped(u.axes[0].label)}</text>`,
  );
  out.push(
    `<text transform="translate(14 ${n(top + height / 2)}) rotate(-90)" text-anchor="middle">${escaped(u.axes[1].label ?? '')}</text>`,
  );
  const curves = p.series.map((s, k) => {
    const { colour, dash } = ink(s.ink ?? k);
    const style = `stroke="${paints[colour]}" stroke-dasharray="${(s.dash ?? dash).join(' ')}"`;
    if (key)
      out.push(
        `<path d="M${n(left + places[k].x)} ${bottom + 50 + 20 * places[k].row}h18" stroke-width="1.6" ${style}/><text x="${n(left + places[k].x + 24)}" y="${bottom + 54 + 20 * places[k].row}">${escaped(s.label)}</text>`,
      );
    return `<path d="${path(s.own?.x ?? s.x ?? p.x.values, { ...s, values: s.own?.values ?? s.values }, x, y, bottom, p.x.bin)}" stroke-width="1.6" ${style}/>`;
  });
  const marks = (p.marks ?? []).map((m, i) => {
    const [mx, my] = [
      m.x === undefined ? undefined : x(m.x),
      m.y === undefined ? undefined : y(m.y),
    ];
    const line =
      my === undefined
        ? `<path d="M${mx} ${n(top)}V${bottom}" stroke-dasharray="2 3"/>`
        : mx === undefined
          ? `<path d="M${n(left)} ${my}H${right}" stroke-dasharray="2 3"/>`
          : `<circle cx="${mx}" cy="${my}" r="4"/>`;
    const isRight = mx === undefined || mx > left + width * 0.85;
    return `${line}<text x="${n(mx === undefined ? right - 4 : mx + (isRight ? -6 : 6))}" y="${n(my === undefined ? bottom - 4 - 13 * (i % 4) : Math.max(top + 14, my - 3))}"${isRight ? ' text-anchor="end"' : ''} stroke="none" fill="${paints['--soft']}">${escaped(m.name)}</text>`;
  });
  const total = { w: n(right + 24), h: n(bottom + 68 + key) }; // with 24 above the plot
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${total.w}" height="${total.h}" viewBox="0 -24 ${total.w} ${total.h}" font-family="system-ui, sans-serif" font-size="12">
<title>${escaped(p.title)}</title><rect y="-24" width="100%" height="100%" fill="#fff"/>
<clipPath id="c"><path d="M${n(left)} ${n(top)}H${right}V${bottom}H${n(left)}Z"/></clipPath>
<g fill="none">${out.join('').replaceAll('<text', `<text fill="${text}"`)}</g><text x="${n(left)}" y="-8" fill="${text}" font-weight="600">${escaped(p.title)}</text>
<g fill="none" clip-path="url(#c)" stroke-linejoin="round">${curves.join('')}</g>${marks.length ? `\n<g fill="none" clip-path="url(#c)" stroke="${paints['--soft']}" font-size="11">${marks.join('')}</g>` : ''}</svg>\n`;
}

/** The places of the names below a plot, in as many rows as its width asks for: [{x, row}]. */
function legendPlaces(series, width) {
  let [x, row] = [0, 0];
  return series.map(({ label }) => {
    const own = 40 + 7 * String(label).length; // sample, gap and letters of 7 px
    if (x > 0 && x + own > width) [x, row] = [0, row + 1];
    const place = { x, row };
    x += own;
    return place;
  });
}

/** A curve; a value that is missing interrupts it. */
function path(xs, s, x, y, bottom, bin) {
  const parts = [];
  let open = false;
  xs.forEach((v, i) => {
    const value = s.values[i];
    if (value === null || value === undefined || !Number.isFinite(value)) open = false;
    else if (s.bars && bin)
      parts.push(`M${x(v - 0.47 * bin)} ${bottom}V${y(value)}H${x(v + 0.47 * bin)}V${bottom}`);
    else if (s.bars) parts.push(`M${x(v)} ${bottom}V${y(value)}`);
    else {
      parts.push(
        !open ? `M${x(v)} ${y(value)}` : s.steps ? `H${x(v)}V${y(value)}` : `L${x(v)} ${y(value)}`,
      );
      open = true;
    }
  });
  return parts.join('');
}

const pixelRatio = 2; // of a picture

/** A drawing from plotSVG as a picture. @param {string} svg @param {(blob: Blob) => void} done */
export async function png(svg, done) {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [image.width * pixelRatio, image.height * pixelRatio];
  canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob(done);
}

const tableRows = 200;

/** The values of a plot as a table. */
export function tableOf(p) {
  const scroll = document.createElement('div');
  scroll.className = 'scroll';
  scroll.tabIndex = 0;
  const t = document.createElement('table');
  const line = (cells, tag) => {
    const tr = document.createElement('tr');
    for (const c of cells) {
      const cell = document.createElement(tag);
      cell.className = 'n';
      cell.textContent = c;
      tr.append(cell);
    }
    return tr;
  };
  t.append(line([p.x, ...p.series].map(axisLabel), 'th'));
  const stride = Math.ceil(p.x.values.length / tableRows);
  for (let i = 0; i < p.x.values.length; i += stride)
    t.append(
      line(
        [p.x, ...p.series].map((s) =>
          s.values[i] === null || s.values[i] === undefined ? '–' : showNumber(s.values[i]),
        ),
        'td',
      ),
    );
  scroll.append(t);
  return scroll;
}
