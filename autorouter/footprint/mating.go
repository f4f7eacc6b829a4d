package footprint

import (
	"math"
	"regexp"
	"slices"
	"strings"

	"slipstick/autorouter/board"
	"slipstick/autorouter/sexpr"
)

// setMatingSide gives an imported connector its mating side, for placement at a board edge. The
// drawing may mark the board edge, or the library may have the same connector. Otherwise the name
// and the extent of the drawing may show the side, which a note then states. Other footprints stay
// without one.
func (r *fileReader) setMatingSide(f *board.Footprint) {
	side, distance := r.markedEdge()
	f.MarksEdge, f.EdgeDistance = side != board.NoEdge, distance
	if side == board.NoEdge {
		side = libraryMatingSide(f)
	}
	if side == board.NoEdge {
		if side = matingSideOfDrawing(f); side != board.NoEdge {
			r.note("its name and drawing suggest that the %s side faces out of the board",
				sideNames[side])
		}
	}
	if side == board.NoEdge {
		return
	}
	f.MatingSide, f.Edge = side, board.AnyEdge
	if !f.MarksEdge && isEdgeMount(f) {
		f.EdgeMount, f.EdgeDistance = true, board.Outward(padBox(f.Pads), side)
		r.note("its pads end at the board edge, as those of an edge-mount connector")
	}
}

// edgeMountName matches names of connectors that are soldered to the edge of a board.
var edgeMountName = regexp.MustCompile(`(?i)edge.?(mount|launch)|end.?launch`)

// isEdgeMount reports whether a connector clasps the edge of the board. Its name shows it, or pads
// of one number without a hole on both sides. In KiCad's libraries, the marked edge of such
// connectors is at the end of their pads or up to 0.25 mm beyond it.
func isEdgeMount(f *board.Footprint) bool {
	if edgeMountName.MatchString(f.Name) {
		return true
	}
	sides := map[string]board.LayerSet{}
	for _, p := range f.Pads {
		if p.Drill > 0 || p.SlotW > 0 {
			sides[p.Number] = 0
		} else if on, ok := sides[p.Number]; !ok || on != 0 {
			sides[p.Number] |= p.CopperLayers(board.TwoLayers(), board.TopSide)
		}
	}
	delete(sides, "")
	for _, on := range sides {
		if on.Count() > 1 {
			return true
		}
	}
	return false
}

// markedEdge finds the line that marks the board edge. It returns the side of the pads on which the
// line lies, and its distance from the origin of the footprint [nm]. Without a text that names the
// board edge, as in KiCad's libraries, it returns NoEdge. The line is the longest one of layer
// Dwgs.User or, without one, of an open outline on Edge.Cuts.
func (r *fileReader) markedEdge() (side board.Edge, distance int64) {
	const shortest = 3e6 // [nm]
	marked := false
	var a, b vec
	longest := func(layers ...string) {
		most := float64(shortest)
		for _, n := range r.root.List {
			layer, _ := n.Text("layer")
			if n.Head() != "fp_line" || !slices.Contains(layers, layer) {
				continue
			}
			from, to, ok := lineOf(n)
			if d := math.Hypot(to.x-from.x, to.y-from.y); ok && d >= most {
				most, a, b = d, from, to
			}
		}
	}
	for _, n := range r.root.List {
		if n.Head() == "fp_text" {
			text := strings.ToLower(n.At(2))
			marked = marked || strings.Contains(text, "pcb edge") ||
				strings.Contains(text, "board edge")
		}
	}
	if longest("Dwgs.User", "User.Drawings"); a == b && len(r.drawing.Cutouts) == 0 {
		longest("Edge.Cuts")
	}
	box := padBox(r.f.Pads)
	shift := r.drawing.Origin
	x, y := int64((a.x+b.x)/2)+shift.X, int64((a.y+b.y)/2)+shift.Y
	switch {
	case !marked || a == b:
	case a.y == b.y && y < (box.Min.Y+box.Max.Y)/2:
		return board.BottomEdge, -y
	case a.y == b.y:
		return board.TopEdge, y
	case a.x == b.x && x < (box.Min.X+box.Max.X)/2:
		return board.LeftEdge, -x
	case a.x == b.x:
		return board.RightEdge, x
	}
	return board.NoEdge, 0
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

// libraryMatingSide returns the mating side of the library's footprint of the same name. The pads
// with equal numbers must have the same relative positions. Otherwise it returns NoEdge.
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

// sideNames holds the names of the sides of a footprint.
var sideNames = map[board.Edge]string{board.LeftEdge: "left", board.RightEdge: "right",
	board.TopEdge: "top", board.BottomEdge: "bottom"}

// Names of connectors that usually face out of the board. Names of vertical ones contain a word of
// verticalName.
var (
	edgeConnectorName = regexp.MustCompile(
		`(?i)usb|barrel|jack|rj.?45|\brj[a-z]{2,4}.?[0-9]|8p8c|hdmi|d-?sub|db.?(9|15|25)|` +
			`sd.?card|micro.?sd|sma.?edge|edge.?(mount|launch)|end.?launch`)
	terminalBlockName = regexp.MustCompile(
		`(?i)terminal.?block|screw.?term|conn.?screw|bornier|ph(oe|eo)nix|mkds|mstb`)
	verticalName = regexp.MustCompile(`(?i)vert|straight|droit|top|hole`)
)

// matingSideOfDrawing returns the mating side that the name and the drawing of a connector suggest,
// or NoEdge. It is the side on which body and courtyard extend farthest beyond the pads. Without
// such a side, it is opposite to the row of the contacts. A terminal block with its pads in a
// horizontal row instead has the wires at the bottom, as in KiCad's libraries.
//
// The public boards of PCBench have connectors within 2 mm of exactly one edge. The side is that of
// the edge for 95 % of edgeConnectorName and for 77 % of terminalBlockName. The row of the contacts
// alone shows it for 42 of 43 connectors.
func matingSideOfDrawing(f *board.Footprint) board.Edge {
	const (
		overOpposite = 1 * board.Millimetre // by which the overhang exceeds that of the other side
		overOthers   = 300 * board.Micrometre
		ofTerminals  = 3 * board.Millimetre // overOpposite of terminal blocks
	)
	terminals := terminalBlockName.MatchString(f.Name)
	if len(f.Pads) < 2 || verticalName.MatchString(f.Name) ||
		!terminals && !edgeConnectorName.MatchString(f.Name) {
		return board.NoEdge
	}
	pads, all := padBox(f.Pads), union(f.Body, f.Courtyard)
	sides := []board.Edge{board.LeftEdge, board.TopEdge, board.RightEdge, board.BottomEdge}
	over := []int64{pads.Min.X - all.Min.X, all.Max.Y - pads.Max.Y, all.Max.X - pads.Max.X,
		pads.Min.Y - all.Min.Y}
	best := 0
	for i := range over {
		if over[i] > over[best] {
			best = i
		}
	}
	least := overOpposite
	if terminals {
		least = ofTerminals
	}
	if over[best]-over[(best+2)%4] >= least &&
		over[best]-max(over[(best+1)%4], over[(best+3)%4]) >= overOthers {
		return sides[best]
	}
	switch {
	case !terminals:
		return oppositeToContacts(f)
	case pads.Width() > pads.Height():
		return board.BottomEdge
	}
	return board.NoEdge
}

// oppositeToContacts returns the side opposite to the contacts, or NoEdge. The contacts are the
// longest row of at least four pads of one size. The pads of the shell, which are between the row
// and the opening, are on average at least 0.5 mm from it. USB, RJ45, HDMI and SD card connectors
// have such rows.
func oppositeToContacts(f *board.Footprint) board.Edge {
	const (
		minContacts = 4
		minOffset   = 500 * board.Micrometre
	)
	type row struct {
		horizontal    bool
		at            int64 // y of a horizontal row, or x of a vertical one [nm]
		width, height int64
	}
	side, longest := board.NoEdge, minContacts-1
	lengths := map[row]int{}
	for _, p := range f.Pads {
		for _, r := range []row{{true, p.At.Y, p.Width, p.Height},
			{false, p.At.X, p.Width, p.Height}} {
			if lengths[r]++; lengths[r] <= longest {
				continue
			}
			offset, others := int64(0), int64(0)
			for _, o := range f.Pads {
				d := o.At.X - r.at
				if r.horizontal {
					d = o.At.Y - r.at
				}
				if d != 0 {
					offset, others = offset+d, others+1
				}
			}
			switch {
			case others == 0 || max(offset, -offset) < minOffset*others:
				continue
			case r.horizontal && offset > 0:
				side = board.TopEdge
			case r.horizontal:
				side = board.BottomEdge
			case offset > 0:
				side = board.RightEdge
			default:
				side = board.LeftEdge
			}
			longest = lengths[r]
		}
	}
	return side
}
