package device

import (
	"slices"

	"slipstick/spice/netlist"
)

// chargeParams holds the model parameters on which only charges and noise depend, by element kind.
var chargeParams = map[byte][]string{
	'd': {"cjo", "cj0", "tt", "fc", "kf", "af"},
	'm': {"cbd", "cbs", "cgso", "cgdo", "cgbo", "cj", "mj", "cjsw", "mjsw", "fc", "kf", "af"},
	'q': {"cje", "vje", "pe", "mje", "me", "tf", "xtf", "vtf", "itf", "ptf", "cjc", "vjc", "pc",
		"mjc", "mc", "xcjc", "tr", "cjs", "ccs", "vjs", "ps", "mjs", "ms", "fc", "qco", "kf", "af"},
}

// OnlyCharges reports whether the DC equations of an element do not depend on a parameter of its
// model. A false result does not prove that they depend on it.
func OnlyCharges(e *netlist.Element, parameter string) bool {
	return e.Model.Type != "vdmos" && slices.Contains(chargeParams[e.Kind], parameter)
}
