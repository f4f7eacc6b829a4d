package analysis

import (
	"slices"

	"slipstick/spice/diag"
)

// Window is the part of a sweep that a result contains, in units of the sweep. If From or To is
// nil, the sweep is not limited on that side.
type Window struct{ From, To *float64 }

// rows returns the indices of the rows of a sweep inside the window. It adds one row on each side,
// so that straight lines reach the limits of the window. A step against the initial direction
// starts a new run of a nested sweep, and the window applies to each run separately.
func (w Window) rows(sweep []float64) (keep []int) {
	inside := func(a, b float64) bool { // whether the line from a to b enters the window
		return (w.From == nil || max(a, b) >= *w.From) && (w.To == nil || min(a, b) <= *w.To)
	}
	up := len(sweep) < 2 || sweep[1] >= sweep[0]
	joined := func(k int) bool { // whether rows k-1 and k belong to the same run
		return k > 0 && k < len(sweep) && (sweep[k] == sweep[k-1] || sweep[k] > sweep[k-1] == up)
	}
	for k, x := range sweep {
		if inside(x, x) || joined(k) && inside(sweep[k-1], x) || joined(k+1) &&
			inside(x, sweep[k+1]) {
			keep = append(keep, k)
		}
	}
	return keep
}

// applyWindow applies the window of the job to vectors, the first of which is the sweep. It returns
// an error if no row remains.
func (s *sim) applyWindow(vectors []Vector) error {
	if s.job.Window == nil || len(vectors) == 0 {
		return nil
	}
	switch vectors[0].Name {
	case "time", "frequency", "sweep":
	default:
		s.warn("from and to have no effect on ." + s.job.Analysis.Kind + ", which has no sweep")
		return nil
	}
	sweep := vectors[0].Values
	keep := s.job.Window.rows(sweep)
	if len(keep) == 0 && len(sweep) > 0 {
		field := "from"
		if s.job.Window.From == nil {
			field = "to"
		}
		return diag.In(diag.BadRequest, field, "%s leaves no point: %s goes from %g to %g",
			field, vectors[0].Name, slices.Min(sweep), slices.Max(sweep))
	}
	for c := range vectors {
		values := make([]float64, len(keep))
		for i, k := range keep {
			values[i] = vectors[c].Values[k]
		}
		vectors[c].Values = values
	}
	return nil
}

// applyWindow drops the rows outside the window before a transient is decimated, so points_max
// counts only rows inside it. It drops nothing if no row is inside.
func (t *table) applyWindow(w *Window) {
	if w == nil {
		return
	}
	time := make([]float64, t.rows())
	for r := range time {
		time[r] = t.data[r*t.width]
	}
	if keep := w.rows(time); len(keep) > 0 {
		for i, r := range keep {
			copy(t.data[i*t.width:(i+1)*t.width], t.data[r*t.width:(r+1)*t.width])
		}
		t.data = t.data[:len(keep)*t.width]
	}
}
