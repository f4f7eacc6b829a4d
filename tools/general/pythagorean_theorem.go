package general

import (
	"context"
	"math"
	"math/bits"

	"slipstick/tools"
	"slipstick/tools/choice"
	"slipstick/tools/decimal"
	"slipstick/tools/special"
)

// PythagoreanTheorem solves a right triangle with two known sides.
var PythagoreanTheorem = tools.Define(tools.Spec{
	Name:    "pythagorean_theorem",
	Title:   "Pythagorean theorem",
	Summary: "Third side, angles, area and altitude of a right triangle from two sides",
	Method: "c² = a² + b²: c = √(a² + b²) after scaling by a power of two, a leg = √((c - b)(c + b)). " +
		"Angles atan(a/b) and atan(b/a); area ab/2; altitude onto c = ab/c. Whole sides are checked in exact integers",
	Sources: []string{"Euclid, Elements, book I, proposition 47 (theorem) and book X, lemma to proposition 29 (triples)"},
	Limits:  []string{"Right triangles in the plane"},
	Aliases: []string{"right triangle", "hypotenuse", "Pythagoras", "Pythagorean triple"},
	Solves:  tools.Solves{Inputs: []string{"a", "b", "c"}, Given: 2},
	Examples: []tools.Example{
		{
			Title: "Three, four, five",
			In:    `{"a": 3, "b": 4}`,
			Want: `{"c": 5, "area": 6, "perimeter": 12, "angle_a_deg": 36.86989765, "angle_b_deg": 53.13010235, "altitude": 2.40000000000000,
				"is_integer_triple": true, "is_primitive": true, "warnings": []}`,
		},
		{Title: "A leg from the hypotenuse", In: `{"b": 12, "c": 13}`, Want: `{"a": 5, "area": 30}`,
			From: "5² + 12² = 13²"},
		{
			Title: "Diagonal of a square metre",
			In:    `{"a": 1, "b": 1}`,
			Want:  `{"c": 1.414213562, "area": 0.5}`,
			From:  "√2",
		},
	},
}, pythagoreanTheorem)

type pythagoreanTheoremIn struct {
	A *float64 `json:"a" unit:"length" gt:"0" example:"3" label:"a" doc:"First leg; exactly two of a, b and c are required"`
	B *float64 `json:"b" unit:"length" gt:"0" example:"4" label:"b" doc:"Second leg"`
	C *float64 `json:"c" unit:"length" gt:"0" label:"c (hypotenuse)" doc:"Hypotenuse"`
}

type pythagoreanTheoremOut struct {
	A               float64  `json:"a" unit:"length" label:"a" doc:"Leg"`
	B               float64  `json:"b" unit:"length" label:"b" doc:"Leg"`
	C               float64  `json:"c" unit:"length" label:"c (hypotenuse)" doc:"Hypotenuse"`
	Area            *float64 `json:"area" unit:"length²" label:"Area" doc:"Area; null when it is outside the range of a double"`
	Perimeter       float64  `json:"perimeter" unit:"length" label:"Perimeter" doc:"Sum of the sides"`
	AngleADeg       float64  `json:"angle_a_deg" unit:"°" label:"Angle α" doc:"Angle opposite a"`
	AngleBDeg       float64  `json:"angle_b_deg" unit:"°" label:"Angle β" doc:"Angle opposite b"`
	Altitude        float64  `json:"altitude" unit:"length" label:"Altitude" doc:"Altitude on the hypotenuse"`
	IsIntegerTriple bool     `json:"is_integer_triple" label:"Pythagorean triple" doc:"All three sides are whole numbers (up to 2^53)"`
	IsPrimitive     bool     `json:"is_primitive" label:"Primitive triple" doc:"The three sides are whole numbers without a common divisor"`
	tools.Warnings
}

func pythagoreanTheorem(_ context.Context, in pythagoreanTheoremIn) (pythagoreanTheoremOut, error) {
	var out pythagoreanTheoremOut
	var f tools.FieldErrors
	sides := []choice.Field{
		choice.Of("a", in.A != nil), choice.Of("b", in.B != nil), choice.Of("c", in.C != nil),
	}
	if n := len(choice.Names(sides...)); n != 2 {
		for _, g := range sides {
			f.Add(g.Name, "exactly two of a, b, c are needed, %d given", n)
		}
		return out, f.Err()
	}
	out.A, out.B, out.C = choice.Or(in.A, 0), choice.Or(in.B, 0), choice.Or(in.C, 0)
	if in.C != nil {
		leg, name := out.A, "a"
		if in.A == nil {
			leg, name = out.B, "b"
		}
		if out.C <= leg {
			f.AddValue("c", out.C, "the hypotenuse must be longer than the leg %s, %s", name,
				decimal.Shortest(leg))
			f.AddValue(name, leg, "must be shorter than the hypotenuse c, %s",
				decimal.Shortest(out.C))
			return out, f.Err()
		}
	}
	switch {
	case in.C == nil:
		out.C = special.Hypot(out.A, out.B)
	case in.B == nil:
		out.B = leg(out.C, out.A)
	default:
		out.A = leg(out.C, out.B)
	}
	a, b, c := out.A, out.B, out.C
	if ra, rb, rc := math.Round(a), math.Round(b), math.Round(c); isTriple(ra, rb, rc) &&
		nearWhole(a, ra) && nearWhole(b, rb) && nearWhole(c, rc) &&
		len(choice.Names(choice.Of("a", in.A != nil && a != ra),
			choice.Of("b", in.B != nil && b != rb), choice.Of("c", in.C != nil && c != rc))) == 0 {
		a, b, c = ra, rb, rc // the computed side may have a rounding error
		out.A, out.B, out.C = a, b, c
		out.IsIntegerTriple = true
		out.IsPrimitive = decimal.GCD(int64(a), int64(b)) == 1
	}
	if area := a / 2 * b; area == 0 || math.IsInf(area, 1) {
		out.Warn("the area is outside the range of a double and was left out")
	} else {
		out.Area = &area
	}
	out.Perimeter = a + b + c
	out.AngleADeg, out.AngleBDeg = math.Atan2(a, b)*(180/math.Pi), math.Atan2(b, a)*(180/math.Pi)
	// Fractions and exponents apart, the product is exact for small integers and cannot overflow.
	fa, ea := math.Frexp(a)
	fb, eb := math.Frexp(b)
	fc, ec := math.Frexp(c)
	out.Altitude = math.Ldexp(fa*fb/fc, ea+eb-ec)
	if math.Min(a, b) < 1e-7*c {
		out.Warn(
			"one leg is below 1e-7 of the hypotenuse: the other one equals the hypotenuse to 14 digits",
		)
	}
	return out, nil
}

// leg returns √(c² - b²) for c > b.
func leg(c, b float64) float64 {
	_, e := math.Frexp(c)
	x, y := math.Ldexp(c, -e), math.Ldexp(b, -e)
	return math.Ldexp(math.Sqrt((x-y)*(x+y)), e)
}

// nearWhole reports whether a computed side equals an integer within rounding.
func nearWhole(x, whole float64) bool { return math.Abs(x-whole) <= 1e-15*whole }

// isTriple checks a² + b² = c² for integers up to 2^53 with 128-bit arithmetic.
func isTriple(a, b, c float64) bool {
	const limit = 1 << 53
	if a < 1 || b < 1 || a > limit || b > limit || c > limit {
		return false
	}
	ah, al := bits.Mul64(uint64(a), uint64(a))
	bh, bl := bits.Mul64(uint64(b), uint64(b))
	ch, cl := bits.Mul64(uint64(c), uint64(c))
	low, carry := bits.Add64(al, bl, 0)
	return low == cl && ah+bh+carry == ch
}
