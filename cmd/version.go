package cmd

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/urfave/cli/v3"

	"slipstick/internal/buildinfo"
)

func versionCommand() *cli.Command {
	return &cli.Command{
		Name:  "version",
		Usage: "print the version",
		Action: func(_ context.Context, cmd *cli.Command) error {
			_, err := fmt.Fprintln(cmd.Root().Writer, "slipstick", versionLine())
			return err
		},
	}
}

// versionLine returns the version with commit, platform and Go version.
func versionLine() string {
	revision := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && len(s.Value) >= 12 {
				revision = " (" + s.Value[:12] + ")"
			}
		}
	}
	return fmt.Sprintf(
		"%s%s %s/%s %s",
		buildinfo.Version(),
		revision,
		runtime.GOOS,
		runtime.GOARCH,
		runtime.Version(),
	)
}
