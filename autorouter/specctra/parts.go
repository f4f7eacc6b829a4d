package specctra

import (
	"fmt"

	"slipstick/autorouter/board"
	"slipstick/internal/text"
)

func (b *builder) setNets() error {
	d := b.design
	for i := range d.components {
		if _, ok := b.refs[d.components[i].ref]; ok {
			return &Error{
				Line:   d.components[i].line,
				Detail: fmt.Sprintf("component %q is placed twice", text.Word(d.components[i].ref)),
			}
		}
		b.refs[d.components[i].ref] = i
	}
	for _, n := range d.nets {
		at, ok := b.nets[n.name]
		if !ok {
			at = len(b.Nets)
			b.nets[n.name] = at
			b.Nets = append(b.Nets, board.Net{Name: n.name, Class: "default"})
		}
		for _, p := range n.pins {
			ref, number, err := b.split(p)
			if err != "" {
				return &Error{Line: n.line,
					Detail: fmt.Sprintf("net %q: %s", text.Word(n.name), err)}
			}
			key := [2]string{ref, number}
			if was, ok := b.netOfPin[key]; ok && was != at {
				return &Error{
					Line: n.line,
					Detail: fmt.Sprintf(
						"pin %s is on the nets %q and %q",
						text.Word(p),
						text.Word(b.Nets[was].Name),
						text.Word(n.name),
					),
				}
			}
			b.netOfPin[key] = at
		}
	}
	for _, c := range d.classes {
		known, unknown := 0, 0
		for _, name := range c.nets {
			if i, ok := b.nets[name]; ok {
				b.Nets[i].Class = c.name
				known++
			} else if name != "" { // KiCad writes an empty name for unconnected pads
				unknown++
			}
		}
		if known == 0 && unknown > 0 {
			b.warn("class %s has no effect: the design has none of its nets", text.Word(c.name))
		}
	}
	return nil
}

// split splits REF-PIN at a hyphen for which the component and its pin are known, because both may
// contain hyphens. If there is no such hyphen, problem is the reason.
func (b *builder) split(name string) (ref, number, problem string) {
	if len(name) > maxName {
		return "", "", fmt.Sprintf("the name of a pin has %d bytes, more than %d",
			len(name), maxName)
	}
	known := ""
	for i := range len(name) {
		if name[i] != '-' {
			continue
		}
		at, ok := b.refs[name[:i]]
		if !ok {
			continue
		}
		known = name[:i]
		m := b.design.images[b.design.components[at].image]
		if m != nil && m.numbers[name[i+1:]] {
			return known, name[i+1:], ""
		}
	}
	if known != "" {
		return "", "", fmt.Sprintf(
			"component %q has no pin %q",
			text.Word(known),
			text.Word(name[len(known)+1:]),
		)
	}
	return "", "", fmt.Sprintf("pin %q belongs to no placed component", text.Word(name))
}

// place adds a component of the design as a part of the board, with its keepouts.
func (b *builder) place(c *component) error {
	m := b.design.images[c.image]
	if m == nil {
		return &Error{
			Line: c.line,
			Detail: fmt.Sprintf("component %q: the library has no image %q", text.Word(c.ref),
				text.Word(c.image)),
		}
	}
	part := board.Part{
		Component: board.Component{Ref: c.ref, Footprint: &board.Footprint{Name: c.image}},
	}
	on := b.design.frame(c)
	part.At, part.Rotation = b.point(c.at), c.rotation
	if c.back {
		part.Side = board.BottomSide
	}
	for _, p := range m.pins {
		stack := b.design.padstacks[p.padstack]
		if stack == nil {
			return &Error{
				Line: c.line,
				Detail: fmt.Sprintf(
					"component %q: the library has no padstack %q",
					text.Word(c.ref),
					text.Word(p.padstack),
				),
			}
		}
		net := board.NoNet
		if i, ok := b.netOfPin[[2]string{c.ref, p.number}]; ok {
			net = i
		}
		at := on.pin(p)
		for _, one := range b.padsOf(stack, at, b.point(at.at)) {
			one.Number, one.Net = p.number, net
			part.Pads = append(part.Pads, one)
		}
		if b.fail != nil {
			return b.fail
		}
	}
	index := len(b.Parts)
	seen := map[string]bool{}
	for _, p := range part.Pads {
		if p.Net != board.NoNet && !seen[p.Number] {
			seen[p.Number] = true
			b.Nets[p.Net].Pins = append(
				b.Nets[p.Net].Pins,
				board.PinRef{Component: index, Pad: p.Number},
			)
		}
	}
	b.Parts = append(b.Parts, part)
	for i := range m.keepouts {
		b.keepout(&m.keepouts[i], on)
	}
	return nil
}

// checkPins adds a warning for each net with a pin that has no copper.
func (b *builder) checkPins() {
	for _, n := range b.design.nets {
		if len(n.pins) > 0 && len(b.Nets[b.nets[n.name]].Pins) < len(n.pins) {
			b.warn("net %s: a pin has no copper on the routed layers", text.Word(n.name))
		}
	}
}
