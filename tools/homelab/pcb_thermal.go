package homelab

import (
	"context"
	"fmt"
	"math"

	"slipstick/tools"
	"slipstick/tools/choice"
	"slipstick/tools/phys"
	"slipstick/tools/thermal"
	"slipstick/tools/tolerance"
)

// PCBThermal computes the temperature of a circuit board under its parts.
var PCBThermal = tools.Define(tools.Spec{
	Name:    "pcb_thermal",
	Title:   "Circuit board temperature",
	Summary: "Temperature field of a circuit board with heat sources, copper layers, thermal vias, convection and radiation",
	Method: "Two coupled sheets, the upper and the lower half of the board. In-plane conductance " +
		"of a sheet: kt = Σ 390 · 35 µm · oz · coverage + k_substrate_in_plane · d/2, with d the " +
		"board thickness less all copper. Between the sheets: g = k_substrate_through/d plus the " +
		"thermal vias, n · 390 · π (D p - p²) / thickness for drill D and plating p, spread over " +
		"the part. Finite volumes of at most 1 mm (or a hundredth of the side), parts by exact " +
		"overlap; conjugate gradients on a multigrid cycle. Each face gives off heat by " +
		"convection, with properties and difference at the mean of the face. Vertical: Churchill " +
		"and Chu; horizontal: 0.54 Ra^¼ or 0.15 Ra^⅓ up, 0.27 Ra^¼ down. Forced: flat plate " +
		"along the width, Nu = 0.664 Re^½ Pr^⅓, above Re 5e5 (0.037 Re^0.8 - 871) Pr^⅓. It is " +
		"joined with the natural film by the cube root of the sum of cubes. Radiation is ε σ (T⁴ " +
		"- Ta⁴) at each place. Convection and radiation are repeated until they agree with the " +
		"temperatures. Junction = mean board temperature under the part + power · θjb",
	Sources: []string{
		"S. W. Churchill and H. H. S. Chu, Correlating equations for laminar and turbulent free convection from a vertical plate, Int. J. Heat Mass Transfer 18 (1975) 1323-1329, equations 8 and 9",
		"F. P. Incropera and D. P. DeWitt, Fundamentals of Heat and Mass Transfer, 6th ed. 2007, equations 7.30, 7.38, 9.30 to 9.32",
		"S. V. Patankar, Numerical Heat Transfer and Fluid Flow, 1980, chapter 4 (finite volumes)",
	},
	Limits: []string{
		"Copper is spread evenly over each layer; traces, planes with cuts and thermal reliefs are not resolved",
		"Parts are heat sources on the board; heat that leaves through their own tops and leads is not modelled",
		"The edges give off no heat, the board is not in contact with a housing, and both faces see surroundings at ambient temperature",
		"Steady state; conductivities do not change with temperature",
		"Grid of about 9000 cells a sheet: halving the cells changes the rise under a part by less than 0.5 %",
	},
	Aliases: []string{"pcb temperature", "board thermal", "thermal vias", "junction temperature",
		"heat spreading"},
	Examples: []tools.Example{{
		Title: "2 W regulator in the middle of a two-layer board, fixed films",
		In: `{"board_width_mm": 100, "board_height_mm": 80, "components": [{"name": "U1", "x_mm": 50, "y_mm": 40, "width_mm": 10, "height_mm": 10, "power_w": 2, "side": "top"}],
			"h_top_w_m2k": 10, "h_bottom_w_m2k": 8, "emissivity": 0}`,
		Want: `{"average_board_temperature_c": 38.858, "components": [{"board_temperature_c": 81.3}], "radiation_w": 0, "convection_w": 2.0000, "warnings": []}`,
		From: "cosine series solution of the two sheets, summed to 400 by 400 terms: mean 38.858, under the part 81.27",
	}, {
		Title: "The same in still air, with 25 thermal vias",
		In: `{"board_width_mm": 100, "board_height_mm": 80, "components": [{"name": "U1", "x_mm": 50, "y_mm": 40, "width_mm": 10, "height_mm": 10, "power_w": 2, "side": "top",
			"via_count": 25, "theta_jb_k_w": 12}]}`,
		Want: `{"components": [{"via_resistance_k_w": 7.598}], "in_plane_conductivity_w_mk": 9.296}`,
		From: "by hand: 1.6 mm / (25 · 390 · π (0.3 · 0.025 - 0.025²) mm²); (390 · 0.035 · 0.5 · 2 + 0.8 · 1.53)/1.6",
	}, {
		Title: "One thermal via of 0.3 mm, and the change by the grid",
		In:    `{"board_width_mm": 100, "board_height_mm": 80, "grid_check": true, "components": [{"x_mm": 50, "y_mm": 40, "width_mm": 10, "height_mm": 10, "power_w": 2, "via_count": 1}]}`,
		Want:  `{"components": [{"via_resistance_k_w": 189.947}], "grid_change_pct": 0.06}`,
		From:  "by hand: 190 K/W a via",
	}},
}, pcbThermal)

type pcbThermalIn struct {
	BoardWidth    float64        `json:"board_width_mm" unit:"mm" min:"1" max:"2000" example:"100" label:"Board width" doc:"Board size along x"`
	BoardHeight   float64        `json:"board_height_mm" unit:"mm" min:"1" max:"2000" example:"80" label:"Board height" doc:"Board size along y, the vertical side of an upright board"`
	Thickness     float64        `json:"thickness_mm" unit:"mm" min:"0.05" max:"20" default:"1.6" label:"Board thickness" doc:"Board thickness with copper"`
	Layers        []pcbLayer     `json:"layers" minItems:"1" maxItems:"64" default:"[{\"copper_oz\":1,\"coverage_pct\":50},{\"copper_oz\":1,\"coverage_pct\":50}]" label:"Copper layers" doc:"Copper layers from top to bottom; with an odd number the middle layer counts half to each side, a single layer is on top"`
	Components    []pcbComponent `json:"components" minItems:"1" maxItems:"500" label:"Components" doc:"Heat sources"`
	Ambient       float64        `json:"ambient_c" unit:"°C" min:"-100" max:"500" default:"25" label:"Ambient temperature" doc:"Temperature of the air and of the surroundings"`
	FilmTop       *float64       `json:"h_top_w_m2k" unit:"W/(m²·K)" gt:"0" max:"100000" label:"Heat transfer coefficient, top" doc:"Fixed heat transfer coefficient of the top face, in place of the computed one; radiation is added only with a given emissivity"`
	FilmBottom    *float64       `json:"h_bottom_w_m2k" unit:"W/(m²·K)" gt:"0" max:"100000" label:"Heat transfer coefficient, bottom" doc:"Fixed heat transfer coefficient of the bottom face, as h_top_w_m2k for the top"`
	Emissivity    *float64       `json:"emissivity" unit:"1" min:"0" max:"1" label:"Emissivity" doc:"Emissivity of both faces; default 0.9 (solder mask), 0 means no radiation"`
	Convection    string         `json:"convection" enum:"natural,forced" default:"natural" label:"Convection" doc:"natural: still air; forced: airflow along the width"`
	Velocity      *float64       `json:"air_velocity_m_s" unit:"m/s" gt:"0" max:"100" label:"Air velocity" doc:"Velocity of the airflow; required when forced"`
	Orientation   string         `json:"orientation" enum:"vertical,horizontal" default:"vertical" label:"Orientation" doc:"vertical: on its lower edge; horizontal: top face up"`
	Altitude      float64        `json:"altitude_m" unit:"m" min:"-500" max:"11000" default:"0" label:"Altitude" doc:"Altitude above sea level"`
	SubstratePlan float64        `json:"k_substrate_in_plane" unit:"W/(m·K)" min:"0.01" max:"500" default:"0.8" label:"In-plane conductivity" doc:"Thermal conductivity of the laminate along the board"`
	SubstrateThru float64        `json:"k_substrate_through" unit:"W/(m·K)" min:"0.01" max:"500" default:"0.3" label:"Through-plane conductivity" doc:"Thermal conductivity of the laminate through the board"`
	MaxAllowed    float64        `json:"max_allowed_c" unit:"°C" min:"-100" max:"2000" default:"105" label:"Temperature limit" doc:"Temperature limit of board and junctions; above it a warning names the parts"`
	GridCheck     bool           `json:"grid_check" default:"false" label:"Grid check" doc:"Solves again with cells twice as long; gives grid_change_pct"`
}

type pcbLayer struct {
	Copper   float64 `json:"copper_oz" unit:"oz/ft²" min:"0" max:"60" label:"Copper weight" doc:"Copper weight; 1 oz/ft² is 35 µm"`
	Coverage float64 `json:"coverage_pct" unit:"%" min:"0" max:"100" default:"50" label:"Copper coverage" doc:"Share of the layer that is copper"`
}

type pcbComponent struct {
	Name     string  `json:"name" maxLength:"100" default:"" label:"Reference" doc:"Reference designator; default: its position in the list"`
	X        float64 `json:"x_mm" unit:"mm" min:"0" max:"2000" label:"X position" doc:"Position of the center, from the left edge"`
	Y        float64 `json:"y_mm" unit:"mm" min:"0" max:"2000" label:"Y position" doc:"Position of the center, from the lower edge"`
	Width    float64 `json:"width_mm" unit:"mm" min:"0.05" max:"2000" label:"Width" doc:"Size of the heated area along x"`
	Height   float64 `json:"height_mm" unit:"mm" min:"0.05" max:"2000" label:"Height" doc:"Size of the heated area along y"`
	Power    float64 `json:"power_w" unit:"W" min:"0" max:"10000" label:"Power" doc:"Heat dissipated into the board"`
	Side     string  `json:"side" enum:"top,bottom" default:"top" label:"Side" doc:"Board side of the part"`
	ViaCount int     `json:"via_count" unit:"1" min:"0" max:"100000" default:"0" label:"Thermal vias" doc:"Number of thermal vias under the part"`
	ViaDrill float64 `json:"via_drill_mm" unit:"mm" min:"0.02" max:"20" default:"0.3" label:"Via drill" doc:"Drill of a via"`
	Plating  float64 `json:"via_plating_um" unit:"µm" min:"1" max:"2000" default:"25" label:"Via plating" doc:"Thickness of the copper plating in the hole"`
	ThetaJB  float64 `json:"theta_jb_k_w" unit:"K/W" min:"0" max:"10000" default:"0" label:"θJB" doc:"Thermal resistance from junction to board"`
}

type pcbThermalOut struct {
	Max          float64             `json:"max_temperature_c" unit:"°C" label:"Maximum board temperature" doc:"Temperature of the hottest point of the board"`
	HotSpot      pcbPlace            `json:"hot_spot" label:"Hot spot" doc:"Position of the highest temperature"`
	Average      float64             `json:"average_board_temperature_c" unit:"°C" label:"Average board temperature" doc:"Mean temperature of both sides"`
	Components   []pcbComponentState `json:"components" label:"Components" doc:"Temperatures of the components, in the order given"`
	InPlane      float64             `json:"in_plane_conductivity_w_mk" unit:"W/(m·K)" label:"In-plane conductivity" doc:"In-plane thermal conductivity of the whole board"`
	FilmTop      float64             `json:"film_top_w_m2k" unit:"W/(m²·K)" label:"Heat transfer coefficient, top" doc:"Convective heat transfer coefficient of the top face"`
	FilmBottom   float64             `json:"film_bottom_w_m2k" unit:"W/(m²·K)" label:"Heat transfer coefficient, bottom" doc:"Convective heat transfer coefficient of the bottom face"`
	Power        float64             `json:"total_power_w" unit:"W" label:"Total power" doc:"Power of all parts"`
	Convection   float64             `json:"convection_w" unit:"W" label:"Convection" doc:"Heat by convection"`
	Radiation    float64             `json:"radiation_w" unit:"W" label:"Radiation" doc:"Heat by radiation; with convection_w it equals the power"`
	BalanceError float64             `json:"energy_balance_error_pct" unit:"%" label:"Energy balance error" doc:"Share of the power that the solution does not account for"`
	Field        pcbField            `json:"temperature_field" label:"Temperature field" doc:"Temperatures of all cells"`
	GridChange   *float64            `json:"grid_change_pct" unit:"%" label:"Grid change" doc:"Change of the maximum temperature rise when cells of twice the length are halved; the remaining error is about a third of it; null without grid_check"`
	tools.Warnings
}

type pcbPlace struct {
	X    float64 `json:"x_mm" unit:"mm" label:"X position" doc:"From the left edge"`
	Y    float64 `json:"y_mm" unit:"mm" label:"Y position" doc:"From the lower edge"`
	Side string  `json:"side" label:"Side" doc:"top or bottom"`
}

type pcbComponentState struct {
	Name     string   `json:"name" label:"Reference" doc:"Reference designator"`
	Board    float64  `json:"board_temperature_c" unit:"°C" label:"Board temperature" doc:"Mean board temperature under the part"`
	BoardMax float64  `json:"max_board_temperature_c" unit:"°C" label:"Maximum board temperature" doc:"Highest board temperature under the part"`
	Junction float64  `json:"junction_temperature_c" unit:"°C" label:"Junction temperature" doc:"Board temperature + power · θjb"`
	Vias     *float64 `json:"via_resistance_k_w" unit:"K/W" label:"Via thermal resistance" doc:"Thermal resistance of all vias of the part; null without vias"`
	ThetaJA  *float64 `json:"theta_ja_k_w" unit:"K/W" label:"Effective θJA" doc:"Junction temperature above ambient per watt of this part, including the heat of the other parts; null without power"`
}

type pcbField struct {
	X      []float64   `json:"x_mm" unit:"mm" label:"X position" doc:"Centers of the columns"`
	Y      []float64   `json:"y_mm" unit:"mm" label:"Y position" doc:"Centers of the rows"`
	Top    [][]float64 `json:"top_c" unit:"°C" label:"Top side" doc:"Temperature of the top side, row by row from the lower edge"`
	Bottom [][]float64 `json:"bottom_c" unit:"°C" label:"Bottom side" doc:"Temperature of the bottom side, row by row from the lower edge"`
}

// copperConductivity is the thermal conductivity of copper in the tool's specification.
const copperConductivity = 390.0 // [W/(m·K)]

func pcbThermal(ctx context.Context, in pcbThermalIn) (pcbThermalOut, error) {
	var out pcbThermalOut
	if err := in.check(); err != nil {
		return out, err
	}
	b := newPCBModel(in, pcbPitch(in.BoardWidth, in.BoardHeight))
	if err := b.solve(ctx); err != nil {
		return out, err
	}
	b.report(&out)
	if in.GridCheck {
		coarse := newPCBModel(in, 2*pcbPitch(in.BoardWidth, in.BoardHeight))
		if err := coarse.solve(ctx); err != nil {
			return out, err
		}
		var check pcbThermalOut
		coarse.report(&check)
		out.GridChange = new(100 * (out.Max - check.Max) / (out.Max - in.Ambient))
		warnGrid(&out.Warnings, *out.GridChange)
	}
	in.warn(&out, b)
	return out, nil
}

func (in *pcbThermalIn) check() error {
	var f tools.FieldErrors
	copper, power := 0.0, 0.0
	for _, l := range in.Layers {
		copper += l.Copper * phys.OunceCopper * 1e3
	}
	if !tolerance.Above(in.Thickness, copper) {
		f.AddValue("thickness_mm", in.Thickness,
			"must be above %g mm, the thickness of the copper of all layers",
			tolerance.RoundUp(copper, 4))
	}
	if in.Convection == "forced" && in.Velocity == nil &&
		(in.FilmTop == nil || in.FilmBottom == nil) {
		f.Add("air_velocity_m_s",
			"is required when convection is forced: the speed of the stream in m/s")
	}
	for i, c := range in.Components {
		at := func(field string) string { return fmt.Sprintf("components[%d].%s", i, field) }
		power += c.Power
		const slack = 1e-9 // tolerates rounding for a part that ends on the board edge
		if c.X-c.Width/2 < -slack || c.X+c.Width/2 > in.BoardWidth+slack {
			f.AddValue(at("x_mm"), c.X,
				"the part reaches from %g to %g mm, off the board, which is 0 to %g mm wide",
				tolerance.RoundDown(c.X-c.Width/2, 9), tolerance.RoundUp(c.X+c.Width/2, 9),
				in.BoardWidth)
		}
		if c.Y-c.Height/2 < -slack || c.Y+c.Height/2 > in.BoardHeight+slack {
			f.AddValue(at("y_mm"), c.Y,
				"the part reaches from %g to %g mm, off the board, which is 0 to %g mm high",
				tolerance.RoundDown(c.Y-c.Height/2, 9), tolerance.RoundUp(c.Y+c.Height/2, 9),
				in.BoardHeight)
		}
		if c.ViaCount == 0 {
			continue
		}
		if c.Plating/1e3 > c.ViaDrill/2 {
			f.AddValue(at("via_plating_um"), c.Plating, "is more than half of the drill of %g mm",
				c.ViaDrill)
		}
		if drilled := float64(c.ViaCount) * math.Pi / 4 * c.ViaDrill * c.ViaDrill; tolerance.Above(
			drilled, c.Width*c.Height) {
			f.AddValue(at("via_count"), c.ViaCount,
				"the drills alone take %g mm² and the part has %g mm²",
				tolerance.RoundUp(drilled, 4), tolerance.RoundDown(c.Width*c.Height, 4))
		}
	}
	if power == 0 {
		f.Add("components",
			"all parts together have no power; at least one power_w must be above 0")
	}
	return f.Err()
}

// shownOverlaps is the maximum number of overlapping pairs that a warning names.
const shownOverlaps = 10

// warn adds warnings about the input and the result.
func (in *pcbThermalIn) warn(out *pcbThermalOut, b *pcbModel) {
	if in.FilmTop != nil && in.FilmBottom != nil {
		choice.Ignored(&out.Warnings, "both heat transfer coefficients are fixed",
			choice.Of("convection", in.Convection != "natural"),
			choice.Of("air_velocity_m_s", in.Velocity != nil),
			choice.Of("orientation", in.Orientation != "vertical"),
			choice.Of("altitude_m", in.Altitude != 0))
	} else if in.Convection == "natural" && in.Velocity != nil {
		out.Warn("air_velocity_m_s has no meaning in natural convection and was ignored")
	}
	overlaps := 0
	for i, c := range in.Components {
		if c.Width/1e3 < b.sheets.DX || c.Height/1e3 < b.sheets.DY {
			out.Warn(
				"%s is smaller than a cell of the grid (%.3g by %.3g mm): its heat is spread over the cell, and it will be hotter than shown",
				b.name(i), b.sheets.DX*1e3, b.sheets.DY*1e3,
			)
		}
		for k := range i {
			o := in.Components[k]
			if o.Side == c.Side && math.Abs(o.X-c.X) < (o.Width+c.Width)/2*(1-1e-9) &&
				math.Abs(o.Y-c.Y) < (o.Height+c.Height)/2*(1-1e-9) {
				if overlaps++; overlaps <= shownOverlaps {
					out.Warn("%s and %s overlap on the %s side", b.name(k), b.name(i), c.Side)
				}
			}
		}
	}
	if overlaps > shownOverlaps {
		out.Warn("%d more pairs of parts overlap", overlaps-shownOverlaps)
	}
	if out.Max > in.MaxAllowed {
		out.Warn("the board reaches %g °C, above max_allowed_c %g °C; add copper, vias or airflow",
			tolerance.RoundAbove(out.Max, in.MaxAllowed, 4), in.MaxAllowed)
	}
	for _, c := range out.Components {
		if c.Junction > in.MaxAllowed && c.Junction > out.Max {
			out.Warn("the junction of %s reaches %g °C, above max_allowed_c %g °C; add copper, vias or airflow",
				c.Name, tolerance.RoundAbove(c.Junction, in.MaxAllowed, 4), in.MaxAllowed)
		}
	}
	if tolerance.Above(out.Max, 130) {
		out.Warn("the board reaches %g °C, above 130 °C, the glass transition of common FR-4",
			tolerance.RoundAbove(out.Max, 130, 4))
	}
	for i, l := range in.Layers {
		if l.Coverage < 20 && l.Copper > 0 {
			out.Warn(
				"layers[%d] is covered to %g %%: below 20 %% the copper is not continuous, and the computed heat spreading is optimistic",
				i, l.Coverage,
			)
		}
	}
}

// pcbModel is a board on its grid. Lengths are in metres, temperature rises above ambient in
// kelvin.
type pcbModel struct {
	in         pcbThermalIn
	x, y       thermal.Cells
	sheets     thermal.Sheets
	rise       []float64
	source     []float64 // heat per cell [W]
	ambient    float64   // [K]
	emissivity [2]float64
	fixed      [2]*float64
	film       [2]float64 // convective [W/(m²·K)]
}

// pcbPitch returns the size of a square cell. It is 1/104 of the longer side; a slender board has
// proportionally smaller cells, down to 1/256.
func pcbPitch(w, h float64) float64 {
	longer := max(w, h)
	return min(longer/104, max(math.Sqrt(w*h)/95, longer/256))
}

// pcbCellsMin is the minimum number of cells along a side.
const pcbCellsMin = 8

// gridLimit is the change between grids [%] above which a warning is added.
const gridLimit = 3

// warnGrid adds a warning if the solution depends on the grid.
func warnGrid(w *tools.Warnings, changePct float64) {
	if math.Abs(changePct) > gridLimit {
		w.Warn(
			"the highest rise changes by %.2g %% from cells twice as long: sources near the size of a cell are uncertain",
			changePct,
		)
	}
}

// newPCBModel creates the model of a board with a cell pitch in mm.
func newPCBModel(in pcbThermalIn, pitch float64) *pcbModel {
	count := func(side float64) int { return max(pcbCellsMin, int(math.Ceil(side/pitch*(1-1e-9)))) }
	b := &pcbModel{
		in: in, ambient: in.Ambient + phys.ZeroC,
		x: thermal.Uniform(in.BoardWidth/1e3, count(in.BoardWidth)),
		y: thermal.Uniform(in.BoardHeight/1e3, count(in.BoardHeight)),
	}
	b.fixed = [2]*float64{in.FilmTop, in.FilmBottom}
	for s, fixed := range b.fixed {
		switch {
		case in.Emissivity != nil:
			b.emissivity[s] = *in.Emissivity
		case fixed == nil:
			b.emissivity[s] = 0.9
		}
	}
	nx, ny := b.x.Count(), b.y.Count()
	b.sheets = thermal.Sheets{
		NX: nx, NY: ny, DX: b.x.Width(0), DY: b.y.Width(0),
		Link: make([]float64, nx*ny), Film: make([]float64, 2*nx*ny),
	}
	var dielectric float64
	b.sheets.Lateral, dielectric = in.sheets()
	area := b.sheets.DX * b.sheets.DY
	for c := range b.sheets.Link {
		b.sheets.Link[c] = in.SubstrateThru / dielectric * area
	}
	b.source = make([]float64, b.sheets.Unknowns())
	for i, part := range in.Components {
		vias := 0.0
		if part.ViaCount > 0 {
			vias = 1 / part.viaResistance(in.Thickness)
		}
		b.under(i, func(cell int, share float64) {
			b.source[cell] += part.Power * share
			b.sheets.Link[cell/2] += vias * share
		})
	}
	return b
}

// sheets returns the lateral conductance of both halves [W/K] and the thickness of the laminate
// [m].
func (in *pcbThermalIn) sheets() (lateral [2]float64, dielectric float64) {
	n := len(in.Layers)
	dielectric = in.Thickness / 1e3
	for i, l := range in.Layers {
		copper := l.Copper * phys.OunceCopper
		dielectric -= copper
		spread := copperConductivity * copper * l.Coverage / 100
		switch {
		case n == 1 || 2*i+1 < n:
			lateral[0] += spread
		case 2*i+1 == n:
			lateral[0] += spread / 2
			lateral[1] += spread / 2
		default:
			lateral[1] += spread
		}
	}
	for s := range lateral {
		lateral[s] += in.SubstratePlan * dielectric / 2
	}
	return lateral, dielectric
}

// viaResistance returns the thermal resistance [K/W] of all vias of a part in parallel. thickness
// is the thickness of the board in mm.
func (c pcbComponent) viaResistance(thickness float64) float64 {
	p := c.Plating / 1e3
	ring := math.Pi * (c.ViaDrill*p - p*p) // [mm²]
	return thickness / (float64(c.ViaCount) * copperConductivity * ring) * 1e3
}

// under calls f for every cell below part i, on its side, with the cell's share of the part.
func (b *pcbModel) under(i int, f func(cell int, share float64)) {
	c := b.in.Components[i]
	side := 0
	if c.Side == "bottom" {
		side = 1
	}
	x0, x1, y0, y1 := (c.X-c.Width/2)/1e3, (c.X+c.Width/2)/1e3, (c.Y-c.Height/2)/1e3,
		(c.Y+c.Height/2)/1e3
	x0, x1, y0, y1 = max(x0, 0), min(x1, b.in.BoardWidth/1e3), max(y0, 0),
		min(y1, b.in.BoardHeight/1e3)
	first := func(edge, cell float64) int { return max(0, int(edge/cell)-1) }
	for j := first(y0, b.sheets.DY); j < b.sheets.NY && b.y[j] < y1; j++ {
		dy := b.y.Overlap(j, y0, y1)
		for k := first(x0, b.sheets.DX); k < b.sheets.NX && b.x[k] < x1; k++ {
			if dx := b.x.Overlap(k, x0, x1); dx*dy > 0 {
				f(b.sheets.Index(k, j, side), dx*dy/((x1-x0)*(y1-y0)))
			}
		}
	}
}

// convection returns the film coefficient of a face whose mean rise above ambient is rise.
func (b *pcbModel) convection(side int, rise float64) float64 {
	if b.fixed[side] != nil {
		return *b.fixed[side]
	}
	w, h := b.in.BoardWidth/1e3, b.in.BoardHeight/1e3
	air := thermal.AirAt(b.ambient+rise/2, b.in.Altitude)
	var natural float64
	switch length := w * h / (2 * (w + h)); {
	case b.in.Orientation == "vertical":
		natural = thermal.VerticalPlate(air, rise, h)
	case side == 0:
		natural = thermal.UpwardPlate(air, rise, length)
	default:
		natural = thermal.DownwardPlate(air, rise, length)
	}
	if b.in.Convection == "natural" {
		return natural
	}
	return thermal.Mixed(natural, thermal.WindPlate(air, *b.in.Velocity, w))
}

func (b *pcbModel) power() float64 {
	p := 0.0
	for _, c := range b.in.Components {
		p += c.Power
	}
	return p
}

// pcbRounds is the maximum number of iterations between film coefficients and temperatures.
const pcbRounds = 40

// solve starts with an isothermal board and iterates film coefficients and temperatures until they
// agree.
func (b *pcbModel) solve(ctx context.Context) error {
	power := b.power()
	face := b.in.BoardWidth * b.in.BoardHeight / 1e6
	area := b.sheets.DX * b.sheets.DY
	start := thermal.RootAbove(0, 10, func(x float64) float64 {
		q := -power
		for s := range 2 {
			q += face * (b.convection(s, x) + b.emissivity[s]*thermal.RadiantFilm(b.ambient+x,
				b.ambient)) * x
		}
		return q
	})
	b.rise = make([]float64, b.sheets.Unknowns())
	for c := range b.rise {
		b.rise[c] = start
	}
	load := make([]float64, len(b.source))
	before := make([]float64, len(b.source))
	mean := [2]float64{start, start}
	var films [2]thermal.FixedPoint
	tolerance := 1e-3
	for range pcbRounds {
		change := 0.0
		for s := range 2 {
			change = max(change, films[s].Step(b.convection(s, max(0, mean[s]))))
			b.film[s] = films[s].Value
		}
		// Newton's method for T⁴ uses the tangent at the previous temperatures and its remainder.
		for c, x := range b.rise {
			s := c % 2
			t := b.ambient + max(0, x) // early iterations are rough and may fall below ambient
			radiant := b.emissivity[s] * phys.Stefan * 4 * t * t * t
			b.sheets.Film[c] = area * (b.film[s] + radiant)
			load[c] = b.source[c] +
				area*(radiant*max(0, x)-b.emissivity[s]*phys.Stefan*thermal.Fourth(max(0, x),
					b.ambient))
		}
		copy(before, b.rise)
		if err := b.sheets.Solve(ctx, b.rise, load, tolerance*power); err != nil {
			return err
		}
		mean = [2]float64{}
		largest, moved := 0.0, 0.0
		for c, x := range b.rise {
			mean[c%2] += x / float64(len(b.rise)/2)
			largest = max(largest, x)
			moved = max(moved, math.Abs(x-before[c]))
		}
		change = max(change, moved/largest)
		if change < 1e-7 && tolerance <= 1e-8 {
			break
		}
		next := min(tolerance, change*1e-2)
		if moved == 0 { // the residual with the new film coefficients is below the tolerance
			next = tolerance / 10
		}
		tolerance = max(1e-8, next)
	}
	return nil
}

func (b *pcbModel) name(i int) string {
	if n := b.in.Components[i].Name; n != "" {
		return n
	}
	return fmt.Sprintf("component %d", i+1)
}

// report sets the result from the solution.
func (b *pcbModel) report(out *pcbThermalOut) {
	area := b.sheets.DX * b.sheets.DY
	sum, hottest := 0.0, 0
	for c, x := range b.rise {
		out.Convection += area * b.film[c%2] * x
		out.Radiation += area * b.emissivity[c%2] * phys.Stefan * thermal.Fourth(x, b.ambient)
		sum += x
		if x > b.rise[hottest] {
			hottest = c
		}
	}
	power := b.power()
	out.Power = power
	out.BalanceError = (power - out.Convection - out.Radiation) / power * 100
	out.Average = b.in.Ambient + sum/float64(len(b.rise))
	out.FilmTop, out.FilmBottom = b.film[0], b.film[1]
	lateral, _ := b.in.sheets()
	out.InPlane = (lateral[0] + lateral[1]) / (b.in.Thickness / 1e3)
	b.hotSpot(out, hottest)
	for i, c := range b.in.Components {
		var mean, largest float64
		b.under(i, func(cell int, share float64) {
			mean += share * b.rise[cell]
			largest = max(largest, b.rise[cell])
			if cell == hottest {
				largest = out.Max - b.in.Ambient
			}
		})
		st := pcbComponentState{
			Name: b.name(i), Board: b.in.Ambient + mean, BoardMax: b.in.Ambient + largest,
			Junction: b.in.Ambient + mean + c.Power*c.ThetaJB,
		}
		if c.ViaCount > 0 {
			r := c.viaResistance(b.in.Thickness)
			st.Vias = &r
		}
		if c.Power > 0 {
			theta := mean/c.Power + c.ThetaJB
			st.ThetaJA = &theta
		}
		out.Components = append(out.Components, st)
	}
	out.Field = b.field()
}

// hotSpot interpolates the maximum between the cells around the hottest cell.
func (b *pcbModel) hotSpot(out *pcbThermalOut, hottest int) {
	side, i, j := hottest%2, hottest/2%b.sheets.NX, hottest/2/b.sheets.NX
	out.HotSpot = pcbPlace{b.x.Centre(i) * 1e3, b.y.Centre(j) * 1e3,
		[2]string{"top", "bottom"}[side]}
	top := b.rise[hottest]
	if i > 0 && i < b.sheets.NX-1 {
		step, more := thermal.Peak(b.rise[hottest-2], b.rise[hottest], b.rise[hottest+2])
		out.HotSpot.X += step * b.sheets.DX * 1e3
		top += more
	}
	if row := 2 * b.sheets.NX; j > 0 && j < b.sheets.NY-1 {
		step, more := thermal.Peak(b.rise[hottest-row], b.rise[hottest], b.rise[hottest+row])
		out.HotSpot.Y += step * b.sheets.DY * 1e3
		top += more
	}
	out.Max = b.in.Ambient + top
}

func (b *pcbModel) field() pcbField {
	f := pcbField{X: b.x.Centres(), Y: b.y.Centres()}
	for j := range b.sheets.NY {
		top, bottom := make([]float64, b.sheets.NX), make([]float64, b.sheets.NX)
		for i := range b.sheets.NX {
			top[i] = b.in.Ambient + b.rise[b.sheets.Index(i, j, 0)]
			bottom[i] = b.in.Ambient + b.rise[b.sheets.Index(i, j, 1)]
		}
		f.Top, f.Bottom = append(f.Top, top), append(f.Bottom, bottom)
	}
	return f
}
