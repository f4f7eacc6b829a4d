package route

import (
	"math"

	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
)

// pairEnd is an end of a pair: one pad of each net.
type pairEnd struct {
	terms  [2]int // terminal indices of the positive and the negative net
	middle geom.Vec
	apart  float64 // distance between the pads [nm]
}

// coupler routes one differential pair between two ends. Its path is the centre line between the
// two tracks. It uses a separate grid with a state for each node, layer and direction.
type coupler struct {
	rt     *router
	nets   [2]*netState
	ends   [2]pairEnd
	width  int64
	half   float64 // distance from the centre line to each track [nm]
	spread float64 // distance from the centre line to each via [nm]
	lead   float64 // length over which a track moves from half to spread [nm]

	min    board.Point
	step   int64
	w, h   int
	layers int
	space  []uint8 // whether the tracks fit, by layer and node: 0 (unknown), noSpace or hasSpace
	// whether two vias fit, by node and direction modulo 4; values as in space
	viaPairs []uint8
	// whether the tracks to the vias fit, by layer, node and direction; values as in space
	leads      []uint8
	cost       []int32
	from       []int32 // predecessor of each state; -1 at the start of a path
	closed     []bool  // whether the cheapest path to the state is known
	costToGoal []int32 // lower bound of the cost from a node to the goals, by layer and node
	// upper limit of costToGoal, which holds for nodes that computeCostsToGoal did not reach
	maxCostToGoal int32
}

const (
	noSpace  uint8 = 1
	hasSpace uint8 = 2
)

// Costs and limits of the search for a pair. Costs are equivalent track lengths [nm].
const (
	pairBendCost = 500 * board.Micrometre  // 45-degree turn
	pairViaCost  = 6000 * board.Micrometre // two vias
	// pairLegCost is the factor of the cost of the tracks between the pads and the coupled section.
	pairLegCost = 2
	// pairAstarFactor is the weight of the A* heuristic minus 1 [%]; 0 is admissible.
	pairAstarFactor = 5
	// pairMargin is the minimum margin of the search area around the two ends [nm].
	pairMargin = 8 * board.Millimetre
	// maxPairStates limits the number of states of one search, at 10 bytes each.
	maxPairStates = 4_000_000
	// maxPairNodes limits the number of states that one search expands.
	maxPairNodes = 600_000
)

func newCoupler(rt *router, p board.Pair, nets [2]*netState, from, to pairEnd) *coupler {
	c := &coupler{rt: rt, nets: nets, ends: [2]pairEnd{from, to}, layers: len(rt.stepCosts),
		width: max(p.Width, nets[0].neckWidth)}
	if p.Width == 0 {
		c.width = max(nets[0].trackWidth, nets[1].trackWidth)
	}
	clear := max(nets[0].clearance, nets[1].clearance)
	gap := max(float64(p.Gap), clear)
	const rounding = 2 // tolerance for the rounding of corners [nm]
	c.half = (float64(c.width)+gap)/2 + rounding
	via := float64(max(nets[0].viaDiameter, nets[1].viaDiameter))
	drill := float64(max(nets[0].viaDrill, nets[1].viaDrill))
	c.spread = max(c.half, (via+clear)/2, (drill+rt.holeToHole)/2,
		(via+drill)/4+rt.holeClearance/2, (via+float64(c.width))/4+clear/2) + rounding
	c.lead = c.spread - c.half
	lo, hi := from.middle, from.middle
	lo.X, lo.Y = min(lo.X, to.middle.X), min(lo.Y, to.middle.Y)
	hi.X, hi.Y = max(hi.X, to.middle.X), max(hi.Y, to.middle.Y)
	margin := max(float64(pairMargin), to.middle.Sub(from.middle).Length()/2)
	area := rt.board.Outline.Bounds()
	c.min = board.Point{X: max(area.Min.X, int64(lo.X-margin)),
		Y: max(area.Min.Y, int64(lo.Y-margin))}
	// The inner track of a 45-degree turn is shorter by half·tan 22.5° on each side. The step
	// between two turns must therefore be at least 0.83·half.
	const increment = 50 * board.Micrometre
	c.step = (max(defaultPitch, int64(0.83*c.half)) + increment - 1) / increment * increment
	for ; ; c.step += increment {
		c.w = int(max(0, min(area.Max.X, int64(hi.X+margin))-c.min.X)/c.step) + 1
		c.h = int(max(0, min(area.Max.Y, int64(hi.Y+margin))-c.min.Y)/c.step) + 1
		if 8*c.w*c.h*c.layers <= maxPairStates {
			break
		}
	}
	c.space = make([]uint8, c.w*c.h*c.layers)
	c.viaPairs = make([]uint8, 4*c.w*c.h)
	c.leads = make([]uint8, 8*len(c.space))
	c.cost, c.from = make([]int32, 8*len(c.space)), make([]int32, 8*len(c.space))
	c.closed, c.costToGoal = make([]bool, 8*len(c.space)), make([]int32, len(c.space))
	return c
}

// at returns the position of a node.
func (c *coupler) at(node int) geom.Vec {
	return geom.Vec{X: float64(c.min.X + int64(node%c.w)*c.step),
		Y: float64(c.min.Y + int64(node/c.w)*c.step)}
}

// unit returns the unit vector of a direction.
func unit(direction int) geom.Vec {
	d := geom.Vec{X: float64(directions[direction][0]), Y: float64(directions[direction][1])}
	return d.Scale(1 / d.Length())
}

// left returns the unit vector to the left of a direction.
func left(direction int) geom.Vec { return unit((direction + 2) & 7) }

func pointOf(v geom.Vec) board.Point {
	return board.Point{X: int64(math.Round(v.X)), Y: int64(math.Round(v.Y))}
}

// octile returns the length of the shortest path made of horizontal, vertical and 45-degree
// segments [nm].
func octile(p, q board.Point) float64 {
	x, y := float64(abs(p.X-q.X)), float64(abs(p.Y-q.Y))
	return max(x, y) + (math.Sqrt2-1)*min(x, y)
}

// sideOf returns 1 for the positive net and -1 for the negative net.
func sideOf(net int) float64 { return float64(1 - 2*net) }

// costOf converts a length [nm] to a cost in hundredths of a grid step.
func (c *coupler) costOf(nm float64) int32 {
	return int32(min(nm*straightCost/float64(c.step), 1<<28))
}

// hasSpace reports whether the two tracks fit at a node of a layer. It includes the space for a
// turn and for the midpoint of a step.
func (c *coupler) hasSpace(node, layer int) bool {
	known := &c.space[layer*c.w*c.h+node]
	if *known == 0 {
		clear := max(c.nets[0].clearance, c.nets[1].clearance)
		radius := c.half + float64(c.width)/2
		need, long := radius+clear, float64(c.step)*math.Sqrt2
		corner := c.half * (1/math.Cos(math.Pi/8) - 1)
		sag := need - math.Sqrt(max(0, need*need-long*long/4))
		it := copperItem{shape: geom.Disc(pointOf(c.at(node)), int64(2*(radius+corner+sag))),
			net: board.NoNet, clearance: clear, layers: board.Layer(layer).Bit(), terminal: -1}
		*known = noSpace
		if c.rt.isClear(&it) {
			*known = hasSpace
		}
	}
	return *known == hasSpace
}

// next returns the node a number of steps away in a direction, and whether it lies on the grid.
func (c *coupler) next(node, direction, steps int) (int, bool) {
	x := node%c.w + steps*int(directions[direction][0])
	y := node/c.w + steps*int(directions[direction][1])
	return y*c.w + x, x >= 0 && y >= 0 && x < c.w && y < c.h
}

// item returns a track segment of the pair as a copper item.
func (c *coupler) item(net int, a, b board.Point, layer int) copperItem {
	return c.rt.trackItem(c.nets[net].index, segment{a: a, b: b, width: c.width,
		layer: board.Layer(layer)})
}

func (c *coupler) pathItems(net int, path []board.Point, layer int) []copperItem {
	var out []copperItem
	for i := 1; i < len(path); i++ {
		out = append(out, c.item(net, path[i-1], path[i], layer))
	}
	return out
}

func (c *coupler) isClearPath(net int, path []board.Point, layer int) bool {
	for i := 1; i < len(path); i++ {
		if it := c.item(net, path[i-1], path[i], layer); !c.rt.isClear(&it) {
			return false
		}
	}
	return true
}

// isClearVia reports whether a via of a net fits at a position. A via in a pad does not fit, even
// if the pad is on its net.
func (c *coupler) isClearVia(net int, at board.Point) bool {
	it := c.rt.viaItem(c.nets[net].index, at)
	it.net = board.NoNet
	return c.rt.isClear(&it)
}

// collide reports whether any item of one list violates a clearance to an item of the other list.
func (c *coupler) collide(one, two []copperItem) bool {
	for i := range one {
		for k := range two {
			if c.rt.violates(&one[i], &two[k]) || c.rt.violates(&two[k], &one[i]) {
				return true
			}
		}
	}
	return false
}
