package netlist

import (
	"fmt"
	"math"
	"math/cmplx"
	"slices"
	"strings"

	"slipstick/spice/diag"
)

// FrequencyTable is a transfer function tabulated over frequency, as in freq of E and G (PSpice
// User's Guide, Analog behavioral modeling). Between two entries the magnitude in dB and the phase
// are linear in frequency, so a constant delay is reproduced exactly. Outside the table the
// function is 0.
type FrequencyTable struct {
	Hz, DB, Degrees []float64 // frequencies in ascending order, magnitudes and phases
	Delay           float64   // additional group delay [s]
}

// At returns the function at a frequency [Hz].
func (t *FrequencyTable) At(f float64) complex128 {
	const rounding = 1e-9 // relative rounding error of .ac frequencies
	last := len(t.Hz) - 1
	if f < t.Hz[0]*(1-rounding) || f > t.Hz[last]*(1+rounding) {
		return 0
	}
	k, _ := slices.BinarySearch(t.Hz, f)
	k = min(max(k, 1), last)
	db, degrees := t.DB[0], t.Degrees[0]
	if last > 0 {
		part := min(max((f-t.Hz[k-1])/(t.Hz[k]-t.Hz[k-1]), 0), 1)
		db = t.DB[k-1] + part*(t.DB[k]-t.DB[k-1])
		degrees = t.Degrees[k-1] + part*(t.Degrees[k]-t.Degrees[k-1])
	}
	// The remainders preserve the digits of large phases.
	turns := math.Remainder(degrees, 360)/360 - math.Remainder(f*t.Delay, 1)
	return cmplx.Rect(math.Pow(10, db/20), 2*math.Pi*turns)
}

// DC returns the real part of the function at 0 Hz.
func (t *FrequencyTable) DC() float64 { return real(t.At(0)) }

// frequencyTable parses "freq {v(in)} = [db|mag] [deg|rad] (f,m,p) ... [delay=t]" of E and G. With
// r_i, the entries contain real and imaginary parts instead of magnitude and phase. An auxiliary
// source supplies the input expression. toks are the tokens after the nodes.
func (p *parser) frequencyTable(e *Element, toks []token, line int, in *instance,
	raw string) error {
	if len(toks) < 2 || toks[1].kind != expr || strings.TrimSpace(toks[1].text) == "" {
		return diag.On(diag.Syntax, line, e.Name, "%s: freq needs an expression in braces and "+
			"triplets of frequency, dB and degrees: freq {v(in)} = (0,0,0) (1k,-3,-45)", raw)
	}
	r := &frequencyReader{e: e, line: line, in: in, raw: raw}
	numbers, err := r.numbers(toks[2:])
	if err != nil {
		return err
	}
	for k := 0; k < len(numbers); k += 3 {
		if err := r.entry(numbers[k], numbers[k+1], numbers[k+2]); err != nil {
			return err
		}
	}
	table := &r.table
	outside := "above"
	if table.Hz[0] > 0 {
		outside = fmt.Sprintf("below %g Hz, at DC as well, and above", table.Hz[0])
	}
	p.warn(line, fmt.Sprintf("%s: between the entries of freq, dB and phase are linear in frequency; %s %g Hz the gain is 0 (PSpice)",
		raw, outside, table.Hz[len(table.Hz)-1]))
	if p.extraStates++; p.extraStates > maxExtraStates {
		return r.fail(diag.BadExpression, line,
			"is the last of more than %d ddt(), delay(), laplace and freq", maxExtraStates)
	}
	input := e.Name + "#freq"
	p.registerNode(input, true)
	source := Element{Kind: 'b', Name: input, Line: e.Line, Nodes: []string{input, "0"},
		Internal: true}
	if err := p.compileBSource(&source, &BSource{Output: 'v'}, toks[1].text, toks[1].line, in,
		raw); err != nil {
		return err
	}
	p.ckt.Elements = append(p.ckt.Elements, source)
	e.Nodes, e.Args, e.Frequency = []string{e.Nodes[0], e.Nodes[1], input, "0"}, nil, table
	return nil
}

// frequencyReader reads the entries of a table over frequency.
type frequencyReader struct {
	e     *Element
	line  int
	in    *instance
	raw   string
	table FrequencyTable

	magnitude, radians, complexParts bool // the words mag, rad and r_i
}

func (r *frequencyReader) fail(code diag.Code, line int, format string, args ...any) error {
	return diag.On(code, line, r.e.Name, "%s: freq %s", r.raw, fmt.Sprintf(format, args...))
}

// numbers returns the numbers of the entries, three for each, and reads the words and the delay
// between them.
func (r *frequencyReader) numbers(toks []token) (numbers []float64, err error) {
	for i := 0; i < len(toks); i++ {
		t := toks[i]
		if t.kind == equal {
			continue
		}
		if t.kind == word {
			switch t.text {
			case "mag":
				r.magnitude = true
				continue
			case "rad":
				r.radians = true
				continue
			case "r_i":
				r.complexParts = true
				continue
			case "db", "deg":
				continue
			case "delay":
				if err := r.delay(toks[i:]); err != nil {
					return nil, err
				}
				i += 2
				continue
			}
			if i+1 < len(toks) && toks[i+1].kind == equal {
				return nil, r.fail(diag.NotAvailable, t.line, "has no parameter %s", t.text)
			}
		}
		v, err := r.in.scope.number(t, r.raw+": a number of freq")
		if err != nil {
			return nil, err
		}
		numbers = append(numbers, v)
	}
	if len(numbers) == 0 || len(numbers)%3 != 0 {
		return nil, r.fail(diag.MissingValue, r.line,
			"needs three numbers per entry, and has %d in all", len(numbers))
	}
	return numbers, nil
}

// delay parses delay=t at the start of toks.
func (r *frequencyReader) delay(toks []token) error {
	if len(toks) < 3 || toks[1].kind != equal {
		return r.fail(diag.Syntax, toks[0].line, "needs a time after delay: delay=1m")
	}
	v, err := r.in.scope.number(toks[2], r.raw+": the delay of freq")
	if err != nil {
		return err
	}
	if !(math.Abs(v) <= 1e9) {
		return r.fail(diag.BadValue, toks[0].line,
			"has a delay of %g s; allowed are -1e9 to 1e9 s", v)
	}
	r.table.Delay = v
	return nil
}

// entry adds an entry to the table. f is its frequency [Hz], and a and b are its numbers as
// written.
func (r *frequencyReader) entry(f, a, b float64) error {
	table, n := &r.table, len(r.table.Hz)
	if f < 0 || n > 0 && !(f > table.Hz[n-1]) {
		return r.fail(diag.BadValue, r.line,
			"needs ascending frequencies from 0 Hz, and has %g Hz in entry %d", f, n+1)
	}
	switch {
	case r.complexParts:
		a, b = math.Hypot(a, b), math.Atan2(b, a)*180/math.Pi
		if n > 0 { // select the turn nearest to the previous phase
			b += 360 * math.Round((table.Degrees[n-1]-b)/360)
		}
	case r.radians:
		b *= 180 / math.Pi
	}
	if r.magnitude || r.complexParts {
		if !(a > 0) {
			return r.fail(diag.BadValue, r.line, "needs magnitudes above 0, and has %g in entry "+
				"%d; a small one such as 1e-12 stands for 0", a, n+1)
		}
		a = 20 * math.Log10(a)
	}
	if !(math.Abs(a) <= 6000) || !(math.Abs(b) <= 1e12) {
		return r.fail(diag.BadValue, r.line, "has %g dB and %g degrees in entry %d; allowed are "+
			"-6000 to 6000 dB and -1e12 to 1e12 degrees", a, b, n+1)
	}
	if f == 0 && math.Abs(math.Remainder(b, 180)) > 1e-6 {
		return r.fail(diag.BadValue, r.line, "has a phase of %g degrees at 0 Hz, where a gain is "+
			"real; allowed are multiples of 180", b)
	}
	table.Hz, table.DB = append(table.Hz, f), append(table.DB, a)
	table.Degrees = append(table.Degrees, b)
	return nil
}
