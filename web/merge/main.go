// Command merge joins the modules and style sheets of the page into the minified files in
// web/static/merged, which pages load. A page then loads its few files in one round trip. A browser
// has six connections per host over HTTP/1.1, and discovers the imports of a module only after
// loading it. The modules in web/static are the source.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"log"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// modules maps output files to their modules. A module that imports a module of another file
// imports that file, so no module is in two files. Modules outside this list are served unchanged.
var modules = map[string][]string{
	"shell": {"store.js", "shell.js"},
	"form": {"units.js", "quantity.js", "text.js", "dom.js", "run.js", "form.js",
		"result_model.js", "result.js", "pictures.js"},
	"job":   {"job.js", "job_status.js", "text_area.js"},
	"plots": {"vendor/plot.js", "align.js", "plot.js", "cursors.js", "cursor_plots.js"},

	"catalog": {"catalog.js"},
	"tool":    {"tool.js", "tool_peek.js", "drawing.js"},
	"chain": {"vendor/ui.js", "chain_export.js", "chain_input.js", "chain_output.js",
		"chain.js"},
	"chain_model":    {"chain_model.js"},
	"notebook":       {"notebook_item.js", "notebook.js"},
	"notebook_store": {"notebook_store.js"},
	"keys":           {"keys.js"},
	"keys_usage":     {"keys_usage.js"},
	"tab_key":        {"tab_key.js"},
	"tool_template":  {"tool_template.js"},
	"solve":          {"solve.js"},
	"docs":           {"docs.js"},
	"mcp":            {"mcp.js"},
	"job_page":       {"job_page.js"},
	"spice": {"spice_form.js", "spice_shelves.js", "spice_open.js", "spice_actions.js",
		"spice_panels.js", "spice.js"},
	"spice_netlist": {"spice_netlist.js"},
	"board":         {"board_form.js", "board_keep.js", "board.js"},

	"key_help":     {"key_help.js"},
	"share":        {"share.js", "tool_info.js", "tool_link.js"},
	"drawing_file": {"drawing_file.js"},
	"sliders":      {"sliders.js"},
	"snippets":     {"snippets.js"},
	"batch": {"batch_fields.js", "batch_request.js", "batch_run.js", "batch_form.js",
		"batch.js", "tool_batch.js"},
	"batch_result": {"batch_values.js", "batch_heat.js", "batch_plots.js", "batch_tables.js",
		"batch_result.js"},
	"plot_files":      {"plot_files.js"},
	"picture_bands":   {"picture_bands.js"},
	"picture_bode":    {"picture_bode.js"},
	"picture_curve":   {"picture_curve.js"},
	"picture_field":   {"picture_field.js"},
	"picture_timing":  {"picture_timing.js"},
	"picture_vectors": {"picture_vectors.js"},
	"spice_scope": {"spice_expression.js", "spice_vectors.js", "spice_compare.js", "spice_marks.js",
		"spice_panes.js", "spice_bode.js", "spice_expression_field.js", "spice_scope.js",
		"spice_numbers.js"},
	"spice_pin":         {"spice_pin.js"},
	"spice_csv":         {"spice_csv.js"},
	"spice_analyses":    {"spice_analyses.js"},
	"spice_proofs":      {"spice_proofs.js"},
	"spice_views":       {"spice_xy.js", "spice_spectrum.js", "spice_spectrum_view.js"},
	"spice_files":       {"spice_raw.js", "spice_asc_symbols.js", "spice_asc.js", "spice_files.js"},
	"spice_differences": {"spice_differences.js"},
	"spice_batch":       {"spice_batch.js"},
	"spice_editor":      {"spice_editor.js"},
	"spice_schematic":   {"spice_layout.js", "spice_schematic.js"},
	"board_result": {"board_legend.js", "board_shapes.js", "board_view.js", "board_controls.js",
		"board_drag.js", "board_files.js", "board_lists.js", "board_result.js"},
	"board_3d":         {"board_3d.js"},
	"board_footprints": {"board_footprints.js"},
	"board_simulate":   {"board_simulate.js"},
}

// eager lists the files whose functions mostly run before a page is usable.
var eager = []string{"shell", "form", "plots", "catalog", "tool", "spice", "board", "picture_bode"}

// hint makes browsers compile all functions of a file while they load it, on another thread.
// Without it, browsers compile a function at its first call, on the main thread.
const hint = "//# allFunctionsCalledOnLoad\n"

// injected maps files to modules whose exports replace globals.
var injected = map[string]string{"plots": "plot_intl.js"}

// sheets maps kinds of pages to the sources of their style sheets. merge adds the print styles to
// each.
var sheets = map[string][]string{
	"plain":     {"app.css"},
	"catalog":   {"app.css", "catalog.css"},
	"tool":      {"app.css", "tool.css", "sweepbox.css", "sketch.css", "heat.css", "vendor/plot.css"},
	"chain":     {"app.css", "tool.css", "heat.css", "chain.css", "vendor/plot.css"},
	"reference": {"app.css", "reference.css"},
	"notebook":  {"app.css", "tool.css", "heat.css", "numbers.css", "notebook.css", "vendor/plot.css"},
	"spice": {"app.css", "sweepbox.css", "spice.css", "numbers.css", "sketch.css", "heat.css",
		"vendor/plot.css"},
	"board": {"app.css", "board.css"},
}

// print is the style sheet for paper.
const print = "print.css"

// script is the inline script that runs before the first paint.
const script = "theme.js"

func main() {
	log.SetFlags(0)
	if err := run("static"); err != nil {
		log.Fatal(err)
	}
}

func run(static string) error {
	files, err := merge(static)
	if err != nil {
		return err
	}
	target := filepath.Join(static, "merged")
	if err := os.RemoveAll(target); err != nil {
		return err
	}
	if err := os.MkdirAll(target, 0o755); err != nil {
		return err
	}
	for name, body := range files {
		if err := os.WriteFile(filepath.Join(target, name), body, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// merge returns all files by name, built from the modules and style sheets in a folder.
func merge(static string) (map[string][]byte, error) {
	static, err := filepath.Abs(static)
	if err != nil {
		return nil, err
	}
	uses, err := usesOf(static)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for name, members := range modules {
		if files[name+".js"], err = join(static, name, exports(members, uses), uses); err != nil {
			return nil, err
		}
	}
	for kind, members := range sheets {
		var all bytes.Buffer
		for _, m := range members {
			body, err := os.ReadFile(filepath.Join(static, m))
			if err != nil {
				return nil, err
			}
			all.Write(body)
		}
		paper, err := os.ReadFile(filepath.Join(static, print))
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&all, "@media print {\n%s}\n", paper)
		if files[kind+".css"], err = shorten(all.String(), api.LoaderCSS, kind); err != nil {
			return nil, err
		}
	}
	body, err := os.ReadFile(filepath.Join(static, script))
	if err != nil {
		return nil, err
	}
	files[script], err = shorten(string(body), api.LoaderJS, script)
	return files, err
}

// holder returns the file that contains a module, or "".
func holder(module string) string {
	for name, members := range modules {
		if slices.Contains(members, module) {
			return name
		}
	}
	return ""
}

// use describes how other modules use a module.
type use struct {
	names  map[string][]string // the imports of modules in other files, by file
	inFile bool                // a module of the same file imports it
	loaded bool                // a module of another file loads it with import()
}

var (
	staticImport  = regexp.MustCompile(`import (?:\{([^}]*)\} from |\w+ from )?'\./([\w/]+\.js)'`)
	dynamicImport = regexp.MustCompile(`import\('\./([\w/]+\.js)'\)`)
)

// usesOf returns the uses of all modules in a folder.
func usesOf(static string) (map[string]*use, error) {
	paths, err := filepath.Glob(filepath.Join(static, "*.js"))
	if err != nil {
		return nil, err
	}
	uses := map[string]*use{}
	useOf := func(module string) *use {
		if uses[module] == nil {
			uses[module] = &use{names: map[string][]string{}}
		}
		return uses[module]
	}
	for _, path := range paths {
		body, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		in := holder(filepath.Base(path))
		for _, m := range staticImport.FindAllStringSubmatch(string(body), -1) {
			u := useOf(m[2])
			if in != "" && in == holder(m[2]) {
				u.inFile = true
				continue
			}
			for name := range strings.SplitSeq(m[1], ",") {
				if name, _, _ = strings.Cut(strings.TrimSpace(name), " "); name != "" {
					u.names[in] = append(u.names[in], name)
				}
			}
		}
		for _, m := range dynamicImport.FindAllStringSubmatch(string(body), -1) {
			useOf(m[1]).loaded = true
		}
	}
	return uses, nil
}

// list returns distinct names, separated by commas.
func list(names []string) string {
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ", ")
}

// exports returns the source of a file that exports what other files import from its modules. A
// module that no module imports is that of a page; all of its exports are kept for tests.
func exports(members []string, uses map[string]*use) string {
	var entry strings.Builder
	for _, m := range members {
		u := uses[m]
		switch {
		case u == nil || u.loaded:
			fmt.Fprintf(&entry, "export * from './%s';\n", m)
		case len(u.names) > 0:
			names := list(slices.Concat(slices.Collect(maps.Values(u.names))...))
			fmt.Fprintf(&entry, "export { %s } from './%s';\n", names, m)
		case !u.inFile:
			fmt.Fprintf(&entry, "import './%s';\n", m)
		}
	}
	return entry.String()
}

// elsewhere returns the plugin that makes a file import the other files. Without it, each module of
// the file would have its own import of another file, and its own short names for the same exports.
func elsewhere(static, name string, uses map[string]*use) api.Plugin {
	const imported = "imported" // namespace of the modules that stand for other files
	resolve := func(a api.OnResolveArgs) (r api.OnResolveResult, err error) {
		module, err := filepath.Rel(static, filepath.Join(a.ResolveDir, a.Path))
		if err != nil {
			return r, err
		}
		module = filepath.ToSlash(module)
		switch in := holder(module); {
		case a.Namespace == imported:
			return api.OnResolveResult{Path: a.Path, External: true}, nil
		case in == name:
			return r, nil
		case in == "":
			return api.OnResolveResult{Path: "../" + module, External: true}, nil
		case a.Kind == api.ResolveJSDynamicImport:
			return api.OnResolveResult{Path: "./" + in + ".js", External: true}, nil
		default:
			return api.OnResolveResult{Path: in, Namespace: imported}, nil
		}
	}
	reexport := func(file string) string {
		var names []string
		for _, m := range modules[file] {
			if u := uses[m]; u != nil {
				names = append(names, u.names[name]...)
			}
		}
		return fmt.Sprintf("export { %s } from './%s.js';", list(names), file)
	}
	return api.Plugin{Name: "elsewhere", Setup: func(b api.PluginBuild) {
		b.OnResolve(api.OnResolveOptions{Filter: `^\./`}, resolve)
		b.OnLoad(api.OnLoadOptions{Filter: ".", Namespace: imported},
			func(a api.OnLoadArgs) (api.OnLoadResult, error) {
				text := reexport(a.Path)
				return api.OnLoadResult{Contents: &text, ResolveDir: static}, nil
			})
	}}
}

// join bundles modules into one file.
func join(static, name, entry string, uses map[string]*use) ([]byte, error) {
	var inject []string
	if module := injected[name]; module != "" {
		inject = []string{filepath.Join(static, module)}
	}
	result := api.Build(api.BuildOptions{
		Stdin: &api.StdinOptions{
			Contents: entry, ResolveDir: static, Sourcefile: name, Loader: api.LoaderJS,
		},
		Bundle: true, Format: api.FormatESModule, Target: api.ES2022,
		LegalComments: api.LegalCommentsInline, Charset: api.CharsetUTF8, MinifyWhitespace: true,
		MinifyIdentifiers: true, MinifySyntax: true,
		Plugins:       []api.Plugin{elsewhere(static, name, uses)},
		Inject:        inject,
		AbsWorkingDir: static,
	})
	// esbuild warns about names that two modules export
	if m := slices.Concat(result.Errors, result.Warnings); len(m) > 0 {
		return nil, errors.New(name + ": " + m[0].Text)
	}
	if slices.Contains(eager, name) {
		return append([]byte(hint), result.OutputFiles[0].Contents...), nil
	}
	return result.OutputFiles[0].Contents, nil
}

func shorten(text string, loader api.Loader, name string) ([]byte, error) {
	result := api.Transform(
		text,
		api.TransformOptions{
			Loader: loader, Charset: api.CharsetUTF8, LegalComments: api.LegalCommentsInline,
			MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true,
		},
	)
	if m := slices.Concat(result.Errors, result.Warnings); len(m) > 0 {
		return nil, errors.New(name + ": " + m[0].Text)
	}
	return bytes.TrimSpace(result.Code), nil
}
