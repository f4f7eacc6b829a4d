package footprint

import (
	"math"
	"strings"

	"slipstick/autorouter/board"
	"slipstick/autorouter/sexpr"
)

// setMatingSide gives an imported connector its mating side, for placement at a board edge. The
// drawing may mark the board edge, or the library may have the same connector. Otherwise the
// footprint stays without one.
func (r *fileReader) setMatingSide(f *board.Footprint) {
	side := r.markedEdge()
	if side == board.NoEdge {
		side = libraryMatingSide(f)
	}
	if side != board.NoEdge {
		f.MatingSide, f.Edge = side, board.AnyEdge
	}
}

// markedEdge returns the side of the pads on which the longest line of layer Dwgs.User lies, if a
// text names the board edge, as in KiCad's libraries. Otherwise it returns NoEdge.
func (r *fileReader) markedEdge() board.Edge {
	const shortest = 3e6 // [nm]
	marked, longest := false, float64(shortest)
	var a, b vec
	for _, n := range r.root.List {
		layer, _ := n.Text("layer")
		switch head := n.Head(); {
		case head == "fp_text":
			text := strings.ToLower(n.At(2))
			marked = marked || strings.Contains(text, "pcb edge") ||
				strings.Contains(text, "board edge")
		case head == "fp_line" && (layer == "Dwgs.User" || layer == "User.Drawings"):
			from, to, ok := lineOf(n)
			if d := math.Hypot(to.x-from.x, to.y-from.y); ok && d >= longest {
				longest, a, b = d, from, to
			}
		}
	}
	box := padBox(r.f.Pads)
	shift := r.drawing.Origin
	x, y := int64((a.x+b.x)/2)+shift.X, int64((a.y+b.y)/2)+shift.Y
	switch {
	case !marked || a == b:
	case a.y == b.y && y < (box.Min.Y+box.Max.Y)/2:
		return board.BottomEdge
	case a.y == b.y:
		return board.TopEdge
	case a.x == b.x && x < (box.Min.X+box.Max.X)/2:
		return board.LeftEdge
	case a.x == b.x:
		return board.RightEdge
	}
	return board.NoEdge
}

// lineOf returns the ends of a line [nm] with y up. ok is false for an invalid line.
func lineOf(n *sexpr.Node) (a, b vec, ok bool) {
	a, err := point(n, "start")
	if err != nil {
		return vec{}, vec{}, false
	}
	b, err = point(n, "end")
	return a, b, err == nil
}

// libraryMatingSide returns the mating side of the footprint of the same name in the library, if
// the pads with equal numbers have the same relative positions. Otherwise it returns NoEdge.
func libraryMatingSide(f *board.Footprint) board.Edge {
	const tolerance = 500 * board.Micrometre
	known, err := Find(f.Name[strings.LastIndexByte(f.Name, ':')+1:])
	if err != nil || known.MatingSide == board.NoEdge {
		return board.NoEdge
	}
	at := map[string]board.Point{}
	for _, p := range known.Pads {
		if _, ok := at[p.Number]; !ok && p.Number != "" {
			at[p.Number] = p.At
		}
	}
	var offset board.Point
	shared := 0
	for _, p := range f.Pads {
		where, ok := at[p.Number]
		if !ok {
			continue
		}
		delete(at, p.Number)
		d := p.At.Sub(where)
		if shared++; shared == 1 {
			offset = d
		}
		if board.Distance(d, offset) > float64(tolerance) {
			return board.NoEdge
		}
	}
	if shared < 2 {
		return board.NoEdge
	}
	return known.MatingSide
}
