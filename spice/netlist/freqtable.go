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
	fail := func(code diag.Code, line int, format string, args ...any) error {
		return diag.On(code, line, e.Name, "%s: freq %s", raw, fmt.Sprintf(format, args...))
	}
	if len(toks) < 2 || toks[1].kind != expr || strings.TrimSpace(toks[1].text) == "" {
		return fail(diag.Syntax, line, "needs an expression in braces and triplets of frequency, dB and degrees: freq {v(in)} = (0,0,0) (1k,-3,-45)")
	}
	var numbers []float64
	table := &FrequencyTable{}
	magnitude, radians, complexParts := false, false, false
	for i := 2; i < len(toks); i++ {
		t := toks[i]
		if t.kind == equal {
			continue
		}
		if t.kind == word {
			known := true
			switch t.text {
			case "mag":
				magnitude = true
			case "rad":
				radians = true
			case "r_i":
				complexParts = true
			case "db", "deg":
			case "delay":
				if i+2 >= len(toks) || toks[i+1].kind != equal {
					return fail(diag.Syntax, t.line, "needs a time after delay: delay=1m")
				}
				v, err := in.scope.number(toks[i+2], raw+": the delay of freq")
				if err != nil {
					return err
				}
				if !(math.Abs(v) <= 1e9) {
					return fail(diag.BadValue, t.line, "has a delay of %g s; allowed are -1e9 to 1e9 s", v)
				}
				table.Delay = v
				i += 2
			default:
				if i+1 < len(toks) && toks[i+1].kind == equal {
					return fail(diag.NotAvailable, t.line, "has no parameter %s", t.text)
				}
				known = false
			}
			if known {
				continue
			}
		}
		v, err := in.scope.number(t, raw+": a number of freq")
		if err != nil {
			return err
		}
		numbers = append(numbers, v)
	}
	if len(numbers) == 0 || len(numbers)%3 != 0 {
		return fail(diag.MissingValue, line, "needs three numbers per entry, and has %d in all",
			len(numbers))
	}
	for k := 0; k < len(numbers); k += 3 {
		f, a, b := numbers[k], numbers[k+1], numbers[k+2]
		n := len(table.Hz)
		if f < 0 || n > 0 && !(f > table.Hz[n-1]) {
			return fail(diag.BadValue, line,
				"needs ascending frequencies from 0 Hz, and has %g Hz in entry %d", f, n+1)
		}
		switch {
		case complexParts:
			a, b = math.Hypot(a, b), math.Atan2(b, a)*180/math.Pi
			if n > 0 { // select the turn nearest to the previous phase
				b += 360 * math.Round((table.Degrees[n-1]-b)/360)
			}
		case radians:
			b *= 180 / math.Pi
		}
		if magnitude || complexParts {
			if !(a > 0) {
				return fail(diag.BadValue, line, "needs magnitudes above 0, and has %g in entry %d; a small one such as 1e-12 stands for 0", a, n+1)
			}
			a = 20 * math.Log10(a)
		}
		if !(math.Abs(a) <= 6000) || !(math.Abs(b) <= 1e12) {
			return fail(diag.BadValue, line, "has %g dB and %g degrees in entry %d; allowed are -6000 to 6000 dB and -1e12 to 1e12 degrees", a, b, n+1)
		}
		if f == 0 && math.Abs(math.Remainder(b, 180)) > 1e-6 {
			return fail(diag.BadValue, line, "has a phase of %g degrees at 0 Hz, where a gain is real; allowed are multiples of 180", b)
		}
		table.Hz, table.DB, table.Degrees = append(table.Hz, f), append(table.DB, a),
			append(table.Degrees, b)
	}
	outside := "above"
	if table.Hz[0] > 0 {
		outside = fmt.Sprintf("below %g Hz, at DC as well, and above", table.Hz[0])
	}
	p.warn(line, fmt.Sprintf("%s: between the entries of freq, dB and phase are linear in frequency; %s %g Hz the gain is 0 (PSpice)",
		raw, outside, table.Hz[len(table.Hz)-1]))
	if p.extraStates++; p.extraStates > maxExtraStates {
		return fail(diag.BadExpression, line,
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
