package netlist

import (
	"slices"
	"strings"
	"unicode"

	"slipstick/spice/diag"
)

// maxWord is the largest length of a name or number in bytes. It bounds the length of messages that
// quote them.
const maxWord = 400

// maxWords is the largest number of tokens in a line with its continuations. It allows a waveform
// of ten thousand points.
const maxWords = 20000

type tokenKind uint8

const (
	word  tokenKind = iota // name or number
	expr                   // text inside {..} or '..'
	equal                  // =
	paren                  // ( or )
)

type token struct {
	kind  tokenKind
	comma bool   // a comma precedes the token
	text  string // text in lower case
	raw   string // text as written
	line  int
}

// statement is one logical line, which consists of a line and its continuation lines without
// comments.
type statement struct {
	line    int
	toks    []token
	chunks  []chunk // source text for cards that are parsed from text
	command bool    // the statement is a command of .control that is read as a card
}

type chunk struct {
	text string
	line int
}

// deck is a netlist split into logical lines.
type deck struct {
	title string
	stmts []statement
	// firstLine is line 1 with its continuations, in case it is not a title. strayContinuation is
	// the line number of the first of these + lines, or 0 if there are none.
	firstLine         *statement
	strayContinuation int
	warnings          []string
	lines             []string // lines of the text; lines outside the netlist are empty
	titleLine         int      // 1-based number of the title line
}

// readDeck splits the text into the title and the statements up to .end. If addEnd is set, a
// missing .end causes a warning, otherwise an error.
func readDeck(text string, addEnd bool) (*deck, error) {
	src := newSource(text)
	lines := src.lines
	d := &deck{title: strings.TrimSpace(lines[src.title]), warnings: src.warnings, lines: lines,
		titleLine: src.title + 1}
	first := statement{line: d.titleLine,
		chunks: []chunk{{strings.TrimSpace(stripComment(d.title)), d.titleLine}}}
	ended, inControl := false, 0
	aliases := false
	executed := false // the last command of .control became a statement
	var ctl controlSection
	for i, raw := range lines[src.title+1:] {
		no := i + src.title + 2
		s := strings.TrimSpace(stripComment(strings.ReplaceAll(raw, "\r", " ")))
		if s == "" || s[0] == '*' {
			continue
		}
		if ended {
			d.warnings = append(d.warnings, "text after .end is ignored, from line "+itoa(no))
			break
		}
		end := strings.IndexFunc(s, unicode.IsSpace)
		if end < 0 {
			end = len(s)
		}
		word := strings.ToLower(s[:end])
		switch {
		case word == ".aliases": // PSpice: names of the schematic, up to .endaliases
			aliases = true
			d.warnings = append(d.warnings,
				"line "+itoa(no)+": the lines up to .endaliases are ignored; they name no circuit")
		case word == ".endaliases":
			aliases = false
			d.lines[no-1] = ""
			continue
		}
		if aliases && word != ".end" {
			d.lines[no-1] = ""
			continue
		}
		if word == ".control" {
			inControl = no
			d.lines[no-1] = ""
			continue
		} else if word == ".endc" && inControl > 0 {
			inControl = 0
			d.lines[no-1] = ""
			continue
		}
		if word == ".endc" {
			d.warnings = append(d.warnings, "line "+itoa(no)+": .endc without .control is ignored")
			d.lines[no-1] = ""
			continue
		} else if inControl > 0 && word == ".end" {
			d.warnings = append(d.warnings,
				"line "+itoa(
					inControl)+": .control is not closed by .endc; it is read as if it ended at line "+itoa(no))
			inControl, ended = 0, true
			continue
		}
		if inControl > 0 {
			d.lines[no-1] = ""
			if s[0] == '+' {
				if n := len(d.stmts); executed && n > 0 {
					d.stmts[n-1].chunks = append(d.stmts[n-1].chunks, chunk{s[1:], no})
				}
				continue
			}
			st, err := ctl.command(s, no)
			if err != nil {
				return nil, err
			}
			if executed = st != nil; executed {
				d.stmts = append(d.stmts, *st)
			}
			continue
		}
		last := &first
		if n := len(d.stmts); n > 0 {
			last = &d.stmts[n-1]
		}
		if s[0] == '+' {
			if last == &first && d.strayContinuation == 0 {
				d.strayContinuation = no
			}
			last.chunks = append(last.chunks, chunk{s[1:], no})
			continue
		}
		if strings.Trim(s, ") \t") == "" && last != &first && last.hasOpenParen() {
			d.warnings = append(d.warnings,
				"line "+itoa(no)+": the ) alone on its line is read as the end of line "+itoa(
					last.line))
			last.chunks = append(last.chunks, chunk{s, no})
			continue
		}
		if word == ".end" {
			ended = true
			continue
		}
		if len(s) > 2 && strings.Trim(s, "-=_~# \t") == "" {
			d.warnings = append(d.warnings,
				"line "+itoa(no)+": the line of "+s[:1]+" signs is read as a comment")
			d.lines[no-1] = ""
			continue
		}
		d.stmts = append(d.stmts, statement{line: no, chunks: []chunk{{s, no}}})
	}
	if inControl > 0 {
		d.warnings = append(d.warnings,
			"line "+itoa(
				inControl)+": .control is not closed by .endc; it is read up to the end of the text")
	}
	if !ended && !addEnd {
		return nil, missingEnd(lines)
	}
	if !ended {
		d.warnings = append(d.warnings,
			"the netlist has no .end line; it is read as if the last line were .end")
	}
	d.warnings = append(d.warnings, ctl.warnings()...)
	kept := d.stmts[:0]
	for i := range d.stmts {
		if err := d.stmts[i].tokenize(); err != nil {
			if d.stmts[i].command {
				d.warnings = append(d.warnings,
					"line "+itoa(d.stmts[i].line)+": the command is ignored: "+sentence(err))
				continue
			}
			return nil, err
		}
		kept = append(kept, d.stmts[i])
	}
	d.stmts = kept
	if first.tokenize() == nil {
		d.firstLine = &first
	}
	return d, nil
}

// hasOpenParen reports whether a parenthesis of the statement is not closed.
func (st *statement) hasOpenParen() bool {
	depth := 0
	for _, ch := range st.chunks {
		depth += strings.Count(ch.text, "(") - strings.Count(ch.text, ")")
	}
	return depth > 0
}

// joinExpressions merges the chunks of an expression, because text between braces or quotes may
// continue on + lines.
func (st *statement) joinExpressions() {
	kept := st.chunks[:0]
	depth, quoted, open := 0, false, false
	for _, ch := range st.chunks {
		if open {
			kept[len(kept)-1].text += " " + ch.text
		} else {
			kept = append(kept, ch)
		}
		for i := range len(ch.text) {
			switch c := ch.text[i]; {
			case c == '\'':
				quoted = !quoted
			case quoted:
			case c == '{':
				depth++
			case c == '}':
				depth--
			}
		}
		open = depth > 0 || quoted
	}
	st.chunks = kept
}

// stripComment removes a comment that begins with ; or " $ " or, as in ngspice, " //" outside
// expressions. The path of .include and .lib may begin with //.
func stripComment(s string) string {
	lower := strings.ToLower(strings.TrimLeft(s, " \t"))
	path := strings.HasPrefix(lower, ".inc") || strings.HasPrefix(lower, ".lib")
	depth, quoted := 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\'':
			quoted = !quoted
		case quoted:
		case c == '{':
			depth++
		case c == '}':
			depth--
		case c == '"' && strings.IndexByte(s[i+1:], '"') >= 0:
			i += 1 + strings.IndexByte(s[i+1:], '"')
		case c == ';':
			return s[:i]
		case c == '/' && depth <= 0 && !path && strings.HasPrefix(s[i:], "//") &&
			(i == 0 || s[i-1] == ' ' || s[i-1] == '\t'):
			return s[:i]
		case c == '$' && depth <= 0 && (i == 0 || s[i-1] == ' ' || s[i-1] == '\t') &&
			(i+1 == len(s) || s[i+1] == ' ' || s[i+1] == '\t'):
			return s[:i]
		}
	}
	return s
}

func (st *statement) tokenize() error {
	const params = ".params"
	if s := st.chunks[0].text; len(s) > len(params) && s[len(params)] == ':' &&
		strings.EqualFold(s[:len(params)], params) {
		st.chunks[0].text = s[:len(params)] + " " + s[len(params)+1:] // ".params: a=1" of LTspice
	}
	st.unquoteNames()
	st.joinExpressions()
	size := 0
	for _, ch := range st.chunks {
		size += len(ch.text)
	}
	st.toks = make([]token, 0, size/4+1) // an element card has about one token per four characters
	comma := false
	add := func(k tokenKind, text string, line int) {
		st.toks = append(st.toks,
			token{kind: k, comma: comma, text: strings.ToLower(text), raw: text, line: line})
		comma = false
	}
	for _, ch := range st.chunks {
		s := ch.text
		for i := 0; i < len(s); {
			if len(st.toks) > maxWords {
				return diag.At(diag.Syntax, ch.line,
					"the line and its continuations have more than %d words", maxWords)
			}
			switch c := s[i]; c {
			case ',':
				comma = true
				i++
			case ' ', '\t', '\v', '\f':
				i++
			case '=':
				add(equal, "=", ch.line)
				i++
			case '(', ')':
				add(paren, string(c), ch.line)
				i++
			case '{':
				depth, j := 1, i+1
				for ; j < len(s) && depth > 0; j++ {
					switch s[j] {
					case '{':
						depth++
					case '}':
						depth--
					}
				}
				if depth > 0 {
					return diag.At(diag.Syntax, ch.line, "the { of an expression has no matching }")
				}
				add(expr, s[i+1:j-1], ch.line)
				i = j
			case '\'':
				n := strings.IndexByte(s[i+1:], '\'')
				if n < 0 {
					return diag.At(diag.Syntax, ch.line,
						"the ' that opens an expression has no closing '")
				}
				add(expr, s[i+1:i+1+n], ch.line)
				i += n + 2
			case '}':
				return diag.At(diag.Syntax, ch.line, "unmatched }")
			case '"':
				// LTspice writes an empty value as "".
				if empty := strings.HasPrefix(s[i:], `""`); empty && !st.endsWithEqual() {
					i += 2
					continue
				}
				fallthrough
			default:
				j := i
				if n := strings.IndexByte(s[i+1:], '"'); c == '"' && n >= 0 {
					j += n + 2 // text in quotes, such as mfg="TDK, Inc."
				}
				for j < len(s) && strings.IndexByte(" \t\v\f,=(){}'", s[j]) < 0 {
					j++
				}
				if j-i > maxWord {
					return diag.At(diag.Syntax, ch.line, "the name or number that starts with %q has %d characters; at most %d are read", excerpt(s[i:j]), j-i, maxWord)
				}
				add(word, s[i:j], ch.line)
				i = j
			}
		}
	}
	if len(st.toks) == 0 || st.toks[0].kind != word {
		return diag.At(diag.Syntax, st.line,
			"the line starts with neither an element name nor a card")
	}
	if len(st.toks) > 1 && st.toks[0].text == ".temp" && st.toks[1].kind == equal {
		st.toks = slices.Delete(st.toks, 1, 2) // ".temp=50" of LTspice
	}
	return nil
}

// unquoteNames removes the double quotes from a card of results, where KiCad's users write them
// around names with slashes, such as v("/out") and "v(/out)".
func (st *statement) unquoteNames() {
	head, _ := cutWord(strings.ToLower(st.chunks[0].text))
	switch head {
	case ".four", ".fourier", ".fft", ".meas", ".measure", ".save", ".ic", ".nodeset", ".noise",
		".tf", ".sens":
		for i := range st.chunks {
			st.chunks[i].text = strings.ReplaceAll(st.chunks[i].text, `"`, "")
		}
	}
}

// endsWithEqual reports whether the last token so far is =.
func (st *statement) endsWithEqual() bool {
	n := len(st.toks)
	return n > 0 && st.toks[n-1].kind == equal
}

// withoutParens returns the tokens after the first one. It omits parentheses, which have no meaning
// in this position.
func (st *statement) withoutParens() []token {
	out := make([]token, 0, len(st.toks))
	for _, t := range st.toks[1:] {
		if t.kind != paren {
			out = append(out, t)
		}
	}
	return out
}
