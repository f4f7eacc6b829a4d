package route_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"testing"

	"slipstick/autorouter/board"
	"slipstick/autorouter/place"
	"slipstick/autorouter/route"
	"slipstick/internal/cputime"
)

func placed(tb testing.TB, n int, seed uint64, utilization float64) *board.Board {
	nl, r := circuit(n, seed)
	b, rep, err := place.Place(context.Background(), nl, place.Options{Rules: r, Seed: seed,
		Utilization: utilization})
	if err != nil {
		tb.Fatal(err)
	}
	if len(rep.Unplaced) > 0 {
		tb.Errorf("%d parts have no legal place", len(rep.Unplaced))
	}
	return b
}

// BenchmarkBoards prints results for generated boards at a utilization of 45 %. The columns include
// the open connections as reported and as found in the copper, and the design rule violations. They
// also include processor times and the ratio of track length to the length of the Euclidean minimum
// spanning trees. The ratio excludes the poured ground net. The environment variables SIZE and SEED
// select a board; SHOW lists its open connections and violations.
func BenchmarkBoards(b *testing.B) {
	for range b.N {
		fmt.Printf("\n%5s %4s %9s %9s %9s %6s %6s %7s %7s %6s %5s\n", "parts", "seed", "size mm",
			"place ms", "route ms", "pins-1", "open", "errors", "wl/mst", "vias", "pass")
		for _, n := range sizes() {
			for _, seed := range seeds() {
				t0 := cputime.Process()
				bd := placed(b, n, seed, 0.45)
				t1 := cputime.Process()
				res, err := route.Route(context.Background(), bd, route.Options{})
				if err != nil {
					b.Fatal(err)
				}
				t2 := cputime.Process()
				joins, mst, length := 0, 0.0, 0.0
				for i := range bd.Nets {
					joins += max(0, len(bd.Nets[i].Pins)-1)
					if i != bd.Rules.GroundNet {
						mst += mstLength(bd, i)
					}
				}
				for _, t := range bd.Tracks {
					if t.Net != bd.Rules.GroundNet {
						length += board.Distance(t.A, t.B)
					}
				}
				box := bd.Outline.Bounds()
				if os.Getenv("SHOW") != "" {
					for _, u := range res.Unrouted {
						f, t := bd.Parts[u.From.Part], bd.Parts[u.To.Part]
						fmt.Println(bd.Nets[u.Net].Name, f.Ref, f.Pads[u.From.Pad].Number,
							f.Pads[u.From.Pad].At, t.Ref, t.Footprint.Name, t.Pads[u.To.Pad].Number,
							t.Pads[u.To.Pad].At, u.Reason)
					}
					for _, v := range violations(bd) {
						fmt.Println(v)
					}
				}
				fmt.Printf("%5d %4d %4dx%-4d %9d %9d %6d %3d/%-3d %6d %7.3f %6d %5d\n", n, seed,
					box.Width()/1e6, box.Height()/1e6,
					(t1 - t0).Milliseconds(), (t2 - t1).Milliseconds(), joins, len(res.Unrouted),
					islands(bd), len(violations(bd)), length/mst, len(bd.Vias), res.Passes)
			}
		}
	}
}

func sizes() []int {
	if s := os.Getenv("SIZE"); s != "" {
		v, _ := strconv.Atoi(s)
		return []int{v}
	}
	return []int{20, 30, 50, 80, 110, 150}
}

func seeds() []uint64 {
	if s := os.Getenv("SEED"); s != "" {
		v, _ := strconv.Atoi(s)
		return []uint64{uint64(v)}
	}
	return []uint64{1, 2, 3}
}
