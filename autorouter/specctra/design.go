package specctra

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"slipstick/autorouter/geom"
	"slipstick/autorouter/sexpr"
	"slipstick/internal/text"
)

// Limits of a design.
const (
	maxBytes   = 32 << 20
	maxDepth   = 64
	maxNodes   = 4 << 20
	maxMM      = 1000.0 // largest magnitude of a coordinate or width [mm]
	maxPads    = 20000
	maxCorners = 5000 // maximum number of corners of one polygon
	maxParts   = 20000
	maxNets    = 20000
	maxClasses = 2000
	maxShapes  = 256  // maximum number of shapes of one padstack
	maxName    = 1000 // maximum length of the word REF-PIN [bytes]
)

// Error describes an error in a design.
type Error = sexpr.Error

func bad(n *sexpr.Node, format string, args ...any) error {
	e := &Error{Detail: fmt.Sprintf(format, args...)}
	if n != nil {
		e.Line = n.Line
	}
	return e
}

// Design is a parsed design file. Lengths are in [nm] in file coordinates and angles in [degrees].
type Design struct {
	Name     string   // design name as written in the file
	Layers   []Layer  // copper layers from top to bottom
	Warnings []string // assumptions, and lists of the file that have no effect

	hostCAD, hostVersion string
	unit                 float64 // unit of lengths in the file [nm]
	resolutionUnit       string
	resolution           int     // number of steps per resolutionUnit in a session
	step                 float64 // resolution of positions in a session [nm]
	boundaries           []boundary
	rule                 rule
	boundaryClearance    float64 // largest clearance rule for the boundary; 0 without one
	vias                 []string
	keepouts             []keepout
	planes               []plane
	images               map[string]*image
	padstacks            map[string]*padstack
	components           []component
	rotateFirst          bool // whether components on the back are rotated before they are mirrored
	nets                 []net
	classes              []class
	wires                []wire
}

// Layer is a copper layer of a design.
type Layer struct {
	Name  string
	Power bool // whether the layer has type power: a plane without tracks
}

// rule is a track width and a clearance [nm]. A value of 0 means that the file does not define it.
type rule struct{ width, clearance float64 }

// boundary is an outline of the board or of a cutout [nm]. If boundaries of both layers exist,
// those of layer signal limit the tracks, and those of layer pcb limit the drawing.
type boundary struct {
	layer   string
	outline []geom.Vec
}

// shape is copper, or an area, on a layer; lengths are in [nm].
type shape struct {
	layer  string
	points []geom.Vec // centre of a circle, corners of a polygon, or points of a path
	width  float64    // diameter of a circle, width of a path, or line width around a polygon
	filled bool       // whether the shape is a filled polygon
}

type keepout struct {
	shape
	tracks, vias bool
}

type plane struct {
	net     string
	outline shape
	windows bool // whether the outline has holes
}

type image struct {
	pins     []pin
	numbers  map[string]bool // set of pin numbers
	keepouts []keepout
}

type pin struct {
	padstack, number string
	at               geom.Vec
	rotation         float64
}

type padstack struct {
	shapes []shape
	// node is the padstack in the file. The session repeats it in its library.
	node *sexpr.Node
}

type component struct {
	ref, image string
	at         geom.Vec
	rotation   float64
	back       bool
	line       int
}

type net struct {
	name string
	pins []string // pins as REF-PIN
	line int
}

type class struct {
	name string
	nets []string
	rule
	via string
}

// wire is existing copper of the design: a shape, or a via at a position.
type wire struct {
	shape
	net   string
	via   string
	at    geom.Vec
	fixed bool
	// own is true for type fix, which the layout program retains when it imports a session.
	own  bool
	node *sexpr.Node // list of the shape in the file; nil for a via
}

// Read parses the text of a design file. The error is an *Error.
func Read(file string) (*Design, error) {
	root, err := sexpr.ParseSpecctra(file, "design",
		sexpr.Limits{Bytes: maxBytes, Depth: maxDepth, Nodes: maxNodes})
	if err != nil {
		var e *sexpr.Error
		if errors.As(err, &e) {
			return nil, e
		}
		return nil, err
	}
	if head := strings.ToLower(root.Head()); head != "pcb" {
		return nil, bad(root, "a Specctra design begins with (pcb, not (%s", text.Word(root.Head()))
	}
	d := &Design{
		Name: root.At(1), unit: unitsNM["inch"], resolutionUnit: "inch", resolution: 2540000,
		images: map[string]*image{}, padstacks: map[string]*padstack{},
	}
	r := &reader{d}
	if err := r.readUnits(root); err != nil {
		return nil, err
	}
	for _, section := range []struct {
		head string
		read func(*sexpr.Node) error
	}{
		{"parser", r.readParser}, {"structure", r.readStructure}, {"library", r.readLibrary},
		{"placement", r.readPlacement}, {"network", r.readNetwork}, {"wiring", r.readWiring},
	} {
		for _, n := range root.Each(section.head) {
			if err := section.read(n); err != nil {
				return nil, err
			}
		}
	}
	if len(d.Layers) == 0 {
		return nil, bad(
			root,
			"the design has no copper layer: (structure (layer NAME (type signal)))",
		)
	}
	if len(d.boundaries) == 0 {
		return nil, bad(
			root,
			"the design has no outline: (structure (boundary (path pcb 0 X Y ...)))",
		)
	}
	return d, nil
}

// reader parses the sections of a design file.
type reader struct{ *Design }

// skip adds a warning for a kind of list that has no effect, once per kind.
func (r *reader) skip(what string) { r.warnOnce(what + " has no effect") }

func (r *reader) warnOnce(warning string) {
	if !slices.Contains(r.Warnings, warning) {
		r.Warnings = append(r.Warnings, warning)
	}
}
