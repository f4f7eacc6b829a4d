// Creation of elements. Texts become text nodes, so markup in them has no effect.

/** An element: el('p', { class: 'x', onclick: f }, 'text', child, [more]). false and null are left out. */
export function el(tag, properties, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === false || value === null || value === undefined || value === '') continue;
    if (typeof value === 'function') e.addEventListener(name.slice(2), value);
    else e.setAttribute(name, value === true ? '' : value);
  }
  e.append(
    ...children.flat(3).filter((c) => c !== false && c !== null && c !== undefined && c !== ''),
  );
  return e;
}

/** Puts a button out of use, or back. Unlike a disabled one it keeps the focus; its handlers ask isOff. */
export function switchOff(button, on) {
  if (on) button.setAttribute('aria-disabled', 'true');
  else button.removeAttribute('aria-disabled');
}

export const isOff = (button) => button.getAttribute('aria-disabled') === 'true';

/** A small picture of strokes, for buttons. */
export function icon(path) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  for (const [k, v] of Object.entries({
    width: 14,
    height: 14,
    viewBox: '0 0 14 14',
    'aria-hidden': 'true',
    fill: 'none',
    stroke: 'currentColor',
    'stroke-width': 1.3,
  }))
    svg.setAttribute(k, v);
  const line = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  line.setAttribute('d', path);
  svg.append(line);
  return svg;
}

/** An element of a drawing: svg('path', { d: '…' }, [children]). Attributes without a value are left out. */
export function svg(tag, attributes, ...children) {
  const e = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [k, v] of Object.entries(attributes ?? {}))
    if (v !== undefined && v !== '') e.setAttribute(k, v);
  e.append(
    ...children.flat(3).filter((c) => c !== false && c !== null && c !== undefined && c !== ''),
  );
  return e;
}
