package device

import (
	"errors"
	"math"

	"slipstick/spice/diag"
	"slipstick/spice/netlist"
)

// coupling implements Kname L1 L2 ... k. Every pair of the inductors has the mutual inductance
// k·sqrt(La·Lb), which is part of the inductor equations.
type coupling struct {
	e *netlist.Element
	k float64
}

// mutual is the mutual inductance with another inductor.
type mutual struct {
	other   *inductor
	nominal float64 // signed mutual inductance [H] at the nominal temperature
	henries float64 // signed mutual inductance [H] at the circuit temperature
}

func newCoupling(m *cardReader) Device {
	d := &coupling{e: m.e, k: m.value("k", "a coupling factor")}
	m.rejectExtraArgs(1, "k")
	if !(math.Abs(d.k) <= 1) {
		m.fail(diag.BadValue, "%s: the coupling factor must lie from -1 to 1, not %g",
			m.e.Name, d.k)
	}
	return d
}

func (d *coupling) Element() *netlist.Element { return d.e }
func (d *coupling) Nonlinear() bool           { return false }
func (d *coupling) Temperature(Env)           {}
func (d *coupling) Setup(*Setup)              {}
func (d *coupling) Terminals() Terminals      { return Terminals{} }
func (d *coupling) Load(*Load)                {}
func (d *coupling) LoadAC(*ACLoad)            {}

// LoadInterval adds nothing, because the fluxes are constant at DC.
func (d *coupling) LoadInterval(*IntervalLoad) {}

// Link adds the mutual inductances to the inductors.
func (d *coupling) Link(s *Setup) error {
	fail := func(code diag.Code, format string, args ...any) error {
		return diag.On(code, d.e.Line, d.e.Name, format, args...)
	}
	for i, name := range d.e.Refs {
		a := s.inductors[name]
		if a == nil {
			return fail(diag.UnknownSource,
				"%s couples %s, which is not an inductor of the circuit", d.e.Name, name)
		}
		if a.henries < 0 {
			return fail(diag.BadValue, "%s couples %s, whose inductance of %g H is negative",
				d.e.Name, name, a.henries)
		}
		for _, other := range d.e.Refs[:i] {
			if other == name {
				return fail(diag.BadValue, "%s couples %s with itself", d.e.Name, name)
			}
			b := s.inductors[other]
			for _, m := range a.mutual {
				if m.other == b {
					return fail(diag.DuplicateDefinition,
						"%s couples %s and %s, which are coupled already", d.e.Name, other, name)
				}
			}
			h := d.k * math.Sqrt(a.henries) * math.Sqrt(b.henries)
			a.couple(s, b, h)
			b.couple(s, a, h)
		}
	}
	return nil
}

// Link calls the Link method of every Linker and then verifies that the coupled inductors are
// passive. Errors are of type *diag.Error.
func (s *Setup) Link(devices []Device) error {
	var errs []*diag.Error
	for _, d := range devices {
		if l, ok := d.(Linker); ok {
			if fault, ok := errors.AsType[*diag.Error](l.Link(s)); ok {
				errs = append(errs, fault)
			}
		}
	}
	if first := diag.Join(errs); first != nil {
		return first
	}
	for _, d := range devices {
		if k, ok := d.(*coupling); ok {
			if err := s.checkPassive(k); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkPassive returns an error if the inductance matrix of the inductors of d and all inductors
// coupled to them is not positive semidefinite. With such a matrix the inductors could generate
// energy.
func (s *Setup) checkPassive(d *coupling) error {
	group := []*inductor{s.inductors[d.e.Refs[0]]}
	at := map[*inductor]int{group[0]: 0}
	for i := 0; i < len(group); i++ {
		for _, m := range group[i].mutual {
			if _, ok := at[m.other]; !ok {
				at[m.other] = len(group)
				group = append(group, m.other)
			}
		}
	}
	// Factorize the matrix of coupling factors (Cholesky). A zero pivot is valid, because it means
	// perfect coupling.
	n := len(group)
	k := make([][]float64, n)
	for i := range k {
		k[i] = make([]float64, n)
		k[i][i] = 1
		for _, m := range group[i].mutual {
			if j := at[m.other]; m.henries != 0 {
				k[i][j] = m.henries / math.Sqrt(group[i].henries) / math.Sqrt(m.other.henries)
			}
		}
	}
	for c := range n {
		for j := range c {
			k[c][c] -= k[c][j] * k[c][j]
		}
		bad := k[c][c] < -1e-9
		p := math.Sqrt(math.Max(k[c][c], 0))
		k[c][c] = p
		for r := c + 1; r < n && !bad; r++ {
			for j := range c {
				k[r][c] -= k[r][j] * k[c][j]
			}
			if p > 1e-6 {
				k[r][c] /= p
			} else {
				bad = math.Abs(k[r][c]) > 1e-5
				k[r][c] = 0
			}
		}
		if bad {
			return diag.On(diag.BadValue, d.e.Line, d.e.Name,
				"%s: the coupling factors are inconsistent: the inductance matrix of the coupled inductors is not positive semidefinite", d.e.Name)
		}
	}
	return nil
}
