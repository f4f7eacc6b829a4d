// Queued tools run as jobs. This module starts, follows, stops early and cancels a job. It follows
// the server's events, or polls where a proxy buffers them.
import { requestJson, apiErrorOf } from './run.js';

const firstPollMs = 400; // the interval grows up to maxPollMs
const maxPollMs = 2000;
const firstEventTimeoutMs = 3000;
const eventTimeoutMs = 40000; // the server sends an event every 15 s
const endWatch = new Map(); // functions that end the watch of a job, by job id

const abortError = () => new DOMException('aborted', 'AbortError');

/** Waits; an abort rejects the promise. */
const sleep = (ms, signal) =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    const abort = () => {
      clearTimeout(timer);
      reject(abortError());
    };
    signal?.addEventListener('abort', abort, { once: true });
  });

/**
 * Runs a queued tool and returns its envelope. An abort ends only the following of the job;
 * cancelJob ends the job.
 * @param {string} tool the name of the tool
 * @param {string} body the input as JSON text
 * @param {object} [options]
 * @param {AbortSignal} [options.signal]
 * @param {function(object)} [options.onJob] is called with each state of the job: id, state
 *   (queued, running, done, …) and progress {phase, percent}; and with the state disconnected
 *   while the server is not reached
 * @throws {import('./run.js').ApiError|DOMException} an AbortError after an abort
 */
export async function runJob(tool, body, { signal, onJob } = {}) {
  const response = await requestJson('POST', `/ui/run/${tool}`, body, {
    signal,
    headers: { Prefer: 'respond-async, wait=1' },
  });
  if (response.status !== 202) return response.data;
  onJob?.(response.data);
  return followJob(response.data.id, { signal, onJob });
}

/** Follows a job by events. Returns when the job ends or the events fail. */
const watch = (id, { signal, onJob }) =>
  new Promise((resolve, reject) => {
    const source = new EventSource(`/ui/jobs/${id}/events`);
    let timer;
    const end = () => {
      clearTimeout(timer);
      source.close();
      endWatch.delete(id);
      resolve();
    };
    const setDeadline = (ms) => {
      clearTimeout(timer);
      timer = setTimeout(end, ms);
    };
    const abort = () => {
      reject(abortError());
      end();
    };
    signal?.addEventListener('abort', abort, { once: true });
    source.addEventListener('job', (event) => {
      setDeadline(eventTimeoutMs);
      onJob?.(JSON.parse(event.data));
    });
    source.addEventListener('alive', () => setDeadline(eventTimeoutMs));
    source.addEventListener('end', end);
    source.addEventListener('error', end);
    endWatch.set(id, end);
    setDeadline(firstEventTimeoutMs);
  });

/** Follows a job until it ends and returns its envelope. The options are those of runJob. */
export async function followJob(id, { signal, onJob } = {}) {
  await watch(id, { signal, onJob });
  let interval = firstPollMs;
  for (;;) {
    let job;
    try {
      job = (await requestJson('GET', `/ui/jobs/${id}`, undefined, { signal })).data;
    } catch (error) {
      // A lost connection does not end the job. The page is told whether it did.
      if (error.status !== 0 && error.status !== 503) throw error;
      onJob?.({ id, state: 'disconnected' });
      await sleep(maxPollMs, signal);
      continue;
    }
    onJob?.(job);
    if (job.state === 'done') return job.result;
    if (job.problem) throw apiErrorOf(job.problem.status, job.problem);
    await sleep(interval, signal);
    interval = Math.min(maxPollMs, interval * 1.2);
  }
}

/** Ends a running job with its best result so far. The job is done a little later. */
export const stopEarly = (id) => requestJson('POST', `/ui/jobs/${id}/stop-early`);

/** Cancels a job for this page. It may continue for other callers, so its events do not end. */
export async function cancelJob(id) {
  await requestJson('DELETE', `/ui/jobs/${id}`);
  endWatch.get(id)?.();
}
