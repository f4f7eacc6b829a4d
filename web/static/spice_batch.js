// What a batch of a simulation may vary and collect.
import { spiceNumber } from './spice_netlist.js';

const units = { r: 'Ω', c: 'F', l: 'H', v: 'V', i: 'A' };

/** The element values and parameters of a netlist. @returns {Varied[]} */
export function variedElements(netlist, text) {
  const list = [];
  for (const m of text.matchAll(/^\s*\.param\s+(.*)$/gim)) {
    for (const [, name, value] of m[1].matchAll(/([a-z_]\w*)\s*=\s*(\S+)/gi)) if (Number.isFinite(spiceNumber(value))) list.push({ field: `param:${name}`, label: `.param ${name}`, unit: '*', value: spiceNumber(value), given: true });
  }
  for (const e of netlist.elements) {
    const unit = units[e.letter];
    const value = spiceNumber(e.value);
    if (unit && Number.isFinite(value)) list.push({ field: `element:${e.name.toUpperCase()}`, label: e.name.toUpperCase(), unit, value, given: true });
  }
  return list;
}

const reductions = { max: 'maximum', min: 'minimum', pp: 'peak to peak', rms: 'RMS', last: 'last value' };

/** The measurements of a netlist and the reductions of its node voltages. @returns {Collected[]} */
export function collectedVectors(netlist, text) {
  const measures = [...text.matchAll(/^\s*\.meas(?:ure)?\s+\w+\s+(\w+)/gim)].map(([, name]) => ({ name, label: `.measure ${name}`, unit: '', collect: { name, measure: name } }));
  const single = netlist.analyses.length === 0 || netlist.analyses[0] === 'op';
  const nodes = [...netlist.nodes].filter((n) => n !== '0' && n !== 'gnd');
  nodes.sort((a, b) => Number(b === 'out') - Number(a === 'out'));
  const suffix = netlist.analyses[0] === 'ac' ? '_mag' : '';
  const vectors = nodes.slice(0, 20).flatMap((n) => Object.entries(single ? { last: 'value' } : reductions).map(([reduce, word]) => {
    const name = `v(${n})${single ? '' : ` ${reduce}`}`;
    return { name, label: `v(${n})${suffix && ' magnitude'}${single ? '' : `, ${word}`}`, unit: 'V', collect: { name, vector: `v(${n})${suffix}`, reduce } };
  }));
  return [...measures, ...vectors];
}
