package card

import (
	"fmt"
	"math"
	"strings"

	"git.sr.ht/~sbinet/gg"
)

// arguments is the number of arguments of each SVG path command.
var arguments = map[byte]int{
	'M': 2, 'L': 2, 'H': 1, 'V': 1, 'C': 6, 'S': 4, 'Q': 4, 'T': 2, 'A': 7, 'Z': 0,
}

// pen is the state of the path interpreter.
type pen struct {
	dc             *gg.Context
	x, y           float64 // current point
	startX, startY float64 // start of the subpath
	cx, cy         float64 // last control point of the previous curve, otherwise the current point
}

// trace adds SVG path data to the path of a context. It supports arcs without axis rotation. A
// smooth curve (S, T) must follow a curve of its kind.
func trace(dc *gg.Context, data string) error {
	p := pen{dc: dc}
	for data != "" {
		command := data[0]
		end := strings.IndexAny(data[1:], "MmLlHhVvCcQqTtAaZzSs") + 1
		if end == 0 {
			end = len(data)
		}
		n, known := arguments[command&^0x20]
		list, err := numbersOf(data[1:end])
		if err != nil || !known || n == 0 && len(list) > 0 ||
			n > 0 && (len(list) == 0 || len(list)%n != 0) {
			return fmt.Errorf("%w: path %q", errSketch, data[:end])
		}
		isRelative := command >= 'a'
		for first := true; first || len(list) > 0; first = false {
			p.step(command&^0x20, isRelative, list[:n])
			if list = list[n:]; n == 0 {
				break
			}
			if command&^0x20 == 'M' { // further pairs are implicit line commands
				command--
			}
		}
		data = data[end:]
	}
	return nil
}

// numbersOf parses numbers separated by spaces, commas or the sign of the next number.
func numbersOf(text string) (list []float64, err error) {
	for text = strings.TrimLeft(text, " ,"); text != ""; text = strings.TrimLeft(text, " ,") {
		end, dots := 1, strings.Count(text[:1], ".")
		for ; end < len(text); end++ {
			c := text[end]
			if c == '.' {
				dots++
			}
			isSign := (c == '-' || c == '+') && text[end-1] != 'e'
			if c == ' ' || c == ',' || isSign || dots > 1 {
				break
			}
		}
		v := number(text[:end])
		if math.IsNaN(v) {
			return nil, errSketch
		}
		list, text = append(list, v), text[end:]
	}
	return list, nil
}

// step executes a command with its arguments.
func (p *pen) step(command byte, isRelative bool, v []float64) {
	at := func(i int) (x, y float64) {
		if isRelative {
			return p.x + v[i], p.y + v[i+1]
		}
		return v[i], v[i+1]
	}
	x, y, control := p.x, p.y, false
	switch command {
	case 'M':
		x, y = at(0)
		p.startX, p.startY = x, y
		p.dc.MoveTo(x, y)
	case 'L':
		x, y = at(0)
		p.dc.LineTo(x, y)
	case 'H', 'V':
		along := v[0]
		if command == 'H' {
			if x = along; isRelative {
				x += p.x
			}
		} else if y = along; isRelative {
			y += p.y
		}
		p.dc.LineTo(x, y)
	case 'C':
		x1, y1 := at(0)
		p.cx, p.cy = at(2)
		x, y = at(4)
		control = true
		p.dc.CubicTo(x1, y1, p.cx, p.cy, x, y)
	case 'S':
		x1, y1 := 2*p.x-p.cx, 2*p.y-p.cy
		p.cx, p.cy = at(0)
		x, y = at(2)
		control = true
		p.dc.CubicTo(x1, y1, p.cx, p.cy, x, y)
	case 'Q':
		p.cx, p.cy = at(0)
		x, y = at(2)
		control = true
		p.dc.QuadraticTo(p.cx, p.cy, x, y)
	case 'T':
		p.cx, p.cy = 2*p.x-p.cx, 2*p.y-p.cy
		x, y = at(0)
		control = true
		p.dc.QuadraticTo(p.cx, p.cy, x, y)
	case 'A':
		x, y = at(5)
		p.arc(v[0], v[1], v[3] != 0, v[4] != 0, x, y)
	case 'Z':
		x, y = p.startX, p.startY
		p.dc.ClosePath()
	}
	p.x, p.y = x, y
	if !control {
		p.cx, p.cy = x, y
	}
}

// arc draws an elliptical arc to (x, y) as in SVG 1.1, appendix F.6.5, without axis rotation.
func (p *pen) arc(rx, ry float64, isLarge, isSweep bool, x, y float64) {
	if rx == 0 || ry == 0 || x == p.x && y == p.y {
		p.dc.LineTo(x, y)
		return
	}
	// Half of the chord, scaled to the unit circle.
	hx, hy := (p.x-x)/2/rx, (p.y-y)/2/ry
	h := math.Hypot(hx, hy)
	if h > 1 { // enlarges radii that are too small
		rx, ry, hx, hy, h = rx*h, ry*h, hx/h, hy/h, 1
	}
	to := math.Sqrt(max(0, 1-h*h)) / h // factor from the middle of the chord to the centre
	if isLarge == isSweep {
		to = -to
	}
	cx, cy := to*hy, -to*hx
	from, until := math.Atan2(hy-cy, hx-cx), math.Atan2(-hy-cy, -hx-cx)
	if isSweep && until <= from {
		until += 2 * math.Pi
	}
	if !isSweep && until >= from {
		until -= 2 * math.Pi
	}
	p.dc.DrawEllipticalArc((p.x+x)/2+cx*rx, (p.y+y)/2+cy*ry, rx, ry, from, until)
}
