package mcp

import (
	"encoding/json"

	"slipstick/internal/rawjson"
	"slipstick/tools"
)

// maxCorrected is the largest corrected input, in bytes, that an error repeats.
const maxCorrected = 2000

// correctedCall returns the end of the text of an error: the probable intention of the call, or a
// valid call of the tool. It is empty if the call is too long.
func correctedCall(e *tools.Entry, wrong *tools.InputError) string {
	title, arguments := "Corrected call", wrong.Corrected
	if arguments == nil {
		title, arguments = "A valid call", json.RawMessage(compact(e.Examples[0].In))
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
	return "\n" + title + ": " + string(call)
}
