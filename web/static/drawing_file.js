// The drawing of a tool as a file.
import { svg as shape } from './dom.js';
import { download } from './shell.js';

/** Downloads the drawing with the first lines of the result below it, as a file without other files. */
export function saveDrawing(svg, tool) {
  const copy = svg.cloneNode(true);
  const originals = [svg, ...svg.querySelectorAll('*')];
  [copy, ...copy.querySelectorAll('*')].forEach((e, i) => {
    const style = getComputedStyle(originals[i]);
    if (style.display === 'none') e.setAttribute('data-drop', '');
    const names =
      e.tagName === 'path'
        ? ['fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-dasharray']
        : e.tagName === 'text' || e.tagName === 'tspan'
          ? ['fill', 'font-size', 'font-weight']
          : [];
    for (const n of names) e.setAttribute(n, style.getPropertyValue(n));
    e.removeAttribute('class');
  });
  for (const e of copy.querySelectorAll('[data-drop]')) e.remove();
  const { width, height } = svg.viewBox.baseVal;
  const lines = [
    tool.title,
    document.querySelector('#result .conclusion')?.textContent,
    ...[...document.querySelectorAll('#result .value')]
      .slice(0, 12)
      .map(
        (v) => `${v.querySelector('.name').textContent}: ${v.querySelector('.number').textContent}`,
      ),
  ].filter(Boolean);
  lines.forEach((line, i) => {
    copy.append(
      shape(
        'text',
        {
          x: 12,
          y: height + 20 + 16 * i,
          fill: getComputedStyle(svg).color,
          'font-size': 12,
          'font-weight': i ? 400 : 600,
        },
        line,
      ),
    );
  });
  const full = height + 24 + 16 * lines.length;
  for (const [k, v] of Object.entries({
    xmlns: 'http://www.w3.org/2000/svg',
    width,
    height: full,
    viewBox: `0 0 ${width} ${full}`,
    'font-family': 'system-ui, sans-serif',
  }))
    copy.setAttribute(k, v);
  copy.prepend(
    shape('rect', {
      width: '100%',
      height: '100%',
      fill: getComputedStyle(svg.closest('.result')).backgroundColor,
    }),
  );
  download(`${tool.name}.svg`, new XMLSerializer().serializeToString(copy), 'image/svg+xml');
}
