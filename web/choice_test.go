package web

import "testing"

// TestChoiceTexts verifies that each text belongs to a choice or result of a tool. It also verifies
// that the text of any other value is the value with spaces for underscores.
func TestChoiceTexts(t *testing.T) {
	s := testSite(t)
	used := map[string]bool{}
	var walk func(fields []Field)
	walk = func(fields []Field) {
		for _, f := range fields {
			for _, o := range f.Options {
				used[o.Text] = true
			}
			walk(f.Fields)
		}
	}
	for _, tool := range s.tools {
		walk(tool.Input)
		walk(tool.Output)
	}
	for value, text := range choiceTexts {
		if !used[text] {
			t.Errorf("no tool has the choice %s: %q", value, text)
		}
	}
	for value, want := range map[string]string{
		"hdd_7200": "HDD, 7200 rpm", "lifepo4": "LiFePO4", "dense_urban": "dense urban",
		"E24": "E24", "jlcpcb": "JLCPCB",
	} {
		if got := choiceText(value); got != want {
			t.Errorf("%s: %q, want %q", value, got, want)
		}
	}
}
