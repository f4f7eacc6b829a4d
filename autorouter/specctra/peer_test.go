package specctra

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"slipstick/autorouter/board"
	"slipstick/autorouter/drc"
	"slipstick/autorouter/placed"
	"slipstick/autorouter/sexpr"
	"slipstick/internal/cputime"
)

var peers = flag.String("peers", "", "folder of .dsn files with .ses files of another router")

// sessionCheck is the result of checking the copper of a session on its design.
type sessionCheck struct {
	open, violations, vias int
	lengthMM               float64
}

// checkSession checks the tracks and vias of a session by package drc. It reads the session
// independently of the writer. Copper within 0.01 mm of the board edge is a violation; planes are
// not filled.
func checkSession(t *testing.T, d *Design, session string) (j sessionCheck) {
	t.Helper()
	root, err := sexpr.ParseSpecctra(session, "session",
		sexpr.Limits{Bytes: maxBytes, Depth: maxDepth, Nodes: maxNodes})
	if err != nil {
		t.Fatal(err)
	}
	b, err := d.Board(Options{EdgeClearanceMM: 0.01})
	if err != nil {
		t.Fatal(err)
	}
	routes := root.First("routes")
	resolution := routes.First("resolution")
	steps, err := number(resolution, 2)
	if err != nil {
		t.Fatal(err)
	}
	step := unitsNM[resolution.At(1)] / steps
	length := func(n *sexpr.Node, i int) int64 {
		v, err := number(n, i)
		if err != nil {
			t.Fatal(err)
		}
		return int64(math.Round(v * step))
	}
	point := func(n *sexpr.Node, i int) board.Point {
		return board.Point{X: length(n, i), Y: length(n, i+1)}.Sub(b.origin)
	}
	for _, n := range routes.First("network_out").Each("net") {
		net := slices.IndexFunc(b.Nets, func(o board.Net) bool { return o.Name == n.At(1) })
		if net < 0 {
			t.Fatalf("the design has no net %q", n.At(1))
		}
		for _, w := range n.Each("wire") {
			p := w.First("path")
			layer := slices.IndexFunc(d.Layers, func(l Layer) bool { return l.Name == p.At(1) })
			for i := 3; i+3 < len(p.List) && p.List[i+3].Leaf; i += 2 {
				b.Tracks = append(b.Tracks, board.Track{Net: net, Layer: board.Layer(layer),
					Width: length(p, 2), A: point(p, i), B: point(p, i+2)})
			}
		}
		for _, v := range n.Each("via") {
			diameter, drill := d.viaSize(v.At(1))
			b.Vias = append(b.Vias,
				board.Via{Net: net, At: point(v, 2), Diameter: diameter, Drill: drill})
		}
	}
	r, err := drc.Check(t.Context(), b.Board)
	if err != nil {
		t.Fatal(err)
	}
	j.open, j.vias = len(r.Unrouted), len(b.Vias)
	for _, v := range r.Violations {
		if v.Severity == drc.Error && v.Rule != "unrouted" &&
			slices.ContainsFunc(v.Items, func(s string) bool { return strings.HasPrefix(s, "net ") }) {
			j.violations++
		}
	}
	for _, w := range b.Tracks {
		j.lengthMM += board.Distance(w.A, w.B) / 1e6
	}
	return j
}

// TestSessionConnects verifies that the copper of a session connects all nets without a violation,
// and that a session without its first wire does not. The session is read independently of the
// writer.
func TestSessionConnects(t *testing.T) {
	d, err := Read(fmt.Sprintf(design, "", "", "back 90"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := d.Route(t.Context(), Options{}, placed.Options{TimeLimit: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	session := string(r.Session("a board.dsn"))
	if j := checkSession(t, d, session); j.open > 0 || j.violations > 0 || j.vias != len(r.Vias) ||
		math.Abs(j.lengthMM-r.LengthMM) > 0.01 {
		t.Errorf("%+v, routed with %d vias and %g mm", j, len(r.Vias), r.LengthMM)
	}
	cut := strings.Replace(session, "(wire", "(cut", 1)
	if j := checkSession(t, d, cut); j.open == 0 {
		t.Error("the check finds nothing open without a wire")
	}
}

// TestPeers prints the copper of another router's session beside that of this router for each
// design.
func TestPeers(t *testing.T) {
	if *peers == "" {
		t.Skip("-peers names no folder")
	}
	paths, err := filepath.Glob(filepath.Join(*peers, "*.dsn"))
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println("design | open (peer) of connections | rules | vias | wire mm | s")
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		session, err := os.ReadFile(strings.TrimSuffix(path, ".dsn") + ".ses")
		if err != nil {
			continue
		}
		d, err := Read(string(text))
		if err != nil {
			t.Fatal(path, err)
		}
		peer := checkSession(t, d, string(session))
		r, err := d.Route(t.Context(), Options{}, placed.Options{TimeLimit: *limit,
			Now: func() time.Time { return time.Time{}.Add(cputime.Process()) }})
		if err != nil {
			t.Fatal(path, err)
		}
		fmt.Printf("%s | %d (%d) of %d | %d (%d) | %d (%d) | %.0f (%.0f) | %.1f\n",
			filepath.Base(path), len(r.Open), peer.open, r.Connections,
			len(r.RoutingViolations), peer.violations, len(r.Vias), peer.vias,
			r.LengthMM, peer.lengthMM, r.Runtime.Seconds())
	}
}
