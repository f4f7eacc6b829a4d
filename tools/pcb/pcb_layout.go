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
	"slipstick/autorouter/electrical"
	"slipstick/autorouter/export"
	"slipstick/tools"
)

// PCBLayout places and routes a board from a netlist.
var PCBLayout = tools.Define(tools.Spec{
	Name:    "pcb_layout",
	Title:   "PCB layout",
	Summary: "Netlist to a placed, routed and rule-checked board of two or four layers with Gerbers and drill files",
	Method: "Placement by connectivity with simulated annealing on legal places. Routing by " +
		"negotiated congestion on two or four layers with 45° geometry, rip-up and retry, then " +
		"shortening. Ground pour and planes with thermal reliefs. Design rules are checked on " +
		"the finished copper, independent of the router",
	Sources: []string{
		"L. McMurchie, C. Ebeling, PathFinder: A Negotiation-Based Performance-Driven Router for FPGAs, FPGA 1995",
		"IPC-7351B (land patterns)", "IPC-2221 (track width and clearance)",
	},
	Limits: []string{
		"Two or four layers, through vias alone; at most 150 parts, 500 nets and 2000 pads",
		"No impedance control; the length of a pair is not matched to other nets",
	},
	Aliases: []string{"autorouter", "board layout", "gerber", "place and route", "pcb router"},
	Heavy:   &tools.Heavy{Pool: "board", Timeout: 5 * time.Minute, SupportsEarlyStop: true},
	Unsupported: map[string]string{
		"cutouts":       noCutouts,
		"slots":         noCutouts,
		"impedance_ohm": "tracks have the widths of their net classes, whatever their impedance",
		"blind_vias":    "every via connects all layers",
		"buried_vias":   "every via connects all layers",
	},
	Examples: []tools.Example{{
		Title: "LED with its resistor on a header",
		In: `{"components": [{"ref": "J1", "footprint": "PinHeader_1x02"}, {"ref": "R1", "footprint": "R_0805", "value": "330"}, {"ref": "D1", "footprint": "LED_0805", "value": "red"}],
			"nets": [{"name": "VCC", "pins": ["J1.1", "R1.1"]}, {"name": "LED", "pins": ["R1.2", "D1.A"]}, {"name": "GND", "pins": ["D1.K", "J1.2"]}]}`,
		Want: `{"status": "complete", "unrouted": [], "drc": {"passed": true, "error_count": 0}, "statistics": {"component_count": 3, "net_count": 3, "completion_pct": 100}}`,
		From: "three parts and three nets that any router joins",
	}, {
		Title: "LED driver with a MOSFET, from its SPICE netlist",
		In:    `{"netlist": "LED driver with a logic-level MOSFET\nV1 vcc 0 12\nV2 pwm 0 5\nR1 vcc a 470\nD1 a d LED\nM1 d g 0 0 SW\nR2 pwm g 100\nR3 g 0 100k\n.model LED D\n.model SW NMOS\n.end"}`,
		Want:  `{"status": "complete", "unrouted": [], "drc": {"passed": true, "error_count": 0}, "statistics": {"component_count": 7, "net_count": 6, "connections_total": 9, "completion_pct": 100}}`,
		From:  "by hand: V1 and V2 are headers; 15 pads on 6 nets have 9 connections",
	}, {
		Title: "LED flasher with a 555, 1 Hz",
		In: `{"components": [{"ref": "J1", "footprint": "PinHeader_1x02"}, {"ref": "U1", "footprint": "SOIC-8", "value": "NE555"}, {"ref": "R1", "footprint": "R_0805", "value": "10k"}, {"ref": "R2", "footprint": "R_0805", "value": "68k"}, {"ref": "R3", "footprint": "R_0805", "value": "470"}, {"ref": "C1", "footprint": "C_0805", "value": "10u"}, {"ref": "C2", "footprint": "C_0805", "value": "10n"}, {"ref": "D1", "footprint": "LED_0805"}],
			"nets": [{"name": "VCC", "pins": ["J1.1", "U1.8", "U1.4", "R1.1"]}, {"name": "GND", "pins": ["J1.2", "U1.1", "C1.2", "C2.2", "D1.K"]}, {"name": "DIS", "pins": ["U1.7", "R1.2", "R2.1"]}, {"name": "THR", "pins": ["U1.6", "U1.2", "R2.2", "C1.1"]}, {"name": "CTRL", "pins": ["U1.5", "C2.1"]}, {"name": "OUT", "pins": ["U1.3", "R3.1"]}, {"name": "LED", "pins": ["R3.2", "D1.A"]}]}`,
		Want: `{"status": "complete", "unrouted": [], "drc": {"passed": true, "error_count": 0}, "statistics": {"component_count": 8, "net_count": 7, "connections_total": 15, "completion_pct": 100}}`,
		From: "by hand: 22 pads on 7 nets have 15 connections; 1.44/((10 kΩ + 2 · 68 kΩ) · 10 µF) is 1 Hz",
	}},
}, pcbLayout)

const noCutouts = "the board is made without inner cutouts; mounting_holes drills round holes, " +
	"and keepouts keeps an area free for a cutout to be added in the files"

type pcbLayoutIn struct {
	autorouter.Request
}

type pcbLayoutOut struct {
	Status     string           `json:"status" enum:"complete,partial" label:"Status" doc:"complete: nothing is unrouted"`
	Seed       int              `json:"seed" unit:"1" label:"Random seed" doc:"Seed as requested"`
	Board      boardOut         `json:"board" label:"Board" doc:"The bare board"`
	Placements []placementOut   `json:"placements" label:"Placements" doc:"Positions of the components, with their pads"`
	Tracks     []trackOut       `json:"tracks" label:"Tracks" doc:"Straight track segments with round ends"`
	Vias       []viaOut         `json:"vias" label:"Vias" doc:"Plated holes between the layers"`
	Zones      []zoneOut        `json:"zones" label:"Zones" doc:"Filled copper zones"`
	Holes      []holeOut        `json:"holes" label:"Holes" doc:"Non-plated holes of mounting and of components"`
	Nets       []netOut         `json:"nets" label:"Nets" doc:"Routing result of each net"`
	Unrouted   []unroutedOut    `json:"unrouted" label:"Missing connections" doc:"Missing connections"`
	Pairs      []pairOut        `json:"pairs" label:"Differential pairs" doc:"Differential pairs as routed"`
	Lengths    []lengthGroupOut `json:"length_groups" label:"Length groups" doc:"Length groups as routed"`
	Statistics layoutStatistics `json:"statistics" label:"Statistics" doc:"Statistics of board and routing"`
	DRC        drcOut           `json:"drc" label:"Design rule check" doc:"Design rule check of the finished copper"`
	Rules      rulesOut         `json:"rules" label:"Design rules" doc:"The effective rules, by the names of the request"`

	Files    map[string]string `json:"files" label:"Files" doc:"File name to text of the file"`
	FileList []fileOut         `json:"file_list" label:"File list" doc:"The files in order"`
	Zip      *string           `json:"zip_base64,omitempty" label:"ZIP archive (Base64)" doc:"ZIP archive of all files, on request"`
	tools.Warnings
}

type pointOut struct {
	X float64 `json:"x_mm" unit:"mm" label:"X" doc:"Position from the left edge"`
	Y float64 `json:"y_mm" unit:"mm" label:"Y" doc:"Position from the lower edge"`
}

type boardOut struct {
	Width     float64    `json:"width_mm" unit:"mm" label:"Width" doc:"Width of the bounding box"`
	Height    float64    `json:"height_mm" unit:"mm" label:"Height" doc:"Height of the bounding box"`
	Area      float64    `json:"area_mm2" unit:"mm²" label:"Area" doc:"Area of the outline"`
	Layers    int        `json:"layer_count" unit:"1" label:"Copper layers" doc:"Copper layers"`
	Thickness float64    `json:"thickness_mm" unit:"mm" label:"Board thickness" doc:"Board thickness"`
	Outline   []pointOut `json:"outline" label:"Outline" doc:"Board outline, counter-clockwise; arcs as chords"`
}

type placementOut struct {
	Ref       string     `json:"ref" label:"Reference" doc:"Reference"`
	Value     string     `json:"value" label:"Value" doc:"Value"`
	Footprint string     `json:"footprint" label:"Footprint" doc:"Canonical name of the land pattern"`
	X         float64    `json:"x_mm" unit:"mm" label:"X" doc:"X of the footprint origin"`
	Y         float64    `json:"y_mm" unit:"mm" label:"Y" doc:"Y of the footprint origin"`
	Rotation  float64    `json:"rotation_deg" unit:"°" label:"Rotation" doc:"Counter-clockwise seen from the top"`
	Side      string     `json:"side" enum:"top,bottom" label:"Side" doc:"Board side of the component"`
	Fixed     bool       `json:"fixed" label:"Fixed" doc:"The position was fixed by the request"`
	Mount     string     `json:"mount" enum:"smd,tht" label:"Mounting" doc:"Surface mount or through hole"`
	Courtyard []pointOut `json:"courtyard" label:"Courtyard" doc:"Courtyard of the component"`
	Pads      []padOut   `json:"pads" label:"Pads" doc:"Pads of the component on the board"`
}

type padOut struct {
	Pad      string    `json:"pad" label:"Pad" doc:"Pad number"`
	Net      *string   `json:"net" label:"Net" doc:"Net name; null for an unconnected pad"`
	X        float64   `json:"x_mm" unit:"mm" label:"X" doc:"X of the center"`
	Y        float64   `json:"y_mm" unit:"mm" label:"Y" doc:"Y of the center"`
	Width    float64   `json:"width_mm" unit:"mm" label:"Width" doc:"Width before rotation"`
	Height   float64   `json:"height_mm" unit:"mm" label:"Height" doc:"Height before rotation"`
	Rotation float64   `json:"rotation_deg" unit:"°" label:"Rotation" doc:"Total rotation, relative to the board"`
	Shape    string    `json:"shape" enum:"rect,roundrect,circle,oval,polygon" label:"Shape" doc:"Pad shape"`
	Layers   []string  `json:"layers" label:"Layers" doc:"Copper layers of the pad"`
	Drill    *float64  `json:"drill_mm" unit:"mm" label:"Drill" doc:"Drill; null for an SMD pad or a slot"`
	Slot     []float64 `json:"slot_mm" unit:"mm" nullable:"true" label:"Slot" doc:"Width and height of a slot; null for none"`
	Plated   bool      `json:"plated" label:"Plated" doc:"The hole is plated"`

	Outline [][]float64 `json:"outline,omitempty" unit:"mm" label:"Outline" doc:"Points [x, y] of the copper on the board; only for polygon pads, pads offset from their hole and pads with a special corner radius"`
}

type trackOut struct {
	Net   string  `json:"net" label:"Net" doc:"Net"`
	Layer string  `json:"layer" enum:"top,bottom,in1,in2" label:"Layer" doc:"Layer"`
	X1    float64 `json:"x1_mm" unit:"mm" label:"Start X" doc:"X of the start"`
	Y1    float64 `json:"y1_mm" unit:"mm" label:"Start Y" doc:"Y of the start"`
	X2    float64 `json:"x2_mm" unit:"mm" label:"End X" doc:"X of the end"`
	Y2    float64 `json:"y2_mm" unit:"mm" label:"End Y" doc:"Y of the end"`
	Width float64 `json:"width_mm" unit:"mm" label:"Width" doc:"Width"`
}

type viaOut struct {
	Net      string  `json:"net" label:"Net" doc:"Net"`
	X        float64 `json:"x_mm" unit:"mm" label:"X" doc:"X of the center"`
	Y        float64 `json:"y_mm" unit:"mm" label:"Y" doc:"Y of the center"`
	Drill    float64 `json:"drill_mm" unit:"mm" label:"Drill" doc:"Drill diameter"`
	Diameter float64 `json:"diameter_mm" unit:"mm" label:"Pad diameter" doc:"Pad diameter"`
}

type zoneOut struct {
	Net      string       `json:"net" label:"Net" doc:"Net"`
	Layer    string       `json:"layer" enum:"top,bottom,in1,in2" label:"Layer" doc:"Layer"`
	Polygons []polygonOut `json:"polygons" label:"Polygons" doc:"Filled copper areas"`
}

type polygonOut struct {
	Outline [][]float64   `json:"outline" unit:"mm" label:"Outline" doc:"Points [x, y] of the boundary"`
	Holes   [][][]float64 `json:"holes" unit:"mm" label:"Holes" doc:"Holes in the polygon, points [x, y]"`
}

type holeOut struct {
	X        float64 `json:"x_mm" unit:"mm" label:"X" doc:"X of the center"`
	Y        float64 `json:"y_mm" unit:"mm" label:"Y" doc:"Y of the center"`
	Diameter float64 `json:"diameter_mm" unit:"mm" label:"Diameter" doc:"Diameter"`
}

type netOut struct {
	Name     string  `json:"name" label:"Net" doc:"Net name"`
	Class    string  `json:"class" label:"Net class" doc:"Net class"`
	PinCount int     `json:"pin_count" unit:"1" label:"Pins" doc:"Number of pins"`
	Routed   bool    `json:"routed" label:"Routed" doc:"All pins of the net are connected"`
	Length   float64 `json:"length_mm" unit:"mm" label:"Track length" doc:"Length of the tracks"`
	ViaCount int     `json:"via_count" unit:"1" label:"Vias" doc:"Number of vias"`
	MST      float64 `json:"mst_mm" unit:"mm" label:"Minimum spanning tree" doc:"Length of the Euclidean minimum spanning tree of the pads"`
}

type unroutedOut struct {
	Net      string  `json:"net" label:"Net" doc:"Net"`
	From     string  `json:"from" label:"From" doc:"Pad as REF.PAD"`
	To       string  `json:"to" label:"To" doc:"Pad as REF.PAD"`
	Distance float64 `json:"distance_mm" unit:"mm" label:"Distance" doc:"Distance between the pads"`
	Reason   string  `json:"reason" label:"Reason" doc:"Cause of the missing connection"`
}

type pairOut struct {
	Positive string  `json:"positive" label:"Positive net" doc:"Positive net"`
	Negative string  `json:"negative" label:"Negative net" doc:"Negative net"`
	Mismatch float64 `json:"mismatch_mm" unit:"mm" label:"Length mismatch" doc:"Difference of the track lengths from end to end"`
	Coupled  float64 `json:"coupled_pct" unit:"%" label:"Coupled" doc:"Share of the track length within 1 mm of the other net"`
}

type lengthGroupOut struct {
	Nets      []string  `json:"nets" label:"Nets" doc:"Nets"`
	Lengths   []float64 `json:"lengths_mm" unit:"mm" label:"Lengths" doc:"Length of the tracks and vias of each net"`
	Spread    float64   `json:"spread_mm" unit:"mm" label:"Spread" doc:"Largest difference of two lengths"`
	Tolerance float64   `json:"tolerance_mm" unit:"mm" label:"Tolerance" doc:"Spread that the request allows"`
}

type layoutStatistics struct {
	Components   int      `json:"component_count" unit:"1" label:"Components" doc:"Number of components"`
	NetCount     int      `json:"net_count" unit:"1" label:"Nets" doc:"Number of nets"`
	PadCount     int      `json:"pad_count" unit:"1" label:"Pads" doc:"Number of pads"`
	Connections  int      `json:"connections_total" unit:"1" label:"Connections" doc:"Connections to route: pins minus one, summed over the nets"`
	Routed       int      `json:"connections_routed" unit:"1" label:"Routed connections" doc:"Routed connections"`
	Completion   float64  `json:"completion_pct" unit:"%" label:"Completion" doc:"Routed share of all connections"`
	TrackCount   int      `json:"track_count" unit:"1" label:"Tracks" doc:"Number of track segments"`
	ViaCount     int      `json:"via_count" unit:"1" label:"Vias" doc:"Number of vias"`
	ArrayVias    int      `json:"array_via_count" unit:"1" label:"Parallel vias" doc:"Parallel vias added for current_a"`
	ThermalVias  int      `json:"thermal_via_count" unit:"1" label:"Thermal vias" doc:"Vias added in thermal pads"`
	BypassVias   int      `json:"bypass_via_count" unit:"1" label:"Bypass vias" doc:"Vias added at bypass capacitors"`
	Stitching    int      `json:"stitching_via_count" unit:"1" label:"Stitching vias" doc:"Vias added between pours of one net"`
	Wirelength   float64  `json:"wirelength_mm" unit:"mm" label:"Track length" doc:"Length of all tracks"`
	HPWL         float64  `json:"hpwl_mm" unit:"mm" label:"Half-perimeter wirelength" doc:"Sum of the half perimeters of the nets' bounding boxes"`
	MST          float64  `json:"mst_mm" unit:"mm" label:"Minimum spanning trees" doc:"Length of the minimum spanning trees of all nets"`
	LowerBound   float64  `json:"lower_bound_mm" unit:"mm" label:"Wirelength lower bound" doc:"Lower bound of the track length: √3/2 of the spanning tree, or the tree itself for nets of two pins"`
	Ratio        float64  `json:"wirelength_ratio" unit:"1" label:"Wirelength ratio" doc:"Track length divided by spanning tree length, for nets without a zone"`
	Utilization  float64  `json:"utilization_pct" unit:"%" label:"Board utilization" doc:"Courtyard area divided by board area"`
	MinClearance *float64 `json:"min_clearance_mm" unit:"mm" label:"Minimum clearance" doc:"Smallest clearance between two nets; null when no two share a layer"`
	Passes       int      `json:"passes" unit:"1" label:"Routing passes" doc:"Routing passes"`
	TimeLimited  bool     `json:"time_limited" label:"Time limit reached" doc:"The layout ended early: by time_limit_s, by its wall-clock limit or by the caller"`
	PlaceMS      float64  `json:"place_ms" unit:"ms" label:"Placement time" doc:"Time of placement"`
	RouteMS      float64  `json:"route_ms" unit:"ms" label:"Routing time" doc:"Time of routing and pour"`
	RuntimeMS    float64  `json:"runtime_ms" unit:"ms" label:"Run time" doc:"Total time"`
}

type drcOut struct {
	Passed       bool           `json:"passed" label:"Passed" doc:"The board has no errors"`
	ErrorCount   int            `json:"error_count" unit:"1" label:"Errors" doc:"Number of errors"`
	WarningCount int            `json:"warning_count" unit:"1" label:"Warnings" doc:"Number of warnings"`
	RulesChecked []string       `json:"rules_checked" label:"Rules checked" doc:"Names of the rules"`
	Violations   []violationOut `json:"violations" label:"Violations" doc:"Violations by rule, then position; at most 100 per rule"`
}

type violationOut struct {
	Rule     string   `json:"rule" label:"Rule" doc:"Rule"`
	Severity string   `json:"severity" enum:"error,warning" label:"Severity" doc:"error: the board does not pass; warning: it passes"`
	Message  string   `json:"message" label:"Message" doc:"Description of the violation"`
	X        float64  `json:"x_mm" unit:"mm" label:"X" doc:"X of the violation"`
	Y        float64  `json:"y_mm" unit:"mm" label:"Y" doc:"Y of the violation"`
	Layer    string   `json:"layer" enum:"top,bottom,both,in1,in2" label:"Layer" doc:"Layer; both: more than one layer"`
	Items    []string `json:"items" label:"Items" doc:"Items involved: U1.3, or net GND"`
	Actual   float64  `json:"actual_mm" unit:"mm" label:"Actual" doc:"Measured value; 0 where the rule has no measure"`
	Required float64  `json:"required_mm" unit:"mm" label:"Required" doc:"Required value"`
}

type rulesOut struct {
	TrackWidth      float64 `json:"track_width_mm" unit:"mm" label:"Track width" doc:"Track width of class default"`
	Clearance       float64 `json:"clearance_mm" unit:"mm" label:"Clearance" doc:"Clearance of class default"`
	ViaDrill        float64 `json:"via_drill_mm" unit:"mm" label:"Via drill" doc:"Via drill of class default"`
	ViaDiameter     float64 `json:"via_diameter_mm" unit:"mm" label:"Via diameter" doc:"Via pad diameter of class default"`
	PowerTrackWidth float64 `json:"power_track_width_mm" unit:"mm" label:"Power track width" doc:"Track width of class power"`
	NeckLength      float64 `json:"neck_length_mm" unit:"mm" label:"Neck-down length" doc:"Distance from a pad within which wide tracks may narrow"`
	EdgeClearance   float64 `json:"edge_clearance_mm" unit:"mm" label:"Edge clearance" doc:"Clearance from copper to board edge"`
	HoleClearance   float64 `json:"hole_clearance_mm" unit:"mm" label:"Hole clearance" doc:"Clearance from a hole wall to copper of other nets"`
	HoleToHole      float64 `json:"hole_to_hole_mm" unit:"mm" label:"Hole-to-hole distance" doc:"Distance between hole walls"`
	MaskExpansion   float64 `json:"mask_expansion_mm" unit:"mm" label:"Solder mask expansion" doc:"Expansion of the mask openings"`
	MaskWeb         float64 `json:"mask_web_mm" unit:"mm" label:"Solder mask minimum web" doc:"Minimum width of a mask web"`
	PourClearance   float64 `json:"pour_clearance_mm" unit:"mm" label:"Pour clearance" doc:"Clearance from pour to copper of other nets"`
	FabProfile      string  `json:"fab_profile" label:"Fab" doc:"Board manufacturer whose minimum rules were applied"`
}

type fileOut struct {
	Name   string `json:"name" label:"File" doc:"File name"`
	Role   string `json:"role" label:"Role" doc:"Purpose of the file"`
	Bytes  int    `json:"bytes" unit:"B" label:"Size" doc:"Size"`
	SHA256 string `json:"sha256" label:"SHA-256" doc:"SHA-256 of the content, hexadecimal"`
}

func pcbLayout(ctx context.Context, in pcbLayoutIn) (pcbLayoutOut, error) {
	var out pcbLayoutOut
	last := -1
	r, err := autorouter.LayoutUntil(ctx, &in.Request, tools.StopSignal(ctx), tools.Cores(ctx),
		func(phase string, done, _ float64) {
			if percent := int(100 * done); percent != last {
				last = percent
				tools.Report(ctx, tools.Progress{Phase: phase, Percent: 100 * done})
			}
		})
	if err != nil {
		return out, layoutError(err)
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
		TrackWidth: mm(c.TrackWidth),
		Clearance:  mm(c.Clearance), ViaDrill: mm(c.ViaDrill), ViaDiameter: mm(c.ViaDiameter),
		PowerTrackWidth: mm(r.Classes[1].TrackWidth),
		NeckLength:      mm(r.NeckLength), EdgeClearance: mm(r.EdgeClearance),
		HoleClearance: mm(r.HoleClearance),
		HoleToHole:    mm(r.HoleToHole),
		MaskExpansion: mm(r.MaskExpansion), MaskWeb: mm(r.MaskWeb),
		PourClearance: mm(r.PourClearance),
		FabProfile:    profile,
	}
}

func (out *pcbLayoutOut) files(files []export.File, zipped bool) error {
	if zipped {
		files = append(files, export.Readme(files))
	}
	out.Files = map[string]string{}
	for _, f := range files {
		sum := sha256.Sum256([]byte(f.Content))
		out.Files[f.Name] = f.Content
		out.FileList = append(out.FileList,
			fileOut{f.Name, f.Role, len(f.Content), hex.EncodeToString(sum[:])})
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

func layoutError(err error) error {
	var invalid autorouter.InvalidFields
	if !errors.As(err, &invalid) {
		return err
	}
	var f tools.FieldErrors
	for _, x := range invalid {
		f.AddLine(x.Path, x.Line, "%s", x.Detail)
	}
	return f.Err()
}

// copper sets the copper of the board in the result.
func (out *pcbLayoutOut) copper(b *board.Board) {
	bounds, copper := b.Outline.Bounds(), b.Copper()
	out.Board = boardOut{
		Width: mm(bounds.Width()), Height: mm(bounds.Height()), Layers: len(copper),
		Thickness: board.ToMM(board.Thickness),
		Outline:   points(b.Outline),
	}
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
			Ref: p.Ref, Value: p.Value, Footprint: p.Footprint.Name, X: mm(p.At.X), Y: mm(p.At.Y),
			Rotation: p.Rotation, Side: p.Side.String(), Fixed: p.Fixed, Mount: "smd",
			Courtyard: points(board.CourtyardOf(p)),
		}
		if p.Footprint.Tht {
			one.Mount = "tht"
		}
		for _, pad := range p.Pads {
			if pad.Drill > 0 && !pad.Plated { // unplated mounting pins
				out.Holes = append(out.Holes, holeOut{mm(pad.At.X), mm(pad.At.Y), mm(pad.Drill)})
				continue
			}
			one.Pads = append(one.Pads, padOf(pad, copper, name))
		}
		out.Placements = append(out.Placements, one)
	}
	for _, t := range b.Tracks {
		out.Tracks = append(
			out.Tracks,
			trackOut{
				name(t.Net), copper.Name(t.Layer), mm(t.A.X), mm(t.A.Y), mm(t.B.X), mm(t.B.Y),
				mm(t.Width),
			},
		)
	}
	for _, v := range b.Vias {
		out.Vias = append(out.Vias,
			viaOut{name(v.Net), mm(v.At.X), mm(v.At.Y), mm(v.Drill), mm(v.Diameter)})
	}
	for _, z := range b.Zones {
		one := zoneOut{Net: name(z.Net), Layer: copper.Name(z.Layer)}
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

func padOf(p board.Pad, copper board.Stackup, name func(int) string) padOut {
	one := padOut{
		Pad: p.Number, X: mm(p.At.X), Y: mm(p.At.Y), Width: mm(p.Width), Height: mm(p.Height),
		Rotation: p.Rotation, Shape: p.Shape.String(), Plated: p.Plated,
	}
	if p.Net != board.NoNet {
		n := name(p.Net)
		one.Net = &n
	}
	if p.Shape == board.Convex || p.Offset != (board.Point{}) || p.Radius != 0 {
		one.Outline = pairs(export.PadContour(&p))
	}
	one.Layers = copper.Names(p.Layers)
	if p.Drill > 0 {
		d := mm(p.Drill)
		one.Drill = &d
	}
	if p.SlotW > 0 {
		one.Slot = []float64{mm(p.SlotW), mm(p.SlotH)}
	}
	return one
}

// report sets the report of the board in the result.
func (out *pcbLayoutOut) report(r *autorouter.Result) {
	f := r.Figures
	out.Board.Area = f.BoardAreaMM2
	out.Statistics = layoutStatistics{
		Components: f.ComponentCount, NetCount: f.NetCount, PadCount: f.PadCount,
		Connections: f.ConnectionsTotal, Routed: f.ConnectionsRouted, Completion: f.CompletionPct,
		TrackCount: f.TrackCount, ViaCount: f.ViaCount, Wirelength: f.WirelengthMM, HPWL: f.HPWLMM,
		MST: f.MSTMM, LowerBound: f.LowerBoundMM, Ratio: f.WirelengthRatio,
		Utilization:  f.UtilizationPct,
		MinClearance: f.MinClearanceMM, Passes: r.Passes, TimeLimited: r.TimeLimited,
		PlaceMS: milliseconds(r.PlaceTime),
		RouteMS: milliseconds(r.RouteTime), RuntimeMS: milliseconds(r.Runtime),
	}
	out.Statistics.ArrayVias, out.Statistics.ThermalVias = r.Electrical.ArrayVias,
		r.Electrical.ThermalVias
	out.Statistics.BypassVias, out.Statistics.Stitching = r.Electrical.CapacitorVias,
		r.Electrical.StitchingVias
	out.Pairs = append(out.Pairs, pairsOut(r.Board, r.Pairs)...)
	for _, g := range r.Lengths {
		group := lengthGroupOut{Spread: mm(g.Spread), Tolerance: mm(g.Tolerance)}
		for i, net := range g.Nets {
			group.Nets = append(group.Nets, r.Board.Nets[net].Name)
			group.Lengths = append(group.Lengths, mm(g.Lengths[i]))
		}
		out.Lengths = append(out.Lengths, group)
	}
	for _, n := range f.Nets {
		out.Nets = append(out.Nets,
			netOut{n.Name, n.Class, n.PinCount, n.Routed, n.LengthMM, n.ViaCount, n.MSTMM})
	}
	for i, u := range r.DRC.Unrouted {
		reason := r.Reasons[i]
		if reason == "" {
			reason = "not connected by tracks or pour"
		}
		out.Unrouted = append(out.Unrouted,
			unroutedOut{r.Board.Nets[u.Net].Name, u.From, u.To, u.Distance / 1e6, reason})
	}
	out.DRC = drcOut{
		Passed: r.DRC.Passed, ErrorCount: r.DRC.ErrorCount, WarningCount: r.DRC.WarningCount,
		RulesChecked: r.DRC.RulesChecked,
	}
	for _, v := range r.DRC.Violations {
		out.DRC.Violations = append(out.DRC.Violations, violationOf(v))
	}
	var rules []string
	for rule := range r.DRC.Omitted {
		rules = append(rules, rule)
	}
	sort.Strings(rules)
	for _, rule := range rules {
		out.Warn("%d more violations of rule %s are counted but not listed",
			r.DRC.Omitted[rule], rule)
	}
}

func violationOf(v drc.Violation) violationOut {
	return violationOut{
		v.Rule, string(v.Severity), v.Message, v.X, v.Y, v.Layer, v.Items, v.ActualMM, v.RequiredMM,
	}
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

func pairsOut(b *board.Board, of []electrical.Pair) []pairOut {
	var out []pairOut
	for _, p := range of {
		out = append(out, pairOut{b.Nets[p.Positive].Name, b.Nets[p.Negative].Name,
			mm(p.Mismatch), 100 * p.Coupled})
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
