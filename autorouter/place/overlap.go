package place

import (
	"math"
	"slices"

	"slipstick/autorouter/board"
)

// courtyardArea holds the courtyard of a placed part, and the courtyard enlarged by the wanted and
// by the required halo. Its layer set is empty if the part is not placed.
type courtyardArea struct {
	wanted, required, courtyard board.Rect
	layers                      board.LayerSet
	at                          board.Point
	boxes                       []occupied // relative to at; nil if the courtyard is one rectangle
}

// occupied is a rectangle that a part occupies on some layers, relative to the part's origin.
type occupied struct {
	area   board.Rect
	layers board.LayerSet
	// keepout marks a keepout of the footprint, which may overlap other keepouts and holes.
	keepout bool
}

// occupiedBy returns the boxes of a part at the origin and their bounding box. courtyard is the
// bounding box of its courtyard, and layers are those of its copper.
func (p *placer) occupiedBy(placed *board.Part, courtyard board.Rect,
	layers board.LayerSet) ([]occupied, board.Rect) {
	var boxes []occupied
	for _, g := range board.CourtyardsOf(placed) {
		boxes = append(boxes, occupied{area: g.Bounds(), layers: layers})
	}
	around, courtyards := courtyard, len(boxes)
	// Few strips suffice, because they only keep other parts away. The time to test an overlap
	// grows with the square of their number.
	const (
		stripHeight = 2 * board.Millimetre
		rows        = 32
	)
	for _, k := range p.copper.PartKeepouts([]board.Part{*placed}, stripHeight, rows) {
		on := board.LayersOf(k.Layers...)
		inCourtyard := slices.ContainsFunc(boxes[:courtyards], func(b occupied) bool {
			return on&^layers == 0 && b.area.Union(k.Area) == b.area
		})
		if k.Copper && !inCourtyard {
			boxes = append(boxes, occupied{k.Area, on, true})
			around = around.Union(k.Area)
		}
	}
	for _, g := range cutoutBoxes(placed, rows) {
		area := g.Grown(p.opt.Rules.EdgeClearance)
		boxes = append(boxes, occupied{area, p.copper.All(), true})
		around = around.Union(area)
	}
	if len(boxes) == 1 {
		return nil, around
	}
	return boxes, around
}

// cutoutBoxes returns the bounding boxes of the cut-outs of a part, or that of all of them if they
// are more than the given number.
func cutoutBoxes(placed *board.Part, most int) []board.Rect {
	var out []board.Rect
	for _, g := range placed.Cutouts() {
		out = append(out, g.Bounds())
	}
	if len(out) <= most {
		return out
	}
	all := out[0]
	for _, r := range out[1:] {
		all = all.Union(r)
	}
	return []board.Rect{all}
}

// addIsolation adds to the boxes of a part the areas around its pads whose nets need a larger
// clearance than minIsolation. Courtyards of other parts keep out of them, with their pads at least
// padInset inside. It returns the boxes and their bounding box. Smaller clearances result from
// courtyards and halos, except on full boards with narrow courtyards.
func (p *placer) addIsolation(placed *board.Part, boxes []occupied, around board.Rect,
	layers board.LayerSet) ([]occupied, board.Rect) {
	const (
		minIsolation = 500 * board.Micrometre // twice the courtyard excess of the library
		padInset     = 100 * board.Micrometre
	)
	courtyard := around
	for i := range placed.Pads {
		pad := &placed.Pads[i]
		if pad.Net == board.NoNet {
			continue
		}
		clearance := p.opt.Rules.Class(&p.nl.Nets[pad.Net]).Clearance
		if clearance <= minIsolation {
			continue
		}
		on := layers
		if pad.Layers.Count() > 1 {
			on = p.copper.All()
		}
		if len(boxes) == 0 {
			boxes = []occupied{{area: courtyard, layers: layers}}
		}
		p.needsIsolation = true
		area := copperBox(pad).Grown(clearance - padInset)
		boxes = append(slices.Clip(boxes), occupied{area, on, true})
		around = around.Union(area)
	}
	return boxes, around
}

// copperBox returns a box around the copper of a pad.
func copperBox(p *board.Pad) board.Rect {
	x, y := p.Width/2, p.Height/2
	switch math.Mod(p.Rotation, 180) {
	case 0:
	case 90:
		x, y = y, x
	default:
		x = int64(math.Ceil(math.Hypot(float64(p.Width), float64(p.Height)) / 2))
		y = x
	}
	at, half := p.CopperAt(), board.Point{X: x, Y: y}
	return board.Rect{Min: at.Sub(half), Max: at.Add(half)}
}

// box returns box k of a part in board coordinates. A courtyard is enlarged by a margin [nm].
func (y *courtyardArea) box(k int, margin int64) occupied {
	if y.boxes == nil {
		return occupied{area: y.courtyard.Grown(margin), layers: y.layers}
	}
	b := y.boxes[k]
	if b.area = b.area.Translated(y.at); !b.keepout {
		b.area = b.area.Grown(margin)
	}
	return b
}

// boxOverlap returns the overlap of the boxes of two parts [nm²]. The courtyards are enlarged by a
// margin for each part [nm].
func (y *courtyardArea) boxOverlap(o *courtyardArea, margin, otherMargin int64) float64 {
	total := 0.0
	for i := range max(1, len(y.boxes)) {
		a := y.box(i, margin)
		for k := range max(1, len(o.boxes)) {
			b := o.box(k, otherMargin)
			w := min(a.area.Max.X, b.area.Max.X) - max(a.area.Min.X, b.area.Min.X)
			h := min(a.area.Max.Y, b.area.Max.Y) - max(a.area.Min.Y, b.area.Min.Y)
			if a.layers&b.layers != 0 && w > 0 && h > 0 && !(a.keepout && b.keepout) {
				total += float64(w) * float64(h)
			}
		}
	}
	return total
}

// setWantedHalo chooses the largest wanted halo with which the parts fill at most maxFill of the
// board. It then updates the courtyard areas of all parts.
func (p *placer) setWantedHalo() {
	for p.wantedHalo = wantedHaloFactor; p.wantedHalo > 0; p.wantedHalo -= 0.25 {
		total := 0.0
		for i := range p.parts {
			y := p.courtyardAt(i, p.parts[i].at, p.parts[i].orientation)
			margin := y.courtyard.Min.X - y.wanted.Min.X
			for k := range max(1, len(y.boxes)) {
				if b := y.box(k, margin); !b.keepout {
					total += float64(b.area.Width()) * float64(b.area.Height())
				}
			}
		}
		if total <= maxFill*math.Abs(p.outline.Area()) {
			break
		}
	}
	for i := range p.parts {
		p.setPose(i, p.parts[i].at, p.parts[i].orientation)
	}
}

// courtyardAt returns the courtyard area of a part at a pose.
func (p *placer) courtyardAt(i int, where board.Point, v int) courtyardArea {
	q := &p.parts[i]
	a := &q.orientations[v]
	boxes, bounds := a.isolatedBoxes, a.isolatedBounds
	if !p.isolated {
		boxes, bounds = a.boxes, a.bounds
	}
	courtyard := bounds.Translated(where)
	core := courtyard.Grown(int64(float64(q.halo) * p.requiredHalo))
	layers := p.layers(q, v)
	for _, b := range boxes {
		layers |= b.layers
	}
	wanted := courtyard.Grown(int64(float64(q.halo) * max(p.requiredHalo, p.wantedHalo)))
	return courtyardArea{wanted, core, courtyard, layers, where, boxes}
}

// pairOverlap returns the overlap of two parts with their wanted halos [mm²]. For associated parts
// it is the overlap of their courtyards, one enlarged by associatedGap.
func (p *placer) pairOverlap(i int, y *courtyardArea, j int, o *courtyardArea) float64 {
	if y.layers&o.layers == 0 {
		return 0
	}
	a, b := y.wanted, o.wanted
	if p.areAssociated(i, j) {
		a, b = y.courtyard.Grown(p.associatedGap(i, j)), o.courtyard
	}
	w := min(a.Max.X, b.Max.X) - max(a.Min.X, b.Min.X)
	h := min(a.Max.Y, b.Max.Y) - max(a.Min.Y, b.Min.Y)
	if w <= 0 || h <= 0 {
		return 0
	}
	if y.boxes != nil || o.boxes != nil {
		return y.boxOverlap(o, y.courtyard.Min.X-a.Min.X, o.courtyard.Min.X-b.Min.X) / 1e12
	}
	return float64(w) / 1e6 * float64(h) / 1e6
}

// overlap returns the total overlap of the moved parts with each other and with all other parts
// [mm²]. The function areaOf returns the courtyard area of a moved part, before or after the move.
func (p *placer) overlap(cs []move, areaOf func(*move) *courtyardArea) float64 {
	total := 0.0
	for k := range cs {
		total += p.othersOverlap(cs[k].part, areaOf(&cs[k]), cs)
	}
	if len(cs) == 2 {
		total += p.pairOverlap(cs[0].part, areaOf(&cs[0]), cs[1].part, areaOf(&cs[1]))
	}
	return total
}

// othersOverlap returns the overlap of a part's courtyard with the courtyards of placed parts that
// are not moving [mm²].
func (p *placer) othersOverlap(i int, y *courtyardArea, cs []move) float64 {
	total := 0.0
	p.stamp++ // marks parts that are already counted or excluded
	for _, c := range cs {
		p.counted[c.part] = p.stamp
	}
	c0, r0, c1, r1 := p.bins.Range(y.wanted)
	for row := r0; row <= r1; row++ {
		for col := c0; col <= c1; col++ {
			for _, j := range p.bins.At(col, row) {
				if o := &p.courtyards[j]; o.wanted.Overlaps(y.wanted) && p.counted[j] != p.stamp {
					p.counted[j] = p.stamp
					total += p.pairOverlap(i, y, int(j), o)
				}
			}
		}
	}
	return total
}
