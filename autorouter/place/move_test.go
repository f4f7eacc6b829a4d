package place

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"slipstick/autorouter/board"
)

// mesh returns a square mesh with the given number of parts per side. Each part measures 4 by 2 mm
// and has three pads. It is connected to its right and upper neighbour, and every third part is
// also on the net wide.
func mesh(side int) *board.Netlist {
	f := &board.Footprint{Courtyard: board.Rect{Min: board.Point{X: board.MM(-2), Y: board.MM(-1)},
		Max: board.Point{X: board.MM(2), Y: board.MM(1)}}}
	for k := range 3 {
		f.Pads = append(f.Pads, board.FootprintPad{
			Number: fmt.Sprint(k), At: board.Point{X: board.MM(float64(k - 1))},
			Padstack: board.Padstack{Width: board.MM(0.6), Height: board.MM(0.6)},
		})
	}
	nl, wide := &board.Netlist{}, board.Net{Name: "wide"}
	join := func(i, j int, a, b string) {
		nl.Nets = append(nl.Nets, board.Net{Name: fmt.Sprint(len(nl.Nets)),
			Pins: []board.PinRef{{Component: i, Pad: a}, {Component: j, Pad: b}}})
	}
	for i := range side * side {
		nl.Components = append(nl.Components, board.Component{Ref: fmt.Sprintf("R%d", i),
			Footprint: f})
		if i%side < side-1 {
			join(i, i+1, "2", "0")
		}
		if i+side < side*side {
			join(i, i+side, "1", "1")
		}
		if i%3 == 0 {
			wide.Pins = append(wide.Pins, board.PinRef{Component: i, Pad: "1"})
		}
	}
	nl.Nets = append(nl.Nets, wide)
	return nl
}

// rules returns rules without a ground net and with one net class.
func rules() board.Rules {
	return board.Rules{GroundNet: board.NoNet, Classes: []board.Class{{Name: "default"}}}
}

// TestMove compares the cost change of each move with the difference of the costs before and after
// it. These costs are recomputed from all nets and all pairs of parts. A rejected move leaves the
// cost unchanged.
func TestMove(t *testing.T) {
	p := &placer{ctx: context.Background(), nl: mesh(5), opt: Options{Utilization: 0.45,
		Rules: rules()}, rng: rand.New(rand.NewPCG(1, 1))}
	p.prepare()
	w, h := p.autoSize()
	p.outline = rectangle(w, h)
	p.prepareOutline()
	if !p.construct(false) {
		t.Fatal("no placement to begin with")
	}
	p.computeBoxes()
	wire := func() float64 {
		total := 0.0
		for n := range p.nets {
			total += p.nets[n].weight * p.netHPWL(n)
		}
		return total
	}
	pairs := func() float64 {
		total := 0.0
		for i := range p.courtyards {
			for j := range i {
				total += p.pairOverlap(i, &p.courtyards[i], j, &p.courtyards[j])
			}
		}
		return total
	}
	movable := make([]int, len(p.parts))
	for i := range movable {
		movable[i] = i
	}
	alone, swaps, refused, piled := 0, 0, 0, 0.0
	for range 4000 {
		const window, temp, press = 8e6, 3e6, 1e6
		before := wire() + press*pairs()
		delta := p.tryMove(movable[p.rng.IntN(len(movable))], movable, false, window, temp, press)
		after := wire() + press*pairs()
		if d := after - before - delta; math.Abs(d) > 1 { // [nm]
			t.Fatalf("said to cost %.1f, costs %.1f nm", delta, after-before)
		}
		for n := range p.nets {
			if p.netBoxes[n] != p.netBox(n) {
				t.Fatalf("net %d has the extent %v, not %v", n, p.netBox(n), p.netBoxes[n])
			}
		}
		switch {
		case delta == 0:
			refused++
		case len(p.moves) == 2:
			swaps++
		default:
			alone++
		}
		piled = max(piled, pairs())
	}
	if alone < 100 || swaps < 20 || refused < 100 || piled < 1 {
		t.Errorf("%d moves, %d swaps, %d refused, at most %.1f mm² of overlap: too few to tell",
			alone, swaps, refused, piled)
	}
}

// TestMesh verifies that a mesh of parts is placed with less than 0.9 times the wirelength of a
// regular mesh. The regular mesh has a pitch of 5 mm by 3 mm and links of 3 mm in both directions.
// Its net named wide counts as spanning all parts.
func TestMesh(t *testing.T) {
	const side = 6
	ideal := float64(side*(side-1))*(3+3) + float64(side-1)*(5+3)
	worst := 0.0
	for seed := range uint64(8) {
		_, r, err := Place(context.Background(), mesh(side),
			Options{Seed: seed, Rules: rules()})
		if err != nil || len(r.Unplaced) > 0 {
			t.Fatal(err, r)
		}
		worst = max(worst, board.ToMM(r.HPWL)/ideal)
	}
	t.Logf("at worst %.2f times the wire of the mesh", worst)
	if worst > 0.9 {
		t.Errorf("%.2f times the wire of the mesh", worst)
	}
}
