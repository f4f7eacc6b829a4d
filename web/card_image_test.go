package web

import (
	"bytes"
	"flag"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"slipstick/web/card"
)

var cardFolder = flag.String("cards", "", "folder to write the Open Graph images to")

// maxCardBytes is the maximum size of an image in bytes. Link previews omit large images.
const maxCardBytes = 300_000

// TestCards verifies the size of the Open Graph image of every tool. It also verifies that the
// image of a tool with a drawing or a plot has many coloured pixels right of the text.
func TestCards(t *testing.T) {
	s := testSite(t)
	for name, tool := range s.tools {
		raw, err := s.CardImage(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if *cardFolder != "" {
			if err := os.WriteFile(filepath.Join(*cardFolder, name+".png"), raw,
				0o600); err != nil {
				t.Fatal(err)
			}
		}
		img, err := png.Decode(bytes.NewReader(raw))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if img.Bounds() != image.Rect(0, 0, card.Width, card.Height) || len(raw) > maxCardBytes {
			t.Errorf("%s: %v, %d bytes", name, img.Bounds(), len(raw))
		}
		isDrawn := tool.drawing != nil || tool.Heavy || len(tool.Pictures) > 0
		if n := inked(img, image.Rect(460, 60, 1140, 570)); isDrawn && n < 500 {
			t.Errorf("%s: %d coloured pixels in the picture", name, n)
		}
	}
	if raw, err := s.CardImage("nothing"); raw != nil || err != nil {
		t.Errorf("unknown tool: %d bytes, %v", len(raw), err)
	}
}

// inked counts the pixels of a region that are not nearly white.
func inked(img image.Image, within image.Rectangle) (n int) {
	for y := within.Min.Y; y < within.Max.Y; y++ {
		for x := within.Min.X; x < within.Max.X; x++ {
			if r, g, b, _ := img.At(x, y).RGBA(); r+g+b < 3*0xe800 {
				n++
			}
		}
	}
	return n
}
