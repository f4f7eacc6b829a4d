// A filter's response: the server computes it over frequency, two decades to each side of the
// cutoff, and it is drawn as magnitude and phase. That of the page's example came with the page.
import { cursorPlots } from './cursor_plots.js';
import { sweep } from './run.js';

const points = 81;

export function draw(element, { tool, result, body, response }) {
  const stop = new AbortController();
  let made;
  (response ? Promise.resolve(response) : respond(tool, result, body, stop.signal)).then((r) => {
    if (stop.signal.aborted) return;
    const x = { label: 'Frequency', unit: 'Hz', log: true, values: r.freq_hz };
    made = cursorPlots(element, [
      { title: 'Gain over frequency', name: `${tool.name}_magnitude`, sync: 'bode', height: 200, x, series: [{ label: 'Gain', unit: 'dB', values: r.gain_db_at_freq }] },
      { title: 'Phase over frequency', name: `${tool.name}_phase`, sync: 'bode', height: 170, x, series: [{ label: 'Phase', unit: '°', values: r.phase_deg_at_freq }] },
    ]);
  }, () => { /* the numbers above stand without the picture */ });
  return () => { stop.abort(); made?.destroy(); };
}

async function respond(tool, result, body, signal) {
  const input = JSON.parse(body);
  delete input.freq_hz;
  const values = Array.from({ length: points }, (_, i) => result.cutoff_hz * 10 ** (-2 + (4 * i) / (points - 1)));
  const list = await sweep(tool.name, JSON.stringify(input), 'freq_hz', values, signal);
  const column = (name) => list.map((p) => p.result?.[name] ?? null);
  return { freq_hz: values.slice(0, list.length), gain_db_at_freq: column('gain_db_at_freq'), phase_deg_at_freq: column('phase_deg_at_freq') };
}
