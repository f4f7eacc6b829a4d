package library_test

import (
	"context"
	"math"
	"sort"
	"strings"
	"testing"

	"slipstick/spice"
	"slipstick/spice/library"
)

func simulate(t *testing.T, text string) *spice.Result {
	t.Helper()
	r, err := spice.Simulate(context.Background(), spice.Request{Netlist: text})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return r
}

// measured simulates a circuit and returns its measure x, or NaN if the measure is missing.
func measured(t *testing.T, text string) float64 {
	t.Helper()
	r := simulate(t, text)
	for _, m := range r.Measures {
		if m.Name == "x" && m.Value != nil {
			return *m.Value
		}
	}
	t.Errorf("no measure x: %q\n%s", r.Warnings, text)
	return math.NaN()
}

// required lists the names of all parts that the library must contain.
const required = "1n4148 1n4001 1n4002 1n4003 1n4004 1n4005 1n4006 1n4007 1n5817 1n5819 1n4733 bat54 bzx84c5v1 led_red led_green led_blue led_white led_yellow " +
	"2n2222 2n3904 2n3906 2n2907 bc547 bc557 bc337 bd139 bd140 tip31 tip41 2n7000 bs170 irf540 irlz44 irf9540 tl072 tl082 lm358 lm324 ne5532 ua741 opamp " +
	"1n4728 1n4729 1n4730 1n4731 1n4732 1n4734 1n4735 1n4736 1n4737 1n4738 1n4739 1n4740 1n4741 1n4742 1n4743 1n4744 1n4745 1n4746 1n4747 1n4748 " +
	"1n4749 1n4750 1n4751 bzx84c3v3 bzx84c3v6 bzx84c3v9 bzx84c4v7 bzx84c5v6 bzx84c6v2 bzx84c6v8 bzx84c7v5 bzx84c8v2 bzx84c9v1 bzx84c10 bzx84c12 " +
	"bzx84c15 bzx84c18 bzx84c24 1n914 1n4448 1n5818 1n5822 ss14 bat85 bc548 bc558 bc327 2n4401 2n4403 2n5551 2n5401 tip32 tip42 " +
	"irf520 irf530 irf640 irfz44n bss138 lm7805 lm7812 lm7905 lm78l05 lm317 ams1117_33 ams1117_50 lm393 lm339 lm311 " +
	"74hc00 74hc02 74hc04 74hc08 74hc14 74hc32 74hc86 pc817 4n25"

func TestListing(t *testing.T) {
	var names []string
	for _, p := range library.Parts() {
		names = append(names, p.Name)
		if p.Description == "" || p.Sheet == "" || p.Kind == "" || len(p.Pins) < 2 ||
			!strings.HasSuffix(p.Use, " "+p.Name) {
			t.Errorf("%+v", p)
		}
		if _, ok := library.Text(strings.ToUpper(p.Name)); !ok {
			t.Errorf("%s is not found in upper case", p.Name)
		}
	}
	if !sort.StringsAreSorted(names) {
		t.Errorf("not sorted: %v", names)
	}
	want := strings.Fields(required)
	sort.Strings(want)
	if got := strings.Join(names, " "); got != strings.Join(want, " ") {
		t.Errorf("parts %s", got)
	}
	if _, ok := library.Text("1n4149"); ok {
		t.Error("there is a 1n4149")
	}
}

// TestEveryPartBothWays verifies that each part gives the same voltages in its Use line and as a
// subcircuit. A part counts as one component and has no internal results.
func TestEveryPartBothWays(t *testing.T) {
	for _, p := range library.Parts() {
		pins := strings.Fields(p.Use)
		nodes := pins[1 : len(pins)-1]
		if p.Kind == "nmos" || p.Kind == "pmos" {
			nodes = nodes[:3]
		}
		var text strings.Builder
		text.WriteString("t\n")
		for _, n := range nodes {
			text.WriteString("V" + n + " s" + n + " 0 1\nR" + n + " s" + n + " " + n + " 10k\n")
		}
		var first map[string]float64
		for _, use := range []string{p.Use, "X1 " + strings.Join(nodes, " ") + " " +
			strings.ToUpper(p.Name)} {
			r := simulate(t, text.String()+use+"\n.op\n.end")
			if r.ComponentCount != 2*len(nodes)+1 {
				t.Errorf("%s: %d components", use, r.ComponentCount)
			}
			if len(r.Nodes) != 2*len(nodes) {
				t.Errorf("%s: nodes %v", use, r.Nodes)
			}
			v := map[string]float64{}
			for _, c := range r.Vectors {
				v[c.Name] = c.Values[0]
				if strings.Contains(c.Name, ".") {
					t.Errorf("%s shows %s", use, c.Name)
				}
			}
			for _, d := range r.OperatingPoint {
				if strings.Contains(d.Device, ".") && strings.HasPrefix(p.Use, "X") {
					t.Errorf("%s shows %s", use, d.Device)
				}
			}
			if len(r.Warnings) > 0 {
				t.Errorf("%s: %q", use, r.Warnings)
			}
			if first == nil {
				first = v
			}
			for k := range v {
				if math.Abs(v[k]-first[k]) > 1e-6 {
					t.Errorf("%s: %s = %g, %g", use, k, v[k], first[k])
				}
			}
		}
	}
}

// TestOwnDefinitionWins verifies that a model or subcircuit of the netlist overrides the library.
func TestOwnDefinitionWins(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       float64
	}{
		{"model", "t\nI1 0 a 10m\nD1 a 0 1N4148\n.model 1n4148 d(is=1e-14)\n.dc I1 10m 10m 1\n.meas dc x max v(a)\n.end", 0.0258649 * math.Log(1e12)},
		{"model, used by the library's subcircuit of the name", "t\nI1 0 a 10m\nX1 a 0 1N4148\n.model 1n4148 d(is=1e-14)\n.dc I1 10m 10m 1\n.meas dc x max v(a)\n.end", 0.72},
		{"name of PSpice", "t\nI1 0 a 10m\nD_D1 a 0 D1N4148\n.dc I1 10m 10m 1\n" +
			".meas dc x max v(a)\n.end", 0.72},
		{"own model with a name of PSpice", "t\nI1 0 a 10m\nD_D1 a 0 D1N4148\n" +
			".model D1N4148 d(is=1e-14)\n.dc I1 10m 10m 1\n.meas dc x max v(a)\n.end",
			0.0258649 * math.Log(1e12)},
		{"subcircuit", "t\nI1 0 a 1m\nX1 a 0 opamp\n.subckt opamp a b\nR1 a b 1k\n.ends\n.dc I1 1m 1m 1\n.meas dc x max v(a)\n.end", 1},
		{"subcircuit of the name of a model", "t\nI1 0 a 10m\nD1 a 0 1n4148\nX1 a b 1n4148\nR1 b 0 1t\n.subckt 1n4148 a b\nR1 a b 1\nR2 a b 1\n.ends\n.dc I1 10m 10m 1\n.meas dc x max v(a)\n.end", 0.72},
		{"in a subcircuit only", "t\nI1 0 a 10m\nD1 a 0 1n4148\nX1 b 0 s\n.subckt s a b\nR1 a b 1k\nD1 a b 1n4148\n.model 1n4148 d(is=1e-9)\n.ends\n.dc I1 10m 10m 1\n.meas dc x max v(a)\n.end", 0.72},
		{"a global node does not reach inside", "t\n.global x a\nV1 x 0 3\nR0 x 0 1\nV2 p 0 15\nV3 n 0 -15\nV4 a 0 1\nX1 a o p n o ua741\nR1 o 0 10k\n.dc V4 1 1 1\n.meas dc x max v(o)\n.end", 1},
		{"a parameter's name does not reach inside", "t\n.param gain=3 gbw=7 is=5 top=1\nV2 p 0 15\nV3 n 0 -15\nV4 a 0 1\nX1 a o p n o ua741\nR1 o 0 10k\n.dc V4 1 1 1\n.meas dc x max v(o)\n.end", 1},
	} {
		if v := measured(t, c.text); math.Abs(v-c.want) > 2e-3*c.want {
			t.Errorf("%s: %g, want %g", c.name, v, c.want)
		}
	}
	r := simulate(t,
		"t\nI1 0 a 1m\nX1 a 0 1n4148\n.subckt 1n4148 a b\nR1 a b 1\nR2 a b 1\n.ends\n.op\n.end")
	if r.ComponentCount != 3 {
		t.Errorf("a subcircuit of the user's counts as %d", r.ComponentCount-1)
	}
}

// TestCountsAsOne verifies that every part counts as one element. 149 parts and a source are within
// the limit, but 150 parts and a source are not.
func TestCountsAsOne(t *testing.T) {
	chain := func(n int) string {
		var b strings.Builder
		b.WriteString("t\nV1 0a 0 1\n")
		for i := range n {
			b.WriteString("X" + number(i) + " " + number(i) + "a " + number(i+1) + "a 0a 0 " +
				number(i+1) + "a opamp\n")
		}
		return b.String() + ".op\n.end"
	}
	if _, err := spice.Check(chain(149)); err != nil {
		t.Error(err)
	}
	if _, err := spice.Check(chain(150)); err == nil ||
		!strings.Contains(err.Error(), "more than 150 elements") {
		t.Error(err)
	}
}

func number(i int) string {
	return string([]byte{byte('0' + i/100), byte('0' + i/10%10), byte('0' + i%10)})
}

// TestManyOpamps verifies that fifty followers in a chain converge within the default limits.
func TestManyOpamps(t *testing.T) {
	var b strings.Builder
	b.WriteString("t\nVP p 0 15\nVN n 0 -15\nV1 000a 0 PULSE(0 2 1u 0.1u 0.1u 1 2)\n")
	for i := range 50 {
		b.WriteString("X" + number(i) + " " + number(i) + "a " + number(i+1) + "a p n " +
			number(i+1) + "a tl072\n")
	}
	b.WriteString("RL 050a 0 10k\n.tran 1u 50u\n.meas tran x find v(050a) at=50u\n.end")
	r := simulate(t, b.String())
	t.Logf("%d components, %d iterations, %d steps in %v", r.ComponentCount,
		r.Statistics.NewtonIterations, r.Statistics.TimeSteps, r.Runtime)
	if v := r.Measures[0].Value; v == nil || math.Abs(*v-2) > 1e-2 {
		t.Errorf("%v %q", r.Measures, r.Warnings)
	}
}
