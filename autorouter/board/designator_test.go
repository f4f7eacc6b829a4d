package board

import "testing"

// TestPartClasses verifies the classes of reference designators as public KiCad projects use them.
func TestPartClasses(t *testing.T) {
	type is struct{ capacitor, ic, semiconductor, crystal bool }
	for _, c := range []struct {
		ref, value, footprint string
		want                  is
	}{
		{"C1", "100n", "C_0603", is{capacitor: true}},
		{"CON1", "USB", "USB_Micro-B", is{}},
		{"CN2", "", "JST_XH", is{}},
		{"U3", "NE555", "SOIC-8", is{ic: true, semiconductor: true}},
		{"u3A", "NE555", "SOIC-8", is{ic: true, semiconductor: true}},
		{"IC12", "ATMEGA328", "TQFP-32", is{ic: true, semiconductor: true}},
		{"USB1", "", "USB_C", is{}},
		{"Q1", "BC847", "SOT-23", is{semiconductor: true}},
		{"Q1", "16MHz", "HC49", is{semiconductor: true, crystal: true}},
		{"T2", "BD139", "TO-126", is{semiconductor: true}},
		{"T1", "CST1", "Transformer_SMD:Transformer_Coilcraft_CST1", is{}},
		{"Y1", "", "X", is{crystal: true}},
		{"XTAL1", "", "X", is{crystal: true}},
		{"X1", "8MHz", "HC49-V", is{crystal: true}},
		{"X1", "32.768k", "MS-26", is{crystal: true}},
		{"X1", "16M0000", "F1", is{crystal: true}},
		{"X2", "ABM3", "Crystal_SMD_3225-4Pin", is{crystal: true}},
		{"X3", "Conn_01x04", "PinHeader_1x04", is{}},
		{"R1", "4k7", "Crystal", is{}},
		{"", "", "", is{}},
	} {
		p := &Component{Ref: c.ref, Value: c.value, Footprint: &Footprint{Name: c.footprint}}
		got := is{p.IsCapacitor(), p.IsIC(), p.IsSemiconductor(), p.IsCrystal()}
		if got != c.want {
			t.Errorf("%s %q %q: %+v, want %+v", c.ref, c.value, c.footprint, got, c.want)
		}
	}
	if p := (&Component{Ref: "X1"}); p.IsCrystal() {
		t.Error("X1 without a footprint is a crystal")
	}
}
