package sexpr

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"slipstick/internal/text"
)

// Node is a word (Leaf is true) or a list of nodes.
type Node struct {
	Word string
	List []*Node
	Line int // line in which the node begins, counted from 1
	Leaf bool
	// Start and End are the byte offsets of the node in the text; End is exclusive.
	Start, End int32
}

// Head returns the first word of a list. It returns "" for a word and for a list that begins with a
// list.
func (s *Node) Head() string {
	if s.Leaf || len(s.List) == 0 || !s.List[0].Leaf {
		return ""
	}
	return s.List[0].Word
}

// Each returns the direct sublists whose first word is head.
func (s *Node) Each(head string) []*Node {
	var out []*Node
	for _, c := range s.List {
		if c.Head() == head {
			out = append(out, c)
		}
	}
	return out
}

// First returns the first direct sublist whose first word is head, or nil if there is none.
func (s *Node) First(head string) *Node {
	for _, c := range s.List {
		if c.Head() == head {
			return c
		}
	}
	return nil
}

// At returns element i of a list if it is a word, or else "". Element 0 is the head. At accepts a
// nil Node.
func (s *Node) At(i int) string {
	if s == nil || i >= len(s.List) || !s.List[i].Leaf {
		return ""
	}
	return s.List[i].Word
}

// Text returns the second word of the first direct sublist whose first word is head, for example
// 10k in (value 10k). ok is false if there is no such sublist.
func (s *Node) Text(head string) (value string, ok bool) {
	c := s.First(head)
	return c.At(1), c != nil
}

// Error describes a syntax error or an exceeded limit of a text.
type Error struct {
	Line   int // line in the text, counted from 1; 0 for an error of the whole text
	Detail string
}

// Error returns the detail, preceded by the line unless it is 0.
func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Detail
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Detail)
}

func errorAt(line int, format string, args ...any) error {
	return &Error{line, fmt.Sprintf(format, args...)}
}

// Limits restricts the size and structure of a text.
type Limits struct {
	Bytes int
	Depth int // maximum nesting depth of lists
	Nodes int // maximum number of words and lists
	// Skip contains the heads of lists whose contents are discarded, for example pictures.
	Skip []string
}

// Parse parses a text that consists of one s-expression. Error messages refer to the text as what,
// for example "netlist". An explicit stack prevents deep nesting from exhausting the goroutine
// stack. The error is an *Error.
func Parse(source, what string, limits Limits) (*Node, error) {
	p := parser{what: what, limits: limits, line: 1}
	return p.parse(source, func(rest string) (string, int, bool) {
		if rest[0] == '"' {
			return quoted(rest)
		}
		n := strings.IndexAny(rest, "() \t\r\n\"")
		if n < 0 {
			n = len(rest)
		}
		return rest[:n], n, true
	})
}

// ParseSpecctra is like Parse but follows the rules of Specctra design files. The list
// (string_quote X) selects the quote character; without it, both " and ' are quote characters.
// Strings have no escapes. A string forms one word with its neighbours if it begins the word or
// follows a hyphen or a string, as in "J 1"-"2 A". Elsewhere a quote is an ordinary character, as
// in 7-SEGMENT_0.5".
func ParseSpecctra(source, what string, limits Limits) (*Node, error) {
	p := parser{what: what, limits: limits, line: 1}
	quotes := `"'`
	return p.parse(source, func(rest string) (string, int, bool) {
		if n := len(p.stack); n > 0 && p.stack[n-1].Head() == "string_quote" {
			quotes = rest[:1]
			return rest[:1], 1, true
		}
		var b strings.Builder
		i, afterString := 0, false
		ends := func(i int) bool {
			return i >= len(rest) || strings.IndexByte("() \t\r\n", rest[i]) >= 0
		}
		for !ends(i) {
			opens := i == 0 || (afterString || rest[i-1] == '-') && !ends(i+1)
			if afterString = strings.IndexByte(quotes, rest[i]) >= 0 && opens; !afterString {
				b.WriteByte(rest[i])
				i++
				continue
			}
			n := strings.IndexByte(rest[i+1:], rest[i])
			if n < 0 {
				return "", 0, false
			}
			b.WriteString(rest[i+1 : i+1+n])
			i += n + 2
		}
		return b.String(), i, true
	})
}

// parser holds the state of Parse and ParseSpecctra.
type parser struct {
	what        string
	limits      Limits
	root        *Node
	stack       []*Node
	line, nodes int
	skipped     int // depth of the list whose contents are skipped; 0 outside of such a list
}

// add appends a node to the innermost open list, unless that list is skipped.
func (p *parser) add(s *Node) error {
	if p.skipped > 0 {
		return nil
	}
	if p.nodes++; p.nodes > p.limits.Nodes {
		return errorAt(p.line, "the %s has more than %d words and lists", p.what, p.limits.Nodes)
	}
	switch {
	case len(p.stack) > 0:
		top := p.stack[len(p.stack)-1]
		top.List = append(top.List, s)
		if len(top.List) == 1 && s.Leaf && slices.Contains(p.limits.Skip, s.Word) {
			p.skipped = len(p.stack)
		}
	case p.root != nil:
		return errorAt(p.line, "there is text after the last closing parenthesis")
	case s.Leaf:
		return errorAt(p.line, "expected (, found %s", text.Quote(s.Word))
	default:
		p.root = s
	}
	return nil
}

// parse parses source. The function word parses the word at the start of rest. It returns the value
// and its length in the text [bytes]; ok is false for an unterminated string.
func (p *parser) parse(
	source string,
	word func(rest string) (value string, length int, ok bool),
) (*Node, error) {
	if n := len(source); n > p.limits.Bytes {
		return nil, errorAt(0, "the %s has %d bytes; at most %d are read", p.what, n,
			p.limits.Bytes)
	}
	if n := len(source); n > math.MaxInt32 {
		return nil, errorAt(0, "the %s has %d bytes", p.what, n)
	}
	mark := len(source)
	source = strings.TrimPrefix(source, "\ufeff")
	mark -= len(source)
	at := func(i int) int32 { return int32(i + mark) }
	for i := 0; i < len(source); {
		switch source[i] {
		case '\n':
			p.line++
			i++
		case ' ', '\t', '\r':
			i++
		case '(':
			s := &Node{Line: p.line, Start: at(i)}
			if err := p.add(s); err != nil {
				return nil, err
			}
			if p.stack = append(p.stack, s); len(p.stack) > p.limits.Depth {
				return nil, errorAt(p.line, "lists are nested more than %d deep", p.limits.Depth)
			}
			i++
		case ')':
			if len(p.stack) == 0 {
				return nil, errorAt(p.line, "there is a ) without a (")
			}
			p.stack[len(p.stack)-1].End = at(i + 1)
			if p.stack = p.stack[:len(p.stack)-1]; len(p.stack) < p.skipped {
				p.skipped = 0
			}
			i++
		default:
			value, n, ok := word(source[i:])
			if !ok {
				return nil, errorAt(p.line, "a string has no closing quote")
			}
			if err := p.add(&Node{Word: value, Line: p.line, Leaf: true, Start: at(i),
				End: at(i + n)}); err != nil {
				return nil, err
			}
			p.line += strings.Count(source[i:i+n], "\n")
			i += n
		}
	}
	switch {
	case len(p.stack) > 0:
		return nil, errorAt(p.stack[len(p.stack)-1].Line, "the ( opened here is never closed")
	case p.root == nil:
		return nil, errorAt(0, "the %s is empty", p.what)
	}
	return p.root, nil
}

// quoted parses the quoted string at the start of s. It returns the text and its length in s
// including quotes [bytes]; ok is false for an unterminated string.
func quoted(s string) (word string, length int, ok bool) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '"':
			return b.String(), i + 1, true
		case '\\':
			i++
			if i == len(s) {
				return "", 0, false
			}
			switch s[i] {
			case 'n':
				b.WriteByte('\n')
			case 'r':
				b.WriteByte('\r')
			case 't':
				b.WriteByte('\t')
			default:
				b.WriteByte(s[i])
			}
		default:
			b.WriteByte(s[i])
		}
	}
	return "", 0, false
}

// Walk calls visit for the node and for all lists inside it, each parent before its children.
func (s *Node) Walk(visit func(*Node)) {
	stack := []*Node{s}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if n.Leaf {
			continue
		}
		visit(n)
		stack = append(stack, n.List...)
	}
}
