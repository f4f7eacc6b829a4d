package power

import (
	"context"

	"slipstick/tools"
	"slipstick/tools/choice"
	"slipstick/tools/tolerance"
	"slipstick/tools/wire"
)

// WireGauge computes the smallest conductor that meets both voltage drop and ampacity.
var WireGauge = tools.Define(tools.Spec{
	Name:    "wire_gauge",
	Title:   "Wire gauge",
	Summary: "Smallest wire that carries a current over a distance within a voltage drop and its NEC ampacity",
	Method: "Sizes are tried upwards from 14 AWG copper or 12 AWG aluminum (from 24 AWG without " +
		"the ampacity check; 1/0 and larger for parallel sets). The result is the first with k I " +
		"(R cos φ + X sin φ) L / sets ≤ limit and usable ampacity ≥ I (1.25 I when continuous); " +
		"k = 2 for two wires, √3 for three-phase. R is from NEC chapter 9 table 8 for dc and the " +
		"larger of tables 8 and 9 for ac, corrected to the conductor temperature. X is from " +
		"table 9. Usable ampacity is the least of table 310.16 with ambient and bundling " +
		"factors, its value at the termination rating, and the small-conductor limit of " +
		"240.4(D). The same with 60 °C terminations gives awg_60c_terminals. Overcurrent device: " +
		"the standard size at or above the required ampacity. Grounding conductor: table 250.122 " +
		"× area chosen / area by ampacity, at most the circuit conductor. IEC: the smallest size " +
		"of IEC 60364-5-52 with a breaker of I ≤ In ≤ Iz (Iz ≥ I above 630 A) and the same " +
		"voltage drop limit",
	Sources: []string{
		"NFPA 70 (National Electrical Code) 2023, table 310.16, 310.15(B)(1), 310.15(C)(1), 310.10(G), 110.14(C), 240.4(D)",
		"NFPA 70 2023, 210.20(A), 240.6(A), table 250.122 with 250.122(A) and (B), 334.80 and 334.104 (NM-B)",
		"NFPA 70 2023, chapter 9, tables 8 and 9 (with note 2)",
		"ASTM B258-18, standard nominal diameters of AWG sizes",
		"IEC 60228:2004, table 2 (metric sizes)",
		"IEC 60364-5-52:2009, tables B.52.2 to B.52.5, B.52.10 to B.52.14, B.52.15 and B.52.17, line 1; IEC 60364-4-43:2008, 433.1",
	},
	Limits: []string{
		"Ampacity is for insulated conductors to 2000 V in raceway, cable or earth; not for free air, chassis wiring or bundles in vehicles",
		"Length is one way; a loop length would give twice the drop",
		"The drop is the usual approximation; voltage_drop also gives the exact one",
		"iec_area_mm2 follows from the DC resistance. At 50 Hz it is low by 2 % from 185 mm² of copper and 6 % at 300 mm² (three-phase, IEC 60287-1-1, single-core cables in trefoil)",
		"Short-circuit withstand and local amendments of the code are not checked",
	},
	Aliases: []string{"AWG", "wire size", "cable size", "conductor size", "minimum wire gauge",
		"cable sizing", "IEC 60364"},
	Primary: []string{"awg"},
	Examples: []tools.Example{{
		Title: "12 V load, 20 A over 5 m",
		In:    `{"current_a": 20, "voltage_v": 12, "length_m": 5}`,
		Want: `{"awg": "6", "area_mm2": 13.3018, "metric_equivalent_mm2": 16, "awg_by_voltage_drop": "6", "awg_by_ampacity": "12", "limiting_factor": "voltage_drop",
			"voltage_drop_v": 0.322178, "voltage_drop_pct": 2.68482, "power_loss_w": 6.44357, "max_length_m": 5.586965, "warnings": []}`,
	}, {
		Title: "Feeder, 100 A three-phase over 60 m",
		In:    `{"current_a": 100, "voltage_v": 400, "length_m": 60, "system": "three_phase", "power_factor": 0.85, "continuous": true}`,
		Want:  `{"awg": "1", "limiting_factor": "ampacity", "required_ampacity_a": 125, "ampacity_a": 130}`,
	}, {
		Title: "50 A circuit: terminations of 75 °C or 60 °C",
		In:    `{"current_a": 50, "voltage_v": 240, "length_m": 10, "system": "single_phase"}`,
		Want: `{"awg": "8", "awg_60c_terminals": "6", "ocpd_a": 50, "egc_awg": "10",
			"warnings": ["8 AWG needs terminations of 75 °C at both ends; on equipment not listed for that use 6 AWG (NEC 110.14(C)(1)(a): 60 °C to 100 A), or set terminal_rating_c to 60"]}`,
	}},
}, wireGauge)

type wireGaugeIn struct {
	wire.Circuit
	wire.Installation
	Continuous    bool `json:"continuous" default:"false" label:"Continuous load" doc:"The load runs three hours or more; the ampacity is checked for 1.25 times the current"`
	AmpacityCheck bool `json:"ampacity_check" default:"true" label:"Ampacity check" doc:"false: the size follows from the voltage drop alone, from 24 AWG"`
	wire.IEC
}

type wireGaugeOut struct {
	AWG               *wire.Gauge `json:"awg" unit:"AWG" label:"Wire gauge" doc:"Smallest size that meets voltage drop and ampacity"`
	AreaMM2           *float64    `json:"area_mm2" unit:"mm²" label:"Conductor area" doc:"Cross-section of that size"`
	MetricMM2         *float64    `json:"metric_equivalent_mm2" unit:"mm²" label:"Metric equivalent" doc:"Smallest IEC 60228 size of the material that is not smaller; null beyond 630 mm²"`
	AWGByDrop         *wire.Gauge `json:"awg_by_voltage_drop" unit:"AWG" label:"Wire gauge by voltage drop" doc:"Smallest size for the voltage drop alone"`
	AWGByAmpacity     *wire.Gauge `json:"awg_by_ampacity" unit:"AWG" label:"Wire gauge by ampacity" doc:"Smallest size for the ampacity alone; null without ampacity_check"`
	LimitingFactor    string      `json:"limiting_factor" enum:"voltage_drop,ampacity,both" label:"Limiting factor" doc:"Requirement that decides the size, or that no size meets"`
	DropV             *float64    `json:"voltage_drop_v" unit:"V" label:"Voltage drop" doc:"Voltage drop with that size"`
	DropPct           *float64    `json:"voltage_drop_pct" unit:"%" label:"Relative voltage drop" doc:"Voltage drop relative to the supply voltage"`
	LoadV             *float64    `json:"load_voltage_v" unit:"V" label:"Load voltage" doc:"Voltage at the load"`
	AmpacityA         *float64    `json:"ampacity_a" unit:"A" label:"Ampacity" doc:"Usable ampacity of all sets; null for sizes without a table value"`
	RequiredAmpacityA float64     `json:"required_ampacity_a" unit:"A" label:"Required ampacity" doc:"Ampacity required by the load"`
	LossW             *float64    `json:"power_loss_w" unit:"W" label:"Power loss" doc:"Power dissipated in all conductors"`
	MaxLengthM        *float64    `json:"max_length_m" unit:"m" label:"Maximum length" doc:"One-way length at which this size reaches max_drop_pct"`
	AWG60C            *wire.Gauge `json:"awg_60c_terminals" unit:"AWG" label:"Wire gauge, 60 °C terminations" doc:"Smallest size with 60 °C terminations, which NEC 110.14(C)(1)(a) assumes up to 100 A; null without ampacity_check or when no size suffices"`
	OCPDA             *float64    `json:"ocpd_a" unit:"A" label:"Overcurrent device" doc:"Smallest standard overcurrent device at or above the required ampacity; null without ampacity_check or above 6000 A"`
	ConductorA        *float64    `json:"conductor_ampacity_a" unit:"A" label:"Conductor ampacity" doc:"Ampacity without the small-conductor limit of NEC 240.4(D), all sets; equals ampacity_a of wire_ampacity"`
	EGC               *wire.Gauge `json:"egc_awg" unit:"AWG" label:"Equipment grounding conductor" doc:"Smallest wire-type equipment grounding conductor of the same material, in each raceway; null without ocpd_a"`
	IECAreaMM2        *float64    `json:"iec_area_mm2" unit:"mm²" label:"Conductor area (IEC)" doc:"Smallest size by IEC 60364-5-52 and voltage drop; null without iec_method or when no size suffices"`
	IECCapacityA      *float64    `json:"iec_capacity_a" unit:"A" label:"Current-carrying capacity (IEC)" doc:"Iz of iec_area_mm2, all sets"`
	tools.Warnings
}

// dropOnlySizes are the sizes below 14 AWG. They are considered only if the voltage drop alone
// determines the size.
var dropOnlySizes = [...]wire.Gauge{"24", "22", "20", "18", "16"}

func wireGauge(_ context.Context, in wireGaugeIn) (wireGaugeOut, error) {
	var f tools.FieldErrors
	in.CheckLength(&f)
	in.Installation.Check(&f, 0)
	in.IEC.Check(&f, in.Material, in.LoadedConductors(), in.AmbientC)
	if err := f.Err(); err != nil {
		return wireGaugeOut{}, err
	}
	out := wireGaugeOut{RequiredAmpacityA: in.CurrentA}
	if in.Continuous {
		out.RequiredAmpacityA *= 1.25
	}

	size := in.choose(out.RequiredAmpacityA)
	chosen, byDrop, byAmpacity := size.chosen, size.byDrop, size.byAmpacity
	out.LimitingFactor = "both"
	switch {
	case !in.AmpacityCheck:
		out.LimitingFactor = "voltage_drop"
	case chosen == "" && byDrop != "", chosen != "" && byDrop != chosen:
		out.LimitingFactor = "ampacity"
	case chosen == "" && byAmpacity != "", chosen != "" && byAmpacity != chosen:
		out.LimitingFactor = "voltage_drop"
	}
	if chosen == "" {
		what := map[string]string{"voltage_drop": "the voltage drop", "ampacity": "the ampacity",
			"both": "the voltage drop or the ampacity"}[out.LimitingFactor]
		out.Warn(
			"no single size is enough: not even the largest meets %s; use more parallel_sets, a higher voltage or a shorter run",
			what,
		)
	} else {
		in.describe(chosen, &out)
		out.AWGByDrop = &byDrop
		if in.AmpacityCheck {
			out.AWGByAmpacity = &byAmpacity
			in.protect(&out)
		}
		in.WarnNMB(&out.Warnings, chosen, in.Material)
	}
	if in.ConductorTempC < 60 {
		out.Warn(
			"conductor_temp_c %g is below 60 °C: a conductor loaded near its ampacity runs hotter, and its resistance is higher",
			in.ConductorTempC,
		)
	}
	in.WarnDC(&out.Warnings)
	in.chooseIEC(&out)
	return out, nil
}

// chooseIEC adds the smallest metric size according to IEC 60364-5-52, which has no factor for
// continuous loads.
func (in wireGaugeIn) chooseIEC(out *wireGaugeOut) {
	choice.Ignored(&out.Warnings, "it needs iec_method", in.Unused()...)
	if in.IEC.Method == nil {
		return
	}
	for _, area := range in.Areas(in.Material, in.LoadedConductors()) {
		c, _ := in.Capacity(area, in.Material, in.LoadedConductors(), in.AmbientC)
		r, x, _ := wire.Conductor{
			Area: area,
		}.Impedance(in.Material, in.Conduit, in.IsAC(), in.ConductorTempC)
		drop := 100 * in.DropPerKm(r, x) * in.LengthKm() / in.VoltageV
		total := c.Amps() * float64(in.ParallelSets)
		if wire.IECProtects(in.CurrentA, total) && !tolerance.Above(drop, in.MaxDropPct) {
			out.IECAreaMM2, out.IECCapacityA = &area, &total
			in.WarnDCResistance(&out.Warnings, "iec_area_mm2 is", r)
			break
		}
	}
	if out.IECAreaMM2 == nil {
		out.Warn(
			"no size of IEC 60364-5-52 to 300 mm² is enough: use more parallel_sets or a shorter run",
		)
	}
	if in.IEC.InGround() {
		out.Warn(
			"ambient_c %g °C is the temperature of the ground for method %s: the tables hold for 20 °C",
			in.AmbientC, *in.IEC.Method,
		)
	}
	if in.ParallelSets > 1 && in.Circuits < in.ParallelSets {
		out.Warn("%d parallel cables that touch are %d circuits of iec_group_size, which is %d",
			in.ParallelSets, in.ParallelSets, in.Circuits)
	}
}

// sizes contains the smallest conductors that meet both requirements (chosen), the voltage drop
// (byDrop) and the ampacity (byAmpacity). A conductor is "" if no size does.
type sizes struct{ chosen, byDrop, byAmpacity wire.Gauge }

// choose searches the sizes in ascending order. required is the ampacity of all sets in amperes.
func (in wireGaugeIn) choose(required float64) (found sizes) {
	consider := func(g wire.Gauge) {
		if in.ParallelSets > 1 && !g.ParallelAllowed() {
			return
		}
		drop, ok := in.dropPct(g)
		if !ok {
			return
		}
		dropOK := !tolerance.Above(drop, in.MaxDropPct)
		if dropOK && found.byDrop == "" {
			found.byDrop = g
		}
		ampacityOK := true
		if in.AmpacityCheck {
			usable := in.usable(g)
			ampacityOK = usable != nil && !tolerance.Below(*usable, required)
			if ampacityOK && found.byAmpacity == "" {
				found.byAmpacity = g
			}
		}
		if dropOK && ampacityOK && found.chosen == "" {
			found.chosen = g
		}
	}
	if !in.AmpacityCheck {
		for _, g := range dropOnlySizes {
			consider(g)
		}
	}
	for _, g := range wire.CircuitGauges() {
		if in.AmpacityCheck && wire.IsAluminum(in.Material) && g == "14" {
			continue // table 310.16 lists no aluminum below 12 AWG
		}
		consider(g)
	}
	return found
}

// protect adds the size for 60 °C terminations, the overcurrent device, and the equipment grounding
// conductor for the size found by the ampacity check.
func (in wireGaugeIn) protect(out *wireGaugeOut) {
	cool := in
	cool.Installation = in.At60()
	if g := cool.choose(out.RequiredAmpacityA).chosen; g != "" {
		out.AWG60C = &g
	}
	if a, ok := wire.AmpacityOf(*out.AWG, in.Material, in.Installation, 0); ok {
		out.ConductorA = new(a.Conductor() * float64(in.ParallelSets))
	}
	out.OCPDA = wire.DeviceAtLeast(out.RequiredAmpacityA)
	if out.OCPDA != nil {
		out.EGC = wire.GroundingConductor(*out.OCPDA, in.Material, *out.AWG, *out.AWGByAmpacity)
		if out.ConductorA != nil && tolerance.Above(*out.OCPDA, wire.DeviceFor(*out.ConductorA)) {
			out.Warn(
				"an overcurrent device of %g A is above the conductor ampacity of %.6g A, which NEC 240.4(C) does not allow above 800 A: use a larger size",
				*out.OCPDA, *out.ConductorA,
			)
		}
	}
	if in.TerminalC > 60 && !tolerance.Above(out.RequiredAmpacityA, wire.LowTerminalsA) &&
		(out.AWG60C == nil || *out.AWG60C != *out.AWG) {
		larger := "a larger size or parallel_sets"
		if out.AWG60C != nil {
			larger = out.AWG60C.WithUnit()
		}
		out.Warn(
			"%s needs terminations of %d °C at both ends; on equipment not listed for that use %s (NEC 110.14(C)(1)(a): 60 °C to 100 A), or set terminal_rating_c to 60",
			out.AWG.WithUnit(), in.TerminalC, larger,
		)
	}
}

// describe adds the properties of the selected size.
func (in wireGaugeIn) describe(g wire.Gauge, out *wireGaugeOut) {
	area := g.Area()
	r, x, _ := in.impedance(g)
	perKm := in.DropPerKm(r, x)
	drop := perKm * in.LengthKm()
	pct, load := 100*drop/in.VoltageV, in.VoltageV-drop
	loss := in.LossPerKm(r) * in.LengthKm()
	longest := 1000 * in.MaxDropPct / 100 * in.VoltageV / perKm
	out.AWG, out.AreaMM2, out.MetricMM2 = &g, &area, wire.MetricAtLeast(area,
		wire.IsAluminum(in.Material))
	out.DropV, out.DropPct, out.LoadV = &drop, &pct, &load
	out.AmpacityA = in.usable(g)
	out.LossW, out.MaxLengthM = &loss, &longest
	if wire.IsAluminum(in.Material) && !g.IsKcmil() && g.AWGNumber() >= 8 {
		out.Warn(
			"aluminum of %s AWG: small aluminum conductors need terminals listed for them (AL or CO/ALR) and are often not available",
			g,
		)
	}
}

func (in wireGaugeIn) impedance(g wire.Gauge) (r, x float64, ok bool) {
	return wire.Conductor{
		Gauge: g, Area: g.Area(),
	}.Impedance(in.Material, in.Conduit, in.IsAC(), in.ConductorTempC)
}

// dropPct returns the voltage drop in percent. It returns false if the size has no impedance data
// for the system.
func (in wireGaugeIn) dropPct(g wire.Gauge) (float64, bool) {
	r, x, ok := in.impedance(g)
	return 100 * in.DropPerKm(r, x) * in.LengthKm() / in.VoltageV, ok
}

// usable returns the usable ampacity of all sets in amperes, or nil if the tables have no value for
// the size.
func (in wireGaugeIn) usable(g wire.Gauge) *float64 {
	a, ok := wire.AmpacityOf(g, in.Material, in.Installation, 0)
	if !ok {
		return nil
	}
	total := a.Usable() * float64(in.ParallelSets)
	return &total
}
