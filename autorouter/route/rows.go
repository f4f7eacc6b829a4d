package route

// run is a stretch of a row of nodes, its first and its last.
type run struct{ from, to int32 }

// rows gathers runs into a set of nodes: in each row they neither overlap nor meet.
type rows struct {
	heads   []int32 // of each row's list, one more than its index in links, 0 for none
	touched []int32 // rows with a list
	links   []link
	held    int // links in the lists
}

type link struct {
	run
	next int32
}

func (r *rows) reset(n int) {
	if len(r.heads) < n {
		r.heads = make([]int32, n)
	}
	for _, row := range r.touched {
		r.heads[row] = 0
	}
	r.touched, r.links, r.held = r.touched[:0], r.links[:0], 0
}

// add joins a run with those of its row that it meets.
func (r *rows) add(row int, it run) {
	at := &r.heads[row]
	if *at == 0 {
		r.touched = append(r.touched, int32(row))
	}
	for *at != 0 {
		old := &r.links[*at-1]
		if it.from > old.to+1 || it.to+1 < old.from {
			at = &old.next
			continue
		}
		it.from, it.to = min(it.from, old.from), max(it.to, old.to)
		*at = old.next
		r.held--
	}
	r.links = append(r.links, link{run: it, next: r.heads[row]})
	r.heads[row] = int32(len(r.links))
	r.held++
}

// list gives the runs, row by row.
func (r *rows) list() []run {
	out := make([]run, 0, r.held)
	for _, row := range r.touched {
		for at := r.heads[row]; at != 0; at = r.links[at-1].next {
			out = append(out, r.links[at-1].run)
		}
	}
	return out
}
