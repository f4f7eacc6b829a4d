package analysis

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"slipstick/spice/diag"
	"slipstick/spice/mna"
	"slipstick/spice/netlist"
)

// userError converts err into a *diag.Error.
func (s *sim) userError(err error) error {
	var d *diag.Error
	if errors.As(err, &d) {
		return d
	}
	var sing *mna.SingularError
	line := s.job.Analysis.Line
	switch {
	case errors.As(err, &sing):
		return s.singularError(sing)
	case errors.Is(err, errBudget):
		advice := "looser tolerances"
		if s.job.Analysis.Kind == "tran" { // they do not exceed the defaults (Options.limited)
			advice = "a shorter run"
		}
		return diag.At(diag.NoConvergence, line,
			"no result within the %s; use a smaller circuit or %s", s.limit(), advice)
	}
	return s.noOperatingPoint(err, s.worstResidual(err))
}

// noOperatingPoint returns the error for an operating point that failed with err. reason is the
// result of worstResidual at the failure.
func (s *sim) noOperatingPoint(err error, reason string) error {
	var p *pole
	if errors.As(err, &p) {
		return diag.On(diag.NoConvergence, s.job.Analysis.Line, p.element.Name,
			"%s; no operating point was found", p.Error())
	}
	return diag.At(diag.NoConvergence, s.job.Analysis.Line, "no operating point was found: "+
		"Newton's method, gmin stepping, source stepping and pseudo-transient all failed%s", reason)
}

// worstResidual describes why Newton's method failed with err. It names the branch current that
// exceeded the limit largest, or the source that divides by 0. Otherwise it names the row with the
// largest residual of the last iteration.
func (s *sim) worstResidual(err error) string {
	var p *pole
	if errors.As(err, &p) {
		return "; " + p.Error()
	}
	var d *divergence
	if errors.As(err, &d) && s.setup.Unknowns[d.unknown].Branch {
		u := s.setup.Unknowns[d.unknown]
		return fmt.Sprintf(
			"; more than %g A would flow through %s (line %d), because nothing limits "+
				"the current of a junction: put a resistor in series or give its model rs",
			largest, u.Element.Name, u.Element.Line)
	}
	at, most := 0, 0.0
	for i := 1; i <= s.n; i++ {
		r := math.Abs(s.f[i]) / (s.opt.Abstol + s.opt.Reltol*s.scale[i])
		if r > most || math.IsNaN(r) {
			at, most = i, r
			if math.IsNaN(r) {
				break
			}
		}
	}
	if at == 0 {
		return ""
	}
	u := s.setup.Unknowns[at]
	if u.Branch || u.Internal {
		return fmt.Sprintf("; the largest residual is at %s (line %d)", u.Element.Name,
			u.Element.Line) + jumpHint(u.Element)
	}
	text := "; the largest residual is at node " + u.Name
	for _, d := range s.devices {
		e := d.Element()
		if hint := jumpHint(e); hint != "" && slices.Contains(e.Nodes, u.Name) {
			return fmt.Sprintf("%s of %s (line %d)%s", text, e.Name, e.Line, hint)
		}
	}
	for _, d := range s.poles {
		if e := d.Element(); slices.Contains(e.Nodes, u.Name) {
			return fmt.Sprintf("%s of %s (line %d), whose expression divides: a load of constant "+
				"power needs a least voltage, such as 10/max(v(out),1)", text, e.Name, e.Line)
		}
	}
	return text
}

// pole is the error of a solution at which an expression divides by 0. It matches errDiverged,
// because another method or a shorter step may find another solution.
type pole struct {
	element     *netlist.Element
	denominator string
}

func (p *pole) Error() string {
	return fmt.Sprintf("%s (line %d) divides by %s, which is 0", p.element.Name, p.element.Line,
		p.denominator)
}

// Is lets errors.Is match a pole with errDiverged.
func (p *pole) Is(target error) bool { return target == errDiverged }

// poleError returns a *pole with the first source whose expression divides by 0 at the present
// solution and has an implausible value. It returns nil if there is none.
func (s *sim) poleError() error {
	for _, d := range s.poles {
		if denominator := d.Pole(&s.load); denominator != "" {
			return &pole{d.Element(), denominator}
		}
	}
	return nil
}

// jumpHint returns the remedy for an element whose expression can jump, or "".
func jumpHint(e *netlist.Element) string {
	if e.BSource == nil || !e.BSource.Program.Discontinuous() {
		return ""
	}
	return ", whose expression jumps: a comparator in a feedback loop may need hysteresis"
}

// singularError returns an error that names the first element or node that the singular matrix
// leaves undetermined.
func (s *sim) singularError(e *mna.SingularError) error {
	open := append(append([]int(nil), e.Cols...), e.Rows...)
	if len(open) == 0 {
		return diag.At(diag.Singular, 0, "the equations have no unique solution")
	}
	u := s.setup.Unknowns[open[0]]
	if u.Element != nil {
		return diag.On(diag.Singular, u.Element.Line, u.Element.Name,
			"the equations have no unique solution; %s is part of the undetermined equations",
			u.Element.Name)
	}
	var users []int
	for i, d := range s.devices {
		if slices.Contains(d.Element().Nodes, u.Name) {
			users = append(users, i)
		}
	}
	if len(users) == 0 {
		return diag.At(diag.Singular, 0,
			"the equations have no unique solution; the voltage of node %s is not determined",
			u.Name)
	}
	err := diag.At(diag.Singular, s.devices[users[0]].Element().Line,
		"the equations have no unique solution; the voltage of node %s is not determined by %s",
		u.Name, s.listDevices(users[:min(len(users), 6)]))
	err.Node = u.Name
	return err
}

// short formats v with at most 9 significant digits.
func short(v float64) string { return strconv.FormatFloat(v, 'g', 9, 64) }
