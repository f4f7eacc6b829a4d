// Package netlists holds the example circuits of the simulator as text, for pages that offer them.
package netlists

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed *.cir
var files embed.FS

// Group is a kind of circuit with its examples.
type Group struct {
	Title    string
	Netlists []Netlist
}

// Netlist is one example.
type Netlist struct {
	Name  string // of its file, without .cir
	Title string // its first line
	Text  string
	Cards []string // the analyses it asks for, such as "tran"
}

// order is how the examples are grouped; within a group the plain ones come first.
var order = []struct{ title, names string }{
	{"Filters and lines", "rc_low_pass sallen_key_low_pass twin_t_notch state_variable_filter butterworth_low_pass transmission_line"},
	{"Amplifiers", "common_emitter differential_amplifier cascode_amplifier class_b_push_pull class_ab_amplifier cmos_opamp opamp_741_follower gilbert_multiplier"},
	{"Oscillators and timers", "astable_multivibrator monostable_multivibrator wien_bridge_oscillator phase_shift_oscillator colpitts_oscillator hartley_oscillator ring_oscillator_5"},
	{"Supplies and converters", "half_wave_rectifier bridge_rectifier_20khz mains_supply zener_regulator series_regulator bandgap_reference voltage_doubler cockcroft_walton dickson_charge_pump buck_converter boost_converter"},
	{"Switches and logic", "relay_flyback_diode darlington_switch motor_half_bridge sample_and_hold schmitt_trigger sr_latch cmos_nand3 full_adder sram_cell ttl_inverter ecl_gate"},
	{"Characteristics", "npn_output_curves current_mirrors"},
}

// Groups lists all examples.
func Groups() ([]Group, error) {
	var groups []Group
	for _, o := range order {
		g := Group{Title: o.title}
		for name := range strings.FieldsSeq(o.names) {
			text, err := files.ReadFile(name + ".cir")
			if err != nil {
				return nil, fmt.Errorf("netlists: %w", err)
			}
			g.Netlists = append(g.Netlists, read(name, string(text)))
		}
		groups = append(groups, g)
	}
	return groups, nil
}

func read(name, text string) Netlist {
	n := Netlist{Name: name, Text: text}
	n.Title, _, _ = strings.Cut(text, "\n")
	for line := range strings.Lines(text) {
		card, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch card {
		case ".op", ".dc", ".ac", ".tran":
			n.Cards = append(n.Cards, card[1:])
		}
	}
	return n
}
