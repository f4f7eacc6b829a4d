package analysis

import (
	"strconv"
	"strings"

	"slipstick/spice/device"
)

// column is one vector of a result: an unknown, or the current or power of an element.
type column struct {
	unknown int // index of the unknown, or of the element's branch current if the column is a power
	power   bool
	// plus and minus are the nodes of an element. conductor is nil if the current is an unknown.
	plus, minus int
	conductor   device.Conductor
}

// derived reports whether the column has to be computed from several unknowns.
func (c *column) derived() bool { return c.power || c.conductor != nil }

// uses returns the unknowns from which the column is computed.
func (c *column) uses() []int {
	if !c.derived() {
		return []int{c.unknown}
	}
	return []int{c.plus, c.minus, c.unknown}
}

// value returns the column [V, A or W] at a DC solution or a time point. The function x returns an
// unknown [V or A] by its index.
func (c *column) value(x func(unknown int) float64) float64 {
	if !c.derived() {
		return x(c.unknown)
	}
	v := x(c.plus) - x(c.minus)
	i := 0.0
	if c.conductor != nil {
		i = v * c.conductor.Conductance(false)
	} else {
		i = x(c.unknown)
	}
	if c.power {
		return v * i
	}
	return i
}

// phasor returns the column [V or A] for the .ac solution x, which is indexed by unknowns. Powers
// are not available in .ac.
func (c *column) phasor(x []complex128) complex128 {
	if c.conductor == nil {
		return x[c.unknown]
	}
	return (x[c.plus] - x[c.minus]) * complex(c.conductor.Conductance(true), 0)
}

// columns returns the columns of the result and, for each, an empty vector with its name and unit.
// Node voltages come first, then the currents of voltage sources, then those of inductors.
func (s *sim) columns() (cols []column, vecs []Vector) {
	cols = make([]column, 0, len(s.setup.Unknowns))
	vecs = make([]Vector, 0, len(s.setup.Unknowns))
	add := func(i int, name, unit string) {
		cols = append(cols, column{unknown: i})
		vecs = append(vecs, Vector{Name: name, Unit: unit})
	}
	for i, u := range s.setup.Unknowns {
		if i > 0 && !u.Branch && !u.Internal && !s.job.Circuit.InternalNodes[u.Name] {
			add(i, "v("+u.Name+")", "V")
		}
	}
	for _, kind := range [...]byte{'v', 'l'} {
		for i, u := range s.setup.Unknowns {
			if u.Branch && u.Element.Kind == kind && !u.Element.Internal {
				add(i, "i("+u.Name+")", "A")
			}
		}
	}
	return s.selectColumns(cols, vecs)
}

// selectColumns keeps the vectors named by the option vectors or, without this option, by .save. It
// adds the currents and powers named there that can be computed from unknowns.
func (s *sim) selectColumns(cols []column, vecs []Vector) ([]column, []Vector) {
	wanted := s.opt.Vectors
	if len(wanted) == 0 {
		wanted = s.job.Circuit.Save
	}
	if len(wanted) == 0 {
		return cols, vecs
	}
	var kc, more []column
	var kv, moreVecs []Vector
	taken := map[int]bool{}
	noPowers := false // the warning about powers was given
	for _, w := range wanted {
		w = strings.ToLower(strings.ReplaceAll(w, " ", ""))
		alias := s.job.Circuit.Aliases[w]
		w = strings.TrimSuffix(strings.TrimSuffix(w, "_mag"), "_phase_deg")
		found := w == "all"
		for k, v := range vecs {
			element := strings.TrimSuffix(strings.TrimPrefix(v.Name, "i("), ")")
			if v.Name == w || v.Name == "v("+w+")" || w == element+"#branch" {
				found = true
				taken[k] = true
			}
			if w == "all" {
				taken[k] = true
			}
		}
		if c, name, unit, ok := s.column(w); !found && ok {
			more, moreVecs = append(more, c), append(moreVecs, Vector{Name: name, Unit: unit})
			found = true
		}
		if c, _, unit, ok := s.column(alias); !found && ok {
			more, moreVecs = append(more, c), append(moreVecs, Vector{Name: w, Unit: unit})
			found = true
		}
		switch missing := "vector " + strconv.Quote(w) + " is not in the circuit"; {
		case found:
		case s.job.Analysis.Variation != "" && strings.HasPrefix(w, "p("):
			if !noPowers { // .save p(*) asks for many
				s.warn(missing + ": small-signal analyses have no powers")
			}
			noPowers = true
		default:
			s.warn(missing)
		}
	}
	for k := range vecs {
		if taken[k] {
			kc, kv = append(kc, cols[k]), append(kv, vecs[k])
		}
	}
	kc, kv = append(kc, more...), append(kv, moreVecs...)
	if len(kv) == 0 {
		return cols, vecs
	}
	return kc, kv
}

// at returns the value [V or A] of an unknown in the present solution.
func (s *sim) at(unknown int) float64 { return s.x[unknown] }

// column finds a vector by its name: v(node), i(element), p(element), @element[i] or @element[p].
// The element must be a resistor or have a branch current; otherwise ok is false. canonical is the
// name of the vector in the result. The current flows from the first node through the element. The
// power is the power that the element absorbs.
func (s *sim) column(name string) (c column, canonical, unit string, ok bool) {
	if c.unknown = s.unknownOf(name); c.unknown > 0 {
		return c, name, map[bool]string{false: "V", true: "A"}[s.branch[c.unknown]], true
	}
	var element string
	switch {
	case strings.HasPrefix(name, "@") && strings.HasSuffix(name, "[i]"):
		element = name[1 : len(name)-3]
	case strings.HasPrefix(name, "@") && strings.HasSuffix(name, "[p]"):
		element, c.power = name[1:len(name)-3], true
	case len(name) > 3 && (name[0] == 'i' || name[0] == 'p') && name[1] == '(' &&
		name[len(name)-1] == ')':
		element, c.power = name[2:len(name)-1], name[0] == 'p'
	default:
		return c, "", "", false
	}
	canonical, unit = "i("+element+")", "A"
	if c.power {
		if s.job.Analysis.Variation != "" {
			return c, "", "", false // the product of two phasors is not a phasor
		}
		canonical, unit = "p("+element+")", "W"
	}
	for _, d := range s.devices {
		e := d.Element()
		if e.Name != element || len(e.Nodes) < 2 {
			continue
		}
		c.plus, c.minus = s.setup.Node(e.Nodes[0]), s.setup.Node(e.Nodes[1])
		c.conductor, ok = d.(device.Conductor)
		if !ok {
			c.unknown = s.unknownOf("i(" + element + ")")
			ok = c.unknown > 0
		}
		return c, canonical, unit, ok
	}
	return c, "", "", false
}

// layout maps the columns of a transient result to the columns of its table of unknowns.
type layout struct {
	columns []column
	index   []int       // index of the unknown in each table column; the time column is omitted
	place   map[int]int // table column of each unknown that derived columns use
}

// arrange returns the layout of the given columns. The unknowns of columns that are not derived
// come first, in the given order.
func arrange(columns []column) layout {
	l := layout{columns: columns}
	for _, c := range columns {
		if !c.derived() {
			l.index = append(l.index, c.unknown)
		}
	}
	for _, c := range columns {
		if !c.derived() {
			continue
		}
		if l.place == nil {
			l.place = map[int]int{}
		}
		for _, u := range c.uses() {
			if _, there := l.place[u]; u > 0 && !there {
				l.index = append(l.index, u)
				l.place[u] = len(l.index)
			}
		}
	}
	return l
}

// derive computes the result table from the table of unknowns.
func (l *layout) derive(t *table) *table {
	if l.place == nil {
		return t
	}
	out := &table{width: 1 + len(l.columns), limit: t.limit}
	if t.bound != nil {
		out.bound, out.extremesOnly = make([]float64, out.width), make([]bool, out.width)
	}
	plain := 1
	sources := make([][]int, len(l.columns))
	for k, c := range l.columns {
		if !c.derived() {
			sources[k] = []int{plain}
			plain++
		} else {
			for _, u := range c.uses() {
				if u > 0 {
					sources[k] = append(sources[k], l.place[u])
				}
			}
		}
		for _, p := range sources[k] {
			if t.bound != nil {
				out.bound[k+1] = max(out.bound[k+1], t.bound[p])
				out.extremesOnly[k+1] = out.extremesOnly[k+1] || t.extremesOnly[p]
			}
		}
	}
	out.data = make([]float64, 0, t.rows()*out.width)
	for r := range t.rows() {
		row := t.data[r*t.width : (r+1)*t.width]
		out.data = append(out.data, row[0])
		for k := range l.columns {
			c := &l.columns[k]
			if !c.derived() {
				out.data = append(out.data, row[sources[k][0]])
				continue
			}
			out.data = append(out.data, c.value(func(u int) float64 {
				if u == 0 {
					return 0
				}
				return row[l.place[u]]
			}))
		}
	}
	return out
}
