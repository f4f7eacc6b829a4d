// The output of a timer over time, with its high and low times.
import { plot } from './plot.js';

/** Draws the output into an element and returns a clean-up function; see pictures.js. */
export function draw(element, { tool, result }) {
  const isPeriodic = Boolean(result.t_high_s);
  const high = result.t_high_s ?? result.pulse_s;
  const low = result.t_low_s ?? high;
  const periods = isPeriodic ? 3 : 1;
  const [times, levels] = [[-low * 0.5], [0]];
  for (let i = 0; i < periods; i++) {
    const start = i * (high + low);
    times.push(start, start + high);
    levels.push(1, 0);
  }
  times.push(periods * (high + low) - (isPeriodic ? 0 : low * 0.4));
  levels.push(0);
  const chart = plot(element, {
    title: isPeriodic ? 'Output, three periods' : 'Output after the trigger',
    name: tool.name,
    height: 150,
    x: { label: 'Time', unit: 's', values: times },
    y: { label: 'Output' },
    series: [{ label: 'Output (1 is high)', values: levels, steps: true, points: false }],
  });
  return () => chart.destroy();
}
