// Reads the links to a tool that contain their values behind #, where proxies do not log them.
import { ApiError } from './run.js';
import { unpack } from './share.js';

/**
 * Reads a link: #n= contains the inputs, #b= a batch with or without the inputs.
 * @param {string} hash
 * @returns {Promise<{query?: URLSearchParams, batch?: object, error?: ApiError}>} without query,
 *   the inputs are before the #
 */
export async function readLink(hash) {
  const isBatch = hash.startsWith('#b=');
  try {
    const text = await unpack(hash.slice('#b='.length));
    if (!isBatch) return { query: new URLSearchParams(text) };
    const { query, ...batch } = JSON.parse(text);
    return query ? { query: new URLSearchParams(query), batch } : { batch };
  } catch {
    const content = isBatch ? 'batch' : 'values';
    const advice = `Its ${content} could not be read; ask for it again.`;
    return { error: new ApiError({ title: 'The link is damaged', advice }) };
  }
}
