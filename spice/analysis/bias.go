package analysis

import (
	"context"

	"slipstick/spice/device"
	"slipstick/spice/netlist"
)

// Bias describes a circuit at its DC operating point. It is the input of package certify.
type Bias struct {
	Devices  []device.Device
	Unknowns []device.Unknown // unknowns of the MNA system; index 0 is ground
	X        []float64        // solution [V or A], indexed like Unknowns
	Shunted  []string         // names of the nodes with a shunt to ground
	Gmin     float64          // conductance [S] across every junction
	TempC    float64          // temperature [°C]
}

// OperatingPoint computes the operating point as .op does, regardless of the analysis of the job.
// Sources have their DC values, and .ic has no effect. Errors are of type *diag.Error.
func OperatingPoint(ctx context.Context, job Job) (*Bias, error) {
	job.Analysis = netlist.Analysis{Kind: "op", Line: job.Analysis.Line}
	job.Progress = nil
	s, err := newSim(ctx, job)
	if err != nil {
		return nil, err
	}
	if err := s.operatingPoint(); err != nil {
		return nil, s.userError(err)
	}
	b := &Bias{Devices: s.devices, Unknowns: s.setup.Unknowns, X: s.x, Gmin: s.opt.Gmin,
		TempC: s.opt.TempC}
	for _, n := range s.gminShunts {
		b.Shunted = append(b.Shunted, s.setup.Unknowns[n].Name)
	}
	return b, nil
}
