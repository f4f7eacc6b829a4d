package export

import (
	"encoding/csv"
	"math"
	"slices"
	"strconv"
	"strings"

	"slipstick/autorouter/board"
	"slipstick/autorouter/fab"
)

// cell returns text that a spreadsheet does not interpret as a formula (OWASP, CSV injection).
// Control characters become blanks, and an apostrophe precedes the start of a formula.
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

// table formats rows as CSV (RFC 4180); their texts must come from cell.
func table(rows [][]string) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	w.UseCRLF = true
	_ = w.WriteAll(rows) // a strings.Builder returns no errors
	return b.String()
}

// bom lists the populated parts in the columns of the manufacturer. Parts with equal value,
// footprint and part numbers share a line, in the order of first use.
func (j *job) bom() string {
	type kind struct{ value, footprint, lcsc, mpn string }
	var order []kind
	refs := map[kind][]string{}
	for i := range j.Parts {
		p := &j.Parts[i]
		if p.DNP {
			continue
		}
		k := kind{p.Value, p.Footprint.Name, p.LCSC, p.MPN}
		if refs[k] == nil {
			order = append(order, k)
		}
		refs[k] = append(refs[k], p.Ref)
	}
	rows := [][]string{nil}
	var lines []kind
	var names [][]string
	for _, k := range order {
		most := len(refs[k])
		if j.fab.MostRefs > 0 {
			most = j.fab.MostRefs
		}
		for some := range slices.Chunk(refs[k], most) {
			lines, names, rows = append(lines, k), append(names, some), append(rows, nil)
		}
	}
	for _, c := range j.fab.BOM {
		used := !c.Optional
		texts := make([]string, len(lines))
		for i, k := range lines {
			switch c.Field {
			case fab.Value:
				texts[i] = cell(k.value)
			case fab.Refs:
				texts[i] = cell(strings.Join(names[i], ","))
			case fab.Footprint:
				texts[i] = cell(k.footprint)
			case fab.Quantity:
				texts[i] = strconv.Itoa(len(names[i]))
			case fab.LCSC:
				texts[i] = cell(k.lcsc)
			case fab.MPN:
				texts[i] = cell(k.mpn)
			}
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

// placement lists the populated parts, with the manufacturer's reel rotations added. For a part on
// the bottom the added rotation is clockwise, because the part is mirrored.
func (j *job) placement() string {
	rows := [][]string{{"Designator", "Mid X", "Mid Y", "Layer", "Rotation"}}
	for i := range j.Parts {
		p := &j.Parts[i]
		if p.DNP {
			continue
		}
		turn := j.fab.Rotation(p.Footprint.Name)
		if p.Side == board.BottomSide {
			turn = -turn
		}
		rotation := p.Rotation
		if turn != 0 {
			// rounded to microdegrees to remove the rounding error of the sum
			rotation = math.Mod(math.Round((p.Rotation+turn+360)*1e6)/1e6, 360)
		}
		rows = append(rows, []string{cell(p.Ref), mm(p.At.X), mm(p.At.Y), j.fab.Sides[p.Side],
			degrees(rotation)})
	}
	return table(rows)
}
