package pour

import (
	"context"

	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
)

// Pin identifies a pad of a part on the board.
type Pin struct{ Part, Pad int }

// Result holds a filled pour and its connectivity.
type Result struct {
	// Islands lists the sets of pads of the poured net that its copper connects, the largest set
	// first. More than one set means that the pour is split or does not reach a pad.
	Islands [][]Pin
	Removed int // number of fragments removed because keepIsland rejects them

	net    int
	layers []*clearanceField // fields by layer; nil for layers without this pour
	// islandOf holds the island index of each fragment, by layer; -1 for a fragment that touches no
	// pad.
	islandOf [][]int32
}

// IslandAt returns the index in Islands of the filled copper at a position, or -1 if there is none.
func (r *Result) IslandAt(layer board.Layer, p board.Point) int {
	if k := r.FragmentAt(layer, p); k >= 0 {
		return int(r.islandOf[layer][k])
	}
	return -1
}

// IslandNodes calls yield with column, row and index in Islands for each lattice node in filled
// copper of a layer. Node (i, j) lies at from + (i, j)·step.
func (r *Result) IslandNodes(layer board.Layer, from board.Point, step int64, columns, rows int,
	yield func(i, j, island int)) {
	f := r.field(layer)
	if f == nil {
		return
	}
	first, last := f.samplesAround(from.X-f.min.X, step, columns, f.w)
	firstRow, lastRow := f.samplesAround(from.Y-f.min.Y, step, rows, f.h)
	islands := r.islandOf[layer]
	for j := range rows {
		j0, j1 := int(firstRow[j]), int(lastRow[j])
		if j0 < 0 {
			continue
		}
		for i := range columns {
			i0 := int(first[i])
			if i0 < 0 || !f.filled[j0*f.w+i0] {
				continue
			}
			k := f.fragmentAround(f.labels, i0, j0, int(last[i]), j1)
			if k >= 0 && islands[k] >= 0 {
				yield(i, j, int(islands[k]))
			}
		}
	}
}

// samplesAround returns the first and the last of the samples around each of n positions along an
// axis. It returns -1 where a position is outside the lattice of size samples. Position k lies at
// from + k·step, relative to the lattice [nm].
func (f *clearanceField) samplesAround(from, step int64, n, size int) (first, last []int32) {
	first, last = make([]int32, n), make([]int32, n)
	for k := range n {
		at := from + int64(k)*step
		first[k], last[k] = int32(at/f.pitch), int32((at+f.pitch-1)/f.pitch)
		if at < 0 || int(last[k]) >= size {
			first[k], last[k] = -1, -1
		}
	}
	return first, last
}

// FragmentAt returns the index of the zone fragment at p on a layer, or -1 if p is not in filled
// copper. Fragments that only tracks or vias connect have different indices.
func (r *Result) FragmentAt(layer board.Layer, p board.Point) int {
	f := r.field(layer)
	if f == nil {
		return -1
	}
	return f.fragmentAt(f.labels, p)
}

// fragmentAt returns the label of the fragment that fills all samples around a position, or -1 if
// there is none. The outline of the fragment contains the position.
func (f *clearanceField) fragmentAt(labels []int32, p board.Point) int {
	x, y := p.X-f.min.X, p.Y-f.min.Y
	if x < 0 || y < 0 {
		return -1
	}
	i0, j0 := int(x/f.pitch), int(y/f.pitch)
	i1, j1 := int((x+f.pitch-1)/f.pitch), int((y+f.pitch-1)/f.pitch)
	if i1 >= f.w || j1 >= f.h {
		return -1
	}
	return f.fragmentAround(labels, i0, j0, i1, j1)
}

// fragmentAround returns the label of the fragment that fills all samples from (i0, j0) to (i1,
// j1), the corners of a cell. It returns -1 if there is none.
func (f *clearanceField) fragmentAround(labels []int32, i0, j0, i1, j1 int) int {
	label := labels[j0*f.w+i0]
	for _, k := range [4]int{j0*f.w + i0, j0*f.w + i1, j1*f.w + i0, j1*f.w + i1} {
		if !f.filled[k] || labels[k] != label {
			return -1
		}
	}
	return int(label)
}

// FilledNear reports whether any sample within the distance reach [nm] of a position is filled.
func (r *Result) FilledNear(layer board.Layer, p board.Point, reach int64) bool {
	f := r.field(layer)
	if f == nil {
		return false
	}
	s := geom.Disc(p, 2*reach)
	i0, j0, i1, j1 := f.sampleRange(&s, 0)
	for j := j0; j <= j1; j++ {
		for i := i0; i <= i1; i++ {
			if f.filled[j*f.w+i] && s.To(f.x(i), f.y(j)) <= 0 {
				return true
			}
		}
	}
	return false
}

// Fragments returns the number of fragments on a layer.
func (r *Result) Fragments(layer board.Layer) int {
	if r.field(layer) == nil {
		return 0
	}
	return len(r.islandOf[layer])
}

// field returns the clearance field of a layer, or nil if the layer is not poured.
func (r *Result) field(layer board.Layer) *clearanceField {
	if int(layer) >= len(r.layers) {
		return nil
	}
	return r.layers[layer]
}

// Zones returns the outlines of the pour. It returns an error only if the context is cancelled.
func (r *Result) Zones(ctx context.Context) ([]board.Zone, error) {
	var zones []board.Zone
	for layer, f := range r.layers {
		if f == nil {
			continue
		}
		pieces, err := f.trace(ctx)
		if err != nil {
			return nil, err
		}
		if len(pieces) > 0 {
			zones = append(zones, board.Zone{Net: r.net, Layer: board.Layer(layer), Pieces: pieces})
		}
	}
	return zones, nil
}
