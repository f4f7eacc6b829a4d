package analysis

import "strings"

// Trace is one vector at every point of an analysis: what measures are made of.
type Trace struct {
	Name string // "time", "frequency", "sweep", "v(out)", "i(v1)"
	Real []float64
	Imag []float64 // nil but in .ac, where the values are phasors
}

// find gives the unknown of a vector, 0 when there is none. The current of every element
// that has one among the unknowns can be had, also of those that are no result.
func (s *sim) find(name string) int {
	if len(name) < 4 || name[1] != '(' || !strings.HasSuffix(name, ")") {
		return 0
	}
	want, branch := name[2:len(name)-1], name[0] == 'i'
	for i, u := range s.setup.Unknowns {
		if i > 0 && u.Name == want && u.Branch == branch && !u.Hidden {
			return i
		}
	}
	return 0
}

// keep gives the traces Job.Keep asks for, the sweep first, and the unknown behind each
// (0: the sweep). There are none when it asks for nothing.
func (s *sim) keep(sweep string) (traces []Trace, index []int) {
	for _, name := range s.job.Keep {
		i := s.find(name)
		if i == 0 {
			continue
		}
		if traces == nil {
			traces, index = []Trace{{Name: sweep}}, []int{0}
		}
		traces, index = append(traces, Trace{Name: name}), append(index, i)
	}
	return traces, index
}

// record adds the present solution to the traces.
func (s *sim) record(traces []Trace, index []int, at float64) {
	for k := range traces {
		v := at
		if k > 0 {
			v = s.x[index[k]]
		}
		traces[k].Real = append(traces[k].Real, v)
	}
}

// recordAC adds a solution of phasors to the traces.
func recordAC(traces []Trace, index []int, at float64, x []complex128) {
	for k := range traces {
		if k == 0 {
			traces[k].Real = append(traces[k].Real, at)
			continue
		}
		traces[k].Real = append(traces[k].Real, real(x[index[k]]))
		traces[k].Imag = append(traces[k].Imag, imag(x[index[k]]))
	}
}
