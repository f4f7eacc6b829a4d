package batch

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"slipstick/internal/rawjson"
	"slipstick/tools"
)

// Guessed returns the error of an unknown name in the base input that probably means a field, as a
// single call of the tool returns it. Its corrected input is the whole request. Guessed returns nil
// if a single call with the base input and one value of each varied field makes no guess.
func Guessed(tool *tools.Tool, body []byte) error {
	request := rawjson.Object(body)
	input := rawjson.Object(request["input"])
	if len(input) == 0 {
		return nil
	}
	varied := samples(tool, request)
	one := maps.Clone(input)
	maps.Copy(one, varied)
	raw, err := rawjson.Marshal(one)
	if err != nil {
		return nil //nolint:nilerr // Parse returns the error
	}
	_, _, err = tool.Interpreted(raw)
	wrong := tools.AsInputError(err)
	if wrong == nil {
		return nil
	}
	_, err = tool.Canonical(raw)
	isOther := wrong.Corrected == nil || len(wrong.Assumed)+len(wrong.Omitted) > 0
	if isOther && err != nil { // an error that the runs have too
		return nil
	}
	guessed := &tools.InputError{
		Fields: slices.Clone(wrong.Fields), Changes: slices.Clone(wrong.Changes),
		LeftOut: wrong.LeftOut,
	}
	for i := range guessed.Fields {
		guessed.Fields[i].Path = "input." + guessed.Fields[i].Path
	}
	for i, change := range guessed.Changes {
		guessed.Changes[i] = "input." + change
	}
	if isOther {
		return guessed
	}
	corrected := rawjson.Object(wrong.Corrected)
	for name := range varied {
		if delete(corrected, name); input[name] != nil {
			corrected[name] = input[name]
		}
	}
	if request["input"], err = rawjson.Marshal(corrected); err == nil {
		guessed.Corrected, _ = rawjson.Marshal(request) // marshaling valid JSON cannot fail
	}
	return guessed
}

// samples returns a value for each field at the top of the input that a request varies.
func samples(tool *tools.Tool, request map[string]json.RawMessage) map[string]json.RawMessage {
	varied := map[string]json.RawMessage{}
	for _, raw := range listOf(request["vary"]) {
		v := rawjson.Object(raw)
		f := tool.Input.Field(strings.TrimPrefix(unquoted(v["field"]), "/"))
		if f == nil {
			continue
		}
		list := listOf(v["values"])
		for _, name := range variedNumbers {
			list = append(list, v[name])
		}
		for _, value := range append(list, f.Example) {
			if value != nil && string(value) != "null" {
				varied[f.Name] = value
				break
			}
		}
	}
	if inputs := listOf(request["inputs"]); len(inputs) > 0 {
		maps.Copy(varied, rawjson.Object(inputs[0]))
	}
	return varied
}
