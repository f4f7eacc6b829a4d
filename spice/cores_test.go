package spice

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"slipstick/spice/diag"
)

// dividedSweeps holds analyses with enough frequencies for several blocks, by name. The test
// replaces CIRCUIT by amplifier.
var dividedSweeps = map[string]string{
	"ac":    "CIRCUIT.ac dec 400 1 1g\n.meas ac top max vm(out)\n.end",
	"noise": "CIRCUIT.noise v(out) V1 dec 400 1 1g 1\n.end",
	"sens":  "CIRCUIT.sens v(out) ac dec 250 1 1g\n.end",
	"sp":    "CIRCUIT.sp dec 400 1 1g\n.end",
	"steps": "CIRCUIT.step param r list 1k 2k 5k\n.ac dec 400 1 1g\n.tran 10n 5u\n.end",
}

// amplifier has transistors of two kinds, a line and a source with an expression.
const amplifier = `amplifier
.param r=1k
V1 in 0 dc 0 ac 1 sin(0 1m 10k) portnum 1 z0 50
VCC vcc 0 10
C1 in b 1u
R1 vcc b 82k
R2 b 0 18k
Q1 c b e q
RC vcc c {r}
RE e 0 220
M1 vcc c s 0 m
RS s 0 2k
B1 x 0 V=v(s)*(1+0.01*v(s))
R3 x y 50
T1 y 0 z 0 z0=50 td=10n
R4 z out 50
C2 out 0 100p
D1 out 0 d
V2 out 0 dc 0 portnum 2 z0 75
.model q npn(bf=200 cje=5p cjc=2p tf=0.3n rb=50 kf=1e-14)
.model m nmos(vto=1 kp=1m cgso=10p cgdo=10p)
.model d d(cjo=2p)
`

// TestCores verifies that results are the same for any number of cores. Some transients have a
// comparison run, which starts speculatively on a second core. The sweeps have several blocks of
// frequencies. Budgets end within the first run, within the comparison run and within a block.
func TestCores(t *testing.T) {
	netlists := map[string]string{}
	for _, name := range []string{"circuits/wien_bridge", "circuits/rlc_bandpass",
		"circuits/cmos_inverter", "compare/line_open", "compare/line_lossy", "compare/ladder_rc74",
		"compare/rectifier_b", "compare/e_value", "compare/tline_clamped", "compare/z_switch",
		"compare/urc_line", "compare/k_delay", "compare/schmitt_cmos", "compare/uic_mixed",
		"compare/b_loop", "compare/shunt_clip",
		"compare/z_amp", "compare/tline_reflections"} {
		b, err := os.ReadFile("testdata/" + name + ".cir")
		if err != nil {
			t.Fatal(err)
		}
		netlists[name] = string(b)
	}
	for name, text := range dividedSweeps {
		circuit := amplifier
		if name != "sp" { // only .sp needs a port at the output
			circuit = strings.Replace(circuit, "V2 out 0 dc 0 portnum 2 z0 75\n", "", 1)
		}
		netlists[name] = strings.Replace(text, "CIRCUIT", circuit, 1)
	}
	for name, text := range netlists {
		for _, budget := range []Budget{{Newton: 2_000_000, Numbers: 5_000_000},
			{Newton: 5_000, Numbers: 5_000_000}, {Newton: 2_000, Numbers: 60_000},
			{Newton: 700, Numbers: 5_000_000}} {
			budget.Wall = time.Hour
			var want []byte
			for _, cores := range []int{1, 2, 8} {
				got := resultBytes(t, Request{Netlist: text, Cores: cores, Budget: &budget})
				if want == nil {
					want = got
				}
				if !bytes.Equal(got, want) {
					t.Errorf("%s: %d cores give another result with %+v: %.300s, want %.300s", name,
						cores, budget, got, want)
				}
			}
		}
	}
}

// resultBytes returns the result of a simulation as JSON with a Runtime of 0, or the error message.
func resultBytes(t *testing.T, r Request) []byte {
	t.Helper()
	calls := 0
	r.Progress = func(_ string, fraction float64) { // without lock, because calls must not overlap
		if calls++; !(fraction >= 0 && fraction <= 1) {
			t.Errorf("progress %g", fraction)
		}
	}
	res, err := Simulate(context.Background(), r)
	if err != nil {
		return []byte(err.Error())
	}
	res.Runtime = 0
	b, err := json.Marshal(res)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestCoresCanceled verifies that the cancellation of a transient with a comparison run, and of a
// sweep in blocks, returns the error code canceled.
func TestCoresCanceled(t *testing.T) {
	line, err := os.ReadFile("testdata/compare/tline_clamped.cir")
	if err != nil {
		t.Fatal(err)
	}
	transient := strings.Replace(string(line), "\n.ac ", "\n*", 1)
	sweep := strings.Replace(amplifier, "V2 out 0 dc 0 portnum 2 z0 75\n", "", 1) +
		".ac lin 50000 1 1g\n.end"
	for _, text := range []string{transient, sweep} {
		for _, at := range []float64{0, 0.1, 0.3} {
			ctx, cancel := context.WithCancel(context.Background())
			_, err := Simulate(ctx, Request{Netlist: text, Cores: 4,
				Progress: func(_ string, fraction float64) {
					if fraction >= at {
						cancel()
					}
				}})
			cancel()
			if at == 0.3 && err == nil {
				continue // the rest was complete on other cores
			}
			var fault *Error
			if !errors.As(err, &fault) || fault.Code != diag.Canceled {
				t.Errorf("canceled at %g: error %v, want the cancellation", at, err)
			}
		}
	}
}

// TestCoresPanic verifies that a panic in a goroutine becomes the same error as on one core.
func TestCoresPanic(t *testing.T) {
	line, err := os.ReadFile("testdata/compare/tline_clamped.cir")
	if err != nil {
		t.Fatal(err)
	}
	transient := strings.Replace(string(line), "\n.ac ", "\n*", 1)
	sweep := strings.Replace(amplifier, "V2 out 0 dc 0 portnum 2 z0 75\n", "", 1) +
		".ac lin 5000 1 1g\n.end"
	for _, text := range []string{transient, sweep} {
		for _, cores := range []int{1, 4} {
			for _, at := range []float64{0.1, 0.4} {
				_, err := Simulate(context.Background(), Request{Netlist: text, Cores: cores,
					Progress: func(_ string, fraction float64) {
						if fraction > at {
							panic("a fault")
						}
					}})
				if cores == 4 && at == 0.4 && err == nil {
					continue // the second run ended before the first one and does not report
				}
				var fault *Error
				if !errors.As(err, &fault) || fault.Code != diag.Internal ||
					fault.Detail != "the simulator failed: a fault" {
					t.Errorf("%d cores, at %g: error %v, want the panic", cores, at, err)
				}
			}
		}
	}
}
