package place

import (
	"cmp"
	"maps"
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
	regulator bool // whether the part is a regulator; see isRegulator
}

// isPowered reports whether part i, which is no IC by its class letter, has a supply, a ground and
// a signal. Such a part works as an IC, for example an LED with a controller. A clamp of two diodes
// has these too, but three pads only.
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

// isRegulator reports whether part i is a voltage regulator or a load switch by its nets. It has an
// input and an output supply, and besides ground at most one signal, such as feedback or enable.
// Level shifters and amplifiers have more signals.
func (p *placer) isRegulator(i int) bool {
	const maxPads = 12
	if !p.nl.Components[i].MayRegulate() || len(p.parts[i].orientations[0].pins) > maxPads {
		return false
	}
	supplies, signals := 0, 0
	for _, n := range p.parts[i].nets {
		switch net := &p.nl.Nets[n]; {
		case n == p.opt.Rules.GroundNet:
		case net.Supply || net.Width > 0:
			supplies++
		default:
			signals++
		}
	}
	return supplies == 2 && signals <= 1
}

// decoupler is a capacitor between a supply and ground.
type decoupler struct {
	part, pin, net int
	farad          float64 // infinite if the value states no capacitance
}

// bindDecouplers assigns each capacitor between a supply and ground to one supply pin of an IC and
// connects the two by a separate net. The largest capacitors of the input and the output of a
// regulator are its own, as its data sheet requires them at its pins. For the others nextSupply
// chooses the pin, the smallest capacitors first, so that ICs get ceramic bypass capacitors before
// bulk capacitors. Equal ones follow the order of the netlist.
func (p *placer) bindDecouplers() {
	pins := p.supplyPins()
	capacitors := p.decouplers()
	bound := map[int]bool{}
	bind := func(c decoupler, s *supply) {
		s.used++
		bound[c.part] = true
		p.parts[c.part].associated = s.part
		p.nets = append(p.nets, net{weight: decouplerWeight})
		p.addPin(len(p.nets)-1, c.part, c.pin)
		p.addPin(len(p.nets)-1, s.part, s.pin)
	}
	for _, n := range slices.Sorted(maps.Keys(pins)) {
		for k := range pins[n] {
			s := &pins[n][k]
			if !s.regulator || k > 0 && pins[n][k-1].part == s.part {
				continue
			}
			if c := largestBulk(capacitors, n, bound); c >= 0 {
				bind(capacitors[c], s)
			}
		}
	}
	for _, c := range capacitors {
		if bound[c.part] {
			continue
		}
		if best := nextSupply(pins[c.net]); best >= 0 {
			bind(c, &pins[c.net][best])
		}
	}
}

// supplyPins returns, by net, the pins of the parts that capacitors may serve.
func (p *placer) supplyPins() map[int][]supply {
	pins := map[int][]supply{}
	for i := range p.parts {
		ic, regulator := p.nl.Components[i].IsIC(), p.isRegulator(i)
		vs := p.parts[i].orientations[0].pins
		if len(vs) < 3 || !ic && !regulator && !p.isPowered(i) {
			continue
		}
		for k, q := range vs {
			if q.net != board.NoNet {
				pins[q.net] = append(pins[q.net],
					supply{part: i, pin: k, other: !ic, regulator: regulator})
			}
		}
	}
	return pins
}

// largestBulk returns the index of the largest capacitor of at least minBulk on net n that is not
// bound, or -1 if there is none. Of equal ones it is the first.
func largestBulk(capacitors []decoupler, n int, bound map[int]bool) int {
	best := -1
	for k, c := range capacitors {
		if c.net != n || bound[c.part] || c.farad < minBulk || math.IsInf(c.farad, 1) {
			continue
		}
		if best < 0 || c.farad > capacitors[best].farad {
			best = k
		}
	}
	return best
}

// decouplers returns the capacitors with two pads between a supply and ground by ascending
// capacitance. Those without a capacitance as value are last.
func (p *placer) decouplers() []decoupler {
	var out []decoupler
	ground := p.opt.Rules.GroundNet
	for i := range p.parts {
		c, vs := &p.nl.Components[i], p.parts[i].orientations[0].pins
		if !c.IsCapacitor() || len(vs) != 2 || ground == board.NoNet {
			continue
		}
		pin := 0
		if vs[0].net == ground {
			pin = 1
		}
		n := vs[pin].net
		if vs[1-pin].net != ground || n == board.NoNet || n == ground || !p.isSupply(n) {
			continue
		}
		d := decoupler{part: i, pin: pin, net: n, farad: math.Inf(1)}
		if farad, ok := c.Capacitance(); ok {
			d.farad = farad
		}
		out = append(out, d)
	}
	slices.SortStableFunc(out, func(a, b decoupler) int { return cmp.Compare(a.farad, b.farad) })
	return out
}

// nextSupply returns the index of the pin that gets the next capacitor, or -1 if there is none. An
// IC without a capacitor is first, then another part without one. Then the part with the fewest for
// each of its pins on the supply follows, a regulator last, and its pin with the fewest. The pads
// of a regulator on one net, such as its tab, are one pin.
func nextSupply(pins []supply) int {
	used, of := map[int]int{}, map[int]int{}
	for _, s := range pins {
		used[s.part] += s.used
		if of[s.part]++; s.regulator {
			of[s.part] = 1
		}
	}
	order := func(a, b supply) int {
		x, y := a.part, b.part
		return cmp.Or(cmp.Compare(min(used[x], 1), min(used[y], 1)),
			compareBool(a.other, b.other), cmp.Compare(used[x]*of[y], used[y]*of[x]),
			compareBool(a.regulator, b.regulator), cmp.Compare(a.used, b.used))
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
