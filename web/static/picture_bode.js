// A filter's response: the server computes it over frequency, two decades to each side of the
// cutoff, and it is drawn as magnitude and phase.
import { cursorPlots } from './cursor_plots.js';
import { sweep } from './run.js';

const points = 81;

export function draw(element, { tool, result, body }) {
  const input = JSON.parse(body);
  delete input.freq_hz;
  const values = Array.from({ length: points }, (_, i) => result.cutoff_hz * 10 ** (-2 + (4 * i) / (points - 1)));
  const stop = new AbortController();
  let made;
  sweep(tool.name, JSON.stringify(input), 'freq_hz', values, stop.signal).then((list) => {
    const x = { label: 'Frequency', unit: 'Hz', log: true, values: values.slice(0, list.length) };
    const column = (name) => list.map((p) => p.result?.[name] ?? null);
    made = cursorPlots(element, [
      { title: 'Gain over frequency', name: `${tool.name}_magnitude`, sync: 'bode', height: 200, x, series: [{ label: 'Gain', unit: 'dB', values: column('gain_db_at_freq') }] },
      { title: 'Phase over frequency', name: `${tool.name}_phase`, sync: 'bode', height: 170, x, series: [{ label: 'Phase', unit: '°', values: column('phase_deg_at_freq') }] },
    ]);
  }, () => { /* the numbers above stand without the picture */ });
  return () => { stop.abort(); made?.destroy(); };
}
