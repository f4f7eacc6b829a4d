package netlist

import (
	"math"

	"slipstick/spice/diag"
)

// maxLumps is the largest number of sections in each half of a U element.
const maxLumps = 100

// uniformLine replaces "Uname n1 n2 reference model L=length [N=lumps]" by lumped sections. The
// element is the uniformly distributed RC line of SPICE3. The resistances and capacitances increase
// by the factor K from both ends to the middle. The source is L. A. Gertzberg, Transmission-line
// analysis of distributed RC networks, as cited in the SPICE3 manual. The sections are internal
// elements.
func (p *parser) uniformLine(e *Element, in *instance) error {
	if e.Model.Type != "urc" {
		return diag.On(diag.WrongModelType, e.Line, e.Name,
			"%s needs a model of type urc, but %s is of type %s%s", e.Name, e.Model.Name,
			e.Model.Type, UnusedNote(e.Model.Unused))
	}
	m, err := p.urcModel(e)
	if err != nil {
		return err
	}
	length, lumps := math.NaN(), math.NaN()
	for _, q := range e.Params {
		switch q.Name {
		case "l":
			length = q.Value
		case "n":
			lumps = q.Value
		default:
			p.warn(q.Line, e.Name+": parameter "+q.Name+" is unknown and ignored")
		}
	}
	if len(e.Args) > 0 {
		return diag.On(diag.Syntax, e.Line, e.Name, "%s: unexpected %q", e.Name, e.Args[0].Text)
	}
	if !(length > 0 && length <= 1e9) {
		return diag.On(diag.MissingValue, e.Line, e.Name,
			"%s needs its length in metres above 0: L=1m", e.Name)
	}
	r, c := length*m.rPerL, length*m.cPerL
	if math.IsNaN(lumps) {
		lumps = m.lumps(r, c)
	}
	if !(lumps >= 1 && lumps <= maxLumps) || lumps != math.Trunc(lumps) {
		return diag.On(diag.BadValue, e.Line, e.Name,
			"%s: the number of lumps must be a whole number from 1 to %d, not %g", e.Name,
			maxLumps, lumps)
	}
	r *= (m.k - 1) / (2*math.Pow(m.k, lumps) - 2)
	c *= (m.k - 1) / (math.Pow(m.k, lumps-1)*(m.k+1) - 2)
	if !(r > 0 && c > 0) {
		return diag.On(diag.BadValue, e.Line, e.Name,
			"%s: its sections have resistances or capacitances of 0; use fewer lumps", e.Name)
	}
	p.addSections(e, in, int(lumps), r, c, m.k)
	return nil
}

// urcModel holds the parameters of a model of type urc.
type urcModel struct {
	k            float64 // ratio of successive sections
	fmax         float64 // highest frequency [Hz]
	rPerL, cPerL float64 // resistance [ohm/m] and capacitance [F/m] of the line
}

// urcModel reads the model of a U element. Unknown parameters get a warning.
func (p *parser) urcModel(e *Element) (urcModel, error) {
	m := urcModel{k: 1.5, fmax: 1e9, rPerL: 1000, cPerL: 1e-12}
	for _, q := range e.Model.Params {
		switch q.Name {
		case "k":
			m.k = q.Value
		case "fmax":
			m.fmax = q.Value
		case "rperl":
			m.rPerL = q.Value
		case "cperl":
			m.cPerL = q.Value
		case "isperl", "rsperl":
			return m, diag.On(diag.NotAvailable, q.Line, e.Name,
				"not yet supported: model %s with %s; the line has capacitors, not diodes",
				e.Model.Name, q.Name)
		default:
			p.warn(q.Line, "model "+e.Model.Name+": parameter "+q.Name+" is unknown and ignored")
		}
	}
	if !(m.k > 1 && m.k <= 100) || !(m.rPerL > 0) || !(m.cPerL > 0) || !(m.fmax > 0) {
		return m, diag.On(diag.BadValue, e.Model.Line, e.Name,
			"model %s: k must be above 1 and at most 100, and rperl, cperl and fmax above 0",
			e.Model.Name)
	}
	return m, nil
}

// lumps returns the default number of sections in each half of a line with a resistance r [ohm] and
// a capacitance c [F]. As in SPICE3, the shortest section resolves fmax.
func (m urcModel) lumps(r, c float64) float64 {
	norm := 2 * math.Pi * m.fmax * r * c
	if norm < 35 {
		return 3
	}
	return math.Floor(math.Max(3, math.Log(norm*(m.k-1)/m.k*(m.k-1)/m.k)/math.Log(m.k)))
}

// addSections adds the sections of both halves of a line, from the ends to the middle. r [ohm] and
// c [F] are the values of the first sections, and k is the ratio of successive sections.
func (p *parser) addSections(e *Element, in *instance, lumps int, r, c, k float64) {
	add := func(kind byte, name string, value float64, a, b string) {
		p.ckt.Elements = append(p.ckt.Elements, Element{Kind: kind, Name: e.Name + "#" + name,
			Line: e.Line, Nodes: []string{a, b},
			Args: []Arg{{Text: formatNumber(value), Value: value, IsNumber: true,
				Line: e.Line}},
			Internal: true, Parallel: in.multiplier()})
	}
	left, right := e.Nodes[0], e.Nodes[1]
	for i := 1; i <= lumps; i++ {
		low, high := e.Name+"#lo"+itoa(i), e.Name+"#hi"+itoa(i)
		if i == lumps {
			low = high
		} else {
			p.registerNode(low, true)
		}
		p.registerNode(high, true)
		add('r', "rlo"+itoa(i), r, left, low)
		add('r', "rhi"+itoa(i), r, high, right)
		add('c', "clo"+itoa(i), c, low, e.Nodes[2])
		if low != high {
			add('c', "chi"+itoa(i), c, high, e.Nodes[2])
		}
		left, right, r, c = low, high, r*k, c*k
	}
}
