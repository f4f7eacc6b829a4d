// Measures of a netlist as marks of its plots, and completion of expressions.
import { colour } from './shell.js';

const quantity = /^(v(?:db|m|p)?|i|p|db)\([^()]*\)(?:\s*[-+]\s*\1\([^()]*\))*(?!\s*[-+*/^])/i;

/** The unit of the pane that shows v(out), vdb(out) or a sum of their kind; undefined for other expressions. */
const unitOf = (expression) =>
  ({ v: 'V', i: 'A', p: 'W', vdb: 'dB', db: 'dB', vp: '°' })[
    quantity.exec(expression)?.[1].toLowerCase()
  ];

/** The .meas cards of an analysis: { name, word, rest }, where word is max, when, trig and the like. */
function cardsOf(text, analysis) {
  const cards = text
    .replace(/\r?\n\+/g, ' ')
    .matchAll(/^[ \t]*\.meas(?:ure)?[ \t]+(\w+)[ \t]+(\w+)[ \t]+(\w+)[ \t]*(.*)$/gim);
  return [...cards]
    .filter(([, kind]) => kind.toLowerCase() === analysis)
    .map(([, , name, word, rest]) => ({ name, word: word.toLowerCase(), rest }));
}

const ofAxis = ['when', 'trig', 'max_at', 'min_at'];
const ofValue = ['find', 'max', 'min', 'avg', 'rms', 'pp'];
const integrals = { V: 'V·s', A: 'C', W: 'J' };

/** The units of the measures of an analysis by name in lower case; "" of calculated ones. */
export function measureUnits(text, analysis) {
  const source = /^[ \t]*\.dc[ \t]+(\w)/im.exec(text)?.[1].toLowerCase();
  const axis = { tran: 's', ac: 'Hz', dc: { v: 'V', i: 'A', t: '°C' }[source] }[analysis];
  return Object.fromEntries(
    cardsOf(text, analysis).map(({ name, word, rest }) => {
      const unit = unitOf(rest);
      const isOfAxis = ofAxis.includes(word) || (word === 'find' && /^time\b/i.test(rest));
      const own = isOfAxis
        ? axis
        : ofValue.includes(word)
          ? unit
          : word === 'integ' && analysis === 'tran'
            ? integrals[unit]
            : '';
      return [name.toLowerCase(), own ?? ''];
    }),
  );
}

/**
 * The marks of the measures of an analysis: { name, x } is an instant, { name, y, unit } a level, and
 * all of them a point. Durations and calculated measures have none.
 * @param {string} text the netlist @param {string} analysis tran, ac or dc
 * @param {Record<string, number|null>} measures values by name
 */
export function marksOf(text, analysis, measures, value) {
  const marks = [];
  for (const { name, word, rest } of cardsOf(text, analysis)) {
    const v = measures?.[name.toLowerCase()] ?? measures?.[name];
    if (typeof v !== 'number') continue;
    const unit = unitOf(rest);
    switch (word) {
      case 'when':
      case 'max_at':
      case 'min_at':
        marks.push({ name, x: v });
        break;
      case 'find': {
        const at = /\bat[ \t]*=[ \t]*(\S+)/i.exec(rest);
        if (unit && at && Number.isFinite(value(at[1])))
          marks.push({ name, x: value(at[1]), y: v, unit });
        break;
      }
      case 'max':
      case 'min':
      case 'avg':
      case 'rms':
        if (unit) marks.push({ name, y: v, unit });
    }
  }
  return marks;
}

/** A hook of uPlot that draws the marks that fit a pane's unit. */
export function drawMarks(marks, unit) {
  return (u) => {
    const g = u.ctx;
    const ratio = devicePixelRatio;
    const { left, top, width, height } = u.bbox;
    g.save();
    g.strokeStyle = g.fillStyle = colour('--soft');
    g.lineWidth = ratio;
    g.font = `${11 * ratio}px system-ui`;
    g.beginPath();
    g.rect(left, top, width, height);
    g.clip();
    for (const [i, m] of marks.filter((k) => k.unit === undefined || k.unit === unit).entries()) {
      const x = m.x === undefined ? undefined : u.valToPos(m.x, 'x', true);
      const y = m.y === undefined ? undefined : u.valToPos(m.y, 'y', true);
      g.setLineDash([2 * ratio, 3 * ratio]);
      g.beginPath();
      if (y === undefined) {
        g.moveTo(x, top);
        g.lineTo(x, top + height);
      } else if (x === undefined) {
        g.moveTo(left, y);
        g.lineTo(left + width, y);
      } else g.arc(x, y, 4 * ratio, 0, 2 * Math.PI);
      g.stroke();
      const isRight = x !== undefined && x > left + width * 0.85;
      g.textAlign = x === undefined || isRight ? 'right' : 'left';
      g.textBaseline = 'bottom';
      g.fillText(
        m.name,
        x === undefined ? left + width - 4 * ratio : x + (isRight ? -6 : 6) * ratio,
        y === undefined
          ? top + height - (4 + 13 * (i % 4)) * ratio
          : Math.max(top + 14 * ratio, y - 3 * ratio),
      );
    }
    g.restore();
  };
}

/** Whole expressions that complete the last word of a text with names of vectors and functions. */
export function completions(text, names) {
  const [, before, word] = /^(.*?)([a-z_][\w.#:]*(?:\([\w.#:+,-]*)?)?$/is.exec(text);
  if (!word) return [];
  const begun = word.toLowerCase();
  return names
    .filter((n) => n.startsWith(begun) && n !== begun)
    .slice(0, 40)
    .map((n) => before + n);
}
