package web

import (
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"html/template"
	"io/fs"
	"iter"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

//go:embed static templates
var embedded embed.FS

// Asset is a static file. Type is its media type.
type Asset struct {
	Body []byte
	Type string
}

// mediaTypes maps file extensions to media types. It replaces mime.TypeByExtension, which depends
// on the mime.types files of the machine.
var mediaTypes = map[string]string{
	".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
	".json": "application/json", ".svg": "image/svg+xml", ".png": "image/png",
	".md": "text/plain; charset=utf-8",
}

// assets contains the static files, keyed by their paths below static/.
type assets struct {
	files   map[string]*Asset
	version string              // hash of all files; part of their URLs
	imports map[string][]string // direct and indirect imports of each module
}

// merged is the folder of the files that pages load. "go generate" builds them from the modules and
// style sheets.
const merged = "merged/"

// module returns the name of the file that contains a page's module.
func module(name string) string { return merged + name + ".js" }

// sheet returns the name of the style sheet for a kind of page; "" means plain.
func sheet(kind string) string { return merged + cmp.Or(kind, "plain") + ".css" }

// themeScript is the script that sets the colour scheme before the first paint.
const themeScript = merged + "theme.js"

// style returns the style sheet for a kind of page as an inline element. A separate file would cost
// a round trip before the first paint.
func (a *assets) style(kind string) template.HTML { return a.inline("style", sheet(kind)) }

// theme returns the inline script that sets the colour scheme.
func (a *assets) theme() template.HTML { return a.inline("script", themeScript) }

func (a *assets) inline(element, name string) template.HTML {
	return template.HTML("<" + element + ">" + string(a.files[name].Body) + "</" + element + ">")
}

// policy returns the Content-Security-Policy of a page; framers are the sites that may frame it.
// The policy allows the inline styles and scripts of the service by their hashes.
func (a *assets) policy(framers string) string {
	var styles []string
	for name := range a.files {
		if strings.HasPrefix(name, merged) && path.Ext(name) == ".css" {
			styles = append(styles, a.hash(name))
		}
	}
	slices.Sort(styles)
	return "default-src 'none'; script-src 'self' " + a.hash(themeScript) + "; style-src 'self' " +
		strings.Join(styles, " ") +
		"; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors " + framers + "; require-trusted-types-for 'script'"
}

// hash returns the hash of a file in the format of a Content-Security-Policy.
func (a *assets) hash(name string) string {
	sum := sha256.Sum256(a.files[name].Body)
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func loadAssets() (*assets, error) {
	a := &assets{files: map[string]*Asset{}, imports: map[string][]string{}}
	all := sha256.New()
	err := fs.WalkDir(embedded, "static", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		kind := mediaTypes[path.Ext(name)]
		if kind == "" {
			return fmt.Errorf("web: %s has no media type", name)
		}
		body, err := embedded.ReadFile(name)
		if err != nil {
			return err
		}
		all.Write(body)
		a.files[strings.TrimPrefix(name, "static/")] = &Asset{Body: body, Type: kind}
		return nil
	})
	if err != nil {
		return nil, err
	}
	a.version = hex.EncodeToString(all.Sum(nil)[:5])
	for name := range a.files {
		if path.Ext(name) == ".js" {
			a.imports[name] = a.closure(name, nil)
		}
	}
	return a, nil
}

// staticImport matches static imports in source modules and merged modules. It does not match
// import(), which loads on demand.
var staticImport = regexp.MustCompile(
	`(?m)(?:^|[;}])(?:import|export)\b[^;'"()]*['"](\.\.?/[^'"]+)['"]`,
)

// closure appends a module and its direct and indirect imports to known, without duplicates.
func (a *assets) closure(name string, known []string) []string {
	if slices.Contains(known, name) || a.files[name] == nil {
		return known
	}
	known = append(known, name)
	if strings.HasPrefix(name, "vendor/") {
		return known // a bundled file has no imports
	}
	for _, m := range staticImport.FindAllSubmatch(a.files[name].Body, -1) {
		known = a.closure(path.Join(path.Dir(name), string(m[1])), known)
	}
	return known
}

// Asset returns the static file at a path below /static/, or nil. immutable reports whether the URL
// names the current version, so that caches may keep the file.
func (s *Site) Asset(name string) (file *Asset, immutable bool) {
	if version, rest, ok := strings.Cut(name, "/"); ok && strings.HasPrefix(version, "v-") {
		return s.assets.files[rest], version == "v-"+s.assets.version
	}
	return s.assets.files[name], false
}

// Assets returns every static file.
func (s *Site) Assets() iter.Seq[*Asset] { return maps.Values(s.assets.files) }

// static returns the versioned URL of a static file.
func (s *Site) static(name string) string { return "/static/v-" + s.assets.version + "/" + name }
