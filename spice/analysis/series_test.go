package analysis

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestSeriesUnknowns verifies the matrix of Newton's method. Multiplied by the voltages of the
// series resistances, it yields the same currents as the matrix of the node voltages.
func TestSeriesUnknowns(t *testing.T) {
	s, err := newSim(t.Context(), job(t, `V1 in 0 1
R1 in b 10k
VC vc 0 10
D1 b x dd
D2 0 b dd
R2 x y 1k
Q1 vc b y qn
Q2 y b 0 qn
J1 vc b y jj
Z1 vc b y zz
M1 vc b y 0 mm
M2 vc b y vd
M3 vc b y vq
.model dd d(rs=1 cjo=1p)
.model qn npn(rc=1 re=2 rb=10 rbm=5 irb=1m)
.model jj njf(rd=1 rs=2)
.model zz nmf(rd=1 rs=2)
.model mm nmos(rd=1 rs=2)
.model vd vdmos(rd=1 rs=2 rg=3 rb=4)
.model vq vdmos(rd=1 rq=1 vq=2 rs=2 rg=3)
.op`))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(s.setup.Series); n != 18 {
		t.Fatalf("%d series resistances, want 18", n)
	}
	if err := s.operatingPoint(); err != nil {
		t.Fatal(err)
	}
	s.loadLinear()
	s.linearize()
	nodes := append([]float64(nil), s.linearA...)
	s.load.A = nodes
	for _, d := range s.nonlinear {
		d.Load(&s.load)
	}
	source := rand.New(rand.NewPCG(1, 1))
	x := make([]float64, s.n+1)
	for i := 1; i <= s.n; i++ {
		x[i] = source.NormFloat64()
	}
	s.series.begin(x)
	none, got, want := make([]float64, s.n+1), make([]float64, s.n+1), make([]float64, s.n+1)
	s.setup.Pattern.Residual(s.a, s.series.unknowns(x), none, got, s.scale, nil)
	s.setup.Pattern.Residual(nodes, x, none, want, s.scale, nil)
	for _, r := range s.setup.Series {
		i := *r.Siemens * (x[r.Outer] - x[r.Inner])
		want[r.Outer] += i
		want[r.Inner] -= i
	}
	for i := 1; i <= s.n; i++ {
		if math.Abs(got[i]-want[i]) > 1e-12*(1+math.Abs(want[i])) {
			t.Errorf("row of %s: %g A, want %g A", s.setup.Unknowns[i].Name, got[i], want[i])
		}
	}
}

// TestSeriesSolution verifies that a solution with the factors of Newton's method contains the
// voltages of the internal nodes.
func TestSeriesSolution(t *testing.T) {
	s, err := newSim(t.Context(), job(t, `I1 0 a 1m
D1 a 0 dd
.model dd d(rs=100)
.op`))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.operatingPoint(); err != nil {
		t.Fatal(err)
	}
	a := s.setup.Node("a")
	b, moved := make([]float64, s.n+1), make([]float64, s.n+1)
	b[a] = 1e-6
	s.solve(b, moved)
	inner := s.setup.Series[0].Inner
	if drop := moved[a] - moved[inner]; math.Abs(drop-100e-6) > 1e-12 {
		t.Errorf("1 uA changes the voltage of 100 ohms by %g V", drop)
	}
	if drop := s.x[a] - s.x[inner]; math.Abs(drop-0.1) > 1e-9 {
		t.Errorf("1 mA at 100 ohms: %g V", drop)
	}
}

// TestFloatingBridge simulates a bridge rectifier without junction capacitances at a source that is
// connected only by the diodes. Between the peaks all diodes are off, and the conductance of the
// source to the other nodes is that of gmin. In terms of the node voltages, the series resistances
// left no significant digit of it: the run reached 2,000,000 iterations at 10 % of the duration.
// ngspice 39 ends with "Timestep too small". The reference is ngspice with CJO=10p, and for
// 0.1 mohm the circuit without RS.
func TestFloatingBridge(t *testing.T) {
	for _, c := range []struct {
		model string
		peak  float64 // largest voltage [V] of the capacitor
	}{
		{"IS=1e-14 RS=10m", 32.362}, {"IS=1e-14 RS=0.1m", 32.374},
		{"IS=1e-14 RS=10m CJO=10p", 32.362}, {"IS=1e-14", 32.374},
	} {
		out := run(t, `V1 a b SIN(0 34 50)
D1 a p dm
D2 b p dm
D3 n a dm
D4 n b dm
C1 p n 1m
R1 p n 100
RG n 0 1
.model dm D(`+c.model+`)
.tran 10u 60m`)
		if n := out.Statistics.NewtonIterations; n > 1500 {
			t.Errorf("%s: %d iterations", c.model, n)
		}
		if e := out.Statistics.ErrorEstimatePct; e == nil || *e > 0.5 {
			t.Errorf("%s: no error estimate below 0.5 %%", c.model)
		}
		peak, negative := 0.0, values(t, out, "v(n)")
		for k, v := range values(t, out, "v(p)") {
			peak = max(peak, v-negative[k])
		}
		if math.Abs(peak-c.peak) > 0.02 {
			t.Errorf("%s: the peak is %g V, want %g V", c.model, peak, c.peak)
		}
		if all := strings.Join(out.Warnings, "\n"); all != "" {
			t.Errorf("%s: warnings %s", c.model, all)
		}
	}
}

// TestLargeSeriesResistance simulates junctions whose conductance is 1e12 to 1e16 times that of
// their series resistance. The current of the collector of a saturated transistor is that of RC.
// The current of a diode at a step of 5 V is that of RS.
func TestLargeSeriesResistance(t *testing.T) {
	for _, c := range []struct {
		text, vector string
		largest      float64 // value of the largest magnitude [A]
	}{
		{"VB b 0 1\nVC c 0 5\nQ1 c b 0 qn\n.model qn NPN(IS=1e-14 BF=100 RC=1e8)\n.op", "i(vc)",
			-4.98e-8},
		{"VB b 0 1.2\nVC c 0 5\nQ1 c b 0 qn\n.model qn NPN(IS=1e-14 BF=100 RC=1meg)\n.op",
			"i(vc)", -4.98e-6},
		{"V1 a 0 PULSE(0 5 1u 1p 1p 1m 2m)\nD1 0 a dm\n.model dm D(IS=1e-14 RS=100 CJO=100u)\n" +
			".tran 1n 10u", "i(v1)", -50e-3},
		{"V1 a 0 PULSE(0 5 1u 1p 1p 1m 2m)\nD1 0 a dm\n.model dm D(IS=1e-14 RS=1k CJO=1m)\n" +
			".tran 1n 10u", "i(v1)", -5e-3},
	} {
		out, largest := run(t, c.text), 0.0
		for _, v := range values(t, out, c.vector) {
			if math.Abs(v) > math.Abs(largest) {
				largest = v
			}
		}
		if math.Abs(largest/c.largest-1) > 0.01 {
			t.Errorf("%s: %s is %g A, want %g A", c.text, c.vector, largest, c.largest)
		}
		if n := out.Statistics.NewtonIterations; n > 1000 {
			t.Errorf("%s: %d iterations", c.text, n)
		}
	}
}

// TestSmallSignalSeriesResistance verifies voltages at 50 Hz at diodes that are off, behind
// 1 mohm. The conductance of node e to ground and that of node a are 0, so no current flows.
func TestSmallSignalSeriesResistance(t *testing.T) {
	for node, circuit := range map[string]string{
		"e": "RI in d 10k\nD1 0 d dm\nD2 d e dm",
		"a": "D1 d in dm\nR3 d a 10k",
	} {
		out := run(t, "V1 in 0 DC 0 AC 1\n"+circuit+`
.model dm D(IS=1e-14 RS=1m)
.ac lin 1 50 50`)
		if v := values(t, out, "v("+node+")_mag")[0]; math.Abs(v-1) > 1e-6 {
			t.Errorf("v(%s) = %.9g V, want 1 V", node, v)
		}
	}
}
