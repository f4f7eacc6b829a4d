package board

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// WiringRef is the reference of the part whose pads are the kept tracks and vias of a design. These
// pads have no numbers.
const WiringRef = "wiring"

// Class letters of reference designators. C, D, Q, U and Y are from IEEE 315 and ASME Y14.44, T
// from IEC 81346-2 and DIN. The others are common in public KiCad and EAGLE projects.
var (
	capacitorClass     = []string{"C"}
	icClass            = []string{"U", "IC"}
	crystalClass       = []string{"Y", "XTAL"}
	semiconductorClass = []string{"U", "IC", "Q", "T", "D", "VR", "REG"}
	regulatorClass     = []string{"U", "IC", "VR", "REG"}
	inductorClass      = []string{"L", "FB", "FL"}
	// unpoweredClass has parts that need no bypass capacitor: connectors, switches, relays,
	// transistors, resistors, inductors and the like.
	unpoweredClass = []string{"J", "P", "CN", "CON", "CONN", "X", "XS", "H", "HDR", "JP", "SJ", "S",
		"SW", "K", "RL", "Q", "T", "TR", "R", "RN", "RV", "VR", "REG", "POT", "C", "L", "FB", "FL",
		"F", "TP", "BT", "Y", "XTAL"}
	// maybeCrystalClass has class letters that crystals share with connectors and transistors.
	maybeCrystalClass = []string{"X", "XT", "Q", "QZ"}
)

// crystalText matches the value or the footprint of a crystal or a ceramic resonator.
var crystalText = regexp.MustCompile(
	`(?i)crystal|xtal|quar[tz]z?|resonator|hc-?(18|49)|^[0-9.,]+ ?[mk](hz)?[0-9]*$`)

// hasClass reports whether the letters before the number of a reference designator are one of the
// classes, which are upper-case.
func hasClass(ref string, classes []string) bool {
	letters := 0
	for letters < len(ref) && unicode.IsLetter(rune(ref[letters])) {
		letters++
	}
	return slices.Contains(classes, strings.ToUpper(ref[:letters]))
}

// IsCapacitor reports whether the reference designator has the class letter of capacitors.
func (c *Component) IsCapacitor() bool { return hasClass(c.Ref, capacitorClass) }

// IsIC reports whether the reference designator has the class letter of integrated circuits.
func (c *Component) IsIC() bool { return hasClass(c.Ref, icClass) }

// MayRegulate reports whether voltage regulators have the class letter of the reference designator.
func (c *Component) MayRegulate() bool { return hasClass(c.Ref, regulatorClass) }

// MayBePowered reports whether a part may need a bypass capacitor although it is no integrated
// circuit by its class letter. Examples are a diode D with a controller, a module and a microphone.
func (c *Component) MayBePowered() bool { return !hasClass(c.Ref, unpoweredClass) }

// JoinsAll reports whether copper may join any two nets of a part. Chokes do so by their class
// letter, net ties and solder jumpers by the name of the footprint.
func (c *Component) JoinsAll() bool {
	return hasClass(c.Ref, inductorClass) ||
		c.Footprint != nil && netTieName.MatchString(c.Footprint.Name)
}

// Ties reports whether the copper of a net tie joins two pads of the part.
func (c *Component) Ties(a, b string) bool {
	return c.Footprint != nil &&
		slices.Contains(c.Footprint.Ties, [2]string{min(a, b), max(a, b)})
}

// IsSemiconductor reports whether the reference designator has the class letter of integrated
// circuits, transistors or diodes. T is also the letter of transformers, which the names of their
// footprints in KiCad's libraries Transformer_SMD and Transformer_THT tell apart.
func (c *Component) IsSemiconductor() bool {
	return hasClass(c.Ref, semiconductorClass) &&
		(c.Footprint == nil || !transformerName.MatchString(c.Footprint.Name))
}

// IsCrystal reports whether the reference designator has the class letter of crystals. With a class
// letter that other parts have too, the value or the footprint must state a crystal.
func (c *Component) IsCrystal() bool {
	if hasClass(c.Ref, crystalClass) {
		return true
	}
	return hasClass(c.Ref, maybeCrystalClass) && (crystalText.MatchString(c.Value) ||
		c.Footprint != nil && crystalText.MatchString(c.Footprint.Name))
}

// Patterns of footprints as in KiCad's libraries MountingHole, Fiducial, NetTie, Jumper and
// Transformer_SMD.
var (
	netTieName       = regexp.MustCompile(`(?i)(^|:)(net.?tie|solder.?jumper)`)
	mountingHoleName = regexp.MustCompile(`(?i)(^|:)mounting.?hole`)
	fiducialName     = regexp.MustCompile(`(?i)(^|:)fiducial`)
	transformerName  = regexp.MustCompile(`(?i)(^|:)transformer`)
)

// IsFiducial reports whether a part is a fiducial by the name of its footprint.
func (c *Component) IsFiducial() bool {
	return c.Footprint != nil && fiducialName.MatchString(c.Footprint.Name)
}

// IsMountingHole reports whether a part is a mounting hole by the name of its footprint.
func (c *Component) IsMountingHole() bool {
	return c.Footprint != nil && mountingHoleName.MatchString(c.Footprint.Name)
}
