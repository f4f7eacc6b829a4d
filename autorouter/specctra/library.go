package specctra

import (
	"math"
	"strings"

	"slipstick/autorouter/sexpr"
	"slipstick/internal/text"
)

func (r *reader) readLibrary(n *sexpr.Node) error {
	for _, c := range n.List[1:] {
		var err error
		switch c.Head() {
		case "image":
			err = r.readImage(c)
		case "padstack":
			err = r.readPadstack(c)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) readImage(n *sexpr.Node) error {
	m := &image{numbers: map[string]bool{}}
	for _, c := range n.List[1:] {
		switch c.Head() {
		case "pin":
			p := pin{padstack: c.At(1)}
			var words []*sexpr.Node
			for _, w := range c.List[min(2, len(c.List)):] {
				if w.Leaf {
					words = append(words, w)
				} else if w.Head() == "rotate" {
					v, err := number(w, 1)
					if err != nil {
						return err
					}
					p.rotation = math.Mod(v, 360)
				}
			}
			if len(words) < 3 {
				return bad(c, "(pin %s ...) needs a number and a position", text.Word(p.padstack))
			}
			p.number = words[0].Word
			at := &sexpr.Node{Line: c.Line, List: append([]*sexpr.Node{c.List[0]}, words...)}
			var err error
			if p.at, err = r.point(at, 2); err != nil {
				return err
			}
			m.pins = append(m.pins, p)
			m.numbers[p.number] = true
		case "keepout", "via_keepout", "wire_keepout":
			k, err := r.readKeepout(c)
			if err != nil {
				return err
			}
			m.keepouts = append(m.keepouts, k...)
		}
	}
	// An image may have a separate list for each side; the first one applies.
	if r.images[n.At(1)] == nil {
		r.images[n.At(1)] = m
	}
	return nil
}

func (r *reader) readPadstack(n *sexpr.Node) error {
	p := &padstack{node: n}
	for _, c := range n.Each("shape") {
		for _, s := range c.List[1:] {
			if !isShape(s) {
				continue
			}
			one, err := r.shape(s)
			if err != nil {
				return err
			}
			p.shapes = append(p.shapes, one)
		}
	}
	if len(p.shapes) > maxShapes {
		return bad(
			n,
			"padstack %s has %d shapes; at most %d are read",
			text.Word(n.At(1)),
			len(p.shapes),
			maxShapes,
		)
	}
	r.padstacks[n.At(1)] = p
	return nil
}

func (r *reader) readPlacement(n *sexpr.Node) error {
	if control := n.First("place_control"); control != nil {
		style, _ := control.Text("flip_style")
		r.rotateFirst = style == "rotate_first"
	}
	for _, c := range n.Each("component") {
		for _, p := range c.Each("place") {
			one := component{ref: p.At(1), image: c.At(1), line: p.Line}
			if len(p.List) < 5 || !p.List[2].Leaf {
				return bad(
					p,
					"component %s has no position; place all components before routing",
					text.Word(one.ref),
				)
			}
			var err error
			if one.at, err = r.point(p, 2); err != nil {
				return err
			}
			one.back = strings.EqualFold(p.At(4), "back")
			if p.At(5) != "" {
				if one.rotation, err = number(p, 5); err != nil {
					return err
				}
				one.rotation = math.Mod(one.rotation, 360)
			}
			if r.components = append(r.components, one); len(r.components) > maxParts {
				return bad(p, "the design has more than %d components", maxParts)
			}
		}
	}
	return nil
}
