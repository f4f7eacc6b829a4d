// The MCP App of results: it shows the pictures of a tool's answer, or its text. It speaks JSON-RPC
// with the host by postMessage (MCP Apps, 2026-01-26) and asks for nothing else.
const pictures = /^image\/(png|svg\+xml)$/;
const base64 = /^[A-Za-z0-9+/]+={0,2}$/;
const initialize = 1;
const send = (message) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*');

function show(result) {
  const view = document.querySelector('main');
  const content = Array.isArray(result?.content) ? result.content.filter(Boolean) : [];
  const images = content.filter(
    (c) => c.type === 'image' && pictures.test(c.mimeType) && base64.test(c.data),
  );
  const parts = images.map((c, i) => {
    const img = document.createElement('img');
    img.alt = images.length > 1 ? `Picture ${i + 1} of ${images.length}` : 'Picture of the result';
    img.src = `data:${c.mimeType};base64,${c.data}`;
    return img;
  });
  if (parts.length === 0) {
    const text = document.createElement('pre');
    text.textContent =
      content
        .filter((c) => c.type === 'text')
        .map((c) => c.text)
        .join('\n') || 'No result';
    parts.push(text);
  }
  view.replaceChildren(...parts);
}

function setTheme(context) {
  if (context?.theme) document.documentElement.style.colorScheme = context.theme;
}

addEventListener('message', (event) => {
  const m = event.data;
  if (event.source !== parent || m?.jsonrpc !== '2.0') return;
  if (m.id === initialize && m.method === undefined) {
    setTheme(m.result?.hostContext);
    send({ method: 'ui/notifications/initialized' });
  } else if (m.method === 'ui/notifications/tool-result') show(m.params);
  else if (m.method === 'ui/notifications/tool-cancelled')
    show({ content: [{ type: 'text', text: 'Cancelled' }] });
  else if (m.method === 'ui/notifications/host-context-changed') setTheme(m.params);
  else if ((m.id !== undefined && m.method === 'ping') || m.method === 'ui/resource-teardown')
    send({ id: m.id, result: {} });
  else if (m.id !== undefined && m.method)
    send({ id: m.id, error: { code: -32601, message: 'Method not found' } });
});

new ResizeObserver(() => {
  const { width, height } = document.documentElement.getBoundingClientRect();
  send({
    method: 'ui/notifications/size-changed',
    params: { width: Math.ceil(width), height: Math.ceil(height) },
  });
}).observe(document.documentElement);

send({
  id: initialize,
  method: 'ui/initialize',
  params: {
    protocolVersion: '2026-01-26',
    appInfo: { name: 'slipstick', version: '1.0.0' },
    appCapabilities: {},
  },
});
