package footprint

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"slipstick/autorouter/board"
)

// kicadLibraries is the folder of KiCad's footprint libraries in the Debian package
// kicad-footprints.
const kicadLibraries = "/usr/share/kicad/footprints"

// node is a node of an s-expression: an atom, or a list if items is not nil.
type node struct {
	text  string
	items []node
}

// parseNode parses the list whose opening parenthesis is at the given byte offset. It also returns
// the offset after the list.
func parseNode(s string, at int) (node, int) {
	var n node
	n.items = []node{}
	for at++; at < len(s); {
		switch c := s[at]; {
		case c == ')':
			return n, at + 1
		case c == '(':
			var child node
			child, at = parseNode(s, at)
			n.items = append(n.items, child)
		case c == '"':
			end := at + 1
			for s[end] != '"' {
				if s[end] == '\\' {
					end++
				}
				end++
			}
			n.items = append(n.items, node{text: s[at+1 : end]})
			at = end + 1
		case strings.IndexByte(" \t\r\n", c) >= 0:
			at++
		default:
			end := at + strings.IndexAny(s[at:], " \t\r\n()")
			n.items = append(n.items, node{text: s[at:end]})
			at = end
		}
	}
	return n, at
}

// list returns the items after the keyword of the first child list that begins with word, or nil.
func (n node) list(word string) []node {
	for _, c := range n.items {
		if len(c.items) > 0 && c.items[0].text == word {
			return c.items[1:]
		}
	}
	return nil
}

// numberAt returns item i of a list as a number, or 0 if the item is missing or is not a number.
func numberAt(list []node, i int) float64 {
	if i >= len(list) {
		return 0
	}
	v, err := strconv.ParseFloat(list[i].text, 64)
	if err != nil {
		return 0
	}
	return v
}

// kicadPad is a copper pad of a KiCad footprint; lengths are in [mm] and the y axis points up.
type kicadPad struct {
	number, shape string
	x, y, w, h    float64
	drillW        float64
	drillH        float64
	plated        bool
}

// kicadFootprint holds the compared properties of a .kicad_mod file. courtyard holds the
// coordinates of the left, lower, right and upper sides [mm].
type kicadFootprint struct {
	pads      []kicadPad
	courtyard [4]float64
}

func readKicad(t *testing.T, path string) kicadFootprint {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	root, _ := parseNode(string(raw), strings.IndexByte(string(raw), '('))
	f := kicadFootprint{courtyard: [4]float64{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}}
	reach := func(p []node, r float64) {
		x, y := numberAt(p, 0), -numberAt(p, 1)
		f.courtyard = [4]float64{min(f.courtyard[0], x-r), min(f.courtyard[1], y-r),
			max(f.courtyard[2], x+r), max(f.courtyard[3], y+r)}
	}
	for _, n := range root.items {
		if len(n.items) == 0 {
			continue
		}
		layer := n.list("layer")
		onCourtyard := len(layer) > 0 && layer[0].text == "F.CrtYd"
		switch word := n.items[0].text; {
		case (word == "fp_line" || word == "fp_rect") && onCourtyard:
			reach(n.list("start"), 0)
			reach(n.list("end"), 0)
		case word == "fp_arc" && onCourtyard:
			for _, p := range []string{"start", "mid", "end"} {
				reach(n.list(p), 0)
			}
		case word == "fp_circle" && onCourtyard:
			c, e := n.list("center"), n.list("end")
			reach(c, math.Hypot(numberAt(c, 0)-numberAt(e, 0), numberAt(c, 1)-numberAt(e, 1)))
		case word == "fp_poly" && onCourtyard:
			for _, p := range n.list("pts") {
				reach(p.items[1:], 0)
			}
		case word == "pad":
			p := kicadPad{number: n.items[1].text, shape: n.items[3].text,
				plated: n.items[2].text != "np_thru_hole"}
			copper := false
			for _, l := range n.list("layers") {
				copper = copper || strings.HasSuffix(l.text, ".Cu")
			}
			if !copper {
				continue
			}
			at, size := n.list("at"), n.list("size")
			p.x, p.y, p.w, p.h = numberAt(at, 0), -numberAt(at, 1), numberAt(size, 0),
				numberAt(size, 1)
			if drill := n.list("drill"); len(drill) > 0 && drill[0].text == "oval" {
				p.drillW, p.drillH = numberAt(drill, 1), numberAt(drill, 2)
			} else if len(drill) > 0 {
				p.drillW, p.drillH = numberAt(drill, 0), numberAt(drill, 0)
			}
			if q := math.Mod(numberAt(at, 2)+360, 180); q == 90 {
				p.w, p.h, p.drillW, p.drillH = p.h, p.w, p.drillH, p.drillW
			}
			f.pads = append(f.pads, p)
		}
	}
	return f
}

// centre returns the centre of the bounding box of the pad centres [mm]. The library's footprints
// have their origin at this point.
func (k *kicadFootprint) centre() (x, y float64) {
	lowX, lowY, highX, highY := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, p := range k.pads {
		lowX, lowY, highX, highY = min(lowX, p.x), min(lowY, p.y), max(highX, p.x), max(highY, p.y)
	}
	return (lowX + highX) / 2, (lowY + highY) / 2
}

// Tolerances of the comparison [mm]. Land sizes differ because KiCad uses the package drawings of
// one manufacturer and, for chips, other terminal lengths. Hole positions agree within rounding.
const (
	landAt, landSize = 0.18, 0.21
	holeAt, holeSize = 0.005, 0.06
	// KiCad's courtyards of connectors extend 0.5 mm beyond the part on each side; the library's
	// extend 0.25 mm.
	courtyardShort = 0.32
	courtyardWide  = 0.36
)

// differences lists the differences between the footprint f and KiCad's footprint k. The origin of
// f is at (x, y) [mm] in KiCad's coordinates.
func differences(f *board.Footprint, k kicadFootprint, x, y float64) []string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	numbers := func(n int, number func(i int) string) (all []string) {
		for i := range n {
			all = append(all, number(i))
		}
		slices.Sort(all)
		return all
	}
	pads := slices.Clone(f.Pads)
	for i := len(pads) - 1; i > 0; i-- { // further pieces of a drawn pad; see TestNamedTies
		if g := pads[i].Group; pads[i].Tie || g > 0 && pads[i-1].Group == g {
			pads = slices.Delete(pads, i, i+1)
		}
	}
	ours := numbers(len(pads), func(i int) string { return pads[i].Number })
	theirs := numbers(len(k.pads), func(i int) string { return k.pads[i].number })
	if !slices.Equal(ours, theirs) {
		add("pads %v, KiCad has %v", ours, theirs)
		return out
	}
	for _, p := range pads {
		var q kicadPad
		distance := math.Inf(1)
		for _, c := range k.pads {
			d := math.Hypot(board.ToMM(p.At.X)-c.x+x, board.ToMM(p.At.Y)-c.y+y)
			// wrong is true for another pad at the same position.
			wrong := math.Abs(board.ToMM(p.Width)-c.w) > landSize
			if wrong {
				d += 1e-6
			}
			if c.number == p.Number && d < distance {
				distance, q = d, c
			}
		}
		at, size := landAt, landSize
		if p.Through() || p.NonPlated {
			at = holeAt
		}
		if distance > at {
			add("pad %s is %.3f mm off", p.Number, distance)
		}
		if w, h := board.ToMM(p.Width), board.ToMM(p.Height); math.Abs(w-q.w) > size ||
			math.Abs(h-q.h) > size {
			add("pad %s has %g x %g mm, KiCad's %g x %g", p.Number, w, h, q.w, q.h)
		}
		if w, h := board.ToMM(max(p.Drill, p.SlotW)),
			board.ToMM(max(p.Drill, p.SlotH)); math.Abs(w-q.drillW) > holeSize ||
			math.Abs(h-q.drillH) > holeSize {
			add("the hole of pad %s has %g x %g mm, KiCad's %g x %g", p.Number, w, h,
				q.drillW, q.drillH)
		}
		if p.NonPlated == q.plated {
			add("pad %s: plated %v", p.Number, !p.NonPlated)
		}
	}
	// The courtyard comparison also detects a mirrored body.
	for i, side := range []struct {
		name string
		more float64
	}{
		{"left", k.courtyard[0] - x - board.ToMM(f.Courtyard.Min.X)},
		{"lower", k.courtyard[1] - y - board.ToMM(f.Courtyard.Min.Y)},
		{"right", board.ToMM(f.Courtyard.Max.X) - k.courtyard[2] + x},
		{"upper", board.ToMM(f.Courtyard.Max.Y) - k.courtyard[3] + y},
	} {
		if side.more < -courtyardShort || side.more > courtyardWide {
			add("side %d: the %s side of the courtyard is %.2f mm outside KiCad's", i,
				side.name, side.more)
		}
	}
	return out
}

// wantedDifferences lists the KiCad names for which the library intentionally has another
// footprint. The pattern what matches the allowed differences. If the reason ends with "noted", the
// footprint's note must state the difference.
var wantedDifferences = []struct{ names, what, reason string }{
	{"_ThermalVias", "^pads \\[", "the router places vias; noted"},
	{"_Hand[sS]oldering$|TO-92L?_HandSolder$", "", "lands for reflow; noted"},
	{"^SOT-223$", "^pads \\[1 2 2 3\\], KiCad has \\[1 2 3 4\\]",
		"the tab is lead 2, as its name SOT-223-3_TabPin2 has it; noted"},
	{"^TO-92(_Wide)?$", "", "three holes in line; noted"},
	{"^SOT-23-3$", "^pad . is 0.200 mm off", "the lands of the TO-236 serve both"},
	{"^SOP-8_3.9x4.9mm_P1.27mm$", "^pad . has 1.95 x 0.6 mm",
		"feet of 0.4 mm; the lands of MS-012 are 0.3 mm longer"},
	{"^R_Axial_DIN0204_.*P7.62mm_Horizontal$", "^the hole of pad . has 0.8 x 0.8 mm, KiCad's 0.7",
		"the hole of R_AXIAL_P7.62"},
	{"^BarrelJack_Horizontal$",
		"^pad . has (2 x 4|4 x 2) mm|the (lower|right) side of the courtyard is -0.[78]",
		"the same ring all around the slots; KiCad's courtyard is 2 mm by the slots"},
	{"^L_0805_2012Metric", "^pad . is 0.200 mm off",
		"the lands of all chips of this size, 1.4 mm wide and not 1.2"},
	{"^SolderJumper-2_.*_TrianglePad", "^pad . is 0.189 mm off",
		"the origin is the middle of the convex pieces; see TestNamedTies"},
}

// TestAgainstKiCad compares each footprint of KiCad's libraries whose name Find knows with the
// result of Find. It compares pad numbers, positions and sizes, holes, and the sides of the
// courtyard.
func TestAgainstKiCad(t *testing.T) {
	paths, err := filepath.Glob(kicadLibraries + "/*.pretty/*.kicad_mod")
	if err != nil || len(paths) == 0 {
		missing(t, "KiCad's footprints are not installed (Debian package kicad-footprints)")
	}
	known, used := 0, map[string]int{}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".kicad_mod")
		f, unknown := lookup(strings.TrimSuffix(filepath.Base(filepath.Dir(path)),
			".pretty") + ":" + name)
		if unknown != nil {
			continue
		}
		known++
		if _, listed := figures()[strings.ToUpper(f.Name)]; !listed && len(f.Pads) <= 20 {
			checkInvariants(t, f)
		}
		k := readKicad(t, path)
		x, y := k.centre()
		if f.Name == "BARREL_JACK" {
			x, y = 0, 0
		}
		found := differences(f, k, x, y)
		if len(found) == 0 {
			continue
		}
		wanted := false
		for _, w := range wantedDifferences {
			other := func(d string) bool { return !regexp.MustCompile(w.what).MatchString(d) }
			if regexp.MustCompile(w.names).MatchString(name) && !slices.ContainsFunc(found, other) {
				wanted = true
				used[w.names]++
				if strings.HasSuffix(w.reason, "noted") && f.Note == "" {
					t.Errorf("%s: no note", name)
				}
			}
		}
		if !wanted {
			t.Errorf("%s (%s): %s", name, f.Name, strings.Join(found, "; "))
		}
	}
	for _, w := range wantedDifferences {
		if used[w.names] == 0 {
			t.Errorf("no footprint differs by %q", w.names)
		}
	}
	t.Logf("%d of %d footprints of KiCad's libraries are known", known, len(paths))
	if known < 2500 {
		t.Errorf("only %d", known)
	}
}

// TestDrawnAgainstKiCad compares footprints whose names KiCad's libraries lack with KiCad's
// footprint of the same part. turned marks footprints rotated by 180 degrees. contacts lists the
// pads to compare; an empty list selects all pads.
func TestDrawnAgainstKiCad(t *testing.T) {
	if _, err := os.Stat(kicadLibraries); err != nil {
		missing(t, "KiCad's footprints are not installed (Debian package kicad-footprints)")
	}
	for _, c := range []struct {
		name, kicad string
		turned      bool
		x, y        float64 // library origin in the coordinates of KiCad's footprint [mm], y up
		shell       string  // number of pad S in KiCad's footprint
		contacts    []string
		at, size    float64 // tolerances of position and size [mm]
		courtyard   [4]float64
	}{
		{name: "SW_TACT_6MM", kicad: "Button_Switch_THT:SW_PUSH_6mm", x: 3.25, y: -2.25},
		{name: "POT_3296W", kicad: "Potentiometer_THT:Potentiometer_Bourns_3296W_Vertical",
			turned: true, x: -2.54, size: .061},
		{name: "TerminalBlock_1x02",
			kicad: "TerminalBlock_Phoenix:TerminalBlock_Phoenix_MKDS-1,5-2-5.08_1x02_P5.08mm_Horizontal", x: 2.54,
			// The body is 10 mm deep and symmetric to the pins. KiCad's body extends 5.2 mm up and
			// 4.6 mm down.
			courtyard: [4]float64{-.25, .15, -.26, -.47}},
		{name: "USB_C_16P",
			kicad: "Connector_USB:USB_C_Receptacle_GCT_USB4105-xx-A_16P_TopMnt_Horizontal", y: .655,
			shell: "S1",
			// The contacts are 0.15 mm longer than KiCad's.
			at: .18, size: .2, courtyard: [4]float64{-.25, -.26, -.25, .25}},
		{name: "USB_MICRO_B", kicad: "Connector_USB:USB_Micro-B_GCT_USB3076-30-A",
			contacts: []string{"1", "2", "3", "4", "5"},
			// The body ends at the board edge. KiCad's flange extends 1.4 mm beyond the edge.
			at: .001, size: .001, courtyard: [4]float64{-.25, -1.55, -.25, -.1}},
	} {
		f := find(t, c.name)
		lib, part, _ := strings.Cut(c.kicad, ":")
		k := readKicad(t, filepath.Join(kicadLibraries, lib+".pretty", part+".kicad_mod"))
		sign := 1.0
		if c.turned {
			sign = -1
		}
		alias := func(number string) string {
			if a, ok := f.Aliases[number]; ok {
				return a
			}
			if number == c.shell {
				return "S"
			}
			return number
		}
		for _, q := range k.pads {
			number := alias(q.number)
			if len(c.contacts) > 0 && !slices.Contains(c.contacts, number) {
				continue
			}
			distance := math.Inf(1)
			var p board.FootprintPad
			for _, o := range f.Pads {
				if d := math.Hypot(board.ToMM(o.At.X)-sign*(q.x-c.x),
					board.ToMM(o.At.Y)-sign*(q.y-c.y)); o.Number == number && d < distance {
					distance, p = d, o
				}
			}
			if distance > max(c.at, .005) {
				t.Errorf("%s: pad %q is %.3f mm from where KiCad has it", c.name,
					q.number, distance)
			}
			if w, h := board.ToMM(p.Width), board.ToMM(p.Height); math.Abs(w-q.w) > max(c.size,
				.005) || math.Abs(h-q.h) > max(c.size, .005) {
				t.Errorf("%s: pad %q has %g x %g mm, KiCad's %g x %g", c.name, q.number, w,
					h, q.w, q.h)
			}
			if d := board.ToMM(max(p.Drill, p.SlotH)); math.Abs(d-q.drillH) > max(c.size, .005) {
				t.Errorf("%s: the hole of pad %q has %g mm, KiCad's %g", c.name, q.number,
					d, q.drillH)
			}
		}
		left, lower, right, upper := k.courtyard[0]-c.x, k.courtyard[1]-c.y, k.courtyard[2]-c.x,
			k.courtyard[3]-c.y
		if c.turned {
			left, lower, right, upper = -right, -upper, -left, -lower
		}
		more := [4]float64{left - board.ToMM(f.Courtyard.Min.X),
			lower - board.ToMM(f.Courtyard.Min.Y),
			board.ToMM(f.Courtyard.Max.X) - right, board.ToMM(f.Courtyard.Max.Y) - upper}
		for i := range more {
			if math.Abs(more[i]-c.courtyard[i]) > courtyardWide {
				t.Errorf(
					"%s: courtyard, left, lower, right and upper, %.2f mm outside KiCad's, want %v", c.name, more, c.courtyard)
				break
			}
		}
	}
}

// missing skips a test whose program or library is not installed, or fails it if
// SLIPSTICK_REQUIRE_INTEGRATION is 1.
func missing(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("SLIPSTICK_REQUIRE_INTEGRATION") == "1" {
		t.Fatal(what + ", and SLIPSTICK_REQUIRE_INTEGRATION=1 asks for it")
	}
	t.Skip("SKIPPED: " + what)
}
