package netlist

import (
	"slices"
	"strings"
)

// Span is the range [Start, End) of byte offsets in the text of a netlist.
type Span struct {
	Start, End int
}

// Site is a replaceable value in the text of a netlist.
type Site struct {
	Name string // name of the parameter or element, in lower case
	Span Span
}

// Sites lists the replaceable values outside subcircuits. They are the values of .param cards, R, C
// and L, the DC values of V and I, and the gains of E to H. Elements with a waveform, a model or a
// table have no replaceable value. The first line of the text is the title.
func Sites(text string) (params, elements []Site) {
	depth := 0
	for i, st := range spanStatements(text) {
		if i == 0 {
			continue // title line
		}
		name := strings.ToLower(text[st[0].Start:st[0].End])
		switch {
		case name == ".end":
			return params, elements
		case name == ".subckt":
			depth++
		case name == ".ends":
			depth--
		case depth > 0:
		case name == ".param" || name == ".params" || name == ".params:":
			params = append(params, paramSites(text, st[1:])...)
		case strings.IndexByte("rclviegfh", name[0]) >= 0:
			if span, ok := elementValue(text, name[0], st[1:]); ok {
				elements = append(elements, Site{name, span})
			}
		}
	}
	return params, elements
}

// Replace returns the text with the given values in place of the spans, which must not overlap.
func Replace(text string, values map[Span]string) string {
	spans := make([]Span, 0, len(values))
	for s := range values {
		spans = append(spans, s)
	}
	slices.SortFunc(spans, func(a, b Span) int { return a.Start - b.Start })
	var b strings.Builder
	end := 0
	for _, s := range spans {
		b.WriteString(text[end:s.Start])
		b.WriteString(values[s])
		end = s.End
	}
	b.WriteString(text[end:])
	return b.String()
}

// spanStatements splits the text into logical lines, which are lists of the spans of their tokens.
// Each line has at least one token. The first line is the title and has one token.
func spanStatements(text string) [][]Span {
	var out [][]Span
	at := 0
	for number := 0; at < len(text); number++ {
		end := len(text)
		if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
			end = at + n
		}
		tokens := spanTokens(text, at, at+len(stripComment(text[at:end])))
		switch {
		case number == 0:
			out = append(out, []Span{{at, end}})
			if at == end {
				out[0] = []Span{{0, 1}}
			}
		case len(tokens) == 0 || text[tokens[0].Start] == '*':
		case text[tokens[0].Start] == '+':
			if tokens[0].Start++; tokens[0].Start == tokens[0].End {
				tokens = tokens[1:]
			}
			out[len(out)-1] = append(out[len(out)-1], tokens...)
		default:
			out = append(out, tokens)
		}
		at = end + 1
	}
	return out
}

// spanTokens splits the bytes [at, end) of a line into words, expressions including their braces or
// quotes, and the characters = ( ).
func spanTokens(text string, at, end int) []Span {
	var out []Span
	for at < end {
		next := at + 1
		switch c := text[at]; c {
		case ' ', '\t', ',', '\v', '\f', '\r':
			at++
			continue
		case '=', '(', ')':
		case '{':
			for depth := 1; next < end && depth > 0; next++ {
				depth += strings.Count(text[next:next+1], "{") -
					strings.Count(text[next:next+1], "}")
			}
		case '\'':
			if n := strings.IndexByte(text[next:end], '\''); n >= 0 {
				next += n + 1
			} else {
				next = end
			}
		default:
			for next < end && strings.IndexByte(" \t\v\f\r,=(){'", text[next]) < 0 {
				next++
			}
		}
		out = append(out, Span{at, next})
		at = next
	}
	return out
}

// paramSites lists the values of name=value pairs in tokens.
func paramSites(text string, tokens []Span) []Site {
	var out []Site
	for i := 0; i+2 < len(tokens); i++ {
		if text[tokens[i+1].Start] == '=' {
			out = append(out, Site{strings.ToLower(text[tokens[i].Start:tokens[i].End]),
				tokens[i+2]})
			i += 2
		}
	}
	return out
}

// elementValue returns the span of the value of an element. tokens are the tokens after its name.
// The second result is false if the element has no replaceable value.
func elementValue(text string, letter byte, tokens []Span) (Span, bool) {
	at := map[byte]int{'e': 4, 'g': 4, 'f': 3, 'h': 3}[letter]
	if at == 0 {
		at = 2
	}
	if at >= len(tokens) {
		return Span{}, false
	}
	for _, t := range tokens[:at] {
		// After poly(1), value= or nodes in parentheses, the token at this position is not a gain.
		if strings.IndexByte("(={'", text[t.Start]) >= 0 {
			return Span{}, false
		}
	}
	value := tokens[at]
	key := strings.ToLower(text[value.Start:value.End])
	switch {
	case (letter == 'v' || letter == 'i') && key == "dc", strings.IndexByte("rcl", letter) >= 0 &&
		key == string(letter):
		if at++; at < len(tokens) && text[tokens[at].Start] == '=' {
			at++
		}
		if at >= len(tokens) {
			return Span{}, false
		}
		value = tokens[at]
	}
	switch text[value.Start] {
	case '{', '\'':
		return value, true
	}
	_, ok := ParseNumber(strings.ToLower(text[value.Start:value.End]))
	return value, ok
}
