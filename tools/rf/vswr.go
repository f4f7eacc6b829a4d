package rf

import (
	"context"
	"math"

	"slipstick/tools"
)

// VSWR converts between VSWR, return loss and reflection coefficient.
var VSWR = tools.Define(tools.Spec{
	Name:    "vswr",
	Title:   "VSWR, return loss, reflection",
	Summary: "Convert between VSWR, return loss and reflection coefficient, with mismatch loss and power shares",
	Method: "Γ = (VSWR - 1)/(VSWR + 1) = 10^(-RL/20); VSWR = (1 + Γ)/(1 - Γ), RL = -20 log10 Γ; mismatch loss = -10 log10(1 - Γ²); " +
		"reflected power 100 Γ² %. Any one input is enough; several must agree within 0.1 % in Γ",
	Sources: []string{"D. M. Pozar, Microwave Engineering, 4th edition (2012), section 2.3, equations 2.38 and 2.41"},
	Limits: []string{
		"Lossless line: the VSWR measured at the far end of a lossy cable looks better than at the antenna",
		"Mismatch loss is against a matched source; a source that is itself mismatched can gain or lose more",
	},
	Aliases: []string{"SWR", "standing wave ratio", "return loss", "reflection coefficient",
		"mismatch loss", "S11", "gamma"},
	Solves: tools.Solves{Inputs: []string{"vswr", "return_loss_db", "reflection_coefficient"},
		Given: 1},
	Examples: []tools.Example{{
		Title: "VSWR 1.5",
		In:    `{"vswr": 1.5}`,
		Want:  `{"vswr": 1.5, "return_loss_db": 13.9794, "reflection_coefficient": 0.200000, "mismatch_loss_db": 0.177288, "power_reflected_pct": 4.00000, "power_transmitted_pct": 96.0000, "warnings": []}`,
	}, {
		Title: "An analyser shows 20 dB of return loss",
		In:    `{"return_loss_db": 20}`,
		Want:  `{"vswr": 1.222222, "reflection_coefficient": 0.100000, "mismatch_loss_db": 0.0436481}`,
		From:  "by hand: 1.1/0.9",
	}, {
		Title: "A quarter of the power comes back",
		In:    `{"reflection_coefficient": 0.5}`,
		Want:  `{"vswr": 3.000000, "return_loss_db": 6.0206, "power_reflected_pct": 25.0000}`,
		From:  "by hand: 1.5/0.5",
	}},
}, vswr)

type vswrIn struct {
	VSWR       *float64 `json:"vswr" unit:"1" min:"1" example:"1.5" label:"VSWR" doc:"Voltage standing wave ratio"`
	ReturnLoss *float64 `json:"return_loss_db" unit:"dB" min:"0" max:"1000" example:"14" label:"Return loss" doc:"Return loss, as a positive number"`
	Reflection *float64 `json:"reflection_coefficient" unit:"1" min:"0" max:"1" example:"0.2" label:"Reflection coefficient" doc:"Magnitude of the reflection coefficient"`
}

type vswrOut struct {
	VSWR           *float64 `json:"vswr" unit:"1" label:"VSWR" doc:"Voltage standing wave ratio; null at total reflection"`
	ReturnLoss     *float64 `json:"return_loss_db" unit:"dB" label:"Return loss" doc:"Return loss; null at a perfect match"`
	Reflection     float64  `json:"reflection_coefficient" unit:"1" label:"Reflection coefficient" doc:"Magnitude of the reflection coefficient"`
	MismatchLoss   *float64 `json:"mismatch_loss_db" unit:"dB" label:"Mismatch loss" doc:"Power lost to the reflection; null at total reflection"`
	ReflectedPct   float64  `json:"power_reflected_pct" unit:"%" label:"Reflected power" doc:"Share of the incident power that is reflected"`
	TransmittedPct float64  `json:"power_transmitted_pct" unit:"%" label:"Transmitted power" doc:"Share of the incident power that reaches the load"`
	tools.Warnings
}

// mismatch is a reflection coefficient and its difference from 1. Both are stored because computing
// either from the other may lose all digits.
type mismatch struct{ gamma, rest float64 }

func (m mismatch) vswr() float64        { return (1 + m.gamma) / m.rest }
func (m mismatch) transmitted() float64 { return m.rest * (1 + m.gamma) }
func (m mismatch) returnLoss() float64 {
	if m.rest < 0.5 {
		return -20 / math.Ln10 * math.Log1p(-m.rest)
	}
	return -20 * math.Log10(m.gamma)
}

// loss returns -10 log10(1 - Γ²). To avoid cancellation, it computes from Γ if Γ < 0.5, and
// otherwise from rest = 1 - Γ.
func (m mismatch) loss() float64 {
	if m.gamma < 0.5 {
		return -10 / math.Ln10 * math.Log1p(-m.gamma*m.gamma)
	}
	return -10 * math.Log10(m.transmitted())
}

func vswr(_ context.Context, in vswrIn) (vswrOut, error) {
	var out vswrOut
	type reading struct {
		name  string
		value float64
		mismatch
	}
	var given []reading
	if v := in.VSWR; v != nil {
		given = append(given, reading{"vswr", *v, mismatch{(*v - 1) / (*v + 1), 2 / (*v + 1)}})
	}
	if v := in.ReturnLoss; v != nil {
		x := *v * math.Ln10 / 20
		given = append(given,
			reading{"return_loss_db", *v, mismatch{math.Exp(-x), -math.Expm1(-x)}})
	}
	if v := in.Reflection; v != nil {
		given = append(given, reading{"reflection_coefficient", *v, mismatch{*v, 1 - *v}})
	}
	if len(given) == 0 {
		return out, tools.Invalid("",
			"one of vswr, return_loss_db and reflection_coefficient is needed")
	}
	var contradictions tools.FieldErrors
	for _, a := range given {
		for _, b := range given {
			if !agree(a.gamma, b.gamma) {
				contradictions.AddValue(
					a.name, a.value,
					"contradicts %s: it means a reflection coefficient of %.6g, not %.6g; give one, or values that agree within 0.1 %%",
					b.name, a.gamma, b.gamma,
				)
				break
			}
		}
	}
	if err := contradictions.Err(); err != nil {
		return out, err
	}

	m := given[0].mismatch
	out.Reflection = m.gamma
	out.ReflectedPct = 100 * m.gamma * m.gamma
	out.TransmittedPct = 100 * m.transmitted()
	if m.rest > 0 {
		out.VSWR = new(m.vswr())
		out.MismatchLoss = new(m.loss())
	} else {
		out.Warn("everything is reflected: VSWR and mismatch loss are infinite, shown as null")
	}
	if m.gamma > 0 {
		out.ReturnLoss = new(m.returnLoss())
	} else {
		out.Warn("nothing is reflected: the return loss is infinite, shown as null")
	}
	// The given quantity is copied to the result instead of computed from Γ.
	if in.VSWR != nil {
		out.VSWR = in.VSWR
	} else if in.ReturnLoss != nil {
		out.ReturnLoss = in.ReturnLoss
	}
	return out, nil
}

// agree reports whether two values of the same quantity differ by at most 0.1 % of the larger, the
// rounding error of three digits.
func agree(a, b float64) bool {
	return math.Abs(a-b) <= 1e-3*(1+1e-9)*math.Max(math.Abs(a), math.Abs(b))+1e-12
}
