package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// embedded verifies that another site can frame the form and the result of a synchronous tool, but
// no other page.
func embedded(p *tab) {
	p.excused = []string{"frame-ancestors", "Framing", "ERR_BLOCKED_BY_RESPONSE"}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<!doctype html><title>site</title><script>addEventListener('load', () => { document.title = 'loaded' })</script><iframe src=%q width=600 height=500></iframe>", p.base+r.URL.RequestURI())
	}))
	p.Cleanup(site.Close)
	base := p.base
	open := func(path string) {
		p.base = site.URL
		p.visit(path)
		p.until("document.title === 'loaded'")
		p.base = base
	}
	open("/t/fspl?embed=1")
	policy := func(path string) string {
		r, err := http.Get(p.base + path) //nolint:gosec // the request is to a server of the test
		if err != nil {
			p.Fatal(err)
		}
		defer r.Body.Close()
		return r.Header.Get("Content-Security-Policy")
	}
	for path, want := range map[string]string{
		"/t/fspl?embed=1": "frame-ancestors *;", "/t/fspl": "frame-ancestors 'none';",
		"/t/fspl?embed=0":           "frame-ancestors 'none';",
		"/t/spice_simulate?embed=1": "frame-ancestors 'none';",
		"/keys?embed=1":             "frame-ancestors 'none';",
		"/?embed=1":                 "frame-ancestors 'none';",
	} {
		if got := policy(path); !strings.Contains(got, want) {
			p.Errorf("%s: %q lacks %q", path, got, want)
		}
	}
	p.visit("/t/fspl?embed=1")
	p.until("document.querySelector('#result .value.first')?.textContent.includes('105.7')")
	p.expect("getComputedStyle(document.querySelector('.bar')).display === 'none' && document.querySelector('base').target === '_blank'")
	p.fill("dist_km", "10")
	p.until("document.querySelector('#result .value.first').textContent.includes('111.7') && location.search.startsWith('?embed=1&')")
	p.expect(
		"localStorage.getItem('values.fspl') === null && localStorage.getItem('recent') === null")
	p.seriousFaults("an embedded tool")
}

// TestEmbed verifies embedded tools in a browser.
func TestEmbed(t *testing.T) {
	t.Parallel()
	runParts(t, []part{{"frame", embedded}})
}
