package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// platform are the folders whose exported identifiers use the terms of docs/glossary.md. Categories
// of tools have the terms of their fields.
func platform() []string {
	return []string{
		"api", "batch", "call", "cmd", "keys", "mcp", "plot", "web", "worker",
		"tools", "tools/schema", "tools/docgen", "tools/tooltest", "tools/catalog",
	}
}

// retired are words that are no terms, with the terms of docs/glossary.md in their place.
func retired() map[string]string {
	return map[string]string{
		"Account":  "SubjectKey, QuotaKey",
		"Anytime":  "SupportsEarlyStop",
		"Bearer":   "Claims",
		"Beat":     "Heartbeat",
		"Book":     "Store",
		"Bucket":   "PrefixKey",
		"Carry":    "SameName",
		"Children": "Pool",
		"Conform":  "tooltest",
		"Crowd":    "InFlight",
		"Doorbell": "NotifyingRedis",
		"Edge":     "ChainLink",
		"Enough":   "StopEarly",
		"Exchange": "Call",
		"Fault":    "FieldError",
		"Faults":   "FieldErrors",
		"Gate":     "Quota",
		"Handbook": "docgen",
		"Issues":   "IssuanceLimiter",
		"Issuing":  "IssuanceLimiter",
		"Ledger":   "Counter",
		"Meter":    "Exporter",
		"Mistake":  "FieldError",
		"Mover":    "Exporter",
		"Onward":   "NextTool",
		"Parked":   "DeadJob",
		"Pass":     "Reservation, FieldLink",
		"Receipt":  "CallResult",
		"Refused":  "Rejected",
		"Registry": "Service",
		"Settle":   "Commit, Finalize",
		"Stray":    "Runaway",
		"Unserved": "Unavailable, ServerError",
		"Visitor":  "Caller",
		"Worked":   "Precomputed",
	}
}

// TestRetiredWords checks the exported identifiers of the platform packages: constants, variables,
// functions, types, and the fields and methods of types.
func TestRetiredWords(t *testing.T) {
	terms, declared := retired(), 0
	for _, root := range platform() {
		if _, err := os.Stat(root); os.IsNotExist(err) {
			continue
		}
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && path != root && (root == "tools" || d.Name() == "testdata"):
				return fs.SkipDir
			case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				return err
			}
			for _, name := range exported(file) {
				declared++
				for _, w := range words(name) {
					if term, is := terms[w]; is {
						t.Errorf("%s: %s contains %s; the term is %s", path, name, w, term)
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if declared < 500 {
		t.Errorf("%d identifiers were read", declared)
	}
}

// exported lists the exported identifiers that a file declares.
func exported(file *ast.File) (names []string) {
	add := func(ids ...*ast.Ident) {
		for _, id := range ids {
			if id.IsExported() {
				names = append(names, id.Name)
			}
		}
	}
	for _, d := range file.Decls {
		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				add(n.Name)
				return false
			case *ast.TypeSpec:
				add(n.Name)
			case *ast.ValueSpec:
				add(n.Names...)
				return false
			case *ast.Field:
				add(n.Names...)
			}
			return true
		})
	}
	return names
}

// words splits an identifier at its capital letters: "StopEarly" into "Stop" and "Early".
func words(name string) []string {
	return regexp.MustCompile(`[A-Z]+[a-z0-9]*`).FindAllString(name, -1)
}
