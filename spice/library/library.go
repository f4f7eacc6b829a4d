// Package library holds the parts a netlist may use by name without defining them: diodes,
// LEDs, transistors and operational amplifiers.
//
// The files list the figures of the data sheets, one file a kind of part; the model
// parameters follow from them by the formulas beside the lists. A part is a typical specimen
// at 27 °C: a data sheet's spread, its maxima and minima, and heating are not modelled.
package library

import (
	"sort"
	"strings"
)

// Part describes one part.
type Part struct {
	Name        string   `json:"name"`        // as in "D1 a k 1n4148"
	Kind        string   `json:"kind"`        // "diode", "led", "zener", "npn", "pnp", "nmos", "pmos", "opamp"
	Use         string   `json:"use"`         // a line of a netlist
	Pins        []string `json:"pins"`        // in the order of the nodes; the last word is the short name
	Description string   `json:"description"` // with the figures the model was made from
	Sheet       string   `json:"data_sheet"`

	text string
}

// parts is every part by name, and order the names as the lists have them.
var parts, order = collect()

func collect() (map[string]*Part, []string) {
	all := map[string]*Part{}
	var names []string
	for _, list := range [...][]Part{diodeParts(), bipolarParts(), mosfetParts(), opampParts()} {
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

// Text gives the netlist text of a part: a .subckt of its name and, where an element can
// name a model, the .model too. The name's case does not matter. It is a netlist.Config's Library.
func Text(name string) (text string, ok bool) {
	p := parts[strings.ToLower(name)]
	if p == nil {
		return "", false
	}
	return p.text, true
}

// Names lists the names of all parts, sorted.
func Names() []string { return append([]string(nil), order...) }

// Parts lists all parts by name.
func Parts() []Part {
	out := make([]Part, len(order))
	for i, n := range order {
		out[i] = *parts[n]
		out[i].Pins = append([]string(nil), out[i].Pins...)
	}
	return out
}

// semiconductor makes a part of a model: usable as a model and, wrapped, as a subcircuit.
// element is the line that uses the model; the last word of each pin is its node there.
func semiconductor(kind, name, model, element string, pins []string, description, sheet string) Part {
	card := ".model " + name + " " + model + "\n"
	header := ".subckt " + name
	for _, p := range pins {
		header += p[strings.LastIndexByte(p, ' '):]
	}
	return Part{Name: name, Kind: kind, Use: element + " " + name, Pins: pins, Description: description, Sheet: sheet,
		text: card + header + "\n" + element + " " + name + "\n" + card + ".ends\n"}
}
