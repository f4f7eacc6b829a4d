package route

import (
	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
)

// kind selects the clearance rule that applies to an item.
type kind uint8

const (
	plainCopper  kind = iota // uses the clearance of its net class
	boardEdge                // uses the copper-to-edge clearance
	unplatedHole             // uses the clearance from copper to the hole wall
	trackKeepout
	viaKeepout
)

// copperItem is a fixed or routed object that other copper must keep clear of.
type copperItem struct {
	shape      geom.Shape
	hole       geom.Shape
	box        board.Rect
	clearance  float64 // [nm]
	limit      float64 // upper limit of the clearance to necked tracks [nm]; 0 for none
	net        int32
	kind       kind
	layers     board.LayerSet
	hasHole    bool
	via        bool
	thermalPad bool // whether the item is a pad that may carry vias
	// index of the pad in the terminals of its net; -1 for items without a terminal
	terminal int32
}

// required returns the clearance between the item and copper with the clearance c [nm], which may
// be a necked track.
func (it *copperItem) required(c float64, necked bool) float64 {
	c = max(c, it.clearance)
	if it.limit > 0 && necked {
		return min(c, it.limit)
	}
	return c
}

// spatialIndex finds the items near a position.
type spatialIndex struct {
	bins  geom.Bins
	items []copperItem
	seen  []uint32
	stamp uint32
	reach int64 // largest clearance of any rule [nm]
}

const (
	minBinSize = 2 * board.Millimetre
	// maxBinned bounds the number of bin entries of the fixed items, at 4 bytes each.
	maxBinned = 8_000_000
)

// binSizeOf returns the bin size [nm]. Large pads or keepouts increase it to bound the memory of
// the bins.
func binSizeOf(b *board.Board) int64 {
	size, area := minBinSize, b.Outline.Bounds()
	for ; ; size *= 2 {
		entries := int64(0)
		add := func(r board.Rect) {
			w := min(r.Max.X, area.Max.X) - max(r.Min.X, area.Min.X)
			h := min(r.Max.Y, area.Max.Y) - max(r.Min.Y, area.Min.Y)
			entries += (max(0, w)/size + 2) * (max(0, h)/size + 2)
		}
		for i := range b.Parts {
			for k := range b.Parts[i].Pads {
				s := b.Parts[i].Pads[k].Copper(0)
				add(s.Bounds())
			}
		}
		for _, k := range b.Keepouts {
			add(k.Area)
		}
		if entries <= maxBinned || size > max(area.Width(), area.Height()) {
			return size
		}
	}
}

func newSpatialIndex(area board.Rect, reach, binSize int64) *spatialIndex {
	return &spatialIndex{bins: geom.NewBins(area, binSize), reach: reach}
}

func (x *spatialIndex) add(it copperItem) int32 {
	it.box = it.shape.Bounds()
	id := int32(len(x.items))
	x.items = append(x.items, it)
	x.seen = append(x.seen, 0)
	x.bins.Add(id, it.box)
	return id
}

// remove removes an item from its bins; its slot is not reused.
func (x *spatialIndex) remove(id int32) { x.bins.Remove(id, x.items[id].box) }

// near calls yield once for each item whose box is within reach of r, until yield returns false.
func (x *spatialIndex) near(r board.Rect, yield func(id int32, it *copperItem) bool) {
	x.stamp++
	r = r.Grown(x.reach + 1)
	c0, r0, c1, r1 := x.bins.Range(r)
	for row := r0; row <= r1; row++ {
		for col := c0; col <= c1; col++ {
			for _, id := range x.bins.At(col, row) {
				if x.seen[id] == x.stamp {
					continue
				}
				x.seen[id] = x.stamp
				if it := &x.items[id]; it.box.Overlaps(r) && !yield(id, it) {
					return
				}
			}
		}
	}
}

func abs(v int64) int64 { return max(v, -v) }

func sign(v int64) int64 {
	switch {
	case v > 0:
		return 1
	case v < 0:
		return -1
	}
	return 0
}
