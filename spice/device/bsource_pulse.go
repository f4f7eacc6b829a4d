package device

// PulseDevice is a device whose value can have a pulse inside a step that the values at its ends do
// not show. An example is a comparison of a voltage that crosses two levels.
type PulseDevice interface {
	// CanPulse reports whether the value is not merely a polynomial of the variables.
	CanPulse() bool
	// CanJump reports whether the value can be a discontinuous function of the variables.
	CanJump() bool
	// ValueBetween returns the value at the fraction at of a step. The unknowns are before at the
	// time t0 [s] and after at the time t1 [s]. It interpolates them linearly.
	ValueBetween(before, after []float64, t0, t1, at float64) float64
}

// CanPulse implements PulseDevice.
func (d *bsource) CanPulse() bool { return !d.law.Program.Polynomial() }

// CanJump implements PulseDevice.
func (d *bsource) CanJump() bool { return d.law.Program.Discontinuous() }

// ValueBetween implements PulseDevice.
func (d *bsource) ValueBetween(before, after []float64, t0, t1, at float64) float64 {
	d.setVariables(before, t0+at*(t1-t0), 0)
	for k, c := range d.control {
		if c != [2]int{} {
			d.x[k] += at * (after[c[0]] - after[c[1]] - d.x[k])
		}
	}
	return d.law.Program.ValueAt(d.work, d.x)
}
