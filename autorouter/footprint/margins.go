package footprint

import (
	"math"

	"slipstick/autorouter/board"
	"slipstick/autorouter/sexpr"
)

// margins holds the local margins of a pad, which replace those of the board. As in KiCad, 0 is no
// local margin.
type margins struct {
	mask  int64 // expansion of the mask opening [nm]
	paste vec   // expansion of the paste opening on each of two opposite sides, in x and y [nm]
}

// setMargins parses the margins of a pad. The footprint's apply where the pad has none.
func (r *fileReader) setMargins(p *drawnPad) error {
	var values [3]float64
	for i, heads := range [][]string{{"solder_mask_margin"}, {"solder_paste_margin"},
		{"solder_paste_margin_ratio", "solder_paste_ratio"}} { // the latter before KiCad 7
		for _, parent := range []*sexpr.Node{p.n, r.root} {
			for _, head := range heads {
				n := parent.First(head)
				if n == nil || values[i] != 0 {
					continue
				}
				v, err := numbers(n, 1)
				if err != nil {
					return err
				}
				if len(v) == 0 || !within(v[0], -maxMargin, maxMargin) {
					return bad(n, "(%s ...) must be -%g to %g", head, maxMargin, maxMargin)
				}
				values[i] = v[0]
			}
		}
	}
	p.margins.mask = int64(math.Round(values[0] * 1e6))
	p.margins.paste = vec{values[1]*1e6 + values[2]*p.w, values[1]*1e6 + values[2]*p.h}
	return nil
}

// maxMargin is the largest magnitude of a local margin [mm].
const maxMargin = 10.0

// maskMargin returns the mask margin of a piece of a pad [nm], and whether the margin leaves an
// opening. It notes margins that the piece cannot have. several is true for a pad of several
// pieces.
func (r *fileReader) maskMargin(p *drawnPad, q *board.FootprintPad, several bool) (margin int64,
	open bool) {
	const tooSmall = "mask openings smaller than pads of several pieces have the size of the pads"
	switch {
	case q.Shape == board.Convex && p.mask < -q.Radius:
		r.note(tooSmall)
		if q.Radius == 0 {
			return 1, true
		}
		return -q.Radius, true
	case q.Shape != board.Convex && min(q.Width, q.Height)+2*p.mask <= 0:
		if several {
			r.note(tooSmall)
			return 1, true
		}
		return 0, false
	}
	return p.mask, true
}

// openings adds the openings of the solder mask and the paste stencil on one side for the shape of
// a pad.
func (r *fileReader) openings(p *drawnPad, pieces []board.FootprintPad, on board.Layer,
	mask, paste bool) error {
	add := func(q board.FootprintPad, mask, paste bool) {
		q.Drill, q.SlotW, q.SlotH, q.Layers = 0, 0, 0, on.Bit()
		q.MaskMargin = 0
		if mask {
			q.MaskMargin, mask = r.maskMargin(p, &q, len(pieces) > 1)
		}
		if !mask && !paste {
			return
		}
		p.turnTo(&q)
		r.drawing.Apertures = append(r.drawing.Apertures, board.Aperture{FootprintPad: q,
			Mask: mask, Paste: paste})
	}
	for _, q := range pieces {
		switch {
		case mask && paste && p.paste == vec{}:
			add(q, true, true)
			continue
		case mask:
			add(q, true, false)
		}
		if paste && r.pasteSize(p, &q, len(pieces) > 1) {
			add(q, false, true)
		}
	}
	return r.checkPieces(p.n)
}

// pasteSize changes a piece of a pad to the size of its paste opening, and reports whether one is
// left.
func (r *fileReader) pasteSize(p *drawnPad, q *board.FootprintPad, several bool) bool {
	x, y := int64(math.Round(p.paste.x)), int64(math.Round(p.paste.y))
	switch {
	case x == 0 && y == 0:
		return true
	case q.Shape == board.Convex && x == y && q.Radius+x >= 0:
		q.Radius += x
		return true
	case q.Shape == board.Convex || several:
		r.note("the paste of pads of several pieces has the size of the pads")
		return true
	}
	small := min(q.Width, q.Height)
	corner := q.Corner(q.Width, q.Height)
	q.Width, q.Height = q.Width+2*x, q.Height+2*y
	if q.Shape == board.Circle {
		q.Height = q.Width
	}
	if q.Shape == board.RoundRect { // KiCad keeps the ratio of the corner radius
		q.Radius = corner * min(q.Width, q.Height) / small
	}
	if min(q.Width, q.Height) < 1 {
		r.note("the paste margin of pad %s leaves no opening", p.name())
		return false
	}
	return true
}

// drawnOpening adds a graphic on a layer of the solder mask or the paste stencil as an opening. If
// this is impossible, it adds a note instead of an error, because the copper does not depend on it.
func (r *fileReader) drawnOpening(n *sexpr.Node, kind, layer string, back, mask bool) error {
	p := drawnPad{n: n, number: "on " + layer}
	pieces, err := p.primitive(n, kind)
	if err != nil {
		r.note("a drawing on %s is left out: %v", layer, err)
	}
	for _, q := range pieces {
		q.Layers = board.Top.Bit()
		if back {
			q.Layers = board.Bottom.Bit()
		}
		r.drawing.Apertures = append(r.drawing.Apertures, board.Aperture{FootprintPad: q,
			Mask: mask, Paste: !mask, Drawn: true})
	}
	return r.checkPieces(n)
}
