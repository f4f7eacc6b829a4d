package general

import (
	"context"
	"math"
	"math/big"
	"strconv"
	"strings"

	"slipstick/tools"
	"slipstick/tools/decimal"
)

// SquareRoot computes the square, cube or n-th root of a real number.
var SquareRoot = tools.Define(tools.Spec{
	Name:    "square_root",
	Title:   "Square and n-th root",
	Summary: "Root of a number to any degree from 2 to 100, with its simplified radical and all real roots",
	Method: "x = v^(1/n), by Newton's method in 256 bits and rounded once. A whole v is perfect when an integer k has k^n = v. " +
		"Simplified radical: v = c^n r with the largest c. An even root of a negative number has the imaginary part |v|^(1/n) sin(π/n)",
	Sources: []string{"NIST Digital Library of Mathematical Functions, §1.11(iv) (roots of constants) and §3.8(ii) (Newton's rule)"},
	Limits:  []string{"Of an even root of a negative number only the size of the principal root's imaginary part is given"},
	Aliases: []string{"sqrt", "cube root", "nth root", "radical", "surd"},
	Examples: []tools.Example{
		{
			Title: "Root of 72",
			In:    `{"value": 72}`,
			Want:  `{"root": 8.48528137423857, "coefficient": 6, "radicand": 2, "simplified": "6√2", "is_perfect": false, "warnings": []}`,
		},
		{
			Title: "Cube root of -27",
			In:    `{"value": -27, "degree": 3}`,
			Want:  `{"root": -3, "is_perfect": true, "roots": [-3]}`,
		},
		{
			Title: "Root of -9",
			In:    `{"value": -9}`,
			Want:  `{"root": null, "imaginary": 3, "is_real": false, "simplified": "3i", "roots": []}`,
		},
	},
}, squareRoot)

type squareRootIn struct {
	Value  decimal.Number `json:"value" unit:"1" example:"72" label:"Value" doc:"The radicand"`
	Degree int            `json:"degree" unit:"1" min:"2" max:"100" default:"2" label:"Degree n" doc:"Degree of the root: 2 for the square root, 3 for the cube root"`
}

type squareRootOut struct {
	Root        *float64  `json:"root" unit:"1" label:"Root" doc:"The real principal root; null when there is none"`
	Imaginary   float64   `json:"imaginary" unit:"1" label:"Imaginary part" doc:"Imaginary part of the principal root: 0 unless an even root of a negative number"`
	IsReal      bool      `json:"is_real" label:"Real root exists" doc:"A real root exists"`
	IsPerfect   bool      `json:"is_perfect" label:"Perfect power" doc:"The value and its real root are whole numbers"`
	Coefficient *int      `json:"coefficient" unit:"1" label:"Coefficient" doc:"c of the simplified radical: value = c^degree × radicand; null unless the value is whole and at most 2^53"`
	Radicand    *int      `json:"radicand" unit:"1" label:"Radicand" doc:"Remaining radicand of the simplified root"`
	Simplified  string    `json:"simplified" label:"Simplified radical" doc:"The root as a text, simplified where the value is whole"`
	Roots       []float64 `json:"roots" unit:"1" label:"Real roots" doc:"All real roots, ascending"`
	tools.Warnings
}

func squareRoot(_ context.Context, in squareRootIn) (squareRootOut, error) {
	value := in.Value.Float()
	if math.IsInf(value, 0) || value == 0 && in.Value.Sign() != 0 {
		return squareRootOut{}, tools.Invalid("value",
			"must be 0 or have a magnitude from %g to %g, got %s",
			math.SmallestNonzeroFloat64, math.MaxFloat64, in.Value.Written())
	}
	exact := in.Value.Exact()
	out := squareRootOut{IsReal: value >= 0 || in.Degree%2 == 1}
	size := 0.0 // magnitude of the root
	if value != 0 {
		size = decimal.FloatText(math.Abs(value)).Root(1, int64(in.Degree)).Float()
	}
	switch {
	case !out.IsReal && in.Degree == 2:
		out.Imaginary = size
		out.Warn("a negative number has no real square root: the roots are ±%gi", size)
	case !out.IsReal:
		out.Imaginary = size * math.Sin(math.Pi/float64(in.Degree))
		out.Warn(
			"a negative number has no real root of degree %d: imaginary belongs to the principal root, and there are %d complex roots in all",
			in.Degree, in.Degree,
		)
	case value < 0:
		root := -size
		out.Root, out.Roots = &root, []float64{root}
	default:
		out.Root, out.Roots = &size, []float64{size}
		if in.Degree%2 == 0 && size > 0 {
			out.Roots = []float64{-size, size}
		}
	}
	if exact.IsWhole() && exact.Abs().Cmp(decimal.Whole(1<<53)) <= 0 {
		c, r := simplify(int(math.Abs(value)), in.Degree)
		if value < 0 && out.IsReal {
			c = -c
		} else if value < 0 {
			r = -r
		}
		out.Coefficient, out.Radicand = &c, &r
		out.IsPerfect = r == 1
		out.Simplified = radicalText(strconv.Itoa(c), strconv.Itoa(r), in.Degree)
		return out, nil
	}
	whole, perfect := perfectRoot(exact.Abs(), in.Degree)
	out.IsPerfect = perfect && out.IsReal
	switch {
	case out.IsPerfect && value < 0:
		out.Simplified = "-" + whole.String()
	case out.IsPerfect:
		out.Simplified = whole.String()
	case value < 0 && out.IsReal:
		out.Simplified = radicalText("-1", strings.TrimPrefix(in.Value.Written(), "-"), in.Degree)
	default:
		out.Simplified = radicalText("1", in.Value.Written(), in.Degree)
	}
	return out, nil
}

// perfectRoot returns the integer n-th root of v > 0 if v is an integer that has one.
func perfectRoot(v decimal.Fraction, n int) (*big.Int, bool) {
	if !v.IsWhole() {
		return nil, false
	}
	r := v.Rat().Num()
	// The root of the nearest double has 15 digits. A root of 10^308 has up to 154 digits, which
	// four Newton steps in integers provide. The fifth makes up for high degrees.
	start, _, err := big.ParseFloat(
		decimal.FloatText(v.Float()).Root(1, int64(n)).Text(60), 10, 1024, big.ToNearestEven)
	if err != nil {
		return nil, false
	}
	k, _ := start.Int(nil)
	power := func(e int) *big.Int { return new(big.Int).Exp(k, big.NewInt(int64(e)), nil) }
	for range 5 {
		next := new(big.Int).Quo(r, power(n-1))
		next.Add(next, new(big.Int).Mul(k, big.NewInt(int64(n-1))))
		k = next.Quo(next, big.NewInt(int64(n)))
	}
	return k, power(n).Cmp(r) == 0
}

// simplify factors v >= 0 as c^n × r with the largest c. After all primes up to the (n+1)-th root
// of the remainder are divided out, only the complete remainder can be another n-th power. Its
// prime factors are too large for a further factor.
func simplify(v, n int) (c, r int) {
	if v == 0 {
		return 0, 1
	}
	c, r = 1, 1
	rest := v
	bound := rootBound(rest, n+1)
	for p := 2; p <= bound; p += 1 + p&1 { // 2, 3, 5, 7, 9, …
		if rest%p != 0 {
			continue
		}
		count := 0
		for rest%p == 0 {
			rest /= p
			count++
		}
		for ; count >= n; count -= n {
			c *= p
		}
		for ; count > 0; count-- {
			r *= p
		}
		bound = rootBound(rest, n+1)
	}
	k := int(math.Round(math.Pow(float64(rest), 1/float64(n))))
	if isPower(k, n, rest) {
		return c * k, r
	}
	return c, r * rest
}

// isPower reports whether k^n = v, for k and v of at least 1.
func isPower(k, n, v int) bool {
	for range n {
		if v%k != 0 {
			return false
		}
		v /= k
	}
	return v == 1
}

// rootBound returns an upper bound for the integer part of the n-th root of v.
func rootBound(v, n int) int { return int(math.Pow(float64(v), 1/float64(n))) + 1 }

var radicalSigns = map[int]string{2: "√", 3: "∛", 4: "∜"}

// radicalText formats c times the n-th root of r.
func radicalText(c, r string, n int) string {
	imaginary := ""
	if n == 2 && strings.HasPrefix(r, "-") {
		imaginary, r = "i", r[1:]
	}
	if r == "1" {
		if imaginary != "" && c == "1" {
			c = ""
		}
		return c + imaginary
	}
	switch c {
	case "1":
		c = ""
	case "-1":
		c = "-"
	}
	sign := radicalSigns[n]
	if sign == "" {
		if c != "" && c != "-" {
			c += "·"
		}
		sign = superscript(n) + "√"
	}
	if strings.HasPrefix(r, "-") {
		r = "(" + r + ")"
	}
	return c + imaginary + sign + r
}

// superscript formats an integer >= 0 in superscript digits.
func superscript(n int) string {
	raised := []rune("⁰¹²³⁴⁵⁶⁷⁸⁹")
	var b strings.Builder
	for _, digit := range strconv.Itoa(n) {
		b.WriteRune(raised[digit-'0'])
	}
	return b.String()
}
