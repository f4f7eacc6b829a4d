package kicad

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"slipstick/autorouter/placed"
	"slipstick/internal/cputime"
)

// hostileBoard returns a square board with side length sideMM and a grid of square pads, each padMM
// wide [mm]. The nets are assigned to the pads in turn. extra precedes the footprints.
func hostileBoard(pads, nets int, sideMM, padMM float64, extra string) string {
	var b strings.Builder
	b.WriteString(`(kicad_pcb (version 20221018) (generator pcbnew)
(layers (0 "F.Cu" signal) (1 "In1.Cu" signal) (2 "In2.Cu" signal) (31 "B.Cu" signal) (44 "Edge.Cuts" user))
(net 0 "")`)
	for i := range nets {
		fmt.Fprintf(&b, "(net %d N%d)\n", i+1, i+1)
	}
	if !strings.Contains(extra, "Edge.Cuts") {
		fmt.Fprintf(&b,
			`(gr_rect (start 0 0) (end %g %g) (stroke (width 0.1)) (layer "Edge.Cuts"))`+"\n",
			sideMM, sideMM)
	}
	b.WriteString(extra)
	columns := int(math.Ceil(math.Sqrt(float64(pads))))
	pitch := sideMM / float64(columns+1)
	b.WriteString("(footprint X (layer F.Cu) (at 0 0) (property Reference U1)\n")
	for i := range pads {
		fmt.Fprintf(&b, "(pad %d thru_hole rect (at %.4f %.4f) (size %g %g) (drill %g) (layers *.Cu) (net %d N%d))\n",
			i, pitch*float64(i%columns+1), pitch*float64(i/columns+1), padMM, padMM, padMM/2,
			i%nets+1, i%nets+1)
	}
	b.WriteString("))")
	return b.String()
}

// hostileZone returns a zone of the given net and layer that covers a square board with side length
// sideMM [mm].
func hostileZone(net int, layer string, sideMM float64) string {
	return fmt.Sprintf(
		`(zone (net %d) (net_name N%d) (layer %q) (hatch edge 0.5) (connect_pads (clearance 0.2))
(min_thickness 0.2) (fill yes (thermal_gap 0.3) (thermal_bridge_width 0.3))
(polygon (pts (xy 0 0) (xy %[4]g 0) (xy %[4]g %[4]g) (xy 0 %[4]g))))`+"\n", net, net, layer, sideMM)
}

// hostileOutline returns a comb-shaped board outline with the given number of corners and side
// length [mm].
func hostileOutline(corners int, sideMM float64) string {
	var b strings.Builder
	b.WriteString("(gr_poly (pts (xy 0 0)")
	teeth := corners / 2
	for i := range teeth {
		x := sideMM * float64(i) / float64(teeth)
		fmt.Fprintf(&b, "(xy %.4f 0)(xy %.4f 0.5)", x+0.001, x+sideMM/float64(teeth)/2)
	}
	fmt.Fprintf(&b, `(xy %[1]g 0) (xy %[1]g %[1]g) (xy 0 %[1]g)) (layer "Edge.Cuts"))`+"\n", sideMM)
	return b.String()
}

// TestRouteTimeLimit verifies that the routing of boards with expensive checks and pours ends at
// the time limit, with a result, an *Error or ErrTimeLimit.
func TestRouteTimeLimit(t *testing.T) {
	const limit = time.Second
	for _, c := range []struct{ name, text string }{
		{"one net", hostileBoard(8000, 1, 200, 1, "")},
		{"one net, all pads on each other", hostileBoard(8000, 1, 4, 3, "")},
		{"8000 nets of two pads", hostileBoard(16000, 8000, 300, 1, "")},
		{"zones on all layers",
			hostileBoard(8000, 2, 200, 1, hostileZone(1, "F.Cu", 200)+hostileZone(1, "B.Cu", 200)+
				hostileZone(2, "In1.Cu", 200)+hostileZone(1, "In2.Cu", 200))},
		{"zones and pads that overlap",
			hostileBoard(8000, 2, 20, 1, hostileZone(1, "F.Cu", 20)+hostileZone(1, "B.Cu", 20)+
				hostileZone(2, "In1.Cu", 20)+hostileZone(1, "In2.Cu", 20))},
		{"zones and large pads", hostileBoard(8000, 4, 300, 100,
			hostileZone(1, "F.Cu", 300)+hostileZone(2, "In1.Cu", 300))},
		{"outline of 5000 corners", hostileBoard(8000, 100, 300, 1, hostileOutline(4990, 300))},
	} {
		t.Run(c.name, func(t *testing.T) {
			begun, worked := time.Now(), cputime.Process()
			d, err := Read(c.text, "")
			if err != nil {
				t.Fatal(err)
			}
			read := time.Since(begun)
			r, err := d.Route(context.Background(), Options{}, placed.Options{TimeLimit: limit})
			took := time.Since(begun)
			var invalid *Error
			switch {
			case err == nil:
				t.Logf("read %v, %v: %d open, %d violations", read, took, len(r.Open),
					len(r.RoutingViolations))
			case errors.As(err, &invalid), errors.Is(err, placed.ErrTimeLimit):
				t.Logf("read %v, %v: %v", read, took, err)
			default:
				t.Errorf("%v", err)
			}
			// The test measures processor time, because other processes on a loaded machine do not
			// affect it. Without the limit the cases need 10 to 250 s.
			if work := cputime.Process() - worked; work > limit+4*time.Second {
				t.Errorf("took %v of processor time, limit %v", work, limit)
			}
		})
	}
}

// TestHostileFiles verifies that malicious files are rejected within 5 s of processor time, with a
// message that names the error. The slowest takes 1.5 s on a machine with other load.
func TestHostileFiles(t *testing.T) {
	loop := "(gr_poly (pts"
	for i := range 4000 {
		loop += fmt.Sprintf("(xy %g %g)", float64(7919*i%4001)/10, float64(6007*i%4001)/10)
	}
	loop += `) (layer "Edge.Cuts"))`
	for _, c := range []struct{ name, text, project, want string }{
		{"a million pads", hostileBoard(1e6, 1, 100, 1, ""), "", "the board file has"},
		{"100,000 pads", hostileBoard(1e5, 1, 100, 1, ""), "", "more than 20000 pads"},
		{"an outline that crosses itself 4000 times", hostileBoard(10, 1, 100, 1, loop), "",
			"crosses itself"},
		{"an outline in nanometres", hostileBoard(10, 1, 100, 1,
			`(gr_rect (start 0 0) (end 100000000 80000000) (layer "Edge.Cuts"))`), "", "mm"},
		{"a pad in inches with its unit", strings.ReplaceAll(hostileBoard(10, 1, 100, 1, ""),
			"(size 1 1)",
			"(size 0.04in 0.04in)"), "", "number"},
		{"a version of 2040", strings.Replace(hostileBoard(10, 1, 100, 1, ""), "20221018",
			"20400101", 1), "",
			"is newer than that of KiCad 9"},
		{"lists in a pad", strings.Replace(hostileBoard(10, 1, 100, 1, ""), "(pad 0",
			"(pad "+strings.Repeat("(x ", 1e6), 1), "", "nested"},
		{"no end", hostileBoard(1000, 1, 100, 1, "")[:50000], "", "never closed"},
		{"a million layers", strings.Replace(hostileBoard(1, 1, 100, 1, ""),
			`(44 "Edge.Cuts" user)`,
			strings.Repeat(`(1 "In1.Cu" signal)`, 1e6/8), 1), "", "is listed twice"},
		{"a project of another program", hostileBoard(10, 1, 100, 1, ""), "<xml/>", "project file"},
		{"a project that is nested", hostileBoard(10, 1, 100, 1, ""), strings.Repeat("[", 1e6),
			"project file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			worked := cputime.Process()
			d, err := Read(c.text, c.project)
			if err == nil {
				_, err = d.Board(Options{})
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
			work := cputime.Process() - worked
			t.Logf("%v of processor time", work)
			if work > 5*time.Second {
				t.Errorf("took %v", work)
			}
		})
	}
}
