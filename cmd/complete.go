package cmd

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v3"

	"slipstick/tools/schema"
)

// completesOption reports whether the last argument is the beginning of an option. The completion
// script passes an unfinished word only if it begins with a hyphen.
func completesOption(cmd *cli.Command) bool {
	args := cmd.Args().Slice()
	return len(args) > 0 && len(args[len(args)-1]) > 1 && strings.HasPrefix(args[len(args)-1], "-")
}

// completeFields prints the fields that the arguments do not yet set: field=value for each value of
// an enum or boolean, otherwise field=.
func completeFields(out io.Writer, input *schema.Node, args []string) {
	present := givenFields(args)
	for _, f := range input.Fields {
		values := f.Enum
		if f.Kind == schema.Boolean {
			values = []string{"true", "false"}
		}
		switch {
		case present[f.Name]:
		case len(values) == 0:
			fmt.Fprintf(out, "%s=:%s\n", f.Name, labelWithUnit(f.Label, f.Unit))
		default:
			for _, v := range values {
				fmt.Fprintf(out, "%s=%s:%s\n", f.Name, v, f.Label)
			}
		}
	}
}

// givenFields returns the fields that have a value. Bash splits "field=value" into three words, and
// omits the third while it is being completed.
func givenFields(args []string) map[string]bool {
	present := map[string]bool{}
	for i, a := range args {
		name, _, assigned := strings.Cut(a, "=")
		if assigned || i+2 < len(args) && args[i+1] == "=" {
			present[name] = true
		}
	}
	return present
}

// bashFields is appended to the bash completion script because bash splits words at "=". It removes
// "field=" from the suggestions, since it is already on the line. It adds no space after "=".
const bashFields = `
__slipstick_fields() {
  __slipstick_bash_autocomplete "$@"
  local word="${COMP_LINE:0:COMP_POINT}"
  word="${word##* }"
  if [[ "$word" == *=* && "$COMP_WORDBREAKS" == *=* ]]; then
    COMPREPLY=("${COMPREPLY[@]#"${word%%=*}="}")
  fi
  if [[ ${#COMPREPLY[@]} == 1 && "${COMPREPLY[0]}" == *= ]]; then
    compopt -o nospace
  fi
  return 0
}
complete -o bashdefault -o default -F __slipstick_fields slipstick
`

// configureCompletion makes the completion command visible in the help and extends its bash script.
func configureCompletion(c *cli.Command) {
	c.Hidden = false
	c.Usage = "print a completion script for bash, zsh, fish or PowerShell"
	bash := c.Command("bash")
	library := bash.Action
	bash.Action = func(ctx context.Context, cmd *cli.Command) error {
		if err := library(ctx, cmd); err != nil {
			return err
		}
		_, err := io.WriteString(cmd.Root().Writer, bashFields)
		return err
	}
}
