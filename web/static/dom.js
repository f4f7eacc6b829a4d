// Creation of elements. Texts become text nodes, so markup in them has no effect.

const svgNamespace = 'http://www.w3.org/2000/svg';

const isAbsent = (v) => v === false || v === null || v === undefined || v === '';

/** Returns the children to append: nested arrays are flattened, absent ones are left out. */
const flatChildren = (children) => children.flat(3).filter((c) => !isAbsent(c));

/**
 * Creates an HTML element: h('p', { class: 'x', onclick: f }, 'text', child, [more]).
 * @param {string} tag
 * @param {object} properties attributes, and listeners as functions; absent values are left out
 * @param {...*} children nodes, texts and arrays of them; absent values are left out
 */
export function h(tag, properties, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (isAbsent(value)) continue;
    if (typeof value === 'function') e.addEventListener(name.slice('on'.length), value);
    else e.setAttribute(name, value === true ? '' : value);
  }
  e.append(...flatChildren(children));
  return e;
}

/** Creates a small button. Its properties are those of h, and may replace the class. */
export const smallButton = (text, onclick, properties) =>
  h('button', { type: 'button', class: 'small', onclick, ...properties }, text);

/** Creates a box that scrolls its content, also by keys. Its properties are those of h. */
export const scrollBox = (label, content, properties) =>
  h(
    'div',
    { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': label, ...properties },
    content,
  );

/** Creates an SVG element: svg('path', { d: '…' }, [children]). Absent values are left out. */
export function svg(tag, attributes, ...children) {
  const e = document.createElementNS(svgNamespace, tag);
  for (const [name, value] of Object.entries(attributes ?? {}))
    if (value !== undefined && value !== '') e.setAttribute(name, value);
  e.append(...flatChildren(children));
  return e;
}

/** Creates a line icon of 14 × 14 units for a button. */
export const icon = (path) =>
  svg(
    'svg',
    {
      width: 14,
      height: 14,
      viewBox: '0 0 14 14',
      'aria-hidden': 'true',
      fill: 'none',
      stroke: 'currentColor',
      'stroke-width': 1.3,
    },
    svg('path', { d: path }),
  );

/**
 * Disables or enables a button. A disabled button keeps the focus, so its handlers check
 * isDisabled.
 */
export function setDisabled(button, on) {
  if (on) button.setAttribute('aria-disabled', 'true');
  else button.removeAttribute('aria-disabled');
}

/** Reports whether setDisabled has disabled a button. */
export const isDisabled = (button) => button.getAttribute('aria-disabled') === 'true';
