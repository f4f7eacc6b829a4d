// The figures of a Bode plot: the peak, the frequencies 3 dB below it, the bandwidth, the quality
// factor, and unity gain.
import { h } from './dom.js';
import { formatQuantity } from './quantity.js';
import { crossings } from './spice_vectors.js';

const halfPowerDB = 10 * Math.log10(2);

/**
 * Returns the figures of a magnitude curve as a list item, or undefined for a curve without values.
 * @param {{label: string, x: number[], values: (number|null)[]}} curve x in Hz, values in dB
 * @param {(frequency: number, value: number) => void} onFrequency a click on a frequency
 */
export function bodeFinding({ label, x, values }, onFrequency) {
  const peak = indexOfPeak(values);
  if (peak < 0) return undefined;
  const peakValue = values[peak];
  const edgeValue = peakValue - halfPowerDB;
  const edges = crossings(x, values, edgeValue);
  const lower = edges.filter((c) => c.x < x[peak]).at(-1);
  const upper = edges.find((c) => c.x > x[peak]);
  const button = (frequency, value, attributes) =>
    h(
      'button',
      {
        type: 'button',
        class: 'link',
        title: 'Put cursor A there',
        ...attributes,
        onclick: () => onFrequency(frequency, value),
      },
      formatQuantity(frequency, 'Hz'),
    );
  const edgeButton = (edge) => edge && button(edge.x, edgeValue, { 'data-minus3db': edge.x });
  const parts = [
    h('b', {}, label),
    `: peak ${formatQuantity(Number(peakValue.toFixed(3)) || 0, 'dB')} at `,
    button(x[peak], peakValue),
  ];
  if (lower || upper) {
    const separator = lower && upper && ' and ';
    parts.push('; 3\u00a0dB below the peak at ', edgeButton(lower), separator, edgeButton(upper));
  } else parts.push('; never 3\u00a0dB below the peak in this range');
  if (lower && upper) {
    const bandwidth = formatQuantity(upper.x - lower.x, 'Hz').replaceAll(' ', '\u00a0');
    parts.push(`, bandwidth ${bandwidth}${qualityFactor(lower.x, upper.x)}`);
  }
  const unityGain = peakValue > 1 && crossings(x, values, 0).find((c) => !c.rising);
  if (unityGain) parts.push('; 0 dB at ', button(unityGain.x, 0));
  return h('li', {}, parts);
}

const indexOfPeak = (values) =>
  values.reduce((best, v, i) => (v !== null && (best < 0 || v > values[best]) ? i : best), -1);

/** Returns the quality factor of a resonance, or "" below 0.5, where there is no resonance. */
function qualityFactor(lower, upper) {
  const q = Math.sqrt(lower * upper) / (upper - lower);
  return q < 0.5 ? '' : `, Q\u00a0${formatQuantity(Number(q.toPrecision(3)), '')}`;
}
