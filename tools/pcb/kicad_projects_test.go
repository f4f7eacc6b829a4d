package pcb

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"slipstick/internal/corpus"
)

var (
	projects = flag.String("projects", "",
		"folder of .kicad_pcb files to lay out again from their netlists (make bench-kicad)")
	projectResults = flag.String("results", "",
		"folder of requests, boards and figures, which a later run continues")
)

// projectOf is a Python program that reads the netlist, the footprints and the figures of a board
// file with KiCad's module pcbnew. It writes the ground net as GND and other nets without the
// sheets, where the names stay unique. Footprints have the origin and orientation of their library.
const projectOf = `
import json, os, re, sys, tempfile, pcbnew
path = json.loads(sys.argv[1])[0]
b = pcbnew.LoadBoard(path)
mm = lambda v: round(v / 1e6, 6)
every = [str(n) for n in b.GetNetsByName().keys()]
pads = [p for f in b.GetFootprints() for p in f.Pads()]
ground_name = re.compile(r"(?i)(^|/)(GND|AGND|DGND|GNDD|GNDA|VSS|0V)$")
grounds = [p.GetNetname() for p in pads if ground_name.search(p.GetNetname())]
ground = max(sorted(set(grounds)), key=grounds.count, default="")
def named(net):
    if net == ground: return "GND"
    short = net.rsplit("/", 1)[-1]
    same = sum(n.rsplit("/", 1)[-1] == short for n in every)
    if short and short != "GND" and same == 1: net = short
    return re.sub(r"[^!-+\--~]", "_", net)[:64]
def ordered(text): # KiCad orders the items by their random identifiers
    lines = re.sub(r" *\(tstamp [^)]*\)", "", text).rstrip().split("\n")
    item = lambda l: l.startswith(("  (fp_", "  (pad ")) and l.count("(") == l.count(")")
    return "\n".join([l for l in lines[:-1] if not item(l)] + sorted(filter(item, lines)) + [")"])
folder = tempfile.mkdtemp() + "/x.pretty"
library = pcbnew.IO_MGR.PluginFind(pcbnew.IO_MGR.KICAD_SEXP)
library.FootprintLibCreate(folder)
edges = b.GetBoardEdgesBoundingBox()
parts, texts, nets, classes, used = [], {}, {}, {}, set()
for f in b.GetFootprints():
    if not list(f.Pads()): continue
    ref = f.GetReference()
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,15}", ref) or ref.upper() in used:
        ref = "H%d" % (900 + len(used))
    used.add(ref.upper())
    d = pcbnew.Cast_to_FOOTPRINT(f.Duplicate())
    if d.IsFlipped(): d.Flip(d.GetPosition(), False)
    d.SetOrientation(0)
    d.SetPosition(pcbnew.wxPoint(0, 0))
    name = re.sub(r"[^A-Za-z0-9_.+-]", "_", str(f.GetFPID().GetLibItemName()))
    name = "F%d_%s" % (len(parts), name[:100])
    d.SetFPID(pcbnew.LIB_ID("", name))
    library.FootprintSave(folder, d)
    texts[name] = ordered(open(os.path.join(folder, name + ".kicad_mod")).read())
    box = f.GetBoundingBox(False, False)
    parts.append({"ref": ref, "value": re.sub(r"[^ -~]", "u", f.GetValue())[:64],
        "footprint": name, "bottom": f.IsFlipped(), "rotation": f.GetOrientation() / 10,
        "edges": {0: mm(edges.GetRight() - box.GetRight()),
            90: mm(box.GetTop() - edges.GetTop()),
            180: mm(box.GetLeft() - edges.GetLeft()),
            270: mm(edges.GetBottom() - box.GetBottom())}})
    for p in f.Pads():
        if not p.GetNetname() or not p.GetNumber(): continue
        pin, net = "%s.%s" % (ref, p.GetNumber()), named(p.GetNetname())
        if pin not in nets.setdefault(net, []):
            nets[net].append(pin)
            classes[net] = p.GetNet().GetNetClassName()
rules = {}
text = open(path, encoding="utf-8", errors="replace").read()
for m in re.finditer(r'\(net_class\s+("[^"]*"|\S+)(.*?)\n  \)', text, re.S):
    rules[m[1].strip('"')] = {k: float(re.search(r"\(%s ([\d.]+)\)" % k, m[2])[1])
        for k in ("trace_width", "clearance", "via_dia", "via_drill")}
tracks = list(b.GetTracks())
outline = pcbnew.SHAPE_POLY_SET()
b.GetBoardPolygonOutlines(outline)
print("PROJECT " + json.dumps({"parts": parts, "texts": texts, "nets": nets, "classes": classes,
    "rules": rules, "layers": b.GetCopperLayerCount(), "area": outline.Area() / 1e12,
    "vias": sum("VIA" in t.GetClass() for t in tracks),
    "wire": mm(sum(t.GetLength() for t in tracks if "VIA" not in t.GetClass()))}))
`

// project is a board file as projectOf prints it. Lengths are in mm.
type project struct {
	Parts []struct {
		Ref, Value, Footprint string
		Bottom                bool
		Rotation              float64
		// Edges is the distance to the edges of the board by their direction in degrees.
		Edges map[int]float64
	}
	Texts   map[string]string
	Nets    map[string][]string
	Classes map[string]string // class of a net
	Rules   map[string]struct {
		Width     float64 `json:"trace_width"`
		Clearance float64
		Via       float64 `json:"via_dia"`
		Drill     float64 `json:"via_drill"`
	}
	Layers, Vias int
	Area, Wire   float64
}

func readProject(t *testing.T, path string) (*project, error) {
	t.Helper()
	arg, err := json.Marshal([]string{path})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(kicadPython(t), "-c", projectOf, string(arg))
	dir := t.TempDir()
	cmd.Env = append(os.Environ(), "HOME="+dir, "KICAD_CONFIG_HOME="+dir)
	output, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	_, text, _ := strings.Cut(string(output), "PROJECT ")
	p := &project{}
	return p, json.Unmarshal([]byte(text), p)
}

// notInClassNames matches the characters that names of net classes may not have.
var notInClassNames = regexp.MustCompile(`[^!-+\--~]`)

// request returns the request that lays out a project with the sizes of its net classes on a board
// of automatic size.
func (p *project) request(t *testing.T) []byte {
	t.Helper()
	q := map[string]any{"name": "board", "footprints": p.Texts, "layers": min(4, p.Layers),
		"edge_clearance_mm": 0.3, "exports": []string{"kicad"}}
	var parts, nets []map[string]any
	for _, c := range p.Parts {
		parts = append(parts, map[string]any{"ref": c.Ref, "value": c.Value,
			"footprint": c.Footprint})
		if c.Bottom {
			q["allow_bottom"] = true
		}
	}
	ofClass := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(p.Nets)) {
		if len(p.Nets[name]) > 1 {
			nets = append(nets, map[string]any{"name": name, "pins": p.Nets[name]})
			ofClass[p.Classes[name]] = append(ofClass[p.Classes[name]], name)
		}
	}
	var classes []map[string]any
	for _, name := range slices.Sorted(maps.Keys(p.Rules)) {
		r := p.Rules[name]
		sizes := map[string]any{"track_width_mm": max(r.Width, 0.15),
			"clearance_mm": max(r.Clearance, 0.13), "via_drill_mm": max(r.Drill, 0.3),
			"via_diameter_mm": max(r.Via, max(r.Drill, 0.3)+0.26)}
		if name == "Default" {
			maps.Copy(q, sizes)
		} else if len(ofClass[name]) > 0 {
			sizes["name"] = "kicad_" + notInClassNames.ReplaceAllString(strings.ToLower(name), "_")
			sizes["nets"] = ofClass[name]
			classes = append(classes, sizes)
		}
	}
	q["components"], q["nets"], q["net_classes"] = parts, nets, classes
	body, err := json.Marshal(q)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// edgeConnector matches the footprints of connectors that face out of a board.
var edgeConnector = regexp.MustCompile(
	`(?i)usb|jack|barrel|rj.?45|hdmi|edge|audio|bornier|terminal|screw|sd.?card|micro.?sd|` +
		`d-?sub|db.?9`)

// vertical matches the descriptions of connectors that face up.
var vertical = regexp.MustCompile(`(?i)\((descr|tags) [^\n]*(vertical|straight|droit)`)

// mating returns the mating sides of the connectors that the original has at an edge. Connectors
// far outside the edges show that the file has no complete outline.
func (p *project) mating() map[string]float64 {
	out := map[string]float64{}
	for _, c := range p.Parts {
		if c.Bottom || !edgeConnector.MatchString(c.Footprint) ||
			vertical.MatchString(p.Texts[c.Footprint]) {
			continue
		}
		nearest, gap := 0, math.Inf(1)
		for _, side := range []int{0, 90, 180, 270} {
			if c.Edges[side] < gap {
				nearest, gap = side, c.Edges[side]
			}
		}
		if gap > -15 && gap < 2 {
			out[c.Ref] = math.Mod(float64(nearest)-c.Rotation+720, 360)
		}
	}
	return out
}

// projectRow is one row of the table of projects.
type projectRow struct {
	Project               string
	Refused               string `json:",omitempty"`
	Parts, Layers         int
	Area, HumanArea       float64 // mm²
	Connections, Open     int
	Vias, HumanVias       int
	Wire, HumanWire       float64 // mm
	Violations            int     // by the rule check of the result
	KiCadErrors           int     // violations of KiCad's rule check
	KiCadOpen             int
	Seconds               float64
	Points                map[string][2]int
	Faults, KiCadMessages []string
}

// TestKiCadProjects lays out public projects of KiCad from their netlists and footprints. It prints
// a table with the figures of the original boards, the result of KiCad's own rule check and the
// points of the engineering check. The repository does not contain the files.
func TestKiCadProjects(t *testing.T) {
	if *projects == "" {
		t.Skip("-projects names no folder")
	}
	folder := corpus.Folder(t, *projectResults)
	rows := corpus.Open(t, folder, func(r *projectRow) *string { return &r.Project })
	fmt.Println("project | parts | layers | mm² (file) | open | vias (file) | wire mm (file) | " +
		"violations | KiCad: errors, open | points | s")
	aspects := map[string][2]int{}
	reached, possible := 0, 0
	for _, path := range corpus.Files(t, *projects, corpus.IsKiCadBoard) {
		name, err := filepath.Rel(*projects, strings.TrimSuffix(path, ".kicad_pcb"))
		if err != nil {
			t.Fatal(err)
		}
		r := rows.Row(name, func() projectRow {
			return layOutProject(t, path, filepath.Join(folder, strings.ReplaceAll(name, "/", "_")))
		})
		if r.Refused != "" {
			fmt.Printf("%s | refused: %s\n", name, r.Refused)
			continue
		}
		n, of := 0, 0
		for aspect, p := range r.Points {
			n, of = n+p[0], of+p[1]
			sum := aspects[aspect]
			aspects[aspect] = [2]int{sum[0] + p[0], sum[1] + p[1]}
		}
		reached, possible = reached+n, possible+of
		fmt.Printf("%s | %d | %d | %.0f (%.0f) | %d of %d | %d (%d) | %.0f (%.0f) | %d | %d, %d | "+
			"%d of %d | %.1f\n", name, r.Parts, r.Layers, r.Area, r.HumanArea, r.Open,
			r.Connections, r.Vias, r.HumanVias, r.Wire, r.HumanWire, r.Violations, r.KiCadErrors,
			r.KiCadOpen, n, of, r.Seconds)
		for _, f := range append(r.Faults, r.KiCadMessages...) {
			fmt.Println("   ", f)
		}
	}
	for _, aspect := range slices.Sorted(maps.Keys(aspects)) {
		fmt.Printf("%-16s %3d of %3d\n", aspect, aspects[aspect][0], aspects[aspect][1])
	}
	fmt.Printf("%d of %d points\n", reached, possible)
	if reached*100 < possible*95 {
		t.Errorf("%d of %d points, below 95 %%", reached, possible)
	}
}

// layOutProject lays out the board file at path. It writes the request and the board to files whose
// names begin with to.
func layOutProject(t *testing.T, path, to string) (r projectRow) {
	p, err := readProject(t, path)
	if err != nil {
		r.Refused = err.Error()
		return r
	}
	body := p.request(t)
	if err := os.WriteFile(to+".json", body, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := layoutOf(body)
	if err != nil {
		r.Refused = err.Error()
		return r
	}
	text := out.Files["board.kicad_pcb"]
	if err := os.WriteFile(to+".kicad_pcb", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	got := pcbnew(t, map[string]unjudged{"board": {text, out.Rules.EdgeClearance}})["board"]
	r.KiCadErrors, r.KiCadOpen, _ = got.counts()
	r.KiCadMessages = regexp.MustCompile(`(?m)^\[\w+\]: .*$`).FindAllString(got.Report, -1)
	e, err := newEngineer(body, out)
	if err != nil {
		t.Fatal(err)
	}
	e.mating = p.mating()
	e.check()
	r.Points, r.Faults = e.points, e.findings
	s := &out.Statistics
	r.Parts, r.Layers, r.Area, r.HumanArea = len(p.Parts), out.Board.Layers, out.Board.Area, p.Area
	r.Connections, r.Open = s.Connections, len(out.Unrouted)
	r.Vias, r.HumanVias, r.Wire, r.HumanWire = len(out.Vias), p.Vias, s.Wirelength, p.Wire
	r.Violations, r.Seconds = len(out.DRC.Violations), s.RuntimeMS/1e3
	return r
}
