package drawing

// rangeLink returns two masts with a path between them, for the range tools. Its parameters are
// names of fields.
func rangeLink(power, txGain, rxGain, txHeight, rxHeight, sensitivity, span string) []Element {
	return []Element{
		mast(50, 150, 80), mast(300, 150, 60), earth(15, 335, 150), waves(72, 56),
		line(dashed, 110, 60, 285, 74),
		text(10, 14, "P", power).inline(), text(10, 30, "G", txGain).inline(),
		text(336, 30, "G", rxGain).inline().end(),
		text(336, 14, "S", sensitivity).inline().end(),
		dimension(80, 70, 80, 150, "h_1", txHeight),
		dimension(245, 90, 245, 150, "h_2", rxHeight).left(),
		dimension(50, 178, 300, 178, "d", span),
	}
}

func mesh() []Drawing {
	return []Drawing{
		{
			Tool:  "channel_utilization",
			Title: "Nodes that share one channel, with their packets on a time line", Width: 320,
			Height: 170,
			Elements: []Element{
				circle(filled, 50, 40, 12), circle(filled, 160, 28, 12),
				circle(filled, 270, 40, 12), line(dashed, 62, 40, 148, 30),
				line(dashed, 172, 30, 258, 40), line(dashed, 62, 44, 258, 44),
				text(160, 62, "n", "nodes").inline().middle(),
				line(thin, 20, 120, 300, 120),
				of("airtime_ms", rect(copper, 40, 98, 36, 22), rect(copper, 150, 98, 36, 22),
					rect(copper, 230, 98, 36, 22)),
				text(64, 90, "t", "airtime_ms").inline().middle(),
				text(20, 144, "messages per node", "messages_per_hour_per_node").inline(),
				text(20, 162, "used", "utilization_pct").inline(),
			},
		},
		{
			Tool:  "duty_cycle_budget",
			Title: "Packets on a time line with the interval between them", Width: 320, Height: 130,
			Elements: []Element{
				line(thin, 20, 80, 300, 80), of("airtime_ms", rect(copper, 40, 50, 40, 30),
					rect(copper, 230, 50, 40, 30)),
				dimension(40, 36, 80, 36, "", ""), text(88, 40, "t", "airtime_ms").inline(),
				dimension(40, 104, 230, 104, "T", "min_interval_s"),
				text(262, 22, "duty", "duty_cycle_pct").inline().middle(),
			},
		},
		{
			Tool:  "eirp_compliance",
			Title: "Transmitter, cable and antenna with the radiated power", Width: 320,
			Height: 150,
			Elements: []Element{
				block(16, 80, 50, 34, "TX"), wire(66, 97, 180, 97, 180, 70), antenna(180, 72),
				waves(205, 50),
				text(16, 132, "P", "tx_power_dbm").inline(), text(76, 70, "cable", "cable_loss_db"),
				text(168, 28, "G", "antenna_gain_dbi").inline().end(),
				text(250, 30, "EIRP", "eirp_dbm"), text(250, 76, "limit", "limit_dbm"),
				text(310, 132, "margin", "margin_db").inline().end(),
			},
		},
		{
			Tool: "lora_airtime", Title: "LoRa packet: preamble, header, payload and CRC",
			Width: 340, Height: 130,
			Elements: []Element{
				of("preamble_symbols", rect(glow, 20, 50, 90, 32)),
				of("explicit_header", rect(base, 110, 50, 50, 32)),
				of("payload_bytes", rect(filled, 160, 50, 110, 32)),
				of("crc", rect(copper, 270, 50, 40, 32)),
				path(thin, "M20 82l18-32v32l18-32v32l18-32v32l18-32v32l18-32"),
				note(135, 70, "header").middle(), text(215, 71, "", "payload_bytes").middle(),
				note(290, 70, "CRC").middle(),
				text(20, 40, "", "preamble_symbols"), text(50, 40, "SF", "sf").inline(),
				text(150, 40, "B", "bw_khz").inline(), text(250, 40, "CR", "cr").inline(),
				dimension(20, 112, 310, 112, "t", "airtime_ms"),
			},
		},
		{
			Tool:  "lora_param_optimizer",
			Title: "Radio link with chosen spreading factor, bandwidth and power", Width: 350,
			Height: 200,
			Elements: rangeLink("tx_power_dbm", "tx_gain_dbi", "rx_gain_dbi", "", "",
				"sensitivity_dbm", "target_range_km"),
		},
		{
			Tool: "lora_range_estimate", Title: "Radio link between two masts", Width: 350,
			Height: 200,
			Elements: rangeLink("tx_dbm", "tx_gain_dbi", "rx_gain_dbi", "tx_height_m",
				"rx_height_m", "rx_sensitivity_dbm", "planned_range_km"),
		},
		{
			Tool:  "lora_sensitivity",
			Title: "Levels: thermal noise, noise figure, required signal-to-noise ratio and sensitivity",
			Width: 320, Height: 190,
			Elements: []Element{
				line(thin, 60, 15, 60, 175), head(60, 175, 60, 15), line(glow, 60, 158, 230, 158),
				line(stroke, 60, 90, 230, 90), line(thin, 60, 124, 230, 124),
				text(236, 88, "noise", "noise_floor_dbm"), note(236, 128, "kTB"),
				text(236, 156, "S", "sensitivity_dbm"),
				dimension(80, 90, 80, 124, "NF", "noise_figure_db"),
				dimension(160, 90, 160, 158, "SNR", "required_snr_db"),
				text(70, 30, "SF", "sf").inline(), text(130, 30, "B", "bw_khz").inline(),
			},
		},
		{
			Tool: "meshnet_power", Title: "Battery with the loads of a node", Width: 320,
			Height: 170,
			Elements: []Element{
				cell(50, 30, "", "battery_mah"), wire(50, 30, 260, 30),
				wire(50, 140, 260, 140), block(140, 64, 56, 42, "radio"),
				block(214, 64, 92, 42, "GPS, display"),
				wire(168, 30, 168, 64), wire(168, 106, 168, 140), wire(260, 30, 260, 64),
				wire(260, 106, 260, 140),
				text(72, 110, "V", "battery_voltage"), arrow(thin, 70, 30, 110, 30),
				text(62, 20, "I", "average_current_ma").inline(),
				text(160, 160, "runs", "runtime_days").inline().middle(),
			},
		},
		{
			Tool: "meshnet_range", Title: "Radio link between two masts", Width: 350, Height: 200,
			Elements: rangeLink("tx_power_dbm", "antenna_gain_dbi", "antenna_gain_dbi",
				"tx_height_m", "rx_height_m", "rx_sensitivity_dbm", "planned_range_km"),
		},
		{
			Tool: "snr_margin", Title: "Levels: noise floor, required signal and received signal",
			Width: 320, Height: 190,
			Elements: []Element{
				line(thin, 40, 15, 40, 175), head(40, 175, 40, 15), line(stroke, 40, 40, 200, 40),
				line(stroke, 40, 130, 200, 130), line(glow, 40, 150, 200, 150),
				text(206, 38, "P_RX", "rx_power_dbm"), text(206, 118, "N", "noise_floor_dbm"),
				text(206, 158, "SNR_min", "required_snr_db"),
				dimension(80, 40, 80, 150, "margin", "margin_db"),
				text(52, 172, "SF", "sf").inline(), text(120, 172, "B", "bw_khz").inline(),
			},
		},
	}
}
