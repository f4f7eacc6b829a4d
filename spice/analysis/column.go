package analysis

import (
	"strings"

	"slipstick/spice/device"
)

// column is one vector of a result: an unknown, or the current or the power of an element, which
// follow from unknowns.
type column struct {
	unknown int // of an unknown; of the power of an element with a current of its own: that current
	power   bool
	// plus and minus are the nodes of an element; conductor is nil where its current is an unknown.
	plus, minus int
	conductor   device.Conductor
}

// derived reports whether the column is more than one unknown.
func (c *column) derived() bool { return c.power || c.conductor != nil }

// uses lists the unknowns that the column is computed from.
func (c *column) uses() []int {
	if !c.derived() {
		return []int{c.unknown}
	}
	return []int{c.plus, c.minus, c.unknown}
}

// value computes the column at a DC solution or a time point, V, A or W.
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

// phasor computes the column in .ac, where there are no powers.
func (c *column) phasor(x []complex128) complex128 {
	if c.conductor == nil {
		return x[c.unknown]
	}
	return (x[c.plus] - x[c.minus]) * complex(c.conductor.Conductance(true), 0)
}

// at returns the unknowns of the present solution.
func (s *sim) at(unknown int) float64 { return s.x[unknown] }

// column finds a vector by its name: v(node), i(element), p(element), @element[i] or @element[p].
// The currents are those of elements with a current among the unknowns and of resistors, from
// the first node through the element; powers are those that such an element takes.
func (s *sim) column(name string) (c column, canonical, unit string, ok bool) {
	if c.unknown = s.find(name); c.unknown > 0 {
		return c, name, map[bool]string{false: "V", true: "A"}[s.branch[c.unknown]], true
	}
	var element string
	switch {
	case strings.HasPrefix(name, "@") && strings.HasSuffix(name, "[i]"):
		element = name[1 : len(name)-3]
	case strings.HasPrefix(name, "@") && strings.HasSuffix(name, "[p]"):
		element, c.power = name[1:len(name)-3], true
	case len(name) > 3 && (name[0] == 'i' || name[0] == 'p') && name[1] == '(' && name[len(name)-1] == ')':
		element, c.power = name[2:len(name)-1], name[0] == 'p'
	default:
		return c, "", "", false
	}
	canonical, unit = "i("+element+")", "A"
	if c.power {
		if s.job.Analysis.Variation != "" {
			return c, "", "", false // the product of two phasors is no phasor
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
			c.unknown = s.find("i(" + element + ")")
			ok = c.unknown > 0
		}
		return c, canonical, unit, ok
	}
	return c, "", "", false
}

// layout is how the columns of a transient lie in its table, which holds unknowns.
type layout struct {
	columns []column
	index   []int       // unknown of each column of the table after the time
	place   map[int]int // of the unknowns that derived columns use: column of the table
}

// arrange puts the unknowns of plain columns first, in their order.
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

// derive makes the table of the columns from that of the unknowns.
func (l *layout) derive(t *table) *table {
	if l.place == nil {
		return t
	}
	out := &table{width: 1 + len(l.columns), limit: t.limit}
	if t.bound != nil {
		out.bound, out.extreme = make([]float64, out.width), make([]bool, out.width)
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
				out.bound[k+1], out.extreme[k+1] = max(out.bound[k+1], t.bound[p]), out.extreme[k+1] || t.extreme[p]
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
