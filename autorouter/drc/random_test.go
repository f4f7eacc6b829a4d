package drc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"
	"time"

	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
)

// randomBoard places n parts and other copper of three nets and of no net at random in an area of
// 12 by 12 mm. The copper is dense enough to violate every rule between pieces of copper.
func randomBoard(r *rand.Rand, n int) *board.Board {
	b := emptyBoard()
	b.Outline = rectPolygon(0, 0, um(12000), um(12000))
	place := func() board.Point {
		return board.Point{X: r.Int64N(um(12000)), Y: r.Int64N(um(12000))}
	}
	for range n {
		var pads []board.Pad
		for k := range 1 + r.IntN(3) {
			p := randomPad(r)
			p.Width, p.Height, p.At, p.Net = p.Width/3, p.Height/3, place(), r.IntN(4)-1
			p.Number = fmt.Sprint(k + 1)
			switch r.IntN(4) {
			case 0:
				p.Layers = board.Bottom.Bit()
			case 1:
				p.Layers, p.Plated, p.Drill = board.LayersOf(board.Top, board.Bottom),
					true, p.Width/2
			case 2:
				if r.IntN(3) == 0 {
					p.Layers, p.Drill, p.Number, p.Net = 0, p.Width, "", board.NoNet
				}
			}
			pads = append(pads, p)
		}
		with(b, pads...)
		a := place()
		b.Tracks = append(b.Tracks, track(r.IntN(3), board.Layer(r.IntN(2)), a,
			moved(a, r.Int64N(um(4000))-um(2000), r.Int64N(um(4000))-um(2000)),
			um(50)+r.Int64N(um(500))))
		b.Vias = append(b.Vias, board.Via{Net: r.IntN(3), At: place(),
			Drill: um(150) + r.Int64N(um(300)), Diameter: um(400) + r.Int64N(um(400))})
	}
	for z := range 3 {
		zone := board.Zone{Net: z, Layer: board.Layer(r.IntN(2))}
		for range 1 + r.IntN(3) {
			p, w := place(), 500+r.Int64N(2500)
			piece := board.Filled{Outline: rectPolygon(p.X, p.Y, p.X+um(w), p.Y+um(w))}
			if r.IntN(2) == 0 {
				piece.Holes = append(piece.Holes,
					reversed(rectPolygon(p.X+um(w)/4, p.Y+um(w)/4, p.X+um(w)/2, p.Y+um(w)/2)))
			}
			zone.Pieces = append(zone.Pieces, piece)
		}
		b.Zones = append(b.Zones, zone)
	}
	for range n / 4 {
		b.Holes = append(b.Holes, board.Hole{At: place(), Diameter: um(500 + r.Int64N(1000)),
			Keepout: um(r.Int64N(2) * 300)})
	}
	return b
}

// refItem holds an item of the reference check with its convex shapes. For a zone fragment it also
// holds the polygon g.
type refItem struct {
	*item
	name string
	list []geom.Boxed
	g    *board.Filled
}

func (it *refItem) contains(q geom.Vec) bool {
	if it.g == nil || winding(it.g.Outline, q) == 0 {
		return false
	}
	return !slices.ContainsFunc(it.g.Holes, func(h board.Polygon) bool {
		return winding(h, q) != 0
	})
}

func (it *refItem) gap(o []geom.Boxed, contains func(geom.Vec) bool) float64 {
	g := math.Inf(1)
	for i := range it.list {
		for j := range o {
			d, _ := it.list[i].Gap(&o[j].Shape)
			g = min(g, max(0, d))
		}
	}
	if it.contains(o[0].P[0]) || contains != nil && contains(it.list[0].P[0]) {
		return 0
	}
	return g
}

// reference applies the rules between pieces of copper by comparing all pairs. It returns the
// number of violations per rule and items, and the number of copper clusters of each net. The last
// result is the smallest gap between two nets [nm].
func reference(s *checker) (map[string]int, []int, float64) {
	b := s.b
	var items []refItem
	piece := 0
	var pieces []*board.Filled
	for z := range b.Zones {
		for p := range b.Zones[z].Pieces {
			pieces = append(pieces, &b.Zones[z].Pieces[p])
		}
	}
	for i := range s.items {
		it := refItem{item: &s.items[i], name: s.name(i), list: []geom.Boxed{s.items[i].shape}}
		if it.kind == zoneItem {
			it.g, it.list = pieces[piece], nil
			piece++
			for _, ring := range append([]board.Polygon{it.g.Outline}, it.g.Holes...) {
				for k := range ring {
					it.list = append(it.list,
						geom.Segment(ring[k], ring[(k+1)%len(ring)], 0).Boxed())
				}
			}
		}
		items = append(items, it)
	}
	found := map[string]int{}
	group := make([]int, len(items))
	for i := range group {
		group[i] = i
	}
	nearest := math.Inf(1)
	for i := range items {
		for j := range i {
			a, c := &items[j], &items[i]
			if a.on&c.on == 0 {
				continue
			}
			onePart := a.kind == padItem && c.kind == padItem && a.part == c.part
			g := a.gap(c.list, c.contains)
			same := a.net == c.net && (a.net >= 0 || onePart || a.kind != padItem ||
				c.kind != padItem)
			if same {
				if g <= tolerance && group[i] != group[j] {
					from, to := group[i], group[j]
					for k := range group {
						if group[k] == from {
							group[k] = to
						}
					}
				}
				continue
			}
			if !onePart {
				nearest = min(nearest, g)
			}
			limit := 200e3
			if a.net == 2 || c.net == 2 {
				limit = 300e3
			} else if a.g != nil || c.g != nil {
				limit = 250e3
			}
			if g <= tolerance {
				found["short "+a.name+" "+c.name]++
			} else if g < limit-tolerance && !onePart {
				found["clearance "+a.name+" "+c.name]++
			}
		}
	}
	for i := range s.holes {
		h := &s.holes[i]
		for j := range items {
			it := &items[j]
			if h.owner == j || h.owner >= 0 && items[h.owner].net == it.net &&
				(it.net >= 0 || it.kind != padItem || items[h.owner].part == it.part) {
				continue
			}
			if it.gap([]geom.Boxed{h.shape}, nil) < 250e3-tolerance {
				found["hole_clearance "+h.name+" "+it.name]++
			}
		}
		for j := range i {
			if g, _ := h.shape.Gap(&s.holes[j].shape.Shape); g < 300e3-tolerance {
				found["hole_to_hole "+s.holes[j].name+" "+h.name]++
			}
		}
	}
	islands := make([]int, len(b.Nets))
	seen := map[int]bool{}
	for i := range items {
		if items[i].kind == padItem && items[i].net >= 0 && !seen[group[i]] {
			seen[group[i]] = true
			islands[items[i].net]++
		}
	}
	return found, islands, nearest
}

func TestAgainstReference(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	seen := map[string]int{}
	for round := range 60 {
		b := randomBoard(r, 2+round/3)
		s, err := newChecker(context.Background(), b)
		if err != nil {
			t.Fatal(err)
		}
		want, islands, nearest := reference(s)
		if err := s.scan(s.maxClearance()); err != nil {
			t.Fatal(err)
		}
		got := map[string]int{}
		for _, rule := range []*rule{&short, &clearance, &holeClearance, &holeToHole} {
			f := collector{rule: rule}
			if err := rule.check(s, &f); err != nil {
				t.Fatal(err)
			}
			for _, v := range f.list {
				got[v.Rule+" "+v.Items[0]+" "+v.Items[1]]++
				seen[v.Rule]++
			}
		}
		for k := range want {
			if got[k] != want[k] {
				t.Errorf("round %d: %s found %d times, want %d", round, k, got[k], want[k])
			}
		}
		for k := range got {
			if want[k] == 0 {
				t.Errorf("round %d: %s found for nothing", round, k)
			}
		}
		missing := make([]int, len(b.Nets))
		for _, j := range s.ratsnest() {
			missing[j.Net]++
		}
		for net, n := range islands {
			if missing[net] != max(0, n-1) {
				t.Errorf("round %d: net %d has %d islands and %d missing connections", round, net,
					n, missing[net])
			}
		}
		st, err := Statistics(context.Background(), b)
		if err != nil || st.MinClearanceMM == nil || math.Abs(*st.MinClearanceMM*1e6-nearest) > 1 {
			t.Errorf("round %d: smallest clearance %v, want %v", round, st.MinClearanceMM, nearest)
		}
	}
	for _, name := range []string{"short", "clearance", "hole_clearance", "hole_to_hole"} {
		if seen[name] < 50 {
			t.Errorf("%s provoked only %d times", name, seen[name])
		}
	}
}

// TestOrderAndBound verifies that reports are reproducible, sorted by rule and then by position,
// and limited to MaxPerRule violations per rule.
func TestOrderAndBound(t *testing.T) {
	b := randomBoard(rand.New(rand.NewPCG(7, 7)), 150)
	rep := check(t, b)
	first, _ := json.Marshal(rep)
	again, _ := json.Marshal(check(t, b))
	if string(first) != string(again) {
		t.Error("two checks, two reports")
	}
	names := Rules()
	if !sort.SliceIsSorted(rep.Violations, func(i, j int) bool {
		a, b := rep.Violations[i], rep.Violations[j]
		ra, rb := slices.Index(names, a.Rule), slices.Index(names, b.Rule)
		return ra < rb || ra == rb && (a.X < b.X || a.X == b.X && a.Y < b.Y)
	}) {
		t.Error("violations out of order")
	}
	total := 0
	for _, name := range rep.RulesChecked {
		n := len(rep.of(name))
		total += n + rep.Omitted[name]
		if n > MaxPerRule || n < MaxPerRule && rep.Omitted[name] > 0 {
			t.Errorf("%s: %d listed, %d omitted", name, n, rep.Omitted[name])
		}
	}
	if rep.Omitted["short"] == 0 || total != rep.ErrorCount+rep.WarningCount || rep.Passed {
		t.Errorf("%d violations, %d errors and %d warnings, omitted %v", total, rep.ErrorCount,
			rep.WarningCount, rep.Omitted)
	}
}

// TestCountIsComplete verifies that violations beyond maxKept are counted.
func TestCountIsComplete(t *testing.T) {
	const n = 210
	b := emptyBoard()
	b.Nets = make([]board.Net, n)
	for i := range n {
		b.Vias = append(b.Vias, via(i, pt(10, 10)))
	}
	rep := check(t, b)
	for _, rule := range []string{"short", "hole_to_hole"} {
		if got := len(rep.of(rule)) + rep.Omitted[rule]; got != n*(n-1)/2 || got <= maxKept {
			t.Errorf("%s: %d, want %d", rule, got, n*(n-1)/2)
		}
	}
}

func TestCancel(t *testing.T) {
	b := randomBoard(rand.New(rand.NewPCG(8, 8)), 1500)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Check(ctx, b); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before: %v", err)
	}
	ctx, cancel = context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, err := Check(ctx, b)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Skipf("done in %v, before the deadline", time.Since(start))
	}
	if late := time.Since(start); late > 500*time.Millisecond {
		t.Errorf("stopped %v after a deadline of 20 ms", late)
	}
}

func TestUnreadableBoards(t *testing.T) {
	for name, spoil := range map[string]func(b *board.Board){
		"no outline":   func(b *board.Board) { b.Outline = nil },
		"no class":     func(b *board.Board) { b.Rules.Classes = nil },
		"pad's angle":  func(b *board.Board) { b.Parts[0].Pads[0].Rotation = math.NaN() },
		"pad's net":    func(b *board.Board) { b.Parts[0].Pads[0].Net = 9 },
		"track's net":  func(b *board.Board) { b.Tracks[0].Net = -2 },
		"via's net":    func(b *board.Board) { b.Vias[0].Net = 3 },
		"zone's net":   func(b *board.Board) { b.Zones = []board.Zone{{Net: 3}} },
		"track layer":  func(b *board.Board) { b.Tracks[0].Layer = 2 },
		"zone's layer": func(b *board.Board) { b.Zones = []board.Zone{{Layer: 2}} },
	} {
		b := chain()
		spoil(b)
		if _, err := Check(context.Background(), b); err == nil {
			t.Errorf("%s: no error", name)
		}
		if _, err := Statistics(context.Background(), b); err == nil {
			t.Errorf("%s: no error from Statistics", name)
		}
	}
}

// TestDegenerate verifies that items of zero size and zones without area do not break the check.
func TestDegenerate(t *testing.T) {
	b := chain()
	b.Tracks = append(b.Tracks, track(0, board.Top, pt(5, 5), pt(5, 5), 0),
		track(2, board.Top, pt(30, 20), pt(30, 20), um(500)))
	with(b, smd("1", 1, pt(30, 5), 0, 0), smd("2", 1, pt(30, 7), 0, um(500)))
	b.Vias = append(b.Vias, board.Via{Net: 0, At: pt(33, 5)})
	b.Zones = []board.Zone{{Net: 2},
		{Net: 2, Pieces: []board.Filled{{}, {Outline: board.Polygon{pt(1, 1), pt(2, 2)}},
			{Outline: rectPolygon(um(30000), um(15000), um(30000), um(15000)),
				Holes: []board.Polygon{nil}}}}}
	b.Holes = []board.Hole{{At: pt(35, 25)}}
	b.Keepouts = []board.Keepout{{Layers: []board.Layer{board.Top}, Tracks: true, Components: true}}
	addCourtyard(b, board.Placement{At: pt(35, 5)}, 0, 0)
	b.Tracks = append(b.Tracks, track(2, board.Bottom, board.Point{X: -1e15, Y: 1e15},
		board.Point{X: 1e15, Y: -1e15}, um(250)))
	rep := check(t, b)
	if rep.Passed {
		t.Error("passed")
	}
	if _, err := Statistics(context.Background(), b); err != nil {
		t.Error(err)
	}
}

// randomPad returns a surface pad of random shape (except Convex), size and angle. Its centre is in
// the square with corners at (0, 0) and (6, 6) mm.
func randomPad(r *rand.Rand) board.Pad {
	p := smd("1", 0, board.Point{X: r.Int64N(um(6000)), Y: r.Int64N(um(6000))},
		um(100)+r.Int64N(um(3000)), um(100)+r.Int64N(um(3000)))
	p.Shape = board.Shape(r.IntN(4))
	if p.Shape == board.Circle {
		p.Height = p.Width
	}
	p.Rotation = r.Float64() * 360
	if r.IntN(3) == 0 {
		p.Rotation = float64(r.IntN(8)) * 45
	}
	return p
}

// winding returns the winding number of a polygon around a point, from the sum of the angles that
// its sides subtend.
func winding(g board.Polygon, q geom.Vec) int {
	sum := 0.0
	for i := range g {
		a, b := geom.VecOf(g[i]).Sub(q), geom.VecOf(g[(i+1)%len(g)]).Sub(q)
		sum += math.Atan2(a.Cross(b), a.Dot(b))
	}
	return int(math.Round(sum / (2 * math.Pi)))
}
