package cmd

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"slipstick/result"
	"slipstick/tools/schema"
)

// tableRows is the maximum number of rows that are printed per table. --json prints all rows.
const tableRows = 25

// printResult prints a result in readable form with the labels of its fields: a line per field, a
// table per list of points.
func printResult(out io.Writer, node *schema.Node, raw json.RawMessage) error {
	values, err := result.Decode(raw)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	var tables []func()
	for _, f := range node.Fields {
		v, ok := values[f.Name]
		if !ok || f.Name == "warnings" {
			continue
		}
		switch x := v.(type) {
		case map[string]any:
			if f.Name == "files" {
				fmt.Fprintf(w, "%s\t%d files; -o writes them to a folder\n", f.Label, len(x))
				continue
			}
			if columns, rows := result.Columns(x); columns != nil {
				tables = append(tables, func() { printColumns(out, f.Label, columns, x, rows) })
				continue
			}
			printNested(w, f.Label, &f.Node, x)
		case []any:
			if rows := result.Rows(x); rows != nil {
				items := result.Items(&f.Node)
				tables = append(tables, func() { printRows(out, f.Label, items, rows) })
				continue
			}
			fmt.Fprintf(w, "%s\t%s\n", f.Label, joinShort(x))
		case string:
			if strings.Contains(x, "\n") {
				tables = append(tables, func() {
					fmt.Fprintf(out, "\n%s:\n%s\n", f.Label, strings.TrimRight(x, "\n"))
				})
				continue
			}
			fmt.Fprintf(w, "%s\t%s\n", f.Label, x)
		default:
			fmt.Fprintf(w, "%s\t%s\n", f.Label, withUnit(v, unitOf(f, values)))
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, t := range tables {
		t()
	}
	if warnings, ok := values["warnings"].([]any); ok {
		if len(warnings) > 0 {
			fmt.Fprintln(out)
		}
		for _, warning := range warnings {
			fmt.Fprintf(out, "warning: %v\n", warning)
		}
	}
	return nil
}

// withUnit formats a value and appends its unit, if any.
func withUnit(v any, unit string) string {
	if unit == "" || unit == "1" || v == nil {
		return text(v)
	}
	return text(v) + " " + unit
}

// text formats a value with at least nine significant digits. JSON output contains all digits.
func text(v any) string {
	switch x := v.(type) {
	case nil:
		return "none"
	case json.Number:
		f, err := x.Float64()
		if err != nil {
			return x.String()
		}
		return rounded(f, 9)
	default:
		return fmt.Sprint(x)
	}
}

// rounded formats f with the given number of significant digits, unless this would change an
// amount, count or time. It prints integers and numbers with at most four decimals in full. Large
// numbers keep two decimals.
func rounded(f float64, digits int) string {
	const inPlain = 1e15 // doubles beyond this have almost no fractional digits
	size := math.Abs(f)
	if size >= inPlain && f != math.Trunc(f) || size > 1<<53 || size > 0 && size < 1e-4 {
		return strconv.FormatFloat(f, 'g', digits, 64)
	}
	exact := strconv.FormatFloat(f, 'f', -1, 64)
	if _, decimals, _ := strings.Cut(exact, "."); len(decimals) <= 4 {
		return exact
	}
	if size >= math.Pow10(digits-2) {
		return strings.TrimRight(strings.TrimRight(strconv.FormatFloat(f, 'f', 2, 64), "0"), ".")
	}
	return strconv.FormatFloat(f, 'g', digits, 64)
}

// joinShort formats a list on one line: a few values, or the size and extremes of a list of rows.
func joinShort(list []any) string {
	if len(list) > 0 {
		if row, ok := list[0].([]any); ok {
			lo, hi := math.Inf(1), math.Inf(-1)
			for _, r := range list {
				cells, _ := r.([]any)
				for _, v := range cells {
					if n, ok := v.(json.Number); ok {
						x, _ := n.Float64()
						lo, hi = min(lo, x), max(hi, x)
					}
				}
			}
			return fmt.Sprintf(
				"%d rows of %d, from %.6g to %.6g; --json has them",
				len(list),
				len(row),
				lo,
				hi,
			)
		}
	}
	if len(list) > 0 {
		if _, ok := list[0].(map[string]any); ok {
			return fmt.Sprintf("%d entries; --json has them", len(list))
		}
	}
	parts := []string{}
	for i, v := range list {
		if i == 8 {
			parts = append(parts, fmt.Sprintf("… %d in all", len(list)))
			break
		}
		parts = append(parts, short(v))
	}
	return strings.Join(parts, ", ")
}

// printNested prints the fields of an object under its label. It prints names that the definition
// does not contain, such as those of design parameters, unchanged.
func printNested(w io.Writer, prefix string, node *schema.Node, object map[string]any) {
	for _, k := range result.Names(node, object) {
		label, unit, inner := k, "", &schema.Node{}
		if f := node.Field(k); f != nil {
			label, unit, inner = f.Label, unitOf(f, object), &f.Node
		}
		switch v := object[k].(type) {
		case map[string]any:
			printNested(w, prefix+", "+label, inner, v)
		case []any:
			fmt.Fprintf(w, "%s, %s\t%s\n", prefix, label, joinShort(v))
		default:
			fmt.Fprintf(w, "%s, %s\t%s\n", prefix, label, withUnit(v, unit))
		}
	}
}

func sortedKeys[V any](object map[string]V) []string { return slices.Sorted(maps.Keys(object)) }

func printColumns(out io.Writer, name string, columns []string, object map[string]any, rows int) {
	fmt.Fprintf(out, "\n%s (%d points", name, rows)
	shown := min(rows, tableRows)
	if shown < rows {
		fmt.Fprintf(out, ", %d shown; --json has all", shown)
	}
	fmt.Fprintln(out, "):")
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, strings.Join(columns, "\t")+"\t")
	for i := range shown {
		at := i
		if shown > 1 {
			at = i * (rows - 1) / (shown - 1)
		}
		for _, c := range columns {
			fmt.Fprintf(w, "%s\t", short(object[c].([]any)[at]))
		}
		fmt.Fprintln(w)
	}
	w.Flush()
}

// labelWithUnit returns the heading of a value, such as "Distance [km]".
func labelWithUnit(label, unit string) string {
	if unit == "" || unit == "1" || strings.HasSuffix(label, "("+unit+")") {
		return label
	}
	return label + " [" + unit + "]"
}

// unitOf returns the unit of a field in an object. Another field of the object may determine it.
func unitOf(f *schema.Field, object map[string]any) string {
	if f.UnitFrom == nil {
		return f.Unit
	}
	decides, _ := object[f.UnitFrom.Field].(string)
	return f.UnitFrom.Of(decides)
}

// short formats a value with at least six digits, for columns.
func short(v any) string {
	if n, ok := v.(json.Number); ok {
		if f, err := n.Float64(); err == nil {
			return rounded(f, 6)
		}
	}
	return text(v)
}

func printRows(out io.Writer, name string, item *schema.Node, rows []map[string]any) {
	fmt.Fprintf(out, "\n%s:\n", name)
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	var columns, headings []string
	for _, f := range item.Fields {
		columns = append(columns, f.Name)
		headings = append(headings, labelWithUnit(f.Label, f.Unit))
	}
	fmt.Fprintln(w, strings.Join(headings, "\t"))
	for i, row := range rows {
		if i == 2*tableRows {
			fmt.Fprintf(w, "… %d rows in all; --json has them\n", len(rows))
			break
		}
		for _, c := range columns {
			switch v := row[c].(type) {
			case map[string]any:
				parts := []string{}
				for _, k := range sortedKeys(v) {
					parts = append(parts, k+"="+short(v[k]))
				}
				fmt.Fprint(w, strings.Join(parts, " "), "\t")
			case []any:
				fmt.Fprint(w, joinShort(v), "\t")
			default:
				fmt.Fprint(w, short(v), "\t")
			}
		}
		fmt.Fprintln(w)
	}
	w.Flush()
}
