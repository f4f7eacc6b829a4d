package diag

import (
	"fmt"
	"slices"
	"strings"
)

// maxJoined is the largest number of errors that Join lists with their messages.
const maxJoined = 10

// Join returns the error with the smallest line number of errs, with the others in Also. Of several
// errors about one line, and of elements with the same message about their model, it keeps the
// first. It lists at most 10; a last error without a line then names the lines of the rest. Errors
// without a line follow those with a line. Join returns nil if errs is empty.
func Join(errs []*Error) *Error {
	var list []*Error
	lines, details := map[int]bool{}, map[string]bool{}
	for _, e := range errs {
		if e.Line > 0 && lines[e.Line] || e.Element != "" && details[e.Detail] {
			continue
		}
		lines[e.Line], details[e.Detail] = true, true
		list = append(list, e)
	}
	if len(list) == 0 {
		return nil
	}
	slices.SortStableFunc(list, func(a, b *Error) int {
		if a.Line == 0 || b.Line == 0 {
			return b.Line - a.Line
		}
		return a.Line - b.Line
	})
	if len(list) > maxJoined {
		rest := list[maxJoined:]
		list = append(list[:maxJoined:maxJoined], At(Syntax, 0, "%s", countOf(rest)))
	}
	first := *list[0]
	first.Also = list[1:]
	return &first
}

// All returns e without Also, followed by the errors of Also.
func (e *Error) All() []*Error {
	first := *e
	first.Also = nil
	return append([]*Error{&first}, e.Also...)
}

// countOf returns the message with the number and the lines of the errors that are not listed.
func countOf(rest []*Error) string {
	text := fmt.Sprintf("and %d more errors", len(rest))
	if len(rest) == 1 {
		text = "and 1 more error"
	}
	var lines []string
	for _, e := range rest {
		if len(lines) == maxJoined {
			lines = append(lines, "...")
			break
		}
		if e.Line > 0 {
			lines = append(lines, fmt.Sprint(e.Line))
		}
	}
	switch len(lines) {
	case 0:
		return text
	case 1:
		return text + ", in line " + lines[0]
	}
	return text + ", in lines " + strings.Join(lines, ", ")
}
