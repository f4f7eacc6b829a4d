// The silkscreen of a board as printed: the strokes of its Gerber file, which has lines and dots of
// round apertures only.

const word = /^(?:X(-?\d+)Y(-?\d+))?D0?([123])$/;

/** The strokes of a legend's Gerber text: [{ width, d }] in millimetres. */
export function strokes(gerber) {
  const widths = new Map();
  const paths = new Map();
  let width;
  let at = [0, 0];
  for (const block of gerber.split('*')) {
    const text = block.replace(/[%\s]/g, '');
    const aperture = /^ADD(\d+)C,([\d.]+)/.exec(text);
    const choice = /^D(\d{2,})$/.exec(text);
    const move = word.exec(text);
    if (aperture) widths.set(aperture[1], Number(aperture[2]));
    else if (choice && Number(choice[1]) >= 10) width = widths.get(choice[1]);
    else if (move) {
      const to = move[1] === undefined ? at : [move[1] / 1e6, move[2] / 1e6];
      if (width && move[3] === '1')
        paths.set(width, `${paths.get(width) ?? ''}M${at[0]} ${at[1]}L${to[0]} ${to[1]}`);
      if (width && move[3] === '3')
        paths.set(width, `${paths.get(width) ?? ''}M${to[0]} ${to[1]}h0`);
      at = to;
    }
  }
  return [...paths].map(([w, d]) => ({ width: w, d }));
}
