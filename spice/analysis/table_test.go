package analysis

import (
	"math"
	"slices"
	"testing"
)

// TestDecimate verifies that removed rows are within the stated bound of the straight line between
// kept rows. A straight line keeps only its two ends.
func TestDecimate(t *testing.T) {
	full := &table{width: 3, limit: 1 << 20}
	for k := range 5000 {
		x := float64(k) / 5000
		full.add(x, []float64{0, 5 * math.Sin(20*x) * math.Exp(-3*x), min(max(0, 10*x-5), 2)},
			[]int{1, 2})
	}
	thin := &table{width: 3, limit: 1 << 20, data: slices.Clone(full.data)}
	thin.decimate(200)
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
			if d := math.Abs(row[c] - p[c] - f*(q[c]-p[c])); d > 1.0001*thin.bound[c]*spans[c] {
				t.Fatalf("row %d misses vector %d by %g, bound %g", r, c, d/spans[c], thin.bound[c])
			}
		}
	}
	if bound, extreme := thin.worst(); bound > 1e-3 || extreme {
		t.Errorf("the bound is %g, extreme %v", bound, extreme)
	}
	line := &table{width: 2, limit: 1 << 20}
	for k := range 100 {
		line.add(float64(k), []float64{0, 3 * float64(k)}, []int{1})
	}
	if line.decimate(50); line.rows() != 2 {
		t.Errorf("%d rows of a straight line, want 2", line.rows())
	}
}

// TestDecimateKeepsExtremes verifies that a vector with too many oscillations keeps its envelope.
func TestDecimateKeepsExtremes(t *testing.T) {
	full := &table{width: 3, limit: 1 << 22}
	const n = 200_000
	for k := range n {
		x := float64(k) / n
		full.add(x, []float64{0, (1 + x) * math.Sin(1e5*x), math.Cos(7e4 * x)}, []int{1, 2})
	}
	full.decimate(1000)
	if rows := full.rows(); !full.extremesOnly[1] || !full.extremesOnly[2] || rows > 1000 ||
		rows < 500 {
		t.Fatalf("%d rows, extreme %v", rows, full.extremesOnly)
	}
	if first, last := full.data[0], full.data[len(full.data)-3]; first != 0 ||
		last != float64(n-1)/n {
		t.Errorf("from %g to %g", first, last)
	}
	// Both vectors reach their amplitudes in every tenth of the duration.
	for tenth := range 10 {
		var high [3]float64
		for r, before := 0, -1.0; r < full.rows(); r++ {
			row := full.data[3*r : 3*r+3]
			if row[0] <= before {
				t.Fatalf("row %d at %g follows %g", r, row[0], before)
			}
			if before = row[0]; int(10*row[0]) == tenth {
				high[1], high[2] = max(high[1], row[1]), max(high[2], row[2])
			}
		}
		if want := 1 + float64(tenth)/10; high[1] < want || high[2] < 0.999 {
			t.Errorf("tenth %d reaches %g and %g", tenth, high[1], high[2])
		}
	}
	few := &table{width: 3, limit: 1 << 22, data: slices.Clone(full.data)}
	if few.decimate(4); few.rows() != 4 {
		t.Errorf("%d rows, want 4", few.rows())
	}
}

// TestFurtherRows verifies that each column alone needs the rows that swingingDoor keeps. A column
// needs no further row where the rows of another column suffice.
func TestFurtherRows(t *testing.T) {
	full := &table{width: 4, limit: 1 << 20}
	for k := range 3000 {
		x := float64(k) / 3000
		at := x
		if k%100 == 50 {
			at = full.data[len(full.data)-4] // a jump: two rows at the same time
		}
		wave := math.Sin(40 * x)
		full.add(at, []float64{0, wave, 3 * wave, math.Exp(-7*x) + float64(k/1000)}, []int{1, 2, 3})
	}
	columns, all := []int{1, 2, 3}, 3000
	miss := full.tolerances(full.spans(), columns, 1e-3)
	for k, n := range full.furtherRows(columns, miss, []int{0, full.rows() - 1}, all) {
		if keep := full.swingingDoor(columns[k:k+1], miss[k:k+1], all); n != len(keep)-2 {
			t.Errorf("column %d: %d further rows, swingingDoor keeps %d", k+1, n, len(keep))
		}
	}
	keep := full.swingingDoor(columns[:1], miss[:1], all)
	if n := full.furtherRows(columns[:2], miss[:2], keep, all); n[0] != 0 || n[1] != 0 {
		t.Errorf("further rows of proportional columns: %v", n)
	}
}

// TestDecimateSmoothVectors verifies that a vector with too many oscillations keeps its extremes
// and that smooth vectors keep their error bound.
func TestDecimateSmoothVectors(t *testing.T) {
	// at 900 swings the second vector still fits within a larger error bound
	for _, swings := range []float64{900, 1e5} {
		full := &table{width: 4, limit: 1 << 24}
		const n = 400_000
		for k := range n {
			x := float64(k) / n
			full.add(x, []float64{0, math.Exp(-5*x) * math.Sin(12*x), math.Sin(swings * x),
				1 - math.Exp(-9*x)}, []int{1, 2, 3})
		}
		thin := &table{width: 4, limit: 1 << 24, data: slices.Clone(full.data)}
		const most = 3000
		if thin.decimate(most); thin.rows() > most || thin.rows() < most/3 {
			t.Fatalf("%d rows, want at most %d", thin.rows(), most)
		}
		if thin.extremesOnly[1] || thin.extremesOnly[3] || thin.extremesOnly[2] != (swings > 1e4) ||
			max(thin.bound[1], thin.bound[3]) > faithful {
			t.Errorf("%g swings: extreme %v, bound %v", swings, thin.extremesOnly, thin.bound)
		}
		spans, k, lowest, highest := full.spans(), 0, 1.0, -1.0
		for r := range full.rows() {
			row := full.data[4*r : 4*r+4]
			for thin.data[4*(k+1)] < row[0] {
				k++
			}
			p, q := thin.data[4*k:4*k+4], thin.data[4*k+4:4*k+8]
			f := (row[0] - p[0]) / (q[0] - p[0])
			for c := 1; c < 4; c++ {
				if thin.extremesOnly[c] {
					continue
				}
				if d := math.Abs(row[c] - p[c] - f*(q[c]-p[c])); d > 1.0001*thin.bound[c]*spans[c] {
					t.Fatalf("row %d misses vector %d by %g of its span, bound %g", r, c,
						d/spans[c], thin.bound[c])
				}
			}
			lowest, highest = min(lowest, p[2]), max(highest, p[2])
		}
		if highest < 0.99 || lowest > -0.99 {
			t.Errorf("%g swings: the extremes kept are %g and %g", swings, lowest, highest)
		}
	}
}
