package cmd

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"slipstick/result"
	"slipstick/tools/schema"
)

// writeCSV writes a table of a result as CSV (RFC 4180 with line feeds): the table with the given
// name, or the first. A result without a table becomes one row. Warnings and the names of further
// tables go to remarks.
func writeCSV(
	out, remarks io.Writer,
	node *schema.Node,
	raw json.RawMessage,
	name string,
) error {
	values, err := result.Decode(raw)
	if err != nil {
		return err
	}
	chosen, names, ok := result.ChooseTable(node, values, name)
	if !ok {
		return usageErrorf("--table %s: the tables of this result are %q", name, names)
	}
	if name == "" && len(names) > 1 {
		fmt.Fprintf(remarks, "printed %s; --table selects another one of %s\n", names[0],
			strings.Join(names, ", "))
	}
	if warnings, ok := values["warnings"].([]any); ok {
		for _, w := range warnings {
			fmt.Fprintf(remarks, "warning: %v\n", w)
		}
	}
	return chosen.WriteCSV(out)
}
