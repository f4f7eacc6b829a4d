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
// interpolated linearly at the time points of ngspice. Autonomous circuits are compared in the
// second half, period by period. Their distance is at least the difference of the mean periods.
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
	var periods *alignment
	if got.Analysis == "tran" && how.period != "" {
		for _, w := range want {
			if v := find(w.Name); w.Name == how.period && v != nil {
				periods, err = alignPeriods(got.Vectors[0].Values, v, want[0].Real, w.Real)
				if err != nil {
					return 0, how.period, err
				}
				worst, where = periods.difference(), how.period
			}
		}
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
			if time := got.Vectors[0].Values; periods != nil {
				d = periods.distance(time, v, want[0].Real, w.Real, least)
			} else {
				d = distanceTran(time, v, want[0].Real, w.Real, peakToPeak(w.Real, least),
					how.shift)
			}
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

// distanceTran returns the largest difference between two waveforms relative to their peak-to-peak
// value size. shift is the allowed time shift as a fraction of the duration. A value of want is
// compared with the range of v within that time.
func distanceTran(time, v, wantTime, want []float64, size, shift float64) (d float64) {
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
		d = math.Max(d, math.Max(low-want[i], want[i]-high)/size)
	}
	return d
}

// between interpolates v linearly at time t between points k and k+1 and limits the result to their
// range.
func between(time, v []float64, k int, t float64) float64 {
	f := math.Min(math.Max((t-time[k])/(time[k+1]-time[k]), 0), 1)
	return v[k] + f*(v[k+1]-v[k])
}

// alignment holds the starts [s] of the same periods of an oscillation in a result and in its
// reference, and the end of the last one.
type alignment struct{ got, want []float64 }

// alignPeriods finds the periods of the second half of the oscillation v and of its reference want.
// It aligns them by their ends.
func alignPeriods(time, v, wantTime, want []float64) (*alignment, error) {
	a := alignment{starts(time, v), starts(wantTime, want)}
	n := min(len(a.got), len(a.want))
	if n < 3 {
		return nil, fmt.Errorf("%d periods, ngspice %d", len(a.got)-1, len(a.want)-1)
	}
	a.got, a.want = a.got[len(a.got)-n:], a.want[len(a.want)-n:]
	return &a, nil
}

// mean returns the mean period [s] of the result.
func (a *alignment) mean() float64 {
	n := len(a.got) - 1
	return (a.got[n] - a.got[0]) / float64(n)
}

// difference returns the difference of the mean periods, relative to that of the reference.
func (a *alignment) difference() float64 {
	n := len(a.want) - 1
	p := (a.want[n] - a.want[0]) / float64(n)
	return math.Abs(a.mean()-p) / p
}

// distance returns the least d for which every value of want is within d of the curve v: within d
// of the peak-to-peak value at a time within d of the period. The error of a period spreads over its
// edges, so a value during an edge can have any error even if d is small. least is the lower limit of
// the peak-to-peak value.
func (a *alignment) distance(time, v, wantTime, want []float64, least float64) float64 {
	size := peakToPeak(want, least)
	wantTime, want = a.align(wantTime, want)
	period := a.mean() / time[len(time)-1]
	lo, hi := 0.0, distanceTran(time, v, wantTime, want, size, 0)
	for hi-lo > 1e-3*hi {
		mid := (lo + hi) / 2
		if distanceTran(time, v, wantTime, want, size, mid*period) <= mid {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}

// align returns the part of a vector of the reference within the aligned periods. Each period is
// stretched to that of the result.
func (a *alignment) align(time, v []float64) (aligned, values []float64) {
	k := 0
	for i, t := range time {
		for k+1 < len(a.want) && t >= a.want[k+1] {
			k++
		}
		if t >= a.want[0] && k+1 < len(a.want) {
			part := (t - a.want[k]) / (a.want[k+1] - a.want[k])
			aligned = append(aligned, a.got[k]+part*(a.got[k+1]-a.got[k]))
			values = append(values, v[i])
		}
	}
	return aligned, values
}

// starts returns the times [s] at which the oscillation v rises through its mid-level in the second
// half. Between two of them it falls to its lower quarter.
func starts(time, v []float64) (list []float64) {
	from := 0
	for time[from] < time[len(time)-1]/2 {
		from++
	}
	lo, hi := extremes(v[from:])
	mid := (lo + hi) / 2
	armed := false
	for i := from + 1; i < len(v); i++ {
		if v[i] < lo+(hi-lo)/4 {
			armed = true
		}
		if armed && v[i-1] < mid && v[i] >= mid {
			list = append(list, time[i-1]+(mid-v[i-1])/(v[i]-v[i-1])*(time[i]-time[i-1]))
			armed = false
		}
	}
	return list
}

// peakToPeak returns the peak-to-peak value of v, but at least the parameter least and the roundoff of the
// largest value.
func peakToPeak(v []float64, least float64) float64 {
	lo, hi := extremes(v)
	return max(hi-lo, least, 1e-6*max(math.Abs(hi), math.Abs(lo)))
}

func extremes(v []float64) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, x := range v {
		lo, hi = math.Min(lo, x), math.Max(hi, x)
	}
	return lo, hi
}
