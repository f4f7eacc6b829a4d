// The proofs of a simulation: the existence of an operating point, and the range of a voltage over
// tolerances.
import { h } from './dom.js';
import { formatQuantity, formatNumber } from './quantity.js';
import { drawTable } from './result.js';
import { valueItem } from './spice_numbers.js';

/** Returns a text with a capital letter and a full stop. */
function toSentence(text) {
  if (!text) return '';
  return text[0].toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? '' : '.');
}

/** Returns the proof of an operating point as elements. */
export function existenceProof(c) {
  const voltageWeights = c.unknowns.map((u, i) => (u.startsWith('v(') ? c.weights[i] : 0));
  const largestRadius = (radius) => Math.max(0, ...voltageWeights.map((w) => radius * w));
  if (!c.certified) {
    return [
      h('p', { class: 'verdict refused' }, h('b', {}, 'Not proven. '), toSentence(c.reason)),
      h(
        'p',
        {},
        'The numbers may be right all the same: the proof covers only circuits whose equations are smooth and well conditioned around the solution.',
      ),
    ];
  }
  const radius = Number(largestRadius(c.rho).toPrecision(2));
  const uniqueRadius = () =>
    formatQuantity(Number(largestRadius(c.rho_unique).toPrecision(3)), 'V');
  const uniqueness =
    c.h === 0
      ? 'It is the only one (linear circuit).'
      : `There is no other within ${uniqueRadius()} of it.`;
  return [
    h(
      'p',
      { class: 'verdict' },
      h('b', {}, 'Proven. '),
      `An operating point exists, and every node voltage lies within ${radius} V of the one printed. ${uniqueness}`,
    ),
    h(
      'p',
      { class: 'absent' },
      'This is mathematics, not a repeated simulation: the equations were enclosed in intervals that hold all rounding. It speaks of the circuit as written, not of parts and their spread.',
    ),
    h(
      'details',
      {},
      h('summary', {}, 'Figures of the proof'),
      h('p', {}, toSentence(c.statement)),
      h(
        'div',
        {},
        [
          ['Method', c.method],
          ['h (at most 0.5 is a proof)', formatNumber(c.h)],
          ['η, first correction', formatNumber(c.eta)],
          ['ρ, radius', formatNumber(c.rho)],
          ['Radius of uniqueness', formatNumber(c.rho_unique)],
          ['Lipschitz constant', formatNumber(c.k_lipschitz)],
        ].map(([name, text]) => valueItem(name, text)),
      ),
      drawTable(
        [
          { name: 'u', label: 'Unknown' },
          { name: 'x', label: 'Value', kind: 'quantity' },
          { name: 'r', label: '± within', kind: 'quantity' },
        ],
        c.unknowns.map((u, i) => ({ u, x: c.center[i], r: c.rho * c.weights[i] })),
      ),
    ),
  ];
}

/**
 * Returns the range of a voltage over tolerances as elements.
 * @param {object} c the certificate
 * @param {Record<string, number>} tolerances fractions by element
 */
export function toleranceRange(c, tolerances) {
  if (!c.certified)
    return [
      h('p', { class: 'verdict refused' }, h('b', {}, 'No range proven. '), toSentence(c.reason)),
    ];
  const list = Object.entries(tolerances)
    .map(([name, fraction]) => `${name.toUpperCase()} ±${formatNumber(fraction * 100)} %`)
    .join(', ');
  const [low, high] = c.interval;
  const isExact = c.method !== 'bisection';
  const bounds = isExact ? 'both ends are reached' : 'the true range may be narrower';
  const valuesText = (values) =>
    Object.entries(values)
      .map(([name, v]) => `${name.toUpperCase()} = ${formatNumber(v)}`)
      .join(', ');
  const deviation = (v) => {
    if (!c.nominal) return '';
    const percent = Number(Math.abs((100 * (v - c.nominal)) / c.nominal).toPrecision(3));
    return ` (${v < c.nominal ? '−' : '+'}${formatNumber(percent)} %)`;
  };
  return [
    h(
      'p',
      { class: 'verdict' },
      h('b', {}, `${formatQuantity(low, 'V')} to ${formatQuantity(high, 'V')}. `),
      `With ${list}, the voltage of ${c.output_node} lies in this range for every combination of values; ${bounds}. Nominal ${formatQuantity(c.nominal, 'V')}.`,
    ),
    h('p', {}, `Lowest${deviation(low)} at ${valuesText(c.worst_low)}.`),
    h('p', {}, `Highest${deviation(high)} at ${valuesText(c.worst_high)}.`),
  ];
}
