package netlist

import (
	"fmt"
	"strings"
	"testing"
)

const allElements = `a bit of everything
* comment
V1 in 0 DC 12
.param rl=4.7k big={10*1u}
.model mymos nmos(vto=2)
.model qx npn
R1 IN a {2*rl} ; the load
r2 In b rl
R3 b 0 100
C1 a 0 100n
C2 a 0 10u
C3 a 0 {big}
C4 a 0 9.9uF
L1 a b 10uH
+ ic=0
D1 a b 1n4148
D2 b gnd LED_red
D3 a b 1N4007
Q1 c b e 2n3904
Q2 c b 0 sub qx
M1 d g s s mymos
M2 d g s 0 mymos
X1 in+ in- vp vn out tl072
X2 in a b c mychip
E1 x 0 a b 10
B1 y 0 V={v(a)}
K1 L1 L1 0.9
.subckt mychip a b c d
R1 a b 1k
R2 c d 1k
.ends
.tran 1u 1m
.measure tran x max v(a)
.end
`

func TestSPICE(t *testing.T) {
	for _, c := range []struct {
		name, want string
		opt        Options
	}{
		{"surface", `V1=PinHeader_1x02(DC 12) R1=R_0805(9.4k) R2=R_0805(4.7k) R3=R_0805(100) C1=C_0805(100n) C2=CP_TANT_B(10u) C3=CP_TANT_B(10u) C4=C_0805(9.9uF) L1=L_1210(10uH) D1=SOD-123(1n4148) D2=LED_0805(LED_red) D3=SMA(1N4007) Q1=SOT-23(2n3904) Q2=SOT-23(qx) M1=SOT-23(mymos) M2=SOT-23(mymos) X1=SOIC-8(tl072) X2=SOT-23-5(mychip) 
in: V1.1 R1.1 R2.1 X2.1
GND: V1.2 R3.2 C1.2 C2.2 C3.2 C4.2 D2.1 Q2.2
a: R1.2 C1.1 C2.1 C3.1 C4.1 L1.1 D1.2 D3.2 X2.2
b: R2.2 R3.1 L1.2 D1.1 D2.2 D3.1 Q1.1 Q2.1 X2.3
c: Q1.3 Q2.3 X2.4
e: Q1.2
d: M1.3 M2.3
g: M1.1 M2.1
s: M1.2 M2.2
in+: X1.3
in-: X1.2
vp: X1.8
vn: X1.4
out: X1.1`, Options{}},
		{"wired", `R1=R_AXIAL(9.4k) R2=R_AXIAL(4.7k) R3=R_AXIAL(100) C1=C_DISC_P5.00(100n) C2=CP_RADIAL_D6.3(10u) C3=CP_RADIAL_D6.3(10u) C4=C_DISC_P5.00(9.9uF) L1=R_AXIAL(10uH) D1=D_DO-35(1n4148) D2=LED_5MM(LED_red) D3=D_DO-41(1N4007) Q1=TO-92(2n3904) Q2=TO-92(qx) M1=TO-92(mymos) M2=TO-220(mymos) X1=DIP-8(tl072) X2=DIP-6(mychip) 
in: R1.1 R2.1 X2.1
a: R1.2 C1.1 C2.1 C3.1 C4.1 L1.1 D1.2 D3.2 X2.2
b: R2.2 R3.1 L1.2 D1.1 D2.2 D3.1 Q1.2 Q2.2 X2.3
GND: R3.2 C1.2 C2.2 C3.2 C4.2 D2.1 Q2.1
c: Q1.3 Q2.3 X2.4
e: Q1.1
d: M1.3 M2.2
g: M1.2 M2.1
s: M1.1 M2.3
in+: X1.3
in-: X1.2
vp: X1.8
vn: X1.4
out: X1.1`, Options{DefaultPackage: "tht", SourceConnector: "none",
			Overrides: map[string]string{"m2": "TO-220"}}},
	} {
		got, err := FromText(allElements, "", c.opt)
		if err != nil {
			t.Fatal(err)
		}
		if dump(got) != c.want {
			t.Errorf("%s: got\n%s", c.name, dump(got))
		}
		if got.Title != "a bit of everything" {
			t.Errorf("title %q", got.Title)
		}
		warnings := strings.Join(got.Warnings, "\n")
		for _, w := range []string{"Q2: the substrate node sub", "M2: the bulk node 0",
			"no part for E1, B1, K1", "nets have only one pin: "} {
			if !strings.Contains(warnings, w) {
				t.Errorf("%s: no warning %q in\n%s", c.name, w, warnings)
			}
		}
		if strings.Contains(warnings, "M1") {
			t.Errorf("M1 has its bulk on its source: %s", warnings)
		}
	}
}

// TestPackages verifies that an unknown subcircuit gets the smallest package with at least as many
// pins as nodes.
func TestPackages(t *testing.T) {
	for _, c := range []struct {
		nodes    int
		smd, tht string
	}{
		{2, "SOT-23", "TO-92"}, {3, "SOT-23", "TO-92"}, {4, "SOT-23-5", "DIP-6"},
		{6, "SOT-23-6", "DIP-6"}, {7, "SOIC-8", "DIP-8"}, {9, "SOIC-14", "DIP-14"},
		{16, "SOIC-16", "DIP-16"}, {17, "TSSOP-20", "DIP-18"}, {20, "TSSOP-20", "DIP-20"},
		{21, "SSOP-28", "DIP-24"}, {28, "SSOP-28", "DIP-28"},
		{29, "TQFP-32", ""}, {33, "TQFP-44", ""}, {45, "TQFP-48", ""}, {49, "TQFP-64", ""},
		{65, "TQFP-100", ""}, {100, "TQFP-100", ""}, {101, "", ""},
	} {
		var nodes string
		for i := range c.nodes {
			nodes += " n" + strings.Repeat("x", i)
		}
		text := "t\nX1" + nodes + " chip\n.subckt chip" + nodes + "\n.ends\n.end\n"
		for pack, want := range map[string]string{"1206": c.smd, "tht": c.tht} {
			got, err := FromSPICE(text, Options{DefaultPackage: pack})
			if want == "" || c.nodes > MaxNetName {
				if want == "" {
					wantError(t, want, err, "netlist", 2, "X1 has")
				}
				continue
			}
			if err != nil || got.Components[0].Footprint.Name != want {
				t.Errorf("%d nodes, %s: %v, %v", c.nodes, pack, got, err)
			}
		}
	}
}

func TestSPICEOptions(t *testing.T) {
	const text = "t\nV1 a 0 5\nR1 a 0 1k\nX1 p m v 0 o opamp\n"
	for _, c := range []struct {
		name, want string
		opt        Options
	}{
		{"terminal", "TerminalBlock_1x02", Options{SourceConnector: "terminal"}},
		{"none", "R1=R_0805(1k) X1", Options{SourceConnector: "none"}},
		{"0402", "R_0402", Options{DefaultPackage: "0402"}},
		{"op-amp of five pins", "X1=SOT-23-5(opamp) \na: V1.1 R1.1\nGND: V1.2 R1.2 X1.4\np: X1.1",
			Options{Overrides: map[string]string{"X1": "SOT-23-5"}}},
		{"no .end", "R1=R_0805", Options{}},
	} {
		got, err := FromSPICE(text, c.opt)
		if err != nil || !strings.Contains(dump(got), c.want) {
			t.Errorf("%s: %v, %v", c.name, dump(got), err)
		}
	}
	_, err := FromSPICE(text, Options{DefaultPackage: "0201"})
	wantError(t, "package", err, "default_package", 0, `"0201"`)
	_, err = FromSPICE(text, Options{SourceConnector: "usb"})
	wantError(t, "connector", err, "source_connector", 0, `"usb"`)
}

// TestSPICEAmplifierPads verifies that FromSPICE warns about the pads of every op-amp or comparator
// whose type is known and not dual.
func TestSPICEAmplifierPads(t *testing.T) {
	for of, warns := range map[string]bool{"tl072": false, "lm358": false, "opamp": false,
		"tl071": true, "tl074": true, "lm339": true, "LM311": true} {
		got, err := FromSPICE("t\n.subckt "+of+" a b c d e\nR1 a b 1k\n.ends\nV1 a 0 5\n"+
			"R1 a 0 1k\nX1 p m v 0 o "+of+"\n", Options{})
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(strings.Join(got.Warnings, "\n"), "of a dual op-amp") != warns {
			t.Errorf("%s: warnings %q", of, got.Warnings)
		}
	}
}

// TestSPICEPadOrder verifies the warnings about pads that the data sheet of a part may have in
// another order. The pads of the BC547 and the 2N3904 in TO-92 are from their data sheets.
func TestSPICEPadOrder(t *testing.T) {
	const models = ".model bc547b npn\n.model 2n3904 npn\n.subckt nor2 a b y v\nR1 a y 1k\n.ends\n"
	for _, test := range []struct {
		name, line, pack string
		want             string // of the only warning; "" for none
	}{
		{"subcircuit", "X1 a b y v nor2", "0805", "the nodes of X1 (nor2) are pads 1, 2, 3"},
		{"dual op-amp", "X1 a b y v o opamp", "0805", ""},
		{"BC547 in TO-92", "Q1 a b 0 bc547b", "tht", "Q1 (bc547b): the pads 1, 2, 3 of TO-92 are E"},
		{"BC547 in SOT-23", "Q1 a b 0 bc547b", "0805", ""},
		{"2N3904", "Q1 a b 0 2n3904", "tht", ""},
	} {
		got, err := FromSPICE("t\nR1 a 0 1k\nR2 b 0 1k\nR3 y a 1k\nR4 v b 1k\nR5 o v 1k\nR6 o y 1k\n"+
			test.line+"\n"+models, Options{DefaultPackage: test.pack})
		if err != nil {
			t.Fatal(err)
		}
		warnings := strings.Join(got.Warnings, "\n")
		if test.want == "" && strings.Contains(warnings, "pads") ||
			!strings.Contains(warnings, test.want) {
			t.Errorf("%s: warnings %q, want %q", test.name, warnings, test.want)
		}
	}
}

// manyElements returns the netlist lines of n resistors R0 to R(n-1).
func manyElements(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "R%d a b 1\n", i)
	}
	return b.String()
}

func TestSPICEErrors(t *testing.T) {
	for _, c := range []struct {
		name, text, path, word string
		line                   int
	}{
		{"empty", " \n", "netlist", "empty", 0},
		{"only a title", "title\n.end\n", "netlist", "no part", 0},
		{"only ignored", "t\nE1 a 0 b 0 2\n.end\n", "netlist", "no part", 0},
		{"undefined subcircuit", "t\nR1 a b 1\nX1 a b nothere\n.end\n", "netlist", "nothere", 3},
		{"too many", "t\n" + manyElements(200) + ".end\n", "netlist", "more than 150", 0},
		{"pins of a library part", "t\nX1 a b tl072\n.end\n", "netlist", "5 pins", 2},
		{"unknown element", "t\nR1 a b 1\n\nJ1 a b c jfet\n.end\n", "netlist", "J1", 4},
		{"unknown card", "t\nR1 a b 1\n.frob\n.end\n", "netlist", ".frob", 3},
		{"include", "t\nR1 a b 1\n.include /etc/passwd\n.end\n", "netlist", "not allowed", 3},
		{"missing node", "t\nR1 a\n.end\n", "netlist", "2 nodes", 2},
		{"missing model", "t\nM1 a b c d\n.end\n", "netlist", "model", 2},
		{"twice", "t\nR1 a b 1\nr1 a b 1\n.end\n", "netlist", "already defined on line 2", 3},
		{"bad reference", "t\nR1-2 a b 1\n.end\n", "netlist", `"R1-2"`, 2},
		{"long reference", "t\nRabcdefghijklmnopq a b 1\n.end\n", "netlist", "reference", 2},
		{"node in Greek", "t\nR1 a Ω 1\n.end\n", "netlist", "printable ASCII", 2},
		{"node with a control character", "t\nR1 a b\x01 1\n.end\n", "netlist", `\x01`, 2},
		{"long node", "t\nR1 a " + strings.Repeat("n", 65) + " 1\n.end\n", "netlist",
			"65 characters", 2},
		{"expression", "t\nR1 a b {1+\n.end\n", "netlist", "}", 2},
		{"undefined parameter", "t\nR1 a b {x}\n.end\n", "netlist", "x", 2},
		{"open subcircuit", "t\n.subckt a b\nR1 b 0 1\n.end\n", "netlist", "not closed", 2},
		{"continuation", "t\n+ R1\n.end\n", "netlist", "starts with +", 2},
	} {
		_, err := FromSPICE(c.text, Options{})
		wantError(t, c.name, err, c.path, c.line, c.word)
	}
	_, err := FromSPICE("t\nR1 a b 1\n.end\n",
		Options{Overrides: map[string]string{"R1": "R_9999"}})
	wantError(t, "override", err, "footprint_overrides.R1", 0, "R_9999")
	_, err = FromSPICE("t\n"+strings.Repeat("* x\n", 300_000), Options{})
	wantError(t, "size", err, "netlist", 0, "bytes")
}

// FuzzSPICE verifies that any text yields a valid netlist or an Errors list whose errors have a
// path and a detail.
func FuzzSPICE(f *testing.F) {
	f.Add(allElements)
	f.Add("t\nX1 a b c d e opamp\nQ1 a b c 2n3904 3\nC1 a b {1u*10}\n.end")
	f.Add("\n+\n.end")
	f.Add("t\nR1 a a r=10k\nV1 \x00 0 pulse(0 1 2)\n.param x={y} y={x}")
	f.Fuzz(func(t *testing.T, text string) {
		checkInvariants(t, func() (any, error) { return FromSPICE(text, Options{}) })
	})
}
