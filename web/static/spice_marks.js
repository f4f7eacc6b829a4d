// The measures of a netlist as marks of its plots, and the completion of expressions.
import { cssColor } from './shell.js';

const quantityPattern =
  /^(v(?:db|m|p)?|i|p|db)\([^()]*\)(?:\s*[-+]\s*\1\([^()]*\))*(?!\s*[-+*/^])/i;

const quantityUnits = { v: 'V', i: 'A', p: 'W', vdb: 'dB', db: 'dB', vp: '°' };

/** Returns the unit of v(out), vdb(out) or a sum of one kind; undefined for other expressions. */
const unitOf = (expression) => quantityUnits[quantityPattern.exec(expression)?.[1].toLowerCase()];

/** Returns the .meas cards of an analysis as {name, kind, rest}; kind is max, when, trig etc. */
function measureCards(text, analysis) {
  const cards = text
    .replace(/\r?\n\+/g, ' ')
    .matchAll(/^[ \t]*\.meas(?:ure)?[ \t]+(\w+)[ \t]+(\w+)[ \t]+(\w+)[ \t]*(.*)$/gim);
  return [...cards]
    .filter(([, cardAnalysis]) => cardAnalysis.toLowerCase() === analysis)
    .map(([, , name, kind, rest]) => ({ name, kind: kind.toLowerCase(), rest }));
}

const axisMeasures = ['when', 'trig', 'max_at', 'min_at'];
const valueMeasures = ['find', 'max', 'min', 'avg', 'rms', 'pp'];
const integralUnits = { V: 'V·s', A: 'C', W: 'J' };

/** Returns the units of the measures of an analysis by name in lower case; "" if calculated. */
export function measureUnits(text, analysis) {
  const source = /^[ \t]*\.dc[ \t]+(\w)/im.exec(text)?.[1].toLowerCase();
  const axisUnit = { tran: 's', ac: 'Hz', dc: { v: 'V', i: 'A', t: '°C' }[source] }[analysis];
  const unitOfMeasure = ({ kind, rest }) => {
    if (axisMeasures.includes(kind) || (kind === 'find' && /^time\b/i.test(rest))) return axisUnit;
    if (valueMeasures.includes(kind)) return unitOf(rest);
    return kind === 'integ' && analysis === 'tran' ? integralUnits[unitOf(rest)] : '';
  };
  return Object.fromEntries(
    measureCards(text, analysis).map((card) => [
      card.name.toLowerCase(),
      unitOfMeasure(card) ?? '',
    ]),
  );
}

/**
 * Returns the marks of the measures of an analysis. They are { name, x } at an instant,
 * { name, y, unit } at a level and { name, x, y, unit } at a point. Durations and calculated
 * measures have no marks.
 * @param {string} text the netlist
 * @param {string} analysis tran, ac or dc
 * @param {Record<string, number|null>} measures values by name
 * @param {(text: string) => number} parseNumber
 */
export function marksOf(text, analysis, measures, parseNumber) {
  const marks = [];
  for (const { name, kind, rest } of measureCards(text, analysis)) {
    const v = measures?.[name.toLowerCase()] ?? measures?.[name];
    if (typeof v !== 'number') continue;
    const unit = unitOf(rest);
    if (['when', 'max_at', 'min_at'].includes(kind)) marks.push({ name, x: v });
    else if (kind === 'find') {
      const at = /\bat[ \t]*=[ \t]*(\S+)/i.exec(rest);
      const x = at ? parseNumber(at[1]) : NaN;
      if (unit && Number.isFinite(x)) marks.push({ name, x, y: v, unit });
    } else if (['max', 'min', 'avg', 'rms'].includes(kind) && unit) {
      marks.push({ name, y: v, unit });
    }
  }
  return marks;
}

/** Returns a hook of uPlot that draws the marks of a unit, and those at an instant. */
export function drawMarks(marks, unit) {
  const shown = marks.filter((m) => m.unit === undefined || m.unit === unit);
  return (u) => {
    const g = u.ctx;
    const ratio = devicePixelRatio;
    const { left, top, width, height } = u.bbox;
    g.save();
    g.strokeStyle = g.fillStyle = cssColor('--soft');
    g.lineWidth = ratio;
    g.font = `${11 * ratio}px system-ui`;
    g.beginPath();
    g.rect(left, top, width, height);
    g.clip();
    for (const [i, m] of shown.entries()) {
      const x = m.x === undefined ? undefined : u.valToPos(m.x, 'x', true);
      const y = m.y === undefined ? undefined : u.valToPos(m.y, 'y', true);
      drawMarkShape(u, x, y);
      const isRight = x === undefined || x > left + width * 0.85;
      g.textAlign = isRight ? 'right' : 'left';
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

/** Draws a vertical line at x, a horizontal line at y, or a circle at both. */
function drawMarkShape({ ctx: g, bbox: { left, top, width, height } }, x, y) {
  const ratio = devicePixelRatio;
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
}

const maxCompletions = 40;

/** Completes the last word of an expression with names. Returns whole expressions. */
export function completions(text, names) {
  const [, before, word] = /^(.*?)([a-z_][\w.#:]*(?:\([\w.#:+,-]*)?)?$/is.exec(text);
  if (!word) return [];
  const typed = word.toLowerCase();
  return names
    .filter((n) => n.startsWith(typed) && n !== typed)
    .slice(0, maxCompletions)
    .map((n) => before + n);
}
