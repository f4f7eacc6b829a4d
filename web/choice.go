package web

import "strings"

// choiceTexts maps values of choices to the texts that the page shows, such as names and
// abbreviations as in data sheets. The text of any other value is the value with spaces for
// underscores.
var choiceTexts = map[string]string{
	// Cables, insulation and raceways.
	"rg_58": "RG-58", "rg_213": "RG-213", "rg_174": "RG-174", "rg_178": "RG-178",
	"lmr_100": "LMR-100", "lmr_240": "LMR-240", "lmr_400": "LMR-400", "lmr_600": "LMR-600",
	"pvc": "PVC", "xlpe": "XLPE", "emt": "EMT", "rmc": "RMC", "pvc_40": "PVC schedule 40",
	"nm_b": "NM-B",

	// Batteries and power.
	"lifepo4": "LiFePO4", "lead_acid": "lead-acid", "li_ion": "Li-ion", "nimh": "NiMH",
	"lithium_coin": "lithium coin cell", "dc": "DC", "ac": "AC",
	"single_phase": "single-phase", "three_phase": "three-phase",
	"line_to_line": "line-to-line", "line_to_neutral": "line-to-neutral",
	"mppt": "MPPT", "pwm": "PWM",

	// Storage and networks.
	"hdd_5400": "HDD, 5400 rpm", "hdd_7200": "HDD, 7200 rpm", "hdd_10k": "HDD, 10k rpm",
	"hdd_15k": "HDD, 15k rpm", "sata_ssd": "SATA SSD", "nvme_ssd": "NVMe SSD",
	"vm":       "virtual machines",
	"tcp_ipv4": "TCP over IPv4", "tcp_ipv6": "TCP over IPv6",
	"udp_ipv4": "UDP over IPv4", "udp_ipv6": "UDP over IPv6", "ipv4": "IPv4", "ipv6": "IPv6",
	"cubic": "CUBIC", "reno": "Reno", "bbr": "BBR",

	// Radio.
	"two_ray": "two-ray", "hata": "Hata", "cost231": "COST 231", "knife_edge": "knife edge",
	"half_wave": "half-wave", "quarter_wave": "quarter-wave",
	"FCC_US": "FCC (US)", "ETSI_EU": "ETSI (EU)", "ACMA_AU": "ACMA (Australia)",
	"IC_CA": "ISED (Canada)", "JP": "Japan",
	"min_airtime": "least time on air", "min_energy": "least energy",
	"max_margin": "largest margin",

	// Circuits and boards.
	"analyze": "analysis", "solve": "missing resistor", "choose": "standard resistors",
	"infer_vin": "input voltage",
	"cmos":      "CMOS", "tht": "THT", "uv": "ultraviolet", "cpwg": "coplanar waveguide",
	"non_inverting": "non-inverting", "rc_highpass": "RC high-pass",
	"low_pass_rc": "RC low-pass", "rlc_bandpass": "RLC band-pass",
	"opamp_inverting": "inverting op-amp", "wien_bridge": "Wien bridge",
	"low_pass": "low-pass", "high_pass": "high-pass", "l": "L", "tee": "T",
	"generic": "any manufacturer", "jlcpcb": "JLCPCB", "pcbway": "PCBWay", "oshpark": "OSH Park",

	// Statistics, money and units.
	"chi2": "χ²", "f": "F", "two_sided": "two-sided", "wilson": "Wilson", "wald": "Wald",
	"agresti_coull": "Agresti-Coull", "clopper_pearson": "Clopper-Pearson",
	"actual_360": "actual/360", "actual_365": "actual/365", "us": "µs",
	"half_up": "half up", "half_even": "half to even",
}

// choiceText returns the text that the page shows for a choice.
func choiceText(value string) string {
	if text, ok := choiceTexts[value]; ok {
		return text
	}
	return strings.ReplaceAll(value, "_", " ")
}
