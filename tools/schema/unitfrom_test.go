package schema

import "testing"

func TestUnitFrom(t *testing.T) {
	type out struct {
		Result float64 `json:"result" unit:"1" unitFrom:"to C=°C *" doc:"r"`
		Answer float64 `json:"answer" unit:"1" unitFrom:"op part=%" doc:"a"`
		Plain  float64 `json:"plain" unit:"V" doc:"p"`
	}
	n := Compile[out]()
	for _, c := range []struct{ field, value, want string }{
		{"result", "C", "°C"}, {"result", "km", "km"}, {"answer", "part", "%"},
		{"answer", "whole", ""},
	} {
		if got := n.Field(c.field).UnitFrom.Of(c.value); got != c.want {
			t.Errorf("%s is in %q for %s, want %q", c.field, got, c.value, c.want)
		}
	}
	if n.Field("plain").UnitFrom != nil || n.Field("result").UnitFrom.Field != "to" {
		t.Error("the tag is read from another field")
	}
	for name, compiled := range map[string]func() *Node{
		"a field alone": Compile[struct {
			X float64 `json:"x" unitFrom:"to" doc:"x"`
		}],
		"a word that is no pair": Compile[struct {
			X float64 `json:"x" unitFrom:"to km" doc:"x"`
		}],
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s is taken", name)
				}
			}()
			compiled()
		}()
	}
}
