package netlist

import (
	"fmt"
	"strings"

	"slipstick/autorouter/board"
	"slipstick/internal/text"
)

// Component is one entry of the request field components.
type Component struct {
	Ref       string
	Footprint string
	Value     string
	Pins      map[string]string // pad number by pin name
	Edge      string            // none, any, left, right, top, bottom; "" for the footprint's edge
	DNP       bool
	LCSC, MPN string // part numbers of the distributor LCSC and of the manufacturer
}

// Net is one entry of the request field nets.
type Net struct {
	Name     string
	Pins     []string // pins as REF.PAD or REF.NAME
	Class    string
	CurrentA *float64 // current [A]; nil if not given
}

// Input is the netlist of a request: a SPICE text, a KiCad text, or components and nets.
type Input struct {
	Text       *string // netlist text; nil if absent
	Format     string  // netlist_format: auto, spice or kicad; "" means auto
	Components []Component
	Nets       []Net
}

// Read parses the netlist of a request, which is either a text or components and nets. The error is
// an Errors list.
func Read(in Input, opt Options) (*board.Netlist, error) {
	structured := in.Components != nil || in.Nets != nil
	switch {
	case in.Text != nil && structured:
		return nil, singleError("netlist", 0, "give either netlist or components and nets, not both")
	case in.Text != nil:
		return FromText(*in.Text, in.Format, opt)
	case !structured:
		return nil, singleError("netlist", 0, "there is no netlist: give netlist, or components and nets")
	}
	return Structured(in.Components, in.Nets, opt)
}

// FromText parses a netlist text in the format spice, kicad or auto; "" means auto. For auto, a
// text that begins with a parenthesis is a KiCad netlist.
func FromText(source, format string, opt Options) (*board.Netlist, error) {
	switch format {
	case "spice":
		return FromSPICE(source, opt)
	case "kicad":
		return FromKiCad(source, opt)
	case "", "auto":
		switch start := strings.TrimSpace(strings.TrimPrefix(source, "\ufeff")); {
		case strings.HasPrefix(start, "("):
			return FromKiCad(source, opt)
		case strings.HasPrefix(start, "<?xml"), strings.HasPrefix(start, "<export"):
			return nil, singleError("netlist", 1,
				"XML is not read; export the netlist from KiCad in the format KiCad (.net)")
		}
		return FromSPICE(source, opt)
	}
	return nil, singleError("netlist_format", 0, "%s must be auto, spice or kicad",
		text.Quote(format))
}

// Structured converts the components and nets of a request to a netlist. The error is an Errors
// list.
func Structured(components []Component, nets []Net, opt Options) (*board.Netlist, error) {
	d := draft{form: "components"}
	for i, c := range components {
		d.parts = append(d.parts, part{ref: c.Ref, footprint: c.Footprint, value: c.Value,
			pins: c.Pins,
			edge: c.Edge, dnp: c.DNP, lcsc: c.LCSC, mpn: c.MPN,
			path: fmt.Sprintf("components[%d]", i)})
	}
	var f errorList
	for i, n := range nets {
		m := net{name: n.Name, class: n.Class, current: n.CurrentA,
			path: fmt.Sprintf("nets[%d]", i)}
		for j, p := range n.Pins {
			at := fmt.Sprintf("%s.pins[%d]", m.path, j)
			ref, pad, ok := strings.Cut(p, ".")
			if !ok || ref == "" || pad == "" {
				f.add(at, 0, "net %s: pin %s must be written REF.PAD, such as U1.3",
					text.Quote(n.Name), text.Quote(p))
			}
			m.pins = append(m.pins, pin{ref: ref, pad: pad, path: at})
		}
		d.nets = append(d.nets, m)
	}
	if err := f.err(); err != nil {
		return nil, err
	}
	return d.build(opt)
}
