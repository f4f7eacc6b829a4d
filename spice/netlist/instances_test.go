package netlist

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"slipstick/spice/diag"
)

func TestInstances(t *testing.T) {
	got, err := Instances(`parts
.param r=2k
R1 A b {2*r}
C1 a 0 c=10u ic=1
L1 a b
V1 a 0 dc 5 sin(0 1 1k)
Q1 c b e QX 2
Q2 c b e s QY
D1 a k nomodel
X1 A b sub r=5
B1 x 0 v={v(a)*2}
.subckt sub p q r=1
R9 p q {r}
.ends
.tran 1
`, Config{})
	if err != nil {
		t.Fatal(err)
	}
	want := []Instance{
		{Kind: 'r', Name: "R1", Line: 3, Nodes: []string{"A", "b"}, Value: "2*r", Number: 4000,
			Valued: true},
		{Kind: 'c', Name: "C1", Line: 4, Nodes: []string{"a", "0"}, Value: "10u", Number: 10e-6,
			Valued: true},
		{Kind: 'l', Name: "L1", Line: 5, Nodes: []string{"a", "b"}},
		{Kind: 'v', Name: "V1", Line: 6, Nodes: []string{"a", "0"}, Value: "dc 5 sin 0 1 1k"},
		{Kind: 'q', Name: "Q1", Line: 7, Nodes: []string{"c", "b", "e"}, Of: "QX", Value: "QX"},
		{Kind: 'q', Name: "Q2", Line: 8, Nodes: []string{"c", "b", "e", "s"}, Of: "QY",
			Value: "QY"},
		{Kind: 'd', Name: "D1", Line: 9, Nodes: []string{"a", "k"}, Of: "nomodel",
			Value: "nomodel"},
		{Kind: 'x', Name: "X1", Line: 10, Nodes: []string{"A", "b"}, Of: "sub", Value: "sub"},
		{Kind: 'b', Name: "B1", Line: 11},
	}
	if got.Title != "parts" || !reflect.DeepEqual(got.Instances, want) {
		t.Errorf("%q: got\n%+v", got.Title, got.Instances)
	}
}

func TestInstancesFaults(t *testing.T) {
	for text, want := range map[string]diag.Error{
		"":                                {Code: diag.EmptyNetlist},
		"t\nX1 a b nothere":               {Code: diag.UnknownSubcircuit, Line: 2},
		"t\nR1 a b 1\nR1 a b 1":           {Code: diag.DuplicateElement, Line: 3},
		"t\nR1 a":                         {Code: diag.MissingNode, Line: 2},
		"t\nX1 a":                         {Code: diag.MissingNode, Line: 2},
		"t\nD1 a b":                       {Code: diag.UnknownModel, Line: 2},
		"t\nZ1 a b":                       {Code: diag.UnknownElement, Line: 2},
		"t\nR1 a b {x}":                   {Code: diag.UnknownParameter, Line: 2},
		"t\n.include x\nR1 a b 1":         {Code: diag.ForbiddenCard, Line: 2},
		"t\nR1 a b 1\n.frob":              {Code: diag.UnknownCard, Line: 3},
		"t\nX1 a s\n.subckt s a b\n.ends": {Code: diag.SubcircuitPins, Line: 2},
	} {
		_, err := Instances(text, Config{})
		var d *diag.Error
		if !errors.As(err, &d) || d.Code != want.Code || d.Line != want.Line {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestInstancesErrors requires the errors of all lines of a netlist for a board.
func TestInstancesErrors(t *testing.T) {
	_, err := Instances("t\nR1 a b 1k\nX1 a b nothere\nR1 a c 1k\nD1 a b", Config{})
	e, ok := errors.AsType[*diag.Error](err)
	if !ok {
		t.Fatalf("no *diag.Error but %v", err)
	}
	var lines []int
	for _, one := range e.All() {
		lines = append(lines, one.Line)
	}
	if !slices.Equal(lines, []int{3, 4, 5}) {
		t.Errorf("errors in lines %v", lines)
	}
}
