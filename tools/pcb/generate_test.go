package pcb

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"
)

// componentSpec is a component of a generated request.
type componentSpec struct {
	Ref       string `json:"ref"`
	Footprint string `json:"footprint"`
}

// netSpec is a net of a generated request.
type netSpec struct {
	Name string   `json:"name"`
	Pins []string `json:"pins"`
}

// encodeSpecs returns the request for a board with a time limit [s]. The members of with extend the
// request or replace its members.
func encodeSpecs(tb testing.TB, name string, timeLimitS int, parts []componentSpec,
	nets []netSpec, with map[string]any) []byte {
	request := map[string]any{"components": parts, "nets": nets, "name": name,
		"time_limit_s": timeLimitS}
	maps.Copy(request, with)
	body, err := json.Marshal(request)
	if err != nil {
		tb.Fatal(err)
	}
	return body
}

// generated returns the request for a board of n parts. It has ICs of 8 to 48 pins with a capacitor
// each, and headers. Resistors connect pins with each other, ground or the supply, and links
// connect neighbouring ICs. The members of with extend the request.
func generated(tb testing.TB, n int, seed uint64, with map[string]any) []byte {
	rng := rand.New(rand.NewPCG(seed, 7))
	var parts []componentSpec
	var nets []netSpec
	add := func(prefix, footprint string) string {
		ref := fmt.Sprintf("%s%d", prefix, len(parts)+1)
		parts = append(parts, componentSpec{ref, footprint})
		return ref
	}
	gnd, vcc := netSpec{Name: "GND"}, netSpec{Name: "VCC"}
	pin := func(ref string, k int) string { return fmt.Sprintf("%s.%d", ref, k) }
	signal := func(pins ...string) {
		nets = append(nets, netSpec{fmt.Sprintf("N%d", len(nets)), pins})
	}

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
	return encodeSpecs(tb, fmt.Sprintf("parts%d-seed%d", n, seed), 60, parts,
		append(nets, gnd, vcc), with)
}

// scattered returns the request for a board of n parts with random nets of two to six pins. The
// pins of a net belong to different parts anywhere on the board. Of ten parts, six have two pins,
// two have three, one has 8 and one has 14 to 32. Every IC has a supply and a ground pin. pinUse is
// the share of the other pins that nets connect.
func scattered(tb testing.TB, n int, seed uint64, pinUse float64, with map[string]any) []byte {
	rng := rand.New(rand.NewPCG(seed, 11))
	type pin struct{ part, number int }
	large := []string{"SOIC-14", "SOIC-16", "TSSOP-20", "TQFP-32"}
	largePads := []int{14, 16, 20, 32}
	var parts []componentSpec
	var pins []pin
	gnd, vcc := netSpec{Name: "GND"}, netSpec{Name: "VCC"}
	for i := range n {
		prefix, footprint, pads := "R", "R_0805", 2
		switch k := i % 10; {
		case k == 0:
			g := rng.IntN(len(large))
			prefix, footprint, pads = "U", large[g], largePads[g]
		case k == 1:
			prefix, footprint, pads = "U", "SOIC-8", 8
		case k <= 3:
			prefix, footprint, pads = "Q", "SOT-23", 3
		}
		ref := fmt.Sprintf("%s%d", prefix, i+1)
		parts = append(parts, componentSpec{ref, footprint})
		for k := 1; k <= pads; k++ {
			switch {
			case pads >= 8 && k == pads/2:
				gnd.Pins = append(gnd.Pins, fmt.Sprintf("%s.%d", ref, k))
			case pads >= 8 && k == pads:
				vcc.Pins = append(vcc.Pins, fmt.Sprintf("%s.%d", ref, k))
			default:
				pins = append(pins, pin{i, k})
			}
		}
	}
	rng.Shuffle(len(pins), func(i, j int) { pins[i], pins[j] = pins[j], pins[i] })
	pins = pins[:int(pinUse*float64(len(pins)))]
	var nets []netSpec
	for len(pins) > 1 {
		size := min(2+rng.IntN(5), len(pins))
		one, used, rest := netSpec{Name: fmt.Sprintf("N%d", len(nets))}, map[int]bool{}, pins[:0:0]
		for _, p := range pins {
			if len(one.Pins) < size && !used[p.part] {
				used[p.part] = true
				one.Pins = append(one.Pins, fmt.Sprintf("%s.%d", parts[p.part].Ref, p.number))
			} else {
				rest = append(rest, p)
			}
		}
		pins = rest
		if len(one.Pins) > 1 {
			nets = append(nets, one)
		}
	}
	return encodeSpecs(tb, fmt.Sprintf("scattered%d-seed%d", n, seed), 20, parts,
		append(nets, gnd, vcc), with)
}
