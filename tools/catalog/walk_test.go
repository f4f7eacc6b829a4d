package catalog

import (
	"context"
	"encoding/json"
	"testing"

	"slipstick/tools"
	"slipstick/tools/tooltest"
)

// step is a tool in a chain, with the inputs that do not come from the previous tool and part of
// the expected result.
type step struct {
	tool, rest, want string
}

// TestWalkChains runs every chain of the specification, and further ones, with real values. Each
// link takes its fields from the previous result or input.
func TestWalkChains(t *testing.T) {
	c := mustCatalog(t)
	walked := map[[2]string]bool{}
	for _, walk := range [][]step{
		{ // -81.356 dBm is 50.675 dB above the sensitivity at SF10, -132.031 dBm
			{"fspl", `{"freq_mhz":915,"dist_km":5}`, `{"fspl_db":105.656}`},
			{"link_budget", `{"tx_dbm":20,"rx_sensitivity_dbm":-130}`,
				`{"fspl_db":105.656,"rx_power_dbm":-81.356,"margin_db":48.644}`},
			{"snr_margin", `{}`, `{"margin_db":50.675,"link_ok":true}`},
		},
		{ // Pozar's cascade, 2.5554 dB, over 125 kHz: -174 + 50.9691 + 2.5554
			{"noise_figure_cascade", `{"stages":[{"nf_db":2,"gain_db":10},{"nf_db":1,"gain_db":-1},{"nf_db":4,"gain_db":-3}]}`, `{"total_nf_db":2.5554}`},
			{"link_budget", `{"tx_dbm":20,"freq_mhz":915,"dist_km":5}`,
				`{"noise_floor_dbm":-120.48}`},
		},
		{ // 20 dBm and the 2.15 dBi of a half-wave dipole
			{"dipole", `{"freq_mhz":915}`, `{"gain_dbi":2.15}`},
			{"link_budget", `{"tx_dbm":20,"dist_km":5}`,
				`{"eirp_dbm":22.15,"rx_power_dbm":-81.356}`},
		},
		{
			{"lora_airtime", `{"payload_bytes":20}`, `{"airtime_ms":370.688}`},
			{"channel_utilization", `{"nodes":50}`,
				`{"utilization_pct":1.02969,"max_nodes_at_limit":485}`},
		},
		{
			{"lora_airtime", `{"payload_bytes":20}`, `{"airtime_ms":370.688}`},
			{"duty_cycle_budget", `{}`, `{"max_messages_per_hour":97,"min_interval_s":37.0688}`},
		},
		{ // -81.356 + 132.031
			{"lora_sensitivity", `{}`, `{"sensitivity_dbm":-132.031}`},
			{"link_budget", `{"tx_dbm":20,"freq_mhz":915,"dist_km":5}`, `{"margin_db":50.675}`},
		},
		{ // 20 dBm + 2 × 2.15 dBi - (-132.031 dBm) - 25 dB of terrain loss
			{"lora_sensitivity", `{}`, `{"sensitivity_dbm":-132.031}`},
			{"lora_range_estimate", `{}`, `{"effective_path_loss_db":131.331}`},
		},
		{ // 22 dBm + 2 dBi = 24 dBm, 7.85 dB above the limit of 16.15 dBm
			{"meshnet_range", `{}`, `{"tx_power_dbm":22,"antenna_gain_dbi":2}`},
			{"eirp_compliance", `{"region":"ETSI_EU"}`,
				`{"eirp_dbm":24,"margin_db":-7.85,"compliant":false}`},
		},
		{ // 8.92833 Wh × 2 d / 0.8 = 22.3208 Wh nominal, which lasts two days
			{"meshnet_power", `{}`, `{"daily_wh":8.92833}`},
			{"solar_sizing", `{"peak_sun_hours":4.5}`, `{"battery_kwh":0.0223208,"panels":1}`},
			{"battery_autonomy", `{"daily_wh":8.928326}`, `{"autonomy_days":2.0000}`},
		},
		{ // with power saving, 1.46991 Wh × 2 d / 0.8 = 3.6748 Wh
			{"meshnet_power", `{"power_save":true}`, `{"daily_wh":1.46991}`},
			{"solar_sizing", `{"peak_sun_hours":4.5}`, `{"battery_kwh":0.0036748,"panels":1}`},
			{"battery_autonomy", `{"daily_wh":1.469906}`, `{"autonomy_days":2.0000}`},
		},
		{ // 1.958 kWh × 2 d / 0.8 = 4.895 kWh
			{"solar_load_audit", `{"appliances":[{"name":"fridge","watts":150,"hours_per_day":24,"duty_cycle_pct":35,"surge_w":900,"type":"ac"},
				{"name":"lights","watts":9,"hours_per_day":5,"quantity":6},{"name":"router","watts":12,"hours_per_day":24}],"inverter_efficiency_pct":90}`, `{"total_daily_kwh":1.958}`},
			{"solar_sizing", `{"peak_sun_hours":4.5,"system_voltage_v":24}`,
				`{"battery_kwh":4.895}`},
			{"battery_autonomy", `{"total_daily_kwh":1.958}`, `{"autonomy_days":2.0000}`},
		},
		{ // 12 V over 600 Ω is 20 mA; (12 - 2)/20 mA = 500 Ω, standard 510 Ω, 19.6078 mA
			{"ohms_law", `{"voltage_v":12,"resistance_ohm":600}`, `{"current_a":0.0200}`},
			{"led_resistor", `{"forward_voltage_v":2}`, `{"resistance_ohm":500.00,"standard_resistance_ohm":510,"total_current_a":0.01960784}`},
			{"trace_width", `{}`, `{"area_mil2":0.0719137}`},
		},
		{ // yellow violet red is 4.7 kΩ; as feedback and input resistor, the gain is -1
			{"resistor_color_code", `{"bands":["yellow","violet","red","gold"]}`,
				`{"resistance_ohm":4700}`},
			{"op_amp_gain", `{"configuration":"inverting"}`, `{"gain":-1.00000}`},
		},
		{ // 10 kΩ ∥ 3.3 kΩ = 2481.203 Ω before 1 kΩ and 100 nF: 1/(2π · 3481.203 · 1e-7)
			{"voltage_divider", `{"vin_v":12,"r1_ohm":10000,"r2_ohm":3300}`,
				`{"thevenin_ohm":2481.203}`},
			{"rc_filter", `{"r_ohm":1000,"c_nf":100}`,
				`{"cutoff_hz":457.18,"effective_r_ohm":3481.203}`},
		},
		{
			{"spice_template", `{"template":"voltage_divider","params":{},"analysis":"dc"}`,
				`{"template_name":"voltage_divider"}`},
			{"spice_simulate", `{}`, `{"analysis_type":"dc","component_count":3}`},
		},
		{ // 2640 W × 3.412141633
			{"rack_capacity", `{"items":[{"name":"server","rack_units":2,"watts":400,"weight_kg":30,"quantity":6},{"name":"switch","rack_units":1,"watts":120,"weight_kg":5,"quantity":2}]}`, `{"total_watts":2640}`},
			{"cooling_btu", `{}`, `{"total_heat_w":2640.0,"btu_per_hour":9008.05}`},
		},
		{ // 0.3 kW × 24 h × 0.15 per kWh = 1.08
			{"rack_capacity", `{"items":[{"name":"server","rack_units":2,"watts":300}]}`,
				`{"total_watts":300}`},
			{"power_cost", `{}`, `{"daily_cost":1.0800}`},
			{"cooling_btu", `{}`, `{"total_heat_w":300.00}`},
			{"thermal_enclosure", `{"width_mm":914.4,"height_mm":1219.2,"depth_mm":406.4}`,
				`{"temperature_rise_c":16.4}`},
		},
		{ // 1440 - 40 = 1400-byte segments: a link of 1 Gbit/s carries 1000 × 1400/1478
			{"wireguard_mtu", `{}`, `{"tcp_mss_ipv4":1400}`},
			{"tcp_throughput", `{"bandwidth_mbps":1000,"rtt_ms":1}`, `{"link_limit_mbps":947.226}`},
		},
	} {
		values := map[string]any{} // inputs and results of the previous tool
		for i, s := range walk {
			in := parse(t, s.rest)
			if i > 0 {
				before := walk[i-1].tool
				edge := findEdge(t, c, before, s.tool)
				walked[[2]string{before, s.tool}] = true
				for _, p := range edge.Fields {
					if v, ok := values[p.Out]; ok && v != nil && in[p.In] == nil {
						in[p.In] = v
					}
				}
			}
			body, err := json.Marshal(in)
			if err != nil {
				t.Fatal(err)
			}
			entry, err := c.Find(s.tool)
			if err != nil {
				t.Fatal(err)
			}
			result, err := entry.Run(context.Background(), body)
			if err != nil {
				t.Errorf("%s of %s: %v", s.tool, body, err)
				break
			}
			for _, d := range tooltest.Differences(result, []byte(s.want)) {
				t.Errorf("%s of %s: %s", s.tool, body, d)
			}
			values = in
			for k, v := range parse(t, string(result)) {
				values[k] = v
			}
		}
	}
	for _, want := range specifiedChains {
		if !walked[want] {
			t.Errorf("the chain %s to %s is not walked", want[0], want[1])
		}
	}
}

func parse(t *testing.T, raw string) map[string]any {
	t.Helper()
	m := map[string]any{}
	if err := json.Unmarshal([]byte(raw), &m); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return m
}

func findEdge(t *testing.T, c *tools.Catalog, from, to string) tools.ChainLink {
	t.Helper()
	for _, e := range c.Edges {
		if e.From == from && e.To == to {
			return e
		}
	}
	t.Fatalf("no edge from %s to %s", from, to)
	return tools.ChainLink{}
}
