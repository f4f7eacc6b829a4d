// The data of a board beside its picture: figures, nets, rule check, missing connections.
import { h, scrollBox, smallButton } from './dom.js';
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
    return [' ', h('span', { class: 'was' }, `${when} ${read(other)}`)];
  };
  return h(
    'dl',
    { class: 'board-figures' },
    figuresOf(result).map(({ name, value, note, state }) =>
      h(
        'div',
        { class: state },
        h('dt', {}, name),
        h(
          'dd',
          {},
          h('b', {}, String(value)),
          note && [' ', h('span', {}, String(note))],
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
    const button = h(
      'button',
      { type: 'button', class: 'link', 'aria-pressed': 'false', onclick: () => onChoose(net.name) },
      net.name,
    );
    const row = h(
      'tr',
      { class: net.routed ? '' : 'open' },
      h('td', {}, button),
      h('td', {}, net.class),
      h('td', { class: 'n' }, net.pin_count),
      h('td', { class: 'n' }, net.length_mm.toFixed(1)),
      h('td', { class: 'n' }, net.via_count),
      h('td', {}, netState(net)),
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
  const head = columns.map(([text, c]) => h('th', { scope: 'col', class: c }, text));
  const table = h(
    'table',
    { class: 'board-nets' },
    h('thead', {}, h('tr', {}, head)),
    h(
      'tbody',
      {},
      rows.map((r) => r.row),
    ),
  );
  return {
    element: h(
      'section',
      { class: 'group' },
      h('h2', {}, 'Nets ', h('span', { class: 'count' }, rows.length)),
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
  return h(
    'li',
    { class: violation.severity, 'data-violation': i },
    h('b', {}, name),
    ' ',
    violation.message,
    hasLimit &&
      h('span', { class: 'limit' }, ` limit ${formatMm(limit, 3)}, actual ${formatMm(actual, 3)}`),
    ' ',
    smallButton('Go there', onGoTo, { 'aria-label': `Go there: ${name} ${i + 1}` }),
  );
}

function drawUnrouted(result, connection, onGoTo) {
  const { net, from, to, distance_mm, reason } = connection;
  const [a, b] = [padOfPin(result, from), padOfPin(result, to)];
  return h(
    'li',
    { class: 'error' },
    h('b', {}, net),
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
  const element = h(
    'section',
    { class: 'group board-checks' },
    h('h2', {}, 'Design rules ', h('span', { class: 'count' }, violations.length || 'none broken')),
    violations.length > 0 && scrollBox('Rule violations', h('ul', { class: 'violations' }, items)),
    h(
      'p',
      { class: 'absent' },
      `Checked on the finished copper: ${checked.map(ruleName).join(', ')}.`,
    ),
    unrouted.length > 0 && [
      h('h2', {}, 'Not routed ', h('span', { class: 'count' }, unrouted.length)),
      scrollBox('Not routed', h('ul', { class: 'violations' }, unrouted)),
    ],
  );
  return {
    element,
    choose,
    next: () =>
      violations.length ? choose((chosen + 1) % violations.length) : 'No rule is broken',
  };
}
