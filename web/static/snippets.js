// The request as code for other programs, and the result as text for a report.
import { h, smallButton } from './dom.js';
import { joinParts, fieldParts, resolveUnit } from './quantity.js';
import { repeatsInput } from './result_model.js';
import { copy } from './shell.js';

const maxListed = 300; // entries of a list in the JSON response; longer lists are cut
const listedOfCut = 3; // entries of a cut list

const jsonOf = (value, replacer) => JSON.stringify(value, replacer, 2);

/** Quotes a text as one word of a shell. */
export const shellWord = (s) => `'${s.replaceAll("'", "'\\''")}'`;

function formatScalar(v, f) {
  if (typeof v === 'boolean') return v ? 'yes' : 'no';
  return joinParts(fieldParts(f, v));
}

/** Returns the rows of a Markdown table. Lists and groups are only in the JSON. */
function markdownRows(fields, values) {
  const escaped = (text) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
  const isScalar = (v) => ['number', 'string', 'boolean'].includes(typeof v) && v !== '';
  return fields
    .filter((f) => isScalar(values[f.name]))
    .map(
      (f) => `| ${f.label} | ${escaped(formatScalar(values[f.name], resolveUnit(f, values)))} |`,
    );
}

/** Returns the inputs and results as Markdown. */
function markdownOf(tool, body, result) {
  const input = JSON.parse(body);
  // A parenthesis may end the link.
  const href = location.href.replaceAll('(', '%28').replaceAll(')', '%29');
  const shown = tool.output.filter((f) => !repeatsInput(tool, f, result, input));
  return [
    `**[${tool.title}](${href})**`,
    '',
    '| Input | Value |',
    '|---|---|',
    ...markdownRows(tool.input, input),
    '',
    '| Result | Value |',
    '|---|---|',
    ...markdownRows(shown, result),
    ...(result.warnings ?? []).map((w) => `\n> ${w}`),
    '',
  ].join('\n');
}

const pythonOf = (url, json) => `import json, urllib.request

request = urllib.request.Request(
    ${JSON.stringify(url)},
    data=json.dumps(json.loads(r"""${json.replaceAll('"""', '\\"\\"\\"')}""")).encode(),
    headers={"Content-Type": "application/json"},
)
with urllib.request.urlopen(request) as response:
    result = json.load(response)["result"]
print(result)`;

const typeScriptOf = (url, json) => `const response = await fetch(${JSON.stringify(url)}, {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(${json.replaceAll('\n', '\n  ')}),
});
if (!response.ok) throw new Error((await response.json()).title);
const { result } = await response.json();
console.log(result);`;

const goOf = (url, json, body) => `package main

import (
\t"encoding/json"
\t"fmt"
\t"log"
\t"net/http"
\t"strings"
)

func main() {
\tbody := ${json.includes('`') ? JSON.stringify(body) : `\`${json}\``}
\tresp, err := http.Post(${JSON.stringify(url)}, "application/json", strings.NewReader(body))
\tif err != nil {
\t\tlog.Fatal(err)
\t}
\tdefer resp.Body.Close()
\tvar response struct {
\t\tTitle  string          \`json:"title"\` // of a problem
\t\tResult json.RawMessage \`json:"result"\`
\t}
\tif err := json.NewDecoder(resp.Body).Decode(&response); err != nil {
\t\tlog.Fatal(err)
\t}
\tif resp.StatusCode != http.StatusOK {
\t\tlog.Fatal(response.Title)
\t}
\tfmt.Println(string(response.Result))
}`;

/** Returns the settings of MCP clients for the tools of a tool's category. */
function mcpConfigs(tool) {
  const url = `${location.origin}/mcp?tools=${tool.category}`;
  return {
    'MCP config': jsonOf({ mcpServers: { slipstick: { type: 'http', url } } }),
    'VS Code': jsonOf({ servers: { slipstick: { type: 'http', url } } }),
    'mcp-remote': jsonOf({
      mcpServers: { slipstick: { command: 'npx', args: ['mcp-remote', url] } },
    }),
  };
}

const mcpCallOf = (tool, body) =>
  jsonOf({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: tool.name, arguments: JSON.parse(body) },
  });

/** Shortens long lists, for JSON.stringify. */
const cutList = (key, v) =>
  Array.isArray(v) && v.length > maxListed
    ? [...v.slice(0, listedOfCut), `… ${v.length} in all`]
    : v;

/** Returns the snippets of a request by name. */
function snippetsOf(tool, body, envelope) {
  const json = jsonOf(JSON.parse(body));
  const url = `${location.origin}/api/${tool.name}`;
  return {
    curl: `curl -s ${url} \\\n  --json ${shellWord(body)}`,
    Python: pythonOf(url, json),
    TypeScript: typeScriptOf(url, json),
    Go: goOf(url, json, body),
    ...mcpConfigs(tool),
    'MCP call': mcpCallOf(tool, body),
    'JSON request': json,
    ...(envelope && {
      Markdown: markdownOf(tool, body, envelope.result),
      'JSON response': jsonOf(envelope, cutList),
    }),
  };
}

/**
 * Draws the snippets of a request into an element, which remembers the chosen one.
 * @param {string} body of the request, as JSON text
 * @param {object} [envelope] the response
 */
export function drawSnippets(element, tool, body, envelope) {
  const snippets = snippetsOf(tool, body, envelope);
  const text = h('pre', { tabindex: 0 });
  const copyButton = smallButton('Copy', () => copy(text.textContent, copyButton));
  const choose = (name) => {
    element.dataset.kind = name;
    text.textContent = snippets[name];
    for (const b of picker.children) b.setAttribute('aria-pressed', String(b.textContent === name));
  };
  const picker = h(
    'div',
    { class: 'picker', role: 'group', 'aria-label': 'Form of the request' },
    Object.keys(snippets).map((name) => smallButton(name, () => choose(name))),
  );
  choose(element.dataset.kind in snippets ? element.dataset.kind : 'curl');
  element.replaceChildren(picker, h('div', { class: 'snippet' }, copyButton, text));
}
