// Package export writes a board as fabrication and documentation files. They are Gerber X2, XNC
// drill, IPC-D-356A, BOM and placement files, a KiCad 6 board, SVG previews and assembly drawings.
//
// Equal boards give equal bytes: files contain no dates, and every table is sorted or in the order
// of the board. Names from the request are escaped by the rules of each format.
package export

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"slipstick/autorouter/board"
	"slipstick/autorouter/fab"
)

// File is one exported file.
type File struct {
	Name, Role, Content string
}

// Options select the files to export and their contents.
type Options struct {
	Name       string      // stem of the file names; if it is unsafe, the board name or "board"
	Formats    []string    // formats to export, from Formats; nil selects all
	Silkscreen *Silkscreen // silkscreen of the board from Draw; if nil, All calls Draw
	// AttributeComments writes Gerber attributes as comments (G04 #@! TF...), for readers that
	// reject unknown commands.
	AttributeComments bool
	// Panel adds the files of a panel; the outline must then be a rectangle at the origin.
	Panel *Panel
	Fab   string // name of the fab profile for BOM and placement files
}

// Formats returns all valid names for Options.Formats, in file order.
func Formats() []string {
	return []string{"gerber", "drill", "ipc356", "bom", "cpl", "kicad", "svg", "assembly"}
}

// output describes one file: its format, role, name suffix and writer.
type output struct {
	format, role, suffix string
	write                func(*job) string
}

// outputs lists the files of a board.
func (j *job) outputs() []output {
	var out []output
	add := func(format, role, suffix string, write func(*job) string) {
		out = append(out, output{format, role, suffix, write})
	}
	for l, c := range j.Copper() {
		draw := func(j *job) string { return j.copper(board.Layer(l)) }
		add("gerber", "copper_"+c.Name, c.Suffix, draw)
	}
	for _, k := range []struct {
		role     string
		suffixes [2]string
		write    func(*job, board.Side) string
	}{
		{"mask", [2]string{".gts", ".gbs"}, (*job).mask},
		{"paste", [2]string{".gtp", ".gbp"}, (*job).paste},
		{"silk", [2]string{".gto", ".gbo"}, (*job).silk},
	} {
		for _, side := range board.Sides() {
			draw := func(j *job) string { return k.write(j, side) }
			add("gerber", k.role+"_"+side.String(), k.suffixes[side], draw)
		}
	}
	add("gerber", "edge_cuts", ".gko", (*job).profile)
	add("drill", "drill_plated", "-PTH.drl", func(j *job) string { return j.drill(true) })
	add("drill", "drill_nonplated", "-NPTH.drl", func(j *job) string { return j.drill(false) })
	add("ipc356", "netlist_ipc356", ".ipc", (*job).ipc356)
	add("bom", "bom", "-bom.csv", (*job).bom)
	add("cpl", "placement", "-cpl.csv", (*job).placement)
	add("kicad", "kicad", ".kicad_pcb", (*job).kicad)
	for _, side := range board.Sides() {
		draw := func(j *job) string { return j.svg(side) }
		add("svg", "preview", "-"+side.String()+".svg", draw)
	}
	for _, side := range board.Sides() {
		draw := func(j *job) string { return j.assembly(side) }
		add("assembly", "assembly_"+side.String(), "-assembly-"+side.String()+".svg", draw)
	}
	return out
}

// panelOutputs lists the files of a panel.
func (j *job) panelOutputs() []output {
	var out []output
	for _, o := range j.outputs() {
		switch {
		case o.role == "edge_cuts":
			o.write = (*job).panelOutline
		case o.format != "gerber" && o.format != "drill":
			continue
		}
		out = append(out, o)
	}
	if j.panel.Tabs {
		return out
	}
	return append(out, output{"gerber", "v_scores", ".gvc", (*job).vScores})
}

// job is the export of one board, with the drawings that several files share.
type job struct {
	*board.Board
	ctx         context.Context // after cancellation, writers may return incomplete files
	name        string
	fab         fab.Profile
	comments    bool   // Options.AttributeComments
	panel       *panel // nil for a single board
	openings    [2]openings
	silkscreens [2]*silkscreen
	poured      []poured
}

// poured is a zone fragment as a single outline, with the index of its zone.
type poured struct {
	zone    int
	outline board.Polygon
}

// All returns the files of the requested formats in a fixed order. It checks the context before
// each drawing and file and returns the context's error.
func All(ctx context.Context, b *board.Board, o Options) ([]File, error) {
	if len(b.Outline) < 3 {
		return nil, fmt.Errorf("the board has no outline")
	}
	for _, f := range o.Formats {
		if !slices.Contains(Formats(), f) {
			return nil, fmt.Errorf("unknown export format %q", f)
		}
	}
	if err := throughVias(b); err != nil {
		return nil, err
	}
	if o.Silkscreen == nil {
		var err error
		if o.Silkscreen, err = Draw(ctx, b); err != nil {
			return nil, err
		}
	}
	j := &job{Board: b, ctx: ctx, name: stem(o.Name, b.Name), comments: o.AttributeComments,
		fab:      fab.Find(o.Fab),
		openings: o.Silkscreen.openings, silkscreens: o.Silkscreen.sides}
	for i, z := range b.Zones {
		for _, f := range z.Pieces {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			g, err := keyholed(f)
			if err != nil {
				return nil, fmt.Errorf("zone %d on the %s: %w", i, b.Copper().Name(z.Layer), err)
			}
			j.poured = append(j.poured, poured{i, g})
		}
	}
	var files []File
	for _, out := range j.outputs() {
		if o.Formats != nil && !slices.Contains(o.Formats, out.format) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		files = append(files, File{j.name + out.suffix, out.role, out.write(j)})
	}
	if o.Panel != nil {
		size := b.Outline.Bounds().Max
		j.panel = &panel{*o.Panel, size}
		for _, out := range j.panelOutputs() {
			if o.Formats != nil && !slices.Contains(o.Formats, out.format) {
				continue
			}
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			files = append(files, File{j.name + "-panel" + out.suffix, "panel_" + out.role,
				out.write(j)})
		}
	}
	if err := ctx.Err(); err != nil { // a cancelled writer may leave the last file incomplete
		return nil, err
	}
	return files, nil
}

// throughVias rejects a board with a blind or buried via, because the drill files contain only
// holes through all layers.
func throughVias(b *board.Board) error {
	for i := range b.Vias {
		if v := &b.Vias[i]; b.ViaLayers(v) != b.Copper().All() {
			names := strings.Join(b.Copper().Names(v.Span), " and ")
			return fmt.Errorf("the via at %g, %g mm connects %s alone: "+
				"blind and buried vias are not supported",
				board.ToMM(v.At.X), board.ToMM(v.At.Y), names)
		}
	}
	return nil
}

// stem returns the first name that is safe as a file name and attribute value, or "board" if there
// is none.
func stem(names ...string) string {
	for _, n := range names {
		fit := len(n) > 0 && len(n) <= 32
		for _, c := range []byte(n) {
			fit = fit && (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
				c == '_' || c == '-')
		}
		if fit {
			return n
		}
	}
	return "board"
}

// zipTime is the earliest time of the ZIP format. Without a time, archives have the month 0, which
// some programs refuse.
var zipTime = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// Zip returns a ZIP archive of the files. All entries have the same time, so equal files give equal
// bytes.
func Zip(files []File) ([]byte, error) {
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	for _, f := range files {
		e, err := w.CreateHeader(&zip.FileHeader{
			Name: f.Name, Method: zip.Deflate, Modified: zipTime,
		})
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

// Readme returns a file for an archive that lists the files with the layer or purpose of each.
func Readme(files []File) File {
	var b strings.Builder
	for _, f := range files {
		fmt.Fprintf(&b, "%-32s %s\n", f.Name, strings.ReplaceAll(f.Role, "_", " "))
	}
	return File{Name: "README.txt", Role: "readme", Content: b.String()}
}
