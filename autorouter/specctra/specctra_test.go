package specctra

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"
	"time"

	"slipstick/autorouter/board"
	"slipstick/autorouter/placed"
)

// design is the text of a design with two parts and three nets. The format verbs insert structure
// items, the flip style, and the side and rotation of the second part.
const design = `(pcb "a board.dsn"
  (parser (string_quote ") (space_in_quoted_tokens on) (host_cad "other") (host_version "1"))
  (resolution um 10)
  (unit um)
  (structure
    (layer F.Cu (type signal) (property (index 0)))
    (layer B.Cu (type signal) (property (index 1)))
    (boundary (path pcb 0  100000 -130000  140000 -130000  140000 -100000  100000 -100000  100000 -130000))
    %s
    (via "Via[0-1]_600:300_um")
    (rule (width 250) (clearance 200.1) (clearance 50 (type smd_smd)))
  )
  (placement %s
    (component "Two pads" (place "J 1" 110000 -110000 front 0 (PN x)) (place U-2 125000 -115000 %s))
  )
  (library
    (image "Two pads"
      (pin Rect[T] 1 1000 2000) (pin Oval[A] (rotate 90) 2 -3000 0) (pin Round 3@1 0 4000.5)
    )
    (padstack Rect[T] (shape (rect F.Cu -500 -300 700 300)) (attach off))
    (padstack Oval[A] (shape (path F.Cu 800  -200 0  200 0)) (shape (path B.Cu 800  -200 0  200 0)) (attach off))
    (padstack Round (shape (circle signal 1500)) (attach off))
    (padstack "Via[0-1]_600:300_um" (shape (circle F.Cu 600)) (shape (circle B.Cu 600)) (attach off))
  )
  (network
    (net GND (pins "J 1"-1 U-2-1))
    (net "Net-(A)" (pins "J 1"-2 U-2-2))
    (net $3 (pins "J 1"-"3@1" U-2-3@1))
    (class wide $3 (circuit (use_via "Via[0-1]_600:300_um")) (rule (width 400) (clearance 300)))
  )
  (wiring)
)`

func boardOf(t *testing.T, text string, o Options) *Board {
	t.Helper()
	d, err := Read(text)
	if err != nil {
		t.Fatal(err)
	}
	b, err := d.Board(o)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestPlacement compares pad positions with positions determined by hand from the Specctra
// definitions. A rotation by 90 degrees maps (x, y) to (-y, x), and mirroring maps it to (-x, y).
// The origin is the lower left corner of the outline, at (100, -130) mm.
func TestPlacement(t *testing.T) {
	for _, c := range []struct {
		style, place string
		pin1, pin2   [2]float64 // pin positions on the board [mm]
		layers       board.LayerSet
	}{
		{"", "front 0", [2]float64{26, 17}, [2]float64{22, 15}, 1},
		{"", "front 90", [2]float64{23, 16}, [2]float64{25, 12}, 1},
		{"", "back 0", [2]float64{24, 17}, [2]float64{28, 15}, 2},
		{"", "back 90", [2]float64{23, 14}, [2]float64{25, 18}, 2},
		{"(place_control (flip_style rotate_first))", "back 90", [2]float64{27, 16},
			[2]float64{25, 12}, 2},
	} {
		b := boardOf(t, fmt.Sprintf(design, "", c.style, c.place), Options{})
		pads := b.Parts[1].Pads
		for i, want := range [][2]float64{c.pin1, c.pin2} {
			if got := pads[i].At; got != (board.Point{X: board.MM(want[0]), Y: board.MM(want[1])}) {
				t.Errorf("%s: pin %d at %v, want %v mm", c.place, i+1, got, want)
			}
		}
		if pads[0].Layers != c.layers || pads[1].Layers != 3 {
			t.Errorf("%s: layers %b and %b", c.place, pads[0].Layers, pads[1].Layers)
		}
	}
}

// TestPads verifies that a padstack becomes one pad with the copper of its shapes, and that the
// nets get the rules of their classes.
func TestPads(t *testing.T) {
	b := boardOf(t, fmt.Sprintf(design, "", "", "front 90"), Options{})
	p := b.Parts[1].Pads
	if len(p) != 3 {
		t.Fatalf("%d pads, want 3", len(p))
	}
	// The rectangle from (-0.5, -0.3) to (0.7, 0.3) mm has its centre 0.1 mm to the right of the
	// pin. The rotation by 90 degrees turns this offset upwards.
	if got := p[0].CopperAt().Sub(p[0].At); got != (board.Point{Y: 1e5}) ||
		p[0].Shape != board.RectShape ||
		p[0].Width != 1.2e6 {
		t.Errorf("rectangle: %+v, off by %v", p[0], got)
	}
	// The oval of 1.2 by 0.8 mm is rotated by 90 degrees with its pin and by another 90 degrees
	// with its part.
	if p[1].Shape != board.Oval || p[1].Width != 1.2e6 || p[1].Height != 0.8e6 ||
		p[1].Rotation != 180 {
		t.Errorf("oval: %+v", p[1])
	}
	if p[2].Shape != board.Circle || p[2].Width != 1.5e6 || p[2].Layers != 3 ||
		p[2].Number != "3@1" {
		t.Errorf("circle: %+v", p[2])
	}
	if c := b.Rules.Class(&b.Nets[2]); c.TrackWidth != 400e3 || c.Clearance != 300e3 ||
		c.ViaDiameter != 600e3 ||
		c.ViaDrill != 300e3 {
		t.Errorf("class of $3: %+v", c)
	}
	if c := b.Rules.Class(&b.Nets[0]); c.TrackWidth != 250e3 || c.Clearance != 200100 {
		t.Errorf("class of GND: %+v", c)
	}
}

// TestPolygons verifies that a polygon with chords for corner arcs becomes a rounded rectangle and
// that other polygons become convex pieces.
func TestPolygons(t *testing.T) {
	// The rectangle measures 2 by 0.8 mm with corner radii of 0.2 mm and 8 chords per corner.
	round := "(polygon F.Cu 0"
	for i := range 36 {
		corner, step := i/9, i%9
		sin, cos := math.Sincos((float64(corner) + float64(step)/8) * math.Pi / 2)
		x, y := 800.0, 200.0
		if corner == 1 || corner == 2 {
			x = -x
		}
		if corner > 1 {
			y = -y
		}
		round += fmt.Sprintf(" %.1f %.1f", x+200*cos, y+200*sin)
	}
	round += ")"
	const ell = `(polygon F.Cu 0  -1000 -1000  1000 -1000  1000 0  0 0  0 1000  -1000 1000)`
	for _, c := range []struct {
		shape string
		kind  board.Shape
		area  float64 // total copper area of the Convex pads [mm²]
	}{{round, board.RoundRect, 0}, {ell, board.Convex, 3}} {
		text := strings.Replace(
			fmt.Sprintf(design, "", "", "front 45"),
			"(rect F.Cu -500 -300 700 300)",
			c.shape,
			1,
		)
		area := 0.0
		for _, p := range boardOf(t, text, Options{}).Parts[1].Pads {
			if p.Number != "1" {
				continue
			}
			if p.Shape != c.kind {
				t.Errorf("shape %v, want %v", p.Shape, c.kind)
			}
			if p.Shape == board.RoundRect &&
				(math.Mod(p.Rotation, 180) != 45 || p.Width != 2e6 || p.Height != 0.8e6 ||
					math.Abs(float64(p.Radius)-2e5) > 5e3) {
				t.Errorf("rounded rectangle: %+v", p)
			}
			corners := p.ConvexCorners()
			area += board.Polygon(corners[:]).Area() / 1e12
		}
		if area < c.area-1e-6 || area > c.area+1e-6 {
			t.Errorf("area %g mm², want %g", area, c.area)
		}
	}
}

// TestSession verifies that the session repeats the placement and that its paths connect the pins
// of each net. It reads the path ends from the text, independently of the board.
func TestSession(t *testing.T) {
	d, err := Read(fmt.Sprintf(design, "", "", "back 90"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := d.Route(context.Background(), Options{}, placed.Options{TimeLimit: time.Minute})
	if err != nil || len(r.Open) > 0 || len(r.RoutingViolations) > 0 {
		t.Fatal(err, r.Open, r.DRC.Violations)
	}
	session := string(r.Session("/tmp/a board.dsn"))
	for _, want := range []string{
		`(session "a board.ses"`, `(base_design "a board.dsn")`, "(resolution um 10)",
		`(place "J 1" 1100000 -1100000 front 0)`, `(place "U-2" 1250000 -1150000 back 90)`,
		`(net "Net-(A)"`, "(circle F.Cu 6000 0 0)", `(host_cad other)`,
	} {
		if !strings.Contains(session, want) {
			t.Errorf("the session has no %s:\n%s", want, session)
		}
	}
	// The pins of net $3 are in steps of 0.1 µm. The pin of J 1, which is at (110, -110) mm, has an
	// offset of (0, 4.0005) mm. The pin of U-2, on the back and rotated by 90 degrees, is 4.0005 mm
	// to the left.
	_, net, _ := strings.Cut(session, "(net $3")
	net, _, _ = strings.Cut(net, "(net ")
	degree := map[string]int{}
	path := regexp.MustCompile(`\(path \S+ 4000 (-?\d+ -?\d+) (-?\d+ -?\d+)\)`)
	for _, m := range path.FindAllStringSubmatch(net, -1) {
		degree[m[1]]++
		degree[m[2]]++
	}
	via := regexp.MustCompile(`\(via "Via\[0-1\]_600:300_um" (-?\d+ -?\d+)\)`)
	for _, m := range via.FindAllStringSubmatch(net, -1) {
		if degree[m[1]] < 2 {
			t.Errorf("a via at %s has %d tracks", m[1], degree[m[1]])
		}
	}
	near := func(x, y int) bool {
		for at := range degree {
			var px, py int
			if _, err := fmt.Sscan(at, &px, &py); err == nil && max(px-x, x-px) < 7500 &&
				max(py-y, y-py) < 7500 {
				return true
			}
		}
		return false
	}
	if len(degree) == 0 || !near(1100000, -1059995) || !near(1209995, -1150000) {
		t.Errorf("the paths of $3 do not end at its pins: %v", degree)
	}
	odd := 0
	for _, n := range degree {
		odd += n % 2
	}
	if odd != 2 {
		t.Errorf("the paths of $3 have %d ends, want 2: %v", odd, degree)
	}
}

// TestWiring verifies the wiring types. The session omits kept wiring of type fix, because KiCad
// retains it at import and deletes all other tracks. Wiring of type protect is kept and repeated.
// Other wiring is kept only on request.
func TestWiring(t *testing.T) {
	const wires = `(wiring (wire (path F.Cu 250 111000 -108000 118000 -108000) (net GND) (type %s)) (via "Via[0-1]_600:300_um" 118000 -108000 (net GND) (type %s)))`
	for _, c := range []struct {
		kind     string
		keep     bool
		pads     int
		repeated bool
	}{
		{"fix", false, 2, false}, {"protect", false, 2, true},
		{"route", false, 0, false}, {"route", true, 2, true},
	} {
		text := strings.Replace(
			fmt.Sprintf(design, "", "", "front 0"),
			"(wiring)",
			fmt.Sprintf(wires, c.kind, c.kind),
			1,
		)
		b := boardOf(t, text, Options{KeepWiring: c.keep})
		pads := 0
		for _, p := range b.Parts[2:] {
			pads += len(p.Pads)
		}
		session := string(b.Session("a.dsn"))
		if pads != c.pads || strings.Contains(session, "1180000 -1080000") != c.repeated {
			t.Errorf("%s, kept %v: %d pads, session %s", c.kind, c.keep, pads, session)
		}
		if dropped := strings.Contains(strings.Join(b.Warnings, "\n"),
			"2 tracks and vias"); dropped != (pads == 0) {
			t.Errorf("%s: warnings %v", c.kind, b.Warnings)
		}
	}
}

// TestEasyEDA verifies that lengths of EasyEDA's files are units of 10 mil: pads of a DIP are 10
// units apart. The session has the numbers of the file. Other designs in mil are unchanged.
func TestEasyEDA(t *testing.T) {
	const text = `(PCB '' (resolution mil 1000)
		(structure (boundary(path signal 0 0 0 0 200 300 200 300 0 0 0)) (via via0)
			(rule (clear 0.6)) (rule (width 1)) (layer 1 (type signal)) (layer 2 (type signal)))
		(placement (component u1 (place u1 0 0 front 0)))
		(library (image u1 (pin p 1 50 50.5) (pin p 2 60 50.5))
			(padstack p (shape (circle 1 6) (circle 2 6)))
			(padstack via0 (shape (circle 1 2.4)) (shape (circle 2 2.4))))
		(network (net A (pins u1-1 u1-2))))`
	d, err := Read(text)
	if err != nil {
		t.Fatal(err)
	}
	r, err := d.Route(t.Context(), Options{}, placed.Options{TimeLimit: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	class := r.Rules.Classes[0]
	if box := r.Outline.Bounds(); box.Width() != 300*254000 || class.TrackWidth != 254000 ||
		class.ViaDiameter != 609600 || len(r.Open) > 0 || math.Abs(r.LengthMM-2.54) > 0.1 {
		t.Errorf("outline %v, class %+v, open %v, %g mm", box, class, r.Open, r.LengthMM)
	}
	session := string(r.Session("x.dsn"))
	path := regexp.MustCompile(`\(path \d 1000 (59|60)\d{3} 50\d{3} (49|50)\d{3} 50\d{3}\)`)
	if !strings.Contains(session, "(resolution mil 1000)") || !path.MatchString(session) {
		t.Error(session)
	}
	other := boardOf(t, strings.Replace(text, "mil 1000", "mil 2540", 1), Options{})
	if box := other.Outline.Bounds(); box.Width() != 300*25400 {
		t.Errorf("outline %v in mil", box)
	}
}

// TestTightPads verifies that tracks of 0.2 mm connect pads of 0.2 mm width at a pitch of 0.4 mm.
// The clearance is exactly 0.2 mm.
func TestTightPads(t *testing.T) {
	var pads, parts, nets strings.Builder
	for i := range 3 {
		fmt.Fprintf(&pads, "(pin flat %d 0 %d)", i+1, 400*i)
		fmt.Fprintf(&parts, "(place R%d 5000 %d front 0)", i, 3000+4000*i)
		fmt.Fprintf(&nets, "(net N%d (pins U1-%d R%d-1))", i, i+1, i)
	}
	d, err := Read(`(pcb x (resolution um 10) (unit um)
		(structure (layer F (type signal)) (layer B (type signal)) (boundary (rect pcb 0 0 30000 14000))
			(via v) (rule (width 200) (clearance 200)))
		(placement (component u (place U1 20000.05 6600 front 0)) (component r ` + parts.String() +
		`))
		(library (image u ` + pads.String() + `) (image r (pin round 1 0 0))
			(padstack flat (shape (rect F -400 -100 400 100))) (padstack round (shape (circle F 800)))
			(padstack v (shape (circle signal 600))))
		(network ` + nets.String() + `))`)
	if err != nil {
		t.Fatal(err)
	}
	r, err := d.Route(context.Background(), Options{}, placed.Options{TimeLimit: time.Minute})
	if err != nil || len(r.Open) > 0 || len(r.RoutingViolations) > 0 {
		t.Errorf("%v, open %v, %v", err, r.Open, r.RoutingViolations)
	}
	// The session must retain the component position, which includes half of a resolution step.
	if session := string(r.Session("x.dsn")); !strings.Contains(session,
		"(place U1 200000.5 66000 front 0)") {
		t.Errorf("session %s", session)
	}
}

// TestClearanceTypes verifies that clearance rules between pads, within a net or for corners do not
// set the track clearance.
func TestClearanceTypes(t *testing.T) {
	for rule, want := range map[string]int64{
		"(clearance 900 (type smd_to_turn_gap))":  200100,
		"(clearance 900 (type via_via_same_net))": 200100,
		"(clear 900 (type smd-smd))":              200100, "(clear 900 (type wire_via))": 900000,
	} {
		text := fmt.Sprintf(design, "(rule "+rule+")", "", "front 0")
		if c := boardOf(t, text,
			Options{}).Rules.Class(&board.Net{Class: "default"}); c.Clearance != want {
			t.Errorf("%s: clearance %d nm, want %d", rule, c.Clearance, want)
		}
	}
}
