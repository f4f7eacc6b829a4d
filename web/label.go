package web

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"slipstick/tools/schema"
)

// isInUnit reports whether a label contains the unit of its field: "Wavelength (cm)". Such a label
// distinguishes values of one quantity, so the value is shown without another prefix.
func isInUnit(label, unit string) bool {
	return unit != "" && strings.HasSuffix(label, " ("+unit+")")
}

// nameInText matches a field name of several words, which does not occur in prose by chance.
var nameInText = regexp.MustCompile(`\b[a-z][a-z0-9]*(_[a-z0-9]+)+\b`)

// helpLine returns the documentation of a field for the line below its control. It replaces field
// names by labels and enum values by the texts of their options. It returns "" if the documentation
// only repeats the label. tool.js applies the same rule to messages of the server.
func helpLine(f *schema.Field, siblings []*schema.Field) string {
	doc := beyondLabel(f.Label, withoutAliases(f, siblings))
	return nameInText.ReplaceAllStringFunc(doc, func(name string) string {
		for _, s := range siblings {
			if s.Name == name {
				return "“" + s.Label + "”"
			}
			if slices.Contains(s.Enum, name) {
				return choiceText(name)
			}
		}
		return name
	})
}

// withoutAliases removes the aliases of a field from the alternatives at the end of its
// documentation because the form does not contain them.
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

// beyondLabel returns the documentation without a leading label.
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
		return rest // names and enum values remain in lower case
	}
	if rest == "" {
		return ""
	}
	first, size := utf8.DecodeRuneInString(rest)
	return string(unicode.ToUpper(first)) + rest[size:]
}
