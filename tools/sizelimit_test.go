package tools

import (
	"context"
	"strings"
	"testing"
)

func TestWithSizeLimit(t *testing.T) {
	type in struct {
		Most int `json:"most" min:"1" max:"2000" default:"150" doc:"limit"`
	}
	type out struct {
		Most int `json:"most" doc:"limit"`
		Warnings
	}
	tool := Define(Spec{
		Name: "x", Title: "X", Summary: "x", Method: "x", Sources: []string{"test"},
		Examples:  []Example{{In: "{}"}},
		SizeLimit: &SizeLimit{Input: "most", Default: 150, Max: 2000},
	}, func(_ context.Context, i in) (o out, err error) { o.Most = i.Most; return o, nil })
	for _, c := range []struct {
		body  string
		limit int
		want  string // "" for an error
	}{
		{`{}`, 0, `{}`},
		{`{}`, 150, `{}`},
		{`{}`, 500, `{"most":500}`},
		{`{}`, 5000, `{"most":2000}`},
		{`{"most":300}`, 500, `{"most":300}`},
		{`{"most":500}`, 500, `{"most":500}`},
		{`{"most":501}`, 500, ``},
		{`{"most":151}`, 0, ``},
		{`{"most":2000,"most":100}`, 150, `{"most":100}`},
		{`{"most":100,"most":2000}`, 150, ``},
		{`{"most":1e9}`, 150, ``},
		{`{"most":"2000"}`, 150, `{"most":"2000"}`},
		{`{"most":null}`, 150, `{"most":null}`},
		{`[]`, 500, `[]`},
		{`{`, 500, `{`},
	} {
		got, err := tool.WithSizeLimit([]byte(c.body), c.limit)
		if string(got) != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%s with %d: %s, %v", c.body, c.limit, got, err)
		}
		if fault := AsInputError(err); err != nil && (fault.Fields[0].Path != "most" ||
			!strings.Contains(fault.Error(), "most")) {
			t.Errorf("%s: %v", c.body, err)
		}
	}
	if got, err := Define(Spec{
		Name: "y", Title: "Y", Summary: "y", Method: "y", Sources: []string{"test"},
		Examples: []Example{{In: "{}"}},
	}, func(_ context.Context, i in) (o out, err error) {
		return o, nil
	}).WithSizeLimit([]byte(`{}`), 500); string(got) != `{}` || err != nil {
		t.Errorf("a tool without a limit: %s %v", got, err)
	}
}
