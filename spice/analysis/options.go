package analysis

import (
	"fmt"
	"math"
	"strings"
)

// Options are the settings of the solver, merged from .options and the request.
type Options struct {
	Reltol float64 // relative tolerance of Newton's method and of the truncation error
	Abstol float64 // absolute current tolerance [A]
	Vntol  float64 // absolute voltage tolerance [V]
	Chgtol float64 // charge tolerance [C]; smaller charges do not limit the time step
	Trtol  float64 // factor on the truncation error tolerance
	Gmin   float64 // conductance [S] across every junction
	Itl1   int     // iteration limit for an operating point
	Itl2   int     // iteration limit for a sweep point
	Itl4   int     // iteration limit for a time step
	Gear   bool    // method=gear: BDF of order 2 instead of the trapezoidal rule
	MaxOrd int     // highest order of integration; 1 selects backward Euler throughout
	TempC  float64 // temperature [°C] of the circuit
	TnomC  float64 // measurement temperature [°C] of the model parameters

	PointsMax int      // largest number of rows of a transient result
	Vectors   []string // names of the vectors to return; an empty list selects all vectors
}

// Defaults returns the defaults of SPICE3, except for reltol, trtol, itl4 and maxord. The values
// 1e-4 of reltol and 1 of trtol keep the error of transients below 1 % of peak-to-peak.
func Defaults() Options {
	return Options{Reltol: 1e-4, Abstol: 1e-12, Vntol: 1e-6, Chgtol: 1e-14, Trtol: 1, Gmin: 1e-12,
		Itl1: 100, Itl2: 50, Itl4: 20, MaxOrd: 4, TempC: 27, TnomC: 27, PointsMax: 20000}
}

// limited returns the options with the tolerances limited to their defaults, and the texts of the
// limits and of the given values. The texts are "" if no tolerance exceeds its default.
//
// Larger tolerances leave residual errors of Newton's method in a transient. They are noise to the
// step control, and the carried error does not contain them. At reltol 1e-3 the errors of the 203
// transients of make compare-ngspice reach 18 % at estimates below 1 %. One of them takes 1,169
// times the iterations, the others together 1.26 times.
func (o Options) limited() (limited Options, limits, given string) {
	most := Defaults()
	var used, exceeded []string
	for _, l := range []struct {
		name    string
		value   *float64
		largest float64
	}{
		{"reltol", &o.Reltol, most.Reltol}, {"abstol", &o.Abstol, most.Abstol},
		{"vntol", &o.Vntol, most.Vntol}, {"trtol", &o.Trtol, most.Trtol},
	} {
		if *l.value > l.largest {
			exceeded = append(exceeded, fmt.Sprintf("%s = %v", l.name, *l.value))
			used = append(used, fmt.Sprint(l.largest))
			*l.value = l.largest
		}
	}
	return o, strings.Join(used, ", "), strings.Join(exceeded, ", ")
}

// Set changes one option. text is the value of a non-numeric option, and is otherwise empty. known
// is false if the name is unknown. problem describes why the value is invalid, or is "".
func (o *Options) Set(name string, value float64, text string) (known bool, problem string) {
	number := func(p *float64, lo, hi float64) string {
		if text != "" || math.IsNaN(value) || value < lo || value > hi {
			return fmt.Sprintf("must be a number from %v to %v", lo, hi)
		}
		*p = value
		return ""
	}
	count := func(p *int, lo, hi int) string {
		var f float64
		if e := number(&f, float64(lo), float64(hi)); e != "" {
			return e
		}
		if f != math.Trunc(f) {
			return "must be a whole number"
		}
		*p = int(f)
		return ""
	}
	switch strings.ToLower(name) {
	case "reltol":
		return true, number(&o.Reltol, 1e-9, 0.1)
	case "abstol":
		return true, number(&o.Abstol, 1e-18, 1)
	case "vntol":
		return true, number(&o.Vntol, 1e-15, 1)
	case "chgtol":
		return true, number(&o.Chgtol, 1e-24, 1)
	case "trtol":
		return true, number(&o.Trtol, 1e-3, 100)
	case "gmin":
		return true, number(&o.Gmin, 0, 1e-3)
	case "itl1":
		return true, count(&o.Itl1, 2, 100000)
	case "itl2":
		return true, count(&o.Itl2, 2, 100000)
	case "itl4":
		return true, count(&o.Itl4, 2, 100000)
	case "maxord":
		return true, count(&o.MaxOrd, 1, 6)
	case "temp":
		return true, number(&o.TempC, -270, 1000)
	case "tnom":
		return true, number(&o.TnomC, -270, 1000)
	// Package netlist uses the following options.
	case "rshunt":
		if value == 0 && text == "" {
			return true, "" // no shunt
		}
		return true, number(new(float64), 1e-3, 1e30)
	case "gshunt", "cshunt":
		return true, number(new(float64), 0, 1e3)
	case "defw", "defl", "defad", "defas":
		return true, number(new(float64), 0, 1)
	case "maxstep":
		return true, number(new(float64), 0, 1e30)
	case "seed":
		var seed float64
		if problem := number(&seed, 0, 1<<53); problem != "" || seed == math.Trunc(seed) {
			return true, problem
		}
		return true, "must be a whole number"
	case "points_max":
		return true, count(&o.PointsMax, 2, 200000)
	case "method":
		switch strings.ToLower(text) {
		case "trap", "trapezoidal":
			o.Gear = false
		case "gear":
			o.Gear = true
		default:
			return true, "must be trap or gear"
		}
		return true, ""
	}
	return false, ""
}
