package decimal

import (
	"encoding/json"
	"math"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestDecimalReads(t *testing.T) {
	for _, c := range []struct {
		in     string // JSON
		value  string // as a fraction
		places int
	}{
		{`1.500`, "3/2", 3},
		{`1.005`, "1005/1000", 3},
		{`"1500."`, "1500", 0},
		{`".5"`, "1/2", 1},
		{`"+0.0450"`, "45/1000", 4},
		{`"-1.5e3"`, "-1500", 0},
		{`1E-2`, "1/100", 2},
		{`"6.02x10^23"`, "602000000000000000000000", 0},
		{`"6.02×10^2"`, "602", 0},
		{`"1.25*10^-1"`, "1/8", 3},
		{`-0.0`, "0", 1},
		{`"0.1e0001"`, "1", 0},
	} {
		var d Decimal
		if err := d.DecodeField([]byte(c.in)); err != nil {
			t.Errorf("%s: %v", c.in, err)
			continue
		}
		want, _ := new(big.Rat).SetString(c.value)
		if d.Exact().Rat().Cmp(want) != 0 || d.Places() != c.places {
			t.Errorf("%s: got %v with %d places, want %s with %d", c.in, d.Exact().Rat(),
				d.Places(), c.value, c.places)
		}
		if f, _ := want.Float64(); d.Float() != f || d.Sign() != want.Sign() {
			t.Errorf("%s: got %v, sign %d, want %v", c.in, d.Float(), d.Sign(), f)
		}
		if back, err := json.Marshal(d); err != nil || string(back) != c.in {
			t.Errorf("%s comes back as %s, %v", c.in, back, err)
		}
	}
}

func TestDecimalRefuses(t *testing.T) {
	for _, in := range []string{
		`""`, `"."`, `"-"`, `"1.2.3"`, `"1,5"`, `" 1"`, `"1 "`, `"1e"`, `"1e1.5"`, `"1e--5"`,
		`"1x10"`, `"0x10"`, `"1x10^"`, `"e5"`, `"NaN"`, `"Infinity"`,
		`"٣"`, `true`, `null`, `[1]`, `{}`, `1e10000`, `"1e-10000"`, `"1e99999999999999999999"`,
		`"` + strings.Repeat("1", 1001) + `"`,
	} {
		var d Decimal
		if err := d.DecodeField([]byte(in)); err == nil {
			t.Errorf("%.40s was read as %v", in, d.Float())
		}
	}
	var d Decimal
	if err := d.DecodeField([]byte(`"` + strings.Repeat("1", 1000) + `"`)); err != nil {
		t.Errorf("1000 characters: %v", err)
	}
	var n Number
	if err := n.DecodeField([]byte(`"1.5"`)); err == nil {
		t.Error("a DecimalNumber took a string")
	}
}

func TestDecimalOfADouble(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64().Draw(t, "x")
		if math.IsNaN(x) || math.IsInf(x, 0) {
			t.Skip()
		}
		raw, _ := json.Marshal(x)
		var d Decimal
		if err := d.DecodeField(raw); err != nil {
			t.Fatal(err)
		}
		if d.Float() != x {
			t.Fatalf("%s was read as %v", raw, d.Float())
		}
		want, _ := new(big.Rat).SetString(string(raw))
		if d.Exact().Rat().Cmp(want) != 0 || FromFloat(x).Rat().Cmp(want) != 0 {
			t.Fatalf("%s: read as %v, taken as %v", raw, d.Exact().Rat(), FromFloat(x).Rat())
		}
	})
}

func FuzzDecimal(f *testing.F) {
	for _, s := range []string{"1.50", "-0", "6x10^3", ".e", "1e9999", "00.100e-3"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d, err := Parse(s)
		if err != nil {
			return
		}
		g, _ := d.Significant()
		again, err := Parse(g.Scientific())
		if err != nil {
			if len(g.Digits) < 900 && d.exp > -8000 && d.exp < 8000 {
				t.Fatalf("%q is written %q: %v", s, g.Scientific(), err)
			}
			return
		}
		if again.Exact().Cmp(d.Exact()) != 0 {
			t.Fatalf("%q is written %q", s, g.Scientific())
		}
	})
}
