package export

import (
	"fmt"
	"math"
	"strings"

	"slipstick/autorouter/board"
)

// ascii replaces what a fixed column cannot hold.
func ascii(s string, n int) string {
	s = strings.Map(func(r rune) rune {
		if r <= ' ' || r > '~' {
			return '_'
		}
		return r
	}, s)
	return s[:min(n, len(s))]
}

// ipc356 is the bare board test netlist (IPC-D-356A): fixed columns in micrometres. Net names
// over 14 characters get an alias in the header, parameter NNAME.
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
		if len(names[i]) > 14 {
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
			return "N/C"
		}
		return names[i]
	}
	for i := range j.Parts {
		part := &j.Parts[i]
		for k := range part.Pads {
			p := &part.Pads[k]
			if !p.OnTop && !p.OnBot {
				continue
			}
			code, hole, access := "327", "      ", "A01"
			if p.OnBot {
				access = "A02"
			}
			if p.Plated {
				drill := p.Drill
				if p.SlotW > 0 {
					drill = min(p.SlotW, p.SlotH)
				}
				code, access, hole = "317", "A00", fmt.Sprintf("D%04dP", min(9999, drill/1000))
			}
			fmt.Fprintf(&w, "%s%-14s   %-6s-%-4s %s%s%sX%04dY%04dR%03dS0\n", code, net(p.Net), ascii(part.Ref, 6), ascii(p.Number, 4),
				hole, access, place356(p.At), um(p.Width), um(p.Height), int(math.Round(p.Rotation))%360)
		}
	}
	for _, v := range j.Vias {
		fmt.Fprintf(&w, "317%-14s   %-6s-%-4s D%04dPA00%sX%04dY0000R000S3\n", net(v.Net), "VIA", "", um(v.Drill), place356(v.At), um(v.Diameter))
	}
	w.WriteString("999\n")
	return w.String()
}

func um(nm int64) int64 { return min(9999, (nm+500)/1000) }

func place356(p board.Point) string {
	return fmt.Sprintf("X%+07dY%+07d", int64(math.Round(float64(p.X)/1e3)), int64(math.Round(float64(p.Y)/1e3)))
}
