// The downloads of a board: the archive, each file, and the view as a picture.
import { h, scrollBox } from './dom.js';
import { download, announce } from './shell.js';

const bytesOf = (base64) => Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
const formatSize = (n) => (n < 1000 ? `${n} B` : `${(n / 1000).toFixed(1)} kB`);
const roles = {
  copper_top: 'Copper, top',
  copper_bottom: 'Copper, bottom',
  mask_top: 'Solder mask, top',
  mask_bottom: 'Solder mask, bottom',
  paste_top: 'Paste, top',
  paste_bottom: 'Paste, bottom',
  silk_top: 'Legend, top',
  silk_bottom: 'Legend, bottom',
  edge_cuts: 'Outline',
  drill_plated: 'Plated holes',
  drill_nonplated: 'Holes without plating',
  netlist_ipc356: 'Netlist for the electrical test',
  bom: 'Parts list',
  placement: 'Placement',
  kicad: 'KiCad board',
  preview: 'Picture',
};
const pngWidth = 2000; // pixels

/** The CSS properties that a picture needs, because it has no style sheet. */
const inlinedProperties = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-linecap',
  'stroke-linejoin',
  'stroke-dasharray',
  'vector-effect',
  'opacity',
  'display',
  'font-family',
];

/** Returns the view as SVG text that needs no style sheet. */
export function standaloneSvg(view) {
  const copy = view.svg.cloneNode(true);
  const originals = [view.svg, ...view.svg.querySelectorAll('*')];
  [copy, ...copy.querySelectorAll('*')].forEach((e, i) => {
    const style = getComputedStyle(originals[i]);
    for (const name of inlinedProperties) e.setAttribute(name, style.getPropertyValue(name));
    for (const name of ['class', 'role', 'tabindex', 'style']) e.removeAttribute(name);
    for (const name of e.getAttributeNames())
      if (/^(aria|data)-/.test(name)) e.removeAttribute(name);
  });
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.setAttribute('width', `${view.box.w}mm`);
  copy.setAttribute('height', `${view.box.h}mm`);
  return new XMLSerializer().serializeToString(copy);
}

const svgBlob = (svg) => new Blob([svg], { type: 'image/svg+xml' });

/** Draws SVG text on a new canvas. Width and height are in pixels. */
export async function rasterize(svg, width, height) {
  const url = URL.createObjectURL(svgBlob(svg));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = h('canvas', { width, height });
    canvas.getContext('2d').drawImage(image, 0, 0, width, height);
    return canvas;
  } finally {
    URL.revokeObjectURL(url);
  }
}

async function pngOf(view) {
  const height = Math.round((pngWidth * view.box.h) / view.box.w);
  const canvas = await rasterize(standaloneSvg(view), pngWidth, height);
  return new Promise((resolve) => {
    canvas.toBlob(resolve, 'image/png');
  });
}

function drawFileTable(files, contents) {
  const head = h(
    'tr',
    {},
    h('th', { scope: 'col' }, 'File'),
    h('th', { scope: 'col' }, 'Holds'),
    h('th', { scope: 'col', class: 'n' }, 'Size'),
  );
  const rows = files.map((f) => {
    const save = () => download(f.name, contents[f.name]);
    return h(
      'tr',
      {},
      h('td', {}, h('button', { type: 'button', class: 'link', onclick: save }, f.name)),
      h('td', {}, roles[f.role] ?? f.role),
      h('td', { class: 'n' }, formatSize(f.bytes)),
    );
  });
  return scrollBox('Files', h('table', {}, h('thead', {}, head), h('tbody', {}, rows)));
}

/** Draws the section of files. */
export function drawFiles(result, view) {
  const stem =
    result.file_list.find((f) => f.role === 'edge_cuts')?.name.replace(/\.[^.]*$/, '') ?? 'board';
  const saveButton = (text, name, make, className = '') =>
    h(
      'button',
      {
        type: 'button',
        class: className,
        onclick: async () => {
          download(name, await make());
          announce(`${name} saved`);
        },
      },
      text,
    );
  const files = result.file_list.filter((f) => f.name in result.files); // a stored result has few
  const total = files.reduce((sum, f) => sum + f.bytes, 0);
  const archive = result.zip_base64;
  return h(
    'section',
    { class: 'group board-files' },
    h('h2', {}, 'Files ', h('span', { class: 'count' }, files.length)),
    h(
      'p',
      { class: 'picker' },
      archive &&
        saveButton(
          `${stem}.zip, ${formatSize((archive.length * 3) / 4)}`,
          `${stem}.zip`,
          () => new Blob([bytesOf(archive)], { type: 'application/zip' }),
          'main',
        ),
      saveButton('This view as SVG', `${stem}-view.svg`, () => svgBlob(standaloneSvg(view))),
      saveButton('as PNG', `${stem}-view.png`, () => pngOf(view)),
    ),
    h(
      'details',
      {},
      h('summary', {}, `Each file, ${formatSize(total)} in all`),
      drawFileTable(files, result.files),
    ),
  );
}
