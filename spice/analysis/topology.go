package analysis

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"slipstick/spice/device"
	"slipstick/spice/diag"
	"slipstick/spice/netlist"
)

// unionFind is a disjoint-set forest of unknowns. It holds the parent of each unknown.
type unionFind []int

// newUnionFind returns n sets of one unknown each.
func newUnionFind(n int) unionFind {
	f := make(unionFind, n)
	for i := range f {
		f[i] = i
	}
	return f
}

func (f unionFind) find(i int) int {
	for f[i] != i {
		f[i] = f[f[i]]
		i = f[i]
	}
	return i
}

func (f unionFind) union(a, b int) bool {
	a, b = f.find(a), f.find(b)
	f[max(a, b)] = min(a, b)
	return a != b
}

// checkTopology rejects circuits without a unique solution: no ground, loops of voltage sources,
// cut-sets of current sources, and nodes that no element determines. A part without a DC path to
// ground gets a shunt and a warning.
func (s *sim) checkTopology() error {
	n := s.setup.Pattern.N() + 1
	terms := make([]device.Terminals, len(s.devices))
	touched := make([]bool, n)
	ties := newUnionFind(n)
	var pairs [][2]int
	for i, d := range s.devices {
		t := d.(device.Topology).Terminals()
		terms[i] = t
		pairs = append(append(pairs[:0], t.Conducts...), t.Couples...)
		if t.Fixes != nil {
			pairs = append(pairs, *t.Fixes)
			ties.union(t.Fixes[0], t.Fixes[1])
		}
		if t.Injects != nil {
			pairs = append(pairs, *t.Injects)
			if d.Element().Kind != 'i' { // a controlled source may determine a node by feedback
				ties.union(t.Injects[0], t.Injects[1])
			}
		}
		for _, p := range t.Conducts {
			ties.union(p[0], p[1])
		}
		for _, p := range pairs {
			touched[p[0]], touched[p[1]] = true, true
		}
	}
	if !touched[0] {
		return diag.At(diag.NoGround, 0,
			"no element is connected to ground; one node must be called 0 or gnd")
	}
	for i := 1; i < n; i++ {
		if u := s.setup.Unknowns[i]; !u.Branch && !touched[i] {
			e := s.elementAt(u.Name)
			err := diag.On(diag.FloatingNode, e.Line, e.Name,
				"node %s is only read by %s and nothing determines its voltage", u.Name, e.Name)
			err.Node = u.Name
			return err
		}
	}
	if err := s.checkLoops(terms, n); err != nil {
		return err
	}
	return s.checkIslands(terms, ties, n)
}

// elementAt returns the first element connected to a node, or an empty element if there is none.
func (s *sim) elementAt(node string) *netlist.Element {
	for _, d := range s.devices {
		for _, m := range d.Element().Nodes {
			if m == node {
				return d.Element()
			}
		}
	}
	return &netlist.Element{}
}

// checkLoops detects loops of voltage sources and inductors. terms is indexed by device, and n is
// the number of unknowns including ground. limitLoop resolves a loop that contains an inductor.
func (s *sim) checkLoops(terms []device.Terminals, n int) error {
	type edge struct{ to, dev int }
	next := make([][]edge, n)
	loops := newUnionFind(n)
	for i, t := range terms {
		if t.Fixes == nil {
			continue
		}
		a, b := t.Fixes[0], t.Fixes[1]
		if loops.union(a, b) {
			next[a] = append(next[a], edge{b, i})
			next[b] = append(next[b], edge{a, i})
			continue
		}
		// The path from a to b through earlier sources closes the loop.
		via := make([]edge, n) // for each node, the previous node and the device in between
		seen := make([]bool, n)
		seen[a] = true
		queue := []int{a}
		for len(queue) > 0 && !seen[b] {
			at := queue[0]
			queue = queue[1:]
			for _, e := range next[at] {
				if !seen[e.to] {
					seen[e.to] = true
					via[e.to] = edge{at, e.dev}
					queue = append(queue, e.to)
				}
			}
		}
		members := []int{i}
		for at := b; at != a; at = via[at].to {
			members = append(members, via[at].dev)
		}
		if len(members) > 1 && s.limitLoop(members) {
			continue
		}
		e := s.devices[i].Element()
		if len(members) == 1 {
			return diag.On(diag.VoltageLoop, e.Line, e.Name,
				"%s is short-circuited: both ends are at node %s", e.Name, e.Nodes[0])
		}
		return diag.On(diag.VoltageLoop, e.Line, e.Name,
			"%s form a loop of voltage sources or inductors, whose current is not determined; "+
				"add a small resistance", s.listDevices(members))
	}
	return nil
}

// loopOhms is the DC resistance [ohm] of an inductor in a loop without resistance. LTspice uses the
// same series resistance unless Rser is given.
const loopOhms = 1e-3

// limitLoop resolves a loop that contains inductors and reports whether it succeeded. members holds
// the indices of the devices. The inductors get a small series resistance at DC, with a warning.
// The results of .tran and of small-signal analyses hardly depend on this resistance, but DC
// results do. Analyses with DC results therefore reject the loop. A transient with uic does not
// compute a DC solution and needs no warning.
func (s *sim) limitLoop(members []int) bool {
	switch a := s.job.Analysis; a.Kind {
	case "op", "dc", "tf":
		return false
	case "sens":
		if a.Variation == "" {
			return false // the DC sensitivity depends on the resistance
		}
	}
	found := false
	for _, i := range members {
		if d, ok := s.devices[i].(interface{ LimitLoop(ohms float64) }); ok {
			d.LimitLoop(loopOhms)
			found = true
		}
	}
	if a := s.job.Analysis; found && !(a.Kind == "tran" && a.UIC) {
		s.warn(
			fmt.Sprintf("%s form a loop without resistance; at DC every inductor in it has %g ohm "+
				"in series, the default of LTspice", s.listDevices(members), loopOhms))
	}
	return found
}

// listDevices returns the names and lines of devices in the form "v1 (line 2), v2 (line 3)".
func (s *sim) listDevices(devices []int) string {
	sort.Ints(devices)
	var parts []string
	for _, i := range devices {
		e := s.devices[i].Element()
		parts = append(parts, fmt.Sprintf("%s (line %d)", e.Name, e.Line))
	}
	return strings.Join(parts, ", ")
}

// checkIslands finds the parts of the circuit without a DC path to ground. It adds a shunt to each
// part, or returns an error if current sources drive the part at DC. ties holds the sets of nodes
// with DC connections, and n is the number of unknowns including ground.
func (s *sim) checkIslands(terms []device.Terminals, ties unionFind, n int) error {
	uic := s.job.Analysis.Kind == "tran" && s.job.Analysis.UIC
	feeds := map[int][]int{} // for each island, the current sources that connect it to another one
	stores := joinCapacitors(terms, slices.Clone(ties))
	for i, t := range terms {
		if t.Injects == nil || s.devices[i].Element().Kind != 'i' {
			continue
		}
		a, b := ties.find(t.Injects[0]), ties.find(t.Injects[1])
		if a != b && !(s.hasZeroDCCurrent(i) && stores.find(a) == stores.find(b)) {
			feeds[a] = append(feeds[a], i)
			feeds[b] = append(feeds[b], i)
		}
	}
	ground := ties.find(0)
	for i := 1; i < n; i++ {
		u := s.setup.Unknowns[i]
		if u.Branch || ties.find(i) != i || i == ground {
			continue
		}
		if sources := feeds[i]; len(sources) > 0 {
			if uic {
				continue // capacitors carry the current
			}
			e := s.devices[sources[0]].Element()
			err := diag.On(diag.CurrentCutset, e.Line, e.Name,
				"the current of %s has no return path "+
					"at DC from node %s; add a resistor to ground", s.listDevices(sources), u.Name)
			err.Node = u.Name
			return err
		}
		s.gminShunts = append(s.gminShunts, i)
		s.warn(fmt.Sprintf("node %s has no DC path to ground; "+
			"%g S to ground was added for the operating point", u.Name, shuntConductance))
	}
	s.keepACShunts(terms, ties)
	return nil
}

// hasZeroDCCurrent reports whether the current of a current source is 0 at every DC solution of the
// analysis. Capacitors can then carry its current in .ac and .tran. It returns false in .tf and in
// .sens at DC, whose derivatives by the current would be resistances of the shunt.
func (s *sim) hasZeroDCCurrent(i int) bool {
	source, ok := s.devices[i].(interface {
		Value() float64
		At(t float64) float64
	})
	if !ok {
		return false
	}
	a := s.job.Analysis
	if a.Kind == "tf" || a.Kind == "sens" && a.Variation == "" {
		return false
	}
	for _, w := range a.Sweeps {
		if w.Source == s.devices[i].Element().Name {
			return false
		}
	}
	if a.Kind == "tran" {
		return source.At(0) == 0
	}
	return source.Value() == 0
}

// joinCapacitors joins in place the nodes of ties that capacitors connect, and returns ties.
func joinCapacitors(terms []device.Terminals, ties unionFind) unionFind {
	for _, t := range terms {
		for _, p := range t.Stores {
			ties.union(p[0], p[1])
		}
	}
	return ties
}

// keepACShunts selects the shunts that remain in .ac and .tran. If capacitors couple a part of the
// circuit to ground, they determine its voltages. A shunt would load capacitors below 1 pF at low
// frequencies. A part without any connection to ground keeps one shunt. The shunt carries no
// current, because there is no return path.
func (s *sim) keepACShunts(terms []device.Terminals, ties unionFind) {
	ties = joinCapacitors(terms, ties)
	for _, n := range s.gminShunts {
		if ties.union(n, 0) {
			s.acShunts = append(s.acShunts, n)
		}
	}
}
