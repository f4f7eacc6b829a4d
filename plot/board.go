package plot

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"strconv"
	"strings"

	"git.sr.ht/~sbinet/gg"
)

// Maximum size and minimum width of a board picture in pixels, and maximum pixels per millimetre.
const (
	boardWidth, boardHeight = 800, 600
	minWidth                = 64
	maxPerMM                = 48
)

// WriteBoard writes one side of a board as PNG. It reduces the scale until the PNG has at most
// maxBytes or the minimum width. preview is the SVG of package autorouter/export; WriteBoard
// supports groups, paths of straight lines, circles, one matrix and one clip path. It returns an
// error for other SVG, and the errors of w.
func WriteBoard(w io.Writer, preview []byte, maxBytes int) error {
	d, err := readPreview(preview)
	if err != nil {
		return err
	}
	perMM := min(boardWidth/d.width, boardHeight/d.height, maxPerMM)
	for {
		var b bytes.Buffer
		if err := encodePNG(&b, d.raster(perMM)); err != nil {
			return err
		}
		if b.Len() <= maxBytes || d.width*perMM <= minWidth {
			_, err := b.WriteTo(w)
			return err
		}
		perMM *= max(0.5, min(0.9, math.Sqrt(float64(maxBytes)/float64(b.Len()))))
	}
}

// encodePNG writes an image as PNG with a palette. It reduces the channels to at most five bits, so
// that at most 256 colours remain. It writes an image of a type other than *image.RGBA unchanged.
func encodePNG(w io.Writer, drawn image.Image) error {
	img, ok := drawn.(*image.RGBA)
	if !ok {
		return png.Encode(w, drawn)
	}
	for bits := 5; bits > 1; bits-- {
		if p := palettedOf(img, bits); p != nil {
			return png.Encode(w, p)
		}
	}
	return png.Encode(w, img)
}

// palettedOf reduces the channels of an opaque image to the given number of bits. It returns nil if
// more than 256 colours remain.
func palettedOf(img *image.RGBA, bits int) *image.Paletted {
	out := image.NewPaletted(img.Bounds(), nil)
	index := make([]int16, 1<<(3*bits)) // palette index of a colour plus 1; 0 for none
	most := 1<<bits - 1
	for i := range out.Pix {
		r, g, b := img.Pix[4*i]>>(8-bits), img.Pix[4*i+1]>>(8-bits), img.Pix[4*i+2]>>(8-bits)
		key := int(r)<<(2*bits) | int(g)<<bits | int(b)
		if index[key] == 0 {
			if len(out.Palette) == 256 {
				return nil
			}
			full := func(v uint8) uint8 { return uint8(int(v) * 255 / most) }
			out.Palette = append(out.Palette, color.RGBA{full(r), full(g), full(b), 0xff})
			index[key] = int16(len(out.Palette))
		}
		out.Pix[i] = uint8(index[key] - 1)
	}
	return out
}

// drawing is a board preview. Its coordinates are in millimetres from the upper left corner.
type drawing struct {
	width, height float64
	clip          []subpath
	shapes        []shape
}

// subpath is a polyline.
type subpath struct {
	points [][2]float64
	closed bool
}

// shape is a path or circle with its colours.
type shape struct {
	path         []subpath
	radius       float64 // radius of a circle around the first point; 0 for a path
	fill, stroke color.Color
	width        float64 // width of the stroke
	clipped      bool
}

// style contains the attributes that shapes inherit from their groups.
type style struct {
	fill, stroke string
	clipped      bool
}

// maxShapes is the maximum number of shapes in a preview.
const maxShapes = 200_000

var errPreview = errors.New("plot: the preview of the board is not as expected")

// readPreview parses the SVG of a preview.
func readPreview(svg []byte) (*drawing, error) {
	d := &drawing{}
	matrix := [6]float64{1, 0, 0, 1, 0, 0}
	styles := []style{{}}
	inClip := false
	for x := xml.NewDecoder(bytes.NewReader(svg)); ; {
		token, err := x.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errPreview, err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			a := attributes(e)
			s := styles[len(styles)-1].with(a)
			switch e.Name.Local {
			case "svg":
				box := numbers(a["viewBox"])
				if len(box) != 4 || !(box[2] > 0) || !(box[3] > 0) {
					return nil, errPreview
				}
				d.width, d.height = box[2], box[3]
			case "clipPath":
				inClip = true
			case "g":
				if m := numbers(strings.TrimSuffix(strings.TrimPrefix(a["transform"], "matrix("),
					")")); len(m) == 6 {
					matrix = [6]float64(m)
				}
			case "path":
				if inClip {
					d.clip = subpaths(a["d"])
					break
				}
				d.add(shape{path: subpaths(a["d"])}, s, a)
			case "circle":
				at := [2]float64{number(a["cx"]), number(a["cy"])}
				d.add(shape{path: []subpath{{points: [][2]float64{at}}}, radius: number(a["r"])}, s,
					a)
			}
			styles = append(styles, s)
		case xml.EndElement:
			styles = styles[:len(styles)-1]
			if e.Name.Local == "clipPath" {
				inClip = false
			}
		}
		if len(d.shapes) > maxShapes {
			return nil, errPreview
		}
	}
	if d.width == 0 {
		return nil, errPreview
	}
	d.transform(matrix)
	return d, nil
}

func attributes(e xml.StartElement) map[string]string {
	a := make(map[string]string, len(e.Attr))
	for _, at := range e.Attr {
		a[at.Name.Local] = at.Value
	}
	return a
}

// with returns the style modified by the attributes of an element.
func (s style) with(a map[string]string) style {
	if v, ok := a["fill"]; ok {
		s.fill = v
	}
	if v, ok := a["stroke"]; ok {
		s.stroke = v
	}
	s.clipped = s.clipped || a["clip-path"] != ""
	return s
}

// add adds a shape with its style.
func (d *drawing) add(s shape, st style, a map[string]string) {
	s.fill, s.stroke, s.clipped = paint(st.fill), paint(st.stroke), st.clipped
	if s.width = number(a["stroke-width"]); s.width == 0 {
		s.stroke = nil
	}
	d.shapes = append(d.shapes, s)
}

// paint parses a colour such as #0b5d2e. It returns nil for any other text, such as none.
func paint(v string) color.Color {
	rgb, err := strconv.ParseUint(strings.TrimPrefix(v, "#"), 16, 24)
	if err != nil || len(v) != 7 {
		return nil
	}
	return color.RGBA{uint8(rgb >> 16), uint8(rgb >> 8), uint8(rgb), 0xff}
}

// subpaths parses path data with the commands M, L and Z in absolute coordinates.
func subpaths(data string) (paths []subpath) {
	for part := range strings.SplitSeq(data, "M") {
		if part == "" {
			continue
		}
		p := subpath{closed: strings.HasSuffix(part, "Z")}
		for point := range strings.SplitSeq(strings.TrimSuffix(part, "Z"), "L") {
			if xy := numbers(point); len(xy) == 2 {
				p.points = append(p.points, [2]float64(xy))
			}
		}
		paths = append(paths, p)
	}
	return paths
}

func numbers(list string) (out []float64) {
	for f := range strings.FieldsSeq(list) {
		out = append(out, number(f))
	}
	return out
}

// number parses a finite number. It returns 0 for any other text.
func number(text string) float64 {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !finite(v) {
		return 0
	}
	return v
}

// transform applies the matrix of the drawing to all points.
func (d *drawing) transform(m [6]float64) {
	apply := func(paths []subpath) {
		for _, p := range paths {
			for i, at := range p.points {
				p.points[i] = [2]float64{m[0]*at[0] + m[2]*at[1] + m[4],
					m[1]*at[0] + m[3]*at[1] + m[5]}
			}
		}
	}
	apply(d.clip)
	for _, s := range d.shapes {
		apply(s.path)
	}
}

// point returns the position of a line of zero length. ok is false for any other path.
func (s *shape) point() (at [2]float64, ok bool) {
	if len(s.path) != 1 || len(s.path[0].points) != 2 || s.path[0].closed {
		return at, false
	}
	return s.path[0].points[0], s.path[0].points[0] == s.path[0].points[1]
}

// raster renders the drawing with perMM pixels per millimetre.
func (d *drawing) raster(perMM float64) image.Image {
	c := gg.NewContext(max(1, int(math.Ceil(d.width*perMM))),
		max(1, int(math.Ceil(d.height*perMM))))
	c.SetColor(color.White)
	c.Clear()
	c.SetFillRule(gg.FillRuleEvenOdd)
	c.SetLineCapRound()
	trace := func(paths []subpath) {
		for _, p := range paths {
			for i, at := range p.points {
				if i == 0 {
					c.MoveTo(at[0]*perMM, at[1]*perMM)
				} else {
					c.LineTo(at[0]*perMM, at[1]*perMM)
				}
			}
			if p.closed {
				c.ClosePath()
			}
		}
	}
	clipped := false
	for _, s := range d.shapes {
		if s.clipped != clipped {
			if clipped = s.clipped; clipped {
				trace(d.clip)
				c.Clip()
			} else {
				c.ResetClip()
			}
		}
		if s.radius > 0 {
			at := s.path[0].points[0]
			c.DrawCircle(at[0]*perMM, at[1]*perMM, s.radius*perMM)
		} else {
			trace(s.path)
		}
		if s.fill != nil {
			c.SetColor(s.fill)
			c.FillPreserve()
		}
		switch at, isPoint := s.point(); {
		case s.stroke == nil:
		case isPoint: // a line of zero length with round caps is a disc
			c.ClearPath()
			c.SetColor(s.stroke)
			c.DrawCircle(at[0]*perMM, at[1]*perMM, s.width*perMM/2)
			c.Fill()
		default:
			c.SetColor(s.stroke)
			c.SetLineWidth(max(s.width*perMM, 0.6))
			c.StrokePreserve()
		}
		c.ClearPath()
	}
	return c.Image()
}
