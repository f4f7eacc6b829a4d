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

// Table is a part of a result that consists of rows: vectors of equal length, a list of objects, or
// a list of lists. Cells keep all digits of numbers.
type Table struct {
	Name string // path in the result, such as vectors
	head []string
	rows [][]string
}

// WriteCSV writes the table as CSV (RFC 4180 with line feeds).
func (t Table) WriteCSV(out io.Writer) error {
	w := csv.NewWriter(out)
	return errors.Join(w.Write(t.head), w.WriteAll(t.rows))
}

// ChooseTable returns the table with the given name from a decoded result; "" selects the first
// table. A result without a table becomes one row. names are the names of all tables. ok is false
// if no table has the name.
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

// Decode returns the members of a result. Numbers are of type json.Number and keep their digits.
func Decode(result json.RawMessage) (map[string]any, error) {
	d := json.NewDecoder(bytes.NewReader(result))
	d.UseNumber()
	values := map[string]any{}
	return values, d.Decode(&values)
}

// Names returns the member names of an object: first the defined ones in definition order, then the
// others in alphabetical order.
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

// Columns returns the columns and the number of rows of an object of equally long lists of numbers
// or words, such as vectors over time. The independent variable is the first column. Columns
// returns nil and 0 for any other object.
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

// Rows converts a list of objects. It returns nil if the list is empty or has any other entry.
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

// tablesIn collects the tables of an object and of its nested objects.
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

// objectTable returns a table with a column per field of the objects, including fields of nested
// objects.
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

// flatten stores the values of an object by path in its last argument. It returns paths with the
// new paths appended in order.
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

// gridOf returns a non-empty list of non-empty lists of equal length as a table with numbered
// columns. It returns nil for any other list.
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

// oneRow returns a table with one row: the values of a result without its warnings and files.
func oneRow(node *schema.Node, values map[string]any) Table {
	kept := map[string]any{}
	for name, v := range values {
		if name != "warnings" && name != "files" {
			kept[name] = v
		}
	}
	return objectTable("", node, []map[string]any{kept})
}

// cellText returns a value as text without rounding. null becomes empty, lists become JSON.
func cellText(v any) string {
	switch x := v.(type) {
	case nil:
		return ""
	case []any, map[string]any:
		raw, _ := json.Marshal(x) // cannot fail: the value is decoded JSON
		return string(raw)
	default:
		return fmt.Sprint(x)
	}
}

// nodeOf returns the definition of a field, or an empty definition if there is none.
func nodeOf(node *schema.Node, name string) *schema.Node {
	if f := node.Field(name); f != nil {
		return &f.Node
	}
	return &schema.Node{}
}

// Items returns the definition of the items of a list, or an empty definition if there is none.
func Items(node *schema.Node) *schema.Node {
	if node.Elem != nil {
		return node.Elem
	}
	return &schema.Node{}
}
