package netlist

import (
	"math"

	"slipstick/spice/diag"
)

// MaxPorts is the largest number of ports of .sp.
const MaxPorts = 20

// Port makes a voltage source a port of .sp, as in "V1 in 0 dc 0 ac 1 portnum 1 z0 50".
type Port struct {
	Number      int     // port number, beginning with 1
	Ohms        float64 // reference resistance [Ω], in series with the source in every analysis
	Plus, Minus string  // nodes at the outer side of the resistance
}

// readPort parses portnum and z0 of a voltage source. As in ngspice, the reference resistance
// becomes the series resistance of the source.
func (p *parser) readPort(e *Element) error {
	number, ohms := math.NaN(), 50.0
	kept := e.Args[:0:0]
	for i := 0; i < len(e.Args); i++ {
		a := e.Args[i]
		if a.IsNumber || a.Text != "portnum" && a.Text != "z0" {
			kept = append(kept, a)
			continue
		}
		if i+1 == len(e.Args) || !e.Args[i+1].IsNumber {
			return diag.On(diag.MissingValue, a.Line, e.Name, "%s: %s needs a number",
				e.Name, a.Text)
		}
		i++
		if a.Text == "z0" {
			ohms = e.Args[i].Value
		} else {
			number = e.Args[i].Value
		}
	}
	if math.IsNaN(number) {
		return nil // z0 without portnum is rejected as an unknown word
	}
	if !(number >= 1 && number <= MaxPorts) || number != math.Trunc(number) {
		return diag.On(diag.BadValue, e.Line, e.Name,
			"%s: portnum must be a whole number from 1 to %d, not %g", e.Name, MaxPorts, number)
	}
	if !(ohms > 0 && ohms <= 1e12) {
		return diag.On(diag.BadValue, e.Line, e.Name,
			"%s: z0 must be above 0 and at most 1e12 ohm, not %g", e.Name, ohms)
	}
	for _, other := range p.ckt.Elements {
		if other.Port != nil && other.Port.Number == int(number) {
			return diag.On(diag.BadValue, e.Line, e.Name, "%s and %s are both port %g", other.Name,
				e.Name, number)
		}
	}
	if _, ok := e.Param("rser"); ok {
		return diag.On(diag.BadValue, e.Line, e.Name,
			"%s: the port has z0 in series; rser= is not allowed beside it", e.Name)
	}
	e.Args = kept
	e.Params = append(e.Params, Param{Name: "rser", Value: ohms, Line: e.Line})
	e.Port = &Port{Number: int(number), Ohms: ohms, Plus: e.Nodes[0], Minus: e.Nodes[1]}
	return nil
}
