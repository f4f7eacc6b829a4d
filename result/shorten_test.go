package result

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
)

// testLimit is the limit in bytes of the shortened results.
const testLimit = 50_000

// TestKeep verifies that selectPoints keeps both ends and the extremes of each vector, in ascending
// order.
func TestKeep(t *testing.T) {
	const n = 10_001
	ramp, sine, spike, flat, gaps := make([]float64, n), make([]float64, n), make([]float64, n),
		make([]float64, n), make([]float64, n)
	for i := range n {
		ramp[i] = float64(i)
		sine[i] = math.Sin(2 * math.Pi * 40 * float64(i) / n)
		flat[i] = 3
		gaps[i] = math.NaN()
	}
	spike[7777], spike[123] = 1, -2
	gaps[500] = 9
	for _, limit := range []int{200, 60, 15, 4, 2} {
		kept := selectPoints([][]float64{ramp, sine, spike, flat, gaps}, limit)
		if len(kept) > limit || kept[0] != 0 || kept[len(kept)-1] != n-1 {
			t.Fatalf("%d: kept %d, from %d to %d", limit, len(kept), kept[0], kept[len(kept)-1])
		}
		has := map[int]bool{}
		for i, at := range kept {
			has[at] = true
			if i > 0 && at <= kept[i-1] {
				t.Fatalf("%d: not in order: %v", limit, kept)
			}
		}
		if limit >= 60 && (!has[7777] || !has[123] || !has[500]) {
			t.Errorf("%d: an extreme is lost: %v", limit, kept)
		}
	}
	// A sine of 40 periods keeps all its crests and troughs within 1 %.
	crests := 0
	for _, at := range selectPoints([][]float64{sine}, 200) {
		if math.Abs(sine[at]) > 0.99 {
			crests++
		}
	}
	if crests < 80 {
		t.Errorf("%d crests of 80 are left", crests)
	}
}

// TestShrink verifies the shortened form of each kind of value, the remarks, and the size limit.
func TestShrink(t *testing.T) {
	rows, matrix := []string{}, []string{}
	for i := range 900 {
		rows = append(rows, fmt.Sprintf(`{"n":%d,"name":"row %d","text":%q}`, i, i,
			strings.Repeat("x", 60)))
		cells := []string{}
		for j := range 60 {
			cells = append(cells, fmt.Sprintf("%d.50", i*100+j))
		}
		matrix = append(matrix, "["+strings.Join(cells, ",")+"]")
	}
	raw := `{"small":1.2300,"none":null,"empty":[],"rows":[` + strings.Join(rows, ",") +
		`],"matrix":[` + strings.Join(matrix, ",") + `],"zip_base64":"` + strings.Repeat("A",
		90_000) + `","words":["a","b"]}`
	short, left := Shorten(nil, json.RawMessage(raw), testLimit, "slipstick://jobs/j")
	if len(short) > testLimit {
		t.Errorf("%d bytes", len(short))
	}
	var out struct {
		Small  json.Number      `json:"small"`
		None   *int             `json:"none"`
		Empty  []int            `json:"empty"`
		Rows   []map[string]any `json:"rows"`
		Matrix [][]json.Number  `json:"matrix"`
		Zip    string           `json:"zip_base64"`
		Words  []string         `json:"words"`
	}
	if err := json.Unmarshal(short, &out); err != nil {
		t.Fatal(err)
	}
	if out.Small != "1.2300" || out.Empty == nil || len(out.Words) != 2 ||
		out.Zip != "90000 bytes, left out; read slipstick://jobs/j/zip_base64" {
		t.Errorf("small %s, words %v, zip %q", out.Small, out.Words, out.Zip)
	}
	if last := out.Rows[len(out.Rows)-1]["n"]; last != 899.0 || out.Rows[0]["n"] != 0.0 ||
		len(out.Rows) < 8 {
		t.Errorf("%d rows, the last is %v", len(out.Rows), last)
	}
	m := out.Matrix
	if m[0][0] != "0.50" || m[len(m)-1][len(m[0])-1] != "89959.50" {
		t.Errorf("the corners of the matrix are %s and %s", m[0][0], m[len(m)-1][len(m[0])-1])
	}
	text := strings.Join(left, "\n")
	for _, s := range []string{"rows: ", " of 900 entries", "matrix: ", "900 rows, evenly spread",
		"zip_base64: the text is left out"} {
		if !strings.Contains(text, s) {
			t.Errorf("no %q in:\n%s", s, text)
		}
	}
	again, _ := Shorten(nil, json.RawMessage(raw), testLimit, "slipstick://jobs/j")
	if string(again) != string(short) {
		t.Error("the same result is shortened differently")
	}
	if whole, _ := Shorten(nil, json.RawMessage(`{"text":"`+strings.Repeat("x", 2000)+`"}`), 1000,
		""); string(whole) != `{"text":"2000 bytes, left out"}` {
		t.Errorf("without a resource: %s", whole)
	}
}

// TestShortenList verifies that a shortened list keeps its first entries and its last.
func TestShortenList(t *testing.T) {
	list := []any{map[string]any{"n": 1}, map[string]any{"n": 2}, map[string]any{"n": 3},
		map[string]any{"n": 4}}
	for _, c := range []struct {
		items int
		want  string
	}{
		{0, `[]`}, {1, `[{"n":1}]`}, {2, `[{"n":1},{"n":4}]`}, {3, `[{"n":1},{"n":2},{"n":4}]`},
		{4, `[{"n":1},{"n":2},{"n":3},{"n":4}]`},
	} {
		s := shortener{points: 9, items: c.items, text: 9, members: 9,
			left: &notes{seen: map[string]bool{}}}
		got, err := json.Marshal(s.value(nil, "", list))
		if err != nil || string(got) != c.want {
			t.Errorf("%d of 4: %s, %v, want %s", c.items, got, err, c.want)
		}
	}
}

// TestShrinkManyVectors verifies that vectors that exceed the limit lose the same points until they
// fit.
func TestShrinkManyVectors(t *testing.T) {
	vectors := map[string][]float64{}
	for k := range 450 {
		v := make([]float64, 2000)
		for i := range v {
			v[i] = math.Sin(float64(i*k) / 100)
		}
		vectors[fmt.Sprintf("v(n%d)", k)] = v
	}
	raw, _ := json.Marshal(map[string]any{"vectors": vectors})
	short, left := Shorten(nil, raw, testLimit, "")
	var out struct{ Vectors map[string][]float64 }
	if err := json.Unmarshal(short, &out); err != nil || len(out.Vectors) != 450 ||
		len(short) > testLimit {
		t.Fatalf("%d bytes, %d vectors, %v", len(short), len(out.Vectors), err)
	}
	for name, v := range out.Vectors {
		if len(v) != len(out.Vectors["v(n0)"]) || v[0] != vectors[name][0] ||
			v[len(v)-1] != vectors[name][1999] {
			t.Fatalf("%s has %d points", name, len(v))
		}
	}
	if len(left) != 1 || len(left[0]) > 310 {
		t.Errorf("said %q", left)
	}
}

// TestSelectPointsOfRisingCurve verifies the number of points and the widest gap for a rising
// curve. The extremes of each segment are its ends, so that neighbouring segments select
// neighbouring points.
func TestSelectPointsOfRisingCurve(t *testing.T) {
	ramp := make([]float64, 1000)
	for i := range ramp {
		ramp[i] = float64(i)
	}
	for _, limit := range []int{2, 3, 5, 10, 200} {
		kept := selectPoints([][]float64{ramp}, limit)
		widest := 0
		for i := 1; i < len(kept); i++ {
			widest = max(widest, kept[i]-kept[i-1])
		}
		if len(kept) > limit || len(kept) < limit*3/4 || limit > 4 && widest > 3000/limit {
			t.Errorf("limit %d: %d points, %d apart at most", limit, len(kept), widest)
		}
	}
}
