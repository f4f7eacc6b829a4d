package footprint

import (
	"math"

	"slipstick/autorouter/board"
)

// span holds the minimum and the maximum of a dimension with a tolerance [mm].
type span struct{ min, max float64 }

func (s span) width() float64 { return s.max - s.min }
func (s span) mid() float64   { return (s.min + s.max) / 2 }

// leads holds the package dimensions that determine the lands [mm]: the span l across opposite
// leads, the foot length t and the lead width w.
type leads struct{ l, t, w span }

// goals holds the solder joint goals at the toe, the heel and the side [mm].
type goals struct{ toe, heel, side float64 }

// Solder joint goals [mm] for density level B (nominal). Source: IPC-7351B (2010), section 3.1,
// tables of solder joint goals.
var (
	chipGoals      = goals{.35, -.05, 0}
	smallChipGoals = goals{.20, -.05, 0}
	gullGoals      = goals{.35, .35, .03}
	fineGullGoals  = goals{.35, .35, -.02} // for a pitch of at most 0.625 mm
	noLeadGoals    = goals{.30, 0, -.04}
)

// Tolerances of board fabrication and part placement, and the courtyard excess [mm]. Source:
// IPC-7351B, section 3.1, typical values for density level B.
const (
	fabrication = 0.10
	placement   = 0.05
	excess      = 0.25

	step = 0.05 // rounding increment of land dimensions
)

// lands describes two opposite rows of lands [nm]. z is the distance between the outer edges, g the
// distance between the inner edges, and x the land width.
type lands struct{ z, g, x int64 }

func (l lands) length() int64 { return (l.z - l.g) / 2 }
func (l lands) centre() int64 { return (l.z + l.g) / 4 }

// pattern returns the lands for leads d and solder joint goals g by the equations of IPC-7351B,
// section 3.1. Tolerances add up as the root of the sum of squares. The heel is derived from the
// inner span S = L - 2T, whose tolerance is combined in the same way.
func pattern(d leads, g goals) lands {
	k := float64(fabrication*fabrication) + float64(placement*placement)
	root := func(c float64) float64 { return math.Sqrt(float64(c*c) + k) }
	cl, ct := d.l.width(), d.t.width()
	cs := math.Sqrt(float64(cl*cl) + float64(2*ct*ct))
	widest, narrowest := d.l.max-float64(2*d.t.min), d.l.min-float64(2*d.t.max)
	inner := widest - (widest-narrowest-cs)/2
	return lands{
		z: rounded(d.l.min + float64(2*g.toe) + root(cl)),
		g: rounded(inner - float64(2*g.heel) - root(cs)),
		x: rounded(d.w.min + float64(2*g.side) + root(d.w.width())),
	}
}

// rounded rounds a length [mm] to a multiple of step and returns it in [nm]. The offset of 1e-9
// makes the rounding of ties independent of the last bit.
func rounded(mm float64) int64 {
	return int64(math.Floor(mm/step+0.5+1e-9)) * board.MM(step)
}

// land returns a surface-mount land; all lengths are in [nm].
func land(number string, x, y, width, height int64) board.FootprintPad {
	return board.FootprintPad{
		Number: number, At: board.Point{X: x, Y: y},
		Padstack: board.Padstack{Width: width, Height: height, Shape: board.RoundRect},
	}
}

// landMM returns a surface-mount land; all lengths are in [mm].
func landMM(number string, x, y, width, height float64) board.FootprintPad {
	return land(number, board.MM(x), board.MM(y), board.MM(width), board.MM(height))
}

// box returns a rectangle of the given width and height [mm], centred on the origin.
func box(width, height float64) board.Rect { return sides(-width/2, -height/2, width/2, height/2) }

// sides returns the rectangle with the given side coordinates [mm].
func sides(left, bottom, right, top float64) board.Rect {
	return board.Rect{Min: board.Point{X: board.MM(left), Y: board.MM(bottom)},
		Max: board.Point{X: board.MM(right), Y: board.MM(top)}}
}

// finish sets the courtyard and the other fields derived from the pads. Unless asDrawn is set, it
// first moves the origin to the centre of the pads.
func finish(f board.Footprint, asDrawn bool) *board.Footprint {
	if !asDrawn {
		recentre(&f)
	}
	all := f.Body
	for _, p := range f.Pads {
		all = union(all, bounds(p))
		f.Tht = f.Tht || p.Through()
	}
	f.Courtyard = all.Grown(board.MM(excess))
	return &f
}

// recentre moves the origin to the centre of the bounding box of the pad centres.
func recentre(f *board.Footprint) {
	var centres board.Polygon
	for _, p := range f.Pads {
		centres = append(centres, p.At)
	}
	b := centres.Bounds()
	off := board.Point{X: -half(b.Min.X + b.Max.X), Y: -half(b.Min.Y + b.Max.Y)}
	for i := range f.Pads {
		f.Pads[i].At = f.Pads[i].At.Add(off)
	}
	f.Body = board.Rect{Min: f.Body.Min.Add(off), Max: f.Body.Max.Add(off)}
	for i := range f.CourtyardOutline {
		f.CourtyardOutline[i] = f.CourtyardOutline[i].Add(off)
	}
	for i := range f.Keepouts {
		a := &f.Keepouts[i].Area
		a.Min, a.Max = a.Min.Add(off), a.Max.Add(off)
		for c := range f.Keepouts[i].Outline {
			f.Keepouts[i].Outline[c] = f.Keepouts[i].Outline[c].Add(off)
		}
	}
	if d := f.Drawing; d != nil {
		d.Origin = d.Origin.Add(off)
		for i := range d.Graphics {
			d.Graphics[i].A, d.Graphics[i].B = d.Graphics[i].A.Add(off), d.Graphics[i].B.Add(off)
		}
		for i := range d.Apertures {
			d.Apertures[i].At = d.Apertures[i].At.Add(off)
		}
		for i := range d.Texts {
			d.Texts[i].At = d.Texts[i].At.Add(off)
		}
		for i, g := range d.Cutouts {
			d.Cutouts[i] = g.Translated(off)
		}
	}
}

// half returns v/2 rounded towards -infinity. This rounding commutes with translations by even
// amounts [nm].
func half(v int64) int64 { return v >> 1 }

func union(a, b board.Rect) board.Rect {
	return board.Rect{
		Min: board.Point{X: min(a.Min.X, b.Min.X), Y: min(a.Min.Y, b.Min.Y)},
		Max: board.Point{X: max(a.Max.X, b.Max.X), Y: max(a.Max.Y, b.Max.Y)},
	}
}

// bounds returns the bounding box of a pad, including its hole [nm].
func bounds(p board.FootprintPad) board.Rect {
	w, h := max(p.Width, p.Drill, p.SlotW), max(p.Height, p.Drill, p.SlotH)
	corners := board.Polygon{{X: w - w/2, Y: h - h/2}, {X: -w / 2, Y: h - h/2},
		{X: -w / 2, Y: -h / 2}, {X: w - w/2, Y: -h / 2}}
	for i, c := range corners {
		corners[i] = p.At.Add(c.Add(p.Offset).Rotated(p.Rotation))
	}
	return corners.Bounds()
}
