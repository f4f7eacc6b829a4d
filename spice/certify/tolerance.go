package certify

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
	"time"

	"slipstick/spice/analysis"
	"slipstick/spice/device"
	"slipstick/spice/diag"
	"slipstick/spice/interval"
	"slipstick/spice/netlist"
)

// maxEnumerated is the largest number of toleranced resistors in a linear circuit for which all
// corners are visited.
const maxEnumerated = 16

// Corner is the value [ohm, V or A] of one element at an extreme of the output.
type Corner struct {
	Element string
	Value   float64
}

// Tolerance is the proven range of an output voltage for element values within their tolerances, or
// the reason why no proof was found.
type Tolerance struct {
	Certified bool
	Interval  *[2]float64 // lowest and highest output voltage [V]; nil if not certified
	Nominal   *float64    // output voltage [V] at nominal values
	Output    string      // name of the output node
	WorstLow  []Corner    // element values at the lowest voltage found, sorted by name
	WorstHigh []Corner
	// Method is "vertex enumeration" or "corner solves" (exact apart from rounding), or "bisection"
	// (valid, possibly too wide).
	Method string
	Reason string // reason why no proof was found; empty if certified
}

// CheckTolerances validates the request. tolerances holds fractions by element name. Errors are of
// type *diag.Error.
func CheckTolerances(ckt *netlist.Circuit, tolerances map[string]float64, output string) error {
	kinds := map[string]byte{}
	for i := range ckt.Elements {
		kinds[ckt.Elements[i].Name] = ckt.Elements[i].Kind
	}
	for _, name := range slices.Sorted(maps.Keys(tolerances)) {
		field := "tolerances." + name
		k, ok := kinds[strings.ToLower(name)]
		if !ok {
			return diag.In(diag.BadRequest, field, "there is no element %s in the circuit", name)
		}
		if k != 'r' && k != 'v' && k != 'i' {
			return diag.In(diag.BadRequest, field,
				"%s cannot have a tolerance; only R, V and I elements can", name)
		}
		if t := tolerances[name]; !(t >= 0 && t < 1) {
			return diag.In(diag.BadRequest, field,
				"the tolerance of %s must be a fraction from 0 to below 1, not %g", name, t)
		}
	}
	if output == "" {
		return diag.In(diag.BadRequest, "output_node",
			"tolerances need an output_node, the node whose voltage is wanted")
	}
	node := nodeName(output)
	if node == "0" {
		return nil
	}
	for _, n := range ckt.Nodes {
		if n == node {
			return nil
		}
	}
	return diag.In(diag.UnknownNode, "output_node", "there is no node %q in the circuit", output)
}

// nodeName returns the name of the node in lower case for both forms, out and v(out). It returns 0
// for gnd.
func nodeName(s string) string {
	s = strings.ToLower(strings.TrimSpace(s))
	if strings.HasPrefix(s, "v(") && strings.HasSuffix(s, ")") {
		s = strings.TrimSpace(s[2 : len(s)-1])
	}
	if s == "gnd" {
		return "0"
	}
	return s
}

// Tolerances tries to prove the range of the output node's voltage, with end as the deadline.
// CheckTolerances must have accepted the request. Tolerances returns an error only if ctx is done.
func Tolerances(ctx context.Context, bias *analysis.Bias, tolerances map[string]float64,
	output string, end time.Time) (*Tolerance, error) {
	t := &Tolerance{Output: nodeName(output)}
	s, reason := newSystem(ctx, bias, end)
	if reason != "" {
		t.Reason = reason
		return t, nil
	}
	out := 0
	for i, u := range bias.Unknowns {
		if !u.Branch && !u.Internal && u.Name == t.Output {
			out = i
		}
	}
	nominal := bias.X[out]
	t.Nominal = &nominal
	err := s.addTolerances(tolerances)
	if err == nil {
		err = t.prove(s, out)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		*t = Tolerance{Output: t.Output, Nominal: t.Nominal, Reason: err.Error()}
	}
	return t, nil
}

// addTolerances creates a parameter for each element with a tolerance above 0.
func (s *system) addTolerances(tolerances map[string]float64) error {
	width := map[string]float64{}
	for _, name := range slices.Sorted(maps.Keys(tolerances)) {
		width[strings.ToLower(name)] = tolerances[name]
	}
	l := device.IntervalLoad{X: pointIntervals(s.bias.X), Gmin: s.bias.Gmin}
	for i, d := range s.bias.Devices {
		before := len(l.Branches)
		s.devs[i].LoadInterval(&l)
		tol := width[d.Element().Name]
		if tol == 0 {
			continue
		}
		p := param{name: d.Element().Name, kind: d.Element().Kind, dev: i, branch: before}
		p.nominal = d.(device.Swept).Value()
		if p.kind == 'v' {
			p.branch = len(l.Branches) - 1 // the term follows the two terms of the source current
		}
		if p.kind == 'r' && p.nominal == 0 {
			return fmt.Errorf("%s has 0 ohm, and a tolerance of 0 ohm means nothing", p.name)
		}
		b := &l.Branches[p.branch]
		p.a, p.b = b.P, b.N
		v := interval.Point(p.nominal)
		one := interval.Point(1)
		p.ends = [2]interval.I{v.Mul(one.AddF(-tol)), v.Mul(one.AddF(tol))}
		if p.nominal < 0 {
			p.ends[0], p.ends[1] = p.ends[1], p.ends[0]
		}
		p.box = p.ends[0].Hull(p.ends[1])
		p.lo, p.hi = p.ends[0].Mid(), p.ends[1].Mid()
		if p.nominal != 0 {
			s.params = append(s.params, p)
		}
	}
	s.collectPairs()
	return nil
}

// prove selects the method and computes the range of the unknown with index out.
func (t *Tolerance) prove(s *system, out int) error {
	if out == 0 {
		t.Certified, t.Interval, t.Method = true, &[2]float64{}, "vertex enumeration"
		return nil
	}
	resistors := 0
	for _, p := range s.params {
		if p.kind == 'r' {
			resistors++
		}
	}
	if s.linear && resistors <= maxEnumerated {
		return t.enumerate(s, out)
	}
	return t.search(s, out)
}

// finish stores a proven range r [V] and the name of its method.
func (t *Tolerance) finish(r interval.I, method string) error {
	if !r.Finite() {
		return errors.New("no finite range was found")
	}
	t.Certified, t.Method = true, method
	t.Interval = &[2]float64{r.Lo, r.Hi}
	return nil
}

// corner returns the parameter values as a list sorted by element name.
func (s *system) corner(values []float64) []Corner {
	list := make([]Corner, len(s.params))
	for i, p := range s.params {
		list[i] = Corner{p.name, values[i]}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Element < list[j].Element })
	return list
}
