package e2e

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/cmplx"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// reference is what ngspice says: its independent variable and its vectors, complex for AC.
type reference struct {
	sweep   []float64
	vectors map[string][]complex128
}

// runNgspice simulates a netlist with ngspice at reltol 1e-6 and, for transients, at a quarter
// of the print step.
func runNgspice(t *testing.T, netlist string) reference {
	t.Helper()
	if _, err := exec.LookPath("ngspice"); err != nil {
		if os.Getenv("SLIPSTICK_REQUIRE_INTEGRATION") == "1" {
			t.Fatal("ngspice is not installed, and SLIPSTICK_REQUIRE_INTEGRATION=1 asks for it")
		}
		t.Skip("SKIPPED: ngspice is not installed (Debian package ngspice)")
	}
	tran := regexp.MustCompile(`(?m)^\.tran (\S+) (\S+)$`)
	netlist = tran.ReplaceAllStringFunc(netlist, func(card string) string {
		m := tran.FindStringSubmatch(card)
		step, _ := strconv.ParseFloat(m[1], 64)
		return fmt.Sprintf(".tran %s %s 0 %g", m[1], m[2], step/4)
	})
	netlist = strings.Replace(netlist, "\n.end", "\n.options reltol=1e-6 abstol=1e-14 vntol=1e-9 chgtol=1e-18\n.end", 1)
	dir := t.TempDir()
	cir, raw := filepath.Join(dir, "c.cir"), filepath.Join(dir, "c.raw")
	if err := os.WriteFile(cir, []byte(netlist), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("ngspice", "-b", "-r", raw, cir).CombinedOutput(); err != nil {
		t.Fatalf("ngspice: %v\n%s", err, out)
	}
	data, err := os.ReadFile(raw)
	if err != nil {
		t.Fatal(err)
	}
	return readRaw(t, data)
}

// readRaw reads a binary rawfile: a header of lines, then the points one after the other.
func readRaw(t *testing.T, data []byte) reference {
	t.Helper()
	head, body, ok := bytes.Cut(data, []byte("Binary:\n"))
	if !ok {
		t.Fatalf("not a rawfile: %.200q", data)
	}
	var names []string
	points, complexFile, inVariables := 0, false, false
	for line := range strings.Lines(string(head)) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(line, "Flags:"):
			complexFile = strings.Contains(line, "complex")
		case strings.HasPrefix(line, "No. Points:"):
			points, _ = strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(line, "No. Points:")))
		case line == "Variables:":
			inVariables = true
		case inVariables:
			names = append(names, strings.ToLower(strings.Fields(line)[1]))
		}
	}
	ref := reference{vectors: map[string][]complex128{}}
	r := bytes.NewReader(body)
	for range points {
		for i, name := range names {
			var x [2]float64
			n := 1
			if complexFile {
				n = 2
			}
			if err := binary.Read(r, binary.LittleEndian, x[:n]); err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				ref.sweep = append(ref.sweep, x[0])
			} else {
				ref.vectors[name] = append(ref.vectors[name], complex(x[0], x[1]))
			}
		}
	}
	return ref
}

// at interpolates a real vector of ours.
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

// worstDifference compares every node voltage with the reference, in percent: of the vector's
// greatest magnitude for AC and DC, of its peak-to-peak value for transients.
func worstDifference(ours simulation, ref reference) (worst float64, where string) {
	for name, want := range ref.vectors {
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
		if scale < 1e-9 { // a node that stays where it is: compared with a nanovolt
			scale = 1e-9
		}
		for i, s := range ref.sweep {
			var got complex128
			switch ours.AnalysisType {
			case "ac":
				got = cmplx.Rect(ours.Vectors[name+"_mag"][i], ours.Vectors[name+"_phase_deg"][i]*math.Pi/180)
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

// TestTemplatesAgainstNgspice sends every template in every analysis through spice_template
// and spice_simulate over HTTP and compares the answers with ngspice.
func TestTemplatesAgainstNgspice(t *testing.T) {
	base := serveEmbedded(t)
	limit := map[string]float64{"ac": 0.1, "dc": 0.1, "tran": 1} // percent
	for _, template := range []string{"low_pass_rc", "voltage_divider", "common_emitter", "rc_highpass", "rlc_bandpass", "opamp_inverting", "diode_rectifier", "wien_bridge"} {
		for _, analysis := range []string{"ac", "dc", "tran"} {
			t.Run(template+"/"+analysis, func(t *testing.T) {
				var made struct {
					Netlist string `json:"netlist"`
				}
				if err := compute(base, "spice_template", map[string]any{"template": template, "params": map[string]any{}, "analysis": analysis}, &made); err != nil {
					t.Fatal(err)
				}
				var ours simulation
				if err := compute(base, "spice_simulate", map[string]any{"netlist": made.Netlist}, &ours); err != nil {
					t.Fatal(err)
				}
				if ours.AnalysisType != analysis {
					t.Fatalf("ran %s", ours.AnalysisType)
				}
				ref := runNgspice(t, made.Netlist)
				if len(ref.sweep) < 50 {
					t.Fatalf("ngspice gave %d points", len(ref.sweep))
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
