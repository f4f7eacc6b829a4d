package specctra

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"slipstick/internal/cputime"
)

// TestWarnings verifies that a warning names each design item that has no effect.
func TestWarnings(t *testing.T) {
	good := fmt.Sprintf(design, "", "", "front 0")
	for _, c := range []struct{ old, text, want string }{
		{"(net GND ", "(net GND (rule (width 9)) ", "(rule ...) of a net has no effect"},
		{"(class wide $3", "(class narrow $4) (class wide $3", "class narrow has no effect"},
		{"(class wide", "(class_class (classes a b)) (class wide",
			"(class_class ...) has no effect"},
		{"(layer F.Cu", "(layer F.Cu (rule (width 9))", "(rule ...) of a layer has no effect"},
		{"(resolution um 10)", "(resolution mm 20)", "rounded to steps of 0.05 mm"},
		{"(wiring)", "(wiring (wire (path Mask 9 0 0 1 1) (net GND) (type fix)))",
			"1 tracks of the design are on no copper"},
		{"(wiring)", "(wiring (wire (path F.Cu 9 0 0 1 1) (type protect)))",
			"1 tracks and vias of the design have no net"},
	} {
		b := boardOf(t, strings.Replace(good, c.old, c.text, 1), Options{})
		if text := strings.Join(b.Warnings, "\n"); !strings.Contains(text, c.want) {
			t.Errorf("%s: warnings %q, want %q", c.text, text, c.want)
		}
	}
}

// expectRefusal verifies that a design is refused with a given text in the error.
func expectRefusal(t *testing.T, name, design, want string) {
	t.Helper()
	d, err := Read(design)
	if err == nil {
		_, err = d.Board(Options{})
	}
	var e *Error
	if !errors.As(err, &e) || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: %v, want %q", name, err, want)
	}
}

func TestRefusals(t *testing.T) {
	good := fmt.Sprintf(design, "", "", "front 0")
	deep := strings.Repeat("(", 100) + strings.Repeat(")", 100)
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "is empty"},
		{"a session", "(session x)", "begins with (pcb, not (session"},
		{"deep", "(pcb " + deep + ")", "nested more than 64 deep"},
		{"no layers", strings.ReplaceAll(good, "(layer ", "(lay "), "no copper layer"},
		{"one layer", strings.Replace(good, "(layer B.Cu", "(lay B.Cu", 1),
			"1 copper layers; 2 to 32"},
		{"no outline", strings.Replace(good, "(boundary", "(bound", 1), "no outline"},
		{"unit", strings.Replace(good, "(unit um)", "(unit parsec)", 1), "line 4: (unit parsec)"},
		{"resolution", strings.Replace(good, "(resolution um 10)", "(resolution um 0)", 1),
			"a number from 1 to 1e9"},
		{"number", strings.Replace(good, "125000 -115000", "NaN -115000", 1),
			`word 2 is "NaN", not a number`},
		{"range", strings.Replace(good, "125000 -115000", "1e12 -115000", 1), "beyond 1000 mm"},
		{"pin", strings.Replace(good, "U-2-1)", "U-2-7)", 1),
			`net "GND": component "U-2" has no pin "7"`},
		{"part", strings.Replace(good, "U-2-1)", "U3-1)", 1),
			`pin "U3-1" belongs to no placed component`},
		{"two nets", strings.Replace(good, "U-2-2)", "U-2-1)", 1),
			`is on the nets "GND" and "Net-(A)"`},
		{"twice", strings.Replace(good, "(place U-2", `(place "J 1"`, 1), "is placed twice"},
		{"unplaced", strings.Replace(good, "(place U-2 125000 -115000 front 0)", "(place U-2)", 1),
			`component U-2 has no position`},
		{"image", strings.NewReplacer(`(image "Two pads"`, `(image "Two"`, "(pins ",
			"(pin ").Replace(good), `has no image "Two pads"`},
		{"padstack", strings.Replace(good, "(padstack Round ", "(padstack Rnd ", 1),
			`has no padstack "Round"`},
		{"via", strings.Replace(good, "(via \"Via[0-1]_600:300_um\")", "", 1),
			"no via that connects all layers"},
		{"polygon", strings.Replace(good, "(rect F.Cu -500 -300 700 300)", "(polygon F.Cu 0 1 2)",
			1), "has 1 points, fewer than 2"},
		{"string", strings.Replace(good, "(net GND", `(net "GND`, 1), "closing"},
	} {
		expectRefusal(t, c.name, c.text, c.want)
	}
}

// TestHostileFiles verifies that each malicious file takes at most 2 s of processor time, and that
// files with an expected error text are rejected.
func TestHostileFiles(t *testing.T) {
	good := fmt.Sprintf(design, "", "", "front 0")
	for _, c := range []struct{ name, text, want string }{
		{"200,000 places", strings.Replace(good, "(place U-2",
			strings.Repeat("(place X 1 1 front 0)", 2e5)+"(place U-2", 1),
			"more than"},
		{"a million pins", strings.Replace(good, "U-2-1)", strings.Repeat("U-2-1 ", 1e6)+")", 1),
			""},
		{"lists in a place", strings.Replace(good, "(place U-2",
			strings.Repeat("(x ", 1e6)+"(place U-2", 1), "nested"},
		{"no end", good[:len(good)/2], "closed"},
		{"metres for millimetres", strings.Replace(good, "(unit um)", "(unit inch)", 1), "1000 mm"},
	} {
		begun := cputime.Process()
		d, err := Read(c.text)
		if err == nil {
			_, err = d.Board(Options{})
		}
		if c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		if took := cputime.Process() - begun; took > 2*time.Second {
			t.Errorf("%s: took %v", c.name, took)
		}
	}
}

// TestHostilePolygons verifies that self-intersecting polygons and polygons with thousands of
// corners are replaced by their bounding boxes, with a warning.
func TestHostilePolygons(t *testing.T) {
	var many strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&many, " %d %d", i*7%1000, i*13%1000)
	}
	for _, polygon := range []string{"0 0 1000 1000 1000 0 0 1000", many.String()} {
		text := strings.Replace(
			fmt.Sprintf(design, "", "", "front 0"),
			"(rect F.Cu -500 -300 700 300)",
			"(polygon F.Cu 0 "+polygon+")",
			1,
		)
		if w := strings.Join(boardOf(t, text, Options{}).Warnings, "\n"); !strings.Contains(
			w,
			"its bounding box is used",
		) {
			t.Errorf("warnings %q", w)
		}
	}
}

// TestHostileSizes verifies that designs are rejected if their time or memory would grow with the
// square of their size.
func TestHostileSizes(t *testing.T) {
	good := fmt.Sprintf(design, "", "", "front 0")
	var polygons strings.Builder
	for i := range 1000 { // combs that intersect themselves in the middle
		fmt.Fprintf(&polygons, "(keepout (polygon signal 0 100000 %d 140000 %d",
			-100000-i, -100000-i)
		for k := range 490 {
			x := 140000 - 80*k
			fmt.Fprintf(&polygons, " %d -129000 %d -101500", x-20, x-60)
			if k == 245 {
				fmt.Fprintf(&polygons, " %d -129000 %d -101500", x-60, x-20)
			}
		}
		polygons.WriteString("))")
	}
	for _, c := range []struct{ name, old, text, want string }{
		{"classes", "(class wide", strings.Repeat("(class x)", maxClasses+1) + "(class wide",
			"2000 classes"},
		{"nets", "(net GND", strings.Repeat("(net x)", maxNets+1) + "(net GND", "20000 nets"},
		{"pin name", "(pins U-2", "(pins " + strings.Repeat("-", maxName+1) + " U-2", "pin"},
		{"shapes", "(shape (circle signal 1500))", strings.Repeat("(shape (circle signal 9))",
			maxShapes+1), "256"},
		{"keepouts", "(via \"", strings.Repeat("(via_keepout (circle signal 9))", maxPads+1) +
			"(via \"", "20000 pads, keepouts"},
		{"keepouts of all", "(via \"", strings.Repeat("(keepout (circle signal 9))", maxPads+1) +
			"(via \"", "20000 pads, keepouts"},
		{"polygons", "(via \"", polygons.String() + "(via \"", "too many corners"},
	} {
		text := strings.Replace(good, c.old, c.text, 1)
		if c.name == "pin name" {
			text = strings.Replace(good, "U-2-1)", strings.Repeat("-", maxName+1)+")", 1)
		}
		expectRefusal(t, c.name, text, c.want)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(fmt.Sprintf(design, "", "", "front 0"))
	f.Add(
		fmt.Sprintf(
			design,
			`(plane GND (polygon B.Cu 0 0 0 1 1 2 2)) (keepout "" (circle signal 10))`,
			"(place_control (flip_style rotate_first))",
			"back 33.3",
		),
	)
	f.Fuzz(func(t *testing.T, text string) {
		d, err := Read(text)
		if err != nil {
			return
		}
		b, err := d.Board(Options{KeepWiring: true})
		if err != nil {
			return
		}
		if _, err := Read(string(b.Session("x.dsn"))); err == nil {
			t.Error("a session is no design")
		}
	})
}
