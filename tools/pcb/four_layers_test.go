package pcb

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"slipstick/autorouter/fabrication"
)

// changed returns a copy of a request in which the members of with are added or replaced.
func changed(t *testing.T, request []byte, with map[string]any) []byte {
	t.Helper()
	var q map[string]any
	if err := json.Unmarshal(request, &q); err != nil {
		t.Fatal(err)
	}
	for k, v := range with {
		q[k] = v
	}
	out, err := json.Marshal(q)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// fourLayers returns layouts of four layers: examples with two planes, with tracks on one inner
// layer, and with tracks on all layers.
func fourLayers(t *testing.T) map[string]pcbLayoutOut {
	t.Helper()
	list, err := examples()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]pcbLayoutOut{}
	for _, e := range list {
		var with []map[string]any
		switch e.name {
		case "sensor_node", "usb_serial_atmega328", "led_blinker_555", "buck_mc34063",
			"opamp_filter":
			with = append(with, map[string]any{})
		case "rs485_node":
			with = append(with, map[string]any{},
				map[string]any{"planes": map[string]string{"in2": ""}},
				map[string]any{"pour_layers": []string{"top", "bottom"}, "thermal_relief": false})
		case "led_matrix_5x5":
			with = append(with, map[string]any{})
		}
		for i, w := range with {
			w["layers"], w["name"] = 4, "board"
			out[fmt.Sprintf("%s %d", e.name, i)] = layout(t, changed(t, e.body, w))
		}
	}
	out["generated"] = layout(t, generated(t, 50, 1, map[string]any{"layers": 4, "name": "board"}))
	return out
}

// TestFourLayers verifies that boards of four layers are complete and pass the rule check, the
// check of the files alone, gerbv and KiCad. It also verifies that KiCad rejects a board without
// its planes.
func TestFourLayers(t *testing.T) {
	boards := map[string]unjudged{}
	for name, out := range fourLayers(t) {
		if out.Status != "complete" || !out.DRC.Passed || out.DRC.WarningCount > 0 ||
			out.Board.Layers != 4 {
			t.Errorf("%s: %s, %d layers, %v", name, out.Status, out.Board.Layers,
				out.DRC.Violations)
		}
		verifyCopper(t, out)
		planes := map[string]string{}
		for _, z := range out.Zones {
			planes[z.Layer] = z.Net
		}
		for _, x := range out.Tracks {
			if strings.HasPrefix(x.Layer, "in") && planes[x.Layer] != "" {
				t.Errorf("%s: a track of %s on the plane %s", name, x.Net, x.Layer)
			}
		}
		inner := [2]bool{planes["in1"] != "", planes["in2"] != ""}
		want := [2]bool{true, true}
		switch name {
		case "led_matrix_5x5 0": // this board has no ground and no supply
			want = [2]bool{}
		case "rs485_node 1":
			want = [2]bool{true, false}
		}
		if inner != want {
			t.Errorf("%s: planes %v", name, planes)
		}
		text := out.Files["board.kicad_pcb"]
		boards[name] = unjudged{text, out.Rules.EdgeClearance}
		if name == "generated" {
			cut := regexp.MustCompile(`(?ms)^ \(zone .*?^ \)\n`).ReplaceAllString(text, "")
			boards[name+" cut"] = unjudged{cut, out.Rules.EdgeClearance}
		}
	}
	t.Run("gerbv", func(t *testing.T) {
		need(t, "gerbv", "gerbv")
		drawFiles(t, layout(t, generated(t, 20, 1, map[string]any{"layers": 4})), 13)
	})
	t.Run("KiCad", func(t *testing.T) {
		for name, got := range pcbnew(t, boards) {
			v, u, f := got.counts()
			switch {
			case strings.HasSuffix(name, " cut"):
				if u <= 0 {
					t.Errorf("%s: nothing is unconnected without zones", name)
				}
			case v != 0 || u != 0 || f != 0:
				t.Errorf("%s: %d violations, %d unconnected, %d footprint errors:\n%s", name, v, u,
					f, got.Report)
			}
		}
	})
}

// TestFourLayerFiles verifies the file functions of the Gerber format (2024.05, section 5.6.3) and
// of XNC, and KiCad's layer names. It also verifies that the check of the files fails if a file is
// missing or belongs to another stackup.
func TestFourLayerFiles(t *testing.T) {
	out := layout(t, generated(t, 20, 1, map[string]any{"layers": 4, "name": "b"}))
	for file, want := range map[string]string{
		"b.gtl": "%TF.FileFunction,Copper,L1,Top*%", "b.g1": "%TF.FileFunction,Copper,L2,Inr*%",
		"b.g2": "%TF.FileFunction,Copper,L3,Inr*%", "b.gbl": "%TF.FileFunction,Copper,L4,Bot*%",
		"b-PTH.drl":   "TF.FileFunction,Plated,1,4,PTH",
		"b-NPTH.drl":  "TF.FileFunction,NonPlated,1,4,NPTH",
		"b.kicad_pcb": `(layers (0 "F.Cu" signal) (1 "In1.Cu" power) (2 "In2.Cu" power) (31 "B.Cu" signal)`,
	} {
		if !strings.Contains(out.Files[file], want) {
			t.Errorf("%s has no %s", file, want)
		}
	}
	var roles []string
	for _, f := range out.FileList[:4] {
		roles = append(roles, f.Role)
	}
	if want := []string{"copper_top", "copper_in1", "copper_in2",
		"copper_bottom"}; !slices.Equal(roles, want) {
		t.Errorf("roles %v", roles)
	}
	for name, c := range map[string]struct{ file, from, to string }{
		"an inner file is missing":  {"b.g1", "Copper,L2,Inr", "Other,None"},
		"two files of one layer":    {"b.g1", "Copper,L2,Inr", "Copper,L3,Inr"},
		"the bottom is not last":    {"b.gbl", "L4,Bot", "L4,Inr"},
		"holes through two layers":  {"b-PTH.drl", "Plated,1,4,PTH", "Plated,1,2,PTH"},
		"a layer beyond the limits": {"b.g1", "Copper,L2,Inr", "Copper,L999,Inr"},
	} {
		files := map[string]string{}
		for name, text := range out.Files {
			files[name] = text
		}
		files[c.file] = strings.Replace(files[c.file], c.from, c.to, 1)
		if _, err := fabrication.Read(files); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	// Without the copper of its plane, the supply is open, because no other layer has a pour of it.
	files := map[string]string{}
	for name, text := range out.Files {
		files[name] = text
	}
	files["b.g2"] = regexp.MustCompile(`(?s)G36\*.*G37\*\n`).ReplaceAllString(files["b.g2"], "")
	b, err := fabrication.Read(files)
	if err != nil {
		t.Fatal(err)
	}
	report, err := b.Verify(limitsOf(out))
	if err != nil {
		t.Fatal(err)
	}
	open := func(f fabrication.Finding) bool { return f.Kind == "open" && f.Net == "VCC" }
	if !slices.ContainsFunc(report.Findings, open) {
		t.Errorf("findings without the plane: %v", report.Findings)
	}
}

// TestFourLayerKeepouts verifies that a keepout on top and bottom also clears the planes, and that
// a keepout on in1 clears only that layer.
func TestFourLayerKeepouts(t *testing.T) {
	for _, c := range []struct {
		layers []string
		clear  map[string]bool
	}{
		{[]string{"top", "bottom"}, map[string]bool{"in1": true, "in2": true, "bottom": true}},
		{[]string{"in1"}, map[string]bool{"in1": true, "in2": false, "bottom": false}},
	} {
		out := layout(t, generated(t, 12, 1, map[string]any{"layers": 4, "width_mm": 50,
			"height_mm": 50, "keepouts": []any{
				map[string]any{"x_mm": 0, "y_mm": 0, "width_mm": 12, "height_mm": 12,
					"layers": c.layers},
			}}))
		if out.Status != "complete" || !out.DRC.Passed {
			t.Fatalf("%v: %s, %v", c.layers, out.Status, out.DRC.Violations)
		}
		for _, z := range out.Zones {
			inside := false // whether a corner of the copper is in the keepout
			for _, p := range z.Polygons {
				for _, xy := range p.Outline {
					inside = inside || xy[0] < 11.9 && xy[1] < 11.9
				}
			}
			if want, known := c.clear[z.Layer]; !known || inside == want {
				t.Errorf("%v: %s has copper in the keepout: %v", c.layers, z.Layer, inside)
			}
		}
	}
}
