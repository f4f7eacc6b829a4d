package web

// rfConclusions returns the conclusions of a tool of category rf.
func rfConclusions(tool string) []conclusion {
	switch tool {
	case "link_budget":
		return []conclusion{
			atLeast("margin_db", 0, "Link OK: {margin_db} margin", good),
			below("margin_db", 0, "No link: {margin_db} margin", bad),
			always("{rx_power_dbm} at the receiver"),
		}
	case "fspl":
		return []conclusion{{
			If: "path_loss_db", Unlike: "fspl_db",
			Text: "Path loss by the chosen model: {path_loss_db}; free space alone: {fspl_db}",
		}, always("Free-space loss {fspl_db} at a wavelength of {wavelength_m}")}
	case "fresnel_zone":
		return []conclusion{always("Keep {clearance_60pct_m} around the path free of obstacles")}
	case "attenuator_pi", "attenuator_tee":
		return []conclusion{always("R1 {r1_ohm}, R2 {r2_ohm}, R3 {r3_ohm}")}
	case "dipole":
		return []conclusion{
			always("Cut each leg to {leg_length_m}, feed point {feed_impedance_ohm}")}
	case "microstrip":
		return []conclusion{always("Trace {width_mm} wide for {z0_actual_ohm}")}
	case "noise_figure_cascade":
		return []conclusion{always("Noise figure {total_nf_db} at a gain of {total_gain_db}")}
	case "vswr":
		return []conclusion{always("{power_reflected_pct} of the power is reflected")}
	case "dbm_convert":
		return []conclusion{always("{watts}, {vrms} RMS")}
	case "spice_template":
		return []conclusion{
			is("analysis_type", "ac",
				"Netlist of {component_count} elements, AC analysis", neutral),
			is("analysis_type", "dc",
				"Netlist of {component_count} elements, DC sweep", neutral),
			always("Netlist of {component_count} elements, transient analysis"),
		}
	case "wavelength_freq":
		return []conclusion{always("Wavelength {wavelength_m} at {freq_mhz}, band {band}")}
	}
	return nil
}

// meshConclusions returns the conclusions of a tool of category mesh.
func meshConclusions(tool string) []conclusion {
	switch tool {
	case "snr_margin":
		return []conclusion{
			is("link_ok", "true", "Link OK: {margin_db} above the demodulation limit", good),
			is("link_ok", "false", "No link: {margin_db} margin to the demodulation limit", bad),
		}
	case "channel_utilization":
		return []conclusion{
			below("headroom_pct", 0, "Channel overloaded: {utilization_pct} used", bad),
			atLeast("headroom_pct", 0, "Channel OK: {utilization_pct} used, {headroom_pct} left",
				good),
		}
	case "duty_cycle_budget":
		return []conclusion{always("One message every {min_interval_s} at most")}
	case "eirp_compliance":
		return []conclusion{
			is("compliant", "true", "Compliant in {region_name}: {margin_db} below the limit",
				good),
			is("compliant", "false", "Not compliant in {region_name}: {margin_db} margin", bad),
		}
	case "meshnet_power":
		return []conclusion{always("Runs {runtime_days} on one charge at {average_current_ma}")}
	case "lora_param_optimizer":
		return []conclusion{
			is("feasible", "true", "SF{sf}, {bw_khz}, {tx_power_dbm}: {margin_db} margin", good),
			is("feasible", "false", "Out of range: {shortfall_db} missing", bad),
		}
	case "lora_airtime":
		return []conclusion{
			always("{airtime_ms} on air, at 1 % duty cycle every {duty_cycle_1pct_interval_s}"),
		}
	case "lora_range_estimate", "meshnet_range":
		return []conclusion{
			always("Usable range {planned_range_km}, horizon {radio_horizon_km}"),
		}
	case "lora_sensitivity":
		return []conclusion{always("Decodes signals down to {sensitivity_dbm}")}
	}
	return nil
}

// homelabConclusions returns the conclusions of a tool of category homelab.
func homelabConclusions(tool string) []conclusion {
	switch tool {
	case "zfs_capacity":
		return []conclusion{
			always("{pool_usable_tib} usable, fault tolerance {fault_tolerance_per_vdev} per vdev"),
		}
	case "tcp_throughput":
		return []conclusion{always("{throughput_mbps}, limited by {limiting_factor}")}
	case "wireguard_mtu":
		return []conclusion{always("Set the tunnel MTU to {mtu}")}
	case "raid_iops":
		return []conclusion{always("{effective_iops}, fault tolerance {fault_tolerance}")}
	case "power_cost":
		return []conclusion{
			is("within_limit", "false", "Circuit overloaded: {circuit_load_pct} of its limit", bad),
			always("{monthly_cost} per month for {monthly_kwh}"),
		}
	case "rack_capacity":
		return []conclusion{
			is("fits", "true", "Fits: {free_units} free", good),
			is("fits", "false", "Does not fit, limited by {limiting_factor}", bad),
		}
	case "network_bandwidth":
		return []conclusion{
			is("saturated", "true", "Saturated: {bottleneck} is the bottleneck", bad),
			is("saturated", "false", "{headroom_mbps} left at {bottleneck}, the bottleneck", good),
		}
	case "thermal_enclosure":
		return []conclusion{
			always("{internal_temperature_c} inside, {temperature_rise_c} above ambient"),
		}
	case "pcb_thermal":
		return []conclusion{always("Hottest point {max_temperature_c}")}
	case "cooling_btu":
		return []conclusion{
			always("{design_btu_per_hour} of cooling, {airflow_m3_h} of air"),
		}
	case "heatsink_cfd":
		return []conclusion{
			always("Junction at {junction_temperature_c}, {thermal_resistance_k_w} to ambient"),
			always("Hottest point {max_temperature_c}, {thermal_resistance_k_w} to ambient"),
		}
	case "subnet_calculator":
		return []conclusion{always("Hosts {first_host} to {last_host}")}
	case "zfs_ram":
		return []conclusion{always("Install {recommended_ram_gib} of RAM")}
	}
	return nil
}

// powerConclusions returns the conclusions of a tool of category power.
func powerConclusions(tool string) []conclusion {
	switch tool {
	case "wire_gauge":
		return []conclusion{always("{awg}, limited by {limiting_factor}")}
	case "wire_ampacity":
		return []conclusion{always("Carries {ampacity_a}, protection at most {max_ocpd_a}")}
	case "ups_runtime":
		return []conclusion{
			is("overloaded", "true", "UPS overloaded: {load_pct} of its capacity", bad),
			always("Runs {runtime_min}"),
		}
	case "voltage_drop":
		return []conclusion{
			is("meets_target", "true", "Drop OK: {voltage_drop_pct}", good),
			is("meets_target", "false", "Drop too high: {voltage_drop_pct}, {max_length_m} at most",
				bad),
		}
	case "battery_autonomy":
		return []conclusion{
			is("self_sufficient", "true", "Self-sufficient: the sun covers the load", good),
			always("Lasts {autonomy_days}"),
		}
	case "string_sizing":
		return []conclusion{
			is("feasible", "false", "No string length is within the limits of the inverter", bad),
			always("{recommended_modules} modules per string, {string_voc_cold_v} when coldest"),
		}
	case "solar_sizing":
		return []conclusion{
			always("Panels: {panels}, storage: {battery_kwh}"),
			always("Panels: {required_array_w}, storage: {battery_kwh}"),
		}
	case "solar_roi":
		return []conclusion{always("Paid back after {payback_years}")}
	case "battery_charge_time":
		return []conclusion{always("Charged in {charge_time_h}")}
	case "battery_life":
		return []conclusion{
			below("runtime_days", 1, "Runs {runtime_h} at {average_current_ma}", neutral),
			always("Runs {runtime_days} at {average_current_ma}"),
		}
	case "generator_offset":
		return []conclusion{
			always(
				"{offset_pct} of the energy from the sun, {run_hours_after} of generator per day"),
		}
	case "inverter_sizing":
		return []conclusion{always("Inverter of {recommended_w}, DC fuse of {dc_fuse_a}")}
	case "mah_to_wh":
		return []conclusion{
			is("air_travel", "carry_on_ok", "{wh}: allowed in carry-on baggage", good),
			is("air_travel", "airline_approval", "{wh}: the airline must approve it", neutral),
			is("air_travel", "forbidden", "{wh}: forbidden on passenger aircraft", bad),
		}
	case "solar_load_audit":
		return []conclusion{always("{total_daily_wh} per day, peak {peak_load_w}")}
	case "watts_to_amps":
		return []conclusion{always("{current_a}, overcurrent protection {ocpd_a}")}
	}
	return nil
}

// pcbConclusions returns the conclusions of a tool of category pcb.
func pcbConclusions(tool string) []conclusion {
	switch tool {
	case "led_resistor":
		return []conclusion{
			always("{standard_resistance_ohm}, rated for {recommended_power_rating_w}"),
		}
	case "op_amp_gain":
		return []conclusion{
			is("clipped", "true", "The output clips at {vout_v}", bad),
			always("Gain {gain} ({gain_db}), output {vout_v}"),
			always("Gain {gain} ({gain_db})"),
		}
	case "impedance_match":
		return []conclusion{
			is("matched", "true", "Matched: no network is necessary", good),
			is("matched", "false", "Series {solutions.0.series}; shunt {solutions.0.shunt}; "+
				"at the source {solutions.0.source_element}", neutral),
			is("matched", "false", "Series {solutions.0.series}; shunt {solutions.0.shunt}",
				neutral),
		}
	case "power_supply_decoupling":
		return []conclusion{
			always("Capacitors needed for {target_impedance_ohm}: {capacitors_needed}"),
		}
	case "capacitor_charge":
		return []conclusion{
			always("{voltage_v} after {time_s}"),
			always("Time constant {time_constant_s}"),
		}
	case "lc_resonance":
		return []conclusion{
			always("Resonant at {resonant_freq_hz}, impedance {characteristic_impedance_ohm}"),
		}
	case "pcb_via_current":
		return []conclusion{
			always("Vias needed: {vias_needed}, at {max_current_per_via_a} per via"),
			always("Carries {max_current_a}"),
		}
	case "rc_filter":
		return []conclusion{always("-3 dB at {cutoff_hz} with {r_ohm} and {c_f}")}
	case "resistor_color_code":
		return []conclusion{
			always("{resistance_ohm} within {tolerance_pct}: {min_ohm} to {max_ohm}"),
		}
	case "timer_555":
		return []conclusion{
			is("mode", "astable", "{freq_hz} at {duty_pct} duty cycle", neutral),
			is("mode", "monostable", "Pulse of {pulse_s}", neutral),
		}
	case "trace_width":
		return []conclusion{
			is("ok", "true", "Trace OK: {temp_rise_c} of temperature rise", good),
			is("ok", "false", "Trace too narrow: {temp_rise_c} of temperature rise", bad),
			always("{width_mm} wide carries {max_current_a}"),
		}
	case "voltage_divider":
		return []conclusion{
			always("{vout_v}, with tolerances {vout_min_v} to {vout_max_v}"),
		}
	case "ohms_law":
		return []conclusion{always("{voltage_v}, {current_a}, {resistance_ohm}, {power_w}")}
	}
	return nil
}

// generalConclusions returns the conclusions of a tool of category general.
func generalConclusions(tool string) []conclusion {
	switch tool {
	case "p_value":
		return []conclusion{
			is("significant", "true", "Significant: p = {p_value} is below {alpha}", neutral),
			is("significant", "false", "Not significant: p = {p_value}, limit {alpha}", neutral),
		}
	case "test_grade":
		return []conclusion{always("{letter_grade}, {score_pct}")}
	case "bmi_calculator":
		return []conclusion{always("Weight class: {category}")}
	case "compound_interest":
		return []conclusion{always("{final_amount}, of which {total_interest} is interest")}
	case "loan_amortization":
		return []conclusion{always("{payment} per period, {total_interest} of interest in all")}
	case "confidence_interval":
		return []conclusion{always("From {lower} to {upper} at {confidence_pct} confidence")}
	case "date_difference":
		return []conclusion{always("Difference {total_days}, business days {business_days}")}
	case "percentage_increase":
		return []conclusion{
			is("direction", "increase", "Increase: {percent_change}", neutral),
			is("direction", "decrease", "Decrease: {percent_change}", neutral),
		}
	case "salary_to_hourly":
		return []conclusion{always("{hourly}, {annual} per year")}
	case "sales_tax":
		return []conclusion{always("{total}, of which {tax} is tax")}
	case "slope_calc":
		return []conclusion{always("{equation}")}
	case "circumference":
		return []conclusion{always("Circumference {circumference}, area {area}")}
	case "hex_converter":
		return []conclusion{always("Decimal {decimal}, hexadecimal {hex}")}
	case "percentage_calc":
		return []conclusion{always("{formula}")}
	case "pythagorean_theorem":
		return []conclusion{always("Hypotenuse {c}, area {area}")}
	case "scientific_notation":
		return []conclusion{always("Engineering notation {engineering}")}
	case "sig_figs":
		return []conclusion{
			always("{result}, significant figures: {sig_figs}"),
			always("Significant figures: {sig_figs}"),
		}
	case "square_footage":
		return []conclusion{always("{area_sq_ft} or {area_sq_m}")}
	case "square_root":
		return []conclusion{
			is("is_real", "false", "No real root: {simplified}", bad),
			always("Simplified: {simplified}"),
		}
	case "timestamp_converter":
		return []conclusion{always("{weekday}, {iso_local}")}
	case "tip_calculator":
		return []conclusion{always("{per_person} per person, {total} in all")}
	}
	return nil
}
