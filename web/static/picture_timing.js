// The output of a timer over time, with its high and low times.
import { plot } from './plot.js';

export function draw(element, { tool, result }) {
  const high = result.t_high_s ?? result.pulse_s;
  const low = result.t_low_s ?? high;
  const periods = result.t_high_s ? 3 : 1;
  const [x, y] = [[-low * 0.5], [0]];
  for (let i = 0; i < periods; i++) {
    const start = i * (high + low);
    x.push(start, start + high);
    y.push(1, 0);
  }
  x.push(periods * (high + low) - (result.t_high_s ? 0 : low * 0.4));
  y.push(0);
  const made = plot(element, {
    title: result.t_high_s ? 'Output, three periods' : 'Output after the trigger',
    name: tool.name,
    height: 150,
    x: { label: 'Time', unit: 's', values: x },
    y: { label: 'Output' },
    series: [{ label: 'Output (1 is high)', values: y, steps: true, points: false }],
  });
  return () => made.destroy();
}
