// Package card draws the Open Graph image of a tool, which link previews show. It contains the
// title, the conclusion of an example, and the plot, the board or the drawing of that example.
//
// The package parses the drawings itself, because no SVG library for Go draws their labels. oksvg
// has no text (its issue 29). ParseSVG of tdewolff/canvas has no tspan and therefore no subscripts.
// It loads only system fonts, and panics without them. Both libraries need the style rules inside
// the SVG.
package card

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"io"
	"regexp"
	"strings"

	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"git.sr.ht/~sbinet/gg"
)

// Width and Height are the size of a card in pixels, the 1.91:1 format of link previews.
const (
	Width  = 1200
	Height = 630
)

// Card is the content of an image. Without Picture and Drawing, its text occupies the full width.
type Card struct {
	Title      string
	Example    string // title of the example
	Conclusion string
	Picture    []byte // PNG of a plot or board
	Drawing    string // SVG of package drawing; used if Picture is nil
}

// Colours of the light scheme of app.css.
var (
	paper  = color.RGBA{0xf4, 0xf6, 0xf8, 0xff}
	panel  = color.RGBA{0xff, 0xff, 0xff, 0xff}
	ink    = color.RGBA{0x15, 0x20, 0x2b, 0xff}
	soft   = color.RGBA{0x4d, 0x5b, 0x69, 0xff}
	edge   = color.RGBA{0xd3, 0xda, 0xe1, 0xff}
	accent = color.RGBA{0x0b, 0x5c, 0x8a, 0xff}
)

const (
	margin     = 40
	textWidth  = 380 // width of the text beside a picture
	barIndent  = 20  // indentation of the conclusion beside its bar
	titleSize  = 44
	saidSize   = 30
	smallSize  = 22
	textOnly   = 1.7 // magnification of title and conclusion without a picture
	panelLeft  = 440
	panelInset = 14
)

// Write writes the card as PNG. It returns an error for an invalid picture or drawing, and the
// errors of w.
func (c *Card) Write(w io.Writer) error {
	dc := gg.NewContext(Width, Height)
	dc.SetColor(paper)
	dc.Clear()
	width, k := float64(textWidth), 1.0
	switch {
	case len(c.Picture) > 0:
		img, err := png.Decode(bytes.NewReader(c.Picture))
		if err != nil {
			return err
		}
		drawPicture(dc, img)
	case c.Drawing != "":
		drawPanel(dc)
		area := image.Rect(panelLeft, margin, Width-margin, Height-margin).Inset(panelInset)
		if err := drawSketch(dc, c.Drawing, area); err != nil {
			return err
		}
	default:
		width, k = Width-2*margin, textOnly
	}
	if err := c.writeTexts(dc, width, k); err != nil {
		return err
	}
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	return encoder.Encode(w, dc.Image())
}

// writeTexts writes the name of the service, the title and the conclusion from the top, and the
// example at the bottom. k is the magnification of title and conclusion.
func (c *Card) writeTexts(dc *gg.Context, width, k float64) error {
	drawBrand(dc)
	y := float64(margin)
	write := func(text string, bold bool, size float64, of color.Color, x, width float64) error {
		if err := setFont(dc, bold, size); err != nil {
			return err
		}
		dc.SetColor(of)
		for _, line := range dc.WordWrap(unbroken(text), width) {
			y += size * 1.25
			dc.DrawString(strings.ReplaceAll(line, joint, " "), x, y)
		}
		return nil
	}
	if err := write("Slipstick", true, smallSize, ink, margin+44, width); err != nil {
		return err
	}
	y += 40 * k
	if err := write(c.Title, true, titleSize*k, ink, margin, width); err != nil {
		return err
	}
	y += 24 * k
	top := y
	if err := write(printable.Replace(c.Conclusion), true, saidSize*k, accent, margin+barIndent,
		width-barIndent); err != nil {
		return err
	}
	if y > top {
		dc.DrawRectangle(margin, top+8, 5, y-top)
		dc.Fill()
	}
	if c.Example == "" {
		return nil
	}
	text := "Example: " + printable.Replace(c.Example)
	if err := setFont(dc, false, smallSize); err != nil {
		return err
	}
	lines := len(dc.WordWrap(unbroken(text), width))
	y = max(y+16, float64(Height-margin)-float64(lines)*smallSize*1.25)
	return write(text, false, smallSize, soft, margin, width)
}

// drawBrand draws the logo of the service as in icon.svg.
func drawBrand(dc *gg.Context) {
	dc.SetColor(accent)
	dc.DrawRoundedRectangle(margin, margin+6, 32, 23, 3)
	dc.Fill()
	dc.SetColor(panel)
	dc.SetLineWidth(1.6)
	for _, y := range []float64{13, 22} {
		dc.DrawLine(margin, margin+y, margin+32, margin+y)
	}
	for i, length := range []float64{4, 6, 4, 6, 4} {
		x := margin + 5 + 5.5*float64(i)
		dc.DrawLine(x, margin+13, x, margin+13+length)
	}
	dc.Stroke()
}

func drawPanel(dc *gg.Context) {
	dc.DrawRoundedRectangle(panelLeft, margin, Width-margin-panelLeft, Height-2*margin, 10)
	dc.SetColor(panel)
	dc.FillPreserve()
	dc.SetColor(edge)
	dc.SetLineWidth(2)
	dc.Stroke()
}

// drawPicture draws an image in the panel. It scales down an image that is larger than the panel.
func drawPicture(dc *gg.Context, img image.Image) {
	drawPanel(dc)
	area := image.Rect(panelLeft, margin, Width-margin, Height-margin).Inset(panelInset)
	size := img.Bounds().Size()
	k := min(1, float64(area.Dx())/float64(size.X), float64(area.Dy())/float64(size.Y))
	dc.Push()
	dc.Translate(float64(area.Min.X)+(float64(area.Dx())-k*float64(size.X))/2,
		float64(area.Min.Y)+(float64(area.Dy())-k*float64(size.Y))/2)
	dc.Scale(k, k)
	dc.DrawImage(img, 0, 0)
	dc.Pop()
}

// setFont selects Liberation Sans in the given size in pixels.
func setFont(dc *gg.Context, bold bool, size float64) error {
	file := liberationsansregular.TTF
	if bold {
		file = liberationsansbold.TTF
	}
	return dc.LoadFontFaceFromBytes(file, size)
}

// printable replaces characters that the font lacks.
var printable = strings.NewReplacer("\u2009", " ", "∥", "||")

// joint replaces no-break spaces during word wrap, because gg also breaks lines at them.
const joint = "\uFFFC"

var (
	noBreak = strings.NewReplacer("\u00a0", joint, "\u202f", joint)
	// afterNumber matches the space between a number and the unit or word after it.
	afterNumber = regexp.MustCompile(`([0-9]) (\S)`)
)

// unbroken replaces no-break spaces, and the space after a number, with joint. A line must not
// break at these spaces.
func unbroken(text string) string {
	return afterNumber.ReplaceAllString(noBreak.Replace(text), "${1}"+joint+"${2}")
}
