package e2e

import (
	"fmt"
	"math"
	"math/cmplx"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"slipstick/internal/ngspice"
)

// runNgspice simulates a netlist with ngspice at reltol 1e-6. The maximum time step of a transient
// is a quarter of the print step. The first vector is the independent variable.
func runNgspice(t *testing.T, netlist string) []ngspice.Vector {
	t.Helper()
	program := ngspice.Program(t)
	tran := regexp.MustCompile(`(?m)^\.tran (\S+) (\S+)$`)
	netlist = tran.ReplaceAllStringFunc(netlist, func(card string) string {
		m := tran.FindStringSubmatch(card)
		step, _ := strconv.ParseFloat(m[1], 64)
		return fmt.Sprintf(".tran %s %s 0 %g", m[1], m[2], step/4)
	})
	netlist = strings.Replace(netlist, "\n.end",
		"\n.options reltol=1e-6 abstol=1e-14 vntol=1e-9 chgtol=1e-18\n.end", 1)
	raw, _, err := ngspice.Simulate(program, netlist)
	if err != nil {
		t.Fatal(err)
	}
	vectors, err := ngspice.Read(raw)
	if err != nil {
		t.Fatal(err)
	}
	return vectors
}

// at returns the value of y at a given value of x by linear interpolation.
func at(x, y []float64, where float64) float64 {
	for i := 1; i < len(x); i++ {
		if x[i] >= where {
			if x[i] == x[i-1] {
				return y[i]
			}
			return y[i-1] + (y[i]-y[i-1])*(where-x[i-1])/(x[i]-x[i-1])
		}
	}
	return y[len(y)-1]
}

// worstDifference compares every node voltage with the reference, and returns the largest
// difference in percent. The base is the vector's greatest magnitude for AC and DC, and its
// peak-to-peak value for transients.
func worstDifference(ours simulation, ref []ngspice.Vector) (worst float64, where string) {
	for _, v := range ref[1:] {
		name, want := v.Name, v.Complex()
		if !strings.HasPrefix(name, "v(") {
			continue
		}
		scale, lo, hi := 0.0, math.Inf(1), math.Inf(-1)
		for _, w := range want {
			scale = max(scale, cmplx.Abs(w))
			lo, hi = min(lo, real(w)), max(hi, real(w))
		}
		if ours.AnalysisType == "tran" {
			scale = hi - lo
		}
		if scale < 1e-9 { // the scale of a constant node is 1 nV
			scale = 1e-9
		}
		for i, s := range ref[0].Real {
			var got complex128
			switch ours.AnalysisType {
			case "ac":
				got = cmplx.Rect(ours.Vectors[name+"_mag"][i],
					ours.Vectors[name+"_phase_deg"][i]*math.Pi/180)
			case "dc":
				got = complex(ours.Vectors[name][i], 0)
			default:
				got = complex(at(ours.Vectors["time"], ours.Vectors[name], s), 0)
			}
			if d := 100 * cmplx.Abs(got-want[i]) / scale; !(d <= worst) {
				worst, where = d, fmt.Sprintf("%s at %g: %g, ngspice %g", name, s, got, want[i])
			}
		}
	}
	return worst, where
}

// TestTemplatesAgainstNgspice compares every template in every analysis with ngspice. The templates
// run through spice_template and spice_simulate over HTTP.
func TestTemplatesAgainstNgspice(t *testing.T) {
	t.Parallel()
	base := serveEmbedded(t)
	limit := map[string]float64{"ac": 0.1, "dc": 0.1, "tran": 1} // percent
	for _, template := range []string{"low_pass_rc", "voltage_divider", "common_emitter",
		"rc_highpass", "rlc_bandpass", "opamp_inverting", "diode_rectifier", "wien_bridge"} {
		for _, analysis := range []string{"ac", "dc", "tran"} {
			t.Run(template+"/"+analysis, func(t *testing.T) {
				var made struct {
					Netlist string `json:"netlist"`
				}
				if err := compute(base, "spice_template", map[string]any{"template": template,
					"params": map[string]any{}, "analysis": analysis}, &made); err != nil {
					t.Fatal(err)
				}
				var ours simulation
				if err := compute(base, "spice_simulate", map[string]any{"netlist": made.Netlist},
					&ours); err != nil {
					t.Fatal(err)
				}
				if ours.AnalysisType != analysis {
					t.Fatalf("ran %s", ours.AnalysisType)
				}
				ref := runNgspice(t, made.Netlist)
				if len(ref[0].Real) < 50 {
					t.Fatalf("ngspice gave %d points", len(ref[0].Real))
				}
				worst, where := worstDifference(ours, ref)
				t.Logf("%s %s: worst difference %.4f %% (%s)", template, analysis, worst, where)
				if worst > limit[analysis] {
					t.Errorf("more than %g %%", limit[analysis])
				}
			})
		}
	}
}
