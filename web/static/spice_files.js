// The files that the simulator's page opens: netlists, LTspice schematics with their symbols, and
// waveform files. The browser reads them and sends none of them.
import { convertSchematic, readSymbol } from './spice_asc.js';
import { maxRawBytes, readRaw } from './spice_raw.js';

const acceptedTypes = ['cir', 'net', 'sp', 'spi', 'ckt', 'txt', 'asc', 'asy', 'raw'];
const maxTextBytes = 1e6;
const maxFiles = 50;

/** Decodes UTF-8, UTF-16 with or without a byte order mark, or otherwise Windows-1252. */
function decode(buffer) {
  const bytes = new Uint8Array(buffer);
  const hasByteOrderMark = bytes[0] === 0xff && bytes[1] === 0xfe;
  const isWide = bytes.length > 3 && bytes[1] === 0 && bytes[3] === 0;
  if (hasByteOrderMark || isWide) return new TextDecoder('utf-16le').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

const suffixOf = (name) => /\.([a-z]+)$/i.exec(name)?.[1].toLowerCase() ?? '';

async function bytesOf(file, maxBytes) {
  if (file.size > maxBytes)
    throw new Error(
      `${file.name} has ${(file.size / 1e6).toFixed(1)} MB; ${maxBytes / 1e6} MB are allowed.`,
    );
  return file.arrayBuffer();
}

const textOf = async (file) => decode(await bytesOf(file, maxTextBytes));

/**
 * Reads files that were opened together.
 * @param {File[]} files
 * @returns {Promise<{netlist?: string, name?: string, raws: {name: string, raw: object}[],
 *   warnings: string[]}>} throws an Error whose message is a sentence
 */
export async function readFiles(files) {
  if (files.length > maxFiles)
    throw new Error(`${files.length} files are too many; ${maxFiles} are allowed.`);
  const out = { raws: [], warnings: [] };
  const symbols = [];
  const texts = []; // netlists and schematics
  for (const file of files) {
    const type = suffixOf(file.name);
    if (type === 'raw') {
      const raw = readRaw(await bytesOf(file, maxRawBytes));
      out.raws.push({ name: file.name, raw });
      out.warnings.push(...raw.warnings.map((w) => `${file.name}: ${w}`));
    } else if (type === 'asy') symbols.push(readSymbol(await textOf(file), file.name));
    else if (acceptedTypes.includes(type)) texts.push(file);
    else
      throw new Error(
        `${file.name} is not read: netlists (.cir, .net, .sp), LTspice schematics (.asc, .asy) and waveform files (.raw) are allowed.`,
      );
  }
  if (texts.length > 1)
    throw new Error(`Open one netlist at a time: ${texts.map((f) => f.name).join(', ')}.`);
  if (symbols.length && texts.length === 0)
    throw new Error(
      'A symbol (.asy) says nothing alone: open it together with its schematic (.asc).',
    );
  if (texts.length === 0) return out;
  const [file] = texts;
  const text = await textOf(file);
  out.name = file.name;
  if (suffixOf(file.name) !== 'asc') {
    checkNetlist(text, file.name);
    return { ...out, netlist: text };
  }
  const title = file.name.replace(/\.asc$/i, '');
  const { netlist, warnings } = convertSchematic(text, title, symbols);
  return { ...out, netlist, warnings: [...out.warnings, ...warnings] };
}

/** Throws an Error if a text is a KiCad netlist or binary data. */
function checkNetlist(text, fileName) {
  if (/^\s*\(export\b/.test(text))
    throw new Error(
      `${fileName} is a netlist of KiCad for boards. Open it on the page Board, or export a SPICE netlist.`,
    );
  if (text.includes('\0')) throw new Error(`${fileName} is no text.`);
}
