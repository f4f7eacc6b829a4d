package rf

import (
	"context"

	"slipstick/tools"
	"slipstick/tools/phys"
)

// FSPL is the loss of a radio path with nothing in it.
var FSPL = tools.Define(tools.Spec{
	Name:    "fspl",
	Title:   "Free-space path loss",
	Summary: "Loss between two isotropic antennas in free space, and the wavelength",
	Method:  "FSPL = 20 log10(4 π d f / c), in dB, with c = 299 792 458 m/s and no rounded constant; λ = c / f",
	Sources: []string{"ITU-R P.525-4 (2019), equation 3"},
	Limits: []string{
		"Free space only: no ground reflection, terrain, foliage, rain or gas absorption",
		"Far field only: below about one wavelength the formula has no meaning",
	},
	Aliases: []string{"path loss", "free space loss", "friis", "propagation loss"},
	Examples: []tools.Example{{
		Title: "LoRa node, 5 km",
		In:    `{"freq_mhz": 915, "dist_km": 5}`,
		Want:  `{"fspl_db": 105.656, "wavelength_m": 0.327642, "warnings": []}`,
	}},
}, fspl)

type fsplIn struct {
	FreqMHz float64 `json:"freq_mhz" unit:"MHz" gt:"0" example:"915" label:"Frequency" doc:"Carrier frequency"`
	DistKm  float64 `json:"dist_km" unit:"km" gt:"0" example:"5" label:"Distance" doc:"Distance between the antennas"`
}

type fsplOut struct {
	LossDB      float64 `json:"fspl_db" unit:"dB" label:"Free-space path loss" doc:"Loss between two isotropic antennas"`
	WavelengthM float64 `json:"wavelength_m" unit:"m" label:"Wavelength" doc:"Wavelength in vacuum"`
	tools.Warnings
}

func fspl(_ context.Context, in fsplIn) (fsplOut, error) {
	var out fsplOut
	out.WavelengthM = phys.Wavelength(in.FreqMHz)
	out.LossDB = phys.FreeSpaceLossDB(in.DistKm*1e3, out.WavelengthM)
	if d := in.DistKm * 1e3; d < out.WavelengthM {
		out.Warn("the distance %.4g m is below one wavelength (%.4g m): in the near field the free-space formula is not valid", d, out.WavelengthM)
	}
	return out, nil
}
