// Command generate writes the types and methods of the clients from the OpenAPI document. It writes
// below the folder in its argument; the default is clients.
//
// Existing generators for one language each write ten to sixteen thousand lines per client, because
// they also write paths, responses and unions. The types here are a fifth to a third of that.
package main

//go:generate go run . ..

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	dir := "clients"
	if len(os.Args) > 1 {
		dir = os.Args[1]
	}
	if err := run(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run writes the generated files below a folder.
func run(dir string) error {
	files, err := generate()
	if err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// generate returns the generated files by their paths below clients.
func generate() (map[string][]byte, error) {
	d, err := readDocument()
	if err != nil {
		return nil, err
	}
	code, err := d.goClient()
	if err != nil {
		return nil, err
	}
	return map[string][]byte{
		"go/types.gen.go":                       code,
		"typescript/src/types.gen.ts":           d.typeScriptClient(),
		"python/src/slipstick/_types.py":        d.pythonTypes(),
		"python/src/slipstick/_tool_methods.py": d.pythonMethods(),
	}, nil
}
