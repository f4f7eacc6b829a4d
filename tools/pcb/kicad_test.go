package pcb

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// judge is a Python program that loads boards with KiCad's module pcbnew and prints the violations
// of each. It applies the rules of the board file. The edge clearance is an argument, because a
// board file cannot contain it.
const judge = `
import json, sys, pcbnew
for path, edge in json.loads(sys.argv[1]):
    b = pcbnew.LoadBoard(path)
    b.BuildConnectivity()
    b.GetDesignSettings().m_CopperEdgeClearance = int(edge * 1e6)
    pcbnew.WriteDRCReport(b, path + ".rpt", pcbnew.EDA_UNITS_MILLIMETRES, True)
    parts = {}
    for f in b.GetFootprints():
        pads = [[p.GetNumber(), p.GetNetname(), p.GetPosition().x, p.GetPosition().y, p.IsOnLayer(pcbnew.F_Cu), p.IsOnLayer(pcbnew.B_Cu)] for p in f.Pads()]
        parts[f.GetReference()] = {"x": f.GetPosition().x, "y": f.GetPosition().y, "turn": f.GetOrientation() / 10, "flipped": f.IsFlipped(), "pads": pads}
    pcbnew.ZONE_FILLER(b).Fill(b.Zones())
    b.BuildConnectivity()
    refilled = b.GetConnectivity().GetUnconnectedCount()
    print("BOARD " + json.dumps({"path": path, "report": open(path + ".rpt").read(), "parts": parts, "refilled": refilled}))
`

// judged is KiCad's result for a board. Lengths are in nanometres with y down.
type judged struct {
	Path   string `json:"path"`
	Report string `json:"report"`
	// Refilled is the number of open connections after KiCad has filled the zones again.
	Refilled int `json:"refilled"`
	Parts    map[string]struct {
		X, Y    int64
		Turn    float64
		Flipped bool
		Pads    [][]any
	} `json:"parts"`
}

// counts returns the numbers of violations, unconnected items and footprint errors in the report,
// or -1 for a missing number.
func (j judged) counts() (violations, unconnected, footprints int) {
	found := func(what string) int {
		m := regexp.MustCompile(`(?m)^\*\* Found (\d+) ` + what +
			` \*\*$`).FindStringSubmatch(j.Report)
		if m == nil {
			return -1
		}
		n, err := strconv.Atoi(m[1])
		if err != nil {
			return -1
		}
		return n
	}
	return found("DRC violations"), found("unconnected pads"), found("Footprint errors")
}

// unjudged is a board to be checked by KiCad.
type unjudged struct {
	text   string
	edgeMM float64 // copper-to-edge clearance
}

// kicadPython returns the Python interpreter with KiCad's module.
func kicadPython(t *testing.T) string {
	t.Helper()
	for _, p := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(p, "-c", "import pcbnew").Run() == nil {
			return p
		}
	}
	missing(t, "KiCad's Python module pcbnew is not installed (Debian package kicad)")
	return ""
}

// pcbnew runs the rule check on boards by name, all in one process.
func pcbnew(t *testing.T, boards map[string]unjudged) map[string]judged {
	t.Helper()
	dir := t.TempDir()
	var list [][]any
	for name, b := range boards {
		path := filepath.Join(dir, name+".kicad_pcb")
		if err := os.WriteFile(path, []byte(b.text), 0o600); err != nil {
			t.Fatal(err)
		}
		list = append(list, []any{path, b.edgeMM})
	}
	arg, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(kicadPython(t), "-c", judge, string(arg))
	cmd.Env = append(os.Environ(), "HOME="+dir, "KICAD_CONFIG_HOME="+dir)
	output, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("pcbnew: %v\n%s", err, output)
	}
	out := map[string]judged{}
	for line := range strings.Lines(string(output)) {
		if text, ok := strings.CutPrefix(line, "BOARD "); ok {
			var j judged
			if err := json.Unmarshal([]byte(text), &j); err != nil {
				t.Fatal(err)
			}
			out[strings.TrimSuffix(filepath.Base(j.Path), ".kicad_pcb")] = j
		}
	}
	if len(out) != len(boards) {
		t.Fatalf("KiCad judged %d of %d boards:\n%s", len(out), len(boards), output)
	}
	return out
}

// TestKiCad verifies that KiCad 6 loads every example and finds no violation, no warning and
// nothing unconnected. This also holds with zones that it has filled itself. It finds no fault in a
// footprint. The same boards must fail with a stricter rule and without the tracks, because
// otherwise the check would prove nothing.
func TestKiCad(t *testing.T) {
	boards := map[string]unjudged{}
	eachExample(t, func(t *testing.T, name string, _ []byte, out pcbLayoutOut) {
		text, edge := out.Files[name+".kicad_pcb"], out.Rules.EdgeClearance
		boards[name] = unjudged{text, edge}
		if name != "led_blinker_555" && name != "usb_serial_atmega328" {
			return
		}
		boards[name+" strict"] = unjudged{
			regexp.MustCompile(`\(clearance_min [\d.]+\)`).ReplaceAllString(text,
				"(clearance_min 0.8)"), edge}
		boards[name+" cut"] = unjudged{regexp.MustCompile(`(?m)^ \(segment .*\n`).ReplaceAllString(
			text, ""), edge}
	})
	powered, err := boardsIn("testdata/engineering")
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range powered {
		out, err := x.out()
		if err != nil {
			t.Fatal(err)
		}
		verifyCopper(t, out)
		boards[x.name] = unjudged{out.Files[x.name+".kicad_pcb"], out.Rules.EdgeClearance}
	}
	for name, got := range pcbnew(t, boards) {
		v, u, f := got.counts()
		switch {
		case strings.HasSuffix(name, " strict"):
			if v <= 0 {
				t.Errorf("%s: no violation with a clearance of 0.8 mm", name)
			}
		case strings.HasSuffix(name, " cut"):
			if u <= 0 {
				t.Errorf("%s: nothing is unconnected without tracks", name)
			}
		case v != 0 || u != 0 || f != 0 || got.Refilled != 0:
			t.Errorf("%s: %d violations, %d unconnected, %d with new fills, %d footprint errors:\n%s",
				name, v, u, got.Refilled, f, got.Report)
		}
	}
}

// TestKiCadSeeds verifies that KiCad finds no errors on four examples with six seeds each. The
// ground of these examples is poured on both sides or connected by many short tracks. Such boards
// can have dangling ends within the pour, or isolated copper between two pieces of pour.
func TestKiCadSeeds(t *testing.T) {
	list, err := examples()
	if err != nil {
		t.Fatal(err)
	}
	// If a short track between two pieces of pour leaves no space for a bend, KiCad reports both of
	// its neighbours.
	const few = 1
	crumbs := 0
	boards := map[string]unjudged{}
	for _, e := range list {
		if !slices.Contains([]string{"audio_mixer_8ch", "h_bridge", "sensor_node",
			"usb_serial_atmega328"}, e.name) {
			continue
		}
		for seed := 1; seed <= 6; seed++ {
			var request map[string]any
			if err := json.Unmarshal(e.body, &request); err != nil {
				t.Fatal(err)
			}
			request["seed"], request["time_limit_s"] = seed, 60
			body, err := json.Marshal(request)
			if err != nil {
				t.Fatal(err)
			}
			out := layout(t, body)
			crumbs += out.DRC.WarningCount
			if out.Status != "complete" || out.DRC.ErrorCount > 0 || crumbs > few {
				t.Errorf("%s, seed %d: %s, %v, %v", e.name, seed, out.Status, out.Unrouted,
					out.DRC.Violations)
			}
			boards[fmt.Sprintf("%s seed %d", e.name, seed)] = unjudged{
				out.Files[e.name+".kicad_pcb"], out.Rules.EdgeClearance}
		}
	}
	if len(boards) != 24 {
		t.Fatalf("%d boards", len(boards))
	}
	theirs := 0
	for name, got := range pcbnew(t, boards) {
		v, u, f := got.counts()
		theirs += v
		if theirs > few || u != 0 || f != 0 || got.Refilled != 0 {
			t.Errorf("%s: %d violations, %d unconnected, %d with new fills, %d footprint errors:\n%s",
				name, v, u, got.Refilled, f, got.Report)
		}
	}
}

// TestKiCadClasses verifies that a class with a wide clearance does not make KiCad require more
// than the layout's rules. It covers pins next to the pins of the class, and holes without plating.
func TestKiCadClasses(t *testing.T) {
	out := layout(t, []byte(`{"components":[{"ref":"J1","footprint":"USB_C_16P"},{"ref":"U1","footprint":"TSSOP-20"},{"ref":"R1","footprint":"R_0402"},{"ref":"R2","footprint":"R_0402"}],
		"nets":[{"name":"GND","pins":["J1.A1","J1.B1","J1.S","U1.10","R1.2"]},{"name":"VBUS","pins":["J1.A4","J1.B4","U1.20"]},{"name":"A","pins":["U1.9","R1.1"]},{"name":"B","pins":["U1.11","R2.1"]},{"name":"C","pins":["U1.1","R2.2"]}],
		"net_classes":[{"name":"wide","clearance_mm":0.35,"nets":["GND"]}],"pour_layers":["top","bottom"],"width_mm":30,"height_mm":25}`))
	if out.Status != "complete" || !out.DRC.Passed {
		t.Fatal(out.Status, out.DRC.Violations)
	}
	text := out.Files["board.kicad_pcb"]
	pad := regexp.MustCompile(`\(pad .*\(clearance ([\d.]+)\).*`)
	for _, m := range pad.FindAllStringSubmatch(text, -1) {
		got, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case strings.Contains(m[0], "np_thru_hole"):
			if got != out.Rules.HoleClearance {
				t.Errorf("hole clearance %g, want %g: %s", got, out.Rules.HoleClearance, m[0])
			}
		case strings.Contains(m[0], `"GND"`):
			if got >= 0.35 {
				t.Errorf("a pad of class wide asks for %g: %s", got, m[0])
			}
		case got >= out.Rules.Clearance:
			t.Errorf("a pad of class default asks for %g: %s", got, m[0])
		}
	}
	got := pcbnew(t, map[string]unjudged{"classes": {text, out.Rules.EdgeClearance}})["classes"]
	if v, u, f := got.counts(); v != 0 || u != 0 || f != 0 {
		t.Errorf("%d violations, %d unconnected, %d footprint errors:\n%s", v, u, f, got.Report)
	}
}

// TestKiCadNames verifies that KiCad finds no errors on a board of parts named as in KiCad's
// libraries. It also verifies that the pads of a jack with a switch pin are not mirrored.
func TestKiCadNames(t *testing.T) {
	out := layout(t, []byte(`{"components":[{"ref":"J1","footprint":"Connector_BarrelJack:BarrelJack_Horizontal"},{"ref":"J2","footprint":"Connector_JST:JST_PH_S4B-PH-K_1x04_P2.00mm_Horizontal"},
		{"ref":"J3","footprint":"Connector_PinSocket_1.27mm:PinSocket_2x05_P1.27mm_Vertical"},{"ref":"J4","footprint":"Connector_PinHeader_2.00mm:PinHeader_1x04_P2.00mm_Vertical"},
		{"ref":"U1","footprint":"Package_DFN_QFN:QFN-16-1EP_3x3mm_P0.5mm_EP1.45x1.45mm"},{"ref":"C1","footprint":"Capacitor_THT:C_Disc_D9.0mm_W5.0mm_P5.00mm"},{"ref":"D1","footprint":"Diode_SMD:D_SMC"},
		{"ref":"Q1","footprint":"Package_TO_SOT_THT:TO-92_Inline"},{"ref":"R1","footprint":"Resistor_SMD:R_0805_2012Metric_Pad1.20x1.40mm_HandSolder"},{"ref":"J5","footprint":"USB_C_16P"}],
		"nets":[{"name":"GND","pins":["J1.2","J1.3","J2.1","J3.10","J4.4","U1.17","U1.4","C1.2","Q1.1","J5.A1","J5.B1","J5.S"]},{"name":"VIN","pins":["J1.1","D1.2"]},{"name":"VCC","pins":["D1.1","C1.1","U1.1","J3.1","J4.1","R1.1"]},
			{"name":"A","pins":["J2.2","U1.2","J3.2"]},{"name":"B","pins":["J2.3","U1.3","J3.3"]},{"name":"C","pins":["Q1.2","R1.2","U1.9"]},{"name":"D","pins":["Q1.3","J4.2","U1.12"]}]}`))
	if out.Status != "complete" || !out.DRC.Passed || out.DRC.WarningCount > 0 {
		t.Fatal(out.Status, out.DRC.Violations)
	}
	verifyCopper(t, out)
	for _, w := range out.Warnings.Warnings {
		if strings.Contains(w, "footprint") {
			t.Error(w)
		}
	}
	got := pcbnew(t,
		map[string]unjudged{"names": {out.Files["board.kicad_pcb"],
			out.Rules.EdgeClearance}})["names"]
	if v, u, f := got.counts(); v != 0 || u != 0 || f != 0 {
		t.Errorf("%d violations, %d unconnected, %d footprint errors:\n%s", v, u, f, got.Report)
	}
	// The reference is KiCad's position of pad 3 relative to pad 1, with y down and the part turned
	// counter-clockwise on the screen.
	j := got.Parts["J1"]
	at := map[string][2]float64{}
	for _, p := range j.Pads {
		at[p[0].(string)] = [2]float64{p[2].(float64), p[3].(float64)}
	}
	sin, cos := math.Sincos(-j.Turn * math.Pi / 180)
	x, y := at["3"][0]-at["1"][0], at["3"][1]-at["1"][1]
	if gx, gy := x*cos+y*sin, y*cos-x*sin; j.Flipped || math.Abs(gx+3e6) > 2 ||
		math.Abs(gy-4.7e6) > 2 {
		t.Errorf(
			"pad 3 of the jack is at (%.3f, %.3f) mm from pad 1, in KiCad's library at (-3, 4.7)", gx/1e6, gy/1e6)
	}
}
