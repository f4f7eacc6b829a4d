package drawing

// rack19 returns a 19-inch rack.
func rack19(x, y int) Element {
	return group(rect(filled, x, y, 90, 150), rect(thin, x+8, y+8, 74, 134))
}

// drives returns a row of disk drives. The value of the field is their number; above max, the row
// ends with "…".
func drives(field string, x, y, max int) Element {
	return repeat(field, max, func(i int) Element { return drive(x+24*i, y) },
		note(x+24*max, y+18, "…"))
}

func homelab() []Drawing {
	return []Drawing{
		{
			Tool: "cooling_btu", Title: "Room with equipment, people and an air conditioner",
			Width: 330, Height: 180,
			Elements: []Element{
				rect(filled, 20, 30, 240, 120),
				of("it_load_w", rect(metal, 40, 80, 36, 70),
					path(thin, "M40 100h36m0 20h-36m0 20h36")), of("people", person(152, 150, 56)),
				block(176, 40, 74, 26, "cooling"),
				path(glow, "M190 72q-6 10 0 18t0 18M210 72q-6 10 0 18t0 18M58 74q-6-10 0-18t0-18"),
				text(84, 100, "P", "it_load_w"), text(172, 142, "n", "people").inline(),
				text(266, 60, "Q", "total_heat_w"), text(266, 100, "air", "airflow_m3_h"),
				text(30, 168, "A", "floor_area_m2").inline(),
				text(190, 168, "ΔT", "air_delta_t_k").inline(),
			},
		},
		{
			Tool: "heatsink_cfd", Title: "Plate-fin heat sink with its dimensions", Width: 330,
			Height: 220,
			Elements: []Element{
				of("fin_count", path(metal,
					"M60 60h10v70h20v-70h10v70h20v-70h10v70h20v-70h10v70h20v-70h10v90h-130z")),
				path(thin, "M190 150l30-26v-66l-30 0"),
				of("power_w", rect(copper, 105, 150, 40, 12)),
				dimension(60, 188, 190, 188, "b", "base_width_mm"),
				dimension(232, 60, 232, 130, "h", "fin_height_mm"),
				dimension(30, 130, 30, 150, "", ""), text(4, 170, "base", "base_thickness_mm"),
				text(60, 28, "n", "fin_count").inline(),
				text(130, 28, "t", "fin_thickness_mm").inline(), line(thin, 142, 32, 146, 58),
				text(240, 148, "L", "base_length_mm").inline(),
				text(150, 164, "P", "power_w").inline(), text(240, 28, "T_amb", "ambient_c"),
				text(60, 212, "R_th", "thermal_resistance_k_w").inline(),
				text(210, 212, "v", "air_velocity_m_s").inline(),
			},
		},
		{
			Tool: "network_bandwidth", Title: "Path of links between two hosts", Width: 330,
			Height: 130,
			Elements: []Element{
				block(10, 50, 56, 34, "host"), block(137, 50, 56, 34, "switch"),
				block(264, 50, 56, 34, "host"),
				of("links", wire(66, 67, 137, 67), wire(193, 67, 264, 67)),
				text(165, 30, "", "end_to_end_goodput_mbps").middle(),
				text(10, 112, "limit", "bottleneck").inline(),
				text(320, 112, "MTU", "mtu").end().inline(),
				text(200, 112, "t", "transfer_time_s").inline().end(),
			},
		},
		{
			Tool: "power_cost", Title: "Meter, circuit breaker and devices", Width: 330,
			Height: 150,
			Elements: []Element{
				circle(filled, 40, 70, 24), note(40, 74, "kWh").middle(), wire(64, 70, 96, 70),
				contact(96, 70, 150, 70, "", ""), wire(150, 70, 210, 70),
				of("power_w", block(210, 50, 90, 40, "devices")),
				text(124, 40, "", "breaker_amps").middle(), text(90, 104, "V", "voltage").inline(),
				text(300, 40, "P", "power_w total_watts").inline().end(),
				text(20, 132, "price", "price_per_kwh").inline(),
				text(300, 110, "hours", "hours_per_day").inline().end(),
				text(300, 132, "month", "monthly_cost").inline().end(),
			},
		},
		{
			Tool: "rack_capacity", Title: "Rack with equipment and power distribution", Width: 320,
			Height: 190,
			Elements: []Element{
				rack19(60, 20), of("items", rect(metal, 70, 100, 70, 12),
					rect(metal, 70, 116, 70, 12), rect(metal, 70, 132, 70, 26)),
				of("pdu_count", rect(copper, 156, 40, 8, 110), rect(copper, 170, 40, 8, 110)),
				dimension(40, 20, 40, 170, "", ""), text(4, 16, "", "rack_units"),
				text(190, 50, "PDUs", "pdu_count").inline(),
				text(190, 76, "I", "pdu_amps").inline(),
				text(190, 100, "V", "pdu_voltage").inline(),
				text(190, 130, "free", "free_units").inline(),
				text(190, 156, "P", "total_watts").inline(),
			},
		},
		{
			Tool: "raid_iops", Title: "Drives of an array behind a controller", Width: 330,
			Height: 170,
			Elements: []Element{
				block(110, 16, 110, 30, "controller"), line(stroke, 165, 46, 165, 66),
				line(stroke, 30, 66, 300, 66), drives("drives", 26, 74, 11),
				text(30, 134, "n", "drives").inline(), text(110, 134, "", "raid_level"),
				text(300, 134, "", "drive_size_tb").end(),
				text(30, 156, "reads", "read_pct").inline(),
				text(300, 156, "", "effective_iops").end(),
				text(230, 34, "groups", "groups").inline(),
			},
		},
		{
			Tool: "subnet_calculator", Title: "Address bits of a network: prefix and host part",
			Width: 320, Height: 110,
			Elements: []Element{
				of("cidr", rect(metal, 20, 44, 190, 28)), rect(filled, 210, 44, 90, 28),
				note(115, 62, "network").middle(), note(255, 62, "hosts").middle(),
				text(20, 30, "", "cidr"), text(210, 92, "n", "usable_hosts").inline(),
				text(20, 92, "mask", "netmask").inline(),
			},
		},
		{
			Tool: "tcp_throughput", Title: "Sender and receiver with window, round trip and loss",
			Width: 330, Height: 170,
			Elements: []Element{
				line(stroke, 60, 30, 60, 150), line(stroke, 240, 30, 240, 150),
				note(60, 22, "sender").middle(), note(240, 22, "receiver").middle(),
				arrow(glow, 60, 44, 240, 70), arrow(glow, 60, 56, 240, 82),
				arrow(thin, 240, 86, 60, 120),
				dimension(40, 44, 40, 120, "", ""), text(4, 142, "RTT", "rtt_ms"),
				text(150, 40, "", "bandwidth_mbps").middle(), text(250, 66, "window", "window_kib"),
				text(250, 110, "loss", "loss_pct"), text(150, 142, "", "throughput_mbps").middle(),
			},
		},
		{
			Tool: "thermal_enclosure", Title: "Enclosure with heat inside, walls and ventilation",
			Width: 330, Height: 210,
			Elements: []Element{
				path(filled, "M60 60l30-26h130l-30 26z"), path(filled, "M190 60l30-26v110l-30 26z"),
				rect(filled, 60, 60, 130, 110),
				of("power_w", rect(copper, 100, 110, 44, 30),
					path(glow, "M110 104q-6-9 0-16t0-16M130 104q-6-9 0-16t0-16")),
				when("ventilation", "vented fan",
					path(stroke, "M196 70l18-16m0 8l-18 16M66 158h30m0 6h-30")),
				when("ventilation", "fan", circle(stroke, 172, 152, 12),
					path(stroke, "M172 152l8-8m-8 8l-8 8m8-8l8 8m-8-8l-8-8")),
				dimension(60, 192, 190, 192, "w", "width_mm"), dimension(42, 60, 42, 170, "", ""),
				text(4, 44, "h", "height_mm"), text(214, 168, "d", "depth_mm").inline(),
				text(122, 130, "", "power_w").middle(),
				text(236, 56, "T_amb", "ambient_c"),
				text(236, 100, "T_in", "internal_temperature_c"),
				text(60, 22, "sun", "solar_irradiance_w_m2").inline(),
				text(236, 140, "wall", "wall_thickness_mm").inline(),
			},
		},
		{
			Tool:  "wireguard_mtu",
			Title: "Packet in a tunnel: outer headers around the inner packet", Width: 330,
			Height: 130,
			Elements: []Element{
				rect(base, 20, 50, 50, 32), rect(base, 70, 50, 40, 32),
				of("total_overhead_bytes", rect(copper, 110, 50, 46, 32)),
				of("mtu", rect(filled, 156, 50, 154, 32)), note(45, 70, "IP").middle(),
				note(90, 70, "UDP").middle(), note(133, 70, "WG").middle(),
				note(233, 70, "inner packet").middle(),
				dimension(156, 34, 310, 34, "MTU", "mtu"),
				dimension(20, 106, 310, 106, "link MTU", "link_mtu"),
				text(20, 40, "overhead", "total_overhead_bytes").inline(),
			},
		},
		{
			Tool: "zfs_capacity", Title: "Pool of vdevs with their drives", Width: 340, Height: 190,
			Elements: []Element{
				repeat("vdev_count", 3, func(i int) Element {
					return group(rect(thin, 20, 22+46*i, 296, 40),
						drives("drives_per_vdev", 28, 28+46*i, 11))
				}, note(24, 172, "…")),
				text(20, 14, "drives", "drives_per_vdev").inline(), text(110, 14, "", "raid_level"),
				text(316, 14, "", "drive_size_tb").end(),
				text(60, 180, "vdevs", "vdev_count").inline(),
				text(316, 180, "usable", "pool_usable_tib").end().inline(),
			},
		},
		{
			Tool: "zfs_ram", Title: "Memory of a storage server and its pool", Width: 320,
			Height: 150,
			Elements: []Element{
				of("recommended_ram_gib", rect(filled, 30, 40, 120, 24),
					path(thin,
						"M40 64v8m12 0v-8m12 0v8m12 0v-8m12 0v8m12 0v-8m12 0v8m12 0v-8"),
					path(thin, "M44 46h20v12h-20zM80 46h20v12h-20zM116 46h20v12h-20z")),
				wire(90, 76, 90, 96),
				of("pool_tib", drive(44, 96), drive(68, 96), drive(92, 96), drive(116, 96)),
				text(164, 46, "RAM", "recommended_ram_gib").inline(),
				text(164, 66, "ARC", "arc_gib").inline(),
				text(164, 116, "pool", "pool_tib").inline(),
				text(164, 136, "L2ARC", "l2arc_gib").inline(),
			},
		},
	}
}
