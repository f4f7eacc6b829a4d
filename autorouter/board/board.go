package board

// Shape is the basic shape of a pad.
type Shape uint8

// Pad shapes. RoundRect has rounded corners, and Oval has semicircles at its shorter ends. Convex
// is a convex polygon of four corners, expanded by a radius.
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

// Edge is the board edge at which a part must be placed.
type Edge uint8

// Edges that a part can require.
const (
	NoEdge Edge = iota
	AnyEdge
	LeftEdge
	RightEdge
	TopEdge
	BottomEdge
)

// Padstack describes the hole of a pad and its copper, which is equal on all layers of the pad.
// Lengths [nm] apply before the pad is rotated.
type Padstack struct {
	Width, Height int64
	Shape         Shape
	Drill         int64 // diameter of a round hole; 0 for a pad without one
	SlotW, SlotH  int64 // width and height of a slot instead of a round hole; 0 without a slot
	Outline
}

// FootprintPad is a pad in footprint coordinates.
type FootprintPad struct {
	Number   string // pads with equal numbers form one pin
	At       Point
	Rotation float64 // [°] counter-clockwise
	Padstack
	NonPlated bool // whether the pad is an unplated hole without copper; Number is then ""
	// Layers holds the copper layers of a pad without a plated hole, for a part on the top of a
	// TwoLayers stackup. The empty set selects the top layer.
	Layers LayerSet
}

// Through reports whether the pad has a plated hole and therefore copper on all layers.
func (p FootprintPad) Through() bool { return (p.Drill > 0 || p.SlotW > 0) && !p.NonPlated }

// CopperLayers returns the layers of a stackup on which the pad has copper, for a part on the given
// side. A pad with a plated hole has copper on all layers.
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

// Footprint is a land pattern. Its origin is the centre of the bounding box of the pad centres,
// except for land patterns that keep the origin of their drawing.
type Footprint struct {
	Name      string // canonical name, such as R_0805 or SOIC-8
	Pads      []FootprintPad
	Body      Rect // package outline, for silkscreen and courtyard
	Courtyard Rect // bounding box of pads and body, plus the courtyard excess
	// CourtyardOutline is the courtyard if it is much smaller than its bounding box Courtyard, as
	// around an antenna. Its sides are horizontal and vertical. Otherwise it is nil.
	CourtyardOutline Polygon
	// Stacked marks another board that is plugged on this one. Parts may stand in its courtyard, so
	// that only the surroundings of its pads count as one.
	Stacked bool
	// Aliases maps pin names of the footprint (A, K, +, -) to pad numbers.
	Aliases map[string]string
	Polar   bool // whether the silkscreen must mark pad 1
	Tht     bool // whether any pad has a plated hole (through-hole technology)
	Edge    Edge // default board edge at which the part is placed
	// MatingSide is the mating side of the footprint, which faces away from the board, or NoEdge.
	MatingSide Edge
	// EdgeDistance is the distance [nm] from the origin to the board edge, towards the mating side.
	// It is valid if the drawing marks the edge (MarksEdge), or if the part is soldered to the edge
	// (EdgeMount) and its pads end there.
	EdgeDistance int64
	MarksEdge    bool
	EdgeMount    bool

	Note    string   // difference from the KiCad footprint of the same name; "" if there is none
	Drawing *Drawing // graphics of an imported footprint; nil for any other footprint
	// FromFigures reports that the dimensions are those of KiCad's footprint of the same name.
	FromFigures bool
	Keepouts    []FootprintKeepout
	// Touching lists the pairs of pad numbers with overlapping or touching copper, which must be on
	// one net.
	Touching [][2]string
	// Ties lists the pairs of pad numbers that the copper of a net tie joins. They may be on two
	// nets.
	Ties [][2]string
	// NoBOM excludes the parts from the BOM, and NoPlacement from the placement files, such as
	// those of mounting holes.
	NoBOM, NoPlacement bool
}

// Component is a component of the netlist, before placement.
type Component struct {
	Ref       string // reference designator as written, unique ignoring case
	Value     string
	Footprint *Footprint
	Edge      Edge
	// DNP (do not populate) excludes the part from the BOM and placement files.
	DNP bool
	// NoBOM excludes the part from the BOM, and NoPlacement from the placement files. They include
	// those of its footprint.
	NoBOM, NoPlacement bool
	// LCSC is the part number of the distributor LCSC and MPN that of the manufacturer; both may be
	// empty.
	LCSC, MPN string
}

// PinRef identifies a pad number of a component.
type PinRef struct {
	Component int    // index into Netlist.Components
	Pad       string // pad number
}

// Net is a set of pins to connect.
type Net struct {
	Name  string
	Class string // name of a net class in Rules.Classes
	Pins  []PinRef
	Width int64 // track width required by the current [nm]; 0 selects the class width
	// Current is the current declared in the request [A]; 0 if none is declared.
	Current float64
	// Supply is whether the class or the name of the net states a supply or a ground.
	Supply bool
}

// Netlist is the circuit of a board.
type Netlist struct {
	Title      string
	Components []Component
	Nets       []Net
	Warnings   []string
	// Renamed maps the reference designators of the netlist, in upper case, that are not valid on a
	// board to those on the board.
	Renamed map[string]string
}

// NoNet is the net index of copper that is on no net.
const NoNet = -1

// Class is a net class with its design rules; lengths are in nm.
type Class struct {
	Name        string
	TrackWidth  int64
	Clearance   int64
	ViaDrill    int64
	ViaDiameter int64
	PairWidth   int64 // track width of differential pairs; 0 selects TrackWidth
	PairGap     int64 // gap between the tracks of a pair; 0 selects Clearance
}

// Rules holds the design rules of a board. Lengths are in nm.
type Rules struct {
	Classes       []Class // Classes[0] is "default", Classes[1] "power"
	NeckWidth     int64   // width of a track that is narrowed near a pad
	NeckLength    int64   // maximum distance from a pad at which a track may be narrowed
	EdgeClearance int64   // clearance from copper to board edge
	HoleClearance int64   // minimum distance from a hole wall to copper of other nets
	HoleToHole    int64   // minimum distance between hole walls
	MaskExpansion int64   // distance by which a mask opening extends beyond its pad
	MaskWeb       int64   // minimum width of a mask web; narrower webs are removed
	PourClearance int64
	ThermalRelief bool
	ThermalGap    int64
	ThermalSpoke  int64
	// KiCadSpokes rotates the spokes of round pads by 45 degrees and limits spokes to the width of
	// their pad. It omits spokes that end outside the pour.
	KiCadSpokes     bool
	MinTrack        int64 // fabrication minimum of the track width
	MinGap          int64
	MinDrill        int64
	MinRing         int64
	PourLayers      []Layer // track layers that are also filled for GroundNet
	GroundNet       int     // index of the net of the ground pour; NoNet without a ground pour
	Planes          []Plane // layers without tracks
	Pairs           []Pair  // differential pairs
	LengthGroups    []LengthGroup
	CourtyardMargin int64 // required distance between courtyards; 0 in all requests
}

// Plane is a copper layer that is filled for one net and has no tracks.
type Plane struct {
	Layer Layer
	Net   int
}

// PlaneLayers returns the set of layers that Planes lists.
func (r *Rules) PlaneLayers() LayerSet {
	var s LayerSet
	for _, p := range r.Planes {
		s |= p.Layer.Bit()
	}
	return s
}

// ZoneWidth returns the minimum copper width of zones in KiCad files [nm]. It is 0.2 mm, or less
// for narrow spokes, because KiCad draws no spokes as narrow as that.
func (r *Rules) ZoneWidth() int64 { return min(MM(0.2), r.ThermalSpoke*9/10) }

// Pour describes the copper to fill for a net on some layers.
type Pour struct {
	Net    int
	Layers LayerSet
}

// Pours returns one pour per filled net, starting with the ground pour.
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

// Class returns the net class of a net, or Classes[0] if the class of the net is unknown. The track
// width of the result is at least n.Width.
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

// Placement is the position, rotation and board side of a part.
type Placement struct {
	At       Point   // position of the footprint's origin
	Rotation float64 // [°], 0 <= Rotation < 360
	Side     Side    // a footprint on BottomSide is mirrored in x before it is rotated
	Fixed    bool
}

// Part is a placed component.
type Part struct {
	Component
	Placement
	Pads []Pad
}

// MinThermalPadArea is the minimum area of a thermal pad [nm²].
const MinThermalPadArea = 3e12

// Pad is a pad on the board.
type Pad struct {
	Number   string
	Net      int // index into Board.Nets; NoNet for an unconnected pad
	At       Point
	Rotation float64 // total rotation in board coordinates [°]
	Padstack
	Layers LayerSet // layers on which the pad has copper
	Plated bool
	Spoke  int64 // width of the thermal spokes [nm], if larger than Rules.ThermalSpoke
	Solid  bool  // whether the pad connects to the pour of its net without thermal relief
	// Clearance is the local clearance [nm] from the copper or unplated hole of the pad to copper
	// of other nets. A larger net class clearance takes precedence.
	Clearance int64
	// ClearanceLimit limits the clearance [nm] between the pad and tracks of other nets that are at
	// most as wide as Rules.NeckWidth. The limit overrides the net classes; 0 sets no limit.
	ClearanceLimit int64
}

// Track is a straight copper segment with round ends.
type Track struct {
	Net   int
	Layer Layer
	A, B  Point
	Width int64
}

// Via is a plated hole that connects copper layers.
type Via struct {
	Net      int
	At       Point
	Drill    int64
	Diameter int64
	Span     LayerSet // layers that the via connects; 0 means all layers
}

// Filled is one fragment of a zone: a counter-clockwise outline with clockwise holes.
type Filled struct {
	Outline Polygon
	Holes   []Polygon
}

// Zone is the filled copper of a net on a layer.
type Zone struct {
	Net    int
	Layer  Layer
	Pieces []Filled
}

// Hole is an unplated hole.
type Hole struct {
	At       Point
	Diameter int64
	// Keepout is the width of the ring around the hole without copper and parts [nm].
	Keepout int64
}

// Keepout is a rectangle from which certain kinds of objects are excluded.
type Keepout struct {
	Area                             Rect
	Layers                           []Layer
	Tracks, Vias, Copper, Components bool
	Pour                             bool // excludes pours but allows tracks, vias and pads
	Derived                          bool // is of a footprint or around a cut-out
}

// Board is the layout at any design stage: with parts only, or also with copper.
type Board struct {
	Name     string
	Outline  Polygon // board outline, with arcs approximated by chords
	Stackup  Stackup // nil means TwoLayers
	Rules    Rules
	Nets     []Net
	Parts    []Part
	Tracks   []Track
	Vias     []Via
	Zones    []Zone
	Holes    []Hole
	Keepouts []Keepout
}

// Place places a component and its pads on a two-layer board, like Stackup.Place.
func Place(c Component, at Placement, netOf func(pad string) int) Part {
	return TwoLayers().Place(c, at, netOf)
}

// Place places a component and its pads. The function netOf returns the net index for a pad number,
// or NoNet for an unconnected pad.
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
func CourtyardOf(p *Part) Polygon {
	if p.Footprint.CourtyardOutline != nil {
		return p.onBoard(p.Footprint.CourtyardOutline)
	}
	return p.box(p.Footprint.Courtyard)
}

// CourtyardsOf returns the rectangles that form the courtyard of a placed part, as polygons on the
// board.
func CourtyardsOf(p *Part) []Polygon {
	var out []Polygon
	for _, r := range p.Footprint.CourtyardBoxes() {
		out = append(out, p.box(r))
	}
	return out
}

// CourtyardBoxes returns disjoint rectangles that form the courtyard.
func (f *Footprint) CourtyardBoxes() []Rect {
	if f.Stacked {
		var out []Rect
		for _, p := range f.Pads {
			half := max(p.Width, p.Height)/2 + stackedMargin
			at := p.At.Add(p.Offset)
			out = append(out, Rect{Min: at, Max: at}.Grown(half))
		}
		return out
	}
	if f.CourtyardOutline == nil {
		return []Rect{f.Courtyard}
	}
	return f.CourtyardOutline.Boxes()
}

// stackedMargin is the free space around the pads of a stacked board [nm], the courtyard excess of
// IPC-7351B level B.
const stackedMargin = 250 * Micrometre

// CourtyardArea returns the area of the courtyard [nm²].
func (f *Footprint) CourtyardArea() float64 {
	total := 0.0
	for _, r := range f.CourtyardBoxes() {
		total += float64(r.Width()) * float64(r.Height())
	}
	return total
}

// BodyBox returns the bounding box of the package of a part, in board coordinates. The argument is
// an index into Parts.
func (b *Board) BodyBox(part int) Rect {
	p := &b.Parts[part]
	return p.box(p.Footprint.Body).Bounds()
}

// box transforms a rectangle from footprint to board coordinates.
func (p *Part) box(r Rect) Polygon {
	corners := Polygon{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}}
	if p.Side == BottomSide {
		corners[0], corners[1], corners[2], corners[3] = corners[1], corners[0],
			corners[3], corners[2]
	}
	return p.onBoard(corners)
}

// onBoard transforms a polygon from footprint to board coordinates.
func (p *Part) onBoard(g Polygon) Polygon {
	out := make(Polygon, len(g))
	for i, c := range g {
		if p.Side == BottomSide {
			c.X = -c.X
		}
		out[i] = p.At.Add(c.Rotated(p.Rotation))
	}
	return out
}

// ZoneCorner returns the first corner of a zone outline in the exported KiCad board, where the
// points are in reverse order. Without an outline it returns the origin. KiCad measures distances
// to a zone from this corner.
func (b *Board) ZoneCorner() Point {
	if len(b.Outline) == 0 {
		return Point{}
	}
	return b.Outline[len(b.Outline)-1]
}
