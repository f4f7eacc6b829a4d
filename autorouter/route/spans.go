package route

// span is a range of nodes in one row, from the first to the last node inclusive.
type span struct{ from, to int32 }

// spanSet is a set of nodes stored as spans, which neither overlap nor touch within a row.
type spanSet struct {
	heads   []int32 // by row: 1 + index in links of its first span, or 0 if it is empty
	touched []int32 // rows with spans
	links   []spanLink
	count   int // number of spans in the set
}

type spanLink struct {
	span
	next int32
}

func (r *spanSet) reset(n int) {
	if len(r.heads) < n {
		r.heads = make([]int32, n)
	}
	for _, row := range r.touched {
		r.heads[row] = 0
	}
	r.touched, r.links, r.count = r.touched[:0], r.links[:0], 0
}

// add inserts a span and merges it with touching spans of its row.
func (r *spanSet) add(row int, it span) {
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
		r.count--
	}
	r.links = append(r.links, spanLink{span: it, next: r.heads[row]})
	r.heads[row] = int32(len(r.links))
	r.count++
}

// list returns the spans, row by row.
func (r *spanSet) list() []span {
	out := make([]span, 0, r.count)
	for _, row := range r.touched {
		for at := r.heads[row]; at != 0; at = r.links[at-1].next {
			out = append(out, r.links[at-1].span)
		}
	}
	return out
}
