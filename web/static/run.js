// Requests to the server, and errors with advice.

const token = document.querySelector('meta[name="page-token"]') ?? { content: '' };

/** Replaces the token of a page that was open for longer than its token is valid. */
async function renewToken() {
  const response = await fetch('/ui/token', { headers: { Accept: 'application/json' } });
  if (response.ok) token.content = (await response.json()).token;
  return response.ok;
}

/** An error of the API or of the connection. */
export class ApiError extends Error {
  /**
   * @param {object} problem
   * @param {string} problem.title
   * @param {string} [problem.advice] how to correct the error
   * @param {{pointer: string, detail: string}[]} [problem.errors] the invalid fields
   * @param {number} [problem.status] the HTTP status, 0 without a connection
   * @param {number} [problem.retry] seconds until another attempt
   * @param {string} [problem.kind] the last part of the problem type, such as invalid-input
   */
  constructor(problem) {
    super(problem.title);
    Object.assign(this, { advice: '', errors: [], status: 0, retry: 0, kind: '' }, problem);
  }
}

const offlineAdvice =
  'The server cannot be reached. Nothing you typed is lost; ' +
  'it is computed again as soon as the connection is back.';

/** Advice by HTTP status. */
const advice = {
  403: 'This page is too old to compute. Reload it; what you typed stays.',
  404: 'It expired, or the server was restarted. Run the same inputs again.',
  408: 'The connection is slow. Try again.',
  413: 'Send less: a shorter netlist or list.',
  500: 'This is a defect of the service. Your input is kept; please report the request id.',
  503: 'The service is busy or a part of it is down.',
  504: 'Ask for less: fewer points, a shorter time, a smaller board.',
};

/**
 * Sends a request and returns the parsed response.
 * @param {string} method
 * @param {string} url
 * @param {string} [body] JSON text
 * @param {object} [options]
 * @param {AbortSignal} [options.signal]
 * @param {object} [options.headers]
 * @returns {Promise<{status: number, data: *, headers: Headers}>}
 * @throws {ApiError|DOMException} an AbortError after an abort
 */
export async function requestJson(method, url, body, { signal, headers } = {}) {
  let { response, text } = await send(method, url, body, signal, headers);
  const isTokenExpired = response.status === 403 && url.startsWith('/ui/');
  if (isTokenExpired && (await renewToken().catch(() => false)))
    ({ response, text } = await send(method, url, body, signal, headers));
  let data;
  try {
    data = text === '' ? null : JSON.parse(text);
  } catch {
    throw new ApiError({
      title: 'The response could not be read',
      advice: 'Something between this page and the server changed it. Try again.',
      status: response.status,
    });
  }
  if (response.ok) return { status: response.status, data, headers: response.headers };
  throw apiErrorOf(response.status, data, Number(response.headers.get('Retry-After') ?? 0));
}

async function send(method, url, body, signal, headers) {
  try {
    const response = await fetch(url, {
      method,
      signal,
      body,
      credentials: 'same-origin',
      headers: {
        Accept: 'application/json',
        'X-Page-Token': token.content,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
    });
    return { response, text: await response.text() };
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new ApiError({ title: 'No connection', advice: offlineAdvice });
  }
}

/**
 * Returns the error of a problem document (RFC 9457).
 * @param {number} status the HTTP status
 * @param {object|null} problem
 * @param {number} retry seconds until another attempt
 */
export function apiErrorOf(status, problem, retry = 0) {
  const kind = (problem?.type ?? '').split('/').at(-1);
  if (kind === 'job-cancelled')
    return new ApiError({ title: 'The job was cancelled.', status, kind });
  const errors = problem?.errors ?? [];
  const title = problem?.title ?? `Error ${status}`;
  // The fields show the details of a 400.
  const hasDetail = problem?.detail && !(status === 400 && errors.length);
  return new ApiError({
    title: hasDetail ? `${title}: ${problem.detail}` : title,
    advice: adviceFor(status, problem, retry),
    errors,
    status,
    retry,
    kind,
  });
}

function adviceFor(status, problem, retry) {
  let text = advice[status] ?? '';
  if (status === 429 && !problem?.detail) text = 'Too many requests from your address.';
  if (retry > 0 && !problem?.detail?.includes('try again in')) text += ` Try again in ${retry} s.`;
  if (status >= 500 && problem?.request_id) text += ` Request ${problem.request_id}.`;
  return text;
}

/**
 * Runs a tool and returns its envelope.
 * @param {string} tool the name of the tool
 * @param {string} body the input as JSON text
 * @param {AbortSignal} [signal]
 */
export async function compute(tool, body, signal) {
  return (await requestJson('POST', `/ui/run/${tool}`, body, { signal })).data;
}
