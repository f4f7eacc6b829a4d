package fabrication

import (
	"fmt"
	"strings"

	"slipstick/autorouter/board"
)

// Drilled is a round hole, or a slot from A to B.
type Drilled struct {
	Diameter int64
	A, B     board.Point
}

// ReadDrill reads an XNC file (format 2021.11) with decimal millimetres.
func ReadDrill(text string) ([]Drilled, error) {
	tools := map[string]int64{}
	var out []Drilled
	var from board.Point
	var tool int64
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		var x, y float64
		name, size, defined := strings.Cut(line, "C")
		at := strings.TrimPrefix(strings.TrimPrefix(line, "G00"), "G01")
		switch {
		case strings.HasPrefix(line, "T") && defined:
			if _, err := fmt.Sscanf(size, "%g", &x); err != nil {
				return nil, fmt.Errorf("tool %q", line)
			}
			tools[name] = board.MM(x)
		case strings.HasPrefix(line, "T"):
			tool = tools[line]
		case strings.HasPrefix(at, "X"):
			if _, err := fmt.Sscanf(at, "X%gY%g", &x, &y); err != nil || tool == 0 {
				return nil, fmt.Errorf("hole %q", line)
			}
			p := board.Point{X: board.MM(x), Y: board.MM(y)}
			switch line[:3] {
			case "G00":
				from = p
			case "G01":
				out = append(out, Drilled{tool, from, p})
			default:
				out = append(out, Drilled{tool, p, p})
			}
		}
	}
	if !strings.HasSuffix(text, "M30\n") {
		return nil, fmt.Errorf("no M30")
	}
	return out, nil
}
