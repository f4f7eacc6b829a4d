package netlist

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestLargestBodies verifies that netlists of up to 1 MB are read within 5 s, valid or not. This
// limit is far above the time on a slow machine and far below the time of a quadratic algorithm.
func TestLargestBodies(t *testing.T) {
	comps, nets := blinker()
	wide, open := map[string]string{}, map[string]string{}
	for i := range 40_000 {
		wide[fmt.Sprintf("p%d", i)] = "1"
		open[fmt.Sprintf("R%d", i)] = "0805"
	}
	pins := make([]string, 60_000)
	for i := range pins {
		pins[i] = fmt.Sprintf("U1.P%d", i)
	}
	unknown := make([]Component, MaxComponents)
	for i := range unknown {
		unknown[i] = Component{Ref: fmt.Sprintf("U%d", i), Footprint: fmt.Sprintf("SOIC-%d",
			i+1000), Value: strings.Repeat("é", 2000)}
	}
	for _, c := range []struct {
		name string
		read func()
	}{
		{"pins and names", func() {
			own := append([]Component(nil), comps...)
			own[0].Pins = wide
			Structured(own, append(nets, Net{Name: "X", Pins: pins}), Options{})
		}},
		{"overrides", func() { Structured(comps, nets, Options{Overrides: open}) }},
		{"unknown footprints", func() { Structured(unknown, nil, Options{}) }},
		{"SPICE, elements", func() { FromSPICE("t\n"+manyElements(60_000), Options{}) }},
		{"SPICE, couplings", func() {
			FromSPICE("t\nR1 a b 1\n"+strings.ReplaceAll(manyElements(60_000), "R", "K"), Options{})
		}},
		{"SPICE, subcircuits", func() {
			FromSPICE("t\n"+strings.ReplaceAll(manyElements(60_000), "R", "X"), Options{})
		}},
		{"SPICE, nodes", func() {
			FromSPICE("t\nX1"+strings.Repeat(" n", 400_000)+" s\n.subckt s a\n.ends\n", Options{})
		}},
		{"KiCad, words", func() {
			FromKiCad("(export"+strings.Repeat(" a", 240_000)+")", Options{})
		}},
		{"KiCad, parts", func() {
			FromKiCad("(export (components"+strings.Repeat("(comp)", 100_000)+")(nets))", Options{})
		}},
		{"KiCad, a string", func() {
			FromKiCad("(export \""+strings.Repeat("\n", 1_000_000)+"\")", Options{})
		}},
	} {
		began := time.Now()
		c.read()
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%s took %v", c.name, took)
		} else {
			t.Logf("%s took %v", c.name, took)
		}
	}
}
