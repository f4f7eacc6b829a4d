package autorouter

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"slipstick/autorouter/board"
	"slipstick/autorouter/export"
	"slipstick/autorouter/route"
)

// denseBoard returns a request with parts of two or sixteen pads and nets of two random pads each.
// side is the board width and height [mm]; 0 selects the automatic size. utilization is in [%].
func denseBoard(parts int, side, utilization float64, seed uint64) *Request {
	q := openBoard()
	q.Keepouts, q.Components, q.Nets, q.Exports = nil, nil, nil, nil
	q.WidthMM, q.HeightMM, q.UtilizationPct = nil, nil, utilization
	if side > 0 {
		q.WidthMM, q.HeightMM = &side, &side
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	var pads []string
	for i := range parts {
		one := Component{Ref: fmt.Sprintf("R%d", i+1), Footprint: "R_0805"}
		n := 2
		if i%4 == 0 {
			one, n = Component{Ref: fmt.Sprintf("U%d", i+1), Footprint: "SOIC-16"}, 16
		}
		q.Components = append(q.Components, one)
		for k := range n {
			pads = append(pads, fmt.Sprintf("%s.%d", one.Ref, k+1))
		}
	}
	rng.Shuffle(len(pads), func(i, j int) { pads[i], pads[j] = pads[j], pads[i] })
	for i := 0; i+1 < len(pads); i += 2 {
		q.Nets = append(q.Nets, Net{Name: fmt.Sprintf("N%d", i/2), Pins: pads[i : i+2]})
	}
	return q
}

// oneLayer adds to q a keepout that forbids tracks and vias on the bottom layer, and returns q.
func oneLayer(q *Request) *Request {
	q.Keepouts = []Keepout{{WidthMM: 400, HeightMM: 400, Layers: []string{"bottom"}, Tracks: true,
		Vias: true}}
	return q
}

// TestCoresDoNotMatter verifies that one, two and eight cores yield the same attempt, work and
// files. The result is complete after the first attempt, after a later attempt, or never. The board
// grows in one case, and the time limit ends another.
func TestCoresDoNotMatter(t *testing.T) {
	limited := func(q *Request, seconds float64) *Request {
		q.TimeLimitS = seconds
		return q
	}
	for _, c := range []struct {
		name     string
		q        *Request
		attempts int // minimum number of attempts with one core
		complete bool
	}{
		{"complete at once", denseBoard(8, 0, 35, 1), 1, true},
		{"completed by a later attempt", limited(oneLayer(denseBoard(6, 30, 45, 1)), 3), 2, true},
		{"never complete", openBoard(), 3, false},
		{"grows", limited(oneLayer(denseBoard(5, 0, 60, 4)), 0.7), 2, false},
		{"ended by the limit", limited(oneLayer(denseBoard(5, 30, 45, 3)), 0.5), 2, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var want string
			for _, cores := range []int{1, 2, 8} {
				attempts, before, last := 0, "", 0.0
				l, err := newLayout(c.q, func(phase string, done, _ float64) {
					if phase == "placement" && before != phase {
						attempts++
					}
					if done < last {
						t.Errorf("progress %g after %g", done, last)
					}
					before, last = phase, done
				})
				if err != nil {
					t.Fatal(err)
				}
				l.cores = cores
				l.schedule.wall = func() time.Time { return l.schedule.start }
				o, err := l.bestOutcome(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%d cores: %d attempts reported; best %+v with %d defects after %v, "+
					"time limited %v", cores, attempts, o.attempt, o.defects(),
					l.schedule.meter.Spent(), o.TimeLimited)
				files, err := export.All(context.Background(), o.Board, export.Options{
					Name: "board", Formats: []string{"kicad", "gerber"}, Silkscreen: o.silkscreen})
				if err != nil {
					t.Fatal(err)
				}
				got := fmt.Sprint(o.attempt, o.Passes, o.TimeLimited, l.schedule.meter.Spent())
				for _, f := range files {
					got += f.Content
				}
				if cores == 1 && attempts < c.attempts {
					t.Errorf("%d attempts, %d expected", attempts, c.attempts)
				}
				if complete := o.defects() == 0; complete != c.complete {
					t.Errorf("%d defects", o.defects())
				}
				if want == "" {
					want = got
				} else if got != want {
					t.Errorf("another board on %d cores", cores)
				}
			}
		})
	}
}

// TestBestOfAttempts verifies that, after a complete board, the result is the attempt with the
// least sum of track length and 5 mm per via. The attempts end with the last one of the board size,
// or when the next one would exceed improvementShare of the time limit.
func TestBestOfAttempts(t *testing.T) {
	q := denseBoard(6, 0, 35, 4)
	q.TimeLimitS = 240
	var want *outcome
	wire := func(o *outcome) float64 {
		sum := 5e6 * float64(len(o.Board.Vias)-o.Electrical.Added())
		for _, c := range o.Board.Tracks {
			sum += math.Hypot(float64(c.B.X-c.A.X), float64(c.B.Y-c.A.Y))
		}
		return sum
	}
	var first time.Duration
	for k := range 3 {
		l, err := newLayout(q, nil)
		if err != nil {
			t.Fatal(err)
		}
		o, err := l.run(context.Background(), l.schedule, attempt{number: k, sameSizeTry: k}, 0,
			func(string, float64, float64) {})
		if err != nil || o.defects() > 0 || o.DRC.WarningCount > 0 {
			t.Fatalf("attempt %d: %v, %d defects", k, err, o.defects())
		}
		t.Logf("attempt %d: %.1f mm after %v, %d labels missing", k, wire(o)/1e6,
			l.schedule.meter.Spent(), len(o.silkscreen.Unlabelled))
		if k == 0 {
			first = l.schedule.meter.Spent()
		}
		if want == nil || wire(o) < wire(want) {
			want = o
		}
	}
	if want.attempt.number == 0 {
		t.Fatal("the first attempt is the best: choose another board")
	}
	for _, c := range []struct {
		limit float64 // share of the time limit, in multiples of the work of the first attempt
		most  int     // expected number of attempts
	}{{10, 3}, {1.5, 1}} {
		q.TimeLimitS = c.limit * first.Seconds() / improvementShare
		placements, before := 0, ""
		l, err := newLayout(q, func(phase string, _, _ float64) {
			if phase == "placement" && before != phase {
				placements++
			}
			before = phase
		})
		if err != nil {
			t.Fatal(err)
		}
		o, err := l.bestOutcome(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		best := want.attempt.number
		if c.most == 1 {
			best = 0
		}
		if placements != c.most || o.attempt.number != best || o.TimeLimited {
			t.Errorf("limit of %g attempts: %d made, the result is %d, time limited %v; "+
				"want %d and %d", c.limit, placements, o.attempt.number, o.TimeLimited, c.most,
				best)
		}
		if c.most == 3 && wire(o) != wire(want) {
			t.Errorf("%g of wire, want %g", wire(o), wire(want))
		}
	}
}

// TestOrderOfOutcomes verifies the order of the criteria: defects, then errors, warnings and long
// necks, then coupled pairs, and then track length, vias and short necks. An abandoned attempt has
// no copper to compare.
func TestOrderOfOutcomes(t *testing.T) {
	made := func(opens, warnings, vias int, uncoupled bool) *outcome {
		o := &outcome{opens: opens, attempt: attempt{uncoupled: uncoupled},
			silkscreen: &export.Silkscreen{}}
		o.Board = &board.Board{Nets: make([]board.Net, 2), Vias: make([]board.Via, vias)}
		o.Board.Rules.Pairs = []board.Pair{{Positive: 0, Negative: 1}}
		o.DRC.WarningCount = warnings
		return o
	}
	// A track of 0.5 mm in a net whose current requires 1 mm.
	necked := func(length float64) *outcome {
		o := made(0, 0, 0, false)
		o.Board.Nets[0] = board.Net{Current: 3, Width: board.MM(1)}
		o.Board.Tracks = []board.Track{{B: board.Point{X: board.MM(length)},
			Width: board.MM(0.5)}}
		return o
	}
	rising := []*outcome{made(0, 0, 0, false), necked(1), made(0, 0, 3, false),
		made(0, 0, 4, false), made(0, 0, 1, true), necked(2.1), made(0, 1, 0, true),
		made(1, 0, 0, false)}
	for _, o := range rising {
		if err := o.measure(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for i, a := range rising {
		for k, b := range rising {
			if a.isBetter(b) != (i < k) {
				t.Errorf("outcome %d better than %d: %v", i, k, a.isBetter(b))
			}
		}
	}
	abandoned := made(1, 0, 0, false)
	abandoned.abandoned = true
	last := rising[len(rising)-1]
	if abandoned.isBetter(last) || last.isBetter(abandoned) {
		t.Error("an abandoned attempt differs from a routed one with equal defects")
	}
}

// routerFunc is a Router whose method Route calls the function.
type routerFunc func(ctx context.Context, b *board.Board, o route.Options) (route.Result, error)

func (f routerFunc) Route(ctx context.Context, b *board.Board, o route.Options) (route.Result,
	error) {
	return f(ctx, b, o)
}

// layoutWith returns a layout of openBoard at high effort, with the given number of cores and
// router. It makes one attempt, followed by five at the same board size.
func layoutWith(t *testing.T, cores int, r routerFunc) *layout {
	t.Helper()
	q := openBoard()
	q.Effort = "high"
	l, err := newLayout(q, nil)
	if err != nil {
		t.Fatal(err)
	}
	l.router, l.cores = r, cores
	return l
}

// checkGoroutines fails the test if, after about 1 s, more goroutines are running than the given
// number.
func checkGoroutines(t *testing.T, before int) {
	t.Helper()
	for wait := time.Millisecond; runtime.NumGoroutine() > before; wait *= 2 {
		if wait > time.Second {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
		time.Sleep(wait)
	}
}

// open removes all copper and returns the result of a router that connects nothing.
func open(b *board.Board) (route.Result, error) {
	b.Tracks, b.Vias, b.Zones = nil, nil, nil
	return route.Result{Connections: 1}, nil
}

// TestPanicInAttempt verifies that a panic of an attempt propagates to the goroutine of the caller
// after all attempts have ended. The first attempt runs in the goroutine of the caller.
func TestPanicInAttempt(t *testing.T) {
	for _, cores := range []int{1, 2, 8} {
		for _, which := range []int{0, 1, 3, 5} {
			before := runtime.NumGoroutine()
			l := layoutWith(t, cores, func(ctx context.Context, b *board.Board,
				o route.Options) (route.Result, error) {
				if o.Attempt == which {
					panic("defect")
				}
				return open(b)
			})
			func() {
				defer func() {
					p := recover()
					if p == nil || !strings.Contains(fmt.Sprint(p), "defect") {
						t.Errorf("%d cores, attempt %d: panic %v", cores, which, p)
					}
					err, other := p.(error)
					if other != (cores > 1 && which > 0) || other &&
						!strings.Contains(err.Error(), "TestPanicInAttempt") {
						t.Errorf("%d cores, attempt %d: no stack in %v", cores, which, p)
					}
				}()
				_, err := l.bestOutcome(context.Background())
				t.Errorf("%d cores, attempt %d: no panic, error %v", cores, which, err)
			}()
			checkGoroutines(t, before)
		}
	}
}

// TestErrorOfParallelAttempt verifies that the layout returns the error of an attempt although
// later attempts succeed.
func TestErrorOfParallelAttempt(t *testing.T) {
	want := errors.New("no board")
	for _, cores := range []int{1, 2, 8} {
		l := layoutWith(t, cores, func(ctx context.Context, b *board.Board,
			o route.Options) (route.Result, error) {
			if o.Attempt == 2 {
				return route.Result{}, want
			}
			return open(b)
		})
		if _, err := l.bestOutcome(context.Background()); !errors.Is(err, want) {
			t.Errorf("%d cores: %v", cores, err)
		}
	}
}

// hanging returns a router whose first attempt connects nothing. Every later attempt sends its
// number to started and then runs until its context ends.
func hanging(started chan<- int) routerFunc {
	return func(ctx context.Context, b *board.Board, o route.Options) (route.Result, error) {
		if o.Attempt == 0 {
			return open(b)
		}
		started <- o.Attempt
		for ctx.Err() == nil {
			o.Now() // reading the clock ends an optional attempt after a stop
			time.Sleep(time.Millisecond)
		}
		return route.Result{}, ctx.Err()
	}
}

// TestEndOfParallelAttempts verifies that a cancellation ends parallel attempts at once with the
// context's error. A stop returns the board of the first attempt at once.
func TestEndOfParallelAttempts(t *testing.T) {
	const soon = 5 * time.Second // limit far above the expected 1 ms, for a loaded machine
	for _, cores := range []int{1, 2, 8} {
		for _, cancelled := range []bool{true, false} {
			before := runtime.NumGoroutine()
			started, stop := make(chan int, 8), make(chan struct{})
			l := layoutWith(t, cores, hanging(started))
			l.schedule.stop = stop
			ctx, cancel := context.WithCancel(context.Background())
			begun := make(chan time.Time, 1)
			go func() {
				for range min(cores, 5) {
					<-started
				}
				begun <- time.Now()
				if cancelled {
					cancel()
				} else {
					close(stop)
				}
			}()
			o, err := l.bestOutcome(ctx)
			if took := time.Since(<-begun); took > soon {
				t.Errorf("%d cores: ended after %v", cores, took)
			}
			switch {
			case cancelled && !errors.Is(err, context.Canceled):
				t.Errorf("%d cores, cancelled: %v", cores, err)
			case !cancelled && (err != nil || o.attempt.number != 0 || !o.TimeLimited):
				t.Errorf("%d cores, stopped: %v, %+v", cores, err, o)
			}
			cancel()
			checkGoroutines(t, before)
		}
	}
}

// TestMemoryOfParallelAttempts verifies that the grids of the attempts that run in parallel fit
// into maxGridBytes. Attempts with a large grid run one after another.
func TestMemoryOfParallelAttempts(t *testing.T) {
	for _, c := range []struct{ gridBytes, most int64 }{
		{1000, 5}, {maxGridBytes / 3, 3}, {maxGridBytes/2 + 1, 1}, {2 * maxGridBytes, 1},
	} {
		var running, most atomic.Int64
		l := layoutWith(t, 8, func(ctx context.Context, b *board.Board,
			o route.Options) (route.Result, error) {
			now := running.Add(1)
			for old := most.Load(); now > old && !most.CompareAndSwap(old, now); {
				old = most.Load()
			}
			time.Sleep(20 * time.Millisecond)
			running.Add(-1)
			r, err := open(b)
			r.GridBytes = int(c.gridBytes)
			return r, err
		})
		if _, err := l.bestOutcome(context.Background()); err != nil {
			t.Fatal(err)
		}
		if most.Load() > c.most || c.most == 1 && most.Load() != 1 {
			t.Errorf("%d bytes: %d attempts at once, at most %d wanted", c.gridBytes, most.Load(),
				c.most)
		}
	}
}

// TestSplitSchedule verifies that parallel attempts share the remaining time equally and that join
// counts their work exactly once.
func TestSplitSchedule(t *testing.T) {
	s := newSchedule(10 * time.Second)
	s.meter.AddSpent(4 * time.Second)
	parts := s.split(3, 0)
	for _, p := range parts {
		if left := p.left(); left != 2*time.Second {
			t.Errorf("%v left of a third of six seconds", left)
		}
	}
	parts[0].meter.AddSpent(2 * time.Second)
	if !parts[0].timeUp() || parts[1].timeUp() || s.left() != 6*time.Second {
		t.Errorf("%v, %v and %v left", parts[0].left(), parts[1].left(), s.left())
	}
	s.join(parts[0])
	if s.left() != 4*time.Second || s.split(1, 0)[0] != s {
		t.Errorf("%v left after two seconds of an attempt", s.left())
	}
	if left := s.split(1, time.Second)[0].left(); left != time.Second {
		t.Errorf("%v left of a limit of one second", left)
	}
	if s.join(s); s.left() != 4*time.Second {
		t.Errorf("%v left: the work of a single attempt counted twice", s.left())
	}
}
