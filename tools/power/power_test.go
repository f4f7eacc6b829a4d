package power

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"

	"slipstick/tools"
)

func TestCategory(t *testing.T) {
	want := []string{
		"battery_life", "wire_gauge", "solar_sizing", "ups_runtime", "mah_to_wh", "watts_to_amps",
		"voltage_drop", "battery_charge_time",
		"solar_load_audit", "solar_roi", "battery_autonomy", "string_sizing", "generator_offset",
		"wire_ampacity", "inverter_sizing",
	}
	var got []string
	for _, tool := range Category().Tools {
		got = append(got, tool.Name)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestChains verifies that the links of the specification, and a further one, connect fields of the
// same kind and unit.
func TestChains(t *testing.T) {
	edges := []tools.ChainLink{
		{From: "solar_load_audit", To: "solar_sizing",
			Fields: []tools.FieldLink{tools.SameName("total_daily_kwh")}},
		{From: "solar_sizing", To: "battery_autonomy",
			Fields: []tools.FieldLink{tools.SameName("battery_kwh")}},
		{From: "battery_life", To: "solar_sizing",
			Fields: []tools.FieldLink{tools.SameName("daily_wh")}},
		{From: "solar_load_audit", To: "battery_autonomy",
			Fields: []tools.FieldLink{tools.SameName("total_daily_kwh")}},
		{From: "solar_load_audit", To: "generator_offset",
			Fields: []tools.FieldLink{tools.SameName("total_daily_kwh")}},
	}
	if _, err := tools.NewCatalog([]tools.Category{Category()}, edges); err != nil {
		t.Error(err)
	}
}

// TestCanonicalIsEquivalent verifies that a body and its canonical form have the same result.
func TestCanonicalIsEquivalent(t *testing.T) {
	for _, tool := range Category().Tools {
		for _, x := range tool.Examples {
			canonical, err := tool.Canonical([]byte(x.In))
			if err != nil {
				t.Fatalf("%s: %v", tool.Name, err)
			}
			direct, err := tool.Run(context.Background(), []byte(x.In))
			if err != nil {
				t.Fatalf("%s: %v", tool.Name, err)
			}
			again, err := tool.Run(context.Background(), canonical)
			if err != nil {
				t.Fatalf("%s: %s: %v", tool.Name, canonical, err)
			}
			if string(direct) != string(again) {
				t.Errorf("%s: %s gives %s, its canonical form %s", tool.Name, x.In, direct, again)
			}
		}
	}
}

func TestEmptyBodyIsRefused(t *testing.T) {
	for _, tool := range Category().Tools {
		if result, err := tool.Run(context.Background(), []byte(`{}`)); tools.AsInputError(err) ==
			nil {
			t.Errorf("%s returns for an empty body %s, %v", tool.Name, result, err)
		}
	}
}

// result runs a tool that must succeed.
func result(t *testing.T, tool *tools.Tool, format string, args ...any) map[string]any {
	t.Helper()
	in := fmt.Sprintf(format, args...)
	raw, err := tool.Run(context.Background(), []byte(in))
	if err != nil {
		t.Fatalf("%s %s: %v", tool.Name, in, err)
	}
	var m map[string]any
	if err := json.Unmarshal(raw, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func number(t *testing.T, m map[string]any, field string) float64 {
	t.Helper()
	x, ok := m[field].(float64)
	if !ok {
		t.Fatalf("%s is %v, not a number", field, m[field])
	}
	return x
}

// same verifies that two numbers agree to twelve digits.
func same(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-12*math.Max(math.Abs(want), math.Abs(got))) {
		t.Errorf("%s: got %.15g, want %.15g", what, got, want)
	}
}
