package kicad

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"slipstick/autorouter/board"
	"slipstick/autorouter/sexpr"
	"slipstick/internal/text"
)

// Limits of a board file and its project file. The largest of KiCad's demo projects has 5 MB
// without fills.
const (
	maxBytes        = 32 << 20 // bytes of a board file
	maxProjectBytes = 8 << 20
	maxDepth        = 64
	maxNodes        = 4 << 20
	maxPads         = 20000
	maxItems        = 200000 // number of tracks, vias, zones and graphic items
	maxParts        = 20000
	maxNets         = 20000
	maxClasses      = 2000
	maxPatterns     = 2000
	maxCorners      = 5000 // number of corners of one polygon
)

// File format versions. oldest is the first s-expression format, before KiCad 4; newest is that of
// KiCad 9.
const (
	oldest = 3
	newest = 20241229
	uuids  = 20240108 // first version with (uuid "...") instead of (tstamp ...)
)

// Error describes an error in a board file or its project file.
type Error = sexpr.Error

func bad(n *sexpr.Node, format string, args ...any) error {
	e := &Error{Detail: fmt.Sprintf(format, args...)}
	if n != nil {
		e.Line = n.Line
	}
	return e
}

// asError returns the *Error in the chain of err, or else err.
func asError(err error) error {
	var e *sexpr.Error
	if errors.As(err, &e) {
		return e
	}
	return err
}

// Design is a parsed board file. It is immutable.
type Design struct {
	Version int // file format version, for example 20211014
	Layers  []Layer
	Nets    []string // names of all nets except for the net 0 of unconnected pads

	text    string
	root    *sexpr.Node
	project *project
	netOf   map[string]int // index in Nets by the net number in the file
}

// Layer is a copper layer of a Design. Design.Layers lists the layers from top to bottom.
type Layer struct {
	Name  string // layer name, for example F.Cu
	Power bool   // whether the layer has type power: a plane without tracks
	id    int
}

// Read parses the text of a board file and the text of its project file (.kicad_pro, JSON). An
// empty projectText means that there is no project file. The error is an *Error.
func Read(file, projectText string) (*Design, error) {
	root, err := sexpr.Parse(file, "board file", sexpr.Limits{
		Bytes: maxBytes, Depth: maxDepth, Nodes: maxNodes,
		Skip: []string{"filled_polygon", "fill_segments", "image", "embedded_files", "model"},
	})
	if err != nil {
		return nil, asError(err)
	}
	if root.Head() != "kicad_pcb" {
		return nil, bad(root, "a board file of KiCad begins with (kicad_pcb, not (%s",
			text.Word(root.Head()))
	}
	d := &Design{text: file, root: root, netOf: map[string]int{}}
	version := root.First("version")
	if d.Version, err = strconv.Atoi(version.At(1)); err != nil || d.Version < oldest {
		return nil, bad(root,
			"(version %s): board files of KiCad 4 to 9 are read, versions %d to %d",
			text.Word(version.At(1)), oldest, newest)
	}
	if d.Version > newest {
		return nil, bad(version,
			"(version %d) is newer than that of KiCad 9 (%d), the last that is read", d.Version,
			newest)
	}
	if len(root.List) > maxItems {
		return nil, bad(root, "the file has %d items; at most %d are read",
			len(root.List), maxItems)
	}
	if err := d.readLayers(); err != nil {
		return nil, err
	}
	if err := d.readNets(); err != nil {
		return nil, err
	}
	if d.project, err = readProject(projectText); err != nil {
		return nil, err
	}
	return d, nil
}

// Detect reports whether a text begins like a KiCad board file. It ignores a byte order mark and
// leading white space.
func Detect(file string) bool {
	rest, list := strings.CutPrefix(strings.TrimLeft(file, "\ufeff \t\r\n"), "(")
	return list && strings.HasPrefix(strings.TrimLeft(rest, " \t\r\n"), "kicad_pcb")
}

// innerLayer matches the names of the inner copper layers In1.Cu to In30.Cu.
var innerLayer = regexp.MustCompile(`^In([1-9]|[12][0-9]|30)\.Cu$`)

func (d *Design) readLayers() error {
	list := d.root.First("layers")
	if list == nil {
		return bad(d.root, "the board file has no (layers ...)")
	}
	for _, n := range list.List[1:] {
		// A layer is (0 F.Cu signal), or (0 "F.Cu" signal "Top") with a user name. Files up to
		// KiCad 4 have (0 Top signal).
		name := n.At(1)
		if !copperTypes[n.At(2)] {
			continue
		}
		id, err := strconv.Atoi(n.At(0))
		if err != nil {
			return bad(n, "layer %s has the number %q", text.Word(name), text.Word(n.At(0)))
		}
		if d.Version == oldest {
			// In this format, layer 15 is the front and layer 0 the back.
			if id = 15 - id; id == 15 {
				id = 31
			}
		}
		if slices.ContainsFunc(d.Layers, func(l Layer) bool { return l.Name == name }) {
			return bad(n, "layer %s is listed twice", text.Word(name))
		}
		d.Layers = append(d.Layers, Layer{Name: name, Power: n.At(2) == "power", id: id})
	}
	slices.SortFunc(d.Layers, func(a, b Layer) int { return a.rank() - b.rank() })
	n := len(d.Layers)
	if n < 2 || n > board.MaxLayers || d.Layers[0].rank() != 0 || d.Layers[n-1].rank() != 31 {
		return bad(list, "the board has %d copper layers; F.Cu, B.Cu and those between are routed",
			n)
	}
	return nil
}

// copperTypes lists the types of copper layers. Other layers have the type user.
var copperTypes = map[string]bool{"signal": true, "power": true, "mixed": true, "jumper": true}

// rank returns a sort key that orders layers from top to bottom: 0 for the front and 31 for the
// back. For other names it returns the layer number of KiCad 4 to 8.
func (l *Layer) rank() int {
	switch m := innerLayer.FindStringSubmatch(l.Name); {
	case l.Name == "F.Cu":
		return 0
	case l.Name == "B.Cu":
		return 31
	case m != nil:
		n, _ := strconv.Atoi(m[1])
		return n
	}
	return l.id
}

func (d *Design) readNets() error {
	for _, n := range d.root.Each("net") {
		number, name := n.At(1), n.At(2)
		if _, err := strconv.Atoi(number); err != nil {
			return bad(n, "(net %s ...): the number of a net is an integer", text.Word(number))
		}
		if number == "0" {
			continue
		}
		if _, known := d.netOf[number]; known {
			return bad(n, "net %s is listed twice", number)
		}
		if len(d.Nets) == maxNets {
			return bad(n, "the board has more than %d nets", maxNets)
		}
		d.netOf[number] = len(d.Nets)
		d.Nets = append(d.Nets, name)
	}
	return nil
}

// net returns the index in Nets for an item with (net N ...), or board.NoNet for an item without a
// net.
func (d *Design) net(n *sexpr.Node) (int, error) {
	list := n.First("net")
	if list == nil || list.At(1) == "0" || list.At(1) == "" {
		return board.NoNet, nil
	}
	i, ok := d.netOf[list.At(1)]
	if !ok {
		return board.NoNet, bad(list, "net %s is not in the list of nets", text.Word(list.At(1)))
	}
	return i, nil
}

// layersOf returns the copper layers with the given names. A name is a layer name such as In1.Cu,
// or *.Cu or F&B.Cu.
func (d *Design) layersOf(words ...string) board.LayerSet {
	all := board.LayerSet(1<<len(d.Layers) - 1)
	var out board.LayerSet
	for _, w := range words {
		switch w {
		case "*.Cu":
			out |= all
		case "F&B.Cu":
			out |= board.Top.Bit() | board.Layer(len(d.Layers)-1).Bit()
		default:
			for i, l := range d.Layers {
				if l.Name == w {
					out |= board.Layer(i).Bit()
				}
			}
		}
	}
	return out
}

// itemLayers returns the layer names in the lists (layer X) and (layers X Y ...) of an item.
func itemLayers(n *sexpr.Node) []string {
	var out []string
	for _, head := range []string{"layer", "layers"} {
		if list := n.First(head); list != nil {
			for i := range list.List[1:] {
				out = append(out, list.At(i+1))
			}
		}
	}
	return out
}

// isLocked reports whether an item is locked. KiCad 6 and 7 write the word locked, and KiCad 8 and
// later write (locked yes). KiCad 5 and earlier set bit 18 of the hexadecimal status of a track.
func isLocked(n *sexpr.Node) bool {
	for _, c := range n.List[1:] {
		if c.Leaf && c.Word == "locked" {
			return true
		}
	}
	if list := n.First("locked"); list != nil && list.At(1) != "no" {
		return true
	}
	status, _ := n.Text("status")
	bits, err := strconv.ParseUint(status, 16, 32)
	return err == nil && bits&(1<<18) != 0
}

// uuidOf returns the identifier of an item, or "" for an item without one.
func uuidOf(n *sexpr.Node) string {
	if v, ok := n.Text("uuid"); ok {
		return v
	}
	v, _ := n.Text("tstamp")
	return v
}
