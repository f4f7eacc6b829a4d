package mcp

import (
	"encoding/json"
	"strings"

	"slipstick/internal/rawjson"
	"slipstick/internal/text"
	"slipstick/tools"
)

// maxCorrected is the maximum size in bytes of a corrected input in an error text.
const maxCorrected = 2000

// correctedCall returns the last part of an error text: the changes and a corrected call. If no
// correction is known, it returns the first example of the tool and says so. A call that lacks
// values of the caller has another title, because it has another meaning. correctedCall returns ""
// if the call exceeds maxCorrected.
func correctedCall(e *tools.Entry, wrong *tools.InputError) string {
	title, arguments := "Corrected call", wrong.Corrected
	switch {
	case arguments == nil:
		title, arguments = "An example of a valid call", json.RawMessage(compact(e.Examples[0].In))
	case len(wrong.Assumed)+len(wrong.Omitted) > 0:
		title = "A valid call with your values"
	case len(wrong.LeftOut) > 0:
		title = "A valid call without the unknown fields"
	}
	if len(arguments) > maxCorrected {
		return ""
	}
	call, err := rawjson.Marshal(struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}{e.Name, arguments})
	if err != nil {
		return ""
	}
	var b strings.Builder
	for _, sentence := range wrong.Advice() {
		b.WriteString("\n- " + text.Truncate(sentence, 300))
	}
	if b.Len() > 0 {
		title = "Changes:" + b.String() + "\n" + title
	}
	return "\n" + title + ": " + string(call)
}
