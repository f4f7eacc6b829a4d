// The form of the API page, which sends requests.
import { h, smallButton } from './dom.js';
import { requestJson, ApiError } from './run.js';
import { copy } from './shell.js';
import { shellWord } from './snippets.js';
import { saveTabKey, loadTabKey } from './tab_key.js';

const maxShownChars = 20000; // of a response
const shownHeaders = ['RateLimit', 'Location', 'Retry-After', 'X-Request-Id'];

const tool = document.getElementById('tool');
const body = document.getElementById('body');
const responseBox = document.getElementById('answer');
const keyInput = document.getElementById('apikey');

/** Fills the body with the first example of the selected tool. */
async function fillExample() {
  try {
    const { data } = await requestJson('GET', `/api/${tool.value}`);
    body.value = JSON.stringify(data.examples[0].input, null, 2);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    responseBox.textContent = `${error.message}. ${error.advice}`;
  }
}

function curlCommand() {
  const key = keyInput.value.trim();
  const header = key ? ` -H ${shellWord(`X-Api-Key: ${key}`)}` : '';
  const url = `${location.origin}/api/${tool.value}`;
  return `curl -s ${url}${header} --json ${shellWord(body.value)}`;
}

/** Returns JSON with indentation, and another text unchanged. */
function indent(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function drawResponse(response, text, elapsedMs) {
  const headers = shownHeaders
    .filter((name) => response.headers.get(name))
    .map((name) => ` · ${name}: ${response.headers.get(name)}`);
  const status = `${response.status} ${response.statusText} in ${elapsedMs.toFixed(0)} ms`;
  const shown =
    text.length > maxShownChars
      ? `${text.slice(0, maxShownChars)}\n… ${text.length} characters in all`
      : text;
  const onclick = (event) => copy(curlCommand(), event.currentTarget);
  responseBox.replaceChildren(
    h('p', {}, status + headers.join('')),
    h('pre', { tabindex: 0 }, shown),
    h('p', {}, smallButton('Copy as curl', onclick)),
  );
}

/** Sends the request of the form. It does not use requestJson, because it shows errors as sent. */
async function send() {
  const key = keyInput.value.trim();
  const startedAt = performance.now();
  try {
    const response = await fetch(`/api/${tool.value}`, {
      method: 'POST',
      body: body.value,
      headers: { 'Content-Type': 'application/json', ...(key ? { 'X-Api-Key': key } : {}) },
    });
    const text = await response.text();
    if (response.ok) saveTabKey(key);
    drawResponse(response, indent(text), performance.now() - startedAt);
  } catch {
    responseBox.textContent =
      'No connection. Nothing you typed is lost; send it again when the server is back.';
  }
}

keyInput.value = loadTabKey();
document.getElementById('call').addEventListener('submit', (event) => {
  event.preventDefault();
  send();
});
tool.addEventListener('change', fillExample);
fillExample();
