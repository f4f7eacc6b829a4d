package place

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"slipstick/autorouter/board"
	"slipstick/autorouter/budget"
)

// Effort is an iteration budget.
type Effort uint8

// The efforts of the contract.
const (
	Normal Effort = iota
	Fast
	High
)

// Wanted is a placement from the request; Fixed ones are kept, others are where the part starts.
type Wanted struct {
	Component int // index into the netlist's components
	board.Placement
}

// Options of a placement.
type Options struct {
	Name        string
	Outline     board.Polygon // empty: a rectangle is made to fit
	Utilization float64       // courtyard area over board area of an automatic outline, 0 for 0.45
	Rules       board.Rules
	Wanted      []Wanted
	Holes       []board.Hole
	Keepouts    []board.Keepout
	AllowBottom bool // surface parts of two pads may go to the bottom
	Seed        uint64
	Effort      Effort
	Progress    func(done float64) // called from the placing goroutine, 0 to 1
	Meter       *budget.Meter      // adds up the work; nil for none
	Work        time.Duration      // that the annealing may take on a typical core: it makes fewer moves; 0 for any
	Stop        func() bool        // reports that the time is up: the placement found is the result; nil for never
}

// Report tells how the placement went.
type Report struct {
	Unplaced []int // components that found no lawful place and overlap or leave the board
	Inland   []int // components that belong to an edge and found no room there
	HPWL     int64 // half perimeters of the nets' pins, summed [nm]
	Moves    int   // tried by the annealing
}

// ErrNoParts is returned for a netlist without components.
var ErrNoParts = errors.New("place: the netlist has no components")

const (
	snapGrid = 100 * board.Micrometre // pads come to lie on the router's grid
	aspect   = 1.3                    // width over height of an automatic outline
)

// Largest is the longest side of an automatic outline, that of the largest board that can be asked for.
const Largest = 400 * board.Millimetre

// Place puts every component of the netlist on a board.
func Place(ctx context.Context, nl *board.Netlist, opt Options) (*board.Board, Report, error) {
	if len(nl.Components) == 0 {
		return nil, Report{}, ErrNoParts
	}
	if opt.Utilization <= 0 {
		opt.Utilization = 0.45
	}
	p := &placer{ctx: ctx, nl: nl, opt: opt, rng: rand.New(rand.NewPCG(opt.Seed, 0x51e9571c))}
	p.begun = opt.Meter.Spent()
	p.prepare()
	auto := len(opt.Outline) == 0
	w, h := p.autoSize()
	for try := 0; ; try++ {
		p.outline = opt.Outline
		if auto {
			p.outline = rectangle(w, h)
		}
		p.edgeTests()
		if p.construct() || !auto || try == 40 || w == Largest && h == Largest || p.timeUp() {
			break
		}
		if h == Largest || w < Largest && w*10 <= h*int64(10*aspect) {
			w += board.Millimetre
		} else {
			h += board.Millimetre
		}
	}
	p.anneal()
	if err := ctx.Err(); err != nil {
		return nil, Report{}, err
	}
	return p.board(), p.report(), nil
}

// timeUp reports whether the placement has to end: the time is up or the context ended.
func (p *placer) timeUp() bool {
	return p.ctx.Err() != nil || p.opt.Stop != nil && p.opt.Stop()
}

func rectangle(w, h int64) board.Polygon {
	return board.Polygon{{}, {X: w}, {X: w, Y: h}, {Y: h}}
}

// pin is a pad of a part relative to its origin, on a net.
type pin struct {
	net int
	at  board.Point
}

// variant is a part in one of its attitudes: rotation by quarters, and side.
type variant struct {
	rotation float64
	side     board.Layer
	court    board.Rect // courtyard
	bound    board.Rect // what must be on the board: courtyard, and pads with the edge clearance
	pins     []pin
	anchor   board.Point // x of the pad narrowest in x, y of the pad narrowest in y
	mouth    board.Edge  // side of the board this attitude's mouth looks at
}

type part struct {
	variants []variant
	at       board.Point
	v        int
	fixed    bool
	placed   bool
	unlawful bool
	hint     *board.Point
	edge     board.Edge
	halo     int64 // free room wanted around the courtyard for tracks
	through  bool
	area     float64
	nets     []int
	mate     int     // the part this one serves, -1 for none
	on       [][]int // pins on each of the nets
}

func (p *part) cur() *variant { return &p.variants[p.v] }

type net struct {
	weight float64
	parts  []int // parts with pins on it, each once
	pins   [][2]int
}

type placer struct {
	ctx     context.Context
	nl      *board.Netlist
	opt     Options
	rng     *rand.Rand
	parts   []part
	nets    []net
	netOf   []map[string]int
	outline board.Polygon
	box     board.Rect
	begun   time.Duration // work done before
	pace    float64       // share of the moves that there is work for
	plain   bool          // the outline is its own bounding box
	halo    float64       // room that parts must have around their courtyards
	ample   float64       // and the room that they want
	yards   []yard        // of the parts, as they stand
	inner   []bool        // squares of the bins that are on the board as a whole
	bins    bins          // the yards by place
	extents []extent      // of the nets, as the parts stand
	before  []measured
	counted []uint32 // the parts whose yard has been looked at, by stamp
	stamp   uint32
	spread  *spread // nil on a board without much room
	changes []change
	moves   int
}

func (p *placer) prepare() {
	comps := p.nl.Components
	p.netOf = make([]map[string]int, len(comps))
	for i := range comps {
		p.netOf[i] = map[string]int{}
	}
	for n, net := range p.nl.Nets {
		for _, r := range net.Pins {
			p.netOf[r.Component][r.Pad] = n
		}
	}
	p.nets = make([]net, len(p.nl.Nets))
	p.parts, p.counted = make([]part, len(comps)), make([]uint32, len(comps))
	for i := range comps {
		p.preparePart(i)
	}
	for _, w := range p.opt.Wanted {
		p.wanted(w)
	}
	for n := range p.nets {
		p.nets[n].weight = 1
		if n == p.opt.Rules.GroundNet && len(p.opt.Rules.PourLayers) > 0 {
			p.nets[n].weight = 0.02
		} else if len(p.nets[n].pins) > 8 {
			p.nets[n].weight = 0.6
		}
	}
	for i := range p.parts {
		for k, q := range p.parts[i].variants[0].pins {
			if q.net != board.NoNet {
				p.addPin(q.net, i, k)
			}
		}
	}
	p.bindMates()
}

func (p *placer) addPin(n, part, k int) {
	t := &p.nets[n]
	t.pins = append(t.pins, [2]int{part, k})
	q := &p.parts[part]
	at := slices.Index(q.nets, n)
	if at < 0 {
		at = len(q.nets)
		t.parts = append(t.parts, part)
		q.nets, q.on = append(q.nets, n), append(q.on, nil)
	}
	q.on[at] = append(q.on[at], k)
}

func (p *placer) preparePart(i int) {
	c := p.nl.Components[i]
	q := &p.parts[i]
	pads := 0
	for _, f := range c.Footprint.Pads {
		q.through = q.through || f.Drill > 0 || f.SlotW > 0
		pads++
	}
	q.edge = c.Edge
	sides := 1
	if p.opt.AllowBottom && EitherSide(&c) {
		sides = 2
	}
	for s := range sides {
		for quarter := range 4 {
			q.variants = append(q.variants, p.variant(c, i, board.Placement{Rotation: float64(90 * quarter), Side: board.Layer(s)}))
		}
	}
	r := c.Footprint.Courtyard
	q.area = float64(r.Width()) * float64(r.Height())
	switch {
	case pads <= 2:
		q.halo = board.MM(0.22)
	case pads <= 8:
		q.halo = board.MM(0.45)
	default:
		q.halo = board.MM(0.45 + min(0.02*float64(pads), 1.0))
	}
}

func (p *placer) variant(c board.Component, i int, at board.Placement) variant {
	placed := board.Place(c, at, func(pad string) int {
		if n, ok := p.netOf[i][pad]; ok {
			return n
		}
		return board.NoNet
	})
	v := variant{rotation: at.Rotation, side: at.Side, court: board.CourtyardOf(&placed).Bounds()}
	v.bound = v.court
	thinX, thinY := int64(math.MaxInt64), int64(math.MaxInt64)
	for _, pad := range placed.Pads {
		v.pins = append(v.pins, pin{pad.Net, pad.At})
		reach := int64(math.Ceil(math.Hypot(float64(pad.Width), float64(pad.Height)) / 2))
		x, y := pad.Width/2, pad.Height/2
		switch math.Mod(pad.Rotation, 180) {
		case 0:
		case 90:
			x, y = y, x
		default:
			x, y = reach, reach
		}
		if x < thinX {
			thinX, v.anchor.X = x, pad.At.X
		}
		if y < thinY {
			thinY, v.anchor.Y = y, pad.At.Y
		}
		r := board.Rect{Min: pad.At.Sub(board.Point{X: x, Y: y}), Max: pad.At.Add(board.Point{X: x, Y: y})}.Grown(p.opt.Rules.EdgeClearance)
		v.bound = union(v.bound, r)
	}
	if m := c.Footprint.Mouth; m != board.NoEdge {
		// Quarter turns counter-clockwise take right to top to left to bottom.
		ring := []board.Edge{board.RightEdge, board.TopEdge, board.LeftEdge, board.BottomEdge}
		for k, e := range ring {
			if e == m {
				v.mouth = ring[(k+int(at.Rotation)/90)%4]
			}
		}
	}
	return v
}

func union(a, b board.Rect) board.Rect {
	a.Min.X, a.Min.Y = min(a.Min.X, b.Min.X), min(a.Min.Y, b.Min.Y)
	a.Max.X, a.Max.Y = max(a.Max.X, b.Max.X), max(a.Max.Y, b.Max.Y)
	return a
}

func (p *placer) wanted(w Wanted) {
	q := &p.parts[w.Component]
	at := w.At
	if !w.Fixed {
		q.hint = &at
		for i := range q.variants {
			if q.variants[i].rotation == w.Rotation && q.variants[i].side == w.Side {
				q.v = i
			}
		}
		return
	}
	atOrigin := w.Placement
	atOrigin.At = board.Point{}
	v := p.variant(p.nl.Components[w.Component], w.Component, atOrigin)
	q.variants = []variant{v}
	q.v, q.at, q.fixed, q.placed, q.halo = 0, w.At, true, true, 0
}

// autoSize is the first automatic outline: whole millimetres, near the wanted utilisation, and
// large enough for the longest part and for everything that has a given place, within Largest.
func (p *placer) autoSize() (w, h int64) {
	total, long, short := 0.0, int64(0), int64(0)
	var need board.Point
	for i := range p.parts {
		q := &p.parts[i]
		total += q.area
		r := q.variants[0].bound
		long = max(long, r.Width(), r.Height())
		short = max(short, min(r.Width(), r.Height()))
		if q.fixed {
			need.X, need.Y = max(need.X, q.at.X+r.Max.X), max(need.Y, q.at.Y+r.Max.Y)
		}
	}
	for _, o := range p.opt.Holes {
		need.X, need.Y = max(need.X, o.At.X+o.Diameter/2+o.Keepout), max(need.Y, o.At.Y+o.Diameter/2+o.Keepout)
		d := float64(o.Diameter + 2*o.Keepout)
		total += d * d * 0.6
	}
	for _, k := range p.opt.Keepouts {
		need.X, need.Y = max(need.X, k.Area.Max.X), max(need.Y, k.Area.Max.Y)
		if k.Components {
			total += float64(k.Area.Width()) * float64(k.Area.Height()) * 0.6
		}
	}
	area := total / p.opt.Utilization
	up := func(v float64) int64 { return int64(math.Ceil(v/1e6)) * board.Millimetre }
	w = min(max(up(math.Sqrt(area*aspect)), up(float64(long)), up(float64(need.X)), board.MM(5)), Largest)
	h = min(max(up(area/float64(w)), up(float64(short)), up(float64(need.Y)), board.MM(5)), Largest)
	for w*10 > h*16 {
		h += board.Millimetre
	}
	for h*10 > w*16 {
		w += board.Millimetre
	}
	return w, h
}

func (p *placer) board() *board.Board {
	b := &board.Board{Name: p.opt.Name, Outline: p.outline, Rules: p.opt.Rules, Nets: p.nl.Nets, Holes: p.opt.Holes, Keepouts: p.opt.Keepouts}
	for i, c := range p.nl.Components {
		q := &p.parts[i]
		at := board.Placement{At: q.at, Rotation: q.cur().rotation, Side: q.cur().side, Fixed: q.fixed}
		b.Parts = append(b.Parts, board.Place(c, at, func(pad string) int {
			if n, ok := p.netOf[i][pad]; ok {
				return n
			}
			return board.NoNet
		}))
	}
	return b
}

func (p *placer) report() Report {
	r := Report{Moves: p.moves}
	for i := range p.parts {
		if p.parts[i].unlawful {
			r.Unplaced = append(r.Unplaced, i)
		}
		if p.inland(i) {
			r.Inland = append(r.Inland, i)
		}
	}
	for n := range p.nl.Nets {
		r.HPWL += int64(p.halfPerimeter(n))
	}
	return r
}
