package placed_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"slipstick/autorouter/board"
	"slipstick/autorouter/placed"
)

// problem is a routing problem in tscircuit's Simple Route JSON. Lengths are in mm.
type problem struct {
	LayerCount    int     `json:"layerCount"`
	MinTraceWidth float64 `json:"minTraceWidth"`
	Bounds        struct {
		MinX, MaxX, MinY, MaxY float64
	} `json:"bounds"`
	Obstacles []struct {
		Type          string   `json:"type"`
		Layers        []string `json:"layers"`
		Center        position `json:"center"`
		Width, Height float64
		ConnectedTo   []string `json:"connectedTo"`
	} `json:"obstacles"`
	Connections []struct {
		Name   string `json:"name"`
		Points []struct {
			position
			Layer string `json:"layer"`
			ID    string `json:"pointId"`
		} `json:"pointsToConnect"`
	} `json:"connections"`
}

type position struct {
	X, Y float64
}

func (p position) point() board.Point { return board.Point{X: board.MM(p.X), Y: board.MM(p.Y)} }

// Design rules that the problems do not contain. The clearances are those of the data set's checker
// (@tscircuit/checks 0.0.110), and the via sizes those of its runner.
const (
	clearanceMM     = 0.1
	edgeClearanceMM = 0.2
	viaMM           = 0.6
	viaDrillMM      = 0.3
)

// layerNames returns the layer names of a problem from top to bottom.
func layerNames(count int) []string {
	names := []string{"top"}
	for i := 1; i < count-1; i++ {
		names = append(names, fmt.Sprintf("inner%d", i))
	}
	return append(names, "bottom")
}

// readProblem reads a problem as a placed board. Every obstacle is a pad; connections, points and
// obstacles with a common name form a net.
func readProblem(text []byte) (*board.Board, error) {
	var p problem
	if err := json.Unmarshal(text, &p); err != nil {
		return nil, err
	}
	if p.LayerCount < 2 || p.LayerCount > 4 || p.MinTraceWidth <= 0 ||
		!(p.Bounds.MaxX > p.Bounds.MinX) || !(p.Bounds.MaxY > p.Bounds.MinY) {
		return nil, fmt.Errorf("%d layers, tracks of %g mm, bounds %+v", p.LayerCount,
			p.MinTraceWidth, p.Bounds)
	}
	low, high := position{p.Bounds.MinX, p.Bounds.MinY}.point(),
		position{p.Bounds.MaxX, p.Bounds.MaxY}.point()
	class := board.Class{Name: "default", TrackWidth: board.MM(p.MinTraceWidth),
		Clearance: board.MM(clearanceMM), ViaDrill: board.MM(viaDrillMM),
		ViaDiameter: board.MM(viaMM)}
	b := &board.Board{
		Outline: board.Polygon{low, {X: high.X, Y: low.Y}, high, {X: low.X, Y: high.Y}},
		Stackup: board.Layers(p.LayerCount),
		Rules: board.Rules{Classes: []board.Class{class}, GroundNet: board.NoNet,
			NeckWidth: class.TrackWidth, MinTrack: class.TrackWidth, MinGap: class.Clearance,
			EdgeClearance: board.MM(edgeClearanceMM), HoleClearance: class.Clearance,
			HoleToHole: board.MM(0.2), MinDrill: class.ViaDrill, MinRing: board.MM(0.1)},
	}
	names := newNames()
	for _, c := range p.Connections {
		for _, at := range c.Points {
			names.join(c.Name, at.ID)
		}
	}
	for _, o := range p.Obstacles {
		for _, name := range o.ConnectedTo {
			names.join(o.ConnectedTo[0], name)
		}
	}
	nets := map[string]int{}
	for _, c := range p.Connections {
		if _, ok := nets[names.first(c.Name)]; !ok && len(c.Points) > 1 {
			nets[names.first(c.Name)] = len(b.Nets)
			b.Nets = append(b.Nets, board.Net{Name: c.Name, Class: class.Name})
		}
	}
	layers := map[string]board.LayerSet{}
	for i, name := range layerNames(p.LayerCount) {
		layers[name] = board.Layer(i).Bit()
	}
	part := board.Part{Component: board.Component{Ref: "P", Footprint: &board.Footprint{}}}
	for i, o := range p.Obstacles {
		pad := board.Pad{Number: fmt.Sprint(i + 1), Net: board.NoNet, At: o.Center.point(),
			Padstack: board.Padstack{Width: board.MM(o.Width), Height: board.MM(o.Height)}}
		switch {
		case !(o.Width > 0 && o.Height > 0) || math.IsInf(o.Width*o.Height, 0):
			return nil, fmt.Errorf("obstacle %d: %g x %g mm", i, o.Width, o.Height)
		case o.Type == "oval":
			pad.Shape = board.Oval
		case o.Type != "rect":
			return nil, fmt.Errorf("obstacle %d: type %q", i, o.Type)
		}
		for _, name := range o.Layers { // two-layer problems list four layers
			pad.Layers |= layers[name]
		}
		if len(o.ConnectedTo) > 0 {
			if net, ok := nets[names.first(o.ConnectedTo[0])]; ok {
				pad.Net = net
				b.Nets[net].Pins = append(b.Nets[net].Pins, board.PinRef{Pad: pad.Number})
			}
		}
		part.Pads = append(part.Pads, pad)
	}
	b.Parts = []board.Part{part}
	return b, nil
}

// names is a union-find structure of the names of each net.
type names struct{ parent map[string]string }

func newNames() names { return names{map[string]string{}} }

func (n names) first(name string) string {
	for n.parent[name] != "" {
		name = n.parent[name]
	}
	return name
}

func (n names) join(a, b string) {
	if a, b = n.first(a), n.first(b); a != b {
		n.parent[b] = a
	}
}

// traces returns the copper of a board for the data set's checker, one trace per track and per via.
func traces(b *board.Board) []map[string]any {
	type object = map[string]any
	layer := layerNames(len(b.Stackup))
	out := []object{}
	add := func(net int, route ...object) {
		out = append(out, object{"type": "pcb_trace", "connection_name": b.Nets[net].Name,
			"pcb_trace_id": fmt.Sprintf("trace%d", len(out)), "route": route})
	}
	wire := func(at board.Point, l board.Layer, width int64) object {
		return object{"route_type": "wire", "x": board.ToMM(at.X), "y": board.ToMM(at.Y),
			"width": board.ToMM(width), "layer": layer[l]}
	}
	for _, t := range b.Tracks {
		add(t.Net, wire(t.A, t.Layer, t.Width), wire(t.B, t.Layer, t.Width))
	}
	for _, v := range b.Vias {
		width, bottom := b.Rules.Classes[0].TrackWidth, b.Stackup.Bottom()
		add(v.Net, wire(v.At, board.Top, width), object{"route_type": "via",
			"x": board.ToMM(v.At.X), "y": board.ToMM(v.At.Y), "from_layer": layer[0],
			"to_layer": layer[bottom]}, wire(v.At, bottom, width))
	}
	return out
}

// small is a problem with one connection between two pads, one of which has two names, and an
// obstacle between them. Both pads belong to one net, and tracks must avoid the obstacle.
const small = `{"layerCount": 2, "minTraceWidth": 0.15,
"bounds": {"minX": -5, "maxX": 5, "minY": -3, "maxY": 3},
"obstacles": [
{"type": "rect", "layers": ["top"], "center": {"x": -4, "y": 0}, "width": 1, "height": 1,
 "connectedTo": ["pad1", "port1"]},
{"type": "oval", "layers": ["top", "inner1", "bottom"], "center": {"x": 4, "y": 0}, "width": 1,
 "height": 1, "connectedTo": ["port2"]},
{"type": "rect", "layers": ["top"], "center": {"x": 0, "y": 0}, "width": 1, "height": 4,
 "connectedTo": []}],
"connections": [{"name": "net", "pointsToConnect": [
 {"x": -4, "y": 0, "layer": "top", "pointId": "port1"},
 {"x": 4, "y": 0, "layer": "top", "pointId": "port2"}]}]}`

func TestReadProblem(t *testing.T) {
	b, err := readProblem([]byte(small))
	if err != nil {
		t.Fatal(err)
	}
	if len(b.Nets) != 1 || len(b.Nets[0].Pins) != 2 || b.Parts[0].Pads[2].Net != board.NoNet {
		t.Fatalf("nets %+v", b.Nets)
	}
	r, err := placed.Route(context.Background(), placed.Options{},
		func(int, int, bool) (placed.Attempt, error) { return placed.Attempt{Board: b}, nil })
	if err != nil {
		t.Fatal(err)
	}
	if r.Connections != 1 || len(r.Open) != 0 || len(r.RoutingViolations) != 0 || r.LengthMM < 8 {
		t.Errorf("%d connections, open %v, violations %v, %g mm", r.Connections, r.Open,
			r.RoutingViolations, r.LengthMM)
	}
	if got := len(traces(b)); got != len(b.Tracks)+len(b.Vias) {
		t.Errorf("%d traces of %d tracks and %d vias", got, len(b.Tracks), len(b.Vias))
	}
}

func TestReadProblemRefuses(t *testing.T) {
	for _, c := range []struct{ from, to string }{
		{`"layerCount": 2`, `"layerCount": 0`},
		{`"layerCount": 2`, `"layerCount": 9`},
		{`"minTraceWidth": 0.15`, `"minTraceWidth": -1`},
		{`"maxX": 5`, `"maxX": -5`},
		{`"height": 4`, `"height": 0`},
		{`"type": "oval"`, `"type": "star"`},
		{`]}`, ``},
	} {
		if _, err := readProblem([]byte(strings.Replace(small, c.from, c.to, 1))); err == nil {
			t.Errorf("%s instead of %s is accepted", c.to, c.from)
		}
	}
}
