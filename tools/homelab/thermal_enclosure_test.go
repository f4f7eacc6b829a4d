package homelab

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"slipstick/tools/tooltest"
)

// enclosureBox is the enclosure of the tool's specification: 36 by 48 by 16 inches with 300 W
// inside.
const enclosureBox = `"width_mm": 914.4, "height_mm": 1219.2, "depth_mm": 406.4, "power_w": 300`

func TestThermalEnclosure(t *testing.T) {
	tooltest.Examples(t, ThermalEnclosure)
	// The "bisection" cases solve the two balances by plain bisection in another language, with
	// separate film formulas.
	tooltest.Cases(t, ThermalEnclosure, []tooltest.Case{
		{"contract: painted", `{` + enclosureBox + `}`, `{"temperature_rise_c": 16.354, "u_w_m2k": 4.63, "surface_area_m2": 3.963863, "heat_by_airflow_w": 0, "warnings": []}`},
		{"contract: bare aluminum", `{` + enclosureBox + `, "material": "bare_aluminum"}`,
			`{"temperature_rise_c": 25.24, "wall_temperature_c": 42.67506}`},
		{"contract: fan; bisection for the shares",
			`{` + enclosureBox + `, "ventilation": "fan", "fan_flow_m3_h": 100}`, `{"temperature_rise_c": 6.011, "heat_through_walls_w": 100.927177, "heat_by_airflow_w": 199.072823, "airflow_m3_h": 100.000}`},
		{"bisection: vents of 100 and 200 cm², 0.9 m apart", `{` + enclosureBox + `, "ventilation": "vented", "vent_inlet_cm2": 100, "vent_outlet_cm2": 200, "vent_height_mm": 900}`, `{"temperature_rise_c": 12.763801, "heat_by_airflow_w": 69.517891}`},
		{"bisection: full sun", `{` + enclosureBox + `, "solar_irradiance_w_m2": 1000}`, `{"temperature_rise_c": 33.243249, "heat_through_walls_w": 1035.754539, "solar_gain_w": 735.754539, "warnings": ["~55 °C", "~solar gain of"]}`},
		{"bisection: small plastic box on wall and floor, 2000 m, wind", `{"width_mm": 300, "height_mm": 400, "depth_mm": 200, "power_w": 50, "ambient_c": 40, "altitude_m": 2000, "material": "plastic", "mounting": "wall_floor", "wind_m_s": 3, "max_internal_c": 60}`,
			`{"temperature_rise_c": 24.803654, "wall_temperature_c": 47.891889, "surface_area_m2": 0.340000, "warnings": ["~55 °C"]}`},
		{"bisection: stainless steel on the floor", `{"width_mm": 600, "height_mm": 800, "depth_mm": 300, "power_w": 100, "material": "stainless_steel", "mounting": "floor"}`, `{"temperature_rise_c": 19.022404}`},
		{"IEC 60890 by hand: 1.4·0.37161 + 0.9·(2·0.49548 + 1.11484) + 0.5·1.11484",
			`{` + enclosureBox + `, "mounting": "wall"}`, `{"iec60890_effective_area_m2": 2.9729}`},
		{"nothing inside", `{"width_mm": 300, "height_mm": 400, "depth_mm": 200, "power_w": 0}`, `{"temperature_rise_c": 0, "u_w_m2k": null, "heat_through_walls_w": 0, "required_cooling_w": 0, "warnings": []}`},
		{"limit below ambient",
			`{` + enclosureBox +
				`, "max_internal_c": 20, "ventilation": "fan", "fan_flow_m3_h": 100}`, `{"required_fan_flow_m3_h": null, "max_power_w": 0, "warnings": ["~no fan can reach"]}`},
		{"fields of another ventilation",
			`{` + enclosureBox + `, "vent_inlet_cm2": 100, "fan_flow_m3_h": 5}`,
			`{"temperature_rise_c": 16.354, "warnings": ["~vent_inlet_cm2", "~fan_flow_m3_h"]}`},
	})
	tooltest.InvalidCases(t, ThermalEnclosure, []tooltest.InvalidCase{
		{"empty", `{}`, []string{"width_mm", "height_mm", "depth_mm", "power_w"}, "is required"},
		{"vented without vents", `{` + enclosureBox + `, "ventilation": "vented"}`,
			[]string{"vent_inlet_cm2"}, "is required when"},
		{"fan without flow", `{` + enclosureBox + `, "ventilation": "fan"}`,
			[]string{"fan_flow_m3_h"}, "is required when"},
		{"negative power", `{"width_mm": 300, "height_mm": 400, "depth_mm": 200, "power_w": -5}`,
			[]string{"power_w"}, "got -5"},
		{"unknown material", `{` + enclosureBox + `, "material": "wood"}`, []string{"material"},
			"painted_steel"},
		{"vents farther apart than the box is high",
			`{` + enclosureBox +
				`, "ventilation": "vented", "vent_inlet_cm2": 10, "vent_height_mm": 5000}`,
			[]string{"vent_height_mm"}, "1219.2"},
	})
}

func enclosureOf(t interface{ Fatal(...any) }, body string) enclosureOut {
	raw, err := ThermalEnclosure.Run(context.Background(), []byte(body))
	if err != nil {
		t.Fatal(body, err)
	}
	var out enclosureOut
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestEnclosureSizing verifies that the recommended sizes are sufficient.
func TestEnclosureSizing(t *testing.T) {
	sealed := enclosureOf(t, `{`+enclosureBox+`, "max_internal_c": 32}`)
	flow := enclosureOf(t, fmt.Sprintf(`{%s, "max_internal_c": 32, "ventilation": "fan", "filter_derate_pct": 60, "fan_flow_m3_h": %v}`, enclosureBox, *sealed.RequiredFlow/0.6))
	if math.Abs(flow.Internal-32) > 1e-9 ||
		math.Abs(*flow.RequiredFlow-*sealed.RequiredFlow/0.6) > 1e-9 {
		t.Errorf("the recommended fan leads to %v °C and recommends %v m³/h", flow.Internal,
			*flow.RequiredFlow)
	}
	if p := sealed.RequiredCool + sealed.MaxPower; math.Abs(p-300) > 1e-9 {
		t.Errorf("cooling and the power that needs none make %v W, not 300", p)
	}
	for _, more := range []string{`"ventilation": "vented", "vent_inlet_cm2": 50`,
		`"solar_irradiance_w_m2": 50`, `"wind_m_s": 12`} {
		out := enclosureOf(t, `{`+enclosureBox+`, "max_internal_c": 45, `+more+`}`)
		body := fmt.Sprintf(
			`{"width_mm": 914.4, "height_mm": 1219.2, "depth_mm": 406.4, "power_w": %v, %s}`,
			out.MaxPower, more)
		if again := enclosureOf(t, body); math.Abs(again.Internal-45) > 1e-8 {
			t.Errorf("%s: max_power_w leads to %v °C, not 45", more, again.Internal)
		}
	}
}

func TestEnclosureLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := func(name string, lo, hi float64) float64 {
			return rapid.Float64Range(lo, hi).Draw(t, name)
		}
		pick := func(name string, of ...string) string {
			return rapid.SampledFrom(of).Draw(t, name)
		}
		body := fmt.Sprintf(`{"width_mm": %v, "height_mm": %v, "depth_mm": %v, "power_w": %v, "ambient_c": %v, "altitude_m": %v, "material": %q, "mounting": %q,
			"internal_h_w_m2k": %v, "ventilation": %q, "vent_inlet_cm2": %v, "fan_flow_m3_h": %v, "solar_irradiance_w_m2": %v, "wind_m_s": %v, "max_internal_c": %v}`,
			number("w", 10, 20000), number("h", 10, 20000), number("d", 10, 20000),
			number("p", 0, 1e6), number("ta", -100, 200), number("z", -500, 11000),
			pick("material", "painted_steel", "bare_aluminum", "plastic"),
			pick("mounting", "free_standing", "floor", "wall", "wall_floor"),
			number("hi", 0.01, 1e4), pick("ventilation", "sealed", "vented", "fan"),
			number("vent", 0.01, 1e6), number("fan", 0.01, 1e6), number("sun", 0, 2000),
			number("wind", 0, 100),
			number("limit", -100, 1000))
		out := enclosureOf(t, body)
		in, away := out.SolarGain, out.WallHeat+out.AirHeat
		var given struct {
			Power float64 `json:"power_w"`
		}
		if err := json.Unmarshal([]byte(body), &given); err != nil {
			t.Fatal(err)
		}
		// The tolerance of 1 pW is the roundoff of temperatures near 300 K.
		if in += given.Power; math.Abs(in-away) > 1e-6*in+1e-12 {
			t.Fatalf("%s: %v W go in and %v W leave", body, in, away)
		}
		if out.Rise < -1e-9 {
			t.Fatalf("%s: %v K below ambient", body, -out.Rise)
		}
		for i := 1; i < len(out.Curve); i++ {
			if out.Curve[i].Rise < out.Curve[i-1].Rise-1e-9 {
				t.Fatalf("%s: the curve falls at %v W", body, out.Curve[i].Power)
			}
		}
	})
}

// TestEnclosureMaterials verifies that the table has every material of the input once.
func TestEnclosureMaterials(t *testing.T) {
	enum := ThermalEnclosure.Input.Field("material").Enum
	if len(enum) != len(enclosureMaterials) {
		t.Fatalf("%d names and %d materials", len(enum), len(enclosureMaterials))
	}
	for i, m := range enclosureMaterials {
		if m.name != enum[i] || m.emissivity <= 0 || m.emissivity > 1 || m.conductivity <= 0 ||
			m.wall <= 0 {
			t.Errorf("%+v, want %s", m, enum[i])
		}
	}
}

// TestEnclosureWind verifies that a higher wind speed never makes the cabinet warmer. It also
// verifies that the change is gradual at the transition to a turbulent boundary layer (Re 5e5,
// about 3.9 m/s along 2 m).
func TestEnclosureWind(t *testing.T) {
	before := math.Inf(1)
	for wind := 1.0; wind < 12; wind += 0.1 {
		out := enclosureOf(t, fmt.Sprintf(`{"width_mm": 2000, "height_mm": 2000, "depth_mm": 2000, "power_w": 3000, "internal_h_w_m2k": 10000, "wind_m_s": %v}`, wind))
		if drop := 1 - out.Rise/before; drop < 0 || before < math.Inf(1) && drop > 0.08 {
			t.Errorf("wind %.1f m/s: the rise is %.4g K after %.4g", wind, out.Rise, before)
		}
		before = out.Rise
	}
}
