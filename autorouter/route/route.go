package route

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
)

// ErrNoBoard is returned for a board without an outline.
var ErrNoBoard = errors.New("route: the board has no outline")

// Route replaces the tracks, vias and zones of a placed board. If the context is cancelled, it
// returns the context's error, leaves the board's copper unchanged, and sets only NodesExpanded in
// the Result.
func Route(ctx context.Context, b *board.Board, opt Options) (Result, error) {
	if len(b.Outline) < 3 {
		return Result{}, ErrNoBoard
	}
	tracks, vias, zonesBefore := b.Tracks, b.Vias, b.Zones
	rt, err := newRouter(ctx, b, opt)
	if err != nil {
		return Result{}, err
	}
	negotiateEnd, retryEnd := 0.55, 0.75
	if opt.Congested {
		retryEnd = 0.78
	}
	if opt.LongNegotiation {
		negotiateEnd = 0.70
	}
	for _, phase := range []struct {
		name string
		by   float64 // fraction of the work (0 to 1) and of the time limit at which the phase ends
		run  func()
	}{
		{"route", negotiateEnd, rt.negotiate},
		{"retry", retryEnd, rt.legalize},
		{"polish", 0.85, func() { rt.refine(); rt.reduceVias() }},
		{"pour", 0.92, func() { rt.connectPours(true) }},
		{"finish", 1, rt.finish},
	} {
		rt.beginPhase(phase.by)
		rt.phase, rt.phaseStart, rt.phaseEnd = phase.name, rt.phaseEnd, phase.by
		rt.report(0, rt.completion())
		if rt.opt.Congested && phase.name == "polish" {
			if rt.openCount() > 0 {
				continue // the time is better spent on open connections
			}
			rt.setStepCosts(rt.grid.all(), false)
		}
		phase.run()
		if err := ctx.Err(); err != nil {
			b.Tracks, b.Vias, b.Zones = tracks, vias, zonesBefore
			return Result{NodesExpanded: rt.nodesExpanded}, err
		}
		if !rt.timeLimited && rt.mayAbandon() && (phase.name == "retry" && rt.openCount() > 0 ||
			phase.name == "pour" && rt.openCount() > maxOpensAfterPour) {
			rt.abandon(openConnections, rt.openCount())
		}
		if rt.abandonReason != notAbandoned {
			return Result{Connections: rt.connections, Passes: rt.passes,
				NodesExpanded: rt.nodesExpanded, Abandoned: true, Opens: rt.abandonedOpens,
				Conflicts: rt.abandonReason == netConflicts, GridBytes: rt.gridBytes()}, nil
		}
	}
	var zones []board.Zone
	for i := range rt.pours {
		more, err := rt.pours[i].last.Zones(ctx)
		if err != nil {
			b.Tracks, b.Vias, b.Zones = tracks, vias, zonesBefore
			return Result{NodesExpanded: rt.nodesExpanded}, err
		}
		zones = append(zones, more...)
	}
	b.Zones = zones
	result := rt.result()
	if err := ctx.Err(); err != nil {
		b.Tracks, b.Vias, b.Zones = tracks, vias, zonesBefore
		return Result{NodesExpanded: rt.nodesExpanded}, err
	}
	return result, nil
}

// finish smooths the tracks, widens necks, removes dangling tracks and vias, and matches the
// lengths of length groups.
func (rt *router) finish() {
	rt.smoothAndRepour()
	rt.widenNecks()
	rt.removeDangling()
	if rt.matchLengthGroups() {
		rt.removeDangling() // meanders can change the pour islands
	}
}

// pickPitch returns the grid pitch [nm]. It is defaultPitch, or 0.05 mm if the track width plus the
// clearance of a class is below two steps of defaultPitch. Instead of defaultPitch, a long
// negotiation has longPitch, and another congested board fittedPitch. The pitch increases to
// respect the limits of two million nodes per layer, Options.MaxNodes and maxCells.
func (rt *router) pickPitch(area board.Rect, layers int) int64 {
	least := int64(math.MaxInt64)
	for _, c := range rt.board.Rules.Classes {
		least = min(least, c.TrackWidth+c.Clearance)
	}
	step := defaultPitch
	if least < 2*step {
		step = board.MM(0.05)
	} else if rt.opt.LongNegotiation {
		step = max(step, rt.longPitch())
	} else if rt.opt.Congested {
		step = rt.fittedPitch()
	}
	most := maxGridNodes
	if n := rt.opt.MaxNodes; n > 0 {
		most = min(most, float64(n/layers))
	}
	most = min(most, float64(maxCells/max(1, rt.mapsPerNode(layers))))
	for float64(area.Width())*float64(area.Height())/float64(step)/float64(step) > most {
		step += board.MM(0.05)
	}
	return step
}

// fittedPitch returns the grid pitch [nm] for a congested board. Parallel tracks of the net class
// with the most pins then have exactly their clearance. A multiple of the pitch is the track width
// plus the clearance and the margin of the grid. On the grid of 0.1 mm, tracks of 0.15 mm with 0.15
// mm between them would be 0.4 mm apart. If defaultPitch wastes less than maxWaste of the spacing,
// it is kept. The nodes of a fitted grid can be farther from the centres of fine-pitch pads.
func (rt *router) fittedPitch() int64 {
	pins, maxPins, spacing := map[string]int{}, 0, int64(0)
	for i := range rt.nets {
		n := &rt.nets[i]
		if n.pour != nil || len(n.terms) < 2 {
			continue
		}
		class := rt.board.Nets[i].Class
		if pins[class] += len(n.terms); pins[class] > maxPins {
			maxPins, spacing = pins[class], n.trackWidth+int64(n.clearance)
		}
	}
	if maxPins == 0 {
		return defaultPitch
	}
	// Because of the margin, tracks are farther apart than their spacing.
	wasted := (spacing/defaultPitch+1)*defaultPitch - spacing
	if float64(wasted) < maxWaste*float64(spacing) {
		return defaultPitch
	}
	steps := (spacing + maxFittedPitch - 1) / maxFittedPitch
	pitch := spacing / steps
	for range 4 { // the margin depends on the pitch
		g := grid{pitch: pitch}
		pitch = (spacing+int64(g.margin(float64(spacing))))/steps + 1
	}
	return pitch
}

// longPitch returns the pitch [nm] at which parallel tracks of the default class are three
// steps apart, or 0 if that is less than minLongPitch. Tracks with a distance of 0.45 mm are
// 0.465 mm apart, and 0.5 mm with defaultPitch. The distance includes the margin of the grid,
// pitch²/4d for a distance d, so the pitch is d·(6 - √32).
func (rt *router) longPitch() int64 {
	const increment = 5 * board.Micrometre
	if len(rt.board.Rules.Classes) == 0 {
		return 0
	}
	class := &rt.board.Rules.Classes[0]
	least := float64(class.TrackWidth+class.Clearance) * (6 - math.Sqrt(32))
	pitch := int64(math.Ceil(least/float64(increment))) * increment
	if pitch < minLongPitch {
		return 0
	}
	return pitch
}

// gridArea returns the part of a board that the grid covers: the pads and a margin for detours. The
// grid of a large board with all parts in one corner thus stays fine.
func (rt *router) gridArea(area board.Rect) board.Rect {
	var pads []board.Point
	for i := range rt.nets {
		for k := range rt.nets[i].terms {
			pads = append(pads, rt.nets[i].terms[k].at)
		}
	}
	if len(pads) == 0 {
		return area
	}
	box := board.Polygon(pads).Bounds()
	box = box.Grown(board.MM(4) + max(box.Width(), box.Height())/16)
	return board.Rect{
		Min: board.Point{X: max(area.Min.X, box.Min.X), Y: max(area.Min.Y, box.Min.Y)},
		Max: board.Point{X: min(area.Max.X, box.Max.X), Y: min(area.Max.Y, box.Max.Y)},
	}
}

// Grid is this package's router as a value, for callers that accept several routers.
type Grid struct{}

// Route calls the package-level function Route.
func (Grid) Route(ctx context.Context, b *board.Board, opt Options) (Result, error) {
	return Route(ctx, b, opt)
}

// newRouter prepares the grid, the fixed items, and the nets with their access nodes.
func newRouter(ctx context.Context, b *board.Board, opt Options) (*router, error) {
	rt := &router{ctx: ctx, board: b, opt: opt, layers: b.Copper().All(), frozen: board.NoNet}
	if opt.Congested {
		rt.requestIslands = rt.requestIslandConnections
	}
	if rt.opt.Now == nil {
		rt.opt.Now = time.Now
	}
	rt.start = rt.opt.Now()
	rt.holeToHole, rt.holeClearance = float64(b.Rules.HoleToHole), float64(b.Rules.HoleClearance)
	return rt, rt.setup()
}

func (rt *router) setup() error {
	b := rt.board
	area := b.Outline.Bounds()
	reach := max(b.Rules.EdgeClearance, b.Rules.HoleClearance, b.Rules.HoleToHole,
		b.Rules.PourClearance)
	if len(rt.opt.Reserved) > 0 {
		reach = max(reach, b.Rules.PourClearance+reservedFill)
	}
	for _, c := range b.Rules.Classes {
		reach = max(reach, c.Clearance)
	}
	for _, h := range b.Holes {
		reach = max(reach, h.Keepout)
	}
	for i := range b.Parts {
		for k := range b.Parts[i].Pads {
			reach = max(reach, b.Parts[i].Pads[k].Clearance)
		}
	}
	rt.index = newSpatialIndex(area, reach, binSizeOf(b))
	rt.numbers = numberLayers(b)
	rt.prepareNets()
	rt.addFixedItems()
	planes := b.Rules.PlaneLayers().Count()
	tracks := board.LayerSet(1)<<(rt.layers.Count()-planes) - 1
	rt.preparePours(tracks)
	rt.setStepCosts(tracks, rt.opt.Congested)
	rt.beginPhase(pairShare)
	rt.routePairs()
	rt.stopped, rt.phaseDeadline = false, time.Time{}
	area = rt.gridArea(area)
	step := rt.pickPitch(area, tracks.Count())
	g := &rt.grid
	g.pitch = step
	g.min = board.Point{X: floorTo(area.Min.X, step), Y: floorTo(area.Min.Y, step)}
	g.w, g.h = int((area.Max.X-g.min.X)/step)+1, int((area.Max.Y-g.min.Y)/step)+1
	g.size, g.layers = g.w*g.h, tracks.Count()
	rt.prepareMaps()
	n := g.layers * g.size
	rt.historyCost = make([]uint16, n)
	rt.searchNodes = make([]searchNode, n)
	rt.neckNodes, rt.marks = make([]uint32, n), make([]uint32, n)
	for i := range rt.nets {
		if len(rt.nets[i].terms) >= 2 || rt.nets[i].pour != nil {
			rt.groupTerminals(&rt.nets[i])
			rt.findAccess(&rt.nets[i])
			rt.order = append(rt.order, i)
			rt.connections += len(rt.nets[i].terms) - 1
		}
	}
	rt.addAlternatives()
	rt.connections = max(1, rt.connections)
	rt.sortNets()
	return rt.ctx.Err()
}

// gridBytes returns the memory of the grid and its occupancy maps [bytes].
func (rt *router) gridBytes() int {
	const (
		cellBytes = 4
		nodeBytes = 18 // bytes per node in historyCost, searchNodes, neckNodes and marks
	)
	n := nodeBytes * len(rt.marks)
	for i := range rt.grid.maps {
		n += cellBytes * len(rt.grid.maps[i].cells)
	}
	return n
}

// setStepCosts sets the step costs of the given layers. With directed, the preferred directions of
// the layers alternate, beginning with horizontal.
func (rt *router) setStepCosts(tracks board.LayerSet, directed bool) {
	rt.stepCosts = nil
	for l := range tracks.All() {
		percent := int32(100)
		poured := slices.ContainsFunc(rt.pours, func(p poured) bool { return p.layers.Has(l) })
		if l != board.Top && poured {
			percent += pouredLayerCost
		}
		var costs [8]int32
		for d := range costs {
			horizontal := d%4 == 0
			switch {
			case d%2 == 1 && directed:
				costs[d] = diagonalCost * (percent + crossDirectionCost/2) / 100
			case d%2 == 1:
				costs[d] = diagonalCost * percent / 100
			case directed && horizontal != (len(rt.stepCosts)%2 == 0):
				costs[d] = straightCost * (percent + crossDirectionCost) / 100
			default:
				costs[d] = straightCost * percent / 100
			}
		}
		rt.stepCosts = append(rt.stepCosts, costs)
	}
	rt.setLeastCosts(directed && rt.opt.LongNegotiation)
}

// setLeastCosts derives the bounds of the heuristic from the step costs.
func (rt *router) setLeastCosts(directed bool) {
	least := leastCosts{straight: [2]int32{straightCost, straightCost}, diagonal: diagonalCost,
		excess: make([][2]int32, len(rt.stepCosts))}
	if directed {
		least.straight, least.diagonal = [2]int32{infinite, infinite}, infinite
		for _, costs := range rt.stepCosts {
			for axis := range least.straight {
				least.straight[axis] = min(least.straight[axis], costs[2*axis])
			}
			least.diagonal = min(least.diagonal, costs[1])
		}
		for l, costs := range rt.stepCosts {
			for axis := range least.straight {
				least.excess[l][axis] = costs[2*axis] - least.straight[axis]
			}
		}
	}
	rt.leastCosts = least
}

// preparePours adds the pours of the board to the router. The parameter tracks is the set of grid
// layers.
func (rt *router) preparePours(tracks board.LayerSet) {
	for _, p := range rt.board.Rules.Pours() {
		on := poured{net: p.Net, layers: rt.numbers.of(p.Layers)}
		on.viaEnds = on.layers
		if on.layers&^tracks != 0 { // a through via reaches the plane from any layer
			on.viaEnds = tracks
		}
		rt.pours = append(rt.pours, on)
	}
	for i := range rt.pours {
		rt.nets[rt.pours[i].net].pour = &rt.pours[i]
	}
}

func floorTo(v, step int64) int64 {
	if v < 0 {
		return -((-v + step - 1) / step) * step
	}
	return v / step * step
}

// result writes the copper to the board and returns its statistics and open connections.
func (rt *router) result() Result {
	rt.writeCopper()
	res := Result{Connections: rt.connections, Passes: rt.passes, NodesExpanded: rt.nodesExpanded,
		TimeLimited: rt.timeLimited, GridBytes: rt.gridBytes()}
	for i := range rt.pours {
		res.Pours = append(res.Pours, rt.pours[i].session)
	}
	for _, t := range rt.board.Tracks {
		res.Length += int64(math.Round(board.Distance(t.A, t.B)))
	}
	for i := range rt.nets {
		n := &rt.nets[i]
		opens := rt.ratsnest(n)
		for _, m := range opens {
			res.Unrouted = append(res.Unrouted, rt.unrouted(n, m, len(opens)))
		}
	}
	return res
}

// maxComparedPads limits the comparisons of pads by closestPad for all open connections. They then
// take at most about 0.3 s.
const maxComparedPads = 5_000_000

// closestPad states the distance of a pad from the closest pad on another net, if it is less than
// the clearance of the two nets. It returns the distance [nm] too. Otherwise, and after
// maxComparedPads comparisons, it returns "" and infinity.
func (rt *router) closestPad(t *terminal) (text string, least float64) {
	least = math.Inf(1)
	parts, rules := rt.board.Parts, &rt.board.Rules
	own := &parts[t.part].Pads[t.pad]
	if own.Net == board.NoNet || rt.comparedPads > maxComparedPads {
		return "", least
	}
	clearance := rules.Class(&rt.board.Nets[own.Net]).Clearance
	copper := own.Copper(0)
	for i := range parts {
		rt.comparedPads += len(parts[i].Pads)
		for k := range parts[i].Pads {
			p := &parts[i].Pads[k]
			if p.Net == own.Net || p.Layers&own.Layers == 0 {
				continue
			}
			need := clearance
			if p.Net != board.NoNet {
				need = max(need, rules.Class(&rt.board.Nets[p.Net]).Clearance)
			}
			reach := need + max(p.Width, p.Height) + max(own.Width, own.Height)
			if board.Distance(p.CopperAt(), own.CopperAt()) > float64(reach) {
				continue
			}
			shape := p.Copper(0)
			if gap, _ := copper.Gap(&shape); gap < float64(need) && gap < least {
				least = gap
				own, other := rt.padName(t.part, t.pad), rt.padName(i, k)
				if text = fmt.Sprintf("%s overlaps %s by %.2f mm", own, other, -gap/1e6); gap >= 0 {
					text = fmt.Sprintf("%s is %.2f mm from %s, and the clearance is %g mm", own,
						gap/1e6, other, board.ToMM(need))
				}
			}
		}
	}
	return text, least
}

// widestTrack states the largest width of a track that leaves a pad straight between its
// neighbours, and the closest neighbour. If the tracks of the net are not wider, it returns "".
func (rt *router) widestTrack(n *netState, t *terminal) string {
	parts, rules := rt.board.Parts, &rt.board.Rules
	own := &parts[t.part].Pads[t.pad]
	clearance, at := rules.Class(&rt.board.Nets[n.index]).Clearance, geom.VecOf(own.CopperAt())
	widest, text := n.neckWidth, ""
	for k := range parts[t.part].Pads {
		p := &parts[t.part].Pads[k]
		if p.Net == n.index || p.Layers&own.Layers == 0 {
			continue
		}
		need := clearance
		if p.Net != board.NoNet {
			need = max(need, rules.Class(&rt.board.Nets[p.Net]).Clearance)
		}
		shape := p.Copper(0)
		// The distance is a square root; the width is rounded down to whole micrometres.
		width := 2 * (int64(math.Round(shape.To(at.X, at.Y))) - need)
		width -= width % board.Micrometre
		if width > 0 && width < widest {
			widest = width
			text = fmt.Sprintf(": tracks of at most %g mm can leave %s beside %s at the clearance "+
				"of %g mm, and the track has %g mm", board.ToMM(width),
				rt.padName(t.part, t.pad), rt.padName(t.part, k), board.ToMM(need),
				board.ToMM(n.neckWidth))
		}
	}
	return text
}

// padName returns the name of a pad for a message. Pads without a number may belong to kept tracks
// or to other copper outside of footprints.
func (rt *router) padName(part, pad int) string {
	of := &rt.board.Parts[part]
	p := &of.Pads[pad]
	switch {
	case p.Number != "":
		return fmt.Sprintf("pad %s.%s", of.Ref, p.Number)
	case of.Footprint.Name != "":
		return "a pad without number of " + of.Ref
	case of.Ref == board.WiringRef && p.Net != board.NoNet:
		return "a kept track or via of net " + rt.board.Nets[p.Net].Name
	}
	return "fixed copper"
}

// unrouted returns the open connection between the terminals m of a net that has opens open
// connections.
func (rt *router) unrouted(n *netState, m [2]int, opens int) Unrouted {
	to := &n.terms[m[1]]
	from := &n.terms[m[0]]
	u := Unrouted{Net: n.index, To: Pin{to.part, to.pad},
		Reason: "no free path: blocked by other nets"}
	tooClose, gap := rt.closestPad(to)
	if other, otherGap := rt.closestPad(from); otherGap < gap {
		tooClose = other
	}
	stuck := to
	if len(to.access) > 0 && tooClose == "" {
		stuck = from
	}
	switch {
	case len(stuck.access) == 0:
		u.Reason = fmt.Sprintf("no track can leave %s without breaking a clearance",
			rt.padName(stuck.part, stuck.pad))
		if tooClose == "" {
			u.Reason += rt.widestTrack(n, stuck)
		}
	case rt.timeLimited:
		u.Reason = "time limit reached"
	case tooClose != "" || rt.comparedPads > maxComparedPads:
		u.Reason = "no free path"
	case n.pour == nil && n.unreachable.failures > 0 && opens <= n.unreachable.opens:
		u.Reason = "no free path: blocked by pads, keepouts, holes or the board edge"
	}
	switch {
	case tooClose != "":
		u.Reason += ": " + tooClose
	case n.neckWidth < n.trackWidth && len(stuck.access) > 0 && !rt.timeLimited:
		u.Reason += fmt.Sprintf("; the track of %g mm may narrow to %g mm only within "+
			"neck_length_mm (%g mm) of a pad", board.ToMM(n.trackWidth), board.ToMM(n.neckWidth),
			board.ToMM(rt.board.Rules.NeckLength))
	}
	u.From = Pin{from.part, from.pad}
	u.Distance = int64(math.Round(board.Distance(from.at, to.at)))
	return u
}
