package homelab

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"slipstick/tools"
	"slipstick/tools/tooltest"
)

// These inputs are the heat sinks of the tool's specification.
const (
	forcedSink  = `"power_w": 50, "base_width_mm": 60, "base_length_mm": 60, "fin_count": 12, "fin_height_mm": 30, "fin_thickness_mm": 1, "emissivity": 0, "convection": "forced", "air_velocity_m_s": 3`
	narrowSink  = `"power_w": 1.285, "base_width_mm": 57.86, "base_length_mm": 92.13, "fin_count": 19, "fin_height_mm": 31.19, "fin_thickness_mm": 1.4314, "emissivity": 0`
	naturalSink = `"power_w": 20, "base_width_mm": 100, "base_length_mm": 100, "fin_count": 10, "fin_height_mm": 40, "fin_thickness_mm": 1.5`
)

func TestHeatsinkCFD(t *testing.T) {
	tooltest.Examples(t, HeatsinkCFD)
	tooltest.Cases(t, HeatsinkCFD, []tooltest.Case{
		{"by hand: 25 + 50/(1.18393·5.4e-3·1007), 3·60/48, (60 - 12)/11, 2.69·(18 + 21.6) g",
			`{` + forcedSink + `, "conductivity_w_mk": 200}`,
			`{"air_outlet_temperature_c": 32.766, "channel_velocity_m_s": 3.7500, "fin_spacing_mm": 4.363636, "weight_g": 106.524, "channel_flow_m3_h": 19.4400, "bypass_flow_m3_h": 0, "optimal_fin_spacing_mm": null}`},
		{"by hand: 1.18746 heads of 8.3245 Pa", `{` + forcedSink + `, "conductivity_w_mk": 200}`,
			`{"pressure_drop_pa": 9.885, "reynolds": 1867.2}`},
		{"contract: closed form 0.745, efficiency 0.897",
			`{` + forcedSink + `, "conductivity_w_mk": 200}`,
			`{"correlation_resistance_k_w": 0.745, "fin_efficiency": 0.897}`},
		{"contract: conductivity 5000", `{` + forcedSink + `, "conductivity_w_mk": 5000}`,
			`{"thermal_resistance_k_w": 0.686}`},
		{"contract: source of 20 mm",
			`{` + forcedSink +
				`, "conductivity_w_mk": 200, "source_width_mm": 20, "source_length_mm": 20}`,
			`{"source_mean_temperature_c": 68.7}`},
		{"by hand: source face less fin face, 0.005/(200·0.0036)",
			`{` + forcedSink + `, "conductivity_w_mk": 200}`,
			`{"spreading_resistance_k_w": 0.0069444}`},
		{"closed form of still air, solved by bisection in another language",
			`{` + naturalSink + `}`, `{"correlation_resistance_k_w": 1.47889303}`},
		{"likewise with a level base", `{` + naturalSink + `, "orientation": "horizontal_fins_up"}`,
			`{"correlation_resistance_k_w": 2.06306777}`},
		{"narrow channels, vertical, by bisection in Python",
			`{` + narrowSink + `}`, `{"correlation_resistance_k_w": 19.954054}`},
		{"likewise with a level base: its outer faces are no better than the vertical ones",
			`{` + narrowSink + `, "orientation": "horizontal_fins_up"}`,
			`{"correlation_resistance_k_w": 20.463664}`},
		{"likewise copper without radiation", `{"power_w": 15, "base_width_mm": 80, "base_length_mm": 120, "base_thickness_mm": 4, "fin_count": 8, "fin_height_mm": 30, "fin_thickness_mm": 1, "material": "copper", "emissivity": 0}`,
			`{"correlation_resistance_k_w": 2.47657817, "radiation_w": 0}`},
		{"no meaning in still air", `{` + naturalSink + `, "air_velocity_m_s": 3}`,
			`{"pressure_drop_pa": null, "warnings": ["~air_velocity_m_s has no meaning"]}`},
		{"fins too close", `{"power_w": 20, "base_width_mm": 100, "base_length_mm": 100, "fin_count": 30, "fin_height_mm": 40, "fin_thickness_mm": 1.5}`, `{"warnings": ["~less than half of the optimum"]}`},
		{"few fins", `{"power_w": 20, "base_width_mm": 100, "base_length_mm": 100, "fin_count": 4, "fin_height_mm": 40, "fin_thickness_mm": 1.5}`, `{"warnings": ["~more than twice the optimum"]}`},
		{"thin fins", `{"power_w": 20, "base_width_mm": 100, "base_length_mm": 100, "fin_count": 10, "fin_height_mm": 100, "fin_thickness_mm": 0.05}`, `{"warnings": ["~fin efficiency"]}`},
		{"hotter than silicon", `{"power_w": 150, "base_width_mm": 100, "base_length_mm": 100, "fin_count": 10, "fin_height_mm": 40, "fin_thickness_mm": 1.5}`, `{"warnings": ["~semiconductors, 150 °C"]}`},
		{"a breath of air", `{"power_w": 20, "base_width_mm": 100, "base_length_mm": 100, "fin_count": 10, "fin_height_mm": 40, "fin_thickness_mm": 1.5, "convection": "forced", "air_velocity_m_s": 0.05}`, `{"warnings": ["~buoyancy dominates"]}`},
		{"transition", `{"power_w": 50, "base_width_mm": 60, "base_length_mm": 60, "fin_count": 12, "fin_height_mm": 30, "fin_thickness_mm": 1, "convection": "forced", "air_velocity_m_s": 4.2}`, `{"warnings": ["~between laminar and turbulent"]}`},
		{"the limit of one temperature: 5000 W/(m·K) has no gradient to resolve",
			`{"power_w": 20, "base_width_mm": 100, "base_length_mm": 100, "fin_count": 10, "fin_height_mm": 40, "fin_thickness_mm": 1.5, "grid_check": true, "conductivity_w_mk": 5000}`,
			`{"grid_change_pct":0.0}`},
		{"the same with fins of 5 mm",
			`{"power_w": 20, "base_width_mm": 100, "base_length_mm": 100, "fin_count": 10, "fin_height_mm": 5, "fin_thickness_mm": 1.5, "grid_check": true, "conductivity_w_mk": 5000}`,
			`{"grid_change_pct":0.0}`},
	})
	tooltest.InvalidCases(t, HeatsinkCFD, []tooltest.InvalidCase{
		{"empty", `{}`, []string{"power_w", "base_width_mm", "base_length_mm", "fin_count",
			"fin_height_mm", "fin_thickness_mm"}, "is required"},
		{"fins that do not fit", `{"power_w": 20, "base_width_mm": 30, "base_length_mm": 100, "fin_count": 20, "fin_height_mm": 40, "fin_thickness_mm": 1.5}`, []string{"fin_count"}, "do not fit"},
		{"source larger than the base",
			`{` + naturalSink + `, "source_width_mm": 120, "source_length_mm": 101}`,
			[]string{"source_width_mm", "source_length_mm"}, "larger than the base"},
		{"source off the base", `{` + naturalSink + `, "source_width_mm": 20, "source_x_mm": 95}`,
			[]string{"source_x_mm"}, "from 85 to 105 mm"},
		{"forced by nothing", `{` + naturalSink + `, "convection": "forced"}`,
			[]string{"air_velocity_m_s"}, "or a fan"},
		{"half a fan", `{` + naturalSink + `, "convection": "forced", "fan_max_flow_m3_h": 50}`,
			[]string{"fan_max_pressure_pa"}, "is required with"},
		{"duct smaller than the sink",
			`{` + forcedSink + `, "duct_width_mm": 50, "duct_height_mm": 20}`,
			[]string{"duct_width_mm", "duct_height_mm"}, "is less than"},
		{"one fin", `{"power_w": 20, "base_width_mm": 30, "base_length_mm": 100, "fin_count": 1, "fin_height_mm": 40, "fin_thickness_mm": 1.5}`, []string{"fin_count"}, "2 to 150"},
		{"air that stands still", `{"power_w": 20, "base_width_mm": 30, "base_length_mm": 100, "fin_count": 20, "fin_height_mm": 40, "fin_thickness_mm": 1, "convection": "forced", "air_velocity_m_s": 0.01}`, []string{"air_velocity_m_s"}, "stands still"},
	})
}

func heatsinkOf(t interface{ Fatal(...any) }, body string) heatsinkOut {
	raw, err := HeatsinkCFD.Run(context.Background(), []byte(body))
	if err != nil {
		t.Fatal(body, err)
	}
	var out heatsinkOut
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestHeatsinkContract compares temperatures with a solution on another, coarser grid.
func TestHeatsinkContract(t *testing.T) {
	near := func(what string, got, want, tolerance float64) {
		t.Helper()
		if math.Abs(got-want) > tolerance {
			t.Errorf("%s: got %.3f, want %.3f within %g", what, got, want, tolerance)
		}
	}
	forced := heatsinkOf(t, `{`+forcedSink+`, "conductivity_w_mk": 200}`)
	near("forced, base mean", forced.BaseMean, 62.93, 0.2)
	near("forced, source mean", forced.SourceMean, 63.22, 0.15)
	natural := heatsinkOf(t, `{`+naturalSink+`}`)
	near("natural, base mean", natural.BaseMean, 54.75, 0.06)
	near("natural, radiation", natural.Radiation, 4.61, 0.015)
	if out := heatsinkOf(t,
		`{`+forcedSink+`, "tim_resistance_k_w": 0.2, "junction_to_case_k_w": 0.3}`); math.Abs(
		out.Junction-out.SourceMean-25) > 1e-9 {
		t.Errorf("50 W through 0.5 K/W raise the junction by %v K", out.Junction-out.SourceMean)
	}
}

func TestHeatsinkField(t *testing.T) {
	for _, body := range []string{`{` + forcedSink + `}`, `{` + naturalSink + `}`} {
		out := heatsinkOf(t, body)
		f := out.Field
		if len(f.Base) != len(f.Y) || len(f.Base[0]) != len(f.X) || len(f.Fin) != len(f.Y) ||
			len(f.Fin[0]) != len(f.FinX) ||
			len(f.Profile) != len(f.Z) || len(f.Profile[0]) != len(f.Y) ||
			len(f.AirX) != len(f.FinX)-1 {
			t.Fatalf("%s: the field's lists do not fit each other", body)
		}
		largest := 0.0
		for _, row := range f.Base {
			for _, v := range row {
				largest = max(largest, v)
			}
		}
		if largest != out.Max || out.Max < out.SourceMean || out.SourceMean < out.BaseMean {
			t.Errorf("%s: field %v, maximum %v, source %v, base %v", body, largest, out.Max,
				out.SourceMean, out.BaseMean)
		}
		if f.Air == nil {
			continue
		}
		for i := range f.AirX {
			before := 25.0
			for j := range f.Y {
				if f.Air[j][i] < before || f.Air[j][i] > f.Fin[j][i] {
					t.Fatalf("air of channel %d at slab %d: %v after %v beside a fin of %v", i, j,
						f.Air[j][i], before, f.Fin[j][i])
				}
				before = f.Air[j][i]
			}
		}
	}
	out := heatsinkOf(t,
		`{`+forcedSink+`, "source_width_mm": 6, "source_length_mm": 20, "source_x_mm": 3.5}`)
	if out.Field.Hottest > 2 {
		t.Errorf("over a source at the first fin, fin %d is the hottest", out.Field.Hottest)
	}
}

// randomSink draws a valid input over the full ranges.
func randomSink(t *rapid.T) string {
	tens := func(name string, lo, hi float64) float64 {
		return min(hi,
			max(lo, math.Pow(10, rapid.Float64Range(math.Log10(lo), math.Log10(hi)).Draw(t, name))))
	}
	width := tens("width", 5, 2000)
	fins := rapid.IntRange(2, 150).Draw(t, "fins")
	pitch := width / float64(fins)
	for pitch < 0.25 {
		fins /= 2
		pitch = width / float64(fins)
	}
	thickness := min(200, max(0.02, pitch*rapid.Float64Range(0.05, 0.5).Draw(t, "filled")))
	length := tens("length", 2, 2000)
	body := fmt.Sprintf(`"power_w": %v, "base_width_mm": %v, "base_length_mm": %v, "fin_count": %d, "fin_height_mm": %v, "fin_thickness_mm": %v, "base_thickness_mm": %v,
		"conductivity_w_mk": %v, "emissivity": %v, "ambient_c": %v, "altitude_m": %v, "orientation": %q`,
		tens("power", 0.001, 1e5), width, length, fins, tens("height", 0.5, 1000), thickness,
		tens("base", 0.1, 200),
		tens("k", 1, 5000), rapid.Float64Range(0, 1).Draw(t, "emissivity"),
		rapid.Float64Range(-100, 500).Draw(t, "ambient"),
		rapid.Float64Range(-500, 11000).Draw(t, "altitude"),
		rapid.SampledFrom([]string{"vertical", "horizontal_fins_up"}).Draw(t, "orientation"))
	if rapid.Bool().Draw(t, "small source") {
		body += fmt.Sprintf(`, "source_width_mm": %v, "source_length_mm": %v`,
			max(0.1, width*rapid.Float64Range(0.02, 1).Draw(t, "sw")),
			max(0.1, length*rapid.Float64Range(0.02, 1).Draw(t, "sl")))
	}
	switch rapid.IntRange(0, 2).Draw(t, "stream") {
	case 1:
		body += fmt.Sprintf(`, "convection": "forced", "air_velocity_m_s": %v`,
			tens("speed", 0.01, 100))
	case 2:
		body += fmt.Sprintf(`, "convection": "forced", "fan_max_flow_m3_h": %v, "fan_max_pressure_pa": %v, "duct_width_mm": %v`, tens("flow", 0.1, 1e5), tens("pressure", 0.1, 1e4), width*tens("duct", 1, 4))
	}
	return `{` + body + `}`
}

// TestHeatsinkBalance verifies the heat balance of random sinks. It logs the slowest run.
func TestHeatsinkBalance(t *testing.T) {
	slowest, at := time.Duration(0), ""
	rapid.Check(t, func(t *rapid.T) {
		body := randomSink(t)
		start := time.Now()
		raw, err := HeatsinkCFD.Run(context.Background(), []byte(body))
		if d := time.Since(start); d > slowest {
			slowest, at = d, body
		}
		if bad := tools.AsInputError(err); bad != nil &&
			(bad.Fields[0].Path == "air_velocity_m_s" ||
				bad.Fields[0].Path == "fan_max_flow_m3_h") {
			t.Skip("the air stands still")
		}
		if err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		var out heatsinkOut
		if err := json.Unmarshal(raw, &out); err != nil {
			t.Fatal(err)
		}
		if math.Abs(out.BalanceError) > 0.1 {
			t.Fatalf("%s: %v %% of the power is unaccounted for", body, out.BalanceError)
		}
		// The spreading resistance is checked only for thin fins and a small source. A thick fin is
		// a single cell that the source may cover in part. An end fin, cooled on one side only, may
		// be hotter than the source.
		var in struct {
			Width  float64 `json:"base_width_mm"`
			Source float64 `json:"source_width_mm"`
		}
		if err := json.Unmarshal([]byte(body), &in); err != nil {
			t.Fatal(err)
		}
		thin := in.Source < 0.8*in.Width &&
			out.Field.FinX[0]*2 < 0.05*(out.Field.FinX[len(out.Field.FinX)-1]+out.Field.FinX[0])
		if thin && out.Spreading < -1e-6*out.Resistance ||
			out.Max < out.SourceMean-1e-9*math.Abs(out.SourceMean) {
			t.Fatalf("%s: source %v, base %v, maximum %v", body, out.SourceMean,
				out.BaseMean, out.Max)
		}
	})
	t.Logf("slowest %v: %s", slowest, at)
}

// TestHeatsinkFasterIsCooler verifies that a higher air speed never makes a sink warmer, and that
// the change is gradual in the transition to turbulent flow. TestSinkFasterIsCooler of package
// thermal uses random sinks.
func TestHeatsinkFasterIsCooler(t *testing.T) {
	// The flow between 5 fins on 80 by 120 mm becomes turbulent at 1.0 to 1.7 m/s.
	const wide = `"power_w": 20, "base_width_mm": 80, "base_length_mm": 120, "fin_count": 5, "fin_height_mm": 40, "fin_thickness_mm": 1.5`
	before := math.Inf(1)
	for speed := 0.6; speed < 3; speed += 0.05 {
		r := heatsinkOf(t, fmt.Sprintf(`{"convection": "forced", "air_velocity_m_s": %v, %s}`,
			speed, wide)).Resistance
		if drop := 1 - r/before; drop < 0 || before < math.Inf(1) && drop > 0.08 {
			t.Errorf("%.2f m/s: %.4g K/W after %.4g", speed, r, before)
		}
		before = r
	}
}

// TestHeatsinkCancel verifies that a run ends soon after its context.
func TestHeatsinkCancel(t *testing.T) {
	body := []byte(`{"power_w": 100, "base_width_mm": 100, "base_length_mm": 100, "fin_count": 150, "fin_height_mm": 100, "fin_thickness_mm": 0.3, "conductivity_w_mk": 1, "convection": "forced", "air_velocity_m_s": 0.3}`)
	checkCancel(t, HeatsinkCFD, body)
}

// checkCancel verifies that a cancelled run ends within a quarter of the time of a complete run. On
// a loaded machine both are longer.
func checkCancel(t *testing.T, tool *tools.Tool, body []byte) {
	t.Helper()
	start := time.Now()
	if _, err := tool.Run(context.Background(), body); err != nil {
		t.Fatal(err)
	}
	whole := time.Since(start)
	best := time.Hour
	for range 5 {
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan time.Time)
		go func() {
			_, err := tool.Run(ctx, body)
			if !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
			done <- time.Now()
		}()
		time.Sleep(3 * time.Millisecond)
		start := time.Now()
		cancel()
		best = min(best, (<-done).Sub(start))
	}
	t.Logf("a whole run takes %v, the rest of a cancelled one %v", whole, best)
	if best > max(10*time.Millisecond, whole/4) {
		t.Errorf("the run went on for %v after it was cancelled; a whole run takes %v", best, whole)
	}
}
