// Package cmd implements the slipstick command line. It contains one file per command, the
// settings, and the start-up and shutdown order of a process.
package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/urfave/cli/v3"

	"slipstick/tools"
	"slipstick/tools/catalog"
)

// Exit codes of the program.
const (
	exitFailure = 1 // any other failure, such as of the network or the file system
	exitUsage   = 2 // user error: an invalid command, flag, setting or input
)

// Main runs the command line of this process and returns its exit code.
func Main() int {
	ctx, stop := untilSignal()
	defer stop()
	all, err := catalog.New()
	if err == nil {
		root := newCommand(all, os.Stdin, os.Stdout, os.Stderr)
		err = root.Run(ctx, helpArguments(root, os.Args))
	}
	return exitCode(err, os.Stderr)
}

// helpArguments returns a command line without the arguments and options before --help, such as
// "run fspl freq_mhz=915 --help". The library would take the first one for a help topic. A word
// that is no command loses its --help, so that its error names similar commands.
func helpArguments(root *cli.Command, args []string) []string {
	if len(args) > 3 && args[1] == "help" {
		return slices.Concat(args[:1], args[2:], []string{"--help"})
	}
	var kept []string
	command, unknown := root, false
	for i, a := range args {
		if a == "--help" || a == "-h" {
			if unknown {
				return kept
			}
			return append(kept, a)
		}
		if a == "--" {
			break
		}
		if c := command.Command(a); c != nil && i > 0 {
			command = c
		} else if len(command.Commands) == 0 {
			continue
		} else if i > 0 && !strings.HasPrefix(a, "-") && !strings.HasPrefix(args[i-1], "-") {
			unknown = true
		}
		kept = append(kept, a)
	}
	return args
}

// untilSignal returns a context that ends at the first signal to stop. A second signal after a
// second ends the process at once.
func untilSignal() (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// A supervisor may signal the process and its group at once.
	context.AfterFunc(ctx, func() { time.AfterFunc(time.Second, stop) })
	return ctx, stop
}

// exitCode prints an error and returns its exit code.
func exitCode(err error, errOut io.Writer) int {
	if err == nil {
		return 0
	}
	message, code := "slipstick: "+err.Error(), exitFailure
	var exit cli.ExitCoder
	if errors.As(err, &exit) { // the library has other codes, such as 3 for an unknown help topic
		code = min(max(exit.ExitCode(), exitFailure), exitUsage)
	}
	fmt.Fprintln(errOut, message)
	return code
}

// usageError returns an error with the exit code for user errors.
func usageError(message string) error { return cli.Exit(message, exitUsage) }

func usageErrorf(format string, args ...any) error {
	return usageError(fmt.Sprintf(format, args...))
}

// defaultCommand is the command that runs if the command line names none.
const defaultCommand = "serve"

// newCommand returns the complete command line with the given streams.
func newCommand(catalog *tools.Catalog, in io.Reader, out, errOut io.Writer) *cli.Command {
	root := &cli.Command{
		Name:                            "slipstick",
		Usage:                           "engineering calculators by REST, MCP, page and shell",
		UsageText:                       "slipstick [command [options]]",
		Version:                         versionLine(),
		EnableShellCompletion:           true,
		ConfigureShellCompletionCommand: configureCompletion,
		DefaultCommand:                  defaultCommand,
		Reader:                          in,
		Writer:                          out,
		ErrWriter:                       errOut,
		// Main prints the error and selects the exit code, so that tests can run a command in
		// process.
		ExitErrHandler: func(context.Context, *cli.Command, error) {},
		Description: `Without a command, slipstick serves everything in this process and needs no
other program. The options of "slipstick serve" then follow the name of the
program. For a deployment run "slipstick api" and any number of "slipstick
worker".

Examples:
  slipstick                                     serve on http://localhost:8080
  slipstick --addr 127.0.0.1:9000               the same on another address
  slipstick run fspl freq_mhz=915 dist_km=5     compute in this process
  slipstick run fspl --help                     the fields of a tool
  slipstick tools rf                            the tools of a category
  slipstick route board.dsn -o board.ses        route a Specctra design
  slipstick api --redis-url redis://db:6379 --database-url postgres://db/slipstick
  slipstick worker --redis-url redis://db:6379

Exit codes:
  0  success
  1  failure: the service, the network, the file system or the time limit
  2  mistake of the caller: command, option, setting or input of a tool`,
		Commands: []*cli.Command{
			serveCommand(catalog),
			apiCommand(catalog),
			workerCommand(catalog),
			mcpCommand(catalog),
			runCommand(catalog),
			batchCommand(catalog),
			routeCommand(),
			toolsCommand(catalog),
			queueCommand(catalog),
			tokenCommand(),
			healthCommand(),
			versionCommand(),
			manCommand(),
			childCommand(catalog),
		},
	}
	root.OnUsageError = onUsageError
	checkArguments(root.Commands)
	return root
}

// checkArguments makes every command report usage errors in one line. Commands also reject unknown
// arguments and subcommands. A command without its own check would inherit the check of its parent.
func checkArguments(commands []*cli.Command) {
	for _, c := range commands {
		c.OnUsageError = onUsageError
		checkArguments(c.Commands)
		switch {
		case c.Name == defaultCommand:
			c.ArgValidator = rejectServeArguments
		case c.ArgsUsage != "":
			c.ArgValidator = func(context.Context, *cli.Command) error { return nil }
		case len(c.Commands) > 0:
			c.ArgValidator = rejectSubcommand
		default:
			c.ArgValidator = rejectArguments
		}
	}
}

func rejectArguments(_ context.Context, cmd *cli.Command) error {
	if cmd.NArg() == 0 {
		return nil
	}
	return usageErrorf("%s takes no arguments, got %q", cmd.FullName(), cmd.Args().First())
}

// rejectSubcommand rejects the name of a subcommand that does not exist.
func rejectSubcommand(_ context.Context, cmd *cli.Command) error {
	word := cmd.Args().First()
	if word == "" || cmd.Name == "help" { // help inherits this check
		return nil
	}
	return usageErrorf("%s has no command %q%s",
		cmd.FullName(), word, nearestCommands(cmd, word))
}

// rejectServeArguments extends rejectArguments for the default command, which also receives command
// lines without a known command. Options of serve may precede its name.
func rejectServeArguments(_ context.Context, cmd *cli.Command) error {
	word := cmd.Args().First()
	if word == "" || word == cmd.Name && cmd.NArg() == 1 {
		return nil
	}
	if cmd.Root().Command(word) != nil {
		return usageErrorf("options follow their command: slipstick %s [options]", word)
	}
	hint := nearestCommands(cmd.Root(), word)
	if run := cmd.Root().Command("run"); run != nil && run.Command(word) != nil {
		hint = fmt.Sprintf("; did you mean slipstick run %s?", word)
	}
	return usageErrorf("%q is no command, and %s takes no arguments; "+
		"\"slipstick help\" lists the commands%s", word, cmd.FullName(), hint)
}

// nearestCommands returns a suggestion of subcommands with names similar to word, or "".
func nearestCommands(cmd *cli.Command, word string) string {
	var names []string
	for _, c := range cmd.VisibleCommands() {
		names = append(names, c.Name)
	}
	return didYouMean(tools.Nearest(word, names, 2))
}

// onUsageError adds similar options to the error of an unknown option.
func onUsageError(_ context.Context, cmd *cli.Command, err error, _ bool) error {
	hint := ""
	if name, ok := strings.CutPrefix(err.Error(), "flag provided but not defined: -"); ok {
		var names []string
		for _, f := range append(cmd.VisibleFlags(), cmd.VisiblePersistentFlags()...) {
			names = append(names, "--"+f.Names()[0])
		}
		err = fmt.Errorf("unknown option %q", name)
		hint = didYouMean(tools.Nearest("--"+name, names, 2))
	}
	return usageErrorf("%v%s; \"%s --help\" lists the options", err, hint, cmd.FullName())
}

// didYouMean returns a phrase that suggests the given names, or "" if there are none.
func didYouMean(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "; did you mean " + strings.Join(names, " or ") + "?"
}
