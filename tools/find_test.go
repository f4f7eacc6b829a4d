package tools_test

import (
	"slices"
	"testing"

	"slipstick/tools/catalog"
)

// TestSearchLeavesOutUnrelated verifies that a search does not return tools with one common word of
// the query.
func TestSearchLeavesOutUnrelated(t *testing.T) {
	c, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	for query, unrelated := range map[string][]string{
		"buck converter inductor":  {"dbm_convert", "hex_converter", "unit_convert"},
		"E24 nearest value":        {"p_value"},
		"crystal load capacitance": {"cooling_btu", "solar_load_audit"},
		"skin effect":              {"compound_interest"},
	} {
		for _, e := range c.Search(query, 20) {
			if slices.Contains(unrelated, e.Name) {
				t.Errorf("%q finds %s", query, e.Name)
			}
		}
	}
}
