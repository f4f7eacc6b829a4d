package rf

import (
	"context"
	"math"

	"slipstick/tools"
	"slipstick/tools/choice"
	"slipstick/tools/phys"
	"slipstick/tools/tline"
	"slipstick/tools/tolerance"
)

// givenWidth is the remark about a width in the input.
const givenWidth = "the tool finds the width for z0_ohm; the impedance of a given width is the " +
	"root of a batch of mode solve that varies z0_ohm with the target width_mm"

// Microstrip computes the trace width of a microstrip, stripline, coplanar or differential line for
// an impedance.
var Microstrip = tools.Define(tools.Spec{
	Name:    "microstrip",
	Title:   "Microstrip width",
	Summary: "Trace width of a microstrip, embedded, stripline, coplanar or differential line for an impedance, with losses",
	Method: "Impedance and effective permittivity by Hammerstad and Jensen with their " +
		"strip-thickness correction; the width by bisection until the impedance is within 1e-9 " +
		"Ω. Permittivity at frequency by Kirschning and Jansen. Wavelength = c / (f √ε_eff) with " +
		"the static value. For reference the width of the old IPC-2141 logarithm. stripline: " +
		"Wheeler 1978, off centre with b sin(π h/b) for the spacing b, exact for a thin wire. " +
		"cpwg: Ghione and Naldi, with 2 ε_0 t/s and fringing between thick edges, at most the " +
		"microstrip. Pairs: Kirschning and Jansen, with 2 ε_0 t/s e^(-s/4h) between thick edges. " +
		"Stripline pairs: Cohn with thick strips. cover: ε_eff + (1 - e^(-2c/h)) (ε_thick - " +
		"ε_eff). Losses: incremental inductance rule with roughness; π f ε_r (ε_eff - 1) tan δ / " +
		"(c √ε_eff (ε_r - 1))",
	Sources: []string{
		"E. Hammerstad, O. Jensen, Accurate Models for Microstrip Computer-Aided Design, IEEE MTT-S Digest (1980) 407-409, equations 1 to 9",
		"M. Kirschning, R. H. Jansen, Accurate Model for Effective Dielectric Constant of Microstrip, Electronics Letters 18 (1982) 272-273, equations 1 and 2",
		"H. A. Wheeler, IEEE Trans. MTT-25 (1977) 631-647, as printed in IPC-2141A (2004): agrees within 1 % in width for a thin trace of 25 to 110 Ω",
		"H. A. Wheeler, Transmission-Line Properties of a Stripline Between Parallel Planes, IEEE Trans. MTT-26 (1978) 866-876; S. B. Cohn, Shielded Coupled-Strip Transmission Line, IRE Trans. MTT-3 (1955) 29-38",
		"G. Ghione, C. Naldi, Coplanar Waveguides for MMIC Applications, IEEE Trans. MTT-35 (1987) 260-267",
		"M. Kirschning, R. H. Jansen, IEEE Trans. MTT-32 (1984) 83-90 (coupled microstrip); B. C. Wadell, Transmission Line Design Handbook (1991), section 3.5.3 (embedded)",
		"H. A. Wheeler, Formulas for the Skin Effect, Proc. IRE 30 (1942) 412-424; D. M. Pozar, Microwave Engineering, 4th edition (2012), equation 3.198 (losses)",
		"IPC-2141 (1996): 87/√(ε_r + 1.41) ln(5.98 h/(0.8 w + t)), given as width_ipc2141_mm",
	},
	Limits: []string{
		"0.01 ≤ w/h ≤ 100 and ε_r ≤ 128, where the model is within 0.2 % of field solvers for a thin strip",
		"No enclosure, no neighbouring copper, rectangular trace; without cover_mm no solder mask, which lowers the impedance by 1 to 3 Ω",
		"cpwg: within 0.7 % of field solutions in impedance for gap_mm up to height_mm and copper up to 0.95 times gap_mm. For wider gaps it is within 2.3 %. Etched edges slope and have less effect",
		"Stripline pairs: within 1.5 % of field solutions in z_odd_ohm and 2.7 % in z_even_ohm for copper up to 0.35 times the gap. Pairs of microstrips, w/h and gap/h from 0.1 to 10: within 0.8 % in impedance for thin copper. For copper of 0.45 times the gap they are within 1.6 % in z_odd_ohm and 1 % in z_even_ohm. Below a cover they are within 2 % for a gap from 0.3 times height_mm, and 3.3 % at 0.2 times",
		"cover: a fit, within 3 % of field solutions in impedance; the loss tangent of the cover is not included",
		"stripline off centre: within 1.2 % of field solutions to a width of twice the smaller height and a ratio of the heights of 3",
		"Dispersion holds to h/λ = 0.13 and ε_r = 20",
	},
	Aliases: []string{"trace impedance", "50 ohm trace", "controlled impedance", "PCB trace width",
		"IPC-2141", "transmission line"},
	Unsupported: map[string]string{
		"width_mm": givenWidth, "width": givenWidth, "trace_width": givenWidth,
		"trace_width_mm": givenWidth, "track_width_mm": givenWidth, "w_mm": givenWidth,
	},
	Examples: []tools.Example{{
		Title: "50 Ω on 1.6 mm FR-4 at 2.45 GHz",
		In:    `{"height_mm": 1.6, "z0_ohm": 50, "er": 4.6, "copper_oz": 1, "freq_mhz": 2450}`,
		Want:  `{"width_mm": 2.9166, "er_eff": 3.4261, "wavelength_eff_mm": 66.108}`,
	}, {
		Title: "Stripline of 50 Ω between planes 3.2 mm apart, with losses at 10 GHz",
		In:    `{"height_mm": 1.595, "er": 2.2, "structure": "stripline", "copper_oz": 0.2857143, "freq_mhz": 10000, "loss_tangent": 0.001}`,
		Want:  `{"width_mm": 2.6, "conductor_loss_db_m": 1.0, "dielectric_loss_db_m": 1.35}`,
		From:  "D. M. Pozar, Microwave Engineering, 4th edition, example 3.5: 0.266 cm, 0.122 and 0.155 Np/m",
	}, {
		Title: "USB pair of 90 Ω on a prepreg of 0.2 mm",
		In:    `{"height_mm": 0.2, "er": 4.3, "z0_ohm": 90, "pair_gap_mm": 0.15}`,
		Want:  `{"width_mm": 0.28, "z_odd_ohm": 45.0, "z_common_ohm": 3.4e1}`,
		From:  "2-D finite volumes (tline): 90.4 Ω and 34.0 Ω for 0.275 mm",
	}},
}, microstrip)

type microstripIn struct {
	HeightMm float64  `json:"height_mm" unit:"mm" gt:"0" max:"1e6" example:"1.6" label:"Substrate height" doc:"Height of the substrate between trace and ground plane"`
	Z0Ohm    float64  `json:"z0_ohm" unit:"Ω" gt:"0" default:"50" label:"Characteristic impedance" doc:"Target characteristic impedance"`
	Er       float64  `json:"er" unit:"1" min:"1" max:"128" default:"4.6" label:"Relative permittivity" doc:"Relative permittivity of the substrate"`
	CopperOz float64  `json:"copper_oz" unit:"oz/ft²" min:"0" max:"20" default:"1" label:"Copper weight" doc:"Copper weight per square foot; 1 oz is 0.035 mm thick, 0 means zero thickness"`
	FreqMHz  *float64 `json:"freq_mhz" unit:"MHz" gt:"0" max:"1e12" example:"2450" label:"Frequency" doc:"Frequency, for guided wavelength, dispersion and losses"`

	Structure   string   `json:"structure" enum:"microstrip,embedded,stripline,cpwg" default:"microstrip" label:"Structure" doc:"embedded has cover_mm of the substrate's material on top; stripline has planes at height_mm and height2_mm; cpwg has ground at both sides and below"`
	GapMm       *float64 `json:"gap_mm" unit:"mm" gt:"0" max:"1e6" label:"Gap to coplanar ground" doc:"Gap between trace and coplanar ground, for cpwg"`
	Height2Mm   *float64 `json:"height2_mm" unit:"mm" gt:"0" max:"1e6" label:"Height to the second plane" doc:"Height to the second plane, for stripline; default height_mm, which centers the trace"`
	CoverMm     *float64 `json:"cover_mm" unit:"mm" gt:"0" max:"1e6" label:"Cover thickness" doc:"Thickness of the dielectric above the trace: of the substrate's material (embedded) or of mask_er (microstrip: solder mask)"`
	MaskEr      float64  `json:"mask_er" unit:"1" min:"1" max:"128" default:"3.5" label:"Solder mask permittivity" doc:"Relative permittivity of the cover of a microstrip"`
	PairGapMm   *float64 `json:"pair_gap_mm" unit:"mm" gt:"0" max:"1e6" label:"Gap of the pair" doc:"Gap between the traces of a differential pair; z0_ohm is then the differential impedance"`
	LossTangent *float64 `json:"loss_tangent" unit:"1" min:"0" max:"1" label:"Loss tangent" doc:"Loss tangent of the substrate; gives the losses at freq_mhz"`
	RoughnessUm *float64 `json:"roughness_um" unit:"µm" min:"0" max:"100" label:"Copper roughness" doc:"RMS roughness of the copper; gives the conductor loss"`
}

type microstripOut struct {
	WidthMm         float64  `json:"width_mm" unit:"mm" label:"Trace width" doc:"Width of the trace"`
	ErEff           float64  `json:"er_eff" unit:"1" label:"Effective permittivity" doc:"Static effective permittivity, with the trace thickness"`
	WavelengthEffMm *float64 `json:"wavelength_eff_mm" unit:"mm" label:"Guided wavelength" doc:"Wavelength on the line; null without freq_mhz"`
	WOverH          float64  `json:"w_over_h" unit:"1" label:"Width-to-height ratio" doc:"Trace width divided by substrate height"`
	Z0ActualOhm     float64  `json:"z0_actual_ohm" unit:"Ω" label:"Resulting impedance" doc:"Characteristic impedance of the trace at that width, differential for a pair"`
	DelayPsPerMm    float64  `json:"delay_ps_per_mm" unit:"ps/mm" label:"Propagation delay" doc:"Propagation delay"`
	ErEffAtFreq     *float64 `json:"er_eff_at_freq" unit:"1" label:"Effective permittivity at frequency" doc:"Effective permittivity at freq_mhz, with dispersion; null without freq_mhz"`
	WidthIPC2141Mm  *float64 `json:"width_ipc2141_mm" unit:"mm" label:"Trace width by IPC-2141" doc:"Trace width by the 1996 IPC-2141 formula, for comparison only; null where it has no positive solution, and for lines other than a microstrip without cover_mm"`
	ConductorDBm    *float64 `json:"conductor_loss_db_m" unit:"dB/m" label:"Conductor loss" doc:"Attenuation by the copper; null without freq_mhz and loss_tangent or roughness_um, for pairs, cpwg and copper_oz 0"`
	DielectricDBm   *float64 `json:"dielectric_loss_db_m" unit:"dB/m" label:"Dielectric loss" doc:"Attenuation by the substrate; null without freq_mhz and loss_tangent"`
	EvenOhm         *float64 `json:"z_even_ohm" unit:"Ω" label:"Even-mode impedance" doc:"Even-mode impedance of one trace of the pair; null without pair_gap_mm"`
	OddOhm          *float64 `json:"z_odd_ohm" unit:"Ω" label:"Odd-mode impedance" doc:"Odd-mode impedance of one trace of the pair, half the differential impedance; null without pair_gap_mm"`
	CommonOhm       *float64 `json:"z_common_ohm" unit:"Ω" label:"Common-mode impedance" doc:"Common-mode impedance of the pair, half the even-mode impedance; null without pair_gap_mm"`
	tools.Warnings
}

// section contains the impedance [Ω] and effective permittivity of a cross-section as functions of
// w/h.
type section struct {
	at func(u float64) (z0, erEff float64)
	// air returns the impedance without dielectric when all copper surfaces recede by a length [m].
	// It is nil if the formula of the structure does not include the copper thickness.
	air        func(u, recession float64) float64
	open       func(u float64) (z0, erEff float64) // line without the solder mask, or nil
	minU, maxU float64
	even, odd  func(u float64) float64 // even and odd impedances of a pair [Ω], or nil
	dispersive bool
}

func microstrip(_ context.Context, in microstripIn) (microstripOut, error) {
	var out microstripOut
	line, err := in.section(&out.Warnings)
	if err != nil {
		return out, err
	}
	lowest, _ := line.at(line.maxU)
	highest, _ := line.at(line.minU)
	if tolerance.Below(in.Z0Ohm, lowest) || tolerance.Above(in.Z0Ohm, highest) {
		var f tools.FieldErrors
		f.AddValue(
			"z0_ohm", in.Z0Ohm,
			"must be %g to %g Ω on this substrate, where the trace is %g to %g times as wide as the substrate is high",
			tolerance.RoundUp(lowest, 4), tolerance.RoundDown(highest, 4), line.maxU, line.minU,
		)
		return out, f.Err()
	}
	out.WOverH = line.width(in.Z0Ohm)
	out.Z0ActualOhm, out.ErEff = line.at(out.WOverH)
	out.WidthMm = out.WOverH * in.HeightMm
	if tolerance.Above(in.HeightMm, thickBoardMm) {
		out.Warn("height_mm %g is above %d mm: give millimetres, not mil (62 mil are 1.575 mm)",
			in.HeightMm, thickBoardMm)
	}
	if tolerance.Below(out.WidthMm, leastTraceMm) {
		out.Warn(
			"%g mm is below the minimum trace width of many board manufacturers (%g mm): take a thicker substrate or a lower impedance",
			tolerance.RoundBelow(out.WidthMm, leastTraceMm, 3), leastTraceMm)
	}
	if h2 := in.Height2Mm; h2 != nil && in.Structure == "stripline" && *h2 != in.HeightMm &&
		out.WidthMm > 2*min(*h2, in.HeightMm) {
		out.Warn(
			"the strip is wider than twice the smaller height: off centre its impedance is up to 6 %% higher",
		)
	}
	out.DelayPsPerMm = math.Sqrt(out.ErEff) / phys.C * 1e9
	if line.even != nil {
		even, odd := line.even(out.WOverH), line.odd(out.WOverH)
		out.EvenOhm, out.OddOhm, out.CommonOhm = &even, &odd, new(even/2)
	}
	if in.Structure == "microstrip" && in.PairGapMm == nil && in.CoverMm == nil {
		out.compareIPC(in)
	}
	if in.FreqMHz != nil {
		f := *in.FreqMHz * 1e6 // [Hz]
		out.WavelengthEffMm = new(phys.C / (f * math.Sqrt(out.ErEff)) * 1e3)
		if line.dispersive {
			out.disperse(in, f)
		}
		out.losses(in, line, f)
	}
	choice.Ignored(&out.Warnings, "it needs freq_mhz",
		choice.Of("loss_tangent", in.LossTangent != nil && in.FreqMHz == nil),
		choice.Of("roughness_um", in.RoughnessUm != nil && in.FreqMHz == nil))
	return out, nil
}

// thicknessMm returns the thickness of the copper [mm].
func (in *microstripIn) thicknessMm() float64 { return in.CopperOz * phys.OunceCopper * 1e3 }

// check returns an error for inputs that do not fit the structure.
func (in *microstripIn) check() error {
	var f tools.FieldErrors
	if in.Structure == "cpwg" && in.GapMm == nil {
		f.Add("gap_mm", "is required with structure cpwg: a number of mm above 0")
	}
	if in.Structure == "embedded" && in.CoverMm == nil {
		f.Add("cover_mm", "is required with structure embedded: a number of mm above 0")
	}
	if in.PairGapMm != nil && in.Structure != "microstrip" && in.Structure != "stripline" {
		f.AddValue("pair_gap_mm", *in.PairGapMm, "is for structures microstrip and stripline only")
	}
	if in.PairGapMm != nil && in.Structure == "microstrip" {
		if tolerance.Below(*in.PairGapMm, 0.1*in.HeightMm) ||
			tolerance.Above(*in.PairGapMm, 10*in.HeightMm) {
			f.AddValue("pair_gap_mm", *in.PairGapMm,
				"must be 0.1 to 10 times height_mm (%g) for a pair of microstrips", in.HeightMm)
		}
		if in.Er > 18 {
			f.AddValue("er", in.Er, "must be 1 to 18 for a pair of microstrips")
		}
	}
	if g := in.GapMm; g != nil && in.Structure == "cpwg" &&
		(tolerance.Below(*g, 0.01*in.HeightMm) || tolerance.Above(*g, 100*in.HeightMm)) {
		f.AddValue("gap_mm", *g, "must be 0.01 to 100 times height_mm (%g)", in.HeightMm)
	}
	if in.Height2Mm != nil && in.Structure == "stripline" {
		if in.PairGapMm != nil {
			f.AddValue("height2_mm", *in.Height2Mm,
				"is for a single stripline: a pair has its planes at height_mm")
		}
		if tolerance.Above(in.thicknessMm(), 0.5**in.Height2Mm) {
			f.AddValue("height2_mm", *in.Height2Mm,
				"must be at least twice the thickness of the copper")
		}
	}
	if in.Structure == "stripline" {
		if g := in.PairGapMm; g != nil && (tolerance.Below(*g, 0.01*in.HeightMm) ||
			tolerance.Above(*g, 100*in.HeightMm)) {
			f.AddValue("pair_gap_mm", *g, "must be 0.01 to 100 times height_mm (%g)", in.HeightMm)
		}
		if t := in.thicknessMm(); tolerance.Above(t, 0.5*in.HeightMm) {
			f.AddValue("copper_oz", in.CopperOz,
				"is %g mm thick; a stripline has copper of up to half of height_mm (%g)",
				tolerance.RoundUp(t, 3), in.HeightMm)
		}
	}
	return f.Err()
}

// warnOfInputs warns of inputs without an effect, and of a geometry beyond the checks of the
// formulas.
func (in *microstripIn) warnOfInputs(w *tools.Warnings) {
	thickness, h := in.thicknessMm(), in.HeightMm
	choice.Ignored(w, "it belongs to a cover_mm with structure microstrip",
		choice.Of("mask_er", in.MaskEr != 3.5 && (in.Structure != "microstrip" ||
			in.CoverMm == nil)))
	if in.PairGapMm != nil && thickness > thickPair**in.PairGapMm {
		w.Warn(
			"copper of %.3g mm at a gap of %g mm: up to %g times the gap pairs agree with field solutions within 1.6 %% in z_odd_ohm and 2.7 %% in z_even_ohm; use a field solver",
			thickness, *in.PairGapMm, thickPair,
		)
	}
	if in.PairGapMm != nil && in.CoverMm != nil && in.Structure == "microstrip" &&
		*in.PairGapMm < 0.2*h {
		w.Warn(
			"pair_gap_mm %g is below 0.2 times height_mm: with a cover the formula was not compared with field solutions there; use a field solver",
			*in.PairGapMm,
		)
	}
	if in.Height2Mm != nil && in.Structure != "stripline" {
		w.Warn("height2_mm has no effect with structure %s", in.Structure)
	}
	if h2 := in.Height2Mm; h2 != nil && in.Structure == "stripline" && (*h2 > 3*h || *h2 < h/3) {
		w.Warn(
			"planes at %g and %g mm: beyond a ratio of 3 the formula is not checked; use a field solver",
			h, *h2,
		)
	}
	if in.GapMm != nil && in.Structure == "cpwg" && thickness > *in.GapMm {
		w.Warn(
			"copper of %.3g mm, thicker than the gap of %g mm: the formula was compared with field solutions up to 0.95 times the gap; use a field solver",
			thickness, *in.GapMm,
		)
	}
	if in.GapMm != nil && in.Structure != "cpwg" {
		w.Warn("gap_mm has no effect with structure %s", in.Structure)
	}
	if in.CoverMm != nil && (in.Structure == "stripline" || in.Structure == "cpwg") {
		w.Warn("cover_mm has no effect with structure %s", in.Structure)
	}
}

// section checks the inputs, warns of some, and returns the formulas for the structure.
func (in *microstripIn) section(w *tools.Warnings) (section, error) {
	if err := in.check(); err != nil {
		return section{}, err
	}
	in.warnOfInputs(w)
	return in.formulas(), nil
}

// formulas returns the formulas of a valid structure.
func (in *microstripIn) formulas() section {
	thickness, h := in.thicknessMm(), in.HeightMm
	s := section{minU: tline.MinWOverH, maxU: tline.MaxWOverH}
	switch in.Structure {
	case "stripline":
		in.stripline(&s, thickness)
	case "cpwg":
		line := tline.Coplanar{Er: in.Er, Gap: *in.GapMm / h, Thickness: thickness / h}
		s.at = line.At
	default:
		in.microstrip(&s, thickness)
	}
	return s
}

// microstrip sets the formulas for a strip on a board: open, covered, embedded or a pair.
func (in *microstripIn) microstrip(s *section, thickness float64) {
	h := in.HeightMm
	open := tline.Microstrip{Er: in.Er, Thickness: thickness / h}
	s.dispersive = in.CoverMm == nil && in.PairGapMm == nil
	s.at = open.At
	s.air = func(u, recession float64) float64 {
		height := h*1e-3 + 2*recession
		air := tline.Microstrip{Er: 1, Thickness: (thickness*1e-3 - 2*recession) / height}
		z, _ := air.At((u*h*1e-3 - 2*recession) / height)
		return z
	}
	if in.CoverMm != nil {
		er := in.Er
		if in.Structure == "microstrip" {
			er = in.MaskEr
		}
		s.at = func(u float64) (z0, erEff float64) { return open.Covered(u, *in.CoverMm/h, er) }
		if in.Structure == "microstrip" {
			s.open = open.At
		}
	}
	if in.PairGapMm != nil {
		s.minU, s.maxU, s.air = 0.1, 10, nil
		in.pair(s, open)
	}
}

// pair sets the formulas for two strips on a board, with or without a solder mask.
func (in *microstripIn) pair(s *section, line tline.Microstrip) {
	gap := *in.PairGapMm / in.HeightMm
	modes := func(u float64) (even, odd, erEven, erOdd float64) { return line.Pair(u, gap) }
	if in.CoverMm != nil {
		s.open = func(u float64) (z0, erEff float64) {
			_, odd, _, er := line.Pair(u, gap)
			return 2 * odd, er
		}
		modes = func(u float64) (even, odd, erEven, erOdd float64) {
			return line.CoveredPair(u, gap, *in.CoverMm/in.HeightMm, in.MaskEr)
		}
	}
	s.even = func(u float64) float64 { even, _, _, _ := modes(u); return even }
	s.odd = func(u float64) float64 { _, odd, _, _ := modes(u); return odd }
	s.at = func(u float64) (z0, erEff float64) {
		_, odd, _, er := modes(u)
		return 2 * odd, er
	}
}

// stripline sets the formulas for a strip between two planes, at height_mm from one and height2_mm
// from the other. Without height2_mm it is centred.
func (in *microstripIn) stripline(s *section, thickness float64) {
	h := in.HeightMm
	h2 := choice.Or(in.Height2Mm, h)
	spacing := tline.OffsetSpacing(h, h2, thickness)
	line := tline.Stripline{Er: in.Er, Thickness: thickness / spacing}
	scale := h / spacing
	s.at = func(u float64) (z0, erEff float64) { return line.At(u * scale) }
	s.air = func(u, recession float64) float64 {
		t := thickness*1e-3 - 2*recession
		b := tline.OffsetSpacing(h*1e-3+2*recession, h2*1e-3+2*recession, t)
		air := tline.Stripline{Er: 1, Thickness: t / b}
		z, _ := air.At((u*h*1e-3 - 2*recession) / b)
		return z
	}
	if in.PairGapMm != nil {
		gap := *in.PairGapMm / spacing
		s.air = nil
		s.even = func(u float64) float64 { even, _ := line.Pair(u*scale, gap); return even }
		s.odd = func(u float64) float64 { _, odd := line.Pair(u*scale, gap); return odd }
		s.at = func(u float64) (z0, erEff float64) { return 2 * s.odd(u), in.Er }
	}
}

// thickPair is the copper thickness, in units of the gap of a pair, up to which the formulas were
// compared with field solutions.
const thickPair = 0.35

// leastTraceMm is the minimum trace width [mm] of many board manufacturers.
const leastTraceMm = 0.1

// thickBoardMm exceeds the height of any usual substrate [mm].
const thickBoardMm = 10

// width returns the w/h for an attainable impedance. The impedance decreases with width, so
// bisection of log w converges to the only solution.
func (s section) width(z0 float64) float64 {
	lo, hi := math.Log(s.minU), math.Log(s.maxU)
	for range 200 {
		middle := (lo + hi) / 2
		z, _ := s.at(math.Exp(middle))
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

// compareIPC sets the width according to the old formula of IPC-2141.
func (out *microstripOut) compareIPC(in microstripIn) {
	w := ipc2141Width(in)
	if w <= 0 {
		out.Warn(
			"the 1996 IPC-2141 formula has no positive width for %.4g Ω; width_ipc2141_mm is null",
			in.Z0Ohm)
		return
	}
	out.WidthIPC2141Mm = &w
	if off := 100 * (w/out.WidthMm - 1); math.Abs(off) > 5 {
		out.Warn(
			"the 1996 IPC-2141 formula would give %.4g mm, %+.3g %%; width_mm is by Hammerstad and Jensen, whose impedance is within 0.2 %% of field solvers",
			w, off,
		)
	}
}

// disperse sets the permittivity of an open microstrip at a frequency [Hz].
func (out *microstripOut) disperse(in microstripIn, f float64) {
	fn := f * 1e-9 * in.HeightMm // [GHz·mm]
	out.ErEffAtFreq = new(tline.Dispersion(in.Er, out.ErEff, out.WOverH, fn))
	if off := 100 * (*out.ErEffAtFreq/out.ErEff - 1); off > 2 {
		out.Warn(
			"dispersion raises the effective permittivity by %.2g %% to %.4g at this frequency; the wavelength is that much shorter than the static one shows (%.2g %%)",
			off, *out.ErEffAtFreq, off/2,
		)
	}
	if fn > 39 { // 0.13 c in GHz·mm
		out.Warn("the substrate is %.2g wavelengths high: the dispersion formula holds up to 0.13; take a thinner substrate or a field solver",
			fn*1e6/phys.C)
	}
	if mode := phys.C / (2 * out.WidthMm * 1e-3 * math.Sqrt(in.Er)); f > mode {
		out.Warn("above %g MHz, half a wave across the trace, higher-order modes travel too; take a thinner substrate",
			tolerance.RoundDown(mode/1e6, 4))
	}
}

// openErEff returns the effective permittivity without the solder mask for a width w/h and a
// permittivity of the substrate.
func (in microstripIn) openErEff(er, wOverH float64) float64 {
	in.Er = er
	line := in.formulas()
	at := line.at
	if line.open != nil {
		at = line.open
	}
	_, erEff := at(wOverH)
	return erEff
}

// losses sets the attenuation at a frequency [Hz].
func (out *microstripOut) losses(in microstripIn, line section, f float64) {
	const perNeper = 20 / math.Ln10 // [dB]
	if in.LossTangent != nil {
		inSubstrate := out.ErEff
		if line.open != nil { // the loss tangent of the substrate does not apply to the mask
			_, inSubstrate = line.open(out.WOverH)
		}
		filling := tline.FillingFactor(in.Er, func(er float64) float64 {
			return in.openErEff(er, out.WOverH)
		})
		loss := tline.DielectricLoss(f, in.Er, inSubstrate, filling,
			*in.LossTangent) * math.Sqrt(inSubstrate/out.ErEff)
		out.DielectricDBm = new(perNeper * loss)
	}
	thickness := in.CopperOz * phys.OunceCopper // [m]
	depth := tline.SkinDepth(f)
	if in.RoughnessUm == nil && in.LossTangent == nil {
		return
	}
	if line.air == nil || thickness == 0 {
		choice.Ignored(&out.Warnings, "there is no conductor loss of pairs, cpwg and copper_oz 0",
			choice.Of("roughness_um", in.RoughnessUm != nil))
		return
	}
	if width := out.WidthMm * 1e-3; thickness < 3*depth || width < 3*depth {
		out.Warn(
			"the copper is thinner than three skin depths of %.3g µm: conductor_loss_db_m needs a thicker trace or a higher frequency",
			depth*1e6,
		)
		return
	}
	roughness := 0.0
	if in.RoughnessUm != nil {
		roughness = *in.RoughnessUm * 1e-6
	}
	loss := perNeper * tline.ConductorLoss(f, out.Z0ActualOhm, roughness,
		func(recession float64) float64 { return line.air(out.WOverH, recession) })
	out.ConductorDBm = &loss
}

// ipc2141Width solves the logarithmic formula of IPC-2141 (1996) for the width [mm]. The result may
// be negative.
func ipc2141Width(in microstripIn) float64 {
	thickness := in.thicknessMm()
	return (5.98*in.HeightMm*math.Exp(-in.Z0Ohm*math.Sqrt(in.Er+1.41)/87) - thickness) / 0.8
}
