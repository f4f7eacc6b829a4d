package netlist

import (
	"errors"
	"math"
	"testing"

	"slipstick/spice/diag"
)

// law compiles an expression of v(a) and v(b) as the voltage of a B source.
func law(t *testing.T, text string) *BSource {
	t.Helper()
	c, err := Parse("t\nB1 o 0 V="+text+"\nR1 a b 1\n.op\n.end", Config{})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return c.Elements[0].BSource
}

// TestBehaviouralFunctions verifies the values of expressions with v(a) = -2 and v(b) = 3. Most
// values agree with ngspice 39. ngspice rejects some of these expressions, and it drops the sign of
// integer powers of negative numbers. if(), &, | and ! have the level 0.5 of LTspice.
func TestBehaviouralFunctions(t *testing.T) {
	for text, want := range map[string]float64{
		"v(a)^3": -8, "pow(v(a),3)": -8, "v(a)^-3": -1. / 8, "sqrt(v(a))": 0, "sqr(v(a))": 4,
		"pwr(v(a),3)": -8, "log(v(b))": math.Log(3), "v(a)**2.5": math.Pow(2, 2.5),
		"pow(v(a),2.5)": math.Pow(2, 2.5), "-v(b)^2": -9, "2**3**2": 64,
		"v(b)/(v(a)+2)": 3e32, "v(a)>-3 ? 5 : 7": 5, "sgn(v(a))": -1, "nint(2.5)": 2, "u(v(b))": 1,
		"u(v(b)-3)": .5, "uramp(v(a)+v(b))": 1,
		"v(a)*(v(b)>1)": -2, "!v(a)": 1, "!v(b)": 0, "!(v(a)>0)": 1,
		"if(v(a),5,7)": 7, "if(v(b)/8,5,7)": 7, "if(v(b)/5,5,7)": 5, "if(v(b)?v(a):1,5,7)": 7,
		"v(a)|v(b)/8": 0, "v(a)||v(b)/8": 1, "v(b)&v(b)/8": 0, "v(b)&&v(b)/8": 1,
		"v(b)|v(a)": 1, "v(b)&v(b)/5": 1, "ternary_fcn(v(a),5,7)": 5, "v(a)&1|v(b)": 1,
		"if(v(b)>1&v(a)<0,5,7)": 5, "min(v(a),v(b))": -2, "floor(-2.5)": -3, "ceil(2.2)": 3,
		"log10(v(b))": math.Log10(3), "v(b)==3": 1, "v(a)<0 || v(b)!=3": 1,
		"v(b)-v(a)": 5, "v(b,a)": 5, "1k*2": 2000, "cos(v(b))**2": math.Cos(3) * math.Cos(3),
		"tan(v(a))": math.Tan(-2), "sinh(v(b))": math.Sinh(3), "acosh(2)": math.Acosh(2),
		"{v(a)*(2)}":        -4,
		"atan2(v(a),-v(b))": math.Atan2(-2, -3), "hypot(v(a),v(b))": math.Sqrt(13),
		"atan2(0,0)":      0,
		"v(b)?v(a)?1:2:3": 1, "-3+v(a)": -5, "1?2:3": 2,
	} {
		l := law(t, text)
		x := make([]float64, len(l.Variables))
		for i, v := range l.Variables {
			at := map[string]float64{"a": -2, "b": 3}
			x[i] = at[v.Plus] - at[v.Minus]
		}
		w := l.Program.NewStack(len(x))
		got, _ := l.Program.Value(w, x)
		if math.Abs(got-want) > 1e-12*math.Abs(want) {
			t.Errorf("%s = %g, want %g", text, got, want)
		}
		if alone := l.Program.ValueAt(w, x); alone != got {
			t.Errorf("%s = %g without derivatives, want %g", text, alone, got)
		}
	}
}

// TestConstantFolding verifies that a subexpression without variables becomes one instruction.
func TestConstantFolding(t *testing.T) {
	for text, want := range map[string]int{"2*3+sin(1)": 1, "v(a)*(2*3)": 3, "(1>2)*4+v(a)": 3} {
		if got := len(law(t, text).Program.code); got != want {
			t.Errorf("%s has %d instructions, want %d", text, got, want)
		}
	}
}

// FuzzExpression verifies that every text compiles or returns a short error with a line number. A
// constant must also be valid as an expression of a source. Repeated evaluation must return the
// same value.
func FuzzExpression(f *testing.F) {
	for _, text := range []string{"1+2*3^-v(a)", "v(a)>1 ? exp(v(b)) : -sqrt(v(a,b))",
		"max(1,min(v(a),2k),pwr(v(b),3))", "!(1&&0)||2<=3", "{gain}*sin(2*pi*1k*time)+temper",
		"u(v(a))*uramp(i(v1))",
		"((((((1))))))", "1/0", "1e400", "log10(-1)", "a?b:c", "v(a", "2**3**2",
		"acos(v(a))*atanh(v(b))/v(a)", "atan2(v(a),v(b))+hypot(v(a),1)-white(v(b))"} {
		f.Add(text, 0.5, -1.5)
	}
	f.Fuzz(func(t *testing.T, text string, a, b float64) {
		var l BSource
		variable := func(head string, nodes []string, call bool) (int, bool, error) {
			if call && head == "v" && len(nodes) == 1 && (nodes[0] == "a" || nodes[0] == "b") {
				return int(nodes[0][0] - 'a'), true, nil
			}
			return 0, !call && head == "time", nil
		}
		parameter := func(name string, _ int) (float64, error) {
			if name == "gain" {
				return 2.5, nil
			}
			return 0, diag.At(diag.UnknownParameter, 7, "no")
		}
		constant, fault := evaluate(text, 7, parameter)
		var err error
		l.Program, err = compile(text, 7, 0, resolver{parameter: parameter, variable: variable})
		for _, e := range []error{fault, err} {
			var d *diag.Error
			if e != nil && (!errors.As(e, &d) || d.Line != 7 || len(d.Detail) > 800) {
				t.Fatalf("%v", e)
			}
		}
		if err != nil {
			if fault == nil {
				t.Fatalf("%q is %g as a constant, but: %v", text, constant, err)
			}
			return
		}
		w := l.Program.NewStack(2)
		v, _ := l.Program.Value(w, []float64{a, b})
		again, slopes := l.Program.Value(w, []float64{a, b})
		if v != again && !math.IsNaN(v) {
			t.Fatalf("%q is %g and %g", text, v, again)
		}
		if len(slopes) != 2 {
			t.Fatalf("%d slopes", len(slopes))
		}
	})
}

// TestBinarySlopes compares the derivatives of atan2 and hypot with finite differences.
func TestBinarySlopes(t *testing.T) {
	for _, text := range []string{"atan2(v(a),v(b))", "hypot(v(a),v(b))"} {
		l := law(t, text)
		w := l.Program.NewStack(2)
		value := func(a, b float64) float64 {
			v, _ := l.Program.Value(w, []float64{a, b})
			return v
		}
		for _, x := range [][2]float64{{1, 2}, {-1, 2}, {1, -2}, {-3, -0.5}, {0, 1}} {
			const d = 1e-6
			_, slopes := l.Program.Value(w, x[:])
			got := [2]float64{slopes[0], slopes[1]}
			want := [2]float64{(value(x[0]+d, x[1]) - value(x[0]-d, x[1])) / (2 * d),
				(value(x[0], x[1]+d) - value(x[0], x[1]-d)) / (2 * d)}
			for k := range got {
				if math.Abs(got[k]-want[k]) > 1e-8 {
					t.Errorf("%s at %v: slope %d is %g, want %g", text, x, k, got[k], want[k])
				}
			}
		}
	}
}

// TestPolesAreRemoved verifies ValueOffPole at 0 V. A constant denominator stays, and so does one
// above 1e-14.
func TestPolesAreRemoved(t *testing.T) {
	for _, c := range []struct {
		text    string
		a       float64
		value   float64
		limited bool
	}{
		{"10/v(a)", 0, 1e-8, true}, {"10/v(a)", 1e-15, 1e-8, true}, {"10/v(a)", 1e-13, 1e14, false},
		{"10/v(a)", -4, -2.5, false}, {"v(b)/v(a)+2", 0, 2 + 3e-9, true},
		{"v(a)^-3", 0, 0, true}, {"v(a)**(-1.5)", 0, 0, true}, {"pwr(v(a),-1)", 0, 0, true},
		{"v(a)^-2", 2, 0.25, false}, {"v(a)^2", 0, 0, false}, {"v(b)/1e-15", 0, 3e15, false},
	} {
		l := law(t, c.text)
		x := make([]float64, len(l.Variables))
		for i, v := range l.Variables {
			x[i] = map[string]float64{"a": c.a, "b": 3}[v.Plus]
		}
		w := l.Program.NewStack(len(x))
		got, slopes, limited := l.Program.ValueOffPole(w, x)
		if math.Abs(got-c.value) > 1e-9*math.Abs(c.value)+1e-8 || limited != c.limited {
			t.Errorf("%s at %g: %g, limited %t, want %g, %t", c.text, c.a, got, limited, c.value,
				c.limited)
		}
		for _, s := range slopes {
			if limited && math.Abs(s) > 1e-8 {
				t.Errorf("%s at %g: slope %g", c.text, c.a, s)
			}
		}
		if exact, _ := l.Program.Value(w, x); !c.limited && exact != got {
			t.Errorf("%s at %g: %g without limits, %g with them", c.text, c.a, exact, got)
		}
	}
}
