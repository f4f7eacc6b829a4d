package rf

import (
	"context"
	"fmt"
	"math"

	"slipstick/tools"
)

// DBmConvert converts a level in dBm to power and voltage.
var DBmConvert = tools.Define(tools.Spec{
	Name:    "dbm_convert",
	Title:   "dBm converter",
	Summary: "Power and voltage of a level in dBm across an impedance",
	Method:  "P = 1 mW · 10^(dBm/10); V_rms = √(P Z), V_peak = √2 V_rms, V_pp = 2 V_peak; dBW = dBm - 30; dBµV = 20 log10(V_rms / 1 µV)",
	Sources: []string{
		"ITU-R V.574-5 (2015), use of the decibel in telecommunications: dBm, dBW and dBµV"},
	Limits:  []string{"Voltages are those of a sine across a resistance; peak values of noise or modulated signals are higher"},
	Aliases: []string{"dBm to mW", "decibel", "dBm to watts", "dBm to volts", "dBuV", "milliwatt"},
	Examples: []tools.Example{{
		Title: "30 dBm in 50 Ω",
		In:    `{"dbm": 30}`,
		Want:  `{"mw": 1000.000, "watts": 1.000000, "vrms": 7.0710678, "vpeak": 10.000000, "vpp": 20.000000, "dbw": 0, "dbuv": 136.98970, "warnings": []}`,
		From:  "by hand: √(1 W · 50 Ω); 20 log10(7.0710678e6)",
	}, {
		Title: "The dBu reference, 1 mW in 600 Ω",
		In:    `{"dbm": 0, "impedance_ohm": 600}`,
		Want:  `{"vrms": 0.7745967}`,
		From:  "0 dBu is 0.7746 V",
	}, {
		Title: "Half a watt",
		In:    `{"dbm": 27}`,
		Want:  `{"mw": 501.18723, "dbw": -3}`,
		From:  "by hand: 10^2.7",
	}},
}, dbmConvert)

type dbmConvertIn struct {
	DBm          float64 `json:"dbm" unit:"dBm" min:"-1000" max:"1000" example:"30" label:"Power level" doc:"Power level relative to 1 mW"`
	ImpedanceOhm float64 `json:"impedance_ohm" unit:"Ω" gt:"0" max:"1e12" default:"50" label:"Impedance" doc:"Load resistance for the voltages"`
}

type dbmConvertOut struct {
	MW    float64 `json:"mw" unit:"mW" label:"Power (mW)" doc:"Power in milliwatts"`
	Watts float64 `json:"watts" unit:"W" label:"Power (W)" doc:"Power in watts"`
	VRMS  float64 `json:"vrms" unit:"V" label:"RMS voltage" doc:"RMS voltage across the impedance"`
	DBW   float64 `json:"dbw" unit:"dBW" label:"Power level" doc:"Power level relative to 1 W"`
	VPeak float64 `json:"vpeak" unit:"V" label:"Peak voltage" doc:"Peak voltage of a sine"`
	VPP   float64 `json:"vpp" unit:"V" label:"Peak-to-peak voltage" doc:"Peak-to-peak voltage of a sine"`
	DBuV  float64 `json:"dbuv" unit:"dBµV" label:"Voltage level" doc:"RMS voltage relative to 1 µV"`
	tools.Warnings
}

func dbmConvert(_ context.Context, in dbmConvertIn) (dbmConvertOut, error) {
	var out dbmConvertOut
	out.DBW = in.DBm - 30
	out.MW = math.Pow(10, in.DBm/10)
	out.Watts = math.Pow(10, out.DBW/10)
	out.VRMS = math.Sqrt(out.Watts * in.ImpedanceOhm)
	out.VPeak = math.Sqrt2 * out.VRMS
	out.VPP = 2 * out.VPeak
	out.DBuV = out.DBW + 10*math.Log10(in.ImpedanceOhm) + 120
	if in.DBm < leastDBm || in.DBm > mostDBm {
		out.Warn(
			"dbm: %g dBm is %.3g W; levels are usually %d dBm (thermal noise in 1 Hz is -174 dBm) to %d dBm (1 GW)%s",
			in.DBm, out.Watts, leastDBm, mostDBm, inMilliwatts(in.DBm))
	}
	return out, nil
}

// Usual levels in dBm: deep space probes are received at some -160 dBm, and the pulses of the
// largest radars have less than 1 GW.
const (
	leastDBm = -200
	mostDBm  = 120
)

// inMilliwatts returns a hint for a level that was probably given in mW, or "" if it is negative.
func inMilliwatts(mw float64) string {
	if mw < 0 {
		return ""
	}
	return fmt.Sprintf("; for %g mW send \"dbm\": %.4g", mw, 10*math.Log10(mw))
}
