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

const export = `(export (version "E")
  (design (source "/home/x/led.kicad_sch") (date "2024") (tool "Eeschema 8.0")
    (sheet (number "1") (name "/") (title_block (title "LED \"blinker\"") (company))))
  (components
    (comp (ref "U1")
      (value "NE555")
      (footprint "Package_SO:SOIC-8_3.9x4.9mm_P1.27mm")
      (property (name "Sheetname") (value "")))
    (comp (ref R1) (value 10k) (footprint Resistor_SMD:R_0805_2012Metric))
    (comp (ref "D1") (value "~") (footprint "LED_SMD:LED_0805_2012Metric") (property (name "dnp"))))
  (libparts)
  (nets
    (net (code "1") (name "+5V") (node (ref "U1") (pin "8") (pintype "power_in")) (node (ref "U1") (pin "4")))
    (net (code "2") (name "Net-(D1-A)") (node (ref "R1") (pin "2")) (node (ref "D1") (pin "A")))
    (net (code 3) (name /OUT) (node (ref U1) (pin 3)) (node (ref R1) (pin 1)))
    (net (code 4) (name "unused"))))
`

func TestKiCad(t *testing.T) {
	got, err := FromText(export, "auto", Options{Overrides: map[string]string{"R1": "0603"}})
	if err != nil {
		t.Fatal(err)
	}
	const want = `U1=SOIC-8(NE555) R1=R_0603(10k) D1=LED_0805 
+5V: U1.8 U1.4
Net-(D1-A): R1.2 D1.2
/OUT: U1.3 R1.1`
	if dump(got) != want {
		t.Errorf("got\n%s", dump(got))
	}
	if got.Title != `LED "blinker"` || !got.Components[2].DNP || got.Components[0].DNP ||
		got.Nets[0].Class != "power" {
		t.Errorf("title %q, %+v", got.Title, got.Components)
	}
}

func TestKiCadErrors(t *testing.T) {
	edit := func(old, new string) string {
		if !strings.Contains(export, old) {
			t.Fatalf("%q is not in the example", old)
		}
		return strings.Replace(export, old, new, 1)
	}
	for _, c := range []struct {
		name, text, word string
		line             int
	}{
		{"empty", "", "empty", 0},
		{"words", "hello", "expected (", 1},
		{"schematic", "(kicad_sch (version 1))", "(kicad_sch; the schematic editor exports it", 1},
		{"board", "(kicad_pcb (version 1))", "(kicad_pcb; slipstick route", 1},
		{"nothing inside", "\n()", "expected (export", 2},
		{"no nets", "(export (components))", "needs (components", 1},
		{"no parts", "(export (components) (nets))", "no part", 0},
		{"open list", "(export\n(components\n", "never closed", 2},
		{"open string", "(export\n\"abc", "no closing", 2},
		{"backslash at the end", "(export \"abc\\", "no closing", 1},
		{"stray )", "(export))", ") without a (", 1},
		{"second list", "(export)\n(export)", "after the last", 2},
		{"deep", strings.Repeat("(", 51), "more than 50 deep", 1},
		{"many", "(" + strings.Repeat("()", 260_000) + ")", "more than 250000", 1},
		{"big", "(" + strings.Repeat(" ", 1<<20) + ")", "bytes", 0},
		{"no ref", edit(`(comp (ref R1)`, `(comp`), "no (ref", 9},
		{"ref twice", edit(`(ref "D1") (value`, `(ref "r1") (value`),
			`"r1" is used twice, before by line 9`, 10},
		{"empty ref", edit(`(comp (ref R1)`, `(comp (ref "")`), `reference "" must be`, 9},
		{"no footprint", edit(`(footprint Resistor_SMD:R_0805_2012Metric)`, ``),
			"no footprint; footprint_overrides", 9},
		{"unknown footprint", edit(`R_0805_2012Metric`, `R_0805x`), "R_0805", 9},
		{"net without a name", edit(`(name "+5V")`, ``), "no (name", 13},
		{"net without name and code", edit(`(code "1") (name "+5V")`, `(name "")`), "(code", 13},
		{"net with a tab", edit(`"+5V"`, `"\t"`), "spaces", 13},
		{"net twice", edit(`/OUT`, `+5V`), `"+5V" is there twice, before at line 13`, 15},
		{"node without a ref", edit(`(node (ref "R1") (pin "2"))`, `(node (pin "2"))`),
			"no (ref", 14},
		{"node without a pin", edit(`(node (ref "R1") (pin "2"))`, `(node (ref "R1"))`),
			"no (pin", 14},
		{"unknown ref", edit(`(node (ref U1) (pin 3))`, `(node (ref U9) (pin 3))`), `"U9"`, 15},
		{"unknown pad", edit(`(node (ref U1) (pin 3))`, `(node (ref U1) (pin 9))`),
			`no pad "9"`, 15},
		{"pin twice", edit(`(node (ref "U1") (pin "4"))`, `(node (ref "U1") (pin "8"))`),
			"U1.8 is twice", 13},
		{"pin on two nets", edit(`(node (ref U1) (pin 3))`, `(node (ref U1) (pin 8))`),
			"U1.8 is on two nets", 15},
	} {
		_, err := FromKiCad(c.text, Options{})
		wantError(t, c.name, err, "netlist", c.line, c.word)
	}
}

// TestUnnamedNets verifies that the nets without a name of KiCad's netlists of 2013 get distinct
// names from their codes, with a warning.
func TestUnnamedNets(t *testing.T) {
	got, err := FromKiCad(`(export (version D)
  (components
    (comp (ref R1) (value 1k) (footprint R_0805))
    (comp (ref R2) (value 1k) (footprint R_0805)))
  (nets
    (net (code 1) (name "") (node (ref R1) (pin 1)) (node (ref R2) (pin 1)))
    (net (code 2) (name Net-1) (node (ref R1) (pin 2)))
    (net (code 3) (name "") (node (ref R2) (pin 2)))
    (net (code 4) (name ""))))`, Options{})
	if err != nil {
		t.Fatal(err)
	}
	const want = `R1=R_0805(1k) R2=R_0805(1k) 
Net-1_2: R1.1 R2.1
Net-1: R1.2
Net-3: R2.2`
	if dump(got) != want {
		t.Errorf("got\n%s", dump(got))
	}
	const warning = "nets without a name in the netlist are named by their codes: Net-1_2, Net-3"
	if !slices.Contains(got.Warnings, warning) {
		t.Errorf("warnings %q", got.Warnings)
	}
}

// checkInvariants fails the test unless read returns a valid netlist, or an Errors list whose
// errors have a path and a detail.
func checkInvariants(t *testing.T, read func() (any, error)) {
	t.Helper()
	v, err := read()
	if err != nil {
		var all Errors
		if !errors.As(err, &all) || len(all) == 0 || len(all) > maxErrors {
			t.Fatalf("an error of another kind: %v", err)
		}
		for _, e := range all {
			if e.Path == "" || e.Detail == "" || e.Line < 0 {
				t.Fatalf("an error without a place: %+v", e)
			}
		}
		return
	}
	n := v.(*board.Netlist)
	refs, names, pins := map[string]bool{}, map[string]bool{}, map[board.PinRef]bool{}
	for _, c := range n.Components {
		id := strings.ToUpper(c.Ref)
		if refs[id] || !refPattern.MatchString(c.Ref) || c.Footprint == nil ||
			sanitize(c.Value) != c.Value {
			t.Fatalf("component %+v", c)
		}
		refs[id] = true
	}
	for _, m := range n.Nets {
		if names[m.Name] || badName(m.Name) != "" || len(m.Pins) == 0 || m.Class == "" {
			t.Fatalf("net %+v", m)
		}
		names[m.Name] = true
		for _, p := range m.Pins {
			if pins[p] || p.Component >= len(n.Components) ||
				padOf(n.Components[p.Component].Footprint, p.Pad) != p.Pad {
				t.Fatalf("net %s: pin %+v", m.Name, p)
			}
			pins[p] = true
		}
	}
	if sanitize(n.Title) != n.Title || len(n.Components) == 0 {
		t.Fatalf("title %q, %d components", n.Title, len(n.Components))
	}
}

// FuzzKiCad verifies that any text yields a valid netlist or an Errors list whose errors have a
// path and a detail.
func FuzzKiCad(f *testing.F) {
	f.Add(export)
	f.Add("(export (components (comp (ref R1) (footprint 0805))) (nets (net (name \"a\\\"b\") (node (ref R1) (pin 1)))))")
	f.Add("((((")
	f.Add("(export \"\\")
	f.Fuzz(func(t *testing.T, text string) {
		checkInvariants(t, func() (any, error) { return FromKiCad(text, Options{}) })
	})
}

// TestPartNumbers verifies that FromKiCad reads the field names that KiCad BOM plug-ins use for
// part numbers.
func TestPartNumbers(t *testing.T) {
	for _, c := range []struct{ fields, lcsc, mpn string }{
		{"", "", ""},
		{`(property (name "LCSC") (value "C25804"))`, "C25804", ""},
		{`(property (name "lcsc part #") (value "C1")) (property (name "JLCPCB Part #") (value "C2"))`, "C1", ""},
		{`(property (name "MPN") (value "RC0603FR-0710KL")) (property (name "Sheetname") (value "x"))`, "", "RC0603FR-0710KL"},
		// the form of KiCad 4 and 5 (export of Eeschema 5.1.9)
		{`(fields (field (name LCSC) C25804) (field (name "Manufacturer Part #") RC0603FR))`, "C25804", "RC0603FR"},
		{`(fields (field (name PartNo) "RC 0603") (field (name "LCSC Part Number") C7))`, "C7", "RC 0603"},
		{`(fields (field (name LCSC)) (field (name MPN) X)) (property (name "MPN") (value "Y"))`, "", "Y"},
		// fields of SparkFun's and KiCost's libraries: manf is the manufacturer, manf# the number
		{`(property (name "manf") (value "Yageo"))
			(property (name "manf#") (value "RC0603"))`, "", "RC0603"},
		{`(property (name "MPN2") (value "second source"))`, "", ""},
	} {
		text := `(export (components (comp (ref "R1") (value "10k") (footprint "R_0603") ` +
			c.fields + `)) (nets (net (name "A") (node (ref "R1") (pin "1")))))`
		nl, err := FromKiCad(text, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := nl.Components[0]; got.LCSC != c.lcsc || got.MPN != c.mpn {
			t.Errorf("%s: LCSC %q, MPN %q", c.fields, got.LCSC, got.MPN)
		}
	}
}

// TestExcluded verifies that a warning names the footprints of several pads whose attributes
// exclude parts. Properties of the netlist and attributes of an imported footprint exclude parts
// from the BOM and the placement files. So do mounting holes, test points and fiducials of the
// library.
func TestExcluded(t *testing.T) {
	library, err := footprint.NewLibrary(nil, map[string]string{
		"Logo": `(footprint "Logo" (layer "F.Cu") (attr smd exclude_from_bom)
			(pad "1" smd rect (at 0 0) (size 1 1) (layers "F.Cu")))`,
		"Mark": `(module Mark (layer F.Cu) (attr virtual)
			(pad 1 smd rect (at 0 0) (size 1 1) (layers F.Cu)))`,
		"Jack": `(footprint "Jack" (layer "F.Cu")
			(attr smd exclude_from_pos_files exclude_from_bom)
			(pad "1" smd rect (at 0 0) (size 1 1) (layers "F.Cu"))
			(pad "2" smd rect (at 3 0) (size 1 1) (layers "F.Cu")))`,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		footprint, properties string
		bom, placement        bool // whether the part is in them
	}{
		{"R_0603", "", true, true},
		{"Jack", "", false, false},
		{"R_0603", `(property (name "exclude_from_bom"))`, false, true},
		{"R_0603", `(property (name "exclude_from_pos_files") (value ""))`, true, false},
		{"Logo", "", false, true},
		{"Mark", "", false, false},
		{"MountingHole:MountingHole_3.2mm_M3", "", false, false},
		{"TestPoint:TestPoint_Pad_D1.5mm", "", false, false},
		{"Fiducial:Fiducial_1mm_Mask2mm", "", false, false},
	} {
		text := `(export (components (comp (ref "R1") (footprint "` + c.footprint + `") ` +
			c.properties + `)) (nets (net (name "A"))))`
		nl, err := FromKiCad(text, Options{Library: library})
		if err != nil {
			t.Fatal(err)
		}
		got := nl.Components[0]
		if !got.NoBOM != c.bom || !got.NoPlacement != c.placement {
			t.Errorf("%s %s: in the BOM %t, in the placement file %t", c.footprint, c.properties,
				!got.NoBOM, !got.NoPlacement)
		}
		const warning = "exclude the part from the BOM and the placement file"
		if strings.Contains(fmt.Sprint(nl.Warnings), warning) != (c.footprint == "Jack") {
			t.Errorf("%s: warnings %q", c.footprint, nl.Warnings)
		}
	}
}

// TestLetters verifies that the letters of footprints count in the limit of lines of a board: 150
// parts with 400 letters each are refused.
func TestLetters(t *testing.T) {
	library, err := footprint.NewLibrary(nil, map[string]string{
		"Text": `(footprint "Text" (layer "F.Cu")
			(pad "1" smd rect (at 0 0) (size 1 1) (layers "F.Cu"))` + strings.Repeat(
			`(fp_text user "ABCDEFGHIJKLMNOPQRST" (at 0 0) (layer "F.SilkS"))`, 20) + ")"})
	if err != nil {
		t.Fatal(err)
	}
	parts := ""
	for i := range 150 {
		parts += fmt.Sprintf(`(comp (ref "R%d") (footprint "Text"))`, i+1)
	}
	_, err = FromKiCad("(export (components "+parts+`) (nets (net (name "A"))))`,
		Options{Library: library})
	if err == nil || !strings.Contains(err.Error(), "60000 lines, letters and openings") {
		t.Error(err)
	}
}

// TestSpacesAndFlags verifies that net names with spaces are accepted with one warning and stay
// distinct, and that power flags are no parts.
func TestSpacesAndFlags(t *testing.T) {
	nl, err := FromKiCad(`(export (components
		(comp (ref "R1") (footprint "R_0603")) (comp (ref "R2") (footprint "R_0603"))
		(comp (ref "#FLG01") (value "PWR_FLAG")))
		(nets (net (name "/Power Supply/VIN") (node (ref "R1") (pin "1"))
			(node (ref "R2") (pin "1")) (node (ref "#FLG01") (pin "1")))
		(net (name "/Power_Supply/VIN") (node (ref "R1") (pin "2")) (node (ref "R2") (pin "2")))
		(net (name "flag only") (node (ref "#FLG01") (pin "1")))))`, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(nl.Components) != 2 || len(nl.Nets) != 2 || nl.Nets[0].Name != "2_/Power_Supply/VIN" ||
		nl.Nets[1].Name != "/Power_Supply/VIN" {
		t.Errorf("%+v", nl)
	}
	want := `spaces in net names are underscores on the board: "/Power Supply/VIN"`
	if len(nl.Warnings) != 1 || nl.Warnings[0] != want {
		t.Errorf("warnings %q", nl.Warnings)
	}
}

// TestXMLNetlist verifies that the error for KiCad's XML netlist names the format to export.
func TestXMLNetlist(t *testing.T) {
	for _, text := range []string{
		"<?xml version=\"1.0\"?>\n<export version=\"E\"/>", "\n<export version=\"E\">",
	} {
		_, err := FromText(text, "auto", Options{})
		if err == nil || !strings.Contains(err.Error(), "XML is not read; export the netlist") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestNamesOfKiCad verifies that references and net names that KiCad writes get unique names by the
// limits of the contract. A symbol without footprint and nets is left out.
func TestNamesOfKiCad(t *testing.T) {
	sheets := "/Communication Interfaces/USB Interface and Debugger/Level Shifter/SCL"
	nl, err := FromKiCad(`(export (components
		(comp (ref "J_DEBUG_CONNECTOR12") (footprint "R_0603")) (comp (ref "U1-A") (footprint "R_0603"))
		(comp (ref "u1_a") (footprint "R_0603")) (comp (ref "1V+") (footprint "R_0603"))
		(comp (ref "Ü1") (footprint "R_0603")) (comp (ref "LOGO1") (value "logo")))
		(nets (net (name "/SDA_µ") (node (ref "J_DEBUG_CONNECTOR12") (pin "1")) (node (ref "U1-A") (pin "1"))
		(node (ref "Ü1") (pin "2")))
		(net (name "/Übertragung/SCL,D0") (node (ref "u1_a") (pin "1")) (node (ref "1V+") (pin "1")))
		(net (name "/_bertragung/SCL_D0") (node (ref "u1_a") (pin "2")) (node (ref "1V+") (pin "2")))
		(net (name "`+sheets+`") (node (ref "Ü1") (pin "1")) (node (ref "U1-A") (pin "2"))
		(node (ref "J_DEBUG_CONNECTOR12") (pin "2")))))`,
		Options{})
	if err != nil {
		t.Fatal(err)
	}
	const want = `J_DEBUG_CONNEC12=R_0603 U1_A_2=R_0603 u1_a=R_0603 REF1V_=R_0603 REF_1=R_0603 
/SDA_u: J_DEBUG_CONNEC12.1 U1_A_2.1 REF_1.2
2_/_bertragung/SCL_D0: u1_a.1 REF1V_.1
/_bertragung/SCL_D0: u1_a.2 REF1V_.2
nication_Interfaces/USB_Interface_and_Debugger/Level_Shifter/SCL: REF_1.1 U1_A_2.2 J_DEBUG_CONNEC12.2`
	if got := dump(nl); got != want {
		t.Errorf("got\n%s", got)
	}
	for i, word := range []string{`"LOGO1"`, `"/SDA_µ" is /SDA_u`, `"U1-A" is U1_A_2`} {
		if len(nl.Warnings) != 3 || !strings.Contains(nl.Warnings[i], word) {
			t.Errorf("%s is not in warning %d of %q", word, i, nl.Warnings)
		}
	}
}

// TestUnreadableFootprints verifies that a footprint with copper outside of its pads is an error of
// the component that has it. Without such a component it is an error of the unused footprints.
func TestUnreadableFootprints(t *testing.T) {
	library, err := footprint.NewLibrary(nil, map[string]string{
		"Jumper:SJ": `(footprint "SJ" (layer "F.Cu") (fp_line (start 0 0) (end 1 1) (layer "F.Cu")))`})
	if err != nil {
		t.Fatal(err)
	}
	text := `(export (components (comp (ref "R1") (footprint "%s"))) (nets (net (name "A"))))`
	for _, name := range []string{"Jumper:SJ", "sj"} {
		_, err = FromKiCad(fmt.Sprintf(text, name), Options{Library: library})
		wantError(t, name, err, "footprints.Jumper:SJ", 0, `"R1": line 1: copper is drawn on F.Cu`)
	}
	nl, err := FromKiCad(fmt.Sprintf(text, "R_0603"), Options{Library: library})
	if err != nil || !strings.Contains(strings.Join(nl.Warnings, "\n"), "footprints.Jumper:SJ") {
		t.Errorf("%v, %+v", err, nl)
	}
	// A readable footprint replaces no unreadable one of another library or in another case.
	const readable = `(footprint "SJ" (layer "F.Cu")
		(pad "1" smd rect (at 0 0) (size 1 1) (layers "F.Cu")))`
	for _, c := range []struct{ unreadable, readable, bare string }{
		{"Jumper:SJ", "Other:SJ", "SJ"}, {"a", "A", ""},
	} {
		library, err := footprint.NewLibrary(nil, map[string]string{c.unreadable: "(x",
			c.readable: readable})
		if err != nil {
			t.Fatal(err)
		}
		_, err = FromKiCad(fmt.Sprintf(text, c.unreadable), Options{Library: library})
		wantError(t, c.unreadable, err, "footprints."+c.unreadable, 0, `"R1": `)
		if c.bare == "" {
			continue
		}
		for _, name := range []string{c.readable, c.bare} {
			if _, err = FromKiCad(fmt.Sprintf(text, name), Options{Library: library}); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// TestManyNames verifies that numbers of nets and parts above the limits are an error before names
// are changed. The allocations grow in proportion to the size of the text, not to its square.
func TestManyNames(t *testing.T) {
	var nets, parts strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&nets, `(net(name "%c")(node(ref A)(pin 1)))`, 0x4e00+i)
		fmt.Fprintf(&parts, `(comp(ref "%c")(footprint R_0603))`, 0x4e00+i)
	}
	for _, c := range []struct{ parts, nets, want string }{
		{"(comp(ref A)(footprint R_0603))", nets.String(), "there are more than 500 nets"},
		{parts.String(), "(net(name B)(node(ref A)(pin 1)))", "there are more than 150 components"},
	} {
		var err error
		allocations := testing.AllocsPerRun(1, func() {
			_, err = FromKiCad("(export(components"+c.parts+")(nets"+c.nets+"))", Options{})
		})
		wantError(t, c.want, err, "netlist", 0, c.want)
		if allocations > 1e6 {
			t.Errorf("%s: %g allocations", c.want, allocations)
		}
	}
}

// TestEndsOfNames verifies that nets whose names become equal keep the ends that identify the nets
// of a pair. Names of unconnected pins keep their start.
func TestEndsOfNames(t *testing.T) {
	long := "unconnected-(U1-" + strings.Repeat("Pad with a long name ", 4) + "-Pad7)"
	nl, err := FromKiCad(`(export (components (comp (ref "U1") (footprint "SOIC-8")))
		(nets (net (name "/左/D+") (node (ref "U1") (pin "1")))
		(net (name "/左/D-") (node (ref "U1") (pin "2")))
		(net (name "/右/D+") (node (ref "U1") (pin "3")))
		(net (name "/右/D-") (node (ref "U1") (pin "4")))
		(net (name "unconnected-(U1-左)") (node (ref "U1") (pin "5")))
		(net (name "unconnected-(U1-右)") (node (ref "U1") (pin "6")))
		(net (name "`+long+`") (node (ref "U1") (pin "7")))))`, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"/_/D+", "/_/D-", "2_/_/D+", "2_/_/D-", "unconnected-(U1-_)",
		"unconnected-(2_U1-_)",
		"unconnected-(me_Pad_with_a_long_name_Pad_with_a_long_name_-Pad7)"} {
		if got := nl.Nets[i].Name; got != want {
			t.Errorf("net %d is %q, want %q", i, got, want)
		}
	}
}

// TestOverridesOfRenamed verifies that footprint_overrides names a renamed part by its reference in
// the netlist or by that on the board.
func TestOverridesOfRenamed(t *testing.T) {
	const text = `(export (components (comp (ref "U1-A"))) (nets (net (name "A")
		(node (ref "U1-A") (pin "1")))))`
	for _, ref := range []string{"U1-A", "u1-a", "U1_A"} {
		nl, err := FromKiCad(text, Options{Overrides: map[string]string{ref: "R_0603"}})
		if err != nil {
			t.Fatalf("%s: %v", ref, err)
		}
		if c := nl.Components[0]; c.Ref != "U1_A" || c.Footprint.Name != "R_0603" {
			t.Errorf("%s: %s has %s", ref, c.Ref, c.Footprint.Name)
		}
	}
	_, err := FromKiCad(text, Options{Overrides: map[string]string{"U1-A": "R_060"}})
	wantError(t, "unknown footprint", err, "footprint_overrides.U1-A", 0, `"U1_A"`)
}
