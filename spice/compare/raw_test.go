package compare

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"strconv"
	"strings"
)

// vector is one column of a result of ngspice; imag is nil but for .ac.
type vector struct {
	name string
	real []float64
	imag []float64
}

// readRaw reads ngspice's binary raw file: a text header, then the numbers row by row.
func readRaw(data []byte) ([]vector, error) {
	head, body, ok := bytes.Cut(data, []byte("Binary:\n"))
	if !ok {
		return nil, errors.New("raw file without a Binary: line")
	}
	var vars, points int
	complexes, inVars := false, false
	var names []string
	for l := range strings.Lines(string(head)) {
		l = strings.TrimRight(l, "\n")
		switch {
		case strings.HasPrefix(l, "No. Variables:"):
			vars, _ = strconv.Atoi(strings.TrimSpace(l[14:]))
		case strings.HasPrefix(l, "No. Points:"):
			points, _ = strconv.Atoi(strings.TrimSpace(l[11:]))
		case strings.HasPrefix(l, "Flags:"):
			complexes = strings.Contains(l, "complex")
		case strings.HasPrefix(l, "Variables:"):
			inVars = true
		case inVars:
			if f := strings.Fields(l); len(f) >= 3 {
				names = append(names, strings.ToLower(f[1]))
			}
		}
	}
	width := vars
	if complexes {
		width *= 2
	}
	if len(names) != vars || len(body) < 8*width*points || points == 0 {
		return nil, errors.New("raw file cut short")
	}
	next := func() float64 {
		v := math.Float64frombits(binary.LittleEndian.Uint64(body))
		body = body[8:]
		return v
	}
	out := make([]vector, vars)
	for range points {
		for k := range out {
			out[k].name = names[k]
			out[k].real = append(out[k].real, next())
			if complexes {
				out[k].imag = append(out[k].imag, next())
			}
		}
	}
	return out, nil
}
