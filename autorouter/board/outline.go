package board

import "slices"

// Outline holds shape properties of a pad that are zero for most pads.
type Outline struct {
	// Radius is the corner radius of a RoundRect [nm]; 0 selects the radius from CornerRadius. The
	// polygon of a Convex pad is expanded by this distance.
	Radius int64
	// Corners holds the corners of a Convex pad, counter-clockwise and before rotation. They are
	// relative to the copper centre.
	Corners [4]Point
	// Offset is the position of the copper centre relative to the hole at the pad position, before
	// rotation.
	Offset Point
	// Group is a positive number shared by the pads that form one drawn pad; 0 for a single pad.
	Group int
	// Tie marks copper that a net tie has outside of its drawn pad. Tracks do not end there.
	Tie             bool
	NoMask, NoPaste bool // NoMask omits the solder mask opening, and NoPaste the stencil opening
	// MaskMargin replaces Rules.MaskExpansion if it is not 0 [nm]. A negative one makes the opening
	// smaller than the pad.
	MaskMargin int64
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

// Corner returns the corner radius [nm] of a RoundRect pad of the given size [nm]. It is at most
// half of the shorter side.
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

// ConvexCorners returns the corners of a Convex pad in board coordinates, without expansion by the
// radius.
func (p *Pad) ConvexCorners() [4]Point {
	at, out := p.CopperAt(), p.Corners
	for i, c := range out {
		out[i] = at.Add(c.Rotated(p.Rotation))
	}
	return out
}

// GraphicLayer is the layer of a line in a footprint drawing.
type GraphicLayer uint8

// Layers of a footprint drawing.
const (
	SilkLayer GraphicLayer = iota
	FabLayer
	CourtyardLayer
	BackSilkLayer // silkscreen on the side opposite the part
)

// Graphic is a line of a footprint drawing, in footprint coordinates.
type Graphic struct {
	Layer GraphicLayer
	A, B  Point
	Width int64
}

// Model references a 3D model file. The reference is copied to the KiCad export; the file is not
// read.
type Model struct {
	Path string
	// Offset [mm] is relative to the drawing origin with y up, Scale is a factor per axis, and
	// Rotate is in degrees.
	Offset, Scale, Rotate [3]float64
}

// MaskExpansion returns the distance by which the mask opening of a pad extends beyond it [nm].
func (p *Pad) MaskExpansion(r *Rules) int64 {
	if p.MaskMargin != 0 {
		return p.MaskMargin
	}
	return r.MaskExpansion
}

// Aperture is an opening of the solder mask or the stencil that has no copper.
type Aperture struct {
	FootprintPad
	Mask, Paste bool
	Drawn       bool // whether it is a graphic, whose mask opening is not expanded
}

// DrawnText is a text on the silkscreen of a footprint, in footprint coordinates.
type DrawnText struct {
	Text     string
	At       Point
	Rotation float64 // counter-clockwise [degrees]
	Height   int64   // height of the letters [nm]
	// Align is -1 if At is at the left end of the text, 0 for its middle and 1 for the right end.
	Align int64
	// Unlocked texts may be upside down. The others turn by 180 degrees where they would be.
	Unlocked bool
}

// Drawing holds the content of an imported footprint other than its pads.
type Drawing struct {
	Origin    Point // origin of the drawing in footprint coordinates
	Graphics  []Graphic
	Models    []Model
	Apertures []Aperture
	Texts     []DrawnText
	Cutouts   []Polygon // inner cut-outs of the board, in footprint coordinates
}

// FootprintKeepout is a keepout in footprint coordinates, which moves with its part.
type FootprintKeepout struct {
	Area        Rect
	Outline     Polygon // shape within Area; nil for a rectangle
	Front, Back bool
	// Copper excludes all copper, also that of pads. The others allow pads.
	Tracks, Vias, Pour, Copper bool
}

// Cutouts returns the inner cut-outs of the board that the footprint of a placed part contains, in
// board coordinates.
func (p *Part) Cutouts() []Polygon {
	if p.Footprint == nil || p.Footprint.Drawing == nil {
		return nil
	}
	var out []Polygon
	for _, g := range p.Footprint.Drawing.Cutouts {
		out = append(out, p.onBoard(g))
	}
	return out
}

// Cutouts returns the inner cut-outs of the board, which imported footprints contain.
func (b *Board) Cutouts() []Polygon {
	var out []Polygon
	for i := range b.Parts {
		out = append(out, b.Parts[i].Cutouts()...)
	}
	return out
}

// CutoutKeepouts returns keepouts that hold tracks, vias and pours at the distance edge [nm] from
// the cut-outs of placed parts. A cut-out that is no rectangle is covered with strips.
func (s Stackup) CutoutKeepouts(parts []Part, edge int64) []Keepout {
	const rows = 200 // largest number of rows of strips of the cut-outs of a part
	layers := slices.Collect(s.All().All())
	var out []Keepout
	for i := range parts {
		cutouts := parts[i].Cutouts()
		for _, g := range cutouts {
			for _, area := range g.Strips(StripHeight, rows/int64(len(cutouts))) {
				out = append(out, Keepout{Area: area.Grown(edge), Layers: layers, Tracks: true,
					Vias: true, Pour: true, Derived: true})
			}
		}
	}
	return out
}

// PartKeepouts returns the keepouts of placed parts on a board with this stackup. A keepout on both
// sides of its part also applies to the inner layers. A keepout that is not a rectangle along the
// axes becomes strips of at most the given height [nm]. The strips of a part are higher if it needs
// more rows than the given number.
func (s Stackup) PartKeepouts(parts []Part, height, rows int64) []Keepout {
	var out []Keepout
	for i := range parts {
		list := s.KeepoutOutlines(&parts[i])
		for _, k := range list {
			one := k.Keepout
			for _, one.Area = range k.Outline.Strips(height, rows/int64(len(list))) {
				out = append(out, one)
			}
		}
	}
	return out
}

// KeepoutOutline is a keepout of a placed part with its shape on the board. Its Area is not set.
type KeepoutOutline struct {
	Keepout
	Outline Polygon
}

// KeepoutOutlines returns the keepouts of a placed part on a board with this stackup.
func (s Stackup) KeepoutOutlines(p *Part) []KeepoutOutline {
	var out []KeepoutOutline
	for _, k := range p.Footprint.Keepouts {
		one := KeepoutOutline{Outline: p.box(k.Area), Keepout: Keepout{Tracks: k.Tracks,
			Vias: k.Vias, Pour: k.Pour, Copper: k.Copper, Derived: true}}
		for l := range s.All().All() {
			front, back := l == s.Outer(p.Side), l == s.Outer(1-p.Side)
			if front && k.Front || back && k.Back || !front && !back && k.Front && k.Back {
				one.Layers = append(one.Layers, l)
			}
		}
		if k.Outline != nil {
			one.Outline = p.onBoard(k.Outline)
		}
		out = append(out, one)
	}
	return out
}

const (
	// StripHeight is the height of the strips of CutoutKeepouts, and of PartKeepouts for routing
	// [nm].
	StripHeight = 100 * Micrometre
	// StripRows is the number of rows of PartKeepouts for routing.
	StripRows = 600
)
