// Package eseries holds the preferred values of resistors, capacitors and inductors
// (IEC 60063:2015) and finds the one nearest to a computed value or next above it.
package eseries

import (
	"math"
	"strconv"
)

// Series is the values of one E series. Take one from the variables of this package or from Find.
type Series struct {
	Name   string
	digits int   // significant digits of a value: 2 up to E24, 3 from E48 on
	decade []int // the values of one decade as whole numbers: 10 to 91 or 100 to 988
}

// The series of IEC 60063. Those of two digits are tables because history made them: 27, 33,
// 39, 47 and 82 are not what 10^(i/n) rounds to. The others follow it but for one value.
var (
	E3  = Series{"E3", 2, []int{10, 22, 47}}
	E6  = Series{"E6", 2, []int{10, 15, 22, 33, 47, 68}}
	E12 = Series{"E12", 2, []int{10, 12, 15, 18, 22, 27, 33, 39, 47, 56, 68, 82}}
	E24 = Series{"E24", 2, []int{
		10, 11, 12, 13, 15, 16, 18, 20, 22, 24, 27, 30, 33, 36, 39, 43, 47, 51, 56, 62,
		68, 75, 82, 91,
	}}
	E48  = Series{"E48", 3, geometric(48)}
	E96  = Series{"E96", 3, geometric(96)}
	E192 = Series{"E192", 3, geometric(192)}
)

// geometric is round(100·10^(i/n)), with the standard's one exception: 920 in E192, not 919.
func geometric(n int) []int {
	values := make([]int, n)
	for i := range values {
		values[i] = int(math.Round(100 * math.Pow(10, float64(i)/float64(n))))
		if values[i] == 919 && n == 192 {
			values[i] = 920
		}
	}
	return values
}

// All gives the series from the coarsest to the finest.
func All() []Series { return []Series{E3, E6, E12, E24, E48, E96, E192} }

// Find gives the series of that name: E3, E6, E12, E24, E48, E96 or E192.
func Find(name string) (Series, bool) {
	for _, s := range All() {
		if s.Name == name {
			return s, true
		}
	}
	return Series{}, false
}

// Coarsest gives the first of All that holds x: 4700 is E3, 4750 is E48. False when none does.
func Coarsest(x float64) (Series, bool) {
	for _, s := range All() {
		if s.Holds(x) {
			return s, true
		}
	}
	return Series{}, false
}

// Equal reports whether two values count as the same part value. A relative 1e-9 is far below
// the step of any series and far above what arithmetic in doubles does to a typed value.
func Equal(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Max(math.Abs(a), math.Abs(b)) }

// Holds reports whether x is a value of the series, in any decade.
func (s Series) Holds(x float64) bool { return valid(x) && Equal(x, s.Nearest(x)) }

// Nearest gives the value v with the smallest |v/x - 1|, the lower of two equally near. It is
// NaN when x is not between 1e-300 and 1e300.
func (s Series) Nearest(x float64) float64 {
	if !valid(x) {
		return math.NaN()
	}
	k := s.index(x)
	above, below := s.at(k), s.at(k-1)
	if Equal(above, x) || above/x-1 < (1-below/x)*(1-1e-9) {
		return above
	}
	return below
}

// NextHigher gives the first value at or above x; x within a rounding error of a value is that
// value. It is NaN when x is not between 1e-300 and 1e300.
func (s Series) NextHigher(x float64) float64 {
	if !valid(x) {
		return math.NaN()
	}
	return s.at(s.index(x))
}

// Between gives every value from lo to hi, both included, in rising order; none when a bound
// is not between 1e-300 and 1e300.
func (s Series) Between(lo, hi float64) []float64 {
	if !valid(lo) || !valid(hi) {
		return nil
	}
	var out []float64
	for k := s.index(lo); ; k++ {
		v := s.at(k)
		if v > hi && !Equal(v, hi) {
			return out
		}
		out = append(out, v)
	}
}

// valid excludes values without a place in a series, and the last decades of the doubles at either
// end, where the neighbour of a value is 0 or infinite.
func valid(x float64) bool { return x > 1e-300 && x < 1e300 }

// at is value k of the series counted through all decades, 0 being 1.0. It is the number as
// a person would type it: 4.7e-9 is the double nearest to 4.7e-9, which a product of mantissa
// and power of ten need not be.
func (s Series) at(k int) float64 {
	n := len(s.decade)
	decade := k / n
	if k%n < 0 {
		decade--
	}
	text := strconv.Itoa(s.decade[k-decade*n]) + "e" + strconv.Itoa(decade-s.digits+1)
	v, _ := strconv.ParseFloat(text, 64)
	return v
}

// index is the k of the first value at or above x. The logarithm gives the neighbourhood: no
// series strays by more than a step or two from an even spacing.
func (s Series) index(x float64) int {
	k := int(math.Round(math.Log10(x) * float64(len(s.decade))))
	for v := s.at(k); v < x && !Equal(v, x); v = s.at(k) {
		k++
	}
	for v := s.at(k - 1); v >= x || Equal(v, x); v = s.at(k - 1) {
		k--
	}
	return k
}
