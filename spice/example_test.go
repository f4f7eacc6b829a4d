package spice_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"slipstick/spice"
)

// The result has one vector per column. Node voltages and branch currents of an operating point
// have one value each.
func ExampleSimulate() {
	result, err := spice.Simulate(context.Background(), spice.Request{Netlist: `voltage divider
V1 in 0 10
R1 in out 3k
R2 out 0 2k
.op
.end`})
	if err != nil {
		log.Fatal(err)
	}
	for _, v := range result.Vectors {
		fmt.Printf("%s = %.4g %s\n", v.Name, v.Values[0], v.Unit)
	}
	// Output:
	// v(in) = 10 V
	// v(out) = 4 V
	// i(v1) = -0.002 A
}

// The first vector of a DC sweep, an AC analysis or a transient is the swept quantity.
func ExampleSimulate_ac() {
	result, err := spice.Simulate(context.Background(), spice.Request{
		Analysis: "ac",
		Netlist: `RC low-pass, corner at 1/(2*pi*1k*100n) = 1591.549 Hz
V1 in 0 AC 1
R1 in out 1k
C1 out 0 100n
.ac lin 1 1591.549 1591.549
.end`,
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, v := range result.Vectors {
		switch v.Name {
		case "frequency", "v(out)_mag", "v(out)_phase_deg":
			fmt.Printf("%s: %.5g %s\n", v.Name, v.Values[0], v.Unit)
		}
	}
	// Output:
	// frequency: 1591.5 Hz
	// v(out)_mag: 0.70711 V
	// v(out)_phase_deg: -45 deg
}

// Every error is an *Error with a stable code. It also names the invalid element and line, if there
// is one.
func ExampleError() {
	_, err := spice.Simulate(context.Background(), spice.Request{Netlist: `two sources in parallel
V1 a 0 5
V2 a 0 6
.op
.end`})
	var fault *spice.Error
	if errors.As(err, &fault) {
		fmt.Println(fault.Code)
	}
	// Output: voltage_loop
}

// With Certify the result contains a proof that exactly one operating point exists near the
// returned one.
func ExampleSimulate_certify() {
	result, err := spice.Simulate(context.Background(), spice.Request{
		Certify: true,
		Netlist: `diode at 1 mA
I1 0 a 1m
D1 a 0 d
.model d d(is=1e-14)
.op
.end`,
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Certificate.Certified, result.Certificate.Method)
	// Output: true Newton-Kantorovich
}
