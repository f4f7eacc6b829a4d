package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"slipstick/batch"
	"slipstick/plot"
	"slipstick/tools"
)

// maxBatchRequest is the maximum size of a request file in bytes.
const maxBatchRequest = 16 << 20

// batchOptions are the options of "slipstick batch".
type batchOptions struct {
	out     string // output file; "-" writes CSV to standard output, "" writes no rows
	plot    string // plot file; "-" draws in the terminal, "" draws no plot
	column  string // plotted column; "" draws the default columns
	json    bool
	workers int
}

func batchCommand(catalog *tools.Catalog) *cli.Command {
	o := &batchOptions{}
	return &cli.Command{
		Name:      "batch",
		Usage:     "compute many runs of a tool: sweep, Monte Carlo, goal seek, optimization",
		ArgsUsage: "REQUEST.json | -",
		Description: `Reads a request from a file or from standard input, computes its runs in this
process on all cores, and prints their statistics. docs/batches.md describes
the request. The rows are the same for any number of cores. When it is
interrupted, it keeps the runs that are complete.

Examples:
  slipstick batch study.json
  slipstick batch study.json -o rows.csv --plot study.svg
  echo '{"tool":"fspl","input":{"freq_mhz":915},"vary":[{"field":"/dist_km","from":1,"to":100,"points":3,"scale":"log"}]}' |
    slipstick batch - -o -`,
		Flags: []cli.Flag{
			&cli.StringFlag{
				Name:        "out",
				Aliases:     []string{"o"},
				Destination: &o.out,
				Usage:       "file for the rows: .csv, .ndjson or .json; - prints them as CSV",
				TakesFile:   true,
			},
			&cli.StringFlag{
				Name:        "plot",
				Destination: &o.plot,
				Usage:       "file for a plot: .svg or .png; - draws it in the terminal",
				TakesFile:   true,
			},
			&cli.StringFlag{
				Name:        "column",
				Destination: &o.column,
				Usage:       "collected name to plot",
			},
			&cli.BoolFlag{
				Name:        "json",
				Destination: &o.json,
				Usage:       "print the statistics as JSON",
			},
			&cli.IntFlag{
				Name:        "workers",
				Destination: &o.workers,
				Value:       runtime.GOMAXPROCS(0),
				Usage:       "runs computed at the same time",
			},
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if cmd.NArg() != 1 {
				return usageError("batch needs one request file, or - for standard input")
			}
			return runBatch(ctx, cmd.Root(), catalog, cmd.Args().First(), o)
		},
	}
}

// runBatch computes a batch and writes the outputs that the options select.
func runBatch(ctx context.Context, root *cli.Command, catalog *tools.Catalog, path string,
	o *batchOptions) error {
	if err := o.check(); err != nil {
		return usageError(err.Error())
	}
	p, notes, err := readBatch(root.Reader, catalog, path)
	if err != nil {
		return usageError(err.Error())
	}
	for _, warning := range append(notes, p.Warnings()...) {
		fmt.Fprintln(root.ErrWriter, "warning:", warning)
	}
	if p.Request.DryRun {
		dry, err := p.Check(ctx)
		if err != nil {
			return err
		}
		return printJSON(root.Writer, dry)
	}
	if o.column != "" && !slices.Contains(p.Collected(), o.column) {
		return usageError(fmt.Sprintf("--column: %q is not collected; collected are %s", o.column,
			strings.Join(p.Collected(), ", ")))
	}
	report := newProgress(root.ErrWriter, p.Runs())
	runs, runErr := p.Execute(ctx, o.workers, report.show)
	report.clear()
	if runErr != nil && !errors.Is(runErr, context.Canceled) {
		return runErr
	}
	if runErr != nil {
		fmt.Fprintf(root.ErrWriter, "interrupted: %d of %d runs are complete\n",
			len(runs), p.Runs())
	}
	if err := o.writeRows(root.Writer, p, runs); err != nil {
		return err
	}
	if err := o.writePlot(root.Writer, p, runs); err != nil {
		return err
	}
	switch {
	case o.json:
		return errors.Join(runErr, printJSON(root.Writer, p.Summarize(runs)))
	case o.out != "-":
		return errors.Join(runErr, p.WriteReport(root.Writer, runs))
	}
	return runErr
}

// check returns an error for an unsupported file name, an invalid number of workers, or outputs
// that exclude each other.
func (o *batchOptions) check() error {
	if o.out != "" && o.out != "-" && !slices.Contains([]string{".csv", ".ndjson", ".json"},
		filepath.Ext(o.out)) {
		return fmt.Errorf("--out must end in .csv, .ndjson or .json, or be -, got %q", o.out)
	}
	if o.workers < 1 {
		return fmt.Errorf("--workers must be at least 1, got %d", o.workers)
	}
	if o.plot == terminalPlot && (o.out == "-" || o.json) {
		return errors.New("--plot - excludes --json and --out -")
	}
	return checkPlotFile(o.plot)
}

// readBatch reads a request and creates its plan. It interprets the request, adds the interactive
// inputs of the tool and removes the size limit, as "slipstick run" does. notes are the changes of
// the interpretation.
func readBatch(
	in io.Reader, catalog *tools.Catalog, path string,
) (p *batch.Plan, notes []string, err error) {
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, nil, err
		}
		defer f.Close()
		in = f
	}
	body, err := io.ReadAll(io.LimitReader(in, maxBatchRequest+1))
	if err != nil {
		return nil, nil, err
	}
	if len(body) > maxBatchRequest {
		return nil, nil, fmt.Errorf("the request has more than %d MiB", maxBatchRequest>>20)
	}
	var named struct{ Tool string }
	_ = json.Unmarshal(body, &named) // Parse returns the error
	entry, err := catalog.Find(named.Tool)
	if written := catalog.FindWritten(named.Tool); err != nil && written != nil {
		entry, err = written, nil
		notes = []string{fmt.Sprintf("tool: %q is read as %s", named.Tool, entry.Name)}
	}
	isKnown := err == nil
	if isKnown {
		var changes []string
		body, changes = batch.Interpret(entry.Tool, body)
		if err = batch.Guessed(entry.Tool, body); err != nil {
			return nil, nil, err
		}
		notes = append(notes, changes...)
	}
	r, err := batch.Parse(body)
	if err != nil {
		return nil, nil, err
	}
	if isKnown { // NewPlan returns the error
		r.Tool = entry.Name
		if r.Input, err = entry.WithSizeLimit(entry.InteractiveInput(r.Input),
			math.MaxInt); err != nil {
			return nil, nil, err
		}
	}
	p, err = batch.NewPlan(catalog, r)
	if err != nil {
		return nil, nil, err
	}
	return p, notes, p.Validate()
}

// writeRows writes all rows to the output file.
func (o *batchOptions) writeRows(out io.Writer, p *batch.Plan, runs []batch.Run) (err error) {
	rows := batch.Rows{Runs: runs}
	switch o.out {
	case "":
		return nil
	case "-":
		return p.WriteCSV(out, rows, true)
	}
	return writeTo(o.out, func(w io.Writer) error {
		switch filepath.Ext(o.out) {
		case ".ndjson":
			return p.WriteNDJSON(w, rows)
		case ".json":
			return printJSON(w, p.Columns(rows, p.Runs()))
		}
		return p.WriteCSV(w, rows, true)
	})
}

func (o *batchOptions) writePlot(out io.Writer, p *batch.Plan, runs []batch.Run) error {
	switch o.plot {
	case "":
		return nil
	case terminalPlot:
		return plot.WriteText(out, p.Figure(runs, o.column), terminalColumns)
	}
	return writePlot(o.plot, p.Figure(runs, o.column))
}

// writeTo creates a file and passes it to write.
func writeTo(path string, write func(io.Writer) error) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return write(f)
}

func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// progressEvery is the minimum interval between updates of the progress line.
const progressEvery = 200 * time.Millisecond

// progress displays the progress of a batch on a terminal.
type progress struct {
	w     io.Writer // nil if the output is not a terminal
	total int
	began time.Time
	shown time.Time
}

func newProgress(w io.Writer, total int) *progress {
	p := &progress{total: total, began: time.Now()}
	if f, ok := w.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			p.w = w
		}
	}
	return p
}

// show replaces the progress line.
func (p *progress) show(done int) {
	now := time.Now()
	if p.w == nil || now.Sub(p.shown) < progressEvery {
		return
	}
	p.shown = now
	fmt.Fprintf(p.w, "\r%s\x1b[K", progressLine(done, p.total, now.Sub(p.began)))
}

// progressLine returns a progress bar with the number of finished runs, their rate and the
// remaining time.
func progressLine(done, total int, elapsed time.Duration) string {
	const cells = 24
	filled := min(cells, cells*done/max(total, 1))
	rate := float64(done) / elapsed.Seconds()
	left := time.Duration(float64(total-done) / rate * float64(time.Second))
	return fmt.Sprintf("[%s%s] %d of %d runs, %.4g per second, %s left",
		strings.Repeat("#", filled), strings.Repeat("-", cells-filled), done, total, rate,
		left.Round(time.Second))
}

// clear removes the progress line.
func (p *progress) clear() {
	if p.w != nil && !p.shown.IsZero() {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
