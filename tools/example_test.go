package tools_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"slipstick/tools"
)

type dividerIn struct {
	Supply float64 `json:"supply_v" unit:"V" gt:"0" doc:"Supply voltage"`
	Upper  float64 `json:"upper_ohm" unit:"Ω" gt:"0" doc:"Upper resistor"`
	Lower  float64 `json:"lower_ohm" unit:"Ω" gt:"0" default:"10000" doc:"Lower resistor"`
}

type dividerOut struct {
	Output float64 `json:"output_v" unit:"V" doc:"Output voltage without load"`
	tools.Warnings
}

func divider(_ context.Context, in dividerIn) (dividerOut, error) {
	return dividerOut{Output: in.Supply * in.Lower / (in.Upper + in.Lower)}, nil
}

func newDivider() *tools.Tool {
	return tools.Define(tools.Spec{
		Name:    "voltage_divider",
		Title:   "Voltage divider",
		Summary: "Output voltage of two resistors in series",
		Method:  "V·R2/(R1 + R2)",
		Sources: []string{"Kirchhoff's voltage law"},
		Examples: []tools.Example{{
			Title: "5 V to 3.3 V",
			In:    `{"supply_v": 5, "upper_ohm": 5100}`,
			Want:  `{"output_v": 3.311}`,
		}},
	}, divider)
}

// A tool is a function from a struct to a struct, whose tags give names, units, ranges and
// defaults. Run takes and returns JSON.
func ExampleDefine() {
	result, err := newDivider().Run(context.Background(),
		[]byte(`{"supply_v": 5, "upper_ohm": 10000}`))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(result))
	// Output: {"output_v":2.5,"warnings":[]}
}

// An invalid input returns an *InputError, which lists every invalid field.
func ExampleTool_Run() {
	_, err := newDivider().Run(context.Background(), []byte(`{"supply_v": 5, "upper_ohm": -1}`))
	var invalid *tools.InputError
	fmt.Println(errors.As(err, &invalid))
	fmt.Println(err)
	// Output:
	// true
	// upper_ohm: must be greater than 0, got -1
}

// A catalog finds tools by name. Its links connect outputs with inputs.
func ExampleNewCatalog() {
	catalog, err := tools.NewCatalog([]tools.Category{{
		Name:  "circuits",
		Title: "Circuits",
		Tools: []*tools.Tool{newDivider()},
	}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	tool, err := catalog.Find("voltage_divider")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(tool.Title)
	_, err = catalog.Find("voltage_divder")
	fmt.Println(err)
	// Output:
	// Voltage divider
	// there is no tool "voltage_divder"; did you mean voltage_divider?
}
