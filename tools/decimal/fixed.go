package decimal

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/bits"
)

// Fixed is a number from 0 to just below 256 as a multiple of 2^-248, with the least significant
// word first. Its operations truncate lower bits and do not allocate.
type Fixed [4]uint64

// FixedPlaces is the number of fractional bits of a Fixed.
const FixedPlaces = 248

// fixedUnit is the bit of the value 1 in the last word.
const fixedUnit = 56

// fixedWhole returns n, which must be below 256.
func fixedWhole(n uint64) Fixed { return Fixed{3: n << fixedUnit} }

// FixedRatio returns n/d, which must be below 256, for d > 0.
func FixedRatio(n, d uint64) (q Fixed) {
	rest := n >> (64 - fixedUnit)
	q[3], rest = bits.Div64(rest, n<<fixedUnit, d)
	for i := 2; i >= 0; i-- {
		q[i], rest = bits.Div64(rest, 0, d)
	}
	return q
}

// FixedFraction returns x, which must be from 0 to below 256.
func FixedFraction(x Fraction) (f Fixed) {
	if x.Wide == nil {
		return FixedRatio(uint64(x.Num), uint64(x.den))
	}
	n := new(big.Int).Lsh(x.Wide.Num(), FixedPlaces)
	var bytes [8 * len(f)]byte
	n.Quo(n, x.Wide.Denom()).FillBytes(bytes[:])
	for i := range f {
		f[len(f)-1-i] = binary.BigEndian.Uint64(bytes[8*i:])
	}
	return f
}

// Fraction returns the same number as a Fraction.
func (x Fixed) Fraction() Fraction {
	n := new(big.Int)
	for i := len(x) - 1; i >= 0; i-- {
		n.Lsh(n, 64)
		n.Or(n, new(big.Int).SetUint64(x[i]))
	}
	return FromRat(new(big.Rat).SetFrac(n, new(big.Int).Lsh(big.NewInt(1), FixedPlaces)))
}

// fixedOf converts a double from 0 to below 256.
func fixedOf(x float64) (f Fixed) {
	mantissa, exp := math.Frexp(x)
	word := uint64(mantissa * (1 << 53))
	shift := exp - 53 + FixedPlaces
	if shift < 0 { // below 2^-196
		word >>= min(63, -shift)
		shift = 0
	}
	f[shift/64] = word << (shift % 64)
	if high := word >> (64 - shift%64); high != 0 {
		f[shift/64+1] = high
	}
	return f
}

// Float returns the nearest double.
func (x Fixed) Float() float64 {
	i := 3
	for i > 0 && x[i] == 0 {
		i--
	}
	zeros := bits.LeadingZeros64(x[i])
	top := x[i] << zeros
	if i > 0 {
		top |= x[i-1] >> (64 - zeros)
		rest := x[i-1] << zeros
		for _, word := range x[:i-1] {
			rest |= word
		}
		if rest != 0 {
			// below the last bit of a double, so that a value above a half is not rounded as a half
			top |= 1
		}
	}
	return math.Ldexp(float64(top), 64*i-zeros-FixedPlaces)
}

// Less reports whether x < y.
func (x Fixed) Less(y Fixed) bool {
	for i := 3; i > 0; i-- {
		if x[i] != y[i] {
			return x[i] < y[i]
		}
	}
	return x[0] < y[0]
}

// Plus returns x + y, which must be below 256.
func (x Fixed) Plus(y Fixed) (sum Fixed) {
	carry := uint64(0)
	for i := range x {
		sum[i], carry = bits.Add64(x[i], y[i], carry)
	}
	return sum
}

// Minus returns x - y for y <= x.
func (x Fixed) Minus(y Fixed) (difference Fixed) {
	borrow := uint64(0)
	for i := range x {
		difference[i], borrow = bits.Sub64(x[i], y[i], borrow)
	}
	return difference
}

// times returns x y, which must be below 256.
func (x Fixed) times(y Fixed) Fixed {
	var p [8]uint64
	for i, a := range x {
		carry := uint64(0)
		for j, b := range y {
			hi, lo := bits.Mul64(a, b)
			var c uint64
			lo, c = bits.Add64(lo, carry, 0)
			hi += c
			p[i+j], c = bits.Add64(p[i+j], lo, 0)
			carry = hi + c
		}
		p[i+4] = carry
	}
	var f Fixed
	for i := range f { // shifts by 248 = 3 × 64 + 56 bits
		f[i] = p[i+3]>>fixedUnit | p[i+4]<<(64-fixedUnit)
	}
	return f
}

// timesWhole returns n x, which must be below 256.
func (x Fixed) timesWhole(n uint64) (p Fixed) {
	carry := uint64(0)
	for i, word := range x {
		hi, lo := bits.Mul64(word, n)
		p[i], carry = bits.Add64(lo, carry, 0)
		carry += hi
	}
	return p
}

// overWhole returns x/n for n > 0.
func (x Fixed) overWhole(n uint64) (q Fixed) {
	rest := uint64(0)
	for i := 3; i >= 0; i-- {
		q[i], rest = bits.Div64(rest, x[i], n)
	}
	return q
}

// over returns x/y for 1 <= y <= 10 and x <= 10. It computes the reciprocal by Newton's method, r ←
// r (2 - y r), from a double. Each step doubles its 52 correct bits until all are correct.
func (x Fixed) over(y Fixed) Fixed {
	r := fixedOf(1 / y.Float())
	for range 3 {
		r = r.times(fixedWhole(2).Minus(y.times(r)))
	}
	return x.times(r)
}
