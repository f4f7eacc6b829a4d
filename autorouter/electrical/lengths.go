package electrical

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"slipstick/autorouter/board"
)

// LengthGroup holds the routed lengths of a group of nets that should be equally long.
type LengthGroup struct {
	Nets      []int
	Lengths   []int64 // routed length of each net, including vias [nm]
	Spread    int64   // largest difference between two lengths [nm]
	Tolerance int64   // allowed difference [nm]
}

// LengthGroups returns the routed lengths of all length groups of a board.
func LengthGroups(b *board.Board) []LengthGroup {
	var out []LengthGroup
	for _, group := range b.Rules.LengthGroups {
		g := LengthGroup{Nets: group.Nets, Tolerance: group.Tolerance}
		for _, net := range group.Nets {
			g.Lengths = append(g.Lengths, int64(math.Round(b.RoutedLength(net))))
		}
		g.Spread = slices.Max(g.Lengths) - slices.Min(g.Lengths)
		out = append(out, g)
	}
	return out
}

// LengthWarnings returns a warning for each group whose lengths differ by more than its tolerance.
// The warning names the nets that are too short.
func LengthWarnings(b *board.Board, groups []LengthGroup) []string {
	var out []string
	for _, g := range groups {
		if g.Spread <= g.Tolerance {
			continue
		}
		longest := slices.Max(g.Lengths)
		var short []string
		for i, net := range g.Nets {
			if missing := longest - g.Lengths[i]; missing > g.Tolerance {
				short = append(short, fmt.Sprintf("%s is %.4g mm short", b.Nets[net].Name,
					board.ToMM(missing)))
			}
		}
		out = append(out, fmt.Sprintf(
			"the lengths of the group of %s differ by %.4g mm, more than %.4g mm: %s of %s",
			b.Nets[g.Nets[0]].Name, board.ToMM(g.Spread), board.ToMM(g.Tolerance),
			strings.Join(short, ", "),
			b.Nets[g.Nets[slices.Index(g.Lengths, longest)]].Name))
	}
	return out
}
