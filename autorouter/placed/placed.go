// Package placed routes boards placed by other programs, for packages specctra and kicad. It makes
// attempts with different net orders and checks the copper as it will be in the file.
package placed

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"slipstick/autorouter/board"
	"slipstick/autorouter/budget"
	"slipstick/autorouter/drc"
	"slipstick/autorouter/electrical"
	"slipstick/autorouter/geom"
	"slipstick/autorouter/netlist"
	"slipstick/autorouter/route"
)

// Options configure Route.
type Options struct {
	Effort    route.Effort
	TimeLimit time.Duration // limit for all attempts; 0 selects one minute
	Progress  route.Progress
	// Now is the clock of the time limit, such as the processor time of a benchmark on a loaded
	// machine. If it is nil, wall-clock time counts, and every phase ends within overrun of the
	// limit.
	Now func() time.Time
}

// Attempt describes the board for one attempt.
type Attempt struct {
	Board  *board.Board
	Margin int64 // added to clearances while routing, but not in the check [nm]
	// Snap returns the closest position that the file can represent. If it is nil, the file can
	// represent every position.
	Snap func(board.Point) board.Point
	// Provisional abandons the attempt if a connection has no path even through other nets, or if
	// many nets stay in conflict. A later attempt has less strict rules.
	Provisional bool

	uncoupled bool // routes differential pairs like other nets
}

// Result is a routed board.
type Result struct {
	Attempt     int // index of the attempt with this result
	Connections int // number of pins minus one, summed over the nets; not less than len(Open)
	Open        []Open
	DRC         drc.Report // check of the copper after Attempt.Snap
	// RoutingViolations lists the design rule errors that involve a track, a via or a pour, except
	// open connections.
	RoutingViolations []drc.Violation
	OwnViolations     int     // number of errors that involve only pads, keepouts and kept tracks
	LengthMM          float64 // total length of new tracks [mm]
	Pairs             []electrical.Pair
	Runtime           time.Duration // total time of all attempts
}

// Open is a missing connection of a net.
type Open struct {
	Net      string
	From, To string // pad as REF.PIN
	Reason   string
}

// Attempts returns the maximum number of attempts for an effort.
func Attempts(e route.Effort) int {
	switch e {
	case route.Fast:
		return 1
	case route.High:
		return 6
	}
	return 3
}

// ParseEffort returns the effort with the name fast, normal or high. The result ok is false for any
// other name.
func ParseEffort(name string) (effort route.Effort, ok bool) {
	efforts := map[string]route.Effort{
		"fast": route.Fast, "normal": route.Normal, "high": route.High,
	}
	effort, ok = efforts[name]
	return effort, ok
}

// ErrTimeLimit is returned if the time limit ends before the first attempt has a checked board.
var ErrTimeLimit = errors.New("the time limit ended before the board could be poured and checked")

// maxNodes bounds the grid nodes over all layers, which need about 300 MB.
const maxNodes = 6_000_000

// overrun is the grace period after the time limit. At its end, an attempt is cancelled in any
// phase.
const overrun = 500 * time.Millisecond

// Route makes attempts until a board has no open connection and no violation, or until the time is
// used up. It returns the best result. The function prepare returns the board of attempt i, which
// is less than most, the maximum number of attempts. Its parameter congested reports that an
// earlier attempt has found tracks for all connections, but not without conflicts. Route returns no
// later than about half a second after the time limit. The error is ErrTimeLimit, an error of
// prepare or the context's error.
func Route(
	ctx context.Context, o Options, prepare func(i, most int, congested bool) (Attempt, error),
) (*Result, error) {
	limit := o.TimeLimit
	if limit <= 0 {
		limit = time.Minute
	}
	now, bounded := o.Now, ctx
	if now == nil {
		now = time.Now
		var cancel context.CancelFunc
		bounded, cancel = context.WithTimeout(ctx, limit+overrun)
		defer cancel()
	}
	begun := now()
	deadline := begun.Add(limit)
	var best *Result
	congested := false
	tries := Attempts(o.Effort)
	for i := range tries {
		a, err := prepare(i, tries, congested)
		if err != nil {
			return nil, err
		}
		a.Board.Rules.Pairs = pairs(a.Board)
		// Coupled tracks are fixed and may block other nets.
		a.uncoupled = i > 0
		share := deadline.Sub(now())
		if i+1 < tries { // all attempts except the last get two thirds of the remaining time
			share = share * 2 / 3
		}
		share = max(share/2, share-estimateFinish(a.Board))
		r, conflicts, err := a.run(bounded, route.Options{
			Effort: o.Effort, Attempt: i, Deadline: now().Add(share), Now: now,
			Progress: o.Progress, MaxNodes: maxNodes,
			Provisional: a.Provisional && i+1 < tries, Congested: congested,
			AbandonConflicts: !congested && i+1 < tries,
		})
		if err != nil && ctx.Err() == nil && bounded.Err() != nil {
			if best != nil {
				break
			}
			return nil, ErrTimeLimit
		}
		if err != nil {
			return nil, err
		}
		congested = congested || r != nil || conflicts
		if r == nil {
			continue
		}
		r.Attempt = i
		if best == nil || r.defects() < best.defects() {
			best = r
		}
		if best.defects() == 0 || deadline.Sub(now()) < limit/10 {
			break
		}
	}
	best.Runtime = now().Sub(begun)
	return best, nil
}

// pairs returns the differential pairs of a board, recognized by net names.
func pairs(b *board.Board) []board.Pair {
	poured := map[int]bool{}
	for _, p := range b.Rules.Pours() {
		poured[p.Net] = true
	}
	return b.Rules.NamedPairs(b.Nets, func(i int) bool {
		return poured[i] || netlist.AutoPower(b.Nets[i].Name)
	})
}

// estimateFinish estimates the time on a typical core for the work after routing. It counts the
// samples of the pours four times: for the fields with and without tracks, the outlines and the
// closest copper. It also includes three checks.
func estimateFinish(b *board.Board) time.Duration {
	const (
		samplePitch = 50e3 // equal to the base pitch of package pour [nm]
		maxSamples  = 4e6  // samples per layer
	)
	box := b.Outline.Bounds()
	samples := min(maxSamples, float64(box.Width())*float64(box.Height())/samplePitch/samplePitch)
	layers, pads := 0, 0
	for _, p := range b.Rules.Pours() {
		layers += p.Layers.Count()
	}
	for i := range b.Parts {
		pads += len(b.Parts[i].Pads)
	}
	return budget.Cost(budget.PourSample, 4*layers*int(samples)) +
		budget.Cost(budget.CopperItem, 3*pads)
}

func (r *Result) defects() int { return len(r.Open) + len(r.RoutingViolations) }

// isTrack reports whether an item of a violation is a track, a via or a pour. The names of those
// items start with "net ".
func isTrack(item string) bool { return strings.HasPrefix(item, "net ") }

// run routes the board once, with Margin added to the clearances, and checks the result. The result
// is nil if the attempt was abandoned; conflicts then reports whether nets in conflict were the
// reason.
func (a *Attempt) run(ctx context.Context, o route.Options) (r *Result, conflicts bool, err error) {
	b := a.Board
	rules := b.Rules
	b.Rules.Classes = slices.Clone(rules.Classes)
	for i := range b.Rules.Classes {
		b.Rules.Classes[i].Clearance += a.Margin
	}
	b.Rules.EdgeClearance += a.Margin
	if a.uncoupled {
		b.Rules.Pairs = nil
	}
	routed, err := route.Route(ctx, b, o)
	b.Rules = rules
	if err != nil || routed.Abandoned {
		return nil, routed.Conflicts, err
	}
	if a.Snap != nil {
		for i := range b.Tracks {
			b.Tracks[i].A, b.Tracks[i].B = a.Snap(b.Tracks[i].A), a.Snap(b.Tracks[i].B)
		}
		for i := range b.Vias {
			b.Vias[i].At = a.Snap(b.Vias[i].At)
		}
	}
	pairs, err := electrical.Pairs(ctx, b)
	if err != nil {
		return nil, false, err
	}
	r = &Result{Pairs: slices.DeleteFunc(pairs, func(p electrical.Pair) bool {
		return isKept(b, p.Positive) || isKept(b, p.Negative)
	})}
	if err := r.dropCovered(ctx, b); err != nil {
		return nil, false, err
	}
	for _, u := range r.DRC.Unrouted {
		r.Open = append(r.Open, Open{b.Nets[u.Net].Name, u.From, u.To,
			routed.Reason(b, u.Net, u.From, u.To)})
	}
	for i := range b.Nets {
		r.Connections += max(0, len(b.Nets[i].Pins)-1)
	}
	// separate pieces of kept wiring can add open connections
	r.Connections = max(r.Connections, len(r.Open))
	for _, v := range r.DRC.Violations {
		switch {
		case v.Severity != drc.Error || v.Rule == "unrouted":
		case slices.ContainsFunc(v.Items, isTrack):
			r.RoutingViolations = append(r.RoutingViolations, v)
		default:
			r.OwnViolations++
		}
	}
	for _, t := range b.Tracks {
		r.LengthMM += board.Distance(t.A, t.B) / 1e6
	}
	return r, false, nil
}

// isKept reports whether a net has kept tracks or vias, which its measured length would lack.
func isKept(b *board.Board, net int) bool {
	for i := range b.Parts {
		if p := &b.Parts[i]; p.Ref == board.WiringRef && p.Footprint.Name == "" &&
			slices.ContainsFunc(p.Pads, func(q board.Pad) bool { return q.Net == net }) {
			return true
		}
	}
	return false
}

// dropCovered checks the board and removes tracks that lie entirely in one pad or via of their net.
// Pins of a design are rarely on the router's grid, and KiCad would report the short tracks from
// pins to the grid as dangling. Adjacent tracks then end in the pad. The covered tracks of a net
// stay if they connect other copper, because a track may be wider than the pad.
func (r *Result) dropCovered(ctx context.Context, b *board.Board) error {
	type cover struct {
		layers board.LayerSet
		shape  geom.Shape
	}
	covers := make([][]cover, len(b.Nets))
	for i := range b.Parts {
		for k := range b.Parts[i].Pads {
			if p := &b.Parts[i].Pads[k]; p.Net != board.NoNet {
				covers[p.Net] = append(covers[p.Net], cover{p.Layers, p.Copper(0)})
			}
		}
	}
	for i := range b.Vias {
		v := &b.Vias[i]
		covers[v.Net] = append(covers[v.Net], cover{b.ViaLayers(v), geom.Disc(v.At, v.Diameter)})
	}
	covered := func(t board.Track) bool {
		if ctx.Err() != nil { // the next check returns the error
			return false
		}
		return slices.ContainsFunc(covers[t.Net], func(c cover) bool {
			in := func(p board.Point) bool { return c.shape.To(float64(p.X), float64(p.Y)) <= 0 }
			return c.layers.Has(t.Layer) && in(t.A) && in(t.B)
		})
	}
	var err error
	if r.DRC, err = drc.Check(ctx, b); err != nil {
		return err
	}
	opens := func() map[int]int {
		n := map[int]int{}
		for _, u := range r.DRC.Unrouted {
			n[u.Net]++
		}
		return n
	}
	all, before := b.Tracks, opens()
	needed := map[int]bool{} // nets whose covered tracks connect other copper
	for range 2 {
		b.Tracks = slices.DeleteFunc(
			slices.Clone(all),
			func(t board.Track) bool { return !needed[t.Net] && covered(t) },
		)
		if r.DRC, err = drc.Check(ctx, b); err != nil {
			return err
		}
		for net, n := range opens() {
			if n > before[net] {
				needed[net] = true
			}
		}
		if len(needed) == 0 {
			break
		}
	}
	return nil
}
