package rf

import (
	"context"

	"slipstick/tools"
	"slipstick/tools/phys"
)

// WavelengthFreq converts between frequency and wavelength.
var WavelengthFreq = tools.Define(tools.Spec{
	Name:    "wavelength_freq",
	Title:   "Wavelength and frequency",
	Summary: "Convert a frequency to its wavelength in vacuum or back, with the ITU band",
	Method:  "λ = c / f with c = 299 792 458 m/s exactly. Either input is enough; both must agree within 0.1 %",
	Sources: []string{
		"SI brochure, 9th edition (2019): the speed of light",
		"ITU Radio Regulations (2020), No. 2.1: frequency bands, lower limit exclusive, upper limit inclusive",
	},
	Limits: []string{
		"Vacuum; in air 0.03 % shorter, in a cable or on a board shorter by the velocity factor"},
	Aliases: []string{"frequency to wavelength", "lambda", "radio band", "metre band",
		"UHF", "VHF"},
	Primary: []string{"wavelength_m", "freq_mhz"},
	Solves:  tools.Solves{Inputs: []string{"freq_mhz", "wavelength_m"}, Given: 1},
	Examples: []tools.Example{
		{
			Title: "915 MHz",
			In:    `{"freq_mhz": 915}`,
			Want:  `{"freq_ghz": 0.915, "wavelength_m": 0.327642, "wavelength_cm": 32.7642, "wavelength_mm": 327.642, "wavelength_ft": 1.074941, "band": "UHF", "half_wave_m": 0.163821, "quarter_wave_m": 0.0819105, "warnings": []}`,
			From:  "by hand: 299.792458 / 915",
		},
		{
			Title: "The 2 m band",
			In:    `{"wavelength_m": 2}`,
			Want:  `{"freq_mhz": 149.896229, "band": "VHF"}`,
			From:  "by hand: 299.792458 / 2",
		},
		{
			Title: "Quarter-wave whip for 868 MHz",
			In:    `{"freq_mhz": 868}`,
			Want:  `{"wavelength_m": 0.345383, "quarter_wave_m": 0.0863458, "band": "UHF"}`,
			From:  "by hand: 299.792458/868",
		},
	},
}, wavelengthFreq)

type wavelengthFreqIn struct {
	FreqMHz     *float64 `json:"freq_mhz" unit:"MHz" gt:"0" max:"1e100" example:"915" label:"Frequency" doc:"Frequency"`
	WavelengthM *float64 `json:"wavelength_m" unit:"m" gt:"0" max:"1e100" example:"0.3276" label:"Wavelength" doc:"Wavelength in vacuum"`
}

type wavelengthFreqOut struct {
	FreqMHz      float64 `json:"freq_mhz" unit:"MHz" label:"Frequency" doc:"Frequency"`
	FreqGHz      float64 `json:"freq_ghz" unit:"GHz" label:"Frequency (GHz)" doc:"Frequency"`
	WavelengthM  float64 `json:"wavelength_m" unit:"m" label:"Wavelength" doc:"Wavelength in vacuum"`
	WavelengthCm float64 `json:"wavelength_cm" unit:"cm" label:"Wavelength (cm)" doc:"Wavelength in vacuum"`
	WavelengthMm float64 `json:"wavelength_mm" unit:"mm" label:"Wavelength (mm)" doc:"Wavelength in vacuum"`
	WavelengthFt float64 `json:"wavelength_ft" unit:"ft" label:"Wavelength (ft)" doc:"Wavelength in vacuum"`
	Band         *string `json:"band" label:"ITU band" doc:"ITU name of the band, VLF to EHF; null outside 3 kHz to 300 GHz"`
	HalfWaveM    float64 `json:"half_wave_m" unit:"m" label:"Half wavelength" doc:"Half of the wavelength"`
	QuarterWaveM float64 `json:"quarter_wave_m" unit:"m" label:"Quarter wavelength" doc:"Quarter of the wavelength"`
	tools.Warnings
}

// bands lists the bands of the Radio Regulations, each a decade above the previous.
var bands = []struct {
	name     string
	aboveMHz float64 // exclusive
}{
	{"VLF", 3e-3}, {"LF", 30e-3}, {"MF", 300e-3}, {"HF", 3}, {"VHF", 30}, {"UHF", 300},
	{"SHF", 3e3}, {"EHF", 30e3}, {"", 300e3}, // no name above EHF
}

func wavelengthFreq(_ context.Context, in wavelengthFreqIn) (wavelengthFreqOut, error) {
	var out wavelengthFreqOut
	switch f, l := in.FreqMHz, in.WavelengthM; {
	case f == nil && l == nil:
		return out, tools.Invalid("", "one of freq_mhz and wavelength_m is needed")
	case f != nil && l != nil && !agree(phys.Wavelength(*f), *l):
		var errs tools.FieldErrors
		errs.AddValue(
			"freq_mhz", *f,
			"contradicts wavelength_m: it is a wavelength of %.6g m; give one, or values that agree within 0.1 %%",
			phys.Wavelength(*f),
		)
		errs.AddValue("wavelength_m", *l, "contradicts freq_mhz: it is a frequency of %.6g MHz",
			phys.C / *l / 1e6)
		return out, errs.Err()
	case f != nil:
		out.FreqMHz, out.WavelengthM = *f, phys.Wavelength(*f)
	default:
		out.FreqMHz, out.WavelengthM = phys.C / *l / 1e6, *l
	}
	out.FreqGHz = out.FreqMHz / 1e3
	out.WavelengthCm = out.WavelengthM * 100
	out.WavelengthMm = out.WavelengthM * 1000
	out.WavelengthFt = out.WavelengthM / phys.Foot
	out.HalfWaveM = out.WavelengthM / 2
	out.QuarterWaveM = out.WavelengthM / 4
	for _, b := range bands {
		if out.FreqMHz > b.aboveMHz {
			out.Band = new(b.name)
		}
	}
	if out.Band == nil || *out.Band == "" {
		out.Band = nil
		out.Warn("%.6g MHz lies outside the bands that have a name (VLF to EHF, 3 kHz to 300 GHz)",
			out.FreqMHz)
	}
	return out, nil
}
