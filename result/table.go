package result

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sort"

	"slipstick/tools/schema"
)

// Table is a part of a result with rows: vectors of equal length, a list of objects, or a list of
// lists. Cells are numbers in all their digits.
type Table struct {
	Name string // path in the result: vectors
	head []string
	rows [][]string
}

// WriteCSV writes the table as CSV (RFC 4180 with line feeds).
func (t Table) WriteCSV(out io.Writer) error {
	w := csv.NewWriter(out)
	return errors.Join(w.Write(t.head), w.WriteAll(t.rows))
}

// ChooseTable returns the table of that name of a result in the form of Decode, or its first one;
// name "" selects the first. A result without a table is one row of its values. names are the
// tables of the result. ok is false for a name that is none of them.
func ChooseTable(
	node *schema.Node, values map[string]any, name string,
) (chosen Table, names []string, ok bool) {
	found := tablesIn(nil, "", node, values)
	for _, t := range found {
		names = append(names, t.Name)
	}
	switch i := slices.Index(names, name); {
	case i >= 0:
		return found[i], names, true
	case name != "":
		return Table{}, names, false
	case len(found) > 0:
		return found[0], names, true
	}
	return oneRow(node, values), names, true
}

// Decode returns the members of a result; numbers keep their digits.
func Decode(result json.RawMessage) (map[string]any, error) {
	d := json.NewDecoder(bytes.NewReader(result))
	d.UseNumber()
	values := map[string]any{}
	return values, d.Decode(&values)
}

// Names is the names of an object in the order of its definition, then the names without a
// definition in alphabetical order.
func Names(node *schema.Node, object map[string]any) (names []string) {
	for _, f := range node.Fields {
		if _, ok := object[f.Name]; ok {
			names = append(names, f.Name)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(object)) {
		if node.Field(k) == nil {
			names = append(names, k)
		}
	}
	return names
}

// Columns recognises an object of equally long lists of numbers or words, such as vectors over
// time. The independent variable comes first.
func Columns(object map[string]any) (columns []string, rows int) {
	rows = -1
	for _, k := range slices.Sorted(maps.Keys(object)) {
		list, ok := object[k].([]any)
		if !ok || rows >= 0 && len(list) != rows || len(list) > 0 && !isScalar(list[0]) {
			return nil, 0
		}
		rows = len(list)
		columns = append(columns, k)
	}
	if rows <= 0 {
		return nil, 0
	}
	rank := map[string]int{"sweep": -1, "time": -1, "frequency": -1, "sweep2": 0}
	sort.SliceStable(columns, func(i, j int) bool {
		a, okA := rank[columns[i]]
		b, okB := rank[columns[j]]
		return okA && (!okB || a < b)
	})
	return columns, rows
}

func isScalar(v any) bool {
	switch v.(type) {
	case []any, map[string]any:
		return false
	}
	return true
}

// Rows recognises a list of objects.
func Rows(list []any) []map[string]any {
	var rows []map[string]any
	for _, v := range list {
		row, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		rows = append(rows, row)
	}
	return rows
}

// tablesIn collects the tables of an object and of the objects inside it.
func tablesIn(list []Table, prefix string, node *schema.Node, object map[string]any) []Table {
	for _, name := range Names(node, object) {
		if name == "warnings" {
			continue
		}
		inner, path := nodeOf(node, name), prefix+name
		switch x := object[name].(type) {
		case map[string]any:
			if columns, rows := Columns(x); columns != nil {
				list = append(list, vectorTable(path, columns, x, rows))
				continue
			}
			list = tablesIn(list, path+".", inner, x)
		case []any:
			if rows := Rows(x); rows != nil {
				list = append(list, objectTable(path, Items(inner), rows))
			} else if grid := gridOf(x); grid != nil {
				list = append(list, *grid)
				list[len(list)-1].Name = path
			}
		}
	}
	return list
}

func vectorTable(name string, columns []string, object map[string]any, rows int) Table {
	t := Table{Name: name, head: columns}
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
func objectTable(name string, item *schema.Node, rows []map[string]any) Table {
	flat := make([]map[string]any, len(rows))
	seen := map[string]bool{}
	t := Table{Name: name}
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
	for _, name := range Names(node, object) {
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
func gridOf(list []any) *Table {
	t := &Table{}
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
func oneRow(node *schema.Node, values map[string]any) Table {
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

// Items is the definition of the items of a list, and an empty one for a list without a
// definition.
func Items(node *schema.Node) *schema.Node {
	if node.Elem != nil {
		return node.Elem
	}
	return &schema.Node{}
}
