package netlist

import (
	"errors"
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
	unused  int     // line of a later .model with the same name, or 0
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
	failed            []failedLine
}

// failedLine is a statement that cannot be split into tokens, or a missing .end.
type failedLine struct {
	text string
	err  *diag.Error
}

// deckReader splits the lines of a text into statements.
type deckReader struct {
	*deck
	first    statement // the title line with its continuations
	aliases  bool      // inside .aliases
	ended    bool      // after .end
	control  int       // line number of the open .control, or 0
	executed bool      // the last command of .control became a statement
	commands controlSection
}

// readDeck splits the text into the title and the statements up to .end. If addEnd is set, a
// missing .end causes a warning, otherwise an error.
func readDeck(text string, addEnd bool) (*deck, error) {
	src := newSource(text)
	r := &deckReader{deck: &deck{title: strings.TrimSpace(src.lines[src.title]),
		warnings: src.warnings, lines: src.lines, titleLine: src.title + 1}}
	r.first = statement{line: r.titleLine,
		chunks: []chunk{{strings.TrimSpace(stripComment(r.title)), r.titleLine}}}
	for i, raw := range src.lines[src.title+1:] {
		line := i + src.title + 2
		s := strings.TrimSpace(stripComment(strings.ReplaceAll(raw, "\r", " ")))
		if s == "" || s[0] == '*' {
			continue
		}
		if r.ended {
			r.warnings = append(r.warnings, "text after .end is ignored, from line "+itoa(line))
			break
		}
		if err := r.readLine(s, line); err != nil {
			return nil, err
		}
	}
	if r.control > 0 {
		r.warn(r.control, ".control is not closed by .endc; it is read up to the end of the text")
	}
	switch {
	case r.ended:
	case !addEnd:
		r.failed = append(r.failed, failedLine{err: missingEnd(src.lines)})
	default:
		r.warnings = append(r.warnings,
			"the netlist has no .end line; it is read as if the last line were .end")
	}
	r.warnings = append(r.warnings, r.commands.warnings()...)
	if err := r.tokenize(); err != nil {
		return nil, err
	}
	if r.first.tokenize() == nil {
		r.firstLine = &r.first
	}
	return r.deck, nil
}

func (d *deck) warn(line int, text string) {
	d.warnings = append(d.warnings, "line "+itoa(line)+": "+text)
}

// omit clears a line, which is outside the netlist.
func (d *deck) omit(line int) { d.lines[line-1] = "" }

// readLine reads a line, which is neither empty nor a comment.
func (r *deckReader) readLine(s string, line int) error {
	end := strings.IndexFunc(s, unicode.IsSpace)
	if end < 0 {
		end = len(s)
	}
	switch head := strings.ToLower(s[:end]); {
	case head == ".aliases": // PSpice: names of the schematic, up to .endaliases
		r.aliases = true
		r.warn(line, "the lines up to .endaliases are ignored; they name no circuit")
		r.omit(line)
	case head == ".endaliases":
		r.aliases = false
		r.omit(line)
	case r.aliases && head != ".end":
		r.omit(line)
	case head == ".control":
		r.control = line
		r.omit(line)
	case head == ".endc":
		if r.control == 0 {
			r.warn(line, ".endc without .control is ignored")
		}
		r.control = 0
		r.omit(line)
	case head == ".end":
		if r.control > 0 {
			r.warn(r.control,
				".control is not closed by .endc; it is read as if it ended at line "+itoa(line))
		}
		r.control, r.ended = 0, true
	case r.control > 0:
		r.omit(line)
		return r.readCommand(s, line)
	default:
		r.readStatement(s, line)
	}
	return nil
}

// readCommand reads a line of .control.
func (r *deckReader) readCommand(s string, line int) error {
	if s[0] == '+' {
		if n := len(r.stmts); r.executed && n > 0 {
			r.stmts[n-1].chunks = append(r.stmts[n-1].chunks, chunk{s[1:], line})
		}
		return nil
	}
	st, err := r.commands.command(s, line)
	if err != nil {
		return err
	}
	if r.executed = st != nil; r.executed {
		r.stmts = append(r.stmts, *st)
	}
	return nil
}

// readStatement reads a line of the circuit.
func (r *deckReader) readStatement(s string, line int) {
	last := &r.first
	if n := len(r.stmts); n > 0 {
		last = &r.stmts[n-1]
	}
	switch {
	case s[0] == '+':
		if last == &r.first && r.strayContinuation == 0 {
			r.strayContinuation = line
		}
		last.chunks = append(last.chunks, chunk{s[1:], line})
	case strings.Trim(s, ") \t") == "" && last != &r.first && last.hasOpenParen():
		r.warn(line, "the ) alone on its line is read as the end of line "+itoa(last.line))
		last.chunks = append(last.chunks, chunk{s, line})
	case len(s) > 5 && strings.EqualFold(s[:6], ".ends*"): // TI: ".ENDS* name"
		r.stmts = append(r.stmts, statement{line: line, chunks: []chunk{{s[:5], line}}})
	case len(s) > 2 && strings.Trim(s, "-=_~# \t") == "":
		r.warn(line, "the line of "+s[:1]+" signs is read as a comment")
		r.omit(line)
	default:
		r.stmts = append(r.stmts, statement{line: line, chunks: []chunk{{s, line}}})
	}
}

// tokenize splits the statements into tokens. It removes statements that cannot be split. It
// returns an error for a card that begins or ends a block.
func (d *deck) tokenize() error {
	kept := d.stmts[:0]
	for i := range d.stmts {
		err := d.stmts[i].tokenize()
		switch {
		case err == nil:
			kept = append(kept, d.stmts[i])
		case d.stmts[i].command:
			d.warn(d.stmts[i].line, "the command is ignored: "+sentence(err))
		case beginsOrEndsBlock(d.stmts[i].chunks[0].text):
			return err
		default:
			e, _ := errors.AsType[*diag.Error](err)
			d.failed = append(d.failed, failedLine{d.stmts[i].text(), e})
		}
	}
	d.stmts = kept
	return nil
}

// beginsOrEndsBlock reports whether a line without tokens begins or ends a subcircuit or a branch
// of .if, without which other lines mean something else.
func beginsOrEndsBlock(line string) bool {
	line = strings.ToLower(line)
	for _, card := range [...]string{".subckt", ".ends", ".if", ".el", ".endif"} {
		if strings.HasPrefix(line, card) {
			return true
		}
	}
	return false
}

// text returns the source text without comments on one line.
func (st *statement) text() string {
	var text strings.Builder
	for _, ch := range st.chunks {
		text.WriteString(" " + ch.text)
	}
	return text.String()
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
	for _, ch := range st.chunks {
		for s := ch.text; s != ""; {
			if len(st.toks) > maxWords {
				return diag.At(diag.Syntax, ch.line,
					"the line and its continuations have more than %d words", maxWords)
			}
			if strings.IndexByte(", \t\v\f", s[0]) >= 0 {
				comma = comma || s[0] == ','
				s = s[1:]
				continue
			}
			// LTspice writes an empty value as "".
			if strings.HasPrefix(s, `""`) && !st.endsWithEqual() {
				s = s[2:]
				continue
			}
			kind, text, n, err := scanToken(s, ch.line)
			if err != nil {
				return err
			}
			st.toks = append(st.toks, token{kind: kind, comma: comma, text: strings.ToLower(text),
				raw: text, line: ch.line})
			comma = false
			s = s[n:]
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

// scanToken returns the kind and the text of the token at the start of s, and the number of bytes
// it takes.
func scanToken(s string, line int) (kind tokenKind, text string, n int, err error) {
	switch s[0] {
	case '=':
		return equal, s[:1], 1, nil
	case '(', ')':
		return paren, s[:1], 1, nil
	case '{':
		if n = bracedLength(s); n == 0 {
			return 0, "", 0, diag.At(diag.Syntax, line,
				"the { of an expression has no matching }")
		}
		return expr, s[1 : n-1], n, nil
	case '\'':
		end := strings.IndexByte(s[1:], '\'')
		if end < 0 {
			return 0, "", 0, diag.At(diag.Syntax, line,
				"the ' that opens an expression has no closing '")
		}
		return expr, s[1 : 1+end], end + 2, nil
	case '}':
		return 0, "", 0, diag.At(diag.Syntax, line, "unmatched }")
	}
	if quoted := strings.IndexByte(s[1:], '"'); s[0] == '"' && quoted >= 0 {
		n = quoted + 2 // text in quotes, such as mfg="TDK, Inc."
	}
	for n < len(s) && strings.IndexByte(" \t\v\f,=(){}'", s[n]) < 0 {
		n++
	}
	if n > maxWord {
		return 0, "", 0, diag.At(diag.Syntax, line,
			"the name or number that starts with %q has %d characters; at most %d are read",
			excerpt(s[:n]), n, maxWord)
	}
	return word, s[:n], n, nil
}

// bracedLength returns the number of bytes of the expression in braces at the start of s, or 0 if
// its last brace is missing.
func bracedLength(s string) int {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
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
