package rf

import (
	"context"
	"math"

	"slipstick/tools"
	"slipstick/tools/phys"
)

// FresnelZone is the room a link needs around its line of sight.
var FresnelZone = tools.Define(tools.Spec{
	Name:    "fresnel_zone",
	Title:   "Fresnel zone",
	Summary: "Radius of a Fresnel zone, its 60 % clearance and the required path height over the curved earth",
	Method: "r_n = √(n λ d1 d2 / d); at the middle √(n λ d) / 2. Clearance 0.6 r_n. Earth bulge d1 d2 / (2 k R_e), at the middle " +
		"d² / (8 k R_e), with k = 4/3 and R_e = 6371 km; required height = bulge + 0.6 of the first zone",
	Sources: []string{
		"ITU-R P.526-15 (2019), equation 2 (radius of the Fresnel ellipsoid)",
		"ITU-R P.530-18 (2021), section 2.2.2 (clearance of 0.6 of the first zone)",
		"ITU-R P.310-10 (2019): median effective earth radius factor 4/3",
	},
	Limits: []string{
		"Radii small against the distances to both ends; within six wavelengths of an antenna (times the zone's number) the formula is more than 1 % too small",
		"Smooth earth and a standard atmosphere; terrain and obstacles add to the height",
	},
	Aliases: []string{"line of sight", "fresnel radius", "path clearance", "earth bulge", "antenna height"},
	Examples: []tools.Example{{
		Title: "2.4 GHz link of 10 km",
		In:    `{"freq_mhz": 2400, "dist_km": 10}`,
		Want:  `{"radius_m": 17.6716, "radius_ft": 57.9775, "clearance_60pct_m": 10.6029, "wavelength_m": 0.124914, "earth_bulge_m": 1.4715, "required_height_m": 12.0744, "warnings": []}`,
		From:  "bulge by hand: 10000² / (8 · 4/3 · 6371000) = 1.47151 m",
	}},
}, fresnelZone)

type fresnelZoneIn struct {
	FreqMHz     float64 `json:"freq_mhz" unit:"MHz" gt:"0" max:"1e12" example:"2400" label:"Frequency" doc:"Carrier frequency"`
	DistKm      float64 `json:"dist_km" unit:"km" gt:"0" max:"1e24" example:"10" label:"Path length" doc:"Distance between the antennas"`
	ZoneNumber  int     `json:"zone_number" unit:"1" min:"1" max:"5" default:"1" label:"Zone number" doc:"Number of the Fresnel zone; 1 is the innermost"`
	PositionPct float64 `json:"position_pct" unit:"%" min:"1" max:"99" default:"50" label:"Position along the path" doc:"Position along the path, from one antenna; 50 % is the middle, where the zone is widest"`
}

type fresnelZoneOut struct {
	RadiusM         float64 `json:"radius_m" unit:"m" label:"Zone radius" doc:"Radius of the zone at the position, by default the middle of the path"`
	RadiusFt        float64 `json:"radius_ft" unit:"ft" label:"Zone radius (ft)" doc:"Zone radius in feet"`
	ClearanceM      float64 `json:"clearance_60pct_m" unit:"m" label:"60 % clearance" doc:"0.6 of the zone radius"`
	WavelengthM     float64 `json:"wavelength_m" unit:"m" label:"Wavelength" doc:"Wavelength in vacuum"`
	EarthBulgeM     float64 `json:"earth_bulge_m" unit:"m" label:"Earth bulge" doc:"Height of the earth's curvature above the straight line at the position, with k = 4/3"`
	RequiredHeightM float64 `json:"required_height_m" unit:"m" label:"Required path height" doc:"Height of the line of sight over smooth earth: earth bulge plus 0.6 of the first zone"`
	tools.Warnings
}

func fresnelZone(_ context.Context, in fresnelZoneIn) (fresnelZoneOut, error) {
	const k = 4.0 / 3 // effective over true earth radius: the standard atmosphere bends rays down
	out := fresnelZoneOut{WavelengthM: phys.Wavelength(in.FreqMHz)}
	d := in.DistKm * 1e3
	part := in.PositionPct / 100
	d1, d2 := d*part, d*(1-part)
	first := math.Sqrt(out.WavelengthM * d * part * (1 - part))
	out.RadiusM = first * math.Sqrt(float64(in.ZoneNumber))
	out.RadiusFt = out.RadiusM / phys.Foot
	out.ClearanceM = 0.6 * out.RadiusM
	out.EarthBulgeM = d1 * d2 / (2 * k * phys.EarthRadius)
	out.RequiredHeightM = out.EarthBulgeM + 0.6*first
	// The exact ellipse is 1 + nλ/(8d) wider at the middle: 1 % at the limit warned of.
	if near := math.Min(d1, d2); near < 6*float64(in.ZoneNumber)*out.WavelengthM {
		out.Warn("the nearer antenna is only %.4g wavelengths away: the formula holds for radii small against the distances", near/out.WavelengthM)
	}
	return out, nil
}
