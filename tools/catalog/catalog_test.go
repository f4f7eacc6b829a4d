package catalog

import (
	"slices"
	"testing"
)

// specifiedChains are the links in the interface specification.
var specifiedChains = [][2]string{
	{"fspl", "link_budget"}, {"noise_figure_cascade", "link_budget"}, {"dipole", "link_budget"},
	{"link_budget", "snr_margin"}, {"lora_airtime", "channel_utilization"},
	{"lora_airtime", "duty_cycle_budget"},
	{"lora_sensitivity", "link_budget"}, {"lora_sensitivity", "lora_range_estimate"},
	{"meshnet_range", "eirp_compliance"},
	{"meshnet_power", "solar_sizing"}, {"solar_load_audit", "solar_sizing"},
	{"solar_sizing", "battery_autonomy"},
	{"ohms_law", "led_resistor"}, {"led_resistor", "trace_width"},
	{"resistor_color_code", "op_amp_gain"},
	{"voltage_divider", "rc_filter"}, {"spice_template", "spice_simulate"},
}

func TestSpecifiedChains(t *testing.T) {
	c := mustCatalog(t)
	for _, want := range specifiedChains {
		from, err := c.Find(want[0])
		if err != nil {
			t.Fatal(err)
		}
		to, err := c.Find(want[1])
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(from.Chain.Feeds, want[1]) ||
			!slices.Contains(to.Chain.AcceptsFrom, want[0]) {
			t.Errorf("%s does not feed %s", want[0], want[1])
		}
	}
}
