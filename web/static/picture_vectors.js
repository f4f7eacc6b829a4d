// A simulation's vectors as curves: magnitude and phase over frequency, or values over time or the
// swept source.
import { cursorPlots } from './cursor_plots.js';

const most = 6;

export function draw(element, { result, tool }) {
  const names = Object.keys(result.vectors);
  const axis =
    names.find((n) => n === 'frequency' || n === 'time') ??
    names.find((n) => n.startsWith('sweep')) ??
    names[0];
  const values = result.vectors[axis];
  if (!Array.isArray(values) || values.length < 2) return undefined;
  const unit = { frequency: 'Hz', time: 's' }[axis] ?? '';
  const x = {
    label: axis,
    unit,
    log: axis === 'frequency' && values.at(-1) / values[0] > 20,
    values,
  };
  const others = names.filter((n) => n !== axis && result.vectors[n].length === values.length);
  const groups = [
    ['Noise density', others.filter((n) => /^[io]noise_/.test(n)), '/√Hz', true],
    ['Magnitude', others.filter((n) => n.endsWith('_mag') && n.startsWith('v')), '', true],
    ['Phase', others.filter((n) => n.endsWith('_phase_deg') && n.startsWith('v')), '°', false],
    ['Voltages', others.filter((n) => /^v\(.*\)$/.test(n)), 'V', false],
    ['Currents', others.filter((n) => /^i\(.*\)$/.test(n)), 'A', false],
  ].filter(([, list]) => list.length);
  const made = cursorPlots(
    element,
    groups.map(([title, list, u, log]) => ({
      title,
      name: `${tool.name}_${title}`,
      sync: tool.name,
      height: 220,
      x,
      y: { unit: u, log: log && list.every((n) => result.vectors[n].every((v) => v > 0)) },
      series: list
        .slice(0, most)
        .map((n) => ({ label: n, unit: u, values: result.vectors[n], points: false })),
    })),
  );
  return () => made.destroy();
}
