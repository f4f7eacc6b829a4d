package netlist

import (
	"reflect"
	"strings"
	"testing"
)

// TestMeasureCards verifies the parsed fields of .measure and .four cards.
func TestMeasureCards(t *testing.T) {
	c, err := Parse(`t
R1 a b 1k
.param half=0.5
.MEASURE TRAN Rise
+ TRIG V(OUT) VAL='half*2' TD=1u RISE=LAST
+ TARG v(a , gnd) = v(B) CROSS={1+1}
.meas ac bw when vdb(out,in)=-3 from=10 to=1k fall=1
.meas dc s deriv i(V1) at = 2
.meas tran x integral v(a) td=1m
.meas tran y param='2*rise'
.meas tran z find v(0) when v(a)=x td=y
.four {1k*half} v(a,b) i(l.x1.l1)
.four 1kHz 5 3 v(a)
.end`, Config{})
	if err != nil {
		t.Fatal(err)
	}
	m := c.Measures
	if len(m) != 6 {
		t.Fatalf("%d measures", len(m))
	}
	if r := m[0]; r.Name != "rise" || r.Kind != "delay" || r.Line != 4 || r.When.Count != -1 ||
		r.When.Edge != "rise" || r.When.Delay.Text != "1u" ||
		r.Targ.Count != 2 || r.Targ.Edge != "cross" || r.Targ.Right.Plus != "b" ||
		r.Targ.Left.Minus != "0" {
		t.Errorf("%+v %+v %+v", r, r.When, r.Targ)
	}
	if v, err := m[0].When.Value.Value(nil); v != 1 || err != nil {
		t.Errorf("val = %g, %v", v, err)
	}
	if b := m[1]; b.When.Left.Part != "db" || b.When.Left.Text != "vdb(out,in)" ||
		b.From.Text != "10" || b.To.Text != "1k" || b.When.Edge != "fall" {
		t.Errorf("%+v", b)
	}
	if d := m[2]; d.Kind != "deriv" || d.Operand.Kind != 'i' || d.When.At.Text != "2" {
		t.Errorf("%+v", d)
	}
	if x := m[3]; x.Kind != "integ" || x.From.Text != "1m" {
		t.Errorf("%+v", x)
	}
	if v, err := m[4].Param.Value(func(n string) (float64, error) {
		return map[string]float64{"rise": 21}[n], nil
	}); v != 42 || err != nil {
		t.Errorf("param = %g, %v", v, err)
	}
	if got := m[0].Targ.Left.Vectors(); !reflect.DeepEqual(got, []string{"v(a)"}) {
		t.Errorf("vectors %v", got)
	}
	if f := c.Fourier; len(f) != 2 || f[1].Periods != 3 || len(f[1].Operands) != 1 ||
		f[0].Frequency != 500 || len(f[0].Operands) != 2 ||
		f[0].Operands[1].Vectors()[0] != "i(l.x1.l1)" {
		t.Errorf("%+v", f)
	}
}

// TestLibraryFaults verifies that an error inside a library part has the line number of its X
// element.
func TestLibraryFaults(t *testing.T) {
	lib := func(name string) (string, bool) {
		if name == "part" {
			return ".subckt part a b params: r=1\n*\n*\n*\n*\n*\nR1 a b {1/r}\n.ends\n", true
		}
		return "", false
	}
	for text, want := range map[string]string{
		"t\nX1 a 0 part r=0\n.end": `line 2: X1 (part): expression "1/r" divides by zero`,
		"t\nX1 a part\n.end":       "line 2: X1 connects 1 nodes, but the library part part has 2: a b",
	} {
		if _, err := Parse(text, Config{Library: lib}); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	c, err := Parse("t\nX1 a 0 part r=2\nX2 s 0 outer\n.subckt outer a b\nX1 a b part\n.ends\n.end",
		Config{Library: lib})
	if err != nil || c.Components != 2 || c.Elements[0].Line != 2 || c.Elements[1].Internal ||
		c.Elements[1].Line != 5 {
		t.Errorf("%+v %v", c, err)
	}
	if strings.Join(c.Nodes, " ") != "a s" || len(c.InternalNodes) != 0 {
		t.Errorf("nodes %v, inner %v", c.Nodes, c.InternalNodes)
	}
}

// TestEmptyExpressions verifies that empty braces are rejected wherever a value may be an
// expression.
func TestEmptyExpressions(t *testing.T) {
	for _, line := range []string{".meas tran x param 1 {}", ".meas tran x param {} {}",
		".meas tran x when v(a)={} rise=1", ".meas tran x when v(a)=1 {}", "R2 a 0 R={}",
		"R2 a 0 R=1+ {}", ".meas ac x find {}/v(a) at=1", ".meas tran x max v(a) from={}",
		"C1 a 0 {} mfg={}", ".four 1k {} v(a)", ".dc {} {} {}", ".ac list {}", "V2 b 0 pwl {}"} {
		if _, err := Parse("t\nV1 a 0 1\n"+line+"\n.tran 1u 1m\n.end", Config{}); err == nil {
			t.Errorf("%s is accepted", line)
		}
	}
}
