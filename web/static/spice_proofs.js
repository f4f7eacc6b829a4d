// The proofs of a simulation: an operating point that exists, and the range of a voltage over
// tolerances.
import { el } from './dom.js';
import { show, showNumber } from './quantity.js';
import { table } from './result.js';
import { value } from './spice_numbers.js';

const sentence = (text) =>
  text ? text[0].toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? '' : '.') : '';

/** What a certificate proves about an operating point. */
export function existence(c) {
  const widest = (bound, prefix) =>
    Math.max(0, ...c.unknowns.map((u, i) => (u.startsWith(prefix) ? bound * c.weights[i] : 0)));
  if (!c.certified) {
    return [
      el('p', { class: 'verdict refused' }, el('b', {}, 'Not proven. '), sentence(c.reason)),
      el(
        'p',
        {},
        'The numbers may be right all the same: the proof covers only circuits whose equations are smooth and well conditioned around the solution.',
      ),
    ];
  }
  return [
    el(
      'p',
      { class: 'verdict' },
      el('b', {}, 'Proven. '),
      `An operating point exists, and every node voltage lies within ${Number(widest(c.rho, 'v(').toPrecision(2))} V of the one printed. ${c.h === 0 ? 'It is the only one (linear circuit).' : `There is no other within ${show(Number(widest(c.rho_unique, 'v(').toPrecision(3)), 'V')} of it.`}`,
    ),
    el(
      'p',
      { class: 'absent' },
      'This is mathematics, not a repeated simulation: the equations were enclosed in intervals that hold all rounding. It speaks of the circuit as written, not of parts and their spread.',
    ),
    el(
      'details',
      {},
      el('summary', {}, 'Figures of the proof'),
      el('p', {}, sentence(c.statement)),
      el(
        'div',
        {},
        [
          ['Method', c.method],
          ['h (at most 0.5 is a proof)', showNumber(c.h)],
          ['η, first correction', showNumber(c.eta)],
          ['ρ, radius', showNumber(c.rho)],
          ['Radius of uniqueness', showNumber(c.rho_unique)],
          ['Lipschitz constant', showNumber(c.k_lipschitz)],
        ].map(([n, t]) => value(n, t)),
      ),
      table(
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

/** The range of a voltage over tolerances, asked in fractions by element. */
export function tolerance(c, asked) {
  const list = Object.entries(asked)
    .map(([n, f]) => `${n.toUpperCase()} ±${showNumber(f * 100)} %`)
    .join(', ');
  if (!c.certified)
    return [
      el('p', { class: 'verdict refused' }, el('b', {}, 'No range proven. '), sentence(c.reason)),
    ];
  const [low, high] = c.interval;
  const exact = c.method !== 'bisection';
  const worst = (values) =>
    Object.entries(values)
      .map(([n, v]) => `${n.toUpperCase()} = ${showNumber(v)}`)
      .join(', ');
  const percent = (v) =>
    c.nominal
      ? ` (${v < c.nominal ? '−' : '+'}${showNumber(Number(Math.abs((100 * (v - c.nominal)) / c.nominal).toPrecision(3)))} %)`
      : '';
  return [
    el(
      'p',
      { class: 'verdict' },
      el('b', {}, `${show(low, 'V')} to ${show(high, 'V')}. `),
      `With ${list}, the voltage of ${c.output_node} lies in this range for every combination of values; ${exact ? 'both ends are reached' : 'the true range may be narrower'}. Nominal ${show(c.nominal, 'V')}.`,
    ),
    el('p', {}, `Lowest${percent(low)} at ${worst(c.worst_low)}.`),
    el('p', {}, `Highest${percent(high)} at ${worst(c.worst_high)}.`),
  ];
}
