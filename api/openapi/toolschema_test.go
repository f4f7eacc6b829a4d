package openapi

import (
	"encoding/json"
	"testing"
)

func TestRepeatsName(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       bool
	}{
		{"voltage_drop_v", "Voltage drop", true},
		{"fin_height_mm", "Height of the fin", true},
		{"r1_ohm", "R1", true},
		{"wavelength_m", "Wavelength in vacuum", false},
		{"freq_mhz", "Carrier frequency", false},
		{"x", "", true},
	} {
		if got := repeatsName(c.name, c.text); got != c.want {
			t.Errorf("%s, %q: %t", c.name, c.text, got)
		}
	}
}

// TestToolSchemas verifies that an object in a field becomes a component, and that exclusive bounds
// and defaults become text. It also verifies that a field of a result may be null.
func TestToolSchemas(t *testing.T) {
	input := object{
		"properties": object{
			"dist_km": object{"type": "number", "exclusiveMinimum": 0.0, "maximum": 1e9,
				"description": "Distance", "x-unit": "km"},
			"stages": object{"type": "array", "items": object{
				"type":       "object",
				"properties": object{"gain_db": object{"type": "number", "description": "Gain"}},
			}},
		},
		"required": []string{"dist_km"},
	}
	s := schemas{}
	toolSchemas{schemas: s}.add("chain_input", input)
	const want = `{"chain_input":{"properties":{` +
		`"dist_km":{"description":"Distance (\u003e 0)","format":"double","type":"number"},` +
		`"stages":{"items":{"$ref":"#/components/schemas/chain_input_stages"},"type":"array"}},` +
		`"required":["dist_km"],"type":"object"},` +
		`"chain_input_stages":{"properties":{"gain_db":{"format":"double","type":"number"}},"type":"object"}}`
	if got, err := json.Marshal(s); err != nil || string(got) != want {
		t.Errorf("%v\ngot  %s\nwant %s", err, got, want)
	}

	s = schemas{}
	toolSchemas{schemas: s, result: true}.add("r", object{"properties": object{
		"warnings": object{"type": "array"},
		"margin":   object{"type": []string{"number", "null"}},
	}})
	const nullable = `{"properties":{"margin":{"$ref":"#/components/schemas/NullableNumber"},` +
		`"warnings":{"$ref":"#/components/schemas/Warnings"}},"type":"object"}`
	if got, err := json.Marshal(s["r"]); err != nil || string(got) != nullable {
		t.Errorf("%v\ngot  %s\nwant %s", err, got, nullable)
	}
	const number = `{"oneOf":[{"format":"double","type":"number"},{"type":"null"}]}`
	if got, err := json.Marshal(s["NullableNumber"]); err != nil || string(got) != number {
		t.Errorf("%v\ngot  %s\nwant %s", err, got, number)
	}
}
