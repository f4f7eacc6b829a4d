package spice

import (
	"math"
	"slices"
	"testing"
)

// TestTransmissionLine compares pulses on a lossless line with the bounce diagram.
func TestTransmissionLine(t *testing.T) {
	// A step of 1 V with 25 Ω in series enters a line of 50 Ω. The input is at 2/3 V, and the open
	// end at 4/3 V after 10 ns. The source reflects with (25-50)/(25+50), so the end is at 4/3·(1 -
	// 1/3) = 8/9 V after 30 ns.
	r := run(t, `t
V1 s 0 PULSE(0 1 0 1p 1p 1 2)
R1 s a 25
T1 a 0 b 0 z0=50 td=10n
R2 b 0 1e9
.meas tran in find v(a) at=5n
.meas tran none find v(b) at=9.9n
.meas tran first find v(b) at=15n
.meas tran back find v(a) at=25n
.meas tran second find v(b) at=35n
.meas tran third find v(b) at=55n
.tran 1n 60n
.end`, "tran")
	for k, want := range []float64{2. / 3, 0, 4. / 3, 2./3 + 2./3*(2./3), 8. / 9,
		4. / 3 * (1 - 1./3 + 1./9)} {
		if got := *r.Measures[k].Value; math.Abs(got-want) > 2e-4 {
			t.Errorf("%s: %.6g V, want %.6g", r.Measures[k].Name, got, want)
		}
	}
	// A matched line only delays a sine. The delay is nl/f.
	r = run(t, "t\nV1 s 0 SIN(0 1 10meg) ac 1\nR1 s a 50\nT1 a 0 b 0 z0=50 f=10meg nl=0.3\nR2 b 0 50\n.tran 1n 300n\n.ac lin 1 10meg 10meg\n.end", "tran")
	v, at := column(t, r, "v(b)"), column(t, r, "time")
	for k, s := range at {
		want := 0.0
		if s > 30e-9 {
			want = 0.5 * math.Sin(2*math.Pi*10e6*(s-30e-9))
		}
		if math.Abs(v[k]-want) > 2e-3 {
			t.Fatalf("v(b) = %g V at %g s, want %g", v[k], s, want)
		}
	}
	r = run(t,
		"t\nV1 s 0 ac 1\nR1 s a 50\nT1 a 0 b 0 z0=50 td=30n\nR2 b 0 50\n.ac lin 1 10meg 10meg\n.end", "ac")
	wantNear(t, "magnitude", column(t, r, "v(b)_mag")[0], 0.5, 1e-9)
	wantNear(t, "phase", column(t, r, "v(b)_phase_deg")[0], -108, 1e-9)
	// A quarter-wave line transforms a load R to z0²/R. A half-wave line does not transform the
	// load.
	for nl, want := range map[string]float64{"0.25": 100 * 100 / 400., "0.5": 400} {
		r = run(t,
			"t\nI1 0 a ac 1\nT1 a 0 b 0 zo=100 f=1meg nl="+nl+"\nR2 b 0 400\n.ac lin 1 1meg 1meg\n.end", "ac")
		wantNear(t, nl+" wavelengths", column(t, r, "v(a)_mag")[0], want, 1e-9)
	}
	// At DC the line is a pair of ideal wires.
	r = run(t, "t\nV1 s 0 3\nR1 s a 1k\nT1 a 0 b 0 z0=50 td=1n\nR2 b 0 2k\n.op\n.end", "op")
	wantNear(t, "DC", column(t, r, "v(b)")[0], 2, 1e-9)
	// A charged line of 50 Ω supplies half of its voltage to a load of 50 Ω for twice its delay.
	r = run(t, "t\nT1 a 0 b 0 z0=50 td=10n ic=2,0,2,0\nR1 a 0 50\nR2 b 0 1e9\n.meas tran during find v(a) at=19n\n.meas tran after find v(a) at=21n\n.tran 1n 40n uic\n.end", "tran")
	if during, after := *r.Measures[0].Value, *r.Measures[1].Value; math.Abs(during-1) > 1e-3 ||
		math.Abs(after) > 1e-3 {
		t.Errorf("a charged line gives %g V and then %g V", during, after)
	}
}

// TestTransmissionLineJump compares waveforms that several reflections repeat with the recursion of
// the waves, w(t) = 2·v(t) - w'(t-td) for the wave w' that arrives.
func TestTransmissionLineJump(t *testing.T) {
	const z0, series, load, end = 50.0, 330.0, 644.0, 4412.0
	for _, c := range []struct {
		name, cards string
		source      func(t float64) float64
		on          float64 // time [s] at which the series resistance begins to conduct
	}{
		{"uic", "V2 2 0 sin(1 .5 150)\nR3 2 4 330\n.tran .1m 10m uic\n",
			func(t float64) float64 { return 1 + 0.5*math.Sin(2*math.Pi*150*t) }, 0},
		// The pulse ends with the default time constant, the time step of .tran.
		{"exp", "V2 2 0 exp(-.2 2.365 2.36m 1.5m 3.788m)\nR3 2 4 330\n.tran .1m 10m uic\n",
			func(t float64) float64 {
				rise, fall := math.Max(t-2.36e-3, 0), math.Max(t-3.788e-3, 0)
				return -0.2 + 2.565*(math.Exp(-fall/1e-4)-math.Exp(-rise/1.5e-3))
			}, 0},
		// The control voltage crosses 0.5 V at 0.5005 ms.
		{"switch", "V2 2 0 1\nVC c 0 pulse(0 1 .5m 1u 1u 1)\nS1 2 4 c 0 sm\n" +
			".model sm sw(vt=.5 ron=330 roff=1e12)\n.tran .1m 10m\n",
			func(float64) float64 { return 1 }, 0.5005e-3},
	} {
		const td = 0.35e-3
		var near, far func(t float64) (v, wave float64) // at the end of the source and at the other
		near = func(t float64) (v, wave float64) {
			if t < c.on {
				return 0, 0
			}
			_, late := far(t - td)
			g := 1/series + 1/load + 1/z0
			v = (c.source(t)/series + late/z0) / g
			return v, 2*v - late
		}
		far = func(t float64) (v, wave float64) {
			if t < c.on+td {
				return 0, 0
			}
			_, late := near(t - td)
			v = late * end / (end + z0)
			return v, 2*v - late
		}
		r := run(t, "t\nRL 4 0 644\nR5 5 0 4412\nT1 4 0 5 0 z0=50 td=.35m\n"+c.cards+".end", "tran")
		at, v := column(t, r, "time"), column(t, r, "v(4)")
		span, worst, worstAt, k := slices.Max(v)-slices.Min(v), 0.0, 0.0, 0
		for n := range 2000 {
			s := (float64(n) + 0.5) * 5e-6
			if phase := math.Mod(s-c.on+td, td); phase < 2e-6 || phase > td-2e-6 {
				continue // the event step may shift the edge by a part of its length
			}
			for at[k+1] < s {
				k++
			}
			want, _ := near(s)
			got := v[k] + (v[k+1]-v[k])*(s-at[k])/(at[k+1]-at[k])
			if d := math.Abs(got-want) / span; d > worst {
				worst, worstAt = d, s
			}
		}
		if worst > 2e-3 {
			t.Errorf("%s: the error is %.3g %% of peak-to-peak at %.6g s", c.name, 100*worst,
				worstAt)
		}
	}
}
