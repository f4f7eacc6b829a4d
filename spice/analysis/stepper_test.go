package analysis

import (
	"os"
	"testing"
)

// logicBurst is a rectified burst that a logic device digitizes. The device changes its state
// inside steps that are rejected for their error.
const logicBurst = `Rectified burst into a buffer
B1 p 0 V=5*exp(-abs((time-0.509492m)/0.7215u))*abs(cos(6.2832*1.26717e6*(time-0.509492m)))
R1 p a 1k
C1 a 0 1p
D1 a q dm
Rq q 0 10k
.model dm D(IS=1n CJO=1p)
A1 a 0 0 0 0 0 o 0 BUF vhigh=5 vlow=0 ref=0.547162 td=0.250339n
R2 o x 1k
C2 x 0 10p
.tran 10u 1m
.end
`

// regulator starts with its supply. Several steps diverge at 0.9 ms, where regulation begins.
const regulator = `
V1 in 0 PWL(0 0 1m 15.78 20m 15.58)
C1 in 0 330n
X1 in 0 out lm7812
C2 out o2 1.891u
R2 o2 0 43m
RL out 0 925.6
.tran 40u 20m
.end
`

// relaxation oscillates with a Schmitt trigger at 6 kHz. Its gates switch in about 10 ns.
const relaxation = `
VCC vcc 0 5
X1 a vcc 0 b 74hc14
R1 b a 3804
C1 a 0 27.66n
X2 b vcc 0 c 74hc04
X3 b c vcc 0 d 74hc86
R2 c e 582.5
C2 e 0 555.4p
X4 b e vcc 0 y 74hc00
.ic v(a)=0
.options reltol=1e-6
.tran 1.052u 526.1u uic
.end
`

// TestIterations limits the Newton iterations of first runs. Each limit is 5 to 10 % above the
// present number. Each circuit exceeds its limit without the mechanism that the table states.
func TestIterations(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile("../testdata/compare/" + name + ".cir")
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for _, c := range []struct {
		mechanism, netlist string
		limit              int
	}{
		{"repeatedFirstStep", read("switch_mos_converters"), 21_000}, // 22,200 without it
		{"maxEventCut", read("s_boost"), 18_000},                     // 19,200 without it
		{"rejectedEnd", read("buck_open"), 18_400},                   // 19,500 without it
		{"reset of rejectedEnd at breakpoints", logicBurst, 1_240},   // 3,700 without it
		{"rejectedEnd of diverged steps", regulator, 260},            // 334 without it
		{"limit of rejectedEnd", relaxation, 6_300},                  // 32,600 without it
	} {
		s := transientOf(t, c.netlist)
		columns, _ := s.columns()
		scale, _ := s.firstTolerance()
		st := s.newStepper(arrange(columns).index, scale, firstMaxStepScale)
		if complete, err := st.run(0, 1); err != nil || !complete {
			t.Fatalf("%s: complete %v, %v", c.mechanism, complete, err)
		}
		if n := s.stats.NewtonIterations; n > c.limit {
			t.Errorf("%s: %d iterations, want at most %d", c.mechanism, n, c.limit)
		}
	}
}
