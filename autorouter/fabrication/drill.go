package fabrication

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"slipstick/autorouter/board"
)

// Drilled is a round hole at A, or a slot from A to B. The diameter is in nm.
type Drilled struct {
	Diameter int64
	A, B     board.Point
}

// DrillFile is a parsed XNC file.
type DrillFile struct {
	Function string // file function, such as Plated,1,2,PTH
	Tools    map[string]int64
	Holes    []Drilled
}

// layers returns the range of layers that the holes pass through, such as 1,2.
func (f *DrillFile) layers() string {
	if field := strings.Split(f.Function, ","); len(field) > 2 {
		return field[1] + "," + field[2]
	}
	return ""
}

// ReadDrill parses an XNC file (format 2021.11) with decimal millimetres. Unknown commands are
// errors.
func ReadDrill(text string) (*DrillFile, error) {
	f := &DrillFile{Tools: map[string]int64{}}
	const header, body, slot, ended = 0, 1, 2, 3
	state, metric := header, false
	var from, at board.Point
	var tool int64
	for number, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		line = strings.TrimSuffix(line, "\r")
		wrong := fmt.Errorf("line %d: %q", number+1, line)
		name, size, defined := strings.Cut(line, "C")
		switch {
		case number == 0:
			if line != "M48" {
				return nil, wrong
			}
		case state == ended:
			return nil, wrong
		case strings.HasPrefix(line, ";"):
			if v, ok := strings.CutPrefix(line, "; #@! TF.FileFunction,"); ok {
				f.Function = v
			}
		case state == header && line == "METRIC":
			metric = true
		case state == header && line == "%":
			state = body
		case state == header && strings.HasPrefix(line, "T") && defined:
			mm, err := decimal(size)
			if err != nil || board.MM(mm) <= 0 {
				return nil, wrong
			}
			f.Tools[name] = board.MM(mm)
		case state == header:
			return nil, wrong
		case strings.HasPrefix(line, "T"):
			if tool = f.Tools[line]; tool == 0 {
				return nil, wrong
			}
		case line == "G05" && state == body:
		case line == "M15" && state == body:
			state, from = slot, at
		case line == "M16" && state == slot:
			state = body
		case line == "M30" && state == body:
			state = ended
		case strings.HasPrefix(line, "G00X") && state == body, strings.HasPrefix(line, "G01X") &&
			state == slot, strings.HasPrefix(line, "X") && state == body:
			left, right, _ := strings.Cut(line[strings.IndexByte(line, 'X')+1:], "Y")
			x, errX := decimal(left)
			y, errY := decimal(right)
			if errX != nil || errY != nil || tool == 0 {
				return nil, wrong
			}
			at = board.Point{X: board.MM(x), Y: board.MM(y)}
			switch line[:3] {
			case "G00":
			case "G01":
				f.Holes = append(f.Holes, Drilled{tool, from, at})
				from = at
			default:
				f.Holes = append(f.Holes, Drilled{tool, at, at})
			}
		default:
			return nil, wrong
		}
	}
	if state != ended || !metric {
		return nil, fmt.Errorf("no METRIC or no M30")
	}
	return f, nil
}

// decimal parses a number of millimetres or degrees. It rejects values beyond 1e6, and also NaN,
// because every comparison in a check would accept NaN.
func decimal(text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err == nil && !(math.Abs(v) <= 1e6) {
		err = fmt.Errorf("number %q is beyond 1e6", text)
	}
	return v, err
}
