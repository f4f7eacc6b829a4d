package analysis

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"slipstick/spice/device"
	"slipstick/spice/diag"
	"slipstick/spice/netlist"
)

// Sensitivities holds the derivatives of an output with respect to the parameters of the elements.
type Sensitivities struct {
	Output  string // output as written on the card
	AC      bool   // derivatives of the phasor at each frequency instead of the DC value
	Entries []Sensitivity
}

// Sensitivity is the derivative with respect to one parameter. Lists are sorted by decreasing
// magnitude of PerPercent.
type Sensitivity struct {
	Element string
	// parameter name on the card; "" for the value of an R, C, L, V, I, E, F, G or H element
	Parameter string
	// the parameter is on the .model card; only the given element uses the changed value
	Model bool
	Value float64 // value of the parameter in SI units
	// Absolute is the change of the output [V or A] per unit of the parameter. PerPercent is the
	// change per percent of the parameter's value. In AC both are magnitudes at the frequency Hz,
	// where PerPercent is largest.
	Absolute, PerPercent float64
	Hz                   float64
}

// name returns the vector name as in ngspice: r1, m1_w or q1:bf.
func (e *Sensitivity) name() string {
	switch {
	case e.Parameter == "":
		return e.Element
	case e.Model:
		return e.Element + ":" + e.Parameter
	}
	return e.Element + "_" + e.Parameter
}

// readSensitivity parses .sens v(out) [dc] or .sens v(out) ac dec|oct|lin N f1 f2.
func readSensitivity(c *netlist.CardReader, a *netlist.Analysis) (err error) {
	if a.Output, err = c.Output(); err != nil {
		return err
	}
	if !c.More() {
		return nil
	}
	switch w, err := c.Word("word dc or ac"); {
	case err != nil:
		return err
	case w == "ac":
		return c.Frequencies(a)
	case w != "dc":
		return c.Fail(diag.Syntax, "dc or ac may follow the output, not %q", w)
	}
	return nil
}

// sensitivity runs the .sens analysis with the adjoint network (Director and Rohrer, The
// generalized adjoint network and network sensitivities, IEEE Trans. CT-16, 1969). With F(x, p) = 0
// and Jᵀ·ψ = c, the derivative of c·x is -ψ·dF/dp. A central difference approximates dF/dp: the
// equations of the affected elements are evaluated at the same x with p slightly decreased and
// increased. In AC the operating point also depends on p.
func (s *sim) sensitivity() (*Output, error) {
	a := s.job.Analysis
	plus, minus, err := s.output(a.Output)
	if err != nil {
		return nil, err
	}
	if err := s.operatingPoint(); err != nil {
		return nil, err
	}
	if err := s.jacobian(); err != nil {
		return nil, err
	}
	r := &Sensitivities{Output: a.Output.Text, AC: a.Variation != ""}
	out := &Output{Detail: r, Points: s.devicePoints()}
	var do func(*perturbation) error
	if r.AC {
		do, err = s.acSensitivity(out, plus, minus)
	} else {
		do = s.dcSensitivity(plus, minus)
		out.Vectors = s.solution()
	}
	if err != nil {
		return nil, err
	}
	list := s.parameters()
	var memory [2]fragment
	for k := range list {
		p := &list[k]
		s.progress("sens", float64(k)/float64(len(list)))
		err := s.checkDeadline()
		// The derivative of a DC value with respect to a parameter that affects only charges is 0.
		zero := !r.AC && p.Model &&
			device.OnlyCharges(&s.job.Circuit.Elements[p.at], p.Parameter)
		if err == nil && !zero {
			err = s.perturb(p, &memory)
		}
		if err == nil && p.low != nil {
			err = do(p)
		}
		if errors.Is(err, errBudget) && k > 0 {
			s.warn(fmt.Sprintf("stopped after %d of %d parameters: %s", k, len(list), s.limit()))
			break
		}
		if err != nil {
			return nil, err
		}
		if p.low != nil || zero {
			r.Entries = append(r.Entries, p.Sensitivity)
		}
		p.low, p.high = nil, nil
	}
	slices.SortStableFunc(r.Entries, func(a, b Sensitivity) int {
		return cmp.Compare(math.Abs(b.PerPercent), math.Abs(a.PerPercent))
	})
	return out, nil
}

// perturbation is a parameter with two fragments in which its value is decreased and increased by
// step.
type perturbation struct {
	Sensitivity
	at        int       // index of the element in the circuit
	arg       int       // index in the Args of the element, or -1 for other parameters
	step      float64   // change of the parameter in SI units
	low, high *fragment // nil if the parameter has no other valid value
	apart     float64   // difference of the parameter between high and low in SI units
}

// change is the relative change of a parameter. The third derivative of an exponential causes a
// relative error of 1e-7, and roundoff causes one of 1e-11.
const change = 3e-5

// parameters returns the values and the explicit parameters of all elements outside library parts.
// It omits parameters of 0, because a nonzero value may change the structure of the circuit. The
// values of voltage and current sources are exempt.
func (s *sim) parameters() (list []perturbation) {
	for k, d := range s.devices {
		e := d.Element()
		if e.Internal || e.BSource != nil || e.Kind == 'x' {
			continue
		}
		add := func(p perturbation, value, least float64) {
			p.Element, p.Value, p.at = e.Name, value, k
			if p.step = change * math.Abs(value); p.step == 0 {
				p.step = least
			}
			if p.step > 0 {
				list = append(list, p)
			}
		}
		switch w, ok := d.(device.Swept); {
		case ok:
			add(perturbation{arg: -1}, w.Value(), map[byte]float64{'v': 1e-5, 'i': 1e-8}[e.Kind])
		case len(e.Args) > 0 && e.Args[0].IsNumber && e.Model == nil:
			add(perturbation{arg: 0}, e.Args[0].Value, 0)
		}
		for _, q := range e.Params {
			if q.Text == "" && q.Name != "ic" {
				add(perturbation{arg: -1, Sensitivity: Sensitivity{Parameter: q.Name}}, q.Value, 0)
			}
		}
		if e.Model == nil {
			continue
		}
		for _, q := range e.Model.Params {
			if q.Text == "" && q.Name != "level" {
				add(perturbation{arg: -1, Sensitivity: Sensitivity{Parameter: q.Name, Model: true}},
					q.Value, 0)
			}
		}
	}
	return list
}

// perturb builds the two fragments of a parameter in memory. At a limit of the valid range one
// fragment has the unchanged parameter.
func (s *sim) perturb(p *perturbation, memory *[2]fragment) error {
	low, err := s.changed(p, -p.step, &memory[0])
	if err != nil {
		return err
	}
	high, err := s.changed(p, p.step, &memory[1])
	if err != nil {
		return err
	}
	if low == nil && high == nil {
		s.warn(".sens leaves out " + p.name() + ": the values beside it are not valid")
		return nil
	}
	p.apart = 2 * p.step
	if low == nil || high == nil {
		p.apart = p.step
		if low == nil {
			low, err = s.changed(p, 0, &memory[0])
		} else {
			high, err = s.changed(p, 0, &memory[1])
		}
		if err != nil {
			return err
		}
	}
	p.low, p.high = low, high
	return nil
}

// changed builds the fragment t in which the parameter is changed by the given amount. It returns
// nil if the value is invalid or changes the structure of the equations, and t otherwise.
func (s *sim) changed(p *perturbation, by float64, t *fragment) (*fragment, error) {
	t.element = s.job.Circuit.Elements[p.at]
	e := &t.element
	set := func(list []netlist.Param) []netlist.Param {
		t.params = append(t.params[:0], list...)
		for i := range t.params {
			if t.params[i].Name == p.Parameter {
				t.params[i].Value += by
			}
		}
		return t.params
	}
	switch {
	case p.arg >= 0:
		t.args = append(t.args[:0], e.Args...)
		t.args[p.arg].Value += by
		e.Args = t.args
	case p.Model:
		t.model = *e.Model
		t.model.Params = set(t.model.Params)
		e.Model = &t.model
	case p.Parameter != "":
		e.Params = set(e.Params)
	}
	valid, err := t.build(s, p.at)
	if err != nil {
		if bad := (*diag.Error)(nil); errors.As(err, &bad) {
			return nil, nil
		}
		return nil, err
	}
	if !valid {
		return nil, nil
	}
	if p.arg < 0 && p.Parameter == "" {
		w, _ := t.changed.(device.Swept)
		w.SetValue(p.Value + by)
	}
	return t, nil
}

// slope writes dF/dp of the DC equations at the operating point to into.
func (p *perturbation) slope(into []float64) {
	clear(into)
	p.low.addResidual(into, -1/p.apart)
	p.high.addResidual(into, 1/p.apart)
	into[0] = 0
}

// dcSensitivity solves the adjoint circuit at DC. The output is the difference of the unknowns plus
// and minus. The returned function computes the sensitivity to one parameter.
func (s *sim) dcSensitivity(plus, minus int) func(*perturbation) error {
	psi, slope := make([]float64, s.n+1), make([]float64, s.n+1)
	slope[plus]++
	slope[minus]--
	slope[0] = 0
	s.lu.SolveTransposed(slope, psi)
	return func(p *perturbation) error {
		p.slope(slope)
		for i, f := range slope {
			p.Absolute -= psi[i] * f
		}
		p.PerPercent = p.Absolute * p.Value / 100
		return p.check(s)
	}
}

// check returns an error if the derivative is not finite.
func (p *perturbation) check(s *sim) error {
	if math.IsNaN(p.Absolute) || math.IsInf(p.Absolute, 0) || math.IsInf(p.PerPercent, 0) {
		return diag.At(diag.Singular, s.job.Analysis.Line,
			"the sensitivity to %s is not finite", p.name())
	}
	return nil
}

// acSensitivity solves the circuit and its adjoint at every frequency. The output is the difference
// of the unknowns plus and minus. The returned function computes the sensitivity to one parameter
// and adds two vectors to the result.
func (s *sim) acSensitivity(out *Output, plus, minus int) (func(*perturbation) error, error) {
	freqs, err := s.frequencies()
	if err != nil {
		return nil, err
	}
	if n := 4 * len(freqs) * (s.n + 1); !s.allowsValues(n) {
		return nil, s.tooManyNumbers(n, fewerPoints)
	}
	selected := make([]complex128, s.n+1)
	selected[plus]++
	selected[minus]--
	selected[0] = 0
	out.Vectors = []Vector{{Name: "frequency", Unit: "Hz"}}
	x, psi := make([][]complex128, len(freqs)), make([][]complex128, len(freqs))
	points, driven, err := s.overFrequencies(freqs, func(l *smallSignal, k int) error {
		if err := l.at(freqs[k]); err != nil {
			return err
		}
		x[k], psi[k] = make([]complex128, s.n+1), make([]complex128, s.n+1)
		l.solve(l.load.B, x[k])
		l.lu.SolveTransposed(selected, psi[k])
		return nil
	}, nil)
	if err != nil {
		return nil, err
	}
	if !driven {
		s.warn("no source has an ac value, so every response is 0; write V1 in 0 ac 1")
	}
	freqs = freqs[:points]
	out.Vectors[0].Values = slices.Clone(freqs)
	slope, moved := make([]float64, s.n+1), make([]float64, s.n+1)
	below, above := s.movedBias(), s.movedBias()
	unit := map[byte]string{'v': "V", 'i': "A"}[s.job.Analysis.Output.Kind]
	return func(p *perturbation) error {
		if !s.allowsValues(len(freqs) * (len(out.Vectors) + 2)) {
			return errBudget
		}
		if len(s.nonlinear) > 0 {
			p.slope(slope)
			s.solve(slope, moved)
			for i, v := range moved {
				below.load.X[i] = s.x[i] + v*p.apart/2
				above.load.X[i] = s.x[i] - v*p.apart/2
			}
			p.low.take(below.load.X)
			p.high.take(above.load.X)
		}
		p.PerPercent = -1
		magnitude := Vector{Name: p.name() + "_mag", Unit: unit}
		phase := Vector{Name: p.name() + "_phase_deg", Unit: "deg"}
		for k, f := range freqs {
			if err := s.countIteration(); err != nil {
				return err
			}
			sum := p.low.difference(p.high, psi[k], x[k], f)
			if len(s.nonlinear) > 0 {
				below.fillNonlinear(f, p.at)
				above.fillNonlinear(f, p.at)
				for i, v := range s.setup.Pattern.Difference(above.load.A, below.load.A, x[k]) {
					sum += psi[k][i] * v
				}
			}
			sum /= complex(-p.apart, 0)
			m := cmplx.Abs(sum)
			magnitude.Values, phase.Values = append(magnitude.Values, m),
				append(phase.Values, phaseDeg(sum))
			if percent := m * math.Abs(p.Value) / 100; percent > p.PerPercent ||
				math.IsNaN(percent) {
				p.Absolute, p.PerPercent, p.Hz = m, percent, f
			}
		}
		out.Vectors = append(out.Vectors, magnitude, phase)
		return p.check(s)
	}, nil
}

// movedBias prepares the small-signal equations for a bias point near the operating point.
func (s *sim) movedBias() *smallSignal {
	l := s.smallSignal()
	l.load.X = append([]float64(nil), s.x...)
	return l
}

// fillNonlinear assembles the small-signal stamps of all nonlinear devices except the element with
// index at. Only these stamps depend on the bias point. The frequency is hz [Hz].
func (l *smallSignal) fillNonlinear(hz float64, at int) {
	clear(l.load.A)
	l.load.Omega = 2 * math.Pi * hz
	for k, d := range l.s.devices {
		if k != at && d.Nonlinear() {
			d.LoadAC(&l.load)
		}
	}
}
