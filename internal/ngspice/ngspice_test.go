package ngspice

import (
	"encoding/binary"
	"math"
	"testing"
)

// rawFile returns a file of two points in ngspice's format.
func rawFile(flags string, numbers ...float64) []byte {
	b := []byte("Title: t\nFlags: " + flags + "\nNo. Variables: 2\nNo. Points: 2\nVariables:\n\t0\tfrequency\tfrequency\n\t1\tV(Out)\tvoltage\nBinary:\n")
	for _, x := range numbers {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	return b
}

func TestRead(t *testing.T) {
	v, err := Read(rawFile("complex", 1, 0, 3, 4, 2, 0, -5, 6))
	if err != nil {
		t.Fatal(err)
	}
	out, ok := Find(v, "v(out)")
	if !ok || len(v) != 2 {
		t.Fatalf("no v(out) in %v", v)
	}
	if z := out.Complex(); len(z) != 2 || z[0] != 3+4i || z[1] != -5+6i {
		t.Errorf("v(out) is %v", z)
	}
	v, err = Read(rawFile("real", 1, 7, 2, 8))
	if err != nil {
		t.Fatal(err)
	}
	if z := v[1].Complex(); len(z) != 2 || z[1] != 8 || v[1].Imag != nil {
		t.Errorf("real v(out) is %v", v[1])
	}
	for name, raw := range map[string][]byte{"cut short": rawFile("complex", 1, 0, 3, 4),
		"no numbers": []byte("Title: t\n"), "empty": nil} {
		if v, err := Read(raw); err == nil {
			t.Errorf("%s: read as %v", name, v)
		}
	}
}

// TestPrinted verifies Measures and THD for the output of a rectifier with a failed measurement.
func TestPrinted(t *testing.T) {
	const printed = "  Measurements for Transient Analysis\n\ntop                 =  9.300000e-01 at=  2.0e-03\nlate                =  failed\nq                   = -1.2e-9\n" +
		"Fourier analysis for v(out):\n  No. Harmonics: 10, THD: 12.5 %, Gridsize: 4000\nStack = 0 bytes.\n"
	if m := Measures(printed); len(m) != 2 || m["top"] != 0.93 || m["q"] != -1.2e-9 {
		t.Errorf("measures %v", m)
	}
	if d := THD(printed); len(d) != 1 || d["v(out)"] != 12.5 {
		t.Errorf("distortions %v", d)
	}
}
