// Reads the silkscreen of a board from its Gerber file. The file of the router has lines and
// flashes of round apertures only.

const operation = /^(?:X(-?\d+)Y(-?\d+))?D0?([123])$/;
const unitsPerMm = 1e6;

/**
 * Returns the strokes of a Gerber text by width.
 * @returns {{width: number, d: string}[]} width in mm, d is SVG path data in mm
 */
export function parseStrokes(gerber) {
  const widths = new Map(); // mm by aperture number
  const paths = new Map(); // path data by width
  const append = (width, d) => paths.set(width, (paths.get(width) ?? '') + d);
  let width;
  let at = [0, 0];
  for (const block of gerber.split('*')) {
    const text = block.replace(/[%\s]/g, '');
    const definition = /^ADD(\d+)C,([\d.]+)/.exec(text);
    const selection = /^D(\d{2,})$/.exec(text);
    const move = operation.exec(text);
    if (definition) widths.set(definition[1], Number(definition[2]));
    else if (selection && Number(selection[1]) >= 10) width = widths.get(selection[1]);
    else if (move) {
      const [, x, y, code] = move;
      const to = x === undefined ? at : [x / unitsPerMm, y / unitsPerMm];
      if (width && code === '1') append(width, `M${at[0]} ${at[1]}L${to[0]} ${to[1]}`);
      if (width && code === '3') append(width, `M${to[0]} ${to[1]}h0`);
      at = to;
    }
  }
  return [...paths].map(([w, d]) => ({ width: w, d }));
}
