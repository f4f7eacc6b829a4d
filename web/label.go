package web

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"slipstick/tools/schema"
)

// isInUnit reports whether a label names the unit of its field, which tells the value from the same
// one in other units: "Wavelength (cm)". Such a value is shown with no other prefix.
func isInUnit(label, unit string) bool {
	return unit != "" && strings.HasSuffix(label, " ("+unit+")")
}

// nameInText is a name of several words, which no prose contains by chance.
var nameInText = regexp.MustCompile(`\b[a-z][a-z0-9]*(_[a-z0-9]+)+\b`)

// helpLine is the documentation of a field below its control: with the labels of the other fields
// in place of their names, and empty when it only repeats the label. tool.js replaces the names in
// messages of the server in the same way.
func helpLine(f *schema.Field, siblings []*schema.Field) string {
	return nameInText.ReplaceAllStringFunc(beyondLabel(f.Label, f.Doc), func(name string) string {
		for _, s := range siblings {
			if s.Name == name {
				return "“" + s.Label + "”"
			}
		}
		return name
	})
}

// beyondLabel is the documentation without the label where it begins with that.
func beyondLabel(label, doc string) string {
	n := len(label)
	if len(doc) < n || !strings.EqualFold(doc[:n], label) {
		return doc
	}
	if len(doc) > n && !strings.ContainsRune(",;:.", rune(doc[n])) {
		return doc
	}
	rest := strings.TrimLeft(doc[n:], " ,;:.")
	if word, _, _ := strings.Cut(rest, " "); strings.ContainsAny(word, "_:") {
		return rest // the name of a field or of a choice
	}
	if rest == "" {
		return ""
	}
	first, size := utf8.DecodeRuneInString(rest)
	return string(unicode.ToUpper(first)) + rest[size:]
}
