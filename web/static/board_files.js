// The downloads of a board: the archive, each file, and the view as a picture.
import { el } from './dom.js';
import { download, announce } from './shell.js';

const bytesOf = (base64) => Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
const size = (n) => (n < 1000 ? `${n} B` : `${(n / 1000).toFixed(1)} kB`);
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
const pictureWidth = 2000; // pixels of a PNG

/** The properties that a picture needs once the style sheet is gone. */
const painted = [
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

/** The view as an SVG text that stands alone. */
export function standalone(view) {
  const copy = view.svg.cloneNode(true);
  const from = [view.svg, ...view.svg.querySelectorAll('*')];
  [copy, ...copy.querySelectorAll('*')].forEach((e, i) => {
    const style = getComputedStyle(from[i]);
    for (const name of painted) e.setAttribute(name, style.getPropertyValue(name));
    for (const name of ['class', 'role', 'tabindex', 'style']) e.removeAttribute(name);
    for (const name of e.getAttributeNames())
      if (/^(aria|data)-/.test(name)) e.removeAttribute(name);
  });
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.setAttribute('width', `${view.box.w}mm`);
  copy.setAttribute('height', `${view.box.h}mm`);
  return new XMLSerializer().serializeToString(copy);
}

async function png(view) {
  const address = URL.createObjectURL(new Blob([standalone(view)], { type: 'image/svg+xml' }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = el('canvas', {
      width: pictureWidth,
      height: Math.round((pictureWidth * view.box.h) / view.box.w),
    });
    canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve) => {
      canvas.toBlob(resolve, 'image/png');
    });
  } finally {
    URL.revokeObjectURL(address);
  }
}

/** The section of files. */
export function drawFiles(result, view) {
  const stem =
    result.file_list.find((f) => f.role === 'edge_cuts')?.name.replace(/\.[^.]*$/, '') ?? 'board';
  const button = (text, act, main) =>
    el('button', { type: 'button', class: main ? 'main' : '', onclick: act }, text);
  const save = async (name, make) => {
    download(name, await make());
    announce(`${name} saved`);
  };
  const files = result.file_list.filter((f) => f.name in result.files); // a stored result has few
  const total = files.reduce((sum, f) => sum + f.bytes, 0);
  return el(
    'section',
    { class: 'group board-files' },
    el('h2', {}, 'Files ', el('span', { class: 'count' }, files.length)),
    el(
      'p',
      { class: 'picker' },
      result.zip_base64 &&
        button(
          `${stem}.zip, ${size((result.zip_base64.length * 3) / 4)}`,
          () =>
            save(
              `${stem}.zip`,
              () => new Blob([bytesOf(result.zip_base64)], { type: 'application/zip' }),
            ),
          true,
        ),
      button('This view as SVG', () =>
        save(`${stem}-view.svg`, () => new Blob([standalone(view)], { type: 'image/svg+xml' })),
      ),
      button('as PNG', () => save(`${stem}-view.png`, () => png(view))),
    ),
    el(
      'details',
      {},
      el('summary', {}, `Each file, ${size(total)} in all`),
      el(
        'div',
        { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Files' },
        el(
          'table',
          {},
          el(
            'thead',
            {},
            el(
              'tr',
              {},
              el('th', { scope: 'col' }, 'File'),
              el('th', { scope: 'col' }, 'Holds'),
              el('th', { scope: 'col', class: 'n' }, 'Size'),
            ),
          ),
          el(
            'tbody',
            {},
            files.map((f) =>
              el(
                'tr',
                {},
                el(
                  'td',
                  {},
                  el(
                    'button',
                    {
                      type: 'button',
                      class: 'link',
                      onclick: () => download(f.name, result.files[f.name]),
                    },
                    f.name,
                  ),
                ),
                el('td', {}, roles[f.role] ?? f.role),
                el('td', { class: 'n' }, size(f.bytes)),
              ),
            ),
          ),
        ),
      ),
    ),
  );
}
