package electrical

import (
	"context"
	"slices"

	"slipstick/autorouter/board"
	"slipstick/autorouter/budget"
	"slipstick/autorouter/pour"
)

// Report counts the additions to a board.
type Report struct {
	ArrayVias     int      // number of parallel vias for declared currents
	ThermalVias   int      // number of vias in thermal pads
	CapacitorVias int      // number of vias next to bypass capacitors
	StitchingVias int      // number of vias between pours of one net
	Shortfalls    []string // one sentence for each addition that did not fit
}

// Added returns the total number of vias added.
func (r Report) Added() int {
	return r.ArrayVias + r.ThermalVias + r.CapacitorVias + r.StitchingVias
}

// Options configure Complete.
type Options struct {
	RiseC    float64       // temperature rise allowed at the net currents [K]; 0 selects 10 K
	CopperOz float64       // copper weight [oz/ft²]; 0 selects 1 oz/ft²
	Meter    *budget.Meter // meter for the pour computation; nil disables metering
	// Pours holds a session for each pour in the order of board.Rules.Pours. Missing sessions are
	// created; a session saves the time to compute the field of the pads and the outline.
	Pours []*pour.Session
}

// completion is the state of one call of Complete.
type completion struct {
	ctx             context.Context
	space           *space
	riseC, copperOz float64
	report          Report
	meter           *budget.Meter
	pours           []*pour.Session // sessions so far, in the order of board.Rules.Pours
}

// Complete adds vias and short tracks to a routed board and refills its pours if necessary. If the
// context is cancelled, it returns the error and leaves the board unchanged.
func Complete(ctx context.Context, b *board.Board, opt Options) (Report, error) {
	c := &completion{ctx: ctx, space: newSpace(b), riseC: opt.RiseC, copperOz: opt.CopperOz,
		meter: opt.Meter, pours: slices.Clone(opt.Pours)}
	if c.riseC <= 0 {
		c.riseC = 10
	}
	if c.copperOz <= 0 {
		c.copperOz = 1
	}
	tracks, vias, zones := b.Tracks, b.Vias, b.Zones
	restore := func(err error) (Report, error) {
		b.Tracks, b.Vias, b.Zones = tracks, vias, zones
		return Report{}, err
	}
	// Clip the capacity, because appending must not overwrite the original slices.
	b.Tracks, b.Vias = tracks[:len(tracks):len(tracks)], vias[:len(vias):len(vias)]
	pours := b.Rules.Pours()
	c.addArrays()
	if c.report.Added() > 0 && len(pours) > 0 {
		if err := c.repour(b); err != nil {
			return restore(err)
		}
		c.space.readZones()
	}
	before := c.report.Added()
	for _, p := range pours {
		c.addThermalVias(p)
		c.addCapacitorVias(p)
		c.addStitches(p)
	}
	if c.report.Added() > before {
		if err := c.repour(b); err != nil {
			return restore(err)
		}
	}
	if err := ctx.Err(); err != nil {
		return restore(err)
	}
	return c.report, nil
}

// repour refills all pours of a board.
func (c *completion) repour(b *board.Board) error {
	var zones []board.Zone
	for i, p := range b.Rules.Pours() {
		if i == len(c.pours) {
			c.pours = append(c.pours, nil)
		}
		session := c.pours[i]
		if session == nil {
			var err error
			if session, err = pour.NewSession(c.ctx, b, p); err != nil {
				return err
			}
			c.pours[i] = session
		}
		session.Meter = c.meter
		filled, err := session.Probe(c.ctx)
		if err != nil {
			return err
		}
		more, err := filled.Zones(c.ctx)
		if err != nil {
			return err
		}
		zones = append(zones, more...)
	}
	b.Zones = zones
	return nil
}
