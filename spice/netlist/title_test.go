package netlist

import (
	"strings"
	"testing"
)

// TestFirstLine verifies that an element or a card on the title line is read with a warning. Titles
// that begin with the letter of an element remain titles.
func TestFirstLine(t *testing.T) {
	const body = "\nR1 in out 1k\nC1 out 0 1n\nV2 vcc 0 5\nQ1 vcc out e qn\nRE e 0 1k\nL2 e 0 1m\nL3 in 0 1m\n" +
		".model qn npn\n.model dd d\n.subckt amp a b\nRi a b 1k\n.ends\n.op\n.end"
	for _, line := range []string{
		"V1 in 0 DC 5", "v1 in 0 5", "V1 in gnd SIN(0 1 1k)", "Vin in 0 dc 0 ac 1", "I1 0 in 1m",
		"R9 in 0 10k", "R9 in 0 {2*5k}", "R9 in 0 r=1k",
		"C9 out 0 100nF", "C9 out 0 1u ic=2", "L9 in 0 1m", "D1 out 0 dd", "D1 out 0 part",
		"Q2 vcc in e qn", "Q2 vcc in e 0 qn 2", "X1 in out amp", "E1 in 0 out e 10",
		"G1 in 0 value={v(out)}", "B1 in 0 V=2*v(out)", "F1 out 0 V2 2", "K1 L2 L3 0.9",
		"V1 in 0 DC 5 ; the source", ".param r=2", ".temp 50", ".options reltol=1e-5",
		".model extra d(is=1e-12)", ".model extra d is=1e-12", ".tran 1u 1m uic", ".ac dec 10 1 1k",
		".dc V2 0 5 1", ".ic v(out)=1", ".op",
		"R9 in 0 4k7", "R9 in 0 2R2", "C9 out 0 4n7",
	} {
		c, err := Parse(line+body, Config{Library: func(name string) (string, bool) {
			return ".model part d(is=1n)", name == "part"
		}})
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		if line[0] != '.' && len(c.Elements) != 8 {
			t.Errorf("%s: %d elements", line, len(c.Elements))
		}
		if len(c.Warnings) == 0 || !strings.Contains(c.Warnings[0],
			"line 1: the first line is read as") || !strings.Contains(c.Warnings[0], "ngspice") {
			t.Errorf("%s: warnings %q", line, c.Warnings)
		}
	}
	for _, title := range []string{
		"R C low-pass filter", "RC low-pass 1k 100n", "RC filter with 10k", "Voltage divider 10 V",
		"Voltage in 0 out", "V in out gain 5", "Inverter", "D flip flop",
		"Diode clipper 1n4148", "LC tank in out 10 MHz", "C out 0", "R in 0", "Class B out 0 stage",
		"I in 0 out", "Current mirror qn", "Q of in out e", "X in out",
		"R1 in out 1k", "R1 from in to out 1k", "Vin in nowhere 5", "R9 in out 1k ohm", "R 0 0 5",
		"Emitter follower: vcc in out 5", "* R9 in 0 1k", "", ".5 V supply",
		"V1 in 0 DC 5 for the test", "Filter {2 stages", "Bridge in 0 rectifier",
		"Kelvin sensing 5", "1k in 0 5", "Dd out 0 amp circuit", "Mixer in 0 out e", "(R9 in 0 1k)",
		".ic without uic", ".tran of an RC", ".op amp", ".param sweep", ".model test",
		".subckt of two resistors", ".include models", ".title", ".temp sweep",
		"Version in out 0", "Lab in out 2024", "Rev in out 3", "Lecture in out 2026",
	} {
		c, err := Parse(title+body, Config{Library: func(name string) (string, bool) {
			return ".model 1n4148 d(is=1n)", name == "1n4148"
		}})
		if err != nil {
			t.Errorf("%s: %v", title, err)
			continue
		}
		if c.Title != title || len(c.Elements) != 7 {
			t.Errorf("%s: %d elements, title %q, warnings %q", title, len(c.Elements),
				c.Title, c.Warnings)
		}
	}
	// If the first line is read as an element, its continuation lines belong to that element.
	c, err := Parse("V1 in 0\n+ PULSE(0 1\n+ 1n 1n 1n 1u 2u)"+body, Config{})
	if err != nil || len(c.Elements) != 8 || len(c.Elements[0].Args) != 8 {
		t.Errorf("%+v %v", c, err)
	}
	if l, err := Instances("V1 in 0 DC 5"+body, Config{}); err != nil ||
		l.Instances[0].Name != "V1" || !strings.Contains(strings.Join(l.Warnings, "|"),
		"line 1: the first line is read") {
		t.Errorf("%+v %v", l, err)
	}
}

// TestLooseSyntax verifies that syntax of other simulators is accepted with a warning that states
// its interpretation.
func TestLooseSyntax(t *testing.T) {
	for _, c := range []struct {
		name, body, warning string
		want                float64 // first value or parameter of r1, or parameter of its model
	}{
		{"braces over + lines", "R1 a 0 {1k\n+ +\n+ 2k}", "", 3000},
		{"quotes over + lines", "R1 a 0 '1k +\n+ 2k' tc1=0", "", 3000},
		{"braces over + lines in .param", ".param r={1k\n+ *3}\nR1 a 0 r", "", 3000},
		{"braces over + lines in a source", "B1 b 0 I={v(a)\n+ *2}\nRb b 0 1\nR1 a 0 3k", "", 3000},
		{"braces over + lines in a model", ".model dd d(is={1n\n+ *3} n=1)\nD1 a 0 dd\nR1 a 0 3k",
			"", 3000},
		{"a ) on its own line", ".model dd d(is=1n\n+ rs=1\n)\nD1 a 0 dd\nR1 a 0 3k",
			"line 5: the ) alone on its line is read as the end of line 3", 3000},
		{"no =", ".model qq npn(bf=100 va 50)\nQ1 a a 0 qq\nR1 a 0 3k",
			"model qq: va 50 is read as va=50", 3000},
		{"no = before an expression", ".model qq npn(bf {50*2})\nQ1 a a 0 qq\nR1 a 0 3k",
			"model qq: bf 50*2 is read as bf=50*2", 3000},
		{"amperes", "I1 0 a 2A\nR1 a 0 3k", "2A is read as amperes", 3000},
		{"amperes in a model", ".model dd d(ikf=2amps)\nD1 a 0 dd\nR1 a 0 3k",
			"2amps is read as amperes", 3000},
		{"amperes of a parameter", ".param i=2A\nR1 a 0 3k", "2A is 1e-18 times the number", 3000},
		{"milliohms", "R1 a 0 3MOhm", "3MOhm is milliohms", 3e-3},
		{"farads", "C1 a 0 10F\nR1 a 0 3k", "10F is femtofarads", 3000},
		{"farads in words", "C1 a 0 1Farad\nR1 a 0 3k", "1Farad is femtofarads", 3000},
		{"mfd", "C1 a 0 100MFD\nR1 a 0 3k", "100MFD is millifarads", 3000},
		{"megahertz", "V1 a 0 SIN(0 1 10MHz)\nR1 a 0 3k", "10MHz is millihertz", 3000},
		{"one number of .tran", "R1 a 0 3k\n.tran 2m",
			".tran without a time step is read as in LTspice: the stop time is 2 ms", 3000},
		{"zero step of .tran", "R1 a 0 3k\n.tran 0 2m",
			"the stop time is 2 ms; the step, which waveforms take defaults from, is 40 µs",
			3000},
		{"startup", "R1 a 0 3k\n.tran 0 2m 0 1u startup uic",
			"all independent sources rise from 0 within 20 µs", 3000},
		{"output cards", "R1 a 0 3k\n.probe v(a)", ".probe is ignored", 3000},
		{"LTspice's last line", "R1 a 0 3k\n.backanno", "", 3000},
		{"wave files", "R1 a 0 3k\n.wave out.wav 16 44.1k v(a)", ".wave is ignored", 3000},
		{"a difference in .save", "R1 a 0 3k\nR2 a b 1\nR3 b 0 1\n.save v(a,b)",
			".save v(a,b) is read as both voltages", 3000},
		{"sine", "V1 b 0 SINE(0 1 1k)\nRb b 0 1\nR1 a 0 3k", "V1: SINE is read as SIN", 3000},
		{"suffix for a point", "R1 a 0 4k7", "4k7 is read as 4700", 4700},
		{"R for a point", "R1 a 0 2R2", "2R2 is read as 2.2", 2.2},
		{"micro for a point", "R1 a 0 3k\nC1 a 0 2\u00b52", "2\u00b52 is read as 2.2e-06", 3000},
		{"maker of a model", ".model dd d(is=1n mfg=OnSemi type=silicon)\nD1 a 0 dd\nR1 a 0 3k",
			"model dd: mfg=OnSemi is no number and is ignored", 3000},
		{"femtofarads", "C1 a 0 50f\nC2 a 0 0.5fF\nR1 a 0 3k", "", 3000},
		{"milliohms in small letters", "R1 a 0 3m", "", 3e-3},
	} {
		ckt, err := Parse("t\nV9 a 0 1\n"+c.body+"\n.op\n.end", Config{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for _, e := range ckt.Elements {
			if e.Name == "r1" && e.Args[0].Value != c.want {
				t.Errorf("%s: %g, want %g", c.name, e.Args[0].Value, c.want)
			}
			if e.Name == "i1" && e.Args[0].Value != 2 || e.Name == "d1" &&
				c.name == "amperes in a model" && e.Model.Params[0].Value != 2 {
				t.Errorf("%s: %+v", c.name, e)
			}
		}
		if all := strings.Join(ckt.Warnings, "|"); c.warning == "" && all != "" ||
			!strings.Contains(all, c.warning) {
			t.Errorf("%s: warnings %q, want %q", c.name, all, c.warning)
		}
	}
	for _, bad := range []string{"R1 a 0 {1k\n+ 2k", "R1 a 0 '1k", ")\nR1 a 0 1", "R1 a 0 1\n)",
		".model d d(is={})", ".model d d({} 5)\nD1 a 0 d",
		".tran", ".tran -1 2m", ".tran 0 0", ".tran uic", ".save v(a,b"} {
		if _, err := Parse("t\n"+bad+"\n.op\n.end", Config{}); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
}

func TestInfix(t *testing.T) {
	mil := 25.4e-6
	for in, want := range map[string]float64{"4k7": 4700, "2R2": 2.2, "0r47": 0.47, "1m5": 1.5e-3,
		"2\u00b52": 2.2e-6, "1Meg5": 1.5e6, "2MEG25": 2.25e6, "1mil5": 1.5 * mil, "1G5": 1.5e9} {
		if got, ok := rkmNumber(in); !ok || got != want {
			t.Errorf("%s = %g, %v, want %g", in, got, ok, want)
		}
	}
	for _, in := range []string{"", "k7", "4k", "4k7k", "4e7", "4x7", "4.1k7", "4k7.2",
		"4", "1e3k3", "2a5", "1meg5k", "3ohm3", "r47", "R47", "R", "Rx"} {
		if got, ok := rkmNumber(in); ok {
			t.Errorf("%s is read as %g", in, got)
		}
	}
}

// TestBSourceConstantCurrent verifies that 2A is read as 2 A, not as 2e-18 A.
func TestBSourceConstantCurrent(t *testing.T) {
	for _, line := range []string{"B1 0 out I=2A", "G1 0 out cur={2A}"} {
		c, err := Parse("title\nR1 out 0 1\n"+line+"\n.op\n.end", Config{})
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		if !strings.Contains(strings.Join(c.Warnings, "\n"), "2A") {
			t.Errorf("%s: no warning, %q", line, c.Warnings)
		}
	}
}
