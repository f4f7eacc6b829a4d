package card

import (
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"math"
	"strconv"
	"strings"

	"git.sr.ht/~sbinet/gg"
)

// maxScale is the maximum magnification of a drawing.
const maxScale = 2.6

// paint is the style of a class of shapes in sketch.css.
type paint struct {
	fill, stroke color.Color // nil for none
	width        float64
	dashes       []float64
}

// paints maps the classes of package drawing to their styles in the light scheme.
var paints = map[string]paint{
	"w": {stroke: ink, width: 1.5},
	"t": {stroke: soft, width: 1},
	"h": {stroke: soft, width: 1, dashes: []float64{4, 3}},
	"f": {fill: panel, stroke: ink, width: 1.5},
	"s": {fill: ink},
	"cu": {fill: color.RGBA{0xc6, 0x81, 0x55, 0xff}, width: 1.5,
		stroke: color.RGBA{0xb8, 0x62, 0x2b, 0xff}},
	"ba": {fill: color.RGBA{0xcf, 0xe0, 0xc8, 0xff}, stroke: soft, width: 1},
	"me": {fill: edge, stroke: soft, width: 1.5},
	"gl": {fill: color.RGBA{0xee, 0xf5, 0xfa, 0xff}, stroke: accent, width: 1.5},
}

var errSketch = errors.New("card: the drawing is not as package drawing writes it")

// run is a part of a label in one style.
type run struct {
	text  string
	class string // "", note, sub or v
}

// chunk is a part of a label with its own position and text anchor. If x is NaN, the chunk
// continues the previous one.
type chunk struct {
	x, y   float64
	anchor string
	runs   []run
}

// sketch renders an SVG of package drawing.
type sketch struct {
	dc     *gg.Context
	k      float64 // pixels per drawing unit
	ox, oy float64 // origin of the drawing in pixels
}

// drawSketch renders the visible elements of a drawing in an area, with IEC symbols.
func drawSketch(dc *gg.Context, svg string, area image.Rectangle) error {
	s := sketch{dc: dc}
	x := xml.NewDecoder(strings.NewReader(svg))
	x.Strict = false // HTML allows hidden without a value
	for {
		token, err := x.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%w: %w", errSketch, err)
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		a := attributesOf(e)
		_, isHidden := a["hidden"]
		switch e.Name.Local {
		case "svg":
			err = s.place(a, area)
		case "g":
			if isHidden {
				err = x.Skip()
			}
		case "path":
			if class, ok := strings.CutSuffix(a["class"], " ansi"); !ok {
				err = s.path(strings.TrimSuffix(class, " iec"), a["d"], a["transform"])
			}
		case "text":
			err = s.label(x, a)
		}
		if err != nil {
			return err
		}
	}
}

func attributesOf(e xml.StartElement) map[string]string {
	a := make(map[string]string, len(e.Attr))
	for _, at := range e.Attr {
		a[at.Name.Local] = at.Value
	}
	return a
}

// place centres the drawing in an area and scales it to fit.
func (s *sketch) place(a map[string]string, area image.Rectangle) error {
	w, h := number(a["width"]), number(a["height"])
	if !(w > 0) || !(h > 0) {
		return errSketch
	}
	s.k = min(maxScale, float64(area.Dx())/w, float64(area.Dy())/h)
	s.ox = float64(area.Min.X) + (float64(area.Dx())-s.k*w)/2
	s.oy = float64(area.Min.Y) + (float64(area.Dy())-s.k*h)/2
	return nil
}

func number(text string) float64 {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return math.NaN()
	}
	return v
}

// path draws a shape of the given class.
func (s *sketch) path(class, data, transform string) error {
	p, ok := paints[class]
	if !ok || s.k == 0 {
		return fmt.Errorf("%w: class %q", errSketch, class)
	}
	dc := s.dc
	dc.Push()
	defer dc.Pop()
	dc.Translate(s.ox, s.oy)
	dc.Scale(s.k, s.k)
	for step := range strings.SplitSeq(transform, ")") {
		var x, y, degrees float64
		if n, _ := fmt.Sscanf(step, "translate(%g %g", &x, &y); n == 2 {
			dc.Translate(x, y)
		} else if n, _ := fmt.Sscanf(step, "rotate(%g", &degrees); n == 1 {
			dc.Rotate(gg.Radians(degrees))
		} else if step != "" {
			return fmt.Errorf("%w: transform %q", errSketch, transform)
		}
	}
	dc.ClearPath()
	if err := trace(dc, data); err != nil {
		return err
	}
	if p.fill != nil {
		dc.SetColor(p.fill)
		dc.FillPreserve()
	}
	if p.stroke != nil {
		dc.SetLineCapRound()
		dc.SetLineJoinRound()
		dc.SetDash()
		if len(p.dashes) > 0 {
			dc.SetDash(p.dashes[0]*s.k, p.dashes[1]*s.k)
		}
		dc.SetLineWidth(p.width * s.k)
		dc.SetColor(p.stroke)
		dc.StrokePreserve()
	}
	dc.ClearPath()
	return nil
}

// label draws a text element with its subscript and value.
func (s *sketch) label(x *xml.Decoder, a map[string]string) error {
	chunks := []chunk{{x: number(a["x"]), y: number(a["y"]), anchor: a["text-anchor"]}}
	y, class := number(a["y"]), a["class"]
	for {
		token, err := x.Token()
		if err != nil {
			return fmt.Errorf("%w: %w", errSketch, err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			t := attributesOf(e)
			class = t["class"]
			if dy, ok := t["dy"]; ok {
				y += number(dy)
			}
			next := chunk{x: math.NaN(), y: y, anchor: a["text-anchor"]}
			if at, ok := t["x"]; ok {
				next.x = number(at)
			}
			chunks = append(chunks, next)
		case xml.CharData:
			last := &chunks[len(chunks)-1]
			last.runs = append(last.runs, run{printable.Replace(string(e)), class})
		case xml.EndElement:
			if e.Name.Local == "text" {
				return s.writeChunks(chunks)
			}
			class = ""
		}
	}
}

// writeChunks writes the parts of a label. A part without a position continues the previous part.
func (s *sketch) writeChunks(chunks []chunk) error {
	for i := 0; i < len(chunks); {
		end := i + 1
		for end < len(chunks) && math.IsNaN(chunks[end].x) {
			end++
		}
		width, err := s.measure(chunks[i:end])
		if err != nil {
			return err
		}
		x := s.ox + s.k*chunks[i].x
		switch chunks[i].anchor {
		case "middle":
			x -= width / 2
		case "end":
			x -= width
		}
		for _, c := range chunks[i:end] {
			for _, r := range c.runs {
				if err := s.write(r, &x, s.oy+s.k*c.y); err != nil {
					return err
				}
			}
		}
		i = end
	}
	return nil
}

func (s *sketch) measure(chunks []chunk) (width float64, err error) {
	for _, c := range chunks {
		for _, r := range c.runs {
			if err := s.setFont(r); err != nil {
				return 0, err
			}
			w, _ := s.dc.MeasureString(r.text)
			width += w
		}
	}
	return width, nil
}

// setFont selects the font for a class of sketch.css.
func (s *sketch) setFont(r run) error {
	size := map[string]float64{"note": 11, "sub": 9}[r.class]
	if size == 0 {
		size = 12
	}
	return setFont(s.dc, r.class == "" || r.class == "sub", size*s.k)
}

// write writes a run with a halo in the colour of the panel, and advances x.
func (s *sketch) write(r run, x *float64, y float64) error {
	if err := s.setFont(r); err != nil {
		return err
	}
	const corners = 12
	s.dc.SetColor(panel)
	for i := range corners {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / corners)
		s.dc.DrawString(r.text, *x+1.5*s.k*cos, y+1.5*s.k*sin)
	}
	s.dc.SetColor(map[string]color.Color{"note": soft, "v": accent}[r.class])
	if r.class == "" || r.class == "sub" {
		s.dc.SetColor(ink)
	}
	s.dc.DrawString(r.text, *x, y)
	w, _ := s.dc.MeasureString(r.text)
	*x += w
	return nil
}
