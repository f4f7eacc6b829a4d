package ngspice

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"strconv"
	"strings"
)

// Vector is one column of a result. Imag is nil except for .ac. The first vector is the independent
// variable. Names are in lower case.
type Vector struct {
	Name       string
	Real, Imag []float64
}

// Read parses a binary raw file: a text header, then the numbers row by row.
func Read(raw []byte) ([]Vector, error) {
	head, body, ok := bytes.Cut(raw, []byte("Binary:\n"))
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
	out := make([]Vector, vars)
	for range points {
		for k := range out {
			out[k].Name = names[k]
			out[k].Real = append(out[k].Real, next())
			if complexes {
				out[k].Imag = append(out[k].Imag, next())
			}
		}
	}
	return out, nil
}

// Find returns the vector with the given name, or false if there is none.
func Find(vectors []Vector, name string) (Vector, bool) {
	for _, v := range vectors {
		if v.Name == name {
			return v, true
		}
	}
	return Vector{}, false
}

// Complex returns the values of the vector. The imaginary part is 0 if the vector has none.
func (v Vector) Complex() []complex128 {
	out := make([]complex128, len(v.Real))
	for k, x := range v.Real {
		if out[k] = complex(x, 0); v.Imag != nil {
			out[k] = complex(x, v.Imag[k])
		}
	}
	return out
}
