// The numbers of a simulation: warnings, measures, node voltages, operating points of devices,
// certificates, and statistics of the solver.
import { el } from './dom.js';
import { show, showNumber } from './quantity.js';
import { table } from './result.js';
import { copy } from './shell.js';
import { furtherSteps, stepName } from './spice_compare.js';
import { measureUnits } from './spice_marks.js';
import { spiceText } from './spice_netlist.js';

const units = { w: 'W', v: 'V', i: 'A', g: 'S', r: 'Ω', c: 'F' };

/** The unit a device's quantity has by its name: vbe, ic, gm, power_w. */
const unitOf = (name) =>
  /_w$/.test(name) ? 'W' : /^beta|^region/.test(name) ? '' : (units[name[0]] ?? '');

const section = (title, ...content) =>
  el('section', { class: 'group' }, el('h2', {}, title), content);
/** A value of the list: its name, its text, and the exact number. */
export const value = (label, text, title) =>
  el(
    'div',
    { class: 'value', 'data-out': label },
    el('span', { class: 'name' }, label),
    el('span', { class: 'number', title }, text),
    el('span', { class: 'acts' }),
  );

/** A measure with its unit, or with a suffix of SPICE where that is not known. */
const measured = (v, unit) =>
  unit && unit !== 'V·s' ? show(v, unit) : `${spiceText(v)}${unit && ` ${unit}`}`;

/** A section of a proof, whose module comes with the first. */
function proof(title, content) {
  const box = section(title);
  import('./spice_proofs.js').then((m) => box.append(...content(m)));
  return box;
}

/** Draws what is no curve. request has the netlist and the tolerances, in fractions by element. */
export function drawNumbers(element, result, request) {
  const units = measureUnits(request.netlist, result.analysis_type);
  const bySteps = stepped(result, units);
  const at = result.step ? ` at ${stepName(result.step)}` : '';
  element.replaceChildren(
    el(
      'div',
      {},
      result.warnings?.length > 0 &&
        el(
          'ul',
          { class: 'warnings' },
          result.warnings.map((w) => el('li', {}, w)),
        ),
      result.tolerance_certificate &&
        proof('Over the tolerances', (m) =>
          m.tolerance(result.tolerance_certificate, request.tolerances ?? {}),
        ),
      result.certificate &&
        proof('Proof of the operating point', (m) => m.existence(result.certificate)),
      result.measures &&
        !bySteps &&
        section(
          'Measures',
          Object.entries(result.measures).map(([n, v]) =>
            value(
              n,
              v === null ? 'failed' : measured(v, units[n] ?? ''),
              v === null ? 'A warning above says why' : String(v),
            ),
          ),
        ),
      bySteps ?? single(result),
      result.noise && section(`Noise${at}`, noise(result.noise)),
      result.transfer_function &&
        section(`Transfer function${at}`, transfer(result.transfer_function)),
      result.poles_and_zeros && [
        roots(`Poles${at}`, result.poles_and_zeros.poles),
        roots(`Zeros${at}`, result.poles_and_zeros.zeros),
      ],
      result.sensitivity && section(`Sensitivity${at}`, sensitivity(result.sensitivity)),
      result.fourier?.length > 0 && section(`Fourier${at}`, result.fourier.map(spectrum)),
      result.operating_point?.length > 0 &&
        section(`Operating point${at}`, devices(result.operating_point)),
      section(
        'Solver',
        el('p', {}, effort(result)),
        el(
          'button',
          {
            type: 'button',
            class: 'small',
            onclick: (e) => copy(JSON.stringify(result, null, 1), e.currentTarget),
          },
          'Copy as JSON',
        ),
      ),
    ),
  );
}

/** The measures, or the voltages and currents of one point, of every run of .step. */
function stepped(result, units) {
  const further = furtherSteps(result);
  const points = Object.values(result.vectors ?? {}); // the notebook keeps no curves
  const isPoint = points.length > 0 && points.every((v) => v.length === 1);
  if (further.length === 0 || !(result.measures || isPoint)) return null;
  const runs = [result, ...further];
  const of = (run) =>
    run.measures ?? Object.fromEntries(Object.entries(run.vectors).map(([n, v]) => [n, v[0]]));
  const names = Object.keys(of(result));
  const unit = (n) => (result.measures ? (units[n] ?? '') : pointUnit(n));
  const column = (name) => ({
    name,
    label: name,
    kind: 'quantity',
    titleOf: (i) => String(runs[i].step?.[name] ?? of(runs[i])[name]),
  });
  const texts = (values, write) =>
    Object.fromEntries(
      Object.entries(values).map(([n, v]) => [n, v === null ? 'failed' : write(v, n)]),
    );
  return section(
    'By step',
    table(
      [...Object.keys(result.step ?? {}), ...names].map(column),
      runs.map((run) => ({
        ...texts(of(run), (v, n) => measured(v, unit(n))),
        ...texts(run.step, spiceText),
      })),
    ),
  );
}

/** The unit of a vector by its name. */
const pointUnit = (n) =>
  n.endsWith('_phase_deg')
    ? '°'
    : n === 'frequency'
      ? 'Hz'
      : n.startsWith('v(')
        ? 'V'
        : n.startsWith('i(')
          ? 'A'
          : '';

/** Vectors with one point: an operating point, or AC at one frequency. */
function single(result) {
  const names = Object.keys(result.vectors ?? {}); // the notebook keeps no curves
  if (names.length === 0 || names.some((n) => result.vectors[n].length !== 1)) return null;
  names.sort(
    (a, b) =>
      (a.startsWith('v(') ? 0 : 1) - (b.startsWith('v(') ? 0 : 1) ||
      a.localeCompare(b, 'en', { numeric: true }),
  );
  return section(
    'Voltages and currents',
    names.map((n) =>
      value(n, show(result.vectors[n][0], pointUnit(n)), String(result.vectors[n][0])),
    ),
  );
}

const mostRows = 30;

function noise(n) {
  return [
    value('Output noise', showNumber(n.output_rms), String(n.output_rms)),
    n.input_rms !== null &&
      value(`Referred to ${n.input}`, showNumber(n.input_rms), String(n.input_rms)),
    table(
      [
        { name: 'device', label: 'Device' },
        { name: 'source', label: 'Source' },
        { name: 'kind', label: 'Type' },
        { name: 'output_rms', label: 'Output noise', kind: 'quantity' },
        { name: 'share_pct', label: 'Share', unit: '%', kind: 'quantity' },
      ],
      n.contributions.slice(0, mostRows),
    ),
  ];
}

function transfer(f) {
  const ohms = (r) => (r === null ? 'infinite' : show(r, 'Ω'));
  return [
    value('Gain', `${showNumber(f.gain)} ${f.gain_unit}`, String(f.gain)),
    value('Input resistance', ohms(f.input_ohm), String(f.input_ohm)),
    value('Output resistance', ohms(f.output_ohm), String(f.output_ohm)),
  ];
}

function roots(title, list) {
  return (
    list.length > 0 &&
    section(
      title,
      table(
        [
          { name: 'real', label: 'Real part', unit: 'rad/s', kind: 'quantity' },
          { name: 'imag', label: 'Imaginary part', unit: 'rad/s', kind: 'quantity' },
          { name: 'frequency_hz', label: 'Natural frequency', unit: 'Hz', kind: 'quantity' },
          { name: 'q', label: 'Q', kind: 'quantity' },
        ],
        list.slice(0, mostRows),
      ),
    )
  );
}

function sensitivity(s) {
  return table(
    [
      { name: 'element', label: 'Element' },
      { name: 'parameter', label: 'Parameter' },
      { name: 'value', label: 'Value', kind: 'quantity' },
      { name: 'absolute', label: 'Per unit', kind: 'quantity' },
      { name: 'per_percent', label: 'Per percent', kind: 'quantity' },
      { name: 'frequency_hz', label: 'At', unit: 'Hz', kind: 'quantity' },
    ],
    s.entries.slice(0, mostRows).map((e) => ({ ...e, parameter: e.parameter || 'value' })),
  );
}

function spectrum(f) {
  return [
    el(
      'p',
      {},
      `${f.node}${f.window === 'rect' ? '' : `, ${f.window} window over ${f.periods} periods`}: distortion ${f.thd_pct === null ? 'unknown, there is no fundamental' : `${show(f.thd_pct, '%')} (harmonics 2 to 9)`}, mean ${showNumber(f.mean)}`,
    ),
    table(
      [
        { name: 'n', label: 'n', kind: 'quantity' },
        { name: 'frequency_hz', label: 'Frequency', unit: 'Hz', kind: 'quantity' },
        { name: 'magnitude', label: 'Peak', kind: 'quantity' },
        { name: 'phase_deg', label: 'Phase', unit: '°', kind: 'quantity' },
        { name: 'db', label: 'Relative', unit: 'dB', kind: 'quantity' },
      ],
      f.harmonics.map((h) => ({
        ...h,
        db: h.normalized > 0 ? 20 * Math.log10(h.normalized) : null,
      })),
    ),
  ];
}

const kinds = {
  r: 'Resistors',
  l: 'Inductors',
  c: 'Capacitors',
  v: 'Voltage sources',
  i: 'Current sources',
  d: 'Diodes',
  q: 'Bipolar transistors',
  m: 'MOSFETs',
  e: 'Controlled voltages',
  g: 'Controlled currents',
  x: 'Subcircuits',
};

function devices(points) {
  const groups = Map.groupBy ? Map.groupBy(points, (p) => p.kind) : grouped(points);
  const first = ['q', 'm', 'd', 'x'];
  const order = [...groups.keys()].sort(
    (a, b) => (first.includes(b) ? 1 : 0) - (first.includes(a) ? 1 : 0),
  );
  return order.map((kind) => {
    const list = groups.get(kind);
    const names = [...new Set(list.flatMap((p) => Object.keys(p.quantities)))];
    return el(
      'details',
      { class: 'devices', open: first.includes(kind) },
      el('summary', {}, `${kinds[kind] ?? kind.toUpperCase()} (${list.length})`),
      el(
        'div',
        { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': kinds[kind] ?? kind },
        el(
          'table',
          {},
          el(
            'thead',
            {},
            el(
              'tr',
              {},
              el('th', { scope: 'col' }, 'Device'),
              list.some((p) => p.region) && el('th', { scope: 'col' }, 'Region'),
              names.map((n) => el('th', { scope: 'col', class: 'n' }, n.replace(/_w$/, ''))),
            ),
          ),
          el(
            'tbody',
            {},
            list.map((p) =>
              el(
                'tr',
                {},
                el('th', { scope: 'row' }, p.device),
                list.some((q) => q.region) && el('td', {}, p.region),
                names.map((n) =>
                  el(
                    'td',
                    { class: 'n', title: String(p.quantities[n] ?? '') },
                    p.quantities[n] === undefined ? '–' : show(p.quantities[n], unitOf(n)),
                  ),
                ),
              ),
            ),
          ),
        ),
      ),
    );
  });
}

function grouped(points) {
  const m = new Map();
  for (const p of points) m.set(p.kind, [...(m.get(p.kind) ?? []), p]);
  return m;
}

const many = (n, word) => `${n.toLocaleString('en')} ${word}${n === 1 ? '' : 's'}`;

function effort(result) {
  const s = result.statistics;
  const parts = [
    `${many(result.component_count, 'component')}, ${many(result.nodes.length, 'node')}${result.runtime_ms === undefined ? '' : `, ${show(Number(result.runtime_ms.toPrecision(3)), 'ms')}`}`,
    many(s.newton_iterations, 'Newton iteration'),
  ];
  if (s.time_steps)
    parts.push(
      `${many(s.time_steps, 'time step')}${s.rejected_steps ? `, ${s.rejected_steps.toLocaleString('en')} more repeated smaller` : ''}`,
    );
  if (s.convergence_aid && s.convergence_aid !== 'none')
    parts.push(`the operating point needed ${s.convergence_aid}`);
  if (s.error_estimate_pct !== null && s.error_estimate_pct !== undefined)
    parts.push(
      `estimated error ${show(Number(s.error_estimate_pct.toPrecision(2)), '%')} of peak-to-peak`,
    );
  return `${parts.join('; ')}.`;
}
