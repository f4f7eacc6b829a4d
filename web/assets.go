package web

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
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
	".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml", ".md": "text/plain; charset=utf-8",
}

// assets are the static files by their name below static/.
type assets struct {
	files   map[string]*Asset
	version string              // of all of them together; part of their address
	imports map[string][]string // of a module, the modules it imports, all the way down
}

// sheets are the style sheets as pages link them, one for each kind of page, and what each is made
// of: one file fewer is a round trip fewer before the first paint.
var sheets = map[string][]string{
	"plain": {"app.css"}, "catalog": {"app.css", "catalog.css"}, "tool": {"app.css", "tool.css"}, "chain": {"app.css", "tool.css", "chain.css"},
	"reference": {"app.css", "reference.css"}, "spice": {"app.css", "spice.css"}, "board": {"app.css", "board.css"},
}

// sheet is the address below /static/ of the style sheet of a kind of page.
func sheet(kind string) string { return "sheets/" + cmp.Or(kind, "plain") + ".css" }

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
	for kind, names := range sheets {
		var body []byte
		for _, name := range names {
			body = append(body, a.files[name].Body...)
		}
		a.files[sheet(kind)] = newAsset(body, mediaTypes[".css"])
	}
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

// staticImport finds what a module imports when it is loaded. import() is left out: that is
// fetched when it is needed.
var staticImport = regexp.MustCompile(`(?m)^(?:import|export)\s[^;]*?from\s*'(\./[^']+)'`)

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

// Pack is gzip for a page that is made for one request.
func Pack(page []byte) []byte {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.DefaultCompression)
	_, _ = z.Write(page)
	_ = z.Close()
	return b.Bytes()
}
