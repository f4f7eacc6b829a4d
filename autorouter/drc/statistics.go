package drc

import (
	"context"
	"math"

	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
)

// NetFigures holds the statistics of one net. Lengths are in millimetres.
type NetFigures struct {
	Name     string  `json:"name"`
	Class    string  `json:"class"`
	PinCount int     `json:"pin_count"` // number of pins; pads with equal numbers form one pin
	Routed   bool    `json:"routed"`    // whether all pads are in one copper cluster
	LengthMM float64 `json:"length_mm"` // total length of the tracks
	ViaCount int     `json:"via_count"`
	// MSTMM is the length of the Euclidean minimum spanning tree of the pad centres.
	MSTMM    float64 `json:"mst_mm"`
	HPWLMM   float64 `json:"hpwl_mm"` // half the perimeter of the bounding box of the pad centres
	Pads     int     `json:"-"`       // number of pads
	Zone     bool    `json:"-"`       // whether the net has a pour
	Unrouted int     `json:"-"`       // number of missing connections
	LowerMM  float64 `json:"-"`       // lower bound of the track length
}

// Figures holds the statistics of a board. Lengths are in millimetres.
type Figures struct {
	ComponentCount   int `json:"component_count"`
	NetCount         int `json:"net_count"`
	PadCount         int `json:"pad_count"`
	ConnectionsTotal int `json:"connections_total"` // sum of PinCount - 1 over all nets
	// ConnectionsRouted is ConnectionsTotal minus the missing connections, at least 0.
	ConnectionsRouted int     `json:"connections_routed"`
	CompletionPct     float64 `json:"completion_pct"`
	TrackCount        int     `json:"track_count"`
	ViaCount          int     `json:"via_count"`
	WirelengthMM      float64 `json:"wirelength_mm"`
	HPWLMM            float64 `json:"hpwl_mm"`
	MSTMM             float64 `json:"mst_mm"`
	LowerBoundMM      float64 `json:"lower_bound_mm"`
	// WirelengthRatio is the track length of the nets without a zone divided by their MST length.
	// It is 0 if the MST length is 0.
	WirelengthRatio float64 `json:"wirelength_ratio"`
	// UtilizationPct is the courtyard area on the board in percent of the board area.
	UtilizationPct float64 `json:"utilization_pct"`
	// MinClearanceMM is the smallest gap between copper of two nets, except between pads of one
	// footprint. It is nil if there is no such gap on any layer.
	MinClearanceMM *float64     `json:"min_clearance_mm"`
	Nets           []NetFigures `json:"-"`
	BoardAreaMM2   float64      `json:"-"`
	UnroutedCount  int          `json:"-"`
}

// steinerRatio is the smallest ratio of Steiner tree to minimum spanning tree length. In the
// Euclidean plane it is √3/2 (Gilbert and Pollak 1968; a conjecture, 0.824 is proven).
const steinerRatio = 0.8660254037844386

// Statistics returns the statistics of a board. Like Check, it returns an error if the board is
// invalid or the context is cancelled.
func Statistics(ctx context.Context, b *board.Board) (Figures, error) {
	s, err := newChecker(ctx, b)
	if err != nil {
		return Figures{}, err
	}
	if err := s.scan(s.maxClearance()); err != nil {
		return Figures{}, err
	}
	st := Figures{
		ComponentCount: len(b.Parts), NetCount: len(b.Nets), TrackCount: len(b.Tracks),
		ViaCount:     len(b.Vias),
		BoardAreaMM2: math.Abs(b.Outline.Area()) / 1e12, Nets: s.netFigures(),
	}
	for i := range s.items {
		if s.items[i].kind == padItem {
			st.PadCount++
		}
	}
	st.total()
	for i := range b.Tracks {
		st.WirelengthMM += board.Distance(b.Tracks[i].A, b.Tracks[i].B) / 1e6
	}
	courtyardArea := 0.0
	for i := range b.Parts {
		if b.Parts[i].Footprint != nil {
			for _, courtyard := range board.CourtyardsOf(&b.Parts[i]) {
				area := math.Abs(courtyard.Area())
				const rounding = 1e-9
				if on := b.Outline.ClippedArea(courtyard); on < area*(1-rounding) {
					area = on // a part overhangs the board edge
				}
				courtyardArea += area / 1e12
			}
		}
	}
	if st.BoardAreaMM2 > 0 {
		st.UtilizationPct = 100 * courtyardArea / st.BoardAreaMM2
	}
	if gap, ok := s.minClearance(); ok {
		st.MinClearanceMM = &gap
	}
	return st, ctx.Err()
}

func (s *checker) netFigures() []NetFigures {
	nets := make([]NetFigures, len(s.b.Nets))
	for i, pads := range s.padsByNet() {
		n := &nets[i]
		n.Name, n.Class = s.b.Nets[i].Name, s.b.Rules.Class(&s.b.Nets[i]).Name
		n.Pads = len(pads)
		pins := map[string]bool{}
		around := geom.EmptyBox()
		for _, p := range pads {
			pins[s.name(p)] = true
			around = around.With(s.items[p].at)
		}
		n.PinCount = len(pins)
		n.Unrouted = len(s.netRatsnest(i, pads))
		n.Routed = n.Unrouted == 0
		n.MSTMM = s.mstLength(pads) / 1e6
		n.LowerMM = n.MSTMM
		if len(pads) > 2 {
			n.LowerMM *= steinerRatio
		}
		if len(pads) > 0 {
			n.HPWLMM = (around.X1 - around.X0 + around.Y1 - around.Y0) / 1e6
		}
	}
	for i := range s.items {
		it := &s.items[i]
		if it.net == board.NoNet {
			continue
		}
		switch n := &nets[it.net]; it.kind {
		case trackItem:
			t := &s.b.Tracks[it.index]
			n.LengthMM += board.Distance(t.A, t.B) / 1e6
		case viaItem:
			n.ViaCount++
		case zoneItem:
			n.Zone = true
		}
	}
	return nets
}

// total sets the board statistics that are sums over the nets.
func (st *Figures) total() {
	var wired, tree float64
	for i := range st.Nets {
		n := &st.Nets[i]
		st.ConnectionsTotal += max(0, n.PinCount-1)
		st.UnroutedCount += n.Unrouted
		st.HPWLMM += n.HPWLMM
		st.MSTMM += n.MSTMM
		st.LowerBoundMM += n.LowerMM
		if !n.Zone {
			wired += n.LengthMM
			tree += n.MSTMM
		}
	}
	// Pads with equal numbers can need connections that the total does not include.
	st.ConnectionsRouted = max(0, st.ConnectionsTotal-st.UnroutedCount)
	switch {
	case st.UnroutedCount == 0:
		st.CompletionPct = 100
	case st.ConnectionsTotal > 0:
		st.CompletionPct = 100 * float64(st.ConnectionsRouted) / float64(st.ConnectionsTotal)
	}
	if tree > 0 {
		st.WirelengthRatio = wired / tree
	}
}

// minClearance returns the smallest gap between copper of two nets [mm], ignoring pads of one
// footprint, and whether there is a gap. It triples the search radius until it finds a pair.
func (s *checker) minClearance() (float64, bool) {
	across := geom.EmptyBox()
	for i := range s.items {
		if s.items[i].kind == zoneItem {
			across = across.Union(s.items[i].area.Box)
		} else {
			across = across.Union(s.items[i].shape.Box)
		}
	}
	far := across.X1 - across.X0 + across.Y1 - across.Y0
	for reach := max(s.maxClearance(), 0.1e6); math.IsInf(s.minGap, 1) && reach < far; {
		reach *= 3
		s.shorts, s.tooClose = nil, nil
		if s.scan(reach) != nil {
			return 0, false
		}
	}
	return roundMM(s.minGap), !math.IsInf(s.minGap, 1)
}
