package rawjson

import (
	"encoding/json"
	"fmt"
	"testing"
)

// FuzzMembers compares the results of Members and Elements on compact JSON with the results of
// encoding/json.
func FuzzMembers(f *testing.F) {
	f.Add(`{"a":1.50,"b \"c\"":[1,{"x":"},"}],"":null,"é\u00e9":"\\"}`)
	f.Add(`[[],{},"a,b",-1e-7,true]`)
	f.Fuzz(func(t *testing.T, text string) {
		var object map[string]json.RawMessage
		var list []json.RawMessage
		raw, err := json.Marshal(json.RawMessage(text)) // compacts it
		if err != nil || len(raw) == 0 {
			return
		}
		if json.Unmarshal(raw, &object) == nil && object != nil {
			read := map[string]json.RawMessage{}
			Members(raw, func(name, value []byte) { read[string(name)] = value })
			if fmt.Sprint(read) != fmt.Sprint(object) {
				t.Fatalf("%s: %s, want %s", raw, read, object)
			}
		}
		if json.Unmarshal(raw, &list) == nil && list != nil {
			if got := Elements(raw); fmt.Sprint(got) != fmt.Sprint(list) && len(got)+len(list) > 0 {
				t.Fatalf("%s: %s, want %s", raw, got, list)
			}
		}
	})
}

// TestTwice verifies that only names of the object itself count, in any spelling.
func TestTwice(t *testing.T) {
	for raw, want := range map[string]string{
		`{"a": 1, "b": {"c": 1, "c": 2}}`: "", `{ "a": 1, "b": 2, "a": 3 }`: "a",
		`{"a":1,"\u0061":2}`: "a", `[1, 1]`: "", `{}`: "", `{"a"`: "", ``: "", `"a"`: "",
	} {
		if got := Twice([]byte(raw)); got != want {
			t.Errorf("%s: %q, want %q", raw, got, want)
		}
	}
}
