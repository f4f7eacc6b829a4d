package drawing

func rf() []Drawing {
	return []Drawing{
		{
			Tool: "attenuator_pi", Title: "Pi attenuator: R1 and R3 to ground, R2 between the ports", Width: 320, Height: 180,
			Elements: []Element{
				terminal(20, 50), wire(23, 50, 90, 50), terminal(300, 50), wire(230, 50, 297, 50), dot(90, 50), dot(230, 50),
				resistor(90, 50, 90, 140, "R_1", "r1_ohm"), resistor(90, 50, 230, 50, "R_2", "r2_ohm"), resistor(230, 50, 230, 140, "R_3", "r3_ohm"),
				ground(90, 140), ground(230, 140),
				text(10, 22, "Z_0", "z0_ohm"), text(310, 22, "Z_0", "z0_ohm").end(),
				text(160, 120, "A", "attenuation_db").middle(),
			},
		},
		{
			Tool: "attenuator_tee", Title: "T attenuator: R1 and R2 in series, R3 to ground", Width: 320, Height: 190,
			Elements: []Element{
				terminal(20, 60), resistor(23, 60, 160, 60, "R_1", "r1_ohm"), dot(160, 60), resistor(160, 60, 297, 60, "R_2", "r2_ohm"), terminal(300, 60),
				resistor(160, 60, 160, 150, "R_3", "r3_ohm"), ground(160, 150),
				text(10, 92, "Z_0", "z0_ohm"), text(310, 92, "Z_0", "z0_ohm").end(), text(10, 145, "A", "attenuation_db"),
			},
		},
		{
			Tool: "dbm_convert", Title: "Source with a level across an impedance", Width: 320, Height: 160,
			Elements: []Element{
				sine(60, 30, 60, 130, "P", "dbm"), wire(60, 30, 230, 30), impedance(230, 30, 230, 130, "Z", "impedance_ohm"), wire(230, 130, 60, 130),
				arrow(thin, 200, 115, 200, 45), text(192, 70, "V_rms", "vrms").end(),
			},
		},
		{
			Tool: "dipole", Title: "Half-wave dipole fed in the middle, or quarter-wave element over a ground plane", Width: 320, Height: 170,
			Elements: []Element{
				when("type", "half_wave",
					line(copper, 30, 60, 152, 60), line(copper, 168, 60, 290, 60), terminal(152, 60), terminal(168, 60),
					wire(152, 63, 152, 120), wire(168, 63, 168, 120), waves(225, 95, 1),
					dimension(30, 36, 290, 36, "L", "length_m"), dimension(30, 96, 152, 96, "leg", "leg_length_m"),
				),
				when("type", "quarter_wave",
					line(copper, 150, 20, 150, 116), terminal(150, 119), line(copper, 90, 125, 210, 125), wire(150, 122, 150, 150), waves(200, 75, 1),
					dimension(50, 20, 50, 119, "L", "length_m"),
				),
				text(274, 96, "Z", "feed_impedance_ohm"), text(270, 152, "f", "freq_mhz").inline().end(),
			},
		},
		{
			Tool: "fresnel_zone", Title: "Fresnel zone around the line of sight between two antennas", Width: 340, Height: 200,
			Elements: []Element{
				mast(30, 160, 70), mast(310, 160, 70), earth(10, 330, 160),
				path(glow, "M30 76a140 44 0 0 1 280 0a140 44 0 0 1-280 0z"), line(dashed, 30, 76, 310, 76),
				line(thin, 170, 76, 170, 32), head(170, 76, 170, 32), text(178, 50, "r", "radius_m").inline(),
				path(dashed, "M30 76a140 26 0 0 1 280 0a140 26 0 0 1-280 0z"), text(178, 98, "60 %", "clearance_60pct_m").inline(),
				dimension(30, 189, 310, 189, "d", "dist_km"), text(20, 20, "f", "freq_mhz").inline(), text(200, 20, "zone", "zone_number").inline(),
			},
		},
		{
			Tool: "fspl", Title: "Two isotropic antennas in free space", Width: 340, Height: 150,
			Elements: []Element{
				antenna(40, 100), waves(62, 75, 1), antenna(300, 100),
				text(170, 58, "L", "fspl_db").middle().inline(), text(40, 40, "f", "freq_mhz").inline(), text(290, 40, "λ", "wavelength_m").end().inline(),
				line(dashed, 100, 75, 280, 75), dimension(40, 130, 300, 130, "d", "dist_km"),
			},
		},
		{
			Tool: "link_budget", Title: "Radio link from transmitter to receiver with cables, antennas and path loss", Width: 360, Height: 210,
			Elements: []Element{
				block(10, 130, 46, 32, "TX"), wire(56, 146, 90, 146, 90, 90), antenna(90, 92), waves(108, 66, 1),
				antenna(270, 92), wire(270, 90, 270, 146, 304, 146), block(304, 130, 46, 32, "RX"),
				text(10, 180, "P_TX", "tx_dbm"), text(350, 180, "P_RX", "rx_power_dbm").end(),
				text(60, 30, "G_TX", "tx_gain_dbi").end(), text(300, 30, "G_RX", "rx_gain_dbi"),
				text(98, 118, "cable", "tx_cable_loss_db"), text(262, 118, "cable", "rx_cable_loss_db").end(),
				line(dashed, 146, 66, 250, 66), text(190, 30, "path loss", "fspl_db").middle(), text(190, 90, "d", "dist_km").middle().inline(),
				text(180, 180, "margin", "margin_db").middle(),
			},
		},
		{
			Tool: "microstrip", Title: "Cross-section of a microstrip: trace on a substrate over a ground plane", Width: 320, Height: 180,
			Elements: []Element{
				of("er", rect(base, 30, 70, 200, 66)), of("copper_oz", rect(copper, 95, 58, 70, 12)), rect(copper, 30, 136, 200, 8),
				dimension(95, 42, 165, 42, "w", "width_mm"), dimension(245, 70, 245, 136, "h", "height_mm"),
				text(130, 98, "ε_r", "er").middle().inline(), text(130, 122, "Z", "z0_ohm z0_actual_ohm").middle().inline(),
				text(176, 62, "t", "copper_oz").inline(), text(30, 168, "λ_g", "wavelength_eff_mm").inline(),
			},
		},
		{
			Tool: "noise_figure_cascade", Title: "Receiver chain of amplifier stages", Width: 340, Height: 120,
			Elements: []Element{
				antenna(24, 66), wire(24, 64, 60, 64), of("stages", amplifier(60, 64), amplifier(135, 64), amplifier(230, 64)),
				wire(100, 64, 135, 64), line(dashed, 175, 64, 230, 64), arrow(stroke, 270, 64, 325, 64),
				note(68, 100, "1"), note(143, 100, "2"), note(238, 100, "n"),
				text(330, 24, "F", "total_nf_db").end().inline(), text(60, 24, "G", "total_gain_db").inline(),
			},
		},
		{
			Tool: "vswr", Title: "Line with a forward and a reflected wave at a mismatched load", Width: 320, Height: 150,
			Elements: []Element{
				wire(20, 60, 240, 60, 240, 68), wire(20, 120, 240, 120, 240, 112), impedance(240, 60, 240, 120, "", ""),
				arrow(glow, 40, 46, 130, 46), arrow(glow, 130, 104, 40, 104), note(40, 36, "forward"), text(40, 94, "Γ", "reflection_coefficient").inline(),
				text(185, 84, "VSWR", "vswr").inline().middle(), text(180, 104, "RL", "return_loss_db").inline().middle(), note(262, 94, "load"),
			},
		},
		{
			Tool: "wavelength_freq", Title: "One wavelength of a sine wave", Width: 320, Height: 150,
			Elements: []Element{
				line(thin, 20, 80, 300, 80), path(stroke, "M40 80c20-60 40-60 60 0s40 60 60 0s40-60 60 0s40 60 60 0"),
				dimension(40, 24, 160, 24, "λ", "wavelength_m"), text(180, 24, "f", "freq_mhz").inline(),
				dimension(40, 138, 70, 138, "", ""), text(78, 142, "λ/4", "quarter_wave_m").inline(),
			},
		},
	}
}
