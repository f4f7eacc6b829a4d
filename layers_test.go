package main

import (
	"os/exec"
	"strings"
	"testing"
)

// allowed lists the packages of this module that a package may import. A package that is not listed
// may import none.
var allowed = map[string][]string{
	"slipstick": {"slipstick/cmd"},
	"slipstick/cmd": {"slipstick/autorouter/board",
		"slipstick/autorouter/kicad", "slipstick/autorouter/placed",
		"slipstick/autorouter/specctra", "slipstick/internal/buildinfo", "slipstick/api",
		"slipstick/api/idempotency", "slipstick/api/listener", "slipstick/batch",
		"slipstick/batch/service", "slipstick/mcp", "slipstick/plot", "slipstick/result",
		"slipstick/worker",
		"slipstick/keys", "slipstick/tools", "slipstick/tools/catalog", "slipstick/tools/docgen",
		"slipstick/tools/schema"},
	"slipstick/api": {"slipstick/internal/rawjson", "slipstick/result",
		"slipstick/api/idempotency", "slipstick/api/listener", "slipstick/api/openapi",
		"slipstick/batch", "slipstick/batch/service", "slipstick/mcp", "slipstick/call",
		"slipstick/worker", "slipstick/keys", "slipstick/keys/ratelimit", "slipstick/tools",
		"slipstick/tools/schema", "slipstick/web"},
	"slipstick/api/openapi": {"slipstick/keys", "slipstick/tools",
		"slipstick/tools/schema"},
	"slipstick/mcp": {"slipstick/internal/rawjson", "slipstick/result",
		"slipstick/batch", "slipstick/batch/service", "slipstick/plot", "slipstick/call",
		"slipstick/worker", "slipstick/keys", "slipstick/tools", "slipstick/tools/schema",
		"slipstick/tools/docgen"},
	"slipstick/batch": {"slipstick/internal/rawjson", "slipstick/plot", "slipstick/spice/netlist",
		"slipstick/tools", "slipstick/tools/schema"},
	"slipstick/batch/service": {"slipstick/batch", "slipstick/worker",
		"slipstick/keys", "slipstick/tools"},
	"slipstick/result": {"slipstick/internal/rawjson", "slipstick/plot",
		"slipstick/tools/schema"},
	"slipstick/plot": {"slipstick/tools/schema"},
	"slipstick/call": {"slipstick/worker", "slipstick/keys",
		"slipstick/tools"},
	"slipstick/worker": {"slipstick/worker/pool", "slipstick/worker/store",
		"slipstick/tools", "slipstick/tools/schema"},
	"slipstick/worker/pool": {"slipstick/tools", "slipstick/tools/schema",
		"slipstick/worker/gzipped"},
	"slipstick/worker/store": {"slipstick/tools", "slipstick/tools/schema",
		"slipstick/worker/gzipped"},
	"slipstick/worker/internal/workertest": {"slipstick/tools"},
	"slipstick/worker/queuetest":           {"slipstick/worker"},
	"slipstick/clients/generate": {"slipstick/api", "slipstick/batch",
		"slipstick/tools/catalog"},
	"slipstick/web/drawing": {},
	"slipstick/web/card":    {},
	"slipstick/web": {"slipstick/plot", "slipstick/web/card", "slipstick/web/drawing",
		"slipstick/tools", "slipstick/tools/quantity", "slipstick/tools/schema", "slipstick/examples/boards",
		"slipstick/examples/netlists"},
	"slipstick/web/gallery": {"slipstick/plot", "slipstick/tools",
		"slipstick/tools/catalog", "slipstick/examples/boards", "slipstick/examples/netlists"},
	"slipstick/tools": {"slipstick/internal/rawjson", "slipstick/tools/quantity",
		"slipstick/tools/schema"},
}

// TestLayers reads the import graph of everything that is built, tests left out.
func TestLayers(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", "{{.ImportPath}}|{{.Doc}}|{{join .Imports \" \"}}",
		"./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		parts := strings.SplitN(strings.TrimSpace(line), "|", 3)
		pkg, doc := parts[0], parts[1]
		if doc == "" {
			t.Errorf("%s has no package comment", pkg)
		}
		for imp := range strings.FieldsSeq(parts[2]) {
			if strings.HasPrefix(imp, "slipstick") && !mayImport(pkg, imp) {
				t.Errorf("%s must not import %s", pkg, imp)
			}
			pure := strings.HasPrefix(pkg, "slipstick/tools") ||
				strings.HasPrefix(pkg, "slipstick/spice") ||
				strings.HasPrefix(pkg, "slipstick/autorouter")
			if pure && (imp == "net" || imp == "net/http" || imp == "os/exec" ||
				strings.Contains(imp, "redis") || strings.Contains(imp, "asynq") ||
				strings.Contains(imp, "fiber")) {
				t.Errorf("%s must not import %s: computing needs no network", pkg, imp)
			}
		}
	}
}

// category reports whether a package below tools is a category, or a package that reads all
// categories.
func category(pkg string) bool {
	folder, _, _ := strings.Cut(strings.TrimPrefix(pkg, "slipstick/tools/"), "/")
	switch folder {
	case "rf", "mesh", "homelab", "power", "pcb", "general", "catalog", "docgen", "tooltest":
		return true
	}
	return false
}

func mayImport(pkg, imp string) bool {
	switch {
	case imp == "slipstick/internal/text":
		return true // every layer writes messages
	case pkg == "slipstick/cmd" && strings.HasPrefix(imp, "slipstick/keys/"):
		return true // the command chooses the store
	case strings.HasPrefix(pkg, "slipstick/keys/"):
		return strings.HasPrefix(imp, "slipstick/keys")
	case strings.HasPrefix(pkg, "slipstick/tools/"):
		// A category builds on the engines and on shared packages, never on another category; only
		// the catalog imports them all.
		return pkg == "slipstick/tools/catalog" || strings.HasPrefix(imp, pkg+"/") ||
			strings.HasPrefix(imp, "slipstick/spice") ||
			strings.HasPrefix(imp, "slipstick/autorouter") ||
			strings.HasPrefix(imp, "slipstick/tools") && !category(imp)
	case strings.HasPrefix(pkg, "slipstick/spice"):
		return strings.HasPrefix(imp, "slipstick/spice/")
	case strings.HasPrefix(pkg, "slipstick/autorouter"):
		return strings.HasPrefix(imp, "slipstick/autorouter/") ||
			strings.HasPrefix(imp, "slipstick/spice/")
	}
	for _, a := range allowed[pkg] {
		if imp == a {
			return true
		}
	}
	return false
}
