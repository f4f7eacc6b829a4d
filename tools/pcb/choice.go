package pcb

import (
	"strings"

	"slipstick/tools"
)

// choice is one of several inputs that exclude each other, or of which a certain number is
// needed. An input may itself be spelled in several units: names lists all its fields.
type choice struct {
	names string
	given bool
}

// exactly faults a group of which not exactly n inputs were given. The fault stands at the
// first field that is there, or at the first of the group, and names the whole group.
func exactly(f *tools.FieldErrors, n int, group ...choice) {
	if sent := sentOf(group); len(sent) < n {
		faultAt(f, group, sent, "give exactly "+count(n)+" of "+allOf(group))
	}
	atMost(f, n, group...)
}

// atMost faults a group of which more than n inputs were given.
func atMost(f *tools.FieldErrors, n int, group ...choice) {
	if sent := sentOf(group); len(sent) > n {
		faultAt(f, group, sent, "give only "+count(n)+" of "+allOf(group))
	}
}

func faultAt(f *tools.FieldErrors, group []choice, sent []string, need string) {
	at, _, _ := strings.Cut(group[0].names, "/")
	if len(sent) == 0 {
		f.Add(at, "%s; none was given", need)
		return
	}
	at, _, _ = strings.Cut(sent[0], "/")
	verb := "was"
	if len(sent) > 1 {
		verb = "were"
	}
	f.Add(at, "%s; %s %s given", need, strings.Join(sent, " and "), verb)
}

func sentOf(group []choice) []string {
	var sent []string
	for _, c := range group {
		if c.given {
			sent = append(sent, c.names)
		}
	}
	return sent
}

func allOf(group []choice) string {
	all := make([]string, len(group))
	for i, c := range group {
		all[i] = c.names
	}
	return strings.Join(all, ", ")
}

func count(n int) string {
	if n == 2 {
		return "two"
	}
	return "one"
}

// ignored warns of fields that were given and have no meaning in the chosen mode.
func ignored(w *tools.Warnings, why string, fields ...choice) {
	for _, name := range sentOf(fields) {
		w.Warn("%s was ignored: %s", name, why)
	}
}

// orElse is the value of an optional field, or its default.
func orElse(v *float64, otherwise float64) float64 {
	if v != nil {
		return *v
	}
	return otherwise
}
