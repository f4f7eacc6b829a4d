package autorouter

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"slipstick/autorouter/board"
	"slipstick/autorouter/place"
)

// chordError is the largest distance between a chord and its arc [mm].
const chordError = 0.02

// outline returns the board outline of the request, translated to the origin. It returns nil for an
// automatic board size.
func (q *Request) outline(f *InvalidFields) board.Polygon {
	sized := q.WidthMM != nil || q.HeightMM != nil
	switch {
	case len(q.Outline) > 0 && sized:
		f.add("outline", 0, "stands in place of width_mm and height_mm; give one or the other")
	case len(q.Outline) > 0:
		if q.CornerRadiusMM > 0 {
			f.add("corner_radius_mm", 0, "rounds rectangles only; draw the corners into outline")
		}
		return q.polygon(f)
	case (q.WidthMM == nil) != (q.HeightMM == nil):
		f.add("width_mm", 0, "and height_mm go together; give both or none")
	case sized:
		return rectangle(*q.WidthMM, *q.HeightMM, q.CornerRadiusMM, f)
	}
	return nil
}

func rectangle(w, h, radius float64, f *InvalidFields) board.Polygon {
	if radius > min(w, h)/2 {
		f.add("corner_radius_mm", 0, "is %g mm, more than half of the shorter side of %g mm",
			radius, min(w, h))
		radius = 0
	}
	if radius == 0 {
		return board.Polygon{{}, {X: board.MM(w)}, {X: board.MM(w), Y: board.MM(h)},
			{Y: board.MM(h)}}
	}
	// With n chords per quarter circle, the error is r(1 - cos(π/4n)) and must not exceed
	// chordError.
	n := max(2, int(math.Ceil(math.Pi/4/math.Acos(1-min(1, chordError/radius)))))
	var out board.Polygon
	for corner, centre := range []XY{{w - radius, radius}, {w - radius, h - radius},
		{radius, h - radius}, {radius, radius}} {
		for i := range n + 1 {
			sin, cos := math.Sincos((float64(corner) - 1 + float64(i)/float64(n)) * math.Pi / 2)
			p := board.Point{X: board.MM(centre.X + radius*cos), Y: board.MM(centre.Y + radius*sin)}
			// Adjacent arcs share a point if the radius is half of a side.
			if len(out) == 0 || p != out[len(out)-1] {
				out = append(out, p)
			}
		}
	}
	if out[0] == out[len(out)-1] {
		out = out[:len(out)-1]
	}
	return out
}

// polygon returns the outline that the request gives as points. The result is counter-clockwise and
// its bounding box begins at the origin. It returns nil for an invalid outline.
func (q *Request) polygon(f *InvalidFields) board.Polygon {
	if len(q.Outline) < 3 {
		f.add("outline", 0, "has %d points; a polygon needs at least 3", len(q.Outline))
		return nil
	}
	var out board.Polygon
	for _, p := range q.Outline {
		out = append(out, board.Point{X: board.MM(p.X), Y: board.MM(p.Y)})
	}
	origin := out.Bounds().Min
	for i := range out {
		out[i] = out[i].Sub(origin)
	}
	if i, j := out.Crossing(); i >= 0 {
		f.add("outline", 0,
			"crosses or touches itself: the side from point %d meets the side from point %d", i, j)
		return nil
	}
	if out.Area() < 0 {
		for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
			out[i], out[j] = out[j], out[i]
		}
	}
	if b := out.Bounds(); b.Width() < board.MM(5) || b.Height() < board.MM(5) ||
		b.Width() > board.MM(400) || b.Height() > board.MM(400) {
		f.add("outline", 0, "measures %g by %g mm; each side must be 5 to 400 mm",
			board.ToMM(b.Width()), board.ToMM(b.Height()))
		return nil
	}
	return out
}

// placementArea is the area allowed for the objects of a board, with the error text for objects
// outside it.
type placementArea struct {
	board.Polygon
	off   string
	given bool // whether the request gives the outline
}

// placementAreaOf returns the outline as the placement area. For an automatic board size it returns
// the area of the largest possible board.
func placementAreaOf(outline board.Polygon) placementArea {
	if len(outline) > 0 {
		return placementArea{outline, "off the board", true}
	}
	const side = place.Largest
	off := fmt.Sprintf("off the board, whose size is found between 0, 0 and %[1]g, %[1]g mm",
		board.ToMM(side))
	return placementArea{board.Polygon{{}, {X: side}, {X: side, Y: side}, {Y: side}}, off, false}
}

// obstacles returns the holes and keepouts of the request. It adds an error to f for each one off
// the board and for each unknown layer.
func (q *Request) obstacles(copper board.Stackup, ground placementArea,
	f *InvalidFields) (holes []board.Hole, keepouts []board.Keepout) {
	for i, h := range q.MountingHoles {
		at := board.Point{X: board.MM(h.X), Y: board.MM(h.Y)}
		if !ground.Contains(at) {
			f.add(fmt.Sprintf("mounting_holes[%d]", i), 0, "at %g, %g mm is %s", h.X,
				h.Y, ground.off)
		}
		holes = append(holes, board.Hole{At: at, Diameter: board.MM(h.DiameterMM),
			Keepout: board.MM(h.KeepoutMM)})
	}
	for i, k := range q.Keepouts {
		lower := board.Point{X: board.MM(k.X), Y: board.MM(k.Y)}
		r := board.Rect{Min: lower,
			Max: lower.Add(board.Point{X: board.MM(k.WidthMM), Y: board.MM(k.HeightMM)})}
		if !r.Overlaps(ground.Bounds()) {
			f.add(fmt.Sprintf("keepouts[%d]", i), 0, "from %g, %g mm is %s", k.X, k.Y, ground.off)
		}
		all := k.Tracks && k.Vias && k.Copper // the copper of pads too
		out := board.Keepout{Area: r, Tracks: k.Tracks, Vias: k.Vias, Pour: k.Copper, Copper: all,
			Components: k.Components}
		for _, name := range k.Layers {
			if _, ok := copper.Layer(name); !ok {
				f.add(fmt.Sprintf("keepouts[%d].layers", i), 0,
					"%s is not a layer of a board with %d copper layers", name, len(copper))
			}
		}
		out.Layers = layers(copper, k.Layers)
		if slices.Contains(k.Layers, "top") && slices.Contains(k.Layers, "bottom") {
			out.Layers = slices.Collect(copper.All().All())
		}
		keepouts = append(keepouts, out)
	}
	return holes, keepouts
}

// refIndex returns the index of the component with a reference designator, ignoring case, or -1 if
// there is none.
func refIndex(nl *board.Netlist, ref string) int {
	ref = cmp.Or(nl.Renamed[strings.ToUpper(ref)], ref)
	for i := range nl.Components {
		if strings.EqualFold(nl.Components[i].Ref, ref) {
			return i
		}
	}
	return -1
}
