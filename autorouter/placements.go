package autorouter

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"slipstick/autorouter/board"
	"slipstick/autorouter/footprint"
	"slipstick/autorouter/geom"
	"slipstick/autorouter/netlist"
	"slipstick/autorouter/place"
)

// netlistOf parses the netlist of the request and assigns net classes. It returns nil and adds the
// errors to f if the netlist is invalid.
func (q *Request) netlistOf(f *InvalidFields) *board.Netlist {
	var specs []footprint.Spec
	for i, c := range q.CustomFootprints {
		path := fmt.Sprintf("custom_footprints[%d].", i)
		s := footprint.Spec{Name: c.Name, Body: sizePair(path+"body_mm", c.BodyMM, f)}
		for k, p := range c.Pads {
			slot := sizePair(fmt.Sprintf("%spads[%d].slot_mm", path, k), p.SlotMM, f)
			s.Pads = append(s.Pads, footprint.PadSpec{
				Pad: p.Pad, X: p.X, Y: p.Y, Width: p.WidthMM, Height: p.HeightMM, Shape: p.Shape,
				Drill: p.DrillMM, Slot: slot, Rotation: p.RotationDeg,
			})
		}
		specs = append(specs, s)
	}
	library, err := footprint.NewLibrary(specs, q.Footprints)
	if err != nil {
		f.addErrors(err)
		return nil
	}
	in := netlist.Input{Text: q.Netlist, Format: q.NetlistFormat}
	for _, c := range q.Components {
		one := netlist.Component{Ref: c.Ref, Footprint: c.Footprint, Value: c.Value, Pins: c.Pins,
			DNP: c.DNP, LCSC: c.LCSC, MPN: c.MPN}
		if c.Edge != nil {
			one.Edge = *c.Edge
		}
		in.Components = append(in.Components, one)
	}
	for _, n := range q.Nets {
		in.Nets = append(in.Nets, netlist.Net{Name: n.Name, Pins: n.Pins, Class: n.Class,
			CurrentA: n.CurrentA})
	}
	opt := netlist.Options{
		Library: library, Overrides: q.FootprintOverrides, DefaultPackage: q.DefaultPackage,
		SourceConnector: q.SourceConnector,
		CopperOz:        q.CopperOz, TempRiseC: q.TempRiseC, NoAutoPower: !q.AutoPower,
	}
	for _, c := range q.NetClasses {
		opt.Classes = append(opt.Classes, netlist.ClassNets{Name: c.Name, Nets: c.Nets})
	}
	nl, err := netlist.Read(in, opt)
	if err != nil {
		f.addErrors(err)
		return nil
	}
	return nl
}

// sizePair returns a list of two numbers as width and height, or nil for an empty or invalid list.
func sizePair(path string, list []float64, f *InvalidFields) *[2]float64 {
	switch len(list) {
	case 0:
		return nil
	case 2:
		return &[2]float64{list[0], list[1]}
	}
	f.add(path, 0, "needs a width and a height, two numbers, not %d", len(list))
	return nil
}

// addErrors adds the errors of the packages netlist and footprint to the list.
func (f *InvalidFields) addErrors(err error) {
	var (
		list netlist.Errors
		one  *netlist.Error
		spec *footprint.SpecError
	)
	switch {
	case errors.As(err, &list):
		for _, x := range list {
			f.add(x.Path, x.Line, "%s", x.Detail)
		}
	case errors.As(err, &one):
		f.add(one.Path, one.Line, "%s", one.Detail)
	case errors.As(err, &spec):
		f.add(spec.Path, 0, "%s", spec.Detail)
	default:
		f.add("netlist", 0, "%s", err)
	}
}

// groundNet returns the index of the pour net: the requested net, or else GND. It returns
// board.NoNet if the netlist has no such net, which is an error for a requested net.
func (q *Request) groundNet(nl *board.Netlist, f *InvalidFields) int {
	want := "GND"
	if q.GroundNet != nil {
		want = *q.GroundNet
	}
	at := slices.IndexFunc(nl.Nets, func(n board.Net) bool { return n.Name == want })
	if at < 0 && q.GroundNet != nil {
		f.add("ground_net", 0, "%q is no net of this netlist", want)
	}
	if at < 0 {
		return board.NoNet
	}
	return at
}

// groundName matches a net that is a ground by its name.
var groundName = regexp.MustCompile(`(?i)gnd|ground|^v_?ss|^0v$`)

// groundWarnings returns a warning if the board has no pour because its grounds, such as AGND and
// DGND, are not called GND.
func (q *Request) groundWarnings(nl *board.Netlist, ground int) []string {
	if ground != board.NoNet || len(q.PourLayers) == 0 {
		return nil
	}
	var names []string
	for _, n := range nl.Nets {
		if groundName.MatchString(n.Name) && len(n.Pins) > 1 {
			names = append(names, fmt.Sprintf("%s (%d pins)", n.Name, len(n.Pins)))
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []string{"no ground pour: the netlist has no net GND; ground_net may name " +
		strings.Join(names, " or ")}
}

// initialPlacements returns the part placements of the request and adds invalid placements to f.
func (q *Request) initialPlacements(nl *board.Netlist, ground placementArea,
	f *InvalidFields) []place.InitialPlacement {
	var out []place.InitialPlacement
	seen := map[int]bool{}
	for i, p := range q.Placements {
		path := fmt.Sprintf("placements[%d]", i)
		c := refIndex(nl, p.Ref)
		switch {
		case c < 0:
			f.add(path+".ref", 0, "%q is no component of this netlist", p.Ref)
			continue
		case seen[c]:
			f.add(path+".ref", 0, "%q is placed more than once", p.Ref)
			continue
		}
		seen[c] = true
		w := place.InitialPlacement{Component: c, Placement: board.Placement{
			At: board.Point{X: board.MM(p.X), Y: board.MM(p.Y)}, Rotation: turn360(p.RotationDeg),
			Side: sideOf(p.Side), Fixed: p.Fixed,
		}}
		if p.Fixed && !ground.Contains(w.At) {
			f.add(path, 0, "%s at %g, %g mm is %s", p.Ref, p.X, p.Y, ground.off)
		}
		if p.Fixed && ground.given {
			q.markStacked(nl, w, ground.Polygon)
		}
		out = append(out, w)
	}
	for i, a := range out {
		for _, b := range out[:i] {
			if a.Fixed && b.Fixed && a.Side == b.Side && overlapping(nl, a, b) {
				f.add("placements", 0, "%s and %s are fixed where their courtyards overlap",
					nl.Components[b.Component].Ref, nl.Components[a.Component].Ref)
			}
		}
	}
	return out
}

// markStacked marks a fixed part as a board that is stacked on this one, with a warning. Its
// courtyard covers most of the board and it has many pads, all with holes, as an Arduino has on its
// shield. Transformers and battery holders have few.
func (q *Request) markStacked(nl *board.Netlist, w place.InitialPlacement, outline board.Polygon) {
	const (
		share = 0.85 // least share of the board within the courtyard
		pads  = 20   // least number of pads
	)
	c := &nl.Components[w.Component]
	covered := 0.0
	placed := board.Part{Component: *c, Placement: w.Placement}
	for _, courtyard := range board.CourtyardsOf(&placed) {
		covered += outline.ClippedArea(courtyard)
	}
	part := covered / math.Abs(outline.Area())
	if part < share || len(c.Footprint.Pads) < pads || slices.ContainsFunc(c.Footprint.Pads,
		func(p board.FootprintPad) bool { return p.Drill == 0 }) {
		return
	}
	f := *c.Footprint
	f.Stacked = true
	c.Footprint = &f
	nl.Warnings = append(nl.Warnings, fmt.Sprintf("%s covers %.0f %% of the board and is taken for "+
		"a board stacked on it: parts stand between its pads", c.Ref, 100*part))
}

// turn360 reduces an angle to the range [0, 360) degrees. Angles in that range are unchanged.
func turn360(deg float64) float64 {
	deg = math.Mod(deg, 360)
	if deg < 0 {
		deg += 360
	}
	if deg >= 360 { // an angle just below 0 is rounded to 360
		return 0
	}
	return deg
}

// overlapping reports whether the courtyards of two placements overlap.
func overlapping(nl *board.Netlist, a, b place.InitialPlacement) bool {
	courtyards := func(w place.InitialPlacement) []board.Polygon {
		return board.CourtyardsOf(&board.Part{Component: nl.Components[w.Component],
			Placement: w.Placement})
	}
	return slices.ContainsFunc(courtyards(a), func(g board.Polygon) bool {
		return slices.ContainsFunc(courtyards(b), func(o board.Polygon) bool {
			return geom.ConvexOverlap(g, o)
		})
	})
}
