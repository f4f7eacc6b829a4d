package web

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// contrastPairs are colours of adjacent elements, with the minimum contrast of WCAG 2.2. It is 4.5
// for text (1.4.3), and 3 for borders of controls, curves and drawings (1.4.11).
var contrastPairs = []struct {
	front, back string
	least       float64
	use         string
}{
	{"ink", "paper", 4.5, "text on the page"},
	{"ink", "panel", 4.5, "text in a panel"},
	{"ink", "sunk", 4.5, "code, table heads"},
	{"soft", "paper", 4.5, "secondary text on the page"},
	{"soft", "panel", 4.5, "secondary text in a panel, dimension lines"},
	{"soft", "sunk", 4.5, "units beside a field"},
	{"accent", "paper", 4.5, "links"},
	{"accent", "panel", 4.5, "links, values of drawings, curves"},
	{"accent", "wash", 4.5, "pressed buttons, current tab"},
	{"onaccent", "accent", 4.5, "the main button"},
	{"bad", "panel", 4.5, "errors below a field"},
	{"ink", "badwash", 4.5, "problem boxes"},
	{"ink", "warnwash", 4.5, "warnings"},
	{"good", "panel", 4.5, "passed checks, border of a good conclusion"},
	{"warn", "panel", 3, "border of warnings, curves"},
	{"edge", "panel", 3, "border of fields and buttons"},
	{"copper", "panel", 3, "copper in drawings"},
}

// TestContrast compares the contrast ratios of the style sheets' colours with
// docs/design-system.md, and verifies the minimum ratios of WCAG 2.2 AA, in both colour schemes.
func TestContrast(t *testing.T) {
	colors := map[string][2]string{}
	pair := regexp.MustCompile(`--([a-z]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)`)
	for _, sheet := range []string{"app.css", "sketch.css"} {
		css, err := os.ReadFile("static/" + sheet)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range pair.FindAllStringSubmatch(string(css), -1) {
			colors[m[1]] = [2]string{m[2], m[3]}
		}
	}
	doc, err := os.ReadFile("../docs/design-system.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range contrastPairs {
		front, back := colors[p.front], colors[p.back]
		if front[0] == "" || back[0] == "" {
			t.Errorf("no colour %s or %s", p.front, p.back)
			continue
		}
		light, dark := contrast(front[0], back[0]), contrast(front[1], back[1])
		if light < p.least || dark < p.least {
			t.Errorf("%s on %s: %.2f and %.2f, want %g", p.front, p.back, light, dark, p.least)
		}
		row := fmt.Sprintf("| `--%s` | `--%s` | %.1f | %.1f | %g | %s |",
			p.front, p.back, light, dark, p.least, p.use)
		if !strings.Contains(string(doc), row) {
			t.Errorf("docs/design-system.md lacks\n%s", row)
		}
	}
}

// TestContrastFormula verifies the minimum and the maximum of the contrast ratio. It also verifies
// the example of Understanding WCAG 1.4.3: #767676 is the lightest grey that passes on white.
func TestContrastFormula(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want float64
	}{{"#000000", "#ffffff", 21}, {"#ffffff", "#ffffff", 1}, {"#767676", "#ffffff", 4.54}} {
		if got := contrast(c.a, c.b); math.Abs(got-c.want) > 0.005 {
			t.Errorf("%s on %s: %.3f, want %g", c.a, c.b, got, c.want)
		}
	}
}

// contrast returns the contrast ratio of two colours as defined by WCAG 2.2.
func contrast(a, b string) float64 {
	la, lb := luminance(a), luminance(b)
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

// luminance returns the relative luminance (WCAG 2.2) of a colour such as #0b5c8a.
func luminance(color string) float64 {
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, _ := strconv.ParseUint(color[1+2*i:3+2*i], 16, 8)
		v := float64(n) / 255
		if v <= 0.04045 {
			v /= 12.92
		} else {
			v = math.Pow((v+0.055)/1.055, 2.4)
		}
		sum += weight * v
	}
	return sum
}
