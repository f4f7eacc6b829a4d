package pcb

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"os"
	"testing"
	"time"

	"slipstick/tools"
	"slipstick/tools/tooltest"
)

const ledParts = `"components":[{"ref":"J1","footprint":"PinHeader_1x02"},{"ref":"R1","footprint":"R_0805"},{"ref":"D1","footprint":"LED_0805"}],
	"nets":[{"name":"VCC","pins":["J1.1","R1.1"]},{"name":"LED","pins":["R1.2","D1.A"]},{"name":"GND","pins":["D1.K","J1.2"]}]`

func TestPCBLayout(t *testing.T) {
	tooltest.Examples(t, PCBLayout)
	tooltest.Cases(t, PCBLayout, []tooltest.Case{
		{"a given size is kept", `{"width_mm":30,"height_mm":20,` + ledParts + `}`, `{"status":"complete","board":{"width_mm":30,"height_mm":20,"area_mm2":600.0,"layer_count":2}}`},
		{"a fixed part stays", `{"width_mm":30,"height_mm":20,"placements":[{"ref":"J1","x_mm":25,"y_mm":10,"rotation_deg":90}],` + ledParts + `}`,
			`{"status":"complete","drc":{"error_count":0}}`},
		{"a part without room for its name is told by it",
			`{"width_mm":5,"height_mm":5,"pour_layers":[],` +
				`"placements":[{"ref":"R1","x_mm":4.3,"y_mm":3.7875,"rotation_deg":90},{"ref":"R2","x_mm":4.3,"y_mm":1.5125,"rotation_deg":270},` +
				`{"ref":"R3","x_mm":1.8,"y_mm":2.8875,"rotation_deg":90},{"ref":"R4","x_mm":2.2875,"y_mm":1.1}],` +
				`"components":[{"ref":"R1","footprint":"R_0402"},{"ref":"R2","footprint":"R_0402"},` +
				`{"ref":"R3","footprint":"R_0402"},{"ref":"R4","footprint":"R_0402"}],"nets":[{"name":"A","pins":["R1.1","R2.1"]},{"name":"B","pins":["R3.1","R4.1"]}]}`,
			`{"status":"complete","warnings":["4 pads are on no net, and their parts have only one other pad: ` +
				`R1.2, R2.2, R3.2, R4.2","no space on the silkscreen for the reference of R2"]}`},
		{"the pour stays out of a keepout wherever its corners lie", `{"width_mm":30,"height_mm":20,"keepouts":[{"x_mm":2.510254,"y_mm":12.864946,"width_mm":4.029369,"height_mm":6.33596},` +
			`{"x_mm":23.333333,"y_mm":1.111111,"width_mm":3.14159,"height_mm":2.71828}],` +
			ledParts + `}`, `{"status":"complete","drc":{"error_count":0}}`},
		{"without a pour", `{"pour_layers":[],` + ledParts + `}`,
			`{"status":"complete","zones":[],"drc":{"passed":true}}`},
		{"a SPICE netlist: source, resistor and LED are three parts",
			`{"netlist":"t\nV1 in 0 5\nR1 in a 330\nD1 a 0 led_red\n.op\n.end\n"}`,
			`{"status":"complete","statistics":{"component_count":3,"net_count":3}}`},
		{"a KiCad netlist", `{"netlist":"(export (components (comp (ref R1) (value 1k) (footprint Resistor_SMD:R_0805_2012Metric)) (comp (ref R2) (value 1k) (footprint R_0805))) (nets (net (code 1) (name A) (node (ref R1) (pin 1)) (node (ref R2) (pin 1)))))"}`,
			`{"status":"complete","statistics":{"component_count":2,"connections_total":1}}`},
		{"an L-shaped outline", `{"outline":[{"x_mm":10,"y_mm":10},{"x_mm":50,"y_mm":10},{"x_mm":50,"y_mm":30},{"x_mm":30,"y_mm":30},{"x_mm":30,"y_mm":50},{"x_mm":10,"y_mm":50}],` + ledParts + `}`,
			`{"status":"complete","board":{"width_mm":40,"height_mm":40,"area_mm2":1200.0}}`},
	})
	tooltest.InvalidCases(t, PCBLayout, []tooltest.InvalidCase{
		{"no netlist", `{}`, nil, "netlist"},
		{"an unknown footprint", `{"components":[{"ref":"R1","footprint":"R_9999"}],"nets":[]}`,
			nil, "R_9999"},
		{"a pin on two nets", `{"components":[{"ref":"R1","footprint":"R_0805"}],"nets":[{"name":"A","pins":["R1.1"]},{"name":"B","pins":["R1.1"]}]}`, nil, "R1"},
		{"width without height", `{"width_mm":30,` + ledParts + `}`, []string{"width_mm"},
			"height_mm"},
		{"an outline that crosses itself", `{"outline":[{"x_mm":0,"y_mm":0},{"x_mm":40,"y_mm":40},{"x_mm":40,"y_mm":0},{"x_mm":0,"y_mm":40}],` + ledParts + `}`, []string{"outline"}, "crosses"},
		{"a part that is larger than the board", `{"width_mm":5,"height_mm":5,"components":[{"ref":"U1","footprint":"DIP-40"}],"nets":[{"name":"A","pins":["U1.1","U1.2"]}]}`, nil, "U1"},
		{"a rule below the fab's", `{"fab_profile":"oshpark","track_width_mm":0.1,` + ledParts +
			`}`, []string{"track_width_mm"}, "oshpark"},
		{"a via smaller than its drill", `{"via_drill_mm":0.6,"via_diameter_mm":0.5,` + ledParts +
			`}`, []string{"via_diameter_mm"}, "larger than the drill"},
		{"two parts fixed in one place",
			`{"placements":[{"ref":"R1","x_mm":5,"y_mm":5},{"ref":"D1","x_mm":5.5,"y_mm":5}],` +
				ledParts + `}`, []string{"placements"}, "overlap"},
		{"a part fixed off the board",
			`{"width_mm":20,"height_mm":20,"placements":[{"ref":"R1","x_mm":50,"y_mm":5}],` +
				ledParts + `}`, []string{"placements[0]"}, "off the board"},
		{"an unknown ground net", `{"ground_net":"EARTH",` + ledParts + `}`, []string{"ground_net"},
			"EARTH"},
	})
}

// TestPCBLayoutArchive verifies that an archive has the files of the result alone, with the same
// bytes (contract: zip "adds zip_base64 with the same bytes"). Among them is a README.
func TestPCBLayoutArchive(t *testing.T) {
	out := layout(t, []byte(`{"zip":true,`+ledParts+`}`))
	raw, err := base64.StdEncoding.DecodeString(*out.Zip)
	if err != nil {
		t.Fatal(err)
	}
	archive, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		t.Fatal(err)
	}
	if len(archive.File) != len(out.Files) || len(archive.File) != len(out.FileList) {
		t.Errorf("%d files in the archive, %d in files, %d in file_list",
			len(archive.File), len(out.Files), len(out.FileList))
	}
	for _, f := range archive.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(r); err != nil || string(text) != out.Files[f.Name] {
			t.Errorf("%s differs from the file in the result: %v", f.Name, err)
		}
	}
	if _, ok := out.Files["README.txt"]; !ok {
		t.Error("there is no README.txt")
	}
}

func TestPCBLayoutStops(t *testing.T) {
	body, err := os.ReadFile("../../examples/boards/led_matrix_5x5.json")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	phases := map[string]bool{}
	ctx = tools.WithProgress(ctx, func(p tools.Progress) {
		phases[p.Phase] = true
		if p.Percent > 30 {
			cancel()
		}
	})
	begun := time.Now()
	if _, err := PCBLayout.Run(ctx, body); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled layout ended with %v", err)
	}
	if len(phases) < 2 {
		t.Errorf("phases reported: %v", phases)
	}
	t.Logf("stopped after %s", time.Since(begun))
}
