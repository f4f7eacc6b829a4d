// The numbers of analyses that have no curves: noise, transfer function, poles and zeros,
// sensitivities, and harmonics.
import { h } from './dom.js';
import { formatQuantity, formatNumber } from './quantity.js';
import { drawTable } from './result.js';
import { sourceUnit } from './spice_netlist.js';
import { section, valueItem } from './spice_numbers.js';

const maxRows = 30;

function noise(n) {
  const item = (label, v, unit) => valueItem(label, formatQuantity(v, unit), String(v));
  const unit = sourceUnit(n.output);
  return [
    item('Output noise', n.output_rms, unit),
    n.input_rms !== null && item(`Referred to ${n.input}`, n.input_rms, sourceUnit(n.input)),
    drawTable(
      [
        { name: 'device', label: 'Device' },
        { name: 'source', label: 'Source' },
        { name: 'kind', label: 'Type' },
        { name: 'output_rms', label: 'Output noise', unit, kind: 'quantity' },
        { name: 'share_pct', label: 'Share', unit: '%', kind: 'quantity' },
      ],
      n.contributions.slice(0, maxRows),
    ),
  ];
}

/** Returns the frequencies between which the noise is integrated, as a part of a title. */
function bandOf({ frequency = [] }) {
  if (frequency.length === 0) return '';
  return ` from ${formatQuantity(frequency[0], 'Hz')} to ${formatQuantity(frequency.at(-1), 'Hz')}`;
}

function transferFunction(f) {
  const ohms = (r) => (r === null ? 'infinite' : formatQuantity(r, 'Ω'));
  return [
    valueItem('Gain', `${formatNumber(f.gain)} ${f.gain_unit}`, String(f.gain)),
    valueItem('Input resistance', ohms(f.input_ohm), String(f.input_ohm)),
    valueItem('Output resistance', ohms(f.output_ohm), String(f.output_ohm)),
  ];
}

function rootsSection(title, list) {
  return (
    list.length > 0 &&
    section(
      title,
      drawTable(
        [
          { name: 'real', label: 'Real part', unit: 'rad/s', kind: 'quantity' },
          { name: 'imag', label: 'Imaginary part', unit: 'rad/s', kind: 'quantity' },
          { name: 'frequency_hz', label: 'Natural frequency', unit: 'Hz', kind: 'quantity' },
          { name: 'q', label: 'Q', kind: 'quantity' },
        ],
        list.slice(0, maxRows),
      ),
    )
  );
}

function sensitivity(s) {
  return drawTable(
    [
      { name: 'element', label: 'Element' },
      { name: 'parameter', label: 'Parameter' },
      { name: 'value', label: 'Value', kind: 'quantity' },
      { name: 'absolute', label: 'Per unit', kind: 'quantity' },
      { name: 'per_percent', label: 'Per percent', kind: 'quantity' },
      { name: 'frequency_hz', label: 'At', unit: 'Hz', kind: 'quantity' },
    ],
    s.entries.slice(0, maxRows).map((e) => ({ ...e, parameter: e.parameter || 'value' })),
  );
}

/** Returns the distortion and the harmonics of a .four or .fft card. */
function harmonics(f) {
  const window = f.window === 'rect' ? '' : `, ${f.window} window over ${f.periods} periods`;
  const distortion =
    f.thd_pct === null
      ? 'unknown, there is no fundamental'
      : `${formatQuantity(f.thd_pct, '%')} (harmonics 2 to 9)`;
  const unit = sourceUnit(f.node);
  return [
    h(
      'p',
      {},
      `${f.node}${window}: distortion ${distortion}, mean ${formatQuantity(f.mean, unit)}`,
    ),
    drawTable(
      [
        { name: 'n', label: 'n', kind: 'quantity' },
        { name: 'frequency_hz', label: 'Frequency', unit: 'Hz', kind: 'quantity' },
        { name: 'magnitude', label: 'Peak', unit, kind: 'quantity' },
        { name: 'phase_deg', label: 'Phase', unit: '°', kind: 'quantity' },
        { name: 'db', label: 'Relative', unit: 'dB', kind: 'quantity' },
      ],
      f.harmonics.map((h) => ({
        ...h,
        db: h.normalized > 0 ? 20 * Math.log10(h.normalized) : null,
      })),
    ),
  ];
}

/**
 * Returns the sections of the analyses that a result has.
 * @param {object} result of spice_simulate
 * @param {string} at follows the titles: the parameters of the run, or ""
 */
export const drawAnalyses = (result, at) =>
  [
    result.noise && section(`Noise${bandOf(result.vectors)}${at}`, noise(result.noise)),
    result.transfer_function &&
      section(`Transfer function${at}`, transferFunction(result.transfer_function)),
    result.poles_and_zeros && rootsSection(`Poles${at}`, result.poles_and_zeros.poles),
    result.poles_and_zeros && rootsSection(`Zeros${at}`, result.poles_and_zeros.zeros),
    result.sensitivity && section(`Sensitivity${at}`, sensitivity(result.sensitivity)),
    result.fourier?.length > 0 && section(`Fourier${at}`, result.fourier.map(harmonics)),
  ].filter(Boolean);
