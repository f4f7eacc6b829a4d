// Routes a board with @tscircuit/capacity-autorouter. Reads a SimpleRouteJson from standard
// input and writes {traces, failed, error, ms}. The first argument is the package's main file.
import { readFileSync } from "node:fs"
import { pathToFileURL } from "node:url"

const { AutoroutingPipelineSolver } = await import(pathToFileURL(process.argv[2]).href)
console.log = console.warn = console.error = () => {} // the result alone goes to standard output
const begun = performance.now()
const out = { traces: [], failed: false, error: "" }
try {
  const solver = new AutoroutingPipelineSolver(JSON.parse(readFileSync(0, "utf8")))
  while (!solver.solved && !solver.failed) solver.step()
  out.failed = solver.failed
  out.error = String(solver.error ?? "")
  if (!solver.failed) out.traces = solver.getOutputSimpleRouteJson().traces ?? []
} catch (e) {
  out.failed = true
  out.error = String(e)
}
out.ms = performance.now() - begun
process.stdout.write(JSON.stringify(out))
