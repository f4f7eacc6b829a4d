package compare

import (
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"strings"
	"testing"

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
// interpolated linearly at the time points of ngspice. With the directive period, the oscillations
// of the second half are compared period by period. The distance is then at least the largest
// difference of a period.
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
				worst, where = periods.difference(), "period"
			}
		}
		if periods == nil {
			return 0, how.period, errors.New("no vector " + how.period)
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
					how.window)
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
		if !(d < worst) {
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

// window is the time by which a value may be early or late: the larger of shift as a fraction of
// the duration and of drift as a fraction of the elapsed time.
type window struct{ shift, drift float64 }

// eventDrift is the drift that the error estimate of a nonlinear circuit allows (eventDrift of
// package analysis). It also allows a shift of 1e-6.
const eventDrift = 2e-5

// distanceTran returns the largest difference between two waveforms relative to size. A value of
// want is compared with the range of v within the window around its time.
func distanceTran(time, v, wantTime, want []float64, size float64, w window) (d float64) {
	k := 0
	for i, tw := range wantTime {
		slack := max(w.shift*time[len(time)-1], w.drift*tw)
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
// reference. It also holds the end of the last period.
type alignment struct{ got, want []float64 }

// alignPeriods finds the periods of the second half of the oscillation v and of its reference want.
// It pairs them backward from the last one.
func alignPeriods(time, v, wantTime, want []float64) (*alignment, error) {
	a := alignment{starts(time, v), starts(wantTime, want)}
	n := min(len(a.got), len(a.want))
	if n < 3 {
		return nil, fmt.Errorf("%d starts of a period, ngspice %d", len(a.got), len(a.want))
	}
	a.got, a.want = a.got[len(a.got)-n:], a.want[len(a.want)-n:]
	return &a, nil
}

// difference returns the largest difference of a period, relative to that of the reference.
func (a *alignment) difference() (worst float64) {
	for k := 1; k < len(a.want); k++ {
		ratio := (a.got[k] - a.got[k-1]) / (a.want[k] - a.want[k-1])
		worst = max(worst, math.Abs(ratio-1))
	}
	return worst
}

// distance returns the larger distance of the curves v and want from each other, see nearest. It is
// relative to the peak-to-peak value of want during the whole run, as the error estimate is. least
// is the lower limit of this value.
func (a *alignment) distance(time, v, wantTime, want []float64, least float64) float64 {
	size := peakToPeak(want, least)
	forth, values := stretched(a.want, a.got, wantTime, want)
	back, own := stretched(a.got, a.want, time, v)
	return max(nearest(time, v, forth, values, size, a.got),
		nearest(wantTime, want, back, own, size, a.want))
}

// nearest returns the least d that satisfies two limits at every one of values. The curve v has
// this value within a time of d mean periods, with an error of at most d times size. On an edge a
// small shift in time is a large difference in value.
func nearest(time, v, at, values []float64, size float64, starts []float64) float64 {
	n := len(starts) - 1
	period := (starts[n] - starts[0]) / float64(n) / time[len(time)-1]
	lo, hi := 0.0, distanceTran(time, v, at, values, size, window{})
	for hi-lo > 1e-3*hi && hi > 1e-9 {
		mid := (lo + hi) / 2
		if distanceTran(time, v, at, values, size, window{shift: mid * period}) <= mid {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}

// stretched returns the part of a curve within the periods that start at from. Its times are the
// corresponding ones in the periods that start at to.
func stretched(from, to, time, v []float64) (at, values []float64) {
	k := 0
	for i, t := range time {
		for k+1 < len(from) && t >= from[k+1] {
			k++
		}
		if t >= from[0] && k+1 < len(from) {
			part := (t - from[k]) / (from[k+1] - from[k])
			at = append(at, to[k]+part*(to[k+1]-to[k]))
			values = append(values, v[i])
		}
	}
	return at, values
}

// starts returns the times [s] at which the oscillation v rises through its mid-level in the second
// half. Between two of them it falls to its lower quarter.
func starts(time, v []float64) (list []float64) {
	if len(time) == 0 {
		return nil
	}
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

// peakToPeak returns the peak-to-peak value of v, but at least the parameter least and 1e-6 of the
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

// TestDistanceOfOscillations verifies that every difference of an oscillation counts, except that
// of the phase. The differences are a single period, the amplitude and a short peak in either
// curve.
func TestDistanceOfOscillations(t *testing.T) {
	const periods, points = 20, 400
	curve := func(f func(phase float64, k int) (time, v float64)) (time, v []float64) {
		for i := range periods*points + 1 {
			k, phase := i/points, float64(i%points)/points
			at, x := f(phase, k)
			time, v = append(time, float64(k)+at), append(v, x)
		}
		return time, v
	}
	sine := func(phase float64) float64 { return math.Sin(2 * math.Pi * phase) }
	plain := func(phase float64, _ int) (float64, float64) { return phase, sine(phase) }
	for _, c := range []struct {
		name     string
		f        func(phase float64, k int) (float64, float64)
		min, max float64 // limits of the distance
	}{
		{"itself", plain, 0, 1e-8},
		{"a quarter of a period later", func(phase float64, _ int) (float64, float64) {
			return phase, sine(phase - 0.25)
		}, 0, 2e-3},
		{"amplitude 4 % larger", func(phase float64, _ int) (float64, float64) {
			return phase, 1.04 * sine(phase)
		}, 0.018, 0.0201},
		{"every other period 3 % longer", func(phase float64, k int) (float64, float64) {
			return phase + 0.03*(phase*float64((k+1)%2)+float64(k%2)), sine(phase)
		}, 0.025, 0.065},
		{"a short peak in one period", func(phase float64, k int) (float64, float64) {
			if k == 15 && phase == 0.5 {
				return phase, 3
			}
			return phase, sine(phase)
		}, 0.9, 1.6},
	} {
		time, v := curve(c.f)
		wantTime, want := curve(plain)
		got := &spice.Result{AnalysisResult: spice.AnalysisResult{Analysis: "tran",
			Vectors: []spice.Vector{{Name: "time", Values: time}, {Name: "v(a)", Values: v}}}}
		reference := []ngspice.Vector{{Name: "time", Real: wantTime}, {Name: "v(a)", Real: want}}
		d, where, err := distance(got, reference, directives{period: "v(a)"})
		if err != nil || !(c.min <= d && d <= c.max) {
			t.Errorf("%s: distance %g at %s, %v; want %g to %g", c.name, d, where, err, c.min,
				c.max)
		}
		if _, _, err = distance(got, reference, directives{period: "v(b)"}); err == nil {
			t.Errorf("%s: no error without the vector of the periods", c.name)
		}
	}
}

// TestWindow verifies that an edge may be early or late by 2e-5 of the elapsed time in a nonlinear
// circuit, and by 1e-6 of the duration or by the directive shift in every circuit.
func TestWindow(t *testing.T) {
	const linear, diode = "title\nR1 a 0 1\n.end\n", "title\nD1 a 0 d\n.model d D\n.end\n"
	edge := func(at float64) (time, v []float64) {
		return []float64{0, at - 1e-9, at, 1}, []float64{0, 0, 1, 1}
	}
	for _, c := range []struct {
		name, netlist string
		at, late      float64 // [s], of a duration of 1 s
		agrees        bool
	}{
		{"linear, late by 5e-7 of the duration", linear, 0.5, 5e-7, true},
		{"linear, late by 1e-5 of the elapsed time", linear, 0.5, 5e-6, false},
		{"nonlinear, late by 1e-5 of the elapsed time", diode, 0.5, 5e-6, true},
		{"nonlinear, early by 1e-5 of the elapsed time", diode, 0.5, -5e-6, true},
		{"nonlinear, late by 3e-5 of the elapsed time", diode, 0.5, 1.5e-5, false},
		{"nonlinear, late by 1e-5 of the duration, near the start", diode, 0.1, 1e-5, false},
		{"directive", linear + "*compare shift=1e-4", 0.1, 5e-5, true},
	} {
		how, err := directivesFor("circuits/x.cir", c.netlist)
		if err != nil {
			t.Fatal(err)
		}
		time, v := edge(c.at + c.late)
		wantTime, want := edge(c.at)
		if d := distanceTran(time, v, wantTime, want, 1, how.window); (d < 1e-6) != c.agrees {
			t.Errorf("%s: distance %g, want agreement %v", c.name, d, c.agrees)
		}
	}
}
