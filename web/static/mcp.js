// The settings for MCP clients, and a test of the endpoint.
import { copy } from './shell.js';
import { loadTabKey } from './tab_key.js';

const form = document.getElementById('mcp');
const categories = [...form.querySelectorAll('[name="category"]')];
const keyInput = document.getElementById('mcpkey');
const config = document.getElementById('config');

const initializeRequest = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'setup-page', version: '1' },
  },
};

const key = () => keyInput.value.trim();
const keyHeaders = () => (key() ? { 'X-Api-Key': key() } : {});

/**
 * Returns the address of the endpoint with the selected categories.
 * @param {string} [queryKey] the key, for a client that sends no headers
 */
function endpoint(queryKey = '') {
  const selected = categories.filter((c) => c.checked).map((c) => c.value);
  const url = new URL('/mcp', location.origin);
  if (selected.length < categories.length) url.search = `tools=${selected.join(',')}`;
  if (queryKey) url.searchParams.set('key', queryKey);
  return url.href.replaceAll('%2C', ',');
}

const httpServer = () => ({
  type: 'http',
  url: endpoint(),
  ...(key() ? { headers: keyHeaders() } : {}),
});

function curlCommand() {
  const lines = [`curl -s '${endpoint()}'`, `-H 'Accept: application/json, text/event-stream'`];
  if (key()) lines[1] += ` -H 'X-Api-Key: ${key().replaceAll("'", '')}'`;
  return [...lines, `--json '${JSON.stringify(initializeRequest)}'`].join(' \\\n  ');
}

const indent = (value) => JSON.stringify(value, null, 2);

/** The settings of each client. */
const settings = {
  mcpServers: () => indent({ mcpServers: { slipstick: httpServer() } }),
  servers: () => indent({ servers: { slipstick: httpServer() } }),
  bridge: () =>
    indent({
      mcpServers: { slipstick: { command: 'npx', args: ['mcp-remote', endpoint(key())] } },
    }),
  curl: curlCommand,
};

/** Returns the number of tools in words. Some clients limit it. */
function countText(count) {
  if (count === 0) return 'Choose at least one category.';
  if (count > 80) return `${count} tools; some clients accept at most 40 or 80.`;
  if (count > 40) return `${count} tools; a few clients accept at most 40.`;
  return `${count} tools.`;
}

function refresh() {
  const selected = categories.filter((c) => c.checked);
  const count = selected.reduce((n, c) => n + Number(c.dataset.count), 0);
  document.getElementById('count').textContent = countText(count);
  config.textContent = settings[document.getElementById('client').value]();
}

/** Returns the JSON-RPC message of a response, which is JSON or the last of a stream of events. */
async function readMessage(response) {
  const text = await response.text();
  if (!(response.headers.get('Content-Type') ?? '').includes('event-stream'))
    return text ? JSON.parse(text) : {};
  const events = text.split('\n').filter((line) => line.startsWith('data:'));
  const last = events.at(-1)?.slice('data:'.length);
  return last ? JSON.parse(last) : {};
}

const post = (message, sessionHeaders = {}) =>
  fetch(endpoint(), {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...keyHeaders(),
      ...sessionHeaders,
    },
    body: JSON.stringify(message),
  });

/** Counts all tools of a session, and those for batches, over all pages of the list. */
async function countTools(sessionHeaders) {
  const counts = { all: 0, batch: 0 };
  let cursor;
  do {
    const params = cursor ? { cursor } : {};
    const request = { jsonrpc: '2.0', id: 2, method: 'tools/list', params };
    const { result } = await readMessage(await post(request, sessionHeaders));
    counts.all += result.tools.length;
    counts.batch += result.tools.filter((t) => t.name.startsWith('batch_')).length;
    cursor = result.nextCursor;
  } while (cursor);
  return counts;
}

/** Starts a session and returns a text about the server, its tools and the protocol. */
async function describeServer() {
  const response = await post(initializeRequest);
  if (!response.ok) {
    const isMissing = response.status === 404 || response.status === 405;
    const reason = isMissing ? '; this server has no MCP endpoint' : '';
    return `The endpoint returned ${response.status}${reason}.`;
  }
  const { result } = await readMessage(response);
  const session = response.headers.get('Mcp-Session-Id');
  const sessionHeaders = {
    ...(session ? { 'Mcp-Session-Id': session } : {}),
    'MCP-Protocol-Version': result.protocolVersion,
  };
  await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, sessionHeaders);
  const { all, batch } = await countTools(sessionHeaders);
  const server = `${result.serverInfo?.name ?? 'The server'} ${result.serverInfo?.version ?? ''}`;
  return `${server} responds with ${all} tools, ${batch} of them for batches; protocol ${result.protocolVersion}.`;
}

async function test() {
  const output = document.getElementById('tested');
  output.textContent = 'Testing…';
  try {
    output.textContent = await describeServer();
  } catch {
    output.textContent = 'The endpoint cannot be reached, or its response cannot be read.';
  }
}

keyInput.value = loadTabKey();
form.addEventListener('input', refresh);
form.addEventListener('submit', (event) => event.preventDefault());
document
  .getElementById('copyconfig')
  .addEventListener('click', (event) => copy(config.textContent, event.currentTarget));
document.getElementById('test').addEventListener('click', test);
refresh();
