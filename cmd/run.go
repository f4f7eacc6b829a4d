package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"slipstick/tools"
	"slipstick/tools/schema"
)

// maxInput is how much a file or standard input may hold, as much as a request body may.
const maxInput = 1 << 20

func runCommand(catalog *tools.Catalog) *cli.Command {
	return &cli.Command{
		Name:      "run",
		Usage:     "compute one tool here, without a server",
		ArgsUsage: "TOOL [field=value ...] [@file | -]",
		Description: `Values are numbers, words, true or false, or JSON for lists and objects.
field=@path reads a text field from a file; @path or - reads the whole input as JSON.

Examples:
  slipstick run fspl freq_mhz=915 dist_km=5
  slipstick run noise_figure_cascade stages='[{"nf_db":2,"gain_db":10},{"nf_db":8,"gain_db":20}]'
  slipstick run spice_simulate netlist=@examples/netlists/rc_low_pass.cir
  slipstick run pcb_layout @examples/boards/led_blinker_555.json -o led_blinker
  echo '{"freq_mhz":915,"dist_km":5}' | slipstick run fspl --json -`,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: "print the result envelope as JSON"},
			&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "folder for the files in a result, such as Gerbers"},
			&cli.DurationFlag{Name: "timeout", Value: 2 * time.Minute, Usage: "give up after this long"},
		},
		ShellComplete: func(_ context.Context, cmd *cli.Command) { completeRun(cmd, catalog) },
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if cmd.NArg() == 0 {
				return usageError("which tool? \"slipstick tools\" lists them")
			}
			entry, err := catalog.Find(cmd.Args().First())
			if err != nil {
				return usageError(err.Error())
			}
			body, err := composeInput(entry.Input, cmd.Args().Tail(), cmd.Root().Reader)
			if err != nil {
				return usageError(err.Error())
			}
			ctx, cancel := context.WithTimeout(ctx, cmd.Duration("timeout"))
			defer cancel()
			result, err := entry.Run(ctx, entry.InteractiveInput(body))
			if err != nil {
				return explain(entry, err)
			}
			out := cmd.Root().Writer
			if folder := cmd.String("out"); folder != "" {
				if err := writeFiles(out, folder, result); err != nil {
					return err
				}
			}
			if !cmd.Bool("json") {
				return printResult(out, entry.Output, result)
			}
			e := json.NewEncoder(out)
			e.SetEscapeHTML(false)
			e.SetIndent("", "  ")
			return e.Encode(entry.Envelope(result, time.Now()))
		},
	}
}

// writeFiles stores the files that a result carries under "files".
func writeFiles(out io.Writer, folder string, result json.RawMessage) error {
	var with struct {
		Files map[string]string `json:"files"`
	}
	if err := json.Unmarshal(result, &with); err != nil {
		return err
	}
	if len(with.Files) == 0 {
		return errors.New("this result has no files to write")
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for name, text := range with.Files {
		if err := os.WriteFile(filepath.Join(folder, filepath.Base(name)), []byte(text), 0o644); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(out, "%d files written to %s\n\n", len(with.Files), folder)
	return err
}

// explain makes an error of a computation readable: one line a fault.
func explain(entry *tools.Entry, err error) error {
	in := tools.AsInputError(err)
	if in == nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s refused its input:", entry.Name)
	for _, f := range in.Fields {
		b.WriteString("\n  " + f.Sentence())
	}
	return usageError(b.String())
}

// composeInput makes the JSON input of a tool from command line arguments.
func composeInput(node *schema.Node, args []string, stdin io.Reader) ([]byte, error) {
	fields := map[string]json.RawMessage{}
	for _, arg := range args {
		name, value, assigned := strings.Cut(arg, "=")
		switch {
		case arg == "-", strings.HasPrefix(arg, "@"):
			if len(args) > 1 {
				return nil, fmt.Errorf("%s holds the whole input and stands alone", arg)
			}
			if arg == "-" {
				return readLimited(stdin, "standard input")
			}
			return readFile(arg[1:])
		case !assigned:
			return nil, fmt.Errorf("%q is not field=value, @file or -", arg)
		case fields[name] != nil:
			return nil, fmt.Errorf("%s is given twice", name)
		}
		raw, err := composeValue(node.Field(name), value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		fields[name] = raw
	}
	return json.Marshal(fields)
}

// composeValue writes one argument as JSON. The field's kind decides what bare text means; a
// field nobody knows (node nil) is passed on so that the tool itself can name it.
func composeValue(field *schema.Field, value string) (json.RawMessage, error) {
	if path, ok := strings.CutPrefix(value, "@"); ok {
		text, err := readFile(path)
		if err != nil {
			return nil, err
		}
		if field != nil && field.Kind != schema.String {
			value = string(text)
		} else {
			return json.Marshal(string(text))
		}
	}
	if field != nil && field.Kind == schema.String {
		return json.Marshal(value)
	}
	if json.Valid([]byte(value)) {
		return json.RawMessage(value), nil
	}
	return json.Marshal(value)
}

func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readLimited(f, path)
}

func readLimited(r io.Reader, name string) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxInput+1))
	if err == nil && len(b) > maxInput {
		err = errors.New(name + " is larger than 1 MiB")
	}
	return b, err
}

// completeRun offers tool names, and after one its fields.
func completeRun(cmd *cli.Command, catalog *tools.Catalog) {
	out := cmd.Root().Writer
	if entry, err := catalog.Find(cmd.Args().First()); err == nil {
		for _, f := range entry.Input.Fields {
			fmt.Fprintf(out, "%s=\n", f.Name)
		}
		return
	}
	for _, e := range catalog.All() {
		fmt.Fprintln(out, e.Name)
	}
}
