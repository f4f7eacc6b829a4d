// Package cmd is the command line of slipstick: one file per command, the settings, and the order
// in which the parts of a process start and stop.
package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"

	"github.com/redis/go-redis/v9"
	"github.com/urfave/cli/v3"

	"slipstick/internal/buildinfo"
	"slipstick/tools"
	"slipstick/tools/catalog"
	"slipstick/worker"
)

// Exit codes of the program.
const (
	exitFailure = 1 // the service, the network or the file system failed
	exitUsage   = 2 // the caller's mistake: a wrong command, flag, setting or input
)

// Main runs the command line of this process and returns its exit code.
func Main() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	all, err := catalog.New()
	if err == nil {
		err = newCommand(all, os.Stdin, os.Stdout, os.Stderr).Run(ctx, os.Args)
	}
	return exitCode(err, os.Stderr)
}

// exitCode prints an error and returns the exit code that belongs to it.
func exitCode(err error, errOut io.Writer) int {
	if err == nil {
		return 0
	}
	var exit cli.ExitCoder
	if errors.As(err, &exit) {
		if exit.Error() != "" {
			fmt.Fprintln(errOut, exit.Error())
		}
		return exit.ExitCode()
	}
	fmt.Fprintln(errOut, "slipstick:", err)
	return exitFailure
}

// newCommand is the whole command line over the given streams.
func newCommand(all *tools.Catalog, in io.Reader, out, errOut io.Writer) *cli.Command {
	serve := serveCommand(all)
	root := &cli.Command{
		Name:                  "slipstick",
		Usage:                 "engineering calculators as a service: REST, workers, command line",
		Version:               buildinfo.Version(),
		HideVersion:           true,
		EnableShellCompletion: true,
		Suggest:               true,
		Reader:                in,
		Writer:                out,
		ErrWriter:             errOut,
		// main prints the error and chooses the exit code, so that tests can call this in process.
		ExitErrHandler: func(context.Context, *cli.Command, error) {},
		Description: `Without a command, slipstick serves everything in this process and needs nothing else
installed. For a deployment run "slipstick api" and any number of "slipstick worker".

Examples:
  slipstick                                         serve on http://localhost:8080
  slipstick run fspl freq_mhz=915 dist_km=5         compute here and now
  slipstick tools                                   what there is
  slipstick api --redis-url redis://db:6379 --database-url postgres://db/slipstick
                                                    one half of a deployment
  slipstick worker --redis-url redis://db:6379      the other half`,
		Flags:  serve.Flags,
		Action: serve.Action,
		Commands: []*cli.Command{
			serve,
			apiCommand(all),
			workerCommand(all),
			queueCommand(all),
			healthCommand(),
			runCommand(all),
			toolsCommand(all),
			tokenCommand(),
			mcpCommand(all),
			versionCommand(),
			{
				Name:   "child",
				Usage:  "compute jobs read from standard input; started by a worker",
				Hidden: true,
				Action: func(ctx context.Context, cmd *cli.Command) error {
					return worker.RunChild(ctx, all, cmd.Root().Reader, cmd.Root().Writer)
				},
			},
		},
	}
	refuseArguments(root.Commands)
	return root
}

// refuseArguments makes the commands whose usage names no arguments refuse them, instead of
// answering as if they had not been there.
func refuseArguments(commands []*cli.Command) {
	for _, c := range commands {
		refuseArguments(c.Commands)
		if len(c.Commands) > 0 || c.ArgsUsage != "" {
			continue
		}
		c.Before = func(ctx context.Context, cmd *cli.Command) (context.Context, error) {
			if cmd.NArg() > 0 {
				return ctx, usageError(fmt.Sprintf("%s takes no arguments, got %q", cmd.FullName(), cmd.Args().First()))
			}
			return ctx, nil
		}
	}
}

func toolsCommand(all *tools.Catalog) *cli.Command {
	return &cli.Command{
		Name:  "tools",
		Usage: "list the tools",
		Flags: []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "print the catalog as JSON"}},
		Action: func(_ context.Context, cmd *cli.Command) error {
			return listTools(cmd.Root().Writer, all, cmd.Bool("json"))
		},
	}
}

func versionCommand() *cli.Command {
	return &cli.Command{
		Name:  "version",
		Usage: "print the version",
		Action: func(_ context.Context, cmd *cli.Command) error {
			revision := ""
			if info, ok := debug.ReadBuildInfo(); ok {
				for _, s := range info.Settings {
					if s.Key == "vcs.revision" && len(s.Value) >= 12 {
						revision = " (" + s.Value[:12] + ")"
					}
				}
			}
			_, err := fmt.Fprintf(cmd.Root().Writer, "slipstick %s%s %s/%s %s\n", buildinfo.Version(), revision, runtime.GOOS, runtime.GOARCH, runtime.Version())
			return err
		},
	}
}

// logFlags are what every serving command takes.
func logFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "log-format", Value: "text", Usage: "text or json", Sources: cli.EnvVars("SLIPSTICK_LOG_FORMAT")},
		&cli.StringFlag{Name: "log-level", Value: "info", Usage: "debug, info, warn or error", Sources: cli.EnvVars("SLIPSTICK_LOG_LEVEL")},
	}
}

// newLog makes the logger that the log flags ask for.
func newLog(cmd *cli.Command) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(cmd.String("log-level"))); err != nil {
		return nil, usageError(fmt.Sprintf("--log-level %q is not debug, info, warn or error", cmd.String("log-level")))
	}
	options := &slog.HandlerOptions{Level: level}
	var log *slog.Logger
	switch f := cmd.String("log-format"); f {
	case "text":
		log = slog.New(slog.NewTextHandler(cmd.Root().ErrWriter, options))
	case "json":
		log = slog.New(slog.NewJSONHandler(cmd.Root().ErrWriter, options))
	default:
		return nil, usageError(fmt.Sprintf("--log-format %q is not text or json", f))
	}
	redis.SetLogger(redisLog{log})
	return log, nil
}

// redisLog takes go-redis's own remarks, which are details: whoever needed Redis says what
// could not be done.
type redisLog struct{ log *slog.Logger }

// Printf implements go-redis's logging interface.
func (l redisLog) Printf(ctx context.Context, format string, v ...any) {
	l.log.DebugContext(ctx, fmt.Sprintf(format, v...), "from", "redis client")
}
