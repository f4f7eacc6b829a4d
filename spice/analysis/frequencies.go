package analysis

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"slipstick/spice/device"
)

// The frequencies of a small-signal analysis are solved in blocks. Each block has its own matrix
// and searches for its own pivot order, so its result does not depend on the other blocks. The
// blocks are the same for any number of cores.
const (
	// blockEffort is the smallest product of frequencies and unknowns for which a sweep is divided.
	blockEffort = 10_000
	// fewestBlocks is the number of blocks of a divided sweep with short blocks.
	fewestBlocks = 8
	// longestBlock is the largest number of frequencies in a block of a divided sweep. It limits
	// the memory of .noise.
	longestBlock = 256
)

// blockLength returns the number of frequencies per block in a sweep of n frequencies.
func (s *sim) blockLength(n int) int {
	if n*s.n < blockEffort {
		return n
	}
	return min((n+fewestBlocks-1)/fewestBlocks, longestBlock)
}

// frequencyBlock is a range of successive frequencies.
type frequencyBlock struct {
	from, to int
	linear   *smallSignal
	solved   int   // number of frequencies before err
	err      error // error at the next frequency
	task     *task // nil if the block is solved in the goroutine of the caller
}

// sweep is the state of overFrequencies.
type sweep struct {
	*sim
	freqs   []float64                     // frequencies [Hz]
	solve   func(*smallSignal, int) error // solves one frequency, given by its index
	allowed int                           // number of frequencies within the budget of iterations
	awaited atomic.Int64                  // first frequency of the block whose progress is reported
	stopped atomic.Bool                   // set to end all blocks
}

// overFrequencies calls solve with the index of each frequency [Hz] of the card. solve stores its
// results under this index. Calls of solve with different smallSignals may run at the same time.
// commit is called in the order of the frequencies and may be nil.
//
// points is the number of frequencies with a result, and driven is set if a source has an AC value.
// If the budget ends after at least one frequency, overFrequencies stops with a warning instead of
// an error.
func (s *sim) overFrequencies(freqs []float64, solve func(l *smallSignal, k int) error,
	commit func(k int) error) (points int, driven bool, err error) {
	w := &sweep{sim: s, freqs: freqs, solve: solve,
		allowed: s.job.Budget.Newton - s.stats.NewtonIterations}
	length := s.blockLength(len(freqs))
	var ahead []*frequencyBlock // started blocks in order
	defer func() {
		w.stopped.Store(true)
		for _, b := range ahead {
			if b.task != nil {
				<-b.task.done
			}
		}
	}()
	started := 0
	for points < len(freqs) {
		// The blocks ahead may all be solved before one of them reports. The next block reports
		// only after this call.
		w.progress(w.job.Analysis.Kind, float64(points)/float64(len(freqs)))
		w.awaited.Store(int64(points))
		for started < len(freqs) && len(ahead) < max(s.job.Cores, 1) {
			b := &frequencyBlock{from: started, to: min(started+length, len(freqs))}
			started = b.to
			ahead = append(ahead, b)
			if s.job.Cores > 1 && length < len(freqs) {
				b.task = goTask(func() { w.run(b) })
			} else {
				w.run(b)
			}
		}
		b := ahead[0]
		if b.task != nil {
			b.task.wait()
		}
		ahead = ahead[1:]
		driven = driven || b.linear.driven
		for k := range b.to - b.from {
			if s.stats.NewtonIterations++; s.stats.NewtonIterations > s.job.Budget.Newton {
				err = errBudget
			} else if k == b.solved {
				err = b.err
			} else if commit != nil {
				err = commit(points)
			}
			if errors.Is(err, errBudget) && points > 0 {
				s.warn(fmt.Sprintf("stopped after %d of %d frequencies: %s", points, len(freqs),
					s.limit()))
				return points, driven, nil
			}
			if err != nil {
				return points, driven, err
			}
			points++
		}
	}
	return points, driven, nil
}

// run solves the frequencies of a block until the first error.
func (w *sweep) run(b *frequencyBlock) {
	b.linear = w.smallSignal()
	b.linear.ownScratch()
	for k := b.from; k < min(b.to, w.allowed) && !w.stopped.Load(); k++ {
		if w.awaited.Load() == int64(b.from) {
			w.progress(w.job.Analysis.Kind, float64(k)/float64(len(w.freqs)))
		}
		if k%min(16, 1+2000/(w.n+1)) == 0 {
			b.err = w.checkDeadline()
		}
		if b.err == nil {
			b.err = w.solve(b.linear, k)
		}
		if b.err != nil {
			return
		}
		b.solved++
	}
}

// ownScratch replaces each device that has scratch memory with a copy that has its own. Other
// smallSignals may then load at the same time.
func (l *smallSignal) ownScratch() {
	for k, d := range l.s.devices {
		c, ok := d.(device.ScratchDevice)
		if !ok {
			continue
		}
		if &l.devices[0] == &l.s.devices[0] {
			l.devices = slices.Clone(l.devices)
		}
		l.devices[k] = c.WithScratch()
	}
}

// truncate keeps the first n values of each vector.
func truncate(vecs []Vector, n int) {
	for k := range vecs {
		vecs[k].Values = vecs[k].Values[:n]
	}
}
