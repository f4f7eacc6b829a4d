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
	"slipstick/autorouter/geom"
)

// Effort selects the number of annealing moves.
type Effort uint8

// Effort levels of a request; Normal is the zero value.
const (
	Normal Effort = iota
	Fast
	High
)

// InitialPlacement is a placement from the request. Fixed parts keep it; other parts start from it.
type InitialPlacement struct {
	Component int // index into the netlist's components
	board.Placement
}

// Options configure a placement.
type Options struct {
	Name    string
	Outline board.Polygon // empty for an automatic rectangle
	// Utilization is the ratio of courtyard area to board area for an automatic outline; 0 selects
	// the default of 0.45.
	Utilization float64
	Stackup     board.Stackup // nil for board.TwoLayers
	Rules       board.Rules
	Placements  []InitialPlacement
	Holes       []board.Hole
	Keepouts    []board.Keepout
	AllowBottom bool // allows surface-mount parts with two pads on the bottom
	Seed        uint64
	Effort      Effort
	Progress    func(done float64) // callback for the progress from 0 to 1; may be nil
	Meter       *budget.Meter      // counts the work done; nil disables counting
	// Work limits the time of the annealing on a typical core by reducing the number of moves; 0
	// sets no limit.
	Work time.Duration
	// Stop reports whether the time is up. The current placement then becomes the result. A nil
	// function sets no limit.
	Stop func() bool
}

// Report describes a placement.
type Report struct {
	Unplaced []int // components without a legal position, which overlap or leave the board
	OffEdge  []int // edge components for which no position at their edge was found
	// OffCorner lists the mounting holes without a position of the request that are in no corner.
	OffCorner []int
	HPWL      int64 // total half-perimeter wirelength of all nets [nm]
	Moves     int   // number of moves tried by the annealing
	// OutlineTooSmall reports whether an automatic outline stopped growing before all parts had a
	// legal position. TimeLimited reports whether Options.Stop stopped it.
	OutlineTooSmall, TimeLimited bool
	// Congested reports whether the nets require a large share of the track area, so that routing
	// takes long and benefits from longer annealing.
	Congested bool
}

// ErrNoParts is returned for a netlist without components.
var ErrNoParts = errors.New("place: the netlist has no components")

const (
	binSize = 4 * board.Millimetre
	// snapGrid is the grid of pad positions [nm], equal to the router's grid pitch.
	snapGrid = 100 * board.Micrometre
	aspect   = 1.3 // width divided by height of an automatic outline
	// maxGrowths is the largest number of steps of 1 mm by which an automatic outline grows.
	maxGrowths = 40
)

// Largest is the longest side [nm] of an automatic outline, equal to the maximum board size.
const Largest = 400 * board.Millimetre

// Place places every component of the netlist on a board. It returns ErrNoParts or the context's
// error.
func Place(ctx context.Context, nl *board.Netlist, opt Options) (*board.Board, Report, error) {
	if len(nl.Components) == 0 {
		return nil, Report{}, ErrNoParts
	}
	if opt.Utilization <= 0 {
		opt.Utilization = 0.45
	}
	p := &placer{ctx: ctx, nl: nl, opt: opt, rng: rand.New(rand.NewPCG(opt.Seed, 0x51e9571c))}
	p.begun, p.copper = opt.Meter.Spent(), (&board.Board{Stackup: opt.Stackup}).Copper()
	p.prepare()
	auto := len(opt.Outline) == 0
	w, h, timeLimited := p.constructOutline()
	p.anneal()
	congested := p.isCongested()
	if congested && p.mayRepeat() {
		excess := p.demand() / wantedDemand
		if growth := math.Sqrt(min(maxGrowth, excess*excess)); auto && growth > 1 {
			p.outline = rectangle(grown(w, growth), grown(h, growth))
			p.prepareOutline()
			p.construct(false)
		}
		p.repeated = true
		p.anneal()
	}
	if err := ctx.Err(); err != nil {
		return nil, Report{}, err
	}
	report := p.report()
	report.Congested = congested
	report.OutlineTooSmall = auto && slices.ContainsFunc(p.parts, func(q part) bool {
		return q.illegal && !q.fixed
	})
	report.TimeLimited = report.OutlineTooSmall && timeLimited
	return p.board(), report, nil
}

// constructOutline makes the first placement on the outline of the options, or on an automatic one
// that grows until the parts fit. It returns the size of the automatic outline [nm], and whether
// its growth ended for lack of time.
func (p *placer) constructOutline() (w, h int64, timeLimited bool) {
	auto := len(p.opt.Outline) == 0
	w, h = p.autoSize()
	for try := 0; ; try++ {
		p.outline = p.opt.Outline
		if auto {
			p.outline = rectangle(w, h)
		}
		p.prepareOutline()
		growable := auto && try < maxGrowths && (w < Largest || h < Largest)
		mayGrow := growable && !p.timeUp()
		if p.construct(mayGrow) {
			return w, h, false
		}
		if !mayGrow {
			return w, h, growable
		}
		if h == Largest || w < Largest && w*10 <= h*int64(10*aspect) {
			w += board.Millimetre
		} else {
			h += board.Millimetre
		}
	}
}

// timeUp reports whether the placement must stop because of its context or Options.Stop.
func (p *placer) timeUp() bool {
	return p.ctx.Err() != nil || p.opt.Stop != nil && p.opt.Stop()
}

// grown returns a side of an automatic outline [nm] multiplied by a factor, in whole millimetres
// and at most Largest.
func grown(side int64, factor float64) int64 {
	return min(board.MM(math.Ceil(float64(side)*factor/1e6)), Largest)
}

func rectangle(w, h int64) board.Polygon {
	return board.Polygon{{}, {X: w}, {X: w, Y: h}, {Y: h}}
}

// pin is a pad that is on a net, at its position relative to the part's origin.
type pin struct {
	net int
	at  board.Point
}

// orientation is the geometry of a part at one multiple of 90 degrees and on one side.
type orientation struct {
	rotation  float64
	side      board.Side
	courtyard board.Rect // bounding box of the courtyard relative to the part's origin
	// boxes are the rectangles of a courtyard that is no rectangle, and the footprint's keepouts
	// that admit no pads of other parts. It is nil for a rectangular courtyard without them.
	boxes  []occupied
	bounds board.Rect // bounding box of courtyard and boxes
	// isolatedBoxes has boxes and also the isolation around pads, if there is any. isolatedBounds
	// is its bounding box.
	isolatedBoxes  []occupied
	isolatedBounds board.Rect

	// extent is the area that must be on the board: the courtyard, and the pads and cut-outs with
	// the edge clearance.
	extent     board.Rect
	pins       []pin
	anchor     board.Point // x of the pad narrowest in x, and y of the pad narrowest in y
	matingSide board.Edge  // board edge that the mating side faces
}

type part struct {
	orientations []orientation
	at           board.Point
	orientation  int
	fixed        bool
	corner       bool // mounting hole that stays in a corner of the board
	placed       bool
	illegal      bool
	initial      *board.Point
	edge         board.Edge
	halo         int64 // free margin around the courtyard for tracks [nm]
	bothSides    bool  // whether the part needs space on both sides of the board
	area         float64
	nets         []int
	associated   int     // index of the part that this part serves, or -1 if it serves none
	pinsOn       [][]int // pin indices of the part, by index in nets
	edgeChoices  []edgeChoice
}

// edgeChoice is an edge that a part may be placed at, with the indices of its valid orientations.
type edgeChoice struct {
	edge         board.Edge
	orientations []int
}

// stays reports whether a part keeps its position in the annealing.
func (p *part) stays() bool { return p.fixed || p.corner }

func (p *part) current() *orientation { return &p.orientations[p.orientation] }

type net struct {
	weight float64
	parts  []int // parts with pins on the net, without duplicates
	pins   [][2]int
}

type placer struct {
	ctx         context.Context
	nl          *board.Netlist
	opt         Options
	rng         *rand.Rand
	parts       []part
	nets        []net
	netOf       []map[string]int
	outline     board.Polygon
	copper      board.Stackup // stackup of the board
	box         board.Rect
	begun       time.Duration // meter reading at the start
	moveShare   float64       // fraction of the moves that the work limit allows, 0 to 1
	repeated    bool          // whether the annealing runs again on a congested board
	rectangular bool          // whether the outline equals its bounding box
	// required margin around a courtyard, as a multiple of the part's halo
	requiredHalo float64
	wantedHalo   float64 // wanted margin, as a multiple of the part's halo
	// needsIsolation is whether pads need isolation (addIsolation). isolated is whether the parts
	// keep it, which they do not where a given outline is too small.
	needsIsolation, isolated bool
	// holesFirst is whether mounting holes take the corners before the edge parts.
	holesFirst bool

	courtyards []courtyardArea // courtyard areas of the parts at their current poses
	innerBins  []bool          // whether each bin is entirely on the board
	bins       geom.Bins       // spatial index of the courtyard areas
	netBoxes   []boundingBox   // bounding boxes of the nets in the current placement
	savedBoxes []savedBox
	counted    []uint32 // stamp of the last query that counted a part
	stamp      uint32
	// density penalty; nil without a given outline, with initial placements, or above
	// maxUtilization
	density   *density
	moves     []move
	moveCount int
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
	for _, w := range p.opt.Placements {
		p.applyPlacement(w)
	}
	for i := range p.parts {
		q := &p.parts[i]
		if q.edge == board.NoEdge {
			continue
		}
		for _, e := range q.edges() {
			q.edgeChoices = append(q.edgeChoices, edgeChoice{e, q.edgeOrientations(e)})
		}
	}
	for n := range p.nets {
		p.nets[n].weight = 1
	}
	for _, on := range p.opt.Rules.Pours() {
		p.nets[on.Net].weight = pouredWeight
	}
	for i := range p.parts {
		for k, q := range p.parts[i].orientations[0].pins {
			if q.net != board.NoNet {
				p.addPin(q.net, i, k)
			}
		}
	}
	p.bindAssociated()
	p.bindPairs()
}

func (p *placer) addPin(n, part, k int) {
	t := &p.nets[n]
	t.pins = append(t.pins, [2]int{part, k})
	q := &p.parts[part]
	at := slices.Index(q.nets, n)
	if at < 0 {
		at = len(q.nets)
		t.parts = append(t.parts, part)
		q.nets, q.pinsOn = append(q.nets, n), append(q.pinsOn, nil)
	}
	q.pinsOn[at] = append(q.pinsOn[at], k)
}

func (p *placer) preparePart(i int) {
	c := p.nl.Components[i]
	q := &p.parts[i]
	pads := len(c.Footprint.Pads)
	q.bothSides = onBothSides(c.Footprint)
	q.edge = c.Edge
	sides := 1
	if p.opt.AllowBottom && EitherSide(&c) {
		sides = 2
	}
	for s := range sides {
		for quarter := range 4 {
			q.orientations = append(q.orientations,
				p.orientationOf(c, i, board.Placement{Rotation: float64(90 * quarter),
					Side: board.Side(s)}))
		}
	}
	q.area = c.Footprint.CourtyardArea()
	switch {
	case pads <= 2:
		q.halo = smallHalo
	case pads <= 8:
		q.halo = mediumHalo
	default:
		q.halo = mediumHalo + min(haloPerPad*int64(pads), maxPadHalo)
	}
}

func (p *placer) orientationOf(c board.Component, i int, at board.Placement) orientation {
	placed := board.Place(c, at, func(pad string) int {
		if n, ok := p.netOf[i][pad]; ok {
			return n
		}
		return board.NoNet
	})
	v := orientation{rotation: at.Rotation, side: at.Side,
		courtyard: board.CourtyardOf(&placed).Bounds()}
	v.extent = v.courtyard
	outwards := c.Footprint.MatingSide
	if c.Edge != board.NoEdge && !at.Fixed {
		f := *c.Footprint
		f.Courtyard, f.CourtyardOutline = f.CourtyardAtEdge(), nil
		outwards, _, _ = f.BoardEdge()
		v.extent = board.CourtyardOf(&board.Part{Component: board.Component{Footprint: &f},
			Placement: at}).Bounds()
	}
	layers := p.copper.Outer(at.Side).Bit()
	if p.parts[i].bothSides {
		layers = p.copper.All()
	}
	v.boxes, v.bounds = p.occupiedBy(&placed, v.courtyard, layers)
	v.isolatedBoxes, v.isolatedBounds = p.addIsolation(&placed, v.boxes, v.bounds, layers)
	thinX, thinY := int64(math.MaxInt64), int64(math.MaxInt64)
	for _, pad := range placed.Pads {
		v.pins = append(v.pins, pin{pad.Net, pad.At})
		copper := copperBox(&pad)
		if w := copper.Width(); w < thinX {
			thinX, v.anchor.X = w, pad.At.X
		}
		if h := copper.Height(); h < thinY {
			thinY, v.anchor.Y = h, pad.At.Y
		}
		v.extent = v.extent.Union(copper.Grown(p.opt.Rules.EdgeClearance))
	}
	for _, g := range placed.Cutouts() {
		box := g.Bounds()
		if !at.Fixed { // a strip of the board remains beside the cut-out
			box = box.Grown(p.opt.Rules.EdgeClearance)
		}
		v.extent = v.extent.Union(box)
	}
	if outwards != board.NoEdge {
		// Counter-clockwise quarter turns map right to top, top to left and left to bottom.
		ring := []board.Edge{board.RightEdge, board.TopEdge, board.LeftEdge, board.BottomEdge}
		for k, e := range ring {
			if e == outwards {
				v.matingSide = ring[(k+int(at.Rotation)/90)%4]
			}
		}
	}
	return v
}

func (p *placer) applyPlacement(w InitialPlacement) {
	q := &p.parts[w.Component]
	at := w.At
	if !w.Fixed {
		q.initial = &at
		for i := range q.orientations {
			if q.orientations[i].rotation == w.Rotation && q.orientations[i].side == w.Side {
				q.orientation = i
			}
		}
		return
	}
	atOrigin := w.Placement
	atOrigin.At = board.Point{}
	v := p.orientationOf(p.nl.Components[w.Component], w.Component, atOrigin)
	q.orientations = []orientation{v}
	q.orientation, q.at, q.fixed, q.placed, q.halo = 0, w.At, true, true, 0
}

// autoSize returns the initial automatic board size [nm] in whole millimetres, at most Largest. It
// aims at the requested utilization. The longest part, fixed parts, holes and keepouts always fit.
func (p *placer) autoSize() (w, h int64) {
	total, long, short := 0.0, int64(0), int64(0)
	var need board.Point
	for i := range p.parts {
		q := &p.parts[i]
		if c := &p.nl.Components[i]; c.Edge != board.NoEdge && !q.fixed {
			total += c.Footprint.AreaAtEdge()
		} else {
			total += q.area
		}
		r := q.orientations[0].extent
		long = max(long, r.Width(), r.Height())
		short = max(short, min(r.Width(), r.Height()))
		if q.fixed {
			need.X, need.Y = max(need.X, q.at.X+r.Max.X), max(need.Y, q.at.Y+r.Max.Y)
		}
	}
	for _, o := range p.opt.Holes {
		need.X, need.Y = max(need.X, o.At.X+o.Diameter/2+o.Keepout),
			max(need.Y, o.At.Y+o.Diameter/2+o.Keepout)
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
	w = min(max(up(math.Sqrt(area*aspect)), up(float64(long)), up(float64(need.X)), board.MM(5)),
		Largest)
	h = min(max(up(area/float64(w)), up(float64(short)), up(float64(need.Y)), board.MM(5)), Largest)
	w, h = p.fitParts(w, h)
	for w*10 > h*16 {
		h += board.Millimetre
	}
	for h*10 > w*16 {
		w += board.Millimetre
	}
	return w, h
}

func (p *placer) board() *board.Board {
	b := &board.Board{Name: p.opt.Name, Outline: p.outline, Stackup: p.opt.Stackup,
		Rules: p.opt.Rules, Nets: p.nl.Nets, Holes: p.opt.Holes, Keepouts: p.opt.Keepouts}
	for i, c := range p.nl.Components {
		q := &p.parts[i]
		at := board.Placement{At: q.at, Rotation: q.current().rotation, Side: q.current().side,
			Fixed: q.fixed}
		b.Parts = append(b.Parts, p.copper.Place(c, at, func(pad string) int {
			if n, ok := p.netOf[i][pad]; ok {
				return n
			}
			return board.NoNet
		}))
	}
	return b
}

func (p *placer) report() Report {
	r := Report{Moves: p.moveCount}
	for i := range p.parts {
		if p.parts[i].illegal {
			r.Unplaced = append(r.Unplaced, i)
		}
		if p.isOffEdge(i) {
			r.OffEdge = append(r.OffEdge, i)
		}
		if p.isFreeHole(i) && !p.parts[i].corner {
			r.OffCorner = append(r.OffCorner, i)
		}
	}
	for n := range p.nl.Nets {
		r.HPWL += int64(p.netHPWL(n))
	}
	return r
}
