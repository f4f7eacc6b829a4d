package general

import (
	"strings"

	"slipstick/tools"
)

// given is an input field and whether the caller sent it.
type given struct {
	name string
	set  bool
}

// namesGiven lists the fields that were sent.
func namesGiven(fields ...given) []string {
	var names []string
	for _, f := range fields {
		if f.set {
			names = append(names, f.name)
		}
	}
	return names
}

// exactlyOne notes a fault at every field of a group of which one and only one must be sent.
func exactlyOne(f *tools.FieldErrors, group ...given) {
	count := 0
	for _, g := range group {
		if g.set {
			count++
		}
	}
	if count == 1 {
		return
	}
	all := make([]string, len(group))
	for i, g := range group {
		all[i] = g.name
	}
	sent := namesGiven(group...)
	switch {
	case len(sent) == 0:
		for _, name := range all {
			f.Add(name, "exactly one of %s is needed, none was given", strings.Join(all, ", "))
		}
	case len(sent) > 1:
		for _, name := range sent {
			f.Add(name, "exactly one of %s is needed, but %s were given", strings.Join(all, ", "), strings.Join(sent, " and "))
		}
	}
}

// warnIgnored warns of fields that were sent though they have no meaning in the chosen mode.
func warnIgnored(w *tools.Warnings, mode string, fields ...given) {
	for _, name := range namesGiven(fields...) {
		w.Warn("%s is ignored: it has no meaning for %s", name, mode)
	}
}

// deref is the value of an optional field, or the substitute for an absent one.
func deref[T any](p *T, absent T) T {
	if p == nil {
		return absent
	}
	return *p
}
