package fabrication

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"slipstick/autorouter/board"
)

// Board holds the parsed contents of all fabrication files of a board.
type Board struct {
	Copper            []*Image  // copper layers from the top
	Mask              [2]*Image // solder mask openings of the top and the bottom
	Profile           *Image
	Plated, NonPlated []Drilled
	Points            []TestPoint
	drillSpans        []string // layer span of each drill file, such as 1,2
}

// position returns the position word of copper layer l in a file function (Gerber X2, section
// 5.6.3): Top, Inr or Bot.
func position(l, layers int) string {
	switch l {
	case 0:
		return "Top"
	case layers - 1:
		return "Bot"
	}
	return "Inr"
}

// layerName returns the name of a copper layer for a message.
func (b *Board) layerName(l int) string {
	switch position(l, len(b.Copper)) {
	case "Top":
		return "top"
	case "Bot":
		return "bottom"
	}
	return fmt.Sprintf("inner %d", l)
}

// Read parses the files of a board, given as file contents by name. It identifies them by their
// function attributes. Other files, such as paste and silkscreen, are parsed but not used. Read
// returns an error for an invalid file.
func Read(texts map[string]string) (*Board, error) {
	b := &Board{}
	for name, text := range texts {
		var err error
		switch {
		case strings.Contains(text, "%FSLA"):
			err = b.gerber(text)
		case strings.HasPrefix(text, "M48"):
			var f *DrillFile
			if f, err = ReadDrill(text); err == nil {
				b.drillSpans = append(b.drillSpans, f.layers())
			}
			if err == nil && strings.HasPrefix(f.Function, "Plated") {
				b.Plated = append(b.Plated, f.Holes...)
			} else if err == nil {
				b.NonPlated = append(b.NonPlated, f.Holes...)
			}
		case strings.HasPrefix(text, "P  CODE"):
			b.Points, err = ReadIPC356(text)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	for l, m := range b.Copper {
		if m == nil {
			return nil, fmt.Errorf("no file for the %s copper", b.layerName(l))
		}
		function := fmt.Sprintf("Copper,L%d,%s", l+1, position(l, len(b.Copper)))
		if have := m.Attributes[".FileFunction"]; have != function {
			return nil, fmt.Errorf("a file of function %s, want %s of %d copper layers", have,
				function, len(b.Copper))
		}
	}
	for i, m := range []*Image{b.Mask[0], b.Mask[1], b.Profile} {
		if m == nil {
			return nil, fmt.Errorf("no file for %s", [...]string{"the top mask", "the bottom mask",
				"the profile"}[i])
		}
	}
	if len(b.Copper) < 2 {
		return nil, fmt.Errorf("%d files of copper", len(b.Copper))
	}
	for _, layers := range b.drillSpans {
		if want := fmt.Sprintf("1,%d", len(b.Copper)); layers != want {
			return nil, fmt.Errorf("a drill file for the layers %s of a board with the layers %s",
				layers, want)
		}
	}
	if len(b.Points) == 0 {
		return nil, fmt.Errorf("no test points")
	}
	return b, nil
}

func (b *Board) gerber(text string) error {
	m, err := ReadGerber(text)
	if err != nil {
		return err
	}
	function := m.Attributes[".FileFunction"]
	if rest, ok := strings.CutPrefix(function, "Copper,L"); ok {
		number, _, _ := strings.Cut(rest, ",")
		l, err := strconv.Atoi(number)
		if err != nil || l < 1 || l > board.MaxLayers {
			return fmt.Errorf("a file of function %s", function)
		}
		b.Copper = append(b.Copper, make([]*Image, max(0, l-len(b.Copper)))...)
		b.Copper[l-1] = m
	}
	switch function {
	case "Soldermask,Top":
		b.Mask[0] = m
	case "Soldermask,Bot":
		b.Mask[1] = m
	case "Profile,NP":
		b.Profile = m
	}
	return nil
}

// piece is one copper object or the barrel of a plated hole.
type piece struct {
	shapes []shape
	on     board.LayerSet
	net    string // net label in the file; "" for a barrel
	part   string // reference designator of the part that has the pad
	pin    string // number of the pad
	pad    bool
	barrel bool
	via    bool // whether the piece is the land of a via
	// connected is set if the piece touches copper on its layer other than via lands and barrels.
	connected  bool
	at         board.Point
	parent     int
	namesKnown map[string]string // test point of each net, by net name; used only in the root
}

// nearPair is a pair of close pieces that do not touch; the gap is in nm.
type nearPair struct {
	a, b int
	gap  float64
}

// copper holds all conductors with their connections.
type copper struct {
	pieces []piece
	gaps   []nearPair
	ties   []Tie
}

// extractNets collects the copper of all layers. It unites the pieces that touch, and records the
// pairs of separate pieces that are closer than reach [nm]. The pads of ties remain separate.
func (b *Board) extractNets(reach float64, ties []Tie) (*copper, error) {
	c := &copper{ties: ties}
	for l, m := range b.Copper {
		for i := range m.Objects {
			o := &m.Objects[i]
			s, err := m.shapes(o)
			if err != nil {
				return nil, err
			}
			p := piece{shapes: s, net: o.Attributes[".N"], part: o.Attributes[".C"],
				pad: o.Attributes[".P"] != "", at: o.To}
			_, p.pin, _ = strings.Cut(o.Attributes[".P"], ",")
			p.via = o.Kind == Flash && !p.pad
			if o.Kind == Region {
				p.at = o.Contour[0]
			}
			p.on = board.Layer(l).Bit()
			c.pieces = append(c.pieces, p)
		}
	}
	all := board.LayerSet(1)<<len(b.Copper) - 1
	for _, h := range b.Plated {
		c.pieces = append(c.pieces, piece{shapes: []shape{h.shape()}, on: all,
			barrel: true, at: h.A})
	}
	for i := range c.pieces {
		c.pieces[i].parent = i
	}
	gaps := map[[2]int]float64{}
	for l := range b.Copper {
		c.layer(l, reach, gaps)
	}
	for pair, gap := range gaps {
		if c.find(pair[0]) != c.find(pair[1]) {
			c.gaps = append(c.gaps, nearPair{pair[0], pair[1], gap})
		}
	}
	return c, nil
}

func (d Drilled) shape() shape { return newShape(float64(d.Diameter)/2, vecOf(d.A), vecOf(d.B)) }

func (c *copper) find(i int) int {
	for c.pieces[i].parent != i {
		c.pieces[i].parent = c.pieces[c.pieces[i].parent].parent
		i = c.pieces[i].parent
	}
	return i
}

func (c *copper) union(a, b int) {
	if a, b = c.find(a), c.find(b); a != b {
		c.pieces[max(a, b)].parent = min(a, b)
	}
}

// connect unites two pieces that touch on a layer. It also records which of them touch copper other
// than via lands and barrels.
func (c *copper) connect(a, b int) {
	p, q := &c.pieces[a], &c.pieces[b]
	if p.pad && q.pad && p.part == q.part && slices.ContainsFunc(c.ties, func(t Tie) bool {
		return t.Ref == p.part && (t.Pads == [2]string{p.pin, q.pin} ||
			t.Pads == [2]string{q.pin, p.pin})
	}) {
		return
	}
	p.connected = p.connected || !q.barrel && !q.via
	q.connected = q.connected || !p.barrel && !p.via
	c.union(a, b)
}

// touching is the largest gap between connected copper [nm]. Files have a resolution of one
// nanometre, and corners of rotated rectangles lie between grid points.
const touching = 1.5

// side is one side of a shape. The neighbour search compares sides.
type side struct {
	piece int
	shape shape
}

// layer unites the touching pieces of layer l. For other pairs it records gaps smaller than reach
// [nm], by piece indices.
func (c *copper) layer(l int, reach float64, gaps map[[2]int]float64) {
	var sides []side
	var whole []side // shapes that enclose an area
	for i := range c.pieces {
		if !c.pieces[i].on.Has(board.Layer(l)) {
			continue
		}
		for _, s := range c.pieces[i].shapes {
			s.sides(func(a, b vec) { sides = append(sides, side{i, newShape(s.radius, a, b)}) })
			if len(s.points) > 2 {
				whole = append(whole, side{i, s})
			}
		}
	}
	cells := map[[2]int][]int{}
	const cell = 0.5 * millimetre
	span := func(b box, visit func([2]int)) {
		for x := int(math.Floor(b.x0 / cell)); x <= int(math.Floor(b.x1/cell)); x++ {
			for y := int(math.Floor(b.y0 / cell)); y <= int(math.Floor(b.y1/cell)); y++ {
				visit([2]int{x, y})
			}
		}
	}
	for i := range sides {
		s := &sides[i]
		around := s.shape.box.grown(reach)
		span(around, func(at [2]int) {
			for _, k := range cells[at] {
				o := &sides[k]
				if o.piece == s.piece || !o.shape.box.intersects(around) {
					continue
				}
				gap := s.shape.gap(&o.shape)
				if gap <= touching {
					c.connect(s.piece, o.piece)
				} else if gap < reach {
					pair := [2]int{min(s.piece, o.piece), max(s.piece, o.piece)}
					if old, ok := gaps[pair]; !ok || gap < old {
						gaps[pair] = gap
					}
				}
			}
		})
		span(s.shape.box, func(at [2]int) { cells[at] = append(cells[at], i) })
	}
	// A piece inside another shape also touches it, even if it crosses no side.
	for i := range c.pieces {
		if !c.pieces[i].on.Has(board.Layer(l)) {
			continue
		}
		for _, s := range c.pieces[i].shapes {
			p := s.points[0]
			for k := range whole {
				w := &whole[k]
				if w.piece != i && p.x >= w.shape.box.x0 && p.x <= w.shape.box.x1 &&
					p.y >= w.shape.box.y0 && p.y <= w.shape.box.y1 && w.shape.inside(p) {
					c.connect(i, w.piece)
				}
			}
		}
	}
}
