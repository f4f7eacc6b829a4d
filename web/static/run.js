// Requests to the server, and errors with their remedies.

const token = document.querySelector('meta[name="page-token"]') ?? { content: '' };

/** A page that stays open outlives its token; this gets another one. */
async function renew() {
  const answer = await fetch('/ui/token', { headers: { Accept: 'application/json' } });
  if (answer.ok) token.content = (await answer.json()).token;
  return answer.ok;
}

/** An error of the API or of the connection: its title, its remedy, and the fields that it concerns. */
export class ApiError extends Error {
  /** @param {{title: string, advice?: string, errors?: Array, status?: number, retry?: number, kind?: string}} t */
  constructor(t) {
    super(t.title);
    Object.assign(this, { advice: '', errors: [], status: 0, retry: 0, kind: '' }, t);
  }
}

const advice = {
  0: 'The server cannot be reached. Nothing you typed is lost; it is computed again as soon as the connection is back.',
  403: 'This page is too old to compute. Reload it; what you typed stays.',
  404: 'It has expired. Run the same inputs again.',
  408: 'The connection is slow. Try again.',
  413: 'Send less: a shorter netlist or list.',
  500: 'This is a defect of the service. Your input is kept; please report the request id.',
  503: 'The service is busy or a part of it is down.',
  504: 'Ask for less: fewer points, a shorter time, a smaller board.',
};

/** Sends a request and returns the parsed answer with its status; throws ApiError or an AbortError. */
export async function requestJson(method, url, body, { signal, headers = {}, again = true } = {}) {
  let answer;
  let text;
  try {
    answer = await fetch(url, {
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
    text = await answer.text();
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new ApiError({ title: 'No connection', advice: advice[0] });
  }
  if (
    answer.status === 403 &&
    again &&
    url.startsWith('/ui/') &&
    (await renew().catch(() => false))
  )
    return requestJson(method, url, body, { signal, headers, again: false });
  let data;
  try {
    data = text === '' ? null : JSON.parse(text);
  } catch {
    throw new ApiError({
      title: 'The answer could not be read',
      advice: 'Something between this page and the server changed it. Try again.',
      status: answer.status,
    });
  }
  if (answer.ok) return { status: answer.status, data, headers: answer.headers };
  throw apiErrorOf(answer.status, data, Number(answer.headers.get('Retry-After') ?? 0));
}

/** The error of a problem document. */
export function apiErrorOf(status, problem, retry = 0) {
  const kind = (problem?.type ?? '').split('/').at(-1);
  if (kind === 'job-cancelled')
    return new ApiError({ title: 'The job was cancelled.', status, kind });
  let what = advice[status] ?? '';
  if (status === 429 && !problem?.detail) what = 'Too many requests from your address.';
  if (retry > 0 && !problem?.detail?.includes('try again in')) what += ` Try again in ${retry} s.`;
  if (status >= 500 && problem?.request_id) what += ` Request ${problem.request_id}.`;
  const title =
    status === 400 && problem?.errors?.length
      ? problem.title
      : `${problem?.title ?? `Error ${status}`}${problem?.detail ? `: ${problem.detail}` : ''}`;
  return new ApiError({ title, advice: what, errors: problem?.errors ?? [], status, retry, kind });
}

/** Computes a tool: body is JSON text; the answer is the envelope. */
export async function compute(tool, body, signal) {
  return (await requestJson('POST', `/ui/run/${tool}`, body, { signal })).data;
}

/** Computes a tool for many values of one field; see api/sweep.go. */
export async function sweep(tool, input, field, values, signal) {
  return (
    await requestJson(
      'POST',
      `/ui/sweep/${tool}`,
      `{"input":${input},"field":${JSON.stringify(field)},"values":${JSON.stringify(values)}}`,
      { signal },
    )
  ).data.points;
}
