package netlist

import (
	"slices"
	"strconv"
	"strings"

	"slipstick/spice/diag"
)

// MaxText is the largest size of a netlist in bytes, which is 1 MiB.
const MaxText = 1 << 20

// Config holds the inputs and limits of Parse.
type Config struct {
	// MaxElements is the largest number of elements after flattening, where a library part counts
	// as one. 0 means no limit.
	MaxElements int
	// Library returns the text of a part that the netlist does not define: a .model card, a .subckt
	// block, or both. ok is false for an unknown name. The subcircuit counts as one element. A nil
	// Library means that there is no library.
	Library func(name string) (text string, ok bool)
	// Parts holds the names of all library parts, from which messages suggest similar ones.
	Parts []string
	// Check returns an error if an element has invalid values that Parse does not check. It is only
	// called if the netlist has other errors. It may be nil.
	Check func(*Element) error
	// Analyses defines additional analysis cards. Parse skips an unsupported analysis card with a
	// warning. It returns an error if the netlist has no other analysis.
	Analyses []AnalysisCard
	// AddEnd accepts a netlist without .end and adds a warning.
	AddEnd bool
	// Steps holds, for each .step card in the order of Circuit.Steps, the index of the value to
	// use. Cards without an index use their first value.
	Steps []int
	// Override replaces the value of a parameter of the top level unless it is nil.
	Override *Param
	// Run is the number of the run, beginning with 0. Random functions return different values in
	// each run.
	Run int
	// Seed is the seed of the random functions and takes precedence over .options seed. Without any
	// seed, random functions return their nominal values.
	Seed *uint64
	// Options holds the numerical options of the request by name in lower case. They override those
	// of .options.
	Options map[string]float64
	// Vectors names vectors that the caller will select, in addition to those of .save. Currents of
	// elements, terminals and pins among them become available.
	Vectors []string
	// TempC is the temperature of the circuit [°C]. It overrides .temp and .options, but not .step,
	// unless it is nil.
	TempC *float64
}

// block is the body of the netlist or of a subcircuit before expansion.
type block struct {
	name     string
	line     int
	parent   *block
	pins     []string
	defaults []definition
	params   []definition
	models   map[string]*statement
	subs     map[string]*block
	elements []*statement
	initial  []*statement // .ic and .nodeset cards inside the subcircuit
	funcs    map[string]*userFunction
	library  bool // the block is a library part, which counts as one element
	unused   int  // line of a later .subckt with the same name, or 0
	// unsupported is the word of the .subckt line that is not supported, such as OPTIONAL:, or "".
	unsupported string
	// instanceNames holds the names of the X elements. It is nil before hasInstance is called.
	instanceNames map[string]bool
	// conditional holds the lines from .subckt to .ends if .if blocks are among them. Only the
	// definitions outside of these are in the block. variants holds the blocks of instances by the
	// values of their conditions, and variantOf is the block in whose variants this one is.
	conditional []statement
	variants    map[string]*block
	variantOf   *block
}

// definition is name = expression of a .param card, or a default value of a .subckt card.
type definition struct {
	name, text string
	line       int
	optional   bool   // definition of .csparam, whose errors are reported only if it is used
	bare       string // name as written if there is no =, as in ".param a 5" of LTspice
	source     string // .step card whose value text holds, or ""
}

func newBlock(name string, line int, parent *block) *block {
	return &block{name: name, line: line, parent: parent,
		models: map[string]*statement{}, subs: map[string]*block{},
		funcs: map[string]*userFunction{}}
}

// validText returns a netlist as valid UTF-8 without a byte order mark. needs describes the
// required contents in the message for an empty netlist.
func validText(text, needs string) (string, error) {
	if len(text) > MaxText {
		return "", diag.At(diag.NetlistTooLong, 0, "the netlist has %d bytes; at most %d are read",
			len(text), MaxText)
	}
	text = strings.ToValidUTF8(strings.TrimPrefix(text, "\ufeff"), "?")
	if strings.TrimSpace(text) == "" {
		return "", diag.At(diag.EmptyNetlist, 0, "the netlist is empty; it needs %s", needs)
	}
	if head, ok := strings.CutPrefix(strings.TrimSpace(text), "(export"); ok &&
		strings.TrimLeft(head, " \t\r\n(") != head {
		return "", diag.At(diag.Syntax, 1, "this is a KiCad netlist for a board: open it on the "+
			"Board page (pcb_layout), or export a SPICE netlist from the schematic")
	}
	return text, nil
}

// Parse parses a netlist. The error is a *diag.Error of diag.Join.
func Parse(text string, cfg Config) (*Circuit, error) {
	text, err := validText(text, "a title line, elements, an analysis card and .end")
	if err != nil {
		return nil, err
	}
	d, err := readDeck(text, cfg.AddEnd)
	if err != nil {
		return nil, err
	}
	p := &parser{cfg: cfg, ckt: &Circuit{Title: d.title, Warnings: d.warnings, Lines: d.lines,
		TitleLine: d.titleLine}}
	p.reportLines(d)
	if err := p.joined(p.parse(d)); err != nil {
		return nil, err
	}
	return p.ckt, nil
}

// parse reads the circuit. It records errors and returns one after which nothing else can be read.
func (p *parser) parse(d *deck) error {
	if err := p.classifyFirstLine(d); err != nil {
		return err
	}
	p.ltspice = slices.ContainsFunc(d.stmts, func(st statement) bool {
		return st.toks[0].text == ".backanno"
	})
	for i := range d.stmts {
		switch st := &d.stmts[i]; st.toks[0].text {
		case ".options", ".option", ".opt":
			p.addMissingEquals(st)
		}
	}
	p.endAtAlter(d)
	var err error
	if d.stmts, err = p.selectTop(d.stmts); err != nil {
		return err
	}
	p.top = newBlock("", 1, nil)
	cards, err := p.buildBlocks(d.stmts, p.top, true)
	if err != nil {
		return err
	}
	if err := p.flatten(cards); err != nil {
		return err
	}
	p.warnIncludes()
	p.warnPowers(d.stmts)
	return nil
}

// endAtAlter removes the lines from .alter on. In HSPICE they change the netlist for a later run.
func (p *parser) endAtAlter(d *deck) {
	at := slices.IndexFunc(d.stmts, func(st statement) bool { return st.toks[0].text == ".alter" })
	if at < 0 {
		return
	}
	p.warn(d.stmts[at].line, ".alter is not supported: it and the lines behind it, which change a "+
		"later run of HSPICE, are ignored; .step repeats the run with other values")
	d.stmts = d.stmts[:at]
}

// parser holds the state of one call of Parse or Instances. In its methods, raw is the name of an
// element as written. in is the instance that contains the element, and s is the scope of its
// names.
type parser struct {
	cfg         Config
	ckt         *Circuit
	top         *block
	ltspice     bool // LTspice has written the netlist, which .backanno shows
	globals     map[string]bool
	seen        map[string]bool // nodes that Circuit.Nodes already lists
	names       map[string]int  // line number of each element by flattened name
	expands     int             // number of subcircuit instances expanded so far
	selected    int             // number of lines read by selectLines so far
	extraStates int             // number of ddt(), idt(), delay(), freq and laplace states so far
	library     map[string]bool // names that were already looked up in the library
	// includes holds the .include and .lib cards, which are not read.
	includes []*statement
	// unsupported holds the cards of unsupported analyses.
	unsupported []*statement
	// analysisCards holds the kinds of the analysis cards in netlist order.
	analysisCards []string
	firstAC       *statement // first .ac card, or nil
	// conditionNames holds the names in the conditions of .if at the top level.
	conditionNames map[string]bool
	// modelSteps maps model names to the parameters that .step sets. modelStepUsed holds the names
	// of the models that were found.
	modelSteps    map[string][]Param
	modelStepUsed map[string]bool
	// sourceSteps holds the DC values [V] or [A] that .step assigns to sources, by element name.
	sourceSteps map[string]float64
	// loads maps the names of current sources with the word load to those of their inner sources.
	loads map[string]string
	// universalOpAmps holds the universal op amps of LTspice that a warning has named.
	universalOpAmps map[string]bool
	// random generates random numbers. It is nil if random functions return nominal values.
	random     *random
	akoDepth   int     // nesting depth of ako references in the model being read
	seed       *uint64 // seed of random, or nil
	earlyTempC float64 // temperature of .temp or .options [°C]
	// pinCurrents holds the pins whose currents ix() names, such as x1#out for pin out of x1.
	pinCurrents map[string]bool
	usesTemper  bool // a parameter or model depends on the temperature
	// saveCurrents is set by .options savecurrents of ngspice.
	saveCurrents bool
	// collects is set if report records errors instead of returning them. errs holds these errors,
	// and failedWords the words of the cards that failed, with the index of the first error.
	collects    bool
	errs        []*diag.Error
	failedWords map[string]int
	subjects    map[string]bool // subjects of errs
	stopped     bool            // there are too many errors to continue
	// An error has listed the supported kinds of elements, or the special functions of LTspice.
	listedKinds, listedFunctions bool
}

func (p *parser) warn(line int, text string) {
	if line > 0 {
		text = "line " + itoa(line) + ": " + text
	}
	for _, w := range p.ckt.Warnings {
		if w == text {
			return
		}
	}
	if len(p.ckt.Warnings) < 100 {
		p.ckt.Warnings = append(p.ckt.Warnings, text)
	}
}

// buildBlocks adds every statement to the block in which it occurs and returns the cards of the top
// level. topCards is false for a library part, whose top-level cards are ignored.
func (p *parser) buildBlocks(stmts []statement, into *block, topCards bool) ([]*statement, error) {
	var cards []*statement
	cur := into
	for i := 0; i < len(stmts); i++ {
		st := &stmts[i]
		head := st.toks[0].text
		var err error
		switch {
		case head[0] != '.':
			cur.elements = append(cur.elements, st)
		case head == ".subckt":
			b, err := p.openBlock(st, cur)
			if err != nil {
				return nil, err
			}
			if end := endsOf(stmts[i:]); end > 0 && hasConditions(stmts[i:i+end], 1) {
				if err := p.readConditional(b, stmts[i:i+end+1]); err != nil {
					return nil, err
				}
				i += end
				continue
			}
			cur = b
		case head == ".ends":
			if cur == into {
				return nil, diag.At(diag.UnclosedSubcircuit, st.line,
					".ends has no .subckt before it")
			}
			cur = cur.parent
		case isDefinition(head):
			err = p.define(st, cur)
		default:
			if err = rejectForbidden(st); err != nil {
				break
			}
			if cur != into {
				err = p.cardInside(stmts[i:], cur)
			} else if topCards {
				cards = append(cards, st)
			}
		}
		if err != nil {
			if err = p.report(st, err); err != nil {
				return nil, err
			}
		}
	}
	if cur != into {
		return nil, diag.At(diag.UnclosedSubcircuit, cur.line, ".subckt %s is not closed by .ends",
			cur.name)
	}
	return cards, nil
}

// isDefinition reports whether define reads the card with this name.
func isDefinition(head string) bool {
	switch head {
	case ".model", ".csparam", ".param", ".params", ".parameter", ".func", ".function",
		".lib", ".include", ".incl", ".inc", ".endl", ".protect", ".unprotect":
		return true
	}
	return false
}

// define adds the definitions of a card to a block. It keeps cards that name a file for warnings.
func (p *parser) define(st *statement, b *block) error {
	switch head := st.toks[0].text; head {
	case ".model":
		return p.addModel(st, b)
	case ".csparam":
		return p.exportedParams(st, b)
	case ".param", ".params", ".parameter":
		return p.params(st, b)
	case ".func", ".function":
		return p.readFunction(st, b)
	case ".lib", ".include", ".incl", ".inc":
		if len(st.toks) > 1 {
			p.includes = append(p.includes, st)
		} else {
			p.warn(st.line, head+" without a file is ignored")
		}
	}
	return nil
}

// addModel adds a .model card to a block that has no model of the same name.
func (p *parser) addModel(st *statement, b *block) error {
	if len(st.toks) < 2 || st.toks[1].kind != word {
		return diag.At(diag.Syntax, st.line,
			".model needs a name and a type: .model name type(param=value ...)")
	}
	name := st.toks[1].text
	if old, ok := b.models[name]; ok {
		old.unused = st.line
		p.warn(st.line, "model "+name+" is already defined on line "+itoa(old.line)+
			"; that definition is used, as in ngspice")
		return nil
	}
	b.models[name] = st
	return nil
}

// exportedParams adds the parameters of a .csparam card to a block.
func (p *parser) exportedParams(st *statement, b *block) error {
	head := st.toks[0].text
	defs, err := definitions(st.chunks, len(head))
	if err != nil {
		return err
	}
	for _, d := range defs {
		p.bareWarning(head, d)
		// ".csparam x={x}" exports a parameter to .control.
		if !strings.EqualFold(d.text, d.name) {
			d.optional = true
			b.params = append(b.params, d)
		}
	}
	return nil
}

// params adds the parameters or the function of a .param card to a block.
func (p *parser) params(st *statement, b *block) error {
	// .param f(x)={x*x} defines a function.
	if len(st.toks) > 2 && st.toks[1].kind == word && st.toks[2].kind == paren {
		return p.readFunction(st, b)
	}
	head := st.toks[0].text
	defs, err := definitions(st.chunks, len(head))
	if toks := st.withoutParens(); err != nil && len(toks) == 2 && isName(toks[0].text) &&
		isValue(toks[1]) { // ".param (a 5)" and ".param a, 5"
		defs, err = []definition{{name: toks[0].text, text: toks[1].text, line: st.line,
			bare: toks[0].raw}}, nil
	}
	if err != nil {
		return err
	}
	if len(defs) == 0 {
		return diag.At(diag.Syntax, st.line, ".param needs name=value")
	}
	for _, d := range defs {
		p.bareWarning(head, d)
		p.suffixWarning(0, token{kind: word, raw: d.text, line: d.line})
	}
	b.params = append(b.params, defs...)
	return nil
}

// cardInside reads the card stmts[0] inside the subcircuit b.
func (p *parser) cardInside(stmts []statement, b *block) error {
	st := &stmts[0]
	head := st.toks[0].text
	switch {
	case head == ".ic" || head == ".nodeset":
		b.initial = append(b.initial, st)
	case isOutputCard(head):
		p.warn(st.line, head+" in a subcircuit is ignored")
	case !hasEnds(stmts):
		return diag.At(diag.UnclosedSubcircuit, b.line,
			".subckt %s is not closed by .ends", b.name)
	default:
		return diag.At(diag.UnknownCard, st.line, "%s is not allowed inside .subckt %s; only "+
			".model, .param, .func, .ic, .nodeset and .subckt are", head, b.name)
	}
	return nil
}

// hasEnds reports whether stmts contain an .ends card.
func hasEnds(stmts []statement) bool {
	for i := range stmts {
		if stmts[i].toks[0].text == ".ends" {
			return true
		}
	}
	return false
}

// endsOf returns the index of the .ends card that closes the .subckt card stmts[0], or 0 without
// such a card.
func endsOf(stmts []statement) int {
	depth := 0
	for i := range stmts {
		switch stmts[i].toks[0].text {
		case ".subckt":
			depth++
		case ".ends":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return 0
}

// openBlock parses a .subckt line and returns its block. The line consists of a name, pins, and
// defaults with or without params:. A block whose name the parent has already is not added to the
// parent.
func (p *parser) openBlock(st *statement, parent *block) (*block, error) {
	if len(st.toks) < 2 || st.toks[1].kind != word {
		return nil, diag.At(diag.Syntax, st.line,
			".subckt needs a name and pins: .subckt name pin1 pin2 ...")
	}
	b := newBlock(st.toks[1].text, st.line, parent)
	if old, ok := parent.subs[b.name]; ok {
		old.unused = st.line
		p.warn(st.line, "subcircuit "+b.name+" is already defined on line "+itoa(old.line)+
			"; that definition is used, as in ngspice")
	} else {
		parent.subs[b.name] = b
	}
	depth := 0
	for q := parent; q != nil; q = q.parent {
		if depth++; depth > 20 {
			return nil, diag.At(diag.Syntax, st.line,
				".subckt definitions are nested more than 20 deep")
		}
	}
	toks := st.withoutParens()[1:]
	if i := slices.IndexFunc(toks, func(t token) bool {
		return t.text == "optional:" || t.text == "text:"
	}); i >= 0 {
		b.unsupported = toks[i].raw // an error only where the block is used
		return b, nil
	}
	for i, t := range toks {
		if t.kind == equal {
			return nil, diag.At(diag.Syntax, st.line, ".subckt %s: = without a name before it",
				b.name)
		}
		if t.text == "params:" || i+1 < len(toks) && toks[i+1].kind == equal {
			defs, err := definitionTokens(toks[i:])
			b.defaults = defs
			return b, err
		}
		if t.kind != word {
			return nil, diag.At(diag.Syntax, st.line,
				".subckt %s: a pin must be a name, not an expression", b.name)
		}
		pin := unquoted(t.text)
		if slices.Contains(b.pins, pin) {
			p.warn(st.line, "subcircuit "+b.name+" lists pin "+pin+
				" twice; its first node is connected, as in ngspice")
		}
		b.pins = append(b.pins, pin)
	}
	return b, nil
}

// definitionTokens parses name = value pairs and ignores params:.
func definitionTokens(toks []token) ([]definition, error) {
	var defs []definition
	for i := 0; i < len(toks); i++ {
		t := toks[i]
		if t.text == "params:" {
			continue
		}
		if t.kind != word || i+2 >= len(toks) || toks[i+1].kind != equal ||
			toks[i+2].kind == equal {
			return nil, diag.At(diag.Syntax, t.line, "expected name=value, found %q",
				excerpt(t.raw))
		}
		defs = append(defs, definition{name: t.text, text: toks[i+2].raw, line: t.line})
		i += 2
	}
	return defs, nil
}

// joinedChunks is the text of chunks, each with a blank after it.
type joinedChunks struct {
	text   string
	chunks []chunk
}

func joinChunks(chunks []chunk) joinedChunks {
	var text strings.Builder
	for _, ch := range chunks {
		text.WriteString(ch.text + " ")
	}
	return joinedChunks{text.String(), chunks}
}

// line returns the number of the line that contains the byte at the given index of the text.
func (j joinedChunks) line(at int) int {
	line := 0
	for _, ch := range j.chunks {
		line = ch.line
		if at -= len(ch.text) + 1; at < 0 {
			break
		}
	}
	return line
}

// definitions parses the name = expression pairs of a .param card. The expressions need no braces
// and may contain blanks: ".param a = 2*b c={a}". The first pair may lack the =. skip is the length
// of the card's name in bytes.
func definitions(chunks []chunk, skip int) ([]definition, error) {
	return joinChunks(chunks).definitions(skip)
}

// definitions parses the name = expression pairs from the byte index at on.
func (j joinedChunks) definitions(at int) ([]definition, error) {
	var defs []definition
	var open *definition
	const separators = " \t,"
	for {
		name, start, next := nextAssignment(j.text[at:])
		if name == "" {
			start = len(j.text) - at
		}
		before := strings.TrimLeft(j.text[at:at+start], separators)
		line := j.line(at + start - len(before))
		before = strings.TrimRight(before, separators)
		switch {
		case open != nil:
			if open.text = unwrap(strings.TrimSpace(before)); open.text == "" {
				return nil, diag.At(diag.MissingValue, open.line, "parameter %s has no value",
					open.name)
			}
		case before != "":
			word, value := cutWord(before)
			if !isName(word) || value == "" {
				return nil, diag.At(diag.Syntax, line, "expected name=value, found %q",
					excerpt(before))
			}
			open = &definition{name: strings.ToLower(word), line: line, bare: word,
				text: unwrap(value)}
		}
		if open != nil {
			defs = append(defs, *open)
		}
		if name == "" {
			return defs, nil
		}
		open = &definition{name: strings.ToLower(name), line: j.line(at + start)}
		at += next
	}
}

// bareWarning warns of a definition without =. head is the name of the card.
func (p *parser) bareWarning(head string, d definition) {
	if d.bare != "" {
		p.warn(d.line,
			head+" "+excerpt(d.bare+" "+d.text)+" is read as "+excerpt(d.bare+"="+d.text))
	}
}

// cutWord separates s at its first blank.
func cutWord(s string) (word, rest string) {
	if at := strings.IndexAny(s, " \t"); at >= 0 {
		return s[:at], strings.TrimSpace(s[at:])
	}
	return s, ""
}

// unwrap removes the braces or quotes around an expression if they enclose all of it.
func unwrap(s string) string {
	if n := len(s); n >= 2 && (s[0] == '{' && s[n-1] == '}' && strings.IndexByte(s[1:], '{') < 0 ||
		s[0] == '\'' && s[n-1] == '\'') {
		return s[1 : n-1]
	}
	return s
}

// nextAssignment finds the next "name =" outside quotes, braces and parentheses. It returns the
// name, its byte index and the byte index after the =. The name is "" if there is none.
func nextAssignment(s string) (name string, at, next int) {
	depth, quoted := 0, false
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '\'':
			quoted = !quoted
		case quoted:
		case c == '(' || c == '{':
			depth++
		case c == ')' || c == '}':
			depth--
		case c == '=' && depth == 0:
			if i+1 < len(s) && s[i+1] == '=' || i > 0 && strings.IndexByte("<>!=", s[i-1]) >= 0 {
				continue
			}
			end := i
			for end > 0 && (s[end-1] == ' ' || s[end-1] == '\t') {
				end--
			}
			start := end
			for start > 0 && isNameByte(s[start-1]) {
				start--
			}
			if start < end && !isDigit(s[start]) {
				return s[start:end], start, i + 1
			}
		}
	}
	return "", 0, 0
}

func itoa(i int) string { return strconv.Itoa(i) }
