package power

import (
	"math"

	"slipstick/tools"
)

// installation is where and how a conductor runs, as far as its ampacity asks.
type installation struct {
	InsulationC int     `json:"insulation_rating_c" unit:"°C" min:"60" max:"90" default:"90" label:"Insulation temperature rating" doc:"Temperature rating of the insulation: 60, 75 or 90"`
	TerminalC   int     `json:"terminal_rating_c" unit:"°C" min:"60" max:"90" default:"75" label:"Termination temperature rating" doc:"Temperature rating of the terminations: 60, 75 or 90"`
	AmbientC    float64 `json:"ambient_c" unit:"°C" min:"-40" max:"85" default:"30" label:"Ambient temperature" doc:"Ambient temperature"`
	Conductors  int     `json:"current_carrying_conductors" unit:"1" min:"1" max:"1000" default:"3" label:"Current-carrying conductors" doc:"Number of current-carrying conductors in the same raceway or bundle"`
}

// usual is the installation behind ampacities that are given as a remark only.
var usual = installation{InsulationC: 90, TerminalC: 75, AmbientC: 30, Conductors: 3}

// check faults ratings the tables do not have and an ambient that leaves the insulation no
// headroom. rise is added to the ambient.
func (in installation) check(f *tools.FieldErrors, rise float64) {
	good := true
	for _, r := range [...]struct {
		name string
		c    int
	}{{"insulation_rating_c", in.InsulationC}, {"terminal_rating_c", in.TerminalC}} {
		if ratingColumn(r.c) < 0 {
			f.AddValue(r.name, r.c, "must be 60, 75 or 90")
			good = false
		}
	}
	if _, ok := ambientFactor(in.AmbientC+rise, in.InsulationC); good && !ok {
		more := ""
		if rise > 0 {
			more = " with the rooftop adder"
		}
		f.AddValue("ambient_c", in.AmbientC, "%g °C%s falls in the band up to %g °C, at or above the %d °C of insulation_rating_c: the conductor could carry no current",
			in.AmbientC+rise, more, bandEdge(in.AmbientC+rise), in.InsulationC)
	}
}

func ratingColumn(c int) int {
	switch c {
	case 60:
		return 0
	case 75:
		return 1
	case 90:
		return 2
	}
	return -1
}

// bandEdge is the upper edge of the 5 °C band of table 310.15(B)(1)(1) that holds an ambient
// temperature; the lowest band is "10 or less".
func bandEdge(ambientC float64) float64 {
	return math.Max(10, 5*math.Ceil(ambientC/5-slack))
}

// ambientFactor is equation 310.15(B)(1) at the band's edge, rounded to the two decimals of
// table 310.15(B)(1)(1), all of whose cells it reproduces.
func ambientFactor(ambientC float64, insulationC int) (float64, bool) {
	tc, tb := float64(insulationC), bandEdge(ambientC)
	if tb >= tc {
		return 0, false
	}
	return math.Round(100*math.Sqrt((tc-tb)/(tc-30))) / 100, true
}

// bundlingFactor is table 310.15(C)(1).
func bundlingFactor(conductors int) float64 {
	for _, row := range [...]struct {
		upTo   int
		factor float64
	}{{3, 1}, {6, 0.8}, {9, 0.7}, {20, 0.5}, {30, 0.45}, {40, 0.4}} {
		if conductors <= row.upTo {
			return row.factor
		}
	}
	return 0.35
}

// smallConductorLimit is the largest overcurrent device of 240.4(D) [A]; 0 where it sets none.
func smallConductorLimit(g gauge, aluminum bool) float64 {
	if aluminum {
		switch g {
		case "12":
			return 15
		case "10":
			return 25
		}
		return 0
	}
	switch g {
	case "18":
		return 7
	case "16":
		return 10
	case "14":
		return 15
	case "12":
		return 20
	case "10":
		return 30
	}
	return 0
}

// ampacity is what one conductor may carry, with the steps that lead there [A].
type ampacity struct {
	base     float64 // table 310.16 at the insulation rating
	ambient  float64 // factor
	bundling float64 // factor
	terminal float64 // table 310.16 at the termination rating; 0 where it has none
	small    float64 // 240.4(D); 0 where it sets no limit
}

// ampacityOf looks a size up; false when table 310.16 has no value for it. The installation
// has been checked.
func ampacityOf(g gauge, material string, in installation, rise float64) (ampacity, bool) {
	size, ok := listedSize(g)
	if !ok {
		return ampacity{}, false
	}
	aluminum := isAluminum(material)
	row := size.copper
	if aluminum {
		row = size.aluminum
	}
	a := ampacity{
		base:     row[ratingColumn(in.InsulationC)],
		bundling: bundlingFactor(in.Conductors),
		small:    smallConductorLimit(g, aluminum),
	}
	if g != "18" && g != "16" { // their single value is that of the insulation
		a.terminal = row[ratingColumn(in.TerminalC)]
	}
	a.ambient, ok = ambientFactor(in.AmbientC+rise, in.InsulationC)
	return a, ok && a.base > 0
}

func (a ampacity) derated() float64 { return a.base * a.ambient * a.bundling }

// conductor is the ampacity with the terminations in view (110.14(C)).
func (a ampacity) conductor() float64 {
	if a.terminal > 0 {
		return math.Min(a.derated(), a.terminal)
	}
	return a.derated()
}

// usable is the allowed current of the conductor behind the largest allowed overcurrent device.
func (a ampacity) usable() float64 {
	if a.small > 0 {
		return math.Min(a.conductor(), a.small)
	}
	return a.conductor()
}

// deviceSizes are the standard ratings of NEC 2023 table 240.6(A) [A]. The 2023 edition added
// 10 A, the protection of 14 AWG copper-clad aluminum (240.4(D)(3)).
var deviceSizes = [...]float64{
	10, 15, 20, 25, 30, 35, 40, 45, 50, 60, 70, 80, 90, 100, 110, 125, 150, 175, 200, 225, 250, 300, 350, 400, 450, 500, 600, 700,
	800, 1000, 1200, 1600, 2000, 2500, 3000, 4000, 5000, 6000,
}

// deviceAtLeast is the smallest standard device not below a current; nil above 6000 A.
func deviceAtLeast(a float64) *float64 {
	for _, size := range deviceSizes {
		if !above(a, size) {
			return &size
		}
	}
	return nil
}

// deviceFor is the largest device that may protect an ampacity: the next standard size up to
// 800 A (240.4(B)), beyond it the largest one not above the ampacity (240.4(C)).
func deviceFor(ampacityA float64) float64 {
	if !above(ampacityA, 800) {
		return *deviceAtLeast(ampacityA)
	}
	best := 800.0
	for _, size := range deviceSizes {
		if !above(size, ampacityA) {
			best = size
		}
	}
	return best
}
