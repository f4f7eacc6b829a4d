package netlist

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"slipstick/autorouter/board"
	"slipstick/autorouter/footprint"
)

// blinker returns a valid structured netlist. Each error case invalidates one property of it.
func blinker() ([]Component, []Net) {
	return []Component{
			{Ref: "U1", Footprint: "SOIC-8", Value: "NE555", Pins: map[string]string{"VCC": "8",
				"GND": "1", "OUT": "3"}},
			{Ref: "R1", Footprint: "0805", Value: "10k"},
			{Ref: "D1", Footprint: "0805", Value: "red"},
			{Ref: "J1", Footprint: "TerminalBlock_1x02"},
		}, []Net{
			{Name: "VCC", Pins: []string{"U1.VCC", "J1.1"}},
			{Name: "GND", Pins: []string{"u1.gnd", "J1.2", "D1.K"}},
			{Name: "LED", Pins: []string{"R1.2", "D1.A"}},
			{Name: "OUT", Pins: []string{"U1.OUT", "R1.1"}},
		}
}

// dump returns the components on one line, followed by one line per net with its pins.
func dump(n *board.Netlist) string {
	var b strings.Builder
	for _, c := range n.Components {
		fmt.Fprintf(&b, "%s=%s", c.Ref, c.Footprint.Name)
		if c.Value != "" {
			fmt.Fprintf(&b, "(%s)", c.Value)
		}
		b.WriteByte(' ')
	}
	for _, m := range n.Nets {
		fmt.Fprintf(&b, "\n%s:", m.Name)
		for _, p := range m.Pins {
			fmt.Fprintf(&b, " %s.%s", n.Components[p.Component].Ref, p.Pad)
		}
	}
	return b.String()
}

func TestStructured(t *testing.T) {
	c, n := blinker()
	got, err := Structured(c, n, Options{Overrides: map[string]string{"j1": "PinHeader_1x02"}})
	if err != nil {
		t.Fatal(err)
	}
	want := `U1=SOIC-8(NE555) R1=R_0805(10k) D1=D_0805(red) J1=PinHeader_1x02 
VCC: U1.8 J1.1
GND: U1.1 J1.2 D1.1
LED: R1.2 D1.2
OUT: U1.3 R1.1`
	if dump(got) != want {
		t.Errorf("got %s", dump(got))
	}
	if got.Nets[0].Class != "power" || got.Nets[1].Class != "power" ||
		got.Nets[2].Class != "default" || len(got.Warnings) != 0 {
		t.Errorf("classes %v, warnings %q", got.Nets, got.Warnings)
	}
}

// TestPinNames verifies that a net may name one pad twice by different names. The contacts A12 and
// B1 of USB-C have one pad, and a component may name its pads. A net with one pad is still
// reported.
func TestPinNames(t *testing.T) {
	c, n := blinker()
	c[3] = Component{Ref: "J1", Footprint: "USB_C_16P"}
	n[0].Pins = []string{"U1.VCC", "U1.8", "J1.A4", "J1.B9", "J1.A9", "J1.B4"}
	n[1].Pins = []string{"U1.1", "J1.A1", "J1.B12", "J1.A12", "J1.B1", "D1.K"}
	n = append(n, Net{Name: "CC", Pins: []string{"J1.A5"}})
	got, err := Structured(c, n, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := len(got.Nets[0].Pins), len(got.Nets[1].Pins); a != 3 || b != 4 {
		t.Errorf("%d and %d pins: %s", a, b, dump(got))
	}
	if len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0], "CC") {
		t.Errorf("warnings %q", got.Warnings)
	}
}

// TestEdge verifies that a terminal block and a module with an antenna go to any board edge by
// default, and that the request can select a specific edge or no edge.
func TestEdge(t *testing.T) {
	for edge, want := range map[string]board.Edge{"": board.AnyEdge, "none": board.NoEdge,
		"left": board.LeftEdge, "top": board.TopEdge} {
		c, n := blinker()
		c[3].Edge = edge
		c = append(c, Component{Ref: "U2", Footprint: "ESP32-WROOM-32", Edge: edge})
		got, err := Structured(c, n, Options{})
		if err != nil || got.Components[3].Edge != want || got.Components[4].Edge != want ||
			got.Components[0].Edge != board.NoEdge {
			t.Errorf("%q: %v, %v", edge, got, err)
		}
	}
}

// TestOwnNamesFirst verifies that the pin names of a component take precedence over those of its
// footprint. It also verifies that components with equal footprints share one footprint.
func TestOwnNamesFirst(t *testing.T) {
	c, n := blinker()
	c[2].Pins = map[string]string{"K": "2", "A": "1"}
	c = append(c, Component{Ref: "R2", Footprint: "0805"})
	got, err := Structured(c, n, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(dump(got), "GND: U1.1 J1.2 D1.2") {
		t.Error(dump(got))
	}
	if got.Components[1].Footprint != got.Components[4].Footprint {
		t.Error("two resistors have two patterns")
	}
}

// wantError fails the test unless one of the errors in err has the given path and line and contains
// word in its detail.
func wantError(t *testing.T, name string, err error, path string, line int, word string) {
	t.Helper()
	var all Errors
	if !errors.As(err, &all) || len(all) == 0 {
		t.Errorf("%s: %v", name, err)
		return
	}
	for _, e := range all {
		if e.Path == path && e.Line == line && strings.Contains(e.Detail, word) {
			return
		}
	}
	t.Errorf("%s: %v; want %s line %d: ... %s", name, err, path, line, word)
}

func TestStructuredErrors(t *testing.T) {
	amps := func(a float64) *float64 { return &a }
	for _, c := range []struct {
		name, path, word string
		edit             func(c *[]Component, n *[]Net, o *Options)
	}{
		{"no components", "components", "no part", func(c *[]Component, n *[]Net, o *Options) {
			*c = nil
		}},
		{"too many", "components", "more than 150", func(c *[]Component, n *[]Net, o *Options) {
			*c = make([]Component, 151)
		}},
		{"too many nets", "nets", "more than 500", func(c *[]Component, n *[]Net, o *Options) {
			*n = make([]Net, 501)
		}},
		{"too many pads", "components", "2128 pads", func(c *[]Component, n *[]Net, o *Options) {
			for i := range 21 {
				*c = append(*c, Component{Ref: fmt.Sprintf("Q%d", i), Footprint: "TQFP-100"})
			}
			*c = append(*c, Component{Ref: "P1", Footprint: "2x07"})
		}},
		{"no ref", "components[1].ref", `""`, func(c *[]Component, n *[]Net, o *Options) {
			(*c)[1].Ref = ""
		}},
		{"bad ref", "components[1].ref", `"1R"`, func(c *[]Component, n *[]Net, o *Options) {
			(*c)[1].Ref = "1R"
		}},
		{"long ref", "components[1].ref", "15", func(c *[]Component, n *[]Net, o *Options) {
			(*c)[1].Ref = strings.Repeat("R", 17)
		}},
		{"ref with a newline", "components[1].ref", `\n`,
			func(c *[]Component, n *[]Net, o *Options) {
				(*c)[1].Ref = "R1\n"
			}},
		{"formula as ref", "components[1].ref", "=cmd", func(c *[]Component, n *[]Net, o *Options) {
			(*c)[1].Ref = "=cmd"
		}},
		{"ref twice", "components[1].ref", `"u1" is used twice, before by components[0]`,
			func(c *[]Component, n *[]Net, o *Options) {
				(*c)[1].Ref = "u1"
			}},
		{"unknown footprint", "components[0].footprint", "did you mean SOIC-8",
			func(c *[]Component, n *[]Net, o *Options) {
				(*c)[0].Footprint = "SOIC-9"
			}},
		{"no footprint", "components[0].footprint", "no footprint",
			func(c *[]Component, n *[]Net, o *Options) {
				(*c)[0].Footprint = ""
			}},
		{"bad override", "footprint_overrides.R1", "X_9",
			func(c *[]Component, n *[]Net, o *Options) {
				o.Overrides = map[string]string{"R1": "X_9"}
			}},
		{"override of nobody", "footprint_overrides.R9", `"R9"`,
			func(c *[]Component, n *[]Net, o *Options) {
				o.Overrides = map[string]string{"R9": "0805"}
			}},
		{"unknown edge", "components[0].edge", `"up"`, func(c *[]Component, n *[]Net, o *Options) {
			(*c)[0].Edge = "up"
		}},
		{"pin name to no pad", "components[0].pins.X", `no pad "9"`,
			func(c *[]Component, n *[]Net, o *Options) {
				(*c)[0].Pins["X"] = "9"
			}},
		{"pin name with a comma", "components[0].pins", "printable",
			func(c *[]Component, n *[]Net, o *Options) {
				(*c)[0].Pins["a,b"] = "1"
			}},
		{"net without a name", "nets[0].name", "empty", func(c *[]Component, n *[]Net, o *Options) {
			(*n)[0].Name = ""
		}},
		{"net with a space", "nets[0].name", "printable",
			func(c *[]Component, n *[]Net, o *Options) {
				(*n)[0].Name = "a b"
			}},
		{"net with a control character", "nets[0].name", `\x1b`,
			func(c *[]Component, n *[]Net, o *Options) {
				(*n)[0].Name = "a\x1b[2J"
			}},
		{"net in Greek", "nets[0].name", "printable", func(c *[]Component, n *[]Net, o *Options) {
			(*n)[0].Name = "Ω"
		}},
		{"long net", "nets[0].name", "65 characters", func(c *[]Component, n *[]Net, o *Options) {
			(*n)[0].Name = strings.Repeat("n", 65)
		}},
		{"net twice", "nets[1].name", `"VCC" is there twice, before at nets[0]`,
			func(c *[]Component, n *[]Net, o *Options) {
				(*n)[1].Name = "VCC"
			}},
		{"net without pins", "nets[3].pins", "no pins", func(c *[]Component, n *[]Net, o *Options) {
			(*n)[3].Pins = nil
		}},
		{"pin without pad", "nets[0].pins[1]", "REF.PAD",
			func(c *[]Component, n *[]Net, o *Options) {
				(*n)[0].Pins[1] = "J1"
			}},
		{"unknown ref", "nets[0].pins[1]", `"J7"`, func(c *[]Component, n *[]Net, o *Options) {
			(*n)[0].Pins[1] = "J7.1"
		}},
		{"unknown pad", "nets[0].pins[1]", `no pad "3"; it has 1 2`,
			func(c *[]Component, n *[]Net, o *Options) {
				(*n)[0].Pins[1] = "J1.3"
			}},
		{"unknown name of a pin", "nets[0].pins[1]",
			`no pad "VCC"; it has 1 2; components[].pins gives names to pads`,
			func(c *[]Component, n *[]Net, o *Options) {
				(*n)[0].Pins[1] = "J1.VCC"
			}},
		{"pin twice", "nets[2].pins[2]", `D1.2 is twice in net "LED"`,
			func(c *[]Component, n *[]Net, o *Options) {
				(*n)[2].Pins = append((*n)[2].Pins, "d1.a")
			}},
		{"pin on two nets", "nets[2].pins[2]", `U1.8 is on two nets, "VCC" and "LED"`,
			func(c *[]Component, n *[]Net, o *Options) {
				(*n)[2].Pins = append((*n)[2].Pins, "U1.8")
			}},
		{"unknown class", "nets[2].class", `"fast"`, func(c *[]Component, n *[]Net, o *Options) {
			(*n)[2].Class = "fast"
		}},
		{"class of no net", "net_classes[0].nets[1]", `"X"`,
			func(c *[]Component, n *[]Net, o *Options) {
				o.Classes = []ClassNets{{"fast", []string{"LED", "X"}}}
			}},
		{"net in two classes", "net_classes[1].nets[0]", `"fast" and "slow"`,
			func(c *[]Component, n *[]Net, o *Options) {
				o.Classes = []ClassNets{{"fast", []string{"LED"}}, {"slow", []string{"LED"}}}
			}},
		{"class twice", "net_classes[1].name", `"fast"`,
			func(c *[]Component, n *[]Net, o *Options) {
				o.Classes = []ClassNets{{"fast", nil}, {"fast", nil}}
			}},
		{"current", "nets[0].current_a", "above 0", func(c *[]Component, n *[]Net, o *Options) {
			(*n)[0].CurrentA = amps(-1)
		}},
		{"no current", "nets[0].current_a", "above 0", func(c *[]Component, n *[]Net, o *Options) {
			(*n)[0].CurrentA = amps(0)
		}},
	} {
		comps, nets := blinker()
		var o Options
		c.edit(&comps, &nets, &o)
		_, err := Structured(comps, nets, o)
		wantError(t, c.name, err, c.path, 0, c.word)
	}
}

func TestForms(t *testing.T) {
	c, n := blinker()
	text, kicad := "t\nR1 a b 1k\n.end\n",
		"\ufeff\n (export (components (comp (ref R1) (footprint R_0805))) (nets))"
	for _, k := range []struct {
		name, path, word string
		in               Input
	}{
		{"structured", "", "", Input{Components: c, Nets: n}},
		{"spice", "", "", Input{Text: &text}},
		{"kicad", "", "", Input{Text: &kicad, Format: "auto"}},
		{"none", "netlist", "no netlist", Input{}},
		{"two", "netlist", "not both", Input{Text: &text, Nets: n}},
		{"format", "netlist_format", `"eagle"`, Input{Text: &text, Format: "eagle"}},
		{"spice as kicad", "netlist", "expected (", Input{Text: &text, Format: "kicad"}},
	} {
		_, err := Read(k.in, Options{})
		if k.path == "" {
			if err != nil {
				t.Errorf("%s: %v", k.name, err)
			}
			continue
		}
		line := 0
		if k.name == "spice as kicad" {
			line = 1
		}
		wantError(t, k.name, err, k.path, line, k.word)
	}
}

func TestWarnings(t *testing.T) {
	c, n := blinker()
	c[0].Value = "=cmd\x00\x1b\u2028\u202e" + strings.Repeat("é", 200)
	n = append(n, Net{Name: "out", Pins: []string{"U1.7"}})
	got, err := Structured(c, n, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if w := strings.Join(got.Warnings,
		"|"); w != "nets OUT and out differ only in case|net out has only one pin" {
		t.Error(w)
	}
	if v := got.Components[0].Value; len([]rune(v)) != 128 ||
		strings.ContainsAny(v, "\x00\x1b\u2028\u202e") || !strings.HasPrefix(v, "=cmd") {
		t.Errorf("value %q", v)
	}
}

// TestQuantityWarning verifies that a resistor with the value of a capacitor gets a warning.
func TestQuantityWarning(t *testing.T) {
	c, n := blinker()
	i := slices.IndexFunc(c, func(p Component) bool { return strings.HasPrefix(p.Ref, "R") })
	c[i].Value = "100 nF"
	got, err := Structured(c, n, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if w := strings.Join(got.Warnings, "|"); !strings.Contains(w,
		"the value of "+c[i].Ref+`, "100 nF", is of the quantity capacitance`) {
		t.Errorf("warnings %s", w)
	}
}

// TestTieWarning verifies that one warning names the net ties that join two nets, with each part
// once.
func TestTieWarning(t *testing.T) {
	tie := func(ref string) Component {
		return Component{Ref: ref, Footprint: "NetTie-4_SMD_Pad0.5mm"}
	}
	got, err := Structured([]Component{tie("NT1"), tie("NT2")}, []Net{
		{Name: "GND", Pins: []string{"NT1.1", "NT1.2", "NT2.4"}},
		{Name: "AGND", Pins: []string{"NT1.3", "NT1.4", "NT2.1"}}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if w := strings.Join(got.Warnings, "|"); strings.Count(w, "joins the nets") != 1 ||
		!strings.Contains(w, "the copper of NT1, NT2 joins the nets GND and AGND") {
		t.Errorf("warnings %s", w)
	}
}

// TestOneNetOfAll verifies that all pins of MaxComponents components can be on one net.
func TestOneNetOfAll(t *testing.T) {
	var c []Component
	n := []Net{{Name: "N"}}
	for i := range MaxComponents {
		ref := fmt.Sprintf("R%d", i)
		c = append(c, Component{Ref: ref, Footprint: "R_0402"})
		n[0].Pins = append(n[0].Pins, ref+".1", ref+".2")
	}
	got, err := Structured(c, n, Options{})
	if err != nil || len(got.Nets[0].Pins) != 300 {
		t.Fatal(err)
	}
}

func TestCustomFootprint(t *testing.T) {
	l, err := footprint.NewLibrary([]footprint.Spec{{Name: "BUZZER", Pads: []footprint.PadSpec{
		{Pad: "P", Width: 2, Height: 2, Drill: 1}, {Pad: "N", X: 7.6, Width: 2, Height: 2,
			Drill: 1}}},
		{Name: "0805", Pads: []footprint.PadSpec{{Pad: "1", Width: 1, Height: 1},
			{Pad: "2", X: 2, Width: 1, Height: 1}, {Pad: "K", X: 4, Width: 1, Height: 1},
			{Pad: "A", X: 6, Width: 1, Height: 1}}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, n := blinker()
	c = append(c, Component{Ref: "BZ1", Footprint: "buzzer"})
	n[0].Pins = append(n[0].Pins, "BZ1.p")
	got, err := Structured(c, n, Options{Library: l})
	if err != nil || !strings.Contains(dump(got), "BZ1.P") ||
		!strings.Contains(dump(got), "D1=0805") {
		t.Fatal(got, err)
	}
}

// TestUnusedFootprints verifies that a warning names the custom footprints that no component has. A
// component finds a KiCad footprint without the nickname of its library.
func TestUnusedFootprints(t *testing.T) {
	pads := []footprint.PadSpec{{Pad: "1", Width: 1, Height: 1},
		{Pad: "2", X: 2, Width: 1, Height: 1}}
	const file = `(footprint "R" (layer "F.Cu") (pad "1" smd rect (at -1 0) (size 1 1) (layers "F.Cu"))
		(pad "2" smd rect (at 1 0) (size 1 1) (layers "F.Cu")))`
	l, err := footprint.NewLibrary(
		[]footprint.Spec{{Name: "SPARE", Pads: pads}, {Name: "OWN", Pads: pads}},
		map[string]string{"Resistor_SMD:R_own": file, "R_other": file})
	if err != nil {
		t.Fatal(err)
	}
	parts := []Component{{Ref: "R1", Footprint: "own"}, {Ref: "R2", Footprint: "R_own"}}
	nets := []Net{{Name: "A", Pins: []string{"R1.1", "R2.1"}}}
	got, err := Structured(parts, nets, Options{Library: l})
	if err != nil {
		t.Fatal(err)
	}
	const want = "no component has these footprints of the request, which are not on the board: " +
		"custom_footprints[0] (SPARE), footprints.R_other"
	if !slices.Contains(got.Warnings, want) {
		t.Errorf("the warnings are %q", got.Warnings)
	}
	parts = append(parts, Component{Ref: "R3", Footprint: "spare"},
		Component{Ref: "R4", Footprint: "R_other"})
	if got, err = Structured(parts, nets, Options{Library: l}); err != nil ||
		strings.Contains(strings.Join(got.Warnings, "\n"), "not on the board") {
		t.Errorf("with every footprint in use: %v, %v", got, err)
	}
}

func TestErrorsAreLimited(t *testing.T) {
	_, err := Structured(make([]Component, 150), nil, Options{})
	var all Errors
	if !errors.As(err, &all) || len(all) != maxErrors {
		t.Errorf("%d errors", len(all))
	}
	var first *Error
	if !errors.As(err, &first) || first.Path != "components[0].ref" {
		t.Errorf("the first is %v", first)
	}
}

// TestHalfConnected verifies the warning about parts with two pads of which one is on no net. Parts
// without any net, and parts with more pads, have none.
func TestHalfConnected(t *testing.T) {
	for _, c := range []struct{ drop, want []string }{
		{nil, nil},
		{[]string{"R1.2"}, []string{"pad R1.2 is on no net, and its part has only one other pad"}},
		{[]string{"R1.1", "D1.K"}, []string{
			"2 pads are on no net, and their parts have only one other pad: R1.1, D1.1"}},
		{[]string{"R1.1", "R1.2", "U1.OUT"}, nil},
	} {
		parts, nets := blinker()
		parts = append(parts, Component{Ref: "J2", Footprint: "PinHeader_1x08"})
		for i := range nets {
			nets[i].Pins = slices.DeleteFunc(nets[i].Pins, func(pin string) bool {
				return slices.Contains(c.drop, pin)
			})
			header := fmt.Sprintf("J2.%d", 2*i+1) // so that no net has a single pin or none
			nets[i].Pins = append(nets[i].Pins, header, fmt.Sprintf("J2.%d", 2*i+2))
		}
		got, err := Structured(parts, nets, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Warnings, c.want) {
			t.Errorf("without %q: %q", c.drop, got.Warnings)
		}
	}
}

// TestFootprintNotes verifies that all parts with the same difference from KiCad's footprint share
// one warning, which names their footprints.
func TestFootprintNotes(t *testing.T) {
	part := func(ref, name string) Component { return Component{Ref: ref, Footprint: name} }
	got, err := Structured([]Component{part("D1", "Diode_SMD:D_SMA_Handsoldering"),
		part("R1", "R_0805"), part("D3", "Diode_SMD:D_SMB_Handsoldering"),
		part("D2", "Diode_SMD:D_SMA_Handsoldering")}, nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{`footprint of D1, D2, "Diode_SMD:D_SMA_Handsoldering", ` +
		`of D3, "Diode_SMD:D_SMB_Handsoldering": the lands are those for reflow soldering`,
		"the netlist has no nets; nothing will be routed"}
	if !slices.Equal(got.Warnings, want) {
		t.Errorf("%q", got.Warnings)
	}
}
