package spice

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"slipstick/spice/analysis"
)

func run(t *testing.T, text, kind string) *Result {
	t.Helper()
	r, err := Simulate(context.Background(), Request{Netlist: text, Analysis: kind})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func column(t *testing.T, r *Result, name string) []float64 {
	t.Helper()
	for _, v := range r.Vectors {
		if v.Name == name {
			return v.Values
		}
	}
	t.Fatalf("no vector %s", name)
	return nil
}

// TestTransientClosedForm compares every output point with the closed-form solution.
func TestTransientClosedForm(t *testing.T) {
	for _, c := range []struct {
		name, text, vector string
		want               func(t float64) float64
		tol                float64 // largest error relative to the largest value of the vector
	}{
		{"RC from an initial charge", "t\nR1 a 0 1k\nC1 a 0 1u ic=5\n.tran 50u 5m uic\n.end",
			"v(a)",
			func(t float64) float64 { return 5 * math.Exp(-t/1e-3) }, 1e-3},
		{"RC released by .ic",
			"t\nV1 in 0 0\nR1 in a 1k\nC1 a 0 1u\n.ic v(a)=2\n.tran 50u 5m\n.end", "v(a)",
			func(t float64) float64 { return 2 * math.Exp(-t/1e-3) }, 1e-3},
		{"RL from an initial current", "t\nL1 a 0 10m ic=1\nR1 a 0 10\n.tran 50u 5m uic\n.end",
			"i(l1)",
			func(t float64) float64 { return math.Exp(-t / 1e-3) }, 1e-3},
		{"LC rings without loss for ten periods",
			"t\nL1 a 0 1m\nC1 a 0 1u ic=1\n.tran 2u 1.98692m uic\n.end", "v(a)",
			func(t float64) float64 { return math.Cos(t / math.Sqrt(1e-9)) }, 1e-2},
		{"RC driven by a ramp",
			"t\nV1 in 0 PWL(0 0 1m 1)\nR1 in a 1k\nC1 a 0 100n\n.tran 20u 1m\n.end", "v(a)",
			func(t float64) float64 { return 1e3 * (t - 1e-4*(1-math.Exp(-t/1e-4))) }, 1e-3},
		{"series RLC step, Q = 5",
			"t\nV1 in 0 PWL(0 0 1n 1)\nR1 in b 2\nL1 b a 100u\nC1 a 0 1u\n.tran 1u 200u\n.end",
			"v(a)",
			func(t float64) float64 {
				const al, w0 = 2 / (2 * 100e-6), 1e5
				wd := math.Sqrt(w0*w0 - al*al)
				t = math.Max(0, t-0.5e-9)
				return 1 - math.Exp(-al*t)*(math.Cos(wd*t)+al/wd*math.Sin(wd*t))
			}, 3e-3},
		{"current into a capacitor", "t\nI1 0 a 1m\nC1 a 0 1u ic=0\n.tran 10u 1m uic\n.end", "v(a)",
			func(t float64) float64 { return 1e3 * t }, 1e-3},
		{"damped sine", "t\nV1 a 0 SIN(1 2 1k 0.1m 500)\nR1 a 0 1\n.tran 10u 2m\n.end", "v(a)",
			func(t float64) float64 {
				t = math.Max(0, t-1e-4)
				return 1 + 2*math.Exp(-500*t)*math.Sin(2*math.Pi*1e3*t)
			}, 1e-6},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, method := range []string{"trap", "gear"} {
				r := run(t, strings.Replace(c.text, ".end", ".options method="+method+"\n.end", 1),
					"tran")
				time, v := column(t, r, "time"), column(t, r, c.vector)
				big, worst := 0.0, 0.0
				for i := range time {
					big = math.Max(big, math.Abs(c.want(time[i])))
					worst = math.Max(worst, math.Abs(v[i]-c.want(time[i])))
				}
				tol := c.tol
				if method == "gear" {
					tol *= 3
				}
				if worst > tol*big {
					t.Errorf("%s: off by %.3g of %.3g, allowed %g", method, worst, big, tol)
				}
				if len(time) > 1 && time[0] != 0 {
					t.Errorf("%s: first point at %g s", method, time[0])
				}
			}
		})
	}
}

// TestStartOfResult verifies that the result of a transient begins at the start time of the card,
// even if interpolation divides the step that ends there.
func TestStartOfResult(t *testing.T) {
	for _, start := range []float64{5.1e-3, 5.13e-3, 5.33e-3, 5.8e-3, 5.9e-3} {
		r := run(t, fmt.Sprintf(`half-wave rectifier
V1 in 0 sin(0 5 1k)
R1 in a 1k
D1 a out d
.model d d(is=1e-14 cjo=2p)
C1 out 0 100n
R2 out 0 3k
.tran 100u 10m %g
.end`, start), "")
		if first := column(t, r, "time")[0]; first != start {
			t.Errorf("the first point is at %g s, want %g s", first, start)
		}
	}
}

// TestOscillatorWithStart verifies that a start time does not disturb the error estimate of an
// oscillator, which has no rows of the result before this time. Without a valid estimate a second
// run would follow, with more iterations than the first.
func TestOscillatorWithStart(t *testing.T) {
	const circuit = `ring oscillator
VDD v 0 3.3
M1 b a 0 0 n w=10u l=1u
M2 b a v v p w=20u l=1u
M3 c b 0 0 n w=10u l=1u
M4 c b v v p w=20u l=1u
M5 a c 0 0 n w=10u l=1u
M6 a c v v p w=20u l=1u
C1 a 0 50f
C2 b 0 50f
C3 c 0 50f
.ic v(a)=0
.model n nmos(vto=0.7 kp=100u gamma=.4 lambda=.02 tox=14n cgso=.3n cgdo=.3n)
.model p pmos(vto=-0.7 kp=40u gamma=.4 lambda=.02 tox=14n cgso=.3n cgdo=.3n)
.tran 0.1n 60n `
	r, whole := run(t, circuit+"20n\n.end", ""), run(t, circuit+"0\n.end", "")
	if first := column(t, r, "time")[0]; first != 20e-9 {
		t.Errorf("the first point is at %g s, want 20 ns", first)
	}
	n, all := r.Statistics.NewtonIterations, whole.Statistics.NewtonIterations
	if float64(n) > 1.4*float64(all) {
		t.Errorf("%d iterations with a start time, %d without", n, all)
	}
}

// TestACClosedForm compares the phasors of a filter with its transfer function.
func TestACClosedForm(t *testing.T) {
	r := run(t,
		"t\nV1 in 0 AC 2 30\nR1 in a 1k\nC1 a 0 1u\nL1 a b 10m\nR2 b 0 50\n.ac dec 10 1 1meg\n.end", "ac")
	f, mag, ph := column(t, r, "frequency"), column(t, r, "v(a)_mag"),
		column(t, r, "v(a)_phase_deg")
	if len(f) != 61 || f[60] != 1e6 {
		t.Fatalf("%d frequencies up to %g", len(f), f[len(f)-1])
	}
	for i := range f {
		w := 2 * math.Pi * f[i]
		y := complex(0, w*1e-6) + 1/complex(50, w*10e-3)
		h := 2 / (1 + 1000*y) * complex(math.Cos(math.Pi/6), math.Sin(math.Pi/6))
		m, p := math.Hypot(real(h), imag(h)), math.Atan2(imag(h), real(h))*180/math.Pi
		if math.Abs(mag[i]-m) > 1e-9*m || math.Abs(ph[i]-p) > 1e-7 {
			t.Errorf("%g Hz: %g at %g°, want %g at %g°", f[i], mag[i], ph[i], m, p)
		}
	}
}

// TestDiodeOperatingPoint compares the voltage of a diode in series with a resistor with a solution
// by bisection. The equation is (V-v)/R = is·(exp(v/Vt)-1) + gmin·v.
func TestDiodeOperatingPoint(t *testing.T) {
	const vt = 300.15 * 1.38064852e-23 / 1.6021766208e-19
	r := run(t, "t\nV1 in 0 5\nR1 in a 1k\nD1 a 0 d\n.model d d(is=1e-14)\n.op\n.end", "op")
	lo, hi := 0.0, 5.0
	for range 200 {
		v := (lo + hi) / 2
		if (5-v)/1e3 > 1e-14*math.Expm1(v/vt)+1e-12*v {
			lo = v
		} else {
			hi = v
		}
	}
	if v := column(t, r, "v(a)")[0]; math.Abs(v-lo) > 1e-11 {
		t.Errorf("diode at %.15g V, bisection %.15g V", v, lo)
	}
	p := r.OperatingPoint
	if len(p) == 0 || p[len(p)-1].Region != "on" {
		t.Errorf("operating point: %+v", p)
	}
}

// TestSteepDiodes verifies that the voltage of diodes with a small N, as models of op amps have in
// clamps, agrees with n·Vt·log(1 + i/is). The terms of the row of node a are kiloamperes. A
// residual within reltol of them left currents with an error of 0.4 %.
func TestSteepDiodes(t *testing.T) {
	const vt = 300.15 * 1.38064852e-23 / 1.6021766208e-19
	for _, n := range []float64{0.01, 1e-3, 3e-4} {
		for _, ohms := range []float64{1, 10, 1e3} {
			r := run(t, fmt.Sprintf("t\nV1 s 0 5\nD1 s a d\nR1 a 0 %g\n"+
				".model d d(is=1e-14 n=%g)\n.op\n.end", ohms, n), "op")
			v := value(t, r, "v(a)")
			diode := (math.Exp((5-v)/(n*vt)) - 1) * 1e-14
			// The roundoff of v is 4e-16 of 5 V.
			wantNear(t, fmt.Sprintf("n=%g, %g ohm", n, ohms), diode, v/ohms, 1e-6)
		}
	}
}

// TestResidualWarning verifies that a warning names the node that violates Kirchhoff's current law,
// and the point of a sweep. The roundoff of 1e9 S at 589 V is above the currents of the IGBT.
func TestResidualWarning(t *testing.T) {
	const text = `t
V1 a 0 600
R1 a c 10
V2 g 0 8
M1 d g e e m L=100u W=100u
RD b d %s
Q1 e b c q
RDS b e 1e8
RE e 0 0.1
.model m nmos(vto=7.7 kp=0.18)
.model q pnp(is=4e-17 bf=287 re=1e-8 rc=1m rb=0.1m)
.op
.end`
	for ohms, want := range map[string]bool{"1e-9": true, "1m": false} {
		r := run(t, fmt.Sprintf(text, ohms), "op")
		all := strings.Join(r.Warnings, "|")
		if got := strings.Contains(all, "at the operating point, Kirchhoff's"); got != want {
			t.Errorf("%s ohm: warnings %q", ohms, r.Warnings)
		}
	}
	for card, point := range map[string]string{
		".dc V1 0 600 100":                              "at v1 = 200, Kirch",
		".dc V1 0 600 100 V2 8 9 1":                     "at v1 = 200 and v2 = 8, Kirch",
		".param vc=0\nV3 x 0 0\n.dc param vc 0 600 100": "at vc = 200, Kirch",
	} {
		sweep := strings.Replace(fmt.Sprintf(text, "1e-8"), ".op", card, 1)
		if strings.Contains(card, "vc") {
			sweep = strings.Replace(sweep, "V1 a 0 600", "V1 a 0 {vc}", 1)
		}
		all := strings.Join(run(t, sweep, "dc").Warnings, "|")
		if n := strings.Count(all, "Kirchhoff's"); n != 1 || !strings.Contains(all, point) {
			t.Errorf("%s: %d warnings of residuals in %q", card, n, all)
		}
	}
}

// TestAidsAgree verifies that every convergence aid finds the same operating point.
func TestAidsAgree(t *testing.T) {
	text := "t\nV1 in 0 %\nR1 in a 10\nD1 a b d\nD2 b c d\nD3 c 0 d\nQ1 a b 0 q\n.model d d(is=1e-18 n=1 rs=0)\n.model q npn(is=1e-16 bf=400)\n.options itl1=@ itl2=100\n.op\n.end"
	var first []float64
	for _, itl := range []string{"100", "8", "5", "3"} {
		r := run(t, strings.NewReplacer("%", "50", "@", itl).Replace(text), "op")
		var v []float64
		for _, x := range r.Vectors {
			v = append(v, x.Values...)
		}
		if first == nil {
			first = v
		}
		for i := range v {
			if math.Abs(v[i]-first[i]) > 1e-9*math.Abs(first[i]) {
				t.Errorf("itl1=%s (%s): %.15g, before %.15g", itl, r.Statistics.ConvergenceAid,
					v[i], first[i])
			}
		}
		t.Logf("itl1=%s: %s after %d iterations", itl, r.Statistics.ConvergenceAid,
			r.Statistics.NewtonIterations)
	}
}

// TestNestedSweep verifies that the first source of .dc varies fastest. The expected values follow
// from superposition.
func TestNestedSweep(t *testing.T) {
	r := run(t, "t\nV1 a 0 1\nI1 0 a 0\nR1 a b 1k\nR2 b 0 {1k}\nG1 0 b c 0 1m\nV2 c 0 0\n.dc V1 0 2 1 V2 0 1 0.5\n.end", "dc")
	s, s2, b := column(t, r, "sweep"), column(t, r, "sweep2"), column(t, r, "v(b)")
	if len(b) != 9 || r.Vectors[0].Name != "sweep" || r.Vectors[1].Name != "sweep2" {
		t.Fatalf("%d points", len(b))
	}
	for i := range b {
		if want := s[i]/2 + 0.5*s2[i]; math.Abs(b[i]-want) > 1e-12 {
			t.Errorf("v(b) = %g at %g, %g, want %g", b[i], s[i], s2[i], want)
		}
	}
	if s[1] != 1 || s2[1] != 0 || s2[8] != 1 {
		t.Errorf("order: %v %v", s, s2)
	}
}

func TestShuntAndZeroOhm(t *testing.T) {
	r := run(t, "t\nV1 a 0 1\nC1 a b 1n\nC2 b 0 1n\nR1 a c 0\nR2 c 0 1k\n.op\n.end", "op")
	all := strings.Join(r.Warnings, "|")
	if !strings.Contains(all, "node b has no DC path to ground; 1e-12 S") ||
		!strings.Contains(all, "r1 has 0 ohm; 0.001 ohm is used") {
		t.Errorf("warnings %q", r.Warnings)
	}
}

func TestOptionsAndChoice(t *testing.T) {
	temp := 77.0
	text :=
		"t\nV1 a 0 5\nR1 a b 1k\nD1 b 0 d\n.model d d\n.op\n.dc V1 0 5 1\n.tran 1u 10u\n.foo\n.end"
	text = strings.Replace(text, ".foo\n", "", 1)
	r, err := Simulate(context.Background(), Request{Netlist: text, TemperatureC: &temp,
		Options: map[string]any{"reltol": 1e-6, "nonsense": true, "vectors": []any{"v(b)"}}})
	if err != nil || r.Analysis != "dc" || len(r.Vectors) != 2 || r.Vectors[1].Name != "v(b)" {
		t.Fatalf("%+v %v", r, err)
	}
	all := strings.Join(r.Warnings, "|")
	if len(r.Others) != 2 || strings.Contains(all, "not run") ||
		!strings.Contains(all, "nonsense") {
		t.Errorf("warnings %q", r.Warnings)
	}
	cold := run(t, text, "dc")
	if v, w := column(t, r, "v(b)")[5], column(t, cold, "v(b)")[5]; v > w-0.05 {
		t.Errorf("a diode at 77 °C drops %g V, at 27 °C %g V", v, w)
	}
	for _, c := range []struct {
		req   Request
		field string
	}{
		{Request{Netlist: text, Options: map[string]any{"reltol": "x"}}, "options.reltol"},
		{Request{Netlist: text, Options: map[string]any{"points_max": 1e9}}, "options.points_max"},
		{Request{Netlist: text, Options: map[string]any{"vectors": "v(b)"}}, "options.vectors"},
		{Request{Netlist: text, Options: map[string]any{"vectors": []any{"v(b)", 1.0}}},
			"options.vectors"},
		{Request{Netlist: text, Options: map[string]any{"method": "euler"}}, "options.method"},
		{Request{Netlist: text, Analysis: "ac"}, "analysis"},
		{Request{Netlist: text, Analysis: "disto"}, "analysis"},
		{Request{Netlist: text, Tolerances: map[string]float64{"r9": 0.1}}, "tolerances.r9"},
	} {
		_, err := Simulate(context.Background(), c.req)
		var e *Error
		if !errors.As(err, &e) || e.Field != c.field {
			t.Errorf("%v: error %v, want field %s", c.req.Options, err, c.field)
		}
	}
}

// TestDecimation verifies that the remaining points of a decimated transient, joined by straight
// lines, reproduce the curve within 3 % of its amplitude.
func TestDecimation(t *testing.T) {
	text := "t\nV1 in 0 SIN(0 1 1k)\nR1 in a 1k\nC1 a 0 100n\n.tran 1u 20m\n.end"
	r, err := Simulate(context.Background(),
		Request{Netlist: text, Options: map[string]any{"points_max": 500.0}})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(r.Vectors[0].Values); n > 500 || n < 200 {
		t.Errorf("%d points", n)
	}
	if !strings.Contains(strings.Join(r.Warnings, "|"), "decimated to") {
		t.Errorf("warnings %q", r.Warnings)
	}
	full := run(t, text, "tran")
	time, v := column(t, r, "time"), column(t, r, "v(in)")
	ft, fv := column(t, full, "time"), column(t, full, "v(in)")
	k := 0
	for i := range ft {
		for k+2 < len(time) && time[k+1] < ft[i] {
			k++
		}
		f := (ft[i] - time[k]) / (time[k+1] - time[k])
		if d := math.Abs(v[k] + f*(v[k+1]-v[k]) - fv[i]); d > 0.03 {
			t.Fatalf("off by %g at %g s", d, ft[i])
		}
	}
}

// TestDecimatedVectors verifies that a decimated smooth vector of about 1 V is accurate within 2
// mV. Other vectors oscillate too fast for the remaining points. The warning names these vectors.
func TestDecimatedVectors(t *testing.T) {
	text := "t\nV1 in 0 PWL(0 0 1m 1 1.5m 0.2 4m 0.9)\nR1 in a 1k\nC1 a 0 200n\nV2 r 0 SIN(0 1 FREQUENCY 0 1k)\nR2 r 0 1k\n.tran 1u 4m\n.end"
	for frequency, extremes := range map[string]bool{"80k": false, "400k": true} {
		checkDecimatedVectors(t, strings.Replace(text, "FREQUENCY", frequency, 1), extremes)
	}
}

func checkDecimatedVectors(t *testing.T, text string, extremes bool) {
	t.Helper()
	r, err := Simulate(context.Background(),
		Request{Netlist: text, Options: map[string]any{"points_max": 300.0}})
	if err != nil {
		t.Fatal(err)
	}
	full, err := Simulate(context.Background(),
		Request{Netlist: text, Options: map[string]any{"points_max": 200000.0,
			"vectors": []any{"v(a)"}}})
	if err != nil {
		t.Fatal(err)
	}
	time, v := column(t, r, "time"), column(t, r, "v(a)")
	ft, fv := column(t, full, "time"), column(t, full, "v(a)")
	if len(time) > 300 {
		t.Errorf("%d points", len(time))
	}
	k := 0
	for i := range ft {
		for k+2 < len(time) && time[k+1] < ft[i] {
			k++
		}
		f := (ft[i] - time[k]) / (time[k+1] - time[k])
		if d := math.Abs(v[k] + f*(v[k+1]-v[k]) - fv[i]); d > 2e-3 {
			t.Fatalf("v(a) is off by %g V at %g s", d, ft[i])
		}
	}
	if len(r.Decimated) != 2 || r.Decimated[0].Vector != "v(r)" || r.Decimated[1].Vector != "i(v2)" {
		t.Errorf("decimated %v", r.Decimated)
	}
	for _, x := range r.Decimated {
		if x.Extremes != extremes || extremes == (x.Bound > 0) {
			t.Errorf("decimated %+v", x)
		}
	}
	want := "peak-to-peak value of every vector; the error is larger for v(r) ("
	if extremes {
		want = "peak-to-peak value of every vector; too many oscillations to draw: v(r), i(v2), with the smallest"
	}
	if all := strings.Join(r.Warnings, "|"); !strings.Contains(all, want) {
		t.Errorf("warnings %q", r.Warnings)
	}
}

// TestBudgets verifies that a transient with an exhausted budget returns the points so far, and
// that a canceled run stops immediately.
func TestBudgets(t *testing.T) {
	text := "t\nV1 in 0 SIN(0 5 1meg)\nR1 in a 1k\nD1 a 0 d\n.model d d(cjo=1p)\n.tran 1u 1\n.end"
	b := Budget{Newton: 20000, Numbers: 10000, Wall: 5 * time.Second}
	r, err := Simulate(context.Background(), Request{Netlist: text, Budget: &b})
	if err != nil || !strings.Contains(strings.Join(r.Warnings, "|"), "stopped at") {
		t.Fatalf("%v %v", r, err)
	}
	if n := len(r.Vectors[0].Values) * len(r.Vectors); n > 10000 {
		t.Errorf("%d numbers", n)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	began := time.Now()
	_, err = Simulate(ctx, Request{Netlist: text})
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > 200*time.Millisecond {
		t.Errorf("%v after %v", err, time.Since(began))
	}
}

func TestDeterministic(t *testing.T) {
	text, err := os.ReadFile("testdata/circuits/diode_clipper.cir")
	if err != nil {
		t.Fatal(err)
	}
	a, b := run(t, string(text), "tran"), run(t, string(text), "tran")
	for k := range a.Vectors {
		for i := range a.Vectors[k].Values {
			if a.Vectors[k].Values[i] != b.Vectors[k].Values[i] {
				t.Fatalf("%s differs at %d", a.Vectors[k].Name, i)
			}
		}
	}
}

// FuzzSimulate verifies that no text makes the simulator panic, hang or return non-finite numbers.
func FuzzSimulate(f *testing.F) {
	for _, pattern := range []string{"testdata/circuits/*.cir", "testdata/hostile/*.cir"} {
		files, _ := filepath.Glob(pattern)
		for _, file := range files {
			if text, err := os.ReadFile(file); err == nil && len(text) < 2000 {
				f.Add(string(text))
			}
		}
	}
	for _, text := range measuredCircuits {
		f.Add(text)
	}
	f.Add("V1 a 0 SINE(0 5 1k)\nR1 a b 4k7 ac=1k m=2\nD1 b 0 d\nC1 b 0 1n Rser=1 Lser=1n Rpar=1k Cpar=1p m=2\n.model d d(is=0 ikf=1m isr=1n cjo=1p)\n.tran 2m startup\n.end")
	f.Add("t\nV1 a 0 dc 3 ac 1\nX1 a b s m=3\nC9 b c 1f\nC8 c 0 1f\n.global g\nRg g 0 1k\n.subckt s p q\nQ1 g p q n\nX1 q g i m=2\n.ends\n.subckt i p q\nM1 p q 0 0 m\n.ends\n" +
		".model n npn(tf=1n ptf=30 is=0)\n.model m nmos(mj=1.2 cj=1u ld=-1u)\n.ac dec 3 1 1g\n.tran 1u 10u\n.end")
	f.Add("t\nV1 s 0 PULSE(0 1 0 1n 1n 5n 20n) ac 1\nR1 s a 25\nT1 a 0 b 0 z0=50 td=2n\nT2 b 0 c 0 z0=30 f=1g nl=0.3 ic=1,0,1,0\nD1 c 0 d\n.model d d\n.tran 1n 50n uic\n.ac lin 3 1 1g\n.op\n.end")
	f.Add("t\nV1 i 0 PULSE(0 1 0 1n 1n 1 2) ac 1\nE1 o 0 LAPLACE {v(i)} {(1+s)/(1+s/1k+(s/1k)^2)}\nG1 0 o i 0 Laplace=1/(1+s)**3\nR1 o 0 1k\n.tran 1m 10m\n.ac lin 3 1 1k\n.op\n.end")
	f.Add("t\nV1 a 0 SIN(0 9 50)\nD1 a b x 2 m=3\nC1 b 0 {1u*v(b)} ic=1\nL1 b c L={1m*(1+i(L1)**2)}\nR1 c 0 100\n.model x D(Ron=0.01 Roff=10Meg Vfwd=0.6 Vrev=5 epsilon=0.1)\n.tran 1m 10m\n.op\n.end")
	f.Add("t\nV1 a 0 PULSE(0 1 1u 1n 1n 1u 2u) ac 1\nA1 b c a 0 0 b q 0 DFLOP td=1n trise=2n\nA2 q 0 0 0 0 x 0 0 BUF tau=1u\nA3 x a 0 0 0 0 y 0 SCHMITT vt=0 vh=.1 rhigh=1k\nA4 y q 0 0 0 0 c 0 SRFLOP ic=1\nA5 a 0 0 0 0 n m 0 COUNTER cycles=3\n.tran 1u 20u uic\n.ac lin 2 1 1k\n.dc V1 0 1 0.1\n.end")
	f.Add("t\nV1 a 0 SIN(0 1 100k) ac 1\nA1 a v 0 0 0 0 p 0 PHASEDET iout=1m vhigh=9 vlow=-9\nR1 p 0 1k\nA2 p 0 0 0 0 w v 0 MODULATE mark=2meg space=1k\nA3 v 0 a w 0 0 h 0 SAMPLEHOLD ic=1 cout=1p\nA4 h a v 0 0 0 o 0 OTA iout=1m cout=1n ic=1\nA5 h 0 0 0 0 0 o 0 VARISTOR\nA6 z 0 0 0 0 z 0 0 BUF\n.tran 1u 20u\n.op\n.noise v(o) V1 dec 1 1 10\n.end")
	f.Add("t\nV1 a 0 dc 1 TRRANDOM(4 1u 2u 3 1) ac 1\nI1 0 b TRRANDOM(2 1n)\nB1 c 0 V=white(1meg*time)*hertz+rand(v(a))+v(a)*freq\nR1 a b 1k\nR2 c b 1\n.options seed=3\n.tran 1u 20u\n.ac dec 1 1 100\n.end")
	const stage = "t\nV1 in 0 0.7 ac 1\nVCC c 0 5\nR1 in b 1k noisy=0\nQ1 o b 0 q\nRC c o 1k\nC1 o 0 1p\nL1 o x 1m\nRX x 0 1k\n.model q npn(rb=50 kf=1e-14 af=1.1 tf=1n cje=1p)\n"
	for _, card := range []string{".noise v(o,b) V1 dec 3 1 1g 1", ".tf i(V1) VCC",
		".sens v(o) ac oct 1 1 10", ".sens i(VCC)", ".pz in 0 o 0 vol pz", ".pz b 0 o 0 cur zer",
		".tran 1n 100n\n.fft v(o) p(rc) np=16 window=flattop start=10n\n.four 50meg v(o) window=hann periods=3\n.save @rc[p] i(rx) p(l1)"} {
		f.Add(stage + card + "\n.end")
	}
	f.Fuzz(func(t *testing.T, text string) {
		b := Budget{Newton: 2000, Numbers: 20000, Wall: 300 * time.Millisecond}
		began := time.Now()
		r, err := Simulate(context.Background(), Request{Netlist: text, Budget: &b})
		if d := time.Since(began); d > 3*time.Second {
			t.Fatalf("took %v", d)
		}
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.Detail == "" {
				t.Fatalf("%v is no *Error", err)
			}
			if e.Code == "internal" {
				t.Fatal(e.Detail)
			}
			return
		}
		for _, one := range append(r.Others, r.AnalysisResult) {
			checkFinite(t, &one)
		}
	})
}

// checkFinite reports an error unless all vectors have the same length and all numbers are finite.
func checkFinite(t *testing.T, r *AnalysisResult) {
	for _, v := range r.Vectors {
		if len(v.Values) != len(r.Vectors[0].Values) {
			t.Fatalf("%s has %d values, %s %d", v.Name, len(v.Values), r.Vectors[0].Name,
				len(r.Vectors[0].Values))
		}
	}
	// JSON cannot represent infinities.
	if p, ok := r.Detail.(*analysis.PolesAndZeros); ok {
		for _, s := range append(p.Poles, p.Zeros...) {
			if cmplx.IsInf(s) || cmplx.IsNaN(s) {
				t.Fatalf("a root is %g", s)
			}
		}
	} else if _, err := json.Marshal([]any{r.Detail, r.FFT}); err != nil {
		t.Fatal(err)
	}
	if fault := unfinishedMeasures(r); fault != "" {
		t.Fatal(fault)
	}
}

// ladder returns a netlist of a chain of transistor stages with 149 elements.
func ladder() string {
	var t strings.Builder
	t.WriteString("chain of 49 inverters\n.model q npn(is=1e-15 bf=100 rb=50 rc=1 cje=1p cjc=1p tf=.3n tr=10n)\nVCC vcc 0 5\nVIN n0 0 PULSE(0 5 1n 1n 1n 100n 200n)\n")
	for i := range 49 {
		n := strconv.Itoa(i)
		m := strconv.Itoa(i + 1)
		t.WriteString("RB" + n + " n" + n + " b" + n + " 10k\nRC" + n + " vcc n" + m + " 1k\nQ" +
			n + " n" + m + " b" + n + " 0 q\n")
	}
	t.WriteString(".op\n.tran 2n 200n\n.end\n")
	return t.String()
}

// TestLargest verifies that a circuit near the element limit needs only a small part of the budget.
func TestLargest(t *testing.T) {
	op := run(t, ladder(), "op")
	tr := run(t, ladder(), "tran")
	t.Logf("%d elements, op: %d iterations, %s, %v; tran: %d iterations, %d steps, %v",
		op.ComponentCount, op.Statistics.NewtonIterations, op.Statistics.ConvergenceAid, op.Runtime,
		tr.Statistics.NewtonIterations, tr.Statistics.TimeSteps, tr.Runtime)
	for i := 1; i <= 49; i++ {
		v := column(t, op, "v(n"+strconv.Itoa(i)+")")[0]
		if i%2 == 1 != (v > 2.5) {
			t.Errorf("stage %d rests at %g V", i, v)
		}
	}
}

func BenchmarkLadderOp(b *testing.B) {
	text := ladder()
	for b.Loop() {
		if _, err := Simulate(context.Background(), Request{Netlist: text, Analysis: "op"}); err !=
			nil {
			b.Fatal(err)
		}
	}
}

func benchmark(b *testing.B, file, kind string) {
	text, err := os.ReadFile("testdata/circuits/" + file + ".cir")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	iterations := 0
	for b.Loop() {
		r, err := Simulate(context.Background(), Request{Netlist: string(text), Analysis: kind})
		if err != nil {
			b.Fatal(err)
		}
		iterations = r.Statistics.NewtonIterations
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(iterations), "ns/newton")
}

func BenchmarkCommonEmitterTran(b *testing.B) { benchmark(b, "common_emitter", "tran") }
func BenchmarkRectifierTran(b *testing.B)     { benchmark(b, "diode_rectifier", "tran") }
func BenchmarkLowPassAC(b *testing.B)         { benchmark(b, "rc_lowpass", "ac") }
