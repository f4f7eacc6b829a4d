package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"github.com/urfave/cli/v3"

	"slipstick/tools"
	"slipstick/tools/docgen"
	"slipstick/tools/schema"
)

// runOptions are the options of "slipstick run".
type runOptions struct {
	json    bool
	csv     bool
	table   string // table to print; "" selects the first
	folder  string // folder for files; "" writes none
	plot    string // plot file; "-" draws in the terminal, "" draws no plot
	timeout time.Duration
}

func runCommand(catalog *tools.Catalog) *cli.Command {
	o := &runOptions{}
	run := &cli.Command{
		Name:            "run",
		Usage:           "compute a tool in this process, without a server",
		ArgsUsage:       "TOOL [field=value ...] [@file | -]",
		HideHelpCommand: true,
		Description: `Values are numbers, words, true or false, or JSON for lists and objects.
field=@path reads a field from a file, field=@- from standard input. @path
reads the whole input as JSON, - or @- reads it from standard input; JSON in
braces is the whole input too. "slipstick run TOOL --help" lists the fields
of a tool, "slipstick tools" the tools.

The result is printed for people, with --json in full as JSON, with --csv as a table.

Examples:
  slipstick run fspl freq_mhz=915 dist_km=5
  slipstick run noise_figure_cascade stages='[{"nf_db":2,"gain_db":10},{"nf_db":8,"gain_db":20}]'
  slipstick run spice_simulate netlist=@examples/netlists/rc_low_pass.cir --csv > rc.csv
  slipstick run spice_simulate netlist=@examples/netlists/rc_low_pass.cir --plot rc.svg
  slipstick run loan_amortization principal=1000 annual_rate_pct=6 term_years=1 --csv
  slipstick run pcb_layout @examples/boards/led_blinker_555.json -o led_blinker
  echo '{"freq_mhz":915,"dist_km":5}' | slipstick run fspl --json -`,
		Flags: runFlags(o),
		ShellComplete: func(ctx context.Context, cmd *cli.Command) {
			if completesOption(cmd) {
				cli.DefaultCompleteWithFlags(ctx, cmd)
				return
			}
			for _, e := range catalog.All() {
				fmt.Fprintf(cmd.Root().Writer, "%s:%s\n", e.Name, e.Summary)
			}
		},
		// The tools are subcommands, so this action runs only without a tool name.
		Action: func(_ context.Context, cmd *cli.Command) error {
			if _, err := catalog.Find(cmd.Args().First()); cmd.NArg() > 0 && err != nil {
				return usageError(err.Error())
			}
			return usageError("no tool is named; \"slipstick tools\" lists them")
		},
	}
	for _, e := range catalog.All() {
		run.Commands = append(run.Commands, toolCommand(e, o))
	}
	return run
}

// runFlags returns the flags that set the options of "slipstick run".
func runFlags(o *runOptions) []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{
			Name:        "json",
			Destination: &o.json,
			Usage:       "print the result envelope as JSON",
		},
		&cli.BoolFlag{
			Name:        "csv",
			Destination: &o.csv,
			Usage:       "print the table or vectors as CSV, or the values as one row",
		},
		&cli.StringFlag{
			Name:        "table",
			Destination: &o.table,
			Usage:       "result field to print with --csv, instead of its first table",
		},
		&cli.StringFlag{
			Name:        "out",
			Aliases:     []string{"o"},
			Destination: &o.folder,
			Usage:       "folder for the files of a result, such as Gerber files",
			TakesFile:   true,
		},
		&cli.StringFlag{
			Name:        "plot",
			Destination: &o.plot,
			Usage:       "file for a picture of the vectors, field, board or table of a result: .svg or .png; - draws curves in the terminal",
			TakesFile:   true,
		},
		&cli.DurationFlag{
			Name:        "timeout",
			Destination: &o.timeout,
			DefaultText: "2m0s, or the time limit of the tool if that is longer",
			Usage:       "longest time of the computation",
		},
	}
}

// toolCommand returns the "slipstick run" subcommand of one tool. It is hidden because "slipstick
// tools" lists the tools.
func toolCommand(entry *tools.Entry, o *runOptions) *cli.Command {
	return &cli.Command{
		Name:        entry.Name,
		Usage:       entry.Summary,
		ArgsUsage:   "[field=value ...] [@file | -]",
		Hidden:      true,
		Description: describeTool(entry),
		ShellComplete: func(ctx context.Context, cmd *cli.Command) {
			if completesOption(cmd) {
				cli.DefaultCompleteWithFlags(ctx, cmd)
				return
			}
			completeFields(cmd.Root().Writer, entry.Input, cmd.Args().Slice())
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			return runTool(ctx, cmd.Root(), entry, cmd.Args().Slice(), o)
		},
	}
}

// defaultTimeout returns the longest time of a computation without --timeout. It is not shorter
// than the time limit of the tool, at which the tool may return its best result.
func defaultTimeout(entry *tools.Entry) time.Duration {
	limit := 2 * time.Minute
	if entry.Heavy != nil {
		limit = max(limit, entry.Heavy.Timeout)
	}
	return limit
}

// runTool runs a tool with command line arguments and prints its result. Remarks go to the error
// output of root, so that the output of --json and --csv contains only the result.
func runTool(
	ctx context.Context,
	root *cli.Command,
	entry *tools.Entry,
	args []string,
	o *runOptions,
) error {
	if o.json && o.csv {
		return usageError("--json and --csv exclude each other")
	}
	if err := checkPlotFile(o.plot); err != nil {
		return usageError(err.Error())
	}
	if o.plot == terminalPlot && (o.csv || o.json) {
		return usageError("--plot - excludes --csv and --json")
	}
	if o.table != "" && !o.csv {
		return usageError("--table needs --csv")
	}
	body, err := composeInput(entry.Input, args, root.Reader)
	if err != nil {
		return usageError(err.Error())
	}
	timeout := o.timeout
	if timeout == 0 {
		timeout = defaultTimeout(entry)
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	local := entry.Completing(func(body []byte) ([]byte, error) {
		return entry.WithSizeLimit(entry.InteractiveInput(body), math.MaxInt)
	})
	result, err := local.RunInterpreted(ctx, body)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s did not end within --timeout %s", entry.Name, timeout)
	case err != nil:
		return explain(entry, body, err)
	}
	if o.folder != "" {
		if err := writeFiles(root.ErrWriter, o.folder, result); err != nil {
			return err
		}
	}
	if err := plotResult(o.plot, entry, result); err != nil {
		return err
	}
	switch {
	case o.csv:
		return writeCSV(root.Writer, root.ErrWriter, entry.Output, result, o.table)
	case o.json:
		e := json.NewEncoder(root.Writer)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		return e.Encode(entry.Envelope(result, time.Now()))
	case o.plot == terminalPlot:
		return errors.Join(printResult(root.Writer, entry.Output, result),
			printPlot(root.Writer, entry, result))
	default:
		return printResult(root.Writer, entry.Output, result)
	}
}

// writeFiles writes the files in the "files" member of a result.
func writeFiles(remarks io.Writer, folder string, result json.RawMessage) error {
	var with struct {
		Files map[string]string `json:"files"`
	}
	if err := json.Unmarshal(result, &with); err != nil {
		return err
	}
	if len(with.Files) == 0 {
		return errors.New("--out: this result has no files")
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for name, text := range with.Files {
		path := filepath.Join(folder, filepath.Base(name))
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(remarks, "%d files written to %s\n", len(with.Files), folder)
	return err
}

// explain returns an error with a line for each invalid field of an input error. It adds the
// corrected command or, if that is unknown, the unknown fields of the body. It returns any other
// error unchanged.
func explain(entry *tools.Entry, body []byte, err error) error {
	in := tools.AsInputError(err)
	if in == nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "invalid input of %s:", entry.Name)
	for _, f := range in.Fields {
		b.WriteString("\n  " + f.Sentence())
	}
	var fields map[string]json.RawMessage
	_ = json.Unmarshal(body, &fields) // a body that is not an object has no fields
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		var path string
		if json.Unmarshal(fields[name], &path) == nil && isFile(path) {
			fmt.Fprintf(&b, "\n  %s: write %[1]s=@%s to read the file", name, path)
		}
		if in.Corrected == nil && entry.Input.Field(name) == nil {
			fmt.Fprintf(
				&b,
				"\n  %s: is no field of this tool%s",
				name,
				didYouMean(nearestFields(name, entry.Input)),
			)
		}
	}
	for _, sentence := range in.Advice() {
		b.WriteString("\n  change: " + sentence)
	}
	if args, ok := exampleArguments(entry.Input, string(in.Corrected)); ok {
		fmt.Fprintf(&b, "\nTry: slipstick run %s %s", entry.Name, args)
	}
	fmt.Fprintf(&b, "\n\"slipstick run %s --help\" lists the fields", entry.Name)
	return usageError(b.String())
}

// nearestFields returns suggestions for an unknown field name: similar field names or, if there are
// none, field names that contain it.
func nearestFields(name string, input *schema.Node) []string {
	var names, containing []string
	for _, f := range input.Fields {
		names = append(names, f.Name)
		if strings.Contains(f.Name, name) {
			containing = append(containing, f.Name)
		}
	}
	if nearest := tools.Nearest(name, names, 2); len(nearest) > 0 {
		return nearest
	}
	return containing[:min(2, len(containing))]
}

// describeTool returns the help of a tool: its title, method, inputs and outputs, and the first
// example that the command line can express.
func describeTool(e *tools.Entry) string {
	var b strings.Builder
	b.WriteString(
		wrap(
			fmt.Sprintf("%s (%s). %s.", e.Title, e.Category, strings.TrimSuffix(e.Method, ".")),
			helpColumns,
		) + "\n",
	)
	b.WriteString("\nFields:\n")
	describeFields(&b, docgen.Fields(e.Input))
	b.WriteString("\nResult:\n")
	w := tabwriter.NewWriter(&b, 0, 4, 2, ' ', 0)
	for _, f := range docgen.Fields(e.Output) {
		fmt.Fprintf(w, "  %s\t%s\n", f.Path, labelWithUnit(f.Label, f.Unit))
	}
	_ = w.Flush() // a strings.Builder returns no error
	for _, x := range e.Examples {
		if args, ok := exampleArguments(e.Input, x.In); ok {
			fmt.Fprintf(&b, "\nExample: %s\n  slipstick run %s %s", x.Title, e.Name, args)
			break
		}
	}
	return b.String()
}

// helpColumns is the width of text in the help, in columns.
const helpColumns = 96

// wrap breaks a text at spaces into lines of at most the given number of columns.
func wrap(text string, columns int) string {
	var b strings.Builder
	column := 0
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case column+1+n > columns:
			b.WriteByte('\n')
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
	}
	return b.String()
}

// safeArgument matches arguments without characters that a shell interprets.
var safeArgument = regexp.MustCompile(`^[\w.:,/+-]+$`)

// exampleArguments converts a JSON input to command line arguments for a POSIX shell. It returns
// false if the input is not an object or a value spans several lines.
func exampleArguments(input *schema.Node, example string) (string, bool) {
	var values map[string]json.RawMessage
	if err := json.Unmarshal([]byte(example), &values); err != nil {
		return "", false
	}
	var args []string
	for _, f := range input.Fields {
		raw, ok := values[f.Name]
		if !ok {
			continue
		}
		value := string(raw)
		var s string
		if json.Unmarshal(raw, &s) == nil && value != "null" &&
			(f.Kind == schema.String || !json.Valid([]byte(s))) {
			value = s
		}
		if strings.Contains(value, "\n") {
			return "", false
		}
		if !safeArgument.MatchString(value) {
			value = "'" + strings.ReplaceAll(value, "'", `'\''`) + "'"
		}
		args = append(args, f.Name+"="+value)
	}
	return strings.Join(args, " "), true
}

// describeFields prints two lines per field: the label with unit, then type, valid values and
// default.
func describeFields(b *strings.Builder, fields []docgen.Field) {
	width := 0
	for _, f := range fields {
		width = max(width, len(f.Path))
	}
	for _, f := range fields {
		facts := []string{f.Type}
		if f.Allowed != "" {
			facts = append(facts, f.Allowed)
		}
		switch f.Default {
		case "required", "optional":
			facts = append(facts, f.Default)
		default:
			facts = append(facts, "default "+f.Default)
		}
		doc := ""
		if f.Doc != "" && !strings.EqualFold(f.Doc, f.Label) {
			doc = ": " + f.Doc
		}
		fmt.Fprintf(
			b,
			"  %-*s  %s%s\n  %-*s  %s\n",
			width,
			f.Path,
			labelWithUnit(f.Label, f.Unit),
			doc,
			width,
			"",
			strings.Join(facts, "; "),
		)
	}
}
