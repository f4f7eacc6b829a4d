package specctra

import (
	"math"
	"strconv"

	"slipstick/autorouter/geom"
	"slipstick/autorouter/sexpr"
	"slipstick/internal/text"
)

// unitsNM maps each unit of length to its size [nm].
var unitsNM = map[string]float64{"inch": 25.4e6, "mil": 25400, "cm": 1e7, "mm": 1e6, "um": 1e3}

func (r *reader) readUnits(root *sexpr.Node) error {
	if n := root.First("resolution"); n != nil {
		step, err := strconv.Atoi(n.At(2))
		if unitsNM[n.At(1)] == 0 || err != nil || step < 1 || step > 1e9 {
			return bad(
				n,
				"(resolution %s %s): needs a unit (inch, mil, cm, mm, um) and a number from 1 to 1e9",
				text.Word(n.At(1)),
				text.Word(n.At(2)),
			)
		}
		r.resolutionUnit, r.resolution, r.unit = n.At(1), step, unitsNM[n.At(1)]
	}
	r.step = unitsNM[r.resolutionUnit] / float64(r.resolution)
	if n := root.First("unit"); n != nil {
		if unitsNM[n.At(1)] == 0 {
			return bad(n, "(unit %s): the units are inch, mil, cm, mm and um", text.Word(n.At(1)))
		}
		r.unit = unitsNM[n.At(1)]
	} else if isEasyEDA(root) {
		r.unit, r.step = easyEDAUnits*r.unit, easyEDAUnits*r.step
	}
	return nil
}

// easyEDAUnits is the ratio of the unit of EasyEDA's editor, 10 mil, to the unit that its files
// declare.
const easyEDAUnits = 10

// isEasyEDA reports whether EasyEDA wrote a design. Its files declare (resolution mil 1000) but
// have lengths in units of 10 mil, and all pads belong to one component u1 at the origin. Only the
// Pro edition writes its name.
func isEasyEDA(root *sexpr.Node) bool {
	resolution, placement := root.First("resolution"), root.First("placement")
	if resolution == nil || resolution.At(1) != "mil" || resolution.At(2) != "1000" ||
		placement == nil {
		return false
	}
	parts := placement.Each("component")
	return len(parts) == 1 && parts[0].At(1) == "u1" && len(parts[0].Each("place")) == 1
}

// number parses word i of a list as a finite number.
func number(n *sexpr.Node, i int) (float64, error) {
	v, err := strconv.ParseFloat(n.At(i), 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, bad(n, "(%s ...): word %d is %q, not a number", n.Head(), i, text.Word(n.At(i)))
	}
	return v, nil
}

// length parses word i of a list as a coordinate or a width and returns it in [nm].
func (r *reader) length(n *sexpr.Node, i int) (float64, error) {
	v, err := number(n, i)
	if err != nil {
		return 0, err
	}
	if v *= r.unit; math.Abs(v) > maxMM*1e6 {
		return 0, bad(n, "(%s ...): %s is beyond %g mm", n.Head(), text.Word(n.At(i)), maxMM)
	}
	return v, nil
}

func (r *reader) point(n *sexpr.Node, i int) (geom.Vec, error) {
	x, err := r.length(n, i)
	if err != nil {
		return geom.Vec{}, err
	}
	y, err := r.length(n, i+1)
	return geom.Vec{X: x, Y: y}, err
}

// points parses the words from index i on as points, up to the first sublist. It returns the points
// in [nm].
func (r *reader) points(n *sexpr.Node, i int) ([]geom.Vec, error) {
	end := i
	for end < len(n.List) && n.List[end].Leaf {
		end++
	}
	if end-i > 2*maxCorners {
		return nil, bad(
			n,
			"(%s ...) has %d points; at most %d are read",
			n.Head(),
			(end-i)/2,
			maxCorners,
		)
	}
	var out []geom.Vec
	for ; i+1 < end; i += 2 {
		p, err := r.point(n, i)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}
