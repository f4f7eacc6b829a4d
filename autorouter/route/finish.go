package route

// smoothAndRepour smooths the tracks and pours. Smoothing moves tracks, which can split the pour;
// the separate islands then get a track on the grid, which smoothing keeps, and all nets are
// smoothed again.
func (rt *router) smoothAndRepour() {
	intact := rt.pourLayers != 0 && len(rt.nets[rt.board.Rules.GroundNet].copper.open) == 0
	for round := range finishRounds {
		saved := rt.snapshot()
		rt.smooth(rt.order)
		rt.connectPour(false)
		if rt.pourLayers == 0 || rt.cancelled() {
			return
		}
		n := &rt.nets[rt.board.Rules.GroundNet]
		open := n.copper.open
		switch {
		case len(open) == 0:
			return
		case round == finishRounds-1 && intact:
			rt.restoreAll(saved)
			rt.smoothKeepingPour(n)
			return
		case round == finishRounds-1:
			return
		}
		finished := rt.snapshot()
		rt.restoreAll(saved)
		n.copper.open = nil
		added := false
		for _, pair := range open {
			at, before := rt.snapshot(), rt.openCount()
			ends := func(q *searchQuery) {
				q.goalBox = emptyBox
				for _, a := range n.terms[pair[0]].access {
					rt.addGoal(q, a.node)
				}
				for _, a := range n.terms[pair[1]].access {
					rt.addSource(q, a.node)
				}
			}
			ok := rt.addConnection(n, rt.hardQuery(), ends) || rt.addConnectionThrough(n, before, ends)
			if ok && rt.openCount() <= before && rt.conflicts(n, 0) == 0 && !rt.cancelled() {
				added = true
			} else {
				rt.restoreAll(at)
			}
		}
		if !added {
			if intact {
				rt.smoothKeepingPour(n)
				return
			}
			rt.restoreAll(finished)
			rt.connectPour(false)
			return
		}
	}
}

// smoothKeepingPour smooths all nets except those whose smoothing would split the (so far unbroken)
// pour. Groups of nets are tried together; a group that splits it is bisected.
func (rt *router) smoothKeepingPour(n *netState) {
	var queue [][]int
	for k := range smoothGroups {
		var nets []int
		for i := k; i < len(rt.order); i += smoothGroups {
			nets = append(nets, rt.order[i])
		}
		queue = append(queue, nets)
	}
	intact := true
	for len(queue) > 0 {
		nets := queue[0]
		queue = queue[1:]
		if len(nets) == 0 {
			continue
		}
		saved := rt.snapshot()
		rt.smooth(nets)
		rt.connectPour(false)
		if rt.cancelled() {
			return
		}
		if intact = len(n.copper.open) == 0; intact {
			continue
		}
		rt.restoreAll(saved)
		if half := len(nets) / 2; half > 0 {
			queue = append([][]int{nets[:half], nets[half:]}, queue...)
		}
	}
	if !intact {
		rt.connectPour(false)
	}
}
