package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v3"

	"slipstick/batch"
	"slipstick/tools"
)

// maxBatchRequest is the largest request file in bytes.
const maxBatchRequest = 16 << 20

// batchOptions are the options of "slipstick batch".
type batchOptions struct {
	out     string // "" writes no rows
	plot    string // "" draws nothing
	column  string // "" draws the default columns
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
				Usage:       "file for a plot: .svg or .png",
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
func runBatch(ctx context.Context, root *cli.Command, catalog *tools.Catalog, path string, o *batchOptions) error {
	if err := o.check(); err != nil {
		return usageError(err.Error())
	}
	p, err := readBatch(root.Reader, catalog, path)
	if err != nil {
		return usageError(err.Error())
	}
	if p.Request.DryRun {
		dry, err := p.Check(ctx)
		if err != nil {
			return err
		}
		return printJSON(root.Writer, dry)
	}
	if o.column != "" && !slices.Contains(p.Collected(), o.column) {
		return usageError(fmt.Sprintf("--column: %q is not collected; collected are %s", o.column, strings.Join(p.Collected(), ", ")))
	}
	report := newProgress(root.ErrWriter, p.Runs())
	runs, runErr := p.Execute(ctx, o.workers, report.show)
	report.clear()
	if runErr != nil && !errors.Is(runErr, context.Canceled) {
		return runErr
	}
	if runErr != nil {
		fmt.Fprintf(root.ErrWriter, "interrupted: %d of %d runs are complete\n", len(runs), p.Runs())
	}
	if err := o.writeRows(root.Writer, p, runs); err != nil {
		return err
	}
	if err := o.writePlot(p, runs); err != nil {
		return err
	}
	switch {
	case o.json:
		return errors.Join(runErr, printJSON(root.Writer, p.Summarize(runs)))
	case o.out != "-":
		return errors.Join(runErr, printSummary(root.Writer, p, runs))
	}
	return runErr
}

// check rejects file names whose ending names no format.
func (o *batchOptions) check() error {
	if o.out != "" && o.out != "-" && !slices.Contains([]string{".csv", ".ndjson", ".json"}, filepath.Ext(o.out)) {
		return fmt.Errorf("--out must end in .csv, .ndjson or .json, or be -, got %q", o.out)
	}
	if o.workers < 1 {
		return fmt.Errorf("--workers must be at least 1, got %d", o.workers)
	}
	return checkPlotFile(o.plot)
}

// readBatch reads a request and makes its plan. A netlist without .end and other gaps that people
// leave are closed, as "slipstick run" does.
func readBatch(in io.Reader, catalog *tools.Catalog, path string) (*batch.Plan, error) {
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	body, err := io.ReadAll(io.LimitReader(in, maxBatchRequest+1))
	if err != nil {
		return nil, err
	}
	if len(body) > maxBatchRequest {
		return nil, fmt.Errorf("the request has more than %d MiB", maxBatchRequest>>20)
	}
	r, err := batch.Parse(body)
	if err != nil {
		return nil, err
	}
	if entry, err := catalog.Find(r.Tool); err == nil {
		r.Input = entry.InteractiveInput(r.Input)
	}
	return batch.NewPlan(catalog, r)
}

// writeRows writes all rows to the file of --out.
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

func (o *batchOptions) writePlot(p *batch.Plan, runs []batch.Run) error {
	if o.plot == "" {
		return nil
	}
	return writePlot(o.plot, p.Figure(runs, o.column))
}

// writeTo creates a file with the output of write.
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

// printSummary prints the statistics of a batch for people.
func printSummary(w io.Writer, p *batch.Plan, runs []batch.Run) error {
	failed, first := 0, ""
	for _, r := range runs {
		if r.Err == "" {
			continue
		}
		if failed++; first == "" {
			first = r.Err
		}
	}
	fmt.Fprintf(w, "%d runs of %s, %d failed\n", len(runs), p.Tool.Name, failed)
	if failed > 0 {
		fmt.Fprintf(w, "first error: %s\n", first)
	}
	s := p.Summarize(runs)
	fmt.Fprintln(w)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "\tcount\tmean\tsigma\tmin\t5 %\tmedian\t95 %\tmax\t")
	for _, name := range p.Collected() {
		c := s.Columns[name]
		fmt.Fprintf(table, "%s\t%d\t", name, c.Count)
		for _, x := range []*float64{c.Mean, c.Sigma, c.Min, c.P05, c.P50, c.P95, c.Max} {
			fmt.Fprintf(table, "%s\t", shortNumber(x))
		}
		fmt.Fprintln(table)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	return printAnswers(w, p, s)
}

// printAnswers prints yield, correlations, roots and the best run.
func printAnswers(w io.Writer, p *batch.Plan, s *batch.Summary) error {
	if y := s.Yield; y != nil {
		fmt.Fprintf(w, "\nyield %.2f %% (%d of %d; 95 %% confidence: %.2f to %.2f %%)\n", y.Pct, y.Passed, y.Of, y.LowPct, y.HighPct)
		for _, name := range slices.Sorted(maps.Keys(y.Limits)) {
			fmt.Fprintf(w, "  %s alone: %.2f %%\n", name, y.Limits[name].Pct)
		}
	}
	if s.RankCorrelation != nil {
		fmt.Fprintln(w, "\nrank correlation")
		for _, field := range p.Varied() {
			for _, name := range p.Collected() {
				if rho := s.RankCorrelation[field][name]; rho != nil {
					fmt.Fprintf(w, "  %s with %s: %.2f\n", field, name, *rho)
				}
			}
		}
	}
	if s.Roots != nil {
		fmt.Fprintf(w, "\nroots: %d\n", len(*s.Roots))
		for _, r := range *s.Roots {
			printPoint(w, p, r)
		}
	}
	if s.Best != nil {
		best, ok := s.Best.Run()
		if !ok {
			_, err := fmt.Fprintln(w, "\nno run is within the limits")
			return err
		}
		fmt.Fprintln(w, "\nbest run")
		printPoint(w, p, best)
	}
	return nil
}

func printPoint(w io.Writer, p *batch.Plan, point batch.Point) {
	for _, field := range p.Varied() {
		fmt.Fprintf(w, "  %s = %s", field, point.Input[field])
	}
	for _, name := range p.Collected() {
		if x := point.Values[name]; x != nil {
			fmt.Fprintf(w, "  %s = %s", name, shortNumber(x))
		}
	}
	fmt.Fprintln(w)
}

// shortNumber is a number with six digits, or - for none.
func shortNumber(x *float64) string {
	if x == nil {
		return "-"
	}
	return fmt.Sprintf("%.6g", *x)
}

// progressEvery is the least time between two lines of progress.
const progressEvery = 200 * time.Millisecond

// progress displays the progress of a batch on a terminal.
type progress struct {
	w     io.Writer // nil where there is no terminal
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

// show replaces the line of progress.
func (p *progress) show(done int) {
	now := time.Now()
	if p.w == nil || now.Sub(p.shown) < progressEvery {
		return
	}
	p.shown = now
	rate := float64(done) / now.Sub(p.began).Seconds()
	left := time.Duration(float64(p.total-done) / rate * float64(time.Second))
	fmt.Fprintf(p.w, "\r%d of %d runs, %.0f per second, %s left\x1b[K", done, p.total, rate, left.Round(time.Second))
}

// clear removes the line of progress.
func (p *progress) clear() {
	if p.w != nil && !p.shown.IsZero() {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
