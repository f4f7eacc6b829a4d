// The drawing of a tool as an SVG file.
import { svg as shape } from './dom.js';
import { download } from './shell.js';

/** The style properties that a file contains as attributes, by element. */
const copiedStyles = {
  path: ['fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-dasharray'],
  text: ['fill', 'font-size', 'font-weight'],
  tspan: ['fill', 'font-size', 'font-weight'],
};
const maxValues = 12;
const lineHeightPx = 16;

/** Downloads the drawing with the first lines of the result below it, without a style sheet. */
export function saveDrawing(svg, tool) {
  const copy = copyWithStyles(svg);
  const { width, height } = svg.viewBox.baseVal;
  const lines = resultLines(tool);
  lines.forEach((line, i) => {
    copy.append(
      shape(
        'text',
        {
          x: 12,
          y: height + 20 + lineHeightPx * i,
          fill: getComputedStyle(svg).color,
          'font-size': 12,
          'font-weight': i ? 400 : 600,
        },
        line,
      ),
    );
  });
  const fullHeight = height + 24 + lineHeightPx * lines.length;
  for (const [name, value] of Object.entries({
    xmlns: 'http://www.w3.org/2000/svg',
    width,
    height: fullHeight,
    viewBox: `0 0 ${width} ${fullHeight}`,
    'font-family': 'system-ui, sans-serif',
  }))
    copy.setAttribute(name, value);
  copy.prepend(
    shape('rect', {
      width: '100%',
      height: '100%',
      fill: getComputedStyle(svg.closest('.result')).backgroundColor,
    }),
  );
  download(`${tool.name}.svg`, new XMLSerializer().serializeToString(copy), 'image/svg+xml');
}

/** Returns a copy with the computed styles as attributes and without hidden elements. */
function copyWithStyles(svg) {
  const copy = svg.cloneNode(true);
  const originals = [svg, ...svg.querySelectorAll('*')];
  const hidden = [];
  [copy, ...copy.querySelectorAll('*')].forEach((e, i) => {
    const style = getComputedStyle(originals[i]);
    if (style.display === 'none') hidden.push(e);
    for (const name of copiedStyles[e.tagName] ?? [])
      e.setAttribute(name, style.getPropertyValue(name));
    e.removeAttribute('class');
  });
  for (const e of hidden) e.remove();
  return copy;
}

/** Returns the title of the tool, the conclusion and the first values of the result on the page. */
const resultLines = (tool) =>
  [
    tool.title,
    document.querySelector('#result .conclusion')?.textContent,
    ...[...document.querySelectorAll('#result .value')]
      .slice(0, maxValues)
      .map(
        (v) => `${v.querySelector('.name').textContent}: ${v.querySelector('.number').textContent}`,
      ),
  ].filter(Boolean);
