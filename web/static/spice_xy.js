// Any vectors over any other. uPlot needs sorted x values, so this module draws the lines itself
// through the scales of uPlot.
import { between } from './cursors.js';
import { axisLabel, degrees, ink, swatch, ticksOf } from './plot.js';
import { uPlot } from './vendor/plot.js';
import { colour, download } from './shell.js';
import { el } from './dom.js';

const height = 340;

/** Expressions over another one in runs: { axis, curves }, where axis has the values of the first run. */
export function curvesOver(runs, shown, over, inkOf) {
  const size = ({ re, im }) =>
    re.map((r, i) => {
      const v = im ? Math.hypot(r, im[i]) : r;
      return Number.isFinite(v) ? v : null;
    });
  const curves = shown
    .filter((t) => t !== over)
    .flatMap((t) =>
      runs.map(({ vectors, step }, i) => {
        const v = vectors.values(t);
        return {
          label: step ? `${t}, ${step}` : t,
          unit: v.unit,
          ink: inkOf(t) + i,
          x: size(vectors.values(over)),
          values: size(v),
          isFirst: i === 0,
        };
      }),
    );
  const x = runs[0].vectors.values(over);
  return { axis: { label: over, unit: x.unit, values: size(x) }, curves };
}

/**
 * Draws curves, each with its own values along x. Cursors mark curves with isFirst, whose points they
 * count.
 * @returns {{plot: object, destroy: () => void}}
 */
export function xy(element, { title, name, x, curves, cursors }) {
  const box = el('div', {
    class: 'plot',
    tabindex: 0,
    role: 'img',
    'aria-label': `${title}: ${curves.map((c) => c.label).join(', ')} over ${x.label}. Arrow keys move the cursor.`,
  });
  const unit = curves[0].unit;
  const key = el(
    'p',
    { class: 'runs' },
    curves.map((c) => el('span', {}, swatch(c.ink), ' ', c.label)),
    `over ${x.label}`,
  );
  const files = el('p', { class: 'picker' });
  const button = (text, act) =>
    files.append(el('button', { type: 'button', class: 'small', onclick: act }, text));
  const drawing = async () =>
    (await import('./plot_files.js')).plotSVG(chart, { title, x, series: curves, legend: true });
  button('CSV', () => download(`${name}.csv`, csv(x, curves), 'text/csv'));
  button('PNG', async () => {
    const m = await import('./plot_files.js');
    m.png(await drawing(), (blob) => download(`${name}.png`, blob));
  });
  button('SVG', async () => download(`${name}.svg`, await drawing(), 'image/svg+xml'));
  const figure = el('figure', {}, box, key, files);
  element.append(figure);
  const bounds = (lists) => {
    let [low, high] = [Infinity, -Infinity];
    for (const l of lists)
      for (const v of l)
        if (v !== null) {
          low = Math.min(low, v);
          high = Math.max(high, v);
        }
    const room = (high - low || Math.abs(high) || 1) * 0.05;
    return [low - room, high + room];
  };
  const [xRange, yRange] = [bounds(curves.map((c) => c.x)), bounds(curves.map((c) => c.values))];
  const line = (u) => {
    const g = u.ctx;
    g.save();
    g.beginPath();
    g.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
    g.clip();
    for (const c of curves) {
      const { colour: stroke, dash } = ink(c.ink);
      g.strokeStyle = g.fillStyle = colour(stroke);
      g.lineWidth = 1.6 * devicePixelRatio;
      g.setLineDash(dash.map((d) => d * devicePixelRatio));
      g.beginPath();
      let open = false;
      c.x.forEach((v, i) => {
        if (v === null || c.values[i] === null) {
          open = false;
          return;
        }
        const [px, py] = [u.valToPos(v, 'x', true), u.valToPos(c.values[i], 'y', true)];
        if (open) g.lineTo(px, py);
        else g.moveTo(px, py);
        open = true;
      });
      g.stroke();
      g.setLineDash([]);
      for (const mark of ['A', 'B']) {
        const place = cursors.at[mark];
        const at =
          place === null || !c.isFirst
            ? [null, null]
            : [between(c.x, place), between(c.values, place)];
        if (at.includes(null)) continue;
        const [px, py] = [u.valToPos(at[0], 'x', true), u.valToPos(at[1], 'y', true)];
        g.beginPath();
        g.arc(px, py, 4 * devicePixelRatio, 0, 2 * Math.PI);
        g.fill();
        g.font = `600 ${12 * devicePixelRatio}px system-ui`;
        g.fillText(mark, px + 7 * devicePixelRatio, py - 4 * devicePixelRatio);
      }
    }
    g.restore();
  };
  let chart;
  const build = () => {
    chart?.destroy();
    const grid = { stroke: colour('--line'), width: 1 };
    const axis = (label, u, size) => ({
      stroke: colour('--soft'),
      grid,
      ticks: grid,
      font: '12px system-ui',
      labelFont: '12px system-ui',
      labelSize: 22,
      size,
      label: axisLabel({ label, unit: u }),
      ...(u === '°' && { incrs: degrees }),
      values: ticksOf(label, u),
    });
    chart = new uPlot(
      {
        width: Math.max(240, box.clientWidth),
        height,
        legend: { show: false },
        cursor: { show: false },
        scales: { x: { time: false, range: () => xRange }, y: { range: () => yRange } },
        axes: [
          axis(x.label, x.unit, 30),
          axis(curves.length === 1 ? curves[0].label : '', unit, 74),
        ],
        series: [{}, { show: true, stroke: 'transparent', points: { show: false } }],
        hooks: { draw: [line] },
      },
      [xRange, yRange],
      box,
    );
  };
  build();
  const sized = new ResizeObserver(() => {
    const width = Math.max(240, box.clientWidth);
    if (Math.abs(chart.width - width) > 1) chart.setSize({ width, height });
  });
  sized.observe(box);
  document.addEventListener('scheme', build);
  box.addEventListener('keydown', (event) => cursors.key(event));
  return {
    get plot() {
      return chart;
    },
    destroy() {
      sized.disconnect();
      document.removeEventListener('scheme', build);
      chart.destroy();
      figure.remove();
    },
  };
}

/** The points of curves: a column of x for each run of points, followed by those of its curves. */
function csv(x, curves) {
  const columns = curves.flatMap((c, i) => {
    const own = { label: c.label, values: c.values };
    const isShared = i > 0 && c.x.every((v, k) => v === curves[i - 1].x[k]);
    return isShared ? [own] : [{ label: x.label, values: c.x }, own];
  });
  const rows = Array.from({ length: Math.max(...columns.map((c) => c.values.length)) }, (_, i) =>
    columns.map((c) => c.values[i] ?? '').join(','),
  );
  return [columns.map((c) => `"${c.label.replaceAll('"', '""')}"`).join(','), ...rows].join('\n');
}
