package place

import (
	"unicode"

	"slipstick/autorouter/board"
)

// Weights of the nets that bind small parts to the circuit they serve, where 1 is a plain net.
const (
	decouplerWeight = 4
	crystalWeight   = 3
)

// closest is the most room [nm] that is kept between a part and the circuit it serves: enough for a
// track, where others keep room for a bundle.
const closest = 600e3

// bindMates finds the parts that serve one circuit and have no business elsewhere: capacitors from a
// supply to ground, and crystals. They are drawn to its pins, may stand closer to it than others, and
// are not spread over a roomy board.
func (p *placer) bindMates() {
	for i := range p.parts {
		p.parts[i].mate = -1
	}
	p.bindDecouplers()
	p.bindCrystals()
}

// is reports whether a part's reference is of a class (IEEE 315: C, U, Y): the letter, and no other after it.
func (p *placer) is(i int, class byte) bool {
	ref := p.nl.Components[i].Ref
	return ref != "" && ref[0]&^0x20 == class && (len(ref) == 1 || !unicode.IsLetter(rune(ref[1])))
}

// bindDecouplers ties each capacitor between ground and a supply to one supply pin of one
// circuit, with a net of its own. Pins take turns, so that capacitors spread over the circuits in
// the order both are listed.
func (p *placer) bindDecouplers() {
	type supply struct{ part, pin, taken int }
	pins := map[int][]supply{}
	for i := range p.parts {
		if vs := p.parts[i].variants[0].pins; len(vs) >= 3 && p.is(i, 'U') {
			for k, q := range vs {
				if q.net != board.NoNet {
					pins[q.net] = append(pins[q.net], supply{part: i, pin: k})
				}
			}
		}
	}
	ground := p.opt.Rules.GroundNet
	for i := range p.parts {
		vs := p.parts[i].variants[0].pins
		if len(vs) != 2 || !p.is(i, 'C') {
			continue
		}
		hot := -1
		switch ground {
		case board.NoNet:
		case vs[0].net:
			hot = 1
		case vs[1].net:
			hot = 0
		}
		if hot < 0 || vs[hot].net == board.NoNet || vs[hot].net == ground {
			continue
		}
		n := vs[hot].net
		if !p.supplies(n) {
			continue
		}
		best := -1
		for k, s := range pins[n] {
			if best < 0 || s.taken < pins[n][best].taken {
				best = k
			}
		}
		if best < 0 {
			continue
		}
		s := &pins[n][best]
		s.taken++
		p.parts[i].mate = s.part
		p.nets = append(p.nets, net{weight: decouplerWeight})
		p.addPin(len(p.nets)-1, i, hot)
		p.addPin(len(p.nets)-1, s.part, s.pin)
	}
}

// supplies reports whether a net, which a capacitor joins to ground, may be a supply or a reference of a
// circuit. A net of three pins may as well be a node of a filter.
func (p *placer) supplies(n int) bool {
	net := &p.nl.Nets[n]
	return net.Class == "power" || net.Width > 0 || len(net.Pins) != 3
}

// bindCrystals weighs the nets between a crystal and its circuit, which its load capacitors are on too.
func (p *placer) bindCrystals() {
	for i := range p.parts {
		if !p.is(i, 'Y') {
			continue
		}
		for _, n := range p.parts[i].nets {
			if n == p.opt.Rules.GroundNet || len(p.nets[n].pins) > 5 {
				continue
			}
			p.nets[n].weight = crystalWeight
			for _, j := range p.nets[n].parts {
				if p.is(j, 'U') {
					p.parts[i].mate = j
				}
			}
			for _, j := range p.nets[n].parts {
				if p.is(j, 'C') && len(p.parts[j].variants[0].pins) == 2 {
					p.parts[j].mate = i
				}
			}
		}
	}
}

// mates reports whether one of two parts serves the other.
func (p *placer) mates(i, j int) bool { return p.parts[i].mate == j || p.parts[j].mate == i }

// mateGap is the room [nm] that two parts of which one serves the other must have between their courtyards,
// and all they want.
func (p *placer) mateGap(i, j int) int64 {
	return min(int64(float64(p.parts[i].halo+p.parts[j].halo)*p.halo), closest)
}
