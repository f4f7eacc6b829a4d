package docgen

// rfProblems, meshProblems and homelabProblems are the published problems of these categories.
var (
	rfProblems = []problem{
		{"fspl", `{"freq_mhz":914,"dist_km":0.25,"model":"two_ray","tx_height_m":1.5,"rx_height_m":1.5}`, "path_loss_db", 88.8747, 0.002, "ns-2, default radio: 0.28183815 W arrive as 3.652e-10 W over 250 m"},
		{"fspl", `{"freq_mhz":869,"dist_km":2,"model":"hata","environment":"dense_urban","tx_height_m":30,"rx_height_m":1}`, "path_loss_db", 137.93, 0.005, "ns-3, test of Okumura-Hata: large city"},
		{"fspl", `{"freq_mhz":869,"dist_km":2,"model":"hata","tx_height_m":30,"rx_height_m":1}`, "path_loss_db", 137.88, 0.005, "ns-3, test of Okumura-Hata: small city"},
		{"fspl", `{"freq_mhz":869,"dist_km":2,"model":"hata","environment":"suburban","tx_height_m":30,"rx_height_m":1}`, "path_loss_db", 128.03, 0.005, "ns-3, test of Okumura-Hata: suburb"},
		{"fspl", `{"freq_mhz":869,"dist_km":2,"model":"hata","environment":"open","tx_height_m":30,"rx_height_m":1}`, "path_loss_db", 110.21, 0.7, "ns-3, open area, with 4.70 for Hata's 4.78"},
		{"fspl", `{"freq_mhz":2114,"dist_km":2,"model":"cost231","tx_height_m":30,"rx_height_m":1}`, "path_loss_db", 150.64, 0.005, "ns-3, test of COST 231-Hata: small city"},
		{"fspl", `{"freq_mhz":899.377374,"dist_km":2,"model":"knife_edge","obstacle_height_m":25}`, "diffraction_parameter", 2.74, 0.005, "† T. S. Rappaport, Wireless Communications, example 4.7"},
		{"microstrip", `{"height_mm":1.595,"er":2.2,"structure":"stripline","copper_oz":0.2857143,"freq_mhz":10000,"loss_tangent":0.001}`, "width_mm", 2.66, 0.046, "† D. M. Pozar, Microwave Engineering, example 3.5, for a thin strip"},
		{"microstrip", `{"height_mm":1.595,"er":2.2,"structure":"stripline","copper_oz":0.2857143,"freq_mhz":10000,"loss_tangent":0.001}`, "conductor_loss_db_m", 1.06, 0.02, "† Pozar, example 3.5: 0.122 Np/m"},
		{"microstrip", `{"height_mm":0.5,"er":9.9,"copper_oz":0,"freq_mhz":10000,"loss_tangent":0.001}`, "width_mm", 0.483, 0.005, "† Pozar, example 3.7, microstrip on alumina"},
		{"microstrip", `{"height_mm":0.5,"er":9.9,"copper_oz":0,"freq_mhz":10000,"loss_tangent":0.001}`, "dielectric_loss_db_m", 2.215, 0.03, "† Pozar, example 3.7: 0.255 Np/m"},
		{"link_budget", `{"tx_dbm":20,"freq_mhz":450,"dist_km":5,"cable_type":"lmr_400","tx_cable_m":30.48}`, "tx_line_loss_db", 2.7, 0.05, "scc-ares-races.org, cable table: LMR-400, 100 ft at 450 MHz"},
		{"link_budget", `{"tx_dbm":20,"freq_mhz":450,"dist_km":5,"cable_type":"rg_213","tx_cable_m":30.48}`, "tx_line_loss_db", 4.97, 0.2, "Codan, Radio Repeater Systems Training Guide: RG-213/U, 100 ft at 450 MHz"},
		{"link_budget", `{"tx_dbm":20,"freq_mhz":150,"dist_km":5,"cable_type":"rg_58","tx_cable_m":30.48}`, "tx_line_loss_db", 6.10, 0.03, "Codan: RG-58 C/U, 100 ft at 150 MHz"},
		{"link_budget", `{"tx_dbm":20,"freq_mhz":450,"dist_km":5,"cable_type":"lmr_100","tx_cable_m":30.48}`, "tx_line_loss_db", 15.8, 0.05, "universal-radio.com, coax table: LMR-100A, 100 ft at 450 MHz"},
		{"link_budget", `{"tx_dbm":20,"freq_mhz":1000,"dist_km":5,"cable_type":"rg_178","tx_cable_m":10}`, "tx_line_loss_db", 15.1, 0.15, "Satec, RG-178 data sheet: 151 dB per 100 m at 1 GHz"},
		{"microstrip", `{"height_mm":0.2,"height2_mm":0.3,"er":4.3,"structure":"stripline","z0_ohm":53.81}`, "width_mm", 0.15, 0.002, "IPC-2141A, stripline off centre: 53.81 Ω for 0.15 mm"},
		{"fresnel_zone", `{"freq_mhz":2400,"dist_km":10}`, "radius_m", 17.67, 0.01, "† usual form 8.66 √(km/GHz)"},
	}
	meshProblems = []problem{
		{"lora_airtime", `{"payload_bytes":51,"sf":11,"bw_khz":250}`, "data_rate_bps", 1070, 5, "Meshtastic, radio settings: long_fast 1.07 kbit/s"},
		{"lora_airtime", `{"payload_bytes":51,"sf":7,"bw_khz":500}`, "data_rate_bps", 21880, 5, "Meshtastic, radio settings: short_turbo 21.88 kbit/s"},
		{"lora_airtime", `{"payload_bytes":51,"sf":7,"bw_khz":250}`, "data_rate_bps", 10940, 5, "Meshtastic, radio settings: short_fast 10.94 kbit/s"},
		{"lora_airtime", `{"payload_bytes":51,"sf":11,"bw_khz":500,"cr":8}`, "data_rate_bps", 1340, 5, "Meshtastic, radio settings: long_turbo 1.34 kbit/s"},
		{"lora_airtime", `{"payload_bytes":51,"sf":12,"cr":8}`, "data_rate_bps", 180, 5, "Meshtastic, radio settings: long_slow 0.18 kbit/s"},
		{"lora_airtime", `{"payload_bytes":24,"sf":12,"cr":7}`, "airtime_ms", 1810.43, 0.005, "† Semtech LoRa calculator, 24 bytes at SF12, 4/7"},
		{"lora_sensitivity", `{"sf":12}`, "sensitivity_dbm", -137, 0.05, "† Semtech SX1272/73 data sheet, section 2.5.5: SF12, 125 kHz"},
		{"lora_sensitivity", `{"sf":10}`, "sensitivity_dbm", -132, 0.05, "† Semtech SX1276 data sheet: SF10, 125 kHz"},
		{"channel_utilization", `{"nodes":18,"airtime_ms":100,"messages_per_hour_per_node":1000}`, "collision_probability_pct", 63.2, 0.05, "N. Abramson 1970: pure ALOHA at its best load G = 0.5"},
		{"channel_utilization", `{"nodes":140,"airtime_ms":100,"messages_per_hour_per_node":0,"firmware_broadcasts":true}`, "broadcasts_per_hour_per_node", 0.25384, 0.00001, "Meshtastic firmware 2.7, test of the scaled intervals: 1 + 100 · 0.08192"},
		{"eirp_compliance", `{"tx_power_dbm":14,"antenna_gain_dbi":2.15,"region":"ETSI_EU"}`, "eirp_watts", 0.041, 0.0005, "ERC Recommendation 70-03: 25 mW ERP, 1.64 times as much EIRP"},
		{"duty_cycle_budget", `{"airtime_ms":61.696,"sub_band":"863-865"}`, "min_interval_s", 61.696, 0.0005, "EN 300 220-2, table B.1: 0.1 %"},
	}
	homelabProblems = []problem{
		{"zfs_capacity", `{"raid_level":"draid2","drive_size_tb":1,"drives_per_vdev":24,"draid_data":6}`, "usable_bytes", 15835678638080, 0, "OpenZFS issue 15467, zfs list -p of a real pool"},
		{"zfs_capacity", `{"raid_level":"draid1","drive_size_tb":18.000207937536,"drives_per_vdev":36,"draid_data":16,"draid_spares":2}`, "usable_tb", 574.804246, 0.00001, "OpenZFS issue 13727, df of draid1:16d:36c:2s, after a few MB of its own"},
		{"zfs_capacity", `{"raid_level":"raidz2","drive_size_tb":3.000592982016,"drives_per_vdev":6}`, "usable_tib", 10.77, 0.005, "OpenZFS issue 1089, zfs list"},
		{"zfs_ram", `{"pool_tib":1,"dedup_enabled":true,"avg_block_kib":64}`, "dedup_table_gib", 5, 0, "FreeBSD Handbook: 5 GB of RAM for each TB to be deduplicated"},
		{"wireguard_mtu", `{"outer_ip":"ipv6"}`, "mtu", 1420, 0, "wg-quick(8), the default MTU of 1420"},
		{"wireguard_mtu", `{"pppoe":true,"outer_ip":"ipv6"}`, "mtu", 1412, 0, "usual setting over PPPoE: 1412"},
		{"network_bandwidth", `{"links":[{"name":"gigabit","capacity_mbps":1000}]}`, "end_to_end_goodput_mbps", 941, 0.5, "iperf3 over gigabit Ethernet: 941 Mbit/s"},
		{"subnet_calculator", `{"cidr":"10.0.0.0/22"}`, "usable_hosts", 1022, 0, "RFC 1878, table"},
		{"subnet_calculator", `{"cidr":"203.0.113.4/31"}`, "usable_hosts", 2, 0, "RFC 3021"},
		{"subnet_calculator", `{"cidr":"2001:db8::/32","site_networks":[65536]}`, "ipv6_free_networks", 4294901760, 0, "RFC 6177: a /32 holds 65536 sites of /48"},
		{"tcp_throughput", `{"bandwidth_mbps":1000,"rtt_ms":100}`, "throughput_mbps", 5.24, 0.005, "RFC 7323, section 1.1: 64 KiB per round trip"},
		{"thermal_enclosure", `{"width_mm":914.4,"height_mm":1219.2,"depth_mm":406.4,"power_w":300}`, "temperature_rise_c", 16.7, 0.6, "† vendor's chart of painted steel boxes, 48 × 36 × 16 inch with 300 W"},
		{"cooling_btu", `{"it_load_w":1000}`, "btu_per_hour", 3412, 0.5, "NIST SP 811, appendix B.8"},
	}
)
