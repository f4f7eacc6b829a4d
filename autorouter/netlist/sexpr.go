package netlist

import (
	"strings"
)

// Limits of an s-expression. KiCad's deepest export is nested ten deep.
const (
	maxText  = 1 << 20 // bytes
	maxDepth = 50
	maxNodes = 250_000
)

// sexpr is a word or a list.
type sexpr struct {
	word string
	list []*sexpr
	line int // where it begins
	leaf bool
}

// head is the first word of a list, "" when there is none.
func (s *sexpr) head() string {
	if s.leaf || len(s.list) == 0 || !s.list[0].leaf {
		return ""
	}
	return s.list[0].word
}

// each gives the lists inside that begin with the word.
func (s *sexpr) each(head string) []*sexpr {
	var out []*sexpr
	for _, c := range s.list {
		if c.head() == head {
			out = append(out, c)
		}
	}
	return out
}

// text is the word after the head of the first list inside that begins with it: 10k of (value 10k).
// ok is false when there is no such list.
func (s *sexpr) text(head string) (value string, ok bool) {
	for _, c := range s.list {
		if c.head() == head {
			if len(c.list) > 1 && c.list[1].leaf {
				return c.list[1].word, true
			}
			return "", true
		}
	}
	return "", false
}

// parseSexpr reads one s-expression that fills the text. It keeps its own stack, so that no
// nesting exhausts the machine's.
func parseSexpr(text string) (*sexpr, error) {
	if len(text) > maxText {
		return nil, one("netlist", 0, "the netlist has %d bytes; at most %d are read", len(text), maxText)
	}
	text = strings.TrimPrefix(text, "\ufeff")
	var root *sexpr
	var stack []*sexpr
	line, nodes := 1, 0
	put := func(s *sexpr) error {
		if nodes++; nodes > maxNodes {
			return one("netlist", line, "the netlist has more than %d words and lists", maxNodes)
		}
		switch {
		case len(stack) > 0:
			top := stack[len(stack)-1]
			top.list = append(top.list, s)
		case root != nil:
			return one("netlist", line, "there is text after the last closing parenthesis")
		case s.leaf:
			return one("netlist", line, "expected (, found %s", show(s.word))
		default:
			root = s
		}
		return nil
	}
	for i := 0; i < len(text); {
		switch c := text[i]; c {
		case '\n':
			line++
			i++
		case ' ', '\t', '\r':
			i++
		case '(':
			s := &sexpr{line: line}
			if err := put(s); err != nil {
				return nil, err
			}
			if stack = append(stack, s); len(stack) > maxDepth {
				return nil, one("netlist", line, "lists are nested more than %d deep", maxDepth)
			}
			i++
		case ')':
			if len(stack) == 0 {
				return nil, one("netlist", line, "there is a ) without a (")
			}
			stack = stack[:len(stack)-1]
			i++
		case '"':
			word, n, ok := quoted(text[i:])
			if !ok {
				return nil, one("netlist", line, "the \" that opens a string has no closing \"")
			}
			if err := put(&sexpr{word: word, line: line, leaf: true}); err != nil {
				return nil, err
			}
			line += strings.Count(text[i:i+n], "\n")
			i += n
		default:
			n := strings.IndexAny(text[i:], "() \t\r\n\"")
			if n < 0 {
				n = len(text) - i
			}
			if err := put(&sexpr{word: text[i : i+n], line: line, leaf: true}); err != nil {
				return nil, err
			}
			i += n
		}
	}
	switch {
	case len(stack) > 0:
		return nil, one("netlist", stack[len(stack)-1].line, "the ( opened here is never closed")
	case root == nil:
		return nil, one("netlist", 0, "the netlist is empty")
	}
	return root, nil
}

// quoted reads a string at the start of s, quotes included, and gives its text and length.
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
