package cmd

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"

	"slipstick/result"
	"slipstick/tools/schema"
)

// printResult prints a result as text with the labels of its fields. It prints a line per scalar
// field, and a table per list of objects or group of vectors.
func printResult(out io.Writer, node *schema.Node, raw json.RawMessage) error {
	values, err := result.Decode(raw)
	if err != nil {
		return err
	}
	p := newPrinter(out)
	p.fields("", node, values)
	return p.finish(values)
}

// printer prints an object as text: a line per field in order, then the tables and the warnings.
type printer struct {
	out    io.Writer
	lines  *tabwriter.Writer
	tables []func()

	// summary selects the short form for an entry of a list. Vectors are reduced to their extremes,
	// and null or empty fields are omitted. A null measurement is printed because it means that the
	// measurement failed.
	summary bool
	heading string // name of the field that is the heading of an entry
}

func newPrinter(out io.Writer) *printer {
	return &printer{out: out, lines: tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)}
}

// fields prints the fields of an object. prefix, the label of the object, precedes the label of
// each field. A field without a definition, such as a design parameter, is printed with its name.
func (p *printer) fields(prefix string, node *schema.Node, object map[string]any) {
	for _, name := range result.Names(node, object) {
		if name == "warnings" || p.summary && p.leavesOut(name, object) {
			continue
		}
		label, unit, inner := name, "", &schema.Node{}
		if f := node.Field(name); f != nil {
			if p.summary && object[name] == nil {
				continue
			}
			label, unit, inner = f.Label, unitOf(f, object), &f.Node
		}
		if prefix != "" {
			label = prefix + ", " + label
		}
		p.field(name, label, unit, inner, object[name])
	}
}

// leavesOut reports whether the block of an entry omits a field: the heading, or the type, the
// statistics and the rounding of an analysis. The block contains the operating point only for .op.
func (p *printer) leavesOut(name string, object map[string]any) bool {
	switch name {
	case "analysis_type", "statistics", "rounding_pct":
		return true
	case "operating_point":
		return object["analysis_type"] != "op"
	}
	return name == p.heading
}

// field prints a field on one line. It defers a table or multi-line text until finish is called.
func (p *printer) field(name, label, unit string, node *schema.Node, v any) {
	line := func(text string) { fmt.Fprintf(p.lines, "%s\t%s\n", label, text) }
	switch x := v.(type) {
	case map[string]any:
		columns, rows := result.Columns(x)
		switch {
		case name == "files":
			line(fmt.Sprintf("%d files; -o writes them to a folder", len(x)))
		case columns == nil:
			p.fields(label, node, x)
		case p.summary:
			p.tables = append(p.tables, func() { printExtremes(p.out, columns, x, rows) })
		default:
			p.tables = append(p.tables, func() { printColumns(p.out, label, columns, x, rows) })
		}
	case []any:
		if rows := result.Rows(x); rows != nil {
			items := result.Items(node)
			p.tables = append(p.tables, func() { printRows(p.out, label, items, rows) })
		} else if len(x) > 0 || !p.summary {
			line(joinShort(x))
		}
	case string:
		if strings.Contains(x, "\n") {
			p.tables = append(p.tables, func() {
				fmt.Fprintf(p.out, "\n%s:\n%s\n", label, strings.TrimRight(x, "\n"))
			})
		} else if x != "" || !p.summary {
			line(x)
		}
	default:
		line(withUnit(v, unit))
	}
}

// finish prints the lines, the tables and the warnings of an object.
func (p *printer) finish(object map[string]any) error {
	if err := p.lines.Flush(); err != nil {
		return err
	}
	for _, t := range p.tables {
		t()
	}
	if warnings, ok := object["warnings"].([]any); ok {
		if len(warnings) > 0 && !p.summary {
			fmt.Fprintln(p.out)
		}
		for _, warning := range warnings {
			fmt.Fprintf(p.out, "warning: %v\n", warning)
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

// text formats a value, with at least nine significant digits if it rounds a number. JSON output
// contains all digits.
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
	if len(list) == 0 {
		return "none"
	}
	if row, ok := list[0].([]any); ok {
		lo, hi := math.Inf(1), math.Inf(-1)
		for _, r := range list {
			cells, _ := r.([]any)
			minimum, maximum := extremes(cells)
			lo, hi = min(lo, minimum), max(hi, maximum)
		}
		return fmt.Sprintf("%d rows of %d, from %.6g to %.6g; --json has them", len(list), len(row),
			lo, hi)
	}
	if _, ok := list[0].(map[string]any); ok {
		return count(len(list), "entry", "entries")
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

// count returns a number with its noun in singular or plural.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
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

// short formats a value for a column, with at least six significant digits if it rounds a number.
func short(v any) string {
	if n, ok := v.(json.Number); ok {
		if f, err := n.Float64(); err == nil {
			return rounded(f, 6)
		}
	}
	return text(v)
}
