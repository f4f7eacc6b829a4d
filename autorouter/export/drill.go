package export

import (
	"fmt"
	"slices"
	"strings"

	"slipstick/autorouter/board"
)

// hit is a drilled hole, or a slot between two centres. The tool diameter is in nm.
type hit struct {
	tool int64
	a, b board.Point
}

func newHit(at board.Point, drill, w, h int64, turn float64) hit {
	if w == 0 || h == 0 {
		return hit{drill, at, at}
	}
	e := board.Point{X: (w - h) / 2}
	if h > w {
		e = board.Point{Y: (h - w) / 2}
	}
	e = e.Rotated(turn)
	return hit{min(w, h), at.Sub(e), at.Add(e)}
}

func (j *job) hits(plated bool) []hit {
	var hits []hit
	for i := range j.Parts {
		for _, p := range j.Parts[i].Pads {
			if (p.Drill > 0 || p.SlotW > 0) && p.Plated == plated {
				hits = append(hits, newHit(p.At, p.Drill, p.SlotW, p.SlotH, p.Rotation))
			}
		}
	}
	if plated {
		for _, v := range j.Vias {
			hits = append(hits, hit{v.Drill, v.At, v.At})
		}
		return hits
	}
	for _, h := range j.Holes {
		hits = append(hits, hit{h.Diameter, h.At, h.At})
	}
	return hits
}

// panelHits returns the holes of all boards of a panel, given those of one board. The unplated
// holes include those of the rails and tabs.
func (j *job) panelHits(unit []hit, plated bool) []hit {
	var out []hit
	for _, d := range j.panel.offsets() {
		for _, h := range unit {
			out = append(out, hit{h.tool, h.a.Add(d), h.b.Add(d)})
		}
	}
	if !plated {
		for _, h := range j.panel.toolingHoles() {
			out = append(out, hit{h.Diameter, h.At, h.At})
		}
		if j.panel.Tabs {
			for _, h := range j.panel.mouseBites() {
				out = append(out, hit{h.Diameter, h.At, h.At})
			}
		}
	}
	return out
}

// drill returns an XNC file (Ucamco, XNC Format Specification 2021.11). Tools are sorted by size,
// and holes come before slots.
func (j *job) drill(plated bool) string {
	var w strings.Builder
	part := "Single"
	if j.panel != nil {
		part = "Array"
	}
	function := fmt.Sprintf("NonPlated,1,%d,NPTH", len(j.Copper()))
	if plated {
		function = fmt.Sprintf("Plated,1,%d,PTH", len(j.Copper()))
	}
	w.WriteString("M48\n; #@! TF.FileFunction," + function + "\n; #@! TF.Part," + part + "\nMETRIC\n")
	hits := j.hits(plated)
	if j.panel != nil {
		hits = j.panelHits(hits, plated)
	}
	var tools []int64
	for _, h := range hits {
		tools = append(tools, h.tool)
	}
	slices.Sort(tools)
	tools = slices.Compact(tools)
	for i, t := range tools {
		fmt.Fprintf(&w, "T%02dC%s\n", i+1, mm(t))
	}
	// Declare an unused tool, because readers recognize a drill file by its tools.
	if len(tools) == 0 {
		fmt.Fprintf(&w, "T01C%s\n", mm(board.Millimetre))
	}
	w.WriteString("%\n")
	for i, t := range tools {
		fmt.Fprintf(&w, "T%02d\nG05\n", i+1)
		for _, h := range hits {
			if h.tool == t && h.a == h.b {
				w.WriteString(xy(h.a) + "\n")
			}
		}
		for _, h := range hits {
			if h.tool == t && h.a != h.b {
				w.WriteString("G00" + xy(h.a) + "\nM15\nG01" + xy(h.b) + "\nM16\nG05\n")
			}
		}
	}
	w.WriteString("M30\n")
	return w.String()
}

func xy(p board.Point) string { return "X" + mm(p.X) + "Y" + mm(p.Y) }
