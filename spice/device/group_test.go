package device

import (
	"slices"
	"testing"
)

// TestGroupByType verifies that the groups contain all devices and compute the same stamps and
// states as the single devices.
func TestGroupByType(t *testing.T) {
	k := part(t, "C1 a b 1u\nL1 a 0 1m ic=2\nC2 b 0 2u ic=3\nL2 b c 4m\nK1 L1 L2 .5\nC3 c 0 5n", 27)
	var single []ChargeStorage
	for _, d := range k.all {
		if s, ok := d.(ChargeStorage); ok {
			single = append(single, s)
		}
	}
	use := func(devices []ChargeStorage) (out []float64) {
		l := k.l
		l.A, l.B, l.A0 = k.a, k.b, 1e3
		copy(l.X, []float64{0, 1, 2, 3, 4, 5})
		for i := range l.History {
			l.History[i] = float64(i)
		}
		for _, step := range []func(ChargeStorage){
			func(d ChargeStorage) { d.Load(l) },
			func(d ChargeStorage) { d.LoadRHS(l) },
			func(d ChargeStorage) { d.Update(l) },
			func(d ChargeStorage) { d.Initial(l) },
		} {
			clear(k.a)
			clear(k.b)
			clear(l.State)
			for _, d := range devices {
				step(d)
			}
			out = slices.Concat(out, k.a[1:], k.b[1:], l.State, l.X)
		}
		return out
	}
	groups := GroupByType(single)
	if len(single) != 5 || len(groups) != 2 {
		t.Fatalf("%d devices in %d groups", len(single), len(groups))
	}
	if want, got := use(single), use(groups); !slices.Equal(got, want) {
		t.Errorf("together %g\none by one %g", got, want)
	}
}
