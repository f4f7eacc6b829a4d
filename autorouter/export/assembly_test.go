package export

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"slipstick/autorouter/board"
	"slipstick/autorouter/fab"
)

// TestBOMPartNumbers verifies that the BOM has a column for each kind of part number that any part
// has. Parts of equal value but different numbers have separate lines.
func TestBOMPartNumbers(t *testing.T) {
	part := func(ref, lcsc, mpn string) board.Part {
		f := &board.Footprint{Name: "R_0603"}
		return board.Part{Component: board.Component{Ref: ref, Value: "10k", Footprint: f,
			LCSC: lcsc, MPN: mpn}}
	}
	for _, c := range []struct {
		name  string
		parts []board.Part
		want  string
	}{
		{"none", []board.Part{part("R1", "", ""), part("R2", "", "")},
			"Comment,Designator,Footprint,Quantity\r\n10k,\"R1,R2\",R_0603,2\r\n"},
		{"LCSC of one", []board.Part{part("R1", "", ""), part("R2", "C25804", "")},
			"Comment,Designator,Footprint,Quantity,LCSC Part #\r\n10k,R1,R_0603,1,\r\n10k,R2,R_0603,1,C25804\r\n"},
		{"both, a formula among them", []board.Part{part("R1", "C25804", "=1+1"),
			part("R2", "C25804", "=1+1")},
			"Comment,Designator,Footprint,Quantity,LCSC Part #,Manufacturer Part Number\r\n10k,\"R1,R2\",R_0603,2,C25804,'=1+1\r\n"},
	} {
		j := &job{Board: &board.Board{Parts: c.parts}, fab: fab.Find("")}
		if got := j.bom(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestFabTables compares the BOM and placement files with the column names, side names, references
// per line and rotations of each manufacturer. The expected PCBWay texts are those of process.py in
// its KiCad plug-in (1.0.2) under KiCad 7, which prints angles with one decimal place.
func TestFabTables(t *testing.T) {
	b := &board.Board{}
	for i := range 201 {
		b.Parts = append(b.Parts, board.Part{Component: board.Component{Ref: fmt.Sprintf("R%d", i),
			Value: "10k", Footprint: &board.Footprint{Name: "R_0603"}, MPN: "X"}})
	}
	for i, side := range board.Sides() {
		b.Parts = append(b.Parts, board.Part{Component: board.Component{Ref: fmt.Sprintf("U%d", i),
			Value:     "LM358",
			Footprint: &board.Footprint{Name: "Package:SOIC-8", Tht: side == board.BottomSide}},
			Placement: board.Placement{At: at(1, 2), Rotation: 90, Side: side}})
	}
	const plain = "Comment,Designator,Footprint,Quantity,Manufacturer Part Number"
	const centroid = "Designator,Mid X,Mid Y,Layer,Rotation"
	for _, c := range []struct{ name, header, first, last, placement, placed, turned string }{
		{"generic", plain, ",R_0603,201,X", `LM358,"U0,U1",SOIC-8,2,`, centroid,
			"U0,1.000000,2.000000,top,90", "U1,1.000000,2.000000,bottom,90"},
		{"jlcpcb", plain, ",R_0603,200,X", `LM358,"U0,U1",SOIC-8,2,`, centroid,
			"U0,1.000000,2.000000,Top,0", "U1,1.000000,2.000000,Bottom,180"},
		{"pcbway", "Designator,Quantity,Value,Footprint,Package,MPN,Mount_Type",
			", R200\",201,10k,R_0603,,X,smt", `"U0, U1",2,LM358,SOIC-8,,,smt`,
			"pos_x,pos_y,rotation,side,designator,mpn,pack,footprint,value,mount_type",
			"1.000000,2.000000,90,top,U0,,,SOIC-8,LM358,smt",
			"1.000000,2.000000,270,bottom,U1,,,SOIC-8,LM358,tht"},
	} {
		j := &job{Board: b, fab: fab.Find(c.name)}
		bom := strings.Split(strings.TrimSpace(j.bom()), "\r\n")
		if bom[0] != c.header || !strings.HasSuffix(bom[1], c.first) || bom[len(bom)-1] != c.last {
			t.Errorf("%s: %q", c.name, bom)
		}
		placed := strings.Split(strings.TrimSpace(j.placement()), "\r\n")
		if placed[0] != c.placement || placed[202] != c.placed || placed[203] != c.turned {
			t.Errorf("%s: %q, %q and %q, want %q and %q", c.name, placed[0], placed[202],
				placed[203], c.placed, c.turned)
		}
	}
}

// TestExcludedParts verifies that parts that are not populated or excluded are missing from one or
// both tables. It also verifies their attributes in the KiCad board.
func TestExcludedParts(t *testing.T) {
	b := bench("R1", "10k", "A")
	b.Parts[1].NoBOM, b.Parts[2].NoPlacement, b.Parts[3].DNP = true, true, true
	j := &job{Board: b, fab: fab.Find("")}
	for _, c := range []struct{ name, table, with, without string }{
		{"BOM", j.bom(), "U1", "R2"}, {"placement", j.placement(), "R2", "U1"},
		{"BOM", j.bom(), "R1", "J1"}, {"placement", j.placement(), "R1", "J1"},
	} {
		if !strings.Contains(c.table, c.with) || strings.Contains(c.table, c.without) {
			t.Errorf("the %s has no %s, or has %s:\n%s", c.name, c.with, c.without, c.table)
		}
	}
	files, err := All(t.Context(), b, Options{Formats: []string{"kicad"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"(attr smd exclude_from_bom)",
		"(attr smd exclude_from_pos_files)"} {
		if !strings.Contains(files[0].Content, want) {
			t.Errorf("the KiCad board has no %s", want)
		}
	}
}

// TestPlacementAngle verifies that angles keep their decimal places, with and without the rotation
// offset of a manufacturer.
func TestPlacementAngle(t *testing.T) {
	b := &board.Board{Parts: []board.Part{{Component: board.Component{Ref: "U1",
		Footprint: &board.Footprint{Name: "SOIC-8"}}, Placement: board.Placement{Rotation: 30.1}}}}
	for name, want := range map[string]string{"generic": "top,30.1", "jlcpcb": "Top,300.1"} {
		j := &job{Board: b, fab: fab.Find(name)}
		if got := strings.TrimSpace(j.placement()); !strings.HasSuffix(got, want) {
			t.Errorf("%s: %q, want %q at the end", name, got, want)
		}
	}
}

// TestAssembly verifies that the assembly drawings are well-formed XML and that each part appears
// only on the drawing of its side.
func TestAssembly(t *testing.T) {
	b := bench("U<1&", "a\"b", "N")
	b.Parts[0].DNP = true
	files, err := All(t.Context(), b, Options{Formats: []string{"assembly"}})
	if err != nil || len(files) != 2 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	chip := b.Parts[0]
	chip.Ref, chip.Value, chip.DNP, chip.Side = "C1", "33p", false, board.TopSide
	chip.At, chip.Rotation = at(15, 15), 0
	// the body of a capacitor 0603 is 0.75 mm high, that of a turned one 1.5 mm
	chip.Footprint = &board.Footprint{Name: "C_0603", Body: board.Rect{
		Min: board.Point{X: board.MM(-.75), Y: board.MM(-.375)},
		Max: board.Point{X: board.MM(.75), Y: board.MM(.375)}}}
	chip.Pads = nil
	b.Parts = append(b.Parts, chip)
	if files, err = All(t.Context(), b, Options{Formats: []string{"assembly"}}); err != nil {
		t.Fatal(err)
	}
	if all := files[0].Content + files[1].Content; !strings.Contains(all, ">33p<") {
		t.Error("the value of a capacitor 0603 is not drawn")
	}
	crossed := 0
	for s, f := range files {
		titles := map[string]bool{}
		d := xml.NewDecoder(strings.NewReader(f.Content))
		in := ""
		for {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", f.Name, err)
			}
			switch e := token.(type) {
			case xml.StartElement:
				in = e.Name.Local
			case xml.CharData:
				if in == "title" {
					ref, _, _ := strings.Cut(string(e), " ")
					titles[ref] = true
				}
			}
		}
		for i := range b.Parts {
			if p := &b.Parts[i]; titles[p.Ref] != (p.Side == board.Sides()[s]) {
				t.Errorf("%s: %s is drawn: %v", f.Name, p.Ref, titles[p.Ref])
			}
		}
		crossed += strings.Count(f.Content, `stroke="#c00"`)
	}
	if crossed != 1 {
		t.Errorf("%d parts are crossed out, want that without population", crossed)
	}
}
