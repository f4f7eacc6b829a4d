// Package eseries provides the preferred values of resistors, capacitors and inductors (IEC
// 60063:2015). It finds the value nearest to a computed value, or the next higher one.
package eseries

import (
	"math"
	"strconv"
)

// Series contains the values of an E series. Use a variable of this package or Find to obtain one.
type Series struct {
	Name   string
	digits int   // significant digits of a value: 2 up to E24, 3 from E48
	decade []int // values of one decade as integers: 10 to 91 or 100 to 988
}

// Series of IEC 60063. Two-digit series are tables because some historical values (27, 33, 39, 47
// and 82) differ from 10^(i/n) rounded. The other series follow this formula with one exception.
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

// geometric returns round(100·10^(i/n)), with the exception of the standard: 920 instead of 919 in
// E192.
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

// All returns all series from the coarsest to the finest.
func All() []Series { return []Series{E3, E6, E12, E24, E48, E96, E192} }

// Find returns the series with the given name: E3, E6, E12, E24, E48, E96 or E192.
func Find(name string) (Series, bool) {
	for _, s := range All() {
		if s.Name == name {
			return s, true
		}
	}
	return Series{}, false
}

// Coarsest returns the coarsest series that contains x: E3 for 4700, E48 for 4750. It returns false
// if no series contains x.
func Coarsest(x float64) (Series, bool) {
	for _, s := range All() {
		if s.Holds(x) {
			return s, true
		}
	}
	return Series{}, false
}

// Equal reports whether two values are the same part value. The relative tolerance of 1e-9 is far
// below the step of any series and far above rounding errors of doubles.
func Equal(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Max(math.Abs(a), math.Abs(b)) }

// Holds reports whether x is a value of the series, in any decade.
func (s Series) Holds(x float64) bool { return valid(x) && Equal(x, s.Nearest(x)) }

// Nearest returns the value v with the smallest |v/x - 1|, the lower of two equally near values. It
// returns NaN if x is not between 1e-300 and 1e300.
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

// NextHigher returns the first value that is at least x. An x within rounding error of a value
// counts as that value. It returns NaN if x is not between 1e-300 and 1e300.
func (s Series) NextHigher(x float64) float64 {
	if !valid(x) {
		return math.NaN()
	}
	return s.at(s.index(x))
}

// Between returns all values from lo to hi, inclusive, in ascending order. It returns none if a
// bound is not between 1e-300 and 1e300.
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

// valid excludes values that cannot be in a series. It also excludes the first and last decades of
// the doubles, where a neighbouring value would be 0 or infinite.
func valid(x float64) bool { return x > 1e-300 && x < 1e300 }

// at returns value k of the series across all decades, where 0 is 1.0. It returns the double
// nearest to the decimal text, such as 4.7e-9. A product of mantissa and power of ten need not be
// the nearest double.
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

// index returns the k of the first value that is at least x. It begins near the logarithm of x
// because no series deviates by more than one or two steps from even spacing.
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
