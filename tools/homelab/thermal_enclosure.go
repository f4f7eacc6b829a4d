package homelab

import (
	"context"
	"math"

	"slipstick/tools"
	"slipstick/tools/phys"
	"slipstick/tools/thermal"
	"slipstick/tools/tolerance"
)

// ThermalEnclosure computes the air temperature inside a cabinet.
var ThermalEnclosure = tools.Define(tools.Spec{
	Name:    "thermal_enclosure",
	Title:   "Enclosure temperature",
	Summary: "Temperature inside a sealed, vented or fan-cooled enclosure, with sun and wind, and the airflow or cooling it needs",
	Method: "Two nodes, the air inside and the wall. P = hi A (Ti - Tw) + m cp (Ti - Ta); hi A (Ti - Tw) + α G Asun = Σ over the exposed faces of (h + radiation) Aface (Tw - Ta); " +
		"1/hi = 1/internal_h + wall/k. Outside films: vertical faces Churchill and Chu, top 0.54 Ra^¼ or 0.15 Ra^⅓, bottom 0.27 Ra^¼ (area over perimeter), wind over a flat plate (Nu = 0.664 Re^½ Pr^⅓, above Re 5e5 (0.037 Re^0.8 - 871) Pr^⅓) joined to them by the cube root of the sum of cubes; " +
		"radiation ε σ (Tw² + Ta²)(Tw + Ta). Fan: m = ρ V. Vents: m = 0.6 ρ A1 A2/√(A1² + A2²) · √(2 g z (Ti - Ta)/Ti). Both temperatures by bracketing",
	Sources: []string{
		"S. W. Churchill and H. H. S. Chu, Correlating equations for laminar and turbulent free convection from a vertical plate, Int. J. Heat Mass Transfer 18 (1975) 1323-1329, equations 8 and 9",
		"F. P. Incropera and D. P. DeWitt, Fundamentals of Heat and Mass Transfer, 6th ed. 2007, equations 7.30, 7.38, 9.30 to 9.32",
		"IEC TR 60890:2014, table III (effective cooling area by place of installation)",
		"ASHRAE Handbook of Fundamentals, chapter Ventilation and Infiltration: flow caused by stack effect",
	},
	Limits: []string{
		"Steady state; the air inside is mixed, with no hot layer under the roof",
		"One wall temperature for all faces; the film inside is given, not computed",
		"Faces against a floor or a wall carry no heat",
		"A fan delivers the flow given; the pressure it works against is not computed",
	},
	Aliases: []string{"cabinet temperature", "enclosure heat rise", "NEMA enclosure",
		"temperature rise", "fan sizing"},
	Examples: []tools.Example{{
		Title: "Painted steel box of 48 by 36 by 16 inches, 300 W",
		In:    `{"width_mm": 914.4, "height_mm": 1219.2, "depth_mm": 406.4, "power_w": 300}`,
		Want:  `{"temperature_rise_c": 16.354, "u_w_m2k": 4.63, "iec60890_effective_area_m2": 3.4188, "warnings": []}`,
		From:  "the same equations solved independently; a maker's chart for painted boxes shows 16.7 K, and 5.5 W/(m²·K) on the area of IEC 60890 gives 15.95 K",
	}, {
		Title: "The same with a fan of 100 m³/h",
		In:    `{"width_mm": 914.4, "height_mm": 1219.2, "depth_mm": 406.4, "power_w": 300, "ventilation": "fan", "fan_flow_m3_h": 100}`,
		Want:  `{"temperature_rise_c": 6.011}`,
		From:  "the same equations solved independently",
	}, {
		Title: "The same box of bare aluminum",
		In:    `{"width_mm": 914.4, "height_mm": 1219.2, "depth_mm": 406.4, "power_w": 300, "material": "bare_aluminum"}`,
		Want:  `{"temperature_rise_c": 25.24}`,
		From:  "the same equations solved independently",
	}},
}, thermalEnclosure)

type enclosureIn struct {
	Width     float64  `json:"width_mm" unit:"mm" min:"10" max:"20000" example:"600" label:"Width" doc:"Width along the front"`
	Height    float64  `json:"height_mm" unit:"mm" min:"10" max:"20000" example:"1200" label:"Height" doc:"Height"`
	Depth     float64  `json:"depth_mm" unit:"mm" min:"10" max:"20000" example:"400" label:"Depth" doc:"Depth, front to rear"`
	Power     float64  `json:"power_w" unit:"W" min:"0" max:"1000000" example:"300" label:"Power dissipation" doc:"Heat released inside"`
	Ambient   float64  `json:"ambient_c" unit:"°C" min:"-100" max:"200" default:"25" label:"Ambient temperature" doc:"Temperature of air and surroundings"`
	Altitude  float64  `json:"altitude_m" unit:"m" min:"-500" max:"11000" default:"0" label:"Altitude" doc:"Altitude above sea level"`
	Material  string   `json:"material" enum:"painted_steel,stainless_steel,bare_aluminum,painted_aluminum,plastic" default:"painted_steel" label:"Material" doc:"Wall material; sets emissivity, conductivity and default thickness"`
	Wall      *float64 `json:"wall_thickness_mm" unit:"mm" min:"0" max:"1000" label:"Wall thickness" doc:"Wall thickness; default 1.5 mm steel, 2 mm aluminum, 3 mm plastic"`
	Mounting  string   `json:"mounting" enum:"free_standing,floor,wall,wall_floor" default:"free_standing" label:"Mounting" doc:"Covered faces: none, the bottom, the rear, or both"`
	Internal  float64  `json:"internal_h_w_m2k" unit:"W/(m²·K)" gt:"0" max:"10000" default:"10" label:"Internal heat transfer coefficient" doc:"Heat transfer coefficient inside, with radiation; 10 suits gently moving air"`
	Airflow   string   `json:"ventilation" enum:"sealed,vented,fan" default:"sealed" label:"Ventilation" doc:"sealed: no air exchange; vented: lower and upper openings; fan: forced ventilation"`
	Inlet     *float64 `json:"vent_inlet_cm2" unit:"cm²" gt:"0" max:"1000000" label:"Inlet opening" doc:"Free area of the lower opening; required when vented"`
	Outlet    *float64 `json:"vent_outlet_cm2" unit:"cm²" gt:"0" max:"1000000" label:"Outlet opening" doc:"Free area of the upper opening; default: same as the lower"`
	Stack     *float64 `json:"vent_height_mm" unit:"mm" gt:"0" max:"20000" label:"Vent height difference" doc:"Height between the centers of the openings; default 0.8 of the enclosure height"`
	FanFlow   *float64 `json:"fan_flow_m3_h" unit:"m³/h" gt:"0" max:"10000000" label:"Fan free-air flow" doc:"Free-air flow of the fan; required with a fan"`
	Filter    float64  `json:"filter_derate_pct" unit:"%" gt:"0" max:"100" default:"100" label:"Filter derating" doc:"Remaining share of the fan flow after filters and grilles"`
	Sun       float64  `json:"solar_irradiance_w_m2" unit:"W/m²" min:"0" max:"2000" default:"0" label:"Solar irradiance" doc:"Irradiance on the sunlit area; 1000 is full sun"`
	Absorbs   float64  `json:"solar_absorptivity" unit:"1" min:"0" max:"1" default:"0.7" label:"Solar absorptivity" doc:"Absorbed share of the sunlight"`
	Sunlit    *float64 `json:"sunlit_area_m2" unit:"m²" min:"0" max:"10000" label:"Sunlit area" doc:"Area perpendicular to the rays; default 0.7071 (W D + W H): sun at 45° on front and top"`
	Wind      float64  `json:"wind_m_s" unit:"m/s" min:"0" max:"100" default:"0" label:"Wind speed" doc:"Wind speed along every face"`
	MaxInside float64  `json:"max_internal_c" unit:"°C" min:"-100" max:"1000" default:"40" label:"Internal temperature limit" doc:"Limit for the internal air temperature, for the sizing of flow, cooling and power"`
}

type enclosureOut struct {
	Internal     float64          `json:"internal_temperature_c" unit:"°C" label:"Internal temperature" doc:"Air temperature inside"`
	Rise         float64          `json:"temperature_rise_c" unit:"K" label:"Temperature rise" doc:"Internal air temperature above ambient"`
	WallTemp     float64          `json:"wall_temperature_c" unit:"°C" label:"Wall temperature" doc:"Temperature of the outer wall faces"`
	Area         float64          `json:"surface_area_m2" unit:"m²" label:"Effective surface area" doc:"Area of the faces that dissipate heat"`
	U            *float64         `json:"u_w_m2k" unit:"W/(m²·K)" label:"U-value" doc:"Heat through the walls per area and temperature rise; null without a rise"`
	WallHeat     float64          `json:"heat_through_walls_w" unit:"W" label:"Heat through walls" doc:"Heat from the walls to the surroundings, solar gain included"`
	AirHeat      float64          `json:"heat_by_airflow_w" unit:"W" label:"Heat by airflow" doc:"Heat removed by the air exchange"`
	SolarGain    float64          `json:"solar_gain_w" unit:"W" label:"Solar gain" doc:"Absorbed solar heat; walls + airflow = power + solar gain"`
	Flow         float64          `json:"airflow_m3_h" unit:"m³/h" label:"Airflow" doc:"Air exchange, at ambient density"`
	RequiredFlow *float64         `json:"required_fan_flow_m3_h" unit:"m³/h" label:"Required fan flow" doc:"Free-air flow of the fan, filters included, that holds max_internal_c; null when that is not above ambient"`
	RequiredCool float64          `json:"required_cooling_w" unit:"W" label:"Required cooling power" doc:"Cooling power of an air conditioner that holds max_internal_c with the enclosure closed"`
	MaxPower     float64          `json:"max_power_w" unit:"W" label:"Maximum power" doc:"Power at which the internal air reaches max_internal_c with this ventilation; 0 when it does so without power dissipation"`
	Effective    float64          `json:"iec60890_effective_area_m2" unit:"m²" label:"IEC 60890 effective area" doc:"Effective cooling area of IEC 60890"`
	Curve        []enclosurePoint `json:"curve" plot:"power_w" label:"Rise over power" doc:"Temperature rise over power, from zero to twice the power, or to 200 W for no power"`
	tools.Warnings
}

type enclosurePoint struct {
	Power float64 `json:"power_w" unit:"W" label:"Power" doc:"Heat released inside"`
	Rise  float64 `json:"temperature_rise_c" unit:"K" label:"Temperature rise" doc:"Internal air temperature above ambient"`
}

// enclosureMaterial is a wall material.
type enclosureMaterial struct {
	name         string
	emissivity   float64
	conductivity float64 // [W/(m·K)]
	wall         float64 // typical thickness [mm]
}

var enclosureMaterials = []enclosureMaterial{
	{"painted_steel", 0.9, 50, 1.5},
	{"stainless_steel", 0.3, 15, 1.5},
	{"bare_aluminum", 0.1, 200, 2},
	{"painted_aluminum", 0.9, 200, 2},
	{"plastic", 0.9, 0.2, 3},
}

func thermalEnclosure(ctx context.Context, in enclosureIn) (enclosureOut, error) {
	var out enclosureOut
	if err := in.check(); err != nil {
		return out, err
	}
	e := newEnclosure(in)
	rise, wall := e.balance(in.Power)
	out.Rise, out.Internal = rise, in.Ambient+rise
	out.WallTemp = in.Ambient + wall
	out.Area = e.area
	out.WallHeat, out.AirHeat, out.SolarGain = e.outside(wall), e.airHeat(rise), e.sun
	out.Flow = e.flow(rise) * 3600
	if rise > 0 {
		u := e.inside * (rise - wall) / rise
		out.U = &u
	}
	limit := in.MaxInside - in.Ambient
	through := e.inside * e.area * (limit - e.wall(limit))
	out.RequiredCool = max(0, in.Power-through)
	if limit > 0 {
		flow := max(0, in.Power-through) / (e.density * thermal.SpecificHeat * limit) * 3600
		flow /= in.Filter / 100
		out.RequiredFlow = &flow
		out.MaxPower = max(0, through+e.airHeat(limit))
	}
	out.Effective = in.effectiveArea()
	const points = 20
	const defaultStep = 10 // [W]
	step := in.Power / (points / 2)
	if step == 0 {
		step = defaultStep
	}
	for i := range points + 1 {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		p := step * float64(i)
		rise, _ := e.balance(p)
		out.Curve = append(out.Curve, enclosurePoint{p, rise})
	}
	in.warn(&out)
	return out, nil
}

func (in *enclosureIn) check() error {
	var f tools.FieldErrors
	if in.Airflow == "vented" && in.Inlet == nil {
		f.Add("vent_inlet_cm2",
			"is required when ventilation is vented: the free area of the lower opening in cm²")
	}
	if in.Airflow == "fan" && in.FanFlow == nil {
		f.Add("fan_flow_m3_h", "is required when ventilation is fan: the flow in m³/h")
	}
	if in.Airflow == "vented" && in.Stack != nil && *in.Stack > in.Height {
		f.AddValue("vent_height_mm", *in.Stack, "is more than the height of the enclosure, %g mm",
			in.Height)
	}
	return f.Err()
}

func (in *enclosureIn) warn(out *enclosureOut) {
	ignored := func(name string, given bool) {
		if given {
			out.Warn("%s has no meaning with ventilation %s and was ignored", name, in.Airflow)
		}
	}
	if in.Airflow != "vented" {
		ignored("vent_inlet_cm2", in.Inlet != nil)
		ignored("vent_outlet_cm2", in.Outlet != nil)
		ignored("vent_height_mm", in.Stack != nil)
	}
	if in.Airflow != "fan" {
		ignored("fan_flow_m3_h", in.FanFlow != nil)
		ignored("filter_derate_pct", in.Airflow == "vented" && in.Filter != 100)
	}
	if tolerance.Above(out.Rise, 40) {
		out.Warn("the air inside is %g K above ambient, more than 40 K; use ventilation, a fan or a larger enclosure",
			tolerance.RoundAbove(out.Rise, 40, 3))
	}
	if tolerance.Above(out.Internal, 55) {
		out.Warn("the air inside reaches %g °C, above 55 °C, the limit of most equipment; see required_fan_flow_m3_h and required_cooling_w for max_internal_c",
			tolerance.RoundAbove(out.Internal, 55, 3))
	}
	if tolerance.Above(out.SolarGain, in.Power) && out.SolarGain > 0 {
		out.Warn(
			"the solar gain of %g W is above the %g W inside: shade or a light color helps more than ventilation",
			tolerance.RoundAbove(out.SolarGain, in.Power, 4), in.Power,
		)
	}
	if in.Airflow == "fan" && in.MaxInside <= in.Ambient {
		out.Warn(
			"no fan can reach max_internal_c %g °C: it is not above the ambient temperature of %g °C; cool with required_cooling_w",
			in.MaxInside, in.Ambient,
		)
	}
}

// effectiveArea weights the faces as in IEC 60890: an open top 1.4, open sides 0.9, a rear against
// a wall 0.5, the bottom 0.
func (in *enclosureIn) effectiveArea() float64 {
	w, h, d := in.Width/1e3, in.Height/1e3, in.Depth/1e3
	rear := 0.9
	if in.Mounting == "wall" || in.Mounting == "wall_floor" {
		rear = 0.5
	}
	return 1.4*w*d + 0.9*2*h*d + 0.9*w*h + rear*w*h
}

// enclosure is a cabinet in SI units. Temperatures are rises above ambient [K].
type enclosure struct {
	ambient, altitude float64
	emissivity, wind  float64
	inside            float64 // coefficient from the air to the outer face of the wall [W/(m²·K)]
	sun               float64 // [W]
	density           float64 // density of the incoming air [kg/m³]
	area              float64
	faces             []enclosureFace
	fan               float64 // [m³/s]
	// vents is 0.6 A1 A2/√(A1² + A2²) · √(2 g z). The flow [m³/s] is this value times √(rise/T).
	vents float64
}

type enclosureFace struct {
	area, length float64 // characteristic length of natural convection [m]
	along        float64 // length along the wind [m]
	facing       int     // 1 up, -1 down, 0 to a side
}

func newEnclosure(in enclosureIn) enclosure {
	w, h, d := in.Width/1e3, in.Height/1e3, in.Depth/1e3
	e := enclosure{ambient: in.Ambient + phys.ZeroC, altitude: in.Altitude, wind: in.Wind}
	e.density = thermal.AirAt(e.ambient, e.altitude).Density
	for _, m := range enclosureMaterials {
		if m.name != in.Material {
			continue
		}
		wall := m.wall
		if in.Wall != nil {
			wall = *in.Wall
		}
		e.emissivity = m.emissivity
		e.inside = 1 / (1/in.Internal + wall/1e3/m.conductivity)
	}
	flat := w * d / (2 * (w + d))
	e.faces = []enclosureFace{
		{w * h, h, w, 0}, {d * h, h, d, 0}, {d * h, h, d, 0},
		{w * d, flat, max(w, d), 1},
	}
	if in.Mounting == "free_standing" || in.Mounting == "floor" {
		e.faces = append(e.faces, enclosureFace{w * h, h, w, 0})
	}
	if in.Mounting == "free_standing" || in.Mounting == "wall" {
		e.faces = append(e.faces, enclosureFace{w * d, flat, max(w, d), -1})
	}
	for _, f := range e.faces {
		e.area += f.area
	}
	sunlit := math.Sqrt(0.5) * (w*d + w*h)
	if in.Sunlit != nil {
		sunlit = *in.Sunlit
	}
	e.sun = in.Absorbs * in.Sun * sunlit
	switch in.Airflow {
	case "fan":
		e.fan = *in.FanFlow / 3600 * in.Filter / 100
	case "vented":
		inlet := *in.Inlet / 1e4
		outlet, stack := inlet, 0.8*h
		if in.Outlet != nil {
			outlet = *in.Outlet / 1e4
		}
		if in.Stack != nil {
			stack = *in.Stack / 1e3
		}
		e.vents = 0.6 * inlet * outlet / math.Hypot(inlet, outlet) * math.Sqrt(2*phys.Gravity*stack)
	}
	return e
}

// outside returns the heat that the walls dissipate at the given rise above ambient.
func (e *enclosure) outside(wall float64) float64 {
	air := thermal.AirAt(e.ambient+wall/2, e.altitude)
	q := 0.0
	for _, f := range e.faces {
		var h float64
		switch {
		case f.facing == 0:
			h = thermal.VerticalPlate(air, wall, f.length)
		case float64(f.facing)*wall > 0: // a warm top or a cold bottom, where air can escape
			h = thermal.UpwardPlate(air, wall, f.length)
		default:
			h = thermal.DownwardPlate(air, wall, f.length)
		}
		if e.wind > 0 {
			h = thermal.Mixed(h, thermal.WindPlate(air, e.wind, f.along))
		}
		h += e.emissivity * thermal.RadiantFilm(e.ambient+wall, e.ambient)
		q += h * f.area * wall
	}
	return q
}

// wall returns the temperature rise of the wall for a given rise of the inside air.
func (e *enclosure) wall(rise float64) float64 {
	excess := func(wall float64) float64 {
		return e.outside(wall) - e.inside*e.area*(rise-wall) - e.sun
	}
	return thermal.Root(min(rise, 0), max(rise, 0)+e.sun/(e.inside*e.area), excess)
}

// flow returns the air exchange [m³/s] at ambient density.
func (e *enclosure) flow(rise float64) float64 {
	if e.vents > 0 && rise > 0 {
		return e.vents * math.Sqrt(rise/(e.ambient+rise))
	}
	return e.fan
}

func (e *enclosure) airHeat(rise float64) float64 {
	return e.density * e.flow(rise) * thermal.SpecificHeat * rise
}

// balance returns the temperature rises of the inside air and the wall for the given power. It
// solves for the rise of the wall, which determines the rise of the air.
func (e *enclosure) balance(power float64) (rise, wall float64) {
	conductance := e.inside * e.area
	above := func(wall float64) float64 { return wall + (e.outside(wall)-e.sun)/conductance }
	wall = thermal.RootAbove(0, 10, func(wall float64) float64 {
		return e.outside(wall) - e.sun + e.airHeat(above(wall)) - power
	})
	return above(wall), wall
}
