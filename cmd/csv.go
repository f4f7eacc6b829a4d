package cmd

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"slipstick/tools/schema"
)

// table is a part of a result with rows: vectors of equal length, a list of objects, or a list of
// lists. Cells are numbers in all their digits.
type table struct {
	name string // path in the result: vectors
	head []string
	rows [][]string
}

// writeCSV prints a table of a result as CSV (RFC 4180 with line feeds): the one of that name, or
// the first. A result without a table is one row of its values. Warnings and the names of further
// tables go to remarks.
func writeCSV(
	out, remarks io.Writer,
	node *schema.Node,
	result json.RawMessage,
	name string,
) error {
	values, err := decodeFields(result)
	if err != nil {
		return err
	}
	found := tablesIn(nil, "", node, values)
	names := make([]string, len(found))
	for i, t := range found {
		names[i] = t.name
	}
	chosen := oneRow(node, values)
	switch i := slices.Index(names, name); {
	case i >= 0:
		chosen = found[i]
	case name != "":
		return usageErrorf("--table %s: the tables of this result are %q", name, names)
	case len(found) > 0:
		chosen = found[0]
	}
	if name == "" && len(found) > 1 {
		fmt.Fprintf(
			remarks,
			"printed %s; --table selects another one of %s\n",
			names[0],
			strings.Join(names, ", "),
		)
	}
	if warnings, ok := values["warnings"].([]any); ok {
		for _, w := range warnings {
			fmt.Fprintf(remarks, "warning: %v\n", w)
		}
	}
	return printTable(out, chosen)
}

func printTable(out io.Writer, t table) error {
	w := csv.NewWriter(out)
	return errors.Join(w.Write(t.head), w.WriteAll(t.rows))
}

// tablesIn collects the tables of an object and of the objects inside it.
func tablesIn(list []table, prefix string, node *schema.Node, object map[string]any) []table {
	for _, name := range namesOf(node, object) {
		if name == "warnings" {
			continue
		}
		inner, path := nodeOf(node, name), prefix+name
		switch x := object[name].(type) {
		case map[string]any:
			if columns, rows := columnsOf(x); columns != nil {
				list = append(list, vectorTable(path, columns, x, rows))
				continue
			}
			list = tablesIn(list, path+".", inner, x)
		case []any:
			if rows := rowsOf(x); rows != nil {
				list = append(list, objectTable(path, itemsOf(inner), rows))
			} else if grid := gridOf(x); grid != nil {
				list = append(list, *grid)
				list[len(list)-1].name = path
			}
		}
	}
	return list
}

func vectorTable(name string, columns []string, object map[string]any, rows int) table {
	t := table{name: name, head: columns}
	for i := range rows {
		row := make([]string, len(columns))
		for j, c := range columns {
			row[j] = cellText(object[c].([]any)[i])
		}
		t.rows = append(t.rows, row)
	}
	return t
}

// objectTable has a column per field of the objects, and per field of an object inside them.
func objectTable(name string, item *schema.Node, rows []map[string]any) table {
	flat := make([]map[string]any, len(rows))
	seen := map[string]bool{}
	t := table{name: name}
	for i, row := range rows {
		flat[i] = map[string]any{}
		for _, column := range flatten(nil, "", item, row, flat[i]) {
			if !seen[column] {
				seen[column] = true
				t.head = append(t.head, column)
			}
		}
	}
	for _, row := range flat {
		cells := make([]string, len(t.head))
		for j, c := range t.head {
			cells[j] = cellText(row[c])
		}
		t.rows = append(t.rows, cells)
	}
	return t
}

// flatten stores the values of an object under their paths, and appends the paths in order.
func flatten(
	paths []string,
	prefix string,
	node *schema.Node,
	object, into map[string]any,
) []string {
	for _, name := range namesOf(node, object) {
		if inner, ok := object[name].(map[string]any); ok {
			paths = flatten(paths, prefix+name+".", nodeOf(node, name), inner, into)
			continue
		}
		into[prefix+name] = object[name]
		paths = append(paths, prefix+name)
	}
	return paths
}

// gridOf returns a list of equally long lists of numbers as a table with numbered columns, or nil.
func gridOf(list []any) *table {
	t := &table{}
	for _, v := range list {
		cells, ok := v.([]any)
		if !ok || len(cells) == 0 || len(t.rows) > 0 && len(cells) != len(t.rows[0]) {
			return nil
		}
		row := make([]string, len(cells))
		for i, c := range cells {
			row[i] = cellText(c)
		}
		t.rows = append(t.rows, row)
	}
	if len(t.rows) == 0 {
		return nil
	}
	for i := range t.rows[0] {
		t.head = append(t.head, fmt.Sprint(i+1))
	}
	return t
}

// oneRow returns a table of one row: the values of a result, without its warnings and files.
func oneRow(node *schema.Node, values map[string]any) table {
	kept := map[string]any{}
	for name, v := range values {
		if name != "warnings" && name != "files" {
			kept[name] = v
		}
	}
	return objectTable("", node, []map[string]any{kept})
}

// cellText returns the text of a value without rounding: null is empty, lists are JSON.
func cellText(v any) string {
	switch x := v.(type) {
	case nil:
		return ""
	case []any, map[string]any:
		raw, _ := json.Marshal(x) // decoded JSON
		return string(raw)
	default:
		return fmt.Sprint(x)
	}
}

// nodeOf is the definition of a field, and an empty one for a name without a definition.
func nodeOf(node *schema.Node, name string) *schema.Node {
	if f := node.Field(name); f != nil {
		return &f.Node
	}
	return &schema.Node{}
}

// itemsOf is the definition of the items of a list, and an empty one for a list without a
// definition.
func itemsOf(node *schema.Node) *schema.Node {
	if node.Elem != nil {
		return node.Elem
	}
	return &schema.Node{}
}
