package web

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

//go:embed static templates
var embedded embed.FS

// Asset is a static file, packed once at start.
type Asset struct {
	Body []byte
	Gzip []byte // nil when it is not worth it
	ETag string
	Type string
}

// mediaTypes are ours and not the machine's: a missing mime.types must not break the page.
var mediaTypes = map[string]string{
	".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".json": "application/json", ".svg": "image/svg+xml", ".md": "text/plain; charset=utf-8",
}

// assets are the static files by their name below static/.
type assets struct {
	files   map[string]*Asset
	version string              // of all of them together; part of their address
	imports map[string][]string // of a module, the modules it imports, all the way down
}

// merged is where the files are that pages load: static/merged, made of the modules and style sheets
// by go generate.
const merged = "merged/"

// module is the file of a page's module.
func module(name string) string { return merged + name + ".js" }

// sheet is the file of the style sheet of a kind of page.
func sheet(kind string) string { return merged + cmp.Or(kind, "plain") + ".css" }

// themeScript sets the colour scheme before the first paint.
const themeScript = merged + "theme.js"

// style is the style sheet of a kind of page as it stands in the page: a file of its own would be
// a round trip before the first paint.
func (a *assets) style(kind string) template.HTML { return a.inline("style", sheet(kind)) }

// theme is the script that sets the colour scheme, as it stands in the page.
func (a *assets) theme() template.HTML { return a.inline("script", themeScript) }

func (a *assets) inline(element, name string) template.HTML {
	return template.HTML("<" + element + ">" + string(a.files[name].Body) + "</" + element + ">")
}

// policy is the Content-Security-Policy of every page. Of styles and scripts that stand in a page
// it lets in our own, by their hashes.
func (a *assets) policy() string {
	var styles []string
	for name := range a.files {
		if strings.HasPrefix(name, merged) && path.Ext(name) == ".css" {
			styles = append(styles, a.hash(name))
		}
	}
	slices.Sort(styles)
	return "default-src 'none'; script-src 'self' " + a.hash(themeScript) + "; style-src 'self' " + strings.Join(styles, " ") +
		"; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'"
}

// hash is a file's hash as a policy names it.
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
		file := newAsset(body, kind)
		all.Write([]byte(file.ETag))
		a.files[strings.TrimPrefix(name, "static/")] = file
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

func newAsset(body []byte, kind string) *Asset {
	sum := sha256.Sum256(body)
	return &Asset{Body: body, Gzip: packed(body), ETag: `"` + hex.EncodeToString(sum[:8]) + `"`, Type: kind}
}

func packed(body []byte) []byte {
	if len(body) < 600 { // little to gain, and it fits one packet anyway
		return nil
	}
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
	_, _ = z.Write(body)
	_ = z.Close()
	return b.Bytes()
}

// staticImport finds what a module imports when it is loaded, in the modules as they are written
// and as they are merged. import() is left out: that is fetched when it is needed.
var staticImport = regexp.MustCompile(`(?m)(?:^|;)(?:import|export)\b[^;'"()]*['"](\.\.?/[^'"]+)['"]`)

// closure is the module and everything it needs before it can run.
func (a *assets) closure(name string, known []string) []string {
	if slices.Contains(known, name) || a.files[name] == nil {
		return known
	}
	known = append(known, name)
	if strings.HasPrefix(name, "vendor/") {
		return known // bundled, and imports nothing
	}
	for _, m := range staticImport.FindAllSubmatch(a.files[name].Body, -1) {
		known = a.closure(path.Join(path.Dir(name), string(m[1])), known)
	}
	return known
}

// Asset finds a static file by the path below /static/. The file may be kept for good when it
// was asked for under the address of this very version.
func (s *Site) Asset(name string) (file *Asset, immutable bool) {
	if version, rest, ok := strings.Cut(name, "/"); ok && strings.HasPrefix(version, "v-") {
		return s.assets.files[rest], version == "v-"+s.assets.version
	}
	return s.assets.files[name], false
}

// static is the address of a file.
func (s *Site) static(name string) string { return "/static/v-" + s.assets.version + "/" + name }

// Gzip is gzip for a page that is made for one request.
func Gzip(page []byte) []byte {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.DefaultCompression)
	_, _ = z.Write(page)
	_ = z.Close()
	return b.Bytes()
}
