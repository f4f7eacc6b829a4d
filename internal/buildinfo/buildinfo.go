// Package buildinfo reads the version of the program from the build.
package buildinfo

import (
	"runtime/debug"
	"strings"
)

// release is the version of a build without version control, such as the container image. The
// linker sets it: -ldflags "-X slipstick/internal/buildinfo.release=v0.2.0".
var release string

// Version returns the version without the leading v. It is the Git tag of the commit ("0.2.0") or,
// without a tag, a pseudo-version with time and revision ("0.0.0-20261120120000-8e3a10e5c1d2"). The
// suffix "+dirty" marks local changes. A build outside a repository has the version "devel".
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
