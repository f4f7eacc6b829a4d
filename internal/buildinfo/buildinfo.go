// Package buildinfo reads the version of the program from the build.
package buildinfo

import (
	"runtime/debug"
	"strings"
)

// release is the version that the linker sets for a build without version control, such as the
// container image: -ldflags "-X slipstick/internal/buildinfo.release=v0.2.0".
var release string

// Version returns the version without the leading v: the Git tag of the commit that was built
// ("0.2.0"), a pseudo-version with time and revision for a commit without a tag
// ("0.0.0-20261120120000-8e3a10e5c1d2", "+dirty" with local changes), or "devel" for a build
// outside a repository.
func Version() string {
	info, _ := debug.ReadBuildInfo()
	return version(release, info)
}

func version(release string, info *debug.BuildInfo) string {
	v := release
	if v == "" && info != nil {
		v = info.Main.Version
	}
	if v == "" || v == "(devel)" {
		return "devel"
	}
	return strings.TrimPrefix(v, "v")
}
