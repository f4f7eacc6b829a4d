package board

// Outline are the properties of a pad's shape that most pads leave at zero.
type Outline struct {
	// Radius of the corners of a RoundRect [nm], 0 for CornerRadius; for a Convex the distance
	// by which the hull of its corners is expanded.
	Radius int64
	// Corners of a Convex, counter-clockwise about the centre of the copper, before rotation.
	Corners [4]Point
	// Offset of the centre of the copper from the place of the pad, where its hole is, before
	// rotation.
	Offset Point
	// Group is above zero for pads that are pieces of one drawn pad; the pieces have equal numbers.
	Group           int
	NoMask, NoPaste bool // the solder mask covers the pad; the stencil has no opening for it
}

// mirrored returns the outline as seen from the other side of the board.
func (o Outline) mirrored() Outline {
	o.Offset.X = -o.Offset.X
	c := o.Corners
	for i := range c {
		o.Corners[i] = Point{X: -c[3-i].X, Y: c[3-i].Y}
	}
	return o
}

// Corner returns the radius of the corners of a pad of shape RoundRect [nm].
func (o *Outline) Corner(width, height int64) int64 {
	if o.Radius > 0 {
		return min(o.Radius, min(width, height)/2)
	}
	return CornerRadius(width, height)
}

// CopperAt returns the centre of a pad's copper on the board.
func (p *Pad) CopperAt() Point {
	if p.Offset == (Point{}) {
		return p.At
	}
	return p.At.Add(p.Offset.Rotated(p.Rotation))
}

// ConvexCorners returns the corners of a pad of shape Convex on the board, without its radius.
func (p *Pad) ConvexCorners() [4]Point {
	at, out := p.CopperAt(), p.Corners
	for i, c := range out {
		out[i] = at.Add(c.Rotated(p.Rotation))
	}
	return out
}

// GraphicLayer is where a line of a footprint's drawing is printed.
type GraphicLayer uint8

// The layers of a drawing.
const (
	SilkLayer GraphicLayer = iota
	FabLayer
	CourtyardLayer
)

// Graphic is a line of a footprint's drawing, in the footprint's frame.
type Graphic struct {
	Layer GraphicLayer
	A, B  Point
	Width int64
}

// Model is a reference to a 3D model. It passes through to the KiCad export; no file is read.
type Model struct {
	Path                  string
	Offset, Scale, Rotate [3]float64 // mm from the origin of the drawing with y up, factor, degrees
}

// Aperture is an opening of the solder mask or the stencil without associated copper.
type Aperture struct {
	FootprintPad
	Mask, Paste bool
}

// Drawing holds the graphics of an imported footprint beside its pads.
type Drawing struct {
	Origin    Point // of the drawing, in the footprint's frame
	Graphics  []Graphic
	Models    []Model
	Apertures []Aperture
}

// FootprintKeepout is a keepout that moves with its part, in the footprint's frame.
type FootprintKeepout struct {
	Area                 Rect
	Front, Back          bool
	Tracks, Vias, Copper bool
}

// PartKeepouts returns the keepouts of placed parts on a board of this stackup. One on both sides
// of its part holds on the layers between them too.
func (s Stackup) PartKeepouts(parts []Part) []Keepout {
	var out []Keepout
	for i := range parts {
		p := &parts[i]
		for _, k := range p.Footprint.Keepouts {
			one := Keepout{Area: p.box(k.Area).Bounds(), Tracks: k.Tracks, Vias: k.Vias,
				Copper: k.Copper}
			for l := range s.All().All() {
				front, back := l == s.Outer(p.Side), l == s.Outer(1-p.Side)
				if front && k.Front || back && k.Back || !front && !back && k.Front && k.Back {
					one.Layers = append(one.Layers, l)
				}
			}
			out = append(out, one)
		}
	}
	return out
}
