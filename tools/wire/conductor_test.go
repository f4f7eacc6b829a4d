package wire

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"
)

func TestGaugeSpellings(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`12`, "12"}, {`"12"`, "12"}, {`"#12 AWG"`, "12"}, {`" 12awg "`, "12"}, {`12.0`, "12"},
		{`1`, "1"}, {`40`, "40"},
		{`0`, "1/0"}, {`"0"`, "1/0"}, {`"00"`, "2/0"}, {`"000"`, "3/0"}, {`"0000"`, "4/0"},
		{`"4/0"`, "4/0"}, {`"1/0 AWG"`, "1/0"}, {`"#2/0"`, "2/0"},
		{`250`, "250 kcmil"}, {`"250"`, "250 kcmil"}, {`"500 kcmil"`, "500 kcmil"},
		{`"2000KCMIL"`, "2000 kcmil"},
	} {
		var g Gauge
		if err := g.DecodeField([]byte(c.in)); err != nil || string(g) != c.want {
			t.Errorf("%s: got %q, %v, want %q", c.in, g, err, c.want)
		}
	}
	for _, in := range []string{
		`41`, `-1`, `12.5`, `"5/0"`, `"00000"`, `"0/0"`, `""`, `"AWG"`, `"12 kcmil"`, `"1/0 kcmil"`,
		`"250 AWG"`, `"012"`, `"+12"`, `260`, `"2500"`, `1e300`,
		`true`, `[12]`, `{}`, `"twelve"`, `"1 2 kcmil awg"`,
	} {
		var g Gauge
		if err := g.DecodeField([]byte(in)); err == nil {
			t.Errorf("%s is read as %q", in, g)
		}
	}
}

// TestGaugeArea compares areas in mm² with published tables. ASTM B258 defines the series by
// diameters of 0.4600 in for 4/0 and 0.0050 in for 36 AWG.
func TestGaugeArea(t *testing.T) {
	for _, c := range []struct {
		gauge     Gauge
		area, tol float64
	}{
		{"4/0", math.Pi / 4 * 11.684 * 11.684, 1e-4}, {"36", math.Pi / 4 * 0.127 * 0.127, 1e-12},
		{"12", 3.309, 5e-4}, {"10", 5.261, 5e-4}, {"1/0", 53.48, 6e-3}, {"24", 0.205, 5e-4},
		{"40", 0.00501, 5e-6},
		{"250 kcmil", 126.677, 5e-4}, {"1000 kcmil", 506.707, 5e-4},
	} {
		if got := c.gauge.Area(); math.Abs(got-c.area) > c.tol {
			t.Errorf("%s: %.9g mm², want %g", c.gauge, got, c.area)
		}
	}
}

// TestListedSizesAreMonotonic verifies that larger conductors have a higher ampacity and a lower
// resistance, and higher ratings a higher ampacity. It also verifies that aluminum has a lower
// ampacity and a higher resistance than copper.
func TestListedSizesAreMonotonic(t *testing.T) {
	if len(sizes) != 30 {
		t.Errorf("%d sizes, want 30", len(sizes))
	}
	for i, l := range sizes {
		if g, ok := canonicalGauge(string(l.gauge)); !ok || g != l.gauge {
			t.Errorf("%s is not spelled as in results", l.gauge)
		}
		for c := range 3 {
			if c > 0 && (l.copper[c] > 0 && l.copper[c] <= l.copper[c-1] || l.aluminum[c] > 0 &&
				l.aluminum[c] <= l.aluminum[c-1]) {
				t.Errorf("%s: ampacity does not rise with the rating", l.gauge)
			}
			if l.aluminum[c] > 0 && l.aluminum[c] >= l.copper[c] {
				t.Errorf("%s: aluminum carries as much as copper", l.gauge)
			}
			if i > 0 {
				p := sizes[i-1]
				if l.copper[c] <= p.copper[c] && p.copper[c] > 0 ||
					l.aluminum[c] <= p.aluminum[c] && p.aluminum[c] > 0 {
					t.Errorf("%s: ampacity at %d does not rise with the size", l.gauge, c)
				}
			}
		}
		if i > 0 && (l.gauge.Area() <= sizes[i-1].gauge.Area() || l.ohmCu >= sizes[i-1].ohmCu ||
			l.ohmAl >= sizes[i-1].ohmAl) {
			t.Errorf("%s: area or resistance out of order", l.gauge)
		}
	}
}

// TestTable8Resistivity verifies that table 8 contains resistivity over area at 75 °C,
// plus up to 5 % for the lay of the strands. Rounding may reduce a value by 1 %.
func TestTable8Resistivity(t *testing.T) {
	for _, l := range sizes {
		for _, m := range []struct {
			name       string
			ohm, rho75 float64
		}{{"copper", l.ohmCu, 0.017241 * (1 + 0.00393*55)},
			{"aluminum", l.ohmAl, 0.028264 * (1 + 0.00403*55)}} {
			ratio := m.ohm / 304.8 * l.gauge.Area() / m.rho75 // 304.8 m per 1000 ft
			if ratio < 0.99 || ratio > 1.05 {
				t.Errorf("%s %s: %.4f of the resistivity", l.gauge, m.name, ratio)
			}
		}
	}
}

// TestTable9EffectiveImpedance compares R cos φ + X sin φ with the effective impedance of table 9,
// at power factor 0.85 for uncoated copper in PVC. The table is computed from unrounded values, so
// both agree to the rounding of two digits.
func TestTable9EffectiveImpedance(t *testing.T) {
	printed := map[Gauge]float64{
		"14": 2.7, "12": 1.7, "10": 1.1, "8": .69, "6": .44, "4": .29, "3": .23, "2": .19, "1": .16,
		"1/0": .13, "2/0": .11, "3/0": .088, "4/0": .074,
		"250 kcmil": .066, "300 kcmil": .059, "350 kcmil": .053, "400 kcmil": .049,
		"500 kcmil": .043, "600 kcmil": .040, "750 kcmil": .036, "1000 kcmil": .032,
	}
	if len(acRows) != len(printed) {
		t.Errorf("%d rows, want %d", len(acRows), len(printed))
	}
	for i, row := range acRows {
		z := row.copper[0]*0.85 + row.xOpen*math.Sqrt(1-0.85*0.85)
		if want := printed[row.gauge]; math.Abs(z/want-1) > 0.06 {
			t.Errorf("%s: effective impedance %.4f, table 9 prints %g", row.gauge, z, want)
		}
		if _, ok := findSize(row.gauge); !ok {
			t.Errorf("%s is not a listed size", row.gauge)
		}
		if row.xSteel <= row.xOpen || row.xSteel > 1.35*row.xOpen {
			t.Errorf("%s: reactance in steel is %g, in PVC %g", row.gauge, row.xSteel, row.xOpen)
		}
		for c := range 3 {
			if row.copper[c] < row.copper[0] || row.aluminum[c] < row.aluminum[0] {
				t.Errorf("%s: metal conduit lowers the resistance", row.gauge)
			}
			if i > 0 && (row.copper[c] >= acRows[i-1].copper[c] || i > 1 &&
				row.aluminum[c] >= acRows[i-1].aluminum[c]) {
				t.Errorf("%s: resistance out of order", row.gauge)
			}
		}
	}
}

// TestMetricSizes verifies that the limits of IEC 60228 exceed resistivity over nominal area only
// by the allowance for stranding and tolerance. The allowance is largest for 50 mm², whose
// conductors have 47 mm².
func TestMetricSizes(t *testing.T) {
	if len(metricSizes) != 22 {
		t.Errorf("%d sizes, want 22", len(metricSizes))
	}
	for i, m := range metricSizes {
		if i > 0 && (m.area <= metricSizes[i-1].area || m.copper >= metricSizes[i-1].copper) {
			t.Errorf("%g mm² is out of order", m.area)
		}
		if ratio := m.copper * m.area / 17.241; ratio < 1 || ratio > 1.13 {
			t.Errorf("%g mm² copper: %.3f of the resistivity", m.area, ratio)
		}
		if m.area < 10 != (m.aluminum == 0) {
			t.Errorf("%g mm²: aluminum starts at 10 mm²", m.area)
		}
		if ratio := m.aluminum * m.area / 28.264; m.aluminum > 0 && (ratio < 1 || ratio > 1.14) {
			t.Errorf("%g mm² aluminum: %.3f of the resistivity", m.area, ratio)
		}
	}
	for _, c := range []struct {
		area     float64
		aluminum bool
		want     float64
	}{{13.3, false, 16}, {16, false, 16}, {16.0000001, false, 25}, {16 * (1 + 1e-12), false, 16},
		{0.2, false, 0.5}, {3.3, true, 10}, {630, false, 630}} {
		if got := MetricAtLeast(c.area, c.aluminum); got == nil || *got != c.want {
			t.Errorf("metric size for %g mm²: %v, want %g", c.area, got, c.want)
		}
	}
	if got := MetricAtLeast(631, false); got != nil {
		t.Errorf("metric size for 631 mm²: %g", *got)
	}
}

// TestTableSums compares the column sums with the sums of the printed tables. This detects a wrong
// digit that does not change the order.
func TestTableSums(t *testing.T) {
	var copper, aluminum [3]float64
	var ohmCu, ohmAl float64
	for _, l := range sizes {
		for c := range 3 {
			copper[c] += l.copper[c]
			aluminum[c] += l.aluminum[c]
		}
		ohmCu += l.ohmCu
		ohmAl += l.ohmAl
	}
	if copper != [3]float64{7020, 8385, 9502} || aluminum != [3]float64{5695, 6800, 7670} {
		t.Errorf("table 310.16: %v %v", copper, aluminum)
	}
	var x, ac [6]float64
	for _, r := range acRows {
		x[0] += r.xOpen
		x[1] += r.xSteel
		for c := range 3 {
			ac[c] += r.copper[c]
			ac[c+3] += r.aluminum[c]
		}
	}
	var metricCu, metricAl, areas float64
	for _, m := range metricSizes {
		metricCu += m.copper
		metricAl += m.aluminum
		areas += m.area
	}
	for _, s := range []struct {
		name      string
		got, want float64
	}{
		{"table 8 copper", ohmCu, 22.14796}, {"table 8 aluminum", ohmAl, 36.4569},
		{"table 9 reactance", x[0], 0.936}, {"table 9 reactance, steel", x[1], 1.170},
		{"table 9 copper, PVC", ac[0], 9.080}, {"aluminum conduit", ac[1], 9.159},
		{"steel", ac[2], 9.118},
		{"table 9 aluminum, PVC", ac[3], 9.782}, {"aluminum conduit", ac[4], 9.861},
		{"steel", ac[5], 9.795},
		{"IEC 60228 copper", metricCu, 111.5025}, {"IEC 60228 aluminum", metricAl, 9.4952},
		{"IEC 60228 areas", areas, 2842.25},
	} {
		same(t, s.name, s.got, s.want)
	}
}

func same(t *testing.T, name string, got, want float64) {
	t.Helper()
	if !scalar.EqualWithinRel(got, want, 1e-12) {
		t.Errorf("%s: got %.15g, want %.15g", name, got, want)
	}
}

// TestSkinAndProximity compares resistances at 90 °C with BS 7671:2018, table 4F2B, for the DC
// resistances of IEC 60228 class 5 at 20 °C [Ω/km]. The table has two single-core flexible cables
// that touch, with r in mV/(A·m) of both. The thick insulation of flexible cables reduces the
// proximity effect.
func TestSkinAndProximity(t *testing.T) {
	for _, c := range []struct{ area, ohm, r float64 }{
		{240, 0.0801, 0.21}, {300, 0.0641, 0.173}, {400, 0.0486, 0.132}, {500, 0.0384, 0.107},
		{630, 0.0287, 0.085},
	} {
		ohm := c.ohm * (1 + 0.00393*70)
		got := ohm * (1 + skinAndProximity(ohm, 2, false))
		if !scalar.EqualWithinRel(got, c.r/2, 0.022) {
			t.Errorf("%g mm²: %.4f Ω/km, the table has %.4f", c.area, got, c.r/2)
		}
	}
	// By hand for 240 mm² at 70 °C, 0.0902175 Ω/km: x² = 1.39290, skin 1.0024 %, proximity in
	// trefoil 1.0024 % · 0.7225 · (0.22542 + 4.21388) = 3.2151 %.
	if got := skinAndProximity(0.0902175, 3, false); !scalar.EqualWithinRel(got, 0.042175, 1e-3) {
		t.Errorf("240 mm² in trefoil: %.5f", got)
	}
	if copper, aluminum := skinAndProximity(0.09, 3, false),
		skinAndProximity(0.09, 3, true); aluminum >= copper {
		t.Errorf("the strands of aluminum have a rise of %g, copper %g", aluminum, copper)
	}
}
