package export

import (
	"encoding/csv"
	"slices"
	"strconv"
	"strings"

	"slipstick/autorouter/board"
	"slipstick/autorouter/fab"
)

// cell escapes text so that a spreadsheet does not run it as a formula (OWASP, CSV injection).
// Control characters become blanks, and a formula gets a leading apostrophe.
func cell(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
	if t := strings.TrimSpace(s); t != "" && strings.ContainsRune("=+-@＝＋－＠", []rune(t)[0]) {
		return "'" + s
	}
	return s
}

// table returns rows as CSV (RFC 4180). The function cell must have escaped all text in the rows.
func table(rows [][]string) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	w.UseCRLF = true
	_ = w.WriteAll(rows) // writing to a strings.Builder cannot fail
	return b.String()
}

// bom lists the populated parts that are not excluded from it, in the columns of the manufacturer.
// Parts with equal value, footprint and part numbers share a line, up to the maximum number of
// references per line. Lines are in the order of first use.
func (j *job) bom() string {
	type kind struct{ value, footprint, lcsc, mpn string }
	var order []kind
	parts := map[kind][]*board.Part{}
	for i := range j.Parts {
		p := &j.Parts[i]
		if p.DNP || p.NoBOM {
			continue
		}
		k := kind{p.Value, p.Footprint.Name, p.LCSC, p.MPN}
		if parts[k] == nil {
			order = append(order, k)
		}
		parts[k] = append(parts[k], p)
	}
	var lines [][]*board.Part
	for _, k := range order {
		most := len(parts[k])
		if j.fab.MostRefs > 0 {
			most = j.fab.MostRefs
		}
		lines = slices.AppendSeq(lines, slices.Chunk(parts[k], most))
	}
	return j.columns(j.fab.BOM, lines)
}

// placement lists the positions of the populated parts that are not excluded from it, in the
// columns of the manufacturer.
func (j *job) placement() string {
	var lines [][]*board.Part
	for i := range j.Parts {
		if p := &j.Parts[i]; !p.DNP && !p.NoPlacement {
			lines = append(lines, []*board.Part{p})
		}
	}
	return j.columns(j.fab.Placement, lines)
}

// columns returns a table with one line per group of equal parts. It omits optional columns without
// a value.
func (j *job) columns(columns []fab.Column, lines [][]*board.Part) string {
	rows := make([][]string, len(lines)+1)
	for _, c := range columns {
		used := !c.Optional
		texts := make([]string, len(lines))
		for i, parts := range lines {
			texts[i] = j.field(c.Field, parts)
			used = used || texts[i] != ""
		}
		if !used {
			continue
		}
		rows[0] = append(rows[0], c.Heading)
		for i, text := range texts {
			rows[i+1] = append(rows[i+1], text)
		}
	}
	return table(rows)
}

// field returns the cell of one column for a group of equal parts.
func (j *job) field(f fab.Field, parts []*board.Part) string {
	p := parts[0]
	switch f {
	case fab.Value:
		return cell(p.Value)
	case fab.Refs:
		refs := make([]string, len(parts))
		for i, p := range parts {
			refs[i] = p.Ref
		}
		return cell(strings.Join(refs, j.fab.RefSeparator))
	case fab.Footprint:
		name := p.Footprint.Name
		if _, item, ok := strings.Cut(name, ":"); ok {
			name = item
		}
		return cell(name)
	case fab.Quantity:
		return strconv.Itoa(len(parts))
	case fab.LCSC:
		return cell(p.LCSC)
	case fab.MPN:
		return cell(p.MPN)
	case fab.MountType:
		if p.Footprint.Tht {
			return "tht"
		}
		return "smt"
	case fab.X:
		return mm(p.At.X)
	case fab.Y:
		return mm(p.At.Y)
	case fab.Side:
		return j.fab.Sides[p.Side]
	case fab.Angle:
		return degrees(j.fab.Angle(p.Footprint.Name, p.Rotation, p.Side == board.BottomSide))
	}
	return ""
}
