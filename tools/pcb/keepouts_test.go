package pcb

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// keepoutCircuit has two pads of GND and two of a signal in the middle of a board, and a rectangle
// from 14, 2 to 28, 18 mm without pour around the right half of U1 and R1.
const keepoutCircuit = `{"name": "b", "width_mm": 30, "height_mm": 20,
	"pour_layers": ["top", "bottom"],
	"components": [{"ref": "U1", "footprint": "SOIC-8"}, {"ref": "R1", "footprint": "R_0805"},
		{"ref": "J1", "footprint": "PinHeader_1x02", "edge": "none"}],
	"placements": [{"ref": "U1", "x_mm": 14, "y_mm": 10}, {"ref": "R1", "x_mm": 20, "y_mm": 14},
		{"ref": "J1", "x_mm": 5, "y_mm": 10}],
	"keepouts": [%s],
	"nets": [{"name": "GND", "pins": ["U1.4", "J1.2"]}, {"name": "A", "pins": ["U1.8", "R1.1"]},
		{"name": "B", "pins": ["R1.2", "U1.5"]}]}`

// refill is a Python program that fills the zones of a board with KiCad and prints in which of the
// points given as x,y in mm each copper layer is filled.
const refill = `
import sys, pcbnew
b = pcbnew.LoadBoard(sys.argv[1])
pcbnew.ZONE_FILLER(b).Fill(b.Zones())
for point in sys.argv[2:]:
    x, y = [pcbnew.FromMM(float(v)) for v in point.split(",")]
    for z in b.Zones():
        for layer in z.GetLayerSet().CuStack():
            if not z.GetIsRuleArea() and z.HitTestFilledArea(layer, pcbnew.wxPoint(x, y), 0):
                print("FILLED", point, b.GetLayerName(layer))
`

// TestPourKeepout verifies that a keepout of the pour alone admits pads, tracks and vias, and that
// KiCad keeps it, too, when it fills the pours again. The ring around a mounting hole and the
// clearance of the board edge stay free.
func TestPourKeepout(t *testing.T) {
	body := fmt.Sprintf(keepoutCircuit, `{"x_mm": 14, "y_mm": 2, "width_mm": 14,
		"height_mm": 16, "tracks": false, "vias": false, "components": false}`)
	body = strings.Replace(body, `"keepouts"`,
		`"mounting_holes": [{"x_mm": 4, "y_mm": 4}], "keepouts"`, 1)
	out := layout(t, []byte(body))
	if out.Status != "complete" || !out.DRC.Passed {
		t.Fatalf("%s, %+v", out.Status, out.DRC.Violations)
	}
	for _, z := range out.Zones {
		for _, p := range z.Polygons {
			for _, c := range p.Outline {
				if x, y := c[0], c[1]; x > 14.001 && x < 27.999 && y > 2.001 && y < 17.999 {
					t.Errorf("pour on %s at %g, %g", z.Layer, x, y)
				}
			}
		}
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "b.kicad_pcb")
	if err := os.WriteFile(path, []byte(out.Files["b.kicad_pcb"]), 0o600); err != nil {
		t.Fatal(err)
	}
	// KiCad's origin is 100 mm to the left and 120 mm up. The third point is 0.7 mm from the wall
	// of the hole, the fourth one 0.35 mm from the board edge, and the last one is in the pour.
	cmd := exec.Command(kicadPython(t), "-c", refill, path, "125,115", "121,103", "106.3,116",
		"100.35,110", "102,102")
	cmd.Env = append(os.Environ(), "HOME="+dir, "KICAD_CONFIG_HOME="+dir)
	output, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	var got []string
	for line := range strings.Lines(string(output)) {
		if strings.HasPrefix(line, "FILLED") {
			got = append(got, strings.TrimSpace(line))
		}
	}
	want := "FILLED 102,102 F.Cu, FILLED 102,102 B.Cu"
	if s := strings.Join(got, ", "); s != want && s != "FILLED 102,102 B.Cu, FILLED 102,102 F.Cu" {
		t.Errorf("KiCad fills %s, want %s", s, want)
	}
}
