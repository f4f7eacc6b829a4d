package analysis

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"slipstick/spice/diag"
	"slipstick/spice/netlist"
)

// job returns a job for the first analysis of a netlist body.
func job(t testing.TB, body string) Job {
	t.Helper()
	c, err := netlist.Parse("t\n"+body+"\n.end", netlist.Config{MaxElements: 200})
	if err != nil {
		t.Fatal(err)
	}
	opt := Defaults()
	for _, o := range c.Options {
		if known, problem := opt.Set(o.Name, o.Value, o.Text); !known || problem != "" {
			t.Fatalf("option %s: %s", o.Name, problem)
		}
	}
	b := DefaultBudget()
	b.Wall = 10 * time.Minute // independent of the machine load
	return Job{Circuit: c, Analysis: c.Analyses[0], Options: opt, Budget: b}
}

func run(t testing.TB, body string) *Output {
	t.Helper()
	out, err := Run(context.Background(), job(t, body))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func values(t testing.TB, out *Output, name string) []float64 {
	t.Helper()
	for _, v := range out.Vectors {
		if v.Name == name {
			return v.Values
		}
	}
	t.Fatalf("no vector %s", name)
	return nil
}

// latch is a bistable circuit with exponential characteristics in a feedback loop, which is
// difficult for Newton's method.
const latch = `VCC vcc 0 5
R1 vcc c1 1k
R2 vcc c2 1.1k
R3 c1 b2 10k
R4 c2 b1 10k
Q1 c1 b1 0 q
Q2 c2 b2 0 q
.model q npn(is=1e-15 bf=200)
.op`

// cascode is a current mirror of stacked transistors. Neither gmin nor source stepping converges
// with two iterations per step.
const cascode = `VDD vdd 0 5
I1 vdd a 50u
M1 a a b 0 nn W=20u L=2u
M2 b b 0 0 nn W=20u L=2u
M3 o a c 0 nn W=20u L=2u
M4 c b 0 0 nn W=20u L=2u
VO o 0 3
.model nn NMOS(VTO=0.7 KP=110u GAMMA=0.4 LAMBDA=0.04 PHI=0.7)
.op`

// TestAids runs Newton's method and each convergence aid alone. Each must find the same operating
// point to full precision.
func TestAids(t *testing.T) {
	stack := "V1 in 0 30\nR1 in a 10\nD1 a b d\nD2 b c d\nD3 c e d\nD4 e 0 d\nQ1 a b 0 q\nRB b 0 100k\n.model d d(is=1e-18)\n.model q npn(is=1e-16 bf=400 vaf=50)\n.op"
	for _, body := range []string{stack, "VDD d 0 5\nVG g 0 2\nM1 d g s 0 n w=100u l=1u\nR1 s 0 10k\nD1 s 0 dd\n.model n nmos(vto=.7 kp=100u gamma=.4)\n.model dd d\n.op"} {
		var first []float64
		for _, aid := range []string{"plain", "gmin", "source", "pseudo"} {
			s, err := newSim(context.Background(), job(t, body))
			if err != nil {
				t.Fatal(err)
			}
			s.dcMode()
			s.reset()
			err = map[string]func() error{"plain": s.directNewton, "gmin": s.gminStepping,
				"source": s.sourceStepping, "pseudo": s.pseudoTransient}[aid]()
			if err == nil {
				s.diagG, s.load.SourceScale = 0, 1
				err = s.refineSolution()
			}
			if err != nil {
				t.Errorf("%s alone: %v", aid, err)
				continue
			}
			if first == nil {
				first = append(first, s.x...)
			}
			for i := range first {
				if math.Abs(s.x[i]-first[i]) > 1e-9*math.Abs(first[i])+1e-13 {
					t.Errorf("%s: %s = %.15g, plain Newton %.15g", aid, s.setup.Unknowns[i].Name,
						s.x[i], first[i])
				}
			}
		}
	}
}

// TestAidsAreReached verifies that source stepping and pseudo-transient analysis are tried and find
// the operating point if fewer iterations are allowed.
func TestAidsAreReached(t *testing.T) {
	seen := map[string]bool{}
	for _, itl1 := range []int{100, 12, 8, 6, 5, 4, 3, 2} {
		for _, itl2 := range []int{50, 12, 8, 6, 5, 4, 3, 2} {
			for _, body := range []string{latch, "V1 in 0 1k\nR1 in a 1\nD1 a b d\nD2 b 0 d\nQ1 a b 0 q\n.model d d(is=1e-20)\n.model q npn(is=1e-16 bf=400)\n.op", cascode} {
				out, err := Run(context.Background(),
					job(t, body+fmt.Sprintf("\n.options itl1=%d itl2=%d", itl1, itl2)))
				if err == nil {
					seen[out.Statistics.ConvergenceAid] = true
				}
			}
		}
	}
	for _, aid := range []string{"none", "gmin stepping", "source stepping", "pseudo-transient"} {
		if !seen[aid] {
			t.Errorf("no circuit was solved with %q; seen %v", aid, seen)
		}
	}
}

// TestHysteresisKeepsItsBranch sweeps a comparator with positive feedback up and down. Calculated
// by hand, the clamped output voltage is ±4.6 V. It shifts the input threshold by R1/R2 = 1/3 of
// this voltage. The jumps are thus near +1.5 V for the upward sweep and near -1.5 V for the
// downward sweep.
func TestHysteresisKeepsItsBranch(t *testing.T) {
	body := "VIN in 0 0\nR1 in p 10k\nR2 o p 30k\nE1 x 0 p 0 1e3\nR0 x o 1k\nD1 o u d\nD2 l o d\nVU u 0 4\nVL l 0 -4\n.model d d(is=1e-14)\n"
	jump := func(card string) float64 {
		out := run(t, body+card)
		in, o := values(t, out, "sweep"), values(t, out, "v(o)")
		at, n := math.NaN(), 0
		for i := 1; i < len(o); i++ {
			if o[i]*o[i-1] < 0 {
				at, n = in[i], n+1
			}
		}
		if n != 1 {
			t.Errorf("%s: %d jumps", card, n)
		}
		return at
	}
	up, down := jump(".dc VIN -5 5 0.05"), jump(".dc VIN 5 -5 -0.05")
	if math.Abs(up-1.55) > 0.1 || math.Abs(down+1.55) > 0.1 {
		t.Errorf("jumps at %g V upwards and %g V downwards", up, down)
	}
}

// TestRingingIsDamped uses a comparator that drives a capacitor into a diode clamp. With the
// trapezoidal rule alone, the capacitor current alternates from step to step without decay. The
// result must be smooth after the edge.
func TestRingingIsDamped(t *testing.T) {
	out := run(t, "V1 in 0 PULSE(-1 1 10u 1n 1n 50u 100u)\nE1 x 0 in 0 1e3\nR1 x y 10\nD1 y p d\nD2 0 y d\nVP p 0 5\nVM y z 0\nC1 z 0 1n\n.model d d(is=1e-14 rs=0.1)\n.tran 1u 60u")
	time, i := values(t, out, "time"), values(t, out, "i(vm)")
	big := 0.0
	for _, x := range i {
		big = math.Max(big, math.Abs(x))
	}
	turns := 0
	for k := 2; k < len(i); k++ {
		a, b := i[k]-i[k-1], i[k-1]-i[k-2]
		if time[k] > 15e-6 && time[k] < 59e-6 && a*b < 0 && math.Abs(a) > 1e-3*big &&
			math.Abs(b) > 1e-3*big {
			turns++
		}
	}
	if turns > 3 {
		t.Errorf("the current of the capacitor turns %d times where nothing happens", turns)
	}
}

// TestBudgetMidRun verifies that an exceeded budget returns a partial result, a warning that names
// the limit, and no error estimate.
func TestBudgetMidRun(t *testing.T) {
	j := job(t,
		"V1 in 0 SIN(0 5 1k)\nR1 in a 1k\nD1 a 0 d\nC1 a 0 10n\n.model d d(tt=10n)\n.tran 10u 50m")
	j.Budget.Newton = 3000
	out, err := Run(context.Background(), j)
	if err != nil {
		t.Fatal(err)
	}
	time := values(t, out, "time")
	if last := time[len(time)-1]; !(last > 0 && last < 50e-3) ||
		!strings.Contains(strings.Join(out.Warnings, "|"), "limit of ") {
		t.Errorf("ends at %g s, warnings %q", last, out.Warnings)
	}
	if out.Statistics.ErrorEstimatePct != nil {
		t.Error("an unfinished run has an error estimate")
	}

	j = job(t, "V1 in 0 SIN(0 5 1k)\nR1 in a 1k\nD1 a 0 d\nC1 a 0 10n\n.model d d(tt=10n)\n"+
		".tran 10u 50m 45m")
	j.Budget.Newton = 3000
	_, err = Run(context.Background(), j)
	var e *diag.Error
	if !errors.As(err, &e) || e.Code != diag.NoConvergence ||
		!strings.HasPrefix(e.Detail, "the limit of ") ||
		!strings.Contains(e.Detail, "before its start time 0.045 s; use an earlier start time") {
		t.Errorf("before the start time: %v", err)
	}
}

// checks is a context that is canceled at the call of Err that reduces left to 0. It records the
// largest effort between two calls.
type checks struct {
	context.Context
	sim   *sim
	left  int
	last  float64 // effort at the last call of Err
	worst float64
}

func (c *checks) Err() error {
	if c.sim == nil {
		return nil
	}
	now := float64(c.sim.stats.NewtonIterations) * c.sim.effort()
	c.worst, c.last = math.Max(c.worst, now-c.last), now
	if c.left--; c.left <= 0 {
		return context.Canceled
	}
	return nil
}

// TestCancel verifies that a canceled simulation ends within 10 ms even on a slow machine. A
// typical one performs 1e6 units of effort in 3 ms, and a slow one takes three times as long. The
// simulation makes no further check after the cancellation.
func TestCancel(t *testing.T) {
	const bound = 1e6
	for _, name := range []string{"ring31", "latch_jk", "s_boost", "line_open"} {
		text, err := os.ReadFile("../testdata/compare/" + name + ".cir")
		if err != nil {
			t.Fatal(err)
		}
		body := strings.SplitN(string(text), "\n", 2)[1]
		j := job(t, strings.TrimSuffix(strings.TrimSpace(body), ".end"))
		for _, left := range []int{1, 2, 20} {
			c := &checks{Context: context.Background(), left: left}
			s, err := newSim(c, j)
			if err != nil {
				t.Fatal(err)
			}
			c.sim = s
			_, err = s.tran()
			if !isCanceled(err) {
				t.Errorf("%s: error %v", name, err)
			}
			if c.left != 0 {
				t.Errorf("%s: %d checks after the cancellation", name, -c.left)
			}
			if c.worst > bound {
				t.Errorf("%s: %g units of effort between two checks, more than %g", name,
					c.worst, bound)
			}
		}
	}
}

// TestSameBytes verifies that results do not depend on the number of processors or on the time left
// before the deadline.
func TestSameBytes(t *testing.T) {
	body := strings.Replace(latch, ".op", "C1 c1 b2 100p\nC2 c2 b1 100p\nV1 x 0 PULSE(0 3 1u 10n 10n 2u 5u)\nR5 x b1 10k\n.tran 50n 20u", 1)
	var first []byte
	for _, c := range []struct {
		procs int
		left  time.Duration
	}{{1, time.Hour}, {2, time.Hour}, {1, time.Hour}, {1, time.Minute}} {
		was := runtime.GOMAXPROCS(c.procs)
		j := job(t, body)
		j.Budget.Wall = time.Hour
		s, err := newSim(context.Background(), j)
		if err != nil {
			t.Fatal(err)
		}
		s.deadline = time.Now().Add(c.left)
		out, err := s.tran()
		if err != nil {
			t.Fatal(err)
		}
		runtime.GOMAXPROCS(was)
		var b bytes.Buffer
		for _, v := range out.Vectors {
			if err := binary.Write(&b, binary.LittleEndian, v.Values); err != nil {
				t.Fatal(err)
			}
		}
		fmt.Fprint(&b, s.stats.NewtonIterations, s.stats.TimeSteps, *s.stats.ErrorEstimatePct,
			s.warnings)
		if first == nil {
			first = b.Bytes()
		} else if !bytes.Equal(first, b.Bytes()) {
			t.Errorf("%d processors and %v left give other bytes", c.procs, c.left)
		}
	}
}

// TestNoAllocations verifies that accepted steps do not allocate memory. The rows of the result are
// allocated in advance.
func TestNoAllocations(t *testing.T) {
	s, err := newSim(context.Background(), job(t, "V1 in 0 SIN(0 5 1k)\nR1 in a 1k\nD1 a b d\nC1 b 0 1u\nR2 b 0 10k\nL1 b c 1m\nQ1 c a e q\nR3 e 0 1k\nM1 c a e 0 n\n.model d d(cjo=1p tt=1n rs=1)\n.model q npn(cje=1p cjc=1p tf=1n rb=10)\n.model n nmos(tox=10n cbd=1p)\n.tran 10u 20m"))
	if err != nil {
		t.Fatal(err)
	}
	columns, _ := s.columns()
	var steps int
	measure := func(stop float64) uint64 {
		s.job.Analysis.Stop = stop
		st := s.newStepper(arrange(columns).index, 1, 1)
		st.out.data = make([]float64, 0, 4_000_000)
		var before, after runtime.MemStats
		was := s.stats.TimeSteps
		runtime.ReadMemStats(&before)
		if _, err := st.run(0, 1); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		steps = s.stats.TimeSteps - was
		return after.Mallocs - before.Mallocs
	}
	measure(1e-3)
	short, long := measure(2e-3), measure(20e-3)
	if long > short+20 {
		t.Errorf("%d allocations for 2 ms, %d for 20 ms (%d steps)", short, long, steps)
	}
	t.Logf("%d allocations for 2 ms, %d for 20 ms (%d steps)", short, long, steps)
}

// TestAreaFactor verifies that an area of 8 multiplies the currents and capacitances of a
// transistor by eight and divides its resistances by eight. ngspice 39 differs: it scales the
// saturation current of the collector junction by 64.
func TestAreaFactor(t *testing.T) {
	tail := "\nVB b 0 0.6\nVC c 0 0.2\n.model q npn(is=6.734f bf=416 vaf=74 ikf=66.8m ise=6.734f ne=1.259 br=.737 rb=10 rc=1 re=.2)\n.model q8 npn(is=53.872f bf=416 vaf=74 ikf=534.4m ise=53.872f ne=1.259 br=.737 rb=1.25 rc=.125 re=.025)\n.options temp=125\n.op"
	a, b := run(t, "Q1 c b 0 q 8"+tail), run(t, "Q1 c b 0 q8"+tail)
	for k := range a.Vectors {
		if x, y := a.Vectors[k].Values[0],
			b.Vectors[k].Values[0]; math.Abs(x-y) > 1e-12*math.Abs(y) {
			t.Errorf("%s: %.15g with the area, %.15g with the model", a.Vectors[k].Name, x, y)
		}
	}
}

// TestUICStartsFromStoredCharges verifies that with uic the gates of a latch have the charges of
// .ic at 0 s. Otherwise the supply current would show an impulse. The expected current is from
// ngspice at 0.05 ps with reltol 1e-6.
func TestUICStartsFromStoredCharges(t *testing.T) {
	text, err := os.ReadFile("../testdata/compare/latch_metastable.cir")
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(string(text), "\n")
	body, _, _ = strings.Cut(body, "\n.end\n")
	const want = -1.298735e-3
	if i := values(t, run(t, body), "i(vdd)")[0]; math.Abs(i-want) > 1e-3*math.Abs(want) {
		t.Errorf("i(vdd) begins at %g A, ngspice at %g A", i, want)
	}
}
