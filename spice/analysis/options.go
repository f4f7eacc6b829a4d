package analysis

import (
	"fmt"
	"math"
	"strings"
	"time"

	"slipstick/spice/diag"
)

// Options are the solver's settings after .options and the request are merged.
type Options struct {
	Reltol float64 // relative tolerance of Newton and of the time step
	Abstol float64 // A
	Vntol  float64 // V
	Chgtol float64 // C, charges below do not steer the time step
	Trtol  float64 // factor on the tolerance of the time step
	Gmin   float64 // S, across every junction
	Itl1   int     // Newton iterations of an operating point
	Itl2   int     // of a point of a sweep
	Itl4   int     // of a time step
	Gear   bool    // backward differentiation instead of the trapezoidal rule
	MaxOrd int     // highest order of the time step's formula; 1: backward Euler throughout
	TempC  float64 // °C
	TnomC  float64 // °C, where model parameters were measured

	PointsMax int      // rows of a transient result
	Vectors   []string // only these, when not empty
}

// Defaults are SPICE3's, but for reltol and trtol, which the simulator's own accuracy
// goal of 1 % of peak-to-peak asks to be 1e-4 and 1.
func Defaults() Options {
	return Options{Reltol: 1e-4, Abstol: 1e-12, Vntol: 1e-6, Chgtol: 1e-14, Trtol: 1, Gmin: 1e-12,
		Itl1: 100, Itl2: 50, Itl4: 20, MaxOrd: 4, TempC: 27, TnomC: 27, PointsMax: 20000}
}

// Set changes one option. known is false when there is no such option; an error says
// why the value makes no sense.
func (o *Options) Set(name string, value float64, text string) (known bool, problem string) {
	number := func(p *float64, lo, hi float64) string {
		if text != "" || math.IsNaN(value) || value < lo || value > hi {
			return "must be a number from " + short(lo) + " to " + short(hi)
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

// Budget bounds one simulation.
type Budget struct {
	Newton  int           // Newton iterations
	Numbers int           // numbers stored for the result
	Wall    time.Duration // time on the clock
}

// DefaultBudget is the contract's.
func DefaultBudget() Budget {
	return Budget{Newton: 2_000_000, Numbers: 5_000_000, Wall: 10 * time.Second}
}

// Usage is what analyses have used of a budget.
type Usage struct {
	Newton, Numbers int
	Wall            time.Duration
}

// Add adds what the analysis of an output has used, wall of it on the clock.
func (u *Usage) Add(out *Output, wall time.Duration) {
	u.Newton += out.Statistics.NewtonIterations
	u.Wall += wall
	for _, v := range out.Vectors {
		u.Numbers += len(v.Values)
	}
	for _, t := range out.Kept {
		u.Numbers += len(t.Real) + len(t.Imag)
	}
}

// leastNumbers is the part of a budget's numbers without which no further analysis begins.
const leastNumbers = 1.0 / 500

// Exhausted names the limit that leaves no room for another analysis, "" when none does.
func (b Budget) Exhausted(u Usage) string {
	switch {
	case u.Newton >= b.Newton:
		return fmt.Sprintf("limit of %d Newton iterations", b.Newton)
	case float64(u.Numbers) > (1-leastNumbers)*float64(b.Numbers):
		return fmt.Sprintf("limit of %d stored numbers", b.Numbers)
	case u.Wall >= b.Wall:
		return "time limit of " + b.Wall.String()
	}
	return ""
}

// less is the rest of the budget.
func (b Budget) less(u Usage) Budget {
	return Budget{Newton: b.Newton - u.Newton, Numbers: b.Numbers - u.Numbers, Wall: b.Wall - u.Wall}
}

// Limits beyond which a request is refused without a try.
const (
	maxTimeRatio   = 1e7 // stop time over time step
	maxSweepPoints = 1e5
	maxDelays      = 1e5 // stop time over the delay of a transmission line
)

func hopeless(line int, format string, args ...any) error {
	return diag.At(diag.HopelessRequest, line, format, args...)
}
