package device

import (
	"fmt"
	"math"
	"strings"

	"slipstick/spice/interval"
)

// mosfetLevel is one LEVEL of the .model card of a MOSFET. A new level is a file with its channel
// and an entry of mosfetLevels.
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

// MOSFETLevels lists the levels for messages: "1, 2 and 3".
func MOSFETLevels() string {
	levels := mosfetLevels()
	last := len(levels) - 1
	var list []string
	for _, l := range levels[:last] {
		list = append(list, fmt.Sprint(l.number))
	}
	return fmt.Sprintf("%s and %g", strings.Join(list, ", "), levels[last].number)
}

// channel is the drain current of one level: parameters, equations, bounds. The element
// (mosfet.go), its junctions, gate charges (Meyer), stamps and noise (SPICE3) are the same for all
// levels. The embedded mosfetTemp has the methods that most levels share.
type channel interface {
	// params lists the parameters of the .model card that the level adds to the shared parameters.
	// An entry with the name of a shared parameter replaces its default and minimum.
	params(shared *mosfetModel) []modelParam
	// offsets returns the corrections of geometry and threshold, after params were read.
	offsets() channelOffsets
	// setTemperature takes the quantities at temperature that all levels share.
	setTemperature(t mosfetTemp)
	// at returns the channel of an n-channel transistor for vds >= 0. Voltages [V] are against the
	// source.
	at(vgs, vds, vbs float64) channelPoint
	// bypassError bounds the current [A] that the tangent t misses after the changes c.
	bypassError(t *mosfetTangent, c mosfetChange) float64
}

// intervalChannel is a channel with rigorous bounds; certificates refuse the other levels.
type intervalChannel interface {
	// interval bounds the current of at over a box of voltages with vds >= 0.
	interval(l *IntervalLoad, name string, vgs, vds, vbs interval.Jet) interval.Jet
}

// newChannel returns the channel of a level. For a level that does not exist it returns the first
// one and false.
func newChannel(level float64) (channel, bool) {
	levels := mosfetLevels()
	for _, l := range levels {
		if l.number == level {
			return l.channel(), true
		}
	}
	return levels[0].channel(), false
}

// channelOffsets are the corrections that the parameters of a level make.
type channelOffsets struct {
	length, width float64 // added to the length less twice LD and to the width, m
	threshold     float64 // added to VTO, V
}

// offsets returns no corrections.
func (*mosfetTemp) offsets() channelOffsets { return channelOffsets{} }

// bypassError is infinite: the curvature of the current of most levels has no simple bound.
func (*mosfetTemp) bypassError(*mosfetTangent, mosfetChange) float64 { return math.Inf(1) }

// bulkRoot returns the root of phi - vbs, continued for a forward-biased bulk (SPICE2).
func (t *mosfetTemp) bulkRoot(vbs dual) dual {
	if vbs.v <= 0 {
		return vbs.scale(-1).plus(t.phi).sqrt()
	}
	return vbs.scale(1 / (2 * t.phi)).plus(1).inv().scale(math.Sqrt(t.phi))
}

// channelPoint is the channel of an n-channel transistor for vds >= 0.
type channelPoint struct {
	id, gm, gds, gmb float64 // drain current [A] and its slopes by vgs, vds and vbs [S]
	von, vdsat       float64 // threshold and saturation voltage, V
}

// mosfetTangent is the last evaluation of a transistor.
type mosfetTangent struct {
	valid         bool
	vgs, vds, vbs float64
	i, g, d, b    float64 // channel current and its slopes by vgs, vds, vbs
	von           float64
	halfCap       [3]float64 // of the gate capacitances, F
	bulk          [2]junctionTangent
}

// isNear reports whether all voltages are within bypassTolLin of the voltages of the tangent.
func (t *mosfetTangent) isNear(vgs, vds, vbs float64) bool {
	return math.Abs(vgs-t.vgs) < bypassTolLin && math.Abs(vds-t.vds) < bypassTolLin &&
		math.Abs(vbs-t.vbs) < bypassTolLin && (vds >= 0) == (t.vds >= 0)
}

// mosfetChange is the difference between the voltages and the point of a tangent.
type mosfetChange struct {
	vgs, vds, vbs float64 // magnitudes, V
	overdrive     float64 // gate overdrive of the tangent against the inner source, V
	reach         float64 // bound of the change of the overdrive, V
	cutoff        bool    // the channel is off at both ends and between
	saturated     bool    // the channel is saturated at both ends and between, or off
}

// change compares voltages with the voltages of the tangent.
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
