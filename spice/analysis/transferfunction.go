package analysis

import (
	"math"

	"slipstick/spice/diag"
	"slipstick/spice/netlist"
)

// TransferFunction is the small-signal DC transfer function from a source to an output.
type TransferFunction struct {
	Output, Input string
	Gain          float64  // output divided by input, in GainUnit
	GainUnit      string   // "V/V", "V/A", "A/V" or "A/A"
	InputOhm      *float64 // resistance [ohm] at the source; nil if infinite
	OutputOhm     *float64 // resistance [ohm] at the output; nil if infinite
}

// readTransferFunction parses .tf v(out) SOURCE.
func readTransferFunction(c *netlist.CardReader, a *netlist.Analysis) error {
	return readOutputAndInput(c, a)
}

// transferFunction runs the .tf analysis (SPICE2 manual, .tf). It needs two solutions with the
// Jacobian of the operating point and one with its transpose.
func (s *sim) transferFunction() (*Output, error) {
	a := s.job.Analysis
	plus, minus, err := s.output(a.Output)
	if err != nil {
		return nil, err
	}
	entries, kind, err := s.input(a.Input)
	if err != nil {
		return nil, err
	}
	if err := s.operatingPoint(); err != nil {
		return nil, err
	}
	if err := s.jacobian(); err != nil {
		return nil, err
	}
	r := &TransferFunction{Output: a.Output.Text, Input: a.Input}
	b, x, y := make([]float64, s.n+1), make([]float64, s.n+1), make([]float64, s.n+1)
	b[plus]++
	b[minus]--
	b[0] = 0
	s.solve(b, y)
	s.lu.SolveTransposed(b, x)
	for _, e := range entries {
		r.Gain += e.Value * x[e.Row]
	}
	r.Gain += 0 // -0 + 0 = 0
	if math.IsNaN(r.Gain) || math.IsInf(r.Gain, 0) {
		return nil, diag.At(diag.Singular, a.Line, "the gain from %s to %s is not finite",
			a.Input, a.Output.Text)
	}
	// Excite a voltage output with a unit current, and a current output with a unit voltage in
	// series.
	across := y[plus] - y[minus]
	if a.Output.Kind == 'i' {
		across = -1 / across
	}
	r.OutputOhm = finite(across)
	clear(b)
	for _, e := range entries {
		b[e.Row] += e.Value
	}
	b[0] = 0
	s.solve(b, x)
	across = 0
	for _, e := range entries {
		across += e.Value * x[e.Row]
	}
	if kind == 'v' {
		across = -1 / across
	}
	r.InputOhm = finite(across)
	units := map[byte]string{'v': "V", 'i': "A"}
	r.GainUnit = units[a.Output.Kind] + "/" + units[kind]
	return &Output{Vectors: s.solution(), Points: s.devicePoints(), Detail: r}, nil
}

// openCircuit is the largest finite resistance [ohm] in a result. The conductance gmin of a
// junction and the shunt of a floating node correspond to 1e12 ohm each.
const openCircuit = 1e18

// finite returns a pointer to a resistance [ohm], or nil if it is NaN or exceeds openCircuit.
func finite(ohms float64) *float64 {
	if math.IsNaN(ohms) || math.Abs(ohms) > openCircuit {
		return nil
	}
	ohms += 0 // -0 + 0 = 0
	return &ohms
}

// jacobian factors the Jacobian of the DC equations at the operating point.
func (s *sim) jacobian() error {
	s.loadLinear()
	s.linearize()
	copy(s.series.factored, s.series.atNodes)
	s.factored = false
	return s.lu.Factor(s.a)
}
