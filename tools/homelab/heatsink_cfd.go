package homelab

import (
	"context"

	"slipstick/tools"
	"slipstick/tools/phys"
	"slipstick/tools/thermal"
	"slipstick/tools/tolerance"
)

// HeatsinkCFD computes the temperature of a plate-fin heat sink in natural or forced convection.
var HeatsinkCFD = tools.Define(tools.Spec{
	Name:    "heatsink_cfd",
	Title:   "Heat sink simulation (plate fin)",
	Summary: "Temperature field and thermal resistance of a plate-fin heat sink, in natural or forced convection, by conjugate finite volumes",
	Method: "Finite volumes: the base in three dimensions, its columns alternately under fins " +
		"and channels, each fin in two, the air marched along each channel. Forced, laminar: " +
		"Stephan's form of developing flow between plates, Nu = 7.55 + 0.024 x^-1.14/(1 + 0.0358 " +
		"Pr^0.17 x^-0.64), x = L/(Dh Re Pr), Dh = 2b. Local values follow from differentiating x " +
		"Nu. Forced, turbulent: Gnielinski with the factor 1 + (Dh/L)^⅔ from Re 4000. From Re " +
		"2300 to 4000 the film is linear between the laminar and the turbulent value at these " +
		"ends. The developing laminar film applies where it is larger, as in wide, short " +
		"channels. Pressure: 4 L/Dh · √((3.44/√L+)² + 24²)/Re, turbulent 4 L/Dh · f/4 with " +
		"Petukhov's f, joined likewise, + 0.42 (1 - σ²) + (1 - σ²)² velocity heads; bypass and " +
		"fan from its balance. Natural: Bar-Cohen and Rohsenow in the channels, Nu = (576/Ra'² + " +
		"2.873/√Ra')^-½ with the mean rise of the base, and Churchill and Chu on the two outer " +
		"faces. Level base: Jones and Smith, and Churchill and Chu over the fin height on the " +
		"outer faces, neither better than vertical. Radiation: of each channel, σ (T⁴ - Ta⁴)/((1 " +
		"- ε)/(ε Awall) + 1/Aopen) with Aopen = L b + 2 b H, and ε σ (T⁴ - Ta⁴) of outer faces " +
		"and tips. Cosine transforms along the flow and a band solver; GMRES where the air warms " +
		"up. Films and temperatures are repeated until they agree",
	Sources: []string{
		"A. Bar-Cohen and W. M. Rohsenow, Thermally optimum spacing of vertical, natural convection cooled, parallel plates, J. Heat Transfer 106 (1984) 116-123",
		"K. Stephan, Wärmeübergang und Druckabfall bei nicht ausgebildeter Laminarströmung in Rohren und in ebenen Spalten, Chemie-Ing.-Techn. 31 (1959) 773-778",
		"V. Gnielinski, New equations for heat and mass transfer in turbulent pipe and channel flow, Int. Chem. Eng. 16 (1976) 359-368",
		"V. Gnielinski, On heat transfer in tubes, Int. J. Heat Mass Transfer 63 (2013) 134-140 (transition)",
		"N. T. Obot and E. B. Esen, Smooth tube friction and heat transfer in laminar and transitional flow, Int. Comm. Heat Mass Transfer 19 (1992) 299-310 (air follows √Re through the transition)",
		"P. Teertstra, M. M. Yovanovich and J. R. Culham, Analytical forced convection modeling of plate fin heat sinks, J. Electronics Manufacturing 10 (2000) 253-261",
		"C. D. Jones and L. F. Smith, Optimum arrangement of rectangular fins on horizontal surfaces for free-convection heat transfer, J. Heat Transfer 92 (1970) 6-10",
		"S. Lee, S. Song, V. Au and K. P. Moran, Constriction/spreading resistance model for electronics packaging, ASME/JSME Thermal Engineering Conf. 4 (1995) 199-206",
	},
	Limits: []string{
		"The flow itself comes from correlations, not from the Navier-Stokes equations",
		"Forced: between Reynolds numbers 2300 and 4000 the true film depends on inlet and vibration. The one given joins both sides and rises with the speed",
		"Forced: all channels get the same air; the outer faces of the end fins, the tips and the source face give nothing to the air",
		"Natural: the sink stands free, vertical channels are open at both ends; a base that faces down or sideways is not covered",
		"Each fin has one temperature across its thickness; fins as thick as the channels between them are wide, or thicker, are too coarse for that",
		"Steady state; conductivity does not change with temperature; surroundings are at ambient temperature",
		"Halving all cells changes the rise by less than 0.2 %, by up to 1.5 % for a source of 4 mm",
	},
	Aliases: []string{"heat sink", "heatsink", "plate fin", "thermal resistance",
		"spreading resistance", "fin spacing", "cfd"},
	Primary: []string{"thermal_resistance_k_w"},
	Examples: []tools.Example{{
		Title: "60 by 60 mm, 12 fins, 3 m/s, no radiation",
		In: `{"power_w": 50, "base_width_mm": 60, "base_length_mm": 60, "fin_count": 12, "fin_height_mm": 30, "fin_thickness_mm": 1, "conductivity_w_mk": 200, "emissivity": 0,
			"convection": "forced", "air_velocity_m_s": 3}`,
		Want: `{"air_outlet_temperature_c": 32.77, "fin_spacing_mm": 4.3636, "fin_efficiency": 0.897, "correlation_resistance_k_w": 0.745, "source_mean_temperature_c": 63.1, "radiation_w": 0, "warnings": []}`,
		From: "outlet, spacing, efficiency and closed form by hand; the field on cells of half and a third of the size extrapolates to 63.05 °C",
	}, {
		Title: "100 by 100 mm, 10 fins of 40 mm, 20 W in still air",
		In:    `{"power_w": 20, "base_width_mm": 100, "base_length_mm": 100, "fin_count": 10, "fin_height_mm": 40, "fin_thickness_mm": 1.5}`,
		Want:  `{"base_mean_temperature_c": 54.7, "radiation_w": 4.60, "air_outlet_temperature_c": null}`,
		From:  "an independent solution of the same equations: base 54.75 °C, radiation 4.61 W",
	}, {
		Title: "Still air, with a check of the grid",
		In:    `{"power_w": 20, "base_width_mm": 100, "base_length_mm": 100, "fin_count": 10, "fin_height_mm": 40, "fin_thickness_mm": 1.5, "grid_check": true}`,
		Want:  `{"correlation_resistance_k_w": 1.47889, "grid_change_pct": -0.07}`,
		From:  "closed form by bisection in another language; cells of twice the length",
	}},
}, heatsinkCFD)

type heatsinkIn struct {
	Power        float64  `json:"power_w" unit:"W" min:"0.001" max:"100000" example:"50" label:"Power dissipation" doc:"Heat from the source"`
	Width        float64  `json:"base_width_mm" unit:"mm" min:"2" max:"2000" example:"60" label:"Base width" doc:"Width of the base, across the fins"`
	Length       float64  `json:"base_length_mm" unit:"mm" min:"2" max:"2000" example:"60" label:"Base length" doc:"Length of the base, along the flow"`
	Fins         int      `json:"fin_count" unit:"1" min:"2" max:"150" example:"12" label:"Number of fins" doc:"Number of fins; the first and the last are flush with the base"`
	Height       float64  `json:"fin_height_mm" unit:"mm" min:"0.5" max:"1000" example:"30" label:"Fin height" doc:"Height of a fin above the base"`
	Thickness    float64  `json:"fin_thickness_mm" unit:"mm" min:"0.02" max:"200" example:"1" label:"Fin thickness" doc:"Thickness of a fin"`
	Base         float64  `json:"base_thickness_mm" unit:"mm" min:"0.1" max:"200" default:"5" label:"Base thickness" doc:"Thickness of the base below the fins"`
	Material     string   `json:"material" enum:"aluminum_6063,aluminum_6061,aluminum_1050,copper" default:"aluminum_6063" label:"Material" doc:"Material; conductivity 201, 167, 229 or 390 W/(m·K)"`
	Conductivity *float64 `json:"conductivity_w_mk" unit:"W/(m·K)" min:"1" max:"5000" label:"Thermal conductivity" doc:"Thermal conductivity, in place of that of material"`
	Emissivity   float64  `json:"emissivity" unit:"1" min:"0" max:"1" default:"0.8" label:"Emissivity" doc:"Emissivity: anodized 0.8, bare 0.1; 0 means no radiation"`
	Convection   string   `json:"convection" enum:"natural,forced" default:"natural" label:"Convection" doc:"natural: still air; forced: air driven along the channels"`
	Velocity     *float64 `json:"air_velocity_m_s" unit:"m/s" min:"0.01" max:"100" label:"Air velocity" doc:"Mean approach velocity over base width times fin height, or over the duct; required for forced convection without a fan"`
	DuctWidth    *float64 `json:"duct_width_mm" unit:"mm" min:"2" max:"20000" label:"Duct width" doc:"Clear width of the duct; a width above that of the base leaves a bypass"`
	DuctHeight   *float64 `json:"duct_height_mm" unit:"mm" min:"0.5" max:"20000" label:"Duct height" doc:"Clear height of the duct over the base; a height above that of the fins leaves a bypass"`
	FanFlow      *float64 `json:"fan_max_flow_m3_h" unit:"m³/h" min:"0.001" max:"1000000" label:"Fan free-air flow" doc:"Fan flow without back pressure; with fan_max_pressure_pa gives a linear fan curve that replaces air_velocity_m_s"`
	FanPressure  *float64 `json:"fan_max_pressure_pa" unit:"Pa" min:"0.01" max:"100000" label:"Fan static pressure" doc:"Fan pressure at zero flow"`
	Orientation  string   `json:"orientation" enum:"vertical,horizontal_fins_up" default:"vertical" label:"Orientation" doc:"Natural convection: vertical channels, or horizontal base with the fins up"`
	Ambient      float64  `json:"ambient_c" unit:"°C" min:"-100" max:"500" default:"25" label:"Ambient temperature" doc:"Temperature of the inlet air and of the surroundings"`
	Altitude     float64  `json:"altitude_m" unit:"m" min:"-500" max:"11000" default:"0" label:"Altitude" doc:"Altitude above sea level"`
	SourceWidth  *float64 `json:"source_width_mm" unit:"mm" min:"0.1" max:"2000" label:"Source width" doc:"Width of the heat source, across the fins; default: the whole base"`
	SourceLength *float64 `json:"source_length_mm" unit:"mm" min:"0.1" max:"2000" label:"Source length" doc:"Length of the heat source, along the flow; default: the whole base"`
	SourceX      *float64 `json:"source_x_mm" unit:"mm" min:"0" max:"2000" label:"Source position, across" doc:"Distance of the source center from the outer edge of the first fin; default: the middle"`
	SourceY      *float64 `json:"source_y_mm" unit:"mm" min:"0" max:"2000" label:"Source position, along" doc:"Distance of the source center from the inlet; default: the middle"`
	TIM          float64  `json:"tim_resistance_k_w" unit:"K/W" min:"0" max:"1000" default:"0" label:"Interface resistance" doc:"Thermal resistance of the interface between case and heat sink"`
	JunctionCase float64  `json:"junction_to_case_k_w" unit:"K/W" min:"0" max:"1000" default:"0" label:"Junction-to-case resistance" doc:"Thermal resistance from junction to case"`
	GridCheck    bool     `json:"grid_check" default:"false" label:"Grid check" doc:"Solves again with cells twice as long; gives grid_change_pct"`
}

type heatsinkOut struct {
	SourceMean   float64        `json:"source_mean_temperature_c" unit:"°C" label:"Mean source temperature" doc:"Mean temperature of the heat sink under the source"`
	Max          float64        `json:"max_temperature_c" unit:"°C" label:"Maximum temperature" doc:"Temperature of the hottest cell of the source face"`
	BaseMean     float64        `json:"base_mean_temperature_c" unit:"°C" label:"Mean base temperature" doc:"Mean temperature of the base on the fin side"`
	Junction     float64        `json:"junction_temperature_c" unit:"°C" label:"Junction temperature" doc:"Mean source temperature + power · (interface + junction-to-case resistance)"`
	Resistance   float64        `json:"thermal_resistance_k_w" unit:"K/W" label:"Thermal resistance" doc:"Mean source temperature above ambient per watt"`
	Spreading    float64        `json:"spreading_resistance_k_w" unit:"K/W" label:"Spreading resistance" doc:"Mean source temperature above mean base temperature per watt: conduction through the base and spreading"`
	Outlet       *float64       `json:"air_outlet_temperature_c" unit:"°C" label:"Outlet air temperature" doc:"Mean temperature of the air at the channel outlet; null in natural convection"`
	Velocity     *float64       `json:"channel_velocity_m_s" unit:"m/s" label:"Channel velocity" doc:"Mean velocity between the fins, at the density of the ambient air; null in natural convection"`
	Reynolds     *float64       `json:"reynolds" unit:"1" label:"Reynolds number" doc:"Reynolds number based on twice the fin spacing; null in natural convection"`
	Pressure     *float64       `json:"pressure_drop_pa" unit:"Pa" label:"Pressure drop" doc:"Pressure drop of the air in the heat sink; null in natural convection"`
	Flow         *float64       `json:"channel_flow_m3_h" unit:"m³/h" label:"Channel flow" doc:"Airflow through all channels; null in natural convection"`
	Bypass       *float64       `json:"bypass_flow_m3_h" unit:"m³/h" label:"Bypass flow" doc:"Airflow past the heat sink; null in natural convection"`
	Film         float64        `json:"heat_transfer_coefficient_w_m2k" unit:"W/(m²·K)" label:"Heat transfer coefficient" doc:"Mean convective heat transfer coefficient of the channel walls, to the local air when forced, to ambient when natural"`
	Efficiency   float64        `json:"fin_efficiency" unit:"1" label:"Fin efficiency" doc:"tanh(mH)/(mH) with the mean coefficients of convection and radiation"`
	Spacing      float64        `json:"fin_spacing_mm" unit:"mm" label:"Fin spacing" doc:"Clear width between two fins"`
	Optimum      *float64       `json:"optimal_fin_spacing_mm" unit:"mm" label:"Optimal fin spacing" doc:"Spacing at which vertical channels of this length carry the most heat per volume; null when forced"`
	Convection   float64        `json:"convection_w" unit:"W" label:"Convection" doc:"Heat by convection"`
	Radiation    float64        `json:"radiation_w" unit:"W" label:"Radiation" doc:"Heat by radiation; with convection_w it equals the power"`
	BalanceError float64        `json:"energy_balance_error_pct" unit:"%" label:"Energy balance error" doc:"Share of the power that the solution does not account for"`
	Correlation  float64        `json:"correlation_resistance_k_w" unit:"K/W" label:"Resistance by correlation" doc:"Closed-form resistance of an isothermal base, from its fin side to ambient; check for (mean base temperature - ambient)/power"`
	Weight       float64        `json:"weight_g" unit:"g" label:"Weight" doc:"Weight of base and fins"`
	Field        heatsinkField  `json:"temperature_field" label:"Temperature field" doc:"Temperatures for plots"`
	Sweep        []heatsinkStep `json:"fin_sweep" plot:"fin_count" label:"Fin count sweep" doc:"Closed-form resistance over the number of fins, with base and spreading resistance"`
	GridChange   *float64       `json:"grid_change_pct" unit:"%" label:"Grid change" doc:"Change of the maximum temperature rise when cells of twice the length are halved; the remaining error is about a third of it; null without grid_check"`
	tools.Warnings
}

type heatsinkField struct {
	X       []float64   `json:"x_mm" unit:"mm" label:"Position across" doc:"Centers of the base cells, across the fins"`
	Y       []float64   `json:"y_mm" unit:"mm" label:"Position along" doc:"Centers of the cells, along the flow"`
	Base    [][]float64 `json:"base_c" unit:"°C" label:"Base temperature" doc:"Temperature of the source face of the base, for each y over x"`
	FinX    []float64   `json:"fin_x_mm" unit:"mm" label:"Fin positions" doc:"Center of each fin"`
	Fin     [][]float64 `json:"fin_c" unit:"°C" label:"Fin temperature" doc:"Mean temperature over the fin height, for each y over the fins"`
	AirX    []float64   `json:"air_x_mm" unit:"mm" label:"Channel positions" doc:"Center of each channel"`
	Air     [][]float64 `json:"air_c" unit:"°C" nullable:"true" label:"Air temperature" doc:"Air temperature, for each y over the channels; null in natural convection"`
	Z       []float64   `json:"z_mm" unit:"mm" label:"Height above the base" doc:"Heights of the fin cells above the base"`
	Hottest int         `json:"hottest_fin" unit:"1" label:"Hottest fin" doc:"Number of the hottest fin, from 1"`
	Profile [][]float64 `json:"hottest_fin_c" unit:"°C" label:"Hottest fin temperature" doc:"Temperature of the hottest fin, for each z over y"`
}

type heatsinkStep struct {
	Fins       int     `json:"fin_count" unit:"1" label:"Number of fins" doc:"Number of fins"`
	Spacing    float64 `json:"fin_spacing_mm" unit:"mm" label:"Fin spacing" doc:"Clear width between two fins"`
	Resistance float64 `json:"resistance_k_w" unit:"K/W" label:"Thermal resistance" doc:"Mean source temperature above ambient per watt"`
}

// heatsinkMaterial is a material of heat sinks.
type heatsinkMaterial struct {
	name         string
	conductivity float64 // [W/(m·K)]
	density      float64 // [kg/m³]
}

var heatsinkMaterials = []heatsinkMaterial{
	{"aluminum_6063", 201, 2690},
	{"aluminum_6061", 167, 2700},
	{"aluminum_1050", 229, 2705},
	{"copper", 390, 8940},
}

func heatsinkCFD(ctx context.Context, in heatsinkIn) (heatsinkOut, error) {
	var out heatsinkOut
	sink, err := in.sink()
	if err != nil {
		return out, err
	}
	closed := sink.ClosedForm()
	if err := in.checkFlow(sink, closed); err != nil {
		return out, err
	}
	field, err := sink.Field(ctx, closed, 1)
	if err != nil {
		return out, err
	}
	in.report(&out, sink, closed, field)
	if in.GridCheck {
		coarse, err := sink.Field(ctx, closed, 0.5)
		if err != nil {
			return out, err
		}
		out.GridChange = new(100 * (field.Largest - coarse.Largest) / field.Largest)
		warnGrid(&out.Warnings, *out.GridChange)
	}
	out.Sweep, err = in.sweep(ctx, sink)
	if err != nil {
		return out, err
	}
	in.warn(&out, field)
	if sink.Stream != nil {
		still := *sink
		still.Stream = nil
		if natural := still.ClosedForm().Fins; tolerance.Above(out.Correlation, natural) {
			out.Warn(
				"forced convection alone is weaker than natural convection, %g against %g K/W: buoyancy dominates; use convection natural or more air",
				tolerance.RoundAbove(out.Correlation, natural, 4), tolerance.RoundDown(natural, 4))
		}
	}
	return out, nil
}

// smallestGap is the smallest clear width between fins [mm] that the tool accepts.
const smallestGap = 0.1

// sink checks the input and converts it to SI units.
func (in *heatsinkIn) sink() (*thermal.Sink, error) {
	var f tools.FieldErrors
	filled := float64(in.Fins) * in.Thickness
	if gap := (in.Width - filled) / float64(in.Fins-1); tolerance.Below(gap,
		smallestGap) {
		f.AddValue(
			"fin_count", in.Fins,
			"the fins do not fit: %d of fin_thickness_mm %g leave channels of %g mm in base_width_mm %g; at least %g mm are needed",
			in.Fins, in.Thickness, tolerance.RoundDown(gap, 4), in.Width, smallestGap,
		)
	}
	s := &thermal.Sink{
		Width: in.Width / 1e3, Length: in.Length / 1e3, Base: in.Base / 1e3, Fins: in.Fins,
		Height: in.Height / 1e3, Thickness: in.Thickness / 1e3,
		Conductivity: in.material().conductivity,
		Emissivity:   in.Emissivity, Power: in.Power, Ambient: in.Ambient + phys.ZeroC,
		Altitude: in.Altitude, Horizontal: in.Orientation == "horizontal_fins_up",
	}
	if in.Conductivity != nil {
		s.Conductivity = *in.Conductivity
	}
	s.Source.X0, s.Source.X1 = sourceSpan(&f, in.Width, in.SourceWidth, in.SourceX,
		"source_width_mm",
		"source_x_mm", "base_width_mm")
	s.Source.Y0, s.Source.Y1 = sourceSpan(&f, in.Length, in.SourceLength, in.SourceY,
		"source_length_mm", "source_y_mm", "base_length_mm")
	if in.Convection == "forced" {
		s.Stream = in.stream(&f)
	}
	return s, f.Err()
}

// checkFlow rejects nearly still air. Below Reynolds number 1, axial conduction in the air, which
// the marching method neglects, is significant, and buoyancy exceeds the forced flow.
func (in *heatsinkIn) checkFlow(s *thermal.Sink, closed thermal.Closed) error {
	if s.Stream == nil {
		return nil
	}
	flow := s.Flow(s.Ambient + (closed.Base+closed.Air)/2)
	if flow.Reynolds() >= 1 {
		return nil
	}
	field, value := "air_velocity_m_s", in.Velocity
	if s.Stream.Fan != nil {
		field, value = "fan_max_flow_m3_h", in.FanFlow
	}
	var f tools.FieldErrors
	f.AddValue(
		field, value,
		"drives only %.3g m/s between the fins, Reynolds number %g; below 1 the air all but stands still: more flow, wider channels, or convection natural",
		flow.Speed, tolerance.RoundDown(flow.Reynolds(), 2),
	)
	return f.Err()
}

func (in *heatsinkIn) material() heatsinkMaterial {
	for _, m := range heatsinkMaterials {
		if m.name == in.Material {
			return m
		}
	}
	return heatsinkMaterials[0]
}

// sourceSpan returns the extent of the source along one side of the base in metres.
func sourceSpan(
	f *tools.FieldErrors, side float64, size, centre *float64,
	sizeName, centreName, sideName string,
) (lo, hi float64) {
	width, middle := side, side/2
	if size != nil {
		width = *size
	}
	if centre != nil {
		middle = *centre
	}
	const slack = 1e-9
	switch {
	case width > side*(1+slack):
		f.AddValue(sizeName, width, "the source is larger than the base, %s %g", sideName, side)
	case middle-width/2 < -slack*side || middle+width/2 > side*(1+slack):
		f.AddValue(centreName, middle,
			"the source reaches from %g to %g mm, off the base, which is 0 to %g mm (%s)",
			tolerance.RoundDown(middle-width/2, 9), tolerance.RoundUp(middle+width/2, 9), side,
			sideName)
	}
	return max(0, middle-width/2) / 1e3, min(side, middle+width/2) / 1e3
}

// stream returns the air flow of forced convection.
func (in *heatsinkIn) stream(f *tools.FieldErrors) *thermal.Stream {
	s := &thermal.Stream{DuctWidth: in.Width / 1e3, DuctHeight: in.Height / 1e3}
	if in.DuctWidth != nil {
		s.DuctWidth = *in.DuctWidth / 1e3
		if *in.DuctWidth < in.Width {
			f.AddValue("duct_width_mm", *in.DuctWidth, "is less than base_width_mm %g", in.Width)
		}
	}
	if in.DuctHeight != nil {
		s.DuctHeight = *in.DuctHeight / 1e3
		if *in.DuctHeight < in.Height {
			f.AddValue("duct_height_mm", *in.DuctHeight, "is less than fin_height_mm %g", in.Height)
		}
	}
	switch {
	case in.FanFlow != nil && in.FanPressure != nil:
		s.Fan = &thermal.Fan{MaxFlow: *in.FanFlow / 3600, MaxPressure: *in.FanPressure}
	case in.FanFlow != nil:
		f.Add("fan_max_pressure_pa",
			"is required with fan_max_flow_m3_h: the pressure without flow in Pa")
	case in.FanPressure != nil:
		f.Add("fan_max_flow_m3_h",
			"is required with fan_max_pressure_pa: the flow without back pressure in m³/h")
	case in.Velocity == nil:
		f.Add(
			"air_velocity_m_s",
			"is required when convection is forced: the approach velocity in m/s, or a fan by fan_max_flow_m3_h and fan_max_pressure_pa",
		)
	default:
		s.Speed = *in.Velocity
	}
	return s
}

func (in *heatsinkIn) report(
	out *heatsinkOut, s *thermal.Sink, closed thermal.Closed, f *thermal.SinkField,
) {
	out.SourceMean = in.Ambient + f.SourceMean
	out.Max = in.Ambient + f.Largest
	out.BaseMean = in.Ambient + f.BaseMean
	out.Junction = out.SourceMean + in.Power*(in.TIM+in.JunctionCase)
	out.Resistance = f.SourceMean / in.Power
	out.Spreading = (f.SourceMean - f.BaseMean) / in.Power
	out.Film = f.Film
	out.Efficiency = s.Efficiency(f.Film + f.Radiant)
	out.Spacing = s.Gap() * 1e3
	out.Convection, out.Radiation = f.Convection, f.Radiation
	out.BalanceError = f.Unbalanced / in.Power * 100
	out.Correlation = closed.Fins
	// [mm³]
	volume := in.Width*in.Length*in.Base + float64(in.Fins)*in.Thickness*in.Height*in.Length
	out.Weight = volume * in.material().density * 1e-6
	if s.Stream != nil {
		outlet, re := in.Ambient+f.Outlet, f.Flow.Reynolds()
		flow, bypass := f.Flow.Volume*3600, f.Flow.Bypass*3600
		out.Outlet, out.Reynolds, out.Flow, out.Bypass = &outlet, &re, &flow, &bypass
		out.Velocity, out.Pressure = &f.Flow.Speed, &f.Flow.Pressure
	} else {
		air := thermal.AirAt(s.Ambient+f.BaseMean/2, s.Altitude)
		optimum := thermal.OptimalGap(air, f.BaseMean, s.Length) * 1e3
		out.Optimum = &optimum
	}
	out.Field = in.field(s, f)
}

// field arranges the temperatures for plotting.
func (in *heatsinkIn) field(s *thermal.Sink, f *thermal.SinkField) heatsinkField {
	c := f.Comb
	rows := func(columns int, at func(i, j int) float64) [][]float64 {
		out := make([][]float64, c.Slabs)
		for j := range out {
			out[j] = make([]float64, columns)
			for i := range out[j] {
				out[j][i] = in.Ambient + at(i, j)
			}
		}
		return out
	}
	out := heatsinkField{
		X: c.X.Centres(), Y: thermal.Uniform(s.Length, c.Slabs).Centres(), Z: c.Fin.Centres(),
	}
	out.Base = rows(c.X.Count(), f.SourceFace)
	means := make([][]float64, in.Fins)
	hottest, highest := 0, 0.0
	for fin := range in.Fins {
		means[fin] = f.FinMean(fin)
		total := 0.0
		for _, v := range means[fin] {
			total += v
		}
		if total > highest {
			hottest, highest = fin, total
		}
		out.FinX = append(out.FinX, c.X.Centre(c.Roots[fin])*1e3)
		if fin > 0 {
			out.AirX = append(out.AirX, (c.X[c.Roots[fin-1]+1]+c.X[c.Roots[fin]])/2*1e3)
		}
	}
	out.Fin = rows(in.Fins, func(i, j int) float64 { return means[i][j] })
	if s.Stream != nil {
		out.Air = rows(in.Fins-1, func(i, j int) float64 { return f.Air(i)[j] })
	}
	out.Hottest = hottest + 1
	for _, layer := range f.Fin(hottest) {
		row := make([]float64, len(layer))
		for j, v := range layer {
			row[j] = in.Ambient + v
		}
		out.Profile = append(out.Profile, row)
	}
	return out
}

// sweepPoints is the maximum number of fin counts in a sweep.
const sweepPoints = 25

// sweep varies only the number of fins, as long as they fit. It takes equal steps from 2 or
// slightly more to twice the given number. The given number is one of the steps.
func (in *heatsinkIn) sweep(ctx context.Context, s *thermal.Sink) ([]heatsinkStep, error) {
	most := 2
	for n := 2; n <= 2*in.Fins; n++ {
		if (in.Width-float64(n)*in.Thickness)/float64(n-1) >= max(smallestGap, 0.2*in.Thickness) {
			most = n
		}
	}
	most = max(most, in.Fins)
	step := max(1, (most-2+sweepPoints-2)/(sweepPoints-1))
	var out []heatsinkStep
	for n := 2 + (in.Fins-2)%step; n <= most; n += step {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		other := *s
		other.Fins = n
		c := other.ClosedForm()
		out = append(out, heatsinkStep{n, other.Gap() * 1e3, c.Fins + c.Plate})
	}
	return out, nil
}

// maxJunctionC is the maximum junction temperature [°C] of most silicon devices.
const maxJunctionC = 150

// warn adds warnings about the input and the result.
func (in *heatsinkIn) warn(out *heatsinkOut, f *thermal.SinkField) {
	ignored := func(name string, given bool, why string) {
		if given {
			out.Warn("%s has no meaning %s and was ignored", name, why)
		}
	}
	if in.Convection == "natural" {
		for _, x := range []struct {
			name  string
			value *float64
		}{{"air_velocity_m_s", in.Velocity}, {"duct_width_mm", in.DuctWidth},
			{"duct_height_mm", in.DuctHeight}, {"fan_max_flow_m3_h", in.FanFlow},
			{"fan_max_pressure_pa", in.FanPressure}} {
			ignored(x.name, x.value != nil, "in natural convection")
		}
	} else {
		ignored("air_velocity_m_s", in.Velocity != nil && in.FanFlow != nil, "with a fan")
	}
	if out.Optimum != nil && in.Orientation == "vertical" {
		switch ratio := out.Spacing / *out.Optimum; {
		case ratio < 0.5:
			out.Warn(
				"the spacing of %.3g mm is less than half of the optimum of %.3g mm: fewer fins cool better",
				out.Spacing, *out.Optimum,
			)
		case ratio > 2:
			out.Warn(
				"the spacing of %.3g mm is more than twice the optimum of %.3g mm: there is room for more fins",
				out.Spacing, *out.Optimum,
			)
		}
	}
	if tolerance.Above(out.Max, maxJunctionC) {
		out.Warn(
			"the heat sink reaches %g °C, above the maximum junction temperature of most semiconductors, %d °C: use a larger heat sink, more air or less power",
			tolerance.RoundAbove(out.Max, maxJunctionC, 4), maxJunctionC)
	}
	if tolerance.Below(out.Efficiency, 0.6) {
		out.Warn("the fin efficiency is %g, below 0.6: use thicker or shorter fins",
			tolerance.RoundBelow(out.Efficiency, 0.6, 2))
	}
	if r := (out.BaseMean - in.Ambient) / in.Power / out.Correlation; r > 1.15 || r < 1/1.15 {
		out.Warn(
			"simulation and closed form differ by more than 15 %% (%.4g and %.4g K/W from the base to the air): the base is far from isothermal",
			(out.BaseMean-in.Ambient)/in.Power, out.Correlation,
		)
	}
	if out.Reynolds != nil && *out.Reynolds > thermal.LaminarLimit &&
		*out.Reynolds < thermal.TurbulentLimit {
		out.Warn(
			"Reynolds number %.0f: between laminar and turbulent flow the heat transfer and the pressure drop are uncertain",
			*out.Reynolds,
		)
	}
	if f.Unsettled > 1e-3 {
		out.Warn(
			"heat transfer coefficients and temperatures converged to %.2g %% only: temperatures differ too much along the heat sink for mean coefficients",
			f.Unsettled*100,
		)
	}
	if in.SourceWidth != nil || in.SourceLength != nil {
		if cells := f.SourceCells(); cells < 4 {
			out.Warn(
				"the source covers only %d cells of the grid along a side: its own temperature is uncertain",
				cells,
			)
		}
	}
}
