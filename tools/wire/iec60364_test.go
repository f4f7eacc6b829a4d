package wire

import (
	"math"
	"strings"
	"testing"
)

func iec(method, insulation string, circuits int) IEC {
	return IEC{Method: &method, Insulation: insulation, Circuits: circuits}
}

// TestIECCapacityAgainstAtlasCopco compares capacities with the Atlas Copco GA 75+ instruction book
// 2920 7109 60, page 190. The values apply to PVC, three loaded conductors and method B2 at 30, 40,
// 45, 50 and 55 °C. They are truncated to whole amperes.
func TestIECCapacityAgainstAtlasCopco(t *testing.T) {
	temps := []float64{30, 40, 45, 50, 55}
	for area, want := range map[float64][]float64{
		4: {27, 23, 21, 19, 16}, 6: {34, 30, 27, 24, 21}, 10: {46, 40, 36, 33, 28},
		16: {62, 54, 49, 44, 38}, 25: {80, 70, 63, 57, 49},
		35: {99, 86, 78, 70, 60}, 50: {118, 103, 93, 84, 72}, 70: {149, 130, 118, 106, 91},
		95: {179, 156, 141, 127, 109}, 120: {206, 179, 163, 146, 126},
	} {
		for i, temp := range temps {
			c, ok := iec("B2", "pvc", 1).Capacity(area, "copper", 3, temp)
			if !ok || math.Abs(c.Amps()-want[i]) > 1 {
				t.Errorf("%g mm² at %g °C: %.4g A, want %g", area, temp, c.Amps(), want[i])
			}
		}
	}
}

// TestIECTablesAreSmooth verifies that larger sizes carry more, and three loaded conductors less
// than two. It also verifies that neighbours deviate by at most a few percent from the power law I
// = a·S^m of IEC 60364-5-52, annex D. A wrong digit would deviate more.
func TestIECTablesAreSmooth(t *testing.T) {
	for insulation, tables := range iecTables {
		for loaded, rows := range tables {
			for column := range 7 {
				for i, row := range rows {
					a := row.amps[column]
					if loaded == 1 && a >= tables[0][i].amps[column] {
						t.Errorf("%s, %g mm², column %d: three loaded conductors carry %g A",
							insulation, row.area, column, a)
					}
					if i == 0 || i == len(rows)-1 {
						continue
					}
					low, high := rows[i-1], rows[i+1]
					m := math.Log(high.amps[column]/low.amps[column]) / math.Log(high.area/low.area)
					expected := low.amps[column] * math.Pow(row.area/low.area, m)
					if m <= 0 || math.Abs(a/expected-1) > 0.055 {
						t.Errorf(
							"%s, %d loaded, %g mm², column %d: %g A, its neighbours suggest %.4g A", insulation, loaded+2, row.area, column, a, expected)
					}
				}
			}
		}
	}
}

// TestIECColumnsAreSmooth verifies that the columns of iecColumns also follow a power law. It also
// verifies that aluminium carries 0.73 to 0.83 of the current of copper, and XLPE more than PVC.
func TestIECColumnsAreSmooth(t *testing.T) {
	for key, column := range iecColumns {
		word := strings.Fields(key)
		loaded := int(word[2][0] - '0')
		in := iec(word[3], word[1], 1)
		areas := in.Areas(word[0], loaded)
		if len(areas) != len(column) {
			t.Fatalf("%s: %d sizes, %d capacities", key, len(areas), len(column))
		}
		for i := 1; i < len(column)-1; i++ {
			m := math.Log(column[i+1]/column[i-1]) / math.Log(areas[i+1]/areas[i-1])
			expected := column[i-1] * math.Pow(areas[i]/areas[i-1], m)
			if m <= 0 || math.Abs(column[i]/expected-1) > 0.055 {
				t.Errorf("%s, %g mm²: %g A, its neighbours suggest %.4g A", key, areas[i],
					column[i], expected)
			}
		}
		if word[0] == "aluminum" {
			copper := in.column("copper", loaded)
			copper = copper[len(copper)-len(column):]
			for i, a := range column {
				if ratio := a / copper[i]; ratio < 0.73 || ratio > 0.83 {
					t.Errorf("%s, %g mm²: %.3f of copper", key, areas[i], ratio)
				}
			}
		}
		if word[1] == "xlpe" {
			pvc := iec(word[3], "pvc", 1).column(word[0], loaded)
			for i, a := range column[max(0, len(column)-len(pvc)):] {
				if a <= pvc[max(0, len(pvc)-len(column))+i] {
					t.Errorf("%s, entry %d: PVC carries as much", key, i)
				}
			}
		}
	}
}

// TestIECFreeAirAnchors compares capacities with public values of tables B.52.10 to B.52.13 for
// three loaded conductors of 25, 50 and 300 mm².
func TestIECFreeAirAnchors(t *testing.T) {
	for key, want := range map[string][3]float64{
		"copper pvc F": {110, 167, 561}, "copper pvc G": {146, 219, 709},
		"copper xlpe F": {135, 207, 703}, "copper xlpe G": {182, 275, 902},
		"aluminum pvc F": {84, 128, 434}, "aluminum xlpe F": {103, 159, 547},
		"aluminum pvc E": {78, 117, 381}, "aluminum xlpe E": {97, 146, 471},
	} {
		word := strings.Fields(key)
		for i, area := range []float64{25, 50, 300} {
			c, ok := iec(word[2], word[1], 1).Capacity(area, word[0], 3, 30)
			if !ok || c.Amps() != want[i] {
				t.Errorf("%s, %g mm²: %g A, want %g", key, area, c.Amps(), want[i])
			}
		}
	}
}

// TestIECAmbientFactors compares the factors with IEC 60364-5-52, tables B.52.14 and B.52.15.
func TestIECAmbientFactors(t *testing.T) {
	for _, c := range []struct {
		method, insulation string
		fromC              float64
		want               []float64
	}{
		{"C", "pvc", 10, []float64{1.22, 1.17, 1.12, 1.06, 1, .94, .87, .79, .71, .61, .50}},
		{"C", "xlpe", 10, []float64{1.15, 1.12, 1.08, 1.04, 1, .96, .91, .87, .82, .76, .71}},
		{"D1", "pvc", 10, []float64{1.10, 1.05, 1, .95, .89, .84, .77, .71, .63, .55, .45}},
		{"D2", "xlpe", 10, []float64{1.07, 1.04, 1, .96, .93, .89, .85, .80, .76, .71, .65}},
	} {
		for i, want := range c.want {
			temp := c.fromC + 5*float64(i)
			if got, ok := iec(c.method, c.insulation, 1).ambient(temp); !ok || got != want {
				t.Errorf("%s %s at %g °C: %g, want %g", c.method, c.insulation, temp, got, want)
			}
		}
	}
	if _, ok := iec("C", "pvc", 1).ambient(66); ok {
		t.Error("PVC carries current at 66 °C")
	}
}

// TestIECDevice verifies that the device has the largest preferred rating of IEC 60898-1, 5.3.2,
// that does not exceed the capacity (IEC 60364-4-43, 433.1).
func TestIECDevice(t *testing.T) {
	for capacity, want := range map[float64]float64{0.5: 0, 5.9: 4, 13.5: 13, 16: 16, 19.5: 16,
		31.9: 25, 125: 125, 159: 125, 700: 630} {
		if got := IECDevice(capacity); got != want {
			t.Errorf("%g A: %g A, want %g", capacity, got, want)
		}
	}
}

// TestProtectiveArea compares the area with IEC 60364-5-54, table 54.2.
func TestProtectiveArea(t *testing.T) {
	for area, want := range map[float64]float64{1.5: 1.5, 16: 16, 25: 16, 35: 16, 50: 25, 70: 35,
		95: 50, 120: 70, 185: 95, 240: 120, 300: 150} {
		if got := ProtectiveArea(area); got != want {
			t.Errorf("%g mm²: %g, want %g", area, got, want)
		}
	}
}

// TestIECProtects verifies that a circuit breaker must have a rated current between load and
// capacity. No breaker of IEC 60898-1 is rated between 20 and 25 A.
func TestIECProtects(t *testing.T) {
	for _, c := range []struct {
		load, capacity float64
		want           bool
	}{{20, 20, true}, {20, 24, true}, {21, 24, false}, {21, 25, true}, {25, 24, false},
		{630, 640, true}, {700, 710, true}, {700, 690, false}} {
		if got := IECProtects(c.load, c.capacity); got != c.want {
			t.Errorf("%g A, capacity %g A: %v", c.load, c.capacity, got)
		}
	}
}
