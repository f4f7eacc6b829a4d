package rf

import (
	"context"
	"math"

	"slipstick/tools"
	"slipstick/tools/phys"
)

// Microstrip is the width of a trace over a ground plane.
var Microstrip = tools.Define(tools.Spec{
	Name:    "microstrip",
	Title:   "Microstrip width",
	Summary: "Trace width for a target impedance over a ground plane, effective permittivity and guided wavelength",
	Method: "Impedance and effective permittivity by Hammerstad and Jensen with their strip-thickness correction; the width by " +
		"bisection until the impedance is within 1e-9 Ω. Permittivity at frequency by Kirschning and Jansen. Wavelength = " +
		"c / (f √ε_eff) with the static value. For reference the width of the old IPC-2141 logarithm",
	Sources: []string{
		"E. Hammerstad, O. Jensen, Accurate Models for Microstrip Computer-Aided Design, IEEE MTT-S Digest (1980) 407-409, equations 1 to 9",
		"M. Kirschning, R. H. Jansen, Accurate Model for Effective Dielectric Constant of Microstrip, Electronics Letters 18 (1982) 272-273, equations 1 and 2",
		"H. A. Wheeler, IEEE Trans. MTT-25 (1977) 631-647, as printed in IPC-2141A (2004): agrees within 1 % in width for a thin trace of 25 to 110 Ω",
		"IPC-2141 (1996): 87/√(ε_r + 1.41) ln(5.98 h/(0.8 w + t)), given as width_ipc2141_mm",
	},
	Limits: []string{
		"0.01 ≤ w/h ≤ 100 and ε_r ≤ 128, where the model is within 0.2 % of field solvers for a thin strip",
		"No solder mask, no enclosure, no neighbouring copper, rectangular trace; solder mask lowers the impedance by 1 to 3 Ω",
		"Dispersion holds to h/λ = 0.13 and ε_r = 20",
	},
	Aliases: []string{"trace impedance", "50 ohm trace", "controlled impedance", "PCB trace width", "IPC-2141", "transmission line"},
	Examples: []tools.Example{{
		Title: "50 Ω on 1.6 mm FR-4 at 2.45 GHz",
		In:    `{"height_mm": 1.6, "z0_ohm": 50, "er": 4.6, "copper_oz": 1, "freq_mhz": 2450}`,
		Want:  `{"width_mm": 2.9166, "er_eff": 3.4261, "wavelength_eff_mm": 66.108}`,
	}},
}, microstrip)

type microstripIn struct {
	HeightMm float64  `json:"height_mm" unit:"mm" gt:"0" max:"1e6" example:"1.6" label:"Substrate height" doc:"Height of the substrate between trace and ground plane"`
	Z0Ohm    float64  `json:"z0_ohm" unit:"Ω" gt:"0" default:"50" label:"Characteristic impedance" doc:"Target characteristic impedance"`
	Er       float64  `json:"er" unit:"1" min:"1" max:"128" default:"4.6" label:"Relative permittivity" doc:"Relative permittivity of the substrate"`
	CopperOz float64  `json:"copper_oz" unit:"oz" min:"0" max:"20" default:"1" label:"Copper weight" doc:"Copper weight per square foot; 1 oz is 0.035 mm thick, 0 means no thickness"`
	FreqMHz  *float64 `json:"freq_mhz" unit:"MHz" gt:"0" max:"1e12" example:"2450" label:"Frequency" doc:"Frequency, for the wavelength on the line and its dispersion"`
}

type microstripOut struct {
	WidthMm         float64  `json:"width_mm" unit:"mm" label:"Trace width" doc:"Width of the trace"`
	ErEff           float64  `json:"er_eff" unit:"1" label:"Effective permittivity" doc:"Effective permittivity, static, with the thickness of the trace"`
	WavelengthEffMm *float64 `json:"wavelength_eff_mm" unit:"mm" label:"Guided wavelength" doc:"Wavelength on the line; null without freq_mhz"`
	WOverH          float64  `json:"w_over_h" unit:"1" label:"Width-to-height ratio" doc:"Width over substrate height"`
	Z0ActualOhm     float64  `json:"z0_actual_ohm" unit:"Ω" label:"Resulting impedance" doc:"Characteristic impedance of the trace at that width"`
	DelayPsPerMm    float64  `json:"delay_ps_per_mm" unit:"ps/mm" label:"Propagation delay" doc:"Propagation delay"`
	ErEffAtFreq     *float64 `json:"er_eff_at_freq" unit:"1" label:"Effective permittivity at frequency" doc:"Effective permittivity at freq_mhz, with dispersion; null without freq_mhz"`
	WidthIPC2141Mm  *float64 `json:"width_ipc2141_mm" unit:"mm" label:"Trace width by IPC-2141" doc:"Trace width by the 1996 IPC-2141 formula, for comparison only; null where it has no positive solution"`
	tools.Warnings
}

// The range of w/h the model was fitted for.
const minWOverH, maxWOverH = 0.01, 100.0

func microstrip(_ context.Context, in microstripIn) (microstripOut, error) {
	var out microstripOut
	line := microstripLine{er: in.Er, thickness: in.CopperOz * phys.OunceCopper * 1e3 / in.HeightMm}
	lowest, _ := line.at(maxWOverH)
	highest, _ := line.at(minWOverH)
	if in.Z0Ohm < lowest || in.Z0Ohm > highest {
		var f tools.FieldErrors
		f.AddValue("z0_ohm", in.Z0Ohm, "must be %.4g to %.4g Ω on this substrate, where the trace is 100 to 0.01 times as wide as the substrate is high", math.Ceil(lowest*1e3)/1e3, math.Floor(highest*1e3)/1e3)
		return out, f.Err()
	}
	out.WOverH = line.width(in.Z0Ohm)
	out.Z0ActualOhm, out.ErEff = line.at(out.WOverH)
	out.WidthMm = out.WOverH * in.HeightMm
	out.DelayPsPerMm = math.Sqrt(out.ErEff) / phys.C * 1e9

	if w := ipc2141Width(in); w > 0 {
		out.WidthIPC2141Mm = &w
		if off := 100 * (w/out.WidthMm - 1); math.Abs(off) > 5 {
			out.Warn("the 1996 IPC-2141 formula would give %.4g mm, %+.0f %%; it holds on FR-4 between about 45 and 90 Ω only", w, off)
		}
	} else {
		out.Warn("the 1996 IPC-2141 formula has no positive width for %.4g Ω; width_ipc2141_mm is null", in.Z0Ohm)
	}
	if in.FreqMHz != nil {
		f := *in.FreqMHz * 1e6 // [Hz]
		out.WavelengthEffMm = new(phys.C / (f * math.Sqrt(out.ErEff)) * 1e3)
		fn := f * 1e-9 * in.HeightMm // [GHz·mm]
		out.ErEffAtFreq = new(dispersion(in.Er, out.ErEff, out.WOverH, fn))
		if off := 100 * (*out.ErEffAtFreq/out.ErEff - 1); off > 2 {
			out.Warn("dispersion raises the effective permittivity by %.2g %% to %.4g at this frequency; the wavelength is that much shorter than the static one shows (%.2g %%)", off, *out.ErEffAtFreq, off/2)
		}
		if fn > 39 { // 0.13 c in GHz·mm
			out.Warn("the substrate is %.2g wavelengths high: the dispersion formula holds up to 0.13", fn*1e6/phys.C)
		}
		if mode := phys.C / (2 * out.WidthMm * 1e-3 * math.Sqrt(in.Er)); f > mode {
			out.Warn("above %.4g MHz, half a wave across the trace, higher-order modes travel too", mode/1e6)
		}
	}
	return out, nil
}

// microstripLine is a substrate with its copper, in units of its height.
type microstripLine struct {
	er        float64
	thickness float64 // of the strip over the substrate's height
}

// at gives impedance [Ω] and effective permittivity of a strip of width u = w/h: Hammerstad
// and Jensen, equations 6 to 9. The thickness makes the strip look wider, less so where the
// field is drawn into the dielectric.
func (l microstripLine) at(u float64) (z0, erEff float64) {
	inAir, inDielectric := u, u
	if t := l.thickness; t > 0 {
		coth := 1 / math.Tanh(math.Sqrt(6.517*u))
		wider := t / math.Pi * math.Log1p(4*math.E/(t*coth*coth))
		inAir += wider
		inDielectric += wider / 2 * (1 + 1/math.Cosh(math.Sqrt(l.er-1)))
	}
	z := airImpedance(inDielectric)
	e := staticEr(l.er, inDielectric)
	ratio := airImpedance(inAir) / z
	return z / math.Sqrt(e), e * ratio * ratio
}

// width gives the w/h of an impedance within reach. Impedance falls as width grows, so halving
// the interval of log w ends at the one solution.
func (l microstripLine) width(z0 float64) float64 {
	lo, hi := math.Log(minWOverH), math.Log(maxWOverH)
	for range 200 {
		middle := (lo + hi) / 2
		z, _ := l.at(math.Exp(middle))
		if math.Abs(z-z0) < 1e-9 || middle == lo || middle == hi {
			break
		}
		if z > z0 {
			lo = middle
		} else {
			hi = middle
		}
	}
	return math.Exp((lo + hi) / 2)
}

// airImpedance is the impedance without dielectric: equations 1 and 2.
func airImpedance(u float64) float64 {
	const eta0 = 376.730313668 // impedance of free space, µ0 c [Ω]
	f := 6 + (2*math.Pi-6)*math.Exp(-math.Pow(30.666/u, 0.7528))
	return eta0 / (2 * math.Pi) * math.Log(f/u+math.Sqrt(1+4/(u*u)))
}

// staticEr is the effective permittivity of an infinitely thin strip: equations 3 to 5.
func staticEr(er, u float64) float64 {
	u2 := u * u
	u4 := u2 * u2
	a := 1 + math.Log((u4+u2/(52*52))/(u4+0.432))/49 + math.Log1p(u2*u/(18.1*18.1*18.1))/18.7
	b := 0.564 * math.Pow((er-0.9)/(er+3), 0.053)
	return (er+1)/2 + (er-1)/2*math.Pow(1+10/u, -a*b)
}

// dispersion is the effective permittivity at frequency times height fn [GHz·mm], from the
// static one: Kirschning and Jansen, equations 1 and 2. It rises from the static value to er.
func dispersion(er, static, u, fn float64) float64 {
	p1 := 0.27488 + u*(0.6315+0.525/math.Pow(1+0.0157*fn, 20)) - 0.065683*math.Exp(-8.7513*u)
	p2 := 0.33622 * -math.Expm1(-0.03442*er)
	p3 := 0.0363 * math.Exp(-4.6*u) * -math.Expm1(-math.Pow(fn/38.7, 4.97))
	p4 := 1 + 2.751*-math.Expm1(-math.Pow(er/15.916, 8))
	p := p1 * p2 * math.Pow((0.1844+p3*p4)*fn, 1.5763)
	return er - (er-static)/(1+p)
}

// ipc2141Width solves the logarithm of IPC-2141 (1996) for the width [mm]; it may be negative.
func ipc2141Width(in microstripIn) float64 {
	thickness := in.CopperOz * phys.OunceCopper * 1e3 // [mm]
	return (5.98*in.HeightMm*math.Exp(-in.Z0Ohm*math.Sqrt(in.Er+1.41)/87) - thickness) / 0.8
}
