// Package fabrication reads Gerber X2 and XNC files back, independently of the code that
// writes them, so that a check can judge what a fab would see.
package fabrication

import (
	"fmt"
	"strconv"
	"strings"

	"slipstick/autorouter/board"
)

// Kind is what an object of an image is.
type Kind uint8

// The graphical objects of Gerber (format 2024.05, section 2.3).
const (
	Flash Kind = iota
	Line
	Region
)

// Object is one graphical object with the object attributes in force.
type Object struct {
	Kind       Kind
	Aperture   string        // definition: C,0.25
	From, To   board.Point   // equal for a flash
	Contour    board.Polygon // of a region
	Clear      bool
	Attributes map[string]string // .N, .P, .C as written
}

// Image is a Gerber file read.
type Image struct {
	Attributes map[string]string // of the file
	Apertures  map[int]string
	Objects    []Object
}

// ReadGerber reads the subset that Slipstick and most CAD programs write: format 4.6 in
// millimetres, linear plots, regions, and no step and repeat.
func ReadGerber(text string) (*Image, error) {
	m := &Image{Attributes: map[string]string{}, Apertures: map[int]string{}}
	var at board.Point
	var contour board.Polygon
	aperture, region, clear, ended := 0, false, false, false
	object := map[string]string{}
	text = strings.NewReplacer("%", "", "\n", "", "\r", "").Replace(text)
	for _, c := range strings.Split(text, "*") {
		var op string
		c = strings.TrimPrefix(c, "G04 #@! ")
		switch {
		case c == "" || strings.HasPrefix(c, "AM") || c[0] >= '0' && c[0] <= '9' || strings.HasPrefix(c, "TA") || strings.HasPrefix(c, "G04"):
		case ended:
			return nil, fmt.Errorf("%q after M02", c)
		case strings.HasPrefix(c, "TF"), strings.HasPrefix(c, "TO"):
			name, value, _ := strings.Cut(c[2:], ",")
			if c[1] == 'F' {
				m.Attributes[name] = value
				continue
			}
			next := map[string]string{name: value}
			for k, v := range object {
				if k != name {
					next[k] = v
				}
			}
			object = next
		case c == "TD":
			object = map[string]string{}
		case strings.HasPrefix(c, "ADD"):
			i := 3
			for i < len(c) && c[i] >= '0' && c[i] <= '9' {
				i++
			}
			n, err := strconv.Atoi(c[3:i])
			if err != nil || n < 10 {
				return nil, fmt.Errorf("aperture %q", c)
			}
			m.Apertures[n] = c[i:]
		case c == "FSLAX46Y46", c == "MOMM", c == "G01", c == "LPD", c == "LPC":
			clear = c == "LPC" || clear && c != "LPD"
		case c == "G36":
			region, contour = true, nil
		case c == "G37":
			if len(contour) < 4 || contour[0] != contour[len(contour)-1] {
				return nil, fmt.Errorf("region %d is not closed", len(m.Objects))
			}
			m.Objects = append(m.Objects, Object{Kind: Region, Contour: contour[:len(contour)-1], Clear: clear, Attributes: object})
			region = false
		case c == "M02":
			ended = true
		case c[0] == 'D':
			n, err := strconv.Atoi(c[1:])
			if _, ok := m.Apertures[n]; err != nil || !ok {
				return nil, fmt.Errorf("unknown aperture %q", c)
			}
			aperture = n
		case c[0] == 'X':
			var to board.Point
			if n, err := fmt.Sscanf(c, "X%dY%dD%s", &to.X, &to.Y, &op); n != 3 || err != nil {
				return nil, fmt.Errorf("operation %q", c)
			}
		default:
			return nil, fmt.Errorf("unknown command %q", c)
		}
		if op == "" {
			continue
		}
		var to board.Point
		_, _ = fmt.Sscanf(c, "X%dY%d", &to.X, &to.Y)
		switch {
		case region:
			contour = append(contour, to)
		case op == "01":
			m.Objects = append(m.Objects, Object{Line, m.Apertures[aperture], at, to, nil, clear, object})
		case op == "03":
			m.Objects = append(m.Objects, Object{Flash, m.Apertures[aperture], to, to, nil, clear, object})
		}
		at = to
	}
	if !ended || len(m.Apertures) == 0 {
		return nil, fmt.Errorf("no M02, or no aperture")
	}
	return m, nil
}
