package cmd

import (
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v3"

	"slipstick/tools/schema"
)

// completesOption reports whether the word to complete is an option. The shell leaves out any other
// unfinished word.
func completesOption(cmd *cli.Command) bool {
	args := cmd.Args().Slice()
	return len(args) > 0 && len(args[len(args)-1]) > 1 && strings.HasPrefix(args[len(args)-1], "-")
}

// completeFields prints the fields that the arguments do not have yet: field=value for each value of
// an enum or a boolean, otherwise field=.
func completeFields(out io.Writer, input *schema.Node, args []string) {
	given := map[string]bool{}
	for _, a := range args {
		name, _, _ := strings.Cut(a, "=")
		given[name] = true
	}
	for _, f := range input.Fields {
		values := f.Enum
		if f.Kind == schema.Boolean {
			values = []string{"true", "false"}
		}
		switch {
		case given[f.Name]:
		case len(values) == 0:
			fmt.Fprintf(out, "%s=:%s\n", f.Name, labelWithUnit(f.Label, f.Unit))
		default:
			for _, v := range values {
				fmt.Fprintf(out, "%s=%s:%s\n", f.Name, v, f.Label)
			}
		}
	}
}
