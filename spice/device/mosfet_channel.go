package device

import (
	"math"

	"slipstick/spice/interval"
)

// channel is the drain current of one LEVEL of the MOSFET: parameters, equations, bounds. The
// element (mosfet.go), its junctions, gate charges and stamps are the same for all levels. A new
// level is a type with these methods and an entry in newChannel.
type channel interface {
	// params lists the parameters of the .model card that only this level has.
	params() []modelParam
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

// newChannel returns the channel of a level. For a level that does not exist it returns level 1 and
// false.
func newChannel(level float64) (channel, bool) {
	switch level {
	case 2:
		return &mosfetLevel2{}, true
	case 3:
		return &mosfetLevel3{}, true
	}
	return &mosfetLevel1{}, level == 1
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

// isNear reports whether all voltages are within bypassTolLin of those of the tangent.
func (t *mosfetTangent) isNear(vgs, vds, vbs float64) bool {
	return math.Abs(vgs-t.vgs) < bypassTolLin && math.Abs(vds-t.vds) < bypassTolLin && math.Abs(vbs-t.vbs) < bypassTolLin && (vds >= 0) == (t.vds >= 0)
}

// mosfetChange is the distance of the voltages from those of a tangent.
type mosfetChange struct {
	vgs, vds, vbs float64 // magnitudes, V
	overdrive     float64 // gate overdrive of the tangent against the inner source, V
	reach         float64 // bound of the change of the overdrive, V
	cutoff        bool    // the channel is off at both ends and between
	saturated     bool    // the channel is saturated at both ends and between, or off
}

// change compares voltages with those of the tangent.
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
