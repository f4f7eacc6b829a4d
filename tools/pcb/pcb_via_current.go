package pcb

import (
	"context"
	"math"

	"slipstick/tools"
	"slipstick/tools/ipc"
	"slipstick/tools/tolerance"
)

// PCBViaCurrent computes the current capacity, the electrical and thermal resistance, and the
// inductance of plated vias.
var PCBViaCurrent = tools.Define(tools.Spec{
	Name:    "pcb_via_current",
	Title:   "Via current (IPC-2221)",
	Summary: "Current capacity of one or more plated vias, with resistance, thermal resistance and inductance",
	Method: "Barrel area π (D + t) t of a finished hole, π (D - t) t of a drilled one; I = k ΔT^0.44 A^0.725, A in mil², k = 0.024 inside " +
		"and 0.048 outside; R = ρ h/A (1 + 0.00393 (T - 20)) at ambient + rise; Rth = h/(401 W/(m K) A); " +
		"L = 0.2 h (ln(4 h/d) + 1) nH, in mm, d the finished hole",
	Sources: []string{
		"IPC-2221A (2003), section 6.2 and figure 6-4",
		"H. W. Johnson, M. Graham, High-Speed Digital Design (1993), chapter 7: inductance of vias",
		"IPC-6012, table of plating thickness: class 2, 18 µm at the thinnest place",
	},
	Limits: []string{
		"The formula was fitted to traces; for a via the inside constant is the cautious choice. Many calculators use the outside one, twice the current, without saying so",
		"Several vias are taken to share the current evenly, which those nearest the source do not",
		"No pads, planes, fill or return path; heat through the barrel only",
	},
	Aliases: []string{"via ampacity", "via resistance", "via inductance", "thermal via",
		"plated through hole", "how many vias"},
	Primary: []string{"vias_needed", "max_current_a"},
	Examples: []tools.Example{{
		Title: "3 A through 0.3 mm vias",
		In:    `{"hole_diameter_mm": 0.3, "current_a": 3}`,
		Want:  `{"area_mil2": 39.56451, "max_current_per_via_a": 0.9511696, "max_current_external_a": 1.902339, "vias_needed": 4, "resistance_ohm": 0.001261176, "thermal_resistance_c_per_w": 156.3156, "inductance_nh": 1.299287}`,
	}, {
		Title: "Copper of a 0.3 mm via",
		In:    `{"hole_diameter_mm": 0.3, "plating_um": 25}`,
		Want:  `{"area_mm2": 0.02552544}`,
		From:  "by hand: π (0.3 + 0.025) 0.025",
	}, {
		Title: "Ten vias under a regulator",
		In:    `{"hole_diameter_mm": 0.3, "plating_um": 25, "via_count": 10, "current_a": 5}`,
		Want:  `{"area_mm2": 0.02552544}`,
		From:  "by hand, per via",
	}},
}, pcbViaCurrent)

type pcbViaCurrentIn struct {
	HoleDiameterMM   float64  `json:"hole_diameter_mm" unit:"mm" gt:"0" max:"1000" example:"0.3" label:"Hole diameter" doc:"Diameter of the hole"`
	HoleBasis        string   `json:"hole_basis" enum:"finished,drill" default:"finished" label:"Hole basis" doc:"finished: diameter after plating; drill: diameter before plating"`
	PlatingUM        float64  `json:"plating_um" unit:"µm" gt:"0" max:"10000" default:"25" label:"Plating thickness" doc:"Thickness of the copper plating in the hole"`
	BoardThicknessMM float64  `json:"board_thickness_mm" unit:"mm" gt:"0" max:"1000" default:"1.6" label:"Board thickness" doc:"Board thickness, the length of the via"`
	TempRiseC        float64  `json:"temp_rise_c" unit:"K" gt:"0" max:"200" default:"10" label:"Temperature rise" doc:"Allowed temperature rise above ambient"`
	Layer            string   `json:"layer" enum:"internal,external" default:"internal" label:"Layer type" doc:"Constant of IPC-2221 to use"`
	ViaCount         int      `json:"via_count" unit:"1" min:"1" max:"1000000" default:"1" label:"Number of vias" doc:"Number of parallel vias"`
	CurrentA         *float64 `json:"current_a" unit:"A" gt:"0" max:"1e6" example:"3" label:"Total current" doc:"Current of all vias together"`
	ResistivityOhmM  float64  `json:"resistivity_ohm_m" unit:"Ω·m" gt:"0" max:"1" default:"1.9e-8" label:"Copper resistivity" doc:"Resistivity of plated copper at 20 °C; annealed copper has 1.724e-8"`
	AmbientC         float64  `json:"ambient_c" unit:"°C" min:"-100" max:"300" default:"25" label:"Ambient temperature" doc:"Temperature of the board without the current"`
}

type pcbViaCurrentOut struct {
	AreaMM2             float64  `json:"area_mm2" unit:"mm²" label:"Barrel cross-section" doc:"Copper cross-section of one barrel"`
	AreaMil2            float64  `json:"area_mil2" unit:"mil²" label:"Barrel cross-section (mil²)" doc:"Copper cross-section of one barrel"`
	MaxCurrentPerViaA   float64  `json:"max_current_per_via_a" unit:"A" label:"Maximum current per via" doc:"Current of one via at the allowed rise, with the chosen constant"`
	MaxCurrentA         float64  `json:"max_current_a" unit:"A" label:"Maximum current" doc:"Current of all vias"`
	MaxCurrentInternalA float64  `json:"max_current_internal_a" unit:"A" label:"Maximum current, internal constant" doc:"Current of one via with the constant for internal layers"`
	MaxCurrentExternalA float64  `json:"max_current_external_a" unit:"A" label:"Maximum current, external constant" doc:"Current of one via with the constant for external layers"`
	ViasNeeded          *int     `json:"vias_needed" unit:"1" label:"Vias needed" doc:"Number of vias for current_a; null without it"`
	ResistanceOhm       float64  `json:"resistance_ohm" unit:"Ω" label:"Resistance" doc:"Resistance of all vias in parallel at their temperature"`
	VoltageDropV        *float64 `json:"voltage_drop_v" unit:"V" label:"Voltage drop" doc:"Voltage drop; null without current_a"`
	PowerLossW          *float64 `json:"power_loss_w" unit:"W" label:"Power loss" doc:"Power dissipated in all vias; null without current_a"`
	ThermalResistance   float64  `json:"thermal_resistance_c_per_w" unit:"K/W" label:"Thermal resistance" doc:"Thermal resistance between the board sides through all vias"`
	InductanceNH        *float64 `json:"inductance_nh" unit:"nH" label:"Inductance per via" doc:"Inductance of one via; null for a hole outside the range of the formula"`
	tools.Warnings
}

// copperConductivity is the thermal conductivity of pure copper near room temperature [W/(m·K)].
const copperConductivity = 401

func pcbViaCurrent(_ context.Context, in pcbViaCurrentIn) (pcbViaCurrentOut, error) {
	var out pcbViaCurrentOut
	plating := in.PlatingUM / 1e3
	finished, drill := in.HoleDiameterMM, in.HoleDiameterMM+2*plating
	if in.HoleBasis == "drill" {
		finished, drill = in.HoleDiameterMM-2*plating, in.HoleDiameterMM
		if finished <= tolerance.Relative*drill {
			var f tools.FieldErrors
			f.AddValue("plating_um", in.PlatingUM,
				"closes the hole: twice the plating must stay below the drill, hole_diameter_mm = %g",
				in.HoleDiameterMM)
			return out, f.Err()
		}
	}
	out.AreaMM2 = math.Pi * (finished + plating) * plating
	out.AreaMil2 = out.AreaMM2 / (ipc.Mil * ipc.Mil)
	out.MaxCurrentInternalA = ipc.Current(ipc.Internal, in.TempRiseC, out.AreaMil2)
	out.MaxCurrentExternalA = ipc.Current(ipc.External, in.TempRiseC, out.AreaMil2)
	out.MaxCurrentPerViaA = ipc.Current(ipc.Constant(in.Layer), in.TempRiseC, out.AreaMil2)
	n, h := float64(in.ViaCount), in.BoardThicknessMM
	out.MaxCurrentA = n * out.MaxCurrentPerViaA
	// Ω·m = 1e3 Ω·mm
	out.ResistanceOhm = in.ResistivityOhmM * 1e3 * h / (n * out.AreaMM2) *
		ipc.ResistanceFactor(in.AmbientC+in.TempRiseC)
	out.ThermalResistance = h * 1e3 / (copperConductivity * n * out.AreaMM2)
	if l := 0.2 * h * (math.Log(4*h/finished) + 1); l > 0 {
		out.InductanceNH = &l
	}
	if finished > h {
		out.Warn(
			"the hole is wider than the board is thick: the inductance formula is for slender vias")
	}
	if in.CurrentA != nil {
		current := *in.CurrentA
		needed, err := tolerance.Count(max(1, tolerance.Ceil(current/out.MaxCurrentPerViaA)),
			"current_a",
			current)
		if err != nil {
			return out, err
		}
		out.ViasNeeded = &needed
		out.VoltageDropV, out.PowerLossW = new(
			current*out.ResistanceOhm,
		), new(current*current*out.ResistanceOhm)
		if tolerance.Above(current, out.MaxCurrentA) {
			out.Warn("%g A exceeds the %g A of %d via(s): %d are needed", current,
				tolerance.RoundDown(out.MaxCurrentA, 4), in.ViaCount, needed)
		}
	}
	if tolerance.Below(in.PlatingUM, 18) {
		out.Warn("%g µm of plating is below the 18 µm minimum of IPC-6012 class 2", in.PlatingUM)
	}
	if ratio := h / drill; tolerance.Above(ratio, 10) {
		out.Warn(
			"board thickness over drill is %g, above 10: few board manufacturers plate such a hole reliably; use a larger drill or a thinner board",
			tolerance.RoundAbove(ratio, 10, 3),
		)
	}
	if in.Layer == "external" {
		out.Warn(
			"the outside constant is for traces in air; a via is inside the board and carries half of it (max_current_internal_a)",
		)
	}
	return out, nil
}
