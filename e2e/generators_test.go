package e2e

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// generators is the folder of the programs that use generated clients.
const generators = "testdata/generators"

// document writes the OpenAPI document of a service to a folder and returns its path.
func document(t *testing.T, base, dir string) string {
	t.Helper()
	res, err := http.Get(base + "/api/docs")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "openapi.json")
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// runIn runs a program in a folder. If the program fails, runIn fails the test with the output.
func runIn(t *testing.T, dir, program string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", program, args, err, out)
	}
}

// TestTypeScriptGenerators generates clients from the OpenAPI document, compiles a program against
// each in strict mode, and runs it. The program calls ten tools, omits a field, and follows the 202
// response of a queued tool.
func TestTypeScriptGenerators(t *testing.T) {
	t.Parallel()
	modules := nodeModules(t, "SLIPSTICK_GENERATORS",
		"openapi-typescript, openapi-fetch, @hey-api/openapi-ts, orval, typescript and node@22")
	base, dir := serveEmbedded(t), t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(generators)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(modules, "node_modules"),
		filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	api, bin := document(t, base, dir), filepath.Join(modules, "node_modules", ".bin")
	node := func(program string, args ...string) {
		t.Helper()
		runIn(t, dir, filepath.Join(bin, "node"), append([]string{filepath.Join(bin, program)},
			args...)...)
	}
	node("openapi-typescript", api, "-o", "openapi-typescript/schema.ts")
	node("openapi-ts", "-i", api, "-o", "hey-api", "-c", "@hey-api/client-fetch")
	config := `module.exports = { slipstick: { input: { target: "openapi.json" },
		output: { mode: "single", client: "fetch", target: "orval/client.ts", baseUrl: "` + base +
		`" } } };`
	if err := os.WriteFile(filepath.Join(dir, "orval.config.cjs"), []byte(config),
		0o600); err != nil {
		t.Fatal(err)
	}
	node("orval", "--config", "orval.config.cjs")
	node("tsc", "-p", ".")
	for _, name := range []string{"openapi-typescript", "hey-api", "orval"} {
		t.Run(name, func(t *testing.T) {
			// The compiled imports have no .js suffix, which Node.js requires; esbuild resolves
			// them.
			runIn(t, dir, filepath.Join(bin, "esbuild"), "out/"+name+".js", "--bundle",
				"--platform=node", "--format=esm", "--outfile=out/"+name+".mjs")
			runIn(t, dir, filepath.Join(bin, "node"), "out/"+name+".mjs", base)
		})
	}
}

// TestGoGenerators verifies that generated Go clients compile and run. Each generator is a separate
// module and needs the module proxy.
func TestGoGenerators(t *testing.T) {
	t.Parallel()
	if os.Getenv("SLIPSTICK_GENERATORS") == "" {
		t.Skip(
			"SKIPPED: SLIPSTICK_GENERATORS is not set; .ci/run sets it where registries are reached")
	}
	base, dir := serveEmbedded(t), t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(generators)); err != nil {
		t.Fatal(err)
	}
	api := document(t, base, dir)
	for name, args := range map[string][]string{
		"oapi-codegen": {"tool", "oapi-codegen", "-config", "config.yaml", api},
		"ogen":         {"tool", "ogen", "-target", "client", "-package", "client", "-clean", api},
	} {
		t.Run(name, func(t *testing.T) {
			module := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Join(module, "client"), 0o755); err != nil {
				t.Fatal(err)
			}
			runIn(t, module, "go", args...)
			// Optimizing the clients of all tools would take most of the time.
			runIn(t, module, "go", "build", "-gcflags=./...=-N -l", "-o", "program", ".")
			runIn(t, module, filepath.Join(module, "program"), base)
		})
	}
}
