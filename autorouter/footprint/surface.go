package footprint

import (
	"math"
	"strconv"

	"slipstick/autorouter/board"
)

// Pad numbers of polar parts by pin name. The + of a diode is its anode, into which the forward
// current flows.
var (
	diodeNames = map[string]string{"K": "1", "A": "2", "-": "1", "+": "2"}
	plusNames  = map[string]string{"+": "1", "-": "2", "A": "1", "K": "2"}
)

func (p polarity) apply(f *board.Footprint) {
	switch p {
	case diode:
		f.Polar, f.Aliases = true, diodeNames
	case plus:
		f.Polar, f.Aliases = true, plusNames
	}
	// Create a separate map for each footprint because a caller may add names.
	own := map[string]string{}
	for name, pad := range f.Aliases {
		own[name] = pad
	}
	f.Aliases = own
}

// chip returns the footprint of a part with a metal cap at each end.
func chip(name string, d leads, g goals, p polarity) *board.Footprint {
	l := pattern(d, g)
	f := board.Footprint{Name: name, Body: box(d.l.mid(), d.w.mid()), Pads: []board.FootprintPad{
		land("1", -l.centre(), 0, l.length(), l.x),
		land("2", l.centre(), 0, l.length(), l.x),
	}}
	p.apply(&f)
	return finish(f, false)
}

// pair returns the footprint of a part with two lands of w by h at -x and x; lengths are in [mm].
func pair(name string, x, w, h, bodyW, body float64, p polarity) *board.Footprint {
	f := board.Footprint{Name: name, Body: box(bodyW, body),
		Pads: []board.FootprintPad{landMM("1", -x, 0, w, h), landMM("2", x, 0, w, h)}}
	p.apply(&f)
	return finish(f, false)
}

// gullGoalsAt returns the solder joint goals of gull-wing leads at a pitch [mm].
func gullGoalsAt(pitch float64) goals {
	if pitch > 0.625 {
		return gullGoals
	}
	return fineGullGoals
}

// dual returns the footprint of a package with two rows of leads, numbered down the left side and
// up the right side. The pitch is in [mm].
func dual(name string, s size, pitch float64, d leads) *board.Footprint {
	l := pattern(d, gullGoalsAt(pitch))
	f := board.Footprint{Name: name, Body: box(s.bodyW, s.body), Polar: true}
	rows := s.pins / 2
	for i := range s.pins {
		x, row := -l.centre(), i
		if i >= rows {
			x, row = l.centre(), s.pins-1-i
		}
		f.Pads = append(f.Pads, land(strconv.Itoa(i+1), x, lane(row, rows, pitch), l.length(), l.x))
	}
	return finish(f, false)
}

// lane returns the y coordinate [nm] of lead i of n, counted from the top, at a pitch [mm].
func lane(i, n int, pitch float64) int64 { return int64(n-1-2*i) * board.MM(pitch) / 2 }

// sot returns the footprint of a small transistor package. left and right hold the y positions of
// the leads on each side, in multiples of the pitch. The body size is in [mm].
func sot(name string, left, right []int, d leads, bodyW, body float64) *board.Footprint {
	const pitch = 0.95
	l := pattern(d, gullGoalsAt(pitch))
	f := board.Footprint{Name: name, Body: box(bodyW, body), Polar: true}
	add := func(x int64, rows []int) {
		for _, r := range rows {
			f.Pads = append(f.Pads, land(strconv.Itoa(len(f.Pads)+1), x, int64(r)*board.MM(pitch),
				l.length(), l.x))
		}
	}
	add(-l.centre(), left)
	add(l.centre(), right)
	return finish(f, false)
}

// quad returns the footprint of a package with leads on four sides, numbered counter-clockwise from
// the upper left. The exposed pad, if any, has the number after the last lead.
func quad(name string, s size, pitch float64, l lands) *board.Footprint {
	f := board.Footprint{Name: name, Body: box(s.bodyW, s.body), Polar: true}
	rows := s.pins / 4
	for i := range s.pins {
		at, w, h := board.Point{X: -l.centre(), Y: lane(i%rows, rows, pitch)}, l.length(), l.x
		turns := i / rows
		if turns%2 == 1 {
			w, h = h, w
		}
		at = at.Rotated(float64(90 * turns))
		f.Pads = append(f.Pads, land(strconv.Itoa(i+1), at.X, at.Y, w, h))
	}
	if s.pad > 0 {
		f.Pads = append(f.Pads, landMM(strconv.Itoa(s.pins+1), 0, 0, s.pad, s.pad))
		f.Aliases = map[string]string{"EP": strconv.Itoa(s.pins + 1)}
	}
	return finish(f, false)
}

// cornerGap is the smallest gap between the lands next to a corner [mm]. Smaller gaps risk solder
// bridges.
const cornerGap = 0.2

// qfn returns the footprint of a quad flat no-lead package; the pitch is in [mm]. It shortens the
// inner ends of the lands until the lands next to a corner are cornerGap apart.
func qfn(name string, s size, pitch float64, d leads) *board.Footprint {
	d.l = span{s.body + d.l.min, s.body + d.l.max}
	l := pattern(d, noLeadGoals)
	outermost := board.ToMM(lane(0, s.pins/4, pitch) + l.x/2)
	for {
		// The corners of the two lands face each other across the diagonal.
		clear := board.ToMM(l.g)/2 - outermost
		if clear > 0 && clear*math.Sqrt2 >= cornerGap {
			break
		}
		l.g += board.MM(step)
	}
	return quad(name, s, pitch, l)
}
