package pour

import (
	"context"
	"slices"

	"slipstick/autorouter/board"
	"slipstick/autorouter/budget"
)

const (
	// basePitch is the pitch of the sampling lattice on boards of ordinary size [nm].
	basePitch  = 50 * board.Micrometre
	maxSamples = 4e6 // maximum number of samples per layer; larger boards use a coarser lattice
	// maxCachedSamples is the largest number of samples for which the field without tracks and vias
	// is cached between probes.
	maxCachedSamples  = 3e6
	simplifyTolerance = 5e3 // largest displacement of an outline by simplification [nm]
	// minWidth is the minimum width of filled copper [nm] (KiCad: min_thickness).
	minWidth = 0.2e6
	// truncation is the distance [nm] beyond the clearance up to which the field is computed.
	truncation = 0.3e6
)

// Session probes one pour of a board on which only tracks and vias change. The field of all other
// copper is computed once, unless the lattice is too large to cache it.
type Session struct {
	Meter  *budget.Meter // counts the work of probes; nil disables counting
	board  *board.Board
	pour   board.Pour
	fields []*clearanceField // fields by layer; empty if there is nothing to pour
}

// NewSession computes the clearance fields of a pour without tracks and vias. It returns an error
// only if the context is cancelled.
func NewSession(ctx context.Context, b *board.Board, p board.Pour) (*Session, error) {
	g := &Session{board: b, pour: p}
	if p.Layers == 0 || p.Net == board.NoNet || p.Net >= len(b.Nets) || len(b.Outline) < 3 {
		return g, nil
	}
	g.fields = make([]*clearanceField, len(b.Copper()))
	for layer := range p.Layers.All() {
		f := newClearanceField(b, p.Net, layer)
		if ctx.Err() != nil { // the memory of the field may take as long as a part of its values
			return nil, ctx.Err()
		}
		if float64(len(f.clearance)) < maxCachedSamples*memoryShare(b) {
			if err := f.subtractFixed(ctx); err != nil {
				return nil, err
			}
			f.fixedClearance = slices.Clone(f.clearance)
		}
		g.fields[layer] = f
	}
	return g, nil
}

// Probe fills the pour and computes its connectivity, without tracing outlines or modifying the
// board. It invalidates the result of the previous probe, because both use the same lattice.
func (g *Session) Probe(ctx context.Context) (Result, error) {
	b := g.board
	res := Result{net: g.pour.Net}
	if len(g.fields) == 0 {
		return res, nil
	}
	j, err := newConnectivity(ctx, b, g.pour.Net)
	if err != nil {
		return Result{}, err
	}
	layers := len(g.fields)
	res.layers, res.islandOf = make([]*clearanceField, layers), make([][]int32, layers)
	touched := make([][][]int, layers)
	for layer := range g.pour.Layers.All() {
		f := g.fields[layer]
		g.Meter.Add(budget.PourSample, len(f.clearance))
		if err := f.subtractRoutes(ctx); err != nil {
			return Result{}, err
		}
		if err := f.dropSpokes(ctx); err != nil {
			return Result{}, err
		}
		if err := f.open(ctx); err != nil {
			return Result{}, err
		}
		labels, n, err := f.label(ctx)
		if err != nil {
			return Result{}, err
		}
		touch, err := f.contacts(ctx, j, labels, n)
		if err != nil {
			return Result{}, err
		}
		res.layers[layer], touched[layer] = f, touch
		keep, areas := make([]bool, n), f.areas(n)
		for i := range keep {
			keep[i] = keepIsland(touch[i], areas[i])
			if !keep[i] {
				res.Removed++
			}
		}
		for i, v := range labels {
			if v >= 0 && !keep[v] {
				f.filled[i] = false
			}
		}
		for i := range touch {
			if keep[i] {
				j.unionAll(touch[i])
			}
		}
		if err := ctx.Err(); err != nil {
			return Result{}, err
		}
	}
	var index map[int]int
	res.Islands, index = j.islands()
	for layer, touch := range touched {
		res.islandOf[layer] = make([]int32, len(touch))
		for i, items := range touch {
			res.islandOf[layer][i] = -1
			if len(items) > 0 {
				if k, ok := index[j.sets.Find(items[0])]; ok {
					res.islandOf[layer][i] = int32(k)
				}
			}
		}
	}
	return res, nil
}

// keepIsland reports whether a fragment stays, given the items that it touches and its area [mm²].
// Fragments that touch no copper of the net are removed. Slivers could peel off the board and are
// removed too. They have up to 2 mm² with a single contact, and up to 0.25 mm² with more.
func keepIsland(touches []int, area float64) bool {
	return len(touches) > 1 && area > 0.25 || len(touches) == 1 && area > 2
}
