package drawing

func pcb() []Drawing {
	return []Drawing{
		{
			Tool: "capacitor_charge", Title: "Capacitor charged through a resistor", Width: 320, Height: 180,
			Elements: []Element{
				source(50, 50, 50, 150, "V_S", "supply_v"), contact(50, 50, 110, 50, "", ""), resistor(110, 50, 220, 50, "R", "r_ohm"), wire(220, 50, 220, 60),
				capacitor(220, 60, 220, 150, "C", "c_f"), wire(220, 150, 50, 150), text(300, 70, "v(t)", "voltage_v").end(), text(300, 150, "τ", "time_constant_s").end(),
			},
		},
		{
			Tool: "impedance_match", Title: "Matching network between a source and a load", Width: 330, Height: 180,
			Elements: []Element{
				sine(40, 50, 40, 150, "", ""), impedance(40, 50, 130, 50, "R_S", "source_r_ohm"), wire(130, 50, 140, 50), block(140, 36, 60, 60, "match"), wire(200, 50, 250, 50),
				impedance(250, 50, 250, 150, "R_L", "load_r_ohm"), wire(250, 150, 40, 150), wire(170, 96, 170, 150), dot(170, 150),
				text(62, 92, "X_S", "source_x_ohm"), text(265, 130, "X_L", "load_x_ohm"), text(62, 140, "f", "freq_mhz").inline(),
			},
		},
		{
			Tool: "lc_resonance", Title: "Resonant circuit of a coil, a capacitor and a resistor", Width: 320, Height: 190,
			Elements: []Element{
				when("topology", "series",
					terminal(20, 70), coil(23, 70, 120, 70, "L", "l_h inductance_h"), capacitor(120, 70, 200, 70, "C", "c_f capacitance_f"), resistor(200, 70, 297, 70, "R", "r_ohm"), terminal(300, 70),
				),
				when("topology", "parallel",
					terminal(20, 30), terminal(20, 140), wire(23, 30, 240, 30), wire(23, 140, 240, 140), dot(80, 30), dot(80, 140), dot(160, 30), dot(160, 140),
					coil(80, 30, 80, 140, "L", "l_h inductance_h"), capacitor(160, 30, 160, 140, "C", "c_f capacitance_f"), resistor(240, 30, 240, 140, "R", "r_ohm"),
				),
				text(20, 174, "f_0", "freq_hz resonant_freq_hz").inline(), text(300, 174, "Q", "q").inline().end(),
			},
		},
		{
			Tool: "led_resistor", Title: "LEDs in series with a resistor", Width: 320, Height: 220,
			Elements: []Element{
				terminal(60, 40), text(16, 22, "V_S", "supply_voltage_v"), resistor(63, 40, 190, 40, "R", "standard_resistance_ohm resistance_ohm"), wire(190, 40, 190, 56),
				led(190, 56, 190, 112, "V_F", "forward_voltage_v"), of("series_count", line(dashed, 190, 112, 190, 128)), led(190, 128, 190, 184, "", ""), ground(190, 184),
				of("series_count", path(thin, "M170 62q-8 0-8 8v38q0 12-8 12q8 0 8 12v38q0 8 8 8")), text(148, 118, "in series", "series_count").end(),
				text(226, 22, "I", "current_ma").inline(), text(224, 150, "strings", "parallel_count strings_needed"), text(148, 172, "P_R", "resistor_power_w").end(),
			},
		},
		{
			Tool: "ohms_law", Title: "Source and resistor", Width: 320, Height: 160,
			Elements: []Element{
				source(60, 30, 60, 140, "V", "voltage_v"), wire(60, 30, 220, 30), arrow(stroke, 100, 30, 150, 30), text(125, 20, "I", "current_a").inline().middle(),
				resistor(220, 30, 220, 140, "R", "resistance_ohm"), wire(220, 140, 60, 140), text(160, 84, "P", "power_w").middle(),
			},
		},
		{
			Tool: "op_amp_gain", Title: "Operational amplifier: inverting, non-inverting or differential", Width: 340, Height: 220,
			Elements: []Element{
				when("configuration", "inverting",
					terminal(20, 95), resistor(23, 95, 160, 95, "R_in", "rin_ohm"), dot(160, 95), opamp(220, 110, -1), wire(160, 125, 130, 125, 130, 150), ground(130, 150),
					wire(160, 95, 160, 50), resistor(160, 50, 250, 50, "R_f", "rf_ohm"), wire(250, 50, 250, 110), text(14, 118, "V_in", "vin_v"),
				),
				when("configuration", "non_inverting",
					terminal(20, 95), wire(23, 95, 160, 95), opamp(220, 110, 1), wire(160, 125, 140, 125, 140, 180), dot(140, 180), resistor(140, 180, 40, 180, "R_in", "rin_ohm"), ground(40, 180),
					resistor(140, 180, 250, 180, "R_f", "rf_ohm"), wire(250, 180, 250, 110), text(14, 78, "V_in", "vin_v").inline(),
				),
				when("configuration", "differential",
					terminal(20, 95), resistor(23, 95, 160, 95, "R_1", "r1_ohm rin_ohm"), dot(160, 95), opamp(220, 110, -1), terminal(20, 150), resistor(23, 150, 130, 150, "R_3", "r3_ohm"),
					wire(130, 150, 130, 125, 160, 125), dot(130, 150), resistor(130, 150, 130, 205, "R_4", "r4_ohm"), ground(130, 205),
					wire(160, 95, 160, 50), resistor(160, 50, 250, 50, "R_f", "rf_ohm"), wire(250, 50, 250, 110), text(14, 70, "V_1", "v1_v"), text(14, 172, "V_2", "v2_v"),
				),
				wire(220, 110, 297, 110), dot(250, 110), terminal(300, 110), text(262, 132, "V_out", "vout_v"), text(330, 80, "A", "target_gain gain").end().inline(),
			},
		},
		{
			Tool: "pcb_thermal", Title: "Board in air with parts that dissipate heat", Width: 360, Height: 190,
			Elements: []Element{
				path(base, "M50 130l50-60h190l-50 60z"), path(base, "M50 130v10h190v-10zM240 140l50-60v-10l-50 60z"), path(metal, "M120 104l18-20h34l-18 20zM190 112l12-14h26l-12 14z"),
				path(glow, "M146 76q-6-10 0-18t0-18M208 90q-5-8 0-15t0-15"), text(145, 160, "b", "board_width_mm").inline().middle(),
				dimension(50, 166, 240, 166, "", ""), dimension(256, 140, 302, 84, "", ""), text(290, 128, "h", "board_height_mm").inline(),
				text(10, 24, "T_amb", "ambient_c").inline(), text(320, 24, "T_max", "max_temperature_c").end().inline(), text(10, 60, "P", "total_power_w").inline(), text(46, 182, "thickness", "thickness_mm").inline(),
			},
		},
		{
			Tool: "pcb_via_current", Title: "Cross-section of a plated via through a board", Width: 320, Height: 200,
			Elements: []Element{
				rect(base, 30, 70, 75, 80), rect(base, 165, 70, 75, 80), of("plating_um", rect(copper, 105, 66, 10, 88), rect(copper, 155, 66, 10, 88)), rect(copper, 70, 62, 45, 8), rect(copper, 155, 62, 45, 8), rect(copper, 70, 150, 45, 8), rect(copper, 155, 150, 45, 8),
				dimension(115, 44, 155, 44, "d", "hole_diameter_mm"), dimension(255, 70, 255, 150, "h", "board_thickness_mm"), text(16, 36, "plating", "plating_um"),
				arrow(glow, 135, 90, 135, 140), text(60, 186, "I", "current_a").inline(), text(190, 186, "n", "via_count").inline(), line(thin, 62, 56, 110, 80),
			},
		},
		{
			Tool: "power_supply_decoupling", Title: "Supply with decoupling capacitors at a load", Width: 330, Height: 190,
			Elements: []Element{
				source(36, 50, 36, 150, "V", "supply_v"), coil(36, 50, 110, 50, "", ""), wire(110, 50, 250, 50), dot(110, 50), capacitor(110, 50, 110, 150, "C", "c_f"), dot(180, 50), capacitor(180, 50, 180, 150, "n", "capacitors_needed"), dot(110, 150), dot(180, 150),
				wire(36, 150, 265, 150), wire(265, 120, 265, 150), wire(250, 50, 265, 50, 265, 80), block(240, 80, 50, 40, "IC"), arrow(glow, 222, 40, 254, 40), text(238, 30, "ΔI", "transient_current_a").inline().middle(),
				text(60, 176, "ESR", "esr_mohm").inline(), text(170, 176, "ESL", "esl_nh").inline(), text(322, 176, "Z", "target_impedance_ohm").end().inline(),
			},
		},
		{
			Tool: "rc_filter", Title: "RC filter, low-pass or high-pass, with source and load resistance", Width: 330, Height: 190,
			Elements: []Element{
				terminal(20, 60), when("source_ohm", "*", resistor(23, 60, 100, 60, "R_S", "source_ohm")), without("source_ohm", wire(23, 60, 100, 60)),
				when("filter_type", "low_pass", resistor(100, 60, 190, 60, "R", "r_ohm"), capacitor(190, 60, 190, 150, "C", "c_f")),
				when("filter_type", "high_pass", capacitor(100, 60, 190, 60, "C", "c_f"), resistor(190, 60, 190, 150, "R", "r_ohm")),
				dot(190, 60), wire(190, 60, 297, 60), terminal(300, 60), ground(190, 150),
				when("load_ohm", "*", dot(260, 60), resistor(260, 60, 260, 150, "R_L", "load_ohm"), ground(260, 150)),
				note(8, 84, "in"), note(300, 50, "out"), text(20, 150, "f_c", "cutoff_hz"),
			},
		},
		{
			Tool: "timer_555", Title: "555 timer, astable or monostable, with its resistors and capacitor", Width: 320, Height: 280,
			Elements: []Element{
				rect(filled, 150, 70, 90, 130), note(195, 130, "555").middle(), note(195, 84, "VCC  RST").middle(), note(156, 108, "DIS"), note(156, 152, "THR"), note(156, 182, "TRIG"), note(234, 136, "OUT").end(), note(195, 194, "GND").middle(),
				wire(60, 24, 195, 24, 195, 70), dot(60, 24), wire(60, 24, 60, 30), text(204, 30, "V", "supply_v").inline(), resistor(60, 30, 60, 104, "R_1", "r1_ohm"), dot(60, 104), wire(60, 104, 150, 104),
				when("mode", "astable", resistor(60, 104, 60, 178, "R_2", "r2_ohm"), when("diode", "true", wire(60, 104, 36, 104, 36, 114), diode(36, 114, 36, 168, "", ""), wire(36, 168, 36, 178, 60, 178)), wire(60, 178, 150, 178), dot(60, 178), wire(128, 178, 128, 148, 150, 148), dot(128, 178)),
				when("mode", "monostable", wire(60, 104, 60, 178), wire(128, 104, 128, 148, 150, 148), dot(128, 104), terminal(140, 178), wire(143, 178, 150, 178), note(134, 182, "start").end()),
				wire(60, 178, 60, 190), capacitor(60, 190, 60, 246, "C", "c_f"), ground(60, 246), wire(195, 200, 195, 246), ground(195, 246), wire(240, 132, 297, 132), terminal(300, 132),
				when("mode", "astable", text(250, 154, "f", "freq_hz"), text(250, 196, "duty", "duty_pct")), when("mode", "monostable", text(250, 154, "pulse", "pulse_s")),
			},
		},
		{
			Tool: "trace_width", Title: "Cross-section of a trace on or inside a board", Width: 320, Height: 180,
			Elements: []Element{
				rect(base, 30, 90, 200, 56),
				when("layer", "external", of("width_mm", rect(copper, 90, 76, 80, 14)), dimension(90, 58, 170, 58, "w", "width_mm"), text(184, 80, "t", "copper_oz").inline()),
				when("layer", "internal", of("width_mm", rect(copper, 90, 112, 80, 14)), dimension(90, 76, 170, 76, "w", "width_mm"), text(240, 122, "t", "copper_oz")),
				text(30, 170, "I", "current_a").inline(), text(130, 170, "ΔT", "temp_rise_c").inline(), text(230, 170, "l", "length_mm").inline(), text(30, 30, "T_amb", "ambient_c").inline(), text(200, 30, "R", "resistance_ohm").inline(),
			},
		},
		{
			Tool: "voltage_divider", Title: "Voltage divider: R1 from the input to the output, R2 and the load to ground", Width: 310, Height: 220,
			Elements: []Element{
				terminal(30, 30), wire(33, 30, 100, 30), resistor(100, 30, 100, 110, "R_1", "r1_ohm"), dot(100, 110), resistor(100, 110, 100, 190, "R_2", "r2_ohm"), ground(100, 190),
				wire(100, 110, 257, 110), terminal(260, 110), when("load_ohm", "*", dot(200, 110), resistor(200, 110, 200, 190, "R_L", "load_ohm"), ground(200, 190)),
				text(14, 54, "V_in", "vin_v"), text(240, 78, "V_out", "vout_v"), text(190, 30, "I", "current_a").inline(),
			},
		},
	}
}
