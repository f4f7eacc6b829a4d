package spice

import (
	"math"
	"strings"
	"testing"
)

// tones is a netlist whose node b has 2 V at 1 kHz, 50 mV at 3 kHz and 0.5 V DC.
const tones = "t\nV1 a 0 SIN(0.5 2 1k)\nV2 b a SIN(0 50m 3k)\nR1 b 0 1k\n.tran 1u 10m 0 1u\n"

// TestFFT compares .fft with the known sines in a voltage.
func TestFFT(t *testing.T) {
	for _, window := range []string{"rect", "hann", "hamming", "blackman", "flattop"} {
		r := run(t, tones+".fft v(b) start=2m stop=10m np=1024 window="+window+"\n.end", "tran")
		if len(r.FFT) != 1 {
			t.Fatalf("%s: %d spectra, warnings %q", window, len(r.FFT), r.Warnings)
		}
		f := r.FFT[0]
		wantNear(t, window+": resolution", f.ResolutionHz, 125, 1e-9)
		if len(f.Magnitude) != 513 || f.Name != "v(b)" || f.Window != window {
			t.Errorf("%s: %d lines of %s, window %s", window, len(f.Magnitude), f.Name, f.Window)
		}
		wantNear(t, window+": mean", f.Magnitude[0], 0.5, 1e-4)
		wantNear(t, window+": 1 kHz", f.Magnitude[8], 2, 1e-4)
		wantNear(t, window+": 3 kHz", f.Magnitude[24], 50e-3, 1e-3)
		if far := f.Magnitude[100]; far > 1e-5 {
			t.Errorf("%s: %g V at 12.5 kHz, where there is nothing", window, far)
		}
	}
	// The table lists the equivalent noise bandwidth [lines] and the scalloping loss [dB] of a sine
	// between two lines (Harris 1978, table 1). The values of the flat top window are those of ISO
	// 18431-2.
	for window, want := range map[string]struct{ bandwidth, loss float64 }{
		"rect": {1, 3.92}, "hann": {1.5, 1.42}, "hamming": {1.36, 1.78}, "blackman": {1.73, 1.10},
		"flattop": {3.77, 0.01},
	} {
		r := run(t,
			"t\nV1 a 0 SIN(0 1 3.78125k)\nR1 a 0 1k\n.tran 1u 16m 0 1u\n.fft v(a) window="+window+"\n.end", "tran")
		f := r.FFT[0]
		if b := f.NoiseBandwidthHz / f.ResolutionHz; math.Abs(b-want.bandwidth) > 0.01 {
			t.Errorf("%s: noise bandwidth of %.3f lines, want %.2f", window, b, want.bandwidth)
		}
		top := 0.0
		for _, m := range f.Magnitude {
			top = math.Max(top, m)
		}
		if loss := -20 * math.Log10(top); math.Abs(loss-want.loss) > 0.05 {
			t.Errorf("%s: a sine between two lines is %.3f dB too small, want %.2f dB", window,
				loss, want.loss)
		}
	}
	// The lines at the harmonics of a clipped sine agree with those of .four, which agree with
	// ngspice.
	clipped := run(t, "t\nV1 in 0 SIN(0.2 3 1k)\nR1 in out 1k\nD1 out 0 dm\nD2 0 out dm\n.model dm d(is=1e-12 n=1.2)\n"+
		".tran 1u 8m\n.four 1k v(out) periods=4\n.fft v(out) start=4m np=4096\n.end", "tran")
	for _, l := range clipped.Fourier[0].Lines {
		if got := clipped.FFT[0].Magnitude[4*l.N]; math.Abs(got-l.Magnitude) >
			3e-4*clipped.Fourier[0].Lines[0].Magnitude {
			t.Errorf("harmonic %d is %.6g V by .fft and %.6g V by .four", l.N, got, l.Magnitude)
		}
	}
	r := run(t,
		"t\nV1 a 0 1\nR1 a 0 1k\n.op\n.tran 1u 1m\n.fft v(a) start=2m\n.fft v(nowhere)\n.end",
		"tran")
	all := strings.Join(r.Warnings, "|")
	if len(r.FFT) != 0 || !strings.Contains(all, "nothing of the time from 0.002 s on") ||
		!strings.Contains(all, "node nowhere is not in the circuit") {
		t.Errorf("%d spectra, warnings %q", len(r.FFT), r.Warnings)
	}
	r = run(t, "t\nV1 a 0 1\nR1 a 0 1k\n.op\n.fft v(a)\n.end", "op")
	if all := strings.Join(r.Warnings, "|"); !strings.Contains(all, ".fft needs .tran") {
		t.Errorf("warnings %q", all)
	}
}

// TestFourierWindows verifies that the window does not change the harmonics of a voltage. It also
// verifies that a sine that is not a harmonic leaks far less into the harmonics with a window.
func TestFourierWindows(t *testing.T) {
	for _, options := range []string{"", "periods=4", "window=hann", "window=hamming periods=3",
		"window=blackman", "window=flattop periods=7"} {
		r := run(t, tones+".four 1k v(b) "+options+"\n.end", "tran")
		if len(r.Fourier) != 1 {
			t.Fatalf("%s: warnings %q", options, r.Warnings)
		}
		f := r.Fourier[0]
		wantNear(t, options+": mean", f.Mean, 0.5, 1e-3)
		wantNear(t, options+": fundamental", f.Lines[0].Magnitude, 2, 1e-3)
		wantNear(t, options+": third harmonic", f.Lines[2].Magnitude, 50e-3, 3e-3)
		if math.Abs(f.Lines[0].PhaseDeg) > 0.1 {
			t.Errorf("%s: phase %g°, want 0", options, f.Lines[0].PhaseDeg)
		}
	}
	leak := func(options string) float64 {
		return run(t, "t\nV1 a 0 SIN(0 1 1k)\nV2 b a SIN(0 1 9.5k)\nR1 b 0 1k\n.tran 1u 12m 0 1u\n.four 1k v(b) "+options+"\n.end", "tran").Fourier[0].Lines[3].Magnitude
	}
	// The highest side lobe of the Blackman window is at -58 dB (Harris 1978).
	if plain, windowed := leak("periods=9"),
		leak("periods=9 window=blackman"); !(windowed < plain/50) {
		t.Errorf("leakage %g V with a window, %g V without", windowed, plain)
	}
	r := run(t, tones+".four 1k v(b) window=flattop periods=2\n.end", "tran")
	if all := strings.Join(r.Warnings, "|"); !strings.Contains(all,
		"window=flattop needs 5 periods or more, not 2") {
		t.Errorf("warnings %q", r.Warnings)
	}
}
