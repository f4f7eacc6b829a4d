package pcb

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
)

// generated returns the request for a board of n parts. It has ICs of 8 to 48 pins with a capacitor
// each, and headers. Resistors connect pins with each other, ground or the supply, and links
// connect neighbouring ICs. with is added to the request.
func generated(tb testing.TB, n int, seed uint64, with map[string]any) []byte {
	rng := rand.New(rand.NewPCG(seed, 7))
	type component struct {
		Ref       string `json:"ref"`
		Footprint string `json:"footprint"`
	}
	type net struct {
		Name string   `json:"name"`
		Pins []string `json:"pins"`
	}
	var parts []component
	var nets []net
	add := func(prefix, footprint string) string {
		ref := fmt.Sprintf("%s%d", prefix, len(parts)+1)
		parts = append(parts, component{ref, footprint})
		return ref
	}
	gnd, vcc := net{Name: "GND"}, net{Name: "VCC"}
	pin := func(ref string, k int) string { return fmt.Sprintf("%s.%d", ref, k) }
	signal := func(pins ...string) { nets = append(nets, net{fmt.Sprintf("N%d", len(nets)), pins}) }

	kinds := []struct {
		footprint string
		pads      int
	}{{"SOIC-8", 8}, {"SOIC-14", 14}, {"TSSOP-20", 20}, {"TQFP-32", 32}, {"SOIC-16", 16},
		{"TQFP-48", 48}}
	var free [][]string // unconnected pins of each IC
	for len(free) == 0 || len(free) < n/9 {
		kind := kinds[rng.IntN(len(kinds))]
		u, c := add("U", kind.footprint), add("C", "C_0805")
		vcc.Pins = append(vcc.Pins, pin(u, kind.pads), pin(c, 1))
		gnd.Pins = append(gnd.Pins, pin(u, kind.pads/2), pin(c, 2))
		var pins []string
		for k := 1; k < kind.pads; k++ {
			if k != kind.pads/2 {
				pins = append(pins, pin(u, k))
			}
		}
		rng.Shuffle(len(pins), func(i, j int) { pins[i], pins[j] = pins[j], pins[i] })
		free = append(free, pins)
	}
	take := func(g int) (string, bool) {
		for range len(free) {
			g %= len(free)
			if k := len(free[g]); k > 0 {
				p := free[g][k-1]
				free[g] = free[g][:k-1]
				return p, true
			}
			g++
		}
		return "", false
	}
	for range max(1, n/20) {
		j := add("J", "PinHeader_1x06")
		gnd.Pins, vcc.Pins = append(gnd.Pins, pin(j, 1)), append(vcc.Pins, pin(j, 2))
		g := rng.IntN(len(free))
		for k := 3; k <= 6; k++ {
			if p, ok := take(g); ok {
				signal(pin(j, k), p)
			}
		}
	}
	for len(parts) < n {
		r := add("R", "R_0805")
		g := rng.IntN(len(free))
		if p, ok := take(g); ok {
			pins := []string{pin(r, 1), p}
			if q, ok := take(g + 1); ok && rng.IntN(4) == 0 {
				pins = append(pins, q)
			}
			signal(pins...)
		}
		switch rng.IntN(4) {
		case 0:
			gnd.Pins = append(gnd.Pins, pin(r, 2))
		case 1:
			vcc.Pins = append(vcc.Pins, pin(r, 2))
		default:
			if p, ok := take(g); ok {
				signal(pin(r, 2), p)
			}
		}
	}
	for range n / 8 {
		g := rng.IntN(len(free))
		p, ok := take(g)
		q, also := take(g + 1 + rng.IntN(2))
		if ok && also {
			signal(p, q)
		}
	}
	request := map[string]any{"components": parts, "nets": append(nets, gnd, vcc),
		"name": fmt.Sprintf("parts%d-seed%d", n, seed), "time_limit_s": 60}
	for k, v := range with {
		request[k] = v
	}
	body, err := json.Marshal(request)
	if err != nil {
		tb.Fatal(err)
	}
	return body
}
