// A resistor with its colour bands.
import { svg } from './dom.js';

const bandColours = {
  black: '#1a1a1a',
  brown: '#7b3f17',
  red: '#c8232c',
  orange: '#e87817',
  yellow: '#f2ce1b',
  green: '#2f8f3e',
  blue: '#2456a8',
  violet: '#7d3fa0',
  grey: '#8a8f94',
  gray: '#8a8f94',
  white: '#f5f5f2',
  gold: '#c9a227',
  silver: '#b8bcc0',
  pink: '#e89ab0',
  none: 'none',
};

const bodyPath =
  'M70 24q-10 0-10 10v16q0 10 10 10h22q8 0 14-4h148q6 4 14 4h22q10 0 10-10V34q0-10-10-10h-22q-8 0-14 4H106q-6-4-14-4z';

/** Draws the resistor into an element; see pictures.js. */
export function draw(element, { result }) {
  const last = result.bands.length - 1;
  const bands = result.bands.map((band, i) => {
    const isTolerance = i === last && last >= 3;
    const x = isTolerance ? 272 : 76 + i * (last >= 5 ? 34 : 42);
    const isAtEnd = x < 100 || x > 258; // the body is thicker at its ends
    const [y, height] = isAtEnd ? [24.5, 35] : [28.5, 27];
    const fill = bandColours[band] ?? 'none';
    return [
      svg('rect', { x, y, width: 13, height, fill, stroke: 'currentColor', 'stroke-width': 0.6 }),
      svg('text', { x: x + 6, y: i % 2 ? 96 : 80, 'text-anchor': 'middle' }, band),
    ];
  });
  element.append(
    svg(
      'svg',
      {
        viewBox: '0 0 360 104',
        class: 'drawing',
        role: 'img',
        'aria-label': `Resistor with the bands ${result.bands.join(', ')}`,
      },
      svg('path', { d: 'M10 42H350', stroke: 'currentColor', 'stroke-width': 4 }),
      svg('path', { d: bodyPath, fill: '#d9c7a3', stroke: 'currentColor' }),
      bands,
    ),
  );
}
