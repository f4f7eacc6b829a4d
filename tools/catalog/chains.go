package catalog

import "slipstick/tools"

// edges is the chain graph: which values of one tool can be used as inputs of another.
func edges() []tools.Edge {
	return []tools.Edge{
		{From: "fspl", To: "link_budget", Fields: []tools.Pass{tools.Carry("fspl_db"), tools.Carry("freq_mhz"), tools.Carry("dist_km")}},
		{From: "fspl", To: "fresnel_zone", Fields: []tools.Pass{tools.Carry("freq_mhz"), tools.Carry("dist_km")}},
		{From: "noise_figure_cascade", To: "link_budget", Fields: []tools.Pass{{Out: "total_nf_db", In: "noise_figure_db"}}},
		{From: "dipole", To: "link_budget", Fields: []tools.Pass{{Out: "gain_dbi", In: "tx_gain_dbi"}, {Out: "gain_dbi", In: "rx_gain_dbi"}, tools.Carry("freq_mhz")}},
		{From: "link_budget", To: "fresnel_zone", Fields: []tools.Pass{tools.Carry("freq_mhz"), tools.Carry("dist_km")}},
		{From: "link_budget", To: "dbm_convert", Fields: []tools.Pass{{Out: "rx_power_dbm", In: "dbm"}}},
		{From: "wavelength_freq", To: "fspl", Fields: []tools.Pass{tools.Carry("freq_mhz")}},
		{From: "wavelength_freq", To: "link_budget", Fields: []tools.Pass{tools.Carry("freq_mhz")}},
		{From: "wavelength_freq", To: "dipole", Fields: []tools.Pass{tools.Carry("freq_mhz")}},
		{From: "wavelength_freq", To: "microstrip", Fields: []tools.Pass{tools.Carry("freq_mhz")}},
		{From: "wavelength_freq", To: "fresnel_zone", Fields: []tools.Pass{tools.Carry("freq_mhz")}},
		{From: "microstrip", To: "attenuator_pi", Fields: []tools.Pass{tools.Carry("z0_ohm")}},
		{From: "microstrip", To: "attenuator_tee", Fields: []tools.Pass{tools.Carry("z0_ohm")}},
		{From: "spice_template", To: "spice_simulate", Fields: []tools.Pass{tools.Carry("netlist")}},
	}
}
