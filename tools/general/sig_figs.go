package general

import (
	"context"
	"fmt"
	"math"

	"slipstick/tools"
	"slipstick/tools/choice"
	"slipstick/tools/decimal"
)

// SigFigs counts, rounds and propagates significant figures.
var SigFigs = tools.Define(tools.Spec{
	Name:    "sig_figs",
	Title:   "Significant figures",
	Summary: "Count the significant figures of a number, round it, or propagate them or an uncertainty through a sum or product",
	Method: "Leading zeros never count, zeros after the point do; trailing zeros of a whole " +
		"number without a point may count or not. Rounding and arithmetic are exact in decimal. " +
		"A product or quotient keeps the fewest significant figures of its operands, a sum or " +
		"difference the fewest decimal places. The exact result is rounded once. Uncertainties " +
		"combine by their squares, relative ones in a product; the value is rounded to the last " +
		"figure of its uncertainty",
	Sources: []string{
		"ASTM E29-22, Standard Practice for Using Significant Digits in Test Data to Determine Conformance with Specifications",
		"NIST SP 811 (2008), appendix B.7 (rounding)",
		"JCGM 100:2008 (GUM), 5.1.2 and 5.1.6 (independent uncertainties), 7.2.6 (their figures)",
	},
	Limits: []string{
		"The rules for figures are a convention: give uncertainties for an analysis, standard and independent ones",
		"Exact counts, such as a number of pieces, must be given with enough figures not to limit the result",
	},
	Aliases: []string{"significant figures", "significant digits", "sig figs", "sig fig rounding",
		"uncertainty", "error propagation", "plus minus"},
	Primary: []string{"with_uncertainty", "result", "rounded", "sig_figs"},
	Examples: []tools.Example{
		{
			Title: "Count and round",
			In:    `{"value": "0.004500", "round_to": 2}`,
			Want:  `{"sig_figs": 4, "sig_figs_max": 4, "ambiguous": false, "decimal_places": 6, "rounded": "0.0045", "scientific": "4.500e-3", "rounded_scientific": "4.5e-3", "warnings": []}`,
		},
		{
			Title: "A sum",
			In:    `{"operation": "add", "values": ["12.11", "18.0", "1.013"]}`,
			Want:  `{"result": "31.1", "unrounded": 31.123, "rule": "decimal_places", "sig_figs": 3, "warnings": []}`,
		},
		{
			Title: "Area of 4.56 by 1.4",
			In:    `{"operation": "multiply", "values": ["4.56", "1.4"]}`,
			Want:  `{"result": "6.4", "unrounded": 6.384, "rule": "sig_figs"}`,
			From:  "textbook rule: the fewest figures, two",
		},
	},
}, sigFigs)

type sigFigsIn struct {
	Value              *decimal.Decimal   `json:"value" unit:"1" example:"\"0.004500\"" label:"Value" doc:"The number, as a string where trailing zeros matter"`
	RoundTo            *int               `json:"round_to" unit:"1" min:"1" max:"100" example:"2" label:"Round to" doc:"Significant figures to round the value to"`
	Rounding           string             `json:"rounding" enum:"half_up,half_even" default:"half_up" label:"Rounding mode" doc:"Rounding of exactly one half: away from zero, or to even"`
	Operation          *string            `json:"operation" enum:"add,subtract,multiply,divide" label:"Operation" doc:"Operation on values, from the first to the last, in place of value"`
	Values             *[]decimal.Decimal `json:"values" unit:"1" minItems:"2" maxItems:"100" label:"Values" doc:"Operands of the operation"`
	Uncertainty        *decimal.Decimal   `json:"uncertainty" unit:"1" label:"Uncertainty" doc:"Standard uncertainty of value"`
	Uncertainties      *[]decimal.Decimal `json:"uncertainties" unit:"1" minItems:"2" maxItems:"100" label:"Uncertainties" doc:"Standard uncertainty of each of values, 0 for an exact one"`
	UncertaintyFigures int                `json:"uncertainty_figures" unit:"1" min:"1" max:"4" default:"2" label:"Figures of the uncertainty" doc:"Figures of the uncertainty in with_uncertainty"`
}

type sigFigsOut struct {
	Input             *string  `json:"input" label:"Input" doc:"The value as read; null with an operation"`
	SigFigs           int      `json:"sig_figs" unit:"1" label:"Significant figures" doc:"Significant figures of the value without ambiguous zeros, or of the operation's result"`
	SigFigsMax        *int     `json:"sig_figs_max" unit:"1" label:"Maximum significant figures" doc:"Significant figures when ambiguous zeros count; null with an operation"`
	Ambiguous         *bool    `json:"ambiguous" label:"Ambiguous zeros" doc:"Trailing zeros may or may not count; null with an operation"`
	DecimalPlaces     int      `json:"decimal_places" unit:"1" label:"Decimal places" doc:"Digits after the decimal point of the value or of the result"`
	Scientific        string   `json:"scientific" label:"Scientific notation" doc:"The value or the result with exactly sig_figs digits"`
	Rounded           *string  `json:"rounded" label:"Rounded value" doc:"The value rounded to round_to figures, without an exponent; null without round_to or above 1000 characters"`
	RoundedScientific *string  `json:"rounded_scientific" label:"Rounded value, scientific" doc:"The rounded value in scientific notation"`
	Result            *string  `json:"result" label:"Result" doc:"Result of the operation with its figures; null without operation or above 1000 characters"`
	Unrounded         *float64 `json:"unrounded" unit:"1" label:"Unrounded result" doc:"Result of the operation before rounding; null without operation or outside the range of a double"`
	Rule              *string  `json:"rule" enum:"sig_figs,decimal_places" label:"Rule" doc:"Rule that limits the result: the fewest figures or the fewest decimal places"`
	Combined          *float64 `json:"combined_uncertainty" unit:"1" label:"Combined uncertainty" doc:"Uncertainty of the value or the result, not rounded; null without one"`
	WithUncertainty   *string  `json:"with_uncertainty" label:"Value with uncertainty" doc:"Value and uncertainty, rounded to the same place"`
	tools.Warnings
}

func sigFigs(_ context.Context, in sigFigsIn) (sigFigsOut, error) {
	switch arithmetic := in.Operation != nil || in.Values != nil; {
	case in.Value == nil && !arithmetic:
		var f tools.FieldErrors
		for _, field := range []string{"value", "operation", "values"} {
			f.Add(field, "is missing: give either value, or operation and values")
		}
		return sigFigsOut{}, f.Err()
	case in.Value != nil && arithmetic:
		var f tools.FieldErrors
		f.Add("value",
			"contradicts operation and values: give either value, or operation and values")
		return sigFigsOut{}, f.Err()
	case in.Operation == nil && arithmetic:
		return sigFigsOut{}, tools.Invalid("operation",
			"is required with values: one of add, subtract, multiply, divide")
	case in.Values == nil && arithmetic:
		return sigFigsOut{}, tools.Invalid("values",
			"is required with operation: 2 to 100 numbers or decimal strings")
	case arithmetic:
		return carryFigures(in)
	}
	out := countFigures(in)
	if in.Uncertainties != nil {
		choice.Ignored(&out.Warnings, "it belongs to values; use uncertainty",
			choice.Of("uncertainties", true))
	}
	if in.Uncertainty == nil {
		in.warnFigures(&out, "uncertainty")
		return out, nil
	}
	if in.Uncertainty.Sign() <= 0 {
		var f tools.FieldErrors
		f.AddValue("uncertainty", *in.Uncertainty, "must be above 0")
		return out, f.Err()
	}
	out.attach(in, in.Value.Ratio(), in.Uncertainty.Ratio())
	return out, nil
}

// warnFigures adds a warning if uncertainty_figures was set without the field that it applies to.
func (in sigFigsIn) warnFigures(out *sigFigsOut, needed string) {
	choice.Ignored(&out.Warnings, "it needs "+needed,
		choice.Of("uncertainty_figures", in.UncertaintyFigures != 2))
}

// longestResult is the maximum number of figures of a value that is shown with its uncertainty.
const longestResult = 100

// attach formats a value with its uncertainty, both rounded to the last figure of the uncertainty.
func (out *sigFigsOut) attach(in sigFigsIn, value, uncertainty decimal.Ratio) {
	even := in.Rounding == "half_even"
	u := uncertainty.ToFigures(in.UncertaintyFigures, even)
	v := value.ToPlace(u.Exp, even)
	if x := uncertainty.Float(); x > 0 && !math.IsInf(x, 0) {
		out.Combined = &x
	}
	if len(v.Digits) > longestResult {
		out.Warn(
			"the uncertainty lies beyond figure %d of the value: with_uncertainty is null",
			longestResult)
		return
	}
	if v.Digits == "0" {
		out.Warn("the value is 0 within its uncertainty")
	}
	order := u.Order()
	if v.Digits != "0" {
		order = max(order, v.Order())
	}
	text, scale := "%s ± %s", ""
	// Scientific notation, because placeholder zeros would count as significant figures.
	if u.Exp > 0 || order < -4 || order > 8 {
		v.Exp, u.Exp = v.Exp-order, u.Exp-order
		text, scale = "(%s ± %s)", fmt.Sprintf("e%d", order)
	}
	plain, _ := v.Plain() // both are short
	spread, _ := u.Plain()
	out.WithUncertainty = new(fmt.Sprintf(text, plain, spread) + scale)
}

// combine returns the uncertainty of an operation on independent values (GUM 5.1.2). It is the root
// of the sum of squares of uncertainty × partial derivative. ok is false if it is 0 or beyond the
// range of doubles.
func combine(operation string, values, uncertainties []decimal.Decimal) (u float64, ok bool) {
	for i := range values {
		// Each term is the uncertainty times the partial derivative with respect to this value. The
		// exponent is kept separately to avoid underflow.
		share, exponent := math.Frexp(uncertainties[i].Float())
		for k, d := range values {
			x, e := math.Frexp(d.Float())
			switch {
			case operation == "multiply" && k != i, operation == "divide" && k == 0 && i > 0:
				share, exponent = share*x, exponent+e
			case operation == "divide" && k == i && k > 0:
				share, exponent = share/(x*x), exponent-2*e
			case operation == "divide" && k > 0:
				share, exponent = share/x, exponent-e
			}
		}
		u = math.Hypot(u, math.Ldexp(share, exponent))
	}
	return u, u > 0 && !math.IsInf(u, 0)
}

// carryUncertainty sets the uncertainty of a result.
func (out *sigFigsOut) carryUncertainty(in sigFigsIn, exact decimal.Ratio) error {
	choice.Ignored(&out.Warnings, "it belongs to value; use uncertainties",
		choice.Of("uncertainty", in.Uncertainty != nil))
	if in.Uncertainties == nil {
		in.warnFigures(out, "uncertainties")
		return nil
	}
	var f tools.FieldErrors
	given := *in.Uncertainties
	if len(given) != len(*in.Values) {
		f.Add("uncertainties", "must be as many as values: %d, not %d", len(*in.Values), len(given))
	}
	certain := true
	for i, d := range given {
		if d.Sign() < 0 {
			f.AddValue(fmt.Sprintf("uncertainties[%d]", i), d, "must be at least 0")
		}
		certain = certain && d.Sign() == 0
	}
	if certain {
		f.Add("uncertainties", "are all 0: one must be above 0")
	}
	if err := f.Err(); err != nil {
		return err
	}
	u, ok := combine(*in.Operation, *in.Values, given)
	if u == 0 {
		out.Warn("factors of 0 leave no first-order uncertainty, or it underflows: with_uncertainty is null")
		return nil
	}
	if d, err := decimal.Parse(decimal.Shortest(u)); ok && err == nil {
		out.attach(in, exact, d.Ratio())
	} else {
		out.Warn("the uncertainty is outside the range of a double: with_uncertainty is null")
	}
	return nil
}

// countFigures determines the significant figures of a value and rounds it.
func countFigures(in sigFigsIn) (out sigFigsOut) {
	d := *in.Value
	f, ambiguous := d.Significant()
	written, most := d.Written(), len(f.Digits)
	if d.Sign() != 0 {
		most = len(d.Digits)
	}
	out.Input, out.SigFigs, out.SigFigsMax, out.Ambiguous = &written, len(f.Digits),
		&most, &ambiguous
	out.DecimalPlaces, out.Scientific = d.Places(), f.Scientific()
	out.warnWriting("", d)
	if in.RoundTo == nil {
		return out
	}
	n := *in.RoundTo
	switch {
	case d.Sign() == 0:
		out.Warn("zero has no figures that rounding could keep")
	case n > most:
		out.Warn("rounding to %d figures pads the %d given with zeros that were not measured", n,
			most)
	case n > len(f.Digits):
		out.Warn("rounding to %d figures takes %d of the ambiguous zeros as figures", n,
			n-len(f.Digits))
	}
	r := d.Ratio().ToFigures(n, in.Rounding == "half_even")
	scientific := r.Scientific()
	out.RoundedScientific = &scientific
	if plain, ok := r.Pointed(); ok {
		out.Rounded = &plain
	} else {
		out.Warn(
			"the plain decimal is longer than %d characters: rounded is null, see rounded_scientific",
			decimal.MaxPlainLength,
		)
	}
	return out
}

// warnWriting adds a warning if the significant figures of a number are ambiguous as written. name
// is its path, or "" for a single number.
func (out *sigFigsOut) warnWriting(name string, d decimal.Decimal) {
	if name != "" {
		name += ": "
	}
	f, ambiguous := d.Significant()
	switch {
	case d.Sign() == 0:
		out.Warn("%szero has one figure by convention: it is ambiguous", name)
	case ambiguous:
		out.Warn(
			"%sthe final zeros of %s may be figures or placeholders: write a point after them, or %s", name,
			d.Written(), f.Scientific(),
		)
	}
	if !d.Text && d.Whole() {
		out.Warn(
			"%sthe number %s was not given as a string: many programs drop a point and the zeros after it when they send a number",
			name, d.Written(),
		)
	}
}

// carryFigures computes with the values and rounds the result to the figures that the rules of
// significant figures allow.
func carryFigures(in sigFigsIn) (out sigFigsOut, err error) {
	values := *in.Values
	fewest, places := math.MaxInt, math.MaxInt
	var errs tools.FieldErrors
	for i, d := range values {
		path := fmt.Sprintf("values[%d]", i)
		if *in.Operation == "divide" && i > 0 && d.Sign() == 0 {
			errs.AddValue(path, d, "must not be 0: it is a divisor")
		}
		f, _ := d.Significant()
		fewest, places = min(fewest, len(f.Digits)), min(places, d.Places())
		out.warnWriting(path, d)
	}
	if err := errs.Err(); err != nil {
		return out, err
	}
	if in.RoundTo != nil {
		choice.Ignored(&out.Warnings,
			"it has no meaning for an operation, whose figures follow from the values",
			choice.Of("round_to", true))
	}
	exact := decimal.Operate(*in.Operation, values)
	even := in.Rounding == "half_even"
	var rule string
	var f decimal.Figures
	if *in.Operation == "add" || *in.Operation == "subtract" {
		rule, f = "decimal_places", exact.ToPlace(-places, even)
	} else {
		rule, f = "sig_figs", exact.ToFigures(fewest, even)
	}
	out.Rule, out.SigFigs, out.DecimalPlaces, out.Scientific = &rule, len(f.Digits), max(0, -f.Exp),
		f.Scientific()
	if plain, ok := f.Pointed(); ok {
		out.Result = &plain
	} else {
		out.Warn("the plain decimal is longer than %d characters: result is null, see scientific",
			decimal.MaxPlainLength)
	}
	if f.Exp > 0 && f.Digits[len(f.Digits)-1] == '0' {
		out.Warn("the result has %d figures, which its plain form does not show: write %s",
			len(f.Digits),
			out.Scientific)
	}
	if x := exact.Float(); !math.IsInf(x, 0) && (x != 0 || exact.Num.Sign() == 0) {
		out.Unrounded = &x
	} else {
		out.Warn("the result is outside the range of a double: unrounded is null")
	}
	err = out.carryUncertainty(in, exact)
	return out, err
}
