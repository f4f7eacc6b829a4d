package netlist

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// readCurrent returns the value of t as a current [A], where 2A means 2 A instead of 2e-18. v is
// the value according to the SPICE suffixes.
func (p *parser) readCurrent(t token, v float64) float64 {
	if t.kind != word {
		return v
	}
	if a, ok := parseAmperes(t.raw); ok {
		p.warn(t.line, t.raw+" is read as amperes; by the rules of SPICE the suffix a is atto, 1e-18: leave the unit out")
		return a
	}
	return v
}

// frequencyWarning warns of a frequency with the suffix M. A frequency of millihertz is rare, and
// many users write M for mega. The frequency may be an expression or a parameter of the scope s.
func (p *parser) frequencyWarning(t token, s *scope) {
	n := scanMantissa(t.raw)
	if t.kind == word && n > 0 {
		if t.raw[n:] == "M" {
			p.warn(t.line, t.raw+" is millihertz in SPICE; megahertz are written meg")
		}
		return
	}
	number := megaNumber(t.raw, s, map[*parameter]bool{})
	if number == "" {
		return
	}
	if f, err := s.number(t, ""); err == nil && f > 0 && f < 1 {
		p.warn(t.line, "the frequency "+excerpt(t.raw)+" has "+number+
			", which is milli in SPICE; megahertz are written meg")
	}
}

// megaNumber returns the first number with the suffix M in an expression, or in the definitions of
// its parameters that are not in seen. It returns "" if there is none.
func megaNumber(text string, s *scope, seen map[*parameter]bool) string {
	for at := 0; at < len(text); {
		n := scanMantissa(text[at:])
		end := at + n
		for end < len(text) && (isLetter(rune(text[end])) || isDigit(text[end]) ||
			text[end] == '_') {
			end++
		}
		name := text[at:end]
		switch {
		case n > 0 && name[n:] == "M":
			return strings.TrimLeft(name, "+-")
		case n == 0 && end > at:
			if d := s.find(strings.ToLower(name)); d != nil && !seen[d] {
				seen[d] = true
				if number := megaNumber(cmp.Or(d.source, d.text), d.in, seen); number != "" {
					return number
				}
			}
		}
		at = max(end, at+1)
	}
	return ""
}

// waveformWarnings warns of frequencies with the suffix M and of decimal commas in the waveform of
// the source st, which lies in the scope s. toks are the tokens after its nodes.
func (p *parser) waveformWarnings(st *statement, toks []token, s *scope) {
	at := slices.IndexFunc(toks, func(t token) bool { return waveformFrequencies(t.text) != nil })
	if at < 0 {
		return
	}
	values := toks[at+1:]
	if n := slices.IndexFunc(values, func(t token) bool { return isSourceWord(t.text) }); n >= 0 {
		values = values[:n]
	}
	if n := slices.IndexFunc(values, func(t token) bool { return t.kind == equal }); n > 0 {
		values = values[:n-1] // m= or rser= behind the waveform
	}
	for _, k := range waveformFrequencies(toks[at].text) {
		if k < len(values) {
			p.frequencyWarning(values[k], s)
		}
	}
	if !slices.ContainsFunc(values[min(1, len(values)):], func(t token) bool { return !t.comma }) {
		return // all values are separated by commas
	}
	for k := 1; k < len(values); k++ {
		whole, decimals := values[k-1].raw, values[k].raw
		if values[k].comma && strings.Trim(whole, "0123456789") == "" && isDigit(decimals[0]) &&
			st.contains(whole+","+decimals) {
			p.warn(st.line, fmt.Sprintf("%s: %s,%s of %s is two values, %[2]s and %[3]s; "+
				"a decimal point is written %[2]s.%[3]s",
				st.toks[0].raw, whole, decimals, toks[at].raw))
		}
	}
}

// contains reports whether a line of the statement contains text.
func (st *statement) contains(text string) bool {
	return slices.ContainsFunc(st.chunks, func(ch chunk) bool {
		return strings.Contains(ch.text, text)
	})
}

// waveformFrequencies returns the positions of frequencies among the values of a waveform. It
// returns nil for other words and for pwl, whose points are pairs.
func waveformFrequencies(word string) []int {
	switch word {
	case "sin", "sine":
		return []int{2}
	case "am":
		return []int{2, 3}
	case "sffm":
		return []int{2, 4}
	case "pulse", "exp", "trrandom":
		return []int{}
	}
	return nil
}

// suffixWarning warns of an ambiguous suffix of a number. kind is the element letter, '.' for a
// card, or 0 for an unknown quantity.
func (p *parser) suffixWarning(kind byte, t token) {
	n := scanMantissa(t.raw)
	if t.kind != word || n == 0 {
		return
	}
	unit := t.raw[n:]
	small := strings.ToLower(unit)
	switch _, amps := parseAmperes(t.raw); {
	case kind == 'c' && (unit == "F" || strings.HasPrefix(small, "farad")):
		p.warn(t.line, t.raw+" is femtofarads in SPICE; for farads leave the unit out")
	case kind == 'c' && (unit == "MF" || strings.HasPrefix(small, "mfd")):
		p.warn(t.line, t.raw+" is millifarads in SPICE; microfarads are written uF")
	case kind == 'r' && strings.HasPrefix(unit, "M") && !strings.HasPrefix(small, "meg") &&
		!strings.HasPrefix(small, "mil"):
		p.warn(t.line, t.raw+" is milliohms in SPICE; megohms are written meg")
	case small == "mhz":
		p.warn(t.line, t.raw+" is millihertz in SPICE; megahertz are written megHz")
	case kind == 0 && amps:
		p.warn(t.line,
			t.raw+" is 1e-18 times the number in SPICE, because a is atto; for amperes leave the unit out")
	}
}
