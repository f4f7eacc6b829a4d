package device

import "math"

// expSteps is the number of entries of expTable. The argument of the polynomial in exp is at most
// ln 2 / (2·expSteps).
const expSteps = 128

// expTable holds 2^(k/expSteps).
var expTable = func() (t [expSteps]float64) {
	for k := range t {
		t[k] = math.Exp2(float64(k) / expSteps)
	}
	return t
}()

// exp returns e^x. Below |x| = 700 the result is within 1.3 units in the last place. It takes half
// the time of math.Exp, because a table shortens the polynomial (P. T. P. Tang, ACM Trans. Math.
// Software 15, 1989).
func exp(x float64) float64 {
	// The sum of high and low is ln 2 / expSteps. The product of high with an integer is exact.
	const (
		high = 0x1.62e42feep-8
		low  = 0x1.a39ef35793c76p-40
	)
	if !(math.Abs(x) < 700) {
		return math.Exp(x)
	}
	// Adding shift rounds to an integer and moves it into the low bits of the mantissa.
	const shift = 0x1.8p52
	shifted := x*(expSteps/math.Ln2) + shift
	n := int64(math.Float64bits(shifted))
	f := shifted - shift
	r := (x - f*high) - f*low
	r2 := r * r
	p := r + r2*((0.5+r*(1.0/6))+r2*(1.0/24+r*(1.0/120)))
	t := expTable[n&(expSteps-1)]
	y := t + t*p
	return math.Float64frombits(math.Float64bits(y) + uint64(n>>7)<<52)
}

// logSteps is the number of entries of logTable. The argument of the polynomial in log is at most
// 1/(2·logSteps).
const logSteps = 128

// logTable holds the reciprocal and the logarithm of the middle of each interval of the mantissa.
var logTable = func() (t [logSteps]struct{ inverse, log float64 }) {
	for k := range t {
		middle := 1 + (float64(k)+0.5)/logSteps
		t[k].inverse, t[k].log = 1/middle, math.Log(middle)
	}
	return t
}()

// log returns the natural logarithm of x with an error below 4e-16·(1 + |log x|). Its relative
// error near x = 1 is larger than that of math.Log.
func log(x float64) float64 {
	bits := math.Float64bits(x)
	if exponent := bits >> 52; exponent == 0 || exponent >= 0x7ff {
		return math.Log(x)
	}
	k := bits >> (52 - 7) & (logSteps - 1)
	mantissa := math.Float64frombits(bits&(1<<52-1) | 0x3ff<<52)
	e := &logTable[k]
	r := (mantissa - (1 + (float64(k)+0.5)/logSteps)) * e.inverse
	r2 := r * r
	p := r + r2*((-0.5+r*(1.0/3))+r2*((-0.25+r*(1.0/5))-r2*(1.0/6)))
	return float64(int64(bits>>52)-1023)*math.Ln2 + (e.log + p)
}
