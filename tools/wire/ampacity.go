package wire

import (
	"math"

	"slipstick/tools"
	"slipstick/tools/tolerance"
)

// Installation contains the installation conditions that determine the ampacity of a conductor.
type Installation struct {
	InsulationC int     `json:"insulation_rating_c" unit:"°C" min:"60" max:"90" default:"90" label:"Insulation temperature rating" doc:"Temperature rating of the insulation: 60, 75 or 90"`
	TerminalC   int     `json:"terminal_rating_c" unit:"°C" min:"60" max:"90" default:"75" label:"Termination temperature rating" doc:"Temperature rating of the terminations: 60, 75 or 90"`
	AmbientC    float64 `json:"ambient_c" unit:"°C" min:"-40" max:"85" default:"30" label:"Ambient temperature" doc:"Ambient temperature"`
	CableType   string  `json:"cable_type" enum:"single_conductors,nm_b" default:"single_conductors" label:"Cable type" doc:"single_conductors: table 310.16 as rated; nm_b: NM-B cable, derated from 90 °C and limited to the 60 °C column (334.80)"`
	Conductors  int     `json:"current_carrying_conductors" unit:"1" min:"1" max:"1000" default:"3" label:"Current-carrying conductors" doc:"Number of current-carrying conductors in the same raceway or bundle"`
}

// Usual returns the default installation, for tools that report an ampacity without asking for the
// installation.
func Usual() Installation {
	return Installation{
		InsulationC: 90, TerminalC: 75, AmbientC: 30, Conductors: 3, CableType: "single_conductors",
	}
}

// At60 returns the installation with 60 °C terminations, which 110.14(C)(1)(a) assumes for
// equipment of 100 A or less that is not listed for more.
func (in Installation) At60() Installation {
	in.TerminalC = 60
	return in
}

// LowTerminalsA is the maximum current [A] for which 110.14(C)(1)(a) assumes 60 °C terminations.
const LowTerminalsA = 100

// Check adds errors for ratings that the tables do not contain, and for an ambient temperature too
// high for the insulation. rise is added to the ambient temperature.
func (in Installation) Check(f *tools.FieldErrors, rise float64) {
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
	if in.CableType == "nm_b" && in.InsulationC != 90 {
		f.AddValue("insulation_rating_c", in.InsulationC,
			"must be 90 for cable_type nm_b: NEC 334.112 requires conductors of 90 °C")
	}
	if _, ok := ambientFactor(in.AmbientC+rise, in.InsulationC); good && !ok {
		more := ""
		if rise > 0 {
			more = " with the rooftop adder"
		}
		f.AddValue(
			"ambient_c", in.AmbientC,
			"%g °C%s falls in the band up to %g °C, at or above the %d °C of insulation_rating_c: the conductor could carry no current",
			in.AmbientC+rise, more, bandEdge(in.AmbientC+rise), in.InsulationC,
		)
	}
}

// WarnNMB adds a warning if the installation is NM-B cable, and 334.104 does not list its size.
func (in Installation) WarnNMB(w *tools.Warnings, g Gauge, material string) {
	smallest := Gauge("14")
	if IsAluminum(material) {
		smallest = "12"
	}
	switch area := g.Area(); {
	case in.CableType != "nm_b":
	case area > Gauge("2").Area():
		w.Warn("NM-B cable is made to 2 AWG (NEC 334.104), and %s is larger: use another wiring method",
			g.WithUnit())
	case area < smallest.Area():
		w.Warn(
			"NM-B cable is made from %s (NEC 334.104), and %s is smaller: use %[1]s %[3]s, or another wiring method",
			smallest.WithUnit(), g.WithUnit(), material)
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

// bandEdge returns the upper edge of the 5 °C band of table 310.15(B)(1)(1) that contains an
// ambient temperature. The lowest band is "10 or less".
func bandEdge(ambientC float64) float64 {
	return math.Max(10, 5*math.Ceil(ambientC/5-tolerance.Relative))
}

// ambientFactor evaluates equation 310.15(B)(1) at the edge of the band. Rounded to two decimals,
// it reproduces all values of table 310.15(B)(1)(1).
func ambientFactor(ambientC float64, insulationC int) (float64, bool) {
	tc, tb := float64(insulationC), bandEdge(ambientC)
	if tb >= tc {
		return 0, false
	}
	return math.Round(100*math.Sqrt((tc-tb)/(tc-30))) / 100, true
}

// bundlingFactor returns the factor of table 310.15(C)(1).
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

// smallConductorLimit returns the maximum overcurrent device of 240.4(D) [A], or 0 if there is no
// limit.
func smallConductorLimit(g Gauge, aluminum bool) float64 {
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

// Ampacity is the ampacity of a conductor with the intermediate steps [A].
type Ampacity struct {
	Base     float64 // value of table 310.16 at the insulation rating
	Ambient  float64 // factor
	Bundling float64 // factor
	Terminal float64 // value of table 310.16 at the termination rating; 0 if there is none
	Small    float64 // limit of 240.4(D); 0 if there is none
}

// AmpacityOf returns the ampacity of a size. It returns false if table 310.16 has no value for it.
// The caller must have checked the installation.
func AmpacityOf(g Gauge, material string, in Installation, rise float64) (Ampacity, bool) {
	size, ok := findSize(g)
	if !ok {
		return Ampacity{}, false
	}
	aluminum := IsAluminum(material)
	row := size.copper
	if aluminum {
		row = size.aluminum
	}
	a := Ampacity{
		Base:     row[ratingColumn(in.InsulationC)],
		Bundling: bundlingFactor(in.Conductors),
		Small:    smallConductorLimit(g, aluminum),
	}
	// The table lists 18 and 16 AWG only at the insulation rating.
	if g != "18" && g != "16" {
		a.Terminal = row[ratingColumn(in.TerminalC)]
		if in.CableType == "nm_b" {
			a.Terminal = row[ratingColumn(60)]
		}
	}
	a.Ambient, ok = ambientFactor(in.AmbientC+rise, in.InsulationC)
	return a, ok && a.Base > 0
}

// Derated returns the base ampacity times both factors [A].
func (a Ampacity) Derated() float64 { return a.Base * a.Ambient * a.Bundling }

// Conductor returns the ampacity limited by the terminations (110.14(C)).
func (a Ampacity) Conductor() float64 {
	if a.Terminal > 0 {
		return math.Min(a.Derated(), a.Terminal)
	}
	return a.Derated()
}

// Usable returns the ampacity limited by the terminations and by the overcurrent device of 240.4(D)
// [A].
func (a Ampacity) Usable() float64 {
	if a.Small > 0 {
		return math.Min(a.Conductor(), a.Small)
	}
	return a.Conductor()
}

// groundingRow is a row of table 250.122: the smallest equipment grounding conductor for an
// overcurrent device up to the given rating.
type groundingRow struct {
	deviceA          float64
	copper, aluminum Gauge
}

// groundingRows contains NEC 2023 table 250.122.
var groundingRows = [...]groundingRow{
	{15, "14", "12"}, {20, "12", "10"}, {60, "10", "8"}, {100, "8", "6"}, {200, "6", "4"},
	{300, "4", "2"}, {400, "3", "1"},
	{500, "2", "1/0"}, {600, "1", "2/0"}, {800, "1/0", "3/0"}, {1000, "2/0", "4/0"},
	{1200, "3/0", "250 kcmil"},
	{1600, "4/0", "350 kcmil"}, {2000, "250 kcmil", "400 kcmil"}, {2500, "350 kcmil", "600 kcmil"},
	{3000, "400 kcmil", "600 kcmil"},
	{4000, "500 kcmil", "750 kcmil"}, {5000, "700 kcmil", "1250 kcmil"},
	{6000, "800 kcmil", "1250 kcmil"},
}

// GroundingConductor returns the smallest equipment grounding conductor of table 250.122 in the
// material of the circuit. 250.122(B) enlarges it by the area ratio of the circuit conductor to the
// smallest conductor with sufficient ampacity. 250.122(A) limits it to the size of the circuit
// conductor. It returns nil above 6000 A.
func GroundingConductor(deviceA float64, material string, circuit, smallest Gauge) *Gauge {
	for _, row := range groundingRows {
		if tolerance.Above(deviceA, row.deviceA) {
			continue
		}
		size := row.copper
		if IsAluminum(material) {
			size = row.aluminum
		}
		needed := math.Min(size.Area()*circuit.Area()/smallest.Area(), circuit.Area())
		for _, l := range sizes {
			// Chapter 9 table 8 lists areas to four digits, so a smaller difference does not
			// require a larger size.
			if l.gauge.Area() >= needed*(1-1e-3) {
				return new(l.gauge)
			}
		}
		return nil
	}
	return nil
}

// deviceSizes are the standard ratings of NEC 2023 table 240.6(A) [A]. The 2023 edition added
// 10 A, the protection of 14 AWG copper-clad aluminum (240.4(D)(3)).
var deviceSizes = [...]float64{
	10, 15, 20, 25, 30, 35, 40, 45, 50, 60, 70, 80, 90, 100, 110, 125, 150, 175, 200, 225, 250, 300,
	350, 400, 450, 500, 600, 700, 800, 1000, 1200, 1600, 2000, 2500, 3000, 4000, 5000, 6000,
}

// DeviceAtLeast returns the smallest standard device of at least a current, or nil above 6000 A.
func DeviceAtLeast(a float64) *float64 {
	for _, size := range deviceSizes {
		if !tolerance.Above(a, size) {
			return new(size)
		}
	}
	return nil
}

// DeviceFor returns the largest device that may protect an ampacity [A]. Up to 800 A it is the
// smallest standard size of at least the ampacity (240.4(B)). Above, it is the largest size that
// does not exceed the ampacity (240.4(C)).
func DeviceFor(ampacityA float64) float64 {
	if !tolerance.Above(ampacityA, 800) {
		return *DeviceAtLeast(ampacityA)
	}
	best := 800.0
	for _, size := range deviceSizes {
		if !tolerance.Above(size, ampacityA) {
			best = size
		}
	}
	return best
}
