package rf

import (
	"context"

	"slipstick/tools"
	"slipstick/tools/choice"
	"slipstick/tools/phys"
	"slipstick/tools/propagation"
	"slipstick/tools/tolerance"
)

// FSPL computes the loss of a radio path in free space or with a ground model.
var FSPL = tools.Define(tools.Spec{
	Name:    "fspl",
	Title:   "Free-space path loss",
	Summary: "Loss between two isotropic antennas in free space and by two-ray, Hata, COST 231 or knife-edge models",
	Method: "FSPL = 20 log10(4 π d f / c), in dB, with c = 299 792 458 m/s and no rounded constant; λ = c / f. " +
		"two_ray: plane earth 40 log10 d - 20 log10(h1 h2) beyond 4 π h1 h2 / λ, free space before it. hata, cost231: the median " +
		"loss with the higher antenna as base. knife_edge: FSPL + 6.9 + 20 log10(√((ν - 0.1)² + 1) + ν - 0.1), ν = h √(2 (1/d1 + 1/d2) / λ)",
	Sources: []string{
		"ITU-R P.525-4 (2019), equation 3",
		"T. S. Rappaport, Wireless Communications, 2nd edition (2002), section 4.6 and equation 4.53 (two-ray)",
		"M. Hata, Empirical Formula for Propagation Loss in Land Mobile Radio Services, IEEE Trans. Veh. Technol. 29 (1980) 317-325",
		"COST 231 final report (1999), section 4.4.1; ITU-R P.526-15 (2019), equations 26 and 31 (knife edge)",
	},
	Limits: []string{
		"free_space: no ground reflection, terrain, foliage, rain or gas absorption",
		"Far field only: below about one wavelength the formula has no meaning",
		"hata and cost231: a median over places, with a spread of 6 to 8 dB; a given path may differ by 20 dB",
		"hata, dense_urban: the term of the mobile antenna changes at 400 MHz. Hata gives one to 200 and one from 400 MHz; Rappaport and ITU-R P.529 change at 300 MHz",
		"knife_edge: one obstacle, much longer than the Fresnel zone is wide; a rounded hill costs more",
	},
	Aliases: []string{"path loss", "free space loss", "friis", "propagation loss", "Okumura-Hata",
		"two-ray", "knife-edge diffraction"},
	Primary: []string{"path_loss_db"},
	Examples: []tools.Example{
		{
			Title: "LoRa node, 5 km",
			In:    `{"freq_mhz": 915, "dist_km": 5}`,
			Want:  `{"fspl_db": 105.656, "wavelength_m": 0.327642, "warnings": []}`,
		},
		{
			Title: "Two nodes at 1.5 m on flat ground, 250 m apart",
			In:    `{"freq_mhz": 914, "dist_km": 0.25, "model": "two_ray", "tx_height_m": 1.5, "rx_height_m": 1.5}`,
			Want:  `{"path_loss_db": 88.874, "crossover_km": 0.08620}`,
			From:  "ns-2, default of its radio: 0.28183815 W arrive as 3.652e-10 W",
		},
		{
			Title: "Base station of 30 m in a large city",
			In:    `{"freq_mhz": 869, "dist_km": 2, "model": "hata", "environment": "dense_urban", "tx_height_m": 30, "rx_height_m": 1}`,
			Want:  `{"path_loss_db": 137.93}`,
			From:  "ns-3, reference values of its Okumura-Hata test",
		},
	},
}, fspl)

type fsplIn struct {
	FreqMHz     float64  `json:"freq_mhz" unit:"MHz" gt:"0" example:"915" label:"Frequency" doc:"Carrier frequency"`
	DistKm      float64  `json:"dist_km" unit:"km" gt:"0" example:"5" label:"Distance" doc:"Distance between the antennas"`
	Model       string   `json:"model" enum:"free_space,two_ray,hata,cost231,knife_edge" default:"free_space" label:"Propagation model" doc:"Model of path_loss_db"`
	TxHeightM   *float64 `json:"tx_height_m" unit:"m" gt:"0" max:"10000" label:"Transmit antenna height" doc:"Height above ground, for two_ray, hata and cost231"`
	RxHeightM   *float64 `json:"rx_height_m" unit:"m" gt:"0" max:"10000" label:"Receive antenna height" doc:"Height above ground, for two_ray, hata and cost231"`
	Environment string   `json:"environment" enum:"open,suburban,urban,dense_urban" default:"urban" label:"Environment" doc:"Environment, for hata and cost231; dense_urban is a large city"`
	ObstacleM   *float64 `json:"obstacle_height_m" unit:"m" min:"-10000" max:"10000" label:"Obstacle height" doc:"Height of the knife edge above the straight line between the antennas; negative below it"`
	ObstaclePct float64  `json:"obstacle_position_pct" unit:"%" min:"0.1" max:"99.9" default:"50" label:"Obstacle position" doc:"Position of the knife edge along the path"`
}

type fsplOut struct {
	LossDB      float64  `json:"fspl_db" unit:"dB" label:"Free-space path loss" doc:"Loss between two isotropic antennas"`
	WavelengthM float64  `json:"wavelength_m" unit:"m" label:"Wavelength" doc:"Wavelength in vacuum"`
	PathLossDB  float64  `json:"path_loss_db" unit:"dB" label:"Path loss" doc:"Loss by the chosen model; equals fspl_db with free_space"`
	CrossoverKm *float64 `json:"crossover_km" unit:"km" label:"Crossover distance" doc:"Distance from which the two-ray loss exceeds that of free space; null for other models"`
	Diffraction *float64 `json:"diffraction_parameter" unit:"1" label:"Diffraction parameter" doc:"ν of the knife edge; null for other models"`
	tools.Warnings
}

func fspl(_ context.Context, in fsplIn) (fsplOut, error) {
	var out fsplOut
	if err := in.check(); err != nil {
		return out, err
	}
	d := in.DistKm * 1e3
	out.WavelengthM = phys.Wavelength(in.FreqMHz)
	out.LossDB = phys.FreeSpaceLossDB(d, out.WavelengthM)
	out.PathLossDB = out.LossDB
	if tolerance.Below(d, out.WavelengthM) {
		out.Warn(
			"the distance %g m is below one wavelength (%g m): in the near field the free-space formula is not valid",
			tolerance.RoundBelow(d, out.WavelengthM, 6), tolerance.RoundUp(out.WavelengthM, 6),
		)
	}
	switch in.Model {
	case "two_ray":
		crossover := propagation.Crossover(*in.TxHeightM, *in.RxHeightM, out.WavelengthM)
		out.CrossoverKm = new(crossover / 1e3)
		if d > crossover {
			out.PathLossDB = propagation.PlaneEarthLossDB(d, *in.TxHeightM, *in.RxHeightM)
		} else {
			out.Warn(
				"nearer than crossover_km the two rays interfere: the loss varies around that of free space, up to 6 dB less and far more",
			)
		}
		horizon := propagation.HorizonM(*in.TxHeightM, *in.RxHeightM)
		if tolerance.Above(d, horizon) {
			out.Warn(
				"the path of %g km is beyond the radio horizon of %g km for these antenna heights: two_ray is for a plane earth, diffraction adds loss",
				in.DistKm, tolerance.RoundDown(horizon/1e3, 4),
			)
		}
	case "hata", "cost231":
		out.empirical(in)
	case "knife_edge":
		part := in.ObstaclePct / 100
		v := propagation.DiffractionParameter(*in.ObstacleM, d*part, d*(1-part), out.WavelengthM)
		out.Diffraction = &v
		out.PathLossDB += propagation.KnifeEdgeLossDB(v)
	}
	choice.Ignored(&out.Warnings, "it has no meaning with model "+in.Model, in.unused()...)
	return out, nil
}

// unused returns the inputs that belong to other models.
func (in *fsplIn) unused() []choice.Field {
	empirical := in.Model == "hata" || in.Model == "cost231"
	heights, edge := empirical || in.Model == "two_ray", in.Model == "knife_edge"
	return []choice.Field{
		choice.Of("tx_height_m", in.TxHeightM != nil && !heights),
		choice.Of("rx_height_m", in.RxHeightM != nil && !heights),
		choice.Of("environment", in.Environment != "urban" && !empirical),
		choice.Of("obstacle_height_m", in.ObstacleM != nil && !edge),
		choice.Of("obstacle_position_pct", in.ObstaclePct != 50 && !edge),
	}
}

// empirical sets the median loss of Okumura-Hata or COST 231-Hata, but at least the free-space
// loss.
func (out *fsplOut) empirical(in fsplIn) {
	base, mobile := max(*in.TxHeightM, *in.RxHeightM), min(*in.TxHeightM, *in.RxHeightM)
	low, high := 150.0, 1500.0
	if in.Model == "hata" {
		out.PathLossDB = propagation.HataLossDB(in.FreqMHz, base, mobile, in.DistKm, in.Environment)
	} else {
		low, high = 1500, 2000
		out.PathLossDB = propagation.COST231LossDB(in.FreqMHz, base, mobile, in.DistKm,
			in.Environment == "dense_urban")
		if in.Environment == "open" {
			out.Warn("COST 231-Hata has no open environment: the loss is that of a suburb")
		}
	}
	if in.FreqMHz < low || in.FreqMHz > high || base < 30 || base > 200 || mobile < 1 ||
		mobile > 10 ||
		in.DistKm < 1 ||
		in.DistKm > 20 {
		out.Warn(
			"%s is extrapolated: measured from %g to %g MHz, 30 to 200 m (base), 1 to 10 m (mobile) and 1 to 20 km",
			in.Model, low, high,
		)
	}
	if out.PathLossDB < out.LossDB {
		out.Warn("the model gives %.4g dB, less than free space: path_loss_db is fspl_db",
			out.PathLossDB)
		out.PathLossDB = out.LossDB
	}
}

// check requires the inputs of the selected model.
func (in *fsplIn) check() error {
	var f tools.FieldErrors
	switch in.Model {
	case "two_ray", "hata", "cost231":
		if in.TxHeightM == nil {
			f.Add("tx_height_m", "is required with model %s: a number of m above 0", in.Model)
		}
		if in.RxHeightM == nil {
			f.Add("rx_height_m", "is required with model %s: a number of m above 0", in.Model)
		}
	case "knife_edge":
		if in.ObstacleM == nil {
			f.Add("obstacle_height_m",
				"is required with model knife_edge: a number of m, -10000 to 10000")
		}
	}
	return f.Err()
}
