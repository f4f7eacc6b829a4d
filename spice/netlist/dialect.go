package netlist

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"slipstick/spice/diag"
)

// source is the text of a netlist split into lines. Lines outside the netlist are empty, which
// preserves the line numbers.
type source struct {
	lines    []string
	title    int // 0-based index of the title line
	warnings []string
}

// typography replaces characters of web pages and word processors that look like those of a
// netlist. They are spaces, of which some have no width, and the minus sign. It removes Ctrl-Z, the
// end of a file of DOS, and NUL.
var typography = strings.NewReplacer("\u00a0", " ", "\u2002", " ", "\u2003", " ", "\u2009", " ",
	"\u202f", " ", "\u3000", " ", "\u200b", "", "\u2060", "", "\ufeff", "", "\u2212", "-",
	"\x1a", "", "\x00", "")

// newSource finds the netlist in pasted text. The netlist may be inside Markdown fences, follow
// introductory sentences, or be a single line with escaped line ends, as in a JSON string. Lines
// may end with LF, CR LF or CR.
func newSource(text string) *source {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	text = typography.Replace(text)
	s := &source{}
	if strings.Count(text, `\n`) > 1 && strings.Count(strings.TrimSpace(text), "\n") == 0 {
		text = strings.ReplaceAll(strings.ReplaceAll(text, `\r\n`, "\n"), `\n`, "\n")
		s.warnings = append(s.warnings,
			`the text is one line with \n in it; every \n is read as the end of a line`)
	}
	s.lines = strings.Split(text, "\n")
	if !s.skipFences() {
		s.skipProse()
	}
	return s
}

// keepLines clears all lines outside [first, end).
func (s *source) keepLines(first, end int) {
	for i := range s.lines {
		if i < first || i >= end {
			s.lines[i] = ""
		}
	}
	s.title = first
}

// skipFences keeps the first block in Markdown fences (```) that contains a card. It reports
// whether a block was found.
func (s *source) skipFences() bool {
	open := -1
	for i, l := range s.lines {
		if !strings.HasPrefix(strings.TrimSpace(l), "```") {
			continue
		}
		if open < 0 {
			open = i
			continue
		}
		if hasCard(s.lines[open+1 : i]) {
			s.fencedBlock(open+1, i)
			return true
		}
		open = -1
	}
	if open >= 0 && hasCard(s.lines[open+1:]) {
		s.fencedBlock(open+1, len(s.lines))
		return true
	}
	return false
}

func (s *source) fencedBlock(first, end int) {
	for first+1 < end && strings.TrimSpace(s.lines[first]) == "" {
		first++
	}
	s.keepLines(first, end)
	s.warnings = append(s.warnings, fmt.Sprintf("lines %d to %d, between the ``` marks, are read as the netlist; the text around them is not", first+1, end))
}

// hasCard reports whether any line begins like a card, with a dot and a letter. Prose has no such
// line.
func hasCard(lines []string) bool {
	for _, l := range lines {
		l = strings.TrimSpace(l)
		if len(l) > 2 && l[0] == '.' && isLetter(rune(l[1])) {
			return true
		}
	}
	return false
}

// skipProse removes introductory sentences before the netlist. It requires at least two such lines,
// or one line with a final colon before an empty line. A single other sentence is a title.
func (s *source) skipProse() {
	sentences, last := 0, -1
	next := 0
	for ; next < len(s.lines); next++ {
		l := strings.TrimSpace(s.lines[next])
		if l == "" {
			continue
		}
		if !isSentence(l) {
			break
		}
		sentences++
		last = next
	}
	if sentences == 0 || next == len(s.lines) {
		return
	}
	colon := strings.HasSuffix(strings.TrimSpace(s.lines[last]), ":") && next > last+1
	if sentences < 2 && !colon {
		return
	}
	s.keepLines(next, len(s.lines))
	s.warnings = append(s.warnings,
		fmt.Sprintf(
			"the text above line %d is not read: it consists of sentences; the netlist begins there", next+1))
}

// isSentence reports whether a nonempty line is prose: at least four words of letters and a final
// punctuation mark.
func isSentence(l string) bool {
	words := strings.Fields(l)
	if len(words) < 4 || strings.IndexByte("*.+;$", l[0]) >= 0 ||
		strings.IndexByte(".:!?", l[len(l)-1]) < 0 {
		return false
	}
	letters := 0
	for _, w := range words {
		if strings.Trim(strings.ToLower(w), "abcdefghijklmnopqrstuvwxyz'’-,.:;!?\"()") == "" {
			letters++
		}
	}
	return letters >= 4 && 4*letters >= 3*len(words) && !strings.Contains(l, "=")
}

// controlSection reads the commands between .control and .endc.
type controlSection struct {
	ignored     []string          // commands that only print, plot or compute from results
	first, last int               // 1-based line numbers of the first and last ignored command
	unexecuted  []string          // commands that would change or repeat the run, with line numbers
	values      map[string]string // values and expressions that let and set assign to variables
}

// assign stores the variable that a let or set command assigns. text has the form "name = value". A
// value that depends on netlist parameters is stored as an expression.
func (c *controlSection) assign(text string, line int) {
	name, value, ok := strings.Cut(c.substitute(text), "=")
	name = strings.ToLower(strings.TrimSpace(name))
	if !ok || !isName(name) || len(c.values) > 200 {
		return
	}
	v, err := evaluate(strings.Trim(strings.TrimSpace(value), "\"'"), line,
		func(name string, _ int) (float64, error) {
			if v, ok := ParseNumber(c.values[name]); ok {
				return v, nil
			}
			return 0, diag.At(diag.UnknownParameter, line, "%s is not known", name)
		})
	delete(c.values, name)
	if c.values == nil {
		c.values = map[string]string{}
	}
	if err == nil {
		c.values[name] = formatNumber(v)
		return
	}
	// Store an expression of netlist parameters as text; the cards evaluate it.
	text = c.expand(strings.Trim(strings.TrimSpace(value), "\"'"))
	if len(text) < maxWord && strings.Trim(text, parameterSigns) == "" {
		c.values[name] = "(" + text + ")"
	}
}

// parameterSigns lists the characters that an expression of parameters and numbers may contain.
// Vectors such as v(out) and tran1.time contain other characters or unknown names.
const parameterSigns = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+-*/(). "

// expand replaces the names of variables in text by their values or expressions in parentheses.
func (c *controlSection) expand(text string) string {
	f := userFunction{body: text}
	var values []string
	for name, v := range c.values {
		f.args = append(f.args, name)
		values = append(values, v)
	}
	return f.substitute(values)
}

// substitute replaces $name and $&name by the values of the variables.
func (c *controlSection) substitute(text string) string {
	if !strings.Contains(text, "$") {
		return text
	}
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '$' {
			start := i + 1
			if start < len(text) && text[start] == '&' {
				start++
			}
			end := start
			for end < len(text) && isNameByte(text[end]) {
				end++
			}
			v, ok := c.values[strings.ToLower(text[start:end])]
			if ok && v[0] != '(' {
				out.WriteString(v)
				i = end - 1
				continue
			}
			// A value of .csparam or let that depends on parameters becomes an expression.
			if !ok && isName(text[start:end]) && start == i+2 {
				v, ok = text[start:end], true
			}
			if ok {
				out.WriteString("{" + v + "}")
				i = end - 1
				continue
			}
		}
		out.WriteByte(text[i])
	}
	return out.String()
}

// command processes one command of .control. It returns a statement if the command is equivalent to
// a card, and nil otherwise.
func (c *controlSection) command(text string, line int) (st *statement, err error) {
	text = strings.TrimSpace(text)
	if at := strings.IndexAny(text, "><"); at > 0 &&
		strings.HasPrefix(strings.ToLower(text), "meas") {
		text = text[:at] // "meas ... > file"
	}
	verb, tail, _ := strings.Cut(text, " ")
	if at := strings.IndexByte(verb, '\t'); at >= 0 {
		verb, tail = verb[:at], verb[at:]+" "+tail
	}
	switch verb = strings.ToLower(verb); verb {
	case "run":
		return nil, nil
	case "op", "tran", "ac", "dc", "noise", "tf", "pz", "sens", "disto", "sp", "pss", "meas",
		"measure", "option", "options":
		return &statement{line: line, command: true,
			chunks: []chunk{{"." + c.substitute(text), line}}}, nil
	case "set", "let":
		c.assign(tail, line)
		if v, ok := strings.CutPrefix(strings.ReplaceAll(strings.ToLower(tail), " ", ""),
			"temp="); ok {
			return &statement{line: line, command: true, chunks: []chunk{{".temp " + v, line}}}, nil
		}
	case "source", "load", "shell", "codemodel", "pre_codemodel", "osdi", "pre_osdi", "cd",
		"mc_source", "aspice", "jobs", "remcirc", "use", "edit":
		return nil, diag.At(diag.ForbiddenCard, line,
			".control: %s is not allowed; netlists run no programs and read no files", verb)
	case "alter", "altermod", "alterparam", "foreach", "while", "dowhile", "repeat", "if", "else",
		"goto", "reset", "stop", "step", "resume":
		if len(c.unexecuted) < 10 {
			c.unexecuted = append(c.unexecuted, fmt.Sprintf("%s (line %d)", verb, line))
		}
		return nil, nil
	case "end", "label":
		return nil, nil
	}
	if c.first == 0 {
		c.first = line
	}
	c.last = line
	if verb = excerpt(verb); len(c.ignored) < 20 && !slices.Contains(c.ignored, verb) {
		c.ignored = append(c.ignored, verb)
	}
	return nil, nil
}

// warnings returns warnings that list the commands that were not executed.
func (c *controlSection) warnings() (out []string) {
	if len(c.unexecuted) > 0 {
		out = append(out, "commands of .control that would change or repeat the run are not executed, the circuit is simulated as written: "+strings.Join(c.unexecuted, ", "))
	}
	if len(c.ignored) > 0 {
		where := fmt.Sprintf("line %d", c.first)
		if c.last > c.first {
			where = fmt.Sprintf("lines %d to %d", c.first, c.last)
		}
		out = append(out,
			where+": commands of .control that print, plot or compute from results are ignored: "+strings.Join(c.ignored, ", "))
	}
	return out
}

// missingEnd returns the error for a netlist without .end. Its message quotes the last two nonempty
// lines.
func missingEnd(lines []string) *diag.Error {
	var tail []string
	for i := len(lines) - 1; i >= 0 && len(tail) < 2; i-- {
		if l := strings.TrimSpace(lines[i]); l != "" {
			tail = append([]string{excerpt(l)}, tail...)
		}
	}
	return diag.At(diag.NoEnd, 0, "the netlist has no .end line; add .end as the last line, so that the netlist ends with:\n%s\n.end", strings.Join(tail, "\n"))
}

// sentence returns the message of an error without its line number.
func sentence(err error) string {
	if d, ok := errors.AsType[*diag.Error](err); ok {
		return d.Detail
	}
	return err.Error()
}
