// The API's page: a place to try calls.
import { requestJson, ApiError } from './run.js';
import { copy } from './shell.js';
import { shellWord } from './snippets.js';
import { saveTabKey, tabKey } from './tab_key.js';

const tool = document.getElementById('tool');
const body = document.getElementById('body');
const answer = document.getElementById('answer');
const apikey = document.getElementById('apikey');
apikey.value = tabKey();

async function example() {
  try {
    const { data } = await requestJson('GET', `/api/${tool.value}`);
    body.value = JSON.stringify(data.examples[0].input, null, 2);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    answer.textContent = `${error.message}. ${error.advice}`;
  }
}

function show(status, headers, text, took) {
  const head = document.createElement('p');
  head.textContent = `${status} in ${took.toFixed(0)} ms${['RateLimit', 'Location', 'Retry-After', 'X-Request-Id'].map((h) => (headers.get(h) ? ` · ${h}: ${headers.get(h)}` : '')).join('')}`;
  const pre = document.createElement('pre');
  pre.tabIndex = 0;
  pre.textContent =
    text.length > 20000 ? `${text.slice(0, 20000)}\n… ${text.length} characters in all` : text;
  const row = document.createElement('p');
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'small';
  button.textContent = 'Copy as curl';
  button.addEventListener('click', () =>
    copy(
      `curl -s ${location.origin}/api/${tool.value}${apikey.value.trim() ? ` -H ${shellWord(`X-Api-Key: ${apikey.value.trim()}`)}` : ''} --json ${shellWord(body.value)}`,
      button,
    ),
  );
  row.append(button);
  answer.replaceChildren(head, pre, row);
}

document.getElementById('call').addEventListener('submit', async (event) => {
  event.preventDefault();
  const key = apikey.value.trim();
  const began = performance.now();
  try {
    const a = await fetch(`/api/${tool.value}`, {
      method: 'POST',
      body: body.value,
      headers: { 'Content-Type': 'application/json', ...(key ? { 'X-Api-Key': key } : {}) },
    });
    const text = await a.text();
    if (a.ok) saveTabKey(key);
    let pretty = text;
    try {
      pretty = JSON.stringify(JSON.parse(text), null, 2);
    } catch {
      /* shown as it came */
    }
    show(`${a.status} ${a.statusText}`, a.headers, pretty, performance.now() - began);
  } catch {
    answer.textContent =
      'No connection. Nothing you typed is lost; send it again when the server is back.';
  }
});
tool.addEventListener('change', example);
example();
