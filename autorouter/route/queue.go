package route

// queue is a bucket queue (Dial 1969) of the reached nodes, sorted by the estimated cost of a
// complete path. A bucket is 16 hundredths of a grid step wide. Within a bucket the newest node
// comes first, because it is closest to the goal. With a weighted heuristic an estimate can be
// below the current bucket; the node then enters the current bucket.
type queue struct {
	items    []bucketItem
	heads    [bucketCount]int32 // by bucket: 1 + index of its newest item, or 0 if it is empty
	current  int32              // bucket from which nodes are removed
	count    int                // number of items in the buckets
	overflow []overflowItem     // items with estimates beyond the last bucket
}

// bucketItem is a node in a bucket; next is 1 + the index of the next older item, or 0.
type bucketItem struct{ node, next int32 }

// overflowItem is a node with the estimated cost of a complete path through it.
type overflowItem struct{ node, estimate int32 }

const (
	bucketCount = 4096
	bucketShift = 4 // log2 of the bucket width in hundredths of a grid step
)

func (q *queue) reset() {
	if q.count > 0 {
		clear(q.heads[:])
	}
	q.items, q.overflow, q.current, q.count = q.items[:0], q.overflow[:0], 0, 0
}

func (q *queue) empty() bool { return q.count == 0 && len(q.overflow) == 0 }

// push adds a node with the estimated cost of a complete path through it [hundredths of a grid
// step].
func (q *queue) push(node, whole int32) {
	bucket := max(whole>>bucketShift, q.current)
	if bucket >= q.current+bucketCount {
		q.overflow = append(q.overflow, overflowItem{node, whole})
		return
	}
	head := &q.heads[bucket&(bucketCount-1)]
	q.items = append(q.items, bucketItem{node, *head})
	*head = int32(len(q.items))
	q.count++
}

// pop removes a node from the lowest bucket that is not empty. If a node was pushed more than once,
// the item of its cheapest path is removed first. That item was pushed last and into the lowest
// bucket.
func (q *queue) pop() int32 {
	if q.count == 0 {
		q.refill()
	}
	for q.heads[q.current&(bucketCount-1)] == 0 {
		q.current++
	}
	head := &q.heads[q.current&(bucketCount-1)]
	it := q.items[*head-1]
	*head = it.next
	q.count--
	return it.node
}

// refill moves the overflow items into the buckets.
func (q *queue) refill() {
	q.items = q.items[:0]
	q.current = q.overflow[0].estimate >> bucketShift
	for _, it := range q.overflow {
		q.current = min(q.current, it.estimate>>bucketShift)
	}
	waiting := q.overflow
	q.overflow = q.overflow[:0]
	for _, it := range waiting {
		q.push(it.node, it.estimate)
	}
}

// searchNode is the A* record of a node. It holds the cost of the path to the node and a tag. The
// tag holds three values. The first is the direction of the last step with flags (8 bits). The
// second (5 bits) is the number of steps since the last via, or after a via the layer that it comes
// from. The third is the search number. The record is valid only for that search. The layers of a
// position are adjacent in memory because searches read them together.
type searchNode struct {
	cost int32
	tag  uint32
}

// Bit offsets in a tag.
const (
	layerShift  = 8
	searchShift = 13
)

func (c searchNode) entry() uint8 { return uint8(c.tag) }

// fromLayer returns the layer that a via comes from.
func (c searchNode) fromLayer() int32 {
	return int32(c.tag >> layerShift & (1<<(searchShift-layerShift) - 1))
}
