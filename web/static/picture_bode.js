// A filter's response as magnitude and phase. The server computes it over the frequencies of
// picture.sweep; the page contains that of its example.
import { cursorPlots } from './cursor_plots.js';
import { sweep } from './run.js';

export function draw(element, { tool, result, body, response, picture }) {
  const stop = new AbortController();
  let made;
  (response
    ? Promise.resolve(response)
    : respond(tool, result, body, picture.sweep, stop.signal)
  ).then(
    (r) => {
      if (stop.signal.aborted) return;
      const x = { label: 'Frequency', unit: 'Hz', log: true, values: r.freq_hz };
      made = cursorPlots(element, [
        {
          title: 'Gain over frequency',
          name: `${tool.name}_magnitude`,
          sync: 'bode',
          height: 200,
          x,
          series: [{ label: 'Gain', unit: 'dB', values: r.gain_db_at_freq }],
        },
        {
          title: 'Phase over frequency',
          name: `${tool.name}_phase`,
          sync: 'bode',
          height: 170,
          x,
          series: [{ label: 'Phase', unit: '°', values: r.phase_deg_at_freq }],
        },
      ]);
    },
    () => {
      /* the numbers above stand without the picture */
    },
  );
  return () => {
    stop.abort();
    made?.destroy();
  };
}

async function respond(tool, result, body, { input: name, center, decades, points }, signal) {
  const input = JSON.parse(body);
  delete input[name];
  const values = Array.from(
    { length: points },
    (_, i) => result[center] * 10 ** (decades * ((2 * i) / (points - 1) - 1)),
  );
  const list = await sweep(tool.name, JSON.stringify(input), name, values, signal);
  const column = (result) => list.map((p) => p.result?.[result] ?? null);
  return {
    freq_hz: values.slice(0, list.length),
    gain_db_at_freq: column('gain_db_at_freq'),
    phase_deg_at_freq: column('phase_deg_at_freq'),
  };
}
