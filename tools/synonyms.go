package tools

import "slices"

// synonym returns the only value of an enum that a word of the field's language means, or "".
func synonym(word string, enum []string) (value string) {
	for _, v := range synonyms[squeezed(word)] {
		if slices.Contains(enum, v) {
			if value != "" {
				return ""
			}
			value = v
		}
	}
	return value
}

// synonyms maps words, as squeezed returns them, to the values of enums with the same meaning.
var synonyms = map[string][]string{
	"cu": {"copper"}, "al": {"aluminum"}, "alu": {"aluminum"},
	"inner": {"internal"}, "inside": {"internal"}, "outer": {"external"}, "outside": {"external"},
	"top": {"external"}, "bottom": {"external"}, "surface": {"external"},

	"fcc": {"FCC_US", "US915"}, "us": {"FCC_US", "US915"}, "usa": {"FCC_US", "US915"},
	"us902928": {"US915"}, "us915": {"FCC_US"}, "fccus": {"US915"},
	"etsi": {"ETSI_EU", "EU868"}, "eu": {"ETSI_EU", "EU868"}, "europe": {"ETSI_EU", "EU868"},
	"eu863870": {"EU868"}, "au915928": {"AU915"},
	"eu868": {"ETSI_EU"}, "etsieu": {"EU868"}, "au915": {"ACMA_AU"}, "acmaau": {"AU915"},
	"acma": {"ACMA_AU", "AU915"}, "australia": {"ACMA_AU", "AU915"},
	"ised": {"IC_CA"}, "canada": {"IC_CA"}, "arib": {"JP"}, "japan": {"JP"},

	"1ph": {"single_phase"}, "1phase": {"single_phase"}, "1φ": {"single_phase"},
	"1": {"single_phase", "raid1"}, "3": {"three_phase"},
	"single": {"single_phase"}, "three": {"three_phase"},
	"3ph": {"three_phase"}, "3phase": {"three_phase"}, "3φ": {"three_phase"},

	"lfp": {"lifepo4", "lithium"}, "lifepo": {"lifepo4", "lithium"}, "lifepo4": {"lithium"},
	"lithiumironphosphate": {"lifepo4", "lithium"},
	"liion":                {"lithium"}, "lithiumion": {"li_ion", "lithium"},
	"lipo": {"li_ion", "lithium"},
	"sla":  {"lead_acid"}, "agm": {"lead_acid"}, "vrla": {"lead_acid"}, "gel": {"lead_acid"},
	"cr2032": {"lithium_coin"}, "coincell": {"lithium_coin"},
	"lithiumcoincell": {"lithium_coin"}, "nickelmetalhydride": {"nimh"},

	"hourly": {"hour"}, "daily": {"day"}, "weekly": {"week"}, "monthly": {"month"},
	"biweekly": {"biweek"}, "fortnight": {"biweek"}, "fortnightly": {"biweek"},
	"semimonthly": {"semimonth"}, "yearly": {"year"}, "annual": {"year"}, "annually": {"year"},

	"0": {"raid0"}, "5": {"raid5"}, "10": {"raid10"}, "50": {"raid50"}, "60": {"raid60"},
	"raid0": {"stripe"}, "raid1": {"mirror"}, "raid5": {"raidz1"}, "raid6": {"raidz2"},
	"raid1+0": {"raid10"}, "raidz": {"raidz1"}, "draid": {"draid1"}, "mirrored": {"mirror"},

	"oneshot": {"monostable"}, "freerunning": {"astable"},
	"gcpw": {"cpwg"}, "cbcpw": {"cpwg"}, "groundedcpw": {"cpwg"},
	"embeddedmicrostrip": {"embedded"}, "buriedmicrostrip": {"embedded"},
	"lp": {"low_pass"}, "lpf": {"low_pass"}, "hp": {"high_pass"}, "hpf": {"high_pass"},
	"difference": {"differential"}, "lnetwork": {"l"}, "pinetwork": {"pi"}, "π": {"pi"},
	"tnetwork": {"tee"}, "tsection": {"tee"},
	"montecarlo": {"random"}, "latinhypercube": {"lhs"}, "goalseek": {"solve"},
	"transient": {"tran"}, "operatingpoint": {"op"}, "sparameters": {"sp"}, "polezero": {"pz"},

	"4": {"ipv4"}, "6": {"ipv6", "raid6"}, "v4": {"ipv4"}, "v6": {"ipv6"},
	"friis": {"free_space"}, "okumurahata": {"hata"}, "cost231hata": {"cost231"},
	"twotailed": {"two_sided"}, "2": {"two_sided"}, "lefttailed": {"left"}, "righttailed": {"right"},
	"greater": {"right"}, "larger": {"right"}, "upper": {"right"}, "less": {"left"},
	"smaller": {"left"}, "lower": {"left"}, "notequal": {"two_sided"}, "≠": {"two_sided"},
	">": {"right"}, "<": {"left"},
	"normal": {"z"}, "gaussian": {"z"}, "studentt": {"t"}, "chisquare": {"chi2"},
	"chisquared": {"chi2"}, "wilsonscore": {"wilson"},
	"petrol": {"gasoline"}, "lpg": {"propane"}, "romex": {"nm_b"}, "rigid": {"rmc"},
	"naturalconvection": {"natural"}, "forcedconvection": {"forced"}, "forcedair": {"forced"},
	"feet": {"ft"}, "foot": {"ft"}, "inch": {"in"}, "inches": {"in"}, "yards": {"yd"},
	"meter": {"m"}, "meters": {"m"}, "metres": {"m"}, "centimeters": {"cm"},
	"seconds": {"s"}, "milliseconds": {"ms"}, "microseconds": {"us"}, "nanoseconds": {"ns"},
}
