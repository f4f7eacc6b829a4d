package spice

import (
	"math"
	"testing"
)

// TestThermalNetwork verifies a thermal network of large capacitors at an ambient temperature of 25
// V beside a transistor. The charge between its nodes is 0 except for rounding, which must not
// determine the steps. The reference for the heating is ngspice 39, 42.52888 °C.
func TestThermalNetwork(t *testing.T) {
	r := run(t, `t
VCE c 0 20
VBE b 0 PULSE(0 0.7 1m 1u 1u 50m 100m)
Q1 c b 0 qp
BP 0 tj I=-V(c)*I(VCE)
R1 tj t1 0.5
C1 tj t1 1m
R2 t1 tc 1.5
C2 t1 tc 50m
VA tc 0 25
.model qp npn(is=1p bf=80 vaf=50 ikf=5)
.tran 0.1m 100m
.meas tran top max v(tj)
.end`, "tran")
	if n := r.Statistics.NewtonIterations; n > 5000 {
		t.Errorf("%d iterations", n)
	}
	if v := r.Measures[0].Value; v == nil || math.Abs(*v-42.52888) > 1e-3*17.5 {
		t.Errorf("hottest %v; %q", v, r.Warnings)
	}
}
