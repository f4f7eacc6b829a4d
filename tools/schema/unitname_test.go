package schema

import "testing"

func TestNameHasUnit(t *testing.T) {
	for _, c := range []struct {
		name, unit string
		want       bool
	}{
		{"freq_mhz", "MHz", true}, {"r1_ohm", "Ω", true}, {"case_c", "°C", true},
		{"tip_pct", "%", true},
		{"c_uf", "µF", true}, {"flow_m3_per_h", "m³/h", true}, {"area_m2", "m²", true},
		{"battery_voltage", "V", false}, {"sf", "1", false}, {"flow_m3_h", "m³/h", false},
		{"mhz", "Hz", false},
	} {
		if got := NameHasUnit(c.name, c.unit); got != c.want {
			t.Errorf("%s, %s: %t", c.name, c.unit, got)
		}
	}
}

func TestNameImpliesUnit(t *testing.T) {
	for _, c := range []struct {
		name, unit string
		want       bool
	}{
		{"freq_mhz", "MHz", true}, {"flow_m3_h", "m³/h", true}, {"battery_voltage", "V", true},
		{"payload_bytes", "B", true}, {"k_w_mk", "W/(m·K)", true}, {"sync_mb_s", "MB/s", true},
		{"goodput_mbps", "Mbit/s", true}, {"runtime_hours", "h", true}, {"rotation_deg", "°", true},
		{"copper_oz", "oz/ft²", false}, {"temp_rise_c", "K", false}, {"rounds", "U", false},
		{"escalation_pct", "%/yr", false}, {"diameter", "length", false},
	} {
		if got := NameImpliesUnit(c.name, c.unit); got != c.want {
			t.Errorf("%s, %s: %t", c.name, c.unit, got)
		}
	}
}

func TestAccepts(t *testing.T) {
	type in struct {
		Ratio float64   `json:"ratio" min:"0" max:"1"`
		Kind  string    `json:"kind" enum:"a,b"`
		List  []float64 `json:"list" maxItems:"2"`
	}
	n := Compile[in]()
	for _, c := range []struct {
		field, value string
		want         bool
	}{
		{"ratio", "0.5", true}, {"ratio", " 1 ", true}, {"ratio", "2", false},
		{"ratio", `"0.5"`, false},
		{"ratio", "0.5 6", false}, {"ratio", "", false}, {"kind", `"a"`, true},
		{"kind", `"A"`, false},
		{"list", "[1,2]", true}, {"list", "[1,2,3]", false}, {"list", "[1", false},
	} {
		if got := n.Field(c.field).Accepts([]byte(c.value)); got != c.want {
			t.Errorf("%s: %s: %t", c.field, c.value, got)
		}
	}
}
