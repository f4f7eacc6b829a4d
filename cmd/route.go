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

	"slipstick/autorouter/board"
	"slipstick/autorouter/kicad"
	"slipstick/autorouter/placed"
	"slipstick/autorouter/specctra"
)

// Maximum sizes of a design file and a project file in bytes.
const (
	maxDesignBytes  = 32 << 20
	maxProjectBytes = 8 << 20
)

// routeOptions are the options of "slipstick route".
type routeOptions struct {
	out, effort, keep, project string
	seconds                    float64
	edgeMM                     float64
	keepWiring                 bool
}

// routeCommand returns the command that routes a design of another layout program.
func routeCommand() *cli.Command {
	o := &routeOptions{}
	return &cli.Command{
		Name:      "route",
		Usage:     "route a placed board of KiCad, or one in the Specctra format",
		ArgsUsage: "BOARD.kicad_pcb | BOARD.dsn | -",
		Description: `Reads a placed board, connects its nets with tracks and vias, checks the result
against the rules of the board, and writes it. docs/boards.md has the details.

A board file of KiCad 4 to 9 (.kicad_pcb) is written back with other tracks and
vias; all other text stays as it is, except fills of zones: press B in KiCad. Net
classes and board rules are those of the project file (.kicad_pro) beside it.

A Specctra design (.dsn) gives a session (.ses). In KiCad: File > Export >
Specctra DSN, then File > Import > Specctra Session.

Tracks and vias that are locked stay as they are; others are replaced, unless
--keep says otherwise. Connections that could not be made are listed, and the
exit code is 1 when there are any.

Examples:
  slipstick route board.kicad_pcb -o routed.kicad_pcb
  slipstick route board.dsn -o board.ses --effort high --time-limit 300`,
		Flags: []cli.Flag{
			&cli.StringFlag{
				Name: "out", Aliases: []string{"o"}, Destination: &o.out, TakesFile: true,
				Usage: "file to write; - prints it (default: BOARD-routed.kicad_pcb or BOARD.ses)",
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
			&cli.StringFlag{
				Name: "keep", Destination: &o.keep, Value: "locked",
				Usage: "tracks and vias that stay: locked, all or none",
			},
			&cli.BoolFlag{
				Name: "keep-wiring", Destination: &o.keepWiring,
				Usage: "the same as --keep all",
			},
			&cli.StringFlag{
				Name: "project", Destination: &o.project, TakesFile: true,
				Usage: "project file of KiCad (default: BOARD.kicad_pro where there is one)",
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
	if o.keepWiring {
		o.keep = "all"
	}
	_, known := placed.ParseEffort(o.effort)
	_, keepKnown := kicad.ParseKeep(o.keep)
	switch {
	case !keepKnown:
		return usageErrorf("--keep %q: the choices are locked, all and none", o.keep)
	case !known:
		return usageErrorf("--effort %q: the efforts are fast, normal and high", o.effort)
	case !(o.seconds >= 1 && o.seconds <= 3600):
		return usageErrorf("--time-limit %g: 1 to 3600 s are valid", o.seconds)
	case !(o.edgeMM >= 0 && o.edgeMM <= 10):
		return usageErrorf("--edge-clearance %g: 0 to 10 mm are valid", o.edgeMM)
	}
	return nil
}

// run routes the design in a file, writes the result and prints statistics.
func (o *routeOptions) run(ctx context.Context, root *cli.Command, path string) error {
	if err := o.check(); err != nil {
		return err
	}
	text, err := readFile(root.Reader, path, maxDesignBytes)
	if err != nil {
		return err
	}
	effort, _ := placed.ParseEffort(o.effort)
	how := placed.Options{
		Effort: effort, TimeLimit: time.Duration(o.seconds * float64(time.Second)),
	}
	name := path
	route := o.specctra
	if kicad.Detect(text) {
		route = o.kicad
	}
	file, r, err := route(ctx, text, &name, how)
	var invalid *kicad.Error // package specctra returns the same type
	if errors.As(err, &invalid) {
		return usageErrorf("%s: %v", path, err)
	}
	if errors.Is(err, placed.ErrTimeLimit) {
		return usageErrorf("--time-limit %g: %v; up to 3600 s are valid", o.seconds, err)
	}
	if err != nil {
		return err
	}
	out := o.out
	if out == "" {
		out = name
	}
	if out == "-" {
		_, err = root.Writer.Write(file)
	} else {
		err = os.WriteFile(out, file, 0o644)
	}
	if err != nil {
		return err
	}
	return r.report(root.ErrWriter, out)
}

// routedDesign is a routed design with the warnings of the parser.
type routedDesign struct {
	*board.Board
	*placed.Result
	warnings []string
}

// specctra routes a Specctra design and returns its session. name is the file name of the design;
// specctra replaces it with the file name of the session.
func (o *routeOptions) specctra(
	ctx context.Context, text string, name *string, how placed.Options,
) ([]byte, *routedDesign, error) {
	switch {
	case o.keep == "none":
		return nil, nil,
			usageError("--keep none: a session cannot remove the fixed tracks of a design")
	case o.project != "":
		return nil, nil, usageError("--project: a Specctra design has its own rules")
	}
	design, err := specctra.Read(text)
	if err != nil {
		return nil, nil, err
	}
	r, err := design.Route(ctx, specctra.Options{
		KeepWiring: o.keep == "all", EdgeClearanceMM: o.edgeMM,
	}, how)
	if err != nil {
		return nil, nil, err
	}
	if *name == "-" {
		*name = "board.dsn"
	}
	session := r.Session(*name)
	*name = strings.TrimSuffix(*name, filepath.Ext(*name)) + ".ses"
	return session, &routedDesign{r.Board.Board, r.Result, r.Warnings}, nil
}

// kicad routes a KiCad board file and returns the routed file. name is the file name of the board;
// kicad replaces it with the name of the routed file.
func (o *routeOptions) kicad(
	ctx context.Context, text string, name *string, how placed.Options,
) ([]byte, *routedDesign, error) {
	stem := strings.TrimSuffix(*name, filepath.Ext(*name))
	if *name == "-" {
		stem = "board"
	}
	var project string
	var err error
	path := o.project
	if path == "" && *name != "-" {
		if _, missing := os.Stat(stem + ".kicad_pro"); missing == nil {
			path = stem + ".kicad_pro"
		}
	}
	if path != "" {
		if project, err = readFile(nil, path, maxProjectBytes); err != nil {
			return nil, nil, err
		}
	}
	design, err := kicad.Read(text, project)
	if err != nil {
		return nil, nil, err
	}
	keep, _ := kicad.ParseKeep(o.keep)
	r, err := design.Route(ctx, kicad.Options{Keep: keep, EdgeClearanceMM: o.edgeMM}, how)
	if err != nil {
		return nil, nil, err
	}
	if _, missing := os.Stat(stem + ".kicad_dru"); missing == nil && *name != "-" {
		r.Warnings = append(r.Warnings, "the custom rules of "+stem+".kicad_dru are not read")
	}
	*name = stem + "-routed.kicad_pcb"
	return r.File(), &routedDesign{r.Board.Board, r.Result, r.Warnings}, nil
}

// readFile reads a file, or standard input for "-". It returns an error if the content exceeds the
// given number of bytes.
func readFile(in io.Reader, path string, most int) (string, error) {
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return "", usageError(err.Error())
		}
		defer f.Close()
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, int64(most)+1))
	if err == nil && len(text) > most {
		return "", usageErrorf("%s has more than %d MiB", path, most>>20)
	}
	return string(text), err
}

// maxListed is the maximum length of the lists of open connections and violations.
const maxListed = 20

// report prints statistics of a routed design. It returns an error if connections are open or
// tracks violate rules.
func (r *routedDesign) report(w io.Writer, out string) error {
	for _, text := range r.warnings {
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
	for _, p := range r.Pairs {
		fmt.Fprintf(w, "pair %s and %s: lengths differ by %.3f mm, %.0f %% side by side\n",
			r.Nets[p.Positive].Name, r.Nets[p.Negative].Name, board.ToMM(p.Mismatch), 100*p.Coupled)
	}
	for i, open := range r.Open {
		if i == maxListed {
			fmt.Fprintf(w, "and %d more\n", len(r.Open)-i)
			break
		}
		fmt.Fprintf(w, "open: net %s, %s to %s: %s\n", open.Net, open.From, open.To, open.Reason)
	}
	for i, v := range r.RoutingViolations {
		if i == maxListed {
			break
		}
		fmt.Fprintf(w, "rule %s: %s\n", v.Rule, v.Message)
	}
	if r.OwnViolations > 0 {
		fmt.Fprintf(
			w,
			"warning: pads and keepouts of the design itself violate %d rules\n",
			r.OwnViolations,
		)
	}
	if len(r.Open) > 0 || len(r.RoutingViolations) > 0 {
		return fmt.Errorf("%d connections are open and %d rules are violated by tracks",
			len(r.Open), len(r.RoutingViolations))
	}
	return nil
}
