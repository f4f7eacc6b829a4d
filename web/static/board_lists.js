// The data of a board beside its picture: figures, nets, rule check, missing connections.
import { el, scrollBox, smallButton } from './dom.js';
import { padOfPin } from './board_shapes.js';

const formatMm = (v, digits = 2) =>
  v === null || v === undefined ? '–' : `${v.toFixed(digits)} mm`;
const counted = (n, noun) => `${n} ${noun}${n === 1 ? '' : 's'}`;
const minOf = (list) => (list.length ? Math.min(...list) : undefined);
const ruleName = (rule) => rule.replaceAll('_', ' ');

/** Returns the figures of a board: { name, value, note, state }. state is a class, or undefined. */
function figuresOf(result) {
  const { statistics: s, board, drc, rules } = result;
  const isComplete = s.completion_pct === 100;
  const figures = [
    {
      name: 'Routed',
      value: `${s.completion_pct.toFixed(s.completion_pct < 100 ? 1 : 0)} %`,
      note: `${s.connections_routed} of ${s.connections_total}`,
      state: isComplete ? 'fine' : 'wrong',
    },
    {
      name: 'Rules',
      value: drc.passed ? 'pass' : counted(drc.error_count, 'error'),
      note: drc.warning_count
        ? counted(drc.warning_count, 'warning')
        : `${drc.rules_checked.length} rules`,
      state: drc.passed ? 'fine' : 'wrong',
    },
    { name: 'Size', value: `${board.width_mm} × ${board.height_mm}`, note: 'mm' },
    {
      name: 'Parts',
      value: s.component_count,
      note: `${s.utilization_pct.toFixed(0)} % of the area`,
    },
    { name: 'Track', value: formatMm(s.wirelength_mm, 1), note: counted(s.track_count, 'segment') },
    { name: 'Vias', value: s.via_count, note: `of ${formatMm(rules.via_diameter_mm)}` },
    { name: 'Min. track width', value: formatMm(minOf(result.tracks.map((t) => t.width_mm))) },
    { name: 'Min. clearance', value: formatMm(s.min_clearance_mm, 3) },
    {
      name: 'Min. annular ring',
      value: formatMm(minOf(result.vias.map((v) => (v.diameter_mm - v.drill_mm) / 2)), 3),
    },
  ];
  if (s.runtime_ms !== undefined)
    figures.push({
      name: 'Time',
      value: `${(s.runtime_ms / 1000).toFixed(1)} s`,
      note: s.time_limited ? 'stopped early' : `${s.passes} ${s.passes === 1 ? 'pass' : 'passes'}`,
    });
  return figures;
}

/** The figures that are compared with those of another board, by name. */
const comparedFigures = {
  Routed: (r) => `${r.statistics.completion_pct.toFixed(1)} %`,
  Rules: (r) => (r.drc.passed ? 'pass' : counted(r.drc.error_count, 'error')),
  Size: (r) => `${r.board.width_mm} × ${r.board.height_mm} mm`,
  Track: (r) => formatMm(r.statistics.wirelength_mm, 1),
  Vias: (r) => String(r.statistics.via_count),
};

/**
 * Draws the figures of a board, and those of another board where they differ.
 * @param {object} result
 * @param {object} [other] result to compare with
 * @param {boolean} isOtherNewer
 */
export function drawFigures(result, other, isOtherNewer) {
  const differenceOf = (name) => {
    const read = comparedFigures[name];
    if (!other || !read || read(other) === read(result)) return '';
    const when = isOtherNewer ? 'after' : 'before';
    return [' ', el('span', { class: 'was' }, `${when} ${read(other)}`)];
  };
  return el(
    'dl',
    { class: 'board-figures' },
    figuresOf(result).map(({ name, value, note, state }) =>
      el(
        'div',
        { class: state },
        el('dt', {}, name),
        el(
          'dd',
          {},
          el('b', {}, String(value)),
          note && [' ', el('span', {}, String(note))],
          differenceOf(name),
        ),
      ),
    ),
  );
}

function netState(net) {
  if (net.pin_count < 2) return 'one pin';
  return net.routed ? 'routed' : 'open';
}

/**
 * Draws the list of nets, with a button per net.
 * @param {(net: string) => void} onChoose
 * @returns {{element: HTMLElement, show: (highlighted: string|null, pinned: string|null) => void}}
 */
export function drawNets(result, onChoose) {
  const rows = result.nets.map((net) => {
    const button = el(
      'button',
      { type: 'button', class: 'link', 'aria-pressed': 'false', onclick: () => onChoose(net.name) },
      net.name,
    );
    const row = el(
      'tr',
      { class: net.routed ? '' : 'open' },
      el('td', {}, button),
      el('td', {}, net.class),
      el('td', { class: 'n' }, net.pin_count),
      el('td', { class: 'n' }, net.length_mm.toFixed(1)),
      el('td', { class: 'n' }, net.via_count),
      el('td', {}, netState(net)),
    );
    return { net: net.name, button, row };
  });
  const columns = [
    ['Net'],
    ['Class'],
    ['Pins', 'n'],
    ['Length [mm]', 'n'],
    ['Vias', 'n'],
    ['State'],
  ];
  const head = columns.map(([text, c]) => el('th', { scope: 'col', class: c }, text));
  const table = el(
    'table',
    { class: 'board-nets' },
    el('thead', {}, el('tr', {}, head)),
    el(
      'tbody',
      {},
      rows.map((r) => r.row),
    ),
  );
  return {
    element: el(
      'section',
      { class: 'group' },
      el('h2', {}, 'Nets ', el('span', { class: 'count' }, rows.length)),
      scrollBox('Nets', table),
    ),
    show(highlighted, pinned) {
      for (const { net, button, row } of rows) {
        row.classList.toggle('lit', net === highlighted);
        button.setAttribute('aria-pressed', String(net === pinned));
      }
    },
  };
}

function drawViolation(violation, i, onGoTo) {
  const name = ruleName(violation.rule);
  const hasLimit = violation.required_mm > 0 && !violation.message.includes('limit');
  const [limit, actual] = [violation.required_mm, violation.actual_mm];
  return el(
    'li',
    { class: violation.severity, 'data-violation': i },
    el('b', {}, name),
    ' ',
    violation.message,
    hasLimit &&
      el('span', { class: 'limit' }, ` limit ${formatMm(limit, 3)}, actual ${formatMm(actual, 3)}`),
    ' ',
    smallButton('Go there', onGoTo, { 'aria-label': `Go there: ${name} ${i + 1}` }),
  );
}

function drawUnrouted(result, connection, onGoTo) {
  const { net, from, to, distance_mm, reason } = connection;
  const [a, b] = [padOfPin(result, from), padOfPin(result, to)];
  return el(
    'li',
    { class: 'error' },
    el('b', {}, net),
    ` ${from} to ${to}, ${formatMm(distance_mm, 1)}: ${reason} `,
    a && b && smallButton('Go there', () => onGoTo(a, b)),
  );
}

/**
 * Draws the rule check and the missing connections.
 * @param {(index: number) => void} goToViolation
 * @param {(from: object, to: object) => void} goToConnection takes two pads
 * @returns {{element: HTMLElement, choose: (i: number) => string, next: () => string}} choose and
 *   next select a violation and return its text
 */
export function drawChecks(result, goToViolation, goToConnection) {
  const { violations, rules_checked: checked } = result.drc;
  let chosen = -1;
  const items = violations.map((v, i) => drawViolation(v, i, () => choose(i)));
  const unrouted = result.unrouted.map((u) => drawUnrouted(result, u, goToConnection));
  function choose(i) {
    chosen = i;
    items.forEach((item, n) => item.classList.toggle('lit', n === i));
    goToViolation(i);
    const { rule, message } = violations[i];
    return `${i + 1} of ${violations.length}: ${ruleName(rule)}, ${message}`;
  }
  const element = el(
    'section',
    { class: 'group board-checks' },
    el(
      'h2',
      {},
      'Design rules ',
      el('span', { class: 'count' }, violations.length || 'none broken'),
    ),
    violations.length > 0 && scrollBox('Rule violations', el('ul', { class: 'violations' }, items)),
    el(
      'p',
      { class: 'absent' },
      `Checked on the finished copper: ${checked.map(ruleName).join(', ')}.`,
    ),
    unrouted.length > 0 && [
      el('h2', {}, 'Not routed ', el('span', { class: 'count' }, unrouted.length)),
      scrollBox('Not routed', el('ul', { class: 'violations' }, unrouted)),
    ],
  );
  return {
    element,
    choose,
    next: () =>
      violations.length ? choose((chosen + 1) % violations.length) : 'No rule is broken',
  };
}
