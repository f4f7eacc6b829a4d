package rf

import (
	"context"
	"math"

	"slipstick/tools"
	"slipstick/tools/phys"
	"slipstick/tools/tolerance"
)

// NoiseFigureCascade computes the noise figure of a chain of amplifiers, filters and mixers.
var NoiseFigureCascade = tools.Define(tools.Spec{
	Name:    "noise_figure_cascade",
	Title:   "Cascaded noise figure",
	Summary: "Noise figure, gain and noise temperature of a receiver chain, with the contribution of each stage",
	Method: "Friis: F = F1 + (F2 - 1)/G1 + (F3 - 1)/(G1 G2) + …, with F = 10^(NF/10) and G = 10^(gain/10); " +
		"noise temperature T = 290 K (F - 1). A passive part with loss L at 290 K is nf_db = L, gain_db = -L",
	Sources: []string{
		"H. T. Friis, Noise Figures of Radio Receivers, Proc. IRE 32 (1944) 419-422",
		"D. M. Pozar, Microwave Engineering, 4th edition (2012), section 10.2, example 10.2",
	},
	Limits: []string{
		"Stages matched to each other; available gain, not transducer gain, where they are not",
		"Noise figures refer to 290 K; the image noise of a mixer counts only if its figure is single-sideband",
	},
	Aliases: []string{"friis noise", "noise temperature", "receiver noise figure",
		"system noise figure", "LNA"},
	Examples: []tools.Example{{
		Title: "Amplifier, filter, mixer",
		In:    `{"stages": [{"nf_db": 2, "gain_db": 10}, {"nf_db": 1, "gain_db": -1}, {"nf_db": 4, "gain_db": -3}]}`,
		Want:  `{"total_nf_db": 2.5554, "total_gain_db": 6, "noise_temp_k": 232.33, "sensitivity_floor_dbm_hz": -171.4446, "warnings": []}`,
		From:  "Pozar, Microwave Engineering, 4th edition, example 10.2 (F = 1.80 = 2.55 dB)",
	}, {
		Title: "Low-noise amplifier behind a cable of 2 dB",
		In:    `{"stages": [{"nf_db": 2, "gain_db": -2}, {"nf_db": 1, "gain_db": 20}]}`,
		Want:  `{"total_nf_db": 3.0000, "total_gain_db": 18}`,
		From:  "by hand: the loss ahead of an amplifier adds in full",
	}, {
		Title: "The amplifier at the mast, before the cable",
		In:    `{"stages": [{"nf_db": 1, "gain_db": 20}, {"nf_db": 2, "gain_db": -2}]}`,
		Want:  `{"total_nf_db": 1.0201, "total_gain_db": 18}`,
		From:  "by hand: 10 log10(1.258925 + 0.584893/100)",
	}},
}, noiseFigureCascade)

type noiseFigureCascadeIn struct {
	Stages []noiseStageIn `json:"stages" minItems:"1" maxItems:"64" example:"[{\"nf_db\": 2, \"gain_db\": 10}, {\"nf_db\": 4, \"gain_db\": -3}]" label:"Stages" doc:"The stages in signal order"`
}

type noiseStageIn struct {
	NFdB   float64 `json:"nf_db" unit:"dB" min:"0" max:"300" example:"2" label:"Noise figure" doc:"Noise figure of the stage"`
	GainDB float64 `json:"gain_db" unit:"dB" min:"-300" max:"300" example:"10" label:"Gain" doc:"Gain of the stage; a loss is negative"`
}

type noiseFigureCascadeOut struct {
	TotalNFdB   float64         `json:"total_nf_db" unit:"dB" label:"Cascade noise figure" doc:"Noise figure of the chain"`
	TotalGainDB float64         `json:"total_gain_db" unit:"dB" label:"Cascade gain" doc:"Gain of the chain"`
	NoiseTempK  float64         `json:"noise_temp_k" unit:"K" label:"Noise temperature" doc:"Noise temperature of the chain, referred to its input"`
	FloorDBmHz  float64         `json:"sensitivity_floor_dbm_hz" unit:"dBm/Hz" label:"Noise density at the input" doc:"Noise density at the input: -174 dBm/Hz plus the noise figure"`
	Stages      []noiseStageOut `json:"stages" label:"Cumulative values" doc:"Values of the chain up to and including each stage"`
	tools.Warnings
}

type noiseStageOut struct {
	CumulativeNFdB   float64  `json:"cumulative_nf_db" unit:"dB" label:"Cumulative noise figure" doc:"Noise figure up to this stage"`
	CumulativeGainDB float64  `json:"cumulative_gain_db" unit:"dB" label:"Cumulative gain" doc:"Gain up to this stage"`
	ContributionPct  *float64 `json:"contribution_pct" unit:"%" label:"Share of noise temperature" doc:"Share of the chain's noise temperature; null when the chain adds no noise"`
}

func noiseFigureCascade(_ context.Context, in noiseFigureCascadeIn) (noiseFigureCascadeOut, error) {
	var out noiseFigureCascadeOut
	added := make([]float64, len(in.Stages)) // F - 1 of each stage, referred to the input
	var excess, gain float64                 // F - 1 of the chain so far, and its gain [dB]
	for i, s := range in.Stages {
		added[i] = excessNoise(s.NFdB) / math.Pow(10, gain/10)
		excess += added[i]
		gain += s.GainDB
		out.Stages = append(out.Stages,
			noiseStageOut{CumulativeNFdB: noiseFigure(excess), CumulativeGainDB: gain})
	}
	out.TotalNFdB = noiseFigure(excess)
	out.TotalGainDB = gain
	out.NoiseTempK = phys.T0 * excess
	out.FloorDBmHz = phys.ThermalDBm + out.TotalNFdB
	if excess == 0 {
		out.Warn(
			"every noise figure is 0 dB: the chain adds no noise, so no stage has a share of it")
		return out, nil
	}
	worst := 0
	for i, a := range added {
		out.Stages[i].ContributionPct = new(100 * a / excess)
		if a > added[worst]*(1+1e-9) {
			worst = i
		}
	}
	if worst > 0 {
		first := *out.Stages[0].ContributionPct
		out.Warn(
			"stage %d adds %g %% of the noise, more than the first (%g %%): more gain before it, or less noise in it, helps most",
			worst+1, tolerance.RoundAbove(*out.Stages[worst].ContributionPct, first, 3),
			tolerance.RoundDown(first, 3),
		)
	}
	for i, s := range in.Stages {
		if s.NFdB < -s.GainDB-1e-9 {
			out.Warn(
				"stages[%d]: a noise figure of %g dB is below the stage's loss of %g dB: a passive part at 290 K has the two equal",
				i, s.NFdB, -s.GainDB,
			)
		}
	}
	return out, nil
}

// excessNoise converts a noise figure in dB to F - 1. It uses expm1 to preserve the digits of a
// small result.
func excessNoise(nfDB float64) float64 { return math.Expm1(nfDB * math.Ln10 / 10) }

// noiseFigure converts an excess F - 1 to a noise figure in dB.
func noiseFigure(excess float64) float64 { return 10 / math.Ln10 * math.Log1p(excess) }
