// The page of API keys.
import { requestJson, ApiError } from './run.js';
import { drawError } from './result.js';
import { copy } from './shell.js';
import { saveTabKey, tabKey } from './tab_key.js';

const line = (tag, ...content) => {
  const e = document.createElement(tag);
  e.append(...content);
  return e;
};

document.getElementById('issue').addEventListener('submit', async (event) => {
  event.preventDefault();
  const box = document.getElementById('issued');
  const label = document.getElementById('label').value.trim();
  try {
    const { data } = await requestJson('POST', '/api/keys', JSON.stringify(label ? { label } : {}));
    const button = line('button', 'Copy');
    button.type = 'button';
    button.addEventListener('click', () => copy(data.key, button));
    const key = line('code', data.key);
    key.id = 'newkey';
    box.replaceChildren(
      line('p', line('b', 'Store it now: it is shown this once.')),
      line('p', key, ' ', button),
      line(
        'p',
        `${data.tier}: ${data.rate_limit}, expires in ${data.expires_in}. ${data.usage ?? ''}`,
      ),
    );
    document.getElementById('key').value = data.key;
    saveTabKey(data.key);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    drawError(
      box,
      error.status === 405 || error.status === 404
        ? new ApiError({
            title: 'This server issues no keys',
            advice: 'It was started without a key store.',
          })
        : error,
    );
  }
});

document.getElementById('key').value = tabKey();

/** The parameters of a structured header such as "day";r=137;t=5400. */
function parameters(header) {
  return Object.fromEntries(
    [...(header ?? '').matchAll(/;\s*(\w+)=(\d+)/g)].map((m) => [m[1], Number(m[2])]),
  );
}

document.getElementById('usage').addEventListener('submit', async (event) => {
  event.preventDefault();
  const box = document.getElementById('left');
  const key = document.getElementById('key').value.trim();
  try {
    const { headers } = await requestJson('POST', '/api/dbm_convert', '{"dbm":0}', {
      headers: key ? { 'X-Api-Key': key } : {},
    });
    const [left, policy] = [
      parameters(headers.get('RateLimit')),
      parameters(headers.get('RateLimit-Policy')),
    ];
    saveTabKey(key);
    if (left.r === undefined) {
      box.textContent = 'No limit applies to this caller.';
      return;
    }
    const bar = document.createElement('meter');
    [bar.min, bar.max, bar.value] = [0, policy.q ?? left.r, (policy.q ?? left.r) - left.r];
    bar.setAttribute('aria-label', 'Used today');
    box.replaceChildren(
      line(
        'p',
        `${bar.value} of ${bar.max} calls used; ${left.r} left. Resets in ${(left.t / 3600).toFixed(1)} h.`,
      ),
      bar,
    );
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    drawError(box, error);
  }
});

const prefixLength = 12; // characters of a key that name it

document.getElementById('history').addEventListener('submit', async (event) => {
  event.preventDefault();
  const box = document.getElementById('chart');
  const value = (id) => document.getElementById(id).value.trim();
  if (!value('prefix') || !value('jwt')) return;
  const q = new URLSearchParams(['from', 'to'].filter(value).map((name) => [name, value(name)]));
  try {
    const url = `/api/keys/${encodeURIComponent(value('prefix').slice(0, prefixLength))}/usage${q.size ? `?${q}` : ''}`;
    const { data } = await requestJson('GET', url, undefined, {
      headers: { Authorization: `Bearer ${value('jwt')}` },
    });
    const { drawUsage } = await import('./keys_usage.js');
    drawUsage(box, data);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    drawError(box, error);
  }
});
