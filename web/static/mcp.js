// The settings for MCP clients, and a test of them.
import { copy } from './shell.js';
import { tabKey } from './tab_key.js';

const form = document.getElementById('mcp');
const boxes = [...form.querySelectorAll('[name="category"]')];

function address(withKey) {
  const chosen = boxes.filter((b) => b.checked);
  const url = new URL('/mcp', location.origin);
  if (chosen.length < boxes.length) url.search = `tools=${chosen.map((b) => b.value).join(',')}`;
  const key = document.getElementById('mcpkey').value.trim();
  if (withKey && key) url.searchParams.set('key', key);
  return url.href.replaceAll('%2C', ',');
}

function config() {
  const key = document.getElementById('mcpkey').value.trim();
  const headers = key ? { headers: { 'X-Api-Key': key } } : {};
  switch (document.getElementById('client').value) {
    case 'servers':
      return JSON.stringify(
        { servers: { slipstick: { type: 'http', url: address(false), ...headers } } },
        null,
        2,
      );
    case 'bridge':
      return JSON.stringify(
        { mcpServers: { slipstick: { command: 'npx', args: ['mcp-remote', address(true)] } } },
        null,
        2,
      );
    case 'curl':
      return `curl -s '${address(false)}' \\\n  -H 'Accept: application/json, text/event-stream'${key ? ` -H 'X-Api-Key: ${key.replaceAll("'", '')}'` : ''} \\\n  --json '${JSON.stringify(initialize)}'`;
    default:
      return JSON.stringify(
        { mcpServers: { slipstick: { type: 'http', url: address(false), ...headers } } },
        null,
        2,
      );
  }
}

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'setup-page', version: '1' },
  },
};

document.getElementById('mcpkey').value = tabKey();

function refresh() {
  const count = boxes.filter((b) => b.checked).reduce((n, b) => n + Number(b.dataset.count), 0);
  document.getElementById('count').textContent =
    count === 0
      ? 'Choose at least one category.'
      : `${count} tools${count > 80 ? '; some clients accept at most 40 or 80' : count > 40 ? '; a few clients accept at most 40' : ''}.`;
  document.getElementById('config').textContent = config();
}

/** The message of an answer, which may be one JSON or a stream of events. */
async function message(answer) {
  const text = await answer.text();
  const data = (answer.headers.get('Content-Type') ?? '').includes('event-stream')
    ? text
        .split('\n')
        .filter((l) => l.startsWith('data:'))
        .map((l) => l.slice(5))
        .at(-1)
    : text;
  return data ? JSON.parse(data) : {};
}

async function test() {
  const out = document.getElementById('tested');
  out.textContent = 'Asking…';
  const key = document.getElementById('mcpkey').value.trim();
  const headers = {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    ...(key ? { 'X-Api-Key': key } : {}),
  };
  const post = (body, more = {}) =>
    fetch(address(false), {
      method: 'POST',
      headers: { ...headers, ...more },
      body: JSON.stringify(body),
    });
  try {
    const first = await post(initialize);
    if (!first.ok) {
      out.textContent = `The endpoint answered ${first.status}${first.status === 404 || first.status === 405 ? '; this server has no MCP endpoint' : ''}.`;
      return;
    }
    const { result } = await message(first);
    const id = first.headers.get('Mcp-Session-Id');
    const more = {
      ...(id ? { 'Mcp-Session-Id': id } : {}),
      'MCP-Protocol-Version': result.protocolVersion,
    };
    await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, more);
    let count = 0;
    let cursor;
    do {
      const list = await message(
        await post(
          { jsonrpc: '2.0', id: 2, method: 'tools/list', params: cursor ? { cursor } : {} },
          more,
        ),
      );
      count += list.result.tools.length;
      cursor = list.result.nextCursor;
    } while (cursor);
    out.textContent = `${result.serverInfo?.name ?? 'The server'} ${result.serverInfo?.version ?? ''} answers with ${count} tools, protocol ${result.protocolVersion}.`;
  } catch {
    out.textContent = 'The endpoint cannot be reached, or its answer cannot be read.';
  }
}

form.addEventListener('input', refresh);
form.addEventListener('submit', (event) => event.preventDefault());
document
  .getElementById('copyconfig')
  .addEventListener('click', (event) =>
    copy(document.getElementById('config').textContent, event.currentTarget),
  );
document.getElementById('test').addEventListener('click', test);
refresh();
