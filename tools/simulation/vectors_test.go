package simulation

import (
	"encoding/base64"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"slipstick/spice"
)

// digits returns the number of significant digits of a number in JSON.
func digits(x float64) int {
	text, _, _ := strings.Cut(strconv.FormatFloat(math.Abs(x), 'e', -1, 64), "e")
	return len(strings.ReplaceAll(text, ".", ""))
}

// round rounds the vectors of one analysis.
func round(kind string, vectors []spice.Vector) {
	roundVectors([]*spice.AnalysisResult{{Analysis: kind, Vectors: vectors}}, 2)
}

// TestRoundVectors verifies the error bounds of docs/results.md over 24 decades.
func TestRoundVectors(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for exponent := -21; exponent <= 21; exponent++ {
		scale := math.Pow(10, float64(exponent)) * (1 + random.Float64())
		for _, offset := range []float64{0, 1, -30, 1e4, 1e9} {
			n := 500
			time, curve := make([]float64, n), make([]float64, n)
			at := 0.0
			for k := range n {
				at += scale * math.Pow(10, -6*random.Float64()) // steps of six decades
				time[k], curve[k] = at, scale*(offset+random.Float64())
			}
			curve[0], curve[1] = scale*offset, scale*(offset+1)
			wasTime, was := slices.Clone(time), slices.Clone(curve)
			round("tran", []spice.Vector{{Name: "time", Values: time},
				{Name: "v(a)", Values: curve}})
			allowed := max(1e-7*scale, 1e-12*scale*(math.Abs(offset)+1)) * (1 + 1e-6)
			sum := 0
			for k := range n {
				if d := math.Abs(curve[k] - was[k]); d > allowed {
					t.Fatalf("1e%d, offset %g: %g became %g", exponent, offset, was[k], curve[k])
				}
				if curve[k] == 0 && math.Signbit(curve[k]) {
					t.Fatalf("1e%d, offset %g: %g became -0", exponent, offset, was[k])
				}
				step := math.Inf(1)
				if k > 0 {
					step = wasTime[k] - wasTime[k-1]
				}
				if k+1 < n {
					step = min(step, wasTime[k+1]-wasTime[k])
				}
				if d := math.Abs(time[k] - wasTime[k]); d > 1e-7*step*(1+1e-6) {
					t.Fatalf("1e%d: time %g moved by %g of a step of %g", exponent,
						wasTime[k], d, step)
				}
				sum += digits(curve[k])
			}
			if most := 8 + max(0, math.Log10(math.Abs(offset)+1)); offset <= 1e4 &&
				float64(sum)/float64(n) > most {
				t.Errorf("1e%d, offset %g: %.1f digits per value", exponent, offset,
					float64(sum)/float64(n))
			}
		}
	}
}

func TestRoundedAnalyses(t *testing.T) {
	spectrum := []spice.Vector{{Values: []float64{1, 10, 100}},
		{Values: []float64{math.Pi, math.Pi * 1e-12, -math.E * 1e30}}}
	round("ac", spectrum)
	if want := []float64{3.14159265, 3.14159265e-12,
		-2.71828183e30}; !slices.Equal(spectrum[1].Values, want) {
		t.Errorf("%v instead of %v", spectrum[1].Values, want)
	}
	if want := []float64{1, 10, 100}; !slices.Equal(spectrum[0].Values, want) {
		t.Errorf("%v instead of %v", spectrum[0].Values, want)
	}
	point := []spice.Vector{{Values: []float64{math.Pi}}, {Values: []float64{math.Copysign(0, -1)}}}
	round("op", point)
	if point[0].Values[0] != math.Pi || math.Signbit(point[1].Values[0]) {
		t.Errorf("an operating point became %v", point[0].Values[0])
	}
	sweep := []spice.Vector{{Values: []float64{0, 0.1, 0.2, 0.30000000000000004, 0, 0.1}},
		{Values: make([]float64, 6)}}
	round("dc", sweep)
	if want := []float64{0, 0.1, 0.2, 0.3, 0, 0.1}; !slices.Equal(sweep[0].Values, want) {
		t.Errorf("%v instead of %v", sweep[0].Values, want)
	}
	still := []spice.Vector{{Values: []float64{0, 1, 2}},
		{Values: []float64{12, 12 + 4e-15, 12 - 4e-15}}, {Values: []float64{0, 0, 0}}}
	round("tran", still)
	if want := []float64{12, 12, 12}; !slices.Equal(still[1].Values, want) {
		t.Errorf("a constant became %v", still[1].Values)
	}
}

func TestRoundTo(t *testing.T) {
	for _, c := range []struct {
		x    float64
		e    int
		want float64
	}{
		{123.456, -2, 123.46}, {-0.5, 0, -1}, {0.4, 0, 0}, {1.5e30, 25, 1.5e30},
		{8.5e43, 44, 1e44}, {4.9e43, 44, 0}, {8.5e42, 44, 0}, {7e24, 25, 1e25},
		{-9e-25, -24, -1e-24}, {1.26e-25, -26, 1.3e-25}, {math.Pi, noRounding, math.Pi},
	} {
		if got := roundTo(c.x, c.e); got != c.want {
			t.Errorf("%g to a multiple of 1e%d: %g, want %g", c.x, c.e, got, c.want)
		}
	}
	for x, want := range map[float64]int{
		1: 0, 999.9: 2, 1000: 3, 1e-3: -3, 1e-22: -22, 1e-23: -23, 1e-24: -24, 1e22: 22, 1e33: 33,
		math.Nextafter(1e-25, 0): -26, math.Nextafter(1e-6, 0): -7, 5e-324: -324,
		math.MaxFloat64: 308, 0: noRounding,
	} {
		if got := decimal(x); got != want {
			t.Errorf("exponent of %g: %d, want %d", x, got, want)
		}
	}
}

func TestCSVNames(t *testing.T) {
	quoted := csvOf([]spice.Vector{{Name: `v(a,"b")`, Values: []float64{1}},
		{Name: "x", Values: []float64{-2.5e-9}}})
	if quoted != "\"v(a,\"\"b\"\")\",x\n1,-2.5e-09\n" {
		t.Errorf("%q", quoted)
	}
}

// TestBinaryColumns verifies that a vector with an offset much larger than its swing stays float64.
// It also verifies that every column begins at a multiple of eight bytes, even after a column of
// odd length.
func TestBinaryColumns(t *testing.T) {
	text, err := binaryOf("tran", []spice.Vector{
		{Name: "time", Unit: "s", Values: []float64{0, 1, 2}},
		{Name: "v(a)", Unit: "V", Values: []float64{-1, 0.5, 1}},
		{Name: "v(b)", Unit: "V", Values: []float64{12, 12.001, 12.002}},
		{Name: "v(c)", Unit: "V", Values: []float64{0, 1e-40, 2e-40}},
		{Name: "v(d)", Unit: "V", Values: []float64{0, 1e39, -1e39}},
	})
	if err != nil {
		t.Fatal(err)
	}
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(data)%8 != 0 {
		t.Fatalf("%v, %d bytes", err, len(data))
	}
	for _, want := range []string{
		`"rows":3`, `"name":"v(a)","unit":"V","type":"float32","offset":24`,
		`"v(b)","unit":"V","type":"float64","offset":40`,
		`"v(c)","unit":"V","type":"float64"`, `"v(d)","unit":"V","type":"float64"`,
	} {
		if !strings.Contains(string(data), want) {
			t.Errorf("no %s in %.400s", want, data)
		}
	}
}
