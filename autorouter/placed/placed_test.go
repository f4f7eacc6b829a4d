package placed_test

import (
	"strings"
	"testing"
	"time"

	"slipstick/autorouter/board"
	"slipstick/autorouter/placed"
)

// walled is a problem with two pads on either side of a wall that has a gap of 0.5 mm.
const walled = `{"layerCount": 2, "minTraceWidth": 0.15,
"bounds": {"minX": -5, "maxX": 5, "minY": -3, "maxY": 3},
"obstacles": [
{"type": "rect", "layers": ["top"], "center": {"x": -4, "y": 0}, "width": 1, "height": 1,
 "connectedTo": ["a"]},
{"type": "rect", "layers": ["top"], "center": {"x": 4, "y": 0}, "width": 1, "height": 1,
 "connectedTo": ["b"]},
{"type": "rect", "layers": ["top", "bottom"], "center": {"x": 0, "y": 1.75}, "width": 1,
 "height": 3, "connectedTo": []},
{"type": "rect", "layers": ["top", "bottom"], "center": {"x": 0, "y": -1.75}, "width": 1,
 "height": 3, "connectedTo": []}],
"connections": [{"name": "net", "pointsToConnect": [
 {"x": -4, "y": 0, "layer": "top", "pointId": "a"},
 {"x": 4, "y": 0, "layer": "top", "pointId": "b"}]}]}`

// TestProvisional verifies that a provisional attempt without a path ends without a result, and
// that the next attempt with narrower tracks is not congested.
func TestProvisional(t *testing.T) {
	for _, provisional := range []bool{true, false} {
		var congestion []bool
		r, err := placed.Route(t.Context(), placed.Options{TimeLimit: time.Minute},
			func(i, _ int, congested bool) (placed.Attempt, error) {
				congestion = append(congestion, congested)
				text := walled
				if i == 0 {
					text = strings.Replace(text, "0.15", "0.4", 1)
				}
				b, err := readProblem([]byte(text))
				return placed.Attempt{Board: b, Provisional: provisional}, err
			})
		if err != nil || len(r.Open) > 0 || r.Attempt != 1 {
			t.Fatalf("%v, %+v", err, r)
		}
		if len(congestion) != 2 || congestion[0] || congestion[1] == provisional {
			t.Errorf("provisional %v: congested %v", provisional, congestion)
		}
	}
}

// TestAlwaysBlocked verifies that the last attempt has a result, even if a connection has no path
// in any attempt.
func TestAlwaysBlocked(t *testing.T) {
	r, err := placed.Route(t.Context(), placed.Options{TimeLimit: time.Minute},
		func(i, most int, _ bool) (placed.Attempt, error) {
			b, err := readProblem([]byte(strings.Replace(walled, "0.15", "0.4", 1)))
			return placed.Attempt{Board: b, Provisional: true}, err
		})
	if err != nil || len(r.Open) != 1 || r.Attempt != 2 {
		t.Fatalf("%v, %+v", err, r)
	}
	if r.Open[0].Net != "net" || r.Connections != 1 || board.MM(r.LengthMM) != 0 {
		t.Errorf("%+v", r)
	}
}
