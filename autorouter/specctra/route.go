package specctra

import (
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"slipstick/autorouter/board"
	"slipstick/autorouter/drc"
	"slipstick/autorouter/geom"
	"slipstick/autorouter/route"
)

// RouteOptions configure Design.Route.
type RouteOptions struct {
	Options
	Effort    route.Effort
	TimeLimit time.Duration // of all attempts; 0: one minute
	Progress  route.Progress
}

// Result is a routed design.
type Result struct {
	*Board
	Connections int             // pins that are to be connected, less one per net
	Open        []Open          // connections that are missing
	DRC         drc.Report      // of the copper, after rounding to the resolution of the design
	Faults      []drc.Violation // errors that a track, a via or a pour has a part in, besides Open
	OwnFaults   int             // errors of pads and keepouts of the design alone
	LengthMM    float64         // of all tracks
	Runtime     time.Duration   // of all attempts
}

// Open is a missing connection of a net.
type Open struct {
	Net      string
	From, To string // REF.PIN
	Reason   string
}

// kicadEdgeMM is the distance of copper from the board edge that KiCad's board rules ask for unless
// they are changed [mm]. Its design files do not state it.
const kicadEdgeMM = 0.5

// ParseEffort returns the effort of a name: fast, normal or high.
func ParseEffort(name string) (effort route.Effort, ok bool) {
	efforts := map[string]route.Effort{
		"fast": route.Fast, "normal": route.Normal, "high": route.High,
	}
	effort, ok = efforts[name]
	return effort, ok
}

// attempts are the most attempts by effort.
func attempts(e route.Effort) int {
	switch e {
	case route.Fast:
		return 1
	case route.High:
		return 6
	}
	return 3
}

// Route routes the design and checks the result by its exported positions. Attempts differ in the
// order of the nets; the first without open connections ends the search, else the result is the best
// one. Only the first keeps a margin for the rounding to the resolution of the session. A design of
// KiCad is first routed with KiCad's distance from the board edge, and with that of the design only
// when connections stay open. The error is an *Error, or that of the context.
func (d *Design) Route(ctx context.Context, o RouteOptions) (*Result, error) {
	begun := time.Now()
	limit := o.TimeLimit
	if limit <= 0 {
		limit = time.Minute
	}
	deadline := begun.Add(limit)
	var best *Result
	tries := attempts(o.Effort)
	for i := range tries {
		options := o.Options
		edge := options.EdgeClearanceMM == 0 && d.boundaryClearance == 0 &&
			strings.Contains(d.hostCAD, "KiCad")
		if edge && i < max(1, tries-1) {
			options.EdgeClearanceMM = kicadEdgeMM
		}
		b, err := d.Board(options)
		if err != nil {
			return nil, err
		}
		share := time.Until(deadline)
		if i+1 < tries { // a later attempt gets as much again
			share = share * 2 / 3
		}
		margin := b.design.step()
		if i > 0 { // pads that a track passes at its clearance leave none
			margin = 0
		}
		r, err := b.attempt(ctx, nm(margin), route.Options{
			Effort: o.Effort, Attempt: i, Deadline: time.Now().Add(share), Progress: o.Progress,
		})
		if err != nil {
			return nil, err
		}
		if edge && options.EdgeClearanceMM == 0 {
			b.Warnings = append(
				b.Warnings,
				"tracks are up to the clearance from the board edge; KiCad's own rule may ask for 0.5 mm",
			)
		}
		if best == nil || r.defects() < best.defects() {
			best = r
		}
		if best.defects() == 0 || time.Until(deadline) < limit/10 {
			break
		}
	}
	best.Runtime = time.Since(begun)
	return best, nil
}

func (r *Result) defects() int { return len(r.Open) + len(r.Faults) }

// isTrack reports whether an item of a violation is a track, a via or a pour.
func isTrack(item string) bool { return strings.HasPrefix(item, "net ") }

// attempt routes the board once, with a margin on clearances [nm]: rounding moves each of two tracks
// by up to half a step of the session.
func (b *Board) attempt(ctx context.Context, margin int64, o route.Options) (*Result, error) {
	rules := b.Rules
	b.Rules.Classes = slices.Clone(rules.Classes)
	for i := range b.Rules.Classes {
		b.Rules.Classes[i].Clearance += margin
	}
	b.Rules.EdgeClearance += margin
	routed, err := route.Route(ctx, b.Board, o)
	b.Rules = rules
	if err != nil {
		return nil, err
	}
	r := &Result{Board: b}
	b.round()
	if err := b.dropCovered(ctx, r); err != nil {
		return nil, err
	}
	reasons := map[int]string{}
	for _, u := range routed.Unrouted {
		reasons[u.Net] = u.Reason
	}
	for _, u := range r.DRC.Unrouted {
		r.Open = append(r.Open, Open{b.Nets[u.Net].Name, u.From, u.To, reasons[u.Net]})
	}
	for i := range b.Nets {
		r.Connections += max(0, len(b.Nets[i].Pins)-1)
	}
	r.Connections = max(r.Connections, len(r.Open)) // wiring that is kept may be in pieces
	for _, v := range r.DRC.Violations {
		switch {
		case v.Severity != drc.Error || v.Rule == "unrouted":
		case slices.ContainsFunc(v.Items, isTrack):
			r.Faults = append(r.Faults, v)
		default:
			r.OwnFaults++
		}
	}
	for _, t := range b.Tracks {
		r.LengthMM += board.Distance(t.A, t.B) / 1e6
	}
	return r, nil
}

// round moves tracks and vias to the positions that a session states.
func (b *Board) round() {
	w := sessionWriter{Board: b}
	at := func(p board.Point) board.Point {
		step := b.design.step()
		return board.Point{
			X: int64(math.Round(float64(w.steps(float64(p.X+b.origin.X)))*step)) - b.origin.X,
			Y: int64(math.Round(float64(w.steps(float64(p.Y+b.origin.Y)))*step)) - b.origin.Y,
		}
	}
	for i := range b.Tracks {
		b.Tracks[i].A, b.Tracks[i].B = at(b.Tracks[i].A), at(b.Tracks[i].B)
	}
	for i := range b.Vias {
		b.Vias[i].At = at(b.Vias[i].At)
	}
}

// dropCovered removes tracks that lie in one pad or via of their net, and checks the board: the pin of
// a design is rarely on the router's grid, and KiCad reports the short track from it to the grid as
// dangling. Tracks that end there end in the pad. Where the track is wider than the pad and
// connects other copper, it stays.
func (b *Board) dropCovered(ctx context.Context, r *Result) error {
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
		return slices.ContainsFunc(covers[t.Net], func(c cover) bool {
			in := func(p board.Point) bool { return c.shape.To(float64(p.X), float64(p.Y)) <= 0 }
			return c.layers.Has(t.Layer) && in(t.A) && in(t.B)
		})
	}
	var err error
	if r.DRC, err = drc.Check(ctx, b.Board); err != nil {
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
	needed := map[int]bool{} // nets whose covered tracks connect something
	for range 2 {
		b.Tracks = slices.DeleteFunc(
			slices.Clone(all),
			func(t board.Track) bool { return !needed[t.Net] && covered(t) },
		)
		if r.DRC, err = drc.Check(ctx, b.Board); err != nil {
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
