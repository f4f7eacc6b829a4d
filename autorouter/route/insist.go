package route

import "slipstick/autorouter/board"

// insist completes nets one at a time by taking up what is in their way: an incomplete net is laid
// through the others at a high price, those it comes too near to are taken up and laid again
// between all the rest, and whichever of them finds no way has its turn later. Disputed places
// remember that they were, so that two nets cannot chase each other for ever. The state with the
// fewest open joins is kept; enough is how many of them will do, and hurry divides the patience.
func (rt *router) insist(enough, hurry int) {
	if len(rt.order) == 0 {
		return
	}
	patience := 40 + 6000/len(rt.order) // turns are dearer on large boards
	switch rt.opt.Effort {
	case Fast:
		patience /= 3
	case High:
		patience *= 4
	}
	patience /= hurry
	best, since := rt.missing(), 0
	saved := rt.save()
	for turn := 0; best > enough && since < patience && !rt.cancelled(); turn++ {
		i := rt.nextOpen(turn)
		if i < 0 {
			break
		}
		rt.passes++
		rt.giveWay(i, insistence[turn%len(insistence)])
		now := rt.missing()
		if now < best && !rt.cancelled() {
			best, since, saved = now, 0, rt.save()
		} else {
			since++
		}
		rt.report(float64(since)/float64(patience), 1-float64(best)/float64(rt.joins))
	}
	rt.restore(saved)
}

// nextOpen takes turns among the incomplete nets.
func (rt *router) nextOpen(turn int) int {
	var open []int
	for _, i := range rt.order {
		if len(rt.nets[i].copper.missing) > 0 && i != rt.frozen {
			open = append(open, i)
		}
	}
	if len(open) == 0 {
		return board.NoNet
	}
	return open[turn%len(open)]
}

// giveWay lays a net through the others and then those it disturbs.
func (rt *router) giveWay(i int, press int64) {
	rt.relay(i, rt.softQuery(press))
	rt.makeRoom(i)
}

// makeRoom lays anew the nets that the copper of one has come too near to.
func (rt *router) makeRoom(i int) {
	rt.conflicts(&rt.nets[i], grudge)
	var out []int
	for _, k := range rt.order {
		if k != i && k != rt.frozen && rt.conflicts(&rt.nets[k], grudge) > 0 {
			out = append(out, k)
		}
	}
	for _, k := range out {
		rt.prune(&rt.nets[k])
	}
	for _, k := range out {
		rt.regrow(&rt.nets[k], rt.hardQuery())
	}
	rt.evict()
}

// insistence is what a conflict costs, in hundredths of the step it is on, in turns: with little
// the net disturbs many others and goes straight, with much it goes far to disturb few.
var insistence = [...]int64{1000, 300, 3000}

// grudge is what a dispute adds to the history of its place: half the step.
const grudge = 32
