// Package wire provides sizes, impedances and ampacities of conductors. It has AWG and metric sizes
// (ASTM B258, IEC 60228) and the tables of the NEC and IEC 60364. It also selects conduits,
// overcurrent devices and grounding conductors.
package wire

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"slipstick/tools"
	"slipstick/tools/choice"
	"slipstick/tools/phys"
	"slipstick/tools/tolerance"
)

// Gauge is a conductor size spelled "12", "1/0" or "250 kcmil". It also decodes the spellings "#12
// AWG", "0", "0000" and "250", and integers.
type Gauge string

const (
	kcmilSuffix = " kcmil"
	mm2PerKcmil = 0.506707479 // area of a circle of 1 mil diameter, times 1000
)

var errGauge = errors.New(
	`must be an AWG size, 40 to 1 or 1/0 to 4/0 (also 0, 00, 000, 0000), or a kcmil size: ` +
		`250, 300, 350, 400, 500, 600, 700, 750, 800, 900, 1000, 1250, 1500, 1750 or 2000`)

// DecodeField decodes a string or an integer.
func (g *Gauge) DecodeField(raw []byte) error {
	var s string
	switch {
	case raw[0] == '"':
		if err := json.Unmarshal(raw, &s); err != nil {
			return errGauge
		}
	case raw[0] >= '0' && raw[0] <= '9':
		x, err := strconv.ParseFloat(string(raw), 64)
		if err != nil || x != math.Trunc(x) || x > 2000 {
			return errGauge
		}
		s = strconv.Itoa(int(x))
	default:
		return errGauge
	}
	name, ok := canonicalGauge(s)
	if !ok {
		return errGauge
	}
	*g = name
	return nil
}

// FieldSchema implements schema.FieldDecoder.
func (*Gauge) FieldSchema() map[string]any {
	return map[string]any{"type": []string{"string", "integer"}}
}

// canonicalGauge returns a gauge in the spelling of results.
func canonicalGauge(s string) (Gauge, bool) {
	s = strings.ToLower(strings.ReplaceAll(s, " ", ""))
	s = strings.TrimPrefix(s, "#")
	s, isKcmil := strings.CutSuffix(s, "kcmil")
	isAWG := false
	if !isKcmil {
		s, isAWG = strings.CutSuffix(s, "awg")
	}
	if !isKcmil {
		switch s {
		case "0", "00", "000", "0000":
			return Gauge(strconv.Itoa(len(s)) + "/0"), true
		case "1/0", "2/0", "3/0", "4/0":
			return Gauge(s), true
		}
	}
	if len(s) == 0 || len(s) > 4 || s[0] < '1' || s[0] > '9' {
		return "", false
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		return "", false
	}
	if n <= 40 {
		return Gauge(s), !isKcmil
	}
	g := Gauge(s + kcmilSuffix)
	_, listed := findSize(g)
	return g, listed && !isAWG
}

// WithUnit returns the size with its unit, "8 AWG" or "250 kcmil".
func (g Gauge) WithUnit() string {
	if g.IsKcmil() {
		return string(g)
	}
	return string(g) + " AWG"
}

// IsKcmil reports whether the size is in kcmil.
func (g Gauge) IsKcmil() bool { return strings.HasSuffix(string(g), kcmilSuffix) }

// AWGNumber returns the n of the AWG formula: 12 for 12, 0 for 1/0, -3 for 4/0.
func (g Gauge) AWGNumber() int {
	if zeros, ok := strings.CutSuffix(string(g), "/0"); ok {
		n, _ := strconv.Atoi(zeros)
		return 1 - n
	}
	n, _ := strconv.Atoi(string(g))
	return n
}

// Area returns the area in mm². AWG follows ASTM B258: d = 0.127 mm · 92^((36-n)/39).
func (g Gauge) Area() float64 {
	if s, ok := strings.CutSuffix(string(g), kcmilSuffix); ok {
		kcmil, _ := strconv.Atoi(s)
		return float64(kcmil) * mm2PerKcmil
	}
	d := 0.127 * math.Pow(92, float64(36-g.AWGNumber())/39)
	return math.Pi / 4 * d * d
}

// ParallelAllowed reports whether NEC 310.10(G) allows parallel conductors of this size.
func (g Gauge) ParallelAllowed() bool { return g.IsKcmil() || g.AWGNumber() <= 0 }

// IsAluminum reports whether the material field is aluminum in either spelling.
func IsAluminum(material string) bool { return material != "copper" }

// listed is a size of NEC table 310.16 and chapter 9 table 8.
type listed struct {
	gauge    Gauge
	copper   [3]float64 // ampacity at 60, 75 and 90 °C [A]; 0 if the table has no value
	aluminum [3]float64
	ohmCu    float64 // DC, stranded uncoated, 75 °C [Ω/kft]
	ohmAl    float64
}

// sizes contains NEC 2017-2023 table 310.16 and chapter 9 table 8, smallest size first. Copies of
// 310.16 from before 2011 differ: 3 AWG 110 A, 600 kcmil 355 A.
var sizes = [...]listed{
	{"18", [3]float64{0, 0, 14}, [3]float64{}, 7.95, 13.1},
	{"16", [3]float64{0, 0, 18}, [3]float64{}, 4.99, 8.21},
	{"14", [3]float64{15, 20, 25}, [3]float64{}, 3.14, 5.17},
	{"12", [3]float64{20, 25, 30}, [3]float64{15, 20, 25}, 1.98, 3.25},
	{"10", [3]float64{30, 35, 40}, [3]float64{25, 30, 35}, 1.24, 2.04},
	{"8", [3]float64{40, 50, 55}, [3]float64{35, 40, 45}, .778, 1.28},
	{"6", [3]float64{55, 65, 75}, [3]float64{40, 50, 55}, .491, .808},
	{"4", [3]float64{70, 85, 95}, [3]float64{55, 65, 75}, .308, .508},
	{"3", [3]float64{85, 100, 115}, [3]float64{65, 75, 85}, .245, .403},
	{"2", [3]float64{95, 115, 130}, [3]float64{75, 90, 100}, .194, .319},
	{"1", [3]float64{110, 130, 145}, [3]float64{85, 100, 115}, .154, .253},
	{"1/0", [3]float64{125, 150, 170}, [3]float64{100, 120, 135}, .122, .201},
	{"2/0", [3]float64{145, 175, 195}, [3]float64{115, 135, 150}, .0967, .159},
	{"3/0", [3]float64{165, 200, 225}, [3]float64{130, 155, 175}, .0766, .126},
	{"4/0", [3]float64{195, 230, 260}, [3]float64{150, 180, 205}, .0608, .100},
	{"250 kcmil", [3]float64{215, 255, 290}, [3]float64{170, 205, 230}, .0515, .0847},
	{"300 kcmil", [3]float64{240, 285, 320}, [3]float64{195, 230, 260}, .0429, .0707},
	{"350 kcmil", [3]float64{260, 310, 350}, [3]float64{210, 250, 280}, .0367, .0605},
	{"400 kcmil", [3]float64{280, 335, 380}, [3]float64{225, 270, 305}, .0321, .0529},
	{"500 kcmil", [3]float64{320, 380, 430}, [3]float64{260, 310, 350}, .0258, .0424},
	{"600 kcmil", [3]float64{350, 420, 475}, [3]float64{285, 340, 385}, .0214, .0353},
	{"700 kcmil", [3]float64{385, 460, 520}, [3]float64{315, 375, 425}, .0184, .0303},
	{"750 kcmil", [3]float64{400, 475, 535}, [3]float64{320, 385, 435}, .0171, .0282},
	{"800 kcmil", [3]float64{410, 490, 555}, [3]float64{330, 395, 445}, .0161, .0265},
	{"900 kcmil", [3]float64{435, 520, 585}, [3]float64{355, 425, 480}, .0143, .0235},
	{"1000 kcmil", [3]float64{455, 545, 615}, [3]float64{375, 445, 500}, .0129, .0212},
	{"1250 kcmil", [3]float64{495, 590, 665}, [3]float64{405, 485, 545}, .0103, .0169},
	{"1500 kcmil", [3]float64{525, 625, 705}, [3]float64{435, 520, 585}, .00858, .0141},
	{"1750 kcmil", [3]float64{545, 650, 735}, [3]float64{455, 545, 615}, .00735, .0121},
	{"2000 kcmil", [3]float64{555, 665, 750}, [3]float64{470, 560, 630}, .00643, .0106},
}

// CircuitGauges returns the sizes of table 310.16 from 14 AWG, smallest first. 18 and 16 AWG are
// for fixtures and control circuits only.
func CircuitGauges() []Gauge {
	var gauges []Gauge
	for _, l := range sizes[2:] {
		gauges = append(gauges, l.gauge)
	}
	return gauges
}

func findSize(g Gauge) (listed, bool) {
	for _, l := range sizes {
		if l.gauge == g {
			return l, true
		}
	}
	return listed{}, false
}

// acRow is a row of NEC chapter 9 table 9: three single conductors in conduit, 60 Hz, 75 °C, Ω/kft.
type acRow struct {
	gauge    Gauge
	xOpen    float64    // reactance in PVC or aluminum conduit
	xSteel   float64    // reactance in steel conduit
	copper   [3]float64 // resistance in PVC, aluminum and steel conduit
	aluminum [3]float64 // 0 if the table has no value
}

var acRows = [...]acRow{
	{"14", .058, .073, [3]float64{3.1, 3.1, 3.1}, [3]float64{}},
	{"12", .054, .068, [3]float64{2.0, 2.0, 2.0}, [3]float64{3.2, 3.2, 3.2}},
	{"10", .050, .063, [3]float64{1.2, 1.2, 1.2}, [3]float64{2.0, 2.0, 2.0}},
	{"8", .052, .065, [3]float64{.78, .78, .78}, [3]float64{1.3, 1.3, 1.3}},
	{"6", .051, .064, [3]float64{.49, .49, .49}, [3]float64{.81, .81, .81}},
	{"4", .048, .060, [3]float64{.31, .31, .31}, [3]float64{.51, .51, .51}},
	{"3", .047, .059, [3]float64{.25, .25, .25}, [3]float64{.40, .41, .40}},
	{"2", .045, .057, [3]float64{.19, .20, .20}, [3]float64{.32, .32, .32}},
	{"1", .046, .057, [3]float64{.15, .16, .16}, [3]float64{.25, .26, .25}},
	{"1/0", .044, .055, [3]float64{.12, .13, .12}, [3]float64{.20, .21, .20}},
	{"2/0", .043, .054, [3]float64{.10, .10, .10}, [3]float64{.16, .16, .16}},
	{"3/0", .042, .052, [3]float64{.077, .082, .079}, [3]float64{.13, .13, .13}},
	{"4/0", .041, .051, [3]float64{.062, .067, .063}, [3]float64{.10, .11, .10}},
	{"250 kcmil", .041, .052, [3]float64{.052, .057, .054}, [3]float64{.085, .090, .086}},
	{"300 kcmil", .041, .051, [3]float64{.044, .049, .045}, [3]float64{.071, .076, .072}},
	{"350 kcmil", .040, .050, [3]float64{.038, .043, .039}, [3]float64{.061, .066, .063}},
	{"400 kcmil", .040, .049, [3]float64{.033, .038, .035}, [3]float64{.054, .059, .055}},
	{"500 kcmil", .039, .048, [3]float64{.027, .032, .029}, [3]float64{.043, .048, .045}},
	{"600 kcmil", .039, .048, [3]float64{.023, .028, .025}, [3]float64{.036, .041, .038}},
	{"750 kcmil", .038, .048, [3]float64{.019, .024, .021}, [3]float64{.029, .034, .031}},
	{"1000 kcmil", .037, .046, [3]float64{.015, .019, .018}, [3]float64{.023, .027, .025}},
}

func acSize(g Gauge) (acRow, bool) {
	for _, r := range acRows {
		if r.gauge == g {
			return r, true
		}
	}
	return acRow{}, false
}

// metric is a size of IEC 60228 class 2 with its maximum DC resistance at 20 °C [Ω/km].
type metric struct {
	area     float64 // nominal [mm²]
	copper   float64
	aluminum float64 // 0 if the standard has no value
}

var metricSizes = [...]metric{
	{0.5, 36.0, 0}, {0.75, 24.5, 0}, {1, 18.1, 0}, {1.5, 12.1, 0}, {2.5, 7.41, 0}, {4, 4.61, 0},
	{6, 3.08, 0},
	{10, 1.83, 3.08}, {16, 1.15, 1.91}, {25, .727, 1.20}, {35, .524, .868},
	{50, .387, .641}, {70, .268, .443}, {95, .193, .320}, {120, .153, .253}, {150, .124, .206},
	{185, .0991, .164}, {240, .0754, .125}, {300, .0601, .100},
	{400, .0470, .0778}, {500, .0366, .0605}, {630, .0283, .0469},
}

func (m metric) resistance(aluminum bool) float64 {
	if aluminum {
		return m.aluminum
	}
	return m.copper
}

// MetricAtLeast returns the smallest metric size in the given material that has at least the area,
// or nil beyond the list.
func MetricAtLeast(area float64, aluminum bool) *float64 {
	for i := range metricSizes {
		if m := metricSizes[i]; m.resistance(aluminum) > 0 && !tolerance.Above(area, m.area) {
			return &m.area
		}
	}
	return nil
}

// Conductor is a wire with a gauge, or with a metric size if the gauge is "".
type Conductor struct {
	Gauge Gauge
	Area  float64 // mm²
}

// freeReactance is the reactance [Ω/km] that is used if table 9 has no row.
const freeReactance = 0.08

// Impedance returns the resistance at the given temperature and the reactance at 60 Hz, both in
// Ω/km. The reactance is 0 for DC. Impedance returns false for AC and kcmil sizes that table 9 does
// not list, because the DC resistance neglects the skin effect.
func (c Conductor) Impedance(
	material, conduit string, ac bool, tempC float64,
) (r, x float64, ok bool) {
	aluminum := IsAluminum(material)
	// Per K at 75 and 20 °C (table 8, IEC 60228); Ω·mm²/m at 20 °C.
	alpha75, alpha20, rho := 0.00323, 0.00393, 0.017241
	if aluminum {
		alpha75, alpha20, rho = 0.00330, 0.00403, 0.028264
	}
	if ac {
		x = freeReactance
	}
	if size, found := findSize(c.Gauge); found {
		ohm := size.ohmCu
		if aluminum {
			ohm = size.ohmAl
		}
		if ac {
			row, _ := acSize(c.Gauge)
			ohmAC, reactance := row.pick(aluminum, conduit)
			switch {
			case ohmAC > 0:
				// Table 9 rounds to two digits and lists 10 AWG below its DC resistance.
				ohm, x = math.Max(ohm, ohmAC), reactance/phys.Foot
			case c.Gauge.IsKcmil():
				return 0, 0, false
			}
		}
		// Ω/kft over 0.3048 km/kft
		return ohm * (1 + alpha75*(tempC-75)) / phys.Foot, x, true
	}
	r20 := 1000 * rho / c.Area
	if c.Gauge == "" {
		for _, m := range metricSizes {
			if ohm := m.resistance(aluminum); ohm > 0 &&
				math.Abs(c.Area-m.area) <= tolerance.Relative*m.area {
				r20 = ohm
			}
		}
	}
	return r20 * (1 + alpha20*(tempC-20)), x, true
}

// WarnDCResistance warns if a DC resistance [Ω/km], which a result of an AC circuit is computed
// with, is more than 2 % too low.
func (c Circuit) WarnDCResistance(w *tools.Warnings, result string, ohmPerKm float64) {
	rise := skinAndProximity(ohmPerKm, c.LoadedConductors(), IsAluminum(c.Material))
	if c.IsAC() && rise/(1+rise) > 0.02 {
		w.Warn(
			"%s computed with the DC resistance: at 50 Hz skin and proximity effect raise it by about %.2g %% (IEC 60287-1-1, single-core cables that touch)",
			result, 100*rise,
		)
	}
}

// skinAndProximity returns the relative increase of a DC resistance [Ω/km] at the operating
// temperature by skin and proximity effect at 50 Hz. It uses IEC 60287-1-1:2014, clauses 5.1.3 to
// 5.1.5 and table 2, for round stranded conductors in single-core cables that touch: two, or three
// in trefoil. Beyond the range of the equations, above 1300 mm² of copper, it is a lower bound.
func skinAndProximity(ohmPerKm float64, cables int, aluminum bool) float64 {
	const spacing = 0.85 * 0.85 // (conductor/cable diameter)², as with the XLPE of IEC 60502-1
	x2 := min(8*math.Pi*50/(ohmPerKm*1e-3)*1e-7, 2.8*2.8)
	effect := func(x2 float64) float64 { return x2 * x2 / (192 + 0.8*x2*x2) }
	skin, proximity := effect(x2), effect(x2)
	if aluminum {
		proximity = effect(0.8 * x2)
	}
	if cables == 2 {
		return skin + proximity*spacing*2.9
	}
	return skin + proximity*spacing*(0.312*spacing+1.18/(proximity+0.27))
}

// HasACRow reports whether table 9 lists the size of the conductor in a material, so that its AC
// impedance depends on the conduit.
func (c Conductor) HasACRow(material, conduit string) bool {
	row, listed := acSize(c.Gauge)
	if !listed {
		return false
	}
	ohm, _ := row.pick(IsAluminum(material), conduit)
	return ohm > 0
}

// pick returns the resistance (0 if the row has none) and the reactance in Ω/kft.
func (r acRow) pick(aluminum bool, conduit string) (ohm, reactance float64) {
	column := slices.Index([]string{"pvc", "aluminum", "steel"}, conduit)
	ohm, reactance = r.copper[column], r.xOpen
	if aluminum {
		ohm = r.aluminum[column]
	}
	if conduit == "steel" {
		reactance = r.xSteel
	}
	return ohm, reactance
}

// Circuit contains the load, length and conditions of a circuit, the common inputs of wire_gauge
// and voltage_drop.
type Circuit struct {
	CurrentA       float64  `json:"current_a" unit:"A" gt:"0" max:"1e6" example:"20" label:"Load current" doc:"Load current, the total of all parallel sets"`
	VoltageV       float64  `json:"voltage_v" unit:"V" gt:"0" max:"1e6" example:"12" label:"Supply voltage" doc:"Supply voltage; line to line for three-phase"`
	LengthM        *float64 `json:"length_m" unit:"m" gt:"0" max:"1e6" example:"5" label:"One-way length" doc:"One-way length from source to load; the return conductor is added; alternative to length_ft"`
	LengthFt       *float64 `json:"length_ft" unit:"ft" gt:"0" max:"1e7" alias:"length_m" label:"One-way length (ft)" doc:"One-way length from source to load; the return conductor is added; alternative to length_m"`
	MaxDropPct     float64  `json:"max_drop_pct" unit:"%" gt:"0" max:"50" default:"3" label:"Allowed voltage drop" doc:"Highest acceptable voltage drop"`
	System         string   `json:"system" enum:"dc,single_phase,three_phase" default:"dc" label:"Supply system" doc:"Supply system"`
	PowerFactor    float64  `json:"power_factor" unit:"1" gt:"0" max:"1" default:"1" label:"Power factor" doc:"Power factor of the load, lagging; AC only"`
	Material       string   `json:"material" enum:"copper,aluminum,aluminium" default:"copper" label:"Conductor material" doc:"Conductor material"`
	Conduit        string   `json:"conduit" enum:"pvc,aluminum,steel" default:"pvc" label:"Conduit material" doc:"Material of the conduit around the conductors; AC only"`
	ConductorTempC float64  `json:"conductor_temp_c" unit:"°C" min:"-40" max:"150" default:"75" label:"Conductor temperature" doc:"Temperature of the loaded conductor"`
	ParallelSets   int      `json:"parallel_sets" unit:"1" min:"1" max:"12" default:"1" label:"Parallel sets" doc:"Conductors in parallel per pole"`
}

// CheckLength requires exactly one of the two lengths.
func (c Circuit) CheckLength(f *tools.FieldErrors) {
	choice.ExactlyOne(f, choice.Of("length_m", c.LengthM != nil),
		choice.Of("length_ft", c.LengthFt != nil))
}

// IsAC reports whether the system has alternating current.
func (c Circuit) IsAC() bool { return c.System != "dc" }

// LoadedConductors returns the number of conductors that carry the load: three for three-phase
// circuits.
func (c Circuit) LoadedConductors() int {
	if c.System == "three_phase" {
		return 3
	}
	return 2
}

// LengthKm returns the one-way length in km. CheckLength must have ensured that one is given.
func (c Circuit) LengthKm() float64 {
	if c.LengthM != nil {
		return *c.LengthM / 1000
	}
	return *c.LengthFt * phys.Foot / 1000
}

// Phase returns the cosine and sine of the load's phase angle. For DC these are 1 and 0.
func (c Circuit) Phase() (cos, sin float64) {
	if !c.IsAC() {
		return 1, 0
	}
	return c.PowerFactor, math.Sqrt((1 - c.PowerFactor) * (1 + c.PowerFactor))
}

// DropPerKm returns k·I·(R cos φ + X sin φ)/sets in V/km (NEC chapter 9 table 9, note 2). k is 2
// for two wires, and √3 from line to line in a three-phase circuit.
func (c Circuit) DropPerKm(r, x float64) float64 {
	k := 2.0
	if c.System == "three_phase" {
		k = math.Sqrt(3)
	}
	cos, sin := c.Phase()
	return k * c.CurrentA * (r*cos + x*sin) / float64(c.ParallelSets)
}

// LossPerKm returns the heat in all conductors, n·I²·R/sets, in W/km.
func (c Circuit) LossPerKm(r float64) float64 {
	n := 2.0
	if c.System == "three_phase" {
		n = 3
	}
	return n * c.CurrentA * c.CurrentA * r / float64(c.ParallelSets)
}

// WarnDC adds a warning for each AC field that is set for a DC circuit.
func (c Circuit) WarnDC(w *tools.Warnings) {
	if c.IsAC() {
		return
	}
	if c.PowerFactor != 1 {
		choice.Ignored(w, "a dc circuit has none", choice.Of("power_factor", true))
	}
	if c.Conduit != "pvc" {
		choice.Ignored(w, "it changes the impedance of ac circuits only",
			choice.Of("conduit", true))
	}
}
