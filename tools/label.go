package tools

import (
	"strings"
	"unicode"
)

// LabelError returns the detail of the error of a label that a client chooses, or "". Control
// characters, line separators and direction marks could disguise a label. The joiners of emoji are
// valid.
func LabelError(label string) string {
	if !strings.ContainsFunc(label, func(r rune) bool {
		return unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp, unicode.Bidi_Control)
	}) {
		return ""
	}
	return "must hold no control characters, line breaks or marks that turn the direction of writing"
}
