// Package export writes a board as fabrication and documentation files: Gerber X2, XNC
// drill, IPC-D-356A, BOM and placement tables, a KiCad 6 board and SVG previews.
//
// The same board gives the same bytes: nothing carries a date and every table is written
// in the order of the board or sorted. Names from outside are escaped by the rules of each format.
package export

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"slices"

	"slipstick/autorouter/board"
)

// File is one exported file.
type File struct {
	Name, Role, Content string
}

// Options select the files and their contents.
type Options struct {
	Name    string   // file stem; the board's name when empty, "board" when that is unfit
	Formats []string // of Formats; all when nil
	Legend  *Legend  // of the board as Draw has it; nil to draw it
	// AttributeComments writes the attributes of Gerber files as comments (G04 #@! TF...), for
	// readers that complain of commands they do not know.
	AttributeComments bool
}

// Formats are the names that Options.Formats may hold, in the order of the files.
func Formats() []string {
	return []string{"gerber", "drill", "ipc356", "bom", "cpl", "kicad", "svg"}
}

// output ties a file to its format and writer.
type output struct {
	format, role, suffix string
	write                func(*job) string
}

var outputs = []output{
	{"gerber", "copper_top", ".gtl", func(j *job) string { return j.copper(board.Top) }},
	{"gerber", "copper_bottom", ".gbl", func(j *job) string { return j.copper(board.Bottom) }},
	{"gerber", "mask_top", ".gts", func(j *job) string { return j.mask(board.Top) }},
	{"gerber", "mask_bottom", ".gbs", func(j *job) string { return j.mask(board.Bottom) }},
	{"gerber", "paste_top", ".gtp", func(j *job) string { return j.paste(board.Top) }},
	{"gerber", "paste_bottom", ".gbp", func(j *job) string { return j.paste(board.Bottom) }},
	{"gerber", "silk_top", ".gto", func(j *job) string { return j.silk(board.Top) }},
	{"gerber", "silk_bottom", ".gbo", func(j *job) string { return j.silk(board.Bottom) }},
	{"gerber", "edge_cuts", ".gko", (*job).profile},
	{"drill", "drill_plated", "-PTH.drl", func(j *job) string { return j.drill(true) }},
	{"drill", "drill_nonplated", "-NPTH.drl", func(j *job) string { return j.drill(false) }},
	{"ipc356", "netlist_ipc356", ".ipc", (*job).ipc356},
	{"bom", "bom", "-bom.csv", (*job).bom},
	{"cpl", "placement", "-cpl.csv", (*job).placement},
	{"kicad", "kicad", ".kicad_pcb", (*job).kicad},
	{"svg", "preview", "-top.svg", func(j *job) string { return j.svg(board.Top) }},
	{"svg", "preview", "-bottom.svg", func(j *job) string { return j.svg(board.Bottom) }},
}

// job is one board on its way out, with the drawings that several files share.
type job struct {
	*board.Board
	ctx      context.Context // when it has ended a writer may stop anywhere
	name     string
	comments bool // Options.AttributeComments
	openings [2]openings
	legends  [2]*legend
	poured   []poured
}

// poured is a piece of a zone as one outline.
type poured struct {
	zone    int
	outline board.Polygon
}

// All writes the files of the formats asked for, in a fixed order. It looks at the context before
// each drawing and file, and returns its error.
func All(ctx context.Context, b *board.Board, o Options) ([]File, error) {
	if len(b.Outline) < 3 {
		return nil, fmt.Errorf("the board has no outline")
	}
	for _, f := range o.Formats {
		if !slices.Contains(Formats(), f) {
			return nil, fmt.Errorf("unknown export format %q", f)
		}
	}
	if o.Legend == nil {
		var err error
		if o.Legend, err = Draw(ctx, b); err != nil {
			return nil, err
		}
	}
	j := &job{Board: b, ctx: ctx, name: stem(o.Name, b.Name), comments: o.AttributeComments, openings: o.Legend.openings, legends: o.Legend.sides}
	for i, z := range b.Zones {
		for _, f := range z.Pieces {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			g, err := bridged(f)
			if err != nil {
				return nil, fmt.Errorf("zone %d on the %s: %w", i, z.Layer, err)
			}
			j.poured = append(j.poured, poured{i, g})
		}
	}
	var files []File
	for _, out := range outputs {
		if o.Formats != nil && !slices.Contains(o.Formats, out.format) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		files = append(files, File{j.name + out.suffix, out.role, out.write(j)})
	}
	if err := ctx.Err(); err != nil { // which may have cut the last one short
		return nil, err
	}
	return files, nil
}

// stem takes the first name that is safe in a file system and in an attribute.
func stem(names ...string) string {
	for _, n := range names {
		fit := len(n) > 0 && len(n) <= 32
		for _, c := range []byte(n) {
			fit = fit && (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-')
		}
		if fit {
			return n
		}
	}
	return "board"
}

// Zip packs the files; without times in the headers it is the same for the same files.
func Zip(files []File) ([]byte, error) {
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	for _, f := range files {
		e, err := w.CreateHeader(&zip.FileHeader{Name: f.Name, Method: zip.Deflate})
		if err != nil {
			return nil, err
		}
		if _, err := e.Write([]byte(f.Content)); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}
