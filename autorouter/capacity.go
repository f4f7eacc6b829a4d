package autorouter

import (
	"cmp"
	"math"
	"slices"

	"slipstick/autorouter/board"
	"slipstick/autorouter/place"
)

// areaBalance compares the available area on both sides of a board with the area of the parts
// [nm²]. The estimates are optimistic, so a rejected request certainly does not fit.
type areaBalance struct {
	board     float64
	available [2]float64 // board area outside of part keepouts and holes, by side
	// fixed is the area of the courtyards of fixed parts, clipped to the board, by side.
	fixed  [2]float64
	top    float64 // courtyard area of the movable parts that must be on the top
	either float64 // courtyard area of the movable parts that may be on the bottom
}

// checkArea adds an error if the board is too small for its parts. wanted contains the placements
// given in the request.
func (q *Request) checkArea(nl *board.Netlist, copper board.Stackup, outline board.Polygon,
	holes []board.Hole, keepouts []board.Keepout, wanted []place.InitialPlacement,
	f *InvalidFields) {
	bounds := outline.Bounds()
	r := areaBalance{board: math.Abs(outline.Area())}
	for _, side := range board.Sides() {
		r.available[side] = r.board - blockedArea(outline, copper.Outer(side), holes, keepouts)
	}
	placed := map[int]bool{}
	for _, w := range wanted {
		if w.Fixed {
			placed[w.Component] = true
			for _, courtyard := range board.CourtyardsOf(&board.Part{
				Component: nl.Components[w.Component], Placement: w.Placement}) {
				r.fixed[w.Side] += outline.ClippedArea(courtyard)
			}
		}
	}
	for i := range nl.Components {
		c := &nl.Components[i]
		courtyard, area := c.Footprint.Courtyard, c.Footprint.CourtyardArea()
		if c.Edge != board.NoEdge {
			courtyard, area = c.Footprint.CourtyardAtEdge(), c.Footprint.AreaAtEdge()
		}
		w, h := courtyard.Width(), courtyard.Height()
		// A fixed part may extend beyond the board, as with the antenna of a module.
		if !placed[i] && (min(w, h) > min(bounds.Width(), bounds.Height()) ||
			max(w, h) > max(bounds.Width(), bounds.Height())) {
			f.add("width_mm", 0,
				"the board of %g by %g mm is too small for %s, whose courtyard has %g by %g mm",
				board.ToMM(bounds.Width()), board.ToMM(bounds.Height()), c.Ref, board.ToMM(w),
				board.ToMM(h))
		}
		switch {
		case placed[i]:
		case q.AllowBottom && place.EitherSide(c):
			r.either += area
		default:
			r.top += area
		}
	}
	for _, c := range []struct {
		have, need float64
		where      string
		asked      bool
	}{
		{r.board, r.fixed[board.TopSide] + r.top, "", true},
		{2 * r.board, r.fixed[board.TopSide] + r.fixed[board.BottomSide] + r.top + r.either,
			" on both sides", r.either > 0},
		{r.available[board.TopSide], r.top, " beside its keepouts and holes", true},
		{r.available[board.TopSide] + r.available[board.BottomSide], r.top + r.either,
			" on both sides beside its keepouts and holes", r.either > 0},
	} {
		if c.asked && c.need > c.have*(1+1e-9)+1e6 { // tolerance for rounding
			f.add("width_mm", 0,
				"the board has %.10g mm²%s, the courtyards of the parts need %.4g mm²",
				math.Round(max(0, c.have)/1e6)/1e6, c.where, c.need/1e12)
			return
		}
	}
}

// blockedArea returns the area within an outline where a layer admits no courtyards [nm²]. It is
// the union of the part keepouts and of the squares inscribed in the keepout circles of the holes.
func blockedArea(outline board.Polygon, layer board.Layer, holes []board.Hole,
	keepouts []board.Keepout) float64 {
	var areas []board.Rect
	var rows []int64
	add := func(r board.Rect) {
		areas = append(areas, r)
		rows = append(rows, r.Min.Y, r.Max.Y)
	}
	for _, k := range keepouts {
		if k.Components && slices.Contains(k.Layers, layer) {
			add(k.Area)
		}
	}
	for _, h := range holes {
		half := int64(float64(h.Diameter/2+h.Keepout) / math.Sqrt2)
		add(board.Rect{Min: h.At.Sub(board.Point{X: half, Y: half}),
			Max: h.At.Add(board.Point{X: half, Y: half})})
	}
	slices.SortFunc(areas, func(a, b board.Rect) int { return cmp.Compare(a.Min.X, b.Min.X) })
	slices.Sort(rows)
	sum := 0.0
	for i := range max(0, len(rows)-1) {
		low, high := rows[i], rows[i+1]
		if low == high {
			continue
		}
		// from and to are the x interval of the merged areas in this row [nm].
		from, to := int64(0), int64(math.MinInt64)
		run := func() {
			if from < to {
				sum += outline.ClippedArea(board.Polygon{{X: from, Y: low}, {X: to, Y: low},
					{X: to, Y: high}, {X: from, Y: high}})
			}
		}
		for _, r := range areas {
			switch {
			case r.Min.Y > low || r.Max.Y < high:
			case r.Min.X <= to:
				to = max(to, r.Max.X)
			default:
				run()
				from, to = r.Min.X, r.Max.X
			}
		}
		run()
	}
	return sum
}
