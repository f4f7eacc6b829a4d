package specctra

import (
	"math"
	"strings"

	"slipstick/autorouter/sexpr"
)

func (r *reader) readParser(n *sexpr.Node) error {
	r.hostCAD, _ = n.Text("host_cad")
	r.hostVersion, _ = n.Text("host_version")
	return nil
}

func (r *reader) readStructure(n *sexpr.Node) error {
	for _, c := range n.List[1:] {
		var err error
		switch c.Head() {
		case "layer":
			kind, _ := c.Text("type")
			r.Layers = append(r.Layers, Layer{c.At(1), kind == "power"})
			if c.First("rule") != nil {
				r.skip("(rule ...) of a layer")
			}
		case "boundary":
			err = r.readBoundary(c)
		case "via":
			for _, w := range c.List[1:] {
				if w.Leaf {
					r.vias = append(r.vias, w.Word)
				}
			}
		case "rule":
			err = r.readRule(c, &r.rule)
		case "keepout", "via_keepout", "wire_keepout":
			var k []keepout
			k, err = r.readKeepout(c)
			r.keepouts = append(r.keepouts, k...)
		case "region":
			r.skip("(region ...)")
		case "plane":
			for _, s := range c.List[1:] {
				if !isShape(s) || err != nil {
					continue
				}
				p := plane{net: c.At(1), windows: c.First("window") != nil}
				p.outline, err = r.shape(s)
				r.planes = append(r.planes, p)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) readBoundary(n *sexpr.Node) error {
	for _, c := range n.List[1:] {
		if !isShape(c) {
			continue
		}
		s, err := r.shape(c)
		if err != nil {
			return err
		}
		if len(s.points) < 3 {
			r.skip("a boundary that is not a polygon")
			continue
		}
		r.boundaries = append(r.boundaries, boundary{s.layer, s.points})
	}
	return nil
}

// readRule parses a rule list. It stores the track width and the largest clearance of tracks to
// copper in *to, and the largest clearance to the boundary in r.
func (r *reader) readRule(n *sexpr.Node, to *rule) error {
	for _, c := range n.List[1:] {
		if c.Head() != "width" && c.Head() != "clearance" && c.Head() != "clear" {
			continue
		}
		v, err := r.length(c, 1)
		if err != nil {
			return err
		}
		kind, _ := c.Text("type")
		switch {
		case c.Head() == "width":
			to.width = v
		case strings.Contains(kind, "boundary"):
			r.boundaryClearance = max(r.boundaryClearance, v)
		case noTrack[kind]:
		default:
			to.clearance = max(to.clearance, v)
		}
	}
	return nil
}

// noTrack contains the types of clearance rules that do not apply between a track and copper of
// another net.
var noTrack = map[string]bool{
	"smd_smd": true, "smd-smd": true, "pin_pin": true, "smd_pin": true, "pin_smd": true,
	"smd_to_turn_gap": true, "buffer_gap": true, "smd_via_same_net": true,
	"via_via_same_net": true, "pin_via_same_net": true,
}

// readKeepout returns one keepout for each shape of a keepout list.
func (r *reader) readKeepout(n *sexpr.Node) ([]keepout, error) {
	var out []keepout
	for _, c := range n.List[1:] {
		if !isShape(c) {
			continue
		}
		s, err := r.shape(c)
		if err != nil {
			return nil, err
		}
		if strings.Contains(r.hostCAD, "KiCad") && strings.HasPrefix(r.hostVersion, "7.0.2") &&
			len(s.points) == 1 && s.width > 100e6 {
			s.width = r.holeKeepout(s.width)
		}
		out = append(out, keepout{
			shape:  s,
			tracks: n.Head() != "via_keepout",
			vias:   n.Head() != "wire_keepout",
		})
	}
	if len(out) == 0 {
		r.skip("a keepout without a circle, rectangle, polygon or path")
	}
	return out, nil
}

// holeKeepout returns the intended diameter of a keepout around a hole without plating [nm]. KiCad
// 7.0.2 adds the hole clearance a thousand times too large on both sides, so that a keepout covers
// the board (freerouting, issue 202). The clearance is assumed to be a multiple of 0.01 mm and the
// hole smaller than 20 mm.
func (r *reader) holeKeepout(diameter float64) float64 {
	const scale = 1000
	hole := math.Mod(diameter, 2*scale*1e4)
	r.warnOnce("keepouts around holes have 1/1000 of the clearance that KiCad 7.0.2 writes by mistake")
	return hole + (diameter-hole)/scale
}
