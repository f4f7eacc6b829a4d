package kicad

import (
	"crypto/sha256"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"slipstick/autorouter/board"
	"slipstick/autorouter/sexpr"
)

// millimetres formats a length [nm] in millimetres as KiCad does: to the nanometre, without
// trailing zeros.
func millimetres(nm int64) string {
	s := strconv.FormatFloat(float64(nm)/1e6, 'f', 6, 64)
	s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	if s == "-0" {
		return "0"
	}
	return s
}

// File returns the text of the file with the tracks and vias of the board in place of the removed
// items. It omits zone fills because KiCad recomputes them. All other text is unchanged.
func (b *Board) File() []byte {
	text := b.design.text
	removed := slices.Clone(b.removed)
	slices.SortFunc(removed, func(p, q *sexpr.Node) int { return int(p.Start - q.Start) })
	at := b.insertAt()
	var out strings.Builder
	out.Grow(len(text))
	from := 0
	copyTo := func(to int) {
		if from <= at && at <= to {
			out.WriteString(text[from:at])
			b.writeCopper(&out)
			from, at = at, -1
		}
		out.WriteString(text[from:to])
	}
	for _, n := range removed {
		start := lineStart(text, int(n.Start))
		if start < from { // start lies within a list that is already removed
			start = from
		}
		copyTo(start)
		from = max(from, int(n.End))
	}
	copyTo(len(text))
	return []byte(out.String())
}

// lineStart returns the offset of the end of the preceding line if only spaces and tabs precede the
// item on its line. Otherwise it returns start.
func lineStart(text string, start int) int {
	i := start
	for i > 0 && (text[i-1] == ' ' || text[i-1] == '\t') {
		i--
	}
	if i > 0 && text[i-1] == '\n' {
		if i--; i > 0 && text[i-1] == '\r' {
			i--
		}
		return i
	}
	return start
}

// insertAt returns the byte offset for the new items. As in files that KiCad writes, they precede
// the first track, zone or group; without any of these they are at the end.
func (b *Board) insertAt() int {
	root := b.design.root
	for _, n := range root.List[1:] {
		switch n.Head() {
		case "segment", "arc", "via", "zone", "group":
			return lineStart(b.design.text, int(n.Start))
		}
	}
	return lineStart(b.design.text, int(root.End)-1)
}

// plainWord matches names that need no quotes in files of KiCad 5 and earlier.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_.&*+-]+$`)

// writeCopper writes the tracks and vias of the board, one per line.
func (b *Board) writeCopper(out *strings.Builder) {
	d := b.design
	line := "\n"
	if strings.Contains(d.text, "\r\n") {
		line = "\r\n"
	}
	number := make([]string, len(d.Nets))
	for n, i := range d.netOf {
		number[i] = n
	}
	quoted := func(name string) string {
		// KiCad 5 and earlier write plain names
		if d.Version < 20200000 && plainWord.MatchString(name) {
			return name
		}
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(name) + `"`
	}
	known := map[string]bool{}
	d.root.Walk(func(n *sexpr.Node) {
		if h := n.Head(); h == "uuid" || h == "tstamp" {
			known[n.At(1)] = true
		}
	})
	count := 0
	// id returns an identifier that depends only on the item and its index, so that equal boards
	// give equal files.
	id := func(item string) string {
		if d.Version < 20200000 {
			return "" // these versions have optional 32-bit time stamps
		}
		for {
			count++
			h := sha256.Sum256(fmt.Appendf(nil, "%s %d", item, count))
			h[6], h[8] = h[6]&0x0f|0x50, h[8]&0x3f|0x80
			s := fmt.Sprintf("%x-%x-%x-%x-%x", h[:4], h[4:6], h[6:8], h[8:10], h[10:16])
			if known[s] {
				continue
			}
			if d.Version < uuids {
				return " (tstamp " + s + ")"
			}
			return ` (uuid "` + s + `")`
		}
	}
	point := func(head string, p board.Point) string {
		p = p.Add(b.origin)
		return fmt.Sprintf("(%s %s %s)", head, millimetres(p.X), millimetres(-p.Y))
	}
	for _, t := range b.Tracks {
		item := fmt.Sprintf("(segment %s %s (width %s) (layer %s) (net %s)", point("start", t.A),
			point("end", t.B), millimetres(t.Width), quoted(d.Layers[t.Layer].Name), number[t.Net])
		fmt.Fprintf(out, "%s  %s%s)", line, item, id(item))
	}
	last := len(d.Layers) - 1
	for _, v := range b.Vias {
		item := fmt.Sprintf("(via %s (size %s) (drill %s) (layers %s %s) (net %s)",
			point("at", v.At),
			millimetres(v.Diameter), millimetres(v.Drill), quoted(d.Layers[0].Name),
			quoted(d.Layers[last].Name), number[v.Net])
		fmt.Fprintf(out, "%s  %s%s)", line, item, id(item))
	}
}
