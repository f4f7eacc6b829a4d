package rf

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"slipstick/tools"
	"slipstick/tools/phys"
	"slipstick/tools/propagation"
	"slipstick/tools/tolerance"
)

// FresnelZone computes the clearance that a link needs around its line of sight.
var FresnelZone = tools.Define(tools.Spec{
	Name:    "fresnel_zone",
	Title:   "Fresnel zone",
	Summary: "Radius of a Fresnel zone, its 60 % clearance and the required path height over the curved earth",
	Method: "r_n = √(n λ d1 d2 / d); at the middle √(n λ d) / 2. Clearance 0.6 r_n. Earth bulge d1 d2 / (2 k R_e), at the middle " +
		"d² / (8 k R_e), with R_e = 6371 km; required height = bulge + 0.6 of the first zone. " +
		"Along the path: clearance = (line of sight - terrain - bulge) / r_1, at each place of the terrain and where it is least over smooth earth, six wavelengths or more from the antennas",
	Sources: []string{
		"ITU-R P.526-15 (2019), equation 2 (radius of the Fresnel ellipsoid)",
		"ITU-R P.530-18 (2021), section 2.2.2 (clearance of 0.6 of the first zone)",
		"ITU-R P.310-10 (2019): median effective earth radius factor 4/3",
	},
	Limits: []string{
		"Radii small against the distances to both ends. Within six wavelengths of an antenna (times the zone's number) the formula is more than 1 % too small",
		"Smooth earth and a standard atmosphere; terrain and obstacles add to the height",
	},
	Aliases: []string{"line of sight", "fresnel radius", "path clearance", "earth bulge",
		"antenna height"},
	Primary: []string{"radius_m"},
	Examples: []tools.Example{{
		Title: "2.4 GHz link of 10 km",
		In:    `{"freq_mhz": 2400, "dist_km": 10}`,
		Want:  `{"radius_m": 17.6716, "radius_ft": 57.9775, "clearance_60pct_m": 10.6029, "wavelength_m": 0.124914, "earth_bulge_m": 1.4715, "required_height_m": 12.0744, "warnings": []}`,
		From:  "bulge by hand: 10000² / (8 · 4/3 · 6371000) = 1.47151 m",
	}, {
		Title: "A hill of 45 m in the middle of 30 km at 6 GHz, masts of 80 and 60 m",
		In:    `{"freq_mhz": 6000, "dist_km": 30, "tx_height_m": 80, "rx_height_m": 60, "terrain": [{"dist_km": 15, "height_m": 45}]}`,
		Want:  `{"earth_bulge_m": 13.2436, "min_clearance_pct": 60.73, "min_clearance_km": 15, "warnings": []}`,
		From:  "by hand: (70 - 45 - 13.2436) / √(0.0499654 · 15000 · 15000 / 30000)",
	}, {
		Title: "The same path with k = 2/3, as in a bad hour",
		In:    `{"freq_mhz": 6000, "dist_km": 30, "tx_height_m": 80, "rx_height_m": 60, "k_factor": 0.6666666666666666, "terrain": [{"dist_km": 15, "height_m": 45}]}`,
		Want:  `{"earth_bulge_m": 26.487, "min_clearance_pct": -7.683}`,
		From:  "by hand: (70 - 45 - 26.4872) / 19.3576",
	}},
}, fresnelZone)

type fresnelZoneIn struct {
	FreqMHz     float64 `json:"freq_mhz" unit:"MHz" gt:"0" max:"1e12" example:"2400" label:"Frequency" doc:"Carrier frequency"`
	DistKm      float64 `json:"dist_km" unit:"km" gt:"0" max:"1e24" example:"10" label:"Path length" doc:"Distance between the antennas"`
	ZoneNumber  int     `json:"zone_number" unit:"1" min:"1" max:"5" default:"1" label:"Zone number" doc:"Number of the Fresnel zone; 1 is the innermost"`
	PositionPct float64 `json:"position_pct" unit:"%" min:"1" max:"99" default:"50" label:"Position along the path" doc:"Position along the path, from one antenna; 50 % is the middle, where the zone is widest"`

	KFactor   float64   `json:"k_factor" unit:"1" min:"0.1" max:"100" default:"1.3333333333333333" label:"Earth radius factor" doc:"Ratio of effective to true earth radius; 4/3 is the median, 2/3 a worst case (ITU-R P.530)"`
	TxHeightM *float64  `json:"tx_height_m" unit:"m" min:"-1000" max:"100000" label:"Transmit antenna height" doc:"Antenna height above sea level; with rx_height_m gives the clearance along the path"`
	RxHeightM *float64  `json:"rx_height_m" unit:"m" min:"-1000" max:"100000" label:"Receive antenna height" doc:"Antenna height above sea level"`
	Terrain   []terrain `json:"terrain" maxItems:"1000" default:"[]" label:"Terrain" doc:"Ground and obstacle heights above sea level along the path; 0 m elsewhere"`
}

// terrain is the height of the ground or an obstacle at a position on the path.
type terrain struct {
	DistKm  float64 `json:"dist_km" unit:"km" gt:"0" max:"1e24" label:"Distance" doc:"Distance from the transmit antenna"`
	HeightM float64 `json:"height_m" unit:"m" min:"-1000" max:"10000" label:"Height" doc:"Height above sea level"`
}

type fresnelZoneOut struct {
	RadiusM         float64 `json:"radius_m" unit:"m" label:"Zone radius" doc:"Radius of the zone at the position, by default the middle of the path"`
	RadiusFt        float64 `json:"radius_ft" unit:"ft" label:"Zone radius (ft)" doc:"Zone radius in feet"`
	ClearanceM      float64 `json:"clearance_60pct_m" unit:"m" label:"60 % clearance" doc:"0.6 times the zone radius"`
	WavelengthM     float64 `json:"wavelength_m" unit:"m" label:"Wavelength" doc:"Wavelength in vacuum"`
	EarthBulgeM     float64 `json:"earth_bulge_m" unit:"m" label:"Earth bulge" doc:"Height of the earth's curvature above the straight line at the position, with k_factor"`
	RequiredHeightM float64 `json:"required_height_m" unit:"m" label:"Required path height" doc:"Height of the line of sight over smooth earth: earth bulge plus 0.6 times the radius of the first zone"`

	ClearancePct *float64    `json:"min_clearance_pct" unit:"%" label:"Least clearance" doc:"Smallest height of the line of sight over earth and terrain, relative to the radius of the first zone; null without antenna heights"`
	WorstKm      *float64    `json:"min_clearance_km" unit:"km" label:"Place of the least clearance" doc:"Distance from the transmit antenna; null without antenna heights"`
	Profile      []clearance `json:"profile" nullable:"true" plot:"dist_km" label:"Path profile" doc:"Clearance along the path; null without antenna heights"`
	tools.Warnings
}

// clearance is the height of the line of sight at a position on the path.
type clearance struct {
	DistKm   float64 `json:"dist_km" unit:"km" label:"Distance" doc:"Distance from the transmit antenna"`
	RayM     float64 `json:"ray_height_m" unit:"m" label:"Line of sight" doc:"Height of the line of sight above sea level"`
	GroundM  float64 `json:"ground_m" unit:"m" label:"Ground" doc:"Height of terrain plus earth bulge"`
	RequireM float64 `json:"required_m" unit:"m" label:"Required height" doc:"Ground plus 0.6 times the radius of the first zone"`
}

func fresnelZone(_ context.Context, in fresnelZoneIn) (fresnelZoneOut, error) {
	if err := in.check(); err != nil {
		return fresnelZoneOut{}, err
	}
	k := in.KFactor
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
	// In the middle of a path of length d, the exact ellipse is wider by the factor 1 + nλ/(8d).
	// The difference is 1 % at the limit of the warning.
	if near := math.Min(d1, d2); near < 6*float64(in.ZoneNumber)*out.WavelengthM {
		out.Warn(
			"the nearer antenna is only %.4g wavelengths away: the formula holds for radii small against the distances",
			near/out.WavelengthM,
		)
	}
	if in.TxHeightM != nil && in.RxHeightM != nil {
		out.path(in)
		return out, nil
	}
	if bulge := d * d / (8 * k * phys.EarthRadius); tolerance.Above(bulge, tallMastM) {
		out.Warn(
			"the earth bulges %g m in the middle of %g km: over smooth earth both antennas need at least that height; give tx_height_m and rx_height_m, or shorten the path",
			tolerance.RoundUp(bulge, 4), in.DistKm)
	}
	return out, nil
}

// tallMastM is the earth bulge [m] above which ordinary masts have no line of sight.
const tallMastM = 50

// check compares the profile inputs with each other.
func (in *fresnelZoneIn) check() error {
	var f tools.FieldErrors
	switch {
	case in.TxHeightM == nil && in.RxHeightM != nil, in.TxHeightM == nil && len(in.Terrain) > 0:
		f.Add("tx_height_m", "is required for the clearance along the path")
	case in.RxHeightM == nil && in.TxHeightM != nil:
		f.Add("rx_height_m", "is required for the clearance along the path")
	}
	for i, t := range in.Terrain {
		if t.DistKm >= in.DistKm {
			f.AddValue(fmt.Sprintf("terrain[%d].dist_km", i), t.DistKm,
				"must be below dist_km (%g)",
				in.DistKm)
		}
	}
	return f.Err()
}

// path finds the minimum clearance of the terrain points and of the smooth earth between them. It
// lists the terrain points and each twentieth of the path.
func (out *fresnelZoneOut) path(in fresnelZoneIn) {
	type place struct {
		terrain
		listed bool
	}
	places := make([]place, 0, len(in.Terrain)+20)
	for _, t := range in.Terrain {
		places = append(places, place{t, true})
	}
	for pct := 5; pct < 100; pct += 5 {
		km := in.DistKm * float64(pct) / 100
		if !slices.ContainsFunc(in.Terrain, func(t terrain) bool { return t.DistKm == km }) {
			places = append(places, place{terrain{DistKm: km}, true})
		}
	}
	smooth := in.DistKm * propagation.LeastClearance(*in.TxHeightM, *in.RxHeightM, in.DistKm*1e3,
		out.WavelengthM, in.KFactor*phys.EarthRadius)
	if !slices.ContainsFunc(in.Terrain, func(t terrain) bool { return t.DistKm == smooth }) {
		places = append(places, place{terrain{DistKm: smooth}, false})
	}
	slices.SortStableFunc(places, func(a, b place) int { return cmp.Compare(a.DistKm, b.DistKm) })
	least, worst := math.Inf(1), 0.0
	out.Profile = make([]clearance, 0, len(in.Terrain)+19)
	for _, t := range places {
		d1, d2 := t.DistKm*1e3, (in.DistKm-t.DistKm)*1e3
		c := clearance{
			DistKm: t.DistKm,
			RayM:   *in.TxHeightM + (*in.RxHeightM-*in.TxHeightM)*t.DistKm/in.DistKm,
		}
		c.GroundM = t.HeightM + d1*d2/(2*in.KFactor*phys.EarthRadius)
		radius := math.Sqrt(out.WavelengthM * d1 * d2 / (d1 + d2))
		c.RequireM = c.GroundM + 0.6*radius
		if t.listed {
			out.Profile = append(out.Profile, c)
		}
		if pct := 100 * (c.RayM - c.GroundM) / radius; pct < least {
			least, worst = pct, t.DistKm
		}
	}
	out.ClearancePct, out.WorstKm = &least, &worst
	if tolerance.Below(least, 60) {
		out.Warn(
			"the clearance is %g %% of the first zone at %.4g km, below 60 %%: diffraction adds loss (fspl, model knife_edge); raise the antennas",
			tolerance.RoundBelow(least, 60, 3), worst,
		)
	}
}
