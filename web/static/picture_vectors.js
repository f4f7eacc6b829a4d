// The vectors of a simulation as curves: magnitude and phase over frequency, or values over time or
// over the swept source.
import { cursorPlots } from './cursor_plots.js';
import { sourceUnit } from './spice_netlist.js';

const maxSeries = 6; // per plot

/** Draws the vectors into an element and returns a clean-up function; see pictures.js. */
export function draw(element, { result, tool }) {
  const names = Object.keys(result.vectors);
  const axis =
    names.find((n) => n === 'frequency' || n === 'time') ??
    names.find((n) => n.startsWith('sweep')) ??
    names[0];
  const values = result.vectors[axis];
  if (!Array.isArray(values) || values.length < 2) return undefined;
  const x = {
    label: axis,
    unit: { frequency: 'Hz', time: 's' }[axis] ?? '',
    log: axis === 'frequency' && values.at(-1) / values[0] > 20,
    values,
  };
  const isPositive = (name) => result.vectors[name].every((v) => v > 0);
  const curves = names.filter((n) => n !== axis && result.vectors[n].length === values.length);
  const plots = cursorPlots(
    element,
    groupsOf(curves, result.noise).map(({ title, unit, canBeLog, list }) => ({
      title,
      name: `${tool.name}_${title}`,
      sync: tool.name,
      height: 220,
      x,
      y: { unit, log: canBeLog && list.every(isPositive) },
      series: list
        .slice(0, maxSeries)
        .map((n) => ({ label: n, unit, values: result.vectors[n], points: false })),
    })),
  );
  return () => plots.destroy();
}

const noiseGroup = (title, place, pattern) => ({
  title,
  unit: `${sourceUnit(place)}/√Hz`,
  canBeLog: true,
  pattern,
});

/** Groups vectors by quantity, one group per plot. */
const groupsOf = (names, noise) =>
  [
    noiseGroup('Output noise density', noise?.output, /^onoise_/),
    noiseGroup('Input-referred noise density', noise?.input, /^inoise_/),
    { title: 'Magnitude', unit: '', canBeLog: true, pattern: /^v.*_mag$/ },
    { title: 'Phase', unit: '°', canBeLog: false, pattern: /^v.*_phase_deg$/ },
    { title: 'Voltages', unit: 'V', canBeLog: false, pattern: /^v\(.*\)$/ },
    { title: 'Currents', unit: 'A', canBeLog: false, pattern: /^i\(.*\)$/ },
  ]
    .map((group) => ({ ...group, list: names.filter((n) => group.pattern.test(n)) }))
    .filter(({ list }) => list.length);
