// Any numeric field over a range, with one result drawn against it.
import { readQuantity, show, withPicked, withUnit } from './quantity.js';
import { sweep } from './run.js';

const points = 61;

/** Fills box with the controls of a sweep; current() gives the request as JSON text, or undefined. */
export function sweepControls(box, tool, current) {
  const inputs = tool.input.filter((f) => f.kind === 'quantity' && !f.alias);
  const outputs = tool.output.filter((f) => f.kind === 'quantity');
  if (!inputs.length || !outputs.length || tool.heavy) return { refresh() {} };
  const part = (label, control) => {
    const l = document.createElement('label');
    l.append(label, control);
    return l;
  };
  const select = (list, name) => {
    const s = document.createElement('select');
    s.setAttribute('aria-label', name);
    for (const [value, text] of list) s.add(new Option(text, value));
    return s;
  };
  const text = (name) => {
    const i = document.createElement('input');
    i.autocomplete = 'off';
    i.spellcheck = false;
    i.setAttribute('aria-label', name);
    return i;
  };
  const over = select([['', 'no sweep'], ...inputs.map((f) => [f.name, f.label])], 'Sweep over');
  const from = text('From');
  const to = text('To');
  const spacing = select([['lin', 'even'], ['log', 'logarithmic']], 'Spacing');
  const out = select(outputs.map((f) => [f.name, f.label]), 'Result to plot');
  const line = document.createElement('div');
  line.className = 'line';
  const range = document.createElement('div');
  range.className = 'line';
  range.append(part('from', from), part('to', to), part('spacing', spacing), part('plot', out));
  range.hidden = true;
  line.append(part('Sweep', over), range);
  const message = document.createElement('p');
  message.className = 'mistake';
  message.setAttribute('role', 'status');
  const picture = document.createElement('div');
  box.replaceChildren(line, message, picture);
  box.hidden = false;

  let made;
  let pending;
  const choose = () => {
    range.hidden = over.value === '';
    const request = current();
    const chosen = inputs.find((f) => f.name === over.value);
    if (!chosen || !request) return;
    const field = withPicked(chosen, JSON.parse(request));
    const now = JSON.parse(request)[field.name] ?? Number(field.default ?? field.example ?? 1);
    const around = Number.isFinite(now) && now !== 0 ? now : 1;
    from.value = field.whole ? String(Math.max(1, Math.round(around / 2))) : show(around / 2, field.unit ?? '').replaceAll('\u202f', '');
    to.value = field.whole ? String(Math.max(2, Math.round(around * 2))) : show(around * 2, field.unit ?? '').replaceAll('\u202f', '');
    if (around < 0) [from.value, to.value] = [to.value, from.value];
  };
  const refresh = async () => {
    const request = current();
    const input = inputs.find((f) => f.name === over.value);
    const field = input && request ? withPicked(input, JSON.parse(request)) : undefined;
    message.textContent = '';
    if (!field || !request) {
      made?.destroy();
      made = undefined;
      return;
    }
    const [a, b] = [readQuantity(from.value, field.unit ?? ''), readQuantity(to.value, field.unit ?? '')];
    const wrong = a.error ? `From ${a.error}` : b.error ? `To ${b.error}` : a.value === b.value ? 'From and to are equal'
      : spacing.value === 'log' && !(a.value > 0 && b.value > 0) ? 'A logarithmic sweep needs positive ends' : '';
    if (wrong) {
      message.textContent = wrong;
      return;
    }
    pending?.abort();
    pending = new AbortController();
    try {
      const [low, high] = [Math.min(a.value, b.value), Math.max(a.value, b.value)];
      let values = spaced(low, high, spacing.value === 'log');
      if (field.whole) values = [...new Set(values.map(Math.round))];
      const [list, { cursorPlots }] = await Promise.all([sweep(tool.name, request, field.name, values, pending.signal), import('./cursor_plots.js')]);
      const chosen = outputs.find((f) => f.name === out.value);
      const target = withUnit(chosen, list.find((p) => p.result)?.result ?? {});
      const y = list.map((p) => (typeof p.result?.[target.name] === 'number' ? p.result[target.name] : null));
      made?.destroy();
      made = undefined;
      if (y.every((v) => v === null)) {
        message.textContent = list.find((p) => p.error)?.error ?? `${target.label} is not computed from these inputs; choose another result`;
        return;
      }
      made = cursorPlots(picture, [{
        title: `${target.label} over ${field.label}`, name: `${tool.name}_${target.name}_over_${field.name}`,
        x: { label: field.label, unit: field.unit, whole: field.whole, log: spacing.value === 'log', values: values.slice(0, list.length) },
        series: [{ label: target.label, unit: target.unit, values: y, points: field.whole }],
      }]);
      const failed = list.filter((p) => p.error).length;
      if (list.length < values.length) message.textContent = `Only ${list.length} of ${values.length} points were computed in time`;
      else if (failed) message.textContent = `${failed} of ${list.length} points have no result: ${list.find((p) => p.error).error}`;
    } catch (error) {
      if (error.name !== 'AbortError') message.textContent = `${error.message}. ${error.advice ?? ''}`;
    }
  };
  over.addEventListener('change', () => { choose(); refresh(); });
  for (const c of [from, to, spacing, out]) c.addEventListener('change', refresh);
  return { refresh };
}

function spaced(low, high, logarithmic) {
  return Array.from({ length: points }, (_, i) => {
    const t = i / (points - 1);
    return logarithmic ? low * (high / low) ** t : low + (high - low) * t;
  });
}
