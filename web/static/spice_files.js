// Files that the simulator's page opens: netlists, LTspice schematics with their symbols, and
// waveform files. They are read in the browser and sent nowhere.
import { netlistOf, readSymbol } from './spice_asc.js';
import { largestRaw, readRaw } from './spice_raw.js';

export const accepted = '.cir,.net,.sp,.spi,.ckt,.txt,.asc,.asy,.raw';
const largestText = 1e6; // bytes
const mostFiles = 50;

/** The text of a file in UTF-8, in UTF-16 with or without a mark, or else in Windows-1252. */
export function decode(buffer) {
  const bytes = new Uint8Array(buffer);
  if (
    (bytes[0] === 0xff && bytes[1] === 0xfe) ||
    (bytes.length > 3 && bytes[1] === 0 && bytes[3] === 0)
  )
    return new TextDecoder('utf-16le').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

const suffix = (name) => /\.([a-z]+)$/i.exec(name)?.[1].toLowerCase() ?? '';

async function bytesOf(file, most) {
  if (file.size > most)
    throw new Error(
      `${file.name} has ${(file.size / 1e6).toFixed(1)} MB; ${most / 1e6} MB are allowed.`,
    );
  return file.arrayBuffer();
}

/**
 * Reads files that were opened together.
 * @param {File[]} files
 * @returns {Promise<{netlist?: string, name?: string, raws: {name: string, raw: object}[], warnings: string[]}>} throws an Error with a sentence
 */
export async function readFiles(files) {
  if (files.length > mostFiles)
    throw new Error(`${files.length} files are too many; ${mostFiles} are allowed.`);
  const out = { raws: [], warnings: [] };
  const symbols = [];
  const texts = [];
  for (const file of files) {
    const kind = suffix(file.name);
    if (kind === 'raw') {
      const raw = readRaw(await bytesOf(file, largestRaw));
      out.raws.push({ name: file.name, raw });
      out.warnings.push(...raw.warnings.map((w) => `${file.name}: ${w}`));
    } else if (kind === 'asy')
      symbols.push(readSymbol(decode(await bytesOf(file, largestText)), file.name));
    else if (accepted.includes(`.${kind}`) && kind) texts.push(file);
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
  const text = decode(await bytesOf(file, largestText));
  out.name = file.name;
  if (suffix(file.name) !== 'asc') {
    if (/^\s*\(export\b/.test(text))
      throw new Error(
        `${file.name} is a netlist of KiCad for boards. Open it on the page Board, or export a SPICE netlist.`,
      );
    if (text.includes('\0')) throw new Error(`${file.name} is no text.`);
    return { ...out, netlist: text };
  }
  const { netlist, warnings } = netlistOf(text, file.name.replace(/\.asc$/i, ''), symbols);
  return { ...out, netlist, warnings: [...out.warnings, ...warnings] };
}
