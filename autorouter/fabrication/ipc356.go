package fabrication

import (
	"fmt"
	"strconv"
	"strings"

	"slipstick/autorouter/board"
)

// TestPoint is a position where a bare board tester contacts a net.
type TestPoint struct {
	Net      string // net name; N/C for an unconnected pin
	Ref, Pin string // reference designator and pin number; "VIA" and "" for a via
	At       board.Point
	Drill    int64 // diameter of a plated hole [nm]; 0 for a surface pad
	Top, Bot bool  // sides on which the point is accessible
	Masked   bool  // whether solder mask covers the point on both sides
}

// ReadIPC356 parses the test records 317 and 327 of an IPC-D-356A file in thousandths of a
// millimetre. It resolves the aliases of long net names.
func ReadIPC356(text string) ([]TestPoint, error) {
	var out []TestPoint
	alias := map[string]string{}
	units, ended := false, false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case ended:
			return nil, fmt.Errorf("%q after 999", line)
		case line == "P  UNITS CUST 1":
			units = true
		case strings.HasPrefix(line, "P  NNAME"):
			f := strings.Fields(line)
			if len(f) != 3 {
				return nil, fmt.Errorf("alias %q", line)
			}
			alias[f[1]] = f[2]
		case strings.HasPrefix(line, "P"), strings.HasPrefix(line, "C"):
		case line == "999":
			ended = true
		case strings.HasPrefix(line, "317"), strings.HasPrefix(line, "327"):
			p, err := record(line)
			if err != nil {
				return nil, fmt.Errorf("%q: %w", line, err)
			}
			if long, ok := alias[p.Net]; ok {
				p.Net = long
			}
			out = append(out, p)
		default:
			return nil, fmt.Errorf("unknown record %q", line)
		}
	}
	if !units || !ended {
		return nil, fmt.Errorf("no units of 0.001 mm, or no end")
	}
	return out, nil
}

// record parses a test record by its columns, which are counted from 1 as in the standard.
func record(line string) (TestPoint, error) {
	var p TestPoint
	if len(line) != 73 {
		return p, fmt.Errorf("has %d columns", len(line))
	}
	columns := func(from, to int) string { return line[from-1 : to] }
	number := func(from, to int) int64 {
		n, err := strconv.ParseInt(columns(from, to), 10, 64)
		if err != nil {
			n = -1 << 40
		}
		return n * board.Micrometre
	}
	p.Net, p.Ref, p.Pin = strings.TrimSpace(columns(4, 17)), strings.TrimSpace(columns(21, 26)),
		strings.TrimSpace(columns(28, 31))
	p.At = board.Point{X: number(43, 49), Y: number(51, 57)}
	marks := columns(42, 42) + columns(50, 50) + columns(58, 58) + columns(63, 63) + columns(68,
		68) + columns(72, 72)
	if marks != "XYXYRS" || p.At.X < -1e15 || p.At.Y < -1e15 || number(59, 62) < 0 ||
		number(64, 67) < 0 || number(69, 71) < 0 {
		return p, fmt.Errorf("the columns do not hold what they should")
	}
	switch columns(39, 41) {
	case "A00":
		p.Top, p.Bot = true, true
	case "A01":
		p.Top = true
	case "A02":
		p.Bot = true
	default:
		return p, fmt.Errorf("access %q", columns(39, 41))
	}
	p.Masked = columns(73, 73) == "3"
	hole := columns(33, 38)
	if line[0:3] == "317" {
		if hole[0] != 'D' || hole[5] != 'P' || number(34, 37) <= 0 {
			return p, fmt.Errorf("hole %q", hole)
		}
		p.Drill = number(34, 37)
	} else if strings.TrimSpace(hole) != "" {
		return p, fmt.Errorf("a land with hole %q", hole)
	}
	return p, nil
}

// unescaped converts a Gerber attribute field to the form used in test points. An escape of \u and
// four hex digits becomes the character that it encodes (Gerber specification, section 3.4.3). A
// space or a character that is not printable ASCII becomes an underscore. All other characters are
// copied.
func unescaped(s string) string {
	var w strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+6 <= len(s) && s[i+1] == 'u' {
			if n, err := strconv.ParseUint(s[i+2:i+6], 16, 16); err == nil {
				r := rune(n)
				if r <= ' ' || r > '~' {
					r = '_'
				}
				w.WriteRune(r)
				i += 5
				continue
			}
		}
		w.WriteByte(s[i])
	}
	return w.String()
}
