package netlist

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"slipstick/autorouter/board"
	"slipstick/internal/text"
	"slipstick/spice/library"
	spice "slipstick/spice/netlist"
)

// ground is the net name of node 0.
const ground = "GND"

// polarFrom is the smallest capacitance [F] of a capacitor that is assumed to be electrolytic.
const polarFrom = 10e-6

// chipSizes contains the values of default_package except for tht.
var chipSizes = map[string]bool{"0402": true, "0603": true, "0805": true, "1206": true}

// FromSPICE parses a SPICE netlist. Each element line becomes a component with the usual footprint
// for its kind of element. The error is an Errors list.
func FromSPICE(source string, opt Options) (*board.Netlist, error) {
	r := reader{opt: opt, overrides: opt.overrides(), nets: map[string]int{},
		spelling: map[string]string{}, d: draft{form: "netlist"}}
	switch size := opt.DefaultPackage; {
	case size == "":
		r.size = "0805"
	case size == "tht":
		r.tht = true
	case chipSizes[size]:
		r.size = size
	default:
		return nil, singleError("default_package", 0, "%s must be 0402, 0603, 0805, 1206 or tht",
			text.Quote(size))
	}
	switch opt.SourceConnector {
	case "", "header", "terminal", "none":
	default:
		return nil, singleError("source_connector", 0, "%s must be header, terminal or none",
			text.Quote(opt.SourceConnector))
	}
	list, err := spice.Instances(source, spice.Config{Library: library.Text})
	if err != nil {
		return nil, fromSPICE(err)
	}
	r.d.title, r.d.warnings = list.Title, list.Warnings
	for i := range list.Instances {
		if len(r.d.parts) > MaxComponents {
			break // build reports the excess components
		}
		r.instance(&list.Instances[i])
	}
	if err := r.err(); err != nil {
		return nil, err
	}
	if len(r.skipped) > 0 {
		r.d.warnings = append(r.d.warnings,
			"no part for "+abbreviatedList(
				r.skipped)+": controlled and behavioural sources and couplings exist only in a simulation")
	}
	if len(r.inOrder) > 0 {
		r.d.warnings = append(r.d.warnings, "the nodes of "+abbreviatedList(r.inOrder)+
			" are pads 1, 2, 3 and so on of the packages; give the circuit as components and nets when the data sheets have other pins")
	}
	if len(r.reversed) > 0 {
		r.d.warnings = append(r.d.warnings, abbreviatedList(r.reversed)+
			": the pads 1, 2, 3 of TO-92 are E, B, C here, but C, B, E in data sheets of most BC types, and E, C, B for BC635 to BC640")
	}
	return r.d.build(opt)
}

// abbreviatedList returns at most the first ten words and the number of remaining words, for a
// message.
func abbreviatedList(words []string) string {
	if len(words) > 10 {
		return strings.Join(words[:10], ", ") + fmt.Sprintf(" and %d more", len(words)-10)
	}
	return strings.Join(words, ", ")
}

// reader converts the element lines of a SPICE netlist to a draft.
type reader struct {
	errorList
	opt       Options
	overrides map[string]override
	tht       bool
	size      string // chip size
	d         draft
	nets      map[string]int    // net index of a node, by lower-case node name
	spelling  map[string]string // first spelling of a node name, by lower-case node name
	skipped   []string          // names of the elements without a part
	inOrder   []string          // subcircuit instances whose nodes are the pads in their order
	reversed  []string          // transistors in TO-92 whose data sheets have other pads
}

// choose returns the through-hole footprint if default_package is tht, or else the surface-mount
// footprint.
func (r *reader) choose(smd, tht string) string {
	if r.tht {
		return tht
	}
	return smd
}

// instance adds the part of one element line and connects its pins.
func (r *reader) instance(in *spice.Instance) {
	p := part{ref: strings.ToUpper(in.Name), value: in.Value, path: "netlist", line: in.Line}
	if _, plain := spice.ParseNumber(in.Value); in.Valued && !plain {
		p.value = engineering(in.Number) // shows the value of an expression
	}
	pads := []string{"1", "2"}
	nodes := in.Nodes
	for _, n := range nodes {
		if id := strings.ToLower(n); r.spelling[id] == "" {
			r.spelling[id] = n
		}
	}
	switch in.Kind {
	case 'r':
		p.footprint = r.choose("R_"+r.size, "R_AXIAL")
	case 'l':
		p.footprint = r.choose("L_1210", "R_AXIAL")
	case 'c':
		p.footprint = r.choose("C_"+r.size, "C_DISC_P5.00")
		if in.Valued && in.Number >= polarFrom*(1-1e-9) {
			p.footprint = r.choose("CP_TANT_B", "CP_RADIAL_D6.3")
		}
	case 'd':
		p.footprint, pads = r.diode(in.Of), []string{"2", "1"}
	case 'q':
		if len(nodes) > 3 {
			r.bulk(in, nodes[3], nodes[2], "substrate", "emitter")
		}
		nodes = nodes[:3]
		p.footprint = r.choose("SOT-23", "TO-92")
		name := r.footprintName(p.ref, p.footprint)
		pads = transistorPads(name)
		if strings.HasPrefix(name, "TO-92") && europeanType.MatchString(in.Of) {
			r.reversed = append(r.reversed, p.ref+" ("+in.Of+")")
		}
	case 'm':
		r.bulk(in, nodes[3], nodes[2], "bulk", "source")
		nodes = nodes[:3]
		p.footprint = r.choose("SOT-23", "TO-92")
		pads = transistorPads(r.footprintName(p.ref, p.footprint))
	case 'v', 'i':
		switch r.opt.SourceConnector {
		case "none":
			return
		case "terminal":
			p.footprint = "TerminalBlock_1x02"
		default:
			p.footprint = "PinHeader_1x02"
		}
	case 'x':
		p.footprint, pads = r.circuit(in)
	default:
		r.skipped = append(r.skipped, p.ref)
		return
	}
	r.d.parts = append(r.d.parts, p)
	for i, node := range nodes {
		r.connect(node, pin{ref: p.ref, pad: pads[i], path: "netlist", line: in.Line})
	}
}

// connect adds a pin to the net of a node. All spellings of the ground node share one net.
func (r *reader) connect(node string, p pin) {
	id := strings.ToLower(node)
	name := r.spelling[id]
	if isGround(node) {
		name, id = ground, "gnd"
	}
	i, ok := r.nets[id]
	if !ok {
		i = len(r.d.nets)
		r.nets[id] = i
		r.d.nets = append(r.d.nets, net{name: name, path: "netlist", line: p.line})
	}
	r.d.nets[i].pins = append(r.d.nets[i].pins, p)
}

// footprintName returns the canonical footprint name of a part after overrides. For an unknown
// footprint it returns the requested name; build reports the error.
func (r *reader) footprintName(ref, name string) string {
	if o, ok := r.overrides[ref]; ok {
		name = o.footprint
	}
	f, err := r.opt.Library.Find(name)
	if err != nil {
		return name
	}
	return f.Name
}

// bulk warns that the bulk or substrate node of an element is not connected, unless it equals the
// node other. The arguments what and with are the names of the two terminals in the message.
func (r *reader) bulk(in *spice.Instance, node, other, what, with string) {
	if !strings.EqualFold(node, other) && (!isGround(node) || !isGround(other)) {
		r.d.warnings = append(r.d.warnings,
			fmt.Sprintf("line %d: %s: the %s node %s is not connected; the part has it on its %s",
				in.Line, strings.ToUpper(in.Name), what, node, with))
	}
}

func isGround(node string) bool { return node == "0" || strings.EqualFold(node, "gnd") }

// europeanType matches transistors such as BC547 and BC337-40, whose pads in TO-92 are C, B, E, or
// E, C, B from BC635 to BC640.
var europeanType = regexp.MustCompile(`(?i)^bc[1-9]\d\d`)

// Patterns of model names: LEDs, and diodes in larger packages.
var (
	ledModel   = regexp.MustCompile(`(?i)^led`)
	powerDiode = regexp.MustCompile(`(?i)^(1n5819|1n400\d)`)
)

func (r *reader) diode(model string) string {
	switch {
	case ledModel.MatchString(model):
		return r.choose("LED_0805", "LED_5MM")
	case powerDiode.MatchString(model):
		return r.choose("SMA", "D_DO-41")
	}
	return r.choose("SOD-123", "D_DO-35")
}

// transistorPads returns the pads of the collector, base and emitter, or of the drain, gate and
// source. The order is that of most manufacturers. In packages with a tab, the middle pin is the
// collector or drain.
func transistorPads(footprint string) []string {
	switch footprint {
	case "TO-92", "TO-92-WIDE":
		return []string{"3", "2", "1"}
	case "TO-220", "TO-252", "SOT-223":
		return []string{"2", "1", "3"}
	}
	return []string{"3", "1", "2"}
}

// Patterns of subcircuit names for op-amps and comparators. All amplifiers get the pads of a dual
// op-amp; dualAmplifiers matches the actual dual types.
var (
	amplifiers     = regexp.MustCompile(`(?i)^(tl0[78]\d|lm3\d\d|ne5532|opamp)`)
	dualAmplifiers = regexp.MustCompile(`(?i)^(tl0[78]2|lm358|lm393|ne5532|opamp)`)
)

// amplifierPads lists the pads for in+, in-, v+, v- and out of the first amplifier in a dual
// op-amp.
var amplifierPads = []string{"3", "2", "8", "4", "1"}

// packages lists the footprints of integrated circuits by their maximum number of nodes.
var packages = []struct {
	pins     int
	smd, tht string
}{
	{3, "SOT-23", "TO-92"}, {5, "SOT-23-5", "DIP-6"}, {6, "SOT-23-6", "DIP-6"},
	{8, "SOIC-8", "DIP-8"}, {14, "SOIC-14", "DIP-14"},
	{16, "SOIC-16", "DIP-16"}, {18, "TSSOP-20", "DIP-18"}, {20, "TSSOP-20", "DIP-20"},
	{24, "SSOP-28", "DIP-24"}, {28, "SSOP-28", "DIP-28"},
	{32, "TQFP-32", ""}, {44, "TQFP-44", ""}, {48, "TQFP-48", ""}, {64, "TQFP-64", ""},
	{100, "TQFP-100", ""},
}

// circuit returns the footprint name of a subcircuit instance and the pad for each of its nodes.
func (r *reader) circuit(in *spice.Instance) (name string, pads []string) {
	n := len(in.Nodes)
	for i := range n {
		pads = append(pads, strconv.Itoa(i+1))
	}
	ref := strings.ToUpper(in.Name)
	if n == len(amplifierPads) && amplifiers.MatchString(in.Of) {
		name = r.choose("SOIC-8", "DIP-8")
		// An override to a package with fewer pins, for example SOT-23-5, implies another pinout.
		if f, err := r.opt.Library.Find(r.footprintName(ref, name)); err != nil || padOf(f, "8") != "" {
			pads = amplifierPads
			if !dualAmplifiers.MatchString(in.Of) {
				r.d.warnings = append(r.d.warnings, fmt.Sprintf(
					"line %d: %s: %s gets the pads 3 2 8 4 1 of a dual op-amp in 8 pins; give the circuit as components and nets when its data sheet has others",
					in.Line, ref, in.Of))
			}
		}
		return name, pads
	}
	r.inOrder = append(r.inOrder, ref+" ("+in.Of+")")
	for _, p := range packages {
		if n <= p.pins {
			name = r.choose(p.smd, p.tht)
			break
		}
	}
	if _, ok := r.overrides[ref]; name == "" && !ok {
		r.add("netlist", in.Line, "%s has %d nodes, and no package has so many pins; name a footprint in footprint_overrides", ref, n)
	}
	return name, pads
}

// engineering formats a component value with a SPICE scale factor, for example 4.7k or 1Meg.
func engineering(v float64) string {
	for _, p := range []struct {
		factor float64
		name   string
	}{{1e9, "G"}, {1e6, "Meg"}, {1e3, "k"}, {1, ""}, {1e-3, "m"}, {1e-6, "u"}, {1e-9, "n"},
		{1e-12, "p"}} {
		if v >= p.factor*(1-1e-9) {
			return strconv.FormatFloat(v/p.factor, 'g', 4, 64) + p.name
		}
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}
