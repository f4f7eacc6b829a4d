package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"slipstick/tools"
	"slipstick/tools/schema"
)

// TestVendored compares the vendored files with the hashes in VENDOR.md.
func TestVendored(t *testing.T) {
	page, err := os.ReadFile("static/vendor/VENDOR.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile(`(?m)^\| (\S+) \| (\d+) \| ([0-9a-f]{64}) \|`).FindAllStringSubmatch(
		string(page), -1)
	named := map[string]bool{"VENDOR.md": true}
	for _, r := range rows {
		named[r[1]] = true
		code, err := os.ReadFile(filepath.Join("static/vendor", r[1]))
		if err != nil {
			t.Error(err)
			continue
		}
		if got := fmt.Sprintf("%x", sha256.Sum256(code)); got != r[3] ||
			fmt.Sprint(len(code)) != r[2] {
			t.Errorf("%s is not what VENDOR.md names; go generate ./web makes it", r[1])
		}
	}
	files, err := os.ReadDir("static/vendor")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !named[f.Name()] {
			t.Errorf("VENDOR.md does not name %s", f.Name())
		}
	}
	if len(rows) != 4 {
		t.Errorf("VENDOR.md names %d files", len(rows))
	}
}

// TestFormatted verifies that Prettier would not change a module or a style sheet.
func TestFormatted(t *testing.T) {
	folder := os.Getenv("SLIPSTICK_PRETTIER")
	if folder == "" {
		t.Skip("SKIPPED: SLIPSTICK_PRETTIER is not set. npm install prettier in a folder and set it")
	}
	formatter, err := filepath.Abs(filepath.Join(folder, "node_modules/.bin/prettier"))
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), formatter, "--check", "static/*.js", "static/*.css",
		"../mcp/app/*.js", "../mcp/app/*.css").CombinedOutput()
	if err != nil {
		t.Errorf("prettier --write formats them: %v\n%s", err, out)
	}
}

// TestModules verifies that every imported module exists, and that a page needs at most six files.
// A browser has six connections per host over HTTP/1.1.
func TestModules(t *testing.T) {
	s := testSite(t)
	any := regexp.MustCompile(`(?:from|import\(?)\s*['"](\.\.?/[^'"]+\.js)['"]`)
	found := 0
	for name, file := range s.assets.files {
		if path.Ext(name) != ".js" || strings.HasPrefix(name, "vendor/") {
			continue
		}
		for _, m := range any.FindAllSubmatch(file.Body, -1) {
			found++
			if s.assets.files[path.Join(path.Dir(name), string(m[1]))] == nil {
				t.Errorf("%s imports %s, which does not exist", name, m[1])
			}
		}
		if n := len(s.assets.imports[name]); strings.HasPrefix(name, merged) && n > 6 {
			t.Errorf("%s needs %d files: %v", name, n, s.assets.imports[name])
		}
	}
	if found < 150 {
		t.Errorf("%d imports", found)
	}
	for name, want := range map[string][]string{"tool": {"tool", "form", "shell"},
		"catalog": {"catalog", "shell"}, "job_page": {"job_page", "job", "form", "shell"}} {
		for i, w := range want {
			want[i] = module(w)
		}
		got := slices.Sorted(slices.Values(s.assets.imports[module(name)]))
		if slices.Sort(want); !slices.Equal(got, want) {
			t.Errorf("%s preloads %v, want %v", name, got, want)
		}
	}
}

// TestSecretsWithoutScript verifies that fields for keys and JWTs have no names. A browser without
// the page's script puts named fields into the address, which proxies log.
func TestSecretsWithoutScript(t *testing.T) {
	page, err := testSite(t).Simple(Request{}, "keys")
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"key", "prefix", "jwt"} {
		input := regexp.MustCompile(`<input id="` + id + `"[^>]*>`).FindString(string(page))
		if input == "" || strings.Contains(input, " name=") {
			t.Errorf("%s: %q, want an input without a name", id, input)
		}
	}
}

// TestPolicy verifies that the policy allows exactly the inline styles and scripts of the pages.
func TestPolicy(t *testing.T) {
	s := testSite(t)
	pages := map[string]func() ([]byte, error){
		"catalog": func() ([]byte, error) { return s.Catalog(Request{}, "", "") },
		"tool": func() ([]byte, error) {
			return s.ToolPage(Request{}, s.Tool("fspl"), nil, nil, nil)
		},
		"chain":   func() ([]byte, error) { return s.Simple(Request{}, "chain") },
		"keys":    func() ([]byte, error) { return s.Simple(Request{}, "keys") },
		"spice":   func() ([]byte, error) { return s.Spice(Request{}, Values{}, nil, nil) },
		"board":   func() ([]byte, error) { return s.Board(Request{}, Values{}, nil, nil) },
		"problem": func() ([]byte, error) { return s.Problem(Request{}, "", "", nil) },
	}
	inline := regexp.MustCompile(`(?s)<(style|script)>(.*?)</(?:style|script)>`)
	for name, make := range pages {
		page, err := make()
		if err != nil {
			t.Fatal(err)
		}
		found := inline.FindAllSubmatch(page, -1)
		if len(found) != 2 {
			t.Errorf("%s: %d styles and scripts", name, len(found))
		}
		for _, m := range found {
			sum := sha256.Sum256(m[2])
			_, directive, _ := strings.Cut(s.Policy(Request{}), string(m[1])+"-src ")
			directive, _, _ = strings.Cut(directive, ";")
			if !strings.Contains(directive,
				"'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'") {
				t.Errorf("%s: the policy does not name the %s of the page", name, m[1])
			}
		}
	}
	if p := s.Policy(Request{}); strings.Contains(p, "unsafe") || strings.Contains(p, "http") ||
		!strings.HasPrefix(p, "default-src 'none'; script-src 'self' 'sha256-") {
		t.Error(p)
	}
}

// TestSetupCategories verifies that the MCP setup page names each tool whose category on the
// catalog page differs from its category in the API. The setup page counts the categories of the
// API.
func TestSetupCategories(t *testing.T) {
	s := testSite(t)
	page, err := s.Simple(Request{}, "mcp")
	if err != nil {
		t.Fatal(err)
	}
	for name, tool := range s.tools {
		moved := tool.Section() != tool.Category
		if named := strings.Contains(string(page), "<code>"+name+"</code>"); named != moved {
			t.Errorf("%s: named %v, in another category %v", name, named, moved)
		}
	}
}

// TestBudget verifies the maximum compressed size of all files that a page needs before it works.
func TestBudget(t *testing.T) {
	s := testSite(t)
	catalog, err := s.Catalog(Request{}, "", "")
	if err != nil {
		t.Fatal(err)
	}
	tool, err := s.ToolPage(Request{}, s.Tool("link_budget"), nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	spice, err := s.Spice(Request{}, Values{}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	board, err := s.Board(Request{}, Values{}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range []struct {
		name, module string
		html         []byte
		limit        int
		later        []string // modules that the page loads for its first result
	}{
		{"catalog", "catalog", catalog, 35e3, nil},
		{"tool", "tool", tool, 32.1e3, nil},
		{"spice", "spice", spice, 60e3, nil},
		{"board", "board", board, 45e3, nil},
		{"spice with its first curves", "spice", spice, 82.5e3, []string{"spice_scope"}},
		{"board with its first result", "board", board, 53e3, []string{"board_result"}},
	} {
		total := len(Gzip(page.html))
		parts := []string{fmt.Sprintf("html %d", total)}
		files := append([]string{"icon.svg"}, s.assets.imports[module(page.module)]...)
		for _, name := range page.later {
			for _, needed := range s.assets.imports[module(name)] {
				if !slices.Contains(files, needed) {
					files = append(files, needed)
				}
			}
		}
		for _, name := range files {
			n := s.sent(name)
			parts = append(parts, fmt.Sprintf("%s %d", name, n))
			total += n
		}
		t.Logf("%s: %d bytes: %s", page.name, total, strings.Join(parts, ", "))
		if total > page.limit {
			t.Errorf("%s: %d bytes packed, more than %d: %v", page.name, total, page.limit, parts)
		}
	}
}

// sent returns the transfer size of a file in bytes.
func (s *Site) sent(name string) int {
	return len(Gzip(s.assets.files[name].Body))
}

// Gzip returns a body as the service compresses it for most clients.
func Gzip(body []byte) []byte {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.DefaultCompression)
	_, _ = z.Write(body)
	_ = z.Close()
	return b.Bytes()
}

// TestBoardViewBudget verifies the maximum compressed size of the files that the board page loads
// with its first result.
func TestBoardViewBudget(t *testing.T) {
	s, total := testSite(t), 0
	before := s.assets.imports[module("board")]
	for _, name := range s.assets.imports[module("board_result")] {
		if !slices.Contains(before, name) {
			total += s.sent(name)
		}
	}
	t.Logf("the view of a board: %d bytes", total)
	if total < 5e3 || total > 15e3 {
		t.Errorf("the view of a board takes %d bytes packed, more than 15000", total)
	}
}

func TestSearch(t *testing.T) {
	s := testSite(t)
	raw, err := os.ReadFile("testdata/search.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		p := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		var names []string
		for _, c := range s.Search(p[0]) {
			names = append(names, c.Name)
		}
		if p[1] == "" {
			if len(names) > 0 {
				t.Errorf("%q finds %v", p[0], names)
			}
			continue
		}
		if len(names) == 0 || names[0] != p[1] || !slices.Contains(names, p[2]) {
			t.Errorf("%q finds %v; want %s first and %s among them", p[0], names, p[1], p[2])
		}
	}
}

// TestFormIsTheExample verifies that the form of an example decodes to exactly the input of the
// example. For an input with aliases, it verifies that both inputs have the same results.
func TestFormIsTheExample(t *testing.T) {
	s := testSite(t)
	for _, e := range s.catalog.All() {
		tool := s.Tool(e.Name)
		for i, x := range e.Examples {
			v := Query(tool.Examples[i].Query)
			v.pairsToRows(tool.Input)
			body, mistakes := s.Body(tool, v)
			if len(mistakes) > 0 {
				t.Errorf("%s %q: %+v", e.Name, x.Title, mistakes)
				continue
			}
			if slices.ContainsFunc(tool.Input, func(f Field) bool {
				return f.Alias != "" && objectOf([]byte(x.In))[f.Name] != nil
			}) {
				sameResults(t, e, []byte(x.In), body)
				continue
			}
			want, err := e.Canonical([]byte(x.In))
			if err != nil {
				t.Fatal(err)
			}
			got, err := e.Canonical(body)
			if err != nil {
				t.Errorf("%s %q: %s: %v", e.Name, x.Title, body, err)
				continue
			}
			if !sameJSON(got, want) {
				t.Errorf("%s %q is read as\n%s, want\n%s", e.Name, x.Title, got, want)
			}
		}
	}
}

// sameResults checks that two inputs with values in different units have the same results to 12
// digits.
func sameResults(t *testing.T, e *tools.Entry, a, b []byte) {
	t.Helper()
	digits := regexp.MustCompile(`-?\d+(\.\d+)?(e[+-]?\d+)?`)
	var results [2]string
	for i, body := range [][]byte{a, b} {
		raw, err := e.Run(t.Context(), body)
		if err != nil {
			t.Errorf("%s %s: %v", e.Name, body, err)
			return
		}
		results[i] = digits.ReplaceAllStringFunc(string(raw), func(number string) string {
			v, _ := strconv.ParseFloat(number, 64)
			return strconv.FormatFloat(v, 'e', 11, 64)
		})
	}
	if results[0] != results[1] {
		t.Errorf("%s: the form %s gives\n%s, and the example %s\n%s", e.Name, b, results[1],
			a, results[0])
	}
}

func sameJSON(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil &&
		fmt.Sprint(x) == fmt.Sprint(y)
}

func TestBodyMistakes(t *testing.T) {
	s := testSite(t)
	for _, c := range []struct {
		tool, query, path, detail string
	}{
		{"fspl", "freq_mhz=abc&dist_km=5", "freq_mhz", "not a number"},
		{"fspl", "freq_mhz=915&dist_km=1,500", "dist_km", "could be 1500 or 1.5"},
		{"noise_figure_cascade", "stages.0.nf_db=2&stages.0.gain_db=10&stages.1.nf_db=x",
			"stages.1.nf_db", "not a number"},
		{"spice_template", "template=low_pass_rc&params.0.value=1k", "params.0.name",
			"needs a name"},
		{"spice_template", "template=low_pass_rc&params.0.name=r_ohms", "params.0.value",
			"needs a value"},
	} {
		_, mistakes := s.Body(s.Tool(c.tool), Query(c.query))
		if len(mistakes) != 1 || mistakes[0].Path != c.path ||
			!strings.Contains(mistakes[0].Detail, c.detail) {
			t.Errorf("%s: %+v, want %s at %s", c.query, mistakes, c.detail, c.path)
		}
	}
}

// hostile are texts that would be markup or code on a page without escaping.
var hostile = []string{
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `'onmouseover='alert(1)`,
	`</script><script>alert(1)</script>`, `{{.}}`, `javascript:alert(1)`, "\u2028",
	`</textarea><b>`, `<!--`, `]]>`,
}

func TestHostileTextsStayTexts(t *testing.T) {
	s := testSite(t)
	tag := regexp.MustCompile(`<script>alert|<img src=x|</textarea><b>|<a[^>]+href="javascript`)
	for _, h := range hostile {
		netlist := Values{"netlist": h, "output_node": h, "tolerances.0.name": h,
			"tolerances.0.value": h, h: h}
		pages := map[string]func() ([]byte, error){
			"search": func() ([]byte, error) {
				return s.Catalog(Request{Token: h, Base: h}, "", h)
			},
			"tool": func() ([]byte, error) {
				return s.ToolPage(Request{Base: h}, s.Tool("spice_simulate"), netlist,
					[]FieldError{{h, h, h}}, &Outcome{
						FieldErrors: []schema.FieldError{{Path: h, Detail: h}}, Problem: h,
						Result: json.RawMessage(`{"nodes":` + quoted(h) + `,"warnings":[` +
							quoted(h) + `]}`)})
			},
			"spice": func() ([]byte, error) {
				return s.Spice(Request{Base: h}, Values{"netlist": h, "output_node": h,
					"tolerances": h, "temperature_c": h}, []FieldError{{h, h, h}}, &Outcome{
					FieldErrors: []schema.FieldError{{Path: h, Detail: h}}, Problem: h,
					Result: json.RawMessage(`{"vectors":{` + quoted(h) + `:[1,2]},"measures":{` +
						quoted(h) + `:1},"warnings":[` + quoted(h) + `]}`)})
			},
			"problem": func() ([]byte, error) { return s.Problem(Request{}, h, h, []string{h}) },
			"job":     func() ([]byte, error) { return s.Job(Request{}, h) },
		}
		for name, make := range pages {
			page, err := make()
			if err != nil {
				t.Errorf("%s with %q: %v", name, h, err)
			}
			if found := tag.Find(page); found != nil {
				t.Errorf("%s with %q holds %s", name, h, found)
			}
		}
	}
}

// TestGallery verifies that every example with a curve or a board has a picture, and every picture
// has an example.
func TestGallery(t *testing.T) {
	s := testSite(t)
	wanted := map[string]bool{}
	for _, g := range s.examples {
		for _, n := range g.Netlists {
			wanted["gallery/"+n.Name+".svg"] = slices.ContainsFunc(n.Cards, func(c string) bool {
				return c != "op"
			})
		}
	}
	for _, b := range s.boards {
		wanted["gallery/"+b.Name+".svg"] = true
	}
	for name, needed := range wanted {
		f := s.assets.files[name]
		if f == nil {
			if needed {
				t.Errorf("%s is missing; go generate ./web draws it", name)
			}
			continue
		}
		if err := xml.Unmarshal(f.Body, new(struct {
			XMLName xml.Name `xml:"http://www.w3.org/2000/svg svg"`
		})); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if strings.Contains(string(f.Body), "NaN") || len(f.Body) < 200 || len(f.Body) > 18e3 {
			t.Errorf("%s has %d bytes and looks wrong", name, len(f.Body))
		}
	}
	for name := range s.assets.files {
		if _, ok := wanted[name]; !ok && strings.HasPrefix(name, "gallery/") {
			t.Errorf("%s is the picture of no example", name)
		}
	}
}

// TestBoardName verifies that a name in a JSON request takes precedence over the name in the form.
// The form may have the name of the previous board.
func TestBoardName(t *testing.T) {
	s := testSite(t)
	for _, c := range []struct{ netlist, name, want string }{
		{`{"name": "own", "components": []}`, "before", `"own"`},
		{`{"components": []}`, "before", `"before"`},
		{"R1 a 0 1k", "before", `"before"`},
	} {
		body, mistakes := s.BoardBody(Values{"netlist": c.netlist, "name": c.name})
		var request map[string]json.RawMessage
		if err := json.Unmarshal(body, &request); err != nil || len(mistakes) > 0 ||
			string(request["name"]) != c.want {
			t.Errorf("%s: %v %v, the name is %s, want %s", c.netlist, err, mistakes,
				request["name"], c.want)
		}
	}
}

// TestProblemSentence verifies that a question ends with its own mark.
func TestProblemSentence(t *testing.T) {
	s := testSite(t)
	for detail, want := range map[string]string{
		"did you mean fspl?": ">did you mean fspl?<", "it has expired": ">it has expired.<",
	} {
		page, err := s.Problem(Request{}, "Not found", detail, nil)
		if err != nil || !strings.Contains(string(page), want) {
			t.Errorf("the page of %q lacks %q: %v", detail, want, err)
		}
	}
}
