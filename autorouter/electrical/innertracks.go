package electrical

import (
	"context"
	"fmt"
	"math"
	"strings"

	"slipstick/autorouter/board"
)

// InnerWarnings names the nets with tracks on inner layers that are narrower than IPC-2221 requires
// there. The width of a net with a current is that of an external conductor. An internal conductor
// of the same cross-section carries half as much. It returns the error of the context if that ends
// first.
func InnerWarnings(ctx context.Context, b *board.Board) ([]string, error) {
	ratio := math.Pow(externalFactor/internalFactor, 1/areaExponent)
	type inner struct {
		width  int64 // width of the narrowest track [nm]
		layers board.LayerSet
	}
	found, nets := map[int]inner{}, shapesOfNets(b)
	for _, t := range b.Tracks {
		if t.Net == board.NoNet || t.Layer == board.Top || t.Layer == b.Copper().Bottom() ||
			b.Nets[t.Net].Current <= 0 {
			continue
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		need := int64(ratio * float64(b.Nets[t.Net].Width))
		if t.Width+board.Micrometre >= need || nets[t.Net].uncovered(t, need) == 0 {
			continue
		}
		f, ok := found[t.Net]
		if f.layers |= t.Layer.Bit(); !ok || t.Width < f.width {
			f.width = t.Width
		}
		found[t.Net] = f
	}
	var out []string
	for net := range b.Nets {
		if f, ok := found[net]; ok {
			n := &b.Nets[net]
			out = append(out, fmt.Sprintf("net %s: %.3g A needs %.2f mm on inner layers by "+
				"IPC-2221, tracks on %s have %.2f mm; keep the net on the outer layers or give "+
				"its class that width", n.Name, n.Current, requiredMM(float64(n.Width)*ratio),
				strings.Join(b.Copper().Names(f.layers), ", "), board.ToMM(f.width)))
		}
	}
	return out, nil
}

// requiredMM converts a required width [nm] to mm, rounded up to the two decimals of the warnings.
// A class of that width meets the requirement.
func requiredMM(width float64) float64 {
	const rounding = 1e-6 // tolerates the rounding of a width that has two decimals
	return math.Ceil(width/float64(10*board.Micrometre)-rounding) / 100
}
