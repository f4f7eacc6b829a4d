package pcb

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"sort"
	"time"

	"slipstick/autorouter"
	"slipstick/autorouter/board"
	"slipstick/autorouter/drc"
	"slipstick/autorouter/export"
	"slipstick/tools"
)

// PCBLayout makes a board of a netlist.
var PCBLayout = tools.Define(tools.Spec{
	Name:    "pcb_layout",
	Title:   "PCB layout",
	Summary: "Netlist to a placed, routed and rule-checked two-layer board with Gerbers and drill files",
	Method: "Placement by connectivity with simulated annealing on legal places; routing by negotiated congestion on two layers with 45° geometry, rip-up and retry, then shortening; " +
		"ground pour with thermal reliefs; design rules checked on the finished copper, independent of the router",
	Sources: []string{
		"L. McMurchie, C. Ebeling, PathFinder: A Negotiation-Based Performance-Driven Router for FPGAs, FPGA 1995",
		"IPC-7351B (land patterns)", "IPC-2221 (track width and clearance)",
	},
	Limits: []string{
		"Two layers, at most 150 parts, 500 nets and 2000 pads",
		"No length matching, differential pairs or impedance control",
	},
	Aliases: []string{"autorouter", "board layout", "gerber", "place and route", "pcb router"},
	Heavy:   &tools.Heavy{Pool: "board", Timeout: 5 * time.Minute, Anytime: true},
	Examples: []tools.Example{{
		Title: "LED with its resistor on a header",
		In: `{"components": [{"ref": "J1", "footprint": "PinHeader_1x02"}, {"ref": "R1", "footprint": "R_0805", "value": "330"}, {"ref": "D1", "footprint": "LED_0805", "value": "red"}],
			"nets": [{"name": "VCC", "pins": ["J1.1", "R1.1"]}, {"name": "LED", "pins": ["R1.2", "D1.A"]}, {"name": "GND", "pins": ["D1.K", "J1.2"]}]}`,
		Want: `{"status": "complete", "unrouted": [], "drc": {"passed": true, "error_count": 0}, "statistics": {"component_count": 3, "net_count": 3, "completion_pct": 100}}`,
		From: "three parts and three nets that any router joins",
	}},
}, pcbLayout)

type pcbLayoutIn struct {
	autorouter.Request
}

type pcbLayoutOut struct {
	Status     string           `json:"status" enum:"complete,partial" doc:"complete: nothing is unrouted"`
	Seed       int              `json:"seed" unit:"1" doc:"As asked for"`
	Board      boardOut         `json:"board" doc:"The bare board"`
	Placements []placementOut   `json:"placements" doc:"Where the parts stand, with their pads"`
	Tracks     []trackOut       `json:"tracks" doc:"Straight pieces of copper with round ends"`
	Vias       []viaOut         `json:"vias" doc:"Plated holes between the layers"`
	Zones      []zoneOut        `json:"zones" doc:"Poured copper"`
	Holes      []holeOut        `json:"holes" doc:"Holes without plating, of mounting and of parts"`
	Nets       []netOut         `json:"nets" doc:"What became of each net"`
	Unrouted   []unroutedOut    `json:"unrouted" doc:"Joins that are missing"`
	Statistics layoutStatistics `json:"statistics" doc:"The board in figures"`
	DRC        drcOut           `json:"drc" doc:"Design rule check of the finished copper"`
	Rules      rulesOut         `json:"rules" doc:"The effective rules, by the names of the request"`

	Files    map[string]string `json:"files" doc:"Name to text of each file"`
	FileList []fileOut         `json:"file_list" doc:"The files in order"`
	Zip      *string           `json:"zip_base64,omitempty" doc:"All files in one archive, when asked for"`
	tools.Warnings
}

type pointOut struct {
	X float64 `json:"x_mm" unit:"mm" doc:"From the left"`
	Y float64 `json:"y_mm" unit:"mm" doc:"From below"`
}

type boardOut struct {
	Width     float64    `json:"width_mm" unit:"mm" doc:"Of the bounding box"`
	Height    float64    `json:"height_mm" unit:"mm" doc:"Of the bounding box"`
	Area      float64    `json:"area_mm2" unit:"mm²" doc:"Of the outline"`
	Layers    int        `json:"layer_count" unit:"1" doc:"Copper layers"`
	Thickness float64    `json:"thickness_mm" unit:"mm" doc:"Board thickness"`
	Outline   []pointOut `json:"outline" doc:"Counter-clockwise; arcs as chords"`
}

type placementOut struct {
	Ref       string     `json:"ref" doc:"Reference"`
	Value     string     `json:"value" doc:"Value"`
	Footprint string     `json:"footprint" doc:"Canonical name of the land pattern"`
	X         float64    `json:"x_mm" unit:"mm" doc:"Of the footprint's origin"`
	Y         float64    `json:"y_mm" unit:"mm" doc:"Of the footprint's origin"`
	Rotation  float64    `json:"rotation_deg" unit:"°" doc:"Counter-clockwise seen from the top"`
	Side      string     `json:"side" enum:"top,bottom" doc:"Side it stands on"`
	Fixed     bool       `json:"fixed" doc:"Whether the request fixed it"`
	Mount     string     `json:"mount" enum:"smd,tht" doc:"Surface mounted or through hole"`
	Courtyard []pointOut `json:"courtyard" doc:"Room the part needs"`
	Pads      []padOut   `json:"pads" doc:"Its pads on the board"`
}

type padOut struct {
	Pad      string    `json:"pad" doc:"Number"`
	Net      *string   `json:"net" doc:"Net name; null when free"`
	X        float64   `json:"x_mm" unit:"mm" doc:"Centre"`
	Y        float64   `json:"y_mm" unit:"mm" doc:"Centre"`
	Width    float64   `json:"width_mm" unit:"mm" doc:"Before rotation"`
	Height   float64   `json:"height_mm" unit:"mm" doc:"Before rotation"`
	Rotation float64   `json:"rotation_deg" unit:"°" doc:"Total, in the board's frame"`
	Shape    string    `json:"shape" enum:"rect,roundrect,circle,oval" doc:"Form"`
	Layers   []string  `json:"layers" doc:"top, bottom or both"`
	Drill    *float64  `json:"drill_mm" unit:"mm" doc:"Drill; null for a surface land or a slot"`
	Slot     []float64 `json:"slot_mm" unit:"mm" nullable:"true" doc:"Width and height of a slot; null for none"`
	Plated   bool      `json:"plated" doc:"Whether the hole is plated"`
}

type trackOut struct {
	Net   string  `json:"net" doc:"Net"`
	Layer string  `json:"layer" enum:"top,bottom" doc:"Layer"`
	X1    float64 `json:"x1_mm" unit:"mm" doc:"Start"`
	Y1    float64 `json:"y1_mm" unit:"mm" doc:"Start"`
	X2    float64 `json:"x2_mm" unit:"mm" doc:"End"`
	Y2    float64 `json:"y2_mm" unit:"mm" doc:"End"`
	Width float64 `json:"width_mm" unit:"mm" doc:"Width"`
}

type viaOut struct {
	Net      string  `json:"net" doc:"Net"`
	X        float64 `json:"x_mm" unit:"mm" doc:"Centre"`
	Y        float64 `json:"y_mm" unit:"mm" doc:"Centre"`
	Drill    float64 `json:"drill_mm" unit:"mm" doc:"Drill"`
	Diameter float64 `json:"diameter_mm" unit:"mm" doc:"Pad"`
}

type zoneOut struct {
	Net      string       `json:"net" doc:"Net"`
	Layer    string       `json:"layer" enum:"top,bottom" doc:"Layer"`
	Polygons []polygonOut `json:"polygons" doc:"The filled copper"`
}

type polygonOut struct {
	Outline [][]float64   `json:"outline" unit:"mm" doc:"Points [x, y]"`
	Holes   [][][]float64 `json:"holes" unit:"mm" doc:"Holes in it"`
}

type holeOut struct {
	X        float64 `json:"x_mm" unit:"mm" doc:"Centre"`
	Y        float64 `json:"y_mm" unit:"mm" doc:"Centre"`
	Diameter float64 `json:"diameter_mm" unit:"mm" doc:"Diameter"`
}

type netOut struct {
	Name     string  `json:"name" doc:"Name"`
	Class    string  `json:"class" doc:"Net class"`
	PinCount int     `json:"pin_count" unit:"1" doc:"Pins"`
	Routed   bool    `json:"routed" doc:"Whether all its copper is one piece"`
	Length   float64 `json:"length_mm" unit:"mm" doc:"Of its tracks"`
	ViaCount int     `json:"via_count" unit:"1" doc:"Its vias"`
	MST      float64 `json:"mst_mm" unit:"mm" doc:"Euclidean minimum spanning tree of its pads"`
}

type unroutedOut struct {
	Net      string  `json:"net" doc:"Net"`
	From     string  `json:"from" doc:"REF.PAD"`
	To       string  `json:"to" doc:"REF.PAD"`
	Distance float64 `json:"distance_mm" unit:"mm" doc:"Between the pads"`
	Reason   string  `json:"reason" doc:"Why it is open"`
}

type layoutStatistics struct {
	Components   int      `json:"component_count" unit:"1" doc:"Parts"`
	NetCount     int      `json:"net_count" unit:"1" doc:"Nets"`
	PadCount     int      `json:"pad_count" unit:"1" doc:"Pads"`
	Connections  int      `json:"connections_total" unit:"1" doc:"Sum of pins less one over the nets"`
	Routed       int      `json:"connections_routed" unit:"1" doc:"Of these, made"`
	Completion   float64  `json:"completion_pct" unit:"%" doc:"Made of all"`
	TrackCount   int      `json:"track_count" unit:"1" doc:"Tracks"`
	ViaCount     int      `json:"via_count" unit:"1" doc:"Vias"`
	Wirelength   float64  `json:"wirelength_mm" unit:"mm" doc:"Length of all tracks"`
	HPWL         float64  `json:"hpwl_mm" unit:"mm" doc:"Half the perimeters of the nets' bounding boxes"`
	MST          float64  `json:"mst_mm" unit:"mm" doc:"Minimum spanning trees of all nets"`
	LowerBound   float64  `json:"lower_bound_mm" unit:"mm" doc:"√3/2 of the tree for nets of three pins and more, the tree for two"`
	Ratio        float64  `json:"wirelength_ratio" unit:"1" doc:"Track length over tree, of nets with no zone"`
	Utilization  float64  `json:"utilization_pct" unit:"%" doc:"Courtyards over board area"`
	MinClearance *float64 `json:"min_clearance_mm" unit:"mm" doc:"Smallest gap between two nets; null when none meet on a layer"`
	Passes       int      `json:"passes" unit:"1" doc:"Routing passes"`
	TimeLimited  bool     `json:"time_limited" doc:"Whether time_limit_s, its guard by the clock or the caller ended the layout early"`
	PlaceMS      float64  `json:"place_ms" unit:"ms" doc:"Time of placement"`
	RouteMS      float64  `json:"route_ms" unit:"ms" doc:"Time of routing and pour"`
	RuntimeMS    float64  `json:"runtime_ms" unit:"ms" doc:"Time in all"`
}

type drcOut struct {
	Passed       bool           `json:"passed" doc:"No error"`
	ErrorCount   int            `json:"error_count" unit:"1" doc:"Errors"`
	WarningCount int            `json:"warning_count" unit:"1" doc:"Warnings"`
	RulesChecked []string       `json:"rules_checked" doc:"Names of the rules"`
	Violations   []violationOut `json:"violations" doc:"By rule, then place; at most 100 a rule"`
}

type violationOut struct {
	Rule     string   `json:"rule" doc:"Rule"`
	Severity string   `json:"severity" enum:"error,warning" doc:"Errors keep a board from passing"`
	Message  string   `json:"message" doc:"What is wrong"`
	X        float64  `json:"x_mm" unit:"mm" doc:"Where"`
	Y        float64  `json:"y_mm" unit:"mm" doc:"Where"`
	Layer    string   `json:"layer" enum:"top,bottom,both" doc:"Layer"`
	Items    []string `json:"items" doc:"What is involved: U1.3, or net GND"`
	Actual   float64  `json:"actual_mm" unit:"mm" doc:"Measured; 0 where the rule has no measure"`
	Required float64  `json:"required_mm" unit:"mm" doc:"Wanted"`
}

type rulesOut struct {
	TrackWidth      float64 `json:"track_width_mm" unit:"mm" doc:"Track width of class default"`
	Clearance       float64 `json:"clearance_mm" unit:"mm" doc:"Clearance of class default"`
	ViaDrill        float64 `json:"via_drill_mm" unit:"mm" doc:"Via drill of class default"`
	ViaDiameter     float64 `json:"via_diameter_mm" unit:"mm" doc:"Via pad of class default"`
	PowerTrackWidth float64 `json:"power_track_width_mm" unit:"mm" doc:"Track width of class power"`
	NeckLength      float64 `json:"neck_length_mm" unit:"mm" doc:"Where wide tracks may narrow"`
	EdgeClearance   float64 `json:"edge_clearance_mm" unit:"mm" doc:"Copper to board edge"`
	HoleClearance   float64 `json:"hole_clearance_mm" unit:"mm" doc:"Hole wall to foreign copper"`
	HoleToHole      float64 `json:"hole_to_hole_mm" unit:"mm" doc:"Hole wall to hole wall"`
	MaskExpansion   float64 `json:"mask_expansion_mm" unit:"mm" doc:"Growth of mask openings"`
	MaskWeb         float64 `json:"mask_web_mm" unit:"mm" doc:"Smallest web of mask"`
	PourClearance   float64 `json:"pour_clearance_mm" unit:"mm" doc:"Pour to foreign copper"`
	FabProfile      string  `json:"fab_profile" doc:"Whose minimums held"`
}

type fileOut struct {
	Name   string `json:"name" doc:"File name"`
	Role   string `json:"role" doc:"What it is for"`
	Bytes  int    `json:"bytes" unit:"B" doc:"Length"`
	SHA256 string `json:"sha256" doc:"Hash of the content, hexadecimal"`
}

func pcbLayout(ctx context.Context, in pcbLayoutIn) (pcbLayoutOut, error) {
	var out pcbLayoutOut
	last := -1
	r, err := autorouter.LayoutUntil(ctx, &in.Request, tools.Enough(ctx), func(phase string, done, _ float64) {
		if percent := int(100 * done); percent != last {
			last = percent
			tools.Report(ctx, tools.Progress{Phase: phase, Percent: 100 * done})
		}
	})
	if err != nil {
		return out, layoutFault(err)
	}
	out.Status, out.Seed = "complete", in.Seed
	if len(r.DRC.Unrouted) > 0 {
		out.Status = "partial"
	}
	for _, w := range r.Warnings {
		out.Warn("%s", w)
	}
	out.copper(r.Board)
	out.report(r)
	out.rules(&r.Board.Rules, in.FabProfile)
	return out, out.files(r.Files, in.Zip)
}

func (out *pcbLayoutOut) rules(r *board.Rules, profile string) {
	c := r.Classes[0]
	out.Rules = rulesOut{
		TrackWidth: mm(c.TrackWidth), Clearance: mm(c.Clearance), ViaDrill: mm(c.ViaDrill), ViaDiameter: mm(c.ViaDiameter),
		PowerTrackWidth: mm(r.Classes[1].TrackWidth), NeckLength: mm(r.NeckLength), EdgeClearance: mm(r.EdgeClearance), HoleClearance: mm(r.HoleClearance),
		HoleToHole: mm(r.HoleToHole), MaskExpansion: mm(r.MaskExpansion), MaskWeb: mm(r.MaskWeb), PourClearance: mm(r.PourClearance), FabProfile: profile,
	}
}

func (out *pcbLayoutOut) files(files []export.File, zipped bool) error {
	out.Files = map[string]string{}
	for _, f := range files {
		sum := sha256.Sum256([]byte(f.Content))
		out.Files[f.Name] = f.Content
		out.FileList = append(out.FileList, fileOut{f.Name, f.Role, len(f.Content), hex.EncodeToString(sum[:])})
	}
	if !zipped {
		return nil
	}
	archive, err := export.Zip(files)
	if err != nil {
		return err
	}
	text := base64.StdEncoding.EncodeToString(archive)
	out.Zip = &text
	return nil
}

func layoutFault(err error) error {
	var faults autorouter.Faults
	if !errors.As(err, &faults) {
		return err
	}
	var f tools.Faults
	for _, x := range faults {
		f.AddLine(x.Path, x.Line, "%s", x.Detail)
	}
	return f.Err()
}

// copper writes the board.
func (out *pcbLayoutOut) copper(b *board.Board) {
	bounds := b.Outline.Bounds()
	out.Board = boardOut{Width: mm(bounds.Width()), Height: mm(bounds.Height()), Layers: 2, Thickness: 1.6, Outline: points(b.Outline)}
	name := func(net int) string {
		if net == board.NoNet {
			return ""
		}
		return b.Nets[net].Name
	}
	for _, h := range b.Holes {
		out.Holes = append(out.Holes, holeOut{mm(h.At.X), mm(h.At.Y), mm(h.Diameter)})
	}
	for i := range b.Parts {
		p := &b.Parts[i]
		one := placementOut{
			Ref: p.Ref, Value: p.Value, Footprint: p.Footprint.Name, X: mm(p.At.X), Y: mm(p.At.Y), Rotation: p.Rotation, Side: p.Side.String(), Fixed: p.Fixed,
			Mount: "smd", Courtyard: points(board.CourtyardOf(p)),
		}
		if p.Footprint.Tht {
			one.Mount = "tht"
		}
		for _, pad := range p.Pads {
			if pad.Drill > 0 && !pad.Plated { // pins that only hold the part
				out.Holes = append(out.Holes, holeOut{mm(pad.At.X), mm(pad.At.Y), mm(pad.Drill)})
				continue
			}
			one.Pads = append(one.Pads, padOf(pad, name))
		}
		out.Placements = append(out.Placements, one)
	}
	for _, t := range b.Tracks {
		out.Tracks = append(out.Tracks, trackOut{name(t.Net), t.Layer.String(), mm(t.A.X), mm(t.A.Y), mm(t.B.X), mm(t.B.Y), mm(t.Width)})
	}
	for _, v := range b.Vias {
		out.Vias = append(out.Vias, viaOut{name(v.Net), mm(v.At.X), mm(v.At.Y), mm(v.Drill), mm(v.Diameter)})
	}
	for _, z := range b.Zones {
		one := zoneOut{Net: name(z.Net), Layer: z.Layer.String()}
		for _, piece := range z.Pieces {
			p := polygonOut{Outline: pairs(piece.Outline)}
			for _, h := range piece.Holes {
				p.Holes = append(p.Holes, pairs(h))
			}
			one.Polygons = append(one.Polygons, p)
		}
		out.Zones = append(out.Zones, one)
	}
}

func padOf(p board.Pad, name func(int) string) padOut {
	one := padOut{
		Pad: p.Number, X: mm(p.At.X), Y: mm(p.At.Y), Width: mm(p.Width), Height: mm(p.Height), Rotation: p.Rotation, Shape: p.Shape.String(), Plated: p.Plated,
	}
	if p.Net != board.NoNet {
		n := name(p.Net)
		one.Net = &n
	}
	if p.OnTop {
		one.Layers = append(one.Layers, "top")
	}
	if p.OnBot {
		one.Layers = append(one.Layers, "bottom")
	}
	if p.Drill > 0 {
		d := mm(p.Drill)
		one.Drill = &d
	}
	if p.SlotW > 0 {
		one.Slot = []float64{mm(p.SlotW), mm(p.SlotH)}
	}
	return one
}

// report writes what is known about the board.
func (out *pcbLayoutOut) report(r *autorouter.Result) {
	f := r.Figures
	out.Board.Area = f.BoardAreaMM2
	out.Statistics = layoutStatistics{
		Components: f.ComponentCount, NetCount: f.NetCount, PadCount: f.PadCount, Connections: f.ConnectionsTotal, Routed: f.ConnectionsRouted, Completion: f.CompletionPct,
		TrackCount: f.TrackCount, ViaCount: f.ViaCount, Wirelength: f.WirelengthMM, HPWL: f.HPWLMM, MST: f.MSTMM, LowerBound: f.LowerBoundMM, Ratio: f.WirelengthRatio,
		Utilization: f.UtilizationPct, MinClearance: f.MinClearanceMM, Passes: r.Passes, TimeLimited: r.TimeLimited,
		PlaceMS: milliseconds(r.PlaceTime), RouteMS: milliseconds(r.RouteTime), RuntimeMS: milliseconds(r.Runtime),
	}
	for _, n := range f.Nets {
		out.Nets = append(out.Nets, netOut{n.Name, n.Class, n.PinCount, n.Routed, n.LengthMM, n.ViaCount, n.MSTMM})
	}
	for _, u := range r.DRC.Unrouted {
		reason := r.Reasons[u.Net]
		if reason == "" {
			reason = "its copper is in separate pieces"
		}
		out.Unrouted = append(out.Unrouted, unroutedOut{r.Board.Nets[u.Net].Name, u.From, u.To, u.Distance / 1e6, reason})
	}
	out.DRC = drcOut{Passed: r.DRC.Passed, ErrorCount: r.DRC.ErrorCount, WarningCount: r.DRC.WarningCount, RulesChecked: r.DRC.RulesChecked}
	for _, v := range r.DRC.Violations {
		out.DRC.Violations = append(out.DRC.Violations, violationOf(v))
	}
	var rules []string
	for rule := range r.DRC.Omitted {
		rules = append(rules, rule)
	}
	sort.Strings(rules)
	for _, rule := range rules {
		out.Warn("%d more violations of rule %s are counted but not listed", r.DRC.Omitted[rule], rule)
	}
}

func violationOf(v drc.Violation) violationOut {
	return violationOut{v.Rule, string(v.Severity), v.Message, v.X, v.Y, v.Layer, v.Items, v.ActualMM, v.RequiredMM}
}

func mm(nm int64) float64 { return board.ToMM(nm) }

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func points(g board.Polygon) []pointOut {
	var out []pointOut
	for _, p := range g {
		out = append(out, pointOut{mm(p.X), mm(p.Y)})
	}
	return out
}

func pairs(g board.Polygon) [][]float64 {
	var out [][]float64
	for _, p := range g {
		out = append(out, []float64{mm(p.X), mm(p.Y)})
	}
	return out
}
