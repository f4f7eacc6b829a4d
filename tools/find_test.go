package tools_test

import (
	"slices"
	"testing"

	"slipstick/tools"
	"slipstick/tools/catalog"
)

// TestSearchFindsByFewWords verifies that a question with few words of a tool finds it, and so does
// a single word of its method.
func TestSearchFindsByFewWords(t *testing.T) {
	c, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]string{
		"how thick must copper be for 5 amps":                  "trace_width",
		"how thick must my green lacquered copper be, 5 amps?": "trace_width",
		"Kirchhoff": "spice_simulate",
	} {
		var names []string
		for _, e := range c.Search(query, 3) {
			names = append(names, e.Name)
		}
		if !slices.Contains(names, want) {
			t.Errorf("%q finds %q", query, names)
		}
	}
	if found := c.Search("zzzz qqqq", 3); len(found) > 0 {
		t.Errorf("words of no tool find %s", found[0].Name)
	}
}

// TestSearchPrefersCompleteTitle verifies that a query with all words of a title ranks its tool
// first, whatever other tools the catalog has.
func TestSearchPrefersCompleteTitle(t *testing.T) {
	c, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range c.All() {
		if e.Name == "spice_simulate" {
			continue
		}
		further := *e.Tool
		further.Name = "further_tool"
		larger, err := tools.NewCatalog(append(slices.Clone(c.Categories),
			tools.Category{Name: "further", Tools: []*tools.Tool{&further}}), nil)
		if err != nil {
			t.Fatal(err)
		}
		found := larger.Search("circuit simulation of a SPICE netlist", 1)
		if found[0].Name != "spice_simulate" {
			t.Errorf("with a tool as %s: %s", e.Name, found[0].Name)
		}
	}
}

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
		"ln":                       {"attenuator_pi", "battery_life"},
		"q":                        {"cooling_btu", "battery_life"},
	} {
		for _, e := range c.Search(query, 20) {
			if slices.Contains(unrelated, e.Name) {
				t.Errorf("%q finds %s", query, e.Name)
			}
		}
	}
}
