package homelab

import (
	"context"

	"slipstick/tools"
	"slipstick/tools/phys"
	"slipstick/tools/thermal"
)

// CoolingBTU computes the heat load of a room with computers.
var CoolingBTU = tools.Define(tools.Spec{
	Name:    "cooling_btu",
	Title:   "Cooling load",
	Summary: "Heat of a server room in watts, BTU/h and tons, with UPS, lighting and people, and the required airflow",
	Method: "UPS 0.04 · rating + 0.05 · IT load and distribution 0.01 · rating + 0.02 · IT load (both only with a UPS); lighting 21.53 W/m² of floor; 100 W a person. " +
		"1 W = 3.412141633 BTU/h; a ton is 12000 BTU/h; design = total with the safety margin. Airflow of the total = Q/(ρ · 1007 J/(kg·K) · ΔT), ρ = p/(287.05 T) of the air supplied, p = 101325 (1 - 2.25577e-5 z)^5.25588",
	Sources: []string{
		"N. Rasmussen, Calculating Total Cooling Requirements for Data Centers, APC/Schneider Electric White Paper 25, table 1",
		"ICAO Doc 7488, Manual of the ICAO Standard Atmosphere (pressure by altitude)",
		"NIST SP 811 (2008), appendix B.8: BTU (International Table), ton of refrigeration",
	},
	Limits: []string{
		"No heat through walls, windows and roof; add it as other_w",
		"Sensible heat only; humidity control costs more",
		"Dry air",
	},
	Aliases: []string{"BTU calculator", "air conditioning", "CRAC sizing", "CFM",
		"tons of cooling"},
	Primary: []string{"design_btu_per_hour"},
	Examples: []tools.Example{{
		Title: "10 kW of servers in 40 m²",
		In:    `{"it_load_w": 10000, "ups_rating_w": 20000, "floor_area_m2": 40, "people": 2}`,
		Want:  `{"total_heat_w": 12761.2, "btu_per_hour": 43543.0, "tons": 3.62859, "design_tons": 4.35430, "warnings": []}`,
	}, {
		Title: "A cabinet with 4 kW and no UPS",
		In:    `{"it_load_w": 4000}`,
		Want:  `{"total_heat_w": 4000, "btu_per_hour": 13648.5665, "airflow_m3_h": 1069.89}`,
		From:  "by hand: 1 W is 3.412141633 BTU/h",
	}, {
		Title: "Two tons of refrigeration",
		In:    `{"it_load_w": 7033.7, "safety_margin_pct": 0}`,
		Want:  `{"tons": 2.0000, "design_tons": 2.0000}`,
		From:  "NIST SP 811: 12 000 BTU/h is 3516.853 W",
	}},
}, coolingBTU)

type coolingIn struct {
	ITLoad    float64 `json:"it_load_w" unit:"W" min:"0" max:"1000000000" example:"10000" label:"IT load" doc:"Power of the IT equipment, all of which becomes heat"`
	UPS       float64 `json:"ups_rating_w" unit:"W" min:"0" max:"1000000000" default:"0" label:"UPS rating" doc:"Rated power of the UPS; 0 without one"`
	Floor     float64 `json:"floor_area_m2" unit:"m²" min:"0" max:"1000000" default:"0" label:"Floor area" doc:"Lit floor area"`
	People    int     `json:"people" unit:"1" min:"0" max:"100000" default:"0" label:"People" doc:"Maximum number of people in the room"`
	Other     float64 `json:"other_w" unit:"W" min:"0" max:"1000000000" default:"0" label:"Other heat" doc:"Heat of other sources: sun, walls, machines"`
	Margin    float64 `json:"safety_margin_pct" unit:"%" min:"0" max:"1000" default:"20" label:"Safety margin" doc:"Margin on the design values"`
	AirDeltaT float64 `json:"air_delta_t_k" unit:"K" min:"0.1" max:"100" default:"11.1" label:"Air temperature rise" doc:"Temperature difference between return and supply air; 11.1 K is 20 °F"`
	Supply    float64 `json:"supply_temperature_c" unit:"°C" min:"-50" max:"100" default:"20" label:"Supply air temperature" doc:"Temperature of the supply air"`
	Altitude  float64 `json:"altitude_m" unit:"m" min:"-500" max:"11000" default:"0" label:"Altitude" doc:"Altitude above sea level; air density falls with it"`
}

type coolingOut struct {
	Total      float64      `json:"total_heat_w" unit:"W" label:"Total heat load" doc:"Heat load of the room"`
	BTU        float64      `json:"btu_per_hour" unit:"BTU/h" label:"Heat load (BTU/h)" doc:"Heat load in BTU/h"`
	Tons       float64      `json:"tons" unit:"ton" label:"Heat load (ton)" doc:"Heat load in tons of refrigeration"`
	DesignBTU  float64      `json:"design_btu_per_hour" unit:"BTU/h" label:"Cooling capacity" doc:"Required cooling capacity with the safety margin"`
	DesignTons float64      `json:"design_tons" unit:"ton" label:"Cooling capacity (ton)" doc:"Required cooling capacity in tons of refrigeration"`
	Airflow    float64      `json:"airflow_m3_h" unit:"m³/h" label:"Airflow" doc:"Airflow at supply temperature that removes total_heat_w"`
	CFM        float64      `json:"airflow_cfm" unit:"CFM" label:"Airflow (CFM)" doc:"Airflow in cubic feet per minute"`
	Breakdown  coolingParts `json:"breakdown" label:"Heat sources" doc:"Heat load by source"`
	tools.Warnings
}

type coolingParts struct {
	IT           float64 `json:"it_w" unit:"W" label:"IT equipment" doc:"Heat of the IT equipment"`
	UPS          float64 `json:"ups_w" unit:"W" label:"UPS losses" doc:"Losses of the UPS"`
	Distribution float64 `json:"distribution_w" unit:"W" label:"Power distribution losses" doc:"Losses of the power distribution"`
	Lighting     float64 `json:"lighting_w" unit:"W" label:"Lighting" doc:"Heat of the lighting"`
	People       float64 `json:"people_w" unit:"W" label:"People" doc:"Heat of the people"`
	Other        float64 `json:"other_w" unit:"W" label:"Other heat" doc:"Other heat as given"`
}

func coolingBTU(_ context.Context, in coolingIn) (coolingOut, error) {
	p := coolingParts{
		IT:       in.ITLoad,
		Lighting: 21.53 * in.Floor, // 2 W/ft²
		People:   100 * float64(in.People),
		Other:    in.Other,
	}
	if in.UPS > 0 {
		p.UPS = 0.04*in.UPS + 0.05*in.ITLoad
		p.Distribution = 0.01*in.UPS + 0.02*in.ITLoad
	}
	out := coolingOut{
		Breakdown: p, Total: p.IT + p.UPS + p.Distribution + p.Lighting + p.People + p.Other,
	}
	out.BTU = out.Total * phys.BTUPerWattHour
	out.Tons = out.BTU / phys.BTUPerTon
	design := 1 + in.Margin/100
	out.DesignBTU, out.DesignTons = out.BTU*design, out.Tons*design
	air := thermal.AirAt(in.Supply+phys.ZeroC, in.Altitude)
	perSecond := out.Total / (air.Density * thermal.SpecificHeat * in.AirDeltaT)
	out.Airflow = perSecond * 3600
	out.CFM = perSecond * 60 / (phys.Foot * phys.Foot * phys.Foot)
	if in.UPS > 0 && in.UPS < in.ITLoad {
		out.Warn("ups_rating_w of %g is below it_load_w of %g: the UPS is overloaded; take a larger one",
			in.UPS, in.ITLoad)
	}
	return out, nil
}
