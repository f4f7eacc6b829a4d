package eseries

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// These lists are the series of IEC 60063:2015. E24 has two digits, E48 and E96 have three. The
// last list has the values of E192 between two values of E96.
var (
	printedE24 = []int{
		10, 11, 12, 13, 15, 16, 18, 20, 22, 24, 27, 30, 33, 36, 39, 43, 47, 51, 56, 62, 68, 75, 82,
		91,
	}
	printedE48 = []int{
		100, 105, 110, 115, 121, 127, 133, 140, 147, 154, 162, 169, 178, 187, 196, 205, 215, 226,
		237, 249, 261, 274, 287, 301,
		316, 332, 348, 365, 383, 402, 422, 442, 464, 487, 511, 536, 562, 590, 619, 649, 681, 715,
		750, 787, 825, 866, 909, 953,
	}
	printedE96 = []int{
		100, 102, 105, 107, 110, 113, 115, 118, 121, 124, 127, 130, 133, 137, 140, 143, 147, 150,
		154, 158, 162, 165, 169, 174,
		178, 182, 187, 191, 196, 200, 205, 210, 215, 221, 226, 232, 237, 243, 249, 255, 261, 267,
		274, 280, 287, 294, 301, 309,
		316, 324, 332, 340, 348, 357, 365, 374, 383, 392, 402, 412, 422, 432, 442, 453, 464, 475,
		487, 499, 511, 523, 536, 549,
		562, 576, 590, 604, 619, 634, 649, 665, 681, 698, 715, 732, 750, 768, 787, 806, 825, 845,
		866, 887, 909, 931, 953, 976,
	}
	addedByE192 = []int{
		101, 104, 106, 109, 111, 114, 117, 120, 123, 126, 129, 132, 135, 138, 142, 145, 149, 152,
		156, 160, 164, 167, 172, 176,
		180, 184, 189, 193, 198, 203, 208, 213, 218, 223, 229, 234, 240, 246, 252, 258, 264, 271,
		277, 284, 291, 298, 305, 312,
		320, 328, 336, 344, 352, 361, 370, 379, 388, 397, 407, 417, 427, 437, 448, 459, 470, 481,
		493, 505, 517, 530, 542, 556,
		569, 583, 597, 612, 626, 642, 657, 673, 690, 706, 723, 741, 759, 777, 796, 816, 835, 856,
		876, 898, 920, 942, 965, 988,
	}
)

// everyNth returns every n-th value from the first on. In this way IEC 60063 derives E12, E6 and E3
// from E24.
func everyNth(list []int, n int) []int {
	var out []int
	for i := 0; i < len(list); i += n {
		out = append(out, list[i])
	}
	return out
}

// TestPrintedTables compares each series with the table of the standard.
func TestPrintedTables(t *testing.T) {
	interleaved := make([]int, 192)
	for i := range printedE96 {
		interleaved[2*i], interleaved[2*i+1] = printedE96[i], addedByE192[i]
	}
	for _, c := range []struct {
		s    Series
		want []int
	}{
		{E3, everyNth(printedE24, 8)}, {E6, everyNth(printedE24, 4)},
		{E12, everyNth(printedE24, 2)}, {E24, printedE24},
		{E48, printedE48}, {E96, printedE96}, {E192, interleaved},
	} {
		for i, w := range c.want {
			if c.s.decade[i] != w {
				t.Errorf("%s[%d] = %d, printed %d", c.s.Name, i, c.s.decade[i], w)
			}
		}
	}
}

func TestSeriesAreRising(t *testing.T) {
	sizes := []int{3, 6, 12, 24, 48, 96, 192}
	for i, s := range All() {
		if len(s.decade) != sizes[i] {
			t.Errorf("%s has %d values", s.Name, len(s.decade))
		}
		for j := 1; j < len(s.decade); j++ {
			if s.decade[j] <= s.decade[j-1] {
				t.Errorf("%s: %d after %d", s.Name, s.decade[j], s.decade[j-1])
			}
		}
	}
}

func TestNearestAndNext(t *testing.T) {
	for _, c := range []struct {
		s             Series
		x             float64
		nearest, next float64
	}{
		{E24, 15915.49, 16000, 16000},
		{E12, 4700, 4700, 4700},
		{E12, 4700 * (1 + 1e-12), 4700, 4700},
		{E12, 4700 * (1 - 1e-12), 4700, 4700},
		{E12, 4700 * (1 + 1e-8), 4700, 5600},
		{E6, 8.39, 6.8, 10}, // 1.59 below, 1.61 above
		{E3, 16, 10, 22},    // 6 below, 6 above: a tie rounds down
		{E3, 34.5, 22, 47},  // 12.5 below, 12.5 above
		{E24, 9.5, 9.1, 10}, // 0.4 below, 0.5 above
		{E24, 9.56, 10, 10}, // the next value is in the next decade
		{E96, 96.2475, 95.3, 97.6},
		{E96, 71.1512, 71.5, 71.5},
		{E192, 9.19, 9.2, 9.2},
		{E24, 1, 1, 1},
		{E24, 1e-12, 1e-12, 1e-12},
		{E24, 4.69e-9, 4.7e-9, 4.7e-9},
		{E24, 1e15, 1e15, 1e15},
		{E96, 1e-290, 1e-290, 1e-290},
	} {
		if got := c.s.Nearest(c.x); got != c.nearest {
			t.Errorf("%s nearest to %v is %v, want %v", c.s.Name, c.x, got, c.nearest)
		}
		if got := c.s.NextHigher(c.x); got != c.next {
			t.Errorf("%s next above %v is %v, want %v", c.s.Name, c.x, got, c.next)
		}
	}
	for _, x := range []float64{0, -1, math.NaN(), math.Inf(1), 5e-324, math.MaxFloat64} {
		if v := E24.Nearest(x); !math.IsNaN(v) {
			t.Errorf("nearest to %v is %v", x, v)
		}
		if v := E24.NextHigher(x); !math.IsNaN(v) {
			t.Errorf("next above %v is %v", x, v)
		}
		if E24.Holds(x) || E24.Between(x, 1) != nil || E24.Between(1, x) != nil {
			t.Errorf("%v has a place in the series", x)
		}
	}
}

func TestCoarsest(t *testing.T) {
	for x, want := range map[float64]string{
		4700: "E3", 0.33: "E6", 27: "E12", 1.3e6: "E24", 4990: "E96", 4870: "E48", 9200: "E192",
		1e-6: "E3", 9.19: "", 0: "", 47.3: "",
	} {
		s, ok := Coarsest(x)
		if s.Name != want || ok != (want != "") {
			t.Errorf("%v is of %q, want %q", x, s.Name, want)
		}
	}
}

func TestBetween(t *testing.T) {
	got := E12.Between(820, 1500)
	want := []float64{820, 1000, 1200, 1500}
	if len(got) != len(want) {
		t.Fatalf("got %v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("got %v, want %v", got, want)
		}
	}
	if n := len(E24.Between(1, 9.99e6)); n != 7*24 {
		t.Errorf("seven decades of E24 hold %d values", n)
	}
	if got := E24.Between(2, 1); len(got) != 0 {
		t.Errorf("an empty range holds %v", got)
	}
	if s, ok := Find("E96"); !ok || s.Name != "E96" {
		t.Error("E96 was not found")
	}
	if _, ok := Find("e7"); ok {
		t.Error("there is no E7")
	}
}

// TestLinearSearch compares Nearest and NextHigher with a linear search of the whole list of
// values.
func TestLinearSearch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := All()[rapid.IntRange(0, 6).Draw(t, "series")]
		x := math.Pow(10, rapid.Float64Range(-12, 9).Draw(t, "log10 x"))
		values := s.Between(x/12, x*12)
		best, next := values[0], math.Inf(1)
		for _, v := range values {
			if math.Abs(v/x-1) < math.Abs(best/x-1)-1e-9 {
				best = v
			}
			if v >= x*(1-1e-9) && v < next {
				next = v
			}
		}
		if got := s.Nearest(x); math.Abs(math.Abs(got/x-1)-math.Abs(best/x-1)) > 2e-9 {
			t.Fatalf("%s nearest to %v: %v, a search finds %v", s.Name, x, got, best)
		}
		if got := s.NextHigher(x); got != next {
			t.Fatalf("%s next above %v: %v, a search finds %v", s.Name, x, got, next)
		}
	})
}
