package analysis

import (
	"fmt"
	"math"
	"testing"
)

// TestJump: a ramp closes a switch at 0.6 ms, and a capacitor charges through it as
// 1 - exp(-(t - 0.6 ms)/tau). The jump lies within a millionth of the duration, 1 ns, and the
// time constants are from a thousandth of the duration down to the millionth itself.
func TestJump(t *testing.T) {
	const close, instant = 0.6e-3, 1e-9
	for _, tau := range []float64{1e-6, 1e-7, 1e-9} {
		for _, maxord := range []int{1, 2, 3, 4} {
			out := run(t, fmt.Sprintf("V1 in 0 1\nVC c 0 PWL(0 0 1m 1)\nS1 in out c 0 s\nC1 out 0 %g\n.model s sw(vt=0.5 vh=0.1 ron=1k roff=1e15)\n.options maxord=%d\n.tran 1u 1m uic", tau/1e3, maxord))
			at := map[string][]float64{}
			for _, v := range out.Vectors {
				at[v.Name] = v.Values
			}
			behind := 0
			for k, now := range at["time"] {
				charged := func(t float64) float64 { return 1 - math.Exp(-math.Max(0, t-close)/tau) }
				low, high := charged(now-instant)-5e-3, charged(now+instant)+5e-3
				if v := at["v(out)"][k]; v < low || v > high {
					t.Errorf("tau %g s, maxord %d: %g V at %.12g s, expected from %g to %g", tau, maxord, v, now, low, high)
				}
				if now > close && now < close+5*tau {
					behind++
				}
			}
			if behind < 10 {
				t.Errorf("tau %g s, maxord %d: only %d points draw the charging", tau, maxord, behind)
			}
		}
	}
}
