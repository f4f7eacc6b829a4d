package device

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// implements reports whether a device implements T.
func implements[T any](d Device) bool {
	_, ok := d.(T)
	return ok
}

// TestInterfaceTable verifies that the table of optional interfaces in the package comment lists
// the devices that implement each interface.
func TestInterfaceTable(t *testing.T) {
	devices := map[string]Device{"A": &logic{}, "B": &bsource{}, "C": &capacitor{}, "D": &diode{}, "E": &vcvs{},
		"F": &cccs{},
		"G": &vccs{}, "H": &ccvs{}, "I": &currentSource{}, "J": &jfet{}, "K": &coupling{},
		"L": &inductor{},
		"M": &mosfet{}, "O": &rcLine{}, "Q": &bipolar{}, "R": &resistor{}, "S": &controlledSwitch{},
		"T": &transmissionLine{},
		"V": &voltageSource{}, "W": &controlledSwitch{}, "X": &multiplier{}, "Z": &mesfet{}}
	interfaces := map[string]func(Device) bool{
		"BypassDevice":       implements[BypassDevice],
		"PulseDevice":        implements[PulseDevice],
		"PoleDevice":         implements[PoleDevice],
		"TwoTerminalCharges": implements[TwoTerminalCharges],
		"CrossCharge":        implements[CrossCharge],
		"VariationalDevice":  implements[VariationalDevice],
		"EventDevice":        implements[EventDevice], "LogicDevice": implements[LogicDevice], "RHSLoader": implements[RHSLoader],
		"Distributed": implements[Distributed], "ChargeStorage": implements[ChargeStorage], "DelayDevice": implements[DelayDevice],
		"WaveformSource": implements[WaveformSource], "Linker": implements[Linker],
		"Swept":     implements[Swept],
		"Conductor": implements[Conductor], "SmallSignalInput": implements[SmallSignalInput],
		"Noisy": implements[Noisy], "Reporter": implements[Reporter],
		"ScratchDevice":        implements[ScratchDevice],
		"IntervalModel":        implements[IntervalModel],
		"PartialIntervalModel": implements[PartialIntervalModel],
	}
	source, err := os.ReadFile("device.go")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile(`(?m)^//\t(\w+) +((?:[A-Z] )+) +\w+`).FindAllStringSubmatch(
		string(source), -1)
	if len(rows) != len(interfaces) {
		t.Errorf("the table has %d rows; there are %d interfaces", len(rows), len(interfaces))
	}
	for _, row := range rows {
		var want []string
		for letter, d := range devices {
			if f := interfaces[row[1]]; f != nil && f(d) {
				want = append(want, letter)
			}
		}
		slices.Sort(want)
		if got := strings.Fields(row[2]); !slices.Equal(got, want) {
			t.Errorf("%s: the table lists %v, the types are %v", row[1], got, want)
		}
	}
}
