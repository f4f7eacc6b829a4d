package place

import (
	"cmp"
	"math"
	"slices"

	"slipstick/autorouter/board"
)

// bindAssociated finds the parts that serve one IC: crystals, and capacitors between a supply and
// ground. The annealing attracts them to the IC's pins. They may be closer to the IC than other
// parts and have no density penalty.
func (p *placer) bindAssociated() {
	for i := range p.parts {
		p.parts[i].associated = -1
	}
	p.bindDecouplers()
	p.bindCrystals()
}

// supply is a supply pin of an IC, with the number of its capacitors.
type supply struct {
	part, pin int
	used      int  // number of capacitors assigned
	other     bool // whether the part is no IC by its class letter
}

// isPowered reports whether part i, which is no IC by its class letter, works as one, such as an
// LED with a controller: it has a supply, a ground and a signal. A clamp of two diodes has these
// too, but three pads only.
func (p *placer) isPowered(i int) bool {
	pins := p.parts[i].orientations[0].pins
	if len(pins) < 4 || !p.nl.Components[i].MayBePowered() {
		return false
	}
	var grounded, supplied, signal bool
	for _, q := range pins {
		switch {
		case q.net == board.NoNet:
		case q.net == p.opt.Rules.GroundNet:
			grounded = true
		case p.nl.Nets[q.net].Supply:
			supplied = true
		default:
			signal = true
		}
	}
	return grounded && supplied && signal
}

// bindDecouplers assigns each capacitor between a supply and ground to one supply pin of an IC and
// connects the two by a separate net. nextSupply chooses the pin. The smallest capacitors are
// first, so that ICs get ceramic bypass capacitors before bulk capacitors. Equal ones follow the
// order of the netlist.
func (p *placer) bindDecouplers() {
	pins := map[int][]supply{}
	for i := range p.parts {
		ic := p.nl.Components[i].IsIC()
		if vs := p.parts[i].orientations[0].pins; len(vs) >= 3 && (ic || p.isPowered(i)) {
			for k, q := range vs {
				if q.net != board.NoNet {
					pins[q.net] = append(pins[q.net], supply{part: i, pin: k, other: !ic})
				}
			}
		}
	}
	ground := p.opt.Rules.GroundNet
	for _, i := range p.capacitors() {
		vs := p.parts[i].orientations[0].pins
		supplyPin := -1
		switch ground {
		case board.NoNet:
		case vs[0].net:
			supplyPin = 1
		case vs[1].net:
			supplyPin = 0
		}
		if supplyPin < 0 || vs[supplyPin].net == board.NoNet || vs[supplyPin].net == ground {
			continue
		}
		n := vs[supplyPin].net
		if !p.isSupply(n) {
			continue
		}
		best := nextSupply(pins[n])
		if best < 0 {
			continue
		}
		s := &pins[n][best]
		s.used++
		p.parts[i].associated = s.part
		p.nets = append(p.nets, net{weight: decouplerWeight})
		p.addPin(len(p.nets)-1, i, supplyPin)
		p.addPin(len(p.nets)-1, s.part, s.pin)
	}
}

// capacitors returns the indices of the capacitors with two pads by ascending capacitance. Those
// without a capacitance as value are last.
func (p *placer) capacitors() []int {
	var out []int
	size := map[int]float64{}
	for i := range p.parts {
		c := &p.nl.Components[i]
		if !c.IsCapacitor() || len(p.parts[i].orientations[0].pins) != 2 {
			continue
		}
		out, size[i] = append(out, i), math.Inf(1)
		if farad, ok := c.Capacitance(); ok {
			size[i] = farad
		}
	}
	slices.SortStableFunc(out, func(i, j int) int { return cmp.Compare(size[i], size[j]) })
	return out
}

// nextSupply returns the index of the pin that gets the next capacitor, or -1 if there is none. An
// IC without a capacitor is first, then another part without one. Then the part with the fewest for
// each of its pins on the supply follows, and its pin with the fewest.
func nextSupply(pins []supply) int {
	used, of := map[int]int{}, map[int]int{}
	for _, s := range pins {
		used[s.part] += s.used
		of[s.part]++
	}
	order := func(a, b supply) int {
		x, y := a.part, b.part
		return cmp.Or(cmp.Compare(min(used[x], 1), min(used[y], 1)),
			compareBool(a.other, b.other), cmp.Compare(used[x]*of[y], used[y]*of[x]),
			cmp.Compare(a.used, b.used))
	}
	best := -1
	for k, s := range pins {
		if best < 0 || order(s, pins[best]) < 0 {
			best = k
		}
	}
	return best
}

// compareBool orders false before true.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// isSupply reports whether a net that a capacitor connects to ground may be a supply or reference
// voltage of an IC. A net of exactly three pins may instead be a filter node.
func (p *placer) isSupply(n int) bool {
	net := &p.nl.Nets[n]
	return net.Supply || net.Width > 0 || len(net.Pins) != 3
}

// bindCrystals raises the weight of the nets of a crystal. It associates the crystal with its IC,
// and the load capacitors with the crystal.
func (p *placer) bindCrystals() {
	for i := range p.parts {
		if !p.nl.Components[i].IsCrystal() {
			continue
		}
		for _, n := range p.parts[i].nets {
			if n == p.opt.Rules.GroundNet || len(p.nets[n].pins) > 5 {
				continue
			}
			p.nets[n].weight = crystalWeight
			for _, j := range p.nets[n].parts {
				if p.nl.Components[j].IsIC() {
					p.parts[i].associated = j
				}
			}
			for _, j := range p.nets[n].parts {
				if p.nl.Components[j].IsCapacitor() && len(p.parts[j].orientations[0].pins) == 2 {
					p.parts[j].associated = i
				}
			}
		}
	}
}

// areAssociated reports whether one of two parts is associated with the other.
func (p *placer) areAssociated(i, j int) bool {
	return p.parts[i].associated == j || p.parts[j].associated == i
}

// associatedGap returns the gap between the courtyards of two associated parts [nm], used both as
// the required and the wanted gap.
func (p *placer) associatedGap(i, j int) int64 {
	return min(int64(float64(p.parts[i].halo+p.parts[j].halo)*p.requiredHalo), maxAssociatedGap)
}
