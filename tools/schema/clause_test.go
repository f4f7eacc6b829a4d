package schema

import "testing"

func TestFirstClauses(t *testing.T) {
	for _, c := range []struct {
		text  string
		limit int
		want  string
	}{
		{"Width of the trace; null without a current", 80, "Width of the trace; null without a current"},
		{"Width of the trace; null without a current", 25, "Width of the trace"},
		{"Temperature of the winding, at full load [°C]", 30, "Temperature of the winding [°C]"},
		{"Holes in the polygon, points [x, y]", 30, "Holes in the polygon"},
		{"A single clause without any mark", 20, "A single clause without any mark"},
		// The first words of a clause are not a clause.
		{"Drives per group; default: 8, or what is left", 34, "Drives per group"},
		{"Optimization of the rate; automatic: on for long symbols", 40, "Optimization of the rate"},
		{"Drives per group. Default: 8, or what is left", 30, "Drives per group"},
		{"Battery chemistry; lithium_coin: checks the pulses", 40, "Battery chemistry"},
		{"With certify: proof that an operating point exists", 40, "With certify: proof that an operating point exists"},
		{"Connections to route: pins minus one, over the nets", 40, "Connections to route"},
		// A list is not cut.
		{"Lowest voltage of inverter, controller and wiring", 40, "Lowest voltage of inverter, controller and wiring"},
		{"Height above ground, for two_ray, hata and cost231", 40, "Height above ground"},
		{"Mean of the sample, or difference of the means", 40, "Mean of the sample, or difference of the means"},
		// A bracket is not cut.
		{"Element values [ohm, V, A] of the lowest voltage found", 40, "Element values [ohm, V, A] of the lowest voltage found"},
		{"Pays half (26 per year) or a quarter (52 per year) of the payment", 40, "Pays half (26 per year) or a quarter (52 per year) of the payment"},
		{"Share of the rating for continuous loads (NEC 210.20)", 50, "Share of the rating for continuous loads"},
	} {
		if got := FirstClauses(c.text, c.limit); got != c.want {
			t.Errorf("%q is cut to %q at %d, want %q", c.text, got, c.limit, c.want)
		}
	}
}
