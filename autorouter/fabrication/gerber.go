package fabrication

import (
	"fmt"
	"strconv"
	"strings"

	"slipstick/autorouter/board"
)

// Kind is the type of a graphical object.
type Kind uint8

// Graphical objects of Gerber (format 2024.05, section 2.3).
const (
	Flash Kind = iota
	Line
	Region
)

// Object is one graphical object with its object attributes.
type Object struct {
	Kind       Kind
	Aperture   string        // aperture definition, such as C,0.25
	From, To   board.Point   // start and end; equal for a flash
	Contour    board.Polygon // outline of a region
	Clear      bool
	Attributes map[string]string // object attributes .N, .P and .C as written in the file
}

// Image is a parsed Gerber file.
type Image struct {
	Attributes map[string]string // file attributes, such as .FileFunction
	Apertures  map[int]string    // aperture definitions, by D code
	Functions  map[int]string    // .AperFunction attributes, by D code
	Macros     map[string][]string
	Objects    []Object
}

// gerberReader holds the graphics state while a file is read.
type gerberReader struct {
	*Image
	at       board.Point
	contour  board.Polygon
	aperture int
	inRegion bool
	clear    bool
	linear   bool
	ended    bool
	formatOK bool
	unitOK   bool
	function string            // current aperture attribute
	object   map[string]string // current object attributes; the map is replaced, never modified
}

// ReadGerber parses the Gerber subset that Slipstick and most CAD programs write. It includes
// format 4.6 in millimetres, linear plots, regions, aperture macros, and attributes as commands or
// comments, but no arcs and no step and repeat. Anything else is an error, because a partially read
// image proves nothing.
func ReadGerber(text string) (*Image, error) {
	r := gerberReader{Image: &Image{Attributes: map[string]string{}, Apertures: map[int]string{},
		Functions: map[int]string{}, Macros: map[string][]string{}}}
	for len(text) > 0 {
		switch text[0] {
		case '\n', '\r':
			text = text[1:]
			continue
		case '%':
			end := strings.IndexByte(text[1:], '%')
			if end < 0 {
				return nil, fmt.Errorf("an extended command has no end: %.40q", text)
			}
			words := strings.Split(strings.NewReplacer("\n", "", "\r", "").Replace(text[1:end+1]),
				"*")
			if words[len(words)-1] != "" {
				return nil, fmt.Errorf("no * at the end of %%%s%%", words[len(words)-1])
			}
			if err := r.extended(words[:len(words)-1]); err != nil {
				return nil, err
			}
			text = text[end+2:]
		default:
			end := strings.IndexByte(text, '*')
			if end < 0 {
				return nil, fmt.Errorf("a command has no end: %.40q", text)
			}
			if err := r.word(strings.NewReplacer("\n", "", "\r", "").Replace(text[:end])); err !=
				nil {
				return nil, err
			}
			text = text[end+1:]
		}
	}
	switch {
	case !r.ended:
		return nil, fmt.Errorf("no M02")
	case !r.formatOK || !r.unitOK:
		return nil, fmt.Errorf("no format or no unit")
	case len(r.Apertures) == 0:
		return nil, fmt.Errorf("no aperture")
	case r.inRegion:
		return nil, fmt.Errorf("a region has no end")
	}
	return r.Image, nil
}

// extended processes an extended command, given as the words between percent signs.
func (r *gerberReader) extended(words []string) error {
	if r.ended || len(words) == 0 {
		return fmt.Errorf("%q after M02, or empty", words)
	}
	c := words[0]
	if strings.HasPrefix(c, "AM") {
		r.Macros[c[2:]] = words[1:]
		return nil
	}
	if len(words) != 1 {
		return fmt.Errorf("%q is more than one command", words)
	}
	switch {
	case c == "FSLAX46Y46":
		r.formatOK = true
	case c == "MOMM":
		r.unitOK = true
	case c == "LPD", c == "LPC":
		r.clear = c == "LPC"
	case len(c) > 2 && c[0] == 'T' && strings.IndexByte("FAO", c[1]) >= 0,
		strings.HasPrefix(c, "TD"):
		r.attribute(c)
	case strings.HasPrefix(c, "ADD"):
		i := 3
		for i < len(c) && c[i] >= '0' && c[i] <= '9' {
			i++
		}
		n, err := strconv.Atoi(c[3:i])
		if err != nil || n < 10 || r.Apertures[n] != "" || i == len(c) {
			return fmt.Errorf("aperture %q", c)
		}
		r.Apertures[n], r.Functions[n] = c[i:], r.function
	default:
		return fmt.Errorf("unknown command %q", c)
	}
	return nil
}

// attribute sets or deletes an attribute (Gerber specification, section 5.2).
func (r *gerberReader) attribute(c string) {
	name, value, _ := strings.Cut(c[2:], ",")
	next := map[string]string{}
	switch c[1] {
	case 'F':
		r.Attributes[name] = value
		return
	case 'A':
		if name == ".AperFunction" {
			r.function = value
		}
		return
	case 'D':
		if name == "" || name == ".AperFunction" {
			r.function = ""
		}
		for k, v := range r.object {
			if name != "" && k != name {
				next[k] = v
			}
		}
	default:
		for k, v := range r.object {
			next[k] = v
		}
		next[name] = value
	}
	r.object = next
}

// word processes a command outside percent signs.
func (r *gerberReader) word(c string) error {
	switch {
	case r.ended:
		return fmt.Errorf("%q after M02", c)
	case strings.HasPrefix(c, "G04"):
		if a, ok := strings.CutPrefix(c, "G04 #@! T"); ok && a != "" {
			r.attribute("T" + a)
		}
	case c == "G01":
		r.linear = true
	case c == "M02":
		r.ended = true
	case c == "G36":
		if r.inRegion {
			return fmt.Errorf("a region in a region")
		}
		r.inRegion, r.contour = true, nil
	case c == "G37":
		if !r.inRegion {
			return fmt.Errorf("G37 without G36")
		}
		r.inRegion = false
		return r.closeContour()
	case strings.HasPrefix(c, "D") && len(c) > 2:
		n, err := strconv.Atoi(c[1:])
		if _, ok := r.Apertures[n]; err != nil || !ok {
			return fmt.Errorf("unknown aperture %q", c)
		}
		r.aperture = n
	case strings.HasPrefix(c, "X"):
		return r.operation(c)
	default:
		return fmt.Errorf("unknown command %q", c)
	}
	return nil
}

func (r *gerberReader) operation(c string) error {
	var to board.Point
	var op string
	if n, err := fmt.Sscanf(c, "X%dY%dD%s", &to.X, &to.Y, &op); n != 3 || err != nil {
		return fmt.Errorf("operation %q", c)
	}
	def, chosen := r.Apertures[r.aperture]
	switch {
	case op == "02":
		if r.inRegion {
			if err := r.closeContour(); err != nil {
				return err
			}
			r.contour = board.Polygon{to}
		}
	case op == "01" && r.inRegion && r.linear:
		if len(r.contour) == 0 {
			r.contour = board.Polygon{r.at}
		}
		r.contour = append(r.contour, to)
	case op == "01" && chosen && r.linear:
		r.Objects = append(r.Objects, Object{Line, def, r.at, to, nil, r.clear, r.object})
	case op == "03" && chosen && !r.inRegion:
		r.Objects = append(r.Objects, Object{Flash, def, to, to, nil, r.clear, r.object})
	default:
		return fmt.Errorf("operation %q without aperture or plot mode", c)
	}
	r.at = to
	return nil
}

// closeContour closes the current contour; a region may have several.
func (r *gerberReader) closeContour() error {
	g := r.contour
	r.contour = nil
	if len(g) == 0 {
		return nil
	}
	if len(g) < 4 || g[0] != g[len(g)-1] {
		return fmt.Errorf("contour %d is not closed", len(r.Objects))
	}
	r.Objects = append(r.Objects, Object{Kind: Region, Contour: g[:len(g)-1], Clear: r.clear,
		Attributes: r.object})
	return nil
}
