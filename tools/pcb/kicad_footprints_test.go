package pcb

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"slipstick/autorouter/fabrication"
)

// drawnParts are footprints with pads of every shape. They include offset and chamfered pads with
// holes, trapezoids, and rounded rectangles. A custom pad consists of an L-shaped polygon and a
// line with round ends. One pad is on the back, and one hole has no plating.
var drawnParts = map[string]string{
	"My.Lib:Plug, 3-pin + (odd)": `(footprint "Plug" (version 20211014) (layer "F.Cu")
  (fp_rect (start -6 -4) (end 6 5) (layer "F.CrtYd") (width 0.05))
  (fp_rect (start -5 -3) (end 5 4) (layer "F.Fab") (width 0.1))
  (fp_arc (start -5 -3.5) (mid -5.5 -3) (end -5 -2.5) (layer "F.SilkS") (width 0.12))
  (fp_line (start -5 -3.5) (end 5 -3.5) (layer "F.SilkS") (width 0.12))
  (pad "1" thru_hole roundrect (at -4 0 30) (size 2 2.4) (drill oval 0.8 1) (layers *.Cu *.Mask) (roundrect_rratio 0.2) (chamfer_ratio 0.3) (chamfer top_left bottom_right))
  (pad "2" thru_hole oval (at 0 0 90) (size 3 1.6) (drill 0.9 (offset 0.5 0)) (layers *.Cu *.Mask))
  (pad "3" smd trapezoid (at 4 0 180) (size 2 1.5) (rect_delta 0.6 0) (layers "F.Cu" "F.Paste" "F.Mask"))
  (pad "4" smd custom (at 3.5 2.5) (size 0.6 0.6) (layers "F.Cu" "F.Paste" "F.Mask") (options (clearance outline) (anchor rect))
    (primitives (gr_poly (pts (xy 0 0) (xy 1.2 0) (xy 1.2 0.4) (xy 0.4 0.4) (xy 0.4 1.2) (xy 0 1.2)) (width 0.1) (fill yes))
      (gr_line (start 0 0) (end -1.2 -0.4) (width 0.3))))
  (pad "5" smd roundrect (at -1 3) (size 2 1) (layers "B.Cu" "B.Mask") (roundrect_rratio 0.4))
  (pad "" np_thru_hole oval (at -4 3) (size 1 1.6) (drill oval 1 1.6) (layers *.Cu *.Mask))
  (model "${KICAD6_3DMODEL_DIR}/Plug.step" (offset (xyz 1 -2 0.5)) (scale (xyz 1 1 1)) (rotate (xyz 0 0 90))))`,
	"Antenna": `(module Antenna (layer F.Cu) (tedit 5B3F8E4A)
  (fp_line (start -3 -3) (end 3 -3) (layer F.CrtYd) (width 0.05))
  (fp_line (start 3 3) (end -3 3) (layer F.CrtYd) (width 0.05))
  (pad 1 smd rect (at -2 2) (size 1 1) (layers F.Cu F.Paste F.Mask))
  (pad 2 smd circle (at 2 2) (size 1 1) (layers F.Cu F.Paste F.Mask))
  (zone (net 0) (net_name "") (layers F&B.Cu) (hatch edge 0.5) (keepout (tracks not_allowed) (vias not_allowed) (copperpour not_allowed))
    (polygon (pts (xy -3 -3) (xy 3 -3) (xy 3 0) (xy -3 0)))))`,
}

func drawnBoard(t *testing.T, change map[string]any) []byte {
	t.Helper()
	part := func(ref, footprint string) map[string]any {
		return map[string]any{"ref": ref, "footprint": footprint}
	}
	net := func(name string, pins ...string) map[string]any {
		return map[string]any{"name": name, "pins": pins}
	}
	request := map[string]any{
		"components": []any{part("J1", "My.Lib:Plug, 3-pin + (odd)"),
			part("J2", "Plug, 3-pin + (odd)"), part("A1", "Antenna"), part("R1", "R_0603"),
			part("H1", "MountingHole_3.2mm_M3")},
		"nets": []any{net("GND", "J1.1", "J2.2", "A1.2", "R1.2"), net("A", "J1.2", "J2.1", "R1.1"),
			net("B", "J1.3", "J2.4"), net("C", "J1.4", "J2.3", "A1.1"),
			net("D", "J1.5", "J2.5")},
		"footprints": drawnParts,
		"placements": []any{map[string]any{"ref": "J2", "x_mm": 25, "y_mm": 10, "rotation_deg": 90,
			"side": "bottom"}},
		"width_mm": 40, "height_mm": 25,
	}
	for k, v := range change {
		request[k] = v
	}
	raw, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// TestDrawnFootprints verifies that a board with footprints of the request is complete, and that
// its files have the copper of every pad. It checks the files with the independent reader and with
// KiCad, which must find no error.
func TestDrawnFootprints(t *testing.T) {
	out := layout(t, drawnBoard(t, nil))
	if out.Status != "complete" || !out.DRC.Passed {
		t.Fatalf("%s: %+v", out.Status, out.DRC.Violations)
	}
	verifyCopper(t, out)
	text := out.Files["board.kicad_pcb"]
	for _, want := range []string{
		`(footprint "My.Lib:Plug, 3-pin + (odd)"`,
		`(model "${KICAD6_3DMODEL_DIR}/Plug.step" (offset (xyz 1 -2 0.5))`,
		`(pad "4" smd custom`, `(drill 0.9 (offset 0.5 0))`, `(roundrect_rratio 0.4`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the KiCad board has no %s", want)
		}
	}
	for _, p := range out.Placements {
		if p.Ref != "A1" {
			continue
		}
		// The keepout extends 3 mm from y = 0 of the drawing, whose pads are 2 mm below it.
		for _, track := range out.Tracks {
			x, y := (track.X1+track.X2)/2-p.X, (track.Y1+track.Y2)/2-p.Y
			for range int(p.Rotation) / 90 {
				x, y = y, -x
			}
			if x > -3 && x < 3 && y > 2 && y < 5 {
				t.Errorf("a track of net %s is in the antenna's keepout", track.Net)
			}
		}
	}
	j := pcbnew(t, map[string]unjudged{"drawn": {text, 0.4}})["drawn"]
	// KiCad warns of a track that ends in a custom pad of several pieces but not at the pad's
	// origin.
	if v, u, f := j.counts(); v < 0 || strings.Contains(j.Report, "Severity: error") ||
		u != 0 || f != 0 {
		t.Errorf("KiCad finds %d violations, %d unconnected pads, %d faulty footprints:\n%s", v, u,
			f, j.Report)
	}
	if n := len(j.Parts["J1"].Pads); n != 6 {
		t.Errorf("J1 has %d pads in KiCad, 6 in its file", n)
	}
}

// netTies are net ties as in KiCad's libraries NetTie and Jumper: surface-mount pads with a bar,
// pads with holes and bars on both sides, and three pads of which copper joins two.
var netTies = map[string]string{
	"NT1": `(footprint "NetTie-2_SMD" (version 20211014) (layer "F.Cu") (tags "net tie")
  (fp_poly (pts (xy -0.5 -0.25) (xy 0.5 -0.25) (xy 0.5 0.25) (xy -0.5 0.25)) (layer "F.Cu") (width 0) (fill solid))
  (fp_rect (start -1 -0.5) (end 1 0.5) (layer "F.CrtYd") (width 0.05))
  (pad "1" smd circle (at -0.5 0) (size 0.5 0.5) (layers "F.Cu"))
  (pad "2" smd circle (at 0.5 0) (size 0.5 0.5) (layers "F.Cu")))`,
	"NT2": `(footprint "NetTie-2_THT" (version 20211014) (layer "F.Cu") (tags "net tie")
  (fp_poly (pts (xy 0 -0.3) (xy 1.2 -0.3) (xy 1.2 0.3) (xy 0 0.3)) (layer "F.Cu") (width 0) (fill solid))
  (fp_poly (pts (xy 0 -0.3) (xy 1.2 -0.3) (xy 1.2 0.3) (xy 0 0.3)) (layer "B.Cu") (width 0) (fill solid))
  (fp_rect (start -0.55 -0.55) (end 1.75 0.55) (layer "F.CrtYd") (width 0.05))
  (pad "1" thru_hole circle (at 0 0) (size 0.6 0.6) (drill 0.3) (layers *.Cu))
  (pad "2" thru_hole circle (at 1.2 0) (size 0.6 0.6) (drill 0.3) (layers *.Cu)))`,
	"JP1": `(footprint "SolderJumper-3_Bridged12" (version 20211014) (layer "F.Cu") (tags "net tie solder jumper bridged")
  (fp_poly (pts (xy -0.9 -0.3) (xy -0.4 -0.3) (xy -0.4 0.3) (xy -0.9 0.3)) (layer "F.Cu") (width 0) (fill solid))
  (fp_rect (start -2.3 -1.25) (end 2.3 1.25) (layer "F.CrtYd") (width 0.05))
  (pad "1" smd rect (at -1.3 0) (size 1 1.5) (layers "F.Cu" "F.Mask"))
  (pad "2" smd rect (at 0 0) (size 1 1.5) (layers "F.Cu" "F.Mask"))
  (pad "3" smd rect (at 1.3 0) (size 1 1.5) (layers "F.Cu" "F.Mask")))`,
}

// TestNetTies verifies boards whose grounds are joined by the copper of a net tie. The files have
// the copper, but join the nets nowhere else. KiCad finds nothing, also after it has filled the
// zones.
func TestNetTies(t *testing.T) {
	boards := map[string]unjudged{}
	for ref, text := range netTies {
		for _, side := range []string{"top", "bottom"} {
			third := map[string]any{"name": "B", "pins": []string{"J2.1", "R2.1"}}
			if ref == "JP1" {
				third["pins"] = []string{"J2.1", "R2.1", "JP1.3"}
			}
			raw, err := json.Marshal(map[string]any{
				"components": []any{map[string]any{"ref": "J1", "footprint": "PinHeader_1x02"},
					map[string]any{"ref": "J2", "footprint": "PinHeader_1x02"},
					map[string]any{"ref": "R1", "footprint": "R_0805"},
					map[string]any{"ref": "R2", "footprint": "R_0805"},
					map[string]any{"ref": ref, "footprint": "Tie"}},
				"nets": []any{
					map[string]any{"name": "GND", "pins": []string{"J1.2", "R1.2", ref + ".1"}},
					map[string]any{"name": "AGND", "pins": []string{"J2.2", "R2.2", ref + ".2"}},
					map[string]any{"name": "A", "pins": []string{"J1.1", "R1.1"}}, third},
				"footprints": map[string]string{"Tie": text},
				"placements": []any{map[string]any{"ref": ref, "x_mm": 15, "y_mm": 12,
					"rotation_deg": 30, "side": side}},
				"width_mm": 30, "height_mm": 25,
			})
			if err != nil {
				t.Fatal(err)
			}
			out := layout(t, raw)
			if out.Status != "complete" || !out.DRC.Passed {
				t.Errorf("%s on the %s: %s: %+v", ref, side, out.Status, out.DRC.Violations)
			}
			verifyCopper(t, out, fabrication.Tie{Ref: ref, Pads: [2]string{"1", "2"}})
			if !slices.ContainsFunc(out.Warnings.Warnings, func(w string) bool {
				return strings.Contains(w, "the copper of "+ref+" joins the nets GND and AGND")
			}) {
				t.Errorf("%s: no warning names the joined nets: %q", ref, out.Warnings.Warnings)
			}
			b, err := fabrication.Read(out.Files)
			if err != nil {
				t.Fatal(err)
			}
			report, err := b.Verify(limitsOf(out))
			if err != nil {
				t.Fatal(err)
			}
			if len(report.Findings) != 1 || report.Findings[0].Kind != "short" {
				t.Errorf("%s on the %s: the files do not join the nets: %+v", ref, side,
					report.Findings)
			}
			boards[ref+side] = unjudged{out.Files["board.kicad_pcb"], out.Rules.EdgeClearance}
		}
	}
	for name, j := range pcbnew(t, boards) {
		if v, u, f := j.counts(); v != 0 || u != 0 || f != 0 || j.Refilled != 0 {
			t.Errorf("%s: KiCad finds %d violations, %d unconnected pads, %d faulty footprints; "+
				"%d open after filling:\n%s", name, v, u, f, j.Refilled, j.Report)
		}
	}
}

// TestBadFootprints verifies that an invalid footprint text is rejected with an input error that
// names it.
func TestBadFootprints(t *testing.T) {
	many := map[string]string{}
	for i := range 151 {
		many[fmt.Sprint("F", i)] = drawnParts["Antenna"]
	}
	circles := strings.Repeat(`(fp_circle (center 0 0) (end 100 0) (layer "F.Fab") (width 0.1))`,
		57)
	dense := map[string]string{}
	for name, text := range drawnParts {
		dense[name] = strings.TrimSuffix(text, ")") + circles + ")"
	}
	for _, c := range []struct {
		name   string
		change map[string]any
		want   []string
	}{
		{"no footprint", map[string]any{"footprints": map[string]string{"Antenna": "(module",
			"X": ""}}, []string{"footprints.Antenna", "line 1", "never closed"}},
		{"a copper line",
			map[string]any{"footprints": map[string]string{
				"Antenna": `(module A (fp_line (start 0 0) (end 1 1) (layer F.Cu)))`}},
			[]string{"footprints.Antenna: \"A1\"", "copper is drawn on F.Cu"}},
		{"too many", map[string]any{"footprints": many},
			[]string{"footprints", "151", "at most 150"}},
		{"too many lines", map[string]any{"footprints": dense},
			[]string{"components", "lines, letters and openings; at most 50000"}},
		{"a name", map[string]any{"footprints": map[string]string{"a\nb": "(module)"}},
			[]string{"footprints", "name"}},
		{"one name twice",
			map[string]any{"footprints": map[string]string{"a": drawnParts["Antenna"],
				"A": drawnParts["Antenna"]}}, []string{"defined twice"}},
		{"overlap on two nets",
			map[string]any{"footprints": map[string]string{
				"Antenna": strings.ReplaceAll(drawnParts["Antenna"], "at 2 2",
					"at -1.5 2"),
				"My.Lib:Plug, 3-pin + (odd)": drawnParts["My.Lib:Plug, 3-pin + (odd)"]}},
			[]string{"pads 1 and 2 of A1 overlap", "GND"}},
		{"an unknown name",
			map[string]any{"footprint_overrides": map[string]string{
				"R1": "SOIC-8_3.9x4.9mm_P1.72mm"}}, []string{"SOIC-8", "P1.72"}},
		{"a misspelt name",
			map[string]any{"footprint_overrides": map[string]string{
				"R1": "Connector_USB:USB_C_Receptacle_HRO_TYPE-C-31-M-21"}},
			[]string{"did you mean USB_C_Receptacle_HRO_TYPE-C-31-M-12,", ".kicad_mod"}},
		{"a misspelt name of a family",
			map[string]any{"footprint_overrides": map[string]string{
				"R1": "JST_XH_B3B-XH-AM_1x03_P2.50mm_Vertcal"}},
			[]string{"did you mean JST_XH_B3B-XH-AM_1x03_P2.50mm_Vertical, ", ".kicad_mod"}},
	} {
		_, err := layoutOf(drawnBoard(t, c.change))
		if err == nil {
			t.Errorf("%s: accepted", c.name)
			continue
		}
		for _, w := range c.want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %v, want %q", c.name, err, w)
			}
		}
	}
}
