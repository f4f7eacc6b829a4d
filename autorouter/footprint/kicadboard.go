package footprint

import (
	"errors"
	"math"

	"slipstick/autorouter/board"
	"slipstick/autorouter/sexpr"
)

// PlacedPad is a pad of a placed footprint in a .kicad_pcb file; lengths are in [nm].
type PlacedPad struct {
	Number string
	Kind   string   // pad type: thru_hole, smd, connect or np_thru_hole
	Layers []string // layer names as written in the file, for example *.Cu
	At     board.Point
	// Pieces lists the convex shapes of the copper in board coordinates. A custom pad has several
	// pieces. An unplated hole without a copper ring has none.
	Pieces []board.FootprintPad
	// Rotation [degrees], Drill, SlotW and SlotH [nm] describe the hole. The sizes are 0 for a pad
	// without a hole.
	Rotation            float64
	Drill, SlotW, SlotH int64
}

// maxBoard is the largest magnitude of a coordinate in a .kicad_pcb file [mm]. KiCad stores
// coordinates [nm] as 32-bit integers.
const maxBoard = 2147.0

// ReadPlacedPad parses a (pad ...) list of a footprint that is at position at [nm, y up] on the
// board with rotation degrees. In the file, pad angles include the angle of the footprint, and the
// pad positions of footprints on the back are mirrored. The error is a *sexpr.Error.
func ReadPlacedPad(n *sexpr.Node, at board.Point, degrees float64) (*PlacedPad, error) {
	p := drawnPad{n: n, number: n.At(1), shape: n.At(3)}
	out := &PlacedPad{Number: p.number, Kind: n.At(2)}
	if err := p.place(0); err != nil {
		return nil, lineError(err)
	}
	if l := n.First("layers"); l != nil {
		for i := range l.List[1:] {
			out.Layers = append(out.Layers, l.At(i+1))
		}
	}
	place := at.Add(nanometres(p.at).Rotated(degrees))
	p.at = vec{float64(place.X), float64(place.Y)}
	out.At, out.Rotation = place, p.rotation
	if p.drillW > 0 && p.drillH > 0 {
		var hole board.FootprintPad
		p.drilled(&hole)
		out.Drill, out.SlotW, out.SlotH = hole.Drill, hole.SlotW, hole.SlotH
	}
	if out.Kind == "np_thru_hole" && max(p.w, p.h) <= max(p.drillW, p.drillH)+2*minSize*1e6 {
		return out, nil
	}
	pieces, err := p.pieces()
	if err != nil {
		return nil, lineError(err)
	}
	for _, q := range pieces {
		p.turnTo(&q)
		out.Pieces = append(out.Pieces, q)
	}
	return out, nil
}

// ReadShape parses a drawn item of a .kicad_pcb file: (gr_line ...), (fp_arc ...) or (polygon (pts
// ...)). The kind is line, rect, circle, arc, curve or poly. ReadShape returns a chain of points
// [nm, y up] and approximates arcs by chords within 5 µm. closed reports whether the shape bounds
// an area. The error is a *sexpr.Error.
func ReadShape(n *sexpr.Node, kind string) (points []board.Point, closed bool, err error) {
	chain, closed, err := shapeWithin(n, kind, maxBoard)
	if err != nil {
		return nil, false, lineError(err)
	}
	for _, v := range chain {
		points = append(points, nanometres(v))
	}
	return points, closed, nil
}

// ReadPosition parses the child list (HEAD X Y [ANGLE]) of parent. It returns X and Y in [nm] with
// y up, and ANGLE in [degrees], or 0 without ANGLE. The error is a *sexpr.Error.
func ReadPosition(parent *sexpr.Node, head string) (at board.Point, degrees float64, err error) {
	v, err := pointWithin(parent, head, maxBoard)
	if err != nil {
		return at, 0, lineError(err)
	}
	all, err := numbers(parent.First(head), 3)
	if err != nil {
		return at, 0, lineError(err)
	}
	if len(all) > 2 {
		degrees = turn(all[2])
	}
	return nanometres(v), degrees, nil
}

// ReadLength parses the child list (HEAD MM) of parent and returns the length in [nm], or 0 if the
// child is absent. The error is a *sexpr.Error.
func ReadLength(parent *sexpr.Node, head string) (int64, error) {
	v, err := length(parent, head)
	if err != nil {
		return 0, lineError(err)
	}
	return int64(math.Round(v)), nil
}

// ReadStroke returns the stroke width of a drawn item [nm], or 0 if the item has none. The error is
// a *sexpr.Error.
func ReadStroke(n *sexpr.Node) (int64, error) {
	v, err := strokeWidth(n)
	if err != nil {
		return 0, lineError(err)
	}
	return int64(math.Round(v)), nil
}

func lineError(err error) error {
	var at *fileError
	if errors.As(err, &at) {
		return &sexpr.Error{Line: at.line, Detail: at.detail}
	}
	return err
}
