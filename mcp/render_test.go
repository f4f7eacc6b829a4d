package mcp

import (
	"strings"
	"testing"

	"slipstick/tools"
	"slipstick/tools/schema"
)

type shownOut struct {
	Power  float64            `json:"power_w" unit:"W" doc:"Power"`
	Ratio  float64            `json:"ratio" unit:"1" doc:"Ratio"`
	Margin *float64           `json:"margin_db" unit:"dB" doc:"Margin"`
	OK     bool               `json:"ok" doc:"Good"`
	Name   string             `json:"name" doc:"Name"`
	Values []float64          `json:"values" unit:"V" doc:"Values"`
	Parts  []shownPart        `json:"parts" doc:"Parts"`
	Inner  shownPart          `json:"inner" doc:"Inside"`
	Map    map[string]float64 `json:"map" unit:"A" doc:"By name"`
	Points [][]float64        `json:"points" unit:"mm" doc:"Points"`
	Many   map[string][]int   `json:"many" unit:"s" doc:"Lists by name"`
	tools.Warnings
}

type shownPart struct {
	Ref string  `json:"ref" doc:"Reference"`
	Ohm float64 `json:"resistance_ohm" unit:"Ω" doc:"Resistance"`
}

// TestReadable verifies the text of a result. Every number must have its unit, strings must be
// readable, and braces within strings must not end an object.
func TestReadable(t *testing.T) {
	raw := `{"power_w":1.50,"ratio":2,"margin_db":null,"ok":true,"name":"a \"quoted\" {text}, [really]\\","values":[1,-2.5e-7,3],` +
		`"parts":[{"ref":"R1","resistance_ohm":47},{"ref":"R,2}","resistance_ohm":1e3}],"inner":{"ref":"X","resistance_ohm":1},` +
		`"map":{"i(v1)":-0.001,"a:\"b\"":2},"points":[[1,2],[3,4]],"many":{"t":[1,2]},"warnings":["careful, it is <hot>"],"unknown":{"deep":[{"x":[[]]}]}}`
	want := `power_w: 1.50 W
ratio: 2
margin_db: none
ok: true
name: a "quoted" {text}, [really]\
values: 1, -2.5e-7, 3 V
parts[0]: ref R1, resistance_ohm 47 Ω
parts[1]: ref R,2}, resistance_ohm 1e3 Ω
inner.ref: X
inner.resistance_ohm: 1 Ω
map.i(v1): -0.001 A
map.a:"b": 2 A
points[0]: [1, 2]
points[1]: [3, 4]
many.t: 1, 2 s
warnings: careful, it is <hot>
unknown.deep[0]: x [[]]`
	if got := readable(schema.Compile[shownOut](), []byte(raw), false); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestReadableBrief verifies that long lists are reduced to evenly spaced items, and that the text
// is bounded.
func TestReadableBrief(t *testing.T) {
	node := schema.Compile[shownOut]()
	list := "[" + strings.TrimSuffix(strings.Repeat("5,", 500), ",") + "]"
	got := readable(node,
		[]byte(`{"values":`+strings.Replace(list, "5", "1",
			1)+`,"parts":[`+strings.TrimSuffix(strings.Repeat(`{"ref":"R1","resistance_ohm":47},`,
			400), ",")+`]}`), true)
	if !strings.HasPrefix(got, "values (12 of 500): 1, 5, 5") ||
		!strings.Contains(got, "parts: … 400 in all") || strings.Contains(got, "parts[8]") {
		t.Errorf("got %s", got)
	}
	long := readable(node, []byte(`{"name":"`+strings.Repeat("é", 20_000)+`"}`), true)
	if len(long) > maxText+100 || !strings.HasSuffix(long, "structuredContent)") {
		t.Errorf("%d bytes, ending %q", len(long), long[len(long)-60:])
	}
}
