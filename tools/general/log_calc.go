package general

import (
	"context"
	"encoding/json"
	"errors"
	"math"

	"slipstick/tools"
	"slipstick/tools/decimal"
)

// LogCalc computes the logarithm to any base, and its inverse.
var LogCalc = tools.Define(tools.Spec{
	Name:    "log_calc",
	Title:   "Logarithm",
	Summary: "Logarithm of a number to any base, with ln, log10 and log2, or the antilogarithm",
	Method: "log_b(v) = r + ln(v / b^r) / ln b with r = ln v / ln b: change of base and one " +
		"Newton step with b^r in 256 bits. An exact power thus gives the exact number (log 1000 " +
		"= 3, which the quotient misses). Where v^q = b^k with q up to 12 the result is k/q. " +
		"antilog_b(v) = b^v",
	Sources: []string{"NIST Digital Library of Mathematical Functions, §4.2 (logarithm, logarithms to a general base, powers)"},
	Limits:  []string{"Real logarithms only: zero and negative numbers have none"},
	Aliases: []string{"logarithm", "ln", "log10", "log2", "natural log", "antilog"},
	Examples: []tools.Example{
		{
			Title: "Common logarithm of 1000",
			In:    `{"value": 1000}`,
			Want:  `{"result": 3, "natural_log": 6.907755278982137, "log10": 3, "log2": 9.965784284662087, "warnings": []}`,
		},
		{
			Title: "Antilogarithm: 10 dB as a ratio",
			In:    `{"value": 1, "operation": "antilog"}`,
			Want:  `{"result": 10, "natural_log": null, "warnings": []}`,
		},
		{
			Title: "Bits of 1024 states",
			In:    `{"value": 1024, "base": 2}`,
			Want:  `{"result": 10}`,
			From:  "2^10",
		},
	},
}, logCalc)

type logCalcIn struct {
	Value     float64 `json:"value" unit:"1" example:"1000" label:"Value" doc:"Number above 0 to take the logarithm of, or exponent of an antilogarithm"`
	Base      logBase `json:"base" unit:"1" default:"10" label:"Base" doc:"Base: a number above 0 other than 1, or e"`
	Operation string  `json:"operation" enum:"log,antilog" default:"log" label:"Operation" doc:"log: logarithm of the value; antilog: base to the power of the value"`
}

type logCalcOut struct {
	Result     *float64 `json:"result" unit:"1" label:"Result" doc:"The logarithm, or base^value; null when that is above the range of a double"`
	NaturalLog *float64 `json:"natural_log" unit:"1" label:"Natural logarithm" doc:"Logarithm of the value to base e; null for antilog"`
	Log10      *float64 `json:"log10" unit:"1" label:"log10" doc:"Logarithm of the value to base 10; null for antilog"`
	Log2       *float64 `json:"log2" unit:"1" label:"log2" doc:"Logarithm of the value to base 2; null for antilog"`
	Operation  string   `json:"operation" label:"Operation" doc:"log or antilog"`
	Base       logBase  `json:"base" unit:"1" label:"Base" doc:"Base used"`
	tools.Warnings
}

func logCalc(_ context.Context, in logCalcIn) (logCalcOut, error) {
	out := logCalcOut{Operation: in.Operation, Base: in.Base}
	if in.Operation == "antilog" {
		result := in.Base.antilog(in.Value)
		switch {
		case math.IsInf(result, 1):
			out.Warn(
				"%s to the power of %g is above 1.8e308, the largest double: the result is null",
				in.Base, in.Value)
		case result < decimal.SmallestNormal:
			out.Warn(
				"%s to the power of %g is below 2.2e-308: the double has lost digits or become 0",
				in.Base, in.Value)
			out.Result = &result
		default:
			out.Result = &result
		}
		return out, nil
	}
	if in.Value <= 0 {
		var f tools.FieldErrors
		f.AddValue("value", in.Value,
			"must be greater than 0: only positive numbers have a real logarithm")
		return out, f.Err()
	}
	natural, common, binary := decimal.NaturalLog(
		in.Value,
	), decimal.Log(
		in.Value, 10,
	), decimal.Log(in.Value, 2)
	out.NaturalLog, out.Log10, out.Log2 = &natural, &common, &binary
	switch {
	case in.Base.natural:
		out.Result = &natural
	case in.Base.number == 10:
		out.Result = &common
	case in.Base.number == 2:
		out.Result = &binary
	default:
		result := decimal.Log(in.Value, in.Base.number)
		out.Result = &result
	}
	if d := math.Abs(in.Value - 1); d > 0 && d < 1e-8 {
		out.Warn(
			"the value differs from 1 by %.3g only: a double keeps few digits of that difference, and the logarithm has no more of them",
			in.Value-1,
		)
	}
	return out, nil
}

// logBase is a positive number other than 1, or the word e.
type logBase struct {
	number  float64
	natural bool
}

var errLogBase = errors.New(`must be a number greater than 0 and not 1, or the string "e"`)

// DecodeField decodes the number or the word.
func (b *logBase) DecodeField(raw []byte) error {
	if string(raw) == `"e"` {
		*b = logBase{math.E, true}
		return nil
	}
	var x float64
	if c := raw[0]; c != '-' && (c < '0' || c > '9') || json.Unmarshal(raw, &x) != nil || x <= 0 ||
		x == 1 {
		return errLogBase
	}
	*b = logBase{x, false}
	return nil
}

// FieldSchema returns the JSON Schema of the number or word.
func (b *logBase) FieldSchema() map[string]any {
	return map[string]any{
		"type": []string{"number", "string"}, "exclusiveMinimum": 0,
		"not": map[string]any{"const": 1}, "pattern": "^e$",
	}
}

// MarshalJSON returns the base as it was given.
func (b logBase) MarshalJSON() ([]byte, error) {
	if b.natural {
		return []byte(`"e"`), nil
	}
	return json.Marshal(b.number)
}

func (b logBase) String() string {
	text, _ := b.MarshalJSON()
	return string(text)
}

// antilog returns base^y: +Inf above the range of doubles, 0 or a subnormal number below.
func (b logBase) antilog(y float64) float64 {
	if b.natural {
		return math.Exp(y)
	}
	x, ok := decimal.FloatText(b.number).Power(decimal.FromFloat(y))
	switch {
	case ok:
		return x.Float()
	case (b.number > 1) == (y > 0):
		return math.Inf(1)
	default:
		return 0
	}
}
