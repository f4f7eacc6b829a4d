package simulation

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"
)

// TestTextVectors compares the text of edge cases and of rounded and unrounded random values with
// encoding/json.
func TestTextVectors(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	edges := []float64{
		0, math.Copysign(0, -1), 1, -1, 10, 100, 0.1, -0.1, 1e-6, 9.99e-7, -1e-6, 1e-7, 1.5e-7,
		1e21, 1e20, 123456789, 1e14, 1e15,
		999999999999999, 1e15 + 2, 0.30000000000000004, 1. / 3, 5e-324,
		math.MaxFloat64, 1e-22, 1e-23, 4.7e-12, 1e22, 1e23, 0.000001234, 12345.678, 1e-9, 120,
		0.00012,
	}
	cases := map[string][]float64{"edges": edges, "v(<a>)": {}, "none": nil}
	for e := -20; e <= 6; e++ {
		for digits := range 12 {
			values := make([]float64, 300)
			for i := range values {
				values[i] = roundTo(random.NormFloat64()*math.Pow10(e), e-digits)
			}
			cases[string(rune('a'+digits))+"e"+string(rune('A'+e+20))] = values
		}
	}
	whole := make([]float64, 20000)
	for i := range whole {
		whole[i] = random.NormFloat64() * math.Pow10(random.IntN(40)-25)
	}
	cases["unrounded"] = whole
	for name, values := range cases {
		got, err := appendVectors(nil, map[string][]float64{name: values}, 1)
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		encoder := json.NewEncoder(&text)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(map[string][]float64{name: values}); err != nil {
			t.Fatal(err)
		}
		want := bytes.TrimSuffix(text.Bytes(), []byte("\n"))
		if string(got) != string(want) {
			var a, b map[string][]json.RawMessage
			if json.Unmarshal(got, &a) != nil || json.Unmarshal(want, &b) != nil {
				t.Fatalf("%s: %.300s, want %.300s", name, got, want)
			}
			for i := range values {
				if string(a[name][i]) != string(b[name][i]) {
					t.Fatalf("%s: %g is %s, want %s", name, values[i], a[name][i], b[name][i])
				}
			}
			t.Fatalf("%s: %.300s, want %.300s", name, got, want)
		}
	}
	alone, err := appendVectors([]byte("before"), cases, 1)
	if err != nil {
		t.Fatal(err)
	}
	for cores := 2; cores < 9; cores++ {
		got, err := appendVectors([]byte("before"), cases, cores)
		if err != nil || !bytes.Equal(got, alone) {
			t.Errorf("%d cores: %v, %d bytes instead of %d", cores, err, len(got), len(alone))
		}
	}
	if got, err := appendVectors(nil, nil, 2); err != nil || string(got) != "null" {
		t.Errorf("no vectors: %s, %v", got, err)
	}
	if _, err := appendVectors(nil, map[string][]float64{"a": {math.NaN()}}, 2); err == nil {
		t.Error("NaN is accepted")
	}
}

func appendVectors(b []byte, vectors map[string][]float64, cores int) ([]byte, error) {
	var text Text
	text.AddVectors(vectors)
	return text.Append(b, cores)
}

func BenchmarkTextVectors(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	values := make([]float64, 10000)
	for i := range values {
		values[i] = roundTo(random.NormFloat64(), -7)
	}
	vectors := map[string][]float64{"v": values}
	b.Run("ours", func(b *testing.B) {
		for b.Loop() {
			if _, err := appendVectors(nil, vectors, 1); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encoding/json", func(b *testing.B) {
		for b.Loop() {
			if _, err := json.Marshal(vectors); err != nil {
				b.Fatal(err)
			}
		}
	})
}
