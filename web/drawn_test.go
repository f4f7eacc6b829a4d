package web

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"slipstick/web/drawing"
)

// TestDrawingFields verifies that every field of a drawing is an input or a result of its tool. A
// wrong name would leave its label empty.
func TestDrawingFields(t *testing.T) {
	s := testSite(t)
	list := drawing.All()
	if len(list) < 45 {
		t.Errorf("%d drawings, want at least 45", len(list))
	}
	for _, d := range list {
		tool := s.Tool(d.Tool)
		if tool == nil {
			t.Errorf("no tool %s", d.Tool)
			continue
		}
		if d.Title == "" {
			t.Errorf("%s has no accessible name", d.Tool)
		}
		for _, name := range d.Fields() {
			if fieldNamed(tool.Input, name) == nil && fieldNamed(tool.Output, name) == nil {
				t.Errorf("%s has no field %s", d.Tool, name)
			}
		}
	}
}

// TestDrawingLabels verifies that labels with the values of each example stay within the drawing
// and do not overlap.
func TestDrawingLabels(t *testing.T) {
	s := testSite(t)
	for _, d := range drawing.All() {
		tool := s.Tool(d.Tool)
		for i, x := range tool.Examples {
			v := Query(x.Query)
			v.moveAliases(tool.Input)
			values := drawn{s, tool, v, nil}
			if w := tool.worked[i](); w != nil {
				values.result = objectOf(w.raw)
			}
			labels := visibleLabels(t, d.SVG(values))
			if len(labels) == 0 {
				t.Errorf("%s has no labels", d.Tool)
			}
			for k, a := range labels {
				if a.left < 0 || a.right > d.Width || a.top < 0 || a.bottom > d.Height {
					t.Errorf("%s, %s: label %q leaves the drawing: %s", d.Tool, x.Title, a.text, a)
				}
				for _, b := range labels[k+1:] {
					if a.left < b.right && b.left < a.right && a.top < b.bottom &&
						b.top < a.bottom {
						t.Errorf("%s, %s: labels %q and %q overlap", d.Tool, x.Title,
							a.text, b.text)
					}
				}
			}
		}
	}
}

// TestDrawingEscapes verifies that a value of a form cannot become markup.
func TestDrawingEscapes(t *testing.T) {
	s := testSite(t)
	tool := s.Tool("raid_iops")
	svg := string(s.drawingOf(tool, Values{"raid_level": `"><script>`, "drives": "4"}, nil))
	if strings.Contains(svg, "<script") || !strings.Contains(svg, "&lt;script&gt;") {
		t.Errorf("not escaped: %s", svg)
	}
}

// TestDrawingValues verifies that a label shows the form value, or else the result, or else the
// default. It also verifies that conditions depend on the form values.
func TestDrawingValues(t *testing.T) {
	s := testSite(t)
	tool := s.Tool("voltage_divider")
	result := objectOf([]byte(`{"vout_v": 2.97744, "r2_ohm": 3300, "current_a": null}`))
	d := drawn{s, tool, Values{"r1_ohm": "10k", "vin_v": "nonsense"}, result}
	for field, want := range map[string]string{
		"r1_ohm": "10 kΩ", "r2_ohm": "3.30 kΩ", "vout_v": "2.977 V", "vin_v": "",
		"current_a": "", "tolerance_pct": "1 %", "no_field": "",
	} {
		if got := d.Text(field); got != want {
			t.Errorf("%s is %q, want %q", field, got, want)
		}
	}
	for _, c := range []struct{ mode, shown, hidden string }{
		{"", `data-if="mode" data-is="astable"><`, `data-if="mode" data-is="monostable" hidden`},
		{"monostable", `data-if="mode" data-is="monostable"><`,
			`data-if="mode" data-is="astable" hidden`},
	} {
		svg := string(s.drawingOf(s.Tool("timer_555"), Values{"mode": c.mode}, nil))
		if !strings.Contains(svg, c.shown) || !strings.Contains(svg, c.hidden) {
			t.Errorf("mode %q: want %s and %s in %s", c.mode, c.shown, c.hidden, svg)
		}
	}
}

// box is the bounding box of a line of text.
type box struct {
	text                     string
	left, right, top, bottom int
}

func (b box) String() string {
	return fmt.Sprintf("x %d to %d, y %d to %d", b.left, b.right, b.top, b.bottom)
}

// visibleLabels returns the visible lines of text of a drawing. It assumes 7 px per character,
// which exceeds the mean width of a sans-serif font of 12 px.
func visibleLabels(t *testing.T, svg string) (labels []box) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(svg))
	d.Strict = false
	// nesting depth of the hidden element (0 for none) and of the current element
	hidden, depth := 0, 0
	var x, y int
	var anchor string
	var line strings.Builder
	flush := func() {
		text := strings.TrimSpace(line.String())
		line.Reset()
		if text == "" || hidden > 0 {
			return
		}
		width := utf8.RuneCountInString(text) * 7
		left := x
		switch anchor {
		case "middle":
			left -= width / 2
		case "end":
			left -= width
		}
		labels = append(labels, box{text, left, left + width, y - 9, y + 2})
	}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return labels
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			depth++
			if _, ok := attribute(e, "hidden"); ok && hidden == 0 {
				hidden = depth
			}
			switch e.Name.Local {
			case "text":
				x, y = number(e, "x"), number(e, "y")
				anchor, _ = attribute(e, "text-anchor")
			case "tspan":
				if _, ok := attribute(e, "x"); ok {
					flush()
					x = number(e, "x")
					y += 15
				}
			}
		case xml.CharData:
			line.Write(e)
		case xml.EndElement:
			if e.Name.Local == "text" {
				flush()
			}
			if depth == hidden {
				hidden = 0
			}
			depth--
		}
	}
}

func attribute(e xml.StartElement, name string) (string, bool) {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value, true
		}
	}
	return "", false
}

func number(e xml.StartElement, name string) int {
	text, _ := attribute(e, name)
	n, _ := strconv.Atoi(text)
	return n
}
