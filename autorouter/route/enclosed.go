package route

import "slipstick/autorouter/budget"

// enclosed reports whether a search between others as walls is hopeless because one of its ends is
// shut in: both ends are flooded by turns, and when the smaller of the two floods dries up without
// meeting the other there is no way. Without it such a search would visit the whole board. It says no
// when both floods have grown large, which proves nothing.
func (rt *router) enclosed(q *query, ends [2][]int32) bool {
	const enough = 4000
	rt.epoch += 2
	var lists [2][]int32
	for side, nodes := range ends {
		list := rt.floods[side][:0]
		for _, node := range nodes {
			if mine := rt.epoch - uint32(side); rt.mark[node] != mine {
				if side == 1 && rt.mark[node] == rt.epoch {
					return false
				}
				rt.mark[node] = mine
				list = append(list, node)
			}
		}
		lists[side] = list
	}
	met := false
	next := [2]int{}
	for !met && next[0] < enough && next[1] < enough {
		side := 0
		if next[1] < next[0] {
			side = 1
		}
		if next[side] == len(lists[side]) {
			break
		}
		node := lists[side][next[side]]
		next[side]++
		rt.neighbours(q, node, func(to int32) {
			switch rt.mark[to] {
			case rt.epoch - uint32(side):
			case rt.epoch - uint32(1-side):
				met = true
			default:
				rt.mark[to] = rt.epoch - uint32(side)
				lists[side] = append(lists[side], to)
			}
		})
	}
	rt.floods = lists
	rt.opt.Meter.Add(budget.FloodNode, next[0]+next[1])
	return !met && next[0] < enough && next[1] < enough
}

// neighbours calls yield for the nodes a hard search may enter from a node.
func (rt *router) neighbours(q *query, node int32, yield func(to int32)) {
	g := &rt.grid
	wide, narrow := &g.planes[q.net.wide], &g.planes[q.net.narrow]
	open := func(to int32) bool {
		return rt.price(q, wide, to, straight) < never || rt.neck[to] == rt.neckMark && rt.price(q, narrow, to, straight) < never
	}
	flat, other := int(node), node+int32(g.size)
	if flat >= g.size {
		flat -= g.size
		other = int32(flat)
	}
	x, y := flat%g.w, flat/g.w
	for _, m := range moves {
		if nx, ny := x+int(m[0]), y+int(m[1]); nx < 0 || ny < 0 || nx >= g.w || ny >= g.h {
			continue
		}
		if to := node + int32(m[1])*int32(g.w) + int32(m[0]); open(to) {
			yield(to)
		}
	}
	if rt.price(q, &g.planes[q.net.drop], int32(flat), straight) < never && open(other) {
		yield(other)
	}
}
