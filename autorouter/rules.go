package autorouter

import (
	"fmt"
	"slices"
	"strings"

	"slipstick/autorouter/board"
	"slipstick/autorouter/fab"
	"slipstick/autorouter/netlist"
)

// Default rules [mm]. A fab profile may raise them.
const (
	defaultTrack       = 0.25
	defaultClearance   = 0.20
	defaultViaDrill    = 0.30
	defaultViaDiameter = 0.60
	defaultEdge        = 0.40
	defaultPowerTrack  = 0.50
)

// reelWarnings returns a warning if the rotations in the placement file differ from those on the
// board.
func (q *Request) reelWarnings(b *board.Board) []string {
	if !slices.Contains(q.Exports, "cpl") {
		return nil
	}
	profile, turned := fab.Find(q.FabProfile), 0
	for i := range b.Parts {
		if p := &b.Parts[i]; !p.DNP && !p.NoPlacement &&
			profile.Rotation(p.Footprint.Name) != 0 {
			turned++
		}
	}
	if turned == 0 {
		return nil
	}
	parts := "offset applied to 1 part"
	if turned > 1 {
		parts = fmt.Sprintf("offsets applied to %d parts", turned)
	}
	return []string{fmt.Sprintf("%s rotation %s in the placement file; check the order preview",
		strings.ToUpper(profile.Name), parts)}
}

// ruleReader collects the rules of a request and their validation errors.
type ruleReader struct {
	fab     fab.Profile
	invalid InvalidFields
}

// value returns the given rule [mm] and adds an error if it is below least. If given is nil, it
// returns the larger of standard and least.
func (r *ruleReader) value(path string, given *float64, standard, least float64) float64 {
	if given == nil {
		return max(standard, least)
	}
	if *given < least {
		r.invalid.add(path, 0, "is %g mm, below the %g mm that fab profile %s can make", *given,
			least, r.fab.Name)
	}
	return *given
}

// minimum converts the rule v [mm] to nanometres and adds an error if it is below least. Such a
// rule is always given, because the request has a default for it.
func (r *ruleReader) minimum(path string, v, least float64) int64 {
	return board.MM(r.value(path, &v, v, least))
}

// via returns the drill and the pad diameter of a via [mm]. It checks both against the fab profile
// and against each other.
func (r *ruleReader) via(path string, drill, diameter *float64,
	standardDrill, standardDiameter float64) (float64, float64) {
	d := r.value(path+"via_drill_mm", drill, standardDrill, r.fab.DrillMM)
	w := standardDiameter
	if diameter != nil {
		w = *diameter
	}
	least := d + 2*r.fab.RingMM
	switch {
	case diameter == nil:
		w = max(w, least)
	case w <= d:
		r.invalid.add(path+"via_diameter_mm", 0,
			"is %g mm; it must be larger than the drill of %g mm", w, d)
	case w < least-1e-9:
		r.invalid.add(path+"via_diameter_mm", 0,
			"is %g mm, which leaves a ring of %.3g mm; fab profile %s needs %g mm", w, (w-d)/2,
			r.fab.Name, r.fab.RingMM)
	}
	return d, w
}

// rules returns the design rules of the request and its invalid fields. The ground net is unset
// because it depends on the netlist.
func (q *Request) rules(copper board.Stackup) (board.Rules, InvalidFields) {
	r := ruleReader{fab: fab.Find(q.FabProfile)}
	track := r.value("track_width_mm", q.TrackWidthMM, defaultTrack, r.fab.TrackMM)
	clearance := r.value("clearance_mm", q.ClearanceMM, defaultClearance, r.fab.GapMM)
	drill, diameter := r.via("", q.ViaDrillMM, q.ViaDiameterMM, defaultViaDrill, defaultViaDiameter)
	class := func(name string, width float64) board.Class {
		return board.Class{Name: name, TrackWidth: board.MM(width), Clearance: board.MM(clearance),
			ViaDrill: board.MM(drill), ViaDiameter: board.MM(diameter)}
	}
	out := board.Rules{
		Classes: []board.Class{
			class(netlist.DefaultClass, track),
			class(netlist.PowerClass, r.value("power_track_width_mm", q.PowerTrackWidthMM,
				max(track, defaultPowerTrack), r.fab.TrackMM)),
		},
		NeckWidth: board.MM(track), NeckLength: board.MM(q.NeckLengthMM),
		EdgeClearance: board.MM(r.value("edge_clearance_mm", q.EdgeClearanceMM, defaultEdge,
			r.fab.EdgeMM)),
		HoleClearance: board.MM(q.HoleClearanceMM), HoleToHole: board.MM(q.HoleToHoleMM),
		MaskExpansion: board.MM(q.MaskExpansionMM), MaskWeb: board.MM(q.MaskWebMM),
		PourClearance: r.minimum("pour_clearance_mm", q.PourClearanceMM, r.fab.GapMM),
		ThermalRelief: q.ThermalRelief, KiCadSpokes: true,
		ThermalGap:   r.minimum("thermal_gap_mm", q.ThermalGapMM, r.fab.GapMM),
		ThermalSpoke: r.minimum("thermal_spoke_mm", q.ThermalSpokeMM, r.fab.TrackMM),
		MinTrack:     board.MM(r.fab.TrackMM), MinGap: board.MM(r.fab.GapMM),
		MinDrill: board.MM(r.fab.DrillMM), MinRing: board.MM(r.fab.RingMM),
		GroundNet: board.NoNet, PourLayers: layers(copper, q.PourLayers),
	}
	seen := map[string]bool{}
	for i, c := range q.NetClasses {
		path := fmt.Sprintf("net_classes[%d].", i)
		if seen[c.Name] {
			r.invalid.add(path+"name", 0, "%q appears more than once", c.Name)
			continue
		}
		seen[c.Name] = true
		at := -1
		for k := range out.Classes {
			if out.Classes[k].Name == c.Name {
				at = k
			}
		}
		if at < 0 {
			out.Classes = append(out.Classes, class(c.Name, track))
			at = len(out.Classes) - 1
		}
		k := &out.Classes[at]
		k.TrackWidth = board.MM(r.value(path+"track_width_mm", c.TrackWidthMM,
			board.ToMM(k.TrackWidth), r.fab.TrackMM))
		k.Clearance = board.MM(r.value(path+"clearance_mm", c.ClearanceMM, board.ToMM(k.Clearance),
			r.fab.GapMM))
		d, w := r.via(path, c.ViaDrillMM, c.ViaDiameterMM, board.ToMM(k.ViaDrill),
			board.ToMM(k.ViaDiameter))
		k.ViaDrill, k.ViaDiameter = board.MM(d), board.MM(w)
	}
	return out, r.invalid
}

// layers returns the layers with the given names, ordered from top to bottom. It ignores unknown
// names.
func layers(copper board.Stackup, names []string) []board.Layer {
	var set board.LayerSet
	for _, name := range names {
		if l, ok := copper.Layer(name); ok {
			set |= l.Bit()
		}
	}
	return slices.Collect(set.All())
}

func sideOf(name string) board.Side {
	if name == board.BottomSide.String() {
		return board.BottomSide
	}
	return board.TopSide
}
