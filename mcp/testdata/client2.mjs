// Drives a server with the official TypeScript client of the second generation, which speaks the
// revision 2026-07-28: discovers the server, lists the tools, calls each with its first example and
// reads resources. It records the status of every response that is no success.
//
// Usage: SLIPSTICK_MCP_CLIENT=folder-with-node_modules node client2.mjs http://host:port
// Prints one JSON object.
import { createRequire } from "node:module";

const require = createRequire(process.env.SLIPSTICK_MCP_CLIENT + "/");
const { Client, StreamableHTTPClientTransport } = require("@modelcontextprotocol/client");

const base = process.argv[2];
const report = { requests: 0, statuses: [], versions: [], tools: 0, calls: 0, pictures: 0, files: 0, failures: [] };
const watched = async (url, options) => {
  const response = await fetch(url, options);
  report.requests++;
  if (!response.ok) report.statuses.push(`${options?.method} ${response.status} ${options?.body}`.slice(0, 300));
  const version = new Headers(options?.headers).get("mcp-protocol-version") ?? "none";
  if (!report.versions.includes(version)) report.versions.push(version);
  return response;
};
const transport = new StreamableHTTPClientTransport(new URL(base + "/mcp?schemas=full"), { fetch: watched });
const client = new Client({ name: "slipstick-test", version: "1" }, { versionNegotiation: { mode: "auto" } });
await client.connect(transport);
const { tools } = await client.listTools();
report.tools = tools.length;
// The tools for batches: one batch of two runs, its state and its rows.
let batch;
const batchArguments = {
  batch_run: () => ({ tool: "fspl", input: { freq_mhz: 915 }, vary: [{ field: "/dist_km", values: [1, 2] }] }),
  batch_status: () => ({ id: batch }),
  batch_results: () => ({ id: batch }),
};
const ordered = [...tools].sort((a, b) => (b.name === "batch_run") - (a.name === "batch_run"));
for (const tool of ordered) {
  try {
    const input = tool.name in batchArguments
      ? batchArguments[tool.name]()
      : (await (await fetch(base + "/api/" + tool.name)).json()).examples[0].input;
    const result = await client.callTool({ name: tool.name, arguments: input });
    batch ??= result.structuredContent?.id;
    if (result.isError) throw new Error(result.content[0].text);
    report.calls++;
    report.pictures += result.content.filter((part) => part.type === "image").length;
    const link = result.content.find((part) => part.type === "resource_link");
    if (link && tool.name === "pcb_layout") {
      const { contents } = await client.readResource({ uri: link.uri + "/file_list" });
      for (const { name } of JSON.parse(contents[0].text)) {
        const file = await client.readResource({ uri: `${link.uri}/files/${encodeURIComponent(name)}` });
        if (file.contents[0].text.length > 0) report.files++;
      }
    }
  } catch (e) {
    report.failures.push(`${tool.name}: ${e.message}`);
  }
}
await client.close();
console.log(JSON.stringify(report));
