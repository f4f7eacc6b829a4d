package fabrication

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"slipstick/autorouter/board"
)

const head = "%TF.FileFunction,Copper,L1,Top*%\n%FSLAX46Y46*%\n%MOMM*%\n%AMTWO*0 a comment*1,1,$1,$2,0*21,1,$1,0.2,0,0,$3*%\n"

// TestReadGerber verifies the attributes and objects of a file with every construct that the reader
// supports.
func TestReadGerber(t *testing.T) {
	m, err := ReadGerber(head +
		"%TA.AperFunction,ViaPad*%\n%ADD10C,0.6*%\n%TD*%\n%ADD11TWO,1X2X90*%\n%ADD12O,2X1*%\nG01*\n" +
		"%TO.N,GND*%\n%TO.P,U1,3*%\nD10*\nX1000000Y2000000D03*\n%TD.P*%\nX0Y0D02*\nX5000000Y0D01*\n%TD*%\nD11*\nX0Y0D03*\nG04 #@! TO.N,old*\nD12*\nX0Y0D03*\n" +
		"%LPC*%\nG36*\nX0Y0D02*\nX1Y0D01*\nX1Y1D01*\nX0Y0D01*\nX5Y5D02*\nX6Y5D01*\nX6Y6D01*\nX5Y5D01*\nG37*\nM02*\n")
	if err != nil {
		t.Fatal(err)
	}
	if m.Attributes[".FileFunction"] != "Copper,L1,Top" || m.Functions[10] != "ViaPad" ||
		m.Functions[11] != "" || len(m.Objects) != 6 {
		t.Fatalf("%+v", m)
	}
	via, track, turned, old := m.Objects[0], m.Objects[1], m.Objects[2], m.Objects[3]
	if via.Kind != Flash || via.Attributes[".N"] != "GND" || via.Attributes[".P"] != "U1,3" ||
		via.To != (board.Point{X: 1e6, Y: 2e6}) {
		t.Errorf("flash %+v", via)
	}
	if track.Kind != Line || track.Attributes[".N"] != "GND" || track.Attributes[".P"] != "" ||
		track.To != (board.Point{X: 5e6}) {
		t.Errorf("line %+v", track)
	}
	if len(turned.Attributes) != 0 || old.Attributes[".N"] != "old" {
		t.Errorf("attributes %v and %v", turned.Attributes, old.Attributes)
	}
	// The aperture macro is a disc of 1 mm at x = 2 mm and a vertical bar of 1 by 0.2 mm.
	s, err := m.shapes(&turned)
	if err != nil || len(s) != 2 {
		t.Fatalf("%v, %v", s, err)
	}
	for _, c := range []struct {
		x, y, want float64 // point and its distance to the nearer shape [mm]
	}{{2, 0, 0}, {2, .7, .2}, {0, .5, 0}, {0, .6, .1}, {.3, 0, .2}} {
		p := vec{c.x * 1e6, c.y * 1e6}
		if got := min(s[0].to(p), s[1].to(p)) / 1e6; math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%g, %g is %g mm from the macro, want %g", c.x, c.y, got, c.want)
		}
	}
	for i, contour := range m.Objects[4:] {
		if contour.Kind != Region || !contour.Clear || len(contour.Contour) != 3 {
			t.Errorf("contour %d: %+v", i, contour)
		}
	}
	if _, err := m.shapes(&m.Objects[4]); err == nil {
		t.Error("clear copper is judged")
	}
}

// TestReadGerberRefuses verifies that a file with any unsupported construct is rejected.
func TestReadGerberRefuses(t *testing.T) {
	ok := head + "%ADD10C,0.6*%\nG01*\nD10*\n"
	for name, text := range map[string]string{
		"nothing":             "",
		"no end":              ok,
		"no format":           "%MOMM*%\n%ADD10C,1*%\nM02*\n",
		"inches":              strings.Replace(ok, "MOMM", "MOIN", 1) + "M02*\n",
		"an arc":              ok + "G02*\nM02*\n",
		"step and repeat":     ok + "%SRX2Y2I1J1*%\nM02*\n",
		"an open region":      ok + "G36*\nX0Y0D02*\nX1Y0D01*\nX1Y1D01*\nX0Y1D01*\nG37*\nM02*\n",
		"an endless region":   ok + "G36*\nM02*\n",
		"an unknown aperture": ok + "D11*\nM02*\n",
		"a second definition": ok + "%ADD10C,0.7*%\nM02*\n",
		"a flash of nothing":  head + "%ADD10C,1*%\nG01*\nX0Y0D03*\nM02*\n",
		"more after the end":  ok + "M02*\nX0Y0D03*\n",
		"half a percent sign": ok + "%ADD11C,1*\nM02*\n",
	} {
		if _, err := ReadGerber(text); err == nil {
			t.Errorf("%s is read", name)
		}
	}
	for name, object := range map[string]Object{
		"an aperture with a hole":     {Aperture: "C,1X0.5"},
		"a line with a square":        {Kind: Line, Aperture: "R,1X1"},
		"an unknown template":         {Aperture: "STAR,1"},
		"a macro without parameters":  {Aperture: "TWO"},
		"a disc of negative diameter": {Aperture: "TWO,-1X2X90"},
		"no number":                   {Aperture: "C,NaN"},
	} {
		m, err := ReadGerber(ok + "M02*\n")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.shapes(&object); err == nil {
			t.Errorf("%s has a shape", name)
		}
	}
}

func TestReadDrillAndPoints(t *testing.T) {
	f, err := ReadDrill("M48\n; #@! TF.FileFunction,Plated,1,2,PTH\nMETRIC\nT01C0.3\nT02C1.0\n%\nT01\nG05\nX1.5Y-2.25\nT02\nG05\nG00X0Y0\nM15\nG01X0Y2\nM16\nG05\nM30\n")
	if err != nil || f.Function != "Plated,1,2,PTH" || len(f.Holes) != 2 {
		t.Fatalf("%+v, %v", f, err)
	}
	if f.Holes[0] != (Drilled{300_000, board.Point{X: 1.5e6, Y: -2.25e6},
		board.Point{X: 1.5e6, Y: -2.25e6}}) || f.Holes[1] != (Drilled{1e6, board.Point{},
		board.Point{Y: 2e6}}) {
		t.Errorf("%+v", f.Holes)
	}
	for name, text := range map[string]string{
		"inches": "M48\nINCH\n%\nM30\n", "no end": "M48\nMETRIC\n%\n",
		"an unknown tool":       "M48\nMETRIC\n%\nT01\nM30\n",
		"a G85 slot":            "M48\nMETRIC\nT01C1\n%\nT01\nX0Y0G85X1Y0\nM30\n",
		"a hole without a tool": "M48\nMETRIC\n%\nX1Y1\nM30\n",
	} {
		if f, err := ReadDrill(text); err == nil {
			t.Errorf("%s is read as %+v", name, f)
		}
	}
	// Columns of a record, counted by hand: net 4-17, part 21-26, pin 28-31, hole 33-38, access
	// 39-41, X from 42, Y from 50.
	const units, end = "P  CODE 00\nP  UNITS CUST 1\nP  NNAME1  A_LONG_NET_NAME_INDEED\n", "999\n"
	const through = "317NNAME1           J1    -2    D1000PA00X+012345Y-000678X1700Y1700R090S0\n"
	const land = "327N/C              U1    -A12        A02X+000001Y+000002X0600Y1550R000S1\n"
	points, err := ReadIPC356(units + through + land + end)
	if err != nil {
		t.Fatal(err)
	}
	want := []TestPoint{
		{Net: "A_LONG_NET_NAME_INDEED", Ref: "J1", Pin: "2",
			At: board.Point{X: 12_345_000, Y: -678_000}, Drill: 1e6, Top: true, Bot: true},
		{Net: "N/C", Ref: "U1", Pin: "A12", At: board.Point{X: 1000, Y: 2000}, Bot: true},
	}
	for i := range want {
		if points[i] != want[i] {
			t.Errorf("%+v, want %+v", points[i], want[i])
		}
	}
	for name, text := range map[string]string{
		"no units": through + end, "no end": units + through, "a column too many": units + " " +
			through + end, "a hole a column to the left": units + strings.Replace(through,
			"-2    D1000P", "-2   D1000P ", 1) + end,
		"a land with a hole": units + strings.Replace(through, "317", "327", 1) + end,
	} {
		if p, err := ReadIPC356(text); err == nil {
			t.Errorf("%s is read as %+v", name, p)
		}
	}
}

// FuzzReaders verifies that each reader either rejects its input or returns valid data. Gerber
// shapes are finite, drill holes survive a write-read round trip, and test points fit the columns
// of an IPC-D-356 record.
func FuzzReaders(f *testing.F) {
	f.Add(head + "%ADD10C,0.6*%\nG01*\nD10*\nX0Y0D03*\nM02*\n")
	f.Add(head + "%ADD11TWO,1X2X90*%\nG01*\nD11*\nX0Y0D03*\nG36*\nX0Y0D02*\nX1Y0D01*\nX1Y1D01*\nX0Y0D01*\nG37*\nM02*\n")
	f.Add("M48\nMETRIC\nT01C0.3\n%\nT01\nX1Y1\nG00X0Y0\nM15\nG01X0Y2\nM16\nM30\n")
	f.Add(head + "%ADD10C,NaN*%\n%ADD11R,InfX1*%\nG01*\nD10*\nX0Y0D03*\nD11*\nX0Y0D03*\nM02*\n")
	f.Add("M48\nMETRIC\nT01CNaN\nT02CInf\n%\nT01\nXNaNY1e300\nM30\n")
	f.Add("P  UNITS CUST 1\n317NNAME1           J1    -2    D1000PA00X+012345Y-000678X1700Y1700R090S0\n999\n")
	f.Fuzz(func(t *testing.T, text string) {
		if m, err := ReadGerber(text); err == nil {
			checkShapes(t, m)
		}
		if d, err := ReadDrill(text); err == nil {
			checkHoles(t, d)
		}
		points, err := ReadIPC356(text)
		if err != nil {
			return
		}
		const limit = 10_000_000 * board.Micrometre // seven columns
		for _, p := range points {
			if max(p.At.X, -p.At.X, p.At.Y, -p.At.Y) >= limit || p.Drill < 0 || p.Drill >= limit ||
				!p.Top && !p.Bot {
				t.Errorf("test point %+v", p)
			}
		}
	})
}

// checkShapes fails the test unless every contour has at least three points, and the shapes of all
// objects are finite and inside their bounding boxes.
func checkShapes(t *testing.T, m *Image) {
	for i := range m.Objects {
		if o := &m.Objects[i]; o.Kind == Region && len(o.Contour) < 3 {
			t.Errorf("contour %v", o.Contour)
		}
		shapes, err := m.shapes(&m.Objects[i])
		if err != nil {
			continue
		}
		for _, s := range shapes {
			if !(s.radius >= 0 && s.radius <= math.MaxFloat64) || len(s.points) == 0 {
				t.Fatalf("object %+v has shape %+v", m.Objects[i], s)
			}
			for _, p := range s.points {
				if !(s.box.x0 <= p.x && p.x <= s.box.x1 && s.box.y0 <= p.y && p.y <= s.box.y1) {
					t.Fatalf("object %+v has shape %+v", m.Objects[i], s)
				}
			}
		}
	}
}

// checkHoles fails the test unless a drill file written from the holes yields the same holes when
// read.
func checkHoles(t *testing.T, d *DrillFile) {
	var tools, body strings.Builder
	names := map[int64]string{}
	for _, h := range d.Holes {
		if names[h.Diameter] == "" {
			names[h.Diameter] = fmt.Sprintf("T%02d", len(names)+1)
			fmt.Fprintf(&tools, "%sC%f\n", names[h.Diameter], board.ToMM(h.Diameter))
		}
		fmt.Fprintln(&body, names[h.Diameter])
		xy := func(p board.Point) string {
			return fmt.Sprintf("X%fY%f\n", board.ToMM(p.X), board.ToMM(p.Y))
		}
		if h.A == h.B {
			body.WriteString(xy(h.A))
		} else {
			body.WriteString("G00" + xy(h.A) + "M15\nG01" + xy(h.B) + "M16\n")
		}
	}
	again, err := ReadDrill("M48\nMETRIC\n" + tools.String() + "%\n" + body.String() + "M30\n")
	if err != nil {
		t.Fatalf("%+v: %v", d.Holes, err)
	}
	if !slices.Equal(again.Holes, d.Holes) {
		t.Errorf("%+v are read again as %+v", d.Holes, again.Holes)
	}
}
