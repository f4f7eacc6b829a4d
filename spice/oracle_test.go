package spice

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/cmplx"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"slipstick/spice/netlist"
)

// TestAgainstNgspice runs every circuit of testdata/circuits with every analysis card in
// it, here and in ngspice, and compares all vectors. ngspice gets tolerances of 1e-6 and
// a quarter of our largest step, so that it stands for the truth.
//
// The distance is, for op and dc, the largest difference beside the vector's largest
// value; for ac, the difference of the phasors beside ngspice's, point by point; for tran,
// the largest difference beside the peak-to-peak value, our points joined by lines.
func TestAgainstNgspice(t *testing.T) {
	ng, err := exec.LookPath("ngspice")
	if err != nil {
		t.Skip("NOT COMPARED: ngspice is not in PATH; the simulator's results were not checked against the oracle")
	}
	files, err := filepath.Glob("testdata/circuits/*.cir")
	if err != nil || len(files) < 12 {
		t.Fatalf("testdata/circuits: %d files, %v", len(files), err)
	}
	limit := map[string]float64{"op": 1e-3, "dc": 1e-3, "ac": 1e-3, "tran": 1e-2}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, kind := range []string{"op", "dc", "ac", "tran"} {
			if !strings.Contains(string(text), "\n."+kind+" ") && !strings.Contains(string(text), "\n."+kind+"\n") {
				continue
			}
			name := strings.TrimSuffix(filepath.Base(file), ".cir") + "/" + kind
			t.Run(name, func(t *testing.T) {
				want := ngspice(t, ng, string(text), kind)
				got, err := Simulate(context.Background(), Request{Netlist: string(text), Analysis: kind})
				if err != nil {
					t.Fatal(err)
				}
				worst, where := distance(got, want, kind, steep[name])
				e := "-"
				if p := got.Statistics.ErrorEstimatePct; p != nil {
					e = fmt.Sprintf("%.3g", *p)
				}
				t.Logf("%-24s %.2e %-12s newton %6d steps %6d rejected %4d aid %s estimate %s %% rows %d in %v (ngspice rows %d) %v", name, worst, where, got.Statistics.NewtonIterations,
					got.Statistics.TimeSteps, got.Statistics.RejectedSteps, got.Statistics.ConvergenceAid, e, len(got.Vectors[0].Values), got.Runtime, len(want[0].real), got.Warnings)
				if !(worst <= limit[kind]) {
					t.Errorf("%s differs by %.3g at %s, allowed %g", name, worst, where, limit[kind])
				}
			})
		}
	}
}

// steep are circuits whose edges are steeper than the time points are dense: one switches
// by itself, so that an edge lies where all the time before it puts it; the gate current
// of the other jumps at the corners of its source. They may be early or late by this part
// of the duration before the difference counts as one of voltage or current.
var steep = map[string]float64{"multivibrator/tran": 1e-4, "cmos_inverter/tran": 1e-4}

type rawVector struct {
	name string
	real []float64
	imag []float64
}

// only keeps one kind of analysis card.
func only(text, kind string) string {
	var out []string
	for _, l := range strings.Split(text, "\n") {
		w := strings.ToLower(strings.SplitN(l, " ", 2)[0])
		if (w == ".op" || w == ".dc" || w == ".ac" || w == ".tran") && w != "."+kind {
			continue
		}
		out = append(out, l)
	}
	return strings.Join(out, "\n")
}

func ngspice(t *testing.T, ng, text, kind string) []rawVector {
	t.Helper()
	text = only(text, kind)
	extra := ".options reltol=1e-6 abstol=1e-14 vntol=1e-9 chgtol=1e-16 trtol=1\n.end"
	ckt, err := netlist.Parse(text, netlist.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if kind == "tran" {
		a := ckt.Analyses[0]
		step := math.Min(a.Step, (a.Stop-a.Start)/50) / 16
		lines := strings.Split(text, "\n")
		for i, l := range lines {
			if strings.HasPrefix(strings.ToLower(l), ".tran") {
				lines[i] = fmt.Sprintf(".tran %g %g %g %g", a.Step, a.Stop, a.Start, step)
				if a.UIC {
					lines[i] += " uic"
				}
			}
		}
		text = strings.Join(lines, "\n")
	}
	text = strings.Replace(text, ".end\n", extra+"\n", 1)
	dir := t.TempDir()
	cir, raw := filepath.Join(dir, "a.cir"), filepath.Join(dir, "a.raw")
	if err := os.WriteFile(cir, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	msg, err := exec.Command(ng, "-b", "-r", raw, cir).CombinedOutput()
	data, rerr := os.ReadFile(raw)
	if rerr != nil {
		t.Fatalf("ngspice: %v\n%s", err, msg)
	}
	return readRaw(t, data)
}

// readRaw reads ngspice's binary raw file.
func readRaw(t *testing.T, data []byte) []rawVector {
	t.Helper()
	head, body, ok := bytes.Cut(data, []byte("Binary:\n"))
	if !ok {
		t.Fatal("raw file without a Binary: line")
	}
	var vars, points int
	complexes := false
	var names []string
	inVars := false
	for _, l := range strings.Split(string(head), "\n") {
		switch {
		case strings.HasPrefix(l, "No. Variables:"):
			vars, _ = strconv.Atoi(strings.TrimSpace(l[14:]))
		case strings.HasPrefix(l, "No. Points:"):
			points, _ = strconv.Atoi(strings.TrimSpace(l[11:]))
		case strings.HasPrefix(l, "Flags:"):
			complexes = strings.Contains(l, "complex")
		case strings.HasPrefix(l, "Variables:"):
			inVars = true
		case inVars:
			if f := strings.Fields(l); len(f) >= 3 {
				names = append(names, strings.ToLower(f[1]))
			}
		}
	}
	out := make([]rawVector, vars)
	r := bytes.NewReader(body)
	next := func() float64 {
		var u [8]byte
		if _, err := r.Read(u[:]); err != nil {
			t.Fatal(err)
		}
		return math.Float64frombits(binary.LittleEndian.Uint64(u[:]))
	}
	for range points {
		for k := range vars {
			out[k].name = names[k]
			out[k].real = append(out[k].real, next())
			if complexes {
				out[k].imag = append(out[k].imag, next())
			}
		}
	}
	return out
}

// distance compares every vector that both have.
func distance(got *Result, want []rawVector, kind string, slack float64) (worst float64, where string) {
	find := func(name string) []float64 {
		for _, v := range got.Vectors {
			if v.Name == name {
				return v.Values
			}
		}
		return nil
	}
	compared := 0
	for _, w := range want {
		// The same time, frequency or sweep, and never the inside of a device.
		if strings.Contains(w.name, "#") && !strings.HasSuffix(w.name, "#branch") || w.name == "time" || w.name == "frequency" || strings.HasSuffix(w.name, "-sweep") {
			continue
		}
		name := w.name
		d := 0.0
		switch kind {
		case "ac":
			mag, ph := find(name+"_mag"), find(name+"_phase_deg")
			if mag == nil {
				continue
			}
			big := 0.0
			for i := range w.real {
				big = math.Max(big, math.Hypot(w.real[i], w.imag[i]))
			}
			if big == 0 {
				continue
			}
			if len(mag) != len(w.real) {
				return math.Inf(1), name + " length"
			}
			for i := range mag {
				z := complex(w.real[i], w.imag[i])
				d = math.Max(d, cmplx.Abs(cmplx.Rect(mag[i], ph[i]*math.Pi/180)-z)/(cmplx.Abs(z)+1e-9*big))
			}
		case "tran":
			v := find(name)
			if v == nil {
				continue
			}
			lo, hi := math.Inf(1), math.Inf(-1)
			for _, x := range w.real {
				lo, hi = math.Min(lo, x), math.Max(hi, x)
			}
			if hi-lo < 1e-9*math.Max(math.Abs(hi), math.Abs(lo)) || hi == lo {
				continue
			}
			time, k := got.Vectors[0].Values, 0
			for i, tw := range want[0].real {
				for k+2 < len(time) && time[k+1] < tw {
					k++
				}
				f := math.Min(math.Max((tw-time[k])/(time[k+1]-time[k]), 0), 1)
				now := v[k] + f*(v[k+1]-v[k])
				least, most := now, now
				for j := k; slack > 0 && j >= 0 && tw-time[j] < slack*time[len(time)-1]; j-- {
					least, most = math.Min(least, v[j]), math.Max(most, v[j])
				}
				for j := k + 1; slack > 0 && j < len(v) && time[j]-tw < slack*time[len(time)-1]; j++ {
					least, most = math.Min(least, v[j]), math.Max(most, v[j])
				}
				d = math.Max(d, math.Max(least-w.real[i], w.real[i]-most)/(hi-lo))
			}
		default:
			v := find(name)
			if v == nil {
				continue
			}
			if len(v) != len(w.real) {
				return math.Inf(1), name + " length"
			}
			big := 1e-9
			for _, x := range w.real {
				big = math.Max(big, math.Abs(x))
			}
			for i := range v {
				d = math.Max(d, math.Abs(v[i]-w.real[i])/big)
			}
		}
		compared++
		if d >= worst {
			worst, where = d, name
		}
	}
	if compared == 0 {
		return math.Inf(1), "nothing to compare"
	}
	return worst, where
}
