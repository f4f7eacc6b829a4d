package power

import (
	"context"
	"math"

	"slipstick/tools"
	"slipstick/tools/choice"
	"slipstick/tools/tolerance"
	"slipstick/tools/wire"
)

// WireAmpacity computes the ampacity of a conductor according to NEC 310.16 or IEC 60364-5-52, with
// derating.
var WireAmpacity = tools.Define(tools.Spec{
	Name:    "wire_ampacity",
	Title:   "Wire ampacity",
	Summary: "Ampacity of a wire by NEC 310.16 or IEC 60364-5-52 with derating, its overcurrent device, conduit and maximum continuous load",
	Method: "Derated = table 310.16 at the insulation rating × ambient factor × bundling factor; ampacity = the smaller of derated and the table value at the termination rating. " +
		"Ambient factor = √((Tc - Tb)/(Tc - 30)) rounded to 2 decimals, Tb the upper edge of the 5 °C band, at least 10 °C. " +
		"Overcurrent device: next standard size at or above the ampacity up to 800 A, beyond it the largest not above, never above 240.4(D). " +
		"Continuous load: the least of derated, 80 % of the smaller of table and termination value, and 80 % of the device. " +
		"Usable = the smaller of ampacity and 240.4(D), the ampacity_a of wire_gauge and voltage_drop. " +
		"IEC: Iz = table × √((limit - T)/(limit - reference)) × grouping factor; device: the largest breaker not above Iz. " +
		"Conduit: the smallest with Σ areas of THHN at most 53, 31 or 40 % of its area for one, two or more conductors, " +
		"less 0.2 of a conductor (note 7)",
	Sources: []string{
		"NFPA 70 (National Electrical Code) 2023, table 310.16 and 310.15(B)(1), 310.15(B)(2), 310.15(C)(1)",
		"NFPA 70 2023, 110.14(C), 210.19(A)(1), 240.4(B) to (D), 240.6(A), 310.10(G)",
		"NFPA 70 2023, table 250.122; 334.80 and 334.104 (NM-B)",
		"NFPA 70 2023, chapter 9, tables 1 with note 7, 4 (articles 344, 352, 358) and 5 (conduit fill); annex C",
		"IEC 60364-5-52:2009, tables 52.1, B.52.2 to B.52.5, B.52.10 to B.52.14, B.52.15 and B.52.17, line 1",
		"IEC 60364-4-43:2008, 433.1 (device); IEC 60364-5-54:2011, table 54.2 (protective conductor); IEC 60898-1 (ratings)",
	},
	Limits: []string{
		"Insulated conductors to 2000 V, not more than three in raceway, cable or earth before the bundling factor; not for free air (310.17)",
		"Motor, transformer and tap rules (240.4(E) to (G)) may allow or ask for other devices",
		"Local amendments of the code are not included",
		"IEC: methods A1 to G, of aluminium those with two public transcriptions; soil of 2.5 K·m/W; harmonics of the neutral are not included. " +
			"The tables agree with public transcriptions; the standard itself was not at hand",
	},
	Aliases: []string{"ampacity", "NEC 310.16", "current capacity", "derating",
		"wire current rating", "breaker size",
		"IEC 60364", "current-carrying capacity", "conduit fill"},
	Primary: []string{"ampacity_a"},
	Examples: []tools.Example{{
		Title: "12 AWG in a hot attic, six conductors",
		In:    `{"awg": 12, "ambient_c": 43, "current_carrying_conductors": 6}`,
		Want: `{"base_ampacity_a": 30, "ambient_factor": 0.87, "bundling_factor": 0.8, "derated_ampacity_a": 20.880, "ampacity_a": 20.880, "terminal_limit_a": 25,
			"max_ocpd_a": 20, "max_continuous_load_a": 16}`,
	}, {
		Title: "200 A feeder of 3/0 THHN in EMT",
		In:    `{"awg": "3/0", "conduit_type": "emt", "conduit_conductors": 4}`,
		Want:  `{"ampacity_a": 200, "max_ocpd_a": 200, "conduit_size_in": "2", "conduit_fill_pct": 31.93}`,
	}, {
		Title: "6 mm² in conduit on a wall, 40 °C (IEC)",
		In:    `{"area_mm2": 6, "iec_method": "B2", "ambient_c": 40}`,
		Want: `{"base_ampacity_a": 34, "ambient_factor": 0.87, "ampacity_a": 29.58, "max_ocpd_a": 25, "max_continuous_load_a": 25,
			"protective_mm2": 6, "warnings": []}`,
		From: "IEC 60364-5-52, tables B.52.4 and B.52.14",
	}},
}, wireAmpacity)

type wireAmpacityIn struct {
	AWG      *wire.Gauge `json:"awg" unit:"AWG" example:"12" label:"Wire gauge" doc:"Size: AWG 18 to 1, 1/0 to 4/0, or 250 to 2000 kcmil; alternative to area_mm2"`
	Material string      `json:"material" enum:"copper,aluminum,aluminium" default:"copper" label:"Conductor material" doc:"Conductor material"`
	wire.Installation
	Rooftop      bool     `json:"rooftop" default:"false" label:"Rooftop" doc:"Raceway or cable closer than 23 mm to a sunlit roof: 33 °C is added to the ambient temperature"`
	ParallelSets int      `json:"parallel_sets" unit:"1" min:"1" max:"12" default:"1" label:"Parallel sets" doc:"Conductors in parallel per phase; more than 1 only from 1/0 AWG"`
	AreaMM2      *float64 `json:"area_mm2" unit:"mm²" gt:"0" max:"300" label:"Conductor area (IEC)" doc:"Cross-section, 1.5 to 300, for iec_method; alternative to awg"`
	wire.IEC
	ConduitType       *string `json:"conduit_type" enum:"emt,rmc,pvc_40" label:"Conduit type" doc:"Type of the conduit; gives conduit_size_in for THHN conductors of size awg"`
	ConduitConductors *int    `json:"conduit_conductors" unit:"1" min:"1" max:"1000" label:"Conductors in the conduit" doc:"Number of conductors of this size in the conduit, with neutral and ground; default current_carrying_conductors"`
}

type wireAmpacityOut struct {
	BaseA             float64     `json:"base_ampacity_a" unit:"A" label:"Table ampacity" doc:"NEC table 310.16 at the insulation rating, per conductor"`
	AmbientFactor     float64     `json:"ambient_factor" unit:"1" label:"Ambient correction factor" doc:"Correction for the ambient temperature"`
	BundlingFactor    float64     `json:"bundling_factor" unit:"1" label:"Conductor count factor" doc:"Adjustment factor for the number of current-carrying conductors"`
	DeratedA          float64     `json:"derated_ampacity_a" unit:"A" label:"Derated ampacity" doc:"Table ampacity times both factors, per conductor"`
	TerminalA         *float64    `json:"terminal_limit_a" unit:"A" label:"Termination limit" doc:"NEC table 310.16 at the termination rating, per conductor; null for 18 and 16 AWG"`
	EffectiveAmbientC float64     `json:"effective_ambient_c" unit:"°C" label:"Effective ambient temperature" doc:"Ambient temperature with the rooftop adder"`
	AmpacityA         float64     `json:"ampacity_a" unit:"A" label:"Ampacity" doc:"The smaller of derated ampacity and termination limit, all sets"`
	MaxOCPDA          float64     `json:"max_ocpd_a" unit:"A" label:"Maximum overcurrent device" doc:"Largest permitted overcurrent device"`
	MaxContinuousA    float64     `json:"max_continuous_load_a" unit:"A" label:"Maximum continuous load" doc:"Largest continuous load (three hours or more), all sets"`
	AreaMM2           float64     `json:"area_mm2" unit:"mm²" label:"Conductor area" doc:"Cross-section of one conductor"`
	UsableA           float64     `json:"usable_ampacity_a" unit:"A" label:"Usable ampacity" doc:"Ampacity with the small-conductor limit of NEC 240.4(D), all sets; equals ampacity_a of wire_gauge and voltage_drop"`
	Usable60CA        *float64    `json:"usable_ampacity_60c_a" unit:"A" label:"Usable ampacity, 60 °C terminations" doc:"Usable ampacity with 60 °C terminations, which NEC 110.14(C)(1)(a) assumes up to 100 A; null for 18 and 16 AWG"`
	EGC               *wire.Gauge `json:"egc_awg" unit:"AWG" label:"Equipment grounding conductor" doc:"Smallest wire-type equipment grounding conductor for max_ocpd_a, of the same material, in each raceway"`
	ProtectiveMM2     *float64    `json:"protective_mm2" unit:"mm²" label:"Protective conductor" doc:"Smallest size by IEC 60364-5-54, table 54.2; null without iec_method"`
	ConduitSize       *string     `json:"conduit_size_in" label:"Conduit trade size" doc:"Smallest conduit by NEC chapter 9 [in]; null without conduit_type"`
	ConduitFillPct    *float64    `json:"conduit_fill_pct" unit:"%" label:"Conduit fill" doc:"Share of the conduit area that the conductors fill; null without conduit_type"`
	tools.Warnings
}

// rooftopAdder is the temperature [K] added to ambient for raceways close to a sunlit roof
// (310.15(B)(2)).
const rooftopAdder = 33

func wireAmpacity(_ context.Context, in wireAmpacityIn) (wireAmpacityOut, error) {
	var f tools.FieldErrors
	switch {
	case in.AreaMM2 != nil:
		return in.byIEC()
	case in.AWG == nil:
		f.Add("awg", "is required: a wire gauge, or area_mm2 with iec_method")
	case in.IEC.Method != nil:
		f.AddValue("iec_method", *in.IEC.Method, "needs area_mm2 in place of awg")
	}
	if err := f.Err(); err != nil {
		return wireAmpacityOut{}, err
	}
	out, err := in.byNEC(*in.AWG)
	choice.Ignored(&out.Warnings, "it needs iec_method", in.Unused()...)
	in.conduit(*in.AWG, &out)
	return out, err
}

// conduit adds the smallest conduit of the requested type.
func (in wireAmpacityIn) conduit(g wire.Gauge, out *wireAmpacityOut) {
	if in.ConduitType == nil {
		choice.Ignored(&out.Warnings, "it needs conduit_type",
			choice.Of("conduit_conductors", in.ConduitConductors != nil))
		return
	}
	size, fill, ok := wire.ConduitSize(g, choice.Or(in.ConduitConductors, in.Conductors),
		*in.ConduitType)
	if !ok {
		out.Warn(
			"no %s conduit of NEC chapter 9 table 4 is known to hold %d conductors of %s: conduit_size_in is null",
			*in.ConduitType, choice.Or(in.ConduitConductors, in.Conductors), g.WithUnit(),
		)
		return
	}
	out.ConduitSize, out.ConduitFillPct = &size, &fill
	if in.CableType == "nm_b" {
		out.Warn(
			"conduit_size_in is for single THHN conductors; NM-B cable counts as one conductor of its larger diameter (chapter 9, note 9)",
		)
	}
}

// byIEC computes the current-carrying capacity of a metric size according to IEC 60364-5-52.
func (in wireAmpacityIn) byIEC() (wireAmpacityOut, error) {
	var f tools.FieldErrors
	if in.AWG != nil {
		f.AddValue("awg", *in.AWG, "contradicts area_mm2: give one of them")
	}
	if in.IEC.Method == nil {
		f.Add("iec_method", "is required with area_mm2: one of A1, A2, B1, B2, C, D1, D2, E, F, G")
	}
	if in.Conductors != 2 && in.Conductors != 3 {
		f.AddValue(
			"current_carrying_conductors", in.Conductors,
			"must be 2 or 3 with iec_method: the loaded conductors of one circuit; iec_group_size counts circuits",
		)
	}
	if in.ParallelSets != 1 {
		f.AddValue("parallel_sets", in.ParallelSets,
			"must be 1 with iec_method: count parallel cables as iec_group_size")
	}
	in.IEC.Check(&f, in.Material, in.Conductors, in.AmbientC)
	if err := f.Err(); err != nil {
		return wireAmpacityOut{}, err
	}
	c, ok := in.IEC.Capacity(*in.AreaMM2, in.Material, in.Conductors, in.AmbientC)
	if !ok {
		f.AddValue("area_mm2", *in.AreaMM2, "must be one of %s with iec_method %s and %s",
			in.AreaList(in.Material, in.Conductors), *in.IEC.Method, in.Material)
		return wireAmpacityOut{}, f.Err()
	}
	out := wireAmpacityOut{
		BaseA: c.Base, AmbientFactor: c.Ambient, BundlingFactor: c.Grouping, DeratedA: c.Amps(),
		EffectiveAmbientC: in.AmbientC, AmpacityA: c.Amps(), UsableA: c.Amps(),
		AreaMM2:  *in.AreaMM2,
		MaxOCPDA: wire.IECDevice(c.Amps()), ProtectiveMM2: new(wire.ProtectiveArea(*in.AreaMM2)),
	}
	out.MaxContinuousA = out.MaxOCPDA
	if in.IEC.InGround() {
		out.Warn(
			"ambient_c %g °C is the temperature of the ground for method %s: the tables hold for 20 °C",
			in.AmbientC, *in.IEC.Method,
		)
	}
	choice.Ignored(
		&out.Warnings, "it belongs to the NEC", choice.Of("insulation_rating_c",
			in.InsulationC != 90),
		choice.Of("terminal_rating_c", in.TerminalC != 75),
		choice.Of("cable_type", in.CableType != "single_conductors"),
		choice.Of("rooftop", in.Rooftop), choice.Of("conduit_type", in.ConduitType != nil),
		choice.Of("conduit_conductors", in.ConduitConductors != nil),
	)
	return out, nil
}

// byNEC computes the ampacity of a gauge according to NEC 310.16.
func (in wireAmpacityIn) byNEC(g wire.Gauge) (wireAmpacityOut, error) {
	rise := 0.0
	if in.Rooftop {
		rise = rooftopAdder
	}
	var f tools.FieldErrors
	in.Installation.Check(&f, rise)
	if in.ParallelSets > 1 && !g.ParallelAllowed() {
		f.AddValue("parallel_sets", in.ParallelSets,
			"must be 1 for awg %s: NEC 310.10(G) allows parallel conductors of 1/0 AWG and larger only", g)
	}
	if err := f.Err(); err != nil {
		return wireAmpacityOut{}, err
	}
	a, ok := wire.AmpacityOf(g, in.Material, in.Installation, rise)
	if !ok {
		f.AddValue(
			"awg", g,
			"is not in NEC table 310.16 for %s at %d °C; it has copper from 14 AWG (18 and 16 AWG at 90 °C only) and aluminum from 12 AWG, both to 2000 kcmil",
			in.Material, in.InsulationC,
		)
		return wireAmpacityOut{}, f.Err()
	}

	sets := float64(in.ParallelSets)
	out := wireAmpacityOut{
		BaseA: a.Base, AmbientFactor: a.Ambient, BundlingFactor: a.Bundling, DeratedA: a.Derated(),
		EffectiveAmbientC: in.AmbientC + rise, AmpacityA: a.Conductor() * sets, AreaMM2: g.Area(),
		UsableA: a.Usable() * sets,
	}
	if tolerance.Above(in.AmbientC, float64(in.TerminalC)) {
		out.Warn(
			"ambient_c %g °C is above terminal_rating_c %d °C: terminations in that ambient need a higher rating",
			in.AmbientC, in.TerminalC)
	}
	in.protect(&out, g, a)
	if cool, ok := wire.AmpacityOf(g, in.Material, in.At60(), rise); ok && cool.Terminal > 0 {
		out.Usable60CA = new(cool.Usable() * sets)
	}
	in.warnNEC(&out, g, a)
	return out, nil
}

// protect computes the overcurrent device, the equipment grounding conductor and the maximum
// continuous load.
func (in wireAmpacityIn) protect(out *wireAmpacityOut, g wire.Gauge, a wire.Ampacity) {
	out.MaxOCPDA = wire.DeviceFor(out.AmpacityA)
	if a.Small > 0 {
		out.MaxOCPDA = min(out.MaxOCPDA, a.Small)
	}
	out.EGC = wire.GroundingConductor(out.MaxOCPDA, in.Material, g, g)
	// 210.19(A)(1) compares 125 % of the continuous load with the table value, and the load itself
	// with the derated value.
	undiminished := a.Base
	if a.Terminal > 0 {
		out.TerminalA = &a.Terminal
		undiminished = math.Min(a.Base, a.Terminal)
	}
	sets := float64(in.ParallelSets)
	out.MaxContinuousA = min(sets*a.Derated(), sets*0.8*undiminished, 0.8*out.MaxOCPDA)
}

// warnNEC adds warnings of the rules that limit the ampacity and the device.
func (in wireAmpacityIn) warnNEC(out *wireAmpacityOut, g wire.Gauge, a wire.Ampacity) {
	if out.Usable60CA != nil && !tolerance.Above(out.UsableA, wire.LowTerminalsA) &&
		tolerance.Below(*out.Usable60CA, out.UsableA) {
		out.Warn(
			"%.6g A needs terminations of %d °C at both ends; equipment not listed for that allows %.6g A (NEC 110.14(C)(1)(a): 60 °C to 100 A)",
			out.UsableA, in.TerminalC, *out.Usable60CA,
		)
	}
	in.WarnNMB(&out.Warnings, g, in.Material)
	if a.Small > 0 && a.Small < wire.DeviceFor(out.AmpacityA) {
		out.Warn("NEC 240.4(D) limits the overcurrent device of this small conductor to %g A",
			a.Small)
	}
	switch limited := a.Terminal > 0 && a.Terminal < a.Derated(); {
	case limited && in.CableType == "nm_b":
		out.Warn(
			"NEC 334.80 limits NM-B cable to the 60 °C column: %g A, the insulation allows %.6g A",
			a.Terminal, a.Derated())
	case limited:
		out.Warn(
			"the terminations limit the ampacity: at %d °C they allow %g A, the insulation %.6g A",
			in.TerminalC, a.Terminal, a.Derated())
	}
	if tolerance.Above(out.AmpacityA, 800) {
		out.Warn("above 800 A the overcurrent device must not exceed the ampacity (NEC 240.4(C))")
	}
}
