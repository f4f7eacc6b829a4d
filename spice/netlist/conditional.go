package netlist

import (
	"maps"
	"strings"

	"slipstick/spice/diag"
)

// maxConditions is the largest nesting depth of .if blocks.
const maxConditions = 50

// maxSelectedLines is the largest number of lines that the .if blocks of all instances select. It
// bounds the effort for long subcircuits with many instances.
const maxSelectedLines = 200000

// isCondition reports whether the card with this name is part of an .if block.
func isCondition(name string) bool {
	switch name {
	case ".if", ".elseif", ".elif", ".else", ".endif":
		return true
	}
	return false
}

// branch is the state of one .if block that is being read.
type branch struct {
	line   int
	within bool // the enclosing block is in effect
	active bool // the lines of the present branch are in effect
	taken  bool // the lines of this or of an earlier branch are in effect
	last   bool // .else was read
}

// selector selects the lines of .if blocks that are in effect. Conditions use the parameters of one
// level: those outside of all .if blocks, wherever they are, and those of branches above.
type selector struct {
	p     *parser
	level *block // the functions of the level
	scope *scope // the parameters of the level
	fixed map[string]bool
	open  []branch
	key   strings.Builder // a 1 or 0 for every evaluated condition
}

// selectLines returns the statements without .if blocks. fixed holds the names of parameters that
// keep their values in s. within is the depth of .subckt blocks at which the conditions are
// evaluated. Deeper conditions are kept for the expansion of the subcircuit. key identifies the
// selection.
func (p *parser) selectLines(stmts []statement, s *scope, fixed map[string]bool,
	within int) (kept []statement, key string, err error) {
	if p.selected += len(stmts); p.selected > maxSelectedLines {
		return nil, "", diag.At(diag.TooManyElements, stmts[0].line,
			"the .if blocks of all instances have more than %d lines", maxSelectedLines)
	}
	c := selector{p: p, level: s.block, scope: s, fixed: fixed}
	depth := 0
	for i := range stmts {
		st := &stmts[i]
		head := st.toks[0].text
		if depth == within && isCondition(head) {
			if err := c.condition(st); err != nil {
				return nil, "", err
			}
			continue
		}
		if n := len(c.open); n > 0 && !c.open[n-1].active {
			continue
		}
		switch head {
		case ".subckt":
			depth++
		case ".ends":
			if n := len(c.open); n > 0 && depth == within {
				return nil, "", diag.At(diag.Syntax, c.open[n-1].line,
					".if is not closed by .endif before the .ends of line %d", st.line)
			}
			depth--
		case ".param", ".params", ".parameter", ".func", ".function":
			if depth == within && len(c.open) > 0 {
				if err := c.define(st); err != nil {
					return nil, "", err
				}
			}
		}
		kept = append(kept, *st)
	}
	if n := len(c.open); n > 0 {
		return nil, "", diag.At(diag.Syntax, c.open[n-1].line, ".if is not closed by .endif")
	}
	return kept, c.key.String(), nil
}

// condition updates the open blocks with one card of an .if block.
func (c *selector) condition(st *statement) error {
	name, n := st.toks[0].text, len(c.open)
	if len(st.toks) > 1 && (name == ".else" || name == ".endif") {
		if name != ".else" || st.toks[1].text != "if" {
			return diag.At(diag.Syntax, st.line, "%s: unexpected %q", st.toks[0].raw,
				excerpt(st.toks[1].raw))
		}
		name = ".elseif" // ".else if (x)"
	}
	if name == ".if" {
		if n == maxConditions {
			return diag.At(diag.Syntax, st.line, ".if blocks are nested more than %d deep",
				maxConditions)
		}
		b := branch{line: st.line, within: n == 0 || c.open[n-1].active}
		if b.within {
			v, err := c.value(st)
			if err != nil {
				return err
			}
			b.active, b.taken = v, v
		}
		c.open = append(c.open, b)
		return nil
	}
	if n == 0 {
		return diag.At(diag.Syntax, st.line, "%s has no .if above it", st.toks[0].raw)
	}
	b := &c.open[n-1]
	switch {
	case name == ".endif":
		c.open = c.open[:n-1]
	case b.last:
		return diag.At(diag.Syntax, st.line, "%s follows the .else of the .if of line %d",
			st.toks[0].raw, b.line)
	case name == ".else":
		b.last, b.active = true, b.within && !b.taken
		b.taken = true
	default:
		b.active = false
		if b.within && !b.taken {
			v, err := c.value(st)
			if err != nil {
				return err
			}
			b.active, b.taken = v, v
		}
	}
	return nil
}

// value returns the value of the condition of .if or .elseif.
func (c *selector) value(st *statement) (bool, error) {
	raw := st.toks[0].raw
	condition := strings.TrimSpace(strings.TrimSpace(st.text())[len(raw):])
	if st.toks[0].text == ".else" {
		condition = condition[len("if"):]
	}
	condition = unwrap(strings.TrimSpace(condition))
	if condition == "" {
		return false, diag.At(diag.MissingValue, st.line, "%s needs a condition: %s (mode == 1)", raw,
			raw)
	}
	v, err := c.scope.eval(condition, st.line)
	if err != nil && hasLoneEqual(condition) {
		return false, diag.At(diag.BadExpression, st.line,
			"%s: = does not compare in %q; write ==", raw, excerpt(condition))
	}
	if err != nil {
		return false, err
	}
	c.key.WriteByte("01"[int(boolToFloat(v != 0))])
	return v != 0, nil
}

// hasLoneEqual reports whether text has a = that is not part of ==, !=, <= or >=.
func hasLoneEqual(text string) bool {
	for i := range len(text) {
		if text[i] == '=' && (i == 0 || strings.IndexByte("=!<>", text[i-1]) < 0) &&
			(i+1 == len(text) || text[i+1] != '=') {
			return true
		}
	}
	return false
}

// define adds the parameters and functions of a line inside an active branch to the level.
func (c *selector) define(st *statement) error {
	b := newBlock("", st.line, nil)
	if _, err := c.p.buildBlocks([]statement{*st}, b, false); err != nil {
		return err
	}
	for _, d := range b.params {
		if !c.fixed[d.name] {
			c.scope.params[d.name] = &parameter{text: d.text, line: d.line, in: c.scope}
		}
	}
	for name, f := range b.funcs {
		c.level.funcs[name] = f
	}
	return nil
}

// definitionsOutside returns the .param and .func lines of a level outside of its .if blocks.
// within is the depth of .subckt blocks of the level. others receives the other lines there; it may
// be nil.
func definitionsOutside(stmts []statement, within int, others func(*statement)) (kept []statement) {
	depth, open := 0, 0
	for i := range stmts {
		switch head := stmts[i].toks[0].text; head {
		case ".subckt":
			depth++
		case ".ends":
			depth--
		case ".if":
			open++
		case ".endif":
			open--
		case ".param", ".params", ".parameter", ".func", ".function":
			if depth == within && open <= 0 {
				kept = append(kept, stmts[i])
			}
		default:
			if depth == within && open <= 0 && others != nil {
				others(&stmts[i])
			}
		}
	}
	return kept
}

// hasConditions reports whether stmts contain a card of an .if block at a depth of .subckt blocks.
func hasConditions(stmts []statement, within int) bool {
	depth := 0
	for i := range stmts {
		switch head := stmts[i].toks[0].text; {
		case head == ".subckt":
			depth++
		case head == ".ends":
			depth--
		case depth == within && isCondition(head):
			return true
		}
	}
	return false
}

// selectTop returns the statements of the netlist without the .if blocks of the top level. Their
// conditions use the values of .step in this run.
func (p *parser) selectTop(stmts []statement) ([]statement, error) {
	if !hasConditions(stmts, 0) {
		return stmts, nil
	}
	p.conditionNames = map[string]bool{}
	for i := range stmts {
		if isCondition(stmts[i].toks[0].text) {
			for _, ch := range stmts[i].chunks {
				for _, name := range namesIn(ch.text) {
					p.conditionNames[name] = true
				}
			}
		}
	}
	// The parameters of the top level, with the values of .step, are known before anything else.
	level := newBlock("", 1, nil)
	q := &parser{cfg: p.cfg, ckt: &Circuit{}, top: level}
	var cards []*statement
	defs := definitionsOutside(stmts, 0, func(st *statement) {
		switch head := st.toks[0].text; {
		case head[0] == '.':
			cards = append(cards, st)
		case head[0] == 'v' || head[0] == 'i':
			level.elements = append(level.elements, st) // .step may name a source
		}
	})
	if _, err := q.buildBlocks(defs, level, false); err != nil {
		return nil, err
	}
	if err := q.readEarly(cards); err != nil {
		return nil, err
	}
	fixed := map[string]bool{}
	if q.applyStepCards(cards) == nil { // flatten reports errors of .step
		for _, step := range q.ckt.Steps {
			fixed[step.Name] = true
		}
	}
	if o := p.cfg.Override; o != nil {
		q.setParam(o.Name, o.Value, o.Line)
		fixed[o.Name] = true
	}
	kept, _, err := p.selectLines(stmts, q.newScope(level, nil), fixed, 0)
	return kept, err
}

// readConditional stores the lines of a subcircuit with .if blocks. The parameters and functions
// outside of these blocks become those of b.
func (p *parser) readConditional(b *block, stmts []statement) error {
	b.conditional = stmts
	_, err := p.buildBlocks(definitionsOutside(stmts, 1, nil), b, false)
	return err
}

// variant returns the block of a subcircuit with the lines of its .if blocks that are in effect in
// one instance. It returns b itself if b has no .if blocks. s is the scope of the instance, and
// fixed holds the parameters that the instance sets.
func (p *parser) variant(b *block, s *scope, fixed map[string]bool) (*block, error) {
	if b.conditional == nil {
		return b, nil
	}
	level := *b
	level.funcs = maps.Clone(b.funcs)
	s.block = &level
	kept, key, err := p.selectLines(b.conditional, s, fixed, 1)
	if err != nil {
		return nil, err
	}
	if known := b.variants[key]; known != nil {
		return known, nil
	}
	outer := newBlock("", b.line, b.parent)
	if _, err := p.buildBlocks(kept, outer, false); err != nil {
		return nil, err
	}
	made := outer.subs[b.name]
	made.parent, made.variantOf, made.library = b.parent, b, b.library
	if b.variants == nil {
		b.variants = map[string]*block{}
	}
	b.variants[key] = made
	return made, nil
}
