package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"slipstick/autorouter/specctra"
)

// maxDesignBytes bounds a design file.
const maxDesignBytes = 32 << 20

// routeOptions are the options of "slipstick route".
type routeOptions struct {
	out, effort string
	seconds     float64
	edgeMM      float64
	keep        bool
}

// routeCommand routes a design of another layout program.
func routeCommand() *cli.Command {
	o := &routeOptions{}
	return &cli.Command{
		Name:      "route",
		Usage:     "route a placed board in the Specctra format and write a session",
		ArgsUsage: "BOARD.dsn | -",
		Description: `Reads the Specctra design that a layout program exports, connects its nets with
tracks and vias, checks the result against the design's rules, and writes the
session that the program imports. In KiCad: File > Export > Specctra DSN, then
File > Import > Specctra Session. docs/boards.md has the details.

Tracks and vias of the design that are locked stay as they are; others are
replaced unless --keep-wiring is given. Connections that could not be made are
listed, and the exit code is 1 when there are any.

Examples:
  slipstick route board.dsn
  slipstick route board.dsn -o board.ses --effort high --time-limit 300`,
		Flags: []cli.Flag{
			&cli.StringFlag{
				Name: "out", Aliases: []string{"o"}, Destination: &o.out, TakesFile: true,
				Usage: "session file; - prints it (default: the design's name with .ses)",
			},
			&cli.StringFlag{
				Name: "effort", Destination: &o.effort, Value: "normal",
				Usage: "fast, normal or high: at most 1, 3 or 6 attempts",
			},
			&cli.FloatFlag{
				Name: "time-limit", Destination: &o.seconds, Value: 60,
				Usage: "time limit of all attempts in s, 1 to 3600",
			},
			&cli.FloatFlag{
				Name: "edge-clearance", Destination: &o.edgeMM,
				Usage: "distance of tracks from the board edge in mm, 0 to 10; 0 takes the design's",
			},
			&cli.BoolFlag{
				Name: "keep-wiring", Destination: &o.keep,
				Usage: "keep all tracks and vias of the design",
			},
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if cmd.NArg() != 1 {
				return usageError("name one design file, or - for standard input")
			}
			return o.run(ctx, cmd.Root(), cmd.Args().First())
		},
	}
}

// check validates the options.
func (o *routeOptions) check() error {
	_, known := specctra.ParseEffort(o.effort)
	switch {
	case !known:
		return usageErrorf("--effort %q: the efforts are fast, normal and high", o.effort)
	case !(o.seconds >= 1 && o.seconds <= 3600):
		return usageErrorf("--time-limit %g: 1 to 3600 s are valid", o.seconds)
	case !(o.edgeMM >= 0 && o.edgeMM <= 10):
		return usageErrorf("--edge-clearance %g: 0 to 10 mm are valid", o.edgeMM)
	}
	return nil
}

// run routes the design of a file.
func (o *routeOptions) run(ctx context.Context, root *cli.Command, path string) error {
	if err := o.check(); err != nil {
		return err
	}
	effort, _ := specctra.ParseEffort(o.effort)
	text, err := readDesign(root.Reader, path)
	if err != nil {
		return err
	}
	design, err := specctra.Read(text)
	var result *specctra.Result
	if err == nil {
		result, err = design.Route(ctx, specctra.RouteOptions{
			Options: specctra.Options{KeepWiring: o.keep, EdgeClearanceMM: o.edgeMM},
			Effort:  effort, TimeLimit: time.Duration(o.seconds * float64(time.Second)),
		})
	}
	var invalid *specctra.Error
	if errors.As(err, &invalid) {
		return usageErrorf("%s: %v", path, invalid)
	}
	if err != nil {
		return err
	}
	out, name := o.out, path
	if path == "-" {
		name = "board.dsn"
	}
	if out == "" {
		out = strings.TrimSuffix(name, filepath.Ext(name)) + ".ses"
	}
	session := result.Session(name)
	if out == "-" {
		_, err = root.Writer.Write(session)
	} else {
		err = os.WriteFile(out, session, 0o644)
	}
	if err != nil {
		return err
	}
	return report(root.ErrWriter, result, out)
}

// readDesign reads a design file, or standard input for "-".
func readDesign(in io.Reader, path string) (string, error) {
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return "", usageError(err.Error())
		}
		defer f.Close()
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, maxDesignBytes+1))
	if err == nil && len(text) > maxDesignBytes {
		return "", usageErrorf("%s has more than %d MiB", path, maxDesignBytes>>20)
	}
	return string(text), err
}

// maxListed bounds the lists of open connections and violations.
const maxListed = 20

// report prints the figures of a routed design. The error says that it is incomplete.
func report(w io.Writer, r *specctra.Result, out string) error {
	for _, text := range r.Warnings {
		fmt.Fprintln(w, "warning:", text)
	}
	fmt.Fprintf(
		w,
		"%s: %d of %d connections, %d tracks of %.1f mm, %d vias, %.1f s\n",
		out,
		r.Connections-len(r.Open),
		r.Connections,
		len(r.Tracks),
		r.LengthMM,
		len(r.Vias),
		r.Runtime.Seconds(),
	)
	for i, open := range r.Open {
		if i == maxListed {
			fmt.Fprintf(w, "and %d more\n", len(r.Open)-i)
			break
		}
		fmt.Fprintf(w, "open: net %s, %s to %s: %s\n", open.Net, open.From, open.To, open.Reason)
	}
	for i, v := range r.Faults {
		if i == maxListed {
			break
		}
		fmt.Fprintf(w, "rule %s: %s\n", v.Rule, v.Message)
	}
	if r.OwnFaults > 0 {
		fmt.Fprintf(
			w,
			"warning: pads and keepouts of the design itself violate %d rules\n",
			r.OwnFaults,
		)
	}
	if len(r.Open) > 0 || len(r.Faults) > 0 {
		return fmt.Errorf("%d connections are open and %d rules are violated by tracks",
			len(r.Open), len(r.Faults))
	}
	return nil
}
