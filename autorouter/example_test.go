package autorouter_test

import (
	"context"
	"fmt"
	"log"

	"slipstick/autorouter"
	"slipstick/tools/schema"
)

// Layout expects a request whose defaults are filled in. Package schema decodes a request from JSON
// and fills them in, as the tool pcb_layout does.
func ExampleLayout() {
	var request autorouter.Request
	_, err := schema.Compile[autorouter.Request]().Decode([]byte(`{
		"name": "led",
		"width_mm": 20, "height_mm": 15,
		"components": [
			{"ref": "J1", "footprint": "PinHeader_1x02", "value": "5 V"},
			{"ref": "R1", "footprint": "R_0805", "value": "470"},
			{"ref": "D1", "footprint": "LED_0805", "value": "red"}],
		"nets": [
			{"name": "VCC", "pins": ["J1.1", "R1.1"]},
			{"name": "LED", "pins": ["R1.2", "D1.A"]},
			{"name": "GND", "pins": ["D1.K", "J1.2"]}],
		"exports": ["drill", "bom"]
	}`), &request)
	if err != nil {
		log.Fatal(err)
	}
	result, err := autorouter.Layout(context.Background(), &request, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("design rules met: %t, unrouted connections: %d\n", result.DRC.Passed,
		len(result.DRC.Unrouted))
	for _, f := range result.Files {
		fmt.Println(f.Name)
	}
	// Output:
	// design rules met: true, unrouted connections: 0
	// led-PTH.drl
	// led-NPTH.drl
	// led-bom.csv
}

// The error of an invalid request lists every invalid field.
func ExampleLayout_invalid() {
	var request autorouter.Request
	_, err := schema.Compile[autorouter.Request]().Decode([]byte(`{
		"components": [{"ref": "R1", "footprint": "R_0805"}],
		"nets": [{"name": "A", "pins": ["R1.1", "R1.3"]}]
	}`), &request)
	if err != nil {
		log.Fatal(err)
	}
	_, err = autorouter.Layout(context.Background(), &request, nil)
	fmt.Println(err)
	// Output: nets[0].pins[1]: net "A": R1 (R_0805) has no pad "3"; it has 1 2
}
