// Drives a server with the official TypeScript client: lists the tools, calls each with every
// worked example, follows progress, aborts a call. The client itself checks every structured
// result against the tool's outputSchema and throws when it does not fit.
//
// Usage: SLIPSTICK_MCP_SDK=folder-with-node_modules node client.mjs http://host:port
//        SLIPSTICK_MCP_SDK=... node client.mjs stdio http://host:port program arguments...
// (the second address gives the examples). Prints one JSON object.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(process.env.SLIPSTICK_MCP_SDK + "/");
const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
const { StreamableHTTPClientTransport } = require("@modelcontextprotocol/sdk/client/streamableHttp.js");
const { StdioClientTransport } = require("@modelcontextprotocol/sdk/client/stdio.js");

const args = process.argv.slice(2);
const stdio = args[0] === "stdio";
const base = stdio ? args[1] : args[0];
const transport = stdio
  ? new StdioClientTransport({ command: args[2], args: args.slice(3) })
  : new StreamableHTTPClientTransport(new URL(base + "/mcp?schemas=full"));

const client = new Client({ name: "slipstick-test", version: "1" });
await client.connect(transport);
const report = { server: client.getServerVersion().name, tools: 0, calls: 0, structured: 0, failures: [], progress: 0, files: 0, aborted: false, prompts: 0, resources: 0, batchTools: 0, batchRows: 0, pictures: 0 };

const listed = (await client.listTools()).tools;
const tools = listed.filter((tool) => !tool.name.startsWith("batch_"));
report.tools = tools.length;
report.batchTools = listed.length - tools.length;
for (const tool of tools) {
  const full = stdio || (tool.title && tool.outputSchema); // over standard input the list is compact
  if (!full || !tool.description || !tool.annotations?.readOnlyHint) report.failures.push(tool.name + ": is not fully described");
  const metadata = await (await fetch(base + "/api/" + tool.name)).json();
  for (const example of metadata.examples) {
    report.calls++;
    try {
      const result = await client.callTool({ name: tool.name, arguments: example.input });
      if (result.isError) throw new Error(result.content[0].text);
      if (!result.content[0]?.text) throw new Error("no text");
      if (result.structuredContent) report.structured++;
    } catch (e) {
      report.failures.push(`${tool.name} (${example.title}): ${e.message}`);
    }
  }
}

// A board is too large for a response: its files are read from the result that the server keeps.
const board = JSON.parse(readFileSync(new URL("../../examples/boards/led_blinker_555.json", import.meta.url)));
const routed = await client.callTool({ name: "pcb_layout", arguments: board });
const whole = routed.content.find((part) => part.type === "resource_link");
if (routed.isError || !whole) report.failures.push("pcb_layout: " + routed.content[0].text);
else {
  const { contents } = await client.readResource({ uri: whole.uri });
  for (const [name, text] of Object.entries(JSON.parse(contents[0].text).files)) {
    const file = await client.readResource({ uri: `${whole.uri}/files/${encodeURIComponent(name)}` });
    if (file.contents[0].text !== text) report.failures.push(name + " differs");
    report.files++;
  }
}

// A batch: its statistics, its picture, its progress, its rows.
const batch = await client.callTool({ name: "batch_run", arguments: {
  tool: "spice_simulate", mode: "lhs", n: 20, collect: [{ name: "fc", measure: "fc" }], limits: { fc: { min: 900, max: 1100 } },
  input: { netlist: "RC low pass\nV1 in 0 AC 1\nR1 in out 1.59k\nC1 out 0 100n\n.ac dec 200 100 10k\n.meas ac fc when vdb(out)=-3.0103\n.end" },
  vary: [{ field: "element:R1", tolerance_pct: 5 }, { field: "element:C1", tolerance_pct: 10 }],
} }, undefined, { onprogress: () => {} });
if (batch.isError || batch.structuredContent?.runs_done !== 20 || !batch.content[0].text.includes("yield")) report.failures.push("batch_run: " + batch.content[0].text);
report.pictures = batch.content.filter((part) => part.type === "image" && part.mimeType === "image/png").length;
const state = await client.callTool({ name: "batch_status", arguments: { id: batch.structuredContent?.id ?? "", plot: "none" } });
if (state.structuredContent?.state !== "done") report.failures.push("batch_status: " + state.content[0].text);
const rows = await client.callTool({ name: "batch_results", arguments: { id: batch.structuredContent?.id ?? "", limit: 50 } });
report.batchRows = rows.content[0].text.split("\n").filter((line) => /^\d+,/.test(line)).length;

report.prompts = (await client.listPrompts()).prompts.length;
report.resources = (await client.listResources()).resources.length;
await client.readResource({ uri: "slipstick://tools/fspl" });

// A simulation of some seconds: heard of while it runs, and stopped.
const slow = "slow " + (stdio ? "lines" : "http") + "\nV1 in 0 SIN(0 1 1meg)\nR1 in a 10\nL1 a out 10u\nC1 out 0 1n\nD1 out 0 dm\n.model dm D(IS=1e-14 CJO=2p TT=5n)\n.tran 5n 20m\n.end";
const stop = new AbortController();
try {
  await client.callTool({ name: "spice_simulate", arguments: { netlist: slow } }, undefined, {
    signal: stop.signal,
    onprogress: (p) => {
      report.progress++;
      if (p.progress > 0 && report.progress >= 3) stop.abort("enough");
    },
  });
} catch {
  report.aborted = true;
}
if (!stdio) await transport.terminateSession();
await client.close();
console.log(JSON.stringify(report));
