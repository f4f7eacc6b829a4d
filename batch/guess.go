package batch

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"slipstick/internal/rawjson"
	"slipstick/tools"
	"slipstick/tools/schema"
)

// Guessed returns the error of an unknown name in the base input that probably means a field, as a
// single call of the tool returns it. Its corrected input is the whole request. There is none if
// the guess changes a varied field, as "freq_unit": "GHz" does beside values of freq_mhz. Guessed
// returns nil if a single call with the base input and one valid value of each varied field makes
// no guess.
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
	isComplete := wrong.Corrected != nil && len(wrong.Assumed)+len(wrong.Omitted) == 0
	if _, err = tool.Canonical(raw); err != nil && !isComplete {
		return nil //nolint:nilerr // the runs have this error too
	}
	var pointers []string
	for _, v := range listOf(request["vary"]) {
		pointers = append(pointers, unquoted(rawjson.Object(v)["field"]))
	}
	guessed := &tools.InputError{
		Fields: slices.DeleteFunc(slices.Clone(wrong.Fields), func(f schema.FieldError) bool {
			return isVaried(f, pointers)
		}),
	}
	if len(guessed.Fields) == 0 {
		return nil
	}
	for i := range guessed.Fields {
		guessed.Fields[i].Path = "input." + guessed.Fields[i].Path
	}
	if !isComplete {
		return guessed
	}
	corrected := rawjson.Object(wrong.Corrected)
	for name, value := range varied {
		var a, b any
		if json.Unmarshal(value, &a) != nil || json.Unmarshal(corrected[name], &b) != nil ||
			!reflect.DeepEqual(a, b) {
			return guessed
		}
		if delete(corrected, name); input[name] != nil {
			corrected[name] = input[name]
		}
	}
	guessed.LeftOut = wrong.LeftOut
	for _, change := range wrong.Changes {
		guessed.Changes = append(guessed.Changes, "input."+change)
	}
	if request["input"], err = rawjson.Marshal(corrected); err == nil {
		guessed.Corrected, _ = rawjson.Marshal(request) // marshaling valid JSON cannot fail
	}
	return guessed
}

// samples returns a valid value for each field at the top of the input that a request varies.
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
			if value != nil && string(value) != "null" && f.Accepts(value) {
				varied[f.Name] = value
				break
			}
		}
	}
	if inputs := listOf(request["inputs"]); len(inputs) > 0 {
		first := rawjson.Object(inputs[0])
		// Another name or an invalid value is one of this run alone.
		maps.DeleteFunc(first, func(name string, value json.RawMessage) bool {
			f := tool.Input.Field(name)
			return f == nil || !f.Accepts(value)
		})
		maps.Copy(varied, first)
	}
	return varied
}
