package cmd

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"slipstick/tools/schema"
)

// maxInput is the maximum size in bytes of a file and of standard input. It equals the limit of a
// request body in the API.
const maxInput = 1 << 20

// composeInput creates the JSON input of a tool from command line arguments.
func composeInput(node *schema.Node, args []string, stdin io.Reader) ([]byte, error) {
	source := &inputSource{stdin: stdin}
	fields := map[string]json.RawMessage{}
	for _, arg := range args {
		name, value, assigned := strings.Cut(arg, "=")
		switch {
		case arg == "-", strings.HasPrefix(arg, "@"), strings.HasPrefix(arg, "{"):
			if len(args) > 1 {
				return nil, fmt.Errorf("%q has the whole input and takes no other argument", arg)
			}
			if arg[0] == '{' {
				return []byte(arg), nil
			}
			return source.read(strings.TrimPrefix(arg, "@"))
		case !assigned:
			return nil, fmt.Errorf("%q is not field=value, @file, JSON in braces or -%s", arg,
				fileHint(node, arg))
		case fields[name] != nil:
			return nil, fmt.Errorf("%s is given twice", name)
		}
		raw, err := source.compose(node.Field(name), value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		fields[name] = raw
	}
	return json.Marshal(fields)
}

// fileHint returns a phrase with the argument that reads a file, or "" if arg names none.
func fileHint(node *schema.Node, arg string) string {
	if !isFile(arg) {
		return ""
	}
	field := ""
	if node.Field("netlist") != nil && !strings.HasSuffix(arg, ".json") {
		field = "netlist="
	}
	return "; write " + field + "@" + arg + " to read the file"
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// inputSource reads files, and standard input at most once.
type inputSource struct {
	stdin io.Reader
	used  bool
}

// compose converts the value of a field to JSON. The kind of the field decides whether the value is
// text or JSON. field is nil for an unknown field, which the tool reports.
func (s *inputSource) compose(field *schema.Field, value string) (json.RawMessage, error) {
	if path, ok := strings.CutPrefix(value, "@"); ok {
		text, err := s.read(path)
		if err != nil {
			return nil, err
		}
		if field == nil || field.Kind == schema.String {
			return json.Marshal(decodeText(text))
		}
		value = string(text)
	}
	if field != nil && field.Kind == schema.String {
		return json.Marshal(value)
	}
	if json.Valid([]byte(value)) {
		return json.RawMessage(value), nil
	}
	return json.Marshal(value)
}

// read returns the content of a file, or of standard input for "-".
func (s *inputSource) read(path string) ([]byte, error) {
	if path == "-" {
		if s.used {
			return nil, errors.New("standard input is given twice")
		}
		s.used = true
		return readLimited(s.stdin, "standard input")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readLimited(f, path)
}

func readLimited(r io.Reader, name string) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxInput+1))
	if err == nil && len(b) > maxInput {
		err = errors.New(name + " is larger than 1 MiB")
	}
	return b, err
}

// decodeText decodes UTF-8, UTF-16 of either byte order with a byte order mark, or UTF-16LE without
// one. It decodes other text as ISO 8859-1. LTspice writes UTF-16 or ISO 8859-1 if a netlist has a
// µ.
func decodeText(b []byte) string {
	big := len(b) > 1 && b[0] == 0xfe && b[1] == 0xff
	if big || len(b) > 1 && b[0] == 0xff && b[1] == 0xfe || len(b) > 3 && b[1] == 0 && b[3] == 0 {
		var units []uint16
		for ; len(b) > 1; b = b[2:] {
			unit := uint16(b[0]) | uint16(b[1])<<8
			if big {
				unit = unit<<8 | unit>>8
			}
			units = append(units, unit)
		}
		return strings.TrimPrefix(string(utf16.Decode(units)), "\ufeff")
	}
	if utf8.Valid(b) {
		return string(b)
	}
	runes := make([]rune, len(b))
	for i, c := range b {
		runes[i] = rune(c)
	}
	return string(runes)
}
