package web

import (
	"testing"

	"slipstick/tools/catalog"
)

func testSite(t testing.TB) *Site {
	t.Helper()
	c, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(c, "test")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestAPITypes checks the types in the table of request fields: those of the schema.
func TestAPITypes(t *testing.T) {
	s := testSite(t)
	for _, c := range []struct{ tool, field, want string }{
		{"tip_calculator", "bill_amount", "number"},
		{"tip_calculator", "tax_amount", "number"},
		{"loan_amortization", "balloon", "number"},
		{"log_calc", "base", "number or string"},
		{"square_footage", "length", "number or string"},
		{"wire_ampacity", "awg", "string or integer"},
		{"sig_figs", "values", "array of (number or string)"},
		{"sig_figs", "operation", "string"},
		{"confidence_interval", "data", "array of number"},
		{"power_cost", "devices", "array of object"},
		{"power_cost", "devices[].quantity", "integer"},
		{"spice_template", "params", "object of number"},
	} {
		got := ""
		for _, f := range apiFields(s.Tool(c.tool).Input, "") {
			if f.Path == c.field {
				got = f.Type
			}
		}
		if got != c.want {
			t.Errorf("%s.%s has the type %q, want %q", c.tool, c.field, got, c.want)
		}
	}
}

func TestToolPages(t *testing.T) {
	s := testSite(t)
	for _, e := range s.catalog.All() {
		if _, err := s.ToolPage(Request{}, s.Tool(e.Name), nil, nil, nil); err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
	}
}
