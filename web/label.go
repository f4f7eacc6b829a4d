package web

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"slipstick/tools"
	"slipstick/tools/schema"
)

// isInUnit reports whether a label contains the unit of its field, such as "Wavelength (cm)". Such
// a label distinguishes values of one quantity, so the value is shown without an SI prefix.
func isInUnit(label, unit string) bool {
	return unit != "" && strings.HasSuffix(label, " ("+unit+")")
}

// names maps the API's names to those on the page. Fields map to their labels, enum values to the
// texts of their options, and tools to their titles.
type names map[string]string

func namesOf(c *tools.Catalog, e *tools.Entry) names {
	n := names{}
	for _, x := range c.All() {
		if strings.Contains(x.Name, "_") {
			n[x.Name] = "“" + x.Title + "”"
		}
	}
	n.add(e.Output)
	n.add(e.Input)
	return n
}

// add adds the names in a node and its nested nodes. Names in the node itself replace equal names
// in nested nodes.
func (n names) add(node *schema.Node) {
	if node == nil {
		return
	}
	n.add(node.Elem)
	for _, f := range node.Fields {
		n.add(&f.Node)
	}
	for _, value := range node.Enum {
		// A word without digits may be part of a sentence, so only its spelling changes: hata
		// becomes Hata.
		isSpelling := len(value) > 2 && (strings.ContainsAny(value, "0123456789") ||
			strings.EqualFold(value, joints.Replace(choiceText(value))))
		if strings.Contains(value, "_") || isSpelling {
			n[value] = choiceText(value)
		}
	}
	for _, f := range node.Fields {
		if strings.Contains(f.Name, "_") {
			n[f.Name] = "“" + f.Label + "”"
		}
	}
}

var joints = strings.NewReplacer(" ", "", "-", "")

// wordInText matches a word that may be the name of a field, an enum value or a tool.
var wordInText = regexp.MustCompile(`\b[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)*\b`)

// in replaces the API's names in a text with the names on the page.
func (n names) in(text string) string {
	return wordInText.ReplaceAllStringFunc(text, func(word string) string {
		if name, ok := n[word]; ok {
			return name
		}
		return word
	})
}

func (n names) inAll(texts []string) []string {
	list := make([]string, len(texts))
	for i, text := range texts {
		list[i] = n.in(text)
	}
	return list
}

// inFields replaces the API's names in the documentation of fields.
func (n names) inFields(fields []Field) {
	for i := range fields {
		fields[i].Doc, fields[i].Note = n.in(fields[i].Doc), n.in(fields[i].Note)
		n.inFields(fields[i].Fields)
	}
}

// nameInText matches a field name of several words, which does not occur in prose by chance.
var nameInText = regexp.MustCompile(`\b[a-z][a-z0-9]*(_[a-z0-9]+)+\b`)

// helpLine returns the documentation of a field for the line below its control. It replaces field
// names with labels, and enum values with the texts of their options. It returns "" if the
// documentation only repeats the label. result.js applies the same rule to messages of the server.
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

// alternative introduces the fields that may replace a field, at the end of its documentation.
const alternative = "; alternative to "

// withoutAliases removes the aliases of a field from the alternatives at the end of its
// documentation because the form does not contain them.
func withoutAliases(f *schema.Field, siblings []*schema.Field) string {
	head, tail, ok := strings.Cut(f.Doc, alternative)
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
	return head + alternative + strings.Join(names, " or ")
}

// beyondLabel removes a label and the punctuation after it from the beginning of a field's
// documentation. It capitalizes the rest, unless the rest begins with a field name or an enum
// value.
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
