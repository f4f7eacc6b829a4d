package analysis

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"slipstick/spice/device"
	"slipstick/spice/diag"
	"slipstick/spice/netlist"
)

// sweepVar is a variable of a .dc sweep.
type sweepVar struct {
	card   netlist.Sweep
	count  int
	target device.Swept // nil if the temperature is swept
	unit   string
}

// at returns the value [V, A, ohm or °C] at point i of the sweep.
func (w *sweepVar) at(i int) float64 {
	if w.card.Values != nil {
		return w.card.Values[i]
	}
	if i == w.count-1 && w.card.Step != 0 {
		// If the stop value is a multiple of the step, the last point is exactly the stop value.
		v := w.card.Start + float64(i)*w.card.Step
		if math.Abs(v-w.card.Stop) < 1e-6*math.Abs(w.card.Step) {
			return w.card.Stop
		}
	}
	return w.card.Start + float64(i)*w.card.Step
}

// sweptValue is the value of a source, the temperature or a parameter at a point of .dc.
type sweptValue struct {
	name  string
	value float64 // [V, A, ohm or °C]
}

// pointName returns the words that name the present point of .dc in a message.
func (s *sim) pointName() string {
	if len(s.point) == 0 {
		return "the operating point"
	}
	var list []string
	for _, p := range s.point {
		list = append(list, p.name+" = "+short(p.value))
	}
	return strings.Join(list, " and ")
}

// dc runs the .dc analysis. Each point starts from the previous solution, which keeps a circuit
// with hysteresis on its branch. The first source varies fastest.
func (s *sim) dc() (*Output, error) {
	sweeps, err := s.sweeps()
	if err != nil {
		return nil, err
	}
	if sweeps[0].card.Param {
		return s.sweepParameter(&sweeps[0])
	}
	cols, vecs := s.columns()
	head := []Vector{{Name: "sweep", Unit: sweeps[0].unit}}
	inner, outer := sweeps[0].count, 1
	if len(sweeps) == 2 {
		outer = sweeps[1].count
		head = append(head, Vector{Name: "sweep2", Unit: sweeps[1].unit})
	}
	total := inner * outer
	traces, kept := s.newTraces("sweep")
	if width := len(cols) + len(head) + len(traces); !s.allowsValues(total * width) {
		return nil, s.tooManyNumbers(total*width, fewerPointsOrVectors)
	}
	for _, list := range [...][]Vector{head, vecs} {
		for k := range list {
			list[k].Values = make([]float64, 0, total)
		}
	}
	var rowStart snapshot // solution at the first point of the row
	solved := false
	s.point = make([]sweptValue, len(sweeps))
sweep:
	for j := range outer {
		if len(sweeps) == 2 {
			s.point[1] = sweptValue{sweeps[1].card.Source, sweeps[1].at(j)}
		}
		if outer > 1 {
			s.set(&sweeps[1], sweeps[1].at(j))
		}
		if solved {
			s.restore(&rowStart)
		}
		for i := range inner {
			s.progress("dc", float64(j*inner+i)/float64(total))
			v := sweeps[0].at(i)
			s.point[0] = sweptValue{sweeps[0].card.Source, v}
			err := s.sweepPoint(&sweeps[0], v, i > 0, solved)
			if errors.Is(err, errBudget) && solved {
				s.warn(fmt.Sprintf("stopped after %d of %d points: %s", j*inner+i,
					total, s.limit()))
				break sweep
			}
			if isFatal(err) {
				return nil, err
			}
			if err != nil {
				return nil, diag.At(diag.NoConvergence, s.job.Analysis.Line,
					"no operating point was found at %s%s", s.pointName(), s.worstResidual(err))
			}
			solved = true
			if i == 0 {
				s.save(&rowStart)
			}
			head[0].Values = append(head[0].Values, v)
			if outer > 1 || len(sweeps) == 2 {
				head[1].Values = append(head[1].Values, sweeps[1].at(j))
			}
			for k := range vecs {
				vecs[k].Values = append(vecs[k].Values, cols[k].value(s.at))
			}
			s.appendTraces(traces, kept, v)
		}
	}
	return &Output{Vectors: append(head, vecs...), Traces: traces}, nil
}

// sweeps resolves the sources of the card to devices and counts the points.
func (s *sim) sweeps() ([]sweepVar, error) {
	a := s.job.Analysis
	var out []sweepVar
	total := 1.0
	for _, c := range a.Sweeps {
		w := sweepVar{card: c, count: 1}
		if c.Values != nil {
			w.count = len(c.Values)
			total *= float64(w.count)
		} else if c.Step != 0 {
			n := math.Floor((c.Stop-c.Start)/c.Step+1e-6) + 1
			total *= n
			w.count = int(math.Min(n, maxSweepPoints))
		}
		if total > maxSweepPoints {
			return nil, hopeless(a.Line, ".dc asks for %.6g points; at most %.6g are computed",
				total, maxSweepPoints)
		}
		if c.Param {
			if w.count > maxParameterPoints {
				return nil, hopeless(a.Line, ".dc asks for %d values of a parameter; at most %d are "+
					"computed, because each one changes the circuit", w.count, maxParameterPoints)
			}
		} else if c.Source == "temp" {
			w.unit = "°C"
			if lo := math.Min(c.Start, c.Stop); lo <= -273 || math.Max(c.Start, c.Stop) > 1000 {
				return nil,
					diag.At(diag.BadValue, a.Line,
						".dc: temperatures must lie from -273 to 1000 °C")
			}
		} else {
			for _, d := range s.devices {
				if d.Element().Name == c.Source {
					w.target, _ = d.(device.Swept)
					w.unit = map[byte]string{'v': "V", 'i': "A", 'r': "ohm"}[d.Element().Kind]
				}
			}
			if w.target == nil {
				return nil, diag.At(diag.UnknownSource, a.Line,
					".dc sweeps %s, which is no voltage "+
						"source, current source or resistor of the circuit", c.Source)
			}
		}
		out = append(out, w)
	}
	return out, nil
}

// set assigns the value v to the swept variable.
func (s *sim) set(w *sweepVar, v float64) {
	if w.target == nil {
		s.temperature(v)
		return
	}
	w.target.SetValue(v)
	s.epoch++
}

// sweepPoint solves the circuit at the value v. If no point is solved yet, it computes an operating
// point. If Newton's method fails and continuation is set, it starts from the last point and halves
// the increment after each failure. If continuation also fails, it computes a new operating point.
func (s *sim) sweepPoint(w *sweepVar, v float64, continuation, solved bool) error {
	s.set(w, v)
	if !solved {
		return s.operatingPoint()
	}
	if len(s.logic) > 0 {
		return s.settleLogic(func() error { return s.continueSweep(w, v, continuation) })
	}
	return s.continueSweep(w, v, continuation)
}

// continueSweep solves the circuit at the value v, starting from the last point.
func (s *sim) continueSweep(w *sweepVar, v float64, continuation bool) error {
	converged := &s.lastPoint
	s.save(converged)
	_, err := s.newton(defaultNewton(s.opt.Itl2, false))
	if err == nil || isFatal(err) {
		if err == nil {
			err = s.refineSolution()
		}
		return err
	}
	s.restore(converged)
	if continuation {
		at, step := v-w.card.Step, w.card.Step/2
		for at != v && math.Abs(step) > math.Abs(w.card.Step)*1e-4 {
			to := at + step
			if (to-v)*step >= 0 {
				to = v
			}
			s.set(w, to)
			_, err := s.newton(defaultNewton(s.opt.Itl2, false))
			if isFatal(err) {
				return err
			}
			if err != nil {
				s.restore(converged)
				step /= 2
				continue
			}
			s.save(converged)
			at = to
			step *= 1.5
		}
		if at == v {
			return s.refineSolution()
		}
	}
	s.set(w, v)
	return s.solveDC()
}

// maxParameterPoints is the largest number of points of a sweep of a parameter.
const maxParameterPoints = 10000

// sweepParameter runs .dc over a parameter of the netlist. Each point has its own circuit, whose
// solution starts from that of the last point.
func (s *sim) sweepParameter(w *sweepVar) (*Output, error) {
	if s.job.Vary == nil {
		return nil, diag.At(diag.NotAvailable, s.job.Analysis.Line,
			"not yet supported: .dc of the parameter %s here", w.card.Source)
	}
	head := Vector{Name: "sweep"}
	var vecs []Vector
	var traces []Trace
	last := s
	for i := range w.count {
		s.progress("dc", float64(i)/float64(w.count))
		v := w.at(i)
		t, err := s.withParameter(w.card.Source, v)
		if err != nil {
			return nil, err
		}
		err = t.solveFrom(last, i > 0)
		last, s.stats, s.hasResidualWarning = t, t.stats, t.hasResidualWarning
		for _, text := range t.warnings {
			s.warn(text)
		}
		if errors.Is(err, errBudget) && i > 0 {
			s.warn(fmt.Sprintf("stopped after %d of %d points: %s", i, w.count, s.limit()))
			break
		}
		if isFatal(err) {
			return nil, err
		}
		if err != nil {
			return nil, diag.At(diag.NoConvergence, s.job.Analysis.Line,
				"no operating point was found at %s%s", t.pointName(), t.worstResidual(err))
		}
		cols, of := t.columns()
		at, kept := t.newTraces("sweep")
		if i == 0 {
			vecs, traces = of, at
			if n := w.count * (len(cols) + 1 + len(traces)); !s.allowsValues(n) {
				return nil, s.tooManyNumbers(n, fewerPointsOrVectors)
			}
		}
		if len(of) != len(vecs) || len(at) != len(traces) {
			return nil, diag.At(diag.BadValue, s.job.Analysis.Line,
				".dc: the circuit at %s = %s has other vectors", w.card.Source, short(v))
		}
		head.Values = append(head.Values, v)
		for k := range vecs {
			vecs[k].Values = append(vecs[k].Values, cols[k].value(t.at))
		}
		t.appendTraces(traces, kept, v)
	}
	return &Output{Vectors: append([]Vector{head}, vecs...), Traces: traces}, nil
}

// withParameter returns the circuit with another value of a parameter. It continues the statistics.
func (s *sim) withParameter(name string, v float64) (*sim, error) {
	job := s.job
	var err error
	if job.Circuit, err = s.job.Vary(name, v); err != nil {
		return nil, err
	}
	job.Budget, job.Progress = s.total, nil
	t, err := newSim(s.ctx, job)
	if err != nil {
		return nil, err
	}
	t.deadline, t.stats, t.hasResidualWarning = s.deadline, s.stats, s.hasResidualWarning
	t.point = []sweptValue{{name, v}}
	return t, nil
}

// solveFrom finds the DC solution. With continuation it starts from the solution of last, if both
// circuits have the same unknowns and states.
func (s *sim) solveFrom(last *sim, continuation bool) error {
	if !continuation || len(last.x) != len(s.x) || len(last.load.State) != len(s.load.State) {
		return s.operatingPoint()
	}
	s.dcMode()
	copy(s.x, last.x)
	copy(s.load.State, last.load.State)
	err := s.settleLogic(func() error {
		_, err := s.newton(defaultNewton(s.opt.Itl2, false))
		if err == nil {
			err = s.refineSolution()
		}
		return err
	})
	if err == nil || isFatal(err) {
		return err
	}
	return s.operatingPoint()
}
