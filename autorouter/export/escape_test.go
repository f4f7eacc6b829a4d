package export

import (
	"encoding/xml"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
)

// FuzzEscapes verifies that the escaping of each format obeys the syntax of that format.
func FuzzEscapes(f *testing.F) {
	for _, s := range []string{"", "VCC", "=1+1", " \t=1", "\r\n+1", "%*,\\", `a"b\`, "<&>\"'",
		"\x00\x7f\u0085\u2028", "\xff\xfe", "Ω😀", "＝1", "\\u0041"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		g := gerberText(s)
		if strings.ContainsAny(g, "%*,") || strings.ContainsFunc(g, func(r rune) bool {
			return r < ' ' || r > '~'
		}) {
			t.Errorf("Gerber: %q", g)
		}
		var units []uint16
		for i := 0; i < len(g); i++ {
			if g[i] != '\\' {
				units = append(units, uint16(g[i]))
				continue
			}
			n, err := strconv.ParseUint(g[i+2:i+6], 16, 16)
			if err != nil || g[i+1] != 'u' {
				t.Fatalf("Gerber: %q has a bad escape", g)
			}
			units = append(units, uint16(n))
			i += 5
		}
		if back := string(utf16.Decode(units)); back != string([]rune(s)) {
			t.Errorf("Gerber: %q comes back as %q", s, back)
		}

		k := quoted(s)
		for i := 1; i < len(k)-1; i++ {
			if k[i] == '\\' {
				i++
			} else if k[i] == '"' || k[i] < ' ' {
				t.Errorf("KiCad: %q ends or breaks inside", k)
			}
			if i >= len(k)-1 {
				t.Errorf("KiCad: %q has no end", k)
			}
		}

		c := cell(s)
		if strings.ContainsFunc(c, func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 }) {
			t.Errorf("CSV: %q holds a control character", c)
		}
		if first := strings.TrimSpace(c); first != "" && strings.ContainsRune("=+-@＝＋－＠",
			[]rune(first)[0]) {
			t.Errorf("CSV: a spreadsheet would run %q", c)
		}

		var text string
		if err := xml.Unmarshal([]byte("<t>"+xmlText(s)+"</t>"), &text); err != nil {
			t.Errorf("XML: %q: %v", xmlText(s), err)
		}
		if a := ascii(s, 14); len(a) > 14 || strings.ContainsFunc(a, func(r rune) bool {
			return r <= ' ' || r > '~'
		}) {
			t.Errorf("IPC-D-356A: %q", a)
		}
	})
}
