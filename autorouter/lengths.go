package autorouter

import (
	"fmt"
	"slices"

	"slipstick/autorouter/board"
)

// lengthGroups returns the length groups of the request and adds invalid groups to f.
func (q *Request) lengthGroups(nl *board.Netlist, rules *board.Rules,
	f *InvalidFields) []board.LengthGroup {
	var out []board.LengthGroup
	used := map[int]string{}
	for _, p := range rules.Pours() {
		used[p.Net] = "has a pour"
	}
	for i, given := range q.LengthGroups {
		group := board.LengthGroup{Tolerance: board.MM(given.ToleranceMM)}
		if len(given.Nets) < 2 {
			f.add(fmt.Sprintf("length_groups[%d].nets", i), 0, "a group needs two nets or more")
		}
		for k, name := range given.Nets {
			path := fmt.Sprintf("length_groups[%d].nets[%d]", i, k)
			net := slices.IndexFunc(nl.Nets, func(n board.Net) bool { return n.Name == name })
			if net < 0 {
				f.add(path, 0, "%q is no net of this netlist", name)
				continue
			}
			if reason := used[net]; reason != "" {
				f.add(path, 0, "%s %s; a length group needs nets of its own without a pour", name,
					reason)
			}
			used[net] = "is in a length group already"
			group.Nets = append(group.Nets, net)
		}
		out = append(out, group)
	}
	return out
}
