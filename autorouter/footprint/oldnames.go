package footprint

import (
	"regexp"
	"strings"
)

// oldNames maps upper-case names of the KiCad 4 and 5 libraries to KiCad 6 names. All rules apply
// in order.
var oldNames = []struct {
	from *regexp.Regexp
	to   string
}{
	{regexp.MustCompile(`_PITCH([\d.]+)MM`), "_P${1}MM"},
	{regexp.MustCompile(`^PIN_HEADER_STRAIGHT_(\dX\d\d)(?:_P2\.54MM)?(_.*)?$`),
		"PINHEADER_${1}_P2.54MM_VERTICAL${2}"},
	{regexp.MustCompile(`^PIN_HEADER_ANGLED_(\dX\d\d)(?:_P2\.54MM)?(_.*)?$`),
		"PINHEADER_${1}_P2.54MM_HORIZONTAL${2}"},
	{regexp.MustCompile(`^PIN_HEADER_STRAIGHT_(\dX\d\d_P[\d.]+MM)$`), "PINHEADER_${1}_VERTICAL"},
	{regexp.MustCompile(`^SOCKET_STRIP_STRAIGHT_(\dX\d\d)(?:_P2\.54MM)?$`),
		"PINSOCKET_${1}_P2.54MM_VERTICAL"},
	{regexp.MustCompile(`^SOCKET_STRIP_ANGLED_(\dX\d\d)(?:_P2\.54MM)?$`),
		"PINSOCKET_${1}_P2.54MM_HORIZONTAL"},
	{regexp.MustCompile(`^MOUNTINGHOLE_(\d)-(\d)MM`), "MOUNTINGHOLE_${1}.${2}MM"},
	{regexp.MustCompile(`^BORNIER(\d)$`), "TERMINALBLOCK_BORNIER-${1}_P5.08MM"},
	{regexp.MustCompile(`^RESISTOR_HORIZONTAL_RM7MM$`), "R_AXIAL_P7.62"},
	{regexp.MustCompile(`^RESISTOR_HORIZONTAL_RM10MM$`), "R_AXIAL"},
	{regexp.MustCompile(`^C_DISC_D3_P2\.5$`), "C_DISC_D3.0MM_W1.6MM_P2.50MM"},
	{regexp.MustCompile(`^DIP-(\d+)__300_ELL$`), "DIP-${1}_W7.62MM_LONGPADS"},
	{regexp.MustCompile(`^JST_(PH|XH)_([BS]\d+B-[A-Z-]+)_(\d\d)X(2\.[05]0)MM_ANGLED$`),
		"JST_${1}_${2}_1X${3}_P${4}MM_HORIZONTAL"},
	{regexp.MustCompile(`^JST_(PH|XH)_([BS]\d+B-[A-Z-]+)_(\d\d)X(2\.[05]0)MM_STRAIGHT$`),
		"JST_${1}_${2}_1X${3}_P${4}MM_VERTICAL"},
	{regexp.MustCompile(`^FIDUCIAL_0\.5MM_DIA_1MM_OUTER$`), "FIDUCIAL_0.5MM_MASK1MM"},
	{regexp.MustCompile(`^FIDUCIAL_1MM_DIA_2(?:\.0)?MM_OUTER$`), "FIDUCIAL_1MM_MASK2MM"},
	{regexp.MustCompile(`^IDC_HEADER_STRAIGHT_40PINS$`), "IDC-HEADER_2X20_P2.54MM_VERTICAL"},
	{regexp.MustCompile(`^POTENTIOMETER_TRIMMER_BOURNS_3296W$`), "POT_3296W"},
}

func renamed(s string) string {
	for _, r := range oldNames {
		s = r.from.ReplaceAllString(s, r.to)
	}
	return s
}

// solderNotes lists name suffixes that change only the lands, vias or silkscreen, with the note for
// each.
var solderNotes = []struct{ suffix, note string }{
	{"_THERMALVIAS", "the thermal vias are left out; the exposed pad is a land without holes"},
	{"_HANDSOLDERING", "the lands are those for reflow soldering"},
	{"_HANDSOLDER", "the lands are those for reflow soldering"},
	{"_NUMBERLABELS", "the numbers of the pads on the silkscreen are left out"},
}

// withoutSuffix removes a suffix listed in solderNotes from a name and returns the note of the
// suffix. It returns empty strings for a name without such a suffix.
func withoutSuffix(s string) (name, note string) {
	for _, n := range solderNotes {
		if base, ok := strings.CutSuffix(s, n.suffix); ok {
			return base, n.note
		}
	}
	return "", ""
}
