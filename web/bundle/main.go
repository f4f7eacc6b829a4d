// Command bundle builds the browser libraries in web/static/vendor from npm packages. It downloads
// the versions listed below, bundles and minifies them with esbuild, and writes VENDOR.md with
// versions, licences and hashes. Only this generator needs npm.
package main

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// bundles lists the output files and their exports.
var bundles = []struct{ file, entry string }{
	{"ui.js", `
		export { h, render, Fragment } from "preact";
		export { useState, useEffect, useLayoutEffect, useRef, useMemo, useCallback, useReducer } from "preact/hooks";
		import { h } from "preact";
		import htm from "htm";
		export const html = htm.bind(h);`},
	{"plot.js", `export { default as uPlot } from "uplot";`},
	{"plot.css", `@import "uplot/dist/uPlot.min.css";`},
	{"editor.js", `
		export { EditorState, Compartment, StateField, StateEffect, RangeSetBuilder } from "@codemirror/state";
		export { EditorView, keymap, lineNumbers, highlightActiveLine, highlightActiveLineGutter, drawSelection,
			Decoration, ViewPlugin, hoverTooltip, placeholder } from "@codemirror/view";
		export { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
		export { StreamLanguage, HighlightStyle, syntaxHighlighting, foldGutter, foldKeymap, foldService, bracketMatching } from "@codemirror/language";
		export { autocompletion, completionKeymap, acceptCompletion } from "@codemirror/autocomplete";
		export { linter, lintGutter, lintKeymap, setDiagnostics, forceLinting } from "@codemirror/lint";
		export { tags } from "@lezer/highlight";`},
}

// packages lists every bundled package with its version, also the dependencies of others: npm would
// install their newest versions.
var packages = map[string]string{
	"preact": "11.2.0", "htm": "3.1.1", "uplot": "1.6.32",
	"@codemirror/state": "6.7.6", "@codemirror/view": "6.43.15", "@codemirror/commands": "6.11.1",
	"@codemirror/language": "6.13.1", "@codemirror/streamparser": "6.0.0",
	"@codemirror/autocomplete": "6.20.4", "@codemirror/lint": "6.9.8",
	"@lezer/common": "1.5.5", "@lezer/highlight": "1.2.5",
	"@marijn/find-cluster-break": "1.0.4", "crelt": "1.0.7", "style-mod": "4.1.4",
	"w3c-keyname": "2.2.8",
}

func main() {
	log.SetFlags(0)
	if err := run(filepath.Join("static", "vendor")); err != nil {
		log.Fatal(err)
	}
}

func run(target string) error {
	dir, err := os.MkdirTemp("", "bundle")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	manifest, err := json.Marshal(map[string]any{"private": true, "dependencies": packages,
		"overrides": packages})
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "package.json"), manifest, 0o600); err != nil {
		return err
	}
	install := exec.Command("npm", "install", "--silent", "--no-audit", "--no-fund",
		"--ignore-scripts")
	install.Dir, install.Stderr = dir, os.Stderr
	if err := install.Run(); err != nil {
		return fmt.Errorf("npm install: %w", err)
	}
	if err := os.MkdirAll(target, 0o755); err != nil {
		return err
	}
	var page strings.Builder
	page.WriteString(
		"# Vendored browser libraries\n\nMade by `go generate ./web`; do not edit. A test compares the hashes.\n\n| file | bytes | SHA-256 | made of |\n|---|---|---|---|\n",
	)
	licences := map[string]string{}
	for _, b := range bundles {
		code, used, err := bundle(dir, b.file, b.entry)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(target, b.file), code, 0o644); err != nil {
			return err
		}
		var made []string
		for _, p := range used {
			version, licence, err := describe(dir, p)
			if err != nil {
				return err
			}
			if version != packages[p] {
				return fmt.Errorf("%s has version %s, and packages has %q", p, version, packages[p])
			}
			made = append(made, p+" "+version)
			licences[p] = licence
		}
		fmt.Fprintf(&page, "| %s | %d | %x | %s |\n", b.file, len(code), sha256.Sum256(code),
			strings.Join(made, ", "))
	}
	page.WriteString("\n## Licences\n")
	for _, p := range slices.Sorted(maps.Keys(licences)) {
		fmt.Fprintf(&page, "\n### %s\n\n```\n%s\n```\n", p, strings.TrimSpace(licences[p]))
	}
	return os.WriteFile(filepath.Join(target, "VENDOR.md"), []byte(page.String()), 0o644)
}

// bundle returns the minified file and the packages that it contains.
func bundle(dir, file, entry string) ([]byte, []string, error) {
	loader := api.LoaderJS
	if filepath.Ext(file) == ".css" {
		loader = api.LoaderCSS
	}
	result := api.Build(api.BuildOptions{
		Stdin: &api.StdinOptions{
			Contents: entry, ResolveDir: dir, Sourcefile: file, Loader: loader,
		},
		Bundle: true, Format: api.FormatESModule, Target: api.ES2022, Metafile: true,
		LegalComments: api.LegalCommentsInline, MinifyWhitespace: true, MinifyIdentifiers: true,
		MinifySyntax: true, Charset: api.CharsetUTF8,
		MainFields: []string{
			"module", "main",
		},
		Outfile: filepath.Join(dir, "out", file), AbsWorkingDir: dir,
	})
	if len(result.Errors) > 0 {
		return nil, nil, errors.New(file + ": " + result.Errors[0].Text)
	}
	var meta struct {
		Inputs map[string]struct{} `json:"inputs"`
	}
	if err := json.Unmarshal([]byte(result.Metafile), &meta); err != nil {
		return nil, nil, err
	}
	used := map[string]string{}
	for path := range meta.Inputs {
		if _, in, ok := strings.Cut(path, "node_modules/"); ok {
			used[packageOf(in)] = ""
		}
	}
	return result.OutputFiles[0].Contents, slices.Sorted(maps.Keys(used)), nil
}

// packageOf returns the package of a path below node_modules.
func packageOf(path string) string {
	parts := strings.SplitN(path, "/", 3)
	if strings.HasPrefix(path, "@") {
		return parts[0] + "/" + parts[1]
	}
	return parts[0]
}

func describe(dir, name string) (version, licence string, err error) {
	root := filepath.Join(dir, "node_modules", filepath.FromSlash(name))
	raw, err := os.ReadFile(filepath.Join(root, "package.json"))
	if err != nil {
		return "", "", err
	}
	var p struct{ Version string }
	if err := json.Unmarshal(raw, &p); err != nil {
		return "", "", err
	}
	for _, file := range []string{"LICENSE", "LICENSE.md", "LICENCE", "license"} {
		if text, err := os.ReadFile(filepath.Join(root, file)); err == nil {
			return p.Version, string(text), nil
		}
	}
	return "", "", fmt.Errorf("%s has no licence file", name)
}
