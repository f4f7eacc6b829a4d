package simulation

import "slipstick/spice"

// ExistenceCertificate is the result for the option certify.
type ExistenceCertificate struct {
	Certified    bool      `json:"certified" label:"Certified" doc:"A DC operating point is proven to exist near center"`
	Method       string    `json:"method" label:"Method" doc:"Newton-Kantorovich or Krawczyk, the test that succeeded; empty when refused"`
	Rho          *float64  `json:"rho" unit:"1" label:"Error radius ρ" doc:"Every unknown of the operating point lies within rho times its weight of its value in center; null when refused"`
	Eta          *float64  `json:"eta" unit:"1" label:"First Newton correction η" doc:"Bound of the first Newton correction, in the norm; null when none was found"`
	H            *float64  `json:"h" unit:"1" label:"Kantorovich product h" doc:"eta times k_lipschitz; the Newton-Kantorovich test succeeds up to 1/2; 0 for linear circuits"`
	KLipschitz   *float64  `json:"k_lipschitz" unit:"1" label:"Lipschitz constant K" doc:"Affine covariant Lipschitz constant of the Jacobian, in the norm"`
	RhoUnique    *float64  `json:"rho_unique" unit:"1" label:"Uniqueness radius" doc:"No second operating point lies within rho_unique times the weights of center"`
	Unknowns     []string  `json:"unknowns" label:"Unknowns" doc:"Node voltages v(node), branch currents i(element), inner nodes v(element#part)"`
	Center       []float64 `json:"center" unit:"1" label:"Operating point" doc:"Computed operating point [V, A], one value per unknown"`
	Weights      []float64 `json:"weights" unit:"1" label:"Norm weights" doc:"Weights of the norm [V, A], one per unknown"`
	Norm         string    `json:"norm" label:"Norm" doc:"Norm in which rho, eta and rho_unique are measured"`
	Gmin         float64   `json:"gmin" unit:"S" label:"Gmin" doc:"Conductance across every junction in the equations"`
	TemperatureC float64   `json:"temperature_c" unit:"°C" label:"Temperature" doc:"Circuit temperature in the equations"`
	Statement    string    `json:"statement" label:"Statement" doc:"Proven statement, in one sentence; empty when refused"`
	Reason       string    `json:"reason" label:"Reason" doc:"Reason for the refusal; empty when certified"`
}

// ToleranceCertificate is the result for the option tolerances.
type ToleranceCertificate struct {
	Certified  bool               `json:"certified" label:"Certified" doc:"The interval is proven"`
	Interval   []float64          `json:"interval" unit:"V" label:"Output voltage range" doc:"Lowest and highest output voltage over all values within the tolerances; empty when refused"`
	Nominal    *float64           `json:"nominal" unit:"V" label:"Nominal output voltage" doc:"Output voltage at the nominal element values"`
	OutputNode string             `json:"output_node" label:"Output node" doc:"Node whose voltage range is proven"`
	WorstLow   map[string]float64 `json:"worst_low" unit:"1" label:"Values at the lowest voltage" doc:"Element values [ohm, V, A] at which the lowest voltage found occurs"`
	WorstHigh  map[string]float64 `json:"worst_high" unit:"1" label:"Values at the highest voltage" doc:"Element values [ohm, V, A] at which the highest voltage found occurs"`
	Method     string             `json:"method" label:"Method" doc:"vertex enumeration or corner solves: the interval is exact but for rounding; bisection: it may be wider"`
	Reason     string             `json:"reason" label:"Reason" doc:"Reason for the refusal; empty when certified"`
}

// NewExistenceCertificate converts a certificate of the simulator. It returns nil for nil.
func NewExistenceCertificate(c *spice.Certificate) *ExistenceCertificate {
	if c == nil {
		return nil
	}
	list := func(v []float64) []float64 { return append([]float64{}, v...) }
	return &ExistenceCertificate{
		Certified: c.Certified, Method: c.Method, Rho: c.Rho, Eta: c.Eta, H: c.H, KLipschitz: c.K,
		RhoUnique: c.RhoUnique,
		Unknowns: append(
			[]string{},
			c.Unknowns...),
		Center: list(c.Center), Weights: list(c.Weights), Norm: c.Norm, Gmin: c.Gmin,
		TemperatureC: c.TempC, Statement: c.Statement, Reason: c.Reason,
	}
}

// NewToleranceCertificate converts a certificate of the simulator. It returns nil for nil.
func NewToleranceCertificate(c *spice.ToleranceCertificate) *ToleranceCertificate {
	if c == nil {
		return nil
	}
	out := &ToleranceCertificate{
		Certified: c.Certified, Nominal: c.Nominal, OutputNode: c.Output, Method: c.Method,
		Reason: c.Reason, Interval: []float64{}, WorstLow: map[string]float64{},
		WorstHigh: map[string]float64{},
	}
	if c.Interval != nil {
		out.Interval = c.Interval[:]
	}
	for _, e := range c.WorstLow {
		out.WorstLow[e.Element] = e.Value
	}
	for _, e := range c.WorstHigh {
		out.WorstHigh[e.Element] = e.Value
	}
	return out
}
