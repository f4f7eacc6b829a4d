package footprint

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"slipstick/autorouter/board"
	"slipstick/autorouter/sexpr"
)

// figureText contains the dimensions of parts that no formula in this package describes. It also
// contains families whose dimensions are linear in the number of positions n. The header of
// figures.txt describes the line format.
//
//go:embed figures.txt
var figureText string

// figure is an unparsed line of figureText for one number of positions n.
type figure struct {
	name string // part name; n replaces {n} or {nn}
	line string
	n    int
}

// figures returns the lines of figureText by upper-case part name.
var figures = sync.OnceValue(func() map[string]figure {
	all := map[string]figure{}
	for _, line := range strings.Split(figureText, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		name, rest, _ := strings.Cut(line, "|")
		span, _, _ := strings.Cut(rest, "|")
		low, high, step := 0, 0, 1
		if a, b, ok := strings.Cut(span, "-"); ok {
			b, by, _ := strings.Cut(b, "/")
			low, high = atoi(a), atoi(b)
			step = max(1, atoi(by))
		}
		for n := low; n <= high; n += step {
			id := strings.NewReplacer("{nn}", fmt.Sprintf("%02d", n), "{n}",
				strconv.Itoa(n)).Replace(name)
			all[strings.ToUpper(id)] = figure{id, line, n}
		}
	}
	return all
})

// atoi parses a decimal integer; it returns 0 for an invalid text.
func atoi(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}

// fromFigures returns the footprint of an upper-case name in figures.txt, or nil if figures.txt
// lacks the name.
func fromFigures(name string) *board.Footprint {
	g, ok := figures()[name]
	if !ok {
		return nil
	}
	f, err := g.footprint()
	if err != nil { // tests parse every line
		return nil
	}
	return f
}

// matingSides maps the side letters in figures.txt to the mating side of a part, which faces off
// the board.
var matingSides = map[string]board.Edge{"": board.NoEdge, "l": board.LeftEdge, "r": board.RightEdge,
	"t": board.TopEdge, "b": board.BottomEdge}

func (g figure) footprint() (*board.Footprint, error) {
	fields := strings.Split(g.line, "|")
	if len(fields) < 6 {
		return nil, fmt.Errorf("%s: %d fields", g.name, len(fields))
	}
	matingSide, ok := matingSides[fields[4]]
	if !ok {
		return nil, fmt.Errorf("%s: side %q", g.name, fields[4])
	}
	f := board.Footprint{Name: g.name, Polar: true, MatingSide: matingSide, FromFigures: true,
		Aliases: map[string]string{}}
	if matingSide != board.NoEdge {
		f.Edge = board.AnyEdge
	}
	var err error
	if f.Body, err = g.box(fields[2]); err != nil {
		return nil, err
	}
	if f.Courtyard, f.CourtyardOutline, err = g.courtyard(fields[3]); err != nil {
		return nil, err
	}
	var ties []board.FootprintPad
	for _, run := range fields[5:] {
		if words, ok := strings.CutPrefix(run, "tie "); ok {
			area, both := strings.CutSuffix(words, " b")
			if err := g.tie(&ties, area, both); err != nil {
				return nil, err
			}
			continue
		}
		if kind, words, _ := strings.Cut(run, " "); kind == "keepout" || kind == "nopour" {
			area, err := g.box(words)
			if err != nil {
				return nil, err
			}
			all := kind == "keepout"
			f.Keepouts = append(f.Keepouts, board.FootprintKeepout{Area: area, Front: true,
				Back: all, Tracks: all, Vias: true, Pour: true, Copper: all})
			continue
		}
		pads, err := g.run(run)
		if err != nil {
			return nil, fmt.Errorf("%s: %q: %w", g.name, run, err)
		}
		f.Pads = append(f.Pads, pads...)
	}
	if len(f.Pads) == 0 {
		return nil, fmt.Errorf("%s: no pads", g.name)
	}
	joinPieces(f.Pads)
	// Pad 1 must come first, so sort holes and pads without a number to the end.
	slices.SortStableFunc(f.Pads, func(a, b board.FootprintPad) int {
		return cmp.Compare(min(1, len(b.Number)), min(1, len(a.Number)))
	})
	if f.Pads, err = divided(f.Pads, ties); err != nil {
		return nil, fmt.Errorf("%s: %w", g.name, err)
	}
	return g.finish(f), nil
}

// sameDrawnPad marks a piece of the pad before, until joinPieces sets its group.
const sameDrawnPad = -1

// joinPieces gives the pieces of a drawn pad one group.
func joinPieces(pads []board.FootprintPad) {
	groups := 0
	for i := 1; i < len(pads); i++ {
		if pads[i].Group != sameDrawnPad {
			continue
		}
		if pads[i-1].Group == 0 {
			groups++
			pads[i-1].Group = groups
		}
		pads[i].Group = pads[i-1].Group
	}
}

// tie appends the rectangle of a net tie, and that of the other side.
func (g figure) tie(ties *[]board.FootprintPad, area string, both bool) error {
	b, err := g.box(area)
	if err != nil {
		return err
	}
	low := vec{float64(b.Min.X), float64(b.Min.Y)}
	high := vec{float64(b.Max.X), float64(b.Max.Y)}
	p := convexPad([]vec{low, {high.x, low.y}, high, {low.x, high.y}}, 0)
	p.Layers = board.Top.Bit()
	if *ties = append(*ties, p); both {
		p.Layers = board.Bottom.Bit()
		*ties = append(*ties, p)
	}
	return nil
}

// divided divides the copper of a net tie among its pads, as that of a file.
func divided(pads, ties []board.FootprintPad) ([]board.FootprintPad, error) {
	if len(ties) == 0 {
		return pads, nil
	}
	r := fileReader{root: &sexpr.Node{}, drawing: &board.Drawing{}}
	for _, p := range pads {
		r.groups = max(r.groups, p.Group)
	}
	r.f.Pads, r.ties.all = pads, true
	r.copper = []drawnCopper{{r.root, ties}}
	err := r.addTies()
	return r.f.Pads, err
}

// finish moves the origin to the centre of the pads and completes the derived fields. The courtyard
// is the given courtyard, extended to cover all pads.
func (g figure) finish(f board.Footprint) *board.Footprint {
	courtyard, before := f.Courtyard, f.Body.Min
	recentre(&f)
	off := f.Body.Min.Sub(before)
	done := finish(f, true)
	done.Courtyard = union(board.Rect{Min: courtyard.Min.Add(off), Max: courtyard.Max.Add(off)},
		padBox(done.Pads))
	r := fileReader{}
	r.ties.all = slices.ContainsFunc(done.Pads, func(p board.FootprintPad) bool { return p.Tie })
	r.setTouching(done)
	numbers := map[string]bool{}
	for _, p := range done.Pads {
		numbers[p.Number] = true
	}
	delete(numbers, "")
	if numbers["S1"] && !numbers["SH"] { // KiCad 9 calls the shield of USB connectors SH
		done.Aliases["SH"] = "S1"
	}
	done.Polar = len(numbers) > 1
	switch kind, _, _ := strings.Cut(g.name, "_"); strings.TrimRight(kind, "-234") {
	// as in KiCad, except for the fiducials
	case "MountingHole", "TestPoint", "Fiducial", "NetTie", "SolderJumper":
		done.NoBOM, done.NoPlacement = true, true
	}
	named := numbers["1"] && numbers["2"] && len(numbers) == 2
	switch {
	case named && (strings.HasPrefix(g.name, "D_") || strings.HasPrefix(g.name, "LED_")):
		diode.apply(done)
	case named && strings.HasPrefix(g.name, "CP_"):
		plus.apply(done)
	case named && !strings.Contains(g.name, "Battery"):
		done.Polar = !isUnpolarized(g.name)
	}
	done.Polar = done.Polar && !joinsAll(done)
	return done
}

// isUnpolarized reports whether the name of a footprint with two pads, as in KiCad's libraries, is
// that of a part without polarity.
func isUnpolarized(name string) bool {
	_, own, ok := strings.Cut(name, ":")
	if !ok {
		own = name
	}
	kind, _, _ := strings.Cut(own, "_")
	return slices.Contains([]string{"R", "C", "L", "Fuse", "Crystal", "MountingHole", "TestPoint"},
		kind)
}

func (g figure) box(s string) (board.Rect, error) {
	v, err := g.values(strings.Fields(s), 4)
	if err != nil {
		return board.Rect{}, err
	}
	return sides(v[0], v[1], v[2], v[3]), nil
}

// courtyard parses a courtyard: the sides of a rectangle, or the corners of a polygon with
// horizontal and vertical sides.
func (g figure) courtyard(s string) (board.Rect, board.Polygon, error) {
	words := strings.Fields(s)
	if len(words) <= 4 {
		r, err := g.box(s)
		return r, nil, err
	}
	v, err := g.values(words, len(words)&^1)
	if err != nil {
		return board.Rect{}, nil, err
	}
	var outline board.Polygon
	for i := 0; i < len(v); i += 2 {
		outline = append(outline, board.Point{X: board.MM(v[i]), Y: board.MM(v[i+1])})
	}
	return outline.Bounds(), outline, nil
}

// values parses exactly count numbers, each of the form a, bn or a+bn, where n is g.n.
func (g figure) values(words []string, count int) ([]float64, error) {
	if len(words) != count {
		return nil, fmt.Errorf("%s: %d numbers in %q, not %d", g.name, len(words), words, count)
	}
	out := make([]float64, count)
	for i, w := range words {
		v, err := g.value(w)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", g.name, err)
		}
		out[i] = v
	}
	return out, nil
}

func (g figure) value(w string) (float64, error) {
	slope, isLinear := strings.CutSuffix(w, "n")
	if !isLinear {
		return strconv.ParseFloat(w, 64)
	}
	first := "0"
	if i := strings.LastIndexAny(slope, "+-"); i > 0 {
		first, slope = slope[:i], slope[i:]
	}
	a, err := strconv.ParseFloat(first, 64)
	if err != nil {
		return 0, err
	}
	b, err := strconv.ParseFloat(slope, 64)
	return a + b*float64(g.n), err
}

// run parses a row of pads of the form NUMBER/STEP*COUNT @X,Y +DX,DY SHAPE dDRILL flags. A polygon
// is one pad.
func (g figure) run(s string) ([]board.FootprintPad, error) {
	words := strings.Fields(s)
	if len(words) < 3 {
		return nil, fmt.Errorf("%d words", len(words))
	}
	number, rest, _ := strings.Cut(words[0], "/")
	steps, amount, _ := strings.Cut(rest, "*")
	step, err := strconv.Atoi(steps)
	if err != nil {
		return nil, err
	}
	count, err := g.value(amount)
	if err != nil {
		return nil, err
	}
	first := 0.0
	if step != 0 {
		if first, err = g.value(number); err != nil {
			return nil, err
		}
	}
	p := board.FootprintPad{Padstack: board.Padstack{Shape: board.RectShape}}
	var at, by [2]float64
	var polygon []vec
	for _, w := range words[1:] {
		switch {
		case w[0] == 'P':
			corners := strings.Split(w[1:], ",")
			v, err := g.values(corners, len(corners)&^1)
			if err != nil {
				return nil, err
			}
			for i := 0; i < len(v); i += 2 {
				polygon = append(polygon, vec{v[i] * 1e6, v[i+1] * 1e6})
			}
		case w[0] == '@' || w[0] == '+':
			v, err := g.values(strings.Split(w[1:], ","), 2)
			if err != nil {
				return nil, err
			}
			if w[0] == '@' {
				at = [2]float64{v[0], v[1]}
			} else {
				by = [2]float64{v[0], v[1]}
			}
		default:
			if err := g.property(w, &p); err != nil {
				return nil, err
			}
		}
	}
	if polygon != nil {
		p.Number, p.At = number, board.Point{X: board.MM(at[0]), Y: board.MM(at[1])}
		return polygonPieces(polygon, p)
	}
	var out []board.FootprintPad
	for i := range int(count + 0.5) {
		q := p
		if q.Number = number; step != 0 {
			q.Number = strconv.Itoa(int(first+0.5) + step*i)
		}
		q.At = board.Point{X: board.MM(at[0] + by[0]*float64(i)),
			Y: board.MM(at[1] + by[1]*float64(i))}
		out = append(out, q)
	}
	return out, nil
}

// polygonPieces returns the convex pieces of a polygon [nm] at the position of p, with its number,
// group and openings.
func polygonPieces(polygon []vec, p board.FootprintPad) ([]board.FootprintPad, error) {
	parts, err := convexParts(polygon)
	if err != nil {
		return nil, err
	}
	var out []board.FootprintPad
	for _, part := range parts {
		q := convexPad(part, 0)
		q.Number, q.At, q.Group = p.Number, q.At.Add(p.At), p.Group
		q.NoMask, q.NoPaste = p.NoMask, p.NoPaste
		out = append(out, q)
	}
	return out, nil
}

// property parses the word w into the shape, corner radius, drill or flags of p.
func (g figure) property(w string, p *board.FootprintPad) error {
	rest := w[1:]
	pair := func() (float64, float64, error) {
		a, b, two := strings.Cut(rest, "x")
		if !two {
			b = a
		}
		v, err := g.values([]string{a, b}, 2)
		if err != nil {
			return 0, 0, err
		}
		return v[0], v[1], nil
	}
	switch w[0] {
	case 'R', 'U', 'C', 'O':
		p.Shape = map[byte]board.Shape{'R': board.RectShape, 'U': board.RoundRect,
			'C': board.Circle, 'O': board.Oval}[w[0]]
		width, height, err := pair()
		p.Width, p.Height = board.MM(width), board.MM(height)
		return err
	case 'r':
		v, err := g.value(rest)
		p.Radius = board.MM(v)
		return err
	case 'd':
		a, b, err := pair()
		if p.Drill = board.MM(a); a != b {
			p.Drill, p.SlotW, p.SlotH = 0, board.MM(a), board.MM(b)
		}
		return err
	}
	for _, c := range w {
		switch c {
		case 'n':
			p.NonPlated = true
		case 'm':
			p.NoMask = true
		case 'p':
			p.NoPaste = true
		case 'g':
			p.Group = sameDrawnPad
		default:
			return fmt.Errorf("unknown word %q", w)
		}
	}
	return nil
}
