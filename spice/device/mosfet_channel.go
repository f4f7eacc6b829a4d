package device

import (
	"fmt"
	"math"
	"strings"

	"slipstick/spice/interval"
)

// mosfetLevel describes one LEVEL of the MOSFET .model card. A new level requires a file with its
// channel and an entry in mosfetLevels.
type mosfetLevel struct {
	number  float64
	channel func() channel
}

// mosfetLevels returns all levels in ascending order.
func mosfetLevels() []mosfetLevel {
	return []mosfetLevel{
		{1, func() channel { return &mosfetLevel1{} }},
		{2, func() channel { return &mosfetLevel2{} }},
		{3, func() channel { return &mosfetLevel3{} }},
	}
}

// MOSFETLevels lists the levels for messages, for example "1, 2 and 3".
func MOSFETLevels() string {
	levels := mosfetLevels()
	last := len(levels) - 1
	var list []string
	for _, l := range levels[:last] {
		list = append(list, fmt.Sprint(l.number))
	}
	return fmt.Sprintf("%s and %g", strings.Join(list, ", "), levels[last].number)
}

// channel is the drain current model of one level. The element (mosfet.go), its junctions, gate
// charges (Meyer), stamps and noise (SPICE3) are common to all levels. The embedded mosfetTemp
// provides the methods that most levels share.
type channel interface {
	// params returns the .model parameters that the level adds to the shared ones. An entry with
	// the name of a shared parameter overrides its default. The larger minimum applies.
	params(shared *mosfetModel) []modelParam
	// offsets returns the corrections of geometry and threshold. It is called after the parameters
	// are read.
	offsets() channelOffsets
	// setTemperature receives the temperature-dependent quantities that all levels share.
	setTemperature(t mosfetTemp)
	// at returns the drain current [A] of an n-channel transistor for vds >= 0, the threshold
	// voltage and the saturation voltage. They are functions of vgs, vds and vbs. The voltages [V]
	// are relative to the source.
	at(vgs, vds, vbs float64) (id dual, von, vdsat float64)
	// bypassError bounds the error [A] of the tangent t after the changes c.
	bypassError(t *mosfetTangent, c mosfetChange) float64
}

// intervalChannel is a channel with rigorous bounds. Certificates are not available for other
// levels.
type intervalChannel interface {
	// interval bounds the drain current [A] over a box of voltages with vds >= 0. name is the
	// element name for the reason of a kink.
	interval(l *IntervalLoad, name string, vgs, vds, vbs interval.Jet) interval.Jet
}

// newChannel returns the channel of a level. If the level does not exist, it returns the first one
// and false.
func newChannel(level float64) (channel, bool) {
	levels := mosfetLevels()
	for _, l := range levels {
		if l.number == level {
			return l.channel(), true
		}
	}
	return levels[0].channel(), false
}

// channelOffsets are the corrections of geometry and threshold by the parameters of a level.
type channelOffsets struct {
	length, width float64 // corrections [m] of the length (less twice LD) and of the width
	threshold     float64 // added to VTO [V]
}

// offsets returns zero corrections.
func (*mosfetTemp) offsets() channelOffsets { return channelOffsets{} }

// bypassError returns +Inf, because most levels have no simple bound on the current's curvature.
func (*mosfetTemp) bypassError(*mosfetTangent, mosfetChange) float64 { return math.Inf(1) }

// bulkRoot returns sqrt(phi - vbs) and its continuation for a forward-biased bulk (SPICE2).
func (t *mosfetTemp) bulkRoot(vbs dual) dual {
	if vbs.v <= 0 {
		return vbs.scale(-1).plus(t.phi).sqrt()
	}
	return vbs.scale(1 / (2 * t.phi)).plus(1).inv().scale(math.Sqrt(t.phi))
}

// mosfetTangent is the last evaluation of a transistor.
type mosfetTangent struct {
	valid         bool
	vgs, vds, vbs float64
	i, g, d, b    float64 // channel current [A]; derivatives [S] with respect to vgs, vds and vbs
	von           float64
	halfCap       [3]float64 // half of each gate capacitance [F]: source, drain, bulk
	bulk          [2]junctionTangent
}

// isNear reports whether all voltages [V] are within bypassTolLin of those of the tangent and vds
// has the same sign.
func (t *mosfetTangent) isNear(vgs, vds, vbs float64) bool {
	return math.Abs(vgs-t.vgs) < bypassTolLin && math.Abs(vds-t.vds) < bypassTolLin &&
		math.Abs(vbs-t.vbs) < bypassTolLin && (vds >= 0) == (t.vds >= 0)
}

// mosfetChange is the difference between the present voltages and those of a tangent.
type mosfetChange struct {
	vgs, vds, vbs float64 // magnitudes [V]
	overdrive     float64 // gate overdrive [V] of the tangent at the effective source
	reach         float64 // bound on the change of the overdrive [V]
	cutoff        bool    // the channel is off over the whole change
	saturated     bool    // the channel is saturated or off over the whole change
}

// change returns the differences between the given voltages [V] and those of the tangent.
func (t *mosfetTangent) change(vgs, vds, vbs float64) (c mosfetChange) {
	c.vgs, c.vds, c.vbs = math.Abs(vgs-t.vgs), math.Abs(vds-t.vds), math.Abs(vbs-t.vbs)
	c.overdrive, c.reach = t.vgs-t.von, c.vgs+c.vbs
	if t.vds < 0 {
		c.overdrive, c.reach = c.overdrive-t.vds, c.reach+c.vds
	}
	c.cutoff = c.overdrive+c.reach <= 0
	c.saturated = t.vds >= 0 && c.overdrive+c.reach < t.vds-c.vds
	return c
}
