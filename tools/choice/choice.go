// Package choice checks groups of mutually exclusive inputs, such as a radius and a diameter.
package choice

import (
	"slices"
	"strings"

	"slipstick/tools"
)

// Field is an input of a group. Name may list the fields of one quantity in several units, such as
// "c_f/c_uf".
type Field struct {
	Name  string
	Given bool
}

// Of returns the Field for an input. given states whether the caller provided it.
func Of(name string, given bool) Field { return Field{name, given} }

// Or returns the value of an optional input, or its default.
func Or[T any](value *T, otherwise T) T {
	if value != nil {
		return *value
	}
	return otherwise
}

// ExactlyOne adds an error unless exactly one input of a group was given. The error refers to the
// first given input, or to the first input of the group.
func ExactlyOne(f *tools.FieldErrors, group ...Field) { Exactly(f, 1, group...) }

// ExactlyOneMarked is the variant of ExactlyOne that adds an error for every given input or, if
// none was given, for all inputs of the group.
func ExactlyOneMarked(f *tools.FieldErrors, group ...Field) {
	given := Names(group...)
	if len(given) == 1 {
		return
	}
	at := given
	if len(given) == 0 {
		at = AllNames(group...)
	}
	for _, name := range at {
		f.Add(name, "%s", problem("exactly one", group, given))
	}
}

// Exactly adds an error unless exactly n inputs of a group were given; n must be 1 or 2.
func Exactly(f *tools.FieldErrors, n int, group ...Field) {
	if given := Names(group...); len(given) < n {
		addAt(f, group, given, problem("exactly "+number(n), group, given))
	}
	AtMost(f, n, group...)
}

// AtMost adds an error if more than n inputs of a group were given; n must be 1 or 2.
func AtMost(f *tools.FieldErrors, n int, group ...Field) {
	if given := Names(group...); len(given) > n {
		addAt(f, group, given, problem("only "+number(n), group, given))
	}
}

// Names returns the names of the inputs that were given.
func Names(group ...Field) []string {
	return AllNames(slices.DeleteFunc(slices.Clone(group), func(c Field) bool {
		return !c.Given
	})...)
}

// Ignored adds a warning about given inputs that have no effect.
func Ignored(w *tools.Warnings, why string, fields ...Field) {
	for _, name := range Names(fields...) {
		w.Warn("%s was ignored: %s", name, why)
	}
}

// AllNames returns the names of all inputs of a group.
func AllNames(group ...Field) []string {
	var names []string
	for _, c := range group {
		names = append(names, c.Name)
	}
	return names
}

func addAt(f *tools.FieldErrors, group []Field, given []string, problem string) {
	at, _, _ := strings.Cut(append(given, group[0].Name)[0], "/")
	f.Add(at, "%s", problem)
}

// problem returns a text that states the requirement on a group and the inputs that were given.
func problem(need string, group []Field, given []string) string {
	have := "none was given"
	switch len(given) {
	case 0:
	case 1:
		have = given[0] + " was given"
	default:
		have = strings.Join(given, " and ") + " were given"
	}
	return "give " + need + " of " + strings.Join(AllNames(group...), ", ") + "; " + have
}

func number(n int) string {
	if n == 2 {
		return "two"
	}
	return "one"
}
