package fabrication

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"slipstick/autorouter/board"
)

// Limits holds the minimum distances to verify [nm].
type Limits struct {
	Clearance     int64 // distance between nets, except between pads of one part
	EdgeClearance int64 // distance from copper to the profile
	HoleClearance int64 // distance from hole wall to copper of another net
	HoleToHole    int64
	Ring          int64 // annular ring of a plated hole, on every copper layer
	// Ties lists the pads of net ties that touch on purpose.
	Ties []Tie
}

// Tie is a pair of touching pads of a net tie. Their nets remain separate.
type Tie struct {
	Ref  string    // reference designator of the part
	Pads [2]string // pad numbers
}

// Finding is a defect of a board that Verify reports.
type Finding struct {
	// Kind is one of open, short, label, clearance, edge, hole, ring, point, mask, floating, via.
	Kind    string
	Net     string // net of an open connection
	Message string
	At      board.Point
}

// Report holds the findings and measurements of Verify.
type Report struct {
	Findings []Finding // sorted by kind, then by x
	Nets     int
	// MinClearance is the smallest distance between two nets [nm], except between pads of one part.
	// It is +Inf if it exceeds both 1 mm and Limits.Clearance.
	MinClearance float64
}

// Verify checks the board that the files describe. It returns an error if the content of a file
// cannot be checked.
func (b *Board) Verify(l Limits) (*Report, error) {
	c, err := b.extractNets(max(1*millimetre, float64(l.Clearance)), l.Ties)
	if err != nil {
		return nil, err
	}
	p := &verifier{b: b, copper: c, limits: l, Report: &Report{MinClearance: math.Inf(1)}}
	for l, m := range b.Mask {
		for i := range m.Objects {
			s, err := m.shapes(&m.Objects[i])
			if err != nil {
				return nil, err
			}
			p.mask[l] = append(p.mask[l], s...)
		}
	}
	p.testPoints()
	p.nets()
	p.clearances()
	p.edges()
	p.holes()
	p.vias()
	sort.SliceStable(p.Findings, func(i, j int) bool {
		a, b := &p.Findings[i], &p.Findings[j]
		if a.Kind != b.Kind {
			return a.Kind < b.Kind
		}
		if a.At.X != b.At.X {
			return a.At.X < b.At.X
		}
		return a.Message < b.Message
	})
	return p.Report, nil
}

type verifier struct {
	*Report
	b      *Board
	copper *copper
	mask   [2][]shape // mask openings by side
	limits Limits
}

func (p *verifier) find(kind string, at board.Point, format string, args ...any) {
	p.Findings = append(p.Findings, Finding{Kind: kind, Message: fmt.Sprintf(format, args...),
		At: at})
}

// unconnected is the net name of unconnected copper in Gerber and IPC-D-356A files.
const unconnected = "N/C"

// ipc356Rounding is the rounding error of coordinates in an IPC-D-356A file [nm], because the file
// states whole micrometres.
const ipc356Rounding = 1000.0

func (t TestPoint) name() string { return t.Ref + "." + t.Pin }

// testPoints compares the test points with the copper. Each test point needs copper at its position
// and, unless the solder mask covers it, a mask opening. Its plated hole, if any, must exist.
func (p *verifier) testPoints() {
	for _, t := range p.b.Points {
		at := vecOf(t.At)
		for side, on := range []bool{t.Top, t.Bot} {
			if !on {
				continue
			}
			l := side * (len(p.b.Copper) - 1)
			piece := p.pieceAt(at, l)
			if piece < 0 {
				p.find("point", t.At, "%s of net %s meets no copper on the %s", t.name(), t.Net,
					p.b.layerName(l))
				continue
			}
			root := &p.copper.pieces[p.copper.find(piece)]
			if root.namesKnown == nil {
				root.namesKnown = map[string]string{}
			}
			net := t.Net
			if net == unconnected { // each unconnected pin is a separate net
				net += " " + t.name()
			}
			root.namesKnown[net] = t.name()
			if !t.Masked && !p.unmasked(at, side) {
				p.find("mask", t.At, "%s of net %s is under the mask on the %s", t.name(), t.Net,
					p.b.layerName(l))
			}
		}
		if t.Drill > 0 && !slices.ContainsFunc(p.b.Plated, func(h Drilled) bool {
			s := h.shape()
			return math.Abs(float64(h.Diameter-t.Drill)) <= ipc356Rounding && s.to(at) == 0
		}) {
			p.find("hole", t.At, "%s of net %s has no plated hole of %g mm", t.name(), t.Net,
				board.ToMM(t.Drill))
		}
	}
}

// pieceAt returns the index of the piece at a position on a layer, or -1 if there is none.
func (p *verifier) pieceAt(at vec, layer int) int {
	for i := range p.copper.pieces {
		c := &p.copper.pieces[i]
		if !c.on.Has(board.Layer(layer)) || c.barrel {
			continue
		}
		for k := range c.shapes {
			s := &c.shapes[k]
			near := s.box.grown(ipc356Rounding)
			if near.intersects(box{at.x, at.y, at.x, at.y}) && s.to(at) <= ipc356Rounding {
				return i
			}
		}
	}
	return -1
}

// unmasked reports whether the solder mask has an opening at a position on a side (0 for the top).
func (p *verifier) unmasked(at vec, side int) bool {
	return slices.ContainsFunc(p.mask[side], func(s shape) bool {
		return s.box.intersects(box{at.x, at.y, at.x, at.y}) && s.to(at) == 0
	})
}

// nets compares the connected copper with the nets of the test points, and the net labels of the
// copper with these nets.
func (p *verifier) nets() {
	conductors := map[string][]int{}
	for i := range p.copper.pieces {
		c := &p.copper.pieces[i]
		if p.copper.find(i) != i {
			continue
		}
		var names []string
		for n := range c.namesKnown {
			conductors[n] = append(conductors[n], i)
			names = append(names, n)
		}
		sort.Strings(names)
		if len(names) > 1 {
			p.find("short", c.at, "%d nets are one piece of copper: %s at %s and %s at %s",
				len(names), names[0], c.namesKnown[names[0]], names[1], c.namesKnown[names[1]])
		}
		if len(names) == 0 {
			p.find("floating", c.at, "copper labelled %q has no test point", c.net)
		}
	}
	p.Nets = len(conductors)
	for n, roots := range conductors {
		if len(roots) > 1 {
			first, second := &p.copper.pieces[roots[0]], &p.copper.pieces[roots[1]]
			p.find("open", second.at, "net %s is in %d pieces: %s and %s are not joined", n,
				len(roots), first.namesKnown[n], second.namesKnown[n])
			p.Findings[len(p.Findings)-1].Net = n
		}
	}
	for i := range p.copper.pieces {
		c := &p.copper.pieces[i]
		if c.barrel {
			continue
		}
		known := p.copper.pieces[p.copper.find(i)].namesKnown
		label := unescaped(c.net)
		matches := false
		for n := range known {
			matches = matches || n == label || label == unconnected && len(n) > len(unconnected) &&
				n[:len(unconnected)+1] == unconnected+" "
		}
		if len(known) > 0 && !matches {
			p.find("label", c.at, "copper labelled %q belongs to another net", c.net)
		}
	}
}

// clearances checks the gaps between conductors of different nets.
func (p *verifier) clearances() {
	for _, g := range p.copper.gaps {
		a, b := &p.copper.pieces[g.a], &p.copper.pieces[g.b]
		if a.barrel || b.barrel {
			if g.gap < float64(p.limits.HoleClearance)-touching {
				p.find("hole", a.at,
					"the wall of a plated hole is %.6f mm from copper of another net",
					g.gap/millimetre)
			}
			continue
		}
		if a.pad && b.pad && a.part == b.part {
			continue
		}
		p.MinClearance = min(p.MinClearance, g.gap)
		if g.gap < float64(p.limits.Clearance)-touching {
			p.find("clearance", a.at, "nets %s and %s are %.6f mm apart", a.net, b.net,
				g.gap/millimetre)
		}
	}
}

// edges checks that the profile is closed, and that all copper is inside it with the required edge
// clearance.
func (p *verifier) edges() {
	lines := p.b.Profile.Objects
	var outline []vec
	for i := range lines {
		if next := lines[(i+1)%len(lines)]; lines[i].Kind != Line || lines[i].To != next.From {
			p.find("edge", lines[i].To, "the profile is open")
		}
		outline = append(outline, vecOf(lines[i].From))
	}
	if len(outline) < 3 {
		p.find("edge", board.Point{}, "there is no profile")
		return
	}
	area := newShape(0, outline...)
	for i := range p.copper.pieces {
		c := &p.copper.pieces[i]
		for k := range c.shapes {
			s := &c.shapes[k]
			gap := math.Inf(1)
			for _, corner := range s.points {
				if !area.inside(corner) {
					gap = 0
				}
			}
			area.sides(func(a, b vec) {
				edge := newShape(0, a, b)
				if edge.box.grown(float64(p.limits.EdgeClearance)).intersects(s.box) {
					s.sides(func(c, d vec) { gap = min(gap, max(0, between(a, b, c, d)-s.radius)) })
				}
			})
			if gap < float64(p.limits.EdgeClearance)-touching && !c.barrel {
				p.find("edge", c.at, "copper of net %s is %.6f mm from the edge", c.net,
					gap/millimetre)
				break
			}
		}
	}
}

// holes checks the annular rings of plated holes, the clearance of unplated holes to copper, and
// the distances between holes.
func (p *verifier) holes() {
	all := append(slices.Clone(p.b.Plated), p.b.NonPlated...)
	for i := range all {
		s := all[i].shape()
		for k := range i {
			if o := all[k].shape(); s.gap(&o) < float64(p.limits.HoleToHole)-touching {
				p.find("hole", all[i].A, "two holes are %.6f mm apart", s.gap(&o)/millimetre)
			}
		}
	}
	for _, h := range p.b.NonPlated {
		s := h.shape()
		for i := range p.copper.pieces {
			c := &p.copper.pieces[i]
			for k := range c.shapes {
				if o := &c.shapes[k]; !c.barrel &&
					o.box.grown(float64(p.limits.HoleClearance)).intersects(s.box) {
					if gap := s.gap(o); gap < float64(p.limits.HoleClearance)-touching {
						p.find("hole", h.A,
							"a hole without plating is %.6f mm from copper of net %s",
							gap/millimetre, c.net)
					}
				}
			}
		}
	}
	for _, h := range p.b.Plated {
		for l := range p.b.Copper {
			if at, ok := p.ring(h, l); !ok {
				p.find("ring", h.A, "a plated hole has no ring of %g mm on the %s at %.3f, %.3f mm",
					board.ToMM(p.limits.Ring), p.b.layerName(l), at.x/millimetre, at.y/millimetre)
			}
		}
	}
}

// ring samples the circle or stadium that the annular ring of a hole must cover. It returns a
// sample without copper and false, or true if copper covers all samples.
func (p *verifier) ring(h Drilled, layer int) (vec, bool) {
	a, b := vecOf(h.A), vecOf(h.B)
	axis := b.sub(a)
	turn := math.Atan2(axis.y, axis.x) * 180 / math.Pi
	r := float64(h.Diameter)/2 + float64(p.limits.Ring) - touching
	for end, centre := range []vec{a, b} {
		for i := range 13 {
			// Sample a semicircle around each end.
			at := centre.add(vec{r, 0}.turned(turn + 90 + 180*float64(end) + 15*float64(i)))
			if p.pieceAt(at, layer) < 0 {
				return at, false
			}
		}
	}
	return vec{}, true
}

// vias checks that each via touches other copper on at least two layers.
func (p *verifier) vias() {
	joins := map[board.Point]int{}
	for i := range p.copper.pieces {
		if c := &p.copper.pieces[i]; c.via && c.connected {
			joins[c.at]++
		}
	}
	for i := range p.copper.pieces {
		if c := &p.copper.pieces[i]; c.via && !c.connected && joins[c.at] < 2 {
			for l := range c.on.All() {
				p.find("via", c.at, "a via of net %s is not connected on the %s", c.net,
					p.b.layerName(int(l)))
			}
		}
	}
}
