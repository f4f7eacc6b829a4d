package netlist

import (
	"math"
	"strings"

	"slipstick/spice/diag"
)

// Windows returns the window names of .four and .fft.
func Windows() []string { return []string{"rect", "hann", "hamming", "blackman", "flattop"} }

// MinSamples and MaxSamples limit the number of samples of a .fft card. defaultSamples is the
// default.
const (
	MinSamples     = 8
	MaxSamples     = 65536
	defaultSamples = 1024
	// maxSamplesInAll is the largest total number of samples of all .fft cards.
	maxSamplesInAll = 1 << 18
	// maxTransformWork limits the number of samples times its largest prime factor. The run time of
	// the mixed-radix transform is proportional to this product.
	maxTransformWork = 1 << 24
)

// largestPrimeFactor returns the largest prime factor of n >= 2.
func largestPrimeFactor(n int) int {
	largest := 1
	for f := 2; f*f <= n; f++ {
		for n%f == 0 {
			largest, n = f, n/f
		}
	}
	return max(largest, n)
}

// FFTCard describes a .fft card, which requests the discrete spectrum of a transient.
type FFTCard struct {
	Operands []Operand
	From, To float64 // time interval [s]; a To of 0 selects the end of the run
	Samples  int
	Window   string // window name, one of Windows
	Line     int
}

// windowName parses a window name and returns its standard form. It accepts the abbreviations of
// HSPICE and common synonyms. card is the name of the card in messages.
func (p *parser) windowName(t token, card string) (string, error) {
	name := t.text
	switch name {
	case "hanning":
		name = "hann"
	case "hamm":
		name = "hamming"
	case "black":
		name = "blackman"
	case "none", "rectangular":
		name = "rect"
	}
	for _, w := range Windows() {
		if name == w {
			return w, nil
		}
	}
	return "", diag.At(diag.BadValue, t.line, "%s: the window must be %s, not %q", card,
		strings.Join(Windows(), ", "), excerpt(t.raw))
}

// namedValue parses "name = value" at the start of toks. ok is false for other tokens.
func namedValue(toks []token) (name string, value token, ok bool) {
	if len(toks) < 3 || toks[0].kind != word || toks[1].kind != equal {
		return "", token{}, false
	}
	return toks[0].text, toks[2], true
}

// operands parses the voltages and currents of .four or .fft. It calls set for each "name = value"
// pair.
func (p *parser) operands(card string, toks []token,
	set func(name string, value token) error) (list []Operand, err error) {
	for len(toks) > 0 {
		if name, value, ok := namedValue(toks); ok {
			if err := set(name, value); err != nil {
				return nil, err
			}
			toks = toks[3:]
			continue
		}
		o, n, fault := readOperand(toks)
		if fault != nil {
			return nil, diag.At(fault.code, toks[0].line, "%s: %s", card, fault.text)
		}
		if o.Part != "" {
			return nil, diag.At(diag.Syntax, toks[0].line, "%s: %s is for .ac; write %c(...)", card,
				o.Text, o.Kind)
		}
		toks = toks[n:]
		list = append(list, *o)
	}
	return list, nil
}

// fftCard parses ".fft v(out) ... [start=] [stop=] [np=] [window=]" and adds an FFTCard to the
// circuit.
func (p *parser) fftCard(st *statement, s *scope) (err error) {
	c := FFTCard{Samples: defaultSamples, Window: "rect", Line: st.line}
	c.Operands, err = p.operands(".fft", st.toks[1:], func(name string, value token) (err error) {
		var x float64
		switch name {
		case "window":
			c.Window, err = p.windowName(value, ".fft")
			return err
		case "start", "from", "stop", "to", "np":
			if x, err = s.number(value, ".fft: "+name); err != nil {
				return err
			}
		case "fmin", "fmax", "freq", "format":
			p.warn(value.line, ".fft: "+name+"= of HSPICE is ignored: the spectrum is complete")
			return nil
		default:
			return diag.At(diag.Syntax, value.line,
				".fft: %s= is unknown; allowed are start=, stop=, np= and window=", excerpt(name))
		}
		switch {
		case name == "np" && (x < MinSamples || x > MaxSamples || x != math.Trunc(x)):
			return diag.At(diag.BadValue, value.line,
				".fft: np must be a whole number from %d to %d, not %g", MinSamples, MaxSamples, x)
		case name == "np":
			c.Samples = int(x)
			if prime := largestPrimeFactor(c.Samples); c.Samples*prime > maxTransformWork {
				return diag.At(diag.BadValue, value.line,
					".fft: np=%d has the prime factor %d; np times its largest prime factor must not exceed %d",
					c.Samples, prime, maxTransformWork)
			}
		case !(x >= 0):
			return diag.At(diag.BadValue, value.line, ".fft: %s must not be negative, not %g", name,
				x)
		case name == "start" || name == "from":
			c.From = x
		default:
			c.To = x
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(c.Operands) == 0 {
		return diag.At(diag.MissingValue, st.line,
			".fft needs a voltage or current: .fft v(out) np=1024 window=hann")
	}
	if c.To > 0 && c.To <= c.From {
		return diag.At(diag.BadValue, st.line,
			".fft: the stop time %g must be after the start time %g", c.To, c.From)
	}
	p.ckt.FFT = append(p.ckt.FFT, c)
	total := 0
	for _, c := range p.ckt.FFT {
		total += len(c.Operands) * c.Samples
	}
	if total > maxSamplesInAll {
		return diag.At(diag.TooManyMeasures, st.line,
			"the .fft cards take %d samples; at most %d are allowed", total, maxSamplesInAll)
	}
	return nil
}
