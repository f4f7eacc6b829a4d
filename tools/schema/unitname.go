package schema

import (
	"slices"
	"strings"
)

// asciiUnits converts units to the form used in field names.
var asciiUnits = strings.NewReplacer(
	"°", "", "Ω", "ohm", "µ", "u", "%", "pct", "·", "", "²", "2", "³", "3", "/", "_per_")

// NameHasUnit reports whether the name of a field contains its unit, as freq_mhz contains MHz.
func NameHasUnit(name, unit string) bool {
	unit = strings.ToLower(asciiUnits.Replace(unit))
	return slices.Contains(strings.Split(name, "_"), unit) || strings.HasSuffix(name, "_"+unit)
}

// unitWords maps units to the words that denote them in names.
var unitWords = map[string]string{
	"W": "watts", "A": "amps", "V": "voltage", "h": "hours", "d": "days", "week": "weeks",
	"month": "months",
	"yr":    "years", "year": "years", "Mbit/s": "mbps", "bit/s": "bps", "bit": "bits",
	"B": "bytes", "°": "deg",
	"%": "percent", "U": "units",
}

// unitSuffix converts a unit to the suffix of a name.
var unitSuffix = strings.NewReplacer("/", "_", "²", "2", "³", "3", "·", "", "(", "", ")", "", "µ",
	"u")

// NameImpliesUnit reports whether the name of a field makes its unit clear. It accepts names that
// NameHasUnit accepts, and others such as airflow_m3_h, runtime_hours or battery_voltage.
func NameImpliesUnit(name, unit string) bool {
	return NameHasUnit(name, unit) ||
		strings.HasSuffix(name, "_"+unitSuffix.Replace(strings.ToLower(unit))) ||
		slices.Contains(strings.Split(name, "_"), unitWords[unit])
}
