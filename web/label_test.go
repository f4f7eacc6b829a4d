package web

import "testing"

func TestLabels(t *testing.T) {
	for _, c := range []struct {
		name, doc string
		kind      Kind
		want      string
	}{
		{"freq_mhz", "Carrier frequency", Quantity, "Carrier frequency"},
		{"rx_sensitivity_dbm", "Weakest signal the receiver still decodes; the margin is computed when it is given", Quantity, "Weakest signal the receiver still decodes"},
		{"terrain", "Loss over free space: open 0, suburban 25 dB", Choice, "Terrain"},
		{"crc", "Whether the payload has a checksum", Switch, "CRC"},
		{"emissivity", "Anodized 0.8, bare 0.1; 0 means no radiation", Quantity, "Emissivity"},
		{"max_weight_kg", "What the rack may carry in all", Quantity, "Maximum weight"},
		{"fspl_db", "Path loss to use in place of the computed free-space loss", Quantity, "Path loss"},
	} {
		if got := label(c.name, c.doc, c.kind); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	for _, c := range []struct{ name, doc, want string }{
		{"pressure_drop_pa", "Lost by the air in the sink", "Pressure drop"},
		{"q", "Quality factor", "Quality factor"},
		{"rx_power_dbm", "Power at the receiver's input", "RX power"},
	} {
		if got := resultLabel(c.name, c.doc); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if got := beyond("Frequency", "Frequency, of the carrier"); got != "of the carrier" {
		t.Error(got)
	}
	if got := beyond("Freq", "Frequency at which"); got != "Frequency at which" {
		t.Error(got)
	}
}

// TestEveryFieldHasItsOwnLabel: two fields of one form or result under one heading could not be told apart.
func TestEveryFieldHasItsOwnLabel(t *testing.T) {
	s := testSite(t)
	var look func(tool string, fields []Field)
	look = func(tool string, fields []Field) {
		seen := map[string]string{}
		for _, f := range fields {
			if f.Label == "" || seen[f.Label] != "" {
				t.Errorf("%s: %s and %s are both called %q", tool, seen[f.Label], f.Name, f.Label)
			}
			seen[f.Label] = f.Name
			look(tool+"."+f.Name, f.Fields)
		}
	}
	for name, tool := range s.tools {
		look(name+" in", tool.Input)
		look(name+" out", tool.Output)
	}
}
