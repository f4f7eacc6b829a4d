// The request as code for other programs, and the result as text for a report.
import { joined, partsOf, withUnit } from './quantity.js';
import { repeats } from './result.js';
import { copy } from './shell.js';

/** Text as one shell word. */
export const shellWord = (s) => `'${s.replaceAll("'", "'\\''")}'`;

/** Inputs and results as a table in Markdown; lists and groups are left to the JSON. */
function markdown(tool, body, result) {
  const cell = (v, f) =>
    (typeof v === 'boolean' ? (v ? 'yes' : 'no') : joined(partsOf(f, v)))
      .replaceAll('|', '\\|')
      .replaceAll('\n', ' ');
  const rows = (fields, values) =>
    fields
      .filter(
        (f) =>
          ['number', 'string', 'boolean'].includes(typeof values[f.name]) && values[f.name] !== '',
      )
      .map((f) => `| ${f.label} | ${cell(values[f.name], withUnit(f, values))} |`);
  const input = JSON.parse(body);
  const href = location.href.replaceAll('(', '%28').replaceAll(')', '%29'); // a parenthesis may end the link
  return [
    `**[${tool.title}](${href})**`,
    '',
    '| Input | Value |',
    '|---|---|',
    ...rows(tool.input, input),
    '',
    '| Result | Value |',
    '|---|---|',
    ...rows(
      tool.output.filter((f) => !repeats(tool, f, result, input)),
      result,
    ),
    ...(result.warnings ?? []).map((w) => `\n> ${w}`),
    '',
  ].join('\n');
}

/** Settings for MCP clients that offer the tools of a tool's category. */
function mcpConfigs(tool) {
  const url = `${location.origin}/mcp?tools=${tool.category}`;
  const json = (value) => JSON.stringify(value, null, 2);
  return {
    'MCP config': json({ mcpServers: { slipstick: { type: 'http', url } } }),
    'VS Code': json({ servers: { slipstick: { type: 'http', url } } }),
    'mcp-remote': json({
      mcpServers: { slipstick: { command: 'npx', args: ['mcp-remote', url] } },
    }),
  };
}

function kinds(tool, body, envelope) {
  const pretty = JSON.stringify(JSON.parse(body), null, 2);
  const url = `${location.origin}/api/${tool.name}`;
  return {
    curl: `curl -s ${url} \\\n  --json ${shellWord(body)}`,
    Python: `import json, urllib.request\n\nrequest = urllib.request.Request(\n    ${JSON.stringify(url)},\n    data=json.dumps(json.loads(r"""${pretty.replaceAll('"""', '\\"\\"\\"')}""")).encode(),\n    headers={"Content-Type": "application/json"},\n)\nwith urllib.request.urlopen(request) as answer:\n    result = json.load(answer)["result"]\nprint(result)`,
    TypeScript: `const answer = await fetch(${JSON.stringify(url)}, {\n  method: "POST",\n  headers: { "Content-Type": "application/json" },\n  body: JSON.stringify(${pretty.replaceAll('\n', '\n  ')}),\n});\nif (!answer.ok) throw new Error((await answer.json()).title);\nconst { result } = await answer.json();\nconsole.log(result);`,
    Go: `package main\n\nimport (\n\t"encoding/json"\n\t"fmt"\n\t"log"\n\t"net/http"\n\t"strings"\n)\n\nfunc main() {\n\tbody := ${pretty.includes('`') ? JSON.stringify(body) : `\`${pretty}\``}\n\tresp, err := http.Post(${JSON.stringify(url)}, "application/json", strings.NewReader(body))\n\tif err != nil {\n\t\tlog.Fatal(err)\n\t}\n\tdefer resp.Body.Close()\n\tvar answer struct {\n\t\tTitle  string          \`json:"title"\` // of a problem\n\t\tResult json.RawMessage \`json:"result"\`\n\t}\n\tif err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {\n\t\tlog.Fatal(err)\n\t}\n\tif resp.StatusCode != http.StatusOK {\n\t\tlog.Fatal(answer.Title)\n\t}\n\tfmt.Println(string(answer.Result))\n}`,
    ...mcpConfigs(tool),
    'MCP call': JSON.stringify(
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: tool.name, arguments: JSON.parse(body) },
      },
      null,
      2,
    ),
    'JSON request': pretty,
    ...(envelope
      ? {
          Markdown: markdown(tool, body, envelope.result),
          'JSON answer': JSON.stringify(
            envelope,
            (k, v) =>
              Array.isArray(v) && v.length > 300 ? [...v.slice(0, 3), `… ${v.length} in all`] : v,
            2,
          ),
        }
      : {}),
  };
}

/** Draws the snippets of a request into element. */
export function drawSnippets(element, tool, body, envelope) {
  const all = kinds(tool, body, envelope);
  const chosen = element.dataset.kind in all ? element.dataset.kind : 'curl';
  const picker = document.createElement('div');
  picker.className = 'picker';
  picker.setAttribute('role', 'group');
  picker.setAttribute('aria-label', 'Form of the request');
  const text = document.createElement('pre');
  text.tabIndex = 0;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'small';
  button.textContent = 'Copy';
  button.addEventListener('click', () => copy(text.textContent, button));
  const choose = (name) => {
    element.dataset.kind = name;
    text.textContent = all[name];
    for (const b of picker.children) b.setAttribute('aria-pressed', String(b.textContent === name));
  };
  for (const name of Object.keys(all)) {
    const b = document.createElement('button');
    b.type = 'button';
    b.className = 'small';
    b.textContent = name;
    b.addEventListener('click', () => choose(name));
    picker.append(b);
  }
  const box = document.createElement('div');
  box.className = 'snippet';
  box.append(button, text);
  choose(chosen);
  element.replaceChildren(picker, box);
}
