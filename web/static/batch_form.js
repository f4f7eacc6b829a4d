// The form of the batch panel: kind, varied fields, results, and buttons.
import {
  completeState,
  defaultVariation,
  fieldsFor,
  isSearch,
  maxCollected,
  modes,
  pointsOf,
  spreads,
} from './batch_request.js';
import { h, smallButton } from './dom.js';
import { unitText } from './quantity.js';

/**
 * @typedef {object} Panel
 * @property {HTMLFormElement} form
 * @property {import('./batch_request.js').BatchSource} source
 * @property {import('./batch_request.js').BatchState} state
 * @property {() => void} onChange called after a change of the state
 * @property {{check: Function, copyLink: Function, copyRequest: Function}} actions
 */

const labelled = (text, control, className) => h('label', { class: className }, text, control);

/** Returns a text field for a property of the state or of a part of it. */
function textField(panel, object, key, { label, unit, value = object[key] }) {
  return h('input', {
    value: value ?? '',
    placeholder: unit,
    autocomplete: 'off',
    autocapitalize: 'off',
    spellcheck: 'false',
    'aria-label': label,
    oninput: (e) => {
      object[key] = e.target.value;
      panel.onChange();
    },
  });
}

/** Returns a choice of [value, text] options. */
function selectField(panel, options, value, label, onChoose) {
  const select = h(
    'select',
    {
      'aria-label': label,
      onchange: (e) => {
        onChoose(e.target.value);
        panel.onChange();
      },
    },
    options.map(([v, text]) => h('option', { value: v }, text)),
  );
  select.value = value;
  return select;
}

/** Changes the state and draws the form again. */
function edit(panel, apply) {
  apply();
  drawForm(panel);
  panel.onChange();
}

/** Returns the button that removes an entry, none for the only entry. */
const removeButton = (panel, list, i, name) =>
  list.length > 1 &&
  h(
    'button',
    {
      type: 'button',
      class: 'drop',
      'aria-label': `Remove ${name}`,
      onclick: () => edit(panel, () => list.splice(i, 1)),
    },
    '×',
  );

/** Returns the controls for the distribution of a varied field. */
function spreadControls(panel, v, f) {
  const options = Object.entries(spreads).map(([key, spread]) => [key, spread.label]);
  const choose = (value) => {
    v.spread = value;
    drawForm(panel);
  };
  const select = selectField(panel, options, v.spread, `Spread of ${f.label}`, choose);
  return [
    labelled('Spread', select),
    ...spreads[v.spread].parameters.map(({ key, label }) =>
      labelled(label, textField(panel, v, key, { label: `${label} of ${f.label}` })),
    ),
  ];
}

/** Returns the controls for the range of a varied field. */
function rangeControls(panel, v, f) {
  const { source, state } = panel;
  const controls = [
    labelled('From', textField(panel, v, 'from', { label: `From, ${f.label}` })),
    labelled('To', textField(panel, v, 'to', { label: `To, ${f.label}` })),
  ];
  if (state.mode !== 'sweep') return controls;
  if (!f.whole) {
    const value = pointsOf(source, state, v);
    const points = textField(panel, v, 'points', { label: `Points, ${f.label}`, value });
    controls.push(labelled('Points', points, 'short'));
  }
  const options = [
    ['lin', 'linear'],
    ['log', 'logarithmic'],
  ];
  const spacing = selectField(panel, options, v.scale, `Spacing of ${f.label}`, (value) => {
    v.scale = value;
  });
  return [...controls, labelled('Spacing', spacing)];
}

function variationControls(panel, v, f) {
  if (f.options) return h('span', { class: 'absent' }, f.options.map(String).join(', '));
  return panel.state.mode === 'random' ? spreadControls(panel, v, f) : rangeControls(panel, v, f);
}

function variationRow(panel, v, i, fields) {
  const { vary } = panel.state;
  const f = fields.find((x) => x.field === v.field);
  const available = fields.filter(
    (x) => x.field === v.field || !vary.some((o) => o.field === x.field),
  );
  const choose = (value) => {
    vary[i] = defaultVariation(fields.find((x) => x.field === value));
    drawForm(panel);
  };
  const options = available.map((x) => [x.field, x.label]);
  return h(
    'div',
    { class: 'batch-row' },
    labelled('Vary', selectField(panel, options, v.field, 'Varied field', choose), 'wide'),
    variationControls(panel, v, f),
    removeButton(panel, vary, i, f.label),
  );
}

/** Returns the controls for the target or the limits of a result. */
function limitControls(panel, entry, result) {
  const { state } = panel;
  const unit = unitText(result.unit);
  const field = (object, key, label) => textField(panel, object, key, { label, unit });
  if (state.mode === 'sweep') return [];
  if (state.mode === 'solve')
    return [labelled('Target', field(state, 'target', `Target of ${result.label}`))];
  return [
    labelled('At least', field(entry, 'min', `Least ${result.label}`)),
    labelled('At most', field(entry, 'max', `Largest ${result.label}`)),
  ];
}

function resultRow(panel, entry, i, results) {
  const { collect, mode } = panel.state;
  const result = results.find((x) => x.name === entry.name);
  const available = results.filter(
    (r) => r.name === entry.name || !collect.some((c) => c.name === r.name),
  );
  const choose = (name) => {
    collect[i] = { ...entry, name, min: '', max: '' };
    drawForm(panel);
  };
  const options = available.map((x) => [x.name, x.label]);
  const isObjective = i === 0 && isSearch(mode);
  return h(
    'div',
    { class: 'batch-row' },
    labelled(
      isObjective ? modes[mode].label : 'Result',
      selectField(panel, options, entry.name, 'Result', choose),
      'wide',
    ),
    limitControls(panel, entry, result),
    removeButton(panel, collect, i, result.label),
  );
}

const modeButtons = (panel) =>
  h(
    'div',
    { class: 'picker', role: 'group', 'aria-label': 'Kind of batch' },
    Object.entries(modes).map(([mode, { label }]) =>
      smallButton(
        label,
        () =>
          edit(panel, () => {
            panel.state.mode = mode;
          }),
        { 'aria-pressed': String(mode === panel.state.mode) },
      ),
    ),
  );

/** Returns the button that varies another field, if there is one. */
function addFieldButton(panel, fields) {
  const { vary, mode } = panel.state;
  if (vary.length >= Math.min(modes[mode].maxVaried, fields.length)) return undefined;
  const add = () =>
    vary.push(defaultVariation(fields.find((f) => !vary.some((v) => v.field === f.field))));
  return h(
    'p',
    { class: 'picker' },
    smallButton('Vary another', () => edit(panel, add)),
  );
}

/** Returns the button that collects another result, if there is one. */
function addResultButton(panel, results) {
  const { collect, mode } = panel.state;
  if (mode === 'solve' || collect.length >= Math.min(maxCollected, results.length))
    return undefined;
  const add = () => {
    const { name } = results.find((r) => !collect.some((c) => c.name === r.name));
    collect.push({ name, min: '', max: '' });
  };
  return h(
    'p',
    { class: 'picker' },
    smallButton('Another result', () => edit(panel, add)),
  );
}

function actionRow(panel, isEmpty) {
  const { state, actions } = panel;
  const { mode } = state;
  const field = (key, label) => labelled(label, textField(panel, state, key, { label }), 'short');
  return h(
    'div',
    { class: 'batch-row' },
    mode !== 'sweep' && mode !== 'solve' && field('n', 'Runs'),
    mode === 'random' && field('seed', 'Seed'),
    h('button', { class: 'main', disabled: isEmpty }, 'Run batch'),
    smallButton('Check', () => actions.check(), { class: '' }),
    smallButton('Copy link', (e) => actions.copyLink(e.currentTarget), { class: '' }),
    smallButton('Copy request', (e) => actions.copyRequest(e.currentTarget), { class: '' }),
  );
}

/** Draws the form with a function, and focuses the control that had the focus. */
function keepFocus(form, draw) {
  const nameOf = (e) => e.getAttribute('aria-label') ?? e.textContent;
  const focused = form.contains(document.activeElement) ? document.activeElement : undefined;
  const name = focused && nameOf(focused);
  const sameName = () =>
    [...form.querySelectorAll('button, input, select')].filter((e) => nameOf(e) === name);
  const position = sameName().indexOf(focused);
  draw();
  if (focused) (sameName()[position] ?? form.querySelector('.batch-row select'))?.focus();
}

/**
 * Draws the form for the state of the panel, which it completes.
 * @param {Panel} panel
 */
export function drawForm(panel) {
  const { form, source, state } = panel;
  completeState(source, state);
  const fields = fieldsFor(source, state.mode);
  const results = source.results();
  const isEmpty = fields.length === 0;
  const collect = state.collect.slice(0, state.mode === 'solve' ? 1 : maxCollected);
  const parts = [
    modeButtons(panel),
    h('p', { class: 'absent' }, modes[state.mode].hint),
    isEmpty && h('p', { class: 'absent' }, 'This input has no number to vary in this mode.'),
    ...state.vary.map((v, i) => variationRow(panel, v, i, fields)),
    addFieldButton(panel, fields),
    ...collect.map((c, i) => resultRow(panel, c, i, results)),
    addResultButton(panel, results),
    actionRow(panel, isEmpty),
  ];
  keepFocus(form, () => form.replaceChildren(...parts.filter(Boolean)));
}
