package power

import (
	"strings"

	"slipstick/tools"
)

// option is one of several fields of which exactly one must be given.
type option struct {
	name  string
	given bool
}

// exactlyOne faults none and several. The fault stands at the first field that is there, or
// at the first of the group, and names all of them.
func exactlyOne(f *tools.FieldErrors, options ...option) {
	count, at := 0, options[0].name
	for _, o := range options {
		if o.given {
			if count++; count == 1 {
				at = o.name
			}
		}
	}
	if count == 1 {
		return
	}
	names := make([]string, len(options))
	for i, o := range options {
		names[i] = o.name
	}
	all := strings.Join(names, ", ")
	if count == 0 {
		f.Add(at, "is missing: give exactly one of %s", all)
		return
	}
	var given []string
	for _, o := range options {
		if o.given {
			given = append(given, o.name)
		}
	}
	f.Add(at, "give exactly one of %s; %s were given", all, strings.Join(given, " and "))
}

// ignored warns of a field that has no meaning in the chosen mode.
func ignored(w *tools.Warnings, name, why string) {
	w.Warn("%s was ignored: %s", name, why)
}

// orElse is the value of an optional field, or its default.
func orElse(v *float64, otherwise float64) float64 {
	if v != nil {
		return *v
	}
	return otherwise
}
