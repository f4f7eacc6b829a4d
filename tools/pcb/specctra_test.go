package pcb

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"slipstick/autorouter/placed"
	"slipstick/autorouter/specctra"
)

// dsnOf is a Python program that exports the Specctra designs of boards with KiCad's own writer.
const dsnOf = `
import json, sys, pcbnew
for path in json.loads(sys.argv[1]):
    b = pcbnew.LoadBoard(path)
    if not pcbnew.ExportSpecctraDSN(b, path + ".dsn"):
        sys.exit("no design of " + path)
`

// fill is a Python program that fills the zones of boards around their tracks.
const fill = `
import json, sys, pcbnew
for path in json.loads(sys.argv[1]):
    b = pcbnew.LoadBoard(path)
    pcbnew.ZONE_FILLER(b).Fill(b.Zones())
    pcbnew.SaveBoard(path, b)
`

// python runs a program that uses KiCad's module, such as dsnOf, on the board files at paths.
func python(t *testing.T, program string, paths []string) {
	t.Helper()
	arg, err := json.Marshal(paths)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(kicadPython(t), "-c", program, string(arg))
	dir := t.TempDir()
	cmd.Env = append(os.Environ(), "HOME="+dir, "KICAD_CONFIG_HOME="+dir)
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("pcbnew: %v\n%s", err, output)
	}
}

// imported adds the wires and vias of a session to a KiCad board. It parses the session with
// regular expressions, independently of the writer, in units of 0.1 µm with y up.
func imported(t *testing.T, pcb, session string) string {
	t.Helper()
	number := map[string]string{}
	entry := regexp.MustCompile(`(?m)^\s*\(net (\d+) "?([^")]*)"?\)$`)
	for _, m := range entry.FindAllStringSubmatch(pcb, -1) {
		number[m[2]] = m[1]
	}
	_, network, ok := strings.Cut(session, "(network_out")
	if !ok || !strings.Contains(session, "(resolution um 10)") {
		t.Fatal("no network_out in steps of 0.1 µm")
	}
	mm := func(word string, sign float64) string {
		v, err := strconv.ParseFloat(word, 64)
		if err != nil {
			t.Fatal(err)
		}
		return strconv.FormatFloat(sign*v/1e4, 'f', 4, 64)
	}
	var out strings.Builder
	net := ""
	item := regexp.MustCompile(
		`\(net ("[^"]*"|\S+)|\(path (\S+) (\d+) ([^)]*)\)|\(via ("[^"]*"|\S+) (-?\d+) (-?\d+)`,
	)
	for _, m := range item.FindAllStringSubmatch(network, -1) {
		switch {
		case m[1] != "":
			if net = number[strings.Trim(m[1], `"`)]; net == "" {
				t.Fatalf("the board has no net %s", m[1])
			}
		case m[2] != "":
			at := strings.Fields(m[4])
			for i := 0; i+3 < len(at); i += 2 {
				fmt.Fprintf(
					&out,
					" (segment (start %s %s) (end %s %s) (width %s) (layer %q) (net %s))\n",
					mm(
						at[i],
						1,
					),
					mm(at[i+1], -1),
					mm(at[i+2], 1),
					mm(at[i+3], -1),
					mm(m[3], 1),
					m[2],
					net,
				)
			}
		default:
			size := regexp.MustCompile(`_([\d.]+):([\d.]+)_um`).FindStringSubmatch(m[5])
			if size == nil {
				t.Fatalf("via %s has no size in its name", m[5])
			}
			fmt.Fprintf(
				&out,
				" (via (at %s %s) (size %s) (drill %s) (layers \"F.Cu\" \"B.Cu\") (net %s))\n",
				mm(m[6], 1),
				mm(m[7], -1),
				mm(size[1]+"0", 1),
				mm(size[2]+"0", 1),
				net,
			)
		}
	}
	return pcb[:strings.LastIndex(pcb, ")")] + out.String() + ")\n"
}

// TestSpecctraThroughKiCad verifies that designs exported by KiCad are routed. With the session's
// tracks, the board must have no error in KiCad's own rule check and nothing unconnected. One of
// the boards has parts on the back.
func TestSpecctraThroughKiCad(t *testing.T) {
	list, err := examples()
	if err != nil {
		t.Fatal(err)
	}
	tracks := regexp.MustCompile(`(?m)^ \((segment|via) .*\n`)
	dir := t.TempDir()
	edge := map[string]float64{}
	var paths []string
	for _, e := range list {
		if !slices.Contains([]string{"opamp_filter", "sensor_node", "h_bridge"}, e.name) {
			continue
		}
		var request map[string]any
		if err := json.Unmarshal(e.body, &request); err != nil {
			t.Fatal(err)
		}
		request["allow_bottom"] = e.name == "sensor_node"
		body, err := json.Marshal(request)
		if err != nil {
			t.Fatal(err)
		}
		out := layout(t, body)
		bottom := slices.ContainsFunc(
			out.Placements,
			func(p placementOut) bool { return p.Side == "bottom" },
		)
		if e.name == "sensor_node" && !bottom {
			t.Error("no part is on the back: the test shows less than it says")
		}
		path := filepath.Join(dir, e.name+".kicad_pcb")
		if err := os.WriteFile(path, []byte(tracks.ReplaceAllString(out.Files[e.name+".kicad_pcb"],
			"")), 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
		edge[path] = out.Rules.EdgeClearance
	}
	python(t, dsnOf, paths)
	for _, path := range paths {
		text, err := os.ReadFile(path + ".dsn")
		if err != nil {
			t.Fatal(err)
		}
		design, err := specctra.Read(string(text))
		if err != nil {
			t.Fatal(path, err)
		}
		r, err := design.Route(
			context.Background(),
			specctra.Options{}, placed.Options{TimeLimit: 5 * time.Minute},
		)
		if err != nil {
			t.Fatal(path, err)
		}
		if len(r.Open) > 0 || len(r.RoutingViolations) > 0 || len(r.Tracks) == 0 {
			t.Errorf(
				"%s: open %v, %d rules violated, %d tracks",
				path,
				r.Open,
				len(r.RoutingViolations),
				len(r.Tracks),
			)
		}
		pcb, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		routed := imported(t, string(pcb), string(r.Session(path+".dsn")))
		if err := os.WriteFile(path, []byte(routed), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	python(t, fill, paths)
	boards := map[string]unjudged{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		boards[strings.TrimSuffix(filepath.Base(path), ".kicad_pcb")] = unjudged{
			string(text),
			edge[path],
		}
	}
	for name, got := range pcbnew(t, boards) {
		v, u, _ := got.counts()
		// KiCad reports both neighbouring tracks of a wide track that is shorter than its width.
		dangling := strings.Count(got.Report, "[track_dangling]")
		if v > dangling || dangling > 10 || u != 0 {
			t.Errorf("%s: %d violations, %d unconnected:\n%s", name, v, u, got.Report)
		}
	}
}
