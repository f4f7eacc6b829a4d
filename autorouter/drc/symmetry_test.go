package drc

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"slipstick/autorouter/board"
)

// TestSymmetries verifies that a quarter turn, swapped layers and a reversed order of the items do
// not change the number of violations.
func TestSymmetries(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	each := func(b *board.Board, f func(p board.Point) board.Point) *board.Board {
		c := *b
		ring := func(g board.Polygon) board.Polygon {
			n := slices.Clone(g)
			for i := range n {
				n[i] = f(n[i])
			}
			return n
		}
		c.Outline = ring(b.Outline)
		c.Parts = nil
		for _, p := range b.Parts {
			p.Pads = slices.Clone(p.Pads)
			for i := range p.Pads {
				p.Pads[i].At = f(p.Pads[i].At)
			}
			c.Parts = append(c.Parts, p)
		}
		c.Tracks, c.Vias, c.Holes = slices.Clone(b.Tracks), slices.Clone(b.Vias),
			slices.Clone(b.Holes)
		for i := range c.Tracks {
			c.Tracks[i].A, c.Tracks[i].B = f(c.Tracks[i].A), f(c.Tracks[i].B)
		}
		for i := range c.Vias {
			c.Vias[i].At = f(c.Vias[i].At)
		}
		for i := range c.Holes {
			c.Holes[i].At = f(c.Holes[i].At)
		}
		c.Zones = nil
		for _, z := range b.Zones {
			var pieces []board.Filled
			for _, p := range z.Pieces {
				n := board.Filled{Outline: ring(p.Outline)}
				for _, h := range p.Holes {
					n.Holes = append(n.Holes, ring(h))
				}
				pieces = append(pieces, n)
			}
			z.Pieces = pieces
			c.Zones = append(c.Zones, z)
		}
		return &c
	}
	for round := range 10 {
		b := randomBoard(r, 12)
		base := tally(t, b)
		turned := each(b, func(p board.Point) board.Point {
			return board.Point{X: um(12000) - p.Y, Y: p.X}
		})
		for i := range turned.Parts {
			for j := range turned.Parts[i].Pads {
				turned.Parts[i].Pads[j].Rotation += 90
			}
		}
		swapped := each(b, func(p board.Point) board.Point { return p })
		for i := range swapped.Parts {
			for j := range swapped.Parts[i].Pads {
				p := &swapped.Parts[i].Pads[j]
				p.Layers = p.Layers>>1&1 | p.Layers<<1&2
			}
		}
		for i := range swapped.Tracks {
			swapped.Tracks[i].Layer ^= 1
		}
		for i := range swapped.Zones {
			swapped.Zones[i].Layer ^= 1
		}
		shuffled := each(b, func(p board.Point) board.Point { return p })
		slices.Reverse(shuffled.Tracks)
		slices.Reverse(shuffled.Vias)
		slices.Reverse(shuffled.Parts)
		slices.Reverse(shuffled.Zones)
		for name, c := range map[string]*board.Board{"turned": turned, "swapped": swapped,
			"shuffled": shuffled} {
			if got := tally(t, c); got != base {
				t.Errorf("round %d, %s:\n%s\nwas\n%s", round, name, got, base)
			}
		}
	}
}

// tally returns the number of violations of each rule as text.
func tally(t *testing.T, b *board.Board) string {
	rep := check(t, b)
	line := ""
	for _, name := range rep.RulesChecked {
		line += fmt.Sprintf("%s %d, ", name, len(rep.of(name))+rep.Omitted[name])
	}
	return line
}
