package export

import (
	"encoding/csv"
	"strconv"
	"strings"
)

// cell returns text that a spreadsheet does not run as a formula (OWASP, CSV injection): control
// characters become blanks, and the start of a formula gets an apostrophe.
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

// table writes CSV (RFC 4180); texts must be cells.
func table(rows [][]string) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	w.UseCRLF = true
	_ = w.WriteAll(rows) // a strings.Builder returns no errors
	return b.String()
}

// bom groups the populated parts by value, footprint and part numbers, in the order of first use. A
// column of part numbers exists if any part has a number; its name is the one that JLCPCB and
// PCBWay read.
func (j *job) bom() string {
	type kind struct{ value, footprint, lcsc, mpn string }
	var order []kind
	refs := map[kind][]string{}
	lcsc, mpn := false, false
	for i := range j.Parts {
		p := &j.Parts[i]
		if p.DNP {
			continue
		}
		k := kind{p.Value, p.Footprint.Name, p.LCSC, p.MPN}
		lcsc, mpn = lcsc || p.LCSC != "", mpn || p.MPN != ""
		if refs[k] == nil {
			order = append(order, k)
		}
		refs[k] = append(refs[k], p.Ref)
	}
	rows := [][]string{{"Comment", "Designator", "Footprint", "Quantity"}}
	for _, k := range order {
		rows = append(rows, []string{cell(k.value), cell(strings.Join(refs[k], ",")),
			cell(k.footprint), strconv.Itoa(len(refs[k]))})
	}
	column := func(name string, of func(k kind) string) {
		rows[0] = append(rows[0], name)
		for i, k := range order {
			rows[i+1] = append(rows[i+1], cell(of(k)))
		}
	}
	if lcsc {
		column("LCSC Part #", func(k kind) string { return k.lcsc })
	}
	if mpn {
		column("Manufacturer Part Number", func(k kind) string { return k.mpn })
	}
	return table(rows)
}

func (j *job) placement() string {
	rows := [][]string{{"Designator", "Mid X", "Mid Y", "Layer", "Rotation"}}
	for i := range j.Parts {
		if p := &j.Parts[i]; !p.DNP {
			rows = append(rows, []string{cell(p.Ref), mm(p.At.X), mm(p.At.Y), p.Side.String(),
				degrees(p.Rotation)})
		}
	}
	return table(rows)
}
