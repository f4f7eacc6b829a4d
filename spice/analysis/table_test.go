package analysis

import (
	"math"
	"slices"
	"testing"
)

// TestThin: of rows that were dropped, no vector is farther from the straight line between the
// rows that were kept than the stated part of its peak-to-peak value, and a straight piece
// keeps its ends only.
func TestThin(t *testing.T) {
	full := &table{width: 3, limit: 1 << 20}
	for k := range 5000 {
		x := float64(k) / 5000
		full.add(x, []float64{0, 5 * math.Sin(20*x) * math.Exp(-3*x), min(max(0, 10*x-5), 2)}, []int{1, 2})
	}
	thin := &table{width: 3, limit: 1 << 20, data: slices.Clone(full.data)}
	thin.thin(200)
	if n := thin.rows(); n > 200 || n < 100 {
		t.Fatalf("%d rows, want up to 200", n)
	}
	spans := []float64{0, 0, 2}
	lo, hi := full.ranges()
	spans[1] = hi[1] - lo[1]
	k := 0
	for r := range full.rows() {
		row := full.data[3*r:]
		for thin.data[3*(k+1)] < row[0] {
			k++
		}
		p, q := thin.data[3*k:], thin.data[3*k+3:]
		f := (row[0] - p[0]) / (q[0] - p[0])
		for c := 1; c < 3; c++ {
			if d := math.Abs(row[c] - p[c] - f*(q[c]-p[c])); d > 1.0001*thin.bound*spans[c] {
				t.Fatalf("row %d misses vector %d by %g, bound %g", r, c, d/spans[c], thin.bound)
			}
		}
	}
	if thin.bound > 1e-3 {
		t.Errorf("the bound is %g", thin.bound)
	}
	line := &table{width: 2, limit: 1 << 20}
	for k := range 100 {
		line.add(float64(k), []float64{0, 3 * float64(k)}, []int{1})
	}
	if line.thin(50); line.rows() != 2 {
		t.Errorf("%d rows of a straight line, want 2", line.rows())
	}
}
