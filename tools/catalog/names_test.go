package catalog

import (
	"slices"
	"strings"
	"testing"
)

// specified lists the tools of the interface specification by category, in the order of the
// specification.
var specified = map[string]string{
	"rf": "fspl link_budget dipole microstrip dbm_convert noise_figure_cascade vswr attenuator_pi attenuator_tee fresnel_zone wavelength_freq spice_template spice_simulate",
	"mesh": "lora_airtime snr_margin channel_utilization lora_range_estimate lora_sensitivity duty_cycle_budget meshnet_range eirp_compliance meshnet_power " +
		"lora_param_optimizer",
	"homelab": "zfs_capacity zfs_ram tcp_throughput wireguard_mtu subnet_calculator raid_iops power_cost cooling_btu rack_capacity network_bandwidth " +
		"thermal_enclosure heatsink_cfd pcb_thermal",
	"power": "battery_life wire_gauge solar_sizing ups_runtime mah_to_wh watts_to_amps voltage_drop battery_charge_time solar_load_audit solar_roi " +
		"battery_autonomy string_sizing generator_offset wire_ampacity inverter_sizing",
	"pcb": "pcb_layout voltage_divider rc_filter lc_resonance impedance_match trace_width ohms_law resistor_color_code led_resistor timer_555 op_amp_gain " +
		"capacitor_charge pcb_via_current power_supply_decoupling",
	"general": "log_calc sig_figs scientific_notation percentage_calc percentage_increase exponent_calc square_root circumference slope_calc " +
		"pythagorean_theorem p_value confidence_interval sales_tax salary_to_hourly loan_amortization compound_interest test_grade square_footage unit_convert " +
		"hex_converter timestamp_converter bmi_calculator tip_calculator date_difference",
}

// added lists the tools beyond the specification, by category. They follow the specified ones.
var added = map[string]string{}

func TestNames(t *testing.T) {
	c := mustCatalog(t)
	total := 0
	for _, cat := range c.Categories {
		want := strings.Fields(specified[cat.Name])
		total += len(want)
		want = append(want, strings.Fields(added[cat.Name])...)
		var got []string
		for _, tool := range cat.Tools {
			got = append(got, tool.Name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s has %v,\nwant %v", cat.Name, got, want)
		}
	}
	if total != 89 || len(c.Categories) != len(specified) {
		t.Errorf("%d categories with %d specified tools, want %d with 89", len(c.Categories), total,
			len(specified))
	}
}
