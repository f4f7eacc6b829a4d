package pcb

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"slipstick/internal/cputime"
)

// BenchmarkPairs lays out the boards with differential pairs: examples, boards of
// testdata/engineering, and generated ones with 2, 4 and 6 connectors. It prints the mean length
// mismatch and coupled share of the pairs, and the number of pairs with a share below 50 %. It also
// prints the figures of the whole board.
func BenchmarkPairs(b *testing.B) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	boards := []benchBoard{}
	for _, path := range []string{"../../examples/boards/usb_serial_atmega328.json",
		"testdata/engineering/usb_qfn.json", "testdata/engineering/usb_qfn_four_layers.json"} {
		body, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		boards = append(boards, benchBoard{strings.TrimSuffix(filepath.Base(path), ".json"), body})
	}
	for _, connectors := range []int{2, 4, 6} {
		for seed := range uint64(5) {
			boards = append(boards, benchBoard{
				fmt.Sprintf("%d connectors, seed %d", connectors, seed+1),
				generatedPairs(b, connectors, seed+1)})
		}
	}
	for range b.N {
		fmt.Printf("\n%-22s %5s %5s %11s %7s %6s %7s %6s %5s %7s %7s\n", "board", "parts", "pairs",
			"mismatch mm", "coupled", "below", "done", "errors", "vias", "wire mm", "cpu ms")
		var sum struct{ pairs, mismatch, coupled, below, errors, open, vias, wire, cpu float64 }
		for _, c := range boards {
			begun := cputime.Process()
			raw, err := PCBLayout.Run(context.Background(), c.body)
			if err != nil {
				b.Fatalf("%s: %v", c.name, err)
			}
			took := cputime.Process() - begun
			var o pcbLayoutOut
			if err := json.Unmarshal(raw, &o); err != nil {
				b.Fatal(err)
			}
			var mismatch, coupled, below float64
			for _, p := range o.Pairs {
				mismatch, coupled = mismatch+p.Mismatch, coupled+p.Coupled
				if p.Coupled < 50 {
					below++
				}
			}
			s, n := o.Statistics, float64(len(o.Pairs))
			fmt.Printf("%-22s %5d %5.0f %11.3f %6.1f%% %6.0f %6.1f%% %6d %5d %7.0f %7d\n", c.name,
				s.Components, n, mismatch/n, coupled/n, below, s.Completion, o.DRC.ErrorCount,
				s.ViaCount, s.Wirelength, took.Milliseconds())
			sum.pairs, sum.mismatch, sum.coupled = sum.pairs+n, sum.mismatch+mismatch,
				sum.coupled+coupled
			sum.below, sum.errors = sum.below+below, sum.errors+float64(o.DRC.ErrorCount)
			sum.vias, sum.wire = sum.vias+float64(s.ViaCount), sum.wire+s.Wirelength
			sum.cpu += float64(took.Milliseconds())
		}
		fmt.Printf("%-22s %5s %5.0f %11.3f %6.1f%% %6.0f %7s %6.0f %5.0f %7.0f %7.0f\n", "all", "",
			sum.pairs, sum.mismatch/sum.pairs, sum.coupled/sum.pairs, sum.below, "", sum.errors,
			sum.vias, sum.wire, sum.cpu)
	}
}

// generatedPairs returns the request of generated for 20 parts, with additional connectors that
// have a differential pair each. The pairs are of three kinds in turn: straight to an IC, through
// two series resistors, and past two capacitors to ground. Resistors connect the ICs of the pairs.
func generatedPairs(tb testing.TB, connectors int, seed uint64) []byte {
	var request map[string]any
	if err := json.Unmarshal(generated(tb, 20, seed, nil), &request); err != nil {
		tb.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(seed, 11))
	parts, nets := request["components"].([]any), map[string][]any{}
	list := request["nets"].([]any)
	for _, n := range list {
		n := n.(map[string]any)
		nets[n["name"].(string)] = n["pins"].([]any)
	}
	add := func(ref, footprint string) {
		parts = append(parts, map[string]any{"ref": ref, "footprint": footprint})
	}
	connect := func(net string, pins ...any) {
		if _, ok := nets[net]; !ok {
			list = append(list, map[string]any{"name": net})
		}
		nets[net] = append(nets[net], pins...)
	}
	for k := range connectors {
		u, j := fmt.Sprintf("U%d", 100+k), fmt.Sprintf("J%d", 100+k)
		add(u, "SOIC-14")
		add(j, "PinHeader_1x04")
		connect("VCC", u+".14", j+".1")
		connect("GND", u+".7", j+".4")
		first := []int{1, 3, 8, 10}[rng.IntN(4)]
		pins := [2]string{fmt.Sprintf("%s.%d", u, first), fmt.Sprintf("%s.%d", u, first+1)}
		if rng.IntN(2) == 0 {
			pins[0], pins[1] = pins[1], pins[0]
		}
		for i, side := range []string{"P", "N"} {
			near, far := fmt.Sprintf("A%d_%s", k, side), fmt.Sprintf("B%d_%s", k, side)
			connect(near, fmt.Sprintf("%s.%d", j, 2+i))
			extra := fmt.Sprintf("%d", 100+2*k+i)
			switch k % 3 {
			case 0:
				connect(near, pins[i])
			case 1:
				add("R"+extra, "R_0603")
				connect(near, "R"+extra+".1")
				connect(far, "R"+extra+".2", pins[i])
			default:
				add("C"+extra, "C_0603")
				connect(near, pins[i], "C"+extra+".1")
				connect("GND", "C"+extra+".2")
			}
		}
		if k > 0 { // pins that no differential pair uses
			before := fmt.Sprintf("U%d", 99+k)
			connect(fmt.Sprintf("L%d", k), u+".6", before+".13")
		}
	}
	for _, n := range list {
		n := n.(map[string]any)
		n["pins"] = nets[n["name"].(string)]
	}
	request["components"], request["nets"] = parts, list
	request["name"] = fmt.Sprintf("pairs%d-seed%d", connectors, seed)
	body, err := json.Marshal(request)
	if err != nil {
		tb.Fatal(err)
	}
	return body
}
