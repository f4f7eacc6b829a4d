// Runs a batch on the workers. It follows the server's events, or polls where a proxy buffers them.
import { requestJson, ApiError } from './run.js';

const firstEventMs = 3000; // until the first event
const firstPollMs = 60;
const maxPollMs = 1000;

/** Follows the events of a batch. Resolves when it ends, or when the events fail. */
const followEvents = (id, signal, onProgress) =>
  new Promise((resolve) => {
    const events = new EventSource(`/ui/batches/${id}/events`);
    const end = () => {
      clearTimeout(timer);
      events.close();
      resolve();
    };
    const timer = setTimeout(end, firstEventMs);
    signal.addEventListener('abort', end, { once: true });
    events.addEventListener('progress', (event) => {
      clearTimeout(timer);
      onProgress(JSON.parse(event.data));
    });
    for (const type of ['end', 'error']) events.addEventListener(type, end);
  });

/**
 * Runs a batch. Throws ApiError or an AbortError.
 * @param {object} request of POST /batches
 * @param {object} options
 * @param {AbortSignal} options.signal stops following; cancelBatch stops the batch
 * @param {(id: string) => void} options.onStart
 * @param {(progress: object) => void} options.onProgress
 * @returns {Promise<{batch: object, columns: object}>} the batch, and the values of its runs by
 *   column
 */
export async function runBatch(request, { signal, onStart, onProgress }) {
  const send = async (method, path, body) =>
    (await requestJson(method, `/ui/batches${path}`, body, { signal })).data;
  let batch = await send('POST', '', JSON.stringify(request));
  const { id } = batch;
  onStart(id);
  await followEvents(id, signal, onProgress);
  for (let waitMs = 0; batch.summary === undefined && batch.state !== 'failed';) {
    if (waitMs) await new Promise((resolve) => setTimeout(resolve, waitMs));
    batch = await send('GET', `/${id}`);
    onProgress(batch);
    waitMs = Math.min(maxPollMs, firstPollMs + waitMs * 1.5);
  }
  if (batch.state === 'failed')
    throw new ApiError({ title: batch.error || 'The batch could not go on' });
  const { columns } = await send('GET', `/${id}/results`);
  return { batch, columns };
}

/** Cancels a batch; throws ApiError. */
export const cancelBatch = (id) => requestJson('DELETE', `/ui/batches/${id}`);

/** Checks a request without running it. Returns the numbers of runs and the first error. */
export async function checkBatch(request) {
  const body = JSON.stringify({ ...request, dry_run: true });
  return (await requestJson('POST', '/ui/batches', body)).data;
}
