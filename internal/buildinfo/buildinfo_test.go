package buildinfo

import (
	"runtime/debug"
	"testing"
)

func TestVersion(t *testing.T) {
	built := func(v string) *debug.BuildInfo {
		return &debug.BuildInfo{Main: debug.Module{Version: v}}
	}
	for _, c := range []struct {
		name, release string
		info          *debug.BuildInfo
		want          string
	}{
		{"tagged commit", "", built("v0.2.0"), "0.2.0"},
		{"commit without a tag", "", built("v0.0.0-20261120120000-8e3a10e5c1d2+dirty"),
			"0.0.0-20261120120000-8e3a10e5c1d2+dirty"},
		{"container image", "v0.2.0", built("(devel)"), "0.2.0"},
		{"container image, tag without v", "0.2.0", built("(devel)"), "0.2.0"},
		{"outside a repository", "", built("(devel)"), "devel"},
		{"no build information", "", nil, "devel"},
	} {
		if got := version(c.release, c.info); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
