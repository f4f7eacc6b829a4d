package api

import (
	"compress/gzip"
	"io"
	"strings"
	"testing"

	"slipstick/tools"
	"slipstick/tools/catalog"
)

func TestCatalogPaths(t *testing.T) {
	s := start(t, Options{})
	var all, some []tools.Listing
	s.call(t, "GET", "/api", "").json(t, &all)
	if len(all) != len(s.opt.Catalog.All()) || all[0].Name != "fspl" {
		t.Errorf("%+v", all)
	}
	s.call(t, "GET", "/api?category=test", "").json(t, &some)
	if len(some) != 4 || some[0].Name != "sum" {
		t.Errorf("%+v", some)
	}
	var m tools.Metadata
	s.call(t, "GET", "/api/fspl", "").json(t, &m)
	if m.Name != "fspl" || m.InputSchema["$schema"] != tools.Dialect || len(m.Examples) == 0 {
		t.Errorf("%+v", m)
	}
	if !strings.Contains(s.call(t, "GET", "/", "", "Accept: application/json").body, "/api/docs") {
		t.Error("the index does not point to the docs")
	}
}

func TestConditional(t *testing.T) {
	s := start(t, Options{})
	for _, path := range []string{"/api", "/api?category=rf", "/api/fspl", "/api/docs"} {
		get := s.call(t, "GET", path, "", "Accept-Encoding: identity")
		tag := get.header.Get("ETag")
		if get.status != 200 || tag == "" || get.header.Get("Cache-Control") == "" {
			t.Errorf("%s: %d %v", path, get.status, get.header)
		}
		head := s.call(t, "HEAD", path, "", "Accept-Encoding: identity")
		if head.status != 200 || head.body != "" ||
			head.header.Get("Content-Length") != get.header.Get("Content-Length") ||
			head.header.Get("ETag") != tag {
			t.Errorf("HEAD %s: %d %v", path, head.status, head.header)
		}
		for _, tags := range []string{tag, `"x", ` + tag, strings.TrimPrefix(tag, "W/"), "*"} {
			if r := s.call(t, "GET", path, "", "If-None-Match: "+tags); r.status != 304 ||
				r.body != "" || r.header.Get("ETag") != tag {
				t.Errorf("%s with %s: %d %s", path, tags, r.status, r.body)
			}
		}
		if r := s.call(t, "GET", path, "", `If-None-Match: "other"`,
			"Accept-Encoding: identity"); r.status != 200 || r.body != get.body {
			t.Errorf("%s with another tag: %d", path, r.status)
		}
	}
}

func TestPacked(t *testing.T) {
	s := start(t, Options{})
	plain := s.call(t, "GET", "/api/docs", "", "Accept-Encoding: identity")
	packed := s.call(t, "GET", "/api/docs", "", "Accept-Encoding: br, gzip")
	if packed.header.Get("Content-Encoding") != "gzip" ||
		packed.header.Get("Vary") != "Accept-Encoding" ||
		plain.header.Get("Content-Encoding") != "" {
		t.Fatalf("%v, %v", packed.header, plain.header)
	}
	z, err := gzip.NewReader(strings.NewReader(packed.body))
	if err != nil {
		t.Fatal(err)
	}
	if b, err := io.ReadAll(z); err != nil || string(b) != plain.body {
		t.Errorf("%v, %d bytes instead of %d", err, len(b), len(plain.body))
	}
	if r := s.call(t, "GET", "/api/docs", "",
		"Accept-Encoding: gzip;q=0"); r.header.Get("Content-Encoding") != "" {
		t.Error("gzip although the client does not accept it")
	}
}

// TestWholeCatalog verifies that the service starts with the real catalog.
func TestWholeCatalog(t *testing.T) {
	c, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, Options{Catalog: c})
	for _, e := range c.All() {
		if r := s.call(t, "GET", "/api/"+e.Name, ""); r.status != 200 {
			t.Errorf("%s: %d", e.Name, r.status)
		}
		if e.Heavy == nil {
			if r := s.post(t, "/api/"+e.Name, e.Examples[0].In); r.status != 200 {
				t.Errorf("%s: %d %s", e.Name, r.status, r.body)
			}
		}
	}
}
