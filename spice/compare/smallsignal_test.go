package compare

import (
	"context"
	"fmt"
	"math"
	"math/cmplx"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"slipstick/internal/ngspice"
	"slipstick/spice"
	"slipstick/spice/analysis"
)

// stages lists circuits that together contain all noisy devices in several regions of operation.
var stages = map[string]string{
	"resistors":        "V1 in 0 1\nR1 in out 1k\nR2 out 0 3k\nC1 out 0 1n",
	"diode":            "V1 in 0 0.7\nR1 in out 1k\nD1 out 0 dm\n.model dm d(is=1e-14 n=1.1 rs=20 cjo=5p tt=1n kf=1e-14 af=1.1)",
	"diode in reverse": "V1 in 0 -8\nR1 in out 1meg\nD1 out 0 dm\n.model dm d(is=1e-10 rs=20 cjo=5p bv=6 ibv=1u)",
	"npn": "V1 in 0 0.75\nVCC vcc 0 5\nR1 in b 1k\nQ1 out b e q\nRE e 0 100\nRC vcc out 1k\nCL out 0 10p\n" +
		".model q npn(is=1e-15 bf=120 vaf=60 rb=200 rbm=40 ikf=20m re=2 rc=10 cje=2p cjc=1p tf=0.3n kf=1e-13 af=1.2)",
	"pnp saturated": "V1 in 0 3.5\nVCC vcc 0 5\nR1 in b 10k\nQ1 out b vcc q\nRC out 0 10k\n" +
		".model q pnp(is=1e-15 bf=80 br=3 rb=100 re=1 rc=20 kf=1e-14)",
	"nmos": "V1 in 0 2\nVD vdd 0 5\nRD vdd out 1k\nM1 out in 0 0 m w=10u l=2u\n" +
		".model m nmos(vto=1 kp=50u lambda=0.02 tox=25n ld=0.1u kf=1e-25 af=1.1 rd=10 rs=20 cgso=1n)",
	"pmos, no tox": "V1 in 0 2\nVD vdd 0 5\nRD out 0 1k\nM1 out in vdd vdd m w=50u l=2u\n.model m pmos(vto=-1 kp=20u kf=1e-26)",
	"njf": "V1 in 0 -1\nVD vdd 0 12\nRD vdd out 1k\nJ1 out in s j 1.5\nRS s 0 200\n" +
		".model j njf(vto=-3 beta=1m lambda=5m rd=5 rs=10 cgs=3p cgd=2p kf=1e-16 af=1.05)",
}

var printedLine = regexp.MustCompile(`(?m)^(\S+) = +([-+0-9.eE]+)(?:,([-+0-9.eE]+))?`)

// printed runs commands in ngspice and returns the values that they print as "name = value", by
// name.
func printed(t *testing.T, ng, body string, commands ...string) map[string]complex128 {
	t.Helper()
	text, err := ngspice.Print(ng,
		"t\n"+body+"\n.options reltol=1e-7 abstol=1e-15 vntol=1e-10\n.control\nset numdgt=12\n"+
			strings.Join(commands, "\n")+"\n.endc\n.end\n")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]complex128{}
	for _, m := range printedLine.FindAllStringSubmatch(text, -1) {
		re, _ := strconv.ParseFloat(m[2], 64)
		im, _ := strconv.ParseFloat(m[3], 64)
		out[m[1]] = complex(re, im)
	}
	return out
}

// simulate runs one analysis card in this simulator.
func simulate(t *testing.T, body, card string) *spice.Result {
	t.Helper()
	r, err := spice.Simulate(context.Background(),
		spice.Request{Netlist: "t\n" + body + "\n" + card + "\n.end"})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestNoiseAgainstNgspice compares the spectra of every noise source at the first and the last
// frequency, and their integrals.
func TestNoiseAgainstNgspice(t *testing.T) {
	ng := ngspice.Program(t)
	compared, flat := 0, 0
	for name, body := range stages {
		const card = "noise v(out) v1 dec 5 10 10meg 1"
		r := simulate(t, body, "."+card)
		detail := r.Detail.(*analysis.Noise)
		// The source needs an AC value in ngspice.
		theirs := strings.Replace(body, "\n", " ac 1\n", 1)
		last := len(r.Vectors[0].Values) - 1
		var commands []string
		for _, at := range []int{0, last} {
			commands = append(commands, card, "setplot previous")
			for _, v := range r.Vectors[1:] {
				commands = append(commands, fmt.Sprintf("let p_%s_%d = %s[%d]", v.Name, at, v.Name,
					at), fmt.Sprintf("print p_%s_%d", v.Name, at))
			}
		}
		commands = append(commands, "setplot next", "print all")
		want := printed(t, ng, theirs, commands...)
		check := func(what string, got float64) {
			w, ok := want[what]
			if !ok {
				t.Errorf("%s: ngspice has no %s", name, what)
				return
			}
			compared++
			if d := math.Abs(got - real(w)); d > 1e-4*math.Abs(real(w)) {
				t.Errorf("%s: %s is %.7g, ngspice %.7g", name, what, got, real(w))
			}
		}
		for _, v := range r.Vectors[1:] {
			for _, at := range []int{0, last} {
				check(fmt.Sprintf("p_%s_%d", v.Name, at), v.Values[at])
			}
		}
		check("onoise_total", detail.OutputRMS)
		// ngspice multiplies the density of the previous point by the gain of the present point.
		// Its integral is therefore wrong if the gain changes. TestInputNoiseIsIntegral verifies
		// the integral of this simulator.
		if gains := [2]float64{gainAt(r, 0), gainAt(r, last)}; math.Abs(gains[1]/gains[0]-1) <
			1e-3 {
			check("inoise_total", *detail.InputRMS)
			flat++
		}
		for _, c := range detail.Contributions {
			check("onoise_total_"+c.Device+"_"+c.Source, c.OutputRMS)
		}
	}
	if compared < 100 || flat < 2 {
		t.Errorf("only %d numbers were compared, %d of them input-referred integrals",
			compared, flat)
	}
	fmt.Printf("noise: %d numbers compared\n", compared)
}

// gainAt returns the gain from input to output at the point with index at.
func gainAt(r *spice.Result, at int) float64 {
	return r.Vectors[1].Values[at] / r.Vectors[2].Values[at]
}

// TestTransferFunctionAgainstNgspice compares the gain and the input and output resistances.
// Current-dependent base resistances are excluded, because the Jacobian of ngspice lacks their
// derivative. TestTransferFunctionIsSlope covers them.
func TestTransferFunctionAgainstNgspice(t *testing.T) {
	ng := ngspice.Program(t)
	for name, body := range stages {
		body = strings.Replace(body, "rbm=40", "rbm=200", 1)
		f := simulate(t, body, ".tf v(out) V1").Detail.(*analysis.TransferFunction)
		want := printed(t, ng, body, "tf v(out) v1", "print all")
		for what, got := range map[string]*float64{"transfer_function": &f.Gain,
			"output_impedance_at_v(out)": f.OutputOhm, "v1#input_impedance": f.InputOhm} {
			w, ok := want[what]
			switch {
			case !ok:
				t.Errorf("%s: ngspice has no %s: %v", name, what, want)
			case got == nil:
				if real(w) < 1e18 {
					t.Errorf("%s: no %s, ngspice %g", name, what, real(w))
				}
			case math.Abs(*got-real(w)) > 1e-4*math.Abs(real(w)):
				t.Errorf("%s: %s is %.7g, ngspice %.7g", name, what, *got, real(w))
			}
		}
	}
}

// TestSensitivityAgainstNgspice compares the derivatives of DC voltages. ngspice 39 crashes in
// .sens of circuits with transistors or inductors. TestSensitivityIsSlope covers these.
func TestSensitivityAgainstNgspice(t *testing.T) {
	ng := ngspice.Program(t)
	compared := 0
	for name, body := range map[string]string{
		"divider": "V1 in 0 5\nR1 in out 1k\nR2 out 0 3k\nI1 0 out 1m",
		"controlled": "V1 in 0 0.8\nR1 in a 1k\nD1 a 0 dm\nE1 b 0 a 0 2.5\nR2 b out 1k\nG1 out 0 a 0 1m\nR3 out 0 2k\n" +
			".model dm d(is=1e-14 n=1.1)",
	} {
		want := printed(t, ng, body, "sens v(out)", "print all")
		got := simulate(t, body, ".sens v(out)").Detail.(*analysis.Sensitivities)
		for _, e := range got.Entries {
			key := e.Element
			switch {
			case e.Model:
				key += ":" + e.Parameter
			case e.Element[0] == 'e' || e.Element[0] == 'g':
				key += "_gain"
			}
			w, ok := want[key]
			if !ok {
				t.Errorf("%s: ngspice has no %s: %v", name, key, want)
				continue
			}
			compared++
			// ngspice uses one-sided differences.
			if d := math.Abs(e.Absolute - real(w)); d > 1e-3*math.Abs(real(w))+1e-12 {
				t.Errorf("%s: %s is %.7g, ngspice %.7g", name, key, e.Absolute, real(w))
			}
		}
	}
	if compared < 12 {
		t.Errorf("only %d derivatives were compared", compared)
	}
}

// TestPolesAndZerosAgainstNgspice compares the poles and zeros of networks and transistor stages.
func TestPolesAndZerosAgainstNgspice(t *testing.T) {
	ng := ngspice.Program(t)
	for name, body := range map[string]string{
		"resonance": "V1 in 0 0\nR1 in a 1k\nC1 a 0 1u\nL1 a out 1m\nR2 out 0 50\nC2 out 0 1n",
		"lead-lag":  "V1 in 0 0\nR1 in out 9k\nC1 in out 10n\nR2 out 0 1k\nC2 out 0 1u",
		"npn":       strings.Replace(stages["npn"], "rb=200 rbm=40", "rb=200", 1),
		"nmos":      stages["nmos"],
	} {
		r := simulate(t, body, ".pz in 0 out 0 vol pz").Detail.(*analysis.PolesAndZeros)
		// The source needs an AC value in ngspice.
		want := printed(t, ng, strings.Replace(body, "\n", " ac 1\n", 1), "pz in 0 out 0 vol pz",
			"print all")
		got := map[string][]complex128{"pole": r.Poles, "zero": r.Zeros}
		compared := 0
		for key, w := range want {
			kind, _, ok := strings.Cut(key, "(")
			if !ok || got[kind] == nil {
				continue
			}
			compared++
			near := math.Inf(1)
			for _, s := range got[kind] {
				near = math.Min(near, cmplx.Abs(s-w)/cmplx.Abs(w))
			}
			if near > 1e-4 {
				t.Errorf("%s: no %s at %g: %g", name, kind, w, got[kind])
			}
		}
		if compared != len(r.Poles)+len(r.Zeros) || compared == 0 {
			t.Errorf("%s: %d poles and %d zeros, ngspice: %v", name, len(r.Poles),
				len(r.Zeros), want)
		}
	}
}

// TestSParametersAgainstNgspice compares the S, Z and Y matrices of a ladder and of a biased
// transistor stage.
func TestSParametersAgainstNgspice(t *testing.T) {
	ng := ngspice.Program(t)
	for name, body := range map[string]string{
		"ladder": "V1 in 0 dc 0 ac 1 portnum 1 z0 50\nV2 out 0 dc 0 ac 0 portnum 2 z0 75\nR1 in x 20\nC1 x 0 10p\nL1 x out 50n\nR2 out 0 300",
		"npn": "V1 in 0 dc 0 ac 1 portnum 1 z0 50\nV2 out 0 dc 0 ac 0 portnum 2 z0 50\nVCC vcc 0 5\nC1 in b 1u\nC2 c out 1u\n" +
			"RB vcc b 43k\nRC vcc c 220\nQ1 c b 0 q\n.model q npn(is=1f bf=100 vaf=60 rb=30 cje=1p cjc=0.3p tf=20p)",
	} {
		got := simulate(t, body, ".sp dec 2 1meg 100meg")
		want := printed(t, ng, body, "sp dec 2 1meg 100meg",
			"print S_1_1[2] S_1_2[2] S_2_1[2] S_2_2[2] Z_1_1[2] Z_1_2[2] Z_2_1[2] Z_2_2[2] Y_1_1[2] Y_1_2[2] Y_2_1[2] Y_2_2[2]")
		if len(want) != 12 {
			t.Fatalf("%s: ngspice printed %v", name, want)
		}
		for key, w := range want {
			vector := strings.ToLower(strings.TrimSuffix(key, "[2]"))
			var mag, phase float64
			for _, v := range got.Vectors {
				if v.Name == vector+"_mag" {
					mag = v.Values[2]
				}
				if v.Name == vector+"_phase_deg" {
					phase = v.Values[2]
				}
			}
			if z := cmplx.Rect(mag, phase*math.Pi/180); cmplx.Abs(z-w) > 1e-3*cmplx.Abs(w)+1e-9 {
				t.Errorf("%s: %s is %.6g, ngspice %.6g", name, vector, z, w)
			}
		}
	}
}
