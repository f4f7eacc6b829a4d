package simulation

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"sync"

	"slipstick/spice"
)

// Accuracy of vectors in a result. The error of a transient is about 1e-4 of the peak-to-peak
// value. Further digits carry no information but are most of the bytes of a result. Spectra and
// transfer curves are read on logarithmic scales, so they keep a fixed number of significant
// digits.
const (
	// roundingError is the maximum change of a value by rounding. It is relative to the
	// peak-to-peak value for a transient, and to the distance between neighbours for a sweep.
	roundingError = 1e-7
	// finestRounding is the minimum rounding of a nearly constant vector, relative to its maximum
	// magnitude.
	finestRounding = 1e-12
	// significantDigits is the number of significant digits in vectors of other analyses.
	significantDigits = 9
)

// valuesPerCore is the minimum number of values per core for which a further core saves time.
const valuesPerCore = 5000

// coresFor returns the number of cores to use for the given number of values, from 1 to maxCores.
func coresFor(values, maxCores int) int { return max(1, min(maxCores, values/valuesPerCore)) }

// roundVectors rounds the vectors of analyses, in each the sweep first, to decimal numbers with
// short texts, on up to the given number of cores. It does not round vectors of a single point. It
// removes the sign of every zero.
func roundVectors(analyses []*spice.AnalysisResult, cores int) {
	values := 0
	var tasks []func()
	for _, r := range analyses {
		for i, v := range r.Vectors {
			values += len(v.Values)
			tasks = append(tasks, func() { roundVector(r.Analysis, v.Values, i == 0) })
		}
	}
	cores = coresFor(values, cores)
	var group sync.WaitGroup
	for first := range cores {
		group.Go(func() {
			for i := first; i < len(tasks); i += cores {
				tasks[i]()
			}
		})
	}
	group.Wait()
}

// roundVector rounds the values of one vector of an analysis of a kind, such as tran, or of the
// sweep.
func roundVector(kind string, values []float64, isSweep bool) {
	switch {
	case len(values) < 2:
		for k := range values {
			values[k] += 0 // -0 + 0 = 0
		}
	case isSweep:
		roundSweep(values)
	case kind == "tran":
		lo, hi := values[0], values[0]
		for _, x := range values {
			lo, hi = min(lo, x), max(hi, x)
		}
		e := decimal(max(2*roundingError*(hi-lo), 2*finestRounding*max(hi, -lo)))
		for k, x := range values {
			values[k] = roundTo(x, e)
		}
	default:
		for k, x := range values {
			values[k] = roundTo(x, decimal(math.Abs(x))-(significantDigits-1))
		}
	}
}

// roundSweep rounds each point of a sweep relative to the distance from its neighbours. It
// preserves the order of the points. Curves plotted over them shift by less than the rounding of
// their values.
func roundSweep(sweep []float64) {
	before := math.Inf(1)
	for k, x := range sweep {
		after := math.Inf(1)
		if k+1 < len(sweep) {
			after = math.Abs(sweep[k+1] - x)
		}
		sweep[k] = roundTo(x, decimal(2*roundingError*min(before, after)))
		before = after
	}
}

// exact is the exponent of the largest power of ten that a float64 represents exactly.
const exact = 22

// noRounding is the exponent for a quantum of zero.
const noRounding = math.MinInt32

// decimal returns the exponent of the largest power of ten that is at most q.
func decimal(q float64) int {
	if !(q > 0) || math.IsInf(q, 1) {
		return noRounding
	}
	if q < 1e-22 || q >= 1e22 { // powers of ten are not exact there
		var text [32]byte
		_, exponent, _ := bytes.Cut(strconv.AppendFloat(text[:0], q, 'e', -1, 64), []byte("e"))
		e, err := strconv.Atoi(string(exponent))
		if err != nil {
			return noRounding
		}
		return e
	}
	_, octave := math.Frexp(q) // 2^(octave-1) <= q < 2^octave
	e := int(math.Floor(float64(octave-1) * (math.Ln2 / math.Ln10)))
	if q >= math.Pow10(e+1) {
		e++
	}
	return e
}

// roundTo rounds x to a multiple of 10^e, without the sign of zero. It returns x unchanged if the
// multiple would have more digits than a float64.
func roundTo(x float64, e int) float64 {
	switch {
	case x == 0:
		return 0
	case e == noRounding:
		return x
	case e >= 0 && e <= exact:
		p := math.Pow10(e)
		return math.Round(x/p)*p + 0
	case e < 0 && e >= -exact:
		// The quotient of two exact numbers is the float64 nearest to the decimal, so its shortest
		// text is that decimal.
		p := math.Pow10(-e)
		if n := math.Round(x * p); math.Abs(n) < 1<<53 {
			return n/p + 0
		}
		return x
	}
	// This slower method suffices for values far from 1, which are rare.
	digits := decimal(math.Abs(x)) - e
	if digits < 0 {
		multiple, err := strconv.ParseFloat("1e"+strconv.Itoa(e), 64)
		if err != nil || math.Abs(x) < multiple/2 {
			return 0
		}
		return math.Copysign(multiple, x)
	}
	var text [32]byte
	y, err := strconv.ParseFloat(
		string(strconv.AppendFloat(text[:0], x, 'e', min(digits, 16), 64)), 64)
	if err != nil {
		return x
	}
	return y
}

// csvOf returns vectors as CSV (RFC 4180): a line of names, then one line per point.
func csvOf(vectors []spice.Vector) string {
	b := []byte{}
	for i, v := range vectors {
		if i > 0 {
			b = append(b, ',')
		}
		name := v.Name
		if strings.ContainsAny(name, "\",\r\n") {
			name = `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
		}
		b = append(b, name...)
	}
	b = append(b, '\n')
	for k := range vectors[0].Values {
		for i, v := range vectors {
			if i > 0 {
				b = append(b, ',')
			}
			b = strconv.AppendFloat(b, v.Values[k], 'g', -1, 64)
		}
		b = append(b, '\n')
	}
	return string(b)
}

// columnsHeader describes the columns of the binary format.
type columnsHeader struct {
	Rows    int              `json:"rows"`
	Columns []columnOfHeader `json:"columns"`
}

type columnOfHeader struct {
	Name   string `json:"name"`
	Unit   string `json:"unit"`
	Type   string `json:"type"`   // float64 or float32
	Offset int    `json:"offset"` // of the first value, from the end of the header
}

// columnsMagic is the magic number at the beginning of the binary format.
const columnsMagic = "SLC1"

// float32Error is the relative rounding error of a float32.
const float32Error = 1.0 / (1 << 24)

// binaryOf returns vectors in the binary format of docs/results.md, encoded as base64. It consists
// of a magic number, the header length as uint32, the header as JSON, and each vector as float64 or
// float32, all little-endian. Header and vectors are aligned to 8 bytes. A vector of a transient
// other than the time is float32 if that changes it by less than the rounding.
func binaryOf(kind string, vectors []spice.Vector) (string, error) {
	header := columnsHeader{Rows: len(vectors[0].Values), Columns: []columnOfHeader{}}
	offset := 0
	for i, v := range vectors {
		c := columnOfHeader{Name: v.Name, Unit: v.Unit, Type: "float64", Offset: offset}
		size := 8
		if i > 0 && kind == "tran" && fitsFloat32(v.Values) {
			c.Type, size = "float32", 4
		}
		header.Columns = append(header.Columns, c)
		offset += (size*header.Rows + 7) / 8 * 8
	}
	text, err := json.Marshal(header)
	if err != nil {
		return "", err
	}
	if n := len(text) % 8; n > 0 {
		text = append(text, bytes.Repeat([]byte(" "), 8-n)...)
	}
	b := make([]byte, 0, 8+len(text)+offset)
	b = append(b, columnsMagic...)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(text)))
	b = append(b, text...)
	data := len(b)
	for i, c := range header.Columns {
		b = append(b, make([]byte, data+c.Offset-len(b))...) // pads to a multiple of 8
		for _, x := range vectors[i].Values {
			if c.Type == "float32" {
				b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(x)))
			} else {
				b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
			}
		}
	}
	b = append(b, make([]byte, data+offset-len(b))...)
	return base64.StdEncoding.EncodeToString(b), nil
}

// fitsFloat32 reports whether float32 changes values by at most roundingError of their peak-to-peak
// value.
func fitsFloat32(values []float64) bool {
	if len(values) == 0 {
		return true
	}
	lo, hi := values[0], values[0]
	for _, x := range values {
		lo, hi = min(lo, x), max(hi, x)
	}
	most := max(hi, -lo)
	return most <= math.MaxFloat32 && most*float32Error <= roundingError*(hi-lo) && hi-lo > 1e-30
}
