package cmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"slipstick/result"
	"slipstick/tools/schema"
)

// Limits of printed tables; --json gives all rows.
const (
	// maximum number of points, vectors or entries; tables of objects have at most twice as many
	// rows
	tableRows    = 25
	tableColumns = 120 // width in columns above which the headings of a table are wrapped
)

// printColumns prints vectors as a table, decimated to tableRows points.
func printColumns(out io.Writer, name string, columns []string, object map[string]any, rows int) {
	fmt.Fprintf(out, "\n%s (%s", name, count(rows, "point", "points"))
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

// printExtremes prints a line per vector: the value of a single point, or the first, last, minimum
// and maximum of several points. The sweep variable has the first line.
func printExtremes(out io.Writer, columns []string, object map[string]any, rows int) {
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	if rows == 1 {
		fmt.Fprintln(w, "Vector\tValue")
	} else {
		fmt.Fprintf(w, "Vector (%d points)\tFirst\tLast\tMinimum\tMaximum\n", rows)
	}
	for _, c := range columns[:min(len(columns), tableRows)] {
		values := object[c].([]any)
		cells := []string{c, short(values[0])}
		if rows > 1 {
			cells = append(cells, short(values[rows-1]), "none", "none")
			if minimum, maximum := extremes(values); minimum <= maximum {
				cells[3], cells[4] = rounded(minimum, 6), rounded(maximum, 6)
			}
		}
		fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	if len(columns) > tableRows {
		fmt.Fprintf(w, "… %d vectors in all; --json has them\n", len(columns))
	}
	w.Flush()
}

// extremes returns the minimum and maximum of the numbers in a list, or +Inf and -Inf without
// numbers.
func extremes(list []any) (minimum, maximum float64) {
	minimum, maximum = math.Inf(1), math.Inf(-1)
	for _, v := range list {
		if n, ok := v.(json.Number); ok {
			if x, err := n.Float64(); err == nil {
				minimum, maximum = min(minimum, x), max(maximum, x)
			}
		}
	}
	return minimum, maximum
}

// printRows prints a list of objects as a table. If the entries contain objects or vectors, which a
// cell cannot show, printRows prints a block per entry.
func printRows(out io.Writer, name string, item *schema.Node, rows []map[string]any) {
	fmt.Fprintf(out, "\n%s:\n", name)
	for _, f := range item.Fields {
		vectors, _ := result.Columns(object(rows[0][f.Name]))
		if len(f.Node.Fields) > 0 || vectors != nil {
			printEntries(out, item, rows)
			return
		}
	}
	printTable(out, item, rows)
}

func object(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

// printTable prints a row per object. It omits columns that are null in all rows.
func printTable(out io.Writer, item *schema.Node, rows []map[string]any) {
	var table [][]string
	var headings []string
	shown := rows[:min(len(rows), 2*tableRows)]
	for _, f := range item.Fields {
		cells, empty := make([]string, len(shown)), true
		for i, row := range shown {
			cells[i] = cell(row[f.Name])
			empty = empty && row[f.Name] == nil
		}
		if !empty {
			headings = append(headings, labelWithUnit(f.Label, f.Unit))
			table = append(table, cells)
		}
	}
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	for _, line := range wrapHeadings(headings, table) {
		fmt.Fprintln(w, strings.Join(line, "\t"))
	}
	for i := range shown {
		line := make([]string, len(table))
		for k, cells := range table {
			line[k] = cells[i]
		}
		fmt.Fprintln(w, strings.Join(line, "\t"))
	}
	if len(shown) < len(rows) {
		fmt.Fprintf(w, "… %d rows in all; --json has them\n", len(rows))
	}
	w.Flush()
}

// cell formats a value for a cell of a table.
func cell(v any) string {
	switch x := v.(type) {
	case map[string]any:
		parts := []string{}
		for _, k := range slices.Sorted(maps.Keys(x)) {
			parts = append(parts, k+"="+short(x[k]))
		}
		return strings.Join(parts, " ")
	case []any:
		return joinShort(x)
	default:
		return short(v)
	}
}

// wrapHeadings returns the lines of the headings. In a table wider than tableColumns, it wraps each
// heading to the width of its cells.
func wrapHeadings(headings []string, table [][]string) (lines [][]string) {
	widths, total := make([]int, len(headings)), 0
	for i, heading := range headings {
		for _, c := range table[i] {
			widths[i] = max(widths[i], utf8.RuneCountInString(c))
		}
		total += max(widths[i], utf8.RuneCountInString(heading)) + 2
	}
	if total <= tableColumns {
		return [][]string{headings}
	}
	for i, heading := range headings {
		const minWidth = 8 // of a wrapped heading, in columns
		for k, part := range strings.Split(wrap(heading, max(widths[i], minWidth)), "\n") {
			if k == len(lines) {
				lines = append(lines, make([]string, len(headings)))
			}
			lines[k][i] = part
		}
	}
	return lines
}

// printEntries prints a block per object. The heading of a block is the value of its first string
// field.
func printEntries(out io.Writer, item *schema.Node, rows []map[string]any) {
	for i, row := range rows {
		if i == tableRows {
			fmt.Fprintf(out, "\n… %s in all; --json has them\n",
				count(len(rows), "entry", "entries"))
			return
		}
		var block bytes.Buffer
		p := newPrinter(&block)
		p.summary = true
		name := "entry " + strconv.Itoa(i+1)
		for _, f := range item.Fields {
			if f.Kind == schema.String {
				name, p.heading = text(row[f.Name]), f.Name
				break
			}
		}
		p.fields("", item, row)
		_ = p.finish(row) // a bytes.Buffer returns no error
		fmt.Fprintf(out, "\n  %s\n", name)
		for line := range strings.Lines(block.String()) {
			if strings.TrimSpace(line) != "" {
				fmt.Fprint(out, "    ", line)
			}
		}
	}
}
