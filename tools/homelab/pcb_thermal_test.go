package homelab

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"slipstick/tools/tooltest"
)

const (
	pcbBoard = `"board_width_mm": 100, "board_height_mm": 80`
	pcbPart  = `"x_mm": 50, "y_mm": 40, "width_mm": 10, "height_mm": 10, "power_w": 2`
	pcbFilms = `"h_top_w_m2k": 10, "h_bottom_w_m2k": 8, "emissivity": 0`
	pcbFour  = `"layers": [{"copper_oz": 1, "coverage_pct": 60}, {"copper_oz": 0.5, "coverage_pct": 95}, {"copper_oz": 0.5, "coverage_pct": 95}, {"copper_oz": 1, "coverage_pct": 60}]`
)

func TestPCBThermal(t *testing.T) {
	tooltest.Examples(t, PCBThermal)
	// The cases named "lumped" are boards of uniform temperature, because they conduct well or are
	// heated everywhere. Their references were computed by bisection in another language with
	// separate film formulas.
	whole := `"board_width_mm": 150, "board_height_mm": 100, "k_substrate_in_plane": 500, "k_substrate_through": 500, "components": [{"x_mm": 75, "y_mm": 50, "width_mm": 150, "height_mm": 100, "power_w": 3}]`
	tooltest.Cases(t, PCBThermal, []tooltest.Case{
		{"conditions of the air with two fixed films", `{"board_width_mm": 100, "board_height_mm": 80, "h_top_w_m2k": 10, "h_bottom_w_m2k": 8, "convection": "forced", "air_velocity_m_s": 2,
			"orientation": "horizontal", "altitude_m": 1000, "components": [{"x_mm": 50, "y_mm": 40, "width_mm": 10, "height_mm": 10, "power_w": 1}]}`,
			`{"film_top_w_m2k": 10, "film_bottom_w_m2k": 8, "warnings": ["~convection was ignored", "~air_velocity_m_s was ignored", "~orientation was ignored", "~altitude_m was ignored"]}`},
		{"mean by hand: 25 + 2/(0.008·18), less what the faces' difference does",
			`{` + pcbBoard + `, ` + pcbFilms + `, "components": [{` + pcbPart + `}]}`,
			`{"average_board_temperature_c": 38.858, "radiation_w": 0, "convection_w": 2.00000}`},
		{"by hand: in-plane (390·35e-6 + 0.8·1.53e-3)/1.6e-3",
			`{` + pcbBoard + `, "components": [{` + pcbPart + `}]}`,
			`{"in_plane_conductivity_w_mk": 9.29625}`},
		{"contract: 25 vias of 190 K/W", `{` + pcbBoard + `, "components": [{` + pcbPart +
			`, "via_count": 25}]}`, `{"components": [{"via_resistance_k_w": 7.598}]}`},
		{"one via of 190 K/W", `{` + pcbBoard + `, "components": [{` + pcbPart +
			`, "via_count": 1}]}`, `{"components": [{"via_resistance_k_w": 189.947}]}`},
		{"lumped, standing", `{` + whole + `}`,
			`{"average_board_temperature_c": 34.963, "radiation_w": 1.69994}`},
		{"lumped, lying", `{` + whole + `, "orientation": "horizontal"}`,
			`{"average_board_temperature_c": 34.89, "radiation_w": 1.686}`},
		{"lumped, 2 m/s", `{` + whole + `, "convection": "forced", "air_velocity_m_s": 2}`,
			`{"average_board_temperature_c": 30.0252, "radiation_w": 0.83648}`},
		{"lumped, mirror finish", `{` + whole + `, "emissivity": 0}`,
			`{"average_board_temperature_c": 44.6176, "radiation_w": 0}`},
		{"hot", `{` + pcbBoard + `, "components": [{"x_mm": 50, "y_mm": 40, "width_mm": 10, "height_mm": 10, "power_w": 5, "theta_jb_k_w": 100, "name": "Q1"}]}`,
			`{"warnings": ["~above max_allowed_c 105", "~junction of Q1", "~glass transition"]}`},
		{"little copper, parts that overlap or are tiny",
			`{` + pcbBoard +
				`, "layers": [{"copper_oz": 1, "coverage_pct": 10}], "components": [{` + pcbPart +
				`}, {"x_mm": 55, "y_mm": 40, "width_mm": 5, "height_mm": 0.5, "power_w": 0.1}]}`,
			`{"warnings": ["~component 2 is smaller than a cell", "~component 1 and component 2 overlap", "~above max_allowed_c", "~glass transition", "~below 20 %"]}`},
		{"heat all over: no gradient to resolve",
			`{"board_width_mm":100,"board_height_mm":80,"grid_check":true,"components":[{"x_mm":50,"y_mm":40,"width_mm":100,"height_mm":80,"power_w":2}]}`,
			`{"grid_change_pct":0.000}`},
		{"the same with 2 m/s of air",
			`{"board_width_mm":100,"board_height_mm":80,"grid_check":true,"convection":"forced","air_velocity_m_s":2,"components":[{"x_mm":50,"y_mm":40,"width_mm":100,"height_mm":80,"power_w":2}]}`,
			`{"grid_change_pct":0.000}`},
	})
	tooltest.InvalidCases(t, PCBThermal, []tooltest.InvalidCase{
		{"empty", `{}`, []string{"board_width_mm", "board_height_mm", "components"}, "is required"},
		{"off the board", `{` + pcbBoard + `, "components": [{"x_mm": 98, "y_mm": 2, "width_mm": 10, "height_mm": 10, "power_w": 2}]}`, []string{"components[0].x_mm", "components[0].y_mm"}, "off the board"},
		{"coverage above 100",
			`{` + pcbBoard +
				`, "layers": [{"copper_oz": 1, "coverage_pct": 120}], "components": [{` + pcbPart +
				`}]}`, []string{"layers[0].coverage_pct"}, "0 to 100"},
		{"negative power", `{` + pcbBoard + `, "components": [{"x_mm": 50, "y_mm": 40, "width_mm": 10, "height_mm": 10, "power_w": -2}]}`, []string{"components[0].power_w"}, "got -2"},
		{"no power at all", `{` + pcbBoard + `, "components": [{"x_mm": 50, "y_mm": 40, "width_mm": 10, "height_mm": 10, "power_w": 0}]}`, []string{"components"}, "have no power"},
		{"no parts", `{` + pcbBoard + `, "components": []}`, []string{"components"}, "at least 1"},
		{"forced by nothing", `{` + pcbBoard + `, "convection": "forced", "components": [{` +
			pcbPart + `}]}`, []string{"air_velocity_m_s"}, "is required"},
		{"more copper than board", `{` + pcbBoard + `, "thickness_mm": 0.1, "layers": [{"copper_oz": 2}, {"copper_oz": 2}], "components": [{` + pcbPart + `}]}`, []string{"thickness_mm"}, "above 0.14 mm"},
		{"2 · 35 µm, which is 0.06999999999999999 mm in binary",
			`{` + pcbBoard + `, "thickness_mm": 0.05, "components": [{` + pcbPart + `}]}`,
			[]string{"thickness_mm"}, "above 0.07 mm"},
		{"a board of copper",
			`{` + pcbBoard + `, "thickness_mm": 0.07, "components": [{` + pcbPart + `}]}`,
			[]string{"thickness_mm"}, "above 0.07 mm"},
		{"vias that do not fit", `{` + pcbBoard + `, "components": [{` + pcbPart +
			`, "via_count": 2000}]}`, []string{"components[0].via_count"}, "141.4 mm²"},
		{"plating beyond the middle", `{` + pcbBoard + `, "components": [{` + pcbPart +
			`, "via_count": 2, "via_plating_um": 200}]}`, []string{"components[0].via_plating_um"},
			"half of the drill"},
	})
}

func pcbOf(t interface{ Fatal(...any) }, body string) pcbThermalOut {
	raw, err := PCBThermal.Run(context.Background(), []byte(body))
	if err != nil {
		t.Fatal(body, err)
	}
	var out pcbThermalOut
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// pcbSeries is the analytical solution for two coupled sheets: a cosine series in both directions
// with two equations per term. All values are in SI units. The power is spread over the part on the
// upper sheet, and the films transfer heat to an ambient of 0.
type pcbSeries struct {
	w, h           float64
	upper, lower   float64 // lateral conductances
	link           float64 // [W/(m²·K)]
	top, bottom    float64 // films
	x0, x1, y0, y1 float64
	power          float64
}

// solve returns the rise at a point of the upper sheet, its mean below the part, and the mean of
// both sheets.
func (s pcbSeries) solve(x, y float64) (at, under, mean float64) {
	const terms = 400
	// average returns the mean of cos(mπx/side) over the part.
	average := func(m int, lo, hi, side float64) float64 {
		if m == 0 {
			return 1
		}
		k := float64(m) * math.Pi / side
		return (math.Sin(k*hi) - math.Sin(k*lo)) / (k * (hi - lo))
	}
	for m := range terms {
		for n := range terms {
			norm := 1.0 // mean of cos² over the board
			if m > 0 {
				norm /= 2
			}
			if n > 0 {
				norm /= 2
			}
			a := average(m, s.x0, s.x1, s.w) * average(n, s.y0, s.y1, s.h)
			q := s.power * a / (norm * s.w * s.h)
			k2 := math.Pow(float64(m)*math.Pi/s.w, 2) + math.Pow(float64(n)*math.Pi/s.h, 2)
			a11, a22 := s.upper*k2+s.link+s.top, s.lower*k2+s.link+s.bottom
			up := q * a22 / (a11*a22 - s.link*s.link)
			at += up * math.Cos(float64(m)*math.Pi*x/s.w) * math.Cos(float64(n)*math.Pi*y/s.h)
			under += up * a
			if m == 0 && n == 0 {
				mean = (up + q*s.link/(a11*a22-s.link*s.link)) / 2
			}
		}
	}
	return at, under, mean
}

func TestPCBSeries(t *testing.T) {
	two := pcbSeries{w: 0.1, h: 0.08, upper: 390*35e-6*0.5 + 0.8*1.53e-3/2,
		lower: 390*35e-6*0.5 + 0.8*1.53e-3/2, link: 0.3 / 1.53e-3,
		top: 10, bottom: 8, x0: 0.045, x1: 0.055, y0: 0.035, y1: 0.045, power: 2}
	four := two
	four.upper = 390*(35e-6*0.6+17.5e-6*0.95) + 0.8*1.495e-3/2
	four.lower, four.link = four.upper, 0.3/1.495e-3
	aside := two
	aside.x0, aside.x1, aside.y0, aside.y1 = 0.0207, 0.0343, 0.0511, 0.0583
	for _, c := range []struct {
		name, part, layers string
		series             pcbSeries
		// These are the values of the specification, 0 if it has none; half is half a unit of their
		// last digit.
		mean, under, peak, half float64
	}{
		{"two layers", pcbPart, `"thickness_mm": 1.6`, two, 38.858, 81.27, 89.31, 0.01},
		{"four layers", pcbPart, pcbFour, four, 0, 62.63, 66.97, 0.01},
		{"off the middle, off the grid",
			`"x_mm": 27.5, "y_mm": 54.7, "width_mm": 13.6, "height_mm": 7.2, "power_w": 2`,
			`"thickness_mm": 1.6`, aside, 0, 0, 0, 0},
	} {
		out := pcbOf(t, `{`+pcbBoard+`, `+pcbFilms+`, `+c.layers+`, "components": [{`+c.part+`}]}`)
		at, under, mean := c.series.solve(out.HotSpot.X/1e3, out.HotSpot.Y/1e3)
		for _, v := range []struct {
			what                       string
			got, exact, contract, slip float64
		}{
			{"mean", out.Average, 25 + mean, c.mean, 1e-4},
			{"under the part", out.Components[0].Board, 25 + under, c.under, 0.004 * under},
			{"hot spot", out.Max, 25 + at, c.peak, 0.004 * at},
		} {
			t.Logf("%s, %s: %.3f, exact %.3f", c.name, v.what, v.got, v.exact)
			if math.Abs(v.got-v.exact) > v.slip {
				t.Errorf("%s, %s: got %.4f, the series gives %.4f", c.name, v.what, v.got, v.exact)
			}
			if v.contract != 0 && math.Abs(v.exact-v.contract) > c.half {
				t.Errorf("%s, %s: the series gives %.4f, the contract says %.3f", c.name, v.what,
					v.exact, v.contract)
			}
		}
	}
	// The specification's 74.3 °C with vias is the result of a grid of 1 mm; finer grids converge
	// to 74.11 °C.
	if out := pcbOf(t,
		`{`+pcbBoard+`, `+pcbFilms+`, "components": [{`+pcbPart+`, "via_count": 25}]}`); math.Abs(
		out.Components[0].Board-74.2) > 0.15 {
		t.Errorf("with vias: %v °C", out.Components[0].Board)
	}
}

// TestPCBGrid verifies that halving the cells moves the rise under a part by less than 0.5 %.
func TestPCBGrid(t *testing.T) {
	for _, body := range []string{
		`{` + pcbBoard + `, "components": [{` + pcbPart + `, "via_count": 25}]}`,
		`{"board_width_mm": 20, "board_height_mm": 30, "components": [{"x_mm": 6, "y_mm": 20, "width_mm": 3, "height_mm": 4, "power_w": 0.5}], ` + pcbFour + `}`,
		`{"board_width_mm": 400, "board_height_mm": 20, "components": [{"x_mm": 200, "y_mm": 10, "width_mm": 20, "height_mm": 12, "power_w": 2}]}`,
	} {
		var in pcbThermalIn
		if d, err := PCBThermal.Input.Decode([]byte(body), &in); err != nil ||
			len(d.FieldErrors) > 0 {
			t.Fatal(err, d.FieldErrors)
		}
		var rise [2]float64
		for i := range rise {
			b := newPCBModel(in, pcbPitch(in.BoardWidth, in.BoardHeight)/float64(i+1))
			if err := b.solve(context.Background()); err != nil {
				t.Fatal(err)
			}
			b.under(0, func(cell int, share float64) { rise[i] += share * b.rise[cell] })
		}
		t.Logf("%.4f and %.4f K", rise[0], rise[1])
		if d := rise[0]/rise[1] - 1; math.Abs(d) > 0.005 {
			t.Errorf("%s: halving the cells changes the rise by %.3g %%", body, 100*d)
		}
	}
}

// TestPCBReciprocity verifies that, with fixed films, 1 W in part A warms part B as much as 1 W in
// B warms A. It also verifies that the temperature rises of several parts add up.
func TestPCBReciprocity(t *testing.T) {
	run := func(a, b float64) pcbThermalOut {
		return pcbOf(t, fmt.Sprintf(`{%s, %s, "components": [
			{"x_mm": 20.3, "y_mm": 30, "width_mm": 7, "height_mm": 9, "power_w": %v, "via_count": 10},
			{"x_mm": 71, "y_mm": 55.5, "width_mm": 12, "height_mm": 5, "power_w": %v, "side": "bottom"}]}`, pcbBoard, pcbFilms, a, b))
	}
	a, b, both := run(1, 0), run(0, 1), run(1, 1)
	ab, ba := a.Components[1].Board-25, b.Components[0].Board-25
	if math.Abs(ab-ba) > 1e-5*ab {
		t.Errorf("A warms B by %v K, B warms A by %v K", ab, ba)
	}
	for i := range 2 {
		sum := a.Components[i].Board + b.Components[i].Board - 50
		if got := both.Components[i].Board - 25; math.Abs(got-sum) > 1e-5*sum {
			t.Errorf("part %d: %v K together, %v K added up", i, got, sum)
		}
	}
	if both.Components[0].ThetaJA == nil || a.Components[1].ThetaJA != nil {
		t.Error("theta_ja_k_w is of parts with power")
	}
}

// TestPCBMirror verifies that a board with all layers and sides exchanged has the same
// temperatures.
func TestPCBMirror(t *testing.T) {
	part := `"x_mm": 30, "y_mm": 40, "width_mm": 10, "height_mm": 10, "power_w": 2`
	up := pcbOf(t, `{`+pcbBoard+`, "layers": [{"copper_oz": 2, "coverage_pct": 80}, {"copper_oz": 1}, {"copper_oz": 0.5}], "components": [{`+part+`}]}`)
	down := pcbOf(t, `{`+pcbBoard+`, "layers": [{"copper_oz": 0.5}, {"copper_oz": 1}, {"copper_oz": 2, "coverage_pct": 80}], "components": [{`+part+`, "side": "bottom"}]}`)
	if math.Abs(up.Max-down.Max) > 1e-4 || up.HotSpot.Side != "top" ||
		down.HotSpot.Side != "bottom" {
		t.Errorf("%v at %v, turned over %v at %v", up.Max, up.HotSpot, down.Max, down.HotSpot)
	}
	if len(up.Field.Top) != len(up.Field.Y) || len(up.Field.Bottom[0]) != len(up.Field.X) {
		t.Error("the field's lists do not fit each other")
	}
}

// TestPCBRadiationOfFixedFilms verifies that a given film coefficient includes radiation unless an
// emissivity is also given.
func TestPCBRadiationOfFixedFilms(t *testing.T) {
	body := `{` + pcbBoard + `, "h_top_w_m2k": 10, "h_bottom_w_m2k": 8, %s "components": [{` +
		pcbPart + `}]}`
	for _, c := range []struct {
		emissivity string
		radiates   bool
	}{{``, false}, {`"emissivity": 0,`, false}, {`"emissivity": 0.9,`, true}} {
		if out := pcbOf(t, fmt.Sprintf(body, c.emissivity)); out.Radiation > 0 != c.radiates {
			t.Errorf("%s %v W of radiation", c.emissivity, out.Radiation)
		}
	}
	if out := pcbOf(t,
		`{`+pcbBoard+`, "h_top_w_m2k": 10, "components": [{`+pcbPart+`}]}`); out.Radiation == 0 {
		t.Error("the face without a given film does not radiate")
	}
}

// TestPCBBalance verifies the heat balance of random boards. It logs the slowest run.
func TestPCBBalance(t *testing.T) {
	slowest, at := time.Duration(0), ""
	rapid.Check(t, func(t *rapid.T) {
		number := func(name string, lo, hi float64) float64 {
			return rapid.Float64Range(lo, hi).Draw(t, name)
		}
		tens := func(name string, lo, hi float64) float64 {
			return min(hi, max(lo, math.Pow(10, number(name, math.Log10(lo), math.Log10(hi)))))
		}
		w, h := tens("w", 1, 2000), tens("h", 1, 2000)
		var layers, parts []string
		for range rapid.IntRange(1, 6).Draw(t, "layers") {
			layers = append(layers, fmt.Sprintf(`{"copper_oz": %v, "coverage_pct": %v}`,
				number("oz", 0, 1), number("coverage", 0, 100)))
		}
		for range rapid.IntRange(1, 8).Draw(t, "parts") {
			pw, ph := max(0.05, w*number("pw", 0.01, 0.99)), max(0.05, h*number("ph", 0.01, 0.99))
			parts = append(parts, fmt.Sprintf(`{"x_mm": %v, "y_mm": %v, "width_mm": %v, "height_mm": %v, "power_w": %v, "side": %q, "via_count": %d}`,
				number("x", pw/2, w-pw/2), number("y", ph/2, h-ph/2), pw, ph,
				tens("power", 1e-3, 1e4),
				rapid.SampledFrom([]string{"top", "bottom"}).Draw(t, "side"),
				int(pw*ph*number("vias", 0, 10))%100000))
		}
		body := fmt.Sprintf(`{"board_width_mm": %v, "board_height_mm": %v, "layers": [%s], "components": [%s], "ambient_c": %v, "altitude_m": %v, "orientation": %q, "convection": %q,
			"air_velocity_m_s": %v, "k_substrate_in_plane": %v, "k_substrate_through": %v, "thickness_mm": %v, "emissivity": %v}`,
			w, h, join(layers), join(parts), number("ta", -100, 500), number("z", -500, 11000),
			rapid.SampledFrom([]string{"vertical", "horizontal"}).Draw(t, "o"),
			rapid.SampledFrom([]string{"natural", "forced"}).Draw(t, "c"), tens("v", 0.01, 100),
			tens("kp", 0.01, 500), tens("kt", 0.01, 500), number("d", 0.3, 20), number("e", 0, 1))
		start := time.Now()
		out := pcbOf(t, body)
		if d := time.Since(start); d > slowest {
			slowest, at = d, body
		}
		if math.Abs(out.BalanceError) > 0.1 {
			t.Fatalf("%s: %v %% of the power is unaccounted for", body, out.BalanceError)
		}
		for _, c := range out.Components {
			if c.BoardMax > out.Max+1e-9*math.Abs(out.Max) ||
				c.Board > c.BoardMax+1e-9*math.Abs(c.BoardMax) || c.Board < -101 {
				t.Fatalf("%s: %+v under a maximum of %v", body, c, out.Max)
			}
		}
	})
	t.Logf("slowest %v: %s", slowest, at)
}

// TestPCBStrip verifies the energy balance of a long strip. In the first iterations its film
// coefficients change by less than the tolerance of the linear solver.
func TestPCBStrip(t *testing.T) {
	out := pcbOf(t, `{"board_width_mm": 2.3713737056616555, "board_height_mm": 562.3413251903492, "layers": [{"coverage_pct": 0.0007, "copper_oz": 0}, {"coverage_pct": 0.8523, "copper_oz": 0}, {"coverage_pct": 0.2855, "copper_oz": 0}, {"coverage_pct": 0.0, "copper_oz": 0}], 
		"components": [{"x_mm": 0.9932088624497121, "y_mm": 227.27262663212022, "width_mm": 1.6003490979530237, "height_mm": 140.5853312975873, "power_w": 1, "side": "top", "via_count": 230}, {"x_mm": 0.09858909596580226, "y_mm": 55.256894921843084, "width_mm": 0.05, "height_mm": 110.51378984368617, "power_w": 1, "side": "bottom", "via_count": 10}], "ambient_c": 0.015610236441716552, "altitude_m": -486, "orientation": "vertical", "convection": "natural", "k_substrate_in_plane": 1, "k_substrate_through": 0.46588879307286585, "thickness_mm": 0.8382749889569823, "emissivity": 1}`)
	if math.Abs(out.BalanceError) > 1e-4 {
		t.Errorf("%v %% of the power is unaccounted for", out.BalanceError)
	}
}

func join(items []string) string {
	s := ""
	for i, x := range items {
		if i > 0 {
			s += ", "
		}
		s += x
	}
	return s
}

func TestPCBCancel(t *testing.T) {
	checkCancel(t, PCBThermal,
		[]byte(`{`+pcbBoard+`, "components": [{`+pcbPart+`, "via_count": 25}]}`))
}

// TestPCBStream verifies that a higher air speed never makes the board warmer. It also verifies
// that the change is gradual at the transition to a turbulent boundary layer (Re 5e5, about 17 m/s
// along 0.5 m).
func TestPCBStream(t *testing.T) {
	before := math.Inf(1)
	for speed := 10.0; speed < 30; speed++ {
		out := pcbOf(t, fmt.Sprintf(`{"board_width_mm": 500, "board_height_mm": 400, "convection": "forced", "air_velocity_m_s": %v,
			"components": [{"x_mm": 250, "y_mm": 200, "width_mm": 400, "height_mm": 300, "power_w": 200, "side": "top"}]}`, speed))
		rise := out.Average - 25
		if drop := 1 - rise/before; drop < 0 || before < math.Inf(1) && drop > 0.12 {
			t.Errorf("%g m/s: the mean rise is %.4g K after %.4g", speed, rise, before)
		}
		before = rise
	}
}
