package spice

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestErrorsOfNetlist requires every error of a netlist at once, in the order of the lines and
// without errors that follow from others.
func TestErrorsOfNetlist(t *testing.T) {
	for name, c := range map[string]struct{ netlist, want string }{
		"several kinds": {"t\nV1 in 0 1\nR1 in out 1kx*\nR2 out 0 {rload}\nY1 a b c\n" +
			"C1 out 0 abc\n" +
			".tran\n.meas tran x fnd v(out)\n.end",
			"3 bad_number, 4 unknown_parameter, 5 unknown_element, 6 bad_number, 7 missing_value, " +
				"8 syntax"},
		"elements and cards of the simulator": {"t\nV1 in 0 foo\nD1 in 0 m\n.model m npn\n" +
			"R1 in 0 1k m=-1\nR2 in\n.op\n.end",
			"2 syntax, 3 wrong_model_type, 5 bad_value, 6 missing_node"},
		"only errors of the simulator": {"t\nV1 in 0 1\nD1 in 0 m\n.model m npn\n" +
			"R1 in 0 1k m=-1\nF1 in 0 vx 1\n.op\n.end", "3 wrong_model_type, 5 bad_value"},
		"controlling sources": {"t\nV1 in 0 1\nR1 in 0 1\nF1 in 0 vx 1\nH1 a 0 vy 1\n" +
			"R2 a 0 1\n.op\n.end",
			"4 unknown_source, 5 unknown_source"},
		"no node has a single connection": {"t\nV1 in 0 1\nR1 in mid 1k\nR2 mid 0\n.op\n.end",
			"4 missing_value"},
		"misspelt card of a model": {"t\nV1 in 0 1\nD1 in 0 dx\nR1 in 0 {r}\n.modl dx d(is=1n)\n" +
			".parm r=1k\n.op\n.end", "5 unknown_card, 6 unknown_card"},
		"model with an error": {"t\nV1 in 0 1\nD1 in 0 dx\nD2 in 0 dx\n" +
			".model dx d(is={isat})\n.op\n.end",
			"5 unknown_parameter"},
		"model with an error of the simulator": {"t\nV1 in 0 1\nD1 in 0 dx\nD2 in 0 dx\n" +
			".model dx d(is=-1)\n.op\n.end", "3 bad_value"},
		"parameter with an error": {"t\nV1 in 0 1\nR1 in 0 {x}\nR2 in 0 {2*x}\n" +
			".param x={1/(}\n.op\n.end",
			"5 bad_expression"},
		"line without a closing brace": {"t\nV1 in 0 1\nR1 in 0 {x}\n.param x={1k\n.op\n.end",
			"4 syntax"},
		"function with an error": {"t\nV1 in 0 1\nR1 in 0 {f(2)}\n.func f(x {x}\n.op\n.end",
			"4 syntax"},
		"subcircuit with an error": {"t\nV1 in 0 1\nX1 in s\nX2 in s\n.subckt s a\n" +
			"R1 a 0 zz\nR2 a\n" +
			".ends\n.op\n.end", "6 bad_number, 7 missing_node"},
		"one error for each missing name": {"t\nV1 in 0 1\nD1 in 0 dx\nD2 in 0 dx\nX1 in 0 sx\n" +
			"X2 in 0 sx\nD3 in 0 dy\n.op\n.end",
			"3 unknown_model, 5 unknown_subcircuit, 7 unknown_model"},
		"without .end": {"t\nV1 in 0 1\nR1 in 0 1k 5 6\nR2 in\n.op",
			"3 syntax, 4 missing_node, 0 no_end"},
		"failed analysis": {"t\nV1 in 0 1\nR1 in 0 1\n.tf v(in) v1\n.noise v(in) v1 dec\n" +
			".step param\n.end",
			"5 missing_value, 6 missing_value"},
		"measure of a failed measure": {"t\nV1 in 0 1\nR1 in 0 1\n.meas op a fnd v(in)\n" +
			".meas op b param='2*a'\n.op\n.end", "4 syntax"},
		"cards that contain each other's missing names": {"t\nV1 in 0 1\nR1 in 0 1\n.op\n" +
			".meas op a param='b*2'\n.meas op b param='a*2'\n.end",
			"5 unknown_parameter, 6 unknown_parameter"},
		"missing name on a continuation line": {"t\nV1 in 0 1\nR1 in\nD1 in 0 x\n.model x\n" +
			"+ ako: y d(is=1n)\n.tran 1u\n+ {stop}\n.end",
			"3 missing_node, 5 unknown_model, 8 unknown_parameter"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Simulate(context.Background(), Request{Netlist: c.netlist})
			first, ok := errors.AsType[*Error](err)
			if !ok {
				t.Fatalf("no *Error but %v", err)
			}
			var got, details []string
			for _, e := range first.All() {
				got = append(got, fmt.Sprintf("%d %s", e.Line, e.Code))
				details = append(details, e.Error())
			}
			if s := strings.Join(got, ", "); s != c.want {
				t.Errorf("got  %s\nwant %s\n%s", s, c.want, strings.Join(details, "\n"))
			}
		})
	}
}

// TestArticle requires a correct article before the name of a quantity.
func TestArticle(t *testing.T) {
	_, err := Simulate(context.Background(),
		Request{Netlist: "t\nV1 in 0 1\nL1 in 0 abc\n.op\n.end"})
	if err == nil || !strings.Contains(err.Error(), "l1 needs an inductance in henries") {
		t.Errorf("error: %v", err)
	}
}

// TestListsOfKinds requires the lists of supported elements in the first such error only.
func TestListsOfKinds(t *testing.T) {
	const list, functions = "; allowed are R L C", "SAMPLEHOLD"
	_, err := Simulate(context.Background(), Request{Netlist: "t\nV1 in 0 1\nY1 in 0\n" +
		"A1 in 0 x\nA2 in 0 x\n.op\n.end"})
	first, ok := errors.AsType[*Error](err)
	if !ok {
		t.Fatalf("no *Error but %v", err)
	}
	for k, e := range first.All() {
		if strings.Contains(e.Detail, list) != (k == 0) ||
			strings.Contains(e.Detail, functions) != (k == 1) {
			t.Errorf("error %d: %s", k, e.Detail)
		}
	}
	if len(first.All()) != 3 {
		t.Errorf("%d errors", len(first.All()))
	}
}

// TestManyErrors requires ten errors and the lines of the others.
func TestManyErrors(t *testing.T) {
	var netlist strings.Builder
	netlist.WriteString("t\nV1 a 0 1\n")
	for k := range 13 {
		fmt.Fprintf(&netlist, "R%d a 0 x%d\n", k, k)
	}
	netlist.WriteString(".op\n.end")
	_, err := Simulate(context.Background(), Request{Netlist: netlist.String()})
	first, ok := errors.AsType[*Error](err)
	if !ok {
		t.Fatalf("no *Error but %v", err)
	}
	list := first.All()
	if len(list) != 11 || list[0].Line != 3 || list[9].Line != 12 {
		t.Fatalf("%d errors: %v", len(list), list)
	}
	if last := list[10]; last.Line != 0 || last.Detail != "and 3 more errors, in lines 13, 14, 15" {
		t.Errorf("last error: %d %s", last.Line, last.Detail)
	}
}

// TestManyInstancesWithErrors requires all errors of a netlist in which many instances repeat
// one error, and in which many elements use one missing model.
func TestManyInstancesWithErrors(t *testing.T) {
	netlist := "t\nV1 a 0 1\n.subckt s p\nR1 p 0 zz\n.ends\n" +
		strings.Repeat("X# a s\n", 500) + strings.Repeat("D# a 0 dx\n", 500) +
		"R9 a\n.op\n.end"
	for k := range 1000 {
		netlist = strings.Replace(netlist, "#", fmt.Sprint(k), 1)
	}
	_, err := Simulate(context.Background(), Request{Netlist: netlist,
		MaxElements: LargestCircuit})
	first, ok := errors.AsType[*Error](err)
	if !ok {
		t.Fatalf("no *Error but %v", err)
	}
	list := first.All()
	if len(list) != 3 || list[0].Line != 4 || list[1].Line != 506 || list[2].Line != 1006 {
		t.Errorf("%d errors: %v", len(list), list)
	}
}

// TestTooManyErrors requires a statement that the errors after the first 200 are not counted.
func TestTooManyErrors(t *testing.T) {
	var netlist strings.Builder
	netlist.WriteString("t\nV1 a 0 1\n")
	for k := range 20000 {
		fmt.Fprintf(&netlist, "R%d a\n", k)
	}
	netlist.WriteString(".op\n.end")
	_, err := Simulate(context.Background(), Request{Netlist: netlist.String(),
		MaxElements: LargestCircuit})
	first, ok := errors.AsType[*Error](err)
	if !ok {
		t.Fatalf("no *Error but %v", err)
	}
	list := first.All()
	if last := list[len(list)-1]; len(list) != 12 || last.Line != 0 ||
		!strings.Contains(last.Detail, "too many errors") {
		t.Errorf("%d errors: %v", len(list), list)
	}
}
