// The page of API keys: issues a key, checks today's usage and shows the usage by day.
import { h } from './dom.js';
import { requestJson, ApiError } from './run.js';
import { drawError } from './result.js';
import { copy } from './shell.js';
import { saveTabKey, loadTabKey } from './tab_key.js';

const prefixLength = 12; // characters of a key that identify it

const element = (id) => document.getElementById(id);
const valueOf = (id) => element(id).value.trim();

/**
 * Runs an action when a form is submitted, one at a time, and draws its ApiError into a box.
 * @param {string} formId
 * @param {string} boxId
 * @param {function(HTMLElement): Promise} action receives the box
 * @param {function(ApiError): ApiError} explain
 */
function onSubmit(formId, boxId, action, explain = (error) => error) {
  let isPending = false;
  element(formId).addEventListener('submit', async (event) => {
    event.preventDefault();
    if (isPending) return; // a second click would issue a second key
    isPending = true;
    const box = element(boxId);
    try {
      await action(box);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      drawError(box, explain(error));
    } finally {
      isPending = false;
    }
  });
}

async function issueKey(box) {
  const label = valueOf('label');
  const { data } = await requestJson('POST', '/api/keys', JSON.stringify(label ? { label } : {}));
  const onclick = (event) => copy(data.key, event.currentTarget);
  const limits = `${data.tier}: ${data.rate_limit}, expires in ${data.expires_in}.`;
  box.replaceChildren(
    h('p', {}, h('b', {}, 'Store it now: it is shown this once.')),
    h(
      'p',
      {},
      h('code', { id: 'newkey' }, data.key),
      ' ',
      h('button', { type: 'button', onclick }, 'Copy'),
    ),
    h('p', {}, `${limits} Its first ${prefixLength} characters name it.`),
  );
  element('key').value = data.key;
  element('left').replaceChildren(); // the usage of another key
  saveTabKey(data.key);
}

/** Explains the errors of a server that has no key store. */
function explainIssueError(error) {
  if (error.status !== 404 && error.status !== 405) return error;
  return new ApiError({
    title: 'This server issues no keys',
    advice: 'It was started without a key store.',
  });
}

/** Returns the numeric parameters of a structured header such as "day";r=137;t=5400. */
function headerParameters(header) {
  const matches = (header ?? '').matchAll(/;\s*(\w+)=(\d+)/g);
  return Object.fromEntries([...matches].map(([, name, value]) => [name, Number(value)]));
}

/** Makes one call with the key and shows the limits in the headers of the response. */
async function checkUsage(box) {
  const key = valueOf('key');
  const { headers } = await requestJson('POST', '/api/dbm_convert', '{"dbm":0}', {
    headers: key ? { 'X-Api-Key': key } : {},
  });
  const { r: remaining, t: resetSeconds } = headerParameters(headers.get('RateLimit'));
  const { q: quota = remaining } = headerParameters(headers.get('RateLimit-Policy'));
  saveTabKey(key);
  if (remaining === undefined) {
    box.textContent = 'No limit applies to this caller.';
    return;
  }
  const used = quota - remaining;
  const resetHours = (resetSeconds / 3600).toFixed(1);
  box.replaceChildren(
    h('p', {}, `${used} of ${quota} calls used; ${remaining} left. Resets in ${resetHours} h.`),
    h('meter', { min: 0, max: quota, value: used, 'aria-label': 'Used today' }),
  );
}

async function showHistory(box) {
  const [prefix, jwt] = [valueOf('prefix').slice(0, prefixLength), valueOf('jwt')];
  if (!prefix || !jwt) return;
  const dates = ['from', 'to'].map((id) => [id, valueOf(id)]).filter(([, date]) => date);
  const query = dates.length ? `?${new URLSearchParams(dates)}` : '';
  const url = `/api/keys/${encodeURIComponent(prefix)}/usage${query}`;
  const { data } = await requestJson('GET', url, undefined, {
    headers: { Authorization: `Bearer ${jwt}` },
  });
  const { drawUsage } = await import('./keys_usage.js');
  drawUsage(box, data);
}

element('key').value = loadTabKey();
onSubmit('issue', 'issued', issueKey, explainIssueError);
onSubmit('usage', 'left', checkUsage);
onSubmit('history', 'chart', showHistory);
