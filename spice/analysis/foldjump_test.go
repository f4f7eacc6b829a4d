package analysis

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
)

// TestFoldJump uses a flip-flop with coupling capacitors as its only capacitances. When the pulse
// on b1 overcomes Q2, the solution branch ends. No step is then small enough, and the circuit jumps
// to the other branch. The expected values are calculated by hand. Q1 saturates, and R2 and R4 form
// a divider between the supply and the base of Q1, which is at 0.75 V: v(c2) = 5 -
// 4.25*R2/(R2+10k).
func TestFoldJump(t *testing.T) {
	for k := range 20 {
		r2 := 1 + 0.02*float64(k) // kΩ
		body := strings.Replace(latch, ".op", "C1 c1 b2 100p\nC2 c2 b1 95p\nV1 x 0 PULSE(0 3 1u 10n 10n 2u 5u)\nR5 x b1 10k\n.tran 50n 3u", 1)
		body = strings.Replace(body, "R2 vcc c2 1.1k", fmt.Sprintf("R2 vcc c2 %gk", r2), 1)
		out, err := Run(context.Background(), job(t, body))
		if err != nil {
			t.Errorf("R2 = %g kΩ: %v", r2, err)
			continue
		}
		if len(out.Warnings) > 0 {
			t.Errorf("R2 = %g kΩ: %v", r2, out.Warnings)
		}
		last := map[string]float64{}
		for _, v := range out.Vectors {
			last[v.Name] = v.Values[len(v.Values)-1]
		}
		if want := 5 - 4.25*r2/(r2+10); last["v(c1)"] > 0.2 || math.Abs(last["v(c2)"]-want) > 0.05 {
			t.Errorf(
				"R2 = %g kΩ: v(c1) = %.3f V and v(c2) = %.3f V at last, want below 0.2 and %.3f",
				r2, last["v(c1)"], last["v(c2)"], want)
		}
	}
}

// TestFoldJumpToPole jumps to a solution at which an expression divides by 0. The source falls to
// 0 V at 1 us.
func TestFoldJumpToPole(t *testing.T) {
	s := transientOf(t, "t\nV1 a 0 PWL(0 1 1u 0)\nR1 a b 1k\nC1 b 0 1n\nD1 b 0 d\n.model d d\n"+
		"B1 o 0 V=1e-12/v(a)\nR2 o 0 1\n.tran 50n 3u\n.end")
	columns, _ := s.columns()
	st := s.newStepper(arrange(columns).index, 1, 1)
	if err := st.prepare(); err != nil {
		t.Fatal(err)
	}
	for time, want := range map[float64]string{
		0.5e-6: "",
		2e-6:   "b1 (line 7) divides by v(a), which is 0",
	} {
		st.load.Time = time
		got := ""
		if err := st.foldJump(1e-12); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("at %g s: error %q, want %q", time, got, want)
		}
	}
}

// TestFoldJumpToPoleEndsRun lets the flip-flop of TestFoldJump jump to a branch on which an
// expression divides by 0. The error of the run must name the denominator.
func TestFoldJumpToPoleEndsRun(t *testing.T) {
	body := strings.Replace(latch, ".op", "C1 c1 b2 100p\nC2 c2 b1 95p\n"+
		"V1 x 0 PULSE(0 3 1u 10n 10n 2u 5u)\nR5 x b1 10k\n"+
		"B1 o 0 V=1e-19/uramp(v(c1)-0.5)\nRO o 0 1\n.tran 50n 3u", 1)
	_, err := Run(context.Background(), job(t, body))
	const want = "divides by uramp(v(c1)-0.5), which is 0"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
}
