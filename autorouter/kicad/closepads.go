package kicad

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
	"slipstick/internal/text"
)

// Limits of the work of limitClosePads, which take at most about 0.3 s each. Further pads get no
// limit.
const (
	maxPadPairs     = 10_000_000 // pairs of pads whose bounding boxes are compared
	maxPadDistances = 500_000    // pairs of pads whose distance is computed
)

// limitClosePads returns a copy of the parts of b in which each pad too close to another pad of its
// part has a ClearanceLimit. Pads are too close if a track of width neck [nm] in the middle of the
// other pad violates the clearance of the net classes. The limit is the distance of the pads, at
// least minLimit [nm]. limitClosePads also returns the references of the parts with limits.
func limitClosePads(b *board.Board, neck, minLimit int64) (parts []board.Part, names []string) {
	clearance := func(p *board.Pad) int64 {
		if p.Net == board.NoNet {
			return b.Rules.Classes[0].Clearance
		}
		return b.Rules.Class(&b.Nets[p.Net]).Clearance
	}
	parts = slices.Clone(b.Parts)
	pairs, distances := 0, 0
	for i := range parts {
		pads := slices.Clone(parts[i].Pads)
		needs := make([]int64, len(pads))
		shapes, boxes := make([]geom.Shape, len(pads)), make([]board.Rect, len(pads))
		order := make([]int, len(pads))
		for k := range pads {
			shapes[k] = pads[k].Copper(0)
			boxes[k], order[k], needs[k] = shapes[k].Bounds(), k, clearance(&pads[k])
		}
		// A sweep from left to right compares each pad only with pads within its clearance in x.
		slices.SortFunc(order, func(k, l int) int {
			return cmp.Or(cmp.Compare(boxes[k].Min.X, boxes[l].Min.X), cmp.Compare(k, l))
		})
		found := false
		for at, k := range order {
			for _, l := range order[at+1:] {
				need := max(needs[k], needs[l])
				if boxes[l].Min.X > boxes[k].Max.X+need {
					break
				}
				if pairs++; pairs > maxPadPairs {
					return parts, names
				}
				if pads[k].Net == pads[l].Net || pads[k].Layers&pads[l].Layers == 0 ||
					!boxes[k].Grown(need).Overlaps(boxes[l]) {
					continue
				}
				if distances++; distances > maxPadDistances {
					return parts, names
				}
				gap := int64(geom.Distance(&shapes[k], &shapes[l]))
				if gap <= 0 || gap >= need || minLimit >= need {
					continue
				}
				for _, pair := range [2][2]*board.Pad{{&pads[k], &pads[l]}, {&pads[l], &pads[k]}} {
					from, beside := pair[0], pair[1]
					inside := max(0, min(from.Width, from.Height)-neck) / 2
					if from.Net == board.NoNet || gap+inside >= need {
						continue
					}
					found = true
					limit := max(gap, minLimit)
					if beside.ClearanceLimit > 0 {
						limit = min(limit, beside.ClearanceLimit)
					}
					beside.ClearanceLimit = limit
				}
			}
		}
		if found {
			parts[i].Pads = pads
			names = append(names, parts[i].Component.Ref)
		}
	}
	return parts, names
}

// closePadsWarning names the parts whose pads limitClosePads has given a limit.
func closePadsWarning(names []string) string {
	for i := range names {
		names[i] = text.Word(names[i])
	}
	if n := len(names) - maxListed; n > 0 {
		names = append(names[:maxListed:maxListed], fmt.Sprintf("%d more parts", n))
	}
	return "pads of " + strings.Join(names, ", ") +
		" are closer to each other than their net classes allow: tracks keep the distance of the" +
		" pads there, and KiCad reports them like the pads"
}
