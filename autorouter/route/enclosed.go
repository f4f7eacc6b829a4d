package route

import "slipstick/autorouter/budget"

// isEnclosed reports whether a hard search cannot succeed because its goals (ends[0]) or its
// sources (ends[1]) are enclosed. It floods from both ends in turn. If the smaller flood is
// exhausted before the floods meet, there is no path; A* would expand the entire board to prove
// that. Two large floods prove nothing, so the result is then false.
func (rt *router) isEnclosed(q *searchQuery, ends [2][]int32) bool {
	rt.epoch += 2
	var lists [2][]int32
	for side, nodes := range ends {
		list := rt.floods[side][:0]
		for _, node := range nodes {
			if mine := rt.epoch - uint32(side); rt.marks[node] != mine {
				if side == 1 && rt.marks[node] == rt.epoch {
					return false
				}
				rt.marks[node] = mine
				list = append(list, node)
			}
		}
		lists[side] = list
	}
	met := false
	next := [2]int{}
	for !met && next[0] < maxFlood && next[1] < maxFlood {
		side := 0
		if next[1] < next[0] {
			side = 1
		}
		if next[side] == len(lists[side]) {
			break
		}
		node := lists[side][next[side]]
		next[side]++
		rt.eachNeighbour(q, node, func(to int32) {
			switch rt.marks[to] {
			case rt.epoch - uint32(side):
			case rt.epoch - uint32(1-side):
				met = true
			default:
				rt.marks[to] = rt.epoch - uint32(side)
				lists[side] = append(lists[side], to)
			}
		})
	}
	rt.floods = lists
	rt.opt.Meter.Add(budget.FloodNode, next[0]+next[1])
	return !met && next[0] < maxFlood && next[1] < maxFlood
}

// eachNeighbour calls yield for the nodes that a hard search may enter from a given node.
func (rt *router) eachNeighbour(q *searchQuery, node int32, yield func(to int32)) {
	g := &rt.grid
	trackMap, neckMap := &g.maps[q.net.trackMap], &g.maps[q.net.neckMap]
	open := func(to int32) bool {
		return rt.enterCost(q, trackMap, to, straightCost) < infinite ||
			rt.neckNodes[to] == rt.neckStamp && rt.enterCost(q, neckMap, to,
				straightCost) < infinite
	}
	flat, layer := g.split(node)
	x, y := int(flat)%g.w, int(flat)/g.w
	for _, m := range directions {
		if nx, ny := x+int(m[0]), y+int(m[1]); nx < 0 || ny < 0 || nx >= g.w || ny >= g.h {
			continue
		}
		if to := node + int32(m[1])*int32(g.w) + int32(m[0]); open(to) {
			yield(to)
		}
	}
	if rt.enterCost(q, &g.maps[q.net.viaMap], flat, straightCost) >= infinite {
		return
	}
	for to := range int32(g.layers) {
		if other := flat + to*int32(g.size); to != layer && open(other) {
			yield(other)
		}
	}
}
