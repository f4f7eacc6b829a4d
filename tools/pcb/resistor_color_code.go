package pcb

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"slipstick/tools"
	"slipstick/tools/choice"
	"slipstick/tools/eseries"
)

// ResistorColorCode decodes and encodes the coloured bands of resistors.
var ResistorColorCode = tools.Define(tools.Spec{
	Name:    "resistor_color_code",
	Title:   "Resistor colour code",
	Summary: "Read the bands of a resistor, or find the bands for a resistance; 1 and 3 to 6 bands",
	Method: "Two digits (3 and 4 bands) or three (5 and 6), a multiplier, a tolerance (20 % with 3 bands), with 6 bands a temperature " +
		"coefficient. One black band is 0 Ω. A value is written with 4 bands when two digits and a multiplier to 1e9 suffice and the tolerance is 2 % or wider, else with 5",
	Sources: []string{"IEC 60062:2016, colour code for resistors",
		"IEC 60063:2015, preferred number series"},
	Limits: []string{
		"Bands are read from the end they are nearer to; a set that makes sense both ways cannot be told apart",
		"Military failure-rate bands and the four-band code with a temperature coefficient are not read",
	},
	Aliases: []string{"color bands", "resistor bands", "colour code", "4 band", "5 band", "6 band",
		"IEC 60062", "E24", "nearest standard value"},
	Primary: []string{"resistance_ohm", "bands"},
	Examples: []tools.Example{{
		Title: "Yellow violet red gold",
		In:    `{"bands": ["yellow", "violet", "red", "gold"]}`,
		Want:  `{"resistance_ohm": 4700, "tolerance_pct": 5, "min_ohm": 4465, "max_ohm": 4935, "temp_coeff_ppm_k": null, "band_count": 4, "e_series": "E3", "warnings": []}`,
	}, {
		Title: "4.99 kΩ, 1 %",
		In:    `{"resistance_ohm": 4990, "tolerance_pct": 1, "band_count": 5}`,
		Want:  `{"bands": ["yellow", "white", "white", "brown", "brown"], "e_series": "E96", "warnings": []}`,
	}, {
		Title: "Brown, black, red, gold",
		In:    `{"bands": ["brown", "black", "red", "gold"]}`,
		Want:  `{"resistance_ohm": 1000, "min_ohm": 950, "max_ohm": 1050}`,
		From:  "by hand: 10 × 10², 5 %",
	}},
}, resistorColorCode)

type resistorColorCodeIn struct {
	Bands         *[]string `json:"bands" minItems:"1" maxItems:"6" maxLength:"20" example:"[\"yellow\",\"violet\",\"red\",\"gold\"]" label:"Color bands" doc:"Colors in order: 1, 3, 4, 5 or 6 bands; alternative to resistance_ohm"`
	ResistanceOhm *float64  `json:"resistance_ohm" unit:"Ω" gt:"0" max:"1e12" label:"Resistance" doc:"Resistance to encode"`
	TolerancePct  *float64  `json:"tolerance_pct" unit:"%" gt:"0" max:"100" label:"Tolerance" doc:"Tolerance to encode; default 5, or 20 with three bands"`
	BandCount     *int      `json:"band_count" unit:"1" min:"3" max:"6" label:"Number of bands" doc:"Number of bands to encode; by default 3, 4 or 5 by digits and tolerance"`
	TempCoeff     *float64  `json:"temp_coeff_ppm_k" unit:"ppm/K" gt:"0" max:"1000" label:"Temperature coefficient" doc:"Temperature coefficient to encode; required for 6 bands"`
}

type resistorColorCodeOut struct {
	ResistanceOhm float64  `json:"resistance_ohm" unit:"Ω" label:"Resistance" doc:"Nominal resistance"`
	TolerancePct  *float64 `json:"tolerance_pct" unit:"%" label:"Tolerance" doc:"Tolerance; null for a jumper of one black band"`
	MinOhm        *float64 `json:"min_ohm" unit:"Ω" label:"Minimum resistance" doc:"Resistance at the lower end of the tolerance; null for a jumper"`
	MaxOhm        *float64 `json:"max_ohm" unit:"Ω" label:"Maximum resistance" doc:"Resistance at the upper end of the tolerance; null for a jumper"`
	TempCoeff     *float64 `json:"temp_coeff_ppm_k" unit:"ppm/K" label:"Temperature coefficient" doc:"Temperature coefficient; null below six bands"`
	Bands         []string `json:"bands" label:"Color bands" doc:"Colors in order"`
	BandCount     int      `json:"band_count" unit:"1" label:"Number of bands" doc:"Number of bands"`
	ESeries       *string  `json:"e_series" enum:"E3,E6,E12,E24,E48,E96,E192" label:"E-series" doc:"Coarsest series of preferred values that contains the resistance; null when none does"`
	tools.Warnings
}

// bandColor contains the meanings of a colour in each band. Some colours have no meaning in some
// bands.
type bandColor struct {
	name      string
	digit     int     // -1 absent
	exponent  int     // exponent of the multiplier; every colour has one
	tolerance float64 // [%]; 0 if the colour has no tolerance
	tempCoeff float64 // [ppm/K]; 0 if the colour has no coefficient
}

// bandColors is the colour code of IEC 60062:2016.
var bandColors = [...]bandColor{
	{"black", 0, 0, 0, 250},
	{"brown", 1, 1, 1, 100},
	{"red", 2, 2, 2, 50},
	{"orange", 3, 3, 0.05, 15},
	{"yellow", 4, 4, 0.02, 25},
	{"green", 5, 5, 0.5, 20},
	{"blue", 6, 6, 0.25, 10},
	{"violet", 7, 7, 0.1, 5},
	{"grey", 8, 8, 0.01, 1},
	{"white", 9, 9, 0, 0},
	{"gold", -1, -1, 5, 0},
	{"silver", -1, -2, 10, 0},
	{"pink", -1, -3, 0, 0},
}

// smallestExponent is the exponent of pink, largestExponent that of white.
const smallestExponent, largestExponent = -3, 9

// threeBandTolerance is the tolerance [%] of a resistor without a tolerance band.
const threeBandTolerance = 20

func resistorColorCode(_ context.Context, in resistorColorCodeIn) (resistorColorCodeOut, error) {
	var f tools.FieldErrors
	choice.Exactly(&f, 1, choice.Of("bands", in.Bands != nil),
		choice.Of("resistance_ohm", in.ResistanceOhm != nil))
	if err := f.Err(); err != nil {
		return resistorColorCodeOut{}, err
	}
	var code []bandColor
	var out resistorColorCodeOut
	if in.Bands != nil {
		code = findColors(&f, *in.Bands)
		choice.Ignored(&out.Warnings, "the bands say it",
			choice.Of("tolerance_pct", in.TolerancePct != nil),
			choice.Of("band_count", in.BandCount != nil),
			choice.Of("temp_coeff_ppm_k", in.TempCoeff != nil))
	} else {
		code = encodeBands(&f, in)
		if in.TempCoeff != nil && len(code) < 6 {
			choice.Ignored(&out.Warnings, "only six bands show it; give band_count 6",
				choice.Of("temp_coeff_ppm_k", true))
		}
	}
	if err := f.Err(); err != nil {
		return out, err
	}
	if err := out.decode(code); err != nil {
		return out, err
	}
	out.warn(code, in.Bands != nil)
	return out, nil
}

// findColors returns the colours with the given names, in any case and usual spelling.
func findColors(f *tools.FieldErrors, names []string) []bandColor {
	if len(names) == 2 {
		f.AddValue("bands", names, "must be 1 or 3 to 6 colours; there is no code of two")
	}
	code := make([]bandColor, len(names))
	for i, name := range names {
		plain := strings.ToLower(strings.TrimSpace(name))
		switch plain {
		case "gray":
			plain = "grey"
		case "purple":
			plain = "violet"
		}
		found := false
		for _, c := range bandColors {
			if c.name == plain {
				code[i], found = c, true
			}
		}
		if !found {
			f.AddValue(fmt.Sprintf("bands[%d]", i), name, "is no colour of the code; it must be %s",
				colorsWith(func(bandColor) bool { return true }))
		}
	}
	return code
}

// colorsWith returns the names of the colours that have a property.
func colorsWith(has func(bandColor) bool) string {
	var names []string
	for _, c := range bandColors {
		if has(c) {
			names = append(names, c.name)
		}
	}
	return strings.Join(names, ", ")
}

// isDigit, isTolerance and isTempCoeff report whether a colour may appear in a band of that type.
func isDigit(c bandColor) bool     { return c.digit >= 0 }
func isTolerance(c bandColor) bool { return c.tolerance > 0 }
func isTempCoeff(c bandColor) bool { return c.tempCoeff > 0 }

// digitBands returns the number of digit bands in a code of the given number of bands.
func digitBands(bands int) int {
	if bands >= 5 {
		return 3
	}
	return 2
}

// decode decodes the bands and sets the result.
func (out *resistorColorCodeOut) decode(code []bandColor) error {
	var f tools.FieldErrors
	misplaced := func(i int, ok func(bandColor) bool, what string) {
		if ok(code[i]) {
			return
		}
		hint := ""
		if i == 0 && len(code) > 1 && (code[0].name == "gold" || code[0].name == "silver") {
			hint = "; the bands may be reversed"
		}
		f.AddValue(fmt.Sprintf("bands[%d]", i), code[i].name,
			"cannot be %s; that takes one of %s%s",
			what, colorsWith(ok), hint)
	}
	n := digitBands(len(code))
	if len(code) == 1 {
		n = 1
		misplaced(0, func(c bandColor) bool { return c.name == "black" },
			"the only band, which is that of a 0 Ω jumper")
	} else {
		for i := range n {
			misplaced(i, isDigit, "a digit")
		}
	}
	if len(code) >= 4 {
		misplaced(n+1, isTolerance, "a tolerance")
	}
	if len(code) == 6 {
		misplaced(5, isTempCoeff, "a temperature coefficient")
	}
	if err := f.Err(); err != nil {
		return err
	}

	out.BandCount = len(code)
	for _, c := range code {
		out.Bands = append(out.Bands, c.name)
	}
	if len(code) == 1 {
		return nil
	}
	text := ""
	for _, c := range code[:n] {
		text += strconv.Itoa(c.digit)
	}
	// Parsing the decimal text as one number yields the double nearest to 4.7 Ω.
	out.ResistanceOhm, _ = strconv.ParseFloat(text+"e"+strconv.Itoa(code[n].exponent), 64)
	tolerance := float64(threeBandTolerance)
	if len(code) >= 4 {
		tolerance = code[n+1].tolerance
	}
	margin := out.ResistanceOhm * tolerance / 100
	out.TolerancePct, out.MinOhm, out.MaxOhm = &tolerance, new(
		out.ResistanceOhm-margin,
	), new(out.ResistanceOhm+margin)
	if len(code) == 6 {
		out.TempCoeff = &code[5].tempCoeff
	}
	if s, ok := eseries.Coarsest(out.ResistanceOhm); ok {
		out.ESeries = &s.Name
	}
	return nil
}

// warn adds warnings about a code of several bands. read is set if the caller read the bands.
func (out *resistorColorCodeOut) warn(code []bandColor, read bool) {
	if len(code) == 1 {
		return
	}
	leadingZero, preferred := "", "; resistors of that value are made to order only"
	if read {
		leadingZero, preferred = ": the bands may be reversed",
			": the bands may be misread or reversed"
	}
	if code[0].digit == 0 {
		out.Warn("the first digit is black, a leading zero%s", leadingZero)
	}
	if out.ESeries == nil {
		out.Warn("%g Ω is in no E series%s", out.ResistanceOhm, preferred)
	}
	if len(code) >= 4 && code[digitBands(len(code))+1].name == "grey" {
		out.Warn("grey is 0.01 %% since IEC 60062:2016; before, it was 0.05 %%")
	}
}

// encodeBands returns the colours for a resistance.
func encodeBands(f *tools.FieldErrors, in resistorColorCodeIn) []bandColor {
	tolerance := 5.0
	if in.BandCount != nil && *in.BandCount == 3 {
		tolerance = threeBandTolerance
	}
	tolerance = choice.Or(in.TolerancePct, tolerance)
	digits, exponent := significand(*in.ResistanceOhm)
	bands := 5
	switch {
	case in.BandCount != nil:
		bands = *in.BandCount
	case len(digits) <= 2 && tolerance == threeBandTolerance:
		bands = 3 // no colour denotes 20 %
	case len(digits) <= 2 && len(digits)+exponent <= 2+largestExponent && tolerance >= 2:
		bands = 4
	}
	n := digitBands(bands)
	if len(digits) > n {
		f.AddValue("resistance_ohm", *in.ResistanceOhm, "needs %d digits, %d bands show %d",
			len(digits),
			bands, n)
		return nil
	}
	// Zeros pad the digits: on the right if a multiplier exists, otherwise on the left.
	for len(digits) < n && exponent > smallestExponent {
		digits, exponent = digits+"0", exponent-1
	}
	digits = strings.Repeat("0", n-len(digits)) + digits
	code := make([]bandColor, 0, 6)
	for _, d := range digits {
		code = append(code, bandColors[d-'0'])
	}
	for _, c := range bandColors {
		if c.exponent == exponent {
			code = append(code, c)
		}
	}
	if len(code) == n {
		f.AddValue("resistance_ohm", *in.ResistanceOhm,
			"is out of reach: the multipliers of %d bands go from 0.001 to 1e9", bands)
	}
	if bands == 3 {
		if tolerance != threeBandTolerance {
			f.AddValue("tolerance_pct", tolerance, "contradicts band_count 3, which means 20 %%")
		}
		return code
	}
	find := func(field string, value float64, of func(bandColor) float64) {
		for _, c := range bandColors {
			if of(c) > 0 && eseries.Equal(of(c), value) {
				code = append(code, c)
				return
			}
		}
		var all []string
		for _, c := range bandColors {
			if of(c) > 0 {
				all = append(all, strconv.FormatFloat(of(c), 'g', -1, 64))
			}
		}
		f.AddValue(field, value, "has no colour; those with one are %s", strings.Join(all, ", "))
	}
	find("tolerance_pct", tolerance, func(c bandColor) float64 { return c.tolerance })
	if bands < 6 {
		return code
	}
	if in.TempCoeff == nil {
		f.Add("temp_coeff_ppm_k", "is required for 6 bands")
		return nil
	}
	find("temp_coeff_ppm_k", *in.TempCoeff, func(c bandColor) float64 { return c.tempCoeff })
	return code
}

// significand returns x as digits without trailing zeros and a power of ten: 4700 yields "47" and
// 2. It keeps ten digits and thereby ignores relative errors of 1e-9.
func significand(x float64) (string, int) {
	mantissa, e, _ := strings.Cut(strconv.FormatFloat(x, 'e', 9, 64), "e")
	exponent, _ := strconv.Atoi(e)
	digits := strings.TrimRight(strings.Replace(mantissa, ".", "", 1), "0")
	return digits, exponent - len(digits) + 1
}
