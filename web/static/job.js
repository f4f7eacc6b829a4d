// Queued tools run as jobs. This module starts, follows, stops early and cancels a job. It follows
// the server's events, or polls where a proxy buffers them.
import { requestJson, apiErrorOf } from './run.js';

const first = 400; // ms between polls, growing
const slowest = 2000;
const firstEvent = 3000; // ms until the first event
const silence = 40000; // ms without an event; the server sends one every 15 s
const watched = new Map(); // job id -> function that ends the watch

const pause = (ms, signal) =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        reject(new DOMException('aborted', 'AbortError'));
      },
      { once: true },
    );
  });

/**
 * Runs a heavy tool and gives its envelope. onJob is called with the job whenever it was looked
 * at: id, state (queued, running, done, …), progress {phase, percent}. Aborting stops looking;
 * cancelJob stops the job. Throws ApiError, see run.js.
 */
export async function runJob(tool, body, { signal, onJob } = {}) {
  const answer = await requestJson('POST', `/ui/run/${tool}`, body, {
    signal,
    headers: { Prefer: 'respond-async, wait=1' },
  });
  if (answer.status !== 202) return answer.data;
  onJob?.(answer.data);
  return followJob(answer.data.id, { signal, onJob });
}

/** Follows a job by events, until it has ended or they fail: then the job is asked for. */
const watch = (id, { signal, onJob }) =>
  new Promise((resolve, reject) => {
    const source = new EventSource(`/ui/jobs/${id}/events`);
    let timer;
    const end = () => {
      clearTimeout(timer);
      source.close();
      watched.delete(id);
      resolve();
    };
    const patience = (ms) => {
      clearTimeout(timer);
      timer = setTimeout(end, ms);
    };
    signal?.addEventListener(
      'abort',
      () => {
        reject(new DOMException('aborted', 'AbortError'));
        end();
      },
      { once: true },
    );
    source.addEventListener('job', (event) => {
      patience(silence);
      onJob?.(JSON.parse(event.data));
    });
    source.addEventListener('alive', () => patience(silence));
    source.addEventListener('end', end);
    source.addEventListener('error', end);
    watched.set(id, end);
    patience(firstEvent);
  });

/** Follows a job that was started before, until its envelope is there. */
export async function followJob(id, { signal, onJob } = {}) {
  await watch(id, { signal, onJob });
  let wait = first;
  let lost = 0;
  for (;;) {
    let job;
    try {
      job = (await requestJson('GET', `/ui/jobs/${id}`, undefined, { signal })).data;
      lost = 0;
    } catch (error) {
      // A lost connection does not end the job: poll for two minutes.
      if (
        error.name === 'AbortError' ||
        (error.status !== 0 && error.status !== 503) ||
        ++lost > 60
      )
        throw error;
      await pause(slowest, signal);
      continue;
    }
    onJob?.(job);
    if (job.state === 'done') return job.result;
    if (job.problem) throw apiErrorOf(job.problem.status, job.problem);
    await pause(wait, signal);
    wait = Math.min(slowest, wait * 1.2);
  }
}

/** Lets a running job end with the best it has; the job is done a little later. */
export const enough = (id) => requestJson('POST', `/ui/jobs/${id}/enough`);

/** Cancels a job for this page. It may go on for other callers, so its events do not tell. */
export async function cancelJob(id) {
  await requestJson('DELETE', `/ui/jobs/${id}`);
  watched.get(id)?.();
}
