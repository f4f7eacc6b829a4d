// What a batch of a simulation may vary and collect, and the curves of its runs in one plot.
import { el } from './dom.js';
import { onOneAxis } from './joined.js';
import { plot } from './plot.js';
import { show, unitText } from './quantity.js';
import { requestJson, ApiError } from './run.js';
import { spiceNumber } from './spice_netlist.js';

const units = { r: 'Ω', c: 'F', l: 'H', v: 'V', i: 'A' };

/** The element values and parameters of a netlist. */
export function variedElements(netlist, text) {
  const list = [];
  for (const m of text.matchAll(/^\s*\.param\s+(.*)$/gim)) {
    for (const [, name, value] of m[1].matchAll(/([a-z_]\w*)\s*=\s*(\S+)/gi))
      if (Number.isFinite(spiceNumber(value)))
        list.push({
          field: `param:${name}`,
          label: `.param ${name}`,
          unit: '*',
          value: spiceNumber(value),
          given: true,
        });
  }
  for (const e of netlist.elements) {
    const unit = units[e.letter];
    const value = spiceNumber(e.value);
    if (unit && Number.isFinite(value))
      list.push({
        field: `element:${e.name.toUpperCase()}`,
        label: e.name.toUpperCase(),
        unit,
        value,
        given: true,
      });
  }
  return list;
}

const reductions = {
  max: 'maximum',
  min: 'minimum',
  pp: 'peak to peak',
  rms: 'RMS',
  last: 'last value',
};

/** The measurements of a netlist and the reductions of its node voltages in an analysis. */
export function collectedVectors(netlist, text, analysis) {
  const measures = [...text.matchAll(/^\s*\.meas(?:ure)?\s+\w+\s+(\w+)/gim)].map(([, name]) => ({
    name,
    label: name,
    unit: '',
    collect: { name, measure: name },
  }));
  const single = analysis === 'op';
  const nodes = [...netlist.nodes].filter((n) => n !== '0' && n !== 'gnd');
  nodes.sort((a, b) => Number(b === 'out') - Number(a === 'out'));
  const suffix = analysis === 'ac' ? '_mag' : '';
  const vectors = nodes.slice(0, 20).flatMap((n) =>
    Object.entries(single ? { last: 'value' } : reductions).map(([reduce, word]) => {
      const name = `v(${n})${single ? '' : ` ${reduce}`}`;
      return {
        name,
        label: `v(${n})${suffix && ' magnitude'}${single ? '' : `, ${word}`}`,
        unit: 'V',
        collect: { name, vector: `v(${n})${suffix}`, reduce },
      };
    }),
  );
  return [...measures, ...vectors];
}

const mostCurves = 16;

/** Offers the curves of some runs of a batch in one plot; { destroy }. */
export function overlay(element, d) {
  const runs = d.columns.index.filter((unused, i) => d.columns.error[i] === null);
  const chosen = [
    ...new Set(
      Array.from(
        { length: Math.min(mostCurves, runs.length) },
        (unused, k) =>
          runs[
            Math.round((k * (runs.length - 1)) / Math.max(1, Math.min(mostCurves, runs.length) - 1))
          ],
      ),
    ),
  ];
  const box = el('div', {});
  let made;
  const note = el('p', { class: 'mistake', role: 'status' });
  const button = el(
    'button',
    {
      type: 'button',
      class: 'small',
      onclick: async () => {
        button.disabled = true;
        const list = [];
        try {
          for (const i of chosen) {
            note.textContent = '';
            button.textContent = `Curve ${list.length + 1} of ${chosen.length}`;
            const { status, data } = await requestJson(
              'GET',
              `/ui/batches/${d.batch.id}/runs/${i}`,
            );
            if (status !== 200) throw new ApiError({ title: 'A run takes too long for its curve' });
            list.push({ label: labelOf(i, d), vectors: data.result.vectors });
          }
          button.remove();
          draw(list);
        } catch (error) {
          if (!(error instanceof ApiError)) throw error;
          note.textContent = `${error.message}. ${error.advice}`;
          button.disabled = false;
          button.textContent = 'Try again';
        }
      },
    },
    `Overlay the curves of ${chosen.length} runs`,
  );
  const draw = (list) => {
    const axis = ['time', 'frequency', 'sweep'].find((n) => n in list[0].vectors);
    if (!axis || list[0].vectors[axis].length < 2) {
      note.textContent = 'These runs have no curves: the analysis is an operating point.';
      return;
    }
    const names = Object.keys(list[0].vectors).filter(
      (n) =>
        n !== axis && n !== 'sweep2' && list[0].vectors[n].length === list[0].vectors[axis].length,
    );
    const select = el(
      'select',
      { 'aria-label': 'Curve' },
      names.map((n) => el('option', { value: n }, n)),
    );
    select.value = names.find((n) => /^v\(out\)/.test(n)) ?? names[0];
    const picture = el('div', {});
    const again = () => {
      made?.destroy();
      const n = select.value;
      const { x, lists } = onOneAxis(
        list.map((r) => ({
          x: r.vectors[axis],
          values: r.vectors[n] ?? r.vectors[axis].map(() => null),
        })),
        axis === 'frequency',
      );
      const unit = n.endsWith('_deg') ? '°' : n.startsWith('i(') ? 'A' : 'V';
      made = plot(picture, {
        title: `${n} of ${list.length} runs`,
        name: `overlay_${n}`,
        x: {
          label: { time: 'Time', frequency: 'Frequency' }[axis] ?? 'Sweep',
          unit: { time: 's', frequency: 'Hz' }[axis],
          log: axis === 'frequency',
          values: x,
        },
        legend: d.mode === 'sweep',
        series: list.map((r, k) => ({
          label: r.label,
          unit,
          values: lists[k],
          points: false,
          dash: d.mode === 'sweep' ? undefined : [],
          ink: d.mode === 'sweep' ? k : 0,
        })),
      });
    };
    select.addEventListener('change', again);
    box.replaceChildren(el('p', { class: 'picker' }, el('label', {}, 'Curve ', select)), picture);
    again();
  };
  element.append(el('p', { class: 'picker' }, button), note, box);
  return {
    destroy() {
      made?.destroy();
    },
  };
}

const labelOf = (i, d) =>
  d.mode === 'sweep'
    ? d.fields
        .map((f) => {
          const v = d.columns[f.field][d.columns.index.indexOf(i)];
          return `${f.label} ${typeof v === 'number' ? show(Number(v.toPrecision(4)), unitText(f.unit)) : v}`;
        })
        .join(', ')
    : `Run ${i}`;
