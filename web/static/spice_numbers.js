// The numbers of a simulation: warnings, measures, node voltages, operating points of devices,
// certificates, and statistics of the solver.
import { h, scrollBox, smallButton } from './dom.js';
import { formatQuantity } from './quantity.js';
import { drawTable } from './result.js';
import { copy } from './shell.js';
import { formatStep, furtherSteps } from './spice_compare.js';
import { measureUnits } from './spice_marks.js';
import { spiceText } from './spice_netlist.js';

const unitsByLetter = { w: 'W', v: 'V', i: 'A', g: 'S', r: 'Ω', c: 'F' };

/** Returns the unit of a quantity of a device by its name: vbe, ic, gm, power_w. */
function deviceUnit(name) {
  if (name.endsWith('_w')) return 'W';
  return /^beta|^region/.test(name) ? '' : (unitsByLetter[name[0]] ?? '');
}

/** Returns the unit of a vector by its name. */
function vectorUnit(name) {
  if (name.endsWith('_phase_deg')) return '°';
  if (name === 'frequency') return 'Hz';
  return { 'v(': 'V', 'i(': 'A' }[name.slice(0, 2)] ?? '';
}

/** Returns a titled section. */
export const section = (title, ...content) =>
  h('section', { class: 'group' }, h('h2', {}, title), content);

/** Returns a value of a list: its name, its text, and the exact number as title. */
export const valueItem = (label, text, title) =>
  h(
    'div',
    { class: 'value', 'data-out': label },
    h('span', { class: 'name' }, label),
    h('span', { class: 'number', title }, text),
    h('span', { class: 'acts' }),
  );

/** Formats a measure with its unit, or with a suffix of SPICE if the unit is unknown. */
const measureText = (v, unit) =>
  unit && unit !== 'V·s' ? formatQuantity(v, unit) : `${spiceText(v)}${unit && ` ${unit}`}`;

/** Returns the section of a proof, which loads the module of proofs. */
function proofSection(title, content) {
  const box = section(title);
  import('./spice_proofs.js').then((proofs) => box.append(...content(proofs)));
  return box;
}

/** Returns the place of the sections of .noise, .tf, .pz, .sens and .four; loads their module. */
function analysisSections(result, at) {
  const place = h('div', {});
  const { noise, transfer_function, poles_and_zeros, sensitivity, fourier } = result;
  if (noise || transfer_function || poles_and_zeros || sensitivity || fourier?.length)
    import('./spice_analyses.js').then((m) => place.replaceWith(...m.drawAnalyses(result, at)));
  return place;
}

/**
 * Draws the numbers of a result into an element.
 * @param {HTMLElement} element
 * @param {object} result of spice_simulate
 * @param {{netlist: string, tolerances?: Record<string, number>}} request tolerances are fractions
 */
export function drawNumbers(element, result, request) {
  const units = measureUnits(request.netlist, result.analysis_type);
  const steps = stepSection(result, units);
  const at = result.step ? ` at ${formatStep(result.step)}` : '';
  element.replaceChildren(
    h(
      'div',
      {},
      result.warnings?.length > 0 &&
        h(
          'ul',
          { class: 'warnings' },
          result.warnings.map((w) => h('li', {}, w)),
        ),
      result.tolerance_certificate &&
        proofSection('Over the tolerances', (proofs) =>
          proofs.toleranceRange(result.tolerance_certificate, request.tolerances ?? {}),
        ),
      result.certificate &&
        proofSection('Proof of the operating point', (proofs) =>
          proofs.existenceProof(result.certificate),
        ),
      result.measures && !steps && section('Measures', measureItems(result.measures, units)),
      steps ?? pointSection(result),
      analysisSections(result, at),
      result.operating_point?.length > 0 &&
        section(`Operating point${at}`, devices(result.operating_point)),
      section(
        'Solver',
        h('p', {}, solverStatistics(result)),
        smallButton('Copy as JSON', (e) => copy(JSON.stringify(result, null, 1), e.currentTarget)),
      ),
    ),
  );
}

const measureItems = (measures, units) =>
  Object.entries(measures).map(([name, v]) =>
    v === null
      ? valueItem(name, 'failed', 'A warning above says why')
      : valueItem(name, measureText(v, units[name] ?? ''), String(v)),
  );

/**
 * Returns the table of a result with .step runs: the measures of each run, or the voltages and
 * currents if each run has one point. Returns null for other results.
 */
function stepSection(result, units) {
  const further = furtherSteps(result);
  const vectors = Object.values(result.vectors ?? {}); // the notebook stores no curves
  const isPoint = vectors.length > 0 && vectors.every((v) => v.length === 1);
  if (further.length === 0 || !(result.measures || isPoint)) return null;
  const runs = [result, ...further];
  const valuesOf = (run) =>
    run.measures ?? Object.fromEntries(Object.entries(run.vectors).map(([n, v]) => [n, v[0]]));
  const names = Object.keys(valuesOf(result));
  const unitOf = (n) => (result.measures ? (units[n] ?? '') : vectorUnit(n));
  const column = (name) => ({
    name,
    label: name,
    kind: 'quantity',
    titleOf: (i) => String(runs[i].step?.[name] ?? valuesOf(runs[i])[name]),
  });
  const texts = (values, format) =>
    Object.fromEntries(
      Object.entries(values).map(([n, v]) => [n, v === null ? 'failed' : format(v, n)]),
    );
  return section(
    'By step',
    drawTable(
      [...Object.keys(result.step ?? {}), ...names].map(column),
      runs.map((run) => ({
        ...texts(valuesOf(run), (v, n) => measureText(v, unitOf(n))),
        ...texts(run.step, spiceText),
      })),
    ),
  );
}

/** Returns the values of an operating point, or of AC at one frequency; null for curves. */
function pointSection(result) {
  const names = Object.keys(result.vectors ?? {}); // the notebook stores no curves
  if (names.length === 0 || names.some((n) => result.vectors[n].length !== 1)) return null;
  const rank = (n) => (n.startsWith('v(') ? 0 : 1);
  names.sort((a, b) => rank(a) - rank(b) || a.localeCompare(b, 'en', { numeric: true }));
  return section(
    'Voltages and currents',
    names.map((n) => {
      const v = result.vectors[n][0];
      return valueItem(n, formatQuantity(v, vectorUnit(n)), String(v));
    }),
  );
}

const deviceTitles = {
  r: 'Resistors',
  l: 'Inductors',
  c: 'Capacitors',
  v: 'Voltage sources',
  i: 'Current sources',
  d: 'Diodes',
  q: 'Bipolar transistors',
  j: 'JFETs',
  z: 'MESFETs',
  m: 'MOSFETs',
  b: 'Behavioural sources',
  e: 'Controlled voltages',
  g: 'Controlled currents',
  s: 'Switches',
  w: 'Current-controlled switches',
  t: 'Transmission lines',
  o: 'Lossy transmission lines',
  u: 'RC lines',
  a: 'A devices',
  x: 'Subcircuits',
};
const openKinds = ['q', 'j', 'z', 'm', 'd', 'x']; // unfolded, and before the others

/** Returns the operating points of the devices, a folded table per kind. */
function devices(points) {
  const groups = groupByKind(points);
  const rank = (kind) => (openKinds.includes(kind) ? 0 : 1);
  const order = [...groups.keys()].sort((a, b) => rank(a) - rank(b));
  return order.map((kind) => {
    const list = groups.get(kind);
    return h(
      'details',
      { class: 'devices', open: openKinds.includes(kind) },
      h('summary', {}, `${deviceTitles[kind] ?? kind.toUpperCase()} (${list.length})`),
      scrollBox(deviceTitles[kind] ?? kind, deviceTable(list)),
    );
  });
}

function deviceTable(points) {
  const names = [...new Set(points.flatMap((p) => Object.keys(p.quantities)))];
  const hasRegion = points.some((p) => p.region);
  const head = h(
    'tr',
    {},
    h('th', { scope: 'col' }, 'Device'),
    hasRegion && h('th', { scope: 'col' }, 'Region'),
    names.map((n) => h('th', { scope: 'col', class: 'n' }, n.replace(/_w$/, ''))),
  );
  const rows = points.map((p) =>
    h(
      'tr',
      {},
      h('th', { scope: 'row' }, p.device),
      hasRegion && h('td', {}, p.region),
      names.map((n) => {
        const v = p.quantities[n];
        const text = v === undefined ? '–' : formatQuantity(v, deviceUnit(n));
        return h('td', { class: 'n', title: String(v ?? '') }, text);
      }),
    ),
  );
  return h('table', {}, h('thead', {}, head), h('tbody', {}, rows));
}

/** Groups points by their kind. Map.groupBy is missing in older browsers. */
function groupByKind(points) {
  const groups = new Map();
  for (const p of points) groups.set(p.kind, [...(groups.get(p.kind) ?? []), p]);
  return groups;
}

const count = (n, noun) => `${n.toLocaleString('en')} ${noun}${n === 1 ? '' : 's'}`;

/** Returns the size of the circuit and the work of the solver as a sentence. */
function solverStatistics(result) {
  const s = result.statistics;
  const size = [count(result.component_count, 'component'), count(result.nodes.length, 'node')];
  if (result.runtime_ms !== undefined)
    size.push(formatQuantity(Number(result.runtime_ms.toPrecision(3)), 'ms'));
  const parts = [size.join(', '), count(s.newton_iterations, 'Newton iteration')];
  if (s.time_steps) {
    const rejected = s.rejected_steps
      ? `, ${s.rejected_steps.toLocaleString('en')} more repeated smaller`
      : '';
    parts.push(count(s.time_steps, 'time step') + rejected);
  }
  if (s.convergence_aid && s.convergence_aid !== 'none')
    parts.push(`the operating point needed ${s.convergence_aid}`);
  if (s.error_estimate_pct !== null && s.error_estimate_pct !== undefined)
    parts.push(
      `estimated error ${formatQuantity(Number(s.error_estimate_pct.toPrecision(2)), '%')} of peak-to-peak`,
    );
  return `${parts.join('; ')}.`;
}
