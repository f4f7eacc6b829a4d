package web

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"testing"

	"slipstick/tools/quantity"
)

type siCase struct{ text, unit, want, echo string }

func siCases(t *testing.T) (cases []siCase) {
	t.Helper()
	raw, err := os.ReadFile("testdata/si.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		p := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(p) != 4 {
			t.Fatalf("si.tsv: %q has not four columns", line)
		}
		cases = append(cases, siCase{p[0], p[1], p[2], p[3]})
	}
	return cases
}

// TestQuantity verifies package quantity with the table of cases that the browser test runs through
// quantity.js.
func TestQuantity(t *testing.T) {
	units := testUnits(t)
	for _, c := range siCases(t) {
		v, err := units.Quantity(c.text, c.unit)
		if part, wrong := strings.CutPrefix(c.want, "!"); wrong {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%q in %s: got %v, %v; want an error with %q", c.text, c.unit,
					v, err, part)
			}
			continue
		}
		want, _ := strconv.ParseFloat(c.want, 64)
		if err != nil || !close15(v, want) {
			t.Errorf("%q in %s: got %v, %v; want %v", c.text, c.unit, v, err, want)
			continue
		}
		if got := units.Show(v, c.unit); got != c.echo {
			t.Errorf("%q in %s is shown as %q, want %q", c.text, c.unit, got, c.echo)
		}
	}
}

// close15 reports whether two numbers are equal, except for the rounding error of one conversion
// between units.
func close15(a, b float64) bool {
	return a == b || (a-b)/b < 4e-16 && (b-a)/b < 4e-16 || strconv.FormatFloat(a, 'e', 13,
		64) == strconv.FormatFloat(b, 'e', 13, 64)
}

func testUnits(t testing.TB) *quantity.Table {
	t.Helper()
	units, err := quantity.New()
	if err != nil {
		t.Fatal(err)
	}
	return units
}

// TestOneTableOfUnits verifies that page and server have the same table of units.
func TestOneTableOfUnits(t *testing.T) {
	page, err := os.ReadFile("static/units.js")
	if err != nil {
		t.Fatal(err)
	}
	server, err := os.ReadFile("../tools/quantity/units.json")
	if err != nil {
		t.Fatal(err)
	}
	from, to := bytes.IndexByte(page, '{'), bytes.LastIndexByte(page, '}')
	if !bytes.Equal(bytes.TrimSpace(server), page[from:to+1]) {
		t.Error("units.js and units.json differ")
	}
}

func FuzzQuantity(f *testing.F) {
	for _, s := range []string{"4k7", "2.4GHz", "1,5", "62mil", "1e-9", "−5", "4R7", "0x1"} {
		f.Add(s, "MHz")
	}
	units := testUnits(f)
	f.Fuzz(func(t *testing.T, text, unit string) {
		v, err := units.Quantity(text, unit)
		if err != nil {
			return
		}
		if v != v {
			t.Errorf("%q in %q is not a number", text, unit)
		}
		_ = units.Show(v, unit)
	})
}
