package route

// smoothAndRepour smooths the tracks, widens necks and refills the pours. Necks stay narrow if a
// pour is split. Smoothing moves tracks, which can split a pour. In that case the unsmoothed tracks
// are restored, the separate islands are connected by further tracks, and all nets are smoothed
// again. If smoothing splits an intact pour in the last round too, the nets that cause this are not
// smoothed.
func (rt *router) smoothAndRepour() {
	intact := len(rt.pours) > 0 && len(rt.pourOpens()) == 0
	for round := range finishRounds {
		saved := rt.snapshot()
		rt.smooth(rt.order)
		narrow := rt.snapshot()
		wider := rt.widen(rt.order)
		rt.connectPours(false)
		if wider && len(rt.pourOpens()) > 0 && !rt.cancelled() {
			rt.restoreAll(narrow)
			rt.connectPours(false)
		}
		if len(rt.pours) == 0 || rt.cancelled() {
			return
		}
		open := rt.pourOpens()
		switch {
		case len(open) == 0:
			return
		case round == finishRounds-1 && intact:
			rt.restoreAll(saved)
			rt.smoothKeepingPours()
			return
		case round == finishRounds-1:
			return
		}
		finished := rt.snapshot()
		rt.restoreAll(saved)
		for i := range rt.pours {
			rt.nets[rt.pours[i].net].copper.open = nil
		}
		added := false
		for _, o := range open {
			n, pair := o.net, o.pair
			at, before := rt.snapshot(), rt.openCount()
			ends := func(q *searchQuery) {
				q.goalBox = emptyBox
				rt.eachAccess(q, &n.terms[pair[0]], func(node int32) { rt.addGoal(q, node) })
				rt.eachAccess(q, &n.terms[pair[1]], func(node int32) { rt.addSource(q, node) })
			}
			ok := rt.addConnection(n, rt.hardQuery(), ends) ||
				rt.addConnectionThrough(n, before, ends)
			if ok && rt.openCount() <= before && rt.countConflicts(n) == 0 && !rt.cancelled() {
				added = true
			} else {
				rt.restoreAll(at)
			}
		}
		if !added {
			if intact {
				rt.smoothKeepingPours()
				return
			}
			rt.restoreAll(finished)
			rt.connectPours(false)
			return
		}
	}
}

// pourOpen is an open connection between two islands of a pour.
type pourOpen struct {
	net  *netState
	pair [2]int // terminal indices
}

// pourOpens returns the open connections of the nets with a pour.
func (rt *router) pourOpens() []pourOpen {
	var out []pourOpen
	for i := range rt.pours {
		n := &rt.nets[rt.pours[i].net]
		for _, pair := range n.copper.open {
			out = append(out, pourOpen{n, pair})
		}
	}
	return out
}

// smoothKeepingPours smooths all nets except those whose smoothing would split a pour that is still
// in one piece. Nets are tried in groups; a group that splits a pour is bisected.
func (rt *router) smoothKeepingPours() {
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
		rt.connectPours(false)
		if rt.cancelled() {
			return
		}
		if intact = len(rt.pourOpens()) == 0; intact {
			continue
		}
		rt.restoreAll(saved)
		if half := len(nets) / 2; half > 0 {
			queue = append([][]int{nets[:half], nets[half:]}, queue...)
		}
	}
	if !intact {
		rt.connectPours(false)
	}
}
