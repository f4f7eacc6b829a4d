package web

import (
	"slices"
	"testing"
)

// TestPictures verifies the pictures that picturesOf selects for a tool.
func TestPictures(t *testing.T) {
	s := testSite(t)
	for _, c := range []struct {
		tool string
		want []string
	}{
		{"fspl", nil},
		{"noise_figure_cascade", nil}, // a list of stages is not a curve
		{"raid_iops", []string{"picture_curve curve over read_pct"}},
		{"loan_amortization", []string{"picture_curve schedule over period"}},
		{"heatsink_cfd", []string{"picture_field temperature_field",
			"picture_curve fin_sweep over fin_count"}},
		{"pcb_thermal", []string{"picture_field temperature_field"}},
		{"rc_filter", []string{"picture_bode cutoff_hz"}},
		{"resistor_color_code", []string{"picture_bands bands"}},
		{"timer_555", []string{"picture_timing t_high_s"}},
		{"spice_simulate", []string{"picture_vectors vectors"}},
	} {
		var got []string
		for _, p := range s.tools[c.tool].Pictures {
			one := p.Module + " " + p.Of[0]
			if p.X != "" {
				one += " over " + p.X
			}
			got = append(got, one)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s has the pictures %q, want %q", c.tool, got, c.want)
		}
	}
}
