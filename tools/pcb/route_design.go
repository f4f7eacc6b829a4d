package pcb

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"slipstick/autorouter/board"
	"slipstick/autorouter/drc"
	"slipstick/autorouter/kicad"
	"slipstick/autorouter/placed"
	"slipstick/autorouter/sexpr"
	"slipstick/autorouter/specctra"
	"slipstick/tools"
)

// RouteDesign routes a board placed by a layout program. It is a service of the catalog and not a
// tool. POST /api/designs/route queues its calls.
var RouteDesign = tools.Define(tools.Spec{
	Name:    "route_design",
	Title:   "Route a design",
	Summary: "Placed board of KiCad or in the Specctra format to the same board with tracks and vias",
	Method: "Attempts with different orders of the nets, each by negotiated congestion with 45° geometry, " +
		"rip-up and retry; the rules of the board are checked on the finished copper",
	Sources: []string{
		"L. McMurchie, C. Ebeling, PathFinder: A Negotiation-Based Performance-Driven Router for FPGAs, FPGA 1995",
		"KiCad developer documentation, Board file format",
		"Cadence, SPECCTRA Design Language Reference",
	},
	Limits: []string{
		"Parts stay where they are; vias connect all layers",
		"No length matching but within differential pairs, no impedance control",
	},
	Heavy: &tools.Heavy{Pool: "board", Timeout: 5 * time.Minute},
	Examples: []tools.Example{{
		Title: "Two pads on one net, in the Specctra format",
		In: `{"design": "(pcb b (resolution mm 1000) (unit mm) (structure (layer t (type signal)) (layer u (type signal)) ` +
			`(boundary (rect pcb 0 0 20 10)) (via v) (rule (width 0.25) (clearance 0.2))) (placement (component r (place R1 5 5 front 0) ` +
			`(place R2 15 5 front 0))) (library (image r (pin p 1 0 0)) (padstack p (shape (circle t 1))) (padstack v (shape (circle signal 0.6)))) ` +
			`(network (net A (pins R1-1 R2-1))))"}`,
		Want: `{"format": "dsn", "status": "complete", "connections_total": 1, "connections_routed": 1, "track_count": 1, "via_count": 0, ` +
			`"wirelength_mm": 10.0, "unrouted": [], "violations": []}`,
		From: "a straight track between pads 10 mm apart",
	}},
}, routeDesign)

type routeDesignIn struct {
	Design        string  `json:"design" minLength:"1" maxLength:"1048576" label:"Design" doc:"Text of a .kicad_pcb file of KiCad 4 to 9, or of a Specctra .dsn file; a request has at most 1 MiB"`
	Format        string  `json:"format" enum:"auto,kicad_pcb,dsn" default:"auto" label:"Format" doc:"Format of the design; auto reads its first word"`
	Project       string  `json:"project" default:"" maxLength:"1048576" label:"Project file" doc:"Text of the .kicad_pro file with net classes and board rules"`
	Keep          string  `json:"keep" enum:"locked,all,none" default:"locked" label:"Kept tracks" doc:"Tracks and vias of the design to keep; none is for kicad_pcb only"`
	Effort        string  `json:"effort" enum:"fast,normal,high" default:"normal" label:"Effort" doc:"Routing effort: at most 1, 3 or 6 attempts"`
	TimeLimitS    float64 `json:"time_limit_s" unit:"s" min:"1" max:"240" default:"60" label:"Time limit" doc:"Limit of all attempts; the best board so far is returned"`
	EdgeClearance float64 `json:"edge_clearance_mm" unit:"mm" min:"0" max:"10" default:"0" label:"Edge clearance" doc:"Clearance from tracks to the board edge; 0 uses that of the design"`
}

type routeDesignOut struct {
	Format        string                 `json:"format" enum:"kicad_pcb,dsn" label:"Format" doc:"Format of the design; the file of dsn is a session (.ses)"`
	Status        string                 `json:"status" enum:"complete,partial" label:"Status" doc:"complete: nothing is unrouted"`
	File          string                 `json:"file" label:"File" doc:"Text of the routed .kicad_pcb file, or of the Specctra session"`
	Connections   int                    `json:"connections_total" unit:"1" label:"Connections" doc:"Pins to connect, minus one per net"`
	Routed        int                    `json:"connections_routed" unit:"1" label:"Routed connections" doc:"Connections made by the copper"`
	Tracks        int                    `json:"track_count" unit:"1" label:"Tracks" doc:"New tracks"`
	Vias          int                    `json:"via_count" unit:"1" label:"Vias" doc:"New vias"`
	Length        float64                `json:"wirelength_mm" unit:"mm" label:"Track length" doc:"Length of all new tracks"`
	Unrouted      []routeDesignOpen      `json:"unrouted" label:"Missing connections" doc:"Missing connections"`
	Pairs         []pairOut              `json:"pairs" label:"Differential pairs" doc:"Differential pairs by the names of their nets"`
	Violations    []routeDesignViolation `json:"violations" label:"Violations" doc:"Violations by new tracks and vias"`
	OwnViolations int                    `json:"own_violations" unit:"1" label:"Violations of the design" doc:"Violations among pads, keepouts and kept tracks of the design"`
	Runtime       float64                `json:"runtime_s" unit:"s" label:"Run time" doc:"Time of all attempts"`
	tools.Warnings
}

type routeDesignOpen struct {
	Net    string `json:"net" label:"Net" doc:"Net of the connection"`
	From   string `json:"from" label:"From" doc:"Pin as REF.PAD"`
	To     string `json:"to" label:"To" doc:"Pin as REF.PAD"`
	Reason string `json:"reason" label:"Reason" doc:"Cause of the missing connection"`
}

type routeDesignViolation struct {
	Rule    string   `json:"rule" label:"Rule" doc:"Name of the rule, as in pcb_layout"`
	Message string   `json:"message" label:"Message" doc:"The violation with its limit and its actual value"`
	X       float64  `json:"x_mm" unit:"mm" label:"X" doc:"Position from the left edge of the outline"`
	Y       float64  `json:"y_mm" unit:"mm" label:"Y" doc:"Position from the lower edge of the outline"`
	Items   []string `json:"items" label:"Items" doc:"Items in conflict"`
}

func routeDesign(ctx context.Context, in routeDesignIn) (routeDesignOut, error) {
	out := routeDesignOut{
		Format: in.Format, Unrouted: []routeDesignOpen{}, Pairs: []pairOut{},
		Violations: []routeDesignViolation{},
	}
	if in.Format == "auto" {
		out.Format = "dsn"
		if kicad.Detect(in.Design) {
			out.Format = "kicad_pcb"
		}
	}
	effort, _ := placed.ParseEffort(in.Effort)
	last := -1
	how := placed.Options{
		Effort: effort, TimeLimit: time.Duration(in.TimeLimitS * float64(time.Second)),
		Progress: func(phase string, done, _ float64) {
			if percent := int(100 * done); percent != last {
				last = percent
				tools.Report(ctx, tools.Progress{Phase: phase, Percent: 100 * done})
			}
		},
	}
	route := out.kicad
	if out.Format == "dsn" {
		route = out.specctra
	}
	err := route(ctx, &in, how)
	if errors.Is(err, placed.ErrTimeLimit) {
		err = tools.Invalid("time_limit_s", "is %g s: %v; up to 240 s are valid",
			in.TimeLimitS, err)
	}
	return out, err
}

func (out *routeDesignOut) specctra(
	ctx context.Context, in *routeDesignIn, how placed.Options,
) error {
	switch {
	case in.Keep == "none":
		return tools.Invalid("keep",
			"is none; a session cannot remove fixed tracks: use locked or all")
	case in.Project != "":
		return tools.Invalid("project", "is for kicad_pcb; a Specctra design has its own rules")
	}
	design, err := specctra.Read(in.Design)
	if err != nil {
		return designError(err)
	}
	r, err := design.Route(ctx, specctra.Options{
		KeepWiring: in.Keep == "all", EdgeClearanceMM: in.EdgeClearance,
	}, how)
	if err != nil {
		return designError(err)
	}
	out.File = string(r.Session("board.dsn"))
	out.report(r.Board.Board, r.Result, r.Warnings)
	return nil
}

func (out *routeDesignOut) kicad(ctx context.Context, in *routeDesignIn, how placed.Options) error {
	design, err := kicad.Read(in.Design, in.Project)
	if err != nil {
		return designError(err)
	}
	keep, _ := kicad.ParseKeep(in.Keep)
	r, err := design.Route(ctx, kicad.Options{Keep: keep, EdgeClearanceMM: in.EdgeClearance}, how)
	if err != nil {
		return designError(err)
	}
	out.File = string(r.File())
	out.report(r.Board.Board, r.Result, r.Warnings)
	return nil
}

// report sets the statistics of a routed board in the result.
func (out *routeDesignOut) report(b *board.Board, r *placed.Result, warnings []string) {
	out.Status = "complete"
	if len(r.Open) > 0 {
		out.Status = "partial"
	}
	out.Connections, out.Routed = r.Connections, r.Connections-len(r.Open)
	out.Tracks, out.Vias, out.Length = len(b.Tracks), len(b.Vias), r.LengthMM
	out.OwnViolations, out.Runtime = r.OwnViolations, r.Runtime.Seconds()
	for _, o := range r.Open {
		out.Unrouted = append(out.Unrouted, routeDesignOpen(o))
	}
	out.Pairs = append(out.Pairs, pairsOut(b, r.Pairs)...)
	for _, v := range r.RoutingViolations {
		out.Violations = append(out.Violations,
			routeDesignViolation{v.Rule, v.Message, v.X, v.Y, slices.Clone(v.Items)})
	}
	if n := r.DRC.Omitted; len(n) > 0 {
		out.Warn("more violations than %d of a rule are not listed", drc.MaxPerRule)
	}
	for _, w := range warnings {
		out.Warn("%s", strings.ToValidUTF8(w, "?"))
	}
}

// designError converts an error in a design or its project file to an error of the input field. It
// returns other errors unchanged.
func designError(err error) error {
	var invalid *sexpr.Error
	switch {
	case !errors.As(err, &invalid):
		return err
	case strings.HasPrefix(invalid.Detail, "project file"):
		return tools.Invalid("project", "%s", invalid.Detail)
	}
	return tools.InvalidLine("design", invalid.Line, "%s", invalid.Detail)
}
