package footprint

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"sort"
	"strings"

	"slipstick/autorouter/board"
	"slipstick/internal/text"
)

// Spec describes a custom footprint of a request. Lengths are in [mm].
type Spec struct {
	Name string
	Pads []PadSpec
	// Body is the width and height of the body [mm], centred on the origin. If it is nil, the body
	// is the bounding box of the pads.
	Body *[2]float64
}

// PadSpec describes a pad of a Spec; lengths are in [mm]. A pad without a name is an unplated hole.
type PadSpec struct {
	Pad           string
	X, Y          float64
	Width, Height float64
	// Shape is rect, roundrect, circle or oval. The empty string selects roundrect for a land, and
	// circle or oval for a pad with a hole.
	Shape    string
	Drill    float64     // hole diameter [mm]; 0 for a pad without a round hole
	Slot     *[2]float64 // slot width and height [mm]; nil for a pad without a slot
	Rotation float64     // counter-clockwise rotation [degrees]
}

// SpecError describes an error in a custom footprint.
type SpecError struct {
	// Path is the path of the field, for example "pads[2].width_mm". NewLibrary adds the request
	// path.
	Path   string
	Detail string
}

// Error returns the path and the description of the error.
func (e *SpecError) Error() string { return e.Path + ": " + e.Detail }

func specErrorf(path, format string, args ...any) error {
	return &SpecError{path, fmt.Sprintf(format, args...)}
}

// Limits of a custom footprint; lengths are in [mm]. maxExtent equals the size of the largest
// board.
const (
	maxPads   = 500
	maxExtent = 400.0
	minSize   = 0.05
	maxAngle  = 3600.0 // largest angle [degrees]
)

var (
	specName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.,:+-]{0,127}$`)
	padName  = regexp.MustCompile(`^[A-Za-z0-9_.+~-]{1,16}$`)
	shapes   = map[string]board.Shape{"rect": board.RectShape, "roundrect": board.RoundRect,
		"circle": board.Circle, "oval": board.Oval}
)

// Custom returns the land pattern of a Spec. As in the library, its origin is moved to the centre
// of the pads, and the body moves with it. The error is a *SpecError.
func Custom(s Spec) (*board.Footprint, error) {
	if !specName.MatchString(s.Name) {
		return nil, specErrorf("name",
			"must be 1 to 128 of letters, digits and _ . , : + -, beginning with a letter or digit")
	}
	if len(s.Pads) == 0 || len(s.Pads) > maxPads {
		return nil, specErrorf("pads", "must have 1 to %d pads, not %d", maxPads, len(s.Pads))
	}
	f := board.Footprint{Name: s.Name, Polar: true, Aliases: map[string]string{}}
	copper := false
	for i, p := range s.Pads {
		made, field, err := p.pad()
		if err != nil {
			return nil, specErrorf(fmt.Sprintf("pads[%d].%s", i, field), "%v", err)
		}
		copper = copper || !made.NonPlated
		for j := range f.Pads {
			if o := f.Pads[j]; (o.Number == "" || made.Number == "") && Overlap(o, made) {
				return nil, specErrorf(fmt.Sprintf("pads[%d]", i),
					"overlaps pads[%d]; a hole without copper overlaps no pad", j)
			}
		}
		f.Pads = append(f.Pads, made)
	}
	if !copper {
		return nil, specErrorf("pads", "all pads are holes without copper; at least one needs a name")
	}
	if s.Body != nil {
		for _, v := range s.Body {
			if !within(v, 0, maxExtent) {
				return nil, specErrorf("body_mm", "must be a width and a height of 0 to %g mm",
					maxExtent)
			}
		}
		f.Body = box(s.Body[0], s.Body[1])
	} else {
		f.Body = bounds(f.Pads[0])
		for _, p := range f.Pads[1:] {
			f.Body = union(f.Body, bounds(p))
		}
	}
	pairs, few := touching(f.Pads)
	if !few {
		return nil, specErrorf("pads", "more than %d pairs of pads overlap", maxTouching)
	}
	f.Touching = pairs
	return finish(f, false), nil
}

func within(v, low, high float64) bool { return !math.IsNaN(v) && v >= low && v <= high }

// pad validates a pad and converts it to a pad of a board footprint. On an error, field is the JSON
// name of the invalid field.
func (p PadSpec) pad() (made board.FootprintPad, field string, err error) {
	if p.Pad != "" && !padName.MatchString(p.Pad) {
		return made, "pad", fmt.Errorf("must be 1 to 16 of letters, digits and _ . + ~ -")
	}
	for _, c := range []struct {
		field     string
		v         float64
		low, high float64
	}{
		{"x_mm", p.X, -maxExtent, maxExtent}, {"y_mm", p.Y, -maxExtent, maxExtent},
		{"width_mm", p.Width, minSize, maxExtent}, {"height_mm", p.Height, minSize, maxExtent},
		{"rotation_deg", p.Rotation, -maxAngle, maxAngle},
	} {
		if p.Pad == "" && (c.field == "width_mm" || c.field == "height_mm") {
			continue // an unplated hole has no width and height
		}
		if !within(c.v, c.low, c.high) {
			return made, c.field, fmt.Errorf("must be %g to %g, not %g", c.low, c.high, c.v)
		}
	}
	if p.Drill != 0 && !within(p.Drill, minSize, maxExtent) {
		return made, "drill_mm", fmt.Errorf("must be %g to %g, not %g", minSize, maxExtent, p.Drill)
	}
	if p.Slot != nil && (p.Drill != 0 || !within(p.Slot[0], minSize, maxExtent) ||
		!within(p.Slot[1], minSize, maxExtent)) {
		return made, "slot_mm",
			fmt.Errorf("must be a width and a height of %g to %g mm, without drill_mm beside it",
				minSize, maxExtent)
	}
	made = board.FootprintPad{
		Number: p.Pad, At: board.Point{X: board.MM(p.X), Y: board.MM(p.Y)},
		Rotation: turn(p.Rotation),
		Padstack: board.Padstack{
			Width: board.MM(p.Width), Height: board.MM(p.Height), Drill: board.MM(p.Drill),
		},
	}
	if p.Slot != nil {
		made.SlotW, made.SlotH = board.MM(p.Slot[0]), board.MM(p.Slot[1])
	}
	if p.Pad == "" {
		switch {
		case p.Drill != 0:
			made.Width, made.Height, made.Shape = made.Drill, made.Drill, board.Circle
		case p.Slot != nil:
			made.Width, made.Height, made.Shape = made.SlotW, made.SlotH, board.Oval
		default:
			return made, "pad",
				fmt.Errorf("is missing; only a hole with drill_mm or slot_mm may have no name")
		}
		made.NonPlated = true
		return made, "", nil
	}
	if made.Drill >= min(made.Width, made.Height) {
		return made, "drill_mm", fmt.Errorf("must be smaller than the pad, %g x %g mm",
			p.Width, p.Height)
	}
	if made.SlotW >= made.Width || made.SlotH >= made.Height {
		return made, "slot_mm", fmt.Errorf("must be smaller than the pad, %g x %g mm",
			p.Width, p.Height)
	}
	return p.shaped(made)
}

// shaped sets the shape that p.Shape names, or the default shape, and returns the pad. On an error,
// the string is the JSON name of the invalid field.
func (p PadSpec) shaped(made board.FootprintPad) (board.FootprintPad, string, error) {
	shape, ok := shapes[p.Shape]
	switch {
	case ok:
	case p.Shape != "":
		return made, "shape", fmt.Errorf("must be rect, roundrect, circle or oval")
	case !made.Through():
		shape = board.RoundRect
	case made.Width == made.Height:
		shape = board.Circle
	default:
		shape = board.Oval
	}
	if shape == board.Circle && made.Width != made.Height {
		return made, "height_mm",
			fmt.Errorf("must equal width_mm for a circle; oval has two lengths")
	}
	made.Shape = shape
	return made, "", nil
}

// turn reduces an angle to the range [0, 360) degrees.
func turn(degrees float64) float64 {
	a := math.Mod(degrees, 360)
	if a < 0 {
		a += 360
	}
	if a >= 360 { // -1e-20 + 360 rounds up to 360
		a = 0
	}
	return a
}

// Library combines the custom footprints of a request with the standard library. Custom footprints
// take precedence. A nil Library contains the standard library alone.
type Library struct {
	custom map[string]*board.Footprint // custom footprints by upper-case name
	given  []givenFootprint            // the same in the order of the request
	// readErrors holds the errors of unreadable files by upper-case name. Such a file matters only
	// to a component that has it.
	readErrors     map[string]error
	bareReadErrors map[string]error // the same by upper-case name without library nickname
}

// givenFootprint is a custom footprint with its request path. The footprint of an unreadable file
// is nil.
type givenFootprint struct {
	path      string
	footprint *board.Footprint
}

// maxFiles is the maximum number of footprint files in a request, equal to that of components.
const maxFiles = 150

// NewLibrary returns a library with the footprints of specs and of files, which maps footprint
// names to the texts of .kicad_mod files. A file whose name begins with a library nickname is also
// found without the nickname, unless another footprint has that name. The error of an unreadable
// file is that of ReadError. Errors are *SpecError whose path begins with custom_footprints or
// footprints.
func NewLibrary(specs []Spec, files map[string]string) (*Library, error) {
	l := &Library{custom: map[string]*board.Footprint{}, readErrors: map[string]error{},
		bareReadErrors: map[string]error{}}
	for i, s := range specs {
		at := fmt.Sprintf("custom_footprints[%d].", i)
		f, err := Custom(s)
		if specErr, ok := errors.AsType[*SpecError](err); ok {
			return nil, specErrorf(at+specErr.Path, "%s", specErr.Detail)
		}
		id := strings.ToUpper(s.Name)
		if l.custom[id] != nil {
			return nil, specErrorf(at+"name", "footprint %s is defined twice", s.Name)
		}
		l.custom[id] = f
		l.given = append(l.given, givenFootprint{strings.TrimSuffix(at, ".") + " (" + s.Name + ")", f})
	}
	if len(files) > maxFiles {
		return nil, specErrorf("footprints", "there are %d footprints; at most %d are read",
			len(files), maxFiles)
	}
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	sort.Strings(names)
	var bare []*board.Footprint
	for _, name := range names {
		f, err := FromKiCad(name, files[name])
		id := strings.ToUpper(name)
		if specErr, ok := errors.AsType[*SpecError](err); ok {
			path := "footprints." + text.Word(printable(name))
			err = specErrorf(path, "%s", specErr.Detail)
			if name != printable(name) {
				return nil, err
			}
			l.readErrors[id], l.bareReadErrors[id[strings.LastIndexByte(id, ':')+1:]] = err, err
			l.given = append(l.given, givenFootprint{path, nil})
			continue
		}
		if l.custom[id] != nil {
			return nil, specErrorf("footprints."+text.Word(name), "footprint %s is defined twice",
				text.Word(name))
		}
		l.custom[id] = f
		l.given = append(l.given, givenFootprint{"footprints." + text.Word(name), f})
		bare = append(bare, f)
	}
	for _, f := range bare {
		id := strings.ToUpper(f.Name)
		if id = id[strings.LastIndexByte(id, ':')+1:]; l.custom[id] == nil {
			l.custom[id] = f
		}
	}
	return l, nil
}

// Unused returns the request paths of the custom footprints that no component has.
func (l *Library) Unused(components []board.Component) (paths []string) {
	if l == nil {
		return nil
	}
	used := map[*board.Footprint]bool{}
	for _, c := range components {
		used[c.Footprint] = true
	}
	for _, g := range l.given {
		if !used[g.footprint] {
			paths = append(paths, g.path)
		}
	}
	return paths
}

// printable replaces each character outside of printable ASCII by a question mark, for use in a
// message.
func printable(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, name)
}

// Own returns the custom footprint with a name, or nil if there is none. It ignores case and a
// library nickname.
func (l *Library) Own(name string) *board.Footprint {
	if l == nil {
		return nil
	}
	id := strings.ToUpper(strings.TrimSpace(name))
	if f := l.custom[id]; f != nil {
		return f
	}
	return l.custom[id[strings.LastIndexByte(id, ':')+1:]]
}

// ReadError returns the error of the unreadable file that has a name, or nil if there is none. It
// ignores case. It also ignores a library nickname if there is no footprint with the name.
func (l *Library) ReadError(name string) error {
	if l == nil {
		return nil
	}
	id := strings.ToUpper(strings.TrimSpace(name))
	if err := l.readErrors[id]; err != nil || l.Own(name) != nil {
		return err
	}
	return l.bareReadErrors[id[strings.LastIndexByte(id, ':')+1:]]
}

// Find returns the custom footprint with a name, or else the result of the package-level Find.
func (l *Library) Find(name string) (*board.Footprint, error) {
	if f := l.Own(name); f != nil {
		return f, nil
	}
	return Find(name)
}
