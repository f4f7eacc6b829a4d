// The frequency response of a filter as magnitude and phase. The server computes it over the
// frequencies of picture.sweep; the page contains the response of its example.
import { cursorPlots } from './cursor_plots.js';
import { requestJson } from './run.js';

/** Draws the response into an element and returns a clean-up function; see pictures.js. */
export function draw(element, { tool, result, body, response, picture }) {
  const stop = new AbortController();
  let plots;
  const computed = response ?? computeResponse(tool, result, body, picture.sweep, stop.signal);
  Promise.resolve(computed).then(
    (r) => {
      if (!stop.signal.aborted) plots = drawResponse(element, tool, r);
    },
    () => {
      /* the result is valid without the picture */
    },
  );
  return () => {
    stop.abort();
    plots?.destroy();
  };
}

function drawResponse(element, tool, response) {
  const x = { label: 'Frequency', unit: 'Hz', log: true, values: response.freq_hz };
  const common = { sync: 'bode', x };
  return cursorPlots(element, [
    {
      ...common,
      title: 'Gain over frequency',
      name: `${tool.name}_magnitude`,
      height: 200,
      series: [{ label: 'Gain', unit: 'dB', values: response.gain_db_at_freq }],
    },
    {
      ...common,
      title: 'Phase over frequency',
      name: `${tool.name}_phase`,
      height: 170,
      series: [{ label: 'Phase', unit: '°', values: response.phase_deg_at_freq }],
    },
  ]);
}

/** Computes the tool at frequencies around the one in the result, with logarithmic spacing. */
async function computeResponse(tool, result, body, range, signal) {
  const { input: frequencyField, center, decades, points } = range;
  const input = JSON.parse(body);
  delete input[frequencyField];
  const frequencies = Array.from(
    { length: points },
    (_, i) => result[center] * 10 ** (decades * ((2 * i) / (points - 1) - 1)),
  );
  const list = await sweep(tool.name, JSON.stringify(input), frequencyField, frequencies, signal);
  const column = (name) => list.map((p) => p.result?.[name] ?? null);
  return {
    freq_hz: frequencies.slice(0, list.length),
    gain_db_at_freq: column('gain_db_at_freq'),
    phase_deg_at_freq: column('phase_deg_at_freq'),
  };
}

/**
 * Runs a tool for many values of one field and returns the points; see api/sweep.go.
 * @param {string} tool the name of the tool
 * @param {string} input JSON text
 * @param {string} field the name of the field
 * @param {number[]} values
 * @param {AbortSignal} [signal]
 */
async function sweep(tool, input, field, values, signal) {
  const [fieldJson, valuesJson] = [field, values].map((v) => JSON.stringify(v));
  const body = `{"input":${input},"field":${fieldJson},"values":${valuesJson}}`;
  return (await requestJson('POST', `/ui/sweep/${tool}`, body, { signal })).data.points;
}
