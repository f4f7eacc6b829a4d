// Package component defines inputs for values of passive components in the usual units.
package component

import (
	"slipstick/tools"
	"slipstick/tools/choice"
	"slipstick/tools/eseries"
)

// Capacitance is a capacitance in one of several units.
type Capacitance struct {
	CF  *float64 `json:"c_f" unit:"F" gt:"0" max:"1e6" label:"Capacitance" doc:"Capacitance; alternative to c_uf, c_nf or c_pf"`
	CUF *float64 `json:"c_uf" unit:"µF" gt:"0" max:"1e12" alias:"c_f" label:"Capacitance (µF)" doc:"Capacitance in microfarads"`
	CNF *float64 `json:"c_nf" unit:"nF" gt:"0" max:"1e15" example:"100" alias:"c_f" label:"Capacitance (nF)" doc:"Capacitance in nanofarads"`
	CPF *float64 `json:"c_pf" unit:"pF" gt:"0" max:"1e18" alias:"c_f" label:"Capacitance (pF)" doc:"Capacitance in picofarads"`
}

// Farads returns the capacitance, or nil if none was given. It adds a field error if two values
// were given.
func (in Capacitance) Farads(f *tools.FieldErrors) *float64 {
	return inUnit(f, spelling{"c_f", in.CF, 1, 1}, spelling{"c_uf", in.CUF, 1, 1e6},
		spelling{"c_nf", in.CNF, 1, 1e9}, spelling{"c_pf", in.CPF, 1, 1e12})
}

// CapacitanceNames lists the fields of Capacitance for use in messages.
const CapacitanceNames = "c_f/c_uf/c_nf/c_pf"

// Inductance is an inductance in one of several units.
type Inductance struct {
	LH  *float64 `json:"l_h" unit:"H" gt:"0" max:"1e6" label:"Inductance" doc:"Inductance; alternative to l_mh, l_uh or l_nh"`
	LMH *float64 `json:"l_mh" unit:"mH" gt:"0" max:"1e9" alias:"l_h" label:"Inductance (mH)" doc:"Inductance in millihenries"`
	LUH *float64 `json:"l_uh" unit:"µH" gt:"0" max:"1e12" example:"10" alias:"l_h" label:"Inductance (µH)" doc:"Inductance in microhenries"`
	LNH *float64 `json:"l_nh" unit:"nH" gt:"0" max:"1e15" alias:"l_h" label:"Inductance (nH)" doc:"Inductance in nanohenries"`
}

// Henries returns the inductance, or nil if none was given. It adds a field error if two values
// were given.
func (in Inductance) Henries(f *tools.FieldErrors) *float64 {
	return inUnit(f, spelling{"l_h", in.LH, 1, 1}, spelling{"l_mh", in.LMH, 1, 1e3},
		spelling{"l_uh", in.LUH, 1, 1e6}, spelling{"l_nh", in.LNH, 1, 1e9})
}

// InductanceNames lists the fields of Inductance for use in messages.
const InductanceNames = "l_h/l_mh/l_uh/l_nh"

// Frequency is a frequency in one of several units.
type Frequency struct {
	FreqHz  *float64 `json:"freq_hz" unit:"Hz" gt:"0" max:"1e15" label:"Frequency" doc:"Frequency; alternative to freq_khz or freq_mhz"`
	FreqKHz *float64 `json:"freq_khz" unit:"kHz" gt:"0" max:"1e12" alias:"freq_hz" label:"Frequency (kHz)" doc:"Frequency in kilohertz"`
	FreqMHz *float64 `json:"freq_mhz" unit:"MHz" gt:"0" max:"1e9" alias:"freq_hz" label:"Frequency (MHz)" doc:"Frequency in megahertz"`
}

// Hertz returns the frequency, or nil if none was given. It adds a field error if two values were
// given.
func (in Frequency) Hertz(f *tools.FieldErrors) *float64 {
	return inUnit(f, spelling{"freq_hz", in.FreqHz, 1, 1}, spelling{"freq_khz", in.FreqKHz, 1e3, 1},
		spelling{"freq_mhz", in.FreqMHz, 1e6, 1})
}

// FrequencyNames lists the fields of Frequency for use in messages.
const FrequencyNames = "freq_hz/freq_khz/freq_mhz"

// spelling is a quantity in one of its units; its SI value is times·value/per. Both factors are
// integer powers of ten, so the conversion rounds only once. 100/1e9 is the double nearest to 1e-7,
// but 100·1e-9 need not be.
type spelling struct {
	name       string
	value      *float64
	times, per float64
}

// inUnit returns the SI value of the spelling that was given, or nil if none was given. It adds an
// error to f if several were given.
func inUnit(f *tools.FieldErrors, spellings ...spelling) *float64 {
	var si *float64
	group := make([]choice.Field, len(spellings))
	for i, s := range spellings {
		group[i] = choice.Of(s.name, s.value != nil)
		if s.value != nil {
			si = new(*s.value * s.times / s.per)
		}
	}
	choice.AtMost(f, 1, group...)
	return si
}

// ESeries selects the preferred values to which results are rounded.
type ESeries struct {
	Series string `json:"series" enum:"E3,E6,E12,E24,E48,E96,E192" default:"E24" label:"E-series" doc:"Series of preferred values (IEC 60063)"`
}

// Preferred returns the selected series. Validation ensures that the name is valid.
func (in ESeries) Preferred() eseries.Series {
	s, _ := eseries.Find(in.Series)
	return s
}

// OtherSeries returns the field "series" for choice.Ignored. It counts as given if the series is
// not the default.
func (in ESeries) OtherSeries() choice.Field { return choice.Of("series", in.Series != "E24") }
