package route

import (
	"cmp"
	"math"
	"slices"

	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
	"slipstick/autorouter/pour"
)

// segment is a straight part of a track.
type segment struct {
	a, b  board.Point
	width int64
	layer board.Layer
}

func (s segment) length() float64 { return board.Distance(s.a, s.b) }

// terminal is a pad that a net connects.
type terminal struct {
	part, pad int
	at        board.Point
	shape     geom.Shape
	layers    board.LayerSet
	access    []access
	// group number, equal for terminals that overlapping copper or coupled tracks connect
	group int
}

// access is a node at which a track enters a pad, together with the off-grid stub from the pad to
// the node.
type access struct {
	node    int32
	stub    []segment
	outside bool // whether the node is outside the pad, so that the track needs the stub
	exposed bool // whether the stub leaves the pad, so that it may be too close to other tracks
}

// netRoute is the routed copper of a net, together with the data needed to rip it up.
type netRoute struct {
	segments []segment
	vias     []board.Point
	nodes    []int32  // nodes of the tracks; a necked node is stored as -1-node
	viaNodes []int32  // nodes on the top layer
	occupied [][]span // spans that the copper blocks for other nets, by occupancy map
	branches []branch
	open     [][2]int // pairs of unconnected terminals
	length   float64  // total track length [nm]
	// longNecks reports whether necks may be longer than shortNeck
	longNecks bool
}

// netState is the state of a net during routing.
type netState struct {
	index                     int
	terms                     []terminal
	clearance                 float64
	trackWidth, neckWidth     int64
	viaDiameter, viaDrill     int64
	trackMap, neckMap, viaMap int      // indices of occupancy maps
	pour                      *poured  // nil without a pour
	extraConnections          [][2]int // terminal pairs to connect, as a pour probe requested
	copper                    netRoute
	unreachable               unreachable
	coupled                   coupledCopper
	halfPerimeter             float64 // half perimeter of the bounding box of its pads [nm]
	mstLength                 float64 // Euclidean minimum spanning tree length [nm]
}

// unreachable counts the failures of searches that may cross the routed copper of other nets. Such
// a search fails only because of fixed items, such as pads and coupled pairs, so rip-up cannot
// help.
type unreachable struct {
	failures int // consecutive routes with open connections
	opens    int // open connections of the last such route
}

// coupledCopper is the coupled part of one net of a differential pair. It is routed before all
// other nets and then fixed like a pad.
type coupledCopper struct {
	segments []segment
	vias     []board.Point
	joins    [][2]int // pairs of terminals connected by this copper
}

// poured is a net with a pour.
type poured struct {
	net     int
	layers  board.LayerSet // layers with its copper
	viaEnds board.LayerSet // grid layers where a new via connects to the pour
	session *pour.Session
	last    pour.Result
}

// layerNumbers maps the layers of a board to those of the router. Layers with tracks come first, in
// stackup order, followed by the planes. The grid contains only the layers with tracks.
type layerNumbers struct {
	board   []board.Layer // board layer, by router layer
	numbers []board.Layer // router layer, by board layer
}

func numberLayers(b *board.Board) layerNumbers {
	planes := b.Rules.PlaneLayers()
	var out layerNumbers
	for _, plane := range []bool{false, true} {
		for l := range b.Copper().All().All() {
			if planes.Has(l) == plane {
				out.board = append(out.board, l)
			}
		}
	}
	out.numbers = make([]board.Layer, len(out.board))
	for number, l := range out.board {
		out.numbers[l] = board.Layer(number)
	}
	return out
}

// of returns the router layers of a set of board layers.
func (m *layerNumbers) of(layers board.LayerSet) board.LayerSet {
	var out board.LayerSet
	for l := range layers.All() {
		out |= m.numbers[l].Bit()
	}
	return out
}

// onBoard returns the board layers of a set of router layers.
func (m *layerNumbers) onBoard(numbers board.LayerSet) board.LayerSet {
	var out board.LayerSet
	for n := range numbers.All() {
		out |= m.board[n].Bit()
	}
	return out
}

// branch is the copper added by one search. It holds the start offsets in the four slices of its
// net's route, and a group number used while a tree is grown or rebuilt.
type branch struct {
	segments, vias, nodes, viaNodes int
	group                           int
}

// Groups of branches besides those of the terminals.
const (
	rootTree     = -1 // branches of the growing tree
	finishedTree = -2 // branches of the trees before it
)

// branchEnd returns the end offsets of a branch in segments, vias, nodes and viaNodes.
func (w *netRoute) branchEnd(a int) branch {
	if a+1 < len(w.branches) {
		return w.branches[a+1]
	}
	return branch{segments: len(w.segments), vias: len(w.vias), nodes: len(w.nodes),
		viaNodes: len(w.viaNodes)}
}

// nodesOf returns the nodes of branch a; necked nodes are encoded as -1-node.
func (w *netRoute) nodesOf(a int) []int32 {
	return w.nodes[w.branches[a].nodes:w.branchEnd(a).nodes]
}

func nodeOf(node int32) int32 {
	if node < 0 {
		return -1 - node
	}
	return node
}

// filterBranches returns the copper of the branches accepted by keep.
func (w *netRoute) filterBranches(keep func(a int) bool) netRoute {
	out := netRoute{longNecks: w.longNecks}
	for a, from := range w.branches {
		if !keep(a) {
			continue
		}
		to := w.branchEnd(a)
		out.branches = append(out.branches, branch{len(out.segments), len(out.vias), len(out.nodes),
			len(out.viaNodes), from.group})
		out.segments = append(out.segments, w.segments[from.segments:to.segments]...)
		out.vias = append(out.vias, w.vias[from.vias:to.vias]...)
		out.nodes = append(out.nodes, w.nodes[from.nodes:to.nodes]...)
		out.viaNodes = append(out.viaNodes, w.viaNodes[from.viaNodes:to.viaNodes]...)
	}
	return out
}

// deduplicated returns the copper without repeated tracks and vias, because branches that meet at a
// pad or via each store a copy. The result has no branches.
func (w *netRoute) deduplicated() netRoute {
	out := *w
	out.branches, out.segments, out.vias = nil, nil, nil
	seen, drilled := map[segment]bool{}, map[board.Point]bool{}
	for _, s := range w.segments {
		if !seen[s] {
			seen[s] = true
			out.segments = append(out.segments, s)
		}
	}
	for _, v := range w.vias {
		if !drilled[v] {
			drilled[v] = true
			out.vias = append(out.vias, v)
		}
	}
	return out
}

// terminalOf returns the terminal index of a pad, or -1 if the pad has no terminal. It relies on
// addPad creating the terminals in the order of parts and pads.
func (n *netState) terminalOf(p pour.Pin) int {
	i, ok := slices.BinarySearchFunc(n.terms, p, func(t terminal, p pour.Pin) int {
		return cmp.Or(cmp.Compare(t.part, p.Part), cmp.Compare(t.pad, p.Pad))
	})
	if !ok {
		return -1
	}
	return i
}

// isDirect reports whether a net cannot be shortened by more than 2 %. Such a net connects two pads
// on one layer by a path close to the shortest 45-degree path.
func (n *netState) isDirect() bool {
	if len(n.terms) != 2 || len(n.copper.vias) > 0 || len(n.copper.open) > 0 {
		return false
	}
	d := n.terms[0].at.Sub(n.terms[1].at)
	x, y := float64(abs(d.X)), float64(abs(d.Y))
	return n.copper.length < 1.02*(max(x, y)+(math.Sqrt2-1)*min(x, y))
}

// layerPoint is a position on a layer.
type layerPoint struct {
	at    board.Point
	layer board.Layer
}

// padAt returns the terminal whose pad covers a position, or -1 if there is none.
func (n *netState) padAt(p layerPoint) int {
	for i := range n.terms {
		t := &n.terms[i]
		if t.layers.Has(p.layer) &&
			(t.at == p.at || t.shape.To(float64(p.at.X), float64(p.at.Y)) <= 0) {
			return i
		}
	}
	return -1
}

func onSegment(p board.Point, s segment) bool {
	d, e := s.b.Sub(s.a), p.Sub(s.a)
	if d.X*e.Y != d.Y*e.X {
		return false
	}
	dot := d.X*e.X + d.Y*e.Y
	return dot >= 0 && dot <= d.X*d.X+d.Y*d.Y
}

// addSegment appends a segment. If follows is true and the last segment leads to it with the same
// direction, width and layer, that segment is extended instead.
func (w *netRoute) addSegment(s segment, follows bool) {
	if k := len(w.segments) - 1; follows && k >= 0 {
		l := &w.segments[k]
		if l.b == s.a && l.width == s.width && l.layer == s.layer {
			d, e := l.b.Sub(l.a), s.b.Sub(s.a)
			if d.X*e.Y == d.Y*e.X && d.X*e.X+d.Y*e.Y > 0 {
				l.b = s.b
				return
			}
		}
	}
	w.segments = append(w.segments, s)
}
