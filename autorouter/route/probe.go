package route

// ahead is what the way from a cell on to the goals costs at least.
type ahead struct {
	cost   int32
	search uint32 // the number of the search that it holds for
	known  bool   // no cheaper way will be found
}

// probed is how many nodes a search looks at backwards from its goals before it sets out.
const probed = 200

// probe looks a little way back from the goals. A pad between others may be dear to enter, which the
// octile distance knows nothing of, and the search would look at everything that seems nearer before it
// paid. Within the places looked at the cost that is left is known, but for the turns; any way from beyond
// them comes in over their rim, and costs as much more than its bound as the cheapest place there. False when
// the goals are shut in.
func (rt *router) probe(q *query, goals []int32) bool {
	g := &rt.grid
	width, size := int32(g.w), int32(g.size)
	net := q.net
	wide, narrow, drop := &g.planes[net.wide], &g.planes[net.narrow], &g.planes[net.drop]
	bottom := 100 + rt.bottomTax
	steps := [2][2]int32{{straight, diagonal}, {straight * bottom / 100, diagonal * bottom / 100}}
	rt.queue.reset()
	reach := func(flat, layer, cost int32) {
		a := &rt.ahead[2*flat+layer]
		if a.search == rt.visit && (a.known || a.cost <= cost) {
			return
		}
		*a = ahead{cost, rt.visit, false}
		rt.queue.push(2*flat+layer, cost)
	}
	for _, node := range goals {
		if node >= size {
			reach(node-size, 1, 0)
		} else {
			reach(node, 0, 0)
		}
	}
	for looked := 0; looked < probed && !rt.queue.empty(); {
		at := rt.queue.pop()
		a := &rt.ahead[at]
		if a.known {
			continue
		}
		a.known = true
		looked++
		flat, layer := at>>1, at&1
		node := flat + layer*size
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
				reach(ny*width+nx, layer, a.cost+enter[d&1])
			}
		}
		if c := rt.price(q, drop, flat, q.viaCost); c < never {
			reach(flat, 1-layer, a.cost+q.viaCost+c)
		}
	}
	q.probed, q.surplus = true, never
	for !rt.queue.empty() {
		at := rt.queue.pop()
		if a := &rt.ahead[at]; !a.known {
			flat, layer := at>>1, at&1
			q.surplus = min(q.surplus, a.cost-q.bound(flat%width, flat/width, layer))
		}
	}
	rt.queue.reset()
	return q.surplus < never
}
