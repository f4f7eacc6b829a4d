package api

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"slipstick/tools/catalog"
	"slipstick/web"
)

const asPage = "Accept: text/html,application/xhtml+xml,*/*;q=0.8"

// startPage starts a server with the real catalog.
func startPage(t *testing.T) *running {
	t.Helper()
	c, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	return start(t, Options{Catalog: c})
}

func TestPageHeaders(t *testing.T) {
	s := startPage(t)
	for _, path := range []string{"/", "/rf", "/?q=lora", "/t/fspl", "/t/fspl?example=0",
		"/t/fspl?example=99", "/t/fspl?freq_mhz=2.4G", "/chain", "/keys", "/docs", "/mcp/setup",
		"/about", "/spice", "/board", "/jobs/" + strings.Repeat("0", 32)} {
		r := s.call(t, "GET", path, "", asPage)
		if r.status != 200 ||
			r.header.Get("Content-Security-Policy") != s.site.Policy(web.Request{}) ||
			!strings.HasPrefix(r.header.Get("Content-Type"), "text/html") {
			t.Errorf("%s: %d %v", path, r.status, r.header)
		}
		if r.header.Get("X-Content-Type-Options") != "nosniff" ||
			r.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %v", path, r.header)
		}
	}
	if r := s.call(t, "GET", "/", "", "Accept: application/json"); !strings.Contains(
		r.header.Get("Content-Type"), "json") {
		t.Errorf("a program gets %v", r.header)
	}
	if r := s.call(t, "GET", "/nowhere", "", asPage); r.status != 404 ||
		!strings.Contains(r.body, "All tools") {
		t.Errorf("%d %s", r.status, r.body)
	}
	checkProblem(t, s.call(t, "GET", "/nowhere", ""), 404, "not-found")
	for _, path := range []string{"/t/fpsl", "/fspl", "/fsp", "/tools/fspl", "/x/y/fspl",
		"/" + strings.Repeat("x/", 60) + "fspl"} {
		if r := s.call(t, "GET", path, "", asPage); r.status != 404 ||
			!strings.Contains(r.body, `href="/t/fspl"`) {
			t.Errorf("%s: %d %s", path, r.status, r.body)
		}
	}
	if r := s.call(t, "HEAD", "/tools/fspl", "", asPage); r.status != 404 ||
		!strings.HasPrefix(r.header.Get("Content-Type"), "text/html") {
		t.Errorf("HEAD: %d %v", r.status, r.header)
	}
	checkProblem(t, s.call(t, "GET", "/tools/fspl", ""), 404, "not-found")
	checkProblem(t, s.call(t, "GET", "/api/fpsl", "", asPage), 404, "tool-not-found")
	checkProblem(t, s.call(t, "GET", "/api/x/y/z", "", asPage), 404, "not-found")
}

// TestCardImage verifies that the Open Graph image of a page is a PNG that caches may keep.
func TestCardImage(t *testing.T) {
	s := startPage(t)
	page := s.call(t, "GET", "/t/voltage_divider", "", asPage).body
	_, rest, _ := strings.Cut(page, `<meta property="og:image" content="`)
	address, _, _ := strings.Cut(rest, `"`)
	u, err := url.Parse(address)
	if err != nil || u.Path == "" {
		t.Fatalf("no address of an image: %q, %v", address, err)
	}
	r := s.call(t, "GET", u.Path, "")
	if r.status != 200 || r.header.Get("Content-Type") != "image/png" ||
		r.header.Get("Cache-Control") != "public, max-age=86400" ||
		!slices.Equal(r.header.Values("Cross-Origin-Resource-Policy"), []string{"cross-origin"}) ||
		!strings.HasPrefix(r.body, "\x89PNG") {
		t.Errorf("%s: %d %v", u.Path, r.status, r.header)
	}
	for _, path := range []string{"/preview/nothing.png", "/preview/..%2f.png", "/preview/.png"} {
		checkProblem(t, s.call(t, "GET", path, ""), 404, "not-found")
	}
}

func TestStaticFiles(t *testing.T) {
	s := startPage(t)
	page := s.call(t, "GET", "/", "", asPage).body
	_, rest, _ := strings.Cut(page, `<script type="module" src="`)
	address, _, _ := strings.Cut(rest, `"`)
	r := s.call(t, "GET", address, "", "Accept-Encoding: identity")
	if r.status != 200 || !strings.Contains(r.header.Get("Cache-Control"), "immutable") ||
		!strings.HasPrefix(r.header.Get("Content-Type"), "text/javascript") {
		t.Errorf("%s: %d %v", address, r.status, r.header)
	}
	if r = s.call(t, "GET", address, "", "If-None-Match: "+r.header.Get("ETag")); r.status != 304 {
		t.Errorf("%d", r.status)
	}
	// These paths do not contain the hash of this version, so clients must revalidate the files.
	for _, path := range []string{"/static/app.css", "/static/v-0000000000/app.css"} {
		if r := s.call(t, "GET", path, "", "Accept-Encoding: gzip"); r.status != 200 ||
			r.header.Get("Cache-Control") != "no-cache" ||
			r.header.Get("Content-Encoding") != "gzip" {
			t.Errorf("%s: %d %v", path, r.status, r.header)
		}
	}
	for _, path := range []string{"/static/", "/static/../go.mod", "/static/%2e%2e/go.mod",
		"/static/templates/tool.html", "/static/nothing.js"} {
		if r := s.call(t, "GET", path, ""); r.status != 404 {
			t.Errorf("%s: %d", path, r.status)
		}
	}
}

// TestFormsWithoutScripts verifies the responses to forms that a browser without JavaScript sends.
func TestFormsWithoutScripts(t *testing.T) {
	s := startPage(t)
	send := func(tool string, values url.Values, headers ...string) *reply {
		if !values.Has("_token") {
			page := s.call(t, "GET", "/t/"+tool, "", asPage).body
			_, rest, _ := strings.Cut(page, `name="_token" value="`)
			token, _, _ := strings.Cut(rest, `"`)
			values.Set("_token", token)
		}
		if len(headers) == 0 {
			headers = []string{"Sec-Fetch-Site: same-origin"}
		}
		return s.call(t, "POST", "/t/"+tool, values.Encode(),
			append(headers, "Content-Type: application/x-www-form-urlencoded")...)
	}
	for _, c := range []struct {
		name, tool string
		values     url.Values
		status     int
		want       []string
	}{
		{"a result", "fspl", url.Values{"freq_mhz": {"2.4G"}, "dist_km": {"5"}}, 200,
			[]string{`title="114.03140814283586 dB">114 dB`, "= 2.40 GHz", `value="2.4G"`}},
		{"not a number", "fspl", url.Values{"freq_mhz": {"abc"}, "dist_km": {"5"}}, 400,
			[]string{"is not a number", `href="#f-freq_mhz"`, `aria-invalid="true"`,
				`value="abc"`}},
		{"out of range", "fspl", url.Values{"freq_mhz": {"915"}, "dist_km": {"-5"}}, 400,
			[]string{"must be greater than 0", `href="#f-dist_km"`}},
		{"missing", "fspl", url.Values{"freq_mhz": {"915"}, "dist_km": {""}}, 400,
			[]string{"is required", `href="#f-dist_km"`}},
		{"rows", "noise_figure_cascade", url.Values{"stages.0.nf_db": {"2"},
			"stages.0.gain_db": {"10"}, "stages.1.nf_db": {"-1"}, "stages.1.gain_db": {"0"}}, 400,
			[]string{`href="#f-stages.1.nf_db"`, "0 to 300"}},
		{"one row more", "noise_figure_cascade", url.Values{"stages.0.nf_db": {"2"},
			"stages.0.gain_db": {"10"}, "_add": {"stages"}}, 200, []string{`name="stages.1.nf_db"`,
			`value="2"`}},
		{"a table", "subnet_calculator", url.Values{"cidr": {"10.0.0.0/24"}, "new_prefix": {"26"}},
			200, []string{"10.0.0.192/26"}},
		{"an old token", "fspl", url.Values{"freq_mhz": {"915"}, "dist_km": {"5"}, "_token": {"x"}},
			403, []string{"load it again", `value="915"`}},
		{"a huge row number", "noise_figure_cascade", url.Values{"stages.999999999.nf_db": {"2"}},
			400, []string{"required"}},
	} {
		r := send(c.tool, c.values)
		if r.status != c.status {
			t.Errorf("%s: %d", c.name, r.status)
		}
		for _, w := range c.want {
			if !strings.Contains(r.body, w) {
				t.Errorf("%s: the page lacks %q", c.name, w)
			}
		}
	}
	if r := send("fspl", url.Values{"freq_mhz": {"915"}, "dist_km": {"5"}},
		"Sec-Fetch-Site: cross-site"); r.status != 403 || strings.Contains(r.body, "105.656") {
		t.Errorf("another site gets %d", r.status)
	}
	checkProblem(t, s.call(t, "POST", "/t/fspl", "{}", "Content-Type: application/json"), 415,
		"unsupported-media-type")
}

func TestSweep(t *testing.T) {
	s := startPage(t)
	var fresh struct{ Token string }
	s.call(t, "GET", "/ui/token", "", "Sec-Fetch-Site: same-origin").json(t, &fresh)
	sweep := func(tool, body string, headers ...string) *reply {
		if len(headers) == 0 {
			headers = []string{"Sec-Fetch-Site: same-origin", "X-Page-Token: " + fresh.Token}
		}
		return s.call(t, "POST", "/ui/sweep/"+tool, body,
			append(headers, "Content-Type: application/json")...)
	}
	var got struct {
		Points []struct {
			Result map[string]float64
			Error  string
		}
	}
	sweep("fspl", `{"input":{"freq_mhz":915},"field":"dist_km","values":[5,10,-1]}`).json(t, &got)
	if len(got.Points) != 3 || got.Points[1].Result["fspl_db"]-got.Points[0].Result["fspl_db"] <
		6.02 || got.Points[2].Error == "" {
		t.Errorf("%+v", got)
	}
	for _, c := range []struct{ tool, body, problem string }{
		{"fspl", `{`, "bad-request"},
		{"fspl", `{"field":"nothing","values":[1]}`, "bad-request"},
		{"fspl", `{"field":"dist_km","values":[]}`, "bad-request"},
		{"fspl", `{"field":"dist_km","values":[` + strings.Repeat("1,", 201) + `1]}`,
			"bad-request"},
		{"spice_simulate", `{"field":"temperature_c","values":[1]}`, "bad-request"},
	} {
		checkProblem(t, sweep(c.tool, c.body), 400, c.problem)
	}
	checkProblem(t, sweep("fslp", `{}`), 404, "tool-not-found")
	checkProblem(t, sweep("fspl", `{"field":"dist_km","values":[1]}`, "Sec-Fetch-Site: cross-site"),
		403, "page-only")
}
