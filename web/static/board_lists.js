// The data of a board beside its picture: figures, nets, rule check, missing connections.
import { el } from './dom.js';
import { pinPlace } from './board_shapes.js';

const mm = (v, digits = 2) => (v === null || v === undefined ? '–' : `${v.toFixed(digits)} mm`);
const many = (n, word) => `${n} ${word}${n === 1 ? '' : 's'}`;
const least = (list) => (list.length ? Math.min(...list) : undefined);

/** The figures of a board, beside those of another run where they differ; isOld: the other is the newer one. */
export function drawFigures(result, other, isOld) {
  const { statistics: s, board, drc } = result;
  const apart = (read) =>
    other && read(other) !== read(result)
      ? el('span', { class: 'was' }, `${isOld ? 'after' : 'before'} ${read(other)}`)
      : '';
  const figures = [
    [
      'Routed',
      `${s.completion_pct.toFixed(s.completion_pct < 100 ? 1 : 0)} %`,
      `${s.connections_routed} of ${s.connections_total}`,
      s.completion_pct === 100 ? 'fine' : 'wrong',
    ],
    [
      'Rules',
      drc.passed ? 'pass' : many(drc.error_count, 'error'),
      drc.warning_count ? many(drc.warning_count, 'warning') : `${drc.rules_checked.length} rules`,
      drc.passed ? 'fine' : 'wrong',
    ],
    ['Size', `${board.width_mm} × ${board.height_mm}`, 'mm'],
    ['Parts', s.component_count, `${s.utilization_pct.toFixed(0)} % of the area`],
    ['Track', mm(s.wirelength_mm, 1), many(s.track_count, 'segment')],
    ['Vias', s.via_count, `of ${mm(result.rules.via_diameter_mm)}`],
    ['Min. track width', mm(least(result.tracks.map((t) => t.width_mm)))],
    ['Min. clearance', mm(s.min_clearance_mm, 3)],
    ['Min. annular ring', mm(least(result.vias.map((v) => (v.diameter_mm - v.drill_mm) / 2)), 3)],
    s.runtime_ms !== undefined && [
      'Time',
      `${(s.runtime_ms / 1000).toFixed(1)} s`,
      s.time_limited ? 'stopped early' : `${s.passes} ${s.passes === 1 ? 'pass' : 'passes'}`,
    ],
  ];
  const compared = {
    Routed: (r) => `${r.statistics.completion_pct.toFixed(1)} %`,
    Rules: (r) => (r.drc.passed ? 'pass' : many(r.drc.error_count, 'error')),
    Size: (r) => `${r.board.width_mm} × ${r.board.height_mm} mm`,
    Track: (r) => mm(r.statistics.wirelength_mm, 1),
    Vias: (r) => String(r.statistics.via_count),
  };
  return el(
    'dl',
    { class: 'board-figures' },
    figures
      .filter(Boolean)
      .map(([name, value, note, state]) =>
        el(
          'div',
          { class: state },
          el('dt', {}, name),
          el(
            'dd',
            {},
            el('b', {}, String(value)),
            note && [' ', el('span', {}, String(note))],
            compared[name] && [' ', apart(compared[name])],
          ),
        ),
      ),
  );
}

const scroll = (label, content) =>
  el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': label }, content);

/** The nets: a button each that lights it. */
export function drawNets(result, light) {
  const rows = result.nets.map((n) => {
    const button = el(
      'button',
      { type: 'button', class: 'link', 'aria-pressed': 'false', onclick: () => light(n.name) },
      n.name,
    );
    return {
      net: n.name,
      button,
      row: el(
        'tr',
        { class: n.routed ? '' : 'open' },
        el('td', {}, button),
        el('td', {}, n.class),
        el('td', { class: 'n' }, n.pin_count),
        el('td', { class: 'n' }, n.length_mm.toFixed(1)),
        el('td', { class: 'n' }, n.via_count),
        el('td', {}, n.pin_count < 2 ? 'one pin' : n.routed ? 'routed' : 'open'),
      ),
    };
  });
  const head = [['Net'], ['Class'], ['Pins', 'n'], ['Length [mm]', 'n'], ['Vias', 'n'], ['State']];
  return {
    element: el(
      'section',
      { class: 'group' },
      el('h2', {}, 'Nets ', el('span', { class: 'count' }, rows.length)),
      scroll(
        'Nets',
        el(
          'table',
          { class: 'board-nets' },
          el(
            'thead',
            {},
            el(
              'tr',
              {},
              head.map(([t, c]) => el('th', { scope: 'col', class: c }, t)),
            ),
          ),
          el(
            'tbody',
            {},
            rows.map((r) => r.row),
          ),
        ),
      ),
    ),
    show(lit, pinned) {
      for (const r of rows) {
        r.row.classList.toggle('lit', r.net === lit);
        r.button.setAttribute('aria-pressed', String(r.net === pinned));
      }
    },
  };
}

/** The rule check and the missing joins. goTo shows a violation, between what joins two pins. */
export function drawChecks(result, goTo, between) {
  const { violations, rules_checked: checked } = result.drc;
  let at = -1;
  const items = violations.map((v, i) =>
    el(
      'li',
      { class: v.severity, 'data-violation': i },
      el('b', {}, v.rule.replaceAll('_', ' ')),
      ' ',
      v.message,
      v.required_mm > 0 &&
        !v.message.includes('limit') &&
        el(
          'span',
          { class: 'limit' },
          ` limit ${mm(v.required_mm, 3)}, actual ${mm(v.actual_mm, 3)}`,
        ),
      ' ',
      el(
        'button',
        {
          type: 'button',
          class: 'small',
          'aria-label': `Go there: ${v.rule.replaceAll('_', ' ')} ${i + 1}`,
          onclick: () => choose(i),
        },
        'Go there',
      ),
    ),
  );
  const open = result.unrouted.map((u) => {
    const [a, b] = [pinPlace(result, u.from), pinPlace(result, u.to)];
    return el(
      'li',
      { class: 'error' },
      el('b', {}, u.net),
      ` ${u.from} to ${u.to}, ${mm(u.distance_mm, 1)}: ${u.reason} `,
      a &&
        b &&
        el('button', { type: 'button', class: 'small', onclick: () => between(a, b) }, 'Go there'),
    );
  });
  function choose(i) {
    at = i;
    items.forEach((item, n) => item.classList.toggle('lit', n === i));
    goTo(i);
    return `${i + 1} of ${violations.length}: ${violations[i].rule.replaceAll('_', ' ')}, ${violations[i].message}`;
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
    violations.length > 0 && scroll('Rule violations', el('ul', { class: 'violations' }, items)),
    el(
      'p',
      { class: 'absent' },
      `Checked on the finished copper: ${checked.map((r) => r.replaceAll('_', ' ')).join(', ')}.`,
    ),
    open.length > 0 && [
      el('h2', {}, 'Not routed ', el('span', { class: 'count' }, open.length)),
      scroll('Not routed', el('ul', { class: 'violations' }, open)),
    ],
  );
  return {
    element,
    choose,
    step: () => (violations.length ? choose((at + 1) % violations.length) : 'No rule is broken'),
  };
}
