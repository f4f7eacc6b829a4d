package pcb

import (
	"context"
	"fmt"
	"math"
	"strings"

	"slipstick/tools"
	"slipstick/tools/choice"
	"slipstick/tools/component"
	"slipstick/tools/tolerance"
)

// Timer555 analyses or designs the 555 as an oscillator or pulse generator.
var Timer555 = tools.Define(tools.Spec{
	Name:    "timer_555",
	Title:   "555 timer",
	Summary: "Frequency, duty cycle or pulse width of a 555 timer from R and C, or R and C for them; astable and monostable",
	Method: "Comparators at 1/3 and 2/3 of the supply. Ideal astable: t_high = ln 2 (R1 + R2) C, with a diode across R2 R1 C ln((2V - 3Vd)/(V - 3Vd)), " +
		"which is ln 2 R1 C for Vd = 0; t_low = ln 2 R2 C. Monostable: ln 3 R1 C. The logarithms are exact, not the 1.44, 0.69 and 1.1 of data sheets. " +
		"Design, with T = 1/f: R2 = (1 - D) T/(ln 2 C), R1 = (2D - 1) T/(ln 2 C), with diode D T/(ln 2 C); without a capacitance, the power of " +
		"ten in farads that puts T/(ln 2 C), or the pulse over ln 3 C, from 10 kΩ to below 100 kΩ. cmos, or with delay_ns (d) and discharge_ohm (Ron): " +
		"t_high = (R1 + R2) C ln(3 - e^(-d/((R2 + Ron) C))) + d, t_low = (R2 + Ron) C ln(3 - e^(-d/((R1 + R2) C))) + d; a design scales its resistors to keep f",
	Sources: []string{
		"Texas Instruments, NE555 data sheet SLFS022: monostable and astable operation",
		"STMicroelectronics, NE555 data sheet, electrical characteristics: discharge pin, 180 mV at 15 mA and 80 mV at 4.5 mA",
		"P. Horowitz, W. Hill, The Art of Electronics, 3rd edition (2015), section 7.1",
		"Texas Instruments, TLC555 data sheet SLFS043: application information (delays), 0.14 V at 10 mA (discharge), 2.1 MHz typical (delay)",
	},
	Limits: []string{
		"bipolar: ideal comparators and discharge transistor unless delay_ns and discharge_ohm are given; a few percent off above 100 kHz",
		"Both delays are equal; their typical value for cmos follows from the data sheet's 2.1 MHz at 5 V, they are longer at lower supplies",
		"Leakage of large electrolytic capacitors, and their tolerance of 20 %, come on top",
	},
	Aliases: []string{"NE555", "astable", "monostable", "oscillator", "pulse generator", "blinker",
		"LM555", "TLC555"},
	Primary: []string{"freq_hz", "pulse_s", "r1_ohm"},
	Examples: []tools.Example{{
		Title: "Astable, 1 kΩ, 10 kΩ, 100 nF",
		In:    `{"r1_ohm": 1000, "r2_ohm": 10000, "c_nf": 100}`,
		Want:  `{"freq_hz": 686.9976, "duty_pct": 52.38095, "t_high_s": 7.624619e-4, "standard": null, "warnings": []}`,
	}, {
		Title: "38 kHz for an infrared remote",
		In:    `{"freq_hz": 38000}`,
		Want:  `{"c_f": 1.00000e-9, "r1_ohm": 7593.132, "r2_ohm": 15186.26, "standard": {"r1_ohm": 7500, "r2_ohm": 15000, "freq_hz": 38471.87}}`,
	}, {
		Title: "Monostable, about a second",
		In:    `{"mode": "monostable", "r1_ohm": 100000, "c_uf": 10}`,
		Want:  `{"pulse_s": 1.098612, "freq_hz": null, "warnings": []}`,
	}, {
		Title: "TLC555, 1 kΩ, 1 kΩ, 1 nF",
		In:    `{"variant": "cmos", "r1_ohm": 1000, "r2_ohm": 1000, "c_nf": 1}`,
		Want:  `{"freq_hz": 393237.9, "t_high_s": 1.6603e-6, "t_low_s": 8.827e-7}`,
		From:  "by hand: equations of the TLC555 data sheet with 145 ns and 14 Ω; without them 481 kHz",
	}},
}, timer555)

type timer555In struct {
	Mode  string   `json:"mode" enum:"astable,monostable" default:"astable" label:"Mode" doc:"astable: oscillator; monostable: one pulse per trigger"`
	R1Ohm *float64 `json:"r1_ohm" unit:"Ω" gt:"0" max:"1e12" example:"1000" label:"R1 (VCC to DIS)" doc:"Resistor from VCC to the discharge pin; with a capacitance, for analysis"`
	R2Ohm *float64 `json:"r2_ohm" unit:"Ω" gt:"0" max:"1e12" example:"10000" label:"R2 (DIS to THR/TRIG)" doc:"Resistor from the discharge pin to the timing capacitor; astable only"`
	component.Capacitance
	FreqHz     *float64 `json:"freq_hz" unit:"Hz" gt:"0" max:"1e9" label:"Frequency" doc:"Target frequency, for design; astable only"`
	PulseS     *float64 `json:"pulse_s" unit:"s" gt:"0" max:"1e9" label:"Pulse width" doc:"Target pulse width, for design; monostable only"`
	DutyPct    *float64 `json:"duty_pct" unit:"%" gt:"0" lt:"100" example:"60" label:"Duty cycle" doc:"Share of the period with high output, for design; above 50 without a diode; default 60, or 50 with a diode"`
	Diode      bool     `json:"diode" default:"false" label:"Diode across R2" doc:"Diode across R2; the capacitor charges through R1 alone"`
	SupplyV    *float64 `json:"supply_v" unit:"V" min:"2" max:"18" label:"Supply voltage" doc:"Supply voltage; used with diode_drop_v only"`
	DiodeDropV float64  `json:"diode_drop_v" unit:"V" min:"0" max:"6" default:"0" label:"Diode forward voltage" doc:"Forward voltage of the diode, for analysis; less than a third of supply_v"`
	component.ESeries
	Variant      string   `json:"variant" enum:"bipolar,cmos" default:"bipolar" label:"Variant" doc:"bipolar: NE555; cmos: TLC555, with its delay and discharge resistance"`
	DelayNS      *float64 `json:"delay_ns" unit:"ns" min:"0" max:"1e9" label:"Comparator delay" doc:"Delay from the comparators to the discharge pin; default 0, or 145 for cmos"`
	DischargeOhm *float64 `json:"discharge_ohm" unit:"Ω" min:"0" max:"1e6" label:"Discharge resistance" doc:"On-resistance of the discharge transistor; default 0, or 14 for cmos"`
}

// Typical values of a TLC555 at 5 V. The data sheet states no delay; with this value, the equations
// yield its typical 2.1 MHz for 470 Ω, 200 Ω and 200 pF.
const (
	cmosDelayNS      = 145
	cmosDischargeOhm = 14
)

type timer555Out struct {
	Mode     string            `json:"mode" enum:"astable,monostable" label:"Mode" doc:"astable: oscillator; monostable: one pulse per trigger"`
	FreqHz   *float64          `json:"freq_hz" unit:"Hz" label:"Frequency" doc:"Frequency; null when monostable"`
	PeriodS  *float64          `json:"period_s" unit:"s" label:"Period" doc:"Period; null when monostable"`
	THighS   *float64          `json:"t_high_s" unit:"s" label:"High time" doc:"Time with high output; null when monostable"`
	TLowS    *float64          `json:"t_low_s" unit:"s" label:"Low time" doc:"Time with low output; null when monostable"`
	DutyPct  *float64          `json:"duty_pct" unit:"%" label:"Duty cycle" doc:"Share of the period with high output; null when monostable"`
	PulseS   *float64          `json:"pulse_s" unit:"s" label:"Pulse width" doc:"Pulse width; null when astable"`
	R1Ohm    float64           `json:"r1_ohm" unit:"Ω" label:"R1 (VCC to DIS)" doc:"Resistor from VCC to the discharge pin"`
	R2Ohm    *float64          `json:"r2_ohm" unit:"Ω" label:"R2 (DIS to THR/TRIG)" doc:"Resistor from the discharge pin to the timing capacitor; null when monostable"`
	CF       float64           `json:"c_f" unit:"F" label:"Timing capacitor" doc:"Timing capacitor"`
	Standard *timer555Standard `json:"standard" label:"With standard values" doc:"Results with the nearest preferred values; null for analysis"`
	tools.Warnings
}

type timer555Standard struct {
	R1Ohm   float64  `json:"r1_ohm" unit:"Ω" label:"R1 (VCC to DIS)" doc:"Nearest preferred value of R1"`
	R2Ohm   *float64 `json:"r2_ohm" unit:"Ω" label:"R2 (DIS to THR/TRIG)" doc:"Nearest preferred value of R2; null when monostable"`
	FreqHz  *float64 `json:"freq_hz" unit:"Hz" label:"Frequency" doc:"Frequency with these values; null when monostable"`
	DutyPct *float64 `json:"duty_pct" unit:"%" label:"Duty cycle" doc:"Duty cycle with these values; null when monostable"`
	PulseS  *float64 `json:"pulse_s" unit:"s" label:"Pulse width" doc:"Pulse width with these values; null when astable"`
}

func timer555(_ context.Context, in timer555In) (timer555Out, error) {
	var f tools.FieldErrors
	out := timer555Out{Mode: in.Mode}
	c := in.Farads(&f)
	if in.Mode == "monostable" {
		out.monostable(&f, in, c)
	} else {
		out.astable(&f, in, c)
	}
	if err := f.Err(); err != nil {
		return out, err
	}
	out.warn(in)
	return out, nil
}

// lowR2Ohm is the resistance R2 below which the discharge transistor of a bipolar 555 lengthens the
// low time by more than 12 %. The transistor has 180 mV at 15 mA or 80 mV at 4.5 mA.
const lowR2Ohm = 100

// warn adds warnings about values outside the range of the variant.
func (out *timer555Out) warn(in timer555In) {
	cmos := in.Variant == "cmos"
	if !cmos && tolerance.Below(out.R1Ohm, 1000) {
		out.Warn(
			"R1 is %g Ω, below 1 kΩ: the discharge transistor has to sink the current through it; use 1 kΩ or more",
			tolerance.RoundBelow(out.R1Ohm, 1e3, 4))
	}
	if r := choice.Or(out.R2Ohm, math.Inf(1)); !cmos && in.DischargeOhm == nil &&
		tolerance.Below(r, lowR2Ohm) {
		out.Warn(
			"R2 is %g Ω, below %d Ω: the discharge transistor of a bipolar 555 has 12 to 18 Ω, which lengthens the low time; give discharge_ohm or use a larger R2",
			tolerance.RoundBelow(r, lowR2Ohm, 4), lowR2Ohm,
		)
	}
	if r := out.R1Ohm + choice.Or(out.R2Ohm, 0); !cmos && tolerance.Above(r, 3.3e6) {
		out.Warn(
			"the timing resistance of %g MΩ is above 3.3 MΩ: threshold current and leakage shift the timing; use variant cmos or a larger capacitor",
			tolerance.RoundAbove(r/1e6, 3.3, 4),
		)
	}
	if tolerance.Below(out.CF, 100e-12) {
		out.Warn("C is %g pF, below 100 pF: stray capacitance shifts the timing; use a larger capacitor and a smaller resistance",
			tolerance.RoundBelow(out.CF*1e12, 100, 3))
	}
	if tolerance.Above(out.CF, 1e-3) {
		out.Warn("C is %g µF, above 1000 µF: leakage and tolerance of such capacitors dominate; use a larger resistance and a smaller capacitor",
			tolerance.RoundAbove(out.CF*1e6, 1000, 4))
	}
	switch {
	case out.FreqHz == nil:
	case cmos && tolerance.Above(*out.FreqHz, cmosMaxHz):
		out.Warn("%g MHz is above the %g MHz that a TLC555 typically reaches",
			tolerance.RoundAbove(*out.FreqHz/1e6, cmosMaxHz/1e6, 4), cmosMaxHz/1e6)
	case !cmos && tolerance.Above(*out.FreqHz, 100e3):
		out.Warn(
			"%g kHz is above 100 kHz: the delays of a bipolar 555 matter; use variant cmos or give delay_ns",
			tolerance.RoundAbove(*out.FreqHz/1e3, 100, 4),
		)
	}
}

// cmosMaxHz is the typical maximum frequency of a TLC555 [Hz].
const cmosMaxHz = 2.1e6

// swing is the astable circuit with the delay and discharge resistance of a real timer.
type swing struct {
	c, delay, discharge float64 // [F], [s], [Ω]
	drop                float64 // forward voltage of the diode across R2 over the supply voltage
	diode               bool
}

// times returns the high time and the low time [s] (TLC555 data sheet SLFS043). Because of the
// delay, the capacitor overshoots both thresholds. With a diode, the capacitor charges through R1
// towards the supply minus the forward voltage of the diode.
func (s swing) times(r1, r2 float64) (high, low float64) {
	charge, discharge := (r1+r2)*s.c, (r2+s.discharge)*s.c
	if s.diode {
		charge = r1 * s.c
	}
	lowest := math.Exp(-s.delay/discharge) / 3
	highest := 1 - s.drop - (1.0/3-s.drop)*math.Exp(-s.delay/charge)
	high = charge*math.Log((1-s.drop-lowest)/(1.0/3-s.drop)) + s.delay
	low = discharge*math.Log(3*highest) + s.delay
	return high, low
}

// limits describes the delay and the discharge resistance that limit the frequency.
func (s swing) limits() string {
	var limits []string
	if s.delay > 0 {
		limits = append(limits,
			fmt.Sprintf("a delay of %.4g ns in each half of the period", s.delay*1e9))
	}
	if s.discharge > 0 {
		limits = append(limits, fmt.Sprintf("a discharge resistance of %.6g Ω", s.discharge))
	}
	return strings.Join(limits, " and ")
}

// scale returns the factor for both resistors that yields the given period [s]. It returns false if
// the factor is below 1/1000, because the delays then take up the period.
func (s swing) scale(r1, r2, period float64) (float64, bool) {
	lo, hi := 0.0, 1.0
	for range 200 {
		middle := (lo + hi) / 2
		if middle == lo || middle == hi {
			break
		}
		if high, low := s.times(middle*r1, middle*r2); high+low < period {
			lo = middle
		} else {
			hi = middle
		}
	}
	return hi, hi > 1e-3
}

// wanted selects design or analysis. It adds field errors for missing values.
func wanted(
	f *tools.FieldErrors, name string, target *float64, c *float64, resistors ...choice.Field,
) (design bool) {
	parts := strings.Join(choice.AllNames(resistors...), ", ")
	sent := choice.Names(resistors...)
	switch {
	case target != nil && len(sent) > 0:
		f.Add(name, "give either %s, to design, or %s with a capacitance, to analyse; not both",
			name, parts)
	case target != nil:
		return true
	case len(sent) == 0:
		f.Add(name, "give %s, to design, or %s with a capacitance, to analyse; neither was given",
			name, parts)
	default:
		for _, r := range resistors {
			if !r.Given {
				f.Add(r.Name, "is needed for analysis, beside %s", sent[0])
			}
		}
		if c == nil {
			f.Add("c_f", "a capacitance (%s) is needed for analysis", component.CapacitanceNames)
		}
	}
	return false
}

// astable computes the oscillator.
func (out *timer555Out) astable(f *tools.FieldErrors, in timer555In, c *float64) {
	design := wanted(f, "freq_hz", in.FreqHz, c, choice.Of("r1_ohm", in.R1Ohm != nil),
		choice.Of("r2_ohm", in.R2Ohm != nil))
	in.checkAstable(f, design)
	if f.Err() != nil {
		return
	}
	choice.Ignored(&out.Warnings, "it belongs to mode monostable",
		choice.Of("pulse_s", in.PulseS != nil))
	s := in.swing(&out.Warnings, design)
	var r1, r2 float64
	if design {
		var ok bool
		if r1, r2, ok = out.design(&s, in, c); !ok {
			f.AddValue("freq_hz", *in.FreqHz, "is too high for %s", s.limits())
			return
		}
	} else {
		r1, r2, s.c = *in.R1Ohm, *in.R2Ohm, *c
		choice.Ignored(&out.Warnings, "the resistors set it",
			choice.Of("duty_pct", in.DutyPct != nil))
		choice.Ignored(&out.Warnings, "the resistors are given", in.OtherSeries())
	}
	high, low := s.times(r1, r2)
	out.R1Ohm, out.R2Ohm, out.CF = r1, &r2, s.c
	out.THighS, out.TLowS, out.PeriodS = &high, &low, new(high+low)
	out.FreqHz, out.DutyPct = new(1/(high+low)), new(100*high/(high+low))
}

// duty returns the duty cycle to design.
func (in timer555In) duty() float64 {
	switch {
	case in.DutyPct != nil:
		return *in.DutyPct / 100
	case in.Diode:
		return 0.5
	}
	return 0.6
}

// checkAstable adds field errors for a duty cycle and a diode that the circuit cannot have.
func (in timer555In) checkAstable(f *tools.FieldErrors, design bool) {
	if design && !in.Diode && in.duty() <= 0.5 {
		f.AddValue(
			"duty_pct", *in.DutyPct,
			"must be above 50 without a diode: the capacitor charges through R1 + R2 and discharges through R2; set diode for less",
		)
	}
	if in.Diode && in.DiodeDropV > 0 {
		switch {
		case in.SupplyV == nil:
			f.Add("supply_v", "is needed with diode_drop_v")
		case *in.SupplyV <= 3*in.DiodeDropV*(1+tolerance.Relative):
			f.AddValue(
				"diode_drop_v", in.DiodeDropV,
				"leaves no room: it must be below a third of supply_v (%g V), or the capacitor never reaches 2/3",
				*in.SupplyV,
			)
		}
	}
}

// swing returns the circuit without its capacitor, and warns of inputs without an effect.
func (in timer555In) swing(w *tools.Warnings, design bool) swing {
	s := swing{diode: in.Diode}
	s.delay, s.discharge = choice.Or(in.DelayNS, 0)*1e-9, choice.Or(in.DischargeOhm, 0)
	if in.Variant == "cmos" {
		s.delay = choice.Or(in.DelayNS, cmosDelayNS) * 1e-9
		s.discharge = choice.Or(in.DischargeOhm, cmosDischargeOhm)
	}
	switch {
	case in.DiodeDropV <= 0:
		choice.Ignored(w, "without diode_drop_v the times do not depend on it",
			choice.Of("supply_v", in.SupplyV != nil))
	case !in.Diode:
		choice.Ignored(w, "there is no diode", choice.Of("diode_drop_v", true))
	case design:
		choice.Ignored(w, "the design takes an ideal diode", choice.Of("diode_drop_v", true))
	default:
		s.drop = in.DiodeDropV / *in.SupplyV
	}
	return s
}

// design selects the capacitor of the circuit and the resistors [Ω] for the frequency and the duty
// cycle, and computes the result with standard values. It returns false if the delays take up the
// period.
func (out *timer555Out) design(s *swing, in timer555In, c *float64) (r1, r2 float64, ok bool) {
	duty := in.duty()
	total := 1 / *in.FreqHz / math.Ln2 // R·C product for the period [s]
	s.c = timerCapacitor(total, c)
	r2 = (1 - duty) * total / s.c
	r1 = (2*duty - 1) * total / s.c
	if in.Diode {
		r1 = duty * total / s.c
	}
	if s.delay > 0 || s.discharge > 0 {
		factor, ok := s.scale(r1, r2, 1 / *in.FreqHz)
		if !ok {
			return 0, 0, false
		}
		r1, r2 = factor*r1, factor*r2
	}
	s1, s2 := in.Preferred().Nearest(r1), in.Preferred().Nearest(r2)
	high, low := s.times(s1, s2)
	out.Standard = &timer555Standard{
		R1Ohm: s1, R2Ohm: &s2, FreqHz: new(1 / (high + low)),
		DutyPct: new(100 * high / (high + low)),
	}
	out.missed("frequency", *out.Standard.FreqHz / *in.FreqHz)
	return r1, r2, true
}

// monostable computes the pulse generator.
func (out *timer555Out) monostable(f *tools.FieldErrors, in timer555In, c *float64) {
	design := wanted(f, "pulse_s", in.PulseS, c, choice.Of("r1_ohm", in.R1Ohm != nil))
	if f.Err() != nil {
		return
	}
	choice.Ignored(
		&out.Warnings, "it belongs to mode astable", choice.Of("r2_ohm", in.R2Ohm != nil),
		choice.Of("freq_hz", in.FreqHz != nil),
		choice.Of("duty_pct", in.DutyPct != nil),
		choice.Of("diode", in.Diode), choice.Of("diode_drop_v", in.DiodeDropV > 0),
		choice.Of("delay_ns", in.DelayNS != nil),
		choice.Of("discharge_ohm", in.DischargeOhm != nil),
	)
	choice.Ignored(&out.Warnings, "the pulse does not depend on it",
		choice.Of("supply_v", in.SupplyV != nil))
	ln3 := math.Log(3)
	if design {
		total := *in.PulseS / ln3
		out.CF = timerCapacitor(total, c)
		out.R1Ohm = total / out.CF
		standard := in.Preferred().Nearest(out.R1Ohm)
		out.Standard = &timer555Standard{R1Ohm: standard, PulseS: new(ln3 * standard * out.CF)}
		out.missed("pulse", *out.Standard.PulseS / *in.PulseS)
	} else {
		out.R1Ohm, out.CF = *in.R1Ohm, *c
		choice.Ignored(&out.Warnings, "the resistor is given", in.OtherSeries())
	}
	out.PulseS = new(ln3 * out.R1Ohm * out.CF)
}

// missed adds a warning if preferred values miss the target by more than 5 %.
func (out *timer555Out) missed(what string, ratio float64) {
	if tolerance.Above(math.Abs(ratio-1), 0.05) {
		out.Warn("the nearest standard values give a %s %.3g %% off; use a finer series", what,
			100*(ratio-1))
	}
}

// timerCapacitor returns the capacitance if it is given. Otherwise it returns the power of ten in
// farads for which rc/C is at least 10 kΩ and below 100 kΩ. rc is the required product of
// resistance and C [s].
func timerCapacitor(rc float64, c *float64) float64 {
	if c != nil {
		return *c
	}
	exponent := int(math.Floor(math.Log10(rc))) - 4
	if rc/math.Pow10(exponent) >= 1e5 { // the logarithm was slightly below an integer
		exponent++
	}
	return math.Pow10(exponent)
}
