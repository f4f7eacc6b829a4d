package export

import (
	"fmt"
	"math"
	"strings"

	"slipstick/autorouter/board"
)

// ascii replaces characters that are not allowed in a fixed-width column, and truncates the text to
// n characters.
func ascii(s string, n int) string {
	s = strings.Map(func(r rune) rune {
		if r <= ' ' || r > '~' {
			return '_'
		}
		return r
	}, s)
	return s[:min(n, len(s))]
}

// ipc356 returns the bare board test netlist (IPC-D-356A) in micrometres.
//
// The columns of a record are operation 1-3, net 4-17, part 21-26, dash 27 and pin 28-31. Column 32
// is M for a midpoint of a net. The next columns are hole 33-38, access 39-41, position 42-57, size
// 58-67 and rotation 68-71. Columns 72-73 are the sides under mask: 0 none, 1 top, 2 bottom, 3
// both.
//
// Net names of more than 14 characters get an alias in the header, parameter NNAME.
func (j *job) ipc356() string {
	var w strings.Builder
	w.WriteString("P  CODE 00\nP  UNITS CUST 1\nP  DIM   N\nP  JOB   " + j.name + "\n")
	used := map[string]bool{}
	for _, n := range j.Nets {
		used[ascii(n.Name, 64)] = true
	}
	names := make([]string, len(j.Nets))
	alias := 0
	for i, n := range j.Nets {
		names[i] = ascii(n.Name, 64)
		if len(names[i]) > 14 || names[i] == unconnected {
			for {
				alias++
				names[i] = fmt.Sprintf("NNAME%d", alias)
				if !used[names[i]] {
					break
				}
			}
			fmt.Fprintf(&w, "P  %s  %s\n", names[i], ascii(n.Name, 64))
		}
	}
	net := func(i int) string {
		if i < 0 || i >= len(names) {
			return unconnected
		}
		return names[i]
	}
	for i := range j.Parts {
		part := &j.Parts[i]
		for k := range part.Pads {
			p := &part.Pads[k]
			// A drawn pad of several pieces has one record, that of its first piece.
			piece := k > 0 && p.Group > 0 && part.Pads[k-1].Group == p.Group
			if p.Layers == 0 || piece {
				continue
			}
			code, hole, access, mask := "327", "      ", "A01", 2
			if p.On(j.Copper().Bottom()) {
				access, mask = "A02", 1
			}
			if p.Plated {
				drill := p.Drill
				if p.SlotW > 0 {
					drill = min(p.SlotW, p.SlotH)
				}
				code, access, mask, hole = "317", "A00", 0, fmt.Sprintf("D%04dP", um(drill))
			}
			if p.NoMask {
				mask = 3
			}
			fmt.Fprintf(&w, "%s%-14s   %-6s-%-4s %s%s%sX%04dY%04dR%03dS%d\n", code, net(p.Net),
				ascii(part.Ref, 6), ascii(p.Number, 4),
				hole, access, place356(p.At), um(p.Width), um(p.Height),
				int(math.Round(p.Rotation))%360, mask)
		}
	}
	for _, v := range j.Vias {
		fmt.Fprintf(&w, "317%-14s   VIA        MD%04dPA00%sX%04dY0000R000S3\n", net(v.Net),
			um(v.Drill), place356(v.At), um(v.Diameter))
	}
	w.WriteString("999\n")
	return w.String()
}

func um(nm int64) int64 { return min(9999, (nm+500)/1000) }

func place356(p board.Point) string {
	return fmt.Sprintf("X%+07dY%+07d", int64(math.Round(float64(p.X)/1e3)),
		int64(math.Round(float64(p.Y)/1e3)))
}
