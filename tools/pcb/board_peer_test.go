package pcb

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"slipstick/autorouter"
	"slipstick/autorouter/board"
	"slipstick/autorouter/drc"
)

// BenchmarkPeer passes placements without a pour to @tscircuit/capacity-autorouter and prints the
// results of both routers. They are connections made, DRC errors on their tracks, vias, track
// length over the spanning trees, and wall-clock time of routing. SLIPSTICK_PEER is a folder in
// which npm has installed the package; without it, or without Node, the benchmark is skipped. PARTS
// and SEED select boards.
func BenchmarkPeer(b *testing.B) {
	main := filepath.Join(os.Getenv("SLIPSTICK_PEER"),
		"node_modules/@tscircuit/capacity-autorouter/dist/index.js")
	if _, err := os.Stat(main); err != nil {
		b.Skip("SKIPPED: SLIPSTICK_PEER names no folder with @tscircuit/capacity-autorouter (make bench-board-peer)")
	}
	if _, err := exec.LookPath("node"); err != nil {
		b.Skip("SKIPPED: node is not installed")
	}
	for range b.N {
		fmt.Printf("\n%-22s %-9s %7s %6s %5s %7s %8s\n", "board", "router", "done", "errors",
			"vias", "wl/mst", "ms")
		for _, c := range benchBoards(b) {
			canonical, err := PCBLayout.Canonical(c.body)
			if err != nil {
				b.Fatal(err)
			}
			var q autorouter.Request
			if err := json.Unmarshal(canonical, &q); err != nil {
				b.Fatal(err)
			}
			q.PourLayers, q.Exports = nil, nil
			ours, err := autorouter.Layout(context.Background(), &q, nil)
			if err != nil {
				b.Fatal(err)
			}
			compared(b, c.name, "slipstick", ours.Board, ours.RouteTime, "")
			theirs, took, note := peerBoard(b, main, ours.Board)
			compared(b, c.name, "tscircuit", theirs, took, note)
		}
	}
}

func compared(b *testing.B, name, router string, bd *board.Board, took time.Duration, note string) {
	report, err := drc.Check(context.Background(), bd)
	if err != nil {
		b.Fatal(err)
	}
	f, err := drc.Statistics(context.Background(), bd)
	if err != nil {
		b.Fatal(err)
	}
	fmt.Printf("%-22s %-9s %6.1f%% %6d %5d %7.3f %8d %s\n", name, router, f.CompletionPct,
		report.ErrorCount-len(report.Unrouted), f.ViaCount, f.WirelengthRatio,
		took.Milliseconds(), note)
}

// peerBoard returns the board with the peer's tracks in place of its own, the time that the peer
// took, and a remark about a failure.
func peerBoard(b *testing.B, main string, ours *board.Board) (*board.Board, time.Duration, string) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	problem, err := json.Marshal(simpleRoute(ours))
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, "node", "--harmony-iterator-helpers", "testdata/peer.mjs", main)
	cmd.Stdin = bytes.NewReader(problem)
	theirs := *ours
	theirs.Tracks, theirs.Vias, theirs.Zones = nil, nil, nil
	output, err := cmd.Output()
	if err != nil {
		return &theirs, 3 * time.Minute, fmt.Sprint("no output: ", err)
	}
	var a struct {
		Traces []struct {
			Name  string `json:"connection_name"`
			Route []struct {
				Type     string  `json:"route_type"`
				X        float64 `json:"x"`
				Y        float64 `json:"y"`
				Width    float64 `json:"width"`
				Layer    string  `json:"layer"`
				Diameter float64 `json:"via_diameter"`
				Hole     float64 `json:"via_hole_diameter"`
			} `json:"route"`
		} `json:"traces"`
		Failed bool    `json:"failed"`
		Error  string  `json:"error"`
		MS     float64 `json:"ms"`
	}
	if err := json.Unmarshal(output, &a); err != nil {
		b.Fatal(err)
	}
	for _, t := range a.Traces {
		var net int
		if _, err := fmt.Sscanf(t.Name, "net%d", &net); err != nil {
			b.Fatalf("trace of %q", t.Name)
		}
		class := ours.Rules.Class(&ours.Nets[net])
		for i, p := range t.Route {
			at := board.Point{X: board.MM(p.X), Y: board.MM(p.Y)}
			switch {
			case p.Type == "via":
				v := board.Via{Net: net, At: at, Drill: class.ViaDrill, Diameter: class.ViaDiameter}
				if p.Diameter > 0 && p.Hole > 0 {
					v.Diameter, v.Drill = board.MM(p.Diameter), board.MM(p.Hole)
				}
				theirs.Vias = append(theirs.Vias, v)
			case p.Type == "wire" && i > 0 && t.Route[i-1].Type == "wire" &&
				t.Route[i-1].Layer == p.Layer:
				from := board.Point{X: board.MM(t.Route[i-1].X), Y: board.MM(t.Route[i-1].Y)}
				theirs.Tracks = append(theirs.Tracks,
					board.Track{Net: net, Layer: layerNamed(p.Layer), A: from, B: at,
						Width: board.MM(p.Width)})
			}
		}
	}
	note := ""
	if a.Failed {
		note = "gave up: " + a.Error
	}
	return &theirs, time.Duration(a.MS * float64(time.Millisecond)), note
}

func layerNamed(name string) board.Layer {
	if name == "bottom" {
		return board.Bottom
	}
	return board.Top
}

// simpleRoute returns the routing problem of a placed board in the peer's format.
func simpleRoute(bd *board.Board) map[string]any {
	type object = map[string]any
	var obstacles, connections []object
	points := make([][]object, len(bd.Nets))
	for pi := range bd.Parts {
		for k := range bd.Parts[pi].Pads {
			p := &bd.Parts[pi].Pads[k]
			var layers []string
			if p.On(board.Top) {
				layers = append(layers, "top")
			}
			if p.On(board.Bottom) {
				layers = append(layers, "bottom")
			}
			if len(layers) == 0 {
				continue
			}
			w, h := board.ToMM(p.Width), board.ToMM(p.Height)
			if math.Mod(p.Rotation, 180) == 90 {
				w, h = h, w
			}
			x, y := board.ToMM(p.At.X), board.ToMM(p.At.Y)
			one := object{"type": "rect", "layers": layers, "center": object{"x": x, "y": y},
				"width": w, "height": h, "connectedTo": []string{}}
			if p.Net != board.NoNet {
				id := fmt.Sprintf("pad%d_%d", pi, k)
				one["connectedTo"] = []string{fmt.Sprintf("net%d", p.Net), id}
				points[p.Net] = append(points[p.Net], object{"x": x, "y": y, "layer": layers[0],
					"pointId": id, "pcb_port_id": id})
			}
			obstacles = append(obstacles, one)
		}
	}
	for i := range bd.Nets {
		if len(points[i]) > 1 {
			connections = append(connections, object{"name": fmt.Sprintf("net%d", i),
				"pointsToConnect": points[i]})
		}
	}
	box, c := bd.Outline.Bounds(), bd.Rules.Classes[0]
	return object{
		"layerCount": 2, "minTraceWidth": board.ToMM(c.TrackWidth),
		"defaultObstacleMargin":                board.ToMM(c.Clearance),
		"minTraceToPadEdgeClearance":           board.ToMM(c.Clearance),
		"minBoardEdgeClearance":                board.ToMM(bd.Rules.EdgeClearance),
		"minViaPadDiameter":                    board.ToMM(c.ViaDiameter),
		"minViaHoleDiameter":                   board.ToMM(c.ViaDrill),
		"minViaHoleEdgeToViaHoleEdgeClearance": board.ToMM(bd.Rules.HoleToHole),
		"obstacles":                            obstacles, "connections": connections,
		"bounds": object{"minX": 0, "minY": 0, "maxX": board.ToMM(box.Max.X),
			"maxY": board.ToMM(box.Max.Y)},
	}
}
