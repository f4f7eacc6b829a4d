package analysis

import (
	"math"
	"testing"
)

// TestHistoryWeights applies every formula to polynomials over steps of different lengths. Each
// formula must be exact up to its degree, but not for the next degree.
func TestHistoryWeights(t *testing.T) {
	p := history{h: [historyDepth]float64{0.3, 0.8, 0.5, 1.1, 0.2}, points: historyDepth}
	const h = 0.4
	ages := p.elapsed(h)
	value := func(w [historyDepth + 1]float64, degree int) (sum float64) {
		for j, c := range w {
			sum += c * math.Pow(2-ages[j], float64(degree)) // the new point is at time 2
		}
		return sum
	}
	for k := 1; k <= 4; k++ {
		slope, ahead := p.bdfWeights(h, k), p.extrapolation(h, k)
		for d := 0; d <= k; d++ {
			n := float64(d)
			if got, want := value(slope, d), n*math.Pow(2, n-1); math.Abs(got-want) > 1e-9 {
				t.Errorf("slope of order %d, degree %d: %g, want %g", k, d, got, want)
			}
			if got, want := value(ahead, d), math.Pow(2, n); math.Abs(got-want) > 1e-9 {
				t.Errorf("ahead of degree %d, degree %d: %g, want %g", k, d, got, want)
			}
		}
		n := float64(k + 1)
		// The divided difference of order n of the n-th power is 1.
		if got := p.scaledDifference(h, k+1) / math.Pow(h, n) * (math.Pow(2, n) - value(ahead,
			k+1)); math.Abs(got-1) > 1e-9 {
			t.Errorf("difference of order %d of its own power: %g, want 1", k+1, got)
		}
		if got, exact := value(slope, k+1), n*math.Pow(2, n-1); math.Abs(got-exact) < 1e-6 {
			t.Errorf("slope of order %d is exact for degree %d too", k, k+1)
		}
	}
}

// TestEqualSteps verifies that the tables for equal steps agree with the general formulas.
func TestEqualSteps(t *testing.T) {
	const h = 0.4
	even := history{h: [historyDepth]float64{h, h, h, h, h}, points: historyDepth}
	const other = h * (1 + 1e-13)
	nearly := history{h: [historyDepth]float64{other, other, other, other, other},
		points: historyDepth}
	for k := 1; k <= 4; k++ {
		slope, ahead := even.bdfWeights(h, k), even.extrapolation(h, k)
		slope2, ahead2 := nearly.bdfWeights(h, k), nearly.extrapolation(h, k)
		if got, want := even.scaledDifference(h, k+1),
			nearly.scaledDifference(h, k+1); math.Abs(got-want) > 1e-9 {
			t.Errorf("order %d: unit %g, want %g", k+1, got, want)
		}
		for j := range slope {
			if math.Abs(slope[j]-slope2[j]) > 1e-9 || math.Abs(ahead[j]-ahead2[j]) > 1e-9 {
				t.Errorf("order %d, weight %d: slope %g, ahead %g, want %g, %g", k, j, slope[j],
					ahead[j], slope2[j], ahead2[j])
			}
		}
	}
}

// TestHistoryPushPop verifies that pop restores the history before the last push.
func TestHistoryPushPop(t *testing.T) {
	p := newHistory(3, 1, []int{1})
	p.restart([]float64{0.5, 1, 0.1}, []float64{10})
	now, charge := []float64{0, 0, 0}, []float64{0}
	for k := 2.0; k <= 7; k++ {
		now[0], now[1], now[2] = k/2, k, k/10
		charge[0] = k
		now, charge = p.push(now, charge, []float64{10 * k}, k)
	}
	p.pop()
	for k := range historyDepth - 1 {
		want := 6 - float64(k)
		if p.charge(k)[0] != want || p.x(k)[0] != 10*want || p.h[k] != want {
			t.Errorf("%d back: charge %g, x %g, h %g, want %g, %g, %g", k, p.charge(k)[0],
				p.x(k)[0], p.h[k], want, 10*want, want)
		}
	}
	if p.states[0][0] != 3 || p.current(0)[0] != 0.6 || p.current(1)[0] != 0.5 {
		t.Errorf("last state %g, currents %g, %g, want 3, 0.6, 0.5", p.states[0][0],
			p.current(0)[0], p.current(1)[0])
	}
	if p.points != 6 {
		t.Errorf("%d points, want 6", p.points)
	}
}
