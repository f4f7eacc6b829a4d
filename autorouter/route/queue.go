package route

// queue holds the nodes a search has reached, the cheapest estimate first to within a sixth of a
// step; of those the newest comes first, which is nearest to the goal. It is an array of lists by
// estimate (Dial's buckets): the estimates that A* takes out only rise.
type queue struct {
	items []queued
	heads [slots]int32 // one more than the index of a list's newest item, 0 for none
	first int32        // bucket that is emptied now
	held  int          // items in the lists
	later []distant    // items beyond the last list
}

// queued is a node in a list.
type queued struct{ node, next int32 }

// distant is a node with the least that a whole way over it will cost.
type distant struct{ node, whole int32 }

const (
	slots   = 4096
	perSlot = 4 // power of two: a bucket is 16 hundredths of a step wide
)

func (q *queue) reset() {
	if q.held > 0 {
		clear(q.heads[:])
	}
	q.items, q.later, q.first, q.held = q.items[:0], q.later[:0], 0, 0
}

func (q *queue) empty() bool { return q.held == 0 && len(q.later) == 0 }

// push notes a node and the least that a whole way over it will cost.
func (q *queue) push(node, whole int32) {
	bucket := max(whole>>perSlot, q.first)
	if bucket >= q.first+slots {
		q.later = append(q.later, distant{node, whole})
		return
	}
	head := &q.heads[bucket&(slots-1)]
	q.items = append(q.items, queued{node, *head})
	*head = int32(len(q.items))
	q.held++
}

// pop gives the node of an item. Of a node that was pushed more than once the cheapest way comes first:
// its bucket is not later, and in one bucket it is the newest.
func (q *queue) pop() int32 {
	if q.held == 0 {
		q.refill()
	}
	for q.heads[q.first&(slots-1)] == 0 {
		q.first++
	}
	head := &q.heads[q.first&(slots-1)]
	it := q.items[*head-1]
	*head = it.next
	q.held--
	return it.node
}

// refill moves on to the buckets of the items that were too far away.
func (q *queue) refill() {
	q.items = q.items[:0]
	q.first = q.later[0].whole >> perSlot
	for _, it := range q.later {
		q.first = min(q.first, it.whole>>perSlot)
	}
	waiting := q.later
	q.later = q.later[:0]
	for _, it := range waiting {
		q.push(it.node, it.whole)
	}
}
