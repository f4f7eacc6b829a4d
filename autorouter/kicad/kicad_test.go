package kicad

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
	"slipstick/autorouter/placed"
)

// small is the text of a KiCad board with two parts and two nets. The format verbs insert the
// version and additional items.
const small = `(kicad_pcb (version %s) (generator pcbnew)
  (general (thickness 1.6))
  (layers
    (0 "F.Cu" signal)
    (31 "B.Cu" signal)
    (44 "Edge.Cuts" user)
  )
  (setup (pad_to_mask_clearance 0))
  (net 0 "")
  (net 1 "GND")
  (net 2 "/A, {x}")
  (footprint "R_0805" (layer "F.Cu") (at 110 110 90)
    (fp_text reference "R1" (at 0 0) (layer "F.SilkS"))
    (pad "1" smd roundrect (at -1 0.5 90) (size 1 1.4) (layers "F.Cu" "F.Paste" "F.Mask") (roundrect_rratio 0.25) (net 1 "GND"))
    (pad "2" smd rect (at 1 0.5 90) (size 1 1.4) (layers "F.Cu" "F.Paste" "F.Mask") (net 2 "/A, {x}"))
    (model "${KICAD6_3DMODEL_DIR}/R.wrl" (offset (xyz 0 0 0)))
  )
  (footprint "Header" (layer "B.Cu") (at 125 115)
    (property "Reference" "J1")
    (pad "1" thru_hole circle (at 0 0) (size 1.7 1.7) (drill 1) (layers "*.Cu" "*.Mask") (net 1 "GND"))
    (pad "2" thru_hole oval (at 2.54 0 45) (size 1.7 1.7) (drill oval 1 0.6) (layers "*.Cu" "*.Mask") (net 2 "/A, {x}"))
    (pad "" np_thru_hole circle (at 0 5) (size 2 2) (drill 2) (layers "*.Cu" "*.Mask"))
  )
  (gr_line (start 100 100) (end 140 100) (layer "Edge.Cuts") (width 0.1))
  (gr_line (start 140 130) (end 140 100) (layer "Edge.Cuts") (width 0.1))
  (gr_arc (start 140 130) (mid 120 132) (end 100 130) (layer "Edge.Cuts") (width 0.1))
  (gr_line (start 100 130) (end 100 100) (layer "Edge.Cuts") (width 0.1))
%s
)
`

func smallBoard(extra ...string) string {
	return fmt.Sprintf(small, "20221018", strings.Join(extra, "\n"))
}

// projectText is a project file with board rules and a net class that a pattern assigns to the
// second net.
const projectText = `{"board": {"design_settings": {"rules": {"min_clearance": 0.1,
  "min_copper_edge_clearance": 0.3, "min_hole_clearance": 0.35, "min_hole_to_hole": 0.4}}},
  "net_settings": {"classes": [
    {"name": "Default", "clearance": 0.15, "track_width": 0.2, "via_diameter": 0.6, "via_drill": 0.3},
    {"name": "wide", "clearance": 0.2, "track_width": 0.5, "priority": 0}],
    "netclass_patterns": [{"netclass": "wide", "pattern": "/A*"}]}}`

func read(t *testing.T, text, project string) *Design {
	t.Helper()
	d, err := Read(text, project)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func boardOf(t *testing.T, text, project string, o Options) *Board {
	t.Helper()
	b, err := read(t, text, project).Board(o)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestPads compares pad positions [mm] with values computed by hand. KiCad's y axis points down and
// its angles are counter-clockwise on the screen. The origin is the lower left corner of the
// outline, whose arc extends down to y = 132 mm.
func TestPads(t *testing.T) {
	b := boardOf(t, smallBoard(), projectText, Options{})
	// R1 is at (110, 110) mm with a rotation of 90 degrees, so its pad 1 at (-1, 0.5) mm is at
	// (110.5, 111) mm.
	for _, c := range []struct {
		part, pad     int
		x, y          float64
		width, height float64
		rotation      float64
		layers        board.LayerSet
		net           int
	}{
		{0, 0, 10.5, 21, 1, 1.4, 90, 1, 0},
		{0, 1, 10.5, 23, 1, 1.4, 90, 1, 1},
		{1, 0, 25, 17, 1.7, 1.7, 0, 3, 0},
		{1, 1, 27.54, 17, 1.7, 1.7, 45, 3, 1},
		{1, 2, 25, 12, 2, 2, 0, 0, board.NoNet},
	} {
		p := b.Parts[c.part].Pads[c.pad]
		if d := board.Distance(p.At, board.Point{X: board.MM(c.x), Y: board.MM(c.y)}); d > 5e3 {
			t.Errorf("pad %d.%d is at %v, want %g, %g", c.part, c.pad, p.At, c.x, c.y)
		}
		if p.Width != board.MM(c.width) || p.Height != board.MM(c.height) ||
			p.Rotation != c.rotation ||
			p.Layers != c.layers || p.Net != c.net {
			t.Errorf("pad %d.%d: %+v", c.part, c.pad, p)
		}
	}
	if hole := b.Parts[1].Pads[1]; hole.SlotW != board.MM(1) || hole.SlotH != board.MM(0.6) ||
		!hole.Plated {
		t.Errorf("slot: %+v", hole)
	}
	if b.Parts[0].Ref != "R1" || b.Parts[1].Ref != "J1" || b.Parts[1].Side != board.BottomSide {
		t.Errorf("references %q and %q", b.Parts[0].Ref, b.Parts[1].Ref)
	}
	r := b.Rules
	if r.EdgeClearance != board.MM(0.3) || r.HoleClearance != board.MM(0.35) ||
		r.HoleToHole != board.MM(0.4) {
		t.Errorf("rules %+v", r)
	}
	if c := r.Class(&b.Nets[1]); c.TrackWidth != board.MM(0.5) || c.Clearance != board.MM(0.2) ||
		c.ViaDrill != board.MM(0.3) {
		t.Errorf("class of %s: %+v", b.Nets[1].Name, c)
	}
	if c := r.Class(&b.Nets[0]); c.Name != "default" || c.TrackWidth != board.MM(0.2) {
		t.Errorf("class of GND: %+v", c)
	}
}

// TestFile verifies that the written file differs from the original in two respects only. It has
// new tracks and vias, and it lacks unlocked tracks and zone fills.
func TestFile(t *testing.T) {
	track :=
		`  (segment (start 101 101) (end 102 101) (width 0.3) (layer "F.Cu") (net 1) (tstamp a))`
	locked := `  (segment locked (start 103 101) (end 104 101) (width 0.3) (layer "B.Cu") (net 1) (tstamp b))`
	zone := `  (zone (net 2) (net_name "/A, {x}") (layer "B.Cu") (tstamp c) (hatch edge 0.5)
    (connect_pads (clearance 0.2)) (min_thickness 0.25) (fill yes (thermal_gap 0.3) (thermal_bridge_width 0.3))
    (polygon (pts (xy 120 120) (xy 130 120) (xy 130 125)))`
	fill := `    (filled_polygon (layer "B.Cu") (pts (xy 120 120) (xy 130 120) (xy 130 125)))`
	text := smallBoard(track, locked, zone, fill, "  )")
	for _, line := range []string{"\n", "\r\n"} {
		old := strings.ReplaceAll(text, "\n", line)
		r, err := read(t, old, projectText).Route(context.Background(), Options{}, placed.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Open) > 0 || len(r.RoutingViolations) > 0 || r.Connections != 2 {
			t.Errorf("%d of %d connections open, %v", len(r.Open), r.Connections,
				r.RoutingViolations)
		}
		file := string(r.File())
		added := 0
		var rest []string
		for _, l := range strings.Split(file, line) {
			if strings.Contains(l, "(tstamp ") && strings.Contains(l, "-5") &&
				(strings.HasPrefix(l, "  (segment") || strings.HasPrefix(l, "  (via")) {
				added++
				continue
			}
			rest = append(rest, l)
		}
		want := strings.ReplaceAll(smallBoard(locked, zone, "  )"), "\n", line)
		if got := strings.Join(rest, line); got != want {
			t.Errorf("the file beside its %d new items is\n%s\nwant\n%s", added, got, want)
		}
		if added != len(r.Tracks)+len(r.Vias) || added < 2 {
			t.Errorf("%d new items, want %d tracks and %d vias", added, len(r.Tracks), len(r.Vias))
		}
		// Routing the written file with all tracks kept must leave no connection open and add no
		// copper.
		again, err := read(t, file, projectText).Route(context.Background(), Options{Keep: KeepAll},
			placed.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(again.Tracks) != 0 || len(again.Vias) != 0 || len(again.Open) > 0 ||
			len(again.RoutingViolations) > 0 {
			t.Errorf("routed again: %d tracks, open %v, %v", len(again.Tracks), again.Open,
				again.RoutingViolations)
		}
	}
}

// TestKeep verifies that locked tracks of every file version and members of groups are kept unless
// the option is KeepNone.
func TestKeep(t *testing.T) {
	items := []string{
		`(segment locked (start 101 101) (end 102 101) (width 0.3) (layer "F.Cu") (net 1))`,
		`(segment (start 101 102) (end 102 102) (width 0.3) (locked yes) (layer "F.Cu") (net 1))`,
		`(segment (start 101 103) (end 102 103) (width 0.3) (layer "F.Cu") (net 1) (status 40000))`,
		`(arc (start 101 105) (mid 102 106) (end 103 105) (width 0.3) (layer "F.Cu") (net 1) (tstamp g))`,
		`(via (at 110 120) (size 0.8) (drill 0.4) (layers "F.Cu" "B.Cu") (locked no) (net 1) (status 400))`,
		`(group "" (id h) (members g))`,
	}
	for _, c := range []struct {
		keep    Keep
		removed int
	}{{KeepLocked, 1}, {KeepAll, 0}, {KeepNone, 5}} {
		b := boardOf(t, smallBoard(items...), "", Options{Keep: c.keep})
		if len(b.removed) != c.removed {
			t.Errorf("keep %d: %d items are removed, want %d", c.keep, len(b.removed), c.removed)
		}
	}
}

// TestKeptInMessages verifies that the reason for an open connection describes a kept track that
// covers a pad. A pair with kept tracks has no measured lengths.
func TestKeptInMessages(t *testing.T) {
	// pad 2 of R1 is at (110.5, 109)
	text := smallBoard(`(segment locked (start 107 109) (end 114 109) (width 3) (layer "F.Cu") (net 1))`)
	r, err := read(t, text, "").Route(context.Background(), Options{}, placed.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const want = "pad R1.2 overlaps a kept track or via of net GND by "
	if len(r.Open) != 1 || !strings.Contains(r.Open[0].Reason, want) {
		t.Errorf("%+v", r.Open)
	}
	text = strings.NewReplacer(`"GND"`, `"/D+"`, `"/A, {x}"`, `"/D-"`).Replace(smallBoard())
	for _, c := range []struct {
		keep  Keep
		pairs int
	}{{KeepNone, 1}, {KeepAll, 0}} {
		r, err := read(t, text, "").Route(context.Background(), Options{Keep: c.keep},
			placed.Options{})
		if err != nil || len(r.Pairs) != c.pairs || len(r.Open) > 0 {
			t.Fatalf("keep %v: %d pairs, want %d: %v, %v", c.keep, len(r.Pairs), c.pairs, r.Open,
				err)
		}
		text = string(r.File())
	}
}

// TestZones verifies that a zone that covers the board becomes a pour, unless another zone is on
// its layer. Rule areas become keepouts without a clearance. The clearances of the pour grow by
// half of the amount by which the zone's minimum width exceeds that of a pour.
func TestZones(t *testing.T) {
	cover := `(zone (net 1) (net_name "GND") (layers "F&B.Cu") (connect_pads (clearance 0.4)) (min_thickness 0.3)
    (fill yes (thermal_gap 0.35) (thermal_bridge_width 0.45)) (polygon (pts (xy 99 99) (xy 141 99) (xy 141 133) (xy 99 133))))`
	patch := `(zone (net 2) (net_name "/A, {x}") (layer "F.Cu") (polygon (pts (xy 110 110) (xy 120 110) (xy 120 120))))`
	area := `(zone (net 0) (net_name "") (layers "F&B.Cu") (hatch edge 0.5)
    (keepout (tracks not_allowed) (vias allowed) (pads allowed) (copperpour allowed) (footprints allowed))
    (polygon (pts (xy 116 100) (xy 120 100) (xy 120 110) (xy 116 110))))`
	b := boardOf(t, smallBoard(cover, area), "", Options{})
	if r := b.Rules; r.GroundNet != 0 || len(r.PourLayers) != 2 ||
		r.PourClearance != board.MM(0.45)+fillMargin ||
		r.ThermalGap != board.MM(0.4)+fillMargin || r.ThermalSpoke != board.MM(0.45) {
		t.Errorf("pour: %+v", b.Rules)
	}
	plain := strings.Replace(cover, "(thermal_gap 0.35) ", "", 1)
	r := boardOf(t, smallBoard(plain), "", Options{}).Rules
	if r.ThermalGap != board.MM(0.55)+fillMargin {
		t.Errorf("gap %d nm of a zone without one, want KiCad's 0.5 mm and 0.05 mm", r.ThermalGap)
	}
	// y = 100 to 110 mm in the file is y = 22 to 32 mm on the board.
	want := board.Rect{Min: board.Point{X: 16e6, Y: 22e6}, Max: board.Point{X: 20e6, Y: 32e6}}
	if k := b.Keepouts; len(k) != 1 || board.Distance(k[0].Area.Min, want.Min) > 5e3 ||
		!k[0].Tracks || k[0].Vias {
		t.Errorf("keepouts %+v, want %+v", k, want)
	}
	b = boardOf(t, smallBoard(cover, patch), "", Options{})
	if got := b.Rules.PourLayers; len(got) != 1 || got[0] != 1 {
		t.Errorf("poured layers beside another zone: %v", got)
	}
	if !strings.Contains(strings.Join(b.Warnings, "\n"), "tracks connect the pads of /A, {x}") {
		t.Errorf("warnings %q", b.Warnings)
	}
}

// TestRuleAreas verifies that the pour leaves out the rule areas that forbid it and covers the
// other areas of the board.
func TestRuleAreas(t *testing.T) {
	cover := `(zone (net 1) (net_name "GND") (layer "B.Cu") (connect_pads (clearance 0.2))
    (fill yes (thermal_gap 0.3) (thermal_bridge_width 0.3)) (polygon (pts (xy 99 99) (xy 141 99) (xy 141 133) (xy 99 133))))`
	for _, c := range []struct {
		tracks, pour string
		want         board.Keepout
	}{
		{"not_allowed", "not_allowed", board.Keepout{Tracks: true, Pour: true}},
		{"allowed", "not_allowed", board.Keepout{Pour: true}},
	} {
		area := `(zone (net 0) (net_name "") (layers "F&B.Cu") (keepout (tracks ` + c.tracks +
			`) (vias allowed)
    (pads allowed) (copperpour ` + c.pour +
			`)) (polygon (pts (xy 105 120) (xy 115 120) (xy 115 128) (xy 105 128))))`
		r, err := read(t, smallBoard(cover, area), projectText).Route(context.Background(),
			Options{}, placed.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if k := r.Keepouts; len(k) != 1 || k[0].Tracks != c.want.Tracks || k[0].Vias ||
			k[0].Pour != c.want.Pour || k[0].Copper {
			t.Errorf("%+v: keepouts %+v", c, k)
		}
		if len(r.Board.Zones) != 1 || len(r.Open) > 0 || len(r.RoutingViolations) > 0 ||
			r.OwnViolations > 0 {
			t.Fatalf("%+v: %d pours, open %v, violations %v, %d of the design", c,
				len(r.Board.Zones), r.Open, r.RoutingViolations, r.OwnViolations)
		}
		// The arguments are in file coordinates [mm], in which the outline ends at y = 132 mm.
		inside := func(x, y float64) bool {
			p := board.Point{X: board.MM(x - 100), Y: board.MM(132 - y)}
			in := false
			for _, f := range r.Board.Zones[0].Pieces {
				hole := slices.ContainsFunc(f.Holes, func(h board.Polygon) bool {
					return h.Contains(p)
				})
				in = in || f.Outline.Contains(p) && !hole
			}
			return in
		}
		if inside(110, 124) || !inside(110, 118) || !inside(130, 105) {
			t.Errorf("%+v: the pour is in the area: %v, beside it: %v, %v", c, inside(110, 124),
				inside(110, 118), inside(130, 105))
		}
	}
}

// TestCopperItems verifies that footprint texts and text boxes on copper layers are obstacles, that
// pads without copper are holes, and that length-tuned tracks are kept.
func TestCopperItems(t *testing.T) {
	text := strings.Replace(smallBoard(
		`(gr_text_box "note" (start 120 120) (end 130 124) (layer "F.Cu") (stroke (width 0.2)) (effects (font (size 1 1))))`,
		`(segment (start 101 102) (end 102 102) (width 0.3) (layer "F.Cu") (net 1) (uuid "u"))`,
		`(generated (uuid "g") (type tuning_pattern) (layer "F.Cu") (members "u"))`),
		`(property "Reference" "J1")`,
		`(property "Reference" "J1" (at 0 -5 0) (layer "B.Cu") (effects (font (size 1 1))))
    (pad "9" thru_hole circle (at -5 0) (size 2 2) (drill 1.2) (layers "*.Mask") (net 1 "GND"))`, 1)
	b := boardOf(t, text, "", Options{})
	if len(b.removed) != 0 {
		t.Errorf("%d items are removed", len(b.removed))
	}
	hole := b.Parts[1].Pads[0]
	if hole.Drill != board.MM(1.2) || hole.Plated || hole.Layers != 0 || hole.Net != board.NoNet {
		t.Errorf("hole %+v", hole)
	}
	obstacles := b.Parts[len(b.Parts)-1].Pads
	at := func(x, y float64, layer board.Layer) bool { // x and y are in file coordinates [mm]
		p := board.Point{X: board.MM(x - 100), Y: board.MM(132 - y)}
		return slices.ContainsFunc(obstacles, func(q board.Pad) bool {
			s := q.Copper(0)
			return q.On(layer) && s.To(float64(p.X), float64(p.Y)) <= 0
		})
	}
	if !at(120, 120, 0) || !at(130.09, 124, 0) || at(131, 124, 0) || at(125, 122, 1) ||
		!at(125, 110, 1) || at(125, 110, 0) {
		t.Errorf("obstacles %+v", obstacles)
	}
}

// TestLayerNames verifies that File quotes the layer names that need quotes.
func TestLayerNames(t *testing.T) {
	text := strings.NewReplacer(`"F.Cu"`, `"Top \"1\""`, `"B.Cu"`,
		"Bottom").Replace(fmt.Sprintf(small, "20171130", ""))
	r, err := read(t, text, "").Route(context.Background(), Options{}, placed.Options{})
	if err != nil {
		t.Fatal(err)
	}
	again := boardOf(t, string(r.File()), "", Options{Keep: KeepAll})
	kept := 0
	for _, p := range again.Parts {
		if p.Ref == "wiring" {
			kept = len(p.Pads)
		}
	}
	if want := len(r.Tracks) + len(r.Vias); kept != want || want == 0 {
		t.Errorf("%d tracks and vias are read again, want %d", kept, want)
	}
}

// TestOldestLayers verifies that the layers of files of version 3, before KiCad 4, have the order
// in which pcbnew of KiCad 6 loads them.
func TestOldestLayers(t *testing.T) {
	for layers, want := range map[string]string{
		"(15 F.Cu signal) (2 Inner2.Cu signal) (1 Inner1.Cu signal) (0 B.Cu signal)": "F.Cu Inner2.Cu Inner1.Cu B.Cu",
		"(15 Top signal) (14 InA signal) (13 InB signal) (0 Bottom signal)":          "Top InA InB Bottom",
		"(0 Bottom signal) (15 Top signal)":                                          "Top Bottom",
	} {
		d := read(t, "(kicad_pcb (version 3) (layers "+layers+" (28 Edge.Cuts user)) (net 0 \"\"))",
			"")
		var got []string
		for _, l := range d.Layers {
			got = append(got, l.Name)
		}
		if order := strings.Join(got, " "); order != want {
			t.Errorf("layers %s, want %s", order, want)
		}
	}
}

// TestPlanes verifies that an inner layer covered by a zone is a plane if the file has no track on
// the layer. Otherwise the zone becomes a pour between the tracks of the layer.
func TestPlanes(t *testing.T) {
	zone := func(net, name, layer string) string {
		return `(zone (net ` + net + `) (net_name "` + name + `") (layer "` + layer +
			`") (connect_pads (clearance 0.2))
    (fill yes (thermal_gap 0.3) (thermal_bridge_width 0.3)) (polygon (pts (xy 99 99) (xy 141 99) (xy 141 133) (xy 99 133))))`
	}
	text := strings.Replace(smallBoard(zone("1", "GND", "In1.Cu"), zone("2", "/A, {x}", "In2.Cu"),
		"TRACK"),
		`(31 "B.Cu" signal)`, `(1 "In1.Cu" power) (2 "In2.Cu" signal) (31 "B.Cu" signal)`, 1)
	for _, c := range []struct {
		track  string
		planes []board.Plane
		ground int
	}{
		{"", []board.Plane{{Layer: 1, Net: 0}, {Layer: 2, Net: 1}}, board.NoNet},
		{`(segment (start 101 101) (end 102 101) (width 0.3) (layer "In2.Cu") (net 1))`,
			[]board.Plane{{Layer: 1, Net: 0}}, 1},
	} {
		d := read(t, strings.Replace(text, "TRACK", c.track, 1), projectText)
		b, err := d.Board(Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(b.Rules.Planes, c.planes) || b.Rules.GroundNet != c.ground {
			t.Errorf("planes %v, pour of net %d; want %v, %d", b.Rules.Planes, b.Rules.GroundNet,
				c.planes, c.ground)
		}
		r, err := d.Route(context.Background(), Options{}, placed.Options{})
		if err != nil || len(r.Open) > 0 || len(r.RoutingViolations) > 0 {
			t.Errorf("%v, open %v, %v", err, r.Open, r.RoutingViolations)
		}
	}
}

// TestSpans verifies that the keepout strips of a triangle and of a U-shaped polygon cover every
// point of the polygon.
func TestSpans(t *testing.T) {
	for _, g := range []board.Polygon{
		{{X: 0, Y: 0}, {X: 4e6, Y: 0}, {X: 0, Y: 3e6}},
		{{X: 0, Y: 0}, {X: 6e6, Y: 0}, {X: 6e6, Y: 4e6}, {X: 4e6, Y: 4e6}, {X: 4e6, Y: 2e6},
			{X: 2e6, Y: 2e6}, {X: 2e6, Y: 4e6}, {X: 0, Y: 4e6}},
	} {
		b := &builder{Board: &Board{Board: &board.Board{}}, steps: maxSteps}
		b.keepout(g, board.Keepout{Tracks: true})
		area := 0.0
		for _, k := range b.Keepouts {
			area += float64(k.Area.Width()) * float64(k.Area.Height())
		}
		for x := int64(50e3); x < 6e6; x += 100e3 {
			for y := int64(50e3); y < 4e6; y += 100e3 {
				covered := false
				for _, k := range b.Keepouts {
					s := geom.RectShape(k.Area)
					covered = covered || s.To(float64(x), float64(y)) <= 0
				}
				if g.Contains(board.Point{X: x, Y: y}) && !covered {
					t.Fatalf("%d, %d is in the polygon and in no strip", x, y)
				}
			}
		}
		if area > 1.2*math.Abs(g.Area()) {
			t.Errorf("the strips have %.1f mm² for %.1f mm²", area/1e12, g.Area()/1e12)
		}
	}
}

// TestMatcher verifies net class patterns as KiCad's documentation defines them.
func TestMatcher(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"/A*", "/A/b", true}, {"*GND", "/sheet/AGND", true}, {"VCC", "VCC1", false},
		{"D?", "D1", true},
		{"D[", "D[", true}, {"Net-(U1-Pad1)", "Net-(U1-Pad1)", true}, {"V(CC|DD)", "VDD", true},
		{"", "", true},
	} {
		if got := matcher(c.pattern)(c.name); got != c.want {
			t.Errorf("%q fits %q: %v", c.pattern, c.name, got)
		}
	}
}

// TestInvalidFiles verifies that invalid and malicious files are rejected with an *Error whose
// message names the cause.
func TestInvalidFiles(t *testing.T) {
	many := func(item string, n int) string { return smallBoard(strings.Repeat(item+"\n", n)) }
	pad := `(pad "1" smd rect (at 0 0) (size 1 1) (layers "F.Cu") (net 1 "GND"))`
	zigzag := strings.Repeat("(xy 110 110) (xy 120 120) (xy 110 120) (xy 120 110)", 1200)
	for _, c := range []struct{ name, text, project, want string }{
		{"empty", "", "", "the board file is empty"},
		{"other format", "(module x)", "", "begins with (kicad_pcb"},
		{"KiCad 10", fmt.Sprintf(small, "20250901", ""), "", "newer than that of KiCad 9"},
		{"no version", "(kicad_pcb)", "", "board files of KiCad 4 to 9"},
		{"version", fmt.Sprintf(small, "x", ""), "", "board files of KiCad 4 to 9"},
		{"one layer", strings.Replace(smallBoard(), `(31 "B.Cu" signal)`, "", 1), "",
			"1 copper layers"},
		{"net", smallBoard(`(via locked (at 110 120) (size 0.8) (drill 0.4) (net 7))`), "",
			"net 7 is not in the list"},
		{"open outline", strings.Replace(smallBoard(), "(start 140 130) (end 140 100)",
			"(start 140 130) (end 141 100)", 1), "", "is open at"},
		{"crossing outline",
			smallBoard(`(gr_poly (pts (xy 0 0) (xy 900 900) (xy 100 900) (xy 900 100)) (layer "Edge.Cuts"))`), "", "crosses itself"},
		{"huge number", smallBoard(`(gr_line (start 1e300 0) (end 1 1) (layer "Edge.Cuts"))`), "",
			"out of range"},
		{"beyond", smallBoard(`(gr_line (start 3000 0) (end 1 1) (layer "Edge.Cuts"))`), "",
			"beyond 2147 mm"},
		{"NaN", smallBoard(`(gr_line (start nan 0) (end 1 1) (layer "Edge.Cuts"))`), "",
			"out of range"},
		{"deep", strings.Repeat("(", 1e6), "", "nested more than 64 deep"},
		{"many pads", many(`(footprint "x" (layer "F.Cu") (at 110 110) `+strings.Repeat(pad,
			100)+")", 3000), "", "more than"},
		{"many lists", many("(a)", 3e6), "", "more than"},
		{"many corners", smallBoard(`(zone (net 1) (layer "F.Cu") (polygon (pts ` + zigzag +
			zigzag + ")))"), "", "at most 5000"},
		{"project", smallBoard(), "{", "project file: unexpected end"},
		{"project rule", smallBoard(), strings.Replace(projectText, "0.3,", "-1,", 1),
			"min_copper_edge_clearance is -1 mm"},
		{"drill", smallBoard(), strings.Replace(projectText, `"via_drill": 0.3`, `"via_drill": 0.7`,
			1), "has a drill of 0.7 mm"},
		{"long arc",
			smallBoard(`(gr_arc (start 0 0) (mid 2000 0.001) (end 1000 0) (layer "Edge.Cuts"))`),
			"", "longer than 40 m"},
		{"patterns", smallBoard(`(net 3 "` + strings.Repeat("a", 1e6) + `")`),
			strings.Replace(projectText, `"/A*"`, `"`+strings.Repeat("a?", 1000)+`"`, 1),
			"take too long to compare"},
		{"drawing on pads",
			strings.Replace(many(`(footprint "x" (layer "F.Cu") (at 110 110) `+strings.Repeat(pad,
				9000)+
				strings.Repeat(`(fp_line (start 0 0) (end 1 1) (layer "F.Cu") (width 0.1))`,
					5000)+")",
				1), "\n", " ", 1), "", "too many corners"},
		{"track",
			smallBoard(`(segment locked (start 1 1) (end 2 2) (width 0) (layer "F.Cu") (net 1))`),
			"", "a width above 0"},
	} {
		d, err := Read(c.text, c.project)
		if err == nil {
			_, err = d.Board(Options{})
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		if own := new(Error); err != nil && !errors.As(err, &own) {
			t.Errorf("%s: the error is a %T", c.name, err)
		}
	}
}

// TestManyZones verifies that a file with 100,000 zones of two nets on one layer is read and that
// neither net gets a pour. setZones compares zones per layer and not in pairs, so the time is
// linear.
func TestManyZones(t *testing.T) {
	zone := func(net string) string {
		return `(zone (net ` + net +
			`) (layer "F.Cu") (polygon (pts (xy 99 99) (xy 141 99) (xy 141 133) (xy 99 133))))`
	}
	b := boardOf(t, smallBoard(strings.Repeat(zone("1")+zone("2"), 50000)), "", Options{})
	if b.Rules.GroundNet != board.NoNet {
		t.Errorf("the pour is of net %d", b.Rules.GroundNet)
	}
}

// FuzzRead verifies that no file causes a panic and that Read accepts the written text of every
// accepted board.
func FuzzRead(f *testing.F) {
	f.Add(smallBoard(), projectText)
	f.Add(smallBoard(`(zone (net 1) (layer "F.Cu") (polygon (pts (xy 1 1) (xy 2 2) (arc (start 1 1) (mid 2 2) (end 3 1)))))`), "")
	f.Add(smallBoard(`(gr_text "x" (at 1 1 90) (layer "F.Cu") (effects (font (size 1 1))))`), "{}")
	f.Add(smallBoard(`(gr_circle (center 110 110) (end 111 110) (layer "Edge.Cuts"))`), "")
	f.Fuzz(func(t *testing.T, text, project string) {
		if len(text) > 1<<16 || len(project) > 1<<16 {
			return
		}
		d, err := Read(text, project)
		if err != nil {
			return
		}
		b, err := d.Board(Options{Keep: KeepNone})
		if err != nil {
			return
		}
		b.Tracks = []board.Track{}
		again, err := Read(string(b.File()), project)
		if err != nil {
			t.Fatal(err)
		}
		if len(again.Nets) != len(d.Nets) || len(again.root.Each("segment")) != 0 {
			t.Error("the file has other nets or tracks")
		}
	})
}
