// Package library provides predefined parts for netlists: diodes, LEDs, transistors, operational
// amplifiers, voltage regulators, comparators, logic gates and photocouplers.
//
// Each file lists the data-sheet values of one kind of part and the formulas that convert them to
// model parameters. ltspice.go has the amplifiers of LTspice. A part has typical values at 27 °C.
// Tolerances, minima, maxima and self-heating are not modelled.
package library

import (
	"sort"
	"strings"
)

// Part describes one part of the library.
type Part struct {
	Name string `json:"name"` // as in "D1 a k 1n4148"
	// Kind is "diode", "led", "zener", "npn", "pnp", "nmos", "pmos", "opamp", "regulator",
	// "comparator", "logic" or "optocoupler".
	Kind string `json:"kind"`
	Use  string `json:"use"` // example line of a netlist
	// Pins describes the pins in node order. The last word of each is the short name.
	Pins        []string `json:"pins"`
	Description string   `json:"description"` // includes the data-sheet values of the model
	Sheet       string   `json:"data_sheet"`

	text string
}

// ofLTspice holds the parts of LTspice that Text finds and Parts does not list.
var ofLTspice = ltspiceTexts()

// parts maps names to parts. order holds the names in alphabetical order.
var parts, order = collect()

func collect() (map[string]*Part, []string) {
	all := map[string]*Part{}
	var names []string
	for _, list := range [...][]Part{diodeParts(), zenerParts(), bipolarParts(), mosfetParts(),
		opampParts(),
		regulatorParts(), comparatorParts(), gateParts(), optocouplerParts()} {
		for i := range list {
			p := &list[i]
			if all[p.Name] != nil {
				panic("library: " + p.Name + " is listed twice")
			}
			all[p.Name] = p
			names = append(names, p.Name)
		}
	}
	sort.Strings(names)
	return all, names
}

// Text returns the netlist text of a part: a .subckt with its name and, for a semiconductor, its
// .model. It also finds the amplifiers of LTspice, such as level.2. Letter case is ignored. ok is
// false if there is no such part. Text can serve as Library in netlist.Config.
func Text(name string) (text string, ok bool) {
	name = strings.ToLower(name)
	if p := parts[name]; p != nil {
		return p.text, true
	}
	text, ok = ofLTspice[name]
	return text, ok
}

// Names returns the names of all parts in alphabetical order.
func Names() []string { return append([]string(nil), order...) }

// Parts returns all parts, sorted by name.
func Parts() []Part {
	out := make([]Part, len(order))
	for i, n := range order {
		out[i] = *parts[n]
		out[i].Pins = append([]string(nil), out[i].Pins...)
	}
	return out
}

// semiconductor creates a part from a model, which is available both as a .model and as a
// subcircuit. element is the netlist line that uses the model. The last word of each pin is its
// node in that line.
func semiconductor(kind, name, model, element string, pins []string,
	description, sheet string) Part {
	card := ".model " + name + " " + model + "\n"
	header := ".subckt " + name
	for _, p := range pins {
		header += p[strings.LastIndexByte(p, ' '):]
	}
	return Part{Name: name, Kind: kind, Use: element + " " + name, Pins: pins,
		Description: description, Sheet: sheet,
		text: card + header + "\n" + element + " " + name + "\n" + card + ".ends\n"}
}
