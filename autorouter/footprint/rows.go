package footprint

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"slipstick/autorouter/board"
)

// margin holds the distances from the centres of the outermost pads to the sides of the body [mm].
type margin struct{ left, right, top, bottom float64 }

// pinRows lists pin headers and sockets; lengths are in [mm]. The library contains the 2.54 mm
// header under another name. The pins of a two-column socket are numbered from the right, because
// its front mates with a header numbered from the left. Source: KiCad's libraries
// Connector_PinHeader_* and Connector_PinSocket_*, version 6.
var pinRows = []struct {
	kind       string
	columns    int
	pitch      float64
	pad, drill float64
	body       margin
}{
	{"HEADER", 1, 1, .85, .5, margin{.65, .65, .5, .5}},
	{"HEADER", 1, 1.27, 1, .65, margin{1.05, 1.05, .65, .65}},
	{"HEADER", 1, 2, 1.35, .8, margin{1, 1, 1, 1}},
	{"HEADER", 2, 1, .85, .5, margin{.65, .65, .5, .5}},
	{"HEADER", 2, 1.27, 1, .65, margin{1.1, 1.08, .65, .65}},
	{"HEADER", 2, 2, 1.35, .8, margin{1, 1, 1, 1}},
	{"SOCKET", 1, 1, .85, .5, margin{1.04, .46, .75, .75}},
	{"SOCKET", 1, 1.27, 1, .7, margin{1.3, 1.25, .65, .65}},
	{"SOCKET", 1, 2, 1.35, .8, margin{1, 1, 1, 1}},
	{"SOCKET", 1, 2.54, 1.7, 1, margin{1.3, 1.25, 1.3, 1.3}},
	{"SOCKET", 2, 1.27, 1, .7, margin{.9, .88, .65, .65}},
	{"SOCKET", 2, 2, 1.35, .8, margin{1, 1, 1, 1}},
	{"SOCKET", 2, 2.54, 1.7, 1, margin{1.3, 1.26, 1.3, 1.3}},
}

var pinRowName = regexp.MustCompile(`^PIN(HEADER|SOCKET)_([12])X(\d{1,2})_P([\d.]+)MM_VERTICAL$`)

// pinRow returns the header or socket of pinRows for the submatches m of pinRowName, or nil if
// pinRows lacks it.
func pinRow(_ string, m []string) (*board.Footprint, string) {
	columns := m[2]
	rows, errRows := strconv.Atoi(m[3])
	pitch, errPitch := strconv.ParseFloat(m[4], 64)
	if errRows != nil || errPitch != nil || rows < 1 || rows > maxHeader {
		return nil, ""
	}
	for _, r := range pinRows {
		if r.kind != m[1] || strconv.Itoa(r.columns) != columns || r.pitch != pitch {
			continue
		}
		width, height := float64(r.columns-1)*pitch, float64(rows-1)*pitch
		kind := "Pin" + m[1][:1] + strings.ToLower(m[1][1:])
		f := board.Footprint{Name: fmt.Sprintf("%s_%sx%02d_P%.2fmm_Vertical", kind, columns,
			rows, pitch),
			Body: sides(-width/2-r.body.left, -height/2-r.body.bottom, width/2+r.body.right,
				height/2+r.body.top)}
		for i := range r.columns * rows {
			x := float64(i%r.columns)*pitch - width/2
			if r.kind == "SOCKET" {
				x = -x
			}
			f.Pads = append(f.Pads, pin(strconv.Itoa(i+1), x, height/2-float64(i/r.columns)*pitch,
				r.pad, r.pad, r.drill))
		}
		markFirst(&f)
		return finish(f, false), ""
	}
	return nil, ""
}

// wireHeaders lists JST headers for crimped wires, with a row of pins along x and pad 1 at the
// left; lengths are in [mm]. In part, %d represents the number of pins. Source: KiCad's library
// Connector_JST, version 6. The bodies are the courtyards of that library reduced by 0.5 mm.
var wireHeaders = []struct {
	series, part, lies string
	most               int // maximum number of pins
	pitch              float64
	padW, padH, drill  float64
	body               margin
	matingSide         board.Edge
}{
	{"XH", "B%dB-XH-A", "Vertical", 20, 2.5, 1.7, 1.95, .95, margin{2.45, 2.45, 2.35, 3.4},
		board.NoEdge},
	{"XH", "S%dB-XH-A", "Horizontal", 16, 2.5, 1.7, 1.95, .95, margin{2.45, 2.45, 2.3, 9.2},
		board.BottomEdge},
	{"XH", "S%dB-XH-A-1", "Horizontal", 15, 2.5, 1.7, 1.95, .95, margin{2.45, 2.45, 3.9, 7.6},
		board.BottomEdge},
	{"PH", "B%dB-PH-K", "Vertical", 16, 2, 1.2, 1.75, .75, margin{1.95, 1.95, 1.7, 2.8},
		board.NoEdge},
	{"PH", "S%dB-PH-K", "Horizontal", 16, 2, 1.2, 1.75, .75, margin{1.95, 1.95, 1.35, 6.25},
		board.BottomEdge},
	{"EH", "B%dB-EH-A", "Vertical", 15, 2.5, 1.7, 1.95, .95, margin{2.5, 2.5, 1.6, 2.2},
		board.NoEdge},
	{"EH", "S%dB-EH", "Horizontal", 15, 2.5, 1.7, 1.95, .95, margin{2.5, 2.5, 6.7, 1.5},
		board.TopEdge},
	{"VH", "B%dP-VH", "Vertical", 11, 3.96, 2.7, 2.7, 1.7, margin{1.95, 1.95, 3.7, 4.8},
		board.NoEdge},
}

var wireHeaderName = regexp.MustCompile(
	`^JST_([A-Z]{2})_[BS](\d{1,2})[BP]-[A-Z0-9-]+_1X(\d{2})_P([\d.]+)MM_(?:VERTICAL|HORIZONTAL)$`)

// wireHeader returns the JST header with an upper-case name, or nil if wireHeaders lacks it. m
// holds the submatches of wireHeaderName.
func wireHeader(name string, m []string) (*board.Footprint, string) {
	pins, err := strconv.Atoi(m[2])
	if err != nil || pins < 2 {
		return nil, ""
	}
	for _, h := range wireHeaders {
		own := fmt.Sprintf("JST_%s_%s_1x%02d_P%.2fmm_%s", h.series, fmt.Sprintf(h.part, pins), pins,
			h.pitch, h.lies)
		if pins > h.most || strings.ToUpper(own) != name {
			continue
		}
		padH, drill := h.padH, h.drill
		// Two-pin headers of this pitch have longer pads and wider holes.
		if pins == 2 && h.pitch == 2.5 {
			padH, drill = 2, 1
		}
		length := float64(pins-1) * h.pitch
		f := board.Footprint{Name: own, MatingSide: h.matingSide,
			Body: sides(-length/2-h.body.left, -h.body.bottom, length/2+h.body.right, h.body.top)}
		if h.matingSide != board.NoEdge {
			f.Edge = board.AnyEdge
		}
		for i := range pins {
			f.Pads = append(f.Pads, pin(strconv.Itoa(i+1), float64(i)*h.pitch-length/2, 0, h.padW,
				padH, drill))
		}
		markFirst(&f)
		return finish(f, false), ""
	}
	return nil, ""
}
