// The MCP App of results: it shows the pictures of a tool's response, or its text. It exchanges
// JSON-RPC messages with the host by postMessage (MCP Apps, 2026-01-26) and loads no other file.
const imageTypes = /^image\/(png|svg\+xml)$/;
const base64 = /^[A-Za-z0-9+/]+={0,2}$/;
const initializeId = 1; // of the request "ui/initialize"
const methodNotFound = -32601;

const send = (message) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*');

/** Shows the images of a tool result, or its text if there are none. */
function showResult(result) {
  const content = Array.isArray(result?.content) ? result.content.filter(Boolean) : [];
  const images = content.filter(
    (c) => c.type === 'image' && imageTypes.test(c.mimeType) && base64.test(c.data),
  );
  const nodes = images.map((c, i) => {
    const img = document.createElement('img');
    img.alt = images.length > 1 ? `Picture ${i + 1} of ${images.length}` : 'Picture of the result';
    img.src = `data:${c.mimeType};base64,${c.data}`;
    return img;
  });
  if (nodes.length === 0) nodes.push(createText(content));
  document.querySelector('main').replaceChildren(...nodes);
}

function createText(content) {
  const texts = content.filter((c) => c.type === 'text').map((c) => c.text);
  const pre = document.createElement('pre');
  pre.textContent = texts.join('\n') || 'No result';
  return pre;
}

function setTheme(context) {
  if (context?.theme) document.documentElement.style.colorScheme = context.theme;
}

const notifications = {
  'ui/notifications/tool-result': showResult,
  'ui/notifications/tool-cancelled': () =>
    showResult({ content: [{ type: 'text', text: 'Cancelled' }] }),
  'ui/notifications/host-context-changed': setTheme,
};

addEventListener('message', (event) => {
  const m = event.data;
  if (event.source !== parent || m?.jsonrpc !== '2.0') return;
  const isRequest = m.id !== undefined;
  if (m.id === initializeId && m.method === undefined) {
    setTheme(m.result?.hostContext);
    send({ method: 'ui/notifications/initialized' });
  } else if (Object.hasOwn(notifications, m.method)) {
    notifications[m.method](m.params);
  } else if ((isRequest && m.method === 'ping') || m.method === 'ui/resource-teardown') {
    send({ id: m.id, result: {} });
  } else if (isRequest && m.method) {
    send({ id: m.id, error: { code: methodNotFound, message: 'Method not found' } });
  }
});

new ResizeObserver(() => {
  const { width, height } = document.documentElement.getBoundingClientRect();
  send({
    method: 'ui/notifications/size-changed',
    params: { width: Math.ceil(width), height: Math.ceil(height) },
  });
}).observe(document.documentElement);

send({
  id: initializeId,
  method: 'ui/initialize',
  params: {
    protocolVersion: '2026-01-26',
    appInfo: { name: 'slipstick', version: '1.0.0' },
    appCapabilities: {},
  },
});
