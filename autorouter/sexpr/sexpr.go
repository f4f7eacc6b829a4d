package sexpr

import (
	"fmt"
	"strings"
)

// Node is a word or a list.
type Node struct {
	Word string
	List []*Node
	Line int // where it begins, from 1
	Leaf bool
}

// Head is the first word of a list, "" when there is none.
func (s *Node) Head() string {
	if s.Leaf || len(s.List) == 0 || !s.List[0].Leaf {
		return ""
	}
	return s.List[0].Word
}

// Each returns the lists inside that begin with the word.
func (s *Node) Each(head string) []*Node {
	var out []*Node
	for _, c := range s.List {
		if c.Head() == head {
			out = append(out, c)
		}
	}
	return out
}

// First is the first list inside that begins with the word, nil when there is none.
func (s *Node) First(head string) *Node {
	for _, c := range s.List {
		if c.Head() == head {
			return c
		}
	}
	return nil
}

// At is the i-th word of a list, "" when there is none; the head is word 0. It may be called on nil.
func (s *Node) At(i int) string {
	if s == nil || i >= len(s.List) || !s.List[i].Leaf {
		return ""
	}
	return s.List[i].Word
}

// Text is the word after the head of the first list inside that begins with it: 10k of (value 10k).
// ok is false when there is no such list.
func (s *Node) Text(head string) (value string, ok bool) {
	c := s.First(head)
	return c.At(1), c != nil
}

// Error is a fault in a text.
type Error struct {
	Line   int // from 1; 0 when the fault has none
	Detail string
}

// Error returns line and detail.
func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Detail
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Detail)
}

func fault(line int, format string, args ...any) error {
	return &Error{line, fmt.Sprintf(format, args...)}
}

// Limits bound the cost of a text.
type Limits struct {
	Bytes int
	Depth int // of nested lists
	Nodes int // words and lists
}

// Parse reads one s-expression that fills the text. what names the text in messages: "netlist". It
// keeps its own stack, so that no nesting exhausts that of the machine. The error is an *Error.
func Parse(text, what string, limits Limits) (*Node, error) {
	if len(text) > limits.Bytes {
		return nil, fault(0, "the %s has %d bytes; at most %d are read", what, len(text), limits.Bytes)
	}
	text = strings.TrimPrefix(text, "\ufeff")
	var root *Node
	var stack []*Node
	line, nodes := 1, 0
	put := func(s *Node) error {
		if nodes++; nodes > limits.Nodes {
			return fault(line, "the %s has more than %d words and lists", what, limits.Nodes)
		}
		switch {
		case len(stack) > 0:
			top := stack[len(stack)-1]
			top.List = append(top.List, s)
		case root != nil:
			return fault(line, "there is text after the last closing parenthesis")
		case s.Leaf:
			return fault(line, "expected (, found %s", show(s.Word))
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
			s := &Node{Line: line}
			if err := put(s); err != nil {
				return nil, err
			}
			if stack = append(stack, s); len(stack) > limits.Depth {
				return nil, fault(line, "lists are nested more than %d deep", limits.Depth)
			}
			i++
		case ')':
			if len(stack) == 0 {
				return nil, fault(line, "there is a ) without a (")
			}
			stack = stack[:len(stack)-1]
			i++
		case '"':
			word, n, ok := quoted(text[i:])
			if !ok {
				return nil, fault(line, "the \" that opens a string has no closing \"")
			}
			if err := put(&Node{Word: word, Line: line, Leaf: true}); err != nil {
				return nil, err
			}
			line += strings.Count(text[i:i+n], "\n")
			i += n
		default:
			n := strings.IndexAny(text[i:], "() \t\r\n\"")
			if n < 0 {
				n = len(text) - i
			}
			if err := put(&Node{Word: text[i : i+n], Line: line, Leaf: true}); err != nil {
				return nil, err
			}
			i += n
		}
	}
	switch {
	case len(stack) > 0:
		return nil, fault(stack[len(stack)-1].Line, "the ( opened here is never closed")
	case root == nil:
		return nil, fault(0, "the %s is empty", what)
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

// show quotes a word for a message, cut to 64 characters.
func show(s string) string {
	if len(s) > 64 {
		s = s[:61] + "..."
	}
	return fmt.Sprintf("%q", s)
}
