// Package capacity computes the number of workers that a load of queued jobs needs. It is a
// discrete-event simulation of the queue and its worker pool with measured service times. Jobs
// arrive at random and wait for a slot; running jobs share the cores. A batch uses the slots for
// which no job waits.
package capacity

import (
	"container/heap"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
)

// Load describes the stream of jobs and the slots and cores that serve it.
type Load struct {
	RatePerS float64   // arrival rate of a Poisson process [jobs/s]
	ServiceS []float64 // run times [s] measured on an idle core; each job draws one
	// OverheadS is the time [s] that the queue adds to each job: enqueue, notify and respond.
	OverheadS float64
	Slots     int // maximum number of concurrent jobs over all workers
	Cores     int // cores of all workers; if more jobs run, they share the cores evenly
	// BatchS contains measured run times [s] of a batch that always has runs left; empty for no
	// batch. Each free slot computes such runs, and a waiting job begins at the end of a run.
	BatchS []float64
}

// Outcome contains the response times and utilisation of a load.
type Outcome struct {
	P50S, P99S  float64 // 50 % and 99 % quantiles of the response time [s]
	WaitMeanS   float64 // mean time in the queue [s]
	WaitP99S    float64
	BatchPerS   float64 // batch runs per second
	Utilisation float64 // utilisation of the cores, 0 to 1
	// Stable reports whether the pool keeps up with the load. If it does not, the times only
	// reflect the final queue length.
	Stable bool
}

// Errors that Simulate returns.
var (
	ErrLoad = errors.New("a load needs a rate, service times, slots and cores above zero")
)

// Simulate simulates the given number of jobs. The statistics exclude the first tenth of them. The
// same seed yields the same outcome.
func Simulate(l Load, jobs int, seed uint64) (Outcome, error) {
	if l.RatePerS <= 0 || len(l.ServiceS) == 0 || l.Slots <= 0 || l.Cores <= 0 || jobs < 10 {
		return Outcome{}, ErrLoad
	}
	mean := 0.0
	for _, s := range slices.Concat(l.ServiceS, l.BatchS) {
		if !(s > 0) || math.IsInf(s, 1) {
			return Outcome{}, ErrLoad
		}
	}
	for _, s := range l.ServiceS {
		mean += s / float64(len(l.ServiceS))
	}
	random := rand.New(rand.NewPCG(seed, 0))
	var (
		pool     running
		queue    []job
		total    []float64
		waits    []float64
		now      float64
		busy     float64 // core-seconds
		arrived  int
		nextJob  = random.ExpFloat64() / l.RatePerS
		finished int
		batched  int
	)
	begin := func(j job) {
		j.began = now
		pool.start(j)
	}
	// next begins the next computation of a free slot: the first waiting job, otherwise a batch
	// run.
	next := func() {
		switch {
		case len(queue) > 0:
			begin(queue[0])
			queue = queue[1:]
		case len(l.BatchS) > 0:
			begin(job{number: batchRun, work: l.BatchS[random.IntN(len(l.BatchS))]})
		}
	}
	for range l.Slots {
		next()
	}
	for finished < jobs {
		rate := pool.rate(l.Cores)
		end := pool.nextEnd(now, rate)
		arrives := arrived < jobs && nextJob <= end
		at := end
		if arrives {
			at = nextJob
		}
		busy += (at - now) * math.Min(float64(len(pool.jobs)), float64(l.Cores))
		pool.advance(at-now, rate)
		now = at
		if arrives {
			j := job{number: arrived, arrived: now, work: l.ServiceS[random.IntN(len(l.ServiceS))]}
			arrived++
			nextJob = now + random.ExpFloat64()/l.RatePerS
			if len(pool.jobs) < l.Slots {
				begin(j)
			} else {
				queue = append(queue, j)
			}
			continue
		}
		j := pool.finish()
		if j.number == batchRun {
			batched++
			next()
			continue
		}
		finished++
		if j.number >= jobs/10 {
			total = append(total, now-j.arrived+l.OverheadS)
			waits = append(waits, j.began-j.arrived)
		}
		next()
	}
	waitMean := 0.0
	for _, w := range waits {
		waitMean += w / float64(len(waits))
	}
	slices.Sort(total)
	slices.Sort(waits)
	return Outcome{
		P50S: quantile(total, 0.5),
		P99S: quantile(total, 0.99), WaitMeanS: waitMean, WaitP99S: quantile(waits, 0.99),
		BatchPerS:   float64(batched) / now,
		Utilisation: busy / (now * float64(l.Cores)),
		Stable:      l.RatePerS*mean < float64(min(l.Slots, l.Cores)),
	}, nil
}

// SlotsFor returns the minimum number of slots for a 99 % quantile of the response time of at most
// p99S [s]. Each slot has its own core. It also returns the outcome with these slots. If even the
// maximum number of slots does not suffice, it returns 0.
func SlotsFor(l Load, p99S float64, most, jobs int, seed uint64) (int, Outcome, error) {
	// More slots never increase the response time, so bisection finds the minimum number.
	low, high := 1, most
	var best Outcome
	found := 0
	for low <= high {
		n := (low + high) / 2
		l.Slots, l.Cores = n, n
		out, err := Simulate(l, jobs, seed)
		if err != nil {
			return 0, out, err
		}
		if out.Stable && out.P99S <= p99S {
			found, best, high = n, out, n-1
		} else {
			low = n + 1
		}
	}
	return found, best, nil
}

// quantile returns a quantile of sorted values by the nearest-rank method.
func quantile(sorted []float64, q float64) float64 {
	return sorted[max(0, int(math.Ceil(q*float64(len(sorted))))-1)]
}

// batchRun is the index that marks a batch run.
const batchRun = -1

type job struct {
	number                      int
	arrived, began, work, until float64
}

// running contains the jobs in service under processor sharing. All jobs progress at the same rate,
// so their completion order is known when they start. A job completes when progress, the virtual
// time, reaches its until.
type running struct {
	jobs     []job
	progress float64
}

func (r *running) start(j job) {
	j.until = r.progress + j.work
	heap.Push((*byEnd)(r), j)
}

// rate returns the progress of each job per second.
func (r *running) rate(cores int) float64 {
	return math.Min(1, float64(cores)/math.Max(1, float64(len(r.jobs))))
}

func (r *running) nextEnd(now, rate float64) float64 {
	if len(r.jobs) == 0 {
		return math.Inf(1)
	}
	return now + math.Max(0, r.jobs[0].until-r.progress)/rate
}

func (r *running) advance(seconds, rate float64) { r.progress += seconds * rate }

func (r *running) finish() job { return heap.Pop((*byEnd)(r)).(job) }

// byEnd sorts running jobs by their end for container/heap.
type byEnd running

func (b *byEnd) Len() int           { return len(b.jobs) }
func (b *byEnd) Less(i, j int) bool { return b.jobs[i].until < b.jobs[j].until }
func (b *byEnd) Swap(i, j int)      { b.jobs[i], b.jobs[j] = b.jobs[j], b.jobs[i] }
func (b *byEnd) Push(x any)         { b.jobs = append(b.jobs, x.(job)) }
func (b *byEnd) Pop() any {
	last := b.jobs[len(b.jobs)-1]
	b.jobs = b.jobs[:len(b.jobs)-1]
	return last
}
