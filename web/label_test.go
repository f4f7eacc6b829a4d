package web

import "testing"

func TestLabels(t *testing.T) {
	for _, c := range []struct {
		name, doc, unit string
		kind            Kind
		want            string
	}{
		{"freq_mhz", "Carrier frequency", "", Quantity, "Carrier frequency"},
		{"rx_sensitivity_dbm", "Weakest signal the receiver still decodes; the margin is computed when it is given", "", Quantity, "Weakest signal the receiver still decodes"},
		{"terrain", "Loss over free space: open 0, suburban 25 dB", "", Choice, "Terrain"},
		{"crc", "Whether the payload has a checksum", "", Switch, "CRC"},
		{"emissivity", "Anodized 0.8, bare 0.1; 0 means no radiation", "", Quantity, "Emissivity"},
		{"max_weight_kg", "What the rack may carry in all", "", Quantity, "Maximum weight"},
		{"fspl_db", "Path loss to use in place of the computed free-space loss", "", Quantity, "Path loss"},
	} {
		if got := label(c.name, c.doc, c.unit, c.kind); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	for _, c := range []struct{ name, doc, unit, want string }{
		{"pressure_drop_pa", "Lost by the air in the sink", "Pa", "Pressure drop"},
		{"q", "Quality factor", "1", "Quality factor"},
		{"rx_power_dbm", "Power at the receiver's input", "dBm", "RX power"},
		{"runtime_min", "", "min", "Runtime"},
		{"vout_min_v", "", "V", "Vout minimum"},
		{"length_in", "", "in", "Length"},
		{"resistance_ohm_per_km", "", "Ω/km", "Resistance"},
		{"thermal_resistance_c_per_w", "", "K/W", "Thermal resistance"},
		{"area_mm2", "", "mm²", "Area"},
		{"total_nf_db", "", "dB", "Total NF"},
		{"daily_wh", "", "Wh", "Daily energy"},
		{"time_to_50pct_s", "", "s", "Time to 50 %"},
		{"total_days", "", "d", "Total days"},
		{"fuel_per_kwh", "", "fuel/kWh", "Fuel per kWh"},
		{"raw_iops", "", "IOPS", "Raw IOPS"},
		{"arc_max_default_gib", "", "GiB", "ARC maximum default"},
	} {
		if got := resultLabel(c.name, c.doc, c.unit); got != c.want {
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
