package power

import (
	"context"
	"math"

	"slipstick/tools"
	"slipstick/tools/choice"
	"slipstick/tools/tolerance"
	"slipstick/tools/wire"
)

// VoltageDrop computes the voltage drop along a given conductor.
var VoltageDrop = tools.Define(tools.Spec{
	Name:    "voltage_drop",
	Title:   "Voltage drop",
	Summary: "Voltage drop of a wire, with its power loss and the maximum length",
	Method: "Drop = k I (R cos φ + X sin φ) L / sets with k = 2 for two wires, √3 from line to " +
		"line of three phases. Exact, with the source voltage given: Vs + I (R cos φ + X sin φ) " +
		"- √(Vs² - I² (X cos φ - R sin φ)²), per phase or with the loop impedance. Loss = n I² R " +
		"L / sets, n = 2 or 3. R is from NEC chapter 9 table 8 for dc, the larger of tables 8 " +
		"and 9 for ac, IEC 60228 class 2 for metric sizes, otherwise ρ/A. It is corrected to the " +
		"conductor temperature. X from table 9, otherwise 0.08 Ω/km",
	Sources: []string{
		"NFPA 70 (National Electrical Code) 2023, chapter 9, table 8 and table 9 with note 2; table 310.16; 110.14(C), 240.4(D)",
		"NFPA 70 2023, 210.19(A)(1) and 215.2(A)(1): 125 % of a continuous load",
		"IEC 60228:2004, table 2; IEC 60364-5-52:2009, tables B.52.2 to B.52.5, B.52.10 to B.52.13 and B.52.17, line 1",
		"ASTM B258-18, standard nominal diameters of AWG sizes",
		"IEEE Std 141-1993 (Red Book), chapter 3, exact voltage-drop formula with the sending-end voltage given",
	},
	Limits: []string{
		"Table 9 holds for three single conductors in conduit at 60 Hz; cables and other spacings differ in reactance",
		"Metric sizes have their DC resistance. At 50 Hz it is low by 2 % from 185 mm² of copper, 4 % at 240 mm², 10 % at 400 mm² and 20 % at 630 mm². These figures are for three phases (IEC 60287-1-1, single-core cables in trefoil)",
		"Length is one way; a loop length would give twice the drop",
		"Balanced three-phase load, lagging power factor, steady state: no motor starting, no harmonics",
	},
	Aliases: []string{"cable voltage drop", "line drop", "wire loss", "IR drop"},
	Examples: []tools.Example{{
		Title: "12 AWG branch circuit, 15 A at 100 ft",
		In:    `{"awg": 12, "current_a": 15, "voltage_v": 120, "system": "single_phase", "length_ft": 100}`,
		Want: `{"resistance_ohm_per_km": 6.561680, "voltage_drop_v": 6.0, "voltage_drop_pct": 5.00, "voltage_drop_exact_v": 6.000109, "power_loss_w": 90.0,
			"max_length_m": 18.288, "meets_target": false, "awg": "12", "ampacity_a": 20}`,
	}, {
		Title: "NEC Handbook commentary on table 9: 1 AWG, aluminum conduit, three-phase",
		In:    `{"awg": "1", "current_a": 100, "voltage_v": 240, "system": "three_phase", "power_factor": 0.85, "conduit": "aluminum", "length_ft": 150}`,
		Want:  `{"voltage_drop_v": 4.16, "meets_target": true, "warnings": []}`,
	}, {
		Title: "2.5 mm² to a 16 A socket, cold",
		In:    `{"area_mm2": 2.5, "current_a": 16, "voltage_v": 230, "length_m": 20, "system": "single_phase", "conductor_temp_c": 20}`,
		Want:  `{"voltage_drop_v": 4.7424, "voltage_drop_pct": 2.061913}`,
		From:  "by hand: 2 × 16 A × 0.02 km × 7.41 Ω/km of IEC 60228",
	}},
}, voltageDrop)

type voltageDropIn struct {
	AWG     *wire.Gauge `json:"awg" unit:"AWG" example:"12" label:"Wire gauge" doc:"Size: AWG 40 to 1, 1/0 to 4/0, or 250 to 2000 kcmil; alternative to area_mm2"`
	AreaMM2 *float64    `json:"area_mm2" unit:"mm²" gt:"0" max:"1e5" label:"Conductor area" doc:"Cross-section of one conductor; alternative to awg"`
	wire.Circuit
	wire.IEC
	Continuous bool `json:"continuous" default:"false" label:"Continuous load" doc:"The load runs three hours or more; the ampacity is compared with 1.25 times the current"`
}

type voltageDropOut struct {
	DropV      float64     `json:"voltage_drop_v" unit:"V" label:"Voltage drop" doc:"Voltage drop by the usual approximation R cos φ + X sin φ"`
	DropPct    float64     `json:"voltage_drop_pct" unit:"%" label:"Relative voltage drop" doc:"Voltage drop relative to the supply voltage"`
	LoadV      float64     `json:"load_voltage_v" unit:"V" label:"Load voltage" doc:"Voltage at the load"`
	ExactV     float64     `json:"voltage_drop_exact_v" unit:"V" label:"Exact voltage drop" doc:"Difference of the voltage magnitudes at source and load, from phasors"`
	ROhmPerKm  float64     `json:"resistance_ohm_per_km" unit:"Ω/km" label:"Conductor resistance" doc:"Resistance of one conductor at its temperature"`
	XOhmPerKm  float64     `json:"reactance_ohm_per_km" unit:"Ω/km" label:"Conductor reactance" doc:"Reactance of one conductor; 0 for dc"`
	LossW      float64     `json:"power_loss_w" unit:"W" label:"Power loss" doc:"Power dissipated in all conductors"`
	Meets      bool        `json:"meets_target" label:"Within allowed drop" doc:"The drop does not exceed max_drop_pct"`
	MaxLengthM float64     `json:"max_length_m" unit:"m" label:"Maximum length" doc:"One-way length at which the drop reaches max_drop_pct"`
	AreaMM2    float64     `json:"area_mm2" unit:"mm²" label:"Conductor area" doc:"Cross-section of one conductor"`
	AWG        *wire.Gauge `json:"awg" unit:"AWG" label:"Wire gauge" doc:"Size in AWG or kcmil; null for a metric size"`
	AmpacityA  *float64    `json:"ampacity_a" unit:"A" label:"Ampacity" doc:"Usable NEC ampacity of all sets (90 °C insulation, 75 °C terminations, 30 °C ambient, 3 conductors), or Iz with iec_method; null when not in table 310.16"`
	Usable60CA *float64    `json:"usable_ampacity_60c_a" unit:"A" label:"Ampacity, 60 °C terminations" doc:"Usable ampacity with 60 °C terminations, which NEC 110.14(C)(1)(a) assumes up to 100 A; null for sizes without a termination value"`
	tools.Warnings
}

func voltageDrop(_ context.Context, in voltageDropIn) (voltageDropOut, error) {
	var f tools.FieldErrors
	if in.check(&f); f.Err() != nil {
		return voltageDropOut{}, f.Err()
	}
	var chosen wire.Conductor
	if in.AWG != nil {
		chosen = wire.Conductor{Gauge: *in.AWG, Area: in.AWG.Area()}
	} else {
		chosen.Area = *in.AreaMM2
	}
	r, x, ok := chosen.Impedance(in.Material, in.Conduit, in.IsAC(), in.ConductorTempC)
	if !ok {
		f.AddValue(
			"awg", chosen.Gauge,
			"has no row in NEC chapter 9 table 9, so its ac impedance is not known; use 250, 300, 350, 400, 500, 600, 750 or 1000 kcmil, or parallel_sets",
		)
		return voltageDropOut{}, f.Err()
	}

	out := voltageDropOut{ROhmPerKm: r, XOhmPerKm: x, AreaMM2: chosen.Area, AWG: in.AWG}
	perKm, km := in.DropPerKm(r, x), in.LengthKm()
	out.DropV = perKm * km
	exact, reachable := in.exactDrop(r, x)
	if out.DropV >= in.VoltageV || !reachable {
		f.AddValue(
			"current_a", in.CurrentA,
			"cannot be delivered: the drop would be %g V or more of voltage_v %g; use a larger conductor, a shorter run or a higher voltage",
			tolerance.RoundDown(out.DropV, 6), in.VoltageV,
		)
		return voltageDropOut{}, f.Err()
	}
	out.ExactV = exact
	out.DropPct = 100 * out.DropV / in.VoltageV
	out.LoadV = in.VoltageV - out.DropV
	out.LossW = in.LossPerKm(r) * km
	out.Meets = !tolerance.Above(out.DropPct, in.MaxDropPct)
	out.MaxLengthM = 1000 * in.MaxDropPct / 100 * in.VoltageV / perKm
	out.warn(in, chosen)
	return out, nil
}

// check adds errors of contradicting or missing fields, and of areas without a current-carrying
// capacity.
func (in voltageDropIn) check(f *tools.FieldErrors) {
	choice.ExactlyOne(f, choice.Of("awg", in.AWG != nil), choice.Of("area_mm2", in.AreaMM2 != nil))
	in.CheckLength(f)
	if in.Method != nil && in.AWG != nil {
		f.AddValue("iec_method", *in.Method, "needs area_mm2 in place of awg")
	}
	in.IEC.Check(f, in.Material, in.LoadedConductors(), in.iecAmbientC())
	if in.Method != nil && in.AreaMM2 != nil && f.Err() == nil {
		_, ok := in.Capacity(*in.AreaMM2, in.Material, in.LoadedConductors(), in.iecAmbientC())
		if !ok {
			f.AddValue("area_mm2", *in.AreaMM2, "must be one of %s with iec_method %s and %s",
				in.AreaList(in.Material, in.LoadedConductors()), *in.Method, in.Material)
		}
	}
}

// warn adds the ampacity of the conductor and the warnings.
func (out *voltageDropOut) warn(in voltageDropIn, chosen wire.Conductor) {
	if !out.Meets {
		out.Warn("the drop of %g %% is above max_drop_pct %g; take a larger conductor (wire_gauge)",
			tolerance.RoundAbove(out.DropPct, in.MaxDropPct, 4), in.MaxDropPct)
	}
	if tolerance.Above(out.DropPct, 5) {
		out.Warn(
			"the drop of %g %% is above the 5 %% that NEC 210.19 (informational note) suggests for feeder and branch circuit together",
			tolerance.RoundAbove(out.DropPct, 5, 4),
		)
	}
	choice.Ignored(&out.Warnings, "it needs iec_method", in.Unused()...)
	if in.Method != nil {
		out.ampacityIEC(in, chosen)
	} else {
		out.ampacityNEC(in, chosen)
	}
	if in.ParallelSets > 1 && chosen.Gauge != "" && !chosen.Gauge.ParallelAllowed() {
		out.Warn("NEC 310.10(G) allows parallel conductors of 1/0 AWG and larger only")
	}
	in.WarnDC(&out.Warnings)
	if in.IsAC() && !chosen.HasACRow(in.Material, in.Conduit) {
		choice.Ignored(&out.Warnings,
			"NEC chapter 9 table 9 does not list this size of "+in.Material,
			choice.Of("conduit", in.Conduit != "pvc"))
		in.WarnDCResistance(&out.Warnings, "voltage_drop_v and power_loss_w are", out.ROhmPerKm)
	}
}

// ampacityIEC sets Iz of all cables and warns of a larger current.
func (out *voltageDropOut) ampacityIEC(in voltageDropIn, chosen wire.Conductor) {
	c, _ := in.Capacity(chosen.Area, in.Material, in.LoadedConductors(), in.iecAmbientC())
	total := c.Amps() * float64(in.ParallelSets)
	out.AmpacityA = &total
	if tolerance.Above(in.CurrentA, total) {
		out.Warn("the current of %g A is above Iz of %g A (IEC 60364-5-52, method %s)",
			in.CurrentA, total, *in.Method)
	}
	if in.ParallelSets > 1 && in.Circuits < in.ParallelSets {
		out.Warn("%d parallel cables that touch are %d circuits of iec_group_size, which is %d",
			in.ParallelSets, in.ParallelSets, in.Circuits)
	}
}

// ampacityNEC sets the ampacity of all sets by NEC table 310.16 and warns of a larger current.
func (out *voltageDropOut) ampacityNEC(in voltageDropIn, chosen wire.Conductor) {
	a, known := wire.AmpacityOf(chosen.Gauge, in.Material, wire.Usual(), 0)
	if !known {
		out.Warn(
			"no ampacity is known for this size (it is not in NEC table 310.16 for %s); check that the wire carries the current",
			in.Material,
		)
		return
	}
	total := a.Usable() * float64(in.ParallelSets)
	out.AmpacityA = &total
	required := in.CurrentA
	if in.Continuous {
		required *= 1.25
	}
	if cool, ok := wire.AmpacityOf(chosen.Gauge, in.Material, wire.Usual().At60(), 0); ok &&
		cool.Terminal > 0 {
		out.Usable60CA = new(cool.Usable() * float64(in.ParallelSets))
	}
	switch {
	case tolerance.Above(in.CurrentA, total):
		out.Warn("the current of %g A is above the usable ampacity of %g A; take a larger conductor (wire_gauge)", in.CurrentA, total)
	case tolerance.Above(required, total):
		out.Warn(
			"a continuous load of %g A requires an ampacity of %g A (125 %%, NEC 210.19(A)(1)), above the usable %g A",
			in.CurrentA, tolerance.RoundAbove(required, total, 6), total,
		)
	case out.Usable60CA != nil && tolerance.Above(required, *out.Usable60CA) &&
		!tolerance.Above(required, wire.LowTerminalsA):
		out.Warn(
			"%g A on this size needs terminations of 75 °C at both ends; equipment not listed for that allows %g A (NEC 110.14(C)(1)(a))",
			tolerance.RoundAbove(required, *out.Usable60CA, 6), *out.Usable60CA,
		)
	}
}

// iecAmbientC returns the reference temperature of the tables [°C], for ground or air.
func (in voltageDropIn) iecAmbientC() float64 {
	if in.InGround() {
		return 20
	}
	return 30
}

// exactDrop returns the difference of the voltage magnitudes at source and load. With a = I(R cos φ
// + X sin φ) and b = I(X cos φ - R sin φ), the load voltage is √(Vs² - b²) - a. It computes Vs -
// √(Vs² - b²) as b²/(Vs + √(Vs² - b²)), which does not cancel. It returns false if the circuit has
// no solution.
func (in voltageDropIn) exactDrop(r, x float64) (float64, bool) {
	vs, scale, wires := in.VoltageV, 1.0, 2.0
	if in.System == "three_phase" {
		vs, scale, wires = in.VoltageV/math.Sqrt(3), math.Sqrt(3), 1
	}
	cos, sin := in.Phase()
	i := wires * in.CurrentA * in.LengthKm() / float64(in.ParallelSets)
	a, b := i*(r*cos+x*sin), i*(x*cos-r*sin)
	if math.Abs(b) >= vs {
		return 0, false
	}
	root := math.Sqrt((vs - b) * (vs + b))
	drop := a + b*b/(vs+root)
	return scale * drop, drop < vs
}
