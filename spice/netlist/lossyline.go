package netlist

import "slices"

// lossyLine converts a lossy T line of PSpice to the lossy line O of SPICE3. The T line has LEN, R,
// L, G and C on its own card. It does nothing for other elements.
func (p *parser) lossyLine(e *Element) {
	if _, ok := e.Param("len"); !ok || e.Kind != 't' {
		return
	}
	for _, name := range [...]string{"z0", "zo", "td", "f", "nl"} {
		if _, ok := e.Param(name); ok {
			return
		}
	}
	m := &Model{Name: e.Name, Type: "ltra", Line: e.Line}
	e.Params = slices.DeleteFunc(e.Params, func(q Param) bool {
		switch q.Name {
		case "len", "r", "l", "g", "c":
			m.Params = append(m.Params, q)
			return true
		}
		return false
	})
	e.Kind, e.Model = 'o', m
	p.warn(e.Line, e.Name+" with LEN, R, L, G and C is read as a lossy line (O with a model LTRA)")
}
