package certify

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestNonlinearTolerances verifies that outputs of random circuits with semiconductors are in the
// certified interval, both at random and at corner values.
func TestNonlinearTolerances(t *testing.T) {
	methods := map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		body := randomNonlinear(rt)
		ckt, bias := circuitOrSkip(rt, body)
		tol := map[string]float64{}
		for _, e := range ckt.Elements {
			if strings.ContainsRune("rv", rune(e.Kind)) && rapid.Bool().Draw(rt, e.Name) {
				tol[e.Name] = rapid.SampledFrom([]float64{0.01, 0.05, 0.1}).Draw(rt, "tolerance")
			}
		}
		out := rapid.SampledFrom(ckt.Nodes).Draw(rt, "out")
		c, err := Tolerances(context.Background(), bias, tol, out, time.Now().Add(2*time.Second))
		if err != nil {
			rt.Fatal(err)
		}
		if !c.Certified {
			methods["refused: "+c.Reason]++
			return
		}
		methods[c.Method]++
		s, _ := newSystem(context.Background(), bias, time.Now().Add(time.Minute))
		if err := s.addTolerances(tol); err != nil {
			rt.Fatal(err)
		}
		at := 0
		for i, u := range bias.Unknowns {
			if u.Name == out {
				at = i
			}
		}
		nominal, p := make([]float64, len(s.params)), make([]float64, len(s.params))
		for j := range s.params {
			nominal[j] = s.params[j].nominal
		}
		rng := rand.New(rand.NewPCG(7, 7))
		for n := range 40 {
			for j, q := range s.params {
				u := rng.Float64()
				if n%2 == 0 {
					u = math.Round(u)
				}
				p[j] = q.lo + u*(q.hi-q.lo)
			}
			x, err := s.continuation(bias.X, nominal, p)
			if err != nil {
				continue
			}
			slack := 1e-10 * (1 + math.Abs(x[at]))
			if x[at] < c.Interval[0]-slack || x[at] > c.Interval[1]+slack {
				rt.Fatalf("%s: %v at %v escapes %v\n%s%v", c.Method, x[at], p,
					*c.Interval, body, tol)
			}
		}
	})
	t.Log(methods)
}
