package drawing

// cableRun returns a supply, a cable and a load. Its parameters are names of fields.
func cableRun(supply, current, length, drop, wireSize string) []Element {
	return []Element{
		when("system", "dc", cell(40, 50, "V", supply)),
		when("system", "single_phase three_phase", sine(40, 50, 40, 140, "V", supply)),
		resistor(40, 50, 230, 50, "", ""), resistor(40, 140, 230, 140, "", ""),
		when("system", "three_phase", path(thin, "M174 56l6-12m2 12l6-12m2 12l6-12"),
			note(186, 72, "three phases").middle()),
		wire(230, 50, 250, 50), wire(230, 140, 250, 140),
		impedance(250, 50, 250, 140, "load", drop), arrow(glow, 180, 40, 220, 40),
		text(200, 28, "I", current).inline().middle(),
		dimension(60, 166, 230, 166, "l", length), text(60, 28, "wire", wireSize).inline(),
	}
}

func power() []Drawing {
	return []Drawing{
		{
			Tool: "battery_autonomy", Title: "Battery with a load and the sun as its source",
			Width: 330, Height: 170,
			Elements: []Element{
				sun(40, 36), panel(70, 40), wire(85, 84, 85, 104, 130, 104), jar(130, 92),
				jar(168, 92), wire(202, 104, 250, 104), block(250, 84, 64, 40, "load"),
				text(112, 46, "sun", "daily_solar_wh").inline(),
				text(166, 136, "V", "battery_voltage_v").middle().inline(),
				text(166, 152, "C", "battery_ah battery_kwh").middle().inline(),
				text(314, 70, "P", "load_w average_load_w").end().inline(),
				text(20, 136, "t", "autonomy_days").inline(),
				text(314, 146, "DoD", "depth_of_discharge_pct").end(),
			},
		},
		{
			Tool: "battery_charge_time", Title: "Charger and battery with the state of charge",
			Width: 320, Height: 170,
			Elements: []Element{
				block(20, 50, 70, 46, "charger"), arrow(stroke, 90, 73, 150, 73),
				text(146, 40, "I", "charge_current_a").end().inline(),
				rect(filled, 150, 40, 70, 80), rect(metal, 172, 32, 26, 8),
				of("start_soc_pct", rect(glow, 150, 96, 70, 24)), line(dashed, 150, 52, 220, 52),
				text(228, 56, "end", "end_soc_pct").inline(),
				text(228, 112, "start", "start_soc_pct").inline(),
				text(185, 142, "C", "capacity_ah capacity_mah").middle().inline(),
				text(20, 130, "P", "charger_w").inline(), text(228, 84, "V", "voltage_v").inline(),
				text(20, 150, "t", "charge_time_h").inline(),
			},
		},
		{
			Tool: "battery_life", Title: "Battery with internal resistance and a load", Width: 336,
			Height: 170,
			Elements: []Element{
				cell(50, 40, "V", "voltage_v"),
				resistor(50, 40, 160, 40, "R_i", "internal_resistance_ohm"), wire(160, 40, 250, 40),
				impedance(250, 40, 250, 140, "load", "load_ma average_current_ma"),
				wire(250, 140, 50, 140),
				arrow(glow, 190, 30, 235, 30), text(70, 122, "C", "capacity_mah").inline(),
				text(70, 160, "life", "runtime_days").inline(),
			},
		},
		{
			Tool: "generator_offset", Title: "Generator and solar array feed a load", Width: 320,
			Height: 160,
			Elements: []Element{
				circle(filled, 50, 110, 22), note(50, 114, "G").middle(), sun(34, 30),
				panel(66, 24), wire(72, 110, 150, 110), wire(96, 46, 150, 46, 150, 110),
				arrow(stroke, 150, 110, 230, 110), block(230, 90, 70, 40, "load"),
				text(108, 40, "", "solar_daily_kwh"), text(10, 148, "P", "generator_kw").inline(),
				text(300, 80, "E", "daily_wh total_daily_kwh").end().inline(),
				text(300, 148, "offset", "offset_pct").end().inline(),
			},
		},
		{
			Tool: "inverter_sizing", Title: "Battery, fuse and inverter with AC loads", Width: 330,
			Height: 170,
			Elements: []Element{
				cell(40, 50, "V", "dc_voltage_v"), wire(40, 50, 70, 50),
				of("dc_fuse_a", rect(filled, 70, 43, 40, 14), wire(70, 50, 110, 50)),
				wire(110, 50, 150, 50, 150, 70), block(116, 70, 70, 50, "DC / AC"),
				wire(40, 140, 150, 140, 150, 120),
				wire(186, 95, 240, 95), block(240, 75, 74, 40, "loads"),
				text(90, 22, "fuse", "dc_fuse_a").middle(),
				text(314, 50, "P", "continuous_w running_w").end(),
				text(314, 134, "surge", "surge_w").end(),
				text(164, 38, "inverter", "recommended_w"),
			},
		},
		{
			Tool: "mah_to_wh", Title: "Battery with its charge, voltage and energy", Width: 300,
			Height: 130,
			Elements: []Element{
				rect(filled, 30, 40, 140, 50), rect(metal, 170, 55, 10, 20),
				path(stroke, "M150 60v10m-5-5h10M45 65h10"),
				text(100, 62, "Q", "capacity_mah mah").middle(),
				text(196, 56, "V", "voltage_v").inline(),
				text(196, 84, "E", "capacity_wh wh").inline(),
				text(100, 114, "n", "quantity").middle().inline(),
			},
		},
		{
			Tool: "solar_load_audit", Title: "Loads on an inverter with their daily energy",
			Width: 320, Height: 150,
			Elements: []Element{
				jar(20, 60), wire(54, 73, 90, 73), block(90, 52, 60, 42, "DC / AC"),
				wire(150, 73, 200, 73), line(stroke, 200, 30, 200, 116),
				of("appliances", wire(200, 30, 230, 30), block(230, 16, 70, 28, "appliance"),
					wire(200, 73, 230, 73), block(230, 59, 70, 28, "appliance"),
					wire(200, 116, 230, 116), block(230, 102, 70, 28, "appliance")),
				text(120, 34, "η", "inverter_efficiency_pct").inline().middle(),
				text(20, 130, "per day", "total_daily_wh").inline(),
			},
		},
		{
			Tool: "solar_roi", Title: "Solar array with its cost and yield", Width: 320,
			Height: 164,
			Elements: []Element{
				sun(34, 34), panel(70, 40), panel(104, 40), panel(138, 40),
				wire(119, 84, 119, 110, 220, 110), block(220, 90, 80, 40, "grid"),
				text(184, 36, "P", "system_kw").inline(), text(184, 54, "E", "annual_kwh").inline(),
				text(20, 150, "cost", "system_cost").inline(),
				text(310, 80, "", "electricity_rate_per_kwh").end(),
				text(64, 26, "sun", "peak_sun_hours").inline(),
				text(160, 150, "back in", "payback_years").inline(),
			},
		},
		{
			Tool: "solar_sizing", Title: "Solar array, controller, battery bank and load",
			Width: 350, Height: 180,
			Elements: []Element{
				sun(28, 36), repeat("panels", 3, func(i int) Element { return panel(56+34*i, 30) },
					note(160, 56, "…")), wire(105, 74, 105, 110, 150, 110),
				block(150, 90, 76, 40, "controller"), wire(226, 110, 258, 110), jar(258, 98),
				jar(296, 98),
				text(176, 44, "n", "panels").inline(), text(176, 62, "P", "panel_w").inline(),
				text(16, 130, "V", "system_voltage_v").inline(),
				text(338, 148, "C", "battery_ah").end().inline(),
				text(338, 166, "E", "battery_kwh").end().inline(),
				text(188, 148, "I", "controller_a").middle().inline(),
				text(16, 112, "sun", "peak_sun_hours").inline(),
				text(338, 22, "load", "daily_wh").end().inline(),
			},
		},
		{
			Tool: "string_sizing", Title: "Modules in series into an inverter, strings in parallel",
			Width: 350, Height: 190,
			Elements: []Element{
				repeat("recommended_modules", 5, func(i int) Element {
					return group(panel(20+40*i, 30), wire(50+40*i, 52, 60+40*i, 52))
				}, note(222, 56, "…")),
				wire(220, 52, 290, 52, 290, 80), block(255, 80, 70, 44, "inverter"),
				wire(20, 52, 12, 52, 12, 110, 255, 110),
				text(120, 22, "n", "recommended_modules").middle().inline(),
				text(24, 96, "V_OC", "voc_v").inline(), text(130, 96, "V_MP", "vmp_v").inline(),
				text(24, 130, "string", "string_voc_cold_v").inline(),
				text(340, 144, "V_max", "max_dc_voltage_v").end().inline(),
				text(24, 150, "strings", "parallel_strings").inline(),
				text(24, 172, "coldest", "min_temp_c").inline(),
				text(340, 172, "MPPT from", "mppt_min_v").end().inline(),
				text(240, 38, "I", "isc_a").inline(),
			},
		},
		{
			Tool: "ups_runtime", Title: "UPS with blocks in series and strings in parallel",
			Width: 340, Height: 190,
			Elements: []Element{
				repeat("parallel", 2, func(row int) Element {
					y := 40 + 42*row
					return group(wire(37, y+13, 220, y+13, 220, 53, 250, 53),
						repeat("series", 4, func(i int) Element { return jar(20+44*i, y) },
							note(200, y+10, "…")))
				}, note(100, 124, "…")), block(250, 30, 70, 44, "UPS"), wire(285, 74, 285, 100),
				block(250, 100, 70, 36, "load"),
				text(20, 28, "series", "series").inline(),
				text(20, 144, "parallel", "parallel").inline(),
				text(120, 28, "V", "battery_voltage_v").inline(),
				text(120, 144, "C", "battery_ah").inline(),
				text(320, 156, "P", "load_w").end().inline(),
				text(20, 172, "runtime", "runtime_min").inline(),
			},
		},
		{
			Tool: "voltage_drop", Title: "Supply, cable and load with the voltage drop", Width: 340,
			Height: 190,
			Elements: cableRun("voltage_v", "current_a", "length_m length_ft", "load_voltage_v",
				"awg area_mm2"),
		},
		{
			Tool: "watts_to_amps", Title: "Supply and load, one or three phases", Width: 320,
			Height: 170,
			Elements: []Element{
				when("system", "dc", cell(50, 40, "V", "voltage_v")),
				when("system", "single_phase three_phase", sine(50, 40, 50, 140, "V", "voltage_v")),
				wire(50, 40, 230, 40), when("system", "three_phase",
					path(thin, "M176 46l6-12m2 12l6-12m2 12l6-12"),
					note(188, 62, "three phases").middle()),
				impedance(230, 40, 230, 140, "P", "power_w"), wire(230, 140, 50, 140),
				arrow(glow, 110, 30, 160, 30), text(135, 20, "I", "current_a").inline().middle(),
				text(60, 160, "cos φ", "power_factor").inline(),
				text(200, 160, "S", "apparent_power_va").inline(),
			},
		},
		{
			Tool: "wire_ampacity", Title: "Conductors in a conduit", Width: 320, Height: 170,
			Elements: []Element{
				circle(filled, 90, 85, 60), of("current_carrying_conductors",
					circle(metal, 68, 66, 20), circle(metal, 112, 66, 20),
					circle(metal, 90, 106, 20)),
				of("awg", circle(copper, 68, 66, 12), circle(copper, 112, 66, 12),
					circle(copper, 90, 106, 12)),
				text(166, 40, "size", "awg").inline(),
				text(166, 66, "n", "current_carrying_conductors").inline(),
				text(166, 92, "insulation", "insulation_rating_c").inline(),
				text(166, 118, "T_amb", "ambient_c").inline(),
				text(166, 146, "I", "ampacity_a").inline(),
			},
		},
		{
			Tool: "wire_gauge", Title: "Supply, cable and load with the conductor size", Width: 340,
			Height: 190,
			Elements: cableRun("voltage_v", "current_a", "length_m length_ft", "load_voltage_v",
				"awg"),
		},
	}
}
