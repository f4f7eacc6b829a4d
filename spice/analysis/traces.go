package analysis

import (
	"strings"

	"slipstick/spice/netlist"
)

// Trace is one vector at every point of an analysis. Traces are the input of measures.
type Trace struct {
	Name string // "time", "frequency", "sweep", "v(out)", "i(v1)", "p(r1)"
	Real []float64
	Imag []float64 // imaginary parts in .ac, where the values are phasors; otherwise nil
}

// unknownOf returns the index of the unknown v(node), i(element) or ic(transistor), or 0 if it does
// not exist. It also finds branch currents that are not part of the result.
func (s *sim) unknownOf(name string) int {
	head, want, _ := strings.Cut(netlist.VectorName(name), "(")
	if len(want) < 2 || !strings.HasSuffix(want, ")") {
		return 0
	}
	want = want[:len(want)-1]
	branch, ammeter := head != "v", want+"#i" // name of an ammeter (package netlist)
	switch {
	case head == "v", head == "i":
	default:
		return 0
	}
	for i, u := range s.setup.Unknowns {
		if i > 0 && (u.Name == want || branch && u.Name == ammeter) && u.Branch == branch &&
			!u.Internal {
			return i
		}
	}
	return 0
}

// newTraces returns empty traces for the sweep and for each name in Job.Traces, and the column of
// each trace. The first column is unused. Both results are nil without valid names.
func (s *sim) newTraces(sweep string) (traces []Trace, cols []column) {
	for _, name := range s.job.Traces {
		c, _, _, ok := s.column(name)
		if !ok {
			continue
		}
		if traces == nil {
			traces, cols = []Trace{{Name: sweep}}, []column{{}}
		}
		traces, cols = append(traces, Trace{Name: name}), append(cols, c)
	}
	return traces, cols
}

// appendTraces appends the present solution to the traces. at is the value of the sweep.
func (s *sim) appendTraces(traces []Trace, cols []column, at float64) {
	for k := range traces {
		v := at
		if k > 0 {
			v = cols[k].value(s.at)
		}
		traces[k].Real = append(traces[k].Real, v)
	}
}

// allocatePhasors sets the lengths of the traces of an .ac analysis with n frequencies.
func allocatePhasors(traces []Trace, n int) {
	for k := range traces {
		traces[k].Real = make([]float64, n)
		if k > 0 {
			traces[k].Imag = make([]float64, n)
		}
	}
}

// truncatePhasors keeps the first n values of each trace.
func truncatePhasors(traces []Trace, n int) {
	for k := range traces {
		traces[k].Real = traces[k].Real[:n]
		if k > 0 {
			traces[k].Imag = traces[k].Imag[:n]
		}
	}
}

// setPhasors stores a phasor solution x as value number i of the traces. at is the value of the
// sweep.
func setPhasors(traces []Trace, cols []column, i int, at float64, x []complex128) {
	for k := range traces {
		if k == 0 {
			traces[k].Real[i] = at
			continue
		}
		v := cols[k].phasor(x)
		traces[k].Real[i], traces[k].Imag[i] = real(v), imag(v)
	}
}
