// Waveform files of LTspice and ngspice (.raw): a header of text, then the values as text or as
// binary numbers. LTspice writes the header in UTF-16 and, in a transient, single-precision values
// beside a double-precision time.

export const largestRaw = 64e6; // bytes
const mostValues = 8e6;
const longestHeader = 200000; // characters

/** The header's text and the place of the data behind it. */
function headerOf(bytes) {
  const wide = bytes[1] === 0;
  const step = wide ? 2 : 1;
  let text = '';
  let line = '';
  for (let i = 0; i + step <= bytes.length && text.length < longestHeader; i += step) {
    const c = String.fromCharCode(wide ? bytes[i] | (bytes[i + 1] << 8) : bytes[i]);
    line += c;
    if (c !== '\n') continue;
    const word = line.trim();
    if (/^(binary|values):$/i.test(word))
      return { text, data: i + step, isBinary: /^b/i.test(word), wide };
    text += line;
    line = '';
  }
  throw new Error('The file is no waveform file: its header has no line "Binary:" or "Values:".');
}

/** The entries of a header. */
function entriesOf(text) {
  const entry = (name) => new RegExp(`^${name}:[ \\t]*(.*)$`, 'im').exec(text)?.[1].trim() ?? '';
  const count = Number(entry('No\\. Variables'));
  const points = Number(entry('No\\. Points'));
  const flags = entry('Flags').toLowerCase().split(/\s+/);
  if (!(
    Number.isInteger(count) &&
    count > 0 &&
    count <= 100000 &&
    Number.isInteger(points) &&
    points > 0
  ))
    throw new Error('The header has no valid "No. Variables" and "No. Points".');
  if (count * points > mostValues)
    throw new Error(
      `The file has ${count} variables of ${points} points; ${mostValues / 1e6} million values are allowed.`,
    );
  const list = text
    .slice(text.search(/^Variables:/im))
    .split(/\r?\n/)
    .map((l) => /^\s+(\d+)\s+(\S+)\s+(\S+)/.exec(l))
    .filter(Boolean);
  if (list.length !== count)
    throw new Error(`The header announces ${count} variables and lists ${list.length}.`);
  return {
    points,
    isComplex: flags.includes('complex'),
    isStepped: flags.includes('stepped'),
    isByVariable: flags.includes('fastaccess'),
    isDouble: flags.includes('double'),
    title: entry('Title'),
    plot: entry('Plotname'),
    variables: list.map(([, , name, type]) => ({
      name: name.toLowerCase(),
      type: type.toLowerCase(),
    })),
  };
}

/** The values of binary data by variable: re, and im of complex ones. */
function binaryValues(bytes, from, h) {
  const view = new DataView(bytes.buffer, bytes.byteOffset + from);
  const n = h.variables.length;
  const width = h.isComplex ? 16 : 8;
  // Nothing in the header says that values are of single precision; the length of the file does.
  const isSingle = !h.isComplex && !h.isDouble && view.byteLength === h.points * (8 + 4 * (n - 1));
  const widths = h.variables.map((_, i) => (isSingle && i > 0 ? 4 : width));
  const row = widths.reduce((a, b) => a + b, 0);
  if (view.byteLength < row * h.points)
    throw new Error(
      `The file ends early: ${h.points} points of ${n} variables need ${row * h.points} bytes, and ${view.byteLength} are there.`,
    );
  const read = (at, w) => (w === 4 ? view.getFloat32(at, true) : view.getFloat64(at, true));
  let before = 0;
  const values = h.variables.map((_, i) => {
    const out = { re: new Array(h.points), im: h.isComplex ? new Array(h.points) : undefined };
    const start = h.isByVariable ? before * h.points : before;
    const stride = h.isByVariable ? widths[i] : row;
    for (let p = 0; p < h.points; p++) {
      out.re[p] = read(start + p * stride, widths[i]);
      if (out.im) out.im[p] = view.getFloat64(start + p * stride + 8, true);
    }
    before += widths[i];
    return out;
  });
  return { values, end: from + row * h.points };
}

/** The values of text: after the number of a point one value a line, complex ones as re,im. */
function textValues(text, h) {
  const words = text.trim().split(/\s+/);
  const n = h.variables.length;
  const values = h.variables.map(() => ({ re: [], im: h.isComplex ? [] : undefined }));
  let at = 0;
  for (let p = 0; p < h.points; p++) {
    if (Number(words[at++]) !== p) throw new Error(`Point ${p} is missing in the values.`);
    for (let i = 0; i < n; i++) {
      const [re, im = '0'] = (words[at++] ?? '').split(',');
      if (re === '' || !Number.isFinite(Number(re)) || !Number.isFinite(Number(im)))
        throw new Error(`Point ${p} has no number for ${h.variables[i].name}.`);
      values[i].re.push(Number(re));
      values[i].im?.push(Number(im));
    }
  }
  return values;
}

/** The name that the page has for a variable: v(out), i(v1). */
const nameOf = ({ name, type }) =>
  type === 'voltage' && !name.includes('(') ? `v(${name})` : name.replace(/^(.+)#branch$/, 'i($1)');

const axisOf = { time: 'time', frequency: 'frequency' };

/**
 * Reads a waveform file.
 * @param {ArrayBuffer} buffer
 * @returns {{title: string, plot: string, axis: 'time'|'frequency'|'sweep', isComplex: boolean, x: number[], runs: {from: number, to: number}[],
 *   curves: {name: string, re: number[], im?: number[]}[], warnings: string[]}} the first plot of the file; runs are the steps of a stepped one
 */
export function readRaw(buffer) {
  const bytes = new Uint8Array(buffer);
  if (bytes.length > largestRaw)
    throw new Error(
      `The file has ${(bytes.length / 1e6).toFixed(0)} MB; ${largestRaw / 1e6} MB are allowed.`,
    );
  const { text: header, data, isBinary, wide } = headerOf(bytes);
  const h = entriesOf(header);
  const warnings = [];
  let values;
  let end = bytes.length;
  if (isBinary) ({ values, end } = binaryValues(bytes, data, h));
  else {
    const text = new TextDecoder(wide ? 'utf-16le' : 'utf-8').decode(bytes.subarray(data));
    const next = text.search(/^Title:/im);
    values = textValues(next < 0 ? text : text.slice(0, next), h);
    if (next >= 0) end = 0;
  }
  if (bytes.length - end > 60)
    warnings.push('The file holds further plots; the first one is read.');
  const axis = axisOf[h.variables[0].name] ?? 'sweep';
  // LTspice marks points that its compression keeps by a negative time.
  const x = values[0].re.map((v) => (axis === 'time' ? Math.abs(v) : v));
  const runs = [];
  const direction = x[1] < x[0] ? -1 : 1; // of each step
  for (let i = 0; i < x.length; i++) {
    if (i === 0 || ((axis !== 'sweep' || h.isStepped) && (x[i] - x[i - 1]) * direction < 0))
      runs.push({ from: i, to: i + 1 });
    else runs.at(-1).to = i + 1;
  }
  const all = h.variables.slice(1).map((v, i) => ({ name: nameOf(v), ...values[i + 1] }));
  const curves = all.filter((c) => /^[vip]\(.*\)$/.test(c.name));
  const others = all.filter((c) => !curves.includes(c)).map((c) => c.name);
  if (others.length)
    warnings.push(
      `${others.length} variables are left out, since they are no v(), i() or p(): ${others.slice(0, 8).join(', ')}${others.length > 8 ? ', …' : ''}.`,
    );
  return { title: h.title, plot: h.plot, axis, isComplex: h.isComplex, x, runs, curves, warnings };
}

/** The curves as the vectors of a result, so that a file can be shown without a simulation. */
export function vectorsOf(raw) {
  const vectors = { [raw.axis]: raw.x };
  for (const c of raw.curves) {
    if (!raw.isComplex) vectors[c.name] = c.re;
    else {
      vectors[`${c.name}_mag`] = c.re.map((r, i) => Math.hypot(r, c.im[i]));
      vectors[`${c.name}_phase_deg`] = c.re.map((r, i) => (Math.atan2(c.im[i], r) * 180) / Math.PI);
    }
  }
  return vectors;
}
