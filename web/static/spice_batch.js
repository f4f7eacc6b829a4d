// The batches of a simulation: the values that they vary, the results that they collect, and the
// curves of their runs in one plot.
import { alignCurves } from './align.js';
import { h, smallButton } from './dom.js';
import { plot } from './plot.js';
import { formatQuantity, unitText } from './quantity.js';
import { requestJson, ApiError } from './run.js';
import { spiceNumber } from './spice_netlist.js';

const units = { r: 'Ω', c: 'F', l: 'H', v: 'V', i: 'A' }; // by letter

/** Returns the parameters and the element values of a netlist as fields of a batch. */
export function variableFields(netlist, text) {
  const parameters = [...text.matchAll(/^\s*\.param\s+(.*)$/gim)].flatMap((card) =>
    [...card[1].matchAll(/([a-z_]\w*)\s*=\s*(\S+)/gi)].map(([, name, value]) => ({
      field: `param:${name}`,
      label: `.param ${name}`,
      unit: '*',
      value: spiceNumber(value),
      given: true,
    })),
  );
  const elements = netlist.elements
    .filter((e) => units[e.letter])
    .map((e) => ({
      field: `element:${e.name.toUpperCase()}`,
      label: e.name.toUpperCase(),
      unit: units[e.letter],
      value: spiceNumber(e.value),
      given: true,
    }));
  return [...parameters, ...elements].filter((f) => Number.isFinite(f.value));
}

const reductions = {
  max: 'maximum',
  min: 'minimum',
  pp: 'peak to peak',
  rms: 'RMS',
  last: 'last value',
};
const maxNodes = 20;

/** Returns the measures of a netlist, and the reductions of its node voltages in an analysis. */
export function collectableResults(netlist, text, analysis) {
  const measures = [...text.matchAll(/^\s*\.meas(?:ure)?\s+\w+\s+(\w+)/gim)].map(([, name]) => ({
    name,
    label: name,
    unit: '',
    collect: { name, measure: name },
  }));
  const isPoint = analysis === 'op';
  const nodes = [...netlist.nodes].filter((n) => n !== '0' && n !== 'gnd');
  nodes.sort((a, b) => Number(b === 'out') - Number(a === 'out'));
  const suffix = analysis === 'ac' ? '_mag' : '';
  const vectors = nodes.slice(0, maxNodes).flatMap((n) =>
    Object.entries(isPoint ? { last: 'value' } : reductions).map(([reduce, word]) => {
      const name = `v(${n})${isPoint ? '' : ` ${reduce}`}`;
      return {
        name,
        label: `v(${n})${suffix && ' magnitude'}${isPoint ? '' : `, ${word}`}`,
        unit: 'V',
        collect: { name, vector: `v(${n})${suffix}`, reduce },
      };
    }),
  );
  return [...measures, ...vectors];
}

const maxCurves = 16;

/** Returns up to 16 indices of successful runs, evenly spaced over the batch. */
function chooseRuns({ columns }) {
  const runs = columns.index.filter((_, i) => columns.error[i] === null);
  const count = Math.min(maxCurves, runs.length);
  const chosen = Array.from(
    { length: count },
    (_, k) => runs[Math.round((k * (runs.length - 1)) / Math.max(1, count - 1))],
  );
  return [...new Set(chosen)];
}

/**
 * Adds a button that draws the curves of some runs of a batch in one plot.
 * @param {HTMLElement} element
 * @param {object} d the batch with its columns, see drawBatch in batch_result.js
 * @returns {{destroy: () => void}}
 */
export function overlay(element, d) {
  const chosen = chooseRuns(d);
  const box = h('div', {});
  const note = h('p', { class: 'mistake', role: 'status' });
  let curves;
  const load = async () => {
    button.disabled = true;
    const runs = [];
    try {
      for (const i of chosen) {
        note.textContent = '';
        button.textContent = `Curve ${runs.length + 1} of ${chosen.length}`;
        runs.push({ label: runLabel(i, d), vectors: await fetchVectors(d.batch.id, i) });
      }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      note.textContent = `${error.message}. ${error.advice}`;
      button.disabled = false;
      button.textContent = 'Try again';
      return;
    }
    button.remove();
    curves = drawOverlay(box, runs, d.mode === 'sweep');
    if (!curves)
      note.textContent = 'These runs have no curves: the analysis is an operating point.';
  };
  const button = smallButton(`Overlay the curves of ${chosen.length} runs`, load);
  element.append(h('p', { class: 'picker' }, button), note, box);
  return {
    destroy() {
      curves?.destroy();
    },
  };
}

async function fetchVectors(batch, run) {
  const { status, data } = await requestJson('GET', `/ui/batches/${batch}/runs/${run}`);
  if (status !== 200) throw new ApiError({ title: 'A run takes too long for its curve' });
  return data.result.vectors;
}

/**
 * Draws a vector of all runs, with a picker of the vector. Returns undefined if the runs have no
 * curves.
 * @param {HTMLElement} box
 * @param {{label: string, vectors: Record<string, number[]>}[]} runs
 * @param {boolean} isSweep whether each run has its own line style and a label
 * @returns {{destroy: () => void}|undefined}
 */
function drawOverlay(box, runs, isSweep) {
  const [{ vectors }] = runs;
  const axis = ['time', 'frequency', 'sweep'].find((n) => n in vectors);
  if (!axis || vectors[axis].length < 2) return undefined;
  const names = Object.keys(vectors).filter(
    (n) => n !== axis && n !== 'sweep2' && vectors[n].length === vectors[axis].length,
  );
  const picker = h(
    'select',
    { 'aria-label': 'Curve' },
    names.map((n) => h('option', { value: n }, n)),
  );
  picker.value = names.find((n) => /^v\(out\)/.test(n)) ?? names[0];
  const target = h('div', {});
  let chart;
  const draw = () => {
    chart?.destroy();
    chart = plot(target, overlaySpec(runs, axis, picker.value, isSweep));
  };
  picker.addEventListener('change', draw);
  box.replaceChildren(h('p', { class: 'picker' }, h('label', {}, 'Curve ', picker)), target);
  draw();
  return {
    destroy() {
      chart?.destroy();
    },
  };
}

function unitOf(name) {
  if (name.endsWith('_deg')) return '°';
  return name.startsWith('i(') ? 'A' : 'V';
}

function overlaySpec(runs, axis, name, isSweep) {
  const isFrequency = axis === 'frequency';
  const { x, lists } = alignCurves(
    runs.map(({ vectors }) => ({
      x: vectors[axis],
      values: vectors[name] ?? vectors[axis].map(() => null),
    })),
    isFrequency,
  );
  return {
    title: `${name} of ${runs.length} runs`,
    name: `overlay_${name}`,
    x: {
      label: { time: 'Time', frequency: 'Frequency' }[axis] ?? 'Sweep',
      unit: { time: 's', frequency: 'Hz' }[axis],
      log: isFrequency,
      values: x,
    },
    legend: isSweep,
    series: runs.map(({ label }, k) => ({
      label,
      unit: unitOf(name),
      values: lists[k],
      points: false,
      dash: isSweep ? undefined : [],
      style: isSweep ? k : 0,
    })),
  };
}

/** Returns the swept values of a run, or its number. */
function runLabel(index, { mode, fields, columns }) {
  if (mode !== 'sweep') return `Run ${index}`;
  const row = columns.index.indexOf(index);
  return fields
    .map((f) => {
      const v = columns[f.field][row];
      const text =
        typeof v === 'number' ? formatQuantity(Number(v.toPrecision(4)), unitText(f.unit)) : v;
      return `${f.label} ${text}`;
    })
    .join(', ');
}
