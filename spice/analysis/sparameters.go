package analysis

import (
	"fmt"
	"math"
	"math/cmplx"
	"slices"
	"strconv"
	"strings"

	"slipstick/spice/device"
	"slipstick/spice/diag"
	"slipstick/spice/netlist"
)

// SParameters is the Detail of the .sp analysis.
type SParameters struct {
	Ohms       []float64 // reference resistance [ohm] of each port
	Touchstone string    // Touchstone file, version 1.0 for equal resistances, otherwise 2.0
}

// readSParameters parses .sp dec|oct|lin N f1 f2 [0].
func readSParameters(c *netlist.CardReader, a *netlist.Analysis) error {
	if err := c.Frequencies(a); err != nil || !c.More() {
		return err
	}
	noise, err := c.Number("flag of noise")
	if err == nil && noise != 0 {
		c.Warn("the noise parameters are not computed; .noise gives the noise of the circuit")
	}
	return err
}

// port is a port of .sp with the excitation of 1 V behind its reference resistance.
type port struct {
	*netlist.Port
	plus, minus int // indices of the unknowns
	excitation  []device.RHSEntry
}

// ports returns the ports sorted by number.
func (s *sim) ports() ([]port, error) {
	list := make([]port, netlist.MaxPorts)
	n := 0
	for _, d := range s.devices {
		p := d.Element().Port
		in, ok := d.(device.SmallSignalInput)
		if p == nil || !ok {
			continue
		}
		list[p.Number-1] = port{p, s.setup.Node(p.Plus), s.setup.Node(p.Minus), in.UnitExcitation()}
		n = max(n, p.Number)
	}
	line := s.job.Analysis.Line
	if n == 0 {
		return nil, diag.At(diag.MissingValue, line,
			".sp needs ports: voltage sources with portnum, such as V1 in 0 dc 0 portnum 1 z0 50")
	}
	for k, p := range list[:n] {
		if p.Port == nil {
			return nil, diag.At(diag.MissingValue, line, ".sp: there is a port %d and no port %d",
				n, k+1)
		}
	}
	return list[:n], nil
}

// sParameters runs the .sp analysis (K. Kurokawa, Power waves and the scattering matrix, IEEE
// Trans. MTT-13, 1965). A source of 1 V behind the resistance of port k causes the voltages v at
// the ports. S_jk is then 2·v_j·sqrt(z_k/z_j), minus 1 for j = k.
func (s *sim) sParameters() (*Output, error) {
	freqs, err := s.frequencies()
	if err != nil {
		return nil, err
	}
	ports, err := s.ports()
	if err != nil {
		return nil, err
	}
	n := len(ports)
	if count := len(freqs) * (1 + 6*n*n); !s.allowsValues(count) {
		return nil, s.tooManyNumbers(count, fewerPoints+" or ports")
	}
	if err := s.operatingPoint(); err != nil {
		return nil, err
	}
	detail := &SParameters{}
	var roots []float64
	for _, p := range ports {
		detail.Ohms = append(detail.Ohms, p.Ohms)
		roots = append(roots, math.Sqrt(p.Ohms))
	}
	out := &Output{Points: s.devicePoints(), Detail: detail,
		Vectors: sParameterVectors(n, len(freqs))}
	lines := make([][]byte, len(freqs))    // lines of the Touchstone file
	lacking := make([][2]bool, len(freqs)) // set if the matrix z or y does not exist
	points, _, err := s.overFrequencies(freqs, func(l *smallSignal, i int) error {
		f, x, b := freqs[i], l.x, l.load.B
		if err := l.at(f); err != nil {
			return err
		}
		scattering := newSquare(n)
		for k, p := range ports {
			clear(b)
			for _, e := range p.excitation {
				b[e.Row] += complex(e.Value, 0)
			}
			l.solve(b, x)
			for j, q := range ports {
				scattering[j][k] = 2 * (x[q.plus] - x[q.minus]) * complex(roots[k]/roots[j], 0)
			}
			scattering[k][k]--
		}
		impedance, admittance := convertScattering(scattering, roots)
		lacking[i] = [2]bool{impedance == nil, admittance == nil}
		out.Vectors[0].Values[i] = f
		at := 1
		for _, m := range [...][][]complex128{scattering, impedance, admittance} {
			if !storeMatrix(out.Vectors[at:at+2*n*n], i, m) {
				return diag.At(diag.Singular, s.job.Analysis.Line,
					"the response at %s Hz is not finite", short(f))
			}
			at += 2 * n * n
		}
		lines[i] = touchstoneLine(f, scattering)
		return nil
	}, nil)
	if err != nil {
		return nil, err
	}
	truncate(out.Vectors, points)
	s.dropMissing(out, lacking[:points])
	detail.Touchstone = touchstoneText(detail.Ohms, lines[:points])
	return out, nil
}

// touchstoneText returns a Touchstone file for ports with the given resistances [ohm] and the lines
// of the frequencies.
func touchstoneText(ohms []float64, lines [][]byte) string {
	var text strings.Builder
	text.Grow(touchstoneLineLength(len(ohms)) * (len(lines) + 1))
	touchstoneHead(&text, ohms, len(lines))
	for _, line := range lines {
		text.Write(line)
	}
	if !equalOhms(ohms) {
		text.WriteString("[End]\n")
	}
	return text.String()
}

// sParameterVectors returns the vectors of the frequency and of the magnitudes and phases of the
// matrices s, z and y of n ports.
func sParameterVectors(n, points int) []Vector {
	vectors := []Vector{{Name: "frequency", Unit: "Hz"}}
	units := [...]string{"", "ohm", "S"}
	for kind, letter := range "szy" {
		for j := range n {
			for k := range n {
				name := fmt.Sprintf("%c_%d_%d", letter, j+1, k+1)
				vectors = append(vectors, Vector{Name: name + "_mag", Unit: units[kind]},
					Vector{Name: name + "_phase_deg", Unit: "deg"})
			}
		}
	}
	for k := range vectors {
		vectors[k].Values = make([]float64, points)
	}
	return vectors
}

// storeMatrix sets value i of the magnitudes and phases of a matrix, whose vectors alternate. The
// values of a nil matrix are 0. storeMatrix returns false if an entry is not finite.
func storeMatrix(vectors []Vector, i int, m [][]complex128) bool {
	at := 0
	for _, row := range m {
		for _, v := range row {
			if cmplx.IsNaN(v) || cmplx.IsInf(v) {
				return false
			}
			vectors[at].Values[i], vectors[at+1].Values[i] = cmplx.Abs(v), phaseDeg(v)
			at += 2
		}
	}
	return true
}

// dropMissing removes the matrices z and y from the vectors unless they exist at every frequency.
// lacking holds the frequencies at which z or y does not exist.
func (s *sim) dropMissing(out *Output, lacking [][2]bool) {
	for kind, letter := range [...]string{"z", "y"} {
		if !slices.ContainsFunc(lacking, func(l [2]bool) bool { return l[kind] }) {
			continue
		}
		s.warn("the " + letter + " parameters do not exist at every frequency and are left out")
		out.Vectors = slices.DeleteFunc(out.Vectors, func(v Vector) bool {
			return strings.HasPrefix(v.Name, letter+"_")
		})
	}
}

// newSquare returns an n-by-n matrix of zeros in one array.
func newSquare(n int) [][]complex128 { return newMatrix(n, n) }

// newMatrix returns a matrix of zeros whose rows are parts of one array.
func newMatrix(rows, columns int) [][]complex128 {
	m, room := make([][]complex128, rows), make([]complex128, rows*columns)
	for k := range m {
		m[k], room = room[:columns:columns], room[columns:]
	}
	return m
}

// convertScattering returns the impedance matrix R·(1 - S)⁻¹·(1 + S)·R and the admittance matrix
// R⁻¹·(1 + S)⁻¹·(1 - S)·R⁻¹. The diagonal matrix R holds the square roots of the reference
// resistances. A matrix that does not exist is nil.
func convertScattering(s [][]complex128, roots []float64) (z, y [][]complex128) {
	n := len(s)
	both := newMatrix(2*n, 2*n) // the rows (1 - S, 1 + S) and the rows (1 + S, 1 - S)
	for j := range n {
		for k := range n {
			plus, minus := s[j][k], -s[j][k]
			if j == k {
				plus++
				minus++
			}
			both[j][k], both[j][n+k] = minus, plus
			both[n+j][k], both[n+j][n+k] = plus, minus
		}
	}
	z, y = solveSquare(both[:n]), solveSquare(both[n:])
	for j := range n {
		for k := range n {
			if z != nil {
				z[j][k] *= complex(roots[j]*roots[k], 0)
			}
			if y != nil {
				y[j][k] /= complex(roots[j]*roots[k], 0)
			}
		}
	}
	return z, y
}

// solveSquare returns a⁻¹·b by Gaussian elimination with partial pivoting, or nil if a is singular.
// The rows of m are those of a, each followed by that of b. solveSquare overwrites m, and the
// result is a part of it.
func solveSquare(m [][]complex128) [][]complex128 {
	n := len(m)
	for c := range n {
		best := c
		for r := c + 1; r < n; r++ {
			if cmplx.Abs(m[r][c]) > cmplx.Abs(m[best][c]) {
				best = r
			}
		}
		if cmplx.Abs(m[best][c]) < 1e-12 {
			return nil
		}
		m[c], m[best] = m[best], m[c]
		for r := range n {
			if r == c {
				continue
			}
			f := m[r][c] / m[c][c]
			for k := c; k < 2*n; k++ {
				m[r][k] -= f * m[c][k]
			}
		}
	}
	for j := range n {
		for k := range n {
			m[j][n+k] /= m[j][j]
		}
		m[j] = m[j][n:]
	}
	return m
}

func equalOhms(ohms []float64) bool {
	for _, r := range ohms {
		if r != ohms[0] {
			return false
		}
	}
	return true
}

// touchstoneHead writes the header of a Touchstone file (IBIS Open Forum, Touchstone File Format
// Specification 2.0, 2009). Different reference resistances require version 2.
func touchstoneHead(w *strings.Builder, ohms []float64, points int) {
	if equalOhms(ohms) {
		fmt.Fprintf(w, "# Hz S RI R %g\n", ohms[0])
		return
	}
	fmt.Fprintf(w, "[Version] 2.0\n# Hz S RI R %g\n[Number of Ports] %d\n", ohms[0], len(ohms))
	if len(ohms) == 2 {
		w.WriteString("[Two-Port Data Order] 21_12\n")
	}
	fmt.Fprintf(w, "[Number of Frequencies] %d\n[Reference]", points)
	for _, r := range ohms {
		fmt.Fprintf(w, " %g", r)
	}
	w.WriteString("\n[Network Data]\n")
}

// touchstoneLineLength returns the usual length of a line of a Touchstone file with n ports.
func touchstoneLineLength(n int) int { return 20 + 34*n*n }

// touchstoneLine returns the S parameters at frequency f [Hz] as text. Two-port data is ordered by
// columns; data of more ports is ordered by rows of at most four values.
func touchstoneLine(f float64, s [][]complex128) []byte {
	n := len(s)
	line := strconv.AppendFloat(make([]byte, 0, touchstoneLineLength(n)), f, 'g', 10, 64)
	for j := range n {
		for k := range n {
			v := s[j][k]
			if n == 2 {
				v = s[k][j]
			}
			if n > 2 && k%4 == 0 && j+k > 0 {
				line = append(line, "\n "...)
			}
			line = strconv.AppendFloat(append(line, ' '), real(v), 'g', 9, 64)
			line = strconv.AppendFloat(append(line, ' '), imag(v), 'g', 9, 64)
		}
	}
	return append(line, '\n')
}
