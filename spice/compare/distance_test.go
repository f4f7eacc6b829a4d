package compare

import (
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"strings"

	"slipstick/internal/ngspice"
	"slipstick/spice"
)

// limits holds the largest allowed distance per analysis, or for measures and THD.
var limits = map[string]float64{"op": 1e-3, "dc": 1e-3, "ac": 1e-3, "tran": 1e-2, "measure": 1e-2,
	"thd": 2e-2}

// The smallest scales of voltages [V] and currents [A] in a comparison correspond to the tolerances
// of Newton's method (abstol 1e-12 A, vntol 1e-6 V). For transients they are peak-to-peak values.
const (
	leastV = 1e-4
	leastI = 1e-9
)

// distance returns the largest distance of all common vectors of a result and its reference, and
// the vector with this distance. For op and dc the distance is the largest difference relative to
// the largest value of the vector. For ac it is the largest difference of the phasors relative to
// that of ngspice at each point. Where the phasor vanishes, it is relative to 1e-6 of the largest.
// For tran it is the largest difference relative to the peak-to-peak value. The result is
// interpolated linearly at the time points of ngspice.
func distance(got *spice.Result, want []ngspice.Vector,
	how directives) (worst float64, where string, err error) {
	find := func(name string) []float64 {
		for _, v := range got.Vectors {
			if v.Name == name {
				return v.Values
			}
		}
		return nil
	}
	compared := 0
	for _, w := range want {
		// Sweep vectors and internal nodes are not results.
		if strings.Contains(w.Name, "#") || w.Name == "time" || w.Name == "frequency" ||
			strings.HasSuffix(w.Name, "-sweep") {
			continue
		}
		least := leastV
		if strings.HasPrefix(w.Name, "i(") {
			least = leastI
		}
		var d float64
		switch got.Analysis {
		case "ac":
			mag, phase := find(w.Name+"_mag"), find(w.Name+"_phase_deg")
			if mag == nil {
				continue
			}
			if d, err = distanceAC(mag, phase, w); err != nil {
				return 0, w.Name, err
			}
		case "tran":
			v := find(w.Name)
			if v == nil {
				continue
			}
			if how.period != "" {
				continue
			}
			d = distanceTran(got.Vectors[0].Values, v, want[0].Real, w.Real, least, how.shift)
		default:
			v := find(w.Name)
			if v == nil {
				continue
			}
			if len(v) != len(w.Real) {
				return 0, w.Name, fmt.Errorf("%d points, ngspice %d", len(v), len(w.Real))
			}
			big := least
			for _, x := range w.Real {
				big = math.Max(big, math.Abs(x))
			}
			for i := range v {
				d = math.Max(d, math.Abs(v[i]-w.Real[i])/big)
			}
		}
		compared++
		if d >= worst {
			worst, where = d, w.Name
		}
	}
	if got.Analysis == "tran" && how.period != "" {
		v := find(how.period)
		for _, w := range want {
			if w.Name == how.period && v != nil {
				d, err := distancePeriod(got.Vectors[0].Values, v, want[0].Real, w.Real)
				return d, how.period, err
			}
		}
	}
	if compared == 0 {
		return 0, "", errors.New("no vector in common")
	}
	return worst, where, nil
}

func distanceAC(mag, phase []float64, w ngspice.Vector) (d float64, err error) {
	if len(mag) != len(w.Real) {
		return 0, fmt.Errorf("%d points, ngspice %d", len(mag), len(w.Real))
	}
	big := 0.0
	for i := range w.Real {
		big = math.Max(big, math.Hypot(w.Real[i], w.Imag[i]))
	}
	if big == 0 {
		return 0, nil
	}
	for i := range mag {
		z := complex(w.Real[i], w.Imag[i])
		d = math.Max(d,
			cmplx.Abs(cmplx.Rect(mag[i], phase[i]*math.Pi/180)-z)/(cmplx.Abs(z)+1e-6*big))
	}
	return d, nil
}

// distanceTran returns the largest difference between two waveforms relative to the peak-to-peak
// value of want. least is the lower limit of this value. shift is the allowed time shift as a
// fraction of the duration. A value of want is compared with the range of v within that time.
func distanceTran(time, v, wantTime, want []float64, least, shift float64) (d float64) {
	lo, hi := extremes(want)
	span := math.Max(hi-lo, math.Max(least, 1e-6*math.Max(math.Abs(hi), math.Abs(lo))))
	slack := shift * time[len(time)-1]
	k := 0
	for i, tw := range wantTime {
		for k+2 < len(time) && time[k+1] < tw {
			k++
		}
		now := between(time, v, k, tw)
		low, high := now, now
		include := func(x float64) { low, high = math.Min(low, x), math.Max(high, x) }
		j := k
		for ; slack > 0 && j > 0 && tw-time[j] < slack; j-- {
			include(v[j])
		}
		include(between(time, v, j, tw-slack))
		for j = k + 1; slack > 0 && j < len(v)-1 && time[j]-tw < slack; j++ {
			include(v[j])
		}
		include(between(time, v, j-1, tw+slack))
		d = math.Max(d, math.Max(low-want[i], want[i]-high)/span)
	}
	return d
}

// between interpolates v linearly at time t between points k and k+1 and limits the result to their
// range.
func between(time, v []float64, k int, t float64) float64 {
	f := math.Min(math.Max((t-time[k])/(time[k+1]-time[k]), 0), 1)
	return v[k] + f*(v[k+1]-v[k])
}

// distancePeriod compares the second half of the oscillation v with the oscillation want of
// ngspice, regardless of phase. It returns the largest of three differences: the mean period
// relative to that of ngspice, and the maximum and minimum relative to the peak-to-peak value of
// ngspice.
func distancePeriod(time, v, wantTime, want []float64) (float64, error) {
	p, lo, hi, n := oscillation(time, v)
	wp, wlo, whi, wn := oscillation(wantTime, want)
	if wn < 2 || n < 2 {
		return 0, fmt.Errorf("%d periods, ngspice %d", n, wn)
	}
	span := whi - wlo
	return max(math.Abs(p-wp)/wp, math.Abs(lo-wlo)/span, math.Abs(hi-whi)/span), nil
}

func oscillation(time, v []float64) (period, lo, hi float64, n int) {
	from := 0
	for time[from] < time[len(time)-1]/2 {
		from++
	}
	lo, hi = extremes(v[from:])
	mid := (lo + hi) / 2
	var first, last float64
	armed := false // hysteresis: a crossing counts only after a value in the lower quarter
	for i := from + 1; i < len(v); i++ {
		if v[i] < lo+(hi-lo)/4 {
			armed = true
		}
		if armed && v[i-1] < mid && v[i] >= mid {
			at := time[i-1] + (mid-v[i-1])/(v[i]-v[i-1])*(time[i]-time[i-1])
			if n == 0 {
				first = at
			}
			last = at
			n++
			armed = false
		}
	}
	n--
	if n > 0 {
		period = (last - first) / float64(n)
	}
	return period, lo, hi, n
}

func extremes(v []float64) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, x := range v {
		lo, hi = math.Min(lo, x), math.Max(hi, x)
	}
	return lo, hi
}
