package electrical

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
)

func discOf(v board.Via) *geom.Shape {
	s := geom.Disc(v.At, v.Diameter)
	return &s
}

func overlap(o *object, v board.Via) bool { return geom.Distance(discOf(v), &o.shape) <= 0 }

// thermalPitch is the pitch of thermal vias [nm], from Texas Instruments' drawing DCP0038A of a
// package with a thermal pad.
const thermalPitch int64 = 1200 * board.Micrometre

// Pads with space for fewer than minThermalVias at thermalPitch have vias at smallThermalPitch
// [nm].
const (
	minThermalVias    = 4
	smallThermalPitch = 1000 * board.Micrometre
)

// thermalStep is the pitch [nm] of further via positions tried after those of thermalPitch.
const thermalStep = 200 * board.Micrometre

// addThermalVias fills thermal pads with vias where another layer has filled copper of their net.
func (c *completion) addThermalVias(on board.Pour) {
	s := c.space
	for i := range s.b.Parts {
		part := &s.b.Parts[i]
		for k := range part.Pads {
			p := &part.Pads[k]
			if p.Net != on.Net || on.Layers&^p.Layers == 0 || !isThermalPad(part, k) {
				continue
			}
			class := s.b.Rules.Class(&s.b.Nets[p.Net])
			grid, pitch := thermalGrid(p, class.ViaDiameter)
			want, have := len(grid), s.viasIn(p)
			for _, at := range append(grid, viaGrid(p, class.ViaDiameter, thermalStep)...) {
				v := board.Via{Net: p.Net, At: at, Drill: class.ViaDrill,
					Diameter: class.ViaDiameter}
				if have < want && !s.viaWithin(p.Net, at, pitch*3/4) &&
					s.filledElsewhere(v, on.Layers&^p.Layers) && s.fitsVia(v, p) {
					s.place(v)
					c.report.ThermalVias++
					have++
				}
			}
			if have == 0 {
				c.report.Shortfalls = append(c.report.Shortfalls,
					fmt.Sprintf("no thermal via fits in pad %s.%s", part.Ref, p.Number))
			}
		}
	}
}

// viasIn returns the number of vias in a pad that belong to its net. Plated holes of the footprint
// are vias too.
func (s *space) viasIn(p *board.Pad) int {
	copper, n := p.Copper(0), 0
	count := func(net int, at board.Point) {
		if net == p.Net && copper.To(float64(at.X), float64(at.Y)) <= 0 {
			n++
		}
	}
	for _, v := range s.b.Vias {
		count(v.Net, v.At)
	}
	for i := range s.b.Parts {
		for _, hole := range s.b.Parts[i].Pads {
			if hole.Plated {
				count(hole.Net, hole.At)
			}
		}
	}
	return n
}

// ThermalSites returns a via for each corner of the grids of vias in the thermal pads of a placed
// board that have none. Tracks that keep clear of these vias leave each side of a pad at least one.
// Corners where no via fits, such as those opposite of a part, have none.
func ThermalSites(b *board.Board) []board.Via {
	var out []board.Via
	s := newSpace(b)
	for _, on := range b.Rules.Pours() {
		for i := range b.Parts {
			part := &b.Parts[i]
			for k := range part.Pads {
				p := &part.Pads[k]
				if p.Net != on.Net || on.Layers&^p.Layers == 0 || !isThermalPad(part, k) ||
					s.viasIn(p) > 0 {
					continue
				}
				class := b.Rules.Class(&b.Nets[p.Net])
				grid, _ := thermalGrid(p, class.ViaDiameter)
				far := 0.0
				for _, at := range grid {
					far = max(far, board.Distance(at, p.CopperAt()))
				}
				for _, at := range grid {
					v := board.Via{Net: p.Net, At: at, Drill: class.ViaDrill,
						Diameter: class.ViaDiameter}
					if board.Distance(at, p.CopperAt()) > far-float64(board.Micrometre) &&
						s.fitsVia(v, p) {
						out = append(out, v)
					}
				}
			}
		}
	}
	return out
}

// thermalGrid returns the positions in a thermal pad for vias of a diameter, and their pitch [nm].
func thermalGrid(p *board.Pad, diameter int64) (grid []board.Point, pitch int64) {
	if grid = viaGrid(p, diameter, thermalPitch); len(grid) >= minThermalVias {
		return grid, thermalPitch
	}
	return viaGrid(p, diameter, smallThermalPitch), smallThermalPitch
}

// viaGrid returns a centred grid of positions in a pad for vias of a diameter and pitch [nm].
func viaGrid(p *board.Pad, diameter, pitch int64) []board.Point {
	count := func(side int64) int64 { return max(0, side-diameter)/pitch + 1 }
	nx, ny := count(p.Width), count(p.Height)
	var out []board.Point
	for y := range ny {
		for x := range nx {
			off := board.Point{X: pitch * (2*x - nx + 1) / 2, Y: pitch * (2*y - ny + 1) / 2}
			out = append(out, p.CopperAt().Add(off.Rotated(p.Rotation)))
		}
	}
	return out
}

func (s *space) viaWithin(net int, at board.Point, reach int64) bool {
	return slices.ContainsFunc(s.b.Vias, func(v board.Via) bool {
		return v.Net == net && board.Distance(v.At, at) < float64(reach)
	})
}

// filledElsewhere reports whether a via lies in filled copper of its net on at least one of the
// given layers.
func (s *space) filledElsewhere(v board.Via, layers board.LayerSet) bool {
	for l := range layers.All() {
		if s.filled(v.Net, l, v.At, v.Diameter) {
			return true
		}
	}
	return false
}

// capacitorReach is the largest distance from a bypass capacitor's pad to its via [nm].
const capacitorReach = 2 * board.Millimetre

// addCapacitorVias adds a via into the pour for each pad of a bypass capacitor on the pour's net.
// It omits pads on a layer of the pour and pads with a via within capacitorReach.
func (c *completion) addCapacitorVias(on board.Pour) {
	s := c.space
	for i := range s.b.Parts {
		part := &s.b.Parts[i]
		if !part.IsCapacitor() || len(part.Pads) != 2 {
			continue
		}
		for k := range part.Pads {
			p, other := &part.Pads[k], &part.Pads[1-k]
			if p.Net != on.Net || p.Layers&on.Layers != 0 || other.Net == board.NoNet ||
				!s.isSupply(other.Net) {
				continue
			}
			if copper := p.Copper(0); slices.ContainsFunc(s.b.Vias, func(v board.Via) bool {
				return v.Net == p.Net && copper.To(float64(v.At.X), float64(v.At.Y)) <
					float64(capacitorReach)
			}) {
				continue
			}
			if s.viaBeside(p, on.Layers) {
				c.report.CapacitorVias++
			} else {
				c.report.Shortfalls = append(c.report.Shortfalls,
					fmt.Sprintf("no via fits within %g mm of pad %s.%s", board.ToMM(capacitorReach),
						part.Ref, p.Number))
			}
		}
	}
}

// isSupply reports whether a net is a supply or has a declared current.
func (s *space) isSupply(net int) bool {
	return s.b.Nets[net].Current > 0 || s.b.Nets[net].Supply
}

// viaBeside adds a via into the pour next to a surface-mount pad, with a straight track to the pad.
// It reports whether the via fits within capacitorReach.
func (s *space) viaBeside(p *board.Pad, layers board.LayerSet) bool {
	class := s.b.Rules.Class(&s.b.Nets[p.Net])
	width := max(s.b.Rules.MinTrack, min(class.TrackWidth, p.Width, p.Height))
	if s.b.Rules.NeckWidth > 0 && s.b.Rules.NeckLength >= capacitorReach {
		width = max(s.b.Rules.MinTrack, min(class.TrackWidth, s.b.Rules.NeckWidth))
	}
	layer := slices.Collect(p.Layers.All())[0]
	copper, at := p.Copper(0), p.CopperAt()
	far := float64(max(p.Width, p.Height))/2 + float64(capacitorReach)
	for reach := float64(min(p.Width, p.Height)) / 2; reach < far; reach += 100e3 {
		for step := range 24 {
			sin, cos := math.Sincos(float64(step) * math.Pi / 12)
			v := board.Via{Net: p.Net, Drill: class.ViaDrill, Diameter: class.ViaDiameter,
				At: at.Add(board.Point{X: int64(math.Round(reach * cos)),
					Y: int64(math.Round(reach * sin))})}
			t := board.Track{Net: p.Net, Layer: layer, A: at, B: v.At, Width: width}
			if copper.To(float64(v.At.X), float64(v.At.Y)) < float64(capacitorReach) &&
				s.fitsVia(v, nil) &&
				s.filledElsewhere(v, layers) && s.fitsTrack(t) {
				s.lay(t)
				s.place(v)
				return true
			}
		}
	}
	return false
}

// stitchPitch is the largest distance [nm] from copper filled on two layers to a stitching via. One
// search step, at least stitchStep [nm], can add to it. For comparison, a tenth of a wavelength at
// 1 GHz in FR-4 (εr 4.3) is 14.5 mm.
const (
	stitchPitch = 10 * board.Millimetre
	stitchStep  = 1 * board.Millimetre
)

// addStitches adds stitching vias where copper is filled on two layers and no via or plated hole
// nearby connects them.
func (c *completion) addStitches(on board.Pour) {
	s := c.space
	layers := slices.Collect(on.Layers.All())
	if len(layers) < 2 {
		return
	}
	var stitches []board.Point
	for i := range s.b.Parts {
		for k := range s.b.Parts[i].Pads {
			if p := &s.b.Parts[i].Pads[k]; p.Net == on.Net && p.Plated {
				stitches = append(stitches, p.At)
			}
		}
	}
	for _, v := range s.b.Vias {
		if v.Net == on.Net {
			stitches = append(stitches, v.At)
		}
	}
	class := s.b.Rules.Class(&s.b.Nets[on.Net])
	box := s.b.Outline.Bounds()
	step := max(stitchStep, box.Width()/200, box.Height()/200)
	for y := box.Min.Y + step; y < box.Max.Y; y += step {
		for x := box.Min.X + step; x < box.Max.X; x += step {
			if c.ctx.Err() != nil {
				return
			}
			at := board.Point{X: x, Y: y}
			if slices.ContainsFunc(stitches, func(p board.Point) bool {
				return board.Distance(p, at) < float64(stitchPitch)
			}) {
				continue
			}
			if v, ok := s.stitchNear(board.Via{Net: on.Net, At: at, Drill: class.ViaDrill,
				Diameter: class.ViaDiameter}, layers, step); ok {
				s.place(v)
				stitches = append(stitches, v.At)
				c.report.StitchingVias++
			}
		}
	}
}

// stitchNear returns a legal via in the pours of at least two layers, and whether there is one. The
// via is within half a step [nm] of the position of v in x and in y.
func (s *space) stitchNear(v board.Via, layers []board.Layer, step int64) (board.Via, bool) {
	at := v.At
	for _, d := range offsetsNear() {
		v.At = at.Add(board.Point{X: d.X * step / 4, Y: d.Y * step / 4})
		n := 0
		for _, l := range layers {
			if s.filled(v.Net, l, v.At, v.Diameter) {
				n++
			}
		}
		if n >= 2 && s.fitsVia(v, nil) {
			return v, true
		}
	}
	return v, false
}

// offsetsNear returns offsets from a point in quarters of a step, closest first.
func offsetsNear() []board.Point {
	var out []board.Point
	for x := int64(-2); x <= 2; x++ {
		for y := int64(-2); y <= 2; y++ {
			out = append(out, board.Point{X: x, Y: y})
		}
	}
	slices.SortFunc(out, func(a, b board.Point) int {
		return cmp.Or(cmp.Compare(a.Dot(a), b.Dot(b)), cmp.Compare(a.X, b.X), cmp.Compare(a.Y, b.Y))
	})
	return out
}
