package board

// Shape is the form of a pad.
type Shape uint8

// The pad shapes. RoundRect has rounded corners; Oval is a rectangle with half-circles at its
// shorter ends; Convex is a convex polygon of four corners with everything within a radius of it.
const (
	RectShape Shape = iota
	RoundRect
	Circle
	Oval
	Convex
)

// String returns the shape's name in requests and responses.
func (s Shape) String() string {
	return [...]string{"rect", "roundrect", "circle", "oval", "polygon"}[s]
}

// CornerRadius returns the default corner radius of a RoundRect pad [nm]: a quarter of the shorter
// side, at most 0.25 mm.
func CornerRadius(width, height int64) int64 { return min(min(width, height)/4, MM(0.25)) }

// Edge is the edge of the board at which a part must be placed.
type Edge uint8

// The edges a connector may ask for.
const (
	NoEdge Edge = iota
	AnyEdge
	LeftEdge
	RightEdge
	TopEdge
	BottomEdge
)

// Padstack is the copper of a pad, equal on each of its layers, and its hole. Sizes are in nm,
// before the rotation of the pad.
type Padstack struct {
	Width, Height int64
	Shape         Shape
	Drill         int64 // diameter of a round hole, 0 for none
	SlotW, SlotH  int64 // slot in place of a round hole, 0 for none; turned with the pad
	Outline
}

// FootprintPad is a pad in the footprint's frame.
type FootprintPad struct {
	Number   string // pads that share a number are one pin
	At       Point
	Rotation float64 // degrees
	Padstack
	NonPlated bool     // a hole without copper (Number is "")
	Layers    LayerSet // of TwoLayers for a part on the top, of a pad without a plated hole; 0: top
}

// Through reports whether the pad has a plated hole and is on both layers.
func (p FootprintPad) Through() bool { return (p.Drill > 0 || p.SlotW > 0) && !p.NonPlated }

// CopperLayers returns the layers of a stackup with copper of the pad, for a part on a side. A
// plated hole has copper on all.
func (p FootprintPad) CopperLayers(s Stackup, side Side) LayerSet {
	switch {
	case p.NonPlated:
		return 0
	case p.Through():
		return s.All()
	case p.Layers == 0:
		return s.Outer(side).Bit()
	case side == BottomSide && p.Layers.Count() == 1:
		return s.OnSides(TwoLayers().All() &^ p.Layers)
	}
	return s.OnSides(p.Layers)
}

// Footprint is a land pattern. Its origin is the centre of the pad centres' bounding box
// unless the library says "as drawn".
type Footprint struct {
	Name      string // canonical: R_0805, SOIC-8
	Pads      []FootprintPad
	Body      Rect // package outline, for silk and courtyard
	Courtyard Rect // lands and body with their margin
	// pin name of the footprint (A, K, +, -) -> pad number
	Aliases map[string]string
	Polar   bool // pad 1 needs a mark
	Tht     bool // has plated through holes: mount "tht"
	Edge    Edge // default edge for placement
	// side of the footprint that faces away from the board; NoEdge for none
	Mouth    Edge
	Note     string   // difference from KiCad's footprint of that name, "" for none
	Drawing  *Drawing // drawing of an imported footprint, nil for none
	Keepouts []FootprintKeepout
	Touching [][2]string // numbers of pads whose copper overlaps: they must be on one net
}

// Component is a part of the netlist before it is placed.
type Component struct {
	Ref       string // as written; unique ignoring case
	Value     string
	Footprint *Footprint
	Edge      Edge
	DNP       bool // do not populate: on the board, not in BOM and placement files
	// LCSC and MPN are the part numbers of the distributor LCSC and of the manufacturer, "" for
	// none.
	LCSC, MPN string
}

// PinRef is one pad number of one component.
type PinRef struct {
	Component int    // index into Netlist.Components
	Pad       string // number
}

// Net is a set of pins to connect.
type Net struct {
	Name  string
	Class string // name of a class in Rules.Classes
	Pins  []PinRef
	Width int64 // track width required by the current; 0: width of the class
	// Current [A] that a request declares, 0 for none.
	Current float64
}

// Netlist is the circuit to build.
type Netlist struct {
	Title      string
	Components []Component
	Nets       []Net
	Warnings   []string
}

// NoNet is the net of copper on no net.
const NoNet = -1

// Class is a net class.
type Class struct {
	Name        string
	TrackWidth  int64
	Clearance   int64
	ViaDrill    int64
	ViaDiameter int64
	PairWidth   int64 // of the tracks of differential pairs; 0: TrackWidth
	PairGap     int64 // between the tracks of a pair; 0: Clearance
}

// Rules are the design rules in force.
type Rules struct {
	Classes         []Class // Classes[0] is "default", Classes[1] "power"
	NeckWidth       int64   // a wide track may narrow to this ...
	NeckLength      int64   // ... within this distance of a pad
	EdgeClearance   int64   // copper to board edge
	HoleClearance   int64   // hole wall to foreign copper
	HoleToHole      int64   // wall to wall
	MaskExpansion   int64   // opening grows by this
	MaskWeb         int64   // narrower webs of mask are merged
	PourClearance   int64
	ThermalRelief   bool
	ThermalGap      int64
	ThermalSpoke    int64
	KiCadSpokes     bool  // spokes of round pads at 45 degrees; none that ends outside the pour
	MinTrack        int64 // fabrication minimums
	MinGap          int64
	MinDrill        int64
	MinRing         int64
	PourLayers      []Layer // with copper of GroundNet between their tracks
	GroundNet       int     // index, NoNet for none
	Planes          []Plane // layers without tracks
	Pairs           []Pair  // differential pairs
	CourtyardMargin int64   // required distance between courtyards, 0 in every request
}

// Plane is a copper layer that is poured for one net and has no tracks.
type Plane struct {
	Layer Layer
	Net   int
}

// PlaneLayers returns the layers of the planes.
func (r *Rules) PlaneLayers() LayerSet {
	var s LayerSet
	for _, p := range r.Planes {
		s |= p.Layer.Bit()
	}
	return s
}

// Pour is copper that is poured for a net on some layers.
type Pour struct {
	Net    int
	Layers LayerSet
}

// Pours returns the pours of a board, one for each net, starting with the ground pour.
func (r *Rules) Pours() []Pour {
	var out []Pour
	add := func(net int, layers LayerSet) {
		for i := range out {
			if out[i].Net == net {
				out[i].Layers |= layers
				return
			}
		}
		if net != NoNet && layers != 0 {
			out = append(out, Pour{net, layers})
		}
	}
	add(r.GroundNet, LayersOf(r.PourLayers...))
	for _, p := range r.Planes {
		add(p.Net, p.Layer.Bit())
	}
	return out
}

// Class returns the class of a net, with the net's own width where that is larger.
func (r *Rules) Class(n *Net) Class {
	for _, c := range r.Classes {
		if c.Name == n.Class {
			if n.Width > c.TrackWidth {
				c.TrackWidth = n.Width
			}
			return c
		}
	}
	return r.Classes[0]
}

// Placement is the position of a part.
type Placement struct {
	At       Point   // of the footprint's origin
	Rotation float64 // degrees, 0 <= r < 360
	Side     Side    // BottomSide: mirrored in x in the footprint's frame, then rotated
	Fixed    bool
}

// Part is a placed component.
type Part struct {
	Component
	Placement
	Pads []Pad
}

// Pad is a pad on the board.
type Pad struct {
	Number   string
	Net      int // index into Board.Nets, NoNet when free
	At       Point
	Rotation float64 // total, in the board's frame
	Padstack
	Layers LayerSet // with its copper
	Plated bool
	Spoke  int64 // width of its thermal spokes where that is above the rule's [nm]
	Solid  bool  // connects to the pour of its net without thermal relief
	// Clearance of its copper, and of its hole without plating, to copper of other nets [nm]; a
	// larger clearance of a net class takes precedence.
	Clearance int64
}

// Track is a straight piece of copper with round ends.
type Track struct {
	Net   int
	Layer Layer
	A, B  Point
	Width int64
}

// Via connects the layers.
type Via struct {
	Net      int
	At       Point
	Drill    int64
	Diameter int64
	Span     LayerSet // layers that it connects; 0 for all
}

// Filled is one piece of a zone: an outline counter-clockwise and holes clockwise.
type Filled struct {
	Outline Polygon
	Holes   []Polygon
}

// Zone is the copper poured on a layer for a net.
type Zone struct {
	Net    int
	Layer  Layer
	Pieces []Filled
}

// Hole is a hole without plating.
type Hole struct {
	At       Point
	Diameter int64
	Keepout  int64 // no copper and no parts within this of the wall
}

// Keepout is a rectangle that excludes kinds of objects.
type Keepout struct {
	Area                             Rect
	Layers                           []Layer
	Tracks, Vias, Copper, Components bool
	Pour                             bool // no pour; tracks, vias and pads are allowed
}

// Board is a board at any stage: first parts, then copper.
type Board struct {
	Name     string
	Outline  Polygon // arcs as chords
	Stackup  Stackup // nil for TwoLayers
	Rules    Rules
	Nets     []Net
	Parts    []Part
	Tracks   []Track
	Vias     []Via
	Zones    []Zone
	Holes    []Hole
	Keepouts []Keepout
}

// Place places a component and its pads on a board of two layers.
func Place(c Component, at Placement, netOf func(pad string) int) Part {
	return TwoLayers().Place(c, at, netOf)
}

// Place places a component and its pads. netOf returns the net of a pad number, NoNet when free.
func (s Stackup) Place(c Component, at Placement, netOf func(pad string) int) Part {
	p := Part{Component: c, Placement: at}
	for _, f := range c.Footprint.Pads {
		p.Pads = append(p.Pads, s.placePad(f, at, netOf(f.Number)))
	}
	return p
}

func (s Stackup) placePad(f FootprintPad, at Placement, net int) Pad {
	local, turn := f.At, f.Rotation
	if at.Side == BottomSide {
		local.X, turn = -local.X, -turn
	}
	p := Pad{
		Number: f.Number, Net: net, At: at.At.Add(local.Rotated(at.Rotation)),
		Rotation: normalAngle(turn + at.Rotation), Padstack: f.Padstack, Plated: f.Through(),
	}
	if at.Side == BottomSide {
		p.Outline = p.mirrored()
	}
	p.Layers = f.CopperLayers(s, at.Side)
	return p
}

func normalAngle(degrees float64) float64 {
	for degrees < 0 {
		degrees += 360
	}
	for degrees >= 360 {
		degrees -= 360
	}
	return degrees
}

// CourtyardOf returns the courtyard of a placed part as a polygon on the board.
func CourtyardOf(p *Part) Polygon { return p.box(p.Footprint.Courtyard) }

// BodyBox returns the bounding box of the package of a part.
func (b *Board) BodyBox(part int) Rect {
	p := &b.Parts[part]
	return p.box(p.Footprint.Body).Bounds()
}

// box returns a rectangle of the footprint on the board.
func (p *Part) box(r Rect) Polygon {
	corners := Polygon{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}}
	if p.Side == BottomSide {
		for i := range corners {
			corners[i].X = -corners[i].X
		}
		corners[0], corners[1], corners[2], corners[3] = corners[1], corners[0],
			corners[3], corners[2]
	}
	for i, c := range corners {
		corners[i] = p.At.Add(c.Rotated(p.Rotation))
	}
	return corners
}

// ZoneCorner returns the first corner of a zone's outline in a KiCad board, whose points run the
// other way round; the origin for a board without an outline. KiCad measures distances to a zone
// from it.
func (b *Board) ZoneCorner() Point {
	if len(b.Outline) == 0 {
		return Point{}
	}
	return b.Outline[len(b.Outline)-1]
}
