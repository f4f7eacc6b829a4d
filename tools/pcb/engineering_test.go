package pcb

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"testing"

	"slipstick/tools/ipc"
)

// These constants limit the distances of the engineering check [mm].
const (
	decouplingReach = 5.0 // supply pin to its capacitor
	crystalReach    = 5.0 // crystal pad to its IC's pin
	viaReach        = 2.0 // capacitor's ground pad to its via onto the pour
	arrayReach      = 4.0 // vias of one array
	// This is the maximum distance from copper poured on two layers to a stitching via: λ/10 at 1
	// GHz in FR-4 (εr 4.3).
	stitchReach  = 15.0
	edgeReach    = 1.5  // courtyard of a connector to the edge
	pairMismatch = 3.81 // 150 mil: Intel, High Speed USB Platform Design Guidelines, section 3.4
)

// barrelPlating is the copper in a hole [mm], the average of IPC-6012 class 2.
const barrelPlating = 0.020

// engineer reviews a layout as an engineer does, from the result and the request alone, with
// separate geometry code.
type engineer struct {
	out      pcbLayoutOut
	current  map[string]float64 // A, by net
	oz, rise float64
	pads     map[string][]netPad // by net
	layers   []string
	points   map[string][2]int // reached and possible points by aspect
	findings []string
	// mating is the side of connectors that faces out of the board, as matingSides, by reference.
	mating map[string]float64
}

type netPad struct {
	ref string
	padOut
}

func newEngineer(body []byte, out pcbLayoutOut) (*engineer, error) {
	var q struct {
		Oz   float64 `json:"copper_oz"`
		Rise float64 `json:"temp_rise_c"`
		Nets []struct {
			Name    string  `json:"name"`
			Current float64 `json:"current_a"`
		} `json:"nets"`
	}
	if err := json.Unmarshal(body, &q); err != nil {
		return nil, err
	}
	e := &engineer{out: out, current: map[string]float64{}, oz: q.Oz, rise: q.Rise,
		pads: map[string][]netPad{}, points: map[string][2]int{}}
	if e.oz == 0 {
		e.oz = 1
	}
	if e.rise == 0 {
		e.rise = 10
	}
	for _, n := range q.Nets {
		if n.Current > 0 {
			e.current[n.Name] = n.Current
		}
	}
	for _, p := range out.Placements {
		for _, pad := range p.Pads {
			if pad.Net != nil {
				e.pads[*pad.Net] = append(e.pads[*pad.Net], netPad{p.Ref, pad})
			}
		}
	}
	e.layers = []string{"top", "bottom"}
	if out.Board.Layers == 4 {
		e.layers = []string{"top", "in1", "in2", "bottom"}
	}
	return e, nil
}

// point adds a possible point to an aspect. If ok is false, the point is lost, and point records
// the reason.
func (e *engineer) point(aspect string, ok bool, format string, args ...any) {
	p := e.points[aspect]
	p[1]++
	if ok {
		p[0]++
	} else {
		e.findings = append(e.findings, aspect+": "+fmt.Sprintf(format, args...))
	}
	e.points[aspect] = p
}

func (e *engineer) check() {
	e.widths()
	e.vias()
	e.powerPads()
	e.thermalVias()
	e.decoupling()
	e.regulatorCapacitors()
	e.crystals()
	e.differentialPairs()
	e.connectors()
	e.stitching()
	e.groundVias()
}

func distance(x1, y1, x2, y2 float64) float64 { return math.Hypot(x2-x1, y2-y1) }

// filled reports whether a point is in poured copper of a net on a layer, by ray casting.
func (e *engineer) filled(net, layer string, x, y float64) bool {
	in := false
	cross := func(g [][]float64) {
		for i, a := range g {
			b := g[(i+1)%len(g)]
			if (a[1] > y) != (b[1] > y) && x < a[0]+(y-a[1])*(b[0]-a[0])/(b[1]-a[1]) {
				in = !in
			}
		}
	}
	for _, z := range e.out.Zones {
		if z.Net != net || z.Layer != layer {
			continue
		}
		for _, p := range z.Polygons {
			cross(p.Outline)
			for _, h := range p.Holes {
				cross(h)
			}
		}
	}
	return in
}

func (e *engineer) poured(net string) []string {
	var out []string
	for _, l := range e.layers {
		for _, z := range e.out.Zones {
			if z.Net == net && z.Layer == l {
				out = append(out, l)
				break
			}
		}
	}
	return out
}

// fromPad returns the distance of a point from a pad's rectangle, 0 inside it.
func fromPad(p *padOut, x, y float64) float64 {
	sin, cos := math.Sincos(-p.Rotation * math.Pi / 180)
	dx, dy := x-p.X, y-p.Y
	u, v := dx*cos-dy*sin, dx*sin+dy*cos
	return math.Hypot(max(0, math.Abs(u)-p.Width/2), max(0, math.Abs(v)-p.Height/2))
}

func onLayer(p *padOut, layer string) bool {
	for _, l := range p.Layers {
		if l == layer {
			return true
		}
	}
	return false
}

// needed returns the width [mm] of a track for a current [A].
func (e *engineer) needed(current float64) float64 {
	return ipc.Area(ipc.External, e.rise, current) * ipc.Mil * ipc.Mil / (0.035 * e.oz)
}

// carried returns the current of a plated hole [A], from the copper of its barrel inside the board.
func (e *engineer) carried(drill float64) float64 {
	area := math.Pi * (drill + barrelPlating) * barrelPlating / (ipc.Mil * ipc.Mil)
	return ipc.Current(ipc.Internal, e.rise, area)
}

// widths verifies that tracks of a net with a declared current have the width of IPC-2221, except
// where they narrow near a pad.
func (e *engineer) widths() {
	for net, current := range e.current {
		worst := 0.0
		for _, t := range e.out.Tracks {
			if t.Net != net || t.Width >= min(e.needed(current), 5)-1e-3 {
				continue
			}
			near := math.Inf(1)
			for i := range e.pads[net] {
				p := &e.pads[net][i].padOut
				near = min(near, max(fromPad(p, t.X1, t.Y1), fromPad(p, t.X2, t.Y2)))
			}
			if near > 3.01 {
				worst = max(worst, e.needed(current)-t.Width)
			}
		}
		e.point("track width", worst == 0, "net %s: %.3g mm too narrow", net, worst)
	}
}

// carries reports whether a pad carries direct current, which pads of capacitors do not.
func (p *netPad) carries() bool { return !capacitorRef.MatchString(p.ref) }

// Reference designators of kinds of parts. Crystals named X or Q state a frequency or a crystal as
// value or footprint.
var (
	capacitorRef = regexp.MustCompile(`(?i)^C\d`)
	icRef        = regexp.MustCompile(`(?i)^(U|IC)\d`)
	crystalRef   = regexp.MustCompile(`(?i)^(Y|XTAL)\d`)
	otherCrystal = regexp.MustCompile(
		`(?i)^[XQ]\d+ .*(crystal|xtal|quartz|reson|HC-?49|\d ?[MK]HZ)`)

	semiconductorRef = regexp.MustCompile(`(?i)^(U|IC|Q|T|D|VR|REG)\d`)
)

// vias verifies the current of each array of vias whose removal would separate pads that carry
// current.
func (e *engineer) vias() {
	for net, current := range e.current {
		var vias []viaOut
		for _, v := range e.out.Vias {
			if v.Net == net {
				vias = append(vias, v)
			}
		}
		seen := make([]bool, len(vias))
		for i := range vias {
			if seen[i] {
				continue
			}
			array := map[int]bool{}
			var grow func(k int)
			grow = func(k int) {
				seen[k], array[k] = true, true
				for m := range vias {
					if !seen[m] && distance(vias[k].X, vias[k].Y, vias[m].X,
						vias[m].Y) < arrayReach {
						grow(m)
					}
				}
			}
			grow(i)
			carried := min(current, e.through(net, vias, array))
			if carried < 1e-9 {
				continue
			}
			sum := 0.0
			for k := range array {
				sum += e.carried(vias[k].Drill)
			}
			e.point("vias by current", sum >= carried*0.999,
				"net %s at %.2f, %.2f: %d vias carry %.2f of %.2f A",
				net, vias[i].X, vias[i].Y, len(array), sum, carried)
		}
	}
}

// through returns the current [A] that can flow through some vias between the pads of a net. It is
// the smaller of the sums of the pad currents on either side. The current of a pad is the capacity
// of a track as wide as its shorter side.
func (e *engineer) through(net string, vias []viaOut, without map[int]bool) float64 {
	type spot struct {
		x, y  float64
		layer string
	}
	var spots []spot
	var parent []int
	var find func(int) int
	find = func(i int) int {
		if parent[i] != i {
			parent[i] = find(parent[i])
		}
		return parent[i]
	}
	add := func(x, y float64, layer string) int {
		spots, parent = append(spots, spot{x, y, layer}), append(parent, len(parent))
		return len(parent) - 1
	}
	union := func(a, b int) { parent[find(a)] = find(b) }
	ends := map[int]float64{} // radii of track ends and vias by index in spots
	join := func(ids []int) {
		for _, id := range ids[1:] {
			union(ids[0], id)
		}
	}
	var padSpots [][]int
	for i := range e.pads[net] {
		p := &e.pads[net][i]
		var ids []int
		for _, l := range p.Layers {
			id := add(p.X, p.Y, l)
			ids = append(ids, id)
		}
		join(ids)
		padSpots = append(padSpots, ids)
	}
	for i, v := range vias {
		if without[i] {
			continue
		}
		var ids []int
		for _, l := range e.layers {
			id := add(v.X, v.Y, l)
			ends[id] = v.Diameter / 2
			ids = append(ids, id)
		}
		join(ids)
	}
	for _, t := range e.out.Tracks {
		if t.Net != net {
			continue
		}
		a, b := add(t.X1, t.Y1, t.Layer), add(t.X2, t.Y2, t.Layer)
		union(a, b)
		ends[a], ends[b] = t.Width/2, t.Width/2
		for k, s := range spots { // connects the vias and track ends that lie on the track
			if s.layer == t.Layer && toSegmentMM(s.x, s.y, t) < t.Width/2+ends[k]-1e-6 {
				union(a, k)
			}
		}
		for i, ids := range padSpots {
			p := &e.pads[net][i].padOut
			if onLayer(p, t.Layer) && min(fromPad(p, t.X1, t.Y1),
				fromPad(p, t.X2, t.Y2)) < t.Width/2 {
				union(a, ids[0])
			}
		}
	}
	for k, s := range spots {
		for i, ids := range padSpots {
			if p := &e.pads[net][i].padOut; onLayer(p, s.layer) && fromPad(p, s.x, s.y) == 0 {
				union(k, ids[0])
			}
		}
		for m := range k {
			if o := spots[m]; o.layer == s.layer && distance(s.x, s.y, o.x,
				o.y) < ends[k]+ends[m]-1e-6 {
				union(k, m)
			}
		}
	}
	for _, z := range e.out.Zones { // a polygon of a zone connects everything on it
		if z.Net != net {
			continue
		}
		for _, piece := range z.Polygons {
			one := engineer{
				out: pcbLayoutOut{Zones: []zoneOut{{net, z.Layer, []polygonOut{piece}}}}}
			first := -1
			for k, s := range spots {
				touches := s.layer == z.Layer && one.filled(net, z.Layer, s.x, s.y)
				if !touches {
					continue
				}
				if first >= 0 {
					union(first, k)
				}
				first = k
			}
		}
	}
	all := 0.0
	sides := map[int]float64{}
	for i, ids := range padSpots {
		p := &e.pads[net][i]
		if p.carries() {
			area := min(p.Width, p.Height) * 0.035 * e.oz / (ipc.Mil * ipc.Mil)
			current := ipc.Current(ipc.External, e.rise, area)
			all += current
			sides[find(ids[0])] += current
		}
	}
	most := 0.0
	for _, side := range sides {
		most = max(most, min(side, all-side))
	}
	return most
}

func toSegmentMM(x, y float64, t trackOut) float64 {
	dx, dy := t.X2-t.X1, t.Y2-t.Y1
	k := 0.0
	if l := dx*dx + dy*dy; l > 0 {
		k = max(0, min(1, ((x-t.X1)*dx+(y-t.Y1)*dy)/l))
	}
	return distance(x, y, t.X1+k*dx, t.Y1+k*dy)
}

// powerPads verifies large pads of poured nets with a declared current. The pour, tracks or vias
// must connect each with a width that carries the current. The width is measured 0.1 mm outside the
// pad's border.
func (e *engineer) powerPads() {
	for net, current := range e.current {
		need := e.needed(current)
		if len(e.poured(net)) == 0 {
			continue
		}
		for i := range e.pads[net] {
			p := &e.pads[net][i]
			if !p.carries() || min(p.Width, p.Height) < need {
				continue
			}
			const step = 0.02
			width := 0.0
			sin, cos := math.Sincos(p.Rotation * math.Pi / 180)
			w, h := p.Width/2+0.1, p.Height/2+0.1
			at := func(u, v float64) {
				x, y := p.X+u*cos-v*sin, p.Y+u*sin+v*cos
				for _, l := range p.Layers {
					in := e.filled(net, l, x, y)
					for k := range e.out.Tracks {
						t := &e.out.Tracks[k]
						in = in || t.Net == net && t.Layer == l && toSegmentMM(x, y, *t) < t.Width/2
					}
					if in {
						width += step
					}
				}
			}
			for u := -w; u < w; u += step {
				at(u, h)
				at(u, -h)
			}
			for v := -h; v < h; v += step {
				at(w, v)
				at(-w, v)
			}
			through := 0.0
			for _, v := range e.out.Vias {
				if v.Net == net && fromPad(&p.padOut, v.X, v.Y) == 0 {
					through += e.carried(v.Drill)
				}
			}
			e.point("power pads", width >= need-2*step || through >= current,
				"%s.%s of net %s: %.2f mm of copper for %.2f mm", p.ref, p.Pad, net, width, need)
		}
	}
}

// thermalVias verifies the vias of large surface pads below the body or the tab of a power package.
// It applies to pads whose net is poured on another layer. One via per 2 mm² is required, at least
// four and at most sixteen.
func (e *engineer) thermalVias() {
	for _, p := range e.out.Placements {
		if len(p.Pads) < 3 || !semiconductorRef.MatchString(p.Ref) {
			continue
		}
		areas := 0.0
		for _, pad := range p.Pads {
			areas += pad.Width * pad.Height
		}
		for _, pad := range p.Pads {
			area := pad.Width * pad.Height
			others := (areas - area) / float64(len(p.Pads)-1)
			if pad.Net == nil || pad.Drill != nil || area < 3 || area < 3*others {
				continue
			}
			far := 0
			for _, l := range e.poured(*pad.Net) {
				if !onLayer(&pad, l) {
					far++
				}
			}
			if far == 0 {
				continue
			}
			n := 0
			for _, v := range e.out.Vias {
				if v.Net == *pad.Net && fromPad(&pad, v.X, v.Y) < 0.5 {
					n++
				}
			}
			want := max(4, int(area/2))
			e.point("thermal vias", n >= min(want, 16), "%s.%s of %.1f mm² has %d vias", p.Ref,
				pad.Pad, area, n)
		}
	}
}

// stitching verifies that copper poured for one net on two layers has a stitching via nearby.
func (e *engineer) stitching() {
	for net := range e.pads {
		layers := e.poured(net)
		if len(layers) < 2 {
			continue
		}
		var stitches [][2]float64
		for _, v := range e.out.Vias {
			if v.Net == net {
				stitches = append(stitches, [2]float64{v.X, v.Y})
			}
		}
		for _, p := range e.pads[net] {
			if p.Plated {
				stitches = append(stitches, [2]float64{p.X, p.Y})
			}
		}
		n, reached := 0, 0
		for x := 1.0; x < e.out.Board.Width; x += 2 {
			for y := 1.0; y < e.out.Board.Height; y += 2 {
				if !e.filled(net, layers[0], x, y) || !e.filled(net, layers[len(layers)-1], x, y) {
					continue
				}
				n++
				for _, s := range stitches {
					if distance(x, y, s[0], s[1]) <= stitchReach {
						reached++
						break
					}
				}
			}
		}
		e.point("stitching", reached*100 >= n*95,
			"net %s: %d of %d places are within %g mm of a stitch", net, reached, n, stitchReach)
	}
}

// groundVias verifies that every via of a poured net lies in its pour on at least one layer.
func (e *engineer) groundVias() {
	for net := range e.pads {
		layers := e.poured(net)
		if len(layers) == 0 {
			continue
		}
		outside := 0
		for _, v := range e.out.Vias {
			in := v.Net != net
			for _, l := range layers {
				in = in || e.filled(net, l, v.X, v.Y)
			}
			if !in {
				outside++
			}
		}
		e.point("vias in pour", outside == 0, "net %s: %d vias outside of the pour", net, outside)
	}
}

// TestEngineering reviews the examples, and boards with high currents, thermal pads, a crystal and
// a pair, as an engineer does. At least 95 % of all points must be reached.
func TestEngineering(t *testing.T) {
	boards, err := examples()
	if err != nil {
		t.Fatal(err)
	}
	more, err := boardsIn("testdata/engineering")
	if err != nil || len(more) < 4 {
		t.Fatalf("%d boards, %v", len(more), err)
	}
	reached, possible := 0, 0
	aspects := map[string][2]int{}
	for _, x := range append(slices.Clone(boards), more...) {
		t.Run(x.name, func(t *testing.T) {
			out, err := x.out()
			if err != nil {
				t.Fatal(err)
			}
			if out.Status != "complete" || !out.DRC.Passed {
				t.Errorf("%s, unrouted %v, violations %v", out.Status, out.Unrouted,
					out.DRC.Violations)
			}
			e, err := newEngineer(x.body, out)
			if err != nil {
				t.Fatal(err)
			}
			e.check()
			for aspect, p := range e.points {
				sum := aspects[aspect]
				aspects[aspect] = [2]int{sum[0] + p[0], sum[1] + p[1]}
				reached, possible = reached+p[0], possible+p[1]
			}
			for _, f := range append(e.findings, out.Warnings.Warnings...) {
				t.Log(f)
			}
		})
	}
	for aspect, p := range aspects {
		t.Logf("%-16s %3d of %3d", aspect, p[0], p[1])
	}
	t.Logf("%d of %d points", reached, possible)
	if reached*100 < possible*95 {
		t.Errorf("%d of %d points, below 95 %%", reached, possible)
	}
}
