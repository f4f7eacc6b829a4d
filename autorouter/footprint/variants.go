package footprint

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"slipstick/autorouter/board"
)

// pairSuffix matches suffixes of KiCad names with two lengths [mm], for example EP2.5x2.5MM and
// PAD1.15x1.40MM.
var pairSuffix = regexp.MustCompile(`^(EP|PAD)([\d.]+)X([\d.]+)MM$`)

// longPad is the pad width of a DIP with long pads. The body of a socket is wider than the row
// spacing by socketBody and longer than the body of the DIP by socketEnds. All lengths are in [mm].
// Source: KiCad's library Package_DIP, version 6.
const (
	longPad    = 2.4
	socketBody = 2.54
	socketEnds = 0.12
)

// adapt applies the suffixes of a name to the pattern f. They are the size of an exposed pad,
// longer lands or pads for hand soldering, or the body of a socket. It returns the reason if a
// suffix does not apply, or else "". The note of the pattern lists the remaining differences.
func adapt(e entry, f *board.Footprint, suffixes []string) string {
	var notes []string
	sized := false
	for _, s := range suffixes {
		m := pairSuffix.FindStringSubmatch(s)
		switch {
		case m != nil:
			w, errW := strconv.ParseFloat(m[2], 64)
			h, errH := strconv.ParseFloat(m[3], 64)
			if errW != nil || errH != nil || !within(w, minSize, maxExtent) ||
				!within(h, minSize, maxExtent) {
				return fmt.Sprintf("%s x %s mm is not a valid pad size", m[2], m[3])
			}
			if reason := resize(f, m[1] == "EP", board.MM(w), board.MM(h)); reason != "" {
				return reason
			}
			sized = sized || m[1] == "PAD"
		case s == "LONGPADS" && strings.HasPrefix(e.name, "DIP-"):
			for i := range f.Pads {
				p := &f.Pads[i]
				if p.Width = board.MM(longPad); p.Shape == board.Circle {
					p.Shape = board.Oval
				}
			}
		case s == "SOCKET" && strings.HasPrefix(e.name, "DIP-"):
			row := 2 * float64(-f.Pads[0].At.X) / 1e6
			f.Body = box(row+socketBody, board.ToMM(f.Body.Height())+socketEnds)
		case s == "THERMALVIAS":
			notes = append(notes,
				"the thermal vias are left out; the exposed pad is a land without holes")
		}
	}
	for _, s := range suffixes {
		if (s == "HANDSOLDER" || s == "HANDSOLDERING") && !sized {
			notes = append(notes, "the lands are those for reflow soldering")
		}
	}
	if f.Note != "" {
		notes = append(notes, f.Note)
	}
	f.Note = strings.Join(notes, "; ")
	*f = *finish(*f, true)
	return ""
}

// resize sets the size [nm] of the exposed pad or of the two lands of a chip. Lands grow only
// outwards, because the part determines the gap between them. resize returns the reason if the size
// does not apply, or else "".
func resize(f *board.Footprint, exposed bool, w, h int64) string {
	last := len(f.Pads) - 1
	switch {
	case exposed && f.Aliases["EP"] == "":
		return f.Name + " has no exposed pad"
	case exposed:
		f.Pads[last].Width, f.Pads[last].Height = w, h
		for _, p := range f.Pads[:last] {
			if Overlap(p, f.Pads[last]) {
				return fmt.Sprintf(
					"an exposed pad of %g x %g mm does not fit between the lands of %s",
					board.ToMM(w), board.ToMM(h), f.Name)
			}
		}
	case len(f.Pads) == 2 && !f.Tht:
		for i := range f.Pads {
			p := &f.Pads[i]
			p.At.X += sign(p.At.X) * (w - p.Width) / 2
			p.Width, p.Height = w, h
		}
	default:
		return f.Name + " has no lands whose size a name gives"
	}
	return ""
}

func sign(v int64) int64 {
	if v < 0 {
		return -1
	}
	return 1
}

// sized describes a kind of part whose KiCad name contains the lengths of its body and pads.
type sized struct {
	name *regexp.Regexp
	// make returns the footprint for an upper-case name and its submatches m. If it returns nil,
	// the string is the reason; without a reason, Find searches the library.
	make func(name string, m []string) (*board.Footprint, string)
}

var sizedParts = []sized{
	{regexp.MustCompile(`^R_AXIAL_(DIN\d+)_L([\d.]+)MM_D([\d.]+)MM_P([\d.]+)MM_HORIZONTAL$`),
		axialResistor},
	{regexp.MustCompile(`^C_DISC_D([\d.]+)MM_W([\d.]+)MM_P([\d.]+)MM$`), discCapacitor},
	{regexp.MustCompile(`^CP_RADIAL_D([\d.]+)MM_P([\d.]+)MM$`), radialCapacitor},
	{pinRowName, pinRow},
	{wireHeaderName, wireHeader},
}

// roomyBody is the largest amount [mm] by which the length and the width of a library pattern's
// body may exceed those of the name.
const roomyBody = 0.75

// findSized returns the pattern for an upper-case name with lengths. It prefers a library pattern
// with the same pads and a fitting body. It returns nil and "" for other names, and nil and a
// reason for invalid lengths.
func findSized(s string) (*board.Footprint, string) {
	for _, k := range sizedParts {
		m := k.name.FindStringSubmatch(s)
		if m == nil {
			continue
		}
		f, reason := k.make(s, m)
		if f == nil || len(f.Pads) != 2 || f.Aliases == nil {
			return f, reason
		}
		fits := func(room, body int64) bool {
			return room >= body && room <= body+board.MM(roomyBody)
		}
		pad := f.Pads[1]
		for _, w := range wired {
			same := strings.HasPrefix(w.name, wiredKind(s)) && board.MM(w.pitch) == 2*pad.At.X &&
				board.MM(w.pad) == pad.Width && board.MM(w.drill) == pad.Drill
			if same && fits(board.MM(w.bodyW), f.Body.Width()) &&
				fits(board.MM(w.body), f.Body.Height()) {
				return twoWire(w.name, w.pitch, w.pad, w.drill, w.bodyW, w.body, w.polarity), ""
			}
		}
		return f, ""
	}
	return nil, ""
}

// wiredKind returns the prefix that library names of the same kind of part have in common.
func wiredKind(s string) string {
	first, rest, _ := strings.Cut(s, "_")
	second, _, _ := strings.Cut(rest, "_")
	return first + "_" + second
}

// lengths parses numbers between 0.5 and 100 [mm]. The string describes why a number is invalid, or
// is "".
func lengths(words []string) ([]float64, string) {
	var out []float64
	for _, w := range words {
		v, err := strconv.ParseFloat(w, 64)
		if err != nil || !within(v, 0.5, 100) {
			return nil, w + " mm is no length of such a part"
		}
		out = append(out, v)
	}
	return out, ""
}

// kicadName converts an upper-case name to KiCad's spelling.
func kicadName(s string) string {
	return strings.NewReplacer("AXIAL", "Axial", "DISC", "Disc", "RADIAL", "Radial", "MM", "mm",
		"HORIZONTAL", "Horizontal").Replace(s)
}

// axialPads lists the pad and hole diameters [mm] of axial resistors by DIN size. Source: KiCad's
// library Resistor_THT, version 6.
var axialPads = map[string][2]float64{
	"DIN0204": {1.4, .7}, "DIN0207": {1.6, .8}, "DIN0309": {1.6, .8}, "DIN0411": {2.4, 1.2},
	"DIN0414": {2.4, 1.2}, "DIN0516": {2.4, 1.2},
	"DIN0614": {2.8, 1.4}, "DIN0617": {2.4, 1.2}, "DIN0918": {2.4, 1.2}, "DIN0922": {2.4, 1.2},
}

func axialResistor(name string, m []string) (*board.Footprint, string) {
	pad, ok := axialPads[m[1]]
	v, reason := lengths(m[2:])
	if !ok || reason != "" {
		return nil,
			cmp.Or(reason, "the sizes of axial resistors are DIN0204, 0207, 0309, 0411, 0414, "+
				"0516, 0614, 0617, 0918 and 0922")
	}
	if v[0] >= v[2] {
		return nil, fmt.Sprintf("a body of %g mm does not fit between holes %g mm apart",
			v[0], v[2])
	}
	if m[1] == "DIN0204" && v[2] == 7.62 {
		pad = [2]float64{1.6, .8} // same pads as R_AXIAL_P7.62
	}
	return twoWire(kicadName(name), v[2], pad[0], pad[1], v[0], v[1], unpolar), ""
}

// discCapacitor returns the footprint of a disc capacitor. m holds the submatches of the name:
// diameter, width and pitch [mm]. Source of the pads: KiCad's library Capacitor_THT, version 6.
func discCapacitor(name string, m []string) (*board.Footprint, string) {
	v, reason := lengths(m[1:])
	if reason != "" {
		return nil, reason
	}
	pad, drill := 1.6, .8
	switch {
	case v[0] == 12 && v[1] == 4.4:
		pad, drill = 2.4, 1.2
	case v[1] >= 5, v[0] == 7.5 && v[1] == 2.5:
		pad, drill = 2, 1
	}
	return twoWire(kicadName(name), v[2], pad, drill, v[0], v[1], unpolar), ""
}

// radialCapacitor returns the footprint of an upright electrolytic capacitor. m holds the
// submatches of the name: diameter and pitch [mm]. Source of the pads: KiCad's library
// Capacitor_THT, version 6.
func radialCapacitor(name string, m []string) (*board.Footprint, string) {
	v, reason := lengths(m[1:])
	if reason != "" {
		return nil, reason
	}
	d, pitch := v[0], v[1]
	if pitch >= d || d > 18 {
		return nil,
			fmt.Sprintf(
				"no radial capacitor of %g mm has its leads %g mm apart; the largest is 18 mm", d,
				pitch)
	}
	pad, drill := 1.6, .8
	switch {
	case d < 5:
		pad, drill = 1.2, .6
	case d >= 12:
		pad, drill = 2.4, 1.2
	case d >= 10 && pitch > 3:
		pad, drill = 2, 1
	}
	return twoWire(kicadName(name), pitch, pad, drill, d, d, plus), ""
}
