package rf

import (
	"testing"

	"slipstick/tools/tooltest"
)

func TestDipole(t *testing.T) {
	tooltest.Examples(t, Dipole)
	tooltest.Cases(t, Dipole, []tooltest.Case{
		{"ARRL: 468/7.1 = 65.915 ft for 40 m", `{"freq_mhz":7.1}`, `{"length_ft":65.9155,"length_m":20.0910,"leg_length_m":10.0455,"feed_impedance_ohm":73,"gain_dbi":2.15}`},
		{"by hand: 234/433 ft", `{"freq_mhz":433,"type":"quarter_wave"}`, `{"length_m":0.164719,"length_in":6.48499,"wavelength_m":0.692361,"feed_impedance_ohm":36.5,"gain_dbi":5.15,"leg_length_m":0.164719}`},
		{"by hand: 0.95 c/(2·14.2 MHz)", `{"freq_mhz":14.2,"velocity_factor":0.95}`, `{"length_m":10.028269,"free_space_length_m":10.556072,"velocity_factor":0.95,"leg_length_m":5.0141344}`},
		{"free space is the velocity factor 1",
			`{"freq_mhz":14.2,"type":"quarter_wave","velocity_factor":1}`,
			`{"length_m":5.2780362,"free_space_length_m":5.2780362}`},
		{"by hand: 468 ft·MHz over c/2 is 0.951634", `{"freq_mhz":1}`,
			`{"velocity_factor":0.951634,"length_ft":468.000,"length_in":5616.00}`},
		{"null options are absent", `{"freq_mhz":1,"type":null,"velocity_factor":null}`,
			`{"length_ft":468.000}`},
	})
	tooltest.InvalidCases(t, Dipole, []tooltest.InvalidCase{
		{"no frequency", `{}`, []string{"freq_mhz"}, "is required"},
		{"another type", `{"freq_mhz":1,"type":"full_wave"}`, []string{"type"},
			"half_wave, quarter_wave"},
		{"case matters", `{"freq_mhz":1,"type":"Half_Wave"}`, []string{"type"}, "half_wave"},
		{"too slow", `{"freq_mhz":-1,"velocity_factor":0.4}`,
			[]string{"freq_mhz", "velocity_factor"}, "0.5 to 1"},
	})
}
