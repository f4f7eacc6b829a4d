package simulation

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"sync"
)

// bytesPerNumber is the buffer size reserved for each number with its comma. Rounded values are
// shorter.
const bytesPerNumber = 12

// Text is JSON text in pieces, which Append encodes on several cores. The zero value is empty.
type Text struct {
	pieces []piece
	size   int // sum of the sizes of the pieces
}

type piece struct {
	size   int // estimated time in that of a rounded number
	append func(b []byte) ([]byte, error)
}

func (t *Text) add(size int, appendPiece func(b []byte) ([]byte, error)) {
	t.pieces = append(t.pieces, piece{size, appendPiece})
	t.size += size
}

// AddRaw adds JSON text.
func (t *Text) AddRaw(text string) {
	t.add(0, func(b []byte) ([]byte, error) { return append(b, text...), nil })
}

// AddValue adds a value as AppendJSON does.
func (t *Text) AddValue(v any) {
	t.add(0, func(b []byte) ([]byte, error) { return AppendJSON(b, v) })
}

// deviceSize is the size of a piece per device of an operating point.
const deviceSize = 30

// AddMembers adds a comma and the members of a struct, without the braces. The struct must have a
// member. Most of the time is that of an operating point with the given number of devices.
func (t *Text) AddMembers(v any, devices int) {
	t.add(deviceSize*devices, func(b []byte) ([]byte, error) {
		first := len(b)
		b, err := AppendJSON(b, v)
		if err != nil {
			return nil, err
		}
		b[first] = ','
		return b[:len(b)-1], nil
	})
}

// AddVectors adds vectors as a JSON object. The bytes equal the output of encoding/json without
// HTML escapes, but rounded values take a third of the time. All values must be finite.
func (t *Text) AddVectors(vectors map[string][]float64) {
	if vectors == nil {
		t.AddRaw("null")
		return
	}
	before := "{"
	for _, name := range slices.Sorted(maps.Keys(vectors)) {
		separator, values := before, vectors[name]
		t.add(len(values), func(b []byte) ([]byte, error) {
			b, err := appendString(append(b, separator...), name)
			if err != nil {
				return nil, err
			}
			return appendNumbers(append(b, ':'), values)
		})
		before = ","
	}
	if len(vectors) == 0 {
		t.AddRaw("{")
	}
	t.AddRaw("}")
}

// Append appends the text to b on up to the given number of cores and returns the extended buffer.
// The bytes do not depend on cores.
func (t *Text) Append(b []byte, cores int) ([]byte, error) {
	cores = coresFor(t.size, cores)
	shares := make([][]piece, cores) // consecutive pieces for each core
	done := 0
	for _, p := range t.pieces {
		k := min(done*cores/max(1, t.size), cores-1)
		shares[k] = append(shares[k], p)
		done += p.size
	}
	texts, errs := make([][]byte, cores), make([]error, cores)
	texts[0] = slices.Grow(b, bytesPerNumber*t.size)
	var group sync.WaitGroup
	for k := range cores {
		group.Go(func() {
			text := texts[k]
			if k > 0 {
				text = make([]byte, 0, bytesPerNumber*t.size/cores)
			}
			for _, p := range shares[k] {
				if text, errs[k] = p.append(text); errs[k] != nil {
					return
				}
			}
			texts[k] = text
		})
	}
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	for _, text := range texts[1:] {
		texts[0] = append(texts[0], text...)
	}
	return texts[0], nil
}

// AppendJSON appends a value as encoding/json encodes it, without HTML escapes.
func AppendJSON(b []byte, v any) ([]byte, error) {
	text := bytes.NewBuffer(b)
	encoder := json.NewEncoder(text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), nil
}

// appendString appends a string as AppendJSON does, faster if it has no escapes.
func appendString(b []byte, s string) ([]byte, error) {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return AppendJSON(b, s)
		}
	}
	return append(append(append(b, '"'), s...), '"'), nil
}

// appendNumbers appends values as a JSON array.
func appendNumbers(b []byte, values []float64) ([]byte, error) {
	if values == nil {
		return append(b, "null"...), nil
	}
	b = append(b, '[')
	decimals := 0 // of the previous value; neighbours are multiples of the same power of ten
	for i, x := range values {
		if i > 0 {
			b = append(b, ',')
		}
		var n int64
		var ok bool
		if n, decimals, ok = decimalOf(x, decimals); ok {
			b = appendDecimal(b, n, decimals)
			continue
		}
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, fmt.Errorf("JSON has no number %g", x)
		}
		b = appendShortest(b, x)
	}
	return append(b, ']'), nil
}

// appendShortest appends the shortest decimal that yields x, in the notation of encoding/json.
func appendShortest(b []byte, x float64) []byte {
	if size := math.Abs(x); x == 0 || size >= 1e-6 && size < 1e21 {
		return strconv.AppendFloat(b, x, 'f', -1, 64)
	}
	b = strconv.AppendFloat(b, x, 'e', -1, 64)
	// strconv writes exponents with two digits at least, encoding/json does so only above 9
	if n := len(b); b[n-3] == '-' && b[n-2] == '0' {
		b[n-2] = b[n-1]
		b = b[:n-1]
	}
	return b
}

// maxMantissa is the limit of mantissas of 15 digits. Such decimals are distinct float64 numbers,
// so the shortest text that yields a float64 is its only decimal of up to 15 digits.
const maxMantissa = 1e15

// powers contains the powers of ten that a float64 represents exactly.
var powers = [exact + 1]float64{
	1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
	1e18, 1e19, 1e20, 1e21, 1e22,
}

// smallest is the magnitude below which a value of nine digits is no multiple of 10^-exact.
const smallest = 1e-14

// decimalOf returns n and decimals such that x = n·10^-decimals. The search begins at the number of
// decimals given as from. If it finds no n below maxMantissa, ok is false, and the next search
// should begin at decimals.
func decimalOf(x float64, from int) (n int64, decimals int, ok bool) {
	switch {
	case x == 0:
		return 0, from, !math.Signbit(x)
	case math.Abs(x) < smallest:
		return 0, from, false
	}
	for k := from; k <= exact; k++ {
		m := math.Round(x * powers[k])
		if !(math.Abs(m) < maxMantissa) {
			return 0, 0, false
		}
		if m/powers[k] == x {
			return int64(m), k, true
		}
	}
	return 0, 0, false
}

// appendDecimal appends n·10^-decimals in the notation of encoding/json (ECMA-262 6th edition,
// section 7.1.12.1): an exponent below 1e-6, and no trailing zeros.
func appendDecimal(b []byte, n int64, decimals int) []byte {
	if n == 0 {
		return append(b, '0')
	}
	if n < 0 {
		b = append(b, '-')
		n = -n
	}
	for decimals > 0 && n%10 == 0 {
		n /= 10
		decimals--
	}
	if decimals == 0 {
		return strconv.AppendInt(b, n, 10)
	}
	if decimals > 6 && float64(n) < powers[decimals-6] {
		digits := strconv.AppendInt(nil, n, 10)
		exponent := len(digits) - 1 - decimals
		b = append(b, digits[0])
		if len(digits) > 1 {
			b = append(append(b, '.'), digits[1:]...)
		}
		return strconv.AppendInt(append(b, 'e'), int64(exponent), 10)
	}
	var text [32]byte // filled from the end
	i, rest := len(text), uint64(n)
	for ; decimals > 0; decimals-- {
		i--
		text[i] = '0' + byte(rest%10)
		rest /= 10
	}
	i--
	text[i] = '.'
	for more := true; more; more = rest > 0 {
		i--
		text[i] = '0' + byte(rest%10)
		rest /= 10
	}
	return append(b, text[i:]...)
}
