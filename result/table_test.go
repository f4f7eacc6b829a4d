package result

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"slipstick/tools/schema"
)

// TestTables verifies that a list of equally long lists has numbered columns, and that each field
// of a nested object has its own column.
func TestTables(t *testing.T) {
	node := &schema.Node{Kind: schema.Object}
	values, err := Decode([]byte(`{"field":{"t":[[1,2.50],[3,4]]},"ragged":[[1],[2,3]],` +
		`"rows":[{"a":1,"in":{"x":[1,2]}},{"b":"u,v"}],"warnings":["none"]}`))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"": "1,2\n1,2.50\n3,4\n", "field.t": "1,2\n1,2.50\n3,4\n",
		"rows": "a,in.x,b\n1,\"[1,2]\",\n,,\"u,v\"\n",
	} {
		table, names, ok := ChooseTable(node, values, name)
		var out bytes.Buffer
		if err := table.WriteCSV(&out); err != nil || !ok || out.String() != want ||
			!slices.Equal(names, []string{"field.t", "rows"}) {
			t.Errorf("%q: %v %t %q\n%s", name, err, ok, names, out.String())
		}
	}
	if _, _, ok := ChooseTable(node, values, "ragged"); ok {
		t.Error("lists of different lengths are a table")
	}
	if values, err = Decode([]byte(`{"a":1.250,"b":null,"warnings":[]}`)); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	table, _, _ := ChooseTable(node, values, "")
	if err := table.WriteCSV(&out); err != nil || out.String() != "a,b\n1.250,\n" {
		t.Errorf("%v %q", err, out.String())
	}
}
