// Package boards holds the example boards as requests for pcb_layout, for pages that offer them.
package boards

import (
	"embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

//go:embed *.json
var files embed.FS

// Board is one example.
type Board struct {
	Name    string // of its file, without .json
	Title   string
	Request json.RawMessage
	Parts   int // 0 when they come from a netlist
}

// All lists the examples, small ones first, netlists last.
func All() ([]Board, error) {
	entries, err := files.ReadDir(".")
	if err != nil {
		return nil, fmt.Errorf("boards: %w", err)
	}
	var list []Board
	for _, e := range entries {
		text, err := files.ReadFile(e.Name())
		if err != nil {
			return nil, fmt.Errorf("boards: %w", err)
		}
		var request struct{ Components []json.RawMessage }
		if err := json.Unmarshal(text, &request); err != nil {
			return nil, fmt.Errorf("boards: %s: %w", e.Name(), err)
		}
		name := strings.TrimSuffix(e.Name(), ".json")
		list = append(list, Board{name, title(name), text, len(request.Components)})
	}
	slices.SortStableFunc(list, func(a, b Board) int {
		if (a.Parts == 0) != (b.Parts == 0) {
			return b.Parts - a.Parts
		}
		return a.Parts - b.Parts
	})
	return list, nil
}

// titles are how the examples are called; a file without one goes by its name.
var titles = map[string]string{
	"audio_mixer_8ch": "Audio mixer, 8 channels", "buck_mc34063": "Buck converter",
	"h_bridge": "H-bridge", "led_blinker_555": "555 LED blinker",
	"led_matrix_5x5": "LED matrix 5 × 5", "led_matrix_8x8": "LED matrix 8 × 8",
	"linear_regulator": "Linear regulator", "opamp_filter": "Op-amp filter",
	"rs485_node": "RS-485 node, KiCad netlist", "sensor_node": "Sensor node",
	"spice_preamplifier":   "Preamplifier, SPICE netlist",
	"usb_serial_atmega328": "ATmega328 with USB serial",
}

func title(name string) string {
	if t := titles[name]; t != "" {
		return t
	}
	return strings.ReplaceAll(name, "_", " ")
}
