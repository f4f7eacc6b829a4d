package plot_test

import (
	"bytes"
	"errors"
	"flag"
	"image"
	"image/color"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"slipstick/plot"
	"slipstick/tools/catalog"
)

var folder = flag.String("pictures", "", "folder to write the pictures of TestPictures to")

// TestPictures verifies that boards, fields, curves and tables have pictures of the expected kinds
// below 60 kB.
func TestPictures(t *testing.T) {
	all, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		tool, want string
		example    int
	}{
		{"pcb_layout", "top bottom", 0},
		{"pcb_thermal", "plot", 0},
		{"heatsink_cfd", "plot", 1},
		{"tcp_throughput", "plot", 0},
		{"fspl", "", 0},
		{"spice_simulate", "", 0}, // an operating point
	} {
		entry, err := all.Find(test.tool)
		if err != nil {
			t.Fatal(err)
		}
		result, err := entry.Run(t.Context(), []byte(entry.Examples[test.example].In))
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, p := range plot.Pictures(entry.Title, entry.Output, result, nil) {
			names = append(names, p.Name)
			var b bytes.Buffer
			if err := p.Write(&b, plot.PNG); err != nil {
				t.Fatal(err)
			}
			if *folder != "" {
				file := filepath.Join(*folder, test.tool+"_"+p.Name+".png")
				if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if b.Len() > plot.MaxPictureBytes {
				t.Errorf("%s, %s: %d bytes", test.tool, p.Name, b.Len())
			}
			img, err := png.Decode(&b)
			if err != nil {
				t.Fatal(err)
			}
			if n := countColors(img); n < 4 {
				t.Errorf("%s, %s: %d colours", test.tool, p.Name, n)
			}
		}
		if got := strings.Join(names, " "); got != test.want {
			t.Errorf("%s: pictures %q, want %q", test.tool, got, test.want)
		}
	}
}

func countColors(img image.Image) int {
	seen := map[color.Color]bool{}
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			seen[img.At(x, y)] = true
		}
	}
	return len(seen)
}

// preview is a board of 10 mm by 8 mm seen from below, with one pad, one hole and a line across the
// edge.
const preview = `<svg xmlns="http://www.w3.org/2000/svg" width="12mm" height="10mm" viewBox="0 0 12 10">
<defs><clipPath id="s"><path d="M0 0L10 0L10 8L0 8Z"/></clipPath></defs>
<g transform="matrix(-1 0 0 -1 11 9)"><g><path d="M0 0L10 0L10 8L0 8Z" fill="#0000ff"/></g>
<g clip-path="url(#s)"><g fill="#ff0000"><path d="M1 1L3 1L3 3L1 3Z"/></g>
<g stroke="#ffffff" stroke-linecap="round"><path d="M5 7L5 20" stroke-width="1"/></g></g>
<g stroke="#000000"><path d="M8 4L8 4" stroke-width="2"/></g></g></svg>`

// TestWriteBoard verifies pixel colours that depend on the matrix, the clip path and the round line
// ends.
func TestWriteBoard(t *testing.T) {
	var b bytes.Buffer
	if err := plot.WriteBoard(&b, []byte(preview), plot.MaxPictureBytes); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	perMM := float64(img.Bounds().Dx()) / 12
	for name, c := range map[string]struct {
		x, y float64 // mm on the board, from its lower left corner as seen from the top
		want color.RGBA
	}{
		"mask":              {5, 4, color.RGBA{0, 0, 0xff, 0xff}},
		"pad":               {2, 2, color.RGBA{0xff, 0, 0, 0xff}},
		"hole":              {8, 4.8, color.RGBA{0, 0, 0, 0xff}},
		"line":              {5, 7.5, color.RGBA{0xff, 0xff, 0xff, 0xff}},
		"line off the edge": {5, 8.5, color.RGBA{0xff, 0xff, 0xff, 0xff}},
		"beside the line":   {4, 7.5, color.RGBA{0, 0, 0xff, 0xff}},
		"paper":             {-0.5, 4, color.RGBA{0xff, 0xff, 0xff, 0xff}},
	} {
		got := color.RGBAModel.Convert(img.At(int((11-c.x)*perMM), int((9-c.y)*perMM)))
		if got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	var large, small bytes.Buffer
	entry := strings.Repeat(`<g fill="#12ab34"><circle cx="3" cy="4" r="2.3"/></g>`, 3)
	svg := []byte(strings.Replace(preview, "</svg>", entry+"</svg>", 1))
	if err := errors.Join(plot.WriteBoard(&large, svg, 1<<20),
		plot.WriteBoard(&small, svg, 1500)); err != nil {
		t.Fatal(err)
	}
	if small.Len() > 1500 || large.Len() <= small.Len() {
		t.Errorf("%d bytes for at most 1500, %d for at most 1 MiB", small.Len(), large.Len())
	}
	for _, bad := range []string{"", "<svg", "<svg/>", `<svg viewBox="0 0 0 1"/>`, "</g>", "PNG"} {
		if plot.WriteBoard(io.Discard, []byte(bad), 1000) == nil {
			t.Errorf("%q is drawn", bad)
		}
	}
}

// FuzzWriteBoard verifies that WriteBoard writes nothing if it returns an error. Otherwise it
// writes a PNG within the maximum width and height, and within the size limit unless the PNG has
// the minimum width.
func FuzzWriteBoard(f *testing.F) {
	f.Add(preview)
	f.Add(`<svg viewBox="0 0 1e300 1"><circle r="9"/><path d="MLZ"/></svg>`)
	f.Add(`<svg viewBox="0 0 100000 100000"><path d="M0 0L9 9Z" fill="#123456"/></svg>`)
	f.Fuzz(func(t *testing.T, svg string) {
		const limit = 5000
		var b bytes.Buffer
		if err := plot.WriteBoard(&b, []byte(svg), limit); err != nil {
			if b.Len() > 0 {
				t.Errorf("%d bytes beside %v", b.Len(), err)
			}
			return
		}
		size := b.Len()
		img, err := png.DecodeConfig(&b)
		if err != nil || img.Width < 1 || img.Height < 1 || img.Width > 801 || img.Height > 601 {
			t.Fatalf("picture %+v, %v", img, err)
		}
		if size > limit && img.Width > 65 {
			t.Errorf("%d bytes, %d pixels wide", size, img.Width)
		}
	})
}
