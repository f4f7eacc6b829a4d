package web

import (
	"regexp"
	"slices"
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
	doc := beyondLabel(f.Label, withoutAliases(f, siblings))
	return nameInText.ReplaceAllStringFunc(doc, func(name string) string {
		for _, s := range siblings {
			if s.Name == name {
				return "“" + s.Label + "”"
			}
		}
		return name
	})
}

// withoutAliases is the documentation of a field without the fields that hold the same quantity in
// another unit, which the form does not have, among the alternatives that it ends with.
func withoutAliases(f *schema.Field, siblings []*schema.Field) string {
	head, tail, ok := strings.Cut(f.Doc, ". Or ")
	if !ok {
		return f.Doc
	}
	names := strings.Split(strings.ReplaceAll(tail, " or ", ", "), ", ")
	for _, s := range siblings {
		if s.Alias != "" && (s.Alias == f.Name || slices.Contains(names, s.Alias)) {
			names = slices.DeleteFunc(names, func(name string) bool { return name == s.Name })
		}
	}
	if len(names) == 0 {
		return head
	}
	return head + ". Or " + strings.Join(names, " or ")
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
	if word, _, _ := strings.Cut(rest, " "); word != "default:" && strings.ContainsAny(word, "_:") {
		return rest // the name of a field or of a choice
	}
	if rest == "" {
		return ""
	}
	first, size := utf8.DecodeRuneInString(rest)
	return string(unicode.ToUpper(first)) + rest[size:]
}
