package fabrication

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

const millimetre = 1e6 // [nm]

// shapes returns the shapes of a graphical object on the image [nm]. Clear objects and clear parts
// of apertures are errors, because this reader verifies only additive copper.
func (m *Image) shapes(o *Object) ([]shape, error) {
	if o.Clear {
		return nil, fmt.Errorf("an object of clear polarity")
	}
	if o.Kind == Region {
		points := make([]vec, len(o.Contour))
		for i, p := range o.Contour {
			points[i] = vecOf(p)
		}
		return []shape{newShape(0, points...)}, nil
	}
	parts, err := m.aperture(o.Aperture)
	if err != nil {
		return nil, fmt.Errorf("aperture %s: %w", o.Aperture, err)
	}
	if o.Kind == Line {
		if len(parts) != 1 || len(parts[0].points) != 1 {
			return nil, fmt.Errorf("a line drawn with aperture %s, which is not round", o.Aperture)
		}
		return []shape{newShape(parts[0].radius, vecOf(o.From), vecOf(o.To))}, nil
	}
	out := make([]shape, len(parts))
	for i, p := range parts {
		points := make([]vec, len(p.points))
		for k, v := range p.points {
			points[k] = v.add(vecOf(o.To))
		}
		out[i] = newShape(p.radius, points...)
	}
	return out, nil
}

// aperture returns the shapes of an aperture definition, centred on the origin (Gerber
// specification, section 4.4).
func (m *Image) aperture(definition string) ([]shape, error) {
	name, list, _ := strings.Cut(definition, ",")
	var p []float64
	if list != "" {
		for _, s := range strings.Split(list, "X") {
			v, err := decimal(s)
			if err != nil {
				return nil, err
			}
			p = append(p, v)
		}
	}
	want, standard := map[string]int{"C": 1, "R": 2, "O": 2}[name]
	if !standard {
		return m.macro(name, p)
	}
	if len(p) != want || p[0] <= 0 || p[want-1] <= 0 {
		return nil, fmt.Errorf("has %d parameters, or has a hole", len(p))
	}
	w, h := p[0]/2*millimetre, p[want-1]/2*millimetre
	switch name {
	case "C":
		return []shape{newShape(w, vec{})}, nil
	case "R":
		return []shape{newShape(0, rectangle(w, h)...)}, nil
	}
	r := min(w, h)
	return []shape{newShape(r, vec{r - w, r - h}, vec{w - r, h - r})}, nil
}

// rectangle returns the corners of a rectangle with half sizes w and h, centred on the origin.
func rectangle(w, h float64) []vec { return []vec{{-w, -h}, {w, -h}, {w, h}, {-w, h}} }

// macro returns the shapes of an aperture macro (Gerber specification, section 4.5). It supports
// circles, vector lines, centre lines and outlines, with numbers or variables as parameters.
func (m *Image) macro(name string, given []float64) ([]shape, error) {
	primitives, ok := m.Macros[name]
	if !ok {
		return nil, fmt.Errorf("unknown template")
	}
	var out []shape
	for _, line := range primitives {
		if strings.HasPrefix(line, "0") {
			continue
		}
		var p []float64
		for _, s := range strings.Split(line, ",") {
			v, err := parameter(s, given)
			if err != nil {
				return nil, err
			}
			p = append(p, v)
		}
		s, err := primitive(p)
		if err != nil {
			return nil, fmt.Errorf("primitive %q: %w", line, err)
		}
		out = append(out, s)
	}
	return out, nil
}

func parameter(s string, given []float64) (float64, error) {
	if !strings.HasPrefix(s, "$") {
		return decimal(s)
	}
	n, err := strconv.Atoi(s[1:])
	if err != nil || n < 1 || n > len(given) {
		return 0, fmt.Errorf("variable %q", s)
	}
	return given[n-1], nil
}

// primitive returns the shape of a macro primitive. Its parameters are code and exposure, followed
// by values in millimetres and degrees.
func primitive(p []float64) (shape, error) {
	if len(p) < 5 || p[1] != 1 {
		return shape{}, fmt.Errorf("too short, or clears")
	}
	turn := 0.0
	place := func(x, y float64) vec { return vec{x * millimetre, y * millimetre}.turned(turn) }
	switch {
	case p[0] == 1 && p[2] > 0 && (len(p) == 5 || len(p) == 6):
		if len(p) == 6 {
			turn = p[5]
		}
		return newShape(p[2]/2*millimetre, place(p[3], p[4])), nil
	case p[0] == 20 && len(p) == 8:
		turn = p[7]
		side := vec{p[5] - p[3], p[6] - p[4]}
		l := side.length()
		if l == 0 {
			return shape{}, fmt.Errorf("a line without length")
		}
		n := vec{-side.y / l * p[2] / 2, side.x / l * p[2] / 2}
		return newShape(0, place(p[3]-n.x, p[4]-n.y), place(p[5]-n.x, p[6]-n.y),
			place(p[5]+n.x, p[6]+n.y), place(p[3]+n.x, p[4]+n.y)), nil
	case p[0] == 21 && len(p) == 7:
		turn = p[6]
		var g []vec
		for _, c := range rectangle(p[2]/2, p[3]/2) {
			g = append(g, place(p[4]+c.x, p[5]+c.y))
		}
		return newShape(0, g...), nil
	case p[0] == 4 && p[2] >= 2 && p[2] == math.Trunc(p[2]) && len(p) == 6+2*int(p[2]):
		turn = p[len(p)-1]
		var g []vec
		for i := range int(p[2]) {
			g = append(g, place(p[3+2*i], p[4+2*i]))
		}
		return newShape(0, g...), nil
	}
	return shape{}, fmt.Errorf("code %g with %d parameters", p[0], len(p)-1)
}
