package analysis

import "testing"

// TestShareOut: of a millisecond, a capacitor that takes 50 us for its range is slow, a junction
// that takes 5 ns is not, nor is what never carried a current and kept its charge.
func TestShareOut(t *testing.T) {
	s, err := newSim(t.Context(), job(t, "V1 in 0 PULSE(0 1 0 1n 1n 1u 2u)\nR1 in a 1k\nD1 a b d\nC1 b 0 1u\nC2 b 0 1p\nC3 b 0 1p\n.model d D(CJO=1p)\n.tran 1u 1m"))
	if err != nil {
		t.Fatal(err)
	}
	st := s.newStepper([]int{1}, 1, 1)
	if n := len(st.imax); n != 4 {
		t.Fatalf("%d charges, want 4", n)
	}
	swing := []float64{5e-9, 50e-6, 9e-6, 0} // range over largest current, s
	for k, sec := range swing {
		st.qlo[k], st.qhi[k], st.imax[k] = 0, sec*1e-3, 1e-3
	}
	st.imax[3] = 0
	st.shareOut()
	for k, want := range []float64{1, slowShare, 1, 1} {
		if st.share[k] != want {
			t.Errorf("charge %d with a swing of %g s: share %g, want %g", k, swing[k], st.share[k], want)
		}
	}
	loose := st.tight * st.opt.Trtol * st.opt.Reltol * st.qhi[1]
	if got := st.qtol[1]; got != slowShare*loose {
		t.Errorf("tolerance of the slow charge %g, want %g of %g", got, slowShare, loose)
	}
}
