package autorouter

import (
	"fmt"
	"slices"

	"slipstick/autorouter/board"
)

// maxPairCurrent is the largest declared current [A] of a net that its name makes part of a
// differential pair. An RS-485 driver supplies up to 0.06 A, an amplifier or motor driver more.
const maxPairCurrent = 0.1

// pairs returns the differential pairs of the request and adds invalid pairs to f. With AutoPairs,
// the pairs recognized by their net names follow. Supply nets, nets with a pour and nets with a
// current above maxPairCurrent are never paired by name.
func (q *Request) pairs(nl *board.Netlist, rules *board.Rules, f *InvalidFields) []board.Pair {
	var out []board.Pair
	used := map[int]string{}
	for _, p := range rules.Pours() {
		used[p.Net] = "has a pour"
	}
	for i, given := range q.DifferentialPairs {
		var nets [2]int
		ok := true
		for k, name := range []string{given.Positive, given.Negative} {
			path := fmt.Sprintf("differential_pairs[%d].%s", i,
				[...]string{"positive", "negative"}[k])
			nets[k] = slices.IndexFunc(nl.Nets, func(n board.Net) bool {
				return n.Name == name
			})
			if nets[k] < 0 {
				f.add(path, 0, "%q is no net of this netlist", name)
				ok = false
			} else if reason := used[nets[k]]; reason != "" {
				f.add(path, 0, "%s %s; a pair needs two nets of its own without a pour",
					name, reason)
				ok = false
			} else {
				used[nets[k]] = "is in a pair already"
			}
		}
		if !ok {
			continue
		}
		p := rules.Pair(nl.Nets, nets[0], nets[1])
		if given.GapMM != nil {
			p.Gap = board.MM(*given.GapMM)
			least := max(rules.Class(&nl.Nets[nets[0]]).Clearance,
				rules.Class(&nl.Nets[nets[1]]).Clearance)
			if p.Gap < least {
				f.add(fmt.Sprintf("differential_pairs[%d].gap_mm", i), 0,
					"is %g mm, below the clearance of %g mm between the two nets", *given.GapMM,
					board.ToMM(least))
			}
		}
		out = append(out, p)
	}
	if !q.AutoPairs {
		return out
	}
	return append(out, rules.NamedPairs(nl.Nets, func(i int) bool {
		return used[i] != "" || nl.Nets[i].Supply || nl.Nets[i].Current > maxPairCurrent ||
			hasCrystal(nl, i)
	})...)
}

// hasCrystal reports whether a net has a pin of a crystal. The two nets of a crystal, such as OSC_P
// and OSC_N, are no differential pair.
func hasCrystal(nl *board.Netlist, net int) bool {
	return slices.ContainsFunc(nl.Nets[net].Pins, func(p board.PinRef) bool {
		return nl.Components[p.Component].IsCrystal()
	})
}
