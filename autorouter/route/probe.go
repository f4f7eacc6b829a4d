package route

import "slices"

// probed is how many nodes a search looks at backwards from its goals before it sets out.
const probed = 200

// probe looks a little way back from the goals. A pad between others may be dear to enter, which the
// octile distance knows nothing of, and the search would look at everything that seems nearer before it
// paid. Within the places looked at the cost that is left is known, but for the turns; any way from beyond
// them comes in over their rim, and costs as much more than its bound as the cheapest place there. False when
// the goals are shut in and none of the seeds with them.
//
// On generated boards of up to 50 parts it spares a quarter of the time. On larger ones the way round the other
// nets is most of what the bound lacks, and nothing was gained.
func (rt *router) probe(q *query, goals, seeds []int32) bool {
	g := &rt.grid
	width, size := int32(g.w), int32(g.size)
	net := q.net
	wide, narrow, drop := &g.planes[net.wide], &g.planes[net.narrow], &g.planes[net.drop]
	bottom := 100 + rt.bottomTax
	steps := [2][2]int32{{straight, diagonal}, {straight * bottom / 100, diagonal * bottom / 100}}
	rt.queue.reset()
	rt.epoch += 2
	open, known := rt.epoch-1, rt.epoch
	reach := func(node, cost int32) {
		if m := rt.mark[node]; m == known || m == open && rt.ahead[node] <= cost {
			return
		}
		rt.mark[node], rt.ahead[node] = open, cost
		rt.queue.push(node, cost)
	}
	for _, node := range goals {
		reach(node, 0)
	}
	for looked := 0; looked < probed && !rt.queue.empty(); {
		node := rt.queue.pop()
		if rt.mark[node] == known {
			continue
		}
		rt.mark[node] = known
		looked++
		flat, layer, cost := node, int32(0), rt.ahead[node]
		if flat >= size {
			flat, layer = flat-size, 1
		}
		var enter [2]int32
		for k, step := range steps[layer] {
			enter[k] = rt.price(q, wide, node, step)
			if enter[k] > 0 && net.wide != net.narrow && rt.neck[node] == rt.neckMark {
				enter[k] = min(enter[k], rt.price(q, narrow, node, step)+step/3)
			}
			enter[k] += step
		}
		if enter[0] >= never {
			continue
		}
		y := int32(uint32(flat) / uint32(width))
		x := flat - y*width
		for d, m := range moves {
			nx, ny := x-int32(m[0]), y-int32(m[1])
			if nx >= 0 && ny >= 0 && nx < width && ny < int32(g.h) {
				reach(ny*width+nx+layer*size, cost+enter[d&1])
			}
		}
		if c := rt.price(q, drop, flat, q.viaCost); c < never {
			reach(flat+(1-layer)*size, cost+q.viaCost+c)
		}
	}
	const shut = 1 << 28 // more than any way costs, and far from what 32 bits hold
	q.probed, q.surplus = known, shut
	for !rt.queue.empty() {
		node := rt.queue.pop()
		if rt.mark[node] == open {
			flat, layer := node, int32(0)
			if flat >= size {
				flat, layer = flat-size, 1
			}
			q.surplus = min(q.surplus, rt.ahead[node]-q.bound(flat%width, flat/width, layer))
		}
	}
	rt.queue.reset()
	return q.surplus < shut || slices.ContainsFunc(seeds, func(node int32) bool { return rt.mark[node] == known })
}
