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

// Outcome contains the response times and utilization of a load.
type Outcome struct {
	P50S, P99S  float64 // 50 % and 99 % quantiles of the response time [s]
	WaitMeanS   float64 // mean time in the queue [s]
	WaitP99S    float64
	BatchPerS   float64 // batch runs per second
	Utilization float64 // utilization of the cores, 0 to 1
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
	for _, s := range slices.Concat(l.ServiceS, l.BatchS) {
		if !(s > 0) || math.IsInf(s, 1) {
			return Outcome{}, ErrLoad
		}
	}
	s := simulation{load: l, jobs: jobs, random: rand.New(rand.NewPCG(seed, 0))}
	s.drawArrival()
	for range l.Slots {
		s.fillSlot()
	}
	for s.finished < jobs {
		s.step()
	}
	return s.outcome(), nil
}

// simulation is the state of Simulate. Times are in seconds.
type simulation struct {
	load   Load
	jobs   int // total number of jobs
	random *rand.Rand

	now         float64
	nextArrival float64
	arrived     int
	queue       []job
	pool        running

	finished     int
	batchRuns    int
	busy         float64 // core-seconds
	total, waits []float64
}

// drawArrival sets the time of the next arrival.
func (s *simulation) drawArrival() { s.nextArrival = s.now + s.random.ExpFloat64()/s.load.RatePerS }

// draw returns a random element of measured run times.
func (s *simulation) draw(times []float64) float64 { return times[s.random.IntN(len(times))] }

// begin starts a job in a free slot.
func (s *simulation) begin(j job) {
	j.began = s.now
	s.pool.start(j)
}

// fillSlot starts the next computation of a free slot: the first waiting job, otherwise a batch
// run.
func (s *simulation) fillSlot() {
	switch {
	case len(s.queue) > 0:
		s.begin(s.queue[0])
		s.queue = s.queue[1:]
	case len(s.load.BatchS) > 0:
		s.begin(job{number: batchRun, work: s.draw(s.load.BatchS)})
	}
}

// step advances to the next event, which is the arrival of a job or the end of a computation.
func (s *simulation) step() {
	rate := s.pool.rate(s.load.Cores)
	end := s.pool.nextEnd(s.now, rate)
	arrives := s.arrived < s.jobs && s.nextArrival <= end
	at := end
	if arrives {
		at = s.nextArrival
	}
	s.busy += (at - s.now) * math.Min(float64(len(s.pool.jobs)), float64(s.load.Cores))
	s.pool.advance(at-s.now, rate)
	s.now = at
	if arrives {
		s.arrive()
	} else {
		s.finish()
	}
}

// arrive starts the job that arrives now, or adds it to the queue.
func (s *simulation) arrive() {
	j := job{number: s.arrived, arrived: s.now, work: s.draw(s.load.ServiceS)}
	s.arrived++
	s.drawArrival()
	if len(s.pool.jobs) < s.load.Slots {
		s.begin(j)
	} else {
		s.queue = append(s.queue, j)
	}
}

// finish ends the computation whose work is done, records its times and refills its slot.
func (s *simulation) finish() {
	j := s.pool.finish()
	if j.number == batchRun {
		s.batchRuns++
	} else {
		s.finished++
	}
	if j.number >= s.jobs/10 {
		s.total = append(s.total, s.now-j.arrived+s.load.OverheadS)
		s.waits = append(s.waits, j.began-j.arrived)
	}
	s.fillSlot()
}

// outcome returns the statistics of the finished jobs.
func (s *simulation) outcome() Outcome {
	slices.Sort(s.total)
	slices.Sort(s.waits)
	l := s.load
	return Outcome{
		P50S: quantile(s.total, 0.5), P99S: quantile(s.total, 0.99),
		WaitMeanS: mean(s.waits), WaitP99S: quantile(s.waits, 0.99),
		BatchPerS:   float64(s.batchRuns) / s.now,
		Utilization: s.busy / (s.now * float64(l.Cores)),
		Stable:      l.RatePerS*mean(l.ServiceS) < float64(min(l.Slots, l.Cores)),
	}
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
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
