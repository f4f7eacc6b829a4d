package batch

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"math"
	"strconv"
)

// Names of the columns that belong to no varied or collected field.
const (
	indexColumn = "index"
	errorColumn = "error"
)

// Rows contains runs of a batch in order. If Indexes is nil, they are consecutive and the first has
// the index From.
type Rows struct {
	From    int
	Runs    []Run
	Indexes []int // indices of the runs; nil: consecutive
}

// index returns the index of the run at position i.
func (r *Rows) index(i int) int {
	if r.Indexes != nil {
		return r.Indexes[i]
	}
	return r.From + i
}

// header returns the column names.
func (p *Plan) header() []string {
	names := append([]string{indexColumn}, p.Varied()...)
	return append(append(names, p.Collected()...), errorColumn)
}

// cells returns the JSON texts of a row in the order of the header.
func (p *Plan) cells(index int, r Run) []Value {
	row := make([]Value, 0, 2+len(r.Values)+len(r.Collected))
	row = append(row, strconv.AppendInt(nil, int64(index), 10))
	row = append(row, r.Values...)
	for i, x := range r.Collected {
		cell := p.columns[i].text(x)
		if r.Texts != nil && r.Texts[i] != "" {
			cell, _ = json.Marshal(r.Texts[i]) // marshaling a string cannot fail
		}
		row = append(row, cell)
	}
	problem := Value("null")
	if r.Err != "" {
		problem, _ = json.Marshal(r.Err) // marshaling a string cannot fail
	}
	return append(row, problem)
}

// text returns the JSON text of a collected value.
func (c *column) text(x float64) Value {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return Value("null")
	case c.boolean:
		return strconv.AppendBool(nil, x != 0)
	}
	return number(x)
}

// Columns is the JSON form of rows.
type Columns struct {
	Columns json.RawMessage `json:"columns" label:"Columns" doc:"Column name to values: index, varied fields, collected names, error"`
	From    int             `json:"from" label:"From" doc:"Index of the first row"`
	Count   int             `json:"count" label:"Rows" doc:"Number of rows"`
	Total   int             `json:"total" label:"Runs" doc:"Number of runs of the batch"`
}

// Columns returns rows by column. total is the number of runs of the batch.
func (p *Plan) Columns(rows Rows, total int) Columns {
	all := func(int) bool { return true }
	return Columns{Columns: p.columnsOf(rows, all), From: rows.From, Count: len(rows.Runs),
		Total: total}
}

// FilledColumns returns rows by column, without the columns that are empty in every row.
func (p *Plan) FilledColumns(rows Rows) json.RawMessage {
	filled := p.filled(rows)
	return p.columnsOf(rows, func(k int) bool { return filled[k] })
}

// columnsOf returns as a JSON object the columns whose position in the header is kept.
func (p *Plan) columnsOf(rows Rows, kept func(k int) bool) json.RawMessage {
	header := p.header()
	columns := make([]bytes.Buffer, len(header))
	for i, r := range rows.Runs {
		for k, cell := range p.cells(rows.index(i), r) {
			if i > 0 {
				columns[k].WriteByte(',')
			}
			columns[k].Write(cell)
		}
	}
	var b bytes.Buffer
	b.WriteByte('{')
	for k, name := range header {
		if !kept(k) {
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		key, _ := json.Marshal(name) // marshaling a string cannot fail
		b.Write(key)
		b.WriteString(":[")
		b.Write(columns[k].Bytes())
		b.WriteByte(']')
	}
	b.WriteByte('}')
	return b.Bytes()
}

// filled reports per column of the header whether any row has a value.
func (p *Plan) filled(rows Rows) []bool {
	filled := make([]bool, len(p.header()))
	for i, r := range rows.Runs {
		for k, cell := range p.cells(rows.index(i), r) {
			filled[k] = filled[k] || plainText(cell) != ""
		}
	}
	return filled
}

// WriteCSV writes rows as CSV (RFC 4180), with a header line if header is set. Absent values are
// empty.
func (p *Plan) WriteCSV(w io.Writer, rows Rows, header bool) error {
	out := csv.NewWriter(w)
	if header {
		if err := out.Write(p.header()); err != nil {
			return err
		}
	}
	record := make([]string, 0, len(p.columns)+10)
	for i, r := range rows.Runs {
		record = record[:0]
		for _, cell := range p.cells(rows.index(i), r) {
			record = append(record, plainText(cell))
		}
		if err := out.Write(record); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// WriteTable writes rows as WriteCSV does, without the columns that are empty in every row. It
// returns the names of the omitted collected columns.
func (p *Plan) WriteTable(w io.Writer, rows Rows) (omitted []string, err error) {
	header, filled := p.header(), p.filled(rows)
	table := [][]string{header}
	for i, r := range rows.Runs {
		record := make([]string, 0, len(header))
		for _, cell := range p.cells(rows.index(i), r) {
			record = append(record, plainText(cell))
		}
		table = append(table, record)
	}
	for i, record := range table {
		var kept []string
		for k, text := range record {
			if filled[k] {
				kept = append(kept, text)
			} else if i == 0 && p.collectedIndex(text) >= 0 {
				omitted = append(omitted, text)
			}
		}
		table[i] = kept
	}
	return omitted, csv.NewWriter(w).WriteAll(table)
}

// plainText converts a JSON text to a CSV field: strings lose their quotes, null becomes empty.
func plainText(cell Value) string {
	switch {
	case string(cell) == "null":
		return ""
	case cell[0] == '"':
		var s string
		if json.Unmarshal(cell, &s) == nil {
			return s
		}
	}
	return string(cell)
}

// WriteNDJSON writes rows as NDJSON, one object per line.
func (p *Plan) WriteNDJSON(w io.Writer, rows Rows) error {
	header := p.header()
	keys := make([][]byte, len(header))
	for k, name := range header {
		keys[k], _ = json.Marshal(name) // marshaling a string cannot fail
	}
	var b bytes.Buffer
	for i, r := range rows.Runs {
		b.Reset()
		for k, cell := range p.cells(rows.index(i), r) {
			b.WriteByte("{,"[min(k, 1)])
			b.Write(keys[k])
			b.WriteByte(':')
			b.Write(cell)
		}
		b.WriteString("}\n")
		if _, err := w.Write(b.Bytes()); err != nil {
			return err
		}
	}
	return nil
}
