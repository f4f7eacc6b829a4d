package specctra

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
	"slipstick/autorouter/sexpr"
)

// Session returns the tracks and vias of a routed board as the text of a session file. name is the
// file name of the design, which the session repeats. Positions are rounded to the resolution of
// the design.
func (b *Board) Session(name string) []byte {
	d := b.design
	w := &sessionWriter{Board: b}
	w.open("session %s", word(strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))+".ses"))
	w.line("(base_design %s)", word(filepath.Base(name)))
	w.open("placement")
	w.line("(resolution %s %d)", d.resolutionUnit, d.resolution)
	for i := 0; i < len(d.components); {
		w.open("component %s", word(d.components[i].image))
		for image := d.components[i].image; i < len(d.components) &&
			d.components[i].image == image; i++ {
			c := d.components[i]
			side := "front"
			if c.back {
				side = "back"
			}
			w.line(
				"(place %s %s %s %s %s)",
				word(c.ref),
				decimal(c.at.X/d.step),
				decimal(c.at.Y/d.step),
				side,
				decimal(c.rotation),
			)
		}
		w.close()
	}
	w.close()
	w.line("(was_is\n  )")
	w.open("routes")
	w.line("(resolution %s %d)", d.resolutionUnit, d.resolution)
	if d.hostCAD != "" {
		w.open("parser")
		w.line("(host_cad %s)", word(d.hostCAD))
		w.line("(host_version %s)", word(d.hostVersion))
		w.close()
	}
	w.library()
	w.network()
	w.close()
	w.close()
	return w.Bytes()
}

// sessionWriter writes the nested lists of a session with indentation.
type sessionWriter struct {
	*Board
	bytes.Buffer
	depth int
}

func (w *sessionWriter) line(format string, args ...any) {
	w.WriteString(strings.Repeat("  ", w.depth))
	fmt.Fprintf(w, format, args...)
	w.WriteByte('\n')
}

func (w *sessionWriter) open(format string, args ...any) {
	w.line("("+format, args...)
	w.depth++
}

func (w *sessionWriter) close() {
	w.depth--
	w.line(")")
}

// word returns s, in quotes if it is empty or contains special characters. It removes quote
// characters inside s.
func word(s string) string {
	plain := s != ""
	for _, c := range s {
		if !strings.ContainsRune("_.+/:$#@*~&=<>!?|^", c) && (c > 127 || !alphanumeric(byte(c))) {
			plain = false
		}
	}
	if plain {
		return s
	}
	return `"` + strings.ReplaceAll(s, `"`, "") + `"`
}

func alphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// decimal formats a number without an exponent. Component positions may contain fractions of a
// step, because rounding would move the components in the layout program.
func decimal(v float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.6f", v), "0"), ".")
}

// steps converts a length of the design [nm] to steps of the session.
func (w *sessionWriter) steps(v float64) int64 { return int64(math.Round(v / w.design.step)) }

// at formats a board position in steps of the session.
func (w *sessionWriter) at(p board.Point) string {
	return fmt.Sprintf("%d %d", w.steps(float64(p.X+w.origin.X)), w.steps(float64(p.Y+w.origin.Y)))
}

// library writes the padstacks of the vias, including those of kept vias.
func (w *sessionWriter) library() {
	w.open("library_out")
	written := map[string]bool{}
	names := append([]string{}, w.vias...)
	for _, k := range w.kept {
		if k.via != "" {
			names = append(names, k.via)
		}
	}
	for _, name := range names {
		if written[name] {
			continue
		}
		written[name] = true
		w.open("padstack %s", word(name))
		for _, s := range w.design.padstacks[name].node.Each("shape") {
			w.open("shape")
			for _, c := range s.List[1:] {
				if isShape(c) {
					w.shape(c)
				}
			}
			w.close()
		}
		w.line("(attach off)")
		w.close()
	}
	w.close()
}

// shape writes a shape of the design with its lengths in steps.
func (w *sessionWriter) shape(n *sexpr.Node) {
	list := []string{n.Head(), word(n.At(1))}
	for i := 2; i < len(n.List) && n.List[i].Leaf; i++ {
		v, err := number(n, i)
		if err != nil {
			continue
		}
		list = append(list, fmt.Sprint(w.steps(v*w.design.unit)))
	}
	if strings.HasPrefix(n.Head(), "circ") {
		if list[0] = "circle"; len(list) == 3 {
			list = append(list, "0", "0")
		}
	}
	w.line("(%s)", strings.Join(list, " "))
}

// network writes the tracks and vias of each net, including kept wiring.
func (w *sessionWriter) network() {
	w.open("network_out")
	class := map[string]int{}
	for i, c := range w.Rules.Classes {
		class[c.Name] = i
	}
	tracks, vias := make([][]board.Track, len(w.Nets)), make([][]board.Via, len(w.Nets))
	for _, t := range w.Tracks {
		tracks[t.Net] = append(tracks[t.Net], t)
	}
	for _, v := range w.Vias {
		vias[v.Net] = append(vias[v.Net], v)
	}
	kept := map[string][]wire{}
	for _, k := range w.kept {
		kept[k.net] = append(kept[k.net], k)
	}
	for i, n := range w.Nets {
		var body sessionWriter
		body.Board, body.depth = w.Board, w.depth+1
		for _, t := range tracks[i] {
			body.wire(w.Stackup[t.Layer].Name, float64(t.Width), w.at(t.A), w.at(t.B))
		}
		for _, v := range vias[i] {
			body.line("(via %s %s)", word(w.vias[class[n.Class]]), w.at(v.At))
		}
		for _, k := range kept[n.Name] {
			if k.via != "" {
				body.line("(via %s %s)", word(k.via), w.of(k.at))
				continue
			}
			body.open("wire")
			body.shape(k.node)
			body.close()
		}
		if body.Len() == 0 {
			continue
		}
		w.open("net %s", word(n.Name))
		w.Write(body.Bytes())
		w.close()
	}
	w.close()
}

func (w *sessionWriter) wire(layer string, width float64, points ...string) {
	w.open("wire")
	w.line("(path %s %d %s)", word(layer), w.steps(width), strings.Join(points, " "))
	w.close()
}

// of formats a position in design coordinates in steps of the session.
func (w *sessionWriter) of(p geom.Vec) string {
	return fmt.Sprintf("%d %d", w.steps(p.X), w.steps(p.Y))
}
