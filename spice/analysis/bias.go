package analysis

import (
	"context"

	"slipstick/spice/device"
	"slipstick/spice/netlist"
)

// Bias is a circuit at its DC operating point, for package certify.
type Bias struct {
	Devices  []device.Device
	Unknowns []device.Unknown // index 0 is ground
	X        []float64        // V or A, index as Unknowns
	Shunted  []string         // nodes with a shunt to ground
	Gmin     float64          // S
	TempC    float64          // °C
}

// OperatingPoint finds the operating point of .op, whatever the analysis of the job: sources have
// their DC values, and .ic has no effect. Errors are *diag.Error.
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
