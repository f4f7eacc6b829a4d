package catalog

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"slipstick/tools/schema"
)

// longestLabel is the number of characters that fit on one line of a form.
const longestLabel = 40

// lowerCase are the words in lower case with which a label may begin.
var lowerCase = []string{
	"mAh", "dRAID", "a", "b", "c", "x", "y", "x1", "y1", "x2", "y2", "x-intercept", "y-intercept",
	"p-value", "log10", "log2", "θJB",
}

// inUnit matches the unit at the end of a label. Such a unit distinguishes two fields of one
// quantity.
var inUnit = regexp.MustCompile(` \(([^()]+)\)$`)

// TestLabels verifies that every field of every tool, nested fields included, has a label in the
// style of a data sheet.
func TestLabels(t *testing.T) {
	for _, e := range mustCatalog(t).All() {
		checkLabels(t, e.Name+" input", e.Input)
		checkLabels(t, e.Name+" result", e.Output)
	}
}

func checkLabels(t *testing.T, path string, n *schema.Node) {
	t.Helper()
	switch n.Kind {
	case schema.Array, schema.Map:
		checkLabels(t, path, n.Elem)
		return
	case schema.Object:
	default:
		return
	}
	owner := map[string]string{}
	quantities := map[string]int{} // number of fields by label without the unit in parentheses
	for _, f := range n.Fields {
		quantities[inUnit.ReplaceAllString(f.Label, "")]++
	}
	for _, f := range n.Fields {
		at := path + "." + f.Name
		if other, taken := owner[f.Label]; taken {
			t.Errorf("%s and %s have the same label %q", at, other, f.Label)
		}
		owner[f.Label] = f.Name
		unit := f.Unit
		if f.Kind == schema.Array || f.Kind == schema.Map {
			unit = f.Elem.Unit
		}
		isShared := quantities[inUnit.ReplaceAllString(f.Label, "")] > 1
		for _, fault := range labelFaults(f.Label, unit, isShared) {
			t.Errorf("%s: the label %q %s", at, f.Label, fault)
		}
		checkLabels(t, at, &f.Node)
	}
}

// labelFaults returns the rules that a label breaks. shared is true if another field of the object
// is the same quantity in another unit.
func labelFaults(label, unit string, shared bool) (faults []string) {
	if label == "" {
		return []string{"is missing"}
	}
	if n := utf8.RuneCountInString(label); n > longestLabel {
		faults = append(faults, "is too long")
	}
	first, _ := utf8.DecodeRuneInString(label)
	word, _, _ := strings.Cut(label, " ")
	if !unicode.IsUpper(first) && !unicode.IsDigit(first) && !slices.Contains(lowerCase, word) {
		faults = append(faults, "begins with a lower-case letter")
	}
	last, _ := utf8.DecodeLastRuneInString(label)
	if strings.TrimSpace(label) != label || strings.ContainsRune(".,;:!?-", last) {
		faults = append(faults, "ends with punctuation or space")
	}
	bare := label
	if m := inUnit.FindStringSubmatch(label); m != nil && shared {
		bare = inUnit.ReplaceAllString(label, "")
		if unit != "" && m[1] != unit {
			bare = label
		}
	}
	for _, ending := range []string{"(" + unit + ")", "[" + unit + "]", " in " + unit} {
		if unit != "" && unit != "1" && strings.HasSuffix(bare, ending) {
			faults = append(faults, "repeats the unit "+unit)
		}
	}
	return faults
}

// TestLabelFaults verifies each rule of TestLabels with a label that breaks it.
func TestLabelFaults(t *testing.T) {
	for _, c := range []struct {
		label, unit string
		shared      bool
		faults      int
	}{
		{"Receiver sensitivity", "dBm", false, 0},
		{"R1 (VCC to DIS)", "Ω", false, 0},
		{"mAh", "mAh", false, 0},
		{"60 % clearance", "m", false, 0},
		{"Wavelength (cm)", "cm", true, 0},
		{"Wavelength (cm)", "cm", false, 1},
		{"Length in ft", "ft", true, 1},
		{"", "V", false, 1},
		{"supply voltage", "V", false, 1},
		{"Supply voltage.", "V", false, 1},
		{"Weakest signal the receiver is able to decode", "dBm", false, 1},
	} {
		if got := labelFaults(c.label, c.unit, c.shared); len(got) != c.faults {
			t.Errorf("%q in %q: %q", c.label, c.unit, got)
		}
	}
}
