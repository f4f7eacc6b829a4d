// Waveform files of LTspice and ngspice (.raw): a text header, then the values as text or as binary
// numbers. LTspice writes the header in UTF-16. The values of its transient analyses have single
// precision beside a time of double precision.

/** The largest size of a file. */
export const maxRawBytes = 64e6;

const maxValues = 8e6;
const maxVariables = 100000;
const maxHeaderChars = 200000;
const trailingBytes = 60; // more bytes after the values belong to a further plot

/** Returns the text of the header, and the offset of the data after it in bytes. */
function readHeader(bytes) {
  const isWide = bytes[1] === 0;
  const step = isWide ? 2 : 1;
  let text = '';
  let line = '';
  for (let i = 0; i + step <= bytes.length && text.length < maxHeaderChars; i += step) {
    const c = String.fromCharCode(isWide ? bytes[i] | (bytes[i + 1] << 8) : bytes[i]);
    line += c;
    if (c !== '\n') continue;
    const word = line.trim();
    if (/^(binary|values):$/i.test(word))
      return { text, dataOffset: i + step, isBinary: /^b/i.test(word), isWide };
    text += line;
    line = '';
  }
  throw new Error('The file is no waveform file: its header has no line "Binary:" or "Values:".');
}

/** Parses the text of a header. */
function parseHeader(text) {
  const entry = (name) => new RegExp(`^${name}:[ \\t]*(.*)$`, 'im').exec(text)?.[1].trim() ?? '';
  const count = Number(entry('No\\. Variables'));
  const points = Number(entry('No\\. Points'));
  const flags = entry('Flags').toLowerCase().split(/\s+/);
  const isCount = (n) => Number.isInteger(n) && n > 0;
  if (!isCount(count) || count > maxVariables || !isCount(points))
    throw new Error('The header has no valid "No. Variables" and "No. Points".');
  if (count * points > maxValues)
    throw new Error(
      `The file has ${count} variables of ${points} points; ${maxValues / 1e6} million values are allowed.`,
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

/** Reads binary data. Returns the values by variable as {re, im}, and the offset of their end. */
function readBinaryValues(bytes, from, h) {
  const view = new DataView(bytes.buffer, bytes.byteOffset + from);
  const n = h.variables.length;
  const width = h.isComplex ? 16 : 8;
  // Only the length of the file shows that values have single precision.
  const isSingle = !h.isComplex && !h.isDouble && view.byteLength === h.points * (8 + 4 * (n - 1));
  const widths = h.variables.map((_, i) => (isSingle && i > 0 ? 4 : width));
  const rowBytes = widths.reduce((a, b) => a + b, 0);
  if (view.byteLength < rowBytes * h.points)
    throw new Error(
      `The file ends early: ${h.points} points of ${n} variables need ${rowBytes * h.points} bytes, and ${view.byteLength} are there.`,
    );
  const read = (at, w) => (w === 4 ? view.getFloat32(at, true) : view.getFloat64(at, true));
  let offset = 0; // of the variable in a row
  const values = h.variables.map((_, i) => {
    const out = { re: new Array(h.points), im: h.isComplex ? new Array(h.points) : undefined };
    const start = h.isByVariable ? offset * h.points : offset;
    const stride = h.isByVariable ? widths[i] : rowBytes;
    for (let p = 0; p < h.points; p++) {
      out.re[p] = read(start + p * stride, widths[i]);
      if (out.im) out.im[p] = view.getFloat64(start + p * stride + 8, true);
    }
    offset += widths[i];
    return out;
  });
  return { values, end: from + rowBytes * h.points };
}

/** Reads text data: the index of a point, then one value per line; complex values are "re,im". */
function readTextValues(text, h) {
  const words = text.trim().split(/\s+/);
  const n = h.variables.length;
  const values = h.variables.map(() => ({ re: [], im: h.isComplex ? [] : undefined }));
  let next = 0;
  for (let p = 0; p < h.points; p++) {
    if (Number(words[next++]) !== p) throw new Error(`Point ${p} is missing in the values.`);
    for (let i = 0; i < n; i++) {
      const [re, im = '0'] = (words[next++] ?? '').split(',');
      if (re === '' || !Number.isFinite(Number(re)) || !Number.isFinite(Number(im)))
        throw new Error(`Point ${p} has no number for ${h.variables[i].name}.`);
      values[i].re.push(Number(re));
      values[i].im?.push(Number(im));
    }
  }
  return values;
}

/** Returns the name of a variable on the page: v(out), i(v1). */
const nameOf = ({ name, type }) =>
  type === 'voltage' && !name.includes('(') ? `v(${name})` : name.replace(/^(.+)#branch$/, 'i($1)');

const axes = { time: 'time', frequency: 'frequency' };

/**
 * Reads a waveform file, or the first plot of a file with several plots.
 * @param {ArrayBuffer} buffer
 * @returns {{title: string, plot: string, axis: 'time'|'frequency'|'sweep', isComplex: boolean,
 *   x: number[], runs: {from: number, to: number}[],
 *   curves: {name: string, re: number[], im?: number[]}[], warnings: string[]}} runs are the steps
 *   of a stepped analysis
 */
export function readRaw(buffer) {
  const bytes = new Uint8Array(buffer);
  if (bytes.length > maxRawBytes)
    throw new Error(
      `The file has ${(bytes.length / 1e6).toFixed(0)} MB; ${maxRawBytes / 1e6} MB are allowed.`,
    );
  const { text, dataOffset, isBinary, isWide } = readHeader(bytes);
  const h = parseHeader(text);
  const { values, hasMore } = isBinary
    ? readBinaryPlot(bytes, dataOffset, h)
    : readTextPlot(bytes.subarray(dataOffset), isWide, h);
  const warnings = hasMore ? ['The file holds further plots; the first one is read.'] : [];
  const axis = axes[h.variables[0].name] ?? 'sweep';
  // LTspice marks the points that its compression keeps with a negative time.
  const x = values[0].re.map((v) => (axis === 'time' ? Math.abs(v) : v));
  const all = h.variables.slice(1).map((v, i) => ({ name: nameOf(v), ...values[i + 1] }));
  const curves = all.filter((c) => /^[vip]\(.*\)$/.test(c.name));
  const others = all.filter((c) => !curves.includes(c)).map((c) => c.name);
  if (others.length) {
    const list = others.slice(0, 8).join(', ') + (others.length > 8 ? ', …' : '');
    warnings.push(
      `${others.length} variables are left out, since they are no v(), i() or p(): ${list}.`,
    );
  }
  return {
    title: h.title,
    plot: h.plot,
    axis,
    isComplex: h.isComplex,
    x,
    runs: splitRuns(x, axis !== 'sweep' || h.isStepped),
    curves,
    warnings,
  };
}

function readBinaryPlot(bytes, dataOffset, h) {
  const { values, end } = readBinaryValues(bytes, dataOffset, h);
  return { values, hasMore: bytes.length - end > trailingBytes };
}

function readTextPlot(bytes, isWide, h) {
  const text = new TextDecoder(isWide ? 'utf-16le' : 'utf-8').decode(bytes);
  const nextPlot = text.search(/^Title:/im);
  if (nextPlot < 0) return { values: readTextValues(text, h), hasMore: false };
  return { values: readTextValues(text.slice(0, nextPlot), h), hasMore: true };
}

/** Splits points into runs where x turns back, if a file may have several runs. */
function splitRuns(x, canSplit) {
  const runs = [];
  const direction = x[1] < x[0] ? -1 : 1; // of each run
  for (let i = 0; i < x.length; i++) {
    const isNewRun = canSplit && (x[i] - x[i - 1]) * direction < 0;
    if (i === 0 || isNewRun) runs.push({ from: i, to: i + 1 });
    else runs.at(-1).to = i + 1;
  }
  return runs;
}
