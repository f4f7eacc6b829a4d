package general

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"slipstick/tools"
)

// hostile values replace, one at a time, every field of every tool.
var hostile = []string{
	`null`, `true`, `""`, `"x"`, `"e"`, `"1/3"`, `"0"`, `"-0.00"`, `"1e9999"`, `"-1e-9999"`, `" 1"`,
	`"0x"`, `[]`, `[1]`, `[1,2]`, `["1e9999","1e-9999"]`, `[{}]`, `{}`,
	`0`, `-0`, `1`, `-1`, `2`, `0.5`, `-0.5`, `3`, `1e-300`, `5e-324`, `-5e-324`, `1e300`, `-1e300`,
	`1.7976931348623157e308`, `-1.7976931348623157e308`, `9007199254740992`, `9007199254740993`,
	`1.0000000000000002`, `0.9999999999999999`, `1e9999`, `1e-9999`, `1000000`,
	`99999999999999999999999999999999`,
}

// TestHostileInputs verifies that a tool returns a result or an input error within a second for any
// value of a field.
func TestHostileInputs(t *testing.T) {
	for _, tool := range Category().Tools {
		for _, example := range tool.Examples {
			var in map[string]json.RawMessage
			if err := json.Unmarshal([]byte(example.In), &in); err != nil {
				t.Fatal(err)
			}
			for _, field := range tool.Input.Fields {
				original, had := in[field.Name]
				values := hostile
				for _, word := range field.Enum {
					values = append(values[:len(values):len(values)], `"`+word+`"`)
				}
				for _, value := range values {
					in[field.Name] = json.RawMessage(value)
					body, err := json.Marshal(in)
					if err != nil {
						t.Fatal(err)
					}
					start := time.Now()
					err = run(tool, body)
					if err != nil && (tools.AsInputError(err) == nil ||
						strings.TrimSpace(err.Error()) == "") {
						t.Errorf("%s %s: %v", tool.Name, body, err)
					}
					if took := time.Since(start); took > time.Second {
						t.Errorf("%s %s took %v", tool.Name, body, took)
					}
					if _, err := tool.Canonical(body); err != nil &&
						tools.AsInputError(err) == nil {
						t.Errorf("%s %s: canonical form: %v", tool.Name, body, err)
					}
				}
				if delete(in, field.Name); had {
					in[field.Name] = original
				}
			}
		}
	}
}

// run converts a panic to an error.
func run(tool *tools.Tool, body []byte) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	_, err = tool.Run(context.Background(), body)
	return err
}

// TestCanonicalIsAFixedPoint verifies that the canonical form of an input is its own canonical form
// and has the same result.
func TestCanonicalIsAFixedPoint(t *testing.T) {
	for _, tool := range Category().Tools {
		for _, example := range tool.Examples {
			once, err := tool.Canonical([]byte(example.In))
			if err != nil {
				t.Fatalf("%s: %v", tool.Name, err)
			}
			twice, err := tool.Canonical(once)
			if err != nil || string(twice) != string(once) {
				t.Errorf("%s: %s becomes %s, %v", tool.Name, once, twice, err)
			}
			a, errA := tool.Run(context.Background(), []byte(example.In))
			b, errB := tool.Run(context.Background(), once)
			if errA != nil || errB != nil || string(a) != string(b) {
				t.Errorf("%s: %s gives %s, its canonical form %s gives %s (%v, %v)", tool.Name,
					example.In, a, once, b, errA, errB)
			}
		}
	}
}
