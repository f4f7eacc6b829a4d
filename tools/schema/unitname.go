package schema

import (
	"slices"
	"strings"
)

// asciiUnits writes units as names of fields do.
var asciiUnits = strings.NewReplacer(
	"°", "", "Ω", "ohm", "µ", "u", "%", "pct", "·", "", "²", "2", "³", "3", "/", "_per_")

// NameHasUnit reports whether the name of a field says its unit, as freq_mhz says MHz.
func NameHasUnit(name, unit string) bool {
	unit = strings.ToLower(asciiUnits.Replace(unit))
	return slices.Contains(strings.Split(name, "_"), unit) || strings.HasSuffix(name, "_"+unit)
}
