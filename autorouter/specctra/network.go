package specctra

import "slipstick/autorouter/sexpr"

func (r *reader) readNetwork(n *sexpr.Node) error {
	for _, c := range n.List[1:] {
		switch c.Head() {
		case "net":
			one := net{name: c.At(1), line: c.Line}
			for _, list := range c.List[1:] {
				switch list.Head() {
				case "pins", "order":
					for _, w := range list.List[1:] {
						one.pins = append(one.pins, w.Word)
					}
				case "fromto", "rule", "layer_rule", "circuit":
					r.skip("(" + list.Head() + " ...) of a net")
				}
			}
			if r.nets = append(r.nets, one); len(r.nets) > maxNets {
				return bad(c, "the design has more than %d nets", maxNets)
			}
		case "class_class":
			r.skip("(class_class ...)")
		case "class":
			if err := r.readClass(c); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *reader) readClass(n *sexpr.Node) error {
	c := class{name: n.At(1)}
	for _, w := range n.List[min(2, len(n.List)):] {
		if w.Leaf {
			c.nets = append(c.nets, w.Word)
			continue
		}
		switch w.Head() {
		case "circuit":
			for _, use := range w.Each("use_via") {
				if c.via == "" {
					c.via = use.At(1)
				}
			}
			for _, head := range []string{"length", "use_layer"} {
				if w.First(head) != nil {
					r.skip("(" + head + " ...) of a class")
				}
			}
		case "rule":
			if err := r.readRule(w, &c.rule); err != nil {
				return err
			}
		case "layer_rule":
			r.skip("(layer_rule ...) of a class")
		}
	}
	if r.classes = append(r.classes, c); len(r.classes) > maxClasses {
		return bad(n, "the design has more than %d classes", maxClasses)
	}
	return nil
}
